"""Presto's, of which Trino's was made; its EXPLAIN is not known to be alike."""

from dataclasses import replace

from .trino import DIALECT as TRINO

DIALECT = replace(TRINO, name="presto", executed=False, vendors=(), explain=None, read_plan=None)

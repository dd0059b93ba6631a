"""Ranking metrics as SQL that runs where the data lives."""

from __future__ import annotations

from .api import compare, curve, estimate, evaluate, explain, install, labelled, metrics, options, profiles, sql
from .errors import DatabaseError, DataError, RankmetricsError, RankmetricsWarning, UsageError
from .result import Comparison, Curve, Explanation, Result, Table

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Curve",
    "DataError",
    "DatabaseError",
    "Explanation",
    "RankmetricsError",
    "RankmetricsWarning",
    "Result",
    "Table",
    "UsageError",
    "compare",
    "curve",
    "estimate",
    "evaluate",
    "explain",
    "install",
    "labelled",
    "metrics",
    "options",
    "profiles",
    "sql",
]

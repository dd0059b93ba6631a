"""Materialize's."""

from ..dialect import Dialect

DIALECT = Dialect(name="materialize")

"""Ranking metrics as SQL that runs where the data lives."""

from __future__ import annotations

from .api import (
    Database,
    compare,
    connect,
    curve,
    estimate,
    evaluate,
    explain,
    install,
    labelled,
    metrics,
    options,
    profiles,
    sql,
)
from .errors import DatabaseError, DataError, RankmetricsError, RankmetricsWarning, UsageError
from .results.result import Comparison, Curve, Explanation, Result, Table
from .version import __version__ as __version__

__all__ = [
    "Comparison",
    "Curve",
    "DataError",
    "Database",
    "DatabaseError",
    "Explanation",
    "RankmetricsError",
    "RankmetricsWarning",
    "Result",
    "Table",
    "UsageError",
    "compare",
    "connect",
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

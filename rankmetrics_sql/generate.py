"""Writes what follows from the metric headers: the templates' dispatcher and the reference in ``sql/README.md``.

``python -m rankmetrics_sql.generate`` after adding or changing a metric.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .catalogue import (
    Metric,
    Parameter,
    Profile,
    ambiguous,
    families,
    metrics,
    options,
    profiles,
    spellings,
    sql_root,
)
from .errors import DataError, RankmetricsError

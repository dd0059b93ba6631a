"""The chart of the README, which Altair draws: anew only where it shows something else."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import rankmetrics_sql as rm

from . import shown

ROOT = Path(__file__).parents[2]


def arms() -> str:
    """The demo's comparison of two arms: the picture that is there, if it shows the same."""
    drawn = _drawn(_compared())
    path = ROOT / "docs" / "pictures" / "arms.svg"
    there = path.read_text(encoding="utf-8") if path.exists() else ""
    return there if there and shown.labels(there) == shown.labels(drawn) else drawn


def _compared() -> Any:
    """The chart of the demo's comparison."""
    impressions = (ROOT / "rankmetrics_sql" / "demo" / "impressions.sql").read_text(encoding="utf-8")
    clicks = f"SELECT request_id, item_id, 'click' AS event_type FROM ({impressions}) WHERE clicked"
    log = rm.events(impressions, clicks, arm="arm")
    return rm.compare(log, ["ctr@5", "mrr"], baseline="old").plot()


def _drawn(chart: Any) -> str:
    file = io.StringIO()
    chart.save(file, format="svg")
    return file.getvalue().rstrip() + "\n"

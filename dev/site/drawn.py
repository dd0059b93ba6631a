"""The charts of the README and of docs/gallery.md, which Altair draws: anew only where they show something else."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rankmetrics_sql as rm

from . import shown

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n!\[[^\]]*\]\((?P<path>[^)]*)\)\n)?", re.DOTALL)


def arms() -> str:
    """The demo's comparison of two arms."""
    impressions = (ROOT / "rankmetrics_sql" / "demo" / "impressions.sql").read_text(encoding="utf-8")
    clicks = f"SELECT request_id, item_id, 'click' AS event_type FROM ({impressions}) WHERE clicked"
    log = rm.events(impressions, clicks, arm="arm")
    return _picture("pictures/arms.svg", rm.compare(log, ["ctr@5", "mrr"], baseline="old").plot())


def gallery() -> dict[str, str]:
    """The page of all charts and its pictures, by path below docs: each chart is what the code above it draws."""
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    found = {}
    for path, chart in _charts(page):
        found[path] = _picture(path, chart)
        page = re.sub(rf"!\[[^\]]*\]\({re.escape(path)}\)", f"![{chart.description}]({path})", page)
    return {"gallery.md": page} | found


def _charts(page: str) -> Iterator[tuple[str, Any]]:
    """The path of each picture of a page and its chart; the blocks are run in their order."""
    names: dict[str, Any] = {}
    with contextlib.chdir(ROOT), warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)  # of ties and few queries the page need not speak
        for block in _BLOCK.finditer(page):
            if block["path"]:
                yield block["path"], eval(block["code"], names)
            else:
                exec(block["code"], names)


def _picture(path: str, chart: Any) -> str:
    """A chart as SVG: the picture that is there, if it shows the same."""
    file = io.StringIO()
    chart.save(file, format="svg")
    drawn = file.getvalue().rstrip() + "\n"
    there = (DOCS / path).read_text(encoding="utf-8") if (DOCS / path).exists() else ""
    return there if there and shown.labels(there) == shown.labels(drawn) else drawn

"""The charts of the README and of docs/gallery.md, which are replaced only if they show something else."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import rankmetrics_sql as rm

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n!\[[^\]]*\]\((?P<path>[^)]*)\)\n)?", re.DOTALL)

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")


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
    return there if there and labels(there) == labels(drawn) else drawn


def labels(svg: str) -> list[tuple[str, str]]:
    """Each mark with what it says: its text, or the label by which a screen reader knows its values.

    Where they stand is left out: it depends on the width of the machine's letters.
    """
    found = []
    for element in ElementTree.fromstring(svg).iter():
        kind = element.tag.rpartition("}")[2]
        said = element.get("aria-label", "") + (element.text or "").strip()
        if said and kind != "style":
            found.append((kind, rounded(said)))
    return found


def marks(svg: str) -> list[tuple[str, str, dict[str, str]]]:
    """Each element with its text and attributes: of a picture whose places follow from its values alone."""
    return [
        (
            element.tag.rpartition("}")[2],
            rounded((element.text or "").strip()),
            {name: rounded(value) for name, value in element.attrib.items()},
        )
        for element in ElementTree.fromstring(svg).iter()
    ]


def rounded(text: str) -> str:
    """The text with its numbers to nine digits."""
    return NUMBER.sub(lambda number: f"{float(number[0].replace(',', '')):.9g}", text)

"""The charts of the README and of the pages of docs, which are replaced only if they show something else."""

from __future__ import annotations

import ast
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
# Code, what it prints, and the picture that it draws.
_BLOCK = re.compile(
    r"```python\n(?P<code>.*?)```\n(?:\n```text\n.*?```\n)?(?:\n!\[[^\]]*\]\((?P<path>pictures/charts/[^)]*)\)\n)?",
    re.DOTALL,
)

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")


def arms() -> str:
    """Draw the demo's comparison of two arms."""
    impressions = (ROOT / "rankmetrics_sql" / "demo" / "impressions.sql").read_text(encoding="utf-8")
    clicks = f"SELECT request_id, item_id, 'click' AS event_type FROM ({impressions}) WHERE clicked"
    log = rm.events(impressions, clicks, arm="arm")
    return _picture("pictures/arms.svg", rm.compare(log, ["ctr@5", "mrr"], baseline="old").plot())


def drawn() -> dict[str, str]:
    """Return each page with charts and its pictures, by path below docs: the code above a chart draws it."""
    files = {}
    for file in sorted(DOCS.rglob("*.md")):
        name, page = file.relative_to(DOCS).as_posix(), file.read_text(encoding="utf-8")
        for path, chart in _charts(page):
            files[path] = _picture(path, chart)
            page = re.sub(rf"!\[[^\]]*\]\({re.escape(path)}\)", f"![{chart.description}]({path})", page)
            files[name] = page
    return files


def _charts(page: str) -> Iterator[tuple[str, Any]]:
    """Yield the path of each picture of a page and its chart, the value of the block's last line.

    The blocks are run in their order, up to the last that draws.
    """
    blocks = list(_BLOCK.finditer(page))
    while blocks and not blocks[-1]["path"]:
        blocks.pop()
    names: dict[str, Any] = {}
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)  # of ties and few queries the page need not speak
        for block in blocks:
            *statements, last = ast.parse(block["code"]).body
            if block["path"] and isinstance(last, ast.Expr):
                exec(compile(ast.Module(statements, []), page, "exec"), names)
                yield block["path"], eval(compile(ast.Expression(last.value), page, "eval"), names)
            else:
                exec(block["code"], names)


def _picture(path: str, chart: Any) -> str:
    """Return a chart as SVG: the current picture, if it shows the same."""
    file = io.StringIO()
    chart.save(file, format="svg")
    svg = file.getvalue().rstrip() + "\n"
    current = (DOCS / path).read_text(encoding="utf-8") if (DOCS / path).exists() else ""
    return current if current and labels(current) == labels(svg) else svg


def labels(svg: str) -> list[tuple[str, str]]:
    """Return each mark's kind, and its text or its label for screen readers, which has its values.

    Positions are left out: they depend on the width of the machine's letters.
    """
    pairs = []
    for element in ElementTree.fromstring(svg).iter():
        kind = element.tag.rpartition("}")[2]
        label = element.get("aria-label", "") + (element.text or "").strip()
        if label and kind != "style":
            pairs.append((kind, rounded(label)))
    return pairs


def marks(svg: str) -> list[tuple[str, str, dict[str, str]]]:
    """Return each element with its text and attributes, of a picture whose positions follow from its values."""
    return [
        (
            element.tag.rpartition("}")[2],
            rounded((element.text or "").strip()),
            {name: rounded(value) for name, value in element.attrib.items()},
        )
        for element in ElementTree.fromstring(svg).iter()
    ]


def rounded(text: str) -> str:
    """Return a text with its numbers to nine digits."""
    return NUMBER.sub(lambda number: f"{float(number[0].replace(',', '')):.9g}", text)

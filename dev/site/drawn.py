"""The chart of the README, which Altair draws: anew only where what it draws has changed."""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
# Names that Altair gives by number or by content.
_NAMED = re.compile(r"data-[0-9a-f]+|(?:view|param)_\d+")


def arms() -> str:
    """The README's comparison of two arms, with what it was drawn from in its first line."""
    chart = _compared().plot()
    made_of = f"<!-- {_digest(chart.to_dict())} -->\n"
    path = ROOT / "docs" / "pictures" / "arms.svg"
    there = path.read_text(encoding="utf-8") if path.exists() else ""
    return there if there.startswith(made_of) else made_of + _drawn(chart)


def _compared() -> Any:
    """What the README's example finds."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [code] = [code for code in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "rm.compare(" in code]
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    return names["found"]


def _digest(chart: dict[str, Any]) -> str:
    """The same for the same chart: last digits of errors, and Altair's schema and names, may differ."""
    chart.pop("$schema")
    text = json.dumps(chart, sort_keys=True)
    text = re.sub(r"-?\d+\.\d{7,}(?:e-?\d+)?", lambda number: f"{float(number[0]):.6g}", text)
    return hashlib.sha256(_NAMED.sub("", text).encode()).hexdigest()[:16]


def _drawn(chart: Any) -> str:
    file = io.StringIO()
    chart.save(file, format="svg")
    return file.getvalue().rstrip() + "\n"

"""The chart of the README, which Altair draws: anew only where it shows something else."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

from . import shown

ROOT = Path(__file__).parents[2]


def arms() -> str:
    """The README's comparison of two arms: the picture that is there, if it shows the same."""
    drawn = _drawn(_compared().plot())
    path = ROOT / "docs" / "pictures" / "arms.svg"
    there = path.read_text(encoding="utf-8") if path.exists() else ""
    return there if there and shown.labels(there) == shown.labels(drawn) else drawn


def _compared() -> Any:
    """What the README's example finds."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [code] = [code for code in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "rm.compare(" in code]
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    return names["found"]


def _drawn(chart: Any) -> str:
    file = io.StringIO()
    chart.save(file, format="svg")
    return file.getvalue().rstrip() + "\n"

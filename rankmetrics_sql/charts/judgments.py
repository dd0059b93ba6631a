"""Two sets of judgments against each other: how many items have each pair of grades."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..databases.answers import Record
from .drawing import alt, data, is_number, nothing, titled, write_count
from .rows import require_columns, with_columns

MOST_GRADES = 20
_CELL = 44  # pixels
_OF_ALL = ("n_both", "n_only_a", "n_only_b", "observed", "kappa", "binary_kappa", "quadratic_kappa")
_SIDE = 440  # at most, in each direction


@with_columns("grade_a", "grade_b", "n_pairs")
def confusion(rows: Sequence[Record], judgments: Mapping[str, Any]) -> Any:
    """Draw how many items have each grade in one set of judgments and each grade in the other.

    Args:
        rows: those of ``Agreement.grades``: ``grade_a``, ``grade_b``, ``n_pairs``.
        judgments: ``Agreement.judgments``.

    Returns:
        A matrix, in whose diagonal both sets have the same grade, the darker the more items; of many grades those that
        are most frequent.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    require_columns("charts.confusion", [judgments], _OF_ALL, "judgments")
    if not any(row["n_pairs"] for row in rows):
        return nothing("Grades by the judgments a and b", "No item is judged in both.")
    numbers: Counter[float] = Counter()
    for row in rows:
        numbers[row["grade_a"]] += row["n_pairs"]
        numbers[row["grade_b"]] += row["n_pairs"]
    shown = sorted(grade for grade, _ in numbers.most_common(MOST_GRADES))
    kept = [row for row in rows if row["grade_a"] in shown and row["grade_b"] in shown]
    title = f"Grades by the judgments a and b, kappa {_said(judgments['kappa'])}, "
    title += write_count([judgments["n_both"]], "item", "items")
    kappas = (f"{_said(judgments[name])} {what}" for name, what in _KAPPAS.items())
    notes = [
        f"The same grade: {100 * judgments['observed']:.1f} %. Kappa {', '.join(kappas)}.",
        f"Only in a: {write_count([judgments['n_only_a']], 'item', 'items')}; only in b: "
        f"{write_count([judgments['n_only_b']], 'item', 'items')}.",
        f"The {MOST_GRADES} most frequent of {len(numbers):,} grades." if len(shown) < len(numbers) else "",
    ]
    pairs = "; ".join(f"{row['grade_a']:g} and {row['grade_b']:g}: {row['n_pairs']:,}" for row in kept[:50])
    return titled(_draw_grades(kept, shown), title, notes, f"Grade in a and in b: {pairs}")


_KAPPAS = {"binary_kappa": "of being relevant", "quadratic_kappa": "with squared weights"}


def _said(value: Any) -> str:
    return f"{value:.3f}" if is_number(value) else "undefined"


def _draw_grades(rows: Sequence[Record], grades: Sequence[float]) -> Any:
    a = alt()
    names = [f"{grade:g}" for grade in grades]
    most = max((row["n_pairs"] for row in rows), default=1)
    values = [
        {"a": f"{row['grade_a']:g}", "b": f"{row['grade_b']:g}", "n": row["n_pairs"]}
        | {"text": f"{row['n_pairs']:,}", "is_dark": row["n_pairs"] > most / 2}
        for row in rows
    ]
    axis = {"labelAngle": 0, "grid": False}
    x = a.X("b:N", title="grade in b", scale=a.Scale(domain=names), axis=a.Axis(**axis, orient="top"))
    y = a.Y("a:N", title="grade in a", scale=a.Scale(domain=names), axis=a.Axis(**axis))
    base = a.Chart(data(values)).encode(x=x, y=y, tooltip=["a:N", "b:N", a.Tooltip("n:Q", title="items", format=",")])
    ink = a.Color("n:Q", title="items", scale=a.Scale(scheme="blues", domain=[0, most]), legend=None)
    size = min(_SIDE / len(names), _CELL * 1.6)
    text = base.mark_text(fontSize=min(12.0, size / 3)).encode(
        text="text:N", color=a.condition("datum.is_dark", a.value("white"), a.value("black"))
    )
    return a.layer(base.mark_rect(stroke="#ccc").encode(color=ink), text).properties(
        width=size * len(names), height=size * len(names) * 0.7
    )

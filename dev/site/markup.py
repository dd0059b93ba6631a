"""Plain text of the headers as HTML inside Markdown: formulas, worked examples, cells of tables."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

# What Markdown takes for emphasis, links or cells.
_SPECIAL = str.maketrans({character: f"&#{ord(character)};" for character in "*_[]|~^=\\"})


def prose(text: str) -> str:
    """Text in which nothing is Markdown but `code`."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(code(part.strip("`")) if part.startswith("`") else _plain(part) for part in parts)


def code(text: str) -> str:
    """A word of code, in a cell of a table too."""
    return f"<code>{_plain(text)}</code>"


def formula(text: str) -> str:
    """A formula of a header: text with ``_i``, ``_{i≤k}`` for what is lower, ``^r``, ``^(r)`` for what is higher."""
    shown = html.escape(text, quote=False).replace("^c_s(r)", "^{c_s(r)}")
    shown = re.sub(r"([_^])(\w)(?!\w)", _moved, shown)
    shown = re.sub(r"([_^])\{([^{}]*)\}", _moved, shown)
    shown = re.sub(r"(\^)\(([^()]*)\)", _moved, shown)
    return re.sub(r"[*|\[\]_~\\]", lambda found: f"&#{ord(found[0])};", shown)


def _moved(found: re.Match[str]) -> str:
    tag = "sub" if found[1] == "_" else "sup"
    return f"<{tag}>{found[2]}</{tag}>"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a Markdown table, whose cells are marked up already."""
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def beads(example: Mapping[str, Any]) -> str:
    """The ranking of a worked example, a bead for each place, and those that were not retrieved."""
    ranking = example["ranking"]
    of_lists = any(isinstance(each, Sequence) and any(isinstance(item, str) for item in each) for each in ranking)
    lists = ranking if of_lists and not any(isinstance(each, str) for each in ranking) else [ranking]
    drawn = "".join(f'<span class="ranking">{_places(one) or "an empty list"}</span>' for one in lists)
    missed = example.get("missed", ())
    return f'<div class="beads">{drawn}{f"<span>not retrieved: {_places(missed)}</span>" if missed else ""}</div>'


def _places(ranking: Iterable[Any]) -> str:
    return "".join(_bead(each) for each in ranking)


def _bead(grade: Any) -> str:
    shown = ", ".join(map(str, grade)) if isinstance(grade, Sequence) else f"{grade:.3g}"
    if isinstance(grade, str):
        kind, shown = "unjudged" if grade == "?" else "item", grade
    else:
        kind = "relevant" if (any(grade) if isinstance(grade, Sequence) else grade > 0) else "zero"
    return f'<b class="bead {kind}">{_plain(shown)}</b>'


def _plain(text: str) -> str:
    return html.escape(text, quote=False).translate(_SPECIAL)

"""Plain text of the headers as HTML inside Markdown: formulas, worked examples, cells of tables."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

# Characters that Markdown reads as emphasis, links or cells.
_SPECIAL = str.maketrans({character: f"&#{ord(character)};" for character in "*_[]|~^=\\"})


def prose(text: str) -> str:
    """Return a text in which only `code` is Markdown."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(code(part.strip("`")) if part.startswith("`") else _plain(part) for part in parts)


def code(text: str) -> str:
    """Return a word of code, in a cell of a table too."""
    return f"<code>{_plain(text)}</code>"


def formula(text: str) -> str:
    """Return a formula of a header: text with ``_i``, ``_{i≤k}`` for subscripts, ``^r``, ``^(r)`` for superscripts."""
    marked = html.escape(text, quote=False).replace("^c_s(r)", "^{c_s(r)}")
    marked = re.sub(r"([_^])(\w)(?!\w)", _tag, marked)
    marked = re.sub(r"([_^])\{([^{}]*)\}", _tag, marked)
    marked = re.sub(r"(\^)\(([^()]*)\)", _tag, marked)
    return re.sub(r"[*|\[\]_~\\]", lambda match: f"&#{ord(match[0])};", marked)


def _tag(match: re.Match[str]) -> str:
    tag = "sub" if match[1] == "_" else "sup"
    return f"<{tag}>{match[2]}</{tag}>"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table, whose cells are marked up already."""
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def beads(example: Mapping[str, Any]) -> str:
    """Return the ranking of a worked example, a bead for each place, and the items that were not retrieved."""
    ranking = example["ranking"]
    of_lists = any(isinstance(entry, Sequence) and any(isinstance(item, str) for item in entry) for entry in ranking)
    lists = ranking if of_lists and not any(isinstance(entry, str) for entry in ranking) else [ranking]
    rankings = "".join(f'<span class="ranking">{_places(grades) or "an empty list"}</span>' for grades in lists)
    missed = example.get("missed", ())
    return f'<div class="beads">{rankings}{f"<span>not retrieved: {_places(missed)}</span>" if missed else ""}</div>'


def _places(ranking: Iterable[Any]) -> str:
    return "".join(_bead(grade) for grade in ranking)


def _bead(grade: Any) -> str:
    text = ", ".join(map(str, grade)) if isinstance(grade, Sequence) else f"{grade:.3g}"
    if isinstance(grade, str):
        kind, text = "unjudged" if grade == "?" else "item", grade
    else:
        kind = "relevant" if (any(grade) if isinstance(grade, Sequence) else grade > 0) else "zero"
    return f'<b class="bead {kind}">{_plain(text)}</b>'


def _plain(text: str) -> str:
    return html.escape(text, quote=False).translate(_SPECIAL)

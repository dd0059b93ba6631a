"""Rules about how long a page and a sentence may be; code, tables and pages of figures are not counted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .repository import Finding, Repository

LONGEST = {"README.md": 700}
LONGEST_PAGE, LONGEST_SENTENCE = 900, 25  # words

_LEFT_OUT = re.compile(r"^```.*?^```|<!--.*?-->", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\([^)]*\)")
_WORD = re.compile(r"\w[\w'’.,-]*")
_ENTRY = re.compile(r"^\s*(?:[-*]|\d+\.) ")
_END = re.compile(r"(?<=[.!?])[*_)\"]*\s+(?=[^a-z\s])")


def pages_are_short(repository: Repository) -> Iterator[Finding]:
    """A page has one job, and is read at one sitting."""
    for path in _pages(repository):
        most = LONGEST.get(path, LONGEST_PAGE)
        count = sum(_words(text) for _, text in _paragraphs(repository.text(path)))
        if count > most:
            yield Finding(path, 1, f"{count} words outside code and tables; expected at most {most}")


def sentences_are_short(repository: Repository) -> Iterator[Finding]:
    """Nobody reads a sentence twice."""
    for path in _pages(repository):
        for line, text in _paragraphs(repository.text(path)):
            for sentence in _END.split(text):
                if (count := _words(sentence)) > LONGEST_SENTENCE:
                    begin = " ".join(sentence.split()[:6])
                    yield Finding(path, line, f"a sentence of {count} words, {begin!r}; expected at most 25")


def _pages(repository: Repository) -> list[str]:
    return ["README.md", *repository.files("docs", ".md")]


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Each paragraph and entry of a list with its first line; tables are left out, and code is one word."""
    bare = _LEFT_OUT.sub(lambda found: "\n" * found[0].count("\n"), text)
    bare = _LINK.sub(lambda found: "" if found[1] else found[2], bare)
    bare = _CODE.sub(lambda found: "Code" + "\n" * found[0].count("\n"), bare)
    begin, lines = 0, list[str]()
    for number, line in enumerate([*bare.split("\n"), ""], 1):
        is_apart = not line.strip() or line.lstrip().startswith(("|", "#"))
        if lines and (is_apart or _ENTRY.match(line)):
            yield begin, " ".join(lines)
            lines = []
        if line.startswith("#"):
            yield number, line.lstrip("# ")
        elif not is_apart:
            begin = begin if lines else number
            lines.append(_ENTRY.sub("", line, count=1).strip())


def _words(text: str) -> int:
    return len(_WORD.findall(text))


RULES = (pages_are_short, sentences_are_short)

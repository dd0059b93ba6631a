"""Rules about pages as readers get them: nothing of a terminal, and no sentence twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import wraps

from .repository import Finding, Repository

BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
# The progress bars of pip, DuckDB, rich and tqdm.
PROGRESS = re.compile(
    r"\d+ ?% ?[▕━█\[]|\d+%\| *[█▏▎▍▌▋▊▉]|▕█|[━█#=]{3,}.*\d+%|seconds remaining\)|\d{2}:\d{2}<\d{2}:\d{2}"
)
TWICE = re.compile(r"(?<![\w`])(\w+(?: \w+){1,5}) \1(?!\w)", re.IGNORECASE)
WORD_TWICE = re.compile(r"(?<![\w`$-])(the|a|an|of|is|are|to|in|and|it|for|with|by|as)\s+\1(?![\w`-])")
STOPS = re.compile(r"(?<![./\w])\.\.(?![./\w])|(?<=\w)\.\.(?![./\w])|[,;:]\.(?!\w)")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")


def control_characters(text: str) -> Iterator[tuple[int, str]]:
    """Carriage returns, escapes and the like."""
    for number, line in enumerate(text.split("\n"), 1):
        if match := CONTROL.search(line):
            yield number, f"a control character, {match[0]!r}"


def progress_bars(text: str) -> Iterator[tuple[int, str]]:
    """What a program draws while it works."""
    for number, line in enumerate(text.split("\n"), 1):
        if PROGRESS.search(line):
            yield number, f"a progress bar, {line.strip()[:20]!r}"


def repeated_words(text: str) -> Iterator[tuple[int, str]]:
    """Words that stand twice in a row: the profile is the profile is."""
    for number, line in enumerate(prose(text).split("\n"), 1):
        for match in (*TWICE.finditer(line), *WORD_TWICE.finditer(line)):
            yield number, f"twice in a row, {match[0]!r}"


def double_stops(text: str) -> Iterator[tuple[int, str]]:
    """A sentence that ends twice."""
    for number, line in enumerate(prose(text).split("\n"), 1):
        if match := STOPS.search(line):
            yield number, f"ends twice, {line[max(0, match.start() - 20) : match.end()]!r}"


def repeated_sentences(text: str) -> Iterator[tuple[int, str]]:
    """A sentence that the one before it has said already."""
    previous = ""
    for number, line in enumerate(prose(text).split("\n"), 1):
        for sentence in SENTENCE.split(line.strip()):
            if sentence and sentence == previous and len(sentence.split()) > 2 and not sentence.startswith("|"):
                yield number, f"said twice, {sentence[:60]!r}"
            previous = sentence or previous


def prose(text: str) -> str:
    """Return a text without its code, each line in its place."""
    bare = BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text)
    return re.sub(r"`[^`\n]*`", "`x`", bare)


OF_TEXT = (control_characters, progress_bars, repeated_words, double_stops, repeated_sentences)


def _of_pages(rule: Callable[[str], Iterator[tuple[int, str]]]) -> Callable[[Repository], Iterator[Finding]]:
    """Return a rule about a text as a rule about the README and all of docs."""

    @wraps(rule)
    def check_pages(repository: Repository) -> Iterator[Finding]:
        for path in ["README.md", *repository.files("docs", ".md")]:
            for line, problem in rule(repository.text(path)):
                yield Finding(path, line, problem)

    return check_pages


RULES = tuple(map(_of_pages, OF_TEXT))

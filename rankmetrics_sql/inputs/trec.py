"""TREC text: any white space separates the fields of a line, ``#`` in column 1 opens a comment."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ..engines.duckdb import file_literal

# The fields of a line in their order: what each must be, or None for a field that is not read.
FIELDS: dict[str, dict[str, str | None]] = {
    "run": {
        "query_id": "VARCHAR",
        "iteration": None,
        "item_id": "VARCHAR",
        "rank": "BIGINT",
        "score": "DOUBLE",
        "tag": None,
    },
    "qrels": {"query_id": "VARCHAR", "iteration": None, "item_id": "VARCHAR", "relevance": "DOUBLE"},
    "subtopics": {"query_id": "VARCHAR", "iteration": "VARCHAR", "item_id": "VARCHAR", "relevance": "DOUBLE"},
    "lines": {"query_id": "VARCHAR"},
}

FIELDS["tagged"] = FIELDS["run"] | {"tag": "VARCHAR"}

# trec_eval ignores what follows the tag of a run, and refuses what follows a grade: such a line has other fields.
_TOO_MANY = dict.fromkeys(("qrels", "subtopics"), len(FIELDS["qrels"]) + 1)
_OF_RUNS = ("run", "tagged")
_RANK, _TAG = 3, 5  # places in a line of a run; where an item contains a blank, the score is in the place of the tag
_NO_BLANKS = "White space separates fields, so an id has none"


def select(path: Path, role: str) -> str:
    """A query over a file of TREC text, with a column ``is_malformed``.

    Args:
        path: the file.
        role: ``run``, ``tagged`` (a run with its tags), ``qrels``, ``subtopics`` (qrels whose second field says for
            which subtopic an item is judged) or ``lines``, where only the first field of a line is read.
    """
    fields = FIELDS[role]
    columns = [_column(place, name, type_) for place, (name, type_) in enumerate(fields.items(), start=1) if type_]
    wrong = [f"COALESCE(f[{len(fields)}], '') = ''"]
    for place, name in enumerate(fields, start=1):
        if name in ("score", "relevance"):
            wrong.append(f"{name} IS NULL OR contains(f[{place}], '_')")  # DuckDB reads 1_0 as 10
    if role in _TOO_MANY:
        wrong.append(f"COALESCE(f[{_TOO_MANY[role]}], '') <> ''")
    if role in _OF_RUNS:
        rank, tag = (f"TRY_CAST(f[{place + 1}] AS DOUBLE)" for place in (_RANK, _TAG))
        wrong.append(f"COALESCE(f[{_TAG + 2}], '') <> '' AND {rank} IS NULL AND {tag} IS NOT NULL")
    # a line of white space alone does not count
    return f"SELECT {', '.join(columns)}, {' OR '.join(wrong)} AS is_malformed FROM ({_split(path)}) WHERE f <> ['']"


def types(role: str) -> dict[str, str]:
    """Return the columns that ``select`` gives beside ``is_malformed``, and their types."""
    return {name: type_ for name, type_ in FIELDS[role].items() if type_}


def tags(path: Path) -> str:
    """A query over a run file: its tags, each once."""
    place = list(FIELDS["run"]).index("tag") + 1
    return f"SELECT DISTINCT f[{place}] AS tag FROM ({_split(path)}) WHERE f <> [''] ORDER BY tag"


def _column(place: int, name: str, type_: str | None) -> str:
    return f"f[{place}] AS {name}" if type_ == "VARCHAR" else f"TRY_CAST(f[{place}] AS {type_}) AS {name}"


def _split(path: Path) -> str:
    """Return the fields of each line: most files separate them by one space or one tab, which is the fast case."""
    space, tab = "' '", "chr(9)"
    rare = " OR ".join(f"contains(line, chr({code}))" for code in (11, 12))
    white = "' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13)"
    return f"""
        SELECT CASE
            WHEN {rare} THEN {_split_slowly(white)}
            WHEN NOT contains(line, {tab}) AND NOT contains(line, '  ') AND NOT starts_with(line, {space})
                THEN string_split(line, {space})
            WHEN NOT contains(line, {space}) AND NOT contains(line, {tab} || {tab}) AND NOT starts_with(line, {tab})
                THEN string_split(line, {tab})
            ELSE {_split_slowly(white)}
        END AS f
        FROM {_lines(path)}
        WHERE line IS NOT NULL AND NOT starts_with(line, '#')
    """


def _split_slowly(white: str) -> str:
    return f"string_split_regex(TRIM(line, {white}), '[\\s\\x0b]+')"


def _lines(path: Path) -> str:
    options = (
        "columns = {'line': 'VARCHAR'}, header = false, auto_detect = false,"
        " delim = '\x1f\x1e\x1d\x1c', quote = '', escape = '',"
        " null_padding = true, strict_mode = false, max_line_size = 16000000,"
        " hive_partitioning = false"
    )
    return f"read_csv({file_literal(path)}, {options})"


def first_malformed_line(lines: Iterable[str], role: str) -> str:
    """Return the first malformed line and its problem, as the end of a message that names the file."""
    fields = list(FIELDS[role])
    expected = f"{len(fields)} are expected ({' '.join(fields)})"
    for number, line in enumerate(lines, start=1):
        words = re.findall(r"\S+", line, re.ASCII)
        if not words or line.startswith("#"):
            continue
        excerpt = repr(line.strip() if len(line) <= 80 else line[:77].strip() + "...")
        if len(words) < len(fields) or len(words) >= _TOO_MANY.get(role, len(words) + 1):
            return f", line {number}: {len(words)} fields where {expected}: {excerpt}."
        values = dict(zip(fields, words, strict=False))
        for name in ("score", "relevance"):
            if name in values and not _is_number(values[name]):
                why = f" {_NO_BLANKS}." if len(words) > len(fields) else ""
                return f", line {number}: {name} is {values[name]!r}, not a number: {excerpt}.{why}"
        if role in _OF_RUNS and _is_moved(words):
            return f", line {number}: rank is {words[_RANK]!r}, not a number: {excerpt}. {_NO_BLANKS}."
    return ": some lines cannot be read."


def _is_moved(words: list[str]) -> bool:
    """Return whether the fields of a run stand one place too far: the rank where the score is expected."""
    return len(words) > _TAG + 1 and not _is_number(words[_RANK]) and _is_number(words[_TAG])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii() and "_" not in text

"""Names of tables and columns as each dialect writes them."""

from __future__ import annotations

import re

from ..errors import UsageError
from .dialect import Dialect, words
from .known import CANONICAL

_QUERY_START = r"""(?is)(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*+(?:select|with|from)(?=[\s(*"']|--|/\*)"""
_QUOTED = r'"(?:[^"]|"")+"'
_BACKTICKED = r"`(?:[^`]|``)+`"
_ESCAPED = r"`(?:[^`\\]|``|\\.)+`"  # where a backslash in quotes is not itself
_BRACKETED = r"\[(?:[^\]]|\]\])+\]"

# Names that need no quotes.
_LEGAL = r"[A-Za-z_][A-Za-z0-9_$]*"
_LEGAL_WITHOUT_DOLLAR = r"[A-Za-z_][A-Za-z0-9_]*"
_PROJECT = r"[A-Za-z]\w*(?:-\w+)+"  # BigQuery's, with dashes; there a pair of quotes may stand around a whole path

# Words that no dialect takes for the name of a table unless they are quoted.
_RESERVED = words(
    """
    all and any as asc between both by case cast check collate column constraint create cross default desc distinct drop
    else end except exists false fetch for foreign from full group having in inner insert intersect into is join leading
    left like limit natural not null offset on or order outer primary references right select set some table then to
    true union unique update user using values when where window with
    """
)


def is_reserved(name: str, dialect: Dialect) -> bool:
    """Whether a word is a name in the dialect only in quotes."""
    return name.lower() in _RESERVED or name.lower() in dialect.reserved


def looks_like_query(text: str) -> bool:
    """Whether a text begins as a query does, or as DuckDB's with FROM."""
    return re.match(_QUERY_START, text) is not None


def strip_semicolon(text: str) -> str:
    """Return a table's name without the semicolon at its end; one in quotes is part of the name."""
    return text.strip().removesuffix(";").rstrip() or text


def table_name(text: str, dialect: Dialect = CANONICAL) -> str:
    """Return a dotted name with quotes where it needs them; raise UsageError if it is empty, or a stage."""
    if dialect.stages and text.strip().startswith(("@", "'@")):
        raise UsageError(f"{text.strip()} is a stage, not a table. Pass a query: SELECT $1 AS query_id, ... FROM @...")
    parts = split_name(text, dialect)
    if dialect.whole_paths and not any(is_quoted(part, dialect) for part in parts):
        is_project = _table_part(parts[0], dialect) == parts[0] or re.fullmatch(_PROJECT, parts[0])
        is_legal = all(re.fullmatch(_LEGAL_WITHOUT_DOLLAR, part) for part in parts[1:])
        return text.strip() if is_project and is_legal else quote_name(text.strip(), dialect)
    return ".".join(_table_part(part, dialect) for part in parts)


def _table_part(part: str, dialect: Dialect) -> str:
    if dialect.parts is not None and re.fullmatch(dialect.parts, part) and not is_reserved(part, dialect):
        return part
    return identifier(part, dialect)


def split_name(text: str, dialect: Dialect = CANONICAL) -> list[str]:
    """Split a name at the dots outside of quotes; a part between two dots may be empty, the name may not."""
    text = text.strip()
    if not text:
        raise UsageError("A table name cannot be empty.")
    parts = re.findall(rf"{_quotes(dialect)}|[^.]+|(?<=\.)(?=\.)", text)
    may_be_empty = dialect.parts is not None and re.fullmatch(dialect.parts, "") is not None
    return parts if ".".join(parts) == text and (all(parts) or may_be_empty) else [text]


def identifier(name: str, dialect: Dialect = CANONICAL) -> str:
    """Return a name as the user writes it, with quotes unless it is legal without or has them.

    Double quotes are quotes in every dialect, and are written as the dialect's. A reserved word, which must be quoted,
    gets the case that it would have without quotes: Snowflake's order is "ORDER", and not "order".
    """
    if not is_quoted(name, dialect):
        return quoted(_folded(name, dialect), dialect)
    return name if name[0] != '"' or dialect.names_in_double_quotes else quote_name(unquoted(name, dialect), dialect)


def _folded(name: str, dialect: Dialect) -> str:
    """Return the name that a reserved word without quotes stands for; any other name stays."""
    if dialect.folds is None or not is_reserved(name, dialect):
        return name
    return name.upper() if dialect.folds == "upper" else name.lower()


def quoted(name: str, dialect: Dialect = CANONICAL) -> str:
    """Return a column or table of exactly that name, with quotes unless it is legal without."""
    legal = _LEGAL if dialect.dollars else _LEGAL_WITHOUT_DOLLAR
    return name if re.fullmatch(legal, name) and not is_reserved(name, dialect) else quote_name(name, dialect)


def quote_name(name: str, dialect: Dialect = CANONICAL) -> str:
    """Return a column or table of exactly that name, in the quotes of the dialect."""
    opening, closing = dialect.quotes
    if dialect.backslashes:
        return opening + re.sub(rf"([\\{closing}])", r"\\\1", name) + closing
    return opening + name.replace(closing, closing * 2) + closing


def unquoted(name: str, dialect: Dialect = CANONICAL) -> str:
    """Return the name that an identifier stands for."""
    end = name[-1:]
    if end == "`" and dialect.backslashes and is_quoted(name, dialect):
        return re.sub(r"\\(.)|``", lambda match: match[1] or "`", name[1:-1])
    return name[1:-1].replace(end * 2, end) if is_quoted(name, dialect) else name


def quote_canonically(name: str, dialect: Dialect) -> str:
    """Return a column's name as DuckDB's text has it before translation: in quotes where the user's is."""
    if is_quoted(name, dialect):
        return quote_name(unquoted(name, dialect))
    return quote_name(_folded(name, dialect)) if is_reserved(name, dialect) else quoted(name)


def is_quoted(name: str, dialect: Dialect = CANONICAL) -> bool:
    """Whether a name is in quotes; double quotes are quotes in every dialect."""
    return re.fullmatch(_quotes(dialect), name) is not None


def _quotes(dialect: Dialect) -> str:
    """Return the pattern of a name in quotes."""
    backticked = _ESCAPED if dialect.backslashes else _BACKTICKED
    patterns = {'""': (), "``": (backticked,), "[]": (_BRACKETED,)}[dialect.quotes]
    return "|".join([_QUOTED, *patterns])


def literal(text: str, dialect: Dialect = CANONICAL) -> str:
    """Return a text as SQL."""
    text = text.replace("\\", "\\\\") if dialect.backslashes_in_text else text
    return "'" + text.replace("'", "''") + "'"

"""Statements of and for other dialects. The one module that calls sqlglot, which it imports only when needed."""

from __future__ import annotations

import importlib
import re
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from textwrap import dedent, indent
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, shortened
from .dialect import Dialect
from .known import CANONICAL
from .names import looks_like_query, table_name

if TYPE_CHECKING:
    from sqlglot import Generator, Token, exp


@cache
def sqlglot_dialect(dialect: Dialect) -> Any:
    """Return sqlglot's class of a dialect; other libraries register theirs under its names when imported (ibis)."""
    name = dialect.sqlglot or dialect.name
    module = importlib.import_module(f"sqlglot.dialects.{name}")
    own = (value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__)
    return next(value for value in own if getattr(value, "__name__", "").lower() == name)


def unreadable() -> tuple[type[Exception], ...]:
    """Return the errors that sqlglot raises for unreadable text; the compiled sqlglot[c] checks types first."""
    import sqlglot

    return sqlglot.errors.SqlglotError, TypeError


def relation(text: str, dialect: Dialect = CANONICAL) -> str:
    """SQL that can stand behind FROM: a bracketed query, or a table name quoted where it must be.

    Args:
        text: one SELECT or WITH statement, or a dotted table name.
        dialect: the dialect that it is written in.
    """
    return subquery(text, dialect) if looks_like_query(text) else table_name(text, dialect)


OWN_STAGE = "rankmetrics_"  # how the names of our stages begin


@lru_cache(maxsize=64)  # an evaluation asks for a query of the user's several times
def subquery(text: str, dialect: Dialect = CANONICAL) -> str:
    """The one query of the text in brackets, as the user wrote it; the closing one stands behind any comment."""
    import sqlglot
    from sqlglot import exp

    shown = shortened(" ".join(text.split()))
    try:
        tokens = sqlglot_dialect(dialect)().tokenize(text)
        parsed = sqlglot_dialect(dialect)().parser().parse(tokens, text)
    except unreadable() as error:
        raise UsageError(f"Cannot parse the query {shown}: {_plain(error)}") from None
    statements = [
        statement for statement in parsed if statement is not None and not isinstance(statement, exp.Semicolon)
    ]
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise UsageError(f"Expected one SELECT or WITH statement or a table name, not {shown}.")
    changes = statements[0].find(exp.DML, exp.DDL, exp.Command, exp.Drop, exp.Alter, exp.Into)
    if changes is not None and not isinstance(changes, exp.Query):
        raise UsageError(f"The query {shown} would change data: {changes.key.upper()}. Pass a SELECT.")
    stages = statements[0].ctes if not dialect.nested_with else []
    if not all(stage.alias.startswith(OWN_STAGE) for stage in stages):  # another name may be that of a table
        raise UsageError(
            f"{dialect} has no WITH inside another statement. Create a view of the query {shown}, and pass the view."
        )
    end = min([token.start for token in tokens if token.token_type == sqlglot.TokenType.SEMICOLON] or [len(text)])
    query = text[:end].strip()
    over_lines = any("\n" in text[token.start : token.end] for token in tokens)  # text in quotes must stay as it is
    return f"(\n{query if over_lines else indent(dedent(query), ' ' * 8)}\n    )"


def reread(relation: str, dialect: Dialect, other: Dialect) -> str:
    """Return what stands behind FROM as another dialect writes it.

    Raises:
        UsageError: it is beyond the other dialect.
    """
    import sqlglot

    try:
        tree = sqlglot.parse_one(f"SELECT * FROM {relation}", read=sqlglot_dialect(dialect))
        source: exp.Expression = tree.args["from_"].this
        return source.sql(sqlglot_dialect(other), unsupported_level=sqlglot.ErrorLevel.RAISE)
    except unreadable() as error:
        shown = shortened(" ".join(relation.split()))
        raise UsageError(f"{shown} has no form in {other}: {_plain(error)}") from None


def tables_read(query: str, dialect: Dialect) -> list[list[str]]:
    """The names that a query reads, in small letters and in parts; all of its words where it is beyond sqlglot."""
    import sqlglot
    from sqlglot import exp

    try:
        tree = sqlglot.parse_one(query, read=sqlglot_dialect(dialect))
    except unreadable():
        return [[word.lower()] for word in re.findall(r"\w+", query)]
    return [[part.name.lower() for part in table.parts] for table in tree.find_all(exp.Table)]


def in_dialect(
    sql: str,
    dialect: Dialect,
    relations: Mapping[str, str],
    keys: Collection[str] | None = None,
    texts: Mapping[str, bool] | None = None,
    *,
    quotes_results: bool = True,
) -> str:
    """The canonical text as it runs: DuckDB's as it is, another dialect's translated; see ``transpile``."""
    if dialect.canonical:
        return sql
    return transpile(sql, dialect, relations, keys, texts, quotes_results=quotes_results)


def transpile(
    sql: str,
    dialect: Dialect,
    relations: Mapping[str, str],
    keys: Collection[str] | None = None,
    texts: Mapping[str, bool] | None = None,
    *,
    quotes_results: bool = True,
) -> str:
    """The canonical DuckDB text in another dialect.

    Args:
        sql: the statement, with a plain name in place of each relation and each expression of the user's.
        dialect: the dialect to write.
        relations: what to put for each of those names, in the target dialect.
        keys: the user's columns whose text is compared; None for all that name queries, items, runs and groups.
        texts: whether the user's columns are text, of those whose type is known.
        quotes_results: whether the columns of the result are in quotes where they would come back in capitals.
    """
    known = frozenset(keys) if keys is not None else None
    types = tuple(sorted((texts or {}).items()))
    return _transpiled(sql, dialect, tuple(relations.items()), known, types, quotes_results=quotes_results)


@lru_cache(maxsize=128)  # what is asked about tables is mostly asked again, and the statement itself takes less
def _transpiled(
    sql: str,
    dialect: Dialect,
    known: tuple[tuple[str, str], ...],
    keys: frozenset[str] | None,
    types: tuple[tuple[str, bool], ...],
    *,
    quotes_results: bool,
) -> str:
    import sqlglot
    from sqlglot import exp

    from .rules import make_portable

    canonical = sqlglot_dialect(CANONICAL)
    tokens = canonical().tokenize(sql)
    [tree] = canonical().parser().parse(tokens, sql)
    relations, raised = dict(known), ""
    if not dialect.nested_with:
        relations, raised = _with_stages_raised(relations, dialect, {stage.alias for stage in tree.ctes})
    for table in tree.find_all(exp.Table):
        if table.name in relations:
            _put_verbatim(table, relations[table.name])
    for column in list(tree.find_all(exp.Column)):
        if not column.table and column.name in relations:
            column.replace(exp.Var(this=_on_lines(relations[column.name])))
    make_portable(tree, dialect, keys, dict(types))
    for name in tree.find_all(exp.Identifier):
        name.set("quoted", name.quoted or name.name.lower() in dialect.reserved)
    try:
        comments = _above_stages(tokens)
        named = _with_result_names(tree, dialect) if quotes_results else tree
        text = _writer(dialect, comments).generate(_readable(named), copy=False)
    except sqlglot.errors.UnsupportedError as error:
        raise UsageError(f"{dialect} cannot express this: {_plain(error)}") from None
    return text.replace("WITH\n", f"WITH\n{raised}", 1)


def _with_stages_raised(
    relations: Mapping[str, str], dialect: Dialect, names: Collection[str]
) -> tuple[dict[str, str], str]:
    """Relations without the stages of ours that they begin with, and the text of these, to stand at the top."""
    found, raised, known = {}, "", set(names)
    for name, text in relations.items():
        query = dedent(text[1:-1].strip("\n").rstrip()) if text.startswith("(") else ""
        stages, end = _stages_of(query, dialect)
        if stages & known:
            raise UsageError(
                f"{dialect} has no WITH inside another statement, and two stages would be called {min(stages & known)}."
                " Create a view of the log, or of each run, and pass the view."
            )
        known |= stages
        found[name] = f"(\n{indent(query[end:].strip(), ' ' * 8)}\n    )" if end else text
        raised += f"{query[len('WITH') : end].strip()},\n\n" if end else ""
    return found, raised


def _stages_of(query: str, dialect: Dialect) -> tuple[set[str], int]:
    """Return the names in the WITH that a query begins with, and where it ends: none and 0 where there is no WITH."""
    from sqlglot import TokenType

    names, depth = set(), 0
    tokens = sqlglot_dialect(dialect)().tokenize(query)
    if not tokens or tokens[0].token_type != TokenType.WITH:
        return set(), 0
    for before, token, after in zip(tokens, tokens[1:], [*tokens[2:], None], strict=True):
        if not depth and before.token_type in (TokenType.WITH, TokenType.COMMA):
            names.add(token.text)
        depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
        if not depth and token.token_type == TokenType.R_PAREN and (not after or after.token_type != TokenType.COMMA):
            return names, token.end + 1
    return names, len(query)


def _above_stages(tokens: Collection[Token]) -> dict[str, str]:
    """The comments of the canonical text, by the name of the stage below each; all are ours, and none is elsewhere."""
    return {token.text: token.comments[0].strip() for token in tokens if token.comments}


def _put_verbatim(table: exp.Table, relation: str) -> None:
    """Put what the user wrote in place of a table; in most dialects a query in brackets needs an alias."""
    from sqlglot import exp

    table.set("this", exp.Var(this=_on_lines(relation)))
    if relation.startswith("(") and not table.alias:
        table.set("alias", exp.TableAlias(this=exp.to_identifier("u")))


def _on_lines(text: str) -> str:
    """Return the user's text with its line breaks, which the layout keeps."""
    return text.replace("\n", _line_break())


@cache
def _line_break() -> str:
    """Sqlglot's mark; the compiled classes of sqlglot[c] have their constants in instances only."""
    from sqlglot import Generator

    return Generator().SENTINEL_LINE_BREAK


def _readable(tree: exp.Expr) -> exp.Expr:
    """The statement with IS NOT NULL, which sqlglot reads as NOT of IS NULL."""
    from sqlglot import exp

    for negation in tree.find_all(exp.Not):
        if isinstance(negation.this, exp.Is) and isinstance(negation.this.expression, exp.Null):
            negation.this.set("negate", True)
            negation.replace(negation.this)
    return tree


def _with_result_names(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The statement with its columns' names in quotes where they would come back in other letters."""
    from sqlglot import exp

    if dialect.folds is not None and isinstance(tree, exp.Select):
        tree.set("expressions", [_named(column, dialect) for column in tree.expressions])
    return tree


def _named(column: exp.Expr, dialect: Dialect) -> exp.Expr:
    from sqlglot import exp

    name = column.alias_or_name
    if dialect.folds == "lower" and name == name.lower():
        return column
    return column if column.is_star else exp.alias_(column.unalias(), column.alias_or_name, quoted=True)


def _writer(dialect: Dialect, comments: Mapping[str, str]) -> Generator:
    """Sqlglot's generator of the dialect, with our layout."""
    import sqlglot

    from .layout import WIDTH, Layout

    known = sqlglot_dialect(dialect)
    level = sqlglot.ErrorLevel.RAISE
    writer: Generator = known.generator_class(
        dialect=known, pretty=True, indent=4, pad=4, max_text_width=WIDTH, unsupported_level=level, comments=False
    )
    Layout(writer, empty_lines=dialect.empty_lines, comments=comments)
    return writer


def _plain(error: Exception) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()[0]


def data_type(type_: str, dialect: Dialect) -> str:
    """A type of DuckDB's as another dialect writes it."""
    from sqlglot import exp

    return exp.DataType.build(type_, dialect=sqlglot_dialect(CANONICAL)).sql(sqlglot_dialect(dialect))


def unordered(sql: str, dialect: Dialect) -> str:
    """A statement as it can stand in a view or table, where some allow no ORDER BY."""
    import sqlglot

    if dialect.ordered_views:
        return sql
    tree = sqlglot.parse_one(sql, read=sqlglot_dialect(dialect))
    tree.set("order", None)
    return tree.sql(dialect=sqlglot_dialect(dialect), pretty=True)

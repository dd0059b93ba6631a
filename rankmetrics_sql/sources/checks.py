"""Check the tables of a source: arms, requests and positions of a log, and tables of lists."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..dialects import Dialect
from ..dialects.names import identifier, unquoted
from ..engines import Catalog, Engine, is_engine
from ..errors import DataError, advise
from ..inputs.expressions import column_or_expression, repeated
from ..inputs.strings import kind_of
from ..relation import Relation
from ..rows import Row
from ..templates import macros
from .base import Rows
from .columns import IDS, bare


def roles_of(source: Rows, groups: Collection[str], dialect: Dialect) -> dict[str, str]:
    """Return the columns that have one value in each request, and whether each holds the arm or a group.

    Args:
        source: the description; only logs are checked.
        groups: the columns that groups are made of.
        dialect: whose SQL.
    """
    if source.log is None:
        return {}
    arms, groups_context = (source.context(names, dialect)["context"] for names in ([source.arm or ""], [*groups]))
    return dict.fromkeys(groups_context, "group") | dict.fromkeys(arms, "arm")


def with_roles(
    context: Mapping[str, Sequence[Any]], roles: Mapping[str, str]
) -> dict[str, Sequence[str | Mapping[str, str]]]:
    """Return the columns to hand on, with the role of each that has one value in a request."""
    of_rows = [{roles[name]: name} if isinstance(name, str) and name in roles else name for name in context["context"]]
    return {**context, "context": of_rows}


def check_one_value(source: Rows, column: str, role: str, place: Engine) -> None:
    """Refuse requests with two arms or groups, even if each item is logged once in either.

    Args:
        source: a log.
        column: of its impressions, as it is written.
        role: ``arm`` or ``group``.
        place: the database.
    """
    if source.log is None:
        return
    two_arms = replace(source.log, select="rm_select_two_arms")
    _, rows = place.run(source.text(two_arms, place.dialect, {"context": [{"arm": column}]}))
    if not rows:
        return
    *request, one, other = rows[0]
    have = "1 request has" if len(rows) == 1 else f"{len(rows):,} requests have"
    raise DataError(
        f"{source.label}: {have} impressions of two {role}s ({unquoted(column, place.dialect)}), such as request"
        f" {' '.join(map(str, request))} of {one!r} and {other!r}. A request has one {role}."
        f" {_how_to_leave_out(source, column)}"
    )


def _how_to_leave_out(source: Rows, column: str) -> str:
    """Return the query that leaves out such requests, if the caller can type the name of their table."""
    name, table = next(iter(source.relations.items()))
    keys = source.column(source.query) if isinstance(source.query, str) else source.query
    also = " Leave them out of queries=, too: there they would count as having shown nothing."
    also = also if source.knows_requests else ""
    if not isinstance(table, str | Path) or not isinstance(keys, str):
        return f"Leave these requests out of {name}.{also}"
    ids = [column for key, (side, column) in source.columns.items() if side == name and bare(key) in IDS]
    read = _read(str(table), ids)
    two = f"SELECT {keys} FROM {read} WHERE {keys} IS NOT NULL GROUP BY {keys} HAVING MIN({column}) <> MAX({column})"
    return f"To leave them out, pass this in place of {table}: SELECT * FROM {read} WHERE {keys} NOT IN ({two}).{also}"


def _read(table: str, ids: Sequence[Any]) -> str:
    """A table, file or query behind FROM; ids in files that say no types are text, as everywhere."""
    kind = kind_of(table)
    if kind == "table":
        return table
    if kind == "query":
        return f"({table}) t"
    types = ", ".join(f"'{name}': 'VARCHAR'" for name in dict.fromkeys(ids) if isinstance(name, str))
    return f"read_csv('{table}', types={{{types}}})" if ".csv" in table or ".tsv" in table else f"'{table}'"


_MOST_LATER = 0.1  # of the requests, those whose first item is not logged


def check_beginnings(source: Rows, place: Catalog) -> None:
    """Refuse a log whose positions are found to begin at 0, though many requests have nothing there."""
    if source.log is None or not is_engine(place):
        return
    asks_for_zero, beginnings = (
        source.text(replace(source.log, select=select), place.dialect)
        for select in ("rm_select_zero_place", "rm_select_beginnings")
    )
    if not asks_for_zero or not place.run(asks_for_zero)[1][0][0]:
        return
    for application, n_requests, n_later in place.run(beginnings)[1]:
        if n_later > _MOST_LATER * n_requests:
            of_one = f" of application {application!r}" if application else ""
            raise DataError(
                f"{source.label}: {n_later:,} of {n_requests:,} requests{of_one} have nothing at position 0, where"
                f" position_base=auto begins to count. {_how(source)}"
            )


def check_texts(source: Rows, place: Catalog) -> None:
    """Refuse to collapse searches of which none has a text: nothing would say that they were not compared."""
    log = source.conflicts or source.log  # the first reads the table of all requests, too
    if log is None or source.settings.get("collapse") is None or not is_engine(place):
        return
    _, [(n_searches, n_texts)] = place.run(source.text(replace(log, select="rm_select_texts"), place.dialect))
    if n_searches and not n_texts:
        text = source.text_column or source.known.get("text") or "the parameter search_term"
        how = f"Pass another column: {advise('rule', 'text', 'NAME')}."
        if "text" in source.known:
            how = f"Compute it in a SELECT in place of {source.read['queries'].label}."
        raise DataError(
            f"{source.label}: collapse=typing needs search texts, and {text} is unknown in all {n_searches:,} searches."
            f" {how}"
        )


def _how(source: Rows) -> str:
    """Return what to type: which application counts from where, or where all do."""
    base = f"{advise('rule', 'position_base', 0)} or {advise('rule', 'position_base', 1)}"
    if source.columns.get("application", ("", "named"))[1] is None:
        return f"Name the column of the application, {advise('rule', 'application', 'NAME')}, or the base, {base}."
    return f"Name the base: {base}."


_NAMES_OF_RUNS = ("run_id", "run", "model", "retriever", "system", "variant", "arm")


def check_lists(source: Rows, rows: Relation, place: Engine) -> None:
    """Refuse lists of which nobody can say whose they are, or what is relevant.

    Args:
        source: the tables of lists, which have been read.
        rows: the rows that are made of them.
        place: the database of both.
    """
    _, twice = place.run(_twice_named(source))
    if twice:
        raise rows.error(
            f"{_of_queries(twice, 'has', 'have')} several rows, each with a list: {examples(twice)}.{_by_run(source)}"
        )
    if source.arm is None:
        return
    dialect = place.dialect
    keys = ", ".join(source.meanings(dialect)["query_id"])
    run = identifier(source.name_in_rows(source.arm, dialect), dialect)
    _, twice = place.run(f"SELECT DISTINCT {keys} FROM {rows.sql} u WHERE {run} IS NULL ORDER BY {keys}")
    if twice:
        whose = _of_queries(twice, "has a list", "have a list")
        raise rows.error(f"{whose} of no run: {source.arm} is NULL: {examples(twice)}.")
    if "qrels" in source.parts:
        judgments = source.text(source.parts["qrels"], dialect, source.context([source.arm], dialect))
        check_agreement(f"({judgments})", source.meanings(dialect)["query_id"], run, rows, place)


def _by_run(source: Rows) -> str:
    """Return the advice for rows of several models, from the name of a column."""
    relation = next(iter(source.read.values()))
    if source.arm is not None:
        return ""
    name = next((name for name in relation.source_columns if name.lower() in _NAMES_OF_RUNS), "NAME")
    return f" If they are lists of several models, name the column: {advise('rule', 'run', name)}."


def check_agreement(judgments: str, keys: Sequence[str], run: str, rows: Relation, place: Engine) -> None:
    """Refuse runs that do not have the same relevant items for a query, as far as they name any.

    Args:
        judgments: what can stand behind FROM: a row for each run, query and relevant item.
        keys: the columns that name a query there.
        run: the column that names the run.
        rows: what an error is about.
        place: where to look.
    """
    names = ", ".join(keys)
    same = " AND ".join(f"x.{key} = y.{key}" for key in keys)
    ours = ", ".join(f"x.{key}" for key in keys)
    _, unlike = place.run(
        f"SELECT DISTINCT {ours} FROM"
        f" (SELECT {names}, item_id, COUNT(*) AS n_here FROM {judgments} j GROUP BY {names}, item_id) x"
        f" INNER JOIN (SELECT {names}, COUNT(DISTINCT {run}) AS n_runs FROM {judgments} j GROUP BY {names}) y"
        f" ON {same} WHERE x.n_here <> y.n_runs ORDER BY {ours}"
    )
    if unlike:
        whose = _of_queries(unlike, "has", "have")
        raise rows.error(
            f"{whose} other relevant items in one run than in another: {examples(unlike)}. Give the judgments once, as"
            " qrels, and leave relevant= out."
        )


def examples(rows: Sequence[Row]) -> str:
    """Some of the rows, for a message."""
    return "; ".join(" ".join(map(str, row)) for row in rows[:3])


def _of_queries(rows: Sequence[Row], one: str, several: str) -> str:
    return f"1 query {one}" if len(rows) == 1 else f"{len(rows):,} queries {several}"


def _twice_named(source: Rows) -> str:
    """Return the statement that finds queries of several rows, where each is to have one with its list in a run."""
    query = source.column(str(source.query))
    keys = [query] if isinstance(query, str) else list(query)
    relation = next(iter(source.read.values()))
    run = [] if source.arm is None else [column_or_expression(relation, "run", source.arm, relation.dialect)]
    order = ", ".join(f"key_{number}" for number in range(len(keys)))
    return f"{repeated(f'{relation.sql} u', keys, run)} ORDER BY {order}"


def check_currencies(source: Rows, place: Engine) -> None:
    """Refuse to add amounts of two currencies."""
    column = source.columns.get("currency", ("", None))[1]
    if source.currencies is None or column is None or not source.settings.get("amounts"):
        return
    _, [(lowest, highest)] = place.run(source.text(source.currencies, place.dialect))
    if lowest != highest:
        raise DataError(
            f"{source.label}: the values have two currencies ({column}), such as {lowest!r} and {highest!r}, whose sum"
            " means nothing. Convert the values, or leave out others, in a query in place of the events, as in"
            f" SELECT * FROM ... WHERE {column} = {lowest!r}."
        )


_SHOWN = 3  # requests that a message names


def check_requests(source: Rows, rows: Relation, context: Mapping[str, Sequence[str]], place: Engine) -> None:
    """Refuse requests without an arm, and requests whose context is missing or differs between two tables.

    Args:
        source: a log.
        rows: what is handed on of it.
        context: the columns to hand on, as ``Rows.context`` has them.
        place: the database.
    """
    keys = source.meanings(place.dialect)["query_id"]
    _check_conflicts(source, rows, context, place, len(keys))
    key_list = ", ".join(keys)

    def refuse(condition: str, problem: str, remedy: str = "") -> None:
        _, examples_of = place.run(f"SELECT {key_list} FROM {rows.sql} u {condition}")
        if examples_of:
            raise rows.error(f"{_counted(examples_of)} {problem}: {_named(examples_of)}.{remedy}")

    last_part = macros()["rm_last_part"]
    arms = [name for columns in source.context([source.arm or ""], place.dialect).values() for name in columns]
    for arm in arms[:1]:  # none where the arm is a part of what names a request
        # where= is about impressions, so that it leaves no request out that the table of all requests has, too
        leave_out = f" To leave them out, pass {advise('rule', 'where', f'{source.arm} IS NOT NULL')}."
        refuse(
            f"GROUP BY {key_list} HAVING COUNT({last_part(arm)}) = 0",
            f"without an arm ({source.arm})",
            "" if source.knows_requests else leave_out,
        )
    for name in context["context"] if source.knows_requests else ():
        if name not in context["queries_context"]:
            refuse(
                f"WHERE item_id IS NULL AND position IS NULL AND {last_part(name)} IS NULL",
                f"without an impression, of which queries= does not say {unquoted(name, place.dialect)}",
            )


def _check_conflicts(
    source: Rows, rows: Relation, context: Mapping[str, Sequence[str]], place: Engine, n_keys: int
) -> None:
    """Refuse a request of which the two tables say different things; its time is taken from the table of requests."""
    of_queries = [name for name in context.get("queries_context", []) if not _is_time(source, name, place)]
    both = [name for name in of_queries if name in context["context"]]
    if source.conflicts is None or not both:
        return
    full_context = {**context, "queries_context": of_queries}
    _, unlike = place.run(source.text(source.conflicts, place.dialect, full_context))
    if not unlike:
        return
    names = [unquoted(name, place.dialect) for name in both]
    conflicts: list[str] = []
    differing: dict[str, None] = {}
    for row in unlike:
        values = row[n_keys:]
        pairs = zip(names, values[::2], values[1::2], strict=True)
        differences = {name: f"{_shown(one)} and {_shown(other)}" for name, one, other in pairs if one is not None}
        differing |= dict.fromkeys(differences)
        conflicts.append(
            f"{' '.join(map(str, row[:n_keys]))} ({', '.join(f'{name}: {pair}' for name, pair in differences.items())})"
        )
    raise rows.error(
        f"{_counted(unlike)} whose values in queries= and in the impressions differ ({', '.join(differing)}),"
        f" the request and both: {'; '.join(conflicts[:_SHOWN])}."
    )


def _is_time(source: Rows, name: str, place: Engine) -> bool:
    """Return whether a column is the time of the log."""
    return source.time is not None and unquoted(name, place.dialect).lower() == source.time.lower()


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(value)


def _counted(rows: Sequence[Any]) -> str:
    return f"{len(rows):,} {'request' if len(rows) == 1 else 'requests'}"


def _named(rows: Sequence[Sequence[Any]]) -> str:
    return "; ".join(" ".join(map(str, row)) for row in rows[:_SHOWN])

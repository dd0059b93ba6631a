"""A verdict for each judge: every run is crossed with the judges, and a query is then a query and a judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..definitions.verdicts import BETTER, WORSE
from ..dialects.names import identifier, unquoted
from ..engines import Catalog, is_engine
from ..errors import DataError, UsageError, shortened
from ..inputs.columns import Group
from ..inputs.expressions import has_column, no_column
from ..inputs.references import Consensus
from ..relation import JUDGE, Relation
from ..rows import Record
from ..templates import macros

_MOST_SENTENCES = 6


def check_judge(judge: Any, qrels: Any, options: Mapping[str, Any]) -> None:
    """Raise if a comparison cannot have a verdict for each judge."""
    if judge is None:
        return
    if not isinstance(judge, str):
        raise UsageError(f"judge= names a column of the judgments, not {shortened(judge)}.")
    if isinstance(qrels, Consensus):
        raise UsageError(
            "judge= compares under each judge, and consensus() has made one of them. Pass its table of grades as qrels,"
            " or omit judge=."
        )
    if qrels is None:
        raise UsageError(f"judge= names a column of the judgments, and none are passed. Pass qrels with {judge!r}.")
    if options["design"] == "unpaired":
        raise UsageError(
            "judge= compares runs of the same queries, and each arm has its own. Pass the grades of one judge as qrels."
        )


def check_column(qrels: Relation, judge: str) -> None:
    """Raise if the judgments do not have the column of the judge."""
    column = judge.removeprefix("qrels.")
    if qrels.is_known and not has_column(qrels, column):
        raise no_column(column, "judge", [qrels])


class Crossed(NamedTuple):
    """The inputs with a query for each query and judge.

    Attributes:
        groups: what the result is broken down by, of which the judge is one.
        notes: what was left out.
    """

    runs: list[Relation]
    qrels: Relation
    query_list: Relation | None
    groups: list[Group]
    notes: list[str]


def cross_with_judges(
    database: Catalog,
    runs: Sequence[Relation],
    qrels: Relation,
    query_list: Relation | None,
    groups: Sequence[Group],
    place: int,
    queries: str,
) -> Crossed:
    """Cross the runs and the queries with the judges that the judgments name.

    Args:
        database: where all inputs are.
        runs: bound to their columns, like the other inputs.
        qrels: the judgments.
        query_list: the queries to score.
        groups: what the result is broken down by.
        place: that of the judge among them.
        queries: which queries are scored, as the option has it; the relation that has them all says the judge.
    """
    group = groups[place]
    column = identifier(group.column, database.dialect)
    notes = _check_judges(database, qrels, group.label, column) if is_engine(database) else []
    typed = column
    is_text = not qrels.is_known or (qrels.types or {})[unquoted(group.column)] == "VARCHAR"
    if not is_text:  # ids of files are text, and those of a table beside them may not be
        typed = f"CAST({column} AS {macros(database.dialect.name)['rm_text_type']()})"
    is_collated = unquoted(group.column) in qrels.collated
    key = macros(database.dialect.name)["rm_compared_by_bytes"](typed, is_collated)
    permanent = qrels.permanent_sql or qrels.sql

    def judges(table: str) -> str:
        return f"SELECT DISTINCT {key} AS {JUDGE} FROM {_read(table)} WHERE {column} IS NOT NULL"

    def crossed(relation: Relation) -> Relation:
        def text(sql: str, judged: str) -> str:
            return f"(SELECT u.*, j.{JUDGE} FROM {_read(sql)} CROSS JOIN ({judges(judged)}) j)"

        is_temporary = relation.permanent_sql or qrels.permanent_sql
        return replace(
            _judged(relation, text(relation.sql, qrels.sql), is_collated=is_collated),
            is_query=True,
            is_permanent=relation.is_permanent and qrels.is_permanent,
            permanent_sql=text(relation.permanent_sql or relation.sql, permanent) if is_temporary else None,
        )

    def named(table: str) -> str:
        return f"(SELECT u.*, {typed} AS {JUDGE} FROM {_read(table)} WHERE {column} IS NOT NULL)"

    order = macros()["rm_sides_in_order"](queries)
    side = next(one for one in order if one != "query_list" or query_list is not None)
    return Crossed(
        [crossed(run) for run in runs],
        replace(
            _judged(qrels, named(qrels.sql), is_collated=is_collated),
            permanent_sql=qrels.permanent_sql and named(qrels.permanent_sql),
        ),
        None if query_list is None else crossed(query_list),
        [*groups[:place], replace(group, column=JUDGE, relation=side), *groups[place + 1 :]],
        notes,
    )


def _read(table: str) -> str:
    return f"{table} u"


def _judged(relation: Relation, sql: str, *, is_collated: bool) -> Relation:
    """Return a relation whose queries are those of one judge each."""
    types = None if relation.types is None else {**relation.types, JUDGE: "VARCHAR"}
    columns = {**relation.columns, "query_id": [*relation.columns["query_id"], JUDGE]}
    facts = replace(relation.facts, size=None)
    collated = [*relation.collated, *([JUDGE] if is_collated else [])]
    return replace(relation, sql=sql, types=types, columns=columns, facts=facts, collated=collated)


def _check_judges(database: Any, qrels: Relation, label: str, column: str) -> list[str]:
    """Raise if there are no two judges; return a note on the grades that name none."""
    _, rows = database.run(f"SELECT {column} AS judge, COUNT(*) AS n FROM {_read(qrels.sql)} GROUP BY {column}")
    judges = [judge for judge, _ in rows if judge is not None]
    name = unquoted(label)
    if len(judges) < 2:
        given = f"only {judges[0]!r}" if judges else "no judge"
        raise DataError(
            f"{qrels.label}: judge= needs two judges or more, but column {name!r} has {given}. Omit judge=."
        )
    n_without = sum(int(n) for judge, n in rows if judge is None)
    some = "1 judgment has" if n_without == 1 else f"{n_without:,} judgments have"
    return [f"{qrels.label}: {some} no {name}, and {'is' if n_without == 1 else 'are'} left out."] if n_without else []


def describe_judges(records: Sequence[Record], judge: str, groups: Sequence[str]) -> list[str]:
    """Return a sentence for each metric, run and group: under how many judges it is better or worse."""
    n_judges = len({record[judge] for record in records})
    verdicts: dict[str, list[str]] = {}
    for record in records:
        where = [f"{name} {record[name]}" for name in groups if name != judge]
        about = ", ".join([*where, str(record["metric"]), str(record["run"])])
        verdicts.setdefault(about, []).append(str(record["verdict"]))
    sentences = [f"{about}: {_counted(given, n_judges)}." for about, given in verdicts.items()]
    n_more = len(sentences) - _MOST_SENTENCES
    return sentences[:_MOST_SENTENCES] + ([f"{n_more:,} more are in the table."] if n_more > 0 else [])


def _counted(verdicts: Sequence[str], n_judges: int) -> str:
    """Return how many judges have each verdict, better and worse first."""
    counts = {verdict: verdicts.count(verdict) for verdict in sorted({*verdicts}, key=_order)}
    of = f" of {n_judges:,} judges"
    return ", ".join(
        f"{verdict} under {count:,}{'' if number else of}" for number, (verdict, count) in enumerate(counts.items())
    )


def _order(verdict: str) -> tuple[int, str]:
    return (0 if verdict.startswith(BETTER) else 1 if verdict.startswith(WORSE) else 2), verdict

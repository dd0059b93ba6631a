"""Load the inputs of a request: runs, judgments, query list and items, each of which may be made by a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ..dialects import Dialect
from ..dialects.names import quoted, split_name
from ..engines import Catalog, is_engine
from ..errors import UsageError, advise
from ..inputs.columns import SIDES, ColumnSpec
from ..inputs.groups import split_side
from ..inputs.objects import maps_names
from ..inputs.reader import Reader
from ..inputs.strings import run_name
from ..relation import EXPRESSION, ROLES, TIME, KnownFacts, Relation
from ..sources import Labelled, Rows, Source, Values, are_judged, check_agreement, rows_of, sources_of, table_names
from ..templates import macros
from .request import Request


def name_of(run: Any) -> str | None:
    """Return the name of an unnamed run: the name of its file or table, or of a source's first table."""
    table = run.table if isinstance(run, Source) else run
    return run_name(table) if isinstance(table, str | Path) else None


def named_runs(runs: Any) -> dict[str, Any]:
    """Return runs by name: of a mapping, or the names of their files and tables."""
    if isinstance(runs, Mapping) and (maps_names(runs) or not runs):
        if len({str(name) for name in runs}) < len(runs):
            raise UsageError(f"Two candidates have the same name: {', '.join(map(str, runs))}.")
        return {str(name): run for name, run in runs.items()}
    one = name_of(runs)
    if one is not None:
        return {one: runs}
    if isinstance(runs, list | tuple) and all(isinstance(run, str | Path | Source) for run in runs):
        names = [name_of(run) or f"candidate {number}" for number, run in enumerate(runs, start=1)]
        if len(set(names)) < len(names):
            raise UsageError(f"Two candidates have the same name: {', '.join(names)}; name them with {{name: run}}.")
        return dict(zip(names, runs, strict=True))
    return {"candidate": runs}


def refuse_labelled(runs: Mapping[str, Any]) -> None:
    """Raise if one of several runs is a source with judgments or runs of its own, because runs share judgments."""
    for name, run in runs.items():
        if isinstance(run, Source) and run.is_labelled:
            raise UsageError(
                f"{run.label}: its rows carry the judgments of their own queries, so {name!r} cannot be one of several"
                f" runs. Put all of them into one table, and name the column that tells them apart with {run.runs_by}."
            )
        if isinstance(run, Source) and run.runs is not None:
            raise UsageError(f"{run.label}: its column {run.runs} tells runs apart, so {name!r} is not one run.")


@dataclass(frozen=True)
class Part:
    """A source as one of several runs.

    Attributes:
        source: with its relations read.
        run: its run.
        qrels: its judgments, where it has any.
        columns: the columns that are passed on, as the user writes them.
    """

    source: Rows
    run: Relation
    qrels: Relation | None
    columns: Sequence[str] = ()


def part_of(name: str, source: Rows, place: Catalog, columns: Sequence[str], input_format: str | None) -> Part:
    """Load a source as the run of a name; its columns mean what the source says."""
    log, rows = rows_of(source, place, columns, input_format)
    meanings = log.meanings((log.place or place).dialect)
    run = replace(rows["run"], name=name, declared_columns=meanings, label=f"run {name!r}")
    qrels = rows.get("qrels")
    judged = None if qrels is None else replace(qrels, declared_columns={"query_id": meanings["query_id"]})
    return Part(log, run, judged, columns)


def judgments_of(parts: Sequence[Part], by: Sequence[str]) -> Relation | None:
    """The judgments of all sources together: a query's are the same in each that has any.

    Args:
        parts: the sources.
        by: the columns that groups are made of, which sources hand on.
    """
    relations = [part.qrels for part in parts if part.qrels is not None]
    if len({relation.sql for relation in relations}) < 2:
        return relations[0] if relations else None
    place = relations[0].database
    if place is None or any(relation.database is not place for relation in relations):
        raise UsageError(f"{relations[0].label}: sources that bring judgments have to be in one database.")
    number_of_keys = len(relations[0].declared_columns["query_id"])
    keys = [f"query_id_{number}" for number in range(1, number_of_keys + 1)] if number_of_keys > 1 else ["query_id"]
    group_columns = [name for name in by if all(name and relation.has(relation.bare(name)) for relation in relations)]
    each = [_under(relation, keys, group_columns, number) for number, relation in enumerate(relations)]
    if is_engine(place):
        marked = " UNION ALL ".join(
            f"SELECT {number} AS of_run, t.* FROM ({text}) t" for number, text in enumerate(each)
        )
        check_agreement(f"({marked})", keys, "of_run", relations[0], place)
    is_permanent = all(one.is_permanent for one in relations)
    facts = KnownFacts(clean=all(one.facts.clean for one in relations))
    union, label = "\nUNION\n".join(each), relations[0].label
    judgments = Reader(place).derived(union, "qrels", label, facts, is_permanent=is_permanent, optional_ids=True)
    are_text, are_own = any(one.text_ids for one in relations), all(one.own_types for one in relations)
    return replace(judgments, declared_columns={"query_id": keys}, text_ids=are_text, own_types=are_own)


def _under(relation: Relation, keys: Sequence[str], group_columns: Sequence[str], number: int) -> str:
    """Return the judgments of one source with the column names that all sources get."""
    query_columns = relation.declared_columns["query_id"]
    keyed = [f"{quoted(name, relation.dialect)} AS {key}" for name, key in zip(query_columns, keys, strict=True)]
    columns = ", ".join([*keyed, *(relation.column(name) for name in group_columns), "item_id", "relevance"])
    return f"SELECT {columns} FROM {relation.sql} j{number}"


_BESIDE_SOURCE = ("items.", "query_list.")
_OF_JUDGMENTS = "qrels."


class Inputs(NamedTuple):
    """The relations that an evaluation reads.

    Attributes:
        spec: the request's columns and groups, under the names that they have in the relations.
        runs: the runs, or the one labelled table.
        qrels: the judgments, or those of a model that predict the ``human_qrels`` of people.
        human_qrels: the judgments of people for some of the queries, where there are both.
        query_list: the queries to score.
        items: the catalogue of items.
        sources: the sources that the rows are from, by the names of their runs; None for one in place of all runs.
    """

    spec: ColumnSpec
    runs: Sequence[Relation]
    qrels: Relation | None = None
    human_qrels: Relation | None = None
    query_list: Relation | None = None
    items: Relation | None = None
    sources: Mapping[str | None, Rows] = MappingProxyType({})

    @property
    def by_side(self) -> dict[str, Sequence[Relation]]:
        """Return the relations by their names in column maps."""
        one = [self.qrels] if self.qrels else []
        return dict(zip(SIDES, (self.runs, one, [self.query_list] if self.query_list else []), strict=True))


def load_inputs(database: Catalog, request: Request, run: Any, qrels: Any) -> Inputs:
    """Load the inputs into the database, or into our own DuckDB, where their columns can be looked up.

    Args:
        database: where the evaluation runs.
        request: what was asked for.
        run: the run or runs, each of which may be a source, or a source in place of all of them.
        qrels: the judgments, if no source has them.
    """
    if request.predicted_qrels is not None:
        return _load_predicted(database, request, run, qrels)
    _check_judged(request, run, qrels)
    spec = request.spec
    if isinstance(run, Source):
        _check_passed_once(spec, run, qrels)
    if isinstance(run, Rows):
        return _load_source(database, request, run, qrels)
    if isinstance(run, Labelled):
        return _load_labelled(database, request, run)
    reader = Reader(database, request.input_format, spec, request.requirements, keeps_empty=qrels is None)
    if not isinstance(run, Source) and sources_of(run):
        return _load_several(reader, request, named_runs(run), qrels)
    return Inputs(spec, reader.runs(run, "run"), reader.optional(qrels, "qrels"), **_load_lists(reader, request))


def _load_predicted(database: Catalog, request: Request, run: Any, qrels: Any) -> Inputs:
    """Load judgments of a model as the judgments, and those of people beside them."""
    if qrels is None or any(source.has_judgments or source.is_labelled for source in sources_of(run)):
        raise UsageError(
            "predicted_qrels= predicts judgments of people, and you passed none. Pass a run, and those judgments as"
            f" {advise('argument', 'qrels', 'QRELS')}."
        )
    spec, requirements = request.spec, request.requirements
    if spec.judge is not None:
        raise UsageError(
            "predicted_qrels= has one judge, a model, and judge= compares under each judge. Leave one of them out."
        )
    inputs = load_inputs(database, request._replace(predicted_qrels=None), run, request.predicted_qrels)
    reader = Reader(database, request.input_format, spec, requirements)
    return inputs._replace(human_qrels=reader.one(qrels, "qrels"))


def _load_labelled(database: Catalog, request: Request, source: Labelled) -> Inputs:
    """Load a table that contains its labels."""
    spec = replace(request.spec, columns={**source.columns, **request.spec.columns})
    reader = Reader(database, request.input_format, spec, request.requirements, keeps_empty=source.qrels is None)
    runs = reader.runs(source.data, "labelled")
    if len(runs) > 1:
        raise UsageError("labelled() scores one table. If it contains several runs, pass columns={'run_id': ...}.")
    run = replace(runs[0], optional_ids=runs[0].optional_ids or source.empty_lists)
    if isinstance(source, Values):
        return _load_values(reader, request, source, run)
    counting = next((metric for metric in request.metrics if metric.known["counts_empty_lists"]), None)
    if counting is not None and not run.optional_ids:
        raise UsageError(
            f"Metric '{counting.label}' counts empty lists, and a labelled table has them only as rows without an item."
            f" If it has such rows, pass {advise('argument', 'empty_lists', True)} with the table."
        )
    return Inputs(spec, [run], reader.optional(source.qrels, "qrels"), **_load_lists(reader, request))


def _load_values(reader: Reader, request: Request, source: Values, table: Relation) -> Inputs:
    """Load a table of numbers per query."""
    if any(metric.label not in source.names for metric in request.metrics):
        raise UsageError("values: its columns are the metrics, and it has no lists. Pass it to evaluate or compare.")
    spec = replace(request.spec, columns={**source.columns, **request.spec.columns})
    stacked = source.stacked(table)
    source.check(table)
    return Inputs(spec, [stacked], **_load_lists(reader, request))


def _check_judged(request: Request, run: Any, qrels: Any) -> None:
    """Raise if metrics need judgments that the inputs lack, or other grades."""
    if not are_judged(run, qrels) and any(metric.reads_judgments for metric in request.metrics):
        if sources := sources_of(run):
            raise UsageError(f"No qrels given, and {sources[0].label}() has no judgments here. Pass qrels.")
        raise UsageError("No qrels given. Pass judgments, or score a table that contains labels with labelled().")
    for metric in request.metrics:
        if metric.known["counts_empty_lists"] and any(_lacks_requests(source) for source in sources_of(run)):
            raise UsageError(
                f"Metric '{metric.label}': this log has only requests that showed something. Name the table of all"
                f" requests: {advise('rule', 'requests', 'logged')} and {advise('rule', 'queries', 'TABLE')}."
            )
    thresholds = [source.settings.get("threshold") for source in sources_of(run) if isinstance(source, Rows)]
    threshold = next((value for value in thresholds if value is not None), None)
    for metric in request.metrics if threshold is not None else ():
        if "score" in metric.needs:
            raise UsageError(
                f"Metric '{metric.label}': a rating error needs ratings, and threshold={threshold} reduces"
                f" them to 0 and 1. Leave threshold out. For ranking metrics rel={threshold} means the same,"
                " with gain=binary for nDCG."
            )


def _lacks_requests(source: Source) -> bool:
    """Check whether a log has no rows for requests that showed nothing."""
    return isinstance(source, Rows) and source.log is not None and not source.knows_requests


def _load_lists(reader: Reader, request: Request) -> dict[str, Any]:
    """Load the query list and the catalogue of items."""
    return {role: reader.optional(getattr(request, role), role) for role in ("query_list", "items")}


def _load_source(database: Catalog, request: Request, source: Rows, qrels: Any) -> Inputs:
    """Load the rows of a source in place of a run."""
    spec = request.spec
    if qrels is not None and source.has_lists:  # which say whose empty list counts
        source = replace(source, settings={**source.settings, "empty_lists": False})
    source = with_time(source) if spec.period else source
    if source.log is not None or qrels is None:  # else the judgments may have what metrics read
        source = source.counting(request.requirements.actions)
    reader = Reader(database, request.input_format)
    judgments = reader.optional(qrels, "qrels")
    lists = _load_lists(reader, request)
    other_relations = [lists["query_list"], judgments]
    spec, source = _with_sides(spec, source, database, other_relations)
    columns = _passed_through(spec, source, database.dialect, other_relations)
    places = {name: place for name, place in source.wanted.items() if name in (source.arm, *columns)}
    source = replace(source, wanted=places)
    groups = [name for name in columns if name != source.time and name not in spec.numbers.values()]
    relevant_alone = request.requirements.relevant_alone
    looked_up, rows = rows_of(
        source, database, columns, request.input_format, groups=groups, relevant_alone=relevant_alone
    )
    dialect = (looked_up.place or database).dialect
    spec = _in_rows(replace(spec, columns=_meanings(spec, looked_up, dialect)), looked_up, columns, dialect)
    runs = [rows.get("labelled") or rows["run"]]
    return Inputs(spec, runs, rows.get("qrels") or judgments, sources={None: looked_up}, **lists)


def _load_several(reader: Reader, request: Request, runs: Mapping[str, Any], qrels: Any) -> Inputs:
    """Load runs, some of them sources, and the judgments: those passed, or else the sources' own."""
    refuse_labelled(runs)
    if qrels is not None and (having := [source for source in sources_of(runs) if source.has_judgments]):
        raise UsageError(f"{having[0].label}: it has judgments of its own; qrels= would be others.")
    spec, database, judgments = request.spec, reader.engine, reader.optional(qrels, "qrels")
    lists = _load_lists(reader, request)
    relations: list[Relation] = []
    parts: dict[str, Part] = {}
    for name, run in runs.items():
        if isinstance(run, Rows):
            run = with_time(run) if spec.period else run  # noqa: PLW2901
            columns = _passed_through(spec, run, database.dialect, [lists["query_list"], judgments])
            parts[name] = part_of(name, run, database, columns, reader.input_format)
            relations.append(parts[name].run)
        else:
            relations.append(replace(reader.one(run, "run", f"run {name!r}"), name=name))
    judgments = judgments or judgments_of([*parts.values()], spec.by)
    for part in parts.values():
        spec = _in_rows(spec, part.source, part.columns, database.dialect)
    if len(parts) == len(runs):  # the inputs beside them may name queries as the first does
        spec = replace(spec, columns={"query_id": relations[0].declared_columns["query_id"]} | dict(spec.columns))
    sources: dict[str | None, Rows] = {name: part.source for name, part in parts.items()}
    return Inputs(spec, relations, judgments, sources=sources, **lists)


def _meanings(spec: ColumnSpec, source: Rows, dialect: Dialect) -> dict[str, Any]:
    """Return the meanings of the columns of a source: of its rows, with the time if needed, and of its judgments."""
    meanings = source.meanings(dialect)
    without_time = (
        meanings if spec.period else {meaning: meanings[meaning] for meaning in meanings if meaning != "time"}
    )
    return without_time | dict(spec.columns)


def _with_sides(
    spec: ColumnSpec, source: Rows, database: Catalog, beside: Sequence[Relation | None]
) -> tuple[ColumnSpec, Rows]:
    """Return the spec and source with columns such as ``queries.user_id`` resolved to the table of the log."""
    tables, dialect = tables_of(source), database.dialect
    columns_by_side: dict[str, tuple[str, str]] = {}

    def name(column: str, argument: str) -> str:
        side, last = split_side(column, dialect, tables)
        place = tables.get(side, "")
        is_known = bool(side or split_side(column, dialect)[0]) or database.knows_columns or source.log is None
        if not is_known and len(split_name(column, dialect)) > 1:
            sides = ", ".join(f"{known_side}." for known_side in (*tables, "query_list"))
            raise UsageError(f"{argument}: {column!r}: only {sides} may stand before a column of this log.")
        before = columns_by_side.get(last, ("", place))[1]
        if before != place and before and place:
            raise UsageError(f"{argument}: {column!r} is a column of another table elsewhere. Rename one in a query.")
        columns_by_side[last] = (argument, place or before)
        return last

    def of_log(column: str, argument: str) -> str:
        column_name = name(column, argument)
        is_elsewhere = any(relation.has(relation.bare(column_name)) for relation in beside if relation is not None)
        return f"run.{column_name}" if column_name != column and is_elsewhere else column_name

    if source.arm is not None:
        source = replace(source, arm=name(source.arm, "arm"))
    if spec.period and source.time:
        is_of_queries = source.columns.get("time", ("", ""))[0] == "queries"
        columns_by_side[source.time] = ("time", "queries_context" if is_of_queries else "")
    given_columns: dict[str, Any] = {argument: of_log(column, argument) for argument, column in spec.of_queries.items()}
    rollup = spec.rollup
    if not isinstance(rollup, bool):
        rollup = [[of_log(column, "by") if column in spec.by else column for column in columns] for columns in rollup]
    spec = replace(spec, by=[of_log(column, "by") for column in spec.by], rollup=rollup, **given_columns)
    return spec, replace(source, wanted=columns_by_side)


def tables_of(source: Rows) -> dict[str, str]:
    """The tables that columns of a log can be said to be of, with the argument of statements that takes them.

    A table may be called what it is for, or by its own name.
    """
    first = next(iter(source.relations))
    if source.log is None:
        roles = {}
    elif source.knows_requests and first == "queries":
        roles = {first: ""}
    else:
        roles = {first: "context"} | ({"queries": "queries_context"} if source.knows_requests else {})
    table_names_of_source = table_names({role: source.relations[role] for role in roles or [first]})
    return {table: roles.get(role, "") for table, role in table_names_of_source.items()} | roles


def _passed_through(spec: ColumnSpec, source: Rows, dialect: Dialect, inputs: Sequence[Relation | None]) -> list[str]:
    """Return the columns of a source's relation that groups are made of, unless an input beside it has them."""
    names = [*spec.by, *spec.of_queries.values()]
    other_sides = set(SIDES) - {"run", *source.parts}
    columns = [
        name
        for side, name in (split_side(column, dialect) for column in names)
        if side not in other_sides
        and (side or not any(relation.has(relation.bare(name)) for relation in inputs if relation is not None))
    ]
    position = source.columns.get(source.order, ("", source.order))[1]
    if source.log is not None and position in columns:
        raise UsageError(
            f"{source.label}: a request has items at several positions ({position}), so it is in no one group."
            " rm.ctr_by_position(log) counts clicks by position (rankmetrics ctr-by-position)."
        )
    return columns + ([source.time] if spec.period and source.time else [])


def _in_rows(spec: ColumnSpec, source: Rows, columns: Sequence[str], dialect: Dialect) -> ColumnSpec:
    """Return the spec with the names that columns have in the rows of a source."""

    def name(column: str) -> str:
        side, last = split_side(column, dialect)
        row_name = source.name_in_rows(last, dialect) if last in columns else last
        return column if row_name == last else f"{side}.{row_name}" if side else row_name

    rollup = spec.rollup
    if not isinstance(rollup, bool):
        rollup = [[name(column) if column in spec.by else column for column in columns_of] for columns_of in rollup]
    names: dict[str, Any] = {argument: name(column) for argument, column in spec.of_queries.items()}
    return replace(spec, by=[name(column) for column in spec.by], rollup=rollup, **names)


def _check_passed_once(spec: ColumnSpec, source: Source, qrels: Any) -> None:
    prefixes = _BESIDE_SOURCE if source.has_judgments else (_OF_JUDGMENTS, *_BESIDE_SOURCE)
    unprefixed = next((key for key in spec.columns if not str(key).startswith(prefixes)), None)
    if unprefixed is not None:
        meaning = str(unprefixed).rpartition(".")[2]
        side = next((side for side in prefixes if meaning in _meanings_beside(side)), None)
        rest = f" For the input beside it, write {side}{meaning}." if side else ""
        raise UsageError(
            f"{source.label}: columns= has no effect on a source ({unprefixed}). Name its columns in the arguments of"
            f" {source.label}.{rest}"
        )
    if qrels is not None and source.has_judgments:
        raise UsageError(f"{source.label}: a source has its own judgments. Omit qrels.")


def _meanings_beside(side: str) -> tuple[str, ...]:
    """Return the meanings that columns can have in an input beside a source."""
    required, optional = ROLES[side.removesuffix(".")]
    return (*required, *optional)


def with_time(source: Rows) -> Rows:
    """Return the source with a name for a time that is SQL over the row, so that it can be passed through.

    Raises:
        UsageError: it has no time to make periods of; a column map cannot name one.
    """
    if source.time is not None:
        is_name = macros()["rm_is_name"](source.time)
        return source if is_name else replace(source, time=EXPRESSION.format(TIME), moment=source.time)
    how = (
        f"pass {advise('rule', 'time', 'NAME')}"
        if source.label == "events"
        else "the source has none. Pass a column of days as by="
    )
    raise UsageError(f"{source.label}: period needs a column with the time: {how}.")

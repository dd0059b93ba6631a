"""What is asked for and what it is asked of, made into one query, whether it will run or is only written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..checks.ask import ask_one
from ..checks.numbers import check_numbers
from ..databases import Engine
from ..definitions.choices import Choices
from ..definitions.refusals import refuse
from ..definitions.resolution import ResolvedMetric
from ..dialects import CANONICAL, Dialect
from ..dialects.names import unquoted
from ..errors import UsageError
from ..inputs.meanings import (
    PERIOD,
    SIDES,
    assumed,
    check_columns,
    group_of,
    names_meaning,
    split_side,
    with_meanings,
    with_period,
)
from ..inputs.reader import Reader
from ..inputs.sources import Labelled, Rows, Source, are_judged, rows_of
from ..inputs.sources import notes as notes_of
from ..results.tables import Table
from ..statements.query import Group, Query, refuse_query
from ..statements.relation import COVARIATE, TIME, WEIGHT, Relation
from ..statements.templates import macros

# What metrics need of a catalogue, by the column that it comes from.
_OF_ITEMS = {"popularity": {"popularity", "popularity_place"}, "category": {"categories", "n_categories"}}

# The inputs beside runs and judgments, as the user has them, by their roles: query_list and items, or None.
Others = Mapping[str, Any]


@dataclass(frozen=True)
class Request:
    """What is asked for, whatever it is asked of.

    Attributes:
        metrics: those that are computed, with a value for every choice.
        choices: the options.
        level: what kind of result: ``summary``, ``per_query``, ``compare``, ``curve`` ... as ``Query.sql`` knows them.
        columns: the user's names of columns, by meaning.
        by: columns to break the summary down by.
        rollup: whether there are rows of every set of those columns too, or the sets of columns that there are rows of.
        min_queries: how many queries a group must have to be in the summary.
        period: what to group by the time by: ``day``, ``week`` or ``month``.
        timezone: whose days they are, or None for UTC.
        weight: the column with the weights of queries.
        covariate: the column with a number of each query that effects are adjusted by.
        cluster: of sums, the column that says which queries belong together.
        baseline: the run that others are compared with.
        all_pairs: whether each run is compared with those before it instead.
        limits: by how much each metric, by its label, may be worse, where a comparison is to say whether it is.
    """

    metrics: Sequence[ResolvedMetric]
    choices: Choices
    level: str = "summary"
    columns: Mapping[str, Any] = field(default_factory=dict)
    by: Sequence[str] = ()
    rollup: bool | Sequence[Sequence[str]] = False
    min_queries: int | None = None
    period: str | None = None
    timezone: str | None = None
    weight: str | None = None
    covariate: str | None = None
    cluster: str | None = None
    baseline: str | None = None
    all_pairs: bool = False
    limits: Mapping[str, float] | None = None

    @property
    def numbers(self) -> dict[str, str]:
        """The columns with numbers of queries, by what they mean."""
        named = {WEIGHT: self.weight, COVARIATE: self.covariate}
        return {meaning: column for meaning, column in named.items() if column is not None}

    @property
    def times(self) -> list[str]:
        """The columns said to be the time, with the relation that they are of, as ``by`` has them."""
        named = {key: given for key, given in self.columns.items() if key.rpartition(".")[2] == TIME}
        columns = [
            (key, name) for key, given in named.items() for name in ([given] if isinstance(given, str) else given)
        ]
        return [key.removesuffix(TIME) + name for key, name in columns]

    @property
    def ties(self) -> set[Any]:
        """How the metrics treat equal scores."""
        return {metric.ranking["ties"] for metric in self.metrics}

    @property
    def needs(self) -> set[str]:
        """The shared columns that the metrics read."""
        return {need for metric in self.metrics for need in metric.needs}

    @property
    def of_items(self) -> list[str]:
        """The columns of the catalogue that metrics read."""
        return [meaning for meaning, wanted in _OF_ITEMS.items() if wanted & self.needs]


@dataclass(frozen=True)
class Inputs:
    """The relations that an evaluation reads."""

    runs: Sequence[Relation]
    qrels: Relation | None = None
    query_list: Relation | None = None
    items: Relation | None = None

    @property
    def by_side(self) -> dict[str, Sequence[Relation]]:
        """The relations by what the user calls them in the names of columns."""
        one = [self.qrels] if self.qrels else []
        return dict(zip(SIDES, (self.runs, one, [self.query_list] if self.query_list else []), strict=True))


@dataclass(frozen=True)
class Bound:
    """A query, and what was found on the way to it.

    Attributes:
        request: what is asked for, in the columns of the inputs.
        query: what answers it.
        quality: counts the rows of a source that are used or not; None where there is no source.
        notes: warnings about a source.
        rows: the source that was read, or None.
    """

    request: Request
    query: Query
    quality: Table | None = None
    notes: Sequence[str] = ()
    rows: Rows | None = None


def bind(
    database: Engine, request: Request, run: Any, qrels: Any, others: Others, input_format: str | None = None
) -> Bound:
    """Reads the inputs of a request and composes its query; nothing is checked yet.

    Args:
        database: where statements run, or what they are written for.
        request: what is asked for.
        run: the run or runs, or a source.
        qrels: the judgments.
        others: the queries to score, and the items that there are.
        input_format: of all files, or None to go by their names.

    Raises:
        UsageError: the request and the inputs contradict each other.
        DataError: an input is missing or malformed.
        DatabaseError: the database refused a statement.
    """
    judged = are_judged(run, qrels)
    is_labelled = isinstance(run, Labelled)
    if isinstance(run, Labelled):
        request, run, qrels = unfold(request, run, qrels)
    if not judged and any(metric.metric.reads_judgments for metric in request.metrics):
        raise UsageError("No qrels given. A table that carries its labels is scored by labelled().")
    quality: Table | None = None
    rows: Rows | None = None
    if isinstance(run, Rows):
        request, inputs, quality, rows = read_source(database, request, run, qrels, others, input_format)
    else:
        inputs = read_inputs(database, request, "labelled" if is_labelled else "run", run, qrels, others, input_format)
    if is_labelled and len(inputs.runs) > 1:
        raise UsageError(
            "labelled() scores one table; several systems in it are told apart by columns={'run_id': ...}."
        )
    notes = notes_of(rows) if rows is not None else []
    return Bound(request, compose(request, inputs, database), quality, notes, rows)


def read_inputs(
    database: Engine, request: Request, role: str, run: Any, qrels: Any, others: Others, input_format: str | None
) -> Inputs:
    """Reads the user's inputs to where the database, or our own DuckDB, can look at them.

    Args:
        database: where the evaluation runs.
        request: what is asked for.
        role: ``run`` or ``labelled``.
        run: the run or runs, or the labelled table.
        qrels: the judgments.
        others: the queries to score, and the items that there are.
        input_format: of all files, or None to go by their names.
    """
    reader = Reader(
        database,
        input_format,
        keep_order="input" in request.ties,
        subtopics="subtopics" in request.needs or names_meaning(request.columns, "subtopic"),
        tags=names_meaning(request.columns, "run_id"),
    )
    runs = reader.runs(run, role)
    judgments = reader.one(qrels, "qrels") if qrels is not None else None
    return Inputs(runs, judgments, **_read_others(reader, others))


def _read_others(reader: Reader, others: Others) -> dict[str, Relation]:
    return {role: reader.one(value, role) for role, value in others.items() if value is not None}


def read_source(
    database: Engine, request: Request, source: Rows, qrels: Any, others: Others, input_format: str | None
) -> tuple[Request, Inputs, Table, Rows]:
    """Reads the rows of a source in place of a run: with what counts those that are not used, and the source as read.

    Args:
        database: where the evaluation runs.
        request: what is asked for.
        source: the description.
        qrels: the judgments, where the source has none.
        others: the queries to score, and the items that there are.
        input_format: of all files, or None to go by their names.

    Raises:
        UsageError: judgments or columns are given twice.
    """
    _check_said_once(request, source, qrels)
    _check_time(request, source)
    _check_grades(request, source)
    reader = Reader(database, input_format)
    judgments = reader.one(qrels, "qrels") if qrels is not None else None
    listed = _read_others(reader, others)
    columns = _handed_on(request, source, database.dialect, [listed.get("query_list"), judgments])
    known, rows = rows_of(source, database, columns, input_format)
    judgments = rows.get("qrels") or judgments
    place = known.place or database
    text = known.text(known.quality, place.dialect)
    quality = Table(lambda: text, place.run)
    if place.visiting and not known.stays:
        quality.fetchall()
    request = replace(request, columns=_meanings(request, known, place.dialect))
    return request, Inputs([rows.get("labelled") or rows["run"]], judgments, **listed), quality, known


def unfold(request: Request, source: Labelled, qrels: Any) -> tuple[Request, Any, Any]:
    """What a labelled table is made of, in place of a run and judgments: with the names of its columns.

    Args:
        request: what is asked for.
        source: the description.
        qrels: what stands in place of judgments.

    Raises:
        UsageError: judgments or columns are given twice.
    """
    _check_said_once(request, source, qrels)
    return replace(request, columns=source.columns), source.data, source.qrels


def _meanings(request: Request, source: Rows, dialect: Dialect) -> dict[str, Any]:
    """What the columns of a source's rows mean; the time, where something asks for it; and of its judgments."""
    found = source.meanings(dialect)
    kept = found if request.period else {meaning: found[meaning] for meaning in found if meaning != "time"}
    return kept | dict(request.columns)


def _handed_on(request: Request, source: Rows, dialect: Dialect, beside: Sequence[Relation | None]) -> list[str]:
    """The columns of a source's relation that groups are made of.

    Args:
        request: what is asked for.
        source: the description.
        dialect: whose quotes stand around parts of names.
        beside: the inputs that are asked for a column before the source is, as far as there are such.
    """
    named = [*request.by, *request.numbers.values(), *filter(None, [request.cluster])]
    others = set(SIDES) - {"run", *source.parts}
    columns = [
        name
        for side, name in (split_side(column, dialect) for column in named)
        if side not in others
        and (side or not any(found.has(found.bare(name)) for found in beside if found is not None))
    ]
    return columns + ([source.time] if request.period and source.time else [])


_OF_JUDGMENTS = "qrels."


def _check_said_once(request: Request, source: Source, qrels: Any) -> None:
    others = () if source.has_judgments else (_OF_JUDGMENTS,)
    own = next((key for key in request.columns if not str(key).startswith(others)), None)
    if own is not None:
        meaning = str(own).rpartition(".")[2]
        rest = f"; of judgments beside it say {_OF_JUDGMENTS}{meaning}" if others else ""
        raise UsageError(f"{source.label}: its columns are said there, not by columns= ({own}){rest}.")
    if qrels is not None and source.has_judgments:
        raise UsageError(f"{source.label}: it has judgments of its own; qrels= would be others.")


def _check_time(request: Request, source: Rows) -> None:
    """A period is of the time that a source has, which no column map says."""
    if request.period is None or source.time is not None:
        return
    how = "time=NAME says which it is" if source.label == "events" else "it has none; by= takes a column of days"
    raise UsageError(f"{source.label}: period needs the column with the time: {how}.")


def _check_grades(request: Request, source: Rows) -> None:
    """An error is that of a rating, which a threshold makes 0 or 1."""
    threshold = source.settings.get("threshold")
    for metric in request.metrics if threshold is not None else ():
        if "score" in metric.needs:
            raise UsageError(
                f"Metric '{metric.label}': an error is that of a rating, and threshold={threshold} leaves 0 and 1. "
                f"Leave threshold out; rel={threshold}, and gain=binary for nDCG, say the same of metrics of ranking."
            )


def compose(request: Request, inputs: Inputs, database: Engine) -> Query:
    """The query that answers a request.

    Args:
        request: what is asked for.
        inputs: what it is asked of.
        database: where its statements run, or whose dialect they are written in.

    Raises:
        UsageError: the request and the inputs contradict each other.
        DataError: a column is missing.
    """
    by_side, dialect = inputs.by_side, database.dialect
    one_of_each = [relations[0] for relations in by_side.values() if relations]
    check_columns(request.columns, [*one_of_each, *([inputs.items] if inputs.items else [])])
    groups = [_group(column, by_side, dialect) for column in request.by]
    time = _time(request, by_side, dialect)
    if time is not None:
        groups.append(Group("period", PERIOD, time.relation))
    if request.cluster is not None:
        groups.append(_group(request.cluster, by_side, dialect, "cluster"))
        if groups[-1] in groups[:-1]:
            raise UsageError(
                f"by and cluster both name {request.cluster!r}: a group of one cluster has no spread between clusters."
                " Leave it out of one of them."
            )
    request = _with_numbers(request, by_side, dialect)

    def placed(relation: Relation, number: int) -> Relation:
        of_time = time if time is not None and time.relation == relation.side else None
        others = [unquoted(group.column) for group in groups if group.relation == relation.side]
        return place(database, request, relation, number, others, of_time)

    runs = [placed(relation, number) for number, relation in enumerate(inputs.runs, start=1)]
    qrels = placed(inputs.qrels, 1) if inputs.qrels is not None else None
    query_list = placed(inputs.query_list, 1) if inputs.query_list is not None else None
    options = request.choices.options
    check_query_columns([*runs, qrels, query_list])
    query = Query(
        runs=runs,
        metrics=request.metrics,
        options=options,
        qrels=qrels,
        query_list=query_list,
        items=placed(inputs.items, 1) if inputs.items is not None else None,
        groups=groups,
        rollup=_sets(request, groups),
        min_queries=request.min_queries,
        has_cluster=request.cluster is not None,
        baseline=request.baseline if request.baseline is not None else runs[0].name,
        all_pairs=request.all_pairs,
        limits=request.limits,
        strategy="count" if options["strategy"] == "count" else "window",
        dialect=dialect,
    )
    refuse_query(query, request.level)
    return query


def place(
    database: Engine,
    request: Request,
    relation: Relation,
    number: int = 1,
    others: Sequence[str] = (),
    time: Group | None = None,
) -> Relation:
    """A relation with what its columns mean, where statements can read it.

    Args:
        database: where they run.
        request: says what means what.
        relation: what was read.
        number: among those of its side.
        others: columns that are read beside those with a meaning.
        time: the column that periods are made of.
    """
    mapped = _with_meanings(relation, request)
    if time is not None:
        mapped = with_period(mapped, time.column, str(request.period), request.timezone or "UTC")
    mapped = _settled(mapped, settle(database, mapped, others), request)
    stand_in = None if database.dialect.canonical else f"rankmetrics_input_{relation.side}_{number}"
    return replace(mapped, stand_in=stand_in)


def assumed_columns(request: Request, query: Query) -> list[str]:
    """The columns that nobody named or looked up, with the input they are of."""
    unknown = [relation for relation in query.relations if not relation.is_known]
    said = [
        f"{side}.{meaning}" for meaning, column in request.numbers.items() for side in SIDES if _is_said(column, query)
    ]
    found = [name for relation in unknown for name in assumed(relation, {**request.columns, **dict.fromkeys(said, "")})]
    if unknown:
        named = [*zip(request.by, query.groups, strict=False)]
        named += [(request.cluster, query.groups[-1])] if request.cluster is not None else []
        found += [
            f"{group.relation}.{unquoted(group.column)}" for column, group in named if not _is_said(column, query)
        ]
    return list(dict.fromkeys(found))


def _is_said(column: str, query: Query) -> bool:
    """Whether the name of a column says of which relation it is."""
    return bool(split_side(column, query.dialect)[0])


def _group(column: str, by_side: Mapping[str, Sequence[Relation]], dialect: Dialect, argument: str = "by") -> Group:
    return group_of(column, by_side, dialect, argument)


def _time(request: Request, by_side: Mapping[str, Sequence[Relation]], dialect: Dialect) -> Group | None:
    """The column with the time, where periods of it are asked for.

    Raises:
        UsageError: something is lacking, or the engine does not know such periods.
    """
    times = request.times
    time = _group(times[0], by_side, dialect) if len(times) == 1 else None
    relation = by_side[time.relation][0] if time is not None else by_side["run"][0]
    known = macros(relation.dialect.name if request.period is not None else CANONICAL.name)
    refuse(
        "period",
        {
            "period": request.period,
            "zone": request.timezone,
            "n_times": len(times),
            "has_periods": known["rm_period"]("t", "day", "UTC") is not None,
            "has_zones": known["rm_has_zones"](),
        },
    )
    type_ = (relation.types or {}).get(unquoted(time.column), "") if time is not None else ""
    if type_ == "DATE" and request.timezone not in (None, "UTC"):
        raise relation.refuse(f"{times[0]} is a DATE, which is the same in every time zone; leave timezone out.")
    return time


def _with_numbers(request: Request, by_side: Mapping[str, Sequence[Relation]], dialect: Dialect) -> Request:
    """The request where the columns with numbers of queries mean that, in the relations that have them."""
    columns = dict(request.columns)
    for meaning, given in request.numbers.items():
        relation = _group(given, by_side, dialect, meaning).relation
        said, name = split_side(given, dialect)
        columns[f"{relation}.{meaning}"] = name if said == relation else given
    return replace(request, columns=columns)


def _sets(request: Request, groups: Sequence[Group]) -> bool | list[list[str]]:
    """The sets of a rollup by the labels of their groups; a column that is none stays as it is, to be refused."""
    if isinstance(request.rollup, bool):
        return request.rollup
    by = [*request.by, *(["period"] if request.period else []), *filter(None, [request.cluster])]
    labels = {column: group.label for column, group in zip(by, groups, strict=True)}
    return [[labels.get(column, column) for column in columns] for columns in request.rollup]


def _with_meanings(relation: Relation, request: Request) -> Relation:
    position = bool({"rank", "input"} & request.ties) and relation.side == "run"
    needs, assumed = request.needs, request.of_items
    return with_meanings(relation, request.columns, position=position, needs=needs, assumed=assumed)


def settle(database: Engine, relation: Relation, others: Sequence[str]) -> Relation:
    """Brings a relation to where statements can read it: the columns with a meaning, numbers as doubles, and others."""
    if relation.database is database:
        return relation
    local = database.local(relation.label)
    check_numbers(ask_one(local, relation), relation)
    select = relation.select(others)
    types = local.describe(f"({select})")
    taken = database.take(relation.role, local, select)
    return replace(
        relation, sql=taken, types=types, expressions={}, text_ids=False, database=database, dialect=database.dialect
    )


def _settled(mapped: Relation, taken: Relation, request: Request) -> Relation:
    """A relation that was brought elsewhere, whose columns mean what they meant; expressions are columns there."""
    if taken is mapped:
        return mapped
    return _with_meanings(taken, replace(request, columns=mapped.columns))


def check_query_columns(relations: Sequence[Relation | None]) -> None:
    """A query is named by as many columns everywhere.

    Raises:
        UsageError: it is not.
    """
    known = [relation for relation in relations if relation is not None]
    wanted = len(known[0].columns["query_id"])
    for relation in known:
        if len(relation.columns["query_id"]) != wanted:
            raise UsageError(f"{relation.label}: a query is named by {wanted} columns elsewhere, not here.")

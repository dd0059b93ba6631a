"""Binds a request to its inputs, as one query, whether it will run or is only written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..checks.inspector import inspect_one
from ..checks.numbers import check_numbers
from ..dialects.names import unquoted
from ..engines import Engine
from ..errors import UsageError, advise
from ..inputs.binding import binding_of
from ..inputs.columns import ColumnSpec
from ..inputs.groups import sets_of
from ..inputs.ids import unify_ids
from ..plan import Plan
from ..relation import Relation
from ..rows import Row
from ..sources import Rows, Source, are_judged, sources_of
from ..sources import notes as notes_of
from .reading import Others, ReadInputs, read_inputs
from .request import Request

if TYPE_CHECKING:
    from ..definitions.resolution import ResolvedMetric
    from ..results.tables import Table


class Bound(NamedTuple):
    """A query, and what was found on the way to it.

    Attributes:
        spec: what is read of the inputs, under the names of their columns.
        plan: what answers it.
        quality: counts the rows of a source that are used or not; None where there is no source.
        notes: warnings about a source.
        sources: the sources that were read, of which more may be asked; that in place of all runs is called None.
    """

    spec: ColumnSpec
    plan: Plan
    quality: Table | None = None
    notes: Sequence[str] = ()
    sources: Mapping[str | None, Rows] = {}


def bind(
    database: Engine,
    request: Request,
    spec: ColumnSpec,
    run: Any,
    qrels: Any,
    others: Others,
    input_format: str | None = None,
) -> Bound:
    """Reads the inputs of a request and composes its query; nothing is checked yet.

    Args:
        database: where statements run, or what they are written for.
        request: what is asked for.
        spec: what is read of the inputs.
        run: the run or runs, or a source.
        qrels: the judgments.
        others: the queries to score, and the items that there are.
        input_format: of all files, or None to go by their names.

    Raises:
        UsageError: the request and the inputs contradict each other.
        DataError: an input is missing or malformed.
        DatabaseError: the database refused a statement.
    """
    _check_judged(request, run, qrels)
    inputs = read_inputs(database, spec, request.requirements, run, qrels, others, input_format)
    plan = compose(request, inputs, database)
    if not inputs.sources:
        return Bound(inputs.spec, plan)
    notes = [
        note
        for name, source in inputs.sources.items()
        for note in notes_of(source if name is None else replace(source, label=f"run {name!r}"))
    ]
    return Bound(inputs.spec, plan, _quality(inputs.sources, database), notes, inputs.sources)


def _check_judged(request: Request, run: Any, qrels: Any) -> None:
    """Refuse metrics that need judgments that the inputs lack, or other grades.

    Raises:
        UsageError: there is such a metric.
    """
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
    thresholds = [one.settings.get("threshold") for one in sources_of(run) if isinstance(one, Rows)]
    threshold = next((found for found in thresholds if found is not None), None)
    for metric in request.metrics if threshold is not None else ():
        if "score" in metric.needs:
            raise UsageError(
                f"Metric '{metric.label}': a rating error needs ratings, and threshold={threshold} reduces"
                f" them to 0 and 1. Leave threshold out. For ranking metrics rel={threshold} means the same,"
                " with gain=binary for nDCG."
            )


def _lacks_requests(source: Source) -> bool:
    """Whether a log says nothing of requests that showed nothing."""
    return isinstance(source, Rows) and source.log is not None and not source.knows_requests


def _quality(sources: Mapping[str | None, Rows], database: Engine) -> Table:
    """Counts the rows of sources that are used or not, while they are there; of several, by the names of runs."""
    from ..results.tables import Table

    tables = {name: _quality_of(source, database) for name, source in sources.items()}
    if None in tables:
        return tables[None]

    def run(_text: str) -> tuple[Sequence[str], Sequence[Row]]:
        columns = next(iter(tables.values())).columns
        return ["run_id", *columns], [(name, *row) for name, table in tables.items() for row in table.fetchall()]

    return Table(lambda: ";\n\n".join(table.sql for table in tables.values()), run)


def _quality_of(source: Rows, database: Engine) -> Table:
    from ..results.tables import Table

    place = source.place or database
    text = source.text(source.quality, place.dialect)
    quality = Table(lambda: text, place.run)
    if place.visiting and not source.stays:
        quality.fetchall()
    return quality


def compose(request: Request, inputs: ReadInputs, database: Engine) -> Plan:
    """The query that answers a request.

    Args:
        request: what is asked for.
        inputs: what it is asked of.
        database: where its statements run, or whose dialect they are written in.

    Raises:
        UsageError: the request and the inputs contradict each other.
        DataError: a column is missing.
    """
    options, requirements = request.choices.options, request.requirements
    binding = binding_of(inputs.spec, inputs.by_side, inputs.items, database.dialect, str(options["queries"]))

    def placed(relation: Relation, number: int = 1) -> Relation:
        return place(database, relation, number, binding.others(relation))

    others = (inputs.qrels, inputs.query_list, inputs.items)
    given = [*inputs.runs, *(relation for relation in others if relation is not None)]
    bound = iter(unify_ids([binding.bound(relation, requirements) for relation in given]))
    runs = [placed(next(bound), number) for number in range(1, len(inputs.runs) + 1)]
    qrels, query_list, items = (None if relation is None else placed(next(bound)) for relation in others)
    check_query_columns([*runs, qrels, query_list])
    names = _names_of_pairs(request, database, runs)
    plan = Plan(
        runs=runs,
        metrics=_metrics(request, inputs),
        options=options,
        qrels=qrels,
        query_list=query_list,
        items=items,
        groups=binding.groups,
        rollup=sets_of(inputs.spec, binding.groups),
        min_queries=inputs.spec.min_queries,
        has_cluster=inputs.spec.cluster is not None,
        baseline=next(iter(names), runs[0].name) if request.baseline is None else request.baseline,
        all_pairs=request.all_pairs,
        names_of_pairs=names,
        limits=request.limits,
        relative_limits=request.relative_limits,
        caps=request.caps,
        strategy="count" if options["strategy"] == "count" else "window",
        dialect=database.dialect,
    )
    plan.refuse(request.level)
    return plan


def _names_of_pairs(request: Request, database: Engine, runs: Sequence[Relation]) -> list[str]:
    """The names of the runs of one table, where all pairs of them are compared.

    Raises:
        UsageError: they cannot be looked up, or are fewer than two.
    """
    column = runs[0].columns.get("run_id")
    if request.baseline is not None or not column or not (request.all_pairs or request.is_of_pairs):
        return []
    if not database.is_connected:
        raise UsageError(
            f"A printed statement of all pairs names the runs, and column {column} of {runs[0].label} has their names."
            f" Pass a query for each run, without that column: SELECT * FROM ... WHERE {column} = 'A'."
        )
    text = f"SELECT DISTINCT s.{column} AS name FROM {runs[0].with_expressions} s WHERE s.{column} IS NOT NULL"
    names = sorted(str(name) for (name,) in database.run(text)[1])
    if len(names) < 2:
        raise UsageError(f"All pairs need two or more runs, and column {column} of {runs[0].label} names {len(names)}.")
    return names


def _metrics(request: Request, inputs: ReadInputs) -> Sequence[ResolvedMetric]:
    """The metrics; whoever rates items does not judge what others would show, so nobody is told how little is rated."""
    if not any("qrels" in source.parts for source in inputs.sources.values()):
        return request.metrics
    return [replace(metric, says_nonrelevant=True) for metric in request.metrics]


def place(database: Engine, relation: Relation, number: int = 1, others: Sequence[str] = ()) -> Relation:
    """A relation where statements can read it, with the name that stands for it there until they are translated.

    Args:
        database: where the statements run.
        relation: one whose columns have meanings; there they mean the same, and expressions are columns.
        number: which of its side it is.
        others: the names of columns that are read beside those with a meaning.
    """
    found = _settled(database, relation, others)
    name = None if found.dialect.canonical else f"rankmetrics_input_{found.side}_{number}"
    return replace(found, stand_in=name)


def _settled(database: Engine, relation: Relation, others: Sequence[str]) -> Relation:
    """Brings a relation to where statements can read it: the columns with a meaning, numbers as doubles, and others."""
    if relation.database is database:
        return relation
    local = database.local(relation.label)
    check_numbers(inspect_one(local, relation), relation)
    select = relation.select(others)
    types = local.describe(f"({select})")
    taken = database.take(relation.role, local, select)
    own: dict[str, Any] = {"database": database, "dialect": database.dialect}
    found = replace(relation, sql=taken, types=types, expressions={}, text_ids=False, **own)
    return replace(found, columns={meaning: _renamed(found, names) for meaning, names in relation.columns.items()})


def _renamed(relation: Relation, names: Any) -> Any:
    """One column or several as statements of another place write them."""
    if isinstance(names, str):
        return relation.column(unquoted(names))
    return names and [relation.column(unquoted(name)) for name in names]


def check_query_columns(relations: Sequence[Relation | None]) -> None:
    """A query is named by as many columns everywhere.

    Raises:
        UsageError: it is not.
    """
    known = [relation for relation in relations if relation is not None]
    wanted = len(known[0].columns["query_id"])
    for relation in known:
        if len(relation.columns["query_id"]) != wanted:
            raise UsageError(f"{relation.label}: elsewhere a query has {wanted} columns, but not here. Name as many.")

"""Make the plan of a request: relations whose columns have meanings, groups, and options, all that decides the SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from ..checks.ids import check_id_types
from ..checks.inspector import inspect_one
from ..checks.numbers import check_numbers
from ..dialects.names import unquoted
from ..engines import Catalog, Engine, is_engine
from ..errors import UsageError, advise
from ..inputs.binding import bind_columns, bind_relation, columns_of_groups
from ..inputs.groups import sets_of
from ..inputs.ids import unify_ids
from ..plan import COMPARISONS, Plan
from ..relation import Relation
from ..rows import Row
from ..sources import Rows
from ..sources import notes as notes_of
from .judges import check_column, cross_with_judges
from .load import Inputs
from .request import Request

if TYPE_CHECKING:
    from ..definitions.resolution import ResolvedMetric
    from ..results.tables import Table

_SHOWN_NAMES = 8  # names of runs in a message


def make_plan(database: Catalog, request: Request, inputs: Inputs) -> Plan:
    """Return the plan of a request over loaded inputs; nothing is checked yet."""
    options, spec, requirements = request.choices.options, inputs.spec, request.requirements
    if spec.judge is not None and inputs.qrels is not None:
        check_column(inputs.qrels, spec.judge)
    columns, groups, time = bind_columns(spec, inputs.by_side, inputs.items, database.dialect, str(options["queries"]))

    def readable(relation: Relation, number: int = 1) -> Relation:
        return place(database, relation, number, columns_of_groups(groups, relation))

    lists = (inputs.qrels, inputs.query_list, inputs.items)
    relations = [*inputs.runs, *(relation for relation in lists if relation is not None)]
    each = [bind_relation(relation, columns, groups, time, spec, requirements) for relation in relations]
    if inputs.human_qrels is not None:  # the model's judgments say the groups of all queries
        each.append(bind_relation(inputs.human_qrels, columns, [], None, spec, requirements))
    unified = unify_ids(each)
    _check_ids_to_upload(database, unified[: len(inputs.runs)], unified[len(inputs.runs) :])
    bound = iter(unified)
    runs = [readable(next(bound), number) for number in range(1, len(inputs.runs) + 1)]
    qrels, query_list, items = (None if relation is None else readable(next(bound)) for relation in lists)
    human_qrels = None if inputs.human_qrels is None else place(database, next(bound), 2)
    check_query_columns([*runs, qrels, human_qrels, query_list])
    notes: list[str] = []
    if spec.judge is not None and qrels is not None:
        place_of_judge, queries = len(spec.by) - 1, str(options["queries"])
        runs, qrels, query_list, groups, notes = cross_with_judges(
            database, runs, qrels, query_list, groups, place_of_judge, queries
        )
    names = _names_of_pairs(request, database, runs)
    if request.level in COMPARISONS and request.baseline is None and runs[0].columns.get("run_id") and not names:
        raise _missing_baseline(database, runs[0], inputs.sources.get(None))
    plan = Plan(
        runs=runs,
        metrics=_metrics(request, inputs),
        options=options,
        qrels=qrels,
        human_qrels=human_qrels,
        query_list=query_list,
        items=items,
        spec=spec,
        groups=groups,
        rollup=sets_of(spec, groups),
        min_queries=spec.min_queries,
        group_order=request.group_order,
        has_cluster=spec.cluster is not None,
        has_strata=spec.strata is not None,
        baseline=next(iter(names), runs[0].name) if request.baseline is None else request.baseline,
        all_pairs=request.all_pairs,
        names_of_pairs=names,
        limits=request.limits,
        relative_limits=request.relative_limits,
        caps=request.caps,
        strategy="count" if options["strategy"] == "count" else "window",
        dialect=database.dialect,
        sources=inputs.sources,
        judge=None if spec.judge is None else groups[len(spec.by) - 1].label,
    )
    plan.refuse(request.level)
    notes += _notes_on_judgments(plan, database)
    if not inputs.sources:
        return replace(plan, notes=notes)
    notes += [
        note
        for name, source in inputs.sources.items()
        for note in notes_of(source if name is None else replace(source, label=f"run {name!r}"))
    ]
    quality = _quality(inputs.sources, database) if is_engine(database) else None
    return replace(plan, quality=quality, notes=notes)


def _notes_on_judgments(plan: Plan, database: Catalog) -> list[str]:
    """Return warnings about where the judgments are from; raise if they are estimates, of which a metric makes nothing.

    A run that is an arm of the log that judgments were made of is graded by its own clicks.
    """
    qrels = plan.qrels
    if qrels is None:
        return []
    for metric in plan.metrics if qrels.facts.are_estimates else ():
        reads_grades = metric.reads_judgments and metric.known["reads_grades"]
        if reads_grades and not (metric.known["takes_estimates"] and metric.params.get("gain", "linear") == "linear"):
            raise UsageError(
                f"Metric '{metric.label}' needs grades, and {qrels.label} are estimates. Pass"
                f" {advise('argument', 'grades', 4)} to judgments(), or a list of thresholds. nDCG, DCG, ideal DCG and"
                " CG with gain=linear take estimates."
            )
    arms = [name for name in _run_names(plan, database) if name in qrels.facts.arms] if qrels.facts.arms else []
    is_own = "is an arm" if len(arms) == 1 else "are arms"
    own = (
        f"{', '.join(arms)} {is_own} of the log, so {qrels.label} grade a ranker by its own clicks. Items that others"
        " alone show have none, so a comparison favours it."
    )
    return [*qrels.facts.notes, *([own] if arms else [])]


def _run_names(plan: Plan, database: Catalog) -> list[str]:
    """Return the names of the runs, those in a column of one table, too."""
    run = plan.runs[0]
    if run.columns.get("run_id") and is_engine(database):
        return _names_in_column(run, database)
    return [run.name for run in plan.runs if run.name is not None]


def _names_in_column(run: Relation, database: Engine) -> list[str]:
    """Look up the names of the runs of one table."""
    column = run.columns["run_id"]
    text = f"SELECT DISTINCT s.{column} AS name FROM {run.with_expressions} s WHERE s.{column} IS NOT NULL"
    return sorted(str(name) for (name,) in database.run(text)[1])


def _check_ids_to_upload(database: Catalog, runs: Sequence[Relation], others: Sequence[Relation]) -> None:
    """Refuse ids that could never be equal before rows are uploaded; where none are, ``checks`` does it."""
    if not is_engine(database) or all(relation.database is database for relation in (*runs, *others)):
        return
    for run, other in product(runs, others):
        meanings = [meaning for meaning in ("query_id", "item_id") if other.columns.get(meaning)]
        check_id_types(inspect_one(database, run), run, other, meanings)


def _quality(sources: Mapping[str | None, Rows], database: Engine) -> Table:
    """Count the rows of sources that are used or not, by run if there are several; now, if they will be gone later."""
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

    place = source.place if is_engine(source.place) else database
    text = source.text(source.quality, place.dialect)
    quality = Table(lambda: text, place.run)
    if place.visiting and not source.is_permanent:
        quality.fetchall()
    return quality


def _names_of_pairs(request: Request, database: Catalog, runs: Sequence[Relation]) -> list[str]:
    """Look up the names of the runs of one table if all pairs of them are compared."""
    column = runs[0].columns.get("run_id")
    if request.baseline is not None or not column or not (request.all_pairs or request.is_of_pairs):
        return []
    if not is_engine(database):
        raise UsageError(
            f"A printed statement of all pairs names the runs, and column {column} of {runs[0].label} has their names."
            f" Pass a query for each run, without that column: SELECT * FROM ... WHERE {column} = 'A'."
        )
    names = _names_in_column(runs[0], database)
    if len(names) < 2:
        raise UsageError(f"All pairs need two or more runs, and column {column} of {runs[0].label} names {len(names)}.")
    return names


def _missing_baseline(database: Catalog, run: Relation, source: Rows | None) -> UsageError:
    """Return the error that asks which of the runs, or arms, of one relation the others are compared with."""
    noun = "arm" if source is not None and source.has_arms else "run"
    names = _names_in_column(run, database) if is_engine(database) else []
    more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
    found = f" The {noun}s: {', '.join(map(repr, names[:_SHOWN_NAMES]))}{more}." if names else ""
    return UsageError(
        f"{run.label}: the baseline is missing. Name the {noun} to compare with:"
        f" {advise('argument', 'baseline', 'NAME')}.{found}"
    )


def _metrics(request: Request, inputs: Inputs) -> Sequence[ResolvedMetric]:
    """Return the metrics; with ratings of a source, unrated items are expected, so no warning counts them."""
    if not any("qrels" in source.parts for source in inputs.sources.values()):
        return request.metrics
    return [replace(metric, says_nonrelevant=True) for metric in request.metrics]


def place(database: Catalog, relation: Relation, number: int = 1, others: Sequence[str] = ()) -> Relation:
    """Return a relation where statements can read it, with the name that it has until they are translated.

    Args:
        database: where the statements run.
        relation: one whose columns have meanings; its expressions become columns if it is uploaded.
        number: its number among the relations of its side.
        others: further columns to keep, by name.
    """
    readable = _settled(database, relation, others)
    name = None if readable.dialect.canonical else f"rankmetrics_input_{readable.side}_{number}"
    return replace(readable, stand_in=name)


def _settled(database: Catalog, relation: Relation, other_names: Sequence[str]) -> Relation:
    """Upload the columns with a meaning, numbers as doubles, and others, if the relation is not in the database."""
    if relation.database is database or not is_engine(database):  # only an engine reads files and objects
        return relation
    local = database.local(relation.label)
    check_numbers(inspect_one(local, relation), relation)
    select = relation.select(other_names)
    types = local.describe(f"({select})")
    uploaded = database.upload(relation.role, local, select)
    settled = replace(
        relation,
        sql=uploaded,
        types=types,
        expressions={},
        text_ids=False,
        database=database,
    )
    return replace(settled, columns={meaning: _renamed(settled, names) for meaning, names in relation.columns.items()})


def _renamed(relation: Relation, names: Any) -> Any:
    """Return one column or several as the other database writes them."""
    if isinstance(names, str):
        return relation.column(unquoted(names))
    return names and [relation.column(unquoted(name)) for name in names]


def check_query_columns(relations: Sequence[Relation | None]) -> None:
    """Raise unless all relations name a query by the same number of columns."""
    present = [relation for relation in relations if relation is not None]
    width = len(present[0].columns["query_id"])
    for relation in present:
        if len(relation.columns["query_id"]) != width:
            raise UsageError(f"{relation.label}: elsewhere a query has {width} columns, but not here. Name as many.")

"""The ranking strategy: sorting whole lists or counting, whichever is faster for the inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from ..checks import InputInspector, check_always, check_fully, sizes
from ..checks.rows import check_rows, is_ours
from ..engines import Engine
from ..errors import UsageError
from ..inputs.columns import ColumnSpec
from ..plan import Plan
from ..relation import Relation
from ..results.tables import Table
from ..sources import Rows
from .bind import bind
from .reading import Others
from .request import Request
from .running import Statements

# Counting compares each judged item of a list with all of the list; sorting does not care how many are judged, but for
# how much of the list it is asked. Up to _FACTOR * n ** _POWER judged items in a list of n, counting is faster, or at
# most 1.15 times slower, and up to a share ** _CUT of that where only a share of the list is sorted (measured for lists
# of 10 to 10,000 items with 0.1 to 300 judged ones). Where so few as _HARDLY_ANY are asked for, nobody looks.
# Where a query has more than _MANY judgments, the average list may not be the one that takes the time. Where there are
# few rows in all, either takes less than a closer look would.
_FACTOR, _POWER, _CUT = 1.7, 0.3, 0.7
_HARDLY_ANY, _MANY = 0.6, 50

# To find the score of the k-th item of each list of n costs more than it saves to sort, where n is not this much more
# (measured for k = 10: lists of 5 and 10 items by a third, lists of 20 are 1.1 times faster, those of 40 1.5 times).
_WORTH_CUTTING = 1.5


def choose_strategy(plan: Plan, inspector: InputInspector) -> Plan:
    """The query with the strategy that suits its inputs.

    Args:
        plan: whose inputs have been checked.
        inspector: asks how large they are.
    """
    plan = replace(plan, strategy=_strategy(plan, inspector))
    return replace(plan, ranks_all=_ranks_all(plan, inspector))


def _strategy(plan: Plan, inspector: InputInspector) -> str:
    """The strategy asked for; else counting where lists of a table or file, not a query, have few judged items."""
    wanted = str(plan.options["strategy"])
    if plan.options["position"] == "given":
        return "window"
    if wanted != "auto":
        return wanted
    is_query = plan.qrels is None or any(relation.is_query for relation in (*plan.runs, plan.qrels))
    if is_query or not inspector.database.counts_judgments:
        return "window"
    n_items = sizes.items_per_list(inspector)
    depth = plan.sorted_depth
    share = 1.0 if depth is None else min(1.0, depth / n_items)
    few = _FACTOR * n_items**_POWER * share**_CUT
    n_judged = sizes.judgments_per_query(inspector)
    if sizes.has_few_rows(inspector):
        return "window" if n_judged > few else "count"
    if n_judged > few > _HARDLY_ANY:
        n_judged = sizes.judged_per_list(inspector)
    if n_judged > few:
        return "window"
    return "window" if sizes.most_judgments(inspector) > _MANY and n_judged * sizes.skew(inspector) > few else "count"


def _ranks_all(plan: Plan, inspector: InputInspector) -> bool:
    """Whether the lists of a large table are so short that cutting them costs more than it saves."""
    is_known = inspector.database.counts_judgments and not plan.runs[0].is_query and plan.strategy == "window"
    if not is_known or not sizes.has_many_rows(inspector):
        return False
    depth = plan.sorted_depth
    return depth is not None and sizes.items_per_list(inspector) < _WORTH_CUTTING * depth


# Is told, once the inputs are read and checked, each line of what was chosen.
planner: ContextVar[Callable[[str], None] | None] = ContextVar("planner", default=None)


@dataclass(frozen=True)
class Evaluation:
    """Inputs that have been read and checked, and the statements over them.

    Attributes:
        request: what is asked for.
        spec: what is read of the inputs, under the names of their columns.
        statements: what answers it.
        warnings: what may make a number mean less than it seems.
        check: what was checked, as ``Result.check`` says it.
        quality: counts the rows of a source that are used or not; None where there is no source.
        sources: the sources that were read, of which more may be asked; that in place of all runs is called None.
    """

    request: Request
    spec: ColumnSpec
    statements: Statements
    warnings: list[str]
    check: str
    quality: Table | None = None
    sources: Mapping[str | None, Rows] = field(default_factory=dict)

    @property
    def source(self) -> Rows | None:
        """The source in place of all runs, where there is one."""
        return self.sources.get(None)

    @property
    def plan(self) -> Plan:
        """The query that the statements answer."""
        return self.statements.plan

    @property
    def inspector(self) -> InputInspector:
        """Asks about the inputs."""
        return self.statements.inspector

    def checked_before(self) -> Statements:
        """Statements whose results have no room for faults, so that these are looked for now.

        Raises:
            DataError: there are some.
        """
        if self.plan.check == "judged":
            check_rows(self.inspector, exact=True)
        return replace(self.statements, plan=replace(self.plan, check="none"))


def prepare(
    database: Engine,
    request: Request,
    spec: ColumnSpec,
    run: Any,
    qrels: Any,
    others: Others,
    input_format: str | None = None,
) -> Evaluation:
    """Reads and checks the inputs of an evaluation.

    Args:
        database: where it runs.
        request: what is asked for.
        spec: what is read of the inputs.
        run: the run or runs, or a source.
        qrels: the judgments.
        others: the queries to score, and the items that there are.
        input_format: of all files, or None to go by their names.

    Raises:
        UsageError: the request and the inputs contradict each other.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    bound = bind(database, request, spec, run, qrels, others, input_format)
    _refuse_marks(database, request)
    inspector = InputInspector(
        database,
        replace(bound.plan, check=str(bound.plan.options["check"])),
        bound.sources,
        level=request.level,
    )
    plan, found, check = _checked(inspector)
    plan = choose_strategy(plan, inspector)
    tell = planner.get()
    if tell is not None:
        for line in _plan(plan, check):
            tell(line)
    statements, said = Statements(database, plan, inspector), [*bound.notes, *found]
    return Evaluation(request, bound.spec, statements, said, check, bound.quality, bound.sources)


def _refuse_marks(database: Engine, request: Request) -> None:
    """Refuses to name queries without relevant items where no NaN can mark them.

    Raises:
        UsageError: that is asked for.
    """
    if not database.dialect.has_nan and any(metric.params.get("no_relevant") == "error" for metric in request.metrics):
        raise UsageError(f"no_relevant=error needs NaN, which {database.dialect} does not have. Take null or skip.")


def _checked(inspector: InputInspector) -> tuple[Plan, list[str], str]:
    """The query with the faults that its statement still has to count, what is warned of, and what was checked.

    Raises:
        DataError: an input is malformed or contradicts itself.
    """
    plan, check = inspector.plan, inspector.plan.check
    found = check_always(inspector)
    plan = replace(plan, groups_checked=True)
    if check in ("auto", "full"):
        rows = check_fully(inspector, exact=check == "full")
        found += rows.warnings
        check = "share" if rows.is_share else "full"
    else:
        part = "only retrieved items with a judgment are" if check == "judged" else "nothing is"
        found.append(f"check={check}: {part} checked for duplicates and bad scores.")
    if not plan.has_weight and all(is_ours(plan, relation) for relation in plan.relations):
        return replace(plan, check="none"), found, check
    if check == "share":
        is_clean = all(relation.clean for relation in plan.relations) and not plan.has_weight
        return replace(plan, check="none" if is_clean else "judged"), found, check
    return replace(plan, check=check), found, check


def _plan(plan: Plan, check: str) -> Iterator[str]:
    """Describe the chosen plan for people."""
    counts = ((len(plan.runs), "run"), (len(plan.metrics), "metric"))
    asked = " and ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)
    yield f"{asked} in one statement, strategy={plan.strategy}; input checked: {check}"
    yield "; ".join(f"{relation.label}: {_place(relation)}" for relation in plan.relations)


def _place(relation: Relation) -> str:
    """Describe where statements read a relation."""
    if relation.stays:
        return "your query" if relation.is_query else "your table"
    return "read directly" if relation.sql.startswith(("(", "read_")) else "loaded"

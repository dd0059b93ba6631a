"""Compute everything on a page in one evaluation: inputs are read and checked once, and values computed once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from .. import charts
from ..charts.differences import MOST_BARS
from ..checks.queries import check_queries
from ..definitions.catalogue import metrics as described_metrics
from ..definitions.catalogue import options as described_options
from ..definitions.known import known_options
from ..definitions.resolution import Choices, resolve_metrics, resolve_options
from ..definitions.verdicts import interval_level
from ..dialects import in_dialect
from ..dialects.names import literal
from ..engines import Engine
from ..errors import DatabaseError, RankmetricsError, UsageError
from ..inputs.binding import name_meanings
from ..inputs.columns import MetricRequirements
from ..inputs.reader import Reader
from ..pipeline.comparison import comparison, counting_faults
from ..pipeline.execute import Evaluation
from ..pipeline.header import facts_of_sources
from ..pipeline.movements import list_movements, metric_of_movements
from ..pipeline.planning import place
from ..pipeline.request import Request
from ..pipeline.scores import score, stored_values
from ..plan import MOVEMENTS, OF_COMPARISONS, Plan
from ..relation import OF_QUERIES, Relation
from ..results.chart_kinds import has_time
from ..results.comparison import Comparison
from ..results.comparison_text import describe_test, facts_of, reasons_of
from ..results.evaluation import Result
from ..results.explanation import Movements
from ..results.heterogeneity import describe_groups
from ..results.sensitivity import Agreement
from ..results.summary_rows import groups_of
from ..results.worst import MIN_REQUESTS
from ..results.worst import Worst as Losing
from ..sources import Labelled, Rows, Source, Values
from . import sentences, tables
from .contents import Page
from .queries import Changes, Worst, changes, worst

THE_RUN = "the run"  # where it has no name
_ITSELF = " itself"  # the name of a run beside its own

# Options that decide which rows a list has and in what order.
_OF_LISTS = ("ties", "score_type", "position", "duplicates", "duplicate_judgments")


@dataclass(frozen=True)
class PageRequest:
    """An evaluation or a comparison, of which more is asked.

    Attributes:
        evaluation: with its groups; its inputs have been read and checked.
        choices: the options that the user gave.
        source: the source in place of runs, or None.
        baseline: what the baseline is called; None for the first run.
        shares: of arms, how the units were to be shared out.
        partitions: in how many parts the values are computed.
        title: of the page; None for one that names the runs.
        agreement: measures how far the judges agree; None without judges.
        losing: lists the searches that lose clicks; None unless the source is a log.
    """

    evaluation: Evaluation
    choices: Choices
    source: Source | None = None
    baseline: str | None = None
    shares: Mapping[str, float] | None = None
    partitions: int = 1
    title: str | None = None
    agreement: Callable[[], Agreement] | None = None
    losing: Callable[[Engine, str, int], Losing] | None = None

    @property
    def has_groups(self) -> bool:
        """Return whether there are segments."""
        return len(self._plan.shown_groups) > (self._plan.judge is not None)

    @property
    def of_values(self) -> str:
        """Return what the title of values adds if differences are capped."""
        return ", not capped" if self._plan.caps else ""

    @property
    def has_runs(self) -> bool:
        """Return whether runs can be compared: given one by one, or by a source."""
        return self.source is not None or self._plan.runs[0].name is not None

    @property
    def options(self) -> dict[str, Any]:
        """Return the options in effect, with the ones that the inputs imply."""
        of_plan = {name: self._plan.options[name] for name in self.choices.options if name in self._plan.options}
        is_new = self._request.level != "compare" and self.source is not None
        return dict(self.choices.options) | of_plan | (self.source.design if is_new and self.source else {})

    @property
    def _plan(self) -> Plan:
        return self.evaluation.plan

    @property
    def _request(self) -> Request:
        return self.evaluation.request

    @cached_property
    def _stored(self) -> Relation | None:
        """Return the stored values of the queries, so that inputs are read once; None if they cannot be stored."""
        return stored_values(self.evaluation, self.partitions)

    @property
    def _groups_of_all(self) -> list[int]:
        """Return the places of the groups that all queries have: the judge, and the cluster or stratum."""
        plan = self._plan
        judge = [] if plan.judge is None else [len(plan.spec.by) - 1]
        return [*judge, *range(len(plan.shown_groups), len(plan.groups))]

    def values(self, *, in_segments: bool = False) -> Result:
        """Return the values of the runs, with their intervals."""
        defaults = {name: known_options()[name]["default"] for name in OF_COMPARISONS}
        interval = self._plan.options["interval"]
        options = {**defaults, "interval": "t" if interval in (None, "none") else interval}
        evaluation = self._asked("summary", in_segments, options)
        return replace(score(evaluation), sql=_whole(evaluation, evaluation.plan, "summary"))

    def differences(self, baseline: str, *, in_segments: bool = False) -> Comparison:
        """Return the comparison with the baseline."""
        evaluation = self._compared(baseline, in_segments)
        compared = comparison(evaluation, self.shares)
        return replace(compared, sql=_whole(evaluation, counting_faults(evaluation).plan, "compare"))

    def text_of_changes(self, baseline: str) -> str:
        """Return the statement behind the differences by query."""
        evaluation = self._compared(baseline, in_segments=False)
        return _whole(evaluation, replace(evaluation.plan, check="none"), "compare_per_query")

    def _compared(self, baseline: str, in_segments: bool) -> Evaluation:
        options: dict[str, Any] = {"interval": known_options()["interval"]["default"]}
        is_new = self._request.level != "compare"
        if is_new and self.source is not None:
            options |= self.source.design
        evaluation = self._asked("compare", in_segments, options, baseline)
        if is_new and not in_segments:
            evaluation.plan.refuse("compare")
            check_queries(
                evaluation.inspector.with_plan(replace(self._plan, options=evaluation.plan.options), level="compare")
            )
        return replace(evaluation, plan=replace(evaluation.plan, sources={})) if in_segments else evaluation

    def _asked(
        self, level: str, in_segments: bool, options: Mapping[str, Any], baseline: str | None = None
    ) -> Evaluation:
        """Return the evaluation of another level, over all queries or in segments."""
        plan, relations = self._plan, self._stored
        kept = self._groups_of_all
        if not in_segments and relations is not None and kept:
            relations = _with_groups(relations, kept)
        plan = replace(
            plan,
            options={**plan.options, **options},
            groups=plan.groups if in_segments else [plan.groups[place] for place in kept],
            rollup=False,
            min_queries=plan.min_queries if in_segments else None,
            group_order=plan.group_order if in_segments and level == "summary" else None,
            baseline=baseline or plan.baseline,
            limits=plan.limits if level == "compare" else None,
            caps=plan.caps if level.startswith("compare") else {},
            stored_values=relations,
        )
        request = self._request._replace(level=level, baseline=plan.baseline)
        inspector = self.evaluation.inspector.with_plan(replace(plan, stored_values=None))
        return replace(self.evaluation, request=request, plan=plan, inspector=inspector)

    def lists(self, baseline: str, candidate: str, names: Sequence[Any], k: int) -> Movements:
        """Return the top k of some queries in two runs."""
        runs = [run for run in self._plan.runs if run.name in (baseline, candidate, None)]
        return self._movements(runs, self._plan.qrels, baseline, names, k)

    def lists_of_one(self, name: str | None, names: Sequence[Any], k: int) -> Movements:
        """Return the top k of some queries of one run, compared with itself."""
        run = next((run for run in self._plan.runs if run.name == name), None)
        is_labelled = isinstance(self.source, Labelled) and self.source.runs is None
        if run is None or (self.source is not None and not is_labelled):
            raise UsageError("they come from a log, or from one table with several runs.")
        qrels = self._plan.qrels
        if is_labelled:
            run, qrels = _apart(run)
        both = [replace(run, name=_ITSELF), replace(run, name=name or THE_RUN)]
        return self._movements(both, qrels, _ITSELF, names, k)

    def _movements(
        self, runs: Sequence[Relation], qrels: Relation | None, baseline: str, names: Sequence[Any], k: int
    ) -> Movements:
        """Return the movements of these queries, from one more statement."""
        resolved, database = self._request.choices, self.evaluation.inspector.database
        list_options = {name: resolved.options[name] for name in _OF_LISTS}
        choices = resolve_options({"queries": "retrieved", **list_options}, resolved.profile)
        metrics = resolve_metrics(metric_of_movements(k, choices), choices)
        query_list = self._list_of(names)
        plan = Plan(
            runs=[*map(_without_numbers, runs)],
            metrics=metrics,
            options=choices.options,
            qrels=_without_numbers(qrels) if qrels is not None else None,
            query_list=place(database, query_list),
            baseline=baseline,
            strategy=self._plan.strategy,
            dialect=self._plan.dialect,
            judge=self._plan.judge,
        )
        plan.refuse(MOVEMENTS)
        return list_movements(replace(self.evaluation, plan=plan))

    def _list_of(self, names: Sequence[Any]) -> Relation:
        """Return queries as a relation: loaded, or as the text of a statement."""
        database = self.evaluation.inspector.database
        reader = Reader(database)
        if database.takes_files and not any(isinstance(key, tuple) for key in names):
            return name_meanings(reader.one(names, "query_list"), self._plan.spec.columns, MetricRequirements())
        rows = [key if isinstance(key, tuple) else (key,) for key in names]
        keys = [f"rankmetrics_key_{number}" for number, _ in enumerate(rows[0], start=1)]
        selects = (
            ", ".join(f"{_literal(value)} AS {key}" for value, key in zip(row, keys, strict=True)) for row in rows
        )
        text = " UNION ALL ".join(f"SELECT {select}" for select in selects)
        text = in_dialect(text, database.dialect, {}, quotes_results=False)
        return replace(reader.one(text, "query_list"), columns={"query_id": keys})


def _literal(value: Any) -> str:
    """Return the id of a query as an SQL literal: integers as they are, all else as text."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else literal(str(value))


def _whole(evaluation: Evaluation, plan: Plan, level: str) -> str:
    """Return the statement that reads the inputs instead of stored values."""
    return replace(evaluation, plan=replace(plan, stored_values=None)).text_to_show(level)


def _with_groups(stored: Relation, places: Sequence[int]) -> Relation:
    """Return the stored values with some of their groups, numbered anew."""
    columns = [f"s.{name}" for name in stored.types or () if not name.startswith("group_")]
    columns += [f"s.group_{place + 1} AS group_{number}" for number, place in enumerate(places, start=1)]
    return replace(stored, sql=f"(SELECT {', '.join(columns)} FROM {stored.sql} s)")


def _without_numbers(relation: Relation) -> Relation:
    """Return the relation without weights and other columns that movements ignore."""
    columns = {meaning: names for meaning, names in relation.columns.items() if meaning not in OF_QUERIES}
    return replace(relation, columns=columns)


def _apart(labelled: Relation) -> tuple[Relation, Relation]:
    """Split a labelled table into a run and its judgments."""
    judged = ("query_id", "item_id", "relevance")
    columns = {
        meaning: names for meaning, names in labelled.columns.items() if meaning not in ("relevance", "n_relevant")
    }
    judgments = {meaning: labelled.columns[meaning] for meaning in judged}
    return replace(labelled, role="run", columns=columns), replace(labelled, role="qrels", columns=judgments)


_MOST_METRICS = 4  # that are drawn
_ADDRESS = re.compile(r"\b[\w+]+://[^\s,;]+")
_LISTS, _DEPTH = 5, 10  # queries whose lists are drawn, and how many ranks of them
_SEARCHES, _LOST = 10, 0.05  # searches that lose clicks, and the least loss, which is shown as 0.1


def gather(request: PageRequest) -> Page:
    """Compute everything that is on the page."""
    overall = request.values()
    records = overall.summary.dicts()
    names = list(dict.fromkeys(str(row["run_id"]) for row in records if "run_id" in row))
    page = Page(request.title or _title(names, request.baseline), check=overall.check)
    page.written = datetime.now().astimezone().date().isoformat()
    page.database = request.evaluation.database.name
    first = request.baseline or (names[0] if names else None)
    names.sort(key=lambda name: name != first)  # the baseline stands first everywhere
    records.sort(key=lambda row: names.index(str(row["run_id"])) if "run_id" in row else 0)
    comparison = _comparison(request, names, first, page)
    level = _level(request)
    if comparison is None:
        page.verdict += sentences.describe_values(records, overall.counts, level)
    else:
        _compared(page, comparison)
        page.verdict += sentences.describe_missing(records, comparison.summary.dicts())
    title = f"Values{request.of_values}"
    if not isinstance(request.source, Values):  # whose metrics are columns of the user's
        grade = "clicked" if _grades_clicks(request.source) else "relevant"
        page.explained = {metric.label: _meaning(metric.name, grade) for metric in request.evaluation.plan.metrics}
    page.grids.append(tables.values(records, overall.counts, level, title=title))
    _draw_overall(page, title, records, comparison)
    if request.has_groups:
        _segments(page, request, first if comparison is not None else None, level)
    _judges(page, request, level)
    _losing(page, request, level)
    _queries(page, request, overall, comparison, first)
    _background(page, request, overall)
    return page


def _grades_clicks(source: Any) -> bool:
    """Return whether a log's relevant items are those that were clicked, and no others."""
    return _is_log(source) and {*source.settings.get("grades", ())} == {"click"}


def _is_log(source: Any) -> bool:
    return isinstance(source, Rows) and source.log is not None


def _meaning(metric: str, grade: str) -> str:
    """Return what a metric says, without its exceptions: the first clause of its summary."""
    clause = re.split(r"[;.] ", described_metrics()[metric].summary)[0].rstrip(".")
    return clause.replace("relevant item", f"{grade} item")


def _title(names: Sequence[str], baseline: str | None) -> str:
    if len(names) < 2:
        return "Ranking metrics" + (f" of {tables.shown(names[0])}" if names else "")
    first = baseline or names[0]
    rest = [name for name in names if name != first]
    against = tables.shown(rest[0]) if len(rest) == 1 else f"{len(rest)} runs"
    return f"{against} against {tables.shown(first)}"


def _level(request: PageRequest) -> str:
    return f"{100 * float(str(request.choices.options['confidence_level'])):g} % interval"


def _level_of(options: Mapping[str, Any]) -> str:
    """Return the title of the intervals of a comparison."""
    return f"{100 * interval_level(options):g} % interval"


def _comparison(request: PageRequest, names: Sequence[str], first: str | None, page: Page) -> Comparison | None:
    if first is None or len(names) < 2:
        return None
    if not request.has_runs:
        why = "Runs are not compared: they are in one table; name its column of runs as labelled() does."
        page.verdict.append(sentences.Sentence("note", why))
        return None
    return request.differences(first)


def _compared(page: Page, comparison: Comparison) -> None:
    records = comparison.summary.dicts()
    judges, notes = groups_of(records), comparison.notes
    if judges:
        page.verdict = [sentences.Sentence("note", note) for note in notes]
        page.verdict += sentences.describe_segments(records, judges, comparison.counts)
        notes = []
    else:
        page.verdict = sentences.verdict(records, comparison.options, comparison.better, comparison.counts)
    page.tested = describe_test(records, comparison.options)
    facts = facts_of(records, comparison.options, comparison.counts, notes)
    reasons = reasons_of(records) if len(records) <= sentences.MOST_SENTENCES else []  # in the sentences
    page.facts = [fact for fact in facts if fact not in reasons]
    level = _level_of(comparison.options)
    page.grids.append(tables.differences(records, judges, comparison.better, comparison.counts, level))
    page.warnings += comparison.warnings
    page.statements.append(("The differences", comparison.sql))


def _draw_overall(page: Page, title: str, records: Sequence[Mapping[str, Any]], comparison: Comparison | None) -> None:
    if comparison is not None:
        rows = _first_metrics(comparison.summary.dicts())
        page.figures.append(page.figure("Differences", charts.effects(_named(rows))))
    labels = _first_metrics(records)
    page.figures.append(page.figure(title, charts.segments(_named(labels))))
    number = len({record["metric"] for record in records})
    if number > _MOST_METRICS:
        page.notes.append(f"Charts show the first {_MOST_METRICS} of {number} metrics; the tables have all of them.")


def _first_metrics(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    labels = list(dict.fromkeys(record["metric"] for record in records))[:_MOST_METRICS]
    return [record for record in records if record["metric"] in labels]


def _named(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with shortened names, so that a long one does not fill a chart."""
    return [
        {name: tables.shown(value) if isinstance(value, str) else value for name, value in record.items()}
        for record in records
    ]


def _segments(page: Page, request: PageRequest, first: str | None, level: str) -> None:
    """Add the groups of --by to the page."""
    result = request.values(in_segments=True)
    records = result.summary.dicts()
    if first is not None:
        comparison = request.differences(first, in_segments=True)
        rows = comparison.summary.dicts()
        described = rows, groups_of(rows), comparison.better, comparison.counts, _level_of(comparison.options)
        page.segments.append(tables.differences(*described, name="segment-differences"))
        differing = _differing(comparison)
        page.segment_verdict = [sentences.Sentence("note", text) for text in differing]
        page.segment_verdict += sentences.describe_segments(rows, groups_of(rows), comparison.counts)
        notes = [note for note in comparison.notes if note not in differing]
        facts = facts_of(rows, comparison.options, comparison.counts, notes)
        caption = f"Differences in segments: {describe_test(rows, comparison.options)}."
        page.notes.append(" ".join([caption, *facts]))
        page.warnings += comparison.warnings
        page.statements.append(("The differences in segments", comparison.sql))
        drawn_rows = charts.effects(_named(_first_metrics(rows)))
        page.segment_figures.append(page.figure("Differences in segments", drawn_rows))
    title = f"Values{request.of_values}"
    page.segments.append(tables.values(records, result.counts, level, name="segment-values", title=title))
    draw = charts.over_time if has_time(result.summary) else charts.segments
    page.segment_figures.append(
        page.figure(f"Values in segments{request.of_values}", draw(_named(_first_metrics(records))))
    )
    page.warnings += result.warnings
    page.statements.append(("The values in segments", result.sql))


def _differing(comparison: Comparison) -> list[str]:
    """Return the sentences on whether the effect differs between the segments."""
    if comparison.heterogeneity is None:
        return []
    return describe_groups(comparison.heterogeneity.dicts(), comparison.summary.dicts(), comparison.options)


def _judges(page: Page, request: PageRequest, level: str) -> None:
    """Add how far the judges agree, and the grades of the two who agree least."""
    if request.agreement is None:
        return
    try:
        found = request.agreement()
    except RankmetricsError as error:
        page.notes.append(f"The agreement of the judges is not shown: {_without_address(error)}")
        return
    page.agreement = [tables.pairs_of_judges(found.pairs, level), tables.all_judges(found.overall, level)]
    least = min(found.pairs, key=lambda pair: 2 if pair["quadratic_kappa"] is None else pair["quadratic_kappa"])
    two = least["judge_a"], least["judge_b"]
    grades = [row for row in found.grades if (row["judge_a"], row["judge_b"]) == two]
    names = [*map(tables.shown, two)]
    title = f"Grades of {names[0]} and {names[1]}" + (", who agree least" if len(found.pairs) > 1 else "")
    page.agreement_figures.append(page.figure(title, charts.confusion(grades, least, names)))
    page.warnings += found.warnings
    page.statements.append(("The agreement of the judges", ";\n\n".join(found.sql)))


def _losing(page: Page, request: PageRequest, level: str) -> None:
    """Add the searches that lose clicks, of a log that names its search text."""
    source = request.evaluation.plan.sources.get(None)
    text = source.search_text if source is not None else None
    if request.losing is None or text is None:
        return
    try:
        found = request.losing(request.evaluation.database, text, _SEARCHES)
    except RankmetricsError as error:
        page.notes.append(f"The searches that lose clicks are not shown: {_without_address(error)}")
        return
    name = found.columns[0]
    rows = [row for row in found.dicts() if row["lost_clicks"] >= _LOST]
    if not rows:
        why = f"none with {MIN_REQUESTS} requests or more loses any"
        page.notes.append(f"The searches that lose clicks are not shown: {why}.")
        return
    confidence = float(str(request.choices.options["confidence_level"]))
    page.losing = tables.losing(rows, name, level)
    page.losing_verdict = [sentences.describe_losing(rows[0], name, level)]
    totals = {part["part"]: part for part in found.totals.dicts()}
    has_arms = request.source is not None and request.source.runs is not None
    page.losing_facts = sentences.facts_of_losing(
        totals, len(rows), MIN_REQUESTS, (1 - confidence) / 2, has_arms=has_arms
    )
    page.losing_facts.append(sentences.how_to_list(text, _SEARCHES, confidence))
    page.losing_facts += [note for note in found.warnings if note not in found.notes_on_columns()]
    page.losing_figures.append(page.figure("Lost clicks", charts.lost(_named(rows), [name])))
    page.statements.append(("The searches that lose clicks", found.sql))


def _queries(
    page: Page, request: PageRequest, overall: Result, comparison: Comparison | None, first: str | None
) -> None:
    if comparison is None:
        lowest = worst(overall, _LISTS)
        page.changes, metrics = lowest.grid, [*overall.metrics][:_MOST_METRICS]
        values = charts.distribution(_named(lowest.rows), metrics)
        page.query_figures.append(page.figure("Values of queries", values))
        _rankings(page, request, first, lowest)
        return
    changed = changes(comparison, _LISTS)
    if changed is None:
        return
    page.changes, page.is_changed = changed.grid, True
    for (run, metric), rows in changed.drawn.items():
        better, what = comparison.better.get(metric, "higher"), f"{tables.shown(metric)} of {tables.shown(run)}"
        if len(rows) > MOST_BARS:
            chart = charts.histogram(rows, better)
            page.query_figures.append(page.figure(f"{what}: how many queries changed how much", chart))
        if not changed.is_cut:
            page.query_figures.append(page.figure(f"{what}, by query", charts.differences(rows, better)))
    if comparison.per_query is not None:
        page.statements.append(("The differences by query", request.text_of_changes(str(first))))
    _lists(page, request, str(first), changed)


def _lists(page: Page, request: PageRequest, first: str, changed: Changes) -> None:
    """Add the rankings of the queries that changed most."""
    if not changed.most_changed:
        return
    candidate = next(iter(changed.drawn))[0]
    moved = _moved(page, changed.most_changed, partial(request.lists, first, candidate))
    if moved is None:
        return
    rows = [row for row in moved.summary.dicts() if row["run"] == candidate]
    lanes = {"baseline_rank": first, "candidate_rank": candidate}
    _draw_lists(page, rows, changed.most_changed, changed.keys, charts.beads, lanes)


def _rankings(page: Page, request: PageRequest, name: str | None, lists: Worst) -> None:
    """Add the rankings of the worst queries of the first run."""
    if isinstance(request.source, Values):  # which has no lists
        return
    moved = _moved(page, lists.names, partial(request.lists_of_one, name))
    if moved is not None:
        rows = [{**row, "run_id": row["run"], "rank": row["candidate_rank"]} for row in moved.summary.dicts()]
        _draw_lists(page, rows, lists.names, lists.keys, charts.ranking, {"rank": ""})


def _moved(
    page: Page, names: Sequence[tuple[Any, ...]], ask: Callable[[list[Any], int], Movements]
) -> Movements | None:
    """Return the movements of queries, or None; the page then says why."""
    if not names:
        return None
    try:
        moved = ask([key[0] if len(key) == 1 else key for key in names], _DEPTH)
    except RankmetricsError as error:
        page.without_lists = f"Lists are not shown: {_without_address(error)}"
        return None
    page.statements.append(("The lists", moved.sql))
    return moved


def _without_address(error: RankmetricsError) -> str:
    """Return the error's message without addresses of databases, because reports are mailed."""
    if isinstance(error, DatabaseError):
        return "the database refused the statement."
    return _ADDRESS.sub("the database", str(error))


def _draw_lists(
    page: Page,
    rows: Sequence[Mapping[str, Any]],
    names: Sequence[tuple[Any, ...]],
    keys: Sequence[str],
    draw: Callable[[list[dict[str, Any]], str, list[float]], Any],
    lanes: Mapping[str, str],
) -> None:
    """Draw the lists of queries, each with the table of its items; ``lanes`` are the ranks, and what they are of."""
    grades = sorted({row["relevance"] for row in rows if isinstance(row["relevance"], int | float)})
    for key in names:
        of_query = [row for row in rows if tuple(row[name] for name in keys) == tuple(key)]
        if of_query:
            title = f"Query {', '.join(map(tables.shown, key))}"
            figure = page.figure(title, draw(_named(of_query), keys[0], grades))
            items = tables.items(f"items-{len(page.lists) + 1}", f"Items of {title.lower()}", of_query, lanes)
            page.lists.append(replace(figure, table=items))


def _background(page: Page, request: PageRequest, overall: Result) -> None:
    page.warnings = list(dict.fromkeys([*overall.warnings, *page.warnings]))
    if overall.data_quality is not None:
        page.quality = tables.quality(overall.data_quality.dicts())
    page.judged = sentences.describe_judged(*overall.judged_first()) if overall.judged_first is not None else []
    page.statements.insert(0, ("The values", overall.sql))
    page.has_scores = not _is_log(request.source)
    page.rules = facts_of_sources(request.evaluation.plan.sources)
    for name, value in request.options.items():
        option = described_options()[name]
        page.choices.append((name, _said(value), value == option.default, option.help))


def _said(value: Any) -> str:
    return "none" if value is None else str(value)

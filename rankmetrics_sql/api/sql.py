"""Write the SQL of an evaluation without running it, and estimate how much a statement would read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from ..checks import InputInspector
from ..checks.rows import refuse_mixed_runs
from ..definitions.resolution import Choices, ResolvedMetric, refuse, resolve_metrics, resolve_options
from ..dialects import CANONICAL
from ..engines.unconnected import Unconnected
from ..errors import UsageError, advise, nearest, shortened
from ..inputs.reader import Reader
from ..pipeline.header import facts, facts_of_sources, notes_on, repeated, to_comment, unchecked
from ..pipeline.header import header as header_of
from ..pipeline.judges import check_judge
from ..pipeline.load import load_inputs
from ..pipeline.planning import make_plan
from ..pipeline.request import Request
from ..plan import COMPARISONS, CURVES, JUDGE_NEXT, MOVEMENTS, Plan
from ..relation import Relation
from ..sources import Labelled, Rows, Source, are_judged
from ..templates import commented
from .judging import check_n, metric_to_judge, refuse_of_tests
from .keywords import GROUPS, OF_SUMMARIES, Common, choices_of, column_spec, make_request, options_of, public
from .place import dialect_of, opened
from .runs import defaults_of, design_of, runs_of_pairs

if TYPE_CHECKING:
    from ..rows import Estimate


@public()
def estimate(statement: str, *, connection: Any = None) -> Estimate | None:
    """Asks the database how much a statement would read. The database plans the statement and does not run it.

    Args:
        statement: its text, such as ``sql`` returns in the dialect of the database.
        connection: as in ``evaluate``.

    Returns:
        The rows and bytes that it would read, each None if the database gives no such number, and the text of its
        answer. None if the database gives no estimate at all.

    Raises:
        UsageError: there is no connection, or nothing is known of it, or the statement is not one query.
        DatabaseError: the database refused the statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rm.estimate("SELECT * FROM range(100)", connection=rm.connect()).rows
        100
    """
    if connection is None:
        raise UsageError("An estimate comes from the database. Pass connection=.")
    with opened(connection) as engine:
        return engine.estimate(statement)


DATA_QUALITY = "data_quality"


def quality_text(place: Unconnected, run: Any, metrics: Any, *, header: bool, comments: bool) -> str:
    """The statement behind ``result.data_quality``.

    Args:
        place: whose SQL, and where to look columns up.
        run: a log or another source.
        metrics: there are none.
        header: whether to begin with a comment that names tables, columns and rules.
        comments: whether there are comments at all.
    """
    if not isinstance(run, Rows):
        raise UsageError("level=data_quality counts the rows of one source. Pass a log: run=rm.events(...).")
    if metrics:
        raise UsageError("level=data_quality has no metrics. Leave them out: rm.sql((), log, level='data_quality').")
    source = run.looked_up(place)
    with commented(comments):
        text = source.text(source.quality, place.dialect)
    if not (header and comments):
        return text
    what = f"{DATA_QUALITY} for {place.dialect}, written by rankmetrics sql or rm.sql"
    return header_of((), resolve_options({}), what, facts_of_sources({None: source})) + notes_on(place.dialect) + text


VIEW = "view"


def write_statement(
    place: Unconnected,
    request: Request,
    run: Any,
    qrels: str | None,
    values: str | None = None,
    *,
    shape: str = "statement",
    n_items: int | None = None,
) -> tuple[str, dict[str, str], list[str]]:
    """Write the statement for a request, its header, and the statements that check its tables and columns.

    Args:
        place: whose SQL, and where to look columns up.
        request: what was asked for.
        run: a table name or query, or several by name; or a source.
        qrels: the judgments.
        values: what is read instead, see ``Plan``.
        shape: what the text is for, a statement or a view.
        n_items: how many items to judge are listed; None for what the request asks.
    """
    if run is None:
        raise UsageError("run= is missing. Pass the table or query with the retrieved items.")
    if isinstance(run, Mapping) and not run:
        raise UsageError("run= is an empty mapping. Pass a table or query for the name of each run.")
    for metric in request.metrics:
        refuse("statement", metric.facts)
    plan = make_plan(place, request, load_inputs(place, request, run, qrels))
    _check_runs(request, plan)
    mixed = [] if values is not None else _refuse_mixed_runs(place, plan)
    if values is not None:
        stored_values = _stored(values, request.level, place)
        for metric in request.metrics:
            refuse("values", metric.facts)
        plan = replace(plan, stored_values=stored_values)
    checks = [] if values is not None else [repeated(plan, relation) for relation in plan.relations]
    checks += mixed
    level = request.level if n_items is None else JUDGE_NEXT
    text = replace(plan, n_items=n_items or 0).text(level, of_view=shape == VIEW)
    return text, facts(request, plan), list(dict.fromkeys(filter(None, checks)))


def _stored(values: Any, level: str, place: Unconnected) -> Relation:
    """Return the table or query of stored values; raise if statements of the level read none."""
    if level in ("values", MOVEMENTS, *CURVES):
        raise UsageError(
            "values= works with summary, sums, per_query, compare, compare_per_query and decompose, not with"
            f" level={level}."
        )
    stand_in = None if place.dialect.canonical else "rankmetrics_input_values"
    return replace(Reader(place).one(values, "values"), stand_in=stand_in)


def _refuse_mixed_runs(place: Unconnected, plan: Plan) -> list[str]:
    """Comments on columns that have two names of runs, where items do not say whether lists are mixed."""
    if place.lookup is None:
        return []
    names_of_runs = (
        warning.partition(": ")[2]
        for warning in refuse_mixed_runs(InputInspector(place.lookup, replace(plan, sources={})))
    )
    return [to_comment(f"Note that {what.partition('one run.')[0]}one run.") for what in names_of_runs]


def _check_runs(request: Request, plan: Plan) -> None:
    """Refuse a comparison without names of runs, and an unknown baseline."""
    if request.level in COMPARISONS and plan.runs[0].name is None and "run_id" in plan.spec.columns:
        return
    if request.level in COMPARISONS and len(plan.runs) < 2:
        raise UsageError("compare needs at least two runs. Pass them by name: run={'old': 'a', 'new': 'b'}.")
    names = [run.name for run in plan.runs if run.name is not None]
    baseline = request.baseline
    if baseline is not None and request.level not in COMPARISONS:
        raise UsageError(
            f"baseline= works only with {', '.join(COMPARISONS)}, not with level={request.level}."
            f" Pass {advise('argument', 'level', 'compare')}."
        )
    if baseline is not None and (not isinstance(baseline, str) or baseline not in names):
        hint = nearest(baseline if isinstance(baseline, str) else "", names)
        raise UsageError(f"There is no run called {shortened(baseline)}. {hint}")


_SHAPES = ("statement", VIEW)
_LEVELS = ("summary", "sums", "per_query", "values", DATA_QUALITY, *COMPARISONS, *CURVES, JUDGE_NEXT)


@public(
    *("connection", "columns", *GROUPS, *OF_SUMMARIES, "weight", "cluster", "predicted_qrels"),
    *("query_list", "items", "profile"),
)
def sql(
    metrics: str | Iterable[str],
    run: str | Mapping[str, str] | Source | None = None,
    qrels: str | None = None,
    *,
    labelled: str | None = None,
    dialect: str | None = None,
    level: str = "summary",
    baseline: str | None = None,
    covariate: str | None = None,
    strata: str | None = None,
    limits: Mapping[str, float] | None = None,
    cap: Mapping[str, float | str] | None = None,
    judge: str | None = None,
    all_pairs: bool = False,
    values: str | None = None,
    k: int | None = None,
    n: int | None = None,
    along: str = "k",
    at: Sequence[float] | None = None,
    shape: str = "statement",
    header: bool = True,
    comments: bool = True,
    **common: Unpack[Common],
) -> str:
    """Writes the SQL of an evaluation and does not run it.

    With a connection the columns are looked up. The dialect may be another one: columns of tables in a warehouse can be
    looked up in a DuckDB that has tables of these names. Your SQL text is in the dialect that is written. Without a
    connection, name all columns that differ from the defaults
    ``query_id``, ``item_id``, ``score`` and ``relevance``. The header of the statement lists the names that it assumes.

    Args:
        metrics: metric strings; omit them for ``movements``.
        run: a table name or query, or several by name; or a source such as ``events()`` or ``labelled()``.
        qrels: a table name or query with the judgments.
        labelled: a labelled table, instead of ``run``; short for that source.
        dialect: the SQL dialect to write; by default that of the connection, or duckdb.
        level: ``summary``, ``per_query``, ``compare``, ``compare_per_query`` for both values of each query,
            ``decompose`` for what each group adds to a difference, ``movements`` for items that entered, left or moved
            within the first ``k``, or ``values`` for a row per query and metric, of
            which the others are made; ``sums`` for what adds up over groups, days and queries, as GrowthBook calls it:
            ``users``, the queries with a value, ``main_sum`` and ``main_sum_squares``; ``curve`` or ``curve_per_query``
            for one metric along a parameter, ``points`` for a curve that has points of its own; ``data_quality`` for
            the rows of a log that are used or not, without metrics; ``judge_next`` for what to judge next, as
            ``judge_next()`` lists it, with ``rank_1``, ``rank_2`` ... in the order of the runs. A statement cannot
            refuse, as ``compare()`` and ``decompose()`` do, where runs have results for no common query: it then
            compares means over queries that one of them did not answer, or has no row with
            ``queries="judged_retrieved"``, which pairs common ones only.
        baseline: for ``compare`` and ``decompose``, the run to compare the others with; the first by default.
        by: columns to break the summary down by, as in ``evaluate``; without a connection a column is
            looked for in the query list, or in the judgments (``queries="retrieved"``: the run), unless you write
            ``qrels.market`` or ``run.market``.
        weight: as in ``evaluate``; a statement cannot raise an error, so a negative weight gives no mean. Values
            have a column ``weight``; the sums of a weighted mean, a ratio, are those of values by weights, ``main_sum``
            and ``main_sum_squares``, of weights, ``denominator_sum`` and ``denominator_sum_squares``, and
            ``main_denominator_sum_product``.
        cluster: a column such as the user, found as ``by`` finds columns, for ``sums``: they have a row for each of its
            values in each group and period, of which follow intervals that know that its queries are alike.
        covariate: as in ``compare``, for ``compare``, ``values`` and ``sums``, which have ``covariate_sum``,
            ``covariate_sum_squares`` and ``main_covariate_sum_product``; a covariate that is not a number counts as 0.
        strata: as in ``compare``, for ``compare`` and ``values``.
        limits: for ``compare``, as in ``compare()``.
        cap: for ``compare`` and ``compare_per_query``, as in ``compare()``.
        judge: for ``compare`` and ``compare_per_query``, as in ``compare()``.
        all_pairs: for ``compare`` and ``compare_per_query``, whether all pairs of runs are compared, as in
            ``compare_all``, and not all with the baseline.
        predicted_qrels: a table name or query with the judgments of a model, as in ``evaluate``.
        query_list: a table name or query with the queries to score.
        items: a table name or query with the catalogue.
        values: a table, or query, of what statements of level ``values`` gave for the same arguments, to be read
            instead of the run and the judgments. So a table of values can be filled with some queries after the
            others, by a ``run`` and ``qrels`` that are queries with one condition.
        k: for ``movements``, as in ``movements()``: the cutoff, 10 by default; omit the metrics.
        n: for ``judge_next``, how many items to list, 100 by default.
        along: for ``curve``, as in ``curve()``.
        at: for ``curve``, as in ``curve()``.
        shape: ``statement``, or ``view`` for the text of ``CREATE VIEW name AS``. A view has no ORDER BY, and its
            columns need no quotes, which readers would have to repeat in Snowflake and Oracle.
        header: True begins with a comment that names the version, metrics, profile, options, tables and columns, and
            warns that the rows are not checked. For a view it names only the metrics.
        comments: False omits all comments: the header, and the line above each stage.

    Raises:
        UsageError: a name or value is unknown, or the dialect cannot express the statement.
        DataError: a table or column does not exist; or, with a connection, an item stands twice in a list, and a column
            such as ``system`` has several names.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> text = rm.sql("rr", "shown", "qrels", dialect="snowflake", header=False, comments=False)
        >>> text.startswith("WITH"), "shown" in text
        (True, True)
    """
    if labelled is not None and run is not None:
        raise UsageError("run and labelled exclude each other, because the labelled table contains the run. Omit run.")
    if shape not in _SHAPES:
        raise UsageError(f"Unknown shape {shape!r}. {nearest(shape, _SHAPES)}")
    connection = common.get("connection")
    if level == DATA_QUALITY:
        with opened(connection) if connection is not None else contextlib.nullcontext() as engine:
            place = Unconnected(dialect_of(dialect, engine) or CANONICAL, engine)
            return quality_text(place, run, metrics, header=header, comments=comments)
    k = _cutoff(level, metrics, k)
    if n is not None and level != JUDGE_NEXT:
        raise UsageError("n= works only with level=judge_next.")
    _refuse_of_comparisons(level, limits, cap, judge, baseline, all_pairs=all_pairs)
    judged = level != MOVEMENTS and (labelled is not None or are_judged(run, qrels))
    is_of_baseline = level in COMPARISONS and not all_pairs
    design = design_of(run, level.partition("_")[0]) if is_of_baseline else {}
    choices = choices_of(common, defaults_of(run, common.get("profile"), judged=judged) | design)
    resolved = _resolve(metrics, k, level, along, at, choices)
    if level == JUDGE_NEXT:
        _check_to_judge(run, qrels, values, 100 if n is None else n, common)
    if all_pairs:
        runs_of_pairs("all_pairs=", run, common.get("columns"))
    limited, caps = _of_metrics(limits, cap, resolved)
    check_judge(judge, qrels, choices.options)
    spec = column_spec(common, covariate=covariate, strata=strata, judge=judge)
    if labelled is not None:
        spec, run, qrels = replace(spec, columns={}), Labelled(labelled, qrels, spec.columns), None
    request = make_request(
        common,
        resolved,
        choices,
        level="compare" if level == JUDGE_NEXT else level,
        baseline=baseline,
        all_pairs=all_pairs,
        limits=limited,
        caps=caps,
        spec=spec,
    )
    with opened(connection) if connection is not None else contextlib.nullcontext() as engine:
        place = Unconnected(dialect_of(dialect, engine) or CANONICAL, engine)
        with commented(comments):
            text, about, checks = write_statement(
                place, request, run, qrels, values, shape=shape, n_items=(n or 100) if level == JUDGE_NEXT else None
            )
    if not (header and comments):
        return text
    kind = f"{level} of all pairs" if all_pairs else level if k is None else f"{level} within {k}"
    what = f"{kind} for {place.dialect}, written by rankmetrics sql or rm.sql"
    computed = resolved if k is None else ()
    if shape == VIEW:
        return header_of(computed, choices, what, {}) + notes_on(place.dialect) + text
    return header_of(computed, choices, what, about) + unchecked(run, qrels, checks) + notes_on(place.dialect) + text


def _cutoff(level: str, metrics: Any, k: int | None) -> int | None:
    """Return the cutoff of movements; None at other levels, which raise if one is passed."""
    if level not in _LEVELS:
        raise UsageError(f"Unknown level {level!r}. {nearest(level, _LEVELS)}")
    if level != MOVEMENTS:
        if k is not None:
            raise UsageError(
                "k= works only with level=movements. Write the cutoff of a metric in its name, as in 'ndcg@10'."
            )
        return None
    if metrics:
        raise UsageError("level=movements takes no metrics. Omit them (in Python: rm.sql((), ...)).")
    return 10 if k is None else k


def _check_to_judge(run: Any, qrels: Any, values: Any, n: Any, keywords: Mapping[str, Any]) -> None:
    """Raise if there are no runs and judgments of which a list of what to judge could be made."""
    check_n(n)
    refuse_of_tests(options_of(keywords))
    runs_of_pairs(JUDGE_NEXT, run, keywords.get("columns"))
    if qrels is None or values is not None:
        raise UsageError("level=judge_next reads judgments that all runs share. Pass qrels=, and omit values=.")


def _refuse_of_comparisons(
    level: str, limits: Any, cap: Any, judge: Any, baseline: str | None, *, all_pairs: bool
) -> None:
    """Raise for arguments that this kind of statement does not use."""
    if limits is not None and level != "compare":
        raise UsageError("limits= works only with level=compare.")
    of_pairs = level in ("compare", "compare_per_query")
    for name, value in (("cap", cap), ("judge", judge)):
        if value is not None and (all_pairs or not of_pairs):
            raise UsageError(f"{name}= works only with level=compare or compare_per_query, and without all_pairs=.")
    if all_pairs and (not of_pairs or limits is not None or baseline is not None):
        raise UsageError(
            "all_pairs= has no baseline, so it excludes limits= and baseline=. Pass it with level=compare alone."
        )


def _resolve(
    metrics: str | Iterable[str],
    k: int | None,
    level: str,
    along: str,
    at: Sequence[float] | None,
    choices: Choices,
) -> list[ResolvedMetric]:
    """Resolve the metrics of a level; a curve has one for each of its points."""
    if k is not None:
        from ..pipeline.movements import metric_of_movements

        return resolve_metrics(metric_of_movements(k, choices), choices)
    if level == JUDGE_NEXT:
        return [metric_to_judge(metrics, choices)]
    if level not in CURVES:
        return resolve_metrics(metrics, choices, compared=level in ("compare", "compare_per_query"))
    from .curve import metrics_along

    resolved = metrics_along(metrics, along, at, choices)
    if (level == "points") != (resolved[0].shape == "curve"):
        level_name = "points" if level != "points" else "curve or curve_per_query"
        raise UsageError(f"Metric {resolved[0].label!r} has no level {level}. Take level={level_name}.")
    return resolved


def _of_metrics(
    limits: Mapping[str, float] | None, cap: Mapping[str, float | str] | None, resolved: Sequence[ResolvedMetric]
) -> tuple[dict[str, float] | None, dict[str, Any]]:
    """Return how much metrics may lose in a comparison, if that is limited, and their caps."""
    if limits is None and cap is None:
        return None, {}
    from .compare import caps_of, limits_of

    return limits_of(limits, resolved), caps_of(cap, resolved)

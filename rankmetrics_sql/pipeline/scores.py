"""Score runs, in parts of the queries if one statement over all of them does not fit.

The values of the queries of all parts are stored, and summaries read them, so that nothing is an average of averages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ..definitions.resolution import asked_as, refuse, trec_eval_name
from ..errors import UsageError
from ..inputs.ids import family
from ..plan import Plan
from ..relation import Relation
from ..results.evaluation import Result
from ..rows import Row
from .execute import Evaluation, computed_table
from .findings import (
    better_of,
    check_scored,
    counts_of,
    few_judged,
    groups_beyond_limit,
    groups_left_out,
    heavy_tails,
    judged_first,
    overlaps,
    rough_clusters,
    telling_of_tails,
    unweighted,
    warn,
    warn_of_runs_without_overlap,
)
from .predictions import check_predictions


def stored_values(evaluation: Evaluation, n_parts: int = 1) -> Relation | None:
    """Store the values of the queries for further statements; return None if that is not possible."""
    plan = evaluation.plan
    try:
        _refuse_of_lists(plan)
    except UsageError:
        return None
    if n_parts > 1:
        return split_into_parts(evaluation, n_parts).plan.stored_values
    name = evaluation.database.store("values", plan.text("values"))
    if name is None:
        return None
    stand_in = None if plan.dialect.canonical else "rankmetrics_input_values"
    return Relation("values", name, "values", evaluation.database.describe(name), stand_in=stand_in)


def split_into_parts(evaluation: Evaluation, n_parts: int) -> Evaluation:
    """Compute the values part by part of the queries, in DuckDB; return the evaluation over these values."""
    from ..engines.duckdb.engine import DuckDB

    database, plan = evaluation.database, evaluation.plan
    if not isinstance(database, DuckDB):
        raise UsageError(
            f"partitions= works only in DuckDB. In {database.dialect}, fill a table with statements of"
            " sql(level='values') for parts of the queries. Then pass it as sql(values=TABLE)."
        )
    _refuse_of_lists(plan)
    names = [database.load("values", _part(plan, number, n_parts).text("values")) for number in range(n_parts)]
    values = " UNION ALL ".join(f"SELECT * FROM {name}" for name in names)
    partitions = Relation("partitions", f"({values})", "values", database.describe(names[0]))
    return replace(evaluation, plan=replace(plan, stored_values=partitions))


def _refuse_of_lists(plan: Plan) -> None:
    """Raise if a metric is not made of values of queries."""
    for metric in plan.metrics:
        refuse("values", metric.facts)


def _part(plan: Plan, number: int, n_parts: int) -> Plan:
    """Return the plan over the rows of some of the queries."""
    return replace(
        plan,
        runs=[_rows(run, number, n_parts) for run in plan.runs],
        qrels=plan.qrels and _rows(plan.qrels, number, n_parts),
        human_qrels=plan.human_qrels and _rows(plan.human_qrels, number, n_parts),
        query_list=plan.query_list and _rows(plan.query_list, number, n_parts),
    )


def _rows(relation: Relation, number: int, n_parts: int) -> Relation:
    """Return the rows of a part, chosen by a hash of the query, which is equal wherever the query is equal."""
    whole = relation.with_expressions
    types = relation.types_of("query_id")
    keys = [
        # DuckDB's hash of -1 is one thing as INTEGER and another as BIGINT
        f"CAST(s.{column} AS VARCHAR)" if family(type_) in ("integer", "text") else f"s.{column}"
        for column, type_ in zip(relation.columns["query_id"], types, strict=True)
    ]
    rows = f"(SELECT * FROM {whole} AS s WHERE HASH({', '.join(keys)}) % {n_parts} = {number})"
    return replace(relation, sql=rows, unpartitioned_sql=whole, expressions={})


def score(evaluation: Evaluation, partitions: int = 1) -> Result:
    """Run the summary, in parts if asked for; the values per query are computed when they are read."""
    if partitions > 1:
        evaluation = split_into_parts(evaluation, partitions)
    metrics, plan = evaluation.request.metrics, evaluation.plan
    telling = telling_of_tails(plan)
    text = telling.text("summary")
    columns, rows = evaluation.run_raw(text)
    warnings = [*evaluation.warnings, *unweighted(columns, rows)]
    warnings += few_judged(evaluation, columns, rows)
    judged = partial(judged_first, evaluation, columns, rows)
    warnings += [*groups_left_out(evaluation, columns, rows), *groups_beyond_limit(plan, columns, rows)]
    warnings += check_predictions(evaluation, columns, rows)
    tails = [*heavy_tails(evaluation, columns, rows)]
    columns, rows = evaluation.accept(columns, rows)
    warnings += check_scored(evaluation, columns, rows, evaluation.run_names)
    warnings += [] if any(row[columns.index("value")] for row in rows) else overlaps(evaluation)
    mismatches, unjudged = warn_of_runs_without_overlap(evaluation, _values(columns, rows))
    warnings += mismatches
    warnings += [*rough_clusters(evaluation, columns, rows), *tails]
    return Result(
        computed_table(text, columns, rows),
        evaluation.table("per_query"),
        replace(evaluation, plan=telling).text_to_show("summary"),
        warn(warnings),
        {metric.label: metric.column for metric in metrics},
        counts_of(metrics),
        {metric.label: trec_eval_name(metric) for metric in metrics},
        evaluation.saver({"summary": "summary", "per_query": "per_query"}),
        partial(asked_as, metrics=metrics, choices=evaluation.request.choices),
        evaluation.check,
        plan.quality,
        better_of(metrics),
        judged,
        unjudged,
        _run_name=evaluation.run_name,
    )


def _values(columns: Sequence[str], rows: Sequence[Row]) -> list[tuple[str | None, str, float | None]]:
    """Return the values, each with the name of its run and its metric."""
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    return [(str(row["run_id"]) if "run_id" in row else None, row["metric"], row["value"]) for row in records]

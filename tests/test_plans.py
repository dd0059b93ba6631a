"""No statement compares all rows of one stage with all of another: its time would grow with the square of the data.

PostgreSQL is asked how it would run each metric alone, with statistics of the columns and without, over tables that it
takes for small or large; nothing is run. Its estimates of what joins leave are often wrong: it multiplies the shares of
rows that agree in the query and in the item, as if one said nothing of the other, takes the join of run and judgments
for ten rows, and reads them again for each row of whatever is joined to them next: minutes where seconds do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest

from rankmetrics_sql.catalogue import metrics

from .statements import alone

IDS = "'q' || q, 'i' || (q * 7919 + slot * 104729) % 1000003"
RUN = "query_id text, item_id text, score float8"
JUDGMENTS = "query_id text, item_id text, relevance bigint"
TABLES = {
    "run": (RUN, f"{IDS}, (q * 7919 + slot * 104729) % 1000033", range(20)),
    "new": (RUN, f"{IDS}, (q * 104729 + slot * 7919) % 1000033", range(5, 25)),
    "qrels": (JUDGMENTS, f"{IDS}, (q + slot) % 4", range(14, 24)),
    "intents": (f"{JUDGMENTS}, intent text", f"{IDS}, (q + slot) % 4, 'x' || slot % 3", range(14, 24)),
}
QUERIES = 500
SEEMING = (100, 2_000, 100_000)  # the larger the tables, the more plans there are that seem worth while
# What a statement has a constant number of; everything else there may be as much of as there are data.
FEW = {"run_id", "metric", "metric_number"}
Plan = dict[str, Any]


@pytest.fixture(
    scope="module", params=product(("analysed", "not analysed"), SEEMING), ids=lambda given: "{} {}".format(*given)
)
def plan(request, start_engine):
    """What PostgreSQL would do for a statement over tables of so many queries, as far as it knows."""
    server, (state, queries) = start_engine("postgres-15"), request.param
    for table, (columns, row, slots) in TABLES.items():
        pairs = f"generate_series(1, {QUERIES}) AS queries(q), generate_series({slots[0]}, {slots[-1]}) AS slots(slot)"
        server.run(f"DROP TABLE IF EXISTS {table}")
        server.run(f"CREATE TABLE {table} ({columns}) WITH (autovacuum_enabled = false)")
        server.run(f"INSERT INTO {table} SELECT {row} FROM {pairs}")
        if state == "analysed":
            distinct = {"query_id": -1 / len(slots), "item_id": -0.5}  # as shares of the rows
            for column, share in distinct.items():
                server.run(f"ALTER TABLE {table} ALTER {column} SET (n_distinct = {share})")
            server.run(f"ANALYZE {table}")
        seeming = f"relpages = pg_relation_size(oid) / 8192, reltuples = {queries * len(slots)}"
        server.run(f"UPDATE pg_class SET {seeming} WHERE oid = '{table}'::regclass")
    return lambda text: server.fetch(f"EXPLAIN (VERBOSE, FORMAT JSON) {text}")[1][0][0][0]["Plan"]


@cache
def forms(name: str) -> dict[str, str]:
    """The statements that one metric is asked for in."""
    case, several = alone()[name], {"old": "run", "new": "new"}
    levels = ("summary", "per_query") if case.level == "summary" else (case.level,)
    found = {level: replace(case, level=level) for level in levels}
    found |= {f"{level} of several runs": replace(one, run=several) for level, one in found.items()}
    if case.level == "summary" and metrics()[name.partition("@")[0]].aggregate != "parts":
        found["compare"] = replace(case, level="compare", run=several)
    return {form: case.by_sqlglot("postgres") for form, case in found.items()}


@pytest.mark.parametrize("name", alone())
def test_no_nested_loop_joins_two_stages(name, plan):
    slow = {form: list(products(plan(text))) for form, text in forms(name).items()}
    assert not {form: found for form, found in slow.items() if found}


def test_products_are_found(plan):
    """The rule itself: what it forbids, and what it lets pass."""
    stages = (
        "WITH a AS MATERIALIZED (SELECT * FROM run), b AS MATERIALIZED (SELECT 1.5 AS x UNION ALL SELECT 2) SELECT {}"
    )
    for text, expected in {
        "SELECT COUNT(*) FROM run AS r JOIN qrels AS q ON r.score < q.relevance": 1,
        "SELECT COUNT(*) FROM run AS r JOIN qrels AS q ON r.score = q.relevance": 0,
        stages.format("* FROM a JOIN a AS again ON a.score < again.score"): 1,
        stages.format("* FROM a JOIN b ON a.score < b.x"): 0,
        "SELECT * FROM run JOIN (SELECT MAX(score) AS top FROM new) AS n ON score < top": 0,
        "SELECT (SELECT COUNT(*) FROM qrels AS q WHERE q.relevance < r.score) FROM run AS r": 1,
        "SELECT query_id IN (SELECT query_id FROM qrels WHERE item_id = 'i1') FROM run": 0,
    }.items():
        found = list(products(plan(text)))
        assert len(found) == expected, (text, found)


def products(plan: Plan) -> Iterator[str]:
    """The steps that read all rows of one stage for each row of another, described.

    They are nested loops over two sides that both grow with the data, and subqueries that are run for each row. A side
    that the statement itself fixes (the names of its metrics, its runs, a total) is read a constant number of times.
    The planner's own estimates say nothing: that they are wrong is what makes such plans.
    """
    stages = {step["Subplan Name"]: step for step in steps(plan) if step.get("Parent Relationship") == "InitPlan"}
    for step in steps(plan):
        sides = inputs(step)
        if step["Node Type"] == "Nested Loop" and all(grows(side, stages) for side in sides):
            on = step.get("Join Filter", "(nothing)")
            yield f"{step['Join Type']} join of {' and '.join(map(named, sides))} on {on}"
        for inner in step.get("Plans", []):
            if is_run_each_time(inner, step) and any(grows(within, stages) for within in steps(inner)):
                yield f"{named(inner)} for each row of {named(step)}"


def grows(step: Plan, stages: Mapping[str, Plan]) -> bool:
    """Whether a step gives more rows where there are more data."""
    if step["Node Type"] == "CTE Scan":
        return grows(stages[f"CTE {step['CTE Name']}"], stages)
    if step["Node Type"] == "Aggregate" and {key.split(".")[-1] for key in step.get("Group Key", [])} <= FEW:
        return False
    if sides := inputs(step):
        return any(grows(side, stages) for side in sides)
    return step["Node Type"] in ("Seq Scan", "WorkTable Scan")


def is_run_each_time(inner: Plan, step: Plan) -> bool:
    """Whether it is a subquery that is not run once, into a table that rows are looked up in."""
    conditions = str({key: value for key, value in step.items() if key != "Plans"})
    return inner["Parent Relationship"] == "SubPlan" and f"hashed {inner['Subplan Name']}" not in conditions


def inputs(step: Plan) -> list[Plan]:
    """The steps whose rows a step takes."""
    return [inner for inner in step.get("Plans", []) if inner["Parent Relationship"] not in ("InitPlan", "SubPlan")]


def steps(plan: Plan) -> Iterator[Plan]:
    """A step and all within it."""
    yield plan
    for inner in plan.get("Plans", []):
        yield from steps(inner)


def named(step: Plan) -> str:
    """What it reads, in the order of the plan."""
    names = [
        inner.get("Alias", inner.get("CTE Name")) for inner in steps(step) if "Alias" in inner or "CTE Name" in inner
    ]
    return f"{step['Node Type']} ({', '.join(names)})"

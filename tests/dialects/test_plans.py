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

from rankmetrics_sql.definitions.catalogue import metrics

from ..statements import alone, cases

IDS = "query_id text, item_id text", "'q' || q, 'i' || (q * 7919 + slot * 104729) % 1000003"
SCORE = "score float8", "(q * 7919 + slot * 104729) % 1000033"
GRADE = "relevance float8", "(q + slot) % 4"
MARKET = "market text", "'m' || q % 3"
# Columns with what is in them, and the slots of a query: 20 items are retrieved, 10 are judged, 6 are both.
TABLES = {
    "runs": ((IDS, SCORE), range(20)),
    "other_runs": ((IDS, SCORE), range(5, 25)),
    "reference_run": ((IDS, ("relevance float8", "1.0 / (slot - 4)")), range(5, 25)),
    "long_runs": ((IDS, SCORE), range(20)),
    "systems": ((IDS, SCORE, ("run_id text", "'r' || slot % 3")), range(60)),
    "labels": ((IDS, GRADE, MARKET), range(14, 24)),
    "long_labels": ((IDS, GRADE, MARKET), range(14, 24)),
    "intents": ((IDS, GRADE, ("intent text", "'x' || slot % 3")), range(14, 24)),
    "impressions": ((IDS, SCORE, GRADE, ("place bigint, known bigint", "slot, 9")), range(20)),
    "clicks": ((("query_id bigint, item_id bigint", "q, q * 30 + slot"), SCORE, GRADE), range(20)),
    "catalogue": (
        (("item_id text, popularity float8, category text", "'i' || q * 40 + slot, slot / 40.0, 'c' || q % 7"),),
        range(40),
    ),
    "chosen": ((("query_id text, segment text, sessions float8", "'q' || q, 's' || q % 5, q % 7"),), range(1)),
}
QUERIES = 500
SEEMING = (100, 100_000)  # what seems worth while to read again and again depends on how large it is taken for
FEW = {"run_id"}  # what there are a few of, however large the tables are
EVERY = cases()
Plan = dict[str, Any]
pytestmark = pytest.mark.long


@pytest.fixture(
    scope="module", params=product(("analysed", "not analysed"), SEEMING), ids=lambda given: "{} {}".format(*given)
)
def plan(request, start_engine):
    """What PostgreSQL would do for a statement over tables of so many queries, as far as it knows."""
    server, (state, queries) = start_engine("postgres-15"), request.param
    for table, (columns, slots) in TABLES.items():
        described, values = (", ".join(part) for part in zip(*columns, strict=True))
        pairs = f"generate_series(1, {QUERIES}) AS queries(q), generate_series({slots[0]}, {slots[-1]}) AS slots(slot)"
        server.run(f"DROP TABLE IF EXISTS {table}")
        server.run(f"CREATE TABLE {table} ({described}) WITH (autovacuum_enabled = false)")
        server.run(f"INSERT INTO {table} SELECT {values} FROM {pairs}")
        if state == "analysed":
            if "query_id" in described:
                share = 1 / len(slots)  # of the rows
                server.run(f"ALTER TABLE {table} ALTER query_id SET (n_distinct = {-share})")
            server.run(f"ANALYZE {table}")
        seeming = f"relpages = pg_relation_size(oid) / 8192, reltuples = {queries * len(slots)}"
        server.run(f"UPDATE pg_class SET {seeming} WHERE oid = '{table}'::regclass")
    return lambda text: server.fetch(f"EXPLAIN (VERBOSE, FORMAT JSON) {text}")[1][0][0][0]["Plan"]


@cache
def written(case: str) -> str:
    """A statement of those that every engine answers."""
    return EVERY[case].by_sqlglot("postgres")


@cache
def forms(name: str) -> dict[str, str]:
    """The statements that one metric is asked for in."""
    case = alone()[name]
    several = {"old": "other_runs", "new": "runs"}
    found = {"alone": case}
    if case.qrels:  # a labelled table has one run
        found["several runs"] = replace(case, run=several)
    if case.level == "summary":
        found["per_query"] = replace(case, level="per_query")
        if case.qrels and metrics()[name.partition("@")[0]].aggregate not in ("parts", "lists"):
            found["compare"] = replace(case, level="compare", run=several)
    return {form: case.by_sqlglot("postgres") for form, case in found.items()}


@pytest.mark.parametrize("name", alone())
def test_no_metric_joins_two_stages_by_a_nested_loop(name, plan):
    slow = {form: list(products(plan(text))) for form, text in forms(name).items()}
    assert not {form: found for form, found in slow.items() if found}


# PostgreSQL takes the draws, which come of no table, for few, and joins them row by row; docs/postgresql.md
# says what helps.
DRAWS = "rankmetrics_buckets"


@pytest.mark.parametrize("case", EVERY)
def test_nor_does_any_other_statement_but_for_its_draws(case, plan):
    assert not [found for found in products(plan(written(case))) if DRAWS not in found]


def test_products_are_found(plan):
    """The rule itself: what it forbids, and what it lets pass."""
    stages = (
        "WITH a AS MATERIALIZED (SELECT * FROM runs), b AS MATERIALIZED (SELECT 1.5 AS x UNION ALL SELECT 2) SELECT {}"
    )
    for text, expected in {
        "SELECT COUNT(*) FROM runs AS r JOIN labels AS q ON r.score < q.relevance": 1,
        "SELECT COUNT(*) FROM runs AS r JOIN labels AS q ON r.score = q.relevance": 0,
        stages.format("* FROM a JOIN a AS again ON a.score < again.score"): 1,
        stages.format("* FROM a JOIN b ON a.score < b.x"): 0,
        "SELECT * FROM runs JOIN (SELECT MAX(score) AS top FROM other_runs) AS n ON score < top": 0,
        "SELECT (SELECT COUNT(*) FROM labels AS q WHERE q.relevance < r.score) FROM runs AS r": 1,
        "SELECT query_id IN (SELECT query_id FROM labels WHERE item_id = 'i1') FROM runs": 0,
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
    if inner["Parent Relationship"] != "SubPlan":
        return False
    conditions = str({key: value for key, value in step.items() if key != "Plans"})
    return f"hashed {inner['Subplan Name']}" not in conditions


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

from __future__ import annotations

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.dialects import check_dialect, transpile
from rankmetrics_sql.templates import macros

from ..dialects.test_plans import steps
from . import for_engine

test_same_numbers = for_engine("postgres-15")

TABLES = {  # with the items of a query
    "shown": ("score float8", "slot * 7919 % 20", (0, 19)),
    "shown_before": ("score float8", "slot * 7907 % 20", (0, 19)),
    "graded": ("relevance float8, market text", "slot % 4, 'm' || q % 3", (14, 23)),
}
METRICS = ["ndcg@10", "mrr", "recall@10"]


@pytest.fixture(scope="module")
def users(start_engine):
    """A server with tables of 2,000 users, each with an index on the user, and of which the statistics are known."""
    server = start_engine("postgres-15")
    for table, (columns, values, (first, last)) in TABLES.items():
        server.run(f"CREATE TABLE {table} (user_id text, item_id text, {columns}) WITH (autovacuum_enabled = false)")
        pairs = f"generate_series(1, 2000) AS users(q), generate_series({first}, {last}) AS slots(slot)"
        server.run(f"INSERT INTO {table} SELECT 'u' || q, 'i' || q * 7 + slot, {values} FROM {pairs}")
        server.run(f"CREATE INDEX ON {table} (user_id)")
        server.run(f"ANALYZE {table}")
    yield server
    for table in TABLES:
        server.run(f"DROP TABLE {table} CASCADE")


def scans(server, view, condition):
    """How a server reads tables to find the rows of a view: names, and what it looks up in an index, if it does."""
    server.run("DROP VIEW IF EXISTS quality")
    server.run(f"CREATE VIEW quality AS {view}")
    plan = server.fetch(f"EXPLAIN (FORMAT JSON) SELECT * FROM quality WHERE {condition}")[1][0][0][0]["Plan"]
    # a scan by bitmap says what it looked up a second time, for pages of which it no longer knows the rows
    return [
        (step["Relation Name"], step.get("Index Cond", step.get("Recheck Cond", "")))
        for step in steps(plan)
        if "Relation Name" in step
    ]


@pytest.mark.long
@pytest.mark.parametrize("by", [(), ("market",)], ids=["all", "by"])
@pytest.mark.parametrize("run", ["shown", {"old": "shown_before", "new": "shown"}], ids=["run", "runs"])
@pytest.mark.parametrize("metrics", [*([metric] for metric in METRICS), METRICS], ids=",".join)
def test_a_key_reaches_the_index_of_every_table(users, metrics, run, by):
    """Whoever asks a view for one user reads the rows of one user."""
    columns = {"query_id": "user_id"}
    view = rm.sql(metrics, run, "graded", dialect="postgres", level="per_query", shape="view", columns=columns, by=by)
    found = scans(users, view, "user_id = 'u7'")
    assert {table for table, _ in found} == set(TABLES if isinstance(run, dict) else ("graded", "shown"))
    assert all("user_id = 'u7'" in condition for _, condition in found), found
    stored = scans(users, view.replace(" NOT MATERIALIZED", " MATERIALIZED"), "user_id = 'u7'")
    assert not any("user_id = 'u7'" in condition for _, condition in stored), stored


@pytest.mark.long
def test_in_dbt_too(users):
    view = str(macros("postgres")["per_query"]("shown", METRICS, qrels="graded", columns={"query": "user_id"}))
    found = scans(users, view, "user_id = 'u7'")
    assert {table for table, _ in found} == {"graded", "shown"}
    assert all("user_id = 'u7'" in condition for _, condition in found), found


@pytest.mark.long
@pytest.mark.parametrize("road", ["template", "translation"])
def test_equal_scores_are_counted_along_with_their_rank(users, road):
    key = {"name": "score", "descending": True}
    count = macros("postgres" if road == "template" else "duckdb")["rm_count_through"]("user_id", [key])
    text = f"SELECT RANK() OVER (PARTITION BY user_id ORDER BY score DESC NULLS LAST), {count} FROM shown"
    if road == "translation":
        text = transpile(text, check_dialect("postgres"), {})
    plan = users.fetch(f"EXPLAIN (FORMAT JSON) {text}")[1][0][0][0]["Plan"]
    assert [step["Node Type"] for step in steps(plan)].count("WindowAgg") == 1, text

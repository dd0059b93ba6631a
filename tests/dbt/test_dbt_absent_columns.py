"""Columns that a relation does not have: with check_columns in the project's var dbt says what to type."""

from __future__ import annotations

import json
import re

import pytest

from dev.dbt_envs import run
from rankmetrics_sql.root import sql_root

VERSIONS = [pytest.param(name, marks=pytest.mark.long) for name in ("dbt-1.8", "dbt-1", "dbt-2")]

RUN = "select * from (values ('q', 'a', 1.0), ('q', 'b', 0.5)) as t(search_id, doc, score)"
MODELS = {
    "shown": RUN,
    "labels": "select 'q' as query_id, 'b' as item_id, 1 as relevance",
    "unbuilt": "{{ config(materialized='ephemeral') }}" + RUN,
}
NAMED = "'query': 'search_id', 'item': 'doc', 'qrels.query': 'query_id', 'qrels.item': 'item_id'"
# Models and what is said of each: the relation, its column that is not there, those that are, and what to type.
WRONG = {
    "misspelt": (
        "per_query(ref('shown'), 'rr', ref('labels'), columns={'run.query': 'serach_id', 'item': 'doc'})",
        ("shown", "serach_id", "search_id, doc, score", "columns={'run.query': 'search_id'}"),
    ),
    "not_named": (
        "per_query(ref('shown'), 'rr', ref('labels'), columns={'run.query': 'search_id'})",
        ("shown", "item_id", "search_id, doc, score", "columns={'run.item': 'NAME'}"),
    ),
    "of_judgments": (
        "summary(ref('shown'), 'rr', ref('labels'), columns={'query': 'search_id', 'run.item': 'doc'})",
        ("labels", "search_id", "query_id, item_id, relevance", "columns={'qrels.query': 'NAME'}"),
    ),
}
RIGHT = {
    "named": f"per_query(ref('shown'), 'rr', ref('labels'), columns={{{NAMED}}})",
    "computed": f"per_query(ref('shown'), 'rr', ref('labels'), columns={{{NAMED}, 'run.score': '-score'}})",
    "of_sql": f"per_query(ref('unbuilt'), 'rr', ref('labels'), columns={{{NAMED}}})",
}
TESTED = {
    "run_is_named": ("shown", {"columns": {"query": "search_id", "item": "doc"}}, {}, None),
    "run_is_misspelt": (
        "shown",
        {"columns": {"query": "search_id", "item": "dok"}},
        {},
        ("shown", "dok", "search_id, doc, score", "columns={'item': 'doc'}"),
    ),
    "run_is_filtered": ("shown", {"columns": {"query": "search_id", "item": "doc"}}, {"where": "doc = 'a'"}, None),
}


def write(folder, version, asked):
    (folder / "models").mkdir()
    profile = {"type": "duckdb", "path": str(folder / "warehouse.duckdb"), "threads": 2}
    tests = []
    for name, (_, arguments, config, _) in TESTED.items():
        given = arguments if version == "dbt-1.8" else {"arguments": arguments}
        tests.append({"rankmetrics_sql.run_is_valid": {"name": name, "config": config, **given}})
    project = {"name": "absent", "version": "1.0", "config-version": 2, "profile": "absent"}
    project |= {"models": {"+materialized": "table"}, "vars": {"rankmetrics_sql": {"check_columns": asked}}}
    files = {
        "dbt_project.yml": project,
        "profiles.yml": {"absent": {"target": "duckdb", "outputs": {"duckdb": profile}}},
        "packages.yml": {"packages": [{"local": str(sql_root())}]},
        "models/schema.yml": {"version": 2, "models": [{"name": "shown", "data_tests": tests}]},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    calls = {name: call for name, (call, _) in WRONG.items()} | RIGHT
    texts = MODELS | {name: f"{{{{ rankmetrics_sql.{call} }}}}" for name, call in calls.items()}
    for name, text in texts.items():
        (folder / "models" / f"{name}.sql").write_text(text)
    assert run(version, folder, "deps").status == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_an_absent_column_is_named_with_what_to_type(version, tmp_path):
    write(tmp_path, version, asked=True)
    assert run(version, tmp_path, "run", "--select", "shown", "labels").status == 0
    done = run(version, tmp_path, "run", "--exclude", "shown", "labels")
    tested = run(version, tmp_path, "test")
    said = re.sub(r"[\s│]+", " ", done.output + tested.output)
    expected = [wanted for *_, wanted in (*WRONG.values(), *TESTED.values()) if wanted is not None]
    for table, column, there, typed in expected:
        sentence = f"has no column '{column}'. Its columns: {there}. Name the right one: {typed}."
        assert re.search(rf'"{table}"\S* {re.escape(sentence)}', said), (sentence, said)
    assert said.count("has no column") >= len(expected)
    status = {name: result["status"] for name, result in (done.results | tested.results).items()}
    assert {status.get(name) for name in RIGHT} == {"success"}
    assert {status.get(name) for name, (*_, wanted) in TESTED.items() if wanted is None} == {"pass"}


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_is_looked_up_unasked(version, tmp_path):
    write(tmp_path, version, asked=False)
    done = run(version, tmp_path, "run")
    assert "has no column" not in done.output
    assert "serach_id" in done.output  # the database's own sentence
    assert {done.results[name]["status"] for name in RIGHT} == {"success"}

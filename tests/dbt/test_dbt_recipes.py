"""The recipes of docs/dbt_recipes.md, built by dbt as the page has them; the numbers are those of Python."""

from __future__ import annotations

import re
import shlex
from datetime import datetime, timedelta
from math import log2
from pathlib import Path

import duckdb
import pytest
import yaml

import rankmetrics_sql as rm
from dev.dbt_envs import project, run
from dev.engines.postgres import USER, server

from ..conftest import quietly

PAGE = (Path(__file__).parents[2] / "docs" / "dbt_recipes.md").read_text()
MODELS = {
    f"models/{name}": text
    for _, _, name, text in re.findall(r"```(jinja|sql)\n(\{#-|--) models/(\S+)(?: -#\})?\n(.*?)```", PAGE, re.DOTALL)
}
YAML = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
FIRST = datetime(2026, 3, 1, 12)
DAYS = 4
METRICS = ["rr", "nDCG@10"]
IMPRESSIONS = [  # the third item is shown on the next day
    (
        *(f"q{n}", f"d{at}", at, int(at == 1 + n % 3), ("de", "us")[n % 2]),
        FIRST + timedelta(days=n % DAYS, hours=6 * (at - 1)),
    )
    for n in range(24)
    for at in range(1, 4)
]
COLUMNS = ("query_id", "item_id", "position", "relevance", "market", "asked_at")
SHOWN = [("a", "x", 0), ("a", "y", 1), ("b", "x", 1), ("b", "z", 2)]
RANKED = {"old": "ab", "new": "ba"}
TESTED = """
models:
  - name: search_rows
    data_tests:
      - rankmetrics_sql.metric_above:
          name: search_is_good_enough
          arguments: {metrics: [rr], columns: {position: position}, warn_below: 2, error_below: 0.1}
"""
LOST = """
sources:
  - name: raw
    tables: [{name: labels}]
seeds:
  - name: rows
    data_tests:
      - rankmetrics_sql.metric_above:
          arguments: {metrics: [rr], qrels: "source('raw', 'typo')", error_below: 0.1}
"""
SPINE = "select cast('2026-01-01' as date) as date_day"
OF_SPINE = """
models:
  - name: metricflow_time_spine
    time_spine: {standard_granularity_column: date_day}
    columns: [{name: date_day, granularity: day}]
"""


def written(place: Path, *models: str, **more: str) -> None:
    """A project with models of the page, and others; its rows are a view of a seed."""
    named = {f"models/{name}": MODELS[f"models/{name}"] for name in models}
    files = {"models/search_rows.sql": "select * from {{ ref('rows') }}", "models/tested.yml": TESTED}
    seeds = {"seeds/rows.csv": project.as_csv(COLUMNS, IMPRESSIONS)}
    project.write_files(place, files | seeds | named | {name.replace("__", "/"): text for name, text in more.items()})


def ran(environment: str, place: Path, *arguments: str, **given: str):
    done = run(environment, place, *arguments, **given)
    assert done.status == 0, done.output
    return done


def by_python(period: str | None = "day"):
    """Of each market, and day: the queries and the sum of each metric."""
    with duckdb.connect() as connection:
        types = "query_id TEXT, item_id TEXT, position INT, relevance INT, market TEXT, asked_at TIMESTAMP"
        connection.execute(f"CREATE TABLE shown ({types})")
        rows = [(*row[:-1], row[-1] - timedelta(hours=6 * (row[2] - 1))) for row in IMPRESSIONS]
        connection.executemany("INSERT INTO shown VALUES (?, ?, ?, ?, ?, ?)", rows)
        source = rm.labelled("shown", columns={"position": "position"} | ({"time": "asked_at"} if period else {}))
        found = quietly(rm.evaluate, source, METRICS, by="market", period=period, connection=connection)
        return {
            (*row[:-3], row[-3]): (row[-1], pytest.approx(row[-2] * row[-1], rel=1e-12))
            for row in found.summary.fetchall()
        }


@pytest.mark.long
@pytest.mark.parametrize("environment", ["dbt-1", "dbt-2"])
def test_days_are_computed_in_batches_and_again(tmp_path, environment):
    project.write_frame(tmp_path)
    written(tmp_path, "requests_begun.sql", "sums_by_batch.sql")
    ran(environment, tmp_path, "deps")
    ran(environment, tmp_path, "seed")
    window = ("--event-time-start", "2026-03-01", "--event-time-end", "2026-03-05")
    for _ in range(2):  # a second time changes nothing
        ran(environment, tmp_path, "run", *window)
        with duckdb.connect(tmp_path / "proof.duckdb", read_only=True) as connection:
            rows = connection.execute("select market, asked_on, metric, users, main_sum from sums_by_batch").fetchall()
        assert {row[:3]: row[3:] for row in rows} == by_python()
        assert len(rows) == len(by_python())


@pytest.mark.long
@pytest.mark.parametrize("environment", ["dbt-1", "dbt-2"])
def test_a_wide_view_makes_measures_without_a_case(tmp_path, environment):
    project.write_frame(tmp_path)
    described = next(text for text in YAML if "daily_quality.yml" in text)
    more = {"models__daily_quality.yml": described, "models__metricflow_time_spine.sql": SPINE}
    written(tmp_path, "sums_per_day.sql", "daily_quality.sql", **more, **{"models__spine.yml": OF_SPINE})
    ran(environment, tmp_path, "deps")
    ran(environment, tmp_path, "seed")
    ran(environment, tmp_path, "run")
    measures = [metric for metric in yaml.safe_load(described)["models"][0]["metrics"] if metric["type"] == "simple"]
    sums = ", ".join(f"sum({measure['expr']})" for measure in measures)
    with duckdb.connect(tmp_path / "proof.duckdb", read_only=True) as connection:
        rows = connection.execute(f"select market, {sums} from daily_quality group by market").fetchall()
    assert [measure["name"] for measure in measures] == ["rr_sum", "rr_queries"]
    expected = by_python(None)
    assert {market: (queries, total) for market, total, queries in rows} == {
        market: expected[market, "rr"] for market in ("de", "us")
    }


@pytest.mark.long
@pytest.mark.parametrize("environment", ["dbt-1", "dbt-2"])
def test_ci_reads_what_broke_as_json(tmp_path, environment):
    project.write_frame(tmp_path)
    written(tmp_path)
    ran(environment, tmp_path, "deps")
    ran(environment, tmp_path, "build")
    [command] = re.findall(r"^dbt (show -s \S+ --output json)$", PAGE, re.MULTILINE)
    said = ran(environment, tmp_path, *command.split()).output
    assert re.search(r'"metric": ?"rr"', said)
    assert re.search(r'"severity_level": ?1', said)


@pytest.mark.long
@pytest.mark.parametrize("environment", ["dbt-1", "dbt-2"])
def test_a_misspelt_source_fails_the_build(tmp_path, environment):
    """It does not without the options, which is why the page has them; parsed once, dbt 1 does not even warn."""
    project.write_frame(tmp_path)
    written(tmp_path, **{"models__lost.yml": LOST})
    for command in ("deps", "seed", "build"):
        ran(environment, tmp_path, command)
    [command] = re.findall(r"^dbt (build .*NodeNotFound.*)$", PAGE, re.MULTILINE)
    done = run(environment, tmp_path, *shlex.split(command))
    assert done.status != 0
    assert "raw.typo" in done.output


@pytest.mark.long
@pytest.mark.parametrize("environment", ["dbt-1", "dbt-2"])
def test_a_log_whose_positions_begin_at_0_and_1_fails_a_test(tmp_path, environment):
    project.write_frame(tmp_path)
    [(name, test)] = re.findall(r"```sql\n-- (tests/\S+)\n(.*?)```", PAGE, re.DOTALL)
    log = {
        "seeds__impressions.csv": project.as_csv(("search_id", "sku", "slot"), SHOWN),
        "seeds__events.csv": project.as_csv(("search_id", "sku", "event_type"), [("a", "y", "click")]),
    }
    written(tmp_path, "log_quality.sql", **log)
    project.write_files(tmp_path, {name: test})
    ran(environment, tmp_path, "deps")
    done = run(environment, tmp_path, "build")
    assert (done.status, done.of("fail")) == (1, [Path(name).stem])
    with duckdb.connect(tmp_path / "proof.duckdb", read_only=True) as connection:
        rows = connection.execute("select * from log_quality where reason <> 'used'").fetchall()
    assert rows == [("requests", "nothing at position 0", 1)]


def table_below(text: str) -> list[list[str]]:
    """The cells of the first table of the page below a text."""
    [rows] = re.findall(r"^\|[-:| ]+\n((?:\|.*\n)+)", PAGE.split(text, 1)[1], re.MULTILINE)[:1]
    return [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows.splitlines()]


def test_the_page_shows_rows_and_their_sums():
    shown = [(*row[:2], int(row[2]), int(row[3]), row[4], row[5]) for row in table_below("makes it:")]
    assert shown == [(*row[:5], f"{row[5]:%Y-%m-%d %H:%M}") for row in IMPRESSIONS[:5]]
    gains = {"rr": lambda rank: 1 / rank, "nDCG@10": lambda rank: 1 / log2(rank + 1)}
    for market, day, metric, users, *sums in table_below("sums_per_day.sql"):
        asked = [query for query, _, at, _, where, time in IMPRESSIONS if (at, where, f"{time:%F}") == (1, market, day)]
        values = [gains[metric](at) for query, _, at, grade, *_ in IMPRESSIONS if grade and query in asked]
        expected = (len(values), sum(values), sum(value**2 for value in values))
        assert (int(users), *map(float, sums)) == pytest.approx(expected, abs=5e-5)


RETRIEVED = [
    (run, f"q{n}", item, 2 - items.index(item)) for n in range(40) for run, items in RANKED.items() for item in items
]
GRADED = [(f"q{n}", "ab"[(n < 30) == (judge == "gpt")], judge, 1) for n in range(40) for judge in ("gpt", "people")]


@pytest.mark.long
@pytest.mark.parametrize("environment", ["dbt-1", "dbt-2"])
def test_each_judge_has_a_verdict(tmp_path, environment):
    project.write_frame(tmp_path)
    inputs = {
        "seeds__retrieved.csv": project.as_csv(("run_id", "query_id", "item_id", "score"), RETRIEVED),
        "seeds__grades.csv": project.as_csv(("query_id", "item_id", "judge", "relevance"), GRADED),
    }
    written(tmp_path, "runs_by_judge.sql", "verdicts.sql", **inputs)
    for command in ("deps", "seed", "run"):
        ran(environment, tmp_path, command)
    with duckdb.connect(tmp_path / "proof.duckdb", read_only=True) as connection:
        columns = "judge, effect_size, pvalue, pvalue_adj"
        rows = connection.execute(f"select {columns} from verdicts order by judge").fetchall()
        runs = "select query_id, item_id, score from retrieved where run_id = '{}'"
        of = {"columns": {"item": "item_id"}, "judge": "judge", "connection": connection}
        found = quietly(rm.compare, runs.format("old"), {"new": runs.format("new")}, "grades", "p@1", **of)
    assert [row[:2] for row in rows] == [("gpt", 0.5), ("people", -0.5)]
    expected = [tuple(row[name] for name in columns.split(", ")) for row in found.summary.dicts()]
    assert rows == [(judge, *map(pytest.approx, numbers)) for judge, *numbers in expected]
    names = ("judge", "baseline", "candidate", "effect_size", "verdict")
    assert table_below("models/verdicts.sql") == [[str(row[name]) for name in names] for row in found.summary.dicts()]


@pytest.mark.long
def test_a_reader_is_granted_the_models(tmp_path):
    import psycopg

    granted = yaml.safe_load(next(text for text in YAML if "grants" in text))
    with server(None) as port:
        address = f"host=127.0.0.1 port={port} dbname=postgres"
        with psycopg.connect(f"{address} user={USER}", autocommit=True) as connection:
            connection.execute("CREATE ROLE reader LOGIN")
        project.write_frame(tmp_path, granted, port=port)
        written(tmp_path, "sums_per_day.sql")
        for command in ("deps", "seed", "run"):
            ran("dbt-1", tmp_path, command, target="postgres")
        with psycopg.connect(f"{address} user=reader") as connection:
            [[schema]] = connection.execute(
                "SELECT schemaname FROM pg_tables WHERE tablename = 'sums_per_day'"
            ).fetchall()
            [[n_rows]] = connection.execute(f"SELECT COUNT(*) FROM {schema}.sums_per_day").fetchall()
    assert n_rows == len(by_python())


def test_every_model_of_the_page_is_built():
    text = Path(__file__).read_text()
    assert sorted(MODELS) == [
        f"models/{name}.sql"
        for name in (
            *("daily_quality", "log_quality", "requests_begun", "runs_by_judge", "sums_by_batch"),
            *("sums_per_day", "verdicts"),
        )
    ]
    assert all(f'"{name.removeprefix("models/")}"' in text for name in MODELS)

"""Models of docs/dbt.md and dbt_recipes.md: a shop; a run on each day of two weeks, over midnight, with late rows."""

from __future__ import annotations

import random
import re
from collections import Counter
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path

import duckdb
import pytest

import rankmetrics_sql as rm
from dev.dbt_envs import project, run

from ..conftest import alike, quietly

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "dbt.md").read_text()
RECIPE = re.findall(r"```jinja\n(.*?)```", (DOCS / "dbt_recipes.md").read_text(), re.DOTALL)[0]
# Its models of a log, by name.
OF_SHOP = re.findall(r"```sql\n-- models/(search_rows|quality_by_day|verdict)\.sql\n(.*?)```", PAGE, re.DOTALL)
FIRST = date(2026, 3, 1)
DAYS = 14
LATE = 6
# What has arrived by a day: a click that has not is no click yet.
IMPRESSIONS = """
select query_id, item_id, position, market, cast(asked_at as timestamp) as asked_at,
    case when cast(clicked_by as date) <= cast('{{ var("today") }}' as date) then 1 else 0 end as relevance
from {{ ref('arrivals') }}
where cast(arrived_on as date) <= cast('{{ var("today") }}' as date)
"""
COLUMNS = ("query_id", "item_id", "position", "market", "asked_at", "arrived_on", "clicked_by")


def arrivals():
    """A row per item shown; some requests, and some clicks of requests that are here already, are late."""
    rng = random.Random(14)
    for number in range(DAYS * 20):
        day = number % DAYS
        asked = datetime.combine(FIRST, datetime.min.time()) + timedelta(days=day, seconds=rng.randrange(86_400))
        if number % 5 == 0:  # its second item is shown after midnight
            asked = asked.replace(hour=23, minute=59, second=59)
        arrived = day + rng.choice((0, 0, 0, rng.randint(1, LATE)))
        market = rng.choice(("de", "us"))
        for position in range(1, rng.randint(3, 8)):
            clicked = max(arrived, day + rng.choice((0, 0, rng.randint(1, LATE))))
            by = FIRST + timedelta(days=clicked) if rng.random() < 0.3 else None
            shown = asked + timedelta(seconds=position - 1)
            yield f"q{number}", f"d{position}", position, market, shown, FIRST + timedelta(days=arrived), by


def requests_of_days():
    """How many requests began on each day in each market."""
    begun = {}
    for query, _, _, market, shown, *_ in arrivals():
        begun[query] = min(begun.get(query, (market, shown)), (market, shown))
    return Counter((market, shown.date()) for market, shown in begun.values())


@pytest.mark.long
def test_two_weeks_of_days_equal_a_full_refresh(tmp_path):
    project.write_frame(tmp_path)
    types = dict.fromkeys(("query_id", "item_id", "market", "asked_at", "arrived_on", "clicked_by"), "varchar")
    seeds = {"version": 2, "seeds": [{"name": "arrivals", "config": {"column_types": types}}]}
    project.write_files(
        tmp_path,
        {
            "models/search_rows.sql": IMPRESSIONS,
            "models/sums_per_day.sql": RECIPE,
            "seeds/arrivals.csv": project.as_csv(COLUMNS, arrivals()),
            "seeds/seeds.yml": seeds,
        },
    )

    def sums():
        with duckdb.connect(tmp_path / "proof.duckdb", read_only=True) as connection:
            return connection.execute("select * from sums_per_day order by all").fetchall()

    def dbt(*arguments):
        done = run("dbt-2", tmp_path, *arguments)
        assert done.status == 0, done.output

    dbt("deps")
    dbt("seed")
    seen = []
    for day in range(DAYS + LATE):
        dbt("run", "--vars", f"{{today: '{FIRST + timedelta(days=day)}'}}")
        seen.append(sums())
    grown = seen[-1]
    first = [next(rows for rows in seen if any(row[1] == asked for row in rows)) for asked in {row[1] for row in grown}]
    assert len({row[1] for row in grown}) == DAYS
    assert any(row not in grown for rows in first for row in rows), "something has arrived late"
    dbt("run", "--full-refresh", "--vars", f"{{today: '{FIRST + timedelta(days=DAYS + LATE)}'}}")
    assert sums() == alike(grown)
    assert {row[:2]: row[3] for row in grown if row[2] == "rr"} == requests_of_days()


@pytest.fixture
def shop(tmp_path):
    """The tables of the page of A/B tests, and a project whose models are those of docs/dbt.md over them."""
    names = {}
    exec(re.findall(r"```python\n(.*?)```", (DOCS / "ab_test.md").read_text(), re.DOTALL)[0], names)
    project.write_frame(tmp_path)
    models = {f"models/{name}.sql": text for name, text in OF_SHOP}
    for name, table in (("impressions", "serp_log"), ("events", "actions")):
        names["shop"].execute(f"COPY {table} TO '{tmp_path}/{table}.parquet'")
        models[f"models/{name}.sql"] = f"select * from '{tmp_path}/{table}.parquet'"
    project.write_files(tmp_path, models)
    return names["shop"]


@pytest.mark.long
@pytest.mark.parametrize("environment", ["dbt-1", "dbt-2"])
def test_the_page_builds_as_it_shows(tmp_path, environment, shop):
    """With the numbers of Python; the words of a build are those of dbt 1."""
    dbt = partial(run, environment, tmp_path)
    for command in ("deps", "build"):
        done = dbt(command)
        assert done.status == 0, done.output
    names, metrics = {"request": "search_id", "item": "sku", "position": "slot", "arm": "variant"}, ["mrr", "ctr@5"]
    dated, log = (rm.events("serp_log", "actions", **names, **time) for time in ({"time": "day"}, {}))
    by_day = quietly(rm.evaluate, dated, metrics, period="day", connection=shop)
    arms = quietly(rm.compare, log, metrics, baseline="control", cluster="visitor", connection=shop).summary.dicts()
    columns = ("metric", "effect_size", "effect_size_ci_lower", "pvalue_adj", "n_clusters")
    with duckdb.connect(tmp_path / "proof.duckdb", read_only=True) as connection:
        days = connection.execute("select * exclude (n_left_out) from quality_by_day").fetchall()
        verdicts = connection.execute(f"select {', '.join(columns)} from verdict").fetchall()
    expected = {row[:3]: pytest.approx(row[3:5], rel=1e-12) for row in by_day.summary}
    assert len(days) == 56
    assert {row[:3]: row[3:] for row in days} == expected
    assert {row[0]: row[1:] for row in verdicts} == {
        row["metric"]: pytest.approx([row[name] for name in columns[1:]], rel=1e-12) for row in arms
    }
    [described] = re.findall(r"```yaml\n# models/search_rows\.yml\n(.*?)```", PAGE, re.DOTALL)
    project.write_files(tmp_path, {"models/search_rows.yml": described})
    broken = dbt("build")
    assert (broken.status, broken.of("fail")) == (1, ["search_is_good_enough"])
    assert broken.of("skipped") == ["quality_by_day", "verdict"]
    if environment == "dbt-1":
        shown = re.findall(r"^\d of \d (.*? main\.quality_by_day|FAIL 1 \S+|SKIP .*?) \.+ ", PAGE, re.MULTILINE)
        assert len(shown) == 4
        assert [line for line in shown if line not in done.output + broken.output] == []

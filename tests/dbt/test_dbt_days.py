"""Models of docs/dbt.md and dbt_recipes.md: two weeks with a run each day, requests over midnight, late rows; arms."""

from __future__ import annotations

import random
import re
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

import rankmetrics_sql as rm
from dev.dbt_envs import project, run

from ..conftest import alike, quietly

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "dbt.md").read_text()
RECIPE = re.findall(r"```jinja\n(.*?)```", (DOCS / "dbt_recipes.md").read_text(), re.DOTALL)[0]
# Its models of one table with arms, by name.
OF_ARMS = re.findall(r"```sql\n-- models/(quality_by_day|arms)\.sql\n(.*?)```", PAGE, re.DOTALL)
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
            "models/impressions.sql": IMPRESSIONS,
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


@pytest.mark.long
@pytest.mark.parametrize("environment", ["dbt-1", "dbt-2"])
def test_models_of_arms_have_the_numbers_of_python(tmp_path, environment):
    columns = ("query_id", "item_id", "position", "relevance", "arm", "user_id", "asked_at")
    rows = [
        (
            f"q{n}",
            f"d{at}",
            at,
            int(at == 1 + n // 3 % 3),
            ("old", "new")[n // 2 % 2],
            f"u{n // 4}",
            FIRST + timedelta(n % 3),
        )
        for n in range(60)
        for at in range(1, 4)
    ]
    project.write_frame(tmp_path)
    models = {f"models/{name}.sql": text for name, text in OF_ARMS}
    project.write_files(tmp_path, {"seeds/impressions.csv": project.as_csv(columns, rows), **models})
    for command in ("deps", "seed", "run"):
        done = run(environment, tmp_path, command)
        assert done.status == 0, done.output
    with duckdb.connect(tmp_path / "proof.duckdb", read_only=True) as connection:
        days, arms = (connection.execute(f"select * from {name} order by all").fetchall() for name, _ in OF_ARMS)
        named = {"run_id": "arm", "position": "position"}
        by_day = quietly(
            rm.evaluate,
            rm.labelled("impressions", columns=named | {"time": "asked_at"}),
            "rr",
            period="day",
            connection=connection,
        )
        log = rm.labelled("impressions", columns=named)
        [row] = quietly(
            rm.compare, log, "rr", baseline="old", design="unpaired", cluster="user_id", connection=connection
        ).summary.dicts()
    assert [row[:3] for row in days] == [row[:3] for row in by_day.summary]
    assert [row[3:] for row in days] == [pytest.approx(row[3:], rel=1e-12) for row in by_day.summary]
    assert arms[0][:2] == ("new", "old")
    assert arms[0][2:] == pytest.approx([row[name] for name in ("effect_size", "pvalue", "n_clusters")], rel=1e-12)

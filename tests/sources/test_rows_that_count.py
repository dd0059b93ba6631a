"""A log whose metrics read relevant items alone hands on fewer rows, and no value changes by that."""

from __future__ import annotations

import math
import random
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.definitions.resolution import resolve_metrics, resolve_options
from rankmetrics_sql.errors import UsageError
from rankmetrics_sql.pipeline.request import Request

from ..conftest import fill
from ..everything import asked_for, seeds

GRADES = {"click": 1, "buy": 2}
BEGIN = datetime(2026, 1, 1)
AT_ONCE = ["ndcg@3", "rr", "r@5", "p(rel=2)@3", "mean_click_position"]  # by one GROUP BY of the rows
METRICS = [*AT_ONCE, "ap"]
RULES: list[dict[str, Any]] = [
    {},
    {"grade": "sum", "requests": "clicked", "dwell": "dwell", "min_dwell": 10, "grades": {"click": 1, "buy": 1}},
    {"requests": "logged", "queries": "requests", "position_base": 1},
    {"time": "moment", "within": 30, "grade": "sum"},
    {"time": "moment", "half_life": 20, "requests": "logged", "queries": "requests", "grades": {"click": 2}},
    {"time": "moment", "attribution": "user", "user": "user_id", "position_base": 0},
    {"time": "moment", "attribution": "user", "user": "user_id", "within": 40, "requests": "clicked"},
    {"application": "application", "grades": {"click": 2, "buy": 2}},  # one grade, of which ideals are looked up
    {"arm": "arm"},
]
ASKED: list[dict[str, Any]] = [
    {},
    {"by": [], "gain": "exp2"},
    {"by": ["arm"], "no_relevant": "null"},
    {"by": ["user_id"], "weight": "weight", "depth": 2},
    {"queries": "judged_relevant"},
]


def log(seed: int) -> duckdb.DuckDBPyConnection:
    """Gaps, positions that repeat or are NULL, repeated impressions, lists of 70, NULL ids, requests of two arms."""
    chance = random.Random(seed)
    shown, done, requests = [], [], []
    for number in range(40):
        request = f"r{number}" if chance.random() > 0.03 else None
        arm, application, first = chance.choice("ab"), chance.choice("xy"), chance.choice([0, 1, 1, 1, 30])
        n_items, is_tidy = chance.choice([0, 1, 3, 5, 8, 70]), chance.random() < 0.5
        requests.append((request, arm, "u0", 2.0))
        for place in range(n_items):
            item = f"i{chance.randrange(3 * n_items)}" if is_tidy or chance.random() > 0.03 else None
            other = chance.choice([first + chance.randrange(n_items), None, first + place])
            position = first + place if is_tidy or chance.random() > 0.2 else other
            own = arm if is_tidy or chance.random() > 0.02 else chance.choice(["a", "b", None])
            moment = BEGIN + timedelta(seconds=number * 1000 + chance.randrange(60))
            user = f"u{number % 7}"
            shown.append((request, item, position, own, user, moment, application, float(1 + number % 3)))
            while chance.random() < 0.25:
                late = timedelta(seconds=chance.choice([-5, 5, 35, 5000]))
                action = chance.choice(["click", "click", "buy", "view"])
                done.append((request, item, action, user, moment + late, chance.choice([None, 1, 40])))
    connection = duckdb.connect()
    connection.execute(
        """CREATE TABLE shown (request_id TEXT, item_id TEXT, position INT, arm TEXT, user_id TEXT, moment TIMESTAMP,
        application TEXT, weight DOUBLE);
        CREATE TABLE done (request_id TEXT, item_id TEXT, event_type TEXT, user_id TEXT, moment TIMESTAMP, dwell INT);
        CREATE TABLE requests (request_id TEXT, arm TEXT, user_id TEXT, weight DOUBLE)"""
    )
    fill(connection, "shown", shown)
    fill(connection, "done", done)
    fill(connection, "requests", requests)
    return connection


def close(one: float | None, other: float | None) -> bool:
    """Equal but for the order in which numbers are added up."""
    return one == other if one is None or other is None else math.isclose(one, other, abs_tol=1e-12)


def needs(metric: str, **options: Any) -> bool:
    """Whether relevant items are all that a metric reads."""
    choices = resolve_options({"position": "given", **options}, None)
    return Request(resolve_metrics([metric], choices), choices).requirements.relevant_alone


def values(
    connection: duckdb.DuckDBPyConnection, asked: list[str], rules: dict[str, Any], **given: Any
) -> list[dict[str, Any]]:
    """What the text gives for each request, which refuses nothing."""
    source = rm.events("shown", "done", **{"grades": GRADES, **rules})
    text = rm.sql(asked, source, connection=connection, level="values", header=False, **given)
    found = connection.execute(text)
    rows = [dict(zip((column[0] for column in found.description), row, strict=True)) for row in found.fetchall()]
    return sorted((row for row in rows if row["metric"] != "num_nonrel_judged_ret"), key=name_of)


def name_of(row: dict[str, Any]) -> tuple[str, ...]:
    """Of which request and metric a row is."""
    return str(row.get("run_id")), str(row["query_id"]), row["metric"]


def is_added_up_at_once(connection: duckdb.DuckDBPyConnection, metric: str) -> bool:
    """Whether one GROUP BY of the rows gives its values."""
    text = rm.sql([metric], rm.events("shown", "done"), connection=connection)
    return "rankmetrics_rows AS" in text and "rankmetrics_qrels" not in text


def test_what_needs_all_rows_is_known():
    for metric in ("rr", "ndcg@10", "ndcg(gain=exp2)@10", "mean_click_position"):
        assert needs(metric), metric
    assert needs("rr", queries="judged_relevant")
    for metric in ("ctr", "p", "judged@3", "num_nonrel_judged_ret", "rbp_residual", "bpref", "ndcg(gain={0:1, 1:2})"):
        assert not needs(metric), metric
    for name, value in {
        "position": "dense",
        "unjudged": "drop",
        "judgments": "retrieved",
        "queries": "retrieved",
        "ideal_depth": "present",
        "impute": 0,
        "duplicates": "first",
    }.items():
        assert not needs("ndcg@3", **{name: value}), name
    choices = resolve_options({"position": "given"}, None)
    for others in ({"level": "judged"}, {"level": "movements"}, {"reads_all": True}):
        assert not Request(resolve_metrics(["rr"], choices), choices, **others).requirements.relevant_alone


@pytest.mark.parametrize("seed", seeds(4))
def test_fewer_rows_have_the_same_values(seed):
    """Beside a metric that needs all rows the others are computed from all."""
    with log(seed) as connection:
        for (place, rules), (number, given) in product(enumerate(RULES), enumerate(ASKED)):
            if rules.get("requests") == "clicked" and "weight" in given:
                continue
            if seed and not asked_for() and place % len(ASKED) != number:
                continue  # the first log has every combination
            few = values(connection, AT_ONCE if given else METRICS, rules, **given)
            beside = values(connection, [*(AT_ONCE if given else METRICS), "num_nonrel_judged_ret"], rules, **given)
            assert few, (rules, given)
            for one, other in zip(few, beside, strict=True):
                assert close(one.pop("value"), other.pop("value")), (rules, given, one)
                assert one == other, (rules, given)


@pytest.mark.parametrize("seed", seeds(2))
def test_each_metric_that_says_so_reads_relevant_items_alone(seed):
    names = [name for name, metric in metrics().items() if metric.of_grades and metric.shape == "value"]
    with log(seed) as connection:
        found = []
        for name in names:
            for text in (name, f"{name}@3"):
                try:
                    if not needs(text):
                        continue
                except UsageError:
                    continue  # it has no cutoff
                found.append(text)
        assert len(found) > 40
        for asked in (found, [text for text in found if is_added_up_at_once(connection, text)]):
            few = values(connection, asked, {})
            beside = values(connection, [*asked, "num_nonrel_judged_ret"], {})
            pairs = list(zip(few, beside, strict=True))
            assert not [(one, two) for one, two in pairs if not close(one["value"], two["value"])]
        assert len(asked) > 20


def test_a_position_between_two_is_refused_wherever_it_stands():
    with log(0) as connection:
        connection.execute("CREATE TABLE halves AS SELECT * REPLACE (position + 0.5 AS position) FROM shown LIMIT 3")
        with pytest.raises(rm.RankmetricsError, match="a position must be a whole number"):
            rm.evaluate(rm.events("halves", "done"), "rr", connection=connection)

"""Planning before a test: statsmodels' power from the spread of one run, of clusters, and of differences of two."""

from __future__ import annotations

import json
import random

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.power import TTestIndPower, TTestPower

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import seeds
from ..statistics.test_compare import judged, run_of

SIDES = {"two_sided": "two-sided", "greater": "larger", "less": "larger"}  # effects are sizes


def asked(rng):
    """Options, the probability of missing and the level that they make."""
    options = {
        "power": rng.choice([0.8, 0.9, 0.7]),
        "confidence_level": rng.choice([0.95, 0.9]),
        "alternative": rng.choice([*SIDES]),
        "n_tests": rng.choice([1, 3, 20]),
    }
    solved = {"power": options["power"], "alternative": SIDES[options["alternative"]]}
    return options, solved | {"alpha": (1 - options["confidence_level"]) / options["n_tests"]}


@pytest.mark.parametrize("seed", seeds(10, 2))
def test_arms_are_planned_as_statsmodels_does(seed):
    """From the spread of the values of one run, or of the sums of users that are alike in size."""
    rng = random.Random(seed)
    qrels = judged(rng, 60)
    run, (options, solved) = run_of(rng, qrels), asked(rng)
    values = {row["query_id"]: row["rr"] for row in quietly(rm.evaluate, run, qrels, "rr").per_query.dicts()}
    users = pd.DataFrame({"query_id": [*qrels], "user": [f"u{place % 20}" for place in range(60)]})
    cluster = rng.choice([None, "user"])
    units = users["query_id"].map(values)
    if cluster:
        units = units.groupby(users["user"]).mean()
        options |= {"cluster": "user", "query_list": users}
    shares = rng.choice([None, {"a": 3, "b": 1}, {"a": 1, "b": 4}, {"a": 0.8, "b": 0.15, "c": 0.05}])
    ratio, others = {None: (1, 2), 3: (3, 4), 1: (4, 5), 0.8: (16, 20)}[shares and shares["a"]]
    effect = rng.choice([0.02, 0.1])
    [row] = quietly(rm.sample_size, run, qrels, "rr", effect=effect, shares=shares, **options).dicts()
    exact = TTestIndPower().solve_power(effect / units.std(), ratio=ratio, **solved)
    assert row["deviation"] == pytest.approx(units.std(), rel=1e-9)
    assert row["n"] == pytest.approx(np.ceil(exact - 1e-3), abs=0)
    assert (row["unit"], row["n_queries"]) == (cluster or "queries", row["n"] * (3 if cluster else 1))
    assert row["n_all_arms"] == pytest.approx(row["n"] * others, abs=1)
    [back] = quietly(rm.sample_size, run, qrels, "rr", n=50, shares=shares, **options).dicts()
    detectable = TTestIndPower().solve_power(nobs1=50, ratio=ratio, **solved)
    assert back["effect"] == pytest.approx(detectable * units.std(), rel=1e-4)


@pytest.mark.parametrize("seed", seeds(6, 2))
def test_pairs_are_planned_from_two_runs(seed, monkeypatch):
    """Without SciPy by the points of Student's t, which are at most a few off."""
    rng = random.Random(seed)
    qrels = judged(rng, 80)
    runs, (options, solved) = {"old": run_of(rng, qrels), "new": run_of(rng, qrels)}, asked(rng)
    values = [
        {row["query_id"]: row["rr"] for row in quietly(rm.evaluate, run, qrels, "rr").per_query.dicts()}
        for run in runs.values()
    ]
    away = np.array([values[1][query] - values[0][query] for query in qrels])
    [row] = quietly(rm.sample_size, runs, qrels, "rr", effect={"rr": 0.05}, **options).dicts()
    exact = TTestPower().solve_power(0.05 / away.std(ddof=1), **solved)
    assert row["n"] == pytest.approx(np.ceil(exact - 1e-3), abs=0)
    assert (row["run"], row["baseline_run"], row["n_all_arms"], row["n_past"]) == ("new", "old", None, 80)
    assert row["value"] == pytest.approx(away.mean(), abs=1e-12)
    monkeypatch.setitem(__import__("sys").modules, "scipy.stats", None)
    [plain] = quietly(rm.sample_size, runs, qrels, "rr", effect=0.05, **options).dicts()
    assert abs(plain["n"] - row["n"]) <= 2


RUN = {f"q{number}": ["a", "b"] if number % 2 else ["b", "a"] for number in range(40)}
QRELS = {query: {"a": 1} for query in RUN}


@pytest.mark.parametrize(
    ("run", "options", "message"),
    [
        (RUN, {"effect": 0.1, "design": "paired"}, "one run has no spread of differences"),
        ({"a": RUN}, {"effect": 0.1}, "one run has no spread of differences"),
        ({"a": RUN, "b": RUN, "c": RUN}, {"effect": 0.1}, "there are 3 runs"),
        (RUN, {}, "either effect="),
        (RUN, {"effect": 0.1, "n": 5}, "either effect="),
        (RUN, {"effect": -0.1}, "effect takes a number above 0"),
        (RUN, {"effect": {"ap": 0.1}}, "effect takes a number for each metric, rr"),
        (RUN, {"n": 1}, "n takes a whole number of at least 2"),
        (RUN, {"n": 9, "n_tests": 0}, "n_tests takes a whole number of at least 1"),
        (RUN, {"n": 9, "shares": {"a": 1}}, "two arms or more"),
        (RUN, {"n": 9, "power": 2}, "power cannot be 2"),
        ({"a": RUN, "b": RUN}, {"n": 9, "shares": {"a": 1, "b": 1}}, "two runs plan pairs"),
    ],
)
def test_what_cannot_be_planned(run, options, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sample_size(run, QRELS, "rr", **options)


def test_without_a_spread_there_is_a_reason():
    rows = quietly(rm.sample_size, RUN, QRELS, ["success@2", "rr(aggregate=median)"], effect=0.1).dicts()
    assert [(row["n"], row["reason"]) for row in rows] == [
        (None, "all are equal, so there is no spread"),
        (None, "it has no standard error"),
    ]


def test_on_the_command_line(cli, tmp_path):
    for name, content in {"run": RUN, "qrels": QRELS}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    given = [tmp_path / "run.json", "--qrels", tmp_path / "qrels.json", "-m", "rr", "--effect", "0.1", "--n-tests", "2"]
    shown = cli("sample-size", *given, "--shares", "a=3,b=1", "--set", "power=0.9", "--format", "json")
    assert shown.exit_code == 0, shown.stderr
    keywords = {"effect": 0.1, "n_tests": 2, "shares": {"a": 3, "b": 1}, "power": 0.9}
    [expected] = quietly(rm.sample_size, RUN, QRELS, "rr", **keywords).dicts()
    assert [{**row, "run": None} for row in json.loads(shown.stdout)] == [expected]
    refused = cli("sample-size", tmp_path / "run.json", "--qrels", tmp_path / "qrels.json", "-m", "rr")
    assert (refused.exit_code, "either effect=" in refused.stderr) == (2, True)

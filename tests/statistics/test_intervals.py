"""Intervals of the values of a summary: scipy's, and of weighted means those of their formula."""

from __future__ import annotations

import json
import math

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from scipy import stats
from sqlglot import exp

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import DEMO, quietly, random_data
from ..everything import seeds

METRICS = ["ap", "ndcg@5", "rr", "gm_map", "num_rel_ret", "p@3", "ap(aggregate=median)"]
LEAST = 1e-5  # of a geometric mean
FOUND = ("standard_error", "ci_lower", "ci_upper")


def ends_of(mean, error, degrees, level):
    """Both ends, to 1e-9 of what they are made of: one near 0 is what is left of larger numbers."""
    reach = stats.t.ppf((1 + level) / 2, degrees) * error
    return [pytest.approx(end, rel=1e-9, abs=1e-9 * (abs(mean) + reach)) for end in (mean - reach, mean + reach)]


def expected(metric, values, level):
    """By scipy: the error and the interval of a mean, of its logarithm, or of a sum."""
    values = np.array([value for value in values if value is not None], dtype=float)
    if len(values) < 2 or "median" in metric:
        return [None] * 3
    own = np.log(np.maximum(values, LEAST)) if metric == "gm_map" else values
    size = len(own) if metric.startswith("num") else 1
    scale = math.exp(own.mean()) if metric == "gm_map" else size
    error = stats.sem(own)
    return [pytest.approx(error * scale, rel=1e-9), *ends_of(own.mean() * size, error * size, len(own) - 1, level)]


def found_in(row):
    """Of a row: its error and interval; the ends of a geometric mean as logarithms."""
    ends = [row["ci_lower"], row["ci_upper"]]
    if row["metric"] == "gm_map":
        ends = [None if end is None else math.log(end) if end else -math.inf for end in ends]
    return [row["standard_error"], *ends]


def check(row, wanted):
    """Where no double holds the end of an interval, it is not known, or 0."""
    found = found_in(row)
    if found[1] == -math.inf:
        assert wanted[1].expected < -740
        wanted = [wanted[0], -math.inf, wanted[2]]
    if row["metric"] == "gm_map" and found[1] is not None and found[2] is None:
        assert wanted[2].expected > 699
        wanted = [*wanted[:2], None]
    assert found == wanted, row


POINTS = [f"rankmetrics_{name}" for name in ("quadrature_nodes", "guessed", "tail_probabilities", "critical_values")]


def points_of(level, degrees):
    """What the statement says of degrees of freedom that are given: how many errors wide the interval is."""
    text = rm.sql("rr", "none", "none", values="stored", header=False, interval="t", confidence_level=level)
    parts = sqlglot.parse_one(text, read="duckdb").find_all(exp.CTE)
    stages = {stage.alias: stage.this.sql("duckdb") for stage in parts}
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE rankmetrics_measured AS SELECT UNNEST(?) AS degrees, 'rr' AS metric, 1 AS metric_number,"
            " 1.0::DOUBLE AS value, 1 AS n_queries, 0 AS in_logarithms, 1 AS join_key, 1.0::DOUBLE AS estimate,"
            " 1.0::DOUBLE AS error",
            [list(degrees)],
        )
        connection.execute(
            "CREATE OR REPLACE TABLE rankmetrics_measured AS SELECT * REPLACE (ROW_NUMBER() OVER () AS metric_number)"
            " FROM rankmetrics_measured"
        )
        known = ", ".join(f"{name} AS ({stages[name]})" for name in POINTS)
        found = connection.execute(
            f"WITH {known} SELECT metric_number, point FROM {POINTS[-1]} ORDER BY 1"
        ).fetchnumpy()
    return degrees, found["point"]


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99, 0.9901, 0.999, 0.9999, 0.99999])
def test_quantiles_are_those_of_scipy(level):
    """Of 1 to a million degrees of freedom, fractions among them, which arms and uneven clusters have."""
    degrees = np.concatenate([np.linspace(1, 8, 141), np.logspace(math.log10(8), 6, 40)])
    found, points = points_of(level, degrees)
    assert len(found) == len(degrees)
    assert np.abs(points / stats.t.isf((1 - level) / 2, found) - 1).max() < 1e-9


@pytest.mark.parametrize("alternative", ["two_sided", "greater"])
@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99, 0.999])
def test_the_guesses_of_usual_levels_are_known(level, alternative, monkeypatch):
    """They are the computed ones, without the hundreds of steps."""
    given = {"level": "compare", "confidence_level": level, "alternative": alternative}
    known, functions = rm.sql("rr", {"a": "a", "b": "b"}, "q", **given), macros().functions
    if level > 0.8 or alternative == "two_sided":
        with monkeypatch.context() as patch:
            patch.setattr(functions, "rm_guess_coefficients", lambda tail: pytest.fail(f"{tail} is computed"))
            assert rm.sql("rr", {"a": "a", "b": "b"}, "q", **given) == known
    monkeypatch.setattr(functions, "rm_known_guesses", dict)
    assert rm.sql("rr", {"a": "a", "b": "b"}, "q", **given) == known


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("seed", seeds(12))
def test_intervals_are_those_of_scipy(seed, level):
    run, qrels = random_data(seed, n_queries=[2, 3, 5, 30][seed % 4])
    if not qrels or not run:
        return
    options = {"interval": "t", "confidence_level": level}
    result = quietly(rm.evaluate, run, qrels, METRICS, queries="judged", **options)
    per_query = result.per_query.dicts()
    for row in result.summary.dicts():
        wanted = expected(row["metric"], [query[row["metric"]] for query in per_query], level)
        check(row, wanted)


@pytest.mark.parametrize("seed", seeds(6))
def test_intervals_of_groups(seed):
    """NULL is a group, and a total has an interval of all its queries."""
    run, qrels = random_data(40 + seed)
    markets = {query: ["de", "fr", None][number % 3] for number, query in enumerate(qrels)}
    rows = [(query, item, grade, markets[query]) for query, items in qrels.items() for item, grade in items.items()]
    judged = pd.DataFrame(rows, columns=["query_id", "item_id", "relevance", "market"])
    given = {"by": "market", "rollup": True, "interval": "t", "min_queries": 2}
    result = quietly(rm.evaluate, {"one": run, "two": dict(list(run.items())[::2])}, judged, METRICS, **given)
    per_query = result.per_query.dicts()
    assert {row["breakdown"] for row in result.summary.dicts()} == {"total", "market"}
    for row in result.summary.dicts():
        own = [
            query[row["metric"]]
            for query in per_query
            if query["run_id"] == row["run_id"] and (row["breakdown"] == "total" or query["market"] == row["market"])
        ]
        check(row, expected(row["metric"], own, 0.95))


@pytest.mark.parametrize("seed", seeds(6))
def test_intervals_of_weighted_means(seed):
    """Those of clusters of one query; sums have no weights, and no interval then."""
    run, qrels = random_data(60 + seed)
    weights = {query: None if number == 3 else number % 5 for number, query in enumerate(qrels)}
    listed = pd.DataFrame({"query_id": list(qrels), "traffic": [weights[query] for query in qrels]})
    given = {"interval": "t", "weight": "traffic", "query_list": listed}
    result = quietly(rm.evaluate, run, qrels, ["ap", "gm_map", "num_rel_ret"], **given)
    per_query = [row for row in result.per_query.dicts() if weights[row["query_id"]]]
    weight = np.array([weights[row["query_id"]] for row in per_query], dtype=float)
    for row in result.summary.dicts():
        if row["metric"] == "num_rel_ret":
            assert [row[name] for name in FOUND] == [None] * 3
            continue
        values = np.array([query[row["metric"]] for query in per_query])
        values = np.log(np.maximum(values, LEAST)) if row["metric"] == "gm_map" else values
        mean, shares = np.average(values, weights=weight), weight / weight.sum()
        ratios = shares**2 / (1 - shares)
        error = math.sqrt((ratios * (values - mean) ** 2).sum())
        degrees = 1 / ((shares**2).sum() + ratios.sum() ** 2 - (ratios**2).sum())
        assert row["largest_weight_share"] == pytest.approx(shares.max(), rel=1e-12)
        scale = math.exp(mean) if row["metric"] == "gm_map" else 1
        check(row, [pytest.approx(error * scale, rel=1e-9), *ends_of(mean, error, degrees, 0.95)])


def test_values_without_a_spread_and_single_queries():
    run = {"a": ["x"], "b": ["x"], "c": ["x"]}
    alike = quietly(rm.evaluate, run, {query: {"x": 1} for query in run}, "rr", interval="t")
    assert [row[3:] for row in alike.summary] == [(0.0, 1.0, 1.0)]
    alone = quietly(rm.evaluate, run, {"a": {"x": 1}}, "rr", interval="t")
    assert [row[3:] for row in alone.summary] == [(None, None, None)]


def test_values_that_differ_in_the_last_digits():
    """Around a large mean the spread is not what the squares leave of each other."""
    values = [1e6 + number / 1024 for number in range(7)]
    run = {f"q{number}": ["x"] for number in range(7)}
    judged = {f"q{number}": {"x": value} for number, value in enumerate(values)}
    [row] = quietly(rm.evaluate, run, judged, "cg@1", interval="t").summary.dicts()
    assert row["standard_error"] == pytest.approx(stats.sem(values), rel=1e-9)


def test_queries_that_are_skipped_and_values_of_all_lists():
    """A query without a value widens nothing; the value of all lists together has no interval."""
    run = {"a": ["x", "y"], "b": ["y"], "c": ["z"]}
    judged = {"a": {"y": 1}, "b": {"y": 1}, "c": {"x": 0}}
    names = ["rr", "catalogue_coverage@2", "first_click_position"]
    result = quietly(rm.evaluate, run, judged, names, items=["x", "y", "z"], interval="t")
    rows = {row["metric"]: row for row in result.summary.dicts()}
    per_query = result.per_query.dicts()
    assert found_in(rows["catalogue_coverage@2"]) == [None] * 3
    for name in ("rr", "first_click_position"):
        check(rows[name], expected(name, [row[name] for row in per_query], 0.95))
    assert None in [row["first_click_position"] for row in per_query]


def test_in_parts_and_from_stored_values():
    result = quietly(rm.evaluate, DEMO / "covidex.t5.run.gz", DEMO / "qrels.txt", ["ap", "gm_map"], interval="t")
    parts = quietly(
        rm.evaluate, DEMO / "covidex.t5.run.gz", DEMO / "qrels.txt", ["ap", "gm_map"], interval="t", partitions=3
    )
    for one, other in zip(result.summary, parts.summary, strict=True):
        assert list(one[1:]) == pytest.approx(list(other[1:]), abs=1e-12)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE runs AS SELECT 'a' AS query_id, 'x' AS item_id, 1 AS score")
        connection.execute("CREATE TABLE judged AS SELECT 'a' AS query_id, 'x' AS item_id, 1 AS relevance")
        connection.execute(f"CREATE TABLE stored AS {rm.sql('ap', 'runs', 'judged', level='values')}")
        connection.execute("INSERT INTO stored SELECT * REPLACE ('b' AS query_id, 0.5 AS value) FROM stored")
        text = rm.sql("ap", "runs", "judged", values="stored", interval="t")
        [row] = connection.execute(text).fetchall()
        assert row[1:4] == (0.75, 2, 0.25)


@pytest.mark.parametrize("level", ["sums", "curve", "compare"])
def test_where_there_are_none(level):
    arguments = {"run": {"a": "runs", "b": "others"}, "baseline": "a"} if level == "compare" else {"run": "runs"}
    with pytest.raises(rm.UsageError, match="interval=t works only with a summary"):
        rm.sql("ap", qrels="judged", level=level, interval="t", **arguments)


def test_a_group_is_called_as_no_column_of_theirs():
    with pytest.raises(rm.UsageError, match="The result would have two columns called 'ci_lower'"):
        rm.sql("ap", "runs", "judged", by="ci_lower", interval="t")
    assert "ci_lower" in rm.sql("ap", "runs", "judged", by="ci_lower")


def test_on_the_command_line(cli):
    asked = [
        "evaluate",
        DEMO / "covidex.t5.run.gz",
        "--qrels",
        DEMO / "qrels.txt",
        "-m",
        "ndcg@10",
        "--set",
        "interval=t",
    ]
    shown = cli(*asked, "--set", "confidence_level=0.9").stdout
    assert "90% interval" in shown
    assert "standard_error" not in shown
    [row] = json.loads(cli(*asked, "--format", "json").stdout)
    assert row["ci_lower"] < row["value"] < row["ci_upper"]
    assert cli(*asked, "--format", "trec").stdout.split()[-3:] == ["ndcg_cut_10", "all", "0.6250"]


def test_what_is_no_query_in_the_format_of_trec_eval(cli, tmp_path):
    (tmp_path / "run.csv").write_text("query_id,item_id,score\na,x,1\nb,y,1\n")
    (tmp_path / "qrels.csv").write_text("query_id,item_id,relevance,traffic\na,x,1,3\nb,x,1,1\n")
    asked = ["evaluate", tmp_path / "run.csv", "--qrels", tmp_path / "qrels.csv", "-m", "rr", "--weight", "traffic"]
    for more in ([], ["--cluster", "relevance"]):
        found = cli(*asked, *more, "--set", "interval=t", "--format", "trec")
        assert found.stdout.split()[-3:] == ["recip_rank", "all", "0.7500"], found.stderr


@pytest.mark.parametrize("options", [{}, {"interval": None}, {"interval": "none"}])
def test_there_are_none_unless_they_are_asked_for(options):
    result = quietly(rm.evaluate, {"a": ["x"]}, {"a": {"x": 1}}, "rr", **options)
    assert list(result.summary.columns) == ["metric", "value", "n_queries"]
    assert "rankmetrics_centred" not in rm.sql("rr", "runs", "judged", **options)

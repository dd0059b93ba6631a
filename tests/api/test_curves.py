"""Curves: a metric along a parameter, and the points that each list has of its own."""

from __future__ import annotations

import json

import duckdb
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly, random_data
from ..oracles import brute

RUN, QRELS = {"q": ["a", "x", "b", "y", "c"]}, {"q": ["a", "b", "c", "d"]}


def points(table):
    return [(row["x"], row["y"]) for row in table.dicts()]


@pytest.mark.parametrize("strategy", ["window", "count"])
@pytest.mark.parametrize(("metric", "name"), [("ap", "ap"), ("ndcg(gain=exp2)", "ndcg"), ("p(rel=2)", "p")])
def test_a_metric_along_k_is_the_metric_at_each_k(metric, name, strategy):
    run, qrels = random_data(5)
    cutoffs = [1, 2, 3, 7, 60]
    found = quietly(rm.curve, run, qrels, metric, at=cutoffs, strategy=strategy)
    params = {"ndcg(gain=exp2)": {"gain": "exp2"}, "p(rel=2)": {"rel": 2}}.get(metric, {})
    values = {k: brute.per_query(run, qrels, name, {**params, "k": k}) for k in cutoffs}
    assert points(found.summary) == [(k, pytest.approx(brute.mean(values[k]), abs=1e-12)) for k in cutoffs]
    assert {(row["query_id"], row["x"]): row["y"] for row in found.per_query.dicts()} == {
        (query, k): pytest.approx(value, abs=1e-12) for k in cutoffs for query, value in values[k].items()
    }


def test_a_metric_of_the_catalogue_needs_no_judgments(tmp_path, cli):
    """Self-information of popularities 1/2, 1/4 and 1/8 is 1, 2 and 3, at every cutoff; the command line, too."""
    run, items = {"q": ["a", "b", "c"], "r": ["c", "a"]}, {"a": 1 / 2, "b": 1 / 4, "c": 1 / 8}
    expected = [(1, (1 + 3) / 2), (2, (3 / 2 + 4 / 2) / 2), (3, (6 / 3 + 4 / 2) / 2)]
    found = rm.curve(run, None, "self_information", at=[1, 2, 3], items=items)
    assert points(found.summary) == [(k, pytest.approx(value)) for k, value in expected]
    rows = [f"{query},{item},{-rank}" for query, shown in run.items() for rank, item in enumerate(shown)]
    (tmp_path / "run.csv").write_text("\n".join(["query_id,item_id,score", *rows, ""]))
    rows = [f"{item},{popularity}" for item, popularity in items.items()]
    (tmp_path / "items.csv").write_text("\n".join(["item_id,popularity", *rows, ""]))
    given = (tmp_path / "run.csv", "-m", "self_information", "--items", tmp_path / "items.csv", "--format", "csv")
    printed = cli("curve", *given, "--at", "1,2,3").stdout.splitlines()
    assert [float(line.split(",")[2]) for line in printed[1:]] == pytest.approx([value for _, value in expected])
    assert "--qrels is missing" in cli("curve", *given[:2], "recall", "--at", "1,2").stderr
    planned = cli("sample-size", *given[:-1], "json", "--n", "20").stdout
    assert json.loads(planned)[0]["value"] == pytest.approx(2)
    both = ("tukey", f"x={given[0]}", f"y={given[0]}", *given[1:])
    assert cli(*both).exit_code == 0, cli(*both).stderr


def test_average_precision_after_every_k():
    assert points(rm.curve(RUN, QRELS, "ap", at=range(1, 6)).summary) == [
        (1, pytest.approx(1 / 4)),
        (2, pytest.approx(1 / 4)),
        (3, pytest.approx((1 + 2 / 3) / 4)),
        (4, pytest.approx((1 + 2 / 3) / 4)),
        (5, pytest.approx((1 + 2 / 3 + 3 / 5) / 4)),
    ]


def test_precision_at_every_relevant_item():
    assert points(quietly(rm.curve, RUN, QRELS, "pr_curve").per_query) == [
        (1 / 4, 1),
        (2 / 4, pytest.approx(2 / 3)),
        (3 / 4, pytest.approx(3 / 5)),
    ]


@pytest.mark.parametrize(
    ("metric", "ys"), [("pr_curve", [1 / 2, 2 / 3, 3 / 4]), ("pr_curve(interpolated=yes)", [3 / 4] * 3)]
)
def test_interpolated_precision_is_the_best_from_there_on(metric, ys):
    found = quietly(rm.curve, {"q": ["x", "a", "b", "c"]}, {"q": ["a", "b", "c"]}, metric).per_query
    assert points(found) == [(pytest.approx(i / 3), pytest.approx(y)) for i, y in enumerate(ys, start=1)]


@pytest.mark.parametrize(("metric", "n_points"), [("pr_curve@4", 2), ("pr_curve@5", 3), ("pr_curve(rel=2)", 1)])
def test_points_obey_cutoff_and_threshold(metric, n_points):
    found = quietly(rm.curve, RUN, {"q": {"a": 1, "b": 2, "c": 1}}, metric)
    assert found.summary is None
    assert len(found.per_query) == n_points


def test_eleven_points_by_default():
    found = quietly(rm.curve, RUN, QRELS, "iprec", along="recall")
    assert points(found.summary) == [
        (level / 10, pytest.approx(1 if level <= 3 else 2 / 3 if level <= 6 else 3 / 5 if level <= 8 else 0))
        for level in range(11)
    ]


def test_several_runs_and_groups(tmp_path):
    (tmp_path / "qrels.csv").write_text("query_id,item_id,relevance,market\nq,a,1,se\nr,a,1,no\n")
    runs = {"one": {"q": ["a"], "r": ["x", "a"]}, "two": {"q": ["x", "a"], "r": ["a"]}}
    rows = quietly(rm.curve, runs, tmp_path / "qrels.csv", "rr", at=[1, 2], by="market").summary.fetchall()
    assert rows == [
        ("one", "no", 1.0, 0.0, 1), ("one", "no", 2.0, 0.5, 1), ("one", "se", 1.0, 1.0, 1), ("one", "se", 2.0, 1.0, 1),
        ("two", "no", 1.0, 1.0, 1), ("two", "no", 2.0, 1.0, 1), ("two", "se", 1.0, 0.0, 1), ("two", "se", 2.0, 0.5, 1),
    ]  # fmt: skip


def test_the_text_runs():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE runs AS SELECT 'q' AS query_id, 'a' AS item_id, 1.0 AS score")
        connection.execute("CREATE TABLE labels AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance")
        text = rm.sql("p", "runs", "labels", level="curve", at=[1, 2])
        assert connection.execute(text).fetchall() == [(1.0, 1.0, 1), (2.0, 0.5, 1)]
        text = rm.sql("pr_curve", "runs", "labels", level="points")
        assert connection.execute(text).fetchall() == [("q", 1.0, 1.0)]


@pytest.mark.parametrize(
    ("metric", "keywords", "message"),
    [
        ("ap@10", {}, "fixes k, which the curve varies"),
        ("ap", {"along": "depth", "at": [1]}, "ap has no numeric parameter 'depth'"),
        ("ap", {"along": "ap_denominator", "at": [1]}, "ap has no numeric parameter 'ap_denominator'"),
        ("ap", {"at": []}, "needs numbers"),
        ("ap", {"at": [0.5]}, "k cannot be 0.5"),
        ("ap", {"at": [1], "unjudged": "bounds"}, "two curves"),
        ("bpref", {}, "bpref has no numeric parameter 'k'"),
    ],
)
def test_bad_requests(metric, keywords, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.curve(RUN, QRELS, metric, **keywords)


@pytest.mark.parametrize(
    ("metric", "level"), [("ap", "points"), ("pr_curve", "curve"), ("pr_curve", "curve_per_query")]
)
def test_levels_fit_the_metric(metric, level):
    with pytest.raises(rm.UsageError, match=f"has no level {level}"):
        rm.sql(metric, "runs", "labels", level=level)


def test_a_curve_is_no_number():
    with pytest.raises(rm.UsageError, match="'pr_curve' is a curve, not a number"):
        rm.evaluate(RUN, QRELS, ["pr_curve"])


class TestCommandLine:
    """``rankmetrics curve``."""

    @pytest.fixture
    def files(self, tmp_path):
        (tmp_path / "x.run").write_text("q 0 a 1 2 t\nq 0 b 2 1 t\n")
        (tmp_path / "qrels").write_text("q 0 b 1\n")
        return tmp_path / "x.run", "--qrels", tmp_path / "qrels"

    def test_prints_a_row_per_point(self, cli, files):
        result = cli("curve", *files, "-m", "rr", "--at", "1,2", "--format", "csv")
        assert result.stdout == "run_id,x,y,n_queries\nx,1.0,0.0,1\nx,2.0,0.5,1\n"

    def test_or_per_query(self, cli, files):
        result = cli("curve", *files, "-m", "pr_curve", "--per-query", "--format", "csv")
        assert result.stdout == "run_id,query_id,x,y\nx,q,1.0,0.5\n"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["-m", "pr_curve"], "Add --per-query"),
            (["-m", "rr", "--at", "1;2"], "--at takes numbers"),
            (["-m", "rr", "-m", "ap"], "A curve shows one metric"),
        ],
    )
    def test_bad_requests(self, cli, files, arguments, message):
        result = cli("curve", *files, *arguments)
        assert result.exit_code == 2
        assert message in result.stderr

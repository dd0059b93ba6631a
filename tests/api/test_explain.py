"""Why two profiles differ: the sums must add up, and each part must be what an evaluation gives."""

from __future__ import annotations

import json

import pytest

import rankmetrics_sql as rm

from ..conftest import DEMO, per_query, quietly, random_data, value
from ..everything import mostly_long

RUN, QRELS = random_data(3)


def explained(metric="ndcg@10", **keywords):
    return quietly(rm.explain, RUN, QRELS, metric, **keywords)


@pytest.mark.parametrize("profile", ["elasticsearch", "scikit-learn", "rectools", "trec_eval9"])
@pytest.mark.parametrize("metric", mostly_long(["ndcg@5", "p@5", "rr"], "ndcg@5"))
def test_both_values_are_those_of_the_profiles(profile, metric):
    found = explained(metric, profile=profile)
    assert found.value == pytest.approx(value(RUN, QRELS, metric, profile=profile), abs=1e-12)
    assert found.against_value == pytest.approx(value(RUN, QRELS, metric), abs=1e-12)


def test_a_metric_of_the_catalogue():
    """Equal scores: recommenders takes them as they come, a before b, trec_eval by the last name."""
    run, items = {"q": {"a": 1.0, "b": 1.0}}, {"a": 1 / 2, "b": 1 / 8}
    found = quietly(
        rm.explain, run, {"q": ["a"]}, "self_information@1", profile="recommenders", items=items, check="none"
    )
    assert (found.value, found.against_value) == pytest.approx((1, 3))
    with pytest.raises(rm.UsageError, match=r"one value of all queries together\. Take a metric with a value for each"):
        rm.explain(run, {"q": ["a"]}, "catalogue_coverage@1", profile="recommenders", items=items)


def test_each_choice_alone_and_what_they_do_together():
    found = explained(profile="elasticsearch", against="trec_eval")
    choices = {choice["choice"]: choice for choice in found.choices}
    assert choices["gain"]["elasticsearch"] == "exp2"
    assert choices["gain"]["trec_eval"] == "linear"
    for name, choice in choices.items():
        alone = value(RUN, QRELS, "ndcg@10", **{name: choice["elasticsearch"]})
        assert choice["value"] == pytest.approx(alone, abs=1e-12), name
        assert choice["difference"] == pytest.approx(alone - found.against_value, abs=1e-12)
    total = sum(choice["difference"] for choice in choices.values()) + found.together
    assert total == pytest.approx(found.value - found.against_value, abs=1e-12)


def test_queries_that_move_most_come_first():
    found = explained(profile="elasticsearch")
    here, there = (per_query(RUN, QRELS, ["ndcg@10"], profile=name) for name in ("elasticsearch", "trec_eval"))
    moves = [abs(query["difference"]) for query in found.queries]
    assert moves == sorted(moves, reverse=True)
    assert moves[0] > 0
    for query in found.queries:
        assert query["elasticsearch"] == pytest.approx(here[query["query_id"]]["ndcg@10"], abs=1e-12)
        assert query["trec_eval"] == pytest.approx(there[query["query_id"]]["ndcg@10"], abs=1e-12)
    assert {query["mostly"] for query in found.queries} <= {None, *(choice["choice"] for choice in found.choices)}


def test_a_value_of_all_queries_together_follows_from_its_choices():
    found = explained("f@5", profile="evidently", ties="item_desc")
    assert {choice["choice"] for choice in found.choices} >= {"f_beta", "queries", "judgments"}
    assert "aggregate" not in {choice["choice"] for choice in found.choices}
    [f_beta] = [choice for choice in found.choices if choice["choice"] == "f_beta"]
    assert f_beta["value"] == pytest.approx(value(RUN, QRELS, "f@5", f_beta="of_averages"), abs=1e-12)


def test_shared_options_differ_on_neither_side():
    found = explained(profile="elasticsearch", gain="exp2")
    assert "gain" not in {choice["choice"] for choice in found.choices}


def test_the_same_choices():
    found = explained(profile="trec_eval")
    assert (found.choices, found.together) == ([], 0)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"profile": "elastic"}, "Did you mean 'elasticsearch'"),
        ({"profile": "elasticsearch", "against": "trec"}, "Unknown profile 'trec'"),
        ({"profile": "elasticsearch", "metric": "ndgc"}, "Unknown metric 'ndgc'"),
        ({"profile": "elasticsearch", "unjudged": "bounds"}, "unjudged=bounds gives two values"),
        ({"profile": "elasticsearch", "no_relevant": "error"}, "cannot compare with no_relevant=error"),
        ({"profile": "elasticsearch", "metric": "pr_curve"}, "is a curve, not a number"),
    ],
)
def test_bad_requests(keywords, message):
    with pytest.raises(rm.UsageError, match=message):
        explained(**keywords)


def test_on_the_command_line(cli):
    files = [DEMO / "covidex.sim.run.gz", "--qrels", DEMO / "qrels.txt"]
    arguments = ["explain", "-m", "ndcg@10", "--profile", "elasticsearch", "--against", "trec_eval", *files]
    text = cli(*arguments, "--top", 3).stdout
    assert text.startswith("ndcg@10 of covidex.sim: ")
    assert "trec_eval with one choice of elasticsearch at a time" in text
    assert "The queries that move most, 3 of " in text
    found = json.loads(cli(*arguments, "--format", "json").stdout)
    assert found["against_value"] == pytest.approx(value(DEMO / "covidex.sim.run.gz", DEMO / "qrels.txt", "ndcg@10"))
    assert len(found["queries"]) == 10


def test_the_command_line_explains_each_of_several_metrics(cli):
    files = [str(DEMO / "covidex.t5.run.gz"), "--qrels", str(DEMO / "qrels.txt")]
    several = cli("explain", "-m", "map nDCG(gain=exp2, rel=1)@10", "--profile", "quepid", "--top", "0", *files).stdout
    each = [
        cli("explain", "-m", metric, "--profile", "quepid", "--top", "0", *files).stdout
        for metric in ("map", "nDCG(gain=exp2, rel=1)@10")
    ]
    assert several == "\n".join(each)
    refused = cli("explain", "-m", "map P_5", "--profile", "quepid", "--format", "json", *files)
    assert refused.exit_code == 2
    assert "--format json prints one explanation. Pass -m one metric." in refused.stderr


def test_what_is_printed_of_it_names_its_columns():
    found = quietly(rm.explain, {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, "rr", profile="ranx")
    lines = repr(found).splitlines()
    assert lines[1].split() == ["choice", "ranx", "trec_eval", "value", "difference"]
    assert lines[3].split()[:3] == ["ties", "input", "item_desc"]

"""The metrics that ir_measures takes from cwl_eval, compat and accuracy, query by query against those providers."""

from __future__ import annotations

import random

import ir_measures
import pytest

import rankmetrics_sql as rm

from ..conftest import per_query, quietly
from ..everything import seeds

SEEDS = seeds(4)


def graded_data(seed, lengths=(1, 5, 60), grades=(-1, 0, 0, 0, 1, 2, 3, 4), n_queries=20):
    """Lists without ties, of which some items are judged, and judgments of items that are not retrieved."""
    rng = random.Random(seed)
    run, qrels = {}, {}
    for number in range(n_queries):
        items = [f"d{item}" for item in rng.sample(range(3000), rng.choice(lengths))]
        judged = [item for item in items if rng.random() < 0.4] + [f"missed{item}" for item in range(rng.randint(0, 8))]
        if judged and rng.random() < 0.9:
            qrels[f"q{number}"] = {item: rng.choice(grades[: rng.randint(4, len(grades))]) for item in judged}
        if rng.random() < 0.9:
            scores = rng.sample(range(1, 10 * len(items) + 1), len(items))
            run[f"q{number}"] = {item: score / 8 for item, score in zip(items, scores, strict=True)}
    return run, qrels


def long_data(seed, lengths, **given):
    """A few lists, some of each length, which are judged."""
    run, qrels = graded_data(seed, lengths, n_queries=10, **given)
    assert {len(items) for query, items in run.items() if query in qrels} == {*lengths}
    return run, qrels


def of_provider(name, measures, run, qrels):
    """Measure to query to value."""
    found = {measure: {} for measure in measures}
    parsed = {ir_measures.parse_measure(measure): measure for measure in measures}
    for each in ir_measures.providers.registry[name].iter_calc(list(parsed), qrels, run):
        found[parsed[each.measure]][each.query_id] = float(each.value)
    return found


def of_metrics(metrics, run, qrels, **options):
    """The same of ours."""
    values = per_query(run, qrels, metrics, **options)
    return {metric: {query: found[metric] for query, found in values.items()} for metric in metrics}


def compare(provider, pairs, run, qrels):
    expected = of_provider(provider, list(pairs), run, qrels)
    for strategy in ("window", "count"):
        found = of_metrics(list(pairs.values()), run, qrels, strategy=strategy)
        for measure, metric in pairs.items():
            assert found[metric] == pytest.approx(expected[measure], abs=1e-9), metric


CWL = {
    "NERR8(max_rel=4)@10": "nerr8(max_rel=4)@10",
    "NERR8(min_rel=1,max_rel=3)@3": "nerr8(min_rel=1,max_rel=3)@3",
    "NERR8(max_rel=4)@1000": "nerr8(max_rel=4)",
    "NERR9(max_rel=4)@10": "nerr9(max_rel=4)@10",
    "NERR9(min_rel=1,max_rel=3)@3": "nerr9(min_rel=1,max_rel=3)@3",
    "NERR9(max_rel=4)@1000": "nerr9(max_rel=4)",
    "NERR10(max_rel=4)": "nerr10(max_rel=4)",
    "NERR10(p=0.55,min_rel=1,max_rel=3)": "nerr10(p=0.55,min_rel=1,max_rel=3)",
    "NERR10(p=0.999,max_rel=1)": "nerr10(p=0.999)",
    "NERR11(max_rel=4)": "nerr11(max_rel=4)",
    "NERR11(T=2.5,min_rel=1,max_rel=3)": "nerr11(T=2.5,min_rel=1,max_rel=3)",
    "INST(max_rel=4)": "inst(max_rel=4)",
    "INST(T=2.5,min_rel=1,max_rel=3)": "inst(T=2.5,min_rel=1,max_rel=3)",
    "INST(T=0.5,max_rel=1)": "inst(T=0.5)",
    "INST(T=0.3,max_rel=2)": "inst(T=0.3,max_rel=2)",
    "INSQ(max_rel=4)": "insq(max_rel=4)",
    "INSQ(T=2.5,min_rel=1,max_rel=3)": "insq(T=2.5,min_rel=1,max_rel=3)",
    "BPM(max_rel=4)@10": "bpm(max_rel=4)@10",
    "BPM(T=2.5,min_rel=1,max_rel=3)@7": "bpm(T=2.5,min_rel=1,max_rel=3)@7",
    "BPM(T=3.0,max_rel=2)@1000": "bpm(T=3,max_rel=2)",
    "SDCG(max_rel=4)@10": "sdcg(max_rel=4)@10",
    "SDCG(min_rel=1,max_rel=3)@3": "sdcg(min_rel=1,max_rel=3)@3",
    "SDCG(max_rel=4)@1000": "sdcg(max_rel=4)",
}


COMPAT = {
    f"Compat(p={p},normalize={normalize})": f"compat(p={p},normalize={normalize})"
    for p in (0.3, 0.95, 0.999)
    for normalize in (True, False)
}


@pytest.mark.parametrize("seed", SEEDS)
def test_cwl_eval(seed):
    compare("cwl_eval", CWL, *graded_data(seed))


def test_cwl_eval_looks_at_1000_places():
    compare("cwl_eval", CWL, *long_data(9, (900, 1000, 1300)))


def test_cwl_eval_where_everything_has_the_highest_grade():
    compare("cwl_eval", CWL, *long_data(8, (3, 1100), grades=(4,) * 8))


@pytest.mark.parametrize("seed", SEEDS)
def test_compat(seed):
    compare("compat", COMPAT, *graded_data(seed))


def test_compat_looks_at_the_whole_list():
    compare("compat", COMPAT, *long_data(9, (900, 1300)))


@pytest.mark.parametrize("seed", SEEDS)
def test_accuracy(seed):
    """With an item in each list that is not relevant, without which ir_measures divides by 0."""
    run, qrels = graded_data(seed)
    run = {query: items | {"unjudged": 1e6} for query, items in run.items()}
    pairs = {"Accuracy": "pair_accuracy", "Accuracy(rel=2)@7": "pair_accuracy(rel=2)@7"}
    expected = of_provider("accuracy", list(pairs), run, qrels)
    found = of_metrics(list(pairs.values()), run, qrels, zero_ideal="skip")
    for measure, metric in pairs.items():
        assert expected[measure]
        scored = {query: value for query, value in found[metric].items() if value is not None}
        assert scored == pytest.approx(expected[measure], abs=1e-9)


def test_several_runs_are_scored_each_by_itself():
    metrics = ["inst(max_rel=3)", "nerr9(max_rel=3)@10", "nerr8(max_rel=3)@10", "bpm@10", "compat", "pair_accuracy@10"]
    runs = {name: graded_data(seed)[0] for seed, name in enumerate(["one", "two"])}
    qrels = graded_data(0)[1]
    result = quietly(rm.evaluate, runs, qrels, metrics)
    for name, run in runs.items():
        alone = of_metrics(metrics, run, qrels)
        for metric in result.metrics:
            found = {row["query_id"]: row[metric] for row in result.per_query.dicts() if row["run_id"] == name}
            assert found == pytest.approx(alone[metric], abs=1e-12), metric


def test_gains_of_a_third_add_up_to_whole_numbers():
    run = {"q": {f"d{rank}": -rank for rank in range(10)}}
    qrels = {"q": dict.fromkeys(run["q"], 1)}
    ours, theirs = "bpm(T=2,max_rel=3)@10", "BPM(T=2.0,max_rel=3)@10"
    assert of_metrics([ours], run, qrels)[ours]["q"] == pytest.approx(2 / 6)
    assert of_provider("cwl_eval", [theirs], run, qrels)[theirs]["q"] == pytest.approx((7 / 3) / 7)


@pytest.mark.parametrize("scores", [[1, 2, 3], [-1, -2, -3]])
def test_an_item_that_is_not_retrieved_comes_last_of_its_grade(scores):
    """ir_measures sorts it as if it had the score 0, so that there the sign of the scores matters."""
    run = {"q": dict(zip("abc", sorted(scores, reverse=True), strict=True))}
    qrels = {"q": {"a": 1, "b": 1, "d": 1}}
    assert of_metrics(["compat(p=0.5)"], run, qrels)["compat(p=0.5)"]["q"] == pytest.approx(
        (1 + 0.5 + 0.25 * 2 / 3) / (1 + 0.5 + 0.25)
    )


@pytest.mark.parametrize("metric", ["nerr8(min_rel=2,max_rel=2)@10", "inst(min_rel=3)"])
def test_a_scale_must_have_two_ends(metric):
    with pytest.raises(rm.UsageError, match="min_rel must be below max_rel"):
        rm.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, [metric])


def test_a_list_has_no_more_than_100000_places():
    with pytest.raises(rm.UsageError, match=r"k cannot be 100001\..* at most 100000"):
        rm.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, ["sdcg@100001"])

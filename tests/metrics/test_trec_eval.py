"""The less common half of trec_eval's measures against pytrec_eval, which is trec_eval 9, and against the twin."""

from __future__ import annotations

import math
from itertools import product
from statistics import fmean

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.definitions.profiles import profiles

from ..conftest import QRELS, RUN, per_query, quietly, random_data, value
from ..everything import each_once, mostly_long, seeds
from ..oracles import brute

pytrec_eval = pytest.importorskip("pytrec_eval", reason="pip install -e '.[test]'")
pytrec_eval_ext = pytest.importorskip("pytrec_eval_ext")

SEEDS = seeds(4, 1)
LEVELS = (0, 0.1, 0.35, 0.5, 0.77, 1)
FACTORS = (0.2, 0.35, 1, 1.5, 2, 7.3)

# ours, with {rel} for the relevance level; pytrec_eval's measure; the name that it gives the value
MEASURES = [
    ("infap(rel={rel})", "infAP", "infAP"),
    *(
        (f"iprec(rel={{rel}},iprec_rounding=up)@{level}", f"iprec_at_recall.{level}", f"iprec_at_recall_{level:.2f}")
        for level in LEVELS
    ),
    ("iprec_avg(rel={rel},iprec_rounding=up)", "11pt_avg", "11pt_avg"),
    *((f"rprec_mult(rel={{rel}})@{times}", f"Rprec_mult.{times}", f"Rprec_mult_{times:.2f}") for times in FACTORS),
    ("rndcg(rel={rel})", "Rndcg", "Rndcg"),
    ("rndcg(rel={rel},gain={{1:3,2:9}})", "Rndcg.1=3,2=9", "Rndcg"),
    ("rndcg(rel={rel},gain={{1:2,0:1,3:1}})", "Rndcg.1=2,0=1,3=1", "Rndcg"),
    ("ndcg_rel(rel={rel})", "ndcg_rel", "ndcg_rel"),
    ("ndcg_rel(rel={rel},gain={{1:9,2:3,0:-1}})", "ndcg_rel.1=9,2=3,0=-1", "ndcg_rel"),
    ("ndcg_rel(rel={rel},gain={{0:1}})", "ndcg_rel.0=1", "ndcg_rel"),
    ("g(rel={rel})", "G", "G"),
    ("g(rel={rel},gain={{1:4,2:9}})", "G.1=4,2=9", "G"),
    ("g(rel={rel},gain={{0:-2,2:5}})", "G.0=-2,2=5", "G"),
    ("bin_g(rel={rel})", "binG", "binG"),
    *((f"relative_p(rel={{rel}})@{k}", f"relative_P.{k}", f"relative_P_{k}") for k in (1, 3, 10, 100)),
    ("relative_p(rel={rel})", "set_relative_P", "set_relative_P"),
    ("set_ap(rel={rel})", "set_map", "set_map"),
    ("f(rel={rel},beta=2.5,f_beta=plain)", "set_F.2.5", "set_F"),
    ("utility(rel={rel})", "utility", "utility"),
    ("utility(rel={rel},a=2.5,b=-0.5,c=-3)", "utility.2.5,-0.5,-3,0", "utility"),
    ("num_nonrel_judged_ret(rel={rel})", "num_nonrel_judged_ret", "num_nonrel_judged_ret"),
]


def theirs(run, qrels, measure, rel=1, judged_only=False):
    """The extension itself: its Python wrapper sorts parameters. An evaluator with gains must not be used twice."""
    evaluator = pytrec_eval_ext.RelevanceEvaluator(
        query_relevance=qrels, measures={measure}, relevance_level=rel, judged_docs_only_flag=judged_only
    )
    return evaluator.evaluate({query: items for query, items in run.items() if query in qrels})


def compare(run, qrels, measures, rel=1, judged_only=False, **options):
    """Values per query; where a list is empty without its unjudged items, trec_eval divides 0 by 0 and we have 0."""
    names = {ours.format(rel=rel): (measure, answer) for ours, measure, answer in measures}
    found = per_query(run, qrels, list(names), queries="judged_retrieved", **options)
    for ours, (measure, answer) in names.items():
        given = {query: values[answer] for query, values in theirs(run, qrels, measure, rel, judged_only).items()}
        expected = {query: 0 if judged_only and math.isnan(number) else number for query, number in given.items()}
        assert len(expected) > 1
        assert {query: values[ours] for query, values in found.items()} == pytest.approx(expected, abs=1e-9), ours


@pytest.mark.parametrize(("rel", "strategy"), each_once([1, 2], ["window", "count"]))
@pytest.mark.parametrize("seed", SEEDS)
def test_pytrec_eval_on_random_data(seed, rel, strategy):
    run, qrels = random_data(seed, negative=seed % 2 == 1)
    compare(run, qrels, MEASURES, rel, strategy=strategy)


@pytest.mark.parametrize("seed", SEEDS)
def test_pytrec_eval_without_unjudged_items(seed):
    run, qrels = random_data(seed)
    compare(run, qrels, MEASURES, judged_only=True, unjudged="drop")


def test_lists_around_the_length_of_the_ideal_ranking():
    """Rndcg counts the end of a list only where it is two or more beyond the last gain."""
    judged = [{"a": 1, "b": 0, "c": 2, "z": 1}, {"b": 3, "e": -1, "d": 3}]
    run, qrels = {}, {}
    for length in range(1, 7):
        for number, grades in enumerate(judged):
            run[f"{number} {length}"] = {item: -place for place, item in enumerate("abcdef"[:length])}
            qrels[f"{number} {length}"] = grades
    compare(run, qrels, MEASURES)


def test_every_measure_of_the_headers_is_compared():
    special = {ours.partition("(")[0] for ours, _, _ in MEASURES} | {"gm_map", "gm_bpref"}
    assert {name for name, metric in metrics().items() if "trec_eval" in metric.oracle} <= special


@pytest.mark.parametrize("name", ["gm_map", "gm_bpref"])
@pytest.mark.parametrize("seed", SEEDS)
def test_geometric_means(name, seed):
    """For a single query they give the logarithm, and 0.00001 for less."""
    run, qrels = random_data(seed, negative=seed % 2 == 1)
    logarithms = {query: values[name] for query, values in theirs(run, qrels, name).items()}
    found = {query: values[name] for query, values in per_query(run, qrels, [name], queries="judged_retrieved").items()}
    assert {query: math.log(max(found[query], 1e-5)) for query in found} == pytest.approx(logarithms, abs=1e-9)
    mean = pytrec_eval.compute_aggregated_measure(name, list(logarithms.values()))
    assert value(run, qrels, name, queries="judged_retrieved") == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_utility_of_what_is_left_out(seed):
    """pytrec_eval knows no number of items in the collection and takes it to be 0."""
    run, qrels = random_data(seed)
    ours = "utility(a=2,b=-1,c=-3,d=0.5,collection_size=1000)"
    expected = {query: values["utility"] for query, values in theirs(run, qrels, "utility.2,-1,-3,0.5").items()}
    found = per_query(run, qrels, [ours], queries="judged_retrieved")
    assert {query: values[ours] - 0.5 * 1000 for query, values in found.items()} == pytest.approx(expected, abs=1e-9)


UNKNOWN_TO_PYTREC_EVAL = {
    "unj": ("unj", {}),
    "unj@3": ("unj", {"k": 3}),
    "unj@100": ("unj", {"k": 100}),
    "rbp_resid": ("rbp_resid", {}),
    "rbp_resid(p=0.5)": ("rbp_resid", {"p": 0.5}),
    "yaap": ("yaap", {}),
    "yaap(rel=2)": ("yaap", {"rel": 2}),
    "iprec@0.35": ("iprec", {"recall": 0.35}),
    "iprec_avg": ("iprec_avg", {}),
    "utility(d=2)": ("utility", {"d": 2}),
    "rndcg(gain=exp2)": ("rndcg", {"gain": "exp2"}),
    "g(gain=exp2)": ("g", {"gain": "exp2"}),
    "ndcg_rel(gain=binary,rel=2)": ("ndcg_rel", {"gain": "binary", "rel": 2}),
}


@pytest.mark.parametrize("seed", seeds(2, 1))
@pytest.mark.parametrize(
    "case",
    mostly_long(
        product(
            ["window", "count"], [{}, {"unjudged": "drop"}, {"depth": 4}, {"unjudged": "relevant"}, {"unjudged": 2}]
        ),
        *(("window", {}), ("count", {}), ("window", {"unjudged": "drop"}), ("count", {"depth": 4})),
        *(("window", {"unjudged": "relevant"}), ("count", {"unjudged": 2})),
    ),
)
def test_twin_where_pytrec_eval_has_no_such_measure(seed, case):
    strategy, options = case
    run, qrels = random_data(1 + seed, negative=True)
    run = {query: items for query, items in run.items() if query in qrels}
    found = per_query(run, qrels, list(UNKNOWN_TO_PYTREC_EVAL), strategy=strategy, **options)
    for ours, (name, params) in UNKNOWN_TO_PYTREC_EVAL.items():
        expected = brute.per_query(run, qrels, name, params, **options)
        assert {query: values[ours] for query, values in found.items()} == pytest.approx(expected, abs=1e-9), ours


def test_several_runs_share_the_ideal_ranking():
    run, qrels = random_data(1)
    wanted = ["rndcg", "ndcg_rel", "g", "g(unjudged=relevant)", "rndcg(unjudged=drop)", "ndcg_rel(unjudged=mean)"]
    runs = {"one": run, "two": {query: {item: -score for item, score in items.items()} for query, items in run.items()}}
    together = quietly(rm.evaluate, runs, qrels, wanted).summary.dicts()
    alone = [row for name in runs for row in quietly(rm.evaluate, runs[name], qrels, wanted).summary.dicts()]
    assert [row["value"] for row in together] == pytest.approx([row["value"] for row in alone], abs=1e-12)


NAMES = {
    "iprec_at_recall_0.50": "iprec@0.5",
    "Rprec_mult_0.20": "rprec_mult@0.2",
    "11pt_avg": "iprec_avg",
    "binG": "bin_g",
    "set_map": "set_ap",
    "set_relative_P": "relative_p",
    "relative_P_5": "relative_p@5",
    "infAP": "infap",
    "unj_10": "unj@10",
}


def test_names_of_trec_eval():
    theirs, ours = (
        [row["value"] for row in quietly(rm.evaluate, RUN, QRELS, list(names)).summary.dicts()]
        for names in (NAMES, NAMES.values())
    )
    assert theirs == ours
    assert len(theirs) == len(NAMES)


def test_a_recall_level_is_a_share():
    with pytest.raises(rm.UsageError, match="recall cannot be 20"):
        rm.evaluate(RUN, QRELS, ["iprec@20"])


@pytest.mark.parametrize("family", profiles()["trec_eval9"].families)
def test_a_family_without_a_level_is_all_that_trec_eval_prints(family):
    run, qrels = random_data(5)
    evaluated = pytrec_eval.RelevanceEvaluator(qrels, {family}).evaluate(run)
    ours = quietly(rm.evaluate, run, qrels, family, profile="trec_eval9")
    assert {row["metric"] for row in ours.summary.dicts()} == {name for values in evaluated.values() for name in values}
    for name in {name for values in evaluated.values() for name in values}:
        mean = fmean(values[name] for values in evaluated.values())
        assert ours[name] == pytest.approx(mean, abs=1e-9), name

"""Random data against pytrec_eval, ir_measures pinned to a provider, and the brute-force twin."""

from __future__ import annotations

import gzip
import random
import struct
import warnings
from collections.abc import Iterable
from operator import attrgetter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import Metric, metrics
from rankmetrics_sql.plan import Plan

from ..conftest import DEMO, ITEMS, per_query, random_data
from ..everything import examples, mostly_long, one_in, seeds
from ..oracles import brute

pytrec_eval = pytest.importorskip("pytrec_eval", reason="pip install -e '.[test]'")

CUTOFFS = (1, 5, 10, 100)
SEEDS = seeds(6)


def oracle_names(rel: int, of: Iterable[Metric] = tuple(metrics().values())) -> dict[str, str]:
    """Our metric strings and pytrec_eval's names, from the headers."""
    names = {}
    for metric in of:
        threshold = f"(rel={rel})" if "rel" in metric.params and "gain" not in metric.params else ""
        if "pytrec_eval_without_k" in metric.oracle:
            names[f"{metric.name}{threshold}"] = metric.oracle["pytrec_eval_without_k"]
        if "pytrec_eval" in metric.oracle:
            names |= {f"{metric.name}{threshold}@{k}": metric.oracle["pytrec_eval"].format(k=k) for k in CUTOFFS}
    return names


def measures(names: dict[str, str]) -> set[str]:
    """pytrec_eval asks for ``P.1,5,10,100`` and answers ``P_1``, ``P_5`` ..."""
    families = {name.rpartition("_")[0] for ours, name in names.items() if "@" in ours}
    return {name for ours, name in names.items() if "@" not in ours} | {
        f"{family}.{','.join(map(str, CUTOFFS))}" for family in families
    }


def compare_with_pytrec_eval(run, qrels, rel=1, judged_only=False, names=None, **options):
    names = names or oracle_names(rel)
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, measures(names), relevance_level=rel, judged_docs_only_flag=judged_only
    )
    theirs = evaluator.evaluate({query: items for query, items in run.items() if query in qrels})
    ours = per_query(run, qrels, list(names), queries="judged_retrieved", **options)
    assert ours.keys() == theirs.keys()
    for query, values in ours.items():
        assert values == pytest.approx({metric: theirs[query][name] for metric, name in names.items()}, abs=1e-9), query


@pytest.mark.of_metrics
@pytest.mark.parametrize(
    "metric", one_in(3, filter(lambda metric: oracle_names(1, [metric]), metrics().values())), ids=attrgetter("name")
)
def test_pytrec_eval_of_a_metric(metric):
    run, qrels = random_data(20, negative=True)
    compare_with_pytrec_eval(run, qrels, names=oracle_names(1, [metric]))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("strategy", ["window", "count"])
def test_pytrec_eval_on_random_data(seed, rel, strategy):
    run, qrels = random_data(seed, negative=seed % 2 == 1)
    compare_with_pytrec_eval(run, qrels, rel, strategy=strategy)


@pytest.mark.parametrize("seed", SEEDS)
def test_pytrec_eval_without_unjudged_items(seed):
    run, qrels = random_data(seed)
    compare_with_pytrec_eval(run, qrels, judged_only=True, unjudged="drop")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("profile", [None, "trec_eval", "trec_eval9", "ir_measures"])
def test_pytrec_eval_takes_negative_grades_for_unjudged_with_the_flag(seed, profile):
    run, qrels = random_data(seed, negative=True)
    unjudged = {"unjudged": "drop", **({} if profile else {"negative_grades": "unjudged"})}
    names = ["map", "ndcg", "recip_rank", "P_5", "recall_5", "ndcg_cut_5", "Rprec", "bpref", "success_5", "set_P"]
    asked = {name for name in names if "_" not in name or name in ("recip_rank", "set_P")}
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, asked | {"P.5", "recall.5", "ndcg_cut.5", "success.5"}, judged_docs_only_flag=True
    )
    known = {query: {item for item, grade in items.items() if grade >= 0} for query, items in qrels.items()}
    kept = {query: items for query, items in run.items() if known.get(query, set()) & items.keys()}
    theirs = evaluator.evaluate(kept)
    ours = per_query(kept, qrels, names, profile=profile, **unjudged)
    assert any(grade < 0 for items in qrels.values() for grade in items.values())
    for query, values in theirs.items():
        assert ours[query] == pytest.approx({name: values[name] for name in names}, abs=1e-9), query


@pytest.mark.parametrize("name", ["covidex.t5", "covidex.sim"])
def test_pytrec_eval_on_trec_covid(name):
    """pytrec_eval compares scores as float32, so both sides get them rounded so; some of covidex.sim's then tie."""
    with gzip.open(DEMO / f"{name}.run.gz", "rt") as lines, (DEMO / "qrels.txt").open() as judgments:
        run, qrels = pytrec_eval.parse_run(lines), pytrec_eval.parse_qrel(judgments)
    rounded = {
        query: {item: struct.unpack("f", struct.pack("f", score))[0] for item, score in items.items()}
        for query, items in run.items()
    }
    compare_with_pytrec_eval(rounded, qrels, rel=2)


@pytest.mark.parametrize(
    ("ours", "provider", "theirs"),
    [
        ("judged@5", "judged", "Judged@5"),
        ("rr@3", "msmarco", "RR@3"),
        ("rr(rel=2)@3", "msmarco", "RR(rel=2)@3"),
        ("ndcg(gain={1:3,2:9,3:1})@5", "pytrec_eval", "nDCG(gains={1:3,2:9,3:1})@5"),
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_ir_measures_with_a_pinned_provider(seed, ours, provider, theirs):
    """Its providers differ in ties and divide by a short list's length; here no scores tie and no list is short."""
    import ir_measures

    rng = random.Random(seed)
    qrels = random_data(seed)[1]
    run = {query: {item: float(place) for place, item in enumerate(rng.sample(ITEMS, 20))} for query in qrels}
    measure = ir_measures.parse_measure(theirs)
    expected = {
        found.query_id: found.value
        for found in ir_measures.providers.registry[provider].iter_calc([measure], qrels, run)
    }
    assert {query: values[ours] for query, values in per_query(run, qrels, [ours]).items()} == pytest.approx(
        expected, abs=1e-9
    )


PARAMS = {
    "k": st.none() | st.integers(1, 12),
    "rel": st.sampled_from([1, 2, 0.5, -0.5]),
    "beta": st.sampled_from([0, 0.5, 1, 3]),
    "p": st.sampled_from([0.5, 0.8, 0.95]),
    "gain": st.sampled_from(["linear", "exp2", "binary", {1: 5, 2: 2}, {0: 1, 3: -2}]),
    "zero_ideal": st.sampled_from([0, 1, "null", "skip"]),
    "no_relevant": st.sampled_from([0, 1, "null", "skip"]),
    "discount": st.sampled_from(["log2", "ln", "none", "zipf", "log2_rank", 3]),
    "ideal_depth": st.sampled_from(["min_k", "min_k_retrieved", "present", "uncut"]),
    "precision_denominator": st.sampled_from(["k", "min_k_retrieved", "min_k_relevant"]),
    "f_beta": st.sampled_from(["squared", "plain"]),
    "iprec_rounding": st.sampled_from(["nearest", "up"]),
    "recall": st.sampled_from([0, 0.1, 0.35, 0.5, 1]),
    "factor": st.sampled_from([0.05, 0.35, 1, 1.5, 3.3]),
    **dict.fromkeys("abcd", st.sampled_from([0, 1, -0.5])),
    "T": st.sampled_from([0.3, 0.5, 1, 2, 2.5]),
    "min_rel": st.sampled_from([0, 0.5]),
    "max_rel": st.sampled_from([1, 2, 3, 4]),
    "places": st.sampled_from([1, 3, 7, 1000]),
    "normalize": st.sampled_from(["true", "false"]),
    "rbp_gain": st.sampled_from(["binary", "scaled", "raw"]),
    "ap_denominator": st.sampled_from(["relevant", "min_relevant_k", "retrieved_relevant"]),
    "err_max": st.sampled_from([3, 4, 5.5]),
    "max_fpr": st.sampled_from([None, 0.2, 0.5, 0.9]),
    "tied_curve": st.just("stairs"),  # the diagonal is no mean over orders
    "collection_size": st.sampled_from([None, 1, 12, 100]),
    "no_nonrelevant": st.sampled_from([0, 1, "null"]),
    "no_pair": st.sampled_from([0, 0.5, "null"]),
    "no_click": st.just("null"),
    "no_prediction": st.just("null"),
}
CHOICES = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(["item_desc", "item_asc"]),
        "queries": st.sampled_from(["judged", "judged_retrieved", "retrieved", "judged_relevant"]),
        "unjudged": st.sampled_from(["nonrelevant", "drop", "relevant", "mean", "median", 2, 6]),
        "score_type": st.sampled_from(["double", "float32"]),
        "negative_grades": st.sampled_from(["judged", "unjudged"]),
        "judgments": st.sampled_from(["all", "given", "retrieved"]),
        "depth": st.none() | st.integers(1, 8),
    }
)
IDS = st.sampled_from(["a", "B", "b", "é", "😀", "Ａ", "10", "9", "x y", ""])
RUNS = st.dictionaries(
    IDS, st.dictionaries(IDS, st.sampled_from([0.0, 0.5, 1.0, -2.5, 1e300, 5e-324]), min_size=1), min_size=1
)
QRELS = st.dictionaries(IDS, st.dictionaries(IDS, st.sampled_from([-1, 0, 1, 2, 3, 0.5]), min_size=1), min_size=1)


def as_text(name, params):
    shown = {
        key: "{" + ",".join(f"{a}:{b}" for a, b in value.items()) + "}" if isinstance(value, dict) else value
        for key, value in params.items()
    }
    return f"{name}({','.join(f'{key}={value}' for key, value in shown.items())})"


def values_of(name, key):
    """A parameter's values, for one that is not above those of the examples, and none where none is required."""
    metric = metrics()[name]
    examples = [example[key] for example in metric.examples if key in example]
    return (
        PARAMS[key] if key in PARAMS else st.sampled_from([*examples, *([] if metric.params[key].required else [None])])
    )


def drawn_params(draw, name):
    """Parameters of a metric, those that have a value; types of actions are of logs, whose tests have twins."""
    known = [key for key, parameter in metrics()[name].params.items() if key != "ties" and parameter.type != "text"]
    params = {key: draw(values_of(name, key), label=f"{name} {key}") for key in known}
    return {key: value for key, value in params.items() if value is not None}


@st.composite
def metric_calls(draw, among=(), number=12):
    """Some metrics, of all or of some, each parameter drawn; none of an error, whose square may be beyond a double."""
    among = among or sorted(name for name in brute.METRICS if "score" not in metrics()[name].needs)
    names = draw(st.lists(st.sampled_from(among), min_size=number, max_size=number, unique=True))
    drawn = [(name, drawn_params(draw, name)) for name in names]
    return {as_text(name, params): (name, params) for name, params in drawn}


def cut_calls():
    """A few metrics, each with a cutoff."""
    among = sorted(name for name in brute.METRICS if metrics()[name].takes_k)
    calls = metric_calls(among, 3)
    return calls.filter(lambda calls: all(params.get("k") is not None for _, params in calls.values()))


def is_share_of_judgments(name, params):
    """Whether the metric is refused where assumed grades count as gains and not as judgments."""
    asked = (params.get("precision_denominator"), params.get("rbp_gain"))
    return metrics()[name].divides_by_judgments or asked[0] == "min_k_relevant" or asked[1] == "scaled"


@pytest.mark.of_metrics
@examples(60)
@given(run=RUNS, qrels=QRELS, calls=metric_calls(), choices=CHOICES)
def test_brute_force_twin(run, qrels, calls, choices):
    if choices["score_type"] == "float32":  # which has no 1e300
        run = {query: {item: min(score, 1e30) for item, score in items.items()} for query, items in run.items()}
    if choices["judgments"] == "given" and choices["unjudged"] not in ("nonrelevant", "drop"):
        calls = {text: call for text, call in calls.items() if not is_share_of_judgments(*call)}
        assume(calls)
    if choices["queries"] in ("retrieved", "judged_retrieved"):  # then no query is without a result
        calls = {text: call for text, call in calls.items() if call[0] != "zero_results"}
        assume(calls)
    if not run.keys() & qrels.keys():
        run = run | {next(iter(qrels)): {"a": 1.0}}
    expected = {text: brute.per_query(run, qrels, name, params, **choices) for text, (name, params) in calls.items()}
    if not any(expected.values()):
        with pytest.raises(rm.DataError, match="No query is left"):
            per_query(run, qrels, list(calls), **choices)
        return
    by_strategy = [per_query(run, qrels, list(calls), strategy=strategy, **choices) for strategy in ("window", "count")]
    scored = {query for values in expected.values() for query in values}  # a threshold may choose a metric's queries
    for found in by_strategy:
        assert set(found) == scored
        for query, values in found.items():
            assert values == pytest.approx({text: expected[text].get(query) for text in calls}, abs=1e-9), query


@pytest.mark.parametrize("selects_kth", mostly_long([True, False], True))
@examples(40)
@given(run=RUNS, qrels=QRELS, calls=cut_calls(), choices=CHOICES)
def test_nothing_that_counts_is_beyond_the_cutoffs(selects_kth, run, qrels, calls, choices):
    """The statement ranks only what reaches the cutoffs, found by its score or by its rank; the twin ranks all."""
    with pytest.MonkeyPatch.context() as patch:
        request = Plan._request
        patch.setattr(Plan, "_request", lambda query, level: request(query, level) | {"selects_kth": selects_kth})
        test_brute_force_twin.hypothesis.inner_test(run, qrels, calls, choices)


def test_every_metric_has_a_twin():
    assert {name for name, metric in metrics().items() if metric.of_grades} == {*brute.METRICS}


@pytest.mark.of_metrics
@pytest.mark.parametrize(
    "metric", one_in(3, (metrics()[name] for name in brute.METRICS)), ids=lambda metric: metric.name
)
@pytest.mark.parametrize("ties", ["item_desc", pytest.param("item_asc", marks=pytest.mark.long)])
@pytest.mark.parametrize("seed", seeds(2, 1))
def test_every_cutoff_and_threshold(metric, ties, seed):
    run, qrels = random_data(1 + seed, negative=True)
    cutoffs = [{}, *({"k": k} for k in (1, 2, 10, 60))] if metric.takes_k else [{}]
    thresholds = [{}, {"rel": 2}, {"rel": 3.5}] if "rel" in metric.params else [{}]
    needed = {name: metric.examples[0][name] for name, parameter in metric.params.items() if parameter.required}
    calls = {as_text(metric.name, needed | k | rel): needed | k | rel for k in cutoffs for rel in thresholds}
    expected = {text: brute.per_query(run, qrels, metric.name, params, ties=ties) for text, params in calls.items()}
    found = per_query(run, qrels, list(calls), ties=ties)
    assert found.keys() == qrels.keys()
    for query, values in found.items():
        assert values == pytest.approx({text: expected[text][query] for text in calls}, abs=1e-9), query


@pytest.mark.parametrize("seed", SEEDS)
def test_summary_averages_or_sums_the_queries(seed):
    run, qrels = random_data(seed)
    names = {"ndcg@5": ("ndcg", {"k": 5}), "num_rel_ret": ("num_rel_ret", {}), "ap": ("ap", {}), "num_q": ("num_q", {})}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        result = rm.evaluate(run, qrels, list(names))
    for text, (name, params) in names.items():
        values = brute.per_query(run, qrels, name, params)
        expected = sum(values.values()) if metrics()[name].aggregate == "sum" else brute.mean(values)
        assert result[text] == pytest.approx(expected, abs=1e-12)

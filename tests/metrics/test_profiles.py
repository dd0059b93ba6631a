"""Each profile against the tool that it stands for, run for real in an environment of its own, query by query.

The tools are installed by ``python -m dev.tools install``.
"""

from __future__ import annotations

import csv
import gzip
import random
from functools import cache
from math import log2
from pathlib import Path

import pytest

import rankmetrics_sql as rm
from dev import tools
from rankmetrics_sql.definitions.catalogue import metrics, options, spellings
from rankmetrics_sql.definitions.known import known_families, known_metrics, known_options
from rankmetrics_sql.definitions.profiles import profiles
from rankmetrics_sql.definitions.resolution import resolve, resolve_metrics, resolve_options
from rankmetrics_sql.templates import macros

from ..conftest import DEMO, quietly

MOVIELENS = Path(__file__).parents[1] / "data" / "movielens"


def random_lists(seed, *, tied, short=15):
    """Graded and incomplete: unjudged items, judged ones that are not retrieved, queries that one side lacks."""
    rng = random.Random(seed)
    items = [f"d{number}" for number in range(40)]
    run, qrels = {}, {}
    for number in range(24):
        query = f"q{number}"
        if number % 8:
            found = rng.sample(items, rng.randint(2, short))
            scores = [rng.choice([0.5, 1.0, 2.0, 4.0]) if tied else place + 0.25 for place in range(len(found))]
            run[query] = dict(zip(found, scores, strict=True))
        if number % 9:
            grades = [0, 0, 1, 2, 3] if number % 10 else [0]
            qrels[query] = {item: rng.choice(grades) for item in rng.sample(items, rng.randint(2, 25))}
    return run, qrels


ODD = {"negative": (-2, -1, 0, 1, 2), "fractions": (0, 0.5, 1, 1.5, 2)}


def odd_grades(kind):
    """Lists without equal scores, each with a relevant item, and grades that tools read in their own ways."""
    rng = random.Random(7)
    items = [f"d{number}" for number in range(40)]
    run = {f"q{n}": {item: place + 0.25 for place, item in enumerate(rng.sample(items, 14))} for n in range(24)}
    qrels = {query: {item: rng.choice(ODD[kind]) for item in rng.sample(items, 18)} for query in run}
    return run, {query: {**judged, next(iter(judged)): 1} for query, judged in qrels.items()}


def trec_covid(name="covidex.t5"):
    with gzip.open(DEMO / f"{name}.run.gz", "rt") as lines, (DEMO / "qrels.txt").open() as judgments:
        run, qrels = {}, {}
        for query, _, item, _, score, _ in map(str.split, lines):
            run.setdefault(query, {})[item] = float(score)
        for query, _, item, grade in map(str.split, judgments):
            qrels.setdefault(query, {})[item] = int(grade)
    return run, qrels


def movielens(name="itemknn"):
    """A rating of 4 is grade 1, of 5 grade 2, less is 0."""

    def rows(file):
        with gzip.open(MOVIELENS / f"{file}.csv.gz", "rt") as lines:
            yield from csv.DictReader(lines)

    run, qrels = {}, {}
    for row in rows(name):
        run.setdefault(row["user_id"], {})[row["item_id"]] = float(row["score"])
    for row in rows("ratings"):
        qrels.setdefault(row["user_id"], {})[row["item_id"]] = max(0, int(float(row["rating"])) - 3)
    return run, qrels


@cache
def data(name):
    kind, _, which = name.partition(":")
    if kind == "random":
        return random_lists(int(which), tied=True)
    if kind == "untied":
        return random_lists(int(which), tied=False)
    if kind == "long":  # of the same length, beyond every cutoff
        run, qrels = random_lists(int(which), tied=False, short=18)
        return {query: items for query, items in run.items() if len(items) >= 12}, qrels
    if kind in ODD:
        return odd_grades(kind)
    return trec_covid(which) if kind == "trec-covid" else movielens(which)


RANDOM, UNTIED = ("random:1", "random:2"), ("untied:1", "untied:2")
TREC_COVID, MOVIES = ("trec-covid:covidex.t5", "trec-covid:covidex.sim"), ("movielens:itemknn", "movielens:popularity")


def named(text, **others):
    """Metrics that profile and tool call alike, and those that the tool writes otherwise."""
    return [*((metric, metric) for metric in text.split()), *others.items()]


# Compat's ideal order has equal scores in the order of the judgments (not_copied in its profile says so).
UNTIED_ONLY = {("ir_measures", "Compat"), ("ir_measures", "Compat(p=0.8)")}

# For each profile: the tool, the data sets, and pairs of the tool's metric and ours.
# A tool whose order of equal scores is left to chance gets data without any (not_copied in its profile says so).
CASES = {
    "trec_eval9": (
        "pytrec_eval",
        (*RANDOM, *TREC_COVID, *MOVIES),
        named(
            """map map_cut_5 map(rel=2) ndcg ndcg_cut_5 P_5 P_100 P_5(rel=2) recall_5 recall_1000 Rprec bpref recip_rank
            set_P set_recall set_F set_map set_relative_P success_5 num_rel num_rel_ret num_ret num_q 11pt_avg
            iprec_at_recall_0.10 iprec_at_recall_0.60 iprec_at_recall_1.00 infAP Rprec_mult_0.20 Rprec_mult_1.40 Rndcg
            ndcg_rel G binG relative_P_5 utility num_nonrel_judged_ret"""
        ),
    ),
    "ir_measures": (
        "ir_measures",
        (*RANDOM, *UNTIED, *TREC_COVID, *MOVIES),
        named(
            """P@5 P(rel=2)@5 RR RR@10 Rprec AP AP@5 AP(rel=2) nDCG nDCG@5 R@5 Bpref NumRet NumRelRet SetF
            SetF(beta=2.0) SetP SetR SetAP SetRelP Success@1 Judged@5 Judged@20 infAP IPrec@0.1 IPrec@0.6 Compat
            Compat(p=0.8) RBP(rel=1) RBP(rel=1,p=0.5) NERR8(max_rel=3)@10 NERR9(max_rel=3)@10 NERR10(max_rel=3,p=0.8)
            NERR11(max_rel=3,T=2.0) INST(max_rel=3) INSQ(max_rel=3,T=2.0) SDCG(max_rel=3)@10"""
        ),
    ),
    "ranx": (
        "ranx",
        (*RANDOM, *UNTIED, "movielens:itemknn"),
        named(
            """precision@5 precision recall@5 recall mrr mrr@3 map map@5 ndcg ndcg@5 ndcg_burges@5 ndcg_burges dcg@5
            dcg_burges f1@5 f1 r-precision rbp.95 rbp.5 hits@5 hit_rate@3 precision@5-l2 ndcg@5-l2 ndcg@5-l3 dcg@5-l2
            dcg-l3 map@5-l2 r-precision-l2 hits@5-l2 f1@5-l3 mrr-l2"""
        ),
    ),
    "scikit-learn": (
        "scikit-learn",
        (*RANDOM, *UNTIED, *MOVIES),
        named(
            """ndcg_score ndcg_score@5 ndcg_score@100 dcg_score dcg_score@5 roc_auc_score roc_auc_score(max_fpr=0.2)
            label_ranking_loss coverage_error mean_absolute_error root_mean_squared_error dcg_score(log_base=10)@5"""
        ),
    ),
    "torchmetrics": (
        "torchmetrics",
        UNTIED,
        named(
            """RetrievalMAP RetrievalMAP@5 RetrievalMRR RetrievalMRR@5 RetrievalPrecision@5 RetrievalRecall@5
            RetrievalHitRate@3 RetrievalRPrecision RetrievalNormalizedDCG@5 RetrievalNormalizedDCG RetrievalFallOut@5
            RetrievalAUROC RetrievalPrecision(adaptive_k=True)@50 RetrievalMAP(empty_target_action="skip")
            RetrievalMRR(empty_target_action="pos") RetrievalMRR(aggregation="max")"""
        ),
    ),
    "spark": (
        "spark",
        (*RANDOM, "trec-covid:covidex.t5", *MOVIES),
        named(
            "precisionAt@5 recallAt@5 meanAveragePrecision meanAveragePrecisionAt@5 ndcgAt@5 ndcgAt@100",
            **{"ndcgAt(graded=True)@5": "ndcgAt(gain=exp2)@5"},
        ),
    ),
    "replay": (
        "replay",
        (*RANDOM, *MOVIES),
        named("NDCG@5 NDCG@100 MAP@5 MRR@5 HitRate@3 Precision@5 Recall@5"),
    ),
    "rectools": (
        "rectools",
        (*RANDOM, *MOVIES),
        named(
            "Precision@5 Recall@5 F1Beta@5 F1Beta(beta=2)@5 HitRate@3 MRR@3 MAP@5 NDCG@5 NDCG@100 "
            "Precision(r_precision=True)@5 MAP(divide_by_k=True)@5 NDCG(divide_by_achievable=True)@5 "
            "NDCG(log_base=3)@5",
            **{"MCC(catalog=5000)@5": "MCC(collection_size=5000)@5"},
        ),
    ),
    "recommenders": (
        "recommenders",
        (*RANDOM, *UNTIED, *MOVIES),
        named(
            """precision_at_k@5 recall_at_k@5 map@5 map map_at_k@5 ndcg_at_k@5 ndcg_at_k mae rmse
            ndcg_at_k(score_type="exp")@5 ndcg_at_k(score_type="raw",discfun_type="log2")@5"""
        ),
    ),
    "evidently": (
        "evidently",
        ("long:1", "long:2", "movielens:itemknn"),
        named(
            "NDCG@5 MRR@5 HitRate@3 RecallTopK@5 PrecisionTopK@5 FBetaTopK@5",
            **{"FBetaTopK(beta=2.0)@5": "FBetaTopK(beta=2)@5"},
        ),
    ),
    "ragas": (
        "ragas",
        (*RANDOM, *UNTIED, "trec-covid:covidex.t5"),
        named(
            """context_precision context_precision@5 non_llm_context_precision_with_reference@3
            id_based_context_precision id_based_context_precision@5 id_based_context_recall id_based_context_recall@5"""
        ),
    ),
    "llama_index": (
        "llama_index",
        (*RANDOM, *UNTIED, *TREC_COVID, "movielens:itemknn"),
        named(
            """hit_rate hit_rate@3 mrr mrr@3 precision precision@5 recall recall@5 ap ap@5 ndcg ndcg@5
            ndcg(mode="exponential")@3 hit_rate(use_granular_hit_rate=False)@2 mrr(use_granular_mrr=False)@2""",
            **{"hit_rate(use_granular_hit_rate=True)@7": "recall@7"},
        ),
    ),
    "mlflow": (
        "mlflow",
        (*RANDOM, *UNTIED, *TREC_COVID, *MOVIES),
        named("precision_at_k@3 precision_at_k@20 recall_at_k@3 recall_at_k@20 ndcg_at_k@3 ndcg_at_k@20"),
    ),
    "sentence_transformers": (
        "sentence_transformers",
        (*RANDOM, *UNTIED, *TREC_COVID, *MOVIES),
        named("accuracy@1 accuracy@5 precision@5 recall@5 mrr@3 ndcg@5 map@5 map@100 cosine_ndcg@3 dot_map@3"),
    ),
    "haystack": (
        "haystack",
        (*RANDOM, *UNTIED, *TREC_COVID, "movielens:itemknn"),
        named(
            """DocumentMAPEvaluator DocumentMAPEvaluator@5 DocumentMRREvaluator DocumentMRREvaluator@3
            DocumentNDCGEvaluator DocumentNDCGEvaluator@5 DocumentRecallEvaluator@3
            DocumentRecallEvaluator(mode="single_hit")@5""",
            **{
                "DocumentRecallEvaluator(mode='multi_hit')@5": "recall_multi_hit@5",
                "DocumentNDCGEvaluator(scores=False)@3": "DocumentNDCGEvaluator(gain=binary)@3",
            },
        ),
    ),
    "lenskit": (
        "lenskit",
        (*RANDOM, *UNTIED, "trec-covid:covidex.t5", "movielens:itemknn"),
        named(
            "Hit@3 Hit Precision@5 Precision Recall@5 Recall RecipRank@3 RecipRank NDCG@5 NDCG DCG@5 RBP@5 RBP",
            **{
                "NDCG(offset=1)@5": "NDCG(discount=log2)@5",
                'NDCG(gain="grade")@5': "NDCG(gain=linear)@5",
                'NDCG(gain="grade")': "NDCG(gain=linear)",
                "RBP(patience=0.5)@5": "RBP(patience=0.5)@5",
            },
        ),
    ),
}
TOLERANCE = {"torchmetrics": 2e-6}  # single precision
# Tools that take whole numbers only, or read a grade between two of them otherwise, as their profiles say.
WITHOUT_FRACTIONS = {"trec_eval9", "ir_measures", "ranx", "spark", "recommenders", "evidently"}
ALL_DATA = {
    profile: (*names, "negative", *(() if profile in WITHOUT_FRACTIONS else ("fractions",)))
    for profile, (_, names, _) in CASES.items()
}


@cache
def theirs(profile):
    """What the tool gives for all of its metrics, by the name of the data."""
    tool, _, metrics = CASES[profile]
    names = ALL_DATA[profile]
    return dict(zip(names, tools.ask(tool, map(data, names), [metric for metric, _ in metrics]), strict=True))


@cache
def ours(profile, name):
    """All metrics in one statement."""
    metrics = [metric for _, metric in CASES[profile][2]]
    return quietly(rm.evaluate, *data(name), metrics, profile=profile)


@pytest.mark.long
@pytest.mark.parametrize(
    ("profile", "name", "metric", "own"),
    [
        pytest.param(profile, name, metric, own, id=f"{profile}-{name}-{metric}")
        for profile, (_, _, metrics) in CASES.items()
        for name in ALL_DATA[profile]
        for metric, own in metrics
        if not (name in RANDOM and (profile, metric) in UNTIED_ONLY)
    ],
)
def test_profile(profile, name, metric, own):
    answers = theirs(profile)[name]
    tolerance = TOLERANCE.get(profile, 1e-9)
    result = ours(profile, name)
    values = {row["query_id"]: row[own] for row in result.per_query.dicts()}
    per_query = {query: value for query, value in answers[metric].get("per_query", {}).items() if value is not None}
    mean = answers[metric].get("mean")
    assert per_query or mean is not None, "the tool gave nothing to compare"
    assert {query: values.get(query) for query in per_query} == pytest.approx(per_query, abs=tolerance)
    if mean is not None:
        assert result[own] == pytest.approx(mean, abs=tolerance)


REPEATED = "axab"  # an id for each letter, one retrieved twice, of which c is missed
SECOND = 1 / log2(3)  # the discount of rank 2; that of rank 3 is 1/2
# What each tool makes of a list with an id twice where a, b and c are relevant, as its not_copied says.
OF_REPEATED = {
    "ragas": {
        "context_precision": (1 + 2 / 3 + 3 / 4) / 3,
        "id_based_context_precision": 2 / 3,
        "id_based_context_recall": 2 / 3,
    },
    "llama_index": {
        "hit_rate": 1,
        "hit_rate(use_granular_hit_rate=True)": 3 / 3,
        "precision": 2 / 3,
        "recall": 2 / 3,
        "ap": (1 + 2 / 3 + 3 / 4) / 3,
        "ndcg": (1 + 1 / 2 + 1 / log2(5)) / (1 + SECOND + 1 / 2),
    },
    "mlflow": {
        "precision_at_k@4": 3 / 4,
        "recall_at_k@4": 2 / 3,
        "ndcg_at_k@4": (1 + 1 / 2 + 1 / log2(5)) / (1 + SECOND + 1 / 2 + 1 / log2(5)),
    },
    "haystack": {
        "DocumentMAPEvaluator": (1 + 2 / 4) / 3,
        "DocumentMRREvaluator": 1,
        "DocumentNDCGEvaluator": (1 + 1 / log2(5)) / (1 + SECOND + 1 / 2),
        'DocumentRecallEvaluator(mode="multi_hit")': 2 / 3,
    },
}


# The same of empty lists, of questions for which nothing is expected, and of a list with one of five relevant items;
# None where the tool raises an error, or leaves the question out.
NOTHING, UNKNOWN, ONE_OF_FIVE = ("", "a"), ("a", ""), ("a", "abcde")
OF_ODD_LISTS = {
    ("ragas", NOTHING): {"context_precision": 0, "id_based_context_precision": None, "id_based_context_recall": 0},
    ("ragas", UNKNOWN): {
        "context_precision": 0,
        "non_llm_context_precision_with_reference": None,
        "id_based_context_precision": 0,
        "id_based_context_recall": None,
    },
    ("ragas", ONE_OF_FIVE): {
        "context_precision": 1,
        "id_based_context_precision@5": 1,
        "id_based_context_recall": 1 / 5,
    },
    ("llama_index", NOTHING): dict.fromkeys(("hit_rate", "mrr", "precision", "recall", "ap", "ndcg")),
    ("llama_index", UNKNOWN): dict.fromkeys(("hit_rate", "mrr", "precision", "recall", "ap", "ndcg")),
    ("llama_index", ONE_OF_FIVE): {
        "precision@5": 1,
        "ap@5": 1 / 5,
        "ndcg@1": 1 / sum(1 / log2(n) for n in range(2, 7)),
    },
    ("mlflow", NOTHING): {"precision_at_k@3": 0, "recall_at_k@3": 0, "ndcg_at_k@3": 0},
    ("mlflow", UNKNOWN): {"precision_at_k@3": 0, "recall_at_k@3": 0, "ndcg_at_k@3": 0},
    ("mlflow", ("", "")): {"precision_at_k@3": 0, "recall_at_k@3": 1, "ndcg_at_k@3": 1},
    ("mlflow", ONE_OF_FIVE): {"precision_at_k@5": 1, "recall_at_k@5": 1 / 5, "ndcg_at_k@5": 1},
    ("haystack", UNKNOWN): {"DocumentMAPEvaluator": 0, "DocumentNDCGEvaluator": 0, "DocumentRecallEvaluator": 0},
    ("haystack", ONE_OF_FIVE): {
        "DocumentMAPEvaluator": 1 / 5,
        "DocumentRecallEvaluator": 1,
        "DocumentNDCGEvaluator@1": 1 / sum(1 / log2(n) for n in range(2, 7)),
    },
}
OF_LISTS = {**{(tool, (REPEATED, "abc")): values for tool, values in OF_REPEATED.items()}, **OF_ODD_LISTS}


@pytest.mark.long
@pytest.mark.parametrize("case", OF_LISTS, ids=lambda case: f"{case[0]}-{'-'.join(case[1])}")
def test_lists_that_are_odd_in_the_tool(case):
    """Those of the table in docs/other_tools.md."""
    tool, (retrieved, relevant) = case
    expected = OF_LISTS[case]
    qrels = {"q": {"other": 0, **dict.fromkeys(relevant, 1)}}
    (answers,) = tools.ask(tool, [({"q": list(retrieved)}, qrels)], expected)
    assert {metric: answer["per_query"]["q"] for metric, answer in answers.items()} == pytest.approx(expected, abs=1e-9)


def test_ragas_metrics_of_ids_count_the_first_of_two():
    metrics = ["id_based_context_precision", "id_based_context_recall"]
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    result = quietly(rm.evaluate, {"q": list(REPEATED)}, qrels, metrics, profile="ragas", duplicates="first")
    assert {metric: result[metric] for metric in metrics} == pytest.approx(dict.fromkeys(metrics, 2 / 3))


@pytest.mark.parametrize("name", sorted(WITHOUT_FRACTIONS))
def test_what_tools_make_of_fractions_is_said(name):
    assert any("whole number" in text or "between 0 and 1" in text for text in profiles()[name].not_copied)


def test_every_profile_of_a_tool_on_pypi_is_compared():
    assert set(CASES) == {profile.name for profile in profiles().values() if profile.package}


# What a tool has and is not compared here: in test_trec_eval, test_cwl, test_diversity or test_oracles, or nowhere,
# because the profile's not_copied says why the numbers differ.
ELSEWHERE = {
    "trec_eval9": {"gm_map", "gm_bpref", "yaap"},
    "ir_measures": {
        *("alpha_dcg", "alpha_ndcg", "ap_ia", "err_ia", "nerr_ia", "nnrbp", "nrbp", "p_ia", "st_recall"),
        *("pair_accuracy", "bpm", "err", "num_q", "num_rel"),
    },
    "ranx": {"bpref"},
    "scikit-learn": {"ap"},
    "evidently": {"ap", "mar"},
    "recommenders": {"rprec"},
    "replay": {"auc"},
}


@pytest.mark.parametrize("name", CASES)
def test_every_metric_of_a_profile_is_compared(name):
    resolved = resolve_metrics([own for _, own in CASES[name][2]], resolve_options({}, name))
    assert {metric.name for metric in resolved} | ELSEWHERE.get(name, set()) == set(profiles()[name].computes)


def test_a_name_with_a_number_that_is_no_cutoff_is_not_read_as_one():
    with pytest.raises(rm.UsageError, match=r"Unknown metric 'rbp.97'. Did you mean 'rbp\.[79]'"):
        resolve("rbp.97", resolve_options({}, "ranx"))


@pytest.mark.parametrize("profile", profiles().values(), ids=lambda profile: profile.name)
def test_profiles_are_valid_data(profile):
    """Every metric, option and value that a profile names exists, for every metric with and without a cutoff."""
    choices = resolve_options({}, profile.name)
    for name in {*profile.computes, *(key.removesuffix("@k") for key in profile.metrics)}:
        metric = metrics()[name]
        for has_cutoff in (False, True):
            known = {**options(), **metric.params}
            assert set(profile.chosen(name, has_cutoff)) <= set(known), name
            for option, value in profile.chosen(name, has_cutoff).items():
                parameter = known_metrics()[name]["params"].get(option) or known_options()[option]
                assert macros()["rm_checked"](parameter, option, value, name) == value
    for theirs, ours in profile.spellings.items():
        assert theirs == theirs.lower()
        assert spellings().get(theirs) != ours or theirs in known_families(), "accepted without the profile"
        resolve(ours, choices)

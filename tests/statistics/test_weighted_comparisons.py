"""Effects and curves by the weights of queries: beside statsmodels, by the formula, and on every road."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import seeds
from .test_clusters import Robust
from .test_compare import METRICS, judged, run_of

ARMS = {"design": "unpaired", "queries": "judged_retrieved"}
GEOMETRIC, COUNT = "gm_map", "num_rel_ret@3"
ASKED = [*METRICS, "fallout@3", GEOMETRIC]


class Data:
    """Two runs over queries with weights, one of which has none, users and markets; and the values of both."""

    def __init__(self, seed, n=None):
        self.rng = rng = random.Random(seed)
        self.qrels = judged(rng, n or rng.choice([4, 15, 60]))
        self.runs = run_of(rng, self.qrels), run_of(rng, self.qrels)
        rows = [(rng.choice([0.0, 0.5, 1.0, 3.0, 40.0]), rng.choice("uvwxyz"), rng.choice("de")) for _ in self.qrels]
        self.frame = pd.DataFrame(rows, columns=["sessions", "user", "market"])
        self.frame.insert(0, "query_id", list(self.qrels))
        self.frame.loc[1, "sessions"] = None

    def values(self, metric, which, queries=None):
        """Of each query of the list, on the scale that means are compared on."""
        rows = quietly(rm.evaluate, self.runs[which], self.qrels, metric).per_query.dicts()
        found = {row["query_id"]: row[metric] for row in rows}
        own = np.array([found[query] for query in (self.frame["query_id"] if queries is None else queries)])
        return np.log(np.maximum(own, 1e-5)) if metric == GEOMETRIC else own

    def compared(self, metrics=ASKED, **given):
        arguments = {"query_list": self.frame, "weight": "sessions", "correction": "none"} | given
        return quietly(rm.compare, self.runs[0], {"b": self.runs[1]}, self.qrels, metrics, **arguments)


def asked(rng):
    return {
        "alternative": rng.choice(["two_sided", "greater", "less"]),
        "confidence_level": rng.choice([0.95, 0.8]),
        "correction": "none",
    }


def mean_of(values, weights):
    """The weighted mean by matrices: CR2 of a regression on a constant, each query a cluster, as clubSandwich has it.

    The degrees of freedom are those of Satterthwaite, where the variances of values are as one over their weights.
    """
    weights = weights / weights.max()
    design, own, spread = np.ones((len(values), 1)), np.diag(weights), np.diag(1 / weights)
    bread = np.linalg.inv(design.T @ own @ design)
    annihilator = np.eye(len(values)) - design @ bread @ design.T @ own
    residuals = annihilator @ values
    left = np.diag(annihilator @ spread @ annihilator.T)
    adjusted = np.diag(np.sqrt(1 / weights / left))
    terms = bread @ design.T @ own @ adjusted
    error = math.sqrt(np.sum((terms * residuals) ** 2))
    moved = (adjusted @ own @ design @ bread)[:, 0, None] * annihilator
    products = moved @ spread @ moved.T
    return Robust(np.average(values, weights=weights), error, np.trace(products) ** 2 / np.sum(products**2))


def effective(weights):
    """As how many queries of equal weights they count."""
    return math.floor(weights.sum() ** 2 / (weights**2).sum() + 1e-9) if len(weights) else 0


def spread_of(values, weights):
    """The weighted standard deviation, which is the usual one where all weigh alike."""
    mean = np.average(values, weights=weights)
    return np.average((values - mean) ** 2, weights=weights) * len(values) / (len(values) - 1)


def clustered(values, weights, users):
    """A mean by CR2 (Bell & McCaffrey), the share of a cluster being that of its weights."""
    values, weights, users = np.asarray(values), np.asarray(weights), np.asarray(users)
    mean, total = np.average(values, weights=weights), weights.sum()
    parts = [
        ((weights * (values - mean))[users == user].sum(), weights[users == user].sum() / total) for user in set(users)
    ]
    squares, ratios = [p**2 for _, p in parts], [p**2 / (1 - p) for _, p in parts]
    error = math.sqrt(sum(e**2 / (1 - p) for e, p in parts)) / total
    return Robust(mean, error, 1 / (sum(squares) + sum(ratios) ** 2 - sum(ratio**2 for ratio in ratios)))


def check(row, found, options, size, null=0.0):
    """A row beside an effect with its error and degrees of freedom; a size is what they are times."""
    statistic = (found.mean - null) / found.error
    tails = {"greater": stats.t.sf(statistic, found.degrees), "less": stats.t.cdf(statistic, found.degrees)}
    tails["two_sided"] = 2 * min(tails.values())
    assert row["effect_size"] == pytest.approx(found.mean * size, rel=1e-9, abs=1e-13)
    assert row["standard_error"] == pytest.approx(found.error * abs(size), rel=1e-8)
    assert row["statistic"] == pytest.approx(statistic, rel=1e-8)
    assert row["pvalue"] == pytest.approx(tails[options["alternative"]], rel=1e-7)
    beyond = (1 - options["confidence_level"]) / (2 if options["alternative"] == "two_sided" else 1)
    reach = stats.t.isf(beyond, found.degrees) * found.error * size
    for end, sign, open_side in (("lower", -1, "less"), ("upper", 1, "greater")):
        known = options["alternative"] != open_side
        wanted = pytest.approx(row["effect_size"] + sign * reach, rel=1e-8, abs=1e-12) if known else None
        assert row[f"effect_size_ci_{end}"] == wanted


def size_of(row, difference):
    """Of means 1; of geometric ones what the logarithms' difference is times for theirs."""
    return 1.0 if row["metric"] != GEOMETRIC else (row["candidate"] - row["baseline"]) / difference


@pytest.mark.parametrize("seed", seeds(20, 4))
def test_pairs_beside_statsmodels(seed):
    data = Data(seed)
    options = asked(data.rng)
    weights = data.frame["sessions"].to_numpy()
    known = weights > 0
    if not known.any():
        pytest.skip("no query weighs anything")
    for row in data.compared(**options).summary.dicts():
        before, after = (data.values(row["metric"], which) for which in (0, 1))
        changes, own = (after - before)[known], weights[known]
        means = [np.average(values[known], weights=own) for values in (before, after)]
        scale = np.exp if row["metric"] == GEOMETRIC else np.asarray
        assert (row["baseline"], row["candidate"]) == pytest.approx(tuple(scale(means)), rel=1e-9)
        assert row["n_queries"] == len(weights)
        assert row["n_units"] == effective(own[np.abs(changes) > 1e-12])  # rounding is no change
        assert row["largest_weight_share"] == pytest.approx(own.max() / own.sum(), rel=1e-12)
        if len(own) < 2:
            assert (row["standard_error"], row["pvalue"]) == (None, None)
            continue
        found = mean_of(changes, own)
        if found.error < 1e-12:
            continue
        check(row, found, options, size_of(row, found.mean))
        shown = found.mean / math.sqrt(spread_of(changes, own))
        assert row["std_effect_size"] == pytest.approx(shown, rel=1e-8)
        if row["metric"] == GEOMETRIC or not min(means):
            continue
        ratio = mean_of(after[known] / means[1] - before[known] / means[0], own)
        for end, sign, open_side in (("lower", -1, "less"), ("upper", 1, "greater")):
            if options["alternative"] != open_side:
                beyond = (1 - options["confidence_level"]) / (2 if options["alternative"] == "two_sided" else 1)
                reach = sign * stats.t.isf(beyond, ratio.degrees) * ratio.error
                wanted = means[1] / means[0] * math.exp(reach) - 1
                assert row[f"rel_effect_size_ci_{end}"] == pytest.approx(wanted, rel=1e-7, abs=1e-10)


def arms_of(data):
    """The arms have queries of their own; each weighs something, but for one without a weight."""
    queries = list(data.frame["query_id"])
    cut = len(queries) // 2
    data.frame.loc[[0, 2, cut, cut + 1], "sessions"] = [1.0, 2.0, 3.0, 0.5]
    halves = queries[:cut], queries[cut:]
    data.runs = tuple({query: run[query] for query in own} for run, own in zip(data.runs, halves, strict=True))
    frames = [data.frame[data.frame["query_id"].isin(own) & (data.frame["sessions"] > 0)] for own in halves]
    return [(frame["query_id"].tolist(), frame["sessions"].to_numpy(), frame["user"].tolist()) for frame in frames]


def welch(arms):
    one, other = arms
    error = math.hypot(one.error, other.error)
    return Robust(other.mean - one.mean, error, error**4 / sum(arm.error**4 / arm.degrees for arm in arms))


@pytest.mark.parametrize("seed", seeds(20, 2))
def test_arms_beside_statsmodels(seed):
    data = Data(seed, 40)
    options, halves = asked(data.rng), arms_of(data)
    for row in data.compared(**ARMS, **options).summary.dicts():
        values = [data.values(row["metric"], which, half[0]) for which, half in enumerate(halves)]
        found = welch([mean_of(own, half[1]) for own, half in zip(values, halves, strict=True)])
        check(row, found, options, size_of(row, found.mean))
        spread = sum(spread_of(own, half[1]) for own, half in zip(values, halves, strict=True)) / 2
        assert row["std_effect_size"] == pytest.approx(found.mean / math.sqrt(spread), rel=1e-8)
        assert row["n_queries"] == 40
        assert row["n_units"] == min(effective(half[1]) for half in halves)
        assert row["largest_weight_share"] == pytest.approx(max(half[1].max() / half[1].sum() for half in halves))


@pytest.mark.parametrize("design", ["paired", "unpaired"])
@pytest.mark.parametrize("seed", seeds(8, 2))
def test_clusters_of_weighted_queries(seed, design):
    data = Data(seed, 40)
    options = asked(data.rng)
    if design == "paired":
        frame = data.frame[data.frame["sessions"] > 0]
        halves = [(frame["query_id"].tolist(), frame["sessions"].to_numpy(), frame["user"].tolist())]
    else:
        data.frame["user"] = [user + str(place // 20) for place, user in enumerate(data.frame["user"])]
        halves = arms_of(data)
    more = ARMS if design == "unpaired" else {}
    for row in data.compared(cluster="user", **more, **options).summary.dicts():
        values = [data.values(row["metric"], which, halves[which * (len(halves) > 1)][0]) for which in (0, 1)]
        if design == "paired":
            found = clustered(values[1] - values[0], *halves[0][1:])
        else:
            found = welch([clustered(own, *half[1:]) for own, half in zip(values, halves, strict=True)])
        check(row, found, options, size_of(row, found.mean))
        if design == "unpaired":
            shares = [pd.Series(half[1]).groupby(half[2]).mean().to_numpy() for half in halves]
            assert row["n_units"] == min(effective(own) for own in shares)


@pytest.mark.parametrize("weight", [None, 0.0])
@pytest.mark.parametrize("design", ["paired", "unpaired"])
def test_a_cluster_without_weights_is_none(design, weight):
    """Even where both arms have it; a weight of 0 is none."""
    data = Data(12, 40)
    halves = arms_of(data) if design == "unpaired" else None
    data.frame.loc[[5, 6, 30], "user"] = "nobody"
    data.frame.loc[[5, 6, 30], "sessions"] = weight
    data.frame["user"] = [
        user + (str(place // 20) if user != "nobody" else "") for place, user in enumerate(data.frame["user"])
    ]
    given = {"cluster": "user", "design": design} | (ARMS if halves else {})
    rows = data.compared(**given).summary.dicts()
    known = data.frame[data.frame["sessions"] > 0]
    assert {row["n_clusters"] for row in rows} == {known["user"].nunique()}
    data.frame = known
    fewer = [{query: run[query] for query in run if query in set(known["query_id"])} for run in data.runs]
    data.runs, data.qrels = fewer, {query: data.qrels[query] for query in known["query_id"]}
    for row, wanted in zip(rows, data.compared(**given).summary.dicts(), strict=True):
        for name in ("effect_size", "standard_error", "pvalue", "n_units", "n_clusters"):
            assert row[name] == pytest.approx(wanted[name], rel=1e-9)


@pytest.mark.parametrize("design", ["paired", "unpaired"])
def test_equal_weights_are_none(design):
    """Whatever they are, and what else is asked: groups, margins, corrections, equivalence, limits, a power."""
    data = Data(3, 60)
    data.frame["sessions"] = 7.0
    given = {"design": design, "metrics": ["ap", "fallout@3"], "correction": "holm"}
    for more in (
        {"by": "market", "family": "group", "power": 0.8},
        {"alternative": "greater", "margin": 0.02, "interval_level": "corrected"},
        {"alternative": "equivalence", "margin": 0.1, "cluster": "user"},
        {"limits": {"ap": 0.05, "fallout@3": 0}},
        {"sequential": 50},
    ):
        found = data.compared(**given, **more)
        plain = data.compared(**given, **more, weight=None)
        own = [name for name in found.summary.columns if name not in ("largest_weight_share", "degrees_of_freedom")]
        assert own == [name for name in plain.summary.columns if name != "degrees_of_freedom"]
        for row, wanted in zip(found.summary.dicts(), plain.summary.dicts(), strict=True):
            for name, value in wanted.items():
                close = pytest.approx(value, rel=1e-8, abs=1e-12) if isinstance(value, float) else value
                assert row[name] == close, (name, more)


def test_groups_and_corrections():
    data = Data(5, 60)
    rows = data.compared(["ap", "rr"], by="market", correction="bh", margin=0.05, alternative="greater").summary.dicts()
    pvalues = []
    for row in rows:
        own = data.frame[(data.frame["market"] == row["market"]) & (data.frame["sessions"] > 0)]
        before, after = (data.values(row["metric"], which, own["query_id"]) for which in (0, 1))
        found = mean_of(after - before, own["sessions"].to_numpy())
        pvalues.append(stats.t.sf((found.mean + 0.05) / found.error, found.degrees))
        assert row["pvalue"] == pytest.approx(pvalues[-1], rel=1e-8)
        assert row["n_units"] == effective(own["sessions"].to_numpy())
    adjusted = multipletests(pvalues, method="fdr_bh")[1]
    assert [row["pvalue_adj"] for row in rows] == pytest.approx(adjusted, rel=1e-8)


@pytest.mark.parametrize("design", ["paired", "unpaired"])
def test_counts_are_sums_whatever_weighs(design):
    data = Data(6, 60)
    given = {"design": design, "metrics": [COUNT, "ap"]}
    weighed, plain = (data.compared(**given, weight=weight).summary.dicts()[0] for weight in ("sessions", None))
    assert weighed["effect_size"] == plain["effect_size"]
    assert (weighed["standard_error"], weighed["pvalue"], weighed["verdict"]) == (None, None, "no test")
    what = "differences" if design == "paired" else "arms"
    assert (
        f"{COUNT}: no interval and no p-value, because no test compares {what} with aggregate=sum."
        in data.compared(**given).warnings
    )


def test_contributions_add_up_to_the_effect():
    data = Data(7, 15)
    found = data.compared()
    for effect in found.summary.dicts():
        parts = [row["contribution"] for row in found.per_query.dicts() if row["metric"] == effect["metric"]]
        if effect["metric"] == GEOMETRIC:
            assert set(parts) == {None}
        else:
            total = math.fsum(part for part in parts if part is not None)
            assert total == pytest.approx(effect["effect_size"], abs=1e-12)
            assert parts.count(None) == len(data.frame) - (data.frame["sessions"] > 0).sum()


def test_what_has_no_weight_is_said_and_what_is_negative_refused():
    data = Data(8, 15)
    given = {"query_list": data.frame, "weight": "sessions", "metrics": "ap"}
    n_without = len(data.frame) - (data.frame["sessions"] > 0).sum()
    for check_ in ("auto", "full"):
        found = quietly(rm.compare, data.runs[0], {"b": data.runs[1]}, data.qrels, check=check_, **given)
        assert f"b: {n_without} queries have no weight, so the means leave them out." in found.warnings
        assert "n_unweighted" not in found.summary.columns
    found = quietly(rm.curve, data.runs[0], data.qrels, metric="p", at=[1, 3], query_list=data.frame, weight="sessions")
    assert f"{n_without} queries have no weight, so the means leave them out." in found.warnings
    data.frame.loc[3, "sessions"] = -1.0
    for ask in (
        lambda: rm.compare(data.runs[0], {"b": data.runs[1]}, data.qrels, **given),
        lambda: rm.curve(data.runs[0], data.qrels, "p", query_list=data.frame, weight="sessions"),
    ):
        with pytest.raises(rm.DataError, match=r"a weight \(column 'sessions'\) is a number of at least 0: .*-1"):
            quietly(ask)


@pytest.mark.parametrize("design", ["paired", "unpaired"])
def test_one_weight_of_nearly_all(design):
    """The effect is that query's, with one degree of freedom; a verdict needs six queries, and a warning says why."""
    data = Data(4, 40)
    data.frame["sessions"] = 1.0
    halves = arms_of(data) if design == "unpaired" else None
    for weight in (1e6, 1e14, 1e20):
        data.frame.loc[[2, 3], "sessions"] = data.frame.loc[[25, 26], "sessions"] = weight if halves else 1.0
        data.frame.loc[[2, 25] if halves else [2], "sessions"] = weight
        data.frame.loc[[3, 26], "sessions"] = 1.0
        found = data.compared(["ap"], **(ARMS if halves else {}))
        [row] = found.summary.dicts()
        assert (row["n_units"], row["verdict"]) == (1, "too few queries")
        assert any(text.startswith("One query has 100% of the weights, so it dominates") for text in found.warnings)


def test_nothing_weighs_anything():
    data = Data(9, 15)
    data.frame["sessions"] = 0.0
    for row in data.compared(["ap"]).summary.dicts() + data.compared(["ap"], **ARMS).summary.dicts():
        assert (row["effect_size"], row["pvalue"], row["n_units"]) == (None, None, 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"test": "wilcoxon"}, "weight= makes a weighted mean, but test=wilcoxon counts all queries"),
        ({"test": "sign"}, "test=sign counts all queries alike. Take test=t"),
        ({"test": "mann_whitney", "design": "unpaired"}, "test=mann_whitney counts all queries alike"),
        ({"test": "randomisation"}, "test=randomisation counts all queries alike"),
        ({"test": "bootstrap", "design": "unpaired"}, "test=bootstrap counts all queries alike"),
        ({"metrics": "ctr_pooled"}, "its parts cannot weight the queries"),
        ({"metrics": "ap(aggregate=max)"}, "its max cannot weight the queries"),
        (
            {"level": "decompose", "by": "market"},
            "weight= works only with a summary, a curve, a comparison, sums or values",
        ),
        (
            {"level": "curve_per_query", "run": "a", "metrics": "p"},
            "weight= works only with a summary, a curve, a comparison",
        ),
        ({"level": "points", "run": "a", "metrics": "pr_curve"}, "each query has its own points"),
        ({"by": "n_unweighted"}, "two columns called 'n_unweighted'"),
    ],
)
def test_what_has_no_formula_is_refused(given, message):
    given = {"metrics": "ap", "run": {"a": "runs", "b": "others"}, "level": "compare", "weight": "n"} | given
    with pytest.raises(rm.UsageError, match=message):
        rm.sql(given.pop("metrics"), given.pop("run"), "judged", **given)


@pytest.fixture
def files(tmp_path):
    data = Data(10, 30)
    for name, run in zip(("old", "new"), data.runs, strict=True):
        rows = [(query, item, score) for query, items in run.items() for item, score in items.items()]
        pd.DataFrame(rows, columns=["query_id", "item_id", "score"]).to_csv(tmp_path / f"{name}.csv", index=False)
    rows = [(query, item, grade) for query, items in data.qrels.items() for item, grade in items.items()]
    pd.DataFrame(rows, columns=["query_id", "item_id", "relevance"]).to_csv(tmp_path / "qrels.csv", index=False)
    data.frame.to_csv(tmp_path / "queries.csv", index=False)
    return data, [str(tmp_path / f"{name}.csv") for name in ("old", "new", "qrels", "queries")]


def test_the_command_line(files, cli, tmp_path):
    data, (old, new, qrels, queries) = files
    runs = [old, new, "--qrels", qrels, "--query-list", queries, "--weight", "sessions"]
    asked = ["compare", *runs, "-m", "ap", "--format"]
    [row] = json.loads(cli(*asked, "json").stdout)
    [wanted] = data.compared(["ap"], correction="holm").summary.dicts()
    assert row["effect_size"] == pytest.approx(wanted["effect_size"], abs=1e-12)
    assert row["pvalue"] == pytest.approx(wanted["pvalue"], rel=1e-9)
    for form in ("table", "markdown"):
        assert "weighted by sessions" in " ".join(cli(*asked, form).stdout.split())
    effect = wanted["effect_size"]
    assert cli(*asked, "csv", "--fail-if", f"ap < {effect + 1e-9}").exit_code == 3
    few = cli(*asked, "csv", "--fail-unless", "ap not worse by 0.9")
    assert (few.exit_code, "changed, fewer than 50, so rare changes may be missed" in few.stderr) == (3, True)
    page = tmp_path / "page.html"
    assert cli(*asked, "csv", "--output", str(page)).exit_code in (0, 2)
    points = cli("curve", *runs[:1], *runs[2:], "-m", "p", "--at", "1,3", "--format", "json")
    found = quietly(rm.curve, data.runs[0], data.qrels, "p", at=[1, 3], query_list=data.frame, weight="sessions")
    assert [point["y"] for point in json.loads(points.stdout)] == pytest.approx(
        [row["y"] for row in found.summary.dicts()]
    )


def test_a_curve_is_of_weighted_means():
    """In groups too, as the values of each query say."""
    data = Data(11, 30)
    given = {"at": [1, 2, 5], "query_list": data.frame}
    found = quietly(rm.curve, data.runs[0], data.qrels, "p", weight="sessions", by="market", **given)
    assert found.summary.columns == ["market", "x", "y", "n_queries", "sum_of_weights"]
    for row in found.summary.dicts():
        own = data.frame[(data.frame["market"] == row["market"])]
        weights = own["sessions"].fillna(0)
        values = data.values(f"p@{row['x']:g}", 0, own["query_id"])
        assert row["y"] == pytest.approx(np.average(values, weights=weights), rel=1e-12)
        assert (row["n_queries"], row["sum_of_weights"]) == (len(own), weights.sum())
    assert len(found.per_query.dicts()) == 3 * 30
    with pytest.raises(rm.UsageError, match="each query has its own points, which cannot be weighted"):
        rm.curve(data.runs[0], data.qrels, "pr_curve", weight="sessions", query_list=data.frame)

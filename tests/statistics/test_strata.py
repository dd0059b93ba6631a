"""Effects of arms within strata (post-stratification): beside statsmodels and the formula, and on every road."""

from __future__ import annotations

import json
import math
import random

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import seeds
from . import test_pooled as pooled
from .test_compare import METRICS, judged, run_of, values_of

ARMS = {"design": "unpaired", "queries": "judged_retrieved"}


class Experiment:
    """Arms with queries of their own, each of a market that decides how long their lists are, and of a device."""

    def __init__(self, seed, sizes=(12, 60), names=("a", "b"), markets="xyz"):
        self.rng = rng = random.Random(seed)
        self.runs, self.qrels, self.values, rows = {}, {}, {}, []
        for name in names:
            own = {f"{name}{query}": items for query, items in judged(rng, rng.choice(sizes)).items()}
            self.runs[name] = run_of(rng, own)
            self.qrels |= own
            self.values[name] = values_of(self.runs[name], own)
            for query, value in zip(sorted(own), self.values[name]["ndcg@5"], strict=True):
                at = min(int(float(value) * len(markets)), len(markets) - 1)
                rows.append((name, query, rng.choice([markets[at], *markets]), rng.choice("de")))
        self.frame = pd.DataFrame(rows, columns=["arm", "query_id", "market", "device"])

    def strata_of(self, name):
        return self.frame[self.frame.arm == name].market.tolist()

    def compared(self, metrics=METRICS, **given):
        runs = dict(self.runs)
        first = runs.pop("a")
        listed = {"query_list": self.frame.drop(columns="arm"), "strata": "market", **ARMS}
        return quietly(rm.compare, first, runs, self.qrels, metrics, **listed | given)


def moments(arms, strata):
    """Of each stratum that has two values in both arms its share of these, and both arms' values."""
    found = []
    for stratum in {*strata[0], *strata[1]}:
        own = [
            np.array([v for v, s in zip(arm, of, strict=True) if s == stratum])
            for arm, of in zip(arms, strata, strict=True)
        ]
        if min(map(len, own)) > 1:
            found.append(own)
    n = sum(len(one) + len(other) for one, other in found)
    return [((len(one) + len(other)) / n, one, other) for one, other in found]


def welch(terms):
    """The root of the sum of variances with their degrees of freedom, and those of the sum (Satterthwaite)."""
    total = math.fsum(variance for variance, _ in terms)
    return math.sqrt(total), total**2 / math.fsum(variance**2 / degrees for variance, degrees in terms)


def twin(arms, strata, level=0.95):
    """What a comparison says: effect, error and degrees of freedom by the formula, stratum by stratum."""
    found = moments(arms, strata)
    effect = math.fsum(share * (other.mean() - one.mean()) for share, one, other in found)
    terms = [
        (share**2 * own.var(ddof=1) / len(own), len(own) - 1) for share, one, other in found for own in (one, other)
    ]
    used = [np.concatenate([pair[place] for pair in found]) for place in (1, 2)]
    plain = sum(own.var(ddof=1) / len(own) for own in used)
    row = {
        "baseline": used[0].mean(),
        "candidate": used[1].mean(),
        "effect_size": effect,
        "n_queries": sum(map(len, used)),
        "n_strata": len(found),
        "n_outside_strata": sum(map(len, arms)) - sum(map(len, used)),
        "std_effect_size": effect / math.sqrt(sum(own.var(ddof=1) for own in used) / 2),
    }
    if sum(variance for variance, _ in terms) < 1e-24:
        return row
    error, degrees = welch(terms)
    reach = stats.t.ppf((1 + level) / 2, degrees) * error
    means = [math.fsum(share * pair[place].mean() for share, *pair in found) for place in (0, 1)]
    row |= {
        "standard_error": error,
        "pvalue": 2 * stats.t.sf(abs(effect) / error, degrees),
        "effect_size_ci_lower": effect - reach,
        "effect_size_ci_upper": effect + reach,
        "variance_reduction": 1 - error**2 / plain,
        "rel_effect_size": means[1] / means[0] - 1,
    }
    relative = [
        (share**2 * own.var(ddof=1) / len(own) / means[place] ** 2, len(own) - 1)
        for share, *pair in found
        for place, own in enumerate(pair)
    ]
    error, degrees = welch(relative)
    upper = math.log(means[1] / means[0]) + stats.t.ppf((1 + level) / 2, degrees) * error
    return row | {"rel_effect_size_ci_upper": math.expm1(upper)}


def assert_alike(row, wanted):
    for name, value in wanted.items():
        assert row[name] == pytest.approx(value, rel=1e-8, abs=1e-11), (name, row)


@pytest.mark.parametrize("seed", seeds(24, 3))
def test_arms_are_those_of_the_formula(seed):
    """Several candidates, each of which has shares of its own with the baseline; few queries leave strata out."""
    found = Experiment(seed, sizes=(12, 60), names=("a", "b", "c")[: 2 + seed % 2], markets="uvwxyz"[: 3 + seed % 4])
    level = found.rng.choice([0.95, 0.8])
    rows = found.compared(confidence_level=level).summary.dicts()
    assert len(rows) == len(METRICS) * (1 + seed % 2)
    for row in rows:
        arms = [found.values[name][row["metric"]] for name in ("a", row["run"])]
        assert_alike(row, twin(arms, [found.strata_of(name) for name in ("a", row["run"])], level))
        assert row["n_left_out"] == row["n_outside_strata"]


def test_some_strata_are_left_out_and_a_warning_counts_them():
    found = Experiment(5, sizes=(60,))
    found.frame.loc[[0, 1], "market"] = "of a alone"
    found.frame.loc[[2, 70], "market"] = "one of each"
    result = found.compared("rr")
    [row] = result.summary.dicts()
    assert (row["n_outside_strata"], row["n_left_out"], row["n_queries"]) == (4, 4, 116)
    said = "4 of 120 queries are left out, because b or the baseline has fewer than two queries with their market."
    assert [text for text in result.warnings if "Merge" in text] == [f"{said} Merge small strata."]
    assert not any("Merge" in text for text in Experiment(5, sizes=(60,)).compared("rr").warnings)


@pytest.mark.parametrize("seed", seeds(8))
def test_effects_and_errors_are_those_of_statsmodels(seed):
    """A regression on the arm in each stratum, whose slopes are averaged by shares; HC2 gives each arm its variance."""
    found = Experiment(seed, sizes=(60,))
    [row] = found.compared("ndcg@5").summary.dicts()
    pairs = moments([found.values[name]["ndcg@5"] for name in "ab"], [found.strata_of(name) for name in "ab"])
    values = np.concatenate([own for _, one, other in pairs for own in (one, other)])
    design = np.zeros((len(values), 2 * len(pairs)))
    begin = 0
    for place, (_, one, other) in enumerate(pairs):
        design[begin : begin + len(one) + len(other), 2 * place] = 1
        design[begin + len(one) : begin + len(one) + len(other), 2 * place + 1] = 1
        begin += len(one) + len(other)
    slopes = [weight for share, *_ in pairs for weight in (0, share)]
    tested = OLS(values, design).fit(cov_type="HC2").t_test(slopes)
    assert row["effect_size"] == pytest.approx(tested.effect.item(), rel=1e-9)
    assert row["standard_error"] == pytest.approx(tested.sd.item(), rel=1e-9)


def test_one_stratum_is_as_none():
    found = Experiment(2, sizes=(60,))
    found.frame["market"] = "all"
    plain = found.compared(strata=None).summary.dicts()
    for row, wanted in zip(found.compared().summary.dicts(), plain, strict=True):
        added = {name: row.pop(name) for name in ("variance_reduction", "n_strata", "n_outside_strata")}
        assert added == {"variance_reduction": pytest.approx(0, abs=1e-12), "n_strata": 1, "n_outside_strata": 0}
        assert {name: row[name] for name in wanted} == {
            name: pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else value
            for name, value in wanted.items()
        }


def test_null_is_a_stratum():
    found = Experiment(4, sizes=(60,))
    [named] = found.compared("rr").summary.dicts()
    found.frame["market"] = found.frame["market"].where(found.frame["market"] != "x", None)
    [row] = found.compared("rr").summary.dicts()
    for name in ("effect_size", "standard_error", "n_strata", "n_outside_strata"):
        assert row[name] == pytest.approx(named[name], rel=1e-12), name


@pytest.mark.parametrize("seed", seeds(6, 2))
def test_groups_have_strata_of_their_own(seed):
    found = Experiment(seed, sizes=(60,), names=("a", "b"))
    rows = found.compared(["rr", "ndcg@5"], by="device").summary.dicts()
    assert len(rows) == 4
    for row in rows:
        mine = [(found.frame[found.frame.arm == name].device == row["device"]).to_numpy() for name in "ab"]
        arms = [found.values[name][row["metric"]][own] for name, own in zip("ab", mine, strict=True)]
        strata = [np.array(found.strata_of(name))[own].tolist() for name, own in zip("ab", mine, strict=True)]
        assert_alike(row, twin(arms, strata))


@pytest.mark.parametrize("seed", seeds(6, 2))
def test_ratios_of_sums_are_those_of_their_terms(seed):
    rng = random.Random(seed)
    arms = [[f"{arm}{number}" for number in range(60)] for arm in "ab"]
    qrels = pooled.judged(rng, [*arms[0], *arms[1]])
    runs = [pooled.run_of(rng, {query: qrels[query] for query in arm}, least=1) for arm in arms]
    parts = [pooled.parts_of(run, {query: qrels[query] for query in arm}) for run, arm in zip(runs, arms, strict=True)]
    strata = [[str(int(min(own[0], 2))) for own in one["ctr_pooled@3"]] for one in parts]
    listed = pd.DataFrame({"query_id": [*arms[0], *arms[1]], "market": [*strata[0], *strata[1]]})
    names = ["ctr_pooled@3", "rmse"]
    given = {"query_list": listed, "strata": "market", **ARMS}
    rows = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, names, **given).summary.dicts()
    for row, name in zip(rows, names, strict=True):
        terms = [value + moved for value, moved in (pooled.influences(name, own[name]) for own in parts)]
        assert_alike(row, twin(terms, strata))


def test_arms_without_a_common_stratum_have_no_effect():
    found = Experiment(3, sizes=(12,))
    found.frame["market"] = found.frame["arm"]
    [row] = found.compared("rr").summary.dicts()
    names = ("effect_size", "standard_error", "pvalue", "n_queries", "n_strata", "n_outside_strata")
    assert [row[name] for name in names] == [None, None, None, 0, 0, 24]
    assert row["n_left_out"] == 24


def test_margins_and_sequences_and_sample_sizes_take_the_adjusted_error():
    found = Experiment(6, sizes=(60,))
    [row] = found.compared("rr", limits={"rr": 0.1}).summary.dicts()
    assert row["statistic"] == pytest.approx((row["effect_size"] + 0.1) / row["standard_error"], rel=1e-12)
    [plain], [row] = (found.compared("rr", power=0.8, **given).summary.dicts() for given in ({"strata": None}, {}))
    smaller = row["standard_error"] / plain["standard_error"]
    assert row["min_detectable_effect"] / plain["min_detectable_effect"] == pytest.approx(smaller, rel=0.02)
    [row] = found.compared("rr", sequential=100).summary.dicts()
    assert row["test"] == "sequential"
    assert row["effect_size_ci_lower"] < row["effect_size"] < row["effect_size_ci_upper"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"design": "paired"}, "strata= needs arms, whose queries differ: design=unpaired"),
        ({"test": "mann_whitney"}, "strata= changes what t compares, and has no effect on test=mann_whitney. Take"),
        ({"cluster": "device"}, "strata= excludes cluster=, weight= and covariate="),
        ({"covariate": "n"}, "strata= excludes cluster=, weight= and covariate="),
        ({"weight": "n"}, "strata= excludes cluster=, weight= and covariate="),
        ({"by": "market"}, "by and strata both name 'market', so each group has one stratum"),
        ({"metrics": "gm_map"}, "gm_map.*strata= compares means within strata, and aggregate=geometric is none"),
        ({"metrics": "ap(aggregate=max)"}, "aggregate=max is none. Take aggregate=mean"),
        ({"strata": "markt"}, "strata: no column 'markt'.*Did you mean 'market'"),
        ({"strata": 3}, "strata is the name of a column, not 3"),
    ],
)
def test_what_has_no_strata_is_refused(given, message):
    listed = pd.DataFrame({"query_id": ["q", "r"], "market": ["x", "x"], "device": ["d", "e"], "n": [1.0, 1.0]})
    asked = {"metrics": "ap", "query_list": listed, "strata": "market", **ARMS} | given
    with pytest.raises(rm.RankmetricsError, match=message):
        quietly(rm.compare, {"q": ["a"]}, {"b": {"r": ["a"]}}, {"q": ["a"], "r": ["a"]}, **asked)


def test_other_results_have_no_strata():
    with pytest.raises(rm.UsageError, match=r"strata= works only with a comparison of arms.* Elsewhere, break down by"):
        rm.sql("ap", {"a": "x", "b": "y"}, "q", level="decompose", baseline="a", by="market", strata="segment")


def test_on_every_road(cli, tmp_path):
    """Python over files, a statement, stored values, dbt's macro and the command line have the same row."""
    found = Experiment(7, sizes=(60,))
    [wanted] = found.compared("rr").summary.dicts()
    names = ("effect_size", "standard_error", "pvalue", "variance_reduction", "n_strata", "n_outside_strata")
    runs = {name: tmp_path / f"{name}.csv" for name in "ab"}
    for name, path in runs.items():
        rows = [(q, item, score) for q, items in found.runs[name].items() for item, score in items.items()]
        pd.DataFrame(rows, columns=["query_id", "item_id", "score"]).to_csv(path, index=False)
    grades = [(q, item, grade) for q, items in found.qrels.items() for item, grade in items.items()]
    pd.DataFrame(grades, columns=["query_id", "item_id", "relevance"]).to_csv(tmp_path / "q.csv", index=False)
    found.frame.drop(columns="arm").to_csv(tmp_path / "listed.csv", index=False)
    asked = ["compare", *runs.values(), "--qrels", tmp_path / "q.csv", "-m", "rr", "--query-list"]
    asked += [tmp_path / "listed.csv", "--strata", "market", "--set", "design=unpaired"]
    printed = cli(*asked, "--set", "queries=judged_retrieved", "--format", "json")
    [row] = json.loads(printed.stdout)
    with duckdb.connect() as connection:
        for name in (*runs, "q", "listed"):
            connection.execute(f"CREATE TABLE {name} AS FROM '{tmp_path / f'{name}.csv'}'")
        both, given = {"a": "a", "b": "b"}, {"strata": "market", "query_list": "listed", **ARMS}
        connection.execute(f"CREATE TABLE stored AS {rm.sql('rr', both, 'q', level='values', **given)}")
        given |= {"level": "compare", "baseline": "a"}
        [stated] = dicts(connection, rm.sql("rr", both, "q", **given))
        [restated] = dicts(connection, rm.sql("rr", both, "q", values="stored", **given))
        options = {"design": "unpaired", "queries": "judged_retrieved"}
        of_dbt = macros("duckdb")["compare"](
            candidate="b", baseline="a", metrics="rr", qrels="q", query_list="listed", strata="market", options=options
        )
        [modelled] = dicts(connection, of_dbt)
    for other in (row, stated, restated, modelled):
        assert [other[name] for name in names] == pytest.approx([wanted[name] for name in names], rel=1e-9)


def dicts(connection, text):
    cursor = connection.execute(text)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

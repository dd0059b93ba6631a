"""Effects of arms that a covariate adjusts (CUPED): by the formula, with what is no number, and on every road.

`tests/statistics/test_other_tools.py` has the same beside tea-tasting and GrowthBook.
"""

from __future__ import annotations

import json
import math
import random
from itertools import product

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import mostly_long, seeds
from . import test_pooled as pooled
from . import test_weighted_comparisons as weighted
from .test_clusters import difference, robust
from .test_compare import METRICS, judged, run_of, values_of

ARMS = {"design": "unpaired", "queries": "judged_retrieved"}
NAMES = ("effect_size", "standard_error", "effect_size_ci_lower", "effect_size_ci_upper", "pvalue", "rel_effect_size")
NAMES += ("rel_effect_size_ci_lower", "rel_effect_size_ci_upper", "std_effect_size", "variance_reduction")

# What queries may have had before: alike, with ties, nothing, the same, what says all, and numbers of other sizes.
KINDS = ("alike", "ties", "nulls", "none", "constant", "itself", "large", "small")


def earlier(rng, kind, value):
    return {
        "alike": value + rng.gauss(0, 0.2),
        "ties": rng.choice([0, 1, 2.5]) + round(value),
        "nulls": rng.choice([None, value, 3 * value]),
        "none": None,
        "constant": 0.1,
        "itself": 0.3 - 2 * value,
        "large": 1e6 + 1e3 * (value + rng.gauss(0, 0.3)),
        "small": 1e-9 * (value + rng.gauss(0, 0.3)),
    }[kind]


class Experiment:
    """Arms with queries of their own: the values of each, and what its queries had before and are of."""

    def __init__(self, seed, kind, sizes=(2, 3, 12, 60), names=("a", "b")):
        self.rng = random.Random(seed)
        self.runs, self.qrels, self.values, rows = {}, {}, {}, []
        for name in names:
            own = {f"{name}{query}": items for query, items in judged(self.rng, self.rng.choice(sizes)).items()}
            self.runs[name] = run_of(self.rng, own)
            self.qrels |= own
            self.values[name] = values_of(self.runs[name], own)
            for query, value in zip(sorted(own), self.values[name]["ndcg@5"], strict=True):
                before = earlier(self.rng, kind, float(value))
                rows.append((name, query, before, self.rng.choice("xyz"), f"u{self.rng.randrange(9)}"))
        self.frame = pd.DataFrame(rows, columns=["arm", "query_id", "before", "market", "user_id"])

    def of(self, name, column):
        return self.frame[self.frame.arm == name][column]

    def compared(self, **given):
        runs = dict(self.runs)
        first = runs.pop("a")
        listed = {"query_list": self.frame.drop(columns="arm"), "covariate": "before", **ARMS}
        return quietly(rm.compare, first, runs, self.qrels, METRICS, **listed | given)


def slope(values, before):
    """Theta of both arms as one; 0 where there is nothing to learn from."""
    value, x = np.concatenate(values), np.concatenate(before)
    spread = x - x.mean()
    return 0.0 if np.ptp(x) == 0 else float(spread @ (value - value.mean()) / (spread @ spread))


def variance(values, clusters=None):
    """That of a mean: of queries by themselves, or CR2 of clusters; and its degrees of freedom."""
    n = len(values)
    if clusters is None:
        return (values.var(ddof=1) / n, n - 1) if n > 1 else (None, None)
    if len(set(clusters)) < 2:
        return None, None
    found = robust(values, clusters)
    return found.error**2, found.degrees


def twin(values, before, level=0.95, alternative="two_sided", clusters=(None, None)):
    """What a comparison of two arms says, from the rows of their queries adjusted one by one."""
    before = [np.array([0.0 if x is None or math.isnan(x) else x for x in arm], dtype=float) for arm in before]
    theta, middle = slope(values, before), np.concatenate(before).mean()
    arms = [value - theta * (x - middle) for value, x in zip(values, before, strict=True)]
    first, second = (float(arm.mean()) for arm in arms)
    found = dict.fromkeys(NAMES) | {"effect_size": second - first}
    found["rel_effect_size"] = second / first - 1
    deviation = math.sqrt(sum(value.var(ddof=1) for value in values) / 2) if min(map(len, values)) > 1 else None
    found["std_effect_size"] = (second - first) / deviation if deviation else None
    variances = [variance(arm, of) for arm, of in zip(arms, clusters, strict=True)]
    if any(each is None for each, _ in variances):
        return found
    error, degrees = of_both(arms, clusters)
    plain = of_both(values, clusters)[0] ** 2
    found["variance_reduction"] = 1 - error**2 / plain if plain > 1e-24 else None
    found["standard_error"] = error
    chance = (1 - level) / (2 if alternative == "two_sided" else 1)
    point = float(stats.t.isf(chance, degrees))
    found |= ends("effect_size", second - first, point * error, alternative)
    t = (second - first) / error
    tails = {"two_sided": 2 * stats.t.sf(abs(t), degrees), "greater": stats.t.sf(t, degrees)}
    found["pvalue"] = float(tails.get(alternative, stats.t.cdf(t, degrees)))
    error, degrees = of_both([arm / arm.mean() for arm in arms], clusters)
    reach = float(stats.t.isf(chance, degrees)) * error
    of_ratio = ends("rel_effect_size", math.log(second / first), reach, alternative)
    return found | {name: end if end is None else math.expm1(end) for name, end in of_ratio.items()}


def of_both(arms, clusters):
    """The error of a difference of means, and its degrees of freedom: Welch's, or by matrices for clusters."""
    if all(of is not None for of in clusters):
        found = difference(arms, clusters)
        return found.error, found.degrees
    variances = [variance(arm) for arm in arms]
    total = sum(each for each, _ in variances)
    parts = sum(each**2 / degrees for each, degrees in variances)
    return math.sqrt(total), total**2 / parts


def ends(name, middle, reach, alternative):
    return {
        f"{name}_ci_lower": None if alternative == "less" else middle - reach,
        f"{name}_ci_upper": None if alternative == "greater" else middle + reach,
    }


def assert_alike(row, wanted):
    for name, value in wanted.items():
        assert row[name] == (value if value is None else pytest.approx(value, rel=1e-8, abs=1e-10)), (name, row)


@pytest.mark.parametrize("seed", seeds(40, 4))
def test_arms_are_those_of_the_formula(seed):
    """Several candidates, each of which has a theta of its own beside the baseline."""
    kind = KINDS[seed % 8]
    found = Experiment(seed, kind, names=("a", "b", "c")[: 2 + seed % 2])
    level, alternative = found.rng.choice([0.95, 0.8]), found.rng.choice(["two_sided", "greater", "less"])
    rows = found.compared(confidence_level=level, alternative=alternative).summary.dicts()
    assert len(rows) == len(METRICS) * (1 + seed % 2)
    for row in rows:
        arms = [found.values[name][row["metric"]] for name in ("a", row["run"])]
        before = [found.of(name, "before") for name in ("a", row["run"])]
        assert [row["baseline"], row["candidate"]] == pytest.approx([arm.mean() for arm in arms], rel=1e-12)
        if kind == "itself" and row["metric"] == "ndcg@5":
            assert_said_by_the_covariate(row, arms)
        elif all(np.ptp(arm) < 1e-12 for arm in arms):
            assert row["variance_reduction"] is None
        else:
            assert_alike(row, twin(arms, before, level, alternative))


def assert_said_by_the_covariate(row, arms):
    """Nothing is left but rounding."""
    known = min(map(len, arms)) > 1
    assert (row["effect_size"], row["standard_error"]) == (pytest.approx(0, abs=1e-12), 0 if known else None)
    assert row["variance_reduction"] == (1 if known and sum(map(np.ptp, arms)) > 0 else None)


@pytest.mark.parametrize("seed", seeds(12, 2))
def test_clusters_are_those_of_the_formula(seed):
    """Of each query y - theta x, added up by cluster."""
    found = Experiment(seed, KINDS[seed % 3], sizes=(12, 60))
    for row in found.compared(cluster="user_id").summary.dicts():
        arms = [found.values[name][row["metric"]] for name in "ab"]
        before, users = ([found.of(name, column) for name in "ab"] for column in ("before", "user_id"))
        assert row["n_clusters"] == len(set().union(*users))
        assert_alike(row, twin(arms, before, clusters=users))


@pytest.mark.parametrize("seed", seeds(12, 2))
def test_groups_have_thetas_of_their_own(seed):
    found = Experiment(seed, KINDS[seed % 3], sizes=(12, 60))
    rows = found.compared(by="market").summary.dicts()
    assert len(rows) > 3
    for row in rows:
        mine = [(found.of(name, "market") == row["market"]).to_numpy() for name in "ab"]
        arms = [found.values[name][row["metric"]][own] for name, own in zip("ab", mine, strict=True)]
        before = [found.of(name, "before")[own] for name, own in zip("ab", mine, strict=True)]
        if sum(np.ptp(arm) for arm in arms) > 1e-12:
            expected = twin(arms, before)
            if expected["standard_error"] is not None and expected["standard_error"] < 1e-12:
                assert row["standard_error"] == pytest.approx(0, abs=1e-12)  # the covariate says all of it
            else:
                assert_alike(row, expected)


def adjusted_by_weights(values, before, weights):
    """Values less theta times how far x is from its mean, as of the ratios of SUM(w y), and of SUM(w x), to SUM(w)."""
    value, x, w = (np.concatenate(of_both) for of_both in (values, before, weights))
    influences = [w * (one - np.average(one, weights=w)) for one in (value, x)]
    theta = float(influences[0] @ influences[1] / (influences[1] @ influences[1]))
    middle = np.average(x, weights=w)
    return [own - theta * (x - middle) for own, x in zip(values, before, strict=True)]


@pytest.mark.parametrize("cluster", [None, "user"])
@pytest.mark.parametrize("seed", seeds(10))
def test_weighted_means_are_those_of_the_formula(seed, cluster):
    data = weighted.Data(seed, 40)
    data.frame["user"] = [user + str(place // 20) for place, user in enumerate(data.frame["user"])]
    options, halves = weighted.asked(data.rng), weighted.arms_of(data)
    rng = np.random.default_rng(seed)
    before = [
        rng.normal(size=len(half[0])) + 3 * data.values("ap", which, half[0]) for which, half in enumerate(halves)
    ]
    known = {query: x for half, own in zip(halves, before, strict=True) for query, x in zip(half[0], own, strict=True)}
    data.frame["before"] = data.frame["query_id"].map(known)
    given = {"covariate": "before", **ARMS, **options} | ({"cluster": cluster} if cluster else {})
    for row in data.compared(METRICS, **given).summary.dicts():
        values = [data.values(row["metric"], which, half[0]) for which, half in enumerate(halves)]
        own = adjusted_by_weights(values, before, [half[1] for half in halves])

        def effect_of(arms):
            if cluster is None:
                return weighted.welch([weighted.mean_of(arm, half[1]) for arm, half in zip(arms, halves, strict=True)])
            return weighted.welch([weighted.clustered(arm, *half[1:]) for arm, half in zip(arms, halves, strict=True)])

        found, plain = effect_of(own), effect_of(values)
        weighted.check(row, found, options, 1.0)
        means = [np.average(arm, weights=half[1]) for arm, half in zip(values, halves, strict=True)]
        assert [row["baseline"], row["candidate"]] == pytest.approx(means, rel=1e-12)
        assert row["variance_reduction"] == pytest.approx(1 - found.error**2 / plain.error**2, rel=1e-8)
        means = [np.average(arm, weights=half[1]) for arm, half in zip(own, halves, strict=True)]
        assert row["rel_effect_size"] == pytest.approx(means[1] / means[0] - 1, rel=1e-9)


def test_equal_weights_adjust_as_none():
    found = Experiment(3, "alike", sizes=(60,))
    equal = found.frame.drop(columns="arm").assign(visits=2.5)
    rows = found.compared(query_list=equal, weight="visits").summary.dicts()
    for row, plain in zip(rows, found.compared().summary.dicts(), strict=True):
        for name in NAMES:
            assert row[name] == pytest.approx(plain[name], rel=1e-9), name


@pytest.mark.parametrize("seed", seeds(8, 2))
def test_ratios_of_sums_are_those_of_the_formula(seed):
    """A ratio of the sums S1 / S2 over n queries: each query's R + n (p1 - R p2) / S2 is adjusted as values are."""
    rng = random.Random(seed)
    arms = [[f"{arm}{number}" for number in range(rng.choice([12, 80]))] for arm in "ab"]
    qrels = pooled.judged(rng, [*arms[0], *arms[1]])
    runs = [pooled.run_of(rng, {query: qrels[query] for query in arm}, least=1) for arm in arms]
    parts = [pooled.parts_of(run, {query: qrels[query] for query in arm}) for run, arm in zip(runs, arms, strict=True)]
    clicked = [own["ctr_pooled@3"][:, 0] for own in parts]
    before = [[float(one) + rng.gauss(0, 0.5) for one in arm] for arm in clicked]
    users = [[f"{arm[0][0]}{rng.randrange(6)}" for _ in arm] for arm in arms]
    columns = {"query_id": arms, "before": before, "user_id": users}
    listed = pd.DataFrame({name: [*first, *second] for name, (first, second) in columns.items()})
    clusters = users if seed % 2 else (None, None)
    given = {"covariate": "before", "query_list": listed, **ARMS} | ({"cluster": "user_id"} if seed % 2 else {})
    names = ["ctr_pooled@3", "rmse", "ap"]
    rows = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, names, **given).summary.dicts()
    for row, name in zip(rows, names, strict=True):
        value, other = (pooled.influences(name, own[name]) for own in parts)
        terms = [value[0] + value[1], other[0] + other[1]]
        assert_alike(row, twin(terms, [np.array(arm) for arm in before], clusters=clusters))


SETTINGS = [{}, {"cluster": "user_id"}, {"by": "market"}, {"sequential": 100}, {"power": 0.8}]


@pytest.mark.parametrize(
    "case",
    mostly_long(product(["constant", "none"], SETTINGS), ("constant", {}), *(("none", given) for given in SETTINGS)),
)
def test_a_covariate_that_is_the_same_everywhere_changes_nothing(case):
    kind, given = case
    found = Experiment(5, kind)
    plain = found.compared(covariate=None, **given).summary.dicts()
    for row, wanted in zip(found.compared(**given).summary.dicts(), plain, strict=True):
        reduction = row.pop("variance_reduction")
        assert reduction == (0 if row["standard_error"] else None)
        assert_same([list(row.values())], [list(wanted.values())])


def test_what_has_no_covariate_has_0():
    """NULL, and in a statement, which cannot refuse, what has no square: never NaN."""
    found = Experiment(3, "nulls", sizes=(12,))
    zeros = found.frame.assign(before=found.frame.before.fillna(0))
    assert found.frame.before.isna().any()
    filled = found.compared(query_list=zeros.drop(columns="arm")).summary.dicts()
    assert_same(*([list(row.values()) for row in rows] for rows in (found.compared().summary.dicts(), filled)))
    with duckdb.connect() as connection:
        text = stored(connection, found)
        wanted = connection.execute(text).fetchall()
        for given in ("'nan'", "'inf'", "'-inf'", "1e200"):
            connection.execute(f"UPDATE listed SET before = {given} WHERE query_id IN {missing(found)}")
            assert_same(connection.execute(text).fetchall(), wanted)


def assert_same(rows, wanted):
    """But for the last digits of sums, whose order is the engine's."""
    assert len(rows) == len(wanted)
    for row, other in zip(rows, wanted, strict=True):
        assert list(row) == [
            pytest.approx(cell, rel=1e-11, abs=1e-14) if isinstance(cell, float) else cell for cell in other
        ]


def missing(found):
    return tuple(found.frame[found.frame.before.isna()].query_id)


def stored(connection, found, level="compare", **given):
    """Its relations as tables, and the text of a comparison, or of what one is made of."""
    for name, rows in (("run_a", found.runs["a"]), ("run_b", found.runs["b"]), ("labels", found.qrels)):
        last = "relevance" if name == "labels" else "score"
        connection.execute(f"CREATE OR REPLACE TABLE {name} (query_id TEXT, item_id TEXT, {last} DOUBLE)")
        values = [(query, item, number) for query, items in rows.items() for item, number in items.items()]
        fill(connection, name, values)
    listed = found.frame.drop(columns="arm")
    connection.register("listed_frame", listed)
    connection.execute(
        "CREATE OR REPLACE TABLE listed AS SELECT * REPLACE (before::DOUBLE AS before) FROM listed_frame"
    )
    runs = {"a": "run_a", "b": "run_b"} if level != "sums" else "SELECT * FROM run_a UNION ALL SELECT * FROM run_b"
    asked = {"query_list": "listed", "covariate": "query_list.before", "header": False, **given}
    options = ARMS if level == "compare" else {"queries": "judged_retrieved"}
    return rm.sql(METRICS, runs, "labels", level=level, **asked, **options)


def test_stored_values_carry_their_covariate():
    with duckdb.connect() as connection:
        found = Experiment(7, "nulls")
        wanted = connection.execute(stored(connection, found)).fetchall()
        connection.execute(f"CREATE TABLE kept AS {stored(connection, found, 'values')}")
        again = rm.sql(
            METRICS,
            {"a": "run_a", "b": "run_b"},
            "labels",
            level="compare",
            query_list="listed",
            covariate="query_list.before",
            values="kept",
            connection=connection,
            **ARMS,
        )
        assert_same(connection.execute(again).fetchall(), wanted)


def test_sums_make_the_same_effect():
    """By GrowthBook's names, added up over the groups of each arm."""
    with duckdb.connect() as connection:
        found = Experiment(9, "nulls", sizes=(30,))
        rows = found.compared().summary.dicts()
        text = stored(connection, found, "sums", by=["query_list.market", "query_list.user_id"])
        connection.execute(f"CREATE TABLE summed AS {text}")
        totals = connection.execute("""
            SELECT metric, SUM(users), SUM(main_sum), SUM(covariate_sum), SUM(covariate_sum_squares),
                SUM(main_covariate_sum_product)
            FROM summed GROUP BY metric
        """).fetchall()
    for metric, n, y, x, xx, xy in totals:
        [row] = [each for each in rows if each["metric"] == metric]
        theta = (xy - x * y / n) / (xx - x * x / n)
        means = [found.of(name, "before").fillna(0).mean() for name in "ab"]
        effect = row["candidate"] - row["baseline"] - theta * (means[1] - means[0])
        assert row["effect_size"] == pytest.approx(effect, rel=1e-9, abs=1e-12)


def test_what_is_no_mean_stays_what_it_is():
    found = Experiment(11, "alike", sizes=(12,))
    others = ["gm_map", "num_rel_ret"]
    runs = {"b": found.runs["b"]}
    given = {"query_list": found.frame.drop(columns="arm"), **ARMS}
    plain = quietly(rm.compare, found.runs["a"], runs, found.qrels, others, **given).summary.dicts()
    adjusted = quietly(rm.compare, found.runs["a"], runs, found.qrels, others, covariate="before", **given)
    for row, wanted in zip(adjusted.summary.dicts(), plain, strict=True):
        assert row.pop("variance_reduction") is None
        assert row == wanted


def test_equal_arms_do_not_differ():
    """Whatever the covariates of their queries, which are equal too."""
    found = Experiment(13, "alike", sizes=(12,), names=("a",))
    run, qrels = found.runs["a"], found.qrels
    same = {f"b{query}": items for query, items in run.items()}
    frame = pd.concat([found.frame, found.frame.assign(query_id="b" + found.frame.query_id)])
    labels = qrels | {f"b{query}": items for query, items in qrels.items()}
    given = {"query_list": frame[["query_id", "before"]], "covariate": "before", **ARMS}
    for row in quietly(rm.compare, run, {"b": same}, labels, METRICS, **given).summary.dicts():
        assert (row["effect_size"], row["pvalue"], row["significant"]) == (0, 1, 0)


REFUSED = [
    ({}, "covariate= needs arms, whose queries differ: design=unpaired"),
    ({**ARMS, "test": "mann_whitney"}, "has no effect on test=mann_whitney"),
    ({**ARMS, "test": "bootstrap"}, "has no effect on test=bootstrap"),
    ({**ARMS, "test": "randomisation"}, "has no effect on test=randomisation"),
    ({**ARMS, "by": "variance_reduction"}, "two columns called 'variance_reduction'"),
]
OF_OTHERS = [
    ("summary", {}, "covariate= works only with a comparison of arms, and with the sums and values"),
    ("per_query", {}, "covariate= works only with a comparison of arms, and with the sums and values"),
    ("decompose", {"by": "market"}, "covariate= works only with a comparison of arms, and with the sums and values"),
    ("sums", {"weight": "sessions"}, "sums for covariate= are those of a mean, but weight= makes it a ratio"),
    ("sums", {"by": "covariate_sum"}, "two columns called 'covariate_sum'"),
    ("compare", {"covariate": 3}, "covariate is the name of a column, not 3"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_what_is_not_adjusted_is_refused(given, message):
    """By both roads, in the same words."""
    with pytest.raises(rm.UsageError, match=message):
        rm.sql("ap", {"a": "x", "b": "y"}, "q", level="compare", covariate="before", **given)
    options = {name: value for name, value in given.items() if name != "by"}
    asked = {"metrics": "ap", "qrels": "q", "options": options, "by": given.get("by")}
    with pytest.raises(rm.UsageError, match=message):
        macros("duckdb")["compare"](relation="y", baseline="x", covariate="before", **asked)


@pytest.mark.parametrize(("level", "given", "message"), OF_OTHERS)
def test_what_has_no_effect_of_arms_is_refused(level, given, message):
    runs = {"a": "x", "b": "y"} if level in ("compare", "decompose") else "x"
    with pytest.raises(rm.UsageError, match=message):
        rm.sql("ap", runs, "q", level=level, **{"covariate": "before", **given})


def test_a_weight_and_a_covariate_in_dbt():
    with pytest.raises(rm.UsageError, match="sums for covariate= are those of a mean, but weight= makes it a ratio"):
        macros("duckdb")["sums"](relation="x", metrics="ap", qrels="q", weight="sessions", covariate="before")


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ([0.5, math.inf], r"a covariate \(column 'before'\) is a number between -1e100 and 1e100: .*inf"),
        ([0.5, -1e200], "a covariate .* is a number between -1e100 and 1e100: .*1e.200"),
        (["much", "more"], "covariate is not a number: .*much"),
    ],
)
def test_what_is_no_covariate_is_refused(before, message):
    frame = pd.DataFrame({"query_id": ["p", "q"], "before": before})
    with pytest.raises(rm.DataError, match=message):
        two_arms(query_list=frame)


def two_arms(**given):
    """One query each, of which nothing is known but the effect."""
    labels = {"p": {"x": 1}, "q": {"x": 1}}
    return quietly(rm.compare, {"p": ["x"]}, {"b": {"q": ["y", "x"]}}, labels, "rr", covariate="before", **ARMS | given)


def test_a_query_has_one_covariate():
    frame = pd.DataFrame({"query_id": ["p", "p", "q"], "before": [1.0, 2.0, 3.0]})
    with pytest.raises(rm.DataError, match=r"query 'p' has two values in before: 1\.0 and 2\.0"):
        two_arms(query_list=frame)


def test_one_query_each_has_no_error():
    """Two points are on a line, so that the covariate says all of their difference."""
    [row] = two_arms(query_list=pd.DataFrame({"query_id": ["p", "q"], "before": [1, 4]})).summary.dicts()
    assert (row["baseline"], row["candidate"], row["effect_size"]) == (1, 0.5, pytest.approx(0, abs=1e-15))
    assert [row[name] for name in ("standard_error", "pvalue", "significant", "variance_reduction")] == [None] * 4


def test_a_column_of_a_log():
    with duckdb.connect() as connection:
        connection.execute("""
            CREATE TABLE shown AS
            SELECT 'q' || q AS q, 'x' || i AS i, i AS p, CASE WHEN q % 2 = 0 THEN 'old' ELSE 'new' END AS arm,
                q % 7 AS earlier
            FROM range(40) AS queries(q), range(1, 4) AS items(i)
        """)
        connection.execute(
            "CREATE TABLE done AS SELECT q, i, 'click' AS type FROM shown WHERE hash(q) % 3 = p - 1 AND earlier > 1"
        )
        log = rm.events("shown", "done", request="q", item="i", position="p", type="type", arm="arm")
        given = {"baseline": "old", "connection": connection}
        result = quietly(rm.compare, log, "rr", covariate="earlier", **given)
        [row] = result.summary.dicts()
        assert 0 < row["variance_reduction"] < 1
        assert result.options["covariate"] == "earlier"
        assert "effects adjusted by earlier" in repr(result)


def test_on_the_command_line_and_in_a_report(cli, tmp_path, undrawn):
    found = Experiment(17, "alike", sizes=(30,))
    for name, rows in (("a", found.runs["a"]), ("b", found.runs["b"]), ("labels", found.qrels)):
        last = "relevance" if name == "labels" else "score"
        lines = [f"{query},{item},{number}" for query, items in rows.items() for item, number in items.items()]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"query_id,item_id,{last}", *lines, ""]))
    found.frame.drop(columns="arm").to_csv(tmp_path / "listed.csv", index=False)
    asked = [tmp_path / "a.csv", tmp_path / "b.csv", "--qrels", tmp_path / "labels.csv", "-m", "ndcg@5"]
    asked += ["--query-list", tmp_path / "listed.csv", "--covariate", "before", "--set", "design=unpaired"]
    asked += ["--set", "queries=judged_retrieved"]
    assert "effects adjusted by before" in cli("compare", *asked).stdout.replace("\n", " ")
    [row] = json.loads(cli("compare", *asked, "--format", "json").stdout)
    [wanted] = [each for each in found.compared().summary.dicts() if each["metric"] == "ndcg@5"]
    assert row["variance_reduction"] == pytest.approx(wanted["variance_reduction"], rel=1e-9)
    written = cli("sql", "-m", "ap", "--run", "a=x", "--run", "b=y", "--qrels", "q", "--level", "compare", *asked[-6:])
    assert "rankmetrics_adjusted_arms" in written.stdout
    found.compared().report(tmp_path / "report.html")
    assert "effects adjusted by before" in (tmp_path / "report.html").read_text()

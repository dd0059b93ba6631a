"""Errors of clusters: those of statsmodels, of comparisons and of the values of a summary."""

from __future__ import annotations

import csv
import io
import math
import random
import sqlite3
from collections import Counter
from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS

import rankmetrics_sql as rm

from ..conftest import fill, quietly
from ..everything import seeds
from .test_compare import METRICS, judged, run_of, values_of

ARMS = {"design": "unpaired", "queries": "judged_retrieved", "correction": "none"}


def users_of(rng, queries, n_users):
    """Whose query each is; some are of nobody."""
    names = [f"u{number}" for number in range(n_users)]
    return {query: rng.choice([*names, None]) for query in sorted(queries)}


def clusters_of(users):
    """The same where a query of nobody is a cluster by itself."""
    return {query: user if user is not None else ("nobody", query) for query, user in users.items()}


def listed(users):
    return pd.DataFrame({"query_id": list(users), "user_id": list(users.values())})


def numbered(users):
    """statsmodels' groups are numbers."""
    names = list(dict.fromkeys(users))
    return np.array([names.index(user) for user in users])


def difference(arms, users):
    """The difference of two means with its error by CR2, and Bell and McCaffrey's degrees of freedom, by matrices.

    Of a regression on the arm, whose clusters may be in both. The degrees are those where queries are independent and
    have a variance by arm, each that of CR2 of its arm alone, as Welch's are.
    """
    values, users = np.concatenate(arms).astype(float), numbered([user for arm in users for user in arm])
    sizes = [len(arm) for arm in arms]
    is_second = np.repeat([0.0, 1.0], sizes)
    regressors = np.column_stack([np.ones(len(values)), is_second])
    inverse = np.linalg.inv(regressors.T @ regressors)
    rest = np.eye(len(values)) - regressors @ inverse @ regressors.T
    weights = (inverse @ regressors.T)[1]  # of each value in the difference
    residuals = rest @ values
    sums, columns = [], []
    for user in np.unique(users):
        own = users == user
        size, vectors = np.linalg.eigh(rest[np.ix_(own, own)])
        adjusted = vectors @ np.diag(size**-0.5) @ vectors.T @ weights[own]
        sums.append(adjusted @ residuals[own])
        columns.append(rest[:, own] @ adjusted)
    first, second = (robust(arm, users[is_second == place]) for place, arm in enumerate(arms))
    by_arm = np.where(is_second == 1, second.error**2 * sizes[1], first.error**2 * sizes[0])
    columns = np.array(columns).T
    products = columns.T @ (by_arm[:, None] * columns)
    degrees = np.trace(products) ** 2 / (products**2).sum()
    return Robust(second.mean - first.mean, math.sqrt(math.fsum(one**2 for one in sums)), degrees)


def robust(values, users):
    """The mean with its error by CR2, and the degrees of freedom, by statistics' formula."""
    values, users = np.asarray(values, dtype=float), numbered(users)
    found, n = [], len(values)
    for user in set(users):
        own = values[users == user] - values.mean()
        found.append((own.sum(), len(own) / n))
    variance = math.fsum(e**2 / (1 - p) for e, p in found) / n**2
    squares, ratios = [p**2 for _, p in found], [p**2 / (1 - p) for _, p in found]
    degrees = 1 / (sum(squares) + sum(ratios) ** 2 - sum(ratio**2 for ratio in ratios))
    return Robust(values.mean(), math.sqrt(variance), degrees)


class Robust(NamedTuple):
    mean: float
    error: float
    degrees: float

    @property
    def pvalue(self):
        return 2 * stats.t.sf(abs(self.mean) / self.error, self.degrees)

    def ends(self, level):
        reach = stats.t.ppf((1 + level) / 2, self.degrees) * self.error
        return [self.mean - reach, self.mean + reach]


@pytest.mark.parametrize("sizes", [(3, 3, 3), (1, 2, 9), (1, 1, 1, 5), (4, 7)])
def test_the_formula_is_that_of_matrices(sizes):
    """Bell and McCaffrey's, of a regression on nothing but a constant, by matrices; of equal clusters statsmodels'."""
    rng = np.random.default_rng(sum(sizes))
    values, users = rng.normal(size=sum(sizes)), np.repeat(np.arange(len(sizes)), sizes)
    n = len(values)
    rest = np.eye(n) - np.ones((n, n)) / n
    squares, columns = [], []
    for user in range(len(sizes)):
        own = users == user
        size, vectors = np.linalg.eigh(rest[np.ix_(own, own)])
        adjusted = vectors @ np.diag(size**-0.5) @ vectors.T @ np.ones(own.sum())
        squares.append(adjusted @ (values - values.mean())[own])
        columns.append(rest[:, own] @ adjusted / n)
    found = robust(values, users)
    assert found.error == pytest.approx(math.sqrt(sum(square**2 for square in squares)) / n, rel=1e-12)
    products = np.array(columns) @ np.array(columns).T
    assert found.degrees == pytest.approx(np.trace(products) ** 2 / (products**2).sum(), rel=1e-9)
    if len(set(sizes)) == 1:
        options = {"groups": users, "use_correction": True}
        fitted = OLS(values, np.ones(n)).fit(cov_type="cluster", cov_kwds=options, use_t=True)
        assert found.error == pytest.approx(fitted.bse[0], rel=1e-9)
        assert found.degrees == pytest.approx(len(sizes) - 1)


@pytest.mark.parametrize("seed", seeds(20))
def test_pairs_of_clusters(seed):
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice([4, 12, 50, 300]))
    users = users_of(rng, qrels, rng.choice([2, 5, 40]))
    clusters = list(clusters_of(users).values())
    if len(set(clusters)) < 2:
        return
    ours, theirs = run_of(rng, qrels), run_of(rng, qrels)
    level = rng.choice([0.95, 0.8])
    given = {"query_list": listed(users), "cluster": "user_id", "confidence_level": level}
    values = values_of(ours, qrels), values_of(theirs, qrels)
    for row in quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, **given).summary.dicts():
        first, second = (arm[row["metric"]] for arm in values)
        found = robust(second - first, clusters)
        assert row["n_clusters"] == len(set(clusters))
        assert row["standard_error"] == pytest.approx(found.error, rel=1e-9)
        assert row["pvalue"] == pytest.approx(found.pvalue, rel=1e-9)
        ends = [row["effect_size_ci_lower"], row["effect_size_ci_upper"]]
        assert ends == pytest.approx(found.ends(level), abs=1e-9)
        ratio = robust(second / second.mean() - first / first.mean(), clusters).error
        reach = stats.t.ppf((1 + level) / 2, found.degrees) * ratio
        ends = [second.mean() / first.mean() * math.exp(sign * reach) for sign in (-1, 1)]
        relative = [row["rel_effect_size_ci_lower"] + 1, row["rel_effect_size_ci_upper"] + 1]
        assert relative == pytest.approx(ends, rel=1e-9 * max(1, reach))
        assert row["std_effect_size"] == pytest.approx((second - first).mean() / (second - first).std(ddof=1))


@pytest.mark.parametrize("seed", seeds(20, 6))
def test_arms_of_clusters(seed):
    """Users of one arm or of both, and queries of nobody: the difference, and the ratio, which is that of shares."""
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice([12, 50, 120]))
    users = users_of(rng, qrels, 8)
    queries = list(qrels)
    cut = rng.randint(4, len(queries) - 4)
    arms = sorted(queries[:cut]), sorted(queries[cut:])
    if seed % 3 == 0:  # nobody is in both
        users |= {query: f"{users[query]}'" for query in arms[1] if users[query] is not None}
    clusters = clusters_of(users)
    of_arms = [[clusters[query] for query in arm] for arm in arms]
    if any(len(set(own)) < 2 for own in of_arms):
        return
    runs = [run_of(rng, {query: qrels[query] for query in arm}) for arm in arms]
    level, alternative = rng.choice([0.95, 0.8]), ["two_sided", "greater"][seed % 2]
    given = {"query_list": listed(users), "cluster": "user_id", "confidence_level": level, **ARMS}
    values = [values_of(run, qrels) for run in runs]
    rows = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, METRICS, alternative=alternative, **given)
    for row in rows.summary.dicts():
        own = [arm[row["metric"]] for arm in values]
        found = difference(own, of_arms)
        assert row["n_clusters"] == len(set(clusters.values()))  # who is in both arms is one
        assert row["standard_error"] == pytest.approx(found.error, rel=1e-9)
        tail = stats.t.sf(found.mean / found.error, found.degrees)
        wanted = tail if alternative == "greater" else 2 * min(tail, 1 - tail)
        assert row["pvalue"] == pytest.approx(wanted, rel=1e-7)
        chance = (1 - level) / (1 if alternative == "greater" else 2)
        assert row["effect_size_ci_lower"] == pytest.approx(
            found.mean - stats.t.isf(chance, found.degrees) * found.error, abs=1e-9
        )
        ratio = difference([arm / arm.mean() for arm in own], of_arms)
        reach = stats.t.isf(chance, ratio.degrees) * ratio.error
        lower = own[1].mean() / own[0].mean() * math.exp(-reach) - 1
        assert row["rel_effect_size_ci_lower"] == pytest.approx(lower, rel=1e-8 * max(1, reach), abs=1e-9)


def test_users_of_both_arms_are_those_of_statsmodels():
    """Of users who have three queries in each arm: CR1 of statsmodels without N, and scipy's t of their means."""
    rng = random.Random(6)
    users = {f"{arm}{who}{n}": f"u{who}" for arm in "ab" for who in range(7) for n in range(3)}
    taste = {who: rng.choice([0, 3]) for who in users.values()}
    values = {query: taste[who] + rng.choice([0, 1, 2]) + (query[0] == "b") for query, who in users.items()}
    qrels = {query: {"x": value} for query, value in values.items()}
    runs = [{query: ["x"] for query in users if query[0] == arm} for arm in "ab"]
    given = {"query_list": listed(users), "cluster": "user_id", **ARMS}
    [row] = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", **given).summary.dicts()
    regressors = np.column_stack([np.ones(len(users)), [float(query[0] == "b") for query in users]])
    options = {"groups": numbered(users.values()), "use_correction": False}
    fitted = OLS(np.array(list(values.values())), regressors).fit(cov_type="cluster", cov_kwds=options)
    assert row["standard_error"] == pytest.approx(fitted.bse[1] * math.sqrt(7 / 6), rel=1e-9)
    means = [[np.mean([values[f"{arm}{who}{n}"] for n in range(3)]) for who in range(7)] for arm in "ab"]
    paired = stats.ttest_rel(means[1], means[0])
    assert (row["effect_size"], row["pvalue"]) == (
        pytest.approx(np.mean(means[1]) - np.mean(means[0])),
        pytest.approx(paired.pvalue, rel=1e-8),
    )
    alone = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", **ARMS).summary.dicts()[0]
    assert alone["standard_error"] > 1.5 * row["standard_error"]  # what users share is in neither arm's favour


def test_users_who_have_the_same_in_both_arms_leave_no_error():
    """Each user has the same values in both arms: the difference is certain, and rounding is no error."""
    users = {f"{arm}{who}{n}": f"u{who}" for arm in "ab" for who in range(7) for n in range(2)}
    qrels = {query: {"x": 0.1 * (1 + int(query[1]) ** 2)} for query in users}
    runs = [{query: ["x"] for query in users if query[0] == arm} for arm in "ab"]
    given = {"query_list": listed(users), "cluster": "user_id", **ARMS}
    [row] = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", **given).summary.dicts()
    assert (row["effect_size"], row["standard_error"], row["pvalue"]) == (0, 0, 1)


@pytest.mark.parametrize("seed", seeds(10))
def test_intervals_of_clusters(seed):
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice([5, 40]))
    users = users_of(rng, qrels, 6)
    clusters = clusters_of(users)
    given = {"query_list": listed(users), "cluster": "user_id", "interval": "t"}
    result = quietly(rm.evaluate, run_of(rng, qrels), qrels, [*METRICS, "gm_map", "num_rel_ret"], **given)
    per_query = result.per_query.dicts()
    for row in result.summary.dicts():
        values = np.array([query[row["metric"]] for query in per_query], dtype=float)
        values = np.log(np.maximum(values, 1e-5)) if row["metric"] == "gm_map" else values
        found = robust(values, [clusters[query["query_id"]] for query in per_query])
        size = len(values) if row["metric"] == "num_rel_ret" else 1
        scale = row["value"] if row["metric"] == "gm_map" else size
        assert row["n_clusters"] == len(set(clusters.values()))
        assert row["standard_error"] == pytest.approx(found.error * scale, rel=1e-9)
        ends = np.array(found.ends(0.95)) * size
        ends = np.exp(ends) if row["metric"] == "gm_map" else ends
        assert [row["ci_lower"], row["ci_upper"]] == pytest.approx(ends, rel=1e-9, abs=1e-9)


def test_weighted_means_of_clusters():
    """The delta method of Σ weight · value / Σ weight, over clusters."""
    rng = random.Random(8)
    qrels = judged(rng, 40)
    users = users_of(rng, qrels, 6)
    clusters = clusters_of(users)
    weights = {query: rng.choice([1, 2, 5, None]) for query in qrels}
    frame = listed(users).assign(traffic=[weights[query] for query in users])
    given = {"query_list": frame, "cluster": "user_id", "weight": "traffic", "interval": "t"}
    result = quietly(rm.evaluate, run_of(rng, qrels), qrels, "ap", **given)
    rows = [row for row in result.per_query.dicts() if weights[row["query_id"]] is not None]
    total = sum(weights[row["query_id"]] for row in rows)
    mean = sum(weights[row["query_id"]] * row["ap"] for row in rows) / total
    sums, shares = Counter(), Counter()
    for row in rows:
        user, weight = clusters[row["query_id"]], weights[row["query_id"]]
        sums[user] += weight * (row["ap"] - mean)
        shares[user] += weight / total
    error = math.sqrt(math.fsum(sums[user] ** 2 / (1 - shares[user]) for user in sums)) / total
    [found] = result.summary.dicts()
    assert (found["n_clusters"], found["standard_error"]) == (len(sums), pytest.approx(error, rel=1e-9))


@pytest.mark.parametrize("seed", seeds(6))
def test_each_query_by_itself_is_no_cluster(seed):
    """CR2 of clusters of one query is what is said without clusters."""
    rng = random.Random(seed)
    qrels = judged(rng, 30)
    ours, theirs = run_of(rng, qrels), run_of(rng, qrels)
    given = {"query_list": listed({query: query for query in qrels})}
    alone = quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, **given).summary.dicts()
    clustered = quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, cluster="user_id", **given).summary.dicts()
    for one, other in zip(alone, clustered, strict=True):
        assert other.pop("n_clusters") == 30
        numbers = {name: value for name, value in one.items() if isinstance(value, float)}
        assert {name: other[name] for name in numbers} == pytest.approx(numbers, rel=1e-9, abs=1e-12)
        assert {name: other[name] for name in one.keys() - numbers} == {
            name: one[name] for name in one.keys() - numbers
        }


def warned(function, sizes, **given):
    """What is said of clusters of such sizes; those of two arms alternate, or have all."""
    users = {f"q{who}-{n}": f"u{who}" for who, size in enumerate(sizes) for n in range(size)}
    qrels = {query: {"x": n % 3} for n, query in enumerate(users)}
    run = {query: ["x"] for query in users}
    asked = {"query_list": listed(users), "cluster": "user_id", **given}
    if function is rm.evaluate:
        found = quietly(function, run, qrels, "cg@1", **asked)
    else:
        found = quietly(
            function, run, {"b": {query: ["y", *items] for query, items in run.items()}}, qrels, "cg@1", **asked
        )
    rows, texts = found.summary.dicts(), [text for text in found.warnings if "user_id" in text and "differ" not in text]
    assert [row["largest_cluster_share"] for row in rows] == [pytest.approx(max(sizes) / sum(sizes))]
    return ["few" if text.startswith("Only ") else "large" if " of the queries" in text else text for text in texts]


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ([2] * 20, []),
        ([2] * 19, ["few"]),
        ([2] * 20 + [10], []),  # a fifth
        ([2] * 20 + [11], ["large"]),
        ([3, 2, 2, 2], ["few", "large"]),
    ],
)
@pytest.mark.parametrize(
    "given",
    [{"interval": "t"}, {"interval": "bootstrap", "resamples": 100}, {}, {"test": "bootstrap", "resamples": 100}],
)
def test_few_and_uneven_clusters_are_warned_of(sizes, said, given):
    assert warned(rm.evaluate if "interval" in given else rm.compare, sizes, **given) == said


def test_what_is_said_of_few_and_uneven_clusters():
    users = {f"q{n}": "big" if n < 5 else f"u{n}" for n in range(12)}
    qrels = {query: {"x": n % 3} for n, query in enumerate(users)}
    run = {query: ["x"] for query in users}
    given = {"query_list": listed(users), "cluster": "user_id"}
    few = "Only 8 values of user_id, so standard error, intervals and p-values are rough. "
    large = (
        "One value of user_id has 42% of the queries, so it dominates the result, and the standard error is"
        " rough. by=user_id without cluster= shows which value it is."
    )
    firmer = "More values of user_id help, but more queries of the same values do not."
    found = quietly(rm.evaluate, run, qrels, "cg@1", interval="t", **given)
    assert found.warnings == [few + firmer, large]
    found = quietly(rm.evaluate, run, qrels, "cg@1", interval="bootstrap", resamples=100, **given)
    assert found.warnings == [few + "interval=t corrects for the small number.", large]
    shares = {
        row["user_id"]: row["n_queries"]
        for row in quietly(
            rm.evaluate, run, qrels, "cg@1", by="user_id", query_list=given["query_list"]
        ).summary.dicts()
    }
    assert shares["big"] == 5


def test_what_is_in_both_arms_is_not_exchanged():
    """A clear refusal; and in a statement, which cannot refuse, no p-value. Of groups those count that have it."""
    users = {f"{arm}{n}": f"u{n}" if n < 3 else f"u{arm}{n}" for arm in "ab" for n in range(12)}
    qrels = {query: {"x": n % 3} for n, query in enumerate(users)}
    runs = [{query: ["x"] for query in users if query[0] == arm} for arm in "ab"]
    frame = listed(users).assign(market=[query[0] if query[1:] < "3" else "both" for query in users])
    given = {"cluster": "user_id", "test": "randomisation", "resamples": 100, **ARMS}
    refused = (
        r"test=randomisation exchanges whole values of user_id between the arms, but 3 of them are in both\."
        r" Take test=t or test=bootstrap, which count each of them once\."
    )
    with pytest.raises(rm.DataError, match=refused):
        quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", query_list=frame, **given)
    for test in ("t", "bootstrap"):
        found = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", query_list=frame, **given | {"test": test})
        assert 0 < found.summary.dicts()[0]["pvalue"] <= 1
    with duckdb.connect() as connection:
        for name, rows in zip("ab", runs, strict=True):
            values = ", ".join(f"('{query}', 'x', 1)" for query in rows)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM (VALUES {values}) AS t(query_id, item_id, score)")
        values = ", ".join(f"('{query}', 'x', {items['x']})" for query, items in qrels.items())
        connection.execute(f"CREATE TABLE judged AS SELECT * FROM (VALUES {values}) AS t(query_id, item_id, relevance)")
        connection.register("listed", frame)
        text = rm.sql("cg@1", {"a": "a", "b": "b"}, "judged", query_list="listed", level="compare", **given)
        row = connection.execute(text).df().to_dict("records")[0]
        assert (row["verdict"], math.isnan(row["pvalue"])) == ("no test", True)
    apart = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", query_list=frame, by="market", **given)
    assert [(row["market"], row["pvalue"] is None) for row in apart.summary.dicts()] == [("both", False)]


def test_one_cluster_says_nothing_of_errors():
    qrels = {"a": {"x": 1}, "b": {"x": 1}}
    given = {"query_list": listed({"a": "me", "b": "me"}), "cluster": "user_id"}
    candidates = {"b": {"a": ["x"], "b": ["x"]}}
    [found] = quietly(rm.compare, {"a": ["x"], "b": ["y", "x"]}, candidates, qrels, "rr", **given).summary.dicts()
    assert (found["effect_size"], found["n_clusters"]) == (0.25, 1)
    assert [found[name] for name in ("standard_error", "pvalue", "significant", "effect_size_ci_lower")] == [None] * 4


def test_a_query_that_two_users_have_is_refused():
    frame = pd.DataFrame({"query_id": ["a", "a"], "item_id": ["x", "y"], "relevance": [1, 0], "user_id": ["me", "you"]})
    with pytest.raises(rm.DataError, match="query 'a' has two values in user_id: 'me' and 'you'"):
        quietly(rm.compare, {"a": ["x"]}, {"b": {"a": ["y"]}}, frame, "rr", cluster="user_id")


@pytest.mark.parametrize("level", ["summary", "per_query", "curve"])
def test_what_has_no_errors_has_no_clusters(level):
    with pytest.raises(rm.UsageError, match="cluster= works only with a comparison"):
        rm.sql("ap", "runs", "judged", level=level, cluster="user_id")


def test_no_part_of_a_difference_and_no_movement_has_clusters_or_a_test():
    lists = {"a": "runs", "b": "others"}
    for given, message in (
        ({"cluster": "user_id"}, "cluster= works only with a comparison"),
        ({"test": "sign"}, "test=sign works only with compare. A summary, a decomposition and movements test nothing"),
    ):
        with pytest.raises(rm.UsageError, match=message):
            rm.sql("ap", lists, "judged", level="decompose", by="market", **given)
        with pytest.raises(rm.UsageError, match=message):
            rm.sql((), lists, "judged", level="movements", **given)


def test_sums_of_users_and_of_nobody_make_the_same_error():
    """A row of NULL stands for as many clusters as it has queries."""
    rng = random.Random(5)
    qrels = judged(rng, 40)
    users = users_of(rng, qrels, 6)
    run = run_of(rng, qrels)
    with duckdb.connect() as connection:
        connection.register("listed", listed(users))
        for name, rows, last in (("run", run, "score"), ("judged", qrels, "relevance")):
            connection.execute(f"CREATE TABLE {name} (query_id TEXT, item_id TEXT, {last} DOUBLE)")
            fill(
                connection,
                name,
                [(query, item, value) for query, items in rows.items() for item, value in items.items()],
            )
        text = rm.sql("ap", "run", "judged", level="sums", query_list="listed", cluster="query_list.user_id")
        rows = connection.execute(text).df().to_dict("records")
    n = sum(row["users"] for row in rows)
    mean = sum(row["main_sum"] for row in rows) / n
    squares, n_clusters = 0, 0
    for row in rows:
        is_nobody = not isinstance(row["user_id"], str)
        of_each = row["main_sum_squares"] - 2 * mean * row["main_sum"] + mean * mean * row["users"]
        squares += of_each if is_nobody else (row["main_sum"] - mean * row["users"]) ** 2
        n_clusters += row["users"] if is_nobody else 1
    values = values_of(run, qrels)["ap"]
    groups = numbered(clusters_of(users).values())
    options = {"groups": groups, "use_correction": False}
    fitted = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds=options)
    assert n_clusters == len(set(groups))
    assert math.sqrt(squares) / n == pytest.approx(fitted.bse[0], rel=1e-9)


def test_stored_values_carry_their_cluster():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE runs AS SELECT 'q' || range AS query_id, 'x' AS item_id, 1 AS score FROM range(9)"
        )
        connection.execute(
            "CREATE TABLE judged AS SELECT 'q' || range AS query_id, 'x' AS item_id, range % 2 AS relevance,"
            " range // 3 AS user_id FROM range(9)"
        )
        given = {"cluster": "qrels.user_id", "interval": "t"}
        whole = connection.execute(rm.sql("rr", "runs", "judged", **given)).fetchall()
        text = rm.sql("rr", "runs", "judged", level="values", cluster="qrels.user_id")
        connection.execute(f"CREATE TABLE stored AS {text}")
        assert connection.execute(rm.sql("rr", "runs", "judged", values="stored", **given)).fetchall() == whole


def test_on_the_command_line(cli, tmp_path):
    rng = random.Random(1)
    qrels = judged(rng, 12)
    lines = [
        f"{query},{item},{grade},u{number % 4}"
        for number, (query, items) in enumerate(qrels.items())
        for item, grade in items.items()
    ]
    (tmp_path / "qrels.csv").write_text("\n".join(["query_id,item_id,relevance,user_id", *lines, ""]))
    for name in ("old", "new"):
        scored = [
            f"{query},{item},{score}" for query, items in run_of(rng, qrels).items() for item, score in items.items()
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["query_id,item_id,score", *scored, ""]))
    asked = [tmp_path / "old.csv", tmp_path / "new.csv", "--qrels", tmp_path / "qrels.csv", "-m", "ap"]
    [row] = csv.DictReader(io.StringIO(cli("compare", *asked, "--cluster", "user_id", "--format", "csv").stdout))
    assert row["n_clusters"] == "4"
    found = cli("evaluate", *asked, "--cluster", "user_id", "--set", "interval=t", "--format", "csv").stdout
    assert found.splitlines()[0].endswith("ci_upper,n_clusters,largest_cluster_share")


def rising(by):
    """Six lists of ten, each with one or two relevant items more in the new run than in the old."""
    others = [f"n{number}" for number in range(10)]
    old = {f"q{number}": [*"ab"[: number % 2], *others][:10] for number in range(6)}
    new = {
        query: [*"abcd"[: items.count("a") + by[number]], *others][:10]
        for number, (query, items) in enumerate(old.items())
    }
    return old, new, {query: dict.fromkeys("abcd", 1) for query in old}


@pytest.mark.parametrize("options", [{}, {"sequential": 100}, {"design": "unpaired"}, {"test": "bootstrap"}])
def test_what_rounding_leaves_of_equal_means_is_no_difference(options):
    """One query is .1 higher, another .1 lower: 0 in all, of which a sum of floats may leave 1e-18."""
    old, _, qrels = rising([0] * 6)
    new = {**old, "q0": old["q1"], "q1": old["q0"]}
    frame = listed({f"q{number}": f"u{number // 2}" for number in range(6)})
    given = {"query_list": frame, "cluster": "user_id", **options}
    [row] = quietly(rm.compare, old, {"new": new}, qrels, "p@10", **given).summary.dicts()
    assert (row["effect_size"], row["pvalue"], row["significant"]) == (0, 1, 0)


@pytest.mark.parametrize("cluster", [{}, {"cluster": "user_id"}])
def test_what_rounding_leaves_of_equal_differences_is_no_spread(cluster):
    """Each query is .1 higher: no spread, and so no number of errors from nothing."""
    old, new, qrels = rising([1] * 6)
    given = {"query_list": listed({f"q{number}": f"u{number // 2}" for number in range(6)}), **cluster}
    [row] = quietly(rm.compare, old, {"new": new}, qrels, "p@10", **given).summary.dicts()
    assert row["effect_size"] == pytest.approx(0.1)
    assert row["standard_error"] == 0
    assert {row[name] for name in ("pvalue", "statistic", "std_effect_size", "effect_size_ci_lower")} == {None}


@pytest.mark.parametrize(
    ("connect", "n_users", "repeats"),
    [
        (duckdb.connect, 100, False),
        (duckdb.connect, 40, True),
        pytest.param(lambda: sqlite3.connect(":memory:"), 100, False, marks=pytest.mark.long),
        (lambda: sqlite3.connect(":memory:"), 40, True),
    ],
)
def test_requests_of_the_same_users_are_told(connect, n_users, repeats):
    place = connect()
    place.execute(
        'CREATE TABLE shown (shop TEXT, visit TEXT, item_id TEXT, position INTEGER, arm TEXT, "customerId" TEXT)'
    )
    rows = [
        ("s", f"r{n}", item, n_item, "AB"[n % n_users % 2], None if n == 7 else f"u{n % n_users}")
        for n in range(100)
        for n_item, item in enumerate("xy", start=1)
    ]
    fill(place, "shown", rows)
    place.execute("CREATE TABLE done (shop TEXT, visit TEXT, item_id TEXT, event_type TEXT)")
    fill(place, "done", [("s", f"r{n}", "y", "click") for n in range(0, 90, 4)])

    def said(user="customerId", **given):
        log = rm.events("shown", "done", request=["shop", "visit"], arm="arm", user=user)
        found = quietly(rm.compare, log, ["rr"], baseline="A", connection=place, **given)
        return [text for text in found.warnings if "have several requests" in text]

    with_several = sum(count > 1 for count in Counter(row[-1] for row in rows[::2] if row[-1]).values())
    expected = f"events: {with_several} of {n_users - (not repeats)} users (customerId) have several requests"
    assert [text.startswith(expected) and "cluster='customerId'" in text for text in said()] == [True] * repeats
    assert not said(cluster="customerId")
    assert not said(check="none")
    assert not said(user=None)
    assert not said(user='"customerId" || arm')  # which has no name to give

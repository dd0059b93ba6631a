"""Means by the weights of queries, and sums of clusters: against the formulas over the values of queries."""

from __future__ import annotations

import math
import random
import warnings
from collections import defaultdict

import duckdb
import pytest

import rankmetrics_sql as rm

from ..conftest import fill, quietly, random_data
from ..everything import mostly_long, seeds

METRICS = ("ndcg@5", "ap(no_relevant=skip)", "rr(no_relevant=null)", "gm_map", "num_rel", "num_q")
WEIGHTS = (0.0, 0.25, 1.0, 3.0, 1e6, None)
SIDES = ("query_list", "qrels", "run")


def tables(seed, side="query_list"):
    """A run, judgments and a list of queries, one of which says the weight, market and user of each query."""
    rng = random.Random(seed)
    run, qrels = random_data(seed)
    known = {query: (rng.choice(WEIGHTS), rng.choice("ab"), rng.choice("uvw")) for query in sorted({**run, **qrels})}
    rows = {
        "run": [(query, item, score) for query in run for item, score in run[query].items()],
        "qrels": [(query, item, grade) for query in qrels for item, grade in qrels[query].items()],
        "query_list": [(query,) for query in known],
    }
    columns = {"run": "query_id, item_id, score", "qrels": "query_id, item_id, relevance", "query_list": "query_id"}
    connection = duckdb.connect()
    for name, found in rows.items():
        own = name == side
        types = {"query_id": "TEXT", "item_id": "TEXT"}
        names = columns[name].split(", ") + ["sessions", "market", "user_id"] * own
        types |= {"score": "DOUBLE", "relevance": "DOUBLE", "sessions": "DOUBLE", "market": "TEXT", "user_id": "TEXT"}
        connection.execute(f"CREATE TABLE {name} ({', '.join(f'{each} {types[each]}' for each in names)})")
        fill(connection, name, [row + (known[row[0]] if own else ()) for row in found])
    listed = {query for (query, *_) in rows[side]}
    return connection, {query: facts if query in listed else (None, None, None) for query, facts in known.items()}


def asked(connection, metrics=METRICS, **given):
    return rm.evaluate("run", "qrels", metrics, connection=connection, query_list="query_list", **given)


def weighted(metric, pairs):
    """The number that weights make of the values of queries, by the formula; counts have none."""
    pairs = [(weight or 0.0, value) for weight, value in pairs if value is not None]
    if metric.startswith("num"):
        return math.fsum(value for _, value in pairs)
    total = math.fsum(weight for weight, _ in pairs)
    if not total:
        return None
    if metric == "gm_map":
        return math.exp(math.fsum(weight * math.log(max(value, 1e-5)) for weight, value in pairs) / total)
    return math.fsum(weight * value for weight, value in pairs) / total


def close(value):
    return None if value is None else pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("seed", seeds(9, 3))
def test_the_mean_is_that_of_the_formula(seed):
    """Whatever relation has the weight; of all queries and of each group, and from values that were stored."""
    rng = random.Random(seed)
    side = SIDES[seed % 3]
    connection, known = tables(seed, side)
    per_query = quietly(asked, connection).per_query.dicts()
    given = {"weight": rng.choice(["sessions", f"{side}.sessions"]), "by": "market", "rollup": True}
    plain = quietly(asked, connection, by="market", rollup=True).summary.dicts()
    for n_parts in (1, 2):
        result = quietly(asked, connection, **given, partitions=n_parts)
        assert result.summary.columns[-4:] == ["value", "n_queries", "n_left_out", "sum_of_weights"]
        for row, unweighted in zip(result.summary.dicts(), plain, strict=True):
            own = [
                found
                for found in per_query
                if row["breakdown"] == "total" or known[found["query_id"]][1] == row["market"]
            ]
            pairs = [(known[found["query_id"]][0], found[row["metric"]]) for found in own]
            assert row["value"] == close(weighted(row["metric"], pairs)), row
            assert row["sum_of_weights"] == close(math.fsum(w or 0 for w, value in pairs if value is not None))
            assert row["n_queries"] == unweighted["n_queries"]


@pytest.mark.parametrize("seed", seeds(3, 1))
def test_equal_weights_change_nothing(seed):
    connection, _ = tables(seed)
    connection.execute("UPDATE query_list SET sessions = 0.3")
    plain, same = quietly(asked, connection), quietly(asked, connection, weight="sessions")
    for row, wanted in zip(same.summary.dicts(), plain.summary.dicts(), strict=True):
        assert row.pop("sum_of_weights") == pytest.approx(0.3 * row["n_queries"], rel=1e-12) or "null" in row["metric"]
        assert row == wanted | {"value": pytest.approx(wanted["value"], rel=1e-12)}


def said(call, *args, **kwargs):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(*args, **kwargs)
    return [str(each.message) for each in found]


@pytest.mark.parametrize("by", [{}, {"by": "market", "rollup": True}])
def test_queries_without_a_weight_are_counted_once(by):
    """Not once for each metric or set of groups; a query that a log of clicks does not know has none either."""
    connection, _ = tables(2)
    connection.execute("UPDATE query_list SET sessions = 1")
    assert not [text for text in said(asked, connection, weight="sessions", **by) if "no weight" in text]
    for number, who in enumerate(["1 query has", "2 queries have"], start=1):
        query = [row["query_id"] for row in quietly(asked, connection).per_query.dicts()][number]
        connection.execute("UPDATE query_list SET sessions = NULL WHERE query_id = ?", [query])
        assert f"{who} no weight, so the means leave them out." in said(asked, connection, weight="sessions", **by)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE {0} SET sessions = -0.5 WHERE query_id = '{1}'", "a weight .* is a number of at least 0: .*-0.5"),
        ("UPDATE {0} SET sessions = 'inf' WHERE query_id = '{1}'", "a weight .* is a number of at least 0: .*inf"),
        ("ALTER TABLE {0} ALTER sessions TYPE BLOB USING NULL", "weight .column 'sessions'. is BLOB, not a number"),
        ("ALTER TABLE {0} ALTER sessions TYPE TEXT USING 'many'", "weight is not a number: .*many"),
    ],
)
@pytest.mark.parametrize("side", mostly_long(SIDES, "query_list"))
def test_what_is_no_weight_is_refused(change, message, side):
    connection, _ = tables(1, side)
    query = connection.execute(f"SELECT MIN(query_id) FROM {side}").fetchone()[0]
    connection.execute(f"UPDATE {side} SET sessions = 1")
    connection.execute(change.format(side, query))
    with pytest.raises(rm.DataError, match=message):
        quietly(asked, connection, weight="sessions")


@pytest.mark.parametrize("side", SIDES)
def test_a_query_has_one_weight(side):
    connection, _ = tables(1, side)
    connection.execute(f"UPDATE {side} SET sessions = 1")
    connection.execute(f"INSERT INTO {side} SELECT * REPLACE (2 AS sessions) FROM {side} LIMIT 1")
    with pytest.raises(rm.DataError, match=r"has two values in sessions: 1\.0 and 2\.0"):
        quietly(asked, connection, weight="sessions")


def test_a_statement_gives_no_mean_by_a_negative_weight():
    connection, _ = tables(1)
    connection.execute("UPDATE query_list SET sessions = 1 - 2 * (ROWID % 2)")
    text = rm.sql(["ap", "num_q"], "run", "qrels", query_list="query_list", weight="query_list.sessions")
    [mean, count] = connection.execute(text).fetchall()
    assert (mean[1], count[1]) == (None, count[2])
    connection.execute("UPDATE query_list SET sessions = 'nan'")
    assert connection.execute(text).fetchall()[0][1] is None  # no weight is known


def test_weights_of_nothing_but_zeros_make_no_mean():
    connection, _ = tables(1)
    connection.execute("UPDATE query_list SET sessions = 0")
    [row] = quietly(asked, connection, ["ap"], weight="sessions").summary.dicts()
    assert (row["value"], row["sum_of_weights"]) == (None, 0)
    assert row["n_queries"] > 0


def test_weights_of_files_and_sources(tmp_path):
    """A weight is a number in a file of texts, and a column of a log."""
    (tmp_path / "listed.csv").write_text("query_id,sessions\nq,3\nr,1\n")
    run, qrels = {"q": {"x": 1}, "r": {"y": 1}}, {"q": {"x": 1}, "r": {"z": 1}}
    found = quietly(rm.evaluate, run, qrels, ["rr"], query_list=tmp_path / "listed.csv", weight="sessions")
    assert found.summary.fetchall() == [("rr", 0.75, 2, 4)]
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE shown AS SELECT * FROM (VALUES ('q', 'x', 1, 9.0), ('r', 'y', 1, 1.0)) AS t(q, i, p, eur)"
    )
    connection.execute("CREATE TABLE done AS SELECT 'q' AS q, 'x' AS i, 'click' AS type")
    log = rm.events("shown", "done", request="q", item="i", position="p", type="type")
    found = quietly(rm.evaluate, log, ["rr"], weight="eur", connection=connection)
    assert found.summary.fetchall() == [("rr", 0.9, 2, 10)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"weight": 3}, "weight is the name of a column, not 3"),
        (
            {"weight": "w", "level": "per_query"},
            "weight= works only with a summary, a curve, a comparison, sums or values",
        ),
        (
            {"weight": "w", "level": "points", "metrics": "pr_curve"},
            "each query has its own points, which cannot be weighted",
        ),
        ({"weight": "w", "metrics": "ap(aggregate=median)"}, "its median cannot weight the queries"),
        ({"weight": "w", "metrics": "ap(aggregate=max)"}, "its max cannot weight the queries"),
        ({"weight": "w", "metrics": "f(f_beta=of_averages)"}, "its parts cannot weight the queries"),
        ({"weight": "w", "by": "sum_of_weights"}, "two columns called 'sum_of_weights'"),
        ({"weight": "w", "by": "denominator_sum", "level": "sums"}, "two columns called 'denominator_sum'"),
        ({"weight": "other.w"}, "weight: 'other.w': only run., qrels., query_list. may stand before a column"),
        ({"cluster": "user"}, "cluster= works only with a comparison"),
        ({"cluster": "user", "by": "user", "level": "sums"}, "by and cluster both name 'user'"),
        ({"columns": {"weight": "w"}}, "columns: unknown column 'weight'"),
    ],
)
def test_what_contradicts_itself_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql(**{"metrics": "ap", "run": "runs", "qrels": "labels"} | given)


def test_a_column_that_is_not_there_is_named():
    connection, _ = tables(1)
    with pytest.raises(rm.DataError, match=r"weight: no column 'session' .* Did you mean 'sessions'"):
        quietly(asked, connection, weight="session")


def sums(connection, metrics, **given):
    text = rm.sql(metrics, "run", "qrels", level="sums", query_list="query_list", connection=connection, **given)
    found = connection.execute(text)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.mark.parametrize("seed", seeds(6))
def test_sums_of_a_weighted_mean_are_those_of_a_ratio(seed):
    connection, known = tables(seed)
    values = {row["query_id"]: row for row in quietly(asked, connection).per_query.dicts()}
    for row in sums(connection, METRICS, weight="sessions"):
        metric = row["metric"]
        pairs = [(known[query][0], found[metric]) for query, found in values.items() if found[metric] is not None]
        weights = [(w, math.log(max(v, 1e-5)) if metric == "gm_map" else v) for w, v in pairs if w is not None]
        main = [value if metric.startswith("num") else w * value for w, value in weights]
        if metric.startswith("num"):
            assert row["main_sum"] == close(math.fsum(value for _, value in pairs))
        else:
            assert row["main_sum"] == close(math.fsum(main))
            assert row["main_sum_squares"] == close(math.fsum(each * each for each in main))
        assert row["users"] == len(pairs)
        assert row["denominator_sum"] == close(math.fsum(w for w, _ in weights))
        assert row["denominator_sum_squares"] == close(math.fsum(w * w for w, _ in weights))
        product = math.fsum(each * w for each, (w, _) in zip(main, weights, strict=True))
        assert row["main_denominator_sum_product"] == close(product)


@pytest.mark.parametrize("seed", seeds(6))
def test_what_knows_of_clusters_follows_from_their_sums(seed):
    """The variance of a mean of clustered queries, CR1: from a row per group and cluster, and from the values."""
    connection, known = tables(seed)
    rows = sums(connection, ["ndcg@5", "rr(no_relevant=null)"], by="market", cluster="user_id")
    assert list(rows[0])[:3] == ["market", "user_id", "metric"]
    assert len({(row["market"], row["user_id"], row["metric"]) for row in rows}) == len(rows)
    values = quietly(asked, connection).per_query.dicts()
    for metric in ("ndcg@5", "rr(no_relevant=null)"):
        pairs = [(known[row["query_id"]][2], row[metric]) for row in values if row[metric] is not None]
        mean = math.fsum(value for _, value in pairs) / len(pairs)
        residuals = defaultdict(float)
        for user, value in pairs:
            residuals[user] += value - mean
        expected = cr1(list(residuals.values()), len(pairs))
        totals = defaultdict(lambda: [0, 0.0])
        for row in rows:
            if row["metric"] == metric and row["users"]:
                totals[row["user_id"]][0] += row["users"]
                totals[row["user_id"]][1] += row["main_sum"]
        n, total = (sum(column) for column in zip(*totals.values(), strict=True))
        found = cr1([main - total / n * users for users, main in totals.values()], n)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-15)


def cr1(residuals, n):
    clusters = len(residuals)
    return clusters / (clusters - 1) * math.fsum(each * each for each in residuals) / n**2

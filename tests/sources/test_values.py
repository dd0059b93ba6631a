"""Numbers per query from elsewhere: each column is a metric, compared, grouped and weighted as others are."""

from __future__ import annotations

import random

import numpy as np
import pandas
import pytest
from scipy import stats

import rankmetrics_sql as rm

from ..conftest import quietly

NAMES = ["csat", "latency"]


def frame(seed=1, n=240):
    """A chat in each row: some without a rating, refunds below 0, two markets, users with several chats."""
    rng = random.Random(seed)
    rows = [
        {
            "chat": f"c{number}",
            "arm": rng.choice(["old", "new"]),
            "market": rng.choice(["de", "fr", None]),
            "user_id": f"u{rng.randrange(60)}",
            "before": rng.gauss(3, 1),
            "weight": rng.choice([1, 2, 5]),
            "csat": rng.choice([None, rng.gauss(0, 2), rng.gauss(1, 2)]),
            "latency": rng.expovariate(0.01),
        }
        for number in range(n)
    ]
    return pandas.DataFrame(rows)


def source(table, **more):
    return rm.values(table, "chat", NAMES, arm="arm", better={"latency": "lower"}, **more)


@pytest.mark.parametrize("seed", range(3))
def test_means_are_those_of_pandas(seed):
    table = frame(seed)
    result = quietly(rm.evaluate, source(table), by="market", interval="t")
    for row in result.summary.dicts():
        market = table.market.isna() if row["market"] is None else table.market == row["market"]
        numbers = table[(table.arm == row["run_id"]) & market][row["metric"]]
        assert row["value"] == pytest.approx(numbers.mean(), rel=1e-12)
        assert (row["n_queries"], row["n_left_out"]) == (numbers.count(), numbers.isna().sum())
        assert row["standard_error"] == pytest.approx(numbers.sem(), rel=1e-9)
    assert result.better == {"csat": "higher", "latency": "lower"}
    of_queries = {(row["run_id"], row["chat"]): row for row in result.per_query.dicts()}
    for row in table.to_dict("records"):
        found = of_queries[(row["arm"], row["chat"])]
        assert [found[name] for name in NAMES] == [None if np.isnan(row[name]) else row[name] for name in NAMES]


def test_weights():
    table = frame()
    result = quietly(rm.evaluate, rm.values(table, "chat", "csat"), weight="weight")
    known = table.dropna(subset="csat")
    assert result["csat"] == pytest.approx(np.average(known.csat, weights=known.weight), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_arms_are_compared_by_welch(seed):
    table = frame(seed)
    found = quietly(rm.compare, source(table), baseline="old", correction="none")
    for row in found.summary.dicts():
        arms = [table[table.arm == arm][row["metric"]].dropna() for arm in ("new", "old")]
        expected = stats.ttest_ind(*arms, equal_var=False)
        assert row["effect_size"] == pytest.approx(arms[0].mean() - arms[1].mean(), rel=1e-9)
        assert row["pvalue"] == pytest.approx(expected.pvalue, rel=1e-9)
    [latency] = quietly(rm.compare, source(table), ["latency"], baseline="old").summary.dicts()
    worse = latency["effect_size"] > 0
    assert latency["verdict"] in ("inconclusive", "worse" if worse else "better")


@pytest.mark.parametrize(
    "more", [{"cluster": "user_id"}, {"covariate": "before"}, {"strata": "market"}, {"cap": {"latency": 90}}]
)
def test_choices_of_comparisons(more):
    """As of the grades of one item in each list, which is what people wrote before."""
    table = frame(5)
    found = quietly(rm.compare, source(table), ["latency"], baseline="old", **more).summary.dicts()
    columns = {"query_id": "chat", "run_id": "arm", "item_id": "item", "relevance": "latency", "position": "place"}
    one = rm.labelled(table.assign(item="latency", place=1), columns=columns)
    more = {name: {"cg": 90} if name == "cap" else value for name, value in more.items()}
    [expected] = quietly(rm.compare, one, ["cg"], baseline="old", design="unpaired", **more).summary.dicts()
    for name in ("effect_size", "standard_error", "pvalue", "n_queries"):
        assert found[0][name] == pytest.approx(expected[name], rel=1e-9), name


@pytest.mark.long
def test_files_have_texts(tmp_path):
    table = frame()
    table.to_csv(tmp_path / "chats.csv", index=False)
    found = quietly(rm.evaluate, source(tmp_path / "chats.csv"))
    expected = quietly(rm.evaluate, source(table))
    for one, other in zip(found.summary.dicts(), expected.summary.dicts(), strict=True):
        assert one["value"] == pytest.approx(other["value"], rel=1e-12)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda t: rm.values(t, "chat"), "no column is named"),
        (lambda t: rm.values(t, "chat", ["csat", "CSAT"]), "named twice"),
        (lambda t: rm.values(t, "chat", ["csat"], better={"csta": "lower"}), "Did you mean 'csat'?"),
        (lambda t: rm.values(t, "chat", ["csat"], better={"csat": "up"}), "csat is higher or lower, not 'up'"),
        (lambda t: rm.evaluate(rm.values(t, "chat", ["csta"])), "no column 'csta'. Did you mean 'csat'?"),
        (lambda t: rm.evaluate(rm.values(t, "chatt", ["csat"])), "no column 'chatt'. Did you mean 'chat'?"),
        (lambda t: rm.evaluate(rm.values(t, "chat", ["csat"], arm="amr")), "no column 'amr'. Did you mean 'arm'?"),
        (lambda t: rm.evaluate(rm.values(t, "chat", ["market"])), "'market' is VARCHAR; expected numbers"),
        (lambda t: rm.evaluate(rm.values(t, "chat", ["csat"]), "latency"), "not one of values=. Valid: csat."),
        (lambda t: rm.evaluate(rm.values(t, "user_id", ["csat"])), "queries have several rows; expected one"),
        (lambda t: rm.compare(rm.values(t, "chat", ["csat"])), "needs arms. Name their column with"),
        (lambda t: rm.compare(source(t)), "the baseline is missing"),
        (lambda t: rm.curve(source(t), "p"), "it has no lists"),
    ],
)
def test_bad_input(ask, said):
    with pytest.raises(rm.RankmetricsError) as found:
        quietly(ask, frame())
    assert said in str(found.value)


def test_columns_have_to_be_named():
    with pytest.raises(rm.UsageError, match=r"such as values=\['csat'\]\.$"):
        rm.values(frame(), "chat")
    assert quietly(rm.evaluate, rm.values(frame(), "chat", values=["csat"]))["csat"] == pytest.approx(
        frame().csat.mean()
    )


@pytest.mark.long
def test_a_report(tmp_path):
    quietly(rm.compare, source(frame()), baseline="old").report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "latency" in text
    assert "rankmetrics_item" not in text.partition('id="sql"')[0]
    assert "Grade of the item" not in text  # which is how the numbers are read, not what they are
    quietly(rm.evaluate, rm.values(frame(), "chat", ["csat"])).report(tmp_path / "one.html")
    assert "Lists of the worst queries" not in (tmp_path / "one.html").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("name", ["clickhouse", "mariadb", "postgres-15", "spark", "sqlite", "trino"])
def test_in_every_engine(start_engine, name):
    engine, table = start_engine(name), frame(7, 80)
    kinds = {"chat": "text", "arm": "text", "market": "text", "csat": "double", "latency": "double"}
    known = table[[*kinds]].astype(object).where(table[[*kinds]].notna(), None)
    rows = [tuple(row) for row in known.to_numpy()]
    engine.load("chats", kinds, rows)
    found = quietly(rm.compare, source("chats"), baseline="old", by="market", connection=engine.connection).summary
    expected = quietly(rm.compare, source(table), baseline="old", by="market").summary
    for one, other in zip(found.dicts(), expected.dicts(), strict=True):
        assert (one["market"], one["metric"]) == (other["market"], other["metric"])
        assert one["effect_size"] == pytest.approx(other["effect_size"], rel=1e-9)
        assert one["pvalue"] == pytest.approx(other["pvalue"], rel=1e-9)

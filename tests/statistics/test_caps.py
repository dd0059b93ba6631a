"""Capped values in comparisons: beside a numpy twin, by amount and by share, on every road."""

from __future__ import annotations

import json
import math
import re

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import mostly_long, seeds

METRICS = ["cg@1", "num_rel_ret", "rr"]


class Shop:
    """Revenue of queries in two runs, or two arms, by market, user and weight."""

    def __init__(self, seed, paired):
        self.rng = rng = np.random.default_rng(seed)
        self.n = n = int(rng.choice([7, 12, 40]))
        self.values = [np.round(rng.lognormal(0, 1.5, n) * (rng.random(n) < 0.7), 1) for _ in "ab"]
        self.names = [[f"{'q' if paired else arm}{number}" for number in range(n)] for arm in "ab"]
        frames = [
            pd.DataFrame({"query_id": own, "item_id": item, "score": 1.0})
            for own, item in zip(self.names, "xy", strict=True)
        ]
        self.runs = frames
        both = [run.assign(relevance=own) for run, own in zip(frames, self.values, strict=True)]
        self.qrels = pd.concat(both)[["query_id", "item_id", "relevance"]]
        ids = list(dict.fromkeys(self.names[0] + self.names[1]))
        self.queries = pd.DataFrame(
            {
                "query_id": ids,
                "user": rng.choice(list("stuvwxyz"), len(ids)),
                "market": rng.choice(list("de"), len(ids)),
            }
        )
        self.design = {} if paired else {"design": "unpaired"}

    def compared(self, cap, metrics=METRICS, **given):
        given = {"query_list": self.queries, "correction": "none", "queries": "judged_retrieved"} | self.design | given
        return quietly(rm.compare, self.runs[0], {"b": self.runs[1]}, self.qrels, metrics, cap=cap, **given)


def cap_of(values, share):
    """The smallest value with that share of the positive ones at or below it."""
    positive = np.sort(np.concatenate(values))
    positive = positive[positive > 0]
    return next(one for one in positive if np.mean(positive <= one) >= share - 1e-12)


@pytest.mark.parametrize("cap", [1.5, "50%", "97.5%"])
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("seed", seeds(20, 1))
def test_beside_numpy(seed, paired, cap):
    data = Shop(seed, paired)
    amount = cap if cap == 1.5 else cap_of(data.values, float(cap[:-1]) / 100)
    old, new = (np.minimum(values, amount) for values in data.values)
    found = data.compared({"CG@1": cap})
    capped, count, rank = found.summary.dicts()
    assert capped["cap"] == pytest.approx(amount, rel=1e-12)
    assert (count["cap"], rank["cap"]) == (None, None)
    assert (capped["baseline"], capped["candidate"]) == pytest.approx((old.mean(), new.mean()), rel=1e-12)
    if paired:
        assert [row["n_higher"] for row in (capped,)] == [int((new > old).sum())]
        error = (new - old).std(ddof=1) / math.sqrt(data.n)
        values = {(row["query_id"], row["metric"]): row["candidate"] for row in found.per_query.dicts()}
        assert [values[name, "cg@1"] for name in data.names[1]] == pytest.approx(list(new))
    else:
        error = math.hypot(*(own.std(ddof=1) / math.sqrt(data.n) for own in (old, new)))
        pvalue = stats.ttest_ind(new, old, equal_var=False).pvalue
        assert capped["pvalue"] == pytest.approx(pvalue, rel=1e-8) or math.isnan(pvalue)
    assert capped["standard_error"] == pytest.approx(error, rel=1e-9, abs=1e-14)
    plain = data.compared({"cg@1": 1e9}).summary.dicts()
    assert [count["effect_size"], rank["effect_size"]] == [row["effect_size"] for row in plain[1:]]


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("seed", seeds(8, 1))
def test_groups_share_a_cap_and_clusters_add_up_capped_values(seed, paired):
    data = Shop(seed, paired)
    amount = cap_of(data.values, 0.8)
    data.qrels["relevance"] = np.minimum(data.qrels["relevance"], amount)
    wanted = data.compared(None, by="market", cluster="user").summary.dicts()
    data = Shop(seed, paired)
    found = data.compared({"cg@1": "80%"}, by="market", cluster="user").summary.dicts()
    for row, other in zip(found, wanted, strict=True):
        for name in ("baseline", "candidate", "standard_error", "pvalue", "rel_effect_size_ci_upper"):
            if row["metric"] == "cg@1" and other[name] is not None:
                assert row[name] == pytest.approx(other[name], rel=1e-8, abs=1e-13)
        assert row["cap"] == (pytest.approx(amount) if row["metric"] == "cg@1" else None)


@pytest.mark.parametrize("cap", [9.0, "60%"])
@pytest.mark.parametrize("seed", seeds(8, 2))
def test_the_numerator_of_a_ratio(seed, cap):
    """arp adds up position times grade of each list, and divides by the grades of all lists together."""
    rng = np.random.default_rng(seed)
    qrels = {f"q{n}": {item: int(rng.integers(0, 4)) for item in "abcdef"} for n in range(15)}
    runs = [{query: [str(item) for item in rng.permutation(list("abcdef"))] for query in qrels} for _ in range(2)]
    sums = [
        np.array([sum(r * qrels[q][item] for r, item in enumerate(lists[q], start=1)) for q in qrels]) for lists in runs
    ]
    grades = sum(sum(own.values()) for own in qrels.values())
    amount = cap if cap == 9 else cap_of(sums, 0.6)
    [row] = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "arp", cap={"arp": cap}).summary.dicts()
    wanted = [np.minimum(own, amount).sum() / grades for own in sums]
    assert (row["cap"], row["baseline"], row["candidate"]) == pytest.approx((amount, *wanted), rel=1e-11)


@pytest.mark.parametrize("form", mostly_long(["table", "markdown"], "table"))
def test_every_road(cli, tmp_path, form):
    data = Shop(5, paired=True)
    names = [tmp_path / f"{name}.csv" for name in ("old", "new", "qrels")]
    for name, frame in zip(names, [*data.runs, data.qrels], strict=True):
        frame.to_csv(name, index=False)
    wanted = data.compared({"cg@1": "90%"}, ["cg@1"], query_list=None).summary.dicts()[0]
    runs = ["compare", names[0], names[1], "--qrels", names[2], "-m", "cg@1", "--cap", "cg@1=90%"]
    [row] = json.loads(cli(*runs, "--format", "json").stdout)
    assert (row["cap"], row["effect_size"]) == pytest.approx((wanted["cap"], wanted["effect_size"]))
    said = " ".join(cli(*runs, "--format", form).stdout.split())
    assert f"cg@1 capped at {wanted['cap']:.6g}" in said
    connection = duckdb.connect()
    for table, frame in zip(("old", "new", "judged"), [*data.runs, data.qrels], strict=True):
        connection.register("frame", frame)
        connection.execute(f"CREATE TABLE {table} AS SELECT * FROM frame")
    asked = {"level": "compare", "cap": {"cg@1": "90%"}}
    text = rm.sql("cg@1", {"a": "old", "b": "new"}, "judged", **asked)
    [found] = connection.execute(text).df().to_dict("records")
    assert (found["cap"], found["effect_size"]) == pytest.approx((wanted["cap"], wanted["effect_size"]))
    printed = cli(
        "sql",
        "--run",
        "a=old",
        "--run",
        "b=new",
        "--qrels",
        "judged",
        "-m",
        "cg@1",
        "--level",
        "compare",
        "--cap",
        "cg@1=90%",
    )
    assert "-- cap cg@1=90" in printed.stdout
    assert "rankmetrics_uncapped" in printed.stdout


def test_the_macro_of_dbt():
    """It writes what rm.sql writes, takes numbers as texts, and refuses what Python does."""
    compare = macros()["compare"]
    sides = {"candidate": "new", "baseline": "old", "metrics": ["cg@1", "rr"], "qrels": "judged"}
    for cap in ({"cg@1": 40}, {"cg@1": "99%"}):
        written = compare(**sides, cap=cap)
        [stage] = re.findall(r"rankmetrics_values AS \((.*?)\n\),", written, re.S)
        text = rm.sql(sides["metrics"], {"old": "old", "new": "new"}, "judged", level="compare", cap=cap)
        [ours] = re.findall(r"rankmetrics_values AS \((.*?)\n\),", text, re.S)
        assert " ".join(stage.split()).lower() == " ".join(ours.split()).lower()
    assert compare(**sides, cap={"cg@1": "40"}) == compare(**sides, cap={"cg@1": 40})
    for cap in ({"rr": 0.5}, {"cg@2": 4}, {"cg@1": 0}, {"cg@1": "100%"}, {"cg@1": "many"}, {}, 40):
        with pytest.raises(rm.UsageError, match="cap: "):
            compare(**sides, cap=cap)


def test_a_cap_and_bounds_in_dbt():
    compare = macros()["compare"]
    sides = {"candidate": "new", "baseline": "old", "metrics": ["cg@1"], "qrels": "judged", "cap": {"cg@1": 4}}
    with pytest.raises(rm.UsageError, match="which a cap does not have") as error:
        compare(**sides, options={"unjudged": "bounds"})
    [taken] = re.findall(r"Take unjudged=(\w+)", str(error.value))
    assert "rankmetrics_uncapped" in compare(**sides, options={"unjudged": taken})


@pytest.mark.parametrize(
    ("cap", "message"),
    [
        ({"rr": 0.5}, "cap: rr is at most 1, so a cap has no use"),
        ({"cg@2": 4}, "cap: 'cg@2' is not one of the metrics"),
        ({"cg@1": 0}, "cap: 0 of cg@1 is no amount above 0, and no share"),
        ({"cg@1": "100%"}, "is no amount above 0"),
        ({"cg@1": "many"}, "is no amount above 0"),
        ({"cg@1": True}, "is no amount above 0"),
        ({"cg@1": math.nan}, "nan of cg@1 is no amount above 0"),
        ({"cg@1": math.inf}, "is no amount above 0"),
        ({"cg@1": "0%"}, "is no amount above 0"),
        ({}, "names no metric"),
        (40, "names no metric"),
    ],
)
def test_what_is_no_cap_is_refused(cap, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql(["cg@1", "rr"], {"a": "old", "b": "new"}, "judged", level="compare", cap=cap)
    with pytest.raises(rm.UsageError, match="cap= works only with level=compare or compare_per_query"):
        rm.sql("cg@1", "old", "judged", cap={"cg@1": 40})


def test_the_report_says_that_values_are_not_capped(tmp_path):
    data = Shop(3, paired=True)
    for cap, title in (({"cg@1": 1}, "Values, not capped"), (None, "Values")):
        data.compared(cap, ["cg@1"]).report(tmp_path / "page.html")
        text = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert f">{title}<" in text
        assert (">Values, not capped<" in text) == (cap is not None)

"""How the order of systems moves: each scenario is an evaluation with its option, each tau is SciPy's."""

from __future__ import annotations

import json
from itertools import combinations
from math import log2

import pytest

import rankmetrics_sql as rm

from ..conftest import DEMO, quietly, random_data
from ..everything import one_in

SCENARIOS = {
    "asked": {},
    "low": {"unjudged": "nonrelevant"},
    "high": {"unjudged": "relevant"},
    "worst": {"ties": "worst"},
    "expected": {"ties": "expected"},
    "best": {"ties": "best"},
}

# In q a and b tie, b being relevant; x, y and z are not judged.
RUNS = {
    "old": {"q": {"a": 2.0, "b": 2.0, "x": 1.0}, "r": {"c": 3.0, "d": 2.0}},
    "new": {"q": {"x": 3.0, "y": 2.0, "b": 1.0}, "r": {"d": 3.0, "z": 2.0}},
}
QRELS = {"q": {"a": 0, "b": 1}, "r": {"c": 1, "d": 0}}


def moved(*arguments, **keywords):
    return quietly(rm.sensitivity, *arguments, **keywords)


def of(table, **wanted):
    [row] = [row for row in table if wanted.items() <= row.items()]
    return row


def test_by_hand():
    found = moved(RUNS, QRELS, ["p@1", "p@3"])
    # b before a by their ids, descending; x, the one that is not judged, is third
    old, new = (of(found.values, metric="p@1", run_id=name) for name in ("old", "new"))
    assert [old[name] for name in SCENARIOS] == [1, 1, 1, 0.5, 0.75, 1]
    assert [new[name] for name in SCENARIOS] == [0, 0, 0.5, 0, 0, 0]
    assert {old[f"{name}_rank"] for name in SCENARIOS} == {1}
    assert {new[f"{name}_rank"] for name in SCENARIOS} == {2}
    assert of(found.values, metric="p@3", run_id="old")["asked"] == pytest.approx((1 / 3 + 1 / 3) / 2, abs=1e-12)
    assert of(found.values, metric="p@3", run_id="old")["high"] == pytest.approx((2 / 3 + 1 / 3) / 2, abs=1e-12)
    assert of(found.values, metric="p@3", run_id="new")["high"] == pytest.approx((1 + 1 / 3) / 2, abs=1e-12)
    assert found.agreement == [
        {"metric": "p@1", "low": 1.0, "high": 1.0, "worst": 1.0, "expected": 1.0, "best": 1.0, "n_runs": 2},
        {"metric": "p@3", "low": 1.0, "high": -1.0, "worst": 1.0, "expected": 1.0, "best": 1.0, "n_runs": 2},
    ]
    # at 1, old has 1 at the least and new 0.5 at most; at 3, old 1/3 and new 2/3
    assert found.certain == [
        {"metric": "p@1", "above": "old", "below": "new", "despite_unjudged": True, "despite_ties": True},
        {"metric": "p@3", "above": "old", "below": "new", "despite_unjudged": False, "despite_ties": True},
    ]


def test_an_equal_value_is_not_above():
    runs = {"one": {"q": {"a": 2.0, "b": 2.0}}, "two": {"q": {"a": 2.0, "b": 1.0}}}
    found = moved(runs, {"q": {"a": 0, "b": 1}}, "p@1")
    [pair] = found.certain
    assert (pair["above"], pair["despite_unjudged"], pair["despite_ties"]) == ("one", True, False)
    assert of(found.values, run_id="one")["worst_rank"] == of(found.values, run_id="two")["worst_rank"] == 1
    assert found.agreement[0]["worst"] is None  # all at one place


@pytest.fixture(scope="module")
def systems():
    """Four systems over the judgments of one of them."""
    pairs = [random_data(seed) for seed in (3, 4, 5, 6)]
    qrels = pairs[0][1]
    best = {query: {item: float(grade) for item, grade in judged.items()} for query, judged in qrels.items()}
    return {f"s{number}": run for number, (run, _) in enumerate(pairs)} | {"ideal": best}, qrels


METRICS = ["ndcg@5", "rr", "p(rel=2)@3", "rbp_resid(p=0.8)", "fallout@5", "ndcg(ties=item_asc)@3"]


@pytest.mark.parametrize(
    "options", one_in(3, [{"unjudged": "drop", "negative_grades": "unjudged"}, {}, {"ties": "item_asc"}])
)
def test_each_scenario_is_an_evaluation(systems, options):
    runs, qrels = systems
    found = moved(runs, qrels, METRICS[:4], **options)
    for name, assumed in SCENARIOS.items():
        given = options | assumed
        for metric in METRICS[:4]:
            own = {row["run_id"]: row[name] for row in found.values if row["metric"] == metric}
            if metric.startswith("rbp_resid") and name in ("low", "high", "expected"):
                assert set(own.values()) == {None}
                continue
            rows = quietly(rm.evaluate, runs, qrels, [metric], **given).summary.dicts()
            assert own == pytest.approx({row["run_id"]: row["value"] for row in rows}, abs=1e-12), (metric, name)


def test_a_choice_of_the_metric_itself_gives_way_to_the_scenario(systems):
    runs, qrels = systems
    found = moved(runs, qrels, ["ndcg(ties=item_asc)@3"])
    wanted = quietly(rm.evaluate, runs, qrels, ["ndcg@3"], ties="worst").summary.dicts()
    assert [row["worst"] for row in found.values] == pytest.approx([row["value"] for row in wanted], abs=1e-12)


def test_ranks_pairs_and_taus_follow_from_the_values(systems):
    stats = pytest.importorskip("scipy.stats", reason="pip install scipy")
    runs, qrels = systems
    found = moved(runs, qrels, METRICS)
    for metric in METRICS:
        table = [row for row in found.values if row["metric"] == metric]
        sign = -1 if rm.metrics()[metric.split("(")[0].split("@")[0]]["better"] == "lower" else 1
        for name in SCENARIOS:
            values = [row[name] for row in table]
            if None in values:
                assert of(found.agreement, metric=metric)[name] is None
                continue
            ranks = stats.rankdata([-sign * round(value, 9) for value in values], method="min")
            assert [row[f"{name}_rank"] for row in table] == [*ranks]
            if name != "asked":
                tau = stats.kendalltau([row["asked"] for row in table], values).statistic
                assert of(found.agreement, metric=metric)[name] == pytest.approx(tau, abs=1e-12)
        for one, other in combinations(table, 2):
            if one["asked_rank"] == other["asked_rank"]:  # neither is above the other
                both = {one["run_id"], other["run_id"]}
                own = [row for row in found.certain if row["metric"] == metric]
                assert not [row for row in own if {row["above"], row["below"]} == both]
                continue
            above, below = (one, other) if one["asked_rank"] <= other["asked_rank"] else (other, one)
            pair = of(found.certain, metric=metric, above=above["run_id"], below=below["run_id"])
            for column, ends in {"despite_unjudged": ("low", "high"), "despite_ties": ("worst", "best")}.items():
                if above[ends[0]] is None:
                    assert pair[column] is None
                else:
                    least, greatest = (sorted(sign * row[end] for end in ends) for row in (above, below))
                    assert pair[column] == (least[0] > greatest[1])
    assert {row["despite_unjudged"] for row in found.certain} == {True, False, None}


def test_equal_values_of_other_sums_have_the_same_rank():
    """The same grades in the order of other queries: their sum differs in the last digit."""
    grades = [0.1, 0.2, 0.3, 0.7, 0.6]
    runs = {name: {f"q{n}": {"a": 1.0} for n in range(5)} for name in ("one", "two")}
    qrels = {f"q{n}": {"a": grade} for n, grade in enumerate(grades)}
    found = moved(runs, qrels, "dcg@1", rel=0.1)
    assert [row["asked_rank"] for row in found.values] == [1, 1]


def test_what_has_no_form_is_left_out_and_said():
    found = quietly(rm.sensitivity, RUNS, QRELS, ["bpref", "rr"])
    assert any("bpref: no value for low, high, expected. bpref describes" in text for text in found.warnings)
    [note] = [text for text in found.warnings if text.startswith("bpref")]
    assert "have no meaning" in note
    row = of(found.values, metric="bpref", run_id="old")
    assert [row[name] for name in ("low", "low_rank", "high", "expected", "expected_rank")] == [None] * 5
    assert row["worst"] is not None
    assert of(found.agreement, metric="bpref")["expected"] is None
    assert of(found.certain, metric="bpref")["despite_unjudged"] is None
    assert of(found.values, metric="rr", run_id="old")["expected"] == pytest.approx((0.75 + 1) / 2, abs=1e-12)


def test_what_the_inputs_refuse_is_left_out_too():
    """Positions that are given have no ties."""
    lists = {"old": {"q": {"a": 1, "b": 2}}, "new": {"q": {"b": 1, "x": 3}}}
    rows = {name: [(q, i, p) for q, items in run.items() for i, p in items.items()] for name, run in lists.items()}
    tables = {
        name: "SELECT * FROM (VALUES " + ", ".join(map(str, run)) + ") AS t(query_id, item_id, position)"
        for name, run in rows.items()
    }
    found = moved(tables, "SELECT 'q' AS query_id, 'b' AS item_id, 1 AS relevance", ["rr"], position="given")
    [note] = [text for text in found.warnings if text.startswith("rr: no value")]
    assert note.startswith("rr: no value for worst, expected, best. position=given has no ties")
    assert [row["asked"] for row in found.values] == [0.5, 1.0]
    assert [row["high"] for row in found.values] == [1.0, 1.0]


def test_bounds_are_there_anyway():
    one, other = (moved(RUNS, QRELS, ["p@1"], **options) for options in ({}, {"unjudged": "bounds"}))
    assert (one.values, one.agreement, one.certain) == (other.values, other.agreement, other.certain)


def test_one_run_has_no_order():
    found = moved(RUNS["old"], QRELS, "ndcg@2")
    assert len(found.values) == 1
    assert found.values[0]["asked"] == pytest.approx(1, abs=1e-12)
    assert found.values[0]["worst"] == pytest.approx((1 / log2(3) + 1) / 2, abs=1e-12)
    assert found.agreement == [
        {"metric": "ndcg@2", **dict.fromkeys(("low", "high", "worst", "expected", "best")), "n_runs": 1}
    ]
    assert found.certain == []


def test_systems_of_one_table():
    rows = [(run, q, i, s) for run, lists in RUNS.items() for q, items in lists.items() for i, s in items.items()]
    values = ", ".join(str((*row, QRELS[row[1]].get(row[2]))).replace("None", "NULL") for row in rows)
    table = f"SELECT * FROM (VALUES {values}) AS t(run_id, query_id, item_id, score, relevance)"
    found = moved(rm.labelled(table, columns={"run_id": "run_id"}), ["p@1"])
    assert {row["run_id"]: row["high"] for row in found.values} == {"old": 1.0, "new": 0.5}
    database = rm.connect()
    assert (
        quietly(database.sensitivity, rm.labelled(table, columns={"run_id": "run_id"}), ["p@1"]).values == found.values
    )


def test_what_it_says_of_itself():
    found = moved(RUNS, QRELS, ["p@1"])
    assert repr(found).split()[:5] == ["metric", "run_id", "asked", "asked_rank", "low"]
    assert repr(found).splitlines()[2].split()[:6] == ["p@1", "old", "1.0000", "1", "1.0000", "1"]
    assert ["p@1", "old", "new", "True", "True"] in [line.split() for line in repr(found).splitlines()]
    assert "p_at_1_high" in found.sql


@pytest.mark.parametrize(
    ("metrics", "keywords", "message"),
    [
        ([], {}, "No metric given"),
        (["pr_curve"], {}, "is a curve, not a number"),
        (["p@1"], {"tie": "best"}, "Unknown option 'tie'"),
    ],
)
def test_bad_requests(metrics, keywords, message):
    with pytest.raises(rm.UsageError, match=message):
        moved(RUNS, QRELS, metrics, **keywords)


def test_without_scipy(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.stats", None)
    with pytest.raises(rm.UsageError, match=r"sensitivity needs SciPy: pip install '\.\[stats\]'"):
        rm.sensitivity(RUNS, QRELS, ["p@1"])


DEMO_RUNS = [DEMO / "covidex.t5.run.gz", DEMO / "covidex.sim.run.gz"]


def test_on_the_command_line(cli, tmp_path):
    arguments = ["sensitivity", *DEMO_RUNS, "--qrels", DEMO / "qrels.txt", "-m", "P@5"]
    shown = cli(*arguments)
    assert shown.exit_code == 0, shown.stderr
    values, agreement, certain = shown.stdout.split("\n\n")
    assert values.split()[:8] == ["metric", "run_id", "asked", "low", "high", "worst", "expected", "best"]
    assert agreement.split()[:3] == ["metric", "low", "high"]
    assert certain.split()[:3] == ["metric", "above", "below"]
    found = json.loads(cli(*arguments, "--format", "json").stdout)
    expected = moved(DEMO_RUNS, DEMO / "qrels.txt", ["P@5"])
    assert found == {
        "values": expected.values,
        "agreement": expected.agreement,
        "certain": expected.certain,
    }
    assert f"{found['values'][0]['asked']:.4f} ({found['values'][0]['asked_rank']})" in values
    lines = [json.loads(line) for line in cli(*arguments, "--format", "jsonl").stdout.splitlines()]
    assert [line["table"] for line in lines] == ["values", "values", "agreement", "certain"]
    assert cli(*arguments, "--output", tmp_path / "o.csv").stdout == ""
    assert (tmp_path / "o.csv").read_text().startswith("metric,run_id,asked,asked_rank,low,")
    assert len((tmp_path / "o.csv").read_text().splitlines()) == 3
    assert "SELECT" in cli(*arguments, "--verbose").stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "P@5"], "RUN is missing. Try: rankmetrics sensitivity"),
        ([DEMO_RUNS[0], "-m", "P@5"], "--qrels is missing"),
        ([DEMO_RUNS[0], "--qrels", DEMO / "qrels.txt"], "Missing option '-m'"),
        ([*DEMO_RUNS, "--qrels", DEMO / "qrels.txt", "-m", "P@5", "--format", "trec"], "--format trec cannot hold"),
    ],
)
def test_commands_that_cannot_be_meant(cli, arguments, said):
    found = cli("sensitivity", *arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert said in found.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", ["clickhouse", "mariadb", "postgres-15", "spark", "sqlite", "trino"])
def test_in_every_engine(start_engine, name, systems):
    engine = start_engine(name)
    runs, qrels = systems
    ids = {"query_id": "text", "item_id": "text"}
    for table, run in runs.items():
        rows = [(q, i, s) for q, items in run.items() for i, s in items.items()]
        engine.load(table, ids | {"score": "double"}, rows)
    engine.load("labels", ids | {"relevance": "bigint"}, [(q, i, g) for q, it in qrels.items() for i, g in it.items()])
    found = moved({name: name for name in runs}, "labels", METRICS[:2], connection=engine.connection)
    wanted = moved(runs, qrels, METRICS[:2])
    for one, other in zip(found.values, wanted.values, strict=True):
        assert one == pytest.approx(other, abs=1e-12)
    assert (found.agreement, found.certain) == (wanted.agreement, wanted.certain)

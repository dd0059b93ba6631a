"""How two sets of judgments agree: kappa by its definition over pairs of raters' labels, and scikit-learn's."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import product

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from dev import tools

from ..conftest import DEMO, quietly
from ..everything import seeds

SOME = {"q": {"b": 1, "c": 2, "d": 1}, "r": {"a": 1}}
OTHERS = {"q": {"b": 1, "c": 1, "e": 1}, "r": {"a": 0}}


def judged(seed, n_queries=4):
    """Two judges, the second of whom mostly follows the first; some items have a grade from one of them only."""
    rng = random.Random(seed)
    one, other = {}, {}
    for query, item in product((f"q{n}" for n in range(n_queries)), "abcdefgh"):
        grade = rng.choice([-1, 0, 0, 1, 2, 3])
        if rng.random() < 0.8:
            one.setdefault(query, {})[item] = grade
        if rng.random() < 0.8:
            other.setdefault(query, {})[item] = grade if rng.random() < 0.6 else rng.choice([-1, 0, 1, 2, 3])
    return one, other


def shared(one, other):
    return [(grade, other[q][i]) for q, items in one.items() for i, grade in items.items() if i in other.get(q, {})]


def by_definition(pairs, weight):
    """1 - the disagreement there is / that of each item's first grade with every item's second one."""
    there = sum(weight(a, b) for a, b in pairs) / len(pairs)
    by_chance = sum(weight(a, b) for (a, _), (_, b) in product(pairs, pairs)) / len(pairs) ** 2
    return None if by_chance == 0 else 1 - there / by_chance


def differs(a, b):
    return float(a != b)


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("seed", seeds(4))
def test_by_definition(seed, rel):
    one, other = judged(seed)
    pairs = shared(one, other)
    found = rm.agreement(one, other, rel=rel)
    assert found.judgments == pytest.approx(
        {
            "n_both": len(pairs),
            "n_only_a": sum(map(len, one.values())) - len(pairs),
            "n_only_b": sum(map(len, other.values())) - len(pairs),
            "observed": sum(a == b for a, b in pairs) / len(pairs),
            "kappa": by_definition(pairs, differs),
            "binary_observed": sum((a >= rel) == (b >= rel) for a, b in pairs) / len(pairs),
            "binary_kappa": by_definition([(a >= rel, b >= rel) for a, b in pairs], differs),
            "quadratic_kappa": by_definition(pairs, lambda a, b: (a - b) ** 2),
        },
        abs=1e-12,
    )
    counts = {(row["grade_a"], row["grade_b"]): row["n_pairs"] for row in found.grades}
    assert counts == Counter(pairs)
    assert (found.values, found.agreement, len(found.sql)) == ([], [], 2)  # counts, and errors


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_as_scikit_learn_says(seed):
    one, other = judged(seed)
    found = rm.agreement(one, other).judgments
    grades = [{q: {i: float(g) for i, g in items.items()} for q, items in qrels.items()} for qrels in (one, other)]
    binary = [{q: {i: int(g >= 1) for i, g in items.items()} for q, items in qrels.items()} for qrels in grades]
    plain, quadratic = "cohen_kappa_score()", "cohen_kappa_score(weights='quadratic')"
    ask = [(grades[1], one), (binary[1], binary[0])]
    of_grades, of_binary = tools.ask("scikit-learn", ask, [plain, quadratic])
    assert found["kappa"] == pytest.approx(of_grades[plain]["mean"], abs=1e-12)
    assert found["quadratic_kappa"] == pytest.approx(of_grades[quadratic]["mean"], abs=1e-12)
    assert found["binary_kappa"] == pytest.approx(of_binary[plain]["mean"], abs=1e-12)


def test_by_hand():
    """(1, 1), (2, 1), (1, 0): by chance (2 * 2 + 1 * 0 + 0 * 1) / 9 agree; squares are 2 of 3, by chance 8 of 9."""
    found = rm.agreement(SOME, OTHERS).judgments
    assert (found["n_both"], found["n_only_a"], found["n_only_b"]) == (3, 1, 1)
    assert found["kappa"] == pytest.approx((1 / 3 - 4 / 9) / (1 - 4 / 9), abs=1e-12)
    assert found["quadratic_kappa"] == pytest.approx(1 - (2 / 3) / (8 / 9), abs=1e-12)
    assert found["binary_kappa"] == pytest.approx(0, abs=1e-12)  # the second finds 2 of 3, the first all


@pytest.mark.parametrize(
    ("pairs", "values"),
    [
        ([(1, 1)], (1, None, 1, None, None)),
        ([(2, 2), (2, 2)], (1, None, 1, None, None)),
        ([(1, 2)], (0, 0, 1, None, 0)),
        ([(0, 1), (1, 0)], (0, -1, 0, -1, -1)),
        ([(0, 0), (2, 2)], (1, 1, 1, 1, 1)),
        ([(1e9, 1e9), (1e9 + 1, 1e9 + 1)], (1, 1, 1, None, 1)),
    ],
)
def test_few_grades(pairs, values):
    one, other = ({"q": {str(n): pair[side] for n, pair in enumerate(pairs)}} for side in (0, 1))
    found = rm.agreement(one, other).judgments
    names = ("observed", "kappa", "binary_observed", "binary_kappa", "quadratic_kappa")
    assert tuple(found[name] for name in names) == values


def frame(rows):
    return pd.DataFrame(rows, columns=["query_id", "item_id", "relevance"])


def test_a_missing_grade_is_no_judgment():
    one = frame([("q", "a", 1), ("q", "b", None), ("q", "c", 0), ("q", "d", None)])
    other = frame([("q", "a", 1), ("q", "b", 1), ("q", "c", None), ("q", "d", None)])
    found = rm.agreement(one, other)
    assert (found.judgments["n_both"], found.judgments["n_only_a"], found.judgments["n_only_b"]) == (1, 1, 1)


def test_duplicates_are_refused_as_by_evaluate():
    once = frame([("q", "a", 1), ("q", "b", 0)])
    twice = frame([("q", "a", 1), ("q", "a", 0)])
    for arguments in ((once, twice), (twice, once)):
        with pytest.raises(rm.DataError, match=r"duplicate item in a query \(query, item, rows\): \('q', 'a', 2\)"):
            rm.agreement(*arguments)
    with pytest.raises(rm.DataError, match="duplicate item in a query"):
        rm.evaluate({"q": {"a": 1.0}}, twice, "rr")


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (
            {"q": {"a": 1}},
            {"q": {"b": 1}},
            r"No item is judged in both qrels a and qrels b\..*'q' with 'a'; 'q' with 'b'",
        ),
        ({"q": {"a": 1}}, {"r": {"a": 1}}, "No item is judged in both"),
        (frame([("q", "a", 1)]), frame([("q", "a", None)]), "No item is judged in both"),
        (frame([("q", "a", 1)]), frame([(1, "a", 1)]), "query_id is .* in qrels a and .* in qrels b"),
        (frame([("q", "a", 1)]), frame([("q", "a", "good")]), "relevance is not a number"),
        (frame([("q", None, 1)]), frame([("q", "a", 1)]), "1 missing id of queries or items"),
        ({"q": {"a": 1}}, {"q": {}}, "No item is judged in both"),
        ("none.txt", SOME, "no such file"),
    ],
)
def test_judgments_that_cannot_be_compared(one, other, message):
    with pytest.raises(rm.DataError, match=message):
        rm.agreement(one, other)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"metrics": ["rr"]}, "metrics= needs runs="),
        ({"runs": {"q": {"a": 1.0}}}, "No metric given"),
        ({"impute": "mean"}, "impute=mean has no effect on agreement, which compares the grades that exist"),
        ({"relevant": 2}, "Unknown option 'relevant'"),
        ({"columns": {"grade": "relevance"}}, "unknown column 'grade'"),
    ],
)
def test_bad_requests(keywords, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.agreement(SOME, OTHERS, **keywords)


def test_in_a_database_and_by_other_names():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE one AS SELECT 1 AS topic, 'A' AS doc, 2 AS stars UNION ALL SELECT 1, 'a', 0")
        connection.execute("CREATE TABLE other AS SELECT 1 AS topic, 'a' AS doc, 0 AS stars UNION ALL SELECT 1, 'A', 3")
        columns = {"query_id": "topic", "item_id": "doc", "relevance": "stars - 1"}
        found = rm.agreement("one", "other", connection=connection, columns=columns)
        assert {(row["grade_a"], row["grade_b"]) for row in found.grades} == {(1, 2), (-1, -1)}
        assert rm.connect(connection).agreement("one", "other", columns=columns) == found
        pairs = [row[3:] for row in connection.execute(found.sql[0]).fetchall() if row[0] == "pair"]
        assert sorted(pairs) == [(-1.0, -1.0, 1), (1.0, 2.0, 1)]
        assert [row[0] for row in connection.execute(found.sql[1]).fetchall()] == []  # one query has no spread


@pytest.mark.long
@pytest.mark.parametrize("name", ["clickhouse", "mariadb", "postgres-15", "spark", "sqlite", "trino"])
def test_in_every_engine(start_engine, name):
    engine = start_engine(name)
    one, other = judged(9)
    types = {"query_id": "text", "item_id": "text", "relevance": "bigint"}
    for table, qrels in (("judged_a", one), ("judged_b", other)):
        engine.load(table, types, [(q, i, g) for q, items in qrels.items() for i, g in items.items()])
    found = rm.agreement("judged_a", "judged_b", connection=engine.connection)
    assert found.judgments == rm.agreement(one, other).judgments


RUNS = {"old": {"q": {"c": 2.0, "e": 1.0}}, "new": {"q": {"e": 2.0, "c": 1.0}}, "none": {"q": {"x": 1.0}}}


def test_the_order_of_runs():
    one, other = {"q": {"c": 2, "e": 0, "z": 1}}, {"q": {"c": 0, "e": 1, "z": 1}}
    found = quietly(rm.agreement, one, other, RUNS, ["p@1", "rr"])
    of = {"a_n_queries": 1, "b_n_queries": 1}
    assert [row for row in found.values if row["metric"] == "rr"] == [
        {"metric": "rr", "run_id": "old", "a": 1.0, "a_rank": 1, "b": 0.5, "b_rank": 2} | of,
        {"metric": "rr", "run_id": "new", "a": 0.5, "a_rank": 2, "b": 1.0, "b_rank": 1} | of,
        {"metric": "rr", "run_id": "none", "a": 0.0, "a_rank": 3, "b": 0.0, "b_rank": 3} | of,
    ]
    # of three pairs two are in the same order; of p@1, old 1 0, new 0 1, none 0 0, each side ties one pair
    rr, p = {row["metric"]: row for row in found.agreement}["rr"], found.agreement[0]
    assert (rr["tau"], rr["n_runs"]) == (pytest.approx((2 - 1) / 3, abs=1e-12), 3)
    assert p["tau"] == pytest.approx((0 - 1) / 2, abs=1e-12)
    assert len(found.sql) == 4


def test_one_run_has_no_order():
    found = quietly(rm.agreement, SOME, OTHERS, {"q": {"b": 1.0}}, "rr")
    assert found.agreement == [{"metric": "rr", "tau": None, "n_runs": 1}]
    assert repr(found).split()[:5] == ["judge_a", "judge_b", "n_both", "n_only_a", "n_only_b"]
    assert repr(found).splitlines()[-1].split() == ["rr", "-", "1"]


def test_what_can_be_read_once_is():
    arrow = pytest.importorskip("pyarrow", reason="pip install pyarrow")
    table = arrow.table({"query_id": ["q"], "item_id": ["b"], "relevance": [1]})
    found = quietly(rm.agreement, table.to_reader(), SOME, {"q": {"b": 1.0}}, "rr")
    assert [row["a"] for row in found.values] == [1.0]


def test_without_scipy(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.stats", None)
    assert rm.agreement(SOME, OTHERS).judgments["n_both"] == 3
    with pytest.raises(rm.UsageError, match=r"the order of runs needs SciPy: pip install"):
        rm.agreement(SOME, OTHERS, RUNS, ["rr"])


def test_on_the_command_line(cli, tmp_path):
    for name, qrels in (("a", SOME), ("b", OTHERS)):
        lines = [f"{q} 0 {i} {g}" for q, items in qrels.items() for i, g in items.items()]
        (tmp_path / f"{name}.qrels").write_text("\n".join(lines))
    both = [tmp_path / "a.qrels", tmp_path / "b.qrels"]
    shown = cli("agreement", *both)
    assert shown.exit_code == 0, shown.stderr
    first, overall, judges, grades = shown.stdout.split("\n\n")
    assert first.split()[:3] == ["judge_a", "judge_b", "n_both"]
    assert "-0.2000" in first
    assert overall.split()[:3] == ["measure", "value", "n_items"]
    assert judges.split()[0] == "judge"
    assert grades.split()[:3] == ["grade_a", "grade_b", "n_pairs"]
    found = json.loads(cli("agreement", *both, "--set", "rel=2", "--format", "json").stdout)
    expected = rm.agreement(SOME, OTHERS, rel=2)
    assert found["pairs"] == expected.pairs
    assert (found["grades"], found["values"], found["agreement"]) == (expected.grades, [], [])
    runs = [DEMO / "covidex.t5.run.gz", DEMO / "covidex.sim.run.gz"]
    two = [DEMO / "qrels.txt", DEMO / "qrels.txt"]
    found = json.loads(
        cli("agreement", *two, "--run", runs[0], "--run", runs[1], "-m", "P@5", "--format", "json").stdout
    )
    assert found["agreement"] == [{"metric": "P@5", "tau": 1.0, "n_runs": 2}]
    assert found["pairs"][0]["kappa"] == 1
    failed = cli("agreement", *both, "--run", runs[0])
    assert (failed.exit_code, failed.stdout) == (2, "")
    assert "No metric given" in failed.stderr
    assert "UNION ALL" in cli("agreement", *both, "--verbose").stderr

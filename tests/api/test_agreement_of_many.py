"""How several judges agree: twins that follow the definitions item by item, derivatives by differences, other tools."""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from itertools import combinations, permutations, product
from statistics import fmean, variance

import duckdb
import pandas as pd
import pytest
from scipy import stats

import rankmetrics_sql as rm
from dev import tools
from rankmetrics_sql.api import measures_of_agreement as measures

from ..everything import seeds

NAMES = ("gpt", "claude", "people")
SCALE = [0, 1, 2, 3]


def judged(seed, n_queries=6, names=NAMES, share=0.8):
    """Judges who mostly see the same, of whom each leaves items out; grade 3 hardly occurs."""
    rng = random.Random(seed)
    found = {name: {} for name in names}
    for query, item in product((f"q{n}" for n in range(n_queries)), "abcdefg"):
        grade = rng.choice([0, 0, 1, 1, 2, 3])
        for name in names:
            if rng.random() < share:
                said = grade if rng.random() < 0.6 else rng.choice([0, 1, 2])
                found[name].setdefault(query, {})[item] = said
    return found


def by_item(judges):
    """The grades of each item by judge, by query and item."""
    items = defaultdict(dict)
    for name, qrels in judges.items():
        for query, grades in qrels.items():
            for item, grade in grades.items():
                items[query, item][name] = grade
    return dict(items)


def alpha(items, distance):
    """1 - the mean distance within items / that of all values of items with two or more, each pair of values once."""
    paired = [list(grades.values()) for grades in items.values() if len(grades) > 1]
    values = [grade for grades in paired for grade in grades]
    there = sum(sum(distance(x, y) for x, y in permutations(grades, 2)) / (len(grades) - 1) for grades in paired)
    by_chance = sum(distance(x, y) for x, y in permutations(values, 2)) / (len(values) - 1)
    return 1 - there / by_chance


def ordinal(items):
    """The distance of two grades: how many values stand from one to the other, half of each at the ends."""
    values = [grade for grades in items.values() if len(grades) > 1 for grade in grades.values()]
    n = Counter(values)

    def distance(x, y):
        low, high = min(x, y), max(x, y)
        return (sum(count for grade, count in n.items() if low <= grade <= high) - (n[low] + n[high]) / 2) ** 2

    return lambda x, y: 0 if x == y else distance(x, y)


def of_pairs(items, weight):
    """The mean weight of the pairs of grades of an item, over the items with two or more."""
    return fmean(
        fmean(weight(x, y) for x, y in permutations(grades.values(), 2)) for grades in items.values() if len(grades) > 1
    )


def prevalence(items, scale):
    """The share of each grade, items counting alike."""
    return {
        grade: fmean(list(grades.values()).count(grade) / len(grades) for grades in items.values()) for grade in scale
    }


def gwet(items, scale, weight):
    shares = prevalence(items, scale)
    factor = sum(weight(x, y) for x, y in product(scale, scale)) / (len(scale) * (len(scale) - 1))
    by_chance = factor * sum(share * (1 - share) for share in shares.values())
    return (of_pairs(items, weight) - by_chance) / (1 - by_chance)


def fleiss(items, scale):
    by_chance = sum(share**2 for share in prevalence(items, scale).values())
    return (of_pairs(items, same) - by_chance) / (1 - by_chance)


def same(x, y):
    return float(x == y)


def squared(scale):
    return lambda x, y: 1 - (x - y) ** 2 / (max(scale) - min(scale)) ** 2


def overall(judges, scale):
    items = by_item(judges)
    is_even = len({len(grades) for grades in items.values()}) == 1
    return {
        "alpha_nominal": alpha(items, lambda x, y: float(x != y)),
        "alpha_ordinal": alpha(items, ordinal(items)),
        "alpha_interval": alpha(items, lambda x, y: (x - y) ** 2),
        "ac1": gwet(items, scale, same),
        "ac2": gwet(items, scale, squared(scale)),
        "fleiss_kappa": fleiss(items, scale) if is_even else None,
    }


def values(found):
    return {row["measure"]: row["value"] for row in found.overall}


@pytest.mark.parametrize("seed", seeds(4))
def test_by_definition(seed):
    judges = judged(seed)
    found = rm.agreement(judges, grades=SCALE)
    assert values(found) == pytest.approx(overall(judges, SCALE), abs=1e-12)
    n_paired = sum(len(grades) > 1 for grades in by_item(judges).values())
    assert {row["n_items"] for row in found.overall} == {n_paired}
    for row, (a, b) in zip(found.pairs, combinations(NAMES, 2), strict=True):
        two = rm.agreement(judges[a], judges[b])
        assert (row["judge_a"], row["judge_b"]) == (a, b)
        assert {name: row[name] for name in two.judgments} == pytest.approx(two.judgments, abs=1e-12)
        assert row == pytest.approx(two.pairs[0] | {"judge_a": a, "judge_b": b}, abs=1e-12)
    for row in found.judges:
        grades = [grade for items in judges[row["judge"]].values() for grade in items.values()]
        others = [
            same(grade, other)
            for said in by_item(judges).values()
            for name, other in said.items()
            if name != row["judge"] and (grade := said.get(row["judge"])) is not None
        ]
        shares = {f"share_of_{grade}": grades.count(grade) / len(grades) for grade in SCALE}
        assert row == pytest.approx(
            {"judge": row["judge"], "n_items": len(grades), "mean_grade": fmean(grades)}
            | shares
            | {"observed_with_others": fmean(others)},
            abs=1e-12,
        )


def test_as_many_judges_each():
    judges = judged(5, share=1)
    found = values(rm.agreement(judges))
    assert found == pytest.approx(overall(judges, SCALE), abs=1e-12)
    assert found["fleiss_kappa"] is not None


def test_a_scale_with_unused_grades_changes_gwet_alone():
    judges = {name: {"q": {"a": 0, "b": 1, "c": grade}} for name, grade in zip(NAMES, (0, 1, 1), strict=True)}
    short, long = values(rm.agreement(judges)), values(rm.agreement(judges, grades=[0, 1, 2]))
    assert short == pytest.approx(overall(judges, [0, 1]), abs=1e-12)
    assert long == pytest.approx(overall(judges, [0, 1, 2]), abs=1e-12)
    assert {name for name in short if short[name] != long[name]} == {"ac1", "ac2"}


def changed(measure, part, cell, step):
    """How a measure changes with one count, by a difference."""

    def value(sign):
        counts = {name: dict(cells) for name, cells in measure[1].items()}
        counts[part][cell] += sign * step
        return measure[0](counts).value

    return (value(1) - value(-1)) / (2 * step)


BOTH = {(0, 0): 4.0, (0, 1): 1.5, (1, 0): 1.5, (1, 1): 3.0, (1, 3): 0.5, (3, 1): 0.5, (3, 3): 1.25}
SHARES = {(0.0, 0.0): 5.5, (1.0, 0.0): 4.0, (3.0, 0.0): 2.5}


@pytest.mark.parametrize(
    "measure",
    [
        (lambda parts: measures.kappa(parts["pair"]), {"pair": BOTH}),
        (lambda parts: measures.kappa(parts["pair"], measures.linear), {"pair": BOTH | {(0, 3): 2.0}}),
        (lambda parts: measures.kappa(parts["pair"], measures.quadratic), {"pair": BOTH | {(0, 3): 2.0}}),
        (lambda parts: measures.alpha(parts["both"], "nominal"), {"both": BOTH}),
        (lambda parts: measures.alpha(parts["both"], "interval"), {"both": BOTH}),
        (
            lambda parts: measures.gwet(parts["two"], by_grade(parts["share"]), SCALE),
            {"two": BOTH, "share": SHARES},
        ),
        (
            lambda parts: measures.gwet(parts["two"], by_grade(parts["share"]), SCALE, measures.quadratic),
            {"two": BOTH, "share": SHARES},
        ),
        (lambda parts: measures.fleiss(parts["two"], by_grade(parts["share"])), {"two": BOTH, "share": SHARES}),
    ],
)
def test_slopes_are_derivatives(measure):
    found = measure[0](measure[1]).slopes
    assert found.keys() == measure[1].keys()
    for part, slopes in found.items():
        for cell, slope in slopes.items():
            assert slope == pytest.approx(changed(measure, part, cell, 1e-5), abs=1e-8), (part, cell)


def by_grade(shares):
    return {x: n for (x, _), n in shares.items()}


def test_slopes_of_ordinal_alpha_are_derivatives_along_what_an_item_adds():
    """An item adds as many pairs one way as the other."""
    slopes = measures.alpha(BOTH, "ordinal").slopes["both"]
    for x, y in BOTH:

        def value(step, x=x, y=y):
            counts = dict(BOTH)
            for cell in ((x, y), (y, x)):
                counts[cell] += step
            return measures.alpha(counts, "ordinal").value

        assert slopes[x, y] + slopes[y, x] == pytest.approx((value(1e-5) - value(-1e-5)) / 2e-5, abs=1e-8)


def test_intervals_are_those_of_queries():
    """Of kappa by its influences: a jackknife over queries is near, and the t of the queries less one is exact."""
    judges = judged(3, n_queries=100)
    found = rm.agreement(judges, confidence_level=0.9)
    names = {"kappa": "pairs", "alpha_ordinal": "overall", "ac2": "overall"}
    for name, table in names.items():
        without = []
        for query in judges["gpt"] | judges["claude"] | judges["people"]:
            left = {judge: {q: items for q, items in qrels.items() if q != query} for judge, qrels in judges.items()}
            without.append(pseudo(left, name))
        error = math.sqrt(variance(without) * (len(without) - 1) ** 2 / len(without))
        row = getattr(found, table)[0] if table == "pairs" else next(r for r in found.overall if r["measure"] == name)
        value, lower, upper = (
            (row["kappa"], row["kappa_ci_lower"], row["kappa_ci_upper"])
            if name == "kappa"
            else (row["value"], row["ci_lower"], row["ci_upper"])
        )
        assert (upper + lower) / 2 == pytest.approx(value, abs=1e-12)
        half = stats.t.ppf(0.95, 99) * error
        assert (upper - lower) / 2 == pytest.approx(half, rel=0.05)


def pseudo(judges, name):
    """The measure by the package's own formulas over plain counts; those are tested by definition above."""
    items = by_item(judges)
    if name == "kappa":
        cells = Counter((said["gpt"], said["claude"]) for said in items.values() if {"gpt", "claude"} <= said.keys())
        return measures.kappa(cells).value
    counts = {"both": Counter(), "two": Counter()}
    shares = Counter()
    for said in items.values():
        m = len(said)
        for x in said.values():
            shares[x] += 1 / m
        for x, y in permutations(said.values(), 2):
            counts["both"][x, y] += 1 / (m - 1)
            counts["two"][x, y] += 1 / (m * (m - 1))
    if name == "alpha_ordinal":
        return measures.alpha(counts["both"], "ordinal").value
    return measures.gwet(counts["two"], shares, sorted(shares), measures.quadratic).value


def test_the_error_of_kappa_of_single_items_is_that_of_statsmodels():
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater", reason="pip install statsmodels")
    rng = random.Random(2)
    pairs = [(grade, grade if rng.random() < 0.7 else rng.choice([0, 1, 2])) for grade in rng.choices([0, 1, 2], k=90)]
    one, other = ({f"q{n}": {"a": pair[side]} for n, pair in enumerate(pairs)} for side in (0, 1))
    row = rm.agreement(one, other).pairs[0]
    table = [[pairs.count((x, y)) for y in (0, 1, 2)] for x in (0, 1, 2)]
    expected = inter_rater.cohens_kappa(table)
    assert row["kappa"] == pytest.approx(expected.kappa, abs=1e-12)
    half = stats.t.ppf(0.975, 89) * math.sqrt(expected.var_kappa * 90 / 89)
    assert row["kappa_ci_upper"] - row["kappa"] == pytest.approx(half, rel=1e-8)


def rows_of(judges):
    return pd.DataFrame(
        [(q, i, name, g) for name, qrels in judges.items() for q, items in qrels.items() for i, g in items.items()],
        columns=["query_id", "item_id", "judge", "relevance"],
    )


def assert_alike(rows, expected):
    """The same rows, but for the last digits of sums in another order."""
    for row, known in zip(rows, expected, strict=True):
        assert row.keys() == known.keys()
        for name, value in known.items():
            near = pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, int | float) else value
            assert row[name] == near, name


def test_one_table_with_a_column_of_judges(tmp_path):
    judges = judged(1)
    expected = rm.agreement({name: judges[name] for name in sorted(judges)})
    frame = rows_of(judges)
    assert_alike(rm.agreement(frame, judge="judge").pairs, expected.pairs)
    file = tmp_path / "grades.csv"
    frame.to_csv(file, index=False)
    assert_alike(rm.agreement(file, judge="judge").overall, expected.overall)
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE grades AS SELECT query_id, item_id, judge AS "by whom", relevance FROM frame')
        found = rm.agreement("grades", judge="by whom", connection=connection)
        assert_alike(found.judges, expected.judges)
        numbers = "CASE \"by whom\" WHEN 'gpt' THEN 10 WHEN 'claude' THEN 9 END AS j"
        found = rm.agreement(f"SELECT *, {numbers} FROM grades", judge="j", connection=connection)
        assert [row["judge"] for row in found.judges] == ["9", "10"]
        assert found.pairs[0]["n_both"] == expected.pairs[0]["n_both"]


@pytest.mark.long
def test_runs_are_ranked_by_each_judge():
    judges = {"x": {"q": {"c": 2, "e": 0}}, "y": {"q": {"c": 0, "e": 1}}, "z": {"q": {"c": 1, "e": 0}}}
    found = rm.agreement(
        judges, runs={"old": {"q": {"c": 2.0, "e": 1.0}}, "new": {"q": {"e": 2.0, "c": 1.0}}}, metrics="rr"
    )
    assert found.values[0] == {
        "metric": "rr",
        "run_id": "old",
        "x": 1.0,
        "x_rank": 1,
        "y": 0.5,
        "y_rank": 2,
        "z": 1.0,
        "z_rank": 1,
        "x_n_queries": 1,
        "y_n_queries": 1,
        "z_n_queries": 1,
    }
    assert [(row["judge_a"], row["judge_b"], row["tau"]) for row in found.agreement] == [
        ("x", "y", pytest.approx(-1)),
        ("x", "z", pytest.approx(1)),
        ("y", "z", pytest.approx(-1)),
    ]


def test_judges_without_items_in_common():
    judges = {"x": {"q": {"a": 1, "b": 0}}, "y": {"q": {"a": 1, "b": 1}}, "z": {"r": {"a": 1}}}
    found = rm.agreement(judges)
    assert [row["n_both"] for row in found.pairs] == [2, 0, 0]
    assert [row["kappa"] for row in found.pairs] == [0, None, None]
    assert found.judges[2]["observed_with_others"] is None
    assert found.pairs[0]["kappa_ci_lower"] is None  # one query says nothing of others
    perfect = rm.agreement({name: {"q": {"a": 1, "b": 0}, "r": {"a": 0, "b": 1}} for name in "xy"})
    assert (perfect.pairs[0]["kappa"], perfect.pairs[0]["kappa_ci_lower"]) == (1, None)  # nor do queries without spread


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "message"),
    [
        (({"x": {"q": {"a": 1}}},), {}, rm.UsageError, "two judges or more, but there is only x"),
        (({"q": {"a": 1}},), {}, rm.UsageError, "agreement needs two sets of judgments, several by name"),
        ((rows_of({"x": {"q": {"a": 1}}}),), {"judge": "judge"}, rm.UsageError, "but there is only x"),
        ((rows_of(judged(1)), rows_of(judged(1))), {"judge": "judge"}, rm.UsageError, "there are two"),
        ((rows_of(judged(1)),), {"judge": "juge"}, rm.DataError, "no column 'juge'.*judge"),
        (({"x": {"q": {"a": 1}}, "y": {"q": {"b": 1}}},), {}, rm.DataError, "No item is judged by two of judge 'x'"),
        (
            (judged(1),),
            {"grades": [0, 1, 2]},
            rm.DataError,
            "gives the grade 3, but grades= has only 0, 1, 2",
        ),
        ((judged(1),), {"grades": 3}, rm.UsageError, r"grades= is a list of numbers, such as \[0, 1, 2, 3\], not 3"),
        ((judged(1),), {"grades": [0, math.nan]}, rm.UsageError, "grades= is a list of numbers"),
        (
            (pd.concat([rows_of(judged(1)), rows_of(judged(2))]),),
            {"judge": "judge"},
            rm.DataError,
            "judge 'claude': .*duplicate item in a query",
        ),
    ],
)
def test_bad_input(arguments, keywords, error, message):
    with pytest.raises(error, match=message):
        rm.agreement(*arguments, **keywords)


def test_many_grades_have_no_intervals_and_too_many_no_measures():
    rng = random.Random(4)
    judges = {name: {f"q{n}": {"a": rng.randrange(60)} for n in range(3000)} for name in "xy"}
    found = rm.agreement(judges)
    assert found.pairs[0]["quadratic_kappa"] is not None
    assert found.pairs[0]["kappa_ci_lower"] is None
    assert "60 different grades are too many for intervals" in found.warnings[0]
    judges = {name: {f"q{n}": {"a": n / 7} for n in range(201)} for name in "xy"}
    with pytest.raises(rm.DataError, match=r"201 different grades, and agreement takes at most 200\. Round them"):
        rm.agreement(judges)
    assert rm.agreement(judges, columns={"relevance": "ROUND(relevance)"}).pairs[0]["observed"] == 1


def test_on_the_command_line(cli, tmp_path):
    judges = judged(1)
    rows_of(judges).to_csv(tmp_path / "grades.csv", index=False)
    shown = cli("agreement", tmp_path / "grades.csv", "--judge", "judge", "--grades", "0,1,2,3")
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout.split()[:3] == ["judge_a", "judge_b", "n_both"]
    assert "alpha_ordinal" in shown.stdout
    for name, qrels in judges.items():
        lines = [f"{q} 0 {i} {g}" for q, items in qrels.items() for i, g in items.items()]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    named = [f"{name}={tmp_path / name}.txt" for name in judges]
    found = json.loads(cli("agreement", *named, "--format", "json").stdout)
    assert_alike(found["overall"], rm.agreement(judges).overall)
    failed = cli("agreement", tmp_path / "gpt.txt")
    assert (failed.exit_code, "Try: rankmetrics agreement" in failed.stderr) == (2, True)
    failed = cli("agreement", *named, "--grades", "low,high")
    assert (failed.exit_code, "numbers between commas" in failed.stderr) == (2, True)


@pytest.mark.long
def test_as_irr_cac_and_krippendorff_say():
    questions, expected = [], []
    for seed in range(6):
        judges = judged(seed, share=1 if seed % 2 else 0.8)
        items = [[said.get(name) for name in NAMES] for said in by_item(judges).values()]
        questions.append({"items": items, "scale": SCALE})
        found = rm.agreement(judges, grades=SCALE)
        expected.append(values(found))
    for answer, ours in zip(tools.answer("irrCAC", questions), expected, strict=True):
        for name, value in ours.items():
            if value is not None:
                assert value == pytest.approx(answer[name], abs=1e-9), name


@pytest.mark.long
@pytest.mark.parametrize("name", ["clickhouse", "mariadb", "postgres-15", "spark", "sqlite", "trino"])
def test_in_every_engine(start_engine, name):
    engine = start_engine(name)
    types = {"query_id": "text", "item_id": "text", "judge": "text", "relevance": "bigint"}
    judges = judged(9)
    rows = [tuple(row) for row in rows_of(judges).astype(object).itertuples(index=False)]
    engine.load("grades_of_judges", types, [(q, i, j, int(g)) for q, i, j, g in rows])
    expected = rm.agreement({judge: judges[judge] for judge in sorted(judges)})
    found = rm.agreement("grades_of_judges", judge="judge", connection=engine.connection)
    for table in ("pairs", "overall", "judges"):
        assert_alike(getattr(found, table), getattr(expected, table))

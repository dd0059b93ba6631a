"""What to judge next, beside a comparison for each grade of each item."""

from __future__ import annotations

import csv
import random
from statistics import fmean

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..statistics.test_effect_ranges import NAMES, ranked, value

RUNS = {
    "old": {"q1": ["a", "b", "c"], "q2": ["c", "d"], "q3": ["e"], "lone": ["x"]},
    "new": {"q1": ["b", "a", "d"], "q2": ["d", "e"], "lone": ["y"]},
}
QRELS = {"q1": {"a": 2, "d": 0}, "q2": {"c": 1, "z": 3}, "q3": {"e": 1}}


def rows_of(found):
    return [tuple(row) for row in found.summary]


def test_by_hand():
    """Three queries count; one without a judgment is left out. The highest grade is 3, so all of these are hits."""
    found = quietly(rm.judge_next, RUNS, QRELS, "p@2")
    assert found.summary.columns == ["query_id", "item_id", "old_rank", "new_rank", "influence"]
    # b stands in both lists of q1, d of q2 too; c stands third in q1, so it is not asked for
    assert rows_of(found) == [
        ("q2", "e", None, 2, pytest.approx(1 / 2 / 3)),
        ("q1", "b", 2, 1, 0),
        ("q2", "d", 2, 1, 0),
    ]
    [row] = found.ranges
    assert (row["run"], row["baseline_run"], row["metric"], row["n_queries"]) == ("new", "old", "p@2", 3)
    # old finds a, c and e, new finds a alone; if e of q2 is relevant, new finds one more
    assert row["effect_size"] == row["effect_low"] == pytest.approx(-2 / 2 / 3)
    assert row["effect_high"] == pytest.approx(-1 / 2 / 3)
    assert found.notes == []


def test_of_several_candidates_the_largest():
    runs = {"old": {"q": ["a"]}, "x": {"q": ["b"]}, "y": {"q": ["a", "b"]}}
    [row] = quietly(rm.judge_next, runs, {"q": ["a"], "r": ["a"]}, "rr").summary.dicts()
    # of x the difference of q rises from -1 to 0, of y it stays 0
    assert row == {"query_id": "q", "item_id": "b", "old_rank": None, "x_rank": 1, "y_rank": 2, "influence": 0.5}


def test_nothing_to_judge():
    qrels = {"q": {"a": 1, "b": 0}}
    found = quietly(rm.judge_next, {"old": {"q": ["a", "b"]}, "new": {"q": ["b", "c"]}}, qrels, "p@1")
    assert (len(found.summary), found.summary.columns[2:]) == (0, ["old_rank", "new_rank", "influence"])
    assert found.notes == [
        "Every item in the top 1 of the compared queries is judged, so nothing is left to judge for p@1."
    ]
    assert repr(found).endswith(found.notes[0])


QUERIES = pd.DataFrame({"query_id": ["q1", "q2", "q2"], "query_text": ["one", "two", "twofold"]})
ITEMS = pd.DataFrame({"item_id": ["b", "e"], "item_text": ["a bee", None]})


@pytest.mark.parametrize(
    ("texts", "columns"),
    [
        ([QUERIES, ITEMS], ["query_id", "query_text", "item_id", "item_text"]),
        (ITEMS, ["query_id", "item_id", "item_text"]),
        (QUERIES.merge(ITEMS, how="cross"), ["query_id", "query_text", "item_id", "item_text"]),
    ],
)
def test_texts_stand_beside_their_ids(texts, columns):
    """Of two texts the first in order; an id without one has None."""
    found = quietly(rm.judge_next, RUNS, QRELS, "p@2", texts=texts)
    assert found.summary.columns[: len(columns)] == columns
    known = {"q1": "one", "q2": "two", "b": "a bee"}
    for row in found.summary.dicts():
        assert row.get("query_text", known[row["query_id"]]) == known[row["query_id"]]
        assert row["item_text"] == known.get(row["item_id"])


@pytest.fixture
def shop():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE runs AS SELECT 1 AS q, 7 AS i, 'x' AS model, 2.0 AS score WHERE FALSE")
        rows = [(1, 7, "x", 2.0), (1, 8, "x", 1.0), (1, 9, "y", 2.0), (1, 7, "y", 1.0)]
        connection.executemany("INSERT INTO runs VALUES (?, ?, ?, ?)", rows)
        connection.execute("CREATE TABLE labels AS SELECT 1 AS q, 7 AS i, 1 AS relevance")
        connection.execute("CREATE TABLE titles AS SELECT 9 AS i, 'nine' AS item_text")
        yield connection


def test_one_table_of_runs_in_a_database(shop):
    """By alphabet x comes first; y has 9 before 7, and x 8 behind it."""
    given = {"columns": {"query": "q", "item": "i", "run": "model"}, "connection": shop}
    found = quietly(rm.judge_next, "runs", "labels", "rr", texts="titles", **given)
    assert found.summary.columns == ["q", "item_id", "item_text", "x_rank", "y_rank", "influence"]
    assert rows_of(found) == [(1, 9, "nine", None, 1, 0.5), (1, 8, None, 2, None, 0.0)]
    assert shop.execute(found.sql).fetchall() == rows_of(found)
    found.create_table("to_judge")
    assert shop.execute("SELECT item_id, rank_2 FROM to_judge WHERE influence > 0").fetchall() == [(9, 1)]


@pytest.mark.long
def test_queries_of_two_columns(shop):
    shop.execute("CREATE TABLE days AS SELECT *, 'monday' AS day FROM runs")
    shop.execute("CREATE TABLE judged AS SELECT *, 'monday' AS day FROM labels")
    given = {"columns": {"query": ["q", "day"], "item": "i", "run": "model"}, "connection": shop}
    texts = "SELECT 1 AS q, 'monday' AS day, 'what' AS query_text"
    found = quietly(rm.judge_next, "days", "judged", "rr", texts=texts, **given)
    assert rows_of(found)[0] == (1, "monday", "what", 9, None, 1, 0.5)
    with pytest.raises(rm.DataError, match="a query has 2 columns in days, and 1 here"):
        quietly(rm.judge_next, "days", "judged", "rr", texts="SELECT 1 AS query_id, 'x' AS query_text", **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metric": "ap@2"}, "Metrics of judge_next are p, r, cg, dcg, ndcg, rbp, rr and success"),
        ({"metric": "catalogue_coverage@2"}, "not a sum over ranks"),
        ({"metric": "ndgc@2"}, "Did you mean 'ndcg@2'"),
        ({"metric": ["p@2", "rr"]}, "judge_next takes one metric, not 2"),
        ({"metric": []}, "No metric given"),
        ({"metric": "p"}, "needs a cutoff, such as p@10"),
        ({"metric": "ndcg(unjudged=drop)@2"}, "unjudged=drop gives unjudged items a grade.*Omit unjudged"),
        ({"unjudged": "relevant"}, "unjudged=relevant gives unjudged items a grade"),
        ({"ties": "expected"}, "with ties=expected an item has no single rank"),
        ({"ties": "best"}, "no range for ties=best"),
        ({"rel": 0}, "with rel=0 an item of grade 0 is as relevant.*Take rel=1"),
        ({"metric": "ndcg@2", "ideal_depth": "present"}, "Take ideal_depth=min_k"),
        ({"test": "wilcoxon"}, "test works only with compare"),
        ({"interval": "t"}, "interval"),
        ({"by": "market"}, "Unknown"),
        ({"n": 0}, "n takes a whole number of at least 1, not 0"),
        ({"n": 2.5}, "n takes a whole number of at least 1, not 2.5"),
        ({"runs": {"old": RUNS["old"]}}, "judge_next needs two or more runs"),
        ({"qrels": None}, "No qrels given"),
        ({"runs": rm.labelled("t", columns={"run_id": "m"}), "qrels": None}, "judgments that all runs share"),
        ({"texts": {"q1": "one"}}, "texts takes a table, a file, SQL text or a data frame"),
        ({"texts": [ITEMS, ITEMS]}, "have item_text. Pass one of them"),
    ],
)
def test_what_cannot_be_honoured_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=message):
        quietly(rm.judge_next, **{"runs": RUNS, "qrels": QRELS, "metric": "p@2", **given})


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (pd.DataFrame({"item_id": ["b"], "title": ["x"]}), "or item_id and item_text, not item_id, title"),
        (pd.DataFrame({"item_id": [1], "item_text": ["x"]}), r"item_id is BIGINT, and VARCHAR in .*SELECT CAST"),
        (pd.DataFrame({"item_text": ["x"]}), "needs the columns query_id and query_text"),
    ],
)
def test_texts_without_their_columns(texts, message):
    with pytest.raises(rm.DataError, match=message):
        quietly(rm.judge_next, RUNS, QRELS, "p@2", texts=texts)


def test_on_the_command_line(cli, tmp_path):
    for name, run in RUNS.items():
        lines = [f"{q} Q0 {i} 1 {-n} x" for q, items in run.items() for n, i in enumerate(items)]
        (tmp_path / f"{name}.run").write_text("\n".join(lines))
    lines = [f"{q} 0 {i} {grade}" for q, items in QRELS.items() for i, grade in items.items()]
    (tmp_path / "qrels.txt").write_text("\n".join(lines))
    ITEMS.to_csv(tmp_path / "items.csv", index=False)
    asked = ["judge-next", tmp_path / "old.run", tmp_path / "new.run", "--qrels", tmp_path / "qrels.txt", "-m", "p@2"]
    listed = cli(*asked, "--texts", tmp_path / "items.csv", "--format", "csv", "-n", 2)
    assert listed.exit_code == 0, listed.output
    first, second = csv.DictReader(listed.stdout.splitlines())
    assert (first["query_id"], first["item_id"], first["old_rank"], first["new_rank"]) == ("q2", "e", "", "2")
    assert float(first["influence"]) == pytest.approx(1 / 2 / 3)
    assert (second["item_id"], second["item_text"]) == ("b", "a bee")
    above, below = cli(*asked).stdout.split("\n\n")
    assert above.split()[:5] == ["run", "baseline_run", "metric", "effect_size", "effect_low"]
    assert below.split()[:3] == ["query_id", "item_id", "old_rank"]
    assert cli(*asked, "-m", "rr").exit_code == 2
    assert "RUN is missing" in cli("judge-next", "--qrels", tmp_path / "qrels.txt", "-m", "rr").stderr


def made(seed):
    """Small random lists of two to four runs, of which some lack queries, with ties, and judgments."""
    rng = random.Random(seed)
    items, queries = "abcdefghij", [f"q{n}" for n in range(rng.randint(2, 7))]
    scale = rng.choice([(0, 1), (-1, 0, 1, 2, 3), (0, 2), (1, 2)])
    qrels = {q: {i: rng.choice(scale) for i in rng.sample(items, rng.randint(1, 5))} for q in queries}
    runs = {
        name: {
            q: {i: rng.choice((1.0, 2.0, 3.0, 4.0)) for i in rng.sample(items, rng.randint(1, 6))}
            for q in [*queries, "unjudged"]
            if rng.random() < 0.9
        }
        for name in ("old", "new", "other", "last")[: rng.randint(2, 4)]
    }
    for run in runs.values():
        run[queries[0]] = {"a": 2.0, "j": 1.0}
    given = {
        "gain": rng.choice(["linear", "exp2", "binary"]),
        "rel": rng.choice([1, 2]),
        "discount": rng.choice(["log2", "zipf", "none"]),
        "ideal_depth": rng.choice(["min_k", "uncut", "all_relevant"]),
        "max_grade": rng.choice([None, 1, 2, 4]),
        "queries": rng.choice(["judged", "judged_retrieved"]),
    }
    return runs, qrels, rng.choice([1, 2, 3, 10]), given


def regraded(name, runs, qrels, k, given):
    """The influence of each item by its query: the metric of every list, with the item at both grades."""
    highest = given["max_grade"]
    if highest is None:
        highest = max(given["rel"], *(grade for grades in qrels.values() for grade in grades.values()))
    lists = {run: {query: ranked(items) for query, items in of_run.items()} for run, of_run in runs.items()}
    first, *candidates = runs
    influences = {}
    for query, judged in qrels.items():
        shown = {item for of_run in lists.values() for item in of_run.get(query, [])[:k]}
        for item in shown - judged.keys():
            moves = []
            for run in candidates:
                both = runs[first].keys() & runs[run].keys()
                paired = [one for one in qrels if given["queries"] == "judged" or one in both]
                ends = [
                    fmean(
                        value(name, lists[run].get(one, []), known, k, given | {"k": k})
                        - value(name, lists[first].get(one, []), known, k, given | {"k": k})
                        for one in paired
                        for known in [qrels[one] | ({item: grade} if one == query else {})]
                    )
                    for grade in (0, highest)
                ]
                moves += [abs(ends[1] - ends[0])] if query in paired else []
            if moves:
                influences[query, item] = max(moves)
    return influences


@pytest.mark.parametrize(
    ("seed", "name"),
    [
        pytest.param(seed, name, marks=[] if (seed, name) == (0, "ndcg") else pytest.mark.long)
        for seed in range(40)
        for name in NAMES
    ],
)
def test_each_item_moves_the_difference_as_far_as_its_grades(seed, name):
    runs, qrels, k, given = made(seed)
    cutoff = None if seed % 4 == 3 and name != "p" and given["ideal_depth"] != "all_relevant" else k
    metric = name if cutoff is None else f"{name}@{k}"
    found = quietly(rm.judge_next, runs, qrels, metric, n=1000, **given)
    expected = regraded(name, runs, qrels, cutoff, given)
    rows = found.summary.dicts()
    assert {(row["query_id"], row["item_id"]): row["influence"] for row in rows} == pytest.approx(expected, abs=1e-12)
    assert [row["influence"] for row in rows] == pytest.approx(sorted(expected.values(), reverse=True), abs=1e-12)
    for row in rows:
        for run, lists in runs.items():
            ranking = ranked(lists.get(row["query_id"], {}))[:cutoff]
            place = ranking.index(row["item_id"]) + 1 if row["item_id"] in ranking else None
            assert row[f"{run}_rank"] == place


OPTIONS = [
    {"ties": "item_asc"},
    {"depth": 2},
    {"no_relevant": 1},
    {"no_relevant": "skip"},
    {"zero_ideal": "null"},
    {"zero_ideal": 1},
    {"queries": "judged_relevant"},
    {"queries": "retrieved"},
    {"aggregate": "sum"},
    {"gain": {1: 2, 2: 2.5, 3: 10}},
    {"discount": 3},
    {"rbp_gain": "raw"},
    {"strategy": "count"},
    {"negative_grades": "unjudged"},
    {"max_grade": 0},
]


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_a_comparison_of_each_grade_says_the_same(seed, options):
    """With the options that the formulas of the other test do not know."""
    runs, qrels, k, _ = made(seed)
    [(option, value_of)] = options.items()
    taking = {"zero_ideal": ["ndcg"], "gain": ["ndcg", "cg"], "discount": ["ndcg", "dcg"], "rbp_gain": ["rbp"]}
    names = taking.get(option, NAMES if options != {"no_relevant": 1} else ["p", "r", "rr", "success"])
    highest = max(1, *(grade for grades in qrels.values() for grade in grades.values()))
    highest = value_of if option == "max_grade" else highest
    for name in random.Random(seed).sample(names, min(4, len(names))):
        found = quietly(rm.judge_next, runs, qrels, f"{name}@{k}", n=1000, **options)
        assert len(found.summary)
        for row in found.summary.dicts()[:3]:
            query, item, effects = row["query_id"], row["item_id"], {}
            for grade in (0, highest):
                known = qrels | {query: qrels.get(query, {}) | {item: grade}}
                asked = {name: one for name, one in options.items() if name != "max_grade"}
                table = quietly(rm.compare, runs, known, f"{name}@{k}", **asked).summary
                effects[grade] = {row["run"]: row["effect_size"] for row in table.dicts()}
            moved = [abs(effects[highest][run] - effects[0][run]) for run in effects[0]]
            assert row["influence"] == pytest.approx(max(moved), abs=1e-12), (name, row)


@pytest.fixture(scope="module")
def stored():
    """Three runs and some judgments as tables."""
    rng = random.Random(8)
    pairs = [(f"q{number}", f"d{item}") for number in range(9) for item in range(7)]
    with duckdb.connect() as connection:
        for name in ("old", "new", "other"):
            connection.execute(f"CREATE TABLE {name} (query_id VARCHAR, item_id VARCHAR, score DOUBLE)")
            fill(connection, name, [(*pair, rng.random()) for pair in pairs])
        connection.execute("CREATE TABLE judged (query_id VARCHAR, item_id VARCHAR, relevance DOUBLE)")
        fill(connection, "judged", [(*pair, rng.choice([0, 1, 2])) for pair in pairs if rng.random() < 0.6])
        yield connection


def listed(connection, runs, metric, n=100, **choices):
    found = quietly(
        rm.judge_next, {name: name for name in runs}, "judged", metric, n=n, connection=connection, **choices
    )
    return found.summary.fetchall()


@pytest.mark.parametrize("shape", ["statement", "view"])
def test_the_printed_statement_lists_the_same(stored, shape):
    """Also as a view, whose order decides which items it has."""
    runs = ["old", "new", "other"]
    printed = {"level": "judge_next", "shape": shape, "max_grade": 3, "n": 6}
    text = rm.sql("ndcg@4", {name: name for name in runs}, "judged", **printed)
    assert stored.execute(text).fetchall() == listed(stored, runs, "ndcg@4", 6, max_grade=3)
    assert [column[0] for column in stored.description] == [
        *("query_id", "item_id", "rank_1", "rank_2", "rank_3", "influence")
    ]


def test_the_command_prints_it(cli, stored):
    done = cli(
        "sql", "--run", "old", "--run", "new", "--qrels", "judged", "-m", "rr", "--level", "judge_next", "-n", "3"
    )
    assert done.exit_code == 0, done.output
    assert stored.execute(done.stdout).fetchall() == listed(stored, ["old", "new"], "rr", 3)


@pytest.mark.parametrize(("metric", "options"), [("ndcg@4", {}), ("p@3", {"rel": 2, "max_grade": 4})])
def test_dbt_lists_the_same(stored, metric, options):
    text = macros("duckdb")["judge_next"](
        baseline="old", candidate="new", metric=metric, n=5, qrels="judged", options=options
    )
    assert stored.execute(str(text)).fetchall() == listed(stored, ["old", "new"], metric, 5, **options)


OF_DBT = {
    "no judgments": ({"qrels": None}, "Pass qrels=ref"),
    "no number": ({"n": 0}, "n takes a whole number of at least 1, not 0"),
    "two metrics": ({"metric": ["rr", "p@1"]}, "takes one metric, such as 'ndcg@10', not"),
    "no sum": ({"metric": "ap"}, "ap is not a sum over ranks"),
    "assumed grades": ({"options": {"unjudged": "relevant"}}, "Omit unjudged"),
    "one relation": ({"candidate": None, "relation": "runs"}, "candidate=ref"),
}


@pytest.mark.parametrize("name", OF_DBT)
def test_what_dbt_refuses(name):
    changed, said = OF_DBT[name]
    with pytest.raises(rm.UsageError, match=said):
        macros()["judge_next"](
            **{"baseline": "old", "candidate": "new", "metric": "ndcg@4", "qrels": "judged", **changed}
        )


OF_STATEMENTS = {
    "no judgments": ({"qrels": None}, "Pass qrels=, and omit values="),
    "values": ({"values": "stored"}, "Pass qrels=, and omit values="),
    "one run": ({"run": "old"}, "judge_next needs two or more runs"),
    "no number": ({"n": 0}, "n takes a whole number"),
    "a test": ({"margin": 0.1}, "margin works only with compare"),
    "no list": ({"level": "compare", "n": 3}, "n= works only with level=judge_next"),
}


@pytest.mark.parametrize("name", OF_STATEMENTS)
def test_what_a_statement_refuses(name):
    changed, said = OF_STATEMENTS[name]
    given = {"run": {"old": "old", "new": "new"}, "qrels": "judged", "level": "judge_next", **changed}
    with pytest.raises(rm.UsageError, match=said):
        rm.sql("ndcg@4", **given)

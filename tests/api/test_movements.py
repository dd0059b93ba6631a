"""What entered, left or moved within the first k, beside two sorted lists of plain Python."""

from __future__ import annotations

import json
import random

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly, random_data
from ..everything import seeds
from ..oracles.brute import ranked

NAMES = ["run", "baseline_run", "query_id", "item_id", "baseline_rank", "candidate_rank", "movement", "relevance"]


def ranks_of(items, ties, k):
    return {item: place for place, item in enumerate(ranked(items, ties)[:k], start=1)}


def movement_of(old, new):
    if old is None or new is None:
        return "entered" if old is None else "left"
    return "up" if new < old else "down" if new > old else "same"


def expected_rows(baseline, candidates, qrels, k, ties="item_desc", queries=None):
    """Every row in its order."""
    found = []
    for name, run in candidates.items():
        for query in sorted({*baseline, *run}, key=str.encode):
            if queries is not None and query not in queries:
                continue
            ours, theirs = (ranks_of(side.get(query, {}), ties, k) for side in (baseline, run))
            for item in sorted({*ours, *theirs}, key=lambda item: (theirs.get(item, 10**9), ours.get(item, 0))):
                old, new = ours.get(item), theirs.get(item)
                grade = qrels.get(query, {}).get(item)
                found.append((name, "baseline", query, item, old, new, movement_of(old, new), grade))
    return found


@pytest.mark.parametrize("seed", seeds(40, 2))
def test_ranks_are_those_of_sorted_lists(seed):
    rng = random.Random(seed)
    baseline, qrels = random_data(seed)
    candidates = {name: random_data(seed + 100 * number)[0] for number, name in enumerate(("new", "New"), start=1)}
    k, ties = rng.choice([1, 3, 10, 100]), rng.choice(["item_desc", "item_asc"])
    found = quietly(rm.movements, baseline, candidates, qrels, k=k, ties=ties)
    assert found.summary.columns == NAMES
    assert found.summary.fetchall() == expected_rows(baseline, candidates, qrels, k, ties)
    some = rng.sample(sorted({*baseline, *candidates["new"]}), 4)
    unjudged = quietly(rm.movements, baseline, candidates, k=k, ties=ties, query=some)
    assert unjudged.summary.fetchall() == expected_rows(baseline, candidates, {}, k, ties, some)


OLD, NEW = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "gone": {"a": 1.0}}, {"q": {"b": 3.0, "a": 2.0, "d": 1.5, "c": 1.0}}
QRELS = {"q": {"b": 2, "c": 0}}
BY_HAND = [
    ("new", "old", "gone", "a", 1, None, "left", None),
    ("new", "old", "q", "b", 2, 1, "up", 2.0),
    ("new", "old", "q", "a", 1, 2, "down", None),
    ("new", "old", "q", "d", None, 3, "entered", None),
    ("new", "old", "q", "c", 3, None, "left", 0.0),
]


def test_by_hand():
    found = quietly(rm.movements, OLD, {"new": NEW}, QRELS, k=3, baseline="old")
    assert found.summary.fetchall() == BY_HAND
    assert repr(found).split()[:4] == ["run", "baseline_run", "query_id", "item_id"]
    [row] = quietly(rm.movements, OLD, {"new": NEW}, QRELS, k=1, baseline="old", query="gone").summary.fetchall()
    assert row == BY_HAND[0]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"ties": "best"}, [("b", 1, 1, "same", 1.0), ("a", 2, 2, "same", 0.0), ("c", 3, 3, "same", None)]),
        ({"ties": "worst"}, [("c", 1, 1, "same", None), ("a", 2, 2, "same", 0.0), ("b", 3, 3, "same", 1.0)]),
        ({"unjudged": "drop"}, [("b", 1, 1, "same", 1.0), ("a", 2, 2, "same", 0.0)]),
        ({"unjudged": 2}, [("c", 1, 1, "same", None), ("b", 2, 2, "same", 1.0), ("a", 3, 3, "same", 0.0)]),
        ({"depth": 1}, [("c", 1, 1, "same", None)]),
    ],
)
def test_the_order_is_that_of_the_options(options, expected):
    """Equal scores, an item that nobody judged; an assumed grade is none that was judged."""
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    found = quietly(rm.movements, run, {"new": run}, {"q": {"a": 0, "b": 1}}, **options)
    assert [row[3:] for row in found.summary] == expected


@pytest.fixture
def shop():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE runs (version TEXT, query_id TEXT, item_id TEXT, score DOUBLE, stars DOUBLE)")
        for name, run in {"old": OLD, "new": NEW}.items():
            rows = [
                (name, query, item, score, QRELS.get(query, {}).get(item))
                for query, items in run.items()
                for item, score in items.items()
            ]
            fill(connection, "runs", rows)
        yield connection


def test_a_column_tells_runs_apart(shop):
    versions = rm.labelled("runs", columns={"run_id": "version", "relevance": "stars"})
    found = quietly(rm.movements, versions, k=3, baseline="old", connection=shop)
    assert found.summary.fetchall() == BY_HAND
    with pytest.raises(rm.UsageError, match=r"Name the run to compare with: baseline=NAME\. The runs: 'new', 'old'\."):
        rm.movements(versions, connection=shop)
    with pytest.raises(rm.DataError, match="no run called 'older'"):
        quietly(rm.movements, versions, baseline="older", connection=shop)
    with pytest.raises(rm.UsageError, match="movements needs arms"):
        rm.movements(rm.labelled("runs", columns={"relevance": "stars"}), baseline="old", connection=shop)


def test_queries_may_have_two_columns(shop):
    shop.execute("ALTER TABLE runs ADD COLUMN day TEXT DEFAULT 'monday'")
    versions = rm.labelled("runs", columns={"run_id": "version", "relevance": "stars", "query_id": ["query_id", "day"]})
    found = quietly(rm.movements, versions, k=3, baseline="old", connection=shop)
    assert found.summary.columns[2:5] == ["query_id", "day", "item_id"]
    assert [row[:3] + row[4:] for row in found.summary] == BY_HAND


def test_positions_order_lists_too(shop):
    shop.execute("CREATE TABLE places AS SELECT *, -score AS place FROM runs")
    runs = [f"SELECT query_id, item_id, place FROM places WHERE version = '{name}'" for name in ("old", "new")]
    given = {"columns": {"position": "place + 10"}, "k": 3, "baseline": "old", "connection": shop}
    found = quietly(rm.movements, runs[0], {"new": runs[1]}, **given, check="none")
    assert [row[:-1] for row in found.summary] == [row[:-1] for row in BY_HAND]


def test_the_statement_gives_the_same(shop):
    runs = {name: f"SELECT query_id, item_id, score FROM runs WHERE version = '{name}'" for name in ("old", "new")}
    judged = "SELECT DISTINCT query_id, item_id, stars AS relevance FROM runs"
    text = rm.sql((), runs, judged, level="movements", k=3)
    assert text.startswith(
        f"-- rankmetrics_sql {rm.__version__}, movements within 3 for duckdb, written by rankmetrics sql or rm.sql\n"
        "-- options queries=retrieved\n"
    )
    assert shop.execute(text).fetchall() == BY_HAND
    listed = rm.sql((), runs, judged, level="movements", k=3, query_list="SELECT 'gone' AS query_id")
    assert shop.execute(listed).fetchall() == BY_HAND[:1]
    shop.execute("INSERT INTO runs VALUES ('new', NULL, 'a', 1, 1)")  # of no query
    assert shop.execute(text).fetchall() == BY_HAND


def test_it_is_left_in_the_database(shop):
    versions = rm.labelled("runs", columns={"run_id": "version", "relevance": "stars"})
    found = quietly(rm.movements, versions, k=3, baseline="old", connection=shop)
    found.create_table("moved")
    assert sorted(map(str, shop.execute("FROM moved").fetchall())) == sorted(map(str, BY_HAND))


def test_dbt_writes_the_same_text():
    given = {"qrels": "labels", "query_list": "wanted", "options": {"ties": "item_asc"}}
    text = macros()["movements"](candidate="b", baseline="a", k=7, **given)
    runs = {"baseline": "a", "candidate": "b"}
    asked = {"level": "movements", "k": 7, "query_list": "wanted", "ties": "item_asc", "shape": "view", "header": False}
    assert text == rm.sql((), runs, "labels", **asked)
    unjudged = macros()["movements"](candidate="b", baseline="a", columns={"relevance": None})
    assert unjudged == rm.sql((), runs, level="movements", shape="view", header=False)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": 0}, "movements: k is a whole number of at least 1, not 0"),
        ({"k": 2.5}, r"movements: k is a whole number of at least 1, not 2\.5"),
        ({"k": "x"}, "movements: k is a whole number of at least 1, not x"),
        ({"metrics": "rr"}, "level=movements takes no metrics"),
        ({"by": "market"}, "movements cannot be broken down by market"),
        ({"values": "t"}, "not with level=movements"),
        ({"run": "x"}, "at least two runs"),
        ({"ties": "expected"}, "movements: with ties=expected an item has no single rank"),
        ({"aggregate": "median"}, "movements: aggregate=median has no effect on items"),
        ({"level": "summary", "metrics": "rr", "k": 3}, "k= works only with level=movements. .* as in 'ndcg@10'"),
        ({"columns": {"query_id": "movement"}}, "two columns called 'movement'"),
    ],
)
def test_contradictions_are_refused(given, message):
    arguments = {"metrics": (), "run": {"a": "x", "b": "y"}, "qrels": "q", "level": "movements", **given}
    with pytest.raises(rm.UsageError, match=message):
        rm.sql(**arguments)


def test_python_refuses_the_same():
    with pytest.raises(rm.UsageError, match="k is a whole number"):
        rm.movements(OLD, {"new": NEW}, k=0)
    with pytest.raises(rm.UsageError, match="no candidate"):
        rm.movements(OLD)
    with pytest.raises(rm.UsageError, match="query and query_list exclude each other"):
        rm.movements(OLD, {"new": NEW}, query="q", query_list=["q"])
    with pytest.raises(rm.DataError, match=r"nowhere|No run has results"):
        quietly(rm.movements, OLD, {"new": NEW}, query="nowhere")
    frame = duckdb.sql("FROM (VALUES ('q', 'a', 1), ('q', 'a', 2)) AS t(query_id, item_id, score)").arrow()
    with pytest.raises(rm.DataError, match="duplicate"):
        rm.movements(frame, {"new": NEW})
    with pytest.raises(rm.UsageError, match="k is a whole number"):
        macros()["movements"](candidate="b", baseline="a", k=0)


@pytest.fixture
def files(tmp_path, monkeypatch, shop):
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        shop.execute(f"COPY (SELECT query_id, item_id, score FROM runs WHERE version = '{name}') TO '{name}.csv'")
    shop.execute(
        "COPY (SELECT DISTINCT query_id, item_id, stars AS relevance FROM runs WHERE stars IS NOT NULL) TO 'qrels.csv'"
    )


@pytest.mark.usefixtures("files")
def test_the_command_says_what_python_does(cli):
    found = cli("movements", "old.csv", "new.csv", "--qrels", "qrels.csv", "-k", 3, "--format", "json")
    assert found.exit_code == 0, found.output
    assert [tuple(row.values()) for row in json.loads(found.stdout)] == BY_HAND
    printed = cli("sql", "--level", "movements", "-k", 3, "--run", "old=a", "--run", "new=b")
    assert printed.stdout == rm.sql((), {"old": "a", "new": "b"}, level="movements", k=3) + ";\n"
    one = cli("movements", "old.csv", "new.csv", "-k", 3, "--query", "gone", "--format", "csv")
    assert one.stdout.splitlines() == [",".join(NAMES), "new,old,gone,a,1,,left,"]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "BASELINE is missing. Try: rankmetrics movements OLD NEW -k 10"),
        (["old.csv"], "CANDIDATE is missing"),
        (["old.csv", "new.csv", "-k", "0"], "0 is not in the range"),
        (["old.csv", "new.csv", "--format", "trec"], "cannot hold movements"),
        (["old.csv", "new.csv", "--query", "q", "--query-list", "old.csv"], "exclude each other"),
    ],
)
def test_the_command_says_what_is_missing(cli, arguments, message):
    found = cli("movements", *arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert message in found.stderr

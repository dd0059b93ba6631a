"""order= and limit= of a summary: its groups as Python sorts those of the whole summary, and the first of them."""

from __future__ import annotations

import contextlib
import random
import re
import sqlite3
import warnings

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm

from ..conftest import alike, fill, quietly
from ..everything import seeds

METRICS = ("rr(no_relevant=null)", "p@1", "arp", "num_rel", "ap(aggregate=median)")  # of arp less is better
SEGMENTS = (None, "de", "fr", "", "it")
ORDERS = (
    ("rr(no_relevant=null)", "rr(no_relevant=null)", False),
    ("rr(no_relevant=null) desc", "rr(no_relevant=null)", True),
    (" P_1  DESC ", "p@1", True),  # another spelling of the metric
    ("p@1 asc", "p@1", False),
    ("arp", "arp", True),
    ("arp asc", "arp", False),
    ("n_queries", None, True),
    ("N_queries asc", None, False),
    (None, METRICS[0], False),
)


def tables(seed, systems=("a",), connect=duckdb.connect):
    """Lists of few items and grades, so that groups tie; some queries have no relevant item, and so no rr."""
    rng = random.Random(seed)
    connection = connect(":memory:")
    connection.execute("CREATE TABLE run (system TEXT, query_id TEXT, item_id TEXT, score FLOAT)")
    connection.execute("CREATE TABLE qrels (query_id TEXT, item_id TEXT, relevance INTEGER, market TEXT, device TEXT)")
    run, qrels = [], []
    for query in range(rng.randint(1, 14)):
        market, device = rng.choice(SEGMENTS), rng.choice(SEGMENTS[:3])
        grades = [rng.choice([0, 0, 1]) for _ in range(2)]
        qrels += [(f"q{query}", f"i{item}", grade, market, device) for item, grade in enumerate(grades)]
        run += [(name, f"q{query}", f"i{item}", rng.random()) for name in systems for item in range(2)]
    for name, rows in (("run", run), ("qrels", qrels)):
        fill(connection, name, rows)
    return connection


def place_of(rows, by, label, *, descending, first_run):
    """Each group of the rows with its place, in the order of its value in one run."""
    groups = dict.fromkeys(tuple(row[name] for name in by) for row in rows)

    def key(group):
        own = [
            row
            for row in rows
            if row.get("run_id", first_run) == first_run and tuple(row[name] for name in by) == group
        ]
        values = [row["n_queries"] or None for row in own] if label is None else []
        values += [row["value"] for row in own if row["metric"] == label]
        known = [value for value in values if value is not None]
        return (
            not known,
            (-1 if descending else 1) * max(known, default=0),
            [(one is not None, one or "") for one in group],
        )

    return {group: place for place, group in enumerate(sorted(groups, key=key))}


def arranged(rows, by, label, *, descending, limit, first_run):
    """The rows of a whole summary, each level with its first groups in their order, and how many there are of all."""
    found, n_kept, n_groups = [], 0, 0
    for level in dict.fromkeys(row.get("breakdown") for row in rows):
        own = [row for row in rows if row.get("breakdown") == level]
        places = place_of(own, by, label, descending=descending, first_run=first_run)
        placed = [(places[tuple(row[name] for name in by)], row) for row in own]
        found += [row for place, row in sorted(placed, key=lambda both: both[0]) if limit is None or place < limit]
        if level != "total":
            n_groups += len(places)
            n_kept += min(len(places), limit or len(places))
    return sorted(found, key=lambda row: row.get("run_id", "")), n_groups - n_kept, n_groups


@pytest.mark.parametrize("seed", seeds(12))
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: str(order[0]).strip())
def test_groups_are_those_that_python_sorts(order, seed):
    rng = random.Random(f"{order} {seed}")
    text, label, descending = order
    systems = rng.choice([("a",), ("b", "a")])
    by = rng.sample(["market", "device"], rng.randint(1, 2))
    given = {"by": by, "rollup": rng.choice([False, True]), "interval": rng.choice([None, "t"])}
    given |= {"min_queries": 2} if given["rollup"] and rng.random() < 0.5 else {}  # with a total, some row is left
    given |= {"columns": {"run_id": "system"}} if len(systems) > 1 else {}
    limit = rng.choice([1, 2, 3, 99] if text is None else [None, 1, 2, 3])
    asked = ("run", "qrels", METRICS)
    given["connection"] = tables(seed, systems)
    whole = quietly(rm.evaluate, *asked, **given)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = rm.evaluate(*asked, **given, order=text, limit=limit)
    first_run = "a" if len(systems) > 1 else None
    expected, n_left_out, n_groups = arranged(
        whole.summary.dicts(), by, label, descending=descending, limit=limit, first_run=first_run
    )
    assert result.summary.dicts() == expected
    notes = [str(one.message) for one in said if str(one.message).startswith("limit=")]
    assert notes == ([f"limit={limit} left out {n_left_out} of {n_groups} groups."] if n_left_out else [])
    assert len(result.per_query) == len(whole.per_query)


def test_small_groups_are_left_out_before_the_others_are_counted():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE shown (query_id INT, item_id TEXT, position INT, relevance INT, market TEXT)")
    fill(connection, "shown", [(n, "i", 1 + n // 3, 1, market) for n, market in enumerate("dddfffiix")])
    given = {"connection": connection, "by": "market", "order": "rr", "position": "given"}
    result = quietly(rm.labelled, "shown", "rr", **given, limit=3)
    assert [row["market"] for row in result.summary.dicts()] == ["i", "x", "f"]  # 1/3, 1/3, 1/2, and 1 for d
    result = quietly(rm.labelled, "shown", "rr", **given, limit=2, min_queries=2)
    assert [row["market"] for row in result.summary.dicts()] == ["i", "f"]
    assert result.warnings == [
        "min_queries=2 left out 1 row of a group with fewer queries.",
        "limit=2 left out 1 of 3 groups.",
    ]


# Query to items by rank in two runs, and the market of each query; i is relevant.
LOW = {"q0": ["x", "y", "i"], "q1": ["x", "i"], "q2": ["i"]}
HIGH = {"q0": ["i"], "q1": ["i"], "q2": ["x", "i"], "q3": ["x", "y", "i"]}
JUDGED = {query: {"i": 1} for query in HIGH}
MARKETS = dict(zip(JUDGED, "dfib", strict=True))


def of_two(runs, **given):
    """The run, market and value of each row."""
    listed = pd.DataFrame({"query_id": MARKETS.keys(), "market": MARKETS.values()})
    result = quietly(rm.evaluate, runs, JUDGED, "rr", by="market", query_list=listed, **given)
    return [(row["run_id"], row["market"], row["value"]) for row in result.summary.dicts()]


def test_the_first_run_orders_the_groups_of_all():
    """The first that is named, and not the first of the alphabet; it has no list of market b."""
    runs = {"low": LOW, "high": HIGH}
    found = of_two(runs, order="rr", limit=2)
    assert found == [("low", "b", 0), ("low", "d", 1 / 3), ("high", "b", 1 / 3), ("high", "d", 1)]
    found = of_two(runs, order="rr", limit=2, queries="judged_retrieved")
    assert found == [("low", "d", 1 / 3), ("low", "f", 1 / 2), ("high", "d", 1), ("high", "f", 1)]
    found = of_two(runs, order="rr desc", queries="judged_retrieved")
    assert [market for run, market, _ in found if run == "high"] == ["i", "f", "d", "b"]


def test_of_runs_in_one_table_the_first_by_name_orders_the_groups():
    runs = {"low": LOW, "high": HIGH}
    lists = [(name, query, items) for name, run in runs.items() for query, items in run.items()]
    rows = [(name, query, item, -n) for name, query, items in lists for n, item in enumerate(items)]
    run = pd.DataFrame(rows, columns=["system", "query_id", "item_id", "score"])
    found = of_two(run, columns={"run_id": "system"}, order="rr")
    assert [market for name, market, _ in found if name == "high"] == ["b", "i", "d", "f"]  # 1/3, 1/2, 1, 1
    assert [market for name, market, _ in found if name == "low"] == ["b", "i", "d", "f"]


def test_a_group_without_a_value_has_no_queries_to_be_ordered_by():
    """In group f no query has a relevant item, and in i one of two has."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE shown (query_id INT, item_id TEXT, position INT, relevance INT, market TEXT)")
    grades = zip("ddffii", [1, 1, 0, 0, 0, 1], strict=True)
    fill(connection, "shown", [(n, "i", 1, grade, market) for n, (market, grade) in enumerate(grades)])
    given = {"connection": connection, "by": "market", "no_relevant": "null"}
    for order, markets in {"n_queries": "dif", "n_queries asc": "idf", "rr": "dif", "rr desc": "dif"}.items():
        rows = quietly(rm.labelled, "shown", "rr", **given, order=order).summary.dicts()
        assert "".join(row["market"] for row in rows) == markets
    [row] = quietly(rm.labelled, "shown", "rr", **given, order="n_queries asc", limit=1).summary.dicts()
    assert row["n_queries"] == 1


def test_a_run_without_a_query_in_the_groups_that_are_kept_is_no_run_without_results():
    given = {"order": "rr", "limit": 1, "queries": "judged_retrieved"}
    assert of_two({"high": HIGH, "low": LOW}, **given) == [("high", "b", 1 / 3)]
    with pytest.raises(rm.DataError, match=r"^empty: no query is left to score"):
        of_two({"high": HIGH, "empty": {"q9": ["i"]}}, **given, check="none")


@pytest.mark.parametrize("limit", [None, 1])
def test_faults_of_groups_that_are_left_out_are_found(limit):
    """Where the statement counts them: a judged item stands twice in the best list."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE run AS FROM (VALUES ('q0', 'i', 1), ('q1', 'x', 1)) t(query_id, item_id, score)")
    connection.execute("""
        CREATE TABLE qrels AS SELECT *, 1 AS relevance
        FROM (VALUES ('q0', 'i', 'de'), ('q1', 'i', 'fr')) t(query_id, item_id, market)
    """)
    given = {"connection": connection, "by": "market", "order": "rr", "limit": limit, "check": "judged"}
    assert quietly(rm.evaluate, "run", "qrels", "rr", **given).summary.fetchall()[0] == ("fr", "rr", 0, 1)
    connection.execute("INSERT INTO run VALUES ('q0', 'i', 0)")
    with pytest.raises(rm.DataError, match="duplicate item in a query"):
        rm.evaluate("run", "qrels", "rr", **given)


def test_what_is_said_of_all_queries_does_not_depend_on_the_groups_that_are_kept():
    """Queries without a weight, and few judged items: 3 of 10."""
    connection = duckdb.connect()
    connection.execute("""
        CREATE TABLE run AS SELECT 'q' || q AS query_id, 'i' || i AS item_id, -i AS score
        FROM range(20) a(q), range(10) b(i)
    """)
    connection.execute("""
        CREATE TABLE qrels AS SELECT 'q' || q AS query_id, 'i' || i AS item_id, (i + q) % 2 AS relevance,
            q % 5 AS market, CASE WHEN q % 5 > 0 THEN 1 END AS traffic
        FROM range(20) a(q), range(3) b(i)
    """)
    given = {"connection": connection, "by": "market", "weight": "traffic"}
    whole = quietly(rm.evaluate, "run", "qrels", "p@10", **given)
    first = quietly(rm.evaluate, "run", "qrels", "p@10", **given, order="p@10", limit=1)
    assert len(whole.warnings) == 2
    assert {*first.warnings} == {*whole.warnings, "limit=1 left out 4 of 5 groups."}
    assert whole.judged_first() == first.judged_first() == ({"": 0.3}, 10)


def test_parts_tables_and_views_have_the_same_groups():
    connection = tables(5)
    given = {"connection": connection, "by": ["market"], "order": "p@1 desc", "limit": 2}
    result = quietly(rm.evaluate, "run", "qrels", METRICS, **given)
    in_parts = quietly(rm.evaluate, "run", "qrels", METRICS, **given, partitions=3)
    assert in_parts.summary.dicts() == result.summary.dicts()
    result.create_table("kept")
    result.create_view("seen")
    rows = result.summary.fetchall()
    for name in ("kept", "seen"):
        assert {*connection.execute(f"FROM {name}").fetchall()} == {*rows}
    asked = {"run": "run", "qrels": "qrels", "header": False, **given}
    assert connection.execute(rm.sql(METRICS, **asked)).fetchall() == rows
    assert {*connection.execute(rm.sql(METRICS, **asked, shape="view")).fetchall()} == {*rows}


@pytest.mark.parametrize("systems", [("a",), ("b", "a")], ids=["one run", "a column of runs"])
def test_sqlite_has_the_same_groups(systems):
    given = {"by": ["market", "device"], "limit": 3, "rollup": True, "order": "rr(no_relevant=null) desc"}
    given |= {"columns": {"run_id": "system"}} if len(systems) > 1 else {}
    ours = quietly(rm.evaluate, "run", "qrels", METRICS, connection=tables(8, systems), **given)
    with contextlib.closing(tables(8, systems, sqlite3.connect)) as connection:
        others = quietly(rm.evaluate, "run", "qrels", METRICS, connection=connection, **given)
    assert others.summary.fetchall() == alike(ours.summary.fetchall())


def test_the_command_line_has_the_same_groups(cli, tmp_path):
    for name, queries in (("run", HIGH), ("qrels", JUDGED)):
        rows = [f"{query},{item},{-n},1" for query, items in queries.items() for n, item in enumerate(items)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["query_id,item_id,score,relevance", *rows]))
    listed = [f"{query},{market}" for query, market in MARKETS.items()]
    (tmp_path / "list.csv").write_text("\n".join(["query_id,market", *listed]))
    asked = ["evaluate", tmp_path / "run.csv", "--qrels", tmp_path / "qrels.csv", "-m", "rr", "--format", "csv"]
    asked += ["--query-list", tmp_path / "list.csv"]
    done = cli(*asked, "--by", "market", "--order", "rr", "--limit", 3)
    assert [line.split(",")[1] for line in done.stdout.splitlines()[1:]] == ["b", "i", "d"]
    assert "limit=3 left out 1 of 4 groups." in done.stderr
    done = cli(*asked, "--by", "market", "--order", "rr desc")
    assert [line.split(",")[1] for line in done.stdout.splitlines()[1:]] == ["d", "f", "i", "b"]
    done = cli(*asked, "--order", "rr")
    assert done.exit_code == 2
    assert "there are no groups. Name columns: by=" in done.stderr
    asked = ["sql", "-m", "rr", "--run", "runs", "--qrels", "labels", "--by", "market"]
    given = {"run": "runs", "qrels": "labels", "by": "market"}
    assert cli(*asked, "--limit", 3).stdout == rm.sql("rr", **given, limit=3) + ";\n"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"order": "rr"}, "order and limit arrange groups, and there are no groups. Name columns: by=[...]."),
        ({"limit": 3}, "order and limit arrange groups, and there are no groups. Name columns: by=[...]."),
        ({"by": "market", "limit": 0}, "limit is a whole number of at least 1, not 0"),
        ({"by": "market", "limit": True}, "limit is a whole number of at least 1, not True"),
        ({"by": "market", "limit": 1.5}, "limit is a whole number of at least 1, not 1.5"),
        ({"by": "market", "order": 1}, "order is text, not 1"),
        ({"by": "market", "order": "p@2"}, "order: 'p@2' is not one of the metrics. Did you mean 'p@1'?"),
        ({"by": "market", "order": "ap desc"}, "order: 'ap' is not one of the metrics. Valid: rr, p@1, n_queries."),
        (
            {"by": "market", "order": "n_querys"},
            "order: 'n_querys' is not one of the metrics. Did you mean 'n_queries'",
        ),
        ({"by": "market", "order": ""}, "order: '' is not one of the metrics. Valid: rr, p@1, n_queries."),
        ({"by": "market", "order": "rr", "level": "per_query"}, "order and limit work only with a summary. Omit them."),
        ({"by": "market", "limit": 2, "level": "sums"}, "order and limit work only with a summary. Omit them."),
        (
            {"by": "market", "limit": 2, "level": "compare", "run": {"a": "x", "b": "y"}},
            "order and limit work only with a summary. Omit them.",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=re.escape(message)):
        rm.sql(["rr", "p@1"], **{"run": "runs", "qrels": "labels"} | given)


def test_a_comparison_orders_no_groups():
    with pytest.raises(rm.UsageError, match=r"^order and limit work only with a summary. Omit them.$"):
        rm.compare(LOW, {"high": HIGH}, JUDGED, "rr", by="market", order="rr")
    with pytest.raises(rm.UsageError, match=r"^Unknown argument 'limit'. Did you mean 'limits'\?$"):
        rm.compare(LOW, {"high": HIGH}, JUDGED, "rr", limit=3)

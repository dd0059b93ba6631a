"""What a comparison rests on: how much of each run is judged, and the reason that stands beside the verdict."""

from __future__ import annotations

import itertools
import json
import random
import sqlite3
from fractions import Fraction
from math import floor

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import seeds

SETS = (
    ["ndcg@5", "p@3", "r@10"],
    ["ap", "rr"],
    ["ndcg@12"],
    ["rr(no_relevant=skip)", "ap"],
    ["p(ties=best)@4", "rr@7"],
)
FIRST = (3, 10, 12, 10, 4)  # the lowest cutoff of each, or ten


def drawn(seed, n_runs=2):
    """Lists of some queries, with equal scores, and judgments of few to all of their items, of two markets."""
    chance = random.Random(seed)
    items = [f"d{number:02}" for number in range(14)]
    shares = [chance.choice([0.2, 0.45, 0.5, 0.55, 0.9, 1]) for _ in range(n_runs)]
    lowest = chance.choice([0, 0, 0, 1])
    runs: dict[str, dict[str, dict[str, float]]] = {f"run {number}": {} for number in range(n_runs)}
    qrels: dict[str, dict[str, int]] = {}
    for query in (f"q{number}" for number in range(11)):
        known = chance.sample(items, 9)
        qrels[query] = {item: chance.randint(lowest, 2) for item in known}
        if chance.random() < 0.2:
            qrels[query] = dict.fromkeys(known, lowest)
        for name, share in zip(runs, shares, strict=True):
            if chance.random() < 0.9:
                pools = known, [item for item in items if item not in known]
                size = chance.randint(1, 9)
                picked = {chance.choice(pools[chance.random() >= share]) for _ in range(size)}
                runs[name][query] = {item: chance.randint(0, 4) for item in picked}
    del qrels[chance.choice([*qrels])]
    return runs, qrels


def market(query):
    return "de" if int(query[1:]) % 3 else "se"


def top(scores, k, ties):
    """The first items of a list: by score, of equal ones the greater id first, or the judged ones where ties=best."""
    return sorted(sorted(scores, reverse=ties != "item_asc"), key=lambda item: -scores[item])[:k]


def compared(runs, qrels, names, metric, queries, paired, rel):
    """The queries of each run that the metric has a value for, of pairs in both."""
    known = {}
    for name in names:
        found = {query for query in qrels if queries == "judged" or query in runs[name]}
        known[name] = {q for q in found if "skip" not in metric or max(qrels[q].values()) >= rel}
    if paired:
        known = dict.fromkeys(names, set.intersection(*known.values()))
    return known


def counted(
    runs, qrels, names, metric, k, queries="judged", paired=True, ties="item_desc", rel=1, of=lambda query: True
):
    """The share of each run as a fraction, or None where it has no item."""
    shares = []
    for name, known in compared(runs, qrels, names, metric, queries, paired, rel).items():
        lists = {query: runs[name].get(query, {}) for query in known if of(query)}
        if "ties=best" in metric:
            firsts = [
                (query, item)
                for query, scores in lists.items()
                for item in sorted(scores, key=lambda item, q=query: (-runs[name][q][item], -qrels[q].get(item, -1)))[
                    :k
                ]
            ]
        else:
            firsts = [(query, item) for query, scores in lists.items() for item in top(scores, k, ties)]
        n_judged = sum(item in qrels[query] for query, item in firsts)
        shares.append(Fraction(n_judged, len(firsts)) if firsts else None)
    return shares


def said(names, shares, qrels, rel=1):
    """The reason of a twin."""
    before, after = shares
    is_silent = None in shares or all(grade >= rel for grades in qrels.values() for grade in grades.values())
    if is_silent or (abs(after - before) <= Fraction(1, 20) and min(shares) >= Fraction(1, 2)):
        return None
    return f"{floor(100 * after)} % of {names[1]} is judged against {floor(100 * before)} % of {names[0]}"


def check(row, names, shares, reason):
    assert (row["baseline_run"], row["run"]) == names
    for name, share in zip(("judged_baseline", "judged_candidate"), shares, strict=True):
        assert row[name] == (None if share is None else pytest.approx(float(share), abs=1e-12)), row
    assert row["reason"] == reason, row


OPTIONS = [
    {},
    {"depth": 2},
    {"strategy": "count"},
    {"queries": "judged_retrieved"},
    {"ties": "item_asc"},
    {"ties": "expected"},
    {"unjudged": "nonrelevant"},
    {"test": "wilcoxon", "interval_level": "corrected"},
    {"design": "unpaired", "queries": "judged_retrieved"},
    {"test": "bootstrap", "resamples": 100, "family": "metric"},
    {"rel": 2, "check": "none"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", seeds(30, 2))
def test_shares_and_reasons_are_those_of_a_twin(seed, options):
    runs, qrels = drawn(seed, 3)
    names, place = [*runs], (seed + OPTIONS.index(options)) % len(SETS)
    metrics, k, rel = SETS[place], min(FIRST[place], options.get("depth", 99)), options.get("rel", 1)
    paired, ties = options.get("design") != "unpaired", options.get("ties", "item_desc")
    found = quietly(rm.compare, runs, qrels, metrics, **options).summary.dicts()
    assert [(row["run"], row["metric"]) for row in found] == [(name, label) for name in names[1:] for label in metrics]
    for row in found:
        pair = names[0], row["run"]
        shares = counted(runs, qrels, pair, row["metric"], k, options.get("queries", "judged"), paired, ties, rel)
        check(row, pair, shares, None if "unjudged" in options else said(pair, shares, qrels, rel))


@pytest.mark.parametrize("seed", seeds(12, 2))
def test_of_groups_pairs_and_stored_values(seed, tmp_path):
    """All pairs; segments, which text has, too; parts of the queries; and values that were stored before."""
    runs, qrels = drawn(seed, 3)
    names, metrics, k = [*runs], ["rr(no_relevant=skip)", "p@4"], 4
    pairs = [*itertools.combinations(names, 2)]
    rows = quietly(rm.compare_all, runs, qrels, metrics).summary.dicts()
    twin = {(*pair, metric): counted(runs, qrels, pair, metric, k) for pair in pairs for metric in metrics}
    assert len(rows) == len(twin)
    for row in rows:
        pair = row["baseline_run"], row["run"]
        check(row, pair, twin[(*pair, row["metric"])], said(pair, twin[(*pair, row["metric"])], qrels))
    tukey = quietly(rm.tukey, runs, qrels, metrics).summary.dicts()
    reasons = {(row["baseline_run"], row["run"], row["metric"]): row["reason"] for row in rows}
    assert {(row["baseline_run"], row["run"], row["metric"]): row["reason"] for row in tukey} == reasons
    connection = filled(duckdb.connect(), runs, qrels)
    given = {"baseline": names[0], "columns": {"run_id": "model"}}
    by_market = rm.sql(metrics, "runs", "judged", by="market", level="compare", **given)
    found = connection.sql(by_market).df()
    by_python = quietly(
        rm.compare,
        "runs",
        qrels="judged",
        metrics=metrics,
        by="market",
        baseline=names[0],
        connection=connection,
        columns=given["columns"],
    )
    reasons = [cleaned(row)["reason"] for row in found.to_dict("records")]
    assert sorted(map(str, reasons)) == sorted(str(row["reason"]) for row in by_python.summary.dicts())
    for row in found.to_dict("records"):
        pair = names[0], row["run"]
        shares = counted(
            runs, qrels, pair, row["metric"], k, of=lambda query, own=row["market"]: market(query) == own
        )  # fmt: skip
        check(cleaned(row), pair, shares, said(pair, shares, qrels))
    connection.execute(
        f"CREATE TABLE kept AS {rm.sql(metrics, 'runs', 'judged', level='values', columns=given['columns'])}"
    )
    stored = connection.sql(
        rm.sql(metrics, "runs", "judged", level="compare", values="kept", connection=connection, **given)
    ).df()
    for row in stored.to_dict("records"):
        shares = twin[names[0], row["run"], row["metric"]]
        check(cleaned(row), (names[0], row["run"]), shares, said((names[0], row["run"]), shares, qrels))


def filled(connection, runs, qrels):
    """The same as tables, one of all runs; the places of a list are 1, 3, 5 ..."""
    rows = [
        (name, query, item, scores[item], 2 * n + 1)
        for name, run in runs.items()
        for query, scores in run.items()
        for n, item in enumerate(top(scores, 99, "item_desc"))
    ]
    tables = {
        "runs": rows,
        "judged": [(query, item, grade, market(query)) for query in qrels for item, grade in qrels[query].items()],
        **{
            table: [row[1:] for row in rows if row[0] == name]
            for table, name in zip(("first", "second"), runs, strict=False)
        },
    }
    of_run = "query_id TEXT, item_id TEXT, score REAL, place INTEGER"
    columns = {"runs": f"model TEXT, {of_run}", "judged": "query_id TEXT, item_id TEXT, relevance INTEGER, market TEXT"}
    for name, found in tables.items():
        connection.execute(f"CREATE TABLE {name} ({columns.get(name, of_run)})")
        connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(found[0]))})", found)
    return connection


def cleaned(row):
    return {name: None if pd.isna(value) else value for name, value in row.items()}


def asked(connection, text):
    cursor = connection.execute(text)
    columns = [column[0] for column in cursor.description]
    return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


@pytest.mark.parametrize("seed", seeds(6, 1))
@pytest.mark.parametrize(("dialect", "connect"), [("duckdb", duckdb.connect), ("sqlite", sqlite3.connect)])
def test_of_text_and_dbt(seed, dialect, connect):
    """The text of both, executed; options of a call or of a metric silence the reason, and a profile does not."""
    runs, qrels = drawn(seed)
    names, metrics = ("baseline", "candidate"), ["ap", "ndcg@5", "rr(unjudged=nonrelevant)"]
    renamed = dict(zip(names, runs.values(), strict=True))
    connection = filled(connect(":memory:"), runs, qrels)
    columns = {"position": "place"}
    for k, given in (
        (5, {}),
        (5, {"profile": "trec_eval"}),
        (5, {"options": {"unjudged": "nonrelevant"}}),
        (3, {"options": {"position": "given"}, "columns": columns}),
    ):
        by_dbt = {"candidate": "second", "baseline": "first", "metrics": metrics, "qrels": "judged", **given}
        text = macros(dialect)["compare"](**by_dbt)
        more = {**given, **given.get("options", {}), "dialect": dialect}
        more.pop("options", None)
        other = rm.sql(metrics, {"baseline": "first", "candidate": "second"}, "judged", level="compare", **more)
        rows = [*asked(connection, text), *asked(connection, other)]
        assert sorted(row["metric"] for row in rows) == sorted([*metrics, *metrics])
        for row in rows:
            shares = counted(renamed, qrels, names, row["metric"], k)
            is_silent = more.get("unjudged") or row["metric"].startswith("rr(")
            check(row, names, shares, None if is_silent else said(names, shares, qrels))


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ((20, 20), (19, 20), None),  # exactly five points
        ((11, 20), (10, 20), None),  # exactly five, and exactly half
        ((200, 200), (189, 200), "94 % of new is judged against 100 % of old"),
        ((29, 100), (29, 100), "29 % of new is judged against 29 % of old"),
        ((100, 200), (99, 200), "49 % of new is judged against 50 % of old"),
        ((7, 10), (7, 10), None),
        ((7, 12), (1, 2), "50 % of new is judged against 58 % of old"),
        ((1, 3), (2, 3), "66 % of new is judged against 33 % of old"),
    ],
)
def test_at_five_points_and_at_half(before, after, reason):
    sides = {"old": before, "new": after}
    n = max(total for _, total in sides.values())
    qrels = {f"q{number}": {"a": 1, "b": 0} for number in range(n)}
    runs = {
        name: {f"q{number}": ["a" if number < judged else "x"] for number in range(total)}
        for name, (judged, total) in sides.items()
    }
    [row] = quietly(rm.compare, runs, qrels, ["rr"]).summary.dicts()
    assert row["reason"] == reason


def issue():
    qrels = {f"q{n}": {"a": 1, "b": 0} for n in range(40)}
    old = {query: ["a", "b"] for query in qrels}
    new = {f"q{n}": ["x", "y", "a"] if n % 4 else ["a", "x"] for n in range(40)}
    return {"old": old, "new": new}, qrels


REASON = "36 % of new is judged against 100 % of old"


def test_whatever_says_the_verdict_says_the_reason(cli, tmp_path):
    runs, qrels = issue()
    found = rm.compare(runs, qrels, ["ndcg@10", "rr"])
    assert found.warnings == []
    assert [row["verdict"] for row in found.summary.dicts()] == ["worse", "worse"]
    for text in (repr(found), found.to_markdown(), found._repr_html_()):
        assert text.count(f"{REASON}.") == 1
    assert REASON.replace("%", "\\%") in found.to_latex()
    assert f"{REASON}." in repr(rm.compare_all(runs, qrels, ["rr"]))
    assert f"{REASON}." in repr(rm.tukey(runs, qrels, ["rr"]))
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    [first] = [text for text in page.split("<li") if "is worse than" in text][:1]
    assert f"; {REASON}." in first
    files = []
    for name, lists in runs.items():
        rows = [f"{query},{item},{place}" for query, items in lists.items() for place, item in enumerate(items, 1)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["query_id,item_id,position", *rows]))
        files.append(str(tmp_path / f"{name}.csv"))
    rows = [f"{query},{item},{grade}" for query, grades in qrels.items() for item, grade in grades.items()]
    (tmp_path / "qrels.csv").write_text("\n".join(["query_id,item_id,relevance", *rows]))
    command = ["compare", *files, "--qrels", str(tmp_path / "qrels.csv"), "-m", "ndcg@10"]
    gate = cli(*command, "--fail-if", "ndcg@10 worse")
    assert (gate.exit_code, f"after correction; {REASON}." in gate.stderr) == (3, True)
    [row] = json.loads(cli(*command, "--format", "json").stdout)
    assert (row["reason"], row["judged_baseline"], row["judged_candidate"]) == (REASON, 1, pytest.approx(40 / 110))
    [silent] = json.loads(cli(*command, "--format", "json", "--set", "unjudged=nonrelevant").stdout)
    assert (silent["reason"], silent["judged_candidate"]) == (None, pytest.approx(40 / 110))


def test_a_gate_of_dbt_that_fires_has_the_reason():
    runs, qrels = issue()
    scored = {
        name: {q: {item: -n for n, item in enumerate(own)} for q, own in run.items()} for name, run in runs.items()
    }
    connection = filled(duckdb.connect(), scored, qrels)
    test = macros("duckdb")["test_metric_not_worse_than"]
    [row] = asked(connection, test("second", ["ndcg@10"], "first", margin=0.1, qrels="judged"))
    assert (row["verdict"], row["reason"]) == ("worse", "36 % of candidate is judged against 100 % of baseline")
    silent = test("second", ["ndcg@10"], "first", margin=0.1, qrels="judged", options={"unjudged": "nonrelevant"})
    assert asked(connection, silent)[0]["reason"] is None


def test_where_nothing_is_said():
    """Lists of what is relevant, ratings, and tables with their own labels; of metrics without judgments no share."""
    runs, qrels = issue()
    only = {query: {"a": 1} for query in qrels}
    [row] = rm.compare(runs, only, ["rr"]).summary.dicts()
    assert (row["judged_baseline"], row["judged_candidate"], row["reason"]) == (0.5, pytest.approx(40 / 110), None)
    [row] = quietly(rm.compare, runs, {**only, "q0": {}}, ["rr"]).summary.dicts()
    assert row["reason"] is None
    rated = [
        (query, item, {"a": 5, "b": 1}.get(item), -place)
        for query, items in runs["new"].items()
        for place, item in enumerate(items)
    ]
    frame = pd.DataFrame(rated, columns=["user_id", "item_id", "rating", "predicted"])
    source = {name: rm.ratings(frame.assign(predicted=frame.predicted * sign)) for name, sign in (("a", 1), ("b", -1))}
    [row] = quietly(rm.compare, source, metrics=["p@2"]).summary.dicts()
    assert (row["judged_baseline"], row["reason"]) == (pytest.approx(10 / 80), None)
    table_of_labels = pd.DataFrame(  # noqa: F841 - by its name in SQL

        [(run, query, item, -place, qrels[query].get(item)) for run, lists in runs.items()
         for query, items in lists.items() for place, item in enumerate(items)],
        columns=["run_id", "query_id", "item_id", "score", "relevance"],
    )  # fmt: skip
    text = rm.sql(["rr"], labelled="labelled", level="compare", baseline="old", columns={"run_id": "run_id"})
    [row] = asked(duckdb.connect().execute("CREATE TABLE labelled AS FROM table_of_labels"), text)
    assert (row["judged_baseline"], row["judged_candidate"], row["reason"]) == (1, pytest.approx(40 / 110), None)

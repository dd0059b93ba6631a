"""Two rankings side by side: another run in place of the judgments."""

from __future__ import annotations

import random

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics

from ..conftest import ITEMS, fill, quietly
from ..everything import mostly_long, seeds
from ..oracles.brute import ranked, references

ASKED = {
    "jaccard": (references.jaccard, {"k": None}),
    **{f"jaccard@{k}": (references.jaccard, {"k": k}) for k in (1, 3, 10, 100)},
    **{f"rbo(p={p})": (references.rbo, {"p": p}) for p in (0.01, 0.5, 0.9, 0.999)},
    "rbo": (references.rbo, {}),
}


def drawn(seed, ties):
    """Two runs that share most queries, with lists of several lengths."""
    rng = random.Random(seed)

    def one():
        lists = {f"q{number}": rng.sample(ITEMS, rng.choice((1, 2, 7, len(ITEMS)))) for number in range(12)}
        scores = [rng.randint(-3, 3) if ties else rng.random() for _ in ITEMS]
        return {query: dict(zip(items, scores, strict=False)) for query, items in lists.items() if rng.random() < 0.8}

    return one(), one()


def check(result, run, other, queries):
    rows = {row["query_id"]: row for row in result.per_query.dicts()}
    assert rows.keys() == set(queries)
    for query, row in rows.items():
        for name, (twin, params) in ASKED.items():
            expected = twin(ranked(run.get(query, {})), ranked(other.get(query, {})), **params)
            assert row[name] == pytest.approx(expected, abs=1e-12), (query, name)


def test_every_metric_has_a_twin():
    assert {name for name, metric in metrics().items() if metric.reads_reference} == {"jaccard", "rbo"}


@pytest.mark.of_metrics
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", seeds(8, 1))
def test_against_their_twins(seed, ties):
    run, other = drawn(seed, ties)
    check(quietly(rm.evaluate, run, rm.ranks(other), list(ASKED)), run, other, other)
    both = quietly(rm.evaluate, run, rm.ranks(other), list(ASKED), queries="judged_retrieved")
    check(both, run, other, run.keys() & other.keys())


@pytest.mark.parametrize(
    "form", mostly_long(["frame", "table", "query", "file", "positions", "lists"], "table", "lists")
)
def test_what_the_other_run_may_be(form, tmp_path):
    run, other = drawn(50, ties=False)
    rows = [(query, item, score) for query, items in other.items() for item, score in items.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "item_id", "score"])
    with duckdb.connect() as con:
        con.execute("CREATE TABLE mine (query_id TEXT, item_id TEXT, score DOUBLE)")
        fill(con, "mine", [(q, i, s) for q, items in run.items() for i, s in items.items()])
        con.register("theirs", frame)
        con.execute("CREATE TABLE placed AS SELECT query_id AS asked, item_id AS doc, -10 * score AS place FROM theirs")
        frame.to_csv(tmp_path / "theirs.csv", index=False)
        given = {
            "frame": rm.ranks(frame),
            "table": rm.ranks("theirs", score="score"),
            "query": rm.ranks(
                "SELECT asked AS query_id, doc, -place AS points FROM placed", item="doc", score="points"
            ),
            "file": rm.ranks(tmp_path / "theirs.csv"),
            "positions": rm.ranks("placed", query="asked", item="doc", position="place"),
            "lists": rm.ranks({query: ranked(items) for query, items in other.items()}),
        }[form]
        columns = {"qrels.query_id": "asked"} if form == "positions" else None
        check(quietly(rm.evaluate, "mine", given, list(ASKED), connection=con, columns=columns), run, other, other)
        if form in ("table", "positions"):
            text = rm.sql(list(ASKED), "mine", given, columns=columns, level="per_query")
            mine = quietly(rm.evaluate, "mine", given, list(ASKED), connection=con, columns=columns).per_query
            assert con.execute(text).fetchall() == [pytest.approx(row, abs=1e-12) for row in mine.fetchall()]


def test_several_runs_and_groups():
    run, other = drawn(60, ties=False)
    third = {query: dict(list(items.items())[::-1]) for query, items in run.items()}
    found = quietly(rm.evaluate, {"same": other, "own": run, "third": third}, rm.ranks(other), ["rbo", "jaccard@3"])
    assert [row["value"] for row in found.summary.dicts()][:2] == pytest.approx([1, 1], abs=1e-12)
    compared = quietly(rm.compare, run, {"same": other}, rm.ranks(other), ["rbo"], queries="judged_retrieved")
    assert compared.summary.dicts()[0]["candidate"] == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: rm.evaluate({"q": ["a"]}, {"q": {"a": 2}}, "rbo"),
            r"each grade must be 1 divided by a rank\. ranks\(run\) .*'a', 2",
        ),
        (lambda: rm.evaluate({"q": ["a"]}, {"q": {"a": 0}}, "jaccard@1"), r"1 divided by a rank.*'a', 0"),
        (lambda: rm.evaluate({"q": ["a"]}, {"q": {"a": 1, "b": 1}}, "rbo"), "whose items have different ranks"),
        (lambda: rm.evaluate({"q": ["a"]}, rm.ranks({"q": ["a"]}), "rbo(p=1)"), "p"),
        (lambda: rm.ranks("x", score="a", position="b"), "Name one of them"),
        (lambda: rm.evaluate({"q": ["a"]}, rm.ranks({"q": ["a"]}, item="doc"), "rbo"), "no column 'doc' for item"),
    ],
)
def test_what_cannot_be_compared(call, message):
    with pytest.raises(rm.RankmetricsError, match=message):
        quietly(call)


def test_on_the_command_line(tmp_path, cli):
    (tmp_path / "new.trec").write_text("q Q0 b 1 2 x\nq Q0 a 2 1 x\n")
    (tmp_path / "old.trec").write_text("q Q0 b 1 2 x\nq Q0 c 2 1 x\n")
    new, old = str(tmp_path / "new.trec"), str(tmp_path / "old.trec")
    asked = ["-m", "jaccard@2", "-m", "rbo(p=0.5)", "--format", "csv"]
    lines = cli("evaluate", new, "--reference", old, *asked).stdout.splitlines()
    assert lines[1:] == ["new,jaccard@2,0.3333333333333333,1", "new,rbo(p=0.5),0.75,1"]
    assert "exclude each other" in cli("evaluate", new, "--reference", old, "--qrels", old, "-m", "rbo").stderr

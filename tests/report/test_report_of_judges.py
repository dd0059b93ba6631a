"""The page of judgments by several judges: a verdict under each."""

from __future__ import annotations

import random

import pandas as pd
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly
from .test_report import Page, as_shown, differences_shown

JUDGES = ("gpt", "people")


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Two runs, and grades of two judges who differ in what they see, as files."""
    folder, rng = tmp_path_factory.mktemp("judged"), random.Random(4)
    pairs = [(f"q{number}", f"d{item}") for number in range(20) for item in range(4)]
    for name, above in (("old", 0.0), ("new", 0.6)):
        rows = [(query, item, rng.random() + above * (item == "d0")) for query, item in pairs]
        pd.DataFrame(rows, columns=["query_id", "item_id", "score"]).to_csv(folder / f"{name}.csv", index=False)
    grades = [
        (query, item, judge, rng.choice([0, 1, 2]) if item == "d0" else rng.choice([0, 0, 1]))
        for query, item in pairs
        for judge in JUDGES
        if judge == "gpt" or item != "d3"
    ]
    columns = ["query_id", "item_id", "judge", "relevance"]
    pd.DataFrame(grades, columns=columns).to_csv(folder / "grades.csv", index=False)
    markets = [(f"q{number}", "ab"[number % 2]) for number in range(20)]
    pd.DataFrame(markets, columns=["query_id", "market"]).to_csv(folder / "queries.csv", index=False)
    return folder


def compared(**given):
    return quietly(rm.compare, "old.csv", {"new": "new.csv"}, "grades.csv", ["cg@2", "p@2"], judge="judge", **given)


def test_each_judge_has_a_verdict(cli, judged, monkeypatch, undrawn):
    """The page has the rows of the comparison, its counts of verdicts, and queries of each judge."""
    monkeypatch.chdir(judged)
    written = cli(
        *("report", "old.csv", "new.csv", "--qrels", "grades.csv", "--judge", "judge", "-m", "cg@2,p@2"),
        *("--query-list", "queries.csv", "--by", "market", "-o", "page.html"),
    )
    assert written.exit_code == 0, written.output
    found = Page((judged / "page.html").read_text(encoding="utf-8"))
    whole, segments = compared(), compared(by="market", query_list="queries.csv")
    assert differences_shown(found) == as_shown(whole)
    assert [row[0] for row in found.tables["differences"][1:]] == ["gpt", "gpt", "people", "people"]
    assert differences_shown(found, "segment-differences") == as_shown(segments)
    for note in (*whole.notes, *segments.notes):
        assert note in found.text
    assert {row[0].rpartition(", ")[2] for row in found.tables["queries"][1:]} == {*JUDGES}

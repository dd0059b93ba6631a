"""The page of judgments by several judges: a verdict under each."""

from __future__ import annotations

import random

import pandas as pd
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import mostly_long
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


def agreement_of(*judgments, **given):
    """What a page says of the judges, from rm.agreement: each two, and all."""
    found = rm.agreement(*judgments, **given)
    pairs = [
        [
            *(row["judge_a"], row["judge_b"], str(row["n_both"]), f"{100 * row['observed']:.1f}%"),
            *(f"{row['kappa']:.4f}", f"[{row['kappa_ci_lower']:.4f}, {row['kappa_ci_upper']:.4f}]"),
            f"{row['quadratic_kappa']:.4f}",
            f"[{row['quadratic_kappa_ci_lower']:.4f}, {row['quadratic_kappa_ci_upper']:.4f}]",
        ]
        for row in found.pairs
    ]
    overall = [
        [
            *(f"{row['value']:.4f}", f"[{row['ci_lower']:.4f}, {row['ci_upper']:.4f}]"),
            *(str(row["n_items"]), str(row["n_queries"])),
        ]
        for row in found.overall
        if row["value"] is not None
    ]
    return pairs, overall


def agreement_shown(found):
    return found.tables["pairs-of-judges"][1:], [row[1:] for row in found.tables["all-judges"][1:]]


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
    assert agreement_shown(found) == agreement_of("grades.csv", judge="judge")
    assert {row[0].rpartition(", ")[2] for row in found.tables["queries"][1:]} == {*JUDGES}


@pytest.mark.parametrize("runs", mostly_long([("new.csv",), ("old.csv", "new.csv")], ("new.csv",)), ids=len)
def test_a_consensus_has_the_agreement_of_its_judges(cli, judged, monkeypatch, undrawn, runs):
    """Also if the columns have names of their own, and if two of three judges agree least."""
    monkeypatch.chdir(judged)
    grades = pd.read_csv("grades.csv").set_axis(["query_id", "doc", "rater", "grade"], axis=1)
    third = grades[grades.rater == "gpt"].assign(rater="mini", grade=lambda rows: (rows.index % 3 == 0).astype(int))
    pd.concat([grades, third]).to_csv("renamed.csv", index=False)
    columns = ["--columns", "qrels.item=doc,relevance=grade"]
    merged = ["--judge", "rater", "--consensus", "highest", "--set", "confidence_level=0.9"]
    written = cli("report", *runs, "--qrels", "renamed.csv", "-m", "cg@2", *merged, *columns, "-o", "merged.html")
    assert written.exit_code == 0, written.output
    found = Page((judged / "merged.html").read_text(encoding="utf-8"))
    named = {"columns": {"item": "doc", "relevance": "grade"}, "confidence_level": 0.9}
    agreed = rm.agreement("renamed.csv", judge="rater", **named)
    assert agreement_shown(found) == agreement_of("renamed.csv", judge="rater", **named)
    least = min(agreed.pairs, key=lambda row: row["quadratic_kappa"])
    assert f"Grades of {least['judge_a']} and {least['judge_b']}, who agree least" in found.text
    assert "The agreement of the judges" in found.text


def test_one_judge_has_no_agreement(judged, monkeypatch, undrawn, tmp_path):
    monkeypatch.chdir(judged)
    grades = pd.read_csv("grades.csv").query("judge == 'gpt'")
    quietly(quietly(rm.evaluate, "new.csv", rm.consensus(grades), "cg@2").report, tmp_path / "page.html")
    found = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "The agreement of the judges is not shown: agreement needs two judges or more" in found.text
    assert "all-judges" not in found.tables

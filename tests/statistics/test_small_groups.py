"""min_queries of a comparison: small groups are in no family of tests, as if nobody had asked about their queries."""

from __future__ import annotations

import random
from itertools import product

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import mostly_long

# Of 60 queries these many have each term.
SIZES = {"a": 1, "b": 3, "c": 5, "d": 7, "e": 9, "f": 35}
TERMS = [term for term, size in SIZES.items() for _ in range(size)]
METRICS = ["ndcg@3", "rr", "num_rel_ret@2"]


def drawn(seed, arms=False):
    """Two runs, or two arms of one run, and judgments with a term for each query."""
    draw = random.Random(seed)
    pairs = [(number, f"d{item}") for number in range(len(TERMS)) for item in range(6)]
    runs = {
        name: pd.DataFrame([(f"q{number}", item, draw.random()) for number, item in pairs], columns=[*KEYS, "score"])
        for name in ("old", "new", "other")
    }
    judged = [(f"q{number}", item, draw.randint(0, 2), TERMS[number]) for number, item in pairs]
    for odd, name in enumerate(["old", "new"] if arms else []):
        runs[name] = runs[name][[int(query[1:]) % 2 == odd for query in runs[name].query_id]]
    return runs, pd.DataFrame(judged, columns=[*KEYS, "relevance", "term"])


KEYS = ["query_id", "item_id"]
CASES = {
    "pairs": {},
    "intervals": {"interval_level": "corrected", "correction": "bonferroni", "confidence_level": 0.9},
    "family": {"family": "metric", "correction": "bh"},
    "ranks": {"test": "wilcoxon", "alternative": "greater"},
    "power": {"power": 0.7, "margin": 0.1, "alternative": "greater"},
    "bounds": {"unjudged": "bounds", "family": "all"},
    "arms": {"design": "unpaired", "queries": "judged_retrieved"},
}


@pytest.mark.parametrize("asked", mostly_long(product(CASES, (6, 9)), *((case, 6) for case in CASES), ("arms", 9)))
def test_small_groups_are_as_if_never_asked_about(asked):
    case, least = asked
    runs, qrels = drawn(11, arms=case == "arms")
    call = [runs["old"], {"new": runs["new"]}, qrels, METRICS[:2] if case in ("bounds", "ranks") else METRICS]
    given = {"by": "term", **CASES[case]}
    found = quietly(rm.compare, *call, min_queries=least, **given)
    large = [f"q{number}" for number, term in enumerate(TERMS) if SIZES[term] >= least]
    wanted = quietly(rm.compare, *call, query_list=large, **given)
    assert {row["term"] for row in found.summary.dicts()} == {term for term in SIZES if SIZES[term] >= least}
    assert same(found, wanted)
    n_rows = len([term for term, size in SIZES.items() if (case == "arms") < size < least]) * len(call[3])
    assert f"min_queries={least} left out {n_rows} rows of groups with fewer queries." in found.notes
    assert "n_groups_left_out" not in found.summary.columns


def same(found, wanted):
    pairs = zip(found.summary.fetchall(), wanted.summary.fetchall(), strict=True)
    cells = [cell for ours, theirs in pairs for cell in zip(ours, theirs, strict=True)]
    return all(one == pytest.approx(other, abs=1e-12) for one, other in cells)


def test_all_pairs_leave_them_out_too():
    runs, qrels = drawn(12)
    found = quietly(rm.compare_all, runs, qrels, METRICS, by="term", min_queries=8)
    large = [f"q{number}" for number, term in enumerate(TERMS) if SIZES[term] >= 8]
    assert same(found, quietly(rm.compare_all, runs, qrels, METRICS, by="term", query_list=large))
    assert "min_queries=8 left out 36 rows of groups with fewer queries." in found.notes


def test_one_row_and_none():
    runs, qrels = drawn(13)
    call = [runs["old"], {"new": runs["new"]}, qrels, "rr"]
    two = quietly(rm.compare, *call, by="term", min_queries=2)
    assert "min_queries=2 left out 1 row of a group with fewer queries." in two.notes
    none = quietly(rm.compare, *call, by="term", min_queries=1)
    assert not [note for note in none.notes if "min_queries" in note]
    with pytest.raises(rm.DataError, match=r"every group has fewer than min_queries=36 queries"):
        quietly(rm.compare, *call, by="term", min_queries=36)
    with pytest.raises(rm.UsageError, match=r"there are no groups\. Name columns: by="):
        quietly(rm.compare, *call, min_queries=2)


def test_printed_in_dbt_and_on_the_command_line(tmp_path, cli):
    runs, qrels = drawn(14)
    con = duckdb.connect()
    for name, table in {**runs, "labels": qrels}.items():
        con.register(f"{name}_here", table)
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    given = {"by": "term", "min_queries": 8}
    wanted = quietly(rm.compare, runs["old"], {"new": runs["new"]}, qrels, METRICS, **given).summary.dicts()
    numbers = sorted((row["term"], row["metric"], row["pvalue_adj"]) for row in wanted)
    assert len(numbers) == 6
    dbt = macros()["compare"](candidate="new_here", baseline="old_here", metrics=METRICS, qrels="labels_here", **given)
    tables = {"old": "old_here", "new": "new_here"}
    printed = rm.sql(METRICS, tables, "labels_here", level="compare", connection=con, **given)
    for text in (dbt, printed):
        rows = con.execute(text).fetchdf().to_dict("records")
        close = [(row["term"], row["metric"], pytest.approx(row["pvalue_adj"], abs=1e-12)) for row in rows]
        assert sorted(close, key=lambda row: row[:2]) == numbers
    files = [tmp_path / "old.csv", f"new={tmp_path / 'new.csv'}", "--qrels", tmp_path / "labels.csv"]
    asked = [part for name in METRICS for part in ("-m", name)]
    shown = cli("compare", *files, *asked, "--by", "term", "--min-queries", 8)
    assert shown.exit_code == 0
    assert "min_queries=8 left out 12 rows of groups with fewer queries." in " ".join(shown.stdout.split())

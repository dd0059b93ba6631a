"""Ends of intervals that are missing: open where the alternative leaves that side open, unknown anywhere else."""

from __future__ import annotations

import csv
import io
import json

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.results.comparison_tables import comparison
from rankmetrics_sql.results.numbers import format_interval

from ..conftest import quietly

RUNS = {
    "known": ({"a": ["x"], "b": ["y", "x"], "c": ["x"]}, {"a": ["x"], "b": ["x"], "c": ["y", "x"]}),
    "unknown": ({"a": ["x"]}, {"a": ["y", "x"]}),
    "equal": ({"a": ["x"], "b": ["x"]}, {"a": ["y", "x"], "b": ["y", "x"]}),
}
ENDS = ("effect_size_ci_lower", "effect_size_ci_upper", "rel_effect_size_ci_lower", "rel_effect_size_ci_upper")


def meaning(row, of="effect_size"):
    """The rule of the documentation, for a row that a program reads: what each end of an interval says."""
    lower, upper = row[f"{of}_ci_lower"], row[f"{of}_ci_upper"]
    ends = {
        "lower": "open" if row["alternative"] == "less" and upper is not None else "unknown",
        "upper": "open" if row["alternative"] == "greater" and lower is not None else "unknown",
    }
    return tuple(ends[name] if end is None else "known" for name, end in (("lower", lower), ("upper", upper)))


@pytest.mark.parametrize(
    ("alternative", "of_known", "shown"),
    [
        ("two_sided", ("known", "known"), "[-"),
        ("greater", ("known", "open"), ", inf)"),
        ("less", ("open", "known"), "(-inf, "),
    ],
)
@pytest.mark.parametrize("options", [{}, {"test": "bootstrap", "resamples": 100}, {"interval_level": "corrected"}])
def test_open_and_unknown_ends_are_told_apart(alternative, of_known, shown, options):
    for kind, runs in RUNS.items():
        qrels = {query: {"x": 1} for query in runs[0]}
        found = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "rr", alternative=alternative, **options)
        [row] = found.summary.dicts()
        for of in ("effect_size", "rel_effect_size"):
            assert meaning(row, of) == (of_known if kind == "known" else ("unknown", "unknown")), (kind, of)
        assert (shown in repr(found)) == (kind == "known")


def test_an_end_that_no_double_holds_is_unknown():
    """Of two queries at the last level the ratio's upper end is beyond 1e300; two-sided nothing is open."""
    runs = {"a": ["x"], "b": ["y"]}, {"a": ["y"], "b": ["x"]}
    qrels = {"a": {"x": 1}, "b": {"x": 1}}
    found = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "rr", confidence_level=0.99999)
    [row] = found.summary.dicts()
    assert meaning(row, "rel_effect_size") == ("known", "unknown")
    assert "-100.0%, -" in comparison(found.summary.dicts(), found.options, "markdown")


@pytest.mark.parametrize(
    ("ends", "alternative", "text"),
    [
        ((0.1, 0.2), "two_sided", "[0.1000, 0.2000]"),
        ((0.1, None), "greater", "[0.1000, inf)"),
        ((None, 0.2), "less", "(-inf, 0.2000]"),
        ((0.1, None), "two_sided", "[0.1000, -]"),
        ((None, 0.2), "two_sided", "[-, 0.2000]"),
        ((None, None), "greater", "-"),
        ((None, None), "less", "-"),
        ((None, None), "two_sided", "-"),
    ],
)
def test_as_people_read_it(ends, alternative, text):
    assert format_interval(*ends, alternative=alternative) == text


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_files_say_the_same(alternative, cli, tmp_path):
    """JSON stays JSON, without Infinity; CSV has nothing there. The column alternative is in every row."""
    for name, run in zip(("old", "new"), RUNS["known"], strict=True):
        lines = [f"{q} Q0 {item} {n} {9 - n} {name}" for q, items in run.items() for n, item in enumerate(items, 1)]
        (tmp_path / f"{name}.run").write_text("\n".join([*lines, ""]))
    (tmp_path / "qrels.txt").write_text("a 0 x 1\nb 0 x 1\nc 0 x 1\n")
    asked = ["compare", tmp_path / "old.run", tmp_path / "new.run", "--qrels", tmp_path / "qrels.txt", "-m", "rr"]
    asked += ["--set", f"alternative={alternative}"]

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    [row] = json.loads(cli(*asked, "--format", "json").stdout, parse_constant=refuse)
    [cells] = csv.DictReader(io.StringIO(cli(*asked, "--format", "csv").stdout))
    expected = ("known", "open") if alternative == "greater" else ("open", "known")
    assert meaning(row) == meaning(row, "rel_effect_size") == expected
    assert meaning({name: cell or None for name, cell in cells.items()}) == expected

"""A verdict for each judge: beside the comparison under each of them alone, corrected over all by hand."""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner

import rankmetrics_sql as rm
from rankmetrics_sql.cli import main
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import mostly_long

JUDGES = ("claude", "gpt", "people")
RUNS = {"old": "old_run", "new": "new_run"}
METRICS = ["ndcg@5", "p@3"]
TABLES = {
    "grades": "query_id VARCHAR, item_id VARCHAR, rater VARCHAR, relevance INTEGER",
    "old_run": "query_id VARCHAR, item_id VARCHAR, score DOUBLE, rater VARCHAR",
    "new_run": "query_id VARCHAR, item_id VARCHAR, score DOUBLE",
    "other_run": "query_id VARCHAR, item_id VARCHAR, score DOUBLE",
    "queries": "query_id VARCHAR, market VARCHAR, searcher VARCHAR, weight DOUBLE",
}


def drawn(seed=3):
    """Three judges who see more or less of what is relevant, of whom one has not judged all queries."""
    rng = random.Random(seed)
    rows = {name: [] for name in TABLES}
    for number in range(36):
        query = f"q{number:02}"
        rows["queries"].append((query, "us" if number % 3 else "uk", f"s{number % 14}", rng.choice([0, 1, 2.5])))
        for place in range(7):
            item, truth = f"d{place}", int(rng.random() < 0.4)
            for judge, sees in zip(JUDGES, (0.9, 0.7, 0.5), strict=True):
                if rng.random() < 0.85 and not (judge == "people" and number > 28):
                    grade = truth * rng.choice([1, 2]) if rng.random() < sees else rng.choice([0, 1])
                    rows["grades"].append((query, item, judge, grade))
            if number < 34:
                rows["old_run"].append((query, item, rng.random(), "nobody"))
            rows["new_run"].append((query, item, rng.random() + 0.5 * truth))
            rows["other_run"].append((query, item, rng.random() + 0.1 * truth))
    return rows


def load(connection):
    for table, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {table} ({columns})")
        fill(connection, table, drawn()[table])


@pytest.fixture(scope="module")
def judged():
    with duckdb.connect() as connection:
        load(connection)
        yield connection


def compared(connection, qrels="grades", runs=RUNS, metrics=METRICS, **choices):
    return quietly(rm.compare, runs, qrels, metrics, connection=connection, **choices)


def close(row):
    """A row whose numbers may differ in what rounding leaves."""
    return {
        name: pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else value
        for name, value in row.items()
    }


def holm(pvalues):
    """Corrected p-values, by hand."""
    corrected, largest = {}, 0.0
    tested = sorted((value, key) for key, value in pvalues.items() if value is not None)
    for place, (value, key) in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - place) * value))
        corrected[key] = largest
    return corrected


# Columns that the other judges, or how many tests there are, have no part in.
OWN = (
    *("baseline_run", "baseline", "candidate", "effect_size", "standard_error", "statistic", "pvalue", "n_queries"),
    *("n_higher", "n_lower", "n_units", "judged_candidate", "effect_size_ci_lower", "effect_size_ci_upper"),
)
CHOICES = {
    "default": {},
    "two candidates": {"runs": {**RUNS, "other": "other_run"}},
    "wilcoxon": {"test": "wilcoxon"},
    "sign": {"test": "sign", "rel": 2},
    "margin": {"margin": 0.05, "alternative": "greater"},
    "equivalence": {"margin": 0.2, "alternative": "equivalence"},
    "limits": {"limits": {"p@3": 0.05, "ndcg@5": 0.02}},
    "by": {"by": "market", "query_list": "queries"},
    "by and min_queries": {"by": "market", "query_list": "queries", "min_queries": 11},
    "cluster": {"cluster": "searcher", "query_list": "queries"},
    "weight": {"weight": "query_list.weight", "query_list": "queries"},
    "retrieved": {"queries": "retrieved"},
    "judged_retrieved": {"queries": "judged_retrieved"},
    "judged_relevant": {"queries": "judged_relevant", "impute": 0.5},
    "bounds": {"unjudged": "bounds"},
    "dropped": {"unjudged": "drop", "ties": "item_asc"},
    "one-sided": {"alternative": "less", "confidence_level": 0.9},
}


@pytest.mark.parametrize("name", mostly_long(CHOICES, "by and min_queries"))
def test_each_judge_alone(judged, name):
    choices = CHOICES[name]
    rows = compared(judged, judge="rater", **choices).summary.dicts()
    places = [column for column in ("market", "run", "metric") if column in rows[0]]
    found = {(row["rater"], *(row[place] for place in places)): row for row in rows}
    expected = {}
    for judge in JUDGES:
        alone = f"SELECT query_id, item_id, relevance FROM grades WHERE rater = '{judge}'"
        for row in compared(judged, alone, **choices).summary.dicts():
            expected[judge, *(row[place] for place in places)] = row
    assert found.keys() == expected.keys()
    assert len(rows) == len(found)
    ranges = ("effect_low", "effect_high") if name == "bounds" else ()
    for key, row in expected.items():
        own = {column: row[column] for column in (*OWN, *ranges)}
        assert {column: found[key][column] for column in own} == close(own), key
    corrected = holm({key: row["pvalue"] for key, row in expected.items()})
    assert {key: row["pvalue_adj"] for key, row in found.items() if row["pvalue_adj"] is not None} == pytest.approx(
        corrected, rel=1e-9
    )


@pytest.mark.long
def test_families(judged):
    """Each judge may be a family, too."""
    rows = compared(judged, judge="rater", family="group").summary.dicts()
    for judge in JUDGES:
        of_judge = {row["metric"]: row for row in rows if row["rater"] == judge}
        corrected = holm({metric: row["pvalue"] for metric, row in of_judge.items()})
        assert {metric: row["pvalue_adj"] for metric, row in of_judge.items()} == pytest.approx(corrected)


# Relevant items of queries in which old puts a first and new puts b.
CLEAR = [
    *((f"q{n}", "b", judge, 1) for n in range(8) for judge in ("gpt", "claude")),
    *((f"q{n}", "a", "people", 1) for n in range(8)),
    *((f"q{n}", item, "mini", 1) for n in range(8) for item in "ab"),
    *(("q8", "z", judge, 1) for judge in ("gpt", "claude", "people")),
]
NOTE = "p@1, new: better under 2 of 4 judges, worse under 1, no difference under 1."


def test_note():
    """The verdicts are counted below the table, in each form that people read."""
    runs = {"old": {f"q{n}": ["a", "b"] for n in range(9)}, "new": {f"q{n}": ["b", "a"] for n in range(9)}}
    grades = pd.DataFrame(CLEAR, columns=["query_id", "item_id", "judge", "relevance"])
    found = compared(None, grades, runs, "p@1", judge="judge")
    assert {row["judge"]: row["verdict"] for row in found.summary.dicts()} == {
        "claude": "better",
        "gpt": "better",
        "mini": "no difference",
        "people": "worse",
    }
    assert found.notes == [NOTE]
    assert found.heterogeneity is None
    for text in (repr(found), found._repr_html_(), found.to_markdown(), found.to_latex()):
        assert NOTE in " ".join(text.replace("\\", "").split())
    signs = compared(None, grades, runs, "p@1", judge="judge", test="sign")
    assert signs.notes == [
        "p@1, new: more queries fell under 1 of 4 judges, more queries rose under 2, no difference under 1."
    ]


@pytest.mark.long
def test_queries_of_a_judge(judged):
    """The values of queries name the judge once, and add up to the effect."""
    found = compared(judged, judge="rater")
    rows = found.per_query.dicts()
    assert found.per_query.columns[:5] == ["run", "baseline_run", "query_id", "rater", "metric"]
    for effect in found.summary.dicts():
        parts = [
            row["contribution"]
            for row in rows
            if (row["rater"], row["metric"]) == (effect["rater"], effect["metric"]) and row["contribution"] is not None
        ]
        assert sum(parts) == pytest.approx(effect["effect_size"])


@pytest.mark.parametrize("place", mostly_long(["duckdb", "sqlite", "frames"], "frames"))
@pytest.mark.long
def test_places(judged, place):
    """Rows are the same in a database of another kind, and of frames whose judges are numbers."""
    expected = {(row["rater"], row["metric"]): row for row in compared(judged, judge="rater").summary.dicts()}
    if place == "frames":
        numbers = "list_position(['claude', 'gpt', 'people'], rater)"
        grades = judged.execute(f"SELECT * REPLACE ({numbers} AS rater) FROM grades").df()
        runs = {name: judged.execute(f"FROM {table}").df() for name, table in RUNS.items()}
        rows = compared(None, grades, runs, judge="rater").summary.dicts()
        names = dict(zip("123", JUDGES, strict=True))
        found = {(names[row["rater"]], row["metric"]): row for row in rows}
    elif place == "sqlite":
        with contextlib.closing(sqlite3.connect(":memory:")) as connection:
            load(connection)
            rows = compared(connection, judge="rater").summary.dicts()
        found = {(row["rater"], row["metric"]): row for row in rows}
    else:
        text = rm.sql(METRICS, RUNS, "grades", level="compare", judge="rater")
        cursor = judged.execute(text)
        rows = [dict(zip([c[0] for c in cursor.description], row, strict=True)) for row in cursor.fetchall()]
        found = {(row["rater"], row["metric"]): row for row in rows}
    assert found.keys() == expected.keys()
    for key, row in expected.items():
        shown = {name: found[key][name] for name in ("effect_size", "pvalue", "pvalue_adj", "n_queries", "verdict")}
        assert shown == close({name: row[name] for name in shown})


@pytest.mark.long
def test_printed_values_of_queries(judged):
    text = rm.sql(METRICS, RUNS, "grades", level="compare_per_query", judge="rater", connection=judged)
    expected = compared(judged, judge="rater").per_query.fetchall()
    key = [0, 2, 3, 4]
    assert sorted(judged.execute(text).fetchall(), key=lambda row: [row[k] for k in key]) == sorted(
        expected, key=lambda row: [row[k] for k in key]
    )
    assert "-- judge rater" in rm.sql(METRICS, RUNS, "grades", level="compare", judge="rater")


def test_judges_that_are_missing(judged):
    """Grades without a judge are left out and counted."""
    some = "SELECT * REPLACE (CASE WHEN rater = 'gpt' THEN NULL ELSE rater END AS rater) FROM grades"
    n_left_out = judged.execute("SELECT COUNT(*) FROM grades WHERE rater = 'gpt'").fetchall()[0][0]
    found = compared(judged, some, judge="rater")
    assert f"qrels query: {n_left_out} judgments have no rater, and are left out." in found.warnings
    assert {row["rater"] for row in found.summary.dicts()} == {"claude", "people"}
    assert "Warnings count a query once for each judge." in found.warnings


WRONG = {
    "no column": ({"judge": "ratr"}, rm.DataError, "grades: no column 'ratr' for judge.*Did you mean 'rater'"),
    "one judge": (
        {"judge": "rater", "qrels": "SELECT * FROM grades WHERE rater = 'gpt'"},
        *(rm.DataError, "needs two judges or more, but column 'rater' has only 'gpt'"),
    ),
    "no judges": (
        {"judge": "rater", "qrels": "SELECT * REPLACE (NULL::TEXT AS rater) FROM grades"},
        *(rm.DataError, "but column 'rater' has no judge"),
    ),
    "two grades": (
        {"judge": "rater", "qrels": "SELECT * FROM grades UNION ALL SELECT 'q00', 'd9', 'gpt', unnest([0, 1])"},
        *(rm.DataError, r"\(query, judge, item, rows\): \('q00', 'gpt', 'd9', 2\). A judge gives an item one grade"),
    ),
    "a consensus": (
        {"judge": "rater", "qrels": rm.consensus("grades", judge="rater")},
        *(rm.UsageError, "consensus.. has made one of them"),
    ),
    "a number": ({"judge": 3}, rm.UsageError, "names a column of the judgments, not 3"),
    "arms": ({"judge": "rater", "design": "unpaired"}, rm.UsageError, "each arm has its own. Pass the grades of one"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong(judged, name):
    choices, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        compared(judged, **choices)


def test_without_judgments(judged):
    log = rm.lists("SELECT query_id, LIST(item_id ORDER BY score DESC) AS items FROM old_run GROUP BY 1")
    with pytest.raises(rm.UsageError, match=r"none are passed\. Pass qrels with"):
        rm.compare(log, {"other": log}, None, "p@3", judge="rater", connection=judged)
    with pytest.raises(rm.UsageError, match="judge= works only with level=compare"):
        rm.sql("p@3", "old_run", "grades", judge="rater")


@pytest.mark.long
def test_two_grades_by_choice(judged):
    """The highest of two grades of a judge counts if that is asked for."""
    twice = "SELECT * FROM grades UNION ALL SELECT * REPLACE (relevance - 1 AS relevance) FROM grades"
    chosen = compared(judged, twice, judge="rater", duplicate_judgments="highest").summary.dicts()
    assert chosen == [close(row) for row in compared(judged, judge="rater").summary.dicts()]


@pytest.mark.long
def test_lists(judged):
    """A source of lists is a run like any other."""
    lists = "SELECT query_id, LIST(item_id ORDER BY score DESC, item_id DESC) AS items FROM {} GROUP BY query_id"
    runs = {name: rm.lists(lists.format(table)) for name, table in RUNS.items()}
    found = compared(judged, runs=runs, judge="rater").summary.dicts()
    expected = compared(judged, judge="rater").summary.dicts()
    assert [row["effect_size"] for row in found] == pytest.approx([row["effect_size"] for row in expected])
    assert [row["rater"] for row in found] == [row["rater"] for row in expected]


def test_command(judged, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for table in ("grades", *RUNS.values()):
        judged.execute(f"COPY {table} TO '{table}.csv'")
    runs = [f"{name}={table}.csv" for name, table in RUNS.items()]
    given = [*runs, "--qrels", "grades.csv", "-m", ",".join(METRICS), "--judge", "rater"]
    shown = CliRunner().invoke(main, ["compare", *given, "--format", "json"])
    assert shown.exit_code == 0, shown.output
    rows = {(row["rater"], row["metric"]): row["pvalue_adj"] for row in json.loads(shown.stdout)}
    expected = compared(judged, judge="rater").summary.dicts()
    assert rows == pytest.approx({(row["rater"], row["metric"]): row["pvalue_adj"] for row in expected})
    text = CliRunner().invoke(main, ["compare", *given]).stdout
    assert " under 3 of 3 judges" in text or " of 3 judges, " in text
    failing = CliRunner().invoke(main, ["compare", *given, "--fail-unless", "p@3 better by 0.9"])
    assert failing.exit_code == 3
    assert "rater" in failing.stderr
    merged = CliRunner().invoke(main, ["compare", *given, "--consensus", "median", "--format", "json"])
    assert "rater" not in json.loads(merged.stdout)[0]
    between = CliRunner().invoke(main, ["compare", *given, "--heterogeneity"])
    assert (between.exit_code, "judges share them. Omit it." in between.stderr) == (2, True)
    all_pairs = CliRunner().invoke(main, ["compare", *given, "--all-pairs"])
    assert all_pairs.exit_code == 2
    assert "--judge without --consensus. Omit --all-pairs." in all_pairs.stderr


def test_dbt_says_what_to_type(judged):
    with pytest.raises(rm.UsageError, match=r"takes no argument 'judge'\. Cross join .* and by='judge'\."):
        macros()["compare"](baseline="old_run", candidate="new_run", metrics=METRICS, qrels="grades", judge="rater")

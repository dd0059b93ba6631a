"""Where there is no number, or none for a run, that is an error; few queries to pair are a warning that counts them."""

from __future__ import annotations

import random
import re

import duckdb
import pandas
import pytest

import rankmetrics_sql as rm

from .conftest import quietly
from .everything import seeds

X, Y = {"x": ["a"]}, {"y": ["a"]}
BOTH = {"x": ["a"], "y": ["a"]}
IRRELEVANT = {"x": {"a": 0}, "y": {"a": 0}}
UNIVERSES = ("judged", "judged_retrieved", "judged_relevant", "retrieved")


def counted(run, qrels, universe, listed, rel):
    """The queries of a run that count, from the meaning of the words."""
    there = {
        "judged": lambda query: query in qrels,
        "judged_retrieved": lambda query: query in qrels,
        "judged_relevant": lambda query: any(grade >= rel for grade in qrels.get(query, {}).values()),
        "retrieved": lambda _query: True,
    }[universe]
    return {query for query, items in run.items() if items and there(query) and (listed is None or query in listed)}


@pytest.mark.parametrize("seed", seeds(40, 2))
def test_runs_are_paired_where_both_have_results(seed):
    rng = random.Random(seed)
    queries = [f"q{number}" for number in range(rng.choice([3, 8, 20]))]
    share = rng.choice([0.2, 0.5, 0.9])
    run, other = (
        {query: ["a"] if rng.random() < 0.9 else [] for query in queries if rng.random() < share} | {"kept": ["a"]}
        for _ in range(2)
    )
    if seed % 2:
        other = {f"{query}{'' if rng.random() < share else '?'}": items for query, items in other.items()}
    qrels = {query: {"a": rng.choice([0, 1, 2])} for query in {*run, *other} if rng.random() < 0.8} | {"kept": {"a": 2}}
    listed = rng.choice([None, rng.sample(queries, 2), queries, [*queries, "kept"]])
    universe, rel = rng.choice(UNIVERSES), rng.choice([1, 2])
    ours, theirs = (counted(each, qrels, universe, listed, rel) for each in (run, other))
    compared = (rm.compare, run, {"other": other}, qrels, "rr")
    if not ours & theirs:
        with pytest.raises(rm.DataError):
            quietly(*compared, queries=universe, query_list=listed, rel=rel)
        return
    result = quietly(*compared, queries=universe, query_list=listed, rel=rel)
    few = [re.findall(r"only (\d+) common quer.*, of (\d+) and (\d+) that", message) for message in result.warnings]
    wanted = [tuple(map(str, map(len, (ours & theirs, ours, theirs))))]
    assert [found for found in few if found] == (
        [wanted] if len(ours & theirs) < max(len(ours), len(theirs)) / 2 else []
    )


@pytest.mark.parametrize("universe", UNIVERSES)
def test_two_arms_without_a_common_query_have_no_difference(universe):
    with pytest.raises(rm.DataError, match="results for no common query") as error:
        quietly(rm.compare, X, {"arm": Y}, BOTH, "rr", queries=universe)
    assert "pass design=unpaired" in str(error.value)


def test_arms_in_tables_of_a_database():
    with duckdb.connect() as connection:
        for name, query in (("one", "x"), ("two", "y")):
            connection.execute(f"CREATE TABLE {name} AS SELECT '{query}' AS query_id, 'a' AS item_id, 1.0 AS score")
        with pytest.raises(rm.DataError, match="one and two have results for no common query"):
            quietly(rm.compare, "one", "two", BOTH, "rr", connection=connection)


EMPTY = {
    "a run that the query list leaves nothing": (
        lambda **options: rm.evaluate({"one": X, "two": Y}, BOTH, "rr", query_list=["x"], **options),
        {"queries": "judged_retrieved"},
        "two: no query is left",
    ),
    "one run": (lambda **options: rm.evaluate(X, IRRELEVANT, "rr", **options), {"no_relevant": "skip"}, "No query is"),
    "a curve": (
        lambda **options: rm.curve(X, IRRELEVANT, "rr", **options),
        {"no_relevant": "skip"},
        "No query is left",
    ),
    "a curve of one run": (
        lambda **options: rm.curve({"one": X, "two": Y}, BOTH, "rr", query_list=["x"], **options),
        {"queries": "judged_retrieved"},
        "two: no query is left",
    ),
    "points": (lambda: rm.curve(X, IRRELEVANT, "pr_curve"), {}, "No query has a point of pr_curve"),
    "a comparison": (
        lambda **options: rm.compare(X, X, IRRELEVANT, "rr", **options),
        {"no_relevant": "skip"},
        "No query",
    ),
    "an explanation": (
        lambda **options: rm.explain(X, IRRELEVANT, "rr", profile="quepid", **options),
        {"no_relevant": "skip"},
        "No query is left",
    ),
}


@pytest.mark.parametrize(("call", "options", "message"), EMPTY.values(), ids=EMPTY)
def test_an_empty_result_is_an_error(call, options, message):
    with pytest.raises(rm.DataError, match=message):
        quietly(call, **options)


def test_a_metric_that_no_pair_has_a_value_of_is_named():
    result = quietly(rm.compare, X, X, IRRELEVANT, ["rr(no_relevant=skip)", "p@1"])
    assert "rr(no_relevant=skip): no query has a value in both runs." in result.warnings
    assert [row["metric"] for row in result.summary.dicts()] == ["p@1"]


GROUPED = {query: {"a": 1} for query in ("x", "y", "z")}
MARKETS = [("x", "de"), ("y", "de"), ("z", "fr")]


def test_effects_of_one_query_have_no_interval_and_say_so(recwarn):
    one = rm.compare({"x": ["b", "a"]}, {"x": ["a"]}, {"x": {"a": 1}}, "rr")
    assert one.warnings == ["rr: no interval and no p-value, because both need two queries in both runs."]
    assert repr(one).splitlines()[3] == "paired t test, two-sided, no test: one query"
    [row] = one.summary.dicts()
    assert [row[name] for name in ("effect_size", "standard_error", "pvalue", "significant")] == [0.5, None, None, None]
    runs = {query: ["b", "a"] for query in GROUPED}, {query: ["a"] for query in GROUPED}
    markets = pandas.DataFrame(MARKETS, columns=["query_id", "market"])
    some = rm.compare(*runs, GROUPED, "rr", by="market", query_list=markets)
    assert some.warnings == [
        "rr: all differences are equal in 1 of 2 rows, so there is no variance: no interval and no"
        " p-value. test=sign has a p-value.",
        "rr: no interval and no p-value in 1 of 2 rows, because both need two queries in both runs.",
    ]
    arms = rm.compare({"x": ["b", "a"]}, {"x": ["a"]}, {"x": {"a": 1}}, "rr", design="unpaired")
    assert arms.warnings == [
        "1 query is in both arms, of 1: the arms are not independent, so the standard error may be too small"
        " or too large. If they are runs of the same queries, pass design=paired.",
        "rr: no interval and no p-value, because both need two queries in each arm.",
    ]


@pytest.mark.parametrize(
    ("command", "settings"),
    [
        (["compare", "x.run", "y.run"], []),
        (["compare", "x.run", "y.run"], ["queries=judged_retrieved"]),
        (["compare", "x.run", "x.run"], ["no_relevant=skip", "rel=2"]),
        (["evaluate", "x.run"], ["no_relevant=skip", "rel=2"]),
        (["evaluate", "x.run", "--per-query"], ["no_relevant=skip", "rel=2"]),
        (["curve", "x.run"], ["no_relevant=skip", "rel=2"]),
    ],
)
def test_nothing_is_printed_as_if_it_were_a_result(command, settings, tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    for name in "xy":
        (tmp_path / f"{name}.run").write_text(f"{name} Q0 a 1 1.0 t\n")
    (tmp_path / "qrels").write_text("x 0 a 1\ny 0 a 1\n")
    choices = [part for setting in settings for part in ("--set", setting)]
    runs = [f"again={name}" if place > 1 and name == command[1] else name for place, name in enumerate(command)]
    found = cli(*runs, "--qrels", "qrels", "-m", "rr", *choices)
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.splitlines()[-1].startswith("rankmetrics: ")

"""Where there is no number, or none for a run, that is an error; few queries to pair are a warning that counts them."""

from __future__ import annotations

import random
import re

import duckdb
import pandas
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import seeds

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


NO_VALUE = (
    "no value.*: none of 2 queries has an item with a grade of at least 1, and no_relevant=skip leaves such queries"
)
EMPTY = {
    "a run that the query list leaves nothing": (
        lambda **options: rm.evaluate({"one": X, "two": Y}, BOTH, "rr", query_list=["x"], **options),
        {"queries": "judged_retrieved"},
        "two: no query is left",
    ),
    "one run": (lambda **options: rm.evaluate(X, IRRELEVANT, "rr", **options), {"no_relevant": "skip"}, NO_VALUE),
    "a curve": (
        lambda **options: rm.curve(X, IRRELEVANT, "rr", **options),
        {"no_relevant": "skip"},
        NO_VALUE,
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
        NO_VALUE,
    ),
    "an explanation": (
        lambda **options: rm.explain(X, IRRELEVANT, "rr", profile="quepid", **options),
        {"no_relevant": "skip"},
        NO_VALUE,
    ),
}


@pytest.mark.parametrize(("call", "options", "message"), EMPTY.values(), ids=EMPTY)
def test_an_empty_result_is_an_error(call, options, message):
    with pytest.raises(rm.DataError, match=message):
        quietly(call, **options)


@pytest.mark.parametrize("seed", seeds(30, 6))
def test_what_has_no_value_is_named_with_its_run_and_why(seed):
    """The twin counts the queries of each run, and those of them that have what gives the metric a value."""
    rng = random.Random(seed)
    skips, rel = rng.choice(["skip", "null"]), rng.choice([1, 2])
    qrels = {f"q{number}": {"a": rng.choice([0, rel - 1])} for number in range(rng.choice([1, 3]))}
    names = rng.sample(["bm25", "dense", "new"], rng.choice([2, 3]))
    runs = {name: {query: ["a", "b"] for query in qrels} for name in names}
    metrics = rng.sample(["rr", "p@1", "ap"], rng.choice([1, 2, 3]))
    unpaired, asked = rng.random() < 0.4, {"no_relevant": skips, "rel": rel}
    call = (rm.compare, runs, qrels, metrics)
    if unpaired:
        rows = [(f"{name} {query}", name, "a", 1, 0) for name in names for query in qrels]
        log = pandas.DataFrame(rows, columns=["query_id", "arm", "item_id", "position", "relevance"])
        call = (rm.compare, rm.labelled(log, columns={"run_id": "arm"}), metrics)
        asked |= {"baseline": names[0], "design": "unpaired"}
    with pytest.raises(rm.DataError) as refused:
        quietly(*call, **asked)
    [said] = str(refused.value).splitlines()
    told, reason = said.split(" no value in ")
    assert set(re.split(", | have| has", told)) - {""} == set(metrics)
    named, _, why = reason.partition(": ")
    assert set(named.split(" and ")) == set(names)
    whose = f"none of {len(qrels)} queries has an" if len(qrels) > 1 else "its only query has no"
    assert why.startswith(f"{whose} item with a grade of at least {rel}, and no_relevant={skips}")
    assert "Pass no_relevant=0 to count each as 0." in why
    advised = quietly(*call, **{**asked, "no_relevant": 0}).summary.dicts()
    assert {(row["metric"], row["candidate"]) for row in advised} == {(metric, 0) for metric in metrics}


def test_arms_of_a_log_without_a_relevant_item_are_there():
    """Rows of requests in which nothing counts have no item, and yet an arm."""
    shown = "SELECT 'r' || i AS request_id, 'AB'[1 + i % 2] AS arm, 'x' AS item_id, 1 AS position FROM range(8) t(i)"
    done = "SELECT 'r1' AS request_id, 'x' AS item_id, 'buy' AS event_type"
    log = rm.events(shown, done, arm="arm")
    with pytest.raises(rm.DataError, match=r"^rr has no value in A and B: none of 4 queries .*no_relevant=null"):
        quietly(rm.compare, log, "rr", baseline="A", no_relevant="null")
    with pytest.raises(rm.DataError, match="no run called 'C'"):
        quietly(rm.compare, log, "rr", baseline="C", no_relevant="null")
    assert len(quietly(rm.compare, log, "rr", baseline="A").summary.dicts()) == 1


def test_a_metric_that_no_pair_has_a_value_of_is_named():
    result = quietly(rm.compare, X, X, IRRELEVANT, ["rr(no_relevant=skip)", "p@1"])
    assert any(said.startswith("rr(no_relevant=skip) has no value in") for said in result.warnings)
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

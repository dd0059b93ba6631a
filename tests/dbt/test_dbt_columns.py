"""Columns in dbt: one mapping as in Python, from the call or the project's var; what is unknown is refused."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest
import yaml

import rankmetrics_sql as rm
from rankmetrics_sql import templates
from rankmetrics_sql.inputs import binding, columns
from rankmetrics_sql.relation import MEANINGS, OF_ITEMS, TIME
from rankmetrics_sql.root import sql_root
from rankmetrics_sql.templates import macros

RUNS = {"relation": "runs", "metrics": ["ndcg@10"], "qrels": "labels"}
PAIR = {"baseline": "old", "metrics": ["ap"], "qrels": "labels"}
LOG = {"impressions": "shown", "events": "done"}

# A call: what it takes anyway, and the columns that it is given.
CALLS = {
    "per_query": (RUNS, {"columns": {"query": ["shop", "session"], "item": "doc", "qrels.item": "product"}}),
    "summary": (
        RUNS | {"period": "day"},
        {"columns": {"run": "arm", "run.time": "seen_at"}, "by": "market", "weight": "run.sessions"},
    ),
    "sums": (RUNS, {"columns": {"qrels.query_id": "term"}, "cluster": "buyer", "covariate": "before"}),
    "compare": (
        PAIR | {"relation": "runs", "options": {"design": "unpaired"}},
        {"columns": {"run_id": "arm", "score": None, "position": "place"}, "cluster": "buyer"},
    ),
    "decompose": (
        PAIR | {"candidate": "new"},
        {"columns": {"relevance": "case when stars > 3 then 1 else 0 end"}, "by": ["market", "run.device"]},
    ),
    "movements": ({"baseline": "old", "candidate": "new", "qrels": "labels", "k": 5}, {"columns": {"item_id": "doc"}}),
    "judge_next": (
        {"baseline": "old", "candidate": "new", "metric": "p@5", "qrels": "labels"},
        {"columns": {"query": ["shop", "term"], "qrels.item": "doc"}},
    ),
    "judged": (RUNS | {"metrics": ["alpha_ndcg@5"]}, {"columns": {"subtopic": "intent"}}),
    "from_events": (
        LOG | {"queries": "asked", "requests": "logged", "within": 60},
        {"columns": {"request": "search", "events.item": "sku", "time": "at", "queries.request": "id"}},
    ),
    "quality_of_events": (LOG, {"columns": {"item": "sku"}}),
    "from_lists": ({"relation": "recs"}, {"columns": {"items": "shown", "query": ["shop", "buyer"]}}),
    "judgments_from_lists": ({"relation": "recs"}, {"columns": {"relevant": "liked"}}),
    "quality_of_lists": ({"relation": "recs"}, {"columns": {"items": "shown", "relevant": "liked"}}),
    "from_spans": ({"relation": "traces"}, {"columns": {"attributes": "facts", "span": "id", "query": "question"}}),
    "quality_of_spans": ({"relation": "traces"}, {"columns": {"span": "id", "query": ["trace_id", "question"]}}),
    "from_ratings": ({"relation": "rated"}, {"columns": {"user": ["shop", "buyer"], "predicted": "guess"}}),
    "judgments_from_ratings": ({"relation": "rated"}, {"columns": {"rating": "stars"}}),
    "quality_of_ratings": ({"relation": "rated"}, {"columns": {"item": "film"}}),
    "judgments_from_run": ({"relation": "other"}, {"columns": {"position": "place"}}),
    "consensus": ({"relation": "grades"}, {"columns": {"query": ["shop", "term"], "relevance": "stars"}}),
    "from_ubi": ({"queries": "q", "events": "e", "types": ["click"]}, {"columns": {"value": "revenue"}}),
    "quality_of_ubi": ({"queries": "q", "events": "e", "types": ["click"]}, {"columns": {"value": "none"}}),
    "from_segment": ({"viewed": "v", "clicked": "c"}, {"columns": {"user": "buyer"}}),
    "quality_of_segment": ({"viewed": "v", "clicked": "c"}, {"columns": {"user": "buyer"}}),
    "from_snowplow": ({"interactions": "i"}, {"columns": {"user": "buyer"}}),
    "quality_of_snowplow": ({"interactions": "i"}, {"columns": {"user": "buyer"}}),
    "from_ga4": ({"events": "e", "collapse": "typing"}, {"columns": {"text": "term"}}),
    "quality_of_ga4": ({"events": "e", "collapse": "typing"}, {"columns": {"text": "term"}}),
    "propensities": ({"relation": "rows"}, {"columns": {"query": ["shop", "term"]}}),
    "coec": ({"relation": "rows"}, {"by": ["term", "item_id"], "columns": {"position": "place"}}),
    "judgments_from_clicks": (
        {"relation": "rows", "by": "term"},
        {"columns": {"request": ["shop", "search"], "item": "sku", "position": "place", "relevance": "grade"}},
    ),
    "ctr_by_position": ({"relation": "rows"}, {"columns": {"relevance": "grade"}}),
    "worst_queries": (
        {"relation": "rows"},
        {"by": ["term"], "columns": {"query": ["shop", "search"], "item": "sku", "position": "place", "user": "buyer"}},
    ),
    "team_draft_credit": ({"relation": "rows", "teams": ["A", "B"]}, {"columns": {"user": "buyer", "team": "side"}}),
    "team_draft_preference": (
        {"relation": "rows", "teams": ["A", "B"]},
        {"columns": {"request": "search", "clicked": "hits"}},
    ),
    "test_metric_above": (
        {"model": "runs", "metrics": ["average_popularity@5"], "error_below": 0.5},
        {"columns": {"relevance": "none", "run": "arm", "popularity": "likes"}, "items": "films"},
    ),
    "test_judged_share_above": (
        {"model": "runs", "qrels": "labels", "error_below": 0.5},
        {"columns": {"query": "term"}, "by": "market"},
    ),
    "test_metric_not_worse_than": (
        {"model": "runs", "metrics": ["ap"], "baseline": "old", "qrels": "labels"},
        {"columns": {"position": "place"}, "by": "market"},
    ),
    "test_metric_in_range": (
        {"model": "stored", "column_name": "ap", "min_value": 0.5, "every_query": True},
        {"columns": {"query": ["shop", "term"]}, "by": "market"},
    ),
    "test_metric_stable": (
        {"model": "stored", "error_drop": 0.1},
        {"columns": {"value": "ap", "period": "day", "n_queries": "n"}, "by": "market"},
    ),
    "test_queries_overlap": (
        {"model": "runs", "qrels": "labels", "error_below": 1},
        {"columns": {"query": "term", "qrels.query": "q", "relevance": "grade"}},
    ),
    "test_run_is_valid": ({"model": "runs"}, {"columns": {"query": "term", "run.position": "place", "run": "arm"}}),
    "test_qrels_are_valid": (
        {"model": "labels"},
        {"columns": {"qrels.item": "product", "relevance": "grade", "subtopic": "intent"}},
    ),
    "test_groups_are_of_queries": ({"model": "runs", "by": "market"}, {"columns": {"query": "buyer", "run": "arm"}}),
    "test_comparison_is_complete": (
        {"model": "compared", "runs": ["new"]},
        {"columns": {"run": "system", "metric": "measure", "verdict": "said"}},
    ),
    "test_sample_ratio_is_even": ({"model": "runs"}, {"columns": {"arm": "arm", "query": "buyer"}, "by": "market"}),
}


@contextmanager
def project(**said):
    """While it lasts, the project's var says so."""
    token = templates._project.set(said)
    try:
        yield
    finally:
        templates._project.reset(token)


def refusal(macro, **arguments):
    with pytest.raises(rm.UsageError) as refused:
        macros()[macro](**arguments)
    return str(refused.value).removeprefix("rankmetrics_sql: ")


@pytest.mark.parametrize("macro", CALLS)
def test_columns_are_read_as_they_are_named(macro):
    common, given = CALLS[macro]
    text = macros()[macro](**common, **given)
    named = [
        name for column in given["columns"].values() for name in ([column] if isinstance(column, str) else column or ())
    ]
    assert [name for name in named if name != "none" and name not in text] == []


def test_every_macro_and_test_that_names_columns_is_here():
    """What the package's reference says takes columns."""
    described = yaml.safe_load((sql_root() / "macros" / "_macros.yml").read_text(encoding="utf-8"))["macros"]
    takes = {entry["name"] for entry in described if "columns" in [each["name"] for each in entry["arguments"]]}
    assert takes == {*CALLS}


def test_the_keys_are_those_of_python():
    assert macros()["rm_known_meanings"]() == [*MEANINGS, *OF_ITEMS, TIME]
    assert macros()["rm_known_sides"]() == list(binding._MAPPED)
    for key in [*MEANINGS, *OF_ITEMS, *columns.SHORT]:
        found = macros()["rm_named_columns"]("columns", {key: "c"}, macros()["rm_known_meanings"]())
        assert found == columns.expand_names({key: "c"})


@pytest.mark.parametrize("macro", CALLS)
def test_what_is_unknown_is_refused(macro):
    common, _ = CALLS[macro]
    assert "columns: unknown column 'quary'. " in refusal(macro, **common, columns={"quary": "q"})
    assert "columns maps meanings to columns" in refusal(macro, **common, columns="search_term")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"columns": {"quary": "q"}}, "columns: unknown column 'quary'. Did you mean 'query'?"),
        ({"columns": {"qrels.itm": "q"}}, "columns: unknown column 'qrels.itm'. Did you mean 'item'?"),
        ({"columns": {"shop.item": "q"}}, "columns: unknown column 'shop.item'. Did you mean 'item'?"),
        ({"columns": {"item": "a", "item_id": "b"}}, "columns names item_id twice."),
        ({"columns": {"item": ["a", "b"]}}, "columns: item must be a column name, not ['a', 'b']."),
        ({"columns": {"query": []}}, "columns: query must be a column name, not an empty list."),
        ({"columns": {"score": ""}}, "columns: score must be a column name, not ''."),
        ({"colums": {}}, "per_query takes no argument 'colums'. Did you mean 'columns'?"),
        ({"cluster_column": "buyer"}, "per_query takes no argument 'cluster_column'. Did you mean 'columns'?"),
        ({"item_column": "sku"}, "per_query takes no argument 'item_column'. Did you mean columns={'item': ...}?"),
        (
            {"columns": {"time": "at"}},
            "columns={'time': ...} has no effect without a period. Pass period, too: day, week or month.",
        ),
    ],
)
def test_what_columns_cannot_be(given, said):
    assert refusal("per_query", **RUNS, **given) == said


@pytest.mark.parametrize(
    ("macro", "common", "theirs", "ours"),
    [
        ("summary", RUNS, {"weight_column": "sessions"}, {"weight": "sessions"}),
        ("from_events", LOG, {"request_column": "id"}, {"columns": {"request": "id"}}),
        ("test_run_is_valid", {"model": "runs"}, {"query_column": "term"}, {"columns": {"query": "term"}}),
    ],
)
def test_an_argument_of_other_packages_is_refused_with_ours(macro, common, theirs, ours):
    advice = re.search(r"takes no argument '\w+'. Did you mean (.*)\?$", refusal(macro, **common, **theirs))[1]
    [(name, given)] = ours.items()
    assert advice == (f"columns={{'{next(iter(given))}': ...}}" if name == "columns" else f"'{name}'")
    assert next(iter(theirs.values())) in macros()[macro](**common, **ours)


def test_a_test_of_a_table_knows_the_columns_that_it_reads():
    assert "unknown column 'score'" in refusal("test_qrels_are_valid", model="labels", columns={"score": "s"})
    assert "takes no argument" in refusal("test_qrels_are_valid", model="labels", score_column="s")
    said = refusal("test_metric_not_worse_than", model="r", baseline="o", metrics=["ap"], columns={"run": "arm"})
    assert said == "metric_not_worse_than: two relations are compared, not runs of one."


@pytest.mark.parametrize(("macro", "name"), [("from_lists", "items"), ("judgments_from_lists", "relevant")])
def test_a_source_of_lists_asks_for_the_list(macro, name):
    said = refusal(macro, relation="recs")
    assert said == f"which column has the lists? Name it: columns={{'{name}': ...}}."
    assert "s.shown" in macros()[macro](relation="recs", columns={name: "shown"})


COLUMNS = {"query": "term", "item": "sku", "qrels.item": "product", "relevance": "grade", "run.time": "seen_at"}


@pytest.mark.parametrize(
    ("macro", "common"),
    [
        ("per_query", RUNS),
        ("compare", PAIR | {"candidate": "new"}),
        ("test_judged_share_above", {"model": "runs", "qrels": "labels", "error_below": 1}),
        ("test_queries_overlap", {"model": "runs", "qrels": "labels", "error_below": 1}),
        ("test_run_is_valid", {"model": "runs"}),
        ("test_qrels_are_valid", {"model": "labels"}),
    ],
)
def test_the_var_names_columns_for_all_calls(macro, common):
    known = {"test_run_is_valid": ("query", "item"), "test_qrels_are_valid": ("query", "qrels.item", "relevance")}
    own = {"test_queries_overlap": ("query", "relevance")} | known
    wanted = {key: COLUMNS[key] for key in own.get(macro, COLUMNS) if key != "run.time"}
    expected = macros()[macro](**common, columns=wanted)
    with project(columns=COLUMNS):
        assert macros()[macro](**common) == expected


def test_a_call_wins_over_the_var():
    expected = macros()["summary"](**RUNS, columns={"query": "q", "item": "doc", "position": "place"})
    with project(columns={"query": "q", "qrels.item": "product", "score": "points"}):
        assert macros()["summary"](**RUNS, columns={"item": "doc", "position": "place"}) == expected
    expected = macros()["summary"](**RUNS, columns={"run.time": "at"}, period="day")
    with project(columns={"run.time": "at"}):
        assert macros()["summary"](**RUNS, period="day") == expected


def test_the_var_has_no_runs_for_two_relations_and_no_columns_for_sources():
    pair = PAIR | {"candidate": "new"}
    above = {"model": "runs", "metrics": ["ap"], "baseline": "old", "qrels": "labels"}
    expected = [
        macros()["compare"](**pair),
        macros()["test_metric_not_worse_than"](**above),
        macros()["from_events"](**LOG),
    ]
    with project(columns={"run": "arm"}):
        assert [macros()["compare"](**pair), macros()["test_metric_not_worse_than"](**above)] == expected[:2]
    with project(columns=COLUMNS):
        assert macros()["from_events"](**LOG) == expected[2]


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ({"profil": "ranx"}, "the var rankmetrics_sql has an unknown key 'profil'. Did you mean 'profile'?"),
        ({"column": {}}, "the var rankmetrics_sql has an unknown key 'column'. Did you mean 'columns'?"),
        ({"options": "ties"}, "the var rankmetrics_sql: options is a mapping, not 'ties'."),
        ({"columns": "query"}, "the var rankmetrics_sql: columns is a mapping, not 'query'."),
        ({"comments": "false"}, "the var rankmetrics_sql: comments is true or false, not 'false'."),
        ({"check_columns": 1}, "the var rankmetrics_sql: check_columns is true or false, not 1."),
        (
            {"columns": {"quary": "q"}},
            "the var rankmetrics_sql: columns: unknown column 'quary'. Did you mean 'query'?",
        ),
    ],
)
@pytest.mark.parametrize("macro", ["summary", "test_run_is_valid", "ctr_by_position"])
def test_the_var_is_read_whole(macro, said, refused):
    with project(**said):
        assert refusal(macro, **CALLS[macro][0]) == refused


def test_the_var_is_a_mapping():
    token = templates._project.set("ranx")
    try:
        said = refusal("summary", **RUNS)
    finally:
        templates._project.reset(token)
    assert said == "the var rankmetrics_sql is a mapping, as {profile: ranx}; not 'ranx'."


@pytest.mark.parametrize("names", [{"query": "q", "qrels.item": "p"}, {"query_id": ["a", "b"], "run": "arm"}])
def test_python_takes_the_short_names_too(names):
    whole = columns.expand_names(names)
    asked = {"metrics": ["ap"], "run": "runs", "qrels": "labels"}
    assert rm.sql(**asked, columns=names) == rm.sql(**asked, columns=whole)


def test_python_refuses_both_names_of_a_meaning():
    with pytest.raises(rm.UsageError, match=r"columns names query_id twice\."):
        rm.sql(["ap"], "runs", "labels", columns={"query": "a", "query_id": "b"})
    with pytest.raises(rm.UsageError, match=r"unknown column 'itm'\. Did you mean 'item'\?"):
        rm.sql(["ap"], "runs", "labels", columns={"itm": "a"})

"""Columns in dbt: one mapping as in Python, from the call or the project's var; earlier arguments mean the same."""

from __future__ import annotations

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

# A call: what it takes anyway, then earlier arguments, and the present ones.
SAME = {
    "per_query": (
        RUNS,
        {"query_column": ["shop", "session"], "item_column": "doc", "qrels_item_column": "product"},
        {"columns": {"query": ["shop", "session"], "item": "doc", "qrels.item": "product"}},
    ),
    "summary": (
        RUNS | {"period": "day"},
        {"run_column": "arm", "time_column": "run.seen_at", "group_by": "market", "weight_column": "run.sessions"},
        {"columns": {"run": "arm", "run.time": "seen_at"}, "by": "market", "weight": "run.sessions"},
    ),
    "sums": (
        RUNS,
        {"qrels_query_column": "term", "cluster_column": "buyer", "covariate_column": "before"},
        {"columns": {"qrels.query_id": "term"}, "cluster": "buyer", "covariate": "before"},
    ),
    "compare": (
        PAIR | {"relation": "runs", "options": {"design": "unpaired"}},
        {"run_column": "arm", "score_column": None, "position_column": "place", "cluster_column": "buyer"},
        {"columns": {"run_id": "arm", "score": None, "position": "place"}, "cluster": "buyer"},
    ),
    "decompose": (
        PAIR | {"candidate": "new"},
        {"relevance_column": "case when stars > 3 then 1 else 0 end", "group_by": ["market", "run.device"]},
        {"columns": {"relevance": "case when stars > 3 then 1 else 0 end"}, "by": ["market", "run.device"]},
    ),
    "movements": (
        {"baseline": "old", "candidate": "new", "qrels": "labels", "k": 5},
        {"item_column": "doc"},
        {"columns": {"item_id": "doc"}},
    ),
    "judged": (
        RUNS | {"metrics": ["alpha_ndcg@5"]},
        {"subtopic_column": "intent"},
        {"columns": {"subtopic": "intent"}},
    ),
    "from_events": (
        LOG | {"queries": "asked", "requests": "logged", "within": 60},
        {"request_column": "search", "event_item_column": "sku", "time_column": "at", "query_column": "id"},
        {"columns": {"request": "search", "events.item": "sku", "time": "at", "queries.request": "id"}},
    ),
    "quality_of_events": (LOG, {"item_column": "sku"}, {"columns": {"item": "sku"}}),
    "from_lists": (
        {"relation": "recs"},
        {"items_column": "shown", "query_column": ["shop", "buyer"]},
        {"columns": {"items": "shown", "query": ["shop", "buyer"]}},
    ),
    "judgments_from_lists": (
        {"relation": "recs"},
        {"relevant_column": "liked"},
        {"columns": {"relevant": "liked"}},
    ),
    "quality_of_lists": (
        {"relation": "recs"},
        {"items_column": "shown", "relevant_column": "liked"},
        {"columns": {"items": "shown", "relevant": "liked"}},
    ),
    "from_ratings": (
        {"relation": "rated"},
        {"user_column": ["shop", "buyer"], "predicted_column": "guess"},
        {"columns": {"user": ["shop", "buyer"], "predicted": "guess"}},
    ),
    "judgments_from_ratings": ({"relation": "rated"}, {"rating_column": "stars"}, {"columns": {"rating": "stars"}}),
    "quality_of_ratings": ({"relation": "rated"}, {"item_column": "film"}, {"columns": {"item": "film"}}),
    "judgments_from_run": ({"relation": "other"}, {"position_column": "place"}, {"columns": {"position": "place"}}),
    "from_segment": ({"viewed": "v", "clicked": "c"}, {"user_column": "buyer"}, {"columns": {"user": "buyer"}}),
    "quality_of_segment": ({"viewed": "v", "clicked": "c"}, {"user_column": "buyer"}, {"columns": {"user": "buyer"}}),
    "from_snowplow": ({"interactions": "i"}, {"user_column": "buyer"}, {"columns": {"user": "buyer"}}),
    "quality_of_snowplow": ({"interactions": "i"}, {"user_column": "buyer"}, {"columns": {"user": "buyer"}}),
    "propensities": (
        {"relation": "rows"},
        {"query_column": ["shop", "term"]},
        {"columns": {"query": ["shop", "term"]}},
    ),
    "coec": (
        {"relation": "rows"},
        {"by_column": ["term", "item_id"], "position_column": "place"},
        {"by": ["term", "item_id"], "columns": {"position": "place"}},
    ),
    "ctr_by_position": ({"relation": "rows"}, {"relevance_column": "grade"}, {"columns": {"relevance": "grade"}}),
    "team_draft_credit": (
        {"relation": "rows", "teams": ["A", "B"]},
        {"user_column": "buyer", "team_column": "side"},
        {"columns": {"user": "buyer", "team": "side"}},
    ),
    "team_draft_preference": (
        {"relation": "rows", "teams": ["A", "B"]},
        {"request_column": "search", "clicked_column": "hits"},
        {"columns": {"request": "search", "clicked": "hits"}},
    ),
    "test_metric_above": (
        {"model": "runs", "metrics": ["average_popularity@5"], "error_below": 0.5},
        {"relevance_column": "none", "run_column": "arm", "items_relation": "films", "popularity_column": "likes"},
        {"columns": {"relevance": "none", "run": "arm", "popularity": "likes"}, "items": "films"},
    ),
    "test_judged_share_above": (
        {"model": "runs", "qrels": "labels", "error_below": 0.5},
        {"query_column": "term", "group_by": "market"},
        {"columns": {"query": "term"}, "by": "market"},
    ),
    "test_metric_not_worse_than": (
        {"model": "runs", "metrics": ["ap"], "baseline": "old", "qrels": "labels"},
        {"position_column": "place", "group_by": "market"},
        {"columns": {"position": "place"}, "by": "market"},
    ),
    "test_metric_in_range": (
        {"model": "stored", "column_name": "ap", "min_value": 0.5, "every_query": True},
        {"query_column": ["shop", "term"], "group_by": "market"},
        {"columns": {"query": ["shop", "term"]}, "by": "market"},
    ),
    "test_metric_stable": (
        {"model": "stored", "error_drop": 0.1},
        {"value_column": "ap", "period_column": "day", "n_queries_column": "n", "group_by": "market"},
        {"columns": {"value": "ap", "period": "day", "n_queries": "n"}, "by": "market"},
    ),
    "test_queries_overlap": (
        {"model": "runs", "qrels": "labels", "error_below": 1},
        {"query_column": "term", "qrels_query_column": "q", "relevance_column": "grade"},
        {"columns": {"query": "term", "qrels.query": "q", "relevance": "grade"}},
    ),
    "test_run_is_valid": (
        {"model": "runs"},
        {"query_column": "term", "position_column": "place", "run_column": "arm"},
        {"columns": {"query": "term", "run.position": "place", "run": "arm"}},
    ),
    "test_qrels_are_valid": (
        {"model": "labels"},
        {"item_column": "product", "relevance_column": "grade", "subtopic_column": "intent"},
        {"columns": {"qrels.item": "product", "relevance": "grade", "subtopic": "intent"}},
    ),
    "test_groups_are_of_queries": (
        {"model": "runs", "by": "market"},
        {"query_column": "buyer", "run_column": "arm"},
        {"columns": {"query": "buyer", "run": "arm"}},
    ),
    "test_sample_ratio_is_even": (
        {"model": "runs"},
        {"arm_column": "arm", "query_column": "buyer", "group_by": "market"},
        {"columns": {"arm": "arm", "query": "buyer"}, "by": "market"},
    ),
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


@pytest.mark.parametrize("macro", SAME)
def test_earlier_arguments_write_the_same_text(macro):
    common, earlier, present = SAME[macro]
    text = macros()[macro](**common, **present)
    assert text == macros()[macro](**common, **earlier)
    named = [name for given in earlier.values() if given for name in ([given] if isinstance(given, str) else given)]
    assert [name for name in named if name != "none" and name.split(".")[-1] not in text] == []


def test_every_macro_and_test_that_names_columns_is_here():
    """What the package's reference says takes columns; schemas whose columns are known, UBI's and GA4's, do not."""
    described = yaml.safe_load((sql_root() / "macros" / "_macros.yml").read_text(encoding="utf-8"))["macros"]
    takes = {entry["name"] for entry in described if "columns" in [each["name"] for each in entry["arguments"]]}
    assert takes == {*SAME, "test_comparison_is_complete"}  # which had no aliases


def test_the_keys_are_those_of_python():
    assert macros()["rm_known_meanings"]() == [*MEANINGS, *OF_ITEMS, TIME]
    assert macros()["rm_known_sides"]() == list(binding._MAPPED)
    for key in [*MEANINGS, *OF_ITEMS, *columns.SHORT]:
        found = macros()["rm_named_columns"]("columns", {key: "c"}, macros()["rm_known_meanings"]())
        assert found == columns.expand_names({key: "c"})


@pytest.mark.parametrize("macro", SAME)
def test_what_is_said_twice_or_unknown_is_refused(macro):
    common, earlier, present = SAME[macro]
    for name, value in earlier.items():
        if value is not None:
            said = refusal(macro, **common, **present, **{name: value})
            assert said.endswith(("give one of them.", "Name one: columns={'time': ...}."))
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
        (
            {"columns": {"time": "at"}},
            "columns={'time': ...} has no effect without a period. Pass period, too: day, week or month.",
        ),
    ],
)
def test_what_columns_cannot_be(given, said):
    assert refusal("per_query", **RUNS, **given) == said


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
        assert macros()["summary"](**RUNS, item_column="doc", position_column="place") == expected
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
        (
            {"columns": {"quary": "q"}},
            "the var rankmetrics_sql: columns: unknown column 'quary'. Did you mean 'query'?",
        ),
    ],
)
@pytest.mark.parametrize("macro", ["summary", "test_run_is_valid", "ctr_by_position"])
def test_the_var_is_read_whole(macro, said, refused):
    with project(**said):
        assert refusal(macro, **SAME[macro][0]) == refused


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

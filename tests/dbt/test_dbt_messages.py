"""What dbt's macros say to arguments that cannot be meant, and what a comparison says that has nothing to compare."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import duckdb
import pytest
import yaml
from scipy import stats

import rankmetrics_sql as rm
from rankmetrics_sql.errors import UsageError
from rankmetrics_sql.root import sql_root
from rankmetrics_sql.template_files import template_roots
from rankmetrics_sql.templates import Macros, macros

BASE = {"relation": "runs", "metrics": ["rr"], "qrels": "labels"}
ARMS = {"run": "arm", "position": "position"}
ASK = {"relation": "arms", "metrics": ["rr", "p@1"], "columns": ARMS}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"relation": None}, "relation is none; give a relation, as ref('results')"),
        ({"metrics": None}, "metrics is a metric or a list of them, as ['ndcg@10', 'rr']; not None"),
        ({"metrics": ["rr", None]}, "metrics: each is a text, as 'ndcg@10'; not None"),
        ({"metrics": ["nddcg@20", "mapp"]}, "Did you mean 'ndcg@20'?\nUnknown metric 'mapp'. Did you mean 'map'?"),
        ({"metrics": {"schema": "labels"}, "qrels": "rr"}, "It stands before qrels: relation, metrics, qrels."),
        ({"metrics": "labels", "qrels": ["rr"]}, "qrels is a relation, not ['rr']. The order is relation, metrics,"),
        ({"by": "market, device"}, "by='market, device' is one column. Several are a list: by=['market', 'device']."),
        ({"by": "market,device"}, "Several are a list: by=['market', 'device']."),
        ({"by": ["market", None]}, "by is a column or a list of them, as ['market', 'device']; not None."),
        ({"columns": {"query": None}}, "columns: query must be a column name, not none."),
        ({"columns": {"item": 5}}, "columns: item must be a column name, not 5."),
        ({"options": "ties=rank"}, "options maps names to values, as {'ties': 'rank'}; not 'ties=rank'."),
        ({"options": {"tis": "rank"}}, "Unknown option 'tis'. Did you mean 'ties'?"),
        ({"options": {"ties": "ranked"}}, "ties cannot be 'ranked'. Did you mean 'rank'?"),
        ({"profile": "ranks_"}, "Unknown profile 'ranks_'."),
        ({"by": "market", "min_queries": "few"}, "min_queries is a whole number of at least 1, not few."),
        ({"period": "days", "columns": {"time": "at"}}, "period must be day, week or month, not 'days'."),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(given, message):
    with pytest.raises(UsageError) as error:
        macros()["summary"](**BASE | given)
    assert str(error.value).startswith("rankmetrics_sql: ")
    assert message in str(error.value)


def said(**given):
    with pytest.raises(UsageError) as error:
        macros()["summary"](**BASE | given)
    return str(error.value)


def test_what_dbts_messages_say_to_type_works():
    """by=[...], and the arguments by name."""
    [columns] = re.findall(r"by=(\[.*\])", said(by="market, device"))
    assert "AS device" in macros()["summary"](**BASE, by=ast.literal_eval(columns))
    [metrics] = re.findall(r"metrics=(\[.*?\]), qrels=ref", said(metrics="labels", qrels=["rr"]))
    assert macros()["summary"](**BASE | {"metrics": ast.literal_eval(metrics)}) == macros()["summary"](**BASE)


def test_what_dbts_messages_say_of_a_log_works():
    """A propensity is a column, or has a number for each position."""
    log, column = {"impressions": "shown", "events": "done"}, {"columns": {"propensity": "p"}}
    by_position = {"propensity": {1: 1.0, 2: 0.5}}
    for given, sentence in (
        ({"propensity": "p"}, "propensity takes a number for each position, as {1: 1.0, 2: 0.5}; not 'p'."),
        (column | by_position, "Pass propensity={1: 1.0, ...} or columns={'propensity': ...}, not both."),
    ):
        with pytest.raises(rm.UsageError, match=re.escape(sentence)):
            macros()["from_events"](**log, **given)
    assert "s.p AS propensity" in macros()["from_events"](**log, **column)
    assert "WHEN 2 THEN CAST(0.5" in macros()["from_events"](**log, **by_position)


def test_numbers_may_be_texts_and_options_none():
    """What env_var gives is text."""
    found, grouped = macros(), BASE | {"by": "market"}
    text = found["summary"](**grouped, min_queries=5, options={"rel": 2})
    assert found["summary"](**grouped, min_queries="5", options={"rel": "2"}) == text
    assert found["summary"](**BASE, options=None) == found["summary"](**BASE)
    sides = {"candidate": "new", "baseline": "old", "metrics": ["rr"], "qrels": "labels"}
    assert found["compare"](**sides, limits="0.1") == found["compare"](**sides, limits=0.1)
    log = {"impressions": "shown", "events": "done", "grades": {"click": 1}, "columns": {"time": "at"}}
    assert found["from_events"](**log, within="30") == found["from_events"](**log, within=30)


@pytest.fixture(scope="module")
def place():
    """Two arms whose requests are their own, and a relation without rows."""
    with duckdb.connect() as connection:
        rows = [("old", 1, 1), ("old", 2, 0), ("new", 3, 1), ("new", 4, 1)]
        ids = "item_id TEXT DEFAULT 'a', position INT DEFAULT 1"
        connection.execute(f"CREATE TABLE arms (arm TEXT, query_id INT, relevance INT, {ids})")
        connection.executemany("INSERT INTO arms (arm, query_id, relevance) VALUES (?, ?, ?)", rows)
        connection.execute("CREATE TABLE nothing AS SELECT * FROM arms WHERE 1 = 0")
        connection.execute("CREATE TABLE judged AS SELECT query_id, item_id, relevance FROM arms")
        yield connection


def rows_of(place, text):
    return place.execute(text).df().set_index("metric").sort_index()


@pytest.mark.parametrize("road", ["dbt", "text"])
@pytest.mark.parametrize(
    ("baseline", "options", "verdict"),
    [
        ("old", {}, "no common query"),
        ("older", {}, "no baseline"),
        ("older", {"design": "unpaired"}, "no baseline"),
        ("old", {"test": "sign"}, "no common query"),
        ("old", {"test": "bootstrap", "resamples": 100}, "no common query"),
    ],
)
def test_a_comparison_of_nothing_says_so(place, road, baseline, options, verdict):
    if road == "dbt":
        text = macros("duckdb")["compare"](**ASK, baseline=baseline, options=options)
    else:
        columns = {"run_id": "arm", "position": "position"}
        text = rm.sql(ASK["metrics"], labelled="arms", columns=columns, level="compare", baseline=baseline, **options)
    found = rows_of(place, text)
    assert list(found.index) == ["p@1", "rr"]
    assert set(found.verdict) == {verdict}
    assert set(found.baseline_run) == {baseline}
    assert found[["run", "baseline", "candidate", "effect_size", "pvalue_adj"]].isna().all().all()


def test_a_comparison_of_something_is_as_it_was(place):
    found = rows_of(place, macros("duckdb")["compare"](**ASK, baseline="old", options={"design": "unpaired"}))
    assert found.effect_size.to_dict() == {"p@1": 0.5, "rr": 0.5}
    assert set(found.verdict) == {"too few queries"}


@pytest.mark.parametrize("qrels", [None, "judged"])
def test_metric_not_worse_than_fails_on_an_empty_baseline(place, qrels):
    """With judgments every query of an empty baseline counts as 0, which nothing is worse than."""
    test = macros("duckdb")["test_metric_not_worse_than"]
    given = {"metrics": ["rr"], "qrels": qrels, "columns": {"position": "position"}}
    assert place.execute(test("arms", **given, baseline="arms")).fetchall() == []
    found = rows_of(place, test("arms", **given, baseline="nothing"))
    assert found.severity_level.to_dict() == {"rr": 2}
    assert found.n_baseline_rows.to_dict() == {"rr": 0}
    with pytest.raises(UsageError, match="metric_not_worse_than: it needs the relation to compare with: baseline: ref"):
        test("arms", **given)


def test_the_page_says_when_metric_not_worse_than_fails(place):
    """A drop of 1/4 that may be chance: each line of the table fails or passes as the page says, and the example."""
    before, after = [1.0] * 8, [1, 1, 1, 1, 1, 1, 0, 0]
    assert stats.ttest_rel(after, before).pvalue > 0.05
    for name, clicks in (("before", before), ("after", after)):
        rows = ", ".join(f"({query}, 'a', 1, {int(click)})" for query, click in enumerate(clicks))
        place.execute(f"CREATE TABLE {name} AS FROM (VALUES {rows}) AS t(query_id, item_id, position, relevance)")
    page = (Path(__file__).parents[2] / "docs" / "dbt.md").read_text()
    [example] = re.findall(r"metric_not_worse_than:\n.*?arguments:\n(.*?)```", page, re.DOTALL)
    given = yaml.safe_load(example) | {"baseline": "before", "qrels": None, "columns": {"position": "position"}}
    lines = [
        yaml.safe_load(f"{{{line.replace('`', '').replace(' and ', ', ')}}}")
        for line in re.findall(r"^\| (`(?:error_drop|margin): .*?) \|", page, re.MULTILINE)
    ]
    names = [["error_drop"], ["margin"], ["margin", "relative"], ["fail_unless_shown", "margin"]]
    assert [sorted(line) for line in lines] == names
    test, fails = macros("duckdb")["test_metric_not_worse_than"], []
    for line in lines:
        kept = {name: value for name, value in given.items() if name != "error_drop"} | line
        fails.append(bool(place.execute(test("after", **kept)).fetchall()))
    assert stats.ttest_1samp([value - 0.95 * old for value, old in zip(after, before, strict=True)], 0).pvalue > 0.05
    assert fails == [True, False, False, True]
    assert place.execute(test("after", **given)).fetchall()
    assert not place.execute(test("after", **given | {"error_drop": 0.25})).fetchall()


@pytest.mark.parametrize(
    ("test", "given", "said"),
    [
        ("metric_above", {"metrics": ["rr"], "error_blow": 0.5}, "'error_blow'. Did you mean 'error_below'?"),
        ("metric_above", {"metrics": ["rr"], "zzz": 1}, "Valid: metrics, error_below, warn_below, min_queries, qrels,"),
        ("metric_not_worse_than", {"metrics": ["rr"], "base_line": "x"}, "'base_line'. Did you mean 'baseline'?"),
        ("metric_not_worse_than", {"metrics": ["rr"], "baseline": "x", "limit": 1}, "Valid: metrics, baseline, error"),
        ("metric_not_worse_than", {"metrics": ["rr"]}, "needs the relation to compare with: baseline: ref("),
        ("sample_ratio_is_even", {"arms": "arm"}, "Valid: columns, shares, error_below, warn_below, by."),
    ],
)  # fmt: skip
def test_a_misspelt_argument_of_a_test_gets_its_arguments(test, given, said):
    with pytest.raises(rm.UsageError) as problem:
        macros()[f"test_{test}"]("results", **given)
    assert said in str(problem.value)


@pytest.mark.parametrize("macro", ["from_events", "quality_of_events"])
def test_a_misspelt_argument_of_a_log_gets_its_name(macro):
    with pytest.raises(rm.UsageError, match=rf"{macro} takes no argument 'contxt'\. Did you mean 'context'\?"):
        macros()[macro]("shown", "done", contxt=["market"])
    with pytest.raises(rm.UsageError) as error:
        macros()[macro]("shown", "done", zzzzz=1)
    [named] = re.findall(r"Valid: (.*)[.]", str(error.value))
    text = (sql_root() / "macros" / "sources" / "from_events.sql").read_text(encoding="utf-8")
    declared = re.search(rf"macro {macro}\((.*?)\) %}}", text, re.DOTALL)[1]
    taken = {"impressions", "events", *re.findall(r"(\w+)=", declared)}
    assert set(named.split(", ")) == {name for name in taken if not name.endswith("_column")}


def test_public_macros_render_nothing_while_dbt_parses():
    """Else a project takes twice as long to parse; wrong arguments are refused when it is compiled."""
    described = yaml.safe_load((sql_root() / "macros" / "_macros.yml").read_text(encoding="utf-8"))["macros"]
    names = {one["name"] for one in described} - {"rankmetrics_custom_metric"}
    parsing = Macros(template_roots(), "duckdb")
    parsing.globals = {**parsing.globals, "execute": False}
    assert len(names) > 30
    assert not {name: text for name in names if (text := parsing[name]("relation", "wrong").strip())}
    for name in names:
        with pytest.raises(rm.RankmetricsError):
            macros()[name]("relation", "wrong", nothing_of_the_kind=1)


def test_the_arguments_that_tests_name_are_theirs():
    for file in sorted((sql_root() / "macros" / "tests").glob("*.sql")):
        text = file.read_text(encoding="utf-8")
        if named := re.search(r"set own = \[(.*?)\] -%}", text, re.DOTALL):
            parameters = re.search(r"{% test \w+\((.*?)\) %}", text, re.DOTALL)
            declared = re.findall(r"(?:^|, |,\n *|\n *)(\w+)(?==|,|\s*$)", parameters[1])
            known = {name for name in declared if name not in ("model", "column_name")}
            assert known == set(re.findall(r"'(\w+)'", named[1])) - {"column_name"}, file.name


def test_groups_are_columns_of_the_query_list_as_in_sql(place):
    """Of two places that have the column, the list of queries wins, unless the name of the other stands before it."""
    place.execute("CREATE TABLE listed AS SELECT DISTINCT query_id, 'l' || (query_id % 2) AS market, 2 AS n FROM arms")
    place.execute("CREATE TABLE marked AS SELECT *, 'all' AS market FROM judged")
    place.execute("CREATE TABLE ran AS SELECT query_id, item_id, 1 AS score FROM arms")
    given = {"metrics": ["rr"], "qrels": "marked", "query_list": "listed"}

    def both(by, **more):
        texts = (
            macros("duckdb")["summary"]("ran", **given, by=by, **more),
            rm.sql(["rr"], "ran", "marked", query_list="listed", by=by, **more),
        )
        found = [sorted(place.execute(text).fetchall()) for text in texts]
        assert found[0] == found[1]
        return found[0]

    assert [row[0] for row in both(["market"])] == ["l0", "l1"]
    assert [row[0] for row in both("market", weight="n")] == ["l0", "l1"]
    assert [row[0] for row in both("qrels.market")] == ["all"]
    with pytest.raises(UsageError, match=r"rankmetrics_sql: by: 'querylist.market': only run., qrels., query_list."):
        macros()["summary"]("ran", **given, by="querylist.market")


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (
            "event_type",
            "columns: unknown column 'event_type'. Its key is 'type'. Valid: request, item, position, type,",
        ),
        ("itm", "columns: unknown column 'itm'. Did you mean 'item'? Valid: request, item,"),
        ("zzzzz", "columns: unknown column 'zzzzz'. Valid: request, item,"),
    ],
)
def test_a_source_lists_the_keys_of_its_columns(named, said):
    with pytest.raises(rm.UsageError) as error:
        macros()["from_events"]("shown", "done", columns={named: "action"})
    assert said in str(error.value)
    [keys] = re.findall(r"Valid: (.*)[.]", str(error.value))
    if "Its key" in said or "Did you mean" in said:
        [key] = re.findall(r"(?:Its key is|Did you mean) '(\w+)'", str(error.value))
        assert key in keys.split(", ")
        assert "action" in macros()["from_events"]("shown", "done", columns={key: "action"})


def test_the_page_says_which_columns_from_events_returns():
    page = (Path(__file__).parents[2] / "docs" / "dbt.md").read_text()
    [line] = re.findall(r"^`from_events` returns .*? besides them (.*?)\.", page, re.MULTILINE | re.DOTALL)
    given = {"columns": {"request": "search", "item": "sku", "position": "pos"}, "context": ["market"]}
    text = macros("duckdb")["from_events"]("shown", "done", **given)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE shown (search TEXT, sku TEXT, pos INTEGER, market TEXT)")
        connection.execute("CREATE TABLE done (search TEXT, sku TEXT, event_type TEXT)")
        names = [name for name, *_ in connection.execute(text).description]
    assert names == ["search", "item_id", "position", "relevance", "market"]
    assert re.findall(r"`(\w+)`", line) == ["item_id", "position", "relevance"]


def test_dbt_names_the_time_as_people_write_it():
    with pytest.raises(
        rm.UsageError, match=r"period needs the column with the time\. Name it: columns={'time': \.\.\.}"
    ):
        macros()["summary"](**BASE, period="day")
    assert "CAST" in macros("duckdb")["summary"](**BASE, period="day", columns={"time": "asked_at"})

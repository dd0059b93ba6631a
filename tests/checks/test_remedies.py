"""What messages say to type is typed: taken out of the message itself, and added to the call that was refused.

``remedies.toml`` lists every message that names something to type, and the case here, or the test elsewhere, that types
it. A message that is new, changed or gone has to be so there too.
"""

from __future__ import annotations

import ast
import re
import shlex
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..everything import mostly_long, one_in
from . import remedies
from .test_messages import REMEDIES

TABLES = """
CREATE TABLE runs AS SELECT 'q' || q AS query_id, 'i' || ((q * 3 + i * 5) % 7) AS item_id, 10.0 - i AS score,
    i AS place, TIMESTAMP '2026-03-01' AS moment, q AS n, 'm' || (q % 2) AS market
    FROM range(8) AS a(q), range(1, 5) AS b(i);
CREATE TABLE others AS SELECT * REPLACE (i.score * ((i.place * 7) % 4) AS score) FROM runs AS i;
CREATE TABLE placed AS SELECT query_id, item_id, place FROM runs;
CREATE TABLE labels AS SELECT 'q' || q AS query_id, 'i' || i AS item_id, (q + i) % 3 AS relevance,
    's' || (i % 2) AS about FROM range(8) AS a(q), range(7) AS b(i);
CREATE TABLE stock AS SELECT 'i' || i AS item_id, 0.1 * i AS bought, 'k' || (i % 2) AS kind FROM range(7) AS a(i);
CREATE TABLE liked AS SELECT query_id, item_id FROM labels WHERE relevance > 0;
CREATE TABLE asked AS SELECT * REPLACE ('z' || query_id AS query_id) FROM runs;
CREATE TABLE gaps AS SELECT query_id, item_id, 2 * place AS position FROM runs;
CREATE TABLE shown AS SELECT query_id, item_id, place AS position, place % 2 AS relevance FROM runs;
CREATE TABLE partly AS SELECT * REPLACE (CASE WHEN query_id <> 'q1' THEN relevance END AS relevance) FROM shown;
CREATE TABLE numbered AS SELECT CAST(SUBSTR(query_id, 2) AS INTEGER) AS query_id, item_id, score FROM runs;
CREATE TABLE graded AS SELECT SUBSTR(query_id, 2) AS query_id, item_id, relevance FROM labels;
CREATE TABLE undefined AS SELECT * REPLACE (CASE WHEN item_id = 'i1' THEN 'NaN'::DOUBLE ELSE relevance END AS relevance)
    FROM labels;
CREATE TABLE composed AS SELECT 'q' AS query_id, 'caf' || chr(233) AS item_id, 1.0 AS score, 1 AS relevance;
CREATE TABLE decomposed AS SELECT 'q' AS query_id, 'cafe' || chr(769) AS item_id, 1.0 AS score, 1 AS relevance;
CREATE TABLE composed_queries AS SELECT item_id AS query_id, 'a' AS item_id, score, relevance FROM composed;
CREATE TABLE decomposed_queries AS SELECT item_id AS query_id, 'a' AS item_id, score, relevance FROM decomposed;
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    path = tmp_path_factory.mktemp("shop") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLES)
        yield connection


def evaluate(connection, run="runs", qrels="labels", metrics="rr", **given):
    return rm.evaluate(run, qrels, metrics, connection=connection, **given)


def compare(connection, metrics="rr", run="runs", other="others", qrels="labels", **given):
    return rm.compare(run, {"new": other}, qrels, metrics, connection=connection, **given)


def compare_all(connection, metrics="rr", **given):
    return rm.compare_all({"old": "runs", "new": "others"}, "labels", metrics, connection=connection, **given)


def decompose(connection, metrics="rr", run="runs", other="others", **given):
    return rm.decompose(run, {"new": other}, "labels", metrics, connection=connection, **given)


def movements(connection, **given):
    return rm.movements("runs", {"new": "others"}, connection=connection, **given)


def judge_next(connection, metric="rr", **given):
    return rm.judge_next({"old": "runs", "new": "others"}, "labels", metric, connection=connection, **given)


def statement(connection, metrics="rr", run="runs", **given):
    return rm.sql(metrics, run, "labels", **given)


def explain(connection, metrics="rr", **given):
    return rm.explain("runs", "labels", metrics, profile="ir_measures", connection=connection, **given)


def curve(connection, metrics="rr", **given):
    return rm.curve("runs", "labels", metrics, connection=connection, **given)


def stored(connection, columns="metric VARCHAR, value DOUBLE, n_queries BIGINT", replace=False):
    connection.execute(f"CREATE OR REPLACE TABLE found ({columns})")
    evaluate(connection).create_table("found", replace=replace)


def labelled(connection, data="shown", metrics="rr", **given):
    return rm.labelled(data, metrics, connection=connection, **given)


def options(said):
    """NAME=VALUE, the last that the message says to take."""
    return dict([re.findall(r"\b([a-z_]+)=(\w+(?:\.\d+)?)(?=[.;,: ]|$)", said)[-1]])


def taken(said):
    """NAME=VALUE behind "take"."""
    return dict([re.search(r"[Tt]ake (\w+)=(\w+)", said).groups()])


def left_out(said):
    """The defaults of what is to be left out."""
    defaults = {"alternative": "two_sided", "margin": 0, "power": None}
    return {name: defaults[name] for name in re.findall(r"(\w+)=", said.partition("Leave ")[2])}


def value(said):
    """NAME=VALUE, the name before the value that does not go, and that behind "take"."""
    return {
        re.search(r"\b([a-z_]+)=\w+ (?:needs|gives|is for)", said)[1]: re.search(r"[Tt]akes? (?:one of )?(\w+)", said)[
            1
        ]
    }


def listed_first(name):
    """The first of several values, behind "there are"."""
    return lambda said: {name: re.search(r"there are (\w+)", said)[1]}


def columns(said, **names):
    """The map of columns, with a column of the user's where the message has dots or NAME."""
    text = re.search(r"columns=(\{.*?\})", said)[1]
    for meaning, column in names.items():
        text = re.sub(rf"'((?:\w+\.)?{meaning})': (\.\.\.|NAME)", rf"'\1': '{column}'", text)
    return {"columns": ast.literal_eval(text)}


def columns_of(**names) -> Callable[[str], dict[str, Any]]:
    return lambda said: columns(said, **names)


def groups(said):
    """The columns to break down by, where the message has dots."""
    assert "by=[...]" in said
    return {"by": ["market"]}


def metric(said):
    """The metric that the message gives as an example."""
    return {"metrics": re.search(r"such as (\w+@10)", said)[1]}


@dataclass(frozen=True)
class Case:
    """A call that a message is about, and how to read there what to type."""

    ask: Callable[..., Any]
    given: Mapping[str, Any]
    read: Callable[[str], Mapping[str, Any]] = options
    keeps: Mapping[str, Any] = field(default_factory=dict)  # what is so in the second call, beside what is read


LISTED = remedies.listed()
LOGGED = {"qrels": "SELECT *, 0.5 AS propensity, 0.5 AS target FROM labels"}
TWICE = "SELECT * FROM labels UNION ALL SELECT query_id, item_id, relevance, about || '2' FROM labels"
HALVES = {"run": "SELECT * FROM runs WHERE n < 4", "other": "SELECT * FROM others WHERE n >= 4"}

SHOWN = "SELECT query_id AS request_id, item_id, 1 AS position FROM runs"
CLICKED = "SELECT query_id AS request_id, item_id, 'click' AS event_type FROM runs"
UNSCORED = "SELECT * REPLACE (CASE place WHEN 3 THEN NULL WHEN 4 THEN 'NaN'::DOUBLE ELSE score END AS score) FROM runs"

CASES = {
    "ap_denominator": Case(evaluate, {"metrics": "ap", "ap_denominator": "k"}, metric),
    "ideal_depth": Case(evaluate, {"metrics": "ndcg", "ideal_depth": "all_relevant"}, metric),
    "compare a median": Case(compare, {"aggregate": "median"}, taken),
    "decompose a median": Case(decompose, {"aggregate": "median", "by": "market"}, taken),
    "sums of a median": Case(statement, {"aggregate": "median", "level": "sums"}, taken),
    "weights of a median": Case(evaluate, {"aggregate": "median", "weight": "n"}, taken),
    "share of assumed judgments": Case(evaluate, {"metrics": "r", "judgments": "given", "unjudged": "relevant"}, taken),
    "adjusted and not t": Case(compare, {"covariate": "n", "design": "unpaired", "test": "randomisation"}, taken),
    "strata and not t": Case(compare, {"strata": "n", "design": "unpaired", "test": "randomisation"}, taken),
    "strata of pairs": Case(compare, {"strata": "n"}, lambda said: options(said.partition(". Both")[0] + ".")),
    "strata of a median": Case(compare, {"strata": "n", "design": "unpaired", "aggregate": "median"}, taken),
    "sums of weights and a covariate": Case(
        statement,
        {"level": "sums", "weight": "n", "covariate": "n"},
        lambda said: {
            "level": "compare",
            "baseline": "old",
            "run": {"old": "runs", "new": "others"},
            "design": "unpaired",
        },
    ),
    "sides of all pairs": Case(compare_all, {"alternative": "less"}, taken),
    "arms of all pairs": Case(compare_all, {"design": "unpaired"}, taken),
    "all pairs of a summary": Case(
        statement,
        {"all_pairs": True, "run": {"old": "runs", "new": "others"}},
        lambda said: {"level": re.search(r"level=(\w+)", said)[1]},
    ),
    "linear ratios of geometric means": Case(compare, {"metrics": "gm_map", "relative_interval": "linear"}, taken),
    "weights and not t": Case(compare, {"weight": "n", "test": "bootstrap"}, taken),
    "a loss and ranks": Case(compare, {"limits": {"rr": 0}, "test": "wilcoxon"}, taken),
    "a loss and not t": Case(compare, {"limits": {"rr": 0.1}, "test": "bootstrap"}, taken),
    "a loss of one side": Case(compare, {"limits": {"rr": 0}, "alternative": "less"}, left_out),
    "a loss and a margin": Case(compare, {"limits": {"rr": 0}, "alternative": "less", "margin": 0.1}, left_out),
    "two grades of a judge": Case(
        compare, {"qrels": "SELECT *, 'ab'[unnest([1, 1, 2])] AS judge FROM labels", "judge": "judge"}
    ),
    "a cap and bounds": Case(compare, {"metrics": "cg@1", "cap": {"cg@1": 1}, "unjudged": "bounds"}, taken),
    "margin without a side": Case(
        compare, {"margin": 0.1}, lambda said: options(said.partition(", alternative=less")[0])
    ),
    "equivalence without a margin": Case(compare, {"alternative": "equivalence"}),
    "equivalence and a power": Case(compare, {"alternative": "equivalence", "margin": 0.1, "power": 0.8}, left_out),
    "margin and not t": Case(compare, {"margin": 0.1, "alternative": "greater", "test": "wilcoxon"}, taken),
    "a margin of geometric means": Case(compare, {"metrics": "gm_map", "margin": 0.1, "alternative": "greater"}, taken),
    "pooled and wilcoxon": Case(compare, {"metrics": "ctr_pooled", "test": "wilcoxon"}, taken),
    "kind of bootstrap": Case(evaluate, {"bootstrap_interval": "bca"}),
    "mann_whitney": Case(compare, {"test": "mann_whitney"}, lambda said: options(said.partition(". For")[0] + ".")),
    "covariate of pairs": Case(compare, {"covariate": "n"}, lambda said: options(said.partition(". Both")[0] + ".")),
    "shares of pairs": Case(compare, {"shares": {"runs": 0.5, "new": 0.5}}),
    "period without a time": Case(evaluate, {"period": "day"}, columns_of(time="moment")),
    "ties by rank": Case(evaluate, {"ties": "rank"}, columns_of(position="place")),
    "given positions": Case(evaluate, {"position": "given"}, columns_of(position="place")),
    "scores and positions": Case(
        evaluate,
        {"run": {"a": "runs", "b": "SELECT query_id, item_id, place AS position FROM placed"}},
        columns_of(position="place"),
        {"run": {"a": "runs", "b": "placed"}},
    ),
    "rollup of nothing": Case(evaluate, {"rollup": True}, groups),
    "min_queries of nothing": Case(evaluate, {"min_queries": 2}, groups),
    "order of nothing": Case(evaluate, {"limit": 2}, groups),
    "decompose by nothing": Case(decompose, {}, groups),
    "subtopics": Case(evaluate, {"metrics": "alpha_ndcg@10"}, columns_of(subtopic="about")),
    "popularity": Case(
        evaluate, {"metrics": "average_popularity@10", "items": "stock"}, columns_of(popularity="bought")
    ),
    "categories": Case(evaluate, {"metrics": "distinct_categories@10", "items": "stock"}, columns_of(category="kind")),
    "expected ranks": Case(movements, {"ties": "expected"}),
    "a column by its name": Case(
        evaluate, {"run": "SELECT query_id, item_id AS doc, score FROM runs"}, columns_of(item_id="doc")
    ),
    "a run of places": Case(
        evaluate, {"run": "placed"}, lambda said: columns(said.partition("If the run")[2], position="place")
    ),
    "items that are liked": Case(
        evaluate,
        {"qrels": "SELECT *, 'yes' AS label FROM liked"},
        lambda said: columns(said.partition("If every")[2]),
    ),
    "names that differ in case": Case(
        evaluate,
        {"run": pd.DataFrame({"query_id": ["q1"], "item_id": ["i1"], "SCORE": [1], "Score": [2]})},
        columns,
    ),
    "ids of two types": Case(evaluate, {"run": "numbered", "qrels": "graded"}, columns),
    "a grade that is NaN": Case(evaluate, {"qrels": "undefined"}, columns),
    "a labelled grade that is NaN": Case(
        evaluate,
        {"run": rm.labelled("SELECT * REPLACE ('NaN'::DOUBLE AS relevance) FROM shown"), "qrels": None},
        lambda said: {
            "run": rm.labelled(
                "SELECT * REPLACE ('NaN'::DOUBLE AS relevance) FROM shown UNION ALL SELECT 'q1', 'z', 9, 1",
                **columns(said),
            )
        },
    ),
    "scores that are NULL or NaN": Case(
        evaluate,
        {"run": UNSCORED},
        lambda said: {"run": f"SELECT * FROM ({UNSCORED}) {re.search(r'(WHERE .*NaN.*)[.]$', said)[1]}"},
    ),
    "queries that look alike": Case(evaluate, {"run": "composed_queries", "qrels": "decomposed_queries"}, columns),
    "items that look alike": Case(evaluate, {"run": "composed", "qrels": "decomposed"}, columns),
    "nothing to pair": Case(compare, HALVES),
    "nothing to score alike": Case(decompose, {**HALVES, "by": "market"}),
    "little to pair": Case(compare, {**HALVES, "other": "SELECT * FROM others WHERE n > 2"}),
    "gaps": Case(evaluate, {"run": "gaps"}),
    "ties of given positions": Case(evaluate, {"run": "gaps", "position": "given", "ties": "expected"}),
    "gaps that would close": Case(evaluate, {"run": "gaps", "position": "given", "unjudged": "drop"}),
    "places that would be found": Case(evaluate, {"run": "gaps", "position": "given", "strategy": "count"}),
    "two items at one position": Case(
        evaluate, {"run": rm.events(SHOWN, CLICKED), "qrels": None, "metrics": ["p@1", "rr"]}
    ),
    "nothing but shared positions": Case(evaluate, {"run": rm.events(SHOWN, CLICKED), "qrels": None, "metrics": "p@1"}),
    "few judged items": Case(evaluate, {"qrels": "SELECT * FROM labels WHERE item_id = 'i1'", "metrics": "ndcg@3"}),
    "ties that decide": Case(evaluate, {"run": "SELECT * REPLACE (1 AS score) FROM runs", "check": "full"}),
    "items that stand twice": Case(evaluate, {"run": "SELECT * FROM runs UNION ALL SELECT * FROM runs"}),
    "items of several runs": Case(
        evaluate, {"run": "SELECT *, 'a' AS retriever FROM runs UNION ALL SELECT *, 'b' FROM runs"}, columns
    ),
    "highest of several grades": Case(evaluate, {"qrels": TWICE}),
    "lists without a label": Case(labelled, {"data": "partly"}),
    "high grades": Case(evaluate, {"metrics": "err", "err_max": 1}),
    "a list of queries": Case(
        evaluate, {"by": "query_list.n"}, lambda said: {"query_list": "SELECT DISTINCT query_id, n FROM runs"}
    ),
    "no judgments to group by": Case(
        evaluate,
        {"run": rm.labelled("SELECT *, query_id AS m FROM shown"), "qrels": None, "metrics": "rr", "by": "qrels.m"},
        lambda said: {"by": re.search(r"'(run\.\w+)'", said)[1]},
    ),
    "given judgments by subtopic": Case(
        evaluate, {"metrics": "alpha_ndcg@10", "judgments": "given", "columns": {"subtopic": "about"}}, taken
    ),
    "assumed subtopics": Case(
        evaluate, {"metrics": "alpha_ndcg@10", "unjudged": "relevant", "columns": {"subtopic": "about"}}, taken
    ),
    "assumed propensities": Case(evaluate, {**LOGGED, "metrics": "snips", "unjudged": "relevant"}, taken),
    "an error in a statement": Case(statement, {"no_relevant": "error"}, value),
    "an error in a curve": Case(curve, {"no_relevant": "error"}, value),
    "bounds of a curve": Case(curve, {"unjudged": "bounds"}, value),
    "bounds explained": Case(explain, {"unjudged": "bounds"}, value),
    "what to judge of assumed grades": Case(
        judge_next, {"unjudged": "drop"}, lambda said: {"unjudged": "nonrelevant"} if "Omit unjudged" in said else {}
    ),
    "what to judge if all is relevant": Case(judge_next, {"rel": 0}, taken),
    "what to judge without ranks": Case(judge_next, {"ties": "expected"}, options),
    "a prediction": Case(
        evaluate, {"run": "placed", "metrics": "rmse", "columns": {"position": "place"}}, columns_of(score="place")
    ),
    "the order of a table": Case(
        evaluate, {"ties": "input"}, lambda said: {**taken(said), **columns(said, position="place")}
    ),
    "the order of ratings": Case(
        evaluate,
        {
            "run": rm.ratings("runs", user="query_id", item="item_id", rating="place", predicted="score"),
            "qrels": None,
            "ties": "input",
        },
        lambda said: {"ties": re.search(r"such as ties=(\w+)", said)[1]},
    ),
    "points of a curve": Case(statement, {"metrics": "pr_curve", "level": "curve"}, taken),
    "curve of points": Case(
        statement, {"level": "points"}, lambda said: {"level": re.search(r"level=(\w+) or", said + " or")[1]}
    ),
    "a catalogue": Case(
        evaluate,
        {"metrics": "catalogue_coverage@10"},
        lambda said: {"items": "stock"} if "give items=..." in said else {},
    ),
    "kind of bootstrap of a test": Case(
        compare, {"bootstrap_interval": "bca"}, lambda said: options(said.partition(". With")[0] + ".")
    ),
    "a time without a period": Case(
        evaluate, {"columns": {"time": "moment"}}, lambda said: {"period": re.search(r"too: (\w+),", said)[1]}
    ),
    "a test of pairs": Case(compare, {"test": "sign", "design": "unpaired"}, listed_first("test")),
    "a test of clusters": Case(compare, {"test": "wilcoxon", "cluster": "market"}, listed_first("test")),
    "k of a metric": Case(
        statement, {"k": 5, "metrics": "rr"}, lambda said: {"k": None, "metrics": re.search(r"as in '(.*)'", said)[1]}
    ),
    "limits of a summary": Case(
        statement,
        {"limits": {"rr": 0.1}, "run": {"old": "runs", "new": "others"}},
        lambda said: {"level": re.search(r"level=(\w+)", said)[1]},
    ),
    "a cap of a summary": Case(
        statement,
        {"metrics": "cg@1", "cap": {"cg@1": 1}, "run": {"old": "runs", "new": "others"}},
        lambda said: {"level": re.search(r"level=(\w+)", said)[1]},
    ),
    "one time": Case(
        evaluate, {"period": "day", "columns": {"run.time": "moment", "time": "moment"}}, columns_of(time="moment")
    ),
    "grades by subtopic": Case(evaluate, {"qrels": TWICE}, columns_of(subtopic="about"), {"metrics": "alpha_ndcg@10"}),
    "grades of several people": Case(
        evaluate,
        {"qrels": TWICE},
        lambda said: {"qrels": re.search(r"SELECT .*(?=\.$)", said)[0].replace("FROM ...", f"FROM ({TWICE})")},
    ),
    "a table that is there": Case(stored, {}, lambda said: {"replace": ast.literal_eval(options(said)["replace"])}),
    "a table of other columns": Case(
        stored,
        {"columns": "a INTEGER", "replace": True},
        lambda said: {"replace": re.search(r"pass replace='(\w+)'", said)[1]},
    ),
    "corrected levels": Case(
        compare,
        {"interval_level": "corrected", "test": "bootstrap"},
        lambda said: {"interval_level": "nominal"} if "Leave it out" in said else {},
    ),
    "exchanged clusters": Case(compare, {"design": "unpaired", "test": "randomisation", "cluster": "market"}),
    "linear draws": Case(
        compare,
        {"relative_interval": "linear", "test": "bootstrap"},
        lambda said: {"relative_interval": "log"} if "Leave one of them out" in said else {},
    ),
    "a family of metrics in one string": Case(
        evaluate, {"metrics": "rr ndcg@10"}, lambda said: {"metrics": ast.literal_eval(re.search(r"\[.*\]", said)[0])}
    ),
    "nicknames": Case(
        evaluate, {"metrics": "all_trec"}, lambda said: {"metrics": ast.literal_eval(re.search(r"\[.*\]", said)[0])}
    ),
    "a name for two metrics": Case(
        evaluate, {"metrics": "hits@2"}, lambda said: {"metrics": re.findall(r"\((\w+@2)\)", said)}
    ),
}


def answered(case, connection, given):
    """What is said of a call, by its error or its warnings together; and whether it was an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        try:
            result = case.ask(connection, **given)
        except rm.RankmetricsError as error:
            return str(error), True
    return "\n".join(getattr(result, "warnings", [])), False


@pytest.mark.parametrize("name", one_in(8, CASES))
def test_what_a_message_says_to_type_works(shop, name):
    case = CASES[name]
    said, _ = answered(case, shop, case.given)
    assert said
    again, is_wrong = answered(case, shop, {**case.given, **case.keeps, **case.read(said)})
    assert not is_wrong, again
    for message in (message for message, typed in LISTED["typed"].items() if typed == name):
        assert re.search(remedies.pattern(message), said)
        assert not re.search(remedies.pattern(message), again)


FILES = {
    "run": "q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\n",
    "qrels": "q1 0 a 1\nq1 0 b 0\n",
    "two_runs": "q1 Q0 a 1 2.0 x\nq1 Q0 a 1 1.0 y\nq1 Q0 b 1 2.0 y\n",
    "liked.csv": "query_id,item_id\nq1,a\n",
    "undefined.csv": "query_id,item_id,relevance\nq1,a,nan\nq1,b,1\n",
    "undefined": "q1 0 a nan\nq1 0 b 1\n",
    "composed": "q\u00e9 Q0 \u00e0 1 2.0 x\n",
    "decomposed": "qe\u0301 0 a\u0300 1\n",
    "shop.json": '{"q1": {"a": 2, "b": 1}}',
    "numbered.csv": "query,item,score\nq1,a,2\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


PAIRS = [
    ("two_runs", "qrels", "1.0"),
    ("run", "liked.csv", "1.0"),
    ("run", "undefined.csv", "0.5"),
    ("run", "undefined", "0.5"),
    ("composed", "decomposed", "1.0"),
]


@pytest.mark.parametrize(("run", "qrels", "value"), PAIRS)
def test_what_a_message_says_to_type_works_on_the_command_line(folder, cli, run, qrels, value):
    asked = ["evaluate", run, "--qrels", qrels, "-m", "rr", "--format", "csv"]
    for _ in range(2):  # the ids of queries, then of items
        advised = re.findall(r"--columns (?:\"[^\"]*\"|[\w.]+=\w+)(?: --columns \"[^\"]*\")?", cli(*asked).output)
        asked += shlex.split(advised[-1]) if advised else []
    done = cli(*asked)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[1].split(",")[2] == value


COMMANDS = (
    *("evaluate", "compare", "decompose --by x", "movements", "tukey", "sensitivity", "sample-size", "judge-next"),
    "report -o x.html --qrels qrels",
    "agreement",
)


@pytest.mark.parametrize("command", mostly_long(COMMANDS, "evaluate"))
def test_a_command_that_is_advised_runs(folder, cli, command):
    metrics = [] if command in ("movements", "agreement") else ["-m", "rr"]
    _, _, advised = cli(*command.split(), *metrics).output.partition("Try: ")
    names = {
        "RUN": "run",
        "OLD": "run",
        "NEW": "new=two",
        "OTHER": "other=three",
        "QRELS": "qrels",
        "COLUMN": "query_id",
    }
    (folder / "two").write_text("q1 Q0 b 1 2.0 x\n", encoding="utf-8")
    (folder / "three").write_text("q1 Q0 c 1 2.0 x\n", encoding="utf-8")
    words = [re.sub(r"[A-Z]+", lambda name: names.get(name[0], name[0]), word) for word in shlex.split(advised)]
    assert words[0] == "rankmetrics"
    done = cli(*words[1:])
    assert done.exit_code == 0, done.output


EVALUATE = ["evaluate", "run", "--qrels", "qrels", "-m", "rr"]
# What is typed wrongly, the beginning of what is said, and the same as it advises.
COMPARE = ["compare", "run", "new=run", "--qrels", "qrels", "-m", "rr"]
CAPPED = [*COMPARE[:-1], "cg@1"]
PLAN = ["sample-size", *EVALUATE[1:], "--effect", "0.1"]
LINES = {
    "groups that differ": (
        [*COMPARE, "--heterogeneity"],
        "--heterogeneity compares groups",
        [*COMPARE, "--heterogeneity", "--by", "query_id"],
    ),
    "groups and queries": (
        [*COMPARE, "--by", "query_id", "--heterogeneity", "-q"],
        "--per-query and --heterogeneity print",
        [*COMPARE, "--by", "query_id", "--heterogeneity"],
    ),
    "a plan for pairs": (
        [*PLAN, "--set", "design=paired"],
        "A plan for pairs takes two runs",
        [*PLAN, "--set", "design=unpaired"],
    ),
    "shares of a plan of pairs": (
        [*PLAN, "new=run", "--shares", "a=1,b=1"],
        "shares are of arms",
        [*PLAN, "new=run"],
    ),
    "a plan for equivalence": (
        [*PLAN, "--set", "alternative=equivalence"],
        "sample_size plans tests against no difference",
        PLAN,
    ),
    "choices": (
        [*EVALUATE, "--set", "ties"],
        "--set takes OPTION=VALUE, such as ties=item_asc, not",
        [*EVALUATE, "--set", "ties=item_asc"],
    ),
    "columns": (
        [*EVALUATE[:1], "numbered.csv", *EVALUATE[2:], "--columns", "query"],
        "--columns takes NAME=COLUMN,...",
        [*EVALUATE[:1], "numbered.csv", *EVALUATE[2:], "--columns", "query_id=query,item_id=item"],
    ),
    "points": (
        ["curve", *EVALUATE[1:], "--at", "1;5"],
        "--at takes numbers separated by commas, such as 1,5,10, not",
        ["curve", *EVALUATE[1:], "--at", "1,5,10"],
    ),
    "shares": (
        ["compare", "run", "new=run", "--qrels", "qrels", "-m", "rr", "--set", "design=unpaired", "--shares", "half"],
        "--shares takes ARM=SHARE,... with shares above 0, such as control=0.9,new=0.1, not 'half'.",
        [
            "compare",
            "run",
            "new=run",
            "--qrels",
            "qrels",
            "-m",
            "rr",
            "--set",
            "design=unpaired",
            "--shares",
            "run=0.5,new=0.5",
        ],
    ),
    "losses": (
        [*COMPARE, "--limits", "rr"],
        "--limits takes METRIC=LOSS,..., such as ap=0.01, not 'rr'.",
        [*COMPARE, "--limits", "rr=0.01"],
    ),
    "a loss twice": (
        [*COMPARE, "--limits", "rr=0.01,rr=0.02"],
        "--limits gives rr two losses.",
        [*COMPARE, "--limits", "rr=0.01"],
    ),
    "amounts": (
        [*CAPPED, "--cap", "cg@1"],
        "--cap takes METRIC=AMOUNT,..., such as cg@1=40 or cg@1=99%, not 'cg@1'.",
        [*CAPPED, "--cap", "cg@1=99%"],
    ),
    "an amount twice": (
        [*CAPPED, "--cap", "cg@1=4,cg@1=40"],
        "--cap gives cg@1 two amounts.",
        [*CAPPED, "--cap", "cg@1=40"],
    ),
    "all pairs and a condition": (
        [*COMPARE, "--all-pairs", "--fail-if", "rr worse"],
        "--all-pairs has no baseline, so it excludes --fail-if,",
        [*COMPARE, "--all-pairs"],
    ),
    "a share of nothing": (
        [*COMPARE[:-1], "p(rel=9)@1", "--fail-if", "p(rel=9)@1 worse by 5%"],
        "p(rel=9)@1 of run is 0, and a margin in % needs a baseline above 0. Pass a margin without %.",
        [*COMPARE[:-1], "p(rel=9)@1", "--fail-if", "p(rel=9)@1 worse by 0.05"],
    ),
    "a share and a range": (
        [*COMPARE[:-1], "p@1", "--set", "unjudged=bounds", "--fail-if", "p@1 worse by 5%"],
        "unjudged=bounds gives the range of a difference",
        [*COMPARE[:-1], "p@1", "--set", "unjudged=bounds", "--fail-if", "p@1 worse by 0.05"],
    ),
    "names of runs": (
        ["evaluate", "run", "run", "--qrels", "qrels", "-m", "rr"],
        "Two runs are called 'run'. Write NAME=FILE to tell them apart.",
        ["evaluate", "run", "other=run", "--qrels", "qrels", "-m", "rr"],
    ),
    "metrics": ([*EVALUATE[:-1], ","], "-m ',' names no metric", [*EVALUATE[:-1], "ap P_5"]),
    "metrics and a nickname": (
        [*EVALUATE[:-1], "no_such all_trec"],
        "Unknown metric 'no_such'",
        [*EVALUATE[:-1], "rr all_trec"],
    ),
    "a metric like no other": (
        [*EVALUATE[:-1], "faithfulness"],
        "Unknown metric 'faithfulness'. There are ",
        ["metrics"],
    ),
    "two metrics of a list": (
        ["judge-next", "run", "new=run", "--qrels", "qrels", "-m", "ndcg@10,rr"],
        "judge-next takes one metric, such as -m ndcg@10.",
        ["judge-next", "run", "new=run", "--qrels", "qrels", "-m", "ndcg@10"],
    ),
    "a page": (
        ["report", "run", "--qrels", "qrels", "-m", "rr", "-o", "-"],
        "-o - would print the page. Write it to a file: -o report.html.",
        ["report", "run", "--qrels", "qrels", "-m", "rr", "-o", "report.html"],
    ),
    "a semicolon": (
        ["sql", "-m", "rr", "--run", "shop.results;", "--qrels", "labels;", "--dialect", "nope"],
        "Unknown dialect",
        ["sql", "-m", "rr", "--run", "shop.results;", "--qrels", "labels;"],
    ),
}


@pytest.mark.parametrize("name", one_in(4, LINES))
def test_what_a_line_says_works_when_typed(folder, cli, name):
    wrong, message, right = LINES[name]
    said = cli(*wrong).output
    assert message in said
    assert all(re.search(remedies.pattern(listed), said) for listed, typed in LISTED["typed"].items() if typed == name)
    done = cli(*right)
    assert done.exit_code == 0, done.output


def test_a_comparison_in_dbt_takes_names():
    """Python has the baseline first, so that copied arguments would turn every sign."""
    compared = {"metrics": ["rr"], "qrels": "labels"}
    for macro, given in (("compare", compared), ("decompose", {**compared, "by": "market"}), ("movements", {})):
        ask = macros()[macro]
        both = {"candidate": "new", "relation": "new", "baseline": "old"}
        for places, names in ((("new", "old"), {}), ((), {"candidate": "new"}), ((), {"baseline": "old"}), ((), both)):
            with pytest.raises(rm.UsageError) as error:
                ask(*places, **names, **given)
            assert f"{macro} takes its arguments by name: {macro}(baseline=ref('old'), candidate=" in str(error.value)
        text = ask(baseline="old", candidate="new", **given)
        assert text == ask(baseline="old", relation="new", **given)
        assert text != ask(baseline="new", candidate="old", **given)


def test_a_comparison_of_one_relation_in_dbt_takes_names():
    given = {"columns": {"run": "system"}, "baseline": "old", "metrics": ["ap"], "qrels": "labels"}
    assert "WITH" in macros()["compare"](relation="runs", **given)
    with pytest.raises(
        rm.UsageError, match=r"compare\(relation=ref\('runs'\), columns=\{'run': 'system'\}, baseline='old', met"
    ):
        macros()["compare"]("runs", **given)


def test_every_message_that_says_what_to_type_is_listed():
    known = [message for part in LISTED.values() for message in part]
    assert len(known) == len(set(known))
    assert sorted(remedies.found() - set(known)) == [], "new: list it in remedies.toml, and type it"
    assert sorted(set(known) - remedies.found()) == [], "gone: take it out of remedies.toml"


def test_what_is_said_to_be_typed_is():
    files = Path(__file__).parents[1].rglob("test_*.py")
    tests = (name for file in files for name in re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.MULTILINE))
    names = {*CASES, *LINES, *REMEDIES, *tests}
    assert set(LISTED["typed"].values()) <= names


def test_the_search_finds_a_remedy():
    found = remedies.found()
    assert any("take aggregate=mean" in message for message in found)
    assert any("pip install" in message for message in found)
    assert any("takes its arguments by name" in message for message in found)
    assert len(found) > 150

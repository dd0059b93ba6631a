"""Kinds of data that cannot carry a number, by roads: each gives the honest value, refuses, or says why it cannot know.

Each cell of the table is what is asked on a road, and words that the answer has. An answer is rows and warnings, or the
message of a refusal. A word behind ``NOT`` is one that it must not have. ``Unknown`` says why a road cannot know, and
where people read that.
"""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..everything import one_in

ROADS = ("python", "command line", "sql", "dbt")
DOCS = Path(__file__).parents[2] / "docs"
TABLES = Path(__file__).parents[1] / "data" / "kinds.sql"
NOT = "NOT "

FILES = {
    "c15.run": "q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\n",
    "c15.qrels": "q 0 a 1\nq 0 b 0 9\n",
    "c17_run.csv": "query_id,item_id,score\nq,a,10\nq,b,9\n",
    "c17_qrels.csv": "query_id,item_id,stars\nq,a,9\nq,b,10\n",
    "c18_qrels.csv": "query_id,item_id,relevance\nq,a,True\nq,b,False\n",
}


@dataclass
class Place:
    """The tables and files of the kinds, and the roads to them."""

    folder: Path
    cli: Callable[..., Any]

    @property
    def database(self) -> Path:
        return self.folder / "shop.duckdb"

    def asked(self, call: Callable[[Any], Any]) -> str:
        """What a call says: what it gives, and its warnings; or its refusal."""
        with (
            duckdb.connect(str(self.database), read_only=True) as connection,
            warnings.catch_warnings(record=True) as said,
        ):
            warnings.simplefilter("always")
            try:
                found = call(connection)
            except (rm.DataError, rm.UsageError) as refused:
                return f"refused: {refused}"
        return "\n".join([found, *(str(warning.message) for warning in said)])


def rows_of(connection: Any, text: str) -> str:
    """The statement's comments above it, and its rows by their columns."""
    cursor = connection.execute(text)
    names = [column[0] for column in cursor.description]
    rows = [str(dict(zip(names, row, strict=True))) for row in cursor.fetchall()]
    return "\n".join([line for line in text.splitlines() if line.startswith("--")] + rows + [f"{len(rows)} rows"])


def python(name: str, *arguments: Any, **given: Any) -> Callable[[Place], str]:
    """A question of the package, about tables of the database, or files if their folder is in the names."""

    def ask(place: Place) -> str:
        def call(connection: Any) -> str:
            inputs = [
                str(place.folder / one)
                if isinstance(one, str) and Path(one).suffix in (".csv", ".run", ".qrels")
                else one
                for one in arguments
            ]
            from_files = inputs != list(arguments)
            found = getattr(rm, name)(*inputs, **({} if from_files else {"connection": connection}), **given)
            return str(getattr(found, "summary", found).dicts())

        return place.asked(call)

    return ask


def line(text: str) -> Callable[[Place], str]:
    """A command, in the folder of the files and of the database."""

    def ask(place: Place) -> str:
        words = [word.replace("DIR", str(place.folder)) for word in shlex.split(text)]
        if "DIR" not in text:
            words += ["--database", str(place.database)]
        result = place.cli(*words)
        return " ".join(f"exit {result.exit_code}\n{result.stdout}\n{result.stderr}".split())

    return ask


def sql(*arguments: Any, **given: Any) -> Callable[[Place], str]:
    """A statement that is printed without a connection, and run."""
    return lambda place: place.asked(lambda connection: rows_of(connection, rm.sql(*arguments, **given)))


def dbt(name: str, *arguments: Any, **given: Any) -> Callable[[Place], str]:
    """A macro of dbt, or a test, and what the statement gives."""
    return lambda place: place.asked(
        lambda connection: rows_of(connection, macros("duckdb")[name](*arguments, **given))
    )


def model(source: str, *arguments: Any, **given: Any) -> str:
    """A source's macro as a relation."""
    return f"({macros('duckdb')[source](*arguments, **given)}) AS u"


@dataclass(frozen=True)
class Unknown:
    """Why a road cannot know, the page that says so, its words, and what is said there all the same."""

    why: str
    page: str
    words: str
    cell: tuple[Any, ...] = ()


NO_ROWS = ("no rows seen", "engines.md", "`rankmetrics sql`, the functions and dbt check nothing.")
NO_TYPES = ("no types", "engines.md", "all queries with NaN are one group or cluster.")
NO_FILES = ("no files", "engines.md", "They read no files of TREC text.")

RUNS = {"old": "a1_old", "new": "a1_new"}
TOGETHER = {"relation": "a1_runs", "columns": {"run": "run_id"}, "baseline": "old"}
HARDLY = "36 % of new is judged against 100 % of old"
RATED = {"user": "user_id", "item": "item_id", "rating": "rating", "predicted": "score"}
USERS = {"user": "user_id", "arm": "arm"}
SAME = {"old": "b10_run", "new": "b10_run"}
STARS = {"columns": {"relevance": "stars - 1"}}
NULLS = {"no_relevant": "null"}
LEFT_OUT = ("'value': 1.0", "'n_queries': 2", "'n_left_out': 1")
ONE = ("'value': 1.0", "'n_queries'")
SHOWN = {"columns": {"query": "request_id", "position": "position"}, "options": {"position": "given"}}
MEANINGS = ("refused", "pair_accuracy", "success")
TIED = "1 query with equal scores whose order decides values"
MIXED = "80 of 100 requests have nothing at position 0"

# Each kind, by the roads in their order: what is asked, and words of the answer; or why a road cannot know.
KINDS: dict[str, tuple[Any, ...]] = {
    "A1 a run is hardly judged": (
        (python("compare", RUNS, "a1_qrels", "ndcg@10"), HARDLY),
        (line("compare old=a1_old new=a1_new --qrels a1_qrels -m ndcg@10"), HARDLY),
        (sql("ndcg@10", RUNS, "a1_qrels", level="compare"), HARDLY),
        (
            dbt("compare", **TOGETHER, metrics=["ndcg@10"], qrels="a1_qrels"),
            HARDLY,
        ),
    ),
    "A2 nothing of a run is judged": (
        (python("compare", {"old": "a1_old", "new": "a2_strange"}, "a1_qrels", "rr"), "No retrieved item is judged"),
        (
            line("compare old=a2_strange new=a2_strange --qrels a1_qrels -m rr --fail-if 'rr worse'"),
            "exit 3",
            "no judged item",
        ),
        (sql("rr", {"old": "a1_old", "new": "a2_strange"}, "a1_qrels", level="compare"), "0 % of new is judged"),
        (
            dbt(
                "test_metric_not_worse_than",
                "a2_strange",
                ["rr"],
                baseline="a2_strange",
                qrels="a1_qrels",
                error_drop=1,
            ),
            "no retrieved item is judged",
            "'severity_level': 2",
        ),
    ),
    "A3 several runs in one table": (
        (python("evaluate", "a3_runs", "a3_qrels", "rr"), "refused", "retriever"),
        (line("evaluate a3_runs --qrels a3_qrels -m rr"), "exit 1", "retriever"),
        (
            sql("rr", "a3_runs", "a3_qrels"),
            "Of an item that stands twice the best rank",
            "GROUP BY query_id, item_id HAVING",
        ),
        (dbt("test_run_is_valid", "a3_runs"), "'problem': 'duplicate'"),
    ),
    "A4 a judgment stands twice": (
        (python("evaluate", "a4_run", "a4_qrels", "ndcg"), "refused", "duplicate"),
        (line("evaluate a4_run --qrels a4_qrels -m ndcg"), "exit 1", "duplicate"),
        (sql("ndcg", "a4_run", "a4_qrels"), "'value': 1.0"),
        (dbt("summary", "a4_run", ["ndcg"], qrels="a4_qrels"), "'value': 1.0"),
    ),
    "A5 a query has no value": (
        (python("evaluate", "a5_run", "a5_qrels", "rr", **NULLS), *LEFT_OUT),
        (line("evaluate a5_run --qrels a5_qrels -m rr --set no_relevant=null --format csv"), "rr,1.0,2,1"),
        (sql("rr", "a5_run", "a5_qrels", **NULLS), *LEFT_OUT),
        (dbt("summary", "a5_run", ["rr"], qrels="a5_qrels", options=NULLS), *LEFT_OUT),
    ),
    "A6 ties decide": (
        (python("evaluate", "a6_run", "a6_qrels", "mrr@10"), TIED, "ties=expected"),
        (line("evaluate a6_run --qrels a6_qrels -m mrr@10"), TIED, "ties=expected"),
        Unknown(*NO_ROWS, cell=(sql("mrr@10", "a6_run", "a6_qrels", ties="expected"), "'value': 0.3397")),
        Unknown(
            *NO_ROWS,
            cell=(
                dbt("summary", "a6_run", ["mrr@10"], qrels="a6_qrels", options={"ties": "expected"}),
                "'value': 0.3397",
            ),
        ),
    ),
    "B8 unjudged items are the rule": (
        (python("evaluate", rm.ratings("b8_rated", **RATED), None, "p(rel=4)@10"), "'value': 0.1", "NOT are judged"),
        (
            line("evaluate --ratings b8_rated --rule user=user_id,item=item_id,predicted=score -m 'p(rel=4)@10'"),
            "0.1",
            "NOT are judged",
        ),
        (sql("p(rel=4)@10", rm.ratings("b8_rated", **RATED)), "'value': 0.1", "NOT are judged"),
        (
            dbt(
                "summary",
                model("from_ratings", "b8_rated", columns=RATED),
                ["p(rel=4)@10"],
                columns={"query": "user_id"},
            ),
            "'value': 0.1",
            "NOT are judged",
        ),
    ),
    "B9 users were assigned, not queries": (
        (
            python("compare", rm.events("b9_shown", "b9_done", **USERS), "rr", baseline="old"),
            "NOT mismatch",
            "cluster='user_id'",
        ),
        (
            line("compare --events b9_shown b9_done --rule user=user_id,arm=arm --baseline old -m rr"),
            "NOT mismatch",
            "--cluster user_id",
        ),
        Unknown(*NO_ROWS),
        (dbt("test_sample_ratio_is_even", "b9_shown", columns={"arm": "arm", "query": "user_id"}), "0 rows"),
    ),
    "B10 one share of judged items": (
        (python("evaluate", "b10_run", "b10_qrels", "p@10"), "only 20 % of the top 10"),
        (line("evaluate b10_run --qrels b10_qrels -m p@10"), "only 20 % of the top 10"),
        (sql("p@10", SAME, "b10_qrels", level="compare"), "'judged_baseline': 0.2", "'judged_candidate': 0.2"),
        (dbt("test_judged_share_above", "b10_run", qrels="b10_qrels", k=10, error_below=0.5), ": 0.2"),
    ),
    "C11 scores beyond 2^53": (
        (python("evaluate", "c11_run", "a3_qrels", "rr"), *ONE),
        (line("evaluate c11_run --qrels a3_qrels -m rr --format csv"), "rr,1.0,1"),
        (sql("rr", "c11_run", "a3_qrels"), *ONE),
        (dbt("summary", "c11_run", ["rr"], qrels="a3_qrels"), *ONE),
    ),
    "C12 a position of -1": (
        (python("evaluate", rm.events("c12_shown", "c12_done"), "rr"), *ONE, "NOT begin at 0"),
        (line("evaluate --events c12_shown c12_done -m rr --format csv"), "rr,1.0,20", "NOT begin at 0"),
        (sql("rr", rm.events("c12_shown", "c12_done")), *ONE),
        (dbt("summary", model("from_events", "c12_shown", "c12_done"), ["rr"], **SHOWN), *ONE),
    ),
    "C13 two bases in one log": (
        (python("evaluate", rm.events("c13_shown", "c13_done"), "rr"), "refused", MIXED),
        (line("evaluate --events c13_shown c13_done -m rr"), "exit 1", MIXED),
        Unknown(
            "no rows seen",
            "dbt_recipes.md",
            "A model cannot: it shifts all of them",
            (sql((), rm.events("c13_shown", "c13_done"), level="data_quality"), "nothing at position 0", ": 80}"),
        ),
        Unknown(
            "no rows seen",
            "dbt_recipes.md",
            "Test the row `nothing at position 0` of `quality_of_events`.",
            (dbt("quality_of_events", "c13_shown", "c13_done"), "nothing at position 0", ": 80}"),
        ),
    ),
    "C14 lists that are empty": (
        (python("evaluate", {"u1": ["a"], "u2": []}, None, "user_coverage"), "'value': 0.5"),
        (line("evaluate --lists c14_lists -m user_coverage --format csv"), "user_coverage,0.5,2"),
        (sql("user_coverage", rm.lists("c14_lists")), "'value': 0.5"),
        (
            dbt(
                "summary",
                model("from_lists", "c14_lists", empty_lists=True, columns={"items": "items"}),
                ["user_coverage"],
                empty_lists=True,
                columns={"position": "position", "relevance": None},
            ),
            "'value': 0.5",
        ),
    ),
    "C15 judgments of five fields": (
        (python("evaluate", "c15.run", "c15.qrels", "rr"), "refused", "line 2"),
        (line("evaluate DIR/c15.run --qrels DIR/c15.qrels -m rr"), "exit 1", "line 2"),
        Unknown(*NO_FILES),
        Unknown(*NO_FILES),
    ),
    "C16 NaN is no group and no number": (
        (python("evaluate", "c16_run", "c16_qrels", "rr", by="who", weight="w"), "'who': None", "no weight", "NOT nan"),
        (line("evaluate c16_run --qrels c16_qrels -m rr --by who --weight w"), "no weight", "NOT nan"),
        Unknown(
            *NO_TYPES, (sql("rr", "c16_run", "c16_qrels", weight="run.w"), "'value': 1.0", "'sum_of_weights': 6.0")
        ),
        Unknown(
            *NO_TYPES,
            (
                dbt("summary", "c16_run", ["rr"], qrels="c16_qrels", weight="run.w"),
                "'value': 1.0",
                "'sum_of_weights': 6.0",
            ),
        ),
    ),
    "C17 numbers in a CSV file": (
        (
            python("evaluate", "c17_run.csv", "c17_qrels.csv", "rr", rel=9, **STARS),
            "'value': 0.5",
        ),
        (
            line(
                "evaluate DIR/c17_run.csv --qrels DIR/c17_qrels.csv -m rr --set rel=9 --columns 'relevance=stars - 1'"
            ),
            "0.5",
        ),
        (sql("rr", "c17_run", "c17_qrels", rel=9, **STARS), "'value': 0.5"),
        (dbt("summary", "c17_run", ["rr"], qrels="c17_qrels", options={"rel": 9}, **STARS), "'value': 0.5"),
    ),
    "C18 grades that are true or false": (
        (python("evaluate", "c17_run.csv", "c18_qrels.csv", "rr"), *ONE),
        (line("evaluate DIR/c17_run.csv --qrels DIR/c18_qrels.csv -m rr --format csv"), "rr,1.0,1"),
        (sql("rr", "c17_run", "c18_qrels"), *ONE),
        (dbt("summary", "c17_run", ["rr"], qrels="c18_qrels"), *ONE),
    ),
    "C19 a name of two metrics": (
        (python("evaluate", "a4_run", "a3_qrels", "accuracy@3"), *MEANINGS),
        (line("evaluate a4_run --qrels a3_qrels -m accuracy@3"), "exit 2", *MEANINGS[1:]),
        (sql("accuracy@3", "a4_run", "a3_qrels"), *MEANINGS),
        (dbt("summary", "a4_run", ["accuracy@3"], qrels="a3_qrels"), *MEANINGS),
    ),
    "C20 a stray team": (
        (python("team_draft", "c20_drafts", ["A", "B"]), "'b'"),
        (line("team-draft c20_drafts --teams A,B"), "exit 0", "'b'"),
        Unknown(*NO_ROWS),
        Unknown(*NO_ROWS, (dbt("team_draft_credit", "c20_drafts", ["A", "B"]), "2 rows")),
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds the tables and the files."""
    found = tmp_path_factory.mktemp("kinds")
    with duckdb.connect(str(found / "shop.duckdb")) as connection:
        connection.execute(TABLES.read_text())
    for name, text in FILES.items():
        (found / name).write_text(text)
    return found


def holds(answer: str, words: tuple[str, ...]) -> None:
    """Each of the words is in the answer, or is not, where it says so."""
    for word in words:
        is_there = word.removeprefix(NOT) in answer
        assert is_there != word.startswith(NOT), f"{word}\n{answer}"


@pytest.mark.parametrize("kind", one_in(2, KINDS))
@pytest.mark.parametrize("road", ROADS)
def test_every_road_is_honest(kind, road, folder, cli):
    cell = KINDS[kind][ROADS.index(road)]
    if isinstance(cell, Unknown):
        page = re.sub(r"\s+", " ", (DOCS / cell.page).read_text())
        assert cell.words in page
        cell = cell.cell
    if cell:
        ask, *words = cell
        holds(ask(Place(folder, cli)), tuple(words))


def test_no_cell_is_missing():
    """B7 is what checks cost, which a benchmark says."""
    kinds = [kind.split()[0] for kind in KINDS]
    assert kinds == [f"{'A' if n < 7 else 'B' if n < 11 else 'C'}{n}" for n in range(1, 21) if n != 7]
    assert {len(cells) for cells in KINDS.values()} == {len(ROADS)}

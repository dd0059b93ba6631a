"""Spans of traces. The rows in tests/data/spans were made by openinference-instrumentation 0.1.72 in opentelemetry-sdk
1.45: four questions, each with a span that answers and one that retrieves. The package translated the attributes of
``opentelemetry.jsonl`` itself. It writes no list for the retrieval that found nothing. Spans of LangChain 1.5 with a
retriever of eleven documents, or of none, were made by openinference-instrumentation-langchain 0.1.80, which writes no
ids, and by opentelemetry-instrumentation-genai-langchain 1.3b0."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import re
import sqlite3
from collections import Counter
from pathlib import Path

import duckdb
import pytest
import sqlglot

import rankmetrics_sql as rm
from dev.engines import ENGINES
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.engines import Unconnected
from rankmetrics_sql.templates import macros

from ..conftest import quietly

SPANS = Path(__file__).parents[1] / "data" / "spans"
CONVENTIONS = ("openinference", "opentelemetry")
RESET, INVOICE, WHO, SSO = (f"0x{number:016x}" for number in (3, 6, 9, 12))
RELEVANT = {RESET: {"d2": 1}, INVOICE: {"d1": 1}, WHO: {"d1": 1}, SSO: {"d10": 1}}
# By hand: the list of the invoice is d4, d1, d4 with the scores 0.4, 0.6 and 0.3; that of SSO is d0 to d10.
RRS = {RESET: 1 / 2, INVOICE: 1 / 2, WHO: 0.0, SSO: 1 / 11}
QUALITY = {
    ("documents", "repeated item"): 1,
    ("documents", "used"): 16,
    ("spans", "no retrieval"): 4,
    ("spans", "used"): 4,
}


def rows_of(convention):
    """The rows of a file, with the attributes as text."""
    lines = (SPANS / f"{convention}.jsonl").read_text().splitlines()
    return [(*list(row.values())[:4], json.dumps(row["attributes"])) for row in map(json.loads, lines)]


@pytest.fixture(params=CONVENTIONS)
def traced(request):
    """A convention, and a database with its spans."""
    with duckdb.connect() as connection:
        columns = "trace_id TEXT, span_id TEXT, name TEXT, start_time TIMESTAMP, attributes JSON"
        connection.execute(f"CREATE TABLE spans ({columns})")
        connection.executemany("INSERT INTO spans VALUES (?, ?, ?, ?, ?)", rows_of(request.param))
        yield request.param, connection


def test_spans_are_lists_of_documents(traced):
    convention, connection = traced
    result = quietly(rm.evaluate, rm.spans("spans", convention), RELEVANT, "rr", connection=connection)
    assert dict(tuple(row) for row in result.per_query) == pytest.approx(RRS, abs=1e-15)
    assert {tuple(row[:2]): row[2] for row in result.data_quality} == QUALITY


@pytest.mark.long
def test_spans_by_score(traced):
    convention, connection = traced
    spans = rm.spans("spans", convention, order="score")
    result = quietly(rm.evaluate, spans, RELEVANT, "rr", connection=connection)
    assert dict(tuple(row) for row in result.per_query) == pytest.approx(RRS | {INVOICE: 1.0}, abs=1e-15)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ({"by": "session"}, [("s1", 0.5, 2), ("s2", 1 / 22, 2)]),
        ({"by": "trace_id"}, [(f"0x{trace:032x}", RRS[f"0x{trace + 2:016x}"], 1) for trace in (1, 4, 7, 10)]),
    ],
)
def test_groups_of_spans(traced, groups, expected):
    convention, connection = traced
    spans = rm.spans("spans", convention)
    summary = quietly(rm.evaluate, spans, RELEVANT, "rr", connection=connection, **groups).summary
    assert [(row[0], row[2], row[3]) for row in summary] == [
        (group, pytest.approx(value, abs=1e-15), n_queries) for group, value, n_queries in expected
    ]


def test_a_question_is_the_query(traced):
    convention, connection = traced
    spans = rm.spans("spans", convention, query="question")
    judged = {"Where is my invoice?": {"d1": 1}}
    found = quietly(rm.evaluate, spans, judged, "rr", connection=connection, period="day")
    assert [tuple(row)[::2] for row in found.per_query] == [("Where is my invoice?", 0.5)]


@pytest.mark.long
def test_a_file_of_spans(traced):
    convention, _ = traced
    spans = rm.spans(str(SPANS / f"{convention}.jsonl"), convention)
    found = quietly(rm.evaluate, spans, RELEVANT, "rr", by="question")
    assert {row[0]: row[2] for row in found.per_query} == pytest.approx(RRS, abs=1e-15)


@pytest.mark.long
def test_a_column_comes_before_a_field(traced):
    convention, connection = traced
    connection.execute("CREATE TABLE named AS SELECT *, 'mine' AS session FROM spans")
    spans = rm.spans("named", convention, where="start_time < '2026-09-21 14:15'")
    judged = {query: RELEVANT[query] for query in (RESET, INVOICE)}
    found = quietly(rm.evaluate, spans, judged, "rr", by="session", connection=connection)
    assert [tuple(row) for row in found.summary] == [("mine", "rr", 0.5, 2)]


@pytest.mark.parametrize(("convention", "item"), [("openinference", "metadata.source"), ("opentelemetry", "id")])
def test_spans_of_langchain(convention, item):
    file = str(SPANS / f"langchain_{convention}.jsonl")
    relevant = {"Which plan has SSO?": {"d10": 1}, "Who are you?": {"d0": 1}}
    spans = rm.spans(file, convention, query="question", item=item)
    found = quietly(rm.evaluate, spans, relevant, ["rr", "num_ret"])
    assert [tuple(row) for row in found.per_query] == [("Which plan has SSO?", 1 / 11, 11), ("Who are you?", 0, 0)]
    assert {tuple(row[:2]): row[2] for row in found.data_quality if row[0] == "spans"} == {
        ("spans", "no retrieval"): {"openinference": 4, "opentelemetry": 2}[convention],
        ("spans", "used"): 2,
    }


ONE = {
    "openinference.span.kind": "RETRIEVER",
    "retrieval.documents.0.document.content": "No id.",
    "retrieval.documents.1.document.id": 7,
    "retrieval.documents.x": "no document",
    "retrieval.documents.2.document.id": "b",
    "retrieval.documents.2.document.score": 0.5,
}
TWO = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": [{"content": "No id."}, {"id": 7}]}


@pytest.mark.parametrize(
    ("convention", "attributes", "order", "values", "quality"),
    [
        ("openinference", ONE, "position", (1.0, 2.0), {"no item": 1, "no query": 3, "used": 2}),
        ("openinference", ONE, "score", (0.0, 1.0), {"no item": 1, "no query": 3, "no score": 1, "used": 1}),
        ("opentelemetry", TWO, "position", (1.0, 1.0), {"no item": 1, "no query": 2, "used": 1}),
    ],
)
def test_documents_that_lack_something(convention, attributes, order, values, quality):
    """Documents without an id or a score, a span without an id or attributes, a list that is JSON, an odd name."""
    text = json.dumps(attributes)
    table = f"SELECT * FROM (VALUES ('q', '{text}'), (NULL, '{text}'), ('n', NULL)) AS t (span_id, attributes)"
    spans = rm.spans(table, convention, order=order)
    result = quietly(rm.evaluate, spans, {"q": {"7": 1}}, ["rr", "num_ret"])
    assert [tuple(row) for row in result.per_query] == [("q", *values)]
    found = {tuple(row[:2]): row[2] for row in result.data_quality}
    assert {reason: number for (what, reason), number in found.items() if what == "documents"} == quality
    of_spans = {reason: number for (what, reason), number in found.items() if what == "spans"}
    assert of_spans == {"no query": 1, "no retrieval": 1, "used": 1}


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"convention": "phoenix"}, "convention is openinference or opentelemetry, not 'phoenix'"),
        ({"order": "rank"}, "order is position or score, not 'rank'"),
        ({"fields": "session.id"}, "fields takes a mapping such as"),
        ({"mapping": "struct"}, "mapping is json or flat, not 'struct'"),
        ({"item": "score"}, "item is id, content, or part of the metadata, such as metadata.source; not 'score'"),
        ({"fields": {"session": "session'id"}}, "fields takes names of columns with names of attributes, such as"),
    ],
)
def test_arguments_of_spans(keywords, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.spans("spans", **keywords)


def test_spans_on_the_command_line(traced, tmp_path, cli):
    convention, _ = traced
    (tmp_path / "judged.csv").write_text("question,item_id,relevance\nWhere is my invoice?,d1,1\nWho are you?,d1,1\n")
    rules = ("--rule", f"convention={convention},query=question", "--rule", "fields=user:user.id")
    file = str(SPANS / f"{convention}.jsonl")
    judged = ("--qrels", str(tmp_path / "judged.csv"), "-m", "rr", "--format", "csv")
    assert cli("evaluate", "--spans", file, *rules, *judged).stdout.splitlines()[-1] == "spans,rr,0.25,2"
    counts = cli("evaluate", "--spans", file, *rules, *judged, "--quality").stdout.splitlines()[1:]
    assert counts == [f"{what},{reason},{number}" for (what, reason), number in QUALITY.items()]


def test_fields_add_to_the_fields_of_the_convention():
    """A field of the caller stands beside question and session, and replaces the one that it names."""
    kind = {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.id": "d"}
    users = {"a": ("why?", "s1", "u1", "c1"), "b": ("how?", "s2", "u2", "c1"), "c": ("who?", "s2", "u1", "c2")}
    rows = ", ".join(
        f"('{span}', '{json.dumps(kind | dict(zip(NAMES, values, strict=True)))}')" for span, values in users.items()
    )
    table = f"SELECT * FROM (VALUES {rows}) AS t (span_id, attributes)"
    relevant = {"why?": {"d": 1}, "how?": {"e": 1}, "who?": {"e": 1}}
    for fields, groups in (
        ({"user": "user.id"}, {"user": {"u1": 1 / 2, "u2": 0}, "session": {"s1": 1, "s2": 0}}),
        ({"session": "chat.id"}, {"session": {"c1": 1 / 2, "c2": 0}}),
    ):
        spans = rm.spans(table, query="question", fields=fields)
        for group, expected in groups.items():
            found = quietly(rm.evaluate, spans, relevant, "rr", by=group).summary.dicts()
            assert {row[group]: row["value"] for row in found} == expected
    columns, context = {"query": "question"}, ["user", "session"]
    text = macros()["from_spans"](f"({table})", columns=columns, fields={"user": "user.id"}, context=context)
    assert set(duckdb.sql(text).fetchall()) == {
        (question, user, session, "d", 1) for question, session, user, _ in users.values()
    }


NAMES = ("input.value", "session.id", "user.id", "chat.id")
FLAT = """
    SELECT * FROM (VALUES
        ('a', 'RETRIEVER', 's1', 'x', 0.1, 'y', 0.3, 'y'),
        ('b', 'CHAIN', 's1', NULL, NULL, NULL, NULL, NULL),
        ('c', 'RETRIEVER', 's2', 'y', 0.2, NULL, NULL, NULL),
        ('d', 'RETRIEVER', 's2', NULL, NULL, NULL, NULL, NULL)
    ) AS t (
        span_id, "openinference.span.kind", "session.id",
        "retrieval.documents.0.document.id", "retrieval.documents.0.document.score",
        "retrieval.documents.1.document.id", "retrieval.documents.1.document.score",
        "retrieval.documents.10.document.id"
    )
"""


@pytest.mark.parametrize(("order", "of_a"), [("position", 1 / 2), ("score", 1.0)])
def test_each_attribute_is_a_column(order, of_a):
    spans = rm.spans(FLAT, mapping="flat", order=order)
    found = quietly(rm.evaluate, spans, {query: {"y": 1} for query in "acd"}, "rr", by="session")
    assert [tuple(row[:3:2]) for row in found.summary] == [("s1", of_a), ("s2", 1 / 2)]
    assert {tuple(row[:2]): row[2] for row in found.data_quality if row[0] == "spans"} == {
        ("spans", "no retrieval"): 1,
        ("spans", "used"): 3,
    }


def test_an_engine_that_makes_no_json_of_a_row():
    """What the message says to type works: SQL that makes JSON of columns."""
    with pytest.raises(
        rm.UsageError, match=r"^rankmetrics_sql: sqlite makes no JSON of a row.* Pass mapping=json, and"
    ):
        rm.sql("rr", rm.spans("spans", mapping="flat"), "qrels", dialect="sqlite")
    names = ("openinference.span.kind", "retrieval.documents.0.document.id", "retrieval.documents.10.document.id")
    members = ", ".join(f"'{name}', \"{name}\"" for name in names)
    attributes = f"JSON_OBJECT({members})"
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        columns = ", ".join(f'"{name}" TEXT' for name in names)
        connection.execute(f"CREATE TABLE spans (span_id TEXT, {columns})")
        connection.execute("INSERT INTO spans VALUES ('a', 'RETRIEVER', 'x', 'y'), ('b', 'CHAIN', 'y', NULL)")
        connection.execute("CREATE TABLE qrels AS SELECT 'a' AS span_id, 'y' AS item_id, 1 AS relevance")
        spans = rm.spans("spans", mapping="json", attributes=attributes)
        text = rm.sql("rr", spans, "qrels", dialect="sqlite", level="per_query")
        assert connection.execute(text).fetchall() == [("a", 1 / 2)]


RETRIEVER, RETRIEVAL = {"openinference.span.kind": "RETRIEVER"}, {"gen_ai.operation.name": "retrieval"}


@pytest.mark.parametrize(
    ("attributes", "keywords", "message", "remedy"),
    [
        (
            RETRIEVAL | {"gen_ai.retrieval.documents": [{"id": "d"}]},
            {},
            "none of 1 spans has openinference.span.kind = RETRIEVER",
            {"convention": "opentelemetry"},
        ),
        (
            RETRIEVER | {"retrieval.documents.0.document.metadata": '{"source": "d"}'},
            {},
            "none of 1 documents has an id (id)",
            {"item": "metadata.source"},
        ),
        (
            RETRIEVER | {"retrieval.documents.0.document.id": "d"},
            {"order": "score"},
            "none of 1 documents has a score",
            {"order": "position"},
        ),
        (RETRIEVER, {}, "none of 1 retrievals has documents.", None),
        (
            RETRIEVAL,
            {"convention": "opentelemetry"},
            "Instrumentations record them only if they are configured to capture content.",
            None,
        ),
    ],
)
def test_spans_without_a_document(attributes, keywords, message, remedy):
    """The message says why, and what it says to type works."""
    table = f"SELECT 'q' AS span_id, '{json.dumps(attributes)}' AS attributes"
    with pytest.raises(rm.DataError, match=re.escape(message)) as error:
        quietly(rm.evaluate, rm.spans(table, **keywords), {"q": {"d": 1}}, "rr")
    if remedy is not None:
        [(name, value)] = remedy.items()
        assert f"{name}={value!r}" in str(error.value)
        assert quietly(rm.evaluate, rm.spans(table, **keywords | remedy), {"q": {"d": 1}}, "rr")["rr"] == 1


def messy_spans(seed):
    """Random spans for either convention, and the documents of each that retrieves: their id or None, and score."""
    numbers = random.Random(seed)
    rows, lists = {name: [] for name in CONVENTIONS}, {}
    for number in range(60):
        span, retrieves = f"s{number:02}", numbers.random() < 0.7
        documents = [
            (numbers.choice([None, 7, "null ", "ü'\\\"x", *"abcdef"]), numbers.choice([None, -1.5, 0, 0.25, 1e-3, 2]))
            for _ in range(numbers.choice([0, 1, 3, 11]))
        ]
        flat = {"openinference.span.kind": "RETRIEVER" if retrieves else numbers.choice(["CHAIN", "RERANKER", None])}
        flat |= {"retrieval.documents": [], "reranker.output_documents.0.document.id": "a", "input.value": "why?"}
        for place, (item, score) in sorted(enumerate(documents), key=lambda _: numbers.random()):
            fields = {"content": "Text.", "id": item, "score": score}
            flat |= {
                f"retrieval.documents.{place}.document.{name}": value
                for name, value in fields.items()
                if value is not None or numbers.random() < 0.5
            }
        listed = [{"id": item, "score": score} if score is not None else {"id": item} for item, score in documents]
        as_list = numbers.choice([listed, json.dumps(listed), json.dumps(listed, ensure_ascii=False)])
        kind = "retrieval" if retrieves else numbers.choice(["chat", "Retrievals", None])
        nested = {"gen_ai.operation.name": kind, "gen_ai.retrieval.query.text": "why?"}
        nested |= {"gen_ai.retrieval.documents": as_list} if documents or numbers.random() < 0.5 else {}
        rows["openinference"].append((span, json.dumps(flat)))
        rows["opentelemetry"].append((span, json.dumps(nested)))
        if retrieves:
            lists[span] = [(None if item is None else str(item), score) for item, score in documents]
    return rows, lists


def expected_rows(lists, order):
    """The rows of such lists in plain Python, and how many documents are used or not."""
    found, quality = {}, Counter()
    for span, documents in lists.items():
        for place, (item, score) in enumerate(documents, start=1):
            value, key = (score, (span, item)) if order == "score" else (-place, (span, item))
            reason = "no item" if item is None else "no score" if value is None else None
            reason = reason or ("repeated item" if key in found else "used")
            quality["documents", reason] += 1
            if reason in ("repeated item", "used"):
                found[key] = max(value, found.get(key, value))
    rows = {(*key, abs(value) if order == "position" else value) for key, value in found.items()}
    return rows | {(span, None, None) for span in lists}, quality


def check_messy_spans(known, fetch, load, seed):
    """Compare the rows of random spans, and their quality, with plain Python."""
    rows, lists = messy_spans(seed)
    for convention, order in itertools.product(CONVENTIONS, ("position", "score")):
        table = f"messy_{convention}_{order}"
        load(table, rows[convention])
        wanted, quality = expected_rows(lists, order)
        text = macros(known.name)["from_spans"](table, convention, order=order, empty_lists=True)
        found = [tuple(row) for row in fetch(text)]
        assert len(found) == len(wanted)
        assert {(*row[:2], None if row[2] is None else float(row[2])) for row in found} == wanted
        text = macros(known.name)["quality_of_spans"](table, convention, order=order)
        of_spans = {("spans", "no retrieval"): len(rows[convention]) - len(lists), ("spans", "used"): len(lists)}
        assert {tuple(row[:2]): row[2] for row in fetch(text)} == quality | of_spans


@pytest.mark.parametrize("seed", range(2))
def test_messy_spans(seed):
    with duckdb.connect() as connection:

        def load(table, rows):
            connection.execute(f"CREATE TABLE {table} (span_id TEXT, attributes TEXT)")
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)

        check_messy_spans(check_dialect("duckdb"), lambda text: connection.execute(text).fetchall(), load, seed)


@pytest.mark.parametrize("name", sorted(ENGINES.keys() - {"datafusion"}))
def test_spans_in_every_engine(name, start_engine, monkeypatch):
    engine = start_engine(name)
    dialect = engine.dialects[0]
    if dialect == "mysql":  # whose texts have an end
        monkeypatch.setattr(engine, "types", {**engine.types, "text": "VARCHAR(2000)"})
    judged = [(query, item, grade) for query, items in RELEVANT.items() for item, grade in items.items()]
    engine.load("judged", {"span_id": "text", "item_id": "text", "relevance": "bigint"}, judged)
    columns = dict.fromkeys(("trace_id", "span_id", "name", "start_time", "attributes"), "text")
    for convention in CONVENTIONS:
        engine.load(f"spans_{convention}", columns, rows_of(convention))
        for order, expected in (("position", RRS), ("score", RRS | {INVOICE: 1.0})):
            spans = rm.spans(f"spans_{convention}", convention, order=order)
            text = rm.sql("rr", spans, "judged", dialect=dialect, level="per_query")
            found = {row[0]: float(row[1]) for row in engine.fetch(text)[1]}
            assert found == pytest.approx(expected, abs=1e-12)
        by_session = rm.sql("num_ret", spans, "judged", by="run.session", dialect=dialect)
        assert {row[0]: float(row[2]) for row in engine.fetch(by_session)[1]} == {"s1": 5, "s2": 11}
        known = check_dialect(dialect)
        quality = spans.looked_up(Unconnected(known)).text(spans.quality, known)
        assert {tuple(row[:2]): row[2] for row in engine.fetch(quality)[1]} == QUALITY
    texts = {"span_id": "text", "attributes": "text"}
    check_messy_spans(
        known, lambda text: engine.fetch(text)[1], lambda table, rows: engine.load(table, texts, rows), seed=7
    )
    if known.name in ("duckdb", "postgres", "spark"):  # which make JSON of a row
        names = ["openinference.span.kind", "retrieval.documents.0.document.id", "retrieval.documents.10.document.id"]
        rows = [("a", "RETRIEVER", "x", "y"), ("b", "CHAIN", "y", None), ("c", "RETRIEVER", "y", None)]
        engine.load("narrow", dict.fromkeys(("span_id", "kind", "first", "eleventh"), "text"), rows)
        columns = {"span_id": "text", "item_id": "text", "relevance": "bigint"}
        engine.load("relevant", columns, [("a", "y", 1), ("c", "y", 1)])
        kind, first, eleventh = (sqlglot.exp.to_identifier(name, quoted=True).sql(known.name) for name in names)
        flat = f"SELECT span_id, kind AS {kind}, first AS {first}, eleventh AS {eleventh} FROM narrow"
        text = rm.sql("rr", rm.spans(flat, mapping="flat"), "relevant", dialect=dialect, level="per_query")
        assert {row[0]: float(row[1]) for row in engine.fetch(text)[1]} == {"a": 1 / 2, "c": 1}

"""Whatever is given for whatever argument of a public function, only errors of the package come out."""

from __future__ import annotations

import inspect

import duckdb
import numpy as np
import pytest

import rankmetrics_sql as rm

from .. import everything
from ..conftest import QRELS, RUN, quietly

CALLS = {
    rm.evaluate: {"run": RUN, "qrels": QRELS, "metrics": ["rr"]},
    rm.labelled: {"data": [[1, 0]], "metrics": ["rr"]},
    rm.compare: {"run": RUN, "candidates": {"c": RUN}, "qrels": QRELS, "metrics": ["rr"]},
    rm.compare_all: {"runs": {"a": RUN, "b": RUN}, "qrels": QRELS, "metrics": ["rr"]},
    rm.curve: {"run": RUN, "qrels": QRELS, "metric": "ap"},
    rm.explain: {"run": RUN, "qrels": QRELS, "metric": "ndcg@10", "profile": "quepid"},
    rm.tukey: {"runs": {"a": RUN, "b": RUN}, "qrels": QRELS, "metrics": ["rr"]},
    rm.sensitivity: {"runs": {"a": RUN, "b": RUN}, "qrels": QRELS, "metrics": ["rr"]},
    rm.agreement: {"qrels_a": QRELS, "qrels_b": QRELS, "runs": {"a": RUN, "b": RUN}, "metrics": ["rr"]},
    rm.judge_next: {"runs": {"a": RUN, "b": RUN}, "qrels": QRELS, "metric": "rr"},
    rm.sql: {"metrics": ["rr"], "run": "runs", "qrels": "labels"},
    rm.estimate: {"statement": "SELECT 1"},
    rm.install: {"metrics": ["rr"], "dialect": "duckdb"},
}
ZOO = {
    **{repr(value)[:20]: value for value in (None, 0, -1, True, 1.5, 1j, float("nan"), float("inf"), ..., int)},
    "10**400": 10**400,
    "-10**400": -(10**400),
    "10**5000": 10**5000,
    **{repr(value): value for value in ("", "x", "\0", "\ud800", "a.b", "SELECT 1", b"", b"x")},
    "long text": "z" * 5000,
    **{repr(value): value for value in ([], [None], [[]], {}, {"a": None}, {1: 2}, {"q": {}}, (), set(), {1})},
    "[object]": [object()],
    "{object}": {"x": object()},
    "object": object(),
    "array()": np.array(0),
    "array(x)": np.array("x"),
    "array([])": np.array([]),
    "array([1, 2])": np.array([1, 2]),
    "array([[1.0]])": np.array([[1.0]]),
    "float64": np.float64("nan"),
    "int64": np.int64(0),
    "lambda": lambda: 1,
    "range": range(3),
    "iterator": iter([]),
    "error": ValueError("x"),
    "module": inspect,
}
OTHER_NAMES = {"recommendation_lists": "run", "relevance_lists": "qrels", "labelled": "run"}


FEW = [ZOO[name] for name in ("0", "10**400", "''", "[[]]", "array([1, 2])", "object")]


def cases():
    """Every argument with everything; those that evaluate has too, and are looked at as there, with a few things."""
    for function in CALLS:
        named = [p.name for p in inspect.signature(function).parameters.values() if p.kind != p.VAR_KEYWORD]
        known = () if function in (rm.evaluate, rm.sql) else inspect.signature(rm.evaluate).parameters
        options = rm.options() if function is rm.sql else ()  # resolved alike in all
        for name in (*named, *options):
            values = FEW if name in known else ZOO.values()
            alike = (function is rm.sql and name in options) or (name in known and name != "run")
            marks = [pytest.mark.long] * (alike or len(name) % 3 > 0)  # a third by default, the same each time
            yield pytest.param(function, name, values, id=f"{function.__name__}-{name}", marks=marks)


def complaint(call, *args, **keywords):
    """The error of the package that a call ends with, or none."""
    found = None
    try:
        quietly(call, *args, **keywords)
    except rm.RankmetricsError as error:
        found = error
    assert found is None or str(found).strip()
    return found


@pytest.mark.parametrize(("function", "name", "values"), list(cases()))
def test_only_errors_of_the_package_come_out(function, name, values):
    given = {key: value for key, value in CALLS[function].items() if key != OTHER_NAMES.get(name)}
    if function is rm.estimate and name != "connection":
        given["connection"] = duckdb.connect()
    first, step = (0, 1) if everything.asked_for() else (len(name) % 2, 2)  # of two things one, and not always the same
    for value in list(values)[first::step]:
        complaint(function, **given | {name: value})


@pytest.fixture(scope="module")
def scored():
    """A result, and the connection that it came from."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE runs AS SELECT 'q' AS query_id, 'a' AS item_id, 1.0 AS score")
        connection.execute("CREATE TABLE labels AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance")
        yield rm.evaluate("runs", "labels", "rr", connection=connection), connection


@pytest.fixture
def result(scored):
    """A result; what is left in its database goes again."""
    yield scored[0]
    left = "SELECT 'TABLE', table_name FROM duckdb_tables() UNION ALL SELECT 'VIEW', view_name FROM duckdb_views()"
    for kind, name in scored[1].execute(f"{left} WHERE NOT internal").fetchall():
        if name not in ("runs", "labels"):
            scored[1].execute(f"""DROP {kind} "{name.replace('"', '""')}" """)


@pytest.mark.parametrize("value", ZOO.values(), ids=ZOO)
def test_a_result_says_what_is_wrong_too(value, result):
    with pytest.raises(KeyError):
        result[value]
    complaint(result.summary.batches, value)
    for create in (result.create_table, result.create_view):
        complaint(create, value)
        complaint(create, "quality", value)
        complaint(create, "quality", "summary", value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("conection", "Unknown argument 'conection'. Did you mean 'connection'?"),
        ("timout", "Unknown argument 'timout'. Did you mean 'timeout'?"),
        ("tie", "Unknown option 'tie'. Did you mean 'ties'?"),
        ("no_relevnt", "Unknown option 'no_relevnt'. Did you mean 'no_relevant'?"),
    ],
)
@pytest.mark.parametrize(
    "function",
    [
        rm.evaluate,
        rm.labelled,
        rm.compare,
        rm.compare_all,
        rm.curve,
        rm.explain,
        rm.tukey,
        rm.sensitivity,
        rm.agreement,
        rm.judge_next,
    ],
)
def test_a_misspelt_keyword(function, name, message):
    assert str(complaint(function, **CALLS[function], **{name: 1})) == message


@pytest.mark.parametrize(
    ("asked", "options", "spellings"),
    [
        ("ndcg@10", {}, ["nDCG@10", "ndcg_cut_10", " ndcg @ 10", "ndcg(k=10)", "ndcg(gain=linear)@10", "NDCG.10"]),
        (" rr@1", {}, ["rr@1", "mrr@1", "recip_rank@1", " rr@1"]),
        ("mrr", {}, ["rr", "RR", "recip_rank"]),
        ("ap(rel=2)", {}, ["map(rel=2)", "AP(rel=2.0)"]),
        ("ap", {"rel": 2}, ["map", "ap(rel=2)"]),
        ("rr@1", {"unjudged": "bounds"}, ["mrr@1"]),
        ("rr@1 high", {"unjudged": "bounds"}, ["mrr@1 high"]),
        ("ndcg_burges@10", {"profile": "ranx"}, ["nDCG(gain=exp2)@10"]),
    ],
)
def test_a_result_is_found_by_any_spelling(asked, options, spellings):
    run, qrels = {"q": {"a": 3.0, "b": 2.0, "u": 1.0}}, {"q": {"b": 2, "c": 1}}
    result = quietly(rm.evaluate, run, qrels, [asked.removesuffix(" high"), "p@5", "ap(rel=3)"], **options)
    for spelling in spellings:
        assert result[spelling] == next(
            row["value"] for row in result.summary.dicts() if row["metric"] == asked.strip()
        )


@pytest.mark.parametrize("other", ["ndcg", "ndcg@5", "ndcg(gain=exp2)@10", "rr", "no metric", "ndcg@10 low", ""])
def test_another_metric_is_not_found(other):
    with pytest.raises(KeyError, match="is not in this result, which has ndcg@10"):
        rm.evaluate(RUN, QRELS, "ndcg@10")[other]

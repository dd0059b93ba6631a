"""Columns that are alike but for case, or repeated, wherever they come from: the right number or an error."""

from __future__ import annotations

import csv
import io
import json
import sqlite3

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import rankmetrics_sql as rm

from ..conftest import per_query, quietly
from ..everything import examples

QRELS = {"q": {"b": 1}}
NAMES = ["score", "Score", "SCORE", "score_1", "Score_1", "score_1_1", "item_id", "Item_ID", "item_id_1", "other", "é"]


def csv_text(header, rows, delimiter=","):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows([header, *rows])
    return text.getvalue()


def json_text(header, rows):
    """Objects that may repeat a key, which json.dumps cannot write."""
    pairs = [", ".join(f"{json.dumps(n)}: {json.dumps(v)}" for n, v in zip(header, row, strict=True)) for row in rows]
    return [f"{{{pair}}}" for pair in pairs]


def query(header, rows):
    texts = ([value if value.isdigit() else f"'{value}'" for value in row] for row in rows)
    columns = (", ".join(f'{v} AS "{n}"' for n, v in zip(header, row, strict=True)) for row in texts)
    return " UNION ALL ".join(f"SELECT {row}" for row in columns)


def arrow(header, rows):
    return pa.Table.from_arrays([pa.array(column) for column in zip(*rows, strict=True)], names=header)


def written(name, content):
    def write(folder, header, rows):
        (folder / name).write_text(content(header, rows), encoding="utf-8")
        return {"run": folder / name}

    return write


def parquet(folder, header, rows):
    pa.parquet.write_table(arrow(header, rows), folder / "x.parquet")
    return {"run": folder / "x.parquet"}


def in_sqlite(_folder, header, rows):
    return {"run": query(header, rows), "connection": rm.connect(sqlite3.connect(":memory:"), materialize="temp")}


KINDS = {
    "csv": written("x.csv", csv_text),
    "semicolons": written("y.csv", lambda header, rows: csv_text(header, rows, ";")),
    "tsv": written("x.tsv", lambda header, rows: csv_text(header, rows, "\t")),
    "jsonl": written("x.jsonl", lambda header, rows: "\n".join(json_text(header, rows))),
    "json": written("x.json", lambda header, rows: f"[{','.join(json_text(header, rows))}]"),
    "parquet": parquet,
    "pandas": lambda _, header, rows: {"run": pd.DataFrame(rows, columns=header)},
    "polars": lambda _, header, rows: {"run": pl.DataFrame(rows, schema=header, orient="row")},
    "lazy": lambda _, header, rows: {"run": pl.LazyFrame(rows, schema=header, orient="row")},
    "arrow": lambda _, header, rows: {"run": arrow(header, rows)},
    "batch": lambda _, header, rows: {"run": arrow(header, rows).to_batches()[0]},
    "reader": lambda _, header, rows: {"run": arrow(header, rows).to_reader()},
    "query": lambda _, header, rows: {"run": query(header, rows), "connection": duckdb.connect()},
    "stored query": lambda _, header, rows: {
        "run": query(header, rows), "connection": rm.connect(duckdb.connect(), materialize="temp"),
    },
    "sqlite": in_sqlite,
}  # fmt: skip


def twin(header, rows, columns):
    """The reciprocal rank by what the header says, or None where two columns could be meant or none is there."""
    found = {}
    for meaning in ("query_id", "item_id", "score"):
        name = columns.get(meaning, meaning)
        places = [place for place, known in enumerate(header) if known.lower() == name.lower()]
        if meaning in columns and header.count(name) == 1:
            places = [header.index(name)]
        if len(places) != 1:
            return None
        found[meaning] = places[0]
    best = max(rows, key=lambda row: float(row[found["score"]]))
    return 1 if best[found["item_id"]] == "b" else 1 / 2


@st.composite
def tables(draw):
    header = ["query_id", *draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=7))]
    first, second = ["q"], ["q"]
    for name in header[1:]:
        values = ("a", "b") if name.lower().startswith("item") else ("1", "2")
        one, other = values if draw(st.booleans()) else values[::-1]
        first.append(one)
        second.append(other)
    places = draw(st.permutations(range(len(header))))
    named = draw(st.dictionaries(st.sampled_from(["item_id", "score"]), st.sampled_from(NAMES), max_size=2))
    items = {"item_id": ("item",), "score": ("score",)}
    columns = {meaning: name for meaning, name in named.items() if name.lower().startswith(items[meaning])}
    return [header[place] for place in places], [[row[place] for place in places] for row in (first, second)], columns


@pytest.mark.parametrize("kind", KINDS)
@given(table=tables())
@example(table=(["query_id", "item_id", "score", "score"], [["q", "a", "1", "9"], ["q", "b", "5", "2"]], {}))
@example(
    table=(["query_id", "item_id", "score", "Score"], [["q", "a", "1", "9"], ["q", "b", "5", "2"]], {"score": "Score"})
)
@examples(8)
def test_the_right_number_or_an_error(tmp_path_factory, kind, table):
    header, rows, columns = table
    assume(kind not in ("polars", "lazy") or len(set(header)) == len(header))
    inputs = KINDS[kind](tmp_path_factory.mktemp("x"), header, rows)
    qrels = pd.DataFrame({"query_id": ["q"], "item_id": ["b"], "relevance": [1]})
    named = {f"run.{meaning}": name for meaning, name in columns.items()}
    expected = twin(header, rows, columns)
    if expected is None:
        with pytest.raises(rm.DataError, match=r"differ only in case|columns are called|no column"):
            quietly(rm.evaluate, qrels=qrels, metrics=["rr"], columns=named, **inputs)
    else:
        assert quietly(rm.evaluate, qrels=qrels, metrics=["rr"], columns=named, **inputs)["rr"] == expected


def test_the_message_names_both_columns_and_where(tmp_path):
    (tmp_path / "x.csv").write_text("query_id,item_id,score,Score\nq,a,1,2\n")
    with pytest.raises(
        rm.DataError, match=r"x\.csv: columns 'score' and 'Score' differ only in case. .*'score': 'Score'"
    ):
        rm.evaluate(tmp_path / "x.csv", QRELS, ["rr"])
    (tmp_path / "x.csv").write_text("query_id,item_id,score,score\nq,a,1,2\n")
    with pytest.raises(rm.DataError, match=r"x\.csv: 2 columns are called 'score'. Rename all but one"):
        rm.evaluate(tmp_path / "x.csv", QRELS, ["rr"])


def test_the_header_stands_where_duckdb_finds_it(tmp_path):
    (tmp_path / "x.csv").write_text('\ufeff\nquery_id,item_id, score ,"Score",\nq,a,1,9,\nq,b,5,2,\n', encoding="utf-8")
    assert per_query(tmp_path / "x.csv", QRELS, ["rr"], columns={"score": "score"}) == {"q": {"rr": 1}}
    assert per_query(tmp_path / "x.csv", QRELS, ["rr"], columns={"score": "Score"}) == {"q": {"rr": 1 / 2}}


def test_structs_in_parquet_are_one_column_each(tmp_path):
    table = pa.table(
        {"query_id": ["q", "q"], "x": [{"score": 1, "y": {"z": 1}}] * 2, "item_id": ["a", "b"], "score": [1, 5]}
    )
    pa.parquet.write_table(table.append_column("Score", pa.array([9, 2])), tmp_path / "x.parquet")
    assert per_query(tmp_path / "x.parquet", QRELS, ["rr"], columns={"score": "Score"}) == {"q": {"rr": 1 / 2}}
    assert per_query(tmp_path / "x.parquet", QRELS, ["rr"], columns={"score": "score"}) == {"q": {"rr": 1}}


def test_a_group_is_taken_as_named(tmp_path):
    (tmp_path / "x.csv").write_text("query_id,item_id,score,market,Market\nq,b,1,no,se\n")
    by = {name: quietly(rm.evaluate, tmp_path / "x.csv", QRELS, ["rr"], by=name) for name in ("market", "Market")}
    assert [by[name].summary.fetchall()[0][0] for name in by] == ["no", "se"]
    with pytest.raises(rm.DataError, match="'market' and 'Market' differ only in case"):
        rm.evaluate(tmp_path / "x.csv", QRELS, ["rr"], by="MARKET")


LISTS = pa.table({"query_id": ["q"], "item_id": [["a", "b"]]})
UNNESTED = r"item_id \(column 'item_id'\) is VARCHAR\[\], a list; .* (SELECT query_id, UNNEST\(.*)"


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "table"])
def test_lists_say_how_to_unnest_them(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE lists AS SELECT 'q' AS query_id, ['a', 'b'] AS item_id")
    pa.parquet.write_table(LISTS, "x.parquet")
    (tmp_path / "x.jsonl").write_text('{"query_id": "q", "item_id": ["a", "b"]}\n')
    run = {"parquet": "x.parquet", "jsonl": "x.jsonl", "table": "lists"}[kind]
    with pytest.raises(rm.DataError, match=UNNESTED) as refused:
        rm.evaluate(run, QRELS, ["rr"], connection=connection)
    advice = str(refused.value)[str(refused.value).index("SELECT") :]
    assert per_query(advice, QRELS, ["rr"], connection=connection) == {"q": {"rr": 1 / 2}}


@pytest.mark.parametrize("frame", [LISTS.to_pandas(), pl.from_arrow(LISTS)], ids=["pandas", "polars"])
def test_frames_of_lists_say_how_to_explode_them(frame):
    with pytest.raises(rm.DataError, match=r"a list; .* frame\.explode\('item_id'\)"):
        rm.evaluate(frame, QRELS, ["rr"])


@pytest.mark.parametrize(
    "type_", ["VARCHAR[]", "INTEGER[3]", "ARRAY(VARCHAR)", "Array(String)", "array<string>", "LIST"]
)
def test_what_a_list_is(type_):
    from rankmetrics_sql.inputs.types import is_list

    assert is_list(type_)
    assert not is_list(type_.strip("[]3").partition("(")[2].strip(")") or "VARCHAR")

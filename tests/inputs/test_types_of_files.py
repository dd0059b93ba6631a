"""SQL over the row of a file reads its columns as what they hold, and ids stay text."""

from __future__ import annotations

import gzip
import json
import random
import re
import sqlite3

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import seeds
from .test_inputs import zstd

METRICS = ["dcg", "rr", "num_rel(rel=2)"]

# Columns by their type: values, and expressions that DuckDB takes of that type.
COLUMNS = {
    "whole": ("BIGINT", [0, 1, 3, 9, 10, 12], ["c - 1", "CASE WHEN c >= '10' THEN 2 ELSE 0 END", "c % 4", "c"]),
    "decimal": ("DOUBLE", [0.5, 2.0, 10.25, -1.0], ["c * 2", "CASE WHEN c > 2 THEN 3 ELSE 0 END", "FLOOR(c)"]),
    "day": ("DATE", ["2024-01-05", "2023-12-31", "2024-02-01"], ["MONTH(c)", "CASE WHEN c > '2024-01-01' THEN 2 END"]),
    "moment": ("TIMESTAMP", ["2024-01-05 10:00:00", "2024-01-05 23:30:00"], ["HOUR(c) % 7"]),
    "truth": ("BOOLEAN", ["true", "false"], ["CASE WHEN c THEN 2 ELSE 0 END", "CAST(c AS INTEGER) * 3", "c"]),
    "code": ("VARCHAR", ["007", "07", "7", "010"], ["CASE c WHEN '007' THEN 2 ELSE 0 END", "LENGTH(c)"]),
    "word": ("VARCHAR", ["10", "9", "n/a"], ["CASE WHEN c = '10' THEN 2 ELSE 0 END", "LENGTH(c)"]),
    "digits": ("VARCHAR", ["10", "9", "101"], ["LENGTH(c)", "CASE WHEN SUBSTR(c, 1, 1) = '1' THEN 2 ELSE 0 END"]),
}
ITEMS = {
    "item": ["item"],
    "code": ["code", "code || '#'", "SUBSTR(code, 1, 9)"],
    "whole": ["whole", "whole || '#'"],
    "decimal": ["text_of", "text_of || '#'"],
}


def rows(chance):
    """A labelled table of text, as a file has it: three queries of six items."""
    names = {"007": 0, "07": 1, "7": 2, "0": 3, "00": 4, "1.0": 5, "1": 6, "1.00": 7}
    found = []
    for query in ("0", "007", "7"):
        for position, item in enumerate(chance.sample(list(names), 6), start=1):
            row = {"query_id": query, "item": item, "position": str(position), "text_of": item}
            row |= {name: str(chance.choice(values)) for name, (_, values, _) in COLUMNS.items()}
            found.append(row)
    return found


def write(folder, form, table):
    """The file of a format; JSON has numbers and truth values where that is what a column holds."""
    frame = pd.DataFrame(table)
    name, _, packed = form.partition("+")
    path = folder / f"x.{name}{packed and '.' + packed}"
    if name in ("csv", "tsv"):
        text = frame.to_csv(index=False, sep="," if name == "csv" else "\t")
    else:
        own = {"whole": int, "decimal": float, "truth": lambda text: text == "true"}
        records = [{key: own.get(key, str)(value) for key, value in row.items()} for row in table]
        text = "\n".join(map(json.dumps, records)) if name == "jsonl" else json.dumps(records)
    data = text.encode()
    path.write_bytes(
        {"": lambda data: data, "gz": gzip.compress, "zst": lambda data: zstd().compress(data)}[packed](data)
    )
    return path


def per_query(data, columns, **given):
    result = quietly(rm.evaluate, rm.labelled(data, columns=columns), metrics=METRICS, duplicates="first", **given)
    return {row["query_id"]: [row[name] for name in METRICS] for row in result.per_query.dicts()}


@pytest.mark.parametrize("seed", seeds(24, 3))
@pytest.mark.parametrize("own", [True, False], ids=["here", "connection"])
def test_expressions_are_those_of_a_table_of_these_types(tmp_path, seed, own):
    """The twin is a table of DuckDB whose columns have the types, and whose ids are text."""
    chance = random.Random(seed)
    table = rows(chance)
    path = write(tmp_path, ["csv", "tsv", "jsonl", "json", "csv+gz", "jsonl+zst"][seed % 6], table)
    given = {} if own else {"connection": duckdb.connect()}
    with duckdb.connect() as there:
        frame = pd.DataFrame(table)
        types = {name: type_ for name, (type_, _, _) in COLUMNS.items()}
        typed = ", ".join(f"CAST({name} AS {types.get(name, 'VARCHAR')}) AS {name}" for name in frame)
        there.execute(f"CREATE TABLE t AS SELECT {typed} FROM frame")
        for name in chance.sample(list(COLUMNS), 3):
            type_, _, expressions = COLUMNS[name]
            relevance = re.sub(r"\bc\b", name, chance.choice(expressions))
            item = chance.choice(ITEMS[chance.choice(list(ITEMS))])
            query = chance.choice(["query_id", "query_id || '-'", f"query_id || {name}"])
            columns = {"relevance": relevance, "item": item, "query_id": query}
            as_text = item if item != "whole" else "CAST(whole AS VARCHAR)"
            if type_ == "VARCHAR" and relevance == name:
                continue
            expected = per_query("t", {**columns, "item": as_text}, connection=there)
            assert per_query(path, columns, **given) == expected, (path.name, columns)


def test_a_number_that_comes_after_the_first_thousands_of_rows(tmp_path):
    """Types are those of all rows: a word in the last one makes text of a column, and the message says what to type."""
    path = tmp_path / "x.csv"
    lines = [f"q,d{number},{number},{number % 12}\n" for number in range(1, 40_000)]
    path.write_text("query_id,item_id,position,stars\n" + "".join(lines))
    value = rm.evaluate(rm.labelled(path, columns={"relevance": "stars - 1"}), metrics="cg")["cg"]
    assert value == sum(max(number % 12 - 1, 0) for number in range(1, 40_000))
    path.write_text(path.read_text() + "q,last,40000,n/a\n")
    for text in ("stars - 1", "CASE WHEN stars >= 1 THEN stars - 1 END"):
        with pytest.raises(rm.DataError, match="column 'stars' is text: 'n/a' is not a number") as raised:
            rm.evaluate(rm.labelled(path, columns={"relevance": text}), metrics="cg")
        advised = eval(re.search(r"(\{.*\}) reads", str(raised.value))[1])
        found = quietly(rm.evaluate, rm.labelled(path, columns=advised), metrics="cg")
        assert found["cg"] == value


def test_the_command_line_computes_with_columns(cli, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("query_id,item_id,position,stars\nq,007,1,9\nq,7,2,10\n")
    asked = ["evaluate", "--labelled", path, "-m", "rr", "-m", "cg", "--format", "csv", "--columns"]
    values = [line.split(",")[2] for line in cli(*asked, "relevance=stars - 1").stdout.splitlines()[1:]]
    assert values == ["1.0", "17.0"]
    text = "relevance=CASE WHEN stars >= '10' THEN 1 ELSE 0 END"
    assert [line.split(",")[2] for line in cli(*asked, text).stdout.splitlines()[1:]] == ["0.5", "1.0"]


WORDS = [
    ["True", "False"], ["true", "false"], ["TRUE", "2"], ["False", "n/a", "True"], ["1", "n/a"], ["1", "n/a", "-", "2"],
    ["1", "True", "?"],
]  # fmt: skip
GRADES = {"true": 1, "false": 0, "1": 1, "2": 2}


@pytest.mark.parametrize("road", ["csv", "jsonl", "frame", "sqlite"])
@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_words_are_grades_or_the_advice_is_typed(tmp_path, road, words):
    """True is 1 and False is 0 in files; elsewhere the first advice is enough, or that after it."""
    keys = [(f"q{query}", f"00{item}") for query in range(3) for item in range(1, 5)]
    judged = [(*key, words[place % len(words)]) for place, key in enumerate(keys)]
    table = pd.DataFrame(judged, columns=["query_id", "item_id", "relevance"])
    known = [(query, item, GRADES.get(word.lower())) for query, item, word in judged]
    grades = {}
    for query, item, grade in known:
        grades.setdefault(query, {})[item] = grade
    run = {query: [item for _, item in keys[:4]] for query in grades}
    expected = quietly(rm.evaluate, run, grades, "cg")["cg"]
    given = {}
    if road == "frame":
        qrels = table
    elif road == "sqlite":
        given["connection"] = sqlite3.connect(":memory:")
        table.to_sql("judged", given["connection"], index=False)
        qrels = "judged"
        lists = [(query, item, -place) for query, items in run.items() for place, item in enumerate(items)]
        pd.DataFrame(lists, columns=["query_id", "item_id", "score"]).to_sql("run", given["connection"], index=False)
        run = "run"
    else:
        qrels = tmp_path / f"x.{road}"
        own = {"true": True, "false": False, "1": 1, "2": 2}
        records = [
            {**row, "relevance": own.get(row["relevance"], row["relevance"])} for row in table.to_dict("records")
        ]
        qrels.write_text(
            table.to_csv(index=False) if road == "csv" else "\n".join(json.dumps(record) for record in records)
        )
    columns = {}
    for _ in range(3):
        try:
            found = quietly(rm.evaluate, run, qrels, "cg", columns=columns, **given)["cg"]
            break
        except rm.DataError as error:
            assert not set(words) <= {"True", "False", "true", "false"} or road in ("frame", "sqlite")
            columns = eval(re.search(r"columns=(\{.*\})", str(error))[1])
    assert found == expected


def test_grades_that_are_words_need_a_grade_each(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("query_id,item_id,relevance\nq,a,good\nq,b,it's bad\n")
    with pytest.raises(rm.DataError, match="Say the grade of each word") as raised:
        rm.evaluate({"q": ["b", "a"]}, path, "rr")
    advised = (
        re.search(r"columns=(\{.*\})", str(raised.value))[1].replace("THEN GRADE", "THEN 1", 1).replace("GRADE", "0")
    )
    assert rm.evaluate({"q": ["b", "a"]}, path, "rr", columns=eval(advised))["rr"] == 1 / 2

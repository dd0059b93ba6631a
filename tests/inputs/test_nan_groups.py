"""NaN in a group, a cluster, a weight or a covariate of queries is what NULL is there: not known."""

from __future__ import annotations

import math
import random
import re
import warnings
from typing import Any

import duckdb
import polars as pl
import pytest

import rankmetrics_sql as rm

from ..everything import each_once

ENDS = ("", "_null")
DESIGN = {True: {"design": "unpaired"}}  # the two values of a pair have one covariate
GIVEN = [{"by": "who"}, {"cluster": "who"}, {"weight": "w"}, {"covariate": "w"}, {"by": "who", "weight": "w"}]


def random_rows(chance: random.Random) -> list[tuple[Any, ...]]:
    """Lists, of which some have NaN where queries have a group and a number."""
    rows = []
    for query in range(40):
        who, number = (math.nan if chance.random() < 0.3 else float(chance.randrange(4)) for _ in range(2))
        rows += [(f"q{query}", f"i{item}", chance.random(), who, number) for item in range(4)]
    return rows


def answers(place: Any, one: Any, other: Any, qrels: Any, **given: str) -> tuple[list[Any], list[str]]:
    """What an evaluation and a comparison say, and their warnings."""
    found = []
    shown = {"interval": "t"} if "cluster" in given else {}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if "covariate" not in given:
            found += rm.evaluate(one, qrels, "rr", connection=place, **given, **shown).summary.fetchall()
        compared = rm.compare(
            {"a": one, "b": other}, qrels, "rr", connection=place, **given, **DESIGN.get("covariate" in given, {})
        )
        found += compared.summary.fetchall()
    return found, [re.sub(r"^[\w ]+: ", "", str(warning.message)) for warning in said]


def run_side(given: dict[str, str]) -> dict[str, str]:
    """The same where columns are not looked up."""
    return {name: f"run.{value}" if name in ("weight", "covariate") else value for name, value in given.items()}


@pytest.mark.parametrize(("given", "type_"), each_once(GIVEN, ["DOUBLE", "FLOAT"]), ids=str)
def test_nan_of_a_query_is_null_on_every_road(given, type_):
    """Random tables with NaN against the same tables with NULL: tables, Arrow, Polars, and text over a table."""
    chance = random.Random(f"{given}{type_}")
    rows = random_rows(chance)
    qrels = [(query, item, chance.randrange(2)) for query, item, *_ in rows]
    shown = {"interval": "t"} if "cluster" in given else {}
    with duckdb.connect() as place:
        for name in ("one", "other"):
            shuffled = [(*row[:2], chance.random(), *row[3:]) for row in rows]
            nulls = [(*row[:3], *(None if math.isnan(value) else value for value in row[3:])) for row in shuffled]
            for table, filled in ((name, shuffled), (f"{name}_null", nulls)):
                place.execute(
                    f"CREATE TABLE {table} (query_id TEXT, item_id TEXT, score DOUBLE, who {type_}, w {type_})"
                )
                place.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", filled)
        place.execute("CREATE TABLE judged (query_id TEXT, item_id TEXT, relevance INTEGER)")
        place.executemany("INSERT INTO judged VALUES (?, ?, ?)", qrels)
        expected = answers(place, "one_null", "other_null", "judged", **given)
        assert str(answers(place, "one", "other", "judged", **given)) == str(expected)
        frames = [place.sql(f"FROM {name}").to_arrow_table() for name in ("one", "other", "judged")]
        assert str(answers(None, *frames, **given)) == str(expected)
        assert str(answers(None, *map(pl.from_arrow, frames), **given)) == str(expected)
        for level in ("summary", "compare"):
            if level == "summary" and "covariate" in given:
                continue
            own = {"level": level, **given, **(shown if level == "summary" else DESIGN.get("covariate" in given, {}))}
            runs = [{"a": f"one{end}", "b": f"other{end}"} if level == "compare" else f"one{end}" for end in ENDS]
            texts = [rm.sql("rr", run, "judged", connection=place, **own) for run in runs]
            found, null = (place.execute(text).fetchall() for text in texts)
            assert str(found) == str(null)
            if not {"by", "cluster"} & set(given):  # a text knows of weights that they are doubles
                assert str(place.execute(rm.sql("rr", runs[0], "judged", **run_side(own))).fetchall()) == str(null)

"""Names of columns beside a source, judgments without grades, and ids of every type that files and frames give them."""

from __future__ import annotations

import itertools
import json
import math
import re

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.cli import main
from rankmetrics_sql.errors import DataError, UsageError

pandas = pytest.importorskip("pandas")

LISTS = {1: [10, 11, 12], 2: [13, 10, 11], 3: [12]}
HELD_OUT = [(1, 11), (2, 12), (2, 13)]
POPULARITY = {10: 0.5, 11: 0.4, 12: 0.3, 13: 0.1}
NDCG = (1 / math.log2(3) + 1 / (1 + 1 / math.log2(3))) / 2  # rank 2 of one; rank 1 of two
MEAN_POPULARITY = ((0.5 + 0.4 + 0.3) / 3 + (0.1 + 0.5 + 0.4) / 3) / 2  # of the users with a held-out item
NAMED = {
    "qrels.query_id": "user",
    "qrels.item_id": "film",
    "items.item_id": "movie",
    "items.popularity": "share",
}
METRICS = ["ndcg@3", "average_popularity@3"]


@pytest.fixture
def frames():
    return {
        "lists": pandas.DataFrame({"uid": list(LISTS), "recs": list(LISTS.values())}),
        "held": pandas.DataFrame(HELD_OUT, columns=["user", "film"]),
        "films": pandas.DataFrame(POPULARITY.items(), columns=["movie", "share"]),
    }


@pytest.fixture
def place(frames, tmp_path, monkeypatch):
    """The three as files of each format, beside a database with the tables."""
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as connection:
        for name, frame in frames.items():
            connection.register("given", frame)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
            connection.execute(f"COPY {name} TO '{name}.parquet'")
            if name != "lists":
                connection.execute(f"COPY {name} TO '{name}.csv'")
        yield connection


@pytest.mark.parametrize("given", ["lists", "lists of a run"])
def test_what_names_a_column_beside_a_source_can_be_typed(frames, given):
    """Each message names one column more, with the side that it is of."""
    lists = rm.lists(frames["lists"], query="uid", items="recs") if given == "lists" else LISTS
    held = frames["held"].assign(stars=[1, 1, 1], score=0).rename(columns={"user": "query_id"})
    inputs = {"items": frames["films"], "check": "none"}
    names, wanted = {}, {"qrels.item_id": "film", "qrels.relevance": "stars"}
    wanted |= {"items.item_id": "movie", "items.popularity": "share"}
    for _ in wanted:
        with pytest.raises((DataError, UsageError)) as refused:
            rm.evaluate(lists, held, METRICS, columns=names, **inputs)
        key = re.search(r"columns=\{'([\w.]+)': (?:NAME|\.\.\.)\}", str(refused.value))[1]
        names[key] = wanted[key]
    with pytest.warns(rm.RankmetricsWarning, match="check=none"):
        assert rm.evaluate(lists, held, METRICS, columns=names, **inputs)["ndcg@3"] == pytest.approx(NDCG, abs=1e-12)


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
@pytest.mark.parametrize(
    ("lists", "beside"),
    [("table", "table"), *itertools.product(["frame", "parquet"], ["frame", "parquet", "csv"])],
)
def test_inputs_beside_a_source_have_names_of_their_own(frames, place, lists, beside):
    given = {
        name: {"table": name, "frame": frames[name]}.get(kind, f"{name}.{kind}")
        for name, kind in (("lists", lists), ("held", beside), ("films", beside))
    }
    if lists == "frame" and beside == "csv":
        given["lists"] = frames["lists"].assign(
            uid=frames["lists"].uid.astype(str), recs=[list(map(str, items)) for items in frames["lists"].recs]
        )
    result = rm.evaluate(
        rm.lists(given["lists"], query="uid", items="recs"),
        given["held"],
        METRICS,
        columns=NAMED,
        items=given["films"],
        connection=place if lists == "table" else None,
    )
    assert result["ndcg@3"] == pytest.approx(NDCG, abs=1e-12)
    assert result["average_popularity@3"] == pytest.approx(MEAN_POPULARITY, abs=1e-12)


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
def test_the_same_on_the_command_line(place, capsys):
    named = ",".join(f"{key}={name}" for key, name in NAMED.items())
    words = ["evaluate", "--lists", "lists.parquet", "--rule", "query=uid", "--rule", "items=recs", "--format", "json"]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--qrels", "held.csv", "--items", "films.csv", "--columns", named, "-m", " ".join(METRICS)])
    assert ended.value.code == 0
    values = {row["metric"]: row["value"] for row in json.loads(capsys.readouterr().out)}
    assert values == pytest.approx({"ndcg@3": NDCG, "average_popularity@3": MEAN_POPULARITY}, abs=1e-12)


def test_a_catalogue_beside_a_labelled_table_has_names_of_its_own():
    shown = pandas.DataFrame({"q": [1, 1], "i": [10, 13], "position": [1, 2], "relevance": [0, 1]})
    labelled = rm.labelled(shown, columns={"query_id": "q", "item_id": "i"})
    films = pandas.DataFrame(POPULARITY.items(), columns=["movie", "share"])
    named = {"items.item_id": "movie", "items.popularity": "share"}
    result = rm.evaluate(labelled, "average_popularity", columns=named, items=films)
    assert result["average_popularity"] == pytest.approx((0.5 + 0.1) / 2)
    with pytest.raises(UsageError, match="columns= has no effect on a source"):
        rm.evaluate(labelled, "rr", columns={"run.item_id": "movie"})


def test_judgments_without_a_grade_are_of_grade_1(frames):
    run = {1: [10, 11], 2: [12]}
    bare = frames["held"].rename(columns={"user": "query_id", "film": "item_id"})
    recall, ndcg = "recall@2", "ndcg(gain=exp2)@2"
    result = rm.evaluate(run, bare, [recall, ndcg])
    assert (result[recall], result.warnings) == ((1 + 1 / 2) / 2, [])
    assert result[ndcg] == pytest.approx((1 / math.log2(3) + 1 / (1 + 1 / math.log2(3))) / 2)
    with pytest.warns(rm.RankmetricsWarning, match=r"each row counts as a relevant item\. Other columns: seen, source"):
        rm.evaluate(run, bare.assign(seen=5, source="web"), recall)
    named = {"item_id": "CAST(film AS BIGINT)", "time": "day"}
    used = frames["held"].rename(columns={"user": "query_id"}).assign(market="de", day="2026-01-01")
    assert rm.evaluate(run, used, recall, columns=named, by="market", period="day").warnings == []
    with pytest.warns(rm.RankmetricsWarning, match=r"Other columns: market, day\. If one is"):
        rm.evaluate(run, used, recall, columns={"item_id": "CAST(film AS BIGINT)"})
    for name in ("Grade", "label", "relevanz", "stars"):
        with pytest.raises(DataError, match="If every row is a relevant item"):
            rm.evaluate(run, bare.assign(**{name: 0}), recall)
    assert rm.evaluate(run, bare.assign(label=0), recall, columns={"relevance": "1"})[recall] == (1 + 1 / 2) / 2


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
def test_one_missing_value_leaves_whole_numbers_whole():
    """pandas makes floating-point numbers of a column with a None; 1.0 is the item 1 again."""
    qrels = pandas.DataFrame({"query_id": [1, 2], "item_id": [7, 8], "relevance": [1, 1]})
    rows = pandas.DataFrame({"query_id": [1, 1, 2, None], "item_id": [9, 7, 8, 8], "score": [3.5, 2, 1, 1]})
    assert str(rows.query_id.dtype) == "float64"
    with pytest.raises(DataError, match=r"1 missing id.*\(None, 8"):
        rm.evaluate(rows, qrels, "rr")
    assert list(rm.evaluate(rows, qrels, "rr", check="none").per_query) == [(1, 1 / 2), (2, 1.0)]
    sparse = rows.head(3).assign(query_id=[1, 1, 2], item_id=[9, 7, None])
    assert list(rm.evaluate(sparse, qrels, "rr", check="none").per_query) == [(1, 1 / 2), (2, 0.0)]


def test_floating_point_ids_meet_whole_numbers_as_the_message_says():
    run = pandas.DataFrame({"query_id": [1, 1], "item_id": [9.0, 7.0], "score": [2, 1]})
    qrels = pandas.DataFrame({"query_id": [1], "item_id": [7], "relevance": [1]})
    with pytest.raises(DataError, match=r"'CAST\(item_id AS BIGINT\)'.*as whole numbers"):
        rm.evaluate(run, qrels, "rr")
    assert rm.evaluate(run, qrels, "rr", columns={"run.item_id": "CAST(item_id AS BIGINT)"})["rr"] == 1 / 2
    with pytest.raises(DataError, match=r"CAST\(CAST\(item_id AS BIGINT\) AS VARCHAR\)"):
        rm.evaluate(run, qrels.astype({"item_id": str}), "rr")


@pytest.mark.parametrize("other", [7.5, 2.0**53])
def test_no_two_ids_become_one(other):
    """What is not whole, or may be another number rounded, is no whole number."""
    run = pandas.DataFrame({"query_id": [1, 1, 1], "item_id": [other, 7.0, None], "score": [3, 2, 1]})
    qrels = pandas.DataFrame({"query_id": [1], "item_id": [7], "relevance": [1]})
    with pytest.raises(DataError, match="item_id is DOUBLE in run and BIGINT in qrels") as error:
        rm.evaluate(run, qrels, "rr")
    assert "BIGINT)" not in str(error.value)


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
@pytest.mark.parametrize("kind", ["parquet", "frame", "dictionary"])
def test_ids_of_parquet_keep_their_type_beside_whole_numbers(place, frames, kind):
    place.execute("COPY (SELECT uid AS query_id, UNNEST(recs) AS item_id, 1 AS score FROM lists) TO 'run.parquet'")
    bare = frames["held"].rename(columns={"user": "query_id", "film": "item_id"}).assign(relevance=1)
    place.execute("COPY (SELECT \"user\" AS query_id, film AS item_id, 1 AS relevance FROM held) TO 'qrels.parquet'")
    known = {"parquet": "qrels.parquet", "frame": bare, "dictionary": {1: [11], 2: [12, 13]}}
    found = rm.evaluate("run.parquet", known[kind], "recall@3", queries="judged_relevant")
    assert list(found.per_query) == [(1, 1.0), (2, 1 / 2)]
    text = bare.astype({"query_id": str, "item_id": str})
    assert list(rm.evaluate("run.parquet", text, "recall@3").per_query) == [("1", 1.0), ("2", 1 / 2)]

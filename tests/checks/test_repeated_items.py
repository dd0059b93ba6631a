"""Items that stand twice in a list, where no check refuses them: one counts once, at its best rank."""

from __future__ import annotations

import random

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics

from ..conftest import fill, quietly
from ..everything import seeds

SOME = ["p@3", "r@5", "ndcg@5", "ap", "rr", "rbp"]


def every_metric() -> list[str]:
    """Every metric of grades, with a cutoff where it takes one."""
    return [f"{name}@3" if metric.takes_k else name for name, metric in metrics().items() if metric.of_grades]


def random_lists(seed: int):
    """A run in which items stand up to three times, the same with other items for the later rows, and judgments."""
    chance = random.Random(seed)
    repeated, once, judged = [], [], []
    for query in ("q1", "q2", "q3"):
        seen = set()
        for place, score in enumerate(sorted(chance.sample(range(1000), 12), reverse=True), 1):
            item = chance.choice("abcdefgh")
            repeated.append((query, item, score, place))
            once.append((query, f"other{place}" if item in seen else item, score, place))
            seen.add(item)
        judged += [(query, item, chance.randrange(-1, 4)) for item in "abcde" if chance.random() < 0.8]
        judged.append((query, "h", 2))
    for rows in (repeated, once):
        chance.shuffle(rows)
    return repeated, once, judged


@pytest.fixture(params=seeds(8, 1))
def place(request: pytest.FixtureRequest):
    repeated, once, judged = random_lists(request.param)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE qrels (query_id TEXT, item_id TEXT, relevance INTEGER)")
        fill(connection, "qrels", judged)
        for name, rows in (("repeated", repeated), ("once", once)):
            connection.execute(f"CREATE TABLE {name} (query_id TEXT, item_id TEXT, score DOUBLE, place INTEGER)")
            fill(connection, name, rows)
            connection.execute(
                f"CREATE VIEW {name}_labelled AS SELECT query_id, item_id, place AS position, relevance"
                f" FROM {name} LEFT JOIN qrels USING (query_id, item_id)"
            )
        yield connection


def values(rows):
    return {query: pytest.approx(list(found), abs=1e-12, nan_ok=True) for query, *found in rows}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"strategy": "count"},
        {"ties": "item_asc", "depth": 4},
        {"unjudged": "drop"},
        {"negative_grades": "unjudged", "unjudged": "drop", "ties": "worst"},
        {"rel": 2, "gain": "exp2", "queries": "judged_relevant"},
        {"ties": "expected"},
        {"score_type": "float32", "ties": "best"},
    ],
    ids=str,
)
def test_a_repeated_item_counts_once(place, options):
    """As if each later row of an item were one of an item that nobody judged: the places stay filled."""
    asked = SOME if options else every_metric()
    text = rm.sql(asked, "repeated", "qrels", level="per_query", dialect="duckdb", **options)
    expected = quietly(rm.evaluate, "once", "qrels", asked, connection=place, **options)
    assert {query: found for query, *found in place.execute(text).fetchall()} == values(expected.per_query)


@pytest.mark.parametrize("options", [{}, {"queries": "retrieved"}, {"unjudged": "drop"}], ids=str)
def test_in_labelled_tables(place, options):
    """What is relevant there is counted by rows, so that AP divides by more; nothing passes 1."""
    asked = ["p@3", "ap@5", "rr", "dcg@5"]
    text = rm.sql(
        asked,
        labelled="repeated_labelled",
        level="per_query",
        dialect="duckdb",
        columns={"position": "position"},
        **options,
    )
    found = {query: row for query, *row in place.execute(text).fetchall()}
    expected = quietly(rm.labelled, "once_labelled", asked, connection=place, **options).per_query
    for query, *row in expected:
        assert [found[query][n] for n in (0, 2, 3)] == pytest.approx([row[n] for n in (0, 2, 3)], abs=1e-12)
        assert found[query][1] <= 1


def test_of_a_judgment_that_stands_twice_the_highest_grade_counts(place):
    place.execute("INSERT INTO qrels SELECT query_id, item_id, relevance + 1 FROM qrels WHERE item_id IN ('a', 'h')")
    place.execute(
        "CREATE TABLE highest AS SELECT query_id, item_id, MAX(relevance) AS relevance FROM qrels GROUP BY ALL"
    )
    asked = ["dcg@5", "rr", "p@3", "err@4"]
    text = rm.sql(asked, "repeated", "qrels", level="per_query", dialect="duckdb")
    expected = quietly(rm.evaluate, "once", "highest", asked, connection=place)
    assert {query: found for query, *found in place.execute(text).fetchall()} == values(expected.per_query)


def test_what_is_checked_is_refused_and_not_counted_once(place):
    with pytest.raises(rm.DataError, match="duplicate item in a query"):
        rm.evaluate("repeated", "qrels", "p@3", connection=place)
    assert "GROUP BY q.query_id, q.item_id" in rm.sql("p@3", "repeated", "qrels")
    log = rm.events("SELECT 1 AS request_id, 'a' AS item_id, 1 AS position", "done")
    assert "GROUP BY r.request_id" not in rm.sql("p@3", log)


def test_nothing_passes_one(place):
    """All of a list one relevant item, as in a feed that shows a product thrice."""
    place.execute(
        "CREATE TABLE feed AS FROM (VALUES ('q', 'a', 3), ('q', 'a', 2), ('q', 'a', 1)) t(query_id, item_id, score)"
    )
    place.execute("CREATE TABLE liked AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance")
    text = rm.sql(["r", "ndcg@10", "ap", "p@3", "rr"], "feed", "liked", level="per_query", dialect="duckdb")
    assert place.execute(text).fetchall() == [("q", 1.0, 1.0, 1.0, pytest.approx(1 / 3), 1.0)]


def best_rows(place):
    """Of each item of a list the best row, and of each judgment the highest grade, by DuckDB's own means."""
    place.execute(
        "CREATE TABLE best AS SELECT * FROM repeated"
        " QUALIFY ROW_NUMBER() OVER (PARTITION BY query_id, item_id ORDER BY score DESC) = 1"
    )
    place.execute("INSERT INTO qrels SELECT query_id, item_id, relevance - 1 FROM qrels WHERE item_id IN ('a', 'h')")
    place.execute(
        "CREATE TABLE highest AS SELECT query_id, item_id, MAX(relevance) AS relevance FROM qrels GROUP BY ALL"
    )


REMOVED = {"duplicates": "first", "duplicate_judgments": "highest"}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"strategy": "count", "check": "full"},
        {"check": "none", "depth": 3},
        {"unjudged": "drop", "ties": "worst"},
        {"impute": "mean", "check": "judged"},
        {"score_type": "float32", "ties": "item_asc"},
        {"unjudged": "relevant", "queries": "retrieved"},
    ],
    ids=str,
)
def test_duplicates_are_removed_before_ranking(place, options):
    best_rows(place)
    asked = [*SOME, "num_ret", "judged@5"]
    expected = quietly(rm.evaluate, "best", "highest", asked, connection=place, **options).per_query
    found = quietly(rm.evaluate, "repeated", "qrels", asked, connection=place, **options, **REMOVED)
    assert {query: row for query, *row in found.per_query} == values(expected)
    if "check" not in options:
        text = rm.sql(asked, "repeated", "qrels", level="per_query", dialect="duckdb", **options, **REMOVED)
        assert {query: row for query, *row in place.execute(text).fetchall()} == values(expected)
        assert "HAVING COUNT(*) > 1" not in text


def test_duplicates_of_several_runs_and_of_labelled_tables(place):
    best_rows(place)
    runs = quietly(rm.evaluate, {"x": "repeated", "y": "once"}, "qrels", SOME, connection=place, **REMOVED)
    twins = quietly(rm.evaluate, {"x": "best", "y": "once"}, "highest", SOME, connection=place)
    assert {row[:2]: list(row[2:]) for row in runs.per_query} == {
        row[:2]: pytest.approx(list(row[2:]), abs=1e-12) for row in twins.per_query
    }
    labelled = (
        "SELECT query_id, item_id, place AS position, relevance FROM {} LEFT JOIN highest USING (query_id, item_id)"
    )
    asked = ["p@3", "ap@5", "rr", "r@4", "ndcg@3"]
    found = quietly(rm.labelled, labelled.format("repeated"), asked, connection=place, duplicates="first")
    expected = quietly(rm.labelled, labelled.format("best"), asked, connection=place)
    assert {query: row for query, *row in found.per_query} == values(expected.per_query)


def test_each_option_is_of_its_own_side(place, cli, tmp_path):
    best_rows(place)
    with pytest.raises(rm.DataError, match=r"qrels: duplicate item.*duplicate_judgments=highest takes"):
        rm.evaluate("repeated", "qrels", "p@3", connection=place, duplicates="first")
    with pytest.raises(
        rm.DataError, match=r"repeated: duplicate item in a query.*To keep the best row of each, pass duplicates=first"
    ):
        rm.evaluate("repeated", "qrels", "p@3", connection=place, duplicate_judgments="highest")
    for table in ("repeated", "qrels", "best", "highest"):
        place.execute(f"COPY {table} TO '{tmp_path / table}.csv'")
    arguments = ["-m", "ap", "--format", "csv", "--set", "duplicates=first", "--set", "duplicate_judgments=highest"]
    mine = cli("evaluate", str(tmp_path / "repeated.csv"), "--qrels", str(tmp_path / "qrels.csv"), *arguments)
    twin = cli("evaluate", str(tmp_path / "best.csv"), "--qrels", str(tmp_path / "highest.csv"), *arguments[:4])
    assert (mine.exit_code, twin.exit_code) == (0, 0)
    assert [line.split(",")[-2:] for line in mine.stdout.splitlines()] == [
        line.split(",")[-2:] for line in twin.stdout.splitlines()
    ]

"""What means what may be SQL over the row: it gives what a view with that column gives, and stays in its place."""

from __future__ import annotations

import random
import re
import sqlite3

import duckdb
import pandas as pd
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

import rankmetrics_sql as rm
from rankmetrics_sql.dialects import check_dialect, expression_of
from rankmetrics_sql.dialects.translation import unreadable
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import examples, mostly_long, seeds

METRICS = ["ndcg@3", "ap", "rr", "r@2"]

# A meaning: SQL that computes it from the tables below in every engine.
MEANINGS = {
    "query_id": ["user_id", ["user_id", "CASE WHEN visit > 1 THEN 'late' ELSE 'early' END"], "CONCAT(user_id, 'x')"],
    "item_id": ["product", "CONCAT('p', product)", "COALESCE(product, 'none')"],
    "score": ["points", "-points", "points * 2 + 1", "CASE WHEN points > 5 THEN points ELSE 0 END"],
    "relevance": ["stars", "CASE WHEN stars >= 4 THEN 1 ELSE 0 END", "stars - 2", "NULLIF(stars, 3)", "1"],
}


def rows(seed):
    """Shown products with their points, and ratings: text ids, numbers, visits from 1 to 2."""
    chance = random.Random(seed)
    keys = [(f"u{user}", visit, product) for user in range(4) for visit in (1, 2) for product in "abcdef"]
    shown = [(*key, chance.randint(0, 9)) for key in keys if chance.random() < 0.8]
    rated = [(*key, chance.randint(0, 5)) for key in keys if chance.random() < 0.6]
    return shown, rated


TEXT, NUMBER = "text", "bigint"
KEYS = {"user_id": TEXT, "visit": NUMBER, "product": TEXT}
TABLES = {"shown": KEYS | {"points": NUMBER}, "ratings": KEYS | {"stars": NUMBER}}


def choice(seed):
    """One way to say each meaning."""
    chance = random.Random(seed)
    return {meaning: chance.choice(ways) for meaning, ways in MEANINGS.items()}


def view(table, columns, value):
    """A query with a column for each meaning: what the expressions should be worth."""
    keys = columns["query_id"] if isinstance(columns["query_id"], list) else [columns["query_id"]]
    named = [f"{sql} AS q{number}" for number, sql in enumerate(keys)]
    return f"SELECT {', '.join(named)}, {columns['item_id']} AS i, {columns[value]} AS v FROM {table}"


def both(connection, seed, **others):
    """The values per query with expressions, and over queries with columns."""
    columns = choice(seed)
    keys = [f"q{number}" for number in range(2 if isinstance(columns["query_id"], list) else 1)]
    suffix = "" if len(keys) == 2 else " WHERE visit = 1"  # else an item would stand twice in a query
    run = f"SELECT * FROM shown{suffix}" if suffix else "shown"
    qrels = f"SELECT * FROM ratings{suffix}" if suffix else "ratings"
    ours = quietly(rm.evaluate, run, qrels, METRICS, connection=connection, columns=columns, **others)
    theirs = quietly(
        rm.evaluate,
        view("shown", columns, "score") + suffix,
        view("ratings", columns, "relevance") + suffix,
        METRICS,
        connection=connection,
        columns={"query_id": keys, "item_id": "i", "score": "v", "relevance": "v"},
        **others,
    )
    return sorted(ours.per_query.fetchall()), sorted(theirs.per_query.fetchall())


@pytest.fixture
def here():
    with duckdb.connect() as connection:
        for (name, columns), found in zip(TABLES.items(), rows(1), strict=True):
            described = ", ".join(f"{column} {type_}" for column, type_ in columns.items())
            connection.execute(f"CREATE TABLE {name} ({described})")
            fill(connection, name, found)
        yield connection


@pytest.mark.parametrize("seed", seeds(12, 2))
def test_an_expression_is_what_a_column_of_a_view_is(here, seed):
    ours, theirs = both(here, seed)
    assert ours == theirs
    assert ours


@pytest.mark.parametrize("engine", mostly_long(["sqlite", "postgres-15", "clickhouse", "mariadb"], "sqlite"))
def test_so_it_is_in_other_engines(start_engine, engine):
    started = start_engine(engine)
    for (name, columns), found in zip(TABLES.items(), rows(1), strict=True):
        started.load(name, columns, found)
    for seed in range(6):
        if engine == "sqlite" and "CONCAT" in str(choice(seed)):
            continue  # older ones have || only
        ours, theirs = both(started.connection, seed)
        assert ours == theirs
        assert ours


@pytest.fixture
def small():
    """One query whose two items are rated 5 and 3, the better one second."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE shown AS FROM (VALUES ('q', 'a', 1), ('q', 'b', 2)) t(query_id, item_id, place)"
        )
        connection.execute(
            "CREATE TABLE ratings AS FROM (VALUES ('q', 'a', 3), ('q', 'b', 5)) t(query_id, item_id, stars)"
        )
        yield connection


SPOKEN = ["duckdb", "postgres", "mysql", "bigquery", "snowflake", "tsql", "sqlite", "clickhouse", "spark"]
LIKED = "CASE WHEN stars >= 4 THEN 1 ELSE 0 END"


def test_the_statement_computes_it_once_in_its_first_stage(small):
    columns = {"score": "-place", "relevance": LIKED}
    result = quietly(rm.evaluate, "shown", "ratings", ["rr"], connection=small, columns=columns)
    assert result["rr"] == 1 / 2
    first = result.sql.partition("rankmetrics_qrels AS")[0]
    assert f"        s.*,\n        {LIKED} AS rankmetrics_relevance\n    FROM ratings AS s" in first
    assert result.sql.count("stars") == 1
    assert result.sql.count("-place") == 1


def test_every_form_of_input(small, tmp_path):
    """Files, whose columns are text in a CSV; frames; SQL text; several runs; a column of one side only."""
    small.execute(f"COPY shown TO '{tmp_path}/shown.csv'; COPY ratings TO '{tmp_path}/ratings.csv'")
    places = {"position": "CAST(place AS INT)"}
    text = {**places, "relevance": "CAST(stars AS INT) >= 4"}
    files = tmp_path / "shown.csv", tmp_path / "ratings.csv"
    assert quietly(rm.evaluate, *files, ["rr"], columns=text)["rr"] == 1 / 2
    frames = [small.table(name).df() for name in ("shown", "ratings")]
    assert quietly(rm.evaluate, *frames, ["rr"], columns={"position": "place", "relevance": LIKED})["rr"] == 1 / 2
    queries = "SELECT * FROM shown", "SELECT * FROM ratings"
    columns = {"position": "3 - place", "qrels.relevance": LIKED}
    assert quietly(rm.evaluate, *queries, ["rr"], connection=small, columns=columns)["rr"] == 1
    several = {"first": "shown", "second": frames[0]}
    found = quietly(rm.evaluate, several, "ratings", ["rr"], connection=small, columns=columns).summary.fetchall()
    assert [row[:3] for row in found] == [("first", "rr", 1.0), ("second", "rr", 1.0)]


def test_a_labelled_table(small):
    small.execute("CREATE TABLE log AS SELECT * FROM shown NATURAL JOIN ratings")
    columns = {"position": "place", "relevance": LIKED, "n_relevant": "stars - stars + 2", "run_id": "CONCAT('r', 1)"}
    found = quietly(rm.labelled, "log", ["rr", "r@2"], connection=small, columns=columns)
    assert found.summary.fetchall() == [("r1", "rr", 1 / 2, 1), ("r1", "r@2", 1 / 2, 1)]


def test_subtopics(small):
    columns = {"position": "place", "relevance": "stars", "subtopic": "stars % 2 = 1"}
    assert (
        quietly(rm.evaluate, "shown", "ratings", ["st_recall@1"], connection=small, columns=columns)["st_recall@1"] == 1
    )


def test_a_column_of_that_very_name_is_the_column(small):
    small.execute('CREATE TABLE odd AS SELECT query_id, item_id, 1 AS stars, stars AS "stars >= 4" FROM ratings')
    columns = {"position": "place", "relevance": "stars >= 4"}
    found = quietly(rm.evaluate, "shown", "odd", ["ndcg(gain=linear)@1"], connection=small, columns=columns)
    assert '"stars >= 4"' in found.sql
    assert found["ndcg(gain=linear)@1"] == 3 / 5


def test_a_field_of_a_column_needs_no_brackets_where_its_column_is_known(small):
    small.execute("CREATE TABLE nested AS SELECT {'q': query_id, 'i': item_id} AS event, stars FROM ratings")
    columns = {"position": "place", "qrels.query_id": "event.q", "qrels.item_id": "event.i", "relevance": LIKED}
    assert quietly(rm.evaluate, "shown", "nested", ["rr"], connection=small, columns=columns)["rr"] == 1 / 2
    assert 's."event.q" AS' in rm.sql("rr", "shown", "nested", columns={"query_id": "event.q"})
    assert "(event.q) AS rankmetrics_query_id" in rm.sql("rr", "shown", "nested", columns={"query_id": "(event.q)"})


def test_queries_named_by_expressions_have_numbers(small):
    columns = {"query_id": ["query_id", "upper(query_id)"], "position": "place", "relevance": LIKED}
    found = quietly(rm.evaluate, "shown", "ratings", ["rr"], connection=small, columns=columns).per_query
    assert found.columns == ["query_id", "query_id_2", "rr"]
    assert found.fetchall() == [("q", "Q", 1 / 2)]


def test_what_is_loaded_into_a_warehouse_is_computed_before(small):
    ratings = pd.DataFrame({"query_id": ["q", "q"], "item_id": ["a", "b"], "stars": ["3", "5"]})
    with sqlite3.connect(":memory:") as lite:
        lite.executescript(
            "CREATE TABLE shown (query_id, item_id, place); INSERT INTO shown VALUES ('q','a',1),('q','b',2)"
        )
        db = rm.connect(lite, materialize="temp")
        columns = {"score": "0 - place", "relevance": "CAST(stars AS INT) >= 4"}
        found = quietly(db.evaluate, "shown", ratings, ["rr"], columns=columns)
        assert found["rr"] == 1 / 2
        assert "0 - place AS rankmetrics_score" in found.sql
        assert "stars" not in found.sql


def test_functions_take_expressions(small):
    rm.install("rr", columns={"score": "-place", "relevance": LIKED}, connection=small)
    assert small.execute("FROM rankmetrics_rr('shown', 'ratings')").fetchall() == [("q", 0.5)]
    with pytest.raises(rm.UsageError, match="'k' in an expression has the name of a column of the function"):
        rm.install("rr", columns={"score": "-k"}, dialect="duckdb")
    with pytest.raises(rm.UsageError, match=r"bigquery's functions .* Make a view"):
        rm.install("rr", columns={"relevance": LIKED}, dialect="bigquery")


def test_the_command_line(cli, tmp_path):
    (tmp_path / "run.csv").write_text("query_id,item_id,place\nq,a,1\nq,b,2\n")
    (tmp_path / "qrels.csv").write_text("query_id,item_id,stars\nq,a,3\nq,b,5\n")
    liked = "relevance=CASE WHEN CAST(stars AS INT) IN (4, 5) AND item_id <> 'x,y' THEN 1 ELSE 0 END"
    meant = f"{liked},position=CAST(place AS INT)"
    files = [str(tmp_path / "run.csv"), "--qrels", str(tmp_path / "qrels.csv")]
    found = cli("evaluate", *files, "-m", "rr", "--columns", meant, "--format", "csv")
    assert found.stdout == "run_id,metric,value,n_queries\nrun,rr,0.5,1\n"
    wrong = cli("evaluate", *files, "-m", "rr", "--columns", "relevance=count(*),position=place")
    assert wrong.exit_code == 2
    assert "'count(*)' has an aggregate function" in wrong.stderr


REFUSED = {
    "subquery": ("(SELECT 1)", rm.UsageError, "has a subquery"),
    "exists": ("EXISTS (SELECT 1)", rm.UsageError, "has a subquery"),
    "aggregate": ("max(stars)", rm.UsageError, "has an aggregate function"),
    "aggregate in a list": ("count(*) IN (1, 2)", rm.UsageError, "has an aggregate function"),
    "window": ("row_number() OVER (ORDER BY stars)", rm.UsageError, "has a window function"),
    "rows": ("unnest([1, 2])", rm.UsageError, "makes several rows of one"),
    "semicolon": ("stars; DROP TABLE ratings", rm.UsageError, "has a semicolon"),
    "comment": ("stars + 1 --", rm.UsageError, "has a comment"),
    "long comment": ("stars /* x */ + 1", rm.UsageError, "has a comment"),
    "bracket": ("stars) + (1", rm.UsageError, "Cannot parse"),
    "open bracket": ("(stars + 1", rm.UsageError, "Cannot parse"),
    "open quote": ("stars || 'x", rm.UsageError, "Cannot parse"),
    "alias": ("stars AS x", rm.UsageError, "has an alias"),
    "alias without AS": ("stars + 1 x", rm.UsageError, "has an alias"),
    "two values": ("stars, 1", rm.UsageError, "is more than one value"),
    "clause": ("stars + 1 FROM shown", rm.UsageError, "is more than one value"),
    "star": ("*", rm.UsageError, "has a star"),
    "parameter": ("?", rm.UsageError, "has a parameter"),
    "half a case": ("CASE WHEN stars THEN", rm.UsageError, "Cannot parse"),
    "empty": (" ", rm.UsageError, "must be a column name"),
    "no column": (
        "starz + 1",
        rm.DataError,
        r"ratings: no column 'starz' for relevance \('starz \+ 1'\).*Did you mean 'stars'",
    ),
    "no function": ("no_such(stars)", rm.DataError, r"ratings: cannot compute 'no_such\(stars\)': .*no_such"),
    "text": ("'abc'", rm.DataError, "relevance is not a number: .*'abc'"),
    "a list": ("[stars]", rm.DataError, r"relevance \(\[stars\]\) is INTEGER\[\], a list"),
    "a date": ("DATE '2024-01-01'", rm.DataError, r"relevance \(DATE '2024-01-01'\) is DATE, not a number"),
}


@pytest.mark.parametrize(("text", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_value_of_a_row_is_refused(small, text, error, message):
    with pytest.raises(error, match=message):
        rm.evaluate("shown", "ratings", ["rr"], connection=small, columns={"position": "place", "relevance": text})


def test_types_hold_for_expressions_too(small):
    columns = {"position": "place", "qrels.item_id": "stars + 1", "relevance": LIKED}
    with pytest.raises(rm.DataError, match=r"item_id is VARCHAR in shown and INTEGER in ratings; columns="):
        rm.evaluate("shown", "ratings", ["rr"], connection=small, columns=columns)
    small.execute("ALTER TABLE ratings ADD COLUMN rankmetrics_relevance INT")
    with pytest.raises(rm.DataError, match="a column is called 'rankmetrics_relevance'"):
        rm.evaluate("shown", "ratings", ["rr"], connection=small, columns={"position": "place", "relevance": LIKED})


@pytest.mark.parametrize("dialect", SPOKEN)
def test_the_first_stage_is_no_other_in_any_dialect(dialect):
    text = rm.sql("rr", "runs", "labels", dialect=dialect, columns={"relevance": LIKED})
    assert re.search(rf"SELECT\s+s\.\*,\s+{re.escape(LIKED)} AS rankmetrics_relevance\s+FROM labels (AS )?s\b", text)


@pytest.mark.parametrize("name", ["my item", "my item id", "select", "größe", "a.b"])
def test_words_stay_a_name_where_nothing_is_looked_up(name):
    assert f's."{name}" AS item_id' in rm.sql("rr", "runs", "labels", columns={"item_id": name})


PIECES = [
    *(
        "a",
        "stars",
        "1",
        "'",
        '"',
        "`",
        "''",
        "\\",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        "--",
        "/*",
        "*/",
        "#",
        "$$",
    ),
    *(
        " ",
        "\n",
        " AS x",
        " FROM labels",
        "SELECT",
        " UNION ALL ",
        " WHERE 1=1",
        "CASE WHEN ",
        " THEN 1 END",
        "+",
        "=",
        "*",
    ),
    *("$tag$", "E'", "r'", "'''", "::text", "->>", "?", ":x", "@x", "%", "s.", "DROP TABLE runs", "), x AS (SELECT 1"),
]
QUERIES = ("SELECT * FROM runs", "SELECT * FROM labels")  # which have stages of their own, whatever the columns are
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join)


def stages(statement, dialect):
    """The stages of a statement but those that read the user's relations, and its end."""
    trees = [tree for tree in sqlglot.parse(statement, read=dialect) if tree is not None]
    assert len(trees) == 1
    [tree] = trees
    assert isinstance(tree, sqlglot.exp.Select)
    whole = {stage.alias: stage.this.sql(dialect) for stage in tree.ctes}
    sources = [whole.pop(f"rankmetrics_{side}_source") for side in ("run", "qrels")]
    tree.set("with_", None)
    return whole, tree.sql(dialect), sources


@examples(400)
@given(TEXTS, st.sampled_from(SPOKEN))
def test_nothing_breaks_out_of_its_place(text, dialect):
    try:
        found = expression_of(text, check_dialect(dialect))
        written = rm.sql("rr", *QUERIES, dialect=dialect, columns={"relevance": text}, header=False)
    except rm.UsageError:
        return
    if found is not None and not found.is_path:
        usual = rm.sql("rr", *QUERIES, dialect=dialect, columns={"relevance": "rankmetrics_relevance"}, header=False)
        ours, usual = stages(written, dialect), stages(usual, dialect)
        assert ours[:2] == usual[:2]
        assert ours[2][0] == usual[2][0]
    else:
        usual = rm.sql("rr", *QUERIES, dialect=dialect)
        assert stages(written, dialect)[0].keys() == stages(usual, dialect)[0].keys()


IN_DBT = {
    "duckdb": "duckdb",
    "postgres": "postgres",
    "bigquery": "bigquery",
    "snowflake": "snowflake",
    "spark": "spark",
}


@examples(400)
@given(TEXTS, st.sampled_from(sorted(IN_DBT)))
def test_nor_does_it_in_dbt(text, adapter):
    """What looks like SQL is refused or stays in its stage; there a name is the user's own, as written."""
    call = {"relation": "(select * from runs) r", "metrics": "rr", "qrels": "(select * from labels) q"}
    known = macros(adapter)
    if known["rm_is_column"](text):
        return
    try:
        written = known["per_query"](**call, columns={"relevance": text})
    except rm.UsageError:
        return
    try:
        ours = stages(written, IN_DBT[adapter])
    except unreadable():
        return  # no SQL, which the warehouse says
    usual = stages(known["per_query"](**call, columns={"relevance": "rankmetrics_relevance"}), IN_DBT[adapter])
    assert ours[:2] == usual[:2]
    assert ours[2][0] == usual[2][0]


def test_dbt_computes_it_in_the_first_stage():
    call = {"metrics": "rr", "qrels": "(select * from ratings where false limit 0) _dbt_limit_subq_ratings"}
    columns = {
        "columns": {"relevance": "case when stars >= 4 then 1 else 0 end", "query": ["user_id", "cast(day as date)"]},
    }
    text = macros("postgres")["per_query"](relation="runs", **call, **columns)
    computed = (
        "case when stars >= 4 then 1 else 0 end AS rankmetrics_relevance,"
        "\n        cast(day as date) AS rankmetrics_query_id_2"
        f"\n    FROM (SELECT * FROM {call['qrels']}) AS s"
    )
    assert computed in text
    assert text.count("stars") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stars; drop table x", "; may not stand in it"),
        ("stars + 1 -- x", "-- may not stand in it"),
        ("stars /* x */", "/* may not stand in it"),
        ("stars # x", "# may not stand in it"),
        ("(stars + 1", "a quote or bracket does not end"),
        ("stars || 'x", "a quote or bracket does not end"),
        ("stars) + (1", "a bracket ) closes nothing"),
        ("stars, 1", "it is more than one value"),
        ("(select 1)", "select reads more than the row"),
    ],
)
def test_dbt_refuses_what_could_end_before_its_place(text, message):
    with pytest.raises(rm.UsageError, match="columns: relevance must be a column or SQL over the row") as refused:
        macros("postgres")["per_query"]("runs", "rr", "labels", columns={"relevance": text})
    assert message in str(refused.value)


def test_dbt_refuses_an_empty_weight():
    with pytest.raises(rm.UsageError, match="weight must be a column or SQL over the row: : it is empty"):
        macros("postgres")["summary"]("runs", "rr", "labels", weight=" ")

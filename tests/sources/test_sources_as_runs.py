"""Sources where runs stand: lists of several models, arms of every schema, on all roads, beside values by hand."""

from __future__ import annotations

import random
from collections import defaultdict

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.errors import DataError, UsageError
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import asked_for, each_once, seeds
from .test_sources import PRODUCTS

KEYS = {"a": "who", "b": "uid"}  # what the tables of two models call the query


class Lists:
    """The lists of two models for the same users, some of them empty, and what the users like."""

    def __init__(self, seed, connection):
        chance = random.Random(seed)
        self.liked = {f"u{number}": chance.sample("vwxyz", chance.randrange(3)) for number in range(30)}
        self.market = {user: chance.choice(["de", "fr"]) for user in self.liked}
        self.worth = {user: chance.choice([0.5, 1.0, 2.0]) for user in self.liked}
        self.lists = {
            model: {user: chance.sample("vwxyz", chance.randrange(5)) for user in self.liked} for model in KEYS
        }
        columns = "items VARCHAR[], liked VARCHAR[], market VARCHAR, worth DOUBLE"
        for model, key in KEYS.items():
            connection.execute(f"CREATE TABLE {model} ({key} VARCHAR, {columns})")
            fill(connection, model, self._rows(model))
        connection.execute(
            "CREATE TABLE merged AS SELECT 'a' AS model, * FROM a UNION ALL SELECT 'b', * RENAME (uid AS who) FROM b;"
            "CREATE TABLE likes AS SELECT who AS query_id, unnest(liked) AS item_id, 1 AS relevance FROM a"
        )

    def _rows(self, model):
        return [(u, items, self.liked[u], self.market[u], self.worth[u]) for u, items in self.lists[model].items()]

    def reciprocal_rank(self, model, user):
        ranks = [rank for rank, item in enumerate(self.lists[model][user], 1) if item in self.liked[user]]
        return 1 / ranks[0] if ranks else 0.0

    def means(self, by, weight):
        """The weighted means of both models, and the number of users, by group."""
        groups = defaultdict(list)
        for user in self.liked:
            groups[(self.market[user],) if by else ()].append(user)
        found = {}
        for group, users in groups.items():
            weights = [self.worth[user] if weight else 1.0 for user in users]
            sums = [
                sum(w * self.reciprocal_rank(model, user) for w, user in zip(weights, users, strict=True))
                for model in KEYS
            ]
            found[group] = (*(total / sum(weights) for total in sums), len(users))
        return found


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def sources(connection, kind, relevant, folder):
    """The two models as a table, a file or a frame each."""
    found = {}
    for model, key in KEYS.items():
        table = model
        if kind == "file":
            table = str(folder / f"{model}.parquet")
            connection.execute(f"COPY {model} TO '{table}'")
        elif kind == "frame":
            table = connection.table(model).to_arrow_table()
        found[model] = rm.lists(table, key, relevant="liked" if relevant else None)
    return found


@pytest.mark.parametrize("seed", seeds(3, 1))
@pytest.mark.parametrize(("kind", "relevant"), each_once(["table", "file", "frame"], [True, False]))
def test_two_sources_are_two_runs(connection, tmp_path, kind, relevant, seed):
    lists = Lists(seed, connection)
    ways = [((), None), (("market",), None), ((), "worth"), (("market",), "worth")]
    if kind != "table" and not asked_for():  # which is read in another way, and scored in the same
        ways = ways[-1:]
    for by, weight in ways:
        given = sources(connection, kind, relevant, tmp_path)
        choices = {"by": by, "weight": weight, "connection": connection}
        if not relevant:  # a user who likes nothing has no judgment then
            choices["query_list"] = [user for user, liked in lists.liked.items() if liked]
            lists.market = {user: market for user, market in lists.market.items() if lists.liked[user]}
            lists.liked = {user: liked for user, liked in lists.liked.items() if liked}
        qrels = () if relevant else ("likes",)
        expected = lists.means(by, weight)
        found = quietly(rm.compare, given["a"], {"b": given["b"]}, *qrels, metrics=["rr"], baseline="a", **choices)
        assert {
            tuple(row[name] for name in by): (row["baseline"], row["candidate"], row["n_queries"])
            for row in found.summary.dicts()
        } == {group: pytest.approx(values, abs=1e-12) for group, values in expected.items()}
        assert found.options["design"] == "paired"
        scored = quietly(rm.evaluate, given, *qrels, metrics=["rr"], **choices)
        assert {tuple(row[name] for name in ("run_id", *by)): row["value"] for row in scored.summary.dicts()} == {
            (model, *group): pytest.approx(values[place], abs=1e-12)
            for group, values in expected.items()
            for place, model in enumerate(KEYS)
        }
        assert {(row["run_id"], row["input"]) for row in scored.data_quality.dicts()} == {
            (model, what) for model in KEYS for what in (["items", "relevant"] if relevant else ["items"])
        }


@pytest.mark.parametrize("seed", seeds(3, 1))
def test_every_road_tells_the_runs_of_a_column_apart(connection, cli, tmp_path, seed):
    lists = Lists(seed, connection)
    [(mean, other, n_users)] = lists.means((), None).values()
    source = rm.lists("merged", "who", relevant="liked", run="model")
    found = quietly(rm.compare, source, ["rr"], baseline="a", connection=connection)
    [row] = found.summary.dicts()
    assert (row["baseline"], row["candidate"], row["n_queries"]) == (
        pytest.approx(mean, abs=1e-12),
        pytest.approx(other, abs=1e-12),
        n_users,
    )
    two = {"a": rm.lists("a", "who", relevant="liked"), "b": rm.lists("b", "uid", relevant="liked")}
    for text in (
        rm.sql(["rr"], source, level="compare", baseline="a"),
        rm.sql(["rr"], two, level="compare"),
        macros()["compare"](
            relation="("
            + macros()["from_lists"]("merged", context=["model"], columns={"query": "who", "items": "items"})
            + ") AS r",
            qrels="("
            + macros()["judgments_from_lists"]("merged", columns={"query": "who", "relevant": "liked"})
            + ") AS q",
            columns={"query": "who", "run": "model", "position": "position"},
            baseline="a",
            metrics=["rr"],
        ),
    ):
        assert connection.execute(text).fetchall()[0][:6] == pytest.approx(
            ("b", "a", "rr", mean, other, other - mean), abs=1e-12
        )
    differences = {user: lists.reciprocal_rank("b", user) - lists.reciprocal_rank("a", user) for user in lists.liked}
    assert {row["who"]: row["difference"] for row in found.per_query.dicts()} == pytest.approx(differences, abs=1e-12)
    for name in ("a", "b"):
        connection.execute(f"COPY (SELECT * RENAME ({KEYS[name]} AS user) FROM {name}) TO '{tmp_path / name}.parquet'")
    rules = ["--rule", "query=user", "--rule", "relevant=liked", "-m", "rr", "--format", "csv"]
    files = ["--lists", tmp_path / "a.parquet", tmp_path / "b.parquet"]
    said = cli("compare", *files, *rules)
    assert said.exit_code == 0, said.stderr
    (
        run,
        baseline,
        *_,
    ) = said.stdout.splitlines()[1].split(",")
    assert (run, baseline) == ("b", "a")
    assert float(said.stdout.splitlines()[1].split(",")[4]) == pytest.approx(other, abs=1e-12)
    again = cli("compare", "--lists", f"x={tmp_path / 'a.parquet'}", "--lists", f"y={tmp_path / 'b.parquet'}", *rules)
    assert again.stdout == said.stdout.replace("b,a,", "y,x,", 1)


def test_the_other_questions_take_them_too(connection, tmp_path, undrawn):
    lists = Lists(5, connection)
    two = [rm.lists("a", "who", relevant="liked"), rm.lists("b", "uid", relevant="liked")]
    one = rm.lists("merged", "who", relevant="liked", run="model")
    at = {"connection": connection}
    [(mean, other, _)] = lists.means((), None).values()
    for given in (two, one):
        curve = quietly(rm.curve, given, "rr", at=[4], **at).summary.dicts()
        assert [row["y"] for row in curve] == pytest.approx([mean, other], abs=1e-12)
        values = quietly(rm.sensitivity, given, "rr", **at).values
        assert [row["low"] for row in values] == pytest.approx([mean, other], abs=1e-12)
    for given in ((two[0], two[1]), (one,)):
        split = quietly(rm.decompose, *given, metrics="rr", by="market", baseline="a", **at).summary.dicts()
        assert sum(row["contribution"] for row in split) == pytest.approx(other - mean, abs=1e-12)
        moved = quietly(rm.movements, *given, k=5, baseline="a", **at).summary.dicts()
        assert {(row["who"], row["item_id"]) for row in moved if row["movement"] == "entered"} == {
            (user, item)
            for user, items in lists.lists["b"].items()
            for item in items
            if item not in lists.lists["a"][user]
        }
    for all_pairs in (rm.compare_all, rm.tukey):
        [pair] = quietly(all_pairs, two, "rr", **at).summary.dicts()
        assert abs(pair["effect_size"]) == pytest.approx(abs(other - mean), abs=1e-12)
    quietly(rm.compare, two[0], two[1], metrics="rr", **at).report(tmp_path / "page.html")
    assert "uid" not in (page := (tmp_path / "page.html").read_text(encoding="utf-8")).split("<style")[0]
    assert f"{abs(other - mean):.4f}"[1:] in page


# A schema, the tables that get a column of arms, and its arguments.
SCHEMAS = {
    "snowplow": ("interactions", ["interactions"], "event_id"),
    "segment": ("viewed", ["viewed", "clicked"], "id"),
    "ga4": ("export", ["export"], "event_timestamp % 10000000 = 0"),
    "ubi": ("searched", ["asked", "searched"], "query_id"),
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_arms_of_a_schema(connection, schema):
    connection.execute(PRODUCTS)
    connection.execute(
        "CREATE TABLE asked AS SELECT * FROM (VALUES ('q1', TIMESTAMP '2026-01-01'), ('q2', TIMESTAMP '2026-01-01'))"
        " AS rows(query_id, timestamp);"
        "CREATE TABLE searched AS SELECT query_id, action AS action_name, '' AS application,"
        " TIMESTAMP '2026-01-01' AS timestamp,"
        " {object: {object_id: item}, position: {ordinal: place}} AS event_attributes FROM (VALUES"
        " ('q1', 'impression', 'a', 1), ('q1', 'impression', 'b', 2), ('q1', 'click', 'b', 2),"
        " ('q2', 'impression', 'a', 1)) AS rows(query_id, action, item, place)"
    )
    table, tables, key = SCHEMAS[schema]
    first = "'v'" if schema == "ga4" else "'q1'" if schema == "ubi" else "'w1'" if schema == "segment" else "'e1'"
    key = "items[1].item_list_id = 'home'" if schema == "ga4" else f"{key} = {first}"
    connection.execute(f"ALTER TABLE {table} ADD COLUMN arm VARCHAR; UPDATE {table} SET arm = IF({key}, 'new', 'old')")
    source = getattr(rm, schema)(*tables, arm="arm")
    at = {"connection": connection}
    scored = quietly(rm.evaluate, source, "rr", **at)
    assert list(scored.summary) == [("new", "rr", 0.5, 1), ("old", "rr", 0.0, 1)]
    assert connection.execute(rm.sql("rr", source)).fetchall() == list(scored.summary)
    compared = quietly(rm.compare, source, "rr", baseline="old", **at)
    assert compared.options["design"] == "unpaired"
    assert [(row["baseline"], row["candidate"]) for row in compared.summary.dicts()] == [(0.0, 0.5)]
    with pytest.raises(UsageError, match=r"compare needs arms\. Name their column with arm="):
        rm.compare(getattr(rm, schema)(*tables), "rr", baseline="old", **at)
    # The new request is logged a second time, under the other arm.
    connection.execute(f"INSERT INTO {table} SELECT * REPLACE ('old' AS arm) FROM {table} WHERE {key}")
    with pytest.raises(rm.DataError, match=r"1 request has impressions of two arms \(arm\).*To leave them out|Leave"):
        rm.evaluate(source, "rr", **at)
    for metrics in ("rr", ["rr", "ctr"]):
        found = connection.execute(rm.sql(metrics, source)).fetchall()
        assert [row for row in found if row[1] == "rr"] == [("old", "rr", 0.0, 1)]
        grouped = connection.execute(rm.sql(metrics, getattr(rm, schema)(*tables), by="arm", level="values")).fetchall()
        assert {row[-1] for row in grouped if "rr" in row} == {None, 0.0}


def test_warnings_name_the_run_of_a_source(connection):
    """Two sources of one kind are two runs."""
    Lists(7, connection)
    connection.execute("DELETE FROM b WHERE uid IN ('u1', 'u2')")
    connection.execute("INSERT INTO likes SELECT 'stranger', 'v', 1")
    runs = {"one": rm.lists("a", "who"), "two": rm.lists("b", "uid")}
    with pytest.warns(rm.RankmetricsWarning):
        found = rm.compare(runs, "likes", "rr", connection=connection).warnings
    starts = {text.partition(":")[0] for text in found if "without results" in text}
    assert starts == {"run 'one'", "run 'two'"}


def test_what_cannot_be_a_run_says_why(connection):
    Lists(7, connection)
    one, two = rm.lists("a", "who", relevant="liked"), rm.lists("b", "uid", relevant="liked")
    at = {"connection": connection}
    for given, said in [
        ((one, "rr"), "compare needs two runs. Name the column of the runs with run=, or pass the other run"),
        ((one, {"b": two}, "likes", "rr"), "lists: it has judgments of its own; qrels= would be others."),
        ((rm.lists("a", "who"), {"b": rm.lists("b", "uid")}, "rr"), "No qrels given, and lists() has no judgments"),
        ((one, {"b": rm.labelled("a")}, "rr"), "labelled: its rows carry the judgments of their own queries, so 'b'"),
        ((rm.lists("merged", run="model", relevant="liked"), two, "rr"), "its column model already names the runs"),
        ((two, {"x": rm.lists("merged", "who", run="model")}, "rr"), "column model tells runs apart, so 'x' is not"),
        ((rm.ratings("a"), "rr"), "ratings: compare needs two runs. Pass the other run by its name"),
        ((one, one, "likes", "rr"), "The baseline and a candidate are both called 'a'"),
    ]:  # fmt: skip
        with pytest.raises(UsageError) as error:
            rm.compare(*given, **at)
        assert said in str(error.value)
    connection.execute("UPDATE b SET liked = ['v'] WHERE uid = 'u3'; UPDATE a SET liked = ['v', 'w'] WHERE who = 'u3'")
    with pytest.raises(DataError, match="1 query has other relevant items in one run than in another: u3"):
        rm.compare(one, two, metrics="rr", **at)
    connection.execute("UPDATE merged SET liked = ['v'] WHERE who = 'u3' AND model = 'a'")
    connection.execute("UPDATE merged SET liked = [] WHERE who = 'u3' AND model = 'b'")
    both = rm.lists("merged", "who", relevant="liked", run="model")
    with pytest.raises(DataError, match="1 query has other relevant items in one run than in another: u3"):
        rm.evaluate(both, "rr", **at)
    connection.execute("UPDATE merged SET liked = NULL WHERE who = 'u3' AND model = 'b'")  # says nothing
    quietly(rm.evaluate, both, "rr", **at)
    fill(connection, "merged", [(None, "u3", None, None, "de", 1.0)])
    connection.execute("UPDATE merged SET items = ['v'] WHERE model IS NULL")
    with pytest.raises(DataError, match="1 query has a list of no run: model is NULL: u3"):
        rm.evaluate(both, "rr", **at)

"""What a row says of a query holds for the query where it shows nothing, too: groups, arms, weights, times."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from datetime import date, timedelta

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.errors import DataError, UsageError
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import each_once, seeds

FACTS = {"arm": "VARCHAR", "market": "VARCHAR", "worth": "DOUBLE", "day": "DATE"}
PLACES = ("queries", "impressions", "both")
# Arms, groups, period and weight: each pair of values once.
ASKED = [
    (False, (), None, None),
    (False, ("market",), "day", "worth"),
    (True, (), "day", None),
    (True, ("market",), None, None),
    (True, (), None, "worth"),
]


class Log:
    """Requests of which some show nothing; what is known of each stands in one of two tables, or in both."""

    def __init__(self, connection, seed, places):
        chance = random.Random(seed)
        self.connection = connection
        self.requests = {
            number: {
                "arm": chance.choice("AB"),
                "market": chance.choice(["de", "fr", "it"]),
                "worth": chance.choice([0.5, 1.0, 2.0]),
                "day": date(2026, 3, 1) + timedelta(days=chance.randrange(3)),
            }
            for number in range(40)
        }
        self.shown = {number: chance.randrange(4) for number in self.requests}  # the items of each
        if "impressions" in places.values():
            self.shown = {number: max(1, count) for number, count in self.shown.items()}
        self.clicked = {(number, chance.randrange(4)) for number in self.requests}

        def known(fact, place, number):
            """A value, which is NULL at times where the other table has it."""
            lacks = places[fact] == "both" and self.shown[number] and (number % 3 == 0) == (place == "queries")
            return None if lacks else self.requests[number][fact]

        self._table("asked", "request INTEGER", places, "queries", known, [(number,) for number in self.requests])
        rows = [(number, f"d{item}", item + 1) for number, count in self.shown.items() for item in range(count)]
        columns = "request INTEGER, item VARCHAR, place INTEGER"
        self._table("shown", columns, places, "impressions", known, rows)
        connection.execute("CREATE TABLE done (request INTEGER, item VARCHAR, what VARCHAR)")
        fill(connection, "done", [(number, f"d{item}", "click") for number, item in self.clicked])

    def _table(self, name, columns, places, place, known, rows):
        facts = [fact for fact, where in places.items() if where in (place, "both")]
        self.connection.execute(
            f"CREATE TABLE {name} ({', '.join([columns, *(f'{fact} {FACTS[fact]}' for fact in facts)])})"
        )
        if rows:
            fill(self.connection, name, [(*row, *(known(fact, place, row[0]) for fact in facts)) for row in rows])

    def source(self, **arguments):
        names = {"request": "request", "item": "item", "position": "place", "type": "what"}
        return rm.events("shown", "done", **names | arguments, requests="logged", queries="asked")

    def reciprocal_rank(self, number):
        clicked = [item for of, item in self.clicked if of == number and item < self.shown[number]]
        return 1 / (1 + min(clicked)) if clicked else 0.0

    def means(self, keys, weight):
        """The number of requests of each group, and their weighted mean."""
        groups = defaultdict(list)
        for number, facts in self.requests.items():
            pair = (facts[weight] if weight else 1.0, self.reciprocal_rank(number))
            groups[tuple(facts[key] for key in keys)].append(pair)
        return {
            key: (len(found), sum(w * value for w, value in found) / sum(w for w, _ in found))
            for key, found in groups.items()
        }


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


@pytest.mark.parametrize("seed", seeds(6, 1))
@pytest.mark.parametrize(("place", "of_market"), each_once(PLACES, PLACES))
def test_every_request_is_of_its_arm_and_group(connection, place, of_market, seed):
    log = Log(connection, seed, {**dict.fromkeys(FACTS, place), "market": of_market})
    for arms, by, period, weight in ASKED:
        source = log.source(**({"arm": "arm"} if arms else {}), **({"time": "day"} if period else {}))
        choices = {"by": by, "period": period, "weight": weight}
        keys = [*(["arm"] if arms else []), *by, *(["day"] if period else [])]
        expected = log.means(keys, weight)
        result = quietly(rm.evaluate, source, ["rr"], connection=connection, **choices)
        assert found_in(result.summary.dicts(), arms, by, period) == {
            key: (number, pytest.approx(mean, abs=1e-12)) for key, (number, mean) in expected.items()
        }
        text = rm.sql(["rr"], source, connection=connection, **choices)
        columns = [column[0] for column in connection.execute(text).description]
        rows = [dict(zip(columns, row, strict=True)) for row in connection.fetchall()]
        lacking = [row.pop("n_left_out", 0) for row in rows]
        assert (rows, any(lacking)) == (result.summary.dicts(), False)


@pytest.mark.parametrize("seed", seeds(6, 1))
@pytest.mark.parametrize("place", ["queries", "both"])
def test_models_of_dbt_give_the_same(connection, place, seed):
    log = Log(connection, seed, dict.fromkeys(FACTS, place))
    facts = ["arm", "market", "worth"]
    columns = {"request": "request", "item": "item", "position": "place", "type": "what"}
    rows = macros()["from_events"](
        impressions="shown",
        events="done",
        columns=columns,
        requests="logged",
        queries="asked",
        context=facts if place == "both" else [],
        queries_context=facts,
    )
    text = macros()["summary"](
        relation=f"({rows}) AS log",
        metrics=["rr"],
        columns={"query": "request", "position": "position", "run": "arm"},
        by=["market"],
        weight="worth",
        empty_lists=True,
    )
    found = {(arm, market): (n, value) for arm, market, _, value, n, *_ in connection.execute(text).fetchall()}
    assert found == {
        key: (number, pytest.approx(mean, abs=1e-12))
        for key, (number, mean) in log.means(["arm", "market"], "worth").items()
    }


def found_in(rows, arms, by, period):
    """The number of queries and the mean of each row, by what names it."""
    names = [*(["run_id"] if arms else []), *by, *(["period"] if period else [])]
    return {tuple(row[name] for name in names): (row["n_queries"], row["value"]) for row in rows}


@pytest.mark.parametrize("seed", seeds(6, 1))
@pytest.mark.parametrize("by", [(), ("market",)])
def test_arms_are_compared_over_their_own_requests(connection, by, seed):
    log = Log(connection, seed, dict.fromkeys(FACTS, "both"))
    expected = log.means(["arm", *by], None)
    found = quietly(rm.compare, log.source(arm="arm"), ["rr"], baseline="A", connection=connection, by=by)
    for row in found.summary.dicts():
        key = tuple(row[name] for name in by)
        (n_baseline, baseline), (n_candidate, candidate) = expected["A", *key], expected["B", *key]
        assert row["n_queries"] == n_baseline + n_candidate
        assert (row["baseline"], row["candidate"]) == pytest.approx((baseline, candidate), abs=1e-12)
    assert sum(row["n_queries"] + row["n_left_out"] for row in found.summary.dicts()) == len(log.requests)


@pytest.mark.parametrize("position", ["given", "dense"])
@pytest.mark.parametrize("seed", seeds(4, 1))
def test_the_share_of_requests_that_showed_nothing(connection, position, seed):
    log = Log(connection, seed, dict.fromkeys(FACTS, "queries"))
    empty = {number: float(count == 0) for number, count in log.shown.items()}
    for arms, by, period, weight in ASKED:
        source = log.source(**({"arm": "arm"} if arms else {}), **({"time": "day"} if period else {}))
        given = {"by": by, "period": period, "weight": weight, "position": position, "connection": connection}
        keys = [*(["arm"] if arms else []), *by, *(["day"] if period else [])]
        groups = defaultdict(list)
        for number, facts in log.requests.items():
            groups[tuple(facts[key] for key in keys)].append((facts[weight] if weight else 1.0, empty[number]))
        expected = {
            key: (len(pairs), pytest.approx(sum(w * v for w, v in pairs) / sum(w for w, _ in pairs), abs=1e-12))
            for key, pairs in groups.items()
        }
        result = quietly(rm.evaluate, source, "zero_results", **given)
        assert found_in(result.summary.dicts(), arms, by, period) == expected
        assert {row["request"]: row["zero_results"] for row in result.per_query.dicts()} == empty
    found = quietly(rm.compare, log.source(arm="arm"), "zero_results", baseline="A", connection=connection)
    [row], rates = found.summary.dicts(), defaultdict(list)
    for number, facts in log.requests.items():
        rates[facts["arm"]].append(empty[number])
    means = [sum(rates[arm]) / len(rates[arm]) for arm in "AB"]
    assert [row["baseline"], row["candidate"]] == pytest.approx(means, abs=1e-12)
    assert found.better == {"zero_results": "lower"}


def test_judged_queries_that_a_run_does_not_answer_have_zero_results():
    run, qrels = {"a": ["x"], "b": ["y"]}, {"a": ["z"], "c": ["x"]}
    result = quietly(rm.evaluate, run, qrels, "zero_results")
    assert {row["query_id"]: row["zero_results"] for row in result.per_query.dicts()} == {"a": 0.0, "c": 1.0}
    table = "SELECT 1 AS query_id, ['x'] AS items, ['x'] AS liked UNION ALL SELECT 2, [], ['x']"
    assert quietly(rm.evaluate, rm.lists(table, relevant="liked"), "zero_results")["zero_results"] == 0.5
    for queries in ("retrieved", "judged_retrieved"):
        with pytest.raises(UsageError, match=f"queries={queries} leaves out every query without a result"):
            rm.evaluate(run, qrels, "zero_results", queries=queries)


def test_what_nobody_says_of_a_request_is_refused(connection):
    """A table of requests that has no column for it says nothing; one with NULL says that the group is NULL."""
    log = Log(connection, 3, dict.fromkeys(FACTS, "both"))
    nothing = sorted(number for number, count in log.shown.items() if count == 0)
    connection.execute("ALTER TABLE asked DROP market; UPDATE asked SET arm = NULL")
    with pytest.raises(DataError) as error:
        rm.evaluate(log.source(), ["rr"], connection=connection, by="market")
    assert str(error.value).startswith(
        f"events: {len(nothing)} requests without an impression, of which queries= does not say market: "
    )
    assert {int(number) for number in str(error.value).rpartition(": ")[2].rstrip(".").split("; ")} <= set(nothing)
    unknown = [number for number, count in log.shown.items() if count == 0 or number % 3]
    with pytest.raises(DataError, match=rf"events: {len(unknown)} requests without an arm \(arm\): "):
        rm.evaluate(log.source(arm="arm"), ["rr"], connection=connection)
    quietly(rm.evaluate, log.source(), ["rr"], connection=connection)  # nobody asks


def test_a_text_says_where_it_looks_for_a_column_and_is_told(connection):
    """Without a connection a text looks in both tables, unless the name says which: queries.market."""
    log = Log(connection, 7, {"arm": "queries", "market": "queries", "worth": "impressions"})
    unsaid = rm.sql("rr", log.source(arm="arm"), by="market", weight="worth")
    [line] = re.findall(r"-- assumed columns ((?:.*\n)(?:--  .*\n)*)", unsaid)
    both = [f"{table}.{name}" for name in ("market", "worth") for table in ("impressions", "queries")]
    assert sorted(re.split(r"[,\s-]+", line.strip())) == sorted(["queries.arm", *both])
    with pytest.raises(duckdb.BinderException, match="arm"):
        connection.execute(unsaid)
    said = {"by": "queries.market", "weight": "impressions.worth"}
    source = log.source(arm="queries.arm")
    text = rm.sql("rr", source, **said)
    assert "assumed" not in text.partition("WITH")[0]
    names = ("run_id", "market", "metric", "value")
    rows = [dict(zip(names, row, strict=False)) for row in connection.execute(text).fetchall()]
    weighed = {(row["run_id"], row["market"]): pytest.approx(row["value"], abs=1e-12) for row in rows}
    expected = {key: mean for key, (_, mean) in log.means(["arm", "market"], "worth").items()}
    assert weighed == expected
    found = quietly(rm.evaluate, source, "rr", **said, connection=connection).summary.dicts()
    assert {(row["run_id"], row["market"]): row["value"] for row in found} == weighed
    assert rm.sql("rr", log.source(arm="asked.arm"), by="asked.market", weight="shown.worth") == text
    with pytest.raises(UsageError, match=r"'told.market': only shown., asked., impressions., queries., query_"):
        rm.sql("rr", source, by="told.market")
    compared = quietly(rm.compare, source, "rr", baseline="A", cluster="queries.market", connection=connection)
    own = rm.sql("rr", source, level="compare", baseline="A", cluster="queries.market")
    assert connection.execute(own).fetchone()[3:6] == pytest.approx(compared.summary.fetchall()[0][3:6])
    with pytest.raises(UsageError, match=r"'impressions\.market' is a column of another table elsewhere"):
        rm.evaluate(source, "rr", by="impressions.market", cluster="queries.market", interval="t")


def test_a_column_that_no_table_has_is_named_with_its_argument(connection):
    """What the message says to type finds the column in the table of all requests."""
    log = Log(connection, 7, {"arm": "queries", "market": "queries"})
    names = {"request": "request", "item": "item", "position": "place", "type": "what"}
    for argument in ("by", "cluster", "weight"):
        given = {"interval": "t", "connection": connection}
        with pytest.raises(DataError, match=rf"shown: no column 'market' for {argument}\. ") as refused:
            rm.evaluate(rm.events("shown", "done", **names), "rr", **{argument: "market"}, **given)
        how = re.search(r"If another table has it for each request, pass (.*)\.$", str(refused.value))[1]
        typed = eval(f"dict({how.replace(' and ', ', ')})", {"TABLE": "asked"})
        found = quietly(rm.evaluate, rm.events("shown", "done", **names, **typed), "rr", by="market", **given)
        assert len(found.summary.fetchall()) == len(log.means(["market"], None))
        listed = r"Columns: .*market[^.]*\.$"
        with pytest.raises(DataError, match=rf"shown, asked: no column 'shop' for {argument}\. {listed}"):
            rm.evaluate(log.source(), "rr", **{argument: "shop"}, **given)


@pytest.mark.parametrize("metrics", [["rr"], ["rr", "ctr"]])
def test_null_is_a_group_of_requests_that_showed_nothing(connection, metrics):
    log = Log(connection, 3, dict.fromkeys(FACTS, "queries"))
    first, *_ = [number for number, count in log.shown.items() if count == 0]
    connection.execute("UPDATE asked SET market = NULL, day = NULL WHERE request = ?", [first])
    log.requests[first] |= {"market": None, "day": None}
    given = {"by": "market", "period": "day", "connection": connection}
    found = quietly(rm.evaluate, log.source(time="day"), metrics, **given).summary.dicts()
    scores = found_in([row for row in found if row["metric"] == "rr"], False, ("market",), "day")
    expected = log.means(["market", "day"], None)
    assert (None, None) in expected
    assert scores == {key: (n, pytest.approx(mean, abs=1e-12)) for key, (n, mean) in expected.items()}


@pytest.mark.parametrize("metrics", [["rr"], ["rr", "ctr"]])
def test_a_request_over_midnight_takes_its_first_time_when_told(connection, metrics):
    """Without a table of requests, impressions say when a request was; what the message says to write works."""
    log = Log(connection, 5, dict.fromkeys(FACTS, "impressions"))
    connection.execute("UPDATE shown SET day = day + (place - 1)")
    names = {"request": "request", "item": "item", "position": "place", "type": "what", "time": "day"}
    given = {"period": "day", "connection": connection}
    with pytest.raises(DataError, match=r"is in two periods, 2026-03-0\d and 2026-03-0\d\. To take") as refused:
        rm.evaluate(rm.events("shown", "done", **names), metrics, **given)
    first = re.search(r"with (MIN.* AS day)\.$", str(refused.value))[1]
    select = f"SELECT request, item, place, {first} FROM shown"
    found = quietly(rm.evaluate, rm.events(select, "done", **names), metrics, **given).summary.dicts()
    scores = found_in([row for row in found if row["metric"] == "rr"], False, (), "day")
    assert scores == {key: (n, pytest.approx(mean, abs=1e-12)) for key, (n, mean) in log.means(["day"], None).items()}


@pytest.mark.parametrize("metrics", [["rr"], ["rr", "ctr"]])
def test_the_time_of_a_request_is_that_of_the_table_of_requests(connection, metrics):
    """Impressions come later than their request, and some on the day after; of one request that table has no time."""
    log = Log(connection, 5, dict.fromkeys(FACTS, "queries"))
    lacking = next(number for number, count in log.shown.items() if count == 1)
    connection.execute(
        "ALTER TABLE shown ADD COLUMN day DATE;"
        "UPDATE shown SET day = a.day + (place % 2)::INTEGER FROM asked AS a WHERE a.request = shown.request;"
        f"UPDATE asked SET day = NULL WHERE request = {lacking}"
    )
    log.requests[lacking]["day"] += timedelta(days=1)
    given = {"period": "day", "connection": connection}
    found = quietly(rm.evaluate, log.source(time="day"), metrics, **given).summary.dicts()
    scores = found_in([row for row in found if row["metric"] == "rr"], False, (), "day")
    expected = log.means(["day"], None)
    assert scores == {key: (n, pytest.approx(mean, abs=1e-12)) for key, (n, mean) in expected.items()}


def test_an_arm_that_names_requests_is_not_looked_for_among_groups(connection):
    """A request that shows something may be of no market; only an arm has to be known."""
    log = Log(connection, 4, dict.fromkeys(FACTS, "queries"))
    number = next(number for number, count in log.shown.items() if count)
    connection.execute("ALTER TABLE shown ADD COLUMN arm VARCHAR; ALTER TABLE done ADD COLUMN arm VARCHAR")
    connection.execute("UPDATE shown SET arm = a.arm FROM asked AS a WHERE a.request = shown.request")
    connection.execute("UPDATE done SET arm = a.arm FROM asked AS a WHERE a.request = done.request")
    connection.execute("UPDATE asked SET market = NULL WHERE request = ?", [number])
    log.requests[number]["market"] = None
    source = log.source(request=["request", "arm"], arm="arm")
    found = quietly(rm.evaluate, source, ["rr"], by="market", connection=connection).summary.dicts()
    assert found_in(found, True, ("market",), None) == {
        key: (n, pytest.approx(mean, abs=1e-12)) for key, (n, mean) in log.means(["arm", "market"], None).items()
    }


def test_two_values_of_a_request_are_refused(connection):
    log = Log(connection, 4, dict.fromkeys(FACTS, "both"))
    number = next(number for number, count in log.shown.items() if count and number % 3)
    own = log.requests[number]["market"]
    connection.execute("UPDATE asked SET market = 'es' WHERE request = ?", [number])
    connection.execute("UPDATE shown SET market = ? WHERE request = ?", [own, number])
    message = (
        r"events: 1 request whose values in queries= and in the impressions differ \(market\),"
        rf" the request and both: {number} \(market: 'es' and '{own}'\)\."
    )
    for source in (log.source(), log.source(arm="arm")):  # arms do not differ, so no message names them
        with pytest.raises(DataError, match=message):
            rm.evaluate(source, ["rr"], connection=connection, by="market")


def test_hits_of_queries_and_those_without_any(connection):
    """UBI's lists of hits say what was shown; an empty one shows nothing, and still is of its application."""
    connection.execute(
        """
        CREATE TABLE queries AS FROM (VALUES
            ('a', 'shop', ['x', 'y'], TIMESTAMP '2026-03-01'), ('b', 'shop', [], TIMESTAMP '2026-03-01'),
            ('c', 'blog', ['y'], TIMESTAMP '2026-03-02'), ('d', 'blog', NULL, TIMESTAMP '2026-03-02')
        ) AS q(query_id, application, query_response_hit_ids, timestamp);
        CREATE TABLE events AS SELECT
            'a' AS query_id, 'shop' AS application, 'click' AS action_name, TIMESTAMP '2026-03-01' AS timestamp,
            {object: {object_id: 'y'}, position: {ordinal: 2}} AS event_attributes;
        """
    )
    source = rm.ubi("queries", "events", impressions="hits", requests="logged")
    found = quietly(rm.evaluate, source, ["rr", "num_ret"], connection=connection, by="application")
    assert list(found.summary) == [
        ("blog", "rr", 0.0, 2), ("blog", "num_ret", 1.0, 2), ("shop", "rr", 0.25, 2), ("shop", "num_ret", 2.0, 2),
    ]  # fmt: skip
    assert connection.execute(
        rm.sql(["rr", "num_ret"], source, by="application", connection=connection)
    ).fetchall() == [(*row, 0) for row in found.summary]


def test_logged_requests_need_their_table(connection):
    Log(connection, 1, dict.fromkeys(FACTS, "both"))
    with pytest.raises(UsageError, match="requests=logged needs queries=, the table of all requests"):
        rm.events("shown", "done", requests="logged")


@pytest.mark.parametrize("seed", seeds(6, 1))
@pytest.mark.parametrize("queries", ["judged", "retrieved", "judged_retrieved"])
@pytest.mark.parametrize("relevant", [True, False])
def test_a_list_without_items_is_of_its_groups(connection, relevant, queries, seed):
    chance = random.Random(seed)
    rows = []
    for number in range(30):
        items = chance.choice([None, [], [None], ["a", "b"], ["b", None, "a", "b"]])
        liked = chance.choice([None, [], ["a"], ["b", "c"]])
        rows.append((f"u{number}", items, liked, chance.choice(["de", "fr", None]), chance.choice([0.5, 2.0])))
    connection.execute(
        "CREATE TABLE recs (who VARCHAR, items VARCHAR[], liked VARCHAR[], market VARCHAR, worth DOUBLE)"
    )
    connection.executemany("INSERT INTO recs VALUES (?, ?, ?, ?, ?)", rows)
    likes = "SELECT who, unnest(liked) AS item_id, 1 AS relevance FROM recs"
    source = rm.lists("recs", "who", "items", **({"relevant": "liked"} if relevant else {}))
    qrels, columns = ([], {}) if relevant else ([likes], {"columns": {"qrels.query_id": "who"}})
    groups = defaultdict(list)
    for _, items, liked, market, worth in rows:
        there = list(dict.fromkeys(item for item in items or [] if item is not None))
        is_judged = liked is not None if relevant else bool(liked)
        if (queries == "retrieved" or is_judged) and (queries == "judged" or there):
            ranks = [rank for rank, item in enumerate(there, start=1) if item in (liked or [])]
            groups[market].append((worth, 1 / ranks[0] if ranks else 0.0))
    choices = {"by": "market", "weight": "worth", "queries": queries, "connection": connection, **columns}
    found = quietly(rm.evaluate, source, *qrels, metrics=["rr"], **choices).summary.dicts()
    shown = {row["market"]: (row["n_queries"], row["value"]) for row in found}
    expected = {
        market: (len(pairs), pytest.approx(sum(w * v for w, v in pairs) / sum(w for w, _ in pairs), abs=1e-12))
        for market, pairs in groups.items()
    }
    assert shown == expected


def test_groups_come_from_the_relation_that_has_all_scored_queries(connection):
    """Both relations have the column: q3 has results and no judgment, q4 a judgment and no results."""
    connection.execute(
        """
        CREATE TABLE run AS FROM (VALUES ('q1', 'a', 'de'), ('q2', 'b', 'fr'), ('q3', 'a', 'fr'))
            AS r(query_id, item_id, market);
        ALTER TABLE run ADD COLUMN score DOUBLE DEFAULT 1;
        CREATE TABLE labels AS FROM (VALUES ('q1', 'a', 'de'), ('q2', 'a', 'fr'), ('q4', 'a', 'it'))
            AS q(query_id, item_id, market);
        ALTER TABLE labels ADD COLUMN relevance INTEGER DEFAULT 1;
        CREATE TABLE rated AS SELECT r.query_id AS user_id, r.item_id, r.score AS predicted, q.relevance AS rating,
            r.market FROM run AS r LEFT JOIN labels AS q USING (query_id, item_id);
        """
    )
    retrieved = [("de", "rr", 1.0, 1), ("fr", "rr", 0.0, 2)]
    expected = {"retrieved": retrieved, "judged": [retrieved[0], ("fr", "rr", 0.0, 1), ("it", "rr", 0.0, 1)]}
    for queries, rows in expected.items():
        choices = {"by": "market", "queries": queries}
        found = quietly(rm.evaluate, "run", "labels", ["rr"], connection=connection, **choices).summary
        assert list(found) == rows
        options = {"relation": "run", "qrels": "labels", "metrics": ["rr"], "by": "market"}
        for text in (
            rm.sql(["rr"], "run", "labels", connection=connection, **choices),
            rm.sql(["rr"], "run", "labels", **choices),
            macros()["summary"](**options, options={"queries": queries}),
        ):
            assert sorted(row[:4] for row in connection.execute(text).fetchall()) == rows
    ratings = quietly(rm.evaluate, rm.ratings("rated"), ["rr"], connection=connection, by="market", queries="retrieved")
    assert list(ratings.summary) == retrieved


class Runs:
    """Two runs, each without lists for some queries; the group of a query stands in one of the relations, or two."""

    def __init__(self, connection, seed, place):
        chance = random.Random(seed)
        self.groups = {f"q{number}": chance.choice(["de", "fr", "it"]) for number in range(30)}
        self.lists = {
            run: {query: chance.sample("abcd", 3) for query in self.groups if chance.random() < 0.7} for run in "xy"
        }
        self.relevant = {query: chance.choice("abcd") for query in self.groups if chance.random() < 0.9}
        self.place = place
        for run, lists in self.lists.items():
            self._table(
                connection, run, "score DOUBLE", "run",
                [(query, item, -rank) for query, items in lists.items() for rank, item in enumerate(items)],
            )  # fmt: skip
        judged = [(query, item, 1) for query, item in self.relevant.items()]
        self._table(connection, "labels", "relevance INTEGER", "qrels", judged)
        self._table(connection, "listed", "note VARCHAR", "query_list", [(query, "-", "") for query in self.groups])

    def _table(self, connection, name, column, side, rows):
        connection.execute(f"CREATE TABLE {name} (query_id VARCHAR, item_id VARCHAR, {column}, market VARCHAR)")
        known = self.groups if side == self.place else {}
        fill(connection, name, [(*row, known.get(row[0], "?" if known else None)) for row in rows])
        if side != self.place:
            connection.execute(f"ALTER TABLE {name} DROP market")

    def value(self, run, query):
        items = self.lists[run].get(query, [])
        found = self.relevant.get(query)
        return 1 / (1 + items.index(found)) if found in items else 0.0

    def group(self, query):
        """As far as it is known: the runs know it of queries that one of them has a list for."""
        told = self.place != "run" or any(query in lists for lists in self.lists.values())
        return self.groups[query] if told else None

    def counted(self, run, queries):
        """The queries that a run is scored on."""
        return set(self.relevant) & (set(self.relevant) if queries == "judged" else set(self.lists[run]))


@pytest.mark.parametrize("seed", seeds(10, 1))
@pytest.mark.parametrize(
    ("place", "queries", "baseline"), each_once(["run", "qrels", "query_list"], ["judged", "judged_retrieved"], "xy")
)
def test_a_query_is_of_its_group_in_every_run(connection, place, queries, baseline, seed):
    """Whichever run lacks its list; and the queries that are compared and those that are not add up."""
    runs, candidate = Runs(connection, seed, place), "yx"["xy".index(baseline)]
    listed = {"query_list": "SELECT query_id, market FROM listed"} if place == "query_list" else {}
    choices = {"by": "market", "queries": queries, "connection": connection, **listed}
    rows = quietly(rm.compare, baseline, {candidate: candidate}, "labels", ["rr"], **choices).summary.dicts()
    of_each = {run: runs.counted(run, queries) for run in (baseline, candidate)}
    for row in rows:
        both, either = (
            [query for query in queries_ if runs.group(query) == row["market"]]
            for queries_ in (of_each[baseline] & of_each[candidate], of_each[baseline] | of_each[candidate])
        )
        assert (row["n_queries"], row["n_left_out"]) == (len(both), len(either) - len(both))
        for side, run in (("baseline", baseline), ("candidate", candidate)):
            values = [runs.value(run, query) for query in both]
            assert row[side] == pytest.approx(sum(values) / len(values), abs=1e-12)
    assert {row["market"] for row in rows} == {runs.group(query) for query in of_each[baseline] & of_each[candidate]}
    alone = quietly(rm.evaluate, {"x": "x", "y": "y"}, "labels", ["rr"], **choices).summary.dicts()
    for row in alone:
        own = [query for query in runs.counted(row["run_id"], queries) if runs.group(query) == row["market"]]
        assert row["n_queries"] == len(own)
    assert sum(row["n_queries"] for row in alone) == sum(len(runs.counted(run, queries)) for run in "xy")


def test_runs_that_say_two_groups_of_a_query_are_refused(connection):
    runs = Runs(connection, 2, "run")
    query = sorted(set(runs.lists["x"]) & set(runs.lists["y"]))[0]
    connection.execute("UPDATE x SET market = 'aa' WHERE query_id = ?", [query])
    message = f"x and y: query '{query}' has two values in market: 'aa' and '{runs.groups[query]}'"
    with pytest.raises(DataError, match=message):
        rm.compare("x", {"y": "y"}, "labels", ["rr"], by="market", connection=connection)


def test_a_table_with_requests_that_showed_nothing(tmp_path, cli):
    """dbt's table of a log has a row without an item for each: with empty_lists it is the log, on every road."""
    connection = duckdb.connect()
    shown = "('r1', 'a', 1), ('r1', 'b', 2), ('r2', 'a', 1)"
    connection.execute(f"CREATE TABLE shown AS SELECT * FROM (VALUES {shown}) t(request_id, item_id, position)")
    connection.execute("CREATE TABLE done AS SELECT 'r1' AS request_id, 'b' AS item_id, 'click' AS event_type")
    connection.execute("CREATE TABLE asked AS SELECT * FROM (VALUES ('r1'), ('r2'), ('r3')) t(request_id)")
    rows = macros()["from_events"]("shown", "done", requests="logged", queries="asked")
    connection.execute(f"CREATE TABLE joined AS {rows}")
    columns, both = {"query_id": "request_id"}, ["rr", "zero_results"]
    given = {"columns": columns, "connection": connection}
    message = (
        r"joined: a row without an item and a position is a request that showed nothing: \('r3', None, None\)\."
        r" If it is to score 0, pass empty_lists=True"
    )
    for position in ("given", "dense"):
        with pytest.raises(DataError, match=message):
            quietly(rm.labelled, "joined", ["rr", "ctr@2"], position=position, **given)
        found = quietly(rm.labelled, "joined", both, position=position, empty_lists=True, **given)
        assert [found["rr"], found["zero_results"]] == pytest.approx([1 / 2 / 3, 1 / 3])
    with pytest.raises(UsageError, match=r"zero_results' counts empty lists, .* pass empty_lists=True with the table"):
        quietly(rm.labelled, "joined", both, **given)
    text = rm.sql(both, rm.labelled("joined", columns=columns, empty_lists=True), connection=connection)
    assert [row[1] for row in connection.execute(text).fetchall()] == pytest.approx([1 / 2 / 3, 1 / 3])
    connection.execute(f"COPY joined TO '{tmp_path / 'joined.parquet'}'")
    table = ("--labelled", tmp_path / "joined.parquet", "--columns", "query_id=request_id", "-m", "rr,zero_results")
    assert "pass --empty-lists with the table" in cli("evaluate", *table).stderr
    printed = json.loads(cli("evaluate", *table, "--empty-lists", "--format", "json").stdout)
    assert [row["value"] for row in printed] == pytest.approx([1 / 2 / 3, 1 / 3])
    refused = cli("evaluate", "run", "--qrels", "qrels", "-m", "rr", "--empty-lists").stderr
    assert "--empty-lists has no effect without a labelled table. Pass --labelled TABLE, too." in refused
    log = rm.events("shown", "done", requests="logged", queries="asked")
    found = quietly(rm.evaluate, log, ["rr", "zero_results"], connection=connection)
    assert [found["rr"], found["zero_results"]] == pytest.approx([1 / 2 / 3, 1 / 3])
    without = "SELECT * FROM joined WHERE item_id IS NOT NULL"
    assert quietly(rm.labelled, without, ["rr"], position="given", **given)["rr"] == pytest.approx(1 / 2 / 2)
    asked = {"columns": {"query": "request_id", "position": "position"}, "options": {"position": "given"}}
    message = r"zero_results counts empty lists, .* Pass empty_lists=true, if it has such rows\."
    with pytest.raises(UsageError, match=message):
        macros()["summary"]("joined", ["rr", "zero_results"], **asked)
    text = macros()["summary"]("joined", ["rr", "zero_results"], **asked, empty_lists=True)
    values = {metric: value for metric, value, *_ in connection.execute(text).fetchall()}
    assert values == pytest.approx({"rr": 1 / 2 / 3, "zero_results": 1 / 3})

"""Totals of a summary: every level is what it is by itself, and says which it is."""

from __future__ import annotations

import math
import random
import statistics
import warnings
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import chain, combinations
from zoneinfo import ZoneInfo

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import QRELS, RUN, fill, quietly, random_data
from ..everything import mostly_long, seeds

METRICS = ("ndcg@5", "ap", "num_rel", "rr(aggregate=median)", "ap(aggregate=median)@5", "gm_map", "p(aggregate=max)@5")
METRICS += ("f(f_beta=of_averages)", "ap(no_relevant=skip)", "rr(no_relevant=null)", "r(queries=retrieved)@5")
COLUMNS = {"market": "query_list.market", "device": "qrels.device", "app": "run.app"}
SEGMENTS = (None, "de", "fr", "")


def tables(seed, systems=("a",)):
    """A run, judgments and a list of queries, each with a segment for each query; it may be NULL."""
    rng = random.Random(seed)
    run, qrels = random_data(seed)
    segments = {query: [rng.choice(SEGMENTS) for _ in COLUMNS] for query in {**run, **qrels}}
    connection = duckdb.connect()
    connection.execute("CREATE TABLE run (system TEXT, query_id TEXT, item_id TEXT, score DOUBLE, app TEXT)")
    connection.execute("CREATE TABLE qrels (query_id TEXT, item_id TEXT, relevance INTEGER, device TEXT)")
    connection.execute("CREATE TABLE listed (query_id TEXT, market TEXT)")
    for name in systems:
        rows = [(name, q, item, s * rng.choice([1, -1]), segments[q][2]) for q in run for item, s in run[q].items()]
        fill(connection, "run", rows)
    judged = [(q, item, grade, segments[q][1]) for q in qrels for item, grade in qrels[q].items()]
    fill(connection, "qrels", judged)
    fill(connection, "listed", [(q, both[0]) for q, both in segments.items()])
    return connection


def subsets(names):
    return list(chain.from_iterable(combinations(names, size) for size in range(len(names) + 1)))


def named(columns):
    return ", ".join(columns) or "total"


def without(row, *names):
    return {name: value for name, value in row.items() if name not in names}


def check_same(rows, expected):
    """The same rows in the same order; the last digit may be that of another order of addition."""
    assert len(rows) == len(expected)
    for row, wanted in zip(rows, expected, strict=True):
        close = None if wanted["value"] is None else pytest.approx(wanted["value"], rel=1e-12, abs=1e-12)
        assert row == wanted | {"value": close}


def asked(connection, names, metrics, **given):
    by = [COLUMNS[name] for name in names]
    return rm.evaluate("run", "qrels", metrics, connection=connection, query_list="listed", by=by, **given)


def drawn(seed):
    """Names of columns, metrics and other arguments."""
    rng = random.Random(seed)
    names = rng.sample(list(COLUMNS), rng.randint(1, 3))
    metrics = rng.sample(METRICS, rng.randint(1, 5))
    systems = rng.choice([("a",), ("b", "a")])
    given = {"columns": {"run_id": "system"}} if len(systems) > 1 else {}
    given |= rng.choice([{}, {"queries": "judged_retrieved"}, {"unjudged": "drop"}, {"check": "none"}])
    return tables(seed, systems), names, metrics, given


@pytest.mark.parametrize("seed", seeds(8, 1))
def test_a_level_is_what_it_is_by_itself(seed):
    connection, names, metrics, given = drawn(seed)
    rows = quietly(asked, connection, names, metrics, rollup=True, **given).summary.dicts()
    assert list(dict.fromkeys(row["breakdown"] for row in rows if row.get("run_id", "a") == "a")) == [
        named(columns) for columns in subsets(names)
    ]
    for columns in subsets(names):
        own = [row for row in rows if row["breakdown"] == named(columns)]
        assert all(row[name] is None for row in own for name in set(names) - set(columns))
        alone = quietly(asked, connection, columns, metrics, **given).summary.dicts()
        check_same([without(row, "breakdown", *names) for row in own], [without(row, *names) for row in alone])
        assert [[row[name] for name in columns] for row in own] == [[row[name] for name in columns] for row in alone]


@pytest.mark.parametrize("seed", seeds(4, 1))
def test_counts_add_up_to_the_total(seed):
    names = drawn(seed)[1]
    connection = tables(seed)
    rows = quietly(asked, connection, names, ["ap", "num_q"], rollup=True).summary.dicts()
    totals = {row["metric"]: row["n_queries"] for row in rows if row["breakdown"] == "total"}
    for columns in subsets(names):
        own = [row for row in rows if row["breakdown"] == named(columns)]
        for metric, total in totals.items():
            assert sum(row["n_queries"] for row in own if row["metric"] == metric) == total


@pytest.mark.parametrize("seed", seeds(4, 1))
def test_some_sets_in_the_order_given(seed):
    connection, names, metrics, given = drawn(seed)
    rng = random.Random(seed)
    sets = rng.sample(subsets(names), rng.randint(1, 2 ** len(names)))
    every = quietly(asked, connection, names, metrics, rollup=True, **given).summary.dicts()
    rollup = [[COLUMNS[name] for name in rng.sample(columns, len(columns))] for columns in sets]
    some = quietly(asked, connection, names, metrics, rollup=rollup, **given).summary.dicts()
    expected = sorted(
        (row for row in every if row["breakdown"] in map(named, sets)),
        key=lambda row: (row.get("run_id", ""), list(map(named, sets)).index(row["breakdown"])),
    )
    check_same(some, expected)


@pytest.mark.parametrize("seed", seeds(4, 1))
@pytest.mark.parametrize("rollup", [True, False])
def test_small_groups_are_left_out_and_counted(seed, rollup):
    connection, names, metrics, given = drawn(seed)
    every = quietly(asked, connection, names, metrics, rollup=rollup, **given).summary.dicts()
    wanted = sorted(row["n_queries"] for row in every)[len(every) // 2]
    large = [row for row in every if row["n_queries"] >= wanted or row.get("breakdown") == "total"]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = asked(connection, names, metrics, rollup=rollup, min_queries=wanted, **given)
    check_same(found.summary.dicts(), large)
    n_left_out = len(every) - len(large)
    if n_left_out and given.get("check") != "none":
        some = f"min_queries={wanted} left out {n_left_out} row"
        assert any(str(each.message).startswith(some) for each in said)
    assert len(found.per_query) == len(quietly(asked, connection, names, metrics, **given).per_query)


def test_all_groups_may_be_too_small():
    connection = tables(1)
    with pytest.raises(rm.DataError, match="fewer than min_queries=1000"):
        quietly(asked, connection, ["market"], ["ap"], min_queries=1000)
    [row] = quietly(asked, connection, ["market"], ["ap"], min_queries=1000, rollup=True).summary.dicts()
    assert row["breakdown"] == "total"


def test_ties_that_decide_are_counted_once():
    """Not once for every set of groups."""
    connection = tables(3)
    alone, together = (quietly(asked, connection, ["market"], ["p@5"], rollup=rollup) for rollup in (False, True))
    assert [text for text in alone.warnings if "whose order decides" in text]
    assert alone.warnings == together.warnings


def test_a_rollup_is_left_in_the_database_and_made_of_stored_values():
    connection = tables(5)
    result = quietly(asked, connection, ["market", "device"], ["ap", "rr"], rollup=True, min_queries=2)
    result.create_table("kept")
    assert connection.execute("SELECT * FROM kept ORDER BY ALL").fetchall() == sorted(
        result.summary.fetchall(), key=lambda row: [(value is None, value) for value in row]
    )
    parts = quietly(asked, connection, ["market", "device"], ["ap", "rr"], rollup=True, min_queries=2, partitions=3)
    check_same(parts.summary.dicts(), result.summary.dicts())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rollup": True}, "rollup adds subtotals of groups, and there are no groups. Name columns: by="),
        ({"min_queries": 3}, "min_queries leaves out small groups, and there are no groups. Name columns: by="),
        (
            {"by": "market", "rollup": [["markt"]]},
            "rollup: markt is not one of the columns to break down by, market",
        ),
        ({"by": "market", "rollup": "market"}, "rollup takes True, False or a list of lists of columns, not 'market'"),
        ({"by": "market", "rollup": [1]}, "rollup takes a column name or a list of them, not 1"),
        ({"by": "market", "min_queries": 0}, "min_queries is a whole number of at least 1, not 0"),
        ({"by": "breakdown", "rollup": True}, "two columns called 'breakdown'"),
        ({"by": "total", "rollup": True}, "two columns called 'total'"),
        ({"by": "market", "rollup": True, "level": "per_query"}, "rollup works only with a summary"),
        ({"by": "market", "rollup": True, "level": "sums"}, "rollup works only with a summary"),
        ({"by": "users", "level": "sums"}, "two columns called 'users'"),
        ({"by": "market", "min_queries": 2, "level": "values"}, "min_queries works only with a summary"),
        (
            {"by": "market", "rollup": True, "level": "compare", "run": {"a": "x", "b": "y"}},
            "rollup works only with a summary",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql("ap", **{"run": "runs", "qrels": "labels"} | given)


def sums(connection, metrics, by=(), **given):
    """The columns that add up, by run, groups and metric."""
    text = rm.sql(
        metrics, "run", "qrels", level="sums", by=list(by), query_list="listed", connection=connection, **given
    )
    rows = connection.execute(text).fetchall()
    return {row[:-3]: row[-3:] for row in rows}


ADDING_UP = ("ndcg@5", "ap(no_relevant=skip)", "rr(no_relevant=null)", "num_rel", "p@5", "gm_map")


@pytest.mark.parametrize("seed", seeds(6, 1))
def test_sums_of_groups_are_those_of_the_whole(seed):
    names = drawn(seed)[1]
    connection = tables(seed, ("a", "b"))
    columns = {"run_id": "system"}
    whole = sums(connection, ADDING_UP, columns=columns)
    parts = sums(connection, ADDING_UP, [COLUMNS[name] for name in names], columns=columns)
    assert len(whole) == 2 * len(ADDING_UP)
    for (run, metric), expected in whole.items():
        own = [found for key, found in parts.items() if (key[0], key[-1]) == (run, metric)]
        assert [math.fsum(column) for column in zip(*own, strict=True)] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", seeds(6, 1))
def test_mean_and_variance_follow_from_sums(seed):
    connection = tables(seed)
    result = quietly(asked, connection, [], ADDING_UP)
    values = {name: [row[name] for row in result.per_query.dicts() if row[name] is not None] for name in ADDING_UP}
    values["gm_map"] = [math.log(max(each, 1e-5)) for each in values["gm_map"]]
    for (metric,), (users, total, squares) in sums(connection, ADDING_UP).items():
        assert users == len(values[metric])
        assert total / users == pytest.approx(statistics.fmean(values[metric]), rel=1e-12)
        variance = (squares - total * total / users) / (users - 1)
        assert variance == pytest.approx(statistics.variance(values[metric]), rel=1e-12, abs=1e-12)
    for row in result.summary.dicts():
        users, total, _ = sums(connection, ADDING_UP)[row["metric"],]
        expected = {"num_rel": total, "gm_map": math.exp(total / users)}.get(row["metric"], total / users)
        assert row["value"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", ["ap(aggregate=median)", "ap(aggregate=max)", "f(f_beta=of_averages)"])
def test_what_is_not_made_of_sums_has_none(metric):
    with pytest.raises(rm.UsageError, match="not a sum over queries"):
        rm.sql(metric, "runs", "labels", level="sums")


ZONES = (None, "UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Australia/Lord_Howe")


def first_day(moment, period, zone):
    """The first day of the period that a moment is in, by Python's calendar."""
    day = moment.astimezone(ZoneInfo(zone or "UTC")).date()
    return {"day": day, "week": day - timedelta(days=day.weekday()), "month": day.replace(day=1)}[period]


@pytest.mark.parametrize("seed", seeds(8, 1))
@pytest.mark.parametrize("type_", ["TIMESTAMP", "TIMESTAMPTZ"])
def test_the_period_of_a_time(seed, type_):
    """Around the changes of clocks and years, whatever the session's time zone is."""
    rng = random.Random(seed)
    period, zone = rng.choice(["day", "week", "month"]), rng.choice(ZONES)
    around = [datetime(2024, 3, 31), datetime(2024, 10, 27), datetime(2024, 12, 31), datetime(2011, 12, 30)]
    times = [rng.choice(around).replace(tzinfo=UTC) + timedelta(minutes=rng.randint(-3000, 3000)) for _ in range(40)]
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = '{rng.choice(['Asia/Tokyo', 'America/Los_Angeles'])}'")
    connection.execute(f"CREATE TABLE run (query_id INTEGER, item_id TEXT, score DOUBLE, ts {type_})")
    connection.execute("CREATE TABLE qrels (query_id INTEGER, item_id TEXT, relevance INTEGER)")
    for number, time in enumerate(times):
        said = time.isoformat(sep=" ") if type_ == "TIMESTAMPTZ" else time.replace(tzinfo=None).isoformat(sep=" ")
        connection.execute(f"INSERT INTO run VALUES (?, 'x', 1, CAST('{said}' AS {type_}))", [number])
        connection.execute("INSERT INTO qrels VALUES (?, 'x', 1)", [number])
    given = {"columns": {"time": "ts"}, "period": period, "timezone": zone, "connection": connection}
    result = quietly(rm.evaluate, "run", "qrels", ["rr"], rollup=True, **given)
    expected = Counter(first_day(time, period, zone) for time in times)
    assert result.summary.columns == ["breakdown", "period", "metric", "value", "n_queries"]
    assert [(row[0], row[1], row[-1]) for row in result.summary] == [
        ("total", None, 40),
        *(("period", day, n) for day, n in sorted(expected.items())),
    ]


@pytest.mark.parametrize("side", mostly_long(["run", "qrels", "query_list"], "qrels"))
def test_the_time_is_found_as_groups_are(side, tmp_path):
    """In a file, a frame, a table; per query, compared, along a curve, and of an own table for each part."""
    pandas = pytest.importorskip("pandas")
    frames = {"run": ["q", "x", 1.0], "qrels": ["q", "x", 1], "query_list": ["q"]}
    names = {
        "run": ["query_id", "item_id", "score"],
        "qrels": ["query_id", "item_id", "relevance"],
        "query_list": ["query_id"],
    }
    frames = {name: pandas.DataFrame([row], columns=names[name]) for name, row in frames.items()}
    frames[side]["Seen at"] = "2024-05-01 23:30:00"
    frames[side].to_csv(tmp_path / "with_time.csv", index=False)
    frames[side]["Seen at"] = pandas.to_datetime(frames[side]["Seen at"])
    given = {"columns": {"time": "Seen at"}, "period": "day", "timezone": "Europe/Berlin"}
    for each in (frames, frames | {side: tmp_path / "with_time.csv"}):
        asked = [each["run"], each["qrels"], ["rr"]]
        for n_parts in (1, 2):
            found = quietly(rm.evaluate, *asked, query_list=each["query_list"], partitions=n_parts, **given)
            assert found.summary.fetchall() == [(date(2024, 5, 2), "rr", 1.0, 1)]
    runs = {"old": frames["run"], "new": frames["run"]}
    compared = quietly(
        rm.compare, runs["old"], {"new": runs["new"]}, *asked[1:], query_list=frames["query_list"], **given
    )
    assert [row[2] for row in compared.summary] == [date(2024, 5, 2)]
    drawn = quietly(rm.curve, frames["run"], frames["qrels"], "rr", at=[1], query_list=frames["query_list"], **given)
    assert [row[0] for row in drawn.summary] == [date(2024, 5, 2)]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("2024-05-01 21:59:59", 1),
        ("2024-05-01T22:00:00Z", 2),
        ("2024-05-01 23:30:00+02", 1),
        ("2024-05-01T23:30:00.5-05:00", 2),
        ("2024-05-02T00:30+05:30", 1),
        ("2024-05-01", 1),
    ],
)
def test_the_moment_that_a_text_says(said, day, tmp_path):
    (tmp_path / "run.csv").write_text(f"query_id,item_id,score,at\nq,x,1,{said}\n")
    given = {"columns": {"time": "at"}, "period": "day", "timezone": "Europe/Berlin"}
    found = quietly(rm.evaluate, tmp_path / "run.csv", {"q": {"x": 1}}, ["rr"], **given)
    assert found.summary.fetchall() == [(date(2024, 5, day), "rr", 1, 1)]


# How engines write a time of UTC, and a date; whether they have other zones, and one of the session.
WRITTEN = {
    "sqlite": ("sqlite", ["'{}'", "'{}Z'"], "'{}'", False, False),
    "postgres-15": ("postgres", ["TIMESTAMP '{}'", "TIMESTAMPTZ '{}+00'"], "DATE '{}'", True, True),
    "mariadb": ("mysql", ["TIMESTAMP('{}')"], "DATE('{}')", False, False),
    "clickhouse": (
        "clickhouse",
        ["toDateTime('{}', 'UTC')", "toDateTime64('{}', 3, 'UTC')"],
        "toDate('{}')",
        True,
        False,
    ),
    # A DATETIME is BigQuery's default zone's, UTC unless a session says otherwise; the evaluator's is Los Angeles.
    "googlesql": ("bigquery", ["TIMESTAMP '{}+00'"], "DATE '{}'", True, False),
    "spark": ("spark", ["TIMESTAMP '{}+00:00'", "TIMESTAMP_NTZ '{}'"], "DATE '{}'", True, True),
    "trino": ("trino", ["TIMESTAMP '{} UTC'", "TIMESTAMP '{}.999999'"], "DATE '{}'", True, False),
}
CHANGES = (  # of clocks and years
    *(datetime(2024, 3, 31), datetime(2024, 10, 27), datetime(2024, 3, 10), datetime(2024, 11, 3)),
    *(datetime(2024, 4, 7), datetime(2024, 12, 31), datetime(2011, 12, 30), datetime(1970, 2, 1)),
)


@pytest.mark.parametrize("name", mostly_long(WRITTEN, "sqlite"))
def test_every_period_of_every_engine(start_engine, name):
    """By Python's calendar, whatever the zone of the session, which puts its clocks back too."""
    dialect, moments, as_date, has_zones, has_session = WRITTEN[name]
    engine, rng = start_engine(name), random.Random(name)
    change_zone = engine.fetch if name == "spark" else engine.run if has_session else None
    if change_zone is not None:
        change_zone("SET TIME ZONE 'America/Los_Angeles'")
    times = [change + timedelta(minutes=rng.randint(-1800, 1800)) for change in CHANGES for _ in range(2)]
    times += [change + timedelta(minutes=30 * number) for change in CHANGES[:2] for number in range(-5, 4)]
    zones = ["UTC", *([*rng.sample(ZONES[3:], 2), "Europe/Berlin"] if has_zones else [])]
    asked = [(period, zone) for period in ("day", "week", "month") for zone in zones]
    for kind in (*moments, as_date):
        wanted = asked if kind != as_date else [(period, "UTC") for period in ("day", "week", "month")]
        texts = [str(macros(dialect)["rm_period"]("t.seen", *each)) for each in wanted]
        shown = [time.date() if kind == as_date else time for time in times]
        rows = [f"SELECT {n} AS n, {kind.format(time)} AS seen" for n, time in enumerate(shown)]
        columns = ", ".join(f"{text} AS p{number}" for number, text in enumerate(texts))
        found = engine.fetch(f"SELECT n, {columns} FROM ({' UNION ALL '.join(rows)}) AS t ORDER BY n")[1]
        for time, row in zip(times, found, strict=True):
            expected = [str(first_day(time.replace(tzinfo=UTC), *each)) for each in wanted]
            assert [str(day)[:10] for day in row[1:]] == expected, (kind, time)
    if change_zone is not None:
        change_zone("SET TIME ZONE LOCAL")


@pytest.mark.parametrize("name", mostly_long(WRITTEN, "sqlite"))
def test_statements_of_engines_agree_about_periods(start_engine, name):
    dialect, [moment, *_], _, has_zones, _ = WRITTEN[name]
    times = [
        datetime(2024, 3, 31, 21, 30),
        datetime(2024, 3, 31, 22, 30),
        datetime(2024, 12, 31, 23, 59),
        datetime(2024, 1, 1),
    ]
    given = {"period": "week", "timezone": "Europe/Berlin" if has_zones else None}
    expected = Counter(str(first_day(time.replace(tzinfo=UTC), *given.values())) for time in times)
    rows = [f"SELECT '{n}' AS query_id, 'x' AS item_id, {moment.format(time)} AS seen" for n, time in enumerate(times)]
    run = " UNION ALL ".join(row.replace(" AS seen", " AS seen, 1 AS score") for row in rows)
    qrels = run.replace("AS score", "AS relevance")
    texts = [rm.sql("rr", run, qrels, columns={"run.time": "seen"}, dialect=dialect, **given)]
    if dialect != "mysql":  # it has no adapter
        relations = {"relation": f"({run}) AS r", "qrels": f"({qrels}) AS j"}
        texts.append(str(macros(dialect)["summary"](**relations, metrics="rr", columns={"run.time": "seen"}, **given)))
    for text in texts:
        columns, found = start_engine(name).fetch(text)
        rows = [dict(zip(columns, row, strict=True)) for row in found]
        assert {str(row["period"])[:10]: row["n_queries"] for row in rows} == expected, text


TIMED = {"columns": {"run.time": "ts"}}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"period": "day"}, "period needs the column with the time. Name it: columns="),
        ({**TIMED}, "columns=.* has no effect without a period. Pass period, too: day, week or month"),
        ({"timezone": "UTC"}, "timezone has no effect without a period"),
        ({**TIMED, "period": "year"}, "period must be day, week or month, not 'year'"),
        (
            {**TIMED, "period": "day", "timezone": "Europe/Berlln"},
            "Unknown time zone 'Europe/Berlln'. Did you mean 'Europe/Berlin'",
        ),
        ({**TIMED, "period": "day", "timezone": "UTC", "dialect": "oracle"}, "period does not work in this engine"),
        ({**TIMED, "period": "day", "timezone": "Asia/Tokyo", "dialect": "sqlite"}, "does not work in this engine"),
        ({**TIMED, "period": "day", "timezone": "Asia/Tokyo", "dialect": "mysql"}, "does not work in this engine"),
        ({"columns": {"run.time": "a", "qrels.time": "b"}, "period": "day"}, "Several columns are named as the time"),
        ({**TIMED, "period": "day", "by": "period"}, "two columns called 'period'"),
    ],
)
def test_a_period_that_cannot_be_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql("ap", "runs", "labels", **given)


def test_a_date_has_no_time_zone():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE run AS SELECT 1 AS query_id, 'x' AS item_id, 1 AS score, DATE '2024-05-31' AS ts")
    connection.execute("CREATE TABLE qrels AS SELECT 1 AS query_id, 'x' AS item_id, 1 AS relevance")
    given = {"columns": {"time": "ts"}, "period": "month", "connection": connection}
    assert quietly(rm.evaluate, "run", "qrels", ["rr"], **given).summary.fetchall() == [(date(2024, 5, 1), "rr", 1, 1)]
    with pytest.raises(rm.DataError, match="ts is a DATE, which has no time zone"):
        rm.evaluate("run", "qrels", ["rr"], timezone="Asia/Tokyo", **given)


def test_nothing_is_asked_of_groups_that_are_not_there():
    with pytest.raises(rm.UsageError, match="Name columns: by="):
        rm.evaluate(RUN, QRELS, ["ap"], rollup=True)

"""A field of a column, and a column of a table beside, can be named wherever a column can.

The twin of each case names plain columns of the same values.
"""

from __future__ import annotations

import random

import duckdb
import pytest

import rankmetrics_sql as rm

from ..everything import seeds

LOG = ("request", "item", "position", "type", "time", "user", "application", "arm", "dwell", "propensity")
SHOWN = ("request", "item", "position", "time", "user", "application", "arm", "propensity", "seg", "team")
DONE = ("request", "item", "type", "time", "user", "dwell")
TABLE = ("request", "time", "user", "arm", "seg")


def rows_of(seed):
    """A random log, with plain columns and a structure of the same values: impressions, actions and requests."""
    rng = random.Random(seed)
    shown, done, requests = [], [], []
    for number in range(24):
        user, minute = f"u{rng.randrange(8)}", number * 700
        head = (f"r{number}", f"2026-01-{1 + minute // 1440:02d} {minute % 1440 // 60:02d}:00:00", user)
        arm, seg, team = rng.choice("AB"), rng.choice(["s1", "s2"]), rng.choice(["t1", "t2", None])
        requests.append((*head, arm, seg))
        for place in range(0 if number > 20 else 4):
            item = f"i{place}"
            shown.append((head[0], item, place + 1, head[1], user, "app", arm, rng.choice([0.5, 1]), seg, team))
            if rng.random() < 0.4:
                clicked = head[1].replace(":00:00", f":{rng.choice(['00', '01', '30'])}:05")
                done.append((head[0], item, rng.choice(["click", "buy"]), clicked, user, rng.choice([1, 9])))
    return {"shown": (SHOWN, shown), "done": (DONE, done), "requests": (TABLE, requests)}


def tables(seed):
    connection = duckdb.connect()
    for name, (columns, rows) in rows_of(seed).items():
        marks = ", ".join("?" for _ in columns)
        connection.execute(f"CREATE TABLE plain ({', '.join(f'c{column} VARCHAR' for column in columns)})")
        connection.executemany(f"INSERT INTO plain VALUES ({marks})", rows)
        types = {"position": "INTEGER", "time": "TIMESTAMP", "dwell": "DOUBLE", "propensity": "DOUBLE"}
        typed = {column: f"CAST(c{column} AS {types.get(column, 'VARCHAR')})" for column in columns}
        flat = ", ".join(f'{sql} AS "my_{column}"' for column, sql in typed.items())
        fields = ", ".join(f"'my_{column}': {sql}" for column, sql in typed.items())
        connection.execute(
            f"CREATE TABLE {name} AS SELECT {flat}, {{'deep': {{{fields}}}, {fields}}} AS source FROM plain"
        )
        connection.execute("DROP TABLE plain")
    return connection


QUESTIONS = {
    "plain": ({}, {}),
    "logged": ({"requests": "logged"}, {}),
    "clicked in time": ({"time": "time", "within": 120}, {}),
    "user": ({"time": "time", "user": "user", "attribution": "user", "half_life": 600}, {}),
    "dwell": ({"dwell": "dwell", "min_dwell": 5, "application": "application"}, {}),
    "propensity": ({"propensity": "propensity"}, {}),
    "by": ({}, {"by": ["seg", "team"]}),
    "by of all": ({"requests": "logged"}, {"by": ["seg"]}),
    "period": ({"time": "time"}, {"period": "week"}),
    "period of all": ({"time": "time", "requests": "logged"}, {"period": "week", "by": ["seg"]}),
    "arms": ({"arm": "arm"}, {"baseline": "A"}),
    "arms of all": ({"arm": "arm", "requests": "logged"}, {"baseline": "A", "cluster": "user"}),
    "arms by": ({"arm": "arm", "user": "user"}, {"baseline": "A", "by": ["seg"]}),
    "users of all": ({"arm": "arm", "user": "user", "requests": "logged"}, {"baseline": "A"}),
}
OF_BOTH = ("time", "user", "arm", "seg")  # columns that the table of requests has, too


def written(rng, column, tables_before):
    """A way to name a column: itself, a field, a field of a field, behind the name of its table or not."""
    before = rng.choice(["", *tables_before])
    return before + rng.choice(["", "source.", "source.deep."]) + f"my_{column}"


def asked(question, name, queries):
    """The arguments of a question; ``name`` writes each column."""
    rules, options = question
    logged = rules.get("requests") == "logged"
    keys = {key: name(key, "impressions") for key in ("request", "item", "position")}
    keys["event_columns"] = {key: name(key, "events") for key in ("request", "item", "type")}
    for key, value in rules.items():
        if key not in LOG:
            keys[key] = value
            continue
        matched = rules.get("attribution") == "user" or "within" in rules
        keys[key] = name(value, "events" if key == "dwell" else "queries" if logged and not matched else "impressions")
        if key in ("time", "user"):
            keys["event_columns"][key] = name(key, "events")
    keys |= {"queries": queries} if logged else {}
    beside = "queries" if logged else "impressions"
    said = {
        key: [name(column, beside) for column in value]
        if key == "by"
        else name(value, beside)
        if key == "cluster"
        else value
        for key, value in options.items()
    }
    return keys, said


def answer(shown, done, keys, said, connection):
    source = rm.events(shown, done, grades={"click": 1, "buy": 3}, **keys)
    if "baseline" in said:
        found = rm.compare(source, metrics=["rr", "ndcg@3"], connection=connection, **said)
    else:
        found = rm.evaluate(source, metrics=["rr", "ndcg@3"], connection=connection, **said)
    return found.summary.fetchall()


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
@pytest.mark.parametrize("form", ["table", "parquet", "json"])
@pytest.mark.parametrize("seed", seeds(8))
def test_columns_of_logs(seed, form, tmp_path):
    connection = tables(seed)
    rng = random.Random(f"{seed} {form}")
    inputs = {"shown": "shown", "done": "done", "requests": "requests"}
    if form != "table":
        inputs = {name: str(tmp_path / f"{name}.{'jsonl' if form == 'json' else form}") for name in inputs}
        for name, path in inputs.items():
            connection.execute(f"COPY {name} TO '{path}' (FORMAT {form})")
    own = {"impressions": "shown.", "events": "done.", "queries": "requests."} if form == "table" else {}

    def name(column, place):
        before = [f"{place}."] + ([own[place]] if own else [])
        return written(rng, column, [] if column == "dwell" else before)

    where = connection if form == "table" else None
    for label in rng.sample([*QUESTIONS], 4 if form == "table" else 2):
        plain = asked(QUESTIONS[label], lambda column, _place: f"my_{column}", inputs["requests"])
        mixed = asked(QUESTIONS[label], name, inputs["requests"])
        expected = answer(inputs["shown"], inputs["done"], *plain, where)
        assert answer(inputs["shown"], inputs["done"], *mixed, where) == expected, (label, mixed)
        assert expected


RUN = ("query", "item", "score", "seg", "weight", "day", "model")
JUDGED = ("query", "item", "grade", "team")
MEANINGS = {"query_id": "query", "item_id": "item", "run.score": "score", "qrels.relevance": "grade"}


def structured(connection, table, columns, rows):
    values = ", ".join(map(str, rows))
    fields = ", ".join(f"'my_{column}': my_{column}" for column in columns)
    names = ", ".join(f"my_{column}" for column in columns)
    given = f"SELECT * FROM (VALUES {values}) t ({names})"
    connection.execute(f"CREATE TABLE {table} AS SELECT *, {{{fields}, 'deep': {{{fields}}}}} AS source FROM ({given})")


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
@pytest.mark.parametrize("form", ["table", "parquet", "json"])
@pytest.mark.parametrize("seed", seeds(6))
def test_columns_of_runs_and_judgments(seed, form, tmp_path):
    rng = random.Random(f"{seed} runs {form}")
    connection = duckdb.connect()
    queries = [(f"q{number}", rng.choice("xy"), rng.randint(1, 3), f"2026-01-{number + 1:02d}") for number in range(20)]
    run = [
        (query, f"i{place}", rng.random(), seg, weight, day, model)
        for query, seg, weight, day in queries
        for place in range(4)
        for model in ("m1", "m2")
    ]
    judged = [
        (query, f"i{place}", rng.randint(0, 2), f"t{number % 2}")
        for number, (query, *_) in enumerate(queries)
        for place in range(3)
    ]
    structured(connection, "run", RUN, run)
    structured(connection, "qrels", JUDGED, judged)
    inputs = {"run": "run", "qrels": "qrels"}
    if form != "table":
        inputs = {name: str(tmp_path / f"{name}.{'jsonl' if form == 'json' else form}") for name in inputs}
        for name, path in inputs.items():
            connection.execute(f"COPY {name} TO '{path}' (FORMAT {form})")
    where = connection if form == "table" else None
    options = {
        "by": rng.sample(["seg", "team"], rng.randint(0, 2)),
        **rng.choice([{}, {"weight": "weight"}, {"period": "week"}, {"cluster": "seg"}]),
    }
    if "cluster" in options:
        options["by"] = []
    of_run = lambda column: "run." if column in RUN else "qrels."  # noqa: E731

    def answered(name):
        said = {key: name(value) for key, value in options.items() if key in ("weight", "cluster")}
        said |= {"by": [name(column) for column in options["by"]], "period": options.get("period")}
        columns = {key: name(column, plain=True) for key, column in MEANINGS.items()}
        columns["run_id"] = name("model", plain=True)
        columns |= {"time": name("day", plain=True)} if said["period"] else {}
        common = {"metrics": ["rr", "ndcg@3"], "columns": columns, "connection": where, **said}
        return rm.compare(inputs["run"], qrels=inputs["qrels"], baseline="m1", **common).summary.fetchall()

    def name(column, *, plain=False):
        before = "" if plain else rng.choice(["", of_run(column)])
        return before + rng.choice(["", "source.", "source.deep."]) + f"my_{column}"

    expected = answered(lambda column, plain=False: f"my_{column}")
    assert expected
    assert answered(name) == expected


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
@pytest.mark.parametrize("seed", seeds(6))
def test_columns_of_lists(seed):
    rng = random.Random(f"{seed} lists")
    connection = duckdb.connect()
    rows = [
        (f"q{number}", rng.sample([f"i{place}" for place in range(6)], 4), [f"i{number % 6}"], model, f"s{number % 2}")
        for number in range(12)
        for model in ("m1", "m2")
    ]
    structured(connection, "recommended", ("query", "items", "relevant", "model", "seg"), rows)

    def answered(name):
        keys = {key: name(key) for key in ("query", "items", "relevant")}
        source = rm.lists("recommended", **keys, run=name("model"))
        found = rm.compare(source, metrics="rr", by=name("seg"), baseline="m1", connection=connection)
        return found.summary.fetchall()

    expected = answered(lambda column: f"my_{column}")
    assert expected
    assert answered(lambda column: rng.choice(["", "source.", "source.deep."]) + f"my_{column}") == expected


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"by": "source.my_nothing"}, "no column 'source.my_nothing'"),
        ({"by": ["my_seg", "source.my_seg"]}, "two columns called 'my_seg'"),
        ({"by": "sauce.my_seg"}, "no column 'sauce.my_seg'"),
    ],
)
@pytest.mark.parametrize("kind", ["log", "run"])
def test_what_cannot_be_named(kind, options, said):
    connection = tables(0)
    keys = {"request": "my_request", "item": "my_item", "position": "my_position", "type": "my_type"}
    source, judged = rm.events("shown", "done", **keys), {}
    if kind == "run":
        source, judged = "shown", {"qrels": "SELECT DISTINCT my_request, my_item, 1 AS relevance FROM done"}
        judged["columns"] = {"query_id": "my_request", "item_id": "my_item", "position": "my_position"}
    with pytest.raises((rm.DataError, rm.UsageError), match=said):
        rm.evaluate(source, metrics="rr", connection=connection, **judged, **options)


def test_time_of_requests_where_actions_are_matched():
    keys = {"requests": "logged", "queries": "requests", "time": "queries.my_time", "within": 60}
    with pytest.raises(rm.UsageError, match="within matches actions with impressions, so time is a column of both"):
        rm.events("shown", "done", **keys)

"""Click-through by position, on every road, beside a twin in plain Python and SciPy's interval of a proportion."""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from statistics import NormalDist

import duckdb
import pytest
from scipy.stats import binomtest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import seeds

NAMES = {"request": "search", "item": "sku", "position": "slot", "type": "what", "arm": "arm"}
# The templates know the points of the normal distribution to 2e-8.
NEAR = {"rel": 1e-12, "abs": 1e-12}


class Log:
    """Requests of two arms; positions begin at 0, some are shared by two items, and the last is never clicked."""

    def __init__(self, connection, seed, shared):
        chance = random.Random(seed)
        self.shown, self.clicked = [], set()
        for number in range(80):
            arm, places = chance.choice("AB"), range(chance.randrange(1, 5))
            for item, place in enumerate([*places, *(places[-1:] if shared else [])]):
                self.shown.append((f"s{number}", f"i{item}", place, arm, chance.choice(["de", "fr"])))
                if place < 3 and chance.random() < 0.5 - place / 8:
                    self.clicked.add((f"s{number}", f"i{item}"))
        self.shown.append(("s1", "lost", None, self.shown[1][3], "de"))
        connection.execute("CREATE TABLE shown (search TEXT, sku TEXT, slot INTEGER, arm TEXT, market TEXT)")
        fill(connection, "shown", self.shown)
        connection.execute("CREATE TABLE done (search TEXT, sku TEXT, what TEXT)")
        fill(connection, "done", [(*pair, "click") for pair in sorted(self.clicked)] * 2)

    def twin(self, by, level):
        """By group and position: impressions, clicks, their share, and Wilson's interval of the effective number."""
        requests = defaultdict(lambda: defaultdict(lambda: [0, 0]))
        for search, sku, slot, arm, _ in self.shown:
            if slot is not None:
                counts = requests[(*((arm,) if by else ()), slot + 1)][search]
                counts[0] += 1
                counts[1] += (search, sku) in self.clicked
        z, found = NormalDist().inv_cdf((1 + level) / 2), {}
        for key, counted in requests.items():
            n, clicks = (sum(counts[place] for counts in counted.values()) for place in (0, 1))
            p = clicks / n
            squares = sum((c - p * m) ** 2 for m, c in counted.values())
            effective = min(n, p * (1 - p) * n**2 / squares) if squares else len(counted)
            middle = p + z**2 / (2 * effective)
            reach = z * math.sqrt((p * (1 - p) + z**2 / (4 * effective)) / effective)
            ends = [(middle + sign * reach) / (1 + z**2 / effective) for sign in (-1, 1)]
            found[key] = (n, clicks, p, ends[0] if clicks else 0, ends[1])
        return found


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def by_key(rows, by):
    return {
        tuple(row[name] for name in (*by, "position")): tuple(
            row[name] for name in ("impressions", "clicks", "ctr", "ci_lower", "ci_upper")
        )
        for row in rows
    }


@pytest.mark.parametrize("seed", seeds(3, 1))
@pytest.mark.parametrize("shared", [False, True])
def test_every_road_counts_as_its_twin(connection, tmp_path, cli, shared, seed):
    log = Log(connection, seed, shared)
    for by, level in (((), 0.95), (("arm",), 0.95), (("arm",), 0.8)):
        expected = {key: pytest.approx(values, **NEAR) for key, values in log.twin(by, level).items()}
        source = rm.events("shown", "done", **NAMES)
        found = quietly(rm.ctr_by_position, source, by, confidence_level=level, connection=connection)
        assert by_key(found.dicts(), by) == expected
        rows = macros()["from_events"](
            "shown", "done", columns={name: column for name, column in NAMES.items() if name != "arm"}, context=["arm"]
        )
        text = macros()["ctr_by_position"](
            f"({rows}) AS r", by=list(by), columns={"query": "search"}, confidence_level=level
        )
        names = [*by, "position", "impressions", "clicks", "ctr", "ci_lower", "ci_upper"]
        fetched = [dict(zip(names, row, strict=True)) for row in connection.execute(text).fetchall()]
        assert by_key(fetched, by) == expected
    if not shared:
        for n, clicks, _, *ends in by_key(found.dicts(), by).values():
            assert ends == pytest.approx([*binomtest(clicks, n).proportion_ci(0.8, "wilson")], **NEAR)
    for table in ("shown", "done"):
        connection.execute(f"COPY {table} TO '{tmp_path / table}.parquet'")
    rules = [part for name, column in NAMES.items() for part in ("--rule", f"{name}={column}")]
    files = ["--events", tmp_path / "shown.parquet", tmp_path / "done.parquet"]
    printed = cli("ctr-by-position", *files, *rules, "--by", "arm", "--confidence-level", "0.8", "--format", "json")
    assert by_key(json.loads(printed.stdout), by) == expected
    frames = rm.events(*(connection.table(name).to_arrow_table() for name in ("shown", "done")), **NAMES)
    assert by_key(quietly(rm.ctr_by_position, frames, "arm", confidence_level=0.8).dicts(), by) == expected


def test_rows_of_a_table_and_other_grades(connection):
    connection.execute(
        "CREATE TABLE seen AS FROM (VALUES ('a', 1, 2), ('a', 2, NULL), ('b', 1, 1), ('b', NULL, 2)) t(q, place, grade)"
    )
    given = {"request": "q", "position": "place", "relevance": "grade", "connection": connection}
    for rel, clicks in ((1, 2), (2, 1)):
        rows = rm.ctr_by_position("seen", rel=rel, **given).dicts()
        assert [(row["position"], row["impressions"], row["clicks"]) for row in rows] == [(1, 2, clicks), (2, 1, 0)]
        low, high = binomtest(clicks, 2).proportion_ci(method="wilson")
        assert [rows[0]["ci_lower"], rows[0]["ci_upper"]] == pytest.approx([low, high], **NEAR)
        assert rows[1]["ci_lower"] == 0
    del given["request"]  # each impression by itself
    assert rm.ctr_by_position("seen", **given).dicts() == rm.ctr_by_position("seen", request="q", **given).dicts()
    chart = rm.ctr_by_position("seen", **given).plot().to_dict()
    assert chart["title"]["text"] == "Click-through by position, 3 impressions"
    with pytest.raises(rm.UsageError, match="confidence_level"):
        rm.ctr_by_position("seen", confidence_level=1, **given)


@pytest.mark.parametrize("ask", [rm.evaluate, rm.compare])
def test_a_breakdown_by_position_says_what_counts_by_it(connection, ask):
    Log(connection, 1, False)
    given = {"by": ["market", "slot"], "connection": connection} | ({"baseline": "A"} if ask is rm.compare else {})
    with pytest.raises(rm.UsageError, match=r"events: a request has items at several positions .* rm\.ctr_by_position"):
        ask(rm.events("shown", "done", **NAMES), "ctr", **given)


PERIODS = [("day", None), ("week", "Europe/Berlin"), ("month", "UTC")]


@pytest.fixture
def timed(connection):
    """Requests around the ends of days, weeks and months, in two arms."""
    connection.execute(
        "CREATE TABLE shown AS SELECT 'r' || r AS request_id, 'i' || p AS item_id, p AS position, r % 2 AS arm,"
        " TIMESTAMP '2026-05-30 22:30:00' + INTERVAL (r * 5) HOUR AS moment FROM range(40) t(r), range(1, 4) u(p)"
    )
    connection.execute(
        "CREATE TABLE clicks AS SELECT request_id, item_id, 'click' AS event_type, moment FROM shown"
        " WHERE hash(request_id || item_id) % 3 = 0"
    )
    return connection


@pytest.mark.parametrize(("period", "zone"), PERIODS)
def test_periods_are_groups_on_every_road(timed, tmp_path, cli, period, zone):
    """Beside a twin: the column of the period is computed in a query of the user's."""
    local = "moment" if zone is None else f"timezone('{zone}', timezone('UTC', moment))"
    first = f"CAST(DATE_TRUNC('{period}', {local}) AS DATE)"
    log = rm.events("shown", "clicks", time="moment")
    found = rm.ctr_by_position(log, "arm", period=period, timezone=zone, connection=timed)
    by_hand = rm.events(f"SELECT *, {first} AS period FROM shown", "clicks")
    wanted = rm.ctr_by_position(by_hand, ["arm", "period"], connection=timed)
    assert found.columns == wanted.columns == ["arm", "period", *found.columns[2:]]
    for ours, theirs in zip(found.fetchall(), wanted.fetchall(), strict=True):
        assert (ours[0], str(ours[1]), *ours[2:]) == (theirs[0], str(theirs[1]), *map(pytest.approx, theirs[2:]))
    assert len({row["period"] for row in found.dicts()}) > 1
    rows = macros()["from_events"]("shown", "clicks", context=["arm", "moment"])
    timed.execute(f"CREATE TABLE joined AS {rows}")
    columns = {"query": "request_id", "time": "moment"}
    dbt = macros()["ctr_by_position"]("joined", columns=columns, by="arm", period=period, timezone=zone)
    rounded = [[row[:2], pytest.approx(row[2:], **NEAR)] for row in found.fetchall()]
    assert [[row[:2], row[2:]] for row in timed.execute(dbt).fetchall()] == rounded
    of_table = rm.ctr_by_position(
        "joined", "arm", request="request_id", time="moment", period=period, timezone=zone, connection=timed
    )
    assert [[row[:2], row[2:]] for row in of_table.fetchall()] == rounded
    timed.execute(f"COPY shown TO '{tmp_path / 'shown.csv'}'")
    timed.execute(f"COPY clicks TO '{tmp_path / 'clicks.csv'}'")
    zoned = [] if zone is None else ["--timezone", zone]
    files = ["--events", tmp_path / "shown.csv", tmp_path / "clicks.csv", "--rule", "time=moment"]
    printed = cli("ctr-by-position", *files, "--by", "arm", "--period", period, *zoned, "--format", "json")
    assert [(row["period"], row["position"], row["clicks"]) for row in json.loads(printed.stdout)] == [
        (str(row["period"]), row["position"], row["clicks"]) for row in found.dicts()
    ]


def test_the_statement_runs_and_its_rows_can_be_stored(timed, tmp_path, cli):
    """A log is read into a temporary table for the call; what is shown afterwards does not name it."""
    timed.execute("SET threads = 1")  # else the last digits of sums depend on which thread is first
    log = rm.events("shown", "clicks", time="moment")
    for found in (rm.ctr_by_position(log, period="day", connection=timed), rm.coec(log, connection=timed)):
        assert timed.execute(found.sql).fetchall() == found.fetchall()
    found = rm.ctr_by_position(log, "arm", period="day", connection=timed)
    found.create_table("rates")
    found.create_view("rates_now")
    for name in ("rates", "rates_now"):
        assert sorted(timed.execute(f"FROM {name}").fetchall()) == sorted(found.fetchall())
    with pytest.raises(rm.UsageError, match="rates"):
        found.create_table("rates")
    found.create_table("rates", replace=True)
    with pytest.raises(rm.UsageError, match="Unknown level 'per_query'"):
        found.create_table("other", level="per_query")
    place = tmp_path / "shop.duckdb"
    timed.execute(f"ATTACH '{place}' AS shop")
    for name in ("shown", "clicks"):
        timed.execute(f"CREATE TABLE shop.{name} AS FROM {name}")
    timed.execute("DETACH shop")
    there = ["--events", "shown", "clicks", "--by", "arm", "--database", place, "--into", "rates"]
    assert cli("ctr-by-position", *there).exit_code == 0
    assert cli("ctr-by-position", *there).exit_code != 0
    assert cli("ctr-by-position", *there, "--replace").exit_code == 0
    with duckdb.connect(place) as stored:
        wanted = rm.ctr_by_position(rm.events("shown", "clicks"), "arm", connection=timed).fetchall()
        assert sorted(stored.execute("FROM rates").fetchall()) == sorted(wanted)


def test_commands_about_clicks_store_their_rows(tmp_path, cli):
    """COEC of a log, and the wins and the preference of an interleaving: what Python returns of the same tables."""
    place = tmp_path / "shop.duckdb"
    with duckdb.connect(place) as shop:
        shop.execute("""
            CREATE TABLE shown AS SELECT r AS request_id, 'i' || i AS item_id, i AS position
            FROM range(9) a(r), range(1, 4) b(i);
            CREATE TABLE clicks AS SELECT r AS request_id, 'i' || (1 + r % 3) AS item_id, 'click' AS event_type
            FROM range(0, 9, 2) a(r);
            CREATE TABLE drafts AS SELECT r AS request_id, r // 2 AS visitor, ['a', 'b'][i] AS team,
                CAST((r * i) % 3 = 1 AS INT) AS clicked FROM range(9) a(r), range(1, 3) b(i)
        """)
        log, teams = rm.events("shown", "clicks"), ("drafts", ["a", "b"])
        wanted = {
            "coec": rm.coec(log, connection=shop),
            "team-draft": rm.team_draft(*teams, user="visitor", connection=shop),
            "preference": rm.team_draft_preference(*teams, user="visitor", connection=shop),
        }
        rows = {name: sorted(found.fetchall()) for name, found in wanted.items()}
        wanted["preference"].create_table("from_python")
        assert shop.execute("FROM from_python").fetchall() == [pytest.approx(rows["preference"][0])]
    there = ["--database", place, "--into"]
    drafted = ["team-draft", "drafts", "--teams", "a,b", "--user", "visitor"]
    for name, asked in [
        ("coec", ["coec", "--events", "shown", "clicks"]),
        ("team-draft", drafted),
        ("preference", [*drafted, "--preference"]),
    ]:
        assert cli(*asked, *there, f"stored_{name[:4]}").exit_code == 0
        with duckdb.connect(place) as stored:
            found = sorted(stored.execute(f"FROM stored_{name[:4]}").fetchall())
        assert [pytest.approx(row) if name == "preference" else row for row in rows[name]] == found
    assert "stored_team" in cli(*drafted, *there, "stored_team").stderr
    assert cli(*drafted, *there, "stored_team", "--replace").exit_code == 0


def test_a_file_is_in_no_database(timed, tmp_path):
    timed.execute(f"COPY shown TO '{tmp_path / 'shown.csv'}'")
    table = rm.ctr_by_position(tmp_path / "shown.csv", relevance="arm")
    with pytest.raises(rm.UsageError, match="Pass it as connection="):
        table.create_table("rates")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"period": "year"}, r"period must be day, week or month, not 'year'"),
        ({"timezone": "UTC"}, "timezone has no effect without a period"),
        ({"period": "day", "timezone": "Berlin"}, "Unknown time zone 'Berlin'"),
    ],
)
def test_periods_that_are_none(timed, asked, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.ctr_by_position(rm.events("shown", "clicks", time="moment"), connection=timed, **asked)
    with pytest.raises(rm.UsageError, match=r"period needs a column with the time: pass time="):
        rm.ctr_by_position(rm.events("shown", "clicks"), period="day", connection=timed)
    with pytest.raises(rm.UsageError, match=r"time= has no effect without a period"):
        rm.ctr_by_position("shown", relevance="arm", time="moment", connection=timed)

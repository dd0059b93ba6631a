"""Propensities of positions, clicks over expected clicks, interleaving; and logs that have propensities."""

from __future__ import annotations

import json
import math
import random
import warnings
from collections import Counter, defaultdict
from itertools import product
from statistics import fmean

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import seeds

SHOWN = ("request_id", "query", "item_id", "position", "relevance")


def log_of(seed, places=5):
    """Requests of a few queries, whose items change places; some rows are without a grade or a place."""
    draw = random.Random(seed)
    rows = []
    for request in range(120):
        query = f"q{draw.randrange(6)}"
        items = draw.sample([f"d{number}" for number in range(7)], places)
        for place, item in enumerate(items, start=1):
            if draw.random() < 0.9:
                grade = draw.choice([None, 0, 0, 1, 2]) if place < 4 else draw.choice([0, 0, 0, 1])
                rows.append((f"r{request}", query, item, place if draw.random() < 0.97 else None, grade))
    return rows


def rates(rows, rel=1):
    """Of each query and item at each position, the share of impressions that were clicked."""
    seen = defaultdict(list)
    for _, query, item, place, grade in rows:
        if place is not None:
            seen[query, item, place].append(grade is not None and grade >= rel)
    return {key: fmean(clicks) for key, clicks in seen.items()}


def ratio(rates, place, other):
    """How much likelier a click is at a place than at another, from the pairs that were shown at both."""
    both = [(query, item) for query, item, at in rates if at == place and (query, item, other) in rates]
    part, whole = (sum(rates[query, item, at] for query, item in both) for at in (place, other))
    return part / whole if whole else None


def expected(rates, method):
    places = sorted({place for _, _, place in rates})
    if method == "pivot_one":
        found = {place: 1.0 if place == 1 else ratio(rates, place, 1) for place in places}
    else:
        found = {1: 1.0}
        for place in range(2, max(places) + 1):
            step = ratio(rates, place, place - 1)
            found[place] = found[place - 1] * step if step and found[place - 1] else None
    return {place: value for place, value in found.items() if value is not None}


def frame(rows):
    return pd.DataFrame(rows, columns=SHOWN)


@pytest.mark.parametrize("method", ["pivot_one", "adjacent_chain"])
@pytest.mark.parametrize("seed", seeds(3, 1))
@pytest.mark.parametrize("rel", [1, 2])
def test_propensities(seed, method, rel):
    rows = log_of(seed)
    found = rm.propensities(frame(rows), "query", method=method, rel=rel)
    assert found == pytest.approx(expected(rates(rows, rel), method), abs=1e-12)


def test_a_chain_ends_where_no_pair_goes_on():
    """Nobody saw an item at 2 and at 3, which is all the same to what is held against the first."""
    rows = [("r", "q", "a", 1, 1), ("s", "q", "a", 2, 1), ("t", "q", "b", 1, 1), ("u", "q", "b", 3, 1)]
    rows += [("v", "q", "b", 1, 0), ("w", "q", "b", 4, 1)]
    assert rm.propensities(frame(rows), "query") == {1: 1.0, 2: 1.0}
    assert rm.propensities(frame(rows), "query", method="pivot_one") == {1: 1.0, 2: 1.0, 3: 2.0, 4: 2.0}


TRUTH = {1: 1.0, 2: 0.5, 3: 0.25}


def exact():
    """Clicks as often as their position and their relevance say, each item as often at each position."""
    for item, relevance in (("a", 0.5), ("b", 1.0), ("c", 0.25)):
        for place, propensity in TRUTH.items():
            for number in range(32):
                yield (f"{item}{place}{number}", "q", item, place, int(number < 32 * relevance * propensity))


@pytest.mark.parametrize("method", ["pivot_one", "adjacent_chain", "all_pairs"])
def test_what_people_look_at_is_found(method):
    if method == "all_pairs":
        pytest.importorskip("scipy", reason="pip install scipy")
    found = rm.propensities(frame(exact()), "query", method=method)
    assert found == pytest.approx(TRUTH, rel=1e-12 if method != "all_pairs" else 0.02)


def likelihood(rates, p, r):
    """Of all pairs of positions (Agarwal et al. 2019, equation 12)."""
    total = 0.0
    for place, other in product(p, p):
        for (query, item, at), rate in rates.items():
            if place != other and at == place and (query, item, other) in rates:
                chance = p[place] * r[frozenset((place, other))]
                total += rate * math.log(chance) + (1 - rate) * math.log(1 - chance)
    return total


def test_no_other_propensities_are_likelier():
    """With the relevance that is likeliest beside them; the scale of both is free but for what is a chance."""
    optimize = pytest.importorskip("scipy.optimize", reason="pip install scipy")
    clicked = rates(log_of(4, places=3))
    found = rm.propensities(frame(log_of(4, places=3)), "query", method="all_pairs")
    pairs = [frozenset(pair) for pair in ((1, 2), (1, 3), (2, 3))]

    def best(p):
        def unlikely(values):
            scaled = {place: value * values[-1] for place, value in p.items()}
            return -likelihood(clicked, scaled, dict(zip(pairs, values, strict=False)))

        limits = [(1e-6, 0.999)] * 3 + [(0.05, 0.999 / max(p.values()))]
        return -optimize.minimize(unlikely, [0.5] * 4, bounds=limits).fun

    for place, factor in product((2, 3), (0.9, 1.1)):
        assert best(found) > best(found | {place: found[place] * factor})


def test_what_method_there_is(monkeypatch):
    with pytest.raises(
        rm.UsageError, match="method must be one of adjacent_chain, pivot_one, all_pairs, not 'regression'"
    ):
        rm.propensities(frame(exact()), "query", method="regression")
    monkeypatch.setitem(__import__("sys").modules, "scipy.optimize", None)
    with pytest.raises(rm.UsageError, match=r"method=all_pairs needs SciPy: pip install '\.\[stats\]'"):
        rm.propensities(frame(exact()), "query", method="all_pairs")
    with pytest.raises(rm.DataError, match="no column 'asked' for query"):
        rm.propensities(frame(exact()), "asked")


@pytest.fixture
def shop():
    """Two requests, one of which shows an item twice, and a click on each of two items."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE shown AS FROM (VALUES ('a', 'x', 1, 1.0, 'desk'), ('a', 'y', 2, 0.5, 'desk'),"
            " ('a', 'x', 3, 0.25, 'desk'), ('b', 'x', 2, 0.5, 'bed'), ('b', 'z', 1, 0.8, 'bed'))"
            " AS rows(request_id, item_id, position, p, asked)"
        )
        connection.execute(
            "CREATE TABLE done AS FROM (VALUES ('a', 'y', 'click'), ('b', 'z', 'click'))"
            " AS rows(request_id, item_id, event_type)"
        )
        yield connection


@pytest.mark.parametrize(
    ("propensity", "values"),
    [
        ("p", [1 / 2 / 0.5, 1 / 0.8]),
        ("p / 2", [1 / 2 / 0.25, 1 / 0.4]),
        ({1: 1, 2: 0.25}, [1 / 2 / 0.25, 1]),
    ],
)
def test_a_log_with_propensities(shop, propensity, values):
    log = rm.events("shown", "done", propensity=propensity)
    result = quietly(rm.evaluate, log, ["ips_rr"], connection=shop)
    assert [row[1] for row in result.per_query] == pytest.approx(values, abs=1e-12)
    text = rm.sql(["ips_rr"], log, level="per_query")
    assert [row[1] for row in shop.execute(text).fetchall()] == pytest.approx(values, abs=1e-12)


def test_of_an_item_shown_twice_the_propensity_is_that_of_its_place(shop):
    shop.execute("INSERT INTO done VALUES ('a', 'x', 'click')")
    found = quietly(rm.evaluate, rm.events("shown", "done", propensity="p"), ["ips_p@2"], connection=shop)
    assert [row[1] for row in found.per_query] == [(1 / 1.0 + 1 / 0.5) / 2, (1 / 0.8) / 2]


def test_logs_without_a_propensity_for_each_item(shop):
    with pytest.raises(rm.DataError, match="events: no column 'propensity' for propensity"):
        rm.evaluate(rm.events("shown", "done"), ["ips_rr"], connection=shop)
    with pytest.raises(rm.DataError, match=r"a propensity is a number above 0 and at most 1: \('a', 'y', None\)"):
        quietly(rm.evaluate, rm.events("shown", "done", propensity={1: 1}), ["ips_rr"], connection=shop)
    with pytest.raises(rm.UsageError, match=r"position 2 has 1\.5, which is no number above 0 and at most 1"):
        rm.events("shown", "done", propensity={1: 1, 2: 1.5})
    with pytest.raises(rm.UsageError, match="p is no position: 1, 2, 3"):
        rm.events("shown", "done", propensity={"p": 1})
    with pytest.raises(rm.UsageError, match="requests=logged: a request without an impression has no propensity"):
        rm.events("shown", "done", propensity="p", requests="logged", queries="asked")


def test_propensities_on_the_command_line(cli, shop, tmp_path):
    for table in ("shown", "done"):
        shop.execute(f"COPY {table} TO '{tmp_path}/{table}.parquet'")
    tables = [tmp_path / "shown.parquet", tmp_path / "done.parquet"]
    for rule, value in (("propensity=p", "1.125"), ("propensity=1:1,2:0.25", "1.5")):
        found = cli("evaluate", "--events", *tables, "-m", "ips_rr", "--rule", rule, "--format", "csv")
        assert found.exit_code == 0, found.stderr
        assert f",{value}" in found.stdout


def test_from_a_log_to_its_propensities_and_back(shop):
    """They are estimated from the rows of a log, by a column that it hands on, and given to it."""
    log = rm.events("shown", "done")
    assert rm.propensities(log, "asked", method="pivot_one", connection=shop) == {1: 1.0}
    assert rm.coec(log, ["asked"], connection=shop).fetchall() == [
        ("bed", 2, 1.0, 1.0, 1.0),
        ("desk", 2, 1.0, 1.0, 1.0),
    ]
    with pytest.raises(rm.UsageError, match="is no log of impressions and clicks"):
        rm.propensities(rm.lists("SELECT 'a' AS query_id, ['x'] AS items"), "query_id", connection=shop)


def clicks_over_expected(rows, of, rel=1):
    """By the key that a row has: impressions, clicks, expected clicks."""
    at = defaultdict(list)
    for *_, place, grade in rows:
        at[place].append(grade is not None and grade >= rel)
    found = defaultdict(lambda: [0, 0, 0.0])
    for row in rows:
        *_, place, grade = row
        if place is not None:
            counts = found[of(row)]
            counts[0] += 1
            counts[1] += grade is not None and grade >= rel
            counts[2] += fmean(at[place])
    return {key: (*counts, counts[1] / counts[2]) for key, counts in found.items()}


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize(
    ("by", "of"),
    [
        ("item_id", lambda row: (row[2],)),
        ("query", lambda row: (row[1],)),
        (["query", "item_id"], lambda row: row[1:3]),
    ],
)
def test_clicks_over_expected_clicks(by, of, rel):
    rows = log_of(5)
    found = {tuple(row[:-4]): tuple(row[-4:]) for row in rm.coec(frame(rows), by, rel=rel)}
    wanted = clicks_over_expected(rows, of, rel)
    assert found.keys() == wanted.keys()
    for key, values in wanted.items():
        assert found[key] == pytest.approx(values, abs=1e-12), key
    assert sum(row[1] for row in found.values()) == pytest.approx(sum(row[2] for row in found.values()), abs=1e-9)


DRAFTS = [
    *(("r1", "u1", "a", "A", 1), ("r1", "u1", "b", "B", 0)),
    *(("r2", "u1", "a", "A", 0), ("r2", "u1", "b", "B", 1), ("r2", "u1", "c", "B", 1)),
    *(("r3", "u2", "b", "B", 0), ("r3", "u2", "c", "A", None)),
    *(("r4", "u2", "b", None, 1), ("r4", "u2", "c", "A", 1)),
    *(("r5", "u2", "b", "A", 2), (None, "u2", "c", "B", 1)),
]
DRAFTED = ("request_id", "user_id", "item_id", "team", "clicked")
WON = [("r1", 1, 0, 1), ("r2", 0, 2, -1), ("r3", 0, 0, 0), ("r4", 1, 0, 1), ("r5", 1, 0, 1)]
WON_BY_USER = [("u1", 2, 1, 1, 0), ("u2", 3, 2, 0, 1)]


def test_team_draft():
    drafts = pd.DataFrame(DRAFTS, columns=DRAFTED)
    assert rm.team_draft(drafts, ["A", "B"]).fetchall() == WON
    assert rm.team_draft(drafts, ["A", "B"], user="user_id").fetchall() == WON_BY_USER
    assert rm.team_draft(drafts, ["B", "A"]).fetchall()[1] == ("r2", 2, 0, 1)
    for teams in (["A"], "AB", ["A", "B", "C"], ["A", "A"]):
        with pytest.raises(rm.UsageError, match="teams takes the names of two teams"):
            rm.team_draft(drafts, teams)


PREFERENCE = (
    *("preference", "standard_error", "ci_lower", "ci_upper", "statistic", "pvalue"),
    *("n_users", "n_requests", "wins", "ties", "losses"),
)


def drafts_of(seed, n_users=12, lean=0.5):
    """Requests of users who click on items of A as often as a user of theirs does."""
    rng = random.Random(seed)
    for user in range(n_users):
        taste = rng.random() * lean + (1 - lean) / 2
        for number in range(rng.randint(1, 6)):
            for item in range(4):
                team = "AB"[(item + number) % 2]
                chance = taste if team == "A" else 1 - taste
                yield (f"r{user}.{number}", f"u{user}", f"i{item}", team, int(rng.random() < chance))


def users_of(rows, by):
    """The mean of each user's requests: 1 for the first team, -1 for the second."""
    clicks = defaultdict(Counter)
    for row in rows:
        clicks[row[by], row[0]][row[3]] += row[4] or 0
    found = defaultdict(list)
    for (user, _), won in clicks.items():
        found[user].append((won["A"] > won["B"]) - (won["A"] < won["B"]))
    return {user: fmean(values) for user, values in found.items()}


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("by", ["user_id", None])
@pytest.mark.parametrize("seed", seeds(4))
def test_the_preference_of_users(seed, by, level):
    stats = pytest.importorskip("scipy.stats", reason="pip install scipy")
    rows = [*drafts_of(seed)]
    values = [*users_of(rows, 1 if by else 0).values()]
    [found] = rm.team_draft_preference(
        pd.DataFrame(rows, columns=DRAFTED), ["A", "B"], user=by, confidence_level=level
    ).dicts()
    test = stats.ttest_1samp(values, 0)
    interval = test.confidence_interval(level)
    wanted = {
        "preference": fmean(values),
        "standard_error": stats.sem(values),
        "ci_lower": interval.low,
        "ci_upper": interval.high,
        "statistic": test.statistic,
        "pvalue": test.pvalue,
        "n_users": len(values),
        "n_requests": len({row[0] for row in rows}),
        "wins": sum(value > 0 for value in values),
        "ties": sum(value == 0 for value in values),
        "losses": sum(value < 0 for value in values),
    }
    assert tuple(found) == PREFERENCE
    assert found == pytest.approx(wanted, rel=1e-8, abs=1e-10)


def test_the_preference_by_hand():
    """u1 has 1 and -1, u2 has 0, 1 and 1; r9 has no user. The other way round it is the other's."""
    drafts = pd.DataFrame([*DRAFTS, ("r9", None, "a", "B", 1)], columns=DRAFTED)
    [row] = rm.team_draft_preference(drafts, ["A", "B"], user="user_id").dicts()
    assert row["preference"] == pytest.approx((0 + 2 / 3) / 2, abs=1e-12)
    assert row["standard_error"] == pytest.approx(1 / 3, abs=1e-12)  # sqrt(2 * (1/3)^2 / 1 / 2)
    assert [row[name] for name in PREFERENCE[6:]] == [2, 5, 1, 1, 0]
    [other] = rm.team_draft_preference(drafts, ["B", "A"], user="user_id").dicts()
    assert (other["preference"], other["ci_upper"], other["losses"]) == (-row["preference"], -row["ci_lower"], 1)
    assert other["pvalue"] == row["pvalue"] == pytest.approx(0.5, abs=1e-9)  # of t = 1 with one degree of freedom


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ([("r", "u", "a", "A", 1)], (1, None, None, None, None, None, 1, 1, 1, 0, 0)),
        ([("r", "u", "a", "A", 1), ("s", "v", "a", "A", 1)], (1, 0, None, None, None, None, 2, 2, 2, 0, 0)),
        ([("r", "u", "a", "A", 0), ("s", "v", "a", "A", None)], (0, 0, 0, 0, None, 1, 2, 2, 0, 2, 0)),
    ],
)
def test_the_preference_of_few_or_of_all(rows, wanted):
    found = quietly(rm.team_draft_preference, pd.DataFrame(rows, columns=DRAFTED), ["A", "B"], user="user_id")
    assert found.fetchall() == [wanted]


@pytest.mark.parametrize("won", [(1, 1, 0), (0, -1, 0), (1,)])
@pytest.mark.parametrize("n_users", [2, 7, 60])
def test_users_who_all_agree_do_not_say_how_far_they_spread(n_users, won):
    """Two of three requests won by each, so that the mean has a rounding; as of differences that are all equal."""
    rows = [
        (f"r{user}-{place}", f"u{user}", "a", "A" if sign >= 0 else "B", abs(sign))
        for user in range(n_users)
        for place, sign in enumerate(won)
    ]
    drafts = pd.DataFrame(rows, columns=DRAFTED)
    with pytest.warns(
        rm.RankmetricsWarning, match=f"All {n_users} users have the same preference, so there is no variance"
    ):
        [row] = rm.team_draft_preference(drafts, ["A", "B"], user="user_id").dicts()
    assert row["preference"] == pytest.approx(fmean(won))
    assert [row[name] for name in PREFERENCE[1:6]] == [0, None, None, None, None]
    assert row["wins"] + row["losses"] == n_users
    one = pd.DataFrame([*rows, ("other", "another", "a", "B" if fmean(won) > 0 else "A", 1)], columns=DRAFTED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0 < rm.team_draft_preference(one, ["A", "B"], user="user_id").dicts()[0]["pvalue"] < 1.0000001


@pytest.mark.parametrize("function", [rm.team_draft, rm.team_draft_preference])
def test_a_misspelt_team(function):
    drafts = pd.DataFrame([(*row[:3], {"A": "ranker-a", "B": "ranker-b"}.get(row[3]), row[4]) for row in DRAFTS])
    drafts.columns = DRAFTED
    with pytest.raises(rm.DataError, match=r"No item came from a team called 'rankerb'\. Did you mean 'ranker-b'"):
        function(drafts, ["ranker-a", "rankerb"])
    assert function(drafts[drafts.team != "ranker-b"], ["ranker-a", "rankerb"]).fetchall()


def test_preferences_that_there_are_not():
    drafts = pd.DataFrame(DRAFTS, columns=DRAFTED)
    for level in (0, 1, 1.5, "high", 0.9999999999999999):
        with pytest.raises(rm.UsageError, match="confidence_level"):
            rm.team_draft_preference(drafts, ["A", "B"], confidence_level=level)
    with pytest.raises(rm.UsageError, match="teams takes the names of two teams"):
        rm.team_draft_preference(drafts, ["A"])
    with pytest.raises(rm.DataError, match="No row has a request and a user"):
        rm.team_draft_preference("SELECT NULL AS request_id, 'A' AS team, 1 AS clicked", ["A", "B"])
    with pytest.raises(rm.UsageError, match=r"confidence_level is a number above 0 and at most 0\.99999, not 2"):
        macros()["team_draft_preference"]("drafts", ["A", "B"], confidence_level=2)


@pytest.fixture
def files(shop, tmp_path):
    """The tables as files, the log's options, and a table of an interleaving."""
    for table in ("shown", "done"):
        shop.execute(f"COPY {table} TO '{tmp_path}/{table}.csv'")
    pd.DataFrame(DRAFTS, columns=DRAFTED).to_csv(tmp_path / "drafts.csv", index=False)
    return tmp_path


_LEVEL = ["--confidence-level", "0.5"]


def test_the_commands(cli, files):
    log = ["--events", files / "shown.csv", files / "done.csv"]
    found = cli("propensities", *log, "--query", "asked", "--method", "pivot_one", "--format", "csv")
    assert found.stdout == "position,propensity\n1,1.0\n"
    found = cli("coec", *log, "--by", "asked", "--format", "json")
    assert [(row["asked"], row["impressions"], row["coec"]) for row in json.loads(found.stdout)] == [
        ("bed", 2, 1.0),
        ("desk", 2, 1.0),
    ]
    by_item = json.loads(cli("coec", *log, "--rel", "2", "--format", "json").stdout)
    assert [(row["item_id"], row["clicks"], row["coec"]) for row in by_item] == [
        ("x", 0, None),
        ("y", 0, None),
        ("z", 0, None),
    ]
    found = cli("team-draft", files / "drafts.csv", "--teams", "A,B", "--user", "user_id", "--format", "csv")
    assert [line.split(",")[-1] for line in found.stdout.splitlines()] == ["preference", "0", "1"]
    arguments = ["team-draft", files / "drafts.csv", "--teams", "A,B", "--user", "user_id", "--preference"]
    rows = [json.loads(cli(*arguments, *more, "--format", "json").stdout)[0] for more in ([], _LEVEL)]
    assert [row["preference"] for row in rows] == pytest.approx([1 / 3, 1 / 3], abs=1e-12)
    assert rows[0]["ci_lower"] < rows[1]["ci_lower"] == pytest.approx(0, abs=1e-9)  # the level of t = 1 is a half
    found = cli(
        "team-draft", files / "drafts.csv", "--teams", "B,A", "--columns", "team=team", "--output", files / "o.csv"
    )
    assert (files / "o.csv").read_text().splitlines()[1].startswith("r1,0")
    assert found.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["coec"], 2, "Pass either TABLE or a log, such as --events IMPRESSIONS EVENTS."),
        (["coec", "shown.csv", "--events", "shown.csv", "done.csv"], 2, "Pass either TABLE or a log"),
        (["coec", "shown.csv"], 1, "no column 'relevance' for relevance"),
        (["coec", "shown.csv", "--columns", "grade=position"], 2, "--columns: unknown 'grade'"),
        (["coec", "shown.csv", "--columns", "item_id=a,item_id=b"], 2, "--columns gives item_id two columns"),
        (["coec", "shown.csv", "--format", "trec"], 2, "--format trec cannot hold"),
        (["coec", "shown.csv", "--dialect", "postgres"], 2, "--dialect has no effect without a database"),
        (["coec", "shown.csv", "--rule", "item=a"], 2, "--rule and --quality need a log. Pass one, too: --events"),
        (
            ["propensities", "shown.csv", "--query", "asked", "--method", "regression"],
            2,
            "Invalid value for '--method'",
        ),
        (["propensities", "--events", "shown.csv", "done.csv", "--query", "ask"], 1, "Did you mean 'asked'"),
        (
            ["team-draft", "drafts.csv", "--teams", "A,B", *_LEVEL],
            2,
            "--confidence-level has no effect without an interval. Pass --preference, too",
        ),
        (["team-draft", "drafts.csv", "--teams", "A"], 2, "teams takes the names of two teams"),
        (["team-draft", "shown.csv", "--teams", "A,B"], 1, "no column 'team' for team"),
    ],
)
def test_commands_that_cannot_be_meant(cli, files, arguments, code, said):
    found = cli(*(files / text if text.endswith(".csv") else text for text in arguments))
    assert (found.exit_code, found.stdout) == (code, "")
    assert said in found.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", ["clickhouse", "googlesql", "mariadb", "postgres-15", "sqlite"])
def test_in_every_engine(start_engine, name):
    engine = start_engine(name)
    rows = [(*row[:4], None if row[4] is None else float(row[4])) for row in log_of(6)]
    texts = {"request_id": "text", "query": "text", "item_id": "text"}
    engine.load("seen", texts | {"position": "bigint", "relevance": "double"}, rows)
    engine.load("drafts", dict.fromkeys(DRAFTED[:4], "text") | {"clicked": "bigint"}, DRAFTS)
    render = macros(engine.dialects[0])
    for method in ("pivot_one", "adjacent_chain"):
        found = engine.fetch(render["propensities"]("seen", method=method))[1]
        wanted = expected(rates(rows), method)
        assert {row[0]: row[1] for row in found if row[1] is not None} == pytest.approx(wanted, abs=1e-12)
    found = engine.fetch(render["coec"]("seen"))[1]
    wanted = clicks_over_expected(rows, lambda row: row[2])
    assert {row[0]: row[4] for row in found} == pytest.approx({key: row[3] for key, row in wanted.items()}, abs=1e-12)
    found = engine.fetch(render["ctr_by_position"]("seen"))[1]
    assert [row[0] for row in found] == [1, 2, 3, 4, 5]
    given = {"by": ["query"], "columns": {"query": "request_id"}, "rel": 2, "confidence_level": 0.9}
    wanted_rows = rm.ctr_by_position(frame(log_of(6)), "query", request="request_id", rel=2, confidence_level=0.9)
    for row, right in zip(engine.fetch(render["ctr_by_position"]("seen", **given))[1], wanted_rows, strict=True):
        assert row[0] == right[0]
        assert [float(value) for value in row[1:]] == pytest.approx(right[1:], rel=1e-12, abs=1e-12)
    assert sum(row[2] for row in found) == sum(row[1] for row in wanted.values())
    assert [tuple(row) for row in engine.fetch(render["team_draft_credit"]("drafts", ["A", "B"]))[1]] == WON
    by_user = render["team_draft_credit"]("drafts", ["A", "B"], columns={"user": "user_id"})
    assert [tuple(row) for row in engine.fetch(by_user)[1]] == WON_BY_USER
    wanted = rm.team_draft_preference(pd.DataFrame(DRAFTS, columns=DRAFTED), ["A", "B"], user="user_id").fetchall()
    found = engine.fetch(render["team_draft_preference"]("drafts", ["A", "B"], columns={"user": "user_id"}))[1]
    assert [float(value) for value in found[0]] == pytest.approx(wanted[0], rel=1e-12)


@pytest.mark.parametrize("function", [rm.team_draft, rm.team_draft_preference])
@pytest.mark.parametrize(
    ("team", "clicked", "said"), [("b", 1, True), ("b", 0, False), (None, 1, False), ("B", 1, False)]
)
def test_a_click_on_an_item_of_another_team_is_said(function, team, clicked, said):
    drafts = pd.DataFrame([*DRAFTS, ("r9", "u9", "z", team, clicked)], columns=DRAFTED)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(drafts, ["A", "B"])
    found = [str(one.message) for one in caught if "other teams" in str(one.message)]
    assert len(found) == said
    assert all("count for neither: 'b' (1)" in message for message in found)

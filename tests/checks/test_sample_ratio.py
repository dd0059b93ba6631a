"""Arms that have not as many queries as the design gives them: scipy's test of the counts."""

from __future__ import annotations

import random
import re
import sqlite3
import warnings
from collections import Counter

import duckdb
import pandas as pd
import pytest
from scipy import stats

import rankmetrics_sql as rm

from ..conftest import fill, quietly
from ..everything import each_once, seeds

JUDGED = {f"q{number}": {"x": 1} for number in range(2_000)}
QUERIES = list(JUDGED)


def arms(*sizes):
    """Runs of queries of their own, which have ends that differ."""
    found, first = {}, 0
    for name, size in zip("abc", sizes, strict=False):
        queries = QUERIES[first : first + size]
        found[name] = {query: ["x"] if place % 3 else ["y", "x"] for place, query in enumerate(queries)}
        first += size
    return found


def compared(runs, **given):
    runs = dict(runs)
    options = {"design": "unpaired", "queries": "judged_retrieved", "baseline": "a", **given}
    return quietly(rm.compare, runs.pop("a"), runs, JUDGED, "rr", **options)


def mismatches(found):
    return [text for text in found.warnings if text.startswith("Sample ratio mismatch")]


def warned(runs, **given):
    """What is warned of the sample ratio."""
    return mismatches(compared(runs, **given))


def stated(found):
    """The numbers of the note: counts and p."""
    [note] = [text for text in found.notes if text.startswith("Sample ratio")]
    counts, p = re.match(
        r"Sample ratio ([\d, :]+),(?: by design [\d.: ]+,)? arm sizes (?:not )?as planned \((p .*?\d)\)\.(?: |$)", note
    ).groups()
    return [int(count.replace(",", "")) for count in counts.split(" : ")], p


def written(pvalue):
    """As papers have it."""
    return "p < .0001" if pvalue < 0.0001 else f"p = {f'{pvalue:.2g}'.removeprefix('0')}"


@pytest.mark.parametrize(
    ("sizes", "shares"),
    each_once(
        [(500, 399), (500, 400), (500, 401), (200, 150), (300, 300, 399), (5, 0.2)],
        [None, {"a": 5, "b": 4}, {"a": 0.9, "b": 0.1}],
    ),
)
def test_it_is_stated_and_warned_of_where_scipy_says_so(sizes, shares):
    sizes = tuple(max(1, int(size)) for size in sizes)
    if shares is not None and len(sizes) > 2:
        shares = {**shares, "c": 1}
    weights = list(shares.values()) if shares else [1] * len(sizes)
    wanted = [sum(sizes) * weight / sum(weights) for weight in weights]
    pvalue = stats.chisquare(sizes, wanted).pvalue
    found = compared(arms(*sizes), shares=shares)
    assert stated(found) == (list(sizes), written(pvalue))
    assert (shares is not None) == ("by design" in found.notes[0])
    said = mismatches(found)
    assert len(said) == int(pvalue < 0.001)
    if said:
        first, *others = (f"{size:,} in {name}" for name, size in zip("abc", sizes, strict=False))
        counts = ", ".join([first.replace(" in", " queries in"), *others])
        expected = [f"{number:,.0f}" for number in wanted]
        different = f"{', '.join(expected[:-1])} and {expected[-1]} expected"
        each = f"{expected[0]} expected in each" if len(set(wanted)) == 1 else different
        assert said[0].startswith(f"Sample ratio mismatch: {counts}, {each} ({written(pvalue)}).")


class Units:
    """Queries with an arm, a group and a user: random, or with a group whose arms are uneven; and what scipy says."""

    def __init__(self, seed):
        rng = random.Random(seed)
        names, size = "abc"[: rng.choice([2, 3])], rng.choice([40, 400])
        self.rows = []
        for query in range(size):
            market = rng.choice(["de", "fr", None])
            weights = [6 if market == "fr" and name == "a" and seed % 2 else 1 for name in names]
            user = f"u{rng.randrange(size // 2)}" if rng.random() < 0.95 else None
            self.rows.append((f"q{query}", rng.choices(names, weights)[0], market, user))
        self.names = [name for name in names if any(row[1] == name for row in self.rows)]

    def frame(self):
        return pd.DataFrame([(q, m, u) for q, _, m, u in self.rows], columns=["query_id", "market", "who"])

    def runs(self):
        return {name: {q: ["x"] for q, arm, *_ in self.rows if arm == name} for name in self.names}

    def ratio(self, by_user, weights, market="every"):
        """The counts, p, and how many are in several arms: what is in several anywhere is of none."""
        seen, there = {}, set()
        for query, arm, own, user in self.rows:
            unit = user if by_user else query
            if unit is not None:
                seen.setdefault(unit, set()).add(arm)
                if market in ("every", own):
                    there.add((unit, arm))
        counts = [sum(arm == name and len(seen[unit]) == 1 for unit, arm in there) for name in weights]
        expected = [sum(counts) * weight / sum(weights.values()) for weight in weights.values()]
        pvalue = stats.chisquare(counts, expected).pvalue if sum(counts) else None
        return counts, pvalue, len({unit for unit, _ in there if len(seen[unit]) > 1})


@pytest.mark.parametrize("seed", seeds(36, 3))
def test_in_total_and_in_groups_it_is_that_of_scipy(seed):
    units, rng, where = Units(seed), random.Random(seed), ["query_list", "qrels", "run"][seed % 3]
    by_user, designed = seed % 4 > 1, rng.random() < 0.5
    weights = {name: rng.choice([1, 2]) if designed else 1 for name in units.names}
    if designed and rng.random() < 0.5:
        weights["z"] = 0.5  # nobody is there
    runs, qrels, listed = units.runs(), {q: {"x": 1} for q, *_ in units.rows}, None
    frame = units.frame()
    if where == "query_list":
        listed = frame
    elif where == "qrels":
        qrels = frame.assign(item_id="x", relevance=1)
    else:
        runs = {name: frame[frame["query_id"].isin(run)].assign(item_id="x", score=1.0) for name, run in runs.items()}
    given = {"cluster": "who"} if by_user else {}
    baseline = units.names[0]
    found = quietly(
        rm.compare, runs.pop(baseline), runs, qrels, "rr", baseline=baseline, design="unpaired", by="market",
        queries="judged_retrieved", query_list=listed, shares=weights if designed else None, **given,
    )  # fmt: skip
    counts, pvalue, n_shared = units.ratio(by_user, weights)
    assert stated(found) == (counts, written(pvalue))
    several = "both" if len(weights) == 2 else "several"
    one, more = ("value of who is", "values of who are") if by_user else ("query is", "queries are")
    shared = f"{n_shared} {one if n_shared == 1 else more} in {several} arms, left out of the ratio."
    assert (shared in found.notes[0]) == bool(n_shared)
    markets = dict.fromkeys(row[2] for row in units.rows)
    by_market = {market: units.ratio(by_user, weights, market)[1] for market in markets}
    corrected = {market: min(1, own * len(markets)) for market, own in by_market.items() if own is not None}
    assert f"the most uneven has {written(min(corrected.values()))}, corrected" in found.notes[0]
    wanted = [""] * int(pvalue < 0.001) + [f" in market={market}" for market in corrected if corrected[market] < 0.001]
    said = [re.match("Sample ratio mismatch(.*?):", text)[1] for text in mismatches(found)]
    assert sorted(said) == sorted(wanted)


def test_a_database_counts_the_same():
    """SQLite, where groups and users are columns of the list of queries."""
    units = Units(5)
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE asked (query_id TEXT, market TEXT, who TEXT)")
        fill(connection, "asked", [(q, market, who) for q, _, market, who in units.rows])
        connection.execute("CREATE TABLE judged (query_id TEXT, item_id TEXT, relevance REAL)")
        fill(connection, "judged", [(q, "x", 1) for q, *_ in units.rows])
        connection.execute("CREATE TABLE shown (run_id TEXT, query_id TEXT, item_id TEXT, score REAL)")
        fill(connection, "shown", [(arm, q, "x", 1) for q, arm, *_ in units.rows])
        arms = rm.labelled(
            "SELECT s.*, j.relevance FROM shown s JOIN judged j USING (query_id, item_id)", columns={"run_id": "run_id"}
        )
        given = {"baseline": "a", "query_list": "asked", "by": "market", "connection": connection, "design": "unpaired"}
        for cluster in (None, "who"):
            found = quietly(rm.compare, arms, "rr", cluster=cluster, **given)
            weights = dict.fromkeys(units.names, 1)
            counts, pvalue, _ = units.ratio(cluster is not None, weights)
            assert stated(found) == (counts, written(pvalue))
            own = [units.ratio(cluster is not None, weights, market)[1] for market in ("de", "fr", None)]
            assert f"the most uneven has {written(min(1, 3 * min(own)))}, corrected" in found.notes[0]


def test_an_uneven_group_is_found_in_an_even_whole():
    """Twice as many in one market, half as many in the other."""
    runs = arms(300, 300)
    frame = pd.DataFrame({"query_id": QUERIES[:600]})
    frame["market"] = ["de" if (number < 200 or number >= 500) else "fr" for number in range(600)]
    found = compared(runs, query_list=frame, by="market")
    assert stated(found) == ([300, 300], "p = 1")
    of_groups = sorted(text.split(" (")[0] for text in mismatches(found))
    assert of_groups == [
        "Sample ratio mismatch in market=de: 200 queries in a, 100 in b, 150 expected in each",
        "Sample ratio mismatch in market=fr: 100 queries in a, 200 in b, 150 expected in each",
    ]
    assert all("after correction for 2 groups" in text for text in mismatches(found))
    assert compared(runs, query_list=frame).notes == ["Sample ratio 300 : 300, arm sizes as planned (p = 1)."]


def test_who_is_in_both_arms_is_one_and_of_neither():
    """40 users have a query in each arm; n_clusters counts them once, and the comparison still has their queries."""
    frame = pd.DataFrame({"query_id": QUERIES[:400], "who": [f"u{number % 220}" for number in range(400)]})
    found = compared(arms(200, 200), query_list=frame, cluster="who")
    shared = len(set(frame["who"][:200]) & set(frame["who"][200:]))
    assert [row["n_clusters"] for row in found.summary.dicts()] == [220]
    assert stated(found)[0] == [200 - shared, 20]
    assert f"{shared} values of who are in both arms, left out of the ratio." in found.notes[0]
    assert any(text.startswith(f"{shared} values of who are in both arms, of 220: ") for text in found.warnings)
    few = pd.DataFrame({"query_id": QUERIES[:400], "who": [f"u{number % 399}" for number in range(400)]})
    found = compared(arms(200, 200), query_list=few, cluster="who")
    assert "1 value of who is in both arms, left out of the ratio." in found.notes[0]
    assert not any("both arms" in text for text in found.warnings)


def test_runs_of_the_same_queries_are_no_arms():
    run = {query: ["x"] for query in QUERIES[:50]}
    found = compared({"a": run, "b": run})
    assert found.notes == ["Sample ratio 0 : 0. 50 queries are in both arms, left out of the ratio."]
    assert (len(mismatches(found)), any("both arms, of 50" in text for text in found.warnings)) == (0, True)


def test_an_arm_of_the_design_without_a_query_is_the_alarm():
    found = compared(arms(50, 50), shares={"a": 1, "b": 1, "c": 1})
    assert stated(found) == ([50, 50, 0], "p < .0001")
    [text] = mismatches(found)
    assert text.startswith("Sample ratio mismatch: 50 queries in a, 50 in b, 0 in c, 33 expected in each (p < .0001).")
    assert not warned(arms(50, 50), shares={"a": 1, "b": 1, "c": 1e-6})


def test_of_a_log_without_its_candidate_the_alarm_is_heard_before_the_error():
    shown = pd.DataFrame(
        [(f"r{n}", "x", 1, "old") for n in range(40)], columns=["request_id", "item_id", "position", "arm"]
    )
    done = pd.DataFrame([("r1", "x", "click")], columns=["request_id", "item_id", "event_type"])
    log = rm.events(shown, done, arm="arm")
    with (
        pytest.warns(rm.RankmetricsWarning, match="mismatch: 0 queries in new, 40 in old, 20 expected in each"),
        pytest.raises(rm.DataError, match="'old' is the only run"),
    ):
        rm.compare(log, "rr", baseline="old", shares={"old": 1, "new": 1})


def test_it_stands_below_every_comparison_of_arms(cli, tmp_path):
    """In the terminal, in tables for papers, in notebooks; with a request that shows nothing, which counts too."""
    found = compared(arms(500, 490))
    note = "Sample ratio 500 : 490, arm sizes as planned (p = .75)."
    assert repr(found).splitlines()[-1].endswith(note)
    assert note in found._repr_html_()
    rows = [(f"r{n}", f"i{p}", p, "new" if n % 3 else "old") for n in range(30) for p in (1, 2)]
    pd.DataFrame(rows, columns=["request_id", "item_id", "position", "arm"]).to_csv(tmp_path / "shown.csv", index=False)
    clicks = [(f"r{n}", f"i{1 + n % 2}", "click") for n in range(30)]
    pd.DataFrame(clicks, columns=["request_id", "item_id", "event_type"]).to_csv(tmp_path / "done.csv", index=False)
    requests = [(f"r{n}", "new" if n % 3 else "old") for n in range(30)] + [("none", "old")]
    pd.DataFrame(requests, columns=["request_id", "arm"]).to_csv(tmp_path / "asked.csv", index=False)
    log = ["compare", "--events", *(str(tmp_path / f"{name}.csv") for name in ("shown", "done"))]
    log += ["--rule", "arm=arm", "--baseline", "old", "-m", "rr", "--shares", "old=1,new=2"]
    for form in ("table", "markdown", "latex"):
        said = cli(*log, "--format", form).stdout
        assert "Sample ratio 10 : 20, by design 1 : 2, arm sizes as planned (p = 1)." in said
    every = [*log, "--rule", "requests=logged", "--rule", f"queries={tmp_path / 'asked.csv'}"]
    assert "Sample ratio 11 : 20, by design 1 : 2, arm sizes as planned (p = .8)." in cli(*every).stdout
    assert "Sample ratio" not in cli(*log, "--format", "csv").stdout
    assert "Sample ratio" not in repr(compared(arms(5, 5), check="none"))


@pytest.mark.parametrize("where", ["query_list", "run", "qrels"])
def test_of_clusters_the_clusters_are_counted(where):
    """As many queries in each arm; those of one are of ten users, those of the other of a hundred."""
    queries = QUERIES[:400]
    frame = pd.DataFrame({"query_id": queries, "item_id": "x", "score": 1.0, "relevance": 1})
    frame["who"] = [f"u{number % 10}" if number < 200 else f"v{number % 100}" for number in range(400)]
    first, second = frame[:200], frame[200:]
    run = ["query_id", "item_id", "score", *(["who"] if where == "run" else [])]
    qrels = frame[["query_id", "item_id", "relevance", *(["who"] if where == "qrels" else [])]]
    listed = frame[["query_id", "who"]] if where == "query_list" else None
    given = {"design": "unpaired", "queries": "judged_retrieved", "query_list": listed, "baseline": "a"}
    even = quietly(rm.compare, first[run], {"b": second[run]}, qrels, "rr", shares={"a": 1, "b": 1.0}, **given)
    assert stated(even)[0] == [200, 200]
    assert not mismatches(even)
    found = quietly(rm.compare, first[run], {"b": second[run]}, qrels, "rr", cluster="who", **given)
    [said] = mismatches(found)
    assert said.startswith("Sample ratio mismatch: 10 values of who in a, 100 in b, 55 expected in each (p < .0001).")
    assert "cluster=" not in said


def test_only_queries_of_the_list_are_counted():
    runs = arms(500, 300)
    assert warned(runs)
    assert not warned(runs, query_list=QUERIES[200:800])


def test_arms_of_a_column():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE shown AS SELECT i AS request_id, 'x' || p AS item_id, p AS position,"
            " CASE WHEN i % 3 = 0 THEN 'new' ELSE 'control' END AS arm FROM range(600) r(i), range(1, 3) s(p)"
        )
        connection.execute(
            "CREATE TABLE clicks AS SELECT i AS request_id, 'x' || (1 + i % 2) AS item_id, 'click' AS event_type"
            " FROM range(600) r(i)"
        )
        log = rm.events("shown", "clicks", arm="arm")
        with pytest.warns(rm.RankmetricsWarning, match="400 queries in control, 200 in new, 300 expected in each"):
            rm.compare(log, "rr", baseline="control", connection=connection)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rm.compare(log, "rr", baseline="control", connection=connection, shares={"control": 2, "new": 1})


def test_nothing_is_said_where_nothing_is_checked():
    assert not warned(arms(500, 300), check="none")
    assert warned(arms(500, 300), check="none", shares={"a": 1, "b": 1})
    assert not warned(arms(500, 500))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"shares": {"a": 1, "bb": 1}},
            "shares: the arm b has queries but no share. There are shares of a, bb. Correct",
        ),
        ({"shares": {"a": 1, "control": 1}}, "the arm b has queries but no share. There are shares of a, control"),
        ({"shares": {"a": 1}}, "shares is the share of each of two arms or more"),
        ({"shares": {"a": 1, "b": 0}}, "shares is the share of each of two arms or more"),
        ({"shares": {"a": 1, "b": True}}, "shares is the share of each of two arms or more"),
        ({"shares": 0.5}, "shares is the share of each of two arms or more"),
        ({"shares": {"a": 1, "b": 1}, "design": "paired", "queries": "judged"}, "shares= needs arms"),
    ],
)
def test_shares_that_are_none(given, message):
    with pytest.raises(rm.UsageError, match=message):
        warned(arms(50, 50), **given)


@pytest.mark.parametrize("cluster", [None, "visitor"])
def test_groups_that_only_one_arm_has_are_named(cluster):
    """Each arm has two requests of each of five countries, but both lack some: those that no row is about are named."""
    countries = {"a": ["de", "es", "fr", "it", None], "b": ["de", "fr", "pl"]}
    rows = [
        (f"{arm}{country}{n}", "x", 1, arm, country, f"{arm}{n}")
        for arm, own in countries.items()
        for country in own
        for n in (1, 2)
    ]
    with duckdb.connect() as connection:
        columns = "request_id VARCHAR, item_id VARCHAR, position INTEGER, arm VARCHAR, country VARCHAR, visitor VARCHAR"
        connection.execute(f"CREATE TABLE shown ({columns})")
        connection.executemany(f"INSERT INTO shown VALUES ({', '.join('?' * 6)})", rows)
        log = rm.events("shown", "SELECT *, 'click' AS event_type FROM shown WHERE country <> 'it'", arm="arm")
        asked = {"baseline": "a", "by": "country", "cluster": cluster, "connection": connection}
        found = quietly(rm.compare, log, "mrr", **asked)
        assert [row["country"] for row in found.summary.dicts()] == ["de", "fr"]
        [said] = [text for text in found.warnings if "no row" in text]
        told = "4 of 6 groups have no row, because b or a has no query with a value there: "
        assert said == f"{told}country=es; country=it; country=pl and 1 more."
        whole = quietly(rm.compare, log, "mrr", **asked | {"by": ()})
    assert not [text for text in whole.warnings if "no row" in text]


def searches(seed):
    """A log of users who search often or seldom, each in one arm but for a few: what scipy says of users, by market."""
    rng = random.Random(seed)
    rows = []
    for number in range(rng.choice([60, 200])):
        user = f"u{number}"
        arm = rng.choice("AB") if seed % 3 else rng.choice("AAAB")
        market = rng.choice(["de", "fr"])
        for _ in range(1 + int(rng.paretovariate(1.1))):
            if rng.random() < 0.02:
                arm = "B" if arm == "A" else "A"
            rows.append((f"r{len(rows)}", user if number % 20 else None, arm, market))
    return rows


def of_users(rows, market="every"):
    """The users of each arm who are in no other, p, and how many are in both."""
    arms_of, there = {}, {}
    for _, user, arm, own in rows:
        if user is not None:
            arms_of.setdefault(user, set()).add(arm)
            if market in ("every", own):
                there.setdefault(user, set()).add(arm)
    lone = [next(iter(arms_of[user])) for user in there if len(arms_of[user]) == 1]
    counts = [lone.count("A"), lone.count("B")]
    return counts, stats.chisquare(counts).pvalue, sum(len(found) > 1 for found in arms_of.values())


@pytest.mark.parametrize("where", ["impressions", "queries"])
@pytest.mark.parametrize("connect", [duckdb.connect, lambda: sqlite3.connect(":memory:")], ids=["duckdb", "sqlite"])
@pytest.mark.parametrize("seed", seeds(12, 1))
def test_users_are_counted_where_they_are_known(seed, connect, where):
    """Users are assigned to arms, not their searches: also where the table of all requests alone names them."""
    rows, place = searches(seed), connect()
    place.execute("CREATE TABLE shown (request_id TEXT, item_id TEXT, position INTEGER, arm TEXT, market TEXT)")
    place.execute("CREATE TABLE done (request_id TEXT, item_id TEXT, event_type TEXT)")
    place.execute("CREATE TABLE asked (request_id TEXT, who TEXT)")
    rng = random.Random(seed)
    fill(
        place,
        "shown",
        [(request, item, n, arm, market) for request, _, arm, market in rows for n, item in ((1, "x"), (2, "y"))],
    )
    fill(place, "done", [(request, rng.choice("xy"), "click") for request, *_ in rows])
    fill(place, "asked", [(request, user) for request, user, *_ in rows])
    given, shown = {"queries": "asked", "requests": "logged"}, "shown"
    if where == "impressions":
        given, shown = {}, "SELECT s.*, a.who FROM shown s JOIN asked a ON a.request_id = s.request_id"
    log = rm.events(shown, "done", arm="arm", user="who", **given)
    found = quietly(rm.compare, log, "rr", baseline="A", by="market", connection=place)
    counts, pvalue, n_shared = of_users(rows)
    [note] = [text for text in found.notes if text.startswith("Sample ratio")]
    sizes = f"{counts[0]} : {counts[1]}, arm sizes {'not ' if pvalue < 0.001 else ''}as planned"
    assert note.startswith(f"Sample ratio by who {sizes} ({written(pvalue)}).")
    assert (f"{n_shared} values of who are in both arms" in note) == (n_shared > 1)
    groups = {market: 2 * of_users(rows, market)[1] for market in ("de", "fr")}
    said = [text for text in mismatches(found) if "mismatch in" not in text]
    assert len(said) == (pvalue < 0.001)
    assert {market for market in groups if any(f"market={market}" in text for text in mismatches(found))} == {
        market for market, own in groups.items() if own < 0.001
    }
    repeated = Counter(user for _, user, *_ in rows if user is not None)
    several = sum(count > 1 for count in repeated.values())
    warning = f"events: {several} of {len(repeated)} users (who) have several requests. They count as independent,"
    assert any(text.startswith(warning) and "cluster='who' computes" in text for text in found.warnings)
    assert not any("pass cluster=." in text for text in found.warnings)
    by_user = quietly(rm.compare, log, "rr", baseline="A", by="market", connection=place, cluster="who")
    [other] = [text for text in by_user.notes if text.startswith("Sample ratio")]
    assert other == note.replace(" by who", "")


@pytest.mark.long
def test_searches_of_users_are_no_mismatch():
    """Users by the coin and ten searches of each: of the searches one in two such experiments would be an alarm."""
    alarms = {True: 0, False: 0}
    for seed in range(20):
        rng = random.Random(seed)
        rows = []
        for number in range(100):
            user, arm = f"u{number}", rng.choice("AB")
            rows += [(f"r{number}_{n}", "x", 1, arm, user) for n in range(40 if number % 5 == 0 else 5)]
        shown = pd.DataFrame(rows, columns=["request_id", "item_id", "position", "arm", "who"])
        done = pd.DataFrame(
            [(row[0], "x", "click") for row in rows[::2]], columns=["request_id", "item_id", "event_type"]
        )
        for user in ("who", None):
            found = quietly(rm.compare, rm.events(shown, done, arm="arm", user=user), "rr", baseline="A")
            said = mismatches(found)
            alarms[user is not None] += bool(said)
            assert all("If queries were assigned" in text and "pass cluster=" in text for text in said if user is None)
    assert alarms[True] == 0
    assert alarms[False] > 5

"""Judgments from clicks: each click model beside a loop in plain Python, over messy logs, on every road."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import groupby, product
from pathlib import Path

import duckdb
import pytest

import rankmetrics_sql as rm

from ..conftest import fill, quietly
from ..everything import mostly_long, seeds

MODELS = ("ctr", "coec", "cascade", "sdbn")
NAMES = ("request", "term", "item", "place", "page", "arm", "agent")
COLUMNS = {"request": "request", "item": "item", "position": "place", "type": "kind"}
UBI = Path(__file__).parents[1] / "data" / "ubi" / "ubi_queries_events.ndjson.gz"


def messy(seed, n_requests=60, *, one_text=False, with_faults=True):
    """Impressions and clicks: repeated rows, gaps, several clicks, bots, requests with two texts or none."""
    draw = random.Random(seed)
    shown, done = [], []
    for number in range(n_requests):
        request, page, arm = f"r{number:03}", draw.choice(["home", "search", None]), draw.choice("AB")
        term = draw.choice(["rug", "Rug", "sofa", "lamp ", "bed", None])
        agent = draw.choice(["person", "person", "person", "bot"])
        places = sorted(draw.sample(range(1, 8), draw.randrange(1, 6)))
        items = draw.sample([f"i{n}" for n in range(8)], len(places))
        for item, place in zip(items, places, strict=True):
            at, other = place, term
            if with_faults:
                at = draw.choice([place] * 12 + [None, -1])
                other = term if one_text else draw.choice([term] * 30 + ["sofa", None])
            row = (request, other, item, at, page, arm, agent)
            shown += [row] * draw.choice([1, 1, 1, 2])
            if with_faults and draw.random() < 0.1:
                shown.append((request, other, item, draw.randrange(1, 9), page, arm, agent))
            if draw.random() < 0.3:
                done += [(request, item, draw.choice(["click", "click", "buy"]))] * draw.choice([1, 1, 2])
        if with_faults and draw.random() < 0.1:
            done.append((request, "unseen", "click"))
            shown.append((request, term, None, 1, page, arm, agent))
    draw.shuffle(shown)
    draw.shuffle(done)
    return shown, done


def searches(shown, done, actions=("click",), form=lambda text: text):
    """The requests with one text: it, and its items as (position, item, page, whether it was clicked), once each."""
    clicked = {(request, item) for request, item, kind in done if kind in actions}
    found = {}
    for request, rows in groupby(sorted(shown, key=lambda row: row[0]), key=lambda row: row[0]):
        usable = [row for row in rows if row[2] is not None and row[3] is not None and row[3] >= 0]
        texts = {form(row[1]) for row in usable if row[1] is not None}
        highest = {}
        for _, _, item, place, page, *_ in usable:
            highest[item] = min((place, page), highest.get(item, (place, page)), key=lambda one: one[0])
        items = sorted((place, item, page, (request, item) in clicked) for item, (place, page) in highest.items())
        if len(texts) == 1:
            found[request] = (*texts, items)
    return found


def share(part, whole, all_parts, all_wholes, prior):
    """A part of a whole with prior more of the mean; 0 where there is nothing of the part."""
    mean = Fraction(all_parts, all_wholes) if all_wholes else 0
    return Fraction(part + prior * mean) / (whole + prior) if prior else Fraction(part, whole) if part else Fraction(0)


def by_hand(found, model, *, prior=1, no_click="all", by_page=False):
    """Of each text and item: the estimate, impressions, clicks and expected clicks, counted request by request."""
    seen, clicked = Counter(), Counter()
    for _, items in found.values():
        for place, _, page, is_clicked in items:
            seen[place, page if by_page else 0] += 1
            clicked[place, page if by_page else 0] += is_clicked
    counts = defaultdict(Counter)
    for text, items in found.values():
        clicks = [place for place, _, _, is_clicked in items if is_clicked]
        stop = None if not clicks else min(clicks) if model == "cascade" else max(clicks)
        for place, item, page, is_clicked in items:
            at = (place, page if by_page else 0)
            pair = counts[text, item]
            pair["shown"] += 1
            pair["clicks"] += is_clicked
            pair["expected"] += Fraction(clicked[at], seen[at])
            pair["looks"] += place <= stop if clicks else no_click == "all"
            pair["stops"] += is_clicked and place == stop
    total = sum(counts.values(), Counter())
    estimates = {}
    for key, n in counts.items():

        def of(part, whole, n=n):
            return share(n[part], n[whole], total[part], total[whole], prior)

        if model == "coec":
            plain = n["clicks"] / n["expected"] if n["clicks"] else 0
            value = (n["clicks"] + prior) / (n["expected"] + prior) if prior else plain
        elif model == "sdbn":
            value = of("clicks", "looks") * of("stops", "clicks")
        else:
            value = of("clicks", "shown") if model == "ctr" else of("stops", "looks")
        estimates[key] = (value, n["shown"], n["clicks"], n["expected"])
    return estimates


def quantiles(estimates, n_grades):
    """The grade of each pair: how many of n_grades equal parts of the pairs are below it."""
    values = [value for value, *_ in estimates.values()]
    return {
        key: n_grades * sum(other < value for other in values) // len(values) for key, (value, *_) in estimates.items()
    }


def limits(*numbers):
    """Thresholds as they are written: an estimate of 1/20 is at 0.05, though no double is."""
    return [Fraction(str(number)) for number in numbers]


def rows_of(judged):
    return {tuple(row[:2]): tuple(row[2:]) for row in quietly(judged.fetchall)}


def assert_same(judged, expected):
    found = rows_of(judged)
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        assert found[key] == pytest.approx([float(value) for value in values], abs=1e-12), key


def load(connection, shown, done):
    connection.execute(
        "CREATE TABLE shown (request TEXT, term TEXT, item TEXT, place INT, page TEXT, arm TEXT, agent TEXT)"
    )
    connection.execute("CREATE TABLE done (request TEXT, item TEXT, kind TEXT)")
    fill(connection, "shown", shown)
    fill(connection, "done", done)


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


CHOICES = [
    {},
    {"prior": 0},
    {"prior": 2.5, "no_click": "none"},
    {"prior": 0, "no_click": "none", "group": "page"},
    {"group": "page", "min_impressions": 3},
]


@pytest.mark.parametrize("model", mostly_long(MODELS, "sdbn"))
@pytest.mark.parametrize("seed", seeds(12, 1))
def test_beside_a_loop(connection, seed, model):
    shown, done = messy(seed)
    load(connection, shown, done)
    log = rm.events("shown", "done", **COLUMNS, arm="arm")
    found = searches(shown, done)
    for given in CHOICES:
        judged = rm.judgments(log, "term", model, **given, connection=connection)
        least = given.get("min_impressions", 1)
        rules = {name: value for name, value in given.items() if name in ("prior", "no_click")}
        expected = by_hand(found, model, by_page="group" in given, **rules)
        assert_same(judged, {key: values for key, values in expected.items() if values[1] >= least})


@pytest.mark.parametrize("seed", seeds(8, 0))
def test_rules_beside_each_other(connection, seed):
    """Actions, bots, texts that are made alike, and grades."""
    shown, done = messy(seed)
    load(connection, shown, done)
    people = [row for row in shown if row[6] != "bot"]
    log = rm.events("shown", "done", **COLUMNS, where="agent <> 'bot'")
    both = ["click", "buy"]
    found = searches(people, done, both, lambda text: text.lower().strip())
    expected = by_hand(found, "sdbn")
    given = {"action": both, "normalise": "lower, trim", "connection": connection}
    assert_same(rm.judgments(log, "term", **given), expected)
    graded = rows_of(rm.judgments(log, "term", grades=4, **given))
    assert {key: row[0] for key, row in graded.items()} == quantiles(expected, 4)
    cuts = sorted({value for value, *_ in expected.values()})[1::5]
    cut = rows_of(rm.judgments(log, "term", grades=[float(cut) for cut in cuts], **given))
    assert {key: row[0] for key, row in cut.items()} == {
        key: sum(value >= cut for cut in cuts) for key, (value, *_) in expected.items()
    }
    assert any(value in cuts for value, *_ in expected.values())
    frequent = rm.judgments(log, "term", **given, min_impressions=2)
    quality = quietly(lambda: frequent.data_quality.fetchall())
    n_pairs = Counter(n >= 2 for _, n, *_ in expected.values())
    assert {row[1]: row[2] for row in quality if row[0] == "pairs"} == {
        "used": n_pairs[True],
        "too few impressions": n_pairs[False],
    }
    texts = {text for (text, _), (_, n, *_) in expected.items() if n >= 2}
    requests = {row[1]: row[2] for row in quality if row[0] == "requests"}
    assert requests["used"] == sum(text in texts for text, _ in found.values())
    assert sum(requests.values()) == len({row[0] for row in people if row[2] and row[3] is not None and row[3] >= 0})


# Ten sessions of one text with their numbers by hand: a was looked at in all ten, b in 8, c in 5.
SESSIONS = ["a", "a", "b", "b", "c", "ab", "bc", "", "", "ac"]
OF_SESSIONS = {
    "ctr": [4 / 10, 4 / 10, 3 / 10],
    "coec": [1, 1, 1],
    "cascade": [4 / 10, 3 / 6, 1 / 3],
    "sdbn": [4 / 10 * 2 / 4, 4 / 8 * 3 / 4, 3 / 5 * 3 / 3],
}


def sessions():
    return [
        (f"s{number}", "rug", item, place, int(item in clicked))
        for number, clicked in enumerate(SESSIONS)
        for place, item in enumerate("abc", start=1)
    ]


@pytest.mark.parametrize("model", mostly_long(MODELS, "cascade"))
def test_ten_sessions(connection, model):
    connection.execute("CREATE TABLE rows (request_id TEXT, term TEXT, item_id TEXT, position INT, relevance INT)")
    fill(connection, "rows", sessions())
    judged = rm.judgments("rows", "term", model, prior=0, connection=connection)
    assert judged.warnings == []
    assert [row["relevance"] for row in judged.dicts()] == pytest.approx(OF_SESSIONS[model], abs=1e-12)
    assert [(row["query_id"], row["item_id"], row["clicks"]) for row in judged.dicts()] == [
        ("rug", "a", 4),
        ("rug", "b", 4),
        ("rug", "c", 3),
    ]


class ByPyClick:
    """PyClick's SDBN, by reading: each factor begins at 1 of 2; a session without a click was looked at to its end."""

    def __init__(self, sessions):
        attractive, satisfying = defaultdict(lambda: [1, 2]), defaultdict(lambda: [1, 2])
        for text, items in sessions:
            clicks = [rank for rank, (_, _, _, clicked) in enumerate(items) if clicked]
            last = clicks[-1] if clicks else len(items)
            for rank, (_, item, _, clicked) in enumerate(items):
                if rank <= last:
                    attractive[text, item][0] += clicked
                    attractive[text, item][1] += 1
                if clicked:
                    satisfying[text, item][0] += rank == last
                    satisfying[text, item][1] += 1
        self.attractive, self.satisfying = attractive, satisfying

    def relevance(self, pair):
        """What ``predict_relevance`` returns."""
        (a, n), (s, m) = self.attractive[pair], self.satisfying[pair]
        return a / n * (s / m)


def half_clicked(seed):
    """Sessions of two items, of which half of the looks and half of the clicks count: a mean of 1/2 of each factor."""
    draw = random.Random(seed)
    texts = [draw.choice("xy") for _ in range(12)]
    sessions = [(text, [(1, "a", None, True), (2, "b", None, True)]) for text in texts]  # one last click of two
    nothing = [(draw.choice("xyz"), [(1, draw.choice("ab"), None, False), (2, "c", None, False)]) for _ in range(12)]
    return {f"r{n}": one for n, one in enumerate(sessions + nothing)}


def as_rows(found):
    return [
        (request, text, item, place, int(clicked))
        for request, (text, items) in found.items()
        for place, item, _, clicked in items
    ]


@pytest.mark.parametrize("seed", seeds(3, 1))
def test_as_pyclick_does(connection, seed):
    """Its prior is 1 of 2, which is ours of the weight 2 where the means are 1/2."""
    found = half_clicked(seed)
    connection.execute("CREATE TABLE rows (request_id TEXT, term TEXT, item_id TEXT, position INT, relevance INT)")
    fill(connection, "rows", as_rows(found))
    theirs = ByPyClick(found.values())
    judged = rm.judgments("rows", "term", "sdbn", prior=2, connection=connection).dicts()
    assert len({row["relevance"] for row in judged}) > 3
    for row in judged:
        assert row["relevance"] == pytest.approx(theirs.relevance((row["query_id"], row["item_id"])), abs=1e-12)


def by_opensearch(rows):
    """OpenSearch's COEC, by reading: the clicks of a pair over its impressions times the rate at its highest rank."""
    shown, clicked, pairs = Counter(), Counter(), defaultdict(lambda: [0, 0, 10**6])
    for _, text, item, place, click in rows:
        shown[place] += 1
        clicked[place] += click
        pair = pairs[text, item]
        pair[0], pair[1], pair[2] = pair[0] + click, pair[1] + 1, min(pair[2], place)
    expected = {key: clicked[rank] / shown[rank] * n for key, (_, n, rank) in pairs.items()}
    return {key: clicks / expected[key] if expected[key] else 0 for key, (clicks, _, _) in pairs.items()}


@pytest.mark.parametrize("seed", seeds(3, 0))
def test_as_opensearch_does(connection, seed):
    """Where each item of a text stands at one position; elsewhere it takes the highest for all impressions."""
    draw = random.Random(seed)
    rows = [
        (f"r{n}", text, f"{text}{place}", place, int(draw.random() < 0.5 / place))
        for n in range(60)
        for text in [draw.choice("xyz")]
        for place in range(1, draw.randrange(2, 6))
    ]
    connection.execute("CREATE TABLE rows (request_id TEXT, term TEXT, item_id TEXT, position INT, relevance INT)")
    fill(connection, "rows", rows)
    judged = rm.judgments("rows", "term", "coec", prior=0, connection=connection).dicts()
    assert {(row["query_id"], row["item_id"]): row["relevance"] for row in judged} == pytest.approx(by_opensearch(rows))


START = datetime(2026, 3, 1)


def in_schema(schema, shown, done, connection):
    """The same log as a tracker has it, and the source of it; a visitor has one request."""
    moments = {request: START + timedelta(hours=n) for n, request in enumerate(sorted({row[0] for row in shown}))}
    connection.execute("CREATE TABLE shown (request TEXT, term TEXT, item TEXT, place INT, page TEXT, arm TEXT)")
    connection.execute("CREATE TABLE done (request TEXT, item TEXT)")
    connection.execute("CREATE TABLE moments (request TEXT, moment TIMESTAMP)")
    fill(connection, "shown", [row[:6] for row in shown])
    fill(connection, "done", [row[:2] for row in done if row[2] == "click"])
    fill(connection, "moments", list(moments.items()))
    connection.execute(OF_SCHEMAS[schema])
    tables = {"segment": ("viewed", "clicked"), "ubi": ("queries", "happened")}.get(schema, ("happened",))
    return getattr(rm, schema)(*tables, arm="arm")


_LISTS = """
    SELECT request, moment, MAX(term) AS term, MAX(page) AS page, MAX(arm) AS arm, {list} AS listed
    FROM shown JOIN moments USING (request) GROUP BY request, moment
"""
OF_SCHEMAS = {
    "ubi": """
        CREATE TABLE queries AS SELECT DISTINCT request AS query_id FROM shown;
        CREATE TABLE happened AS
        SELECT request AS query_id, 'impression' AS action_name, moment AS timestamp, term, page, arm,
            {'object': {'object_id': item}, 'position': {'ordinal': place}} AS event_attributes
        FROM shown JOIN moments USING (request)
        UNION ALL
        SELECT request, 'click', moment, NULL, NULL, NULL,
            {'object': {'object_id': item}, 'position': {'ordinal': NULL}}
        FROM done JOIN moments USING (request)
    """,
    "snowplow": """
        CREATE TABLE happened AS
        SELECT request AS event_id, 'shop' AS app_id, request AS domain_userid, moment AS derived_tstamp, term,
            page, arm, 'list_view' AS ecommerce_action_type, item AS product_id, place AS product_list_position
        FROM shown JOIN moments USING (request)
        UNION ALL
        SELECT 'c' || request, 'shop', request, moment + INTERVAL 1 MINUTE, NULL, NULL, NULL, 'list_click', item, NULL
        FROM done JOIN moments USING (request)
    """,
    "segment": f"""
        CREATE TABLE viewed AS
        SELECT request AS id, request AS anonymous_id, moment AS timestamp, term, page, arm, listed AS products
        FROM ({_LISTS.format(list="LIST({'product_id': item, 'position': place})")});
        CREATE TABLE clicked AS
        SELECT request AS anonymous_id, moment + INTERVAL 1 MINUTE AS timestamp, item AS product_id
        FROM done JOIN moments USING (request)
    """,
    "ga4": f"""
        CREATE TABLE happened AS
        SELECT 'view_item_list' AS event_name, request AS user_pseudo_id, EPOCH_US(moment) AS event_timestamp, term,
            page, arm, listed AS items
        FROM ({
        _LISTS.format(
            list="LIST({'item_id': item, 'item_list_id': 'l', 'item_list_name': 'l',"
            " 'item_list_index': CAST(place AS VARCHAR)})"
        )
    })
        UNION ALL
        SELECT 'select_item', request, EPOCH_US(moment + INTERVAL 1 MINUTE), NULL, NULL, NULL,
            [{{'item_id': item, 'item_list_id': 'l', 'item_list_name': 'l', 'item_list_index': NULL}}]
        FROM done JOIN moments USING (request)
    """,
}


@pytest.mark.parametrize("schema", OF_SCHEMAS)
@pytest.mark.parametrize("seed", seeds(4, 0))
def test_every_schema(connection, schema, seed):
    """Lists in one event have one text and page; elsewhere each row has its own."""
    shown, done = messy(seed, 40, one_text=schema in ("segment", "ga4"))
    found = searches(shown, done)
    log = in_schema(schema, shown, done, connection)
    for model, given in (("sdbn", {"group": "page"}), ("coec", {"group": "page"}), ("cascade", {}), ("ctr", {})):
        judged = rm.judgments(log, "term", model, **given, connection=connection)
        assert_same(judged, by_hand(found, model, by_page=bool(given)))


def logged(connection, seed=3, **rules):
    shown, done = messy(seed)
    load(connection, shown, done)
    return rm.events("shown", "done", **COLUMNS, **rules), searches(shown, done)


def as_qrels(estimates):
    qrels = defaultdict(dict)
    for (text, item), (value, *_) in estimates.items():
        qrels[text][item] = float(value)
    return dict(qrels)


RUN = {text: [f"i{n}" for n in order] for text, order in (("rug", "30127"), ("sofa", "5"), ("Rug", "76"))}


@pytest.mark.long
def test_it_goes_wherever_judgments_go(connection):
    log, found = logged(connection)
    expected = as_qrels(by_hand(found, "sdbn"))
    metrics = ["ndcg@3", "dcg@2", "cg@3", "idcg@2", "judged@3"]
    wanted = quietly(rm.evaluate, RUN, expected, metrics)
    rows = [(text, item, -place) for text, items in RUN.items() for place, item in enumerate(items)]
    connection.execute("CREATE TABLE runs (query_id TEXT, item_id TEXT, score DOUBLE)")
    fill(connection, "runs", rows)
    judged = rm.judgments(log, "term")
    result = quietly(rm.evaluate, "runs", judged, metrics, connection=connection)
    values = {metric: pytest.approx(wanted[metric], abs=1e-12) for metric in metrics}
    assert {metric: result[metric] for metric in metrics} == values
    assert not [warning for warning in result.warnings if "relevant, because" in warning]
    there = rm.judgments(log, "term", connection=connection)  # and the run is here
    here = quietly(rm.evaluate, RUN, there, metrics)
    assert {metric: here[metric] for metric in metrics} == values
    printed = connection.execute(rm.sql(metrics, "runs", judged)).fetchall()
    assert {metric: value for metric, value, _ in printed} == values
    result.create_view("quality")
    assert {row[0]: row[1] for row in connection.execute("FROM quality").fetchall()} == values
    quietly(there.create_table, "labels")
    stored = quietly(rm.evaluate, "runs", "labels", metrics, connection=connection)
    assert {metric: stored[metric] for metric in metrics} == values
    assert [row[:2] for row in connection.execute(there.sql).fetchall()] == [row[:2] for row in quietly(there.fetchall)]
    qrels = as_qrels(
        {key: (sum(value >= 0.05 * 4**n for n in range(2)),) for key, (value, *_) in by_hand(found, "sdbn").items()}
    )
    plain = quietly(rm.compare, RUN, {"new": {"rug": ["i1", "i2"]}}, qrels, ["rr", "ap"], test="sign")
    other = rm.judgments(log, "term", grades=[0.05, 0.2], connection=connection)
    compared = quietly(rm.compare, RUN, {"new": {"rug": ["i1", "i2"]}}, other, ["rr", "ap"], test="sign")
    assert compared.summary.fetchall() == plain.summary.fetchall()


@pytest.mark.long
def test_texts_of_two_columns_and_of_the_table_of_requests(connection):
    shown, done = messy(5)
    load(connection, shown, done)
    log = rm.events("shown", "done", **COLUMNS)
    both = rm.judgments(log, ["arm", "term"], connection=connection)
    assert quietly(lambda: both.columns)[:3] == ["arm", "term", "item_id"]
    arms = {row[0]: row[5] for row in shown}
    found = {request: ((arms[request], text), items) for request, (text, items) in searches(shown, done).items()}
    expected = {(*text, item): values for (text, item), values in by_hand(found, "sdbn").items()}
    assert {row[:3]: row[3] for row in quietly(both.fetchall)} == {
        key: pytest.approx(float(values[0]), abs=1e-12) for key, values in expected.items()
    }
    connection.execute(
        "CREATE TABLE asked AS SELECT DISTINCT request, 'q' || request[-1:] AS words, 'x' AS term FROM shown"
    )
    known = rm.events("shown", "done", **COLUMNS, requests="logged", queries="asked")
    elsewhere = searches([(row[0], "q" + row[0][-1], *row[2:]) for row in shown], done)
    for by in ("words", "queries.words", "asked.words"):
        assert_same(rm.judgments(known, by, connection=connection), by_hand(elsewhere, "sdbn"))
    one = searches([(row[0], "x", *row[2:]) for row in shown], done)
    assert_same(rm.judgments(known, "queries.term", connection=connection), by_hand(one, "sdbn"))
    usable = [row for row in shown if row[2] is not None and row[3] is not None and row[3] >= 0]
    named = {row[0] for row in usable if row[1] is not None}  # both tables name a text of these, two in all
    unnamed = searches([(row[0], "x", *row[2:]) for row in shown if row[0] not in named], done)
    assert_same(rm.judgments(known, "term", connection=connection), by_hand(unnamed, "sdbn"))


@pytest.mark.long
def test_a_run_that_made_the_clicks(connection):
    log, _ = logged(connection, arm="arm")
    judged = rm.judgments(log, "term", connection=connection)
    runs = {"A": RUN, "new": {"rug": ["i1"], "sofa": ["i5"]}}
    compared = quietly(rm.compare, runs["new"], {"A": RUN}, rm.judgments(log, "term"), "ndcg@3", connection=connection)
    assert any("A is an arm of the log" in warning for warning in compared.warnings)
    compared = quietly(rm.evaluate, runs, judged, "ndcg@3")
    assert any("grade a ranker by its own clicks" in warning for warning in compared.warnings)
    others = quietly(rm.evaluate, {"old": RUN, "new": runs["new"]}, judged, "ndcg@3")
    assert not any("own clicks" in warning for warning in others.warnings)
    rows = "SELECT 'B' AS system, 'rug' AS query_id, 'i1' AS item_id, 1.0 AS score"
    named = quietly(
        rm.evaluate, rows, rm.judgments(log, "term"), "ndcg", columns={"run_id": "system"}, connection=connection
    )
    assert any("B is an arm of the log" in warning for warning in named.warnings)


@pytest.mark.long
def test_what_is_said_of_a_log(connection):
    shown = [
        ("r1", "rug", "a", 1, "p", "A", ""),
        ("r1", "rug", "b", 4, "p", "A", ""),
        ("r2", "Rug ", "a", 1, "p", "A", ""),
    ]
    shown += [
        ("r3", None, "a", 1, "p", "A", ""),
        ("r4", "rug", "a", 1, "p", "A", ""),
        ("r4", "bed", "b", 2, "p", "A", ""),
    ]
    done = [("r1", "a", "click"), ("r1", "z", "click"), ("r9", "a", "click")]
    load(connection, shown, done)
    judged = rm.judgments(rm.events("shown", "done", **COLUMNS), "term", connection=connection)
    with pytest.warns(rm.RankmetricsWarning):
        judged.fetchall()
    said = "\n".join(judged.warnings)
    for part in (
        "3 pairs of text and item are judged. Their texts cover 50.0% of 4 requests.",
        "Left out: 1 with no text and 1 with two texts (term).",
        "2 texts differ from another only in case or spaces around them. normalise='lower, trim' makes them one.",
        "1 position above the last one shown has no impression.",
        "2 actions are about an item that the request did not show. Left out.",
    ):
        assert part in said
    result = quietly(rm.evaluate, {"rug": ["a"]}, judged, "ndcg@1")
    assert result.warnings
    few = rm.judgments(rm.events("shown", "done", **COLUMNS), "term", min_impressions=5, connection=connection)
    with pytest.raises(rm.DataError, match="none of 3 pairs of text and item has 5 impressions"):
        few.fetchall()
    with pytest.raises(rm.DataError, match="the estimates of 3 pairs have 2 values, fewer than grades=3"):
        quietly(
            rm.judgments(rm.events("shown", "done", **COLUMNS), "term", "ctr", grades=3, connection=connection).fetchall
        )
    nobody = rm.judgments("SELECT 1 AS request_id, NULL AS term, 'a' AS item_id, 1 AS position, 1 AS relevance", "term")
    with pytest.raises(rm.DataError, match=r"no request has one text \(term\)"):
        nobody.fetchall()


@pytest.mark.parametrize("metric", mostly_long(["rr", "ndcg(gain=exp2)@3", "ap", "p@3", "err@3"], "rr"))
def test_metrics_that_make_nothing_of_estimates(connection, metric):
    log, _ = logged(connection)
    with pytest.raises(rm.UsageError, match=r"needs grades, and judgments of events are estimates. Pass grades=4"):
        quietly(rm.evaluate, RUN, rm.judgments(log, "term"), metric, connection=connection)
    with pytest.raises(rm.UsageError, match="needs grades"):
        rm.sql(metric, "runs", rm.judgments(log, "term"))
    assert quietly(rm.evaluate, RUN, rm.judgments(log, "term", grades=[0.1, 0.3], connection=connection), metric)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "pbm"}, "model=pbm is fitted in rounds"),
        ({"model": "dcm"}, "model is ctr, coec, cascade or sdbn, not 'dcm'"),
        ({"prior": -1}, "prior is a number of impressions, 0 or more, not -1"),
        ({"prior": float("nan")}, "prior is a number"),
        ({"prior": True}, "prior is a number"),
        ({"no_click": "some"}, "no_click is all or none, not 'some'"),
        ({"min_impressions": 0}, "min_impressions is a whole number from 1 on, not 0"),
        ({"grades": 1}, "grades is a number of grades from 2 on, or a list of rising thresholds"),
        ({"grades": [0.3, 0.1]}, "list of rising thresholds"),
        ({"grades": []}, "list of rising thresholds"),
        ({"grades": "4"}, "list of rising thresholds"),
        ({"normalise": "stem"}, "normalise is lower, trim or both, not 'stem'"),
        ({"normalise": 3}, "normalise takes lower, trim or both, not 3"),
        ({"by": []}, "by is empty"),
        ({"by": 3}, "by takes a column name or a list of them"),
        ({"position": None}, "model=sdbn needs the position of each impression"),
        ({"action": "buy"}, "action= needs a log with several actions, and a table has one"),
    ],
)
def test_arguments_that_are_none(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.judgments("rows", **{"by": "term"} | given)


def test_inputs_that_are_none(connection):
    log, _ = logged(connection)
    connection.execute("CREATE TABLE unplaced AS SELECT DISTINCT request, term, item FROM shown WHERE item IS NOT NULL")
    unplaced = rm.events("unplaced", "done", request="request", item="item", type="kind")
    with pytest.raises(rm.DataError, match=r"no column 'position'.*model=sdbn reads positions.*pass model='ctr'"):
        rm.judgments(unplaced, "term", connection=connection).fetchall()
    plain = rm.judgments(unplaced, "term", "ctr", prior=0, connection=connection)
    assert {row["expected_clicks"] is None for row in quietly(plain.dicts)} == {False}
    with pytest.raises(rm.DataError, match="no column 'words'"):
        rm.judgments(log, "words", connection=connection).fetchall()
    with pytest.raises(rm.UsageError, match="is no log of impressions and clicks"):
        rm.judgments(rm.lists("x"), "term")
    with pytest.raises(rm.UsageError, match="segment has one"):
        rm.judgments(rm.segment("a", "b"), "term", action="buy")
    twice = "SELECT 'r' AS request_id, 'x' AS term, 'a' AS item_id, 1 AS position, 1 AS relevance FROM range(2)"
    with pytest.raises(rm.DataError, match="1 item stands twice in a request"):
        rm.judgments(twice, "term").fetchall()
    table = "SELECT 'r' AS request_id, 'x' AS term, 'a' AS item_id, 1 AS relevance"
    judged = rm.judgments(table, "term", "ctr").dicts()
    assert [(row["relevance"], row["expected_clicks"]) for row in judged] == [(1, None)]


ENGINES = ["clickhouse", "mariadb", "postgres-15", "spark", "sqlite", "trino"]


@pytest.mark.long
@pytest.mark.parametrize("name", ENGINES)
def test_in_every_engine(start_engine, name):
    engine = start_engine(name)
    shown, done = messy(11)
    types = {column: "bigint" if column == "place" else "text" for column in NAMES[:6]}
    texts_by_form = {"Rug": "carpet", "lamp ": "lamp"}  # engines compare texts in ways of their own
    shown = [(row[0], texts_by_form.get(row[1], row[1]), *row[2:]) for row in shown]
    engine.load("shown_for_clicks", types, [row[:6] for row in shown])
    engine.load("done_for_clicks", {"request": "text", "item": "text", "kind": "text"}, done)
    log = rm.events("shown_for_clicks", "done_for_clicks", **COLUMNS, arm="arm")
    found = searches(shown, done)
    for model, given in product(MODELS, CHOICES):
        judged = rm.judgments(log, "term", model, **given, connection=engine.connection)
        rules = {name: value for name, value in given.items() if name in ("prior", "no_click")}
        expected = by_hand(found, model, by_page="group" in given, **rules)
        expected = {key: values for key, values in expected.items() if values[1] >= given.get("min_impressions", 1)}
        rows = {tuple(row[:2]): [float(value) for value in row[2:]] for row in quietly(judged.fetchall)}
        assert rows == {
            key: pytest.approx([float(value) for value in values], rel=1e-9) for key, values in expected.items()
        }, (model, given)
    expected = by_hand(found, "sdbn")
    graded = rm.judgments(log, "term", grades=4, connection=engine.connection)
    assert {tuple(row[:2]): int(row[2]) for row in quietly(graded.fetchall)} == quantiles(expected, 4)
    graded = rm.judgments(log, "term", grades=[0.05, 0.3], normalise="lower, trim")
    runs = {"query_id": "text", "item_id": "text", "score": "double"}
    engine.load("run_for_clicks", runs, [(text, f"i{n}", -float(n)) for text in ("sofa", "bed") for n in range(5)])
    result = quietly(rm.evaluate, "run_for_clicks", graded, ["ndcg@3", "rr"], connection=engine.connection)
    qrels = as_qrels(
        {key: (sum(value >= limit for limit in limits(0.05, 0.3)),) for key, (value, *_) in expected.items()}
    )
    run = {text: {f"i{n}": -n for n in range(5)} for text in ("sofa", "bed")}
    wanted = quietly(rm.evaluate, run, qrels, ["ndcg@3", "rr"])
    assert [result[name] for name in ("ndcg@3", "rr")] == pytest.approx([wanted[name] for name in ("ndcg@3", "rr")])


def test_on_the_command_line(cli, connection, tmp_path):
    _, found = logged(connection)
    file = str(tmp_path / "shop.duckdb")
    connection.execute(f"ATTACH '{file}' AS shop")
    connection.execute("CREATE TABLE shop.shown AS FROM shown; CREATE TABLE shop.done AS FROM done; DETACH shop")
    rules = ["--rule=request=request", "--rule=item=item", "--rule=position=place", "--rule=type=kind"]
    asked = ["judgments", "--events", "shown", "done", *rules, "--by", "term", "--database", file]
    into = [*asked, "--model", "cascade", "--no-click", "none", "--prior", "2", "--min-impressions", "2"]
    stored = cli(*into, "--grades", ".1,.3", "--into", "labels", "--format", "csv")
    assert stored.exit_code == 0, stored.stderr
    expected = by_hand(found, "cascade", prior=2, no_click="none")
    grades = {key: sum(v[0] >= limit for limit in limits(0.1, 0.3)) for key, v in expected.items() if v[1] >= 2}
    lines = [line.split(",") for line in stored.stdout.splitlines()[1:]]
    assert {(text, item): int(float(grade)) for text, item, grade, *_ in lines} == grades
    with duckdb.connect(file) as shop:
        assert {row[:2]: row[2] for row in shop.execute("FROM labels").fetchall()} == grades
    both = cli(*asked, "--grades", "2", "--normalise", "lower,trim", "--action", "click", "--action", "buy")
    assert (both.exit_code, "Their texts cover" in both.stderr) == (0, True)
    for given, message in (
        (["--grades", "many"], "--grades takes a number of grades, such as 4, or thresholds"),
        (["--grades", "3,1"], "a list of rising thresholds"),
        (["--prior", "-1"], "prior is a number of impressions"),
        (["--columns", "score=x"], "--columns: unknown 'score'"),
    ):
        failed = cli(*asked, *given)
        assert (failed.exit_code, message in failed.stderr) == (2, True), failed.stderr
    shown = tmp_path / "shown.csv"
    shown.write_text("rid,term,item_id,position,relevance\n1,rug,a,1,1\n1,rug,b,2,0\n", encoding="utf-8")
    table = cli("judgments", shown, "--by", "term", "--columns", "request_id=rid", "--model", "ctr", "--prior", "0")
    assert (table.exit_code, table.stdout.split()[9:11]) == (0, ["1.0000", "1"]), table.output

"""What stands on a report's page: the numbers of the results, text as text, and nothing of the network."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import sys
from datetime import date
from html.parser import HTMLParser

import duckdb
import pandas
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.engines.duckdb.engine import DuckDB, Loading
from rankmetrics_sql.report.gathering import PageRequest

from ..conftest import DEMO, quietly
from ..everything import each_once, mostly_long
from .reports import REPORTS

OLD, NEW = DEMO / "covidex.sim.run.gz", DEMO / "covidex.t5.run.gz"
QRELS = DEMO / "qrels.txt"
HOSTILE = [
    *("<script>alert(1)</script>", "=cmd|' /C calc'!A0", "\u202egnp.exe"),
    *("x" * 10_000, '"><img src=x>', "</script>"),
]


class Page(HTMLParser):
    """The tables of a page by their names, its tags, and its text outside of programs and styles."""

    def __init__(self, text):
        super().__init__()
        self.source, self.tags, self.tables, self.text = text, [], {}, ""
        self._row, self._inside = None, None
        self.feed(text)
        rows = re.search(r'<script type="application/json" id="rows">(.*?)</script>', text, flags=re.DOTALL)[1]
        self.rows = json.loads(rows)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        self._inside = tag if tag in ("script", "style") else None
        if tag == "table":
            self._rows = self.tables.setdefault(attributes["data-name"], [])
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("th", "td"):
            self._rows[-1].append("")

    def handle_endtag(self, tag):
        self._inside = None
        if tag == "table":
            self._rows = None

    def handle_data(self, data):
        if self._inside is None:
            self.text += data
            if getattr(self, "_rows", None) and data.strip() and self._rows[-1]:
                self._rows[-1][-1] += data


@pytest.fixture
def drawn_page(tmp_path):
    """Writes a report of a result, and reads it."""

    def read(result):
        path = tmp_path / "report.html"
        quietly(result.report, path)
        return Page(path.read_text(encoding="utf-8"))

    return read


@pytest.fixture
def page(drawn_page, undrawn):
    """The same without its pictures: for what stands in tables and in words."""
    return drawn_page


def runs_of(n_queries, seed=1, names=("old", "new")):
    rng = random.Random(seed)
    qrels = {f"q{number}": {f"d{item}": rng.choice([0, 1, 2]) for item in range(4)} for number in range(n_queries)}
    return {
        name: {query: {item: rng.random() for item in [*own, "u"]} for query, own in qrels.items()} for name in names
    }, qrels


@pytest.fixture(scope="module")
def compared():
    """A comparison of the demo's runs."""
    return quietly(rm.compare, OLD, {"new": NEW}, QRELS, ["AP"])


@pytest.fixture(scope="module")
def its_page(compared, tmp_path_factory):
    """The page of that comparison."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    quietly(compared.report, path)
    return Page(path.read_text(encoding="utf-8"))


@pytest.mark.long
def test_a_log_with_arms_has_no_queries_to_show(page):
    found = page(quietly(REPORTS["a log with arms"][0]))
    assert 'href="#queries"' not in found.source
    assert 'id="queries"' not in found.source
    assert [row[0] for row in found.tables["values"][1:]] == ["old", "old", "new", "new"]  # the baseline first


ITEMS = {f"items-{number}" for number in range(1, 6)}  # of the lists that are drawn


def test_lists_have_their_items_in_a_table(drawn_page):
    """Rank by rank, with the grades that nobody or somebody gave; a grade has one colour in all lists."""
    found = drawn_page(quietly(rm.compare, OLD, {"new": NEW}, QRELS, ["nDCG@10"]))
    moved = quietly(rm.movements, OLD, {"new": NEW}, QRELS, k=10).summary.dicts()
    captions = re.findall(r"<caption>Items of query (\d+) ", found.source)
    assert len(captions) == 5
    for number, query in enumerate(captions, start=1):
        header, *rows = found.tables[f"items-{number}"]
        assert header == ["rank", "item in covidex.sim", "grade in covidex.sim", "item in new", "grade in new"]
        expected = {rank: [str(rank), "", "", "", ""] for rank in range(1, 11)}
        for row in moved:
            for place, side in ((1, "baseline_rank"), (3, "candidate_rank")):
                if row["query_id"] == query and row[side] is not None:
                    grade = "not judged" if row["relevance"] is None else f"{row['relevance']:g}"
                    expected[row[side]][place : place + 2] = [row["item_id"], grade]
        assert rows == [*expected.values()]
        assert f"item: {rows[0][1]}; run: covidex.sim" in found.source  # where the pointer is
    legends = {tuple(re.findall(r">(grade \d|not judged)</text>", svg)) for svg in found.source.split("<svg")[1:]}
    assert {"grade 0", "grade 1", "grade 2"} <= set.intersection(*[set(one) for one in legends if one])


def test_the_numbers_are_those_of_the_comparison(page):
    compared = quietly(
        rm.compare, OLD, {"new": NEW}, QRELS, ["nDCG@10", "AP"], correction="bonferroni", confidence_level=0.9
    )
    found = page(compared)
    header, *rows = found.tables["differences"]
    assert header[:2] == ["metric", "verdict"]  # a single candidate has no column
    assert header[4:6] == ["difference", "90 % interval"]
    for row, record in zip(rows, compared.summary.dicts(), strict=True):
        interval = f"[{record['effect_size_ci_lower']:.4f}, {record['effect_size_ci_upper']:.4f}]"
        assert row[0] == record["metric"]
        assert row[1:6] == [
            record["verdict"],
            *(f"{record['baseline']:.4f}", f"{record['candidate']:.4f}"),
            *(f"{record['effect_size']:+.4f}", interval),
        ]
        assert f"in {record['metric']}: {record['effect_size']:.4f} higher (" in found.text
        assert f"of the baseline, 90 % interval {interval}" in found.text
    assert "p corrected over all 2 tests (Bonferroni), 35 queries" in found.text
    assert "new is better than covidex.sim.run" not in found.text
    assert "new is better than covidex.sim in nDCG@10" in found.text


def test_the_values_are_those_of_the_evaluation(page):
    result = quietly(rm.evaluate, [OLD, NEW], QRELS, ["P@5"], interval="t")
    _, *rows = page(result).tables["values"]
    records = result.summary.dicts()
    assert [row[0] for row in rows] == ["covidex.sim", "covidex.t5"]
    assert [row[2] for row in rows] == [f"{record['value']:.4f}" for record in records]
    assert [row[3] for row in rows] == [f"[{record['ci_lower']:.4f}, {record['ci_upper']:.4f}]" for record in records]


def test_queries_stand_in_the_order_of_their_changes(compared, its_page):
    found = its_page
    differences = {row["query_id"]: row["difference"] for row in compared.per_query.dicts()}
    rows = found.rows["queries"]
    assert [abs(row[5]["n"]) for row in rows] == sorted(map(abs, differences.values()), reverse=True)
    assert {row[0]: row[5]["n"] for row in rows} == pytest.approx(differences)
    assert len(found.tables["queries"]) == 21  # the page alone has the header and the first
    assert "A query's change is exact for that query." in found.text


def test_one_run_is_not_compared(drawn_page):
    found = drawn_page(quietly(rm.evaluate, NEW, QRELS, ["AP"]))
    assert set(found.tables) == {"values", "queries", *ITEMS}
    worst = [
        row["query_id"]
        for row in sorted(quietly(rm.evaluate, NEW, QRELS, ["AP"]).per_query.dicts(), key=lambda row: row["AP"])
    ][:5]
    pictures = [given["aria-label"] for tag, given in found.tags if given.get("role") == "img"]
    assert [text for text in pictures if text.startswith("Query ")] == [
        next(text for text in pictures if text.startswith(f"Query {query}: the first 10 of the run."))
        for query in worst
    ]
    values = [row[2]["n"] for row in found.rows["queries"]]
    assert values == sorted(values)
    assert " is better than " not in found.text


def test_segments_have_tables_of_their_own(drawn_page):
    runs, qrels = runs_of(12)
    data = [{"query_id": query, "market": [None, "de", "it"][number % 3]} for number, query in enumerate(qrels)]
    found = drawn_page(quietly(rm.evaluate, runs, qrels, ["ap"], by="market", query_list=pandas.DataFrame(data)))
    assert {row[0] for row in found.tables["segment-differences"][1:]} == {"(NULL)", "de", "it"}
    assert len(found.tables["differences"]) == 2
    assert len(found.tables["segment-values"]) == 1 + 6


@pytest.fixture
def statements(monkeypatch):
    """The statements that DuckDB runs, and those whose rows it loads."""
    seen = []

    def recorded(own):
        def record(self, *arguments):
            seen.append(" ".join(map(str, arguments)))
            return own(self, *arguments)

        return record

    for owner, name in ((DuckDB, "run"), (Loading, "table")):
        monkeypatch.setattr(owner, name, recorded(getattr(owner, name)))
    return seen


def reading(statements):
    """How many of them read one of the runs."""
    return sum(bool(re.search(r"\bFROM (old|new)_run\b", statement)) for statement in statements)


@pytest.fixture
def tables():
    """A database with two runs, judgments in two markets on two days, and the names of the runs."""
    connection = duckdb.connect()
    runs, qrels = runs_of(12)
    for name, run in runs.items():
        rows = [(query, item, score) for query, own in run.items() for item, score in own.items()]
        connection.register("rows", pandas.DataFrame(rows, columns=["query_id", "item_id", "score"]))
        connection.execute(f"CREATE TABLE {name}_run AS SELECT * FROM rows")
    rows = [
        (query, item, grade, ["de", "it"][number % 2], f"2024-01-0{1 + number % 2}")
        for number, (query, own) in enumerate(qrels.items())
        for item, grade in own.items()
    ]
    columns = ["query_id", "item_id", "relevance", "market", "day"]
    connection.register("rows", pandas.DataFrame(rows, columns=columns))
    connection.execute("CREATE TABLE judged AS SELECT * REPLACE (CAST(day AS DATE) AS day) FROM rows")
    return connection, {"old": "old_run", "new": "new_run"}


def test_the_runs_are_read_once_for_all_that_is_on_the_page(statements, page, tables):
    connection, runs = tables
    result = quietly(rm.evaluate, runs, "judged", ["ndcg@5", "ap"], by="market", connection=connection)
    n_before = reading(statements)
    statements.clear()
    found = page(result)
    of_groups = {"segment-differences", "segment-values"}
    assert set(found.tables) == {"differences", "values", *of_groups, "queries", *ITEMS}
    assert found.text.count("Lists side by side") == 1
    # checks as before, the values of queries in place of their summary; what the runs share, the lists, and of each run
    # how many of the first places have an item
    assert reading(statements) == n_before + 2 + len(runs)
    assert connection.execute("SELECT COUNT(*) FROM duckdb_tables() WHERE temporary").fetchone() == (0,)


def test_files_are_loaded_once(statements, page):
    compared = quietly(rm.compare, OLD, {"new": NEW}, QRELS, ["ap"])
    assert any(OLD.name in statement for statement in statements)
    statements.clear()
    page(compared)
    loaded = [statement for statement in statements if "read_" in statement]
    assert not loaded
    reading = [statement for statement in statements if 'covidex.sim.run.gz"' in statement]
    counting = [statement for statement in reading if "AS n_places" in statement]
    assert len(reading) - len(counting) == 2  # the values, and the lists
    assert len(counting) <= 2  # how many places have an item: for the warning, and for the page


@pytest.mark.parametrize(
    ("given", "table"),
    [
        ({"period": "day", "columns": {"qrels.time": "day"}}, "segment-values"),
        ({"limits": {"ap": 0.01}}, "differences"),
    ],
    ids=["periods", "limits"],
)
def test_what_is_not_of_all_results(page, tables, given, table):
    connection, runs = tables
    if "limits" in given:
        result = quietly(rm.compare, "old_run", {"new": "new_run"}, "judged", ["ap"], **given, connection=connection)
    else:
        result = quietly(rm.evaluate, runs, "judged", ["ap"], **given, connection=connection)
    assert len(page(result).tables[table]) > 1


def test_runs_in_one_table_are_not_compared(page, tables):
    connection, _ = tables
    both = "(SELECT *, 'old' AS tag FROM old_run UNION ALL SELECT *, 'new' FROM new_run)"
    result = quietly(rm.evaluate, both, "judged", ["ap"], columns={"run_id": "tag"}, connection=connection)
    text = page(result).text
    assert "Runs are not compared: they are in one table" in text
    assert "Lists are not shown: they come from a log, or from one table with several runs." in text


def test_hostile_ids_are_text(drawn_page):
    rng = random.Random(2)
    qrels = {query: {item: rng.choice([0, 1]) for item in HOSTILE} | {"d": 1} for query in HOSTILE}
    runs = {name: {query: {item: rng.random() for item in own} for query, own in qrels.items()} for name in HOSTILE[:3]}
    found = drawn_page(quietly(rm.evaluate, runs, qrels, ["rr", "ap"]))
    assert [attributes for tag, attributes in found.tags if tag == "script"] == [
        {"type": "application/json", "id": "rows"},
        {},
        {},
    ]
    assert not [tag for tag, _ in found.tags if tag == "img"]
    assert "x" * 200 not in found.source
    assert "(10,000 characters)" in found.text
    assert "<script>alert(1)</script>" in found.text
    assert "=cmd|' /C calc'!A0" in found.text


def test_nothing_is_loaded_from_elsewhere(its_page):
    found = its_page
    assert not [tag for tag, attributes in found.tags if "src" in attributes or tag == "link"]
    [policy] = [given["content"] for tag, given in found.tags if given.get("http-equiv") == "Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert len(found.source.encode()) < 1_000_000
    assert "DataTables 3.1.5" in found.text


def test_tables_and_charts_can_be_read_aloud(its_page):
    found = its_page
    pictures = [given for tag, given in found.tags if given.get("role") == "img"]
    assert all(given["aria-label"] for given in pictures)
    assert len(pictures) == sum(tag == "figure" for tag, _ in found.tags)
    assert sum(tag == "caption" for tag, _ in found.tags) == sum(tag == "table" for tag, _ in found.tags)
    assert all(given.get("scope") for tag, given in found.tags if tag == "th")
    ids = [given["id"] for _, given in found.tags if "id" in given]
    assert len(ids) == len(set(ids))


def test_a_page_of_many_metrics_or_runs_stays_small(page):
    runs, qrels = runs_of(40, names=[f"run{number}" for number in range(10)])
    found = page(quietly(rm.evaluate, runs, qrels, [f"ndcg@{k}" for k in range(1, 51)]))
    assert len(found.source.encode()) <= 3_000_000
    assert "450 differences from the baseline" in found.text
    assert "largest of 18,000 changes" in found.text


def test_one_query_has_no_interval(page):
    runs, qrels = runs_of(1)
    found = page(quietly(rm.evaluate, runs, qrels, ["ap"]))
    assert "Too few queries" in found.text


def test_the_command_writes_a_page(cli, tmp_path):
    path = tmp_path / "page.html"
    done = cli("report", OLD, NEW, "--qrels", QRELS, "-m", "AP", "--set", "correction=none", "-o", path)
    assert done.exit_code == 0, done.output
    assert "p not corrected" in Page(path.read_text(encoding="utf-8")).text


def test_the_command_takes_an_arm_of_a_log_as_the_baseline(cli, tmp_path, undrawn):
    """Arms are in the order of their names, unless another one is the baseline: the page is that of compare."""
    (tmp_path / "shown.csv").write_text(
        "request_id,item_id,position,arm\n" + "".join(f"{n},x,{1 + n % 3},{'pm'[n % 2]}\n" for n in range(20))
    )
    done = "".join(f"{n},x,click\n" for n in range(0, 20, 3))
    (tmp_path / "done.csv").write_text(f"request_id,item_id,event_type\n{done}")
    path = tmp_path / "page.html"
    asked = ("report", "--events", tmp_path / "shown.csv", tmp_path / "done.csv", "--rule", "arm=arm", "-m", "rr")
    for given, title in [((), "p against m"), (("--baseline", "p"), "m against p")]:
        written = cli(*asked, *given, "-o", path)
        assert written.exit_code == 0, written.output
        assert f"<title>{title}</title>" in path.read_text(encoding="utf-8")
    refused = cli(*asked, "--baseline", "q", "-o", path)
    assert "there is no run called 'q' to compare with" in refused.stderr
    of_runs = ("report", OLD, NEW, "--qrels", QRELS, "-m", "rr", "-o", path)
    assert "Put the baseline first" in cli(*of_runs, "--baseline", "p").stderr


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Two runs, judgments, what is known of queries and items, and a log of two arms, as files of a folder."""
    folder, rng = tmp_path_factory.mktemp("shop"), random.Random(2)
    pairs = [(f"q{number}", f"d{item}") for number in range(40) for item in range(4)]
    for name, column, number in (
        ("old", "score", lambda _: rng.random()),
        ("new", "score", lambda item: rng.random() + (item == "d0") / 2),
        ("qrels", "relevance", lambda item: rng.choice([0, 1, 2, 3]) if item != "d3" else 0),
    ):
        frame = [(query, item, number(item)) for query, item in pairs]
        pandas.DataFrame(frame, columns=["query_id", "item_id", column]).to_csv(folder / f"{name}.csv", index=False)
    queries = [(f"q{n}", 1 + n % 5, n // 2, "few" if n > 36 else "ab"[n % 2]) for n in range(40)]
    columns = ["query_id", "traffic", "user", "market"]
    pandas.DataFrame(queries, columns=columns).to_csv(folder / "queries.csv", index=False)
    items = [(f"d{item}", (item + 1) / 10) for item in range(5)]
    pandas.DataFrame(items, columns=["item_id", "popularity"]).to_csv(folder / "items.csv", index=False)
    shown = [(n, "x", 1 + n % 3, "am"[n % 3 == 0], rng.random(), n % 2) for n in range(60)]
    columns = ["request_id", "item_id", "position", "arm", "before", "device"]
    pandas.DataFrame(shown, columns=columns).to_csv(folder / "shown.csv", index=False)
    clicked = [(n, "x", "click") for n in range(60) if rng.random() < 0.6]
    columns = ["request_id", "item_id", "event_type"]
    pandas.DataFrame(clicked, columns=columns).to_csv(folder / "clicked.csv", index=False)
    return folder


def differences_shown(found, name="differences"):
    """Each difference on a page with its interval, as texts."""
    header, *rows = found.tables[name]
    places = [next(n for n, title in enumerate(header) if word in title) for word in ("difference", "interval")]
    return [tuple(row[place] for place in places) for row in rows]


def as_shown(compared):
    return [
        (f"{row['effect_size']:+.4f}", f"[{row['effect_size_ci_lower']:.4f}, {row['effect_size_ci_upper']:.4f}]")
        for row in compared.summary.dicts()
    ]


OF_PAIRS = {
    "all": (
        "--weight traffic --cap cg@3=2 --limits cg@3=0.2 --by market --min-queries 10"
        " -m self_information@2 --items items.csv",
        {
            "metrics": ["cg@3", "self_information@2"],
            "weight": "traffic",
            "cap": {"cg@3": 2},
            "limits": {"cg@3": 0.2},
            "by": "market",
            "min_queries": 10,
            "items": "items.csv",
        },
    ),
    "weight": ("--weight traffic", {"weight": "traffic"}),
    "cluster": ("--cluster user", {"cluster": "user"}),
    "cap": ("--cap cg@3=2", {"cap": {"cg@3": 2}}),
    "limits": ("--limits cg@3=0.2", {"limits": {"cg@3": 0.2}}),
}


@pytest.mark.parametrize("option", mostly_long(OF_PAIRS, "limits"))
def test_the_command_takes_what_compare_takes(cli, shop, monkeypatch, undrawn, option):
    """Each option of a comparison, away from its default: the numbers are those of rm.compare with it."""
    monkeypatch.chdir(shop)
    typed, passed = OF_PAIRS[option]
    given = {"qrels": "qrels.csv", "query_list": "queries.csv", "metrics": ["cg@3"], **passed}
    asked = ("report", "old.csv", "new.csv", "--qrels", "qrels.csv", "--query-list", "queries.csv", "-m", "cg@3")
    written = cli(*asked, *typed.split(), "--title", "Two runs", "-o", "page.html")
    assert written.exit_code == 0, written.output
    found = Page((shop / "page.html").read_text(encoding="utf-8"))
    assert "<title>Two runs</title>" in found.source
    compared = quietly(rm.compare, "old.csv", {"new": "new.csv"}, **given)
    if "by" in passed:
        assert differences_shown(found, "segment-differences") == as_shown(compared)
        assert [row[1] for row in found.tables["segment-values"][1:]] == ["a", "a", "b", "b"] * 2  # and not "few"
        assert found.text.count("min_queries=10 left out 2 rows") == 1
        given |= {"by": (), "min_queries": None}
    assert differences_shown(found) == as_shown(quietly(rm.compare, "old.csv", {"new": "new.csv"}, **given))
    assert ("by more than 0.2" in found.text) == ("limits" in passed)


OF_ARMS = {
    "shares": ("--shares a=0.67,m=0.33", {"shares": {"a": 0.67, "m": 0.33}}, "by design 0.33 : 0.67"),
    "covariate": ("--covariate before", {"covariate": "before"}, "adjusted by before"),
    "strata": ("--strata device", {"strata": "device"}, "device"),
}


@pytest.mark.long
@pytest.mark.parametrize("option", OF_ARMS)
def test_the_command_takes_what_compares_arms(cli, shop, monkeypatch, undrawn, option):
    monkeypatch.chdir(shop)
    typed, passed, tested = OF_ARMS[option]
    asked = ("report", "--events", "shown.csv", "clicked.csv", "--rule", "arm=arm", "-m", "rr", *typed.split())
    assert "the baseline is missing" in cli(*asked, "-o", "page.html").stderr
    assert cli(*asked, "--baseline", "m", "-o", "page.html").exit_code == 0
    found = Page((shop / "page.html").read_text(encoding="utf-8"))
    log = rm.events("shown.csv", "clicked.csv", arm="arm")
    compared = quietly(rm.compare, log, "rr", baseline="m", **passed)
    assert differences_shown(found) == as_shown(compared)
    assert tested in found.text


@pytest.mark.long
def test_a_single_run_has_its_weights_and_items_too(cli, shop, monkeypatch, undrawn):
    monkeypatch.chdir(shop)
    metrics = ["ap", "self_information@2"]
    asked = ("report", "old.csv", "--qrels", "qrels.csv", "--query-list", "queries.csv", "-m", ",".join(metrics))
    written = cli(*asked, "--items", "items.csv", "--weight", "traffic", "-o", "page.html")
    assert written.exit_code == 0, written.output
    values = Page((shop / "page.html").read_text(encoding="utf-8")).tables["values"][1:]
    given = {"query_list": "queries.csv", "items": "items.csv", "weight": "traffic"}
    result = quietly(rm.evaluate, "old.csv", "qrels.csv", metrics, **given)
    assert [row[1] for row in values] == [f"{result[metric]:.4f}" for metric in metrics]
    of_items = ("-m", metrics[1], "--items", "items.csv", "-o", "page.html")
    assert cli("report", "old.csv", "new.csv", *of_items).exit_code == 0  # without judgments
    refused = cli(*asked, "--limits", "ap=0.1", "-o", "page.html")
    assert "CANDIDATE is missing. Try: rankmetrics report OLD NEW" in refused.stderr


@pytest.mark.long
def test_the_page_has_its_date_and_the_name_of_the_database(page, tmp_path):
    """A file is named without its folder; a connection of the user's, which no URL names, not at all."""
    duckdb.connect(tmp_path / "shop.duckdb").execute(
        "CREATE TABLE run AS SELECT 'q' AS query_id, 'a' AS item_id, 1.0 AS score; CREATE TABLE qrels AS"
        " SELECT query_id, item_id, 1 AS relevance FROM run"
    )
    rows = [("q", "a", 1.0)]
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        for table, column in (("run", "score"), ("qrels", "relevance")):
            connection.execute(f"CREATE TABLE {table} (query_id TEXT, item_id TEXT, {column} REAL)")
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)
    today = date.today().isoformat()
    for place, name in [
        (str(tmp_path / "shop.duckdb"), "shop.duckdb"),
        (f"sqlite:///{tmp_path / 'shop.sqlite'}", "shop.sqlite"),
    ]:
        found = page(quietly(rm.evaluate, "run", "qrels", "rr", connection=place))
        assert f"Written on {today}, from the database {name}." in found.text
    found = page(quietly(rm.evaluate, "run", "qrels", "rr", connection=connection))
    assert f"Written on {today}." in found.text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "nowhere/page.html"), "the folder nowhere does not exist"),
        (("-o", "."), "is a folder"),
        (("-o", "page.html", "--by", "market"), "market"),
        (("-o", "page.html", "-m", "nothing"), "nothing"),
        (("-o", "page.html", "--query-list", "none.txt"), "none.txt"),
    ],
)
def test_what_cannot_be_leaves_no_file(cli, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    done = cli("report", OLD, NEW, "--qrels", QRELS, "-m", "AP", *arguments)
    assert done.exit_code != 0
    assert said in done.output
    assert isinstance(done.exception, SystemExit)
    assert not [*tmp_path.iterdir()]


def test_no_query_is_an_error_and_no_page(tmp_path, cli):
    (tmp_path / "list.txt").write_text("unknown\n")
    arguments = ("report", OLD, "--qrels", QRELS, "-m", "AP", "--query-list", tmp_path / "list.txt")
    done = cli(*arguments, "-o", tmp_path / "page.html")
    assert isinstance(done.exception, SystemExit)
    assert done.output.startswith("rankmetrics: ")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("lacking", ["altair", "vl_convert"])
def test_what_draws_is_named_where_it_is_missing(monkeypatch, tmp_path, lacking):
    result = quietly(rm.evaluate, NEW, QRELS, ["AP"])
    monkeypatch.setitem(sys.modules, lacking, None)
    with pytest.raises(rm.UsageError, match=r"pip install '\.\[plot\]' in a clone"):
        result.report(tmp_path / "page.html")
    assert not [*tmp_path.iterdir()]


def test_a_path_is_a_name():
    with pytest.raises(rm.UsageError, match="name of a file"):
        quietly(rm.evaluate, NEW, QRELS, ["AP"]).report(3)


JUDGED = {"q": {"a": 1, "b": 0}, "r": {"c": 1}}


def test_the_page_says_how_many_items_are_judged(page):
    """Of two queries: three of old's six items, a, b and c; one of new's five, b."""
    old = {"q": ["a", "b", "x"], "r": ["c", "x", "y"]}
    new = {"q": ["b", "x"], "r": ["x", "y", "z"]}
    found = page(quietly(rm.evaluate, {"old": old, "new": new}, JUDGED, ["p@3"]))
    assert "Of the top 3 items, 50 % are judged in old." in found.text
    assert "Of the top 3 items, 20 % are judged in new." in found.text
    many = {f"run{number}": old for number in range(4)} | {"new": new}
    assert (
        "Of the top 3 items, 20 % to 50 % are judged, by run." in page(quietly(rm.evaluate, many, JUDGED, ["p@3"])).text
    )
    assert (
        "Of the top 10 items, 50 % are judged in old." in page(quietly(rm.evaluate, {"old": old}, JUDGED, ["rr"])).text
    )
    assert "% are judged" not in page(quietly(rm.evaluate, {"old": old}, JUDGED, ["num_rel"])).text


def test_each_segment_has_a_sentence(page):
    queries = [(f"q{number}", "de" if number < 20 else "fr") for number in range(40)]
    frame = pandas.DataFrame(queries, columns=["query_id", "market"])
    old = {query: ["x", "a"] if number % 3 else ["a"] for number, (query, _) in enumerate(queries)}
    new = {query: ["a"] if market == "de" else old[query] for query, market in queries}
    qrels = {query: {"a": 1} for query, _ in queries}
    found = page(quietly(rm.compare, old, {"new": new}, qrels, ["rr", "p@1"], by="market", query_list=frame))
    effect = 13 / 20 / 2
    assert f"market de: better in rr ({effect:.4f} higher); better in p@1 ({2 * effect:.4f} higher)." in found.text
    assert "market fr: no difference in rr; no difference in p@1." in found.text


IDS = {
    "text": ("TEXT", lambda number: f"it's q{number}\\"),
    "numbers": ("INTEGER", lambda number: 7 * number),
}


@pytest.mark.parametrize(("ids", "n_keys", "n_runs"), each_once(IDS, [1, 2], [1, 2]))
def test_a_database_in_which_nothing_is_stored_has_lists(page, tmp_path, ids, n_keys, n_runs):
    """The same lists as of the same tables in DuckDB, and no word of where the database is."""
    type_, name = IDS[ids]
    rng = random.Random(ids)
    judged = [(number, f"d{item}", rng.choice([0, 1, 2])) for number in range(12) for item in range(4)]
    runs = {run: [(number, item, rng.random()) for number, item, _ in judged] for run in ("old", "new")}
    keys = ["q", "r"][:n_keys]
    typed = ", ".join(f"{key} {type_}" for key in keys)
    titles = []
    for connection in (sqlite3.connect(tmp_path / "secret.sqlite"), duckdb.connect()):
        for table, column, rows in (
            ("judged", "relevance INTEGER", judged),
            *((run, "score REAL", own) for run, own in runs.items()),
        ):
            connection.execute(f"CREATE TABLE {table} ({typed}, item_id TEXT, {column})")
            marks = ", ".join("?" * (n_keys + 2))
            named = [(*[name(row[0] // (1 + place)) for place in range(n_keys)], *row[1:]) for row in rows]
            named = [*dict.fromkeys(named)] if n_keys == 1 else named
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", named)
        given = {"columns": {"query_id": keys}, "connection": connection}
        if n_runs == 1:
            found = page(quietly(rm.evaluate, "old", "judged", ["ap"], **given))
        else:
            found = page(quietly(rm.compare, "old", {"new": "new"}, "judged", ["ap"], **given))
        assert "Lists are not shown" not in found.text
        assert "secret" not in found.source
        titles.append(re.findall(r"<figcaption>(Query [^<]*)</figcaption>", found.source))
    assert titles[0] == titles[1]
    assert len(titles[0]) == 5


@pytest.mark.parametrize("kind", [rm.UsageError, rm.DataError, rm.DatabaseError])
@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann@db.example:5432/shop",
        "snowflake://ann:pw@acme/db.example?warehouse=w",
        "sqlite:////home/ann/db.example",
    ],
)
def test_why_lists_are_missing_names_no_address(page, monkeypatch, kind, address):
    """It stands where the lists would, and says neither user nor host."""

    def refuse(*_):
        raise kind(f"the query runs in {address}, which has no such table.")

    monkeypatch.setattr(PageRequest, "lists", refuse)
    runs, qrels = runs_of(5)
    found = page(quietly(rm.compare, runs["old"], {"new": runs["new"]}, qrels, ["ap"]))
    assert "Lists are not shown: " in found.text.partition("Data quality\n")[2].partition("Data quality")[0]
    assert not re.search(r"ann|db\.example|5432|acme|pw@", found.source.partition("Lists are not shown")[2][:200])

"""The searches that lose clicks on the page of a log: the numbers of rm.worst, where the log names its search text."""

from __future__ import annotations

import random
import re
from datetime import datetime, timedelta
from statistics import NormalDist

import duckdb
import pandas
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import mostly_long
from ..sources.test_worst import Log, ga4_log, load, segment_log, snowplow_log, ubi_log
from .test_report import Page

START = datetime(2026, 5, 4)
SECTION = "Searches that lose clicks"


@pytest.fixture
def page(tmp_path, undrawn):
    """Writes the page of a result, and reads it."""

    def read(result):
        path = tmp_path / "report.html"
        quietly(result.report, path)
        return Page(path.read_text(encoding="utf-8"))

    return read


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def three_searches(n_requests=90):
    """A log in which lamp is clicked at position 1, desk at 2, and sofa never: 1/3 of both positions, none of 3."""
    log = Log()
    for number in range(n_requests):
        text, request, user = ("lamp", "desk", "sofa")[number % 3], f"r{number}", f"u{number // 6}"
        moment, arm = START + timedelta(minutes=number), "AB"[number // 3 % 2]
        log.asked.append((request, user, moment, text, arm))
        log.shown += [(request, f"i{place}", place, user, moment, text, arm) for place in (1, 2, 3)]
        if text != "sofa":
            clicked = "i1" if text == "lamp" else "i2"
            log.clicked.append((request, clicked, user, moment + timedelta(seconds=1), "click"))
    return log


def sofa(level=0.95):
    """Its 30 requests let expect 30 (1/3 + 1/3) clicks, each with the variance of 1/3; there are none."""
    reach = NormalDist().inv_cdf((1 + level) / 2) * (60 * 1 / 3 * 2 / 3) ** 0.5
    return ["sofa", "20.0", f"[{20 - reach:.1f}, {20 + reach:.1f}]", "20.0", "0", "30", "15"]


def has_section(found):
    """Whether the page has the section, and every part of it."""
    parts = [SECTION in found.text, 'href="#losing"' in found.source, 'id="losing"' in found.source]
    parts += ["losing" in found.tables, "Lost clicks by" in found.source]
    assert len(set(parts)) == 1
    return parts[0]


def test_what_counts_as_relevant_in_a_log_is_clicked_only_by_its_grades(connection, page):
    load(connection, three_searches())
    for grades, word in ((None, "clicked"), ({"click": 2}, "clicked"), ({"click": 1, "buy": 2}, "relevant")):
        found = page(quietly(rm.evaluate, rm.events("shown", "done", grades=grades), "rr", connection=connection))
        assert f"One over the rank of the first {word} item" in found.text
    compared = quietly(
        rm.compare, rm.events("shown", "done", arm="arm"), "rr", baseline="A", cluster="visitor", connection=connection
    )
    [row] = compared.summary.dicts()
    assert f"{row['n_queries']} queries, {row['n_clusters']} values of visitor" in page(compared).text


@pytest.mark.parametrize("level", mostly_long([0.95, 0.8], 0.8))
def test_an_arm_of_a_log_counts_with_the_others(connection, page, level):
    load(connection, three_searches())
    source = rm.events("shown", "done", user="visitor", time="moment", arm="arm", text="text")
    compared = quietly(rm.compare, source, "rr", baseline="A", confidence_level=level, connection=connection)
    found = page(compared)
    titles = ["text", "lost clicks", f"{100 * level:g} % interval", "expected clicks", "clicks", "requests", "users"]
    assert found.tables["losing"] == [titles, sofa(level)]
    share = sofa(level)[2]
    assert f"sofa loses clicks most clearly: 20.0 of 20.0 expected ({100 * level:g} % interval {share}" in found.text
    assert "The section counts the whole log: 90 requests, 270 impressions, 60 clicks. All arms" in found.text
    assert "Not in the table: 2 searches without a loss." in found.text
    assert f"about {50 * (1 - level):g} % of the intervals would lie above 0 by chance" in found.text
    more = "" if level == 0.95 else f", confidence_level={level}"
    assert f'rm.worst(log, "text", n=10{more}), or run rankmetrics worst --by text -n 10' in found.text
    statement = re.search(r"<summary>The searches that lose clicks</summary>.*?<code>(.*?)</code>", found.source, re.S)
    assert "lost_clicks" in statement[1]


def test_the_first_ten_rows_are_those_of_worst(connection, page):
    draw, texts = random.Random(3), [None, "<b>sofa</b>", "Lamp", "lamp", *(f"text {n}" for n in range(14))]
    shown, clicked = [], []
    for number in range(700):
        text = draw.choice(texts) if number > 5 else "rare"
        rows = [(f"r{number}", f"i{n}", n, text, "v") for n in (1, 2, 3)]
        shown += [*rows[:2], (*rows[2][:3], "lamp", "v")] if number == 50 else rows
        clicked += [(*row[:2], "click") for row in rows if draw.random() < 0.1 + texts.index("lamp") / (9 + number % 9)]
    columns = ["request_id", "item_id", "position", "query_text", "visitor"]
    tables = pandas.DataFrame(shown, columns=columns), pandas.DataFrame(clicked, columns=[*columns[:2], "event_type"])
    source = rm.events(*tables, user="visitor", text="query_text")
    listed = quietly(rm.worst, source, "query_text", n=10)
    rows = [row for row in listed.dicts() if row["lost_clicks"] > 0]
    found = page(quietly(rm.evaluate, source, "rr"))
    assert 5 < len(rows) <= 10 < len(texts)
    expected = [
        [
            "(NULL)" if row["query_text"] is None else row["query_text"],
            f"{row['lost_clicks']:.1f}",
            f"[{row['lost_lower']:.1f}, {row['lost_upper']:.1f}]",
            f"{row['expected_clicks']:.1f}",
            *(str(row[name]) for name in ("clicks", "requests", "users")),
        ]
        for row in rows
    ]
    # Two texts have the same counts, so rounding decides which of them is first.
    assert sorted(found.tables["losing"][1:]) == sorted(expected)
    assert "1 search with fewer than 20 requests, 8 searches further down" in found.text
    assert "Duplicates were looked for in: all rows." in found.text  # a log has positions, and no scores
    assert "One over the rank of the first clicked item" in found.text
    assert "1 request has two values of query_text and is left out." in found.text
    assert "1 value of query_text would fall together with others" in found.text
    assert "left out, because they need" not in found.text
    assert "All arms" not in found.text
    assert "<b>sofa" not in found.source


@pytest.mark.parametrize("schema", mostly_long(["ubi", "ga4", "segment", "snowplow"], "ubi", "segment"))
def test_every_schema_has_the_section(connection, page, schema):
    log, loading = three_searches(), {"ga4": ga4_log, "segment": segment_log, "snowplow": snowplow_log}
    sources = ubi_log(connection, log) if schema == "ubi" else [loading[schema](connection, log)]
    if schema == "ubi":
        connection.execute("ALTER TABLE ubi_queries RENAME text TO user_query")
        without, source = sources
    else:
        [without] = sources
        source = getattr(rm, schema)(*without.relations.values(), text="text")
    assert not has_section(page(quietly(rm.evaluate, without, "rr", connection=connection)))
    found = page(quietly(rm.evaluate, source, "rr", connection=connection))
    assert has_section(found)
    assert found.tables["losing"][0][0] == ("user_query" if schema == "ubi" else "text")
    assert found.tables["losing"][1:] == [sofa()]


def test_ubi_has_its_text_where_queries_say_what_was_shown(connection, page):
    connection.execute("""
        CREATE TABLE asked AS
        SELECT 'q' || n AS query_id, ['lamp', 'sofa'][1 + n % 2] AS user_query, ['a', 'b'] AS query_response_hit_ids,
            'c' AS client_id, NULL::TIMESTAMP AS timestamp
        FROM range(60) t(n);
        CREATE TABLE done AS
        SELECT query_id, client_id, timestamp, 'click' AS action_name,
            {'object': {'object_id': 'a'}} AS event_attributes
        FROM asked WHERE user_query = 'lamp'
    """)
    found = page(quietly(rm.evaluate, rm.ubi("asked", "done", impressions="hits"), "rr", connection=connection))
    assert found.tables["losing"][1][:2] == ["sofa", "15.0"]  # half of the first places are clicked, those of lamp


def _labelled():
    table = pandas.DataFrame([(f"q{n}", "a", 1, n % 2, "sofa") for n in range(60)])
    return rm.labelled(table.set_axis(["query_id", "item_id", "position", "relevance", "query_text"], axis=1))


def _lists():
    table = pandas.DataFrame([(f"q{n}", ["a", "b"], ["b"], "sofa") for n in range(60)])
    return rm.lists(table.set_axis(["query_id", "items", "relevant", "query_text"], axis=1), relevant="relevant")


def _numbers():
    table = pandas.DataFrame([(f"r{n}", n % 7, "AB"[n % 2], "sofa") for n in range(60)])
    return rm.values(
        table.set_axis(["request_id", "csat", "arm", "query_text"], axis=1), "request_id", "csat", arm="arm"
    )


@pytest.mark.parametrize(("make", "metrics"), [(_labelled, "rr"), (_lists, "rr"), (_numbers, "csat")])
def test_what_is_no_log_has_no_section(page, make, metrics):
    found = page(quietly(rm.evaluate, make(), metrics))
    assert not has_section(found)
    assert "lose clicks" not in found.text


def test_runs_have_no_section(page):
    qrels = {f"q{n}": {"a": 1} for n in range(30)}
    found = page(
        quietly(rm.evaluate, {name: {query: ["a"] for query in qrels} for name in ("old", "new")}, qrels, "rr")
    )
    assert not has_section(found)
    assert "lose clicks" not in found.text


NONE_LOSES = "The searches that lose clicks are not shown: none with 20 requests or more loses any."


@pytest.mark.parametrize(
    ("given", "n_requests", "note"),
    [
        ({}, 90, None),
        ({"text": "text"}, 57, NONE_LOSES),  # 19 of each
        ({"text": "arm"}, 90, NONE_LOSES),  # both are clicked as often
        ({"text": "text", "grades": {"buy": 1}}, 90, NONE_LOSES),
        ({"text": "UPPER(text)"}, 90, r"are not shown: .* and 'UPPER\(text\)' is SQL"),
    ],
    ids=["no text", "few requests", "equal", "no clicks", "sql"],
)
def test_the_section_is_never_empty(connection, page, given, n_requests, note):
    load(connection, three_searches(n_requests))
    found = page(quietly(rm.evaluate, rm.events("shown", "done", **given), "rr", connection=connection))
    assert not has_section(found)
    assert bool(re.search("lose clicks are not shown", found.text)) == (note is not None)
    assert re.search(note or "", found.text)


def test_a_loss_that_chance_explains_is_called_so(connection, page):
    """20 requests for sofa have 4 of 5 expected clicks."""
    rows = [(f"r{n}", "i", 1, "v", None, "sofa" if n < 20 else "lamp", "A") for n in range(40)]
    load(
        connection,
        Log(
            rows, [(f"r{n}", "i", "v", None, "click") for n in (*range(4), *range(20, 26))], [("r", "v", None, "", "A")]
        ),
    )
    found = page(quietly(rm.evaluate, rm.events("shown", "done", text="text"), "rr", connection=connection))
    assert found.tables["losing"][1][:2] == ["sofa", "1.0"]
    assert "No search loses more clicks than chance explains." in found.text


def test_a_text_that_no_table_has_is_refused(connection):
    load(connection, three_searches(6))
    for text in ("txet", "queries.text"):
        source = rm.events("shown", "done", text=text)
        with pytest.raises(rm.DataError, match=r"no column '.*' for text.* Pass text=NAME\."):
            quietly(rm.evaluate, source, "rr", connection=connection)
    with pytest.raises(rm.DataError, match="no column 'txet' for text"):
        quietly(
            rm.evaluate,
            rm.events("shown", "done", text="txet", requests="logged", queries="asked"),
            "rr",
            connection=connection,
        )


def test_the_text_may_be_of_the_table_of_requests_alone(connection, page):
    load(connection, three_searches())
    connection.execute("ALTER TABLE shown DROP text")
    for text in ("text", "queries.text"):
        source = rm.events("shown", "done", user="visitor", requests="logged", queries="asked", text=text)
        found = page(quietly(rm.evaluate, source, "rr", connection=connection))
        assert found.tables["losing"][1:] == [sofa()]


def test_on_the_command_line(connection, cli, tmp_path, undrawn):
    load(connection, three_searches())
    for name in ("shown", "done"):
        connection.execute(f"COPY {name} TO '{tmp_path / name}.csv'")
    path = tmp_path / "page.html"
    asked = ["report", "--events", tmp_path / "shown.csv", tmp_path / "done.csv", "-m", "rr", "-o", path]
    rules = ["--rule", "user=visitor,time=moment,arm=arm"]
    assert cli(*asked, *rules).exit_code == 0
    assert not has_section(Page(path.read_text(encoding="utf-8")))
    written = cli(*asked, *rules, "--rule", "text=text")
    assert written.exit_code == 0, written.output
    found = Page(path.read_text(encoding="utf-8"))
    assert has_section(found)
    assert found.tables["losing"][1:] == [sofa()]
    refused = cli(*asked, *rules, "--rule", "text=txet")
    assert refused.exit_code == 1
    assert "Pass --rule text=NAME" in refused.stderr
    typed = re.search(r"run rankmetrics (worst --by text -n 10) with the same log", found.text)[1].split()
    printed = cli(*typed, *asked[1:4], "--rule", "user=visitor", "--format", "csv")
    assert printed.stdout.splitlines()[1].startswith("sofa,30,15,")

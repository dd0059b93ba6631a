"""A report's page in a browser without a network: tables that sort, search and filter, charts, narrow screens, axe."""

from __future__ import annotations

import contextlib
import io
import random
import re

import pytest
from PIL import Image

import rankmetrics_sql as rm
from dev.browser import axe, chromium
from dev.engines.plugin import package

from ..conftest import DEMO, quietly
from .reports import REPORTS, written

pytestmark = pytest.mark.long

RESPONSE = 1  # second


@pytest.fixture(scope="module")
def demo_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "demo.html"
    runs = [DEMO / "covidex.sim.run.gz", DEMO / "covidex.t5.run.gz"]
    quietly(quietly(rm.evaluate, runs, DEMO / "qrels.txt", ["nDCG@10", "AP"]).report, path)
    return path


@pytest.fixture(scope="module")
def page_of_metrics(tmp_path_factory):
    """Several tables of several pages each."""
    path = tmp_path_factory.mktemp("report") / "metrics.html"
    runs = [DEMO / "covidex.sim.run.gz", DEMO / "covidex.t5.run.gz"]
    metrics = [f"nDCG@{k}" for k in range(1, 41)]
    quietly(quietly(rm.evaluate, runs, DEMO / "qrels.txt", metrics).report, path)
    return path


@pytest.fixture(scope="module")
def large_page(tmp_path_factory):
    """100,000 queries, of names that hurt."""
    rng = random.Random(5)
    path = tmp_path_factory.mktemp("report") / "large.html"
    names = [f"<b>query</b> {number}" for number in range(100_000)]
    qrels = {name: {"a": 1} for name in names}
    runs = {run: {name: rng.choice((["a", "b"], ["b", "a"])) for name in names} for run in ("old", "new")}
    quietly(quietly(rm.evaluate, runs, qrels, ["rr"]).report, path)
    return path


@pytest.fixture(scope="module")
def browser():
    playwright = package("playwright.sync_api")
    with playwright.sync_playwright() as started, contextlib.ExitStack() as stack:
        opened = started.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        stack.callback(opened.close)
        yield opened


@pytest.fixture
def visit(browser):
    """Opens a page; what its console complains of fails the test."""
    problems = []
    with contextlib.ExitStack() as stack:

        def go(path, width=1280, scheme="light"):
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            stack.callback(context.close)
            context.set_offline(True)
            page = context.new_page()
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
            page.on("request", lambda asked: problems.append(asked.url) if not asked.url.startswith("file:") else None)
            page.goto(path.as_uri())
            return page

        yield go
        assert problems == []


def expect(subject):
    """What waits for what it expects: a table is sorted a moment after the key was pressed, not before."""
    return package("playwright.sync_api").expect(subject)


def column(page, number, table="queries"):
    return page.locator(f"#table-{table} tbody tr > :nth-child({number})").all_inner_texts()


def coloured(picture):
    """How many pixels of a picture have a colour, which no text or axis has."""
    pixels = Image.open(io.BytesIO(picture.screenshot())).convert("RGB").getcolors(1 << 24)
    return sum(number for number, colour in pixels if max(colour) - min(colour) > 51)


def test_a_table_sorts_and_says_so(visit, demo_page):
    page = visit(demo_page)
    head = page.locator("#table-queries thead th", has_text="difference")
    before = column(page, 6)
    assert "undefined" not in before
    head.locator("[role=button]").focus()
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    up = list(map(float, column(page, 6)))
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    down = list(map(float, column(page, 6)))
    assert (up, down) == (sorted(up), sorted(down)[::-1])
    assert up[0] < 0 < down[0]


def test_a_table_is_searched_and_filtered(visit, demo_page):
    page = visit(demo_page)
    info = page.locator("#table-queries_wrapper .dt-info")
    page.locator("#table-queries_wrapper input[type=search]").fill("27")
    expect(info).to_contain_text("out of 70")
    rows = page.locator("#table-queries tbody tr").all_inner_texts()
    assert all("27" in row for row in rows)  # a number may have it too
    assert "27" in column(page, 1)
    page.locator("#table-queries_wrapper input[type=search]").fill("")
    expect(info).to_have_text("1 to 20 of 70")
    page.locator("#table-queries_wrapper .filters select").first.select_option(label="AP")
    expect(info).to_contain_text("of 35")
    assert set(column(page, 3)) == {"AP"}


def test_pages_of_a_table_differ(visit, demo_page):
    page = visit(demo_page)
    first = page.locator("#table-queries tbody").inner_text()
    page.locator("#table-queries_wrapper .dt-paging-button", has_text="2").click()
    expect(page.locator("#table-queries_wrapper .dt-info")).to_contain_text("21 to 40 of 70")
    assert page.locator("#table-queries tbody").inner_text() != first


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_are_drawn(visit, demo_page, scheme):
    page = visit(demo_page, scheme=scheme)
    pictures = page.locator("figure .picture")
    assert pictures.count() >= 9
    for picture in pictures.all():
        assert coloured(picture) > 100


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_the_page_scrolls_up_and_down_only(visit, demo_page, width):
    page = visit(demo_page, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_differences_are_seen_whole(visit, demo_page):
    table = visit(demo_page, 1200).locator("#table-differences")
    assert table.evaluate("table => table.parentElement.scrollWidth <= table.parentElement.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing(visit, demo_page, scheme, width):
    page = visit(demo_page, width, scheme)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    page.evaluate(axe().read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")
    assert found["passes"]
    assert [(problem["id"], problem["nodes"][0]["html"]) for problem in found["violations"]] == []


def test_axe_finds_nothing_in_many_tables(visit, page_of_metrics):
    page = visit(page_of_metrics)
    page.locator(".dt-paging-button", has_text="2").first.click()
    expect(page.locator(".dt-info").first).to_contain_text("21 to 40 of")
    page.evaluate(axe().read_text(encoding="utf-8"))
    assert [problem["id"] for problem in page.evaluate("axe.run()")["violations"]] == []


@pytest.fixture(scope="module", params=REPORTS)
def unusual(request, tmp_path_factory):
    """A page of little, of nothing or of much, and what it must say."""
    return written(request.param, tmp_path_factory.mktemp("report")), REPORTS[request.param][1]


def test_a_page_of_little_or_much_can_be_read(visit, unusual):
    path, words = unusual
    assert path.stat().st_size <= 3_000_000
    page = visit(path, 390)
    text = page.locator("body").inner_text()
    assert [word for word in words if word not in text] == []
    assert not re.search(r"\b(NaN|undefined|None|Infinity)\b", text)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("figure .picture svg").count() == page.locator("figure").count() > 0
    page.evaluate(axe().read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    assert [(problem["id"], problem["nodes"][0]["html"]) for problem in found] == []


def test_many_queries_have_a_histogram(visit, large_page):
    page = visit(large_page)
    section = page.locator("section[aria-labelledby=queries]")
    expect(section.locator("figcaption")).to_have_text(["rr of new: how many queries changed how much"])
    said = section.locator(".picture").get_attribute("aria-label")
    assert said.startswith("new minus old in rr, 100,000 queries. Better on ")
    assert coloured(section.locator(".picture")) > 1_000
    expect(section).to_contain_text("The 5,000 largest of 100,000 changes. The histograms below count all of them.")


def test_a_statement_is_copied_or_selected(visit, demo_page):
    page = visit(demo_page)
    page.locator("details.sql summary").first.click()
    page.locator("details.sql button.copy").first.click()
    page.wait_for_function("document.getElementById('copied').textContent !== ''")


def test_a_table_is_copied_as_markdown(visit, demo_page):
    """As it is filtered."""
    page = visit(demo_page)
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    page.get_by_role("button", name="Copy as Markdown: Differences").click()
    title, rule, *rows = page.evaluate("window.copied").splitlines()
    assert title.startswith("| metric | verdict | baseline | candidate | difference | 95 % interval |")
    assert rule.startswith("| --- | --- | ---: | ---: | ---: | --- |")
    assert [row.split(" | ")[0] for row in rows] == ["| nDCG@10", "| AP"]
    assert r"| \[0.1866, 0.4126\] |" in rows[0]
    choices = page.locator("section[aria-labelledby=queries] .filters select")
    choices.filter(has_text="nDCG@10").select_option(label="AP")
    page.get_by_role("button", name="Copy as Markdown: ").last.click()
    rows = page.evaluate("window.copied").splitlines()[2:]
    assert len(rows) == 35
    assert all(" | AP | " in row for row in rows)


def test_the_skip_link_is_first(visit, demo_page):
    page = visit(demo_page)
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main#main")).to_be_focused()


def test_a_page_of_many_queries_answers_soon(visit, large_page):
    """By the time of the processor that the page takes, whatever else the machine does."""
    assert large_page.stat().st_size <= 3_000_000
    page = visit(large_page)
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy():
        return {one["name"]: one["value"] for one in tools.send("Performance.getMetrics")["metrics"]}["TaskDuration"]

    opened = busy()
    page.reload()
    shown = busy()
    assert 0 < shown - opened <= RESPONSE
    assert column(page, 1)[0].startswith("<b>query</b>")
    assert "The 5,000 largest of 100,000 changes." in page.locator("main").inner_text()
    shown = busy()
    page.evaluate("""() => {
        const box = document.querySelector("#table-queries_wrapper input[type=search]");
        box.value = "query 1"; box.dispatchEvent(new Event("input", { bubbles: true }));
    }""")
    assert 0 < busy() - shown <= RESPONSE


def test_the_picture_of_the_documentation_says_what_the_report_says(visit, demo_page):
    """Its alternative text; the picture itself is a screen of that page."""
    text = (DEMO.parents[1] / "docs" / "report.md").read_text(encoding="utf-8")
    [said] = re.findall(r"!\[([^\]]*)\]\(pictures/report\.png\)", text)
    for sentence in visit(demo_page).locator(".verdict li").all_inner_texts():
        claim, _, size = sentence.partition(" (")[0].rpartition(": ")
        metric = claim.rpartition(" in ")[2]
        assert f"in {metric}: {size}" in said

"""The pages of docs/, with the table of engines: what they show runs, and what they say of engines is so.

A page's snippets run in its engine, with the engine's own connection and URL in place of those of the section Connect.
Pages of warehouses that nobody can install are held to what needs none: Python that compiles, statements that are
written, options that there are, dbt's macros that render.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex

import click
import pytest
import yaml

from dev.engines import ENGINES, start, table
from rankmetrics_sql.cli import main
from rankmetrics_sql.root import sql_root
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..dialects.known import EXECUTED, RENDERED
from ..everything import asked_for
from .test_repository import IN_A_SHELL, typed

DOCS = table.PAGE.parent
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(DOCS.rglob("*.md"))
}

# A section that does its page's job in ten lines of code.
TEN_LINES = re.compile(r"^## .*[Tt]en lines$", re.MULTILINE)

README = "the project's README"
TEXTS = PAGES | {README: (DOCS.parent / "README.md").read_text(encoding="utf-8")}

# The engine that runs a page, and the dialect of its text.
RUN_BY = {
    "clickhouse": ("clickhouse", "clickhouse"),
    "databricks": ("spark", "databricks"),
    "duckdb": ("duckdb", "duckdb"),
    "mysql": ("mariadb", "mysql"),
    "postgresql": ("postgres-18", "postgres"),
    "redshift": ("postgres-15", "redshift"),
    "spark": ("spark", "spark"),
    "sqlite": ("sqlite", "sqlite"),
    "trino": ("trino", "trino"),
}
# Whose engine runs in this process, where no URL reaches it.
WITHOUT_URL = {"clickhouse", "databricks", "spark"}
OTHER_ENGINES = {"bigquery": "bigquery", "snowflake": "snowflake", "rendered": "tsql"}
NOT_RUN = {page: "duckdb" for page in PAGES if page not in RUN_BY} | OTHER_ENGINES
TABLES = {
    "search_results": (
        {"query_id": "text", "item_id": "text", "score": "double"},
        [("x", "a", 2.0), ("x", "b", 1.0), ("y", "a", 1.0)],
    ),
    "judgments": (
        {"query_id": "text", "item_id": "text", "relevance": "bigint"},
        [("x", "b", 1), ("y", "a", 1)],
    ),
}


def text_of(page, but=None):
    """The text of a page, but for a section's."""
    return re.sub(rf"^## {but}\n.*?(?=^## )", "", TEXTS[page], flags=re.DOTALL | re.MULTILINE) if but else TEXTS[page]


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", TEXTS[page], flags=re.DOTALL)


def examples(page, but=None):
    """Each block of Python, and the block of text right below it, which is what it prints."""
    return re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text_of(page, but), flags=re.DOTALL)


def commands(page):
    """Every command of ours that the page shows, and the lines that it says come out; None where it says nothing."""
    for block in blocks(page, "bash"):
        yield from ((shlex.split(line)[1:], None) for line in block.splitlines() if line.startswith("rankmetrics "))
    for block in blocks(page, "console"):
        for command, output in typed(block):
            if command.startswith("rankmetrics "):
                yield shlex.split(command.replace("\\\n", " "))[1:], output.rstrip().splitlines()


def mentioned(page):
    """Commands in the page's sentences."""
    return [shlex.split(found)[1:] for found in re.findall(r"`(rankmetrics [^`]*--[^`]*)`", TEXTS[page])]


def expected(code, shown):
    """What a block of Python prints: the block of text below it, or its comments."""
    if shown:
        return lines_of(shown)
    return [line.split("# prints ", 1)[1].strip() for line in code.splitlines() if "# prints " in line]


def printed(output):
    return lines_of(output.getvalue())


def lines_of(text):
    """The lines without spaces at their ends, and without empty ones at the end, such as that below DuckDB's tables."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


def models(page):
    """What dbt's macros are asked for."""
    return [
        match
        for block in blocks(page, "sql")
        for match in re.findall(r"(.*){{ rankmetrics_sql\.(\w+)\((.*)\) }}(.*)", block, flags=re.DOTALL)
    ]


def rendered(model, dialect):
    before, macro, arguments, after = model
    written = eval(f"macro({arguments})", {"macro": macros(dialect)[macro], "ref": lambda name: name})
    return before + written + after


@pytest.fixture
def place(request, start_engine):
    """An engine with the tables of the pages."""
    engine = start_engine(request.param)
    for name, (columns, rows) in TABLES.items():
        engine.load(name, columns, rows)
    return engine


@pytest.fixture
def address(place, tmp_path):
    """The engine's URL; DuckDB's file is open for writing in this process, so a copy's."""
    if place.name != "duckdb":
        return place.url
    file = tmp_path / "shop.duckdb"
    with contextlib.closing(place.connection.cursor()) as cursor:
        cursor.execute(f"ATTACH '{file}' AS copy")
        for name in TABLES:
            cursor.execute(f"CREATE TABLE copy.{name} AS FROM {name}")
        cursor.execute("DETACH copy")
    return f"duckdb:///{file}"


def run_by(*, url=False):
    return [
        pytest.param(page, name, dialect, id=page)
        for page, (name, dialect) in RUN_BY.items()
        if not (url and page in WITHOUT_URL)
    ]


def test_every_engine_has_its_page():
    assert RUN_BY.keys() | NOT_RUN.keys() == PAGES.keys()


def test_every_page_is_linked():
    assert set(re.findall(r"\]\(([\w/]+)\.md\)", PAGES["README"])) == PAGES.keys() - {"README"}


@pytest.mark.parametrize(("page", "place", "dialect"), run_by(), indirect=["place"])
def test_python_of_a_page_runs(page, place, dialect):
    names = {"connection": place.connection, "url": place.url}
    for code, shown in examples(page, but="Connect"):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            quietly(exec, compile(code, page, "exec"), names)
        assert printed(output) == expected(code, shown)


@pytest.mark.parametrize(("page", "place", "dialect"), run_by(url=True), indirect=["place"])
def test_commands_of_a_page_print_what_it_says(page, place, dialect, address, cli):
    for arguments, lines in commands(page):
        found = quietly(cli, *[address if argument == "$URL" else argument for argument in arguments])
        assert found.exit_code == 0, found.output
        assert lines in (None, found.stdout.splitlines())


@pytest.mark.parametrize(
    "page",
    [
        page
        for page in NOT_RUN
        if "```console" in PAGES[page] and "$URL" not in PAGES[page] and f"docs/{page}.md" not in IN_A_SHELL
    ],
)
def test_commands_of_other_pages_print_what_it_says(page, cli, monkeypatch, undrawn):
    monkeypatch.chdir(DOCS.parent)
    for arguments, lines in commands(page):
        found = quietly(cli, *arguments)
        assert found.exit_code == 0, found.output
        assert not lines or lines == found.stdout.splitlines()


@pytest.mark.parametrize(("page", "place", "dialect"), run_by(), indirect=["place"])
def test_models_of_a_page_give_the_numbers(page, place, dialect):
    for model in models(page):
        names, rows = place.fetch(rendered(model, dialect))
        values = {row[0]: row[1] for row in rows}
        assert names[:2] == ["query_id", "rr"]
        assert values == {"x": 0.5, "y": 1.0}


# python -m dev.site build, which the gate calls, draws each chart of this page.
DRAWN = pytest.param("charts", marks=pytest.mark.long)


@pytest.mark.parametrize("page", [*(page for page in TEXTS if page != "charts"), DRAWN])
def test_python_of_a_page_runs_from_its_first_block(page, monkeypatch, undrawn):
    """With nothing but what the page says before; what needs an engine compiles, and imports."""
    monkeypatch.chdir(DOCS.parent)
    names = {}
    for code, shown in examples(page):
        tree = ast.parse(code)
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if page in RUN_BY or used & {"url", "connection"}:
            for line in re.findall(r"^import rankmetrics_sql as rm$", code, re.MULTILINE):
                exec(line, names)
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            quietly(exec, compile(code, page, "exec"), names)
        if page != README:  # whose output is a block of its own
            assert printed(output) == expected(code, shown)


@pytest.mark.parametrize("page", TEXTS)
def test_commands_of_a_page_exist(page):
    for name, *arguments in [*(arguments for arguments, _ in commands(page)), *mentioned(page)]:
        given = [argument for argument in arguments if argument != "..."]
        if "..." in arguments:
            given += ["-m", "rr"]
        context = click.Context(main)
        with contextlib.suppress(click.exceptions.Exit):  # of --help
            main.get_command(context, name).make_context(name, given, parent=context)


@pytest.mark.parametrize("page", [page for page in [*NOT_RUN, README] if models(page)])
def test_models_of_other_pages_render(page):
    for model in models(page):
        stages = {"from_events": "rankmetrics_shown_items", "worst_queries": "rankmetrics_requests"}
        stages |= {
            "judgments_from_clicks": "rankmetrics_estimates",
            "quality_of_events": "rankmetrics_impressions_reasons",
        }
        stage = stages.get(model[1], "rankmetrics_rows")
        assert stage in rendered(model, NOT_RUN.get(page, "duckdb"))


@pytest.mark.parametrize("page", [page for page in TEXTS if "rankmetrics_sql." in "".join(blocks(page, "yaml"))])
def test_dbt_tests_of_a_page_are_there_with_their_arguments(page):
    written = yaml.safe_load((sql_root() / "macros" / "_macros.yml").read_text(encoding="utf-8"))["macros"]
    known = {macro["name"]: {each["name"] for each in macro.get("arguments", ())} for macro in written}
    for block in blocks(page, "yaml"):
        models = yaml.safe_load(block).get("models", ())
        for model in models if isinstance(models, list) else ():  # dbt_project.yml has a mapping there
            for test in (test for test in model.get("data_tests", ()) if isinstance(test, dict)):
                [(name, given)] = test.items()
                assert given["arguments"].keys() <= known[f"test_{name.removeprefix('rankmetrics_sql.')}"]


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if TEN_LINES.search(text)])
def test_a_job_is_done_in_ten_lines(page):
    section = TEN_LINES.split(PAGES[page], 1)[1].partition("\n## ")[0]
    code = re.findall(r"```(?:python|sql|bash)\n(.*?)```", section, flags=re.DOTALL)
    assert code
    for block in code:
        assert len([line for line in block.splitlines() if line and not line.startswith("# prints ")]) <= 10


def test_models_of_dbt_give_the_rows_that_the_page_shows():
    """The models over the tables of the page of A/B tests, which prints the same value."""
    names = {}
    exec(compile(blocks("ab_test", "python")[0], "ab_test", "exec"), names)
    shop = names["shop"]
    shop.execute("ALTER TABLE serp_log RENAME TO impressions")
    shop.execute("ALTER TABLE actions RENAME TO events")
    source, by_day, verdict = (rendered(model, "duckdb") for model in models("dbt")[:3])
    shop.execute(f"CREATE TABLE search_rows AS {source}")
    shop.execute(f"CREATE TABLE quality_by_day AS {by_day}")
    shop.execute(f"CREATE TABLE verdict AS {verdict}")
    days = shop.sql("SELECT COUNT(DISTINCT period), SUM(n_queries) FROM quality_by_day WHERE metric = 'mrr'").fetchall()
    assert days == [(14, 2998)]
    shows = re.findall(
        r'^\$ dbt show .*--inline \\\n *"(.*)"\n.*\n\| .*\n\| -.*\n((?:\|.*\n)+)', PAGES["dbt"], re.MULTILINE
    )
    assert len(shows) == 2
    for statement, lines in shows:
        found = shop.sql(re.sub(r"{{ ref\('(\w+)'\) }}", r"\1", statement)).fetchall()
        shown = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines()]
        cells = [[f"{cell:.3f}…" if isinstance(cell, float) else str(cell) for cell in row] for row in found]
        assert cells[: len(shown)] == shown
    [quality] = [rendered(model, "duckdb") for model in models("dbt_recipes") if model[1] == "quality_of_events"]
    rows = [f"| {' | '.join(map(str, row))} |" for row in shop.sql(quality).fetchall()]
    assert "\n".join(["| input | reason | n_rows |", "|---|---|---:|", *rows, ""]) in PAGES["dbt_recipes"]
    [(by_hand,)] = shop.sql("""
        SELECT AVG(reciprocal) FROM (
            SELECT COALESCE(1 / MIN(slot) FILTER (event_type = 'click'), 0) AS reciprocal
            FROM impressions LEFT JOIN events USING (search_id, sku) WHERE variant = 'control' GROUP BY search_id
        )
    """).fetchall()
    [(baseline,)] = shop.sql("SELECT baseline FROM verdict WHERE metric = 'mrr'").fetchall()
    assert baseline == pytest.approx(by_hand)
    assert f"mrr      control {baseline:.4f} " in PAGES["ab_test"]


def test_every_dialect_has_a_page():
    text = "\n".join(text for page, text in PAGES.items() if page != "engines").lower()
    assert [name for name in (*EXECUTED, *RENDERED) if name not in text and name != "datafusion"] == []


# The table of engines


@pytest.fixture
def version(name, need_engine, start_engine):
    """What an engine says its version is; the cluster takes too much memory to be left running."""
    if name != "spark-cluster":
        return start_engine(name).version
    need_engine(name)
    with start(name) as engine:
        return engine.version


@pytest.mark.parametrize("name", ENGINES)
def test_the_page_tells_the_version_that_runs(name, version):
    number, shown = table.told(name, version), table.shown()
    if name in table.UNPINNED and not asked_for():  # whatever this system installs
        number, shown = "#", re.sub(r"(?<=[A-Za-z]) \d+(\.\d+)*(?= \|)", " #", shown)
    rows = table.executed(name, number)
    assert [row for row in rows if row not in shown.splitlines()] == [], "run: python -m dev.engines table"


def test_the_page_tells_what_is_only_read():
    shown = [line for line in table.shown().splitlines() if line.startswith("| ")]
    expected = [*table.rendered(), *table.notes()]
    assert [line for line in expected if line not in shown] == [], "run: python -m dev.engines table"
    executed = sum(len(engine.dialects) + len(engine.proxies) for engine in ENGINES.values())
    assert len(shown) == len(table.HEADER) + executed + len(expected), "run: python -m dev.engines table"


DIALECTS = {page: dialect for page, (_, dialect) in RUN_BY.items()} | OTHER_ENGINES


@pytest.mark.parametrize("page", DIALECTS)
def test_a_page_begins_with_how_its_text_is_tested(page):
    """As the table has it, with the engines and their versions; the list of pages has the same word."""
    rows = re.findall(rf"^\| {DIALECTS[page]} \| (\w+) \| (.*?) \|", table.shown(), re.MULTILINE)
    how = next(word for word in ("executed", "proxy", "rendered") if word in dict(rows))
    first = PAGES[page].split("\n\n")[1]
    engines = re.findall(r"(\w+) (\d+)", " ".join(place for word, place in rows if word == how))
    assert first.startswith(f"{how.capitalize()}: ")
    assert {word for engine in engines for word in engine} <= set(re.findall(r"\w+", first))
    assert re.search(rf"^\| \[[^|]*\]\({page}\.md\)[^|]* \| {how}", PAGES["engines"], re.MULTILINE)


def test_every_letter_has_a_note():
    engines = table.shown().partition(table.HEADER[2])[0]
    assert set(re.findall(r"(?<=[ ,])([a-z])(?=,| \|)", engines)) == table.NOTES.keys()

"""What the package shows at its top, and documents that run; ``dev/check`` has the rules about files."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import duckdb
import pytest

import rankmetrics_sql as rm
from dev.site import excerpt
from rankmetrics_sql.cli.help import JOBS
from rankmetrics_sql.templates import macros

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "rankmetrics_sql"


def test_public_names():
    """All are there, once each, and what type checkers see is what Python finds."""
    seen = re.findall(r"^    from \.(\S+) import (\w+) as (\w+)$", (PACKAGE / "__init__.py").read_text(), re.MULTILINE)
    assert {(module, name) for module, name, _ in seen} == {(module, name) for name, module in rm._PLACES.items()}
    assert all(name == shown for _, name, shown in seen)
    assert [getattr(rm, name).__name__ for name in rm.__all__] == rm.__all__
    assert set(rm.__all__) <= set(dir(rm))
    with pytest.raises(AttributeError, match="'rankmetrics_sql' has no attribute 'evaluat'"):
        rm.evaluat  # noqa: B018 - it is what is tested


@pytest.mark.parametrize("name", [name for name in rm.__all__ if inspect.isfunction(getattr(rm, name))])
def test_help_says_what_each_argument_is(name):
    """What questions share stands in the help of each of them that takes it, and nothing else does."""
    function = getattr(rm, name)
    _, _, section = inspect.getdoc(function).partition("Args:\n")
    described = re.findall(r"^    (\w+): ", section.partition("\n\n")[0], re.MULTILINE)
    assert sorted(described) == sorted(inspect.signature(function).parameters)


def test_what_a_mutation_replaces_stands_once():
    """Code that moved takes its mistake along: python -m dev.mutate would stop there, hours later."""
    mutations = tomllib.loads((ROOT / "dev" / "mutations.toml").read_text("utf-8"))["mutation"]
    found = {one["name"]: (ROOT / one["file"]).read_text("utf-8").count(one["old"]) for one in mutations}
    assert found == dict.fromkeys(found, 1)
    assert len(found) == len(mutations)


def test_an_import_reads_nothing_but_the_version():
    code = "import sys, rankmetrics_sql; print([name for name in sys.modules if name.startswith('rankmetrics_sql.')])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "['rankmetrics_sql.version']"


# Pages whose commands are run as they would be pasted into a shell.
IN_A_SHELL = (
    "README.md",
    *(f"docs/{page}.md" for page in ("ci", "command_line", "judges", "other_tools", "rag")),
)


def blocks(language, *pages):
    text = "\n".join((ROOT / page).read_text() for page in pages or ("README.md",))
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def typed(block):
    """Each command of a block, which may have several lines, and what it prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command = re.match(r"(?:.*\\\n)*.*", part)[0]
        yield command, part[len(command) :].removeprefix("\n")


@pytest.mark.parametrize("code", blocks("python"))
def test_readme_python_runs_and_prints_what_it_says(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "README.md", "exec"), {})
    said = [line.split("# prints ", 1)[1].strip() for line in code.splitlines() if "# prints " in line]
    assert output.getvalue().split("\n")[:-1] == said


@pytest.fixture
def clone(tmp_path):
    """The root of a clone, where examples may leave files."""
    for path in ROOT.iterdir():
        if not path.name.startswith(".") and path.name != "events.csv":
            (tmp_path / path.name).symlink_to(path)
    return tmp_path


@pytest.mark.parametrize("block", blocks("console", *IN_A_SHELL))
def test_readme_commands_print_what_it_says(block, clone):
    """Pasted into a shell, in the root of a clone."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command, expected in typed(block):
        found = subprocess.run(
            ["bash", "-c", command],
            cwd=clone,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        assert [line.rstrip() for line in found.stdout.splitlines()] == [
            line.rstrip() for line in expected.splitlines()
        ], command


def test_readme_shows_what_its_commands_print(cli):
    """The demo's comparison row by row, and a statement, whole."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert excerpt.statement() in text
    assert f"```sql\n{cli(*excerpt.STATEMENT.split()).stdout.rstrip()}\n```" in text
    printed = cli("demo", "arms").stdout
    rows = re.findall(r"(?m)^\| (\S+) \| (\S+) \| (\S+) \| (\S+) \| (\[.*?\]) \| \*\*(\w+)\*\* \|$", text)
    assert [row[0] for row in rows] == ["ctr@5", "mrr", "amount"]
    for metric, old, new, difference, interval, verdict in rows:
        pattern = (
            rf"{re.escape(metric)} +old {old} +new {new} +{re.escape(difference)} +{re.escape(interval)} +{verdict} "
        )
        assert re.search(pattern, printed), metric


def test_the_statement_of_the_demo_gives_the_numbers_of_the_demo(cli):
    with duckdb.connect() as connection:
        impressions = (PACKAGE / "demo" / "impressions.sql").read_text(encoding="utf-8")
        connection.execute(f"CREATE TABLE impressions AS {impressions}")
        connection.execute(
            "CREATE TABLE events AS SELECT *, 'click' AS event_type FROM impressions WHERE clicked"
            " UNION ALL SELECT *, 'purchase' FROM impressions WHERE bought"
        )
        found = connection.execute(cli("demo", "--sql").stdout).fetchall()
    shown = cli("demo", "arms").stdout
    assert len(found) == 3
    for _run, _baseline, metric, baseline, candidate, *_ in found:
        assert re.search(rf"^{metric} +old {baseline:.4f} +new {candidate:.4f} ", shown, re.MULTILINE)


def test_every_command_is_named():
    listed = [name for commands in JOBS.values() for name in commands]
    text = (ROOT / "docs" / "command_line.md").read_text()
    assert listed
    assert [name for name in listed if f"rankmetrics {name}" not in text] == []


def rows(text, header):
    """The rows below a header of a Markdown table."""
    lines = text.split(header + "\n", 1)[1].splitlines()[1:]
    found = []
    for line in lines:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def test_the_example_of_the_dbt_package_gives_what_it_says():
    """The tables of sql/package.md: two relations, and what the model of the example makes of them."""
    text = (ROOT / "sql" / "package.md").read_text()
    inputs = rows(text, "| query_id | item_id | score | | query_id | item_id | relevance |")
    expected = rows(text, "| query_id | ndcg_at_10 | rr | p_at_3 |")
    [call] = re.findall(r"{{ rankmetrics_sql\.(\w+)\((.*)\) }}", text)[:1]
    names = {"ref": lambda name: name, call[0]: macros()[call[0]]}
    statement = eval(f"{call[0]}({call[1]})", names)
    with duckdb.connect() as connection:
        for name, columns in (("search_results", slice(0, 3)), ("judgments", slice(4, 7))):
            values = ", ".join(str((*row[columns][:2], float(row[columns][2]))) for row in inputs)
            value = "score" if name == "search_results" else "relevance"
            connection.execute(
                f"CREATE TABLE {name} AS SELECT * FROM (VALUES {values}) AS t(query_id, item_id, {value})"
            )
        found = sorted(connection.execute(statement).fetchall())
    assert [[row[0], *(f"{value:.4f}" for value in row[1:])] for row in found] == [
        [row[0], *(f"{float(value):.4f}" for value in row[1:])] for row in expected
    ]

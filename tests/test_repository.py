"""The shape of the repository: order of modules, one place for each fact, documents that run."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import duckdb
import pytest

import rankmetrics_sql as rm
from dev import generate
from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.dialects import all_dialects
from rankmetrics_sql.statements.templates import macros

from .everything import LONGEST_FIRST

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "rankmetrics_sql"
MODULES = sorted(PACKAGE.rglob("*.py"))
KNOWN = PACKAGE / "dialects" / "known"


def module_name(path):
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(path):
    """Our own modules that a file imports, and the packages of others."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            depth = len(path.relative_to(PACKAGE).parts) - node.level
            inner = [path.relative_to(PACKAGE).parts[0]] if depth > 0 else []
            parts = [*inner, *(node.module or "").split(".")] if node.module else inner
            yield from (("own", parts[0]) for _ in [0] if parts)
            yield from (("own", alias.name) for alias in node.names if not parts)
        elif isinstance(node, ast.ImportFrom):
            yield "other", node.module.split(".")[0]
        elif isinstance(node, ast.Import):
            yield from (("other", alias.name.split(".")[0]) for alias in node.names)


def test_modules_import_from_those_before_them_only():
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("library", "owner"),
    [
        ("jinja2", {"statements", "report"}),  # templates of SQL, and that of the page
        *(("sqlglot", {"dialects"}), ("duckdb", {"databases"}), ("rich", {"results"}), ("click", {"cli"})),
        ("altair", {"charts"}),
    ],
)
def test_each_library_has_one_module(library, owner):
    users = {
        module_name(path) for path in MODULES for kind, name in imports(path) if (kind, name) == ("other", library)
    }
    assert users == owner


LISTS = ast.Tuple | ast.List | ast.Set


def names_of_dialects(node):
    """Those that a node compares something with."""
    names = {name for dialect in all_dialects() for name in (dialect.name, *dialect.also_called)}
    sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else [node.value]
    listed = [one for side in sides for one in (side.elts if isinstance(side, LISTS) else [side])]
    return names & {one.value for one in listed if isinstance(one, ast.Constant)}


def compared(text):
    tree = ast.parse(text)
    return [
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare | ast.MatchValue)
        for name in names_of_dialects(node)
    ]


@pytest.mark.parametrize(
    "text", ["a == 'mysql'", "'a' if x not in ('b', 'mssql') else 'c'", "match a:\n case 'hive': pass"]
)
def test_a_comparison_with_a_dialect_is_seen(text):
    assert compared(text)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_dialect_is_asked_not_compared(path):
    """Nothing but a dialect's own record knows what is special about it."""
    assert compared(path.read_text()) == []


def test_a_dialect_is_one_file():
    assert [dialect.name for dialect in all_dialects() if not (KNOWN / f"{dialect.name}.py").is_file()] == []
    assert len(all_dialects()) == len({dialect.name for dialect in all_dialects()}) == len([*KNOWN.glob("[a-z]*.py")])


def test_metrics_are_named_in_no_python_file():
    words = {"judged", "p", "r", "f"}  # they are also an option's value, file modes and the like
    found = [
        (path.name, name)
        for path in MODULES
        for name in metrics().keys() - words
        if re.search(rf"[\"']{name}[\"']", path.read_text())
    ]
    assert found == []


def test_public_names():
    """All are there, once each, and what type checkers see is what Python finds."""
    seen = re.findall(r"^    from \.(\S+) import (\w+) as (\w+)$", (PACKAGE / "__init__.py").read_text(), re.MULTILINE)
    assert {(module, name) for module, name, _ in seen} == {(module, name) for name, module in rm._PLACES.items()}
    assert all(name == shown for _, name, shown in seen)
    assert [getattr(rm, name).__name__ for name in rm.__all__] == rm.__all__
    assert set(rm.__all__) <= set(dir(rm))
    with pytest.raises(AttributeError, match="'rankmetrics_sql' has no attribute 'evaluat'"):
        rm.evaluat  # noqa: B018 - it is what is tested


def test_an_import_reads_nothing_but_the_version():
    code = "import sys, rankmetrics_sql; print([name for name in sys.modules if name.startswith('rankmetrics_sql.')])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "['rankmetrics_sql.version']"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_and_public_functions_are_documented(path):
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            overloads = [decorator for decorator in node.decorator_list if ast.unparse(decorator) == "overload"]
            assert ast.get_docstring(node) or overloads, node.name


@pytest.mark.parametrize(
    ("path", "text"), generate.generated().items(), ids=lambda value: value.name if isinstance(value, Path) else ""
)
def test_generated_files_are_current(path, text):
    assert path.read_text() == text, "run: python -m dev.generate"


def test_versions_agree():
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == rm.__version__
    assert f"## [{rm.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_licences_agree():
    assert (ROOT / "LICENSE").read_bytes() == (ROOT / "sql" / "LICENSE").read_bytes()


# Pages whose commands are run as they would be pasted into a shell.
IN_A_SHELL = ("README.md", "docs/command_line.md", "docs/other_tools.md")


def blocks(language, *pages):
    text = "\n".join((ROOT / page).read_text() for page in pages or ("README.md",))
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def section(title):
    return (ROOT / "README.md").read_text().split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_quick_start_is_two_lines():
    found = re.findall(r"```bash\n(.*?)```", section("Quick start"), flags=re.DOTALL)
    assert [len(block.splitlines()) for block in found] == [1, 1]


@pytest.mark.parametrize("code", blocks("python"))
def test_readme_python_runs_and_prints_what_it_says(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "README.md", "exec"), {})
    said = [line.split("# prints ", 1)[1].strip() for line in code.splitlines() if "# prints " in line]
    assert output.getvalue().split("\n")[:-1] == said


def test_the_readme_shows_what_a_comparison_shows():
    [code] = [code for code in blocks("python") if "rm.compare(" in code]
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    assert blocks("text") == [f"{names['found']!r}\n"]


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
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
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


def test_readme_shows_the_sql_that_it_writes(cli):
    """Its pieces stand in the text as they are; the Python beside them runs it."""
    shown = blocks("sql")[0]
    [command] = re.findall(r"`rankmetrics (sql -m rr [^`]*)`", (ROOT / "README.md").read_text())
    [code] = [code for code in blocks("python") if "rm.sql(" in code and "CREATE TABLE run" in code]
    [call] = re.findall(r"rm\.sql\(.*\)", code)
    texts = cli(*shlex.split(command)).stdout, eval(call, {"rm": rm})
    for piece in shown.split("-- ...\n"):
        assert all(piece in text for text in texts)


@pytest.mark.parametrize("page", ["README.md", "docs/command_line.md"])
def test_every_command_is_named(page, cli):
    listed = re.findall(r"^  ([\w-]+) ", cli("--help").stdout.split("Commands:")[1], flags=re.MULTILINE)
    text = (ROOT / page).read_text()
    assert listed
    assert [name for name in listed if f"rankmetrics {name}" not in text] == []


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().split()) <= 1000


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
        found = connection.execute(statement).fetchall()
    assert [[row[0], *(f"{value:.4f}" for value in row[1:])] for row in found] == [
        [row[0], *(f"{float(value):.4f}" for value in row[1:])] for row in expected
    ]


def test_what_takes_longest_is_there():
    assert set(LONGEST_FIRST) - {path.stem for path in (ROOT / "tests").rglob("test_*.py")} == set()

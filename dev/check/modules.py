"""Rules about the modules of the package."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.dialects import all_dialects

from .repository import Finding, Repository

PACKAGE = "rankmetrics_sql"
# The folders or modules that import a library; no other may.
USERS = {
    "jinja2": {"template_files", "templates", "report"},  # templates of SQL, and of the page
    "sqlglot": {"dialects"},
    "duckdb": {"engines"},
    "rich": {"progress", "results"},  # a line that changes, and tables
    "click": {"cli"},
    "altair": {"charts"},
}
OTHER_WORDS = {
    "amount",
    "clicks",
    "ctr",
    "judged",
    "p",
    "r",
    "f",
}  # names of metrics that are an option's value, file modes and the like, too
_SEVERAL = ast.Tuple | ast.List | ast.Set


def part_of(path: str) -> str:
    """Return the folder of the package that a module is in, or the module itself."""
    return path.split("/")[1].removesuffix(".py")


def imports(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """Yield the packages that the nodes of a module import, with the line."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").split(".")[0], node.lineno
        elif isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], node.lineno) for alias in node.names)


def libraries_have_one_place(repository: Repository) -> Iterator[Finding]:
    """What a library is for is done in one folder, so that it can be replaced, or go."""
    users: dict[str, set[str]] = {library: set() for library in USERS}
    for path in repository.modules():
        for library, line in imports(repository.python_nodes(path)):
            users.get(library, set()).add(part_of(path))
            if part_of(path) not in USERS.get(library, {part_of(path)}):
                expected = " or ".join(sorted(USERS[library]))
                yield Finding(path, line, f"{library} is imported; expected that in {expected} only")
    for library, parts in users.items():
        for part in USERS[library] - parts:
            yield Finding(
                "dev/check/modules.py", 1, f"{part} does not import {library}; expected that it need not be named"
            )


def dialects_are_not_compared(repository: Repository) -> Iterator[Finding]:
    """Nothing but a dialect's own record knows what is special about it."""
    names = {name for dialect in all_dialects() for name in (dialect.name, *dialect.also_called)}
    for path in repository.modules():
        for node in repository.python_nodes(path):
            for name in sorted(names & _compared_with(node)):
                problem = f"something is compared with {name!r}; expected a field of the dialect's record"
                yield Finding(path, node.lineno, problem)


def _compared_with(node: ast.AST) -> set[object]:
    """Return the literals that a node compares something with."""
    if not isinstance(node, ast.Compare | ast.MatchValue):
        return set()
    sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else [node.value]
    values = [value for side in sides for value in (side.elts if isinstance(side, _SEVERAL) else [side])]
    return {value.value for value in values if isinstance(value, ast.Constant)}


def metrics_are_not_named(repository: Repository) -> Iterator[Finding]:
    """What is special about a metric stands in its header and nowhere else. Examples in docstrings name some."""
    names = "|".join(sorted(metrics().keys() - OTHER_WORDS))
    for path in repository.modules():
        for number, line in enumerate(repository.text(path).splitlines(), start=1):
            if line.lstrip().startswith((">>>", "...")):
                continue
            for match in re.finditer(rf"[\"']({names})[\"']", line):
                yield Finding(path, number, f"the metric {match[1]} is named; expected a key of its header")


def what_is_public_is_documented(repository: Repository) -> Iterator[Finding]:
    """Every module has a docstring, and every function and class at its top that is public."""
    for path in repository.modules():
        tree = repository.python(path)
        if not ast.get_docstring(tree):
            yield Finding(path, 1, "the module has no docstring; expected one")
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
                continue
            overloads = [decorator for decorator in node.decorator_list if ast.unparse(decorator) == "overload"]
            if not ast.get_docstring(node) and not overloads:
                yield Finding(path, node.lineno, f"{node.name} has no docstring; expected one")


def modules_import_downwards(repository: Repository) -> Iterator[Finding]:
    """A module imports only from those before it: import-linter holds the order of ``pyproject.toml``."""
    program = Path(sys.executable).with_name("lint-imports")
    process = subprocess.run([program, "--no-cache"], check=False, cwd=repository.root, capture_output=True, text=True)
    findings = list(_imports(process.stdout))
    yield from findings
    if process.returncode and not findings:
        last_line = (process.stderr or process.stdout).strip().splitlines()[-1:]
        yield Finding("pyproject.toml", 1, f"lint-imports failed: {' '.join(last_line)}; expected contracts that hold")


def _imports(report: str) -> Iterator[Finding]:
    """Yield a finding for each import that a report of import-linter lists below a broken contract."""
    broken = ""
    for line in report.splitlines():
        broken = line.rstrip(":") if "is not allowed to import" in line else broken
        if match := re.search(r"([\w.]+) -> ([\w.]+) \(l\.(\d+)", line):
            path = f"{match[1].replace('.', '/')}.py"
            yield Finding(path, int(match[3]), f"{match[2]} is imported; expected not to: {broken}")


RULES = (
    libraries_have_one_place,
    dialects_are_not_compared,
    metrics_are_not_named,
    what_is_public_is_documented,
    modules_import_downwards,
)

"""Rules about what goes with the code: versions, licences, the README, files that are written by a command."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import PurePosixPath

from dev import generate

from .repository import Finding, Repository, line_of

ORDER = "tests/everything.py"


def versions_agree(repository: Repository) -> Iterator[Finding]:
    """The package of Python, that of dbt and the changelog have the same version."""
    version = tomllib.loads(repository.text("pyproject.toml"))["project"]["version"]
    for path, pattern in (
        ("rankmetrics_sql/version.py", rf'^__version__ = "{re.escape(version)}"$'),
        ("sql/dbt_project.yml", rf"""^version: ["']?{re.escape(version)}["']?$"""),
        ("CHANGELOG.md", rf"^## \[{re.escape(version)}\]"),
    ):
        if not re.search(pattern, repository.text(path), re.MULTILINE):
            yield Finding(path, 1, f"has another version; expected {version}, which pyproject.toml has")
    if not re.search(r"^name: .?rankmetrics_sql\b", repository.text("sql/dbt_project.yml"), re.MULTILINE):
        yield Finding("sql/dbt_project.yml", 1, "has another name; expected rankmetrics_sql")


def licences_agree(repository: Repository) -> Iterator[Finding]:
    """The package of dbt carries the licence of the repository."""
    if repository.text("LICENSE") != repository.text("sql/LICENSE"):
        yield Finding("sql/LICENSE", 1, "differs from LICENSE; expected the same text")


def the_readme_has_two_commands_for_ci(repository: Repository) -> Iterator[Finding]:
    """CI installs and scores by the quick start, and tests by what stands below Develop: a block of one line each."""
    text = repository.text("README.md")
    for heading in ("## Quick start\n", "## Develop\n"):
        start = text.find(heading)
        section = text[start:].split("\n## ", 1)[0] if start >= 0 else ""
        lines = [len(block.splitlines()) for block in re.findall(r"```bash\n(.*?)```", section, re.DOTALL)]
        if lines != [1]:
            place = line_of(text, max(start, 0))
            problem = f"{heading[3:].strip()}: blocks of {lines} lines; expected one command of one line"
            yield Finding("README.md", place, problem)


def generated_files_are_current(repository: Repository) -> Iterator[Finding]:
    """What follows from the headers of metrics is written by a command, and not by hand."""
    for file, expected in generate.generated().items():
        path = file.relative_to(repository.root).as_posix()
        text = repository.text(path)
        if text != expected:
            pairs = zip(text.splitlines(), expected.splitlines(), strict=False)
            line = next((number for number, (old, new) in enumerate(pairs, start=1) if old != new), 1)
            yield Finding(path, line, "is not what the headers say; expected what python -m dev.generate writes")


def the_longest_tests_are_there(repository: Repository) -> Iterator[Finding]:
    """The files of tests that are put first exist."""
    names = {PurePosixPath(path).stem for path in repository.files("tests", ".py")}
    for node in ast.walk(repository.python(ORDER)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "LONGEST_FIRST":
            for entry in node.value.elts:
                if entry.value not in names:
                    yield Finding(
                        ORDER, entry.lineno, f"there is no {entry.value}.py; expected the name of a file of tests"
                    )


RULES = (
    versions_agree,
    licences_agree,
    the_readme_has_two_commands_for_ci,
    generated_files_are_current,
    the_longest_tests_are_there,
)

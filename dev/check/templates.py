"""Rules about the text of the templates: what lets one file render in jinja2, dbt 1, dbt 2 and SQLMesh."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2 import nodes

from .repository import Finding, Repository, folder_of, line_of, matches, name_of, without

GLOBALS = {"rankmetrics_sql", "return", "adapter", "exceptions", "range", "fromjson", "var", "flags", "config"}
LONGEST_LINE = 120
NO_STAGES = {"rankmetrics_sql", "rankmetrics_custom_metric"}  # the package, and a macro of the user's


def known_globals(repository: Repository) -> Iterator[Finding]:
    """A template uses no global that one of the four engines lacks."""
    for path in repository.templates():
        assigned = set(
            re.findall(r"{%-? *set (\w+)", repository.text(path))
        )  # jinja2 follows no name from one block into the next
        for name in sorted(repository.undeclared(path) - assigned - GLOBALS):
            line = next(node.lineno for node in repository.nodes(path, nodes.Name) if node.name == name)
            yield Finding(
                path, line, f"{name} is no global of every engine; expected one of {', '.join(sorted(GLOBALS))}"
            )


def only_macros(repository: Repository) -> Iterator[Finding]:
    """Outside of macros, tests and comments a template has no text, because dbt renders none."""
    for path in repository.templates():
        text = repository.text(path)
        outside = without(r"{%-? *macro .*?endmacro *-?%}|{%-? *test .*?endtest *-?%}|{#.*?#}", text)
        if outside.strip():
            line = line_of(outside, len(outside) - len(outside.lstrip()))
            yield Finding(path, line, f"{outside.split()[0]} is outside of a macro; expected macros and comments only")


def no_varargs(repository: Repository) -> Iterator[Finding]:
    """No macro takes any number of arguments: dbt 2 and SQLMesh have no such macros."""
    for path in repository.templates():
        body = without(r"\A{#-.*?-#}", repository.text(path))
        yield from matches(path, body, r"\b(varargs|kwargs)\b|\*\*", "{0}: expected named arguments")


def no_long_lines(repository: Repository) -> Iterator[Finding]:
    """Lines that people write fit a screen."""
    for path in repository.templates():
        lines = [] if folder_of(path) == "generated" else repository.text(path).splitlines()
        for number, line in enumerate(lines, start=1):
            if len(line) > LONGEST_LINE:
                yield Finding(path, number, f"{len(line)} characters; expected at most {LONGEST_LINE}")


def stages_are_named_once(repository: Repository) -> Iterator[Finding]:
    """A stage is called as plan.stages or pass.stages says; tests, checks and sources have names of their own."""
    for path in repository.templates():
        if name_of(path) in ("04_pass.sql", "07_checks.sql") or folder_of(path) in ("tests", "sources"):
            continue
        text = without(r"{#.*?#}", repository.text(path))
        for match in re.finditer(r"\brankmetrics_\w+", text):
            if match[0] not in NO_STAGES:
                problem = f"{match[0]} is the name of a stage; expected plan.stages or pass.stages"
                yield Finding(path, line_of(text, match.start()), problem)


RULES = (known_globals, only_macros, no_varargs, no_long_lines, stages_are_named_once)

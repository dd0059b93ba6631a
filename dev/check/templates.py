"""Rules about the text of the templates: what lets one file render in jinja2, dbt 1, dbt 2 and SQLMesh."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2 import nodes

from rankmetrics_sql import templates

from .repository import Finding, Repository, folder_of, line_of, matches, name_of, without

GLOBALS = {"rankmetrics_sql", "adapter", *templates.GLOBALS}
LONGEST_LINE = 120
WORDS = r"[\w ,()=-]*"  # of the comment above a stage
FIRST_WORDS = r"[a-z][\w ,()=-]+|a"
NO_STAGES = {"rankmetrics_sql", "rankmetrics_custom_metric"}  # the package, and a macro of the user's


def known_globals(repository: Repository) -> Iterator[Finding]:
    """A template uses no global that one of the four engines lacks."""
    for path in repository.templates():
        assigned_names = set(
            re.findall(r"{%-? *set (\w+)", repository.text(path))
        )  # jinja2 follows no name from one block into the next
        for name in sorted(repository.undeclared(path) - assigned_names - GLOBALS):
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
    """No macro takes any number of arguments but what users call, which hands them on to aliases or a refusal.

    Nor does one pass any number, but the registry, which passes a metric's parameters to its macro.
    """
    for path in repository.templates():
        is_public = name_of(path) == "01_public.sql" or folder_of(path) in ("tests", "sources")
        is_registry = name_of(path) == "rm_registry.sql"
        allowed = r"|kwargs(?=[,)])" if is_public else r"|\*\*metric\.params(?=\))" if is_registry else ""
        body = without(rf"{{#.*?#}}{allowed}", repository.text(path))
        yield from matches(path, body, r"\b(varargs|kwargs)\b|\*\*", "{0}: expected named arguments")


def no_counted_replace(repository: Repository) -> Iterator[Finding]:
    """replace has no count: dbt 2 ends with a panic where such a replacement leaves nothing."""
    for path in repository.templates():
        for call in repository.nodes(path, nodes.Filter):
            if call.name == "replace" and len(call.args) + len(call.kwargs) > 2:
                yield Finding(path, call.lineno, "replace has a count; expected split and join, which dbt 2 takes")


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
        if name_of(path) == "04_pass.sql" or folder_of(path) in ("tests", "sources", "sql"):
            continue
        text = without(r"{#.*?#}", repository.text(path))
        for match in re.finditer(r"\brankmetrics_\w+", text):
            if match[0] not in NO_STAGES:
                problem = f"{match[0]} is the name of a stage; expected plan.stages or pass.stages"
                yield Finding(path, line_of(text, match.start()), problem)


def stages_say_what_they_are(repository: Repository) -> Iterator[Finding]:
    """The comment above a stage is in words, without marks that drivers and consoles read in comments too."""
    for path in repository.templates():
        for call in repository.nodes(path, nodes.Call):
            if getattr(call.node, "attr", "") != "rm_cte":
                continue
            about = [*call.args[2:3], *(keyword.value for keyword in call.kwargs if keyword.key == "about")]
            if not about:
                yield Finding(path, call.lineno, "a stage does not say what it is; expected about, the third argument")
            for place, text in enumerate(_texts(about)):
                if not re.fullmatch(WORDS if place else FIRST_WORDS, text):
                    problem = f"about is {text!r}; expected words from a small letter on, without marks but , ( ) = -"
                    yield Finding(path, call.lineno, problem)


def _texts(expressions: list[nodes.Expr]) -> Iterator[str]:
    """Yield the literals in expressions, in their order; a letter for anything else at the beginning."""
    for number, node in enumerate(expressions):
        if isinstance(node, nodes.Const):
            yield str(node.value)
        elif isinstance(node, nodes.Concat):
            yield from _texts(node.nodes)
        else:
            yield from [] if number else ["a"]
            yield from (str(text.value) for text in node.find_all(nodes.Const))


RULES = (
    known_globals,
    only_macros,
    no_varargs,
    no_counted_replace,
    no_long_lines,
    stages_are_named_once,
    stages_say_what_they_are,
)

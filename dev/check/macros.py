"""Rules about macros: their names, their calls, and the documentation of their arguments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import yaml

from .repository import Finding, Repository, folder_of, line_of, name_of, without

PUBLIC = {
    *("per_query", "summary", "sums", "compare", "decompose", "movements", "judged", "judge_next"),
    "rankmetrics_custom_metric",
    "consensus",
    *("propensities", "coec", "ctr_by_position", "team_draft_credit", "team_draft_preference"),
    "worst_queries",
}
OF_SOURCES = r"((judgments_)?from|quality_of)_\w+"
INTERNAL = r"([a-z]+__)?((rm|metric|test)_\w+|rankmetrics_custom_metric)"
ASKED_BY_PYTHON = {"rm_is_metric", "rm_sorted_depth"}  # which stand beside what they ask
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def definitions(repository: Repository, kinds: str = "macro") -> Iterator[tuple[str, str, int]]:
    """Yield the name of each macro, its file and its line."""
    for path in repository.templates():
        text = repository.text(path)
        for match in re.finditer(rf"{{%-? *(?:{kinds}) (\w+)\(", text):
            yield match[1], path, line_of(text, match.start())


def names_have_a_known_prefix(repository: Repository) -> Iterator[Finding]:
    """In a project of dbt all macros of all packages are side by side: what is not public begins with rm_."""
    for name, path, line in definitions(repository):
        if name not in PUBLIC and not re.fullmatch(f"{OF_SOURCES}|{INTERNAL}", name):
            yield Finding(path, line, f"{name} is no public macro; expected a name such as rm_{name.lstrip('_')}")
    with_macros = {path for _, path, _ in definitions(repository)}
    for path in repository.templates():
        if path not in with_macros:
            yield Finding(path, 1, "there is no macro in it; expected one at least")


def names_are_unique(repository: Repository) -> Iterator[Finding]:
    """No two macros or tests have one name: dbt would refuse them, and Python take the last."""
    macros = list(definitions(repository, "macro|test"))
    counts = Counter(name for name, _, _ in macros)
    first_places: dict[str, str] = {}
    for name, path, line in macros:
        if counts[name] > 1 and name in first_places:
            yield Finding(path, line, f"{name} is in {first_places[name]} too; expected one macro of that name")
        first_places.setdefault(name, f"{path}:{line}")


def calls_go_through_the_package(repository: Repository) -> Iterator[Finding]:
    """A macro is called as rankmetrics_sql.NAME: dbt finds no other one from a user's project."""
    names = {name for name, _, _ in definitions(repository)}
    for path in repository.templates():
        if name_of(path) == "rm_refusals.sql":  # its sentences name functions of Python's
            continue
        bodies = without(r"{%-? *(?:macro|test) .*?%}|{#.*?#}", repository.text(path))
        for match in re.finditer(r"(?<![\w.])(\w+)\(", bodies):
            if match[1] in names:
                line = line_of(bodies, match.start())
                yield Finding(path, line, f"{match[1]} is called; expected rankmetrics_sql.{match[1]}(")


def dispatch_is_known(repository: Repository) -> Iterator[Finding]:
    """adapter.dispatch has the name of a macro as a literal, and there is a default for other adapters."""
    names = {name for name, _, _ in definitions(repository)}
    for path in repository.templates():
        text = repository.text(path)
        for match in re.finditer(r"adapter\.dispatch\(('[^']*'|[^,]*),", text):
            line = line_of(text, match.start())
            if not match[1].startswith("'"):
                yield Finding(path, line, f"dispatch of {match[1]}; expected a name in quotes, which dbt can read")
            elif f"default__{match[1][1:-1]}" not in names:
                yield Finding(path, line, f"dispatch of {match[1]}; expected a macro default__{match[1][1:-1]}")


def macros_are_reached(repository: Repository) -> Iterator[Finding]:
    """dbt parses each macro at its start: one that only Python calls stands in a folder of Python's, or in compat."""
    places = {name: (path, line) for name, path, line in definitions(repository) if path.startswith("sql/macros/")}
    calls: dict[str, set[str]] = {}
    for path in {path for path, _ in places.values()}:
        text = without(r"{#.*?#}", repository.text(path))
        for kind, name, body in re.findall(r"{%-? *(macro|test) (\w+)\((.*?){%-? *end\1", text, re.DOTALL):
            called = re.findall(r"rankmetrics_sql\.(\w+)|dispatch\('(\w+)'", body)
            calls["test_" * (kind == "test") + name] = {macro or dispatched for macro, dispatched in called}
    for name in places:
        _, is_dispatched, common_name = name.partition("__")
        if is_dispatched:
            calls.setdefault(common_name, set()).add(name)
    reached: set[str] = set()
    found = {name for name in calls if not re.fullmatch(r"([a-z]+__)?rm_\w+", name)}
    while found:
        reached |= found
        found = {called for name in found for called in calls.get(name, ())} - reached
    for name, (path, line) in places.items():
        if name not in reached | ASKED_BY_PYTHON and folder_of(path) != "compat":
            yield Finding(path, line, f"dbt never calls {name}; expected it in checks/sql or sources/sql of Python")


def described_arguments_are_taken(repository: Repository) -> Iterator[Finding]:
    """The documentation of dbt describes each macro once, with the arguments that it takes, in their order."""
    arguments_of = dict(signatures(repository))
    described_names: set[str] = set()
    for path in repository.files("sql/macros", ".yml"):
        text = repository.text(path)
        for entry in yaml.load(text, _LOADER)["macros"]:
            name = entry["name"]
            line = line_of(text, text.find(f"name: {name}\n"))
            if name in described_names:
                yield Finding(path, line, f"{name} is described twice; expected one description")
            described_names.add(name)
            if not entry.get("docs", {}).get("show", True):
                continue
            arguments = [argument["name"] for argument in entry.get("arguments", [])]
            if name not in arguments_of:
                yield Finding(path, line, f"{name} is described; expected a macro of that name")
            elif arguments != arguments_of[name]:
                expected = ", ".join(arguments_of[name]) or "none"
                yield Finding(
                    path, line, f"{name} has the arguments {', '.join(arguments) or 'none'}; expected {expected}"
                )


def signatures(repository: Repository) -> Iterator[tuple[str, list[str]]]:
    """Yield the arguments of each macro, and of each test, which Jinja calls test_NAME."""
    for path in repository.templates():
        matches = re.finditer(r"{%-? *(macro|test) (\w+)\((.*?)\) *-?%}", repository.text(path), re.DOTALL)
        for kind, name, arguments in (match.groups() for match in matches):
            parts = [argument for argument in re.split(r",\s+(?=\w)", arguments.strip()) if argument]
            yield ("test_" if kind == "test" else "") + name, [part.split("=")[0].strip() for part in parts]


RULES = (
    names_have_a_known_prefix,
    names_are_unique,
    calls_go_through_the_package,
    dispatch_is_known,
    macros_are_reached,
    described_arguments_are_taken,
)

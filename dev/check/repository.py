"""The files that the rules read, each once, and what a rule says of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from jinja2 import meta, nodes

from rankmetrics_sql.template_files import new_environment

ROOT = Path(__file__).parents[2]
_ENVIRONMENT = new_environment()
_ENVIRONMENT.globals.clear()  # which are Jinja's own: not every engine has them
N = TypeVar("N", bound=nodes.Node)


@dataclass(frozen=True)
class Finding:
    """What breaks a rule.

    Attributes:
        path: the file, from the root of the repository.
        line: its line there.
        problem: what is wrong, and what was expected.
    """

    path: str
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.problem}"


@dataclass(frozen=True)
class Repository:
    """A checkout.

    Attributes:
        root: its folder.
        replacements: texts of files to check in place of the files, or besides them, by their path from the root.
    """

    root: Path
    replacements: Mapping[str, str] = field(default_factory=dict)

    def text(self, path: str) -> str:
        """Return the text of a file."""
        return self.replacements[path] if path in self.replacements else _read(self.root / path)

    def files(self, folder: str, suffix: str) -> list[str]:
        """Return the paths of the files below a folder whose names end in a suffix."""
        existing = (path.relative_to(self.root).as_posix() for path in (self.root / folder).rglob(f"*{suffix}"))
        added = (path for path in self.replacements if path.startswith(f"{folder}/") and path.endswith(suffix))
        return sorted({*existing, *added})

    def templates(self) -> list[str]:
        """Return the paths of the templates, of statements and of checks."""
        folders = ("sql/macros", "rankmetrics_sql/checks/sql", "rankmetrics_sql/sources/sql")
        return [path for folder in folders for path in self.files(folder, ".sql")]

    def modules(self) -> list[str]:
        """Return the paths of the package's modules."""
        return self.files("rankmetrics_sql", ".py")

    def nodes(self, template: str, kind: type[N]) -> list[N]:
        """Return the nodes of a kind in a template, as Jinja parses it."""
        nodes_of_kind: list[N] = _nodes(self.text(template)).get(kind, [])
        return nodes_of_kind

    def undeclared(self, template: str) -> frozenset[str]:
        """Return the names of globals that a template reads."""
        return _undeclared(self.text(template))

    def python(self, module: str) -> ast.Module:
        """Return a module as Python parses it."""
        return _parse_python(self.text(module))

    def python_nodes(self, module: str) -> tuple[ast.AST, ...]:
        """Return all nodes of a module."""
        return _python_nodes(self.text(module))


@cache
def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")  # with its carriage returns


@cache
def _parse_template(text: str) -> nodes.Template:
    return _ENVIRONMENT.parse(text)


@cache
def _undeclared(text: str) -> frozenset[str]:
    tree = _ENVIRONMENT.parse(text)  # anew: the tree is changed, which other rules read
    return frozenset(meta.find_undeclared_variables(tree))


@cache
def _nodes(text: str) -> dict[type[nodes.Node], list[Any]]:
    """Return the nodes of a template by their kind, in their order."""
    nodes_by_kind: dict[type[nodes.Node], list[Any]] = {}
    for node in _parse_template(text).find_all(nodes.Node):
        nodes_by_kind.setdefault(type(node), []).append(node)
    return nodes_by_kind


@cache
def _parse_python(text: str) -> ast.Module:
    return ast.parse(text)


@cache
def _python_nodes(text: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_parse_python(text)))


def line_of(text: str, place: int) -> int:
    """Return the line of a place in a text."""
    return text.count("\n", 0, place) + 1


def matches(path: str, text: str, pattern: str, problem: str, flags: re.RegexFlag = re.NOFLAG) -> Iterator[Finding]:
    """Yield a finding for each match of a pattern; ``{0}``, ``{1}`` ... of the problem are the match and its groups."""
    for match in re.finditer(pattern, text, flags):
        yield Finding(path, line_of(text, match.start()), problem.format(match[0].strip(), *match.groups()))


def folder_of(path: str) -> str:
    """Return the name of the folder that a file is in."""
    return PurePosixPath(path).parent.name


def name_of(path: str) -> str:
    """Return the name of a file."""
    return PurePosixPath(path).name


def without(pattern: str, text: str) -> str:
    """Return a text with blanks in place of what matches, so that the rest keeps its lines."""
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL)

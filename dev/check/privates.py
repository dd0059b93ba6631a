"""Rules about what is private to Jinja and sqlglot: the next version may do without it."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator, Mapping
from functools import reduce

from .modules import USERS, imports
from .repository import Finding, Repository

LIBRARIES = ("jinja2", "sqlglot")
# Modules without documentation, so that all of their names are private.
UNDOCUMENTED = ("jinja2.compiler", "jinja2.idtracking", "jinja2.optimizer", "jinja2.runtime", "jinja2.visitor")
# Private names that are used nevertheless, by module and name, and why.
ALLOWED = {
    ("rankmetrics_sql/dialects/layout.py", "_dispatch"): "sqlglot's own layout is 10 to 19 % longer, and its compiled"
    " generators can have no subclass",
}
_OF_NAMED_TUPLES = ("_asdict", "_fields", "_make", "_replace")


def names_are_public(repository: Repository) -> Iterator[Finding]:
    """No private name of Jinja or sqlglot is imported, used or overridden, but for those of ``ALLOWED``."""
    used_names = set()
    for path in _users(repository):
        for name, line in _private_names(repository.python_nodes(path)):
            used_names.add((path, name))
            if (path, name) not in ALLOWED:
                problem = f"{name} is private to a library; expected a public name, or a reason in ALLOWED"
                yield Finding(path, line, problem)
    for path, name in sorted(ALLOWED.keys() - used_names):
        yield Finding(path, 1, f"{name} is not used; expected that ALLOWED in dev/check/privates.py lacks it")


def _users(repository: Repository) -> Iterator[str]:
    """Yield the modules that may have objects of the libraries."""
    parts = {f"rankmetrics_sql/{part}" for library in LIBRARIES for part in USERS[library]}
    for path in [path for folder in ("rankmetrics_sql", "dev", "tests") for path in repository.files(folder, ".py")]:
        is_likely = any(library in repository.text(path) for library in LIBRARIES)
        is_part = any(f"{path}/".startswith((f"{part}/", f"{part}.py/")) for part in parts)
        if is_part or (is_likely and any(name in LIBRARIES for name, _ in imports(repository.python_nodes(path)))):
            yield path


def _private_names(nodes: tuple[ast.AST, ...]) -> Iterator[tuple[str, int]]:
    defined_names, objects = set(_defined(nodes)), dict(_imported(nodes))
    for node in nodes:
        if isinstance(node, ast.Attribute) and _is_private(node.attr) and node.attr not in defined_names:
            yield node.attr, node.lineno
        elif isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names if _is_internal(alias.name))
        elif isinstance(node, ast.ImportFrom):
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from ((name, node.lineno) for name in names if _is_internal(name))
        elif isinstance(node, ast.ClassDef):
            bases = [_resolve(base, objects) for base in node.bases]
            methods = [method for method in node.body if isinstance(method, ast.FunctionDef)]
            private = (method for method in methods if _is_private(method.name))
            yield from (
                (method.name, method.lineno) for method in private if any(hasattr(base, method.name) for base in bases)
            )


def _defined(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    """Yield the names that a module defines: functions, classes, variables, fields, and attributes of ``self``."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name


def _imported(nodes: tuple[ast.AST, ...]) -> Iterator[tuple[str, object]]:
    """Yield what a module imports from the libraries, by the names that it has there."""
    for node in nodes:
        if isinstance(node, ast.Import):
            libraries = (alias for alias in node.names if alias.name in LIBRARIES)
            yield from ((alias.asname or alias.name, importlib.import_module(alias.name)) for alias in libraries)
        elif isinstance(node, ast.ImportFrom) and _is_of_library(node.module or ""):
            module = importlib.import_module(str(node.module))
            yield from ((alias.asname or alias.name, getattr(module, alias.name, None)) for alias in node.names)


def _resolve(expression: ast.expr, objects: Mapping[str, object]) -> object:
    name, *attributes = ast.unparse(expression).split(".")
    return reduce(lambda value, attribute: getattr(value, attribute, None), attributes, objects.get(name))


def _is_of_library(name: str) -> bool:
    return name.partition(".")[0] in LIBRARIES


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name not in _OF_NAMED_TUPLES


def _is_internal(name: str) -> bool:
    """Whether a dotted name of a library has a private part, or is one of an undocumented module."""
    undocumented = any(f"{name}.".startswith(f"{module}.") for module in UNDOCUMENTED)
    return _is_of_library(name) and (undocumented or any(map(_is_private, name.split("."))))


RULES = (names_are_public,)

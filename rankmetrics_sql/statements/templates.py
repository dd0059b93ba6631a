"""The templates of ``sql/macros`` as functions. The one module that knows Jinja; it knows no database."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined, TemplateSyntaxError, nodes
from jinja2.exceptions import UndefinedError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Context

from ..definitions.catalogue import sql_root
from ..dialects.registry import parents
from ..errors import DataError, UsageError, nearest

_MACRO = re.compile(r"{%-?\s*(macro|test)\s+(\w+)\s*\(")


class _Return(Exception):
    """Carries the value of ``{{ return(value) }}`` out of a macro, as in dbt."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _return(value: Any) -> None:
    raise _Return(value)


class _Exceptions:
    """dbt's ``exceptions``: the same message as ours."""

    @staticmethod
    def raise_compiler_error(message: str) -> None:
        raise UsageError(message)


class _TestTag(Extension):
    """``{% test name(...) %}``, which dbt has for generic tests: a macro called test_name."""

    tags = {"test"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Parser) -> nodes.Node:
        """The node of the macro."""
        node = nodes.Macro(lineno=next(parser.stream).lineno)
        node.name = f"test_{parser.parse_assign_target(name_only=True).name}"
        parser.parse_signature(node)
        node.body = parser.parse_statements(("name:endtest",), drop_needle=True)
        return node


class _Context(Context):
    """Calls what a template calls, and no more: none of it wants to know its context, which Jinja would find out."""

    def call(
        self, called: Callable[..., Any], /, *args: Any, _loop_vars: Any = None, _block_vars: Any = None, **kwargs: Any
    ) -> Any:
        """What it returns; Jinja also hands over the variables around the call."""
        return called(*args, **kwargs)


class _Environment(Environment):
    """Finds the keys of dictionaries, which nearly all that the templates read are, without looking for attributes."""

    context_class = _Context

    def getattr(self, obj: Any, attribute: str) -> Any:
        """The value of a key, unless that is also the name of a method; an attribute of anything else."""
        if isinstance(obj, dict) and attribute not in _METHODS:
            try:
                return obj[attribute]
            except KeyError:
                return self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)


_METHODS = frozenset(dir(dict))


class _Adapter:
    """dbt's ``adapter``: the implementation for one type of warehouse, else that of its ancestor, else the default."""

    def __init__(self, macros: Macros, type_: str) -> None:
        self._macros = macros
        self._prefixes = [type_, *parents(type_), "default"]

    def dispatch(self, name: str, _package: str) -> Callable[..., Any]:
        """The macro that stands for a name."""
        return next(
            self._macros[f"{prefix}__{name}"] for prefix in self._prefixes if f"{prefix}__{name}" in self._macros.files
        )


class _Flags:
    """dbt's ``flags``."""

    EMPTY = False


# What the project's var says, in place of a project.
_project: ContextVar[Mapping[str, Any]] = ContextVar("project")


def _var(_name: str, default: Any = None) -> Any:
    """As dbt's ``var``, of which the templates read the one that has the name of the package."""
    return _project.get(default)


@contextlib.contextmanager
def commented(comments: bool) -> Iterator[None]:
    """While it lasts, statements say in comments what their stages are, or do not.

    Args:
        comments: whether they do, as without it.
    """
    token = _project.set({"comments": comments})
    try:
        yield
    finally:
        _project.reset(token)


def _config(**_settings: Any) -> str:
    """As dbt's ``config``, which says how a test is judged and renders nothing."""
    return ""


class Macros(dict[str, Callable[..., Any]]):
    """The namespace ``rankmetrics_sql`` of the templates; a file is compiled when one of its macros is first called.

    Attributes:
        environment: what compiles them.
    """

    environment: ClassVar[type[Environment]] = _Environment

    def __init__(self, root: Path, adapter_type: str) -> None:
        super().__init__()
        self.files = {name: file for file in sorted(root.rglob("*.sql")) for name in _names(file)}
        self._root = root
        self._environment = self.environment(
            loader=FileSystemLoader(root),
            bytecode_cache=_bytecode_cache(),
            extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", _TestTag],
            undefined=StrictUndefined,
            autoescape=False,  # the output is SQL
        )
        self._environment.globals = {
            "rankmetrics_sql": self,
            "return": _return,
            "adapter": _Adapter(self, adapter_type),
            "exceptions": _Exceptions,
            "range": range,
            "fromjson": json.loads,
            "var": _var,
            "flags": _Flags,
            "config": _config,
        }

    def __missing__(self, name: str) -> Callable[..., Any]:
        file = self.files[name]
        try:
            module = self._environment.get_template(file.relative_to(self._root).as_posix()).module
        except TemplateSyntaxError as error:
            raise DataError(f"{file}, line {error.lineno}: {error.message}") from None
        for found in _names(file):
            self[found] = _returning(getattr(module, found), file, self.files)
        return self[name]


def _bytecode_cache() -> FileSystemBytecodeCache | None:
    """Compiled templates, kept in the user's temporary folder: compiling takes longer than most queries."""
    try:
        return FileSystemBytecodeCache()
    except (OSError, RuntimeError):
        return None


def _names(file: Path) -> Iterator[str]:
    text = file.read_text(encoding="utf-8")
    return (("test_" if match[1] == "test" else "") + match[2] for match in _MACRO.finditer(text))


def _returning(macro: Callable[..., Any], file: Path, known: Collection[str]) -> Callable[..., Any]:
    """The macro as a function of what it returns; a mistake in it is told with the name of its file."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return macro(*args, **kwargs)
        except _Return as returned:
            return returned.value
        except (UndefinedError, TypeError) as error:
            missing = re.search(r"Macros object' has no attribute '(\w+)'", str(error))
            problem = f"no macro {missing[1]!r}. {nearest(missing[1], known, ())}" if missing else str(error)
            raise DataError(f"{file}: {problem.rstrip()}") from error

    return call


@cache
def macros(adapter_type: str = "duckdb") -> Macros:
    """The templates as functions, as they render for one of dbt's adapters; Python's own text is DuckDB's."""
    return Macros(sql_root() / "macros", adapter_type)

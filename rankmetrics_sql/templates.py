"""The templates as functions: those of ``sql/macros``, and of checks. The one module that knows Jinja."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar, TypeGuard

import jinja2
from jinja2 import Environment, StrictUndefined, Template, TemplateSyntaxError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import UndefinedError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Macro
from jinja2.utils import missing

from .dialects.registry import parents
from .errors import DataError, UsageError, nearest
from .kept import kept
from .root import TemplateFile, sql_root, template_files

# What Python alone asks: no part of the dbt package.
_CHECKS = Path(__file__).parent / "checks" / "sql"


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


class _TemplateWriter(CodeGenerator):
    """Writes in Python what the templates do all the time: Jinja's own ways to it take half of the time."""

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802 - as Jinja calls it
        """``{{ return(value) }}`` is Python's return: a macro is a function, in which Jinja's loops are loops."""
        returned = next(filter(_is_return, node.nodes), None)
        if returned is None:
            super().visit_Output(node, frame)
        else:
            self.newline(node)
            self.write("return ")
            self.visit(returned.args[0], frame)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        """A call is one: nothing that templates call wants to know its context, which Jinja would find out."""
        if forward_caller or node.dyn_args or node.dyn_kwargs:
            super().visit_Call(node, frame, forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in (*node.args, *node.kwargs):
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """A macro is looked for in the namespace only."""
        if _is_ours(node.node, _MACROS):
            self.visit(node.node, frame)
            self.write(f"[{node.attr!r}]")
        else:
            super().visit_Getattr(node, frame)


def _is_return(node: nodes.Node) -> TypeGuard[nodes.Call]:
    return isinstance(node, nodes.Call) and _is_ours(node.node, _RETURN)


def _is_ours(node: nodes.Node, name: str) -> bool:
    return isinstance(node, nodes.EnvironmentAttribute) and node.name == name


class _Environment(Environment):
    """Finds the keys of dictionaries, which nearly all that the templates read are, without looking for attributes.

    Attributes:
        macros: the namespace ``rankmetrics_sql``.
    """

    code_generator_class = _TemplateWriter
    macros: Macros

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        uses: list[nodes.Call | nodes.Getattr] = [*tree.find_all(nodes.Call), *tree.find_all(nodes.Getattr)]
        for use in uses:
            if isinstance(use.node, nodes.Name) and use.node.name in _OURS:
                use.node = nodes.EnvironmentAttribute(_OURS[use.node.name], lineno=use.node.lineno)
        return tree

    def getattr(self, obj: Any, attribute: str) -> Any:
        """The value of a key, unless that is also the name of a method; an attribute of anything else."""
        if isinstance(obj, dict) and attribute not in _METHODS:
            try:
                return obj[attribute]
            except KeyError:
                return self.undefined(obj=obj, name=attribute)
        try:
            return getattr(obj, attribute)
        except AttributeError:
            return super().getattr(obj, attribute)


_METHODS = frozenset(dir(dict))
_REMEMBERED = 256  # answers of a macro that is remembered

# What two names of the templates are: attributes of the environment need no look-up each time that a macro is called.
_RETURN, _MACROS = "returned", "macros"
_OURS = {"return": _RETURN, "rankmetrics_sql": _MACROS}


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
        is_kept: whether what is compiled is kept for the next process.
        remembered: macros that make a number of numbers alone, in hundreds of steps; their answers stay in the process.
        files: the file of each macro.
    """

    environment: ClassVar[type[_Environment]] = _Environment
    is_kept: ClassVar[bool] = True
    remembered: ClassVar[frozenset[str]] = frozenset({"rm_normal_point", "rm_exponent_of_few"})

    def __init__(self, roots: Sequence[Path], adapter_type: str) -> None:
        super().__init__()
        self.files: dict[str, Path] = {}
        self._sources: dict[Path, TemplateFile] = {}
        for source in (source for root in roots for source in template_files(root)):
            self._sources[source.file] = source
            self.files.update(dict.fromkeys(source.macros, source.file))
        self._environment = self.environment(
            extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", _TestTag],
            undefined=StrictUndefined,
            autoescape=False,  # the output is SQL
        )
        self._environment.macros = self
        self._environment.globals = {
            "adapter": _Adapter(self, adapter_type),
            "exceptions": _Exceptions,
            "range": range,
            "fromjson": json.loads,
            "var": _var,
            "flags": _Flags,
            "config": _config,
        }

    def __missing__(self, name: str) -> Callable[..., Any]:
        if name not in self.files:
            raise UndefinedError(f"no macro {name!r}. {nearest(name, self.files, ())}".rstrip())
        file = self.files[name]
        try:
            code = self._compiled(self._sources[file])
        except TemplateSyntaxError as error:
            raise DataError(f"{file}, line {error.lineno}: {error.message}") from None
        module = Template.from_code(self._environment, code, self._environment.globals).module
        for found in self._sources[file].macros:
            macro = _told(getattr(module, found), file)
            self[found] = lru_cache(_REMEMBERED)(macro) if found in self.remembered else macro
        return self[name]

    def _compiled(self, source: TemplateFile) -> CodeType:
        """The code of a file: compiling it takes longer than most queries."""

        def compiled() -> CodeType:
            return self._environment.compile(source.text.decode(), source.name, str(source.file))

        code: CodeType = kept(source.file, source.text, _compiler(), compiled) if self.is_kept else compiled()
        return code


@cache
def _compiler() -> str:
    """Return what identifies the compiler of templates: the version of Jinja and this module."""
    version = vars(jinja2).get("__version__")
    if version is None:
        from importlib import metadata

        version = metadata.version("jinja2")
    return f"templates {version} {sha256(Path(__file__).read_bytes()).hexdigest()}"


def _told(macro: Macro, file: Path) -> Callable[..., Any]:
    """The macro as a function; a mistake in it is told with the name of its file."""
    function, names = macro._func, macro.arguments
    not_given = [missing] * len(names)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if kwargs or macro.catch_kwargs or len(args) > len(names):
                return macro(*args, **kwargs)
            return function(*args, *not_given[len(args) :])
        except (UndefinedError, TypeError) as error:
            raise DataError(f"{file}: {error}") from error

    return call


def macros(adapter_type: str = "duckdb") -> Macros:
    """The templates as functions, as they render for one of dbt's adapters; Python's own text is DuckDB's."""
    return macros_for(adapter_type)


@cache
def macros_for(adapter_type: str) -> Macros:
    """Return the macros of a type, made once whether the type is named or left out."""
    return Macros([sql_root() / "macros", _CHECKS], adapter_type)

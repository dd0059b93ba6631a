"""The templates as functions: those of ``sql/macros``, and of checks."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar

from jinja2 import StrictUndefined, Template, TemplateSyntaxError
from jinja2.exceptions import UndefinedError
from jinja2.runtime import Macro

from .compiler import DbtTestTag, TemplateEnvironment, compiler_version, function_of
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


_REMEMBERED = 256  # answers of a macro that is remembered


class _Adapter:
    """dbt's ``adapter``: the implementation for one type of warehouse, else that of its ancestor, else the default."""

    def __init__(self, functions: _Functions, files: Mapping[str, Path], type_: str) -> None:
        self._functions = functions
        self._files = files
        self._prefixes = [type_, *parents(type_), "default"]
        self._found: dict[str, Callable[..., Any]] = {}

    def dispatch(self, name: str, _package: str) -> Callable[..., Any]:
        """The macro that stands for a name."""
        if name not in self._found:
            names = (f"{prefix}__{name}" for prefix in self._prefixes)
            self._found[name] = next(self._functions[one] for one in names if one in self._files)
        return self._found[name]


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


class _Functions(dict[str, Callable[..., Any]]):
    """The macros as functions of Python, by name; a file is compiled when one of its macros is first called."""

    def __init__(self, load: Callable[[str], Mapping[str, Callable[..., Any]]]) -> None:
        super().__init__()
        self._load = load

    def __missing__(self, name: str) -> Callable[..., Any]:
        self.update(self._load(name))
        return self[name]


class Macros(dict[str, Callable[..., Any]]):
    """The namespace ``rankmetrics_sql`` of the templates as Python calls it, with all errors as ours.

    Attributes:
        environment: what compiles them.
        functions: the macros as they call each other.
        is_kept: whether what is compiled is kept for the next process.
        remembered: macros that make a number of numbers alone, in hundreds of steps; their answers stay in the process.
        files: the file of each macro.
    """

    environment: ClassVar[type[TemplateEnvironment]] = TemplateEnvironment
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
            extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", DbtTestTag],
            undefined=StrictUndefined,
            autoescape=False,  # the output is SQL
        )
        self._macros: dict[str, Macro] = {}
        self.functions = self._environment.macros = _Functions(self._load)
        self._environment.globals = {
            "adapter": _Adapter(self.functions, self.files, adapter_type),
            "exceptions": _Exceptions,
            "range": range,
            "fromjson": json.loads,
            "var": _var,
            "flags": _Flags,
            "config": _config,
        }

    def __missing__(self, name: str) -> Callable[..., Any]:
        self.functions[name]  # which compiles the file that it is in
        self[name] = self._told(self._macros[name])
        return self[name]

    def _load(self, name: str) -> dict[str, Callable[..., Any]]:
        """The macros in the file of one."""
        if name not in self.files:
            raise UndefinedError(f"no macro {name!r}. {nearest(name, self.files, ())}".rstrip())
        file = self.files[name]
        try:
            code = self._compiled(self._sources[file])
        except TemplateSyntaxError as error:
            raise DataError(f"{file}, line {error.lineno}: {error.message}") from None
        module = Template.from_code(self._environment, code, self._environment.globals).module
        own = {found: getattr(module, found) for found in self._sources[file].macros}
        self._macros.update(own)
        functions = {found: function_of(macro) for found, macro in own.items()}
        known = self.remembered & own.keys()
        return functions | {found: lru_cache(_REMEMBERED)(functions[found]) for found in known}

    def _told(self, macro: Macro) -> Callable[..., Any]:
        """The macro as Python calls it; a mistake is told with the name of the file that it is in."""

        def call(*args: Any, **kwargs: Any) -> Any:
            is_plain = not kwargs and len(args) <= len(macro.arguments)
            try:
                return self.functions[macro.name](*args) if is_plain else macro(*args, **kwargs)
            except (UndefinedError, TypeError, LookupError, AttributeError) as error:
                what = f"no key {error}" if isinstance(error, KeyError) else error
                raise DataError(f"{self._place(error) or self.files[macro.name]}: {what}") from error

        return call

    def _place(self, error: BaseException) -> str | None:
        """The innermost file of templates that an error passed through."""
        import traceback

        files = {str(file) for file in self._sources}
        places = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        return next((place for place in reversed(places) if place in files), None)

    def _compiled(self, source: TemplateFile) -> CodeType:
        """The code of a file: compiling it takes longer than most queries."""

        def compiled() -> CodeType:
            return self._environment.compile(source.text.decode(), source.name, str(source.file))

        code: CodeType = kept(source.file, source.text, compiler_version(), compiled) if self.is_kept else compiled()
        return code


def macros(adapter_type: str = "duckdb") -> Macros:
    """The templates as functions, as they render for one of dbt's adapters; Python's own text is DuckDB's."""
    return macros_for(adapter_type)


@cache
def macros_for(adapter_type: str) -> Macros:
    """Return the macros of a type, made once whether the type is named or left out."""
    return Macros([sql_root() / "macros", _CHECKS], adapter_type)

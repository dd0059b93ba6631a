"""The templates as functions: those of ``sql/macros``, and of checks."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar

from . import runtime
from .dialects.registry import parents
from .errors import DataError, UsageError, nearest
from .kept import digest, kept
from .root import TemplateFile, sql_root, template_files
from .runtime import MACRO, PARAMETER, UndefinedError, missing

# What Python alone asks: no part of the dbt package.
_CHECKS = Path(__file__).parent / "checks" / "sql"
_COMPILING = ("compiler.py", "runtime.py")  # what the code of a template depends on, besides Jinja and the template
_OTHERS = f"{PARAMETER}kwargs"


class _Exceptions:
    """dbt's ``exceptions``: the same message as ours."""

    @staticmethod
    def raise_compiler_error(message: str) -> None:
        raise UsageError(message)


_REMEMBERED = 256  # answers of a macro that is remembered


class _Adapter:
    """dbt's ``adapter``: the implementation for one type of warehouse, else that of its ancestor, else the default."""

    def __init__(self, functions: _Functions, files: Mapping[str, TemplateFile], type_: str) -> None:
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
        functions: the macros as they call each other.
        globals: what the templates know besides, as dbt's have it.
        remembered: macros that make a number of numbers alone, in hundreds of steps; their answers stay in the process.
        files: the file of each macro.
    """

    remembered: ClassVar[frozenset[str]] = frozenset({"rm_normal_point", "rm_exponent_of_few"})

    def __init__(self, roots: Sequence[Path], adapter_type: str) -> None:
        super().__init__()
        self.files: dict[str, TemplateFile] = {}
        for source in (source for root in roots for source in template_files(root)):
            self.files.update(dict.fromkeys(source.macros, source))
        self._parameters: dict[str, Sequence[str]] = {}
        self.functions = _Functions(self._load)
        self.globals = {
            "adapter": _Adapter(self.functions, self.files, adapter_type),
            "exceptions": _Exceptions,
            "range": range,
            "fromjson": lru_cache(None)(json.loads),
            "var": _var,
            "flags": _Flags,
            "config": _config,
        }

    def __missing__(self, name: str) -> Callable[..., Any]:
        self[name] = self._told(name)
        return self[name]

    def _load(self, name: str) -> dict[str, Callable[..., Any]]:
        """The macros in the file of one; a parameter that they are not given is missing."""
        if name not in self.files:
            raise UndefinedError(f"no macro {name!r}. {nearest(name, self.files, ())}".rstrip())
        source = self.files[name]
        module = {**runtime.NAMES, **self.globals, "macros": self.functions}
        exec(self._compiled(source), module)  # noqa: S102 - it is compiled from our files
        functions: dict[str, Callable[..., Any]] = {}
        for found in source.macros:
            function = module[MACRO + found]
            function.__qualname__ = found
            self._parameters[found] = function.__code__.co_varnames[: function.__code__.co_argcount]
            function.__defaults__ = (missing,) * len(self._parameters[found])
            functions[found] = lru_cache(_REMEMBERED)(function) if found in self.remembered else function
        return functions

    def _told(self, name: str) -> Callable[..., Any]:
        """The macro as Python calls it; a mistake is told with the name of the file that it is in."""
        self.functions[name]  # which compiles the file that it is in
        parameters = self._parameters[name]

        def call(*args: Any, **kwargs: Any) -> Any:
            named = {PARAMETER + key: value for key, value in kwargs.items()}
            if _OTHERS in parameters:  # what it has no parameter for
                others = {key: value for key, value in kwargs.items() if PARAMETER + key not in parameters}
                named = {key: value for key, value in named.items() if key in parameters} | {_OTHERS: others}
            try:
                return self.functions[name](*args, **named)
            except (UndefinedError, TypeError, LookupError, AttributeError) as error:
                what = f"no key {error}" if isinstance(error, KeyError) else error
                raise DataError(f"{self._place(error) or self.files[name].file}: {what}") from error

        return call

    def _place(self, error: BaseException) -> str | None:
        """The innermost file of templates that an error passed through."""
        import traceback

        files = {str(source.file) for source in self.files.values()}
        places = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        return next((place for place in reversed(places) if place in files), None)

    def _compiled(self, source: TemplateFile) -> CodeType:
        """The code of a file: compiling it takes longer than most queries, and so does the import of what compiles."""
        text = source.file.read_bytes()

        def make() -> CodeType:
            from .compiler import compiled

            return compiled(source, text.decode())

        code: CodeType = kept(source.file, text, _compiler_version(), make)
        return code


@cache
def _compiler_version() -> str:
    """What identifies the compiler: the version of Jinja and our own modules."""
    own = (digest(str(Path(__file__).with_name(name))) for name in _COMPILING)
    return " ".join(["templates", _jinja_version(), *own])


def _jinja_version() -> str:
    """The version of Jinja, which is not imported for that; where it does not say it, that of its package."""
    package = find_spec("jinja2")
    text = Path(package.origin).read_text(encoding="utf-8") if package and package.origin else ""
    if said := re.search(r"""(?m)^__version__ = ["'](.+)["']""", text):
        return said[1]
    from importlib import metadata

    return metadata.version("jinja2")


def macros(adapter_type: str = "duckdb") -> Macros:
    """The templates as functions, as they render for one of dbt's adapters; Python's own text is DuckDB's."""
    return macros_for(adapter_type)


@cache
def macros_for(adapter_type: str) -> Macros:
    """Return the macros of a type, made once whether the type is named or left out."""
    return Macros([sql_root() / "macros", _CHECKS], adapter_type)

"""The templates of ``sql/macros`` and of the checks, as functions."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import Any, ClassVar, Never

from jinja2 import TemplateError, UndefinedError

from .dialects.known import parents
from .errors import DataError, UsageError, nearest
from .template_files import TemplateFile, compiled_index, load, template_files, template_roots

Macro = Callable[..., Any]

_REMEMBERED = 256  # answers of a macro that is remembered


class _Returned(Exception):  # noqa: N818 - it is not an error
    """Leaves a macro with a value."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _return(value: Any) -> Never:
    """End a macro with a value in place of text, as dbt's ``return`` does."""
    raise _Returned(value)


class _Exceptions:
    """dbt's ``exceptions``: the same message as ours."""

    @staticmethod
    def raise_compiler_error(message: str) -> None:
        raise UsageError(message)


class _Adapter:
    """dbt's ``adapter``: the implementation for a type of warehouse, else for its ancestor, else the default."""

    def __init__(self, functions: _Functions, files: Mapping[str, TemplateFile], type_: str) -> None:
        self._functions = functions
        self._files = files
        self._prefixes = [type_, *parents(type_), "default"]
        self._found: dict[str, Macro] = {}

    def dispatch(self, name: str, _package: str) -> Macro:
        """The macro that stands for a name."""
        if name not in self._found:
            names = (f"{prefix}__{name}" for prefix in self._prefixes)
            self._found[name] = getattr(self._functions, next(one for one in names if one in self._files))
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


# What all templates know besides the adapter and each other, as dbt gives it to them.
GLOBALS: Mapping[str, Any] = {
    "config": _config,
    "exceptions": _Exceptions,
    "execute": True,
    "flags": _Flags,
    "fromjson": lru_cache(None)(json.loads),
    "range": range,
    "return": _return,
    "var": _var,
}


class _Functions:
    """The namespace ``rankmetrics_sql`` of the templates: macros as attributes, loaded when they are first called."""

    def __init__(self, load_macros: Callable[[str], Mapping[str, Macro]]) -> None:
        self._load_macros = load_macros

    def __getattr__(self, name: str) -> Macro:
        self.__dict__.update({**self._load_macros(name), **self.__dict__})  # what somebody has put there stays
        macro: Macro = self.__dict__[name]
        return macro


class Macros(dict[str, Macro]):
    """The namespace ``rankmetrics_sql`` of the templates as Python calls it, with all errors as ours.

    Attributes:
        functions: the macros as they call each other.
        globals: what the templates know besides, as dbt's have it.
        remembered: macros that make the same of numbers alone, or of nothing, in many steps; their answers stay in the
            process.
        files: the file of each macro.
    """

    remembered: ClassVar[frozenset[str]] = frozenset(
        {"rm_known_metrics", "rm_normal_point", "rm_exponent_of_few", "rm_plan_stages"}
    )

    def __init__(self, roots: Sequence[Path], adapter_type: str) -> None:
        super().__init__()
        self.files: dict[str, TemplateFile] = {}
        for source in (source for root in roots for source in template_files(root, compiled_index())):
            self.files.update(dict.fromkeys(source.macros, source))
        self.functions = _Functions(self._load)
        adapter = _Adapter(self.functions, self.files, adapter_type)
        self.globals = {**GLOBALS, "adapter": adapter, "rankmetrics_sql": self.functions}

    def __missing__(self, name: str) -> Macro:
        self[name] = self._wrap_errors(name)
        return self[name]

    def _load(self, name: str) -> dict[str, Macro]:
        """Load the macros in the file of one."""
        if name not in self.files:
            raise UndefinedError(f"no macro {name!r}. {nearest(name, self.files, ())}".rstrip())
        source = self.files[name]
        module = load(source).make_module(self.globals)
        macros = {name: _returning(getattr(module, name)) for name in source.macros}
        return {
            name: lru_cache(_REMEMBERED)(macro) if name in self.remembered else macro for name, macro in macros.items()
        }

    def _wrap_errors(self, name: str) -> Macro:
        """Return the macro as Python calls it: errors name the file of templates that they come from."""
        getattr(self.functions, name)  # loads it: that may fail, too

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return getattr(self.functions, name)(*args, **kwargs)
            except (TemplateError, TypeError, LookupError, AttributeError) as error:
                what = f"no key {error}" if isinstance(error, KeyError) else error
                raise DataError(f"{self._place(error) or self.files[name].file}: {what}") from error

        return call

    def _place(self, error: BaseException) -> Path | None:
        """Return the innermost file of templates that an error passed through."""
        import traceback

        files = {name: source.file for source in self.files.values() for name in (str(source.file), source.module)}
        places = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        matches = (files.get(place, files.get(Path(place).name)) for place in reversed(places))
        return next(filter(None, matches), None)


def _returning(macro: Macro) -> Macro:
    """Return a macro that gives what it returns, or else its text."""

    @wraps(macro, assigned=("__name__", "name"), updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return macro(*args, **kwargs)
        except _Returned as returned:
            return returned.value

    return call


def macros(adapter_type: str = "duckdb") -> Macros:
    """The templates as functions, as they render for one of dbt's adapters; Python's own text is DuckDB's."""
    return macros_for(adapter_type)


@cache
def macros_for(adapter_type: str) -> Macros:
    """Return the macros of a type, made once whether the type is named or left out."""
    return Macros(template_roots(), adapter_type)

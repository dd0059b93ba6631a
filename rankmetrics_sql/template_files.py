"""The files of templates, loaded by Jinja: from code that was compiled when the package was built, where there is some.

To Jinja the name of a template is its file and a digest of the text. So compiled code is found for the same text only,
and a file with another text is compiled in memory. An index lists the macros of each compiled file, so that only files
that changed since then are read before one of their macros is called.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser

from .errors import DataError
from .root import compiled_root, sql_root

INDEX = "index.json"  # beside the compiled templates
_OF_MAPPINGS = frozenset(dir(dict))  # their methods come first
_MACRO = re.compile(rb"{%-?\s*(macro|test)\s+(\w+)\s*\(")


class TemplateFile(NamedTuple):
    """A file of templates.

    Attributes:
        root: the folder that all of them are below.
        name: its place there, with slashes.
        size: the number of its bytes.
        digest: identifies its text.
        macros: the names of its macros.
    """

    root: Path
    name: str
    size: int
    digest: str
    macros: list[str]

    @property
    def file(self) -> Path:
        """The path."""
        return self.root / self.name

    @property
    def key(self) -> str:
        """The name in the index."""
        return f"{self.root.name}/{self.name}"

    @property
    def template(self) -> str:
        """The name of the template."""
        return f"{self.name}@{self.digest}"

    @property
    def module(self) -> str:
        """The name of the file with its compiled code."""
        return jinja2.ModuleLoader.get_module_filename(self.template)


class Index(NamedTuple):
    """Facts about the compiled files.

    Attributes:
        built: when they were compiled, in nanoseconds.
        files: ``size``, ``digest`` and ``macros`` of each.
    """

    built: int = 0
    files: Mapping[str, Any] = {}


class DbtTestTag(Extension):
    """``{% test name(...) %}``, which dbt has for generic tests: a macro called test_name."""

    tags = {"test"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Parser) -> nodes.Node:
        """Return the node of the macro."""
        node = nodes.Macro(lineno=next(parser.stream).lineno)
        node.name = f"test_{parser.parse_assign_target(name_only=True).name}"
        parser.parse_signature(node)
        node.body = parser.parse_statements(("name:endtest",), drop_needle=True)
        return node


class Texts(jinja2.BaseLoader):
    """Loads the texts of template files.

    Attributes:
        files: the paths by the names of the templates.
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self.files = {**files}

    def get_source(self, _environment: jinja2.Environment, template: str) -> tuple[str, str, Callable[[], bool] | None]:
        """Return the text of a template, and its path."""
        if template not in self.files:
            raise jinja2.TemplateNotFound(template)
        file = self.files[template]
        return file.read_text(encoding="utf-8"), str(file), None

    def list_templates(self) -> list[str]:
        """Return the names of all templates."""
        return sorted(self.files)


class DirectCalls(jinja2.runtime.Context):
    """Calls macros as they are.

    Jinja asks first whether a callable wants the context, which none of ours does. That takes a quarter of the time
    of a statement.
    """

    def call(self, called: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return what a callable returns; arguments with an underscore in front are Jinja's own."""
        if kwargs:
            kwargs = {name: value for name, value in kwargs.items() if name[0] != "_"}
        return called(*args, **kwargs)


class Environment(jinja2.Environment):
    """Jinja's, which finds the keys of mappings sooner: it tries attributes first, and most have none of the name."""

    context_class = DirectCalls

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute of an object, or what it has under that key."""
        if type(obj) is dict and attribute in obj and attribute not in _OF_MAPPINGS:
            return obj[attribute]
        return super().getattr(obj, attribute)


def new_environment(loader: jinja2.BaseLoader | None = None) -> jinja2.Environment:
    """Return an environment that reads templates as dbt does, but refuses undefined values."""
    return Environment(
        extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", DbtTestTag],
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # the output is SQL
        loader=loader,
        cache_size=-1,
        auto_reload=False,
    )


def load(source: TemplateFile) -> jinja2.Template:
    """Load a file of templates."""
    environment, texts = package_environment()
    texts.files[source.template] = source.file
    try:
        return environment.get_template(source.template)
    except jinja2.TemplateSyntaxError as error:
        raise DataError(f"{source.file}, line {error.lineno}: {error.message}") from None


def template_roots() -> list[Path]:
    """Return the folders of templates: the dbt package, and those that only Python runs."""
    return [sql_root() / "macros", *(Path(__file__).parent / folder / "sql" for folder in ("checks", "sources"))]


def template_files(root: Path, index: Index) -> Iterator[TemplateFile]:
    """Yield the files of templates below a folder, in order; one that is not as the index has it is read."""
    for name, changed, size in _stamps(root):
        entry = index.files.get(f"{root.name}/{name}")
        if entry is None or changed > index.built or size != entry["size"]:
            text = (root / name).read_bytes()
            macros = [("test_" if kind == b"test" else "") + macro.decode() for kind, macro in _MACRO.findall(text)]
            entry = {"size": size, "digest": sha256(text).hexdigest()[:16], "macros": macros}
        yield TemplateFile(root, name, **entry)


def _stamps(root: Path, below: str = "") -> Iterator[tuple[str, int, int]]:
    """Yield the name of each file below the root, when it changed, and its size."""
    with os.scandir(root / below) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                yield from _stamps(root, f"{below}{entry.name}/")
            elif entry.name.endswith(".sql"):
                status = entry.stat()
                yield below + entry.name, status.st_mtime_ns, status.st_size


def read_index(folder: Path) -> dict[str, Any]:
    """Return the index of a folder of compiled templates; an empty one where there is none."""
    try:
        index: dict[str, Any] = json.loads((folder / INDEX).read_bytes())
    except (OSError, ValueError):
        return {}
    return index


@cache
def compiled_index() -> Index:
    """Return the index of the compiled templates; an empty one where they are for another version of Jinja."""
    index = read_index(compiled_root())
    if _minor(index.get("jinja", "")) != _minor(jinja2.__version__):
        return Index()
    return Index((compiled_root() / INDEX).stat().st_mtime_ns, index["files"])


def _minor(version: str) -> str:
    """Return a version without the last number: Jinja runs the code of each with the same first two."""
    return ".".join(version.split(".")[:2])


@cache
def package_environment() -> tuple[jinja2.Environment, Texts]:
    """Return the environment that loads the package's templates, and its loader of files that it compiles."""
    texts = Texts({})
    compiled = [jinja2.ModuleLoader(compiled_root())] if compiled_index().files else []
    return new_environment(jinja2.ChoiceLoader([*compiled, texts])), texts

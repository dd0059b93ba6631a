"""Which branches of the templates a statement takes: the templates are compiled with a note in each branch.

A branch is a side of ``if`` or of an expression's ``if``, a loop that has something to go through, or a macro that is
called. One that refuses is left out: it renders no text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

from jinja2 import Environment, Template, nodes

from rankmetrics_sql import templates
from rankmetrics_sql.definitions import resolution
from rankmetrics_sql.root import sql_root
from rankmetrics_sql.template_files import TemplateFile, new_environment

MACROS = sql_root() / "macros"
TAKEN = "rm_taken"  # the function that notes call
REFUSES = {"raise_compiler_error"}


@dataclass(frozen=True, order=True)
class Branch:
    """A branch of a template.

    Attributes:
        file: the template, from ``sql/macros``.
        line: where the choice is written.
        number: which of the choices on that line.
        side: ``macro``, ``loop``, ``then`` or ``else``.
        macro: the macro that has it.
    """

    file: str
    line: int
    number: int
    side: str
    macro: str

    @property
    def folder(self) -> str:
        """The folder of ``sql/macros`` that has it."""
        return self.file.partition("/")[0]

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.macro} {self.side}{f' ({self.number})' if self.number > 1 else ''}"


class Annotator:
    """Put notes into the tree of one file, and list its branches."""

    def __init__(self, file: str) -> None:
        self.branches: list[Branch] = []
        self._file = file
        self._macro = ""
        self._counts: dict[tuple[int, str], int] = {}

    def annotate(self, template: nodes.Template) -> None:
        """Change a tree; macros are not nested."""
        for macro in template.find_all(nodes.Macro):
            self._macro = macro.name
            macro.body = self._add_note(macro.body, macro.lineno, "macro")
            self._note_expressions(macro)
            self._note_statements(macro)

    def _note_statements(self, macro: nodes.Macro) -> None:
        for loop in list(macro.find_all(nodes.For)):
            loop.body = self._add_note(loop.body, loop.lineno, "loop")
        elifs = {id(branch) for choice in macro.find_all(nodes.If) for branch in choice.elif_}
        for choice in list(macro.find_all(nodes.If)):
            choice.body = self._add_note(choice.body, choice.lineno, "then")
            if id(choice) not in elifs:
                choice.else_ = self._add_note(choice.else_, choice.lineno, "else")

    def _note_expressions(self, macro: nodes.Macro) -> None:
        for choice in list(macro.find_all(nodes.CondExpr)):
            choice.expr1 = self._wrap(choice.expr1, choice.lineno, "then")
            if choice.expr2 is not None:
                choice.expr2 = self._wrap(choice.expr2, choice.lineno, "else")

    def _add_note(self, body: list[nodes.Node], line: int, side: str) -> list[nodes.Node]:
        if _refuses(body):
            return body
        return [nodes.ExprStmt(self._note(line, side, []), lineno=line), *body]

    def _wrap(self, expression: nodes.Expr, line: int, side: str) -> nodes.Expr:
        return self._note(line, side, [expression])

    def _note(self, line: int, side: str, expressions: list[nodes.Expr]) -> nodes.Call:
        number = self._counts[line, side] = self._counts.get((line, side), 0) + 1
        branch = Branch(self._file, line, number, side, self._macro)
        self.branches.append(branch)
        index = nodes.Const(len(self.branches) - 1)
        arguments = [nodes.Const(self._file), index, *expressions]
        return nodes.Call(nodes.Name(TAKEN, "load"), arguments, [], None, None, lineno=line)


def _refuses(body: list[nodes.Node]) -> bool:
    """Whether what a branch does first is to refuse."""
    calls = (call for statement in body[:1] for call in statement.find_all(nodes.Call))
    return any(isinstance(call.node, nodes.Getattr) and call.node.attr in REFUSES for call in calls)


@cache
def _environment() -> Environment:
    return new_environment()


@cache
def _annotators() -> dict[str, Annotator]:
    """Return the annotators of the files that were compiled, by file."""
    return {}


def _load_noting(source: TemplateFile) -> Template:
    return _compile_noting(source.file, source.name)


@cache
def _compile_noting(file: Path, name: str) -> Template:
    """Compile a file with notes."""
    tree = _environment().parse(file.read_text(encoding="utf-8"))
    _annotators()[name] = annotator = Annotator(name)
    annotator.annotate(tree)
    code = _environment().compile(tree, name, str(file))
    return Template.from_code(_environment(), code, {TAKEN: _take})


_taken: set[Branch] = set()


def _take(file: str, number: int, value: Any = None) -> Any:
    _taken.add(_annotators()[file].branches[number])
    return value


class _NotingMacros(templates.Macros):
    """The templates, with notes."""

    remembered: ClassVar[frozenset[str]] = frozenset()  # a remembered result takes no branches

    def __init__(self, roots: Sequence[Path], adapter_type: str) -> None:
        super().__init__(roots, adapter_type)
        self.functions.rm_query = _call_once(self.functions.rm_query)


def _call_once(render: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that it is called once for equal arguments, as a statement has in most dialects."""
    results: dict[str, tuple[Any, frozenset[Branch]]] = {}

    def call(*arguments: Any, **keywords: Any) -> Any:
        if (key := repr((arguments, keywords))) not in results:
            earlier = frozenset(_taken)
            _taken.clear()
            results[key] = (render(*arguments, **keywords), frozenset(_taken))
            _taken.update(earlier)
        text, taken = results[key]
        _taken.update(taken)
        return text

    return call


@contextlib.contextmanager
def noting() -> Iterator[Callable[[Callable[[], Any]], frozenset[Branch]]]:
    """Have all templates take notes; yield a function that makes a call and returns the branches that it takes."""

    def taken_by(render: Callable[[], Any]) -> frozenset[Branch]:
        _taken.clear()
        render()
        return frozenset(_taken)

    templates.macros_for.cache_clear()
    try:
        with (
            patch.object(templates, "Macros", _NotingMacros),
            patch.object(templates, "load", _load_noting),
            patch.object(resolution, "resolved", _call_once(resolution.resolved.__wrapped__)),
        ):
            yield taken_by
    finally:
        templates.macros_for.cache_clear()


@cache
def all_branches() -> frozenset[Branch]:
    """Return the branches of every template."""
    return branches_in(file.relative_to(MACROS).as_posix() for file in sorted(MACROS.rglob("*.sql")))


def branches_in(files: Iterable[str]) -> frozenset[Branch]:
    """Return the branches of some templates, by their paths in ``sql/macros``."""
    branches: set[Branch] = set()
    for file in files:
        annotator = Annotator(file)
        annotator.annotate(_environment().parse((MACROS / file).read_text(encoding="utf-8")))
        branches.update(annotator.branches)
    return frozenset(branches)

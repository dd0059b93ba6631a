"""Compiles templates to Python: what Jinja writes, with less of Jinja in what the templates do all the time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from types import CodeType
from typing import TypeGuard

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from jinja2.idtracking import VAR_LOAD_ALIAS, VAR_LOAD_RESOLVE
from jinja2.parser import Parser

from .errors import DataError
from .root import TemplateFile
from .runtime import FILTER, FILTERS, GLOBALS, MACRO, PARAMETER, TEST, TESTS

_METHODS = frozenset({*dir(dict), "append", "extend"})  # no dictionary of ours has such a key
_OTHERS_METHODS = frozenset({*dir(list), *dir(str)})
_OBJECTS = frozenset({"loop", "adapter", "exceptions", "flags"})
_OF_ABSENT = ("defined", "undefined", "default")

# What two names of the templates are: names of their own need no look-up each time that a macro is called.
_RETURN, _MACROS = "returned", "macros"
_OURS = {"return": _RETURN, "rankmetrics_sql": _MACROS}


class DbtTestTag(Extension):
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
    """Writes macros as functions, in Python what they do all the time: Jinja's own ways to it take half of the time."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 - as Jinja calls it
        """A module of functions, which needs ``runtime.NAMES`` and nothing else of Jinja."""
        root = frame or Frame(nodes.EvalContext(self.environment, self.name))
        root.symbols.analyze_node(node)
        self.enter_frame(root)
        self.pull_dependencies(node.body)
        self.blockvisit([one for one in node.body if isinstance(one, nodes.Macro)], root)

    def pull_dependencies(self, _body: Iterable[nodes.Node]) -> None:
        """Filters and tests have names of their own, wherever they are used."""
        self.filters = {name: FILTER + name for name in FILTERS}
        self.tests = {name: TEST + name for name in TESTS}

    def enter_frame(self, frame: Frame) -> None:
        """A name that nothing in the macro gives a value is one that all templates know, or nothing."""
        known = self.environment.globals
        for target, (action, name) in frame.symbols.loads.items():
            if action == VAR_LOAD_RESOLVE:
                frame.symbols.loads[target] = VAR_LOAD_ALIAS, name if name in known else "missing"
        super().enter_frame(frame)

    def visit_Macro(self, node: nodes.Macro, frame: Frame) -> None:  # noqa: N802
        """A macro is a function that has its name."""
        self.macro_body(node, frame)
        self.writeline(f"{MACRO}{node.name} = macro")

    def visit_AssignBlock(self, node: nodes.AssignBlock, frame: Frame) -> None:  # noqa: N802
        """What a block holds is text: nothing is escaped."""
        block = frame.inner()
        block.symbols.analyze_node(node)
        self.enter_frame(block)
        self.buffer(block)
        self.blockvisit(node.body, block)
        self.newline(node)
        self.visit(node.target, frame)
        self.write(f" = concat({block.buffer})")
        self.leave_frame(block)

    def pop_assign_tracking(self, frame: Frame) -> None:  # noqa: ARG002
        """Names are those of Python: nobody else asks for what was assigned."""
        self._assign_stack.pop()

    def visit_EnvironmentAttribute(self, node: nodes.EnvironmentAttribute, frame: Frame) -> None:  # noqa: N802, ARG002
        """What the templates call all the time is a name."""
        self.write(node.name)

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802
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
        for argument in node.args:
            self.visit(argument, frame)
            self.write(", ")
        for named in node.kwargs:
            self.write(f"{PARAMETER if _is_macro(node.node) else ''}{named.key}=")
            self.visit(named.value, frame)
            self.write(", ")
        self.write(")")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """A macro is looked for in the namespace only, a key in a dictionary only, and a method of one is no key."""
        name = node.node.name if isinstance(node.node, nodes.Name) else ""
        if _is_macro(node):
            written = f"[{node.attr!r}]"
        elif node.attr in _METHODS or name in _OBJECTS:
            written = f".{node.attr}"
        elif node.attr not in _OTHERS_METHODS:
            written = f"[{node.attr!r}]"
        else:
            super().visit_Getattr(node, frame)
            return
        self.visit(node.node, frame)
        self.write(written)

    def visit_Test(self, node: nodes.Test, frame: Frame) -> None:  # noqa: N802
        """``is none`` calls nothing."""
        if node.name != "none":
            super().visit_Test(node, frame)
            return
        self.write("(")
        self.visit(node.node, frame)
        self.write(" is None)")


def _is_return(node: nodes.Node) -> TypeGuard[nodes.Call]:
    return isinstance(node, nodes.Call) and _is_ours(node.node, _RETURN)


def _is_macro(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Getattr) and _is_ours(node.node, _MACROS)


def _is_ours(node: nodes.Node, name: str) -> bool:
    return isinstance(node, nodes.EnvironmentAttribute) and node.name == name


class TemplateEnvironment(Environment):
    """Compiles the templates to functions of Python, which call each other without anything of Jinja's between."""

    code_generator_class = _TemplateWriter

    def __init__(self) -> None:
        super().__init__(
            extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", DbtTestTag],
            autoescape=False,  # the output is SQL
        )
        self.filters, self.tests, self.globals = {**FILTERS}, {**TESTS}, dict.fromkeys(GLOBALS)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        uses: list[nodes.Call | nodes.Getattr] = [*tree.find_all(nodes.Call), *tree.find_all(nodes.Getattr)]
        for use in uses:
            if isinstance(use.node, nodes.Name) and use.node.name in _OURS:
                use.node = nodes.EnvironmentAttribute(_OURS[use.node.name], lineno=use.node.lineno)
        for asking in (*tree.find_all(nodes.Test), *tree.find_all(nodes.Filter)):
            if asking.name in _OF_ABSENT and isinstance(asking.node, nodes.Getattr):
                own = asking.node
                asking.node = nodes.Getitem(own.node, nodes.Const(own.attr), "load", lineno=own.lineno)
        return tree


def compiled(source: TemplateFile, text: str, environment: TemplateEnvironment | None = None) -> CodeType:
    """Compile a file of templates.

    Args:
        source: the file.
        text: what it holds.
        environment: compiles it in another way.

    Raises:
        DataError: it is no template.
    """
    try:
        return (environment or _environment()).compile(text, source.name, str(source.file))
    except TemplateSyntaxError as error:
        raise DataError(f"{source.file}, line {error.lineno}: {error.message}") from None


_environment = cache(TemplateEnvironment)

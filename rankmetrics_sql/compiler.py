"""Compiles templates to Python: what Jinja writes, with less of Jinja in what the templates do all the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeGuard

import jinja2
from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Macro
from jinja2.utils import missing

from .kept import digest

_METHODS = frozenset({*dir(dict), "append", "extend"})  # no dictionary of ours has such a key
_OTHERS_METHODS = frozenset({*dir(list), *dir(str)})
_OBJECTS = frozenset({"loop", "adapter", "exceptions", "flags"})
_OF_ABSENT = ("defined", "undefined", "default")
_PARAMETER = "l_1_"  # as Jinja begins the names of a macro's parameters in Python

# What two names of the templates are: attributes of the environment need no look-up each time that a macro is called.
_RETURN, _MACROS = "returned", "macros"
_OURS = {"return": _RETURN, "rankmetrics_sql": _MACROS}


@cache
def compiler_version() -> str:
    """Return what identifies this compiler: the version of Jinja and this module."""
    version = vars(jinja2).get("__version__")
    if version is None:
        from importlib import metadata

        version = metadata.version("jinja2")
    return f"templates {version} {digest(__file__)}"


def function_of(macro: Macro) -> Callable[..., Any]:
    """What a macro is in Python, where its parameters are in place; what it is not given is missing."""
    if macro.catch_kwargs or macro.catch_varargs:
        return macro
    function: Callable[..., Any] = macro._func
    function.__defaults__ = (missing,) * len(macro.arguments)
    return function


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
        for argument in node.args:
            self.visit(argument, frame)
            self.write(", ")
        for named in node.kwargs:
            self.write(f"{_PARAMETER if _is_macro(node.node) else ''}{named.key}=")
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
    """Compiles the templates to functions of Python, which call each other without anything of Jinja's between.

    Attributes:
        macros: the namespace ``rankmetrics_sql`` as they see it.
    """

    code_generator_class = _TemplateWriter
    macros: Mapping[str, Callable[..., Any]]

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

    def getattr(self, obj: Any, attribute: str) -> Any:
        """The value of a key; an attribute of anything else."""
        return obj[attribute] if isinstance(obj, dict) else getattr(obj, attribute)

"""Prints a line for each finding, and exits with 1 if there is one; with ``--size``, how large the package is."""

from __future__ import annotations

import ast
import io
import sys
import tokenize

from . import RULES, findings
from .repository import ROOT, Repository

_LAYOUT = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def main(*arguments: str) -> int:
    """Check the checkout that this file is in."""
    if "--size" in arguments:
        print(size(Repository(ROOT)))
        return 0
    problems = list(findings(Repository(ROOT)))
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{len(RULES)} rules, no findings")
    return 1 if problems else 0


def size(repository: Repository) -> str:
    """Describe the size of the package in one line."""
    paths = repository.modules()
    lines = sum(repository.text(path).count("\n") for path in paths)
    tokens = sum(_tokens(repository.text(path)) for path in paths)
    classes = sum(isinstance(node, ast.ClassDef) for path in paths for node in repository.python_nodes(path))
    return f"{len(paths)} files, {lines:,} lines, {tokens:,} tokens without comments and docstrings, {classes} classes"


def _tokens(text: str) -> int:
    """Count the tokens of a module, without its layout."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, _DOCUMENTED)]
    docstrings = {(node.body[0].lineno, node.body[0].col_offset) for node in nodes if ast.get_docstring(node)}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    code = (token for token in tokens if token.type not in (tokenize.COMMENT, *_LAYOUT))
    return sum(token.type != tokenize.STRING or token.start not in docstrings for token in code)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

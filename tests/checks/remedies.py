"""Every message of the package and the templates that says what to type, found in their sources.

``python -m tests.checks.remedies`` prints those that ``remedies.toml`` lacks, and those of it that are gone.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

import rankmetrics_sql
from rankmetrics_sql.errors import advise
from rankmetrics_sql.root import sql_root

PACKAGE = Path(rankmetrics_sql.__file__).parent
LISTED = Path(__file__).parent / "remedies.toml"

# What is typed: an argument or option with its value, an option of the command line, a command.
_TYPED = re.compile(r"(?<![\w.'\"{=-])[a-z_]{2,}=(?:[\w'\"{\[(]|\.\.\.)|(?<![\w-])--[a-z]|pip install|Try: ")
_NO_MESSAGE = re.compile(r"\s*[(<]*\s*(?:SELECT|DESCRIBE|CASE|FROM|WITH|svg|role|caption|tr|th)\b|\s*style=|read_")
_JINJA = ("rm_raise", "raise_compiler_error")
_PROBLEM = "'problem'"  # the key of a message that waits until all metrics are read


@cache
def found() -> set[str]:
    """The messages, with {} for what is put into them."""
    return {" ".join(text.split()) for text in (*_of_python(), *_of_refusals(), *_of_templates()) if _advises(text)}


def listed() -> dict[str, Any]:
    """The messages of the table: those typed, with the test that does; those only listed; those that say a fact."""
    return tomllib.loads(LISTED.read_text(encoding="utf-8"))


def pattern(message: str) -> str:
    """A regular expression for what is said by a message."""
    return ".*".join(re.escape(part) for part in message.split("{}"))


def _advises(text: str) -> bool:
    return " " in text.strip() and _TYPED.search(text) is not None and _NO_MESSAGE.match(text) is None


def _of_python() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        aside = _no_messages(tree)
        yield from (text for node in ast.walk(tree) if node not in aside and (text := _text(node)) is not None)


def _no_messages(tree: ast.AST) -> set[ast.AST]:
    """Docstrings, the help of options, and the parts of longer texts."""
    aside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            aside.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            aside.update(node.values)
        elif isinstance(node, ast.FunctionDef):
            aside.update(part for decorator in node.decorator_list for part in ast.walk(decorator))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("click.option", "_option")):
            aside.update(ast.walk(node))
    return aside


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else _advice(part) for part in node.values)
    return None


def _advice(part: ast.expr) -> str:
    """What a part of a message says to type in Python, with {} for what is put into it; {} for any other part."""
    call = part.value if isinstance(part, ast.FormattedValue) else part
    if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "advise"):
        return "{}"
    kind, name, value = map(_value, call.args)
    return advise(kind, str(name), value)


class _Unknown:
    def __repr__(self) -> str:
        return "{}"


def _value(node: ast.expr) -> Any:
    """A value as it stands in the source, as far as it does."""
    if isinstance(node, ast.Dict):
        return {str(_value(key)): _value(value) for key, value in zip(node.keys, node.values, strict=True) if key}
    return node.value if isinstance(node, ast.Constant) else _text(node) or _Unknown()


def _of_refusals() -> Iterator[str]:
    known: dict[str, Any] = tomllib.loads((sql_root() / "refusals.toml").read_text(encoding="utf-8"))
    for rule in known["refusal"]:
        yield re.sub(r"\{\w+\}", "{}", rule["message"])


def _of_templates() -> Iterator[str]:
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    for path in sorted((sql_root() / "macros").rglob("*.sql")):
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in (*_JINJA, _PROBLEM)):
            continue
        words = [token for token in environment.lex(text) if token[1] != "whitespace"]
        for place, (_, _, word) in enumerate(words):
            if word in _JINJA:
                yield _argument(words[place + 1 :])
            elif word == _PROBLEM:
                yield _argument([(0, "operator", "("), *words[place + 2 :]], end=",")


def _argument(words: list[tuple[int, str, str]], end: str | None = None) -> str:
    """The text between the brackets that begin here, or down to a mark between them."""
    depth, text = 0, ""
    for _, kind, word in words:
        depth += (word in "([{") - (word in ")]}") if kind == "operator" else 0
        if kind == "string":
            text += word[1:-1].replace("\\'", "'").replace('\\"', '"')
        elif kind in ("name", "integer") and not text.endswith("{}"):
            text += "{}"
        if depth == 0 or (depth == 1 and word == end):
            break
    return text.removeprefix("rankmetrics_sql: ")


if __name__ == "__main__":
    table = listed()
    known = {message for part in table.values() for message in part}
    for message in sorted(found() - known):
        print("lacks", repr(message))
    for message in sorted(known - found()):
        print("gone ", repr(message))

"""Text is compared and ordered by its bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..dialect import Dialect
from .nodes import cast_to_text, collated, inside_out, is_text, ordered_texts, type_named

# Our names of the columns that are compared with each other, and come back in the result.
_KEY = re.compile(r"run_id|query_id(_\d+)?|item_id|subtopic|category|group_\d+")

# A text in UTF-8, whatever the column's own character set.
_UTF8 = "CHAR CHARACTER SET utf8mb4"


def mark_keys(tree: Any, keys: Collection[str] | None, texts: Mapping[str, bool]) -> None:
    """Marks what is compared, for the rules below.

    Args:
        tree: the statement.
        keys: the user's columns that are; None for all that name queries, items, runs and groups.
        texts: whether the user's columns are text, of those whose type is known.
    """
    from sqlglot import exp

    for column in tree.find_all(exp.Column):
        known = bool(_KEY.fullmatch(_alias(column))) if keys is None else column.name in keys
        if column.table == "s" and known:
            column.meta["key"] = True
            column.meta["is_text"] = texts.get(column.name)
    for group in tree.find_all(exp.Group):
        _mark_alike(group.parent.expressions, group.expressions)
    for literal in tree.find_all(exp.Literal):
        if literal.is_string and _alias(literal) == "run_id":
            literal.meta["key"] = True


def _mark_alike(selected: Sequence[Any], grouped: Sequence[Any]) -> None:
    """Marks what rows are grouped by as it is where it is selected: equal bytes make a group, not a collation."""
    marks = {column.sql(): column.meta for column in (node.unalias() for node in selected) if column.meta.get("key")}
    for column in grouped:
        column.meta.update(marks.get(column.sql(), {}))


def _alias(node: Any) -> str:
    """Return the name of a node in a select list; a column without an alias has its own."""
    from sqlglot import exp

    if isinstance(node.parent, exp.Alias):
        return str(node.parent.alias)
    return str(node.name) if isinstance(node, exp.Column) and _is_selected(node) else ""


def _is_selected(node: Any) -> bool:
    from sqlglot import exp

    return isinstance(node.parent, exp.Select) and node.arg_key == "expressions"


def add_collations(tree: Any, dialect: Dialect) -> None:
    """A column that is known to need the order of bytes has DuckDB's word for that."""
    from sqlglot import exp

    for node in inside_out(tree, exp.Collate):
        if dialect.byte_collation is None:
            node.replace(node.this)
        else:
            node.set("expression", exp.Var(this=dialect.byte_collation))


def write_fingerprints(tree: Any, _dialect: Dialect) -> None:
    """HASH of several columns becomes their texts, each after its length, so that no two rows have the same."""
    _join_texts(tree, cast_to_text)


def fingerprints_of_bytes(tree: Any, _dialect: Dialect) -> None:
    """The same where a text is one whatever its case, but its bytes are not."""
    _join_texts(tree, _bytes)


def hashes_of_texts(tree: Any, _dialect: Dialect) -> None:
    """HASH of several columns in PostgreSQL, each hash the seed of the next: distinct numbers are sorted faster."""
    from sqlglot import exp

    for function in inside_out(tree, exp.Anonymous):
        if function.name.upper() == "HASH":
            seed: Any = exp.Literal.number(0)
            for column in function.expressions:
                seed = exp.Anonymous(this="HASHTEXTEXTENDED", expressions=[cast_to_text(column), seed])
            function.replace(seed)


def _join_texts(tree: Any, write: Callable[[Any], Any]) -> None:
    from sqlglot import exp

    for function in inside_out(tree, exp.Anonymous):
        if function.name.upper() != "HASH":
            continue
        parts: list[Any] = []
        for column in function.expressions:
            text = write(column)
            parts += [cast_to_text(exp.Length(this=text.copy())), exp.Literal.string(":"), text]
        joined = parts[0]
        for part in parts[1:]:
            joined = exp.DPipe(this=joined, expression=part, safe=True)
        function.replace(joined)


# Where text is equal in spite of case, accents or trailing spaces, ids are compared as bytes and shown as text.


def keys_collated(tree: Any, dialect: Dialect) -> None:
    """Keys have a collation, which any value takes, and a number stays one."""
    _replace_keys(tree, lambda key: collated(key, dialect.byte_collation or ""))


def text_keys_collated(tree: Any, dialect: Dialect) -> None:
    """Cast keys to text with a collation, unless their type is known to be another."""
    from sqlglot import exp

    for key in tree.find_all(exp.Column):
        if key.meta.get("is_text") is False:
            key.meta["key"] = False
    _replace_keys(tree, lambda key: collated(cast_to_text(key), dialect.byte_collation or ""))


def text_keys(tree: Any, _dialect: Dialect) -> None:
    """Keys are text, of a type that says how it is compared."""
    _replace_keys(tree, cast_to_text)


def typed_texts(tree: Any, _dialect: Dialect) -> None:
    """A text that is a column has a type, where it would be of none and neither grouped nor ordered."""
    from sqlglot import exp

    for select in tree.find_all(exp.Select):
        for column in select.expressions:
            text = column.unalias()
            if isinstance(text, exp.Literal) and text.is_string:
                text.replace(cast_to_text(text.copy()))


def byte_keys(tree: Any, _dialect: Dialect) -> None:
    """Keys are bytes, and text again in the result."""
    names = _replace_keys(tree, _bytes)
    if tree.args.get("with_"):
        tree.set("expressions", [_shown(column, names) for column in tree.expressions])


def _replace_keys(tree: Any, write: Callable[[Any], Any]) -> set[str]:
    """Writes keys in another way; the names of those that are selected."""
    from sqlglot import exp

    names = set()
    for key in inside_out(tree, (exp.Column, exp.Literal)):
        if key.meta.get("key"):
            names |= {_alias(key)} - {""}
            written = write(key.copy())
            key.replace(exp.alias_(written, key.this.copy()) if _is_selected(key) else written)
    return names


def _bytes(value: Any) -> Any:
    """The bytes of a text, the same for one text in two character sets."""
    from sqlglot import exp

    return exp.cast(_in_utf8(value), "binary")


def _in_utf8(value: Any) -> Any:
    from sqlglot import exp

    return exp.Cast(this=value, to=type_named(_UTF8))


def _shown(column: Any, keys: Collection[str]) -> Any:
    """A column of the result; a key, or a text that has one in it, is text again."""
    from sqlglot import exp

    value = column.unalias()
    joined = [part.name for join in value.find_all(exp.DPipe) for part in join.find_all(exp.Column)]
    if value.name not in keys and not any(name in keys for name in joined):
        return column
    return exp.alias_(_in_utf8(column.unalias().copy()), column.alias_or_name)


# Where text has a language's order, ids that break ties have that of their bytes.


def order_collated(tree: Any, dialect: Dialect) -> None:
    """Order texts by a collation of bytes."""
    for node, side, text in ordered_texts(tree):
        node.set(side, collated(text, dialect.byte_collation or ""))


def order_of_bytes(tree: Any, _dialect: Dialect) -> None:
    """Order texts by their bytes."""
    from sqlglot import exp

    for node, side, text in ordered_texts(tree):
        node.set(side, exp.cast(text.this, "binary"))


def order_by_nlssort(tree: Any, _dialect: Dialect) -> None:
    """Order texts by a function, because else the language of the session decides."""
    from sqlglot import exp

    for node, side, text in ordered_texts(tree):
        node.set(side, exp.func("NLSSORT", text.copy(), exp.Literal.string("NLS_SORT=BINARY")))


def wide_keys_collated(tree: Any, _dialect: Dialect) -> None:
    """A column of the user's has a collation where it is text; what may be anything else is wide text before."""
    from sqlglot import exp

    for node in list(tree.find_all(exp.Collate)):
        cast = node.this
        if is_text(cast) and getattr(cast.this, "table", "") == "s":
            column = cast.this
            is_known = column.meta.get("is_text")
            cast.replace(column if is_known else exp.cast(column.copy(), type_named("NVARCHAR(4000)")))

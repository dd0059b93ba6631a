"""What the manuals of dialects that no test executes ask for, where sqlglot writes something else.

Every rule changes a tree in place, behind those of ``portable``, before sqlglot writes it.
"""

from __future__ import annotations

from typing import Any

# Casts to text want a length where text without one cannot be compared (Oracle's CLOB), is cut at 30 characters
# (T-SQL), or does not exist.
_TEXT = {
    "exasol": "VARCHAR(4000)",
    "fabric": "VARCHAR(8000)",
    "oracle": "VARCHAR2(4000)",
    "redshift": "VARCHAR(65535)",
    "teradata": "VARCHAR(4000) CHARACTER SET UNICODE CASESPECIFIC",
    "tsql": "VARCHAR(8000)",
}

# Oracle's DOUBLE PRECISION is a decimal number.
_DOUBLE = {"oracle": "BINARY_DOUBLE"}

# FLOAT has 64 bits there.
_FLOAT32 = {"fabric": "REAL", "oracle": "BINARY_FLOAT", "tsql": "REAL"}

# What a SELECT without a table reads; Teradata wants one behind UNION ALL.
_NOTHING = {"oracle": "DUAL", "teradata": "(SELECT 1 AS one) AS nothing"}


def obey_manuals(tree: Any, dialect: str) -> None:
    """Changes a statement so that it is one of the dialect, and compares text by its bytes.

    Args:
        tree: the statement.
        dialect: what it is to be written in.
    """
    for rule in (_text_of_any_script, _types, _oracles_order, _nothing):
        rule(tree, dialect)


def _text_of_any_script(tree: Any, dialect: str) -> None:
    """In T-SQL the collation of the user's text goes inside the cast: it says in which bytes that is written."""
    from sqlglot import exp

    if dialect != "tsql":
        return
    for collated in list(tree.find_all(exp.Collate)):
        cast = collated.this
        if isinstance(cast, exp.Cast) and cast.is_type("varchar", "text") and getattr(cast.this, "table", "") == "s":
            wide = exp.cast(cast.this.copy(), _named("NVARCHAR(4000)"))
            collated.replace(exp.cast(exp.Collate(this=wide, expression=collated.expression.copy()), "varchar"))


def _types(tree: Any, dialect: str) -> None:
    from sqlglot import exp

    for kinds, names in ((("varchar", "text"), _TEXT), (("double",), _DOUBLE), (("float",), _FLOAT32)):
        if dialect in names:
            for cast in tree.find_all(exp.Cast):
                if cast.is_type(*kinds):
                    cast.set("to", _named(names[dialect]))


def _named(type_: str) -> Any:
    """A type that is written as it stands here."""
    from sqlglot import exp

    return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=type_)


def _oracles_order(tree: Any, dialect: str) -> None:
    """A session's language decides on the order of text unless the statement does."""
    from sqlglot import exp

    if dialect != "oracle":
        return
    for node in tree.find_all(exp.Ordered, exp.GT, exp.LT):
        for side in ("this", "expression"):
            key = node.args.get(side)
            if isinstance(key, exp.Cast) and key.to.args.get("kind") == _TEXT["oracle"]:
                node.set(side, exp.func("NLSSORT", key.copy(), exp.Literal.string("NLS_SORT=BINARY")))


def _nothing(tree: Any, dialect: str) -> None:
    import sqlglot
    from sqlglot import exp

    if dialect not in _NOTHING:
        return
    for select in list(tree.find_all(exp.Select)):
        if select.args.get("from_") is None:
            select.set("from_", sqlglot.parse_one(f"SELECT 1 FROM {_NOTHING[dialect]}").args["from_"])

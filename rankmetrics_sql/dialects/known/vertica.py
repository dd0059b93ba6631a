"""Vertica's, of its manuals 9.2 to 23.4, by the names of pages; sqlglot writes PostgreSQL's, which is next to it."""

from __future__ import annotations

from typing import Any

from ..dialect import Dialect, words
from ..rules.nodes import inside_out


def _nulls_in_windows(tree: Any, _dialect: Dialect) -> None:
    """ORDER BY Clause: no NULLS FIRST or LAST, which Window Order Clause has."""
    from sqlglot import exp

    for order in tree.find_all(exp.Order):
        if not isinstance(order.parent, exp.Window):
            for key in order.expressions:
                key.set("nulls_first", bool(key.args.get("desc")))  # as PostgreSQL does without a word


def _nan_is_unequal(tree: Any, _dialect: Dialect) -> None:
    """Numeric Expressions: every comparison with a NaN is false, even with itself."""
    from sqlglot import exp

    for test in inside_out(tree, exp.IsNan):
        test.replace(exp.Not(this=exp.paren(exp.EQ(this=test.this, expression=test.this.copy()))))


DIALECT = Dialect(
    name="vertica",
    values=False,
    sqlglot="postgres",
    # The system table KEYWORDS, of which those are left out that are names in spite of it.
    reserved=words(
        """
        array authorization binary correlation current_database current_date current_schema current_time
        current_timestamp current_user deferrable grant ignore initially interval intervalym lateral localtime
        localtimestamp match new notnull nullsequal old only over overlaps partition respect session_user similar
        sysdate timeseries trailing unbounded within
        """
    ),
    float32=False,  # DOUBLE PRECISION (FLOAT): REAL is a synonym, all have 64 bits
    text_type="VARCHAR(65000)",  # Character Data Types: 80 bytes without a length, and there is no TEXT
    # About Locale: text is compared and ordered by its bytes, unless a locale is set.
    rules=(_nulls_in_windows, _nan_is_unequal),
    # WITH Clause Recursion: the steps are eight, unless the database is set to more.
)

"""Oracle's, of its manual."""

from ..dialect import Dialect
from ..rules.text import order_by_nlssort

DIALECT = Dialect(
    name="oracle",
    vendors=("oracle",),
    parts=r"[A-Za-z][\w$#]*(?:@\w+)?",
    folds="upper",
    nan="none",
    double_type="BINARY_DOUBLE",  # DOUBLE PRECISION is a decimal number
    float32_type="BINARY_FLOAT",  # FLOAT has 64 bits
    text_type="VARCHAR2(4000)",  # a CLOB cannot be compared
    rules=(order_by_nlssort,),
    nothing="DUAL",
    empty_lines=False,
)

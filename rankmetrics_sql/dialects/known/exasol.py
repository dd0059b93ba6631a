"""Exasol's, of its manual."""

from ..dialect import Dialect

DIALECT = Dialect(
    name="exasol",
    folds="upper",
    float32=False,
    nan_as_null=False,  # Numeric data types: it is NULL
    text_type="VARCHAR(4000)",  # there is none without a length
)

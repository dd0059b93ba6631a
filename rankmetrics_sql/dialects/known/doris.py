"""Doris's."""

from ..dialect import Dialect, words

DIALECT = Dialect(
    name="doris",
    reserved=words("value"),  # of ours; sqlglot quotes all that are
    quotes="``",
    names_in_double_quotes=False,
    nan_as_null=False,
)

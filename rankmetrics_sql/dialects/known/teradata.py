"""Teradata's, of its manual."""

from ..dialect import Dialect, words
from ..rules.clauses import frames_of_rows
from ..rules.text import text_keys

DIALECT = Dialect(
    name="teradata",
    reserved=words("value"),
    float32=False,
    nan="none",
    power_function=False,
    text_type="VARCHAR(4000) CHARACTER SET UNICODE CASESPECIFIC",  # as this type, text is compared by its bytes
    rules=(text_keys, frames_of_rows),
    nothing="(SELECT 1 AS one) AS nothing",  # wanted behind UNION ALL
)

"""BigQuery's."""

from ..dialect import Dialect

DIALECT = Dialect(
    name="bigquery",
    executed=True,
    vendors=("bigquery",),
    quotes="``",
    names_in_double_quotes=False,
    backslashes=True,
    dollars=False,
    whole_paths=True,
    float32=False,
    strict_booleans=True,
    unnesting=(
        "SELECT query_id, item_id, place + 1 AS position FROM {table}, UNNEST({column}) AS item_id WITH OFFSET AS place"
    ),
    # A DATETIME is taken to be of the session's zone, which is UTC unless that is set.
    or_replace_table=True,
)

"""DataFusion's, which reads PostgreSQL's."""

from ..dialect import Dialect

DIALECT = Dialect(
    name="datafusion",
    values=True,
    executed=True,
    sqlglot="postgres",
    nan="equal",
    unnesting=(
        "SELECT query_id, UNNEST({column}) AS item_id,"
        " UNNEST(RANGE(1, CAST(ARRAY_LENGTH({column}) AS BIGINT) + 1)) AS position FROM {table}"
    ),
)

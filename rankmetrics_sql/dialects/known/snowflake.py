"""Snowflake's, of its manual."""

from ..dialect import Dialect, words

DIALECT = Dialect(
    name="snowflake",
    values=True,
    vendors=("snowflake",),
    parts="",
    stages=True,
    reserved=words(
        """
        account alter connect connection current current_date current_time current_timestamp current_user
        database delete following grant gscluster ilike increment issue lateral localtime localtimestamp minus
        of organization qualify regexp revoke rlike row rows sample schema start tablesample trigger try_cast
        view whenever
        """
    ),
    folds="upper",
    float32=False,
    nan="equal",
    strict_booleans=True,
    unnesting=(
        "SELECT t.query_id, u.value AS item_id, u.index + 1 AS position FROM {table} AS t,"
        " LATERAL FLATTEN(input => t.{column}) AS u"
    ),
    temporary_tables=True,
    or_replace_table=True,
    views="SELECT table_name, view_definition FROM information_schema.views",
    explain="EXPLAIN USING TEXT",
)

"""ClickHouse's."""

from ..dialect import Dialect, Swap
from ..plans import clickhouse
from ..rules.aggregates import kth_of_array
from ..rules.clauses import named_columns

DIALECT = Dialect(
    name="clickhouse",
    executed=True,
    vendors=("clickhouse", "clickhousedb"),
    quotes="``",
    backslashes=True,
    backslashes_in_text=True,
    dollars=False,
    rules=(named_columns, kth_of_array),
    selects_kth=True,
    unnesting=(
        "SELECT query_id, item_id, position FROM {table} ARRAY JOIN {column} AS item_id,"
        " arrayEnumerate({column}) AS position"
    ),
    table_storage=" ENGINE = MergeTree ORDER BY tuple()",
    temporary_storage=" ENGINE = Memory",
    temporary_tables=True,
    swap=Swap(("RENAME TABLE {new} TO {name}",), ("EXCHANGE TABLES {new} AND {name}", "DROP TABLE IF EXISTS {new}")),
    replaces_other_kinds=True,
    views="SELECT name, as_select FROM system.tables WHERE engine LIKE '%View'",
    explain="EXPLAIN ESTIMATE",
    read_plan=clickhouse,
)

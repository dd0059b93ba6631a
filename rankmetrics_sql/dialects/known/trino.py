"""Trino's."""

from ..dialect import Dialect, Swap, words
from ..plans import trino

DIALECT = Dialect(
    name="trino",
    values=True,
    executed=True,
    vendors=("trino",),
    dollars=False,
    reserved=words(
        """
        alter cube current_catalog current_date current_path current_role current_schema current_time current_timestamp
        current_user deallocate delete describe escape extract grouping json_table localtime localtimestamp normalize
        prepare recursive rollup skip trim uescape unnest
        """
    ),
    unnesting=(
        "SELECT t.query_id, u.item_id, u.position FROM {table} AS t"
        " CROSS JOIN UNNEST(t.{column}) WITH ORDINALITY AS u (item_id, position)"
    ),
    swap=Swap.swap_by_renaming(),
    views="SELECT table_name, view_definition FROM information_schema.views",
    explain="EXPLAIN (TYPE IO, FORMAT JSON)",
    read_plan=trino,
)

"""Spark's."""

from ..dialect import Dialect, Swap, words
from ..plans import spark

DIALECT = Dialect(
    name="spark",
    values=True,
    executed=True,
    vendors=("pyspark",),
    quotes="``",
    names_in_double_quotes=False,
    dollars=False,
    reserved=words("qualify"),
    unnesting=(
        "SELECT query_id, item_id, place + 1 AS position FROM {table}"
        " LATERAL VIEW POSEXPLODE({column}) u AS place, item_id"
    ),
    swap=Swap.swap_by_renaming(),
    describes_views=True,
    explain="EXPLAIN COST",
    read_plan=spark,
)

"""SQL Server's, of its manual."""

from ..dialect import Dialect
from ..rules.text import collation_inside_cast, order_collated, text_keys_collated

DIALECT = Dialect(
    name="tsql",
    values=True,
    also_called=("mssql", "sqlserver"),
    vendors=("mssql",),
    quotes="[]",
    parts=r"|#{1,2}\w+",
    nan="none",
    float32_type="REAL",  # FLOAT has 64 bits
    text_type="VARCHAR(8000)",  # one without a length is cut at 30
    byte_collation="Latin1_General_100_BIN2_UTF8",
    rules=(text_keys_collated, order_collated, collation_inside_cast),
    nested_with=False,
    ordered_views=False,
    create_table_as=False,
    replace_view="CREATE OR ALTER VIEW",
)

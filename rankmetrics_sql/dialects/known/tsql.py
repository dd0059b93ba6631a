"""SQL Server's, of its manual."""

from ..dialect import Dialect, words
from ..rules.text import collation_inside_cast, order_collated, text_keys_collated

DIALECT = Dialect(
    name="tsql",
    values=True,
    also_called=("mssql", "sqlserver"),
    vendors=("mssql",),
    quotes="[]",
    parts=r"|#{1,2}\w+",
    reserved=words(
        """
        add alter authorization backup begin break browse bulk cascade checkpoint close clustered coalesce
        commit compute contains containstable continue convert current current_date current_time
        current_timestamp current_user cursor database dbcc deallocate declare delete deny disk distributed
        double dump errlvl escape exec execute exit external file fillfactor freetext freetexttable function
        goto grant holdlock identity identity_insert identitycol if index key kill lineno load merge national
        nocheck nonclustered nullif of off offsets open opendatasource openquery openrowset openxml option over
        percent pivot plan precision print proc procedure public raiserror read readtext reconfigure replication
        restore restrict return revert revoke rollback rowcount rowguidcol rule save schema securityaudit
        semantickeyphrasetable semanticsimilaritydetailstable semanticsimilaritytable session_user setuser
        shutdown statistics system_user tablesample textsize top tran transaction trigger truncate try_convert
        tsequal unpivot updatetext use varying view waitfor while within writetext
        """
    ),
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

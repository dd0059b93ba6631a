"""Microsoft Fabric's, which is SQL Server's with text that has the order of its bytes. Of its manual."""

from dataclasses import replace

from .tsql import DIALECT as SQL_SERVER

DIALECT = replace(
    SQL_SERVER,
    name="fabric",
    values=False,
    also_called=(),
    vendors=(),
    reached_as="tsql",
    byte_collation=None,
    rules=(),
    nested_with=True,
    create_table_as=True,
)

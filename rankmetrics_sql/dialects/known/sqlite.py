"""SQLite's. It drops nothing that a view then lacks, but does not say so as clearly as we do."""

from ..dialect import Dialect, words
from ..rules.text import keys_collated, order_collated

DIALECT = Dialect(
    name="sqlite",
    executed=True,
    vendors=("sqlite",),
    reserved=words(
        """
        add alter autoincrement commit deferrable delete escape index isnull nothing notnull returning transaction
        """
    ),
    repeated=r":\d+$",
    float32=False,
    nan="none",
    dynamic_types=True,
    byte_collation="BINARY",
    rules=(keys_collated, order_collated),
    temporary_tables=True,
    transactional_ddl=True,
    views=(
        "SELECT name, sql FROM sqlite_master WHERE type = 'view'"
        " UNION ALL SELECT name, sql FROM sqlite_temp_master WHERE type = 'view'"
    ),
    savepoints=True,
)

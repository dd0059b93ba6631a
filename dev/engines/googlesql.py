"""GoogleSQL: BigQuery's language in Google's own analyzer and reference evaluator (zetasql), inside this process."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import date
from typing import Any
from unittest.mock import patch

from .base import Answer, Columns, Engine, EngineError, Row

SCALE = 10**9  # of NUMERIC, which is a little-endian integer
# The field of a value that is not NULL.
FIELDS = ("string_value", "double_value", "int64_value", "bool_value", "numeric_value")


class GoogleSql(Engine):
    """Tables are sent with every statement: keep them below some thousand rows."""

    name = "googlesql"
    dialects = ("bigquery",)
    packages = ("zetasql",)
    modules = ("zetasql", "wasmtime")

    def start(self, stack: ExitStack) -> None:
        """Load the evaluator; the first time on a machine compiles it, which takes half a minute."""
        from importlib.metadata import version

        from zetasql import types

        self.connection = service()
        self.version = f"zetasql {version('zetasql')}"
        features = self.connection.get_language_options(maximum_features=True).enabled_language_features
        # external: as the products outside of Google, without its old names of types
        mode = types.ProductMode.PRODUCT_EXTERNAL
        self._language = types.LanguageOptions(enabled_language_features=list(features), product_mode=mode)
        self._tables: dict[str, tuple[Any, Any]] = {}

    def load(self, table: str, columns: Columns, rows: Sequence[Row]) -> None:
        """Remember a table."""
        from zetasql.api import TableBuilder, create_table_content
        from zetasql.types import TypeKind

        kinds = {"text": TypeKind.TYPE_STRING, "double": TypeKind.TYPE_DOUBLE, "bigint": TypeKind.TYPE_INT64}
        builder = TableBuilder(table)
        for name, kind in columns.items():
            builder.add_column(name, kinds[kind])
        self._tables[table] = builder.build(), create_table_content([list(row) for row in rows])

    def fetch(self, sql: str) -> Answer:
        """The answer to a statement."""
        from zetasql import types
        from zetasql.api import CatalogBuilder, PreparedQuery

        functions = types.ZetaSQLBuiltinFunctionOptions(language_options=self._language)
        catalog = CatalogBuilder("tests").with_builtin_functions(functions)
        for table, _ in self._tables.values():
            catalog.add_table(table)
        query = PreparedQuery.builder().set_service(self.connection).set_sql(sql).set_catalog(catalog.build())
        query = query.set_table_content({name: content for name, (_, content) in self._tables.items()})
        with query.set_analyzer_options(types.AnalyzerOptions(language_options=self._language)).prepare() as prepared:
            names = [column.name for column in prepared.columns]
            rows = prepared.execute().content.table_data.row
            return names, [tuple(map(plain, row.cell)) for row in rows]


def plain(value: Any) -> Any:
    """A value of Python."""
    if getattr(value, "date_value", None) is not None:
        return date.fromordinal(date(1970, 1, 1).toordinal() + value.date_value)
    for field in FIELDS:
        content = getattr(value, field)
        if content is not None:
            return int.from_bytes(content, "little", signed=True) / SCALE if field == "numeric_value" else content
    unknown = [field for field, content in vars(value).items() if content is not None]
    if unknown:
        raise EngineError(f"cannot read a value with {', '.join(unknown)}")
    return None


def service() -> Any:
    """The evaluator: its machine code kept between processes, its memory read and written in one go."""
    import wasmtime
    from zetasql.core import local_service, wasm_client

    class Client(wasm_client.WasmClient):
        """Copies whole blocks instead of single bytes."""

        def write_bytes(self, ptr: int, data: bytes) -> None:
            ctypes.memmove(ctypes.addressof(self.memory.data_ptr().contents) + ptr, data, len(data))

        def read_bytes(self, ptr: int, size: int) -> bytes:
            return ctypes.string_at(ctypes.addressof(self.memory.data_ptr().contents) + ptr, size)

    def configuration() -> Any:
        config = wasmtime.Config()
        config.cache = True
        return config

    with patch.object(wasm_client, "Config", configuration), patch.object(local_service, "WasmClient", Client):
        return local_service.ZetaSqlLocalService()

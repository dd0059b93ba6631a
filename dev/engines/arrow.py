"""Tables of Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import Columns, Row


def table_of(columns: Columns, rows: Sequence[Row]) -> Any:
    """Rows as a table of Arrow."""
    import pyarrow as pa

    types = {"text": pa.string(), "double": pa.float64(), "bigint": pa.int64()}
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    values = [[row[place] for row in rows] for place in range(len(columns))]
    arrays = [pa.array(column, field.type) for column, field in zip(values, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)

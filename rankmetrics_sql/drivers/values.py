"""Values and types of the databases as plain Python, as DuckDB's names of types, and as Arrow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from ..errors import DataError
from ..optional import pyarrow
from ..rows import Row

UNKNOWN = '"NULL"'  # DuckDB's word for the type of a column without a single value

_EXACT = 2**53  # beyond it, a double does not hold every integer

_PLAIN = frozenset({str, int, float, bool, type(None)})

_WORDS = {
    "VARCHAR": """string text varchar char bpchar character nvarchar nchar varchar2 nvarchar2 name enum8 enum16
        fixedstring citext tinytext mediumtext longtext clob utf8 large_string string_view large_utf8 str
        dictionary bytes binary varbinary varying""",
    "BIGINT": """bigint int integer int8 int16 int32 int64 int4 int2 smallint tinyint mediumint long short byte
        uint8 uint16 uint32 uint64 byteint fixed""",
    "DOUBLE": """double float float64 float32 float4 float8 real halffloat binary_double""",
    "DECIMAL": "decimal numeric number bignumeric dec decimal32 decimal64 decimal128 decimal256",
    "BOOLEAN": "boolean bool bit",
    "DATE": "date date32 date64",
    "TIMESTAMP": """timestamp timestamptz datetime datetime64 timestamp_ntz timestamp_ltz timestamp_tz datetime2""",
    UNKNOWN: "null void unknown nothing",
}
_DUCKDB_TYPES = {word: name for name, words in _WORDS.items() for word in words.split()}
_WRAPPED = re.compile(r"(?:nullable|lowcardinality)\((.*)\)", re.IGNORECASE | re.DOTALL)


def duckdb_type(word: str) -> str:
    """Return DuckDB's word for a type: ``Nullable(Float64)`` is DOUBLE; the word itself in capitals if it has none."""
    while wrapped := _WRAPPED.fullmatch(word.strip()):
        word = wrapped[1]
    if word.strip().endswith("[]"):
        return f"{duckdb_type(word.strip()[:-2])}[]"
    match = re.match(r"\w+", word.strip())
    name = _DUCKDB_TYPES.get(match[0].lower()) if match else None
    return "BIGINT" if name == "DECIMAL" and re.search(r"\(\d+, *0\)", word) else name or word.strip().upper()


def plain(value: Any) -> Any:
    """Return a value as one of Python's own types: a Decimal as a number, bytes as text."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode(errors="backslashreplace")
    if isinstance(value, UUID):
        return str(value)
    return value.item() if hasattr(value, "item") else value


def _number(value: Decimal) -> int | float | Decimal:
    """Return an integer, or a float where that is the same number: two ids must not become one."""
    if value.is_finite() and value.as_tuple().exponent == 0:
        return int(value)
    number = float(value)
    return value if value.is_finite() and Decimal(repr(number)) != value else number


def plain_rows(rows: Iterable[Iterable[Any]]) -> list[Row]:
    """Return rows of plain values."""
    return [tuple(map(plain, row)) for row in rows]


def empty_batch(schema: Any) -> Any:
    """Return a record batch without rows, which has the types of an empty result."""
    return pyarrow().RecordBatch.from_pylist([], schema=schema)


def slices(data: Any, size: int) -> list[Any]:
    """Return an Arrow table or record batch as record batches of a size; at least one, without rows if need be."""
    table = data if hasattr(data, "to_batches") else pyarrow().Table.from_batches([data])
    return table.to_batches(size) or [empty_batch(table.schema)]


def arrow_type(type_: Any) -> str:
    """Return DuckDB's word for an Arrow type; a type that Arrow does not know has its name in it."""
    text = str(type_)
    _, mark, name = text.partition("type_name=")
    return duckdb_type(name.split(",")[0] if mark else text)


class Batches:
    """Make record batches of rows, all of the types of the first."""

    def __init__(self, names: Sequence[str], types: Sequence[str]) -> None:
        """Take the names of columns, and their types in DuckDB's words; the first rows show those that are unknown."""
        self._arrow = pyarrow()
        self._names, self._duckdb_types = list(names), list(types)
        self._types: list[Any] = []

    def batch(self, rows: Sequence[Row]) -> Any:
        """Return a record batch of plain rows."""
        columns = list(zip(*rows, strict=True)) if rows else [() for _ in self._names]
        if not self._types:
            self._types = [self._type(word, column) for word, column in zip(self._duckdb_types, columns, strict=True)]
        arrays = [self._array(column, type_) for column, type_ in zip(columns, self._types, strict=True)]
        return self._arrow.RecordBatch.from_arrays(arrays, names=self._names)

    def _array(self, column: Sequence[Any], type_: Any) -> Any:
        if type_ == self._arrow.string():
            column = [value if value is None else str(value) for value in column]
        try:
            return self._arrow.array(column, type=type_)
        except (OverflowError, TypeError, self._arrow.ArrowInvalid) as error:
            raise DataError(f"Values that Arrow cannot hold as {type_}, as those before: {error}.") from None

    def _type(self, word: str, column: Sequence[Any]) -> Any:
        arrow = self._arrow
        types = {
            "VARCHAR": arrow.string(),
            "BIGINT": arrow.int64(),
            "DOUBLE": arrow.float64(),
            "BOOLEAN": arrow.bool_(),
        }
        if word in types:
            return types[word]
        if any(isinstance(value, Decimal) or (type(value) is int and abs(value) > _EXACT) for value in column):
            return arrow.string()
        type_ = arrow.array(column).type
        return arrow.float64() if arrow.types.is_null(type_) or word == "DECIMAL" else type_

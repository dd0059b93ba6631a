"""Results as Arrow: batches of a statement's rows with their faults looked at. Imports PyArrow only when asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ..optional import pyarrow


def _compute() -> Any:
    import pyarrow.compute as module  # type: ignore[import-untyped]

    return module


def to_arrow(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """A table of rows."""
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    return pyarrow().table({name: _array(column) for name, column in zip(columns, values, strict=True)})


def _array(values: Sequence[Any]) -> Any:
    """Return values as an Arrow array; as text if no Arrow type holds every value, such as 20-digit integers."""
    arrow = pyarrow()
    try:
        return arrow.array(values)
    except (OverflowError, arrow.ArrowInvalid, arrow.ArrowTypeError):
        return arrow.array([None if value is None else str(value) for value in values])


def together(batches: Iterable[Any]) -> Any | None:
    """One table of all batches, or None where there is none."""
    arrow = pyarrow()
    tables = [arrow.Table.from_batches([batch]) for batch in batches]
    return arrow.concat_tables(tables, promote_options="permissive") if tables else None


def order_by_run(found: Any, names: Sequence[str]) -> Any:
    """The table with its rows in the order of the runs that its first column names."""
    compute = _compute()

    place = compute.index_in(found.column(0), value_set=pyarrow().array(list(names)))
    return found.take(compute.sort_indices(place.combine_chunks()))


def count(batch: Any, name: str) -> int:
    """The sum of a column of integers."""
    return int(_compute().sum(_as(int, batch.column(name))).as_py() or 0)


def renamed(batch: Any, names: Mapping[str, str], left_out: Collection[str], numbers: Mapping[str, type]) -> Any:
    """A batch with other names, without some columns, and with floats or integers where an engine may have others."""
    kept = [name for name in batch.schema.names if name not in left_out]
    columns = [_as(numbers[name], batch.column(name)) if name in numbers else batch.column(name) for name in kept]
    return pyarrow().RecordBatch.from_arrays(columns, names=[names.get(name, name) for name in kept])


def _as(type_: type, column: Any) -> Any:
    """Numbers, whatever an engine's sums of integers are; ADBC has PostgreSQL's as text of a type of their own."""
    arrow = pyarrow()
    stored = column.storage if isinstance(column.type, arrow.BaseExtensionType) else column
    return stored.cast(arrow.int64() if type_ is int else arrow.float64())


def is_finite(batch: Any) -> bool:
    """Whether every float is a number below infinity, or NULL."""
    compute = _compute()

    floats = [column for column in batch.columns if pyarrow().types.is_floating(column.type)]
    return all(compute.all(compute.is_finite(column)).as_py() in (True, None) for column in floats)

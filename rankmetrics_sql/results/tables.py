"""The tables of results: rows of a statement, run when first needed, as Python, pandas, Polars or Arrow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from ..errors import UsageError, shortened
from ..optional import optional, pyarrow
from ..rows import Row
from . import formats, html
from .text_tables import Grid


def _compute() -> Any:
    import pyarrow.compute as module  # type: ignore[import-untyped]

    return module


def to_arrow(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """Return rows as an Arrow table."""
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    return pyarrow().table({name: _array(column) for name, column in zip(columns, values, strict=True)})


def _array(values: Sequence[Any]) -> Any:
    """Return values as an Arrow array; as text if no Arrow type holds every value, such as 20-digit integers."""
    arrow = pyarrow()
    try:
        return arrow.array(values)
    except (OverflowError, arrow.ArrowInvalid, arrow.ArrowTypeError):
        return arrow.array([None if value is None else str(value) for value in values])


def concatenate(batches: Iterable[Any]) -> Any | None:
    """Concatenate batches; None if there are none."""
    arrow = pyarrow()
    tables = [arrow.Table.from_batches([batch]) for batch in batches]
    return arrow.concat_tables(tables, promote_options="permissive") if tables else None


def order_by_run(table: Any, names: Sequence[str]) -> Any:
    """Sort a table by the given order of the runs in its first column."""
    compute = _compute()

    place = compute.index_in(table.column(0), value_set=pyarrow().array(list(names)))
    return table.take(compute.sort_indices(place.combine_chunks()))


def sum_column(batch: Any, name: str) -> int:
    """Return the sum of a column of integers."""
    return int(_compute().sum(_cast(int, batch.column(name))).as_py() or 0)


def rename_columns(batch: Any, names: Mapping[str, str], left_out: Collection[str], numbers: Mapping[str, type]) -> Any:
    """Return a batch with columns rename_columns, dropped, and cast to float or int."""
    kept_names = [name for name in batch.schema.names if name not in left_out]
    columns = [
        _cast(numbers[name], batch.column(name)) if name in numbers else batch.column(name) for name in kept_names
    ]
    return pyarrow().RecordBatch.from_arrays(columns, names=[names.get(name, name) for name in kept_names])


def _cast(type_: type, column: Any) -> Any:
    """Cast a column of numbers; ADBC returns PostgreSQL's numeric as an extension type over text."""
    arrow = pyarrow()
    storage = column.storage if isinstance(column.type, arrow.BaseExtensionType) else column
    return storage.cast(arrow.int64() if type_ is int else arrow.float64())


def is_finite(batch: Any) -> bool:
    """Return whether no float is infinite or NaN."""
    compute = _compute()

    floats = [column for column in batch.columns if pyarrow().types.is_floating(column.type)]
    return all(compute.all(compute.is_finite(column)).as_py() in (True, None) for column in floats)


_LARGEST_BATCH = 1_000_000

MOST_SHOWN = 20  # rows


class Table(html.NotebookHtml):
    """The rows of one statement, which is written and run when it is first asked for."""

    def __init__(
        self,
        render: Callable[[], str],
        run: Callable[[str], tuple[Sequence[str], Sequence[Row]]],
        stream: Callable[[str, int], Iterator[Any]] | None = None,
        order: Sequence[str] = (),
    ) -> None:
        """Prepare a statement: ``render`` writes it, ``run`` returns columns and rows, ``stream`` Arrow batches."""
        self._render = render
        self._run = run
        self._stream = stream
        self._order = order
        self._result: tuple[list[str], list[Row]] | None = None

    @cached_property
    def sql(self) -> str:
        """The text of the statement."""
        return self._render()

    def _fetched(self) -> tuple[list[str], list[Row]]:
        if self._result is None:
            columns, rows = self._run(self.sql)
            self._result = list(columns), list(rows)
        return self._result

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._fetched()[0]

    def fetchall(self) -> list[Row]:
        """The rows as tuples."""
        return self._fetched()[1]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.fetchall())

    def __len__(self) -> int:
        return len(self.fetchall())

    def dicts(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        return [dict(zip(self.columns, row, strict=True)) for row in self]

    def df(self) -> Any:
        """The rows as a pandas DataFrame."""
        pandas = optional("pandas", "pandas is not installed: pip install pandas.")
        return pandas.DataFrame.from_records(self.fetchall(), columns=self.columns)

    def pl(self) -> Any:
        """The rows as a Polars DataFrame."""
        polars = optional("polars", "Polars is not installed: pip install polars.")
        return polars.DataFrame(self.fetchall(), schema=self.columns, orient="row", infer_schema_length=None)

    def batches(self, size: int = 100_000) -> Iterator[Any]:
        """The rows as Arrow record batches, as they come from the database: sorted by run and query, never all at once.

        Nothing else can run on the connection until the last one has been taken.

        Args:
            size: about how many rows a batch has, at most a million.

        Raises:
            UsageError: if the size is not valid.
            DataError: a row is at fault; batches before it have been given.
        """
        if not isinstance(size, int) or not 1 <= size <= _LARGEST_BATCH:
            raise UsageError(f"size takes a number of rows, at most {_LARGEST_BATCH:,}, not {shortened(size)}.")
        pyarrow()  # else the error would come with the first batch
        if self._result is not None or self._stream is None:
            return iter(to_arrow(self.columns, self.fetchall()).to_batches(size))
        return self._stream(self.sql, size)

    def arrow(self) -> Any:
        """The rows as a PyArrow table."""
        streams = self._result is None and self._stream is not None
        table = concatenate(self.batches()) if streams else None
        if table is None:
            return to_arrow(self.columns, self.fetchall())
        return order_by_run(table, self._order) if len(self._order) > 1 else table

    def __repr__(self) -> str:
        more = [f"... {len(self) - MOST_SHOWN:,} more rows; fetchall() returns all"] if len(self) > MOST_SHOWN else []
        return "\n".join([_aligned(self.columns, self.fetchall()[:MOST_SHOWN]), *more])

    def _grid(self) -> Grid:
        return html.grid_of(self.columns, self.fetchall()[: html.MOST_ROWS])

    def _html(self) -> str:
        return html.page([self._grid()], more=n_not_shown(self))


def renamed(table: Table, names: Mapping[str, str], whole: str = "") -> Table:
    """Return a table for people: columns under other names, and one of them with whole numbers."""
    columns, rows = table.columns, table.fetchall()
    if whole:
        place = columns.index(whole)
        rows = [(*row[:place], int(row[place]), *row[place + 1 :]) for row in rows]
    return Table(lambda: table.sql, lambda _: ([names.get(name, name) for name in columns], rows))


def n_not_shown(table: Table) -> int:
    """Return the number of rows that are not shown."""
    return max(0, len(table) - html.MOST_ROWS)


def _aligned(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return rows below the names of their columns, numbers to the right."""
    return formats.lay_out(html.grid_of(columns, rows), "table").rstrip("\n")


def aligned_rows(table: Sequence[Mapping[str, Any]]) -> str:
    """Return the rows below the names of their columns."""
    return _aligned([*table[0]], [[*row.values()] for row in table])

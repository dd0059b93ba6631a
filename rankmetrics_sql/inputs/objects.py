"""Python objects as columns: mappings, lists, and values of NumPy, PyTorch, PyArrow, pandas and Polars."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from ..errors import UsageError, shortened
from ..relation import OF_ITEMS

LISTS = ("tolist", "to_list", "to_pylist")  # of NumPy, pandas, PyTorch; of Polars; of PyArrow
IDS = {int, float, str}
_PLAIN = {*IDS, bool, type(None)}


def is_array(value: Any) -> bool:
    """Return whether it is an array or a Series, rather than a list, one value or a table."""
    if isinstance(value, type) or hasattr(type(value), "columns") or getattr(value, "ndim", 1) == 0:
        return False
    return any(hasattr(value, method) for method in LISTS)


def plain_value(value: Any) -> Any:
    """A value of Python's own for one of NumPy's, PyTorch's, PyArrow's or pandas'."""
    if type(value) in _PLAIN or is_array(value):
        return value
    if type(value).__name__ == "NAType":
        return None
    for method in ("item", "as_py"):
        if hasattr(value, method):
            plain = getattr(value, method)()
            # NumPy's 80 bits have no plain value
            return float(plain) if type(plain).__name__ == "longdouble" else plain
    return value


def plain_values(values: Sequence[Any]) -> list[Any]:
    """Values of Python's own types, which most are already."""
    unusual = set(map(type, values)) - _PLAIN
    return [plain_value(value) if type(value) in unusual else value for value in values] if unusual else list(values)


_EXACT = {"float64": 2**53, "float32": 2**24}  # beyond, two whole numbers may be one floating-point number


def text_arrays_to_lists(frame: Any) -> Any:
    """A pandas table with lists in place of NumPy's arrays of text, which DuckDB does not know; any other as it is."""
    if not hasattr(type(frame), "assign"):
        return frame
    lists = {}
    for name, column in frame.items():
        first = next((value for value in column if value is not None), None) if column.dtype == object else None
        if getattr(getattr(first, "dtype", None), "kind", "") == "U":
            lists[name] = [value.tolist() if is_array(value) else value for value in column]
    return frame.assign(**lists) if lists else frame


def restore_whole_numbers(frame: Any) -> Any:
    """Return a pandas table with whole numbers in columns that only a missing value made floating-point.

    A column with a number so large that its type cannot tell it from the next stays as it is. So no two ids become one.
    Anything else is returned as it is.
    """
    if not hasattr(type(frame), "assign"):
        return frame
    whole = {
        name: column.astype("Int64")
        for name, column in frame.items()
        if isinstance(name, str) and _lacks_values_only(column)
    }
    return frame.assign(**whole) if whole else frame


def _lacks_values_only(column: Any) -> bool:
    """Return whether a column of pandas has missing values, and whole numbers else."""
    limit = _EXACT.get(str(getattr(column, "dtype", "")))
    if limit is None or not column.hasnans:
        return False
    values = column.dropna()
    return bool(len(values)) and bool((values % 1 == 0).all()) and bool((values.abs() < limit).all())


Columns = dict[str, Sequence[Any]]


def arrays_to_lists(value: Any, role: str) -> Any:
    """Return the value with lists in place of arrays and Series: of itself, and of what it holds for each query.

    Args:
        value: any object that the user passes.
        role: what it is: ``run``, ``qrels``, ``labelled``, ``query_list`` or ``items``.
    """
    if is_array(value):
        value = _listed(value, "query_list" if role == "query_list" else "labelled")
    if isinstance(value, Mapping) and any(map(is_array, value.values())):
        return {key: _listed(inner, role) for key, inner in value.items()}
    if isinstance(value, list | tuple) and any(map(is_array, value)):
        return [_listed(inner, role) for inner in value]
    return value


def _listed(value: Any, role: str) -> Any:
    """A list of an array; a mapping of a Series that has a list for each entry of its index."""
    if not is_array(value):
        return value
    inner = getattr(value, next(method for method in LISTS if hasattr(value, method)))()
    index = getattr(value, "index", None)
    if index is None or callable(index) or (type(index).__name__ == "RangeIndex" and index.start == 0):
        return inner
    if any(is_array(item) or isinstance(item, list | tuple | Mapping | AbstractSet) for item in inner):
        if not index.is_unique:
            raise UsageError(f"{role}: the index of a Series contains a query twice. Remove one.")
        return dict(zip(index.tolist(), inner, strict=True))
    if role in ("run", "qrels") and not all(isinstance(item, str) for item in inner):
        raise UsageError(
            f"{role}: a Series with an index can be a list of items, or values by item. Pass .tolist() or .to_dict()."
        )
    return inner


def maps_names(value: Mapping[Any, Any]) -> bool:
    """Return whether a mapping holds runs by name, rather than one run by query."""
    if not value:
        return False
    first = next(
        (
            inner
            for inner in value.values()
            if not isinstance(inner, Mapping | list | tuple | AbstractSet) or len(inner)
        ),
        None,
    )
    if isinstance(first, Mapping):
        return any(isinstance(inner, Mapping | list | tuple) or is_array(inner) for inner in first.values())
    if isinstance(first, list | tuple):
        return any(isinstance(inner, list | Mapping) or is_array(inner) for inner in first)
    return first is not None and not isinstance(first, AbstractSet)


# A judgment of no item with a grade below any threshold: it keeps a query without relevant items among the judged.
_NOTHING = (None, -sys.float_info.max)


def check_lengths(run: Any, qrels: Any) -> None:
    """Lists of recommendations and of relevant items go in pairs."""
    lists = isinstance(run, list | tuple) and isinstance(qrels, list | tuple)
    if lists and len(run) != len(qrels) and not all(isinstance(item, str | Path) for item in run):
        raise UsageError(
            f"There are {len(run)} lists of recommendations but {len(qrels)} of relevant items. Pass one of"
            " each for every user."
        )


def columns_of(value: Any, role: str, *, keeps_empty: bool = False) -> tuple[Columns, bool]:
    """Return the columns that a value makes.

    Args:
        value: mappings and lists, without arrays.
        role: what it is: ``run``, ``qrels``, ``labelled``, ``query_list`` or ``items``.
        keeps_empty: whether an empty list of a run has a row, because no judgments say of its query that it counts.

    Returns:
        The columns, and whether rows without an item are ours, which keep a query without judgments among the judged.
    """
    columns, placeholders = _run_columns(value, keeps_empty) if role == "run" else _READERS[role](value)
    _refuse_equal_as_text(columns, role)
    return columns, placeholders


def size_of(columns: Columns) -> tuple[int, int] | None:
    """Return the number of rows with an item, and roughly of queries; None if rows lack a query or an item."""
    if not {"query_id", "item_id"} <= columns.keys():
        return None
    return len(columns["item_id"]) - columns["item_id"].count(None), len({*columns["query_id"]})


def _refuse_equal_as_text(columns: Columns, role: str) -> None:
    """Ids of two types are text together, where 1 and '1' are one id."""
    names = [name for name in ("query_id", "item_id") if name in columns]
    if all(len(set(map(type, columns[name])) - {type(None)}) < 2 for name in names):
        return
    typed = zip(*([(type(value), value) for value in columns[name]] for name in names), strict=True)
    first_with_text: dict[tuple[str, ...], Any] = {}
    for ids in dict.fromkeys(part[: depth + 1] for part in typed for depth in range(len(names))):
        values = [value for _, value in ids]
        other = first_with_text.setdefault(tuple(map(str, values)), values[-1])
        if type(other) is not type(values[-1]):
            what = names[len(values) - 1].removesuffix("_id")
            raise UsageError(
                f"{role}: {what} {other!r} and {what} {values[-1]!r} differ in Python but are equal as text."
                " Merge them, or write all ids as text: str(id)."
            )


_MIXED_JUDGMENTS = "qrels: some items have grades by subtopic and some do not. Pass the same kind for all items."


def _run_columns(value: Any, keeps_empty: bool) -> tuple[Columns, bool]:
    """{query: {item: score}}, {query: [item, ...]} or [[item, ...], ...]: a list is in the order of its ranks."""
    rows: list[tuple[Any, Any, Any]] = []
    placeholders = False
    types = {isinstance(items, Mapping) for _, items in _queries(value, "run", (Mapping, list, tuple)) if len(items)}
    if len(types) > 1:
        raise UsageError(
            "run: some queries have scores and some have lists of items. Pass the same kind for all queries."
        )
    for query, items in _queries(value, "run", (Mapping, list, tuple)):
        pairs = items.items() if isinstance(items, Mapping) else ((item, rank) for rank, item in enumerate(items, 1))
        rows.extend((query, _id(item, "run", query), number) for item, number in pairs)
        if keeps_empty and not len(items):
            placeholders = True
            rows.append((query, None, None))
    return _as_columns(rows, ("query_id", "item_id", "score" if types == {True} else "position")), placeholders


def _qrels_columns(value: Any) -> tuple[Columns, bool]:
    """As a run, with grades for scores; a set of items will do. Or {query: {item: {subtopic: grade}}}."""
    rows: list[tuple[Any, Any, Any]] = []
    placeholders = False
    judged = [items for _, items in _queries(value, "qrels", (Mapping, list, tuple, AbstractSet)) if len(items)]
    by_subtopic = [isinstance(items, Mapping) and _hold_mappings(items) for items in judged]
    if any(by_subtopic):
        if not all(by_subtopic):
            raise UsageError(_MIXED_JUDGMENTS)
        return _subtopic_columns(value)
    for query, items in _queries(value, "qrels", (Mapping, list, tuple, AbstractSet)):
        pairs = list(items.items()) if isinstance(items, Mapping) else [(item, 1) for item in items]
        rows.extend((query, _id(item, "qrels", query), grade) for item, grade in pairs)
        if not pairs:
            placeholders = True
            rows.append((query, *_NOTHING))
    return _as_columns(rows, ("query_id", "item_id", "relevance")), placeholders


def _hold_mappings(items: Mapping[Any, Any]) -> bool:
    """Return whether the items have mappings of subtopics to grades."""
    types = {issubclass(type_, Mapping) for type_ in set(map(type, items.values()))}
    if len(types) > 1:
        raise UsageError(_MIXED_JUDGMENTS)
    return types == {True}


def _subtopic_columns(value: Any) -> tuple[Columns, bool]:
    rows: list[tuple[Any, Any, Any, Any]] = []
    placeholders = False
    for query, items in _queries(value, "qrels", (Mapping, list, tuple, AbstractSet)):
        triples = [
            (_id(item, "qrels", query), _id(subtopic, "qrels", query), grade)
            for item, grades in (items.items() if isinstance(items, Mapping) else ())
            for subtopic, grade in grades.items()
        ]
        placeholders = placeholders or not triples
        item, grade = _NOTHING
        rows.extend((query, *triple) for triple in triples or [(item, None, grade)])
    return _as_columns(rows, ("query_id", "item_id", "subtopic", "relevance")), placeholders


def _labelled_columns(value: Any) -> tuple[Columns, bool]:
    """[[grade, ...], ...] or {query: [grade, ...]}: the grades of each list from rank 1 on."""
    rows: list[tuple[Any, Any, Any, Any]] = []
    for query, grades in _queries(value, "labelled table", (list, tuple)):
        rows.extend((query, rank, rank, grade) for rank, grade in enumerate(grades, start=1))
    return _as_columns(rows, ("query_id", "item_id", "position", "relevance")), False


def labelled_qrels(value: Any) -> dict[Any, dict[int, Any]]:
    """Return the judgments that lists of grades imply, with the empty lists."""
    return {
        query: {rank: grade for rank, grade in enumerate(grades, start=1) if grade is not None}
        for query, grades in _queries(value, "labelled table", (list, tuple))
    }


def _query_list_columns(value: Any) -> tuple[Columns, bool]:
    return {"query_id": [_id(query, "list of queries") for query in value]}, False


def _items_columns(value: Any) -> tuple[Columns, bool]:
    """[item, ...], {item: popularity}, {item: [category, ...]} or {item: {"popularity": ..., "category": ...}}."""
    if not isinstance(value, Mapping):
        return {"item_id": [_id(item, "items") for item in value]}, False
    if any(isinstance(facts, Mapping) for facts in value.values()):
        return _facts_of_items(value), False
    if not any(isinstance(facts, list | tuple | AbstractSet) for facts in value.values()):
        pairs = [(_id(item, "items"), plain_value(facts)) for item, facts in value.items()]
        return _as_columns(pairs, ("item_id", "popularity")), False
    rows: list[tuple[Any, Any]] = []
    for item, categories in value.items():
        if not isinstance(categories, list | tuple | AbstractSet):
            raise UsageError(f"items: item {item!r} must have a list of categories, not {shortened(categories)}.")
        rows.extend((_id(item, "items"), plain_value(category)) for category in categories or [None])
    return _as_columns(rows, ("item_id", "category")), False


def _facts_of_items(value: Mapping[Any, Any]) -> Columns:
    """{item: {"popularity": number, "category": text or list of texts}}, as far as each is known."""
    keys = [name for name in OF_ITEMS if any(isinstance(entry, Mapping) and name in entry for entry in value.values())]
    rows: list[tuple[Any, ...]] = []
    for item, entry in value.items():
        if not isinstance(entry, Mapping) or not {*entry} <= {*OF_ITEMS}:
            raise UsageError(f"items: item {item!r} must have {' or '.join(OF_ITEMS)}, not {shortened(entry)}.")
        categories = entry.get("category")
        several = isinstance(categories, list | tuple | AbstractSet)
        for category in (categories or [None]) if several else [categories]:
            facts = {"popularity": entry.get("popularity"), "category": category}
            rows.append((_id(item, "items"), *(plain_value(facts[name]) for name in keys)))
    return _as_columns(rows, ("item_id", *keys))


_READERS: Mapping[str, Callable[[Any], tuple[Columns, bool]]] = {
    "qrels": _qrels_columns,
    "labelled": _labelled_columns,
    "query_list": _query_list_columns,
    "items": _items_columns,
}


def _queries(value: Any, what: str, types: tuple[type, ...]) -> Iterable[tuple[Any, Any]]:
    """Query and items of a mapping, or of a list of lists, whose queries are numbered from 0."""
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    for query, items in pairs:
        if not isinstance(items, types):
            expected = "a list" if Mapping not in types else "a list or a mapping"
            raise UsageError(
                f"{what}: query {query!r} must have {expected}, not {type(items).__name__}: {shortened(items)}."
            )
        yield _id(query, what), items


def _id(value: Any, what: str, query: Any = None) -> Any:
    """An id as a plain value."""
    if type(value) in IDS and not _is_missing(value):
        return value
    value = plain_value(value)
    is_several = is_array(value) or isinstance(value, list | tuple | Mapping | AbstractSet | bytes)
    if is_several or _is_missing(value):
        where = "" if query is None else f" of query {query!r}"
        raise UsageError(f"{what}: an id{where} must be text or a number, not {shortened(value)}.")
    return value


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, or NaN, which pandas and NumPy use for None."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _as_columns(rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> Columns:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return {name: plain_values(column) for name, column in zip(names, columns, strict=True)}

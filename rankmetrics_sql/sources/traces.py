"""Spans of traces: the documents that a retrieval returned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..engines import Engine
from ..errors import UsageError, advise, shortened
from ..templates import macros
from .base import Rows
from .passthrough import Statement

_VALUES = {
    "convention": ("openinference", "opentelemetry"),
    "mapping": ("json", "flat"),
    "order": ("position", "score"),
}
_NAME = re.compile(r"[A-Za-z_]\w*")
_PATH = re.compile(r"\w+(\.\w+)*")


def spans(
    data: Any,
    convention: str = "openinference",
    *,
    query: str | Sequence[str] | None = None,
    span: str = "span_id",
    attributes: str = "attributes",
    mapping: str = "json",
    item: str = "id",
    fields: Mapping[str, str] | None = None,
    order: str = "position",
    time: str = "start_time",
    where: str | None = None,
    run: str | None = None,
) -> Rows:
    """Describes a table of spans from traces. Each span of a retrieval has a list of documents.

    Other spans are skipped, and ``result.data_quality`` counts them. A retrieval without documents is an empty list.
    If a span names a document twice, the first position counts. ``by="trace_id"`` and other columns of the table are
    groups, and so are the fields ``question`` and ``session``.

    Args:
        data: one row per span: a table, file, SQL text or data frame.
        convention: the names of the attributes, openinference or opentelemetry. The former has
            ``retrieval.documents.0.document.id``, the latter a list in ``gen_ai.retrieval.documents``.
        query: what is judged, if it is not the span: another column or field, such as ``question``.
        span: the column with the id of the span, which is the query by default.
        attributes: the column with the attributes, a JSON object whose names have dots, or SQL over the row.
        mapping: ``json`` if one column has all attributes, ``flat`` if each attribute is a column of its name.
        item: the field of a document with its id: ``id``, or ``content``, or part of the metadata, such as
            ``metadata.source``. LangChain's spans of OpenInference have no ids.
        fields: more columns to make of attributes, by name. ``{"user": "user.id"}`` makes a column ``user``, beside
            ``question`` and ``session``. A column of the table comes before a field of the same name.
        order: what ranks documents, their position in the list or their score.
        time: the column with the time of the span, for ``period=``.
        where: SQL over a row; spans for which it is not true are not read.
        run: the column with the name of the run, such as a model, if the table contains several.

    Raises:
        UsageError: an argument has an unknown value.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> kind, document = '"openinference.span.kind": "RETRIEVER"', '"retrieval.documents.0.document.id": "d1"'
        >>> table = f"SELECT 'a1' AS span_id, '{{{kind}, {document}}}' AS attributes"
        >>> rm.evaluate(rm.spans(table), {"a1": {"d1": 1}}, "rr")["rr"]
        1.0
    """
    chosen = {"convention": convention, "mapping": mapping, "order": order}
    for name, value in chosen.items():
        if value not in _VALUES[name]:
            raise UsageError(f"{name} is {' or '.join(_VALUES[name])}, not {shortened(value)}.")
    columns = {"query": span if query is None else query, "span": span}
    columns |= {"attributes": attributes} if mapping == "json" else {}
    settings = {**chosen, "item": _item(convention, item), "fields": _fields(convention, fields), "empty_lists": True}
    arguments = ("relation", *columns, "convention", "mapping", "item", "fields", "order")
    return Rows(
        "spans",
        {"run": Statement("from_spans", (*arguments, "empty_lists"))},
        Statement("quality_of_spans", arguments),
        {"relation": data},
        {name: ("relation", column) for name, column in columns.items()},
        settings,
        order=order,
        time=time,
        where=where,
        arm=run,
    )


def _item(convention: str, item: str) -> str:
    """Return the field of a document with its id, which the convention must have."""
    is_there = item in ("id", "content") or str(item).startswith("metadata.") or convention == "opentelemetry"
    if not is_there or not _PATH.fullmatch(str(item)):
        raise UsageError(
            f"item is id, content, or part of the metadata, such as metadata.source; not {shortened(item)}."
        )
    return item


def _fields(convention: str, fields: Mapping[str, str] | None) -> dict[str, str]:
    """Return the attributes that become columns, by the names of the columns."""
    fields = {} if fields is None else fields
    if not isinstance(fields, Mapping):
        raise UsageError(f"fields takes a mapping such as {{'user': 'user.id'}}, not {shortened(fields)}.")
    for name, attribute in fields.items():
        if not _NAME.fullmatch(str(name)) or not _PATH.fullmatch(str(attribute)):
            raise UsageError(
                "fields takes names of columns with names of attributes, such as {'user': 'user.id'}, not"
                f" {{{shortened(name)}: {shortened(attribute)}}}."
            )
    return {**macros()["rm_span_convention"](convention)["fields"], **fields}


def explain_no_documents(source: Rows, place: Engine) -> Iterator[str]:
    """Yield why spans have no row: no span retrieves, or no document has what names or ranks it.

    Args:
        source: the spans.
        place: their database.
    """
    _, rows = place.run(source.text(source.quality, place.dialect))
    counts = {(what, reason): int(number) for what, reason, number in rows}
    convention, item = source.settings["convention"], source.settings["item"]
    if others := counts.get(("spans", "no retrieval"), 0) * (("spans", "used") not in counts):
        names = macros()["rm_span_convention"](convention)
        other = next(name for name in _VALUES["convention"] if name != convention)
        yield (
            f"none of {others:,} spans has {names['kind']} = {names['retrieval']}. For the names of {other}, pass"
            f" {advise('rule', 'convention', other)}."
        )
    elif lacking := counts.get(("documents", "no item")):
        yield (
            f"none of {lacking:,} documents has an id ({item}). Name another field:"
            f" {advise('rule', 'item', 'metadata.source')}."
        )
    elif lacking := counts.get(("documents", "no score")):
        yield f"none of {lacking:,} documents has a score. Pass {advise('rule', 'order', 'position')}."
    elif retrievals := counts.get(("spans", "used")):
        hint = " Instrumentations record them only if they are configured to capture content."
        yield f"none of {retrievals:,} retrievals has documents.{hint if convention == 'opentelemetry' else ''}"

"""Create SQL functions for metrics inside a database, and semantic models for dbt."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Unpack

from ..definitions.resolution import ResolvedMetric
from ..errors import UsageError
from ..functions.installation import Installation
from ..templates import commented
from .keywords import Common, choices_of, column_map, public
from .place import dialect_of, opened


@public("connection", "columns", "profile")
def install(
    metrics: str | Iterable[str] = (),
    *,
    dialect: str | None = None,
    schema: str | None = None,
    remove: bool = False,
    comments: bool = True,
    **common: Unpack[Common],
) -> str:
    """Writes or creates SQL functions such as ``rankmetrics_ndcg('runs', 'qrels', 10)``.

    A function returns a row for each query. Its cutoff is a parameter unless the metric string fixes it. All other
    options are fixed here. The script's header shows how to call the functions.

    Args:
        metrics: metric strings; by default every metric that can be a function there.
        dialect: whose SQL to write; not needed with a connection.
        connection: the database in which to create them, as in ``evaluate``; a URL is opened for writing. Without it
            nothing is created.
        schema: the schema of the functions.
        remove: True drops the functions.
        columns: names of columns, as in ``evaluate``. They are not looked up, so name all that differ from the default.
        comments: True explains each stage in a comment above it. The header is always written.
        options: options by name.

    Returns:
        The script. With a connection it has run, in one transaction if the database supports that.

    Raises:
        UsageError: something asked for is unknown, or cannot be a function.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import duckdb
        >>> import rankmetrics_sql as rm
        >>> connection = duckdb.connect()
        >>> _ = connection.execute("CREATE TABLE runs AS SELECT 'q1' AS query_id, 'a' AS item_id, 1.0 AS score")
        >>> _ = connection.execute("CREATE TABLE qrels AS SELECT 'q1' AS query_id, 'a' AS item_id, 1 AS relevance")
        >>> _ = rm.install("p", connection=connection)
        >>> connection.execute("SELECT value FROM rankmetrics_p('runs', 'qrels', k := 2)").fetchone()
        (0.5,)
    """
    asked_metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    choices, connection = choices_of(common), common.get("connection")
    with opened(connection) if connection is not None else contextlib.nullcontext() as engine:
        target = dialect_of(dialect, engine)
        if engine is not None and target is not engine.dialect:
            raise UsageError(f"dialect={target}: the database of connection= speaks {engine.dialect}. Omit dialect=.")
        if target is None:
            raise UsageError("install needs a dialect or a database. Pass dialect=, such as postgres, or connection=.")
        with commented(comments):
            script = Installation(target, choices, column_map(common), schema).script(asked_metrics, remove=remove)
        if engine is not None:
            engine.change(script.statements)
    return script.text


ADDITIVE = ("mean", "sum")
# dbt takes no column of these names for a dimension.
SHORT = ("nanosecond", "microsecond", "millisecond", "second", "minute", "hour")
RESERVED = (*SHORT, "day", "week", "month", "quarter", "year")


@dataclass(frozen=True)
class SumsModel:
    """A model that ``sums`` wrote, and how its metrics are to be called.

    Attributes:
        name: the model.
        semantic_name: the semantic model's name.
        groups: the columns of its groups.
        time: the column of its periods.
        period: how long these are: day, week or month.
        weighted: whether its queries have weights.
        prefix: what stands before the name of each metric, which is one of the whole project.
    """

    name: str
    semantic_name: str
    groups: Sequence[str]
    time: str
    period: str
    weighted: bool
    prefix: str

    @property
    def denominator(self) -> str:
        """Return the column that a mean divides by."""
        return "denominator_sum" if self.weighted else "users"


def semantic_yaml(model: SumsModel, metrics: Sequence[ResolvedMetric], spec: str) -> str:
    """Return the YAML file of a semantic model.

    Args:
        model: the table of sums.
        metrics: its metrics.
        spec: ``new`` for dbt 1.12 and later, ``old`` for those before; dbt 2 reads both.
    """
    for column in (*model.groups, model.time):
        if column.lower() in RESERVED:
            raise UsageError(
                f"Column {column}: dbt reserves this name. Rename it in the model, such as {column}_asked."
            )
    for metric in metrics:
        if metric.aggregate not in ADDITIVE:
            raise UsageError(
                f"Metric {metric.label!r}: its {metric.aggregate} is not a ratio of sums over queries. Take"
                " aggregate=mean."
            )
    lines = _new(model, metrics) if spec == "new" else _old(model, metrics)
    return "\n".join(["version: 2", "", *lines])


def _new(model: SumsModel, metrics: Sequence[ResolvedMetric]) -> Iterator[str]:
    yield from ("models:", f"  - name: {model.name}", f"    description: {_says(model)}")
    yield from ("    semantic_model:", "      enabled: true", f"      name: {model.semantic_name}")
    yield from (
        f"    primary_entity: {model.semantic_name}_row",
        f"    agg_time_dimension: {model.time}",
        "    columns:",
    )
    for group in model.groups:
        yield from (f"      - name: {group}", "        description: A group of the queries.")
        yield "        dimension: {type: categorical}"
    yield from (f"      - name: {model.time}", f"        description: The {_begin(model)}.")
    yield from (f"        granularity: {model.period}", "        dimension: {type: time}")
    for column, description in _columns(model):
        yield from (f"      - name: {column}", f"        description: {description}")
    yield "    metrics:"
    for metric in metrics:
        for name, description, column in _sums(model, metric):
            yield from (f"      - name: {name}", f"        description: {json.dumps(description)}")
            yield from ("        type: simple", "        agg: sum", f"        expr: {_expression(metric, column)}")
        if metric.aggregate == "mean":
            yield from (f"      - name: {_name(model, metric)}", *_labels(metric, "        "), "        type: ratio")
            yield f"        numerator: {_name(model, metric)}_sum"
            yield f"        denominator: {_name(model, metric)}_queries"


def _old(model: SumsModel, metrics: Sequence[ResolvedMetric]) -> Iterator[str]:
    yield from ("semantic_models:", f"  - name: {model.semantic_name}", f"    description: {_says(model)}")
    yield from (f"    model: ref('{model.name}')", "    defaults:", f"      agg_time_dimension: {model.time}")
    yield from (f"    primary_entity: {model.semantic_name}_row", "    dimensions:")
    for group in model.groups:
        yield from (f"      - name: {group}", "        type: categorical")
    yield from (f"      - name: {model.time}", "        type: time")
    yield from ("        type_params:", f"          time_granularity: {model.period}", "    measures:")
    sums = list(chain.from_iterable(((metric, *each) for each in _sums(model, metric)) for metric in metrics))
    for metric, name, description, column in sums:
        yield from (f"      - name: {name}_measure", f"        description: {json.dumps(description)}")
        yield from ("        agg: sum", f"        expr: {_expression(metric, column)}")
    yield from ("", "metrics:")
    for _, name, description, _ in sums:
        yield from (f"  - name: {name}", f"    label: {name}", f"    description: {json.dumps(description)}")
        yield from ("    type: simple", "    type_params:", f"      measure: {name}_measure")
    for metric in metrics:
        if metric.aggregate == "mean":
            yield from (f"  - name: {_name(model, metric)}", *_labels(metric, "    "), "    type: ratio")
            yield from ("    type_params:", f"      numerator: {_name(model, metric)}_sum")
            yield f"      denominator: {_name(model, metric)}_queries"


def _says(model: SumsModel) -> str:
    return f"One row per {', '.join([*model.groups, model.period])} and metric, of what adds up."


def _begin(model: SumsModel) -> str:
    return "day" if model.period == "day" else f"first day of the {model.period}"


def _columns(model: SumsModel) -> Iterator[tuple[str, str]]:
    yield "metric", "The metric as it was asked for."
    yield "users", "How many queries have a value."
    yield "main_sum", f"The sum of their values{', each times the weight of its query' if model.weighted else ''}."
    yield "main_sum_squares", "The sum of the squares of these."
    if model.weighted:
        yield "denominator_sum", "The sum of the weights of the queries that have a value."


def _name(model: SumsModel, metric: ResolvedMetric) -> str:
    return f"{model.prefix}{metric.column}"


def _labels(metric: ResolvedMetric, indent: str) -> Iterator[str]:
    yield f"{indent}label: {json.dumps(metric.label, ensure_ascii=False)}"
    yield f"{indent}description: {json.dumps(f'Mean {metric.label} over the queries of any rows together.')}"


def _sums(model: SumsModel, metric: ResolvedMetric) -> Iterator[tuple[str, str, str]]:
    """Yield name, description and column of the sums that a metric is made of."""
    name = _name(model, metric)
    if metric.aggregate == "sum":
        yield name, f"{metric.label} of all queries added up.", "main_sum"
        return
    yield f"{name}_sum", f"{metric.label} of all queries added up.", "main_sum"
    what = "The weights of the" if model.weighted else "How many"
    yield f"{name}_queries", f"{what} queries with a value of {metric.label}.", model.denominator


def _expression(metric: ResolvedMetric, column: str) -> str:
    label = metric.label.replace("'", "''")
    return json.dumps(f"case when metric = '{label}' then {column} end", ensure_ascii=False)

"""Which metrics become functions, and the script that makes or removes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..definitions.catalogue import metrics as catalogue
from ..definitions.known import known_metrics
from ..definitions.resolution import Choices, ResolvedMetric, find_metric, refuse, resolve
from ..dialects import Dialect, expression_of
from ..dialects.names import table_name, unquoted
from ..engines import Unconnected
from ..errors import UsageError, nearest, shortened
from ..inputs.columns import ColumnSpec
from ..pipeline.header import UNCHECKED, comment, header, to_comment
from ..pipeline.load import load_inputs
from ..pipeline.planning import make_plan
from ..pipeline.request import Request
from ..plan import Plan
from ..relation import Relation
from .writers import CUTOFF, PARAMETERS, QRELS, RUNS, WRITERS, Function

_OTHER_CUTOFF = 64007  # a second one, to prove that nothing but the number depends on it


@dataclass(frozen=True)
class Script:
    """The statements that create or remove functions.

    Attributes:
        header: comments: what wrote it, and how the functions are called.
        statements: one for the schema, and the statements of each function.
        begins, ends: the statements of a transaction around these; none where functions are made outside of any.
    """

    header: str
    statements: Sequence[str]
    begins: Sequence[str] = ()
    ends: Sequence[str] = ()

    @property
    def text(self) -> str:
        """Return the header and the statements as a script for a console; all take effect, or none."""
        statements = [*self.begins, *self.statements, *self.ends]
        return "\n".join([self.header, *(f"{statement};\n" for statement in statements)]).rstrip("\n")


class Installation:
    """The functions of one dialect with one set of choices."""

    def __init__(self, dialect: Dialect, choices: Choices, columns: Mapping[str, Any], schema: str | None) -> None:
        """Prepares to write.

        Args:
            dialect: whose SQL.
            choices: a value for every option, the same in all functions.
            columns: the user's names of columns, as in ``evaluate``.
            schema: where the functions are to be, or None for where the connection is.
        """
        if dialect.name not in WRITERS:
            hint = nearest(dialect.name, WRITERS, WRITERS)
            raise UsageError(f"There are no functions for {dialect.name!r}. {hint}")
        refuse("function", choices.options)
        self._dialect = dialect
        self._writer = WRITERS[dialect.name]
        self._choices = choices
        self._columns = columns
        self._schema = None if schema is None else table_name(schema, dialect)
        self._prefix = "" if self._schema is None else f"{self._schema}."

    def script(self, metrics: Iterable[str], *, remove: bool = False) -> Script:
        """Return the statements that create or remove the functions of some metrics.

        Args:
            metrics: metric strings; none for every metric that can be a function here.
            remove: whether to remove them.
        """
        metric_list = list(metrics)
        functions, left_out = (self._named(metric_list), {}) if metric_list else self._all()
        what = f"{'removes' if remove else 'makes'} functions, {self._dialect}"
        about = header(
            [function.metric for function in functions],
            self._choices,
            f"{what}, written by rankmetrics install or rm.install",
            {},
        )
        if remove:
            return Script(about, [self._writer.drop(function) for function in functions], *self._writer.transaction)
        notes = [*self._columns_line(), *self._usage(functions), *self._grants(), *_reasons(left_out)]
        statements = [] if self._schema is None else [self._writer.make_schema(self._schema)]
        for function in functions:
            statements += [*self._writer.make_room(function), self._create(function)]
        return Script(about + "".join(map(comment, notes)), statements, *self._writer.transaction)

    def _create(self, function: Function) -> str:
        metric = function.metric
        together = (
            "counted over all queries together" if metric.aggregate == "parts" else f"{metric.aggregate} of queries"
        )
        about = f"{to_comment(metric.label)}: {catalogue()[metric.name].title}; {together}"
        return f"-- {about}\n{self._writer.create(function)}"

    def _grants(self) -> list[str]:
        """Return the grants that a role that only reads needs."""
        if not self._writer.grants:
            return []
        grants = [grant for grant in self._writer.grants if self._schema is not None or "{schema}" not in grant]
        return ["A role that only reads needs:", *(f"    {grant.format(schema=self._schema)}" for grant in grants)]

    def _columns_line(self) -> list[str]:
        pairs = [
            f"{meaning}={to_comment(column if isinstance(column, str) else shortened(column))}"
            for meaning, column in self._columns.items()
        ]
        return [f"columns {', '.join(pairs)}"] if pairs else []

    def _usage(self, functions: Sequence[Function]) -> list[str]:
        example = next((function for function in functions if function.cut is not None), functions[0])
        words = {"name": example.name, "k": "" if example.cut is None else ", 10"}
        by_subtopic = [function.metric.name for function in functions if function.qrels.columns.get("subtopic")]
        return [
            f"Each gives a row per query: {example.columns}. It is called like this:",
            f"    {self._writer.call.format(**words)}",
            *(note.format(**words) for note in self._writer.notes),
            *(
                [f"The judgments of {', '.join(by_subtopic)} have a column for the subtopic too."]
                if by_subtopic
                else []
            ),
            UNCHECKED,
        ]

    def _all(self) -> tuple[list[Function], dict[str, list[str]]]:
        """A function for every metric that can be one, and the others by the reason why not."""
        functions: list[Function] = []
        left_out: dict[str, list[str]] = {}
        for name in known_metrics():
            try:
                functions.append(self._function(name))
            except UsageError as error:
                reason = str(error).removeprefix(f"Metric {name!r}: ").removeprefix("rankmetrics_sql: ")
                left_out.setdefault(reason, []).append(name)
        if not functions:
            raise UsageError(next(iter(left_out)))
        return functions, left_out

    def _named(self, texts: Iterable[str]) -> list[Function]:
        functions: dict[str, Function] = {}
        for text in dict.fromkeys(text.strip() for text in texts):
            function = self._function(text)
            if function.name in functions:
                raise UsageError(
                    f"Metric {text!r} and another one need the same function {function.name}. Omit one of them."
                )
            functions[function.name] = function
        return list(functions.values())

    def _function(self, text: str) -> Function:
        """One metric as a function, with k as its parameter where the metric has a cutoff that the user left open."""
        name, params = find_metric(text, self._choices)
        whole, cut = self._texts(text, takes_k="k" in known_metrics()[name]["params"] and "k" not in params)
        resolved = resolve(text, self._choices, {} if whole is not None else {"k": CUTOFF})
        plan = self._plan(resolved)
        run, qrels = plan.relations
        _check_expressions(plan.relations, self._dialect, self._writer.names_columns)
        column = resolved.column.removesuffix(f"_at_{CUTOFF}")
        return Function(
            name=f"{self._prefix}rankmetrics_{column}",
            metric=resolved,
            keys=_keys(run),
            column=column,
            whole=whole,
            cut=cut,
            run=run,
            qrels=qrels,
        )

    def _texts(self, text: str, *, takes_k: bool) -> tuple[str | None, str | None]:
        """Return the statements without a cutoff and with one, as far as the dialect can express them."""
        try:
            whole = self._write(text)
        except UsageError:
            if not takes_k:
                raise
            return None, self._write_cut(text)
        try:
            return whole, self._write_cut(text) if takes_k else None
        except UsageError:
            return whole, None

    def _write_cut(self, text: str) -> str:
        """The statement with CUTOFF."""
        cut, other = (self._write(text, {"k": k}) for k in (CUTOFF, _OTHER_CUTOFF))
        if cut.replace(str(CUTOFF), str(_OTHER_CUTOFF)) != other:
            raise UsageError(f"Metric {text}: its statement depends on the cutoff. Pass one cutoff, such as {text}@10.")
        return cut

    def _write(self, text: str, more: Mapping[str, float] = MappingProxyType({})) -> str:
        resolved = resolve(text, self._choices, more)
        for of in ("function", "statement"):
            refuse(of, resolved.facts)
        return self._plan(resolved).text("per_query").rstrip().removesuffix(";")

    def _plan(self, resolved: ResolvedMetric) -> Plan:
        request = Request([resolved], self._choices, "per_query", spec=ColumnSpec(self._columns))
        place = Unconnected(self._dialect)
        return make_plan(place, request, load_inputs(place, request, RUNS, QRELS))


def _check_expressions(relations: Sequence[Relation], dialect: Dialect, takes_types: bool) -> None:
    """Refuses expressions that a function cannot have."""
    texts = [text for relation in relations for text in relation.expressions.values()]
    if texts and takes_types:
        raise UsageError(f"{dialect}'s functions need plain column names, not {shortened(texts[0])}. Make a view.")
    for parsed in (expression_of(text, dialect) for text in texts):
        reserved = [name for name in parsed.reads if name.lower() in PARAMETERS] if parsed else []
        if reserved:
            raise UsageError(
                f"The column {reserved[0]!r} in an expression has the name of a column of the function. Make a view."
            )


def _keys(run: Relation) -> list[str]:
    """Return the columns of the result that identify a value."""
    keys = [*(["run_id"] if run.columns.get("run_id") else []), *run.query_labels]
    for key in keys:
        if unquoted(key).lower() in (*PARAMETERS, "value"):
            raise UsageError(f"The column {key} has the name of a column of the function. Rename it in a view.")
    return keys


def _reasons(left_out: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what is missing, and why."""
    return [f"Not there: {', '.join(names)}: {reason}" for reason, names in left_out.items()]

"""The public functions. The one module that puts the others together."""

from __future__ import annotations

import warnings as python_warnings
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import catalogue
from .catalogue import ResolvedMetric, resolve_metrics, resolve_options
from .checks import Checked, Checker
from .dialects import check_dialect, identifier, transpile, unquoted
from .engines.duckdb import DuckDB
from .errors import DataError, RankmetricsWarning, UsageError, nearest
from .inputs import Reader, Source, check_columns, labelled_qrels, map_columns, run_name, text_source
from .query import Group, Query
from .result import Comparison, Result, Table

# A query is counted rather than sorted where its judgments are this few (tests/bench shows both).
_MOST_JUDGMENTS_TO_COUNT = 20

_OUTPUT_NAMES = {"run_id": "run", "metric_value": "value"}
_FAULTS = ("n_faults", "n_ties_cut")


def evaluate(
    run: Any = None,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    recommendation_lists: Any = None,
    relevance_lists: Any = None,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    query_list: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    **options: Any,
) -> Result:
    """Scores one or more runs against judgments.

    Args:
        run: retrieved items: a table name, a file (TREC, CSV, Parquet, JSON lines), SQL text, a pandas, Polars or
            Arrow table, ``{query: {item: score}}``, ``{query: [item, ...]}`` or ``[[item, ...], ...]`` in the order
            of their ranks; or several: a list of files or tables, or ``{name: run}``.
        qrels: judgments in the same forms, with grades in place of scores; a list means grade 1.
        metrics: metric strings such as ``"ndcg@10"``, ``"ap(rel=2)"``; see ``metrics()``.
        recommendation_lists: another name for ``run`` where that is a list of lists.
        relevance_lists: another name for ``qrels`` where that is a list of lists.
        connection: a DuckDB connection that holds the tables; by default a new one in memory.
        columns: names of columns, ``{"item_id": "doc_id", "qrels.item_id": "document"}``; a list for a query
            that several columns name together.
        by: columns of the run, the judgments or the query list to break the summary down by.
        query_list: the queries to score: a file, table or list; others are left out.
        profile: a named set of options; see ``profiles()``.
        input_format: ``trec``, ``csv``, ``tsv``, ``parquet``, ``jsonl`` or ``json``, where a file's name does not say it.
        threads: how many threads our own DuckDB may use.
        memory_limit: how much memory our own DuckDB may use, such as ``"4GB"``.
        options: choices by name, such as ``ties="item_asc"``; see ``options()``.

    Returns:
        The result; its summary has been computed.

    Raises:
        UsageError: an unknown metric, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    run, qrels = (
        _either("run", run, "recommendation_lists", recommendation_lists),
        _either("qrels", qrels, "relevance_lists", relevance_lists),
    )
    _check_lengths(run, qrels)
    engine = DuckDB(connection, threads=threads, memory_limit=memory_limit)
    job = _Job(engine, metrics, options, profile, columns, input_format)
    return job.read("run", run, qrels, query_list, by).result()


def labelled(
    data: Any,
    metrics: str | Iterable[str] = (),
    *,
    qrels: Any = None,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    query_list: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    **options: Any,
) -> Result:
    """Scores one table that carries its labels: query, item, score or position, relevance.

    The ideal ranking and the number of relevant items come from the rows present; from ``qrels`` where those are
    given; or from a column ``n_relevant`` with the number of relevant items of the query, where those not in the list
    count as having the lowest relevant grade. A NULL relevance means that the item is not judged.

    Args:
        data: a table in any form that ``evaluate`` takes, or lists of grades in rank order, ``[[2, 3, 0], [1]]``.
        metrics: metric strings.
        qrels: judgments for the ideal ranking.
        connection: as in ``evaluate``, and so are the other arguments.
        columns: as in ``evaluate``; ``n_relevant`` and ``run_id`` may be named too.
        by: as in ``evaluate``.
        query_list: as in ``evaluate``.
        profile: as in ``evaluate``.
        input_format: as in ``evaluate``.
        threads: as in ``evaluate``.
        memory_limit: as in ``evaluate``.
        options: as in ``evaluate``.

    Returns:
        The result; its summary has been computed.

    Raises:
        UsageError: an unknown metric, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    if isinstance(data, list | tuple | Mapping) and qrels is None:
        qrels = labelled_qrels(data)
    engine = DuckDB(connection, threads=threads, memory_limit=memory_limit)
    job = _Job(engine, metrics, options, profile, columns, input_format)
    return job.read("labelled", data, qrels, query_list, by).result()


def compare(
    baseline: Any,
    candidates: Any,
    qrels: Any,
    metrics: str | Iterable[str] = (),
    *,
    baseline_name: str | None = None,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    query_list: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    **options: Any,
) -> Comparison:
    """Compares runs with a baseline, paired by query.

    Args:
        baseline: a run, as in ``evaluate``.
        candidates: ``{name: run}``, a list of files or tables, or one run.
        qrels: judgments, as in ``evaluate``.
        metrics: metric strings.
        baseline_name: what to call the baseline; by default the name of its file or table, or ``baseline``.
        connection: as in ``evaluate``, and so are the other arguments.
        columns: as in ``evaluate``.
        by: as in ``evaluate``.
        query_list: as in ``evaluate``.
        profile: as in ``evaluate``.
        input_format: as in ``evaluate``.
        threads: as in ``evaluate``.
        memory_limit: as in ``evaluate``.
        options: as in ``evaluate``.

    Returns:
        A row per candidate and metric.

    Raises:
        UsageError: an unknown metric, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    engine = DuckDB(connection, threads=threads, memory_limit=memory_limit)
    job = _Job(engine, metrics, options, profile, columns, input_format)
    named = _named_candidates(candidates)
    name = baseline_name or (run_name(baseline) if isinstance(baseline, str | Path) else "baseline")
    if name in named:
        raise UsageError(
            f"The baseline and a candidate are both called {name!r}; name the candidates with {{name: run}}."
        )
    return job.read("run", {name: baseline} | named, qrels, query_list, by).comparison(name)


def sql(
    metrics: str | Iterable[str],
    run: str | Mapping[str, str] | None = None,
    qrels: str | None = None,
    *,
    labelled: str | None = None,
    dialect: str = "duckdb",
    level: str = "summary",
    baseline: str | None = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    query_list: str | None = None,
    profile: str | None = None,
    **options: Any,
) -> str:
    """The text of a statement, without a connection.

    Args:
        metrics: metric strings.
        run: a table name or query, or several by name.
        qrels: a table name or query with the judgments.
        labelled: a table that carries its labels, instead of ``run``.
        dialect: whose SQL to write; duckdb is executed in our tests, the others are translated.
        level: ``summary``, ``per_query`` or ``compare``.
        baseline: for ``compare``, the name of the run that the others are compared with; by default the first.
        columns: names of columns, as in ``evaluate``; nothing is looked up, so all must be given that are not the default.
        by: columns to group by, of the judgments unless written ``run.market``.
        query_list: a table name or query with the queries to score.
        profile: as in ``evaluate``.
        options: as in ``evaluate``.

    Raises:
        UsageError: something asked for is unknown, or the dialect cannot express it.
    """
    if level not in ("summary", "per_query", "compare"):
        raise UsageError(f"Unknown level {level!r}. {nearest(level, ['summary', 'per_query', 'compare'])}")
    return _Text(metrics, options, profile, check_dialect(dialect), dict(columns or {})).write(
        labelled if labelled is not None else run,
        qrels,
        "labelled" if labelled is not None else "run",
        query_list,
        by,
        level,
        baseline,
    )


def metrics() -> dict[str, dict[str, Any]]:
    """Every metric by name: title, summary, aliases, parameters, source, range and examples."""
    found = {}
    for name, metric in catalogue.metrics().items():
        params = {
            param.name: {"type": param.type, "default": param.default, "values": list(param.values), "help": param.help}
            for param in metric.params.values()
        }
        found[name] = {
            "title": metric.title, "summary": metric.summary, "aliases": list(metric.aliases), "params": params, "source": metric.source,
            "range": None if metric.range is None else list(metric.range), "better": metric.better, "aggregate": metric.aggregate,
            "examples": [dict(example) for example in metric.examples],
        }  # fmt: skip
    return found


def options() -> dict[str, dict[str, Any]]:
    """Every option by name: default, values and help."""
    return {
        name: {"default": option.default, "values": list(option.values), "help": option.help}
        for name, option in catalogue.options().items()
    }


def profiles() -> dict[str, dict[str, Any]]:
    """Every profile by name: title, source, note and options."""
    return {name: dict(profile) for name, profile in catalogue.profiles().items()}


class _Job:
    """One evaluation in a database, from the inputs to the result."""

    def __init__(
        self,
        engine: DuckDB,
        metrics: str | Iterable[str],
        options: Mapping[str, Any],
        profile: str | None,
        columns: Mapping[str, Any] | None,
        input_format: str | None,
    ) -> None:
        self._engine = engine
        self._options = resolve_options(options, profile)
        self._metrics = resolve_metrics(metrics, self._options)
        self._columns = dict(columns or {})
        self._reader = Reader(engine, input_format)
        self._warnings: list[str] = []
        # The result's tables hold on to this job, so what was loaded lasts as long as they do.
        weakref.finalize(self, engine.forget, self._reader.left)

    def read(self, kind: str, run: Any, qrels: Any, query_list: Any, by: str | Sequence[str]) -> _Job:
        """Reads and checks the inputs."""
        if kind == "run" and qrels is None:
            raise UsageError("No qrels given. A table that carries its labels is scored by labelled().")
        runs = self._reader.runs(run, kind)
        judgments = self._reader.one(qrels, "qrels") if qrels is not None else None
        selected = self._reader.one(query_list, "queries") if query_list is not None else None
        if kind == "labelled" and len(runs) > 1:
            raise UsageError(
                "labelled() scores one table; several systems in it are told apart by columns={'run_id': ...}."
            )
        sources = {"run": runs[0], "qrels": judgments, "queries": selected}
        check_columns(self._columns, {role: source for role, source in sources.items() if source is not None})
        position = self._options["ties"] == "rank"
        mapped = [Checked(source, map_columns(source, kind, self._columns, position=position), kind) for source in runs]
        truth = Checked(judgments, map_columns(judgments, "qrels", self._columns), "qrels") if judgments else None
        self._build(mapped, truth, selected, _as_list(by))
        return self

    def _build(self, runs: list[Checked], qrels: Checked | None, selected: Source | None, by: list[str]) -> None:
        _check_options(self._options, runs)
        sides = {"run": runs[0].source, "qrels": qrels.source if qrels else None, "selected": selected}
        labels = runs[0].input.columns["query_id"]
        for checked in [*runs, *([qrels] if qrels else [])]:
            if len(checked.input.columns["query_id"]) != len(labels):
                raise UsageError("A query must be named by the same number of columns in the run and the qrels.")
        self.query = Query(
            runs=[checked.input for checked in runs],
            metrics=self._metrics,
            options=self._options,
            qrels=qrels.input if qrels else None,
            selected=map_columns(selected, "queries", self._columns) if selected else None,
            groups=[_group(column, sides) for column in by],
            query_labels=labels if len(labels) > 1 else ["query_id"],
            check=str(self._options["check"]),
        )
        _check_group_names(self.query)
        self._checker = Checker(self._engine, runs, qrels, self.query)
        self._checker.before()
        if self.query.check == "full":
            self._warnings += self._checker.full()
        else:
            part = "only judged items are" if self.query.check == "judged" else "nothing is"
            self._warnings.append(f"check={self.query.check}: {part} checked for duplicates and bad scores.")
        self.query = replace(self.query, strategy=self._strategy(runs, qrels))

    def _strategy(self, runs: list[Checked], qrels: Checked | None) -> str:
        """The strategy asked for; else counting where a table or file, not a query, has few judgments a query."""
        wanted = str(self._options["strategy"])
        if self._options["position"] == "given":
            return "window"
        if wanted != "auto" or qrels is None or any(run.input.is_query for run in runs) or qrels.input.is_query:
            return "window" if wanted == "auto" else wanted
        return "count" if self._checker.judgments_per_query() <= _MOST_JUDGMENTS_TO_COUNT else "window"

    def result(self) -> Result:
        """Runs the summary; the values per query run when they are asked for."""
        text = self.query.sql("summary")
        columns, rows = self._engine.fetch(text)
        columns, rows = self._without_faults(columns, rows)
        self._check_nothing_in_common(columns, rows)
        order = {name: number for number, name in enumerate(run.name for run in self.query.runs)}
        if columns[0] == "run" and len(order) > 1:
            rows.sort(key=lambda row: order[row[0]])
        per_query = Table(
            lambda: self.query.sql("per_query"), lambda statement: self._without_faults(*self._engine.fetch(statement))
        )
        names = {metric.label: metric.column for metric in self._metrics}
        return Result(Table(lambda: text, lambda _: (columns, rows)), per_query, text, self._warn(), names)

    def comparison(self, baseline: str) -> Comparison:
        """Runs the comparison."""
        text = replace(self.query, baseline=baseline, check="none").sql("compare")
        columns, rows = self._engine.fetch(text)
        table = Table(lambda: text, lambda _: ([_OUTPUT_NAMES.get(name, name) for name in columns], rows))
        order = {run.name: number for number, run in enumerate(self.query.runs)}
        rows.sort(key=lambda row: order[row[0]])
        return Comparison(table, text, self._warn())

    def _warn(self) -> list[str]:
        for message in self._warnings:
            python_warnings.warn(message, RankmetricsWarning, stacklevel=4)
        return self._warnings

    def _without_faults(
        self, columns: list[str], rows: Sequence[tuple[Any, ...]]
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Takes the columns that count faults off the result, and refuses or warns by what they say."""
        places = {name: columns.index(name) for name in _FAULTS if name in columns}
        if "n_faults" in places and any(row[places["n_faults"]] for row in rows):
            self._checker.refuse_faults()
            raise DataError(
                "Some judged rows are duplicated or have no score, but a second look did not find them: does the input change?"
            )
        self._warn_of_ties(rows, places.get("n_ties_cut"))
        width = len(columns) - len(places)
        return [_OUTPUT_NAMES.get(name, name) for name in columns[:width]], [row[:width] for row in rows]

    def _warn_of_ties(self, rows: Sequence[tuple[Any, ...]], place: int | None) -> None:
        """Once, from the summary, whose rows repeat the count of their run and group for every metric."""
        if place is None or any("equal scores" in warning for warning in self._warnings):
            return
        cut = sum(row[place] or 0 for row in rows) // len(self._metrics)
        if cut:
            rule = self._options["ties"]
            self._warnings.append(
                f"{cut:,} {'query has' if cut == 1 else 'queries have'} items of equal scores on both sides of a cutoff k; ties={rule} decides which count."
            )

    def _check_nothing_in_common(self, columns: list[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Where all is 0 and nothing was looked at before, the likeliest cause is that no query id matches."""
        place = columns.index("value")
        if self.query.check != "full" and not any(row[place] for row in rows):
            self._warnings += self._checker.overlaps()


class _Text:
    """A statement that is only written."""

    def __init__(
        self,
        metrics: str | Iterable[str],
        options: Mapping[str, Any],
        profile: str | None,
        dialect: str,
        columns: dict[str, Any],
    ) -> None:
        self._options = resolve_options(options, profile)
        self._metrics: list[ResolvedMetric] = resolve_metrics(metrics, self._options)
        self._dialect = dialect
        self._columns = columns
        self._relations: dict[str, str] = {}

    def write(
        self,
        run: Any,
        qrels: str | None,
        kind: str,
        query_list: str | None,
        by: str | Sequence[str],
        level: str,
        baseline: str | None,
    ) -> str:
        """The statement."""
        if qrels is None and kind == "run":
            raise UsageError("qrels is missing: the table or query with the judgments.")
        if run is None:
            raise UsageError("run is missing: the table or query with the retrieved items.")
        check_columns(self._columns, {})
        names = list(run) if isinstance(run, Mapping) else [None]
        texts = list(run.values()) if isinstance(run, Mapping) else [run]
        runs = [
            self._input(text, kind, f"run_{number}", name)
            for number, (text, name) in enumerate(zip(texts, names, strict=True), start=1)
        ]
        if level == "compare" and len(runs) < 2:
            raise UsageError("compare needs at least two runs, by name.")
        if baseline is not None and baseline not in names:
            raise UsageError(f"There is no run called {baseline!r}. {nearest(baseline, map(str, names))}")
        query = Query(
            runs=runs,
            metrics=self._metrics,
            options=self._options,
            qrels=self._input(qrels, "qrels", "qrels") if qrels is not None else None,
            selected=self._input(query_list, "queries", "queries") if query_list is not None else None,
            groups=[self._group(column, kind) for column in _as_list(by)],
            query_labels=runs[0].columns["query_id"] if len(runs[0].columns["query_id"]) > 1 else ["query_id"],
            baseline=baseline if baseline is not None else names[0],
            strategy="count" if self._options["strategy"] == "count" else "window",
        )
        _check_group_names(query)
        text = query.sql(level)
        return text if self._dialect == "duckdb" else transpile(text, self._dialect, self._relations)

    def _input(self, text: Any, kind: str, placeholder: str, name: str | None = None) -> Any:
        source = text_source(text, kind, self._dialect, name)
        mapped = map_columns(source, kind, self._columns, position=self._options["ties"] == "rank")
        if self._dialect == "duckdb":
            return mapped
        self._relations[f"rankmetrics_input_{placeholder}"] = source.relation
        return replace(mapped, relation=f"rankmetrics_input_{placeholder}")

    def _group(self, column: str, kind: str) -> Group:
        side, _, name = column.rpartition(".")
        relation = {"run": "run", "qrels": "qrels", "queries": "selected"}.get(
            side, "run" if kind == "labelled" else "qrels"
        )
        return Group(identifier(name), identifier(name), relation)


def _either(name: str, value: Any, other_name: str, other: Any) -> Any:
    if value is not None and other is not None:
        raise UsageError(f"{name} and {other_name} are two names of one thing; give one of them.")
    return other if value is None else value


def _check_lengths(run: Any, qrels: Any) -> None:
    lists = isinstance(run, list | tuple) and isinstance(qrels, list | tuple)
    if lists and len(run) != len(qrels) and not all(isinstance(item, str | Path) for item in run):
        raise UsageError(
            f"There are {len(run)} lists of recommendations and {len(qrels)} of relevant items; they go in pairs."
        )


def _check_options(chosen: Mapping[str, Any], runs: Sequence[Checked]) -> None:
    """Refuses options that contradict each other or the input."""
    has_score = all(run.input.columns.get("score") for run in runs)
    if any(bool(run.input.columns.get("score")) != has_score and runs[0].input.columns.get("score") for run in runs):
        raise UsageError(
            "Some runs have scores and some have positions only; give each a position with columns={'position': ...}."
        )
    if chosen["position"] == "given" and has_score:
        raise UsageError(
            "position=given needs a run with positions instead of scores; name them with columns={'position': ...}."
        )
    if chosen["position"] == "given" and chosen["strategy"] == "count":
        raise UsageError("strategy=count finds ranks; position=given has them. Give one of the two.")


def _named_candidates(candidates: Any) -> dict[str, Any]:
    if isinstance(candidates, Mapping):
        return {str(name): run for name, run in candidates.items()}
    if isinstance(candidates, str | Path):
        return {run_name(candidates): candidates}
    if isinstance(candidates, list | tuple) and all(isinstance(run, str | Path) for run in candidates):
        names = [run_name(run) for run in candidates]
        if len(set(names)) < len(names):
            raise UsageError(f"Two candidates have the same name: {', '.join(names)}; name them with {{name: run}}.")
        return dict(zip(names, candidates, strict=True))
    return {"candidate": candidates}


def _group(column: str, sources: Mapping[str, Source | None]) -> Group:
    """The relation that has the column: the query list, else the judgments, else the run."""
    there: list[str] = []
    for relation in ("selected", "qrels", "run"):
        source = sources[relation]
        found = source.find(unquoted(column)) if source is not None else None
        if found is not None:
            return Group(identifier(unquoted(column)), identifier(found), relation)
        there += list(source.types or ()) if source is not None else []
    raise DataError(f"by: no column {column!r} in the run, the judgments or the query list. {nearest(column, there)}")


def _check_group_names(query: Query) -> None:
    taken = [
        "run",
        "run_id",
        "metric",
        "value",
        "metric_value",
        "n_queries",
        *query.query_labels,
        *(metric.column for metric in query.metrics),
        *_FAULTS,
    ]
    for group in query.groups:
        if unquoted(group.label) in taken:
            raise UsageError(
                f"by: a column called {unquoted(group.label)!r} would stand twice in the result; rename it in a query."
            )
        taken.append(unquoted(group.label))


def _as_list(value: str | Sequence[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)

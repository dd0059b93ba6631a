"""The public functions. They put the others together and compute nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .databases import open_engine
from .definitions import catalogue
from .definitions.arguments import check_arguments
from .definitions.choices import Choices, ResolvedMetric, resolve_curve, resolve_metrics, resolve_options
from .dialects import check_dialect
from .errors import UsageError, nearest, shortened
from .evaluation.explanation import Question
from .evaluation.job import Job
from .evaluation.text import Statement
from .evaluation.text import header as statement_header
from .functions.installation import Installation
from .inputs.objects import labelled_qrels, maps_names, without_arrays
from .inputs.strings import run_name
from .results.result import Comparison, Curve, Explanation, Result

if TYPE_CHECKING:
    from .databases.answers import Estimate


def evaluate(
    run: Any = None,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    recommendation_lists: Any = None,
    relevance_lists: Any = None,
    connection: Any = None,
    database: str | None = None,
    dialect: str | None = None,
    materialize: str | None = None,
    timeout: float | None = None,
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
        connection: where the tables are and the statements run: a DuckDB, SQLAlchemy, DB-API or ADBC connection, a
            Spark session, a ClickHouse client, an ibis backend; by default a new DuckDB in memory. Of a DuckDB
            connection a cursor is used, unless it has something that a cursor does not see: something temporary,
            settings, or an open transaction, which a statement that fails while it runs then aborts.
        database: instead of a connection a URL such as ``"postgresql://host/db"``, or a DuckDB file; opened for
            reading, unless ``materialize`` is given, and closed again.
        dialect: whose SQL the connection speaks, where that cannot be recognised, such as ``"redshift"``.
        materialize: a schema of the warehouse in which files and Python objects are stored for the evaluation, and
            SQL text is run once; ``"temp"`` for temporary tables. Without it nothing is written there.
        timeout: the seconds that a statement may take.
        columns: names of columns, ``{"item_id": "doc_id", "qrels.item_id": "document"}``; a list for a query
            that several columns name together.
        by: columns to break the summary down by: the query list's, else the judgments', else the run's; ``run.``,
            ``qrels.`` or ``queries.`` before the name of one says which.
        query_list: the queries to score: a file, table or list; others are left out.
        profile: a named set of options; see ``profiles()``.
        input_format: ``trec``, ``csv``, ``tsv``, ``parquet``, ``jsonl`` or ``json`` for all files, not by their names.
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
    check_arguments(locals())
    run, qrels = (
        _either("run", run, "recommendation_lists", recommendation_lists),
        _either("qrels", qrels, "relevance_lists", relevance_lists),
    )
    run, qrels = without_arrays(run, "run"), without_arrays(qrels, "qrels")
    _check_lengths(run, qrels)
    with open_engine(connection, database, dialect, materialize, timeout, threads, memory_limit) as engine:
        choices = resolve_options(options, profile)
        job = Job(engine, resolve_metrics(metrics, choices), choices, columns, input_format)
        return job.read("run", run, qrels, query_list, _as_list(by)).result()


def labelled(
    data: Any,
    metrics: str | Iterable[str] = (),
    *,
    qrels: Any = None,
    connection: Any = None,
    database: str | None = None,
    dialect: str | None = None,
    materialize: str | None = None,
    timeout: float | None = None,
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
    count as having the lowest relevant grade. A NULL relevance means that the item is not judged. A table with a score
    and a position is ordered by its score, unless ``columns`` names the position only.

    Args:
        data: a table in any form that ``evaluate`` takes, or lists of grades in rank order, ``[[2, 3, 0], [1]]``.
        metrics: metric strings.
        qrels: judgments for the ideal ranking.
        connection: as in ``evaluate``, and so are the other arguments.
        database: as in ``evaluate``.
        dialect: as in ``evaluate``.
        materialize: as in ``evaluate``.
        timeout: as in ``evaluate``.
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
    check_arguments(locals())
    data = without_arrays(data, "labelled")
    if isinstance(data, list | tuple | Mapping) and qrels is None:
        qrels = labelled_qrels(data)
    with open_engine(connection, database, dialect, materialize, timeout, threads, memory_limit) as engine:
        choices = resolve_options(options, profile)
        job = Job(engine, resolve_metrics(metrics, choices), choices, columns, input_format)
        return job.read("labelled", data, qrels, query_list, _as_list(by)).result()


def compare(
    baseline: Any,
    candidates: Any,
    qrels: Any,
    metrics: str | Iterable[str] = (),
    *,
    baseline_name: str | None = None,
    connection: Any = None,
    database: str | None = None,
    dialect: str | None = None,
    materialize: str | None = None,
    timeout: float | None = None,
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
        database: as in ``evaluate``.
        dialect: as in ``evaluate``.
        materialize: as in ``evaluate``.
        timeout: as in ``evaluate``.
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
    check_arguments(locals())
    named = _named_candidates(without_arrays(candidates, "run"))
    if not named:
        raise UsageError("There is no candidate to compare with the baseline.")
    name = baseline_name or (run_name(baseline) if isinstance(baseline, str | Path) else "baseline")
    if name in named:
        raise UsageError(
            f"The baseline and a candidate are both called {name!r}; name the candidates with {{name: run}}."
        )
    with open_engine(connection, database, dialect, materialize, timeout, threads, memory_limit) as engine:
        choices = resolve_options(options, profile)
        job = Job(engine, resolve_metrics(metrics, choices), choices, columns, input_format)
        return job.read("run", {name: baseline} | named, qrels, query_list, _as_list(by), "compare").comparison(name)


_LEVELS = ("summary", "per_query", "compare", "curve", "curve_per_query", "points")

# The recall levels of trec_eval's iprec_at_recall; cutoffs that people ask for.
_ALONG: Mapping[str, Sequence[float]] = {
    "recall": [level / 10 for level in range(11)],
    "k": [1, 2, 3, 5, 10, 20, 50, 100],
}


def curve(
    run: Any,
    qrels: Any,
    metric: str,
    *,
    along: str = "k",
    at: Sequence[float] | None = None,
    connection: Any = None,
    database: str | None = None,
    dialect: str | None = None,
    materialize: str | None = None,
    timeout: float | None = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    query_list: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    **options: Any,
) -> Curve:
    """A metric along one of its parameters, or a curve with points of its own such as ``pr_curve``.

    Args:
        run: one or more runs, as in ``evaluate``.
        qrels: judgments, as in ``evaluate``.
        metric: a metric string: ``ap`` along ``k``, ``iprec`` along ``recall``, or ``pr_curve``.
        along: the parameter that x is.
        at: its values; by default some cutoffs, or the eleven recall levels.
        connection: as in ``evaluate``, and so are the other arguments.
        database: as in ``evaluate``.
        dialect: as in ``evaluate``.
        materialize: as in ``evaluate``.
        timeout: as in ``evaluate``.
        columns: as in ``evaluate``.
        by: as in ``evaluate``.
        query_list: as in ``evaluate``.
        profile: as in ``evaluate``.
        input_format: as in ``evaluate``.
        threads: as in ``evaluate``.
        memory_limit: as in ``evaluate``.
        options: as in ``evaluate``.

    Raises:
        UsageError: an unknown metric, parameter, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    check_arguments(locals())
    choices = resolve_options(options, profile)
    resolved = _resolve_curve(metric, along, at, choices)
    with open_engine(connection, database, dialect, materialize, timeout, threads, memory_limit) as engine:
        return (
            Job(engine, resolved, choices, columns, input_format)
            .read("run", run, qrels, query_list, _as_list(by), "curve")
            .curve()
        )


def explain(
    run: Any,
    qrels: Any,
    metric: str,
    *,
    profile: str,
    against: str = "trec_eval",
    connection: Any = None,
    database: str | None = None,
    dialect: str | None = None,
    materialize: str | None = None,
    timeout: float | None = None,
    columns: Mapping[str, Any] | None = None,
    query_list: Any = None,
    input_format: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    **options: Any,
) -> Explanation:
    """Explains why two profiles give a metric two values: the choices that differ, and what each does alone.

    Args:
        run: one run, as in ``evaluate``.
        qrels: judgments, as in ``evaluate``.
        metric: one metric string, which both profiles must understand alike.
        profile: the profile to explain.
        against: the profile that it is compared with.
        connection: as in ``evaluate``, and so are the other arguments.
        database: as in ``evaluate``.
        dialect: as in ``evaluate``.
        materialize: as in ``evaluate``.
        timeout: as in ``evaluate``.
        columns: as in ``evaluate``.
        query_list: as in ``evaluate``.
        input_format: as in ``evaluate``.
        threads: as in ``evaluate``.
        memory_limit: as in ``evaluate``.
        options: choices that both sides share.

    Raises:
        UsageError: an unknown metric, option, profile or value, or two different metrics.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    check_arguments(locals())
    question = Question(metric, profile, against, options)
    with open_engine(connection, database, dialect, materialize, timeout, threads, memory_limit) as engine:
        job = Job(engine, question.metrics, question.choices, columns, input_format).read(
            "run", run, qrels, query_list, []
        )
        if len(job.query.runs) > 1:
            raise UsageError("explain takes one run.")
        return question.answer(job.result())


def sql(
    metrics: str | Iterable[str],
    run: str | Mapping[str, str] | None = None,
    qrels: str | None = None,
    *,
    labelled: str | None = None,
    connection: Any = None,
    database: str | None = None,
    dialect: str | None = None,
    level: str = "summary",
    baseline: str | None = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    query_list: str | None = None,
    profile: str | None = None,
    along: str = "k",
    at: Sequence[float] | None = None,
    header: bool = True,
    **options: Any,
) -> str:
    """The text of a statement, which is not run.

    With a connection the columns are looked up. Without one, those that nobody names are assumed: ``query_id``,
    ``item_id``, ``score``, ``relevance``; the statement's header says which.

    Args:
        metrics: metric strings.
        run: a table name or query, or several by name.
        qrels: a table name or query with the judgments.
        labelled: a table that carries its labels, instead of ``run``.
        connection: where the columns are looked up, as in ``evaluate``.
        database: or a URL or DuckDB file instead.
        dialect: whose SQL to write; by default the connection's, else duckdb's.
        level: ``summary``, ``per_query`` or ``compare``; ``curve`` or ``curve_per_query`` for one metric along a
            parameter, ``points`` for a curve that has points of its own. A statement cannot refuse, as ``compare()``
            does, where runs have results for no common query: it then compares means over queries that one of them did
            not answer, or has no row with ``queries="judged_retrieved"``, which pairs common ones only.
        baseline: for ``compare``, the name of the run that the others are compared with; by default the first.
        columns: names of columns, as in ``evaluate``; without a connection, name all that are not the default.
        by: columns to break the summary down by, as in ``evaluate``; without a connection, one is taken to be in the
            query list, else in the judgments, unless written ``run.market``.
        query_list: a table name or query with the queries to score.
        profile: as in ``evaluate``.
        along: for ``curve``, as in ``curve()``.
        at: for ``curve``, as in ``curve()``.
        header: whether to begin with a comment that names the version, metrics, profile and options.
        options: as in ``evaluate``.

    Raises:
        UsageError: something asked for is unknown, or the dialect cannot express it.
        DataError: a table or column is not there.
    """
    check_arguments(locals())
    if labelled is not None and run is not None:
        raise UsageError("run and labelled exclude each other: the table carries the run.")
    if level not in _LEVELS:
        raise UsageError(f"Unknown level {level!r}. {nearest(level, _LEVELS)}")
    choices = resolve_options(options, profile)
    curve = level not in _LEVELS[:3]
    resolved = _resolve_curve(metrics, along, at, choices) if curve else resolve_metrics(metrics, choices)
    if curve and (level == "points") != (resolved[0].metric.shape == "curve"):
        own = "points" if level != "points" else "curve or curve_per_query"
        raise UsageError(f"Metric {resolved[0].label!r} has no level {level}; take level={own}.")
    with contextlib.ExitStack() as opened:
        engine = None
        if connection is not None or database is not None:
            engine = opened.enter_context(open_engine(connection, database, dialect))
        dialect = check_dialect(dialect or "duckdb") if engine is None else engine.dialect
        statement = Statement(resolved, choices, dialect, columns if columns is not None else {}, engine)
        text = statement.write(
            labelled if labelled is not None else run,
            qrels,
            "labelled" if labelled is not None else "run",
            query_list,
            _as_list(by),
            level,
            baseline,
        )
    return statement_header(resolved, choices, f"{level} for {dialect}", statement.assumed) + text if header else text


def estimate(
    statement: str,
    *,
    connection: Any = None,
    database: str | None = None,
    dialect: str | None = None,
) -> Estimate | None:
    """What an engine says that a statement would read. The statement is planned there, and not run.

    Args:
        statement: its text, such as ``sql`` gives it in the engine's dialect.
        connection: as in ``evaluate``.
        database: as in ``evaluate``.
        dialect: as in ``evaluate``.

    Returns:
        The rows and bytes to be read, None where the engine does not say, and the engine's own words; None where the
        engine says nothing at all.

    Raises:
        UsageError: there is no connection, or nothing is known of it, or the statement is not one query.
        DatabaseError: the database refused the statement.
    """
    check_arguments(locals())
    if connection is None and database is None:
        raise UsageError("An estimate is the database's; give it with connection= or database=.")
    with open_engine(connection, database, dialect) as engine:
        return engine.estimate(statement)


def install(
    metrics: str | Iterable[str] = (),
    *,
    dialect: str | None = None,
    connection: Any = None,
    database: str | None = None,
    schema: str | None = None,
    remove: bool = False,
    columns: Mapping[str, Any] | None = None,
    profile: str | None = None,
    **options: Any,
) -> str:
    """Functions such as ``rankmetrics_ndcg('runs', 'qrels', 10)`` inside a database, for those who have SQL only.

    A function gives a row per query; its cutoff is a parameter unless the metric string fixes it. All other choices are
    fixed here. The script's header says how the functions are called.

    Args:
        metrics: metric strings; by default every metric that can be a function there.
        dialect: whose SQL to write; not needed with a connection that says it.
        connection: where to create them, as in ``evaluate``; by default nothing is created.
        database: or a URL or DuckDB file instead, opened for writing.
        schema: where in the database they are to be.
        remove: whether to remove them instead.
        columns: names of columns, as in ``evaluate``; nothing is looked up, so name all that are not the default.
        profile: as in ``evaluate``.
        options: as in ``evaluate``.

    Returns:
        The script, which has run if there is a connection or a database, and all of it where CREATE is transactional.

    Raises:
        UsageError: something asked for is unknown, or cannot be a function.
        DatabaseError: the database refused a statement.
    """
    check_arguments(locals())
    wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    choices = resolve_options(options, profile)
    columns = columns if columns is not None else {}
    if connection is None and database is None:
        if dialect is None:
            raise UsageError("Whose functions? Name a dialect, such as postgres, or give a database.")
        return Installation(check_dialect(dialect), choices, columns, schema).script(wanted, remove=remove).text
    with open_engine(connection, database, dialect) as engine:
        script = Installation(engine.dialect, choices, columns, schema).script(wanted, remove=remove)
        engine.change(script.statements)
    return script.text


def metrics() -> dict[str, dict[str, Any]]:
    """Every metric by name: title, summary, aliases, parameters, source, range and examples."""
    found = {}
    for name, metric in catalogue.metrics().items():
        params = {
            param.name: {
                "type": param.type,
                "default": param.default,
                "required": param.required,
                "values": list(param.values),
                "help": param.help,
            }
            for param in metric.params.values()
        }
        found[name] = {
            "title": metric.title,
            "summary": metric.summary,
            "aliases": [*metric.aliases, *metric.spellings],
            "params": params,
            "source": metric.source,
            "range": None if metric.range is None else list(metric.range),
            "better": metric.better,
            "aggregate": metric.aggregate,
            "examples": [dict(example) for example in metric.examples],
        }
    return found


def options() -> dict[str, dict[str, Any]]:
    """Every option by name: default, values and help."""
    return {
        name: {"default": option.default, "values": list(option.values), "help": option.help}
        for name, option in catalogue.options().items()
    }


def profiles() -> dict[str, dict[str, Any]]:
    """Every profile by name: title, source, note and options."""
    return {name: asdict(profile) for name, profile in catalogue.profiles().items()}


def _resolve_curve(
    metrics: str | Iterable[str], along: str, at: Sequence[float] | None, choices: Choices
) -> list[ResolvedMetric]:
    texts = [metrics] if isinstance(metrics, str) else list(metrics)
    if len(texts) != 1:
        raise UsageError("A curve is of one metric.")
    if (at is not None and not isinstance(at, Iterable)) or isinstance(at, str) or getattr(at, "shape", None) == ():
        raise UsageError(f"at is a list of numbers, not {shortened(at)}.")
    return resolve_curve(texts[0], along, _ALONG.get(along, ()) if at is None else list(at), choices)


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


def _named_candidates(candidates: Any) -> dict[str, Any]:
    if isinstance(candidates, Mapping) and (maps_names(candidates) or not candidates):
        if len({str(name) for name in candidates}) < len(candidates):
            raise UsageError(f"Two candidates have the same name: {', '.join(map(str, candidates))}.")
        return {str(name): run for name, run in candidates.items()}
    if isinstance(candidates, str | Path):
        return {run_name(candidates): candidates}
    if isinstance(candidates, list | tuple) and all(isinstance(run, str | Path) for run in candidates):
        names = [run_name(run) for run in candidates]
        if len(set(names)) < len(names):
            raise UsageError(f"Two candidates have the same name: {', '.join(names)}; name them with {{name: run}}.")
        return dict(zip(names, candidates, strict=True))
    return {"candidate": candidates}


def _as_list(value: str | Sequence[str]) -> list[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise UsageError(f"by is a column name or a list of them, not {shortened(value)}.")
    return list(names)

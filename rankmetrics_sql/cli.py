"""The command line. Reads arguments, calls the public functions, prints; knows nothing else."""

from __future__ import annotations

import codecs
import contextlib
import errno
import glob
import io
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .errors import DatabaseError, DataError, RankmetricsError, RankmetricsWarning, UsageError, nearest
from .results import report

if TYPE_CHECKING:
    from .results.result import Table

_FORMATS = click.Choice(report.FORMATS)
_DEMO_METRICS = ("nDCG@10", "P@5", "AP", "RR", "Bpref", "R@1000")

Command = Callable[..., Any]


class _Group(click.Group):
    """Turns every error into a line or two on standard error, and its kind into the exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        if sys.stdout is None:
            sys.stdout = _Closed()
        try:
            return super().main(*args, **kwargs)
        except RankmetricsError as error:
            _complain(error)
            sys.exit(error.exit_code)
        except BrokenPipeError:
            _forget_output()
            sys.exit(1)
        except OSError as error:
            _complain(DataError(f"{error.filename or 'output'}: {error.strerror or error}."))
            _forget_output()
            sys.exit(1)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None:
            raise UsageError(f"Unknown command {args[0]!r}. {nearest(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


def _echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Prints; where the stream's encoding lacks a character, dashes stand for lines and JSON's escapes for others."""
    encoding = getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"
    shown = text.encode(encoding, _escaping.__name__).decode(encoding)
    if not err and shown != text.replace("\u2500", "-") and shown != text:
        message = f"standard output is {encoding}: escapes stand for characters that it lacks; --output writes UTF-8."
        click.echo(f"rankmetrics: warning: {message}", err=True)
    click.echo(shown, err=err, nl=nl)


def _escaping(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that cannot be encoded."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join("-" if mark == "\u2500" else json.dumps(mark)[1:-1] for mark in lacking), error.end


codecs.register_error(_escaping.__name__, _escaping)


class _Closed(io.TextIOBase):
    """Standard output that was closed before we began: what is printed would be lost without a word."""

    def write(self, _text: str) -> int:
        raise OSError(errno.EBADF, "it is closed", "standard output")


def _forget_output() -> None:
    """Python writes at its end what standard output did not take, and would complain of it once more."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(error: RankmetricsError) -> None:
    _echo(f"rankmetrics: {error}", err=True)
    if isinstance(error, DatabaseError) and "--verbose" in sys.argv:
        _echo(error.sql, err=True)


def _options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_metric = click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    required=True,
    metavar="METRIC",
    help="Such as nDCG@10, ap, 'rbp(p=0.8)'; may be repeated.",
)
_profile = click.option("--profile", metavar="NAME", help="A named set of options.")
_set = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    help="A choice by name, such as ties=item_asc; may be repeated.",
)
_by = click.option("--by", multiple=True, metavar="COLUMN", help="Break the summary down by a column; may be repeated.")
_columns = _options(
    click.option(
        "--columns",
        multiple=True,
        metavar="NAME=COLUMN,...",
        help="Your column names: item_id=doc_id,qrels.item_id=document; query_id= again for several columns together.",
    ),
    click.option(
        "--position",
        metavar="COLUMN",
        help="The column that orders a run, 1 for the first item, where there is no score: --columns position=COLUMN.",
    ),
)

_url = click.option(
    "--database",
    metavar="URL",
    help="Where the tables are: postgresql://..., snowflake://..., a DuckDB file; only read unless told otherwise.",
)
_database = _options(
    _url,
    click.option("--dialect", metavar="NAME", help="Whose SQL the database speaks, where the URL cannot say it."),
    click.option(
        "--materialize",
        metavar="SCHEMA",
        help="Store files there for the evaluation, and run SQL text once; temp for temporary tables.",
    ),
    click.option("--timeout", type=float, metavar="SECONDS", help="How long a statement may take."),
)
_into = _options(
    click.option("--into", metavar="NAME", help="Leave the result in this table of --database, whole or not at all."),
    click.option("--replace", is_flag=True, help="Let --into replace a table of that name."),
)
_input_format = click.option(
    "--input-format",
    metavar="NAME",
    help="trec, csv, tsv, parquet, jsonl or json for all files, instead of going by their names.",
)
_threads = click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Threads that DuckDB may use.")
_memory_limit = click.option("--memory-limit", metavar="SIZE", help="Memory that DuckDB may use, such as 4GB.")
_verbose = click.option("--verbose", is_flag=True, help="Print the SQL that runs, on standard error.")

_scoring = _options(
    _metric,
    _profile,
    _set,
    _by,
    click.option("--queries", "query_list", metavar="FILE", help="Score only the queries that this file lists."),
    _database,
    _into,
    _columns,
    click.option(
        "--format", "form", type=_FORMATS, help="How to print the result; by default as --output ends, else a table."
    ),
    click.option(
        "--output",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the result to a file, whole or not at all.",
    ),
    _input_format,
    _threads,
    _memory_limit,
    _verbose,
)


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from .version import __version__

        _echo(f"rankmetrics {__version__}")
        ctx.exit()


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Print the version."
)
def main() -> None:
    """Ranking metrics as SQL that runs where the data lives."""


@main.command()
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option("--qrels", metavar="QRELS", help="The judgments: a file, or a table of the database.")
@click.option("--labelled", multiple=True, metavar="TABLE", help="A table that carries its labels, instead of RUN.")
@click.option("--per-query", is_flag=True, help="A value for every query instead of their mean.")
@_scoring
def evaluate(
    runs: tuple[str, ...], qrels: str | None, labelled: tuple[str, ...], per_query: bool, **arguments: Any
) -> None:
    """Score runs against judgments.

    RUN and QRELS are files (TREC text, CSV, Parquet, JSON lines, .gz and .zst too; - is standard input) or tables
    of --database. NAME=FILE gives a run another name than its file's.
    """
    from . import api

    arguments["form"] = arguments["form"] or report.format_of(arguments["output"])
    if arguments["form"] == "trec" and arguments["by"]:
        raise UsageError("--format trec has no place for the groups of --by; take another format.")
    keywords = _keywords(arguments)
    with (
        _warnings_as_lines() as streams,
        _Inputs(streams, *runs, *labelled, qrels, arguments["query_list"]) as inputs,
    ):
        named, judgments = inputs.runs(runs), inputs.one(qrels)
        keywords["query_list"] = inputs.one(arguments["query_list"])
        if labelled:
            result, name = _evaluate_labelled(inputs, labelled, named, judgments, keywords)
        elif not named or judgments is None:
            missing = "--qrels" if named else "RUN"
            raise UsageError(f"{missing} is missing. Try: rankmetrics evaluate RUN --qrels QRELS -m nDCG@10")
        else:
            name, run = next(iter(named.items()))
            result = api.evaluate(named if len(named) > 1 else run, judgments, **keywords)
        _show_sql(arguments, result.per_query.sql if per_query else result.sql)
        if _left(arguments, result, per_query):
            per_query = False
        records = list(_per_query_records(result, name)) if per_query else _records(result.summary, name)
        if per_query and arguments["form"] == "trec" and "query_id" not in records[0]:
            raise UsageError("--format trec has one column for the query; take another format.")
    _print(records, arguments, "metric", result.counts, result.trec_eval)


def _evaluate_labelled(
    inputs: _Inputs, labelled: Sequence[str], runs: Mapping[str, Any], qrels: Any, keywords: Mapping[str, Any]
) -> tuple[Any, str]:
    from . import api

    if runs:
        raise UsageError("RUN and --labelled exclude each other: the table carries the run.")
    if len(labelled) > 1:
        raise UsageError("--labelled takes one table; several systems in it are told apart by --columns run_id=COLUMN.")
    name, value = inputs.named(labelled[0])
    return api.labelled(inputs.one(value), qrels=qrels, **keywords), name


@main.command()
@click.argument("baseline", metavar="BASELINE")
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATE...")
@click.option("--qrels", required=True, metavar="QRELS", help="The judgments: a file, or a table of the database.")
@_scoring
def compare(baseline: str, candidates: tuple[str, ...], qrels: str, **arguments: Any) -> None:
    """Compare runs with a baseline, paired by query."""
    from . import api

    arguments["form"] = arguments["form"] or report.format_of(arguments["output"])
    if arguments["form"] == "trec":
        raise UsageError("--format trec has no place for a comparison; take another format.")
    keywords = _keywords(arguments)
    texts = (baseline, *candidates, qrels, arguments["query_list"])
    with _warnings_as_lines() as streams, _Inputs(streams, *texts) as inputs:
        named, judgments = inputs.runs((baseline, *candidates)), inputs.one(qrels)
        keywords["query_list"] = inputs.one(arguments["query_list"])
        first = next(iter(named))
        result = api.compare(named.pop(first), named, judgments, baseline_name=first, **keywords)
        _show_sql(arguments, result.sql)
        _left(arguments, result)
        records = result.summary.dicts()
    _print(records, arguments, None)


@main.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--qrels", required=True, metavar="QRELS", help="The judgments: a file, or a table of the database.")
@click.option("--along", default="k", show_default=True, metavar="NAME", help="The parameter that x is.")
@click.option("--at", metavar="X,...", help="Its values; by default some cutoffs, or the eleven recall levels.")
@click.option("--per-query", is_flag=True, help="The points of every query instead of their average.")
@_scoring
def curve(runs: tuple[str, ...], qrels: str, per_query: bool, along: str, at: str | None, **arguments: Any) -> None:
    """Print a metric along one of its parameters, or a curve such as pr_curve, one row per point."""
    from . import api

    arguments["form"] = arguments["form"] or report.format_of(arguments["output"])
    if arguments["form"] == "trec":
        raise UsageError("--format trec has no place for a curve; take another format.")
    keywords = _keywords(arguments)
    [metric, *others] = keywords.pop("metrics")
    if others:
        raise UsageError("A curve is of one metric; give -m once.")
    with (
        _warnings_as_lines() as streams,
        _Inputs(streams, *runs, qrels, arguments["query_list"]) as inputs,
    ):
        named, judgments = inputs.runs(runs), inputs.one(qrels)
        keywords["query_list"] = inputs.one(arguments["query_list"])
        name, run = next(iter(named.items()))
        found = api.curve(named if len(named) > 1 else run, judgments, metric, along=along, at=_numbers(at), **keywords)
        _show_sql(arguments, found.sql)
        if found.summary is None and not per_query:
            raise UsageError(f"{metric} has points of its own for every query: ask for them with --per-query.")
        if _left(arguments, found, per_query or found.summary is None):
            per_query = False
        table = found.per_query if per_query or found.summary is None else found.summary
        records = _records(table, name)
    _print(records, arguments, None)


def _numbers(text: str | None) -> list[float] | None:
    from .definitions.metric_strings import parse_number

    if text is None:
        return None
    numbers = {part: parse_number(part.strip()) for part in text.split(",")}
    if None in numbers.values():
        raise UsageError(f"--at takes numbers with commas between them, such as 1,5,10; not {text!r}.")
    return [number for number in numbers.values() if number is not None]


@main.command()
@click.argument("run", metavar="RUN")
@click.option("--qrels", required=True, metavar="QRELS", help="The judgments: a file, or a table of the database.")
@click.option("-m", "--metric", "metric", required=True, metavar="METRIC", help="Such as nDCG@10.")
@click.option("--profile", required=True, metavar="NAME", help="The profile to explain.")
@click.option(
    "--against", default="trec_eval", show_default=True, metavar="NAME", help="The profile that it is compared with."
)
@_set
@click.option("--queries", "query_list", metavar="FILE", help="Score only the queries that this file lists.")
@_database
@_columns
@click.option("--top", default=10, show_default=True, type=click.IntRange(min=0), help="How many queries to show.")
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", help="How to print the result."
)
@_input_format
@_threads
@_memory_limit
@_verbose
def explain(run: str, qrels: str, metric: str, profile: str, against: str, top: int, **arguments: Any) -> None:
    """Show why two profiles give a metric two values."""
    from . import api

    keywords = _keywords({"metrics": metric, "by": (), "profile": profile, **arguments})
    del keywords["metrics"], keywords["by"]
    with _warnings_as_lines() as streams, _Inputs(streams, run, qrels, arguments["query_list"]) as inputs:
        name, value = inputs.named(run)
        keywords["query_list"] = inputs.one(arguments["query_list"])
        found = api.explain(inputs.one(value), inputs.one(qrels), metric, against=against, **keywords)
        _show_sql(arguments, found.sql)
    _echo(report.explanation(found, name, top) if arguments["form"] == "table" else report.explanation_json(found, top))


@main.command()
@_metric
@_profile
@_set
@_by
@_columns
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="TABLE",
    help="The table of retrieved items; NAME=TABLE, repeated, for several.",
)
@click.option("--qrels", metavar="TABLE", help="The table of judgments.")
@click.option("--labelled", metavar="TABLE", help="A table that carries its labels, instead of --run.")
@click.option("--queries", "query_list", metavar="TABLE", help="The table of queries to score.")
@click.option("--dialect", metavar="NAME", help="Whose SQL: snowflake, bigquery, postgres ...; by default duckdb.")
@click.option(
    "--level", default="summary", show_default=True, metavar="LEVEL", help="per_query, summary, compare, curve ..."
)
@click.option("--along", default="k", show_default=True, metavar="NAME", help="For --level curve: what x is.")
@click.option("--at", metavar="X,...", help="For --level curve: the values of x.")
@_url
@click.option("--estimate", is_flag=True, help="Print what --database says the statement would read; nothing is run.")
def sql(
    metrics: tuple[str, ...],
    runs: tuple[str, ...],
    settings: tuple[str, ...],
    columns: tuple[str, ...],
    position: str | None,
    by: tuple[str, ...],
    estimate: bool,
    **arguments: Any,
) -> None:
    """Print the SQL of an evaluation, to be run elsewhere.

    Columns are looked up in --database. Without it, those not named are assumed to have their default names, and the
    statement's header says which.
    """
    from . import api

    if estimate and arguments["database"] is None:
        raise UsageError("--estimate needs --database: the estimate is the database's.")
    if runs and arguments["labelled"]:
        raise UsageError("--run and --labelled exclude each other: the table carries the run.")
    named = dict(_Inputs({}).named(run) for run in runs) if len(runs) > 1 else None
    if named is not None and len(named) < len(runs):
        raise UsageError("Two runs have the same name; write NAME=TABLE.")
    run = named or (_Inputs({}).named(runs[0])[1] if runs else None)
    arguments["at"] = _numbers(arguments["at"])
    choices: dict[str, Any] = _settings(settings)
    text = api.sql(metrics, run, columns=_column_map(columns, position), by=by, **arguments, **choices)
    if not estimate:
        _echo(text + ("" if text.endswith(";") else ";"))
        return
    found = api.estimate(text, database=arguments["database"], dialect=arguments["dialect"])
    if found is None:
        raise UsageError("The database gives no estimates.")
    _print([{"rows": found.rows, "bytes": found.bytes}], {}, None)


@main.command()
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Such as ap, ndcg@10, 'ndcg(gain=exp2)'; may be repeated. By default all that can be a function.",
)
@_profile
@_set
@_columns
@click.option("--dialect", metavar="NAME", help="Whose SQL: duckdb, postgres, bigquery, snowflake or databricks.")
@click.option("--database", metavar="URL", help="Create them in a database or a DuckDB file, instead of printing.")
@click.option("--schema", metavar="NAME", help="Where in the database they are to be.")
@click.option("--remove", is_flag=True, help="Remove them instead.")
@_verbose
def install(
    metrics: tuple[str, ...],
    settings: tuple[str, ...],
    columns: tuple[str, ...],
    position: str | None,
    verbose: bool,
    **arguments: Any,
) -> None:
    """Print, or create in a database, functions such as rankmetrics_ndcg('runs', 'qrels', 10)."""
    from . import api

    choices: dict[str, Any] = _settings(settings)
    text = api.install(metrics, columns=_column_map(columns, position), **arguments, **choices)
    if arguments["database"] is None:
        _echo(text)
        return
    _echo(text.partition("\n\n")[0])
    _show_sql({"verbose": verbose}, text)


@main.command()
@click.argument("name", required=False)
def metrics(name: str | None) -> None:
    """List the metrics, or describe one: any metric string is understood."""
    from .definitions import catalogue, choices
    from .definitions import descriptions as reference
    from .definitions.metric_strings import parse_metric

    if name is None:
        records = [
            {"metric": metric.name, "title": metric.title, "parameters": ", ".join(metric.params)}
            for metric in catalogue.metrics().values()
        ]
        _print(records, {}, None)
        return
    resolved = choices.resolve(parse_metric(name), choices.resolve_options({}))
    for line in reference.metric_lines(resolved.metric, resolved.params):
        _echo(line)
    if parse_metric(name).name.lower() != name.lower() or resolved.params.get("k"):
        _echo(f"{name} is column {resolved.column}")


@main.command()
@click.argument("name", required=False)
def profiles(name: str | None) -> None:
    """List the profiles, or show every choice of one beside the default."""
    from .definitions import catalogue
    from .definitions import descriptions as reference

    if name is None:
        records = [
            {"profile": key, "title": profile.title, "proof": profile.package or "by reading"}
            for key, profile in catalogue.profiles().items()
        ]
        _print(records, {}, None)
        return
    profile = catalogue.find_profile(name)
    for line in reference.profile_lines(profile):
        _echo(line)
    _echo()
    _print(reference.profile_rows(profile), {}, None)


@main.command()
@click.argument("name", required=False)
def options(name: str | None) -> None:
    """List the choices behind the numbers, or describe one with the systems that choose each value."""
    from .definitions import catalogue
    from .definitions import descriptions as reference

    known = catalogue.options()
    if name is None:
        rows = [
            {
                "option": key,
                "default": reference.plain(option.default),
                "values": reference.values(option) or option.type,
            }
            for key, option in known.items()
        ]
        _print(rows, {}, None)
        return
    if name not in known:
        raise UsageError(f"Unknown option {name!r}. {nearest(name, known)}")
    option = known[name]
    _echo(f"{name}: {option.help}\nDefault: {reference.plain(option.default)}")
    if option.values:
        _echo(f"Values: {reference.values(option)}")
    for value, systems in catalogue.systems(name).items():
        _echo(f"  {value}: {', '.join(systems)}")


@main.command()
def demo() -> None:
    """Score two TREC-COVID runs that come with the package."""
    from . import api

    folder = Path(__file__).parent / "demo"
    _echo("TREC-COVID round 2, two runs of team covidex against NIST's judgments:\n")
    with _warnings_as_lines():
        result = api.evaluate(
            [folder / "covidex.t5.run.gz", folder / "covidex.sim.run.gz"], folder / "qrels.txt", _DEMO_METRICS
        )
    _print(result.summary.dicts(), {}, "metric")


_PASSED_ON = (
    *("metrics", "by", "profile", "input_format", "threads", "memory_limit"),
    *("database", "dialect", "materialize", "timeout"),
)


def _keywords(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the public functions."""
    for name in ("dialect", "materialize", "into"):
        if arguments.get(name) is not None and arguments["database"] is None:
            raise UsageError(f"--{name} goes with --database.")
    if arguments.get("replace") and arguments["into"] is None:
        raise UsageError("--replace goes with --into.")
    if arguments.get("into") is not None:
        _check_folder(arguments["output"])
    if arguments.get("database") is not None:
        path = arguments["database"].partition("://")[2]
        _check_no_input(arguments.get("output"), arguments["database"], path, path.removeprefix("/"))
        _check_no_view(arguments.get("output"), arguments["database"])
    keywords = {key: arguments[key] for key in _PASSED_ON}
    keywords["columns"] = _column_map(arguments["columns"], arguments["position"])
    return keywords | _settings(arguments["settings"])


def _check_folder(output: Path | None) -> None:
    """Before a table is made: what cannot be printed then must not leave one."""
    if output is not None and not output.parent.is_dir():
        raise DataError(f"{output}: there is no folder {output.parent}.")


def _check_no_input(output: Path | None, *texts: str) -> None:
    """Refuses to write over what is read, under whatever name: a link's too, or one in SQL text.

    Raises:
        UsageError: the output is the file that a text names.
    """
    if output is None or not output.is_file():  # devices and pipes lose nothing
        return
    for name in (name for text in texts for name in _names_in(text)):
        if _is_same_file(output, name):
            raise UsageError(f"--output {output} is the input {name}, which it would replace; give another name.")


def _names_in(text: str) -> Iterator[str]:
    """The files that a text may be about: its own name, and those that stand in quotes in SQL, patterns too."""
    yield text
    for quoted in re.findall(r"""'([^']+)'|"([^"]+)\"""", text):
        name = "".join(quoted)
        yield name
        yield from glob.iglob(name, recursive=True)  # noqa: PTH207 - a pattern may be absolute


def _check_no_view(output: Path | None, database: str) -> None:
    """Refuses to write over a file that views of a DuckDB file read."""
    from .databases import open_engine
    from .databases.creation import views

    if output is not None and output.is_file() and Path(database).is_file():
        with open_engine(None, database) as engine:
            found = views(engine.dialect, lambda statement: engine.run(statement)[1])
        _check_no_input(output, *(text for _, text in found))


def _is_same_file(path: Path, text: str) -> bool:
    try:
        return path.samefile(text)
    except (OSError, ValueError):  # no file, or no name of one
        return False


def _left(arguments: Mapping[str, Any], result: Any, per_query: bool = False) -> bool:
    """Leaves the result in the database, if that is asked for, and says whether it is."""
    if arguments["into"] is None:
        return False
    result.create_table(arguments["into"], "per_query" if per_query else "summary", arguments["replace"])
    return True


def _settings(pairs: Sequence[str]) -> dict[str, str]:
    from .definitions.catalogue import options as known

    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals:
            raise UsageError(f"--set takes OPTION=VALUE, not {pair!r}.")
        if name not in known():
            raise UsageError(f"Unknown option {name!r}. {nearest(name, known())}")
        if name in found:
            raise UsageError(f"--set gives {name} twice.")
        found[name] = value.strip()
    return found


def _column_map(texts: Sequence[str], position: str | None) -> dict[str, list[str]]:
    """``query_id=user,query_id=session`` names a query by two columns; a position may have an option of its own."""
    found: dict[str, list[str]] = {}
    for pair in (pair for text in texts for pair in text.split(",")):
        meaning, equals, column = pair.partition("=")
        if not equals or not column.strip():
            raise UsageError(f"--columns takes NAME=COLUMN,..., not {pair!r}.")
        found.setdefault(meaning.strip(), []).append(column.strip())
    if position is not None:
        if {"position", "score"} & {meaning.rpartition(".")[2] for meaning in found}:
            raise UsageError("--position says what orders the run; --columns names a score or position too.")
        found["position"] = [position]
    return found


class _Inputs:
    """What the arguments name: runs, judgments and query list, streams being spooled for as long as they are needed."""

    def __init__(self, streams: dict[str, str], *texts: str | None) -> None:
        if texts.count("-") > 1:
            raise UsageError("- is standard input, which can be read once only.")
        self._folder = contextlib.ExitStack()
        self._streams = streams

    def __enter__(self) -> _Inputs:
        return self

    def __exit__(self, _type: Any, error: BaseException | None, _traceback: Any) -> None:
        """Errors name a stream as the user did."""
        self._folder.close()
        if isinstance(error, RankmetricsError):
            error.args = (_renamed(str(error), self._streams),)

    def runs(self, texts: Sequence[str]) -> dict[str, Any]:
        """The runs by name."""
        named: dict[str, Any] = {}
        for text in texts:
            name, value = self.named(text)
            if name in named:
                raise UsageError(f"Two runs are called {name!r}; write NAME=FILE to tell them apart.")
            named[name] = self.one(value)
        return named

    def named(self, text: str) -> tuple[str, str]:
        """The name that NAME=RUN gives, else the file's or table's own, and the run."""
        from .inputs.strings import run_name, split_named

        name, value = split_named(text)
        return name or ("-" if text == "-" else run_name(text)), value

    def one(self, text: str | None) -> Any:
        """What the public functions take: a string, which they tell a file, SQL or a table from; a file of a stream."""
        from .inputs.strings import is_stream

        if text is None:
            return None
        _check_no_input(click.get_current_context().params.get("output"), text)
        return self._spooled(text) if text == "-" or is_stream(text) else text

    def _spooled(self, text: str) -> Path:
        from .inputs.files import spool

        folder = Path(self._folder.enter_context(tempfile.TemporaryDirectory(prefix="rankmetrics-")))
        name = "standard input" if text == "-" else text
        self._streams[str(folder / "stream")] = name
        with contextlib.ExitStack() as opened:
            if text == "-" and sys.stdin is None:
                raise DataError("-: standard input is closed.")
            path = spool(sys.stdin.buffer if text == "-" else opened.enter_context(Path(text).open("rb")), folder)
        if path.suffix:
            self._streams.pop(str(path.with_suffix("")))
            self._streams[str(path)] = name
        return path


@contextlib.contextmanager
def _warnings_as_lines() -> Iterator[dict[str, str]]:
    """Prints our warnings as plain lines on standard error; yields a mapping of what to call streams in them."""
    streams: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("always", RankmetricsWarning)
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **others: Any) -> None:
            if issubclass(category, RankmetricsWarning):
                _echo(f"rankmetrics: warning: {_renamed(str(message), streams)}", err=True)
            else:
                shown(message, category, *rest, **others)

        warnings.showwarning = show
        yield streams


def _renamed(message: str, streams: Mapping[str, str]) -> str:
    for path, name in streams.items():
        message = message.replace(path, name)
    return message


def _show_sql(arguments: Mapping[str, Any], text: str) -> None:
    if arguments["verbose"]:
        _echo(text, err=True)


def _records(table: Table, run: str) -> list[dict[str, Any]]:
    """The rows, each with the name of its run."""
    return [row if "run" in row else {"run": run, **row} for row in table.dicts()]


def _per_query_records(result: Any, run: str) -> Iterator[dict[str, Any]]:
    """A record per query and metric."""
    columns = set(result.metrics.values())
    for row in result.per_query.dicts():
        keys = {name: value for name, value in row.items() if name not in columns}
        for metric, column in result.metrics.items():
            yield {"run": run, **keys, "metric": metric, "value": row[column]}


def _print(
    records: Sequence[dict[str, Any]],
    arguments: Mapping[str, Any],
    pivot: str | None,
    counts: Collection[str] = (),
    names: Mapping[str, str] | None = None,
) -> None:
    output = arguments.get("output")
    text = report.render(records, arguments.get("form") or report.format_of(output), pivot, counts, names)
    if output is None:
        _echo(text, nl=False)
    else:
        report.write(text, output)

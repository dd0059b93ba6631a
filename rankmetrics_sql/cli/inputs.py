"""The inputs that arguments name: files, standard input and tables. Checks that no output replaces an input."""

from __future__ import annotations

import contextlib
import glob
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..errors import DataError, RankmetricsError, UsageError
from .keywords import KEYWORDS
from .terminal import print_times, print_warnings, rename_streams
from .texts import parse_columns, parse_settings


class InputReader:
    """Reads runs, judgments and query lists from arguments. Streams are spooled to files until the command ends."""

    def __init__(self, streams: dict[str, str], *texts: str | None) -> None:
        if texts.count("-") > 1:
            raise UsageError("- is standard input, which can be read only once. Pass a file for the others.")
        self._folder = contextlib.ExitStack()
        self._streams = streams

    def __enter__(self) -> InputReader:
        return self

    def __exit__(self, _type: Any, error: BaseException | None, _traceback: Any) -> None:
        """Delete spooled files. Errors name a stream as the user did."""
        self._folder.close()
        if isinstance(error, RankmetricsError):
            error.args = (rename_streams(str(error), self._streams),)

    def runs(self, texts: Sequence[str]) -> dict[str, Any]:
        """Read the runs, by name."""
        values_by_name: dict[str, Any] = {}
        for text in texts:
            name, value = self.named(text)
            if name in values_by_name:
                raise UsageError(f"Two runs are called {name!r}. Write NAME=FILE to tell them apart.")
            values_by_name[name] = self._read(value)
        return values_by_name

    def named(self, text: str) -> tuple[str, str]:
        """Split NAME=RUN into name and run. Without NAME the run is named after its file or table."""
        from ..inputs.strings import run_name, split_named

        name, value = split_named(text)
        return name or ("-" if text == "-" else run_name(text)), value

    def one(self, text: str | None) -> Any:
        """Return the input for the public functions. Judgments may be written NAME=FILE too, without effect."""
        from ..inputs.strings import split_named

        return None if text is None else self._read(split_named(text)[1])

    def judgments(self, qrels: str | None, arguments: Mapping[str, Any], keywords: dict[str, Any]) -> Any:
        """Return the judgments, or the consensus of their judges if a rule is given.

        The columns of the judgments are then those of the grades, and the keywords lose them and the judge.
        """
        judge, rule = arguments["judge"], arguments["consensus"]
        if rule is None or qrels is None:
            if rule is not None or (judge is not None and "judge" not in keywords):
                missing, given = ("qrels", "consensus") if rule is not None else ("consensus", "judge")
                raise UsageError(f"--{given} has no effect without --{missing}. Pass --{missing}, too.")
            return self.one(qrels)
        from ..inputs.references import consensus

        columns = _take_columns(keywords)
        keywords.pop("judge", None)
        return consensus(self.one(qrels), judge or "judge", rule, columns=columns)

    def _read(self, text: str) -> Any:
        """Return an input. A stream becomes a file; any other text stays as it is."""
        from ..inputs.strings import is_stream

        for option, name in {"--output": "output", "--junit": "junit", "--gates": "gates_file"}.items():
            check_no_input(click.get_current_context().params.get(name), text, option=option)
        return self._spooled(text) if text == "-" or is_stream(text) else text

    def _spooled(self, text: str) -> Path:
        from ..inputs.compression import spool

        folder = Path(self._folder.enter_context(tempfile.TemporaryDirectory(prefix="rankmetrics-")))
        name = "standard input" if text == "-" else text
        self._streams[str(folder / "stream")] = name
        with contextlib.ExitStack() as opened:
            if text == "-" and sys.stdin is None:
                raise DataError("-: standard input is closed. Pass a file, or pipe the data into the command.")
            path = spool(sys.stdin.buffer if text == "-" else opened.enter_context(Path(text).open("rb")), folder)
        if path.suffix:
            self._streams.pop(str(path.with_suffix("")))
            self._streams[str(path)] = name
        return path


def _take_columns(keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of grades, and take those out of the keywords that a consensus calls otherwise."""
    given = dict(keywords["columns"])
    taken = {}
    for name in ("query_id", "query", "item_id", "item", "relevance"):
        column = given.get(f"qrels.{name}", given.get(name))
        if column is not None:
            is_query = name.startswith("query")  # keeps the user's names
            taken[name] = column if is_query else column[-1]
            if not is_query:
                given.pop(f"qrels.{name}", None)
                shared = given.pop(name, None)
                if shared is not None and name != "relevance":
                    given.setdefault(f"run.{name}", shared)
    keywords["columns"] = given
    return taken


@contextlib.contextmanager
def open_inputs(arguments: Mapping[str, Any], *texts: str | None) -> Iterator[tuple[InputReader, Any]]:
    """Open the inputs and the database that the command line names. Print warnings as lines."""
    from ..api.place import OpenDatabase

    settings = {name: arguments[name] for name in _DATABASE_SETTINGS if name in arguments}
    is_verbose = bool(arguments.get("verbose"))
    with (
        print_warnings(is_verbose) as streams,
        print_times(is_verbose, streams),
        InputReader(streams, *texts) as inputs,
        OpenDatabase(arguments["database"], **settings) as database,
    ):
        yield inputs, database


_DATABASE_SETTINGS = ("dialect", "materialize", "timeout", "threads", "memory_limit")


def require(example: str, **given: bool) -> None:
    """Check that required arguments are given.

    Args:
        example: a complete command line to suggest.
        given: whether each argument is given, by its name; options without their two dashes.
    """
    for name, is_given in given.items():
        if not is_given:
            what = name if name.isupper() else f"--{name}"
            raise UsageError(f"{what} is missing. {example}")


def check_database(arguments: Mapping[str, Any]) -> None:
    """Check the options before a database is opened."""
    database, output = arguments["database"], arguments.get("output")
    for name in ("dialect", "materialize", "into"):
        if arguments.get(name) is not None and database is None:
            raise UsageError(f"--{name} has no effect without a database. Pass --database URL, too.")
    for name in ("replace", "recreate"):
        if arguments.get(name) and arguments["into"] is None:
            raise UsageError(f"--{name} has no effect without --into. Pass --into NAME, too.")
    if arguments.get("into") is not None:
        check_folder(output)
    if database is not None:
        path = database.partition("://")[2]
        check_no_input(output, database, path, path.removeprefix("/"))
        check_no_view(output, database)


def check_folder(output: Path | None) -> None:
    """Check the folder of --output before a table is created, so that a failure does not leave a table behind."""
    if output is not None and output.is_dir():
        raise DataError(f"{output} is a folder. Pass a file: -o {output / 'result.csv'}.")
    if output is not None and not output.parent.is_dir():
        raise DataError(f"{output}: the folder {output.parent} does not exist. Create it, or pass another -o.")


def check_no_input(output: Path | None, *texts: str, option: str = "--output") -> None:
    """Refuse to overwrite an input, also under the name of a link or in SQL text."""
    if output is None or not output.is_file():  # devices and pipes lose nothing
        return
    for name in (name for text in texts for name in _names_in(text)):
        if _is_same_file(output, name):
            raise UsageError(f"{option} {output} would replace the input {name}. Pass another file name.")


def _names_in(text: str) -> Iterator[str]:
    """Yield the files that a text may name: the text itself, and quoted names in SQL, also as patterns."""
    yield text
    for quoted in re.findall(r"""'([^']+)'|"([^"]+)\"""", text):
        name = "".join(quoted)
        yield name
        yield from glob.iglob(name, recursive=True)  # noqa: PTH207 - a pattern may be absolute


def check_no_view(output: Path | None, database: str) -> None:
    """Refuse to overwrite a file that views of a DuckDB file read."""
    from ..engines import connect
    from ..engines.creation import views

    if output is not None and output.is_file() and Path(database).is_file():
        with connect(database) as engine:
            found_views = views(engine.dialect, lambda statement: engine.run(statement)[1])
        check_no_input(output, *(text for _, text in found_views))


def _is_same_file(path: Path, text: str) -> bool:
    try:
        return path.samefile(text)
    except (OSError, ValueError):  # no file, or no name of one
        return False


@contextlib.contextmanager
def session(
    function: str, arguments: Mapping[str, Any], *texts: str | None
) -> Iterator[tuple[InputReader, dict[str, Any]]]:
    """Open the inputs that the command line names. Yield them and the keyword arguments of a public function."""
    check_database(arguments)
    keywords = {name: arguments[name] for name in KEYWORDS[function].split() if name in arguments}
    keywords["columns"] = parse_columns(arguments["columns"], arguments["position"])
    keywords |= parse_settings(arguments["settings"])
    files = {name: keywords[name] for name in ("query_list", "items", "predicted_qrels") if name in keywords}
    with open_inputs(arguments, *texts, *files.values()) as (inputs, database):
        yield inputs, keywords | {name: inputs.one(text) for name, text in files.items()} | {"connection": database}

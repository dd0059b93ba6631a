"""What the arguments name: files, standard input, tables; and what must not be written over."""

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
from .terminal import progress_as_line, renamed, times_as_lines, warnings_as_lines


class Inputs:
    """What the arguments name: runs, judgments and query list, streams being spooled for as long as they are needed."""

    def __init__(self, streams: dict[str, str], *texts: str | None) -> None:
        if texts.count("-") > 1:
            raise UsageError("- is standard input, which can be read once only.")
        self._folder = contextlib.ExitStack()
        self._streams = streams

    def __enter__(self) -> Inputs:
        return self

    def __exit__(self, _type: Any, error: BaseException | None, _traceback: Any) -> None:
        """Errors name a stream as the user did."""
        self._folder.close()
        if isinstance(error, RankmetricsError):
            error.args = (renamed(str(error), self._streams),)

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
        from ..inputs.strings import run_name, split_named

        name, value = split_named(text)
        return name or ("-" if text == "-" else run_name(text)), value

    def one(self, text: str | None) -> Any:
        """What the public functions take: a string, which they tell a file, SQL or a table from; a file of a stream."""
        from ..inputs.strings import is_stream

        if text is None:
            return None
        check_no_input(click.get_current_context().params.get("output"), text)
        return self._spooled(text) if text == "-" or is_stream(text) else text

    def _spooled(self, text: str) -> Path:
        from ..inputs.compression import spool

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
def opened(arguments: Mapping[str, Any], *texts: str | None) -> Iterator[tuple[Inputs, Any]]:
    """The inputs that the command line names, and the database; warnings and progress are lines on the terminal."""
    from ..questions.place import Place

    place = {name: arguments[name] for name in _OF_THE_PLACE if name in arguments}
    with (
        warnings_as_lines() as streams,
        progress_as_line(),
        times_as_lines(bool(arguments.get("verbose")), streams),
        Inputs(streams, *texts) as inputs,
        Place(arguments["database"], **place) as database,
    ):
        yield inputs, database


_OF_THE_PLACE = ("dialect", "materialize", "timeout", "threads", "memory_limit")


def need(example: str, **given: bool) -> None:
    """Refuses a command line that lacks something.

    Args:
        example: what to try, which has all of it.
        given: whether each is there, by its name; options without their two dashes.

    Raises:
        UsageError: one is not.
    """
    for name, is_given in given.items():
        if not is_given:
            what = name if name.isupper() else f"--{name}"
            raise UsageError(f"{what} is missing. {example}")


def check_database(arguments: Mapping[str, Any]) -> None:
    """What must be so before a database is opened: options that go together, and nothing that is written over.

    Raises:
        UsageError: an option lacks the one that it goes with, or --output is what is read.
        DataError: there is no folder for the output of a table that would be left in the database.
    """
    database, output = arguments["database"], arguments.get("output")
    for name in ("dialect", "materialize", "into"):
        if arguments.get(name) is not None and database is None:
            raise UsageError(f"--{name} goes with --database.")
    if arguments.get("replace") and arguments["into"] is None:
        raise UsageError("--replace goes with --into.")
    if arguments.get("into") is not None:
        check_folder(output)
    if database is not None:
        path = database.partition("://")[2]
        check_no_input(output, database, path, path.removeprefix("/"))
        check_no_view(output, database)


def check_folder(output: Path | None) -> None:
    """Before a table is made: what cannot be printed then must not leave one."""
    if output is not None and output.is_dir():
        raise DataError(f"{output}: it is a folder; -o names a file.")
    if output is not None and not output.parent.is_dir():
        raise DataError(f"{output}: there is no folder {output.parent}.")


def check_no_input(output: Path | None, *texts: str) -> None:
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


def check_no_view(output: Path | None, database: str) -> None:
    """Refuses to write over a file that views of a DuckDB file read."""
    from ..databases import connect
    from ..databases.creation import views

    if output is not None and output.is_file() and Path(database).is_file():
        with connect(database) as engine:
            found = views(engine.dialect, lambda statement: engine.run(statement)[1])
        check_no_input(output, *(text for _, text in found))


def _is_same_file(path: Path, text: str) -> bool:
    try:
        return path.samefile(text)
    except (OSError, ValueError):  # no file, or no name of one
        return False

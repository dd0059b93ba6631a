"""What the terminal sees: text in its encoding, warnings and errors as lines, exit codes."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import json
import os
import shutil
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from ..errors import DatabaseError, DataError, RankmetricsError, RankmetricsWarning, UsageError, nearest

if TYPE_CHECKING:
    from ..results.screens import Screen

_PATIENCE = 1  # seconds without a word
_ANEW = "\r\x1b[K"  # from the beginning of the line, which is empty then


class Group(click.Group):
    """Turns every error into a line or two on standard error, and its kind into the exit code."""

    def __init__(self, *args: Any, places: Mapping[str, str], **kwargs: Any) -> None:
        """A group of commands.

        Args:
            args: as click has them.
            places: the module of each command, which is imported when the command is asked for.
            kwargs: as click has them.
        """
        super().__init__(*args, **kwargs)
        self._places = places

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return [*self._places]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, if there is one."""
        if cmd_name in self._places and cmd_name not in self.commands:
            module = import_module(f".{self._places[cmd_name]}", __package__)
            self.add_command(getattr(module, cmd_name.replace("-", "_")))
        return super().get_command(ctx, cmd_name)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a command."""
        if sys.stdout is None:
            sys.stdout = _Closed()
        try:
            return super().main(*args, **kwargs)
        except RankmetricsError as error:
            complain(error)
            sys.exit(error.exit_code)
        except BrokenPipeError:
            _forget_output()
            sys.exit(1)
        except OSError as error:
            complain(DataError(f"{error.filename or 'output'}: {error.strerror or error}."))
            _forget_output()
            sys.exit(1)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; what it lacks is said in a line, as everything else."""
        try:
            return super().invoke(ctx)
        except click.MissingParameter as error:
            command = error.ctx.command_path if error.ctx else ctx.command_path
            raise UsageError(f"{error.format_message()} Try: {command} --help") from None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command of a name, or the nearest."""
        if args and self.get_command(ctx, args[0]) is None:
            raise UsageError(f"Unknown command {args[0]!r}. {nearest(args[0], self.list_commands(ctx))}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not ctx.resilient_parsing:
            _refuse_twice(command, ctx, rest)
        return name, command, rest


def _refuse_twice(command: click.Command, ctx: click.Context, args: list[str]) -> None:
    """What click would take the last of, and forget the others."""
    inner = click.Context(command, parent=ctx, info_name=command.name)
    try:
        given = command.make_parser(inner).parse_args(list(args))[2]
    except click.UsageError:  # the command itself says what is wrong
        return
    single = [param for param in given if isinstance(param, click.Option) and not (param.multiple or param.is_flag)]
    for place, param in enumerate(single):
        if param in single[:place]:
            raise UsageError(f"{max(param.opts, key=len)} is given twice; it takes one value.")


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Prints; where the stream's encoding lacks a character, dashes stand for lines and JSON's escapes for others."""
    encoding = getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"
    shown = text.encode(encoding, _escaping.__name__).decode(encoding)
    if not err and shown != text.replace("\u2500", "-") and shown != text:
        message = f"standard output is {encoding}: escapes stand for characters that it lacks; --output writes UTF-8."
        click.echo(f"rankmetrics: warning: {message}", err=True)
    click.echo(shown, err=err, nl=nl)


def screen(output: Any = None) -> Screen | None:
    """The terminal that standard output is, if it is one and nothing is written to a file instead."""
    if output is not None or not (sys.stdout and sys.stdout.isatty()):
        return None
    from ..results.screens import Screen

    width = shutil.get_terminal_size().columns
    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Screen(width, is_styled=not is_plain)


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


def complain(error: RankmetricsError) -> None:
    """Prints an error on standard error, with the statement that failed where the user wants to see SQL."""
    echo(f"rankmetrics: {error}", err=True)
    if isinstance(error, DatabaseError) and "--verbose" in sys.argv:
        echo(error.sql, err=True)


@contextlib.contextmanager
def warnings_as_lines() -> Iterator[dict[str, str]]:
    """Prints our warnings as plain lines on standard error; yields a mapping of what to call streams in them."""
    streams: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("always", RankmetricsWarning)
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **others: Any) -> None:
            if issubclass(category, RankmetricsWarning):
                echo(f"rankmetrics: warning: {renamed(str(message), streams)}", err=True)
            else:
                shown(message, category, *rest, **others)

        warnings.showwarning = show
        yield streams


@contextlib.contextmanager
def progress_as_line() -> Iterator[None]:
    """Shows on a terminal how far a statement is that takes long, in a line that goes when it ends."""
    from ..databases import cancel

    if not (sys.stderr and sys.stderr.isatty()):
        yield
        return
    begun, shown = time.monotonic(), False
    statement = begun

    def show(percent: float | None) -> None:
        nonlocal shown, statement
        now = time.monotonic()
        seconds = now - begun
        if percent is not None and seconds > _PATIENCE:
            left = (now - statement) * (100 - percent) / percent if percent >= 1 else 0
            done = f", {percent:.0f} % of this statement, about {left:.0f} s left" if percent >= 1 else ""
            echo(f"{_ANEW}rankmetrics: {seconds:.0f} s{done}", err=True, nl=False)
        elif shown:
            echo(_ANEW, err=True, nl=False)
        shown = percent is not None and seconds > _PATIENCE
        statement = now if percent is None else statement

    token = cancel.watcher.set(show)
    try:
        yield
    finally:
        cancel.watcher.reset(token)


@contextlib.contextmanager
def times_as_lines(is_wanted: bool, streams: Mapping[str, str]) -> Iterator[None]:
    """Says what was chosen, of each statement how long it took, and at the end how many, on standard error."""
    if not is_wanted:
        yield
        return
    from ..databases import cancel
    from ..pipeline.prepare import planner

    seconds: list[float] = []

    def hear(text: str, took: float) -> None:
        seconds.append(took)
        begin = " ".join(text.split())[:60]
        echo(f"rankmetrics: statement {len(seconds)}, {took:.3f} s: {begin}", err=True)

    token = cancel.listener.set(hear)
    planned = planner.set(lambda line: echo(renamed(f"rankmetrics: plan: {line}", streams), err=True))
    try:
        yield
    finally:
        planner.reset(planned)
        cancel.listener.reset(token)
        echo(f"rankmetrics: {len(seconds)} statements, {sum(seconds):.3f} s", err=True)


def renamed(message: str, streams: Mapping[str, str]) -> str:
    """A message with streams under the names that the user gave."""
    for path, name in streams.items():
        message = message.replace(path, name)
    return message


def show_sql(arguments: Mapping[str, Any], text: str) -> None:
    """Prints the statement that runs, where the user wants to see it."""
    if arguments["verbose"]:
        echo(text, err=True)

"""Printing: text in the terminal's encoding, warnings and errors as lines, exit codes, signals."""

from __future__ import annotations

import codecs
import contextlib
import errno
import gc
import io
import json
import os
import shutil
import signal
import sys
import threading
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..application import as_command
from ..errors import DatabaseError, DataError, RankmetricsError, RankmetricsWarning, UsageError, advise_in, nearest
from ..results.files import format_of, write
from .conditions import errors_in_files
from .help import to_options, write_commands

if TYPE_CHECKING:
    from ..results.tables import Table
    from ..results.text_tables import Screen


_CALLED = f"{__name__}.called"  # the command and its arguments, in the context of click
_MOST_WARNINGS = 3  # lines on a terminal


class CommandGroup(click.Group):
    """Prints every error as a line or two on standard error, and turns its kind into the exit code."""

    def __init__(self, *args: Any, places: Mapping[str, str], **kwargs: Any) -> None:
        """Create a group of commands.

        Args:
            args: arguments of click.
            places: the module of each command, imported when somebody uses the command.
            kwargs: arguments of click.
        """
        super().__init__(*args, **kwargs)
        self._places = places

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return [*self._places]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None if no command has this name."""
        if cmd_name in self._places and cmd_name not in self.commands:
            module = import_module(f".{self._places[cmd_name]}", __package__)
            self.add_command(getattr(module, cmd_name.replace("-", "_")))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, grouped by job."""
        write_commands(formatter)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command and turn errors into exit codes.

        Python does not look for cyclic garbage meanwhile: a command ends before there is much of it.
        """
        gc.disable()
        if sys.stdout is None:
            sys.stdout = _ClosedOutput()
        try:
            with advise_in(to_options):
                return super().main(*args, **kwargs)
        except RankmetricsError as error:
            print_error(error)
            _exit(error.exit_code)
        except BrokenPipeError:
            _forget_output()
            sys.exit(1)
        except OSError as error:
            print_error(DataError(f"{error.filename or 'output'}: {error.strerror or error}."))
            _forget_output()
            sys.exit(1)
        finally:
            gc.enable()

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. A missing argument is an error in one line, like all others, and so is a signal."""
        signals: list[int] = []
        try:
            with _stop_on_signals(signals), errors_in_files(ctx.meta.setdefault(_CALLED, {})):
                return super().invoke(ctx)
        except KeyboardInterrupt:
            number = signals[0] if signals else signal.SIGINT
            echo(f"rankmetrics: stopped by {signal.Signals(number).name}", err=True)
            _exit(128 + number)
        except click.MissingParameter as error:
            command = error.ctx.command_path if error.ctx else ctx.command_path
            raise UsageError(f"{error.format_message()} Try: {command} --help") from None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find a command by its name, or suggest the nearest."""
        if args and self.get_command(ctx, args[0]) is None:
            raise UsageError(f"Unknown command {args[0]!r}. {nearest(args[0], self.list_commands(ctx))}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not ctx.resilient_parsing:
            ctx.meta[_CALLED].update(command=command, args=[*rest])
            ctx.with_resource(as_command(str(name)))
            _refuse_repeated(command, ctx, rest)
        return name, command, rest


@contextlib.contextmanager
def _stop_on_signals(received: list[int]) -> Iterator[None]:
    """Have SIGTERM do what Ctrl-C does, unless the command is being stopped already.

    Some send it twice, or after an interrupt. The second signal must not end the cleaning up; a second Ctrl-C does.

    Args:
        received: gets the numbers of the signals.
    """

    def stop(number: int, _frame: Any) -> None:
        is_first = not received
        received.append(number)
        if is_first or number == signal.SIGINT:
            raise KeyboardInterrupt

    is_main = threading.current_thread() is threading.main_thread()
    defaults: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    handled = [number for number, handler in defaults.items() if is_main and signal.getsignal(number) == handler]
    for number in handled:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, defaults[number])


def _exit(code: int) -> NoReturn:
    """End with an exit code, at once where a thread still waits for a server that does not answer."""
    cancel = sys.modules.get("rankmetrics_sql.drivers.cancel")  # it takes long to import, and is there if it ran
    if cancel is not None and cancel.is_waiting():
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def _refuse_repeated(command: click.Command, ctx: click.Context, args: list[str]) -> None:
    """Refuse an option that is given twice. click would silently take the last."""
    inner = click.Context(command, parent=ctx, info_name=command.name)
    try:
        parameters = command.make_parser(inner).parse_args(list(args))[2]
    except click.UsageError:  # the command itself reports what is wrong
        return
    single = [
        param for param in parameters if isinstance(param, click.Option) and not (param.multiple or param.is_flag)
    ]
    for place, param in enumerate(single):
        if param in single[:place]:
            raise UsageError(f"{max(param.opts, key=len)} is given twice. Pass it once.")


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text. Characters that the stream cannot encode become dashes (lines) or JSON escapes (others)."""
    encoding = getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"
    printable = text.encode(encoding, _escape.__name__).decode(encoding)
    if not err and printable != text.replace("\u2500", "-") and printable != text:
        message = (
            f"standard output is {encoding}, so some characters are printed as escapes. --output FILE writes UTF-8."
        )
        click.echo(f"rankmetrics: warning: {message}", err=True)
    click.echo(printable, err=err, nl=nl)


def screen(output: Any = None, *, err: bool = False) -> Screen | None:
    """Return the terminal that shows the output, or the errors; None if they go to a pipe or a file."""
    stream = sys.stderr if err else sys.stdout
    if output is not None or not (stream and stream.isatty()):
        return None
    from ..results.text_tables import Screen

    width = shutil.get_terminal_size().columns
    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Screen(width, is_styled=not is_plain)


def _echo_folded(message: str) -> None:
    """Print a message on standard error, on a terminal folded at words."""
    if terminal := screen(err=True):
        from ..results.text_tables import paragraph

        message = paragraph(message, terminal, "  ")
    echo(message, err=True)


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Return what replaces characters that cannot be encoded."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unprintable = error.object[error.start : error.end]
    return "".join("-" if mark == "\u2500" else json.dumps(mark)[1:-1] for mark in unprintable), error.end


codecs.register_error(_escape.__name__, _escape)


class _ClosedOutput(io.TextIOBase):
    """Standard output that was closed before we began. Printing to it is an error, so that no output is lost."""

    def write(self, _text: str) -> int:
        raise OSError(errno.EBADF, "it is closed", "standard output")


def _forget_output() -> None:
    """Discard what standard output did not take. Else Python tries again when it exits, and prints the error again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_error(error: RankmetricsError) -> None:
    """Print an error on standard error. With --verbose, also print the statement that failed."""
    _echo_folded(f"rankmetrics: {error}")
    if isinstance(error, DatabaseError) and "--verbose" in sys.argv:
        echo(error.sql, err=True)
        if error.details != str(error):
            echo(error.details, err=True)


@contextlib.contextmanager
def print_warnings(is_verbose: bool = False) -> Iterator[dict[str, str]]:
    """Print each warning of the package as a line on standard error.

    A terminal shows the first three and counts the others, unless the command is verbose.

    Yields:
        the names to print for streams, by path; the caller fills it.
    """
    streams: dict[str, str] = {}
    is_short = not is_verbose and bool(sys.stderr and sys.stderr.isatty())
    n_warnings = 0
    with warnings.catch_warnings():
        warnings.simplefilter("always", RankmetricsWarning)
        show_others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **others: Any) -> None:
            nonlocal n_warnings
            if not issubclass(category, RankmetricsWarning):
                show_others(message, category, *rest, **others)
                return
            n_warnings += 1
            if not is_short or n_warnings <= _MOST_WARNINGS:
                _echo_folded(f"rankmetrics: warning: {rename_streams(str(message), streams)}")

        warnings.showwarning = show
        yield streams
    n_hidden = n_warnings - _MOST_WARNINGS
    if is_short and n_hidden > 0:
        noun = "warning" if n_hidden == 1 else "warnings"
        echo(f"rankmetrics: {n_hidden} more {noun}: --verbose shows them", err=True)


@contextlib.contextmanager
def print_times(is_wanted: bool, streams: Mapping[str, str]) -> Iterator[None]:
    """Print the plan, the time of each statement and the total on standard error."""
    if not is_wanted:
        yield
        return
    from ..drivers import cancel
    from ..pipeline.prepare import planner

    seconds: list[float] = []

    def hear(text: str, took: float) -> None:
        seconds.append(took)
        begin = " ".join(text.split())[:60]
        echo(f"rankmetrics: statement {len(seconds)}, {took:.3f} s: {begin}", err=True)

    token = cancel.listener.set(hear)
    planned = planner.set(lambda line: echo(rename_streams(f"rankmetrics: plan: {line}", streams), err=True))
    try:
        yield
    finally:
        planner.reset(planned)
        cancel.listener.reset(token)
        echo(f"rankmetrics: {len(seconds)} statements, {sum(seconds):.3f} s", err=True)


def rename_streams(message: str, streams: Mapping[str, str]) -> str:
    """Replace the paths of streams in a message by the names that the user typed."""
    for path, name in streams.items():
        message = message.replace(path, name)
    return message


def show_sql(arguments: Mapping[str, Any], text: str) -> None:
    """Print the statement if the command is verbose."""
    if arguments["verbose"]:
        echo(text, err=True)


def create_table(arguments: Mapping[str, Any], result: Any, per_query: bool = False) -> bool:
    """Create the table of --into and return True. Without --into return False."""
    if arguments["into"] is None:
        return False
    replace = "recreate" if arguments["recreate"] else arguments["replace"]
    result.create_table(arguments["into"], "per_query" if per_query else "summary", replace)
    return True


def choose_form(arguments: dict[str, Any], what: str) -> None:
    """Choose the format of a result that trec_eval's format cannot hold."""
    arguments["form"] = arguments["form"] or format_of(arguments["output"])
    if arguments["form"] == "trec":
        raise UsageError(f"--format trec cannot hold {what}. Pass another format, such as --format csv.")


def name_runs(table: Table, run: str) -> list[dict[str, Any]]:
    """Return the rows, each with the name of its run."""
    return [row if "run_id" in row else {"run_id": run, **row} for row in table.dicts()]


def per_query_records(result: Any, run: str) -> Iterator[dict[str, Any]]:
    """Yield a record for each query and metric."""
    for row in result.per_query.dicts():
        keys = {name: value for name, value in row.items() if name not in result.metrics}
        for metric in result.metrics:
            yield {"run_id": run, **keys, "metric": metric, "value": row[metric]}


def print_records(
    records: Sequence[dict[str, Any]],
    arguments: Mapping[str, Any],
    pivot: str | None,
    counts: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    best: Collection[int] = (),
    above: str = "",
) -> None:
    """Print or write records in the requested format, below another text; see ``formats.render``."""
    from ..results import formats

    form = arguments.get("form") or format_of(arguments.get("output"))
    text = formats.render(records, form, pivot, counts, names, best, screen(arguments.get("output")))
    print_text(above + text, arguments)


def print_text(text: str, arguments: Mapping[str, Any]) -> None:
    """Print a text, or write it to the file of --output."""
    output = arguments.get("output")
    if output is None:
        echo(text, nl=False)
    else:
        write(text, output)

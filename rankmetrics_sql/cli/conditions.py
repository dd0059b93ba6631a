"""The files with the outcomes of conditions, --junit and --gates, which errors write, too."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import DataError, RankmetricsError, UsageError
from ..results.files import write

if TYPE_CHECKING:
    from ..results.gates import Outcome

# How our files begin. An error replaces nothing else: a misplaced --junit may name an input.
_BEGINNINGS = {"junit": (b"<?xml",), "gates_file": (b"[]\n", b'[\n {\n  "name":')}


def write_outcomes(command: str, outcomes: Sequence[Outcome], arguments: Mapping[str, Any]) -> None:
    """Write the files that the arguments name."""
    if arguments["junit"] is None and arguments["gates_file"] is None:
        return
    for name, render in _writers(command).items():
        if arguments[name] is not None:
            write(render(outcomes), arguments[name])


@contextlib.contextmanager
def errors_in_files(called: Mapping[str, Any]) -> Iterator[None]:
    """Write an error to the files that the command line names, and raise it again.

    Args:
        called: gets the ``command`` and its ``args``, when it is known.
    """
    try:
        yield
    except click.exceptions.Exit:
        raise
    except (Exception, KeyboardInterrupt) as error:
        if called:
            _write_error(called["command"], called["args"], error)
        raise


def _writers(command: str) -> dict[str, Callable[[Sequence[Outcome]], str]]:
    from ..results import outcomes

    return {"junit": lambda found: outcomes.junit(f"rankmetrics {command}", found), "gates_file": outcomes.as_json}


def _write_error(command: click.Command, args: Sequence[str], error: BaseException) -> None:
    """Write the error as the outcome of each condition, or of the command if it has none."""
    typed = _typed(command, args)
    files = {name: Path(typed[name]) for name in _BEGINNINGS if typed.get(name)}
    if not files:
        return
    from ..results.gates import Outcome

    raised = _readable(error)
    texts = [
        (f"--{name.replace('_', '-')}", text) for name in ("fail_if", "fail_unless") for text in typed.get(name) or ()
    ]
    outcomes = [Outcome(option, text, error=raised) for option, text in texts or [("", f"rankmetrics {command.name}")]]
    for name, path in files.items():
        with contextlib.suppress(RankmetricsError, OSError):
            if _is_replaceable(path, _BEGINNINGS[name]):
                write(_writers(str(command.name))[name](outcomes), path)


def _typed(command: click.Command, args: Sequence[str]) -> dict[str, Any]:
    """Return the options as typed, even if others are wrong."""
    context = click.Context(command, resilient_parsing=True, ignore_unknown_options=True)
    return dict(command.make_parser(context).parse_args(list(args))[0])


def _readable(error: BaseException) -> RankmetricsError:
    if isinstance(error, RankmetricsError):
        return error
    if isinstance(error, click.ClickException):
        return UsageError(error.format_message())
    if isinstance(error, OSError):
        return DataError(f"{error.filename or 'output'}: {error.strerror or error}.")
    return DataError("The command was stopped." if isinstance(error, KeyboardInterrupt) else repr(error))


def _is_replaceable(path: Path, beginnings: tuple[bytes, ...]) -> bool:
    if not path.is_file():
        return True
    with path.open("rb") as file:
        begin = file.read(max(map(len, beginnings)))
    return not begin or begin.startswith(beginnings)

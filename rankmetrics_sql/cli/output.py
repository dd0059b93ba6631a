"""Print results, or write them to a file or table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..results.files import format_of, write
from .terminal import echo, screen

if TYPE_CHECKING:
    from ..results.tables import Table


def create_table(arguments: Mapping[str, Any], result: Any, per_query: bool = False) -> bool:
    """Create the table of --into and return True. Without --into return False."""
    if arguments["into"] is None:
        return False
    result.create_table(arguments["into"], "per_query" if per_query else "summary", arguments["replace"])
    return True


def choose_form(arguments: dict[str, Any], what: str) -> None:
    """Choose the format of a result that trec_eval's format cannot hold.

    Raises:
        UsageError: --format is trec.
    """
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
) -> None:
    """Print or write records in the requested format; see ``layouts.render``."""
    from ..results import layouts

    form = arguments.get("form") or format_of(arguments.get("output"))
    text = layouts.render(records, form, pivot, counts, names, best, screen(arguments.get("output")))
    print_text(text, arguments)


def print_text(text: str, arguments: Mapping[str, Any]) -> None:
    """Print a text, or write it to the file of --output."""
    output = arguments.get("output")
    if output is None:
        echo(text, nl=False)
    else:
        write(text, output)

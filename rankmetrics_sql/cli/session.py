"""The session of commands that score: open the inputs, collect the arguments of the public functions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from .inputs import InputReader, check_database, open_inputs
from .texts import parse_columns, parse_settings

_REQUEST_ARGUMENTS = ("metrics", "by", "period", "timezone", "profile", "input_format")


@contextlib.contextmanager
def session(arguments: Mapping[str, Any], *texts: str | None) -> Iterator[tuple[InputReader, dict[str, Any]]]:
    """Open the inputs that the command line names. Yield them and the arguments of the public functions."""
    keywords, query_list = _keywords(arguments), arguments["query_list"]
    with open_inputs(arguments, *texts, query_list) as (inputs, database):
        yield inputs, keywords | {"query_list": inputs.one(query_list), "connection": database}


def _keywords(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Collect the arguments that are known before any data is read."""
    check_database(arguments)
    keywords = {name: arguments[name] for name in _REQUEST_ARGUMENTS if name in arguments}
    keywords["columns"] = parse_columns(arguments["columns"], arguments["position"])
    return keywords | parse_settings(arguments["settings"])

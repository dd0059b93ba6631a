"""What commands that score have in common: the inputs, and the arguments of the public functions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from .inputs import Inputs, check_database, opened
from .texts import column_map, settings_of

_OF_THE_REQUEST = ("metrics", "by", "period", "timezone", "profile", "input_format")


@contextlib.contextmanager
def session(arguments: Mapping[str, Any], *texts: str | None) -> Iterator[tuple[Inputs, dict[str, Any]]]:
    """The inputs that the command line names, and the arguments of the public functions."""
    keywords, query_list = _keywords(arguments), arguments["query_list"]
    with opened(arguments, *texts, query_list) as (inputs, database):
        yield inputs, keywords | {"query_list": inputs.one(query_list), "connection": database}


def _keywords(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the public functions that are known before anything is read."""
    check_database(arguments)
    keywords = {name: arguments[name] for name in _OF_THE_REQUEST if name in arguments}
    keywords["columns"] = column_map(arguments["columns"], arguments["position"])
    return keywords | settings_of(arguments["settings"])

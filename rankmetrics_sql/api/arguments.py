"""Check the types of the arguments of public functions before anything is done with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

from ..definitions.known import known_options
from ..errors import UsageError, nearest, shortened


def check_arguments(arguments: Mapping[str, Any]) -> None:
    """Refuse arguments of a type that no value of theirs can have; their values are checked where they are used.

    Args:
        arguments: all arguments of a public function by name; the option keywords are in ``options``.
    """
    names = arguments.keys() - {"options"}
    for name in arguments.get("options", ()):
        if name == "database":
            raise UsageError("Pass a URL or a DuckDB file as connection=.")
        if name in _OF_THE_PLACE:
            raise UsageError(f"{name} belongs to the connection. Pass connection=connect(PLACE, {name}=...).")
        if name not in known_options():
            hint = nearest(name, [*names, *_OF_THE_PLACE, *known_options()], known_options())
            what = (
                "argument"
                if any(hint.endswith(f" {argument!r}?") for argument in (*names, *_OF_THE_PLACE))
                else "option"
            )
            raise UsageError(f"Unknown {what} {name!r}. {hint}")
    queries = arguments.get("options", {}).get("queries")
    if "query_list" in names and not isinstance(queries, str | bytes | int | float | None):
        words = ", ".join(map(str, known_options()["queries"]["choices"]))
        raise UsageError(
            f"queries takes one of {words}, not a {type(queries).__name__}. A table of queries goes to query_list=."
        )
    for name in names & _WANTED.keys():
        value, (is_one, expected) = arguments[name], _WANTED[name]
        if not (is_one(value) or (value is None and name not in _NEEDED)):
            raise UsageError(f"{name} is {expected}, not {shortened(value)}.")


def as_list(name: str, value: str | Sequence[str]) -> list[str]:
    """Return one text or several as a list; raise for other types."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{name} takes a column name or a list of them, not {shortened(value)}.")
    return list(names)


def as_sets(name: str, value: bool | Sequence[str | Sequence[str]]) -> bool | list[list[str]]:
    """Return a flag, or the sets of columns; raise for other types."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, list | tuple):
        raise UsageError(f"{name} takes True, False or a list of lists of columns, not {shortened(value)}.")
    return [as_list(name, columns) for columns in value]


def check_zone(name: str | None) -> None:
    """Raise for an unknown time zone, if this machine knows their names."""
    if name is None:
        return
    from zoneinfo import available_timezones

    zones = available_timezones()
    if zones and name not in zones:
        raise UsageError(f"Unknown time zone {name!r}. {nearest(name, zones, ('Europe/Berlin', 'UTC', '...'))}")


def _is_text(value: Any) -> bool:
    """Check for text without half a surrogate pair."""
    return isinstance(value, str) and value.encode(errors="ignore").decode() == value


def _is_texts(value: Any) -> bool:
    """Check for one text or several, each of which is checked when it is read."""
    return isinstance(value, str) or (
        isinstance(value, Iterable) and not isinstance(value, bytes | Mapping) and getattr(value, "shape", None) != ()
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 < int(value) < 2**31


def _is_days(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_DAYS


def _is_shares(value: Any) -> bool:
    """Check for two or more names with a number above 0 each."""
    return (
        isinstance(value, Mapping)
        and len(value) > 1
        and all(isinstance(name, str) and name for name in value)
        and all(isinstance(share, int | float) and not isinstance(share, bool) for share in value.values())
        and all(0 < share < 1e300 for share in value.values())
    )


_MOST_DAYS = 100_000  # a time before that is none of Python's
_OF_THE_PLACE = ("dialect", "materialize", "memory_limit", "progress", "threads", "timeout")

_Kind = tuple[Callable[[Any], bool], str]
_TEXT: _Kind = (_is_text, "text")
_FLAG: _Kind = (lambda value: isinstance(value, bool), "True or False")

# Of the other arguments what a value means decides of what kind it may be, so they are looked at where that is known.
_WANTED: Mapping[str, _Kind] = {
    **dict.fromkeys(("against", "along", "baseline", "level", "order", "period", "profile", "shape"), _TEXT),
    **dict.fromkeys(("comments", "drop", "header", "remove", "all_pairs"), _FLAG),
    "dialect": (_is_text, "the name of a dialect"),
    "input_format": (_is_text, "the name of a format"),
    "limit": (_is_whole, "a whole number of at least 1"),
    "memory_limit": (_is_text, "a size such as '4GB'"),
    "min_queries": (_is_whole, "a whole number of at least 1"),
    "metric": (_is_texts, "a metric string"),
    "metrics": (_is_texts, "a metric string or a list of them"),
    "older_than": (_is_days, "a number of days, 0 or more"),
    "partitions": (_is_whole, "a whole number of at least 1"),
    "shares": (_is_shares, "the share of each of two arms or more, a number above 0, as {'control': 0.9, 'new': 0.1}"),
    "schema": (_is_text, "the name of a schema"),
    "statement": (_is_text, "the text of a statement"),
    "timezone": (_is_text, "the name of a time zone"),
    **dict.fromkeys(("cluster", "covariate", "strata", "weight"), (_is_text, "the name of a column")),
    "threads": (_is_whole, "a whole number of at least 1"),
}
_NEEDED = {
    "against",
    "all_pairs",
    "along",
    "comments",
    "drop",
    "header",
    "level",
    "metric",
    "metrics",
    "older_than",
    "partitions",
    "remove",
    "shape",
    "statement",
}

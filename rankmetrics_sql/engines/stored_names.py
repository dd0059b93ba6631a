"""The names of tables that an evaluation leaves in a database for a while, by which ``clean`` finds what was left.

A table that we store is ``rankmetrics_TIME_TOKEN``, with its role and number behind that where there are several. A
table that a new one replaces by renaming is ``NAME_rankmetrics_old_TIME_TOKEN`` until it is dropped. NAME is the
beginning of its name where all of it would be too long.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from typing import NamedTuple

_TIME = "%Y%m%d%H%M%S"
_LONGEST = 63  # characters of a name that every engine takes
_STAMP = r"(?P<time>\d{14})_(?P<token>[0-9a-f]{8})"
_STORED = re.compile(rf"rankmetrics_{_STAMP}(?:_[a-z_]+_\d+)?", re.IGNORECASE)
_OLD = re.compile(rf"(?P<table>.+)_rankmetrics_old_{_STAMP}", re.IGNORECASE | re.DOTALL)


def stored_name() -> str:
    """Return a new name for tables that we store."""
    return f"rankmetrics_{_stamp()}"


def old_name(table: str) -> str:
    """Return the name under which a table waits while a new one takes its name."""
    end = f"_rankmetrics_old_{_stamp()}"
    return table[: _LONGEST - len(end)] + end


def _stamp() -> str:
    return f"{datetime.now(UTC).strftime(_TIME)}_{os.urandom(4).hex()}"


class Leftover(NamedTuple):
    """What the name of a table says.

    Attributes:
        created: when the name was made.
        table: the name that an old table had, or its beginning; None for a table that we stored.
        is_cut: whether the old table's name may have been longer.
    """

    created: datetime
    table: str | None = None
    is_cut: bool = False


def read_name(name: str) -> Leftover | None:
    """Return what the name of a table says; None if it is not exactly of our forms."""
    match = _STORED.fullmatch(name) or _OLD.fullmatch(name)
    if match is None:
        return None
    try:
        created = datetime.strptime(match["time"], _TIME).replace(tzinfo=UTC)
    except ValueError:  # 14 digits that are no time
        return None
    return Leftover(created, match.groupdict().get("table"), len(name) >= _LONGEST)

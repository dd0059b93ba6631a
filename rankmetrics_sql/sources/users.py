"""The users of a log, where a comparison of arms does not know them: requests of one user are alike."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..dialects.names import unquoted
from ..engines import is_engine
from ..errors import advise
from ..inputs.reader import Reader
from ..relation import KnownFacts, Relation
from ..templates import macros
from .base import Rows

_WHO = "rankmetrics_user"


@dataclass(frozen=True)
class Users:
    """Users that have several requests.

    Attributes:
        name: their column, as ``cluster=`` takes it.
        column: the column of the relation.
        relation: a row for each request and user, as a list of queries.
        warning: that they have several.
    """

    name: str
    column: str
    relation: Relation
    warning: str


def repeated_users(source: Rows) -> Users | None:
    """Return the users of a log, where some have several requests, and where columns of one relation name both."""
    side, user = source.columns.get("user", ("", None))
    place = source.place
    if not is_engine(place) or not isinstance(user, str):
        return None
    key = "request"
    if source.only_requests_have("user"):
        source = replace(source, columns={**source.columns, "user": ("queries", user)})
        side, key = "queries", "queries.request"
    user = source.column("user")
    if source.columns.get(key, ("", None))[0] != side or source.column(key) is None:
        return None
    if not macros()["rm_is_column"](user):
        return None  # what has no name cannot be named as the cluster
    request = source.column(key)
    keys = [request] if isinstance(request, str) else list(request)
    names = [f"rankmetrics_request_{number}" for number, _ in enumerate(keys)]
    not_null = " AND ".join(f"u.{name} IS NOT NULL" for name in (*names, _WHO))
    columns = ", ".join(f"{sql} AS {name}" for sql, name in zip((*keys, user), (*names, _WHO), strict=True))
    rows = f"SELECT {columns} FROM {source.read[side].sql} s"
    distinct_rows = f"SELECT DISTINCT * FROM ({rows}) u WHERE {not_null}"
    counts = "SELECT COUNT(CASE WHEN n_requests > 1 THEN 1 END), COUNT(*) FROM "
    counts += f"(SELECT COUNT(*) AS n_requests FROM ({distinct_rows}) d GROUP BY {_WHO}) t"
    _, [(n_repeated, n_users)] = place.run(counts)
    if not n_repeated:
        return None
    name = unquoted(user, place.dialect)
    label, facts = f"{source.label} ({name})", KnownFacts(clean=True)
    relation = Reader(place).derived(
        distinct_rows, "query_list", label, facts, is_permanent=source.is_permanent, optional_ids=False
    )
    return Users(
        name,
        _WHO,
        replace(relation, columns={"query_id": names}),
        f"{source.label}: {n_repeated:,} of {n_users:,} users ({name}) have several requests. They count as"
        f" independent, so intervals are too narrow and p-values too low. {advise('argument', 'cluster', name)}"
        " computes them by user.",
    )

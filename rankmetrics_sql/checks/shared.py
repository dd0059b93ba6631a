"""Clusters that have queries in several groups, so that the groups are not independent."""

from __future__ import annotations

from typing import Any

from ..statements.relation import Relation
from .ask import Asker


def clusters_in_groups(asker: Asker) -> int:
    """The number of clusters with queries in several groups; only inputs with these columns are read.

    Args:
        asker: asks about the inputs of a query with groups and a cluster.
    """
    query = asker.query
    groups = {f"group_{number}": group for number, group in enumerate(query.groups, start=1)}
    *names, key = groups

    def side(relation: Relation) -> dict[str, Any]:
        columns = {name: group.column for name, group in groups.items() if group.relation == relation.side}
        return {"input": relation, "columns": columns}

    runs = [own for own in map(side, query.runs) if own["columns"]]
    others = [own for own in map(side, filter(None, (query.query_list, query.qrels))) if own["columns"]]
    first, rest = (runs, others) if runs else (others[:1], others[1:])
    return int(asker.row("clusters_in_groups", first, rest, [key], names)[0])

"""The groups of a result: which columns of which input, and periods of its time."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from ..definitions.resolution import raise_refusal
from ..dialects import CANONICAL, Dialect
from ..dialects.names import split_name, unquoted
from ..errors import DataError, UsageError, advise, nearest
from ..relation import EXPRESSION, Relation
from ..templates import macros
from .columns import SIDES, ColumnSpec, Group
from .expressions import PERIOD, expression, has_column, lacking_columns

# What a field of a column is called as a column.
_FIELD = EXPRESSION.format("field_{}")

_WHAT_SIDE = {"qrels": "table of judgments", "query_list": "query list"}

Sides = Mapping[str, Sequence[Relation]]


def groups_of(spec: ColumnSpec, by_side: Sides, dialect: Dialect) -> tuple[list[Group], Group | None]:
    """Return the groups of a result, a cluster or stratum last, and the column with the time where there are periods.

    Args:
        spec: what the groups are said to be.
        by_side: the inputs, by what the user calls them, in the order in which they are asked for a column.
        dialect: whose quotes stand around parts of names.
    """
    groups = [group_of(column, by_side, dialect) for column in spec.by]
    time = _time(spec, by_side, dialect)
    if time is not None:
        groups.append(Group("period", PERIOD, time.relation))
    for argument, column in spec.units.items():
        groups.append(group_of(column, by_side, dialect, argument))
        if groups[-1] in groups[:-1]:
            so = "one cluster and no variance" if argument == "cluster" else "one stratum"
            raise UsageError(f"by and {argument} both name {column!r}, so each group has {so}. Omit it in one of them.")
    return groups, time


def sets_of(spec: ColumnSpec, groups: Sequence[Group]) -> bool | list[list[str]]:
    """Return the sets of a rollup by labels of groups; a column that is not a group stays and is refused later."""
    if isinstance(spec.rollup, bool):
        return spec.rollup
    labels = {column: group.label for column, group in zip(spec.labels, groups, strict=True)}
    return [[labels.get(column, column) for column in columns] for columns in spec.rollup]


def _time(spec: ColumnSpec, by_side: Sides, dialect: Dialect) -> Group | None:
    """Return the time column if the caller asks for periods."""
    times = spec.times
    if not times and spec.period is None and spec.timezone is None:
        return None
    time = _time_of(*times[0], by_side, dialect) if len(times) == 1 else None
    relation = by_side[time.relation][0] if time is not None else by_side["run"][0]
    dialect_macros = macros(relation.dialect.name if spec.period is not None else CANONICAL.name)
    raise_refusal(dialect_macros["rm_period_refusal"](spec.period, spec.timezone, len(times)))
    type_ = (relation.types or {}).get(unquoted(time.column), "") if time is not None else ""
    if type_ == "DATE" and spec.timezone not in (None, "UTC"):
        raise relation.error(f"{'.'.join(filter(None, times[0]))} is a DATE, which has no time zone. Omit timezone.")
    return time


def _time_of(side: str, text: str, by_side: Sides, dialect: Dialect) -> Group:
    """Return the column with the time, or SQL over the row of the first relation that has what it reads."""
    order = [place for place in by_side if by_side[place] and side in ("", place)]
    for place in order:
        computed = expression(by_side[place][0], text)
        if computed is not None and not any(lacking_columns(one, computed) for one in by_side[place]):
            return Group("time", computed.sql, place)
    return group_of(f"{side}.{text}" if side else text, by_side, dialect, "time")


def split_side(column: str, dialect: Dialect, sides: Collection[str] = SIDES) -> tuple[str, str]:
    """Split the name of a column into the input or table before it, "" if there is none, and the rest: a name or field.

    Args:
        column: as the user writes it.
        dialect: whose quotes stand around its parts.
        sides: what may stand before a column.
    """
    parts = split_name(column, dialect) if column.strip() else [column]
    for n_parts in range(len(parts) - 1, 0, -1):
        side = ".".join(parts[:n_parts])
        if side in sides:
            return side, ".".join(parts[n_parts:])
    return "", column


def group_of(
    column: str,
    relations: Sides,
    dialect: Dialect,
    argument: str = "by",
) -> Group:
    """Return the column to group by, of the relation that it names, or of the first that has it.

    Where there is no connection to ask, the first input that there is counts.

    Args:
        column: as the user writes it.
        relations: by side, in the order in which they are asked.
        dialect: whose quotes stand around its parts.
        argument: what named it.
    """
    side, rest = split_side(column, dialect)
    order = [place for place in relations if relations[place]]
    write = relations["run"][0].column
    are_known = all(relation.is_known for place in order for relation in relations[place])
    is_there = are_known and any(has_column(relation, rest) for place in order for relation in relations[place])
    if "(" in rest and rest[0] not in '"`[' and not is_there:
        raise UsageError(
            f"{argument} takes a column, not SQL such as {rest}. Compute it in a query, and name the column:"
            f" SELECT *, {rest} AS my_column FROM ..."
        )
    if not are_known and len(split_name(rest, dialect)) > 1:
        sides = ", ".join(f"{column_name}." for column_name in SIDES)
        raise UsageError(f"{argument}: {column!r}: only {sides} may stand before a column.")
    whole = [(place, column) for place in order] if are_known or not side else []
    for place, name in [*whole, *([(side, rest)] if side else [])]:
        bare = unquoted(name, dialect)
        matches = [relation.find(bare) for relation in relations[place]]
        if matches and None in matches and all(has_column(relation, name) for relation in relations[place]):
            return _of_field(name, place, relations[place][0])
        if not matches or None in matches:
            continue
        if len({str(one).lower() for one in matches}) > 1:
            raise DataError(f"{argument}: the column {bare!r} has different names in the runs. Rename it in a query.")
        return Group(*(write(name), write(name)) if not are_known else (write(bare), write(str(matches[0]))), place)
    if side in SIDES and side not in order:
        of_run = f"the column of the run: 'run.{rest}'"
        how = advise("argument", "query_list", "TABLE") if side == "query_list" else of_run
        raise UsageError(f"{argument}: there is no {_WHAT_SIDE[side]} for {column!r}. Pass {how}.")
    columns = [
        column_name for place in order for relation in relations[place] for column_name in relation.source_columns
    ]
    raise DataError(
        f"{argument}: no column {column!r} in the query list, the judgments or all runs. {nearest(column, columns)}"
    )


def _of_field(path: str, place: str, relation: Relation) -> Group:
    """Return the group of a field of a column: its relation computes it, and the result has the name of the field."""
    label = unquoted(macros()["rm_last_part"](path), relation.dialect)
    name = _FIELD.format(re.sub(r"\W", "_", path).lower())
    return Group(relation.column(label), relation.column(name), place, path)

"""Whether effects differ between groups: Welch's F test over the effects and errors of the groups."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..definitions.verdicts import FEWEST_UNITS
from ..rows import Record
from .numbers import format_pvalue
from .power import f_tail
from .summary_rows import groups_of

COLUMNS = [
    *("run", "baseline_run", "metric", "n_groups", "n_left_out", "statistic", "df1", "df2", "pvalue", "pvalue_adj"),
    *("q", "i_squared", "reason"),
]

_MOST_NAMED = 4  # metrics and runs in a sentence
_ONE_GROUP = "there is one group"


class _Effects(NamedTuple):
    """The effects of the groups, each with its standard error and degrees of freedom."""

    sizes: list[float]
    errors: list[float]
    degrees: list[float]


def rows_between(
    records: Sequence[Record], options: Mapping[str, Any], sums: Collection[str] = (), n_shared: int = 0
) -> list[dict[str, Any]]:
    """Test for each run and metric whether effects differ between groups; ``n_shared`` clusters are in several."""
    by_key: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        by_key.setdefault((record["run"], record["baseline_run"], record["metric"]), []).append(record)
    rows = []
    for key, of_key in by_key.items():
        usable = [record for record in of_key if _is_usable(record, options)]
        reason = _general_reason(options, n_shared) or _own_reason(of_key, usable, options, sums)
        row: dict[str, Any] = dict.fromkeys(COLUMNS) | dict(zip(COLUMNS, key, strict=False))
        row |= {"n_groups": len(usable), "n_left_out": len(of_key) - len(usable), "reason": reason}
        rows.append(row if reason else row | _welch(_effects(usable)))
    _correct(rows)
    return rows


def describe_groups(
    rows: Sequence[Mapping[str, Any]], records: Sequence[Record], options: Mapping[str, Any]
) -> list[str]:
    """Return sentences on which effects differ between groups."""
    between = _between(groups_of(records))
    tested = [row for row in rows if row["pvalue_adj"] is not None]
    if not tested:
        reasons = [row["reason"] for row in rows if row["reason"] != _ONE_GROUP][:1]
        return [f"Whether the effect differs {between} is not tested: {reason}." for reason in reasons]
    differ = [row for row in tested if row["pvalue_adj"] <= round(1 - float(options["confidence_level"]), 12)]
    rest = [row for row in tested if row not in differ]
    sentences = []
    if differ:
        sentences.append(f"The effect{_named(differ, rows)} differs {between} {_pvalues(differ, rows)}.")
    if rest:
        sentences.append(
            f"There is no evidence that the effect{_named(rest, rows)} differs {between} {_pvalues(rest, rows)}."
        )
    n_left_out = max(row["n_left_out"] for row in tested)
    if n_left_out:
        groups = "1 group has" if n_left_out == 1 else f"{n_left_out:,} groups have"
        sentences.append(f"{groups} too few queries for that and {'is' if n_left_out == 1 else 'are'} left out.")
    return sentences


def _is_usable(record: Record, options: Mapping[str, Any]) -> bool:
    """Return whether a group has a standard error and enough units that differ."""
    if not record["standard_error"] or record["effect_size"] is None or not _degrees(record):
        return False
    has_signs = options["design"] == "paired" and record["n_higher"] is not None  # a pooled metric has none
    changed = record["n_higher"] + record["n_lower"] if has_signs else math.inf
    return bool(min(record["n_units"], changed) >= FEWEST_UNITS)


def _degrees(record: Record) -> float | None:
    """Return the degrees of freedom of an effect."""
    degrees = record.get("degrees_of_freedom", record["n_queries"] - 1)
    return None if degrees is None else float(degrees)


def _general_reason(options: Mapping[str, Any], n_shared: int) -> str | None:
    """Return why no metric can be tested."""
    if options.get("sequential") is not None:
        return "it holds on one day only, and sequential= looks on all"
    if n_shared:
        some = "1 value" if n_shared == 1 else f"{n_shared:,} values"
        return f"{some} of {options['cluster']} {'is' if n_shared == 1 else 'are'} in several groups"
    return None


def _own_reason(
    records: Sequence[Record], usable: Sequence[Record], options: Mapping[str, Any], sums: Collection[str]
) -> str | None:
    """Return why the effects of one metric cannot be tested."""
    if len(records) < 2:
        return _ONE_GROUP
    if records[0]["metric"] in sums:
        return "a sum is larger in a group of more queries"
    if all(record["standard_error"] is None for record in records):
        return "its effects have no standard error"
    if len(usable) < 2:
        units = "queries" if options.get("cluster") is None else f"values of {options['cluster']}"
        where = "that differ" if options["design"] == "paired" else "in each arm"
        return f"fewer than two groups have {FEWEST_UNITS} {units} {where}"
    return None


def _effects(records: Sequence[Record]) -> _Effects:
    columns = zip(*((one["effect_size"], one["standard_error"], _degrees(one)) for one in records), strict=True)
    return _Effects(*([float(value) for value in column] for column in columns))


def _welch(effects: _Effects) -> dict[str, float]:
    """Compute Welch's heteroscedastic F (1951), which weighs groups by the inverse of their squared errors."""
    largest = max(effects.errors)  # as unit, so that squares of small errors do not become 0
    weights = [(largest / error) ** 2 for error in effects.errors]
    total, number = math.fsum(weights), len(weights)
    mean = math.fsum(w * size for w, size in zip(weights, effects.sizes, strict=True)) / total
    away = [(size - mean) / largest for size in effects.sizes]
    q = math.fsum(w * distance**2 for w, distance in zip(weights, away, strict=True))
    spread = math.fsum((1 - w / total) ** 2 / df for w, df in zip(weights, effects.degrees, strict=True))
    df1, square = number - 1, number**2 - 1
    statistic = q / df1 / (1 + 2 * (number - 2) * spread / square)
    df2 = square / (3 * spread)
    return {
        "statistic": statistic,
        "df1": float(df1),
        "df2": df2,
        "pvalue": f_tail(statistic, df1, df2),
        "q": q,
        "i_squared": max(0.0, 1 - df1 / q) if q else 0.0,
    }


def _correct(rows: Sequence[dict[str, Any]]) -> None:
    """Correct the p-values over the rows (Holm)."""
    tested = sorted((row for row in rows if row["pvalue"] is not None), key=lambda row: float(row["pvalue"]))
    largest = 0.0
    for place, row in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - place) * row["pvalue"]))
        row["pvalue_adj"] = largest


def _between(groups: Sequence[str]) -> str:
    """Return which values the groups are between."""
    if len(groups) == 1:
        return "between periods" if groups[0] == "period" else f"between values of {groups[0]}"
    return f"between values of {', '.join(groups[:-1])} and {groups[-1]} together"


def _named(rows: Sequence[Mapping[str, Any]], every: Sequence[Mapping[str, Any]]) -> str:
    """Return the metrics and runs of rows, where there are several."""
    metrics, pairs = ({_key(row)[place] for row in every} for place in (0, 1))
    if len(every) == 1:
        return ""
    names = [
        " of ".join(
            [*([str(row["metric"])] if len(metrics) > 1 else []), *([str(row["run"])] if len(pairs) > 1 else [])]
        )
        for row in rows
    ]
    first_names = names[:_MOST_NAMED]
    more = f" and {len(names) - len(first_names):,} more" if len(names) > len(first_names) else ""
    return (
        f" of {', '.join(first_names)}{more}"
        if len(metrics) == 1 or len(pairs) == 1
        else f" in {', '.join(first_names)}{more}"
    )


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["metric"], (row["run"], row["baseline_run"])


def _pvalues(rows: Sequence[Mapping[str, Any]], every: Sequence[Mapping[str, Any]]) -> str:
    """Return the p-value, or the least and the greatest."""
    values = [row["pvalue_adj"] for row in rows]
    ends = list(dict.fromkeys(format_pvalue(value) for value in (min(values), max(values))))
    p = f"p {'' if ends[0].startswith('<') else '= '}{' to '.join(ends)}".replace("<0", "< 0")
    tested = [row for row in every if row["pvalue_adj"] is not None]
    corrected = " after correction" if len(tested) > 1 else ""
    numbers = sorted({row["n_groups"] for row in rows})
    groups = " to ".join(f"{number:,}" for number in dict.fromkeys((numbers[0], numbers[-1])))
    return f"({p}{corrected}, Welch's F test of {groups} groups)"

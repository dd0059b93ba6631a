"""The sample ratio of an experiment: how many queries, or clusters, each arm has, and warnings about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..dialects.names import unquoted
from ..errors import UsageError

# The severity of what breaks a test of dbt.
_BROKEN = 2

# Queries are seldom what is assigned: of users who ask different numbers of queries, arms are uneven by chance.
_UNEVEN = "If queries were assigned, the assignment was not random, and the difference may come from it."
_NOT_RANDOM = "The assignment was not random, so the difference may come from it."

# The share of units in several arms that is warned of: fewer are a few devices that were handed on, or cookies lost.
_MANY_SHARED = 0.01


@dataclass(frozen=True)
class Unit:
    """What is counted.

    Attributes:
        name: the column whose values are counted, or None for queries.
        is_clustered: whether errors are by its values, too.
    """

    name: str | None = None
    is_clustered: bool = True


@dataclass(frozen=True)
class Ratio:
    """The units of each arm, in total or in one group.

    Attributes:
        where: the group, as ``market=de``; empty for the total.
        counts: of each arm how many units are in no other arm.
        expected: of each arm how many of them there should be; 0 for an arm that the design lacks.
        pvalue: the probability of being so far apart by chance, of groups corrected for how many there are; None where
            there is nothing to test, or too many arms for the test.
        is_mismatch: whether that is more than chance allows.
        n_shared: how many units are in several arms.
    """

    where: str
    counts: Mapping[str, int]
    expected: Mapping[str, float]
    pvalue: float | None
    is_mismatch: bool
    n_shared: int

    def check_design(self) -> None:
        """Refuse arms that are not in the design."""
        for arm, expected in self.expected.items():
            if not expected and any(self.expected.values()):
                names = ", ".join(name for name, share in self.expected.items() if share)
                raise UsageError(
                    f"shares: the arm {arm} has queries but no share. There are shares of {names}. Correct a"
                    f" name, or add {arm}."
                )


def ratios(rows: Sequence[tuple[Any, ...]], groups: Sequence[str]) -> list[Ratio]:
    """Return the rows of the test ``sample_ratio_is_even``, by their groups.

    Args:
        rows: one for each group and arm.
        groups: the names of the groups, whose values the rows begin with.
    """
    by_group: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for row in rows:
        by_group.setdefault(row[: len(groups)], []).append(row[len(groups) :])
    return [_ratio(group_name(groups, values), counts) for values, counts in sorted(by_group.items(), key=str)]


def group_name(groups: Sequence[str], values: Sequence[Any]) -> str:
    """Return a group as messages have it: ``market=de, device=phone``."""
    return ", ".join(f"{unquoted(name)}={value}" for name, value in zip(groups, values, strict=True))


def _ratio(where: str, rows: Sequence[tuple[Any, ...]]) -> Ratio:
    arms = sorted(rows, key=lambda row: str(row[0]))
    *_, n_shared, _, pvalue, _, _, severity = arms[0]
    p = None if pvalue is None else float(pvalue)
    return Ratio(
        where,
        {str(row[0]): int(row[1]) for row in arms},
        {str(row[0]): float(row[2] or 0) for row in arms},
        p,
        is_mismatch=p is not None and severity >= _BROKEN,
        n_shared=int(n_shared),
    )


def ratio_line(
    all_ratios: Sequence[Ratio], order: Sequence[str], unit: Unit, shares: Mapping[str, float] | None
) -> str:
    """Return the line below a comparison: ``Sample ratio 2,473 : 2,467, arm sizes as planned (p = .93)``.

    Args:
        all_ratios: the ratio in total, then the ratios of groups.
        order: the arms that are known by name, the baseline first.
        unit: what is counted.
        shares: of each arm by design, if that was said.
    """
    total, *groups = all_ratios
    arms = [arm for arm in order if arm in total.counts]
    arms += [arm for arm in total.counts if arm not in arms]
    by = f" by {unit.name}" if not unit.is_clustered else ""
    parts = [f"Sample ratio{by} {' : '.join(f'{total.counts[arm]:,}' for arm in arms)}"]
    if shares is not None:
        parts.append(f"by design {' : '.join(f'{shares[arm]:g}' for arm in arms)}")
    if total.pvalue is not None:
        parts.append(f"arm sizes {'not ' if total.is_mismatch else ''}as planned ({_p(total.pvalue)})")
    sentences = [", ".join(parts) + "."]
    pvalues = [ratio.pvalue for ratio in groups if ratio.pvalue is not None]
    if len(pvalues) > 1:
        sentences.append(f"Of {len(groups):,} groups the most uneven has {_p(min(pvalues))}, corrected (Bonferroni).")
    if total.n_shared:
        sentences.append(f"{_shared(total, unit.name)}, left out of the ratio.")
    return " ".join(sentences)


def ratio_warnings(all_ratios: Sequence[Ratio], unit: Unit) -> Iterator[str]:
    """Yield warnings about arms that differ more than chance allows, and about units in several arms.

    Args:
        all_ratios: the ratio in total, then the ratios of groups.
        unit: what is counted.
    """
    total, *groups = all_ratios
    cluster = unit.name
    of_users = " If users were assigned, count them: pass cluster=." if cluster is None else ""
    for ratio in all_ratios:
        if not ratio.is_mismatch:
            continue
        where = f" in {ratio.where}" if ratio.where else ""
        of_groups = f" after correction for {len(groups):,} groups" if ratio.where and len(groups) > 1 else ""
        yield (
            f"Sample ratio mismatch{where}: {_expected(ratio, cluster)} ({_p(ratio.pvalue or 0)}{of_groups})."
            f" {_UNEVEN if cluster is None else _NOT_RANDOM}{of_users}"
        )
    n_units = total.n_shared + sum(total.counts.values())
    if total.n_shared > _MANY_SHARED * n_units:
        of_the_same = " If they are runs of the same queries, pass design=paired." if cluster is None else ""
        so = (
            "the arms are not independent, so the standard error may be too small or too large."
            if cluster is None
            else "what users saw in one arm may change what they do in the other, so the effect may be too small"
            " or too large." + (" The standard error counts each of them once." if unit.is_clustered else "")
        )
        yield f"{_shared(total, cluster)}, of {n_units:,}: {so}{of_the_same}"


def _expected(ratio: Ratio, cluster: str | None) -> str:
    """Return the counts of the arms, and the expected counts."""
    (first, n_first), *rest = ratio.counts.items()
    counts = ", ".join([f"{_units(n_first, cluster)} in {first}", *(f"{n:,} in {arm}" for arm, n in rest)])
    numbers = [f"{number:,.0f}" for number in ratio.expected.values()]
    if len(set(ratio.expected.values())) == 1:
        return f"{counts}, {numbers[0]} expected in each"
    return f"{counts}, {', '.join(numbers[:-1])} and {numbers[-1]} expected"


def _shared(ratio: Ratio, cluster: str | None) -> str:
    several = "both arms" if len(ratio.counts) == 2 else "several arms"
    return f"{_units(ratio.n_shared, cluster)} {'is' if ratio.n_shared == 1 else 'are'} in {several}"


def _units(number: int, cluster: str | None) -> str:
    """So many of what is counted."""
    if cluster is None:
        return "1 query" if number == 1 else f"{number:,} queries"
    return f"{number:,} {'value' if number == 1 else 'values'} of {cluster}"


def _p(value: float) -> str:
    """Return a probability as papers have it: p = .93, p = .0005."""
    return "p < .0001" if value < 0.0001 else f"p = {f'{value:.2g}'.removeprefix('0')}"

"""The metrics of the items shown once more: of a list of items, or of all lists together, and what is known of items.

A catalogue maps an item to ``popularity``, a number or None, and ``categories``, a set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import log2
from statistics import fmean
from typing import Any

Items = Mapping[str, Mapping[str, Any]]
Lists = Sequence[Sequence[str]]


def popularity(item: str, items: Items) -> float:
    return items.get(item, {}).get("popularity") or 0


def categories(item: str, items: Items) -> set[str]:
    return set(items.get(item, {}).get("categories", ()))


def average_popularity(shown: Sequence[str], items: Items, k: int | None = None) -> float | None:
    return fmean(popularity(item, items) for item in shown[:k]) if shown else None


def self_information(
    shown: Sequence[str], items: Items, k: int | None = None, cold: float | None = None
) -> float | None:
    shares = [popularity(item, items) or cold for item in shown[:k]]
    known = [-log2(share) for share in shares if share is not None]
    return fmean(known) if known else None


def serendipity(
    shown: Sequence[str], items: Items, grades: Mapping[str, float], k: int | None = None, rel: float = 1
) -> float | None:
    popularities = sorted({known["popularity"] for known in items.values() if known.get("popularity")}, reverse=True)
    worth = []
    for rank, item in enumerate(shown[:k], 1):
        is_popular = item in items and popularity(item, items)
        place = popularities.index(popularity(item, items)) + 1 if is_popular else len(items) + 1
        surprises = item in items and grades.get(item, 0) >= rel
        worth.append(max(0, place - rank) / len(items) if surprises else 0)
    return fmean(worth) if worth else None


def user_coverage(shown: Sequence[str], items: Items, k: int | None = None) -> float:
    return float(len(shown[:k]) > 0)


def distinct_categories(shown: Sequence[str], items: Items, k: int | None = None) -> float:
    return len(set().union(*(categories(item, items) for item in shown[:k])))


def intra_list_diversity(
    shown: Sequence[str], items: Items, k: int | None = None, distance: str = "jaccard"
) -> float | None:
    if not shown:
        return None
    pairs = [(categories(one, items), categories(other, items)) for one, other in combinations(shown[:k], 2)]
    if not pairs:
        return 0
    if distance == "hamming":
        return fmean(len(one ^ other) for one, other in pairs)
    return float(fmean(1 - Fraction(len(one & other), len(one | other)) if one | other else 0 for one, other in pairs))


def catalogue_coverage(lists: Lists, items: Items, k: int | None = None) -> float:
    return len({item for shown in lists for item in shown[:k]} & set(items)) / len(items)


def exposure_gini(lists: Lists, items: Items, k: int | None = None) -> float | None:
    """Half the relative mean absolute difference of all pairs of items, an item with itself too."""
    counts = Counter(item for shown in lists for item in shown[:k])
    exposed = [counts[item] for item in items]
    if not sum(exposed):
        return None
    differences = sum(abs(one - other) for one in exposed for other in exposed)
    return differences / (2 * len(exposed) * sum(exposed))


def exposure_entropy(lists: Lists, items: Items, k: int | None = None) -> float | None:
    counts = Counter(item for shown in lists for item in shown[:k])
    shares = [count / counts.total() for count in counts.values()]
    return sum(-share * log2(share) for share in shares) if shares else None


def personalisation(lists: Lists, items: Items, k: int) -> float | None:
    pairs = list(combinations([set(shown[:k]) for shown in lists if shown], 2))
    return fmean(1 - len(one & other) / k for one, other in pairs) if pairs else None


OF_LISTS = {
    function.__name__: function for function in (catalogue_coverage, exposure_gini, exposure_entropy, personalisation)
}
OF_A_LIST = {
    function.__name__: function
    for function in (average_popularity, self_information, user_coverage, distinct_categories, intra_list_diversity)
}

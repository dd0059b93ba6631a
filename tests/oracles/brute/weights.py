"""Metrics of propensities, from their formulas, and what logged rows say of another policy.

A list holds an item's grade, propensity and chance under the other policy, or None where the item is not judged; the
judgments of the query, retrieved or not, are the same of every judged item.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from .shared import discounted, top, worth


@dataclass(frozen=True)
class Seen:
    grade: float
    propensity: float
    target: float = 0.0

    def weight(self, floor=0.0):
        return 1 / max(self.propensity, floor)


def clicked(shown, rel, k=None):
    """Ranks and items of the clicks."""
    return [(rank, item) for rank, item in enumerate(top(shown, k), start=1) if item and item.grade >= rel]


def over(part, whole):
    return part / whole if whole else 0.0


def all_weights(judged, floor, rel):
    return sum(item.weight(floor) for item in judged if item.grade >= rel)


def ips_rr(shown, judged, k=None, floor=0.0, self_normalised="false", rel=1):
    part, whole = _parts_of_rr(shown, judged, k, floor, rel)
    return over(part, whole) if self_normalised == "true" else part


def _parts_of_rr(shown, judged, k=None, floor=0.0, rel=1):
    for rank, item in clicked(shown, rel):
        return (item.weight(floor) / rank if rank <= (k or inf) else 0.0), item.weight(floor)
    return 0.0, 0.0


def ips_p(shown, judged, k=None, floor=0.0, rel=1):
    return over(sum(item.weight(floor) for _, item in clicked(shown, rel, k)), k or len(shown))


def ips_r(shown, judged, k=None, floor=0.0, rel=1):
    return over(sum(item.weight(floor) for _, item in clicked(shown, rel, k)), all_weights(judged, floor, rel))


def ips_dcg(shown, judged, k=None, floor=0.0, self_normalised="false", gain="linear", rel=1, discount="log2"):
    part, whole = _parts_of_dcg(shown, judged, k, floor, gain, rel, discount)
    return over(part, whole) if self_normalised == "true" else part


def _parts_of_dcg(shown, judged, k=None, floor=0.0, gain="linear", rel=1, discount="log2"):
    gains = [worth(item.grade, gain, rel) * item.weight(floor) if item else 0.0 for item in top(shown, k)]
    return discounted(gains, discount), all_weights(judged, floor, rel)


def ips_ndcg(shown, judged, k=None, floor=0.0, gain="linear", rel=1, discount="log2"):
    gains = sorted((worth(item.grade, gain, rel) * item.weight(floor) for item in judged), reverse=True)
    return over(ips_dcg(shown, judged, k, floor, "false", gain, rel, discount), discounted(top(gains, k), discount))


def ips_ap(shown, judged, k=None, floor=0.0, rel=1):
    found, above = 0.0, 0.0
    for rank, item in clicked(shown, rel, k):
        found += item.weight(floor) * (1 + above) / rank
        above += item.weight(floor)
    return over(found, all_weights(judged, floor, rel))


def clipped_share(shown, judged, k=None, floor=0.0, rel=1):
    return over(*_parts_of_clipped(shown, judged, k, floor, rel))


def _parts_of_clipped(shown, judged, k=None, floor=0.0, rel=1):
    clicks = [item for _, item in clicked(shown, rel, k)]
    return sum(item.propensity < floor for item in clicks), len(clicks)


def rewarded(shown, k=None, clip=None):
    """Weight and reward of the rows."""
    return [(min(item.target / item.propensity, clip or inf), item.grade) for item in top(shown, k) if item]


def ips(shown, judged, k=None, clip=None):
    return over(*_parts_of_ips(shown, judged, k, clip))


def _parts_of_ips(shown, judged, k=None, clip=None):
    rows = rewarded(shown, k, clip)
    return sum(weight * reward for weight, reward in rows), len(rows)


def iips(shown, judged, k=None, clip=None):
    return sum(weight * reward for weight, reward in rewarded(shown, k, clip))


def snips(shown, judged, k=None, clip=None):
    return over(*_parts_of_snips(shown, judged, k, clip))


def _parts_of_snips(shown, judged, k=None, clip=None):
    rows = rewarded(shown, k, clip)
    return sum(weight * reward for weight, reward in rows), sum(weight for weight, _ in rows)


def ess(shown, judged, k=None, clip=None):
    total, squares = _parts_of_ess(shown, judged, k, clip)
    return over(total**2, squares)


def _parts_of_ess(shown, judged, k=None, clip=None):
    rows = rewarded(shown, k, clip)
    return sum(weight for weight, _ in rows), sum(weight**2 for weight, _ in rows)


def clipped_weights(shown, judged, k=None, clip=None):
    return over(*_parts_of_clipped_weights(shown, judged, k, clip))


def _parts_of_clipped_weights(shown, judged, k=None, clip=None):
    rows = rewarded(shown, k)
    return sum(weight > (clip or inf) for weight, _ in rows), len(rows)


METRICS = {
    function.__name__: function
    for function in (
        ips_rr, ips_p, ips_r, ips_dcg, ips_ndcg, ips_ap, clipped_share, ips, iips, snips, ess, clipped_weights,
    )
}  # fmt: skip

# What is added up over all queries before it is divided; of some only where they are self-normalised.
PARTS = {
    "ips_rr": _parts_of_rr, "ips_dcg": _parts_of_dcg, "clipped_share": _parts_of_clipped, "ips": _parts_of_ips,
    "snips": _parts_of_snips, "ess": _parts_of_ess, "clipped_weights": _parts_of_clipped_weights,
}  # fmt: skip

"""What ``dev.bench.coverage`` asks of intervals, tests and verdicts: the rows of its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cells import CHANCE
from .replicates import FAMILY, GEOMETRIC, MAIN, Draw, Real, movielens, one_sided, trec_covid

MANY = 500  # queries, from which half of the replicates have to do
LOOKS = 10
DRAWS = 400  # an interval of percentiles is made of
DRAWS_OF_TESTS = 200
N_HARDLY_TESTED, N_SPARSE = 10, 50  # units that differ, below which compare warns

PAIRS = Draw("pairs", (*MAIN, GEOMETRIC))
SAME = Draw("pairs exchanged", exchanged=True)
ONLY_MEANS = Draw("pairs of equal means", equal_means=True)
ARMS = Draw("arms", arms=True)
SAME_ARMS = Draw("arms exchanged", arms=True, exchanged=True)
ONLY_MEANS_OF_ARMS = Draw("arms of equal means", arms=True, equal_means=True)
EQUAL = Draw("equal clusters", clusters="equal")
UNEQUAL = Draw("unequal clusters", clusters="unequal")
SAME_CLUSTERS = Draw("unequal clusters exchanged", clusters="unequal", exchanged=True)
SAME_FIVE = Draw("five metrics exchanged", FAMILY, exchanged=True)
AP = Draw("ap", ("ap",))
SAME_AP = Draw("ap exchanged", ("ap",), exchanged=True)


@dataclass(frozen=True)
class Part:
    """A table.

    Attributes:
        title: its heading.
        about: what stands above it.
        sizes: the numbers of queries.
        by_metric: whether each metric has columns of its own.
        bins: what replicates are told apart by, beside or instead of their number of queries: an expression of SQL.
        thinned: one replicate of how many, where each is drawn from again and that takes long.
    """

    title: str
    about: str
    sizes: Sequence[int] = (10, 50, MANY)
    by_metric: bool = False
    bins: str | None = None
    thinned: int = 1


COVERAGE = Part(
    "Intervals of 95 %",
    "How many of 100 intervals contain the truth, by metric and number of queries; with arms, queries of each.",
    by_metric=True,
)
ERRORS = Part("Tests at 0.05", "How many of 100 tests reject although the means are equal.", by_metric=True)
LOOKED_AT = Part(
    "Read ten times",
    "AP, read when a tenth of the queries are there, two tenths, and so on. `sequential` without a number is"
    " tightest at the last look.",
    sizes=(50, MANY),
)
FAMILIES = Part(
    "Five metrics",
    f"How many of 100 comparisons of runs alike call at least one metric significant, of {', '.join(FAMILY)}.",
)
DRAWN_COVERAGE = Part(
    "Intervals of 95 % by the bootstrap",
    f"How many of 100 intervals contain the truth, each from the percentiles of {DRAWS} draws. A replicate draws from"
    " its own queries, or clusters.",
    sizes=(10, 50),
    by_metric=True,
    thinned=5,
)
DRAWN_ERRORS = Part(
    "Tests at 0.05 by resampling",
    f"How many of 100 tests of {DRAWS_OF_TESTS} draws reject although the means are equal.",
    sizes=(10, 50),
    by_metric=True,
    thinned=5,
)
FEW_COVERAGE = Part(
    "Intervals of 95 % of two to ten queries",
    "How many of 100 intervals by t contain the truth.",
    sizes=range(2, 11),
)
FEW_ERRORS = Part(
    "Tests at 0.05 of two to ten queries",
    "How many of 100 comparisons of runs alike reject, and how many have the verdict *better* or *worse*.",
    sizes=range(2, 11),
)
CORRECTED_ENDS = Part(
    "Intervals of 95 % by percentiles and by BCa",
    f"How many of 100 intervals of {DRAWS} draws contain the truth.",
    sizes=(10, 30, 50, 100),
    by_metric=True,
    thinned=2,
)
ONE_SIDED = Part(
    "By number of queries",
    "How many of 100 comparisons by t reject although the true difference is 0. The other rows"
    " count how many have the verdict *better* or *worse*, and how many have it without a warning.",
    sizes=(50, 100, 200, MANY, 1000, 2000),
)
ONE_SIDED_CHANGED = Part(
    "By number of queries that changed",
    "The same comparisons, by how many of their queries changed.",
    sizes=ONE_SIDED.sizes,
    bins="""CASE
        WHEN a.n_units < 6 THEN 'below 6' WHEN a.n_units < 10 THEN '6 to 9' WHEN a.n_units < 20 THEN '10 to 19'
        WHEN a.n_units < 50 THEN '20 to 49' WHEN a.n_units < 100 THEN '50 to 99' ELSE '100 or more'
    END""",
)
# ... and the bins as columns stand.
BINS = ("below 6", "6 to 9", "10 to 19", "20 to 49", "50 to 99", "100 or more")


# What an answer says of one replicate and metric: whether its interval holds the truth, or its test rejects.
_CLAIMS = "a.verdict IN ('better', 'worse')"
_CHANGED = "a.n_higher + a.n_lower"
_WARNED = f"a.n_units < {N_HARDLY_TESTED} OR {_CHANGED} < {N_SPARSE} AND 2 * ({_CHANGED}) < a.n_queries"
INTERVALS = {
    "value": "a.ci_lower <= t.value AND t.value <= a.ci_upper",
    "effect": "a.effect_size_ci_lower <= t.effect AND t.effect <= a.effect_size_ci_upper",
    "relative": "a.rel_effect_size_ci_lower <= t.relative AND t.relative <= a.rel_effect_size_ci_upper",
}
ASKED = {
    **INTERVALS,
    "rejects": f"a.pvalue <= {CHANCE}",
    "rejects after correction": f"a.pvalue_adj <= {CHANCE}",
    "claims": _CLAIMS,
    "claims without a warning": f"{_CLAIMS} AND NOT ({_WARNED})",
}


@dataclass(frozen=True)
class Question:
    """A row of a table.

    Attributes:
        part: the table.
        label: what is asked of.
        draw: the replicates.
        asks: what of an answer, a key of ``ASKED``.
        options: of the statement; ``sequential`` may be a share of the queries.
        looks: how often the growing sample is looked at.
        together: whether one metric that rejects is enough.
    """

    part: Part
    label: str
    draw: Draw
    asks: str
    options: Mapping[str, Any] = field(default_factory=dict)
    looks: int = 1
    together: bool = False

    @property
    def nominal(self) -> float:
        """What the share should be."""
        return 1 - CHANCE if self.asks in INTERVALS else CHANCE

    @property
    def column(self) -> str:
        """What its replicates are counted apart by, an expression of SQL."""
        return "'any'" if self.together else self.part.bins or "a.metric"

    def replicates(self, n: int, size: int) -> int:
        """How many of n it has to do with."""
        if self.part.thinned > 1:
            return max(1, n // self.part.thinned)
        return n if size < MANY else fewer(n)


def fewer(replicates: int) -> int:
    """The replicates of what takes long."""
    return max(1, replicates // 2)


# Exact p-values need no counting, and those of all replicates at once would be millions of terms.
BY_NORMAL: Mapping[str, Any] = {"exact": "never"}


def questions() -> Iterator[Question]:
    """All that is asked."""
    t, clustered = {"interval": "t"}, {"cluster": True}
    welch, holm = {"design": "unpaired"}, {"family": "group", "correction": "holm"}
    yield Question(COVERAGE, "mean", PAIRS, "value", t)
    yield Question(COVERAGE, "geometric mean (gm_map)", PAIRS, "value", t)
    yield Question(COVERAGE, "paired difference", PAIRS, "effect")
    yield Question(COVERAGE, "paired difference, relative", PAIRS, "relative")
    yield Question(COVERAGE, "difference of arms (Welch)", ARMS, "effect", welch)
    yield Question(COVERAGE, "difference of arms, relative", ARMS, "relative", welch)
    for draw, kind in ((EQUAL, "equal"), (UNEQUAL, "unequal")):
        yield Question(COVERAGE, f"mean, {kind} clusters", draw, "value", t | clustered)
        yield Question(COVERAGE, f"paired difference, {kind} clusters", draw, "effect", clustered)
    yield Question(COVERAGE, "paired difference, unequal clusters ignored", UNEQUAL, "effect")
    for test in ("t", "wilcoxon", "sign"):
        yield Question(ERRORS, f"{test}, runs alike", SAME, "rejects", BY_NORMAL | {"test": test})
    yield Question(ERRORS, "t of arms (Welch), runs alike", SAME_ARMS, "rejects", welch)
    yield Question(ERRORS, "mann_whitney, runs alike", SAME_ARMS, "rejects", welch | {"test": "mann_whitney"})
    yield Question(ERRORS, "t, unequal clusters", SAME_CLUSTERS, "rejects", clustered)
    yield Question(ERRORS, "t, unequal clusters ignored", SAME_CLUSTERS, "rejects")
    for test in ("t", "wilcoxon", "sign"):
        yield Question(ERRORS, f"{test}, only the means alike", ONLY_MEANS, "rejects", BY_NORMAL | {"test": test})
    arms = ONLY_MEANS_OF_ARMS
    yield Question(ERRORS, "t of arms (Welch), only the means alike", arms, "rejects", welch)
    yield Question(ERRORS, "mann_whitney, only the means alike", arms, "rejects", welch | {"test": "mann_whitney"})
    for label, options in (("t", {}), ("sequential", {"sequential": 1.0}), ("sequential=5000", {"sequential": 5000})):
        yield Question(LOOKED_AT, f"{label}: every interval holds the difference", AP, "effect", options, LOOKS)
        yield Question(LOOKED_AT, f"{label}: a test rejects, runs alike", SAME_AP, "rejects", options, LOOKS)
    yield Question(FAMILIES, "no correction", SAME_FIVE, "rejects", holm, together=True)
    yield Question(FAMILIES, "holm", SAME_FIVE, "rejects after correction", holm, together=True)
    yield from resampled()
    yield from few_queries()
    yield from corrected_ends()
    yield from one_sided_changes()


DRAWN_TESTS = ("bootstrap", "randomisation")


def resampled() -> Iterator[Question]:
    """What is asked of draws, out of the queries or clusters of each replicate."""
    each: dict[str, Any] = {"resamples": DRAWS}
    clusters, arms = each | {"cluster": True}, each | {"design": "unpaired"}
    mean, effect = {"interval": "bootstrap"}, {"test": "bootstrap"}
    yield Question(DRAWN_COVERAGE, "mean, bootstrap", PAIRS, "value", mean | each)
    yield Question(DRAWN_COVERAGE, "paired difference, bootstrap", PAIRS, "effect", effect | each)
    yield Question(DRAWN_COVERAGE, "paired difference, relative, bootstrap", PAIRS, "relative", effect | each)
    yield Question(DRAWN_COVERAGE, "difference of arms, bootstrap", ARMS, "effect", effect | arms)
    yield Question(DRAWN_COVERAGE, "difference of arms, relative, bootstrap", ARMS, "relative", effect | arms)
    for draw, kind in ((EQUAL, "equal"), (UNEQUAL, "unequal")):
        yield Question(DRAWN_COVERAGE, f"mean, {kind} clusters, bootstrap", draw, "value", mean | clusters)
        label = f"paired difference, {kind} clusters, bootstrap"
        yield Question(DRAWN_COVERAGE, label, draw, "effect", effect | clusters)
    for test in DRAWN_TESTS:
        tested = {"test": test, "resamples": DRAWS_OF_TESTS}
        of_each, of_arms = each | tested, arms | tested
        yield Question(DRAWN_ERRORS, f"{test}, runs alike", SAME, "rejects", of_each)
        yield Question(DRAWN_ERRORS, f"{test} of arms, runs alike", SAME_ARMS, "rejects", of_arms)
        yield Question(DRAWN_ERRORS, f"{test}, unequal clusters", SAME_CLUSTERS, "rejects", clusters | tested)
        yield Question(DRAWN_ERRORS, f"{test}, only the means alike", ONLY_MEANS, "rejects", of_each)
        yield Question(DRAWN_ERRORS, f"{test} of arms, only the means alike", ONLY_MEANS_OF_ARMS, "rejects", of_arms)


def few_queries() -> Iterator[Question]:
    """What is asked of two to ten queries; the bootstrap draws from those of each replicate."""
    drawn: dict[str, Any] = {"test": "bootstrap", "resamples": DRAWS}
    for metric in ("ap", "rr"):
        pairs, alike = Draw(metric, (metric,)), Draw(f"{metric} exchanged", (metric,), exchanged=True)
        yield Question(FEW_COVERAGE, f"mean, {metric}", pairs, "value", {"interval": "t"})
        yield Question(FEW_COVERAGE, f"paired difference, {metric}", pairs, "effect")
        for test, options in (("t", {}), ("bootstrap", drawn)):
            yield Question(FEW_ERRORS, f"{test} rejects, {metric}", alike, "rejects", options)
            yield Question(FEW_ERRORS, f"{test}: better or worse, {metric}", alike, "claims", options)


def corrected_ends() -> Iterator[Question]:
    """What is asked of percentiles, and of percentiles that are corrected for bias and skewness."""
    each: dict[str, Any] = {"resamples": DRAWS}
    for name, ends in (("percentiles", "percentile"), ("BCa", "bca")):
        own = each | {"bootstrap_interval": ends}
        yield Question(CORRECTED_ENDS, f"mean, {name}", PAIRS, "value", {"interval": "bootstrap"} | own)
        yield Question(CORRECTED_ENDS, f"paired difference, {name}", PAIRS, "effect", {"test": "bootstrap"} | own)


def one_sided_changes() -> Iterator[Question]:
    """What is asked where few queries change, and few of those gain much."""
    for part in (ONE_SIDED, ONE_SIDED_CHANGED):
        yield Question(part, "t rejects", AP, "rejects")
        yield Question(part, "better or worse", AP, "claims")
        yield Question(part, "better or worse, not warned of", AP, "claims without a warning")


@dataclass(frozen=True)
class Section:
    """Tables that are counted at once, and written at their place on the page.

    Attributes:
        parts: the tables.
        data: what replicates are drawn from.
    """

    parts: Sequence[Part]
    data: Callable[[], Sequence[Real]]


def real_values() -> Sequence[Real]:
    """The values of real runs."""
    return [trec_covid(), movielens()]


def one_sided_values() -> Sequence[Real]:
    """Values that few queries change; of those one in five or in ten gains, and all others lose as much together."""
    return [one_sided(touched, winning) for touched, winning in ((10, 5), (20, 10))]


SECTIONS = {
    "coverage": Section((COVERAGE, ERRORS, LOOKED_AT, FAMILIES), real_values),
    "resampling": Section((DRAWN_COVERAGE, DRAWN_ERRORS), real_values),
    "few": Section((FEW_COVERAGE, FEW_ERRORS), real_values),
    "bca": Section((CORRECTED_ENDS,), real_values),
    "sparse": Section((ONE_SIDED, ONE_SIDED_CHANGED), one_sided_values),
}

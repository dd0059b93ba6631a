"""How often intervals and tests keep their word: ``python -m dev.bench.coverage [--write docs/statistics.md]``.

Replicates are drawn out of real values per query, whose truth is known because they are all there is; one statement
answers for all of them (``dev.bench.replicates``). What is counted is how often an interval of 95 % holds the truth,
and how often a test at 0.05 says that runs differ which do not.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

from .replicates import FAMILY, GEOMETRIC, MAIN, Connection, Draw, Real, fill, movielens, statement, trec_covid

REPLICATES = 2_000
SEED = 20260
SIZES = (10, 50, 500)
MANY = 500  # queries, from which half of the replicates have to do
LOOKS = 10
DRAWS = 400  # an interval of percentiles is made of
DRAWS_OF_TESTS = 200
CHANCE = 0.05
MARKER = "<!-- {}{} -->"  # around the tables of a section

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

COVERAGE, ERRORS = "Intervals of 95 %", "Tests at 0.05"
LOOKED_AT, FAMILIES = "Looked at ten times", "Five metrics"
DRAWN_COVERAGE, DRAWN_ERRORS = "Intervals of 95 % by the bootstrap", "Tests at 0.05 by resampling"
BY_METRIC = (COVERAGE, ERRORS, DRAWN_COVERAGE, DRAWN_ERRORS)

# What an answer says of one replicate and metric: whether its interval holds the truth, or its test rejects.
ASKED = {
    "value": "a.ci_lower <= t.value AND t.value <= a.ci_upper",
    "effect": "a.effect_size_ci_lower <= t.effect AND t.effect <= a.effect_size_ci_upper",
    "relative": "a.rel_effect_size_ci_lower <= t.relative AND t.relative <= a.rel_effect_size_ci_upper",
    "rejects": f"a.pvalue <= {CHANCE}",
    "rejects after correction": f"a.pvalue_adj <= {CHANCE}",
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

    part: str
    label: str
    draw: Draw
    asks: str
    options: Mapping[str, Any] = field(default_factory=dict)
    looks: int = 1
    together: bool = False

    @property
    def nominal(self) -> float:
        """What the share should be."""
        return CHANCE if self.asks.startswith("rejects") else 1 - CHANCE

    @property
    def is_resampled(self) -> bool:
        """Whether each replicate is drawn from again, which takes long."""
        return self.part in (DRAWN_COVERAGE, DRAWN_ERRORS)

    def is_for(self, size: int) -> bool:
        """Whether it is asked of so many queries: each look has some, and draws of many queries take too long."""
        return size >= 5 * self.looks and not (self.is_resampled and size >= MANY)

    def replicates(self, n: int, size: int) -> int:
        """How many of n it has to do with."""
        if self.is_resampled:
            return max(1, n // 5)
        return n if size < MANY else fewer(n)


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


# A row for each way to make an interval of what is drawn, and for each test that draws.
DRAWN_INTERVALS: Mapping[str, Mapping[str, Any]] = {"bootstrap": {}}
DRAWN_TESTS = ("bootstrap", "randomisation")


def resampled() -> Iterator[Question]:
    """What is asked of draws, out of the queries or clusters of each replicate."""
    each: dict[str, Any] = {"resamples": DRAWS}
    clusters, arms = each | {"cluster": True}, each | {"design": "unpaired"}
    for name, own in DRAWN_INTERVALS.items():
        mean, effect = {"interval": "bootstrap"} | own, {"test": "bootstrap"} | own
        yield Question(DRAWN_COVERAGE, f"mean, {name}", PAIRS, "value", mean | each)
        yield Question(DRAWN_COVERAGE, f"paired difference, {name}", PAIRS, "effect", effect | each)
        yield Question(DRAWN_COVERAGE, f"paired difference, relative, {name}", PAIRS, "relative", effect | each)
        yield Question(DRAWN_COVERAGE, f"difference of arms, {name}", ARMS, "effect", effect | arms)
        yield Question(DRAWN_COVERAGE, f"difference of arms, relative, {name}", ARMS, "relative", effect | arms)
        for draw, kind in ((EQUAL, "equal"), (UNEQUAL, "unequal")):
            yield Question(DRAWN_COVERAGE, f"mean, {kind} clusters, {name}", draw, "value", mean | clusters)
            label = f"paired difference, {kind} clusters, {name}"
            yield Question(DRAWN_COVERAGE, label, draw, "effect", effect | clusters)
    for test in DRAWN_TESTS:
        tested = {"test": test, "resamples": DRAWS_OF_TESTS}
        of_each, of_arms = each | tested, arms | tested
        yield Question(DRAWN_ERRORS, f"{test}, runs alike", SAME, "rejects", of_each)
        yield Question(DRAWN_ERRORS, f"{test} of arms, runs alike", SAME_ARMS, "rejects", of_arms)
        yield Question(DRAWN_ERRORS, f"{test}, unequal clusters", SAME_CLUSTERS, "rejects", clusters | tested)
        yield Question(DRAWN_ERRORS, f"{test}, only the means alike", ONLY_MEANS, "rejects", of_each)
        yield Question(DRAWN_ERRORS, f"{test} of arms, only the means alike", ONLY_MEANS_OF_ARMS, "rejects", of_arms)


@dataclass(frozen=True)
class Share:
    """How many of so many replicates; some may have no answer."""

    question: Question
    data: str
    size: int
    metric: str
    hits: int
    n_known: int
    n: int

    @property
    def value(self) -> float:
        """Of those with an answer."""
        return self.hits / self.n_known if self.n_known else math.nan

    @property
    def error(self) -> float:
        """Twice the error of Monte Carlo, were the share what it should be."""
        return 2 * math.sqrt(CHANCE * (1 - CHANCE) / self.n_known) if self.n_known else math.nan

    @property
    def off(self) -> int:
        """1 where it claims more than it holds, -1 where it is more careful than it has to be, 0 where neither."""
        away = self.value - self.question.nominal
        if not abs(away) > self.error:
            return 0
        return 1 if (away > 0) == (self.question.nominal == CHANCE) else -1

    def __str__(self) -> str:
        """As a cell: in percent, with how many have an answer where not all of them do."""
        shown = f"{100 * self.value:.1f}" if self.n_known else "-"
        shown = {1: f"**{shown}**", -1: f"*{shown}*", 0: shown}[self.off]
        return shown if self.n_known > 0.995 * self.n else f"{shown} of {math.floor(100 * self.n_known / self.n)}"


def asked_of(question: Question, size: int) -> dict[str, Any]:
    """The options of its statement; p-values are those of one test unless a correction is asked for."""
    options: dict[str, Any] = {} if "interval" in question.options else {"correction": "none"}
    options |= question.options
    if isinstance(share := options.get("sequential"), float):
        options["sequential"] = round(share * size)
    return options


def looks_of(question: Question, size: int) -> list[int | None]:
    """The sizes of the sample when it is looked at."""
    if question.looks == 1:
        return [None]
    return [size * look // question.looks for look in range(1, question.looks + 1)]


def answer(connection: Connection, question: Question, size: int, replicates: int) -> None:
    """The table ``answers``: what the statement says of every replicate, at each look."""
    for number, look in enumerate(looks_of(question, size)):
        text = statement(question.draw, replicates=replicates, look=look, **asked_of(question, size))
        into = "INSERT INTO answers" if number else "CREATE OR REPLACE TABLE answers AS"
        connection.execute(f"{into} {text}")


def count(connection: Connection, question: Question) -> list[tuple[str, int, int, int]]:
    """Of each metric how many replicates are a hit, have an answer, and are there."""
    metric = "'any'" if question.together else "a.metric"
    every = "BOOL_OR" if question.nominal == CHANCE else "BOOL_AND"
    return connection.execute(
        f"""SELECT metric, COUNT(*) FILTER (hit), COUNT(hit), COUNT(*)
        FROM (
            SELECT {metric} AS metric, a.replicate, {every}({ASKED[question.asks]}) AS hit
            FROM answers AS a JOIN truths AS t ON t.metric = a.metric
            GROUP BY ALL
        )
        GROUP BY metric"""
    ).fetchall()


def shares_of(
    connection: Connection, asked: Sequence[Question], data: str, size: int, replicates: int
) -> Iterator[Share]:
    """What comes of the questions of one draw, whose replicates are there; a statement runs once for all of them."""
    kept: tuple[Any, ...] | None = None
    for question in asked:
        wanted = (asked_of(question, size), question.looks)
        if wanted != kept:
            answer(connection, question, size, question.replicates(replicates, size))
            kept = wanted
        for metric, *numbers in count(connection, question):
            if (metric == GEOMETRIC) == ("geometric" in question.label):
                yield Share(question, data, size, metric, *numbers)


def fewer(replicates: int) -> int:
    """The replicates of what takes long."""
    return max(1, replicates // 2)


def simulated(
    asked: Sequence[Question], data: Sequence[Real], sizes: Sequence[int], replicates: int, seed: int
) -> list[Share]:
    """The shares of all questions."""
    shares: list[Share] = []
    draws = list(dict.fromkeys(question.draw for question in asked))
    with duckdb.connect() as connection:
        for real, draw, size in itertools.product(data, draws, sizes):
            own = [question for question in asked if question.draw == draw and question.is_for(size)]
            if own:
                n = max(question.replicates(replicates, size) for question in own)
                fill(connection, real, draw, (n, size), seed)
                shares += shares_of(connection, own, real.name, size, replicates)
    return shares


def rows_of(shares: Sequence[Share], part: str) -> tuple[list[str], list[list[str]]]:
    """One table: its heading, and a row for each question and data."""
    own = [share for share in shares if share.question.part == part]
    cells = {(share.question.label, share.data, column_of(share)): str(share) for share in own}
    columns = list(dict.fromkeys(column_of(share) for share in sorted(own, key=place_of)))
    rows = dict.fromkeys((share.question.label, share.data) for share in sorted(own, key=row_of))
    heading = ["", "values of", *columns]
    return heading, [[*row, *(cells.get((*row, column), "") for column in columns)] for row in rows]


def column_of(share: Share) -> str:
    """The metric, where there are several, and the queries; a geometric mean stands below its own metric."""
    metric = "ap" if share.metric == GEOMETRIC else share.metric
    return f"{metric}, {share.size}" if share.question.part in BY_METRIC else f"{share.size} queries"


def place_of(share: Share) -> tuple[int, int]:
    """Where its column stands."""
    metric = column_of(share).partition(",")[0]
    return (MAIN.index(metric) if metric in MAIN else 0, share.size)


def row_of(share: Share) -> tuple[int, str]:
    """Where its row stands."""
    return [question.label for question in questions()].index(share.question.label), share.data


ABOUT = {
    COVERAGE: "How many of 100 intervals hold the truth, by metric and number of queries; of arms, queries of each.",
    ERRORS: "How many of 100 tests reject although the means are equal.",
    LOOKED_AT: (
        "AP, looked at when a tenth of the queries are there, two tenths, and so on. `sequential` without a number is"
        " tightest at the last look."
    ),
    FAMILIES: f"How many of 100 comparisons by {', '.join(FAMILY)} call at least one of them significant, runs alike.",
    DRAWN_COVERAGE: (
        f"How many of 100 intervals, each of percentiles of {DRAWS} draws, hold the truth. A replicate draws from its"
        " own queries, or clusters."
    ),
    DRAWN_ERRORS: f"How many of 100 tests of {DRAWS_OF_TESTS} draws reject although the means are equal.",
}


# What is counted at once, and written at its place on the page; what is drawn again takes longest.
SECTIONS: Mapping[str, Sequence[str]] = {
    "coverage": (COVERAGE, ERRORS, LOOKED_AT, FAMILIES),
    "resampling": (DRAWN_COVERAGE, DRAWN_ERRORS),
}

HEAD = """Written by `python -m dev.bench.coverage --write docs/statistics.md`, seed {seed}: {few:,} replicates,
{many:,} where there are {size} queries. All numbers are percent. By chance 95 or 5 comes out within ±{few_error:.1f}
of itself, with {size} queries within ±{many_error:.1f}, twice the error of Monte Carlo, in all but one cell of twenty.
**Bold** is further away and claims too much: {n_bold} of {n} cells; *italic* is further away on the careful side:
{n_italic}. "93.1 of 80" means that 80 % of the replicates have an answer, and 93.1 % of those.
"""
HEAD_OF_DRAWS = """Written by `python -m dev.bench.coverage --section resampling --write docs/statistics.md`, seed
{seed}: {few:,} replicates, so that chance is ±{few_error:.1f}. Bold are {n_bold} of {n} cells, italic {n_italic}.
"""
HEADS = {"coverage": HEAD, "resampling": HEAD_OF_DRAWS}


def of_replicates(question: Question, replicates: int) -> dict[str, Any]:
    """How many a question has to do with, of few queries and of many, and what chance makes of them, in percent."""
    few, many = (question.replicates(replicates, size) for size in (min(SIZES), MANY))
    errors = (100 * Share(question, "", 0, "", n, n, n).error for n in (few, many))
    return {"few": few, "many": many} | dict(zip(("few_error", "many_error"), errors, strict=True))


def section(name: str, shares: Sequence[Share], replicates: int, seed: int) -> str:
    """Its tables as they stand on the page."""
    parts = SECTIONS[name]
    first = next(question for question in questions() if question.part in parts)
    known = of_replicates(first, replicates) | {"n": len(shares)}
    known |= {name: sum(share.off == way for share in shares) for name, way in (("n_bold", 1), ("n_italic", -1))}
    lines = [HEADS[name].format(seed=seed, size=MANY, **known)]
    for part in parts:
        heading, rows = rows_of(shares, part)
        lines += [f"### {part}", "", ABOUT[part], "", f"| {' | '.join(heading)} |"]
        lines += ["|---|---|" + "---:|" * (len(heading) - 2), *(f"| {' | '.join(row)} |" for row in rows), ""]
    return "\n".join(lines).strip()


def rewritten(page: str, name: str, text: str) -> str:
    """The page with other tables of a section."""
    begin, end = MARKER.format("", name), MARKER.format("/", name)
    head, _, rest = page.partition(begin)
    _, marker, tail = rest.partition(end)
    if not marker:
        raise SystemExit(f"The page has no {begin} and {end}.")
    return f"{head}{begin}\n{text}\n{end}{tail}"


def report(shares: Sequence[Share], parts: Sequence[str]) -> Iterator[Table]:
    """The tables on the screen."""
    for part in parts:
        heading, rows = rows_of(shares, part)
        table = Table(title=part)
        for number, name in enumerate(heading):
            table.add_column(name, justify="left" if number < 2 else "right")
        for row in rows:
            table.add_row(*row)
        yield table


def main() -> None:
    """Simulates, prints the tables and writes them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=REPLICATES, help="of each number of queries")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--section", choices=[*SECTIONS], help="the tables of one, instead of all")
    parser.add_argument("--write", type=Path, help="the page whose tables are written, docs/statistics.md")
    options = parser.parse_args()
    for name in [options.section] if options.section else SECTIONS:
        parts = SECTIONS[name]
        asked = [question for question in questions() if question.part in parts]
        shares = simulated(asked, [trec_covid(), movielens()], SIZES, options.replicates, options.seed)
        for table in report(shares, parts):
            Console(width=200).print(table)
        if options.write is not None:
            text = section(name, shares, options.replicates, options.seed)
            page = rewritten(options.write.read_text(encoding="utf-8"), name, text)
            options.write.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

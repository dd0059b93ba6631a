"""How often intervals and tests keep their word: ``python -m tests.bench.coverage [--write docs/statistics.md]``.

Replicates are drawn out of real values per query, whose truth is known because they are all there is; one statement
answers for all of them (``tests.bench.replicates``). What is counted is how often an interval of 95 % holds the truth,
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
CHANCE = 0.05
BEGIN, END = "<!-- coverage -->", "<!-- /coverage -->"

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
        yield Question(ERRORS, f"{test}, runs alike", SAME, "rejects", {"test": test})
    yield Question(ERRORS, "t of arms (Welch), runs alike", SAME_ARMS, "rejects", welch)
    yield Question(ERRORS, "mann_whitney, runs alike", SAME_ARMS, "rejects", welch | {"test": "mann_whitney"})
    yield Question(ERRORS, "t, unequal clusters", SAME_CLUSTERS, "rejects", clustered)
    yield Question(ERRORS, "t, unequal clusters ignored", SAME_CLUSTERS, "rejects")
    for test in ("t", "wilcoxon", "sign"):
        yield Question(ERRORS, f"{test}, only the means alike", ONLY_MEANS, "rejects", {"test": test})
    arms = ONLY_MEANS_OF_ARMS
    yield Question(ERRORS, "t of arms (Welch), only the means alike", arms, "rejects", welch)
    yield Question(ERRORS, "mann_whitney, only the means alike", arms, "rejects", welch | {"test": "mann_whitney"})
    for label, options in (("t", {}), ("sequential", {"sequential": 1.0}), ("sequential=5000", {"sequential": 5000})):
        yield Question(LOOKED_AT, f"{label}: every interval holds the difference", AP, "effect", options, LOOKS)
        yield Question(LOOKED_AT, f"{label}: a test rejects, runs alike", SAME_AP, "rejects", options, LOOKS)
    yield Question(FAMILIES, "no correction", SAME_FIVE, "rejects", holm, together=True)
    yield Question(FAMILIES, "holm", SAME_FIVE, "rejects after correction", holm, together=True)


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


def answer(connection: Connection, question: Question, size: int) -> None:
    """The table ``answers``: what the statement says of every replicate, at each look."""
    for number, look in enumerate(looks_of(question, size)):
        text = statement(question.draw, look=look, **asked_of(question, size))
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


def shares_of(connection: Connection, asked: Sequence[Question], data: str, size: int) -> Iterator[Share]:
    """What comes of the questions of one draw, whose replicates are there; a statement runs once for all of them."""
    kept: tuple[Any, ...] | None = None
    for question in asked:
        wanted = (asked_of(question, size), question.looks)
        if wanted != kept:
            answer(connection, question, size)
            kept = wanted
        for metric, *numbers in count(connection, question):
            if (metric == GEOMETRIC) == ("geometric" in question.label):
                yield Share(question, data, size, metric, *numbers)


def fewer(replicates: int) -> int:
    """The replicates of many queries."""
    return max(1, replicates // 2)


def simulated(
    asked: Sequence[Question], data: Sequence[Real], sizes: Sequence[int], replicates: int, seed: int
) -> list[Share]:
    """The shares of all questions."""
    shares: list[Share] = []
    draws = list(dict.fromkeys(question.draw for question in asked))
    with duckdb.connect() as connection:
        for real, draw, size in itertools.product(data, draws, sizes):
            own = [question for question in asked if question.draw == draw and size >= 5 * question.looks]
            if own:
                n = replicates if size < MANY else fewer(replicates)
                fill(connection, real, draw, (n, size), seed)
                shares += shares_of(connection, own, real.name, size)
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
    return f"{metric}, {share.size}" if share.question.part in (COVERAGE, ERRORS) else f"{share.size} queries"


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
}


HEAD = """Written by `python -m tests.bench.coverage --write docs/statistics.md`, seed {seed}: {few.n:,} replicates,
{many.n:,} where there are {size} queries. All numbers are percent. By chance 95 or 5 comes out within ±{few_error:.1f}
of itself, with {size} queries within ±{many_error:.1f}, twice the error of Monte Carlo, in all but one cell of twenty.
**Bold** is further away and claims too much: {n_bold} of {n} cells; *italic* is further away on the careful side:
{n_italic}. "93.1 of 80" means that 80 % of the replicates have an answer, and 93.1 % of those.
"""


def section(shares: Sequence[Share], replicates: int, seed: int) -> str:
    """The tables as they stand on the page."""
    few, many = (Share(next(questions()), "", 0, "", n, n, n) for n in (replicates, fewer(replicates)))
    known = {"few_error": 100 * few.error, "many_error": 100 * many.error, "n": len(shares)}
    known |= {name: sum(share.off == way for share in shares) for name, way in (("n_bold", 1), ("n_italic", -1))}
    lines = [HEAD.format(seed=seed, few=few, many=many, size=MANY, **known)]
    for part, about in ABOUT.items():
        heading, rows = rows_of(shares, part)
        lines += [f"### {part}", "", about, "", f"| {' | '.join(heading)} |"]
        lines += ["|---|---|" + "---:|" * (len(heading) - 2), *(f"| {' | '.join(row)} |" for row in rows), ""]
    return "\n".join(lines).strip()


def rewritten(page: str, text: str) -> str:
    """The page with other tables."""
    head, _, rest = page.partition(BEGIN)
    _, marker, tail = rest.partition(END)
    if not marker:
        raise SystemExit(f"The page has no {BEGIN} and {END}.")
    return f"{head}{BEGIN}\n{text}\n{END}{tail}"


def report(shares: Sequence[Share]) -> Iterator[Table]:
    """The tables on the screen."""
    for part in ABOUT:
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
    parser.add_argument("--write", type=Path, help="the page whose tables are written, docs/statistics.md")
    options = parser.parse_args()
    shares = simulated(list(questions()), [trec_covid(), movielens()], SIZES, options.replicates, options.seed)
    for table in report(shares):
        Console(width=200).print(table)
    if options.write is not None:
        page = rewritten(options.write.read_text(encoding="utf-8"), section(shares, options.replicates, options.seed))
        options.write.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

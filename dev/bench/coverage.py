"""How often intervals and tests keep their word: ``python -m dev.bench.coverage [--write docs/coverage.md]``.

Replicates are drawn out of values per query, whose truth is known because they are all there is; one statement answers
for all of them (``dev.bench.replicates``). What is counted is how often an interval of 95 % holds the truth, and how
often a test at 0.05 says that runs differ which do not (``dev.bench.questions``).
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

from . import agreement, claims
from .cells import CHANCE, Cell, error_of, marks
from .questions import ASKED, BINS, MANY, SECTIONS, Part, Question, questions
from .replicates import GEOMETRIC, MAIN, Connection, Real, fill, statement
from .tables import on_page, on_screen, write_section

REPLICATES = 2_000
SEED = 20260


@dataclass(frozen=True)
class Share(Cell):
    """How many of the replicates of a question."""

    question: Question
    data: str
    size: int
    metric: str
    hits: int
    n_known: int
    n: int

    @property
    def nominal(self) -> float:
        """See ``Cell``."""
        return self.question.nominal


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
    """Of each metric, or bin, how many replicates are a hit, have an answer, and are there."""
    aggregate = "BOOL_OR" if question.nominal == CHANCE else "BOOL_AND"
    return connection.execute(
        f"""SELECT metric, COUNT(*) FILTER (hit), COUNT(hit), COUNT(*)
        FROM (
            SELECT {question.column} AS metric, a.replicate, {aggregate}({ASKED[question.asks]}) AS hit
            FROM answers AS a JOIN truths AS t ON t.metric = a.metric
            GROUP BY ALL
        )
        GROUP BY metric"""
    ).fetchall()


def shares_of(
    connection: Connection, questions_of_draw: Sequence[Question], data: str, size: int, replicates: int
) -> Iterator[Share]:
    """What comes of the questions of one draw, whose replicates are there; a statement runs once for all of them."""
    last_statement: tuple[Any, ...] | None = None
    for question in questions_of_draw:
        statement_options = (asked_of(question, size), question.looks)
        if statement_options != last_statement:
            answer(connection, question, size, question.replicates(replicates, size))
            last_statement = statement_options
        for metric, *numbers in count(connection, question):
            if (metric == GEOMETRIC) == ("geometric" in question.label):
                yield Share(question, data, size, metric, *numbers)


def simulated(
    all_questions: Sequence[Question], data: Sequence[Real], sizes: Sequence[int], replicates: int, seed: int
) -> list[Share]:
    """The shares of all questions."""
    shares: list[Share] = []
    draws = list(dict.fromkeys(question.draw for question in all_questions))
    with duckdb.connect() as connection:
        for real, draw, size in itertools.product(data, draws, sizes):
            questions_of_draw = [
                question for question in all_questions if question.draw == draw and size in question.part.sizes
            ]
            if questions_of_draw:
                n = max(question.replicates(replicates, size) for question in questions_of_draw)
                fill(connection, real, draw, (n, size), seed)
                shares += shares_of(connection, questions_of_draw, real.name, size, replicates)
    return shares


def pooled(shares: Sequence[Share]) -> list[Share]:
    """Shares of bins, of all numbers of queries together."""
    shares_by_cell: dict[tuple[str, str, str], list[Share]] = {}
    for share in shares:
        shares_by_cell.setdefault((share.question.label, share.data, share.metric), []).append(share)
    return [
        replace(
            shares_of_cell[0],
            size=0,
            **{name: sum(getattr(share, name) for share in shares_of_cell) for name in ("hits", "n_known", "n")},
        )
        for shares_of_cell in shares_by_cell.values()
    ]


def shares_on_page(shares: Sequence[Share], part: Part) -> list[Share]:
    """The cells of a table."""
    shares_of_part = [share for share in shares if share.question.part == part]
    return pooled(shares_of_part) if part.bins else shares_of_part


def rows_of(shares: Sequence[Share], part: Part) -> tuple[list[str], list[list[str]]]:
    """One table: its heading, and a row for each question and data."""
    cells_of_part = shares_on_page(shares, part)
    cells = {(share.question.label, share.data, column_of(share)): str(share) for share in cells_of_part}
    columns = list(dict.fromkeys(column_of(share) for share in sorted(cells_of_part, key=place_of)))
    rows = dict.fromkeys((share.question.label, share.data) for share in sorted(cells_of_part, key=row_of))
    heading = ["", "data", *columns]
    return heading, [[*row, *(cells.get((*row, column), "") for column in columns)] for row in rows]


def column_of(share: Share) -> str:
    """The bin; or the metric, where there are several, and the queries; a geometric mean is below its own metric."""
    if share.question.part.bins:
        return share.metric
    metric = "ap" if share.metric == GEOMETRIC else share.metric
    return f"{metric}, {share.size}" if share.question.part.by_metric else f"{share.size} queries"


def place_of(share: Share) -> tuple[int, int]:
    """Where its column stands."""
    order: Sequence[str] = BINS if share.question.part.bins else MAIN
    name = column_of(share).partition(",")[0]
    return (order.index(name) if name in order else 0, share.size)


def row_of(share: Share) -> tuple[int, str]:
    """Where its row stands."""
    return [question.label for question in questions()].index(share.question.label), share.data


HEAD = """`python -m dev.bench.coverage --write docs/coverage.md` writes these tables (seed {seed}, {few:,} replicates,
{many:,} with {size} queries). All numbers are percentages. By chance alone, 19 of 20 cells lie within ±{few_error:.1f}
of 95 or 5, with {size} queries within ±{many_error:.1f}. That is twice the Monte Carlo error.

- **Bold** cells lie further away and claim too much: {n_bold} of {n}.
- *Italic* cells lie further away on the careful side: {n_italic}.
- "93.1 of 80" means that 80 % of the replicates have an answer. The rate among those is 93.1 %.
"""
HEAD_OF_OTHERS = """`python -m dev.bench.coverage --section {name} --write docs/coverage.md` writes these tables
(seed {seed}, {few:,} replicates, chance ±{few_error:.1f}). Bold: {n_bold} of {n} cells. Italic: {n_italic}.
"""


def of_replicates(question: Question, replicates: int) -> dict[str, Any]:
    """How many a question has to do with, of few queries and of many, and what chance makes of them, in percent."""
    few, many = (question.replicates(replicates, size) for size in (min(question.part.sizes), MANY))
    errors = (100 * error_of(n) for n in (few, many))
    return {"few": few, "many": many} | dict(zip(("few_error", "many_error"), errors, strict=True))


def section(name: str, shares: Sequence[Share], replicates: int, seed: int) -> str:
    """Its tables as they stand on the page."""
    parts = SECTIONS[name].parts
    first = next(question for question in questions() if question.part in parts)
    cells = [share for part in parts for share in shares_on_page(shares, part)]
    facts = of_replicates(first, replicates) | marks(cells) | {"n": len(cells)}
    head = HEAD if name == "coverage" else HEAD_OF_OTHERS
    lines = [head.format(name=name, seed=seed, size=MANY, **facts)]
    for part in parts:
        heading, rows = rows_of(shares, part)
        lines += [f"### {part.title}", "", part.about, "", *on_page(heading, rows, n_words=2), ""]
    return "\n".join(lines).strip()


def answered(name: str, replicates: int, seed: int) -> tuple[list[Table], str]:
    """The tables of a section on the screen, and as they stand on the page."""
    parts, data = SECTIONS[name].parts, SECTIONS[name].data()
    sizes = sorted({size for part in parts for size in part.sizes})
    chosen = [question for question in questions() if question.part in parts]
    shares = simulated(chosen, data, sizes, replicates, seed)
    tables = [on_screen(part.title, *rows_of(shares, part), n_words=2) for part in parts]
    return tables, section(name, shares, replicates, seed)


ANSWERED: dict[str, Callable[[int, int], tuple[list[Table], str]]] = {
    **{name: partial(answered, name) for name in SECTIONS},
    claims.NAME: claims.answered,
    agreement.NAME: agreement.answered,
}


def main() -> None:
    """Simulates, prints the tables and writes them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=REPLICATES, help="of each number of queries")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--section", choices=[*ANSWERED], help="the tables of one, instead of all")
    parser.add_argument("--write", type=Path, help="the page whose tables are written, docs/coverage.md")
    options = parser.parse_args()
    for name in [options.section] if options.section else ANSWERED:
        tables, text = ANSWERED[name](options.replicates, options.seed)
        for table in tables:
            Console(width=200).print(table)
        write_section(options.write, name, text)


if __name__ == "__main__":
    main()

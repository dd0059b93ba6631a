"""A log and lists, each beside what people write by hand: ``python -m dev.bench.logs [--requests 500000]``.

A log of impressions and clicks to nDCG@10 and MRR by arm: by hand with repeated impressions removed, by hand with the
clicked items joined first, the text of this package and its Python, with positions as given and numbered anew. Lists in
columns of arrays stand beside the same lists with a row per item. All run in DuckDB in turn; the best of each counts,
by the clock and by the processor, and the numbers of a table have to agree.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

import rankmetrics_sql as rm

from .generate import Shape
from .pairs import EXACT, LOG, METRICS, USERS, Connection, Log, Rows, from_arrays, from_long, with_log, with_users
from .tables import on_page, on_screen

HERE = Path(__file__).parent
ASKED = ("nDCG@10", "MRR")
FIRST = "by hand, clicked items first"
LONG = "a row per item"

# The ideal DCG of n clicks is that of a list of so many at its head; grades are 1.
IDEAL = """ideal AS (
    SELECT n, SUM(1 / LOG2(place + 1)) AS idcg
    FROM RANGE(1, 11) AS numbers(n), RANGE(1, 11) AS places(place)
    WHERE place <= n
    GROUP BY n
)"""
MEANS = """SELECT arm, AVG(COALESCE(dcg / idcg, 0)), AVG(COALESCE(rr, 0)), COUNT(*)
FROM {queries} LEFT JOIN ideal ON ideal.n = LEAST(n_clicks, 10)
GROUP BY arm ORDER BY arm"""
WITHOUT_REPEATS = f"""WITH shown AS (
    SELECT request_id, item_id, MIN(position) AS position, MIN(market) AS arm
    FROM impressions GROUP BY request_id, item_id
),
clicked AS (SELECT DISTINCT request_id, item_id FROM clicks WHERE event_type = 'click'),
requests AS (
    SELECT
        shown.request_id, MIN(arm) AS arm, COUNT(clicked.item_id) AS n_clicks,
        SUM(CASE WHEN clicked.item_id IS NOT NULL AND position <= 10 THEN 1 / LOG2(position + 1) END) AS dcg,
        1 / MIN(CASE WHEN clicked.item_id IS NOT NULL THEN position END) AS rr
    FROM shown LEFT JOIN clicked ON clicked.request_id = shown.request_id AND clicked.item_id = shown.item_id
    GROUP BY shown.request_id
),
{IDEAL}
{MEANS.format(queries="requests")}"""
CLICKED_FIRST = f"""WITH clicked AS (
    SELECT i.request_id, i.item_id, MIN(i.position) AS position
    FROM clicks AS c INNER JOIN impressions AS i ON i.request_id = c.request_id AND i.item_id = c.item_id
    WHERE c.event_type = 'click'
    GROUP BY i.request_id, i.item_id
),
found AS (
    SELECT
        request_id, COUNT(*) AS n_clicks, 1 / MIN(position) AS rr,
        SUM(CASE WHEN position <= 10 THEN 1 / LOG2(position + 1) ELSE 0 END) AS dcg
    FROM clicked GROUP BY request_id
),
requests AS (SELECT request_id, MIN(market) AS arm FROM impressions GROUP BY request_id),
{IDEAL}
{MEANS.format(queries="requests LEFT JOIN found USING (request_id)")}"""

HEADING = "Logs and lists, beside SQL by hand"
HEAD = ("what", "seconds", "CPU seconds", "ratio", "CPU ratio")
ABOUT = """All run in one process, from DuckDB's tables; each figure is the best of several. *Python* calls
`rm.evaluate`, and *text* runs the statement of `rm.sql`."""
Question = Callable[[Connection], Rows]


@dataclass(frozen=True)
class Measured:
    """What was measured on the same rows.

    Attributes:
        title: what the rows are, and what is asked.
        seconds: of each question, by the clock and by the processor; the first is what the others are compared with.
    """

    title: str
    seconds: Mapping[str, tuple[float, float]]

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The cells of a table: the seconds of each, and their ratios to the first."""
        first = next(iter(self.seconds.values()))
        for name, found in self.seconds.items():
            ratios = [own / one for own, one in zip(found, first, strict=True)]
            yield name, *(f"{number:.2f}" for number in (*found, *ratios))


def by_hand(text: str) -> Question:
    """A statement whose rows have the means of an arm side by side, as rows of an arm and metric."""

    def answered(connection: Connection) -> Rows:
        return [
            (arm, metric, value, n_requests)
            for arm, *values, n_requests in connection.execute(text).fetchall()
            for metric, value in zip(ASKED, values, strict=True)
        ]

    return answered


def in_python(**options: Any) -> Question:
    """``evaluate`` of the log."""
    given: dict[str, Any] = {"by": ["market"], **options}
    log = rm.events("impressions", "clicks")
    return lambda connection: rm.evaluate(log, ASKED, connection=connection, **given).summary.fetchall()


def in_text(**options: Any) -> Question:
    """The text of the same, written and run; who runs it daily writes it once."""
    given: dict[str, Any] = {"by": ["market"], "header": False, **options}
    log = rm.events("impressions", "clicks")

    def answered(connection: Connection) -> Rows:
        rows = connection.execute(rm.sql(ASKED, log, connection=connection, **given)).fetchall()
        return [row[:-1] for row in rows]  # the last column counts queries that the mean leaves out

    return answered


# What a log is measured by; positions have no gaps here, so that dense ones are those given.
OF_LOG: Mapping[str, Question] = {
    FIRST: by_hand(CLICKED_FIRST),
    "by hand, repeated impressions removed": by_hand(WITHOUT_REPEATS),
    "text": in_text(),
    "Python": in_python(),
    "Python, check=none": in_python(check="none"),
    "text, position=dense": in_text(position="dense"),
    "Python, position=dense": in_python(position="dense"),
}


def lists_in_text(connection: Connection) -> Rows:
    """The text of the lists in columns of arrays."""
    lists = rm.lists("arrays", items="items", relevant="relevant")
    return connection.execute(rm.sql(METRICS, lists, connection=connection, header=False)).fetchall()


def long_in_text(connection: Connection) -> Rows:
    """The text of the same lists with a row per item."""
    text = rm.sql(METRICS, "places", "relevant", connection=connection, header=False)
    return connection.execute(text).fetchall()


OF_LISTS: Mapping[str, Question] = {
    LONG: from_long,
    "lists": from_arrays,
    f"{LONG}, text": long_in_text,
    "lists, text": lists_in_text,
}


def agree(one: Rows, other: Rows) -> bool:
    """The same rows in any order, but for the last digits of numbers."""
    pairs = zip(sorted(one), sorted(other), strict=True)
    cells = [cell for rows in pairs for cell in zip(*rows, strict=True)]
    return all(abs(a - b) <= EXACT if isinstance(a, float) else a == b for a, b in cells)


def measure(connection: Connection, questions: Mapping[str, Question], times: int) -> Mapping[str, tuple[float, float]]:
    """The seconds of each by the clock and by the processor, all in turn; the best of several."""
    expected: Rows | None = None
    for name, question in questions.items():
        rows = question(connection)
        expected = rows if expected is None else expected
        if not agree(expected, rows):
            raise SystemExit(f"{name}: {rows} is not {expected}")
    times_by_name: dict[str, list[tuple[float, float]]] = {name: [] for name in questions}
    for _ in range(times):
        for name, question in questions.items():
            clock, processor = time.perf_counter(), time.process_time()
            question(connection)
            times_by_name[name].append((time.perf_counter() - clock, time.process_time() - processor))
    best = {name: zip(*pairs, strict=True) for name, pairs in times_by_name.items()}
    return {name: (min(clocks), min(processors)) for name, (clocks, processors) in best.items()}


def report(measured: Measured) -> Table:
    """A table for the terminal."""
    return on_screen(measured.title, HEAD, measured.rows())


def section(all_measured: Sequence[Measured]) -> str:
    """The part of the page of figures, with a table of each."""
    lines = [f"## {HEADING}", "", ABOUT]
    for measured in all_measured:
        lines += ["", f"### {measured.title}", "", *on_page(HEAD, measured.rows())]
    return "\n".join([*lines, ""])


def of_log(log: Log, times: int) -> Measured:
    """The times of a log."""
    with duckdb.connect() as connection:
        with_log(connection, log)
        seconds = measure(connection, OF_LOG, times)
    title = f"{log.n_requests * log.n_items:,} impressions and their clicks"
    return Measured(f"{title} to {' and '.join(ASKED)} by market", seconds)


def of_lists(users: Shape, folder: Path, times: int) -> Measured:
    """The times of lists."""
    with duckdb.connect() as connection:
        with_users(connection, users, folder)
        seconds = measure(connection, OF_LISTS, times)
    return Measured(f"{users.n_queries:,} lists of {users.n_items} to {', '.join(METRICS)}", seconds)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures both and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=LOG.n_requests, help="of the log")
    parser.add_argument("--items", type=int, default=LOG.n_items, help="shown for each")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where the Parquet files are kept")
    parser.add_argument("--times", type=int, default=5, help="how often each is measured; the best counts")
    parser.add_argument("--only", choices=("log", "lists"), help="one of the tables")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the part of the page to this file")
    options = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        tables = []
        if options.only != "lists":
            tables.append(of_log(Log(options.requests, options.items, LOG.n_per_click), options.times))
        if options.only != "log":
            tables.append(of_lists(USERS, options.data, options.times))
    for table in tables:
        Console(width=140).print(report(table))
    if options.markdown:
        options.markdown.write_text(section(tables), encoding="utf-8")


if __name__ == "__main__":
    main()

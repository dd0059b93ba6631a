"""Times every metric in every engine: ``python -m dev.bench.engines [--engine NAME] [--metric NAME] ...``.

The same data everywhere, and the text that a user gets for that engine. What counts is the ratio to the floor: what the
engine takes to number the rows of the run within each query and to join them with the judgments, once. It is measured
again every few metrics, because no machine is idle. With ``--results`` what is measured is kept in a file, and what is
in that file is not measured again, so that one can go on where one stopped.
With ``--shapes`` it is what ``shapes.py`` says.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

import rankmetrics_sql as rm
from rankmetrics_sql.dialects import check_dialect, transpile
from rankmetrics_sql.drivers.cancel import run
from rankmetrics_sql.engines import connect
from tests.statements import Case, alone

from ..engines import Columns, Engine, start
from .generate import SHAPES

HERE = Path(__file__).parent
MEASURED = ("duckdb", "postgres-15", "mariadb", "sqlite", "clickhouse", "spark", "trino", "datafusion")
ANALYZE = {
    "postgres-15": "ANALYZE {}",
    "mariadb": "ANALYZE TABLE {}",
    "sqlite": "ANALYZE {}",
    "spark": "ANALYZE TABLE {} COMPUTE STATISTICS FOR ALL COLUMNS",
}
PREPARED = {
    "postgres-15": ["SET (autovacuum_enabled = false)"],  # which would analyse
    # Two ids of 255 are longer than the 1,000 bytes that a key of MariaDB's own has: any join then takes minutes.
    "mariadb": ["MODIFY query_id VARCHAR(64), MODIFY item_id VARCHAR(64)"],
}
MOST = 4  # times the floor
AGAIN = 4  # metrics between two measurements of the floor
NEAR = 3  # floors before and after a metric, whose median counts
FLOOR, ALL, FIVE = "floor", "all together", "five metrics"

# All of it in DuckDB's dialect, and translated as the metrics are: ids are compared and ordered by their bytes.
NUMBERS = 1000
QUERY = f"(a.n * {NUMBERS} + b.n)"
ITEM = f"'d' || CAST(MOD({QUERY} * 7919 + s.n * 104729, 8841823) AS VARCHAR) AS item_id"
IDS = f"SELECT 'q' || CAST({QUERY} AS VARCHAR) AS query_id, {ITEM}"
SCORE = f"CAST(MOD(MOD({QUERY} * 1000003 + s.n * 7919, 2147483647) * 48271, 2147483647) AS DOUBLE) AS score"
GRADE = f"MOD({QUERY} * 7 + s.n * 13 + {QUERY} * s.n, 4) AS relevance"
PAIRS = f"""FROM numbers AS a CROSS JOIN numbers AS b CROSS JOIN numbers AS s
WHERE {QUERY} < {{users}} AND a.n <= {{users}} / {NUMBERS} AND s.n BETWEEN"""
INTENTS = """SELECT q.query_id AS query_id, q.item_id AS item_id, q.relevance AS relevance,
    MOD(q.relevance + n.n, 4) AS intent
FROM labels AS q CROSS JOIN numbers AS n WHERE n.n < 2"""
IDENTIFIED: Columns = {"query_id": "text", "item_id": "text"}
JUDGED: Columns = {**IDENTIFIED, "relevance": "bigint"}
# 20 items a query are retrieved, 10 are judged, 6 are both; a judged item has two of four subtopics.
TABLES: dict[str, tuple[Columns, str]] = {
    "runs": ({**IDENTIFIED, "score": "double"}, f"{IDS}, {SCORE} {PAIRS} 0 AND 19"),
    "labels": (JUDGED, f"{IDS}, {GRADE} {PAIRS} 14 AND 23"),
    "intents": ({**JUDGED, "intent": "bigint"}, INTENTS),
}
RANKED = """WITH retrieved AS (SELECT s.query_id AS query_id, s.item_id AS item_id, s.score AS score FROM runs AS s),
ranked AS (
    SELECT query_id, item_id, ROW_NUMBER() OVER (
        PARTITION BY query_id ORDER BY score DESC NULLS LAST, CAST(item_id AS VARCHAR) DESC NULLS LAST
    ) AS rnk
    FROM retrieved
),
judged AS (SELECT s.query_id AS query_id, s.item_id AS item_id FROM {qrels} AS s)
SELECT COUNT(*) AS n, SUM(r.rnk) AS total
FROM ranked AS r INNER JOIN judged AS j ON j.query_id = r.query_id AND j.item_id = r.item_id"""


@dataclass(frozen=True)
class Timing:
    """What one statement took.

    Attributes:
        session: when the process began that measured it; a ratio is to the floor of the same one.
        engine: the name of the engine, and whether its tables are analysed.
        name: a metric string, FLOOR or ALL.
        qrels: the table of judgments that it reads.
        seconds: None where there is no answer.
        note: why there is none, or in how many statements it was asked.
    """

    session: float
    engine: str
    name: str
    qrels: str
    seconds: float | None
    note: str = ""


def change(engine: Engine, statement: str) -> None:
    """A statement without an answer."""
    if engine.name == "clickhouse":
        engine.connection.command(statement)
    elif engine.name == "spark":
        engine.connection.sql(statement)
    elif engine.name == "datafusion":
        engine.connection.sql(statement).collect()
    else:
        engine.run(statement)


def fill(engine: Engine, users: int, analyzed: bool) -> None:
    """The tables, made inside the engine out of a thousand numbers."""
    engine.load("numbers", {"n": "bigint"}, [(n,) for n in range(NUMBERS)])
    for table, (columns, rows) in TABLES.items():
        select = transpile(rows.format(users=users), check_dialect(engine.dialects[0]), {})
        if engine.name == "datafusion":  # has no table without rows
            change(engine, f"CREATE TABLE {table} AS {select}")
            continue
        engine.load(table, columns, [])
        for clause in PREPARED.get(engine.name, ()):
            change(engine, f"ALTER TABLE {table} {clause}")
        change(engine, f"INSERT INTO {table} {select}")
        if analyzed:
            change(engine, ANALYZE[engine.name].format(table))


class Contest:
    """One engine with its tables, and what is measured in it."""

    def __init__(self, engine: Engine, name: str, limit: float) -> None:
        """Take an engine whose tables are filled; the name is what the results call it."""
        self._engine, self._name, self._limit = engine, name, limit
        self._session = time.time()
        self.busy = False  # with a statement that could not be stopped

    def floor(self, qrels: str, data: str | None = None) -> Timing:
        """What the ranking and one join take; of data that is called otherwise than its judgments."""
        text = transpile(RANKED.format(qrels=qrels), check_dialect(self._engine.dialects[0]), {})
        return Timing(self._session, self._name, FLOOR, data or qrels, *self._time(text))

    def metric(self, name: str) -> Timing:
        """What one metric takes."""
        case = alone()[name]
        return self.case(name, case, str(case.qrels))

    def case(self, name: str, case: Case, data: str) -> Timing:
        """What one statement takes."""
        return Timing(self._session, self._name, name, data, *self._time_case(case))

    def together(self, qrels: str) -> Timing:
        """What all metrics of those judgments take, in as few statements as the engine accepts."""
        cases = [case for case in alone().values() if case.qrels == qrels and case.level == "summary"]
        known = [name for case in cases for name in case.metrics if self._text(case)]
        answers = list(self._split(replace(cases[0], metrics=known)))
        notes = {note for _, note in answers if note}
        seconds = None if notes else sum(seconds for seconds, _ in answers if seconds is not None)
        note = "; ".join(notes) or f"{len(answers)} statements"
        return Timing(self._session, self._name, ALL, qrels, seconds, note)

    def _split(self, case: Case) -> Iterator[tuple[float | None, str]]:
        seconds, note = self._time_case(case)
        if seconds is not None or note.startswith(">") or len(case.metrics) == 1:
            yield seconds, note
            return
        half = len(case.metrics) // 2
        yield from self._split(replace(case, metrics=case.metrics[:half]))
        yield from self._split(replace(case, metrics=case.metrics[half:]))

    def _time_case(self, case: Case) -> tuple[float | None, str]:
        text = self._text(case)
        if text is None:
            return None, "not available"
        if case.level == "points":  # to count them is the engine's part, to fetch a million rows the driver's
            text = f"SELECT COUNT(*) AS n, SUM(x) AS x, SUM(y) AS y FROM (\n{text}\n) AS points"
        return self._time(text)

    def _text(self, case: Case) -> str | None:
        try:
            return case.by_sqlglot(self._engine.dialects[0])
        except rm.UsageError:  # what a dialect cannot do is written in the README
            return None

    def _time(self, text: str) -> tuple[float | None, str]:
        begin = time.perf_counter()
        try:
            self._answer(text)
        except rm.DatabaseError as error:
            late = str(error).startswith("cancelled after")
            self.busy = "still be running" in str(error)
            return None, f"> {self._limit:g}" if late else str(error).splitlines()[0]
        return time.perf_counter() - begin, ""

    def _answer(self, text: str) -> None:
        # what no driver of ours speaks to: nobody can interrupt it
        if self._engine.name == "datafusion" or self._engine.connection is None:
            run(lambda: self._engine.fetch(text), lambda: None, self._limit, text)
            return
        with connect(self._engine.connection, dialect=self._engine.dialects[0], timeout=self._limit) as opened:
            opened.run(text)


def jobs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the metrics to measure, each with its judgments: the named ones, or each metric and all together."""
    cases = alone()
    pairs = [
        (name, str(case.qrels))
        for name, case in cases.items()
        if not names or {name, name.partition("@")[0]} & {*names}
    ]
    return pairs + ([] if names else [(ALL, "labels"), (ALL, "intents")])


def measure(contest: Contest, pairs: Sequence[tuple[str, str]]) -> Iterator[Timing]:
    """The jobs, and the floor before and after every few of them; until the engine is busy with one for ever."""
    tables = sorted({qrels for _, qrels in pairs})
    for qrels in tables:
        contest.floor(qrels)  # who comes first finds nothing in memory
    for number, (name, qrels) in enumerate(pairs):
        if number % AGAIN == 0:
            yield from map(contest.floor, tables)
        yield contest.together(qrels) if name == ALL else contest.metric(name)
        if contest.busy:
            return
    yield from map(contest.floor, tables)


def ratios(timings: Sequence[Timing]) -> dict[tuple[str, str], float]:
    """Return the ratios to the floor that was measured about then, by row and engine, where there is an answer."""
    floors = defaultdict(list)
    for number, timing in enumerate(timings):
        if timing.name == FLOOR and timing.seconds is not None:
            floors[same_floor(timing)].append((number, timing.seconds))
    ratios_by_cell = {}
    for number, timing in enumerate(timings):
        if timing.name != FLOOR and timing.seconds is not None and (floors_of_session := floors[same_floor(timing)]):
            near = sorted(floors_of_session, key=lambda floor: abs(floor[0] - number))[:NEAR]
            ratios_by_cell[row_of(timing), timing.engine] = timing.seconds / median(seconds for _, seconds in near)
    return ratios_by_cell


def same_floor(timing: Timing) -> tuple[object, ...]:
    """What the timings of one floor have in common."""
    return timing.session, timing.engine, timing.qrels


def row_of(timing: Timing) -> str:
    """Return the name of a timing's row."""
    return f"{timing.name}, {timing.qrels}" if timing.name in (FLOOR, ALL, FIVE) else timing.name


def shown(timing: Timing, ratio: float | None) -> str:
    """Return a cell of the table."""
    if timing.seconds is None:
        return timing.note if timing.note.startswith(">") else timing.note.partition(":")[0][:20]
    of_floor = "" if ratio is None else f" ({ratio:.1f} x)"
    statements = f" {timing.note}" if timing.name == ALL and timing.note != "1 statements" else ""
    return f"{timing.seconds:.2f}{of_floor}{statements}"


def worst(row: str, ratios_by_cell: Mapping[tuple[str, str], float], late: set[str]) -> tuple[bool, float]:
    """Return the sort key of a row: whether a statement did not end, then the highest ratio."""
    return row in late, max((ratio for (name, _), ratio in ratios_by_cell.items() if name == row), default=0)


def report(timings: Sequence[Timing]) -> Table:
    """Return the table of metrics by engines, the worst first."""
    ratios_by_cell, names = ratios(timings), list(dict.fromkeys(timing.engine for timing in timings))
    late = {row_of(timing) for timing in timings if timing.note.startswith(">")}
    cells = {
        (row_of(timing), timing.engine): shown(timing, ratios_by_cell.get((row_of(timing), timing.engine)))
        for timing in timings
    }
    rows = sorted({row for row, _ in cells}, key=lambda row: worst(row, ratios_by_cell, late), reverse=True)
    table = Table(
        "metric", *names, title=f"seconds (times the floor); over {MOST} x: {', '.join(over(timings)) or 'none'}"
    )
    for row in rows:
        table.add_row(row, *(cells.get((row, name), "") for name in names))
    return table


def over(timings: Sequence[Timing]) -> list[str]:
    """Return what takes too long, and in which engine."""
    ratios_by_cell = ratios(timings)
    return [
        f"{row_of(timing)} in {timing.engine}"
        for timing in timings
        if timing.note.startswith(">") or ratios_by_cell.get((row_of(timing), timing.engine), 0) > MOST
    ]


def contestants(
    names: Sequence[str] | None, analyzed: str | None, known: Sequence[str] = MEASURED
) -> list[tuple[str, bool]]:
    """Engines, and whether their tables are analysed; PostgreSQL comes in both ways."""
    ways = {"yes": [True], "no": [False]}
    return [
        (name, is_analyzed)
        for name in names or known
        for is_analyzed in ways.get(analyzed, [True, False] if name == "postgres-15" else [False])
        if name in ANALYZE or not is_analyzed
    ]


def kept(file: Path | None) -> list[Timing]:
    """What was measured before."""
    if file is None or not file.exists():
        return []
    return [Timing(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def compete(options: argparse.Namespace) -> list[Timing]:
    """All that is wanted and not yet measured, engine by engine."""
    timings = kept(options.results)
    for name, analyzed in contestants(options.engine, options.analyzed):
        label = f"{name} analysed" if analyzed else name
        done = {(timing.name, timing.qrels) for timing in timings if timing.engine == label}
        if left := [job for job in jobs(options.metric or ()) if job not in done]:
            with start(name) as engine:
                fill(engine, options.users, analyzed)
                for timing in measure(Contest(engine, label, options.limit), left):
                    timings.append(keep(timing, options.results))
    return timings


def keep(timing: Timing, file: Path | None) -> Timing:
    """What was measured is told, and written down."""
    print(timing.engine, row_of(timing), timing.seconds, timing.note, flush=True)
    if file:
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(asdict(timing)) + "\n")
    return timing


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", choices=[*MEASURED, "spark-cluster"])
    parser.add_argument(
        "--metric", action="append", help="a name, with or without its cutoff; by default each, and all"
    )
    parser.add_argument("--users", type=int, default=100_000, help="queries, each with a list of 20")
    parser.add_argument("--analyzed", choices=("yes", "no"), help="by default PostgreSQL is measured both ways")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a statement may take")
    parser.add_argument("--results", type=Path, help="a file of JSON lines to go on with")
    parser.add_argument("--shapes", action="store_true", help="five metrics on three shapes of data instead")
    parser.add_argument("--shape", action="append", choices=[shape.name for shape in SHAPES], help="with --shapes")
    parser.add_argument("--divisor", type=int, help="one query of so many, with --shapes")
    parser.add_argument("--repeat", type=int, default=3, help="the best of so many, with --shapes")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where the files are kept, with --shapes")
    parser.add_argument("--write", type=Path, help="with --shapes, the page to write, docs/performance_details.md")
    options = parser.parse_args()
    if options.shapes:
        from . import shapes

        shapes.main(options)
    else:
        Console(width=200).print(report(compete(options)))


if __name__ == "__main__":
    main()

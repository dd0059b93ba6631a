"""A small set of statements with every pair of option values, chosen greedily and by a fixed seed.

First come statements for the pairs of options that hold for a whole statement; then each gets metrics, with options of
their own, until the other pairs stand somewhere too. One more metric costs little if the statement has its ranking.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .options import (
    LEVELS,
    SAMPLE_METRICS,
    Pair,
    Statement,
    default,
    obeyed,
    of_row,
    of_statement,
    possible,
    values,
    written,
)

SEED = 5
TRIES = 8  # candidates, of which the best is taken
RANKED = ("ties", "score_type", "queries", "unjudged", "negative_grades", "judgments", "depth")
STAGES = 60  # in a statement at most: MariaDB takes 64, and its text has some of its own
METRICS = 16  # in a statement at most
NAME = 48  # characters of a metric string: PostgreSQL's names of columns have 63, prefix and suffix included
WORTH = 0.03  # the least gain of a value: one for a new pair, a little for a pair that it may make later
COST = {True: 1, False: 4}  # of a metric, if the statement has its ranking, and if not


class Search:
    """A search for statements with all pairs."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self.chosen_statements: list[Statement] = []
        self.missing_pairs = set(pairs)
        self.random = random.Random(SEED)
        self._count_missing()

    def _count_missing(self) -> None:
        self.missing_counts = Counter(value for pair in self.missing_pairs for value in pair)

    def statements(self) -> list[Statement]:
        """Return statements with all pairs."""
        names_of_statements = {frozenset(pair) for level in LEVELS for pair in _both(of_statement(level))}
        while pairs := sorted(
            (pair for pair in self.missing_pairs if _names(pair) in names_of_statements), key=_in_order
        ):
            candidates = [self._around_pair(possible()[self.random.choice(pairs)]) for _ in range(TRIES)]
            self._add(max(candidates, key=lambda statement: len(statement.pairs() & self.missing_pairs)))
        while self.missing_pairs:
            self._place(self.random.choice(sorted(self.missing_pairs, key=_in_order)))
        return self.chosen_statements

    def _add(self, statement: Statement) -> None:
        self.chosen_statements.append(statement)
        self.missing_pairs -= statement.pairs()
        self._count_missing()

    def _around_pair(self, example: Statement) -> Statement:
        """Return a statement of one metric around a pair."""
        statement = _copy(example)
        self._fill(statement, statement.given, of_statement(statement.level))
        metric, metric_options = statement.rows[0]
        self._fill(statement, metric_options, of_row(metric), len(metric) + 1000)
        return Statement(statement.level, statement.given | metric_options, [(metric, {})])

    def _place(self, pair: Pair) -> None:
        """Add a pair to one of the statements, by another metric, or in a statement of its own."""
        rows = [(statement, row) for statement in self._hosts(pair) for row in self._rows(statement, pair)]
        rows.sort(key=lambda host: self._worth(*host), reverse=True)
        host = next(((statement, row) for statement, row in rows if _beside(statement, row).n_stages() <= STAGES), None)
        if host is None:
            self._add(self._around_pair(possible()[pair]))
            return
        statement, row = host
        statement.rows.extend(row.rows)
        self.missing_pairs -= row.pairs()
        self._count_missing()

    def _worth(self, statement: Statement, row: Statement) -> float:
        has_ranking = _ranking(row.rows[0][1]) in [_ranking(metric_options) for _, metric_options in statement.rows]
        return len(row.pairs() & self.missing_pairs) / COST[has_ranking]

    def _hosts(self, pair: Pair) -> list[Statement]:
        """Return statements with room for a metric, which have the pair's options of a whole statement."""
        hosts = [
            statement
            for statement in self.chosen_statements
            if len(statement.rows) < METRICS and _holds(statement, pair)
        ]
        return self.random.sample(hosts, min(TRIES, len(hosts)))

    def _rows(self, statement: Statement, pair: Pair) -> Iterator[Statement]:
        """Yield metrics that would add the pair to a statement."""
        statement_options = of_statement(statement.level)
        pair_values = {name: value for name, value in pair if name not in statement_options}
        metrics = [metric for metric in SAMPLE_METRICS if pair_values.keys() <= set(obeyed(statement.level, metric))]
        metric_options = {
            name: value for name, value in pair_values.items() if value != statement.given.get(name, default(name))
        }
        rankings = [_ranking(other_options) for _, other_options in statement.rows]
        for metric in self.random.sample(metrics, min(2, len(metrics))):
            for ranking in [*rankings[:1], *rankings[-1:], None]:
                row = Statement(statement.level, statement.given, [(metric, {**(ranking or {}), **metric_options})])
                is_other = ranking is not None and _ranking(row.rows[0][1]) != ranking
                if is_other or row.is_refused() or len(written(*row.rows[0])) > NAME:
                    continue
                names = [name for name in of_row(metric) if ranking is None or name not in RANKED]
                self._fill(row, row.rows[0][1], [name for name in names if name not in pair_values])
                if pair in row.pairs():
                    yield row

    def _fill(
        self, statement: Statement, option_values: dict[str, Any], names: Sequence[str], longest: int = NAME
    ) -> None:
        """Give each option without a value the one that makes most new pairs, if the package takes it."""
        [(metric, metric_options)] = statement.rows
        obeyed_options = obeyed(statement.level, metric)
        for name in self.random.sample(names, len(names)):
            if name in option_values or name not in obeyed_options:
                continue
            current = statement.given.get(name, default(name))
            gains = [(self._gain(statement, name, value), number) for number, value in enumerate(values(name))]
            for gain, number in sorted(gains, reverse=True):
                value = values(name)[number]
                if value == current or gain < WORTH:
                    break
                option_values[name] = value
                if not statement.is_refused() and len(written(metric, metric_options)) <= longest:
                    break
                del option_values[name]

    def _gain(self, statement: Statement, name: str, value: Any) -> float:
        """Return the number of new pairs that a value makes, and a little for pairs that it may make later."""
        [(metric, metric_options)] = statement.rows
        obeyed_options = obeyed(statement.level, metric)
        statement_options = {
            other: other_value for other, other_value in statement.given.items() if other in obeyed_options
        }
        all_options = {other: default(other) for other in obeyed_options} | statement_options | metric_options
        pairs = (
            frozenset([(name, value), (other, other_value)])
            for other, other_value in all_options.items()
            if other != name
        )
        new = sum(pair in self.missing_pairs for pair in pairs)
        return new + min(self.missing_counts[name, value], 50) / 50 + self.random.random() / 100


def _copy(statement: Statement) -> Statement:
    return Statement(
        statement.level,
        dict(statement.given),
        [(metric, dict(metric_options)) for metric, metric_options in statement.rows],
    )


def _beside(statement: Statement, row: Statement) -> Statement:
    return Statement(statement.level, statement.given, [*statement.rows, *row.rows])


def _both(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((first, second) for first in names for second in names if first < second)


def _names(pair: Pair) -> frozenset[str]:
    return frozenset(name for name, _ in pair)


def _holds(statement: Statement, pair: Pair) -> bool:
    statement_options = of_statement(statement.level)
    metric_options = {name for name, _ in pair if name not in statement_options}
    option_values = {name: default(name) for name in statement_options} | statement.given
    is_obeyed = any(metric_options <= set(obeyed(statement.level, metric)) for metric in SAMPLE_METRICS)
    return is_obeyed and all(option_values[name] == value for name, value in pair if name in statement_options)


def _ranking(metric_options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metric_options.items() if name in RANKED}


def _in_order(pair: Pair) -> list[str]:
    return sorted(map(repr, pair))


def statements(covered: Iterable[Pair] = ()) -> list[Statement]:
    """Return statements with every pair that may stand together, but for the pairs that others cover."""
    return without_needless_metrics(Search(possible().keys() - set(covered)).statements())


def without_needless_metrics(statements: Sequence[Statement]) -> list[Statement]:
    """Drop metrics whose pairs all stand elsewhere, beginning with small statements."""
    pairs = [
        [Statement(statement.level, statement.given, [row]).pairs() for row in statement.rows]
        for statement in statements
    ]
    times = Counter(pair for rows in pairs for row in rows for pair in row)
    needed_rows: list[list[tuple[str, dict[str, Any]]]] = [[] for _ in statements]
    for number in sorted(range(len(statements)), key=lambda number: len(statements[number].rows)):
        for row, row_pairs in zip(statements[number].rows, pairs[number], strict=True):
            if all(times[pair] > 1 for pair in row_pairs):
                times.subtract(row_pairs)
            else:
                needed_rows[number].append(row)
    return [
        Statement(statement.level, statement.given, rows)
        for statement, rows in zip(statements, needed_rows, strict=True)
        if rows
    ]

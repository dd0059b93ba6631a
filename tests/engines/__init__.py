"""The same number in every engine: each statement, on both roads, gives what DuckDB gives.

There is a file of tests for each engine, so that they can run side by side. Engines other than DuckDB and SQLite, which
are there anyway, are for ``--everything``; ``python -m dev.engines install`` gets them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import pytest

from dev import engines
from dev.engines.base import EngineError
from rankmetrics_sql.errors import UsageError

from ..everything import THERE_ANYWAY
from ..statements import KEYS, alone, cases
from . import hurtful
from .covering import OF_DOUBLES, covering, names
from .leftover import leftover

CASES = cases() | {name: one.case for name, one in covering().items()}
ALONE = alone()
TOLERANCE = 1e-12
HEADER = re.compile(r"\A(?:--[^\n]*\n)+")

# What a road cannot do on an engine, and whose turn it is: ours ("we could"), the engine's ("not yet"), or nobody's
# ("never"). Each must go on failing: one that passes fails its test.
CANNOT = {
    ("googlesql", "score_type_float32"): ("never", "BigQuery has no 32-bit floats", UsageError),
    ("sqlite", "score_type_float32"): ("never", "SQLite has no 32-bit floats", UsageError),
    ("mariadb", "pairs:13"): ("we could", "MariaDB's names have at most 64 characters", Exception),
    # Sail 0.7.2 reports a division by zero where Spark finds none.
    **{
        ("sail", case): ("not yet", "Sail divides by zero where Spark does not", EngineError)
        for case in (
            *("branches:compare_by_ranks", "dbt:compare_by_ranks", "branches:discount"),
            "branches:compare_weighted_arms_of_clusters",
            *("branches:every_cutoff_summary", "branches:parameters_of_gains", "branches:parameters_of_readers"),
            "every_metric_per_query",  # of its metrics, for nERR9 and sDCG down to a cutoff
        )
    },
}
# What is not tried, because the engine would take too long over it.
NOT_TRIED = {
    (
        "mariadb",
        "long_list_counted",
    ): "MariaDB joins stages without an index, so ranking by counting takes minutes",
    ("googlesql", "references"): "Google's evaluator takes minutes for rbo, which joins 10,000 depths three times",
    **{
        ("googlesql", case): "Google's evaluator takes minutes for the windows over windows of BCa intervals"
        for case in ("compare_bca", "compare_bca_of_clusters", "intervals_by_bca")
    },
    ("googlesql", "long_list"): "Google's evaluator is a reference, and slow with lists of 10,000 items",
    ("googlesql", "long_list_counted"): "Google's evaluator is a reference, and slow with lists of 10,000 items",
}
# No adapter of theirs works with a dbt that the package supports.
WITHOUT_DBT = {"datafusion": "dbt-datafusion 1.2 needs dbt 1.2", "mysql": "dbt-mysql 1.7 needs dbt 1.7"}
# The cluster shows that the work is shared out, and Sail that a relative of Spark reads its text; Spark answers all.
FEW = ("every_metric_per_query", "long_list_counted", "compare_groups", "subtopics_summary", "points")
OF_FEW = ("spark-cluster", "sail")
# Engines that take seconds to plan a statement read dbt's text of those that together use every template.
SLOW = ("googlesql", "spark", "spark-cluster", "sail", "trino")
OF_BOTH_ROADS = (
    "every_metric_per_query",
    "several_rankings",
    "ties_expected",
    "labelled",
    "n_relevant",
    "compare_groups",
    "subtopics_summary",
    "systems",
)

# Engines in which all statements on both roads take a quarter of an hour and more: beside the covering set they answer
# what it leaves over, and one statement of all metrics. In the others each statement is answered in full.
TAKING_LONG = ("clickhouse", "googlesql", "postgres-15", "spark", "trino")
AT_ONCE = "every_metric_per_query"


# The gate has the covering set in every engine, but for this: pairs, which are most of it, are shared out among engines
# that are fast, and branches among those that take seconds to plan a statement, and a relative's text. So each
# statement is compared with DuckDB's answer in an engine at least; with --everything in all of them.
SHARING = {
    "pairs": ("duckdb-1", "sqlite", "postgres-15", "postgres-18", "mariadb", "clickhouse", "datafusion"),
    "branches": ("googlesql", "spark", "trino", "redshift"),
}
SHARING["dbt"] = SHARING["new"] = SHARING["branches"]


def parameters(name: str) -> Iterator[object]:
    """Every dialect that an engine reads, road and statement: those that are chosen to cover all, then others."""
    engine = engines.ENGINES[name]
    for dialect in (*engine.dialects, *engine.proxies):
        roads = ("sqlglot",) if dialect in WITHOUT_DBT else ("sqlglot", "dbt")
        for case, road in _covering(name, dialect):
            if road in roads and (name, case) not in NOT_TRIED:
                marks = [pytest.mark.covering] * is_of_the_gate(name, dialect, case)
                by_default = marks and name in THERE_ANYWAY and PLACES[case] % 16 == 0 and not case.startswith("pairs:")
                marks += [] if by_default else [pytest.mark.long]
                marks += _gap(name, case)
                yield pytest.param(dialect, road, case, marks=marks, id=f"{dialect}-{road}-{case}")
        for road in roads:
            for case in _others(name, dialect, road):
                if road == "dbt" and not _on_both_roads(name, case):
                    continue
                marks = [pytest.mark.long, *_gap(name, case)]
                yield pytest.param(dialect, road, case, marks=marks, id=f"{dialect}-{road}-{case}")


def _gap(name: str, case: str) -> list[pytest.MarkDecorator]:
    """The mark of a statement that an engine cannot answer."""
    if (name, case) not in CANNOT:
        return []
    whose, reason, error = CANNOT[name, case]
    return [pytest.mark.xfail(reason=f"{whose}: {reason}", raises=error)]


@cache
def _others(name: str, dialect: str, road: str) -> Sequence[str]:
    """The statements that an engine is asked by a road beside the covering set."""
    if name in OF_FEW:
        return FEW
    candidates = {case: one for case, one in cases().items() if (name, case) not in NOT_TRIED}
    if name not in TAKING_LONG:
        return list(candidates)
    if name in SLOW and road == "dbt":
        return OF_BOTH_ROADS
    answered = [CASES[case] for case, _ in _covering(name, dialect) if (name, case) not in NOT_TRIED]
    return list(dict.fromkeys([AT_ONCE, *leftover(candidates, answered)]))


PLACES = {name: place for place, name in enumerate(covering())}


def is_of_the_gate(name: str, dialect: str, case: str) -> bool:
    """Whether an engine answers a statement of the covering set there."""
    own = dialect == engines.ENGINES[name].dialects[0]
    who, sharing = name if own else dialect, SHARING[case.partition(":")[0]]
    if who in sharing:
        return PLACES[case.removesuffix(OF_DOUBLES)] % len(sharing) == sharing.index(who)
    return own and not case.startswith("pairs:")


def _covering(name: str, dialect: str) -> Iterator[tuple[str, str]]:
    """The cluster answers what shows that it shares the work out; the same engine covers all on one machine."""
    if name != "spark-cluster":
        yield from names(dialect, slow=name in SLOW)


def _on_both_roads(name: str, case: str) -> bool:
    return CASES[case].in_dbt is not None and (name not in SLOW or case in OF_BOTH_ROADS)


@cache
def filled(start_engine, name):
    """What asks an engine that has the tables, once for each text whatever the header says: Athena's is Trino's."""
    engine = start_engine(name)
    engine.hurry()  # tests of connections have what the engine does by default
    for table, content in hurtful.tables().items():
        engine.load(table, content.columns, content.rows)
    answers = {}

    def ask(text):
        statement = HEADER.sub("", text)
        if statement not in answers:
            answers[statement] = engine.fetch(text)
        return answers[statement]

    return ask


RIGHT = {}  # for every engine that this process asks


def wanted(start_engine, case):
    """DuckDB's answer to a statement of all metrics, or of one."""
    if case not in RIGHT:
        statement = CASES[case] if case in CASES else ALONE[case]
        RIGHT[case] = by_key(*filled(start_engine, "duckdb")(statement.by_sqlglot("duckdb")))
    return RIGHT[case]


def by_key(columns, rows):
    """The rows by their keys, which some engines show as text."""
    names = [name.lower() for name in columns]
    keys = [number for number, name in enumerate(names) if name in KEYS]
    found = {}
    for row in rows:
        key = tuple(None if row[number] is None else str(row[number]) for number in keys)
        assert key not in found, f"two rows of {key}"
        found[key] = {
            name: value for number, (name, value) in enumerate(zip(names, row, strict=True)) if number not in keys
        }
    return found


def same(one, other):
    if one is None or other is None or isinstance(other, str):
        return one == other
    return math.isfinite(one) and abs(one - other) <= TOLERANCE * max(1, abs(other))


def for_engine(name: str) -> Callable[..., None]:
    """The test of one engine, for a module to have under a name that begins with test."""

    @pytest.mark.parametrize(("dialect", "road", "case"), list(parameters(name)))
    def test_same_numbers(start_engine, dialect, road, case):
        statement = CASES[case]
        text = statement.by_sqlglot(dialect) if road == "sqlglot" else statement.by_dbt(dialect)
        check(by_key(*filled(start_engine, name)(text)), wanted(start_engine, case))

    return test_same_numbers if name in THERE_ANYWAY else pytest.mark.long(test_same_numbers)


def each_alone(name: str) -> Callable[..., None]:
    """The test that an engine takes each metric by itself: beside others it has columns of theirs, too."""

    @pytest.mark.parametrize("metric", [metric for metric in ALONE if metric != "nnrbp"])  # it needs a recursion
    def test_alone(start_engine, metric):
        text = ALONE[metric].by_sqlglot(engines.ENGINES[name].dialects[0])
        check(by_key(*filled(start_engine, name)(text)), wanted(start_engine, metric))

    return pytest.mark.long(test_alone)


def check(found, right):
    """That an engine's answer is DuckDB's."""
    assert found.keys() == right.keys()
    assert {key: set(values) for key, values in found.items()} == {key: set(values) for key, values in right.items()}
    wrong = {
        (key, column): (found[key][column], value)
        for key, values in right.items()
        for column, value in values.items()
        if not same(found[key][column], value)
    }
    assert not wrong, f"{len(wrong)} of {len(right) * len(next(iter(right.values())))}: {list(wrong.items())[:3]}"

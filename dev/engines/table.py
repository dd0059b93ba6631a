"""The table of docs/engines.md, made of what the tests run; ``python -m dev.engines table`` writes it anew.

What is executed where, and how many statements, comes from the tests themselves; the versions come from the engines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from rankmetrics_sql.dialects import check_dialect
from tests.dialects.known import RENDERED

from . import ENGINES
from .base import EngineError

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"
BEGIN, END = "<!-- engines -->", "<!-- /engines -->"
HEADER = (
    "| SQL of | how | in | precision | statements | not available |\n|---|---|---|---|---:|---|",
    "| SQL of | how | read by the grammar | not available |\n|---|---|---|---|",
    "| letter | what is not available | can change |\n|---|---|---|",
)
NAMES = {
    "duckdb": "DuckDB {}",
    "duckdb-1": "DuckDB {}",
    "sqlite": "SQLite {}",
    "postgres-15": "PostgreSQL {}",
    "postgres-18": "PostgreSQL {}, with a language's order",
    "mariadb": "MariaDB {}",
    "clickhouse": "ClickHouse {}",
    "datafusion": "DataFusion {}",
    "googlesql": "Google's evaluator, zetasql {}",
    "spark": "Spark {}",
    "spark-cluster": "Spark {}, a master and two workers",
    "sail": "Sail {}, Spark without Java",
    "trino": "Trino {}",
}
# What brings a release of its own choice: how many numbers of its version are told.
UNPINNED = {"duckdb": 2, "sqlite": 2, "postgres-15": 1, "mariadb": 2}

# What is not available where, and whether that can change; the letters are those of the notes.
NOTES = {
    "a": (
        "`alpha_ndcg` and `nerr_ia` need a cutoff of at most 20. Without one, their ideal ranking takes a recursion"
        " with window functions. `nnrbp` has no cutoff, and is not available.",
        "when the engine allows it",
    ),
    "b": ("`score_type=float32` is refused: there are no 32-bit floats.", "never"),
    "c": ("`no_relevant=error` is refused: no NaN can mark such queries. `null` and `skip` work.", "never"),
    "d": ("dbt: the package needs dbt 1.8, and no adapter works with it. {without_dbt}.", "when an adapter allows it"),
    "e": ("The tests leave out a few statements. {not_tried}", "with more time"),
    "f": ("The tests run a few statements, which show that all workers share the work.", "with more time"),
    "g": (
        "MariaDB takes at most 64 elements of WITH. Several rankings in one statement (metrics with `ties` of their"
        " own), or dozens of metrics with parameters, can exceed that. Ids of any type come back as text.",
        "never",
    ),
    "h": ("Ids that differ only in spaces at their end are one id, because text is compared without them.", "never"),
    "i": (
        "Some statements run in fakesnow, which is sqlglot and DuckDB behind Snowflake's connector: no proof.",
        "with access to Snowflake",
    ),
    "j": (
        "By default, Trino takes at most 150 stages in a statement. A comparison of 20 metrics, each with gains of its"
        " own, has more: split it into two.",
        "never",
    ),
    "k": (
        "The tests run the covering set and a few statements. {of_sail} of them end with a division by zero that Spark"
        " does not see: comparisons by normal scores or of weighted arms with clusters, and some gains and discounts.",
        "when the engine allows it",
    ),
}
# Whose text is compared by a rule that has spaces at its end of no weight.
_PADDED = ("tsql", "fabric")


def told(name: str, version: str) -> str:
    """As much of an engine's version as the table tells: not the patch of what the system installs."""
    numbers = re.search(r"\d+(\.\d+)*", version)
    if numbers is None:
        raise EngineError(f"{name} says no version: {version!r}")
    return ".".join(numbers.group().split(".")[: UNPINNED.get(name)])


def executed(name: str, number: str) -> list[str]:
    """The rows of an engine: one for each dialect whose text it runs.

    Args:
        name: what the tests call it.
        number: its version as the table tells it.
    """
    return [_row(name, number, dialect) for dialect in (*ENGINES[name].dialects, *ENGINES[name].proxies)]


def rendered() -> list[str]:
    """The rows of the dialects whose text is only read."""
    from tests.dialects.test_rendered import BY_PROXY, GRAMMARS

    return [
        f"| {dialect} | rendered | sqlfluff's {GRAMMARS[dialect]} | {_letters(_gaps(dialect))} |"
        for dialect in RENDERED
        if dialect not in BY_PROXY
    ]


def table(version: Callable[[str], str]) -> str:
    """All of it, with the notes.

    Args:
        version: what an engine says its version is.
    """
    rows = [row for name in ENGINES for row in executed(name, told(name, version(name)))]
    return "\n".join([HEADER[0], *rows, "", HEADER[1], *rendered(), "", HEADER[2], *notes()])


def notes() -> list[str]:
    """The rows of the letters: what each stands for."""
    from tests.engines import CANNOT, NOT_TRIED, WITHOUT_DBT

    reasons = {f"{reason}." for reason in NOT_TRIED.values()}
    of_sail = {case.rpartition(":")[2] for name, case in CANNOT if name == "sail"}
    facts = {
        "without_dbt": "; ".join(WITHOUT_DBT.values()),
        "not_tried": " ".join(sorted(reasons)),
        "of_sail": len(of_sail),
    }
    return [f"| {letter} | {note.format(**facts)} | {change} |" for letter, (note, change) in NOTES.items()]


def shown() -> str:
    """What the page holds."""
    return PAGE.read_text(encoding="utf-8").split(BEGIN + "\n", 1)[1].split("\n" + END, 1)[0]


def write(version: Callable[[str], str]) -> None:
    """Put the table into the page."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text.replace(f"{BEGIN}\n{shown()}\n{END}", f"{BEGIN}\n{table(version)}\n{END}"), encoding="utf-8")


def _row(name: str, version: str, dialect: str) -> str:
    how = "executed" if dialect == ENGINES[name].dialects[0] else "proxy"
    if name == "duckdb":
        precision, statements = "the reference", ""
    else:
        precision, statements = "1e-12", _statements(name, dialect)
    missing = _letters([*_gaps(dialect), *_untried(name, dialect)])
    return f"| {dialect} | {how} | {NAMES[name].format(version)} | {precision} | {statements} | {missing} |"


def _statements(name: str, dialect: str) -> str:
    """How many statements are compared: of Python's road, and of dbt's."""
    from tests.engines import CANNOT, parameters

    values = (parameter.values for parameter in parameters(name))
    executed = (
        road for written_dialect, road, case in values if written_dialect == dialect and (name, case) not in CANNOT
    )
    roads = Counter(executed)
    return f"{roads['sqlglot']} + {roads['dbt']}"


def _gaps(dialect: str) -> Iterator[str]:
    """The letters of what no statement of the dialect can do."""
    record = check_dialect(dialect)
    gaps = {
        "a": not record.windowed_recursion,
        "b": not record.float32,
        "c": not record.has_nan,
        "g": dialect == "mysql",
        "h": dialect in _PADDED,
        "i": dialect == "snowflake",
        "j": dialect in ("athena", "trino"),
    }
    return (letter for letter, missing in gaps.items() if missing)


def _untried(name: str, dialect: str) -> Iterator[str]:
    """The letters of what the tests do not do in an engine."""
    from tests.engines import NOT_TRIED, WITHOUT_DBT

    gaps = {
        "d": dialect in WITHOUT_DBT,
        "e": any(engine == name for engine, _ in NOT_TRIED),
        "f": name == "spark-cluster",
        "k": name == "sail",
    }
    return (letter for letter, missing in gaps.items() if missing)


def _letters(letters: Iterator[str] | list[str]) -> str:
    return ", ".join(sorted(letters))

"""How the SQL works: the page docs/stages.md, whose tables DuckDB makes of a statement's stages, one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import duckdb

import rankmetrics_sql as rm

from .markup import table

METRICS = ("ndcg@3", "rr")
_COMMAND = " -m ".join(("rankmetrics sql --run run --qrels qrels", *METRICS))
# Five rows of a run: a tie in x, an item that nobody judged, a relevant one that was not found.
TABLES = """
CREATE TABLE run AS FROM (VALUES
    ('x', 'a', 0.9), ('x', 'b', 0.5), ('x', 'c', 0.5), ('y', 'd', 0.8), ('y', 'e', 0.1)
) AS rows(query_id, item_id, score);
CREATE TABLE qrels AS FROM (VALUES
    ('x', 'a', 0), ('x', 'b', 1), ('x', 'c', 2), ('y', 'e', 1), ('y', 'f', 2)
) AS rows(query_id, item_id, relevance)
"""
# The purpose of each stage.
STAGES = {
    "run_source": "Your run. If you pass a SELECT, it stands here.",
    "run": (
        "This stage renames your columns to `query_id`, `item_id` and `score`, or computes them if you pass SQL."
        " A score that is NaN becomes NULL. `raw_score` keeps the type of your column, because a `DOUBLE` rounds long"
        " whole numbers and would make ties of them."
    ),
    "qrels_source": "Your judgments.",
    "qrels": (
        "The same for the judgments. It leaves out rows without a relevance, because such an item is unjudged."
        " If an item has two judgments, the highest grade counts. A row without an item stands for a query with nothing"
        " relevant."
    ),
    "ranked": (
        "This stage ranks the items of each query by score. Items b and c tie. Then the item id decides, in descending"
        " order, so c comes first. The option [`ties`](../sql/README.md#options) changes that. No later stage reads"
        " scores."
    ),
    "rows": (
        "This stage joins ranks and grades. Item d has no judgment, so it drops out. Below the items, UNION ALL"
        " stacks a row for each query, with facts from its judgments alone, so a single GROUP BY reads both. The ideal"
        " DCG of y counts item f, which the run did not find. So the nDCG of y cannot reach 1. With other metrics,"
        " parts of this stage become stages of their own: `matched`, `judged` with running counts, or"
        " `query_judgment_facts`."
    ),
    "per_query": "The metrics. Each is one aggregate expression over the rows of a query.",
    "metrics": "The names of the metrics, numbered so that the answer keeps their order.",
    "values": "One row for each query and metric.",
    "": "The answer: the mean over the queries, and how many of them had a value.",
}


def page() -> str:
    """Return the page."""
    return "\n".join([*_head(), *_stages(), ""])


def stages(text: str) -> dict[str, tuple[str, str]]:
    """Return the stages of a statement by name: the text, and a query that ends with it. The last has no name."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("--")).rstrip(";\n")
    stages_by_name: dict[str, tuple[str, str]] = {}
    for match in re.finditer(
        r"^(?:WITH )?(rankmetrics_(\w+)) AS (?:NOT MATERIALIZED )?\((.*?)\n\)", body, re.DOTALL | re.MULTILINE
    ):
        stage_text = re.sub(r"^ {4}", "", match[3].strip("\n"), flags=re.MULTILINE)
        stages_by_name[match[2]] = stage_text, f"{body[: match.end()]}\nSELECT * FROM {match[1]}"
    return {**stages_by_name, "": (body.rsplit("\n)\n\n", 1)[1], body)}


def _head() -> Iterator[str]:
    yield "<!-- Written by `python -m dev.site write`. -->"
    yield "# How the SQL works"
    yield (
        "\nWhat does a metric do with your rows, and where do you look if a number surprises you? A statement is a"
        " chain of stages. Each stage is a common table expression (CTE), which you can read and run by itself. This"
        f" page shows all stages of `{_COMMAND}` on two tables of five rows, with the rows that each stage returns."
    )
    yield (
        "\nEvery dialect has the same stages, and dbt's macros write them too. `rm.sql(...)` prints them for your"
        " tables. To see what a stage returns, replace the last SELECT by `SELECT * FROM` and the name of the stage."
    )
    yield (
        "\n![Tables as boxes with their rows. The run becomes the ranked run. It meets the judgments in the"
        " rows, which become the metrics per query, and the summary.](pictures/stages.svg)"
    )
    yield "\n## Two tables"
    with _tables() as connection:
        for name, description in (("run", "the retrieved items"), ("qrels", "the judgments")):
            yield f"\n`{name}` has {description}:\n"
            yield from _rows(connection, f"FROM {name}")


def _stages() -> Iterator[str]:
    with _tables() as connection:
        for name, (stage_text, query) in stages(rm.sql(list(METRICS), "run", "qrels", level="summary")).items():
            yield f"\n## {f'rankmetrics_{name}' if name else 'The summary'}"
            yield f"\n{STAGES[name]}"
            yield f"\n```sql\n{stage_text}\n```\n"
            yield from _rows(connection, query, ordered=bool(name))


def contents() -> dict[str, tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]]:
    """Return each stage's text, with the columns and rows that it makes, to three digits."""
    with _tables() as connection:
        text = rm.sql(list(METRICS), "run", "qrels", level="summary")
        contents_by_name = {}
        for name, (stage_text, query) in stages(text).items():
            table = connection.sql(f"FROM ({query}) ORDER BY ALL NULLS LAST" if name else query)
            rows = (
                tuple("" if v is None else f"{v:.2g}" if isinstance(v, float) else str(v) for v in row)
                for row in table.fetchall()
            )
            contents_by_name[name] = stage_text, tuple(table.columns), tuple(rows)
        return contents_by_name


def _tables() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(TABLES)
    return connection


def _rows(connection: duckdb.DuckDBPyConnection, query: str, ordered: bool = True) -> Iterator[str]:
    result = connection.sql(f"FROM ({query}) ORDER BY ALL NULLS LAST" if ordered else query)
    yield from table(result.columns, ([_cell(value) for value in row] for row in result.fetchall()))


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)

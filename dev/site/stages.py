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
    "run_source": "The run as it is. A query of your own would stand here in brackets.",
    "run": "The run by canonical names: your columns, or SQL over the row, become `query_id`, `item_id` and `score`.",
    "qrels_source": "The judgments as they are.",
    "qrels": "The judgments by canonical names. A row whose relevance is NULL is unjudged, and is left out.",
    "ranked": (
        "The order: scores descending, then the item's text descending, so c comes before b. The option"
        " [`ties`](../sql/README.md#options) decides that. Nothing after this stage looks at scores."
    ),
    "rows": (
        "Retrieved items that are judged, with their ranks and gains. Item d is not judged, and drops out. Below them"
        " is a row for each query, with what its judgments alone say, so that one GROUP BY reads both. The ideal DCG of"
        " y counts f, which was not found. So y cannot reach 1. A part that other stages read, too, is a stage of its"
        " own: `matched`, with running counts `judged`, or `query_judgment_facts`."
    ),
    "per_query": "The metrics: each is one aggregate expression over the rows of a query.",
    "metrics": "The metrics, by number and name.",
    "values": "A row for each query and metric.",
    "": "The answer: the mean over queries, and how many of them had a value.",
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
        "\nA statement is a chain of stages. Each is a common table expression, which you can read and run by itself."
        f" Here is the whole of `{_COMMAND}` on two tables of five rows,"
        " with what every stage holds."
    )
    yield (
        "\nThe same stages stand in every dialect, and dbt's macros write them too. `rm.sql(...)` prints them for your"
        " tables."
    )
    yield (
        "\n![Tables as boxes with their rows. The run becomes the ranked run. It meets the judgments in the"
        " rows, which become the metrics per query, and the summary.](pictures/stages.svg)"
    )
    yield "\n## Two tables"
    with _tables() as connection:
        for name, description in (("run", "what was retrieved"), ("qrels", "what is relevant")):
            yield f"\n`{name}`, {description}:\n"
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

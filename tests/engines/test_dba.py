"""What docs/dba.md shows: how a statement begins, names in mixed case, and the index that removes the sort."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rankmetrics_sql as rm
from dev.engines.postgres import USER, server

PAGE = (Path(__file__).parents[2] / "docs" / "dba.md").read_text()
TABLES = """
CREATE SCHEMA shop;
CREATE TABLE shop.results AS
SELECT (i / 50)::text AS query_id, (i % 50)::text AS item_id, ((i * 7919) % 1000)::double precision AS score,
    'de' AS "Market", 'm' || i % 2 AS system
FROM generate_series(1, 20000) AS i;
CREATE TABLE shop.labels AS SELECT query_id, item_id, 1 AS relevance FROM shop.results WHERE score < 20;
ANALYZE
"""


def test_the_page_shows_how_a_statement_begins(cli):
    [command] = re.findall(r"^rankmetrics (sql .* --dialect postgres)$", PAGE, re.MULTILINE)
    [shown] = re.findall(r"```sql\n(-- rankmetrics_sql .*?)```", PAGE, re.DOTALL)
    version = re.compile(r"(?<=^-- rankmetrics_sql )\S+")
    assert version.sub("", cli(*command.split()).stdout).startswith(version.sub("", shown))


def test_a_group_keeps_the_case_that_it_is_written_in():
    """A view has no quotes, so its reader needs none."""
    given = {"run": "shop.results", "qrels": "shop.labels", "by": "run.Market"}
    assert 'AS "Market"' in rm.sql("rr", **given, dialect="postgres")
    assert "AS Market" in rm.sql("rr", **given, dialect="postgres", shape="view")
    assert '"value"' not in rm.sql("rr", **given, dialect="postgres")


@pytest.mark.long
@pytest.mark.parametrize("is_looked_up", [False, True])
@pytest.mark.parametrize("columns", [{}, {"run_id": "system"}], ids=["one run", "runs"])
def test_the_index_removes_the_sort(columns, is_looked_up):
    """A column that names the run stands second in it; scores that are known to be doubles need no CASE."""
    import psycopg

    [index] = re.findall(r"```sql\n(CREATE INDEX.*?)```", PAGE, re.DOTALL)
    index = index.replace("query_id,", ", ".join(["query_id", *columns.values(), ""]))
    if is_looked_up:
        index = re.sub(r"\n    \(CASE .*", "", index)
    given = {"dialect": "postgres", "level": "per_query", "columns": columns}
    with server(None) as port:
        address = f"host=127.0.0.1 port={port} user={USER} dbname=postgres"
        with psycopg.connect(address, autocommit=True) as connection:

            def sorts():
                plan = "\n".join(line for (line,) in connection.execute(f"EXPLAIN {text}").fetchall())
                return re.search(r"query_id, (\S+, )?\(NULLIF\(\S*score\b.*\) DESC", plan) is not None

            connection.execute(TABLES)
            given |= {"connection": connection} if is_looked_up else {}
            text = rm.sql(["rr", "ndcg@10"], "shop.results", "shop.labels", **given)
            values = sorted(connection.execute(text).fetchall())
            assert sorts()
            for statement in index.split(";"):
                if statement.strip():
                    connection.execute(statement)
            assert not sorts()
            assert sorted(connection.execute(text).fetchall()) == values
            groups = connection.execute(
                rm.sql("rr", "shop.results", "shop.labels", by='run."Market"', dialect="postgres")
            )
            assert next(column.name for column in groups.description) == "Market"

"""Names and queries of the user's stand in the text as they were written, whatever the dialect."""

from __future__ import annotations

import re

import duckdb
import pytest
import sqlglot

import rankmetrics_sql as rm
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.dialects.names import identifier, quote_canonically, quote_name, split_name, table_name, unquoted
from rankmetrics_sql.dialects.translation import sqlglot_dialect
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..dialects.known import EXECUTED, RENDERED

DIALECTS = (*EXECUTED, *RENDERED)

# Names that are legal as they are written.
VERBATIM = {
    "athena": ["awsdatacatalog.logs.runs", '"s3tablescatalog/bucket".shop.runs'],
    "bigquery": [
        "runs",
        "shop.runs",
        "my-project.shop.runs",
        "my-project.shop.table",
        "`my-project.shop.runs`",
        "`my-project`.shop.`runs-1`",
        "`my-project.shop.events_*`",
        "`example.com:my-project.shop.runs`",
        "shop.INFORMATION_SCHEMA.TABLES",
        "region-eu.INFORMATION_SCHEMA.TABLES",
        "`region-eu`.INFORMATION_SCHEMA.TABLES",
    ],
    "clickhouse": ["shop.runs", "shop.`runs of may`", 'shop."runs-1"', "system.`query_log`"],
    "databricks": ["main.shop.runs", "main.`shop-1`.runs", "delta.`s3://bucket/a.b/runs`", "hive_metastore.shop.runs"],
    "duckdb": ["runs", "lake.main.runs", '"a.b"."c""d"', "Runs$1"],
    "fabric": ["[My Lakehouse].[dbo].[runs]", "shop.dbo.runs"],
    "mysql": ["shop.runs", "`shop-1`.`runs`", "`back``tick`", "runs$1"],
    "oracle": ['SHOP."Runs"', "shop.runs@warehouse", "sys.runs$", "shop.v#runs"],
    "postgres": ["runs", "public.runs", '"Shop"."Runs of May"', "runs$1"],
    "redshift": ["dev.public.runs", 'spectrum."Runs"', '"#runs"'],
    "snowflake": ["runs", 'DB.SHOP."Quoted Case"', '"quoted"', "db..runs", "SHOP.RUNS$1"],
    "spark": ["runs", "lake.shop.runs", "parquet.`/data/may/*.parquet`", "csv.`hdfs://nn/a.b/runs.csv`"],
    "sqlite": ["main.runs", '"runs of may"'],
    "trino": ["hive.shop.runs", '"dashed-catalog".shop.runs', 'hive.shop."runs$partitions"'],
    "tsql": ["dbo.runs", "[Shop-1].[dbo].[runs of may]", "[odd]]name]", "#runs", "##runs", "tempdb..#runs", '"Runs"'],
}
# Names that are not, and how they are written.
QUOTED = [
    ("athena", "logs.runs-1", 'logs."runs-1"'),
    ("bigquery", "my-project.shop.events_*", "`my-project.shop.events_*`"),
    ("bigquery", "shop.runs-1", "`shop.runs-1`"),
    ("bigquery", "`my-project`.shop.runs-1", "`my-project`.shop.`runs-1`"),
    ("bigquery", '"Runs"', "`Runs`"),
    ("bigquery", "order", "`order`"),
    ("clickhouse", "runs$1", "`runs$1`"),
    ("databricks", "main.shop-1.runs", "main.`shop-1`.runs"),
    ("duckdb", "my runs", '"my runs"'),
    ("duckdb", "a..b", '"a..b"'),
    ("mysql", '"Runs"', "`Runs`"),
    ("mysql", "shop-1.runs", "`shop-1`.runs"),
    ("postgres", "shop.order", 'shop."order"'),
    ("snowflake", "shop-1.runs", '"shop-1".runs'),
    ("snowflake", "shop.order", 'shop."ORDER"'),
    ("snowflake", 'shop."order"', 'shop."order"'),
    ("oracle", "Order", '"ORDER"'),
    ("postgres", "shop.Order", 'shop."order"'),
    ("mysql", "Order", "`Order`"),
    ("trino", "dashed-catalog.shop.runs", '"dashed-catalog".shop.runs'),
    ("trino", "shop.runs$partitions", 'shop."runs$partitions"'),
    ("tsql", "my runs", "[my runs]"),
    ("tsql", "a]b", "[a]]b]"),
]
QUERY = """SELECT  Query_Id, item_id,score   -- as the user likes it
\tFROM runs AS r
  WHERE note <> 'two  blanks; a -- dash'"""


def source_of(text, stage="rankmetrics_run"):
    """What a stage reads: a table where it is, a query in a stage of its own."""
    query = re.search(rf"{stage}_source AS (?:NOT MATERIALIZED )?\(\s+SELECT \* FROM (.*?)\n\)", text, re.DOTALL)
    table = re.search(rf"{stage} AS (?:NOT MATERIALIZED )?\(.*?\sFROM (.*?) (?:AS )?s\n", text, re.DOTALL)
    return (query or table)[1]


@pytest.mark.parametrize(("dialect", "name"), [(dialect, name) for dialect, many in VERBATIM.items() for name in many])
def test_legal_names_stand_as_they_were_written(dialect, name):
    assert table_name(name, check_dialect(dialect)) == name
    written = rm.sql("rr", f" {name} ", name, dialect=dialect)
    assert source_of(written) == source_of(written, "rankmetrics_qrels") == name


@pytest.mark.parametrize(("dialect", "name", "wanted"), QUOTED)
def test_other_names_are_quoted(dialect, name, wanted):
    assert source_of(rm.sql("rr", name, "labels", dialect=dialect)) == wanted


@pytest.mark.parametrize(
    ("dialect", "name", "wanted"),
    [
        ("snowflake", "order", '"ORDER"'),
        ("snowflake", "Order", '"ORDER"'),
        ("snowflake", '"order"', '"order"'),
        ("snowflake", "order id", '"order id"'),
        ("oracle", "order", '"ORDER"'),
        ("postgres", "Order", '"order"'),
        ("postgres", '"Order"', '"Order"'),
        ("bigquery", "Order", "`Order`"),
        ("duckdb", "Order", '"Order"'),
    ],
)
@pytest.mark.parametrize("side", ["run", "qrels"])
def test_a_reserved_word_keeps_the_case_that_it_has_without_quotes(dialect, name, wanted, side):
    text = rm.sql("rr", "runs", "labels", dialect=dialect, columns={f"{side}.item_id": name})
    assert f"s.{wanted} AS item_id" in text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_quoted_names_are_read_by_sqlglot_as_that_name(dialect):
    for name in ("a b", 'quo"ted', "tick`ed", "brack]et", "x'y", "semi;colon", "dash--ed"):
        spoken = check_dialect(dialect)
        parsed = sqlglot.parse_one(f"SELECT * FROM {table_name(name, spoken)}", read=sqlglot_dialect(spoken))
        table = parsed.find(sqlglot.exp.Table)
        assert table.name == name.replace('"', "") or table.name == name


@pytest.mark.parametrize("name", ["@stage", "@~/runs.csv", "@db.shop.stage/runs", "'@stage/runs.csv'"])
def test_a_stage_is_no_table(name):
    with pytest.raises(rm.UsageError, match=r"is a stage, not a table\. Pass a query"):
        rm.sql("rr", name, "labels", dialect="snowflake")


def test_a_query_may_read_a_stage():
    query = "SELECT $1 AS query_id, $2 AS item_id, $3 AS score FROM @shop.stage/runs.csv (FILE_FORMAT => 'csv')"
    assert query in rm.sql("rr", query, "labels", dialect="snowflake")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_query_stands_as_it_was_written_only_indented(dialect):
    written = rm.sql("rr", f"\n{QUERY} ; -- the end\n", "labels", dialect=dialect)
    assert "\n".join(f"        {line}" for line in QUERY.splitlines()) in written
    alias = source_of(written).splitlines()[-1]
    assert alias.strip() == {"duckdb": ")", "oracle": ") u"}.get(dialect, ") AS u")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_text_in_quotes_keeps_its_lines(dialect):
    query = "SELECT 'one\ntwo' AS query_id, item_id, score\n    FROM runs"
    assert f"(\n{query}\n" in rm.sql("rr", query, "labels", dialect=dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_name_of_ours_inside_a_name_of_theirs_is_nothing_special(dialect):
    runs = {
        "rankmetrics_input_qrels": "SELECT 'rankmetrics_input_qrels' AS query_id, 1 AS item_id, 1 AS score",
        "b": "b",
    }
    written = rm.sql("rr", runs, "labels", dialect=dialect)
    code = written[written.index("WITH\n") :]
    assert code.count("rankmetrics_input_qrels") == code.count("'rankmetrics_input_qrels'") > 1
    assert code.count("labels") == 1


@pytest.mark.parametrize("dialect", ["bigquery", "clickhouse"])
@pytest.mark.parametrize("name", ["a\\", "a\\`b", "C:\\new", "`", "a``b"])
def test_backslashes_do_not_end_a_name_in_quotes(dialect, name):
    spoken = check_dialect(dialect)
    written = quote_name(name, spoken)
    assert unquoted(written, spoken) == name
    assert split_name(f"{written}.x", spoken) == [written, "x"]


def test_columns_of_groups_say_their_relation():
    text = rm.sql("ap", "runs", "labels", by="run.market", dialect="duckdb")
    assert "s.market AS group_1" in text.partition("rankmetrics_qrels")[0]
    assert 's."a.b" AS group_1' in rm.sql("ap", "runs", "labels", by='"a.b"')
    with pytest.raises(
        rm.UsageError, match=r"by: 'foo.market': only run., qrels., query_list. may stand before a column"
    ):
        rm.sql("ap", "runs", "labels", by="foo.market")


def test_tsql_has_no_with_inside():
    query = "WITH recent AS (SELECT * FROM runs) SELECT * FROM recent"
    with pytest.raises(rm.UsageError, match=r"tsql has no WITH inside another statement\. Create a view of the query"):
        rm.sql("rr", query, "labels", dialect="tsql")
    assert query in rm.sql("rr", query, "labels", dialect="oracle")


@pytest.mark.parametrize(
    ("dialect", "given", "wanted"),
    [
        ("snowflake", '"Item Id"', 's."Item Id" AS'),
        ("snowflake", '"itemid"', 's."itemid" AS'),
        ("snowflake", "itemid", "s.itemid AS"),
        ("oracle", '"itemid"', 's."itemid" AS'),
        ("bigquery", "`item id`", "s.`item id` AS"),
        ("bigquery", "itemid", "s.itemid AS"),
        ("tsql", "[item id]", "s.[item id]"),
        ("mysql", "`item id`", "s.`item id`"),
        ("duckdb", "item id", 's."item id" AS'),
        ("postgres", '"Item"', 's."Item" AS'),
    ],
)
def test_columns_are_quoted_as_the_user_quotes_them(dialect, given, wanted):
    assert wanted in rm.sql("rr", "runs", "labels", dialect=dialect, columns={"item_id": given})


@pytest.mark.parametrize(
    ("dialect", "column", "in_table", "in_result"),
    [
        ("snowflake", "market", "s.market AS group_1", 't.group_1 AS "market"'),
        ("snowflake", '"Market"', 's."Market" AS group_1', '"Market"'),
        ("bigquery", "`my market`", "s.`my market` AS group_1", "AS `my market`"),
        ("postgres", "market", "s.market AS group_1", "AS market"),
    ],
)
def test_groups_come_back_under_the_name_that_was_given(dialect, column, in_table, in_result):
    written = rm.sql("rr", "runs", "labels", dialect=dialect, by=[column])
    assert in_table in written
    assert in_result.split(".")[-1] in written[written.rindex("SELECT") :]


def test_a_name_in_quotes_is_read_back():
    for dialect, name, wanted in [
        ("tsql", "[a]]b]", "a]b"),
        ("mysql", "`a``b`", "a`b"),
        ("duckdb", '"a""b"', 'a"b'),
        ("duckdb", "ab", "ab"),
    ]:
        spoken = check_dialect(dialect)
        assert unquoted(name, spoken) == wanted
        assert unquoted(identifier(wanted, spoken), spoken) == wanted
        assert unquoted(quote_canonically(name, spoken)) == wanted


def test_parts_of_a_name():
    assert split_name('a."b.c".d') == ["a", '"b.c"', "d"]
    assert split_name("a..b", check_dialect("snowflake")) == ["a", "", "b"]
    assert split_name("a..b") == ["a..b"]
    with pytest.raises(rm.UsageError, match="cannot be empty"):
        split_name("  ")


def test_odd_names_run_in_duckdb():
    with duckdb.connect() as connection:
        connection.execute('CREATE SCHEMA "a.b"')
        connection.execute("""CREATE TABLE "a.b"."c""d" AS SELECT 'q' AS query_id, 'i' AS item_id, 1 AS score""")
        connection.execute("CREATE TABLE \"select\" AS SELECT 'q' AS \"Query Id\", 'i' AS item_id, 1 AS relevance")
        columns = {"qrels.query_id": "Query Id"}
        written = rm.sql("rr", '"a.b"."c""d"', "select", level="per_query", columns=columns)
        assert connection.execute(written).fetchall() == [("q", 1.0)]


@pytest.mark.parametrize("name", ["session", "Session Id", "select"])
def test_the_query_is_called_in_results_as_in_the_run(name):
    con = duckdb.connect()
    con.execute(f"""CREATE TABLE shown AS SELECT 'q' AS "{name}", 'a' AS item_id, 1 AS score""")
    con.execute("CREATE TABLE labels AS SELECT 'q' AS topic, 'a' AS item_id, 1 AS relevance")
    given = {"columns": {"run.query_id": name, "qrels.query_id": "topic"}, "connection": con}
    result = quietly(rm.evaluate, "shown", "labels", ["nDCG@10", "rr"], **given)
    assert result.per_query.dicts() == [{name: "q", "nDCG@10": 1.0, "rr": 1.0}]
    assert quietly(rm.curve, "shown", "labels", "ap", at=[1], **given).per_query.columns == [name, "x", "y"]
    assert quietly(rm.curve, "shown", "labels", "pr_curve", **given).per_query.columns == [name, "x", "y"]
    result.create_table("kept", "per_query")
    assert con.execute("FROM kept").description[0][0] == name
    assert [column[0] for column in con.execute("FROM kept").description[1:]] == ["ndcg_at_10", "rr"]
    columns = {"query": f'"{name}"', "qrels.query": "topic"}
    for macro in ("per_query", "judged"):
        text = macros("duckdb")[macro](relation="shown", metrics="rr", qrels="labels", columns=columns)
        assert con.execute(text).description[0][0] == name


@pytest.mark.parametrize("name", ["rr", "RR@10", "metric", "run_id", "n_queries"])
def test_unless_another_column_of_the_result_has_that_name(name):
    con = duckdb.connect()
    con.execute(f"""CREATE TABLE shown AS SELECT 'q' AS "{name}", 'a' AS item_id, 1 AS score""")
    con.execute("CREATE TABLE labels AS SELECT 'q' AS topic, 'a' AS item_id, 1 AS relevance")
    columns = {"run.query_id": name, "qrels.query_id": "topic"}
    with pytest.raises(rm.UsageError, match=f"two columns called '{name}'"):
        rm.evaluate("shown", "labels", ["rr", "rr@10"], columns=columns, connection=con)
    named = {"query": f'"{name}"', "qrels.query": "topic"}
    with pytest.raises(rm.UsageError, match=f"two columns called '{name}'"):
        macros()["per_query"](relation="shown", metrics=["rr", "rr@10"], qrels="labels", columns=named)


def test_a_comparison_has_no_such_column():
    con = duckdb.connect()
    con.execute("CREATE TABLE shown AS SELECT 'q' AS baseline, 'a' AS item_id, 1 AS score, 1 AS relevance")
    columns = {"query_id": "baseline"}
    found = quietly(rm.compare, "shown", {"same": "shown"}, "shown", "rr", columns=columns, connection=con)
    assert [row["effect_size"] for row in found.summary.dicts()] == [0.0]

"""Dialects that no test executes: an independent grammar reads their text; test_text_traps has what manuals ask for.

A grammar sees no types, names or NULLs: "parses" is not "works", which is why these dialects are called rendered.
"""

from __future__ import annotations

import re
from functools import cache

import pytest
import sqlglot
from sqlfluff.core import FluffConfig, Linter
from sqlfluff.core.dialects import dialect_selector
from sqlglot import exp

import rankmetrics_sql as rm
from rankmetrics_sql.dialects import check_dialect, transpile

from .constructs import STANDS_FOR_ALL, all_selects, canonical, corpus, parsed, translated, ways
from .known import RENDERED
from .traps import Statement, fallen_into
from .traps.trap import TRANSLATED, aggregate_without_frame, ordered_inside, sorted_by_a_start, whole_division

# The grammar in sqlfluff of every dialect that is not executed; Redshift's too: its proxy runs more than it does.
GRAMMARS = {
    "doris": "doris",
    "exasol": "exasol",
    "fabric": "tsql",
    "hive": "hive",
    "materialize": "materialize",
    "oracle": "oracle",
    "presto": "trino",
    "redshift": "redshift",
    "snowflake": "snowflake",
    "starrocks": "starrocks",
    "teradata": "teradata",
    "tsql": "tsql",
    "vertica": "vertica",
}
# Its proxy executes it, and no grammar is as strict.
BY_PROXY = {"athena"}

# What a grammar does not know though the dialect has it: the pattern, what it is read as instead, a statement that must
# be refused for as long as this is needed, and where it says that the dialect has it.
FALSE_ALARMS = {
    "teradata": [
        (r" \*\* ", " * ", "SELECT a ** b FROM t", "SQL Functions, arithmetic operators: ** is exponentiation"),
        (r" MOD ", " * ", "SELECT a MOD b FROM t", "SQL Functions, arithmetic operators: MOD is what is left"),
    ],
}

# The manuals' type of 32 bits; where there is none, score_type=float32 is refused.
FLOAT32 = {
    "doris": "FLOAT",
    "exasol": None,
    "fabric": "REAL",
    "hive": "FLOAT",
    "materialize": "REAL",
    "oracle": "BINARY_FLOAT",
    "presto": "REAL",
    "redshift": "REAL",
    "snowflake": None,
    "starrocks": "FLOAT",
    "teradata": None,
    "tsql": "REAL",
    "vertica": None,
}


@cache
def linter(grammar):
    return Linter(config=FluffConfig(overrides={"dialect": grammar, "large_file_skip_byte_limit": 0}))


@cache
def refusals(sql, grammar):
    """What the grammar cannot read of a statement."""
    parsed = linter(grammar).parse_string(sql)
    tree = parsed.root_variant().tree
    unread = [segment.raw for segment in tree.recursive_crawl("unparsable")] if tree else [sql]
    return [str(violation) for violation in parsed.violations] + unread


def test_every_rendered_dialect_is_executed_or_read():
    assert set(RENDERED) - BY_PROXY == GRAMMARS.keys() == FLOAT32.keys()


def test_one_dialect_stands_for_all_that_are_rendered():
    """What the templates ask of a dialect is the same in each of them."""
    asked = {
        (one.windowed_recursion, one.selects_kth, one.sums_greatest, one.counts_bits)
        for one in map(check_dialect, RENDERED)
    }
    assert asked == {(False, False, False, False)}
    assert STANDS_FOR_ALL in RENDERED


@pytest.mark.long
def test_nothing_is_lost_from_the_corpus():
    kept = [sqlglot.parse_one(sql, read="duckdb") for sql in corpus()]
    assert kinds(parsed()) - kinds(kept) == {exp.CTE, exp.With}  # which the whole statement has
    assert set().union(*map(ways, kept)) == set().union(*map(ways, all_selects()))
    assert len(kept) < len(all_selects()) / 2
    assert sum(map(len, corpus())) < sum(map(len, canonical().values())) / 5


def kinds(trees):
    return {type(node) for tree in trees for node in tree.walk()}


@pytest.mark.long
@pytest.mark.parametrize("dialect", GRAMMARS)
def test_an_independent_grammar_reads_every_construct(dialect):
    for sql in translated(dialect):
        for pattern, stand_in, _, _ in FALSE_ALARMS.get(dialect, ()):
            sql = re.sub(pattern, stand_in, sql)  # noqa: PLW2901 - the same statement
        assert refusals(sql, GRAMMARS[dialect]) == []


@pytest.mark.long
@pytest.mark.parametrize("dialect", TRANSLATED)
def test_no_construct_is_a_trap(dialect):
    assert [found for sql in translated(dialect) for found in fallen_into(sql, dialect, is_whole=False)] == []


@pytest.mark.long
def test_no_statement_has_a_trap_that_a_translation_keeps():
    """Orders in stages, frames that are left out, quotients, windows, names: as in the text that is translated."""
    rules = (ordered_inside, aggregate_without_frame, whole_division, sorted_by_a_start)
    for name, sql in canonical().items():
        statement = Statement(sql, "duckdb")
        assert [*fallen_into(sql, "duckdb"), *(found for rule in rules for found in rule(statement))] == [], name


def test_teradata_reaches_over_all_where_nothing_is_said():
    """Window Aggregate Functions: without ROWS the whole partition counts, elsewhere what is up to the row."""
    rows = "SELECT SUM(x) OVER (ORDER BY y NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND {}) AS s FROM t"
    written = [
        transpile(rows.format(end), check_dialect("teradata"), {}) for end in ("UNBOUNDED FOLLOWING", "CURRENT ROW")
    ]
    assert ["ROWS" in sql for sql in written] == [False, True]


@pytest.mark.parametrize("grammar", sorted(set(GRAMMARS.values())))
def test_the_grammar_refuses_what_is_none(grammar):
    assert refusals("SELECT SUM(a) OVER (PARTITION BY) AS b FROM t", grammar)


@pytest.mark.long
@pytest.mark.parametrize(("dialect", "alarm"), [(name, alarm) for name, many in FALSE_ALARMS.items() for alarm in many])
def test_a_false_alarm_is_one(dialect, alarm):
    pattern, stand_in, probe, _ = alarm
    assert refusals(probe, GRAMMARS[dialect])
    assert refusals(re.sub(pattern, stand_in, probe), GRAMMARS[dialect]) == []
    assert any(re.search(pattern, sql) for sql in translated(dialect))


@cache
def names():
    """Our own names of stages, columns and aliases."""
    return {name.name for tree in parsed() for name in tree.find_all(exp.Identifier)}


@pytest.mark.long
@pytest.mark.parametrize("dialect", GRAMMARS)
def test_no_name_of_ours_is_reserved(dialect):
    reserved = {word.lower() for word in dialect_selector(GRAMMARS[dialect]).sets("reserved_keywords")}
    assert len(reserved) > 10
    columns = ", ".join(f"x AS {name}" for name in sorted(names()) if re.fullmatch(r"[a-z]\w*", name))
    written = transpile(f"WITH s AS (SELECT {columns} FROM t) SELECT 1 AS one FROM s", check_dialect(dialect), {})
    bare = set(re.findall(r"\bx AS (\w+)", written))
    assert len(names() & bare) > len(names()) / 2  # what nothing asks to quote is not quoted
    assert bare & reserved == set()


@pytest.mark.long
@pytest.mark.parametrize("grammar", ["bigquery", "databricks", "duckdb", "postgres", "redshift", "snowflake", "trino"])
def test_no_name_of_ours_is_reserved_in_dbt(grammar):
    """Whose text is written without quotes."""
    reserved = {word.lower() for word in dialect_selector(grammar).sets("reserved_keywords")}
    assert len(reserved) > 10
    assert names() & reserved == set()


@pytest.mark.long
def test_names_of_ours_fit_every_dialect():
    assert {name for name in names() if not re.fullmatch(r"[a-z][a-z0-9_]{0,62}", name)} == set()


def test_vertica_compares_a_nan_with_itself():
    assert transpile("SELECT ISNAN(x) AS found FROM t", check_dialect("vertica"), {}).split()[1:4] == ["NOT", "(x", "="]


def test_a_translation_that_is_known_is_of_the_same_relations_keys_and_dialect():
    sql = "SELECT s.name AS query_id FROM place AS s ORDER BY query_id"
    asked = [(name, table, keys) for name in ("mariadb", "postgres") for table in ("a", "b") for keys in (None, [], [])]
    found = [transpile(sql, check_dialect(name), {"place": table}, keys) for name, table, keys in asked]
    assert len(set(found)) == 4 + 2  # in PostgreSQL keys change nothing here
    assert all(f"FROM {table} AS s" in text for text, (_, table, _) in zip(found, asked, strict=True))


@pytest.mark.parametrize(("dialect", "type_"), FLOAT32.items())
def test_float32_has_32_bits_or_is_refused(dialect, type_):
    arguments = {"dialect": dialect, "score_type": "float32"}
    if type_ is None:
        with pytest.raises(rm.UsageError, match=f"{dialect} has no 32-bit floats"):
            rm.sql("rr", "runs", "labels", **arguments)
    else:
        assert f" AS {type_}) AS " in rm.sql("rr", "runs", "labels", **arguments)


@pytest.mark.parametrize("dialect", ["exasol", "oracle", "snowflake"])
def test_results_have_their_names_in_small_letters(dialect):
    written = rm.sql(["ap", "rr"], "runs", "labels", dialect=dialect, level="per_query", by=["market"])
    last = written[written.rindex("SELECT") :]
    assert re.findall(r'"(\w+)"', last) == ["query_id", "market", "ap", "rr"]
    assert '"' not in written[: written.rindex("SELECT")]

"""Dialects that no test executes: an independent grammar reads their text, and what their manuals ask for is there.

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
from rankmetrics_sql.dialects import check_dialect, translation, transpile
from rankmetrics_sql.dialects.translation import sqlglot_dialect

from .golden import text
from .known import RENDERED
from .statements import cases

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


CONDITION = exp.Predicate | exp.Connector | exp.Not


class Reduced:
    """The canonical text of every case, cut down to what is new in it: names and numbers aside, nothing stands twice.

    A grammar has no memory, so what it reads in one place it reads in another.
    """

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._seen: set[object] = set()
        self._kept: set[object] = set()

    def selects(self, tree):
        """The SELECTs of a statement as far as they are new."""
        for select in list(tree.find_all(exp.Select)):
            alone = select.copy()
            alone.set("with_", None)
            if self._is_new(alone):
                short = self._shortened(alone)
                columns = {self._shape(column): column for column in reversed(short.expressions)}
                short.set("expressions", list(columns.values()))
                if (shape := self._shape(short)) not in self._kept:
                    self._kept.add(shape)
                    yield short

    def _is_new(self, node):
        shape = self._shape(node)
        new = shape not in self._seen
        self._seen.add(shape)
        return new

    def _shape(self, node):
        """A number for all nodes that differ in names and numbers only."""
        if isinstance(node, list):
            return tuple(map(self._shape, node))
        if not isinstance(node, exp.Expression):
            return node
        if isinstance(node, exp.Column | exp.Identifier):
            shape = "name"
        elif isinstance(node, exp.Literal):
            shape = ("literal", node.is_string)
        elif isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal):
            shape = "number"
        else:
            parts = ((name, self._shape(part)) for name, part in sorted(node.args.items()) if part not in (None, []))
            shape = (type(node).__name__, *parts)
        return self._numbers.setdefault(shape, len(self._numbers))

    def _shortened(self, node):
        """The node with a plain column, or a plain condition, for every expression that has been seen."""
        is_value = isinstance(node, exp.Case | exp.Func | exp.Paren | exp.Binary | exp.Window)
        if is_value and not isinstance(node, exp.If) and not self._is_new(node):
            seen = exp.column("seen")
            return exp.EQ(this=seen, expression=seen.copy()) if isinstance(node, CONDITION) else seen
        for name, part in list(node.args.items()):
            if isinstance(node, exp.Window) and name == "this":  # a plain column is no function
                self._shortened(part)
            elif isinstance(part, list):
                node.set(name, [self._shortened(each) if isinstance(each, exp.Expression) else each for each in part])
            elif isinstance(part, exp.Expression):
                node.set(name, self._shortened(part))
        return node


@cache
def canonical():
    """The text of every case before it is translated for a dialect without recursion, by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(translation, "transpile", lambda sql, *_: sql)
        return {name: case.by_sqlglot("tsql") for name, case in cases().items()}


@cache
def corpus():
    """Every construct of every metric, option and level, in DuckDB's dialect."""
    reduced = Reduced()
    return [
        (name, select.sql("duckdb"))
        for name, sql in canonical().items()
        for select in reduced.selects(sqlglot.parse_one(sql, read="duckdb"))
    ]


@cache
def translated(dialect):
    """The corpus and one whole statement in a dialect; doubles where it refuses float32."""
    kept = [sql.replace(" AS REAL)", " AS DOUBLE)") if FLOAT32[dialect] is None else sql for _, sql in corpus()]
    return [transpile(sql, check_dialect(dialect), {}) for sql in kept] + [
        text("summary", dialect).rstrip().rstrip(";")
    ]


@cache
def parsed(dialect):
    """The same as trees; sqlglot does not read all that it writes."""
    texts = (sql.replace(" CHARACTER SET UNICODE CASESPECIFIC", "") for sql in translated(dialect))
    return [sqlglot.parse_one(sql, read=sqlglot_dialect(check_dialect(dialect))) for sql in texts]


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


@pytest.mark.long
def test_nothing_is_lost_from_the_corpus():
    whole = [sqlglot.parse_one(sql, read="duckdb") for sql in canonical().values()]
    reduced = [sqlglot.parse_one(sql, read="duckdb") for _, sql in corpus()]
    assert kinds(whole) - kinds(reduced) == {exp.CTE, exp.With}  # which the whole statement has
    assert sum(len(sql) for _, sql in corpus()) < sum(map(len, canonical().values())) / 10


def kinds(trees):
    return {type(node) for tree in trees for node in tree.walk()}


@pytest.mark.long
@pytest.mark.parametrize("dialect", GRAMMARS)
def test_an_independent_grammar_reads_every_construct(dialect):
    for sql in translated(dialect):
        for pattern, stand_in, _, _ in FALSE_ALARMS.get(dialect, ()):
            sql = re.sub(pattern, stand_in, sql)  # noqa: PLW2901 - the same statement
        assert refusals(sql, GRAMMARS[dialect]) == []


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
    trees = [sqlglot.parse_one(sql, read="duckdb") for sql in canonical().values()]
    return {name.name for tree in trees for name in tree.find_all(exp.Identifier)}


@pytest.mark.long
@pytest.mark.parametrize("dialect", GRAMMARS)
def test_no_name_of_ours_is_reserved(dialect):
    reserved = {word.lower() for word in dialect_selector(GRAMMARS[dialect]).sets("reserved_keywords")}
    assert len(reserved) > 10
    bare = {name.name.lower() for tree in parsed(dialect) for name in tree.find_all(exp.Identifier) if not name.quoted}
    assert names() & bare  # what nothing asks to quote is not quoted
    assert bare & reserved == set()


@pytest.mark.long
def test_names_of_ours_fit_every_dialect():
    assert {name for name in names() if not re.fullmatch(r"[a-z][a-z0-9_]{0,62}", name)} == set()


# What no dialect here has, or what means something else in one of them: none of our text may hold it.
NOWHERE = {
    "USING, FILTER, QUALIFY, LIMIT": r"\b(USING|FILTER|QUALIFY|LIMIT|TOP|EXCLUDE|EXCEPT)\b",
    "a boolean": r"\b(TRUE|FALSE)\b",
    "a shorthand cast": r"::",
    "a decimal literal": r"(?<![\w.'])\d+\.\d+(?! AS )(?!e)",
    "a hint": r"\bMATERIALIZED\b",
}
# What one dialect does not have, or what means something else there.
NOT_THERE = {
    "tsql": {
        "text without a length, which is cut at 30": r"VARCHAR\b(?!\()",
        "LN, which is LOG": r"\bLN\(",
        "NULLS FIRST or LAST": r"\bNULLS\b",
        "two bars for ||": r"\|\|",
        "a collation behind a cast of the user's text, which has lost it": r"CAST\(s\.\w+ AS VARCHAR[^)]*\)+ COLLATE",
        "LEAST, GREATEST, newer than most servers": r"\b(LEAST|GREATEST)\(",
    },
    "oracle": {
        "AS before the alias of a table": r"\b(FROM|JOIN) \w+ AS\b|\) AS \w+\s+(JOIN|WHERE|GROUP|LEFT|INNER|CROSS)\b",
        "large text, which is not compared": r"\bCLOB\b",
        "doubles that are decimal numbers": r"\bDOUBLE PRECISION\b|\bFLOAT\b",
        "the empty text, which is NULL": r"''(?!')",
        "a name with a leading underscore": r"(?<![\w\"])_\w",
    },
    "snowflake": {"a type of 38 digits": r"\b(NUMBER|DECIMAL|NUMERIC)\b"},
    "teradata": {"text without a length": r"\b(TEXT|VARCHAR\b(?!\())", "NULLS in a window": r"\bNULLS\b"},
    "exasol": {"text without a length": r"\bVARCHAR\b(?!\()"},
    "hive": {"text with a length": r"\bVARCHAR\b"},
    "vertica": {"text without a length, which is cut at 80 bytes": r"\b(TEXT|VARCHAR\b(?!\())"},
}
NOT_THERE["fabric"] = NOT_THERE["tsql"] | {"types that it lacks": r"\bNVARCHAR\b|\bVARCHAR\(MAX\)"}


@pytest.mark.long
@pytest.mark.parametrize("dialect", GRAMMARS)
def test_text_has_nothing_that_the_manuals_do_not_have(dialect):
    for what, pattern in (NOWHERE | NOT_THERE.get(dialect, {})).items():
        found = [
            (what, match.group())
            for sql in translated(dialect)
            for match in re.finditer(pattern, without_comments(sql))
        ]
        assert found == []


def without_comments(sql):
    return re.sub(r"--[^\n]*", "", sql)


@pytest.mark.long
def test_no_condition_is_a_value():
    trees = [sqlglot.parse_one(sql, read="duckdb") for _, sql in corpus()]
    values = [value for tree in trees for value in tree.find_all(exp.Cast, exp.Alias, exp.Sum, exp.Max, exp.Coalesce)]
    assert [value.sql() for value in values if isinstance(value.this, CONDITION)] == []


@pytest.mark.long
@pytest.mark.parametrize("dialect", ["oracle", "teradata"])
def test_every_select_reads_a_table(dialect):
    trees = parsed(dialect)
    innermost = {"teradata": "one"}.get(dialect)
    bare = [select for tree in trees for select in tree.find_all(exp.Select) if select.args.get("from_") is None]
    assert [select.sql() for select in bare if select.expressions[0].alias != innermost] == []


@pytest.mark.long
@pytest.mark.parametrize("dialect", ["fabric", "tsql"])
def test_only_the_outermost_select_is_ordered(dialect):
    trees = parsed(dialect)
    assert [order.sql() for tree in trees for order in tree.find_all(exp.Order) if nested(order)] == []


@pytest.mark.long
def test_vertica_says_where_nulls_are_in_windows_only():
    orders = [order for tree in parsed("vertica") for order in tree.find_all(exp.Order)]
    others = [order for order in orders if not isinstance(order.parent, exp.Window)]
    assert others
    assert [order.sql("postgres") for order in others if "NULLS" in order.sql("postgres")] == []
    assert len(orders) > len(others)


def test_vertica_compares_a_nan_with_itself():
    assert transpile("SELECT ISNAN(x) AS found FROM t", check_dialect("vertica"), {}).split()[1:4] == ["NOT", "(x", "="]


def nested(order):
    return isinstance(order.parent, exp.Select) and order.parent.parent is not None


@pytest.mark.long
@pytest.mark.parametrize("dialect", ["redshift", "teradata"])
def test_aggregates_in_an_order_have_a_frame_of_rows(dialect):
    ranking = exp.RowNumber | exp.Rank | exp.DenseRank | exp.Lag | exp.Lead
    windows = [window for tree in parsed(dialect) for window in tree.find_all(exp.Window)]
    ordered = [window for window in windows if window.args.get("order") and not isinstance(window.this, ranking)]
    frames = [window.args.get("spec") for window in ordered]
    assert all(frame is not None and frame.args["kind"] == "ROWS" for frame in frames)


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

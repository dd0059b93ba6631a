"""The text of the statements: what is printed runs, what is translated parses, and the templates obey dbt's rules."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
import sqlglot
import yaml
from jinja2 import Environment, meta
from sqlglot import exp

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics, sql_root
from rankmetrics_sql.dialects import EXECUTED, RENDERED, _sqlglot
from rankmetrics_sql.dialects.names import identifier
from rankmetrics_sql.statements.templates import _TestTag

from . import golden
from .conftest import quietly, random_data
from .engines.plugin import package

TEMPLATES = sorted((sql_root() / "macros").rglob("*.sql"))
ALL_METRICS = [
    f"{metric.name}@10" if metric.takes_k else metric.name
    for metric in metrics().values()
    if metric.shape == "value" and "subtopics" not in metric.needs
]


@pytest.fixture(scope="module")
def warehouse():
    import pandas as pd

    run, qrels = random_data(1)
    with duckdb.connect() as connection:
        frames = {
            "runs": pd.DataFrame(
                [(q, i, s) for q, items in run.items() for i, s in items.items()],
                columns=["query_id", "item_id", "score"],
            ),
            "labels": pd.DataFrame(
                [(q, i, float(g)) for q, items in qrels.items() for i, g in items.items()],
                columns=["query_id", "item_id", "relevance"],
            ),
        }
        for name, frame in frames.items():
            connection.register("frame", frame)
            connection.execute(f"CREATE TABLE {name} AS FROM frame")
        yield connection


@pytest.mark.parametrize("level", ["summary", "per_query"])
def test_printed_text_gives_the_same_numbers(warehouse, level):
    text = rm.sql(ALL_METRICS, "runs", "labels", level=level)
    result = quietly(rm.evaluate, "runs", "labels", ALL_METRICS, connection=warehouse)
    expected = {"summary": result.summary, "per_query": result.per_query}[level].fetchall()
    for found, wanted in zip(warehouse.execute(text).fetchall(), expected, strict=True):
        assert found == pytest.approx(wanted, abs=1e-12)


def test_compare_is_printed_too(warehouse):
    text = rm.sql(
        ["ap"], {"one": "runs", "two": "SELECT query_id, item_id, -score AS score FROM runs"}, "labels", level="compare"
    )
    [row] = warehouse.execute(text).fetchall()
    assert row[:2] == ("two", "ap")


@pytest.mark.parametrize("dialect", [*EXECUTED, *RENDERED])
@pytest.mark.parametrize("level", ["summary", "per_query"])
def test_every_dialect_parses(dialect, level):
    text = rm.sql(
        ALL_METRICS,
        'shop."Runs"' if identifier("a b", dialect)[0] != "`" else "shop.`Runs`",
        "labels",
        dialect=dialect,
        level=level,
    )
    text = text.replace(" CHARACTER SET UNICODE CASESPECIFIC", "")  # of Teradata, which sqlglot does not read
    tree = sqlglot.parse_one(text, read=_sqlglot(dialect))
    names = {table.name for table in tree.find_all(exp.Table) if not table.name.lower().startswith("rankmetrics_")}
    assert names - {"DUAL"} == {"Runs", "labels"}


@pytest.mark.parametrize(
    ("dialect", "wanted"),
    [
        ("duckdb", "LOG2(rnk + 1)"),
        ("postgres", "LN(CAST(2 AS DOUBLE PRECISION))"),
        ("bigquery", "LN(CAST(2 AS FLOAT64))"),
    ],
)
def test_logarithms(dialect, wanted):
    assert wanted in rm.sql(["dcg@10"], "runs", "labels", dialect=dialect)


def test_postgres_orders_ids_by_bytes():
    assert 'CAST(item_id AS TEXT) COLLATE "C" DESC' in rm.sql(["rr"], "runs", "labels", dialect="postgres")


@pytest.mark.parametrize(
    "table", ["weird name; DROP TABLE x", 'quo"ted', "ünï.cödé", "a.b.c", '"already quoted"', "x'y"]
)
def test_names_are_data(table):
    text = rm.sql(["rr"], table, "labels")
    [source] = [cte for cte in sqlglot.parse_one(text, read="duckdb").ctes if cte.alias == "rankmetrics_run_source"]
    found = source.find(exp.Table)
    assert ".".join(part.name for part in found.parts) == table.strip('"')


def test_names_are_data_when_run(warehouse):
    name = "a table; DROP TABLE runs; --\"'"
    warehouse.execute(f"""CREATE VIEW "{name.replace('"', '""')}" AS FROM runs""")
    found, expected = (
        quietly(rm.evaluate, run, "labels", ["rr"], connection=warehouse)["rr"] for run in (name, "runs")
    )
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
class TestTemplates:
    """The rules that let one file render in jinja2, dbt 1, dbt 2 and SQLMesh."""

    GLOBALS = frozenset({"rankmetrics_sql", "return", "adapter", "exceptions", "range", "var", "flags", "config"})
    PUBLIC = frozenset({"per_query", "summary", "compare", "judged", "rankmetrics_custom_metric"})

    def test_only_known_globals(self, template):
        environment = Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", _TestTag])
        text = template.read_text()
        assigned = set(
            re.findall(r"{%-? *set (\w+)", text)
        )  # jinja2 does not follow a name from one block into the next
        assert meta.find_undeclared_variables(environment.parse(text)) - assigned <= self.GLOBALS

    def test_macros_are_called_through_the_package(self, template):
        text = template.read_text()
        names = {name for path in TEMPLATES for name in re.findall(r"{%-? *macro (\w+)\(", path.read_text())}
        bodies = re.sub(r"{%-? *(?:macro|test) .*?%}|{#.*?#}", "", text, flags=re.DOTALL)
        calls = re.findall(r"(?<![\w.])(\w+)\(", bodies)
        assert not names & set(calls)

    def test_no_leading_underscore_and_known_prefixes(self, template):
        names = re.findall(r"{%-? *macro (\w+)\(", template.read_text())
        assert names
        assert all(
            re.fullmatch(r"([a-z]+__)?((rm|metric|test)_\w+|rankmetrics_custom_metric)", name)
            for name in names
            if name not in self.PUBLIC
        )

    def test_only_macros_at_the_top(self, template):
        blocks = r"{%-? *macro .*?endmacro *-?%}|{%-? *test .*?endtest *-?%}|{#.*?#}"
        outside = re.sub(blocks, "", template.read_text(), flags=re.DOTALL)
        assert outside.strip() == ""

    def test_dispatch_names_are_literals_with_a_default(self, template):
        names = re.findall(r"adapter\.dispatch\(('[^']*'|[^,]*),", template.read_text())
        macros = {name for path in TEMPLATES for name in re.findall(r"{%-? *macro (\w+)\(", path.read_text())}
        assert all(name.startswith("'") and f"default__{name.strip(chr(39))}" in macros for name in names)

    def test_no_varargs(self, template):
        assert not re.search(r"\b(varargs|kwargs)\b|\*\*", template.read_text().split("-#}", 1)[-1])


@pytest.mark.parametrize(
    "options", [{}, {"unjudged": "drop", "depth": 3}, {"strategy": "count"}, {"queries": "retrieved"}]
)
def test_statements_keep_to_the_portable_subset(options):
    tree = sqlglot.parse_one(
        rm.sql(ALL_METRICS, {"a": "x", "b": "y"}, "labels", by=["market"], **options), read="duckdb"
    )
    assert not list(tree.find_all(exp.Filter, exp.Qualify, exp.Window, exp.Intersect)) or not list(
        tree.find_all(exp.Filter, exp.Qualify)
    )
    assert not [
        literal
        for literal in tree.find_all(exp.Literal)
        if not literal.is_string and not literal.is_int and not isinstance(literal.parent, exp.Cast)
    ]
    assert not [join for join in tree.find_all(exp.Join) if join.args.get("using")]
    stars = [star.find_ancestor(exp.CTE).alias for star in tree.find_all(exp.Star) if not star.find_ancestor(exp.Count)]
    assert all(alias.endswith("_source") or "_source_" in alias for alias in stars)
    assert all(cte.alias.startswith("rankmetrics_") for cte in tree.ctes)


def test_the_dbt_package_has_the_versions_of_the_python_one():
    project = yaml.safe_load((sql_root() / "dbt_project.yml").read_text())
    assert project["version"] == rm.__version__
    assert project["name"] == "rankmetrics_sql"


# Like ibis, which defines dialects of its own, and so takes their names, and changes those of sqlglot.
OTHER_LIBRARY = """
import sqlglot
from sqlglot.dialects import Databricks, MySQL, Oracle, Postgres, Trino
class Exasol(Postgres): pass
for dialect in (Databricks, MySQL, Oracle, Postgres, Trino):
    dialect.generator_class.TRANSFORMS[sqlglot.exp.Pow] = sqlglot.dialects.dialect.rename_func("pow")
Oracle.NULL_ORDERING = "nulls_are_large"
"""


@pytest.mark.parametrize(
    "first", [OTHER_LIBRARY, pytest.param("import ibis.backends.sql.dialects", marks=pytest.mark.long)]
)
def test_another_library_that_uses_sqlglot_changes_nothing(first):
    if "ibis" in first:
        package("ibis")
    code = f"""
{first}
from tests import golden
changed = [str(path) for path, case, dialect in golden.files() if golden.text(case, dialect) != path.read_text()]
print(len(list(golden.files())), *changed)
"""
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", code], check=False, cwd=root, capture_output=True, text=True)
    assert done.stdout.split() == [str(len(list(golden.files())))], done.stderr

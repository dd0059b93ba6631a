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
from jinja2 import Environment, meta, nodes
from sqlglot import exp

import rankmetrics_sql as rm
from dev.engines.plugin import package
from rankmetrics_sql.definitions.catalogue import metrics, sql_root
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.dialects.translation import sqlglot_dialect
from rankmetrics_sql.statements.templates import _TestTag, macros

from . import golden
from .conftest import quietly, random_data
from .everything import mostly_long
from .known import EXECUTED, RENDERED

TEMPLATES = sorted((sql_root() / "macros").rglob("*.sql"))
OF_STATEMENTS = [path for path in TEMPLATES if path.parent.name != "definitions"]
ENVIRONMENT = Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", _TestTag])
ALL_METRICS = [
    f"{metric.name}@10" if metric.takes_k else metric.name for metric in metrics().values() if metric.of_grades
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


def test_without_a_query_there_is_no_value(warehouse):
    """Of all queries together, sums of nothing are no 0."""
    pooled = [name for name, metric in metrics().items() if metric.has_parts and not metric.reads_beside]
    assert "arp" in pooled
    text = rm.sql([*pooled, "rr", "f(f_beta=of_averages)@5"], "runs", "SELECT * FROM labels WHERE false")
    assert {row[1:] for row in warehouse.execute(text).fetchall()} == {(None, 0)}


def test_compare_is_printed_too(warehouse):
    text = rm.sql(
        ["ap"], {"one": "runs", "two": "SELECT query_id, item_id, -score AS score FROM runs"}, "labels", level="compare"
    )
    [row] = warehouse.execute(text).fetchall()
    assert row[:3] == ("two", "one", "ap")


@pytest.mark.parametrize("dialect", [*EXECUTED, *RENDERED])
@pytest.mark.parametrize("level", mostly_long(["summary", "per_query"], "summary"))
@pytest.mark.parametrize("wanted", [["ndcg@10"], pytest.param(ALL_METRICS, marks=pytest.mark.long)], ids=["one", "all"])
def test_every_dialect_parses(dialect, level, wanted):
    text = rm.sql(
        wanted,
        'shop."Runs"' if check_dialect(dialect).quotes != "``" else "shop.`Runs`",
        "labels",
        dialect=dialect,
        level=level,
    )
    text = text.replace(" CHARACTER SET UNICODE CASESPECIFIC", "")  # of Teradata, which sqlglot does not read
    tree = sqlglot.parse_one(text, read=sqlglot_dialect(check_dialect(dialect)))
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

    GLOBALS = frozenset(
        {"rankmetrics_sql", "return", "adapter", "exceptions", "range", "fromjson", "var", "flags", "config"}
    )
    SOURCES = r"((judgments_)?from|quality_of)_\w+"
    PUBLIC = frozenset(
        {
            *("per_query", "summary", "sums", "compare", "decompose", "movements", "judged"),
            "rankmetrics_custom_metric",
            *("propensities", "coec", "ctr_by_position", "team_draft_credit", "team_draft_preference"),
        }
    )

    def test_only_known_globals(self, template):
        text = template.read_text()
        assigned = set(
            re.findall(r"{%-? *set (\w+)", text)
        )  # jinja2 does not follow a name from one block into the next
        assert meta.find_undeclared_variables(ENVIRONMENT.parse(text)) - assigned <= self.GLOBALS

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
            if name not in self.PUBLIC and not re.fullmatch(self.SOURCES, name)
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

    def test_no_long_lines(self, template):
        if template.parent.name != "generated":
            assert [line for line in template.read_text().splitlines() if len(line) > 120] == []

    def test_stages_are_named_in_one_place(self, template):
        """A stage is called as plan.stages or pass.stages says; tests, checks and sources have names of their own."""
        own = template.name in ("04_pass.sql", "07_checks.sql") or template.parent.name in ("tests", "sources")
        if not own:
            text = re.sub(r"{#.*?#}", "", template.read_text(), flags=re.DOTALL)
            assert set(re.findall(r"\brankmetrics_\w+", text)) <= {"rankmetrics_sql", "rankmetrics_custom_metric"}


def test_no_two_macros_have_one_name():
    names = [name for path in TEMPLATES for name in re.findall(r"{%-? *(?:macro|test) (\w+)\(", path.read_text())]
    assert sorted(names) == sorted(set(names))


def _trees():
    for template in TEMPLATES:
        yield template, ENVIRONMENT.parse(template.read_text())


def _macros(tree):
    return {macro.name: macro for macro in tree.find_all(nodes.Macro)}


@pytest.fixture(scope="module")
def every_macro():
    return {name: macro for _, tree in _trees() for name, macro in _macros(tree).items()}


def _keys(macro):
    """The keys of the one literal that a macro returns."""
    returned = [call.args[0] for call in macro.find_all(nodes.Call) if getattr(call.node, "name", "") == "return"]
    [literal] = [each if isinstance(each, nodes.Dict) else each.find(nodes.Dict) for each in returned]
    return {pair.key.value for pair in literal.items}


# The literals that go from macro to macro, and the macro that writes each.
MADE_BY = {
    "arguments": "rm_arguments",
    "request": "rm_request",
    "plan": "rm_plan",
    "ranking": "rm_ranking",
    "pass": "rm_pass",
    "facts": "rm_facts",
    "student": "rm_student",
    "plan.stages": "rm_plan_stages",
    "pass.stages": "rm_pass_stages",
}


class TestLiterals:
    """What goes from macro to macro is one literal each, written once: all of its keys can be known where it stands."""

    def kind(self, node):
        """Which of them an expression is, by its name or by what it is taken from; None for anything else."""
        if isinstance(node, nodes.Name):
            return node.name if node.name in MADE_BY else None
        if isinstance(node, nodes.Getattr):
            path = f"{self.kind(node.node)}.{node.attr}"
            return {"pass.plan": "plan", "student.stages": "plan.stages"}.get(path, path if path in MADE_BY else None)
        if isinstance(node, nodes.Getitem):
            return "pass" if getattr(node.node, "name", "") == "passes" else None
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
            makers = {maker: kind for kind, maker in MADE_BY.items()} | {"rm_student_of": "student"}
            return makers.get(node.node.attr)
        return None

    def test_their_keys_are_no_methods(self, every_macro):
        for maker in MADE_BY.values():
            assert not _keys(every_macro[maker]) & set(dir(dict)), maker

    @pytest.mark.parametrize("template", OF_STATEMENTS, ids=lambda path: path.stem)
    def test_only_keys_that_they_have_are_read(self, every_macro, template):
        known = {kind: _keys(every_macro[maker]) for kind, maker in MADE_BY.items()}
        read = [
            (self.kind(node.node), node.attr)
            for node in ENVIRONMENT.parse(template.read_text()).find_all(nodes.Getattr)
            if self.kind(node.node)
        ]
        assert [(kind, key) for kind, key in read if key not in known[kind]] == []

    @pytest.mark.parametrize("template", OF_STATEMENTS, ids=lambda path: path.stem)
    def test_a_parameter_is_called_by_what_it_holds(self, every_macro, template):
        tree = ENVIRONMENT.parse(template.read_text())
        for call in tree.find_all(nodes.Call):
            if isinstance(call.node, nodes.Getattr) and call.node.attr in every_macro:
                taken = every_macro[call.node.attr].args
                for parameter, given in zip(taken, call.args, strict=False):
                    if parameter.name in MADE_BY or self.kind(given):
                        assert self.kind(given) == parameter.name, (call.node.attr, call.lineno)
        for assigned in tree.find_all(nodes.Assign):
            name = getattr(assigned.target, "name", None)
            if name in MADE_BY:
                assert self.kind(assigned.node) == name, assigned.lineno

    def test_all_of_them_are_read_somewhere(self, every_macro):
        read = {
            (self.kind(node.node), node.attr)
            for _, tree in _trees()
            for node in tree.find_all(nodes.Getattr)
            if self.kind(node.node)
        }
        written = {(kind, key) for kind, maker in MADE_BY.items() for key in _keys(every_macro[maker])}
        by_name = {("plan.stages", f"groups_of_{relation}") for relation in ("run", "qrels", "query_list")}
        assert written - read - by_name == set()


def test_a_stage_name_has_one_text():
    stage = {"name": "rankmetrics_x", "sql": "SELECT 1 AS a", "about": "the one", "hint": None}
    assert macros()["rm_with"]([stage, {**stage}]) == "WITH\n-- the one\nrankmetrics_x AS (\n    SELECT 1 AS a\n)"
    with pytest.raises(rm.UsageError, match="rankmetrics_x and differ:\nSELECT 1 AS a\n\nSELECT 2 AS a"):
        macros()["rm_with"]([stage, {**stage, "sql": "SELECT 2 AS a"}])


def test_a_metric_cannot_take_the_name_of_another_stage(monkeypatch):
    rm.sql("rr", "run", "qrels")  # so that the file of the macro is compiled, which would put it back
    taken = {"name": "rankmetrics_judged", "columns": [], "ctes": []}
    taken["ctes"] = [macros()["rm_cte"](taken["name"], "SELECT 1 AS a", "the one")]
    monkeypatch.setitem(macros(), "rm_relations", lambda _pass: [taken])
    with pytest.raises(rm.UsageError, match="called rankmetrics_judged and differ"):
        rm.sql("rr", "run", "qrels")


def test_a_column_of_judged_has_one_meaning(monkeypatch):
    rm.sql("err@5", "run", "qrels")
    monkeypatch.setitem(macros(), "rm_metric_columns", lambda _metric, _window: [{"name": "rnk", "sql": "1"}])
    with pytest.raises(rm.UsageError, match="called rnk and differ"):
        rm.sql("err@5", "run", "qrels")


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


@pytest.mark.long
@pytest.mark.parametrize("first", [OTHER_LIBRARY, "import ibis.backends.sql.dialects"])
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

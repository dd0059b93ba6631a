"""The checker of the repository's files (``dev/check``): it finds nothing here, and each rule finds its mistake."""

from __future__ import annotations

from functools import cache

import pytest

from dev import check
from dev.check import __main__ as command
from dev.check import modules, pages
from dev.check.repository import ROOT, Finding, Repository

# A mistake for each rule: the file, what stands there now, and what is put in its place (a new file has nothing
# yet), then the line of what is found, and words that are said of it.
IN_A_MACRO = "{{% macro rm_bad(plan) %}}\n{}\n{{% endmacro %}}\n"
BAD = "sql/macros/core/99_bad.sql"
MODULE = "rankmetrics_sql/results/bad.py"
RR = "sql/macros/metrics/rr.sql"
MISTAKES = {
    "known_globals": [
        (BAD, "", IN_A_MACRO.format("{{ return(namespace(a=1)) }}"), 2, "namespace"),
        (BAD, "", IN_A_MACRO.format("{% for x in plan %}{% endfor %}{{ return(x) }}"), 2, "x is no global"),
    ],
    "only_macros": [(BAD, "", "{% set a = 1 %}" + IN_A_MACRO.format(""), 1, "outside of a macro")],
    "no_varargs": [
        (BAD, "", IN_A_MACRO.format("{{ return(kwargs.a) }}"), 2, "kwargs"),
        (BAD, "", IN_A_MACRO.format("{{ return(rankmetrics_sql.rm_x(**plan)) }}"), 2, "named arguments"),
    ],
    "no_counted_replace": [
        (BAD, "", IN_A_MACRO.format("{{ return(plan | replace('a', '', 1)) }}"), 2, "split and join")
    ],
    "no_long_lines": [(BAD, "", IN_A_MACRO.format("x" * 121), 2, "121 characters")],
    "stages_are_named_once": [(BAD, "", IN_A_MACRO.format("SELECT * FROM rankmetrics_run"), 2, "rankmetrics_run is")],
    "stages_say_what_they_are": [
        (BAD, "", IN_A_MACRO.format("{{ return(rankmetrics_sql.rm_cte('a', 'b')) }}"), 2, "does not say what it is"),
        (BAD, "", IN_A_MACRO.format("{{ return(rankmetrics_sql.rm_cte('a', 'b', about='a: b')) }}"), 2, "'a: b'"),
        (
            BAD,
            "",
            IN_A_MACRO.format("{{ return(rankmetrics_sql.rm_cte('a', 'b', 'The ' ~ plan)) }}"),
            2,
            "small letter",
        ),
    ],
    "names_have_a_known_prefix": [
        (BAD, "", "{% macro _rows() %}{% endmacro %}", 1, "rm_rows"),
        (BAD, "", "{#- later -#}", 1, "there is no macro"),
    ],
    "names_are_unique": [(BAD, "", "{% macro rm_query() %}{% endmacro %}", 1, "rm_query is in sql/macros/core/")],
    "calls_go_through_the_package": [(BAD, "", IN_A_MACRO.format("{{ return(rm_query(1)) }}"), 2, "rankmetrics_sql.")],
    "dispatch_is_known": [
        (BAD, "", IN_A_MACRO.format("{{ return(adapter.dispatch('rm_b', 'rankmetrics_sql')()) }}"), 2, "default__rm_b"),
        (BAD, "", IN_A_MACRO.format("{{ return(adapter.dispatch(plan, 'rankmetrics_sql')()) }}"), 2, "in quotes"),
    ],
    "macros_are_reached": [(BAD, "", "{% macro rm_uncalled() %}{% endmacro %}", 1, "never calls rm_uncalled")],
    "described_arguments_are_taken": [
        ("sql/macros/_macros.yml", "- name: relation\n", "- name: relations\n", None, "has the arguments"),
        ("sql/macros/bad.yml", "", "macros:\n  - name: rm_nothing\n", 2, "expected a macro of that name"),
        ("sql/macros/bad.yml", "", "macros:\n  - name: summary\n    docs: {show: false}\n", 2, "described twice"),
    ],
    "keys_are_no_methods": [("sql/macros/core/04_pass.sql", "'run_source',", "'items',", None, "method")],
    "keys_are_written": [(BAD, "", IN_A_MACRO.format("{{ return(plan.stages.runn) }}"), 2, "rm_plan_stages writes")],
    "keys_are_read": [
        ("sql/macros/core/04_pass.sql", "'run_source',", "'more', 'run_source',", None, "more"),
        ("sql/macros/core/04_pass.sql", "'judgments':", "'further': none,\n    'judgments':", None, "further"),
    ],
    "parameters_are_called_by_kind": [
        (BAD, "", IN_A_MACRO.format("{{ return(rankmetrics_sql.rm_query(plan)) }}"), 2, "rm_query takes request"),
        (BAD, "", IN_A_MACRO.format("{% set facts = plan %}"), 2, "expected what rm_facts returns"),
    ],
    "examples_cover_the_edges": [
        (RR, "ranking = []", "ranking = [0]", 1, "an empty ranking"),
    ],
    "libraries_have_one_place": [
        (MODULE, "", '"""Bad."""\nimport duckdb\n', 2, "engines only"),
        (MODULE, "", '"""Bad."""\nfrom sqlglot.expressions import Select\n', 2, "dialects only"),
    ],
    "dialects_are_not_compared": [
        (MODULE, "", "bad = a == 'mysql'\n", 1, "'mysql'"),
        (MODULE, "", "\nbad = 'a' if x not in ('b', 'mssql') else 'c'\n", 2, "'mssql'"),
        (MODULE, "", "match a:\n    case 'hive':\n        pass\n", 2, "'hive'"),
    ],
    "metrics_are_not_named": [(MODULE, "", "\nbad = 'ndcg'\n", 2, "ndcg")],
    "what_is_public_is_documented": [
        (MODULE, "", "bad = 1\n", 1, "the module has no docstring"),
        (MODULE, "", '"""Bad."""\n\n\ndef bad():\n    pass\n', 4, "bad has no docstring"),
    ],
    "names_are_public": [
        (MODULE, "", "import jinja2.compiler\n", 1, "jinja2.compiler is private"),
        (MODULE, "", "from jinja2.runtime import Context\n", 1, "jinja2.runtime.Context is private"),
        (MODULE, "", "def bad():\n    from sqlglot.parser import _parse\n", 2, "sqlglot.parser._parse is private"),
        (MODULE, "", "import sqlglot\n\nsqlglot.parse_one('')._hash = 1\n", 3, "_hash is private"),
        (MODULE, "", "import jinja2\n\n\nclass Bad(jinja2.Environment):\n    def _parse(self): ...\n", 5, "_parse is"),
        ("rankmetrics_sql/dialects/layout.py", "", "", 1, "_dispatch is not used"),
    ],
    "versions_agree": [
        ("sql/dbt_project.yml", 'version: "', 'version: "1', 1, "expected"),
        ("CHANGELOG.md", "## [", "## 1[", 1, "expected"),
        ("sql/dbt_project.yml", "name: rankmetrics_sql", "name: rankmetrics", 1, "expected rankmetrics_sql"),
    ],
    "licences_agree": [("sql/LICENSE", "Apache", "Apace", 1, "the same text")],
    "the_readme_has_two_commands_for_ci": [
        ("README.md", "```bash\n", "```bash\ncd x\n", None, "one command of one line"),
        ("README.md", "## Develop\n", "## Developing\n", 1, "Develop: blocks of [] lines"),
    ],
    "modules_are_short": [
        (MODULE, "", "# one\n" * 601, 601, "601 lines"),
        (BAD, "", "\n" * 598 + IN_A_MACRO.format(""), 601, "601 lines"),
    ],
    "short_modules_have_a_reason": [
        (MODULE, "", "# one\n" * 39, 1, "39 lines"),
        ("rankmetrics_sql/version.py", "", "# one\n" * 40, None, "not short"),
    ],
    "pages_are_short": [
        ("README.md", "# ", "Words of prose. " * 234 + "\n\n# ", 1, "expected at most 700"),
        ("docs/a_page.md", "", "Words of prose. " * 400 + "a [word](of_more.md)\n", 1, "1202 words"),
    ],
    "sentences_are_short": [
        ("docs/a_page.md", "", f"# A page\n\n```\ncode\n```\nOne.\nTwo{' words' * 25}.\n", 6, "a sentence of 26 words"),
        ("docs/a_page.md", "", f"- One{' words' * 20}\n- Two `x y`{' words' * 24}.\n", 2, "a sentence of 26 words"),
    ],
    "generated_files_are_current": [("sql/README.md", "\n", "\nby hand\n", 2, "python -m dev.generate")],
    "the_longest_tests_are_there": [("tests/everything.py", '"test_dbt",', '"test_bdt",', None, "test_bdt.py")],
}


def test_nothing_is_found(capsys):
    assert command.main() == 0, capsys.readouterr().out
    assert capsys.readouterr().out == f"{len(check.RULES)} rules, no findings\n"


def test_each_rule_says_what_it_holds_to_and_has_a_mistake():
    assert all(rule.__doc__ for rule in check.RULES)
    assert {rule.__name__ for rule in check.RULES} == {
        *MISTAKES,
        "modules_import_downwards",
        *(rule.__name__ for rule in pages.RULES),
    }


@cache
def rule_called(name):
    [rule] = [rule for rule in check.RULES if rule.__name__ == name]
    return rule


@pytest.mark.parametrize(
    ("rule", "path", "now", "then", "line", "words"),
    [(rule, *mistake) for rule, mistakes in MISTAKES.items() for mistake in mistakes],
)
def test_each_rule_finds_its_mistake(rule, path, now, then, line, words):
    text = Repository(ROOT).text(path).replace(now, then, 1) if now else then
    found = list(rule_called(rule)(Repository(ROOT, {path: text})))
    assert found
    assert any(finding.path == path and finding.line == (line or finding.line) for finding in found)
    assert words in str(found)


def test_a_module_that_imports_upwards_is_found(tmp_path):
    (tmp_path / "rankmetrics_sql").mkdir()
    (tmp_path / "rankmetrics_sql" / "__init__.py").touch()
    (tmp_path / "rankmetrics_sql" / "upper.py").touch()
    (tmp_path / "rankmetrics_sql" / "lower.py").write_text("import os\n\nfrom . import upper\n")
    contracts = '[[tool.importlinter.contracts]]\nname = "order"\ntype = "layers"\n'
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.importlinter]\nroot_package = "rankmetrics_sql"\n{contracts}containers = ["rankmetrics_sql"]\n'
        'layers = ["upper", "lower"]\n'
    )
    rule = modules.modules_import_downwards
    expected = "rankmetrics_sql.upper is imported; expected not to: "
    [found] = rule(Repository(tmp_path))
    assert (found.path, found.line) == ("rankmetrics_sql/lower.py", 3)
    assert found.problem.startswith(expected)
    (tmp_path / "pyproject.toml").write_text("")
    assert [finding.path for finding in rule(Repository(tmp_path))] == ["pyproject.toml"]


def test_the_command_prints_a_line_for_each_finding_and_fails(monkeypatch, capsys):
    monkeypatch.setattr(command, "findings", lambda _: [Finding("a.py", 3, "is bad; expected good")])
    assert command.main() == 1
    assert capsys.readouterr().out == "a.py:3: is bad; expected good\n"

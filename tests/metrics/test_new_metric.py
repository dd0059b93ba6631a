"""A metric of one's own: what is wrong in its file is said with file, key and the nearest valid one; and it works."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions import catalogue as groups
from rankmetrics_sql.definitions import catalogue as header
from rankmetrics_sql.definitions.catalogue import metrics, options, shared_parameters
from rankmetrics_sql.root import compiled_root, sql_root

from ..everything import mostly_long

ROOT = Path(__file__).parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()


def read(tmp_path, text):
    file = tmp_path / "mine.sql"
    file.write_text(text)
    return header.read_header(file, file.read_text(), options(), shared_parameters())


def first_with_each_key():
    """Metrics in whose headers every key stands that any has."""
    seen, first = set(), []
    for name, metric in metrics().items():
        keys = {*re.findall(r"^(?:\[+(\w+)|(\w+) *=)", metric.path.read_text().partition("-#}")[0], re.MULTILINE)}
        first += [name] if keys - seen else []
        seen |= keys
    return first


@pytest.mark.parametrize("name", mostly_long(metrics(), *first_with_each_key()))
def test_a_typo_in_any_key_is_said_with_file_and_nearest_key(name, tmp_path):
    text = metrics()[name].path.read_text()
    top, _, _ = text.partition("-#}")
    for found in re.finditer(r"^(?:\[+(\w+)\]+|\[params\.\w+\]|(\w+) *=)", top, re.MULTILINE):
        key = found[1] or found[2]
        if (
            key is None
            or key in metrics()[name].params
            or key in metrics()[name].ambiguous
            or key.startswith(("pytrec", "trec"))
            or key in ("differs", *metrics()[name].differs)
        ):
            continue
        start = found.start(1) if found[1] else found.start(2)
        with pytest.raises(rm.DataError) as error:
            read(tmp_path, f"{text[:start]}{key[0]}{key}{text[start + len(key) :]}")
        assert str(error.value).startswith(f"{tmp_path / 'mine.sql'}: ")
        assert f"{key[0]}{key}" in str(error.value)
        assert f"Did you mean {key!r}?" in str(error.value)


RR = metrics()["rr"].path.read_text()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{#-\n", "", "no header"),
        ('range   = [0, 1]', "range = [0, 1", "the header is no TOML"),
        ('title   = "Reciprocal rank"', "", "title is missing or empty"),
        ('group   = "binary"', "", "group is missing or empty"),
        ('group   = "binary"', 'group = "binry"', "unknown group: 'binry'. Did you mean 'binary'?"),
        ('title   = "Reciprocal rank"', "title = 3", "title is text, not 3"),
        ('"rel", "no_rel', '"rell", "no_rel', "unknown option in options: 'rell'. Did you mean 'rel'?"),
        ('["tied_relevant"]', '["tied_relevnt"]', "column in needs: 'tied_relevnt'. Did you mean 'tied_relevant'?"),
        ('"ties=expected"', '"tie=expected"', "unknown parameter in needs_when: 'tie'. Did you mean 'ties'?"),
        ('"ties=expected"', '"ties"', "needs_when: 'ties' is no NAME=VALUE or"),
        ('parameters = ["k"]', 'parameters = ["pp"]', "unknown parameter in parameters: 'pp'. Did you mean 'p'?"),
        ("[oracle]", "[params.k]\ntype = \"intt\"\n[oracle]", "unknown params.k.type: 'intt'. Did you mean 'int'?"),
        ("[oracle]", "[params.k]\nminn = 1\n[oracle]", "unknown key in params.k: 'minn'. Did you mean 'min'?"),
        ("[oracle]", "[params.w]\nhelp = \"it\"\n[oracle]", "params.w.type is missing or empty"),
        (
            "[oracle]",
            "[params.k]\ndefault = 1\nrequired = true\n[oracle]",
            "params.k has a default, so it is not required",
        ),
        ("rel     = 2", "rell = 2", "unknown key in example: 'rell'. Did you mean 'rel'?"),
        ('value   = "1/3"', "", "example: value is missing"),
        ('range   = [0, 1]', 'at = "kk"', "unknown parameter in at: 'kk'"),
        ('range   = [0, 1]', 'aggregate = "men"', "unknown aggregate: 'men'. Did you mean 'mean'?"),
        ('range   = [0, 1]', 'better = "low"', "unknown better: 'low'. Did you mean 'lower'?"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(old, new, message, tmp_path):
    assert old in RR
    with pytest.raises(rm.DataError, match=re.escape(message)):
        read(tmp_path, RR.replace(old, new, 1))


def test_contributing_lists_the_keys():
    """Every key, every shared column, every key of a parameter, and none that there is not."""
    table = CONTRIBUTING.split("| key | what it holds |\n|---|---|\n", 1)[1].split("\n\n", 1)[0]
    keys = [key for line in table.splitlines() for key in re.findall(r"`(\w+)`", line.split(" | ")[0])]
    assert sorted(keys) == sorted(header.KEYS)
    [needs] = [line for line in table.splitlines() if line.startswith("| `needs` |")]
    assert set(re.findall(r"`(\w+)`", needs)) - {"needs"} == set(header.NEEDS)
    parameter = CONTRIBUTING.split("\nA parameter has ", 1)[1].split("\n\n", 1)[0]
    known = {*header.PARAMETER_KEYS, *header.TYPES}
    assert set(re.findall(r"`(\w+)(?: = true)?`", parameter)) == known
    [group] = [line for line in table.splitlines() if line.startswith("| `group` |")]
    assert set(re.findall(r"`(\w+)`", group)) - {"group"} == set(groups.OF_METRICS)
    assert "tests/oracles/brute" in CONTRIBUTING
    assert "make metric NAME=" in CONTRIBUTING


@pytest.fixture
def checkout(tmp_path):
    """A copy of what a metric needs, and what runs Python there."""
    shutil.copytree(ROOT / "rankmetrics_sql", tmp_path / "rankmetrics_sql", ignore=shutil.ignore_patterns("demo"))
    shutil.copytree(sql_root(), tmp_path / "sql")
    shutil.copytree(compiled_root(), tmp_path / "build" / "templates")
    shutil.copytree(ROOT / "tests" / "oracles", tmp_path / "tests" / "oracles")
    shutil.copy(ROOT / "tests" / "__init__.py", tmp_path / "tests")
    (tmp_path / "dev").mkdir()
    for name in ("__init__.py", "compile_templates.py", "generate.py", "new_metric.py", "refusals.py"):
        shutil.copy(ROOT / "dev" / name, tmp_path / "dev")

    def run(*arguments):
        command, place = [sys.executable, *arguments], {"cwd": tmp_path, "env": {"PYTHONPATH": ""}}
        return subprocess.run(command, **place, capture_output=True, text=True, check=False)

    return tmp_path, run


FILLED = {
    'title   = ""': 'title = "Weighed hits"',
    'group   = ""': 'group = "binary"',
    'summary = ""': 'summary = "The weight of the hits."',
    'formula = ""': 'formula = "w h_k / 10"',
    'source  = ""': 'source = "this test"',
    "[[example]]\nranking = [] ": (
        '[params.w]\ntype = "number"\nrequired = true\nhelp = "weight"\n\n[[example]]\nranking = [] '
    ),
    'value   = ""': 'w = 2\nvalue = "0 * 2"',
    "(k=none, rel": "(k=none, w=none, rel",
    "return('')": "return('SUM(CASE WHEN ' ~ hit ~ ' THEN 1 ELSE 0 END) * ' ~ rankmetrics_sql.rm_number(w) ~ ' / 10')",
}
USE = """
import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros
from tests.oracles import brute
run, qrels = {'q': {'a': 3.0, 'b': 2.0}}, {'q': {'a': 1, 'b': 1}}
print(rm.evaluate(run, qrels, 'mine(w=2)')['mine(w=2)'], brute.per_query(run, qrels, 'mine', {'w': 2})['q'])
for road, table in ((rm.sql, 'run'), (macros()['summary'], 'relation')):
    try:
        road(metrics='mine', qrels='q', **{table: 'r'})
    except rm.UsageError as error:
        print(error)
"""


def test_a_new_metric_from_both_files_to_a_number_and_back(checkout):
    folder, run = checkout
    made = run("-m", "dev.new_metric", "mine")
    assert made.returncode == 0, made.stderr
    mine, twin = folder / "sql" / "macros" / "metrics" / "mine.sql", folder / "tests" / "oracles" / "brute" / "mine.py"
    assert run("-m", "dev.new_metric", "mine").returncode == 1
    empty = run("-m", "dev.generate")
    assert (empty.returncode, empty.stderr) == (1, f"generate: {mine}: title is missing or empty.\n")

    text = mine.read_text()
    for old, new in FILLED.items():
        assert old in text
        text = text.replace(old, new)
    twin.write_text(
        twin.read_text()
        .replace("rel=1", "w=0, rel=1")
        .replace("raise NotImpl", "return w * hits(grades, rel, k) / 10  # ")
    )
    offers = ('"no_relevant"]', '"no_relevant", "ties"]')
    takes = ("no_relevant=0)", "no_relevant=0, ties=none)")
    for changes, message in {
        (("rm_is_hit", "rm_is_hitt"),): "no macro 'rm_is_hitt'. Did you mean 'rm_is_hit'?",
        (("macro metric_mine", "macro metric_mien"),): "no macro metric_mine.",
        (
            ("k=none, w=none, ", "w=none, "),
        ): "metric_mine takes w, rel, no_relevant; the header has k, w, rel, no_relevant.",
        (offers, takes): "options has ties, and metric_mine gives the same expression for ties=expected",
        (("0 * 2", "nothing"),): "example: value is a derivation",
        (("{% macro", "{% makro"),): "no macro metric_mine",
        (("{{ return", "{{% return"),): "mine.sql, line ",
    }.items():
        changed = text
        for old, new in changes:
            assert old in changed
            changed = changed.replace(old, new)
        mine.write_text(changed)
        found = run("-m", "dev.generate")
        assert (found.returncode, len(found.stderr.splitlines())) == (1, 1), found.stderr
        assert found.stderr.startswith(f"generate: {mine}")
        assert message in found.stderr

    mine.write_text(text)
    assert run("-m", "dev.generate").returncode == 0
    used = run("-c", USE)
    assert used.stdout.splitlines() == [
        "0.4 0.4",
        "Metric 'mine': mine needs w: weight. Write mine(w=...).",
        "rankmetrics_sql: Metric 'mine': mine needs w: weight. Write mine(w=...).",
    ], used.stderr


def test_an_option_is_in_a_group_that_there_is(checkout):
    folder, run = checkout
    file = folder / "sql" / "options.toml"
    file.write_text(file.read_text().replace('group   = "ranking"', 'group   = "rankin"', 1))
    found = run("-m", "dev.generate")
    assert found.returncode == 1
    assert "options.toml: unknown group of ties: 'rankin'. Did you mean 'ranking'?" in found.stderr
    assert "Traceback" not in found.stderr

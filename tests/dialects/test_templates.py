"""The templates as functions of Python: dbt's ``return`` and names, errors, and what is compiled when."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import jinja2
import pytest

import rankmetrics_sql as rm
from dev import compile_templates
from rankmetrics_sql import template_files
from rankmetrics_sql.template_files import Texts, compiled_index
from rankmetrics_sql.templates import Macros

ROOT = Path(__file__).parents[2]
FILES = {
    "a.sql": "{% macro a(x=1) %}{{ return({'x': x, 'b': rankmetrics_sql.b()}) }}{% endmacro %}",
    "core/b.sql": "{% macro b() %} text of b {% endmacro %}{% test c(model) %}{{ model }}{% endtest %}",
}


@pytest.fixture
def macros(tmp_path, monkeypatch):
    """A folder of templates that is compiled as that of the package is, and what makes its macros anew."""
    folder = tmp_path / "macros"
    for name, text in FILES.items():
        write(folder / name, text)
    monkeypatch.setattr(template_files, "template_roots", lambda: [folder])
    for module in (template_files, compile_templates):
        monkeypatch.setattr(module, "compiled_root", lambda: tmp_path / "build" / "templates")
    loaded = []
    get_source = Texts.get_source
    monkeypatch.setattr(Texts, "get_source", lambda *given: loaded.append(given[2]) or get_source(*given))

    def made():
        """Macros of a new process, and the list of the templates that it compiles."""
        forget()
        loaded.clear()
        return Macros([folder], "duckdb"), loaded

    yield made
    forget()


def forget():
    template_files.compiled_index.cache_clear()
    template_files.package_environment.cache_clear()


def write(file, text):
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)


def answers(found):
    return found["a"](x=3), found["test_c"]("m")


def compiled_in_memory(made):
    """The files that a new process compiles, and what its macros give."""
    found, loaded = made()
    given = answers(found)
    return [name.partition("@")[0] for name in loaded], given


GIVEN = ({"x": 3, "b": " text of b "}, "m")
CHANGED = ({"x": 3, "b": " TEXT of b "}, "m")


def test_what_is_compiled_is_not_read(macros):
    assert compiled_in_memory(macros) == (["a.sql", "core/b.sql"], GIVEN)
    compile_templates.compile_templates()
    assert compiled_in_memory(macros) == ([], GIVEN)


def edit(folder):
    write(folder / "macros" / "core" / "b.sql", FILES["core/b.sql"].replace("text", "TEXT"))  # of the same length


def touch(folder):
    for file in (folder / "macros").rglob("*.sql"):
        file.touch()


def move(folder):
    (folder / "macros" / "a.sql").rename(folder / "macros" / "z.sql")


def move_a_macro(folder):
    """The file that has it in the index is of another size, and as old as it was."""
    old, new = FILES["core/b.sql"].split("{% test")
    for name, text in (("core/b.sql", old), ("core/c.sql", "{% test" + new)):
        write(folder / "macros" / name, text)
        os.utime(folder / "macros" / name, ns=(0, 0))


def damage(folder):
    (folder / "build" / "templates" / "index.json").write_text("{")


def lose(folder):
    for file in (folder / "build" / "templates").glob("*.py"):
        file.unlink()


@pytest.mark.parametrize(
    ("change", "memory", "given"),
    [
        (edit, ["core/b.sql"], CHANGED),
        (touch, [], GIVEN),
        (move, ["z.sql"], GIVEN),
        (move_a_macro, ["core/b.sql", "core/c.sql"], GIVEN),
        (damage, ["a.sql", "core/b.sql"], GIVEN),
        (lose, ["a.sql", "core/b.sql"], GIVEN),
    ],
)
def test_only_what_changed_is_compiled_in_memory(macros, tmp_path, change, memory, given):
    compile_templates.compile_templates()
    change(tmp_path)
    assert compiled_in_memory(macros) == (memory, given)
    compile_templates.compile_templates()
    assert compiled_in_memory(macros) == ([], given)


def test_what_has_not_changed_is_not_compiled_again(macros, tmp_path):
    folder = compile_templates.compile_templates()
    before = {file.name: file.read_bytes() for file in folder.glob("*.py")}
    for file in folder.glob("*.py"):
        file.write_bytes(before[file.name] + b"\n# from the first time")
    edit(tmp_path)
    compile_templates.compile_templates()
    after = {file.name: file.read_bytes().endswith(b"# from the first time") for file in folder.glob("*.py")}
    assert len(after) == len(FILES)
    assert {name: old for name, old in after.items() if name in before} == dict.fromkeys(before.keys() & after, True)
    assert sorted(after.values()) == [False, True]


@pytest.mark.parametrize(
    ("version", "serves"), [("3.1.0", True), ("3.1.99", True), ("3.2.0", False), ("3.10.0", False)]
)
def test_compiled_templates_serve_versions_with_the_same_first_numbers(macros, monkeypatch, version, serves):
    compile_templates.compile_templates()
    monkeypatch.setattr(jinja2, "__version__", version)
    memory, given = compiled_in_memory(macros)
    assert (memory, given) == ([] if serves else ["a.sql", "core/b.sql"], GIVEN)


def test_the_package_has_all_its_templates_compiled():
    """As the installation of the checkout left them, but for what was edited since."""
    assert len(compiled_index().files) > 200, "python -m dev.compile_templates"


ABSENT = [
    *("{{ x }}", "{{ x.y }}", "{{ {}.y }}", "{{ x + 1 }}", "{{ 1 if x }}", "{{ [][0] }}"),
    "{% for one in x %}{% endfor %}",
]


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("text", [*ABSENT, "{{ rankmetrics_sql.bb() }}", "{{ rankmetrics_sql.b(1) }}"])
def test_what_is_undefined_fails_with_the_name_of_the_file(macros, tmp_path, text, is_compiled):
    write(tmp_path / "macros" / "core" / "fails.sql", "{% macro fails(x) %}" + text + "{% endmacro %}")
    write(tmp_path / "macros" / "calls.sql", "{% macro calls() %}{{ rankmetrics_sql.fails() }}{% endmacro %}")
    if is_compiled:
        compile_templates.compile_templates()
    found, _ = macros()
    with pytest.raises(rm.DataError) as error:
        found["calls"]()
    assert str(error.value).startswith(f"{tmp_path / 'macros' / 'core' / 'fails.sql'}: ")
    if "bb" in text:
        assert "no macro 'bb'. Did you mean 'b'?" in str(error.value)


RETURNS = [
    ("{{ return([1, 'a']) }}", [1, "a"]),
    ("{{ return(none) }}", None),
    ("before {{ return({}) }} after", {}),
    ("{% for x in [1, 2] %}{% if x == 2 %}{{ return(x) }}{% endif %}{% endfor %}", 2),
    ("{% set x %}<{{ rankmetrics_sql.b() }}>{% endset %}{{ return(x) }}", "< text of b >"),
    ("{% if x is defined %}{{ return(1) }}{% endif %}text", "text"),
    ("{{ return(x | default(2)) }}", 2),
    ("{% set d = {} %}{% do d.update({'a': rankmetrics_sql.a(x=none)}) %}{{ return(d.a.x) }}", None),
]


@pytest.mark.parametrize(("text", "expected"), RETURNS)
def test_a_macro_returns_a_value_or_its_text(macros, tmp_path, text, expected):
    write(tmp_path / "macros" / "new.sql", "{% macro new(x) %}" + text + "{% endmacro %}")
    found, _ = macros()
    assert found["new"]() == expected


def test_a_file_that_is_no_template_is_named_with_the_line(macros, tmp_path):
    write(tmp_path / "macros" / "bad.sql", "{% macro bad() %}\n{% if %}{% endmacro %}")
    found, _ = macros()
    with pytest.raises(rm.DataError, match=r"bad\.sql, line 2: "):
        found["bad"]()
    with pytest.raises(jinja2.TemplateSyntaxError):  # a build fails
        compile_templates.compile_templates()


# The metrics in two levels, and how many templates are compiled in memory.
RENDERED = """
import hashlib
import jinja2
import rankmetrics_sql as rm
from rankmetrics_sql.template_files import Texts
read, get_source = [], Texts.get_source
Texts.get_source = lambda *given: read.append(given) or get_source(*given)
texts = []
for metric in rm.metrics():
    for level in ("summary", "per_query"):
        try:
            texts.append(rm.sql(metric, "runs", "labels", level=level))
        except rm.UsageError as error:
            texts.append(str(error))
print(jinja2.__version__, hashlib.sha256("".join(texts).encode()).hexdigest(), len(read))
"""


@pytest.mark.long
def test_the_oldest_and_the_newest_jinja_run_the_code_of_each_other(tmp_path):
    """What the one compiles, the other renders, without compiling anything, and the texts are the same."""
    for version in ("==3.1.0", ">=3.1,<4"):
        target = ["--target", str(tmp_path / version), f"jinja2{version}"]
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *target], check=True)
    for name in ("rankmetrics_sql", "sql", "dev"):
        (tmp_path / name).symlink_to(ROOT / name)

    def run(version, *arguments):
        place = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": f"{tmp_path / version}:{tmp_path}"}}
        done = subprocess.run([sys.executable, *arguments], **place, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    found = []
    for compiler in ("==3.1.0", ">=3.1,<4"):
        run(compiler, "-m", "dev.compile_templates")
        found += [run(renderer, "-c", RENDERED) for renderer in ("==3.1.0", ">=3.1,<4")]
    oldest, newest = found[:2]
    assert oldest[0] == "3.1.0" != newest[0]
    assert found == [oldest, newest] * 2
    assert oldest[1:] == newest[1:]
    assert oldest[2] == "0"

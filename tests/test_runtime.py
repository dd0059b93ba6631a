"""Filters, tests and loops of the compiled templates are Jinja's, without Jinja."""

from __future__ import annotations

from collections.abc import Iterator

import jinja2
import pytest

from rankmetrics_sql import runtime
from rankmetrics_sql.templates import Macros

JINJA = jinja2.Environment(undefined=jinja2.StrictUndefined)
RECORDS = [{"name": "a", "own": {"sql": "x"}}, {"name": None, "own": {}}, {"name": 2}]
VALUES = [
    "", " a ", "B\n\n  c\n", "1", "1.5e2", "-3", "nan", "x", 0, 1, -2, 2.5, True, False, None, [],
    ["b", "a", "B", "A", "b"], [3, 1, 2], (1, 1.0), {"k": 1}, {}, RECORDS,
]  # fmt: skip
# What the templates give a filter besides the value.
GIVEN = {
    "batch": [(2,)],
    "default": [(1,), (None,)],
    "indent": [(), (2,), (3, True)],
    "join": [(), (", ",)],
    "map": [("replace", "a", "c"), ("string",), {"attribute": "name"}, {"attribute": "own.sql"}],
    "reject": [("none",), ("in", ["a", 1]), ()],
    "rejectattr": [("name", "none"), ("name", "in", ["a"]), ("name",)],
    "replace": [("a", "bb"), ("\n", "\n  ")],
    "round": [(0,), (1,)],
    "select": [("none",), ("in", ["a", 1]), ("number",), ()],
    "selectattr": [("name", "none"), ("name", "equalto", "a"), ("name",)],
    "trim": [(), ("'a",)],
}
TESTED = {"eq": [(1,), ("x",)], "equalto": [(1,)], "in": [([1, "x"],), ({"x": 1},)]}
FAILS, ABSENT = "it fails", "nothing is there"


def made(call, *arguments, **named):
    """What a call makes, all of it; how it fails is the caller's matter."""
    try:
        value = call(*arguments, **named)
        if isinstance(value, jinja2.Undefined | runtime.Undefined):
            return ABSENT
        items = list(value) if isinstance(value, Iterator) else [value]
        return repr([ABSENT if isinstance(item, jinja2.Undefined | runtime.Undefined) else item for item in items])
    except Exception:  # noqa: BLE001
        return FAILS


def jinjas(name, value, *arguments, **named):
    context = JINJA.from_string("").new_context()
    return JINJA.call_filter(name, value, arguments, named, context=context)


@pytest.mark.parametrize("name", runtime.FILTERS)
def test_a_filter_is_jinjas(name):
    answers = set()
    for value in VALUES:
        for given in GIVEN.get(name, [()]):
            arguments, named = ((), given) if isinstance(given, dict) else (given, {})
            expected = made(jinjas, name, value, *arguments, **named)
            assert expected in (made(runtime.FILTERS[name], value, *arguments, **named), FAILS), (value, given)
            answers.add(expected)
    assert len(answers - {FAILS}) > 1


@pytest.mark.parametrize("name", runtime.TESTS)
def test_a_test_is_jinjas(name):
    answers = set()
    for value in VALUES:
        for given in TESTED.get(name, [()]):
            expected = made(JINJA.call_test, name, value, given)
            assert made(runtime.TESTS[name], value, *given) == expected, (value, given)
            answers.add(expected)
    assert answers - {FAILS} == {"[True]"} | ({"[False]"} if name != "defined" else set())


ABOUT_ABSENT = [
    ("{{ x }}", FAILS), ("{{ x is defined }}", "'False'"), ("{{ x | default(2) }}", "'2'"), ("{{ x.y }}", FAILS),
    ("{% set d = {} %}{{ d.x is defined }}", "'False'"), ("{{ x + 1 }}", FAILS), ("{{ 1 if x }}", FAILS),
    ("{{ x == 1 }}", FAILS), ("{{ x in [1] }}", FAILS), ("{% for one in x %}{% endfor %}", FAILS),
    ("a{{ 1 if false }}b", "'ab'"),
]  # fmt: skip
LOOPS = [
    "{% for x in [3, 1] %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ x }}{% endfor %}",
    "{% for x in [3, 1, 2] if x > 1 %}{{ loop.last }}{% if x == 3 %}{% continue %}{% endif %}{{ x }}{% endfor %}",
    "{% for x in [3, 1] %}{% set y = x %}{% for z in [y, 5] %}{{ loop.index ~ z }}{% break %}{% endfor %}{% endfor %}",
    "{% for x, y in {'a': 1, 'b': 2}.items() %}{{ x ~ y }}{% else %}none{% endfor %}",
    "{% set x %}<{{ 1 }}>{% endset %}{{ x }}{{ x is string }}",
]


def ours(tmp_path, text):
    (tmp_path / "a.sql").write_text("{% macro a(x) %}" + text + "{% endmacro %}")
    return Macros([tmp_path], "duckdb")["a"]()


@pytest.mark.parametrize(("text", "expected"), [*ABOUT_ABSENT, *((text, None) for text in LOOPS)])
def test_a_template_is_jinjas(tmp_path, text, expected):
    extensions = ["jinja2.ext.do", "jinja2.ext.loopcontrols"]
    plain = jinja2.Environment(undefined=jinja2.StrictUndefined, extensions=extensions).from_string(text)
    assert made(ours, tmp_path, text) == made(plain.render)
    assert expected in (None, FAILS, made(plain.render).strip("[]"))

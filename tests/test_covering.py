"""The covering set covers: every branch of a template that a statement takes, every metric, every pair of values."""

from __future__ import annotations

import re
from itertools import combinations
from unittest.mock import patch

import pytest

from dev.cover.__main__ import branches_of, of_covering
from dev.cover.branches import Branch, all_branches, noting
from dev.cover.choice import Choice, looking
from dev.cover.options import SYNONYMS, all_pairs, default, may_stand, obeyed, possible, values
from dev.engines import ENGINES
from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.statements.query import Query

from .every_engine import PLACES, is_of_the_gate, parameters
from .every_engine.covering import OF_DOUBLES, RECURSIVE, covering

MADE_ELSE = ("aggregate", "unjudged", "negative_grades")
CHOSEN = {name: one for name, one in covering().items() if not name.endswith(OF_DOUBLES)}


def resolved(case, level):
    """The values of all options of each metric, as the package resolves them, and not as the set was written."""
    heard = []
    with patch.object(Query, "text", lambda query, _level: heard.append(query) or ""):
        case.by_sqlglot("duckdb")
    [query] = heard
    for metric in query.metrics:
        own = {**query.options, **metric.params, **metric.ranking}
        for name in MADE_ELSE:  # what a value is made of, as nonrelevant and relevant of bounds
            said = re.search(rf"\b{name}=(\w+)", metric.label)
            own[name] = said[1] if said else query.options[name]
        names = obeyed(level, metric.metric.name)
        yield {name: as_written(name, own[name]) for name in names}


def as_written(name, value):
    if name == "unjudged" and value == "2":
        return 2
    if isinstance(value, dict):
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in value.items()) + "}"
    return default(name) if (name, value) in SYNONYMS else value


@pytest.fixture(scope="module")
def found():
    """The pairs that stand in the set."""
    return {
        frozenset(pair)
        for one in CHOSEN.values()
        if one.kind == "pairs"
        for chosen in resolved(one.case, one.case.level)
        for pair in combinations(chosen.items(), 2)
    }


@pytest.mark.long
def test_every_pair_that_may_stand_together_does(found):
    assert not possible().keys() - found


def test_every_pair_is_there_or_refused(found):
    """One in so many of those that are not there, since to ask about all takes half a minute."""
    known = {value for pair in found for value in pair}
    missing = [pair for pair in all_pairs() if pair <= known and pair not in found]
    assert len(missing) > 50
    assert not [pair for pair in missing[::5] if may_stand(dict(pair))]


def test_every_value_stands_somewhere(found):
    known = {value for pair in found for value in pair}
    names = {name for name, _ in known}
    lacking = {(name, value) for name in names for value in values(name)} - known
    assert lacking == {("no_relevant", "error"), ("ties", "input")}  # a statement cannot refuse; a table has no order


def test_every_metric_stands_somewhere():
    assert {
        text.partition("@")[0].partition("(")[0] for one in CHOSEN.values() for text in one.case.metrics
    } >= metrics().keys() - {"ild"}
    assert metrics().keys() >= RECURSIVE


@pytest.mark.long
def test_every_branch_that_a_statement_takes_is_taken():
    """By every dialect's text, on both roads."""
    with looking() as ways:
        ours = Choice("sqlglot", ways).all
        wanted = ours | Choice("dbt", ways).all
        assert len(branches_of(wanted)) > 2500
        assert not wanted - of_covering(ways)


def test_a_branch_is_noted_where_it_is_taken():
    """Both sides of an if, by two statements that differ in it alone."""
    case = CHOSEN["branches:several_rankings"].case
    with noting() as taken_by:
        ours, again = taken_by(lambda: case.by_sqlglot("duckdb")), taken_by(lambda: case.by_sqlglot("duckdb"))
        dbt = taken_by(lambda: case.by_dbt("postgres"))
    assert ours == again
    assert ours <= all_branches()
    assert dbt <= all_branches()
    macros = {branch.macro for branch in dbt if branch.side == "macro"}
    assert "postgres__rm_double_type" in macros
    assert "default__rm_double_type" not in macros
    assert all(isinstance(branch, Branch) for branch in dbt - ours)


def test_the_gate_has_each_statement_in_an_engine_beside_duckdb():
    found = {
        case.removesuffix(OF_DOUBLES)
        for name in ENGINES.keys() - {"duckdb"}
        for dialect, _, case in (parameter.values for parameter in parameters(name))
        if case in PLACES and is_of_the_gate(name, dialect, case)
    }
    assert found == {name.removesuffix(OF_DOUBLES) for name in covering()}

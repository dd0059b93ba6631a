"""The covering set covers: every branch of a template that a statement takes, every metric, every pair of values."""

from __future__ import annotations

import re

import pytest

from dev.cover.__main__ import branches_of, covered_ways
from dev.cover.branches import Branch, branches_in, noting
from dev.cover.choice import Choice, recording
from dev.cover.covered import CHOSEN, covered_pairs
from dev.cover.options import all_pairs, may_stand, possible, values
from dev.engines import ENGINES
from rankmetrics_sql.definitions.catalogue import metrics

from ..statements import cases
from . import AT_ONCE, CASES, NOT_TRIED, PLACES, TAKING_LONG, is_of_the_gate, parameters
from .covering import OF_DOUBLES, RECURSIVE, covering, of_new_metrics
from .leftover import facts


@pytest.fixture(scope="module")
def found():
    """The pairs that stand in the set."""
    return covered_pairs()


@pytest.mark.long
def test_every_pair_that_may_stand_together_does(found):
    assert not possible().keys() - found


def test_every_pair_is_there_or_refused(found):
    """One in so many of those that are not there, since to ask about all takes half a minute."""
    known = {value for pair in found for value in pair}
    missing = [pair for pair in all_pairs() if pair <= known and pair not in found]
    assert len(missing) > 50
    assert not [pair for pair in missing[::10] if may_stand(dict(pair))]


def test_every_value_stands_somewhere(found):
    known = {value for pair in found for value in pair}
    names = {name for name, _ in known}
    lacking = {(name, value) for name in names for value in values(name)} - known
    assert lacking == {("no_relevant", "error"), ("ties", "input")}  # a statement cannot refuse; a table has no order


def test_a_metric_that_is_newer_than_the_set_stands_there_too():
    chosen = [one for one in CHOSEN.values() if not re.search(r"\brr\b", " ".join(one.case.metrics))]
    new = dict(of_new_metrics(chosen))
    assert new["new:rr@10"].case.metrics == ["rr@10"]
    assert not dict(of_new_metrics(CHOSEN.values()))  # else: python -m dev.cover write
    assert metrics().keys() >= RECURSIVE


@pytest.mark.long
def test_every_branch_that_a_statement_takes_is_taken():
    """By every dialect's text, on both roads."""
    with recording() as ways:
        ours = Choice("sqlglot", ways).all
        wanted = ours | Choice("dbt", ways).all
        assert len(branches_of(wanted)) > 2500
        assert not wanted - covered_ways(ways)


@pytest.mark.long
def test_a_branch_is_noted_where_it_is_taken():
    """Both sides of an if, by two statements that differ in it alone."""
    case = CHOSEN["branches:several_rankings"].case
    with noting() as taken_by:
        ours, again = taken_by(lambda: case.by_sqlglot("duckdb")), taken_by(lambda: case.by_sqlglot("duckdb"))
        dbt = taken_by(lambda: case.by_dbt("postgres"))
    assert ours == again
    assert len(ours) > 100
    assert ours | dbt <= branches_in({branch.file for branch in ours | dbt})
    macros = {branch.macro for branch in dbt if branch.side == "macro"}
    assert "postgres__rm_engine" in macros
    assert "default__rm_engine" not in macros
    assert all(isinstance(branch, Branch) for branch in dbt - ours)


@pytest.mark.parametrize("name", TAKING_LONG)
def test_an_engine_that_is_not_asked_all_is_asked_all_that_there_is(name):
    """Each metric, level, input and value of an option, by each dialect's text; and all metrics at once."""
    wanted = {fact for case, one in cases().items() if (name, case) not in NOT_TRIED for fact in facts(one)}
    assert {kind for kind, *_ in wanted} == {"metric", "level", "qrels", "runs", "argument"}
    engine = ENGINES[name]
    for dialect in (*engine.dialects, *engine.proxies):
        asked = [parameter.values[1:] for parameter in parameters(name) if parameter.values[0] == dialect]
        assert wanted <= {fact for _, case in asked for fact in facts(CASES[case])}
        assert {("sqlglot", AT_ONCE), ("dbt", AT_ONCE)} <= {*asked}


def test_every_statement_is_answered_in_full_by_an_engine_beside_duckdb():
    others = ENGINES.keys() - {"duckdb", "duckdb-1", *TAKING_LONG}
    assert {parameter.values[2] for name in others for parameter in parameters(name)} >= cases().keys()


def test_the_gate_has_each_statement_in_an_engine_beside_duckdb():
    found = {
        case.removesuffix(OF_DOUBLES)
        for name in ENGINES.keys() - {"duckdb"}
        for dialect, _, case in (parameter.values for parameter in parameters(name))
        if case in PLACES and is_of_the_gate(name, dialect, case)
    }
    assert found == {name.removesuffix(OF_DOUBLES) for name in covering()}

"""No text falls into a trap that can be seen in it; each rule finds the texts that are written beside it."""

from __future__ import annotations

import pytest

from ..golden import DIALECTS, cases_of, reviewed
from .traps import TRAPS, Statement, fallen_into


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.what)
def test_a_trap_is_seen(trap):
    for dialect in trap.dialects:
        assert [text for text in trap.samples if not list(trap.find(Statement(text, dialect)))] == []


def test_golden_texts_fall_into_none():
    """Those of dialects that are only rendered, too: pieces of all other statements are in test_rendered."""
    texts = {(dialect, case): reviewed(case, dialect) for dialect in DIALECTS for case in cases_of(dialect)}
    found = {at: fallen_into(text.rstrip().removesuffix(";"), at[0]) for at, text in texts.items()}
    assert {at: traps for at, traps in found.items() if traps} == {}

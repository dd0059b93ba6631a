"""What the statements are asked over."""

from __future__ import annotations

from . import hurtful


def test_the_tables_hurt():
    """They have everything in them that makes engines differ."""
    tables = hurtful.tables()
    runs, labels = tables["runs"].rows, tables["labels"].rows
    queries, judged = {row[0] for row in runs}, {row[0] for row in labels}
    ids = queries | {row[1] for row in runs}
    assert {"q001", "Q001", "end", "end ", "", "10", "1e1", "\u00e9", "e\u0301", "\uff21", "\U0001f600"} <= ids
    assert queries - judged == {"unasked"}
    assert judged - queries == {"lost"}
    grades = {row[2] for row in labels}
    assert {-2.0, 0.5, None} <= grades
    scores = {row[2] for row in runs}
    assert {0.1, 0.1 + 1e-9, 1.7e308, 5e-324, None} <= scores
    assert len(scores) < len(runs) / 2
    assert sum(row[0] == hurtful.LONG for row in tables["long_runs"].rows) == 10_000
    assert sum(row[0] == "single" for row in runs) == 1

"""Makes relations, whose columns have a known meaning, of whatever users pass as runs, judgments or query lists."""

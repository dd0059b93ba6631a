from __future__ import annotations

import re

import pytest

import rankmetrics_sql as rm

from . import filled, for_engine

test_same_numbers = for_engine("trino")


@pytest.mark.long
@pytest.mark.parametrize(("metric", "limited"), [("ndcg@10", True), ("ndcg", False)])
def test_a_list_is_ranked_down_to_the_cutoff(start_engine, metric, limited):
    """It keeps the first of each list, and sorts no list whole."""
    ask = filled(start_engine, "trino")
    _, [[plan]] = ask(f"EXPLAIN {rm.sql(metric, 'runs', 'labels', dialect='trino', header=False)}")
    assert bool(re.search(r"TopNRanking\[.*orderBy = \[\w+ DESC.*limit = 10\]", plan)) == limited, plan

"""The text of a few telling statements in every dialect, kept so that a change of it is seen in a diff.

``python -m tests.golden`` writes the files anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import rankmetrics_sql as rm

from ..known import EXECUTED, RENDERED

HERE = Path(__file__).parent
DIALECTS = (*EXECUTED, *RENDERED)

# The arguments of rm.sql by the name of the file.
CASES: Mapping[str, Mapping[str, Any]] = {
    "summary": {"metrics": ["ndcg@10", "ap", "rr@10", "p@5", "r@100"], "run": "shop.runs", "qrels": "shop.labels"},
    "per_query": {
        "metrics": ["ndcg(gain=exp2)@10", "rr(ties=expected)@10", "rr(ties=item_asc)@10"],
        "run": "SELECT query_id, item_id, score -- of one day\nFROM runs\nWHERE shown_on = '2026-11-01'",
        "qrels": "labels",
        "level": "per_query",
        "profile": "trec_eval",
        "zero_ideal": "null",
    },
    "compare": {
        "metrics": ["ndcg@10", "num_rel_ret"],
        "run": {"old": "old_runs", "new": "new_runs"},
        "qrels": "labels",
        "level": "compare",
    },
    "decompose": {
        "metrics": ["ndcg@10", "rr"],
        "run": {"september": "september_runs", "october": "october_runs"},
        "qrels": "labels",
        "level": "decompose",
        "by": ["market"],
        "queries": "judged_retrieved",
    },
    "movements": {
        "metrics": (),
        "run": {"old": "old_runs", "new": "new_runs"},
        "qrels": "labels",
        "level": "movements",
        "k": 5,
    },
    "labelled_by_market": {
        "metrics": ["ndcg@10", "rr"],
        "labelled": "impressions",
        "columns": {"query_id": ["user_id", "session_id"], "item_id": "product_id", "position": "place"},
        "by": ["market"],
    },
    "curve": {"metrics": ["p"], "run": "runs", "qrels": "labels", "level": "curve", "at": [1, 5, 10]},
    "subtopics": {
        "metrics": ["alpha_ndcg@2", "err_ia@5"],
        "run": "runs",
        "qrels": "labels",
        "columns": {"subtopic": "intent"},
    },
    "beyond_accuracy": {
        "metrics": ["average_popularity@10", "ild@10", "catalogue_coverage@10"],
        "run": "runs",
        "items": "films",
        "by": ["run.market"],
    },
}


def text(case: str, dialect: str) -> str:
    """What a file holds: what the command prints."""
    return rm.sql(dialect=dialect, **CASES[case]) + ";\n"


def files() -> Iterator[tuple[Path, str, str]]:
    """Every file with its case and dialect."""
    return ((HERE / dialect / f"{case}.sql", case, dialect) for dialect in DIALECTS for case in CASES)

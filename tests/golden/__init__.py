"""The text of a few telling statements in every dialect, kept so that a change of it is seen in a diff.

A text that two dialects have, but for the name in its header, is in one file; ``shared.toml`` says whose.
``python -m tests.golden`` writes the files anew.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import rankmetrics_sql as rm
from dev.engines import ENGINES
from rankmetrics_sql.dialects import check_dialect

from ..dialects.known import EXECUTED, RENDERED

HERE = Path(__file__).parent
SHARED = HERE / "shared.toml"
# In the order in which they are asked for a file: those of engines before those that are run as a relative's.
OF_ENGINES = dict.fromkeys(engine.dialects[0] for engine in ENGINES.values())
DIALECTS = tuple(dict.fromkeys((*OF_ENGINES, *EXECUTED, *RENDERED)))

# The arguments of rm.sql by the name of the file.
CASES: Mapping[str, Mapping[str, Any]] = {
    "summary": {"metrics": ["ndcg@10", "ap", "rr@10", "r@100"], "run": "shop.runs", "qrels": "shop.labels"},
    "per_query": {
        "metrics": ["ndcg(gain=exp2)@10", "rr(ties=expected)@10", "rr(ties=item_asc)@10"],
        "run": "SELECT query_id, item_id, score -- of one day\nFROM runs\nWHERE shown_on = '2026-11-01'",
        "qrels": "labels",
        "level": "per_query",
        "profile": "trec_eval",
        "zero_ideal": "null",
    },
    "compare": {
        "metrics": ["rr@10", "num_rel_ret"],
        "run": {"old": "old_runs", "new": "new_runs"},
        "qrels": "labels",
        "level": "compare",
    },
    "decompose": {
        "metrics": ["rr", "p@5"],
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
    "labelled_curve_by_market": {
        "metrics": ["p"],
        "labelled": "impressions",
        "columns": {"query_id": ["user_id", "session_id"], "item_id": "product_id", "position": "place"},
        "by": ["market"],
        "level": "curve",
        "at": [1, 5, 10],
    },
    "subtopics": {
        "metrics": ["alpha_ndcg@2", "err_ia@5"],
        "run": "runs",
        "qrels": "labels",
        "columns": {"subtopic": "intent"},
    },
    "group_order": {
        "metrics": ["rr@10", "ndcg@10"],
        "labelled": "impressions",
        "by": ["query_text"],
        "rollup": True,
        "min_queries": 30,
        "order": "ndcg@10",
        "limit": 20,
    },
    "beyond_accuracy": {
        "metrics": ["average_popularity@10", "ild@10", "catalogue_coverage@10"],
        "run": "runs",
        "items": "films",
        "by": ["run.market"],
    },
}


# What is kept of a dialect that is only rendered. Of all triples, these hold most of the distinct runs of four words
# that the nine texts of such a dialect have: 85 of 100, names and numbers aside.
TELLING = ("per_query", "compare", "beyond_accuracy")

# What is kept of the dialects of engines, which execute all of them: nine of ten runs of four words that translation
# makes out of the canonical text are in these.
TRANSLATED = (*TELLING, "summary", "subtopics")


def cases_of(dialect: str) -> tuple[str, ...]:
    """The names of the statements that are kept of a dialect."""
    if dialect == DIALECTS[0]:
        return tuple(CASES)
    return TELLING if dialect in RENDERED else TRANSLATED


@cache
def text(case: str, dialect: str) -> str:
    """What the command prints."""
    return f"{rm.sql(dialect=dialect, **CASES[case])}{check_dialect(dialect).end}\n"


def told_as(text: str, dialect: str, other: str) -> str:
    """A text with the name of another dialect in its header."""
    return text.replace(f" for {dialect}, written by ", f" for {other}, written by ", 1)


def path_of(case: str, dialect: str) -> Path:
    """The file of a text that is not shared."""
    return HERE / dialect / f"{case}.sql"


@cache
def shared() -> Mapping[str, Mapping[str, str]]:
    """Dialect to the statements whose text is in the file of another, and the name of that."""
    return tomllib.loads(SHARED.read_text(encoding="utf-8"))


def reviewed(case: str, dialect: str) -> str:
    """The text that is kept of a statement, from whichever file holds it."""
    holder = shared().get(dialect, {}).get(case, dialect)
    return told_as(path_of(case, holder).read_bytes().decode(), holder, dialect)


def files() -> Iterator[tuple[Path, str, str]]:
    """Every file with its case and dialect."""
    return (
        (path_of(case, dialect), case, dialect)
        for dialect in DIALECTS
        for case in cases_of(dialect)
        if case not in shared().get(dialect, {})
    )

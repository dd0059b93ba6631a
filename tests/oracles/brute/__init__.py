"""Every metric once more, in plain Python from its formula: slow, obvious, and sharing nothing with the package.

A metric takes the list of grades in rank order, None where an item is not judged; the grades of all judgments of the
query, retrieved or not; and its parameters. What holds for every metric (ties, unjudged items, queries without relevant
items, which queries count) is here.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from itertools import groupby, permutations, product
from pathlib import Path
from statistics import fmean, median
from typing import Any

from .shared import Grades, relevant, top

# Those of every file here, but those of diversity, of weights, of items and of other runs, which read more than grades.
METRICS: Mapping[str, Callable[..., Any]] = {
    name: function
    for file in sorted(Path(__file__).parent.glob("*.py"))
    if file.stem not in ("__init__", "shared", "diversity", "weights", "beyond", "references")
    for name, function in import_module(f"{__name__}.{file.stem}").METRICS.items()
}

# They read the scores of the list, too.
OF_SCORES = {"mae", "rmse", "rating_bias"}

# They count judgments, and a grade that is only assumed is none.
ABOUT_JUDGMENTS = {
    *("bpref", "gm_bpref", "infap", "judged", "rbp_residual", "rbp_resid", "unj", "num_nonrel_judged_ret"),
    *("unseen_share", "prediction_coverage", *OF_SCORES),
}

# They count hits and are 0 where there is nothing to hit, even if grades are assumed that the judgments do not hold.
OF_HITS = {
    *("p", "rr", "success", "rbp", "rprec", "rprec_mult", "iprec", "iprec_avg", "auc", "coverage_error", "yaap"),
    *("label_ranking_loss", "infap", "bpref", "gm_bpref"),
}

Run = Mapping[Any, Mapping[Any, float]]


def as_float32(score: float) -> float:
    return struct.unpack("f", struct.pack("f", score))[0]


def ranked(items: Mapping[Any, float], ties: str = "item_desc", score_type: str = "double") -> list[Any]:
    scores = {item: as_float32(score) if score_type == "float32" else score for item, score in items.items()}
    if ties == "input":
        return sorted(items, key=lambda item: -scores[item])
    by_item = sorted(items, key=lambda item: str(item).encode(), reverse=ties == "item_desc")
    return sorted(by_item, key=lambda item: -scores[item])


def orders(items: Mapping[Any, float]) -> Iterator[list[Any]]:
    """Every order that the scores allow."""
    groups = [list(group) for _, group in groupby(ranked(items), key=lambda item: items[item])]
    for chosen in product(*map(permutations, groups)):
        yield [item for group in chosen for item in group]


def universe(run: Run, qrels: Run, queries: str, rel: float = 1) -> list[Any]:
    answered = [query for query in run if run[query]]
    return {
        "judged": list(qrels),
        "judged_retrieved": [query for query in qrels if query in answered],
        "retrieved": answered,
        "judged_relevant": [query for query in qrels if relevant(list(qrels[query].values()), rel)],
    }[queries]


def assumed(
    grades: Grades, judged: list[float], every: list[float], unjudged: Any, rel: float
) -> tuple[Grades, list[float]]:
    """The list and the judgments as ``unjudged`` wants them; a typical grade is that of every judgment of the query."""
    if unjudged in ("nonrelevant", "drop"):
        return grades, judged
    typical = {"mean": fmean, "median": median}
    if unjudged in typical:
        value = typical[unjudged](every) if every else None
    else:
        value = rel if unjudged == "relevant" else unjudged
    assumed_grades = [] if value is None else [value] * grades.count(None)
    return [value if grade is None else grade for grade in grades], [*judged, *assumed_grades]


def value(
    name: str, grades: Grades, judged: list[float], params: Mapping[str, Any], scores: list[float] = ()
) -> float | None:
    """The metric of one list."""
    own = {key: item for key, item in params.items() if key not in ("no_relevant", "ties")}
    if params.get("no_relevant", 0) != 0 and not relevant(judged, params.get("rel", 1)):
        return {1: 1, "null": None, "skip": None}[params["no_relevant"]]
    if name in OF_SCORES:
        return METRICS[name](scores, grades, judged, **own)
    return METRICS[name](grades, judged, **own)


def per_query(
    run: Run,
    qrels: Run,
    name: str,
    params: Mapping[str, Any],
    *,
    ties="item_desc",
    score_type="double",
    queries="judged",
    unjudged="nonrelevant",
    depth=None,
    negative_grades="judged",
    judgments="all",
    rel=1,
):
    """The metric's value for every query of the universe."""
    if name in ABOUT_JUDGMENTS and unjudged != "drop":
        unjudged = "nonrelevant"
    values = {}
    rel = params.get("rel", rel)
    by_list = queries == "judged_relevant" and judgments == "retrieved"
    for query in universe(run, qrels, "judged" if by_list else queries, rel):
        truth = qrels.get(query, {})
        items = run.get(query, {})
        lists = orders(items) if ties == "expected" else [ranked(items, ties, score_type)]
        found = []
        for order in lists:
            shown = top(order, depth)
            if unjudged == "drop" and negative_grades == "unjudged":  # what is taken out is not retrieved
                shown = [item for item in shown if truth.get(item) is None or truth[item] >= 0]
            if unjudged == "drop":
                shown = [item for item in shown if item in truth]
            grades: Grades = [truth.get(item) for item in shown]
            known = (
                [grade for grade in grades if grade is not None] if judgments == "retrieved" else list(truth.values())
            )
            grades, judged = assumed(grades, known, list(truth.values()), unjudged, rel)
            judged = known if judgments == "given" else judged
            beyond = judgments == "given" and unjudged not in ("nonrelevant", "drop")
            nothing = beyond and name in OF_HITS and not relevant(judged, rel) and not params.get("no_relevant")
            found.append(0.0 if nothing else value(name, grades, judged, params, [items[item] for item in shown]))
            universal = not by_list or relevant(judged, rel) > 0
        if not universal:  # no relevant item among the judgments that count for this list
            continue
        values[query] = found[0] if len(found) == 1 or None in found else fmean(found)
    return values


def mean(values: Mapping[Any, float | None]) -> float:
    return fmean(value for value in values.values() if value is not None)

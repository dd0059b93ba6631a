"""Equal scores, where item ids decide which of the items is above, or within a cutoff."""

from __future__ import annotations

from collections.abc import Iterator

from ..statements.query import Query
from ..statements.relation import Relation
from .ask import Asker
from .sizes import most_rows, sample, score, share_of_few
from .words import counted

_NAMED_CUTOFFS = 6


def tied_at_cutoff(query: Query, n_lists: int) -> str:
    """Says that equal scores stand on both sides of a cutoff, in so many lists."""
    who = "1 query has" if n_lists == 1 else f"{n_lists:,} queries have"
    cutoffs = [str(cutoff) for cutoff in query.cutoffs]
    if len(cutoffs) > _NAMED_CUTOFFS:
        cutoffs = [f"{len(cutoffs)} from {cutoffs[0]} to {cutoffs[-1]}"]
    where = f"a cutoff ({', '.join(cutoffs)})"
    ties = "/".join(sorted({str(metric.ranking["ties"]) for metric in query.metrics}))
    return f"{who} a tie across {where}. ties={ties} decides which items count."


def warn_of_cut_ties(asker: Asker) -> Iterator[str]:
    """A warning for each run with equal scores on both sides of a cutoff; of many rows in a share of its lists."""
    query = asker.query
    if not query.cutoffs or query.options["position"] == "given" or not asker.is_canonical:
        return
    for run in query.runs:
        is_cut = most_rows(asker, run) > min(query.cutoffs)  # else no list is longer
        if is_cut and run.value == "score" and not run.clean:
            share = share_of_few(asker, run)
            if found := sample(asker, run, share).n_cut:
                where = f" in 1 of {share} lists," if share > 1 else ""
                yield f"{run.label}:{where} {tied_at_cutoff(query, found)}"


def warn_of_ties(asker: Asker, run: Relation) -> Iterator[str]:
    """A warning where ids decide which of the items of one score is above, and it matters to a metric."""
    query = asker.query
    by_id = [
        metric
        for metric in query.metrics
        if metric.metric.reads_ranks and metric.ranking["ties"] in ("item_asc", "item_desc")
    ]
    is_judged = query.qrels is not None or run.columns.get("relevance")
    if run.value != "score" or not is_judged or not by_id or query.options["position"] == "given":
        return
    depths = [metric.params.get("k") for metric in by_id]
    depth = None if None in depths else max(int(str(k)) for k in depths)
    rounds = all(metric.ranking["score_type"] == "float32" for metric in by_id)
    n_lists = int(asker.row("tied", run, query.qrels, depth, score(rounds))[0])
    if n_lists:
        where = "" if depth is None else f" within the first {depth:,}"
        ties = "/".join(sorted({str(metric.ranking["ties"]) for metric in by_id}))
        yield (
            f"{run.label}: {counted(n_lists, 'query')} with ties between items of different grades{where},"
            f" which item ids order (ties={ties}). ties=expected gives the mean over all orders."
        )

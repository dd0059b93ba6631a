"""The ranking strategy: sorting whole lists or counting, whichever is faster for the inputs."""

from __future__ import annotations

from dataclasses import replace

from ..checks import Asker, sizes
from ..statements.query import Query

# Counting compares each judged item of a list with all of the list; sorting does not care how many are judged, but for
# how much of the list it is asked. Up to _FACTOR * n ** _POWER judged items in a list of n, counting is faster, or at
# most 1.15 times slower, and up to a share ** _CUT of that where only a share of the list is sorted (measured for lists
# of 10 to 10,000 items with 0.1 to 300 judged ones). Where so few as _HARDLY_ANY are asked for, nobody looks.
# Where a query has more than _MANY judgments, the average list may not be the one that takes the time. Where there are
# few rows in all, either takes less than a closer look would.
_FACTOR, _POWER, _CUT = 1.7, 0.3, 0.7
_HARDLY_ANY, _MANY = 0.6, 50

# To find the score of the k-th item of each list of n costs more than it saves to sort, where n is not this much more
# (measured for k = 10: lists of 5 and 10 items by a third, lists of 20 are 1.1 times faster, those of 40 1.5 times).
_WORTH_CUTTING = 1.5


def choose_strategy(query: Query, asker: Asker) -> Query:
    """The query with the strategy that suits its inputs.

    Args:
        query: whose inputs have been checked.
        asker: asks how large they are.
    """
    query = replace(query, strategy=_strategy(query, asker))
    return replace(query, ranks_all=_ranks_all(query, asker))


def _strategy(query: Query, asker: Asker) -> str:
    """The strategy asked for; else counting where lists of a table or file, not a query, have few judged items."""
    wanted = str(query.options["strategy"])
    if query.options["position"] == "given":
        return "window"
    if wanted != "auto":
        return wanted
    is_query = query.qrels is None or any(relation.is_query for relation in (*query.runs, query.qrels))
    if is_query or not asker.database.counts_judgments:
        return "window"
    n_items = sizes.items_per_list(asker)
    depth = query.sorted_depth
    share = 1.0 if depth is None else min(1.0, depth / n_items)
    few = _FACTOR * n_items**_POWER * share**_CUT
    n_judged = sizes.judgments_per_query(asker)
    if sizes.has_few_rows(asker):
        return "window" if n_judged > few else "count"
    if n_judged > few > _HARDLY_ANY:
        n_judged = sizes.judged_per_list(asker)
    if n_judged > few:
        return "window"
    return "window" if sizes.most_judgments(asker) > _MANY and n_judged * sizes.skew(asker) > few else "count"


def _ranks_all(query: Query, asker: Asker) -> bool:
    """Whether the lists of a large table are so short that cutting them costs more than it saves."""
    is_known = asker.database.counts_judgments and not query.runs[0].is_query and query.strategy == "window"
    if not is_known or not sizes.has_many_rows(asker):
        return False
    depth = query.sorted_depth
    return depth is not None and sizes.items_per_list(asker) < _WORTH_CUTTING * depth

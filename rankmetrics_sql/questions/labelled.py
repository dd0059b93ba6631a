"""The question what a table that carries its labels is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Unpack, overload

from ..definitions.resolution import resolve_metrics
from ..errors import UsageError
from ..inputs.objects import labelled_qrels, without_arrays
from ..inputs.sources import Labelled
from ..pipeline.request import Request
from ..pipeline.scores import score
from ..results.values import Result
from .common import GROUPS, INPUTS, Common, Keywords
from .question import question
from .reporting import reporting


@overload
def labelled(
    data: Any, metrics: None = None, *, qrels: Any = None, columns: Mapping[str, Any] | None = None
) -> Labelled: ...


@overload
def labelled(
    data: Any, metrics: str | Iterable[str], *, qrels: Any = None, partitions: int = 1, **common: Unpack[Common]
) -> Result: ...


@question("connection", "columns", *GROUPS, "rollup", "min_queries", "weight", "cluster", *INPUTS)
def labelled(
    data: Any,
    metrics: str | Iterable[str] | None = None,
    *,
    qrels: Any = None,
    partitions: int = 1,
    **common: Unpack[Common],
) -> Result | Labelled:
    """Scores one table that carries its labels: query, item, score or position, relevance.

    Without metrics the table is only described, and ``evaluate``, ``curve``, ``explain`` and ``sql`` take it in place
    of a run and judgments: ``evaluate(labelled(data), metrics)`` is ``labelled(data, metrics)``.

    The ideal ranking and the number of relevant items come from the rows present; from ``qrels`` where those are
    given; or from a column ``n_relevant`` with the number of relevant items of the query, where those not in the list
    count as having the lowest relevant grade. A NULL relevance means that the item is not judged. A table with a score
    and a position is ordered by its score, unless ``columns`` names the position only.

    Args:
        data: a table in any form that ``evaluate`` takes, or lists of grades in rank order, ``[[2, 3, 0], [1]]``.
        metrics: metric strings; without them, ``qrels`` and ``columns`` are all that can be given.
        qrels: judgments for the ideal ranking.
        partitions: as in ``evaluate``.
        columns: as in ``evaluate``; ``n_relevant`` and ``run_id`` may be named too.

    Returns:
        The result, whose summary has been computed; or the description.

    Raises:
        UsageError: an unknown metric, option or value; or no metric, but something that is none of a description.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    asked = Keywords(common)
    if metrics is None:
        _refuse_all_but_description(asked, partitions)
    data = without_arrays(data, "labelled")
    if isinstance(data, list | tuple | Mapping) and qrels is None:
        qrels = labelled_qrels(data)
    source = Labelled(data, qrels, asked.columns)
    if metrics is None:
        return source
    choices = asked.choices()
    request = Request(resolve_metrics(metrics, choices), choices)
    prepare = partial(asked.prepared, request, source, None, asked.reads(columns={}))
    with prepare() as prepared:
        result = score(prepared, partitions)
    return reporting(result, prepared, prepare, asked, source, partitions=partitions)


def _refuse_all_but_description(asked: Keywords, partitions: int) -> None:
    """Refuses what is said to whatever scores the table.

    Raises:
        UsageError: there is such an argument.
    """
    others = sorted({*(asked.given.keys() - {"columns"}), *(["partitions"] if partitions != 1 else [])})
    if others:
        raise UsageError(
            "labelled: no metric given. Name at least one, such as 'ndcg@10'. Without metrics, pass"
            f" {', '.join(others)} to what scores the table: evaluate(labelled(TABLE), METRICS, ...)."
        )

"""The question what a table that carries its labels is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Unpack, overload

from ..definitions.resolution import resolve_metrics
from ..errors import UsageError
from ..inputs.objects import arrays_to_lists, labelled_qrels
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
    """Scores a labelled table: one row for each item, with query, score or position, and relevance.

    Without metrics it returns a source, which ``evaluate``, ``curve``, ``explain`` and ``sql`` take instead of a run
    and judgments: ``evaluate(labelled(data), metrics)`` is ``labelled(data, metrics)``.

    The ideal ranking and the number of relevant items come from the rows of the table, or from ``qrels`` if you pass
    them. Or name a column ``n_relevant`` with the number of relevant items of the query. Those that are not in the
    table then count with the lowest relevant grade. A NULL relevance marks an unjudged item. A table with a score
    and a position is ordered by its score, unless ``columns`` names the position only.

    Args:
        data: a table in any form that ``evaluate`` takes, or lists of grades in rank order, ``[[2, 3, 0], [1]]``.
        metrics: metric strings; without them, pass only ``qrels`` and ``columns``.
        qrels: judgments for the ideal ranking.
        partitions: as in ``evaluate``.
        columns: as in ``evaluate``; ``n_relevant`` and ``run_id`` may be named too.

    Returns:
        The result, whose summary has been computed; without metrics a source.

    Raises:
        UsageError: an unknown metric, option or value; or no metric, but something that is none of a description.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> result = rm.labelled([[0, 1, 1], [1]], ["rr", "p@1"])
        >>> result["rr"], result["p@1"]
        (0.75, 0.5)
    """
    asked = Keywords(common)
    if metrics is None:
        _refuse_all_but_description(asked, partitions)
    data = arrays_to_lists(data, "labelled")
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
    """Refuse arguments that only an evaluation of the table uses.

    Raises:
        UsageError: there is such an argument.
    """
    others = sorted({*(asked.given.keys() - {"columns"}), *(["partitions"] if partitions != 1 else [])})
    if others:
        raise UsageError(
            "labelled: no metric given. Name at least one, such as 'ndcg@10'. Without metrics, pass"
            f" {', '.join(others)} to what scores the table: evaluate(labelled(TABLE), METRICS, ...)."
        )

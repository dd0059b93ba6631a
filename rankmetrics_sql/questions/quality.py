"""The text that counts which rows of a source are used, and which are set aside and why."""

from __future__ import annotations

from typing import Any

from ..databases.unconnected import Unconnected
from ..definitions.choices import resolve_options
from ..errors import UsageError
from ..inputs.sources import Rows
from ..pipeline.header import facts_of_sources
from ..pipeline.header import header as header_of
from ..templates import commented

DATA_QUALITY = "data_quality"


def quality_text(place: Unconnected, run: Any, metrics: Any, *, header: bool, comments: bool) -> str:
    """The statement behind ``result.data_quality``.

    Args:
        place: whose SQL, and where to look columns up.
        run: a log or another source.
        metrics: there are none.
        header: whether to begin with a comment that names tables, columns and rules.
        comments: whether there are comments at all.

    Raises:
        UsageError: there are metrics, or nothing that is a source.
    """
    if not isinstance(run, Rows):
        raise UsageError("level=data_quality counts the rows of one source. Pass a log: run=rm.events(...).")
    if metrics:
        raise UsageError("level=data_quality has no metrics. Leave them out: rm.sql((), log, level='data_quality').")
    known = run.looked_up(place)
    with commented(comments):
        text = known.text(known.quality, place.dialect)
    if not (header and comments):
        return text
    what = f"{DATA_QUALITY} for {place.dialect}, written by rankmetrics sql or rm.sql"
    return header_of((), resolve_options({}), what, facts_of_sources({None: known})) + text

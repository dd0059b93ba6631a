"""What a report is about, as the user asked for it, so that more can be asked of the same inputs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ..errors import RankmetricsWarning, UsageError
from ..inputs.objects import without_arrays
from ..inputs.sources import Labelled, Source
from ..inputs.strings import named_candidates
from ..results.result import Comparison, Movements, Result
from ..statements.query import OF_COMPARISONS

T = TypeVar("T")

THE_RUN = "the run"  # where it has no name
_OF_ARMS = ("covariate", "shares", *OF_COMPARISONS)  # which no run has by itself
_ITSELF = " itself"  # the name of a run beside its own


@dataclass(frozen=True)
class Asked:
    """The arguments of an evaluation or a comparison.

    Attributes:
        run: the run or runs, or a source.
        qrels: the judgments.
        metrics: metric strings.
        keywords: the other arguments, but for groups; options too.
        groups: ``by``, ``period`` and ``timezone``, as far as they are given.
        evaluate: the public function, like the next two.
        compare: with its arguments.
        movements: with its arguments.
        baseline: what the baseline is called; None for the first run.
    """

    run: Any
    qrels: Any
    metrics: Any
    keywords: Mapping[str, Any]
    groups: Mapping[str, Any]
    evaluate: Callable[..., Result]
    compare: Callable[..., Comparison]
    movements: Callable[..., Movements]
    baseline: str | None = None

    def evaluated(self, **groups: Any) -> Result:
        """The values of the runs, with their intervals."""
        options = {"interval": "t"} | {name: value for name, value in self.keywords.items() if name not in _OF_ARMS}
        if options["interval"] in (None, "none"):
            options["interval"] = "t"
        return _quietly(self.evaluate, self.run, self.qrels, self.metrics, **options, **groups)

    def compared(self, first: str, **groups: Any) -> Comparison:
        """The differences from the baseline."""
        keywords = {name: value for name, value in self.keywords.items() if name != "interval"}
        judgments, asked = ((self.qrels,) if self.qrels is not None else ()), (self.metrics,)
        if isinstance(self.run, Source):
            return _quietly(self.compare, self.run, *judgments, *asked, baseline=first, **keywords, **groups)
        runs = self._runs()
        return _quietly(
            self.compare, runs.pop(first), runs, self.qrels, self.metrics, baseline=first, **keywords, **groups
        )

    def moved(self, first: str, queries: list[Any], k: int) -> Movements:
        """The lists of some queries."""
        keywords = self._of_lists()
        more: dict[str, Any] = {"k": k, "query": queries, "baseline": first}
        if isinstance(self.run, Source):
            return _quietly(self.movements, self.run, **keywords, **more)
        runs = self._runs()
        return _quietly(self.movements, runs.pop(first), runs, self.qrels, **keywords, **more)

    def listed(self, name: str | None, queries: list[Any], k: int) -> Movements:
        """The lists of some queries of one run, which is held against itself: both ranks are the same.

        Args:
            name: of the run, where runs have names.
            queries: their names.
            k: how many items of each.

        Raises:
            RankmetricsError: it cannot be read as a run of its own.
        """
        keywords = self._of_lists()
        run, qrels = self.run, self.qrels
        if isinstance(run, Labelled) and run.runs is None:
            keywords["columns"] = {**keywords.get("columns", {}), **run.columns}
            run, qrels = run.data, run.data
        elif isinstance(run, Source):
            raise UsageError("they are of several runs in one table, or of a log.")
        elif name is not None:
            run = self._runs()[name]
        more: dict[str, Any] = {"k": k, "query": queries, "baseline": _ITSELF}
        return _quietly(self.movements, run, {name or THE_RUN: run}, qrels, **keywords, **more)

    def has_runs(self, names: list[str]) -> bool:
        """Whether runs of these names can be compared: they were given one by one, or by a source."""
        return isinstance(self.run, Source) or self._runs().keys() >= set(names)

    def _of_lists(self) -> dict[str, Any]:
        """The arguments that lists have, too."""
        known = ("connection", "columns", "profile", "input_format", "ties", "score_type")
        return {name: self.keywords[name] for name in known if name in self.keywords}

    def _runs(self) -> dict[str, Any]:
        return dict(named_candidates(without_arrays(self.run, "run")))


def _quietly(function: Callable[..., T], *arguments: Any, **keywords: Any) -> T:
    """What is warned of stands on the page; whoever asked has been warned already."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankmetricsWarning)
        return function(*arguments, **keywords)

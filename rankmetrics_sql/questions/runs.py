"""The runs and sources that questions are asked about, as the questions take them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..definitions.arguments import check_arguments
from ..definitions.refusals import refuse
from ..errors import UsageError
from ..inputs.objects import without_arrays
from ..inputs.sources import Rows, Source, are_judged
from ..inputs.strings import named_candidates, run_name


def metrics_second(source: Any, second: Any, third: Any, name: str = "metrics") -> tuple[Any, Any]:
    """The judgments and the metrics: behind a source that has judgments come the metrics.

    Args:
        source: a run or runs, for which nothing changes; or a source.
        second: what stands behind it.
        third: what stands behind that.
        name: what the question calls metrics.

    Raises:
        UsageError: there are no judgments, or what stands in place of the metrics is none.
    """
    if not isinstance(source, Source) or third:
        return second, third
    if not source.has_judgments:
        raise UsageError(f"No qrels given: {source.label}() says nothing of what is relevant here.")
    check_arguments({name: () if second is None else second})
    return None, () if second is None else second


def defaults_of(run: Any, profile: str | None, *, judged: bool = True) -> dict[str, Any]:
    """The options that inputs have for defaults.

    Args:
        run: the run or runs, or a source, which has some; but the tool of a profile knows lists only, and numbers them.
        profile: the profile asked for.
        judged: whether there are judgments; without any, every list is one that counts.
    """
    own = run.options if isinstance(run, Rows) and profile is None else {}
    return ({} if judged else {"queries": "retrieved"}) | dict(own)


def defaults_of_scores(run: Any, qrels: Any, profile: str | None) -> dict[str, Any]:
    """The same, of inputs that are judged or not."""
    return defaults_of(run, profile, judged=are_judged(run, qrels))


def design_of(run: Any, baseline: str | None, what: str = "compare") -> dict[str, Any]:
    """The design of a comparison by its inputs: the arms of a source have requests of their own.

    Raises:
        UsageError: a source has no arms, or none of them is said to be the baseline.
    """
    if not isinstance(run, Source):
        return {}
    if run.runs is None and isinstance(run, Rows) and run.label != "events":
        raise UsageError(
            f"{run.label}: {what} needs arms, which events(arm=NAME) has. Two systems are two runs, each of its own"
            f" rows: {what}(run, {{name: other}}, qrels, metrics)."
        )
    said = "arm=" if isinstance(run, Rows) else "columns={'run_id': ...}"
    if run.runs is None:
        raise UsageError(f"{run.label}: {what} needs arms; name the column that tells them apart with {said}.")
    if baseline is None:
        raise UsageError(f"{run.label}: name the arm that the others are compared with by baseline=.")
    return {"design": "unpaired"} if isinstance(run, Rows) else {}


def baseline_first(run: Any, candidates: Any, baseline: str | None) -> tuple[Any, str | None]:
    """The runs of a comparison, the baseline first, or the source that has them, and the name of the baseline.

    Raises:
        UsageError: there is no candidate, or two have one name.
    """
    if isinstance(run, Source):
        return run, baseline
    named = named_candidates(without_arrays(candidates, "run")) if candidates is not None else {}
    if not named:
        raise UsageError("There is no candidate to compare with the baseline.")
    first = baseline or (run_name(run) if isinstance(run, str | Path) else "baseline")
    if first in named:
        raise UsageError(
            f"The baseline and a candidate are both called {first!r}; name the candidates with {{name: run}}."
        )
    return {first: run} | named, first


def refuse_of_summaries(given: Mapping[str, Any]) -> None:
    """Refuses what is said to a summary, and is no option of a comparison.

    Raises:
        UsageError: there is such an argument.
    """
    refuse(
        "breakdown",
        {
            "has_groups": True,
            "is_summary": False,
            "has_rollup": given.get("rollup", False) is not False,
            "min_queries": given.get("min_queries"),
            "has_weight": given.get("weight") is not None,
            "is_weighed": False,
        },
    )

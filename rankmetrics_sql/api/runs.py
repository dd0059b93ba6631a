"""The arguments for runs and sources of public functions, and the options that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..definitions.resolution import Choices, ResolvedMetric, is_metric, refuse, resolve_metrics, resolve_options
from ..errors import UsageError, advise, nearest
from ..inputs.objects import arrays_to_lists, maps_names
from ..pipeline.execute import Evaluation
from ..pipeline.load import name_of, named_runs
from ..sources import Rows, Source, Values, are_judged, sources_of
from .arguments import check_arguments
from .keywords import choices_of

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.evaluation import Result


_RUN_COLUMNS = {"run", "run_id", "run.run", "run.run_id"}


@dataclass(frozen=True)
class Compared:
    """The inputs of a comparison.

    Attributes:
        runs: the runs by name, the baseline first; or the source that has them.
        qrels: the judgments, where no source has them.
        metrics: the metrics.
        baseline: the name of the run that the others are compared with.
        design: the design that follows from a source.
    """

    runs: Any
    qrels: Any
    metrics: Any
    baseline: str | None
    design: dict[str, Any]


def resolve_runs(
    what: str,
    run: Any,
    candidates: Any,
    qrels: Any,
    metrics: Any,
    baseline: str | None,
    columns: Mapping[str, Any] | None = None,
) -> Compared:
    """Return the runs of a comparison: given singly, as a mapping, as a source with arms, or as one table.

    Args:
        what: the name of the public function.
        run: the baseline, or a source or mapping that has all runs.
        candidates: the other runs; behind what has all runs, what stands behind it.
        qrels: the judgments; behind sources that have them, the metrics.
        metrics: the metrics; None for a function without any.
        baseline: what the baseline is called.
        columns: those of the user's, of which one may tell the runs of a table apart.
    """
    behind = candidates, qrels, metrics
    if isinstance(run, Source) and not _are_runs(run, *behind):
        qrels, metrics = _behind(run, *_after_all_runs(*behind))
        return Compared(run, qrels, metrics, baseline, design_of(run, what))
    if not isinstance(run, Mapping) and not _RUN_COLUMNS.isdisjoint(columns or {}) and _has_all_runs(*behind):
        qrels, metrics = _after_all_runs(*behind)
        return Compared(run, qrels, metrics, baseline, {})
    first = baseline or name_of(run) or "baseline"
    if isinstance(run, Mapping) and maps_names(run):
        first, run, candidates = _of_mapping(run, baseline)
        qrels, metrics = _after_all_runs(*behind)
    runs_by_name = named_runs(arrays_to_lists(candidates, "run")) if candidates is not None else {}
    if not runs_by_name:
        raise UsageError(
            "There is no candidate to compare with the baseline. Pass the other run. If one table has both, name its"
            f" column of the runs, {advise('columns', 'run_id', 'NAME')}, and one of them as the baseline."
        )
    if first in runs_by_name:
        raise UsageError(f"The baseline and a candidate are both called {first!r}. Name the candidates: {{name: run}}.")
    runs = {first: run} | runs_by_name
    qrels, metrics = _behind(runs, qrels, metrics)
    return Compared(runs, qrels, metrics, first, {})


def runs_of_pairs(what: str, runs: Any, columns: Mapping[str, Any] | None) -> tuple[Any, str | None]:
    """The runs of all pairs: by name, with the first; or one table or source with a column that tells them apart.

    Args:
        what: the name of the public function.
        runs: what was passed.
        columns: those of the user's, of which one may tell the runs of a table apart.
    """
    if isinstance(runs, Source) and runs.runs is not None:
        if runs.design:
            raise UsageError(
                f"{runs.label}: {what} compares runs of the same queries, and each arm of a log has its own. Compare"
                " arms with compare."
            )
        return runs, None
    if not isinstance(runs, Mapping | list | tuple) and not _RUN_COLUMNS.isdisjoint(columns or {}):
        return runs, None
    runs_by_name = named_runs(arrays_to_lists(runs, "run"))
    if len(runs_by_name) < 2:
        is_log_of_runs = isinstance(runs, Source) and runs.runs_by == "run="
        how = advise("rule", "run", "NAME") if is_log_of_runs else advise("columns", "run_id", "NAME")
        raise UsageError(
            f"{what} needs two or more runs. Pass them as {{name: run}}, or name the column of the runs in one table:"
            f" {how}."
        )
    return runs_by_name, next(iter(runs_by_name))


def _of_mapping(runs: Mapping[Any, Any], baseline: str | None) -> tuple[str, Any, dict[str, Any]]:
    """Return the name of the baseline, the first unless another is named, its run, and the other runs."""
    runs_by_name = named_runs(runs)
    first = next(iter(runs_by_name)) if baseline is None else baseline
    if first not in runs_by_name:
        raise UsageError(f"baseline: there is no run called {first!r}. {nearest(first, runs_by_name)}")
    return first, runs_by_name.pop(first), runs_by_name


def _after_all_runs(candidates: Any, qrels: Any, metrics: Any) -> tuple[Any, Any]:
    """Return the judgments and the metrics; raise if candidates come before them."""
    behind = [one for one in (candidates, qrels, metrics or None) if one is not None]
    if len(behind) > (1 if metrics is None else 2):
        raise UsageError("The first argument already has all runs. Omit the candidates.")
    if len(behind) == 1 and metrics is not None and (metrics or are_metrics(behind[0])):
        return None, behind[0]
    qrels, second = [*behind, None, None][:2]
    return qrels, None if metrics is None else second or ()


def _has_all_runs(candidates: Any, qrels: Any, metrics: Any) -> bool:
    """Check whether judgments or metrics, not runs, follow a table that has a column of runs."""
    return candidates is None or are_metrics(candidates) or (not metrics and are_metrics(qrels))


def are_metrics(value: Any) -> bool:
    """Check whether a text, or each of several, is a metric, and not the place of judgments."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list | tuple) or not texts or not all(isinstance(text, str) for text in texts):
        return False
    choices = resolve_options({})
    return all(is_metric(text, choices) for text in texts)


def _are_texts(value: Any) -> bool:
    """Check whether it is a list of texts, which judgments never are."""
    return isinstance(value, list | tuple) and len(value) > 0 and all(isinstance(text, str) for text in value)


def _are_runs(run: Source, candidates: Any, qrels: Any, metrics: Any) -> bool:
    """Check whether the arguments after a source are more runs, and not its judgments or metrics."""
    if run.runs is not None and sources_of(candidates):
        raise UsageError(f"{run.label}: its column {run.runs} already names the runs. Omit the other source.")
    if run.runs is not None or candidates is None:
        return False
    is_text = isinstance(candidates, str | list | tuple) and not sources_of(named_runs(candidates))
    return not is_text or bool(metrics) or metrics is None or qrels is not None


def _behind(runs: Any, qrels: Any, metrics: Any) -> tuple[Any, Any]:
    """Read arguments as ``metrics_second`` does, for a function that may have no metrics."""
    return (qrels, None) if metrics is None else metrics_second(runs, qrels, metrics)


def metrics_second(run: Any, second: Any, third: Any, name: str = "metrics") -> tuple[Any, Any]:
    """The judgments and the metrics: behind sources that have judgments come the metrics.

    Args:
        run: a run or runs, for which nothing changes; or sources.
        second: what stands behind it.
        third: what stands behind that.
        name: the name of the argument with the metrics.
    """
    sources = sources_of(run)
    is_nothing = third is None or (isinstance(third, str | list | tuple) and not third)
    if is_nothing and _are_texts(second):  # one that is no metric is then said to be none
        return None, second
    if not is_nothing or (not sources and not are_metrics(second)):
        return second, third
    if not are_metrics(second) and not any(source.has_judgments for source in sources):
        return second, third  # judgments of lists, and no metric
    check_arguments({name: () if second is None else second})
    return None, () if second is None else second


def defaults_of(run: Any, profile: str | None, *, judged: bool = True) -> dict[str, Any]:
    """The options that inputs have for defaults.

    Args:
        run: the run or runs, or a source, which has some; but the tool of a profile knows lists only, and numbers them.
        profile: the profile asked for.
        judged: whether there are judgments; without any, every list is one that counts.
    """
    defaults = run.options if isinstance(run, Source) and profile is None else {}
    return ({} if judged else {"queries": "retrieved"}) | dict(defaults)


def metrics_of(run: Any, metrics: Any, choices: Choices, *, compared: bool = False) -> list[ResolvedMetric]:
    """Resolve the metrics of a call; a table of numbers has its columns for metrics."""
    return (
        run.metrics(metrics, choices)
        if isinstance(run, Values)
        else resolve_metrics(metrics, choices, compared=compared)
    )


def choices_of_scores(keywords: Mapping[str, Any], run: Any, qrels: Any, **of_inputs: Any) -> Choices:
    """Resolve the options of a call over inputs that may be unjudged; ``of_inputs`` are more of their defaults."""
    defaults = defaults_of(run, keywords.get("profile"), judged=are_judged(run, qrels))
    return choices_of(keywords, defaults | of_inputs)


def design_of(run: Any, what: str = "compare") -> dict[str, Any]:
    """Return the design of a comparison that follows from its inputs: arms of a log have requests of their own."""
    if not isinstance(run, Source):
        return {}
    if run.runs is None and isinstance(run, Rows) and run.log is None:
        column = f"Name the column of the runs with {run.runs_by}, or pass" if run.runs_by else "Pass"
        raise UsageError(
            f"{run.label}: {what} needs two runs. {column} the other run by its name: {what}(run,"
            f" {{name: other}}, metrics)."
        )
    if run.runs is None:
        how = advise("rule", "arm", "NAME") if run.has_arms else run.runs_by
        raise UsageError(f"{run.label}: {what} needs arms. Name their column with {how}.")
    return run.design


def refuse_of_summaries(arguments: Mapping[str, Any]) -> None:
    """Raise for arguments that only summaries take; what a function takes itself does not come here."""
    refuse(
        "breakdown",
        {
            "has_groups": True,
            "is_summary": False,
            "has_small_groups": False,
            "has_rollup": arguments.get("rollup", False) is not False,
            "min_queries": arguments.get("min_queries"),
            "is_arranged": arguments.get("order") is not None,
            "has_weight": arguments.get("weight") is not None,
            "is_weighed": False,
        },
    )


R = TypeVar("R", "Result", "Comparison")


def reporting(
    result: R,
    evaluation: Evaluation,
    prepare: Callable[[], AbstractContextManager[Evaluation]],
    keywords: Mapping[str, Any],
    run: Any,
    **others: Any,
) -> R:
    """Return the result with the function that writes its report.

    Args:
        result: of the evaluation or comparison.
        evaluation: its inputs, loaded and checked; still there for the report in our own DuckDB.
        prepare: loads and checks them again, in a database of the user's, which keeps nothing.
        keywords: the keywords of the call, whose options the page names.
        run: the run or runs, or a source.
        others: what else the report is to know, as ``PageRequest`` has it.
    """

    def write(path: Path, title: str | None) -> None:
        from ..report.gathering import PageRequest
        from ..report.page import check_page, write_page

        check_page(path)
        source = run if isinstance(run, Source) else None
        with nullcontext(evaluation) if evaluation.database.is_ours else prepare() as evaluated:
            write_page(path, PageRequest(evaluated, choices_of(keywords), source, title=title, **others))

    return replace(result, _report=write)

"""What a row of a comparison says, in a sentence: its verdict about two runs, which is where all else follows from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..databases.answers import Record
from ..definitions.verdicts import (
    ABOVE,
    BELOW,
    BETTER,
    DIFFERENT,
    DOWNWARD,
    EQUIVALENT,
    FELL,
    INCONCLUSIVE,
    NO_DIFFERENCE,
    NO_TEST,
    NOT_BETTER,
    NOT_SHOWN,
    NOT_WORSE,
    ROSE,
    TOO_FEW,
    UPWARD,
    WORSE,
)
from ..results.verdicts import likelier_above
from .tables import shown


def claim(record: Record, options: Mapping[str, Any], better: Mapping[str, str]) -> tuple[str, str]:
    """The verdict of a row as a sentence without its full stop, and its kind: better, worse, uncertain or note.

    Args:
        record: a row of ``Comparison.summary``.
        options: those of the comparison.
        better: for each metric ``higher`` or ``lower``.
    """
    run, baseline, metric = (shown(record[name]) for name in ("run", "baseline_run", "metric"))
    word = str(record["verdict"])
    by = _by(record, options)
    if word in (BETTER, WORSE):
        return word, f"{run} is {word} than {baseline} in {metric}{by}"
    if word.startswith(NOT_WORSE):
        return BETTER, f"{run} is {NOT_WORSE} than {baseline} in {metric}{by}"
    if word.startswith(NOT_BETTER):
        return "uncertain", f"{run} is {NOT_BETTER} than {baseline} in {metric}{by}"
    if word.startswith(EQUIVALENT):
        return "note", f"{run} and {baseline} differ by less than {record['margin']:g} in {metric}"
    if word in (ROSE, FELL):
        return "note", _counted(record)
    if word in (ABOVE, BELOW):
        text = _likelier(record, better)
        return "note", text[0].upper() + text[1:]
    if word in (UPWARD, DOWNWARD, DIFFERENT):
        return "note", _of_ranks(record, word.removeprefix("signed ranks ").removeprefix("distributions "))
    return "uncertain", _nothing_shown(record, options, better)


def _nothing_shown(record: Record, options: Mapping[str, Any], better: Mapping[str, str]) -> str:
    run, baseline, metric = (shown(record[name]) for name in ("run", "baseline_run", "metric"))
    word = str(record["verdict"])
    if word == NO_DIFFERENCE:
        return f"{run} and {baseline} have the same {metric}"
    if word == TOO_FEW:
        return f"{_too_few(record, options)} to say whether {_question(record, options, better)}"
    if word == NO_TEST:
        limits = options.get("limits") or {}
        without = ", which has no limit" if limits and record["metric"] not in limits else ""
        return f"There is {NO_TEST} of {run} against {baseline} in {metric}{without}"
    if word == NOT_SHOWN:
        return f"It is {NOT_SHOWN} that {_tested(record, better)}"
    if word != INCONCLUSIVE:
        return f"{run} against {baseline} in {metric}: {word}"
    if record["test"] == "sign":
        return f"{_counted(record)}, which is {word}"
    if record["test"] == "brunner_munzel":
        return f"It is {word} which is likelier above the other; {_likelier(record, better)}"
    return f"It is {word} whether {_question(record, options, better)}"


def _question(record: Record, options: Mapping[str, Any], better: Mapping[str, str]) -> str:
    """What was asked."""
    run, baseline, metric = (shown(record[name]) for name in ("run", "baseline_run", "metric"))
    if record["margin"]:
        return _tested(record, better)
    if record["test"] in _ASKED_OF_RANKS:
        asked = _ASKED_OF_RANKS[record["test"]][record["alternative"]]
        text = _of_ranks(record, asked)
        return text[0].lower() + text[1:]
    return f"{run} is {_sides(record, options, better)} than {baseline} in {metric}{_by(record, options)}"


def _by(record: Record, options: Mapping[str, Any]) -> str:
    """By how much a run is better or worse, of a test against more than no difference."""
    limits = options.get("limits")
    margin = record["margin"] if limits is None else limits.get(record["metric"])
    return f" by more than {margin:g}" if margin else ""


def _sides(record: Record, options: Mapping[str, Any], better: Mapping[str, str]) -> str:
    """The sides of no difference, or of a limit, that were tested."""
    if options.get("limits") is not None:
        return WORSE
    if record["alternative"] == "two_sided":
        return f"{BETTER} or {WORSE}"
    is_lower = better.get(record["metric"]) == "lower"
    return BETTER if (record["alternative"] == "greater") != is_lower else WORSE


def _tested(record: Record, better: Mapping[str, str]) -> str:
    """What a test with a margin would show."""
    run, baseline, metric = (shown(record[name]) for name in ("run", "baseline_run", "metric"))
    if record["alternative"] == "equivalence":
        return f"{run} and {baseline} differ by less than {record['margin']:g} in {metric}"
    is_upwards = (record["alternative"] == "greater") == (better.get(record["metric"]) != "lower")
    than = NOT_WORSE if is_upwards else NOT_BETTER
    return f"{run} is {than} than {baseline} in {metric} by more than {record['margin']:g}"


# What tests of ranks ask, by their alternative.
_ASKED_OF_RANKS = {
    "wilcoxon": {"two_sided": "lean upward or downward", "greater": "lean upward", "less": "lean downward"},
    "mann_whitney": dict.fromkeys(("two_sided", "greater", "less"), "differ"),
}


def _of_ranks(record: Record, said: str) -> str:
    """What a test of ranks says, or asks, of the ranks of differences or of the values of two arms."""
    runs = f"{shown(record['baseline_run'])} to {shown(record['run'])}"
    if record["test"] == "wilcoxon":
        return f"The signed ranks of the differences in {shown(record['metric'])} {said} from {runs}"
    return f"The distributions of {shown(record['metric'])} {said} from {runs}"


def _counted(record: Record) -> str:
    """How many queries rose and fell."""
    higher, lower, total = (f"{record[name]:,}" for name in ("n_higher", "n_lower", "n_queries"))
    runs = f"from {shown(record['baseline_run'])} to {shown(record['run'])}"
    return f"{shown(record['metric'])} rose in {higher} of {total} queries and fell in {lower} {runs}"


def _likelier(record: Record, better: Mapping[str, str]) -> str:
    """How probable it is that a query of one run is above, or below, one of the other."""
    probability, is_below = likelier_above(record, better), record["verdict"] == BELOW
    share = f"{1 - probability if is_below else probability:.2f}"
    runs = f"{shown(record['run'])} is {'below' if is_below else 'above'} one of {shown(record['baseline_run'])}"
    return f"a query of {runs} in {shown(record['metric'])} with a probability of {share}"


def _too_few(record: Record, options: Mapping[str, Any]) -> str:
    """What there is too little of: queries, or clusters, that changed, or that are there."""
    cluster, number = options.get("cluster"), record["n_units"]
    units = "queries" if cluster is None else f"values of {shown(cluster)}"
    if options.get("weight"):
        where = "changed" if options["design"] == "paired" else "in the smaller arm"
        return f"Too few {units} {where} (as good as {number:,} of equal weight)"
    if options["design"] == "unpaired":
        return f"Too few {units} ({number:,} in the smaller arm)"
    total = record["n_queries"] if cluster is None else record["n_clusters"]
    if number < total:
        return f"Too few {units} changed ({number:,} of {total:,})"
    return f"Too few {units} ({number:,})"

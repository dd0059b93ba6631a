"""The verdict in words: which run is better in what, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..definitions.verdicts import BETTER, NOT_WORSE, SAME, UNCERTAIN
from ..definitions.verdicts import verdict as verdict_of
from ..results.layouts import as_text
from ..results.report import of_interval, of_pvalue, of_share, signed
from .tables import shown

Record = Mapping[str, Any]

MOST_SENTENCES = 12


@dataclass(frozen=True)
class Sentence:
    """One sentence of a verdict.

    Attributes:
        kind: ``better``, ``worse`` or ``uncertain``; ``note`` of what is none.
        text: the sentence.
    """

    kind: str
    text: str


def verdict(
    records: Sequence[Record], options: Mapping[str, Any], better: Mapping[str, str], counts: Collection[str]
) -> list[Sentence]:
    """A sentence for each candidate and metric; of many, how many are which.

    Args:
        records: the rows of ``Comparison.summary`` over all queries.
        options: those of the comparison.
        better: for each metric ``higher`` or ``lower``.
        counts: metrics whose values are counts.
    """
    found = [_sentence(record, options, better, record["metric"] in counts) for record in records]
    if len(found) <= MOST_SENTENCES:
        return found
    kinds = [sentence.kind for sentence in found]
    number = ", ".join(f"{kinds.count(kind):,} {kind}" for kind in ("better", "worse", "uncertain"))
    first = Sentence("note", f"Of {len(found):,} differences from the baseline: {number}.")
    certain = [sentence for sentence in found if sentence.kind != "uncertain"][:MOST_SENTENCES]
    return [first, *certain, Sentence("note", "All of them are in the table below.")]


def _sentence(record: Record, options: Mapping[str, Any], better: Mapping[str, str], is_count: bool) -> Sentence:
    run, baseline, metric = shown(record["run"]), shown(record["baseline_run"]), shown(record["metric"])
    effect = record["effect_size"]
    if effect is None:
        return Sentence("uncertain", f"Nothing can be said of {run} and {baseline} in {metric}.")
    level = f"{100 * float(options['confidence_level']):g} %"
    lower, upper = record["effect_size_ci_lower"], record["effect_size_ci_upper"]
    interval = of_interval(lower, upper, lambda value: as_text(value, is_count))
    relative = record["rel_effect_size"]
    said = [
        f"{level} interval {interval}",
        *([f"{of_share(relative)} of the baseline"] if relative is not None else []),
        _p(record["pvalue_adj"], str(options["correction"])),
        _queries(record),
    ]
    word = verdict_of(record, options, better)
    size = f"by {signed(effect, is_count)} ({', '.join(said)})"
    if word == SAME:
        return Sentence("uncertain", f"{run} and {baseline} have the same {metric} ({_queries(record)}).")
    margin = options.get("margin")
    if margin and word != BETTER:
        claim = f"worse than {baseline} in {metric} by more than {margin:g}"
        if word == NOT_WORSE:
            return Sentence("better", f"{run} is not {claim}: they differ {size}.")
        return Sentence("uncertain", f"Whether {run} is {claim} is uncertain: they differ {size}.")
    if word == UNCERTAIN:
        start = f"Whether {run} is better or worse than {baseline} in {metric} is uncertain"
        return Sentence("uncertain", f"{start}: they differ {size}.")
    return Sentence(word, f"{run} is {word} than {baseline} in {metric} {size}.")


def _p(value: float | None, correction: str) -> str:
    if value is None:
        return "no p-value"
    text = of_pvalue(value)
    said = f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
    return f"{said} after correction" if correction != "none" else f"{said}, not corrected"


def _queries(record: Record) -> str:
    number, left_out = record["n_queries"], record.get("n_left_out") or 0
    some = "1 query" if number == 1 else f"{number:,} queries"
    return f"{some}, {left_out:,} left out" if left_out else some


def of_nothing(values: Sequence[Record], differences: Sequence[Record]) -> list[Sentence]:
    """What is said of the metrics that no run has a value of, so that they are not compared.

    Args:
        values: the rows of ``Result.summary`` over all queries.
        differences: the rows of ``Comparison.summary``.
    """
    known = {row["metric"] for row in differences} | {row["metric"] for row in values if row["value"] is not None}
    lacking = [name for name in dict.fromkeys(row["metric"] for row in values) if name not in known]
    if not lacking:
        return []
    names = ", ".join(map(shown, lacking[:MOST_SENTENCES]))
    more = f" and {len(lacking) - MOST_SENTENCES:,} more metrics" if len(lacking) > MOST_SENTENCES else ""
    return [Sentence("uncertain", f"Nothing can be said of {names}{more}: no query has a value.")]


def of_values(records: Sequence[Record], counts: Collection[str], level: str) -> list[Sentence]:
    """What is said of a run where there is nothing to compare it with.

    Args:
        records: the rows of ``Result.summary`` with intervals, over all queries.
        counts: metrics whose values are counts.
        level: what intervals are called.
    """
    found = []
    for record in records[:MOST_SENTENCES]:
        is_count = record["metric"] in counts
        ends = record.get("ci_lower"), record.get("ci_upper")
        interval = of_interval(*ends, lambda value, is_count=is_count: as_text(value, is_count))  # type: ignore[misc]
        who = f"{shown(record['run_id'])}: " if "run_id" in record else ""
        value = as_text(record["value"], is_count)
        found.append(
            Sentence("note", f"{who}{shown(record['metric'])} is {value} ({level} {interval}, {_queries(record)}).")
        )
    if len(records) > MOST_SENTENCES:
        found.append(Sentence("note", "All values are in the table below."))
    return found

"""The verdicts of a comparison as sentences."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..charts.drawing import write_count
from ..definitions.known import known_options
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
    interval_level,
    is_shown,
    likelier_above,
)
from ..results.numbers import format_interval, format_pvalue, format_share, format_value
from ..results.worst import BEYOND, FEW, LISTED
from ..rows import Record
from .tables import format_clicks, shown


def claim(record: Record, options: Mapping[str, Any], better: Mapping[str, str]) -> tuple[str, str]:
    """Return the kind of a verdict (better, worse, uncertain or note) and its sentence without a full stop."""
    run, baseline, metric = (shown(record[name]) for name in ("run", "baseline_run", "metric"))
    word = str(record["verdict"])
    by = _margin(record, options)
    if word in (BETTER, WORSE):
        return word, f"{run} is {word} than {baseline} in {metric}{by}"
    if word.startswith(NOT_WORSE):
        return BETTER, f"{run} is {NOT_WORSE} than {baseline} in {metric}{by}"
    if word.startswith(NOT_BETTER):
        return "uncertain", f"{run} is {NOT_BETTER} than {baseline} in {metric}{by}"
    if word.startswith(EQUIVALENT):
        return "note", f"{run} and {baseline} differ by less than {record['margin']:g} in {metric}"
    if word in (ROSE, FELL):
        return "note", _rises_and_falls(record)
    if word in (ABOVE, BELOW):
        text = _likelier(record, better)
        return "note", text[0].upper() + text[1:]
    if word in (UPWARD, DOWNWARD, DIFFERENT):
        return "note", _about_ranks(record, word.removeprefix("signed ranks ").removeprefix("distributions "))
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
        return f"{_rises_and_falls(record)}, which is {word}"
    if record["test"] == "brunner_munzel":
        return f"It is {word} which is likelier above the other; {_likelier(record, better)}"
    return f"It is {word} whether {_question(record, options, better)}"


def _question(record: Record, options: Mapping[str, Any], better: Mapping[str, str]) -> str:
    """Return what was tested."""
    run, baseline, metric = (shown(record[name]) for name in ("run", "baseline_run", "metric"))
    if record["margin"]:
        return _tested(record, better)
    if record["test"] in _ASKED_OF_RANKS:
        templates = _ASKED_OF_RANKS[record["test"]][record["alternative"]]
        text = _about_ranks(record, templates)
        return text[0].lower() + text[1:]
    return f"{run} is {_sides(record, options, better)} than {baseline} in {metric}{_margin(record, options)}"


def _margin(record: Record, options: Mapping[str, Any]) -> str:
    """Return by how much a run is better or worse, if a margin was tested."""
    limits = options.get("limits")
    margin = record["margin"] if limits is None else limits.get(record["metric"])
    return f" by more than {margin:g}" if margin else ""


def _sides(record: Record, options: Mapping[str, Any], better: Mapping[str, str]) -> str:
    """Return the tested directions."""
    if options.get("limits") is not None:
        return WORSE
    if record["alternative"] == "two_sided":
        return f"{BETTER} or {WORSE}"
    is_lower = better.get(record["metric"]) == "lower"
    return BETTER if (record["alternative"] == "greater") != is_lower else WORSE


def _tested(record: Record, better: Mapping[str, str]) -> str:
    """Return what a test with a margin would show."""
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


def _about_ranks(record: Record, sentence: str) -> str:
    """Return a sentence on the ranks of differences, or the values of two arms."""
    runs = f"{shown(record['baseline_run'])} to {shown(record['run'])}"
    if record["test"] == "wilcoxon":
        return f"The signed ranks of the differences in {shown(record['metric'])} {sentence} from {runs}"
    return f"The distributions of {shown(record['metric'])} {sentence} from {runs}"


def _rises_and_falls(record: Record) -> str:
    """Return how many queries rose and fell."""
    higher, lower, total = (f"{record[name]:,}" for name in ("n_higher", "n_lower", "n_queries"))
    runs = f"from {shown(record['baseline_run'])} to {shown(record['run'])}"
    return f"{shown(record['metric'])} rose in {higher} of {total} queries and fell in {lower} {runs}"


def _likelier(record: Record, better: Mapping[str, str]) -> str:
    """Return the probability that a query of one run is above, or below, one of the other."""
    probability, is_below = likelier_above(record, better), record["verdict"] == BELOW
    share = f"{1 - probability if is_below else probability:.2f}"
    runs = f"{shown(record['run'])} is {'below' if is_below else 'above'} one of {shown(record['baseline_run'])}"
    return f"a query of {runs} in {shown(record['metric'])} with a probability of {share}"


def _too_few(record: Record, options: Mapping[str, Any]) -> str:
    """Return which units are too few: queries or clusters that changed, or that exist."""
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


MOST_SENTENCES = 12
MOST_OF_A_SEGMENT = 4  # verdicts in its sentence
_KINDS = ("mixed", WORSE, BETTER, "uncertain")  # of segments, those first that are to be looked at


@dataclass(frozen=True)
class Sentence:
    """One sentence of a verdict.

    Attributes:
        kind: ``better``, ``worse``, ``mixed`` of a segment that is both, ``uncertain``; ``note``, which claims nothing.
        text: the sentence.
    """

    kind: str
    text: str


def verdict(
    records: Sequence[Record], options: Mapping[str, Any], better: Mapping[str, str], counts: Collection[str]
) -> list[Sentence]:
    """Return a sentence for each candidate and metric, or counts of verdicts if there are many."""
    if len(records) <= MOST_SENTENCES:
        return [_sentence(record, options, better, record["metric"] in counts) for record in _unique_reasons(records)]
    words = Counter(record["verdict"] for record in records)
    number = ", ".join(f"{count:,} {name}" for name, count in words.most_common())
    first = Sentence("note", f"{len(records):,} differences from the baseline: {number}.")
    claims = [record for record in records if is_shown(record["verdict"])][:MOST_SENTENCES]
    sentences = (_sentence(record, options, better, record["metric"] in counts) for record in _unique_reasons(claims))
    return [first, *sentences, Sentence("note", "The table below shows all differences.")]


def _unique_reasons(records: Sequence[Record]) -> Iterator[Record]:
    """Yield the records, each without a reason that an earlier one has."""
    seen_reasons = set()
    for record in records:
        reason = record.get("reason")
        yield record if reason not in seen_reasons else {**record, "reason": None}
        seen_reasons.add(reason)


def _sentence(record: Record, options: Mapping[str, Any], better: Mapping[str, str], is_count: bool) -> Sentence:
    """Return the verdict, then the difference with its interval, p-value and number of queries, and what to heed."""
    kind, statement = claim(record, options, better)
    cluster = options.get("cluster")
    if record["verdict"] == NO_DIFFERENCE:
        text = f"{statement} ({_queries(record, cluster)})"
    elif record["effect_size"] is None:
        text = f"{statement}: no difference is known ({_queries(record, cluster)})"
    else:
        text = f"{statement}: {_size(record, options, is_count)}"
    reason = f"; {record['reason']}" if record.get("reason") else ""
    return Sentence(kind, f"{text}{reason}.")


def _note(records: Sequence[Record]) -> str:
    """Return the reasons of the rows as a note."""
    reasons = [str(record["reason"]) for record in records if record.get("reason")]
    return f" Note: {'; '.join(dict.fromkeys(reasons))}." if reasons else ""


def _size(record: Record, options: Mapping[str, Any], is_count: bool) -> str:
    """Return the difference with its interval, p-value and number of queries."""
    ends = record["effect_size_ci_lower"], record["effect_size_ci_upper"]
    interval = format_interval(*ends, lambda value: format_value(value, is_count), alternative=record["alternative"])
    level = f"{100 * interval_level(options):g} %"
    relative = record["rel_effect_size"]
    parts = [
        *([f"{format_share(relative)} of the baseline"] if relative is not None else []),
        f"{level} interval {interval}",
        _p(record["pvalue_adj"], str(options["correction"])),
        _queries(record, options.get("cluster")),
    ]
    return f"{_moved(record, is_count)} ({', '.join(parts)})"


def _moved(record: Record, is_count: bool) -> str:
    """Return the difference in words: 0.30 higher."""
    size = record["effect_size"]
    if size == 0:
        return "both values are the same"
    return f"{format_value(abs(size), is_count)} {'higher' if size > 0 else 'lower'}"


def describe_segments(
    records: Sequence[Record], groups: Sequence[str], counts: Collection[str], most: int = MOST_SENTENCES
) -> list[Sentence]:
    """Return a sentence for each segment with its verdicts, and differences if they are few."""
    segments: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        segments.setdefault(tuple(record[name] for name in groups), []).append(record)
    mentioned = _segments_to_mention(segments, most)
    sentences = [
        _of_segment(", ".join(f"{name} {shown(value)}" for name, value in zip(groups, key, strict=True)), rows, counts)
        for key, rows in segments.items()
        if key in mentioned
    ]
    if len(segments) > most:
        sentences.append(Sentence("note", f"{len(segments) - most:,} more segments are in the table below."))
    return sentences


def _segments_to_mention(segments: Mapping[tuple[Any, ...], Sequence[Record]], most: int) -> set[tuple[Any, ...]]:
    """Return the segments to mention: of many, those with verdicts that show something first."""
    kinds = {key: _KINDS.index(_kind(rows)) for key, rows in segments.items()}
    return {*sorted(kinds, key=lambda key: kinds[key])[:most]}


def _of_segment(name: str, records: Sequence[Record], counts: Collection[str]) -> Sentence:
    if len(records) > MOST_OF_A_SEGMENT:
        parts = ", ".join(
            f"{count:,} {word}" for word, count in Counter(row["verdict"] for row in records).most_common()
        )
    else:
        has_runs = len({record["run"] for record in records}) > 1
        parts = "; ".join(
            (f"{shown(record['run'])} " if has_runs else "")
            + f"{record['verdict']} in {shown(record['metric'])}"
            + _added(record, counts)
            for record in records
        )
    kind = _kind(records)
    return Sentence(kind, f"{name}{', mixed' if kind == 'mixed' else ''}: {parts}.{_note(records)}")


def _kind(records: Sequence[Record]) -> str:
    """Return the kind of a segment; contradicting verdicts of one run are ``mixed``."""
    words: dict[str, set[str]] = {}
    for record in records:
        words.setdefault(record["run"], set()).add(record["verdict"])
    if any({BETTER, WORSE} <= words_of_metric for words_of_metric in words.values()):
        return "mixed"
    kinds = {
        BETTER if word.startswith(NOT_WORSE) else word for words_of_metric in words.values() for word in words_of_metric
    }
    return next((word for word in (WORSE, BETTER) if word in kinds), "uncertain")


def _added(record: Record, counts: Collection[str]) -> str:
    """Return the difference in brackets, unless the verdict contains it."""
    if record["effect_size"] is None or record["verdict"] == NO_DIFFERENCE:
        return ""
    return f" ({_moved(record, record['metric'] in counts)})"


def describe_judged(judged: Mapping[str, float], k: int) -> list[str]:
    """Describe how many of the first items are judged: by run if they are few, else the lowest and highest share."""
    if not judged:
        return []
    lead = f"Of the top {k} items," if k > 1 else "Of the first items,"
    if len(judged) > MOST_OF_A_SEGMENT:
        least, most = (f"{int(100 * share)} %" for share in (min(judged.values()), max(judged.values())))
        return [f"{lead} {least} to {most} are judged, by run."]
    return [
        f"{lead} {int(100 * share)} % are judged{f' in {shown(name)}' if name else ''}."
        for name, share in judged.items()
    ]


def describe_losing(row: Record, text: str, level: str) -> Sentence:
    """Describe the first search, whose interval has the highest lower end of all."""
    if row["lost_lower"] <= 0:
        return Sentence("uncertain", "No search loses more clicks than chance explains.")
    interval = format_interval(row["lost_lower"], row["lost_upper"], format_clicks)
    lost, expected = (format_clicks(row[name]) for name in ("lost_clicks", "expected_clicks"))
    where = f"{level} {interval}, {row['requests']:,} requests"
    return Sentence("worse", f"{shown(row[text])} loses clicks most clearly: {lost} of {expected} expected ({where}).")


def how_to_list(text: str, n: int, confidence_level: float) -> str:
    """Return what to type for the searches that lose clicks, in Python and on the command line."""
    arguments = [json.dumps(text, ensure_ascii=False), f"n={n}"]
    options = ["--by", shlex.quote(text), "-n", f"{n}"]
    if confidence_level != known_options()["confidence_level"]["default"]:
        arguments.append(f"confidence_level={confidence_level:g}")
        options += ["--confidence-level", f"{confidence_level:g}"]
    python, command = f"rm.worst(log, {', '.join(arguments)})", f"rankmetrics worst {' '.join(options)}"
    return f"For more columns, call {python}, or run {command} with the same log."


def facts_of_losing(
    totals: Mapping[str, Record], n_rows: int, min_requests: int, share: float, *, has_arms: bool
) -> list[str]:
    """Return what lost clicks are, what they rest on, and how often chance alone makes some.

    Args:
        totals: how much is listed and how much is not, by the part, as ``Worst.totals`` has it.
        n_rows: how many searches the table has, of those that are listed.
        min_requests: searches with fewer requests are not listed.
        share: of the intervals that lie above 0 by chance.
        has_arms: whether the log has arms.
    """
    log = totals["log"]
    counted = [f"{log[name]:,} {name}" for name in ("requests", "impressions", "clicks")]
    n_groups = {part: row["n_groups"] for part, row in totals.items()}
    numbers = {
        f"with fewer than {min_requests} requests": n_groups[FEW],
        "further down": n_groups[BEYOND],
        "without a loss": n_groups[LISTED] - n_rows,
    }
    others = [f"{write_count([number], 'search', 'searches')} {why}" for why, number in numbers.items() if number]
    return [
        "Lost clicks are the clicks that the positions of a search let expect, less its clicks. An impression is"
        " expected to be clicked as often as all impressions of the log at its position.",
        f"The section counts the whole log: {', '.join(counted)}."
        + (" All arms count together, because they share the traffic." if has_arms else "")
        + (f" Not in the table: {', '.join(others)}." if others else ""),
        "Searches are ordered by the lower end of the interval, so rare searches do not lead. Even if all searches did"
        f" equally well, about {100 * share:.3g} % of the intervals would lie above 0 by chance.",
    ]


def _p(value: float | None, correction: str) -> str:
    if value is None:
        return "no p-value"
    text = format_pvalue(value)
    p_text = f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
    return f"{p_text} after correction" if correction != "none" else f"{p_text}, not corrected"


def _queries(record: Record, cluster: str | None = None) -> str:
    number, left_out = record["n_queries"], record.get("n_left_out") or 0
    some = "1 query" if number == 1 else f"{number:,} queries"
    if cluster is not None and record.get("n_clusters") is not None:
        some += f", {record['n_clusters']:,} values of {shown(cluster)}"
    return f"{some}, {left_out:,} left out" if left_out else some


def describe_missing(values: Sequence[Record], differences: Sequence[Record]) -> list[Sentence]:
    """Name the metrics that are not compared because no run has a value."""
    with_values = {row["metric"] for row in differences} | {row["metric"] for row in values if row["value"] is not None}
    missing = [name for name in dict.fromkeys(row["metric"] for row in values) if name not in with_values]
    if not missing:
        return []
    names = ", ".join(map(shown, missing[:MOST_SENTENCES]))
    more = f" and {len(missing) - MOST_SENTENCES:,} more metrics" if len(missing) > MOST_SENTENCES else ""
    return [Sentence("uncertain", f"No query has a value for {names}{more}.")]


def describe_values(records: Sequence[Record], counts: Collection[str], level: str) -> list[Sentence]:
    """Describe the values of a run without a comparison."""
    sentences = []
    for record in records[:MOST_SENTENCES]:
        is_count = record["metric"] in counts
        ends = record.get("ci_lower"), record.get("ci_upper")
        interval = format_interval(*ends, lambda value, is_count=is_count: format_value(value, is_count))  # type: ignore[misc]
        who = f"{shown(record['run_id'])}: " if "run_id" in record else ""
        value = format_value(record["value"], is_count)
        sentences.append(
            Sentence("note", f"{who}{shown(record['metric'])} is {value} ({level} {interval}, {_queries(record)}).")
        )
    if len(records) > MOST_SENTENCES:
        sentences.append(Sentence("note", "All values are in the table below."))
    return sentences

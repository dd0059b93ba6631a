"""Sentences below a comparison: how it was tested, what its verdicts rest on, and how intervals are titled."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

from ..definitions.verdicts import INCONCLUSIVE, NOT_SHOWN, interval_level
from ..errors import advise
from ..rows import Record
from .numbers import number_of_queries
from .power import describe_power
from .summary_rows import groups_of

# What people read for a value of the column `test` (with the design where that makes it another one) or of an option.
_TESTS = {
    "t": "paired t test",
    "t unpaired": "Welch's t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "mann_whitney": "Mann-Whitney U test",
    "brunner_munzel": "Brunner-Munzel test",
    "randomisation": "randomisation test",
    "bootstrap": "bootstrap test",
    "sequential": "sequential test",
}

_ALTERNATIVES = {
    "two_sided": "two-sided",
    "greater": "one-sided (candidate greater)",
    "less": "one-sided (candidate less)",
    "equivalence": "two one-sided tests (equivalence)",
}

_CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}

_FAMILIES = {"all": "over {}", "metric": "within each metric", "group": "within each group"}

_SETTINGS = {
    "margin": "margin {}",
    "weight": "weighted by {}",
    "cluster": "clusters by {}",
    "covariate": "effects adjusted by {}",
    "strata": "effects within strata of {}",
    "power": "power {}",
}

_MOST_REASONS = 4  # below a table

_DRAWN = ("randomisation", "bootstrap")


def level_title(options: Mapping[str, Any]) -> str:
    """Return the title of the column of intervals."""
    return f"{'corrected ' if _has_corrected_intervals(options) else ''}{100 * interval_level(options):g}% interval"


def facts_of(
    records: Sequence[Record], options: Mapping[str, Any], counts: Collection[str] = (), notes: Sequence[str] = ()
) -> list[str]:
    """Return the sentences below a comparison: reasons, the size of effect that it finds, and notes."""
    facts = [_uncorrected(records, options), describe_power(records, options, counts)]
    return [*reasons_of(records), *filter(None, facts), *notes]


def _uncorrected(records: Sequence[Record], options: Mapping[str, Any]) -> str:
    """Explain why an interval may exclude 0 beside an inconclusive verdict: only p-values are corrected."""
    if options["correction"] == "none" or _has_corrected_intervals(options):
        return ""
    chance = round(1 - float(options["confidence_level"]), 12)
    number = sum(
        record["verdict"] in (INCONCLUSIVE, NOT_SHOWN)
        and record.get("pvalue") is not None
        and record["pvalue"] <= chance < record["pvalue_adj"]
        and not record["effect_size_ci_lower"] is record["effect_size_ci_upper"] is None
        for record in records
    )
    if not number:
        return ""
    value = "what is tested" if options.get("margin") or options.get("limits") else "0"
    some = "1 interval excludes" if number == 1 else f"{number:,} intervals exclude"
    word = NOT_SHOWN if options.get("margin") else INCONCLUSIVE
    why = f"{some} {value} beside {word}: p is corrected for all tests, and intervals are not."
    if options["family"] == "metric":
        return why
    return f"{why} For one main metric, chosen before you looked, pass {advise('option', 'family', 'metric')}."


def reasons_of(records: Sequence[Record]) -> list[str]:
    """Return the distinct reasons of the rows as sentences, with their groups of queries."""
    groups = groups_of(records)
    reasons: dict[tuple[str, str], None] = {}
    parts: set[tuple[str, str]] = set()  # "A; B." says what "A." says
    for record in records:
        if record.get("reason"):
            where = ", ".join(f"{name} {record[name]}" for name in groups)
            reasons[where, record["reason"]] = None
            several = record["reason"].split("; ")
            parts |= {
                (where, "; ".join(several[first:last]))
                for first, last in combinations(range(len(several) + 1), 2)
                if last - first < len(several)
            }
    longest = [
        f"{where}: {why}." if where else f"{capitalised(why)}." for where, why in reasons if (where, why) not in parts
    ]
    first_reasons = longest[:_MOST_REASONS]
    return first_reasons + (
        [f"{len(longest) - len(first_reasons):,} more are in the column reason."]
        if len(longest) > len(first_reasons)
        else []
    )


def describe_test(records: Sequence[Record], options: Mapping[str, Any]) -> str:
    """Return one line on what was tested, and how."""
    return ", ".join(
        [
            _tests(records, options),
            _ALTERNATIVES.get(str(options["alternative"]), str(options["alternative"])),
            *(template.format(options[name]) for name, template in _SETTINGS.items() if options.get(name)),
            *([f"{options['resamples']:,} draws"] if _draws(records, options) else []),
            *_limits(options.get("limits") or {}),
            *_caps(records),
            *(["BCa intervals"] if options.get("bootstrap_interval") == "bca" else []),
            *(["linear relative intervals"] if options.get("relative_interval") == "linear" else []),
            _corrected(records, options),
            *([] if _is_alone(records) else [_number(records), _mark(options)]),
        ]
    )


def capitalised(text: str) -> str:
    """Return the text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def _number(records: Sequence[Record]) -> str:
    left_out = max((record.get("n_left_out") or 0 for record in records), default=0)
    n_human = max((record.get("n_human") or 0 for record in records), default=0)
    by_people = [f"{n_human:,} judged by people"] if n_human else []
    more = ", ".join([*by_people, *([f"{left_out:,} left out"] if left_out else [])])
    return number_of_queries(records) + (f" ({more})" if more else "")


def _is_alone(records: Sequence[Record]) -> bool:
    """Return whether there is only one query, so that no test is possible."""
    return all(record["n_queries"] == 1 and record.get("pvalue") is None for record in records)


def _limits(limits: Mapping[str, float]) -> list[str]:
    """Describe the limits that the metrics are tested against, if losses are allowed."""
    if len(set(limits.values())) > 1:
        return ["against losses of " + ", ".join(f"{limit:g} ({metric})" for metric, limit in limits.items())]
    return [f"against a loss of {limit:g}" for limit in set(limits.values())]


def _mark(options: Mapping[str, Any]) -> str:
    """Explain the asterisk."""
    level = f"p at most {1 - float(options['confidence_level']):.4g}"
    if not options.get("margin"):
        return f"* {level}"
    if options["alternative"] == "equivalence":
        return f"* within {options['margin']:g}, {level}"
    side = "higher" if options["alternative"] == "less" else "lower"
    return f"* not {side} by more than {options['margin']:g}, {level}"


def _tests(records: Sequence[Record], options: Mapping[str, Any]) -> str:
    """Return the names of the tests that gave p-values."""
    tested = [record for record in records if record.get("pvalue") is not None] or records
    names = dict.fromkeys(str(record.get("test", "t")) for record in tested)
    tests = " and ".join(_TESTS.get(f"{test} {options['design']}", _TESTS.get(test, test)) for test in names)
    methods = _methods(records)
    return f"{tests} ({'exact' if methods == {'exact'} else 'partly exact'})" if "exact" in methods else tests


def _methods(records: Sequence[Record]) -> set[str]:
    """Name the methods behind the p-values, for a test with several."""
    return {record["method"] for record in records if record.get("pvalue") is not None and "method" in record}


def _draws(records: Sequence[Record], options: Mapping[str, Any]) -> bool:
    """Return whether a p-value comes from resampling."""
    return options.get("test") in _DRAWN and _methods(records) != {"exact"}


def _corrected(records: Sequence[Record], options: Mapping[str, Any]) -> str:
    correction, family = str(options["correction"]), str(options["family"])
    if correction == "none":
        return "p not corrected"
    number = sum(record.get("pvalue") is not None for record in records)
    if not number:
        return "no test: one query" if _is_alone(records) else "no p-value"
    where = _FAMILIES.get(family, family).format("1 test" if number == 1 else f"all {number:,} tests")
    what = "p and intervals" if _has_corrected_intervals(options) else "p"
    return f"{what} corrected {where} ({_CORRECTIONS.get(correction, correction)})"


def _has_corrected_intervals(options: Mapping[str, Any]) -> bool:
    """Return whether intervals use the level of the correction."""
    return options.get("interval_level") == "corrected"


def _caps(records: Sequence[Record]) -> list[str]:
    """Return the caps of values, if any."""
    caps = {record["metric"]: record["cap"] for record in records if record.get("cap") is not None}
    return [f"{metric} capped at {cap:.6g}" for metric, cap in caps.items()]

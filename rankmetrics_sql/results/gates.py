"""Conditions that fail a command, such as ``ndcg@10 < -0.01`` or ``top: ap worse by 0.005``, which has a name."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..definitions.resolution import ResolvedMetric
from ..definitions.verdicts import BETTER, BETTER_BY, NO_TEST, NOT_WORSE, WORSE
from ..errors import DataError, RankmetricsError, UsageError, nearest, shortened
from ..rows import Record
from .summary_rows import groups_of

# A name ends at the first colon; a metric that has one has it in parentheses.
_NAMED = r"\s*(?P<name>[^:()<>=]*[^:()<>=\s])\s*:\s*(?P<condition>.*)"
_COMPARED = r"(?P<metric>.+?)\s*(?P<operator><=|>=|<|>)\s*(?P<number>\S+)"
_TESTED = r"(?i)(?P<metric>.+?)(?<!\snot)\s+(?P<holds>not\s+worse|worse|better)(?:\s+by\s+(?P<number>\S+(?:\s+%)?))?"
_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_FORMS = {
    "--fail-if": "METRIC < NUMBER (also <=, >, >=) compares {what} with a number{tested}",
    "--fail-unless": "METRIC >= NUMBER (also <=, <, >) compares {what} with a number{tested}",
}


@dataclass(frozen=True)
class Check:
    """What a condition compared in one row of a result.

    Attributes:
        record: the row, with the run and groups; of a run without judged items only the run.
        passed: whether the row lets the command succeed.
        message: the numbers, in a sentence.
    """

    record: Record
    passed: bool
    message: str


@dataclass(frozen=True)
class Outcome:
    """What became of a condition.

    Attributes:
        option: ``--fail-if`` or ``--fail-unless``.
        text: the condition as the user typed it, with its name.
        checks: what it compared, row by row.
        error: why it could not be decided, or None.
    """

    option: str
    text: str
    checks: Sequence[Check] = ()
    error: RankmetricsError | None = None

    @property
    def failures(self) -> list[str]:
        """Return a line for each row that fails."""
        return [f"{self.text}: {check.message}" for check in self.checks if not check.passed]

    @property
    def word(self) -> str:
        """Return the outcome: ``passed``, ``failed`` or ``error``."""
        return "error" if self.error is not None else "failed" if self.failures else "passed"


def split_name(text: str) -> tuple[str | None, str]:
    """Split the text of a condition into its name, or None, and what it asks for."""
    match = re.fullmatch(_NAMED, text, re.DOTALL)
    return (match["name"], match["condition"].strip()) if match else (None, text.strip())


@dataclass(frozen=True)
class Gate:
    """A condition on each row of a result.

    Attributes:
        option: ``--fail-if`` or ``--fail-unless``.
        text: as the user typed it.
        metric: the label of the metric.
        holds: whether the condition holds for a number; None where a test says so.
        limit: by how much the metric may be worse, where a test says whether it is; below 0 by how much it has to be
            better.
        is_share: whether that is a share of the baseline's value.
        test: the metric of that test: the label, with a number where another condition tests the metric, too.
        verdict: how that begins which the test has to say for the condition to hold.
        reads_judgments: whether the metric does, so that a run without a judged item fails the condition.
    """

    option: str
    text: str
    metric: str
    holds: Callable[[float], bool] | None = None
    limit: float | None = None
    is_share: bool = False
    test: str = ""
    verdict: str = WORSE
    reads_judgments: bool = True

    def outcome(self, records: Sequence[Record], unjudged: Sequence[str] = ()) -> Outcome:
        """Return what became of the condition; an error if a row cannot decide it."""
        try:
            return Outcome(self.option, self.text, self.checks(records, unjudged))
        except DataError as error:
            return Outcome(self.option, self.text, error=error)

    def checks(self, records: Sequence[Record], unjudged: Sequence[str] = ()) -> list[Check]:
        """Check each row; runs without judged items always fail."""
        if unjudged and self.reads_judgments:
            why = "retrieved no judged item, so its value means nothing. Check the item ids."
            return [Check({"run": run}, passed=False, message=f"{run} {why}") for run in unjudged]
        of_metric = [record for record in records if record["metric"] == (self.test or self.metric)]
        if not of_metric:
            raise DataError(f"{self._name}: {self.metric} has no value.")
        return list(map(self._check, of_metric))

    @property
    def tested(self) -> tuple[float | None, bool]:
        """Return the limit, and whether it is a share of the baseline."""
        return self.limit, self.is_share

    @property
    def _name(self) -> str:
        return f"{self.option} {self.text!r}"

    def _check(self, record: Record) -> Check:
        """Check a row."""
        where, effect = _where(record), record["effect_size" if "effect_size" in record else "value"]
        if effect is None:
            raise DataError(f"{self._name}: {where} has no value.")
        if self.is_share and not record["baseline"] > 0:
            is_less = f"{self.metric} of {record['baseline_run']} is {record['baseline']:.4g}"
            raise DataError(
                f"{self._name}: {is_less}, and a margin in % needs a baseline above 0. Pass a margin without %."
            )
        holds = self._is_shown(record, where) if self.holds is None else self.holds(effect)
        passed = holds == (self.option == "--fail-unless")
        result = "" if self.holds is not None else self._test_result(record, holds)
        reason = f"; {record['reason']}" if record.get("reason") else ""
        what = f"is {effect:.4g}"
        if "effect_size" in record:
            share = f" ({record['rel_effect_size']:+.1%})" if self.is_share else ""
            what = f"differs from {record['baseline_run']} by {effect:+.4g}{share}"
        if self.holds is not None:  # the table's test is not that of the condition
            record = {name: value for name, value in record.items() if name not in ("verdict", "pvalue_adj")}
        return Check(record, passed, f"{where} {what}{result}{reason}.")

    def _is_shown(self, record: Record, where: str) -> bool:
        """Return whether the test shows what the condition names."""
        if record["verdict"] == NO_TEST and self.option == "--fail-if":
            verdict = BETTER if self.verdict == BETTER_BY else WORSE
            raise DataError(f"{self._name}: no test says whether {where} is {verdict} ({record['n_queries']} queries).")
        return bool(record["verdict"].startswith(self.verdict))

    def _test_result(self, record: Record, holds: bool) -> str:
        """Return the verdict, unless it is the condition itself, and the p-value."""
        verdict = "" if holds and self.option == "--fail-if" else f": {record['verdict']}"
        pvalue = record["pvalue_adj"]
        return verdict + ("" if pvalue is None else f", p {pvalue:.4g} after correction")


def read_gates(
    conditions: Sequence[tuple[str, str]], metrics: Sequence[ResolvedMetric], compares: bool = True
) -> list[Gate]:
    """Parse conditions, each given with its option."""
    names = [name for _, text in conditions for name, _ in [split_name(text)] if name is not None]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise UsageError(f"Two conditions are called {name!r}. Give each another name.")
    gates = [_read(option, text, metrics, compares) for option, text in conditions]
    limits: dict[str, list[tuple[float | None, bool]]] = {}
    for gate in gates:
        of_metric = limits.setdefault(gate.metric, [])
        if gate.limit is not None and gate.tested not in of_metric:
            of_metric.append(gate.tested)
    return [
        gate if gate.limit is None else replace(gate, test=_test(gate.metric, limits[gate.metric].index(gate.tested)))
        for gate in gates
    ]


def _test(metric: str, place: int) -> str:
    """Return the name of the test of a metric against the limit at a place."""
    return f"{metric} [{place + 1}]" if place else metric


def _read(option: str, text: str, metrics: Sequence[ResolvedMetric], compares: bool) -> Gate:
    """Parse a condition."""
    _, condition = split_name(text)
    compared = re.fullmatch(_COMPARED, condition)
    tested = re.fullmatch(_TESTED, condition) if compares and compared is None else None
    match = compared or tested
    if match is None:
        of_test = (
            ", METRIC worse [by MARGIN], METRIC not worse [by MARGIN] or METRIC better [by MARGIN] asks a test,"
            " a MARGIN being 0.01 or 5%"
            if compares
            else ""
        )
        form = _FORMS[option].format(what="the effect" if compares else "the value", tested=of_test)
        raise UsageError(f"{option}: cannot understand {shortened(text)}. {form}.")
    metric = _metric(option, match["metric"], metrics)
    reads = metric.reads_judgments
    if compared is not None:
        number, compare = _number(option, match["number"], text), _OPERATORS[match["operator"]]
        return Gate(option, text, metric.label, lambda value: compare(value, number), reads_judgments=reads)
    amount = match["number"] or "0"
    margin = _number(option, amount.removesuffix("%").strip(), text)
    if margin < 0:
        raise UsageError(f"{option} {text!r}: a margin is at least 0.")
    is_share = amount.endswith("%") and margin > 0
    limit, verdict = _tested(match["holds"].lower(), margin / 100 if is_share else margin)
    return Gate(option, text, metric.label, limit=limit, is_share=is_share, verdict=verdict, reads_judgments=reads)


def _tested(word: str, margin: float) -> tuple[float, str]:
    """Return the limit of a test and the verdict that fulfils the condition."""
    if word == BETTER and margin:
        return -margin, BETTER_BY
    return margin, WORSE if word == WORSE else NOT_WORSE


def _metric(option: str, name: str, metrics: Sequence[ResolvedMetric]) -> ResolvedMetric:
    labels = {metric.label.lower(): metric for metric in metrics}
    if name.lower() not in labels:
        spelt = [metric.label for metric in metrics]
        raise UsageError(f"{option}: {name!r} is not one of the metrics. {nearest(name, spelt)}")
    return labels[name.lower()]


def _number(option: str, digits: str, text: str) -> float:
    try:
        number = float(digits)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{option} {text!r}: {digits!r} is not a number.")
    return number


def _where(record: Record) -> str:
    """Return the run and the group of a row."""
    pairs = ", ".join(f"{name}={record[name]}" for name in groups_of([dict(record)]))
    run = record["run" if "run" in record else "run_id"]
    return f"{run} ({pairs})" if pairs else str(run)

"""Conditions that fail a command, such as ``ndcg@10 < -0.01`` or ``ap worse by 0.005``."""

from __future__ import annotations

import math
import operator
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..definitions.resolution import ResolvedMetric
from ..definitions.verdicts import BETTER, BETTER_BY, NO_TEST, NOT_WORSE, WORSE
from ..errors import DataError, UsageError, nearest, shortened
from ..rows import Record
from .summary_rows import groups_of

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

    def failures(self, records: Sequence[Record], unjudged: Sequence[str] = ()) -> list[str]:
        """Return a line for each row that fails; runs without judged items always fail."""
        if unjudged and self.reads_judgments:
            why = "retrieved no judged item, so its value says nothing. Check the item ids"
            return [f"{self.text}: {run} {why}." for run in unjudged]
        of_metric = [record for record in records if record["metric"] == (self.test or self.metric)]
        if not of_metric:
            raise DataError(f"{self._name}: {self.metric} has no value.")
        return [line for record in of_metric for line in [self._failure(record)] if line]

    @property
    def tested(self) -> tuple[float | None, bool]:
        """Return the limit, and whether it is a share of the baseline."""
        return self.limit, self.is_share

    @property
    def _name(self) -> str:
        return f"{self.option} {self.text!r}"

    def _failure(self, record: Record) -> str | None:
        """Return why a row fails the gate, or None if it passes."""
        where, effect = _where(record), record["effect_size" if "effect_size" in record else "value"]
        if effect is None:
            raise DataError(f"{self._name}: {where} has no value.")
        if self.is_share and not record["baseline"] > 0:
            is_less = f"{self.metric} of {record['baseline_run']} is {record['baseline']:.4g}"
            raise DataError(
                f"{self._name}: {is_less}, and a margin in % needs a baseline above 0. Pass a margin without %."
            )
        if self.holds is not None:
            holds, level = self.holds(effect), ""
        else:
            if record["verdict"] == NO_TEST and self.option == "--fail-if":
                verdict = BETTER if self.verdict == BETTER_BY else WORSE
                n_queries = record["n_queries"]
                raise DataError(f"{self._name}: no test says whether {where} is {verdict} ({n_queries} queries).")
            holds = record["verdict"].startswith(self.verdict)
            pvalue = record["pvalue_adj"]
            level = "" if self.option == "--fail-if" else f", which is {record['verdict']}"
            level += "" if pvalue is None else f", p {pvalue:.4g} after correction"
        if holds == (self.option == "--fail-unless"):
            return None
        reason = f"; {record['reason']}" if record.get("reason") else ""
        what = f"is {effect:.4g}"
        if "effect_size" in record:
            share = f" ({record['rel_effect_size']:+.1%})" if self.is_share else ""
            what = f"differs from {record['baseline_run']} by {effect:+.4g}{share}"
        return f"{self.text}: {where} {what}{level}{reason}."


def read_gates(
    conditions: Sequence[tuple[str, str]], metrics: Sequence[ResolvedMetric], compares: bool = True
) -> list[Gate]:
    """Parse conditions, each given with its option."""
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
    compared = re.fullmatch(_COMPARED, text.strip())
    tested = re.fullmatch(_TESTED, text.strip()) if compares and compared is None else None
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


def junit(command: str, outcomes: Sequence[tuple[Gate, Sequence[str]]]) -> str:
    """Return the outcomes of conditions as JUnit's XML: one test case each."""
    n_failed = sum(bool(lines) for _, lines in outcomes)
    suite = ET.Element("testsuite", name=command, tests=str(len(outcomes)), failures=str(n_failed))
    for gate, lines in outcomes:
        case = ET.SubElement(suite, "testcase", classname=command, name=f"{gate.option} {gate.text}")
        if lines:
            ET.SubElement(case, "failure", message=lines[0]).text = "\n".join(lines)
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


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

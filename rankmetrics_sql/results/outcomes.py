"""What became of conditions, as JUnit's XML, JSON and Markdown."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from ..rows import Record
from .formats import finite, lay_out
from .gates import Check, Outcome, split_name
from .summary_rows import groups_of
from .text_tables import BREAKS, Block, Cell, Grid

_NUMBERS = ("baseline", "candidate", "value", "effect_size", "verdict", "pvalue_adj")
# What XML 1.0 cannot hold, or no parser keeps.
_NOT_IN_XML = rf"{BREAKS}|[\ud800-\udfff\ufffe\uffff]"


def junit(command: str, outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes as JUnit's XML: one test case each, called as the user calls the condition."""
    n_failed, n_errors = (sum(outcome.word == word for outcome in outcomes) for word in ("failed", "error"))
    suite = ET.Element("testsuite", name=command, tests=str(len(outcomes)), failures=str(n_failed))
    suite.set("errors", str(n_errors))
    for outcome in outcomes:
        name = split_name(outcome.text)[0] or _condition(outcome)
        case = ET.SubElement(suite, "testcase", classname=command, name=_in_xml(name))
        if outcome.error is not None:
            ET.SubElement(case, "error", message=_in_xml(str(outcome.error)), type=type(outcome.error).__name__)
        elif outcome.failures:
            lines = list(map(_in_xml, outcome.failures))
            ET.SubElement(case, "failure", message=lines[0]).text = "\n".join(lines)
        else:
            ET.SubElement(case, "system-out").text = "\n".join(_in_xml(check.message) for check in outcome.checks)
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def as_json(outcomes: Sequence[Outcome]) -> str:
    """Return a list with an object for each condition."""
    return json.dumps(list(map(_object, outcomes)), ensure_ascii=False, indent=1, default=str) + "\n"


def markdown(outcomes: Sequence[Outcome]) -> str:
    """Return a table with a row for each comparison of a condition."""
    rows = [
        [Cell(word, is_best=word != "passed"), Cell(_condition(outcome)), Cell(message)]
        for outcome in outcomes
        for word, message in _compared(outcome)
    ]
    return lay_out(Grid(["outcome", "condition", "compared"], [Block("", rows)]), "markdown")


def _condition(outcome: Outcome) -> str:
    return f"{outcome.option} {outcome.text}" if outcome.option else outcome.text


def _compared(outcome: Outcome) -> list[tuple[str, str]]:
    """Return an outcome and a sentence for each row that the condition compared."""
    if outcome.error is not None:
        return [(outcome.word, str(outcome.error))]
    return [(_word(check), check.message) for check in outcome.checks]


def _word(check: Check) -> str:
    return "passed" if check.passed else "failed"


def _object(outcome: Outcome) -> Record:
    name, condition = split_name(outcome.text)
    return {
        "name": name,
        "option": outcome.option,
        "condition": condition,
        "outcome": outcome.word,
        "error": None if outcome.error is None else str(outcome.error),
        "compared": list(map(_row, outcome.checks)),
    }


def _row(check: Check) -> Record:
    """Return what names the row, its numbers and the outcome."""
    record = check.record
    keys = ["run", "run_id", "baseline_run", *(groups_of([record]) if "metric" in record else [])]
    values = {name: record[name] for name in (*keys, *_NUMBERS) if name in record}
    return {**finite(values), "outcome": _word(check), "message": check.message}


def _in_xml(text: str) -> str:
    return re.sub(_NOT_IN_XML, lambda match: match[0].encode("unicode_escape").decode(), text)

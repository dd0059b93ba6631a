"""The rules of ``sql/refusals.toml``: read, checked, and written as the macro that both Python and dbt ask."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankmetrics_sql.definitions.catalogue import NEEDS, metrics, options, unknown
from rankmetrics_sql.definitions.known import LIMITS
from rankmetrics_sql.errors import DataError, shortened
from rankmetrics_sql.root import sql_root

_KEYS = ("of", "when", "message")

# What a fact must be: "is" and "not" some words, "min", "max", "above" and "below" a number or another fact.
Test = Mapping[str, Any]


@dataclass(frozen=True)
class Refusal:
    """A rule.

    Attributes:
        of: when it is asked.
        when: tests by fact; one of these mappings must be met, in all its tests.
        message: the sentence, with facts and arguments in braces.
    """

    of: str
    when: tuple[Mapping[str, Test], ...]
    message: str


def refusals() -> Mapping[str, Any]:
    """Return the content of ``refusals.toml``, with each rule as a ``Refusal``."""
    content = tomllib.loads((sql_root() / "refusals.toml").read_text(encoding="utf-8"))
    return content | {"refusal": [_refusal(**rule) for rule in content["refusal"]]}


def _refusal(of: str, when: Any, message: str) -> Refusal:
    conditions = when if isinstance(when, list) else [when]
    return Refusal(
        of, tuple({fact: _test(value) for fact, value in condition.items()} for condition in conditions), message
    )


def _test(value: Any) -> Test:
    test = value if isinstance(value, Mapping) else {"is": value}
    return {how: expected if how in LIMITS else _words(expected) for how, expected in test.items()}


def _words(value: Any) -> list[str]:
    """Return the words that a fact is compared with: none for no value, true, 10, best."""
    return [str(word).lower() for word in (value if isinstance(value, list) else [value])]


def refusal_records() -> dict[str, list[Any]]:
    """Return the rules of each time as ``rm_refusal`` reads them: conditions of tests, and the pieces of a message.

    A test is a fact, how it is compared, and with what. Every second piece of a message is a fact or an argument.
    """
    content = refusals()
    records: dict[str, list[Any]] = {of: [] for of in content["of"]}
    for rule in content["refusal"]:
        conditions = [_tests(condition, content["lists"]) for condition in rule.when]
        records[rule.of].append([conditions, re.split(r"{(\w+)}", rule.message)])
    return records


def _tests(condition: Mapping[str, Test], lists: Collection[str]) -> list[Any]:
    """Return the first test (of words, if any is) and the others. A list ``has`` one of the words, or ``lacks`` all."""
    of_lists = {"is": "has", "not": "lacks"}
    tests = [
        [fact, of_lists.get(how, how) if fact in lists else how, expected]
        for fact, test in condition.items()
        for how, expected in test.items()
    ]
    first, *others = sorted(tests, key=lambda test: test[1] not in of_lists)
    return [*first, others]


def check_refusals(path: Path) -> None:
    """Raise DataError if ``refusals.toml`` is not TOML, or a rule has an unknown key, fact, value or placeholder."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}: no TOML: {error}.") from None
    for number, rule in enumerate(content["refusal"], start=1):
        for problem in _problems(rule, content):
            sentence = shortened(rule.get("message", ""))
            raise DataError(f"{path}: refusal {number}, {sentence}: {problem}")


def _problems(rule: Mapping[str, Any], content: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a rule, the first problem first."""
    yield from unknown("key", rule, _KEYS)
    yield from (f"{key} is missing." for key in _KEYS if not rule.get(key))
    yield from unknown("of", [rule["of"]], content["of"])
    facts = facts_of(content, rule["of"])
    for condition in rule["when"] if isinstance(rule["when"], list) else [rule["when"]]:
        yield from unknown("fact in when", condition, facts)
        for fact, value in condition.items():
            yield from _test_problems(fact, value if isinstance(value, Mapping) else {"is": value}, facts)
    yield from unknown("placeholder in message", re.findall(r"{(\w*)}", rule["message"]), facts)
    if not rule["message"].endswith("."):
        yield "the message is no sentence."


def _test_problems(fact: str, test: Mapping[str, Any], facts: Mapping[str, Collection[str]]) -> Iterator[str]:
    yield from unknown(f"test of {fact}", test, ("is", "not", *LIMITS))
    for kind, expected in test.items():
        if kind not in LIMITS:
            words = _words(expected)
            yield from unknown(f"value of {fact}", words, facts[fact] or words)
        elif isinstance(expected, str):
            yield from unknown(f"fact in {kind} of {fact}", [expected], facts)


def facts_of(content: Mapping[str, Any], of: str) -> dict[str, Collection[str]]:
    """Return the facts that a key of ``of`` has, each with its values, if they are listed."""
    values_by_fact: dict[str, Collection[str]] = {}
    for kind in content["of"][of]:
        scopes = {"metric": ("metric", "ranking", "summary"), "inputs": ("evaluation",)}.get(kind, ())
        parameters = [
            *options().values(),
            *(parameter for metric in metrics().values() for parameter in metric.params.values()),
        ]
        for parameter in parameters:
            if parameter.scope in scopes or (kind == "metric" and not parameter.scope):
                words = {*map(str, parameter.values), "none"} if parameter.values and not parameter.limits else ()
                values_by_fact[parameter.name] = {*values_by_fact.get(parameter.name, ()), *words}
        for name, text in content["facts"][kind].items():
            values_by_fact[name] = ("true", "false") if text.startswith("whether") else ()
    if "takes" in values_by_fact:
        return values_by_fact | {"takes": list(values_by_fact), "needs": NEEDS}
    return values_by_fact

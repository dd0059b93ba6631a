"""The rules of ``sql/refusals.toml``: read, checked, and written as the macro that both Python and dbt ask."""

from __future__ import annotations

import json
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

_NOTICE = "{#- Generated from refusals.toml by `python -m dev.generate`. -#}"
_KEYS = ("of", "when", "message")
_COMPARISONS = {"min": ">=", "max": "<=", "above": ">", "below": "<"}

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


def refusal_macros() -> str:
    """Return a macro with the rules as conditions, and macros from dbt's arguments to Python's names of them."""
    content = refusals()
    lines = [_NOTICE, "\n{% macro rm_refusal(of, known) %}"]
    for number, of in enumerate(content["of"]):
        rules = [rule for rule in content["refusal"] if rule.of == of]
        lines += [f"{{%- {'el' if number else ''}if of == '{of}' -%}}", *_set_facts(rules, content["lists"])]
        lines += [line for rule in rules for line in _rule(rule, content)]
    lines += ["{%- endif -%}", "{{ return(none) }}", "{% endmacro %}"]
    lines += ["\n{% macro rm_python_arguments() %}", "{{ return({"]
    lines += [f"    '{dbt_name}': {_literal(python_name)}," for dbt_name, python_name in content["arguments"].items()]
    lines += ["}) }}", "{% endmacro %}"]
    lines += ["\n{#- What dbt calls them, as its macros take columns by their meanings, too. -#}"]
    lines += ["{% macro rm_dbt_arguments() %}", "{{ return({"]
    lines += [
        f"    '{dbt_name}': {_literal(python_name)},"
        for dbt_name, python_name in content["arguments"].items()
        if python_name.startswith("columns=")
    ]
    return "\n".join([*lines, "}) }}", "{% endmacro %}", ""])


def _set_facts(rules: list[Refusal], lists: Collection[str]) -> Iterator[str]:
    """Yield a variable for each fact that is compared with words: a word, or a list of words."""
    tests = [
        (fact, how) for rule in rules for condition in rule.when for fact, test in condition.items() for how in test
    ]
    for fact in dict.fromkeys(fact for fact, how in tests if how not in LIMITS):
        value = f"known.get('{fact}')"
        yield f"    {{%- set {fact} = {f'{value} or []' if fact in lists else f'{value} | string | lower'} -%}}"


def _rule(rule: Refusal, content: Mapping[str, Any]) -> Iterator[str]:
    conditions = [
        " and ".join(_condition(fact, test, content) for fact, test in condition.items()) for condition in rule.when
    ]
    first, *rest = conditions if len(conditions) == 1 else [f"({condition})" for condition in conditions]
    yield f"    {{%- if {first}" + "".join(f"\n        or {condition}" for condition in rest) + " -%}"
    pieces = re.split(r"{(\w+)}", rule.message)
    texts = [_literal(piece) if number % 2 == 0 else _value(piece, content) for number, piece in enumerate(pieces)]
    yield f"        {{{{ return({' ~ '.join(text for text in texts if text != _literal(''))}) }}}}"
    yield "    {%- endif -%}"


def _value(name: str, content: Mapping[str, Any]) -> str:
    """Return a placeholder's value: the fact, or dbt's name of an argument if no other name is given."""
    return f"known.get('{name}', '{name}')" if name in content["arguments"] else f"known.get('{name}')"


def _condition(fact: str, test: Test, content: Mapping[str, Any]) -> str:
    return " and ".join(_comparison(fact, how, expected, content) for how, expected in test.items())


def _comparison(fact: str, how: str, expected: Any, content: Mapping[str, Any]) -> str:
    if how in LIMITS:
        number = f"known.get('{fact}')"
        limit = f"known.get('{expected}')" if isinstance(expected, str) else str(expected)
        are_numbers = [f"{operand} is number" for operand in (number, limit) if operand.startswith("known")]
        return " and ".join([*are_numbers, f"{number} {_COMPARISONS[how]} {limit}"])
    is_negated = how == "not"
    if fact in content["lists"]:
        tests = [f"{_literal(word)} {'not ' if is_negated else ''}in {fact}" for word in expected]
        text = f" {'and' if is_negated else 'or'} ".join(tests)
        return f"({text})" if len(tests) > 1 and not is_negated else text
    if len(expected) == 1:
        return f"{fact} {'!=' if is_negated else '=='} {_literal(expected[0])}"
    return f"{fact} {'not ' if is_negated else ''}in [{', '.join(map(_literal, expected))}]"


def _literal(text: str) -> str:
    """Return a string literal of Jinja, in quotes that the text does not have."""
    return json.dumps(text, ensure_ascii=False) if "'" in text else f"'{text}'"


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
    yield from unknown(
        "placeholder in message", re.findall(r"{(\w*)}", rule["message"]), [*facts, *content["arguments"]]
    )
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

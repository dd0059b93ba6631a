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
    """The whole file, its rules as ``Refusal``."""
    known = tomllib.loads((sql_root() / "refusals.toml").read_text(encoding="utf-8"))
    return known | {"refusal": [_refusal(**rule) for rule in known["refusal"]]}


def _refusal(of: str, when: Any, message: str) -> Refusal:
    conditions = when if isinstance(when, list) else [when]
    return Refusal(of, tuple({fact: _test(given) for fact, given in one.items()} for one in conditions), message)


def _test(given: Any) -> Test:
    test = given if isinstance(given, Mapping) else {"is": given}
    return {how: wanted if how in LIMITS else _words(wanted) for how, wanted in test.items()}


def _words(value: Any) -> list[str]:
    """What a fact is compared with: none for no value, true, 10, best."""
    return [str(word).lower() for word in (value if isinstance(value, list) else [value])]


def refusal_macros() -> str:
    """The rules as conditions of one macro, by when they are asked; and what Python calls dbt's arguments."""
    known = refusals()
    lines = [_NOTICE, "\n{% macro rm_refusal(of, known) %}"]
    for number, of in enumerate(known["of"]):
        rules = [rule for rule in known["refusal"] if rule.of == of]
        lines += [f"{{%- {'el' if number else ''}if of == '{of}' -%}}", *_facts_read(rules, known["lists"])]
        lines += [line for rule in rules for line in _rule(rule, known)]
    lines += ["{%- endif -%}", "{{ return(none) }}", "{% endmacro %}"]
    lines += ["\n{% macro rm_python_arguments() %}", "{{ return({"]
    lines += [f"    '{theirs}': {_literal(ours)}," for theirs, ours in known["arguments"].items()]
    lines += ["}) }}", "{% endmacro %}"]
    lines += ["\n{#- What dbt calls them, as its macros take columns by their meanings, too. -#}"]
    lines += ["{% macro rm_dbt_arguments() %}", "{{ return({"]
    lines += [
        f"    '{theirs}': {_literal(ours)},"
        for theirs, ours in known["arguments"].items()
        if ours.startswith("columns=")
    ]
    return "\n".join([*lines, "}) }}", "{% endmacro %}", ""])


def _facts_read(rules: list[Refusal], lists: Collection[str]) -> Iterator[str]:
    """A variable for each fact that is compared with words, as a word itself, unless it is a list of them."""
    tests = [(fact, how) for rule in rules for one in rule.when for fact, test in one.items() for how in test]
    for fact in dict.fromkeys(fact for fact, how in tests if how not in LIMITS):
        value = f"known.get('{fact}')"
        yield f"    {{%- set {fact} = {f'{value} or []' if fact in lists else f'{value} | string | lower'} -%}}"


def _rule(rule: Refusal, known: Mapping[str, Any]) -> Iterator[str]:
    every = [" and ".join(_condition(fact, test, known) for fact, test in one.items()) for one in rule.when]
    first, *others = every if len(every) == 1 else [f"({one})" for one in every]
    yield f"    {{%- if {first}" + "".join(f"\n        or {one}" for one in others) + " -%}"
    pieces = re.split(r"{(\w+)}", rule.message)
    texts = [_literal(piece) if number % 2 == 0 else _value(piece, known) for number, piece in enumerate(pieces)]
    yield f"        {{{{ return({' ~ '.join(text for text in texts if text != _literal(''))}) }}}}"
    yield "    {%- endif -%}"


def _value(name: str, known: Mapping[str, Any]) -> str:
    """What stands in a sentence: an argument is called as dbt calls it unless it is said otherwise."""
    return f"known.get('{name}', '{name}')" if name in known["arguments"] else f"known.get('{name}')"


def _condition(fact: str, test: Test, known: Mapping[str, Any]) -> str:
    return " and ".join(_compared(fact, how, wanted, known) for how, wanted in test.items())


def _compared(fact: str, how: str, wanted: Any, known: Mapping[str, Any]) -> str:
    if how in LIMITS:
        number, limit = f"known.get('{fact}')", f"known.get('{wanted}')" if isinstance(wanted, str) else str(wanted)
        are_numbers = [f"{one} is number" for one in (number, limit) if one.startswith("known")]
        return " and ".join([*are_numbers, f"{number} {_COMPARISONS[how]} {limit}"])
    negated = how == "not"
    if fact in known["lists"]:
        found = [f"{_literal(word)} {'not ' if negated else ''}in {fact}" for word in wanted]
        text = f" {'and' if negated else 'or'} ".join(found)
        return f"({text})" if len(found) > 1 and not negated else text
    if len(wanted) == 1:
        return f"{fact} {'!=' if negated else '=='} {_literal(wanted[0])}"
    return f"{fact} {'not ' if negated else ''}in [{', '.join(map(_literal, wanted))}]"


def _literal(text: str) -> str:
    """A string of Jinja's, in the quotes that it does not have itself."""
    return json.dumps(text, ensure_ascii=False) if "'" in text else f"'{text}'"


def check_refusals(path: Path) -> None:
    """Looks at the rules before anything is generated from them.

    Args:
        path: refusals.toml.

    Raises:
        DataError: it is no TOML, or a rule has a key, a time, a fact, a value or a placeholder that there is not.
    """
    try:
        known = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}: no TOML: {error}.") from None
    for number, rule in enumerate(known["refusal"], start=1):
        for problem in _problems(rule, known):
            said = shortened(rule.get("message", ""))
            raise DataError(f"{path}: refusal {number}, {said}: {problem}")


def _problems(rule: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong, the first thing first."""
    yield from unknown("key", rule, _KEYS)
    yield from (f"{key} is missing." for key in _KEYS if not rule.get(key))
    yield from unknown("of", [rule["of"]], known["of"])
    facts = facts_of(known, rule["of"])
    for condition in rule["when"] if isinstance(rule["when"], list) else [rule["when"]]:
        yield from unknown("fact in when", condition, facts)
        for fact, given in condition.items():
            yield from _test_problems(fact, given if isinstance(given, Mapping) else {"is": given}, facts)
    yield from unknown("placeholder in message", re.findall(r"{(\w*)}", rule["message"]), [*facts, *known["arguments"]])
    if not rule["message"].endswith("."):
        yield "the message is no sentence."


def _test_problems(fact: str, test: Mapping[str, Any], facts: Mapping[str, Collection[str]]) -> Iterator[str]:
    yield from unknown(f"test of {fact}", test, ("is", "not", *LIMITS))
    for kind, wanted in test.items():
        if kind not in LIMITS:
            words = _words(wanted)
            yield from unknown(f"value of {fact}", words, facts[fact] or words)
        elif isinstance(wanted, str):
            yield from unknown(f"fact in {kind} of {fact}", [wanted], facts)


def facts_of(known: Mapping[str, Any], of: str) -> dict[str, Collection[str]]:
    """The facts that are known at a time, each with its values; without any where they are not listed.

    Args:
        known: the file.
        of: the time, a key of its ``of``.
    """
    found: dict[str, Collection[str]] = {}
    for kind in known["of"][of]:
        scopes = {"metric": ("metric", "ranking", "summary"), "inputs": ("evaluation",)}.get(kind, ())
        every = [*options().values(), *(each for metric in metrics().values() for each in metric.params.values())]
        for option in (each for each in every if each.scope in scopes or (kind == "metric" and not each.scope)):
            words = {*map(str, option.values), "none"} if option.values and not option.limits else ()
            found[option.name] = {*found.get(option.name, ()), *words}
        for name, text in known["facts"][kind].items():
            found[name] = ("true", "false") if text.startswith("whether") else ()
    return found | {"takes": list(found), "needs": NEEDS} if "takes" in found else found

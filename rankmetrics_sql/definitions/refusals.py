"""What is refused: the rules of ``sql/refusals.toml``, and which one speaks. The templates do it by ``rm_refuse``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..errors import UsageError
from .catalogue import sql_root
from .metric_strings import is_number
from .parameters import LIMITS

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


@cache
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
    """A fact as it is compared: none for no value, true, 10, best; of a list every one."""
    return [str(word).lower() for word in (value if isinstance(value, list) else [value])]


def refuse(of: str, facts: Mapping[str, Any]) -> None:
    """Refuses by the first rule that is met.

    Args:
        of: when it is asked, a key of the file's ``of``.
        facts: what is so, by the names that the file explains; one that is absent has no value.

    Raises:
        UsageError: there is such a rule.
    """
    for rule in refusals()["refusal"]:
        if rule.of == of and any(_is_met(condition, facts) for condition in rule.when):
            raise UsageError(_sentence(rule.message, {**refusals()["arguments"], **facts}))


def _sentence(message: str, known: Mapping[str, Any]) -> str:
    return re.sub(r"{(\w+)}", lambda name: str(known[name[1]]), message)


def _is_met(condition: Mapping[str, Test], facts: Mapping[str, Any]) -> bool:
    return all(_is_so(facts.get(fact), test, facts) for fact, test in condition.items())


def _is_so(value: Any, test: Test, facts: Mapping[str, Any]) -> bool:
    for how, wanted in test.items():
        if how in LIMITS:
            limit = facts.get(wanted, wanted)
            if not (is_number(value) and is_number(limit) and LIMITS[how](value, limit)):
                return False
        elif any(word in wanted for word in _words(value)) != (how == "is"):
            return False
    return True

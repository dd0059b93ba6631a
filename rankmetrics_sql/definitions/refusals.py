"""Refusals by the rules of ``sql/refusals.toml``, which the templates ask, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import UsageError
from ..templates import macros


def refuse(of: str, facts: Mapping[str, Any]) -> None:
    """Refuses by the first rule that is met.

    Args:
        of: when it is asked, a key of the file's ``of``.
        facts: what is so, by the names that the file explains; one that is absent has no value.

    Raises:
        UsageError: there is such a rule.
    """
    raise_refusal(macros()["rm_refusal"](of, {**argument_names(), **facts}))


def ask(macro: str, *arguments: Any) -> Any:
    """Return what a template answers. A refusal is without the name of the package, which dbt has need of.

    Raises:
        UsageError: the template refuses.
    """
    try:
        return macros()[macro](*arguments)
    except UsageError as error:
        raise UsageError(str(error).removeprefix("rankmetrics_sql: ")) from None


def argument_names() -> Mapping[str, str]:
    """Return Python's names of the arguments of dbt's macros that messages mention."""
    names: Mapping[str, str] = macros()["rm_python_arguments"]()
    return names


def raise_refusal(sentence: str | None) -> None:
    """Refuses with a sentence that a template answered, if it is one.

    Raises:
        UsageError: it is one.
    """
    if sentence is not None:
        raise UsageError(sentence)

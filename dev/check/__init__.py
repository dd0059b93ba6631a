"""Rules about the files of this repository, as a checker: ``python -m dev.check``.

A rule is a function of the repository that yields its findings; its docstring says what it holds to, and why. A module
of this folder has the rules about one kind of file, in its ``RULES``. ``tests/dev/test_check.py`` has a mistake for
each that it must find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from . import documents, headers, lengths, literals, macros, modules, pages, privates, templates
from .repository import Finding, Repository

RULES: tuple[Callable[[Repository], Iterator[Finding]], ...] = (
    *templates.RULES,
    *macros.RULES,
    *literals.RULES,
    *headers.RULES,
    *modules.RULES,
    *privates.RULES,
    *documents.RULES,
    *pages.RULES,
    *lengths.RULES,
)


def findings(repository: Repository) -> Iterator[Finding]:
    """Yield what breaks a rule, in the order of the rules."""
    for rule in RULES:
        yield from rule(repository)

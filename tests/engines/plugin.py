"""Fixtures that start engines once for the tests of a module, and the line at the end that says which were not run.

``tests/conftest.py`` takes them from here. A test asks for an engine by its name::

    @pytest.mark.parametrize("engine", ["sqlite", "trino"], indirect=True)
    def test_something(engine): ...

or takes ``start_engine`` and calls it. An engine that is not installed skips the test, or fails it where the variable
RANKMETRICS_ALL_ENGINES is set.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from . import Engine, EngineError, missing, start

ALL = "RANKMETRICS_ALL_ENGINES"
SKIPPED = pytest.StashKey[dict[str, str]]()  # engine to what it lacks


@pytest.fixture(scope="session")
def need_engine(pytestconfig: pytest.Config) -> Callable[[str], None]:
    """Skips the test, or fails it where every engine is wanted, if the engine of that name is not installed."""
    skipped = pytestconfig.stash.setdefault(SKIPPED, {})

    def need(name: str) -> None:
        if lack := missing(name):
            skipped[name] = lack
            leave_out(f"{name} is not installed ({lack}): python -m tests.engines install {name}")

    return need


@pytest.fixture(scope="module")
def start_engine(need_engine: Callable[[str], None]) -> Iterator[Callable[[str], Engine]]:
    """Name to engine: started when a module asks for it first, stopped after its last test, with all that is in it."""
    running: dict[str, Engine] = {}
    broken: dict[str, EngineError] = {}

    def engine(name: str) -> Engine:
        if name in broken:
            raise broken[name]
        need_engine(name)
        if name not in running:
            try:
                running[name] = stack.enter_context(start(name))
            except EngineError as problem:  # once: to wait for it again in every test takes for ever
                broken[name] = problem
                raise
        return running[name]

    with ExitStack() as stack:
        yield engine


@pytest.fixture
def engine(request: pytest.FixtureRequest, start_engine: Callable[[str], Engine]) -> Engine:
    """The engine that the test's parameter names."""
    return start_engine(request.param)


def package(name: str) -> Any:
    """A module that an engine's tests need and a user may not have; without it the test is left out."""
    try:
        return importlib.import_module(name)
    except ImportError:
        leave_out(f"{name} is not installed: pip install -e '.[engines]'")


def leave_out(reason: str) -> None:
    """Skip a test, or fail it where every engine is wanted."""
    if os.environ.get(ALL):
        pytest.fail(f"{reason}; {ALL} is set", pytrace=False)
    pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """One line about the engines that the tests asked for in vain."""
    if skipped := config.stash.get(SKIPPED, {}):
        named = ", ".join(f"{name} ({lack})" for name, lack in skipped.items())
        terminalreporter.write_line(
            f"Engines not run: {named}. To run them: python -m tests.engines install {' '.join(skipped)}", yellow=True
        )

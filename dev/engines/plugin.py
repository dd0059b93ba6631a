"""Fixtures that start engines once for the tests of a module; ``tests/conftest.py`` takes them from here.

A test asks for an engine by its name::

    @pytest.mark.parametrize("engine", ["sqlite", "trino"], indirect=True)
    def test_something(engine): ...

or takes ``start_engine`` and calls it. An engine that is not installed fails the test. Those that have to be installed
are for tests that run with ``--everything`` only.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests import everything

from . import Engine, EngineError, missing, start


@pytest.fixture(scope="session")
def need_engine() -> Callable[[str], None]:
    """Fails the test if the engine of that name is not installed, or would have to be."""

    def need(name: str) -> None:
        if name not in everything.THERE_ANYWAY:
            only_of_everything(name)
        if lack := missing(name):
            pytest.fail(f"{name} is not installed ({lack}): python -m dev.engines install {name}", pytrace=False)

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
    """A module that an engine's tests need and a user may not have; without it the test fails."""
    only_of_everything(name)
    try:
        return importlib.import_module(name)
    except ImportError:
        pytest.fail(f"{name} is not installed: pip install -e '.[engines]'", pytrace=False)


def only_of_everything(name: str) -> None:
    """Fails a test that would need an installation by default, even where that is there."""
    if not everything.asked_for():
        pytest.fail(f"{name} has to be installed: mark the test with pytest.mark.long", pytrace=False)

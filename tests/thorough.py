"""Short tests that the default run leaves out: most of those of a kind, and those that take long for short ones.

The default run has of each function as many tests as take as long as ``FEW`` average ones, out of the whole length of
its list, and none of a function whose tests each take longer than ``MANY``. The others are marked ``thorough``; they
run with ``--thorough``, which ``.ci/run`` asks for, and where files are named on the command line. What a test takes
stands in ``costs.csv``, so that the choice is the same everywhere until that is measured anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import pytest

from . import parts

Test = TypeVar("Test")

OPTION, MARK = "--thorough", "thorough"
FEW, MANY = 2, 2.7  # times what a short test takes on average


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption(OPTION, action="store_true", help="run the short tests that the default run leaves out, too")


def pytest_configure(config: pytest.Config) -> None:
    """Whoever names files wants all of their short tests."""
    config.addinivalue_line("markers", f"{MARK}: a short test that the default run leaves out; with {OPTION}")
    if config.args_source is pytest.Config.ArgsSource.ARGS:  # of each process, which all have the same arguments
        config.option.thorough = True


def is_asked_for(config: pytest.Config) -> bool:
    """Whether thorough tests run."""
    return bool(config.getoption(OPTION))


def mark(items: Iterable[pytest.Item]) -> None:
    """Mark the thorough ones of the tests that are not long."""
    of_function: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if not parts.is_long(item):
            of_function[parts.function_of(item.nodeid)].append(item)
    for item in left_out(of_function, parts.costs_of(parts.SHORT), parts.average(parts.SHORT)):
        item.add_marker(MARK)


def left_out(of_function: Mapping[str, Sequence[Test]], seconds: Mapping[str, float], average: float) -> Iterator[Test]:
    """The tests that the default run leaves out.

    Args:
        of_function: the tests of each function, in their order.
        seconds: what one test of a function takes; new functions are not left out.
        average: what a test takes on average.
    """
    for function, tests in of_function.items():
        one = seconds.get(function, 0.0)
        if one > MANY * average:
            yield from tests
        else:
            number = max(1, int(FEW * average / one)) if one else len(tests)
            yield from spared(tests, number)


def spared(tests: Sequence[Test], number: int) -> Iterator[Test]:
    """All but so many tests, which are spread over the list: neighbours are alike."""
    for place, test in enumerate(tests):
        if number < len(tests) and place * number // len(tests) == (place - 1) * number // len(tests):
            yield test

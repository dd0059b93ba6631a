"""What a run of the tests leaves out unless it is asked for more, and the one line at its end that says so.

A test that takes long, or needs what has to be installed (an engine, a driver, dbt, another tool), is marked so::

    @pytest.mark.long
    def test_something(start_engine): ...

One that has an engine's name among its parameters is so by itself, unless the engine is there anyway. By default these
tests are deselected. With ``--everything`` they run, and what they lack is a failure: who asks for everything wants to
know. A test without the mark that asks for something installed fails by default, even where it is installed. Of the
short tests ``thorough.py`` leaves some out. What computes a metric whose files changed runs anyway (``changed.py``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from . import changed, parts, thorough

OPTION = "--everything"
THERE_ANYWAY = {"duckdb", "sqlite"}  # engines that come with Python and with the package
LEFT_OUT = pytest.StashKey[int]()
# The files that take longest come first, so that processes that share the tests end together.
LONGEST_FIRST = (
    "test_in_spark",
    "test_in_googlesql",
    "test_in_trino",
    "test_dbt",
    "test_running_there",
    "test_rendered",
    "test_drivers",
    "test_engines_start",
    "test_functions",
    "test_dbt_example",
    "test_dbt_tests",
    "test_in_spark_cluster",
    "test_profiles",
    "test_in_clickhouse",
    "test_oracles",
    "test_in_mariadb",
    "test_documentation",
    "test_report",
    "test_charts",
    "test_sources",
    "test_resampling",
    "test_tukey",
    "test_diversity",
    "test_covariates",
    "test_examples",
    "test_options",
    "test_metric_strings",
    "test_plans",
    "test_roads",
    "test_dbt_refusals",
)

_everything = False  # what the command line says, for what is no fixture


def asked_for() -> bool:
    """Whether everything is."""
    return _everything


def examples(many: int) -> settings:
    """The settings of a test with so many random examples; an eighth of them by default."""
    number = many if asked_for() else -(-many // 8)
    return settings(max_examples=number, deadline=None, suppress_health_check=list(HealthCheck))


def seeds(many: int, few: int = 1) -> list[Any]:
    """The parameters of a test with so many seeds; the first few by default."""
    return [*range(few), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(few, many))]


def each_once(*axes: Iterable[Any]) -> list[Any]:
    """The parameters of a test of all combinations; by default as few of them as have each value once."""
    values = [list(axis) for axis in axes]
    short = {tuple(number % len(axis) for axis in values) for number in range(max(map(len, values)))}
    return [
        pytest.param(
            *(axis[place] for axis, place in zip(values, places, strict=True)),
            marks=[] if places in short else pytest.mark.long,
        )
        for places in product(*(range(len(axis)) for axis in values))
    ]


def one_in(step: int, names: Iterable[Any]) -> list[Any]:
    """The parameters of a test that is long but for one of them in so many."""
    return [
        name if place % step == 0 else pytest.param(name, marks=pytest.mark.long) for place, name in enumerate(names)
    ]


def mostly_long(names: Iterable[Any], *short: Any) -> list[Any]:
    """The parameters of a test that is not long for a few of them."""
    return [name if name in short else pytest.param(name, marks=pytest.mark.long) for name in names]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption(OPTION, action="store_true", help="run what takes long or has to be installed, too")
    thorough.pytest_addoption(parser)
    parts.pytest_addoption(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Take note of the option; without it, nothing that is installed for the tests is found."""
    global _everything  # noqa: PLW0603 - pytest is configured once
    _everything = config.getoption(OPTION)
    config.addinivalue_line("markers", f"long: takes long, or needs what has to be installed; only with {OPTION}")
    config.addinivalue_line(
        "markers", f"{changed.MARK}: computes one or all metrics; runs when the files of one changed"
    )
    config.addinivalue_line("markers", "covering: a statement that is chosen to cover all, in an engine")
    thorough.pytest_configure(config)
    if not _everything:
        os.environ["RANKMETRICS_TOOLS"] = os.devnull


@pytest.hookimpl(hookwrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark what is long by its engine, before -m looks; of what that and -k leave, leave out what is long."""
    for item in items:
        if asks_for_an_engine(item):
            item.add_marker(pytest.mark.long)
    thorough.mark(items)
    yield
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))
    if not asked_for():
        kept: list[pytest.Item] = []
        left_out: list[pytest.Item] = []
        for item in items:
            (left_out if is_left_out(item) else kept).append(item)
        items[:] = kept
        config.hook.pytest_deselected(items=left_out)
        config.stash[LEFT_OUT] = len(left_out)
    parts.choose(config, items)


def is_left_out(item: pytest.Item) -> bool:
    """Whether it is run only by who asks for more."""
    if changed.concerns_a_change(item) and not asks_for_an_engine(item):
        return False
    if item.get_closest_marker(thorough.MARK) is not None:
        return not thorough.is_asked_for(item.config)
    return parts.is_long(item)


def asks_for_an_engine(item: pytest.Item) -> bool:
    """Whether an engine is among its parameters that has to be installed."""
    from dev.engines import ENGINES

    if "need_engine" not in getattr(item, "fixturenames", ()) or not hasattr(item, "callspec"):
        return False
    return any(value in ENGINES and value not in THERE_ANYWAY for value in texts(item.callspec.params.values()))


def texts(values: Iterable[Any]) -> Iterable[str]:
    """The texts among values, and within tuples."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from texts(value)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that shows the results, where there are several: all of them have the same tests."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = session.config.stash.get(LEFT_OUT, 0)
        parts.tell(output, session.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take note of what a process left out."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[LEFT_OUT] = output.get("left_out", 0)
    parts.hear(output, node.config)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """One line about what was left out."""
    if number := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(
            f"Left out: {number:,} tests. python -m pytest {thorough.OPTION} runs all that need no more than this"
            f" environment; python -m pytest {OPTION} also those of other engines, dbt and other tools"
            " (CONTRIBUTING.md says how to install them)."
        )
    parts.summarise(terminalreporter, config)

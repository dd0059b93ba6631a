"""Parts of ``--everything`` that take equally long, by what each test took when it was measured.

``--part 3/16`` runs the third of sixteen parts, and ``--seconds 600`` starts no test after that time: those that are
left are named at the end, and do not fail. ``python -m pytest --everything --costs`` measures all and writes
``costs.csv``: for each function its number of tests and the seconds that they took together.
"""

from __future__ import annotations

import csv
import time
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

COSTS = Path(__file__).parent / "costs.csv"
UNKNOWN = 0.1  # seconds of a test that is newer than the file
LONG, SHORT = "long", "short"  # the mark, and what has none
Function = tuple[str, str]  # of which of the two, and its name
NOT_REACHED = pytest.StashKey[list[str]]()
_began = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption("--part", metavar="N/M", type=part_of, help="run one of M parts of what --everything has")
    parser.addoption("--seconds", type=float, help="start no test after so many, and name those that are left")
    parser.addoption("--costs", action="store_true", help=f"write to {COSTS.name} what the tests that run take")


def part_of(text: str) -> tuple[int, int]:
    """The number of a part, and of how many."""
    number, _, parts = text.partition("/")
    if not (number.isdigit() and parts.isdigit() and 1 <= int(number) <= int(parts)):
        raise ValueError(f"--part is N/M, such as 3/16, not {text}")
    return int(number), int(parts)


def function_of(nodeid: str) -> str:
    """The function of a test, without its parameters."""
    return nodeid.partition("[")[0]


def kind_of(keywords: Container[str]) -> str:
    """Whether a test is long or short."""
    return LONG if LONG in keywords else SHORT


def is_long(item: pytest.Item) -> bool:
    """Whether a test has the mark."""
    return item.get_closest_marker(LONG) is not None


def read() -> dict[Function, tuple[int, float]]:
    """What was measured: of each function the number of tests, and their seconds."""
    if not COSTS.is_file():
        return {}
    with COSTS.open(encoding="utf-8", newline="") as file:
        return {
            (row["run"], row["function"]): (int(row["tests"]), float(row["seconds"])) for row in csv.DictReader(file)
        }


def costs() -> dict[Function, float]:
    """The seconds of one test of each function."""
    return {function: seconds / number for function, (number, seconds) in read().items()}


def costs_of(kind: str) -> dict[str, float]:
    """The seconds of one test of each function, of the long ones or of the short ones."""
    return {name: seconds for (found, name), seconds in costs().items() if found == kind}


def average(kind: str) -> float:
    """The seconds of a long or a short test on average."""
    measured = [figures for (found, _), figures in read().items() if found == kind]
    return sum(seconds for _, seconds in measured) / max(1, sum(number for number, _ in measured))


def cut(seconds: Sequence[float], number: int, parts: int) -> list[int]:
    """The places of a part: two stretches of the tests, so that two processes, which take whole files, have one."""
    stretch, so_far, chosen = sum(seconds) / (2 * parts), 0.0, []
    for place, cost in enumerate(seconds):
        if min(int((so_far + cost / 2) / stretch), 2 * parts - 1) % parts == number - 1:
            chosen.append(place)
        so_far += cost
    return chosen


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the part that is asked for, and say that the others are left out."""
    if (part := config.getoption("--part")) is None:
        return
    known, ordered = costs(), sorted(items, key=lambda item: item.nodeid)
    seconds = [known.get((kind_of(item.keywords), function_of(item.nodeid)), UNKNOWN) for item in ordered]
    chosen = {ordered[place] for place in cut(seconds, *part)}
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Leave a test that the time does not reach."""
    seconds = item.config.getoption("--seconds")
    if seconds is None or time.monotonic() - _began < seconds:
        return None
    item.config.stash.setdefault(NOT_REACHED, []).append(item.nodeid)
    return True


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Take note of what a test took, in the process that shows the results."""
    _measured[kind_of(report.keywords), report.nodeid] += report.duration


_measured: dict[Function, float] = defaultdict(float)


def tell(output: dict[str, Any], config: pytest.Config) -> None:
    """What a process did not reach, for the one that shows the results."""
    output["not_reached"] = config.stash.get(NOT_REACHED, [])


def hear(output: Mapping[str, Any], config: pytest.Config) -> None:
    """What another process did not reach."""
    config.stash.setdefault(NOT_REACHED, []).extend(output.get("not_reached", []))


def summarise(reporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The tests that the time did not reach; and the file of costs, if it is asked for."""
    if not_reached := config.stash.get(NOT_REACHED, []):
        reporter.section("not reached in time")
        for function, number in Counter(map(function_of, not_reached)).items():
            reporter.write_line(f"{number:>6,} {function}")
    if config.getoption("--costs"):
        write(_measured)


def write(measured: Mapping[Function, float]) -> None:
    """Write what each function's tests took; what did not run keeps its figures."""
    anew: dict[Function, list[float]] = defaultdict(list)
    for (kind, nodeid), seconds in measured.items():
        anew[kind, function_of(nodeid)].append(seconds)
    found = read() | {function: (len(seconds), sum(seconds)) for function, seconds in anew.items()}
    with COSTS.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("run", "function", "tests", "seconds"))
        rows.writerows((*function, number, f"{seconds:.2f}") for function, (number, seconds) in sorted(found.items()))

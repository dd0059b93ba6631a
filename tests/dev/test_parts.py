"""Parts of all tests, what the default run leaves out, and what it may cost."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from .. import parts, thorough

RUN = Path(__file__).parents[2] / ".ci" / "run"
DEFAULT = 3 * 60  # seconds of tests that the default run may have, over all processes; with what is around them 5 * 60
SHORT = 15 * 60  # with those that it leaves to --thorough
PART = 8 * 60  # of one part, on two processes


@pytest.mark.parametrize("number", [1, 2, 7, 16])
def test_every_test_is_in_one_part(number):
    rng = random.Random(number)
    seconds = [rng.choice([0.01, 0.1, 5]) for _ in range(500)]
    found = [parts.cut(seconds, part, number) for part in range(1, number + 1)]
    assert sorted(place for places in found for place in places) == list(range(500))
    shares = [sum(seconds[place] for place in places) for places in found]
    assert max(shares) - min(shares) <= 4 * max(seconds)


def test_a_part_has_two_stretches_for_two_processes():
    assert parts.cut([1.0] * 12, 2, 3) == [2, 3, 8, 9]


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "-1/3", ""])
def test_what_is_no_part(text):
    with pytest.raises(ValueError, match="3/16"):
        parts.part_of(text)


def test_the_short_tests_stay_small(request):
    """No more tests than when they were measured, and a few; and what was measured is within the budgets.

    Many cases more belong behind ``long``, or the file of costs is written anew and shows the price.
    """
    if request.config.getoption("--costs"):
        return  # it is being measured
    measured = {name: figures for (kind, name), figures in parts.read().items() if kind == parts.SHORT}
    collected = Counter(
        parts.function_of(item.nodeid) for item in request.session.items if parts.kind_of(item.keywords) == parts.SHORT
    )
    more = sum(max(0, number - measured.get(name, (0, 0))[0]) for name, number in collected.items())
    assert more <= sum(number for number, _ in measured.values()) / 20, "run: python -m pytest --thorough --costs"
    assert sum(seconds for _, seconds in measured.values()) <= SHORT
    seconds = parts.costs_of(parts.SHORT)
    listed = {name: [name] * number for name, (number, _) in measured.items()}
    rest = thorough.left_out(listed, seconds, parts.average(parts.SHORT))
    assert sum(seconds[name] for name in rest) >= sum(seconds for _, seconds in measured.values()) - DEFAULT


@pytest.mark.parametrize("number", [1, 2, 5, 9, 10, 11])
def test_what_is_left_out_is_spread_over_the_list(number):
    kept = sorted(set(range(10)) - set(thorough.spared(range(10), number)))
    assert len(kept) == min(number, 10)
    assert kept[0] == 0
    assert max(after - before for before, after in pairwise([*kept, 10])) <= -(-10 // number)


def test_a_function_has_as_many_tests_as_take_its_share():
    """Those that take two averages together, at least one, and none that takes over 2.8; all of a new function."""
    of_function = {name: [f"{name}{place}" for place in range(20)] for name in ("quick", "slow", "long", "new")}
    left = set(thorough.left_out(of_function, {"quick": 0.1, "slow": 2.7, "long": 2.9}, 1.0))
    assert not left & {*of_function["quick"], *of_function["new"]}
    assert left >= set(of_function["long"])
    assert {test for test in of_function["slow"] if test not in left} == {"slow0"}
    half = set(thorough.left_out({"some": range(20)}, {"some": 0.2}, 1.0))
    assert len(half) == 10


def test_a_part_of_the_gate_is_short_enough():
    number = int(re.search(r"^readonly PARTS=(\d+)", RUN.read_text(), re.MULTILINE)[1])
    seconds = sum(seconds for (kind, _), (_, seconds) in parts.read().items() if kind == parts.LONG)
    assert seconds / 2 / number <= PART, "write a larger PARTS into .ci/run"


def test_costs_are_kept_by_function_and_run(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "COSTS", tmp_path / "costs.csv")
    parts.write({("short", "a.py::one[x]"): 1.0, ("short", "a.py::one[y]"): 2.0, ("long", "a.py::one[z]"): 9.0})
    parts.write({("short", "b.py::two"): 0.5})
    assert parts.costs() == {("short", "a.py::one"): 1.5, ("long", "a.py::one"): 9.0, ("short", "b.py::two"): 0.5}

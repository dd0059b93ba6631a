"""Parts of all tests, and what the default run may cost."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from . import parts

RUN = Path(__file__).parents[1] / ".ci" / "run"
DEFAULT = 11 * 60  # seconds of tests that the default run may have, over all processes; 7 * 60 is the aim
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


def test_the_default_run_stays_small(request):
    """No more tests than when it was measured, and a few; and what was measured is within the budget.

    Many cases more belong behind ``long``, or the file of costs is written anew and shows the price.
    """
    if request.config.getoption("--costs"):
        return  # it is being measured
    measured = {name: number for (kind, name), (number, _) in parts.read().items() if kind == parts.DEFAULT}
    collected = Counter(
        parts.function_of(item.nodeid)
        for item in request.session.items
        if parts.kind_of(item.keywords) == parts.DEFAULT
    )
    more = sum(max(0, number - measured.get(name, 0)) for name, number in collected.items())
    assert more <= sum(measured.values()) / 20, "run: python -m pytest --costs"
    assert sum(seconds for (kind, _), (_, seconds) in parts.read().items() if kind == parts.DEFAULT) <= DEFAULT


def test_a_part_of_the_gate_is_short_enough():
    number = int(re.search(r"^readonly PARTS=(\d+)", RUN.read_text(), re.MULTILINE)[1])
    seconds = sum(seconds for (kind, _), (_, seconds) in parts.read().items() if kind == parts.LONG)
    assert seconds / 2 / number <= PART, "write a larger PARTS into .ci/run"


def test_costs_are_kept_by_function_and_run(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "COSTS", tmp_path / "costs.csv")
    parts.write({("default", "a.py::one[x]"): 1.0, ("default", "a.py::one[y]"): 2.0, ("long", "a.py::one[z]"): 9.0})
    parts.write({("default", "b.py::two"): 0.5})
    assert parts.costs() == {("default", "a.py::one"): 1.5, ("long", "a.py::one"): 9.0, ("default", "b.py::two"): 0.5}

"""A process that evaluates and compares again and again does not grow: ``dev.soak``."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dev.soak import GROWTH, Size, growth


def test_what_has_grown_is_named():
    first = Size(1000, 100.0, 4, 10)
    assert growth(first, Size(10_000, 100.0 + GROWTH, 4, 9)) == []
    assert growth(first, Size(10_000, 101.0 + GROWTH, 5, 11)) == [
        "threads: 4, then 5", "files: 10, then 11", f"memory: 100 MB, then {101 + GROWTH} MB",
    ]  # fmt: skip


@pytest.mark.long
def test_a_thousand_calls_do_not_make_a_process_grow():
    """In a process of their own; ``python -m dev.soak`` makes ten thousand."""
    done = subprocess.run(
        [sys.executable, "-m", "dev.soak", "--calls", "1000"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "nothing has grown")

"""Metrics whose files changed: their examples, twins and oracles run, whatever else the default run leaves out.

A test that computes one or all metrics is marked ``@pytest.mark.of_metrics``.

A metric's files are ``sql/macros/metrics/NAME.sql`` and its twin's in ``tests/oracles/brute``. They have changed if git
says so: since the branch left the remote's main, committed or not. Without git, as in a release, none has.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from rankmetrics_sql.definitions.catalogue import Metric, metrics

ROOT = Path(__file__).parents[1]
MACROS, TWINS = "sql/macros/metrics", "tests/oracles/brute"
MARK = "of_metrics"


def concerns_a_change(item: pytest.Item) -> bool:
    """Return whether a marked test computes a metric whose files changed: the one among its parameters, or all."""
    if item.get_closest_marker(MARK) is None or not changed_metrics():
        return False
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    names = {value.name if isinstance(value, Metric) else value for value in values if isinstance(value, Metric | str)}
    computed = names & metrics().keys()
    return not computed or bool(computed & changed_metrics())


@cache
def changed_metrics() -> frozenset[str]:
    """Return the names of the metrics whose files changed."""
    return frozenset(name for path in changed_files() for name in metrics_in(Path(path)))


def metrics_in(path: Path) -> Iterator[str]:
    """Yield the metrics of a changed file."""
    if path.parent == Path(MACROS) and path.suffix == ".sql":
        yield path.stem
    elif path.parent == Path(TWINS) and (ROOT / path).is_file():
        yield from getattr(import_module(".".join(path.with_suffix("").parts)), "METRICS", ())


def changed_files() -> set[str]:
    """Return the files of metrics that differ from the remote's main, or from the last commit."""
    base = git("merge-base", "HEAD", "origin/HEAD") or ["HEAD"]
    places = ("--", MACROS, TWINS)
    return {
        *git("diff", "--name-only", "--relative", *base, *places),
        *git("ls-files", "--others", "--exclude-standard", *places),
    }


def git(*arguments: str) -> list[str]:
    """Return the lines that git prints; none where it fails or is not installed."""
    try:
        done = subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []

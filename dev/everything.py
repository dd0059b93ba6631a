"""``python -m dev.everything``: all tests, engine by engine, in a run that can be broken off and taken up again.

Each group of tests is a run of its own; what needs no engine to itself comes in parts that take equally long. What came
of a group is kept in ``build/everything`` with the commit that it was run on, so that a second call goes on where the
first one ended; ``--again`` begins anew. At the end, and after each group, ``build/everything/table.md`` has a row for
each: engine, version, tests, time, result.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from .engines import ENGINES, EngineError, missing, start

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "everything"
COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)")
# What else takes an installation, by the names of files; all that no other group has is the last.
OTHERS = {
    "dbt": ("test_dbt*.py",),
    "other tools": ("test_profiles.py", "test_other_tools.py", "test_published.py", "test_fakesnow.py"),
    "a browser": ("test_report_in_browser.py",),
}
PARTS = 12  # of what is left


@dataclass(frozen=True)
class Outcome:
    """What came of a group: the commit it was run on, the version of its engine, counts by result, and seconds."""

    commit: str
    version: str
    counts: dict[str, int]
    seconds: float
    status: int

    @property
    def result(self) -> str:
        """In words."""
        words = [f"{number:,} {name}" for name, number in self.counts.items() if name != "passed"]
        return ", ".join(["passed" if self.status == 0 else "**failed**", *words])


def groups() -> Iterator[tuple[str, list[str]]]:
    """Yield the groups: a name, and the arguments of pytest: files of tests, and which part of them."""
    tests = ROOT / "tests"
    other_files = set(tests.rglob("test_*.py"))
    for name in ENGINES:
        file = tests / "engines" / f"test_in_{name.replace('-', '_')}.py"
        other_files.remove(file)
        yield name, [str(file)]
    for name, patterns in OTHERS.items():
        files = sorted(file for pattern in patterns for file in tests.rglob(pattern))
        other_files -= set(files)
        yield name, list(map(str, files))
    for number in range(1, PARTS + 1):
        yield f"all else {number} of {PARTS}", ["--part", f"{number}/{PARTS}", *sorted(map(str, other_files))]


def version_of(name: str) -> str:
    """Return the version of an engine; "" for other groups."""
    if name not in ENGINES:
        return ""
    if lack := missing(name):
        raise EngineError(f"{name} is not installed ({lack}): python -m dev.engines install {name}")
    with start(name) as engine:
        return engine.version


def run(name: str, chosen: list[str], commit: str) -> Outcome:
    """Run a group, and keep its log beside the outcome."""
    begin, log = time.monotonic(), place_of(name, "log")
    command = [sys.executable, "-m", "pytest", "--quiet", "--everything", *chosen]
    with log.open("w", encoding="utf-8") as output:
        status = subprocess.run(command, cwd=ROOT, stdout=output, stderr=output, check=False).returncode
    last = log.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
    counts = {result: int(number) for number, result in COUNT.findall(last)}
    return Outcome(commit, version_of(name), counts, time.monotonic() - begin, status)


def place_of(name: str, suffix: str) -> Path:
    """Return the file about a group."""
    return FOLDER / f"{name.replace(' ', '_')}.{suffix}"


def earlier_outcome(name: str, commit: str) -> Outcome | None:
    """Return the outcome of a group on this commit; None if it has not been run, or failed."""
    file = place_of(name, "json")
    outcome = Outcome(**json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None
    return outcome if outcome and outcome.commit == commit and outcome.status == 0 else None


def table(outcomes: dict[str, Outcome]) -> str:
    """Return all outcomes as Markdown."""
    lines = ["| engine | version | tests | minutes | result |", "|---|---|---:|---:|---|"]
    for name, outcome in outcomes.items():
        number = sum(outcome.counts.values())
        lines.append(f"| {name} | {outcome.version} | {number:,} | {outcome.seconds / 60:.1f} | {outcome.result} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m dev.everything", description="All tests, engine by engine.")
    parser.add_argument("names", nargs="*", metavar="GROUP", help=", ".join(name for name, _ in groups()))
    parser.add_argument("--again", action="store_true", help="run what has passed on this commit, too")
    arguments = parser.parse_args()
    chosen_groups = {name: chosen for name, chosen in groups() if name in arguments.names or not arguments.names}
    if unknown := set(arguments.names) - chosen_groups.keys():
        parser.error(f"no group is called {', '.join(sorted(unknown))}; there are {', '.join(dict(groups()))}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    state = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    commit, outcomes = state.stdout.strip(), {}
    for name, chosen in chosen_groups.items():
        outcome = None if arguments.again else earlier_outcome(name, commit)
        if outcome is None:
            outcome = run(name, chosen, commit)
            place_of(name, "json").write_text(json.dumps(asdict(outcome)), encoding="utf-8")
        outcomes[name] = outcome
        print(
            f"{name}: {outcome.result}, {sum(outcome.counts.values()):,} tests, {outcome.seconds / 60:.1f} min",
            flush=True,
        )
        (FOLDER / "table.md").write_text(table(outcomes), encoding="utf-8")
    return int(any(outcome.status for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())

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
        others = [f"{number:,} {name}" for name, number in self.counts.items() if name != "passed"]
        return ", ".join(["passed" if self.status == 0 else "**failed**", *others])


def groups() -> Iterator[tuple[str, list[str]]]:
    """The groups: a name, and what pytest is told: files of tests, and which part of them."""
    tests = ROOT / "tests"
    left = set(tests.rglob("test_*.py"))
    for name in ENGINES:
        file = tests / "engines" / f"test_in_{name.replace('-', '_')}.py"
        left.remove(file)
        yield name, [str(file)]
    for name, patterns in OTHERS.items():
        files = sorted(file for pattern in patterns for file in tests.rglob(pattern))
        left -= set(files)
        yield name, list(map(str, files))
    for number in range(1, PARTS + 1):
        yield f"all else {number} of {PARTS}", ["--part", f"{number}/{PARTS}", *sorted(map(str, left))]


def version_of(name: str) -> str:
    """What an engine says its version is; nothing for what is no engine."""
    if name not in ENGINES:
        return ""
    if lack := missing(name):
        raise EngineError(f"{name} is not installed ({lack}): python -m dev.engines install {name}")
    with start(name) as engine:
        return engine.version


def run(name: str, chosen: list[str], commit: str) -> Outcome:
    """Run a group and keep what it said beside the outcome."""
    begin, log = time.monotonic(), place_of(name, "log")
    command = [sys.executable, "-m", "pytest", "--quiet", "--everything", *chosen]
    with log.open("w", encoding="utf-8") as output:
        status = subprocess.run(command, cwd=ROOT, stdout=output, stderr=output, check=False).returncode
    last = log.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
    counts = {result: int(number) for number, result in COUNT.findall(last)}
    return Outcome(commit, version_of(name), counts, time.monotonic() - begin, status)


def place_of(name: str, suffix: str) -> Path:
    """The file about a group."""
    return FOLDER / f"{name.replace(' ', '_')}.{suffix}"


def kept(name: str, commit: str) -> Outcome | None:
    """What came of a group on this commit; None if it has not been run, or failed."""
    file = place_of(name, "json")
    found = Outcome(**json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None
    return found if found and found.commit == commit and found.status == 0 else None


def table(outcomes: dict[str, Outcome]) -> str:
    """All outcomes as Markdown."""
    lines = ["| engine | version | tests | minutes | result |", "|---|---|---:|---:|---|"]
    for name, found in outcomes.items():
        number = sum(found.counts.values())
        lines.append(f"| {name} | {found.version} | {number:,} | {found.seconds / 60:.1f} | {found.result} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m dev.everything", description="All tests, engine by engine.")
    parser.add_argument("names", nargs="*", metavar="GROUP", help=", ".join(name for name, _ in groups()))
    parser.add_argument("--again", action="store_true", help="run what has passed on this commit, too")
    arguments = parser.parse_args()
    asked = {name: chosen for name, chosen in groups() if name in arguments.names or not arguments.names}
    if unknown := set(arguments.names) - asked.keys():
        parser.error(f"no group is called {', '.join(sorted(unknown))}; there are {', '.join(dict(groups()))}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    state = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    commit, outcomes = state.stdout.strip(), {}
    for name, chosen in asked.items():
        found = None if arguments.again else kept(name, commit)
        if found is None:
            found = run(name, chosen, commit)
            place_of(name, "json").write_text(json.dumps(asdict(found)), encoding="utf-8")
        outcomes[name] = found
        print(f"{name}: {found.result}, {sum(found.counts.values()):,} tests, {found.seconds / 60:.1f} min", flush=True)
        (FOLDER / "table.md").write_text(table(outcomes), encoding="utf-8")
    return int(any(found.status for found in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())

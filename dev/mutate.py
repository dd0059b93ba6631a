"""``python -m dev.mutate``: what the tests find of single mistakes, each made in a copy of the repository.

``mutations.toml`` has the mistakes. Each is looked for by the default run, without the tests that compare whole texts
or generated files with those in the repository, since those see any change; what the default run does not find, by the
short tests that it leaves out, and then by the covering set in an engine beside DuckDB. The table says by which test it
was found first.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
OF_WHOLE_TEXTS = ("tests/dialects/test_golden.py", "tests/dev/test_site.py", "tests/dev/test_repository.py")
IGNORED = [f"--ignore={path}" for path in OF_WHOLE_TEXTS]
FIRST = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
RUNS = {  # name: arguments of pytest, of which the first that fails ends the search
    "README": IGNORED,
    "thorough": [*IGNORED, "--thorough", "-m", "thorough"],
    "covering set": ["--everything", "-m", "covering", "tests/engines/test_in_postgres_18.py"],
}


class Mutation(NamedTuple):
    """One mistake.

    Attributes:
        name: what is wrong then.
        file: the file that it is made in, from the root of the repository.
        old: text that stands there once.
        new: what stands there instead.
    """

    name: str
    file: str
    old: str
    new: str


def mutations() -> list[Mutation]:
    """Return the mutations of ``mutations.toml``."""
    entries = tomllib.loads(Path(__file__).with_name("mutations.toml").read_text(encoding="utf-8"))
    return [Mutation(**entry) for entry in entries["mutation"]]


def make(mutation: Mutation, folder: Path) -> None:
    """Make a mistake in a copy; exit if the text that it replaces is not there exactly once."""
    file = folder / mutation.file
    text = file.read_text(encoding="utf-8")
    if text.count(mutation.old) != 1:
        sys.exit(
            f"{mutation.file} has {text.count(mutation.old)} times what {mutation.name!r} replaces: {mutation.old}"
        )
    file.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")


def copy_repository(folder: Path) -> None:
    """Copy the files that git tracks, as they are now."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


def failing_test(folder: Path, arguments: Sequence[str]) -> str | None:
    """Return the first test that fails in a copy; None if all pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", *arguments]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if process.returncode == 0:
        return None
    test = FIRST.search(process.stdout)
    return test[1] if test else f"status {process.returncode}: {process.stdout[-200:]!r}"


def find_test(mutation: Mutation) -> tuple[str, str]:
    """Return the run that finds a mistake, and its first failing test; two empty texts if all tests pass."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_repository(folder)
        make(mutation, folder)
        for run, arguments in RUNS.items():
            if test := failing_test(folder, arguments):
                return run, test
    return "", ""


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m dev.mutate", description="What the tests find of mistakes.")
    parser.add_argument("names", nargs="*", metavar="WORD", help="mutations whose names have one of these words")
    words = parser.parse_args().names
    chosen = [mutation for mutation in mutations() if not words or any(word in mutation.name for word in words)]
    missed = 0
    print("| mistake | in | found by | first test | seconds |\n|---|---|---|---|---:|", flush=True)
    for mutation in chosen:
        begin = time.monotonic()
        run, test = find_test(mutation)
        missed += not run
        seconds = time.monotonic() - begin
        print(f"| {mutation.name} | {mutation.file} | {run or '**nothing**'} | {test} | {seconds:.0f} |", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())

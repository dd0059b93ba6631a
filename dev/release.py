"""What has to hold before a version is published: ``python -m dev.release``, or ``make release``.

Prints a line for each step and exits with 1 if one fails. It publishes nothing. Wheel and source archive are left in
``build/release``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .check.documents import versions_agree
from .check.repository import Repository

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "build" / "release"
SHOWN = re.compile(r"^covidex\.t5 +0\.6250 +0\.7314 ", re.MULTILINE)  # trec_eval's numbers
Problems = Iterator[str]


def version(root: Path = ROOT) -> str:
    """The version that is to be published."""
    return str(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def versions(root: Path = ROOT) -> Problems:
    """pyproject.toml, the package, the dbt package, the changelog and CITATION.cff have one version."""
    yield from map(str, versions_agree(Repository(root)))
    if f"\nversion: {version(root)}\n" not in (root / "CITATION.cff").read_text(encoding="utf-8"):
        yield f"CITATION.cff has another version; expected version: {version(root)}"


def changelog(root: Path = ROOT) -> Problems:
    """The entry of the version has a date."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[{re.escape(version(root))}\] - \d{{4}}-\d\d-\d\d$", text, re.MULTILINE):
        yield f"CHANGELOG.md: the heading of {version(root)} has no date; expected ## [{version(root)}] - YYYY-MM-DD"


def clean(root: Path = ROOT) -> Problems:
    """Everything is committed."""
    process = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=True)
    if process.stdout:
        yield f"{len(process.stdout.splitlines())} files are not committed; git status lists them"


def built() -> Problems:
    """Wheel and source archive are built, and twine accepts them."""
    shutil.rmtree(TARGET, ignore_errors=True)
    with _environment("build", "twine") as python:
        yield from _run(python, "-m", "build", "--outdir", str(TARGET), str(ROOT))
        yield from _run(python, "-m", "twine", "check", "--strict", *map(str, TARGET.glob("*")))


def installed() -> Problems:
    """The wheel works in an empty environment and folder: the demo's numbers, and the dbt package inside."""
    wheels = list(TARGET.glob("*.whl"))
    if not wheels:
        yield "there is no wheel"
        return
    with _environment(str(wheels[0])) as python:
        folder = python.parents[1]
        demo = subprocess.run(
            [python, "-m", "rankmetrics_sql", "demo"], cwd=folder, capture_output=True, text=True, check=False
        )
        if not SHOWN.search(demo.stdout):
            yield f"the demo prints other numbers: {(demo.stderr or demo.stdout)[-300:]}"
        code = "import rankmetrics_sql.root as r; print((r.sql_root() / 'dbt_project.yml').read_text())"
        project = subprocess.run([python, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
        if f'version: "{version()}"' not in project.stdout:
            yield f"the dbt package in the wheel has another version; expected {version()}"


STEPS: tuple[Callable[[], Problems], ...] = (versions, changelog, clean, built, installed)


@contextmanager
def _environment(*requirements: str) -> Iterator[Path]:
    """Yield the Python of a temporary virtual environment with these packages."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)
        yield python


def _run(*command: str | Path) -> Problems:
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        yield f"{' '.join(map(str, command[1:4]))} fails: {(process.stdout + process.stderr)[-500:]}"


def main() -> int:
    """Take each step, print its problems, and return the exit status."""
    failed = False
    for step in STEPS:
        problems = list(step())
        failed |= bool(problems)
        print(f"{'FAILED' if problems else 'ok':7} {step.__doc__}", flush=True)
        for problem in problems:
            print(f"        {problem}")
    print(f"Not ready: {version()}" if failed else f"Ready: {version()}, in {TARGET.relative_to(ROOT)}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

"""``python -m dev.tools install [NAME ...] [--jobs N]`` and ``python -m dev.tools list``."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import HERE, TOOLS, folder, marker, pins, python_of, requirements

TRIES = 3  # a download may fail
NO_JAVA = "Spark needs Java 17 or newer at run time: apt-get install default-jre-headless"


Finish = Callable[[str], None]  # what an environment needs beyond its packages


def call(*command: str | Path) -> None:
    """Run a command, silently unless it fails; again after a while, because registries have bad moments."""
    for attempt in range(TRIES):
        time.sleep(5 * attempt)
        process = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if process.returncode == 0:
            return
    raise RuntimeError(f"{' '.join(map(str, command))}\n{process.stdout}{process.stderr}")


def interpreter() -> str:
    """The Python that the requirements were frozen for, or the running one."""
    return sys.executable if sys.version_info[:2] == (3, 11) else shutil.which("python3.11") or sys.executable


def uv() -> Path | None:
    """The installer uv, in an environment of its own: ten times as fast as pip; None where it cannot be had."""
    home = folder() / "bootstrap"
    program = home / "bin" / "uv"
    if program.is_file():
        return program
    try:
        call(interpreter(), "-m", "venv", "--clear", home)
        call(home / "bin" / "python", "-m", "pip", "install", "--quiet", "uv")
    except RuntimeError:
        return None
    return program


def install(name: str, program: Path | None, home: Path, finish: Finish) -> None:
    """Make a tool's environment anew and mark it as complete."""
    place, packages = folder() / name, requirements(name, home)
    shutil.rmtree(place, ignore_errors=True)
    if program:
        call(program, "venv", "--quiet", "--python", interpreter(), place)
        call(program, "pip", "install", "--quiet", "--no-deps", "--python", place / "bin" / "python", "-r", packages)
    else:
        call(interpreter(), "-m", "venv", place)
        call(place / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps", "-r", packages)
    finish(name)
    marker(name).write_text(pins(name, home))


def attempt(name: str, program: Path | None, home: Path, finish: Finish) -> str | None:
    """Install a tool unless it is there; what went wrong, if anything."""
    if python_of(name, home):
        print(f"{name}: already installed", flush=True)
        return None
    start = time.monotonic()
    try:
        install(name, program, home, finish)
    except RuntimeError as problem:
        print(f"{name}: failed", flush=True)
        return f"{name}: {problem}"
    print(f"{name}: installed in {time.monotonic() - start:.0f} s", flush=True)
    return None


def install_all(names: Sequence[str], jobs: int, home: Path, finish: Finish) -> int:
    """Install tools side by side; the exit status."""
    folder().mkdir(parents=True, exist_ok=True)
    program = uv()
    with ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda name: attempt(name, program, home, finish), names)
        problems = [problem for problem in results if problem]
    if not shutil.which("java") and any("pyspark" in requirements(name, home).read_text() for name in names):
        print(NO_JAVA)
    print(*problems, sep="\n", file=sys.stderr, end="")
    return 1 if problems else 0


def show(names: Sequence[str], home: Path) -> int:
    """Print which tools are installed."""
    for name in names:
        print(f"{name:<14}{python_of(name, home) or 'not installed'}")
    return 0


def main(
    program: str = "python -m dev.tools",
    description: str = "Evaluation tools to compare with.",
    known: Sequence[str] = TOOLS,
    home: Path = HERE,
    finish: Finish = lambda name: None,
) -> int:
    """Read the command line; ``dev.dbt_envs`` has the same one for other environments."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="show which of them are installed")
    installing = commands.add_parser("install", help="install them, all of them if none is named")
    installing.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    installing.add_argument("--jobs", type=int, default=2, help="how many at a time (2)")
    arguments = parser.parse_args()
    if arguments.command == "list":
        return show(known, home)
    if unknown := set(arguments.names) - set(known):
        parser.error(f"unknown name: {', '.join(sorted(unknown))}")
    return install_all(arguments.names or known, arguments.jobs, home, finish)


if __name__ == "__main__":
    sys.exit(main())

"""``python -m tests.tools install [NAME ...] [--jobs N]`` and ``python -m tests.tools list``."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import TOOLS, folder, marker, pins, python_of, requirements

TRIES = 3  # a download may fail
NO_JAVA = "spark needs Java 17 or newer at run time: apt-get install default-jre-headless"


def call(*command: str | Path) -> None:
    """Run a command, silently unless it fails; again after a while, because registries have bad moments."""
    for attempt in range(TRIES):
        time.sleep(5 * attempt)
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
    raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


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


def install(name: str, program: Path | None) -> None:
    """Make a tool's environment anew and mark it as complete."""
    home, wanted = folder() / name, requirements(name)
    shutil.rmtree(home, ignore_errors=True)
    if program:
        call(program, "venv", "--quiet", "--python", interpreter(), home)
        call(program, "pip", "install", "--quiet", "--no-deps", "--python", home / "bin" / "python", "-r", wanted)
    else:
        call(interpreter(), "-m", "venv", home)
        call(home / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps", "-r", wanted)
    marker(name).write_text(pins(name))


def attempt(name: str, program: Path | None) -> str | None:
    """Install a tool unless it is there; what went wrong, if anything."""
    if python_of(name):
        print(f"{name}: already installed", flush=True)
        return None
    start = time.monotonic()
    try:
        install(name, program)
    except RuntimeError as problem:
        print(f"{name}: failed", flush=True)
        return f"{name}: {problem}"
    print(f"{name}: installed in {time.monotonic() - start:.0f} s", flush=True)
    return None


def install_all(names: Sequence[str], jobs: int) -> int:
    """Install tools side by side; the exit status."""
    folder().mkdir(parents=True, exist_ok=True)
    program = uv()
    with ThreadPoolExecutor(jobs) as pool:
        problems = [problem for problem in pool.map(lambda name: attempt(name, program), names) if problem]
    if "spark" in names and not shutil.which("java"):
        print(NO_JAVA)
    print(*problems, sep="\n", file=sys.stderr, end="")
    return 1 if problems else 0


def show() -> int:
    """Print which tools are installed."""
    for name in TOOLS:
        print(f"{name:<14}{python_of(name) or 'not installed'}")
    return 0


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools", description="Evaluation tools to compare with.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="show which tools are installed")
    installing = commands.add_parser("install", help="install tools, all of them if none is named")
    installing.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TOOLS))
    installing.add_argument("--jobs", type=int, default=2, help="how many at a time (2)")
    arguments = parser.parse_args()
    if arguments.command == "list":
        return show()
    if unknown := set(arguments.names) - set(TOOLS):
        parser.error(f"unknown tool: {', '.join(sorted(unknown))}")
    return install_all(arguments.names or TOOLS, arguments.jobs)


if __name__ == "__main__":
    sys.exit(main())

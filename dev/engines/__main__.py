"""``python -m dev.engines install [NAME ...]``, ``... list``, ``... run NAME`` and ``... table``."""

from __future__ import annotations

import argparse
import sys
import time

from . import ENGINES, EngineError, missing, start
from .install import pinned, python_packages

HOUR = 3600


def install(names: list[str]) -> int:
    """Install engines, or all of them and whatever else the extra has; the exit status."""
    problems = []
    for name in names or ENGINES:
        begin = time.monotonic()
        try:
            python_packages(ENGINES[name].packages if names else pinned())
            ENGINES[name].install()
        except RuntimeError as problem:
            problems.append(f"{name}: {problem}")
        lack = missing(name)
        print(f"{name}: {f'lacks {lack}' if lack else f'ready, {time.monotonic() - begin:.0f} s'}", flush=True)
    print(*problems, sep="\n", file=sys.stderr, end="\n" if problems else "")
    return 1 if any(map(missing, names or ENGINES)) else 0


def show() -> int:
    """Print every engine, whether it is installed, and what it says of itself."""
    for name, engine in ENGINES.items():
        lack, runs = missing(name), ", ".join((*engine.dialects, *(f"{proxy} (proxy)" for proxy in engine.proxies)))
        print(f"{name:<14}{runs:<32}{f'not installed: {lack}' if lack else version(name)}", flush=True)
    return 0


def version(name: str) -> str:
    """What an engine says its version is, or why it does not start."""
    try:
        with start(name) as engine:
            return engine.version
    except EngineError as problem:
        return f"does not start: {problem}"


def run(name: str) -> int:
    """Run an engine until the keyboard says otherwise."""
    with start(name) as engine:
        print(f"{name} {engine.version}: {engine.url or 'only for its own process'}", flush=True)
        try:
            while True:
                time.sleep(HOUR)
        except KeyboardInterrupt:
            return 0


def tell() -> int:
    """Start every engine for its version, and write the table of docs/engines.md anew."""
    from . import table  # the tests that it counts import what only tests need

    versions = {}
    for name in ENGINES:
        with start(name) as engine:
            versions[name] = engine.version
    table.write(versions.__getitem__)
    return 0


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m dev.engines", description="Engines that the tests run text in.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="start every one that is installed and show its version")
    installing = commands.add_parser("install", help="install them, all of them if none is named")
    installing.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ENGINES))
    commands.add_parser("table", help="start every one and write docs/engines.md's table of them anew")
    running = commands.add_parser("run", help="keep one running, and show how to connect")
    running.add_argument("name", choices=ENGINES, metavar="NAME", help=", ".join(ENGINES))
    arguments = parser.parse_args()
    if arguments.command == "list":
        return show()
    if arguments.command == "table":
        return tell()
    if arguments.command == "run":
        return run(arguments.name)
    if unknown := set(arguments.names) - ENGINES.keys():
        parser.error(f"unknown name: {', '.join(sorted(unknown))}; there are {', '.join(ENGINES)}")
    return install(arguments.names)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except EngineError as problem:
        sys.exit(f"error: {problem}")

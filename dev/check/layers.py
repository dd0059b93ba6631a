"""The order of the modules, which import-linter holds; ``pyproject.toml`` has it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from .repository import Finding, Repository


def modules_import_downwards(repository: Repository) -> Iterator[Finding]:
    """A module imports only from those before it."""
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache"], check=False, cwd=repository.root, capture_output=True, text=True)
    found = list(_imports(done.stdout))
    yield from found
    if done.returncode and not found:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        yield Finding("pyproject.toml", 1, f"lint-imports failed: {' '.join(last)}; expected contracts that hold")


def _imports(report: str) -> Iterator[Finding]:
    """The imports that a report lists below what they break."""
    broken = ""
    for line in report.splitlines():
        broken = line.rstrip(":") if "is not allowed to import" in line else broken
        if found := re.search(r"([\w.]+) -> ([\w.]+) \(l\.(\d+)", line):
            path = f"{found[1].replace('.', '/')}.py"
            yield Finding(path, int(found[3]), f"{found[2]} is imported; expected not to: {broken}")


RULES = (modules_import_downwards,)

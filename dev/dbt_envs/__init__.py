"""Versions of dbt, each in an environment of its own, and what runs a project in them.

Install them with ``python -m dev.dbt_envs install [NAME ...]``; ``python -m dev.dbt_envs list`` says which are
there. They go where the tools of ``dev.tools`` go, and are made by the same installer.

``dbt-1.8``  the oldest dbt that the package promises to work with
``dbt-1``    the newest of Python's dbt, with every adapter that installs without a compiler; runs Spark too
``dbt-2``    the dbt written in Rust: no Python, and DuckDB as a shared library
``sqlmesh``  another program that loads dbt projects
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import tools

HERE = Path(__file__).parent
ENVIRONMENTS = ("dbt-1.8", "dbt-1", "dbt-2", "sqlmesh")
LIBRARY = "libduckdb.so"
TIMEOUT = 600  # seconds for one command; Spark starts a Java machine

# What dbt tells of itself, and where; the second is for adapters that dbt 2 does not promise yet.
SWITCHES = {
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    "DO_NOT_TRACK": "1",
    "DBT_ALLOW_EXPERIMENTAL_ADAPTERS": "true",
    "NO_COLOR": "1",
    "PYTHONUTF8": "1",
    "RUST_BACKTRACE": "0",
}


def library_pin(name: str) -> str | None:
    """The npm package that has DuckDB for an environment: a comment in its requirements, which the marker knows."""
    found = re.search(r"^# npm: (\S+)==(\S+)$", tools.requirements(name, HERE).read_text(), re.MULTILINE)
    return f"{found[1]}@{found[2]}" if found else None


def program(name: str) -> Path | None:
    """What runs in an environment; None if it is not installed, or not as its requirements say now."""
    python = tools.python_of(name, HERE)
    return None if python is None else python.with_name("sqlmesh" if name == "sqlmesh" else "dbt")


@dataclass(frozen=True)
class Done:
    """What came of a command: its status, what it said, and the result of every node by name."""

    status: int
    output: str
    results: Mapping[str, Mapping[str, Any]]

    def of(self, status: str) -> list[str]:
        """The names of nodes with that status: success, pass, warn, fail, error or skipped."""
        return sorted(name for name, result in self.results.items() if result["status"] == status)


def run(name: str, project: Path, *arguments: str, target: str = "duckdb") -> Done:
    """Run ``dbt ARGUMENTS`` in a project that has its own ``profiles.yml``."""
    executable = program(name)
    if executable is None:
        raise tools.ToolError(f"{name} is not installed; install it with: python -m dev.dbt_envs install {name}")
    results = project / "target" / "run_results.json"
    results.unlink(missing_ok=True)
    environment = os.environ | SWITCHES | {"LD_LIBRARY_PATH": str(executable.parents[1])}
    command = [str(executable), *arguments]
    if name != "sqlmesh":
        command += ["--project-dir", str(project), "--profiles-dir", str(project), "--target", target]
    status, output = communicate(command, project, environment)
    nodes = json.loads(results.read_text())["results"] if results.is_file() else []
    # an operation of dbt 2 has a shorter id than a node
    by_name = {".".join(node["unique_id"].split(".")[2:3]) or node["unique_id"]: node for node in nodes}
    return Done(status, re.sub(r"\x1b\[[0-9;]*m", "", output), by_name)


def communicate(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Status and output of a command, which takes its Java machine with it if it has to be stopped."""
    running = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = running.communicate(timeout=TIMEOUT)
    except BaseException:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        raise
    return running.returncode, output


def compiled(project: Path) -> dict[str, str]:
    """The text of every compiled model, by its name."""
    folder = project / "target" / "compiled"
    return {file.stem: file.read_text(encoding="utf-8") for file in folder.rglob("models/**/*.sql")}

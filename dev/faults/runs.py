"""Run commands over a bad network, and look at how they end and what they leave in the database."""

from __future__ import annotations

import contextlib
import random
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dev.engines import Engine

from .proxy import FAULTS, Fault, proxy

ROOT = Path(__file__).parents[2]
TIMEOUT = 2  # seconds, of the commands
# Seconds from the moment when a command meets the fault to its end: its timeout, the patience with the server, with the
# driver, and a second connection that drops what was stored; and what starting Python takes on a busy machine.
DEADLINE = TIMEOUT + 2 + 1 + 2 * 5 + 2 + 1
STARTING = 20

_NUMBERS = "SELECT a.i * 100 + b.i AS i FROM ({digits}) AS a, ({digits}) AS b".format(
    digits=" UNION ALL ".join(f"SELECT {digit} AS i" for digit in range(1, 100))
)
_TABLES = (
    f"CREATE TABLE results AS SELECT CONCAT('q', i % 50) AS query_id, CONCAT('i', i) AS item_id, 1.0 / i AS score FROM"
    f" ({_NUMBERS}) AS numbers",
    "CREATE TABLE labels AS SELECT query_id, item_id, 1 AS relevance FROM results WHERE score > 0.001",
)
_OLD = (
    "CREATE TABLE kept (metric VARCHAR(20), value DOUBLE PRECISION, n_queries BIGINT)",
    "INSERT INTO kept VALUES ('old', 0.5, 1), ('older', 0.5, 1)",
)
_OURS = (
    "SELECT table_name FROM information_schema.tables"
    " WHERE table_name LIKE 'rankmetrics%' OR table_name LIKE '%rankmetrics_old%'"
)
_LAST = 800  # bytes at the end of a replacement, in which the new table takes the place of the old one
_FORM = r"(.+_rankmetrics_old|rankmetrics)_\d{14}_[0-9a-f]{8}(_[a-z_]+_\d+)?"  # as docs/engines.md describes it

# How each engine counts the sessions of others, and the schema that stores tables.
ENGINES = {
    "postgres-15": (
        "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
        "public",
    ),
    "mariadb": ("SELECT 1 FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user = 'root'", "tests"),
}


@dataclass(frozen=True)
class Outcome:
    """How a command ended.

    Attributes:
        task: what it was to do.
        fault: what the network did.
        began: whether the command met the fault, rather than ending before.
        code: its exit code; None if it had to be killed.
        seconds: the time that it took.
        named: how many tables it left and named.
        left: how many tables it left in silence; they have names that ``clean`` finds, or count as ``lost``.
        lost: how many tables it left that ``clean`` does not find.
        table: whether the table that it was to replace is ``old``, ``new`` or, which must not be, ``broken``.
        errors: its lines on standard error.
    """

    task: str
    fault: Fault
    began: bool
    code: int | None
    seconds: float
    named: int
    left: int
    lost: int
    table: str
    errors: tuple[str, ...]

    @property
    def mistakes(self) -> list[str]:
        """Return what must not be, in words."""
        found = []
        if self.code not in (0, 1, 4):
            found.append(f"exit code {self.code}")
        if self.seconds > DEADLINE + STARTING:
            found.append(f"{self.seconds:.0f} s")
        if self.lost:
            found.append(f"{self.lost} tables that clean does not find")
        if self.table == "broken" or (self.code == 0 and self.task == "replace" and self.table != "new"):
            found.append(f"the table is {self.table}")
        if any("Traceback" in line for line in self.errors):
            found.append("a traceback")
        return found


class Site:
    """A server, files, and the tasks of commands."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        """Fill an engine's tables, and a file in a folder."""
        self._engine, self._file = engine, folder / "run.csv"
        self._others, self._schema = ENGINES[engine.name]
        rows = [f"q{i % 50},i{i},{1 / i}" for i in range(101, 600)]
        self._file.write_text("\n".join(["query_id,item_id,score", *rows]))
        for statement in _TABLES:
            engine.run(statement)
        self.bytes = {task: self._count(task) for task in self.tasks}

    tasks = ("read", "store", "replace")

    def command(self, task: str, port: int) -> list[str]:
        """Return the command of a task."""
        options = {
            "read": ["results", "--per-query"],
            "store": [str(self._file), "--materialize", self._schema],
            "replace": ["results", "--into", "kept", "--replace"],
        }[task]
        url = self._engine.url.replace(f":{self._port}/", f":{port}/")
        rest = ["--qrels", "labels", "-m", "ndcg@10", "--database", url, "--timeout", str(TIMEOUT), "--format", "csv"]
        return [sys.executable, "-m", "rankmetrics_sql", "evaluate", *options, *rest]

    def outcome(self, task: str, seed: int) -> Outcome:
        """Run a task with the fault that follows from a seed."""
        chosen = random.Random(seed)
        kind = chosen.choice(FAULTS)
        span = chosen.choice((self.bytes[task], _LAST)) if task == "replace" else self.bytes[task]
        fault = Fault(kind, self.bytes[task] - chosen.randrange(1, span), lasting=chosen.random() < 0.5)
        self._restore()
        begin = time.monotonic()
        with proxy(self._port, fault, seed) as network:
            process = subprocess.Popen(
                self.command(task, network.port), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
            try:
                lines = process.communicate(timeout=DEADLINE + 2 * STARTING)[1].splitlines()
                code: int | None = process.returncode
            except subprocess.TimeoutExpired:
                process.kill()
                lines, code = process.communicate()[1].splitlines(), None
            seconds, began = time.monotonic() - begin, network.began
        self._wait_for_sessions()
        ours = {str(name) for (name,) in self._fetch(_OURS)}
        named = {name for name in ours if any(name in line for line in lines)}
        listed = {name for name in ours if re.fullmatch(_FORM, name)}
        for name in ours:
            self._engine.run(f"DROP TABLE {name}")
        left, lost = len(ours - named), len(ours - listed)
        return Outcome(task, fault, began, code, seconds, len(named), left, lost, self._state(), tuple(lines))

    def _count(self, task: str) -> int:
        """Return the bytes that pass if nothing happens."""
        self._restore()
        with proxy(self._port, None) as network:
            subprocess.run(self.command(task, network.port), cwd=ROOT, capture_output=True, check=True)
            return network.passed

    @property
    def _port(self) -> int:
        return int(re.findall(r":(\d+)/", self._engine.url)[0])

    def _fetch(self, sql: str) -> list[tuple[Any, ...]]:
        return list(self._engine.fetch(sql)[1])

    def _restore(self) -> None:
        for statement in ("DROP TABLE IF EXISTS kept", *_OLD):
            self._engine.run(statement)

    def _wait_for_sessions(self) -> None:
        """Wait until the server has noticed that the command is gone."""
        end = time.monotonic() + 60
        while self._fetch(self._others) and time.monotonic() < end:
            time.sleep(0.05)

    def _state(self) -> str:
        with contextlib.suppress(Exception):  # as if it were not there
            metrics = sorted(metric for (metric,) in self._fetch("SELECT metric FROM kept"))
            return {("old", "older"): "old", ("ndcg@10",): "new"}.get(tuple(metrics), "broken")
        return "broken"


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a Markdown table: a row for each task and fault."""
    lines = [
        "| command | network | runs | exit codes | longest | left and named | left in silence | the old table |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for task in Site.tasks:
        for kind in FAULTS:
            group = [one for one in outcomes if one.task == task and one.fault.kind == kind]
            if not group:
                continue
            codes = sorted({str(one.code) for one in group})
            counts = ", ".join(f"{code}: {sum(str(one.code) == code for one in group)}" for code in codes)
            longest = max(one.seconds for one in group)
            named, left = sum(one.named for one in group), sum(one.left for one in group)
            states = [one.table for one in group]
            whole = f"{states.count('old')} old, {states.count('new')} new" if task == "replace" else ""
            lines.append(
                f"| {task} | {kind} | {len(group)} | {counts} | {longest:.0f} s | {named} | {left} | {whole} |"
            )
    return "\n".join(lines)

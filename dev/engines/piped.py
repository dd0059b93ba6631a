"""An engine in another process, perhaps of another environment, that is spoken to over a pipe."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar

from .base import Answer, Columns, Engine, EngineError, Row
from .servers import GRACE, workplace

ROOT = Path(__file__).parents[2]


class Piped(Engine):
    """Runs ``python -m dev.engines.worker``; there is no connection that a test could take.

    Attributes:
        inner: The engine that the other process runs.
    """

    inner: ClassVar[str]

    @classmethod
    def python(cls) -> Path | None:
        """The interpreter of the other process."""
        return Path(sys.executable)

    def begin(self, stack: ExitStack, **arguments: Any) -> None:
        """Start the other process; the arguments are those of the engine there."""
        command = [str(self.python()), "-m", "dev.engines.worker", self.inner, json.dumps(arguments)]
        self._process = stack.enter_context(talking(command))
        self.version = self._read_answer()

    def load(self, table: str, columns: Columns, rows: Sequence[Row]) -> None:
        """Have it make a table."""
        self._ask({"load": table, "columns": dict(columns), "rows": [list(row) for row in rows]})

    def fetch(self, sql: str) -> Answer:
        """Have it answer a statement."""
        names, rows = self._ask({"fetch": sql})
        return names, [tuple(row) for row in rows]

    def _ask(self, question: Mapping[str, Any]) -> Any:
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return self._read_answer()

    def _read_answer(self) -> Any:
        line = self._process.stdout.readline()
        if not line:
            raise EngineError(f"{self.name} ended:\n{Path(self._process.log).read_text()[-4000:]}")
        message = json.loads(line)
        if "error" in message:
            raise EngineError(message["error"])
        return message["answer"]


class Apart(Piped):
    """Runs it in an environment of its own, which has the packages of ``requirements/NAME.txt``."""

    @classmethod
    def place(cls) -> Path | None:
        """The folder of that environment; None if it is not installed."""
        from .install import place_of

        return place_of(cls.name)

    @classmethod
    def python(cls) -> Path | None:
        """That environment's interpreter."""
        place = cls.place()
        return place and place / "bin" / "python"

    @classmethod
    def missing(cls) -> str | None:
        """The environment."""
        return None if cls.place() else "no environment with it"

    @classmethod
    def install(cls) -> None:
        """Make the environment."""
        from .install import environment

        environment(cls.name)


class Process(subprocess.Popen[str]):
    """A process with a log."""

    log: Path


@contextmanager
def talking(command: Sequence[str]) -> Iterator[Process]:
    """A process that ends when it is told nothing more."""
    with workplace("worker") as folder, (folder / "log").open("w") as log:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log}
        with Process(command, cwd=ROOT, encoding="utf-8", **pipes) as running:
            running.log = folder / "log"
            try:
                yield running
            finally:
                running.stdin.close()
                try:
                    running.wait(timeout=GRACE)
                except subprocess.TimeoutExpired:
                    running.kill()

"""Servers of the tests: processes at 127.0.0.1 that are waited for, and stopped by their id."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from .base import EngineError

PATIENCE = 120  # seconds until a server must answer
GRACE = 20  # seconds that it may take to stop


def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Whether someone takes connections at a port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def owner(*names: str) -> str | None:
    """Whom a server runs as that refuses to be root: the first of these users, or nobody; None if we are not root."""
    if os.geteuid() != 0:
        return None
    users = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in names if name in users), "nobody")


@contextmanager
def workplace(name: str, user: str | None = None) -> Iterator[Path]:
    """A temporary folder that belongs to a user."""
    with tempfile.TemporaryDirectory(prefix=f"{name}-", ignore_cleanup_errors=True) as folder:
        if user:
            shutil.chown(folder, user)
        yield Path(folder)


def prepare(command: Sequence[str | Path], folder: Path, user: str | None = None) -> None:
    """Run a command that makes what the server needs."""
    process = subprocess.run([*map(str, command)], user=user, cwd=folder, capture_output=True, text=True, check=False)
    if process.returncode:
        raise EngineError(f"{Path(command[0]).name} failed:\n{process.stdout}{process.stderr}")


@contextmanager
def serving(
    command: Sequence[str | Path],
    answers: Callable[[], bool],
    folder: Path,
    *,
    user: str | None = None,
    environment: Mapping[str, str] | None = None,
    stop: signal.Signals = signal.SIGTERM,
) -> Iterator[subprocess.Popen[bytes]]:
    """A server for as long as it is needed, from its first answer.

    Args:
        command: What runs the server, in the foreground.
        answers: Says whether it answers yet.
        folder: Where it runs and its log is.
        user: Whom it runs as.
        environment: Variables besides ours.
        stop: The signal that asks it to stop.

    Raises:
        EngineError: It ended early or does not answer; with the end of its log.
    """
    words, variables = [*map(str, command)], os.environ | dict(environment or {})
    with Path(folder, "log").open("ab") as log:
        process = subprocess.Popen(words, user=user, cwd=folder, env=variables, stdout=log, stderr=log)
        try:
            wait(process, answers, Path(log.name))
            yield process
        finally:
            end(process, stop)


def wait(process: subprocess.Popen[bytes], answers: Callable[[], bool], log: Path) -> None:
    """Until the server answers."""
    deadline = time.monotonic() + PATIENCE
    while not answers():
        if process.poll() is not None or time.monotonic() > deadline:
            text = log.read_text(encoding="utf-8", errors="replace")[-4000:]
            raise EngineError(f"{Path(process.args[0]).name} does not answer; its log ends with:\n{text}")
        time.sleep(0.1)


def end(process: subprocess.Popen[bytes], stop: signal.Signals = signal.SIGTERM) -> None:
    """Ask a process to stop, and make it stop."""
    process.send_signal(stop)
    try:
        process.wait(timeout=GRACE)
    except subprocess.TimeoutExpired:
        pass
    finally:  # an impatient keyboard ends the wait, too
        if process.poll() is None:
            process.kill()
            process.wait()

"""A PostgreSQL whose texts are in the order of a language, not of their bytes, for as long as it is needed.

Needs the server's programs (Debian: ``apt-get install postgresql``); ``python -m tests.dbt_envs.postgres`` runs one by
hand.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "dbt"
COLLATION = "en-US"  # lower case before upper, accents after, spaces and punctuation in between
PATIENCE = 60  # seconds until it must answer


class PostgresError(RuntimeError):
    """The server does not start."""


def programs() -> Path | None:
    """Where the server's programs are: the newest of Debian's, or what is on the path."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: float(place.parent.name))
    found = shutil.which("initdb")
    places = [*debian[::-1], *([Path(found).parent] if found else [])]
    return next((place for place in places if (place / "initdb").exists() and (place / "postgres").exists()), None)


def owner() -> str | None:
    """Whom the server runs as: itself refuses to be root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def server() -> Iterator[int]:
    """The port of a server at 127.0.0.1, which trusts USER; its data are gone afterwards."""
    place, user = programs(), owner()
    if place is None:
        raise PostgresError("PostgreSQL is not installed: apt-get install postgresql")
    with tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as folder:
        if user:
            shutil.chown(folder, user)
        data, port = Path(folder, "data"), free_port()
        create = [place / "initdb", "--pgdata", data, "--username", USER, "--auth", "trust", "--no-sync"]
        create += ["--encoding", "UTF8", "--locale", "C", "--locale-provider", "icu", "--icu-locale", COLLATION]
        made = subprocess.run(create, user=user, cwd=folder, capture_output=True, text=True, check=False)
        if made.returncode:
            raise PostgresError(made.stderr)
        settings = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
        start = [place / "postgres", "-D", data, *(f"--{name}={value}" for name, value in settings.items())]
        with Path(folder, "log").open("w+") as log:
            running = subprocess.Popen(start, user=user, cwd=folder, stdout=log, stderr=log)
            try:
                wait(running, place, port, log.name)
                yield port
            finally:
                running.send_signal(signal.SIGINT)  # a fast shutdown, which waits for no client
                try:
                    running.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    running.kill()
                    running.wait()


def wait(running: subprocess.Popen[bytes], place: Path, port: int, log: str) -> None:
    """Until the server answers."""
    ready = [place / "pg_isready", "--quiet", "--host", "127.0.0.1", "--port", str(port), "--username", USER]
    end = time.monotonic() + PATIENCE
    while subprocess.run(ready, check=False).returncode:
        if running.poll() is not None or time.monotonic() > end:
            raise PostgresError(Path(log).read_text())
        time.sleep(0.1)


def main() -> None:
    """Run a server until the keyboard says otherwise."""
    with server() as port:
        print(f"psql --host 127.0.0.1 --port {port} --username {USER} postgres", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()

"""PostgreSQL: the system's with texts in the order of their bytes, and a newer one with the order of a language."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import ClassVar

from .base import EngineError, Server, Type
from .servers import free_port, owner, prepare, serving, workplace

USER = "tests"
LANGUAGE = "en-US"  # lower case before upper, accents after, spaces and punctuation in between
DEBIAN = "apt-get install postgresql"


def programs() -> Path | None:
    """Where the server's programs are: the newest of Debian's, or what is on the path."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: float(place.parent.name))
    program = shutil.which("initdb")
    places = [*debian[::-1], *([Path(program).resolve().parent] if program else [])]
    return next((place for place in places if (place / "initdb").exists() and (place / "postgres").exists()), None)


@contextmanager
def server(place: Path | None = None, language: str | None = LANGUAGE) -> Iterator[int]:
    """The port of a server at 127.0.0.1, which trusts USER; its data are gone afterwards.

    Args:
        place: The folder of its programs; the system's by default.
        language: Whose order its texts are in; None for the order of their bytes.
    """
    place = place or programs()
    if place is None:
        raise EngineError(f"PostgreSQL is not installed: {DEBIAN}")
    user = owner("postgres")
    with workplace("postgres", user) as folder:
        data, port = folder / "data", free_port()
        create = [place / "initdb", "--pgdata", data, "--username", USER, "--auth", "trust", "--no-sync"]
        create += ["--encoding", "UTF8", "--locale", "C"]
        create += ["--locale-provider", "icu", "--icu-locale", language] if language else []
        prepare(create, folder, user)
        settings = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
        start = [place / "postgres", "-D", data, *(f"--{name}={value}" for name, value in settings.items())]
        # SIGINT is a fast shutdown, which waits for no client
        with serving(start, lambda: is_ready(data), folder, user=user, stop=signal.SIGINT):
            yield port


def is_ready(data: Path) -> bool:
    """Whether the server says so in its file, which is how pg_ctl knows."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return False
    return len(lines) > 7 and lines[7].strip() == "ready"


class Postgres(Server):
    """The system's PostgreSQL."""

    name = "postgres-15"
    dialects = ("postgres",)
    proxies = ("redshift",)
    packages = ("psycopg", "sqlalchemy")
    modules = ("psycopg",)
    types: ClassVar[Mapping[Type, str]] = {"text": "TEXT", "double": "DOUBLE PRECISION", "bigint": "BIGINT"}
    language: str | None = None

    @classmethod
    def programs(cls) -> Path | None:
        """Where the server's programs are."""
        return programs()

    @classmethod
    def missing(cls) -> str | None:
        """The server's programs or the driver."""
        return super().missing() or (None if cls.programs() else "no PostgreSQL server")

    @classmethod
    def install(cls) -> None:
        """Install the system's package."""
        from .install import system_package

        system_package("postgresql")

    def place(self, stack: ExitStack) -> Path | None:
        """Where to run them, until the stack is closed."""
        return self.programs()

    def start(self, stack: ExitStack) -> None:
        """Start the server and connect."""
        import psycopg

        port = stack.enter_context(server(self.place(stack), self.language))
        address = f"{USER}@127.0.0.1:{port}/postgres"
        self.connection = stack.enter_context(closing(psycopg.connect(f"postgresql://{address}", autocommit=True)))
        self.version = self.fetch("SHOW server_version")[1][0][0].split()[0]
        self.url = f"postgresql+psycopg://{address}"

    def hurry(self) -> None:
        """Compile nothing, which takes thirty times as long as a statement over little data."""
        self.run("SET jit = off")


class NewPostgres(Postgres):
    """A newer PostgreSQL out of npm, with the order of a language."""

    name = "postgres-18"
    proxies = ()
    language = LANGUAGE

    @classmethod
    def programs(cls) -> Path | None:
        """In the folder of its own."""
        from .install import place_of

        place = place_of(cls.name)
        return place and place / "package" / "native" / "bin"

    def place(self, stack: ExitStack) -> Path | None:
        """A copy: whom the server runs as, if we are root, may not enter the folder that we installed it in."""
        user, found = owner("postgres"), self.programs()
        if user is None or found is None:
            return found
        folder = stack.enter_context(workplace("postgres-programs", user))
        shutil.copytree(found.parent, folder / "native", symlinks=True)
        return folder / "native" / "bin"

    @classmethod
    def install(cls) -> None:
        """Get the archive."""
        from .install import environment

        environment(cls.name)

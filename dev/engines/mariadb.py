"""MariaDB with its default collation, to which ``q001`` equals ``Q001``; it stands for MySQL."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import ClassVar

from .base import EngineError, Server, Type
from .servers import free_port, owner, prepare, serving, workplace

DATABASE = "tests"
PLACES = os.pathsep.join(("/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/usr/bin"))
PROGRAMS = ("mariadbd", "mariadb-install-db")


def program(name: str) -> str | None:
    """Where a program is; servers are often not on the path of users."""
    return shutil.which(name) or shutil.which(name, path=PLACES)


@contextmanager
def server() -> Iterator[int]:
    """The port of a server at 127.0.0.1, whose root needs no password; its data are gone afterwards."""
    daemon, creator = map(program, PROGRAMS)
    if not daemon or not creator:
        raise EngineError("MariaDB is not installed: apt-get install mariadb-server")
    user = owner("mysql")
    with workplace("mariadb", user) as folder:
        data, port = folder / "data", free_port()
        create = ["--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal", "--skip-test-db"]
        prepare([creator, *create], folder, user)
        start = [daemon, "--no-defaults", f"--datadir={data}", f"--socket={folder}/socket", f"--port={port}"]
        start += [f"--pid-file={folder}/pid", "--bind-address=127.0.0.1", "--character-set-server=utf8mb4"]
        # a server that starts removes the temporary tables of all others in the same folder
        start += ["--innodb-flush-log-at-trx-commit=0", f"--tmpdir={folder}"]
        with serving(start, lambda: answers(port), folder, user=user):
            yield port


def answers(port: int) -> bool:
    """Whether a client can log in."""
    import pymysql

    try:
        pymysql.connect(host="127.0.0.1", port=port, user="root", connect_timeout=5).close()
    except pymysql.err.OperationalError:
        return False
    return True


class MariaDb(Server):
    """The system's MariaDB."""

    name = "mariadb"
    dialects = ("mysql",)
    packages = ("pymysql", "sqlalchemy")
    modules = ("pymysql",)
    types: ClassVar[Mapping[Type, str]] = {"text": "VARCHAR(255)", "double": "DOUBLE", "bigint": "BIGINT"}

    @classmethod
    def missing(cls) -> str | None:
        """The server's programs or the driver."""
        return super().missing() or (None if all(map(program, PROGRAMS)) else "no MariaDB server")

    @classmethod
    def install(cls) -> None:
        """Install the system's package."""
        from .install import system_package

        system_package("mariadb-server")

    def start(self, stack: ExitStack) -> None:
        """Start the server, connect and make a database."""
        import pymysql

        port = stack.enter_context(server())
        login = {"host": "127.0.0.1", "port": port, "user": "root", "charset": "utf8mb4", "autocommit": True}
        self.connection = stack.enter_context(closing(pymysql.connect(**login)))
        self.run(f"CREATE DATABASE {DATABASE}")
        self.connection.select_db(DATABASE)
        self.version = self.fetch("SELECT VERSION()")[1][0][0]
        self.url = f"mysql+pymysql://root@127.0.0.1:{port}/{DATABASE}?charset=utf8mb4"

"""Trino: one server with tables in memory."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar

from . import java
from .base import Columns, EngineError, Row, Server, Type, batches
from .servers import free_port, serving, workplace

JAVA = 24  # the oldest that version 476 runs on
HEAP = "-Xmx2G"
LITERALS = 10_000  # rows of one INSERT; it reads a million characters
USER, CATALOG, SCHEMA = "tests", "memory", "default"
PROBE = (
    "DROP TABLE IF EXISTS ready",
    "CREATE TABLE ready AS SELECT 1 AS one",
    "SELECT one FROM ready",
    "DROP TABLE ready",
)
CONFIGURATION = """coordinator=true
node-scheduler.include-coordinator=true
http-server.http.port={port}
node.bind-ip=127.0.0.1
node.internal-address=127.0.0.1
discovery.uri=http://127.0.0.1:{port}
node.environment=tests
node.id=tests
plugin.dir={folder}/plugin
catalog.config-dir={folder}/catalog
web-ui.enabled=false
failure-detector.enabled=false
"""
MEMORY = "connector.name=memory\nmemory.max-data-per-node=512MB\n"
OPTIONS = (
    HEAP,
    "-XX:TieredStopAtLevel=1",  # starts in 12 s of processor instead of 21
    "--add-modules=jdk.incubator.vector",
    "--enable-native-access=ALL-UNNAMED",
    "-Djdk.attach.allowAttachSelf=true",
    "-Dfile.encoding=UTF-8",
    "-Dlog.levels-file=levels",
)


@contextmanager
def server(place: Path) -> Iterator[int]:
    """The port of a server at 127.0.0.1, whose tables are gone afterwards."""
    home, port = java.find(JAVA), free_port()
    (distribution,) = place.glob("trino-server-core-*")
    (memory,) = place.glob("trino-memory-*")
    with workplace("trino") as folder:
        for name in ("plugin", "catalog"):
            (folder / name).mkdir()
        (folder / "plugin" / "memory").symlink_to(memory)
        (folder / "catalog" / f"{CATALOG}.properties").write_text(MEMORY)
        (folder / "config").write_text(CONFIGURATION.format(port=port, folder=folder))
        (folder / "levels").write_text("io.trino=WARN\n")
        start = [home / "bin" / "java", *OPTIONS, "-Dconfig=config", "-cp", f"{distribution}/lib/*"]
        with serving([*start, "io.trino.server.TrinoServer"], lambda: answers(port), folder):
            yield port


def answers(port: int) -> bool:
    """Whether it has started, and then found itself: the first seconds it has no node to read a table on."""
    import trino

    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/info", timeout=5) as answer:
            if b'"starting":false' not in answer.read():
                return False
        with closing(connect(port)) as connection, closing(connection.cursor()) as cursor:
            for sql in PROBE:
                cursor.execute(sql).fetchall()
    except (urllib.error.URLError, OSError, trino.exceptions.TrinoQueryError):
        return False
    return True


def connect(port: int) -> Any:
    """A connection to the tables in memory."""
    import trino

    return trino.dbapi.connect(host="127.0.0.1", port=port, user=USER, catalog=CATALOG, schema=SCHEMA)


class Trino(Server):
    """A server of one node."""

    name = "trino"
    dialects = ("trino",)
    proxies = ("athena",)
    packages = ("trino", "sqlalchemy")
    modules = ("trino",)
    types: ClassVar[Mapping[Type, str]] = {"text": "VARCHAR", "double": "DOUBLE", "bigint": "BIGINT"}

    @classmethod
    def missing(cls) -> str | None:
        """The driver, the server or its Java."""
        from .install import place_of

        if lack := super().missing():
            return lack
        if java.find(JAVA) is None:
            return f"no Java {JAVA} or newer in JAVA_HOME, on the path or in {', '.join(java.PLACES)}"
        return None if place_of(cls.name) else "no Trino server"

    @classmethod
    def install(cls) -> None:
        """Get the server; its Java has to be there."""
        from .install import environment

        environment(cls.name)

    def start(self, stack: ExitStack) -> None:
        """Start the server and connect."""
        from .install import place_of

        place = place_of(self.name)
        if place is None:
            raise EngineError("Trino is not installed")
        port = stack.enter_context(server(place))
        self.connection = stack.enter_context(closing(connect(port)))
        self.version = self.fetch("SELECT node_version FROM system.runtime.nodes")[1][0][0]
        self.url = f"trino://{USER}@127.0.0.1:{port}/{CATALOG}/{SCHEMA}"

    def run(self, sql: str) -> None:
        """A statement without an answer, which has ended only when that is fetched."""
        with closing(self.connection.cursor()) as cursor:
            cursor.execute(sql).fetchall()

    def load(self, table: str, columns: Columns, rows: Sequence[Row]) -> None:
        """A table; its rows are one string of JSON, which is read twenty times as fast as as many values."""
        self.create(table, columns)
        row = ", ".join(f"{name} {self.types[kind]}" for name, kind in columns.items())
        for batch in batches(rows, LITERALS):
            text = json.dumps([list(row) for row in batch], ensure_ascii=False).replace("'", "''")
            self.run(f"INSERT INTO {table} SELECT * FROM UNNEST(CAST(json_parse('{text}') AS ARRAY(ROW({row}))))")

"""Trino: one server with tables in memory."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
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
WORKERS = "SELECT COUNT(*) FROM system.runtime.nodes WHERE NOT coordinator AND state = 'active'"
CONFIGURATION = """coordinator={is_coordinator}
http-server.http.port={own}
node.bind-ip=127.0.0.1
node.internal-address=127.0.0.1
discovery.uri=http://127.0.0.1:{port}
node.environment=tests
node.id=tests_{own}
plugin.dir={folder}/plugin
catalog.config-dir={folder}/catalog
"""
COORDINATOR = """node-scheduler.include-coordinator={works_too}
failure-detector.enabled=false
web-ui.enabled=false
"""
MEMORY = "connector.name=memory\nmemory.max-data-per-node=512MB\n"
OPTIONS = (
    HEAP,
    "--add-modules=jdk.incubator.vector",
    "--enable-native-access=ALL-UNNAMED",
    "-Djdk.attach.allowAttachSelf=true",
    "-Dfile.encoding=UTF-8",
    "-Dlog.levels-file=levels",
)


@contextmanager
def server(place: Path, n_workers: int = 0) -> Iterator[int]:
    """The port of a server at 127.0.0.1, whose tables are gone afterwards; it has so many others work for it."""
    port = free_port()
    node_ports = [port, *(free_port() for _ in range(n_workers))]
    with ExitStack() as stack:
        for number, node_port in enumerate(node_ports):
            is_last = number == n_workers  # before that there may be nobody to ask
            has_come = partial(answers, port, n_workers) if is_last else partial(has_started, node_port)
            stack.enter_context(node(place, node_port, port, has_come, works_too=n_workers == 0))
        yield port


@contextmanager
def node(place: Path, own: int, port: int, has_come: Callable[[], bool], *, works_too: bool) -> Iterator[None]:
    """A process of a server, with a port of its own and that of its coordinator, which may be it and work too."""
    is_coordinator = own == port
    configuration = CONFIGURATION + COORDINATOR if is_coordinator else CONFIGURATION
    home = java.find(JAVA)
    (distribution,) = place.glob("trino-server-core-*")
    (memory,) = place.glob("trino-memory-*")
    with workplace("trino") as folder:
        for kind in ("plugin", "catalog"):
            (folder / kind).mkdir()
        (folder / "plugin" / "memory").symlink_to(memory)
        (folder / "catalog" / f"{CATALOG}.properties").write_text(MEMORY)
        says = {"is_coordinator": str(is_coordinator).lower(), "works_too": str(works_too).lower()}
        (folder / "config").write_text(configuration.format(own=own, port=port, folder=folder, **says))
        (folder / "levels").write_text("io.trino=WARN\n")
        start = [home / "bin" / "java", *OPTIONS, "-Dconfig=config", "-cp", f"{distribution}/lib/*"]
        with serving([*start, "io.trino.server.TrinoServer"], has_come, folder):
            yield


def has_started(port: int) -> bool:
    """Whether one of its processes has."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/info", timeout=5) as answer:
            return b'"starting":false' in answer.read()
    except (urllib.error.URLError, OSError):
        return False


def answers(port: int, n_workers: int) -> bool:
    """Whether it has started, has all workers, and found itself: first it has no node to read a table on."""
    import trino

    if not has_started(port):
        return False
    try:
        with closing(connect(port)) as connection, closing(connection.cursor()) as cursor:
            results = [cursor.execute(sql).fetchall() for sql in (WORKERS, *PROBE)]
    except (OSError, trino.exceptions.TrinoQueryError):
        return False
    return results[0] == [[n_workers]]


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

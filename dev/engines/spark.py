"""Apache Spark: inside one Java machine, and as a cluster of a master and two workers."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from . import java
from .base import Answer, Columns, Engine, Row, arrow_table, plain_rows
from .piped import Apart, Piped
from .servers import end, free_port, listens, serving, workplace

JAVA = 17  # the oldest that Spark 4 runs on
# Cheap for statements that run once over little data; ANSI mode is on, as Spark has it. Planning a statement of
# 100 kB takes 27 s of processor instead of 41 s without the second compiler of Java.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.buffer.pageSize": "1m",  # a task of the largest statements sorts for dozens of windows, each with a page
    "spark.executor.extraJavaOptions": QUICK,
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "3g",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.ui.retainedExecutions": "1",  # plans of hundreds of statements fill the memory
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
# Running takes 24 s of processor instead of 60 for twelve statements over little data, planning them 42 as before.
HURRIED = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
}
LOCAL = {"spark.master": "local[2]"}
REMOTE = "spark.remote"  # the address of a server of Spark Connect
EXECUTOR = {"spark.executor.memory": "1g", "spark.executor.cores": "1"}
WORKERS = 2


class Spark(Engine):
    """Two threads in one Java machine."""

    name = "spark"
    dialects = ("spark", "databricks")
    packages = ("pyspark", "pyarrow", "pandas")
    modules = ("pyspark", "pyarrow", "pandas")

    def __init__(self, settings: Mapping[str, str] = LOCAL) -> None:
        """Settings besides the usual ones say where it runs."""
        self.settings = settings

    @classmethod
    def missing(cls) -> str | None:
        """The package or a Java."""
        return super().missing() or (None if java.find(JAVA) else f"no Java {JAVA} or newer")

    @classmethod
    def install(cls) -> None:
        """Install a Java."""
        from .install import system_package

        if java.find(JAVA) is None:
            system_package("default-jre-headless")

    def start(self, stack: ExitStack) -> None:
        """Start a session, and the Java machine unless there is a server."""
        if REMOTE in self.settings:
            self.connection = stack.enter_context(remote_session(self.settings[REMOTE]))
            return
        folder = stack.enter_context(workplace("spark"))
        self.connection = stack.enter_context(session(folder, self.settings))
        self.version = self.connection.version

    def hurry(self) -> None:
        """Compile nothing, and plan a statement once; the cluster does both as Spark has it."""
        for name, value in HURRIED.items():
            self.connection.conf.set(name, value)

    def load(self, table: str, columns: Columns, rows: Sequence[Row]) -> None:
        """A table in a file of Parquet."""

        frame = self.connection.createDataFrame(arrow_table(columns, rows))
        frame.coalesce(1).write.mode("overwrite").saveAsTable(table)

    def fetch(self, sql: str) -> Answer:
        """The answer to a statement."""
        answer = self.connection.sql(sql)
        return answer.columns, plain_rows(answer.collect())


@contextmanager
def session(folder: Path, settings: Mapping[str, str]) -> Iterator[Any]:
    """A session of Spark with a Java machine of its own, which ends with it."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("tests")
    places = {
        "spark.sql.warehouse.dir": str(folder / "tables"),
        "spark.driver.extraJavaOptions": f"{QUICK} -Djava.io.tmpdir={folder}",
    }
    for name, value in (SETTINGS | places | dict(settings)).items():
        builder = builder.config(name, value)
    with patch.dict(os.environ, variables(folder)):
        spark = builder.getOrCreate()
    gateway = SparkContext._gateway
    try:
        yield spark
    finally:
        spark.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()  # which is its sign to stop
        end(gateway.proc)
        SparkContext._gateway = SparkContext._jvm = None


@contextmanager
def remote_session(url: str) -> Iterator[Any]:
    """A session of a server of Spark Connect."""
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.remote(url).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def variables(folder: Path) -> dict[str, str]:
    """What the processes of Spark are told by their environment."""
    return {"JAVA_HOME": str(java.find(JAVA)), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(folder)}


class SparkCluster(Piped):
    """A master and its workers, each a Java machine; the session is in a process of its own: one has only one."""

    name = "spark-cluster"
    dialects = ("spark",)
    packages = Spark.packages
    inner = "spark"

    @classmethod
    def missing(cls) -> str | None:
        """As for the other one."""
        return Spark.missing()

    @classmethod
    def install(cls) -> None:
        """As for the other one."""
        Spark.install()

    def start(self, stack: ExitStack) -> None:
        """Start the master, the workers and a session."""
        self.begin(stack, settings={"spark.master": stack.enter_context(cluster())} | EXECUTOR)


@contextmanager
def cluster(n_workers: int = WORKERS) -> Iterator[str]:
    """The address of a master whose workers have come."""
    import pyspark

    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    port, pages = free_port(), free_port()
    here = ["--host", "127.0.0.1"]
    with workplace("spark-cluster") as folder, ExitStack() as stack:
        environment = variables(folder) | {"SPARK_DAEMON_MEMORY": "512m"}
        master = [program, "org.apache.spark.deploy.master.Master", *here, "--port", str(port)]
        master += ["--webui-port", str(pages)]
        stack.enter_context(serving(master, lambda: has_workers(pages, 0), folder, environment=environment))
        for number in range(1, n_workers + 1):
            place = folder / f"worker{number}"
            place.mkdir()
            worker = [program, "org.apache.spark.deploy.worker.Worker", *here, "--cores", "1", "--memory", "2g"]
            worker += ["--webui-port", "0", "--work-dir", place, f"spark://127.0.0.1:{port}"]
            came = partial(has_workers, pages, number)
            stack.enter_context(serving(worker, came, place, environment=environment))
        yield f"spark://127.0.0.1:{port}"


def has_workers(pages: int, number: int) -> bool:
    """Whether so many have come to the master."""
    return workers(pages) == number


def workers(pages: int) -> int:
    """How many workers the master says it has; -1 while it says nothing."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{pages}/json/", timeout=5) as answer:
            return int(json.load(answer)["aliveworkers"])
    except (OSError, ValueError):  # nobody answers yet, or with a page that is no JSON
        return -1


class Sail(Apart):
    """Sail: Spark's SQL and protocol on DataFusion, without Java.

    Its session runs in another process, because its client is older than the Spark of the tests.
    """

    name = "sail"
    dialects = ("spark",)
    inner = "spark"

    def start(self, stack: ExitStack) -> None:
        """Start the server and the session."""
        port, folder = free_port(), stack.enter_context(workplace("sail"))
        program = str(self.python().with_name("sail"))
        command = [program, "spark", "server", "--port", str(port)]
        stack.enter_context(serving(command, partial(listens, port), folder))
        self.begin(stack, settings={REMOTE: f"sc://127.0.0.1:{port}"})
        self.version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout

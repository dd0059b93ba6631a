"""Servers that do not answer, sessions that are ended, and commands that are stopped: what the user sees, and is left.

The faults are real: the process of a PostgreSQL session is stopped as if its network were dead, or it is killed, or the
command is.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import rankmetrics_sql as rm
from dev.engines.plugin import package
from dev.engines.postgres import USER, server
from rankmetrics_sql.drivers import cancel, open_url, sockets

ROOT = Path(__file__).parents[2]
BUSY = 20  # seconds beyond the deadline that a busy machine may take

TABLES = """
CREATE TABLE results AS SELECT 'q' || i AS query_id, 'i' || i AS item_id, 1.0::float8 AS score
FROM generate_series(1, 5) AS i;
CREATE VIEW slow_results AS
SELECT query_id, item_id, score + length(pg_sleep(60)::text) AS score FROM results;
CREATE SCHEMA scratch
"""
LABELS = "SELECT query_id, item_id, 1 AS relevance FROM results"


# A stand-in for the server: what the deadline does.


def test_a_request_to_cancel_that_waits_does_not_hold_the_deadline_up():
    release = threading.Event()
    begin = time.monotonic()
    with pytest.raises(rm.DatabaseTimeoutError, match=r"did not answer within 0\.1 s, the timeout, nor"):
        cancel.run(release.wait, release.wait, 0.1, "SELECT 1", cut=lambda _: release.set(), patience=0.2)
    assert 0.3 <= time.monotonic() - begin < BUSY


def test_what_the_request_to_cancel_does_not_end_is_cut_off():
    release, requests = threading.Event(), []
    with pytest.raises(rm.DatabaseTimeoutError, match="the server did not answer"):
        cancel.run(release.wait, lambda: requests.append(1), 0.1, "SELECT 1", cut=lambda _: release.set(), patience=0.2)
    assert release.is_set()
    assert requests


def test_what_the_request_ends_is_not_cut_off():
    release, cuts = threading.Event(), []
    with pytest.raises(rm.DatabaseTimeoutError, match=r"^cancelled after 0.1 s, the timeout$"):
        cancel.run(release.wait, release.set, 0.1, "SELECT 1", cut=cuts.append, patience=60)
    assert cuts == []


def test_no_request_to_cancel_is_on_its_way_when_the_next_statement_begins():
    ended, requests = threading.Event(), []

    def request() -> None:
        ended.set()
        time.sleep(0.3)
        requests.append("answered")

    with pytest.raises(rm.DatabaseTimeoutError):
        cancel.run(ended.wait, request, 0.1, "SELECT 1", patience=60)
    assert requests == ["answered"]


@pytest.mark.parametrize("owner", ["fileno", "_sock", "_usock", "_socket"])
def test_closing_a_socket_ends_the_wait_for_it(owner):
    ours, theirs = socket.socketpair()
    holders = {
        "fileno": ours,
        "_sock": types.SimpleNamespace(_sock=ours),
        "_usock": types.SimpleNamespace(_usock=ours),
        "_socket": types.SimpleNamespace(_socket=types.SimpleNamespace(sock=ours)),
    }
    with ours, theirs:
        answers: list[bytes] = []
        waiting = threading.Thread(target=lambda: answers.append(ours.recv(1)), daemon=True)
        waiting.start()
        sockets.shut(holders[owner])
        waiting.join(BUSY)
        assert answers == [b""]


def test_a_connection_without_a_socket_is_left_alone():
    sockets.shut(object())
    sockets.keep_alive(object())
    sockets.shut(types.SimpleNamespace(fileno=lambda: 10**6))  # closed meanwhile


def test_exit_codes_of_errors():
    codes = {error: error.exit_code for error in (rm.UsageError, rm.DataError, rm.DatabaseError)}
    assert codes == {rm.UsageError: 2, rm.DataError: 1, rm.DatabaseError: 1}
    assert rm.DatabaseTimeoutError.exit_code == 4


def test_time_that_is_over_in_duckdb_is_no_other_error(tmp_path, cli):
    """While a file is read, and while a statement runs: a timeout, not a file that cannot be read."""
    rows = "".join(f"q{n // 10},d{n % 10},{n}\n" for n in range(20_000))
    (tmp_path / "run.csv").write_text(f"query_id,item_id,score\n{rows}")
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    given = ("evaluate", tmp_path / "run.csv", "--qrels", tmp_path / "qrels", "-m", "rr", "--timeout", "0.00001")
    done = cli(*given)
    assert (done.exit_code, done.stderr) == (
        4,
        f"rankmetrics: {tmp_path / 'run.csv'}: cancelled after 1e-05 s, the timeout\n",
    )
    endless = (
        "SELECT 'q1' AS query_id, 'd' || a.range * b.range AS item_id, 1 AS score"
        " FROM range(1_000_000) a, range(1_000_000) b"
    )
    labels = "SELECT 'q1' AS query_id, 'd1' AS item_id, 1 AS relevance"
    with pytest.raises(rm.DatabaseTimeoutError, match=r"^cancelled after 0\.1 s, the timeout"):
        rm.connect(duckdb.connect(), timeout=0.1).evaluate(endless, labels, "rr", check="none")


# PostgreSQL.


@pytest.fixture
def postgres(start_engine):
    engine = start_engine("postgres-15")
    if not getattr(engine, "has_results", False):
        engine.run(TABLES)
        engine.has_results = True
    yield engine
    assert gone(engine)
    assert left_in(engine) == set()


def sleeping(engine: Any) -> list[int]:
    """The processes of sessions that run a slow statement."""
    sql = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND pid <> pg_backend_pid()"
    return [pid for (pid,) in engine.fetch(sql)[1]]


def wait_for(engine: Any) -> int:
    end = time.monotonic() + 60
    while not (pids := sleeping(engine)):
        assert time.monotonic() < end, "no slow statement has begun"
        time.sleep(0.05)
    return pids[0]


def gone(engine: Any) -> bool:
    end = time.monotonic() + BUSY
    while sleeping(engine) and time.monotonic() < end:
        time.sleep(0.1)
    return not sleeping(engine)


LEFT = "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'rankmetrics%'"


def left_in(engine: Any) -> set[str]:
    return {name for (name,) in engine.fetch(LEFT)[1]}


@contextlib.contextmanager
def frozen(pid: int) -> Iterator[None]:
    """A process that does not run, as if its network were dead; the system still confirms what is sent to it."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@contextlib.contextmanager
def command(engine: Any, folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A command whose statement has begun: over a file that it stores, if the options let it, and a slow view."""
    labels = folder / "labels.csv"
    labels.write_text("query_id,item_id,relevance\nq1,i1,1\n")
    qrels = str(labels) if "--materialize" in options else LABELS
    words = ["evaluate", "slow_results", "--qrels", qrels, "-m", "rr", "--database", engine.url, *options]
    arguments = [sys.executable, "-m", "rankmetrics_sql", *words]
    process = subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str], within: float) -> tuple[int, list[str]]:
    """The exit code and the lines on standard error."""
    output, errors = process.communicate(timeout=within + BUSY)
    assert output == ""
    return process.returncode, errors.splitlines()


NO_ANSWER = (
    "rankmetrics: the server did not answer within 3 s, the timeout, nor when the statement was cancelled, so the"
    " statement may still be running there"
)


@pytest.mark.long
@pytest.mark.parametrize("options", [[], ["--materialize", "temp"], ["--materialize", "scratch"]], ids=str)
def test_a_frozen_server_ends_the_command_in_time(postgres, tmp_path, options):
    """The frozen session still reads the stored table, so that another session cannot drop it: it is named."""
    with command(postgres, tmp_path, "--timeout", "3", *options) as process, frozen(wait_for(postgres)):
        code, lines = ended(process, 3 + 2)
        assert code == 4
        assert lines[-1] == NO_ANSWER
        left = left_in(postgres)
        if options[1:] == ["scratch"]:
            [warning] = lines[:-1]
            assert re.match(r"rankmetrics: warning: scratch\.rankmetrics_\w+ may be left in postgresql://", warning)
            assert re.findall(r"rankmetrics_\d\w+", warning) == [*left]
            assert warning.endswith("List what is left: rankmetrics clean --database URL")
        else:
            assert (left, lines[:-1]) == (set(), [])
    for name in left:
        postgres.run(f"DROP TABLE scratch.{name}")


@pytest.mark.long
def test_ctrl_c_ends_the_wait_for_a_frozen_server(postgres, tmp_path):
    with command(postgres, tmp_path) as process, frozen(wait_for(postgres)):
        process.send_signal(signal.SIGINT)
        assert ended(process, 2) == (130, ["rankmetrics: stopped by SIGINT"])


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("schema", ["temp", "scratch"])
def test_a_signal_cancels_the_statement_and_drops_what_is_stored(postgres, tmp_path, number, schema):
    with command(postgres, tmp_path, "--materialize", schema) as process:
        wait_for(postgres)
        assert len(left_in(postgres)) == (schema == "scratch")
        process.send_signal(number)
        process.send_signal(number if number == signal.SIGTERM else 0)  # GNU timeout sends it twice
        assert ended(process, 2) == (128 + number, [f"rankmetrics: stopped by {number.name}"])
        assert gone(postgres)


@pytest.mark.long
@pytest.mark.parametrize("options", [[], ["--materialize", "temp"], ["--materialize", "scratch"]], ids=str)
def test_a_session_that_is_ended_is_one_line(postgres, tmp_path, options):
    with command(postgres, tmp_path, *options) as process:
        pid = wait_for(postgres)
        postgres.fetch(f"SELECT pg_terminate_backend({pid})")
        code, lines = ended(process, 2)
    assert (code, lines) == (1, ["rankmetrics: terminating connection due to administrator command"])


@pytest.mark.long
def test_a_killed_server_process_is_one_line_and_names_what_is_left(tmp_path):
    """All sessions end with it, and the server takes no connections until it has looked through its files."""
    with server(None) as port:
        url = f"postgresql+psycopg://{USER}@127.0.0.1:{port}/postgres"
        address, sessions = url.replace("+psycopg", ""), package("psycopg").connect
        engine = types.SimpleNamespace(url=url)
        with sessions(address, autocommit=True) as connection:
            engine.fetch = lambda sql: (None, connection.execute(sql).fetchall())
            connection.execute(TABLES)
            with command(engine, tmp_path, "--materialize", "scratch") as process:
                os.kill(wait_for(engine), signal.SIGKILL)
                code, lines = ended(process, 5)
        for _ in range(100):
            with contextlib.suppress(package("psycopg").OperationalError), sessions(address) as connection:
                left = {name for (name,) in connection.execute(LEFT).fetchall()}
                break
            time.sleep(0.1)
    assert code == 1
    assert lines[-1].startswith("rankmetrics: ")
    assert re.search("server closed the connection|connection .*lost|terminat", lines[-1])
    assert all(line.count("postgresql://") == 1 for line in lines[:-1])
    assert {name for line in lines[:-1] for name in re.findall(r"scratch\.(rankmetrics_\w+)", line)} == left
    assert len(lines) == 1 + len(left)


@pytest.mark.long
def test_verbose_prints_the_rest_of_the_server_s_message(postgres, tmp_path):
    with command(postgres, tmp_path, "--verbose") as process:
        postgres.fetch(f"SELECT pg_terminate_backend({wait_for(postgres)})")
        code, lines = ended(process, 2)
    assert code == 1
    assert "Traceback" not in "\n".join(lines)
    assert any("pg_sleep" in line or "slow_results" in line for line in lines)
    assert lines[-1] != "rankmetrics: terminating connection due to administrator command"


def killed_while(postgres, call):
    """The errors of a call whose backend is killed while the call waits for it."""
    problems: list[Exception] = []

    def make() -> None:
        try:
            call()
        except rm.DatabaseError as problem:
            problems.append(problem)

    thread = threading.Thread(target=make)
    thread.start()
    postgres.fetch(f"SELECT pg_terminate_backend({wait_for(postgres)})")
    thread.join(BUSY)
    return problems


@pytest.mark.long
def test_the_engine_of_a_user_has_no_traceback_either(postgres, caplog):
    engine = package("sqlalchemy").create_engine(postgres.url)
    problems = killed_while(postgres, lambda: rm.evaluate("slow_results", LABELS, "rr", connection=engine))
    assert [str(problem) for problem in problems] == ["terminating connection due to administrator command"]
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
    assert engine.pool.checkedout() == 0
    engine.dispose()


@pytest.mark.long
def test_the_next_evaluation_connects_again(postgres):
    """Temporary tables need one connection from the first to the last statement."""
    with rm.connect(postgres.url, materialize="temp") as place:
        judgments = {f"q{number}": [f"i{number}"] for number in range(1, 6)}
        assert len(killed_while(postgres, lambda: place.evaluate("slow_results", judgments, "rr"))) == 1
        assert place.evaluate("results", judgments, "rr")["rr"] == 1


@pytest.mark.long
def test_sigterm_after_an_interrupt_does_not_end_the_cleaning_up(postgres, tmp_path):
    """As CI cancels a job: the frozen session makes the interrupt take two seconds."""
    with command(postgres, tmp_path) as process, frozen(wait_for(postgres)):
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        assert ended(process, 2) == (130, ["rankmetrics: stopped by SIGINT"])


def wait_until_heard(pid: int) -> None:
    """Wait until a process handles SIGTERM, and for its statement to begin."""
    end = time.monotonic() + 60
    while not int(re.findall(r"SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())[0], 16) >> 14 & 1:
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(1)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_sigterm_ends_a_command_on_a_file(tmp_path, kind):
    path = tmp_path / "file.db"
    module = __import__("duckdb" if kind == "duckdb" else "sqlite3")
    with contextlib.closing(module.connect(str(path))) as connection:
        connection.execute("CREATE TABLE labels AS SELECT 'q' AS query_id, 'i' AS item_id, 1 AS relevance")
        connection.commit()
    slow = (
        "SELECT 'q' AS query_id, 'i' AS item_id, SUM(n) AS score FROM (WITH RECURSIVE r(n) AS"
        " (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1000000000) SELECT n FROM r) AS numbers"
    )
    url = str(path) if kind == "duckdb" else f"sqlite:///{path}"
    words = ["evaluate", slow, "--qrels", "labels", "-m", "rr", "--database", url, "--timeout", "60"]
    process = subprocess.Popen(
        [sys.executable, "-m", "rankmetrics_sql", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until_heard(process.pid)
    process.send_signal(signal.SIGTERM)
    assert ended(process, 2) == (143, ["rankmetrics: stopped by SIGTERM"])


@pytest.mark.long
def test_a_connection_of_the_user_is_left_to_its_thread(postgres):
    """It is not closed, so that the user may go on when the server answers again."""
    connection = package("psycopg").connect(postgres.url.replace("+psycopg", ""), autocommit=True)
    with contextlib.closing(connection):
        place = rm.connect(connection, timeout=2)
        pid = connection.info.backend_pid
        begin = time.monotonic()
        threading.Timer(1, lambda: os.kill(pid, signal.SIGSTOP)).start()
        try:
            with pytest.raises(rm.DatabaseTimeoutError, match="the server did not answer within 2 s"):
                place.evaluate("slow_results", LABELS, "rr")
            assert time.monotonic() - begin < 2 + 2 + 1 + BUSY
            with pytest.raises(
                rm.DatabaseError, match=r"still waits for a statement that was given up\. Connect again\."
            ):
                place.evaluate("results", "results", "num_ret")
        finally:
            os.kill(pid, signal.SIGCONT)
        assert gone(postgres)
        end = time.monotonic() + BUSY
        while cancel.is_waiting() and time.monotonic() < end:
            time.sleep(0.1)
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert place.evaluate("results", LABELS, "rr")["rr"] == 1


@pytest.mark.long
def test_our_connections_notice_a_network_that_is_gone(postgres):
    driver = open_url(postgres.url)
    with contextlib.closing(driver), socket.socket(fileno=os.dup(driver.connection.fileno())) as opened:
        assert opened.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 60
        assert driver.connection.info.get_parameters()["connect_timeout"] == "30"
        assert driver.fetch("SHOW client_connection_check_interval")[1] == [("10s",)]
    with contextlib.closing(open_url(f"{postgres.url}?connect_timeout=7")) as driver:
        assert driver.connection.info.get_parameters()["connect_timeout"] == "7"


@pytest.mark.long
def test_a_server_that_takes_connections_and_says_nothing():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql+psycopg://me@127.0.0.1:{silent.getsockname()[1]}/db"
        begin = time.monotonic()
        with pytest.raises(rm.DatabaseTimeoutError, match=r"^postgresql://.*: cannot connect: the server did not"):
            rm.connect(url, timeout=1)
        assert time.monotonic() - begin < 1 + BUSY

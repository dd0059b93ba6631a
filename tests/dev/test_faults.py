"""The bad network of ``dev.faults`` is as bad as it says, and commands end over it as they may."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from dev.faults.proxy import Fault, proxy
from dev.faults.runs import Outcome, Site, table


@contextlib.contextmanager
def echo() -> Iterator[int]:
    """The port of a server that sends back what it gets."""

    def serve(client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:
            while data := client.recv(1024):
                client.sendall(data)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def ask(connection: socket.socket) -> bytes:
    """Send four bytes, and return what comes back."""
    connection.sendall(b"ping")
    return connection.recv(4)


@pytest.mark.parametrize("kind", ["cut", "drop", "delay"])
def test_nothing_happens_before_the_moment(kind):
    with echo() as port, proxy(port, Fault(kind, 10**6, lasting=True)) as network, connect(network.port) as connection:
        assert ask(connection) == b"ping"
        assert not network.began
        assert network.passed == 8


def test_a_connection_is_reset():
    with echo() as port, proxy(port, Fault("cut", 12, lasting=False)) as network:
        with connect(network.port) as connection:
            assert ask(connection) == b"ping"
            with pytest.raises(ConnectionError):
                ask(connection)
        with connect(network.port) as connection:  # the next one is not
            assert ask(connection) == b"ping"


def test_packets_are_lost_in_silence():
    with echo() as port, proxy(port, Fault("drop", 12, lasting=True)) as network, connect(network.port) as connection:
        assert ask(connection) == b"ping"
        connection.settimeout(0.5)
        with pytest.raises(TimeoutError):
            ask(connection)
        with connect(network.port) as other:
            other.settimeout(0.5)
            with pytest.raises(TimeoutError):
                ask(other)


def test_packets_wait():
    with (
        echo() as port,
        proxy(port, Fault("delay", 0, lasting=True, seconds=0.5), seed=1) as network,
        connect(network.port) as connection,
    ):
        begin = time.monotonic()
        assert ask(connection) == b"ping"
        assert time.monotonic() - begin > 0.05


def outcome(**changed) -> Outcome:
    facts = {"task": "replace", "fault": Fault("cut", 1, lasting=True), "began": True, "code": 1, "seconds": 2.0}
    facts |= {"named": 0, "left": 0, "lost": 0, "table": "old", "errors": ("rankmetrics: lost",)}
    return Outcome(**{**facts, **changed})


@pytest.mark.parametrize(
    ("changed", "mistakes"),
    [
        ({}, []),
        ({"code": None, "seconds": 99.0}, ["exit code None", "99 s"]),
        ({"lost": 1}, ["1 tables that clean does not find"]),
        ({"table": "broken"}, ["the table is broken"]),
        ({"code": 0, "table": "old"}, ["the table is old"]),
        ({"errors": ("Traceback (most recent call last):",)}, ["a traceback"]),
    ],
)
def test_what_may_not_be_is_found(changed, mistakes):
    assert outcome(**changed).mistakes == mistakes


def test_the_table_counts():
    lines = table([outcome(), outcome(table="new", code=0, named=1), outcome(task="read", code=4)]).splitlines()
    assert lines[2:] == [
        "| read | cut | 1 | 4: 1 | 2 s | 0 | 0 |  |",
        "| replace | cut | 2 | 0: 1, 1: 1 | 2 s | 1 | 0 | 1 old, 1 new |",
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", ["postgres-15", "mariadb"])
def test_commands_end_and_leave_nothing_that_is_not_found(start_engine, tmp_path, name):
    """Nine; ``python -m dev.faults`` runs a hundred."""
    place = Site(start_engine(name), tmp_path)
    outcomes = [place.outcome(Site.tasks[seed % len(Site.tasks)], seed) for seed in range(200, 209)]
    assert [found for found in outcomes if found.mistakes] == []
    assert any(found.began for found in outcomes)

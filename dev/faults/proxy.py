"""A network on the loopback that becomes bad at a chosen moment: it cuts connections, drops packets or delays them."""

from __future__ import annotations

import contextlib
import random
import socket
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

FAULTS = ("cut", "drop", "delay")
_SIZE = 1 << 14  # bytes that are read at once
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER with no time: the other side gets a reset


@dataclass(frozen=True)
class Fault:
    """What happens to the network, and when.

    Attributes:
        kind: ``cut`` resets the connections; ``drop`` lets nothing through, and nobody hears of it; ``delay`` lets
            each packet wait.
        after: the bytes that pass before, in both directions and over all connections.
        lasting: whether new connections have it, too.
        seconds: the longest wait of a packet.
    """

    kind: str
    after: int
    lasting: bool
    seconds: float = 0.2


class Proxy:
    """Passes connections on to a server until the fault begins."""

    def __init__(self, port: int, fault: Fault | None, seed: int = 0) -> None:
        """Listen at a free port of the loopback, in front of a server's port."""
        self._port, self._fault = port, fault
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._broken: set[int] = set()  # the connections that were there when the fault began
        self._connections = 0
        self.passed = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def began(self) -> bool:
        """Whether the fault has begun."""
        return self._fault is not None and self.passed >= self._fault.after

    def close(self) -> None:
        """Close everything, so that the server hears of it."""
        for opened in (self._listener, *self._sockets):
            with contextlib.suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
            opened.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                if self.began and self._fault is not None and self._fault.lasting and self._fault.kind == "cut":
                    _reset(client)
                    continue
                server = socket.create_connection(("127.0.0.1", self._port))
                self._sockets += [client, server]
                self._connections += 1
                for source, target in ((client, server), (server, client)):
                    arguments = (source, target, self._connections, (client, server))
                    threading.Thread(target=self._pass_on, args=arguments, daemon=True).start()

    def _pass_on(
        self, source: socket.socket, target: socket.socket, number: int, both: tuple[socket.socket, socket.socket]
    ) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_SIZE):
                kind = self._kind(number, len(data))
                if kind == "cut":
                    for opened in both:
                        _reset(opened)
                    return
                if kind == "delay" and self._fault is not None:
                    time.sleep(self._random.uniform(0, self._fault.seconds))
                if kind != "drop":
                    target.sendall(data)
            if self._kind(number, 0) != "drop":  # a network that is gone does not say that somebody has left
                target.shutdown(socket.SHUT_WR)

    def _kind(self, number: int, size: int) -> str:
        """Count bytes of a connection; return the fault that they meet, or "" if there is none."""
        with self._lock:
            had_begun = self.began
            self.passed += size
            if not self.began or self._fault is None:
                return ""
            if not had_begun:
                self._broken = set(range(1, self._connections + 1))
            return self._fault.kind if self._fault.lasting or number in self._broken else ""


def _reset(opened: socket.socket) -> None:
    with contextlib.suppress(OSError):
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        opened.shutdown(socket.SHUT_RD)  # wakes the thread that reads it, without a word to the other side
        opened.close()


@contextlib.contextmanager
def proxy(port: int, fault: Fault | None, seed: int = 0) -> Iterator[Proxy]:
    """A proxy for as long as it is needed."""
    opened = Proxy(port, fault, seed)
    try:
        yield opened
    finally:
        opened.close()

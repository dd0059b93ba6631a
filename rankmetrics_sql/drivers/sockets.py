"""The sockets of connections: noticing a network that is gone, and closing one that a driver waits at for ever."""

from __future__ import annotations

import contextlib
import os
import socket
from typing import Any

# Seconds without a packet until the system asks the other side, seconds between two such questions, and how many go
# unanswered before the connection counts as lost.
_KEEPALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
_HOLDERS = ("_sock", "_usock", "_socket")  # of pymysql; of pg8000 and redshift_connector; of mysql.connector


def keep_alive(connection: Any) -> None:
    """Have the system notice a network that is gone; do nothing where the connection shows no socket."""
    with contextlib.suppress(Exception), _socket_of(connection) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE.items():
            if hasattr(socket, name):
                opened.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def shut(connection: Any) -> None:
    """Close the socket in both directions, which ends any wait for it; do nothing where the connection shows none."""
    with contextlib.suppress(Exception), _socket_of(connection) as opened:
        opened.shutdown(socket.SHUT_RDWR)


def _socket_of(connection: Any) -> socket.socket:
    """Return a duplicate of the connection's socket; raise an error of any kind if it shows none."""
    holders = (connection, *(getattr(connection, name, None) for name in _HOLDERS))
    owners = (*holders, *(getattr(holder, "sock", None) for holder in holders))
    number = next(owner.fileno() for owner in owners if callable(getattr(owner, "fileno", None)))
    return socket.socket(fileno=os.dup(number))

"""A statement that can be stopped: by Ctrl-C and after a while, on the server too. Meanwhile it can be watched."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextvars import ContextVar
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ..errors import DatabaseError

T = TypeVar("T")

PATIENCE = 10.0  # seconds that a server has to give up a cancelled statement
_AGAIN = 0.5  # seconds until one looks, or asks the server, once more: its first word may come before the statement

# Called with the percentage that is done while a statement runs, and with None when it has ended.
watcher: ContextVar[Callable[[float | None], None] | None] = ContextVar("watcher", default=None)

# Called with each statement that has ended, and the seconds that it took.
listener: ContextVar[Callable[[str, float], None] | None] = ContextVar("listener", default=None)

_LOCKS: WeakKeyDictionary[Any, threading.Lock] = WeakKeyDictionary()  # of connections that threads may share
_LOCKING = threading.Lock()


def run(
    call: Callable[[], T],
    cancel: Callable[[], None],
    timeout: float | None = None,
    sql: str = "",
    progress: Callable[[], float] | None = None,
) -> T:
    """Runs a statement in a thread of its own, while this one waits for Ctrl-C or for the time to be over.

    Args:
        call: runs the statement, and tidies up after it.
        cancel: stops it from this thread.
        timeout: the seconds that it may take.
        sql: the statement, for the error.
        progress: gives the percents that are done, below 0 where nobody knows.

    Raises:
        KeyboardInterrupt: Ctrl-C; the statement is cancelled.
        DatabaseError: the time is over; the statement is cancelled.
    """
    if timeout is None and threading.current_thread() is not threading.main_thread():
        return call()  # Ctrl-C never comes here
    end = math.inf if timeout is None else time.monotonic() + timeout
    running, begun = _start(call), time.monotonic()
    watch = watcher.get()
    try:
        while not running.done() and (left := end - time.monotonic()) > 0:
            wait([running], min(left, _AGAIN))  # not for ever: there are systems where Ctrl-C does not end a wait
            if watch and not running.done():
                watch(progress() if progress else -1)
    except KeyboardInterrupt:
        _stop(running, cancel)
        raise
    finally:
        if watch:
            watch(None)
        if hear := listener.get():
            hear(sql, time.monotonic() - begun)
    if not running.done():
        _stop(running, cancel)
        raise cancelled(timeout or 0, sql, confirmed=running.done())
    try:
        return running.result()
    finally:
        del running  # else an error keeps this frame, and with it the connection


def cancelled(timeout: float, sql: str, *, confirmed: bool = True) -> DatabaseError:
    """The error of a statement that took too long.

    Args:
        timeout: the seconds that it had.
        sql: the statement.
        confirmed: whether it has ended.
    """
    doubt = "" if confirmed else "; the database has not confirmed it, so the statement may still be running there"
    return DatabaseError(f"cancelled after {timeout:g} s, the timeout{doubt}", sql)


def lock_of(connection: Any) -> threading.Lock:
    """The lock of a connection that threads may share."""
    with _LOCKING:
        return _LOCKS.setdefault(connection, threading.Lock())


@contextlib.contextmanager
def hold_lock(lock: threading.Lock, timeout: float | None, sql: str) -> Iterator[None]:
    """Hold a connection's lock, or raise if other threads have it for longer than the timeout."""
    if not lock.acquire(timeout=-1 if timeout is None else timeout):
        raise cancelled(timeout or 0, sql)
    try:
        yield
    finally:
        lock.release()


def _start(call: Callable[[], T]) -> Future[T]:
    """Make a call in a thread of its own, which does not keep Python alive if the driver never comes back."""
    running: Future[T] = Future()

    def make() -> None:
        try:
            running.set_result(call())
        except BaseException as error:  # noqa: BLE001 - the thread that waits raises it
            running.set_exception(error)

    threading.Thread(target=make, name="rankmetrics statement", daemon=True).start()
    return running


def _stop(running: Future[T], cancel: Callable[[], None]) -> None:
    end = time.monotonic() + PATIENCE
    while not running.done() and time.monotonic() < end:
        with contextlib.suppress(Exception):  # what matters is whether the statement ends
            cancel()
        wait([running], _AGAIN)

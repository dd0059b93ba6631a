"""Run statements that Ctrl-C and a timeout stop, on the server too, and whose progress can be shown."""

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
_AGAIN = 0.5  # seconds until the next look, or the next request to cancel: one may come before the statement

# Called with the percentage of a statement that is done, while it runs, and with None when it has ended.
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
    """Run a statement in a thread of its own, while this one waits for Ctrl-C or for the time to be over.

    Args:
        call: runs the statement, and cleans up after it.
        cancel: stops it from this thread.
        timeout: the seconds that it may take.
        sql: the statement, for the error.
        progress: returns the percentage that is done, below 0 where that is unknown.

    Raises:
        KeyboardInterrupt: Ctrl-C; the statement is cancelled.
        DatabaseError: the time is over; the statement is cancelled.
    """
    if timeout is None and threading.current_thread() is not threading.main_thread():
        return call()  # Ctrl-C never comes here
    end = math.inf if timeout is None else time.monotonic() + timeout
    future, start = _start(call), time.monotonic()
    show = watcher.get()
    try:
        while not future.done() and (left := end - time.monotonic()) > 0:
            wait([future], min(left, _AGAIN))  # not for ever: there are systems where Ctrl-C does not end a wait
            if show and not future.done():
                show(progress() if progress else -1)
    except KeyboardInterrupt:
        _stop(future, cancel)
        raise
    finally:
        if show:
            show(None)
        if notify := listener.get():
            notify(sql, time.monotonic() - start)
    if not future.done():
        _stop(future, cancel)
        raise cancelled(timeout or 0, sql, confirmed=future.done())
    try:
        return future.result()
    finally:
        del future  # else an error keeps this frame, and with it the connection


def cancelled(timeout: float, sql: str, *, confirmed: bool = True) -> DatabaseError:
    """Return the error of a statement that took too long; ``confirmed`` says whether it has ended."""
    warning = "" if confirmed else "; the database has not confirmed it, so the statement may still be running there"
    return DatabaseError(f"cancelled after {timeout:g} s, the timeout{warning}", sql)


def lock_of(connection: Any) -> threading.Lock:
    """Return the lock of a connection that threads may share."""
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
    future: Future[T] = Future()

    def make() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - the thread that waits raises it
            future.set_exception(error)

    threading.Thread(target=make, name="rankmetrics statement", daemon=True).start()
    return future


def _stop(future: Future[T], cancel: Callable[[], None]) -> None:
    end = time.monotonic() + PATIENCE
    while not future.done() and time.monotonic() < end:
        with contextlib.suppress(Exception):  # what matters is whether the statement ends
            cancel()
        wait([future], _AGAIN)

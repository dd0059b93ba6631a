"""Run statements that Ctrl-C and a timeout stop, on the server too, and whose progress can be shown."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ALL_COMPLETED, Future, wait
from contextvars import ContextVar
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ..errors import DatabaseTimeoutError

T = TypeVar("T")

PATIENCE = 2.0  # seconds that a server has to give up a cancelled statement
LOCAL_PATIENCE = 10.0  # seconds that an engine in this process or on this machine has: it is busy, not out of reach
_LAST_PATIENCE = 1.0  # seconds that a driver has to notice that its socket is closed
_THREAD = "rankmetrics statement"
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
    *,
    cut: Callable[[Future[Any]], None] = lambda _: None,
    patience: float = LOCAL_PATIENCE,
) -> T:
    """Run a statement in a thread of its own, while this one waits for Ctrl-C or for the time to be over.

    Args:
        call: runs the statement, and cleans up after it.
        cancel: stops it from another thread.
        timeout: the seconds that it may take.
        sql: the statement, for the error.
        progress: returns the percentage that is done, below 0 where that is unknown.
        cut: closes the connection's socket, so that a driver which waits for the server raises an error. It gets the
            call, which has not ended.
        patience: the seconds from ``cancel`` to ``cut``. A thread that is still waiting afterwards is left behind.

    Raises:
        KeyboardInterrupt: Ctrl-C; the statement is cancelled.
        DatabaseTimeoutError: the time is over; the statement is cancelled.
    """
    if timeout is None and threading.current_thread() is not threading.main_thread():
        return call()  # Ctrl-C never comes here
    future, start = _start(call), time.monotonic()
    show = watcher.get()
    try:
        for _ in _looks(future, timeout):
            if show:
                show(progress() if progress else -1)
    except KeyboardInterrupt:
        _stop(future, cancel, cut, patience)
        raise
    finally:
        if show:
            show(None)
        if notify := listener.get():
            notify(sql, time.monotonic() - start)
    if not future.done():
        is_confirmed = _stop(future, cancel, cut, patience)
        raise cancelled(timeout or 0, sql, confirmed=is_confirmed)
    try:
        return future.result()
    finally:
        del future  # else an error keeps this frame, and with it the connection


def connect(call: Callable[[], T], timeout: float | None = None) -> T:
    """Connect in a thread of its own, which is left behind after Ctrl-C or when the time is over."""
    if timeout is None and threading.current_thread() is not threading.main_thread():
        return call()
    future = _start(call)
    for _ in _looks(future, timeout):
        pass
    if not future.done():
        raise DatabaseTimeoutError(f"cannot connect: the server did not answer within {timeout:g} s, the timeout")
    return future.result()


def cancelled(timeout: float, sql: str, *, confirmed: bool = True) -> DatabaseTimeoutError:
    """Return the error of a statement that took too long; ``confirmed`` says whether it has ended."""
    if confirmed:
        return DatabaseTimeoutError(f"cancelled after {timeout:g} s, the timeout", sql)
    return DatabaseTimeoutError(
        f"the server did not answer within {timeout:g} s, the timeout, nor when the statement was cancelled,"
        " so the statement may still be running there",
        sql,
    )


def is_waiting() -> bool:
    """Whether a thread that was left behind still waits for a server."""
    return any(thread.name == _THREAD for thread in threading.enumerate())


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

    threading.Thread(target=make, name=_THREAD, daemon=True).start()
    return future


def _looks(future: Future[T], timeout: float | None) -> Iterator[None]:
    """Wait until a call ends or the time is over, and yield now and then meanwhile."""
    end = math.inf if timeout is None else time.monotonic() + timeout
    while not future.done() and (left := end - time.monotonic()) > 0:
        wait([future], min(left, _AGAIN))  # not for ever: there are systems where Ctrl-C does not end a wait
        if not future.done():
            yield


def _stop(future: Future[T], cancel: Callable[[], None], cut: Callable[[Future[Any]], None], patience: float) -> bool:
    """Cancel a statement, and cut its connection if that is not enough; return whether cancelling was enough.

    The request to cancel has a thread of its own, because it waits for the server, too. Another one follows only when
    it is answered, and none is left on its way, where it would meet the next statement.
    """
    end = time.monotonic() + patience
    request: Future[None] = _start(cancel)
    try:
        while (left := end - time.monotonic()) > 0 and not (future.done() and request.done()):
            calls: list[Future[Any]] = [future, request]
            wait(calls, min(left, _AGAIN), return_when=ALL_COMPLETED)
            if request.done() and not future.done():
                request = _start(cancel)
        return future.done()
    finally:  # a second Ctrl-C ends the patience
        if not (future.done() and request.done()):
            cut(future)
            wait([future], _LAST_PATIENCE)

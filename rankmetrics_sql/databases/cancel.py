"""A statement that can be stopped: by Ctrl-C and after a while, on the server too. Meanwhile it can be watched."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from queue import SimpleQueue
from typing import Any, Generic, TypeVar, cast
from weakref import WeakKeyDictionary

from ..errors import DatabaseError

T = TypeVar("T")

PATIENCE = 10.0  # seconds that a server has to give up a cancelled statement
_AGAIN = 0.5  # seconds until one looks, or asks the server, once more: its first word may come before the statement

# Is told, while one waits for a statement, how many percent of it are done, and by None that it has ended.
watcher: ContextVar[Callable[[float | None], None] | None] = ContextVar("watcher", default=None)

# Is told each statement that has ended, and the seconds that it took.
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
        call: runs the statement; whatever must be tidied up after it, too.
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
            running.wait(min(left, _AGAIN))  # not for ever: there are systems where Ctrl-C does not end a wait
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
    return running.result()


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
def alone(lock: threading.Lock, timeout: float | None, sql: str) -> Iterator[None]:
    """Holds a connection's lock.

    Args:
        lock: the connection's.
        timeout: the seconds to wait for other threads.
        sql: the statement, for the error.

    Raises:
        DatabaseError: the time is over.
    """
    if not lock.acquire(timeout=-1 if timeout is None else timeout):
        raise cancelled(timeout or 0, sql)
    try:
        yield
    finally:
        lock.release()


class _Call(Generic[T]):
    """A call in another thread, with its result or error."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call: Callable[[], T] | None = call
        self._answer: T | None = None
        self._error: BaseException | None = None
        self._ended = threading.Event()
        self.done = self._ended.is_set
        self.wait = self._ended.wait

    def make(self, idle: Callable[[], None]) -> None:
        """Make the call; tell that the thread is idle before anybody knows that the call is done."""
        try:
            self._answer = cast("Callable[[], T]", self._call)()
        except BaseException as error:  # noqa: BLE001 - the thread that waits raises it
            self._error = error
        self._call = None  # with the connection that it knows
        idle()
        self._ended.set()

    def result(self) -> T:
        """Return what the call returned, or raise what it raised."""
        if self._error is None:
            return cast("T", self._answer)
        try:
            raise self._error
        finally:
            self._error = None  # which would keep this frame, and be kept by it


class _Worker(threading.Thread):
    """Makes one call after another. In a new thread each statement takes DuckDB half a millisecond more.

    It does not keep Python alive, in case the driver never comes back.
    """

    def __init__(self) -> None:
        super().__init__(name="rankmetrics statement", daemon=True)
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.start()

    def run(self) -> None:
        while True:
            call = self._calls.get()
            call()
            del call  # with the connection and the rows that it knows

    def make(self, call: _Call[Any]) -> None:
        """Make a call, and be idle again before it is known to be done."""
        self._calls.put(lambda: call.make(lambda: _IDLE.append(self)))


_IDLE: deque[_Worker] = deque()


def _start(call: Callable[[], T]) -> _Call[T]:
    """Makes a call in a thread that nothing else runs in."""
    running = _Call(call)
    _idle_worker().make(running)
    return running


def _idle_worker() -> _Worker:
    with contextlib.suppress(IndexError):
        while not (worker := _IDLE.pop()).is_alive():
            pass  # a fork has none of the threads
        return worker
    return _Worker()


def _stop(running: _Call[T], cancel: Callable[[], None]) -> None:
    end = time.monotonic() + PATIENCE
    while not running.done() and time.monotonic() < end:
        with contextlib.suppress(Exception):  # what matters is whether the statement ends
            cancel()
        running.wait(_AGAIN)

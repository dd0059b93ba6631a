"""What drivers have in common, whatever they talk through: see ``Driver`` for what each method is for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ...dialects import Dialect
from .. import cancel
from . import estimates
from .base import Answer, Estimate
from .problems import is_missing, refusal

T = TypeVar("T")


class Connected:
    """A driver, but for its statements; one with transactions has its own way to run several."""

    dialect: Dialect
    timeout: float | None = None

    def __init__(self, label: str, *, close: Callable[[], None] | None = None, secrets: Sequence[str] = ()) -> None:
        """Remembers what to call it.

        Args:
            label: what to call it.
            close: gives it up, if it is ours.
            secrets: what to keep out of messages.
        """
        self.label = label
        self._close = close
        self._secrets = tuple(secrets)

    def __repr__(self) -> str:
        return f"<{self.label}>"

    def fetch(self, sql: str) -> Answer:
        """See ``Driver.fetch``."""
        raise NotImplementedError

    def execute(self, sql: str) -> None:
        """See ``Driver.execute``."""
        raise NotImplementedError

    def describe(self, relation: str) -> dict[str, str]:
        """See ``Driver.describe``."""
        raise NotImplementedError

    def cancel(self) -> None:
        """See ``Driver.cancel``."""
        raise NotImplementedError

    def atomically(self, statements: Sequence[str]) -> None:
        """See ``Driver.atomically``."""
        for sql in statements:
            self.execute(sql)

    def has_table(self, relation: str) -> bool:
        """See ``Driver.has_table``."""
        try:
            self.look(relation)
        except Exception as error:
            if is_missing(error):
                return False
            raise
        return True

    def look(self, relation: str) -> None:
        """Fails if the relation is not there."""
        self.describe(relation)

    def estimate(self, sql: str) -> Estimate | None:
        """See ``Driver.estimate``."""
        return estimates.estimate(self.dialect, sql, self.fetch)

    def close(self) -> None:
        """See ``Driver.close``."""
        close, self._close = self._close, None
        if close:
            close()

    def watched(self, call: Callable[[], T], sql: str) -> T:
        """The result of a call that Ctrl-C and the timeout stop."""
        return cancel.run(call, self.cancel, self.timeout, sql)

    def _translated(self, call: Callable[[], T], sql: str) -> T:
        try:
            return self.watched(call, sql)
        except Exception as error:  # noqa: BLE001 - drivers raise whatever they like
            raise refusal(error, sql, self._secrets) from None

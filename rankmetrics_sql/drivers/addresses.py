"""URLs of databases in parts. SQLAlchemy's own URLs need SQLAlchemy, and show a password with an ``@`` as a host."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from ..application import application_name
from ..errors import UsageError, nearest
from .problems import hide_credentials

_ALIASES = {"postgres": "postgresql", "clickhouses": "clickhouse", "clickhousedb": "clickhouse"}
_SECRET = re.compile(r"pass|pwd|token|secret|key|credential", re.IGNORECASE)


@dataclass(frozen=True)
class Address:
    """A URL in parts.

    Attributes:
        url: the whole.
        scheme: the database's name.
        package: SQLAlchemy's name of the package, which may follow the scheme after a ``+``.
        host: the host, or the account or project.
        port: the port, if there is one.
        user: the user, if there is one.
        password: the password, if there is one.
        path: what follows the host, without the first slash.
        options: what follows the question mark.
        application: the name of the application, which is ours.
    """

    url: str = field(repr=False)
    scheme: str
    package: str
    host: str
    port: int | None
    user: str | None
    password: str | None = field(repr=False)
    path: str
    options: Mapping[str, str] = field(repr=False)
    application: str = field(default_factory=application_name)  # now: a thread that connects has another context

    @property
    def label(self) -> str:
        """The URL without password and options."""
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        return f"{self.scheme}://{user}{self.host}{port}/{self.path}"

    @property
    def secrets(self) -> list[str]:
        """The secrets of the URL, in both spellings, which messages must not show."""
        values = [self.password or "", *(value for name, value in self.options.items() if _SECRET.search(name))]
        return sorted({*values, *map(quote, values)} - {""}, key=len, reverse=True)


def parse_url(url: str, schemes: Collection[str]) -> Address:
    """Parse a URL as SQLAlchemy writes it; raise UsageError if it is not one, or of none of the schemes."""
    scheme, separator, _ = url.partition("://")
    name, _, package = scheme.lower().partition("+")
    name = _ALIASES.get(name, name)
    if not separator or not re.fullmatch(r"[A-Za-z][\w+.:-]*", scheme):
        raise UsageError("--database takes a DuckDB file or a URL such as postgresql://user@host/database.")
    if name not in schemes:
        raise UsageError(f"Unknown database {hide_credentials(f'{scheme}://')}. {nearest(name, schemes)}")
    try:
        parts = urlsplit(url)
        _check_escapes(parts)
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        user, password = (None if text is None else unquote(text) for text in (parts.username, parts.password))
        path = unquote(parts.path).removeprefix("/")
        return Address(url, name, package, parts.hostname or "", parts.port, user, password, path, options)
    except ValueError:
        raise UsageError(
            f"Cannot read the {name}:// URL. Write {name}://user:password@host:port/database, with %40 for @,"
            " %2F for / and %3A for : in the password."
        ) from None


def _check_escapes(parts: SplitResult) -> None:
    """Raise ValueError for an ``@`` outside of its place.

    A password with ``@``, ``/``, ``?`` or ``#`` in it, not escaped, would be cut there, and shown as host or path.
    """
    rest = parts.path + parts.query.partition("=")[0] + parts.fragment
    if parts.netloc and (parts.netloc.count("@") > 1 or "@" in rest):
        raise ValueError("a mark that must be written with %")

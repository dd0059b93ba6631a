"""Error messages of drivers, in one line and without credentials."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..errors import DatabaseError, RankmetricsError

HIDDEN = "***"
_IN_URL = r"(?<=://)[^/\s@'\"]*:[^\s@'\"]*@"
_IN_TEXT = (
    r"(?i)\b(password|passwd|pwd|token|access_token|secret|client_secret|private_key|api_key|apikey)(['\"]?\s*[=:]\s*)"
    r"(?!(?:YES|NO)\b)('[^']*'|\"[^\"]*\"|[^\s,;&)]+)"
)

_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*(?::/{0,2}|//)"
_MAY_HOLD_CREDENTIALS = r"(?i)[@;]|pass|pwd|token|secret|key|credential"

# SQLSTATE: undefined table, schema or catalog. Errors of MySQL and ClickHouse have numbers.
_STATES = {"42P01", "3F000", "3D000", "42S02"}
_NUMBERS = {1146, 1049, 60, 81}
_NAMES = (
    r"(?is)TABLE_OR_VIEW_NOT_FOUND|SCHEMA_NOT_FOUND|TABLE_NOT_FOUND|CATALOG_NOT_FOUND|UNKNOWN_TABLE|UNKNOWN_DATABASE"
    r"|no such table|unknown database|table .*doesn't exist|table .*not found|relation .* does not exist"
    r"|(table|schema|catalog|object|database) .*does not exist|invalid object name|Not found: (Table|Dataset)"
    r"|ORA-00942"
)
# PostgreSQL names the views that prevent a DROP in the lines below its message.
_DEPENDENT_VIEW = r"(?m)^(?:DETAIL:\s*)?(?P<kind>(?:materialized )?view) (?P<name>.+?) depends on "
# SQLSTATE: connection exceptions, and a server that is shut down or ends the session. Errors of MySQL have numbers.
_LOST_STATES = re.compile(r"08|57P0[1-5]|25P03")
_LOST_NUMBERS = {2006, 2013, 2055}
_LOST = re.compile(
    r"(?i)server closed the connection|terminating connection|server has gone away|lost connection|connection .*lost"
    r"|(?:connection|socket|network) (?:is |was |has been |already |unexpectedly )*(?:closed|reset|aborted)"
    r"|broken pipe|connection reset|unexpected(?:ly)? (?:eof|closed)"
)
_REFUSED = r"(?i)not authorized to|permission|denied|privilege"


def refusal(error: BaseException, sql: str = "", secrets: Iterable[str] = ()) -> RankmetricsError:
    """Return the error that the user sees in place of a driver's, without the secrets."""
    if isinstance(error, RankmetricsError):
        return error
    return DatabaseError(message(error, secrets), sql, scrubbed(_text_of(_cause(error)).strip(), secrets))


def message(error: BaseException, secrets: Iterable[str] = ()) -> str:
    """Return the first line of a driver's message, or two where the first ends in a colon."""
    lines = [line.strip() for line in _text_of(_cause(error)).splitlines() if line.strip()] or [type(error).__name__]
    if lines[0].startswith("An error occurred while calling") and len(lines) > 1:
        lines = [lines[1].removeprefix(":").strip()]  # Spark's Java, through Py4J
    text = " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]
    return scrubbed(text.removeprefix("ERROR:").strip() + _dependent_views("\n".join(lines)), secrets)


def _dependent_views(text: str) -> str:
    """Return the views that depend on what a statement drops, and what to type; "" if there are none."""
    views = [(view["kind"], view["name"]) for view in re.finditer(_DEPENDENT_VIEW, text)]
    if not views:
        return ""
    names = ", ".join(f"{kind} {name}" for kind, name in views)
    drops = " ".join(f"DROP {kind.upper()} {name};" for kind, name in reversed(views))  # a view reads those before it
    return f": {names}. Drop what depends on it first, and make it again afterwards: {drops}"


def scrubbed(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text without passwords: the known ones, and anything that looks like one."""
    for secret in filter(None, secrets):
        text = text.replace(secret, HIDDEN)
    return re.sub(_IN_TEXT, rf"\1\2{HIDDEN}", re.sub(_IN_URL, f"{HIDDEN}@", text))


def hide_credentials(database: str) -> str:
    """Return what the user gave for a database without its secrets: a URL, a file, or neither.

    Where it may hold a password, only the scheme is left, and the host behind the last ``@`` before the options.
    """
    if not re.search(_MAY_HOLD_CREDENTIALS, database):
        return database
    scheme = re.match(_SCHEME, database)
    before, mark, host = database.partition("?")[0].rpartition("@")
    if "=" in before or re.search(_MAY_HOLD_CREDENTIALS, host):
        mark = host = ""
    return f"{scheme[0] if scheme else ''}***{mark}{host if mark else ''}"


def is_missing(error: BaseException) -> bool:
    """Whether a driver's error says that there is no such table, schema or catalog."""
    error = _cause(error)
    if re.search(_REFUSED, str(error)) and "does not exist or not authorized" not in str(error):
        return False
    state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    if state in _STATES or (error.args and isinstance(error.args[0], int) and error.args[0] in _NUMBERS):
        return True
    return re.search(_NAMES, str(error)) is not None


def is_lost(error: BaseException) -> bool:
    """Whether a driver's error says that the connection is gone."""
    error = _cause(error)
    state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None) or ""
    if isinstance(error, ConnectionError) or _LOST_STATES.match(state):
        return True
    if error.args and isinstance(error.args[0], int) and error.args[0] in _LOST_NUMBERS:
        return True
    return not isinstance(error, RankmetricsError) and _LOST.search(str(error)) is not None


def _cause(error: BaseException) -> BaseException:
    """Return the driver's own error, where SQLAlchemy has wrapped it with the statement and a link."""
    inner = getattr(error, "orig", None)
    return inner if isinstance(inner, BaseException) else error


def _text_of(error: BaseException) -> str:
    arguments: tuple[Any, ...] = error.args
    if len(arguments) >= 2 and isinstance(arguments[0], int) and isinstance(arguments[1], str):
        return arguments[1]  # number and text: MySQL's drivers
    text = getattr(error, "message", None) or getattr(error, "msg", None)
    return text if isinstance(text, str) else str(error)

"""Write the advice of messages as options of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from ..remedies import Kind

_OPTIONS = {"columns": "--columns", "option": "--set", "rule": "--rule"}


def to_options(kind: Kind, given: Mapping[str, Any]) -> str:
    """Return the options that do what arguments do in Python."""
    return " ".join(_to_option(kind, name, value) for name, value in given.items())


def _to_option(kind: Kind, name: str, value: Any) -> str:
    if kind == "argument" or (kind, name) == ("columns", "position"):
        option = f"--{name.replace('_', '-')}"
        return option if value is True else f"{option} {_quoted(str(value))}"
    if isinstance(value, Mapping):
        text = f"{name}={','.join(f'{key}:{one}' for key, one in value.items())}"
    else:
        text = ",".join(f"{name}={one}" for one in (value if isinstance(value, list) else [value]))
    return f"{_OPTIONS[kind]} {_quoted(text)}"


def _quoted(text: str) -> str:
    """Quote a text for the shell, in double quotes if nothing in it has a meaning there."""
    plain = shlex.quote(text)
    return plain if plain == text or set(text) & set('"$`\\!') else f'"{text}"'

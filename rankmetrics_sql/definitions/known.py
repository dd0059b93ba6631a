"""What there is, as resolution knows it: the catalogue that ``python -m dev.generate`` writes from headers and TOML.

Reading it takes a millisecond; the headers, which ``catalogue.py`` reads for lists and descriptions, take longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..templates import macros


def known_metrics() -> Mapping[str, Mapping[str, Any]]:
    """Every metric by name, with what its header says of its choices, needs and values."""
    return _known("metrics")


def known_options() -> Mapping[str, Mapping[str, Any]]:
    """Every option by name, with its type, default, choices, limits and scope."""
    return _known("options")


def known_spellings() -> Mapping[str, str]:
    """The metric string that each accepted spelling, in lower case, stands for."""
    return _known("spellings")


def known_families() -> Mapping[str, list[str]]:
    """The names of trec_eval's for a metric at several levels, and the levels."""
    return _known("families")


def known_nicknames() -> Mapping[str, list[str]]:
    """The names of trec_eval's for many metrics, and these as it calls them."""
    return _known("nicknames")


def _known(what: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = macros()[f"rm_known_{what}"]()
    return found

"""Ranking metrics as SQL that runs where the data lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .api import Database as Database
    from .api import agreement as agreement
    from .api import coec as coec
    from .api import compare as compare
    from .api import compare_all as compare_all
    from .api import connect as connect
    from .api import curve as curve
    from .api import decompose as decompose
    from .api import estimate as estimate
    from .api import evaluate as evaluate
    from .api import explain as explain
    from .api import install as install
    from .api import labelled as labelled
    from .api import metrics as metrics
    from .api import movements as movements
    from .api import options as options
    from .api import profiles as profiles
    from .api import propensities as propensities
    from .api import sensitivity as sensitivity
    from .api import sql as sql
    from .api import team_draft as team_draft
    from .api import team_draft_preference as team_draft_preference
    from .api import tukey as tukey
    from .errors import DatabaseError as DatabaseError
    from .errors import DataError as DataError
    from .errors import RankmetricsError as RankmetricsError
    from .errors import RankmetricsWarning as RankmetricsWarning
    from .errors import UsageError as UsageError
    from .inputs.references import ranks as ranks
    from .inputs.sources import Source as Source
    from .inputs.sources import events as events
    from .inputs.sources import ga4 as ga4
    from .inputs.sources import lists as lists
    from .inputs.sources import ratings as ratings
    from .inputs.sources import segment as segment
    from .inputs.sources import snowplow as snowplow
    from .inputs.sources import ubi as ubi
    from .results.agreement import Agreement as Agreement
    from .results.all_pairs import AllPairs as AllPairs
    from .results.comparison import Comparison as Comparison
    from .results.curve import Curve as Curve
    from .results.decomposition import Decomposition as Decomposition
    from .results.explanation import Explanation as Explanation
    from .results.movements import Movements as Movements
    from .results.sensitivity import Sensitivity as Sensitivity
    from .results.tables import Table as Table
    from .results.values import Result as Result

# Where the public names are: each module is imported when it is first needed, so that an import costs nothing and the
# command line shows its help at once.
_PLACES = {
    "Agreement": "results.agreement",
    "Comparison": "results.comparison",
    "Curve": "results.curve",
    "DataError": "errors",
    "Database": "api",
    "DatabaseError": "errors",
    "Decomposition": "results.decomposition",
    "Explanation": "results.explanation",
    "Movements": "results.movements",
    "RankmetricsError": "errors",
    "RankmetricsWarning": "errors",
    "Result": "results.values",
    "AllPairs": "results.all_pairs",
    "Sensitivity": "results.sensitivity",
    "Source": "inputs.sources",
    "Table": "results.tables",
    "UsageError": "errors",
    "agreement": "api",
    "coec": "api",
    "compare": "api",
    "compare_all": "api",
    "connect": "api",
    "curve": "api",
    "decompose": "api",
    "estimate": "api",
    "evaluate": "api",
    "events": "inputs.sources",
    "explain": "api",
    "ga4": "inputs.sources",
    "install": "api",
    "labelled": "api",
    "lists": "inputs.sources",
    "metrics": "api",
    "movements": "api",
    "options": "api",
    "profiles": "api",
    "propensities": "api",
    "ranks": "inputs.references",
    "ratings": "inputs.sources",
    "segment": "inputs.sources",
    "sensitivity": "api",
    "tukey": "api",
    "snowplow": "inputs.sources",
    "sql": "api",
    "team_draft": "api",
    "team_draft_preference": "api",
    "ubi": "inputs.sources",
}

__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    """A public name, from its module."""
    from importlib import import_module

    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})

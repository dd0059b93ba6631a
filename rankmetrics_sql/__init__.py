"""Ranking metrics as SQL that runs where the data lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .database import Database as Database
    from .database import connect as connect
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
    from .questions.agreement import agreement as agreement
    from .questions.compare import compare as compare
    from .questions.compare_all import compare_all as compare_all
    from .questions.curve import curve as curve
    from .questions.decompose import decompose as decompose
    from .questions.estimate import estimate as estimate
    from .questions.evaluate import evaluate as evaluate
    from .questions.explain import explain as explain
    from .questions.impressions import coec as coec
    from .questions.impressions import propensities as propensities
    from .questions.impressions import team_draft as team_draft
    from .questions.impressions import team_draft_preference as team_draft_preference
    from .questions.install import install as install
    from .questions.labelled import labelled as labelled
    from .questions.listing import metrics as metrics
    from .questions.listing import options as options
    from .questions.listing import profiles as profiles
    from .questions.movements import movements as movements
    from .questions.positions import ctr_by_position as ctr_by_position
    from .questions.sample_size import sample_size as sample_size
    from .questions.sensitivity import sensitivity as sensitivity
    from .questions.sql import sql as sql
    from .questions.tukey import tukey as tukey
    from .results.agreement import Agreement as Agreement
    from .results.all_pairs import AllPairs as AllPairs
    from .results.comparison import Comparison as Comparison
    from .results.curve import Curve as Curve
    from .results.decomposition import Decomposition as Decomposition
    from .results.explanation import Explanation as Explanation
    from .results.movements import Movements as Movements
    from .results.positions import Positions as Positions
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
    "Database": "database",
    "DatabaseError": "errors",
    "Decomposition": "results.decomposition",
    "Explanation": "results.explanation",
    "Movements": "results.movements",
    "Positions": "results.positions",
    "RankmetricsError": "errors",
    "RankmetricsWarning": "errors",
    "Result": "results.values",
    "AllPairs": "results.all_pairs",
    "Sensitivity": "results.sensitivity",
    "Source": "inputs.sources",
    "Table": "results.tables",
    "UsageError": "errors",
    "agreement": "questions.agreement",
    "coec": "questions.impressions",
    "compare": "questions.compare",
    "compare_all": "questions.compare_all",
    "connect": "database",
    "ctr_by_position": "questions.positions",
    "curve": "questions.curve",
    "decompose": "questions.decompose",
    "estimate": "questions.estimate",
    "evaluate": "questions.evaluate",
    "events": "inputs.sources",
    "explain": "questions.explain",
    "ga4": "inputs.sources",
    "install": "questions.install",
    "labelled": "questions.labelled",
    "lists": "inputs.sources",
    "metrics": "questions.listing",
    "movements": "questions.movements",
    "options": "questions.listing",
    "profiles": "questions.listing",
    "propensities": "questions.impressions",
    "ranks": "inputs.references",
    "ratings": "inputs.sources",
    "sample_size": "questions.sample_size",
    "segment": "inputs.sources",
    "sensitivity": "questions.sensitivity",
    "tukey": "questions.tukey",
    "snowplow": "inputs.sources",
    "sql": "questions.sql",
    "team_draft": "questions.impressions",
    "team_draft_preference": "questions.impressions",
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

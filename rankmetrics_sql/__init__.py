"""Ranking metrics as SQL that runs where the data lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .api.agreement import agreement as agreement
    from .api.clean import clean as clean
    from .api.click_judgments import judgments as judgments
    from .api.compare import compare as compare
    from .api.compare import compare_all as compare_all
    from .api.compare import tukey as tukey
    from .api.curve import curve as curve
    from .api.database import Database as Database
    from .api.database import connect as connect
    from .api.evaluate import evaluate as evaluate
    from .api.evaluate import labelled as labelled
    from .api.explain import decompose as decompose
    from .api.explain import explain as explain
    from .api.explain import movements as movements
    from .api.install import install as install
    from .api.judging import judge_next as judge_next
    from .api.listing import metrics as metrics
    from .api.listing import options as options
    from .api.listing import profiles as profiles
    from .api.logs import coec as coec
    from .api.logs import ctr_by_position as ctr_by_position
    from .api.logs import propensities as propensities
    from .api.logs import team_draft as team_draft
    from .api.logs import team_draft_preference as team_draft_preference
    from .api.sample_size import sample_size as sample_size
    from .api.sensitivity import sensitivity as sensitivity
    from .api.sql import estimate as estimate
    from .api.sql import sql as sql
    from .api.worst import worst as worst
    from .errors import DatabaseError as DatabaseError
    from .errors import DatabaseTimeoutError as DatabaseTimeoutError
    from .errors import DataError as DataError
    from .errors import RankmetricsError as RankmetricsError
    from .errors import RankmetricsWarning as RankmetricsWarning
    from .errors import UsageError as UsageError
    from .inputs.references import consensus as consensus
    from .inputs.references import ranks as ranks
    from .results.all_pairs import AllPairs as AllPairs
    from .results.comparison import Comparison as Comparison
    from .results.evaluation import Curve as Curve
    from .results.evaluation import Positions as Positions
    from .results.evaluation import Result as Result
    from .results.explanation import Decomposition as Decomposition
    from .results.explanation import Explanation as Explanation
    from .results.explanation import Movements as Movements
    from .results.judging import NextJudgments as NextJudgments
    from .results.sensitivity import Agreement as Agreement
    from .results.sensitivity import Sensitivity as Sensitivity
    from .results.tables import Table as Table
    from .results.worst import Worst as Worst
    from .sources import Source as Source
    from .sources import events as events
    from .sources import ga4 as ga4
    from .sources import lists as lists
    from .sources import ratings as ratings
    from .sources import segment as segment
    from .sources import snowplow as snowplow
    from .sources import spans as spans
    from .sources import ubi as ubi
    from .sources import values as values

# Where the public names are: each module is imported when it is first needed, so that an import costs nothing and the
# command line shows its help at once.
_PLACES = {
    "Agreement": "results.sensitivity",
    "Comparison": "results.comparison",
    "Curve": "results.evaluation",
    "DataError": "errors",
    "Database": "api.database",
    "DatabaseError": "errors",
    "DatabaseTimeoutError": "errors",
    "Decomposition": "results.explanation",
    "Explanation": "results.explanation",
    "Movements": "results.explanation",
    "NextJudgments": "results.judging",
    "Positions": "results.evaluation",
    "RankmetricsError": "errors",
    "RankmetricsWarning": "errors",
    "Result": "results.evaluation",
    "AllPairs": "results.all_pairs",
    "Sensitivity": "results.sensitivity",
    "Source": "sources",
    "Table": "results.tables",
    "UsageError": "errors",
    "Worst": "results.worst",
    "agreement": "api.agreement",
    "clean": "api.clean",
    "coec": "api.logs",
    "compare": "api.compare",
    "compare_all": "api.compare",
    "connect": "api.database",
    "ctr_by_position": "api.logs",
    "curve": "api.curve",
    "decompose": "api.explain",
    "estimate": "api.sql",
    "evaluate": "api.evaluate",
    "events": "sources",
    "explain": "api.explain",
    "ga4": "sources",
    "install": "api.install",
    "judgments": "api.click_judgments",
    "judge_next": "api.judging",
    "labelled": "api.evaluate",
    "lists": "sources",
    "metrics": "api.listing",
    "movements": "api.explain",
    "options": "api.listing",
    "profiles": "api.listing",
    "propensities": "api.logs",
    "consensus": "inputs.references",
    "ranks": "inputs.references",
    "ratings": "sources",
    "sample_size": "api.sample_size",
    "segment": "sources",
    "sensitivity": "api.sensitivity",
    "tukey": "api.compare",
    "snowplow": "sources",
    "spans": "sources",
    "sql": "api.sql",
    "team_draft": "api.logs",
    "team_draft_preference": "api.logs",
    "ubi": "sources",
    "values": "sources",
    "worst": "api.worst",
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

"""List metrics, options and profiles."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ..definitions import catalogue
from ..definitions.profiles import profiles as known_profiles
from ..results.html import Catalogue


def metrics() -> dict[str, dict[str, Any]]:
    """Returns every metric by name: title, group, summary, aliases, parameters, source, range and examples.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rm.metrics()["rr"]["title"]
        'Reciprocal rank'
    """
    selected = {}
    for name, metric in catalogue.metrics().items():
        params = {
            param.name: {
                "type": param.type,
                "default": param.default,
                "required": param.required,
                "values": list(param.values),
                "help": param.help,
            }
            for param in metric.params.values()
        }
        selected[name] = {
            "title": metric.title,
            "group": metric.group,
            "summary": metric.summary,
            "aliases": [*metric.aliases, *metric.spellings],
            "params": params,
            "source": metric.source,
            "range": None if metric.range is None else list(metric.range),
            "better": metric.better,
            "aggregate": metric.aggregate,
            "examples": [dict(example) for example in metric.examples],
        }
    return Catalogue(selected)


def options() -> dict[str, dict[str, Any]]:
    """Returns every option by name: group, default, values and help.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rm.options()["design"]["values"]
        ['paired', 'unpaired']
    """
    selected = {
        name: {
            "group": option.group,
            "default": option.default,
            "values": list(option.values),
            "help": option.help,
        }
        for name, option in catalogue.options().items()
    }
    return Catalogue(selected)


def profiles() -> dict[str, dict[str, Any]]:
    """Returns every profile by name: title, source, note and options.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> "trec_eval" in rm.profiles()
        True
    """
    return Catalogue({name: deepcopy(vars(profile)) for name, profile in known_profiles().items()})

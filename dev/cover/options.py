"""Which values of options may stand together: all pairs, without those that the package refuses when it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any
from unittest.mock import patch

from rankmetrics_sql.definitions.catalogue import metrics, options
from rankmetrics_sql.errors import UsageError
from rankmetrics_sql.plan import Plan
from tests.dialects.known import tree_of
from tests.statements import CHOICES, Case

LEVELS = ("per_query", "summary", "compare")
# Values of options that have no list of them in sql/options.toml, or not only that; the default first where it is one.
EXAMPLES: Mapping[str, Sequence[Any]] = {
    "rel": (1, *CHOICES["rel"]),
    "gain": ("{1:3,2:9}",),
    "err_max": (4, *CHOICES["err_max"]),
    "collection_size": (None, *CHOICES["collection_size"]),
    "depth": (None, 1, 5),
    "max_grade": (None, 3),
    "unjudged": (2,),
    "impute": (1,),
    "resamples": (100, 128),  # the default draws ten times as often, and does nothing else
    "seed": (0, 7),
    "sequential": (None, 100),
    "margin": (0, 0.01),
    "power": (None, 0.8),
    "confidence_level": (0.95, 0.8),
}
# What a statement does not obey, because it only looks at no row before it runs; and what is another word for a value.
LEFT_OUT = {"check"}
SYNONYMS = {("strategy", "auto")}
OF_INTERVALS = ("interval", "confidence_level", "resamples", "seed", "bootstrap_interval")
# Metrics that obey every option that a metric may have for itself, and have a value for each list.
ASKED = (
    "ap@5",
    "ndcg@5",
    "p@5",
    "r@5",
    "f@5",
    "rr",
    "rbp",
    "err@5",
    "iprec_avg",
    "mcc@5",
    "auc",
    "ndcg_rel@5",
    "bpref",
)
# Another value of these has to be there before some values may be: draws have intervals of their own, arms tests.
COMPANIONS: Sequence[Mapping[str, Any]] = (
    {},
    *({"test": test} for test in ("bootstrap", "randomisation", "sign")),
    *({"test": test, "design": "unpaired"} for test in ("t", "mann_whitney", "brunner_munzel", "bootstrap")),
    *({"interval": interval} for interval in ("t", "bootstrap")),
    *({"alternative": alternative} for alternative in ("greater", "less")),
    {"alternative": "equivalence", "margin": 0.01},
    {"unjudged": "drop"},
    {"unjudged": "bounds"},
)
Value = tuple[str, Any]
Pair = frozenset[Value]
# Two tables in which every order of equal scores is known, and the same with positions alone.
RANKED = "SELECT query_id, item_id, score, place FROM ranked_{}"
PLACED = "SELECT query_id, item_id, place FROM ranked_{}"
RUNS = ("runs", "other_runs")


@dataclass
class Asked:
    """A statement by its options, which a metric may have for itself or not.

    Attributes:
        level: as ``rm.sql`` has it.
        given: options of the whole statement.
        rows: metrics, each with the options that it has for itself.
    """

    level: str
    given: dict[str, Any] = field(default_factory=dict)
    rows: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def case(self) -> Case:
        """The statement itself."""
        return as_case(self.level, self.given, [written(metric, own) for metric, own in self.rows])

    def is_refused(self) -> bool:
        """What the package says of it, which has no text for it then."""
        try:
            with patch.object(Plan, "text", lambda _query, _level, **_: ""):
                self.case().by_sqlglot("duckdb")
        except UsageError:
            return True
        return False

    def n_stages(self) -> int:
        """How many stages the text has, of our own dialect."""
        return len(tree_of(self.case().by_sqlglot("duckdb"), "duckdb").ctes)

    def pairs(self) -> set[Pair]:
        """Those that stand together in it; what is not given has its default."""
        found: set[Pair] = set()
        for metric, own in self.rows:
            known = obeyed(self.level, metric)
            given = {name: value for name, value in self.given.items() if name in known}
            chosen = {name: default(name) for name in known} | given | own
            found.update(map(frozenset, combinations(chosen.items(), 2)))
        return found


def as_case(level: str, given: Mapping[str, Any], asked: Sequence[str]) -> Case:
    """A statement over the tables that have all that the options read."""
    placed = given.get("position") == "given"
    columns = {"position": "place"} if placed else {"score": "score", "position": "place"}
    one, other = ((PLACED if placed else RANKED).format(name) for name in RUNS)
    run = {"baseline": one, "candidate": other} if level == "compare" else one
    drawn = {} if level == "per_query" else {"resamples": default("resamples")}
    return Case(asked, level, run, given={"columns": columns, **drawn, **given})


def written(metric: str, own: Mapping[str, Any]) -> str:
    """A metric string."""
    name, at, cutoff = metric.partition("@")
    text = ", ".join(f"{option}={'none' if value is None else value}" for option, value in own.items())
    return f"{name}({text}){at}{cutoff}" if text else metric


@cache
def values(option: str) -> tuple[Any, ...]:
    """All values of an option that are tried, the default first where there are some."""
    known = options()[option]
    listed = tuple(None if value == "none" and known.default is None else value for value in known.values)
    found = dict.fromkeys((*listed, *EXAMPLES.get(option, ())))
    return tuple(value for value in found if (option, value) not in SYNONYMS)


@cache
def default(option: str) -> Any:
    """The value that an option has if nobody says another; the first of those that are tried in its place."""
    wanted = options()[option].default
    return wanted if wanted in values(option) else values(option)[0]


@cache
def of_row(metric: str) -> tuple[str, ...]:
    """The options that a metric may have for itself."""
    takes = metrics()[metric.partition("@")[0]].params
    scopes = {name: option.scope for name, option in options().items()}
    return tuple(
        name
        for name, scope in scopes.items()
        if scope in ("ranking", "summary") or (scope == "metric" and name in takes)
    )


@cache
def of_statement(level: str) -> tuple[str, ...]:
    """The options that hold for a whole statement of a level."""
    scopes = {name: option.scope for name, option in options().items() if name not in LEFT_OUT}
    found = [name for name, scope in scopes.items() if scope == "evaluation" and name != "interval"]
    if level == "summary":
        found += OF_INTERVALS
    if level == "compare":
        found += [name for name, scope in scopes.items() if scope == "comparison"]
    return tuple(found)


@cache
def obeyed(level: str, metric: str) -> tuple[str, ...]:
    """The options that decide a value of a metric in a statement."""
    own = tuple(name for name in of_row(metric) if level != "per_query" or options()[name].scope != "summary")
    return (*of_statement(level), *own)


def may_stand(chosen: Mapping[str, Any]) -> Asked | None:
    """A statement in which these values stand together, and few others; None if none is known."""
    for level in LEVELS:
        for metric in ASKED:
            if not chosen.keys() <= set(obeyed(level, metric)):
                continue
            for companion in COMPANIONS:
                if not companion.keys() <= set(obeyed(level, metric)):
                    continue
                asked = divided(level, metric, companion | chosen)
                if not asked.is_refused():
                    return asked
    return None


def divided(level: str, metric: str, chosen: Mapping[str, Any]) -> Asked:
    """A statement of one metric: what holds for the whole of it, and what the metric has for itself."""
    own = {name: value for name, value in chosen.items() if name in of_row(metric)}
    return Asked(level, {name: value for name, value in chosen.items() if name not in own}, [(metric, own)])


def all_pairs() -> Iterator[Pair]:
    """Those of two options that any of the metrics obeys in one statement, whether they are refused or not."""
    together = {
        frozenset(pair) for level in LEVELS for metric in ASKED for pair in combinations(obeyed(level, metric), 2)
    }
    for one, other in sorted(map(sorted, together)):
        yield from (frozenset([(one, a), (other, b)]) for a in values(one) for b in values(other))


@cache
def possible() -> Mapping[Pair, Asked]:
    """The pairs that may stand together, each with a statement in which it does."""
    single = {(name, value) for name in options() for value in values(name) if may_stand({name: value})}
    found = ((pair, may_stand(dict(pair))) for pair in all_pairs() if pair <= single)
    return {pair: asked for pair, asked in found if asked is not None}

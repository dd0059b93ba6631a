"""Which values of options may stand together: all pairs that the package does not refuse."""

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
# Values of options beside their lists in sql/options.toml; the default first where it is one of them.
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
# Options that no statement obeys, and values that are another word for the default.
LEFT_OUT = {"check"}
SYNONYMS = {("strategy", "auto")}
OF_INTERVALS = ("interval", "confidence_level", "resamples", "seed", "bootstrap_interval")
# Metrics that obey every option that a metric may have for itself, and have a value for each list.
SAMPLE_METRICS = (
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
class Statement:
    """A statement by its options, which a metric may have for itself or not.

    Attributes:
        level: of ``rm.sql``.
        given: options of the whole statement.
        rows: metrics, each with its own options.
    """

    level: str
    given: dict[str, Any] = field(default_factory=dict)
    rows: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def case(self) -> Case:
        """Return the statement as a case of the tests."""
        return as_case(
            self.level, self.given, [written(metric, metric_options) for metric, metric_options in self.rows]
        )

    def is_refused(self) -> bool:
        """Whether the package refuses the statement."""
        try:
            with patch.object(Plan, "text", lambda _query, _level, **_: ""):
                self.case().by_sqlglot("duckdb")
        except UsageError:
            return True
        return False

    def n_stages(self) -> int:
        """Return the number of stages of the text in our own dialect."""
        return len(tree_of(self.case().by_sqlglot("duckdb"), "duckdb").ctes)

    def pairs(self) -> set[Pair]:
        """Return the pairs of values that stand together in it; an option that is not set has its default."""
        pairs: set[Pair] = set()
        for metric, metric_options in self.rows:
            names = obeyed(self.level, metric)
            statement_options = {name: value for name, value in self.given.items() if name in names}
            option_values = {name: default(name) for name in names} | statement_options | metric_options
            pairs.update(map(frozenset, combinations(option_values.items(), 2)))
        return pairs


def as_case(level: str, given: Mapping[str, Any], metrics: Sequence[str]) -> Case:
    """Return a statement over the tables that have all columns that the options read."""
    has_positions = given.get("position") == "given"
    columns = {"position": "place"} if has_positions else {"score": "score", "position": "place"}
    run_sql, candidate_sql = ((PLACED if has_positions else RANKED).format(name) for name in RUNS)
    run = {"baseline": run_sql, "candidate": candidate_sql} if level == "compare" else run_sql
    resamples = {} if level == "per_query" else {"resamples": default("resamples")}
    return Case(metrics, level, run, given={"columns": columns, **resamples, **given})


def written(metric: str, metric_options: Mapping[str, Any]) -> str:
    """Return a metric string."""
    name, at, cutoff = metric.partition("@")
    text = ", ".join(f"{option}={'none' if value is None else value}" for option, value in metric_options.items())
    return f"{name}({text}){at}{cutoff}" if text else metric


@cache
def values(option: str) -> tuple[Any, ...]:
    """Return the values of an option that are tried, the default first."""
    parameter = options()[option]
    named_values = tuple(None if value == "none" and parameter.default is None else value for value in parameter.values)
    values_in_order = dict.fromkeys((*named_values, *EXAMPLES.get(option, ())))
    return tuple(value for value in values_in_order if (option, value) not in SYNONYMS)


@cache
def default(option: str) -> Any:
    """Return the default of an option, or the first of the values that are tried in its place."""
    value = options()[option].default
    return value if value in values(option) else values(option)[0]


@cache
def of_row(metric: str) -> tuple[str, ...]:
    """Return the options that a metric may have for itself."""
    takes = metrics()[metric.partition("@")[0]].params
    scopes = {name: option.scope for name, option in options().items()}
    return tuple(
        name
        for name, scope in scopes.items()
        if scope in ("ranking", "summary") or (scope == "metric" and name in takes)
    )


@cache
def of_statement(level: str) -> tuple[str, ...]:
    """Return the options that hold for a whole statement of a level."""
    scopes = {name: option.scope for name, option in options().items() if name not in LEFT_OUT}
    names = [name for name, scope in scopes.items() if scope == "evaluation" and name != "interval"]
    if level == "summary":
        names += OF_INTERVALS
    if level == "compare":
        names += [name for name, scope in scopes.items() if scope == "comparison"]
    return tuple(names)


@cache
def obeyed(level: str, metric: str) -> tuple[str, ...]:
    """Return the options that decide a value of a metric in a statement."""
    names = tuple(name for name in of_row(metric) if level != "per_query" or options()[name].scope != "summary")
    return (*of_statement(level), *names)


def may_stand(option_values: Mapping[str, Any]) -> Statement | None:
    """Return a statement in which these values stand together, with few others; None if all are refused."""
    for level in LEVELS:
        for metric in SAMPLE_METRICS:
            if not option_values.keys() <= set(obeyed(level, metric)):
                continue
            for companion in COMPANIONS:
                if not companion.keys() <= set(obeyed(level, metric)):
                    continue
                statement = divide(level, metric, companion | option_values)
                if not statement.is_refused():
                    return statement
    return None


def divide(level: str, metric: str, option_values: Mapping[str, Any]) -> Statement:
    """Return a statement of one metric, with options of the statement and options of the metric."""
    metric_options = {name: value for name, value in option_values.items() if name in of_row(metric)}
    return Statement(
        level,
        {name: value for name, value in option_values.items() if name not in metric_options},
        [(metric, metric_options)],
    )


def all_pairs() -> Iterator[Pair]:
    """Yield the pairs of two options that any of the metrics obeys in one statement, refused or not."""
    option_pairs = {
        frozenset(pair)
        for level in LEVELS
        for metric in SAMPLE_METRICS
        for pair in combinations(obeyed(level, metric), 2)
    }
    for first, second in sorted(map(sorted, option_pairs)):
        yield from (frozenset([(first, a), (second, b)]) for a in values(first) for b in values(second))


@cache
def possible() -> Mapping[Pair, Statement]:
    """Return the pairs that may stand together, each with a statement in which it does."""
    single = {(name, value) for name in options() for value in values(name) if may_stand({name: value})}
    statements = ((pair, may_stand(dict(pair))) for pair in all_pairs() if pair <= single)
    return {pair: statement for pair, statement in statements if statement is not None}

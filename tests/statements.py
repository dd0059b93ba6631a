"""The statements that every engine has to answer alike, on both roads: by sqlglot, and as dbt renders them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from unittest import mock

import rankmetrics_sql as rm
from rankmetrics_sql.api.keywords import make_request
from rankmetrics_sql.definitions.catalogue import Metric, metrics
from rankmetrics_sql.templates import macros

KEYS = {"query_id", "known", "run_id", "run", "baseline_run", "test", "metric", "market", "segment", "x", "breakdown"}
KEYS |= {"item_id", "movement", "method"}


@dataclass(frozen=True)
class Case:
    """One statement.

    Attributes:
        metrics: metric strings.
        level: as ``rm.sql`` has it.
        run: the table of retrieved items, or several by name; one labelled table where ``qrels`` is None.
        qrels: the table of judgments.
        given: the other arguments of ``rm.sql``.
        in_dbt: the macro of the dbt package that writes the same, and its arguments; None where there is none.
    """

    metrics: Sequence[str]
    level: str = "per_query"
    run: str | Mapping[str, str] = "runs"
    qrels: str | None = "labels"
    given: Mapping[str, Any] = field(default_factory=dict)
    in_dbt: tuple[str, Mapping[str, Any]] | None = None

    def by_sqlglot(self, dialect: str) -> str:
        """The text that Python writes for a dialect."""
        what = {"run": self.run} if self.qrels else {"labelled": self.run}
        return rm.sql(list(self.metrics), qrels=self.qrels, dialect=dialect, level=self.level, **what, **self.given)

    def by_dbt(self, dialect: str) -> str | None:
        """The text that dbt renders with the adapter of a dialect; None where the package has no macro for it."""
        if self.in_dbt is None:
            return None
        macro, arguments = self.in_dbt
        asked = {"metrics": list(self.metrics)} if self.metrics else {}
        given = asked | {"qrels": self.qrels} | dict(arguments)
        return str(macros(dialect)[macro](**given))


@dataclass(frozen=True)
class Conditions(Case):
    """A comparison by conditions, which the command line alone has: margins of a gain, below 0, and of shares.

    Attributes:
        margins: by how much each metric may lose.
        shares: the metrics whose margins are shares of the baseline's value.
    """

    margins: Mapping[str, float] = field(default_factory=dict)
    shares: Sequence[str] = ()

    def by_sqlglot(self, dialect: str) -> str:
        """The text that Python writes for a dialect."""
        asked = {"limits": self.margins, "relative_limits": self.shares}
        with mock.patch(
            "rankmetrics_sql.api.sql.make_request", lambda *args, **given: make_request(*args, **{**given, **asked})
        ):
            return super().by_sqlglot(dialect)


def _case(metrics: Sequence[str], level: str = "per_query", *, qrels: str | None = "labels", **options: Any) -> Case:
    return Case(
        metrics,
        level,
        qrels=qrels,
        given=options,
        in_dbt=(level, {"relation": "runs", "options": options}) if level in ("per_query", "summary") else None,
    )


def _values() -> Iterator[Metric]:
    """The metrics that give a number from grades of items, and no error of the largest scores that there are."""
    return (metric for metric in metrics().values() if metric.of_grades and "score" not in metric.needs)


# Of predictions; they stand with scores and grades of a few points.
ERRORS = ("mae", "rmse", "rmse(aggregate=mean)", "rating_bias(no_prediction=skip)", "prediction_coverage")


# At rank 1, inside a list, at the end of most of them and beyond the longest.
CUTOFFS = (1, 5, 12, 100)


def _every_metric(*cutoffs: int) -> list[str]:
    """With its defaults, and at cutoffs."""
    found = []
    for metric in _values():
        found.append(COMPAT if metric.name == "compat" else metric.name)
        found += [f"{metric.name}@{k}" for k in cutoffs] if metric.takes_k else []
    return found


# It looks 1,000 places deep; its default of 0.95 would be 13,452, too many for an engine that is slow on purpose.
COMPAT = "compat(p=0.5)"

# The values of each choice that a metric has for itself, away from the default.
CHOICES: Mapping[str, Sequence[Any]] = {
    "rel": (2, 0.5, -1),
    "gain": ("exp2", "binary", "{1:3,2:9}"),
    "discount": ("ln", "none", "zipf", "log2_rank"),
    "ideal_depth": ("min_k_retrieved", "present", "uncut", "all_relevant"),
    "zero_ideal": (1, "null", "skip"),
    "no_relevant": (1, "null", "skip"),
    "ap_denominator": ("min_relevant_k", "retrieved_relevant", "k"),
    "precision_denominator": ("min_k_retrieved", "min_k_relevant"),
    "rbp_gain": ("scaled", "raw"),
    "err_max": (3, 5.5),
    "iprec_rounding": ("up",),
    "f_beta": ("plain", "of_averages"),
    "collection_size": (50_000,),
}
# What else metrics have for themselves; all of a group in one statement.
PARAMETERS: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "of_some": {
        "max_fpr": (0.3,),
        "tied_curve": ("stairs",),
        "no_pair": (0.5, 1, "null"),
        "no_nonrelevant": (1, "null"),
        "no_click": ("skip",),
        "beta": (2,),
        "recall": (0.05, 1),
        "factor": (0.5, 2),
        "a": (2,),
        "b": (1.5,),
        "c": (1,),
        "d": (0.25,),
    },
    "of_gains": {"min_rel": (0.5,), "max_rel": (3,)},
    "of_readers": {"p": (0.5,), "T": (3,), "places": (7,)},
}
OF_SUBTOPICS: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "readers": {"alpha": (0.3, 1), "beta": (0.9,)},
    "lists": {"rel": (2,), "no_relevant": (1, "null")},
}
# The values of the choices that make another ranking.
RANKINGS: Mapping[str, Sequence[Any]] = {
    "ties": ("item_asc", "best", "worst"),
    "score_type": ("float32",),
    "queries": ("judged_retrieved", "retrieved", "judged_relevant"),
    "unjudged": ("relevant", "drop", "mean", "median", 2),
    "judgments": ("given", "retrieved"),
    "depth": (1, 5),
}
AGGREGATES = ("mean", "median", "geometric", "sum", "min", "max")
# One metric for each kind of thing that a ranking feeds: ranks, gains, ideals, counts, running counts, list lengths.
FEW = ("rr", "ap", "ndcg@5", "p@5", "r@5", "rbp", "bpref", "err@5", "num_ret", "judged@5", "num_q", "infap")

# Values of all queries together, which are made of parts.
POOLED = ("ctr_pooled@5", "opa", "arp", "f(f_beta=of_averages, beta=2, k=3)")


def _cut(metric: Metric, k: int = 5) -> str:
    """With a cutoff, where it takes one."""
    return f"{metric.name}@{k}" if metric.takes_k else metric.name


def _choosing(text: str, choice: str, value: Any) -> str:
    name, at, cutoff = text.partition("@")
    name, _, others = name.rstrip(")").partition("(")
    return f"{name}({', '.join([*filter(None, [others]), f'{choice}={value}'])}){at}{cutoff}"


def _with_choice(choice: str, value: Any) -> list[str]:
    """Every metric that has the choice for itself."""
    return [_choosing(_cut(metric), choice, value) for metric in _values() if choice in metric.params]


def _with_parameters(parameters: Mapping[str, Sequence[Any]]) -> list[str]:
    """Every value of every parameter, with every metric that has it."""
    return [text for name, values in parameters.items() for value in values for text in _with_choice(name, value)]


# What judgments say of chances, as SQL over their rows.
CHANCES = {
    "propensity": "CASE WHEN relevance > 1 THEN 0.25 ELSE 0.5 END",
    "target": "CASE WHEN relevance > 0 THEN 0.75 ELSE 0.125 END",
}


# What a log says of the actions of a type, likewise; an amount below 0 is a refund.
NUMBERS = {
    "actions_click": "CASE WHEN relevance > 0 THEN 2 ELSE 0 END",
    "actions_purchase": "CASE WHEN relevance > 1 THEN 1 ELSE 0 END",
    "amount_purchase": "CASE WHEN relevance > 1 THEN relevance * 2.5 WHEN relevance = 1 THEN -1 END",
    "seconds_click": "CASE WHEN relevance > 0 THEN relevance * 3.5 END",
}
OF_ACTIONS = [
    *("amount", "amount@5", "conversion", "conversion@5", "actions(type=click)", "actions(type=purchase)@5"),
    *("time_to_first_click", "time_to_first_click@5", "ctr(type=purchase)@5", "clicks(type=purchase)"),
    *("ctr_pooled(type=purchase)", "abandonment(type=purchase)@5"),
    *("amount_per_click", "amount_per_click(click=click)@5", "conversion_per_click", "conversion_per_click@5"),
]


def _weighted(**own: Any) -> list[str]:
    """The metrics of chances, with values of their own parameters."""
    found = []
    for metric in (metric for metric in metrics().values() if set(CHANCES) & set(metric.reads_beside)):
        text = metric.name if own else _cut(metric)
        for name, value in own.items():
            text = _choosing(text, name, value) if name in metric.params else text
        found.append(text)
    return found


def _diverse(choice: str | None = None) -> list[Metric]:
    """The metrics of subtopics, or those that have a choice; an ideal without end is beyond most engines."""
    found = [metric for metric in metrics().values() if "subtopics" in metric.needs]
    found = [metric for metric in found if "greedy_ideal" not in metric.needs or metric.takes_k]
    return [metric for metric in found if choice is None or choice in metric.params]


def _beyond() -> list[str]:
    """The metrics of the items shown, at a cutoff and with every choice; and of whole lists."""
    found = [metric for metric in metrics().values() if metric.reads_items or not metric.reads_judgments]
    whole = [metric.name for metric in found if metric.params["k"].default is None]
    return [*(_cut(metric, 4) for metric in found), *whole, "ild(distance=hamming)@4", "self_information(cold=0.01)@4"]


def alone(k: int = 10) -> dict[str, Case]:
    """Every metric by itself, with a cutoff where it takes one; of subtopics, where it reads them."""
    return {_cut(metric, k): _of_one(metric, _cut(metric, k)) for metric in metrics().values()}


def _of_one(metric: Metric, text: str) -> Case:
    level = "points" if metric.shape == "curve" else "summary"
    if metric.reads_items or not metric.reads_judgments:
        return Case([text], level, given={"items": "catalogue"})
    if metric.reads_reference:
        return Case([text], level, qrels="reference_run")
    if "subtopics" in metric.needs:
        return Case([text], level, qrels="intents", given={"columns": {"subtopic": "intent"}})
    if "score" in metric.needs:
        return Case([text], level, "impressions", qrels=None)
    return Case([text], level, given={"columns": CHANCES | NUMBERS} if metric.reads_beside else {})


def _of_choices() -> Iterator[tuple[str, Case]]:
    """Every value of every choice, all values of one choice in one statement."""
    for choice, values in CHOICES.items():
        yield choice, _case([text for value in values for text in _with_choice(choice, value)])
    for choice, values in RANKINGS.items():
        for value in values:
            yield f"{choice}_{value}", _case([_choosing(name, choice, value) for name in FEW])
    graded = [_choosing(_cut(metric), "unjudged", 2) for metric in _values() if metric.name != "compat"]
    yield "unjudged_of_every_metric", _case(graded)
    for group, parameters in PARAMETERS.items():
        endless = ["compat(p=0.5, normalize=false)"] if group == "of_readers" else []
        yield f"parameters_{group}", _case(_with_parameters(parameters) + endless)
    whole = "ndcg(ties=expected, discount=none)@5"  # its weights are whole numbers, which some engines divide to such
    yield "ties_expected", _case([*_with_choice("ties", "expected"), whole])
    yield "bounds", _case(["ap", "ndcg@5", "p@5"], unjudged="bounds")
    yield (
        "several_rankings",
        _case(["ap", "rr(ties=item_asc)", "ap(depth=3)", "p(unjudged=drop)@3", "r(queries=retrieved)"]),
    )
    yield "count_strategy", _case([*FEW, "rr(depth=3)", "p(ties=best)@3"], strategy="count")
    for impute in ("mean", "median", 1):
        yield f"impute_{impute}", _case([*FEW, "mcc(rel=0, unjudged=2)@5"], impute=impute)
    aggregated = [_choosing(name, "aggregate", how) for how in AGGREGATES for name in ("ap", "p@5")]
    macro = ("summary", {"relation": "runs", "columns": CHANCES | NUMBERS})
    others = [*_weighted(floor=0.3, self_normalised="true", clip=1.25), *OF_ACTIONS]
    yield "aggregate", Case([*aggregated, *others], "summary", given={"columns": CHANCES | NUMBERS}, in_dbt=macro)
    yield "values", _case(["ap", "arp", "rr(ties=item_asc)"], "values")


def _labelled(metrics: Sequence[str], level: str, columns: Mapping[str, Any], **options: Any) -> Case:
    by = options.pop("by", ())
    without_score = {"score": None} if "position" in columns and options.get("ties") != "rank" else {}
    named = {**columns, **without_score}
    arguments = {"relation": "impressions", "options": options, "by": list(by) or None, "columns": named}
    given = {"columns": columns, "by": by, **options}
    return Case(metrics, level, "impressions", None, given, (level, arguments))


def _of_catalogue() -> Iterator[tuple[str, Case]]:
    """Metrics beyond accuracy, of each list and of all together."""
    given = {"items": "catalogue"}
    macro = ("per_query", {"relation": "runs", "items": "catalogue"})
    yield "beyond_per_query", Case([*_beyond(), "p@4"], "per_query", given=given, in_dbt=macro)
    macro = ("summary", {"relation": "runs", "items": "catalogue", "by": "market", "rollup": True})
    grouped = {**given, "by": ["market"], "rollup": True}
    of_lists = [_cut(metric, 4) for metric in metrics().values() if metric.of_lists]
    yield "beyond_summary", Case([*of_lists, "average_popularity@4", "p@4"], "summary", given=grouped, in_dbt=macro)


def _of_references() -> Iterator[tuple[str, Case]]:
    """Metrics of two rankings: another run in place of the judgments."""
    macro = ("per_query", {"relation": "runs"})
    yield "references", Case(["jaccard@5", "rbo", "rbo(p=0.5)"], qrels="reference_run", in_dbt=macro)
    yield "overlap", Case(["jaccard@1", "jaccard@5", "unseen_share@5"], qrels="reference_run", in_dbt=macro)


def _comparisons() -> Iterator[tuple[str, Case]]:
    """Two runs, by pairs, in groups, and as arms."""
    compared = [*FEW, "gm_map", "num_rel_ret"]
    baseline = {"baseline": "runs", "candidate": "other_runs"}
    macro = ("compare", {"candidate": "other_runs", "baseline": "runs"})
    yield "compare", Case(compared, "compare", baseline, in_dbt=macro)
    macro = ("compare", {"candidate": "other_runs", "baseline": "runs", "by": "market"})
    yield "compare_groups", Case(compared, "compare", baseline, given={"by": ["market"]}, in_dbt=macro)
    arms = {"design": "unpaired", "alternative": "greater", "confidence_level": 0.9, "correction": "by"}
    macro = ("compare", {"candidate": "other_runs", "baseline": "runs", "by": "market", "per_query": True})
    by_market = {"by": ["market"]}
    yield "compare_per_query", Case(compared, "compare_per_query", baseline, given=by_market, in_dbt=macro)
    macro = ("compare", {"candidate": "other_runs", "baseline": "runs", "options": arms})
    yield "compare_arms", Case(FEW, "compare", baseline, given=arms, in_dbt=macro)
    macro = (
        "compare",
        {"candidate": "other_runs", "baseline": "runs", "by": "market", "options": {"power": 0.8}},
    )
    by_market = {"by": ["market"], "power": 0.8}
    yield "compare_pooled", Case([*POOLED, "ap"], "compare", baseline, given=by_market, in_dbt=macro)
    macro = ("compare", {"candidate": "other_runs", "baseline": "runs", "options": arms})
    yield "compare_pooled_arms", Case(POOLED, "compare", baseline, given=arms, in_dbt=macro)
    yield from _decisions(compared, baseline)
    yield from _decompositions()
    yield from _movements()


def _decisions(compared: list[str], baseline: dict[str, str]) -> Iterator[tuple[str, Case]]:
    """What else a comparison is asked: of clusters and ranks, by a margin, with a power, at any time."""
    relations = {"candidate": "other_runs", "baseline": "runs"}
    of_segments = {"query_list": "chosen", "cluster": "query_list.segment"}
    clusters = {"query_list": "chosen", "cluster": "segment"}
    by_market = {"by": ["qrels.market"]}
    asked: dict[str, dict[str, Any]] = {
        "clusters": {"alternative": "greater", "margin": 0.01, "power": 0.8},
        "arms_of_clusters": {"design": "unpaired", "sequential": 100},
        "within": {"alternative": "equivalence", "margin": 0.05},
        "by_ranks": {"test": "wilcoxon"},
        "by_normal_ranks": {"test": "wilcoxon", "exact": "never"},
        "by_signs": {"test": "sign", "alternative": "less", "interval_level": "corrected"},
        "randomised": {"test": "randomisation", "resamples": 100},
        "arms_by_ranks": {"design": "unpaired", "test": "mann_whitney", "alternative": "less"},
        "by_bootstrap": {"test": "bootstrap", "resamples": 100, "seed": 7},
        "bca": {"test": "bootstrap", "bootstrap_interval": "bca", "resamples": 100, "confidence_level": 0.8},
        "bca_of_clusters": {"test": "bootstrap", "bootstrap_interval": "bca", "resamples": 100, "alternative": "less"},
        "arms_by_bootstrap": {"design": "unpaired", "test": "bootstrap", "resamples": 100, "seed": 7},
        "randomised_arms_of_clusters": {"design": "unpaired", "test": "randomisation", "resamples": 100},
        "levels": {"interval_level": "corrected", "correction": "by", "family": "metric", "power": 0.8},
        "levels_of_arms": {"interval_level": "corrected", "design": "unpaired", "alternative": "less"},
        "linear_ratios": {"relative_interval": "linear", "alternative": "greater"},
        "linear_ratios_of_clusters": {"relative_interval": "linear", "design": "unpaired"},
        "randomised_clusters": {"test": "randomisation", "resamples": 100, "alternative": "greater"},
    }
    for name, options in asked.items():
        has_clusters = name.endswith("clusters")
        macro = (
            "compare",
            {**relations, **(of_segments if has_clusters else {"by": "market"}), "options": options},
        )
        given = {**(clusters if has_clusters else by_market), **options}
        in_logarithms = {"margin", "relative_interval"}.isdisjoint(options)  # of a geometric mean there is neither
        metrics = [metric for metric in compared if in_logarithms or metric != "gm_map"]
        yield f"compare_{name}", Case(metrics, "compare", baseline, given=given, in_dbt=macro)
    limits = {compared[0]: 0.01, compared[1]: 0}
    macro = ("compare", {**relations, "by": "market", "limits": limits})
    given = {**by_market, "limits": limits}
    yield "compare_limits", Case(compared, "compare", baseline, given=given, in_dbt=macro)
    given = {**by_market, "all_pairs": True, "family": "group", "correction": "bh"}
    yield "compare_all_pairs", Case(compared, "compare", {**baseline, "again": "runs"}, given=given)
    yield from _capped(baseline, relations)
    yield from _conditions(baseline)
    yield from _adjusted(compared, baseline, relations)
    yield from _predicted(baseline, relations)


def _conditions(baseline: dict[str, str]) -> Iterator[tuple[str, Case]]:
    """A gain that is asked for, and losses and gains by shares of the baseline's value: pairs, arms, and clusters."""
    metrics = ["ap", "rr", "ndcg@5", "arp"]
    margins = {"ap": -0.01, "rr": -0.02, "ndcg@5": 0.05, "arp": 0.05}
    clusters = {"query_list": "chosen", "cluster": "segment"}
    asked: dict[str, dict[str, Any]] = {
        "pairs": {"by": ["market"]},
        "arms": {"by": ["market"], "design": "unpaired"},
        "clusters": clusters,
        "arms_of_clusters": {**clusters, "design": "unpaired"},
    }
    for name, given in asked.items():
        shares = [metric for metric in metrics if metric != "ap"]
        yield (
            f"conditions_of_{name}",
            Conditions(metrics, "compare", baseline, given=given, margins=margins, shares=shares),
        )


def _capped(baseline: dict[str, str], relations: dict[str, str]) -> Iterator[tuple[str, Case]]:
    """Values of metrics without an upper bound, and the numerator of a ratio: by an amount, and by a share."""
    metrics = ["cg@5", "arp", "ap"]
    asked: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "amount": ({"cg@5": 1.5}, {}),
        "share": ({"cg@5": "60%", "arp": "80%"}, {}),
        "arms": ({"cg@5": "60%", "arp": 4}, {"design": "unpaired"}),
    }
    for name, (cap, options) in asked.items():
        macro = ("compare", {**relations, "by": "market", "cap": cap, "options": options})
        given = {"by": ["market"], "cap": cap, **options}
        yield f"compare_capped_{name}", Case(metrics, "compare", baseline, given=given, in_dbt=macro)
    macro = ("compare", {**relations, "cap": {"arp": "80%"}, "per_query": True})
    given = {"cap": {"arp": "80%"}}
    yield "compare_capped_per_query", Case(metrics, "compare_per_query", baseline, given=given, in_dbt=macro)


def _adjusted(compared: list[str], baseline: dict[str, str], relations: dict[str, str]) -> Iterator[tuple[str, Case]]:
    """Arms adjusted by a covariate, in groups and by clusters; and what such effects are made of."""
    arms: dict[str, Any] = {"design": "unpaired", "power": 0.8}
    sessions = {"query_list": "chosen", "covariate": "query_list.sessions"}
    adjusting = {"query_list": "chosen", "covariate": "sessions"}
    macro = ("compare", {**relations, **sessions, "by": "qrels.market", "options": arms})
    given = {**adjusting, "by": ["qrels.market"], **arms}
    yield "compare_adjusted", Case(compared, "compare", baseline, given=given, in_dbt=macro)
    arms = {"design": "unpaired", "sequential": 100}
    macro = ("compare", {**relations, **sessions, "cluster": "query_list.segment", "options": arms})
    given = {**adjusting, "cluster": "segment", **arms}
    yield "compare_adjusted_clusters", Case(compared, "compare", baseline, given=given, in_dbt=macro)
    means = [metric for metric in compared if "gm_" not in metric and "num_" not in metric]
    arms = {"design": "unpaired"}
    weighing = {**sessions, "weight": "query_list.sessions"}
    macro = ("compare", {**relations, **weighing, "options": arms})
    given = {**adjusting, "weight": "sessions", **arms}
    yield "compare_adjusted_weights", Case(means, "compare", baseline, given=given, in_dbt=macro)
    within = {"query_list": "chosen", "strata": "query_list.segment", "by": "qrels.market", "options": arms}
    given = {"query_list": "chosen", "strata": "segment", "by": ["qrels.market"], **arms}
    yield (
        "compare_stratified",
        Case(means, "compare", baseline, given=given, in_dbt=("compare", {**relations, **within})),
    )
    summed = [*compared, "rr(no_relevant=null)"]
    macro = ("sums", {"relation": "runs", **sessions})
    yield "sums_with_covariates", Case(summed, "sums", given=adjusting, in_dbt=macro)
    yield from _by_weights(compared, baseline, relations)
    yield "values_with_covariates", Case(["ap", "rr(no_relevant=null)"], "values", given=adjusting)


def _by_weights(compared: list[str], baseline: dict[str, str], relations: dict[str, str]) -> Iterator[tuple[str, Case]]:
    """Pairs and arms whose queries have weights, in groups and by clusters; both values of each; and a curve."""
    sessions = {"query_list": "chosen", "weight": "query_list.sessions"}
    weighing: dict[str, Any] = {"query_list": "chosen", "weight": "sessions"}
    in_groups = {**relations, **sessions, "by": "qrels.market"}
    by_market = {**weighing, "by": ["qrels.market"]}
    macro = ("compare", in_groups)
    yield "compare_weighted", Case(compared, "compare", baseline, given=by_market, in_dbt=macro)
    macro = ("compare", {**in_groups, "per_query": True})
    yield "compare_weighted_per_query", Case(compared, "compare_per_query", baseline, given=by_market, in_dbt=macro)
    arms = {"design": "unpaired"}
    macro = ("compare", {**in_groups, "options": arms})
    yield "compare_weighted_arms", Case(compared, "compare", baseline, given={**by_market, **arms}, in_dbt=macro)
    for name, options in (("pairs", {"power": 0.8}), ("arms", arms)):
        macro = ("compare", {**relations, **sessions, "cluster": "query_list.segment", "options": options})
        given = {**weighing, "cluster": "segment", **options}
        yield f"compare_weighted_{name}_of_clusters", Case(compared, "compare", baseline, given=given, in_dbt=macro)
    yield "curve_weighted", Case(["ndcg"], "curve", given={"at": [1, 5], **weighing})


def _predicted(baseline: dict[str, str], relations: dict[str, str]) -> Iterator[tuple[str, Case]]:
    """Judgments of a model for all queries beside those of people for some: values and effects, also by clusters."""
    people = "SELECT query_id, item_id, relevance FROM intents"
    metrics = ["ap", "rr", "ndcg@5"]
    predicted: dict[str, Any] = {"predicted_qrels": "labels"}
    asked: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
        "per_query": ("per_query", {"by": "market"}, {}),
        "summary": ("summary", {"cluster": "market"}, {}),
        "compare": ("compare", {"by": "market"}, {"limits": {"ap": 0.05, "rr": 0}}),
        "compare_clusters": ("compare", {"cluster": "market"}, {"options": {"alternative": "greater", "margin": 0.05}}),
        "compare_arms": ("compare", {"cluster": "market"}, {"options": {"design": "unpaired"}}),
    }
    for name, (level, columns, more) in asked.items():
        of_runs = relations if level == "compare" else {"relation": "runs"}
        macro = (level, {**of_runs, "qrels": f"({people}) AS people", **predicted, **columns, **more})
        options = more.get("options", {})
        given = predicted | columns | options | {key: value for key, value in more.items() if key != "options"}
        given |= {"by": [columns["by"]]} if "by" in columns else {}
        runs = baseline if level == "compare" else "runs"
        yield f"predicted_{name}", Case(metrics, level, runs, people, given, macro)


def _decompositions() -> Iterator[tuple[str, Case]]:
    """Of runs that answered the same queries, or others in some groups; and of runs that a column tells apart."""
    means = [*(name for name in FEW if metrics()[name.partition("@")[0]].aggregate == "mean"), "rr(no_relevant=skip)"]
    macro = ("decompose", {"candidate": "other_runs", "baseline": "runs", "by": "market"})
    pair = {"baseline": "runs", "candidate": "other_runs"}
    yield "decompose", Case(means, "decompose", pair, given={"by": ["market"]}, in_dbt=macro)
    own: dict[str, Any] = {"queries": "judged_retrieved"}
    others = "SELECT query_id, item_id, relevance AS score FROM reference_run"
    given: dict[str, Any] = {"by": ["qrels.market", "query_list.segment"], "query_list": "chosen"}
    both = {"relation": f"({others}) AS others", "baseline": "runs", "by": given["by"], "query_list": "chosen"}
    macro = ("decompose", {**both, "options": own})
    several = {"baseline": "runs", "candidate": others}
    yield "decompose_groups", Case(means, "decompose", several, given={**given, **own}, in_dbt=macro)
    of_column = {"relation": "systems", "columns": {"run": "run_id"}, "baseline": "New", "by": "market"}
    given = {"columns": {"run_id": "run_id"}, "by": ["market"], "baseline": "New", **own}
    macro = ("decompose", {**of_column, "options": own})
    yield "decompose_systems", Case(means, "decompose", "systems", given=given, in_dbt=macro)


def _movements() -> Iterator[tuple[str, Case]]:
    """Of two runs with judgments, and of runs that a column tells apart, of some queries."""
    pair = {"baseline": "runs", "candidate": "other_runs"}
    macro = ("movements", {"candidate": "other_runs", "baseline": "runs", "k": 5})
    yield "movements", Case((), "movements", pair, given={"k": 5}, in_dbt=macro)
    ordered: dict[str, Any] = {"ties": "item_asc", "queries": "retrieved"}
    of_column = {"relation": "systems", "columns": {"run": "run_id"}, "baseline": "New", "query_list": "chosen"}
    given = {"columns": {"run_id": "run_id"}, "baseline": "New", "query_list": "chosen", **ordered}
    macro = ("movements", {**of_column, "options": ordered})
    yield "movements_systems", Case((), "movements", "systems", given=given, in_dbt=macro)


def _of_intervals() -> Iterator[tuple[str, Case]]:
    """Of means, geometric means and sums, in groups; and of weighted means."""
    bounded: dict[str, Any] = {"interval": "t", "confidence_level": 0.8}
    macro = ("summary", {"relation": "runs", "by": "market", "rollup": True, "options": bounded})
    given = {"by": ["market"], "rollup": True, **bounded}
    asked = [*FEW, "gm_map", "num_rel_ret", "ap(aggregate=median)"]
    yield "intervals", Case(asked, "summary", given=given, in_dbt=macro)
    sessions = {"query_list": "chosen", "weight": "query_list.sessions"}
    macro = ("summary", {"relation": "runs", "options": {"interval": "t"}, **sessions})
    weighing = {"interval": "t", "weight": "sessions", "query_list": "chosen"}
    yield "intervals_of_weighted", Case(asked[:-1], "summary", given=weighing, in_dbt=macro)
    macro = ("summary", {**macro[1], "by": "qrels.market", "cluster": "query_list.segment"})
    drawn = {"interval": "bootstrap", "resamples": 100, "seed": 3}
    again = ("summary", {**macro[1], "options": drawn})
    given = {**weighing, **drawn, "by": ["qrels.market"], "cluster": "segment"}
    yield "intervals_by_bootstrap", Case(asked[:-1], "summary", given=given, in_dbt=again)
    corrected = {"bootstrap_interval": "bca"}
    again = ("summary", {**again[1], "options": {**drawn, **corrected}})
    yield "intervals_by_bca", Case(asked[:-1], "summary", given={**given, **corrected}, in_dbt=again)
    weighing = {**weighing, "by": ["qrels.market"], "cluster": "segment"}
    yield "intervals_of_clusters", Case(asked[:-1], "summary", given=weighing, in_dbt=macro)
    clustered = {"query_list": "chosen", "cluster": "query_list.segment"}
    macro = (
        "summary",
        {"relation": "runs", "by": "qrels.market", "rollup": True, "options": bounded, **clustered},
    )
    given = {"query_list": "chosen", "cluster": "segment", "by": ["qrels.market"], "rollup": True, **bounded}
    yield "intervals_of_pooled", Case([*POOLED, "ap"], "summary", given=given, in_dbt=macro)


def _of_ordered_groups(runs: Mapping[str, str]) -> Iterator[tuple[str, Case]]:
    """The first groups of named runs, and all groups of runs in one table; dbt's relations have no order."""
    first: dict[str, Any] = {"order": "rr", "limit": 3, "rollup": True, "min_queries": 2}
    yield "group_order", Case(["p@5", "rr"], "summary", runs, given={"by": ["market"], **first})
    largest = {"columns": {"run_id": "run_id"}, "by": ["market"], "order": "n_queries", "interval": "t"}
    yield "group_order_of_systems", Case(FEW, "summary", "systems", given=largest)


def _of_tables() -> Iterator[tuple[str, Case]]:
    """Every form that inputs have."""
    known = [text for text in _every_metric(5) if text != "zero_results"]  # a labelled table has no empty lists
    yield "labelled", _labelled([*known, *ERRORS, *_weighted(), *OF_ACTIONS], "per_query", CHANCES | NUMBERS)
    yield "positions", _labelled(FEW, "per_query", {"position": "place"})
    yield "given_positions", _labelled([*FEW, "ctr@5"], "per_query", {"position": "place"}, position="given")
    yield "ties_by_rank", _labelled(FEW, "per_query", {"score": "score", "position": "place"}, ties="rank")
    yield "n_relevant", _labelled(["ap", "r@5", "ndcg@5", "f", *ERRORS], "summary", {"n_relevant": "known"})
    yield "two_query_columns", _labelled(FEW, "per_query", {"query_id": ["query_id", "known"]})
    yield "number_ids", Case(FEW, "per_query", "clicks", None, {}, ("per_query", {"relation": "clicks"}))
    several = {"new": "runs", "New": "other_runs"}
    yield "two_runs", Case(FEW, "per_query", several)
    yield "two_runs_in_groups", Case(FEW, "summary", several, given={"by": ["market"]})
    systems = {"relation": "systems", "columns": {"run": "run_id"}, "query_list": "chosen"}
    given = {"columns": {"run_id": "run_id"}, "query_list": "chosen"}
    yield (
        "systems",
        Case([*FEW, "ap(queries=retrieved)"], "per_query", "systems", "labels", given, ("per_query", systems)),
    )
    yield (
        "groups",
        Case(FEW, "summary", given={"by": ["market"]}, in_dbt=("summary", {"relation": "runs", "by": "market"})),
    )
    rollup: dict[str, Any] = {"rollup": True, "min_queries": 2}
    both = ["qrels.market", "query_list.segment"]
    yield (
        "rollup",
        Case(
            [*FEW, "ap(aggregate=median)", "f(f_beta=of_averages)"],
            "summary",
            given={"by": both, "query_list": "chosen", **rollup},
            in_dbt=("summary", {"relation": "runs", "by": both, "query_list": "chosen", **rollup}),
        ),
    )
    yield from _of_ordered_groups(several)
    yield from _of_intervals()
    macro = ("sums", {"relation": "runs", "by": "market"})
    yield "sums", Case([*FEW, "gm_map"], "sums", given={"by": ["market"]}, in_dbt=macro)
    weighed: dict[str, Any] = {"query_list": "chosen"}
    macro = (
        "summary",
        {"relation": "runs", "by": "qrels.market", "weight": "query_list.sessions", **weighed},
    )
    given = {"by": ["qrels.market"], "rollup": True, "weight": "sessions", **weighed}
    in_dbt = (macro[0], macro[1] | {"rollup": True})
    yield "weighted", Case([*FEW, "gm_map", "num_rel"], "summary", given=given, in_dbt=in_dbt)
    macro = ("sums", {**macro[1], "cluster": "query_list.segment"})
    given = {"by": ["qrels.market"], "cluster": "segment", "weight": "sessions", **weighed}
    yield "sums_of_clusters", Case([*FEW, "num_rel"], "sums", given=given, in_dbt=macro)
    yield "rollup_of_runs", Case(["ap"], "summary", several, given={"by": ["market"], "rollup": [[]]})
    yield "segments", Case(FEW, "summary", given={"by": ["query_list.segment"], "query_list": "chosen"})
    long = {"run": "long_runs", "qrels": "long_labels"}
    macro = ("per_query", {"relation": "long_runs"})
    yield "long_list", Case([*_every_metric(12_000), "compat"], **long, in_dbt=macro)
    macro = ("per_query", {"relation": "long_runs", "options": {"strategy": "count"}})
    yield "long_list_counted", Case(FEW, **long, given={"strategy": "count"}, in_dbt=macro)
    yield from _comparisons()
    yield from _of_catalogue()
    yield from _of_references()
    intents = {"columns": {"subtopic": "intent"}}
    for level in ("per_query", "summary"):
        macro = (level, {"relation": "runs", "columns": {"subtopic": "intent"}})
        every = [_cut(metric, 4) for metric in _diverse()]
        yield f"subtopics_{level}", Case(every, level, "runs", "intents", intents, macro)
    macro = ("per_query", {"relation": "runs", "columns": {"subtopic": "intent"}})
    for group, parameters in OF_SUBTOPICS.items():
        pairs = [(name, value) for name, values in parameters.items() for value in values]
        chosen = [_choosing(_cut(metric, 4), name, value) for name, value in pairs for metric in _diverse(name)]
        yield f"subtopics_of_{group}", Case(chosen, "per_query", "runs", "intents", intents, macro)


def _of_curves() -> Iterator[tuple[str, Case]]:
    """Curves have no macro in the dbt package."""
    yield "curve_of_cutoffs", Case(["ndcg"], "curve", given={"at": [1, 2, 5, 12]})
    yield "curve_per_query", Case(["ap"], "curve_per_query", given={"at": [1, 5]})
    yield "curve_of_recall", Case(["iprec"], "curve", given={"along": "recall"})
    yield "points", Case(["pr_curve"], "points")
    yield "interpolated_points", Case(["pr_curve(interpolated=yes)@5"], "points")


@cache
def cases() -> dict[str, Case]:
    """All of them by name."""
    every = {
        "every_metric_per_query": _case(_every_metric(*CUTOFFS)),
        "every_metric_summary": _case(_every_metric(), "summary"),
        "every_cutoff_summary": _case([f"{metric.name}@5" for metric in _values() if metric.takes_k], "summary"),
    }
    return every | dict(_of_choices()) | dict(_of_tables()) | dict(_of_curves())

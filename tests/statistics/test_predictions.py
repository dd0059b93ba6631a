"""Prediction-powered values and effects: beside the formulas of PPI++ query by query, on every crossing."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

import rankmetrics_sql as rm
from dev import tools
from rankmetrics_sql.cli import main
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import one_in, seeds

METRICS = ["rr", "p@3"]


def values_of(run, qrels):
    """The metrics of each judged query, by hand: a query without results has 0."""
    values = {name: {} for name in METRICS}
    for query, grades in qrels.items():
        scored = run.get(query, {})
        relevant = [grades.get(item, 0) > 0 for item in sorted(scored, key=lambda one: -scored[one])]
        values["rr"][query] = float(Fraction(1, relevant.index(True) + 1)) if any(relevant) else 0.0
        values["p@3"][query] = sum(relevant[:3]) / 3
    return values


class World:
    """Queries of markets and users, judged by a model, and a random draw of them by people."""

    def __init__(self, seed, n_queries=80, n_human=30, right=0.7, n_users=12, n_runs=2):
        self.rng = rng = random.Random(seed)
        self.people, self.model = {}, {}
        self.runs = {f"run{number}": {} for number in range(n_runs)}
        self.queries = [f"q{number}" for number in range(n_queries)]
        labelled = {*rng.sample(self.queries, n_human)}
        for query in self.queries:
            items = [f"i{number}" for number in range(8)]
            grades = {item: rng.choice([0, 0, 1]) for item in items}
            self.model[query] = {item: grades[item] if rng.random() < right else rng.choice([0, 1]) for item in items}
            if query in labelled:
                self.people[query] = grades
            for number, run in enumerate(self.runs.values()):
                shown = rng.sample(items, 6)
                if number and rng.random() < 0.3:
                    shown.sort(key=lambda item, grades=grades: -grades[item])
                if rng.random() > 0.05:  # else the query has no result
                    run[query] = {item: float(-place) for place, item in enumerate(shown)}
        self.market = {query: rng.choice("xy") for query in self.queries}
        users = [f"u{number}" for number in range(n_users)]
        self.user = {query: rng.choice([*users, None]) for query in self.queries}

    @property
    def listed(self):
        return {
            "query_id": self.queries,
            "market": [self.market[query] for query in self.queries],
            "user": [self.user[query] for query in self.queries],
        }

    def frame(self):
        return pd.DataFrame(self.listed)

    def sides(self, run, metric, queries=None):
        """The values by people and by the model of some queries, or of all."""
        chosen = {*(self.queries if queries is None else queries)}
        both = (values_of(self.runs[run], judged)[metric] for judged in (self.people, self.model))
        return [{query: value for query, value in side.items() if query in chosen} for side in both]


def spread(influences, clusters, n):
    """What each cluster comes to, adjusted as CR2 does, and the shares that clusters have of n queries."""
    sums, sizes = defaultdict(float), defaultdict(int)
    for query, influence in influences.items():
        sums[clusters[query]] += influence / n
        sizes[clusters[query]] += 1
    shares = {cluster: size / n for cluster, size in sizes.items()}
    return {cluster: sums[cluster] / math.sqrt(1 - shares[cluster]) for cluster in sums}, list(shares.values())


def degrees_of(shares):
    """Bell and McCaffrey's degrees of freedom of clusters with these shares; n - 1 of n queries."""
    shares = np.array(shares)
    rest = shares**2 / (1 - shares)
    return 1 / (np.sum(shares**2) + np.sum(rest) ** 2 - np.sum(rest**2))


def squared(terms):
    return math.fsum(term**2 for term in terms.values())


def together(*parts):
    """Cluster by cluster what two parts come to."""
    return {cluster: math.fsum(part.get(cluster, 0.0) for part in parts) for cluster in {*parts[0], *parts[1]}}


class Powered:
    """PPI++ by its formulas, of y by people and f by a model; clusters are queries unless they are given."""

    def __init__(self, y, f, clusters=None, tune=None):
        self.y, self.f = y, f
        self.clusters = {query: query for query in f} if clusters is None else clusters
        self.labelled = [query for query in f if query in y]
        self.others = [query for query in f if query not in y]
        self.n, self.n_others = len(self.labelled), len(self.others)
        self.human, self.bias = self.mean(y, self.labelled), self.mean(f, self.labelled) - self.mean(y, self.labelled)
        self.predicted = self.mean(f, [*f])
        self.weight = self.tuned() if tune is None else tune
        self.value = self.estimate(y, f)
        is_tuned = self.n_others > 1 and np.ptp([*f.values()]) > 0
        _, shares = spread(dict.fromkeys(self.labelled, 0.0), self.clusters, self.n)
        self.degrees_of_people = degrees_of(shares)
        self.degrees = self.degrees_of_people * ((self.n - 2) / (self.n - 1) if is_tuned else 1)
        self.terms = self.influence(y, f)
        self.error = math.sqrt(squared(self.terms))
        deviations = {query: f[query] - y[query] - self.bias for query in self.labelled}
        self.error_of_bias = math.sqrt(squared(spread(deviations, self.clusters, self.n)[0]))
        deviations = {query: y[query] - self.human for query in self.labelled}
        self.error_of_people = math.sqrt(squared(spread(deviations, self.clusters, self.n)[0]))

    @staticmethod
    def mean(values, queries):
        return math.fsum(values[query] for query in queries) / len(queries) if queries else 0.0

    def tuned(self):
        f = np.array([*self.f.values()])
        if self.n_others < 2 or np.ptp(f) == 0:
            return 0.0
        both = np.cov([self.y[query] for query in self.labelled], [self.f[query] for query in self.labelled])
        return min(max(both[0, 1] / ((1 + self.n / self.n_others) * f.var(ddof=1)), 0.0), 1.0)

    def estimate(self, y, f):
        apart = self.mean(f, self.others) - self.mean(f, self.labelled) if self.others else 0.0
        return self.mean(y, self.labelled) + self.weight * apart

    def influence(self, y, f):
        """What each cluster adds to the estimate that these values have."""
        mean = self.mean(y, self.labelled) - self.weight * self.mean(f, self.labelled)
        own = {query: y[query] - self.weight * f[query] - mean for query in self.labelled}
        terms = spread(own, self.clusters, self.n)[0]
        if self.weight and self.others:
            other = {query: self.weight * (f[query] - self.mean(f, self.others)) for query in self.others}
            return together(terms, spread(other, self.clusters, self.n_others)[0])
        return terms

    def columns(self, level=0.95):
        reach = stats.t.ppf((1 + level) / 2, self.degrees) * self.error
        of_bias = stats.t.ppf((1 + level) / 2, self.degrees_of_people) * self.error_of_bias
        return {
            "ppi_lambda": self.weight,
            "n_human": self.n,
            "n_predicted": self.n_others,
            "bias": self.bias,
            "bias_ci_lower": self.bias - of_bias,
            "bias_ci_upper": self.bias + of_bias,
            "standard_error": self.error,
            "effective_n": self.n * self.error_of_people**2 / self.error**2,
        }, reach

    def summary(self):
        columns, reach = self.columns()
        ends = {"ci_lower": self.value - reach, "ci_upper": self.value + reach}
        return (
            columns
            | ends
            | {
                "value": self.value,
                "human_value": self.human,
                "predicted_value": self.predicted,
                "n_queries": self.n + self.n_others,
            }
        )


def assert_alike(row, wanted):
    for name, value in wanted.items():
        assert row[name] == pytest.approx(value, rel=1e-8, abs=1e-10), (name, row)


def clusters_of(world):
    return {query: user or ("nobody", query) for query, user in world.user.items()}


def pair_of(world, names, metric, queries=None, clusters=None):
    """What a comparison of two runs says."""
    (y0, f0), (y1, f1) = (world.sides(name, metric, queries) for name in names)
    y, f = ({query: one[query] - zero[query] for query in one} for zero, one in ((y0, y1), (f0, f1)))
    powered = Powered(y, f, clusters)
    means = [powered.estimate(y0, f0), powered.estimate(y1, f1)]
    columns, reach = powered.columns()
    row = columns | {
        "baseline": means[0],
        "candidate": means[1],
        "effect_size": powered.value,
        "human_effect_size": powered.human,
        "predicted_effect_size": powered.predicted,
        "effect_size_ci_lower": powered.value - reach,
        "effect_size_ci_upper": powered.value + reach,
        "pvalue": 2 * stats.t.sf(abs(powered.value) / powered.error, powered.degrees),
        "n_higher": sum(value > 1e-12 for value in y.values()),
        "n_ties": sum(abs(value) <= 1e-12 for value in y.values()),
    }
    relative = (
        {query: one[query] / means[1] - zero[query] / means[0] for query in one} for zero, one in ((y0, y1), (f0, f1))
    )
    error = math.sqrt(squared(powered.influence(*relative)))
    upper = math.log(means[1] / means[0]) + stats.t.ppf(0.975, powered.degrees) * error
    return row | {"rel_effect_size_ci_upper": math.expm1(upper)}


@pytest.mark.parametrize("seed", seeds(8, 1))
@pytest.mark.parametrize("crossing", ["plain", "by", "cluster", "cluster by"])
def test_values_are_those_of_the_formula(seed, crossing):
    world = World(seed, n_queries=120, n_human=60)
    given = {name: column for name, column in (("by", "market"), ("cluster", "user")) if name in crossing}
    clusters = clusters_of(world) if "cluster" in crossing else None
    result = quietly(
        rm.evaluate,
        world.runs["run0"],
        world.people,
        METRICS,
        predicted_qrels=world.model,
        query_list=world.frame(),
        **given,
    )
    rows = result.summary.dicts()
    assert len(rows) == 2 * (2 if "by" in crossing else 1)
    for row in rows:
        queries = [query for query in world.queries if "by" not in crossing or world.market[query] == row["market"]]
        assert_alike(row, Powered(*world.sides("run0", row["metric"], queries), clusters).summary())
        assert row["reason"] is None


@pytest.mark.parametrize("seed", seeds(8, 1))
@pytest.mark.parametrize("crossing", ["plain", "by", "cluster", "cluster by"])
def test_pairs_are_those_of_the_formula(seed, crossing):
    world = World(seed, n_queries=120, n_human=60)
    given = {name: column for name, column in (("by", "market"), ("cluster", "user")) if name in crossing}
    clusters = clusters_of(world) if "cluster" in crossing else None
    result = quietly(
        rm.compare, world.runs, world.people, METRICS, predicted_qrels=world.model, query_list=world.frame(), **given
    )
    rows = result.summary.dicts()
    assert len(rows) == 2 * (2 if "by" in crossing else 1)
    for row in rows:
        queries = [query for query in world.queries if "by" not in crossing or world.market[query] == row["market"]]
        assert_alike(row, pair_of(world, ["run0", "run1"], row["metric"], queries, clusters))


def arms_of(world, metric, clusters=None, queries=None):
    """What a comparison of arms says, whose queries are every other one."""
    chosen = [query for query in world.queries if queries is None or query in queries]
    arms = [
        Powered(*world.sides(name, metric, [query for query in chosen if int(query[1:]) % 2 == place]), clusters)
        for place, name in enumerate(world.runs)
    ]
    shared = {*arms[0].terms} & {*arms[1].terms}
    first, second = (arm.error**2 for arm in arms)
    variance = first + second - 2 * math.fsum(arms[0].terms[one] * arms[1].terms[one] for one in shared)
    denominator = first**2 / arms[0].degrees + second**2 / arms[1].degrees
    if shared:
        sizes = [defaultdict(float), defaultdict(float)]
        for arm, size in zip(arms, sizes, strict=True):
            for query in arm.f:
                size[arm.clusters[query]] += 1 / len(arm.f)
        p = np.array([[size[one] for size in sizes] for one in shared]).T
        q = p / np.sqrt(1 - p)
        denominator += (
            2 * first * second * (np.sum(p[0] * p[1]) + np.sum(q[0] * q[1]) ** 2 - np.sum(q[0] ** 2 * q[1] ** 2))
        )
    degrees = (first + second) ** 2 / denominator
    effect = arms[1].value - arms[0].value
    reach = stats.t.ppf(0.975, degrees) * math.sqrt(variance)
    people = sum(arm.error_of_people**2 for arm in arms)
    return {
        "baseline": arms[0].value,
        "candidate": arms[1].value,
        "effect_size": effect,
        "standard_error": math.sqrt(variance),
        "effect_size_ci_lower": effect - reach,
        "effect_size_ci_upper": effect + reach,
        "ppi_lambda": arms[1].weight,
        "baseline_ppi_lambda": arms[0].weight,
        "human_effect_size": arms[1].human - arms[0].human,
        "predicted_effect_size": arms[1].predicted - arms[0].predicted,
        "bias": arms[1].bias - arms[0].bias,
        "n_human": sum(arm.n for arm in arms),
        "n_predicted": sum(arm.n_others for arm in arms),
        "n_units": min(len({arm.clusters[query] for query in arm.labelled}) for arm in arms),
        "effective_n": sum(arm.n for arm in arms) * people / variance,
    }


@pytest.mark.parametrize("seed", seeds(8, 1))
@pytest.mark.parametrize("crossing", ["plain", "by", "cluster"])
def test_arms_are_those_of_the_formula(seed, crossing):
    world = World(seed, n_queries=240, n_human=120)
    runs = {
        name: {query: items for query, items in run.items() if int(query[1:]) % 2 == place}
        for place, (name, run) in enumerate(world.runs.items())
    }
    for place, name in enumerate(world.runs):  # only what an arm answered counts
        world.runs[name] = runs[name]
        missing = [query for query in world.queries if int(query[1:]) % 2 == place and query not in runs[name]]
        for query in missing:
            world.queries.remove(query)
    given = {name: column for name, column in (("by", "market"), ("cluster", "user")) if name in crossing}
    result = quietly(
        rm.compare,
        runs,
        world.people,
        METRICS,
        predicted_qrels=world.model,
        query_list=world.frame(),
        design="unpaired",
        queries="judged_retrieved",
        **given,
    )
    rows = result.summary.dicts()
    assert len(rows) == 2 * (2 if "by" in crossing else 1)
    clusters = clusters_of(world) if "cluster" in crossing else None
    for row in rows:
        queries = [query for query in world.queries if "by" not in crossing or world.market[query] == row["market"]]
        assert_alike(row, arms_of(world, row["metric"], clusters, queries))


@pytest.mark.parametrize("seed", seeds(6, 1))
def test_all_pairs_are_those_of_the_formula(seed):
    world = World(seed, n_runs=3)
    result = quietly(
        rm.compare_all, world.runs, world.people, METRICS, predicted_qrels=world.model, correction="bonferroni"
    )
    rows = result.summary.dicts()
    assert len(rows) == 6
    for row in rows:
        wanted = pair_of(world, [row["baseline_run"], row["run"]], row["metric"])
        wanted["pvalue_adj"] = min(1, 6 * wanted["pvalue"])
        assert_alike(row, wanted)


@pytest.mark.long
def test_values_are_those_of_ppi_python():
    """Its lambda divides a covariance by n where ours divides by n - 1, and its variances are by n and N."""
    worlds = [World(seed, n_queries=size, n_human=size // 4) for seed, size in enumerate((60, 120, 400))]
    asked, rows = [], []
    for world in worlds:
        given = {"predicted_qrels": world.model}
        for row in quietly(rm.evaluate, world.runs["run0"], world.people, METRICS, **given).summary.dicts():
            y, f = world.sides("run0", row["metric"])
            question = {"y": [*y.values()], "f": [f[query] for query in y], "weight": row["ppi_lambda"]}
            question["others"] = [value for query, value in f.items() if query not in y]
            asked.append(question)
            rows.append(row)
    found = tools.answer("ppi-python", [*asked, *(question | {"weight": None} for question in asked)])
    for question, row, (value, lower, upper), (tuned, *_) in zip(
        asked, rows, found[: len(asked)], found[len(asked) :], strict=True
    ):
        n, n_others = len(question["y"]), len(question["others"])
        assert row["value"] == pytest.approx(value, rel=1e-12)
        rest = np.array(question["y"]) - row["ppi_lambda"] * np.array(question["f"])
        variance = rest.var() / n + row["ppi_lambda"] ** 2 * np.var(question["others"]) / n_others
        assert upper - lower == pytest.approx(2 * stats.norm.ppf(0.975) * math.sqrt(variance), rel=1e-9)
        more = rest.var(ddof=1) / n + row["ppi_lambda"] ** 2 * np.var(question["others"], ddof=1) / n_others
        assert row["standard_error"] == pytest.approx(math.sqrt(more), rel=1e-9)
        apart = np.mean(question["others"]) - np.mean(question["f"])
        weight = (tuned - np.mean(question["y"])) / apart
        assert row["ppi_lambda"] == pytest.approx(weight * n / (n - 1), rel=1e-9)


def asked(world, function=rm.evaluate, metrics="rr", **given):
    """A call with predicted judgments."""
    runs = world.runs["run0"] if function is rm.evaluate else world.runs
    return quietly(function, runs, world.people, metrics, **{"predicted_qrels": world.model, **given})


# The call, and what its message says to change, each by itself.
REFUSED = {
    "weights": (rm.evaluate, {"weight": "n"}, [{"predicted_qrels": None}, {"weight": None}]),
    "bootstrap": (rm.evaluate, {"interval": "bootstrap"}, [{"interval": "t"}]),
    "all queries": (rm.evaluate, {"queries": "retrieved"}, [{"queries": "judged"}]),
    "sum": (rm.evaluate, {"metrics": "num_rel"}, [{"predicted_qrels": None}]),
    "median": (rm.evaluate, {"aggregate": "median"}, [{"predicted_qrels": None}]),
    "skipped": (rm.evaluate, {"metrics": "ap", "no_relevant": "skip"}, [{"no_relevant": 0}]),
    "ranks": (rm.compare, {"test": "wilcoxon"}, [{"test": "t"}]),
    "power": (rm.compare, {"power": 0.8}, [{"power": None}]),
    "sequential": (rm.compare, {"sequential": 100}, [{"sequential": None}]),
    "caps": (rm.compare, {"metrics": "cg@1", "cap": {"cg@1": 1}}, [{"cap": None}]),
    "bounds": (rm.compare, {"unjudged": "bounds"}, [{"unjudged": "nonrelevant"}]),
    "strata": (
        rm.compare,
        {"strata": "market", "design": "unpaired"},
        [{"strata": None}, {"predicted_qrels": None}],
    ),
}


@pytest.mark.parametrize("name", one_in(4, REFUSED))
def test_what_is_refused_works_as_the_message_says(name):
    function, given, remedies = REFUSED[name]
    world = World(3)
    if {"weight", "strata"} & given.keys():
        given = {"query_list": world.frame().assign(n=1.0), **given}
    with pytest.raises(rm.UsageError, match="predicted_qrels="):
        asked(world, function, **given)
    for remedy in remedies:
        assert asked(world, function, **given | remedy).summary.fetchall()


def test_metrics_without_judgments_have_nothing_to_predict():
    with pytest.raises(rm.UsageError, match=r"nothing to predict\. Omit the metric"):
        asked(World(3), metrics="personalisation@5")


def test_predictions_need_people_and_runs():
    world = World(3)
    with pytest.raises(rm.UsageError, match=r"you passed none\. Pass a run, and those judgments as qrels=QRELS"):
        rm.evaluate(world.runs["run0"], None, "rr", predicted_qrels=world.model)
    with pytest.raises(rm.UsageError, match=r"Pass a run, and those judgments as qrels=QRELS"):
        rm.evaluate(rm.labelled([[1, 0]]), ["rr"], predicted_qrels=world.model)


def test_too_few_judged_queries_are_refused_and_groups_of_them_have_no_value():
    world = World(5, n_queries=60, n_human=9)
    with pytest.raises(rm.DataError, match=r"9 queries have human judgments, and predicted_qrels= needs at least 10"):
        asked(world)
    world = World(5, n_queries=60, n_human=16)
    labelled = [*world.people]
    world.market = {query: "small" if query in labelled[:5] else "large" for query in world.queries}
    result = asked(world, query_list=world.frame(), by="market")
    small = next(row for row in result.summary.dicts() if row["market"] == "small")
    assert small["value"] is small["standard_error"] is None
    assert small["reason"] == "fewer than 10 queries have human judgments"
    assert small["n_human"] == 5


def test_every_judged_query_needs_predictions():
    world = World(5)
    model = {query: grades for query, grades in world.model.items() if query not in world.people}
    with pytest.raises(rm.DataError, match=r"30 queries with human judgments have no predicted ones"):
        asked(world, predicted_qrels=model)
    lost = next(iter(world.people))
    with pytest.raises(rm.DataError, match=r"1 query with human judgments has no predicted ones"):
        asked(world, rm.compare, predicted_qrels={q: grades for q, grades in world.model.items() if q != lost})


@pytest.mark.parametrize("n_others", [0, 1])
def test_without_other_queries_the_value_is_the_human_mean(n_others):
    world = World(7)
    kept = [*world.people, *[query for query in world.queries if query not in world.people][:n_others]]
    [row] = asked(world, predicted_qrels={query: world.model[query] for query in kept}).summary.dicts()
    [human] = quietly(rm.evaluate, world.runs["run0"], world.people, "rr", interval="t").summary.dicts()
    for name in ("value", "standard_error", "ci_lower", "ci_upper"):
        assert row[name] == pytest.approx(human[name], rel=1e-10), name
    assert row["reason"] == "no other queries, so the human mean"
    assert (row["ppi_lambda"], row["effective_n"]) == (0, pytest.approx(30))


def test_predictions_that_do_not_differ_have_no_effect():
    world = World(7)
    model = {query: dict.fromkeys(grades, 0) for query, grades in world.model.items()}
    result = asked(world, predicted_qrels=model)
    assert any("the value is that of the human judgments alone" in warning for warning in result.warnings)
    [row] = result.summary.dicts()
    [human] = quietly(rm.evaluate, world.runs["run0"], world.people, "rr", interval="t").summary.dicts()
    assert row["value"] == pytest.approx(human["value"], rel=1e-12)
    assert row["ci_upper"] == pytest.approx(human["ci_upper"], rel=1e-10)
    assert row["reason"] == "predictions do not differ, so the human mean"


def test_a_draw_that_is_not_random_is_warned_of():
    world = World(9, n_queries=200, n_human=0)
    values = values_of(world.runs["run0"], world.model)["rr"]
    best = sorted(world.queries, key=lambda query: -values[query])[:50]
    world.people = {query: world.model[query] for query in best}
    assert any("people did not judge a random draw" in warning for warning in asked(world).warnings)


def test_people_who_graded_a_part_of_the_items_are_warned_of():
    """Half of the model's grades in the same queries is enough, and one less is not; nothing is counted unchecked."""
    world = World(9, n_queries=40, n_human=20)
    lists = [[(query, item) for item in world.model[query]] for query in world.people]
    first_to_last = [pair for pairs in itertools.zip_longest(*lists) for pair in pairs if pair]
    n_model = len(first_to_last)
    for n_people in (math.ceil(n_model / 2), math.ceil(n_model / 2) - 1):
        world.people = defaultdict(dict)
        for query, item in first_to_last[:n_people]:
            world.people[query][item] = 1
        text = f"people graded {n_people:,} items, and predicted_qrels= {n_model:,} of the same queries"
        is_said = [text in warning for warning in asked(world).warnings]
        assert any(is_said) == (2 * n_people < n_model)
        assert not any("people graded" in warning for warning in asked(world, check="none").warnings)


def test_groups_with_other_shares_are_warned_of():
    world = World(11, n_queries=200, n_human=60)
    people = [*world.people]
    world.market = {query: "x" if query in people[12:] or query < "q3" else "y" for query in world.queries}
    result = asked(world, query_list=world.frame(), by="market")
    assert any("by market: people judged different shares" in warning for warning in result.warnings)
    random_draw = World(13, n_queries=200, n_human=60)
    given = {"query_list": random_draw.frame(), "by": "market"}
    result = asked(random_draw, **given)
    assert not [warning for warning in result.warnings if "random draw" in warning]


def test_values_per_query_have_both_sides():
    world = World(15)
    rows = {row["query_id"]: row for row in asked(world, metrics=METRICS).per_query.dicts()}
    people, model = (values_of(world.runs["run0"], judged) for judged in (world.people, world.model))
    assert rows.keys() == world.model.keys()
    for query, row in rows.items():
        assert row["rr"] == people["rr"].get(query)
        assert row["predicted_rr"] == pytest.approx(model["rr"][query])
        assert row["predicted_p_at_3"] == pytest.approx(model["p@3"][query])


def test_parts_of_the_queries_make_the_same():
    world = World(17)
    [whole], [parts] = (asked(world, partitions=n).summary.dicts() for n in (1, 3))
    assert parts == {name: pytest.approx(value) for name, value in whole.items()}


def test_limits_and_gates_use_the_estimate():
    world = World(19, n_queries=400, n_human=200)
    rows = asked(world, rm.compare, metrics=METRICS, limits={"rr": 0.2, "p@3": 0.2}).summary.dicts()
    for row in rows:
        wanted = pair_of(world, ["run0", "run1"], row["metric"])
        distance = (wanted["effect_size"] + 0.2) / wanted["standard_error"]
        assert row["pvalue"] == pytest.approx(2 * stats.t.sf(abs(distance), 200 - 2), rel=1e-8)
        assert row["verdict"] == "not worse"


def trec(path, grades, name=""):
    lines = (
        f"{query} Q0 {item} 1 {value} {name}" if name else f"{query} 0 {item} {value}"
        for query, values in grades.items()
        for item, value in values.items()
    )
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_predictions_on_the_command_line(tmp_path):
    world = World(21)
    runs = [trec(tmp_path / f"{name}.run", run, name) for name, run in world.runs.items()]
    judged = ["--qrels", trec(tmp_path / "people.txt", world.people)]
    judged += ["--predicted-qrels", trec(tmp_path / "model.txt", world.model), "-m", "rr", "--format", "json"]
    found = CliRunner().invoke(main, ["evaluate", runs[0], *judged])
    [row] = json.loads(found.stdout)
    [wanted] = asked(world).summary.dicts()
    assert {name: row[name] for name in ("value", "ppi_lambda", "reason")} == {
        name: pytest.approx(wanted[name]) for name in ("value", "ppi_lambda", "reason")
    }
    found = CliRunner().invoke(main, ["compare", *runs, *judged])
    [row] = json.loads(found.stdout)
    assert row["effect_size"] == pytest.approx(pair_of(world, ["run0", "run1"], "rr")["effect_size"])
    refused = CliRunner().invoke(main, ["evaluate", "--labelled", runs[0], *judged])
    assert "Pass RUN and --qrels, or omit --predicted-qrels" in refused.stderr


def test_predictions_in_dbt_need_judgments_of_people():
    with pytest.raises(rm.UsageError, match=r"Pass those as qrels=ref\('judgments'\)"):
        macros()["summary"]("runs", ["rr"], predicted_qrels="model")
    text = macros()["summary"]("runs", ["rr"], qrels="people", predicted_qrels="model")
    assert "FROM people AS s" in text
    assert "FROM model AS s" in text


# Of metrics that bring stages along each kind; of subtopics those whose ideal ranking is made of the judgments.
WITH_STAGES = ["ap@3", "g", "ndcg@3", "ndcg_rel", "rndcg", "compat", "inst", "bpref", "infap", "rr@3"]
OF_SUBTOPICS = ["alpha_ndcg@3", "nerr_ia@3", "ap_ia", "st_recall@3", "nrbp"]
CHOICES = {"usual": {}, "count": {"strategy": "count"}, "drop": {"unjudged": "drop"}, "own": {"judgments": "retrieved"}}


def by_query(run, qrels, metrics, **given):
    return {row["query_id"]: row for row in quietly(rm.evaluate, run, qrels, metrics, **given).per_query.dicts()}


def assert_both_sides(run, people, model, metrics, **given):
    """Each query has the values that either judgments give alone."""
    both = by_query(run, people, metrics, predicted_qrels=model, **given)
    of_people, of_model = (by_query(run, judged, metrics, **given) for judged in (people, model))
    for query, row in both.items():
        predicted = [value for name, value in row.items() if name.startswith("predicted_")]
        assert predicted == pytest.approx([of_model[query][metric] for metric in metrics], rel=1e-12), query
        if query in of_people:
            human = [of_people[query][metric] for metric in metrics]
            assert [row[metric] for metric in metrics] == pytest.approx(human, rel=1e-12), query
        else:
            assert {row[metric] for metric in metrics} == {None}


@pytest.mark.parametrize("choice", one_in(4, CHOICES))
def test_metrics_are_those_of_either_judgments(choice):
    world = World(4, n_queries=40, n_human=15)
    assert_both_sides(world.runs["run0"], world.people, world.model, WITH_STAGES, **CHOICES[choice])


def test_metrics_of_subtopics_are_those_of_either_judgments():
    world = World(6, n_queries=30, n_human=12)
    people, model = (
        pd.DataFrame(
            [
                (query, item, subtopic, grade * (subtopic == "a" or world.rng.random() < 0.5))
                for query, grades in judged.items()
                for item, grade in grades.items()
                for subtopic in "ab"
            ],
            columns=["query_id", "item_id", "subtopic", "relevance"],
        )
        for judged in (world.people, world.model)
    )
    assert_both_sides(world.runs["run0"], people, model, OF_SUBTOPICS, columns={"qrels.subtopic": "subtopic"})

"""Metrics of propensities and of logged policies: against twins, against a known truth, and what is no chance."""

from __future__ import annotations

import random
from pathlib import Path
from statistics import fmean

import duckdb
import numpy as np
import pandas as pd
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics

from ..conftest import per_query, quietly
from ..everything import mostly_long, seeds
from ..oracles.brute import weights
from ..oracles.brute.weights import Seen

OPEN_BANDIT = Path(__file__).parents[1] / "data" / "open-bandit"
CHANCES = ("propensity", "target")
OF_CLICKS = [name for name, metric in metrics().items() if metric.reads_beside == ["propensity"]]
OF_POLICIES = [name for name, metric in metrics().items() if metric.reads_beside == [*CHANCES]]
VALUES = {
    "k": (1, 3, 100),
    "floor": (0.2, 0.5, 1),
    "self_normalised": ("true",),
    "clip": (0.5, 1, 2.5),
    "rel": (2, 0.5),
    "gain": ("exp2", "binary"),
    "discount": ("ln", "none", "zipf"),
}


def drawn(seed):
    """Lists with unjudged items, and judgments of others; queries that one side lacks, or that nobody clicked."""
    draw = random.Random(seed)
    run, judged = {}, {}
    for query in (f"q{number}" for number in range(14)):
        items = [f"d{number}" for number in draw.sample(range(20), draw.randint(1, 12))]
        if draw.random() < 0.9:
            run[query] = {item: -rank for rank, item in enumerate(items)}
        if draw.random() < 0.9:
            grades = [0] if query == "q3" else [0, 0, 1, 1, 2, 3]
            judged[query] = {
                f"d{number}": Seen(draw.choice(grades), draw.choice([0.05, 0.2, 0.5, 1]), draw.choice([0, 0.1, 0.6, 1]))
                for number in draw.sample(range(20), draw.randint(1, 14))
            }
    return run, judged


def table(judged):
    rows = [
        (query, item, seen.grade, seen.propensity, seen.target)
        for query, items in judged.items()
        for item, seen in items.items()
    ]
    return pd.DataFrame(rows, columns=["query_id", "item_id", "relevance", *CHANCES])


def calls(name):
    """Metric strings with one parameter or two away from the default, and those parameters."""
    known = [(key, value) for key, values in VALUES.items() if key in metrics()[name].params for value in values]
    chosen = [{}, *({key: value} for key, value in known)]
    chosen += [{"k": 3, key: value} for key, value in known if key != "k"]
    return {f"{name}({','.join(f'{key}={value}' for key, value in given.items())})": given for given in chosen}


def shown_of(run, query, items):
    return [items.get(item) for item in run.get(query, {})]


def parts(name, judged, run, given):
    """The value of all queries together, of a metric that adds up before it divides."""
    own = {key: value for key, value in given.items() if key != "self_normalised"}
    found = [
        weights.PARTS[name](shown_of(run, query, items), list(items.values()), **own) for query, items in judged.items()
    ]
    part, whole = (sum(column) for column in zip(*found, strict=True))
    return weights.over(part**2 if name == "ess" else part, whole)


@pytest.mark.parametrize("strategy", mostly_long(["window", "count"], "window"))
@pytest.mark.parametrize("seed", seeds(4, 1))
def test_twins(seed, strategy):
    run, judged = drawn(seed)
    every = {text: (name, given) for name in weights.METRICS for text, given in calls(name).items()}
    result = quietly(rm.evaluate, run, table(judged), list(every), strategy=strategy)
    found = {row["query_id"]: row for row in result.per_query.dicts()}
    assert found.keys() == judged.keys()
    for text, (name, given) in every.items():
        values = {
            query: weights.METRICS[name](shown_of(run, query, items), list(items.values()), **given)
            for query, items in judged.items()
        }
        assert {query: row[text] for query, row in found.items()} == pytest.approx(values, abs=1e-12), text
        is_pooled = metrics()[name].aggregate == "parts" or given.get("self_normalised") == "true"
        expected = parts(name, judged, run, given) if is_pooled else fmean(values.values())
        assert result[text] == pytest.approx(expected, abs=1e-12), text


def test_every_metric_has_a_twin():
    assert {*OF_CLICKS, *OF_POLICIES} == {*weights.METRICS}


@pytest.mark.parametrize("seed", seeds(3, 1))
def test_what_was_always_seen_weighs_nothing(seed):
    """Then each is the metric that it is a weighted form of."""
    run, judged = drawn(seed)
    seen = table(judged).assign(propensity=1.0)
    names = ("rr", "p", "r", "dcg", "ndcg", "ap")
    texts = [f"{before}{name}{cut}" for name in names for cut in ("", "@3") for before in ("", "ips_")]
    for values in per_query(run, seen, texts).values():
        for ours, theirs in zip(texts[1::2], texts[::2], strict=True):
            assert values[ours] == pytest.approx(values[theirs], abs=1e-12), ours


def within_errors(values, truth, errors=4):
    return abs(np.mean(values) - truth) < errors * np.std(values) / len(values) ** 0.5


def test_weighted_clicks_estimate_what_is_relevant():
    """People look at a place with its propensity and click what is relevant: the plain metrics are far too low."""
    draw = np.random.default_rng(1)
    propensity = np.array([1, 0.6, 0.4, 0.3, 0.2])
    relevant = np.array([0, 1, 0, 1, 1])
    n = 4000
    clicks = relevant * (draw.random((n, 5)) < propensity)
    seen = pd.DataFrame(
        {
            "query_id": np.repeat(np.arange(n), 5),
            "item_id": np.tile(np.arange(5), n),
            "position": np.tile(np.arange(1, 6), n),
            "relevance": clicks.ravel(),
            "propensity": np.tile(propensity, n),
        }
    )
    found = quietly(rm.labelled, seen, ["ips_dcg", "ips_p@4", "dcg", "p@4"], columns={"position": "position"})
    values = {name: [row[name] for row in found.per_query.dicts()] for name in found.metrics}
    for name, truth in {"dcg": sum(relevant / np.log2(np.arange(2, 7))), "p@4": 2 / 4}.items():
        assert within_errors(values[f"ips_{name}"], truth), name
        assert not within_errors(values[name], truth, errors=20), name


LOGGED, TARGET = np.array([0.6, 0.3, 0.1]), np.array([0.1, 0.3, 0.6])
PAYS = np.array([0.1, 0.2, 0.5])  # the chance of a reward by action


def logged(n_slots, n=4000, seed=2):
    """Requests with so many slots, each filled by the logging policy."""
    draw = np.random.default_rng(seed)
    shown = draw.choice(3, size=(n, n_slots), p=LOGGED)
    rewards = draw.random((n, n_slots)) < PAYS[shown] / np.arange(1, n_slots + 1)
    return pd.DataFrame(
        {
            "query_id": np.repeat(np.arange(n), n_slots),
            "item_id": np.tile(np.arange(n_slots), n),
            "position": np.tile(np.arange(1, n_slots + 1), n),
            "relevance": rewards.ravel().astype(int),
            "propensity": LOGGED[shown].ravel(),
            "target": TARGET[shown].ravel(),
        }
    )


def test_the_value_of_another_policy():
    log, truth = logged(1), TARGET @ PAYS
    weight = log.target / log.propensity
    found = quietly(rm.labelled, log, ["ips", "snips", "iips", "ess", "ips(clip=3)"], columns={"position": "position"})
    assert within_errors(weight * log.relevance, truth)
    for name in ("ips", "iips"):
        assert found[name] == pytest.approx(np.mean(weight * log.relevance), abs=1e-12)
    assert found["snips"] == pytest.approx(truth, abs=4 * np.std(weight * (log.relevance - truth)) / len(log) ** 0.5)
    assert found["ess"] == pytest.approx(len(log) / (TARGET**2 / LOGGED).sum(), rel=0.05)
    assert found["ips(clip=3)"] < found["ips"]


def test_the_value_of_a_policy_that_fills_slates():
    log = logged(3)
    found = quietly(rm.labelled, log, ["iips", "ips", "iips@2"], columns={"position": "position"})
    values = (log.relevance * log.target / log.propensity).groupby(log.query_id).sum()
    assert within_errors(values, TARGET @ PAYS * (1 + 1 / 2 + 1 / 3))
    assert [found["iips"], 3 * found["ips"]] == pytest.approx([values.mean()] * 2, abs=1e-12)
    assert found["iips@2"] < found["iips"]


COLUMNS = {"query_id": "request_id", "position": "position", "propensity": "propensity", "target": "1.0 / 46"}


def test_open_bandit():
    """The random policy shows each of 46 items alike: its own log says what it earns, and the other log hardly."""
    names = ["ips", "snips", "iips", "ess"]
    own = quietly(rm.labelled, OPEN_BANDIT / "random.csv.gz", names, columns=COLUMNS, position="given")
    assert [own[name] for name in names] == pytest.approx([0.0046, 0.0046, 0.0046, 10_000], abs=1e-9)
    with pytest.warns(rm.RankmetricsWarning, match="effective sample size is 2.08, of 10,000 rows. Below 10"):
        other = rm.labelled(OPEN_BANDIT / "thompson.csv.gz", names, columns=COLUMNS, position="given")
    log = pd.read_csv(OPEN_BANDIT / "thompson.csv.gz")
    weight = 1 / 46 / log.propensity
    assert other["ess"] == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    assert other["snips"] == pytest.approx((weight * log.relevance).sum() / weight.sum())


def alike(n):
    """So many rows that weigh the same."""
    frame = {"query_id": range(n), "item_id": "x", "position": 1, "relevance": 1, "propensity": 0.5, "target": 0.25}
    return pd.DataFrame(frame, index=range(n))


@pytest.mark.parametrize(("n", "warned"), [(99, 1), (100, 0)])
def test_the_warning_begins_below_a_hundred(n, warned):
    result = quietly(rm.labelled, alike(n), ["ips"], columns={"position": "position"})
    assert len([text for text in result.warnings if "effective sample size" in text]) == warned
    assert not quietly(rm.labelled, alike(n), ["ips_rr"], columns={"position": "position"}).warnings


def log_with(meaning, value):
    log = alike(200)
    log.loc[7, meaning] = value
    return log


WRONG = [
    *(("propensity", value) for value in (0, 1.1, None, -0.1, float("nan"))),
    *(("target", value) for value in (1.1, -0.1, None)),
]


@pytest.mark.parametrize(("meaning", "value"), WRONG)
@pytest.mark.parametrize("check", ["auto", "none"])
def test_what_is_no_chance_is_refused(meaning, value, check):
    least = {"propensity": "above 0", "target": "at least 0"}[meaning]
    with pytest.raises(rm.DataError, match=rf"a {meaning} is a number {least} and at most 1: \(7, 'x', "):
        rm.labelled(log_with(meaning, value), ["ips"], columns={"position": "position"}, check=check)


@pytest.mark.parametrize("wrong", mostly_long(WRONG, *WRONG[:2], WRONG[5]))
def test_printed_text_gives_no_number_then(wrong):
    meaning, value = wrong
    with duckdb.connect() as connection:
        connection.register("log", log_with(meaning, value))
        names = [
            text
            for name in (OF_POLICIES if meaning == "target" else weights.METRICS)
            for text, given in calls(name).items()
            if len(given) < 2 and given.get("rel") != 2
        ]
        for level in ("summary", "per_query"):
            text = rm.sql(names, labelled="log", level=level, columns={"position": "position"})
            rows = connection.execute(text).fetchall()
            values = [row[1] for row in rows] if level == "summary" else next(row[1:] for row in rows if row[0] == 7)
            assert all(value == float("inf") for value in values), dict(zip(names, values, strict=True))


def test_what_no_metric_reads_is_not_looked_at():
    log = log_with("propensity", 7).assign(target="text")
    assert rm.labelled(log, ["rr"], columns={"position": "position"})["rr"] == 1


def test_a_column_that_is_not_there():
    log = alike(200).drop(columns="target")
    with pytest.raises(rm.DataError, match=r"no column 'target' for target\. Columns: .* columns={'target': NAME}"):
        rm.labelled(log, ["ips"], columns={"position": "position"})
    assert rm.labelled(log, ["ips_rr"], columns={"position": "position"})["ips_rr"] == 2


def test_a_column_of_another_name_and_sql_over_the_row():
    log = alike(200).rename(columns={"propensity": "p", "target": "t"})
    columns = {"position": "position", "propensity": "p / 2", "target": "t"}
    assert rm.labelled(log, ["ips"], columns=columns)["ips"] == 1
    with pytest.raises(rm.UsageError, match=r"an unjudged item has no propensity\. Take unjudged=nonrelevant"):
        rm.labelled(log, ["ips"], columns=columns, unjudged="relevant")
    with pytest.raises(rm.UsageError, match="the relevant items beyond the list have no propensity"):
        rm.labelled(log, ["ips"], columns=columns | {"n_relevant": "relevance"})


def test_on_the_command_line(cli):
    columns = [text for meaning, name in COLUMNS.items() for text in ("--columns", f"{meaning}={name}")]
    found = cli("evaluate", "--labelled", OPEN_BANDIT / "random.csv.gz", "-m", "ips", *columns, "--format", "csv")
    assert found.exit_code == 0, found.stderr
    assert found.stdout.splitlines()[1].startswith("random,ips,0.0046")

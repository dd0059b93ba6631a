"""The two roads to a statement, Python and dbt's macros: they refuse the same, and else make the same plan."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from random import Random

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics, options
from rankmetrics_sql.plan import Plan
from rankmetrics_sql.root import sql_root
from rankmetrics_sql.templates import Macros

from ..everything import asked_for, mostly_long

# One metric for each kind of thing that the rules speak of.
KINDS = ("rr", "ndcg@5", "ap@5", "ap", "p@5", "f", "rbp", "err@5", "iprec", "fallout", "judged@5", "num_q", "auc")
SUBTOPICS = ("alpha_ndcg@5", "err_ia")
NUMBERS = {"rel": (1, 2), "gain": ({1: 3, 2: 1},), "discount": (3,), "unjudged": (2,), "impute": (1,), "err_max": (3,)}
NUMBERS |= {"collection_size": (9,), "depth": (None, 3)}

# The columns of a statement, on both roads.
INPUTS = {
    "scores": {},
    "positions": {"position": "place"},
    "ranks": {"score": "score", "position": "place"},
    "n_relevant": {"n_relevant": "n"},
    "subtopics": {"subtopic": "intent"},
}
LABELLED = ("n_relevant",)
DIVERSE = ("subtopics", "n_relevant")


@pytest.fixture(autouse=True)
def plans_for_texts(monkeypatch):
    """The text follows from the plan by the same macro on both roads, so the plan is enough, and cheap."""
    monkeypatch.setattr(Plan, "sql", lambda query, level, **_: query._request(level))


@cache
def templates():
    found = Macros([sql_root() / "macros"], "duckdb")
    found.functions.rm_query = lambda plan, **_: plan
    return found


def by_python(metric, inputs, level, given):
    what = {"labelled": "runs"} if inputs in LABELLED else {"run": "runs", "qrels": "labels"}
    if level == "compare":
        what = {**what, next(iter(what)): {"baseline": "runs", "candidate": "others"}}
    return rm.sql(metric, **what, level=level, columns=INPUTS[inputs], header=False, **given)


def by_templates(metric, inputs, level, given):
    qrels = None if inputs in LABELLED else "labels"
    what = {"relation": "others", "baseline": "runs"} if level == "compare" else {"relation": "runs"}
    return templates()[level](**what, metrics=metric, qrels=qrels, options=given, columns=INPUTS[inputs])


def outcome(read, *question):
    """The plan, or the sentence by which it was refused."""
    try:
        plan = read(*question)
    except rm.UsageError as error:
        return str(error).removeprefix("rankmetrics_sql: ")
    strategy = "count" if plan["options"]["strategy"] == "count" else "window"  # a statement has no other choice
    baseline = plan["baseline"] if plan["level"] == "compare" else None
    return plan | {"options": plan["options"] | {"strategy": strategy}, "baseline": baseline}


def assert_alike(metric, inputs, given, level="summary"):
    """Python takes a column called position, or subtopic, where none is named; the macros want its name."""
    if (given.get("ties") == "rank" and inputs != "ranks") or (metric in SUBTOPICS and inputs not in DIVERSE):
        return
    question = (metric, inputs, level, given)
    assert outcome(by_templates, *question) == outcome(by_python, *question), question


def values_of(name):
    return (*options()[name].values, *NUMBERS.get(name, ()))


def concerning(metric):
    """The options that can change what a metric is, or whether it is refused beside another one."""
    takes = metrics()[metric.partition("@")[0]].options
    return [name for name, option in options().items() if name in takes or option.scope == "ranking"]


def pairs(names):
    """Two values of two options, for every two of them; by default one pair of values in three, of every two."""
    for first, second in combinations(names, 2):
        every = [{first: a, second: b} for a, b in product(values_of(first), values_of(second))]
        yield from every if asked_for() else every[len(first) % 3 :: 3]


@pytest.mark.long
@pytest.mark.parametrize("metric", KINDS)
def test_every_pair_of_values(metric):
    for given in pairs(concerning(metric)):
        assert_alike(metric, "ranks", given)


@pytest.mark.parametrize("metric", mostly_long(SUBTOPICS, SUBTOPICS[0]))
@pytest.mark.parametrize("inputs", mostly_long(DIVERSE, "subtopics"))
def test_every_pair_of_values_with_subtopics(metric, inputs):
    for given in pairs(concerning(metric)):
        assert_alike(metric, inputs, given)


@pytest.mark.long
@pytest.mark.parametrize("inputs", INPUTS)
def test_every_pair_with_an_option_of_the_whole_evaluation(inputs):
    whole = [name for name, option in options().items() if option.scope == "evaluation"]
    others = [name for name, option in options().items() if option.scope == "ranking"]
    for metric in ("ap@5", "alpha_ndcg@5"):
        for given in [*pairs(whole), *({a: x, b: y} for a in whole for b in others for x, y in crossed(a, b))]:
            assert_alike(metric, inputs, given)


def crossed(first, second):
    return product(values_of(first), values_of(second))


# Python compares the runs of a labelled table by their column, not two such tables.
AT_LEVELS = [*product(INPUTS, ["per_query"]), *product(INPUTS.keys() - {*LABELLED}, ["compare"])]


@pytest.mark.parametrize("asked", mostly_long(sorted(AT_LEVELS), ("ranks", "compare")), ids="-".join)
def test_every_value_at_every_level(asked):
    inputs, level = asked
    for name in options():
        for metric, value in product(("r(rel=2)", "ap", "f(f_beta=of_averages)@2", "alpha_ndcg@5"), values_of(name)):
            assert_alike(metric, inputs, {name: value}, level)


@pytest.mark.parametrize(
    ("metric", "inputs", "given"),
    [
        ("rr", "positions", {"position": "given", "unjudged": "drop"}),
        ("rr", "positions", {"position": "given", "ties": "best"}),
        ("rr", "positions", {"position": "given", "strategy": "count"}),
        ("alpha_ndcg", "subtopics", {"ties": "best"}),
        ("alpha_ndcg", "subtopics", {"unjudged": "relevant"}),
        ("alpha_ndcg", "subtopics", {"judgments": "retrieved"}),
        ("r(rel=2)", "n_relevant", {}),
    ],
)
def test_both_refuse_and_say_why_in_the_same_words(metric, inputs, given):
    by_each = [outcome(read, metric, inputs, "summary", given) for read in (by_python, by_templates)]
    assert isinstance(by_each[0], str)
    assert by_each[0] == by_each[1]


@pytest.mark.parametrize(
    ("wanted", "by", "said"),
    [
        (["rr", "RR"], None, "'rr' and 'RR' have the same column rr"),
        (["rr", " rr "], None, None),
        (["rr", "rr"], None, None),
        (["rr"], ["run.market", "market"], "two columns called 'market'"),
        (["rr"], ["run.market", '"Market"'], "two columns called 'Market'"),
        (["rr"], ["rr"], "two columns called 'rr'"),
        (["rr"], ["n_queries"], "two columns called 'n_queries'"),
        (["rr"], ["shop.market"], "only run., qrels., query_list. may stand before a column"),
        (["rr"], ['"a.b"', 'run."c.d"', "qrels.market"], None),
    ],
)
def test_names_of_columns(wanted, by, said):
    asked = {
        "python": lambda: rm.sql(wanted, "runs", "labels", by=by or [], header=False),
        "templates": lambda: templates()["summary"](relation="runs", metrics=wanted, qrels="labels", by=by),
    }
    plans = []
    for ask in asked.values():
        if said is None:
            plans.append(ask())
        else:
            with pytest.raises(rm.UsageError) as refused:
                ask()
            assert said.lower() in str(refused.value).lower()
    assert [plan["groups"] for plan in plans[1:]] == [plan["groups"] for plan in plans[:1]]
    assert [plan["metrics"] for plan in plans[1:]] == [plan["metrics"] for plan in plans[:1]]


@pytest.mark.parametrize(
    ("arguments", "score", "position"),
    [
        ({}, "score", None),
        ({"columns": {"position": "place"}}, None, "place"),
        ({"columns": {"score": "none", "position": "place"}}, None, "place"),
        ({"columns": {"score": None, "position": "place"}}, None, "place"),
        ({"columns": {"score": "score", "position": "place"}}, "score", None),
        ({"columns": {"position": "place"}, "options": {"ties": "rank"}}, "score", "place"),
        ({"columns": {"score": "none", "position": "place"}, "options": {"ties": "rank"}}, None, "place"),
        ({"columns": {"position": "none"}}, "score", None),
        ({"columns": {"run": "none"}, "profile": "none", "by": "none", "query_list": "none"}, "score", None),
    ],
)
def test_none_is_null_and_a_position_is_enough(arguments, score, position):
    plan = templates()["summary"](relation="runs", metrics="rr", qrels="labels", **arguments)
    columns = plan["runs"][0]["columns"]
    assert (columns["score"], columns["position"], columns["run_id"]) == (score, position, None)
    assert (plan["query_list"], plan["groups"]) == (None, [])


@pytest.mark.parametrize("seed", range(40))
def test_groups_and_their_totals(seed):
    rng = Random(seed)
    by = rng.choice([[], ["market"], ["run.market", "day"], ["a", "qrels.b", "run.c", "d"]])
    several = [rng.sample(by, rng.randint(0, len(by))) for _ in range(rng.randint(0, 3))]
    given = {"rollup": rng.choice([False, True, several, [["other"]]]), "min_queries": rng.choice([None, 1, 30])}
    given |= {"period": rng.choice([None, "day", "week", "year"]), "timezone": rng.choice([None, None, "Asia/Tokyo"])}
    level, weight = rng.choice(["summary", "summary", "sums"]), rng.choice([None, "run.sessions", "sessions"])
    cluster = rng.choice([None, "user_id"]) if level == "sums" else None
    given = given if level == "summary" else {"period": given["period"], "timezone": given["timezone"]}
    what = {
        "metrics": [rng.choice(["rr", "rr(aggregate=median)", "f(f_beta=of_averages)"])],
        "qrels": "labels",
        **given,
    }
    time = rng.choice([None, "ts", "run.ts"] if given["period"] is None else ["ts", "run.ts", "qrels.ts", None])
    side, dot, column = (time or "").rpartition(".")
    columns = {} if time is None else {f"{side}{dot}time": column}
    said = {"level": level, "columns": columns, "weight": weight, "cluster": cluster}
    ours = outcome(lambda: rm.sql(run="runs", by=by, header=False, **said, **what))
    what |= {"by": by, "columns": columns, "weight": weight}
    what |= {"cluster": cluster} if cluster else {}
    theirs = outcome(lambda: templates()[level](relation="runs", **what))
    assert ours == theirs, (by, given, said)

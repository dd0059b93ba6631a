"""The docstrings: their examples run, one after the other in this process, and results have the columns they name."""

from __future__ import annotations

import doctest
import inspect
import re

import pandas
import pytest

import rankmetrics_sql as rm

FUNCTIONS = sorted(name for name in rm.__all__ if inspect.isfunction(getattr(rm, name)))


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
def test_every_public_function_has_examples_that_run():
    runner, parser = doctest.DocTestRunner(verbose=False), doctest.DocTestParser()
    for name in FUNCTIONS:
        test = parser.get_doctest(inspect.getdoc(getattr(rm, name)) or "", {}, name, None, 0)
        assert test.examples, name
        found: list[str] = []
        assert runner.run(test, out=found.append).failed == 0, "".join(found)


QUERIES = [f"q{number}" for number in range(12)]
OLD = {query: ["b", "a"] if number % 2 else ["c", "b", "a"] for number, query in enumerate(QUERIES)}
NEW = {query: ["a", "b"] for query in QUERIES}
QRELS = {query: {"a": 2, "b": 0} for query in QUERIES}
FACTS = [
    {"query_id": f"q{n}", "market": "north" if n < 6 else "south", "traffic": 1 + n % 3, "before": n % 5}
    for n in range(12)
]
JUDGES = """SELECT j.*, q.* FROM (VALUES ('a', 0), ('b', 1), ('c', 1)) j(judge, less),
    (SELECT 'q' || n % 4 AS query_id, n AS item_id, n % 3 AS grade FROM range(20) r(n)) q"""


def _tables():
    """Yield the class and the attribute of a result with what a call gave, so that each column comes up."""
    lists = pandas.DataFrame(FACTS)
    runs, of_lists = {"old": OLD, "new": NEW}, {"query_list": lists}
    for more in ({}, {"interval": "t", "cluster": "market"}, {"weight": "traffic", "by": "market", "rollup": True}):
        result = rm.evaluate(runs, QRELS, ["rr", "mean_click_position"], **of_lists, **more)
        yield "Result", {"summary": result.summary, "per_query": result.per_query}
    for more in (
        {"cap": {"cg": 1}, "cluster": "market"},
        {"weight": "traffic", "power": 0.8, "by": "market"},
        {"test": "sign", "unjudged": "bounds"},
    ):
        found = rm.compare(runs, QRELS, ["rr", "cg"], **of_lists, **more)
        yield (
            "Comparison",
            {"summary": found.summary, "per_query": found.per_query, "heterogeneity": found.heterogeneity},
        )
    for more in ({"covariate": "before"}, {"strata": "market"}):
        found = rm.compare(runs, QRELS, "rr", design="unpaired", **of_lists, **more)
        yield "Comparison", {"summary": found.summary}
    yield "AllPairs", {"summary": rm.tukey(runs, QRELS, "rr").summary}
    for run in (runs, OLD):
        curve = rm.curve(run, QRELS, "p", at=[1, 2], by="market", **of_lists)
        yield "Curve", {"summary": curve.summary, "per_query": curve.per_query}
    yield "Decomposition", {"summary": rm.decompose(runs, QRELS, "rr", by="market", **of_lists).summary}
    yield "Movements", {"summary": rm.movements(runs, QRELS, k=2).summary}
    explained = rm.explain(OLD, QRELS, "ndcg@10", profile="ranx", against="trec_eval")
    yield "Explanation", {"choices": explained.choices, "queries": explained.queries}
    listed = rm.judge_next(
        runs, QRELS, "p@2", texts="SELECT 'c' AS item_id, 'C' AS item_text, 'q0' AS query_id, 'what?' AS query_text"
    )
    yield "NextJudgments", {"summary": listed.summary, "ranges": listed.ranges}
    columns = {"relevance": "grade"}
    agreed = rm.agreement(JUDGES, judge="judge", columns=columns)
    yield "Agreement", {name: getattr(agreed, name) for name in ("grades", "pairs", "overall", "judges")}
    sensitive = rm.sensitivity(runs, QRELS, "p@2")
    yield "Sensitivity", {name: getattr(sensitive, name) for name in ("values", "agreement", "certain")}


# What the user's inputs name: the query, a group, metrics, runs, profiles, scenarios, grades.
NAMED_BY_INPUTS = (
    r"query_id|market|rr|mean_click_position|(old|new)_rank|ranx|trec_eval|share_of_\d|\w*kappa_ci_(low|upp)er"
)
SCENARIOS = {"low", "high", "worst", "expected", "best"}


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
def test_results_have_the_columns_that_docstrings_name():
    found: dict[tuple[str, str], set[str]] = {}
    for result, tables in _tables():
        for attribute, table in tables.items():
            if table is not None:
                found.setdefault((result, attribute), set()).update(getattr(table, "columns", None) or table[0])
    for (result, attribute), columns in found.items():
        text = inspect.getdoc(getattr(rm, result)) or ""
        entry = re.search(rf"(?ms)^    {attribute}: (.*?)(?=^    \w+: |\Z)", text)[1]
        named = {name for names in re.findall(r"(?m)^ +- (.*?): ", entry) for name in re.findall(r"``(\w+)``", names)}
        others = {name for name in columns - named if not re.fullmatch(NAMED_BY_INPUTS, name)}
        assert (result, attribute, others - SCENARIOS, named - columns) == (result, attribute, set(), set())

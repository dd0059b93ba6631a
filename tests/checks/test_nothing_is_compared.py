"""What is asked of a comparison only is refused by what compares nothing, in Python as in dbt's templates."""

from __future__ import annotations

import pytest

import rankmetrics_sql as rm

from ..conftest import quietly

RUN = {"q": {"a": 1.0, "b": 2.0}, "p": {"a": 2.0, "c": 1.0}, "r": {"a": 1.0}}
QRELS = {"q": {"a": 1}, "p": {"c": 1}, "r": {"a": 2}}
ASKED = [
    ({"test": "sign"}, "test=sign works only with compare"),
    ({"design": "unpaired"}, "design=unpaired works only with compare"),
    ({"margin": 0.1, "alternative": "greater"}, "margin=0.1 works only with compare"),
    ({"power": 0.8}, "power=0.8 works only with compare"),
    ({"sequential": 100}, "sequential=100 works only with compare"),
]


@pytest.mark.parametrize(("asked", "message"), ASKED)
def test_values_and_curves_refuse_what_is_of_comparisons(asked, message):
    for ask in (
        lambda: rm.evaluate(RUN, QRELS, "ndcg", **asked),
        lambda: rm.curve(RUN, QRELS, "ndcg", at=[1, 2], **asked),
        lambda: rm.sql("ndcg", "run", "qrels", **asked),
        lambda: rm.sql("ndcg", "run", "qrels", level="curve", **asked),
    ):
        with pytest.raises(rm.UsageError, match=message):
            ask()
    found = quietly(rm.compare, RUN, {"new": RUN}, QRELS, "ndcg", **asked).summary.dicts()
    assert found[0]["effect_size"] == 0


def test_what_is_the_default_is_not_refused():
    usual = {"test": "t", "design": "paired", "margin": 0, "power": None, "sequential": None}
    assert quietly(rm.evaluate, RUN, QRELS, "ndcg", **usual)["ndcg"] > 0
    assert quietly(rm.curve, RUN, QRELS, "ndcg", at=[1], **usual).summary is not None


@pytest.mark.parametrize(
    "asked", [{"test": "sign"}, {"design": "unpaired", "power": 0.8, "shares": {"baseline": 0.5, "new": 0.5}}]
)
def test_a_report_of_a_comparison_has_the_values_too(asked, tmp_path, undrawn):
    page = tmp_path / "report.html"
    quietly(rm.compare, RUN, {"new": RUN}, QRELS, "ndcg", **asked).report(page)
    assert page.stat().st_size > 1000


@pytest.mark.parametrize("metric", ["rmse", "ctr_pooled"])
def test_values_of_all_queries_together_are_not_permuted(metric):
    with pytest.raises(rm.UsageError, match="test=randomisation needs a value for each query"):
        rm.tukey({"a": RUN, "b": RUN}, QRELS, metric, test="randomisation")


def test_a_median_is_not_compared():
    for ask in (
        lambda: rm.tukey({"a": RUN, "b": RUN}, QRELS, "ap(aggregate=median)"),
        lambda: rm.compare(RUN, {"b": RUN}, QRELS, "ap(aggregate=median)", design="unpaired"),
    ):
        with pytest.raises(rm.UsageError, match="a comparison needs means or sums over queries, not a median"):
            ask()

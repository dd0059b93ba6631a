"""The metric strings, read twice: by Python, and by the templates for dbt. One file of cases holds both to the same."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics, profiles
from rankmetrics_sql.definitions.choices import resolve_metrics, resolve_options
from rankmetrics_sql.statements.query import _metric_as_template
from rankmetrics_sql.statements.templates import macros

from .everything import seeds
from .test_oracles import as_text

CASES = tomllib.loads((Path(__file__).parent / "metric_strings.toml").read_text())["case"]


def by_python(text, options=None, profile=None):
    choices = resolve_options(options or {}, profile)
    return [_metric_as_template(metric) for metric in resolve_metrics([text], choices)]


def by_templates(text, options=None, profile=None):
    found = macros()
    return found["rm_resolved_metrics"]([text], found["rm_choices"](options or {}, profile))


@pytest.mark.parametrize("read", [by_python, by_templates])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['text']}-{case.get('profile', '')}")
def test_cases(case, read):
    given = {"options": case.get("options"), "profile": case.get("profile")}
    if "error" in case:
        with pytest.raises(rm.UsageError) as error:
            read(case["text"], **given)
        assert case["error"] in str(error.value)
        assert read is by_python or str(error.value).startswith("rankmetrics_sql: ")
        return
    if "labels" in case:
        assert [metric["label"] for metric in read(case["text"], **given)] == case["labels"]
        return
    [metric] = read(case["text"], **given)
    assert metric["column"] == case["column"]
    assert metric["label"] == case["text"].strip()
    for part in ("params", "ranking"):
        assert {name: metric[part].get(name) for name in case.get(part, {})} == case.get(part, {})
    assert set(case.get("needs", [])) <= set(metric["needs"])
    assert metric["aggregate"] == case.get("aggregate", metric["aggregate"])


@pytest.mark.parametrize("profile", [None, *profiles()])
def test_both_agree_on_every_metric_and_profile(profile):
    for metric in metrics().values():
        texts = [metric.name, *metric.aliases, *metric.spellings, *([f"{metric.name}@7"] if metric.takes_k else [])]
        for text in texts:
            if metric.shape == "value":
                assert outcome(by_templates, text, None, profile) == outcome(by_python, text, None, profile), text
    if profile is not None:
        for theirs in profiles()[profile].spellings:
            assert outcome(by_templates, theirs, None, profile) == outcome(by_python, theirs, None, profile), theirs


@pytest.mark.parametrize("seed", seeds(4))
def test_both_agree_on_random_parameters(seed):
    rng = random.Random(seed)
    choices = [{"unjudged": "bounds"}, {"ties": "expected"}, {"aggregate": "max"}, {"depth": 3, "gain": "exp2"}]
    for metric in (metric for metric in metrics().values() if metric.shape == "value"):
        values = {}
        for name, parameter in metric.params.items():
            if rng.random() < 0.5:
                continue
            pool = [value for value in parameter.values if value != "error"] or [parameter.default or 3]
            values[name] = rng.choice([*pool, {1: 3, 2: 0.5}] if parameter.type == "gain" else pool)
        text = as_text(metric.name, {name: value for name, value in values.items() if value is not None})
        for options in ({}, rng.choice(choices)):
            assert outcome(by_templates, text, options) == outcome(by_python, text, options), (text, options)


def outcome(read, text, options=None, profile=None):
    """What came out, or that it was refused; templates have no input order, as a table has none."""
    try:
        found = read(text, options, profile)
    except rm.UsageError:
        return "refused"
    return "refused" if any(metric["ranking"]["ties"] == "input" for metric in found) else found


def test_the_public_macros_write_what_python_writes():
    wanted = ["ndcg(gain=exp2)@10", "P_5", "rr(ties=best)", "f(beta=2)@3", "gm_map", "ap(unjudged=relevant)"]
    arguments = {"metrics": wanted, "relation": "runs", "qrels": "labels"}
    for level in ("summary", "per_query"):
        assert macros()[level](**arguments) == rm.sql(wanted, "runs", "labels", level=level, header=False)
        text = macros()[level](relation="runs", metrics=wanted)
        assert text == rm.sql(wanted, labelled="runs", level=level, header=False)
    text = macros()["compare"](relation="b", baseline="a", metrics=["ap", "rr"], qrels="labels", group_by="market")
    runs = {"baseline": "a", "candidate": "b"}
    assert text == rm.sql(["ap", "rr"], runs, "labels", level="compare", by=["market"], header=False)
    names = {"query_column": ["user_id", "day"], "item_column": "doc", "score_column": None, "position_column": "place"}
    columns = {"query_id": ["user_id", "day"], "item_id": "doc", "position": "place"}
    text = macros()["per_query"](
        relation="runs", metrics="rr@3", qrels="labels", profile="spark", **names, options={"ties": "item_desc"}
    )
    assert text == rm.sql(
        "rr@3", "runs", "labels", level="per_query", columns=columns, profile="spark", ties="item_desc", header=False
    )

"""The rules of refusals.toml: both roads ask them, each can speak, and what in one cannot be meant is said."""

from __future__ import annotations

import contextlib
import io
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import rankmetrics_sql as rm
from dev.refusals import check_refusals, facts_of, refusals
from rankmetrics_sql.definitions import resolution
from rankmetrics_sql.definitions.catalogue import metrics, options
from rankmetrics_sql.definitions.resolution import refuse, resolve_metrics, resolve_options
from rankmetrics_sql.root import compiled_root, sql_root
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import seeds

ROOT = Path(__file__).parents[2]
FILE = sql_root() / "refusals.toml"
KNOWN = refusals()
RULES = KNOWN["refusal"]


def in_dbt(sentence):
    return f"rankmetrics_sql: {sentence}"


def said(refuse, of, facts):
    try:
        refuse(of, facts)
    except rm.UsageError as error:
        return str(error)
    return None


def values(fact, known):
    """What a fact may be: its words, what rules ask of it, and what is beyond."""
    asked = {word for rule in RULES for test in (one.get(fact) for one in rule.when) if test for word in words(test)}
    if fact in KNOWN["lists"]:
        return [[], [*known], *([word] for word in sorted(asked, key=str)), ["ties", "subtopics"]]
    return [*known, *sorted(asked, key=str), None, 7]


def words(test):
    for kind, wanted in test.items():
        yield from wanted if kind in ("is", "not") else [1, 200_000]


LIMITS = {"min": float.__ge__, "max": float.__le__, "above": float.__gt__, "below": float.__lt__}


def is_so(value, how, wanted, facts):
    """Whether a fact is as a test of the file wants it, in the words of the file."""
    if how in LIMITS:
        limit = facts.get(wanted, wanted)
        are_numbers = isinstance(value, int | float) and isinstance(limit, int | float)
        return are_numbers and LIMITS[how](float(value), float(limit))
    found = [str(word).lower() for word in (value if isinstance(value, list) else [value])]
    return any(word in wanted for word in found) == (how == "is")


def first_sentence(of, facts):
    """What the first rule says that is met."""
    for rule in RULES:
        for one in rule.when if rule.of == of else ():
            if all(is_so(facts[fact], *asked, facts) for fact, test in one.items() for asked in test.items()):
                return sentence(rule, facts)
    return None


def sentence(rule, facts):
    return re.sub(r"{(\w+)}", lambda name: str(facts[name[1]]), rule.message)


@pytest.mark.parametrize("of", KNOWN["of"])
@pytest.mark.parametrize("seed", seeds(3, 1))
def test_the_first_rule_that_is_met_speaks_on_both_roads(of, seed):
    rng = random.Random(f"{of}{seed}")
    facts = {fact: values(fact, known) for fact, known in facts_of(KNOWN, of).items()}
    for _ in range(60):
        rule = rng.choice([rule for rule in RULES if rule.of == of])
        near = {fact: one_of(fact, rng.choice(list(words(test)))) for fact, test in rng.choice(rule.when).items()}
        given = {fact: rng.choice(known) for fact, known in facts.items()} | (near if rng.random() < 0.7 else {})
        expected = first_sentence(of, given)
        assert said(refuse, of, given) == expected, given
        assert said(macros()["rm_refuse"], of, given) == (None if expected is None else in_dbt(expected)), given


def one_of(fact, word):
    return [word] if fact in KNOWN["lists"] else word


def met(test):
    """A value that passes a test."""
    if "is" in test:
        return test["is"][0]
    return "otherwise" if "not" in test else {"above": 1e6, "min": 7, "below": 0, "max": 0}[next(iter(test))]


@pytest.mark.parametrize(("rule", "number"), [(rule, n) for rule in RULES for n in range(len(rule.when))])
def test_every_rule_speaks(rule, number):
    """On both roads, and no rule before it makes it superfluous."""
    defaults = {name: option.default for name, option in options().items() if option.scope == "ranking"}
    defaults["bootstrap_interval"] = options()["bootstrap_interval"].default
    facts = dict.fromkeys(facts_of(KNOWN, rule.of)) | defaults
    facts |= {"max_rel": 3, "takes": ["ties"], "needs": [], "label": "the {label}"}
    facts |= {name: value for name, value in {"name": "ndcg", "aggregate": "mean", "k": 5}.items() if name in facts}
    found = []
    for scores in ("none", "all"):
        near = {fact: one_of(fact, met(test)) for fact, test in rule.when[number].items()}
        given = facts | {"has_scores": scores} | near
        found.append((said(refuse, rule.of, given), said(macros()["rm_refuse"], rule.of, given)))
        if found[-1] == (sentence(rule, given), in_dbt(sentence(rule, given))):
            return
    raise AssertionError(found)


def test_the_facts_are_those_that_the_file_explains():
    """Of every metric on both roads; an option or parameter is a fact by its name."""
    found = macros()
    for metric in metrics().values():
        required = ",".join(f"{name}=1" for name, parameter in metric.params.items() if parameter.required)
        choices = resolve_options({}), found["rm_choices"]({}, None)
        text = f"{metric.name}({required})"
        if metric.shape == "value":
            [ours] = resolve_metrics([text], choices[0])
            [theirs] = found["rm_resolved_metrics"]([text], choices[1])
            assert found["rm_metric_facts"](theirs) == ours.facts
            ranking = {name for name, option in options().items() if option.scope == "ranking"}
            assert set(ours.facts) == {*KNOWN["facts"]["metric"], *metric.params, *ranking}


def written(level, **given):
    return lambda: rm.sql((given.pop("metrics", "rr")), {"a": "a", "b": "b"}, "q", level=level, **given)


def compared(**given):
    return macros()["compare"](candidate="b", baseline="a", metrics="rr", qrels="q", **given)


def summed(level="summary", **given):
    return macros()[level](relation="a", metrics="rr", qrels="q", **given)


RUNS = {"a": {"q": ["x", "y"]}, "b": {"q": ["y", "x"]}}
QRELS = {"q": {"x": 1}}
ARMS = {"baseline": "a", "shares": {"a": 1, "b": 1}}

# What asks the rules of each time, by road; dbt has no macro for what is not there.
ASKS = {
    "metric": (written("summary"), summed),
    "value": (written("summary"), summed),
    "statement": (written("summary"), summed),
    "inputs": (written("summary"), summed),
    "comparison": (written("compare"), compared),
    "decomposition": (
        written("decompose", by="market"),
        lambda: macros()["decompose"](candidate="b", baseline="a", metrics="rr", qrels="q", by="market"),
    ),
    "sums": (lambda: rm.sql("rr", "a", "q", level="sums"), lambda: summed("sums")),
    "weighted": (lambda: rm.sql("rr", "a", "q", weight="w"), lambda: summed(weight="w")),
    "values": (lambda: rm.sql("rr", "a", "q", level="values"), None),
    "column": (written("summary", by="market"), lambda: summed(by="market")),
    "period": (written("summary", period="day", columns={"time": "shown_at"}), summed),
    "agreement": (lambda: rm.agreement(QRELS, QRELS), None),
    "tested": (written("compare"), compared),
    "shares": (lambda: rm.compare(rm.events("shown", "done", arm="arm"), "ctr", **ARMS, connection=tables()), None),
    "breakdown": (written("summary"), summed),
    "curve": (lambda: rm.sql("ndcg", "a", "q", level="curve"), None),
    "movements": (
        lambda: rm.sql((), {"a": "a", "b": "b"}, level="movements"),
        lambda: macros()["movements"](candidate="b", baseline="a"),
    ),
    "judge_next": (lambda: rm.judge_next(RUNS, QRELS, "rr"), None),
    "explanation": (lambda: rm.explain(RUNS["a"], QRELS, "rr", profile="ranx"), None),
    "function": (lambda: rm.install("rr", dialect="duckdb"), None),
    "view": (lambda: rm.evaluate("a", "q", "rr", connection=tables()).create_view("made"), None),
}


def tables():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE a AS SELECT 'q' AS query_id, 'x' AS item_id, 1.0 AS score")
    connection.execute("CREATE TABLE q AS SELECT 'q' AS query_id, 'x' AS item_id, 1 AS relevance")
    connection.execute("CREATE TABLE shown (request_id TEXT, arm TEXT, item_id TEXT, position INTEGER)")
    connection.execute("INSERT INTO shown VALUES ('s', 'a', 'x', 1), ('t', 'b', 'x', 1)")
    connection.execute("CREATE TABLE done AS SELECT 's' AS request_id, 'x' AS item_id, 'click' AS event_type")
    return connection


@pytest.mark.parametrize("of", KNOWN["of"])
@pytest.mark.parametrize("road", [0, 1], ids=["python", "dbt"])
def test_each_road_asks_the_rules_with_every_fact(of, road, monkeypatch):
    """So each rule can speak there: that it does with the facts that it wants is tested above."""
    ask = ASKS[of][road]
    if ask is None:
        return
    asked, refusal = [], macros().functions.rm_refusal

    def recording(of, facts):
        asked.append((of, dict(facts)))
        return refusal(of, facts)

    monkeypatch.setattr(macros().functions, "rm_refusal", recording)
    resolution.resolved.cache_clear()  # of what an earlier test asked for
    quietly(ask)
    given = [facts for kind, facts in asked if kind == of]
    wanted = {fact for rule in RULES if rule.of == of for one in rule.when for fact in one}
    found = {
        *(fact for facts in given for fact in facts),
        *(name for each in metrics().values() for name in each.params),
    }
    assert given
    assert wanted <= found


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('[[refusal]]\nof ', '[[refusal]\nof ', "refusals.toml: no TOML: "),
        ('of      = "metric"', 'off = "metric"', "refusal 1, .*: unknown key: 'off'. Did you mean 'of'?"),
        ('of      = "metric"', "", "refusal 1, .*: of is missing."),
        ('of      = "metric"', 'of = "metrics"', "unknown of: 'metrics'. Did you mean 'metric'?"),
        ('ap_denominator = "k", k', 'ap_denom = "k", k', "fact in when: 'ap_denom'. Did you mean 'ap_denominator'?"),
        ('ap_denominator = "k", k', "is_labelled = true, k", "unknown fact in when: 'is_labelled'."),
        ('["best", "worst"], reads', '["best", "wurst"], reads', "6, .*: unknown value of ties: 'wurst'.*'worst'?"),
        ("gain_falls = true", 'gain_falls = "yes"', "unknown value of gain_falls: 'yes'. Valid: true, false."),
        ('{ not = "ties" }', '{ not = "tie" }', "unknown value of takes: 'tie'. Did you mean 'ties'?"),
        ('needs = "subtopics", is', 'needs = "subtopic", is', "value of needs: 'subtopic'. Did you mean 'subtopics'?"),
        ("{ above = 100000 }", "{ abov = 100000 }", "unknown test of k: 'abov'. Did you mean 'above'?"),
        ('{ min = "max_rel" }', '{ min = "maxrel" }', "fact in min of min_rel: 'maxrel'. Did you mean 'max_rel'?"),
        ("such as {name}@10", "such as {nam}@10", "unknown placeholder in message: 'nam'. Did you mean 'name'?"),
        ("such as {name}@10.", "such as {name}@10", "the message is no sentence"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_said(old, new, message, tmp_path):
    text = FILE.read_text()
    assert old in text
    (tmp_path / "refusals.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(rm.DataError, match=message.replace("?", r"\?")):
        check_refusals(tmp_path / "refusals.toml")


ADDED = {
    "metric": ("{ depth = { above = 7 } }", "rr(depth=8)", {}),
    "value": ('{ aggregate = "max" }', "rr(aggregate=max)", {}),
    "statement": ('{ score_type = "float32" }', "rr(score_type=float32)", {}),
    "inputs": ('{ impute = "mean", has_scores = "all", takes = "rel" }', "rr", {"impute": "mean"}),
    "comparison": ('{ no_relevant = "skip" }', "rr(no_relevant=skip)", {}),
    "column": ('{ column = ["market"] }', "rr", {}),
}
ASK = """
import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros
for metric, options in {questions!r}:
    runs = {{"baseline": "a", "candidate": "b"}}
    asked = (
        lambda: rm.sql(metric, runs, "q", level="compare", by=["market"], **options),
        lambda: macros()["compare"](
            candidate="b", baseline="a", metrics=metric, qrels="q", options=options, by="market"
        ),
    )
    for ask in asked:
        try:
            print(len(ask()) > 0)
        except rm.UsageError as error:
            print(error)
"""


def test_a_rule_that_is_added_speaks_on_both_roads(tmp_path):
    """A few lines of TOML and the generator, and nothing else."""
    shutil.copytree(ROOT / "rankmetrics_sql", tmp_path / "rankmetrics_sql", ignore=shutil.ignore_patterns("demo"))
    shutil.copytree(sql_root(), tmp_path / "sql")
    shutil.copytree(compiled_root(), tmp_path / "build" / "templates")
    (tmp_path / "dev").mkdir()
    for name in ("__init__.py", "compile_templates.py", "generate.py", "refusals.py"):
        shutil.copy(ROOT / "dev" / name, tmp_path / "dev")

    def run(*arguments):
        command, place = [sys.executable, *arguments], {"cwd": tmp_path, "env": {"PYTHONPATH": ""}}
        done = subprocess.run(command, **place, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    ask = ASK.format(questions=[(metric, given) for _, metric, given in ADDED.values()])
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(ask, {})
    assert output.getvalue().splitlines() == ["True"] * 2 * len(ADDED)
    rules = [f'[[refusal]]\nof = "{of}"\nwhen = {when}\nmessage = "No {of}."\n' for of, (when, *_) in ADDED.items()]
    with (tmp_path / "sql" / "refusals.toml").open("a") as file:
        file.write("\n".join(rules))
    run("-m", "dev.generate")
    assert run("-c", ask) == [f"{road}No {of}." for of in ADDED for road in ("", "rankmetrics_sql: ")]

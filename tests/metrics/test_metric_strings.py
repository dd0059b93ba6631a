"""Metric strings, options and profiles resolved, against what headers and files say, as the tests read them."""

from __future__ import annotations

import math
import operator
import random
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

import rankmetrics_sql as rm
from rankmetrics_sql.cli.texts import expand_nicknames, split_metrics
from rankmetrics_sql.definitions import catalogue
from rankmetrics_sql.definitions.catalogue import metrics, options, spellings
from rankmetrics_sql.definitions.known import known_nicknames
from rankmetrics_sql.definitions.profiles import profiles
from rankmetrics_sql.definitions.resolution import resolve_metrics, resolve_options
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import one_in, seeds
from .test_oracles import as_text

CASES = tomllib.loads((Path(__file__).parent / "metric_strings.toml").read_text())["case"]


def resolved(text, options=None, profile=None):
    return [metric.as_template() for metric in resolve_metrics([text], resolve_options(options or {}, profile))]


def in_dbt(text, options=None, profile=None):
    return macros()["rm_resolved_metrics"]([text], macros()["rm_choices"](options or {}, profile))


def refusal(read, *asked, **given):
    """What is said, or nothing where it is not refused."""
    try:
        read(*asked, **given)
    except rm.UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['text']}-{case.get('profile', '')}")
def test_cases(case):
    given = {"options": case.get("options"), "profile": case.get("profile")}
    if "error" in case:
        said = [refusal(read, case["text"], **given) for read in (resolved, in_dbt)]
        assert case["error"] in said[0]
        assert said[1] == f"rankmetrics_sql: {said[0]}"  # so that a log of dbt's says whose message it is
        return
    if "labels" in case:
        assert [metric["label"] for metric in resolved(case["text"], **given)] == case["labels"]
        return
    [metric] = resolved(case["text"], **given)
    assert metric["column"] == case["column"]
    assert metric["label"] == case["text"].strip()
    for part in ("params", "ranking"):
        assert {name: metric[part].get(name) for name in case.get(part, {})} == case.get(part, {})
    assert set(case.get("needs", [])) <= set(metric["needs"])
    assert metric["aggregate"] == case.get("aggregate", metric["aggregate"])


def chosen(metric, given, options=None, profile=None):
    """The choices of a metric as its header, the files of options and profiles, and the request have them."""
    preset = profiles()[profile].chosen(metric.name, given.get("k") is not None) if profile else {}
    defaults = {name: one.default for name, one in {**catalogue.options(), **metric.params}.items()}
    values = {**defaults, **preset, **(options or {}), **given}
    ranking = {name: values[name] for name, one in catalogue.options().items() if one.scope == "ranking"}
    if metric.about_judgments and ranking["unjudged"] != "drop":
        ranking["unjudged"] = "nonrelevant"
    if ranking["unjudged"] != "drop":
        ranking["negative_grades"] = "judged"
    params = {name: values[name] for name in metric.params}
    needs = {need for condition, some in metric.needs_when.items() if holds(condition, params) for need in some}
    declared = [one for condition, one in metric.aggregate_when.items() if holds(condition, params)]
    aggregate = [*declared, metric.aggregate][0] if values["aggregate"] == "declared" else values["aggregate"]
    return {"params": params, "ranking": ranking, "needs": needs | set(metric.needs), "aggregate": aggregate}


def holds(condition, params):
    name, wanted = re.split("!?=", condition)
    return (str(params[name]).lower() == wanted) != ("!=" in condition)


def check(text, metric, given, options=None, profile=None):
    """Whether a text is resolved, to what it should be; else by a rule about choices that do not go together."""
    said = refusal(resolved, text, options, profile)
    assert not re.search("Unknown|has no (cutoff|parameter)|cannot be|given twice", said), (text, said)
    if said:
        return False
    [found, *bounds] = resolved(text, options, profile)
    expected = chosen(metric, given, options, profile)
    if bounds:
        expected["ranking"]["unjudged"] = "nonrelevant"
    assert found["name"] == metric.name
    assert {name: found[name] for name in ("params", "ranking", "aggregate")} == {
        name: expected[name] for name in ("params", "ranking", "aggregate")
    }, text
    assert set(found["needs"]) - {"n_relevant"} == expected["needs"] - {"n_relevant"}, text
    return True


@pytest.mark.parametrize("profile", one_in(8, [None, *profiles()]))
def test_choices_are_those_of_the_headers_and_profiles(profile):
    own = {**profiles()[profile].spellings, **profiles()[profile].families} if profile else {}
    n_resolved = 0
    for metric in metrics().values():
        needed = {name: 0.5 for name, parameter in metric.params.items() if parameter.required}
        inner = "".join(f"({name}={value})" for name, value in needed.items())
        for name in {metric.name, *metric.aliases} - own.keys():
            n_resolved += check(f"{name}{inner}", metric, needed, profile=profile)
            if metric.takes_k:
                n_resolved += check(f"{name}{inner}@7", metric, {**needed, "k": 7}, profile=profile)
        for name in metric.spellings.keys() - own.keys():
            given = dict(pair.split("=") for pair in metric.spellings[name].split(","))
            n_resolved += check(name, metric, {**needed, **given}, profile=profile)
    has_expected_ties = profile is not None and profiles()[profile].options.get("ties") == "expected"
    assert n_resolved > (150 if has_expected_ties else 300)  # half of the metrics have no form for expected ties


@pytest.mark.parametrize("seed", seeds(4))
def test_choices_are_those_that_are_written(seed):
    rng = random.Random(seed)
    choices = [{"unjudged": "bounds"}, {"ties": "expected"}, {"aggregate": "max"}, {"depth": 3, "gain": "exp2"}]
    n_resolved = 0
    for metric in (metric for metric in metrics().values() if metric.shape == "value"):
        values = {}
        for name, parameter in metric.params.items():
            if rng.random() < 0.5 and not parameter.required:
                continue
            usual = {"number": 0.5, "text": "Add to cart"}.get(parameter.type, 3)
            pool = [value for value in parameter.values if value != "error"] or [parameter.default or usual]
            values[name] = rng.choice([*pool, {1: 3, 2: 0.5}] if parameter.type == "gain" else pool)
        values = {name: value for name, value in values.items() if value is not None}
        for given in ({}, rng.choice(choices)):
            n_resolved += check(as_text(metric.name, values), metric, values, given)
    assert n_resolved > 100


# Pieces of metric strings, right and wrong, and of values of options.
VALUES = (
    *("2", "0.5", ".5", "5.", "1e1", "1e400", "1e5.5", "1ee5", "1.5.2", "--1", "+1", "1_0", "nan", "1é", "²", "=2", ""),
    *(" 3 ", "'2'", '"2"', "none", "None", "true", "exp2", "Exp2", "'exp2'", "li'near", "''linear''", "a b", "100001"),
    *("9e307", "{1:3,2:9}", "{2:9,1:3}", "{1:3,1:9}", "{1:}", "{}", "{1:3,}", "skip", "null", "bounds", "best"),
)
AT = ("", "", "@10", "@1e1", "@5.0", "@0", "@-1", "@+5", "@ 5 ", "@", "@5@6", "@0.5", "@05", "@1é", f"@{10**20}")
ENDS = ("", "", "_10", "_at_10", ".5", "_0.10", "_1e1", "_", "._5", "_5_5", ".5.5", "_at_")


@pytest.mark.parametrize("seed", range(3))
def test_what_is_no_metric_is_refused_in_words(seed):
    """Whatever the text: a sentence or two, and no error of a template."""
    rng = random.Random(seed)
    names = [*metrics(), *spellings(), "P", "ndcg_cut", "iprec_at_recall"]
    params = [*options(), *{param for metric in metrics().values() for param in metric.params}, "foo", "K", "gains"]
    n_refused = 0
    for _ in range(200):
        name = rng.choice(names)
        known = [*metrics()[name].params, "ties", "depth"] if name in metrics() else params
        given = [f"{rng.choice(known)}={rng.choice(VALUES)}" for _ in range(rng.choice((0, 0, 1, 1, 2)))]
        inner = f"({','.join(given)}{rng.choice(('', '', '', ',', ',,'))})" if given else ""
        text = f"{rng.choice((name, name.upper()))}{rng.choice(ENDS)}{inner}{rng.choice(AT)}"
        if rng.random() < 0.1:
            place = rng.randrange(len(text) + 1)
            text = f"{text[:place]}{rng.choice('()@,= {}:.')}{text[place:]}"
        said = refusal(resolved, text, None, rng.choice((None, *profiles())))
        n_refused += said != ""
        assert not said or re.fullmatch(r"(Metric|Unknown metric|'\{)[^\n]{10,}[.?]", said), (text, said)
    assert n_refused > 50


def takes(option, value):
    """Whether an option takes a value: one of its choices, a number within its limits, or the gains of grades."""
    value = read(value) if isinstance(value, str) else value
    if value is None or (isinstance(value, str) and value == "none" and option.default is None):
        return True
    if isinstance(value, dict):
        return option.type == "gain" and bool(value) and all(map(is_number, (*value, *value.values())))
    if not isinstance(value, str) and not is_number(value):
        return False
    shown = str(int(value)) if is_number(value) and value == int(value) else str(value).lower()
    if shown in map(str, option.values):
        return True
    if not is_number(value) or (option.values and not option.limits):
        return False
    within = {"min": operator.ge, "max": operator.le, "above": operator.gt, "below": operator.lt}
    is_whole = option.type not in ("int", "integer") or value == int(value)
    return is_whole and all(within[name](value, limit) for name, limit in option.limits.items())


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e301


def read(text):
    """A number, a map or a word; an empty map, which nothing takes, where brackets hold none."""
    text = text.strip().strip("'\"").strip()
    if text.startswith("{"):
        pairs = re.findall(r"([\d.]+):([\d.]+)", text)
        is_map = text == f"{{{','.join(map(':'.join, pairs))}}}" and len(dict(pairs)) == len(pairs)
        return {float(grade): float(gain) for grade, gain in pairs} if is_map else {}
    is_written = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text, re.ASCII)
    return float(text) if is_written and is_number(float(text)) else text


@pytest.mark.parametrize("option", options())
def test_values_of_any_kind(option):
    numbers = (0, 1, 2, -1, 0.5, 1.0, 2.0, 1e301, float("inf"), float("nan"), True, False, None, 100_001, 10**5000, 1j)
    maps = ({}, {1: 3}, {2: 1, 1: 3}, {1.0: 3.0}, {"1": 3}, {1: "3"}, {1: True}, {"a": 1}, {-1: 0, 3: 9}, {1: math.nan})
    others = ([1], (), set(), object(), b"1", np.array([1, 2]), np.int64(2), np.float32(0.5))
    known = catalogue.options()[option]
    for value in (*numbers, *maps, *others, *VALUES):
        is_taken = takes(known, value.item() if isinstance(value, np.generic) else value)
        said = refusal(resolve_options, {option: value})
        assert is_taken == (said == ""), (option, said)
        assert "\n" not in said
        assert said or takes(known, resolve_options({option: value})[option])


def test_a_misspelt_name_is_found():
    """With a letter too many, too few, another one, or two exchanged; what is advised works when it is typed."""
    rng, found = random.Random(5), []
    for name in rng.sample([name for name in spellings() if len(name) > 3], 100):
        place, letter = rng.randrange(1, len(name)), rng.choice("abcdefghijklmnopqrstuvwxyz")
        begun, rest = name[:place], name[place:]
        exchanged = begun[:-1] + rest[0] + begun[-1] + rest[1:]
        typed = rng.choice((begun + letter + rest, begun + rest[1:], begun + letter + rest[1:], exchanged))
        advised = re.search("^Unknown metric .* Did you mean '(.+)'", refusal(resolved, typed))
        if advised:
            found.append(spellings().get(advised[1].partition("@")[0]) == spellings()[name])
            assert not re.search("Unknown|needs a cutoff|has no", refusal(resolved, advised[1])), advised[1]
    assert len(found) > 70
    assert sum(found) / len(found) > 0.9


def test_the_public_macros_write_what_python_writes():
    wanted = ["ndcg(gain=exp2)@10", "P_5", "rr(ties=best)", "f(beta=2)@3", "gm_map", "ap(unjudged=relevant)"]
    arguments = {"metrics": wanted, "relation": "runs", "qrels": "labels"}
    for level in ("summary", "per_query"):
        assert macros()[level](**arguments) == rm.sql(wanted, "runs", "labels", level=level, shape="view", header=False)
        text = macros()[level](relation="runs", metrics=wanted)
        assert text == rm.sql(wanted, labelled="runs", level=level, shape="view", header=False)
    text = macros()["compare"](candidate="b", baseline="a", metrics=["ap", "rr"], qrels="labels", by="market")
    runs = {"baseline": "a", "candidate": "b"}
    assert text == rm.sql(["ap", "rr"], runs, "labels", level="compare", by=["market"], shape="view", header=False)
    names = {"query": ["user_id", "day"], "item": "doc", "score": None, "position": "place"}
    columns = {"query_id": ["user_id", "day"], "item_id": "doc", "position": "place"}
    text = macros()["per_query"](
        relation="runs", metrics="rr@3", qrels="labels", profile="spark", columns=names, options={"ties": "item_desc"}
    )
    asked = {"level": "per_query", "columns": columns, "profile": "spark", "ties": "item_desc"}
    assert text == rm.sql("rr@3", "runs", "labels", **asked, shape="view", header=False)


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        ("map P_5", ["map", "P_5"]),
        ("ndcg_cut.5,10 rr", ["ndcg_cut.5", "ndcg_cut.10", "rr"]),
        ("ndcg@5,10", ["ndcg@5", "ndcg@10"]),
        ("ap(rel=2, k=3),rr\tp@1", ["ap(rel=2, k=3)", "rr", "p@1"]),
        (" ndcg (gain={1:3, 2:9}) @ 5 , rr ", ["ndcg(gain={1:3, 2:9})@5", "rr"]),
    ],
)
def test_several_metrics_of_one_text(text, metrics):
    assert split_metrics(text) == metrics


@pytest.mark.parametrize("text", ["", " ", "map, ", ",map", "map,,P_5", ","])
def test_a_text_without_a_metric_somewhere(text):
    with pytest.raises(rm.UsageError, match="names no metric"):
        split_metrics(text)


@pytest.mark.parametrize("text", ["all_trec", "rr all_trec", "all_trec,rr", " official "])
def test_a_nickname_is_one_on_the_command_line(text):
    with pytest.raises(rm.UsageError, match=r"stands for many metrics on the command line \(-m (all_trec|official)\)"):
        rm.evaluate({"q": ["a"]}, {"q": ["a"]}, text)


@pytest.mark.parametrize("name", ["official", "set", "all_trec"])
def test_nicknames_are_those_of_trec_eval(name):
    assert set(known_nicknames()[name]) == pytrec_eval.supported_nicknames[name]
    found, lacking = expand_nicknames([name, "map"])
    assert set(lacking) <= {"runid", "relstring"}
    resolved = resolve_metrics(found, resolve_options({}, None))
    assert len(resolved) == len(found) == len(set(found))
    assert {name for name in known_nicknames()[name] if not any(text.startswith(name) for text in found)} == set(
        lacking
    )


@pytest.mark.parametrize(("named", "spelt"), [("rr", "recip_rank"), ("AP", "map"), ("P@10", "P_10"), ("no_such", None)])
def test_what_is_named_beside_a_nickname_is_there_once(named, spelt):
    for texts in ([named, "all_trec"], ["all_trec", named]):
        found, _ = expand_nicknames(texts)
        assert found.count(named) == 1
        assert spelt not in found
        if spelt is not None:
            resolve_metrics(found, resolve_options({}, None))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("rr ndcg@10", r"Several metrics are a list: \['rr', 'ndcg@10'\]\."),
        ("ap(rel=2, k=3),rr", r"a list: \['ap\(rel=2, k=3\)', 'rr'\]\."),
        ("ndcg 20", r"'ndcg\(gain=exp2\)@10'\.$"),
        ("all_trec", r"\(-m all_trec\)\. Elsewhere pass a list, such as \['ndcg@10', 'p@5'\]\."),
    ],
)
def test_several_metrics_in_one_string(text, hint):
    with pytest.raises(rm.UsageError, match=hint):
        resolve_metrics(text, resolve_options({}, None))


@pytest.mark.parametrize(
    "resolved",
    [
        lambda texts: resolve_metrics(texts, resolve_options({})),
        lambda texts: macros()["rm_resolved_metrics"](texts, macros()["rm_choices"]({}, None)),
    ],
)
def test_names_are_refused_together(resolved):
    """One message names every unknown and ambiguous metric, each with what to type at the cutoff that was asked for."""
    with pytest.raises(rm.UsageError) as error:
        resolved(["ndgc@20", "rr", "recall", "hits@7", "precison@5", "zzz"])
    said = str(error.value)
    asked = {
        "Did you mean 'ndcg@20'?": "ndcg@20",
        "recall needs a cutoff: recall@10. Without one write r.": "recall@10",
        "the first (num_rel_ret@7), or whether there is one (success@7); say which.": "success@7",
        "Did you mean 'precision@5'?": "precision@5",
    }
    for sentence in asked:
        assert sentence in said
    assert "'zzz'" in said
    assert "'rr'" not in said
    assert len(resolved([*asked.values(), "r"])) == len(asked) + 1


def test_a_conversion_rate_is_of_requests_or_of_clicks():
    """Shops divide by searches, and advertisers by clicks: 'cvr' would hide which."""
    with pytest.raises(rm.UsageError, match=r"\(conversion\), or .* \(conversion_per_click\); say which"):
        resolve_metrics(["CVR"], resolve_options({}))
    [metric] = resolve_metrics(["conversion_rate"], resolve_options({}))
    assert metric.name == "conversion"


@pytest.mark.parametrize("name", ["accuracy", "Accuracy", "accuracy@3", "accuracy_3", "acuracy@3"])
@pytest.mark.parametrize("profile", [None, *one_in(5, profiles())])
def test_accuracy_is_what_the_tool_means(name, profile):
    """Of pairs under the profile of ir_measures, the hit rate under that of Sentence Transformers; elsewhere both
    meanings are said, each of which works when typed.
    """
    run, qrels = {"q": ["a", "b", "c"], "r": ["c", "a"]}, {"q": {"b": 1, "c": 1}, "r": {"c": 1}}
    meant = {"ir_measures": "pair_accuracy", "sentence_transformers": "success"}.get(profile)
    if meant and name != "acuracy@3":
        ours = name.lower().replace("accuracy", meant)
        found, expected = (quietly(rm.evaluate, run, qrels, [one], profile=profile) for one in (name, ours))
        assert found[name] == expected[ours]
        return
    if meant:
        return
    with pytest.raises(rm.UsageError, match="accuracy") as raised:
        rm.evaluate(run, qrels, [name], profile=profile)
    advised = re.findall(r"\((\w+@\d+)", str(raised.value))
    assert [one.split("@")[0] for one in advised] == ["pair_accuracy", "success"]
    assert {one.split("@")[1] for one in advised} == {"3" if "3" in name else "10"}
    quietly(rm.evaluate, run, qrels, advised)
    with pytest.raises(rm.UsageError, match=r"pair_accuracy@.*success@"):
        macros()["rm_resolved_metrics"]([name], macros()["rm_choices"]({}, profile))


@pytest.mark.parametrize("seed", range(4))
def test_context_precision_is_that_of_ragas(seed):
    """The sum of the precisions at relevant ranks over the number of relevant items among the first k."""
    chance = random.Random(seed)
    run = {f"q{query}": [f"d{rank}" for rank in range(chance.randint(1, 8))] for query in range(20)}
    qrels = {query: {item: chance.randint(0, 1) for item in [*items, "missed"]} for query, items in run.items()}
    for k in (None, 1, 3, 5):
        metric = "context_precision" if k is None else f"context_precision@{k}"
        found = {row["query_id"]: row[metric] for row in quietly(rm.evaluate, run, qrels, metric).per_query.dicts()}
        for query, items in run.items():
            verdicts = [qrels[query][item] for item in items[:k]]
            precisions = [sum(verdicts[:rank]) / rank * verdict for rank, verdict in enumerate(verdicts, start=1)]
            assert found[query] == pytest.approx(sum(precisions) / max(sum(verdicts), 1))


def test_the_top_k_accuracy_is_the_hit_rate():
    run, qrels = {"q": ["a", "b", "c"], "r": ["c", "a"]}, {"q": {"b": 1}, "r": {"c": 1}}
    for k, expected in ((1, 1 / 2), (2, 1)):
        metric = f"top_k_accuracy@{k}"
        assert quietly(rm.evaluate, run, qrels, metric)[metric] == expected


def test_no_header_is_read_to_resolve():
    """The generated catalogue is enough for what is asked, and for what is refused."""
    program = """if True:
        import rankmetrics_sql as rm
        from rankmetrics_sql.definitions import catalogue, profiles
        run, qrels = {"q": ["a", "b"]}, {"q": {"b": 1}}
        assert rm.evaluate(run, qrels, ["ndcg@10", "map_cut_5"], profile="ranx", check="none")["ndcg@10"] > 0
        rm.sql("rr", {"a": "a", "b": "b"}, "qrels", level="compare", test="t")
        rm.curve(run, qrels, "p", at=[1, 2])
        try:
            rm.evaluate(run, qrels, "ndgc")
        except rm.UsageError as error:
            print(error)
        for read in (catalogue.metrics, catalogue.options, profiles.profiles):
            print(read.__name__, read.cache_info().currsize)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    said = ["Unknown metric 'ndgc'. Did you mean 'ndcg'?", "metrics 0", "options 0", "profiles 0"]
    assert done.stdout.splitlines() == said

"""ir_measures' own strings: every measure with random parameters, read by us and by ir_measures, has the same values.

Its own choice of a provider answers. Left out is what the profile's ``not_copied`` says of, and says why.
"""

from __future__ import annotations

import random
import shutil

import ir_measures
import pandas as pd
import pytest
from ir_measures import measures

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.resolution import resolve_metrics, resolve_options

from ..conftest import quietly
from ..everything import asked_for, seeds

ITEMS = [f"d{number:02}" for number in range(30)]
VALUES = {
    "cutoff": (1, 3, 5, 10, 100),
    "rel": (1, 2, 3),
    "judged_only": (True, False),
    "gains": ({1: 3, 2: 9}, {0: 0, 1: 2, 2: 3, 3: 11}),
    "dcg": ("log2", "exp-log2"),
    "beta": (0.25, 0.5, 0.75),  # of SetF 2 too; of NRBP it is below 1
    "alpha": (0.25, 0.5, 0.9),
    "p": (0.5, 0.8, 0.95),
    "T": (0.5, 1.0, 2.5),
    "recall": (0.0, 0.1, 0.35, 1.0),
    "min_rel": (0, 1),
    "max_rel": (3, 4),
    "normalize": (True, False),
    "relative": (True, False),
}
DIVERSE = {"ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "α_DCG", "α_nDCG", "NRBP", "nNRBP"}
DIVERSE |= {"AP_IA", "MAP_IA", "P_IA", "StRecall"}
LEFT_OUT = {"NumQ", "Accuracy"}  # one number of all queries, and a division by zero
# What parses there and then fails, or (NumRet's) is refused here: tests/metrics/metric_strings.toml has it.
FAILING = [("SDCG", "dcg", "exp-log2"), ("SetP", "relative", True), ("SetRelP", "relative", False)]
FAILING += [*(("NumRet", "rel", rel) for rel in (1, 2, 3))]
# pyndeval stops at 20, does not divide some of its values at 1 by the number of subtopics, and fails by judged_only.
FAILING += [(name, "cutoff", k) for name in DIVERSE for k in (1, 100)]
FAILING += [(name, "judged_only", value) for name in DIVERSE for value in (True, False)]


def written(rng, name):
    """A measure as a person could write it, and ir_measures' own reading of it."""
    kind = measures.registry[name]
    values = {
        param: rng.choice([value for value in VALUES[param] if (name, param, value) not in FAILING] or [None])
        for param, info in kind.SUPPORTED_PARAMS.items()
        if info.required or (name in DIVERSE and param == "cutoff") or rng.random() < 0.5
    }
    values = {param: value for param, value in values.items() if value is not None}
    behind = values.pop(kind.AT_PARAM, None) if rng.random() < 0.7 else None
    quote = rng.choice("'\"")
    pairs = [f"{param}={quote}{value}{quote}" if isinstance(value, str) else f"{param}={value!r}"
             for param, value in values.items()]  # fmt: skip
    space = rng.choice(("", " "))
    inner = f"({space}{f',{space}'.join(pairs)}{rng.choice(('', ','))}{space})" if pairs else ""
    return f"{name}{inner}" + (f"{space}@{space}{behind}" if behind is not None else "")


# A script in Perl answers it, which a machine that has nothing but Python lacks.
OF_GDEVAL = {"ERR"} if asked_for() or shutil.which("perl") else set()


def provider_of(measure):
    """Who answers in ir_measures; None where nobody does."""
    able = (each for each in ir_measures.DefaultPipeline.providers if each.is_available() and each.supports(measure))
    return next(able, None)


def strings(seed, *, diverse):
    """Four readings of each measure, those that some provider knows."""
    rng = random.Random(seed)
    names = sorted(name for name in measures.registry if (name in DIVERSE) == diverse and name not in LEFT_OUT)
    texts = dict.fromkeys(written(rng, name) for name in names for _ in range(4))
    return [text for text in texts if provider_of(ir_measures.parse_measure(text)) is not None]


def ours(run, qrels, texts, **keywords):
    """The values of each text by query, all in one statement; two texts that mean the same are one column of it."""
    choices = resolve_options({}, "ir_measures")
    columns = {text: resolve_metrics([text], choices)[0].column for text in texts}
    first = {column: text for text, column in reversed(columns.items())}
    rows = quietly(rm.evaluate, run, qrels, list(first.values()), profile="ir_measures", **keywords).per_query.dicts()
    return {text: {row["query_id"]: row[first[columns[text]]] for row in rows} for text in texts}


def lists(seed):
    """Scores without ties; queries are numbers and grades at most 4, as gdeval wants them; items that nobody judged."""
    rng = random.Random(seed)
    run, qrels = {}, {}
    for query in map(str, range(1, 9)):
        found = rng.sample(ITEMS, rng.randint(12, 25))
        run[query] = {item: float(len(found) - place) for place, item in enumerate(found)}
        judged = [found[0], *rng.sample(ITEMS, 14)]
        qrels[query] = {item: rng.choice((0, 0, 1, 2, 3, 4)) for item in judged} | {found[0]: 3, found[1]: 0}
    return run, qrels


def as_objects(found, number):
    """Numbers by query and item as a frame whose ids are objects: ranx 0.3.21 refuses the text columns of pandas 3."""
    rows = [(query, item, value) for query, items in found.items() for item, value in items.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", number]).astype({"query_id": object, "doc_id": object})


@pytest.mark.filterwarnings("ignore:.*unsafe cast")  # numba compiles ranx
@pytest.mark.parametrize("seed", seeds(2))
def test_random_strings_have_the_values_of_ir_measures(seed):
    run, qrels = lists(seed)
    texts = strings(seed, diverse=False)
    assert len(texts) > 90, "most of them are known to some provider"
    assert {text.split("(")[0].split("@")[0].strip() for text in texts} >= {"nDCG", "AP", "P", "RR"} | OF_GDEVAL
    found = ours(run, qrels, texts)
    for text in texts:
        measure = ir_measures.parse_measure(text)
        provider = provider_of(measure)
        inputs = [qrels, run]
        if provider.NAME == "ranx":
            inputs = [as_objects(qrels, "relevance"), as_objects(run, "score")]
        expected = {row.query_id: row.value for row in provider.iter_calc([measure], *inputs)}
        tolerance = 5.1e-6 if provider.NAME == "gdeval" else 1e-9  # five decimals are all that it prints
        assert len(expected) == len(qrels)
        assert found[text] == pytest.approx(expected, abs=tolerance), (text, provider.NAME)


@pytest.mark.parametrize("seed", seeds(2))
def test_random_strings_of_diversity_have_the_values_of_ir_measures(seed):
    rng = random.Random(seed)
    run, grades = lists(seed)
    rows = [
        (query, item, subtopic, grade if rng.random() < 0.6 else 0)
        for query, items in grades.items()
        for item, grade in items.items()
        for subtopic in "abc"
    ]
    rows += [(query, next(iter(items)), "a", 4) for query, items in grades.items()]
    rows = [(*key, grade) for key, grade in {row[:3]: row[3] for row in rows}.items()]
    judgments = pd.DataFrame(rows, columns=["query_id", "doc_id", "iteration", "relevance"])
    texts = strings(seed, diverse=True)
    assert len(texts) > 20
    found = ours(run, judgments, texts, columns={"qrels.item_id": "doc_id", "qrels.subtopic": "iteration"})
    for text in texts:
        measure = ir_measures.parse_measure(text)
        expected = {row.query_id: row.value for row in provider_of(measure).iter_calc([measure], judgments, run)}
        assert found[text] == pytest.approx(expected, abs=1e-9), text

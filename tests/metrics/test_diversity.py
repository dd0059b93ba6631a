"""The metrics of subtopics: against pyndeval and the twin; where subtopics come from; and what cannot be asked."""

from __future__ import annotations

import random

import duckdb
import pandas as pd
import pytest
import sqlglot
from sqlglot import exp

import rankmetrics_sql as rm

from ..conftest import ITEMS, per_query, quietly
from ..dialects.known import EXECUTED, RENDERED, WINDOWED_RECURSION, tree_of
from ..everything import mostly_long, seeds
from ..oracles.brute import diversity, ranked
from ..oracles.brute import per_query as ordinary

SEEDS = seeds(4, 1)
CUTOFFS = (1, 2, 5, 12, 20)
WITHOUT_CUTOFF = {"ap_ia": "MAP-IA", "nrbp": "NRBP", "nnrbp": "nNRBP"}
WITH_CUTOFF = {
    "alpha_dcg": "alpha-DCG",
    "alpha_ndcg": "alpha-nDCG",
    "err_ia": "ERR-IA",
    "nerr_ia": "nERR-IA",
    "p_ia": "P-IA",
    "st_recall": "strec",
}


def diverse_data(seed, *, ties=False):
    """Unjudged items, queries that one side lacks, subtopics and queries without relevant items, short lists."""
    rng = random.Random(seed)
    run, qrels = {}, {}
    for number in range(20):
        query = f"q{number}"
        subtopics = [str(subtopic) for subtopic in range(rng.choice([1, 3, 6]))]
        grades = [0] if number % 7 == 0 else [0, 0, 0, 1, 2]
        if rng.random() < 0.9:
            scores = rng.sample(range(1000), 60)
            items = rng.sample(ITEMS, rng.randint(1, 40))
            run[query] = {
                item: float(rng.randint(0, 5) if ties else score) for item, score in zip(items, scores, strict=False)
            }
        if rng.random() < 0.9:
            qrels[query] = {
                item: {
                    subtopic: 0 if subtopic == "2" else rng.choice(grades)
                    for subtopic in rng.sample(subtopics, rng.randint(1, len(subtopics)))
                }
                for item in rng.sample(ITEMS, rng.randint(1, 25))
            }
    return run, qrels


def calls(alpha=0.5, beta=0.5, rel=1):
    """Our metric strings, and the metric of each with its parameters."""
    found = {}
    for name in diversity.METRICS:
        own = {"alpha": alpha} if name not in ("ap_ia", "p_ia", "st_recall") else {}
        own |= {"beta": beta} if name in ("nrbp", "nnrbp") else {}
        text = f"{name}({','.join(f'{key}={value}' for key, value in {**own, 'rel': rel}.items())})"
        found[text] = (name, {**own, "rel": rel})
        if name in WITH_CUTOFF:
            found |= {f"{text}@{k}": (name, {**own, "rel": rel, "k": k}) for k in CUTOFFS}
    return found


def with_ndeval(run, qrels, alpha, beta, rel):
    """pyndeval's values by query and (name, k); it orders equal scores by id, ascending."""
    pyndeval = pytest.importorskip("pyndeval", reason="pip install -e '.[test]'")
    judgments = [
        (query, subtopic, item, grade)
        for query, items in qrels.items()
        for item, grades in items.items()
        for subtopic, grade in grades.items()
    ]
    measures = {("ap_ia", None): "MAP-IA", ("nrbp", None): "NRBP", ("nnrbp", None): "nNRBP"}
    measures |= {(name, k): f"{theirs}@{k}" for name, theirs in WITH_CUTOFF.items() for k in CUTOFFS}
    evaluator = pyndeval.RelevanceEvaluator(judgments, measures.values(), relevance_level=rel, alpha=alpha, beta=beta)
    results = [(query, item, score) for query, items in run.items() for item, score in items.items()]
    found = evaluator.evaluate(results)
    return {query: {key: values[name] for key, name in measures.items()} for query, values in found.items()}


def expected_of_ndeval(theirs, name, k, n_subtopics):
    """Its @1 is not divided by the number of subtopics; 0/0 is not a number where we say 0."""
    if not n_subtopics:
        return 0.0
    return theirs / n_subtopics if k == 1 and name in ("alpha_dcg", "err_ia") else theirs


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("alpha", "beta", "rel"), [(0.5, 0.5, 1), (0.25, 0.8, 1), (1, 0.5, 2), (0, 0.25, 1), (0.7, 0, 2)]
)
def test_ndeval(seed, alpha, beta, rel):
    run, qrels = diverse_data(seed)
    compare_with_ndeval(run, qrels, alpha, beta, rel)


@pytest.mark.parametrize("seed", SEEDS)
def test_ndeval_with_ties(seed):
    run, qrels = diverse_data(seed, ties=True)
    compare_with_ndeval(run, qrels, 0.5, 0.5, 1, ties="item_asc")


def compare_with_ndeval(run, qrels, alpha, beta, rel, **options):
    theirs = with_ndeval(run, qrels, alpha, beta, rel)
    asked = {
        text: call for text, call in calls(alpha, beta, rel).items() if "k" in call[1] or call[0] in WITHOUT_CUTOFF
    }
    ours = per_query(run, qrels, list(asked), queries="judged_retrieved", **options)
    assert ours.keys() == theirs.keys()
    for query, values in ours.items():
        n_subtopics = len(diversity.wanted(qrels[query], rel))
        expected = {
            text: expected_of_ndeval(theirs[query][name, params.get("k")], name, params.get("k"), n_subtopics)
            for text, (name, params) in asked.items()
        }
        assert values == pytest.approx(expected, abs=1e-9), query


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("alpha_dcg@5", "alpha_DCG@5"),
        ("alpha_ndcg(alpha=0.3)@10", "alpha_nDCG(alpha=0.3)@10"),
        ("err_ia@20", "ERR_IA@20"),
        ("nerr_ia(rel=2)@5", "nERR_IA(rel=2)@5"),
        ("ap_ia", "AP_IA"),
        ("p_ia@7", "P_IA@7"),
        ("st_recall(rel=2)@3", "StRecall(rel=2)@3"),
        ("nrbp(alpha=0.2,beta=0.7)", "NRBP(alpha=0.2,beta=0.7)"),
        ("nnrbp(beta=0.9)", "nNRBP(beta=0.9)"),
    ],
)
def test_ir_measures(ours, theirs):
    """By its own names, which are accepted too, over all judged queries."""
    pytest.importorskip("pyndeval", reason="pip install -e '.[test]'")
    import ir_measures

    run, qrels = diverse_data(3)
    qrels = {query: items for query, items in qrels.items() if diversity.wanted(items, 2)}
    judgments = pd.DataFrame(
        [(q, i, s, g) for q, items in qrels.items() for i, grades in items.items() for s, g in grades.items()],
        columns=["query_id", "doc_id", "iteration", "relevance"],
    )
    scores = pd.DataFrame(
        [(q, i, s) for q, items in run.items() for i, s in items.items()], columns=["query_id", "doc_id", "score"]
    )
    measure = ir_measures.parse_measure(theirs)
    expected = {found.query_id: found.value for found in ir_measures.iter_calc([measure], judgments, scores)}
    for text in (ours, theirs):
        columns = {"item_id": "doc_id", "subtopic": "iteration"}
        found = per_query(scores, judgments, [text], columns=columns)
        assert {query: values[text] for query, values in found.items()} == pytest.approx(expected, abs=1e-9)


CHOICES = [
    {},
    {"unjudged": "drop"},
    {"depth": 3},
    {"unjudged": "drop", "depth": 4},
    {"ties": "item_asc", "queries": "retrieved"},
    {"queries": "judged_relevant", "strategy": "count"},
]


@pytest.mark.parametrize("choices", CHOICES, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_brute_force_twin(seed, choices):
    rng = random.Random(seed)
    run, qrels = diverse_data(seed, ties=True)
    rel = rng.choice([1, 2])
    asked = calls(rng.choice([0, 0.3, 0.5, 1]), rng.choice([0, 0.4, 0.9]), rel)
    ours = per_query(run, qrels, list(asked), **choices)
    assert ours.keys() == universe(run, qrels, choices.get("queries", "judged"), rel)
    for query, values in ours.items():
        truth = qrels.get(query, {})
        ranking = ranked(run.get(query, {}), choices.get("ties", "item_desc"))[: choices.get("depth")]
        if choices.get("unjudged") == "drop":
            ranking = [item for item in ranking if item in truth]
        expected = {text: diversity.METRICS[name](ranking, truth, **params) for text, (name, params) in asked.items()}
        assert values == pytest.approx(expected, abs=1e-9), query


def universe(run, qrels, queries, rel):
    if queries == "judged_relevant":
        return {query for query, items in qrels.items() if diversity.wanted(items, rel)}
    return run.keys() if queries == "retrieved" else qrels.keys()


def best_grades(qrels):
    return {query: {item: max(grades.values()) for item, grades in items.items()} for query, items in qrels.items()}


@pytest.mark.parametrize("strategy", ["window", "count"])
def test_ordinary_metrics_read_an_items_highest_grade(strategy):
    """Beside metrics of subtopics, and on their own."""
    run, qrels = diverse_data(5)
    names = {"ndcg@5": ("ndcg", {"k": 5}), "ap(rel=2)": ("ap", {"rel": 2}), "judged@5": ("judged", {"k": 5})}
    for metrics in ([*names, "alpha_ndcg@5"], list(names)):
        found = per_query(run, qrels, metrics, strategy=strategy)
        for text, (name, params) in names.items():
            expected = ordinary(run, best_grades(qrels), name, params)
            assert {query: values[text] for query, values in found.items()} == pytest.approx(expected, abs=1e-12)


def test_several_runs_and_options_of_one_metric():
    run, qrels = diverse_data(6)
    other = {query: {item: -score for item, score in items.items()} for query, items in run.items()}
    asked = [
        "alpha_ndcg@3",
        "alpha_dcg",
        "alpha_ndcg(unjudged=drop)@5",
        "ap_ia(queries=judged_retrieved)",
        "nnrbp",
        "p@5",
    ]
    both = quietly(rm.evaluate, {"one": run, "two": other}, qrels, asked)
    for name, alone in {"one": run, "two": other}.items():
        expected = quietly(rm.evaluate, alone, qrels, asked).summary.dicts()
        found = [row for row in both.summary.dicts() if row["run_id"] == name]
        for one, wanted in zip(found, expected, strict=True):
            assert one["value"] == pytest.approx(wanted["value"], abs=1e-12), one["metric"]
            assert one["n_queries"] == wanted["n_queries"]


def test_comparison():
    run, qrels = diverse_data(6)
    other = {query: {item: -score for item, score in items.items()} for query, items in run.items()}
    [row] = quietly(rm.compare, run, {"other": other}, qrels, ["alpha_ndcg@5"]).summary.dicts()
    assert row["candidate"] == pytest.approx(quietly(rm.evaluate, other, qrels, ["alpha_ndcg@5"])["alpha_ndcg@5"])


def test_a_query_without_relevant_items_may_have_another_value():
    run = {"q": {"a": 1.0}, "z": {"a": 1.0}}
    qrels = {"q": {"a": {"1": 1, "2": 1}}, "z": {"a": {"1": 0}}}
    for name in diversity.METRICS:
        cutoff = "@1" if name in WITH_CUTOFF else ""
        text = f"{name}(no_relevant=null){cutoff}"
        assert per_query(run, qrels, [text])["z"][text] is None


# where subtopics come from

RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
QRELS = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 0}, "c": {"2": 1}}}
EXPECTED = diversity.alpha_ndcg(["a", "b", "c"], QRELS["q"], k=2)
ROWS = [("q", "1", "a", 1), ("q", "1", "b", 1), ("q", "2", "b", 0), ("q", "2", "c", 1)]


@pytest.fixture
def trec(tmp_path):
    (tmp_path / "x.run").write_text("q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 c 3 1 t\n")
    (tmp_path / "x.qrels").write_text("".join(" ".join(map(str, row)) + "\n" for row in ROWS))
    return tmp_path / "x.run", tmp_path / "x.qrels"


def test_the_second_field_of_trec_judgments(trec):
    assert quietly(rm.evaluate, *trec, ["alpha_ndcg@2"])["alpha_ndcg@2"] == pytest.approx(EXPECTED)
    columns = {"subtopic": "iteration"}
    assert quietly(rm.evaluate, *trec, ["alpha_ndcg@2"], columns=columns)["alpha_ndcg@2"] == pytest.approx(EXPECTED)
    assert quietly(rm.evaluate, *trec, ["p@3"], columns=columns)["p@3"] == pytest.approx(1)


def test_the_second_field_means_nothing_to_other_metrics(trec):
    with pytest.raises(rm.DataError, match=r"If items are judged by subtopic, name the column"):
        quietly(rm.evaluate, *trec, ["ndcg@2"])


def test_two_annotators_are_told_how_to_give_one_grade():
    run = pd.DataFrame({"query_id": ["q"], "item_id": ["a"], "score": [1.0]})
    labels = pd.DataFrame({"search": ["q"] * 2, "sku": ["a"] * 2, "stars": [1, 2]})
    columns = {"qrels.query_id": "search", "qrels.item_id": "sku", "qrels.relevance": "stars"}
    with pytest.raises(rm.DataError, match="If several people judged") as refusal:
        rm.evaluate(run, labels, ["rr"], columns=columns)
    select = str(refusal.value).partition(" To take it yourself: ")[2].removesuffix(".").replace("...", "labels")
    assert duckdb.sql(select).fetchall() == [("q", "a", 2)]


def test_a_column_of_a_table():
    frame = pd.DataFrame(ROWS, columns=["query_id", "iteration", "item_id", "relevance"])
    for columns in ({"subtopic": "iteration"}, {"qrels.subtopic": "iteration"}):
        found = quietly(rm.evaluate, RUN, frame, ["alpha_ndcg@2"], columns=columns)
        assert found["alpha_ndcg@2"] == pytest.approx(EXPECTED)
    renamed = frame.rename(columns={"iteration": "subtopic"})
    assert quietly(rm.evaluate, RUN, renamed, ["alpha_ndcg@2"])["alpha_ndcg@2"] == pytest.approx(EXPECTED)
    numbers = renamed.assign(subtopic=renamed.subtopic.astype(int))
    assert quietly(rm.evaluate, RUN, numbers, ["alpha_ndcg@2"])["alpha_ndcg@2"] == pytest.approx(EXPECTED)


def test_the_command_line(trec, cli):
    result = cli("evaluate", trec[0], "--qrels", trec[1], "-m", "alpha_nDCG@2")
    assert f"{EXPECTED:.4f}" in result.output


def test_a_query_or_an_item_that_is_judged_for_nothing():
    qrels = {**QRELS, "e": {}, "f": {"a": {}}}
    found = per_query(RUN, qrels, ["alpha_ndcg@2", "st_recall", "p@1"])
    assert found["q"]["alpha_ndcg@2"] == pytest.approx(EXPECTED)
    assert found["e"] == found["f"] == {"alpha_ndcg@2": 0, "st_recall": 0, "p@1": 0}


@pytest.mark.parametrize(
    ("run", "qrels", "metric", "options", "message"),
    [
        (RUN, {"q": {"a": 1}}, "alpha_ndcg@2", {}, r"Name the column: columns=\{'qrels.subtopic'"),
        (RUN, {"q": ["a"]}, "nrbp", {}, "needs the subtopic of each judgment"),
        (RUN, {"q": {"a": {"1": 1}, "b": 1}}, "nrbp", {}, "Pass the same kind for all"),
        (RUN, {"q": {"a": {"1": 1}}, "r": {"b": 1}}, "nrbp", {}, "Pass the same kind for all"),
        (RUN, {"q": {"a": {"1": 1}}, "r": ["b"]}, "p@1", {}, "Pass the same kind for all"),
        (RUN, {"q": {"a": {None: 1}}}, "p@1", {}, "an id of query 'q' must be text or a number"),
        (RUN, QRELS, "alpha_ndcg@2", {"unjudged": "relevant"}, "an unjudged item has no subtopic"),
        (RUN, QRELS, "alpha_ndcg@2", {"unjudged": "bounds"}, "an unjudged item has no subtopic"),
        (RUN, QRELS, "st_recall(ties=best)", {}, "ties=best needs one grade for each item"),
        (RUN, QRELS, "alpha_dcg", {"ties": "expected"}, "no expected value over ties"),
        (RUN, QRELS, "alpha_dcg(alpha=1.5)", {}, "alpha cannot be 1.5"),
        (RUN, QRELS, "alpha_dcg(alpha=-0.5)", {}, "alpha cannot be -0.5"),
        (RUN, QRELS, "nrbp(beta=1)", {}, "beta cannot be 1"),
        (RUN, QRELS, "alpha_dcg@100001", {}, "at most 100000"),
    ],
)
def test_what_cannot_be_asked(run, qrels, metric, options, message):
    with pytest.raises(rm.UsageError, match=message):
        quietly(rm.evaluate, run, qrels, [metric], **options)


def test_labelled_tables_have_no_subtopics():
    with pytest.raises(rm.UsageError, match="needs subtopics, and a labelled table has none"):
        quietly(rm.labelled, [[1, 0]], ["alpha_ndcg@2"])
    table = pd.DataFrame([("q", "a", 1.0, 1)], columns=["query_id", "item_id", "score", "relevance"])
    with pytest.raises(rm.UsageError, match="Pass judgments by subtopic beside a run"):
        quietly(rm.labelled, table, ["p@1"], qrels=QRELS)


@pytest.mark.parametrize("check", ["full", "judged"])
@pytest.mark.parametrize("metric", ["p@1", "st_recall@1"])
def test_a_judgment_stands_once_for_a_subtopic(check, metric):
    rows = [*ROWS, ROWS[0]]
    frame = pd.DataFrame(rows, columns=["query_id", "subtopic", "item_id", "relevance"])
    with pytest.raises(
        rm.DataError, match=r"duplicate item in a query \(query, item, subtopic, rows\): \('q', 'a', '1', 2\)"
    ):
        quietly(rm.evaluate, RUN, frame, ["st_recall@1"], check=check)
    with pytest.raises(rm.DataError, match="duplicate item in a query"):
        quietly(rm.evaluate, RUN, frame, ["st_recall@1", "p@1"], check=check)


def test_a_judgment_without_a_subtopic_is_refused():
    frame = pd.DataFrame([*ROWS, ("q", None, "a", 1)], columns=["query_id", "subtopic", "item_id", "relevance"])
    with pytest.raises(rm.DataError, match="1 missing id"):
        quietly(rm.evaluate, RUN, frame, ["st_recall@1"])


def test_one_subtopic_only_is_suspicious():
    with pytest.warns(rm.RankmetricsWarning, match="no query has more than one subtopic"):
        rm.evaluate(RUN, {"q": {"a": {"0": 1}, "b": {"0": 0}}}, ["alpha_ndcg@2"])


# the text

METRICS = [f"{name}@5" if name in WITH_CUTOFF else name for name in diversity.METRICS if name != "nnrbp"]


@pytest.fixture
def warehouse():
    run, qrels = diverse_data(2)
    with duckdb.connect() as connection:
        runs = pd.DataFrame([(q, i, s) for q, items in run.items() for i, s in items.items()])
        labels = pd.DataFrame(
            [(q, i, s, g) for q, items in qrels.items() for i, grades in items.items() for s, g in grades.items()]
        )
        connection.register("frame", runs)
        connection.execute("CREATE TABLE runs AS SELECT * FROM frame AS f(query_id, item_id, score)")
        connection.register("frame", labels)
        connection.execute("CREATE TABLE labels AS SELECT * FROM frame AS f(query_id, item_id, subtopic, relevance)")
        yield connection


@pytest.mark.parametrize("dialect", mostly_long([*EXECUTED, *RENDERED], "postgres"))
def test_every_dialect_parses(dialect):
    text = rm.sql([*METRICS, "ndcg@5"], "runs", "labels", dialect=dialect)
    tree = tree_of(text, dialect)
    assert any(found.args.get("recursive") for found in tree.find_all(exp.With)) == (dialect in WINDOWED_RECURSION)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "snowflake", "clickhouse"])
def test_a_stage_for_every_turn_gives_the_same_numbers(warehouse, dialect):
    """The text for other dialects, brought back to DuckDB's."""
    theirs = rm.sql(METRICS, "runs", "labels", dialect=dialect, level="per_query")
    text = theirs if dialect == "duckdb" else sqlglot.transpile(theirs, read=dialect, write="duckdb")[0]
    result = quietly(rm.evaluate, "runs", "labels", METRICS, connection=warehouse)
    found = [[value or 0 for value in row] for row in warehouse.execute(text).fetchall()]
    for one, wanted in zip(found, result.per_query.fetchall(), strict=True):
        assert one[: len(METRICS) + 1] == pytest.approx(list(wanted)[: len(METRICS) + 1], abs=1e-12)


@pytest.mark.parametrize("dialect", sorted({*EXECUTED, *RENDERED} - {*WINDOWED_RECURSION}))
@pytest.mark.parametrize("metric", ["nnrbp", "alpha_ndcg", "nerr_ia@21"])
def test_an_ideal_of_any_length_needs_recursion(dialect, metric):
    with pytest.raises(rm.UsageError, match="cutoff of at most 20"):
        rm.sql([metric], "runs", "labels", dialect=dialect)

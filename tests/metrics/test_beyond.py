"""The metrics of the items shown: against their twins, over groups and universes, and what is refused."""

from __future__ import annotations

import csv
import random

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from dev import tools
from rankmetrics_sql import templates
from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.templates import macros

from ..conftest import ITEMS, quietly
from ..everything import mostly_long, seeds
from ..oracles.brute import beyond, ranked, universe

UNIVERSES = ("judged", "judged_retrieved", "retrieved", "judged_relevant")
CATALOGUE = (*ITEMS[5:], "never shown")
PARAMETERS = {
    "self_information": [{}, {"cold": 0.01}],
    "intra_list_diversity": [{}, {"distance": "hamming"}],
}
CUTOFFS = (None, 1, 3, 100)
MARKETS = ("de", "fr", None)


def drawn(seed, ties=False):
    """Runs, judgments, and a catalogue that lacks items and has some without popularity or categories."""
    rng = random.Random(seed)
    run, qrels = {}, {}
    for number in range(15):
        lengths = rng.choice((1, 2, 8, 30))
        scores = [float(rng.randint(0, 4)) if ties else score for score in rng.sample(range(1000), lengths)]
        if rng.random() < 0.8:
            run[f"q{number}"] = dict(zip(rng.sample(ITEMS, lengths), map(float, scores), strict=True))
        if rng.random() < 0.8:
            qrels[f"q{number}"] = {item: rng.choice((0, 1, 2)) for item in rng.sample(ITEMS, 5)}
    items = {
        item: {
            "popularity": rng.choice((None, 0.0, 0.1, 0.25, 1.0)),
            "categories": set(rng.sample(("x", "X", "y", "z"), rng.randint(0, 3))),
        }
        for item in CATALOGUE
    }
    return run, qrels, items


def frame(items):
    rows = [
        (item, known["popularity"], category)
        for item, known in items.items()
        for category in known["categories"] or [None]
    ]
    return pd.DataFrame(rows, columns=["item_id", "popularity", "category"])


def calls():
    """Our metric strings, the twin of each and its parameters."""
    found = {}
    for name, twin in {**beyond.OF_A_LIST, **beyond.OF_LISTS}.items():
        for own in PARAMETERS.get(name, [{}]):
            given = f"({','.join(f'{key}={value}' for key, value in own.items())})" if own else ""
            for k in CUTOFFS:
                if k is not None or name != "personalisation":
                    found[f"{name}{given}" + (f"@{k}" if k else "")] = (twin, {**own, "k": k})
    return found


CALLS = calls()


def shown(run, queries, ties="item_desc"):
    return {query: ranked(run.get(query, {}), ties) for query in queries}


def check(result, lists, items, groups=None):
    """A result against the twins, of each query and of each group."""
    per_query = {row["query_id"]: row for row in result.per_query.dicts()}
    assert per_query.keys() == lists.keys()
    summary = {(row.get("market"), row["metric"]): row["value"] for row in result.summary.dicts()}
    for text, (twin, params) in CALLS.items():
        values = {}
        for query, found in lists.items():
            values[query] = twin(found, items, **params) if twin.__name__ in beyond.OF_A_LIST else None
            assert per_query[query][text] == pytest.approx(values[query], abs=1e-12), (text, query)
        for market in set((groups or dict.fromkeys(lists)).values()):
            own = [query for query in lists if groups is None or groups[query] == market]
            known = [values[query] for query in own if values[query] is not None]
            expected = sum(known) / len(known) if known else None
            if twin.__name__ in beyond.OF_LISTS:
                expected = twin([lists[query] for query in own], items, **params)
            assert summary[market, text] == pytest.approx(expected, abs=1e-12), (text, market)


def test_every_metric_has_a_twin():
    assert {name for name, metric in metrics().items() if not metric.reads_judgments} == {
        *beyond.OF_A_LIST,
        *beyond.OF_LISTS,
    }
    assert {name for name, metric in metrics().items() if metric.of_lists} == {*beyond.OF_LISTS}


@pytest.mark.of_metrics
@pytest.mark.parametrize("ties", mostly_long(["item_desc", "item_asc"], "item_asc"))
@pytest.mark.parametrize("seed", seeds(3, 1))
def test_without_judgments_every_list_counts(seed, ties):
    run, _, items = drawn(seed, ties=True)
    result = quietly(rm.evaluate, run, None, list(CALLS), items=frame(items), ties=ties)
    check(result, shown(run, run, ties), items)


@pytest.mark.parametrize("queries", mostly_long(UNIVERSES, "judged"))
@pytest.mark.parametrize("seed", seeds(2, 1))
def test_the_universe_decides_which_lists_count(seed, queries):
    run, qrels, items = drawn(10 + seed)
    result = quietly(rm.evaluate, run, qrels, [*CALLS, "p@3"], items=frame(items), queries=queries)
    check(result, shown(run, universe(run, qrels, queries)), items)


@pytest.mark.parametrize("depth", mostly_long([1, 4], 4))
def test_the_depth_ends_lists(depth):
    run, qrels, items = drawn(20)
    result = quietly(rm.evaluate, run, qrels, list(CALLS), items=frame(items), depth=depth)
    check(result, {query: found[:depth] for query, found in shown(run, qrels).items()}, items)


def test_unjudged_items_may_be_dropped_out_of_lists():
    run, qrels, items = drawn(21)
    result = quietly(rm.evaluate, run, qrels, list(CALLS), items=frame(items), unjudged="drop")
    lists = {query: [item for item in found if item in qrels[query]] for query, found in shown(run, qrels).items()}
    check(result, lists, items)


@pytest.mark.parametrize("seed", seeds(2, 1))
def test_groups(seed):
    """NULL is a group; all lists together are those of the group."""
    run, _, items = drawn(30 + seed)
    groups = {query: MARKETS[number % 3] for number, query in enumerate(run)}
    rows = [(query, item, score, groups[query]) for query, found in run.items() for item, score in found.items()]
    table = pd.DataFrame(rows, columns=["query_id", "item_id", "score", "market"])
    result = quietly(rm.evaluate, table, None, list(CALLS), items=frame(items), by="market")
    check(result, shown(run, run), items, groups)


def test_a_total_is_of_the_lists_of_all_groups():
    """It is no mean of those of the groups, and is the same as without them; small groups are left out."""
    run, qrels, items = drawn(40)
    judged = pd.DataFrame(
        [(query, item, grade, query > "q3") for query, found in qrels.items() for item, grade in found.items()],
        columns=["query_id", "item_id", "relevance", "late"],
    )
    names, given = list(CALLS), {"items": frame(items)}
    several = {"new": run, "old": {query: run[query] for query in list(run)[::2]}}
    whole = quietly(rm.evaluate, several, judged, names, **given)
    parts = quietly(rm.evaluate, several, judged, names, **given, by="late", rollup=True)
    named = ("run_id", "metric", "n_queries")
    totals = [row for row in parts.summary.dicts() if row["breakdown"] == "total"]
    for one, other in zip(whole.summary.dicts(), totals, strict=True):
        assert [one[name] for name in named] == [other[name] for name in named]
        assert one["value"] == pytest.approx(other["value"], abs=1e-12)
    large = quietly(rm.evaluate, several, judged, names, **given, by="late", rollup=True, min_queries=6)
    enough = [row for row in parts.summary.dicts() if row["n_queries"] >= 6 or row["breakdown"] == "total"]
    assert [list(row.values())[:4] for row in large.summary.dicts()] == [list(row.values())[:4] for row in enough]
    assert len(enough) < len(parts.summary.dicts())
    assert any(row["breakdown"] == "late" for row in enough)


TOOLS = {
    "rectools": {
        "AvgRecPopularity@{k}": "average_popularity@{k}",
        "CatalogCoverage(normalize=True)@{k}": "catalogue_coverage@{k}",
        "IntraListDiversity@{k}": "intra_list_diversity(distance=hamming)@{k}",
        "Serendipity@{k}": "serendipity@{k}",
    },
    "recommenders": {"distributional_coverage@{k}": "exposure_entropy@{k}"},
    "replay": {"Novelty@{k}": "unseen_share@{k}"},
    "evidently": {"PersonalizationMetric@{k}": "personalisation@{k}"},
}


def had(qrels, n_users=1):
    """A catalogue of what users had: they are the categories of an item, and their number, or share, its popularity."""
    users = {}
    for user, items in qrels.items():
        for item in items:
            users.setdefault(item, []).append(user)
    rows = [(item, len(own) / n_users, user) for item, own in users.items() for user in own]
    return rows + [(item, None, None) for item in ITEMS if item not in users]


def judged_before():
    """Lists of 12 items for users who all had something; RecTools knows no empty lists."""
    rng = random.Random(70)
    run = {f"u{user}": dict(zip(rng.sample(ITEMS, 12), range(12, 0, -1), strict=True)) for user in range(30)}
    return run, {user: dict.fromkeys(rng.sample(ITEMS[:8], rng.randint(1, 4)), 1) for user in run}


@pytest.mark.long
@pytest.mark.parametrize("tool", TOOLS)
def test_against_other_tools(tool):
    run, qrels = judged_before()
    names = {theirs.format(k=k): ours.format(k=k) for theirs, ours in TOOLS[tool].items() for k in (2, 5, 12)}
    [theirs] = tools.ask(tool, [(run, qrels)], names)
    items = pd.DataFrame(had(qrels), columns=["item_id", "popularity", "category"])
    items = items[items["item_id"].isin({item for found in (*run.values(), *qrels.values()) for item in found})]
    result = quietly(rm.evaluate, run, qrels, list(names.values()), items=items)
    for name, ours in names.items():
        assert result[ours] == pytest.approx(theirs[name]["mean"], abs=1e-9), name
        per_query = {row["query_id"]: row[ours] for row in result.per_query.dicts()}
        for query, value in theirs[name].get("per_query", {}).items():
            assert per_query[query] == pytest.approx(value, abs=1e-9), (name, query)


@pytest.mark.long
@pytest.mark.parametrize("k", [1, 3])
def test_the_coverage_of_replay(k):
    """Its catalogue are the items that somebody had; others that are shown count for nothing."""
    run, qrels = judged_before()
    [theirs] = tools.ask("replay", [(run, qrels)], [f"Coverage@{k}"])
    items = sorted({item for found in qrels.values() for item in found})
    found = quietly(rm.evaluate, run, None, f"catalogue_coverage@{k}", items=items)
    assert found[f"catalogue_coverage@{k}"] == pytest.approx(theirs[f"Coverage@{k}"]["mean"], abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("k", [2, 12])
def test_the_inverse_user_frequency_of_rectools(k):
    """An item that nobody had counts there as had by one user."""
    run, qrels = judged_before()
    [theirs] = tools.ask("rectools", [(run, qrels)], [f"MeanInvUserFreq@{k}"])
    items = pd.DataFrame(had(qrels, len(qrels)), columns=["item_id", "popularity", "category"])
    metric = f"self_information(cold={1 / len(qrels)!r})@{k}"
    assert quietly(rm.evaluate, run, qrels, metric, items=items)[metric] == pytest.approx(
        theirs[f"MeanInvUserFreq@{k}"]["mean"], abs=1e-9
    )


@pytest.mark.parametrize("seed", seeds(6, 2))
def test_serendipity(seed):
    run, qrels, items = drawn(80 + seed, ties=seed % 2 == 1)
    names = {f"serendipity(rel={rel})" + (f"@{k}" if k else ""): (k, rel) for k in CUTOFFS for rel in (1, 2)}
    found = quietly(rm.evaluate, run, qrels, list(names), items=frame(items)).per_query.dicts()
    assert {row["query_id"] for row in found} == {*qrels}
    for row in found:
        query = row["query_id"]
        for name, (k, rel) in names.items():
            expected = beyond.serendipity(ranked(run.get(query, {})), items, qrels[query], k, rel)
            assert row[name] == pytest.approx(expected, abs=1e-12), (query, name)


def test_positions_that_are_given():
    """A list may begin below rank 1: an item at rank 3 is shown within 3, not within 2."""
    table = pd.DataFrame({"query_id": ["q", "q", "r"], "item_id": ["a", "b", "a"], "position": [3, 4, 1]})
    names = ["user_coverage@2", "catalogue_coverage@3", "personalisation@3", "personalisation@2"]
    result = quietly(rm.evaluate, table, None, names, items=["a", "b"], position="given")
    assert [row[1] for row in result.summary.fetchall()] == [0.5, 0.5, pytest.approx(1 - 1 / 3), None]


def test_a_comparison_of_values_of_lists():
    run, qrels, items = drawn(50)
    other = {query: dict(list(found.items())[::2]) for query, found in run.items()}
    names = ["average_popularity@3", "ild@10"]
    compared = quietly(rm.compare, run, {"other": other}, qrels, names, items=frame(items), queries="judged_retrieved")
    alone = quietly(rm.evaluate, other, qrels, names, items=frame(items), queries="judged_retrieved")
    assert [row["candidate"] for row in compared.summary.dicts()] == pytest.approx([alone[name] for name in names])


FILMS = pd.DataFrame({"item_id": ["a", "b", "c"], "category": ["x", "y", "x"], "popularity": [1.0, 2.0, 4.0]})
FIRST = {"p": ["a", "b"], "q": ["a", "c"], "r": ["b"]}
SECOND = {"p": ["a", "c"], "q": ["c", "b"], "s": ["c"]}


def test_runs_are_compared_without_judgments():
    """Queries that only one run has are left out, as where all are judged_retrieved."""
    names = ["average_popularity@2", "ild@2"]
    for both in (
        quietly(rm.compare, FIRST, {"new": SECOND}, None, names, items=FILMS),
        quietly(rm.compare_all, {"old": FIRST, "new": SECOND}, None, names, items=FILMS),
    ):
        found = [(row["baseline"], row["candidate"], row["n_queries"]) for row in both.summary.dicts()]
        assert found == [(2.0, 2.75, 2), (0.5, 0.5, 2)]
    old, new = (
        pd.DataFrame({"query_id": "p", "item_id": run["p"], "score": [2, 1], "part": "all"}) for run in (FIRST, SECOND)
    )
    parts = quietly(rm.decompose, old, {"new": new}, None, "ild@2", items=FILMS, by="part").summary.dicts()
    assert [(row["baseline"], row["candidate"]) for row in parts] == [(1, 0)]


def test_without_judgments_no_query_is_chosen_by_them():
    with pytest.raises(rm.UsageError, match=r"queries=judged .* none are given. Pass qrels, or queries=retrieved\."):
        quietly(rm.compare, FIRST, {"new": SECOND}, None, "ild@2", items=FILMS, queries="judged")
    said = quietly(rm.compare, FIRST, {"new": SECOND}, None, "ild@2", items=FILMS, queries="retrieved")
    assert said.summary.dicts()[0]["n_queries"] == 2


@pytest.mark.parametrize(
    ("items", "name"),
    [
        (["a", "b"], "catalogue_coverage@1"),
        (("a", "b"), "catalogue_coverage@1"),
        ({"a": 0.5, "b": 1}, "average_popularity@1"),
        ({"a": ["x", "y"], "b": {"x"}, "c": []}, "distinct_categories@1"),
        (pd.DataFrame({"film": ["a", "b"], "share": [0.5, 1.0]}), "average_popularity@1"),
    ],
)
def test_what_a_catalogue_may_be(items, name):
    expected = {"catalogue_coverage@1": 0.5, "average_popularity@1": 0.5, "distinct_categories@1": 2}
    columns = {"items.item_id": "film", "popularity": "share"} if isinstance(items, pd.DataFrame) else None
    assert rm.evaluate({"q": ["a", "b"]}, None, [name], items=items, columns=columns)[name] == expected[name]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"metrics": "ndcg", "items": ["a"]}, "No qrels given"),
        ({"metrics": "coverage@10"}, r"coverage is .*\(catalogue_coverage@10\), .*\(judged@10\)"),
        ({"metrics": "novelty@10"}, r"self_information@10"),
        ({"metrics": "diversity@10"}, r"intra_list_diversity@10"),
        (
            {"metrics": "catalogue_coverage@10"},
            "catalogue_coverage needs the catalogue of items. To pass it, give items=...",
        ),
        ({"metrics": "gini(aggregate=median)", "items": ["a"]}, "one value of all queries together, .* no median"),
        ({"metrics": "gini@2", "items": ["a"], "partitions": 2}, "cannot be computed from values per query"),
        ({"metrics": "ild@2", "items": ["a"]}, "needs the categories of items. Name the column .*'items.category'"),
        (
            {"metrics": "average_popularity@2", "items": ["a"]},
            "the popularity of items. Name the column .*'items.popularity'",
        ),
        ({"metrics": "self_information@2", "items": {"a": 12}}, r"a share of the users, 0 to 1: \('a', 12\)"),
        ({"metrics": "average_popularity@2", "items": {"a": -1}}, r"at least 0: \('a', -1\)"),
        ({"metrics": "average_popularity@2", "items": {"a": "much"}}, "popularity .* not a number"),
        ({"metrics": "gini@2", "items": [1, 2]}, "item_id is VARCHAR in run and INTEGER in catalogue of items"),
        ({"metrics": "gini@2", "items": []}, "catalogue of items: there are no rows"),
        ({"metrics": "gini@2", "items": pd.DataFrame({"item_id": ["a", None]})}, "1 row without an item"),
        (
            {"metrics": "average_popularity", "items": pd.DataFrame({"item_id": ["a", "a"], "popularity": [1.0, 2.0]})},
            r"two popularities \(item, lowest, highest\): \('a', 1.0, 2.0\)",
        ),
        (
            {"metrics": "ild@2", "items": {"a": {"genre": "x"}}},
            r"item 'a' must have popularity or category, not {'genre'",
        ),
        (
            {"metrics": "ild@2", "items": {"a": {"category": "x"}, "b": 1}},
            "item 'b' must have popularity or category, n",
        ),
        ({"metrics": "ild@2", "items": {"a": ["x"], "b": "y"}}, "item 'b' must have a list of categories, not 'y'"),
    ],
)
def test_what_cannot_be_asked(call, message):
    with pytest.raises(rm.RankmetricsError, match=message):
        quietly(rm.evaluate, {"q": ["a"]}, None, **call)


def test_what_has_no_value_of_all_lists():
    runs, known = ({"q": ["a"]}, {"other": {"q": ["a"]}}), {"items": ["a"]}
    with pytest.raises(rm.UsageError, match=r"no values to compare\. Evaluate the runs to get the value of each"):
        rm.compare(*runs, {"q": ["a"]}, ["catalogue_coverage@2"], **known)
    with pytest.raises(rm.UsageError, match="Evaluate it at several cutoffs: exposure_gini@5"):
        rm.curve(runs[0], {"q": ["a"]}, "exposure_gini")
    with pytest.raises(rm.UsageError, match="cannot be added up over groups"):
        rm.sql("exposure_gini@2", "runs", items="films", level="sums")
    for given in ({"level": "values"}, {"values": "stored"}):
        with pytest.raises(rm.UsageError, match="cannot be computed from values per query"):
            rm.sql("exposure_gini@2", "runs", items="films", **given)
    with pytest.raises(rm.UsageError, match="a function has only a run and judgments"):
        rm.install("average_popularity@2", dialect="duckdb")


def test_ids_that_never_match_are_mentioned():
    with pytest.warns(rm.RankmetricsWarning, match="No retrieved item is in the catalogue. Items of run: 'a'"):
        assert rm.evaluate({"q": ["a"]}, None, "catalogue_coverage@1", items=["A"])["catalogue_coverage@1"] == 0


@pytest.mark.long
def test_the_printed_statement_over_tables_gives_the_same():
    run, _, items = drawn(60)
    con = duckdb.connect()
    rows = [(query, item, score) for query, found in run.items() for item, score in found.items()]
    con.register("lists", pd.DataFrame(rows, columns=["user_id", "item_id", "score"]))
    con.register("films", frame(items))
    text = rm.sql(list(CALLS), "lists", items="films", columns={"query_id": "user_id"})
    result = quietly(rm.evaluate, run, None, list(CALLS), items=frame(items))
    for there, here in zip(con.execute(text).fetchall(), result.summary.fetchall(), strict=True):
        assert there == (here[0], pytest.approx(here[1], abs=1e-12), here[2])


def test_on_the_command_line(tmp_path, cli):
    (tmp_path / "run.csv").write_text("query_id,item_id,score\nq,a,2\nq,b,1\nr,a,1\n")
    (tmp_path / "films.csv").write_text("item_id,popularity\na,0.5\nb,0.25\nc,0.25\nd,\n")
    run, films = str(tmp_path / "run.csv"), str(tmp_path / "films.csv")
    asked = ["-m", "catalogue_coverage@2", "-m", "average_popularity@2", "--format", "csv"]
    lines = cli("evaluate", run, "--items", films, *asked).stdout.splitlines()
    assert lines[1:] == ["run,catalogue_coverage@2,0.5,2,0", "run,average_popularity@2,0.4375,2,0"]
    assert "--qrels is missing" in cli("evaluate", run, "--items", films, "-m", "p@2").stderr
    (tmp_path / "new.csv").write_text("query_id,item_id,score\nq,c,2\nq,b,1\nr,a,1\n")
    new = f"new={tmp_path / 'new.csv'}"
    asked = ["--items", films, "-m", "average_popularity@2", "--format", "csv"]
    [first] = csv.DictReader(cli("compare", run, new, *asked).stdout.splitlines())
    assert (first["baseline"], first["candidate"], first["n_queries"]) == ("0.4375", "0.375", "2")
    [part] = csv.DictReader(cli("decompose", run, new, *asked, "--by", "run.query_id").stdout.splitlines()[:2])
    assert (part["baseline"], part["candidate"]) == ("0.375", "0.25")
    assert "--qrels is missing" in cli("compare", run, new, "--items", films, "-m", "p@2").stderr


@pytest.mark.parametrize("seed", range(4))
def test_whoever_is_shown_nothing_counts(seed):
    """Without judgments only the lists themselves say who has an empty one, or a list of queries does."""
    rng = random.Random(seed)
    shown = {f"u{number}": rng.sample("abc", rng.choice([0, 0, 1, 2])) for number in range(20)}
    items = {"a": 0.5, "b": 0.25, "c": 0.125}
    covered = sum(map(bool, shown.values())) / len(shown)
    popular = [sum(map(items.get, found)) / len(found) for found in shown.values() if found]
    expected = [
        ("user_coverage", covered, len(shown), 0),
        ("average_popularity", sum(popular) / len(popular), len(popular), len(shown) - len(popular)),
    ]
    table = pd.DataFrame(list(shown.items()), columns=["query_id", "items"])
    rows = pd.DataFrame([(user, item, -place) for user, found in shown.items() for place, item in enumerate(found)])
    rows.columns = ["query_id", "item_id", "score"]
    place = duckdb.connect()
    place.execute("CREATE TABLE lists (query_id TEXT, items TEXT[])")
    place.executemany("INSERT INTO lists VALUES (?, ?)", list(shown.items()))
    place.execute("CREATE TABLE items AS FROM (VALUES ('a', 0.5), ('b', 0.25), ('c', 0.125)) t (item_id, popularity)")
    names = [metric for metric, *_ in expected]
    scored = {tuple(names): expected, ("user_coverage",): [(*expected[0][:3],)]}
    for asked, wanted in scored.items():
        for run, given in (
            (shown, {}),
            (rm.lists(table), {}),
            (rm.lists("lists"), {"connection": place}),
            (rows, {"query_list": list(shown)}),
        ):
            found = quietly(rm.evaluate, run, None, list(asked), items=items, **given).summary.fetchall()
            assert found == [(row[0], pytest.approx(row[1]), *row[2:]) for row in wanted]
    text = rm.sql(names, rm.lists("lists"), items="items", connection=place)
    assert place.execute(text).fetchall() == [(row[0], pytest.approx(row[1]), *row[2:]) for row in expected]
    known = macros("duckdb")
    written = known["from_lists"](relation="lists", columns={"items": "items", "query": "query_id"}, empty_lists=True)
    columns = {"position": "position", "relevance": None}
    built = known["summary"](
        relation=f"({written}) AS l", metrics=names, items="items", columns=columns, empty_lists=True,
        options={"position": "given", "queries": "retrieved"},
    )  # fmt: skip
    assert sorted(place.execute(built).fetchall(), reverse=True) == [
        (row[0], pytest.approx(row[1]), *row[2:]) for row in expected
    ]
    both = quietly(rm.evaluate, {"one": shown, "two": {"u0": ["a"]}}, None, "user_coverage").summary.fetchall()
    assert both == [("one", "user_coverage", pytest.approx(covered), len(shown)), ("two", "user_coverage", 1, 1)]


@pytest.mark.parametrize("seed", seeds(6))
def test_facts_of_items_by_name(seed):
    """A mapping of facts is the frame with a row for each item and category."""
    chance = random.Random(seed)
    items = [f"i{number}" for number in range(8)]
    named, rows = {}, []
    for item in items:
        known = {"popularity": chance.random()} if chance.random() < 0.9 else {}
        categories = chance.sample("xyz", chance.randint(0, 2))
        as_text = len(categories) == 1 and chance.random() < 0.5
        if categories or chance.random() < 0.5:
            known["category"] = categories[0] if as_text else chance.choice([list, tuple])(categories)
        named[item] = known
        rows += [(item, known.get("popularity"), category) for category in categories or [None]]
    frame = pd.DataFrame(rows, columns=["item_id", "popularity", "category"])
    run = {f"q{number}": chance.sample(items, 5) for number in range(6)}
    metrics = ["average_popularity@5", "ild@5", "gini@5"]
    found = [quietly(rm.evaluate, run, None, metrics, items=catalogue).summary.dicts() for catalogue in (named, frame)]
    assert found[0] == found[1]


HISTORIES = {
    "no grade": "NULL::INT AS bought_on",
    "another number": "i AS rating",
    "a grade": "i % 3 AS relevance",
    "no value": "NULL AS relevance",
    "a word": "'bought' AS relevance",
}


@pytest.mark.parametrize("history", HISTORIES)
def test_a_history_needs_no_grade(history, recwarn):
    """Neither in Python nor in a printed statement, which has no columns to look at, nor in dbt."""
    con = duckdb.connect()
    con.execute("CREATE TABLE recs AS SELECT q, 'i' || i AS item_id, 9 - i AS score FROM range(5) t(q), range(9) u(i)")
    rows = "range(5) t(q), range(0, 9, 2) u(i)"
    con.execute(f"CREATE TABLE had AS SELECT q, 'i' || i AS item_id, {HISTORIES[history]} FROM {rows}")
    columns, wanted = {"query_id": "q"}, [("unseen@2", 1 / 2, 5), ("unseen_share@5", 2 / 5, 5)]
    names = [name for name, *_ in wanted]
    found = rm.evaluate("recs", "had", names, columns=columns, connection=con)
    assert [(row["metric"], row["value"], row["n_queries"]) for row in found.summary.dicts()] == wanted
    assert [str(one.message) for one in recwarn] == []
    printed = rm.sql(names, "recs", "had", columns=columns)
    dbt = macros()["summary"]("recs", names, qrels="had", columns={"query": "q"})
    for text in (printed, dbt):
        assert sorted(row[:3] for row in con.execute(text).fetchall()) == sorted(wanted)
    both = macros()["summary"]("recs", [*names, "p@2"], qrels="had", columns={"query": "q"})
    assert "s.relevance" in both
    assert "s.relevance" not in dbt
    named = macros()["summary"]("recs", names, qrels="had", columns={"query": "q", "qrels.relevance": "stars"})
    assert "s.stars" in named


def test_dbt_needs_no_grade_beyond_accuracy():
    con = duckdb.connect()
    con.register("films", FILMS)
    rows = "('p', 'a', 1), ('p', 'b', 2), ('q', 'a', 1), ('q', 'c', 2)"
    con.execute(f"CREATE TABLE recs AS SELECT * FROM (VALUES {rows}) t(query_id, item_id, position)")
    asked = {"columns": {"position": "position"}, "items": "films"}
    names = ["average_popularity@2", "ild@2", "catalogue_coverage@2"]
    text = macros()["summary"]("recs", names, **asked)
    in_python = quietly(rm.evaluate, "recs", names, items="films", connection=con)
    assert sorted(con.execute(text).fetchall()) == sorted(in_python.summary.fetchall())
    assert [row[1] for row in in_python.summary.fetchall()] == [2.0, 0.5, 1.0]
    none = {**asked, "columns": {"position": "position", "relevance": None}}
    assert text == macros()["summary"]("recs", names, **none)
    compared = macros()["compare"](candidate="recs", metrics=names[:2], baseline="recs", **asked)
    assert sorted(row[3:5] for row in con.execute(compared).fetchall()) == [(0.5, 0.5), (2.0, 2.0)]
    for others in ({"options": {"queries": "judged"}}, {"columns": {"position": "position", "relevance": "relevance"}}):
        assert "s.relevance" in macros()["summary"]("recs", names, **{**asked, **others})
    assert "s.relevance" in macros()["summary"]("recs", [*names, "rr"], **asked)


def test_the_grade_of_a_project_is_not_one_of_lists_alone():
    token = templates._project.set({"columns": {"relevance": "stars"}})
    try:
        assert "stars" not in macros()["summary"]("recs", ["ild@2"], items="films")
        assert "stars" in macros()["summary"]("recs", ["rr"])
        assert "stars" not in macros()["summary"]("recs", ["unseen_share@2"], qrels="had")
    finally:
        templates._project.reset(token)


def test_all_pairs_of_lists_need_no_judgments():
    runs = {"old": FIRST, "new": SECOND, "same": FIRST}
    compared = quietly(rm.tukey, runs, ["average_popularity@2"], items=FILMS).summary.dicts()
    assert [(row["baseline_run"], row["run"]) for row in compared] == [("old", "new"), ("old", "same"), ("new", "same")]


def test_a_metric_that_is_none_is_named_behind_lists():
    for call in (["ilds@2"], ["average_popularity", "ilds@2"], ("ilds@2",)):
        with pytest.raises(rm.UsageError, match=r"Unknown metric 'ilds@2'\. Did you mean 'ild@2'"):
            quietly(rm.evaluate, FIRST, call, items=FILMS)

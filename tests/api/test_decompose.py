"""Where a difference comes from: each term beside Kitagawa's formula in plain Python, and their sums."""

from __future__ import annotations

import json
import random
from statistics import fmean

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import seeds

METRICS = ["rr", "p@3", "rr(no_relevant=null)", "p(no_relevant=skip)@3"]
TERMS = ("ranking", "mix", "entered_or_left", "contribution")
MARKETS, APPS = ("de", "fr", "", None), ("web", "WEB", None)
ZEROS = {"queries": "judged"}
OWN = {"queries": "judged_retrieved"}


def market_data(seed):
    """Runs that answer some queries each, with an app of their own for each; judgments with a market for each."""
    rng = random.Random(seed)
    queries = [f"q{number}" for number in range(rng.choice([3, 8, 40]))]
    market = {query: rng.choice(MARKETS) for query in queries}
    market["q0"] = "only one"
    judged = [query for query in queries if rng.random() < 0.9] or queries
    grades = {query: {f"d{item}": int(rng.random() < 0.3) for item in range(5)} for query in judged}
    answers = {"old": 0.8, "new": 0.7, "New": 0.4}
    lists = {
        name: {query: rng.sample(range(8), 6) for query in queries if query == judged[0] or rng.random() < share}
        for name, share in answers.items()
    }
    app = {(name, query): rng.choice(APPS) for name, asked in lists.items() for query in asked}
    return lists, grades, market, app


def in_tables(lists, grades, market, app):
    connection = duckdb.connect()
    columns = "run_id TEXT, query_id TEXT, item_id TEXT, score DOUBLE, app TEXT"
    connection.execute(f"CREATE TABLE every ({columns})")
    connection.execute("CREATE TABLE labels (query_id TEXT, item_id TEXT, relevance INTEGER, market TEXT)")
    rows = [
        (name, query, f"d{item}", -float(place), app[name, query])
        for name, asked in lists.items()
        for query, items in asked.items()
        for place, item in enumerate(items)
    ]
    fill(connection, "every", rows)
    judged = [(query, item, grade, market[query]) for query in grades for item, grade in grades[query].items()]
    fill(connection, "labels", judged)
    return connection


def run(name):
    return f"SELECT query_id, item_id, score, app FROM every WHERE run_id = '{name}'"


def value_of(metric, items, grades):
    """A metric of one list; None where it has no value."""
    hits = [grades.get(f"d{item}", 0) for item in items]
    if "no_relevant" in metric and not any(grades.values()):
        return None
    if metric.startswith("rr"):
        return max((hit / place for place, hit in enumerate(hits, start=1)), default=0.0)
    return sum(hits[:3]) / 3


def app_of(data, name, query):
    """That of the list; without a list, or where it has none, what the other lists say, if they agree."""
    lists, _, _, app = data
    others = {app.get((run, query)) for run in lists} - {None}
    return app.get((name, query)) or (next(iter(others)) if len(others) == 1 else None)


def values_of(name, metric, data, queries):
    """Market, app and value of each query that a run is scored on and has a value of."""
    lists, grades, market, _ = data
    asked = grades if queries == "judged" else grades.keys() & lists[name].keys()
    found = [
        ((market[query], app_of(data, name, query)), value_of(metric, lists[name].get(query, []), grades[query]))
        for query in asked
    ]
    return [(group, value) for group, value in found if value is not None]


def expected_terms(old, new):
    """Each group's means, numbers and terms."""
    found = {}
    for group in {group for group, _ in [*old, *new]}:
        ours, theirs = ([value for other, value in side if other == group] for side in (old, new))
        w0, w1 = len(ours) / len(old), len(theirs) / len(new)
        m0, m1 = (fmean(side) if side else None for side in (ours, theirs))
        if not ours:
            terms = (0, 0, w1 * m1)
        elif not theirs:
            terms = (0, 0, -w0 * m0)
        else:
            terms = ((w0 + w1) / 2 * (m1 - m0), (m0 + m1) / 2 * (w1 - w0), 0)
        found[group] = (m0, m1, len(ours), len(theirs), *terms, w1 * (m1 or 0) - w0 * (m0 or 0))
    return found


def check(found, data, queries, columns):
    """All rows, against the twin; in their order, and with their sum."""
    rows = found.summary.dicts()
    wanted = {}
    for name in ("new", "New"):
        for metric in METRICS:
            sides = [values_of(side, metric, data, queries) for side in ("old", name)]
            sides = [[(tuple(group[number] for number in columns), value) for group, value in side] for side in sides]
            if not all(sides):
                continue
            for group, terms in expected_terms(*sides).items():
                wanted[name, metric, group] = terms
            total = fmean(value for _, value in sides[1]) - fmean(value for _, value in sides[0])
            mine = [row["contribution"] for row in rows if (row["run"], row["metric"]) == (name, metric)]
            assert sum(mine) == pytest.approx(total, abs=1e-12)
            assert [abs(term) for term in mine] == sorted(map(abs, mine), reverse=True)
    labels = [("market", "app")[number] for number in columns]
    of_rows = {
        (row["run"], row["metric"], tuple(row[label] for label in labels)): tuple(
            row[name] for name in ("baseline", "candidate", "n_baseline", "n_candidate", *TERMS)
        )
        for row in rows
    }
    assert len(of_rows) == len(rows)
    assert of_rows == {
        key: tuple(None if term is None else pytest.approx(term, abs=1e-12) for term in terms)
        for key, terms in wanted.items()
    }
    order = [(row["run"], row["metric"]) for row in rows]
    asked = [(name, metric) for name in ("new", "New") for metric in METRICS]
    assert list(dict.fromkeys(order)) == [pair for pair in asked if pair in order]
    assert {row["baseline_run"] for row in rows} == {"old"}


@pytest.mark.parametrize("seed", seeds(40, 1))
@pytest.mark.parametrize("options", [ZEROS, OWN])
@pytest.mark.parametrize(
    ("by", "columns"), [(["market"], [0]), (["run.app"], [1]), (["qrels.market", "run.app"], [0, 1])]
)
def test_terms_are_those_of_the_formula(seed, options, by, columns):
    data = market_data(seed)
    with in_tables(*data) as connection:
        candidates = {name: run(name) for name in ("new", "New")}
        given = {"by": by, "baseline": "old", "connection": connection, **options}
        found = quietly(rm.decompose, run("old"), candidates, "labels", METRICS, **given)
        check(found, data, options["queries"], columns)


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize("options", [ZEROS, OWN])
def test_a_column_tells_runs_apart(seed, options):
    """Of one table with judgments beside it; and of what values were stored of them."""
    data = market_data(seed)
    with in_tables(*data) as connection:
        columns = {"run_id": "run_id"}
        given = {"by": ["market"], "baseline": "old"}
        text = rm.sql(METRICS, "every", "labels", columns=columns, level="values", by="market", **options)
        connection.execute(f"CREATE TABLE scored AS {text}")
        stored = rm.sql(
            METRICS, "gone", "gone", columns=columns, level="decompose", values="scored", **given, **options
        )
        direct = rm.sql(METRICS, "every", "labels", columns=columns, level="decompose", **given, **options)
        rows = connection.execute(direct).fetchall()
        assert connection.execute(stored).fetchall() == rows
        names = {name: run(name) for name in ("old", "new", "New")}
        alone = connection.execute(rm.sql(METRICS, names, "labels", level="decompose", **given, **options)).fetchall()
        assert sorted(map(str, alone)) == sorted(map(str, rows))


SEASONS = """
    CREATE TABLE shown AS SELECT *, 'lamp' AS item_id, 1.0 AS score FROM (VALUES
        ('09', 1, 'de', 1), ('09', 2, 'de', 1), ('09', 3, 'de', 1), ('09', 4, 'de', 0), ('09', 5, 'fr', 0),
        ('10', 6, 'de', 1), ('10', 7, 'fr', 1), ('10', 8, 'fr', 0), ('10', 9, 'fr', 0), ('10', 10, 'fr', 0)
    ) AS rows(month, query_id, market, relevance)
"""
# de: a mean of 3/4 over 4 of 5 queries, then 1 over 1 of 5; fr: 0 over 1 of 5, then 1/4 over 4 of 5. Both are better by
# 1/4, and all together, 3/5 and 2/5, worse by 1/5.
OF_SEASONS = [
    ("de", 3 / 4, 1, 4, 1, 1 / 2 * 1 / 4, 7 / 8 * -3 / 5, 0, 1 / 5 - 4 / 5 * 3 / 4),
    ("fr", 0, 1 / 4, 1, 4, 1 / 2 * 1 / 4, 1 / 8 * 3 / 5, 0, 4 / 5 * 1 / 4),
]


@pytest.fixture
def seasons():
    with duckdb.connect() as connection:
        connection.execute(SEASONS)
        yield connection


def approximately(rows):
    return [tuple(pytest.approx(cell) if isinstance(cell, float) else cell for cell in row) for row in rows]


def test_every_market_is_better_and_all_are_worse(seasons):
    """Two periods as one table with a column, and as two queries; the values are those of the comment."""
    months = rm.labelled("shown", columns={"run_id": "month"})
    found = quietly(rm.decompose, months, "rr", by="market", baseline="09", connection=seasons)
    expected = [("10", "09", market, "rr", *terms) for market, *terms in OF_SEASONS]
    assert found.summary.fetchall() == approximately(expected)
    periods = [f"SELECT * FROM shown WHERE month = '{month}'" for month in ("09", "10")]
    given = {"by": "run.market", "baseline": "09", "connection": seasons, **OWN}
    assert (
        quietly(rm.decompose, periods[0], {"10": periods[1]}, "shown", "rr", **given).summary.fetchall()
        == found.summary.fetchall()
    )


def test_a_month_may_be_sql_over_a_time(seasons):
    seasons.execute("ALTER TABLE shown ADD COLUMN day DATE")
    seasons.execute("UPDATE shown SET day = CAST('2026-' || month || '-15' AS DATE)")
    months = rm.labelled("shown", columns={"run_id": "strftime(day, '%m')"})
    found = quietly(rm.decompose, months, "rr", by="market", baseline="09", connection=seasons)
    assert [row[2:] for row in found.summary] == [
        (row[0], "rr", *row[1:]) for row in map(tuple, approximately(OF_SEASONS))
    ]


def test_a_period_is_a_group(seasons):
    """Its first day; every month is in one run only, so all terms are of groups that entered or left."""
    seasons.execute("ALTER TABLE shown ADD COLUMN day DATE")
    seasons.execute("UPDATE shown SET day = CAST('2026-' || month || '-15' AS DATE)")
    months = rm.labelled("shown", columns={"run_id": "month", "time": "day"})
    found = quietly(rm.decompose, months, "rr", period="month", baseline="09", connection=seasons)
    assert [(row["period"].isoformat()[:7], *(row[name] for name in TERMS)) for row in found.summary.dicts()] == [
        ("2026-09", 0, 0, pytest.approx(-3 / 5), pytest.approx(-3 / 5)),
        ("2026-10", 0, 0, pytest.approx(2 / 5), pytest.approx(2 / 5)),
    ]


@pytest.mark.parametrize("seed", seeds(10))
def test_where_queries_are_the_same_groups_add_up_to_the_effect(seed):
    """No change of the mix; what a group adds is what its queries add to the effect of the comparison."""
    data = market_data(seed)
    with in_tables(*data) as connection:
        given = {"by": ["market"], "baseline": "old", "connection": connection}
        arguments = (run("old"), {"new": run("new")}, "labels", ["rr", "p@3"])
        found = quietly(rm.decompose, *arguments, **given).summary.dicts()
        pairs = quietly(rm.compare, *arguments, **given).per_query.dicts()
        whole = quietly(rm.compare, *arguments, baseline="old", connection=connection).summary.dicts()
    assert {row["mix"] for row in found} == {row["entered_or_left"] for row in found} == {0.0}
    for compared in whole:
        rows = {row["market"]: row for row in found if row["metric"] == compared["metric"]}
        assert sum(row["contribution"] for row in rows.values()) == pytest.approx(compared["effect_size"], abs=1e-12)
        for market, row in rows.items():
            differences = [
                pair["difference"] for pair in pairs if (pair["market"], pair["metric"]) == (market, compared["metric"])
            ]
            assert row["contribution"] == pytest.approx(sum(differences) / compared["n_queries"], abs=1e-12)


def test_arms_of_a_log_are_decomposed():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE shown AS FROM (VALUES ('s1', 'a', 1, 'old', 'de'), ('s2', 'a', 1, 'old', 'fr'),"
            " ('s3', 'a', 1, 'new', 'de'), ('s3', 'b', 2, 'new', 'de')) AS t(search, item, position, arm, market)"
        )
        connection.execute(
            "CREATE TABLE done AS SELECT *, 'click' event_type FROM (VALUES ('s1', 'a'), ('s3', 'b')) t(search, item)"
        )
        log = rm.events("shown", "done", request="search", item="item", arm="arm")
        given = {"by": "market", "connection": connection}
        found = quietly(rm.decompose, log, "mrr", baseline="old", **given).summary.fetchall()
        with pytest.raises(rm.UsageError, match="Name the arm"):
            rm.decompose(log, "mrr", **given)
        with pytest.raises(rm.UsageError, match="decompose needs arms"):
            rm.decompose(rm.events("shown", "done", request="search", item="item"), "mrr", baseline="old", **given)
    # of 2 queries 1 in de: mean 1 then 1/2, share 1/2 then 1; fr left with a mean of 0
    assert found == [
        ("new", "old", "de", "mrr", 1.0, 0.5, 1, 1, 3 / 4 * -1 / 2, 3 / 4 * 1 / 2, 0.0, 0.0),
        ("new", "old", "fr", "mrr", 0.0, None, 1, 0, 0.0, 0.0, 0.0, 0.0),
    ]


ONE, TWO = {"q": {"a": 1.0}}, {"q": {"b": 1.0}}


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("num_rel", r"decompose splits the difference of two means, and this is no mean \(aggregate=sum\)"),
        ("gm_map", r"aggregate=geometric\)\. Take aggregate=mean"),
        ("ap(aggregate=median)", "aggregate=median"),
        ("f(f_beta=of_averages)", "aggregate=parts"),
        ("catalogue_coverage", "one value of all queries together"),
        ("nonsense", "nonsense"),
    ],
)
def test_metrics_that_are_no_means_are_refused(metric, message):
    frame = duckdb.sql("SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance, 'de' AS market").arrow()
    items = ["a"] if metric == "catalogue_coverage" else None
    with pytest.raises(rm.UsageError, match=message):
        rm.decompose(ONE, {"two": TWO}, frame, metric, by="market", items=items)
    with pytest.raises(rm.UsageError, match=message):
        rm.sql(metric, {"a": "x", "b": "y"}, "q", level="decompose", by="market", items="i" if items else None)


def test_a_metric_that_is_a_mean_by_choice_is_one():
    rm.sql("num_rel(aggregate=mean)", {"a": "x", "b": "y"}, "q", level="decompose", by="market")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, r"decompose shows which segments a difference comes from, and there are no segments. Name columns: by=\["),
        ({"by": "contribution"}, "two columns called 'contribution'"),
        ({"by": "run.n_baseline"}, "two columns called 'n_baseline'"),
        ({"by": "market", "baseline": "c"}, "There is no run called 'c'"),
        ({"by": "market", "rollup": True}, "rollup works only with a summary"),
        ({"by": "market", "min_queries": 2}, "min_queries works only with a summary"),
        ({"by": "market", "weight": "w"}, "weight= works only with a summary"),
        ({"by": "market", "interval": "t"}, "interval=t works only with a summary"),
        ({"by": "market", "run": "x"}, "at least two runs"),
    ],
)
def test_contradictions_are_refused(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql("rr", **{"run": {"a": "x", "b": "y"}, "qrels": "q", "level": "decompose", **given})


def test_dbt_refuses_the_same():
    arguments = {"relation": "new", "baseline": "old", "qrels": "labels"}
    with pytest.raises(rm.UsageError, match=r"decompose shows which segments .* Name columns: by="):
        macros()["decompose"](metrics=["rr"], **arguments)
    with pytest.raises(rm.UsageError, match="decompose splits the difference of two means"):
        macros()["decompose"](metrics=["num_rel"], by="market", **arguments)


def test_dbt_writes_the_same_text():
    text = macros()["decompose"](
        relation="b", baseline="a", metrics=["ap", "rr"], qrels="labels", by=["market", "run.app"]
    )
    runs = {"baseline": "a", "candidate": "b"}
    by = ["qrels.market", "run.app"]
    assert text == rm.sql(["ap", "rr"], runs, "labels", level="decompose", by=by, shape="view", header=False)


def test_runs_of_different_queries_are_not_scored_as_zeros(seasons):
    """Unless they are scored on their own queries, one would be 0 wherever the other answered."""
    periods = [f"SELECT * FROM shown WHERE month = '{month}'" for month in ("09", "10")]
    given = {"by": "run.market", "baseline": "09", "connection": seasons}
    with pytest.raises(rm.DataError, match=r"no common query .* \(5 and 5\), so each would score 0 .* two periods"):
        rm.decompose(periods[0], {"10": periods[1]}, "shown", "rr", **given)
    most = "SELECT * FROM shown WHERE query_id >= 5"
    found = quietly(rm.decompose, periods[0], {"10": most}, "shown", "rr", **given)
    assert any("only 1 common query, of 5 and 6 that count; each scores 0" in said for said in found.warnings)


def test_a_run_without_a_query_is_refused(seasons):
    given = {"by": "run.market", "baseline": "09", "connection": seasons, **OWN}
    first, other = "SELECT * FROM shown WHERE month = '09'", "SELECT * FROM shown WHERE query_id = 8"
    with pytest.raises(rm.DataError, match=r"no value in 10: its only query .* no_relevant=skip leaves"):
        quietly(rm.decompose, first, {"10": other}, "shown", "rr(no_relevant=skip)", **given)
    third = "SELECT * FROM shown WHERE month = '10'"
    with pytest.raises(rm.DataError, match="no value in 8: its only query"):
        quietly(rm.decompose, first, {"10": third, "8": other}, "shown", "rr(no_relevant=skip)", **given)
    months = rm.labelled("shown", columns={"run_id": "month"})
    with pytest.raises(rm.DataError, match="no run called '08'"):
        quietly(rm.decompose, months, "rr", by="market", baseline="08", connection=seasons)
    seasons.execute("DELETE FROM shown WHERE month = '10'")
    with pytest.raises(rm.DataError, match="is the only run"):
        quietly(rm.decompose, months, "rr", by="market", baseline="09", connection=seasons)


def test_a_metric_without_values_has_no_rows():
    frame = duckdb.sql("SELECT 'q' AS query_id, 'a' AS item_id, 0 AS relevance, 'de' AS market").arrow()
    with pytest.warns(rm.RankmetricsWarning, match=r"rr\(no_relevant=null\) has no value in baseline and two"):
        found = rm.decompose(ONE, {"two": TWO}, frame, ["rr", "rr(no_relevant=null)"], by="market")
    assert [row["metric"] for row in found.summary.dicts()] == ["rr"]


def test_it_is_left_in_the_database(seasons):
    months = rm.labelled("shown", columns={"run_id": "month"})
    found = quietly(rm.decompose, months, "rr", by="market", baseline="09", connection=seasons)
    found.create_table("terms")
    found.create_view("view_of_terms")
    for name in ("terms", "view_of_terms"):
        assert sorted(seasons.execute(f"FROM {name}").fetchall()) == sorted(found.summary.fetchall())
    assert seasons.execute(found.sql).fetchall() == found.summary.fetchall()
    assert repr(found).split()[:3] == ["run", "baseline_run", "market"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as connection:
        connection.execute(SEASONS)
        for month in ("09", "10"):
            connection.execute(f"COPY (FROM shown WHERE month = '{month}') TO 'm{month}.csv'")
        connection.execute("COPY (SELECT query_id, item_id, relevance, market FROM shown) TO 'qrels.csv'")


@pytest.mark.usefixtures("files")
def test_the_command_says_what_python_does(cli):
    arguments = ["decompose", "m09.csv", "m10.csv", "--qrels", "qrels.csv", "-m", "RR", "--by", "qrels.market"]
    own = ["--set", "queries=judged_retrieved"]
    found = cli(*arguments, *own, "--format", "json")
    assert found.exit_code == 0, found.output
    rows = json.loads(found.stdout)
    assert [tuple(row.values()) for row in rows] == approximately(
        [("m10", "m09", market, "RR", *map(float, terms)) for market, *terms in OF_SEASONS]
    )
    assert "entered_or_left" in cli(*arguments, *own).stdout
    assert "queries=judged_retrieved" in cli(*arguments).stderr


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "BASELINE is missing. Try: rankmetrics decompose OLD NEW --qrels QRELS -m nDCG@10 --by COLUMN"),
        (["m09.csv", "--qrels", "qrels.csv"], "CANDIDATE is missing. Try: rankmetrics decompose"),
        (["m09.csv", "m10.csv"], "--qrels is missing"),
        (["m09.csv", "m10.csv", "--qrels", "qrels.csv"], "Name columns: "),
        (["m09.csv", "m10.csv", "--qrels", "qrels.csv", "--by", "market", "--format", "trec"], "cannot hold"),
        (["m09.csv", "m10.csv", "--qrels", "qrels.csv", "--baseline", "x"], "--baseline names an arm"),
    ],
)
def test_the_command_says_what_is_missing(cli, arguments, message):
    found = cli("decompose", *arguments, "-m", "rr")
    assert (found.exit_code, found.stdout) == (2, "")
    assert message in found.stderr

"""Ranks that say the opposite of scores, as those of distances do, are told of, with what to do.

They stand in a TREC file, or in a column of a table, file or data frame that has no meaning beside a score.
"""

from __future__ import annotations

import random
import re
import warnings

import duckdb
import pandas as pd
import polars as pl
import pytest

import rankmetrics_sql as rm

from ..everything import seeds

SAID = "the item at the first rank has the lowest score"


def written(path, lists):
    """A run file: of each query the rank and the score of each item."""
    lines = [f"{query} Q0 {item} {rank} {score} t" for query, rows in lists.items() for item, rank, score in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def said(run, qrels, **given):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = rm.evaluate(run, qrels, "rr", **given)
    return result["rr"], [str(warning.message) for warning in caught if "has the lowest score" in str(warning.message)]


def distances(n_queries=3, n_items=4):
    """Lists in whose order the relevant item, the first, has the smallest distance."""
    lists = {f"q{n}": [(f"d{rank}", rank, rank / 8) for rank in range(1, n_items + 1)] for n in range(n_queries)}
    return lists, {query: {"d1": 1} for query in lists}


@pytest.mark.parametrize("connection", [None, "own"])
def test_distances_are_told_of_and_the_remedies_work(tmp_path, cli, connection):
    lists, qrels = distances()
    path = written(tmp_path / "x.run", lists)
    given = {} if connection is None else {"connection": duckdb.connect()}
    value, [message] = said(path, qrels, **given)
    assert value == 1 / 4
    assert message.startswith(f"{path}: in 3 of 3 queries {SAID}")
    columns = re.findall(r"columns=(\{[^}]*\})", message)
    assert len(columns) == 2
    for remedy in columns:
        assert said(path, qrels, columns=eval(remedy), **given) == (1, [])
    judgments = tmp_path / "q.txt"
    judgments.write_text("".join(f"{query} 0 d1 1\n" for query in lists))
    asked = ["evaluate", path, "--qrels", judgments, "-m", "rr", "--format", "csv"]
    options = re.findall(r"pass (--\w+ [\w=-]+)", " ".join(cli(*asked).stderr.split()))
    assert len(options) == 2
    for option in options:
        found = cli(*asked, *option.split())
        assert (found.stdout.splitlines()[1].split(",")[-2], SAID in found.stderr) == ("1.0", False)


FORMS = ["pandas", "polars", "csv", "parquet", "jsonl", "table"]


def stored(folder, rows, form, names=("query_id", "item_id", "score", "rank")):
    """Rows in a data frame, in a file, or in the table ``run`` of a connection."""
    frame = pd.DataFrame(rows, columns=list(names)).astype({names[3]: float})
    if form in ("pandas", "polars"):
        return frame if form == "pandas" else pl.from_pandas(frame)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE run AS SELECT * FROM frame")
    if form != "table":
        path = folder / f"run.{form}"
        connection.execute(f"COPY run TO '{path}' (FORMAT {form.removesuffix('l')})")
    return connection if form == "table" else path


@pytest.mark.parametrize("form", FORMS)
def test_a_column_of_ranks(tmp_path, form):
    lists, qrels = distances()
    rows = [(query, item, score, rank) for query, of in lists.items() for item, rank, score in of]
    for score, rank in (("score", "rank"), ("distance", "Position")):
        run, given = stored(tmp_path, rows, form, ("query_id", "item_id", score, rank)), {}
        run, given = ("run", {"connection": run}) if form == "table" else (run, {})
        columns = {} if score == "score" else {"score": score}
        value, [message] = said(run, qrels, columns=columns, **given)
        assert value == 1 / 4
        assert f"in 3 of 3 queries {SAID.replace('rank', rank)}" in message
        for remedy in re.findall(r"columns=(\{[^}]*\})", message):
            assert said(run, qrels, columns=eval(remedy), **given) == (1, [])
        assert said(run, qrels, columns=columns, check="none", **given)[1] == []


def test_only_the_beginning_is_looked_at():
    rows = [(f"q{n // 4}", f"d{n % 4}", n % 4 / 4, n % 4) for n in range(40_000)]
    _, [message] = said(stored(None, rows, "pandas"), {"q1": {"d0": 1}})
    assert f"in 5,000 of the first 5,000 queries {SAID}" in message


@pytest.mark.parametrize("check", ["full", "judged", "none"])
def test_it_is_said_whatever_is_checked(tmp_path, check):
    lists, qrels = distances(1)
    _, [message] = said(written(tmp_path / "x.run", lists), qrels, check=check)
    assert f"in 1 query {SAID}" in message


def test_each_run_for_itself(tmp_path):
    lists, qrels = distances()
    against = written(tmp_path / "against.run", lists)
    usual = {query: [(item, rank, -score) for item, rank, score in rows] for query, rows in lists.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rm.evaluate([str(against), str(written(tmp_path / "usual.run", usual))], qrels, "rr")
    assert [str(one.message).split(":")[0] for one in caught if SAID in str(one.message)] == [str(against)]


@pytest.mark.parametrize("seed", seeds(20, 6))
def test_how_many_queries(tmp_path, seed):
    """Lists of all lengths with ranks and scores of any order: more than half of them must be turned round."""
    chance = random.Random(seed)
    lists = {}
    for number in range(chance.randint(1, 12)):
        n_items = chance.randint(1, 4)
        ranks = chance.choice([list(range(1, n_items + 1)), [0] * n_items, ["-"] * n_items])
        scores = chance.choice(
            [sorted(chance.random() for _ in ranks), [0.5] * n_items, [chance.random() for _ in ranks]]
        )
        rows = [(f"d{place}", rank, score) for place, (rank, score) in enumerate(zip(ranks, scores, strict=True))]
        lists[f"q{number}"] = chance.sample(rows, n_items)
    ordered, turned = 0, 0
    for rows in lists.values():
        by_rank = [score for _, rank, score in sorted(rows, key=lambda row: (isinstance(row[1], str), row[1]))]
        if len({rank for _, rank, _ in rows}) > 1 and len(set(by_rank)) > 1:
            ordered += 1
            turned += by_rank[0] == min(by_rank) and by_rank[-1] == max(by_rank)
    qrels = {query: {"d0": 1} for query in lists}
    rows = [
        (query, item, score, None if rank == "-" else rank) for query, of in lists.items() for item, rank, score in of
    ]
    form = chance.choice(FORMS)
    runs = [written(tmp_path / "x.run", lists), stored(tmp_path, rows, form)]
    _, messages = said(runs[0], qrels)
    connection = runs[1] if form == "table" else None
    _, of_rows = said(
        "run" if form == "table" else runs[1], qrels, **({"connection": connection} if connection else {})
    )
    assert len(messages) == len(of_rows) == (2 * turned > ordered)
    for message in (*messages, *of_rows):
        who = "1 query" if ordered == 1 else f"{turned} of {ordered} queries"
        assert f"in {who} {SAID}" in message

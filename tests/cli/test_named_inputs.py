"""Every command takes NAME=FILE, NAME=TABLE and NAME=QUERY wherever it takes an input, though only runs use it."""

from __future__ import annotations

import pytest

RUN = "query_id,item_id,score\nq1,a,2\nq1,b,1\nq2,a,1\n"
OTHER = "query_id,item_id,score\nq1,b,2\nq1,a,1\nq2,a,1\n"
QRELS = "query_id,item_id,relevance\nq1,a,1\nq2,a,1\nq2,b,0\n"
ITEMS = "item_id,popularity\na,0.5\nb,0.25\n"
LABELLED = "query_id,item_id,score,relevance\nq1,a,2,1\nq1,b,1,0\n"
CLICKS = "request_id,item_id,position,relevance\nr,a,1,1\nr,b,2,0\n"
FILES = {"run": RUN, "other": OTHER, "qrels": QRELS, "items": ITEMS, "labelled": LABELLED, "clicks": CLICKS}

# The arguments of each command, where {name} is an input.
COMMANDS = [
    "evaluate {run} --qrels {qrels} -m rr -m average_popularity --items {items}",
    "evaluate {run} --qrels {qrels} --query-list {qrels} -m rr",
    "evaluate --labelled {labelled} -m rr",
    "compare {run} {other} --qrels {qrels} -m rr",
    "compare {run} {other} --qrels {qrels} -m rr --all-pairs",
    "curve {run} --qrels {qrels} -m recall",
    "explain {run} --qrels {qrels} -m nDCG@10 --profile ir_measures",
    "movements {run} {other}",
    "movements {run} {other} --qrels {qrels}",
    "sensitivity {run} {other} --qrels {qrels} -m rr",
    "tukey {run} {other} --qrels {qrels} -m rr",
    "judge-next {run} {other} --qrels {qrels} -m rr",
    "agreement {qrels} {qrels}",
    "agreement {qrels} {qrels} --run {run} --run {other} -m rr",
    "coec {clicks}",
    "ctr-by-position {clicks}",
    "worst {clicks} --by request_id --min-requests 1",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_named_inputs(command, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / f"{name}.csv").write_text(text)
    words = command.split()
    plain = cli(*[word.format(**{name: f"{name}={name}.csv" for name in ("run", "other")}, **_own()) for word in words])
    assert plain.exit_code == 0, plain.output
    for spelt in ("{0}={0}.csv", "{0}=SELECT * FROM '{0}.csv'"):
        named = {name: spelt.format(name) for name in FILES}
        found = cli(*[word.format(**named) for word in words])
        assert found.exit_code == 0, found.output
        if "SELECT" not in spelt or "ctr" not in command:  # where numbers of a file are shown with decimals
            assert found.stdout == plain.stdout


def _own():
    return {name: f"{name}.csv" for name in FILES if name not in ("run", "other")}


def test_printed_sql_is_of_the_table_behind_a_name(cli):
    plain, named = (
        cli("sql", "-m", "rr", "--run", "runs", "--qrels", f"{name}judged", "--query-list", f"{name}asked")
        for name in ("", "gold=")
    )
    assert (plain.exit_code, named.exit_code, named.stdout) == (0, 0, plain.stdout)

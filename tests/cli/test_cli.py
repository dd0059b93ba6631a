"""The command line: what it prints, in every format, and where it reads from."""

from __future__ import annotations

import csv
import inspect
import io
import itertools
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

import rankmetrics_sql as rm
from rankmetrics_sql.cli import main
from rankmetrics_sql.drivers import cancel

from ..conftest import DEMO
from ..everything import each_once

T5, SIM, JUDGMENTS = DEMO / "covidex.t5.run.gz", DEMO / "covidex.sim.run.gz", DEMO / "qrels.txt"


@pytest.fixture
def small(tmp_path):
    (tmp_path / "bm25.run").write_text("x Q0 a 1 2.0 t\nx Q0 b 2 1.0 t\ny Q0 b 1 1.0 t\n")
    (tmp_path / "qrels.txt").write_text("x 0 a 1\ny 0 a 1\n")
    return tmp_path


def evaluate(cli, folder, *arguments):
    result = cli("evaluate", folder / "bm25.run", "--qrels", folder / "qrels.txt", "-m", "RR", "-m", "p@1", *arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_two_runs_in_one_table(cli):
    metrics = [part for metric in ("nDCG@10", "P@5", "AP", "RR", "Bpref", "R@1000") for part in ("-m", metric)]
    lines = cli("evaluate", T5, SIM, "--qrels", JUDGMENTS, *metrics).stdout.splitlines()
    assert lines[0].split() == ["run_id", "nDCG@10", "P@5", "AP", "RR", "Bpref", "R@1000", "n_queries"]
    assert lines[2].split()[:6] == ["covidex.t5", "0.6250", "0.7314", "0.2880", "0.8534", "0.4876"]
    assert lines[3].split()[:6] == ["covidex.sim", "0.3254", "0.3829", "0.1567", "0.5705", "0.4546"]


def test_demo_needs_nothing(cli):
    assert "covidex.t5     0.6250   0.7314" in cli("demo").stdout


def test_json(cli, small):
    assert json.loads(evaluate(cli, small, "--format", "json")) == [
        {"run_id": "bm25", "metric": "RR", "value": 0.5, "n_queries": 2},
        {"run_id": "bm25", "metric": "p@1", "value": 0.5, "n_queries": 2},
    ]


def test_per_query_json(cli, small):
    rows = json.loads(evaluate(cli, small, "--format", "json", "--per-query"))
    assert rows[0] == {"run_id": "bm25", "query_id": "x", "metric": "RR", "value": 1.0}
    assert [(row["query_id"], row["metric"], row["value"]) for row in rows[1:]] == [
        ("x", "p@1", 1.0),
        ("y", "RR", 0.0),
        ("y", "p@1", 0.0),
    ]


def test_json_lines_and_csv_at_full_precision(cli, small):
    (small / "bm25.run").write_text("x Q0 b 1 3 t\nx Q0 c 2 2 t\nx Q0 a 3 1 t\n")
    lines = [json.loads(line) for line in evaluate(cli, small, "--format", "jsonl", "--per-query").splitlines()]
    rows = list(csv.DictReader(io.StringIO(evaluate(cli, small, "--format", "csv", "--per-query"))))
    assert lines[0]["value"] == float(rows[0]["value"]) == 1 / 3


def test_markdown(cli, small):
    assert (
        evaluate(cli, small, "--format", "markdown")
        == "| run_id | RR | p@1 | n_queries |\n| --- | ---: | ---: | ---: |\n| bm25 | 0.5000 | 0.5000 | 2 |\n"
    )


def test_latex(cli, small):
    text = evaluate(cli, small, "--format", "latex")
    assert r"run\_id & RR & p@1 & n\_queries \\" in text
    assert r"bm25 & 0.5000 & 0.5000 & 2 \\" in text


def test_trec(cli, small):
    lines = evaluate(cli, small, "--format", "trec", "--per-query").splitlines()
    assert [line.split() for line in lines] == [
        ["runid", "all", "bm25"],
        ["recip_rank", "x", "1.0000"],
        ["P_1", "x", "1.0000"],
        ["recip_rank", "y", "0.0000"],
        ["P_1", "y", "0.0000"],
    ]


def test_output(cli, small):
    assert evaluate(cli, small, "--format", "csv", "--output", small / "out.csv") == ""
    assert (small / "out.csv").read_text() == "run_id,metric,value,n_queries\nbm25,RR,0.5,2\nbm25,p@1,0.5,2\n"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, None])
def test_output_keeps_the_mode_of_the_file_that_it_replaces(cli, small, mode):
    output = small / "out.csv"
    if mode is not None:
        output.write_text("old")
        output.chmod(mode)
    evaluate(cli, small, "--output", output)
    (small / "new").touch()
    expected = (small / "new").stat().st_mode if mode is None else mode | stat.S_IFREG
    assert (output.read_text()[:3], output.stat().st_mode) == ("run", expected)


# Another name of the first file.
ALIASES = {
    "itself": lambda path: path,
    "another spelling": lambda path: path.parent / ".." / path.parent.name / path.name,
    "a symbolic link": lambda path: linked(path, "symlink_to"),
    "a hard link": lambda path: linked(path, "hardlink_to"),
}


def linked(path, how):
    link = path.parent / "link.csv"
    getattr(link, how)(path)
    return link


@pytest.mark.parametrize(
    ("command", "name", "alias"),
    [
        *itertools.product(["evaluate"], ["bm25.run", "qrels.txt", "chosen.txt", "shop.duckdb"], ALIASES),
        ("compare", "bm25.run", "itself"),
        ("curve", "qrels.txt", "a hard link"),
    ],
)
def test_no_input_is_written_over(cli, small, command, name, alias):
    (small / "other.run").write_bytes((small / "bm25.run").read_bytes())
    (small / "chosen.txt").write_text("x\n")
    duckdb.connect(str(small / "shop.duckdb")).close()
    before = (small / name).read_bytes()
    database = ("--database", f"duckdb:///{small / name}") if name == "shop.duckdb" else ()
    runs = [small / "other.run"] * (command == "compare") + [f"mine={small / 'bm25.run'}"]
    files = ("--qrels", small / "qrels.txt", "--query-list", small / "chosen.txt", *database)
    result = cli(command, *runs, *files, "-m", "p", "--format", "csv", "--output", ALIASES[alias](small / name))
    assert (result.exit_code, (small / name).read_bytes()) == (2, before), result.stderr
    assert "would replace the input" in result.stderr


@pytest.mark.parametrize("read", ["'{}'", "read_csv('{}')", "read_csv('{}/*.csv')", '"{}"'])
def test_no_input_that_sql_reads_is_written_over(cli, tmp_path, read):
    own = tmp_path / "run.csv"
    own.write_text("query_id,item_id,score\nq,a,1\n")
    before = own.read_bytes()
    query = f"SELECT * FROM {read.format(tmp_path if '*' in read else own)}"
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    rest = ["--qrels", tmp_path / "qrels.txt", "-m", "rr", "--output", own]
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as con:
        con.execute(f"CREATE VIEW inner_view AS {query}")
        con.execute("CREATE VIEW v AS SELECT * FROM inner_view")
        con.execute("CREATE TABLE judged AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance")
    there = ["v", "--qrels", "judged", "-m", "rr", "--output", own, "--database", tmp_path / "shop.duckdb"]
    for arguments in ([query, *rest], there):
        result = cli("evaluate", *arguments)
        assert (result.exit_code, own.read_bytes()) == (2, before), result.stderr
        assert "would replace the input" in result.stderr


def test_names_and_standard_input(cli, small):
    run = (small / "bm25.run").read_bytes()
    named = cli(
        "evaluate", f"mine={small / 'bm25.run'}", "--qrels", small / "qrels.txt", "-m", "RR", "--format", "json"
    )
    piped = cli("evaluate", "-", "--qrels", small / "qrels.txt", "-m", "RR", "--format", "json", stdin=run)
    assert json.loads(named.stdout) == [{"run_id": "mine", "metric": "RR", "value": 0.5, "n_queries": 2}]
    assert json.loads(piped.stdout) == [{"run_id": "-", "metric": "RR", "value": 0.5, "n_queries": 2}]


def test_queries_and_groups(cli, small):
    (small / "topics.csv").write_text("query_id,market\nx,no\ny,se\n")
    rows = json.loads(evaluate(cli, small, "--format", "json", "--query-list", small / "topics.csv", "--by", "market"))
    assert [(row["market"], row["metric"], row["value"]) for row in rows] == [
        ("no", "RR", 1),
        ("no", "p@1", 1),
        ("se", "RR", 0),
        ("se", "p@1", 0),
    ]
    (small / "topics.txt").write_text("x\n")
    [row, _] = json.loads(evaluate(cli, small, "--format", "json", "--query-list", small / "topics.txt"))
    assert (row["value"], row["n_queries"]) == (1, 1)


def test_totals_of_groups(cli, small):
    (small / "topics.csv").write_text("query_id,market\nx,no\ny,se\n")
    asked = ["--query-list", small / "topics.csv", "--by", "market", "--format", "json"]

    def rows(*more):
        found = json.loads(evaluate(cli, small, *asked, *more))
        return [(row["breakdown"], row["market"], row["value"]) for row in found if row["metric"] == "RR"]

    assert rows("--rollup", "all") == [("total", None, 0.5), ("market", "no", 1), ("market", "se", 0)]
    assert rows("--rollup", "market", "--rollup", "total")[-1] == ("total", None, 0.5)
    assert rows("--rollup", "all", "--min-queries", 2) == [("total", None, 0.5)]


def test_weights(cli, small):
    (small / "topics.csv").write_text("query_id,sessions,user\nx,1,u\ny,3,v\n")
    asked = ["--query-list", small / "topics.csv", "--weight", "sessions", "--format", "json"]
    [row, _] = json.loads(evaluate(cli, small, *asked))
    assert row | {"run_id": ""} == {"run_id": "", "metric": "RR", "value": 0.25, "n_queries": 2, "sum_of_weights": 4}
    asked = ["--run", "r", "--qrels", "q", "--weight", "sessions", "--level", "sums", "--cluster", "user"]
    text = cli("sql", "-m", "RR", *asked).stdout
    assert "AS denominator_sum" in text
    assert "AS user" in text or 'AS "user"' in text


def test_periods(cli, small):
    (small / "topics.csv").write_text("query_id,at\nx,2024-03-31 21:59\ny,2024-03-31 22:00\n")
    asked = ["--query-list", small / "topics.csv", "--columns", "time=at", "--period", "day", "--format", "json"]
    for zone, days in (("Europe/Berlin", ["2024-03-31", "2024-04-01"]), ("UTC", ["2024-03-31"])):
        rows = json.loads(evaluate(cli, small, *asked, "--timezone", zone))
        assert [row["period"] for row in rows if row["metric"] == "RR"] == days


def test_columns_and_settings(cli, small):
    (small / "run.csv").write_text("user,session,doc,points\nu,1,a,1\nu,1,b,1\n")
    (small / "labels.csv").write_text("user,session,doc,relevance\nu,1,a,1\n")
    columns = "query_id=user,query_id=session,item_id=doc,score=points"
    result = cli(
        "evaluate",
        small / "run.csv",
        "--qrels",
        small / "labels.csv",
        "-m",
        "rr",
        "--columns",
        columns,
        "--set",
        "ties=item_asc",
        "--format",
        "json",
        "--per-query",
    )
    assert json.loads(result.stdout) == [{"run_id": "run", "user": "u", "session": "1", "metric": "rr", "value": 1.0}]


def test_database(cli, small):
    with duckdb.connect(str(small / "shop.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE runs AS SELECT 'x' AS query_id, UNNEST(['a', 'b']) AS item_id, UNNEST([1.0, 2.0]) AS score"
        )
        connection.execute("CREATE TABLE labels AS SELECT 'x' AS query_id, 'a' AS item_id, 1 AS relevance")
    for url in (small / "shop.duckdb", f"duckdb:///{small / 'shop.duckdb'}"):
        result = cli("evaluate", "runs", "--qrels", "labels", "-m", "rr", "--database", url, "--format", "json")
        assert json.loads(result.stdout) == [{"run_id": "runs", "metric": "rr", "value": 0.5, "n_queries": 1}], (
            result.stderr
        )


def test_labelled(cli, small):
    (small / "events.csv").write_text("query_id,item_id,position,relevance\nx,a,1,0\nx,b,2,1\n")
    result = cli("evaluate", "--labelled", small / "events.csv", "-m", "rr", "--format", "json")
    assert json.loads(result.stdout) == [{"run_id": "events", "metric": "rr", "value": 0.5, "n_queries": 1}]


def test_compare(cli):
    result = cli("compare", T5, SIM, "--qrels", JUDGMENTS, "-m", "nDCG@10", "--format", "json")
    [row] = json.loads(result.stdout)
    assert (row["run"], row["metric"], row["n_queries"]) == ("covidex.sim", "nDCG@10", 35)
    assert row["baseline"] == pytest.approx(0.6250, abs=5e-5)
    assert row["candidate"] == pytest.approx(0.3254, abs=5e-5)
    assert row["effect_size"] == pytest.approx(row["candidate"] - row["baseline"], abs=1e-12)
    assert row["n_higher"] + row["n_ties"] + row["n_lower"] == 35


def test_verbose_prints_the_sql(cli, small):
    result = cli(
        "evaluate",
        small / "bm25.run",
        "--qrels",
        small / "qrels.txt",
        "-m",
        "RR",
        "--verbose",
        "--threads",
        1,
        "--memory-limit",
        "1GB",
    )
    assert "ROW_NUMBER() OVER" in result.stderr or "rankmetrics_found" in result.stderr


@pytest.mark.parametrize(
    "name",
    [
        "P_5",
        "nDCG@10",
        "map",
        "recip_rank",
        "ndcg_cut_10",
        "recall_100",
        "hit_rate@5",
        "precision@5",
        "P(rel=2)@5",
        "rbp(p=0.5)",
    ],
)
def test_metrics_understands_any_spelling(cli, name):
    result = cli("metrics", name)
    assert result.exit_code == 0, result.stderr
    assert "Source:" in result.stdout


def test_lists(cli):
    for command, names in {"metrics": rm.metrics(), "profiles": rm.profiles(), "options": rm.options()}.items():
        listed = cli(command).stdout
        assert all(name in listed for name in names), command
    shown = cli("profiles", "ir_measures").stdout
    assert "rr@k: ties=item_asc" in shown
    assert "compared with ir_measures in the tests" in shown
    assert "by reading its source" in cli("profiles", "quepid").stdout


def test_a_profile_shows_what_it_chooses_for_single_metrics(cli):
    """The table of options, which marks what differs from the default for some metrics only."""
    rows = {
        line.split()[0]: re.split(" {2,}", line.strip())[1:]
        for profile in ("ragas", "ir_measures")
        for line in cli("profiles", profile).stdout.split("\noption ")[1].splitlines()[2:]
    }
    assert rows["iprec_rounding"] == ["nearest; up (iprec)", "nearest", "*"]
    assert re.fullmatch(r"item_desc; item_asc \(\d+ metrics\); input \(\d+ metrics\)", rows["ties"][0])
    assert rows["gain"] == ["linear", "linear"]


@pytest.mark.parametrize(
    ("words", "name"), [("hit rate", "success"), ("Click-through Rate", "ctr"), ("top k accuracy", "success")]
)
def test_words_find_metrics(cli, words, name):
    shown = cli("metrics", words)
    assert (shown.exit_code, shown.stdout) == (0, cli("metrics", "--find", words).stdout)
    assert re.search(rf"(?m)^  {name} ", shown.stdout)
    assert "No entry mentions 'no such thing'" in cli("metrics", "no such thing").stderr


def test_help_lists_the_rules_of_logs(cli):
    """Each argument of a source but its tables, with what the docstring says of it and who takes it."""
    lines = dict(line.split(": ", 1) for line in cli("compare", "--help", "rule").stdout.splitlines())
    taken = {"events": rm.events, "ubi": rm.ubi, "ga4": rm.ga4, "segment": rm.segment, "snowplow": rm.snowplow}
    taken |= {"lists": rm.lists, "ratings": rm.ratings}
    tables = {"impressions", "events", "queries", "viewed", "clicked", "interactions", "data"}
    for kind, function in taken.items():
        for name in inspect.signature(function).parameters:
            assert name in tables or f"--{kind}" in lines[name].rpartition("(")[2], (kind, name)
    assert lines["arm"].startswith("the column of the impressions with the arm of the experiment (--events, --ubi")
    assert "Usage:" in cli("compare", "--help").stdout
    assert "Usage:" in cli("clean", "--help", "rule").stdout  # which has none


def test_a_metric_is_described_in_full(cli):
    shown = cli("metrics", "nDCG@10").stdout
    assert "Formula: (Σ_{r≤k} g_r / log2(r + 1)) / (the same sum" in shown
    assert "Reads: run (query_id, item_id, score or position)" in shown
    assert "elasticsearch: gain=exp2" in shown
    for metric in rm.metrics():
        found = cli("metrics", metric).stdout
        assert "Formula: " in found, metric
        assert "Better: higher values" in found or "Better: lower values" in found, metric
    assert "Better: lower values" in cli("metrics", "average_popularity").stdout


def test_an_option_is_described_with_the_tools_that_choose_its_values(cli):
    shown = cli("options", "ideal_depth").stdout
    assert "all_relevant: rectools (ndcg)" in shown
    assert cli("options", "ideal_dept").exit_code == 2
    assert cli("--version").stdout == f"rankmetrics {rm.__version__}\n"


def test_sql(cli):
    text = cli("sql", "-m", "ndcg@10", "--run", "db.events", "--qrels", "db.labels", "--columns", "item_id=doc").stdout
    assert "FROM db.events AS s" in text
    assert "s.doc AS item_id" in text
    assert text.endswith(";\n")


HEAVY = {"altair", "duckdb", "jinja2", "matplotlib", "numpy", "pandas", "polars", "pyarrow", "rich", "sqlglot", "xml"}


def imported(code):
    """The heavy modules that a piece of Python has imported at its end."""
    ending = f"\nimport sys\nprint(sorted(set(sys.modules) & {HEAVY}))"
    command = [sys.executable, "-W", "ignore", "-c", code + ending]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1]


@pytest.mark.parametrize("arguments", [["--help"], ["evaluate", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments):
    assert imported(f"from rankmetrics_sql.cli import main\nmain({arguments}, standalone_mode=False)") == "[]"


def test_an_evaluation_imports_only_duckdb_and_jinja(small):
    arguments = ["evaluate", str(small / "bm25.run"), "--qrels", str(small / "qrels.txt"), "-m", "rr"]
    code = f"from rankmetrics_sql.cli import main\nmain({arguments}, standalone_mode=False)"
    assert imported(code) == "['duckdb', 'jinja2']"


def test_a_small_evaluation_asks_little(tmp_path):
    """Each file is read, counted and freed of a column; then come three checks, the summary and the filled ranks."""
    (tmp_path / "a.run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 c 1\n")
    asked = []
    token = cancel.listener.set(lambda text, _seconds: asked.append(text))
    try:
        rm.evaluate(tmp_path / "a.run", tmp_path / "qrels.txt", ["ndcg@10"])
    finally:
        cancel.listener.reset(token)
    assert len(asked) <= 11


@pytest.mark.parametrize(
    "program", [[str(Path(sys.executable).parent / "rankmetrics")], [sys.executable, "-m", "rankmetrics_sql"]]
)
def test_the_script_and_the_module_are_the_same(program):
    found = subprocess.run([*program, "metrics", "--help"], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("Usage: rankmetrics metrics")
    found = subprocess.run([*program, "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"rankmetrics {rm.__version__}\n"


@pytest.mark.parametrize(
    ("encoding", "form"), each_once(["latin-1", "ascii", "cp437", "utf-8", "utf-16"], ["table", "json", "csv"])
)
def test_output_in_any_encoding(tmp_path, encoding, form):
    (tmp_path / "r.run").write_text("\u00e9 Q0 a 1 2 t\n\u00e9 Q0 b 2 2 t\n", encoding="utf-8")
    (tmp_path / "q.txt").write_text("\u00e9 0 a 1\nz 0 a 1\n", encoding="utf-8")
    name = "\u03a9 \U0001f600"
    arguments = ["evaluate", f"{name}={tmp_path / 'r.run'}", "--qrels", str(tmp_path / "q.txt"), "-m", "rr"]
    done = CliRunner(charset=encoding).invoke(main, [*arguments, "--per-query", "--format", form])
    assert (done.exit_code, done.exception) == (0, None)
    text = done.stdout
    if form == "json":  # what JSON escapes is read back
        assert {(row["run_id"], row["query_id"]) for row in json.loads(text)} == {(name, "\u00e9"), (name, "z")}
    shown = json.dumps(name)[1:-1] if encoding in ("latin-1", "ascii") else name
    assert shown in text or encoding == "cp437"
    assert ("some characters are printed as escapes" in done.stderr) == (encoding in ("latin-1", "ascii", "cp437"))
    assert "\ufffd" not in text


@pytest.mark.parametrize("settings", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}])
def test_output_where_a_terminal_has_no_unicode(tmp_path, settings):
    (tmp_path / "\u00e9.run").write_text("q Q0 a 1 2 t\n", encoding="utf-8")
    (tmp_path / "q.txt").write_text("q 0 a 1\nz 0 a 1\n", encoding="utf-8")
    command = [sys.executable, "-m", "rankmetrics_sql", "evaluate", "\u00e9.run", "--qrels", "q.txt", "-m", "rr"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, env={**os.environ, **settings})
    assert (done.returncode, b"Traceback" in done.stderr, b"0.5000" in done.stdout) == (0, False, True), done.stderr

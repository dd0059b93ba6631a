"""What a terminal shows: within its columns, with nothing broken inside a word; and what a pipe has in its stead."""

from __future__ import annotations

import itertools
import os
import pty
import re
import subprocess
import sys
import warnings

import click
import duckdb
import pytest
from click.testing import CliRunner
from rich.cells import cell_len

import rankmetrics_sql as rm
from rankmetrics_sql.cli import main
from rankmetrics_sql.cli.help import JOBS
from rankmetrics_sql.cli.terminal import print_warnings
from rankmetrics_sql.results import comparison_tables, formats
from rankmetrics_sql.results.summary_rows import best_records
from rankmetrics_sql.results.text_tables import Block, Cell, Grid, Screen, draw_table, paragraph

METRICS = ("nDCG@10", "P@5", "AP", "ap(rel=2)@100", "coverage_error", "R@1000", "judged@10", "Bpref")
WIDTHS = (20, 40, 80, 120)


def values(runs=("bm25", "dense"), groups=()):
    """A number of its own for each run, group and metric, the later the greater."""
    places = [(run, group) for run in runs for group in groups or (None,)]
    return [
        {
            "run_id": run,
            **({"market": group} if group else {}),
            "metric": metric,
            "value": 0.1 + n / 100,
            "n_queries": 7,
        }
        for n, ((run, group), metric) in enumerate((place, metric) for place in places for metric in METRICS)
    ]


def shown(records, width, *, is_styled=False, **others):
    return formats.render(records, "table", screen=Screen(width, is_styled), **others).splitlines()


def on_a_terminal(width, *arguments, **settings):
    """What the command prints on a terminal; a bold text between < and >."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(width), "TERM": "xterm", **settings}
    command = [sys.executable, "-m", "rankmetrics_sql", *arguments]
    done = subprocess.run(command, stdout=follower, stderr=subprocess.PIPE, env=environment, check=True)
    os.close(follower)
    text = os.read(leader, 100_000).decode().replace("\r\n", "\n")
    os.close(leader)
    assert b"Traceback" not in done.stderr
    return text.replace("\x1b[1m", "<").replace("\x1b[0m", ">")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("runs", [("a",), ("bm25", "dense"), tuple(f"system{n}" for n in range(30))])
def test_every_value_is_there_and_no_line_is_wider(width, runs):
    records = values(runs)
    lines = shown(records, width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert all(re.search(rf"(?<!\S){re.escape(name)}(?!\S)", text) for name in (*METRICS, *runs, "n_queries"))
    assert all(text.count(f"{record['value']:.4f}") == 1 for record in records)


def test_many_metrics_are_rows():
    lines = shown(values(), 40)
    assert lines[0].split() == ["run_id", "bm25", "dense"]
    assert [line.split() for line in lines[2:4]] == [["nDCG@10", "0.1000", "0.1800"], ["P@5", "0.1100", "0.1900"]]
    assert len({len(line) for line in lines}) == 1  # numbers end below each other


def test_many_metrics_of_many_runs_are_several_tables():
    lines = shown(values([f"system{n}" for n in range(30)]), 80)
    heads = [line.split() for line in lines if line.startswith("run_id")]
    assert [name for head in heads for name in head[1:]] == [*METRICS, "n_queries"]
    assert all(head[0] == "run_id" for head in heads)
    assert len(heads) > 1


def test_runs_stand_below_their_group():
    lines = shown(values(groups=("de", "fr")), 120)
    assert [line.split()[:2] for line in lines[2:]] == [
        ["market:", "de"],
        ["bm25", "0.1000"],
        ["dense", "0.2600"],
        ["market:", "fr"],
        ["bm25", "0.1800"],
        ["dense", "0.3400"],
    ]
    assert "market: fr" in shown(values(groups=("de", "fr")), 40)
    assert shown(values(["bm25"], groups=("de", "fr")), 120)[0].split()[:2] == ["run_id", "market"]


def test_only_a_terminal_with_colour_has_bold_values():
    records = values()
    best = best_records(records, {"coverage_error": "lower"})
    bold = re.findall(r"\x1b\[1m *([0-9.]+) *\x1b\[0m", "\n".join(shown(records, 40, is_styled=True, best=best)))
    assert bold == [f"{0.18 + n / 100:.4f}" if n != 4 else "0.1400" for n in range(8)]
    assert "\x1b" not in "".join(shown(records, 40, best=best)) + formats.render(records, "table", best=best)


def test_without_a_terminal_a_table_has_its_own_width(monkeypatch):
    plain = formats.render(values(groups=("de", "fr")), "table")
    monkeypatch.setenv("COLUMNS", "20")
    assert formats.render(values(groups=("de", "fr")), "table") == plain
    assert plain.splitlines()[0].split() == ["run_id", "market", *METRICS, "n_queries"]


def test_words_are_folded_and_never_broken():
    records = [{"metric": "a_long_name", "title": "What a title of many words says of it, at some length"}]
    lines = formats.render(records, "table", None, screen=Screen(40)).splitlines()
    assert max(map(len, lines)) <= 40
    assert " ".join(" ".join(line.split()) for line in lines[2:]).replace("a_long_name ", "") == records[0]["title"]
    assert paragraph("  one: two three", Screen(10), "  ") == "  one: two\n    three"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_comparison_fits(width):
    record = {"run": "dense", "baseline_run": "bm25", "metric": "AP", "baseline": 0.2, "candidate": 0.3}
    record |= {
        "alternative": "two_sided",
        "effect_size": 0.1,
        "effect_size_ci_lower": 0.05,
        "effect_size_ci_upper": 0.15,
        "rel_effect_size": 0.5,
    }
    record |= {"pvalue": 0.01, "pvalue_adj": 0.01, "verdict": "better", "n_queries": 9, "test": "t"}
    options = {"confidence_level": 0.95, "alternative": "two_sided", "correction": "holm", "family": "all"}
    options |= {"design": "paired", "test": "t"}
    text = comparison_tables.comparison([record], options, screen=Screen(width, is_styled=True))
    assert re.search(r"\x1b\[1m *dense 0.3000 *\x1b\[0m", text)
    assert "0.0100*" in text
    assert max(map(len, re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines())) <= width


def test_a_real_terminal():
    text = on_a_terminal(40, "demo", "scores")
    assert "run_id" in text
    assert re.search(r"^nDCG@10 +0.3254 +< *0.6250>$", text, re.MULTILINE)
    assert "<" not in on_a_terminal(40, "demo", "scores", NO_COLOR="1")


def test_metrics_in_one_option_and_short_names(cli, tmp_path):
    (tmp_path / "a.run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    (tmp_path / "q.txt").write_text("q 0 b 1\n")
    files = (tmp_path / "a.run", "--qrels", tmp_path / "q.txt")
    done = cli("evaluate", *files, "-m", "map P_1,rr", "-q", "-o", tmp_path / "x.csv")
    assert done.exit_code == 0
    assert (tmp_path / "x.csv").read_text().splitlines()[1:] == ["a,q,map,0.5", "a,q,P_1,0.0", "a,q,rr,0.5"]
    done = cli("evaluate", *files, "-m", "all_trec", "--format", "json")
    assert (done.exit_code, done.stderr) == (
        0,
        "rankmetrics: skipped, because only trec_eval has them: runid, relstring.\n",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", ""], "names no metric"),
        (["-m", "map, "], "on one side of a comma"),
        (["-m", "mpa"], "Did you mean"),
        (["-m", "ap", "--profile", "ranx", "--profile", "spark"], "--profile is given twice"),
        (["-m", "ap", "-o", "x", "--output", "y"], "--output is given twice"),
        (["-m", "ap", "--set", "rel=1", "--set", "rel=2"], "--set gives rel two values"),
    ],
)
def test_bad_input(tmp_path, arguments, said):
    (tmp_path / "a.run").write_text("q Q0 a 1 2 t\n")
    program = [sys.executable, "-m", "rankmetrics_sql", "evaluate", tmp_path / "a.run", "--qrels", "q", *arguments]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (2, True, False), done.stderr


def test_descriptions_are_folded_at_words():
    text = on_a_terminal(40, "metrics", "ndcg")
    plain = subprocess.check_output([sys.executable, "-m", "rankmetrics_sql", "metrics", "ndcg"], text=True)
    assert text.split() == plain.split()
    assert all(len(line) <= 40 or len(line.split()) == 1 for line in text.splitlines())


def test_a_word_is_found_in_what_is_said(cli):
    lines = cli("metrics", "--find", "CLICK").stdout.splitlines()
    assert {"clicks", "first_click_position"} <= {line.split()[0] for line in lines}
    assert not any(line.split()[0] == "rbo" for line in lines)
    assert [line.split()[0] for line in cli("options", "--find", "exp2").stdout.splitlines()[3:]] == ["gain"]
    assert "trec_eval9" in cli("profiles", "--find", "pytrec").stdout


@pytest.mark.parametrize(
    ("command", "group", "first", "later"),
    [
        ("metrics", "Graded relevance", "bpm", "ndcg"),
        ("metrics", "Clicks", "abandonment", "ctr"),
        ("options", "Worth of an item", "rel", "gain"),
        ("profiles", "By reading", "elasticsearch", "quepid"),
    ],
)
def test_lists_have_groups_with_headings(cli, command, group, first, later):
    header, _, *lines = cli(command).stdout.splitlines()
    headings = [line for line in lines if not line.startswith(" ")]
    assert header.startswith(command.removesuffix("s"))
    assert group in headings
    assert len(headings) == len(set(headings))
    rows = lines[lines.index(group) + 1 :]
    named = [line.split()[0] for line in itertools.takewhile(lambda line: line.startswith(" "), rows)]
    assert named[0] == first
    assert later in named
    assert len(lines) - len(headings) == len(getattr(rm, command)())


def test_a_word_is_looked_for_in_all_groups(cli):
    """The headings of groups in which nothing is found are left out."""
    lines = cli("metrics", "--find", "geometric").stdout.splitlines()
    assert lines[2:5:2] == ["Binary relevance", "The whole ranking"]
    assert [line.split()[0] for line in lines[3::2]] == ["gm_map", "gm_bpref"]


def test_verbose_says_how_long_each_statement_took(cli, tmp_path):
    (tmp_path / "a.run").write_text("q Q0 a 1 2 t\n")
    (tmp_path / "q.txt").write_text("q 0 a 1\n")
    arguments = ("evaluate", tmp_path / "a.run", "--qrels", tmp_path / "q.txt", "-m", "rr")
    said = cli(*arguments, "--verbose").stderr
    numbers = re.findall(r"^rankmetrics: statement (\d+), \d+\.\d{3} s: \S", said, re.MULTILINE)
    assert numbers == [str(n + 1) for n in range(len(numbers))] != []
    assert f"rankmetrics: {len(numbers)} statements, " in said
    assert cli(*arguments).stderr == ""


def test_verbose_says_what_was_chosen(cli, tmp_path):
    lines = "query_id,item_id,score\nq,a,2\n"
    (tmp_path / "a.csv").write_text(lines)
    (tmp_path / "b.csv").write_text(lines)
    duckdb.sql("SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance").write_parquet(str(tmp_path / "q.parquet"))
    arguments = ("evaluate", tmp_path / "a.csv", "--qrels", tmp_path / "q.parquet", "-m", "rr", "--verbose")

    def plan(*more):
        return [line for line in cli(*arguments, *more).stderr.splitlines() if line.startswith("rankmetrics: plan: ")]

    chosen, read = plan()
    assert re.fullmatch(r".* 1 run and 1 metric in one statement, strategy=(window|count); input checked: full", chosen)
    assert re.fullmatch(r".*a\.csv: loaded; .*q\.parquet: read directly", read)
    chosen, read = plan(
        tmp_path / "b.csv", "-m", "ap", "-m", "p@5", "--set", "check=judged", "--set", "strategy=window"
    )
    assert chosen.endswith(" 2 runs and 3 metrics in one statement, strategy=window; input checked: judged")
    assert read.count(": loaded; ") == 2


def test_verbose_says_which_tables_are_read_where_they_are(cli, tmp_path):
    with duckdb.connect(tmp_path / "x.db") as database:
        database.sql("CREATE TABLE r AS SELECT 'q' AS query_id, 'a' AS item_id, 1.0 AS score")
        database.sql("CREATE TABLE j AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance")
    arguments = ("evaluate", "r", "--qrels", "j", "-m", "rr", "--database", tmp_path / "x.db")
    assert "rankmetrics: plan: r: your table; j: your table\n" in cli(*arguments, "--verbose").stderr
    assert "plan" not in cli(*arguments).stderr


@pytest.mark.parametrize("command", ["metrics", "options", "profiles"])
def test_a_word_that_nothing_has(command):
    program = [
        sys.executable,
        "-m",
        "rankmetrics_sql",
        command,
        "--find",
        "trec_evla" if command == "profiles" else "relevent",
    ]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert re.search(r"No entry mentions '\w+'. Did you mean '(relevant|trec_eval)'", done.stderr), done.stderr


@pytest.mark.parametrize(
    ("words", "begun", "found"),
    [
        ("rankmetrics evaluate -m ", "ndc", {"ndcg", "ndcg_rel"}),
        ("rankmetrics evaluate --set ", "ties=it", {"ties=item_asc", "ties=item_desc"}),
        ("rankmetrics evaluate --set ", "tie", {"ties="}),
        ("rankmetrics compare --profile ", "trec", {"trec_eval", "trec_eval9"}),
    ],
)
def test_completion(words, begun, found):
    environment = {"COMP_WORDS": words + begun, "COMP_CWORD": "3", "_RANKMETRICS_COMPLETE": "bash_complete"}
    done = CliRunner().invoke(main, prog_name="rankmetrics", env=environment)
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == found


@pytest.mark.parametrize("width", [20, 40])
@pytest.mark.parametrize("name", ["\u65e5\u672c\u8a9e" * 10, "\U0001f642" * 30, "e\u0301\u65e5" * 12])
def test_names_of_wide_characters_are_folded_between_them(name, width):
    rows = [[Cell(name), Cell("0.1234", is_number=True)], [Cell("b"), Cell("0.5", is_number=True)]]
    text = draw_table(Grid(["run", "ndcg@10"], [Block("", rows)]), Screen(width))
    assert max(map(cell_len, text.splitlines())) <= width
    assert name in "".join(line.strip() for line in text.splitlines())
    said = paragraph(f"{name} is a name.", Screen(width))
    assert max(map(cell_len, said.splitlines())) <= width
    assert said.replace("\n", "").replace(" ", "") == f"{name}isaname."


@pytest.mark.parametrize("name", [name for commands in JOBS.values() for name in commands])
def test_help_has_a_line_for_each_option(name):
    """In 80 columns: the option, then its whole description."""
    lines = CliRunner().invoke(main, [name, "--help"], prog_name="rankmetrics", terminal_width=80).output.splitlines()
    assert max(map(len, lines)) <= 80
    n_options = sum(isinstance(param, click.Option) for param in main.commands[name].params) + 1
    assert sum(re.match(r"  -\S.*\S {2,}\S", line) is not None for line in lines) == n_options
    assert [line for line in lines if line.startswith(" " * 8)] == []


def test_every_command_has_a_job_and_a_whole_line():
    listed = {name: line for commands in JOBS.values() for name, line in commands.items()}
    assert sorted(listed) == sorted(main.list_commands(click.Context(main)))
    for name, line in listed.items():
        command = main.get_command(click.Context(main), name)
        assert command.get_short_help_str(100) == line.removesuffix(".") or command.get_short_help_str(100) == line
    text = CliRunner().invoke(main, ["--help"], prog_name="rankmetrics", terminal_width=80).output
    assert max(map(len, text.splitlines())) <= 80
    assert all(f"  {line}\n" in text for line in listed.values())


@pytest.mark.parametrize("n_warnings", [3, 4, 6])
@pytest.mark.parametrize("is_verbose", [False, True])
def test_a_terminal_shows_three_warnings_and_counts_the_others(n_warnings, is_verbose, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with print_warnings(is_verbose):
        for number in range(n_warnings):
            warnings.warn(f"number {number}", rm.RankmetricsWarning, stacklevel=1)
    lines = capsys.readouterr().err.splitlines()
    n_hidden = 0 if is_verbose else n_warnings - 3
    noun = "warning" if n_hidden == 1 else "warnings"
    shown = [f"rankmetrics: warning: number {number}" for number in range(n_warnings - n_hidden)]
    assert lines == shown + [f"rankmetrics: {n_hidden} more {noun}: --verbose shows them"] * (n_hidden > 0)


def test_warnings_break_at_words(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    text = "some words that are together wider than the forty columns of this terminal"
    with print_warnings():
        warnings.warn(text, rm.RankmetricsWarning, stacklevel=1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) <= 40
    assert " ".join(line.strip() for line in lines) == f"rankmetrics: warning: {text}"

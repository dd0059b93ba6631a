"""Tables with nasty text, read back by a parser of each format; and where printing itself fails."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rankmetrics_sql.results import formats

from ..conftest import DEMO
from ..everything import each_once, examples

MARKS = st.sampled_from("|\\`*_~<>&[]{}#$%^\"',;!-+.:@() \t\n\r\x0b\x0c\x1b\x85\u2028aZ0é😀")
TEXT = st.text(MARKS, min_size=1, max_size=8).filter(str.strip)
HEADER = st.lists(TEXT.filter(lambda text: "\x85" not in text), min_size=2, max_size=4, unique=True)
TABLES = HEADER.flatmap(
    lambda names: st.lists(
        st.tuples(*[TEXT for _ in names]).map(lambda row: dict(zip(names, row, strict=True))), min_size=1, max_size=3
    )
)
BREAKS = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\x0b": "\\x0b", "\x0c": "\\x0c", "\x1b": "\\x1b", "\x85": "\\x85"}


def on_one_line(text):
    for mark, written in {**BREAKS, "\u2028": "\\u2028"}.items():
        text = text.replace(mark, written)
    return text


def cells(records):
    return [list(records[0]), *([*record.values()] for record in records)]


@examples(150)
@given(TABLES)
def test_csv(records):
    text = formats.render(records, "csv", None)
    assert list(csv.reader(io.StringIO(text, newline=""))) == cells(records)
    unquoted = re.sub(r'"(?:[^"]|"")*"', "", text)
    assert (unquoted.count("\n"), unquoted.count("\r")) == (len(records) + 1, 0)


def test_csv_in_duckdb(tmp_path):
    names = ["a\rb", "c\r\nd", 'e"f', "g,h", "i\nj"]
    (tmp_path / "x.csv").write_text(formats.render([{"id": name} for name in names], "csv", None), newline="")
    sql = f"SELECT id FROM read_csv('{tmp_path}/x.csv', header = true, delim = ',', quote = '\"', new_line = '\\n')"
    assert [row[0] for row in duckdb.execute(sql).fetchall()] == names


@examples(100)
@given(TABLES)
def test_json(records):
    assert json.loads(formats.render(records, "json", None)) == records
    assert [json.loads(line) for line in formats.render(records, "jsonl", None).split("\n")[:-1]] == records


@examples(300)
@given(TABLES)
def test_markdown(records):
    text = formats.render(records, "markdown", None)
    assert len(text.splitlines()) == len(records) + 2
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    inline = [token.children or [] for token in tokens if token.type == "inline"]
    found = ["".join(part.content for part in children) for children in inline]
    assert {part.type for children in inline for part in children} <= {"text", "text_special"}
    controls = str.maketrans({mark: BREAKS[mark] for mark in "\x0b\x0c\x1b\x85"})  # no reference to them is valid
    shown = [cell.translate(controls) for row in cells(records) for cell in row]
    no_width = "\u200b"  # stands behind the sign of a mention, which tests/cli/test_outcomes.py looks at
    assert [text.replace(no_width, "") for text in found] == [cell.replace(no_width, "") for cell in shown]


LATEX = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    **{f"\\{mark}": mark for mark in "&%$#_{}"},
    **{f"{{{mark}}}": mark for mark in "[*"},
}


@examples(150)
@given(TABLES)
def test_latex(records):
    lines = formats.render(records, "latex", None).split("\n")
    rows = [line.removesuffix(r" \\") for line in lines if line.endswith(r" \\")]
    assert len(lines) == len(rows) + 7  # the package, the tabular and its three rules, the end
    tokens = "|".join(map(re.escape, sorted(LATEX, key=len, reverse=True)))
    for row, wanted in zip(rows, cells(records), strict=True):
        parts = re.findall(rf"{tokens}|[^\\{{}}%$#^~]", row)
        assert "".join(parts) == row  # nothing that LaTeX would take for a command
        found = "".join("\0" if part == "&" else LATEX.get(part, part) for part in parts).split(" \0 ")
        assert found == list(map(on_one_line, wanted))
        assert not row.startswith(("[", "*"))


@examples(100)
@given(st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=4))
def test_trec(rows):
    records = [{"run_id": run, "query_id": query, "metric": metric, "value": 0.5} for run, query, metric in rows]
    lines = [line.split("\t") for line in formats.render(records, "trec").split("\n")[:-1]]
    values = [line for line in lines if line[1:2] != ["all"] or not line[0].startswith("runid")]
    assert {len(line) for line in lines} == {3}
    assert [(line[0].rstrip(), *line[1:]) for line in values] == [
        (on_one_line(metric).rstrip(), on_one_line(query), "0.5000") for _, query, metric in rows
    ]


@examples(50)
@given(TABLES)
@example([dict.fromkeys("abc", "-") | {name: "x" * 40} for name in "abc"])  # each row is wide elsewhere
@example([dict.fromkeys("abc", "\x1b" * 10)])
def test_a_table_has_a_line_for_each_row(records):
    lines = formats.render(records, "table", None).split("\n")
    assert len(lines) == len(records) + 3
    for line, wanted in zip([lines[0], *lines[2:-1]], cells(records), strict=True):
        place = 0
        for cell in wanted:
            shown = on_one_line(cell).rstrip()
            place = line.index(shown, place) + len(shown)


def test_trec_eval_s_names(cli, tmp_path):
    (tmp_path / "r").write_text("x Q0 a 1 2.0 t\n")
    (tmp_path / "q").write_text("x 0 a 1\n")
    names = {
        "nDCG@10": "ndcg_cut_10",
        "ndcg": "ndcg",
        "AP": "map",
        "ap@5": "map_cut_5",
        "MRR": "recip_rank",
        "rr@10": "rr@10",
        "Precision@5": "P_5",
        "R@1000": "recall_1000",
        "p": "set_P",
        "ap(rel=2)": "ap(rel=2)",
        "ndcg(gain=exp2)@10": "ndcg(gain=exp2)@10",
        "iprec@0.1": "iprec_at_recall_0.10",
        "success@1": "success_1",
        "num_rel_ret": "num_rel_ret",
        "Rprec": "Rprec",
    }
    metrics = [part for name in names for part in ("-m", name)]
    for more, query in (([], "all"), (["--per-query"], "x")):
        found = cli("evaluate", tmp_path / "r", "--qrels", tmp_path / "q", *metrics, "--format", "trec", *more)
        rows = [line.split("\t")[:2] for line in found.stdout.splitlines()]
        assert [(name.rstrip(), of) for name, of in rows] == [("runid", "all"), *((n, query) for n in names.values())]


PROGRAM = f"{sys.executable} -W error -m rankmetrics_sql"
RUN = f"evaluate {DEMO / 'covidex.t5.run.gz'} --qrels {DEMO / 'qrels.txt'} -m R@1000"


def shell(command):
    return subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("arguments", ["metrics", "--help", "--version", "sql --help", RUN])
def test_closed_standard_output_is_an_error(arguments):
    found = shell(f"{PROGRAM} {arguments} >&-")
    assert (found.returncode, found.stderr) == (1, "rankmetrics: standard output: it is closed.\n")


def test_closed_standard_output_does_not_mind_a_file(tmp_path):
    assert shell(f"{PROGRAM} {RUN} --output {tmp_path}/x.csv >&-").returncode == 0
    assert (tmp_path / "x.csv").read_text().startswith("run_id,metric")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_a_full_disk_is_an_error():
    found = shell(f"{PROGRAM} metrics > /dev/full")
    assert (found.returncode, found.stderr) == (1, "rankmetrics: output: No space left on device.\n")


@pytest.mark.parametrize(
    ("arguments", "reader"),
    each_once(
        ["metrics", "--help", f"{RUN} --per-query --format csv", "sql -m ap --run r --qrels q"], ["true", "head -c 1"]
    ),
)
def test_a_pipe_that_is_closed_early_is_no_traceback(arguments, reader):
    assert shell(f"{PROGRAM} {arguments} | {reader} > /dev/null").stderr == ""


def test_a_package_in_a_zip_says_that_it_cannot_be_used(tmp_path):
    package = DEMO.parent
    shutil.copytree(package, tmp_path / "in" / package.name, ignore=shutil.ignore_patterns("demo", "__pycache__"))
    archive = shutil.make_archive(str(tmp_path / "package"), "zip", tmp_path / "in")
    code = "import sys; sys.path.insert(0, sys.argv[1]); import rankmetrics_sql as rm; rm.evaluate([[1]], [[1]], 'rr')"
    found = subprocess.run(
        [sys.executable, "-c", code, archive], capture_output=True, text=True, check=False, cwd=tmp_path,
        env={"PYTHONPATH": "", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    last = found.stderr.splitlines()[-1]
    assert last.startswith("rankmetrics_sql.errors.DataError:")
    assert "inside a zip file" in last

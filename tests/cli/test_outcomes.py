"""What people and programs read about conditions: Markdown, JSON and JUnit, also when the command ends in an error."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest

import rankmetrics_sql as rm

from ..conftest import quietly

N_QUERIES = 12
NAMED = ("--fail-if", "loss: rr worse by 0.01", "--fail-unless", "floor: RR > 5", "--fail-if", "rr > 1")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The relevant item is first in good.run, and second or third in bad.run; those are in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    ranks = {"good": lambda query: 1, "bad": lambda query: 2 + query % 2}
    for name, rank in ranks.items():
        lines = [
            f"q{query} Q0 {'r' if place == rank(query) else f'n{place}'} {place} {9 - place} x\n"
            for query in range(N_QUERIES)
            for place in (1, 2, 3)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "qrels").write_text("".join(f"q{query} 0 r 1\n" for query in range(N_QUERIES)))
    return tmp_path


def test_a_value_that_is_asked_for(cli, files):
    """RR of bad.run is (1/2 + 1/3) / 2: exactly that passes, and more fails, in every output."""
    asked = ("evaluate", "good.run", "bad.run", "--qrels", "qrels", "-m", "rr")
    assert cli(*asked, "--fail-unless", "rr >= 0.4166", "--fail-unless", "rr <= 1").exit_code == 0
    everywhere = ("--format", "markdown", "--junit", "gates.xml", "--gates", "gates.json")
    done = cli(*asked, "--fail-unless", "floor: RR >= 0.42", "--fail-unless", "rr > 0", *everywhere)
    assert done.exit_code == 3
    assert done.stderr == "rankmetrics: fails: floor: RR >= 0.42: bad is 0.4167.\n"
    assert r"| **failed** | --fail-unless floor: RR \>= 0.42 | bad is 0.4167. |" in done.stdout
    assert {name: found[:1] for name, found in cases("gates.xml").items()} == {
        "floor": ["failure"],
        "--fail-unless rr > 0": ["system-out"],
    }
    first, second = json.loads((files / "gates.json").read_text())
    assert [first["outcome"], second["outcome"]] == ["failed", "passed"]
    assert [(row["run_id"], row["outcome"]) for row in first["compared"]] == [("good", "passed"), ("bad", "failed")]
    assert first["compared"][1]["value"] == pytest.approx((1 / 2 + 1 / 3) / 2)
    wrong = cli(*asked, "--fail-unless", "rr better")
    assert "METRIC >= NUMBER (also <=, <, >) compares the value with a number." in wrong.stderr


def compare(cli, *extra, runs=("good.run", "bad.run")):
    return cli("compare", *runs, "--qrels", "qrels", "-m", "rr", *extra)


def cases(path):
    """The test cases of a JUnit file: what became of each, by name."""
    return {case.get("name"): [child.tag for child in case] for case in ET.parse(path).getroot()}


def test_markdown_begins_with_the_conditions(cli, files):
    effect = quietly(rm.compare, "good.run", {"bad": "bad.run"}, "qrels", "rr").summary.dicts()[0]["effect_size"]
    assert effect == pytest.approx((1 / 2 + 1 / 3) / 2 - 1)
    for shown in ([], ["-q"], ["-o", "comment.md"]):
        found = compare(cli, *NAMED, *shown, *([] if "-o" in shown else ["--format", "markdown"]))
        assert found.exit_code == 3
        text = (files / "comment.md").read_text() if "-o" in shown else found.stdout
        above, table, *_ = text.split("\n\n")
        rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in above.splitlines()]
        assert rows[0] == ["outcome", "condition", "compared"]
        assert [row[:2] for row in rows[2:]] == [
            ["**failed**", "--fail-if loss: rr worse by 0.01"],
            ["passed", r"--fail-if rr \> 1"],
            ["**failed**", r"--fail-unless floor: RR \> 5"],
        ]
        assert [re.search(r"differs from good by (-\d\.\d+)", row[2])[1] for row in rows[2:]] == ["-0.5833"] * 3
        assert table.startswith("| metric |" if not shown or "-o" in shown else "| run |")
    assert compare(cli, "--format", "markdown").stdout.startswith("| metric |")
    value = cli("evaluate", "bad.run", "--qrels", "qrels", "-m", "rr", "--fail-if", "rr < 0.5", "--format", "markdown")
    assert value.stdout.splitlines()[2] == r"| **failed** | --fail-if rr \< 0.5 | bad is 0.4167. |"


def test_programs_read_the_conditions_in_a_file_of_their_own(cli, files):
    found = compare(cli, *NAMED, "--format", "json", "--gates", "gates.json", "--junit", "gates.xml")
    assert [row["metric"] for row in json.loads(found.stdout)] == ["rr"]
    gates = json.loads((files / "gates.json").read_text())
    assert [[gate[key] for key in ("name", "option", "condition", "outcome", "error")] for gate in gates] == [
        ["loss", "--fail-if", "rr worse by 0.01", "failed", None],
        [None, "--fail-if", "rr > 1", "passed", None],
        ["floor", "--fail-unless", "RR > 5", "failed", None],
    ]
    rows = [row for gate in gates for row in gate["compared"]]
    assert [(row["run"], row["baseline_run"], row["baseline"]) for row in rows] == [("bad", "good", 1)] * 3
    assert [row.get("verdict") for row in rows] == ["worse", None, None]
    said = [line.removeprefix("rankmetrics: fails: ") for line in found.stderr.splitlines() if ": fails: " in line]
    assert said == [f"loss: rr worse by 0.01: {rows[0]['message']}", f"floor: RR > 5: {rows[2]['message']}"]
    assert cases("gates.xml") == {"loss": ["failure"], "--fail-if rr > 1": ["system-out"], "floor": ["failure"]}


def test_names_and_colons_of_metrics(cli, files):
    metric = "ndcg(gain=exp2)@2"
    asked = ["compare", "good.run", "bad.run", "--qrels", "qrels", "-m", metric, "--gates", "gates.json"]
    assert cli(*asked, "--fail-if", f"{metric} worse", "--fail-if", f"the top two : {metric} > 5").exit_code == 3
    gates = json.loads((files / "gates.json").read_text())
    assert [(gate["name"], gate["condition"]) for gate in gates] == [
        (None, f"{metric} worse"), ("the top two", f"{metric} > 5"),
    ]  # fmt: skip
    twice = compare(cli, "--fail-if", "top: rr worse", "--fail-unless", "top: rr > 0")
    assert (twice.exit_code, twice.stdout) == (2, "")
    assert "Two conditions are called 'top'. Give each another name." in twice.stderr
    assert compare(cli, "--fail-if", "top: rr worse", "--fail-unless", "floor: rr > -5").exit_code == 3


@pytest.mark.parametrize(
    ("extra", "code"),
    [
        (["--fail-if", "rr worser"], 2),  # a condition that nobody understands
        (["--bogus"], 2),
        (["--format", "csv", "--format", "json"], 2),
        (["--partitions"], 2),
        (["--set", "tise=item_asc"], 2),
        (["--columns", "query_id=nowhere"], 1),
    ],
)
def test_errors_are_written(cli, files, extra, code):
    """As errors and not as failures, whatever stood in the files."""
    named = ["--fail-if", "loss: rr worse", "--junit", "gates.xml", "--gates=gates.json"]
    assert compare(cli, *named).exit_code == 3
    assert cases("gates.xml") == {"loss": ["failure"]}
    found = compare(cli, *named, *extra)
    assert found.exit_code == code
    assert cases("gates.xml")["loss"] == ["error"]
    suite = ET.parse("gates.xml").getroot()
    assert (suite.get("failures"), suite.get("errors"), suite.get("tests")) == ("0", str(len(suite)), str(len(suite)))
    message = suite[0][0].get("message")
    assert message.split(" Try:")[0] in found.stderr
    gates = json.loads((files / "gates.json").read_text())
    assert [(gate["outcome"], gate["error"]) for gate in gates] == [("error", message)] * len(suite)


def test_errors_without_conditions_are_those_of_the_command(cli, files):
    assert compare(cli, "--junit", "gates.xml", runs=("good.run", "lost.run")).exit_code == 1
    assert cases("gates.xml") == {"rankmetrics compare": ["error"]}
    assert cli("evaluate", "lost.run", "--qrels", "qrels", "-m", "rr", "--junit", "values.xml").exit_code == 1
    assert cases("values.xml") == {"rankmetrics evaluate": ["error"]}
    assert compare(cli, "--junit", "help.xml", "--help").exit_code == 0
    assert not (files / "help.xml").exists()


def test_a_stopped_command_is_an_error(cli, files, monkeypatch):
    def stop(*_arguments, **_keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(rm, "compare", stop)
    assert compare(cli, "--fail-if", "loss: rr worse", "--junit", "gates.xml").exit_code == 130
    assert cases("gates.xml") == {"loss": ["error"]}


def test_no_input_is_replaced(cli, files):
    """A file that is not ours stays, whether the command ends in an error or not."""
    before = (files / "good.run").read_text()
    misplaced = cli("compare", "--junit", "good.run", "bad.run", "--qrels", "qrels", "-m", "rr")
    assert (misplaced.exit_code, "CANDIDATE is missing" in misplaced.stderr) == (2, True)
    for option in ("--junit", "--gates"):
        refused = compare(cli, option, "good.run")
        said = f"{option} good.run would replace the input good.run. Pass another file name."
        assert (refused.exit_code, said in refused.stderr) == (2, True)
    assert (files / "good.run").read_text() == before


def test_a_condition_that_no_test_decides_is_an_error(cli, files):
    """Beside one that fails."""
    found = compare(
        *(cli, "-m", "rr(aggregate=max)", "--fail-if", "loss: rr(aggregate=max) worse"),
        *("--fail-unless", "floor: rr > 5", "--format", "markdown", "--junit", "gates.xml"),
    )
    assert found.exit_code == 1
    assert cases("gates.xml") == {"loss": ["error"], "floor": ["failure"]}
    assert "no test says whether bad is worse (12 queries)." in found.stderr
    assert found.stdout.splitlines()[2].startswith(
        "| **error** | --fail-if loss: rr(aggregate=max) worse | --fail-if 'loss: rr"
    )
    assert "rankmetrics: fails: floor: rr > 5: bad differs" in found.stderr


def test_a_run_mentions_nobody(cli, files):
    """GitHub notifies @user also behind a backslash, and not in an address; a space of no width prevents it."""
    (files / "@octocat.run").write_text((files / "bad.run").read_text())
    (files / "@_x.run").write_text((files / "bad.run").read_text())
    (files / "me@home.run").write_text((files / "bad.run").read_text())
    runs = ("good.run", "./@octocat.run", "./@_x.run", "me@home.run")
    text = compare(cli, "--fail-if", "rr worse", "--format", "markdown", "-m", "rr@10", runs=runs).stdout
    assert re.findall(r"@(?!&#8203;)\W*\w+", text.replace("me@home", "")) == ["@10"] * text.count("rr@10")
    assert text.count("@&#8203;octocat") >= 3
    assert text.count(r"@&#8203;\_x") >= 3
    assert "me@home" in text


def test_junit_holds_what_xml_cannot(cli, files):
    found = compare(cli, "--fail-if", "rr worse", "--junit", "gates.xml", runs=("good.run", "\x0b\ufffe=bad.run"))
    assert found.exit_code == 3
    [failure] = ET.parse("gates.xml").getroot().iter("failure")
    assert failure.text.startswith(r"rr worse: \x0b\ufffe differs from good by -0.5833")

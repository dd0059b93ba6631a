"""What ``rankmetrics semantic-model`` writes: the example's own file, and YAML that every dbt reads."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from dev.dbt_envs import project, run

EXAMPLE = Path(__file__).parents[2] / "dbt_example"
SUMS = """
select cast('de' as varchar) as market, cast('2026-01-01' as date) as asked_on, cast('rr' as varchar) as metric,
    1 as users, 0.5 as main_sum, 0.25 as main_sum_squares, 2.0 as denominator_sum
"""
SPINE = "select cast('2026-01-01' as date) as date_day"
ASKED = (
    "quality",
    "-m",
    "rr nDCG(dcg='exp-log2')@10 num_rel",
    "--by",
    "market",
    "--time",
    "asked_on",
    "--prefix",
    "of_",
)


def written(cli, *arguments):
    done = cli("semantic-model", *arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_file_of_the_example_is_what_its_readme_says_wrote_it(cli):
    [command] = re.findall(
        r"^rankmetrics (semantic-model .*?) > (\S+)$", (EXAMPLE / "README.md").read_text(), re.DOTALL | re.MULTILINE
    )
    assert cli(*shlex.split(command[0].replace("\\\n", " "))).stdout == (EXAMPLE / command[1]).read_text(
        encoding="utf-8"
    )


def test_a_mean_is_a_ratio_of_sums_and_a_sum_is_one(cli):
    [model] = yaml.safe_load(written(cli, *ASKED, "--weighted", "--period", "week", "--spec", "new"))["models"]
    metrics = {metric["name"]: metric for metric in model["metrics"]}
    assert metrics["of_num_rel"]["type"] == "simple"
    assert metrics["of_rr"] == {
        "name": "of_rr",
        "label": "rr",
        "description": "Mean rr over the queries of any rows together.",
        "type": "ratio",
        "numerator": "of_rr_sum",
        "denominator": "of_rr_queries",
    }
    quoted = "case when metric = 'nDCG(dcg=''exp-log2'')@10' then denominator_sum end"
    assert metrics["of_ndcg_gain_exp2_score_type_double_at_10_queries"]["expr"] == quoted
    assert [column["granularity"] for column in model["columns"] if "granularity" in column] == ["week"]


def test_by_default_it_is_in_the_form_that_every_dbt_reads(cli):
    assert written(cli, *ASKED) == written(cli, *ASKED, "--spec", "old")
    assert yaml.safe_load(written(cli, *ASKED)).keys() == {"version", "semantic_models", "metrics"}


@pytest.mark.parametrize("metric", ["gm_map", "rr(aggregate=median)", "ips"])
def test_what_is_no_ratio_of_sums_is_refused(cli, metric):
    done = cli("semantic-model", "quality", "-m", metric, "--time", "asked_on")
    assert done.exit_code == 2
    assert "is not a ratio of sums over queries. Take aggregate=mean." in done.stderr


def test_a_column_whose_name_dbt_reserves_is_refused(cli):
    done = cli("semantic-model", "quality", "-m", "rr", "--by", "market", "--time", "Day")
    assert done.exit_code == 2
    assert "Column Day: dbt reserves this name" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("environment", "spec"),
    [("dbt-1.8", "old"), ("dbt-1", "old"), ("dbt-1", "new"), ("dbt-2", "old"), ("dbt-2", "new")],
)
def test_dbt_reads_it(tmp_path, cli, environment, spec):
    project.write_frame(tmp_path)
    spine = {"time_spine": {"standard_granularity_column": "date_day"}}
    column = {"columns": [{"name": "date_day", "granularity": "day"}]}
    described = {"version": 2, "models": [{"name": "metricflow_time_spine", **spine, **column}]}
    project.write_files(
        tmp_path,
        {
            "models/quality.sql": SUMS,
            "models/metricflow_time_spine.sql": SPINE,
            "models/quality.yml": written(cli, *ASKED, "--spec", spec),
            **({} if environment == "dbt-1.8" else {"models/spine.yml": described}),
        },
    )
    assert run(environment, tmp_path, "deps").status == 0
    done = run(environment, tmp_path, "parse")
    assert done.status == 0, done.output
    if environment != "dbt-2":  # which writes no such manifest
        manifest = json.loads((tmp_path / "target" / "semantic_manifest.json").read_text())
        names = {metric["name"]: metric["type"] for metric in manifest["metrics"]}
        assert names["of_rr"] == "ratio"
        assert names["of_num_rel"] == "simple"

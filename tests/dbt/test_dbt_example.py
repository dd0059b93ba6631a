"""The project of dbt_example: built, broken on purpose, continued by a month, read by its notebook and its README."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import statistics
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import rankmetrics_sql as rm
from dev.dbt_envs import Done, run

from ..conftest import alike, quietly

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "dbt_example"
ENGINES = ("dbt-1", "dbt-2")
NOT_COPIED = ("target", "logs", "dbt_packages", "package-lock.yml", "*.duckdb*", ".user.yml", ".ipynb_checkpoints")
README = (EXAMPLE / "README.md").read_text(encoding="utf-8")
NOTEBOOK = (EXAMPLE / "quality.ipynb").read_text(encoding="utf-8")

pytestmark = pytest.mark.long

# TREC-COVID's own figures, to the four decimals that it published.
PUBLISHED = {
    ("covidex.t5", "ndcg@10"): 0.6250,
    ("covidex.t5", "p@5"): 0.7314,
    ("covidex.t5", "bpref"): 0.4876,
    ("covidex.t5", "ap"): 0.2880,
    ("covidex.t5", "rr"): 0.8534,
    ("covidex.sim", "ndcg@10"): 0.3254,
    ("covidex.sim", "p@5"): 0.3829,
    ("covidex.sim", "bpref"): 0.4546,
    ("covidex.sim", "ap"): 0.1567,
    ("covidex.sim", "rr"): 0.5705,
}
THRESHOLDS = ["recommendations_hit_in_every_segment", "search_release_is_good_enough"]
WARNINGS = [
    "bandit_logs_say_enough_of_another_policy",
    "recommendations_did_not_drop_this_year",
    "search_top_10_is_judged",
]

MONTHLY = "system, rated_month, user_id, segment, ndcg_at_10, rr_at_10, r_at_50"


@dataclass(frozen=True)
class Project:
    """A copy of the example, and the dbt that it is run with."""

    engine: str
    path: Path
    built: Done

    def dbt(self, *arguments: str) -> Done:
        return run(self.engine, self.path, *arguments, target="dev")

    def query(self, text: str, warehouse: str = "quality.duckdb") -> list[tuple[Any, ...]]:
        with duckdb.connect(self.path / warehouse, read_only=True) as connection:
            return connection.execute(text).fetchall()

    def change(self, text: str, warehouse: str) -> None:
        with duckdb.connect(self.path / warehouse) as connection:
            connection.execute(text).fetchall()

    def manifest(self) -> dict[str, Any]:
        return json.loads((self.path / "target" / "manifest.json").read_text(encoding="utf-8"))


def copy(engine: str, folder: Path) -> Path:
    """The example beside the package, as in a clone, with the package installed in it."""
    shutil.copytree(ROOT / "sql", folder / "sql", ignore=shutil.ignore_patterns(*NOT_COPIED))
    project = folder / "dbt_example"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns(*NOT_COPIED))
    installed = run(engine, project, "deps", target="dev")
    assert installed.status == 0, installed.output
    return project


@pytest.fixture(scope="module", params=ENGINES)
def project(request, tmp_path_factory):
    engine = request.param
    path = copy(engine, tmp_path_factory.mktemp(engine))
    return Project(engine, path, run(engine, path, "build", target="dev"))


ONLY_DBT_1 = pytest.mark.parametrize("project", ["dbt-1"], indirect=True)


@pytest.fixture
def warehouse(project, monkeypatch):
    """Another warehouse for the same project, so that the built one stays as it is."""
    name = "other.duckdb"
    monkeypatch.setenv("WAREHOUSE", name)
    yield name
    (project.path / name).unlink(missing_ok=True)


@pytest.fixture(scope="module")
def broken(project):
    """The build that must fail, in a warehouse of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WAREHOUSE", "broken.duckdb")
        return project.dbt("build", "--vars", "{error_below: 2}")


def test_a_clean_clone_builds(project):
    built = project.built
    assert built.status == 0, built.output
    assert [built.of(status) for status in ("error", "fail", "skipped")] == [[], [], []]
    assert built.of("warn") == WARNINGS


def test_the_project_shows_what_the_package_has(project):
    nodes = project.manifest()["nodes"].values()
    tests = {node["test_metadata"]["name"] for node in nodes if node.get("test_metadata")}
    package = {file.stem for file in (ROOT / "sql" / "macros" / "tests").glob("*.sql")} - {"shared", "shared_judged"}
    assert package <= tests
    macros = {macro for node in nodes for macro in node["depends_on"].get("macros", [])}
    for name in ("per_query", "summary", "compare"):
        assert f"macro.rankmetrics_sql.{name}" in macros or project.engine == "dbt-2"


def test_the_published_figures_come_out(project):
    figures = {
        (run_id, metric): value
        for run_id, metric, value in project.query("select run_id, metric, value from search_figures")
    }
    assert figures.keys() == PUBLISHED.keys()
    assert {key: round(value, 4) for key, value in figures.items()} == PUBLISHED
    assert project.query("select distinct n_queries from search_figures") == [(35,)]


def test_the_seed_holds_the_published_figures():
    with (EXAMPLE / "seeds" / "published_figures.csv").open(encoding="utf-8") as file:
        assert {(row["run_id"], row["metric"]): float(row["published"]) for row in csv.DictReader(file)} == PUBLISHED


def test_python_gives_the_same_numbers(project):
    columns = {"query_id": "user_id", "run_id": "system", "position": "position"}
    with duckdb.connect(project.path / "quality.duckdb", read_only=True) as connection:
        result = quietly(
            rm.evaluate,
            "stg_recommendations",
            "stg_rating_judgments",
            ["ndcg@10", "rr@10", "success@10", "r@50"],
            connection=connection,
            columns=columns,
            by="segment",
        )
        python = {(row["run_id"], row["user_id"]): row for row in result.per_query.dicts()}
    dbt = project.query(
        "select system, user_id, segment, ndcg_at_10, rr_at_10, success_at_10, r_at_50 from recommender_per_user"
    )
    assert len(dbt) == len(python) == 1220
    for system, user, segment, *values in dbt:
        row = python[system, user]
        names = ("ndcg@10", "rr@10", "success@10", "r@50")
        assert [row["segment"], *(row[name] for name in names)] == [
            segment,
            *(pytest.approx(v, abs=1e-12) for v in values),
        ]


def test_what_another_policy_earns(project):
    """By hand: the weight of a row is the chance of the one policy over that of the other."""
    log = project.query("select policy, clicked, 1 / 46 / propensity from stg_bandit_impressions")
    wanted = {}
    for policy in ("random", "thompson"):
        rows = [(clicked, weight) for name, clicked, weight in log if name == policy]
        total, earned = sum(weight for _, weight in rows), sum(clicked * weight for clicked, weight in rows)
        wanted[policy, "ips"], wanted[policy, "snips"] = earned / len(rows), earned / total
        wanted[policy, "ess"] = total**2 / sum(weight**2 for _, weight in rows)
        wanted[policy, "clipped_weights(clip=10)"] = sum(weight > 10 for _, weight in rows) / len(rows)
    found = project.query("select policy, metric, value from bandit_policy_value")
    assert {tuple(key): value for *key, value in found} == pytest.approx(wanted, rel=1e-11)
    assert wanted["random", "ips"] == pytest.approx(0.0046)  # the published share of impressions that were clicked


def test_what_lists_are_made_of(project):
    """By hand, from the lists and genres as they were loaded."""
    genres = {item: set(names.split("|")) for item, names in project.query("select item_id, genres from raw.films")}
    rated = Counter(item for (item,) in project.query("select item_id from raw.ratings"))
    shown: dict[str, dict[int, list[int]]] = {}
    for system, user, item in project.query(
        "select system, user_id, item_id from raw.recommendations where position <= 10"
    ):
        shown.setdefault(system, {}).setdefault(user, []).append(item)
    found = {(system, name): value for system, name, value, _ in project.query("from recommender_beyond_accuracy")}
    for system, lists in shown.items():
        times = Counter(item for items in lists.values() for item in items)
        counts = sorted(times.get(item, 0) for item in genres)
        uneven = sum((2 * place - len(counts) - 1) * count for place, count in enumerate(counts, 1))
        alike = statistics.fmean(len({*one} & {*other}) / 10 for one, other in combinations(lists.values(), 2))
        apart = statistics.fmean(
            statistics.fmean(
                1 - len(genres[one] & genres[other]) / len(genres[one] | genres[other])
                for one, other in combinations(items, 2)
            )
            for items in lists.values()
        )
        assert {name: value for (of, name), value in found.items() if of == system} == pytest.approx(
            {
                "catalogue_coverage@10": len(times) / len(genres),
                "exposure_gini@10": uneven / len(counts) / sum(counts),
                "personalisation@10": 1 - alike,
                "average_popularity@10": statistics.fmean(
                    statistics.fmean(rated[item] for item in items) for items in lists.values()
                ),
                "intra_list_diversity@10": apart,
            },
            rel=1e-11,
        )


def test_levels_agree(project):
    """Means of the stored per-query tables are the summaries, and differences of summaries the comparisons."""
    assert (
        project.query("""
        select s.metric, s.system, s.segment
        from recommender_by_segment as s
        join (
            unpivot (
                select system, segment, count(*) as n, avg(ndcg_at_10) as "ndcg@10", avg(rr_at_10) as "rr@10",
                    avg(success_at_10) as "success@10", avg(r_at_50) as "r@50"
                from recommender_per_user group by all
            ) on "ndcg@10", "rr@10", "success@10", "r@50" into name metric value mean
        ) as u on s.metric = u.metric and s.system = u.system and s.segment = u.segment
        where abs(s.value - u.mean) < 1e-12 and s.n_queries = u.n
    """).__len__()
        == 16
    )
    assert (
        project.query("""
        select c.effect_size - (t.value - s.value)
        from search_comparison as c
        join search_figures as t on t.metric = c.metric and t.run_id = 'covidex.t5'
        join search_figures as s on s.metric = c.metric and s.run_id = 'covidex.sim'
    """)
        == [(pytest.approx(0, abs=1e-12),)] * 4
    )


def test_thresholds_come_from_a_variable(project, broken):
    assert broken.status != 0
    assert broken.of("fail") == THRESHOLDS
    assert broken.of("error") == []
    assert {"search_figures", "search_comparison", "recommender_by_segment"} <= set(broken.of("skipped"))
    broken = "select metric, value, error_below, n_queries, severity_level from main_dbt_test__audit"
    assert project.query(f"{broken}.search_release_is_good_enough order by metric", "broken.duckdb") == [
        ("ndcg@10", pytest.approx(0.6250, abs=5e-5), 2, 35, 2),
        ("p@5", pytest.approx(0.7314, abs=5e-5), 2, 35, 2),
    ]
    groups = (
        "select run_id, segment, n_queries from main_dbt_test__audit.recommendations_hit_in_every_segment order by all"
    )
    assert project.query(groups, "broken.duckdb") == [
        ("itemknn", "heavy", 207),
        ("itemknn", "light", 403),
        ("popularity", "heavy", 207),
        ("popularity", "light", 403),
    ]


def test_a_warning_says_what_it_is_about(project):
    bandit, dropped, judged = (f"main_dbt_test__audit.{name}" for name in WARNINGS)
    assert project.query(f"select run_id, metric, value, error_below, warn_below from {judged}") == [
        ("covidex.sim", "judged@10", pytest.approx(174 / 350), 0.4, 0.5)
    ]
    assert project.query(f"select run_id, metric, round(value, 2), warn_below from {bandit}") == [
        ("thompson", "ess", 2.08, 100)
    ]
    [(system, period, drop)] = project.query(f"select system, last_period, drop_in_deviations from {dropped}")
    assert (system, str(period)[:10]) == ("popularity", "2018-01-01")
    assert 2 < drop < 4


def test_a_new_month_is_added_and_the_rest_is_left(project, warehouse):
    def months(condition="true"):
        return project.query(f"select {MONTHLY} from recommender_per_month where {condition} order by all", warehouse)

    def computed():
        """Which invocation computed which months, in the order of time."""
        return project.query(
            "select min(rated_month)::varchar, max(rated_month)::varchar, computed_by from recommender_per_month "
            "group by computed_by order by 1",
            warehouse,
        )

    select = ("run", "--select", "+recommender_per_month")
    assert project.dbt(*select, "--vars", "{rated_until: '2016-06-15'}").status == 0
    [(_, _, first)] = computed()
    assert computed() == [("1996-03-01", "2016-06-01", first)]
    half = months("rated_month = '2016-06-01'")

    assert project.dbt(*select).status == 0
    [_, (_, _, second)] = computed()
    assert computed() == [("1996-03-01", "2016-05-01", first), ("2016-06-01", "2018-09-01", second)]
    assert months("rated_month = '2016-06-01'") != half, "the rest of June has come, and June was not computed again"
    everything = f"select {MONTHLY} from recommender_per_month order by all"
    assert months() == alike(project.query(everything)), "not what a build from nothing gives"

    # A change to an old month survives, so nobody looked at it; a full refresh takes it back.
    project.change("update recommender_per_month set ndcg_at_10 = 7 where rated_month = '2010-01-01'", warehouse)
    assert project.dbt(*select).status == 0
    assert {row[4] for row in months("rated_month = '2010-01-01'")} == {7.0}
    assert [span[:2] for span in computed()][-1] == ("2018-09-01", "2018-09-01")
    assert project.dbt(*select, "--full-refresh").status == 0
    assert months() == alike(project.query(everything))


def test_a_month_grows_by_days(project, warehouse):
    """The second build sees the rest of a day and the days after it, and they leave what one build of all gives."""
    select, days = (
        ("run", "--select", "+log_by_month"),
        "select * exclude (computed_by) from log_sums_per_day order by all",
    )
    assert project.dbt(*select, "--vars", "{logged_until: '2025-01-24 12:00'}").status == 0
    begun = project.query(days, warehouse)
    assert project.dbt(*select).status == 0
    grown = project.query(days, warehouse)
    spans = project.query(
        "select min(logged_on)::varchar, max(logged_on)::varchar from log_sums_per_day group by computed_by order by 1",
        warehouse,
    )
    assert spans == [("2024-12-10", "2025-01-23"), ("2025-01-24", "2025-03-03")]
    assert [row for row in begun if str(row[1]) == "2025-01-24" and row not in grown], "the rest of the day has come"
    assert grown == alike(project.query(days))
    months = {row[:3]: row[3:] for row in project.query("select * from log_by_month", warehouse)}
    assert len({month for _, month, _ in months}) == 4
    expected = months_from_requests(project, warehouse)
    assert months == {key: pytest.approx(found, rel=1e-12, abs=1e-12) for key, found in expected.items()}


def months_from_requests(project: Project, warehouse: str) -> dict[tuple[Any, ...], tuple[float, int, float | None]]:
    """Mean, number and standard error of each shop, month and metric, from the values of all requests."""
    found = {}
    with duckdb.connect(project.path / warehouse, read_only=True) as connection:
        result = quietly(
            rm.labelled,
            "(SELECT * REPLACE (CAST(date_trunc('month', requested_at) AS DATE) AS requested_at) FROM log_impressions)",
            ["ndcg@10", "rr@10", "ctr@10", "abandonment"],
            connection=connection,
            columns={"position": "position"},
            by=["application", "requested_at"],
        )
        values = result.per_query.dicts()
    groups: dict[tuple[Any, ...], list[float]] = {}
    for row in values:
        for metric in result.metrics:
            groups.setdefault((row["application"], row["requested_at"], metric), []).append(row[metric])
    for key, values in groups.items():
        error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
        found[key] = (statistics.fmean(values), len(values), error)
    return found


def test_a_contract_is_kept(project, warehouse):
    file = project.path / "models" / "search" / "_search.yml"
    text = file.read_text(encoding="utf-8")
    assert text.count("data_type: double") == 5
    try:
        file.write_text(text.replace("data_type: double", "data_type: varchar", 1), encoding="utf-8")
        done = project.dbt("run", "--select", "+search_per_query")
    finally:
        file.write_text(text, encoding="utf-8")
    assert done.status != 0
    assert done.of("error") == ["search_per_query"]


@ONLY_DBT_1  # dbt 2 fails its unit tests when told --empty
def test_nothing_fails_without_rows(project, warehouse):
    done = project.dbt("build", "--empty")
    assert done.status == 0, done.output


@ONLY_DBT_1  # dbt 2 writes no such manifest
def test_the_semantic_layer_is_over_the_per_query_table(project):
    manifest = json.loads((project.path / "target" / "semantic_manifest.json").read_text(encoding="utf-8"))
    models = {model["node_relation"]["alias"]: model for model in manifest["semantic_models"]}
    assert set(models) == {"recommender_per_month", "log_sums_per_day"}
    model = models["recommender_per_month"]
    columns = {name for (name, *_) in project.query("describe recommender_per_month")}
    for part in ("entities", "dimensions", "measures"):
        assert {thing["expr"] or thing["name"] for thing in model[part]} - {"1"} <= columns
    names = ("log_ndcg_at_10", "log_rr_at_10", "log_ctr_at_10", "log_abandonment")
    of_sums = {f"{name}{part}" for name in names for part in ("", "_sum", "_queries")}
    assert {metric["name"] for metric in manifest["metrics"]} == {"ndcg_at_10", "rr_at_10", "judged_lists"} | of_sums


@ONLY_DBT_1
def test_a_ratio_of_sums_is_the_mean_of_any_days_and_shops(project):
    """Of months, shops and all together, held against the values of the requests themselves."""
    manifest = json.loads((project.path / "target" / "semantic_manifest.json").read_text(encoding="utf-8"))
    metrics = {metric["name"]: metric["type_params"] for metric in manifest["metrics"]}
    ratio = metrics["log_ndcg_at_10"]
    parts = [metrics[ratio[part]["name"]] for part in ("numerator", "denominator")]
    assert [part["metric_aggregation_params"]["agg"] for part in parts] == ["sum", "sum"]
    value = " / ".join(f"sum({part['expr']})" for part in parts)
    requests = months_from_requests(project, "quality.duckdb")
    of_ndcg = {key[:2]: found[:2] for key, found in requests.items() if key[2] == "ndcg@10"}
    for keys in (["application"], ["cast(date_trunc('month', logged_on) as date)"], []):
        rows = project.query(f"select {', '.join([*keys, value])} from log_sums_per_day group by all")
        assert rows
        for *key, found in rows:
            chosen = [(mean, n) for group, (mean, n) in of_ndcg.items() if set(key) <= set(group)]
            assert found == pytest.approx(sum(mean * n for mean, n in chosen) / sum(n for _, n in chosen), rel=1e-12)


def test_the_notebook_runs(project):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.reads(NOTEBOOK, 4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(project.path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    said = [output.text for output in outputs if output.get("name") == "stderr"]
    assert all("RankmetricsWarning" in text and "equal scores whose order decides" in text for text in said)  # they do
    assert sum("image/svg+xml" in output.get("data", {}) for output in outputs) == 7
    assert "matplotlib" not in NOTEBOOK
    printed = "".join(output.text for output in outputs if output.output_type == "stream")
    for figure in ("0.3254", "0.0542", "covidex.t5  judged@10"):
        assert figure in printed


def test_the_page_of_evidence_charts_the_marts(project):
    """Its queries over the exported files, and the columns that its charts name; Evidence itself is not run."""
    exported = project.dbt("run-operation", "export_marts")
    assert exported.status == 0, exported.output
    folder = project.path / "evidence"
    page = (folder / "pages" / "index.md").read_text(encoding="utf-8")
    with duckdb.connect() as connection:
        connection.execute("create schema quality")
        for file in sorted((folder / "sources" / "quality").glob("*.sql")):
            text = file.read_text(encoding="utf-8").replace("'sources/", f"'{folder}/sources/")
            connection.execute(f"create table quality.{file.stem} as {text}")
        queries = dict(re.findall(r"```sql (\w+)\n(.*?)```", page, re.DOTALL))
        answers = {name: connection.sql(text) for name, text in queries.items()}
        rows = {name: answer.fetchall() for name, answer in answers.items()}
        columns = {name: set(answer.columns) for name, answer in answers.items()}
    assert rows == {name: project.query(text.replace("quality.", "")) for name, text in queries.items()}
    assert {row[0]: round(row[2], 4) for row in rows["systems"] if row[1] == "ndcg@10"} == {
        name: value for (name, metric), value in PUBLISHED.items() if metric == "ndcg@10"
    }
    charts = re.findall(r"<(\w+) data=\{(\w+)\}(.*?)/>", page)
    assert {data for _, data, _ in charts} == set(queries)
    for _, data, settings in charts:
        assert set(re.findall(r"(?:x|y|series)=(\w+)", settings)) <= columns[data]


def test_the_notebook_is_committed_without_outputs():
    code = [cell for cell in json.loads(NOTEBOOK)["cells"] if cell["cell_type"] == "code"]
    assert not [cell for cell in code if cell["outputs"] or cell["execution_count"]]


def test_the_exposure_names_what_the_notebook_reads(project):
    manifest = project.manifest()
    [exposure] = manifest["exposures"].values()
    models = {node["name"] for node in manifest["nodes"].values() if node["resource_type"] == "model"}
    named = {key.split(".")[-1] for key in exposure["depends_on"]["nodes"]}
    assert named == {name for name in models if re.search(rf"\b{name}\b", NOTEBOOK)} - {"days"}


def graph(manifest: dict[str, Any]) -> str:
    """What depends on what, as Mermaid; the README holds this text."""
    names = {}
    for kind in ("nodes", "sources", "exposures"):
        for key, node in manifest[kind].items():
            if node["resource_type"] in ("model", "seed", "source", "exposure") and node["package_name"] == "quality":
                names[key] = f"raw.{node['name']}" if kind == "sources" else node["name"]
    lines = []
    for key, node in (manifest["nodes"] | manifest["exposures"]).items():
        if key in names:
            lines += [f"    {names[parent]} --> {names[key]}" for parent in node["depends_on"].get("nodes", [])]
    return "\n".join(["flowchart LR", *sorted(lines)])


def test_the_readme_shows_the_graph(project):
    [shown] = re.findall(r"```mermaid\n(.*?)\n```", README, re.DOTALL)
    assert shown == graph(project.manifest())


CHANGING = r"^\d\d:\d\d:\d\d\s*|\d+ of \d+ | in [\d.]+s| REUSED=0|(?<=\.)\.+"


def plain(text: str) -> list[str]:
    """Lines without what differs from time to time and between releases of dbt 1: clock, order, seconds, dots."""
    return [re.sub(CHANGING, "", line).rstrip() for line in text.splitlines() if line.strip()]


@ONLY_DBT_1  # whose words the README shows
@pytest.mark.parametrize("block", re.findall(r"```console\n\$ dbt (.*?)\n```", README, re.DOTALL))
def test_the_readme_shows_what_dbt_says(project, broken, block):
    command, _, output = block.partition("\n")
    arguments = shlex.split(command)
    ready = {"build": project.built, "build --vars": broken}.get(" ".join(arguments[:2]))
    done = ready or project.dbt(*arguments)
    said = plain(done.output)
    missing = [line for line in plain(output.replace("...\n", "", 1)) if line not in said]
    assert not missing, "\n".join(said)


def test_data_are_small_and_carry_their_notice():
    folders = [folder for folder in (EXAMPLE / "data").iterdir() if folder.is_dir()]
    assert len(folders) == 4
    for folder in folders:
        assert (folder / "NOTICE").is_file()
        notice = (folder / "NOTICE").read_text(encoding="utf-8")
        assert {file.name for file in folder.glob("*.parquet")} == set(
            re.findall(r"^(\w+\.parquet)", notice, re.MULTILINE)
        )
    assert sum(file.stat().st_size for file in (EXAMPLE / "data").rglob("*") if file.is_file()) < 1_000_000


def test_every_model_and_column_is_described(project):
    for node in project.manifest()["nodes"].values():
        if node["resource_type"] == "model" and node["package_name"] == "quality":
            assert node["description"], node["name"]
            assert all(column["description"] for column in node["columns"].values()), node["name"]


def test_the_yaml_names_no_version_but_the_range():
    config = yaml.safe_load((EXAMPLE / "dbt_project.yml").read_text(encoding="utf-8"))
    assert config["require-dbt-version"] == [">=1.10.8", "<3.0.0"]
    packages = yaml.safe_load((EXAMPLE / "packages.yml").read_text(encoding="utf-8"))
    assert packages == {"packages": [{"local": "../sql"}]}

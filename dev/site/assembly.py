"""The folder that the site is built from: the pages of docs/, the generated reference, and the navigation."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

from rankmetrics_sql.errors import DataError

from .. import generate
from . import api, charts, excerpt, figures, flow, notebooks, phrasebook, pictures, reference, stages

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TARGET = ROOT / "build" / "docs"

# The navigation: a page, or a section of pages and sections, by their paths in docs or in the generated pages.
Section = Mapping[str, "str | Section"]
NAVIGATION: Section = {
    "Home": "index.md",
    "Get started": "start.md",
    "Guides": {
        "A/B test: compare two arms": {
            "Compare two arms": "ab_test.md",
            "GrowthBook and Eppo": "platforms.md",
        },
        "Score a click log": {
            "A click log": "logs.md",
            "Searches that lose clicks": "searches_that_lose.md",
            "Revenue and conversions": "money.md",
            "Judgments from clicks": "click_judgments.md",
        },
        "Compare runs": {
            "Compare two runs": "comparing.md",
            "Compare many runs": "many_runs.md",
        },
        "Recommenders": "recommender.md",
        "RAG": "rag.md",
        "Human and model grades": "judges.md",
        "dbt": {"Metrics and tests": "dbt.md", "Recipes": "dbt_recipes.md"},
        "SQL without Python": "dba.md",
        "Reports and charts": {
            "Charts and notebooks": "charts.md",
            "A report": "report.md",
        },
        "CI: fail a build": "ci.md",
    },
    "Understand": {
        "Choose a metric": "which.md",
        "How the SQL works": "stages.md",
        "Lists, ratings, labelled tables": "sources.md",
        "Groups, periods, weights": "breakdowns.md",
        "Plan and gate a release": "planning.md",
        "Which test to trust": {
            "Choose a test": "tests.md",
            "When intervals and tests fail": "failures.md",
            "How often they are right": "coverage.md",
        },
    },
    "Reference": {
        "Metrics": "metrics/index.md",
        "Options": "options.md",
        "Python API": "python.md",
        "Command line": "command_line.md",
        "Macros and tests of dbt": "package.md",
        "Databases": {
            "All databases": "engines.md",
            "DuckDB": "duckdb.md",
            "SQLite": "sqlite.md",
            "PostgreSQL": "postgresql.md",
            "MySQL and MariaDB": "mysql.md",
            "ClickHouse": "clickhouse.md",
            "Trino and Athena": "trino.md",
            "Spark": "spark.md",
            "Databricks": "databricks.md",
            "BigQuery": "bigquery.md",
            "Snowflake": "snowflake.md",
            "Redshift": "redshift.md",
            "Others": "rendered.md",
        },
        "Same numbers as other tools": {
            "Profiles": "other_tools.md",
            "Phrase book": "phrasebook.md",
        },
        "Performance": {
            "At a glance": "performance.md",
            "In detail": "performance_details.md",
        },
        "Contributing": "contributing.md",
    },
}
# The pages of the site for links of docs to files outside of docs.
ELSEWHERE = {
    "../sql/README.md": "package.md",
    "../sql/README.md#example": "package.md#example",
    "../sql/README.md#metric-reference": "metrics/index.md",
    "../sql/README.md#options": "options.md",
    "../CONTRIBUTING.md": "contributing.md",
}


def generated_files() -> dict[Path, str]:
    """The README, whose excerpt is generated, and the generated files of docs, by path."""
    files = {"stages.md": stages.page(), "phrasebook.md": phrasebook.page(), **pictures.pictures()}
    files |= {"pictures/arms.svg": charts.arms(), "pictures/stages.svg": flow.flow()}
    files |= {"performance.md": figures.page()}
    return {excerpt.README: excerpt.readme()} | {DOCS / path: text for path, text in files.items()}


def drawn_files() -> dict[Path, str]:
    """Return the pages with charts and their pictures, by path: drawing them takes some seconds."""
    return {DOCS / path: text for path, text in charts.drawn().items()}


def stale(files: Mapping[Path, str]) -> list[str]:
    """Return the names of generated files that differ from the repository's; of pictures only what they show counts."""
    names = []
    for path, text in files.items():
        current = path.read_text(encoding="utf-8") if path.exists() else ""
        is_equal = current and charts.marks(current) == charts.marks(text) if path.suffix == ".svg" else current == text
        if not is_equal:
            names.append(path.name)
    return names


def assemble(*, run: bool = False) -> Path:
    """Write the folder anew; return the path of the site generator's configuration.

    With ``run``, notebooks are run, and their pages show what their cells do.

    Raise DataError if a page links to a file that the site does not have.
    """
    shutil.rmtree(TARGET, ignore_errors=True)
    pages = TARGET / "pages"
    shutil.copytree(
        DOCS, pages, ignore=lambda _folder, names: [name for name in names if name.endswith((".md", ".ipynb"))]
    )
    for path, text in (_pages_of_docs() | notebooks.pages(run=run) | reference.pages() | api.pages()).items():
        (pages / path).parent.mkdir(parents=True, exist_ok=True)
        (pages / path).write_text(text, encoding="utf-8")
    folder = Path(__file__).parent
    shutil.copy(folder / "site.css", pages / "site.css")
    shutil.copytree(folder / "overrides", TARGET / "overrides")
    config = TARGET / "zensical.toml"
    text = (folder / "zensical.toml").read_text(encoding="utf-8")
    generated = f"[project]\nnav = {_nav()}\n{_repository((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))}"
    config.write_text(text.replace("[project]\n", generated, 1), encoding="utf-8")
    return config


def _repository(pyproject: str) -> str:
    """Return the setting for the link in the header, if the project names its repository."""
    urls = tomllib.loads(pyproject)["project"].get("urls", {})
    return f"repo_url = {json.dumps(urls['Repository'])}\n" if "Repository" in urls else ""


def _pages_of_docs() -> dict[str, str]:
    pages = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    pages = {name: _copyable(_relink(name, text)) for name, text in pages.items()}
    pages["index.md"] = pages.pop("README.md")
    pages["python.md"] += f"\n{api.index()}"
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    package = generate.reference().split("\n# Metric reference", 1)[0]
    return pages | {
        "package.md": package,
        "contributing.md": contributing.replace("# Con", "# Extending and con", 1),
    }


def _relink(name: str, text: str) -> str:
    """Return a page with links to places of the site; a link to another file of the repository becomes its path."""
    pages = {path.resolve() for path in DOCS.rglob("*.md")}

    def target(match: re.Match[str]) -> str:
        words, link = match["words"], match["link"]
        page = link.partition("#")[0]
        if link == "README.md":
            return f"[{words}](index.md)"
        if link.endswith(".ipynb") and not link.startswith("../"):
            return f"[{words}]({link.removesuffix('.ipynb')}.md)"
        if not link.startswith("../") or ("/" in name and (DOCS / name).parent.joinpath(page).resolve() in pages):
            return match[0]
        if link in ELSEWHERE:
            return f"[{words}]({ELSEWHERE[link]})"
        if not (DOCS / page).exists():
            raise DataError(f"docs/{name}: a link to {link}, which is not there.")
        return f"{words} (`{link.removeprefix('../')}`)"

    return re.sub(r"\[(?P<words>[^\]]+)\]\((?P<link>[^)\s]+\.(?:md|ipynb)(?:#[\w-]+)?|\.\./[^)\s]+)\)", target, text)


def _copyable(text: str) -> str:
    """Return a page whose console blocks are a block of commands before each block of what they print."""

    def parts(block: re.Match[str]) -> str:
        runs = re.split(r"(?m)^((?:\$ (?:.*\\\n)*.*\n)+)", block[1])[1:]
        return "".join(
            f"```bash\n{re.sub(r'(?m)^[$] ', '', typed)}```\n"
            + (f"\n```text\n{printed}```\n" if printed.strip() else "")
            for typed, printed in zip(runs[::2], runs[1::2], strict=True)
        ).rstrip("\n")

    return re.sub(r"(?ms)^```console\n(.*?)^```$", parts, text)


def _nav() -> str:
    shown = {Path(path).stem.replace("_", " ").capitalize(): path for path in notebooks.pages()}
    guides = {**NAVIGATION["Guides"], **({"Notebooks": shown} if shown else {})}
    return _section({**NAVIGATION, "Guides": guides})


def _section(pages: Section) -> str:
    """Return a section of the navigation as TOML."""
    entries = ((title, json.dumps(each) if isinstance(each, str) else _section(each)) for title, each in pages.items())
    return "[" + ", ".join(f"{{ {json.dumps(title)} = {text} }}" for title, text in entries) + "]"

"""The folder that the site is built from: the pages of docs/, the generated reference, and the navigation."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rankmetrics_sql.errors import DataError

from .. import generate
from . import api, charts, excerpt, figures, flow, phrasebook, pictures, reference, stages

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TARGET = ROOT / "build" / "docs"

# The navigation: a page, or a section of pages, by their paths in docs or in the generated pages.
NAVIGATION: Mapping[str, str | Mapping[str, str]] = {
    "Home": "index.md",
    "Start in five minutes": "start.md",
    "By job, in ten lines": {
        "Search analyst": "jobs/search_analyst.md",
        "Recommender engineer": "jobs/recommender_engineer.md",
        "RAG engineer": "jobs/rag_engineer.md",
        "Analytics engineer": "jobs/analytics_engineer.md",
        "Database administrator": "jobs/dba.md",
    },
    "By job": {
        "Search analyst: clicks to nDCG by arm": "analyst.md",
        "Recommender engineer": "recommender.md",
        "Hold out by time": "holdout.md",
        "dbt": "dbt.md",
        "Recipes for dbt": "dbt_recipes.md",
        "Database administrator": "dba.md",
        "RAG engineer": "rag.md",
        "Researcher": "researcher.md",
        "Phrase book of other tools": "phrasebook.md",
        "Phrase book of tools for RAG": "phrasebook_rag.md",
    },
    "Score": {
        "Choose a metric": "which.md",
        "A click log": "logs.md",
        "UBI, GA4, Snowplow, Segment": "tracking.md",
        "Position bias": "position_bias.md",
        "Lists, ratings, labelled tables": "sources.md",
        "Beyond accuracy": "beyond.md",
        "Break down, weigh, add up": "breakdowns.md",
        "How the SQL works": "stages.md",
    },
    "Compare": {
        "Two runs": "comparing.md",
        "Arms of an experiment": "arms.md",
        "Many runs": "many_runs.md",
        "Plan and decide": "planning.md",
        "Fail a build": "gates.md",
        "Gate a pull request in CI": "ci.md",
        "Choose a test": "tests.md",
        "Where a change comes from": "changes.md",
        "What to trust when": "statistics.md",
        "When intervals and tests fail": "failures.md",
        "How often they are right": "coverage.md",
    },
    "Show": {"Charts": "charts.md", "Every chart, drawn": "gallery.md", "A report": "report.md"},
    "Reference": {
        "Metrics": "metrics/index.md",
        "Options": "options.md",
        "Command line": "command_line.md",
        "Python": "python.md",
        "Python API": "api/index.md",
        "The numbers of other tools": "other_tools.md",
        "Macros and tests of dbt": "package.md",
    },
    "Engines": {
        "Engines and limits": "engines.md",
        "Use your warehouse": "warehouses.md",
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
    "Performance": {
        "At a glance": "performance.md",
        "Beside other tools": "performance_details.md",
        "In other engines": "performance_engines.md",
    },
    "Extending": "contributing.md",
}
# The pages of the site for links of docs to files outside of docs.
ELSEWHERE = {
    "../sql/README.md": "package.md",
    "../sql/README.md#metric-reference": "metrics/index.md",
    "../sql/README.md#options": "options.md",
    "../CONTRIBUTING.md": "contributing.md",
}


def generated_files() -> dict[Path, str]:
    """The README, whose excerpt is generated, and the generated files of docs, by path."""
    files = {"stages.md": stages.page(), **phrasebook.pages(), **pictures.pictures()}
    files |= {"pictures/arms.svg": charts.arms(), "pictures/stages.svg": flow.flow()}
    files |= {"performance.md": figures.page()}
    return {excerpt.README: excerpt.readme()} | {DOCS / path: text for path, text in files.items()}


def gallery_files() -> dict[Path, str]:
    """Return the page of all charts with its pictures, by path: drawing them takes some seconds."""
    return {DOCS / path: text for path, text in charts.gallery().items()}


def stale(files: Mapping[Path, str]) -> list[str]:
    """Return the names of generated files that differ from the repository's; of pictures only what they show counts."""
    names = []
    for path, text in files.items():
        current = path.read_text(encoding="utf-8") if path.exists() else ""
        is_equal = current and charts.marks(current) == charts.marks(text) if path.suffix == ".svg" else current == text
        if not is_equal:
            names.append(path.name)
    return names


def assemble() -> Path:
    """Write the folder anew; return the path of the site generator's configuration.

    Raise DataError if a page links to a file that the site does not have.
    """
    shutil.rmtree(TARGET, ignore_errors=True)
    pages = TARGET / "pages"
    shutil.copytree(
        DOCS, pages, ignore=lambda _folder, names: [name for name in names if name.endswith((".md", ".ipynb"))]
    )
    for path, text in (_pages_of_docs() | _notebooks() | reference.pages() | api.pages()).items():
        (pages / path).parent.mkdir(parents=True, exist_ok=True)
        (pages / path).write_text(text, encoding="utf-8")
    folder = Path(__file__).parent
    shutil.copy(folder / "site.css", pages / "site.css")
    config = TARGET / "zensical.toml"
    text = (folder / "zensical.toml").read_text(encoding="utf-8")
    config.write_text(text.replace("[project]\n", f"[project]\nnav = {_nav()}\n", 1), encoding="utf-8")
    return config


def _pages_of_docs() -> dict[str, str]:
    pages = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    pages = {name: _relink(name, text) for name, text in pages.items()}
    pages["index.md"] = pages.pop("README.md")
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


def _notebooks() -> dict[str, str]:
    """Return a page for each notebook of docs/notebooks: its cells with their outputs."""
    return {
        f"notebooks/{path.stem}.md": "\n\n".join(_cells(json.loads(path.read_text(encoding="utf-8"))))
        for path in sorted((DOCS / "notebooks").glob("*.ipynb"))
    }


def _cells(notebook: Mapping[str, Any]) -> Iterator[str]:
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        yield source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "text/html" in data:
                yield f"<div>{''.join(data['text/html'])}</div>"
            elif "image/png" in data:
                picture = data["image/png"].replace("\n", "")
                yield f'<img alt="what the cell draws" src="data:image/png;base64,{picture}">'
            else:
                yield f"```text\n{''.join(output.get('text', data.get('text/plain', ''))).rstrip()}\n```"


def _nav() -> str:
    notebooks = {Path(path).stem.replace("_", " ").capitalize(): path for path in _notebooks()}
    entries = {**NAVIGATION, **({"Notebooks": notebooks} if notebooks else {})}
    lines = (
        f"  {{ {json.dumps(title)} = {json.dumps(target) if isinstance(target, str) else _section(target)} }},"
        for title, target in entries.items()
    )
    return "[\n" + "\n".join(lines) + "\n]"


def _section(pages: Mapping[str, str]) -> str:
    return "[" + ", ".join(f"{{ {json.dumps(title)} = {json.dumps(path)} }}" for title, path in pages.items()) + "]"

"""Other people's ranking evaluation tools as oracles, each in a virtual environment of its own.

Install them with ``python -m dev.tools install [NAME ...]``; ``python -m dev.tools list`` says which are there.
They go to ``.tools`` at the root of the repository or to the folder that RANKMETRICS_TOOLS names. Then::

    ask("ranx", [({"q": {"a": 2.0}}, {"q": {"a": 1}})], ["ndcg@10"])
    # [{"ndcg@10": {"per_query": {"q": 1.0}, "mean": 1.0}}]

A tool is added with its name in TOOLS, the frozen list of its packages in ``requirements/NAME.txt`` (installed without
looking for dependencies, so that a tool can do without the ones that its metrics do not import) and a script
``adapters/NAME.py`` that reads data and metrics as a list in JSON, in the tool's own spelling, and writes its values.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TOOLS = (
    "pytrec_eval",
    "ir_measures",
    "ranx",
    "scikit-learn",
    "torchmetrics",
    "spark",
    "replay",
    "rectools",
    "recommenders",
    "evidently",
    "ragas",
    "llama_index",
    "mlflow",
    "haystack",
    "sentence_transformers",
    "lenskit",
    "fakesnow",
    "tea-tasting",
    "ppi-python",
    "gbstats",
    "irrCAC",
    "arch",
)
TIMEOUT = 900  # seconds for one question; the first answer of ranx compiles, that of Spark starts a Java machine

Scores = Mapping[str, Mapping[str, float]]
Grades = Mapping[str, Mapping[str, int]]


class ToolError(RuntimeError):
    """A tool that is not installed, or that failed."""


def folder() -> Path:
    """Where the environments are."""
    return Path(os.environ.get("RANKMETRICS_TOOLS") or HERE.parents[1] / ".tools").absolute()


def requirements(name: str, home: Path = HERE) -> Path:
    """The frozen list of packages of a tool; those of other environments are kept in another home."""
    return home / "requirements" / f"{name}.txt"


def adapter(name: str) -> Path:
    """The script that speaks to a tool."""
    return HERE / "adapters" / f"{name.replace('-', '_')}.py"


def pins(name: str, home: Path = HERE) -> str:
    """What the marker of a finished installation holds: changed requirements ask for a new one."""
    return hashlib.sha256(requirements(name, home).read_bytes()).hexdigest()


def marker(name: str) -> Path:
    """The file that the last step of an installation writes."""
    return folder() / name / "installed"


def python_of(name: str, home: Path = HERE) -> Path | None:
    """The interpreter of a tool's environment; None if it is not installed, or not as its requirements say now."""
    marker_file = marker(name)
    if not marker_file.is_file() or marker_file.read_text() != pins(name, home):
        return None
    return folder() / name / "bin" / "python"


def ask(name: str, data: Iterable[tuple[Scores, Grades]], metrics: Iterable[str]) -> list[dict[str, dict[str, Any]]]:
    """A tool's values for each pair of run and judgments: for each metric "per_query" and "mean" as far as it has them.

    One process answers all: most of its time goes by before it can. The order of queries and items in a run and in
    judgments is the order in which the tool gets them.
    """
    names = list(metrics)
    values: list[dict[str, dict[str, Any]]] = answer(
        name, [{"run": run, "qrels": qrels, "metrics": names} for run, qrels in data]
    )
    return values


def answer(name: str, question: Any) -> Any:
    """What a tool's script makes of a question, both of them JSON."""
    python = python_of(name)
    if python is None:
        raise ToolError(f"{name} is not installed; install it with: python -m dev.tools install {name}")
    with tempfile.TemporaryDirectory() as place:
        question_file, answer_file = Path(place, "question.json"), Path(place, "answer.json")
        question_file.write_text(json.dumps(question))
        # isolated (-I): adapters/ranx.py must not be what "import ranx" finds
        command = [str(python), "-I", str(adapter(name)), str(question_file), str(answer_file)]
        process = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        if process.returncode or not answer_file.is_file():
            raise ToolError(f"{name} failed with status {process.returncode}:\n{process.stderr}")
        return json.loads(answer_file.read_text())

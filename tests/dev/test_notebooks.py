"""The notebooks of docs run, draw charts by .plot(), have warnings below tables, no error; outputs are not kept."""

from __future__ import annotations

import json
from pathlib import Path

import nbclient
import nbformat
import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
# How many charts each shows, and what its tables say: TREC-COVID's published nDCG@10 among them.
SHOWN = {
    "search": (10, ["0.3254", "0.6250", "paired t test", "only 49 % of the top 10 items are judged"]),
    "recommender": (8, ["itemknn", "popularity", "610"]),
    "clicks": (5, ["other action", "esci_ubi_sample", "Welch&#x27;s t test"]),
}
NOTEBOOKS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.ipynb")}


def test_every_notebook_is_here():
    assert set(NOTEBOOKS) == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_is_stored_without_outputs(name):
    code = [cell for cell in NOTEBOOKS[name]["cells"] if cell["cell_type"] == "code"]
    assert not [cell for cell in code if cell["outputs"] or cell["execution_count"]]
    assert sum("matplotlib" in "".join(cell["source"]) for cell in code) == 0


@pytest.mark.long
@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs(name):
    notebook = nbformat.reads(json.dumps(NOTEBOOKS[name]), 4)
    nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(FOLDER)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert [output for output in outputs if output.output_type == "error"] == []
    assert [output for output in outputs if output.output_type == "stream"] == []
    shown = [output.data for output in outputs if "data" in output]
    pictures, tables = ([data[kind] for data in shown if kind in data] for kind in KINDS)
    count, texts = SHOWN[name]
    assert len(pictures) == count
    assert [text for text in texts if text not in "".join(tables + pictures)] == []


KINDS = ("image/svg+xml", "text/html")

"""The notebooks of docs/notebooks as pages: run, so that each cell stands above what it shows."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import nbformat

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"


def pages(*, run: bool = False) -> dict[str, str]:
    """Return a page for each notebook, by its path in the site; without ``run``, as it is stored."""
    notebooks = {path.stem: nbformat.read(path, 4) for path in sorted(FOLDER.glob("*.ipynb"))}
    if run:
        for notebook in notebooks.values():
            _run(notebook)
    return {f"notebooks/{name}.md": "\n\n".join(_cells(notebook)) for name, notebook in notebooks.items()}


def _run(notebook: nbformat.NotebookNode) -> None:
    from nbclient import NotebookClient  # of the extra docs, and only a site needs it

    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(FOLDER)}}).execute()


def _cells(notebook: nbformat.NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        yield cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```"
        # A result shows its warnings below its table; on standard error they come with paths of this machine.
        yield from (_shown(output) for output in cell.get("outputs", ()) if output.get("name") != "stderr")


def _shown(output: nbformat.NotebookNode) -> str:
    """Return an output of a cell as Markdown: a picture, a table, or text such as a warning."""
    data = output.get("data", {})
    if "image/svg+xml" in data:
        encoded = base64.b64encode(data["image/svg+xml"].encode()).decode()
        return f'<img class="chart" alt="The chart that the cell draws" src="data:image/svg+xml;base64,{encoded}">'
    if "text/html" in data:
        return f'<div class="output">{data["text/html"]}</div>'
    return f"```text\n{output.get('text', data.get('text/plain', '')).rstrip()}\n```"

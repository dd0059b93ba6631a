"""The picture of a report in the documentation: the first screen of what its first command writes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from . import chromium

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "pictures" / "report.png"
WIDTH, HEIGHT = 1000, 900
DEMO = "rankmetrics_sql/demo/"
COMMAND = (
    *("report", f"{DEMO}covidex.sim.run.gz", f"{DEMO}covidex.t5.run.gz", "--qrels", f"{DEMO}qrels.txt"),
    *("-m", "nDCG@10", "-m", "AP"),
)


def _playwright() -> Any:
    from playwright.sync_api import sync_playwright

    return sync_playwright()


def take() -> Path:
    """Write the report, open it, and take its first screen; the path of the picture."""
    with tempfile.TemporaryDirectory() as folder, _playwright() as started:
        page = Path(folder) / "report.html"
        subprocess.run([sys.executable, "-m", "rankmetrics_sql", *COMMAND, "-o", page], cwd=ROOT, check=True)
        browser = started.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        opened.goto(page.as_uri())
        opened.screenshot(path=PICTURE)
        browser.close()
    return PICTURE

"""``python -m dev.browser install``, or ``picture``: take the picture of a report in the documentation."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from ..engines.install import python_packages
from ..tools import folder
from . import AXE, BrowserError, axe, chromium

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "pictures" / "report.png"
WIDTH, HEIGHT = 1000, 900
DEMO = "rankmetrics_sql/demo/"
COMMAND = (
    *("report", f"{DEMO}covidex.sim.run.gz", f"{DEMO}covidex.t5.run.gz", "--qrels", f"{DEMO}qrels.txt"),
    *("-m", "nDCG@10", "-m", "AP"),
)


def install() -> None:
    """Install what drives the browser, and fetch axe-core, unless they are there."""
    python_packages(["playwright"])
    try:
        axe()
    except BrowserError:
        place = folder() / f"axe-core-{AXE}"
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", f"axe-core@{AXE}"], cwd=place, check=True, stdout=sys.stderr)
        with tarfile.open(place / f"axe-core-{AXE}.tgz") as archive:
            archive.extract("package/axe.min.js", place, filter="data")


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


if __name__ == "__main__":
    if sys.argv[1:] == ["install"]:
        install()
    elif sys.argv[1:] == ["picture"]:
        print(take())
    else:
        sys.exit("usage: python -m dev.browser install, or picture")

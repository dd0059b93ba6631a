"""``python -m dev.browser install``, or ``picture``."""

from __future__ import annotations

import subprocess
import sys
import tarfile

from ..engines.install import python_packages
from ..tools import folder
from . import AXE, BrowserError, axe
from .picture import take


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


if __name__ == "__main__":
    if sys.argv[1:] == ["install"]:
        install()
    elif sys.argv[1:] == ["picture"]:
        print(take())
    else:
        sys.exit("usage: python -m dev.browser install, or picture")

"""What looks at pages: axe-core, the checker of accessibility, from the npm registry.

``python -m dev.browser install`` fetches it to where the tools are that profiles are compared with. Chromium is the
system's: apt-get install chromium.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from ..tools import folder

AXE = "4.14.1"


class BrowserError(RuntimeError):
    """Something is not installed."""


def axe() -> Path:
    """The program of axe-core.

    Raises:
        BrowserError: it is not installed.
    """
    path = folder() / f"axe-core-{AXE}" / "package" / "axe.min.js"
    if not path.is_file():
        raise BrowserError("axe-core is not installed; install it with: python -m dev.browser install")
    return path


def chromium() -> str:
    """The browser.

    Raises:
        BrowserError: it is not installed.
    """
    path = shutil.which("chromium")
    if path is None:
        raise BrowserError("Chromium is not installed: apt-get install chromium")
    return path

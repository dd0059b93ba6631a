"""Prints a line for each finding, and exits with 1 if there is one."""

from __future__ import annotations

import sys

from . import RULES, findings
from .repository import ROOT, Repository


def main() -> int:
    """Check the checkout that this file is in."""
    found = list(findings(Repository(ROOT)))
    for finding in found:
        print(finding)
    if not found:
        print(f"{len(RULES)} rules, no findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Prints a line for each finding, and exits with 1 if there is one; with ``--size``, how large the package is."""

from __future__ import annotations

import sys

from . import RULES, findings
from .repository import ROOT, Repository
from .size import size


def main(*arguments: str) -> int:
    """Check the checkout that this file is in."""
    if "--size" in arguments:
        print(size(Repository(ROOT)))
        return 0
    found = list(findings(Repository(ROOT)))
    for finding in found:
        print(finding)
    if not found:
        print(f"{len(RULES)} rules, no findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

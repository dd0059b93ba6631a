"""Finds a Java of some version."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

PLACES = (
    "/usr/lib/jvm/*",
    "/opt/*",
    "/usr/local/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
)


def homes() -> Iterator[Path]:
    """The folders of Javas: JAVA_HOME, the one on the path, and where they are usually installed."""
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if program := shutil.which("java"):
        yield Path(program).resolve().parents[1]
    for pattern in PLACES:
        place = Path(pattern).expanduser()
        yield from sorted(Path(place.anchor).glob(str(place.relative_to(place.anchor))))


def version(home: Path) -> int:
    """The major version of a Java; 0 if there is none."""
    try:
        text = (home / "release").read_text(encoding="utf-8")
    except OSError:
        return 0
    match = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', text, re.MULTILINE)
    return int(match[1]) if match and (home / "bin" / "java").exists() else 0


def find(least: int) -> Path | None:
    """The first Java that is new enough."""
    return next((home for home in homes() if version(home) >= least), None)

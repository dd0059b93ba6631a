"""``python -m dev.dbt_envs install [NAME ...] [--jobs N]`` and ``python -m dev.dbt_envs list``."""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path

from ..tools import folder
from ..tools.__main__ import call, main
from . import ENVIRONMENTS, HERE, LIBRARY, library_pin


def finish(name: str) -> None:
    """Give the dbt that is not Python its DuckDB, which npm has as a shared library."""
    pin = library_pin(name)
    if not pin:
        return
    with tempfile.TemporaryDirectory() as place:
        call("npm", "pack", "--silent", "--pack-destination", place, pin)
        (archive,) = Path(place).glob("*.tgz")
        with tarfile.open(archive) as opened:
            found = opened.extractfile(f"package/{LIBRARY}")
            if found is None:
                raise RuntimeError(f"{pin} has no {LIBRARY}")
            Path(folder(), name, LIBRARY).write_bytes(found.read())


if __name__ == "__main__":
    sys.exit(main("python -m dev.dbt_envs", "Versions of dbt to prove the package in.", ENVIRONMENTS, HERE, finish))

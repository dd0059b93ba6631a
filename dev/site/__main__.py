"""``python -m dev.site serve``, ``build`` or ``write``."""

from __future__ import annotations

import argparse
import subprocess
import sys

from rankmetrics_sql.errors import DataError, RankmetricsError

from .assembly import TARGET, assemble, drawn_files, generated_files, stale

HELP = {
    "build": "write the site into build/docs/site; a link to a page or heading that is not there fails",
    "serve": "show the site at http://localhost:8000",
    "write": "write the generated pages and pictures of docs/ anew",
}


def main() -> int:
    """Run the command, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m dev.site")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in HELP.items():
        commands.add_parser(name, help=text)
    command = parser.parse_args().command
    try:
        if command == "write":
            for path, text in (generated_files() | drawn_files()).items():
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
                print(path)
            return 0
        if command == "build" and (names := stale(drawn_files())):
            raise DataError(f"{', '.join(names)} shows something else now: python -m dev.site write")
        config = assemble(run=True)
    except RankmetricsError as error:
        sys.exit(f"site: {error}")
    arguments = ["build", "--clean", "--strict"] if command == "build" else ["serve"]
    return subprocess.run(
        [sys.executable, "-m", "zensical", *arguments, "-f", config], cwd=TARGET, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())

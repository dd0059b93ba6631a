"""``python -m dev.cover write``, ``... extend``, ``... report`` and ``... unreached``: what the covering set takes."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.engines.covering import covering

from . import file
from .branches import Branch, all_branches
from .choice import Choice, Chosen, Ways, dialects, looking
from .pairs import statements


def write() -> None:
    """Choose the statements anew and write them down: a quarter of an hour."""
    with looking() as ways:
        ours = Choice("sqlglot", ways)
        file.write(ours.made(), Choice("dbt", ways, ours.all).made(), statements())


def extend() -> None:
    """Add statements for the pairs that none has, as those of a new option: a minute."""
    from .covered import pairs_there

    file.extend(statements(pairs_there()))


def unreached() -> None:
    """Print the branches that no statement takes in any dialect."""
    with looking() as ways:
        taken = branches_of(Choice("sqlglot", ways).all | Choice("dbt", ways).all)
    for branch in sorted(all_branches() - taken):
        print(branch)


def report() -> None:
    """Print how many branches each folder has, and how many of them the covering set takes."""
    with looking() as ways:
        taken = branches_of(of_covering(ways))
    there = Counter(branch.folder for branch in all_branches())
    found = Counter(branch.folder for branch in taken)
    for folder in [*sorted(there), "all"]:
        n, m = (found[folder], there[folder]) if folder != "all" else (len(taken), there.total())
        print(f"{folder:<12}{n:>6,} of {m:>6,}  {100 * n / m:3.0f} %")


def of_covering(ways) -> Ways:  # type: ignore[no-untyped-def]
    """The ways that the covering set takes, as it is executed."""
    found: set[tuple[str, Branch]] = set()
    for name, one in covering().items():
        for road in ("sqlglot", "dbt"):
            if (road == "sqlglot" and one.kind != "dbt") or (road == "dbt" and one.case.in_dbt is not None):
                found |= ways(Chosen(name, one.case, road), dialects(road))
    return frozenset(found)


def branches_of(ways: Ways) -> frozenset[Branch]:
    """The branches, whatever dialect takes them."""
    return frozenset(branch for _, branch in ways)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m dev.cover", description="What statements take of the templates.")
    commands = parser.add_subparsers(dest="command", required=True)
    for command in (write, extend, report, unreached):
        commands.add_parser(command.__name__, help=(command.__doc__ or "").partition(":")[0])
    {command.__name__: command for command in (write, extend, report, unreached)}[parser.parse_args().command]()


if __name__ == "__main__":
    sys.exit(main())

"""``python -m dev.cover write``, ``... extend``, ``... report`` and ``... unreached``: what the covering set takes."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.engines.covering import covering

from . import file
from .branches import Branch, all_branches
from .choice import Candidate, Choice, Ways, dialects, recording
from .pairs import statements


def write() -> None:
    """Choose the statements anew and write them down: a quarter of an hour."""
    with recording() as ways:
        sqlglot = Choice("sqlglot", ways)
        file.write(sqlglot.choose(), Choice("dbt", ways, sqlglot.all).choose(), statements())


def extend() -> None:
    """Add statements for the pairs that none has, as those of a new option: a minute."""
    from .covered import covered_pairs

    file.extend(statements(covered_pairs()))


def unreached() -> None:
    """Print the branches that no statement takes in any dialect."""
    with recording() as ways:
        branches = branches_of(Choice("sqlglot", ways).all | Choice("dbt", ways).all)
    for branch in sorted(all_branches() - branches):
        print(branch)


def report() -> None:
    """Print how many branches each folder has, and how many of them the covering set takes."""
    with recording() as ways:
        branches = branches_of(covered_ways(ways))
    totals = Counter(branch.folder for branch in all_branches())
    counts = Counter(branch.folder for branch in branches)
    for folder in [*sorted(totals), "all"]:
        count, total = (counts[folder], totals[folder]) if folder != "all" else (len(branches), totals.total())
        print(f"{folder:<12}{count:>6,} of {total:>6,}  {100 * count / total:3.0f} %")


def covered_ways(ways) -> Ways:  # type: ignore[no-untyped-def]
    """Return the ways that the covering set takes, as it is executed."""
    taken_ways: set[tuple[str, Branch]] = set()
    for name, statement in covering().items():
        for road in ("sqlglot", "dbt"):
            if (road == "sqlglot" and statement.kind != "dbt") or (road == "dbt" and statement.case.in_dbt is not None):
                taken_ways |= ways(Candidate(name, statement.case, road), dialects(road))
    return frozenset(taken_ways)


def branches_of(ways: Ways) -> frozenset[Branch]:
    """Return the branches of ways, whatever dialect takes them."""
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

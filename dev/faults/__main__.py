"""``python -m dev.faults``: a hundred commands over a bad network; the exit status is 1 if one ended as none may."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from dev.engines import start

from .runs import ENGINES, Site, table


def main() -> int:
    """Run the commands and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="how many commands (default: 100)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first (default: 1)")
    parser.add_argument("--engine", choices=[*ENGINES], default="postgres-15", help="default: postgres-15")
    parser.add_argument("--verbose", action="store_true", help="print each command's end")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, start(arguments.engine) as engine:
        place = Site(engine, Path(folder))
        outcomes = []
        for seed in range(arguments.seed, arguments.seed + arguments.runs):
            outcome = place.outcome(Site.tasks[seed % len(Site.tasks)], seed)
            outcomes.append(outcome)
            if outcome.mistakes or arguments.verbose:
                print(seed, outcome, *outcome.mistakes, sep="\n  ", file=sys.stderr)
    print(table(outcomes))
    n_met, n_wrong = sum(one.began for one in outcomes), sum(bool(one.mistakes) for one in outcomes)
    print(f"\n{len(outcomes)} commands, {n_met} met the fault, {n_wrong} ended as none may")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())

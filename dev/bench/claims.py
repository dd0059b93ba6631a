"""How often a verdict claims what is not so, by test and situation: a section of ``dev.bench.coverage``.

Each replicate is a group of one comparison, so what is counted is the SQL, and what the package prints. Of false claims
some are made again alone, to see whether a warning comes with them.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.verdicts import is_shown

from .cells import CHANCE
from .situations import RESAMPLES, THINNED, Numbers, Situation, Values, nearly_equal, situations
from .tables import on_page, on_screen

ALLOWED = 0.02  # above that, without a warning, is too much
LOOKED_AT = 20  # false claims that are made again
OF_TESTS = ("so p-values and intervals are rough", "p-values are rough", "standard error is rough", "rejects too often")
NAME = "claims"
HEAD = """`python -m dev.bench.coverage --section claims --write docs/coverage.md` writes this table (seed {seed}, {n:,}
replicates, a quarter as many with 1,000 queries and for Tukey's test). **Bold** rows claim something false in more than
{most:g} % without a warning: {n_bold} of {n_cells}."""


@dataclass(frozen=True)
class Count:
    """What comes of a test in a situation.

    Attributes:
        situation, test: their names.
        n_false: how many of n replicates claim something.
        n_warned: how many of those looked at come with a warning.
        n_looked_at: how many are looked at.
    """

    situation: str
    test: str
    n_false: int
    n: int
    n_warned: int
    n_looked_at: int

    @property
    def share(self) -> float:
        """Of the replicates with a false claim."""
        return self.n_false / self.n

    @property
    def is_too_much(self) -> bool:
        """Whether it claims too often without a warning."""
        silent = 1 - self.n_warned / self.n_looked_at if self.n_looked_at else 0
        return self.share * silent > CHANCE + ALLOWED

    @property
    def cells(self) -> list[str]:
        """A row of the table."""
        share = f"{100 * self.share:.1f}"
        warned_share = f"{100 * self.n_warned / self.n_looked_at:.0f}" if self.n_looked_at else ""
        return [self.situation, self.test, f"**{share}**" if self.is_too_much else share, warned_share]


def tables(values: Values, arms: bool) -> dict[str, pd.DataFrame]:
    """Runs, judgments and queries: a query of a replicate has one item in each run, whose grade is its value."""
    frames: dict[str, list[pd.DataFrame]] = {"baseline": [], "candidate": [], "qrels": [], "queries": []}
    for number, (run, values_of_run) in enumerate((("baseline", values.baseline), ("candidate", values.candidate))):
        replicates, queries = np.indices(values_of_run.shape)
        facts = pd.DataFrame({"replicate": replicates.ravel()})
        facts["query_id"] = [
            f"{r}.{q}{run[0] if arms else ''}" for r, q in zip(replicates.flat, queries.flat, strict=True)
        ]
        for name, of_query in (("weight", values.weights), ("cluster", values.clusters)):
            if of_query is not None:
                facts[name] = of_query.ravel()
        if arms or not number:
            frames["queries"].append(facts)
        frames[run].append(facts[["query_id"]].assign(item_id=run, score=1))
        frames["qrels"].append(facts[["query_id"]].assign(item_id=run, relevance=values_of_run.ravel()))
    return {name: pd.concat(parts, ignore_index=True) for name, parts in frames.items()}


def comparison_arguments(situation: Situation, options: Mapping[str, Any], values: Values) -> dict[str, Any]:
    """Return the arguments of a comparison."""
    arguments = {"correction": "none", **options}
    if situation.arms:
        sizes = {"baseline": values.baseline.shape[1], "candidate": values.candidate.shape[1]}
        shares = {run: size / sum(sizes.values()) for run, size in sizes.items()}
        arguments |= {"design": "unpaired", "queries": "judged_retrieved", "shares": shares}
    arguments |= {"weight": "weight"} if values.weights is not None else {}
    return arguments | ({"cluster": "cluster"} if values.clusters is not None else {})


def compare(
    frames: Mapping[str, pd.DataFrame], situation: Situation, arguments: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the rows of a comparison by replicate."""
    runs = frames["baseline"], {"candidate": frames["candidate"]}
    comparison = rm.compare(
        *runs, frames["qrels"], situation.metric, query_list=frames["queries"], by="replicate", **arguments
    )
    return comparison.summary.dicts()


def has_warning(
    frames: Mapping[str, pd.DataFrame], situation: Situation, arguments: Mapping[str, Any], replicate: int
) -> bool:
    """Whether the comparison of one replicate comes with a warning about its test."""
    frames_of_replicate = {"queries": frames["queries"][frames["queries"]["replicate"] == replicate]}
    ids = set(frames_of_replicate["queries"]["query_id"])
    frames_of_replicate |= {
        name: frame[frame["query_id"].isin(ids)] for name, frame in frames.items() if name != "queries"
    }
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always", rm.RankmetricsWarning)
        compare(frames_of_replicate, situation, arguments)
    return any(text in str(warning.message) for warning in caught_warnings for text in OF_TESTS)


def count_claims(
    situation: Situation, test: str, frames: Mapping[str, pd.DataFrame], arguments: Mapping[str, Any]
) -> Count:
    """Count the false claims of one test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        rows = compare(frames, situation, arguments)
    false = [row for row in rows if is_shown(row["verdict"]) and row["verdict"] != situation.true]
    sample = false[:LOOKED_AT]
    n_warned = sum(has_warning(frames, situation, arguments, int(row["replicate"])) for row in sample)
    return Count(situation.name, test, len(false), len(rows), n_warned, len(sample))


def claims(replicates: int, seed: int, chosen: Sequence[Situation] | None = None) -> list[Count]:
    """Count the claims in all situations, each with all its tests."""
    counts = []
    for situation in situations() if chosen is None else chosen:
        random = np.random.default_rng([seed, zlib.crc32(situation.name.encode())])
        values = situation.draw(random, replicates // situation.thinned)
        frames = tables(values, situation.arms)
        for test, options in situation.tests.items():
            counts.append(count_claims(situation, test, frames, comparison_arguments(situation, options, values)))
    return counts + (tukey_claims(replicates // THINNED, seed) if chosen is None else [])


def tukey_claims(replicates: int, seed: int) -> list[Count]:
    """How often ``tukey`` says of any pair of four runs that hardly differ, beside a fifth, that they do."""
    name = "four runs of 50 queries nearly equal, a fifth not"
    values = nearly_equal(np.random.default_rng([seed, zlib.crc32(name.encode())]), replicates)
    tests: dict[str, dict[str, Any]] = {
        "tukey": {},
        "tukey, randomisation": {"test": "randomisation", "resamples": RESAMPLES},
    }
    return [
        Count(name, test, sum(_claims_a_pair(runs, options) for runs in values), replicates, 0, 0)
        for test, options in tests.items()
    ]


def _claims_a_pair(values: Numbers, options: Mapping[str, Any]) -> bool:
    """Whether a pair of the runs of a replicate is significant."""
    runs = {f"run{run}": {f"q{query}": [f"i{run}"] for query in range(values.shape[1])} for run in range(len(values))}
    qrels = {
        f"q{query}": {f"i{run}": float(values_of_run[query]) for run, values_of_run in enumerate(values)}
        for query in range(values.shape[1])
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        rows = rm.tukey(runs, qrels, "cg@1", **options).summary.dicts()
    return any(row["significant"] for row in rows)


HEADING = ["situation", "test", "false claims in 100", "of these warned, %"]


def section(counts: Sequence[Count], replicates: int, seed: int) -> str:
    """Return the section of the page."""
    n_bold = sum(count.is_too_much for count in counts)
    most = 100 * (CHANCE + ALLOWED)
    head = HEAD.format(seed=seed, n=replicates, most=most, n_bold=n_bold, n_cells=len(counts))
    return "\n".join([head, "", *on_page(HEADING, [count.cells for count in counts], n_words=2)])


def answered(replicates: int, seed: int) -> tuple[list[Table], str]:
    """The table on the screen, and the section of the page; a replicate is a comparison, so half of them have to do."""
    counts = claims(replicates // 2, seed)
    table = on_screen("False claims", HEADING, [count.cells for count in counts], n_words=2)
    return [table], section(counts, replicates // 2, seed)

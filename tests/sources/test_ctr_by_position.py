"""Click-through by position, on every road, beside a twin in plain Python and SciPy's interval of a proportion."""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from statistics import NormalDist

import duckdb
import pytest
from scipy.stats import binomtest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import seeds

NAMES = {"request": "search", "item": "sku", "position": "slot", "type": "what", "arm": "arm"}
# The templates know the points of the normal distribution to 2e-8.
NEAR = {"rel": 1e-12, "abs": 1e-12}


class Log:
    """Requests of two arms; positions begin at 0, some are shared by two items, and the last is never clicked."""

    def __init__(self, connection, seed, shared):
        chance = random.Random(seed)
        self.shown, self.clicked = [], set()
        for number in range(80):
            arm, places = chance.choice("AB"), range(chance.randrange(1, 5))
            for item, place in enumerate([*places, *(places[-1:] if shared else [])]):
                self.shown.append((f"s{number}", f"i{item}", place, arm, chance.choice(["de", "fr"])))
                if place < 3 and chance.random() < 0.5 - place / 8:
                    self.clicked.add((f"s{number}", f"i{item}"))
        self.shown.append(("s1", "lost", None, self.shown[1][3], "de"))
        connection.execute("CREATE TABLE shown (search TEXT, sku TEXT, slot INTEGER, arm TEXT, market TEXT)")
        fill(connection, "shown", self.shown)
        connection.execute("CREATE TABLE done (search TEXT, sku TEXT, what TEXT)")
        fill(connection, "done", [(*pair, "click") for pair in sorted(self.clicked)] * 2)

    def twin(self, by, level):
        """By group and position: impressions, clicks, their share, and Wilson's interval of the effective number."""
        requests = defaultdict(lambda: defaultdict(lambda: [0, 0]))
        for search, sku, slot, arm, _ in self.shown:
            if slot is not None:
                counts = requests[(*((arm,) if by else ()), slot + 1)][search]
                counts[0] += 1
                counts[1] += (search, sku) in self.clicked
        z, found = NormalDist().inv_cdf((1 + level) / 2), {}
        for key, counted in requests.items():
            n, clicks = (sum(counts[place] for counts in counted.values()) for place in (0, 1))
            p = clicks / n
            squares = sum((c - p * m) ** 2 for m, c in counted.values())
            effective = min(n, p * (1 - p) * n**2 / squares) if squares else len(counted)
            middle = p + z**2 / (2 * effective)
            reach = z * math.sqrt((p * (1 - p) + z**2 / (4 * effective)) / effective)
            ends = [(middle + sign * reach) / (1 + z**2 / effective) for sign in (-1, 1)]
            found[key] = (n, clicks, p, ends[0] if clicks else 0, ends[1])
        return found


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def by_key(rows, by):
    return {
        tuple(row[name] for name in (*by, "position")): tuple(
            row[name] for name in ("impressions", "clicks", "ctr", "ci_lower", "ci_upper")
        )
        for row in rows
    }


@pytest.mark.parametrize("seed", seeds(3, 1))
@pytest.mark.parametrize("shared", [False, True])
def test_every_road_counts_as_its_twin(connection, tmp_path, cli, shared, seed):
    log = Log(connection, seed, shared)
    for by, level in (((), 0.95), (("arm",), 0.95), (("arm",), 0.8)):
        expected = {key: pytest.approx(values, **NEAR) for key, values in log.twin(by, level).items()}
        source = rm.events("shown", "done", **NAMES)
        found = quietly(rm.ctr_by_position, source, by, confidence_level=level, connection=connection)
        assert by_key(found.dicts(), by) == expected
        rows = macros()["from_events"](
            "shown", "done", columns={name: column for name, column in NAMES.items() if name != "arm"}, context=["arm"]
        )
        text = macros()["ctr_by_position"](
            f"({rows}) AS r", by=list(by), columns={"query": "search"}, confidence_level=level
        )
        names = [*by, "position", "impressions", "clicks", "ctr", "ci_lower", "ci_upper"]
        fetched = [dict(zip(names, row, strict=True)) for row in connection.execute(text).fetchall()]
        assert by_key(fetched, by) == expected
    if not shared:
        for n, clicks, _, *ends in by_key(found.dicts(), by).values():
            assert ends == pytest.approx([*binomtest(clicks, n).proportion_ci(0.8, "wilson")], **NEAR)
    for table in ("shown", "done"):
        connection.execute(f"COPY {table} TO '{tmp_path / table}.parquet'")
    rules = [part for name, column in NAMES.items() for part in ("--rule", f"{name}={column}")]
    files = ["--events", tmp_path / "shown.parquet", tmp_path / "done.parquet"]
    printed = cli("ctr-by-position", *files, *rules, "--by", "arm", "--confidence-level", "0.8", "--format", "json")
    assert by_key(json.loads(printed.stdout), by) == expected
    frames = rm.events(*(connection.table(name).to_arrow_table() for name in ("shown", "done")), **NAMES)
    assert by_key(quietly(rm.ctr_by_position, frames, "arm", confidence_level=0.8).dicts(), by) == expected


def test_rows_of_a_table_and_other_grades(connection):
    connection.execute(
        "CREATE TABLE seen AS FROM (VALUES ('a', 1, 2), ('a', 2, NULL), ('b', 1, 1), ('b', NULL, 2)) t(q, place, grade)"
    )
    given = {"request": "q", "position": "place", "relevance": "grade", "connection": connection}
    for rel, clicks in ((1, 2), (2, 1)):
        rows = rm.ctr_by_position("seen", rel=rel, **given).dicts()
        assert [(row["position"], row["impressions"], row["clicks"]) for row in rows] == [(1, 2, clicks), (2, 1, 0)]
        low, high = binomtest(clicks, 2).proportion_ci(method="wilson")
        assert [rows[0]["ci_lower"], rows[0]["ci_upper"]] == pytest.approx([low, high], **NEAR)
        assert rows[1]["ci_lower"] == 0
    del given["request"]  # each impression by itself
    assert rm.ctr_by_position("seen", **given).dicts() == rm.ctr_by_position("seen", request="q", **given).dicts()
    chart = rm.ctr_by_position("seen", **given).plot().to_dict()
    assert chart["title"]["text"] == "Click-through by position, 3 impressions"
    with pytest.raises(rm.UsageError, match="confidence_level"):
        rm.ctr_by_position("seen", confidence_level=1, **given)


@pytest.mark.parametrize("ask", [rm.evaluate, rm.compare])
def test_a_breakdown_by_position_says_what_counts_by_it(connection, ask):
    Log(connection, 1, False)
    given = {"by": ["market", "slot"], "connection": connection} | ({"baseline": "A"} if ask is rm.compare else {})
    with pytest.raises(rm.UsageError, match=r"events: a request has items at several positions .* rm\.ctr_by_position"):
        ask(rm.events("shown", "done", **NAMES), "ctr", **given)

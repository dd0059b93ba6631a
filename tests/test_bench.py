"""The benchmark itself, on a shape small enough to run with the tests; no time is asserted."""

from __future__ import annotations

import hashlib

import pytest

from .bench.__main__ import check_agreement, command, measure, report
from .bench.generate import SHAPES, Shape, write

TINY = Shape("tiny", 20, 50, 5, 100)
TOOLS = ("floor", "group_by", "rankmetrics check=judged", "rankmetrics check=full", "pytrec_eval", "ir_measures")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench")
    write(TINY, path)
    return path


def test_the_same_files_every_time(folder, tmp_path):
    write(TINY, tmp_path)
    digests = [
        [hashlib.sha256(file.read_bytes()).hexdigest() for file in TINY.files(place)] for place in (folder, tmp_path)
    ]
    assert digests[0] == digests[1]


def test_everybody_computes_the_same(folder):
    timings = {tool: measure(command(tool, *TINY.files(folder))) for tool in TOOLS}
    check_agreement(TINY, timings)
    assert report(TINY, timings).row_count == len(TOOLS)
    wrong = timings | {"pytrec_eval": timings["floor"].__class__(1, 1, {"values": [0.5] * 5})}
    with pytest.raises(SystemExit, match="pytrec_eval gets"):
        check_agreement(TINY, wrong)


def test_the_three_shapes():
    assert [(shape.name, shape.n_queries, shape.n_items, shape.n_judgments) for shape in SHAPES] == [
        ("sparse", 6_980, 1_000, 2),
        ("dense", 200, 1_000, 300),
        ("recommender", 500_000, 20, 10),
    ]

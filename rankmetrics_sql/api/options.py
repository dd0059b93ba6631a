"""Generated from options.toml by `python -m dev.generate`: the options as keywords."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict


class Options(TypedDict, total=False):
    """The options, each a choice behind a number; see ``options()``. All may be text."""

    rel: float | str | None
    gain: Mapping[Any, float] | str | None
    discount: float | str | None
    ideal_depth: float | str | None
    zero_ideal: float | str | None
    no_relevant: float | str | None
    ap_denominator: float | str | None
    precision_denominator: float | str | None
    rbp_gain: float | str | None
    err_max: float | str | None
    iprec_rounding: float | str | None
    f_beta: float | str | None
    collection_size: int | str | None
    aggregate: float | str | None
    ties: float | str | None
    score_type: float | str | None
    queries: float | str | None
    unjudged: float | str | None
    max_grade: float | str | None
    negative_grades: float | str | None
    judgments: float | str | None
    depth: int | str | None
    position: float | str | None
    duplicates: float | str | None
    duplicate_judgments: float | str | None
    impute: float | str | None
    check: float | str | None
    strategy: float | str | None
    interval: float | str | None
    design: float | str | None
    test: float | str | None
    resamples: int | str | None
    bootstrap_interval: float | str | None
    seed: int | str | None
    exact: float | str | None
    sequential: int | str | None
    margin: float | str | None
    power: float | str | None
    confidence_level: float | str | None
    alternative: float | str | None
    correction: float | str | None
    family: float | str | None
    relative_interval: float | str | None
    interval_level: float | str | None

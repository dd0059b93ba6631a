"""Generated from the public functions by `python -m dev.generate`: the keywords of each."""

from __future__ import annotations

from collections.abc import Mapping

KEYWORDS: Mapping[str, str] = {
    "agreement": "qrels_a qrels_b runs metrics judge grades connection columns profile input_format options",
    "clean": "connection schema drop older_than",
    "compare": (
        "run candidates qrels metrics baseline covariate strata shares limits cap judge connection columns by"
        " period timezone min_queries weight cluster predicted_qrels query_list items profile input_format options"
    ),
    "curve": (
        "run qrels metric along at connection columns by period timezone weight query_list items profile"
        " input_format options"
    ),
    "decompose": (
        "run candidates qrels metrics baseline connection columns by period timezone query_list items profile"
        " input_format options"
    ),
    "evaluate": (
        "run qrels metrics recommendation_lists relevance_lists partitions connection columns by period timezone"
        " rollup min_queries order limit weight cluster predicted_qrels query_list items profile input_format"
        " options"
    ),
    "explain": "run qrels metric profile against connection columns query_list items input_format options",
    "install": "metrics dialect schema remove comments connection columns profile options",
    "judge_next": "runs qrels metric n texts connection columns query_list profile input_format options",
    "movements": "run candidates qrels k query baseline connection columns query_list profile input_format options",
    "sample_size": (
        "run qrels metrics effect n n_tests shares connection columns cluster query_list items profile"
        " input_format options"
    ),
    "sensitivity": "runs qrels metrics connection columns query_list items profile input_format options",
    "sql": (
        "metrics run qrels labelled dialect level baseline covariate strata limits cap judge all_pairs values k n"
        " along at shape header comments connection columns by period timezone rollup min_queries order limit"
        " weight cluster predicted_qrels query_list items profile options"
    ),
    "tukey": "runs qrels metrics connection columns query_list items profile input_format options",
}

"""The phrase book, docs/phrasebook.md: the names and choices of other tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby

from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.definitions.descriptions import differing
from rankmetrics_sql.definitions.profiles import Profile, profiles
from rankmetrics_sql.definitions.resolution import find_metric, resolve_options

from .markup import table

# The tools of the page and their headings, by what they are for.
TOOLS: Mapping[str, Mapping[str, str]] = {
    "runs and judgments": {"trec_eval": "trec_eval", "ir_measures": "ir_measures", "ranx": "ranx"},
    "recommenders": {"rectools": "RecTools", "replay": "RePlay"},
    "RAG": {
        "ragas": "Ragas",
        "llama_index": "LlamaIndex",
        "mlflow": "MLflow",
        "haystack": "Haystack",
        "sentence_transformers": "Sentence Transformers",
    },
}
TITLES = {name: title for tools in TOOLS.values() for name, title in tools.items()}
# The keys of a header that hold trec_eval's names.
ORACLES = ("pytrec_eval_without_k", "pytrec_eval", "trec_eval")
# A tool's names that neither its profile nor a header has, by our name.
NAMES: Mapping[str, Mapping[str, str]] = {
    "trec_eval": {"f": "set_F", "unj": "unj_10"},
    "ranx": {
        "ap": "map",
        "f": "f1",
        "p": "precision",
        "rr": "mrr",
        "rprec": "r-precision",
        "success": "hit_rate",
        "r": "recall",
        "num_rel_ret": "hits",
    },
    "rectools": {
        "ap": "MAP",
        "f": "F1Beta",
        "mcc": "MCC",
        "ndcg": "NDCG",
        "p": "Precision",
        "r": "Recall",
        "rr": "MRR",
        "success": "HitRate",
    },
    "replay": {
        "ap": "MAP",
        "auc": "RocAuc",
        "ndcg": "NDCG",
        "p": "Precision",
        "r": "Recall",
        "rr": "MRR",
        "success": "HitRate",
    },
    "llama_index": {"ap": "ap", "p": "precision", "r": "recall", "rr": "mrr", "success": "hit_rate"},
    "sentence_transformers": {
        "ap": "map",
        "p": "precision",
        "r": "recall",
        "rr": "mrr",
        "success": "accuracy",
        "ndcg": "ndcg",
    },
    "haystack": {
        "ap": "DocumentMAPEvaluator",
        "ndcg": "DocumentNDCGEvaluator",
        "rr": "DocumentMRREvaluator",
        "success": "DocumentRecallEvaluator",
    },
}


def page() -> str:
    """Return the page: the tools in a table, then a section for each."""
    return "\n".join([*_head(), *(line for name, title in TITLES.items() for line in _tool(name, title)), ""])


def _head() -> Iterator[str]:
    yield "<!-- Written by `python -m dev.site write`. -->"
    yield "# Phrase book"
    yield (
        "\nYou know a metric by the name that your tool gives it. Find our name here, and what the tool computes"
        " differently. Pass `--profile NAME`, or `profile=` in Python, to type the tool's names and get its numbers.\n"
    )
    rows = (
        (
            f"[{profiles()[name].title}](#{title.lower().replace(' ', '-')})",
            use,
            f"`{name}`",
            "the tool" if profiles()[name].package else "its source",
        )
        for use, tools in TOOLS.items()
        for name, title in tools.items()
    )
    yield from table(("tool", "for", "profile", "checked against"), rows)


def _tool(name: str, title: str) -> Iterator[str]:
    profile = profiles()[name]
    yield f"\n## {title}\n\n{profile.note}\n"
    rows = (
        (
            ", ".join(f"`{spelling}`" for spelling in tool_names(profile, metric)),
            f"`{metric}`",
            differing(metrics()[metric]).get(name, ""),
        )
        for metric in profile.computes
    )
    yield from table((f"in {title}", "here", "what the tool does differently"), rows)
    if profile.parameters:
        parameters = (
            (f"`{tool_name}`", f"`{our_name}`" if our_name else "the default")
            for tool_name, our_name in profile.parameters.items()
        )
        yield "\nThe profile reads these parameters, in the metric that is named or in any:\n"
        yield from table(("parameter", "here"), parameters)
    if profile.refused:
        yield "\nThese have no counterpart:\n"
        refused = ((f"`{tool_name}`", nearest) for tool_name, nearest in profile.refused.items())
        yield from table(("parameter", "what to do"), refused)
    if profile.not_copied:
        yield "\nThe profile does not copy this:\n"
        yield from (f"- {sentence}" for sentence in profile.not_copied)


def tool_names(profile: Profile, metric: str) -> list[str]:
    """Return a tool's names of a metric: of ``NAMES``, of its profile or of a header, or else ours."""
    names = [NAMES.get(profile.name, {}).get(metric, "")]
    if profile.name == "ir_measures":
        names += _measures()[metric]
    if profile.name == "trec_eval":
        names += [metrics()[metric].oracle.get(each, "") for each in ORACLES]
    spellings = [each for each, metric_text in profile.spellings.items() if re.split(r"[(@]", metric_text)[0] == metric]
    groups = (list(each) for _, each in groupby(spellings, key=lambda each: each.partition(".")[0]))
    names += [name for each in groups for name in ([each[0], each[-1]] if len(each) > 3 else each)]
    filled_names = [name.format(k=10, recall=0.1, factor=1.2) for name in names if name] or [metric]
    return list({name.lower(): name for name in reversed(filled_names)}.values())[::-1]


@cache
def _measures() -> Mapping[str, list[str]]:
    """Return ir_measures' names of its measures, by our name, from the tool itself."""
    import ir_measures

    names: dict[str, list[str]] = {name: [] for name in metrics()}
    choices = resolve_options({}, "ir_measures")
    for measure in dict.fromkeys(ir_measures.measures.registry.values()):
        metric, _ = find_metric(measure.NAME, choices)
        names[metric].append(measure.NAME)
    return names

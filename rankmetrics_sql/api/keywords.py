"""The keywords that public functions share: their description, the request that they make, the decorator ``public``."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ..definitions.resolution import Choices, asked_as, resolve_options
from ..errors import UsageError, nearest, shortened
from ..inputs.columns import ColumnSpec, GroupOrder, expand_names
from ..sources import Source
from .arguments import as_list, as_sets, check_arguments, check_zone
from .options import Options
from .place import opened

if TYPE_CHECKING:
    from ..definitions.resolution import ResolvedMetric
    from ..pipeline.execute import Evaluation
    from ..pipeline.request import Request


INPUTS = ("query_list", "items", "profile", "input_format")
GROUPS = ("by", "period", "timezone")
OF_SUMMARIES = ("rollup", "min_queries", "order", "limit")
OF_COMPARED = ("connection", "columns", *GROUPS, "min_queries", "weight", "cluster", "predicted_qrels", *INPUTS)


class CommonBesideProfile(Options, total=False):
    """All of ``Common`` but the profile, for functions to which a profile means something else."""

    connection: Any
    columns: Mapping[str, Any] | None
    by: str | Sequence[str]
    rollup: bool | Sequence[str | Sequence[str]]
    min_queries: int | None
    order: str | None
    limit: int | None
    period: str | None
    timezone: str | None
    weight: str | None
    cluster: str | None
    query_list: Any
    items: Any
    predicted_qrels: Any
    input_format: str | None


class Common(CommonBesideProfile, total=False):
    """The keywords that several public functions take, beside the options. Each function lists those that it takes.

    Attributes:
        connection: where the tables are and the statements run: anything that ``connect`` takes or returns.
        columns: the names of your columns, or SQL over the row in the dialect of the database, such as
            ``{"item_id": "doc_id", "qrels.item_id": "document", "relevance": "CASE WHEN stars >= 4 THEN 1 ELSE 0
            END"}``. Pass a list if several columns identify a query; a second one that is SQL is called ``query_id_2``.
            For a TREC file with several tags, ``{"run_id": "tag"}`` makes each tag a run.
        by: columns to break the result down by. Each is looked up in the query list, then in the judgments, then in the
            run; with ``queries="retrieved"`` in the run before the judgments. Write ``run.``, ``qrels.`` or
            ``query_list.`` before a name to choose one.
        rollup: True adds subtotals for every subset of those columns, and a total. A list names the subsets:
            ``[["market"], []]``. The column ``breakdown`` names the columns of each row, ``total`` if there are none,
            because NULL is a group, too.
        min_queries: leaves groups with fewer queries out of the summary. A warning counts them.
        order: orders the groups of the summary by one of the metrics, the worst first, or by ``n_queries``, the largest
            first. ``"ndcg@10 desc"`` puts the highest value first, and ``asc`` the lowest, as in SQL: whichever of them
            is better. Ties are in the order of the groups, and groups without a value come last. Of several runs the
            first one orders the groups of all, so that you can read their rows side by side. With ``rollup=`` each
            level is ordered by itself.
        limit: keeps so many groups, the first of ``order=``, by default of the first metric. With ``rollup=`` it keeps
            so many of each level. A warning counts the others. ``per_query`` has the queries of all groups.
        period: ``day``, ``week`` or ``month``: breaks the result down by time, too. Name the column with
            ``columns={"time": ...}``. The group ``period`` is the first day of each period; weeks begin on Monday. A
            time without a time zone is UTC.
        timezone: the time zone of the periods, such as ``Europe/Berlin``; UTC by default.
        weight: a column with the weight of each query, such as its traffic or revenue, looked up like ``by``. Means,
            geometric ones included, become Σ weight · value / Σ weight over the queries with a value. Sums ignore the
            weights. The summary has a column ``sum_of_weights``. A query whose weight is NULL or 0 has no weight, and
            a warning counts such queries; a negative weight is an error.
        cluster: with ``interval="t"``, a column such as the user whose queries may be alike, looked up like ``by``.
            Standard errors are then clustered by its values (CR2, with the degrees of freedom of uneven clusters). The
            summary has the columns ``n_clusters`` and ``largest_cluster_share``, a share of the queries. A query whose
            column is NULL is a cluster of its own.
        query_list: the queries to score: a file, table or list. All others are left out.
        items: the catalogue of items, for metrics such as coverage and novelty: a file, table or frame with a row for
            each item, or for each item and category. Its columns are ``item_id`` and, if a metric needs them,
            ``popularity`` and ``category``. Or pass ``[item, ...]``, ``{item: popularity}``, ``{item: [category,
            ...]}`` or ``{item: {"popularity": 0.5, "category": [category, ...]}}``.
        predicted_qrels: the judgments of a model, such as an LLM, for many queries, in any form of judgments; ``qrels``
            then has those of people for a random draw of at least ten of these queries. Values and effects are
            prediction-powered (PPI++; Angelopoulos, Duchi & Zrnic 2023): the mean by the model over the other queries,
            corrected by what people found in theirs, with a standard error and an interval. Columns say what each side
            alone gives, how biased the model is, and how much it counts. ``by``, ``period`` and ``cluster`` look in
            these judgments, which know all queries.
        profile: a named set of options; see ``profiles()``.
        input_format: ``trec``, ``csv``, ``tsv``, ``parquet``, ``jsonl`` or ``json`` for all files, whatever their
            names.
    """

    profile: str | None


def options_of(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options among the keywords of a call."""
    return {name: value for name, value in keywords.items() if name in Options.__annotations__}


def choices_of(keywords: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> Choices:
    """Resolve the options of a call; they win over the defaults of its inputs, and these over the profile."""
    return resolve_options({**(defaults or {}), **options_of(keywords)}, keywords.get("profile"))


def column_map(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``columns=`` of a call, with meanings written out."""
    columns = keywords.get("columns")
    if columns is not None and not isinstance(columns, Mapping):
        raise UsageError(
            f"columns takes a mapping such as {{'item_id': 'doc_id'}}, whose values are column names or"
            f" SQL, not {shortened(columns)}."
        )
    return expand_names(columns or {})


def column_spec(keywords: Mapping[str, Any], **others: Any) -> ColumnSpec:
    """Return the columns and groups that a call names; ``others`` win over its keywords."""
    check_zone(keywords.get("timezone"))
    settings = {name: keywords.get(name) for name in ("period", "timezone", "weight", "cluster", "min_queries")}
    judge = [f"qrels.{others['judge'].removeprefix('qrels.')}"] if others.get("judge") is not None else []
    settings["by"] = as_list("by", keywords.get("by", ())) + judge
    settings["rollup"] = as_sets("rollup", keywords.get("rollup", False))
    return ColumnSpec(**{"columns": column_map(keywords), **settings, **others})


def make_request(
    keywords: Mapping[str, Any], metrics: Sequence[ResolvedMetric], choices: Choices, **others: Any
) -> Request:
    """Return the request of a call, with its resolved metrics and options; ``others`` are fields of the request."""
    from ..pipeline.request import Request

    inputs = {name: keywords.get(name) for name in ("query_list", "items", "predicted_qrels", "input_format")}
    spec = others.pop("spec", None) or column_spec(keywords)
    group_order = _group_order(keywords.get("order"), keywords.get("limit"), metrics, choices)
    return Request(metrics, choices, spec=spec, group_order=group_order, **{**inputs, **others})


_N_QUERIES = "n_queries"
_DIRECTIONS = {"asc": False, "desc": True}


def _group_order(
    order: str | None, limit: int | None, metrics: Sequence[ResolvedMetric], choices: Choices
) -> GroupOrder | None:
    """Return how groups are ordered: by a metric, or by their number of queries, with a direction behind it or not."""
    if order is None and limit is None:
        return None
    labels = [metric.label for metric in metrics]
    text = labels[0] if order is None else order.strip()
    name, _, direction = text.rpartition(" ")
    if text in labels or direction.lower() not in _DIRECTIONS:
        name, direction = text, ""
    label = asked_as(name.strip(), metrics, choices)
    if label is None and name.strip().lower() != _N_QUERIES:
        raise UsageError(f"order: {name!r} is not one of the metrics. {nearest(name, [*labels, _N_QUERIES])}")
    largest_first = label is None or next(metric.better == "lower" for metric in metrics if metric.label == label)
    return GroupOrder(label, _DIRECTIONS.get(direction.lower(), largest_first), limit)


@contextlib.contextmanager
def prepared(request: Request, run: Any, qrels: Any, connection: Any) -> Iterator[Evaluation]:
    """Connect, load and check the inputs of a request, and yield what runs its statements while the database is open.

    Args:
        request: what was asked for.
        run: the run or runs, or a source.
        qrels: the judgments.
        connection: as in ``Common``.
    """
    from ..pipeline.prepare import prepare

    with opened(connection) as engine:
        yield prepare(engine, request, run, qrels)


P = ParamSpec("P")
T = TypeVar("T")

_ENTRY = r"(?m)^    (\w+): "
_OPTIONS = "    options: choices by name, such as ``ties``; see ``options()``."
_DEFAULTS: Mapping[str, Any] = {"by": (), "rollup": False}  # None of all others


def public(
    *keys: str, refuse: Callable[[Mapping[str, Any]], None] | None = None
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make a function that takes ``**common`` public: with a signature that names its keywords, which are checked.

    Args:
        keys: the keys of ``Common`` that it takes; all others are refused, like unknown options.
        refuse: raises for certain keywords with a message of its own.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = _signature(inspect.signature(function), keys)

        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                call = signature.bind(*args, **kwargs)
            except TypeError:
                return function(*args, **kwargs)  # Python says what is missing
            call.apply_defaults()
            if refuse is not None:
                refuse(call.arguments["options"])
            check_arguments(_arguments_to_check(call.arguments, signature))
            return function(*args, **kwargs)

        checked.__signature__ = signature  # type: ignore[attr-defined]
        checked.__doc__ = _document(
            inspect.cleandoc(function.__doc__ or ""), keys, has_options="options" in signature.parameters
        )
        return checked

    return decorate


def _arguments_to_check(arguments: Mapping[str, Any], signature: inspect.Signature) -> dict[str, Any]:
    """Return the arguments without metrics that may be None: by the signature, or because a source comes first."""
    is_behind_source = isinstance(next(iter(arguments.values())), Source)
    may_be_none = {name for name in ("metric", "metrics") if name in arguments and arguments[name] is None}
    return {
        name: value
        for name, value in arguments.items()
        if name not in may_be_none or not (is_behind_source or signature.parameters[name].default is None)
    }


def _signature(signature: inspect.Signature, keys: Iterable[str]) -> inspect.Signature:
    """Return the signature with a parameter for each key, and ``**options`` for the rest."""
    kinds = inspect.Parameter
    parameters = [one for one in signature.parameters.values() if one.kind is not kinds.VAR_KEYWORD]
    for key in keys:
        type_ = Common.__annotations__[key].__forward_arg__
        parameters.append(kinds(key, kinds.KEYWORD_ONLY, default=_DEFAULTS.get(key), annotation=type_))
    if any(one.kind is kinds.VAR_KEYWORD for one in signature.parameters.values()):
        parameters.append(kinds("options", kinds.VAR_KEYWORD, annotation="Any"))
    return signature.replace(parameters=parameters)


def _document(text: str, keys: Iterable[str], *, has_options: bool) -> str:
    """Return the docstring, completed by the entries of ``Common`` that it does not have itself."""
    head, mark, rest = text.partition("Args:\n")
    section, end, tail = rest.partition("\n\n")
    entries, common = _entries(section), _entries(inspect.cleandoc(Common.__doc__ or "").partition("Attributes:\n")[2])
    options = entries.pop("options", _OPTIONS if has_options else "")
    entries |= {key: common[key] for key in keys if key not in entries}
    return head + mark + "\n".join(filter(None, [*entries.values(), options])) + end + tail


def arguments_of(function: Callable[..., Any]) -> dict[str, str]:
    """Return what the docstring of a function says of each argument, by its name."""
    return _entries((inspect.getdoc(function) or "").partition("Args:\n")[2].partition("\n\n")[0])


def _entries(section: str) -> dict[str, str]:
    """Split a section of a docstring into its entries, by the name of the argument."""
    starts = [*re.finditer(_ENTRY, section)]
    ends = [*(match.start() for match in starts[1:]), len(section)]
    return {match[1]: section[match.start() : end].rstrip() for match, end in zip(starts, ends, strict=True)}

"""Looks at the input before a number is trusted: refuses what would make it wrong, warns of what makes it mean less."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..databases import Engine
from ..dialects.names import unquoted
from ..errors import DataError, nearest
from ..inputs.ids import INTEGERS, TEXT, UNKNOWN, cast_in_query, comparable, different, family
from ..statements.query import Query
from ..statements.relation import COVARIATE, WEIGHT, Relation
from ..statements.templates import macros
from .ratios import Ratio, ratios

_NUMBERS = (*INTEGERS, "FLOAT", "DOUBLE", "DECIMAL", "BOOLEAN")
_SHOWN = 3

# Where check=auto looks for duplicates in every row, and beyond, of how many lists it looks at one, or of fewer where
# that would not be some. A duplicate in one list is then missed in 63 of 64 cases, duplicates in ten lists in 85 %, in
# a hundred in 21 %, in a thousand in one case of seven million.
EXACT_ROWS = 1_000_000
SHARE = 64
_SOME_LISTS = 20
_FEW_ROWS = 1_000
_SHORT = 25  # items per list, on average: those whose positions are looked at together

# With an effective sample size below this there is a warning.
FEW_EFFECTIVE = 100


class _Sample(NamedTuple):
    """What is in a share of the lists of a relation."""

    n_lists: int
    n_rows: int
    n_distinct: int
    n_judged: int
    n_cut: int


class Checker:
    """Checks one evaluation's inputs in their database.

    Attributes:
        is_share: whether duplicates were looked for in a share of the lists only.
    """

    def __init__(self, database: Engine, query: Query, *, compares: bool = False) -> None:
        """What looks at the inputs of a query.

        Args:
            database: where they are.
            query: what is asked.
            compares: whether runs are compared, so that where they are paired each query is of one group in all.
        """
        self._pairs_queries = compares and query.options["design"] == "paired"
        self._database = database
        self._runs, self._qrels, self._query_list = query.runs, query.qrels, query.query_list
        self._items = query.items
        self._query = query
        self._sizes: dict[int, tuple[int, int]] = {}
        self._samples: dict[tuple[int, int], _Sample] = {}
        self.is_share = False
        self._keys = {name for relation in query.relations for name in relation.keys}

    @property
    def _all(self) -> list[Relation]:
        return [*self._runs, *([self._qrels] if self._qrels else [])]

    def before(self) -> list[str]:
        """What is checked whatever the option ``check`` says: types, and what a metric cannot work with.

        Returns:
            Warnings about the query list, ranks that contradict scores, and logged rows that say little of another
            policy.

        Raises:
            DataError: ids of different types, numbers that are none, grades beyond the scale, chances that are none.
        """
        for checked in self._query.relations:
            check_numbers(checked, lambda sql: self._database.run(self._query.translated(sql))[1])
        for run in self._runs:
            self._check_id_types(run)
            if self._query.options["position"] == "given":
                self._check_positions(run)
            if self._query.options["ties"] == "rank" or (run.value == "position" and self._query.check != "none"):
                self._check_ranks(run)
            if run.columns.get("n_relevant"):
                self._check_n_relevant(run)
            if run.role == "labelled" and self._qrels:
                self._check_labels(run, self._qrels)
            self._check_predictions(run)
        self._check_highest_grade()
        self._check_reference_ranks()
        self._check_groups()
        self._check_numbers()
        if self._items is not None:
            self._check_items(self._items)
        for checked in self._query.relations:
            self._check_chances(checked)
        against = (warning for run in self._runs for warning in _against_ranks(run))
        return [*against, *self._missing_selected(), *self._few_effective()]

    def full(self, exact: bool) -> list[str]:
        """Checks every row.

        Args:
            exact: whether duplicates are looked for in every row of a large table too.

        Returns:
            Warnings about queries that only one side has, and about scores that tie; of judged items only where every
            row is looked at.

        Raises:
            DataError: missing ids, missing or undefined scores, duplicate items, no common query.
        """
        found = self.rows(exact)
        gaps = [warning for run in self._runs for warning in self._gaps(run)]
        tied = [warning for run in self._runs for warning in self._tied(run)] if exact else []
        return [*found, *self.overlaps(), *gaps, *tied, *self._lone_subtopics()]

    def rows(self, exact: bool) -> list[str]:
        """Checks the rows of every input.

        Args:
            exact: as in ``full``.

        Returns:
            Warnings about lists with equal scores on both sides of a cutoff, where a share of the lists was looked at:
            statements count all of them.
        """
        shares = [1 if exact else self._share(checked) for checked in self._all]
        self.is_share = max(shares) > 1
        found = []
        for checked, share in zip(self._all, shares, strict=True):
            sql = macros()["rm_check_counts"](checked.as_template(), checked.value, not self.is_share)
            n_rows, n_lacking_ids, n_unusable, highest, *n_distinct = self._single(sql)
            if n_rows == 0:
                raise checked.refuse("there are no rows.")
            if n_unusable:
                self._refuse_values(checked, n_unusable)
            if highest is not None and math.isnan(highest):
                self._refuse_grades(checked)
            if n_lacking_ids and not checked.optional_ids:
                self._refuse_missing_ids(checked, n_lacking_ids)
            if self.is_share:
                found += self._look_at(checked, share)
            elif n_distinct[0] < n_rows and not self._takes_one(checked):
                self._refuse_duplicates(checked)
            if checked is self._qrels or self._qrels is None:
                found += self._none_relevant(checked, highest)
        return found

    def _none_relevant(self, judged: Relation, highest: float | None) -> Iterator[str]:
        """A warning where grades are above 0, and none reaches what metrics take for relevant."""
        rels = self._thresholds()
        if highest is not None and rels and 0 < highest < min(rels):
            yield (
                f"{judged.label}: no item is relevant: the highest grade is {highest:g}, and a grade of {min(rels):g}"
                f" or more is wanted; rel={highest:g} takes it for relevant."
            )

    def _thresholds(self) -> list[float]:
        """The lowest relevant grade of each metric that counts relevant items."""
        by_threshold = (
            metric.params for metric in self._query.metrics if metric.params.get("gain", "binary") == "binary"
        )
        return [float(str(params["rel"])) for params in by_threshold if "rel" in params]

    def _share(self, checked: Relation) -> int:
        """Of how many lists one is looked at: all where rows are few, or there is no hash to choose by."""
        if not self._database.dialect.canonical or self._size(checked)[0] <= EXACT_ROWS:
            return 1
        return self._some_lists(checked)

    def _some_lists(self, relation: Relation) -> int:
        """Of how many lists one, so that there are some of them at least."""
        return max(1, min(SHARE, self._size(relation)[1] // _SOME_LISTS))

    def _look_at(self, checked: Relation, share: int) -> list[str]:
        """Refuses duplicates in a share of the lists, and warns of ties there."""
        found = self._sample(checked, share)
        if found.n_distinct < found.n_rows and not self._takes_one(checked):
            self._refuse_duplicates(checked, share)
        if not found.n_cut:
            return []
        where = f"{checked.label}: in 1 of {share} lists," if share > 1 else f"{checked.label}:"
        return [f"{where} {tied_at_cutoff(self._query, found.n_cut)}"]

    def _sample(self, checked: Relation, share: int) -> _Sample:
        """What is in a share of the lists; asked once."""
        key = (id(checked), share)
        if key not in self._samples:
            is_run = checked is not self._qrels
            cutoffs = self._query.cutoffs if is_run and checked.value == "score" else []
            of_float32 = any(metric.ranking["score_type"] == "float32" for metric in self._query.metrics)
            score = macros()["rm_rounded_to_float32"]("r.score") if of_float32 else "r.score"
            qrels = self._qrels.as_template() if is_run and self._qrels else None
            sql = macros()["rm_check_share"](checked.as_template(), qrels, share, cutoffs, score)
            self._samples[key] = _Sample(*self._single(sql))
        return self._samples[key]

    def overlaps(self) -> Iterator[str]:
        """A warning for queries that only a run, or only the judgments have.

        Raises:
            DataError: a run has no judged query at all.
        """
        for run in self._runs:
            yield from self._overlap(run, self._qrels) if self._qrels else self._unlabelled(run)

    def pairs(self, baseline: str) -> Iterator[str]:
        """A warning for a run that shares few queries with the one that it is compared with.

        Few are fewer than half of the queries that either of them has results for, of those that count.

        Args:
            baseline: the name of that run.

        Raises:
            DataError: it shares none, so that each difference would be one between different queries.
        """
        counts_others = self._query.options["queries"] != "judged_retrieved"
        yield from self._shared(
            baseline,
            "there is nothing to pair",
            "Runs that were asked different queries, such as the arms of an experiment, are compared with"
            " design=unpaired.",
            "queries=judged_retrieved compares those." if counts_others else "those are compared.",
        )

    def scored_alike(self, baseline: str) -> Iterator[str]:
        """The same where each run counts as 0 on the queries that the other alone has results for.

        Args:
            baseline: the name of the run that the others are compared with.

        Raises:
            DataError: they share none, so that each difference would be one between results and none.
        """
        yield from self._shared(
            baseline,
            "each would count as 0 where the other has results",
            "Runs that were asked different queries, such as two periods, are scored on their own with"
            " queries=judged_retrieved.",
            "each counts as 0 on the others, and queries=judged_retrieved scores it on its own.",
        )

    def _shared(self, baseline: str, so: str, advice: str, hint: str) -> Iterator[str]:
        by_name = {str(run.name): run for run in self._runs}
        first = by_name.pop(baseline)
        for name, run in by_name.items():
            sql = macros()["rm_check_shared"](first.as_template(), run.as_template(), self._counting())
            both, ours, theirs = self._single(sql)
            if both == 0:
                raise DataError(
                    f"{baseline} and {name} have results for no common query that counts ({ours:,} and {theirs:,}), so"
                    f" {so}. Queries of {baseline}: {self._ids(first)}; of {name}: {self._ids(run)}."
                    f" {self._why_different('query_id', first, run)} {advice}"
                )
            if 2 * both < max(ours, theirs):
                yield (
                    f"{baseline} and {name} have results for only {_count(both, 'common query')}, of {ours:,} and"
                    f" {theirs:,} that count; {hint}"
                )

    def nothing_to_compare(self, baseline: str) -> None:
        """Says what a column that tells runs apart lacks for a comparison.

        Args:
            baseline: the name of one of them.

        Raises:
            DataError: it is none of them, or the only one.
        """
        column = self._runs[0].columns.get("run_id")
        if not column:
            return
        _, rows = self._database.run(f"SELECT DISTINCT {column} FROM {self._runs[0].sql} u")
        names = sorted(str(name) for (name,) in rows if name is not None)
        if baseline not in names:
            raise self._runs[0].refuse(
                f"there is no run called {baseline!r} to compare with. {nearest(baseline, names)}"
            )
        if len(names) == 1:
            raise self._runs[0].refuse(f"{baseline!r} is the only run, so there is none to compare with it.")

    def sample_ratio(self, shares: Mapping[str, float] | None) -> list[Ratio]:
        """How many queries, or clusters, each arm has, in total and in each group, and how likely that is by chance.

        The test is that of the dbt test ``sample_ratio_is_even``. What is in several arms is of no single one, and is
        left out of the counts. An arm of the design without a query has 0 of them.

        Args:
            shares: of each arm, or None for equal ones.

        Returns:
            The ratio in total, then that of each group, if there are groups.

        Raises:
            UsageError: shares lack an arm that has queries.
        """
        groups = {f"group_{number}": group for number, group in enumerate(self._query.groups, start=1)}
        keys = [*groups][-1:] if self._query.has_cluster else []
        names = [name for name in groups if name not in keys]

        def side(relation: Relation) -> dict[str, Any]:
            columns = {name: group.column for name, group in groups.items() if group.relation == relation.side}
            return {"input": relation.as_template(), "columns": columns}

        others = [self._query_list] if self._query_list else []
        if self._qrels is not None and side(self._qrels)["columns"]:
            others.append(self._qrels)
        sides = [*map(side, self._runs)], [*map(side, others)], keys

        def asked(own: list[str]) -> list[Ratio]:
            rows = self._ask(macros()["rm_check_sample_ratio"](*sides, own, shares))
            return ratios([row for row in rows if row[len(own)] is not None], [groups[name].label for name in own])

        found = asked([])
        for ratio in found:
            ratio.check_design()
        return found + (asked(names) if names else [])

    def _counting(self) -> list[dict[str, Any]]:
        """The relations that say which queries count, each with the condition for its rows."""
        universe = self._query.options["queries"]
        among = [{"input": self._query_list.as_template(), "condition": None}] if self._query_list else []
        if universe == "retrieved" or self._qrels is None:
            return among
        condition = "r.relevance IS NOT NULL" if self._query.options["impute"] is None else None
        if universe == "judged_relevant":
            rel = self._query.options["rel"]
            lowest = min(float(str(metric.params.get("rel", rel))) for metric in self._query.metrics)
            condition = f"r.relevance >= {macros()['rm_number'](lowest)}"
        return [*among, {"input": self._qrels.as_template(), "condition": condition}]

    def strangers(self) -> Iterator[str]:
        """A warning for a run without a single judged item, though its queries are judged, or one of the catalogue."""
        for run in self._runs:
            if self._qrels is not None:
                yield from self._strangers(run, self._qrels, "judged")
            if self._items is not None:
                yield from self._strangers(run, self._items, "in the catalogue")

    def _strangers(self, run: Relation, known: Relation, what: str) -> Iterator[str]:
        if self._single(macros()["rm_check_common"](run.as_template(), known.as_template()))[0] == 0:
            sides = (f"{side.label}: {self._ids(side, 'item_id')}" for side in (run, known))
            why = self._why_different("item_id", run, known)
            yield f"No retrieved item is {what}. Items of {'; of '.join(sides)}. {why}"

    def _why_different(self, meaning: str, one: Relation, other: Relation) -> str:
        """What may be the matter with ids of which none is equal to one of the other relation."""
        return self._normalization(meaning, one, other) or "Do the ids differ in type or spelling?"

    def _normalization(self, meaning: str, one: Relation, other: Relation) -> str:
        """What to type where ids look alike and differ in bytes: é is one character, or an e and an accent."""
        if not self._database.dialect.canonical or any(relation.clean for relation in (one, other)):
            return ""
        sides = [one, other]
        texts = [_normalized(side, meaning) for side in sides]
        alike = [_with_ids(side, meaning, text) for side, text in zip(sides, texts, strict=True)]
        check = macros()["rm_check_overlap" if meaning == "query_id" else "rm_check_common"]
        before, after = (self._single(check(*(side.as_template() for side in pair)))[0] for pair in (sides, alike))
        if after <= before:
            return ""
        shown = [text[0] if len(text) == 1 else text for text in texts]
        named = {meaning: shown[0]}
        if shown[0] != shown[1]:
            named = {f"{side.side}.{meaning}": text for side, text in zip(sides, shown, strict=True)}
        return (
            "Some ids look alike and differ in their characters (é is one, or an e and an accent);"
            f" {_as_columns(named)} compares them in Unicode's form NFC."
        )

    def _missing_selected(self) -> Iterator[str]:
        """Queries of the query list that are not judged, or not there."""
        if self._query_list is None:
            return
        retrieved = self._query.options["queries"] == "retrieved"
        other = self._runs[0] if retrieved or self._qrels is None else self._qrels
        self._check_id_type(self._query_list, other, "query_id")
        sql = macros()["rm_check_overlap"](self._query_list.as_template(), other.as_template())
        both, missing, _ = self._single(sql)
        if both == 0:
            raise self._query_list.refuse(
                f"none of its queries is in {other.label}. Queries here: {self._ids(self._query_list)};"
                f" there: {self._ids(other)}. {self._why_different('query_id', self._query_list, other)}"
            )
        if missing:
            yield f"{self._query_list.label}: {_count(missing, 'query')} not in {other.label}."

    def _gaps(self, run: Relation) -> Iterator[str]:
        """Positions that do not count 1, 2, 3 ... are numbered anew, which a log of impressions may not mean."""
        is_given = self._query.options["position"] == "given"
        if run.value != "position" or run.numbered or (is_given and not run.clean):
            return
        are_short = self._database.dialect.canonical and self._per_list(run) <= _SHORT
        n_equal, n_gaps = self._single(macros()["rm_check_places"](run.as_template(), are_short))
        if is_given:
            if n_equal:
                yield (
                    f"{run.label}: {_count(n_equal, 'query')} with two items at one position; what counts items within"
                    " a cutoff has no value there. position=dense numbers them 1, 2, 3 ..., equal ones by id."
                )
            return
        if n_equal:
            yield f"{run.label}: {_count(n_equal, 'query')} with equal positions; the items' ids order them."
        if n_gaps:
            of_repeats = " Some may be of repeated impressions that were left out (data_quality)." if run.clean else ""
            yield (
                f"{run.label}: {_count(n_gaps, 'query')} with gaps in the positions, numbered 1, 2, 3 ... here;"
                f" position=given keeps them.{of_repeats}"
            )

    def _tied(self, run: Relation) -> Iterator[str]:
        """A warning where ids decide which of the items of one score is above, and it matters to a metric."""
        by_id = [
            metric
            for metric in self._query.metrics
            if metric.metric.reads_ranks and metric.ranking["ties"] in ("item_asc", "item_desc")
        ]
        is_judged = self._qrels is not None or run.columns.get("relevance")
        if run.value != "score" or not is_judged or not by_id or self._query.options["position"] == "given":
            return
        depths = [metric.params.get("k") for metric in by_id]
        depth = None if None in depths else max(int(str(k)) for k in depths)
        rounded = all(metric.ranking["score_type"] == "float32" for metric in by_id)
        score = macros()["rm_rounded_to_float32"]("r.score") if rounded else "r.score"
        qrels = self._qrels.as_template() if self._qrels else None
        n_lists = int(self._single(macros()["rm_check_tied"](run.as_template(), qrels, depth, score))[0])
        if n_lists:
            where = "" if depth is None else f" within the first {depth:,}"
            ties = "/".join(sorted({str(metric.ranking["ties"]) for metric in by_id}))
            yield (
                f"{run.label}: {_count(n_lists, 'query')} in which a judged item has the same score as an item of"
                f" another grade or none{where}, so that ids decide their ranks (ties={ties}); ties=expected gives the"
                " mean over all orders."
            )

    def _lone_subtopics(self) -> Iterator[str]:
        """Where no query has two subtopics, the column is probably not that of subtopics."""
        if self._qrels is None or not self._qrels.columns.get("subtopic"):
            return
        if not self._count_lists(self._qrels, "COUNT(DISTINCT r.subtopic) > 1"):
            column = self._qrels.shown(unquoted(self._qrels.columns["subtopic"]))
            yield f"{self._qrels.label}: no query has more than one subtopic (column {column!r})."

    def judgments_per_query(self) -> float:
        """How many judgments a query has on average, roughly."""
        return self._per_list(self._qrels) if self._qrels is not None else math.inf

    def items_per_list(self) -> float:
        """How many items a list of the first run has on average, roughly."""
        return self._per_list(self._runs[0])

    def filled_places(self, run: Relation, k: int, n_queries: int) -> float:
        """How many of the first k places of a run have an item, of its scored queries; of many rows, roughly."""
        if self._database.dialect.canonical and self._size(run)[0] > EXACT_ROWS:
            return n_queries * min(k, self._per_list(run))
        others = self._query_list or self._qrels or run
        return float(self._single(macros()["rm_check_filled"](run.as_template(), others.as_template(), k))[0] or 0)

    def judges_irrelevant(self) -> bool:
        """Whether some judgment says that an item is not relevant; others are lists of what is."""
        if self._qrels is None:
            return False
        lowest = self._single(macros()["rm_check_totals"](self._qrels.as_template(), ["MIN(r.relevance)"]))[0]
        return lowest is not None and (lowest <= 0 or lowest < min(self._thresholds(), default=0))

    def has_few_rows(self) -> bool:
        """Whether the first run has so few that no statement over them takes long."""
        return self._size(self._runs[0])[0] <= _FEW_ROWS

    def has_many_rows(self) -> bool:
        """Whether the first run is one of which a share is looked at."""
        return self._size(self._runs[0])[0] > EXACT_ROWS

    def judged_per_list(self) -> float:
        """How many of those are judged: from a sample."""
        found = self._sample(self._runs[0], self._some_lists(self._runs[0]))
        return found.n_judged / max(found.n_lists, 1)

    def _per_list(self, relation: Relation) -> float:
        n_rows, n_lists = self._size(relation)
        return n_rows / max(n_lists, 1)

    def _size(self, relation: Relation) -> tuple[int, int]:
        """How many rows it has, and roughly how many lists; asked once."""
        if id(relation) not in self._sizes:
            template = relation.as_template()
            keys = ", ".join(f"r.{name}" for name in macros()["rm_list_keys"](template))
            totals = ["COUNT(*)", f"APPROX_COUNT_DISTINCT(HASH({keys}))"]
            n_rows, n_lists = self._single(macros()["rm_check_totals"](template, totals))
            self._sizes[id(relation)] = (n_rows, n_lists)
        return self._sizes[id(relation)]

    def most_judgments(self) -> int:
        """How many judgments the query with the most has."""
        return int(self._single(macros()["rm_check_most_rows"](self._qrels.as_template()))[0]) if self._qrels else 0

    def skew(self) -> float:
        """How often an item of the first run meets a judgment of its query, beside queries that were all alike.

        One long list with many judgments has more such pairs than all others together, though no average shows it.
        """
        if self._qrels is None:
            return 1
        sql = macros()["rm_check_pairs"](self._runs[0].as_template(), self._qrels.as_template())
        n_pairs, n_items, n_judgments = self._single(sql)
        return float(n_pairs) * self._size(self._qrels)[1] / max(float(n_items) * float(n_judgments), 1)

    def _overlap(self, run: Relation, qrels: Relation) -> Iterator[str]:
        graded = self._query.options["impute"] is None
        sql = macros()["rm_check_overlap"](run.as_template(), qrels.as_template(), graded)
        both, run_only, judged_only = self._single(sql)
        if both == 0:
            raise run.refuse(
                f"none of its queries is judged in {qrels.label}. Queries here: {self._ids(run)};"
                f" judged: {self._ids(qrels)}. {self._why_different('query_id', run, qrels)}"
                " A judgment whose grade is NULL is none."
            )
        if both < min(run_only, judged_only) and (how := self._normalization("query_id", run, qrels)):
            yield f"{run.label} and {qrels.label} have few queries in common. {how}"
        if self._query.query_list:
            return
        universe = self._query.options["queries"]
        if judged_only:
            counted = universe in ("judged", "judged_relevant")
            fate = f"each {'scores 0' if counted else f'is left out (queries={universe})'}"
            yield f"{run.label}: {_count(judged_only, 'judged query')} without results; {fate}."
        if run_only and universe != "retrieved":
            yield f"{run.label}: results for {_count(run_only, 'query')} without judgments are not counted."

    def _unlabelled(self, run: Relation) -> Iterator[str]:
        if self._query.options["queries"] == "retrieved":
            return
        count = self._count_lists(run, "COUNT(r.relevance) = 0", _query_keys(run))
        if count:
            yield (
                f"{run.label}: {_count(count, 'query')} without a single label not counted;"
                " queries=retrieved counts each as 0."
            )

    def _check_id_types(self, run: Relation) -> None:
        if self._qrels:
            self.same_ids(run, self._qrels)

    def same_ids(self, one: Relation, other: Relation) -> None:
        """Refuses relations whose ids could not be equal.

        Raises:
            DataError: they have different types.
        """
        for meaning in ("query_id", "item_id"):
            self._check_id_type(one, other, meaning)

    def _check_id_type(self, one: Relation, other: Relation, meaning: str) -> None:
        ours, theirs = one.types_of(meaning), other.types_of(meaning)
        if not all(map(comparable, ours, theirs)):
            raise different(meaning, (ours, theirs), (one.label, other.label), self._as_text(meaning, one, other))

    def _as_text(self, meaning: str, *relations: Relation) -> str:
        """What to type so that ids of different types are compared as text; rows of a source have columns of its own.

        Args:
            meaning: ``query_id`` or ``item_id``.
            relations: those whose types differ.
        """
        if not self._database.dialect.canonical or any(relation.clean for relation in relations):
            return f"cast one of them, {cast_in_query(self._database.dialect)}"
        casts = {}
        for relation in relations:
            if any(family(type_) != "text" for type_ in relation.types_of(meaning)):
                texts = [f"CAST({text} AS VARCHAR)" for text in relation.texts_of(meaning)]
                casts[f"{relation.side}.{meaning}"] = texts[0] if len(texts) == 1 else texts
        return f"{_as_columns(casts)} compares them as text"

    def _check_ranks(self, run: Relation) -> None:
        """Without a rank a row stands nowhere, and where it stands moves all others."""
        column = run.columns["position"]
        rows = self._rows(run, column, macros()["rm_unusable"](_number(column)))
        if rows:
            raise run.refuse(f"every row needs a position: {_examples(rows)}.")

    def _check_labels(self, run: Relation, qrels: Relation) -> None:
        rows = self._some(macros()["rm_check_labels"](run.as_template(), qrels.as_template()))
        if rows:
            raise run.refuse(f"labels differ from {qrels.label} (query, item, label, grade): {_examples(rows)}.")

    def _check_predictions(self, run: Relation) -> None:
        """A score that a metric reads as a prediction has errors whose squares are numbers too."""
        metric = next((metric for metric in self._query.metrics if "score" in metric.needs), None)
        if metric is None or run.value != "score":
            return
        column = run.columns["score"]
        number = _number(column)
        beyond = f"NOT {macros()['rm_is_nan'](number)} AND ABS({number}) > 1e100"
        if rows := self._rows(run, column, beyond):
            wanted = "reads the score, which is then a number between -1e100 and 1e100"
            raise run.refuse(f"{metric.label} {wanted}: {_examples(rows)}.")

    def _check_highest_grade(self) -> None:
        limits = [metric.params["err_max"] for metric in self._query.metrics if "err_max" in metric.params]
        if not limits:
            return
        lowest = min(float(str(limit)) for limit in limits)
        for checked in self._all:
            if checked.columns.get("relevance") is None:
                continue
            highest = self._single(macros()["rm_check_totals"](checked.as_template(), ["MAX(r.relevance)"]))[0]
            if highest is not None and highest > lowest:
                advice = f"set err_max={highest:g} or higher"
                raise checked.refuse(f"the highest grade is {highest:g}, beyond err_max = {lowest:g}; {advice}.")

    def _check_chances(self, checked: Relation) -> None:
        """What was logged had a chance above 0; under another policy it may have none."""
        for meaning, least in (("propensity", "above 0"), ("target", "at least 0")):
            column = checked.columns.get(meaning)
            if column is None:
                continue
            number = _number(column)
            below = f"{number} {'<=' if least == 'above 0' else '<'} 0"
            wrong = f"{macros()['rm_unusable'](number)} OR {below} OR {number} > 1"
            rows = self._rows(checked, column, f"s.{checked.columns['relevance']} IS NOT NULL AND ({wrong})")
            if rows:
                raise checked.refuse(f"a {meaning} is a number {least} and at most 1: {_examples(rows)}.")

    def _check_reference_ranks(self) -> None:
        """Where the judgments are another ranking, grades are 1 over ranks: no two items of a query have the same."""
        metric = next((metric for metric in self._query.metrics if metric.metric.reads_reference), None)
        if metric is None:
            return
        judged = self._qrels or self._runs[0]
        column = judged.columns["relevance"]
        rank = f"1 / {_number(column)}"
        wrong = f"{_number(column)} <= 0 OR ABS({rank} - ROUND({rank}, 0)) > 1e-6"
        if rows := self._rows(judged, column, wrong):
            raise judged.refuse(
                f"{metric.label} compares with another run, so a grade is 1 over a rank; ranks(run) gives such"
                f" judgments: {_examples(rows)}."
            )
        if rows := self._some(macros()["rm_check_equal_grades"](judged.as_template())):
            raise judged.refuse(
                f"{metric.label} compares with another run, whose items have different ranks: {_examples(rows)}."
            )

    def _few_effective(self) -> Iterator[str]:
        """A warning where few of the logged rows decide what another policy is said to be worth."""
        weight = "CASE WHEN r.relevance IS NOT NULL THEN r.target / r.propensity END"
        totals = [f"SUM({weight})", f"SUM(({weight}) * ({weight}))", "COUNT(r.relevance)"]
        for checked in (relation for relation in self._all if relation.columns.get("target")):
            weights, squares, n_rows = self._single(macros()["rm_check_totals"](checked.as_template(), totals))
            effective = weights * weights / squares if squares else 0.0
            if effective < FEW_EFFECTIVE:
                yield (
                    f"{checked.label}: the effective sample size is {effective:,.3g}, of {_count(n_rows, 'row')}; with"
                    f" fewer than {FEW_EFFECTIVE} what another policy is worth is hardly known."
                )

    def _check_positions(self, run: Relation) -> None:
        column = run.columns["position"]
        number = _number(column)
        rows = self._rows(run, column, f"{number} IS NULL OR {number} < 1 OR {number} <> FLOOR({number})")
        if rows:
            raise run.refuse(f"a position must be a whole number of at least 1: {_examples(rows)}.")
        if run.clean:
            return  # a log, in which two items may have stood at one place: _gaps counts such requests
        shared = self._some(macros()["rm_check_positions"](run.as_template()))
        if shared:
            message = "with position=given each position stands once in a query; more often"
            found = [(*query, int(position), count) for *query, position, count in shared]
            raise run.refuse(f"{message}: {_examples(found)}.")

    def _check_n_relevant(self, run: Relation) -> None:
        rel = self._query.options["rel"]
        rows = self._some(macros()["rm_check_n_relevant"](run.as_template(), rel))
        if rows:
            *query, lowest, highest, present = rows[0]
            raise run.refuse(
                f"n_relevant of query {_shown(query)} is {lowest} to {highest}, with {present} relevant rows present;"
                " it must be one number for a query, at least its relevant rows and at most 100,000 beyond them."
            )

    def _check_items(self, items: Relation) -> None:
        """An item has a name and one popularity, which is a share where a metric takes its logarithm."""
        check_numbers(items, lambda sql: self._database.run(self._query.translated(sql))[1])
        for run in self._runs:
            self._check_id_type(run, items, "item_id")
        template = items.as_template()
        n_rows, n_named = self._single(macros()["rm_check_totals"](template, ["COUNT(*)", "COUNT(r.item_id)"]))
        if n_rows == 0:
            raise items.refuse("there are no rows.")
        if n_named < n_rows:
            raise items.refuse(f"{_count(n_rows - n_named, 'row')} without an item.")
        column = items.columns.get("popularity")
        if column is None:
            return
        beyond = f"{_number(column)} < 0 OR {macros()['rm_is_nan'](_number(column))}"
        if rows := self._rows(items, column, beyond):
            raise items.refuse(f"a popularity must be a number of at least 0: {_examples(rows)}.")
        metric = next((metric for metric in self._query.metrics if "popularity_share" in metric.needs), None)
        if metric is not None and (rows := self._rows(items, column, f"{_number(column)} > 1")):
            share = "a popularity must be a share of the users, 0 to 1"
            raise items.refuse(f"{metric.label}: {share}: {_examples(rows)}.")
        if rows := self._some(macros()["rm_check_popularity"](template)):
            raise items.refuse(f"an item has two popularities (item, lowest, highest): {_examples(rows)}.")

    def _check_groups(self) -> None:
        for group in self._query.groups:
            self._check_one_value(self._sides[group.relation], group.column)

    @property
    def _sides(self) -> dict[str, Sequence[Relation]]:
        """The relations that may say something of a query."""
        one_of_each = {"qrels": self._qrels, "query_list": self._query_list}
        return {"run": self._runs} | {side: [found] if found else [] for side, found in one_of_each.items()}

    def _check_numbers(self) -> None:
        """A query has one weight, which is not negative, and one covariate, whose square is a number too."""
        self._check_number(WEIGHT, "a number of at least 0", "{0} >= 0 AND {0} <= 1.7976931348623157e308")
        self._check_number(COVARIATE, "a number between -1e100 and 1e100", "ABS({0}) <= 1e100")

    def _check_number(self, meaning: str, wanted: str, condition: str) -> None:
        for relations in self._sides.values():
            said = [(checked, checked.columns[meaning]) for checked in relations if checked.columns.get(meaning)]
            for checked, column in said:
                number = _number(column)
                usable = f"NOT {macros()['rm_is_nan'](number)} AND {condition.format(number)}"
                rows = self._rows(checked, column, f"s.{column} IS NOT NULL AND NOT ({usable})")
                if rows:
                    name = checked.shown(unquoted(column))
                    raise checked.refuse(f"a {meaning} (column {name!r}) is {wanted}: {_examples(rows)}.")
            if said:
                self._check_one_value(relations, said[0][1])

    def _check_one_value(self, relations: Sequence[Relation], column: str) -> None:
        """All rows of a list say the same of it; where queries are paired, those of all runs."""
        together = [relations] if self._pairs_queries else [[relation] for relation in relations]
        for side in together:
            self._check_one_group(side, column)

    def _check_one_group(self, relations: Sequence[Relation], column: str) -> None:
        inputs = [relation.as_template() for relation in relations]
        rows = self._some(macros()["rm_check_groups"](inputs, column, self._pairs_queries))
        if rows:
            *query, lowest, highest = rows[0]
            values = f"{lowest!r} and {highest!r}"
            raise DataError(
                f"{' and '.join(relation.label for relation in relations)}: query {_shown(query)} has two values in"
                f" {unquoted(column)}: {values}."
            )

    def _refuse_missing_ids(self, checked: Relation, count: int) -> None:
        columns = checked.columns
        others = filter(None, [columns.get("run_id"), columns.get("subtopic")])
        ids = [*columns["query_id"], columns["item_id"], *others]
        condition = " OR ".join(f"s.{column} IS NULL" for column in ids)
        rows = self._rows(checked, checked.columns[checked.value], condition)
        what = ["queries", "items", *(["runs or arms"] if columns.get("run_id") else [])]
        what += ["subtopics"] if columns.get("subtopic") else []
        of_what = f"{', '.join(what[:-1])} or {what[-1]}"
        raise checked.refuse(f"{_count(count, 'missing id')} of {of_what}: {_examples(rows)}.")

    def _refuse_values(self, checked: Relation, count: int) -> None:
        """Judgments without a grade are no judgments; a run's rows need a score or position."""
        if checked is self._qrels:
            self._refuse_grades(checked)
            return
        column = checked.columns[checked.value]
        if rows := self._rows(checked, column, macros()["rm_unusable"](_number(column))):
            raise checked.refuse(f"{_count(count, 'row')} with a NULL or NaN {checked.value}: {_examples(rows)}.")

    def _refuse_grades(self, judged: Relation) -> None:
        """NaN is no grade, where NULL is that of an item that is not judged."""
        column = judged.columns["relevance"]
        if rows := self._rows(judged, column, f"s.{column} IS NOT NULL AND {macros()['rm_is_nan'](_number(column))}"):
            raise judged.refuse(
                f"the grade of an item is NaN, which is no number: {_examples(rows)}. An item that is not judged has"
                f" NULL (None in Python); {_nan_as_null(judged)} reads NaN as that."
            )

    def _takes_one(self, checked: Relation) -> bool:
        """Whether of rows that stand several times one is taken, because that was asked for."""
        option = "duplicate_judgments" if checked is self._qrels else "duplicates"
        return self._query.options[option] != "error"

    def _refuse_duplicates(self, checked: Relation, share: int = 1) -> None:
        """Equal fingerprints of different ids are no duplicates, and neither are our own rows without an item."""
        rows = self._some(macros()["rm_check_duplicates"](checked.as_template(), share))
        if rows:
            known = bool(checked.columns.get("subtopic"))
            ids = "query, item, subtopic" if known else "query, item"
            once = "" if known else _once_each(checked)
            hint = (
                once if checked.role == "qrels" else _by_tag(checked) or " duplicates=first ranks the best row of each."
            )
            raise checked.refuse(f"duplicate item in a query ({ids}, rows): {_examples(rows)}.{hint}")

    def ids(self, checked: Relation) -> str:
        """Some queries and items of a relation, for people."""
        return f"{self._ids(checked)} with {self._ids(checked, 'item_id')}"

    def _ids(self, checked: Relation, meaning: str = "query_id") -> str:
        names = _query_keys(checked) if meaning == "query_id" else [meaning]
        return _examples(self._ask(macros()["rm_check_ids"](checked.as_template(), names) + "\nLIMIT 2"))

    def _count_lists(self, relation: Relation, condition: str, keys: Sequence[str] | None = None) -> int:
        """Of how many lists, or of other groups of rows, a condition holds."""
        template = relation.as_template()
        names = keys if keys is not None else macros()["rm_list_keys"](template)
        return int(self._single(macros()["rm_check_count"](template, names, condition))[0])

    def _single(self, sql: str) -> tuple[Any, ...]:
        return self._ask(sql)[0]

    def _rows(self, checked: Relation, column: str, condition: str) -> list[tuple[Any, ...]]:
        """Rows as they stand in the user's relation."""
        sql = macros()["rm_check_rows"](checked.as_template(), column, condition)
        return self._ask(f"{sql}\nLIMIT {_SHOWN}", self._keys)

    def _some(self, sql: str) -> list[tuple[Any, ...]]:
        return self._ask(f"{sql}\nLIMIT {_SHOWN}")

    def _ask(self, sql: str, keys: Collection[str] | None = None) -> list[tuple[Any, ...]]:
        """The rows of a statement, in which keys are compared by their bytes: our own, or the user's of these names."""
        return self._database.run(self._query.translated(sql, keys))[1]


def tied_at_cutoff(query: Query, n_lists: int) -> str:
    """Says that equal scores stand on both sides of a cutoff.

    Args:
        query: what is asked.
        n_lists: of how many lists.
    """
    who = "1 query has" if n_lists == 1 else f"{n_lists:,} queries have"
    where = f"a cutoff ({', '.join(map(str, query.cutoffs))})"
    ties = "/".join(sorted({str(metric.ranking["ties"]) for metric in query.metrics}))
    return f"{who} items of equal scores on both sides of {where}; ties={ties} decides which count."


def _against_ranks(run: Relation) -> Iterator[str]:
    """A warning where the ranks of a file say the opposite of its scores, by which items are ordered."""
    if run.n_against * 2 > run.n_ordered and unquoted(run.columns.get("score") or "") == "score":
        what = "1 query" if run.n_ordered == 1 else f"{run.n_against:,} of {run.n_ordered:,} queries"
        yield (
            f"{run.label}: in {what} the item of the first rank has the lowest score and that of the last rank the"
            " highest, and the highest score is ranked first here. If scores are distances, pass"
            ' columns={"score": "-score"} (--columns score=-score); columns={"position": "rank"} (--position rank)'
            " takes the ranks."
        )


def _once_each(qrels: Relation) -> str:
    """What to do about judgments that have an item several times, in the words of their columns."""
    keys = ", ".join([*qrels.columns["query_id"], qrels.columns["item_id"]])
    grade = qrels.columns[qrels.value]
    return (
        " Judged by subtopic? Name the column: columns={'subtopic': ...}. By several people?"
        " duplicate_judgments=highest takes the highest grade. One grade of theirs:"
        f" SELECT {keys}, MAX({grade}) AS {grade} FROM ... GROUP BY {keys}."
    )


def _as_columns(named: Mapping[str, Any]) -> str:
    """What to type for SQL in place of columns, in Python and on the command line."""
    line = " ".join(f'--columns "{key}={text}"' for key, text in named.items() if isinstance(text, str))
    return f"columns={dict(named)}{f' ({line})' if line else ''}"


def _normalized(relation: Relation, meaning: str) -> list[str]:
    """SQL for the ids of a meaning, those of text in one of Unicode's normal forms."""
    return [
        f"NFC_NORMALIZE({text})" if type_ == "VARCHAR" else text
        for text, type_ in zip(relation.texts_of(meaning), relation.types_of(meaning), strict=True)
    ]


def _with_ids(relation: Relation, meaning: str, texts: Sequence[str]) -> Relation:
    """The relation with SQL for the ids of a meaning."""
    computed = {f"rankmetrics_normal_{number}": text for number, text in enumerate(texts, start=1)}
    ids = list(computed) if meaning == "query_id" else next(iter(computed))
    return replace(
        relation,
        columns={**relation.columns, meaning: ids},
        expressions={**relation.expressions, **computed},
    )


def _nan_as_null(judged: Relation) -> str:
    """What to type where NaN means that an item is not judged."""
    [own] = judged.texts_of("relevance")
    return _as_columns({"relevance": f"NULLIF(CAST({own} AS DOUBLE), 'NaN')"})


def _by_tag(run: Relation) -> str:
    """What to do about a run file with the lines of several runs."""
    tags = run.tags() if run.tags is not None else []
    if len(tags) < 2:
        return ""
    shown = f"{', '.join(map(repr, tags[:_SHOWN]))}{' ...' if len(tags) > _SHOWN else ''}"
    return (
        f" The file has {len(tags):,} tags ({shown}). columns={{'run_id': 'tag'}} (--columns run_id=tag) scores each"
        " as a run of its own."
    )


def _query_keys(relation: Relation) -> list[str]:
    """Our names of the columns that name a query."""
    return list(macros()["rm_query_keys"](relation.columns["query_id"]))


def _number(column: str) -> str:
    """A user's column as a double."""
    return f"CAST(s.{column} AS DOUBLE)"


Ask = Callable[[str], list[tuple[Any, ...]]]


def check_numbers(relation: Relation, ask: Ask) -> None:
    """Looks at the columns that must hold numbers.

    Args:
        relation: whose columns.
        ask: gives the rows of a statement over it.

    Raises:
        DataError: one of them holds something else.
    """
    for meaning, column in relation.numbers.items():
        _check_number(relation, meaning, column, ask)


def _check_number(relation: Relation, meaning: str, column: str, ask: Ask) -> None:
    database, name = relation.database, unquoted(column)
    type_ = (relation.types or {}).get(name, "DOUBLE")
    if database is None or (type_.startswith((*_NUMBERS, UNKNOWN)) and database.is_number(type_)):
        if database is not None and database.dialect.dynamic_types:
            _refuse_rows(relation, meaning, f"typeof(s.{column}) IN ('text', 'blob')", ask)
        return
    if not type_.startswith(TEXT) or not database.tries_casts:
        advice = "" if database.tries_casts else "; cast it in a query that stands for the table"
        own = f"column {relation.shown(name)!r}" if name not in relation.expressions else relation.shown(name)
        raise relation.refuse(f"{meaning} ({own}) is {type_}, not a number{advice}.")
    # DuckDB reads 1_0 as 10
    number = f"CASE WHEN NOT contains(s.{column}, '_') THEN TRY_CAST(s.{column} AS DOUBLE) END"
    _refuse_rows(relation, meaning, f"s.{column} IS NOT NULL AND {number} IS NULL", ask)


def _refuse_rows(relation: Relation, meaning: str, condition: str, ask: Ask) -> None:
    """Shows rows whose value is no number, if there are such."""
    sql = macros()["rm_check_rows"](relation.as_template(), relation.numbers[meaning], condition)
    rows = ask(f"{sql}\nLIMIT {_SHOWN}")
    if rows:
        raise relation.refuse(f"{meaning} is not a number: {_examples(rows)}.")


def _shown(row: Sequence[Any]) -> str:
    return repr(row[0]) if len(row) == 1 else "(" + ", ".join(map(repr, row)) + ")"


def _examples(rows: Sequence[Sequence[Any]]) -> str:
    return ", ".join(_shown(row) for row in rows)


def _count(number: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"

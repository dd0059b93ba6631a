"""Judgments that a click model makes of a log: a table that also stands wherever judgments are passed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..definitions.resolution import ask
from ..dialects import Dialect
from ..engines import Catalog, Engine, is_engine
from ..errors import DataError, UsageError, advise, shortened
from ..inputs.expressions import column_or_expression, has_column, repeated
from ..inputs.groups import split_side
from ..inputs.reader import Reader
from ..inputs.references import Reference
from ..pipeline.findings import warn
from ..pipeline.load import tables_of
from ..relation import KnownFacts, Relation
from ..results.base import Storable
from ..results.tables import Table
from ..rows import Replace, Row
from ..sources import Rows, rows_of, typed
from ..templates import macros
from .arguments import as_list
from .keywords import public
from .logs import aliased, saver
from .place import opened

_FEW_REQUESTS = 10_000  # of which the actions on items that were not shown are counted, too


@dataclass(frozen=True)
class _Log:
    """The rows of a log where a statement can read them.

    Attributes:
        rows: the relation.
        source: the log that they are of, if they are not the user's own table.
        place: their database.
        columns: of the macro: ``request``, ``item_id``, ``position`` and ``relevance``.
        by: the columns with the text, as statements write them.
        group: that of the type of page, if there is one.
        arms: the arms of the log.
    """

    rows: Relation
    source: Rows | None
    place: Catalog
    columns: Mapping[str, Any]
    by: Sequence[str]
    group: str | None
    arms: Sequence[str] = ()

    @property
    def dialect(self) -> Dialect:
        """Return the dialect of the database."""
        return self.place.dialect


class ClickJudgments(Storable, Table, Reference):
    """Judgments of a click model: a row for each search text and item, and judgments wherever these are passed.

    Nothing is read until the rows are asked for, or an evaluation reads them.
    """

    def __init__(
        self, rows: Any, by: Sequence[str], columns: Mapping[str, Any], rules: Mapping[str, Any], connection: Any
    ) -> None:
        """Take the log, the columns of text, item and so on, the other arguments of the macro, and the place."""
        super().__init__(lambda: self._answer()[0], lambda _: self._answer()[1:])
        self._rows = rows
        self._by = by
        self._columns = columns
        self._rules = rules
        self._connection = connection
        self._save = None
        self._answered: tuple[str, Sequence[str], Sequence[Row]] | None = None
        self._warnings: list[str] = []

    @property
    def warnings(self) -> list[str]:
        """What the log leaves open."""
        self._answer()
        return self._warnings

    @property
    def data_quality(self) -> Table:
        """How many rows of the log, and of its requests and pairs, are used or left out, by reason."""
        with opened(self._connection) as engine:
            log = self._log(engine)
            place = log.place if is_engine(log.place) else engine
            text = self._quality_text(log)
            columns, rows = place.run(text)
            counts = [row for row in rows if row[0] in ("requests", "pairs")]
            if log.source is not None:
                of_log = log.source.text(log.source.quality, place.dialect)
                text, counts = f"{of_log};\n\n{text}", [*place.run(of_log)[1], *counts]
        return Table(lambda: text, lambda _: (columns, counts))

    def load(self, reader: Reader, role: str) -> Relation:
        """See ``Reference``."""
        facts = KnownFacts(clean=True, are_estimates=self._rules["grades"] is None)
        if self._connection is not None and reader.engine.is_ours and is_engine(reader.engine):
            judged = reader.one(self._as_mapping(), role, "judgments")
            return replace(judged, label=self._label, facts=replace(facts, arms=self._arms, notes=self.warnings))
        log = self._log(reader.engine)
        text, permanent = self._texts(log)
        label = f"judgments of {log.rows.label}"
        judgments = Reader(log.place).derived(
            text,
            role,
            label,
            replace(facts, arms=log.arms),
            is_permanent=log.rows.is_permanent,
            optional_ids=True,
            permanent_text=permanent,
        )
        names = ["query_id"] if len(log.by) == 1 else [macros()["rm_last_part"](name) for name in log.by]
        notes = []
        if is_engine(log.place):
            counting = f"SELECT COUNT(DISTINCT relevance) FROM {aliased(judgments.sql)}"
            notes = self._notes(log, log.place, lambda place: int(place.run(counting)[1][0][0]))
        return replace(judgments, declared_columns={"query_id": names}, facts=replace(judgments.facts, notes=notes))

    def __bool__(self) -> bool:
        """Nothing is read to find out that there are judgments."""
        return True

    def _as_mapping(self) -> dict[Any, dict[Any, float]]:
        """Return the judgments as Python objects, for an evaluation in another database."""
        if len(self._by) > 1:
            raise UsageError("judgments: several columns of by= need one database. Pass connection= to the evaluation.")
        judged: dict[Any, dict[Any, float]] = {}
        for text, item, grade, *_ in self.fetchall():
            judged.setdefault(text, {})[item] = grade
        return judged

    @property
    def sql(self) -> str:
        """The text of the statement."""
        return self._answer()[0]

    def _fetched(self) -> tuple[list[str], list[Row]]:
        self._answer()
        return super()._fetched()

    def _answer(self) -> tuple[str, Sequence[str], Sequence[Row]]:
        """Return the statement, its columns and rows. What else follows from reading the log is set once."""
        if self._answered is None:
            with opened(self._connection) as engine:
                log = self._log(engine)
                place = log.place if is_engine(log.place) else engine
                text, permanent = self._texts(log)
                columns, rows = place.run(_ordered(text, log))
                grade = columns.index("relevance")
                self._warnings = warn(self._notes(log, place, lambda _: len({row[grade] for row in rows})))
                self._save = saver(place, log.rows, permanent)
                self._arms, self._label = log.arms, f"judgments of {log.rows.label}"
                self._answered = _ordered(permanent, log), columns, rows
        return self._answered

    def _save_as(self, kind: str, name: str, level: str, replace: Replace) -> None:
        self._fetched()
        super()._save_as(kind, name, level, replace)

    def _log(self, engine: Catalog) -> _Log:
        """Return the rows of the log in a database."""
        if isinstance(self._rows, Rows):
            return self._of_source(self._rows, engine)
        rows = Reader(engine).one(self._rows, "source", "log")
        place = rows.database or engine
        columns = dict(self._columns)
        if self._rules["model"] == "ctr" and rows.is_known and not has_column(rows, columns["position"] or ""):
            columns["position"] = None

        def written(meaning: str, name: str) -> str:
            text = column_or_expression(rows, meaning, name, place.dialect)
            return typed(rows, meaning, text, "DOUBLE") if meaning in ("position", "relevance") else text

        texts = {
            meaning: name
            if name is None
            else written(meaning, name)
            if isinstance(name, str)
            else [written(meaning, one) for one in name]
            for meaning, name in columns.items()
        }
        group = self._rules["group"]
        log = _Log(
            rows,
            None,
            place,
            texts,
            [written("by", name) for name in self._by],
            None if group is None else written("group", group),
        )
        _refuse_repeated(log)
        return log

    def _of_source(self, source: Rows, engine: Catalog) -> _Log:
        """Return the rows of a log."""
        sides, tables = {}, tables_of(source)
        for name in (*self._by, *filter(None, [self._rules["group"]])):
            side, last = split_side(name, engine.dialect, tables)
            sides[name] = (last, ("by", tables[side]) if side else None)
        texts = [sides[name][0] for name in self._by]
        wanted = {last: where for last, where in sides.values() if where is not None}
        source = replace(source, wanted=wanted)
        names = [last for last, _ in sides.values()]
        try:
            described, types = rows_of(source, engine, names, values=texts)
        except DataError as error:
            source = self._without_position(source, engine, error)
            described, types = rows_of(source, engine, names, values=texts)
        rows, place = types["labelled"], described.place or engine
        meanings = described.meanings(place.dialect)
        in_rows = {
            name: column_or_expression(rows, "by", described.name_in_rows(last, place.dialect), place.dialect)
            for name, (last, _) in sides.items()
        }
        columns = {"request": meanings["query_id"], "item_id": "item_id", "position": "position"}
        arms = []
        if described.arm is not None and is_engine(place):
            arm = column_or_expression(rows, "arm", meanings["run_id"], place.dialect)
            arms = [str(name) for (name,) in place.run(f"SELECT DISTINCT {arm} FROM {aliased(rows.sql)}")[1]]
        group = self._rules["group"]
        return _Log(
            rows,
            described,
            place,
            columns | {"relevance": "relevance"},
            [in_rows[name] for name in self._by],
            None if group is None else in_rows[group],
            sorted(arms),
        )

    def _without_position(self, source: Rows, engine: Catalog, error: DataError) -> Rows:
        """Return a log without positions as ``ctr`` reads it; raise the error again if that is not its reason."""
        side, position = source.columns.get("position", ("", None))
        if not side or not isinstance(position, str):
            raise error
        shown = Reader(engine).one(source.relations[side], "source", side)
        if not shown.is_known or has_column(shown, position):
            raise error
        model = self._rules["model"]
        if model != "ctr":
            raise DataError(
                f"{error} model={model} reads positions. For a log without them, pass"
                f" {advise('argument', 'model', 'ctr')}."
            )
        return replace(source, columns={**source.columns, "position": (side, "1")})

    def _texts(self, log: _Log) -> tuple[str, str]:
        """Return the statement that runs now, and the one that still runs when the evaluation is over."""
        text, lasting = self._text(log, log.rows.sql), log.rows.permanent_sql
        return text, text if lasting is None else self._text(log, lasting)

    def _text(self, log: _Log, rows: str) -> str:
        """Return the statement over rows of the log."""
        rules = {**self._rules, "group": log.group, "by": log.by, "columns": dict(log.columns)}
        return str(macros(log.dialect.name)["judgments_from_clicks"](aliased(rows), **rules))

    def _quality_text(self, log: _Log) -> str:
        given = [dict(log.columns), self._rules["rel"], self._rules["min_impressions"], self._rules["normalise"]]
        has_place = log.columns["position"] is not None
        return str(
            macros(log.dialect.name)["rm_quality_of_judgments"](aliased(log.rows.sql), log.by, *given, has_place)
        )

    def _notes(self, log: _Log, place: Engine, count_grades: Callable[[Engine], int]) -> list[str]:
        """Return what the log leaves open, as warnings; raise if no pair is judged, or too few values for the grades.

        Args:
            log: what was read.
            place: its database.
            count_grades: how many grades the judgments have, where that is asked.
        """
        label = f"judgments of {log.rows.label}"
        counts = {(name, reason): int(n or 0) for name, reason, n in place.run(self._quality_text(log))[1]}
        kept, too_few = counts.get(("pairs", "used"), 0), counts.get(("pairs", "too few impressions"), 0)
        least = self._rules["min_impressions"]
        if not kept:
            how = (
                f"none of {too_few:,} pairs of text and item has {least} impressions. Pass a lower min_impressions."
                if too_few
                else f"no request has one text ({', '.join(self._by)}) and shows an item."
            )
            raise DataError(f"{label}: {how}")
        self._check_grades(log, place, count_grades, label, kept)
        return [f"{label}: {note}" for note in self._findings(log, counts, kept, too_few)]

    def _check_grades(
        self, log: _Log, place: Engine, count_grades: Callable[[Engine], int], label: str, kept: int
    ) -> None:
        """Raise if there are fewer estimates than grades."""
        grades = self._rules["grades"]
        if not isinstance(grades, int) or count_grades(place) >= grades:
            return
        plain = ClickJudgments(self._rows, self._by, self._columns, {**self._rules, "grades": None}, None)
        estimates = plain._text(log, log.rows.sql)
        rounded = "FLOOR(relevance * 1000000000000 + 0.5)"
        [(n_values,)] = place.run(f"SELECT COUNT(DISTINCT {rounded}) FROM ({estimates}) u")[1]
        if n_values < grades:
            values = "1 value" if n_values == 1 else f"{n_values:,} values"
            raise DataError(
                f"{label}: the estimates of {kept:,} pairs have {values}, fewer than grades={grades}. Pass fewer"
                " grades, or a list of thresholds."
            )

    def _findings(self, log: _Log, counts: Mapping[tuple[str, str], int], kept: int, too_few: int) -> list[str]:
        """Return what is left out, and what of the log may not be meant."""
        requests = {reason: n for (name, reason), n in counts.items() if name == "requests"}
        n_covered, total = requests.get("used", 0), sum(requests.values())
        found = []
        if n_covered < total:
            least = self._rules["min_impressions"]
            pairs = f"{kept:,} of {kept + too_few:,} pairs" if too_few else f"{kept:,} pairs"
            pairs += (
                f" of text and item are kept (min_impressions={least})" if too_few else " of text and item are judged"
            )
            faults = [f"{n:,} with {reason}" for reason in ("no text", "two texts") if (n := requests.get(reason, 0))]
            left_out = f" Left out: {' and '.join(faults)} ({' and '.join(self._by)})." if faults else ""
            found.append(f"{pairs}. Their texts cover {n_covered / total:.1%} of {total:,} requests.{left_out}")
        if alike := counts.get(("texts", "alike"), 0):
            how = advise("argument", "normalise", "lower, trim")
            found.append(
                f"{alike:,} texts differ from another only in case or spaces around them. {how} makes them one."
            )
        if gaps := counts.get(("positions", "no impression"), 0):
            positions = "1 position" if gaps == 1 else f"{gaps:,} positions"
            has = "has" if gaps == 1 else "have"
            found.append(f"{positions} above the last one shown {has} no impression. The log may lack rows.")
        unshown = self._unshown(log, total)
        if unshown:
            clicks = "1 action is" if unshown == 1 else f"{unshown:,} actions are"
            found.append(f"{clicks} about an item that the request did not show. Left out.")
        return found

    def _unshown(self, log: _Log, n_requests: int) -> int:
        """Return how many graded actions are about items that were not shown, if it is fast to look."""
        if log.source is None or log.source.log is None or n_requests > _FEW_REQUESTS or not is_engine(log.place):
            return 0
        counting = replace(log.source.log, select="rm_count_not_shown")
        return int(log.place.run(log.source.text(counting, log.dialect))[1][0][0])


def _ordered(text: str, log: _Log) -> str:
    places = ", ".join(f"{number} ASC" for number in range(1, len(log.by) + 2))
    return f"{text}\nORDER BY {places}"


def _refuse_repeated(log: _Log) -> None:
    """Refuse a table in which a request shows an item twice: a click counts once per request and item."""
    if not is_engine(log.place):
        return
    requests = log.columns["request"]
    keys = [*([requests] if isinstance(requests, str) else requests), log.columns["item_id"]]
    [(n_twice,)] = log.place.run(f"SELECT COUNT(*) FROM ({repeated(aliased(log.rows.sql), keys)}) t")[1]
    if n_twice:
        items = "1 item stands" if n_twice == 1 else f"{n_twice:,} items stand"
        raise log.rows.error(
            f"{items} twice in a request. Pass a row for each item of a request, or the log itself: events(...)."
        )


@public()
def judgments(
    rows: Any,
    by: str | Sequence[str],
    model: str = "sdbn",
    *,
    action: str | Sequence[str] | None = None,
    group: str | None = None,
    prior: float = 1,
    no_click: str = "all",
    min_impressions: int = 1,
    grades: int | Sequence[float] | None = None,
    normalise: str | Sequence[str] | None = None,
    request: str | Sequence[str] = "request_id",
    item: str = "item_id",
    position: str | None = "position",
    relevance: str = "relevance",
    rel: float = 1,
    connection: Any = None,
) -> ClickJudgments:
    """Makes judgments of clicks by a click model, so that a ranker that nobody has seen can be scored.

    They go wherever judgments go. Without ``grades`` the relevance is an estimate, which ``cg``, ``dcg``, ``idcg`` and
    ``ndcg`` with linear gain take. Requests without a text, or with two, are left out and counted.

    Args:
        rows: a log, such as ``events()`` returns, or a table with a row for each item that a request showed.
        by: the column of the impressions with the search text, or a list of columns. ``queries.NAME`` is one of the
            table of all requests.
        model: ``ctr``, clicks over impressions; ``coec``, clicks over those that the positions let expect; ``cascade``,
            the share of those who looked at the item that clicked it first; ``sdbn``, attractiveness times
            satisfaction, where all down to the last click was looked at.
        action: the actions of the log that count, such as ``"purchase"``; by default those with a grade.
        group: a column such as the type of page. ``coec`` compares positions with those of the same value.
        prior: how many impressions (or clicks, for satisfaction) the mean of the log counts as, for each pair. With 0
            the estimate is the plain share.
        no_click: ``all`` if a request without a click was looked at to its end, ``none`` if not at all.
        min_impressions: pairs of text and item with fewer are left out.
        grades: a number of grades, from 0 on, which are quantiles of the estimates, equal ones together; or a list of
            rising thresholds, where an estimate at a threshold has the grade above it.
        normalise: ``lower``, ``trim`` or ``"lower, trim"``: texts that differ in case or outer spaces become one.
        request: the column that names the request in a table, or a list of columns. A log names its own, like the next
            three.
        item: the column with the item.
        position: the column with the position; ``ctr`` needs none.
        relevance: the column with the grade.
        rel: the lowest grade that counts as a click.
        connection: as in ``evaluate``, to look at the judgments or to store them. An evaluation in the same database
            has its own.

    Returns:
        A row for each text and item: ``query_id`` (several columns keep their names), ``item_id``, ``relevance``,
        ``impressions``, ``clicks`` and ``expected_clicks``. ``create_table()`` stores them, and ``data_quality`` counts
        what was left out.

    Raises:
        UsageError: an argument is unknown, or the model needs positions.
        DataError: when the log is read: a column is missing, no pair is left, or there are fewer values than grades.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rows = [("r1", "a", 1, 0), ("r1", "b", 2, 1), ("r2", "a", 1, 1), ("r2", "b", 2, 0)]
        >>> values = ", ".join(map(str, rows))
        >>> log = f"SELECT 'rug' AS term, * FROM (VALUES {values}) t (request_id, item_id, position, relevance)"
        >>> judged = rm.judgments(log, by="term", model="sdbn", prior=0)
        >>> [(row["item_id"], row["relevance"]) for row in judged.dicts()]
        [('a', 0.5), ('b', 1.0)]
        >>> rm.evaluate({"rug": ["b", "a"]}, judged, "ndcg@2")["ndcg@2"]
        1.0
    """
    texts = as_list("by", by)
    if not isinstance(normalise, str | list | tuple | None):
        raise UsageError(f"judgments: normalise takes lower, trim or both, not {shortened(normalise)}.")
    if not texts:
        raise UsageError("judgments: by is empty. Name the column with the search text.")
    steps = list(grades) if isinstance(grades, tuple) else grades
    ask("rm_checked_click_model", model, prior, no_click, min_impressions, steps, normalise)
    if position is None and model != "ctr":
        raise UsageError(f"judgments: model={model} needs the position of each impression, and position= is None.")
    rules = {"model": model, "rel": rel, "group": group, "prior": prior, "no_click": no_click}
    rules |= {"min_impressions": min_impressions, "grades": steps, "normalise": normalise}
    columns = {"request": request, "item_id": item, "position": position, "relevance": relevance}
    return ClickJudgments(_with_actions(rows, action), texts, columns, rules, connection)


def _with_actions(rows: Any, action: str | Sequence[str] | None) -> Any:
    """Return the log with one grade for the actions that count."""
    if isinstance(rows, Rows) and rows.log is None:
        raise UsageError(f"{rows.label} is no log of impressions and clicks. Pass events(...) or another log.")
    if action is None:
        return rows
    if not isinstance(rows, Rows) or "grades" not in rows.settings:
        what = rows.label if isinstance(rows, Rows) else "a table"
        raise UsageError(f"judgments: action= needs a log with several actions, and {what} has one. Omit action=.")
    actions = as_list("action", action)
    if not actions:
        raise UsageError("judgments: action is empty. Name the actions that count.")
    return replace(rows, settings={**rows.settings, "grades": dict.fromkeys(actions, 1), "grade": "highest"})

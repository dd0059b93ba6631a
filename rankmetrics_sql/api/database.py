"""Connect to a database that stays open for several evaluations, with the public functions as its methods."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from ..errors import UsageError
from .agreement import agreement
from .arguments import check_arguments
from .clean import clean
from .click_judgments import judgments
from .compare import compare, compare_all, tukey
from .curve import curve
from .evaluate import evaluate, labelled
from .explain import decompose, explain, movements
from .install import install
from .judging import judge_next
from .logs import coec, ctr_by_position, propensities, team_draft, team_draft_preference
from .place import OpenDatabase
from .sample_size import sample_size
from .sensitivity import sensitivity
from .sql import estimate, sql
from .worst import worst

P = ParamSpec("P")
T = TypeVar("T")


def connect(
    place: Any = None,
    *,
    dialect: str | None = None,
    materialize: str | None = None,
    timeout: float | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    progress: bool = True,
) -> Database:
    """Connects to the database in which evaluations run.

    Args:
        place: a DuckDB, SQLAlchemy, DB-API or ADBC connection, a Spark session, a ClickHouse client, an ibis backend; a
            URL such as ``"postgresql://host/db"`` or a DuckDB file, opened for reading unless ``materialize`` is given;
            a new DuckDB in memory by default. For a DuckDB connection a cursor is used, unless the connection has
            temporary tables, settings or an open transaction, which a cursor does not see. A statement that fails then
            aborts the transaction.
        dialect: the SQL dialect, if the connection does not show it, such as ``"redshift"``.
        materialize: a schema of the warehouse in which to store files and Python objects for an evaluation, and to run
            SQL text only once; ``"temp"`` for temporary tables. Without it nothing is written.
        timeout: the seconds that connecting, and then each statement, may take. ``DatabaseTimeoutError`` is raised
            when they are over.
        threads: the number of threads of our own DuckDB.
        memory_limit: the memory of our own DuckDB, such as ``"4GB"``.
        progress: whether a call that takes more than two seconds shows its step in a line that goes away, if standard
            error is a terminal, or in a notebook.

    Raises:
        UsageError: the arguments contradict each other, or the connection is not supported.
        DataError: the file does not exist.
        DatabaseError: the database cannot be reached.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> with rm.connect() as database:
        ...     database.evaluate({"q1": ["a"]}, {"q1": ["a"]}, "rr")["rr"]
        1.0
    """
    check_arguments(locals())
    settings = {"dialect": dialect, "materialize": materialize, "timeout": timeout, "progress": progress}
    return Database(place, **settings, threads=threads, memory_limit=memory_limit)


def _method(function: Callable[P, T]) -> Callable[Concatenate[Any, P], T]:
    """Return the function as a method of a database, which is its connection."""

    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if "connection" in kwargs:
            raise UsageError(f"{function.__name__}: connection= is the database itself here. Omit connection=.")
        return function(*args, **kwargs, connection=self)

    functools.update_wrapper(method, function)
    signature = inspect.signature(function)
    parameters_of_method = [parameter for name, parameter in signature.parameters.items() if name != "connection"]
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__signature__ = signature.replace(parameters=[first, *parameters_of_method])  # type: ignore[attr-defined]
    return method


class Database(OpenDatabase):
    """A database in which evaluations run; see ``connect``.

    Its methods are the functions of that name, without ``connection=``. It can be used several times. A ``with`` block
    closes what it opened.
    """

    evaluate = _method(evaluate)
    labelled = _method(labelled)
    compare = _method(compare)
    compare_all = _method(compare_all)
    decompose = _method(decompose)
    movements = _method(movements)
    curve = _method(curve)
    explain = _method(explain)
    tukey = _method(tukey)
    sample_size = _method(sample_size)
    sensitivity = _method(sensitivity)
    agreement = _method(agreement)
    judge_next = _method(judge_next)
    judgments = _method(judgments)
    sql = _method(sql)
    estimate = _method(estimate)
    install = _method(install)
    clean = _method(clean)
    propensities = _method(propensities)
    coec = _method(coec)
    ctr_by_position = _method(ctr_by_position)
    team_draft = _method(team_draft)
    team_draft_preference = _method(team_draft_preference)
    worst = _method(worst)

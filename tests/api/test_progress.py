"""What a slow call says that it is doing."""

import io
import re
import sys
import time
from contextlib import redirect_stderr

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql import progress
from rankmetrics_sql.drivers import cancel

SLOW = "SELECT COUNT(DISTINCT HASH(i, j)) FROM RANGE(1000) AS a(i), RANGE(1000) AS b(j)"


@pytest.fixture
def terminal(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(file, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE", 0)
    monkeypatch.setattr(cancel, "_AGAIN", 0.01)
    return file


def lines(file):
    """The lines that were seen one after the other, without their seconds, control codes and the spinner."""
    parts = re.split(r"(?:\x1b\[[0-9;?]*[a-zA-Z]|\r|\n|rankmetrics: \d+ s, )+", file.getvalue())
    return list(dict.fromkeys(part.strip("-\\|/ ") for part in parts if part.strip("-\\|/ ")))


def slowly(*percents):
    """A statement that is looked at some times, and says how far it is."""
    looks = iter(percents)
    return cancel.run(lambda: time.sleep(0.2) or "done", lambda: None, progress=lambda: next(looks, percents[-1]))


def test_a_line_names_the_step_and_its_share_which_never_falls(terminal):
    with redirect_stderr(terminal), progress.shown(True), progress.doing("checking the inputs"):
        assert slowly(-1, 42.4, 17.0) == "done"
    assert lines(terminal) == ["checking the inputs, 42 %"]


def test_each_statement_begins_with_a_share_of_its_own(terminal):
    with redirect_stderr(terminal), progress.shown(True):
        with progress.doing("reading"):
            slowly(90.0)
        slowly(5.0)
    assert lines(terminal) == ["reading, 90 %", "running a statement, 5 %"]


def test_the_line_goes_away_and_nobody_is_told_afterwards(terminal):
    with redirect_stderr(terminal), progress.shown(True):
        slowly(42.0)
    text = terminal.getvalue()
    assert text.rstrip().endswith(("\x1b[2K", "\x1b[?25h"))
    slowly(43.0)
    assert terminal.getvalue() == text


@pytest.mark.parametrize("why", ["too short", "no terminal", "not wanted"])
def test_nothing_is_shown(terminal, monkeypatch, why):
    if why == "too short":
        monkeypatch.setattr(progress, "PATIENCE", 2)
    if why == "no terminal":
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    with redirect_stderr(terminal), progress.shown(why != "not wanted"):
        slowly(42.0)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("is_wanted", [True, False])
def test_an_evaluation_shows_its_steps_unless_progress_is_off(terminal, monkeypatch, is_wanted):
    """Each statement waits until somebody has looked at it."""
    run = cancel.run

    def run_slowly(call, *rest, **others):
        return run(lambda: (call(), time.sleep(0.03))[0], *rest, **others)

    monkeypatch.setattr(cancel, "run", run_slowly)
    with redirect_stderr(terminal), rm.connect(progress=is_wanted) as database:
        assert database.evaluate({"q1": ["a"]}, {"q1": ["a"]}, "rr")["rr"] == 1
    steps = [re.sub(r", \d+ %", "", line) for line in lines(terminal)]
    assert list(dict.fromkeys(steps)) == (
        ["reading the inputs", "checking the inputs", "ranking and joining"] if is_wanted else []
    )


def test_a_result_of_a_connection_that_runs_later_shows_its_step(terminal, monkeypatch):
    import duckdb

    with redirect_stderr(terminal), duckdb.connect() as connection:
        connection.execute("CREATE TABLE runs AS SELECT 'q' AS query_id, 'a' AS item_id, 1.0 AS score")
        connection.execute("CREATE TABLE labels AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance")
        result = rm.evaluate("runs", "labels", "rr", connection=connection)
        assert result["rr"] == 1
        run = cancel.run
        monkeypatch.setattr(
            cancel, "run", lambda call, *rest, **others: run(lambda: (call(), time.sleep(0.03))[0], *rest, **others)
        )
        terminal.truncate(0)
        assert result.per_query.fetchall() == [("q", 1.0)]
    assert "ranking and joining" in terminal.getvalue()


def test_duckdb_says_how_far_a_statement_is(terminal, monkeypatch):
    said = []
    monkeypatch.setattr(cancel, "_AGAIN", 0.01)
    token = cancel.watcher.set(said.append)
    try:
        with redirect_stderr(terminal), rm.connect(threads=1) as database:
            database._engine.run(SLOW)
    finally:
        cancel.watcher.reset(token)
    assert said[-1] is None
    assert all(percent is None or -1 <= percent <= 100 for percent in said)
    assert {type(percent) for percent in said} == {float, type(None)}


def test_a_notebook_has_a_line_of_its_own(terminal, monkeypatch):
    shown = []

    class Handle:
        def update(self, data, raw):
            assert raw
            shown.append(data["text/plain"])

    module = type(sys)("IPython.display")
    module.display = lambda data, raw, display_id: Handle() if raw and display_id else None
    monkeypatch.setitem(sys.modules, "IPython", type(sys)("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setitem(sys.modules, "ipykernel", type(sys)("ipykernel"))
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    with redirect_stderr(terminal), progress.shown(True), progress.doing("checking the inputs"):
        slowly(42.0)
    assert shown[0] == "rankmetrics: 0 s, checking the inputs, 42 %"
    assert shown[-1] == ""
    assert terminal.getvalue() == ""

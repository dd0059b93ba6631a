"""The examples in the docstrings of public functions, executed one after the other in this process."""

from __future__ import annotations

import doctest
import inspect

import pytest

import rankmetrics_sql as rm

FUNCTIONS = sorted(name for name in rm.__all__ if inspect.isfunction(getattr(rm, name)))


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
def test_every_public_function_has_examples_that_run():
    runner, parser = doctest.DocTestRunner(verbose=False), doctest.DocTestParser()
    for name in FUNCTIONS:
        test = parser.get_doctest(inspect.getdoc(getattr(rm, name)) or "", {}, name, None, 0)
        assert test.examples, name
        found: list[str] = []
        assert runner.run(test, out=found.append).failed == 0, "".join(found)

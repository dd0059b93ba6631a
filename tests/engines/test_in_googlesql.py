from __future__ import annotations

import pytest

import rankmetrics_sql as rm

from . import for_engine, hurtful

test_same_numbers = for_engine("googlesql")


@pytest.mark.long
@pytest.mark.parametrize("quoted", ["`my-project.shop.{}`", "`my-project`.`shop`.`{}`"])
def test_names_of_projects_stay_as_they_are_written(start_engine, quoted):
    """The evaluator keeps tables under one name; BigQuery reads both forms, which the text must not change."""
    engine = start_engine("googlesql")
    for table in ("runs", "labels"):
        content = hurtful.tables()[table]
        engine.load(f"my-project.shop.{table}", content.columns, content.rows)
        engine.load(table, content.columns, content.rows)
    text = rm.sql(["ap"], quoted.format("runs"), quoted.format("labels"), dialect="bigquery")
    assert quoted.format("runs") in text
    assert quoted.format("labels") in text
    for table in ("runs", "labels"):
        text = text.replace(quoted.format(table), f"`my-project.shop.{table}`")
    found = engine.fetch(text)
    assert found == engine.fetch(rm.sql(["ap"], "runs", "labels", dialect="bigquery"))

"""A connection that we open tells the database who opened it; test_drivers.py has what the stand-ins are told."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import pytest

from dev.engines.plugin import package
from rankmetrics_sql.application import application_name, as_command
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.drivers import open_url, recognise
from rankmetrics_sql.drivers.addresses import parse_url
from rankmetrics_sql.drivers.connections import _prepare
from rankmetrics_sql.drivers.families import SCHEMES
from rankmetrics_sql.version import __version__

NAME = f"rankmetrics/{__version__}"
OF_SESSION = "SELECT application_name FROM pg_stat_activity WHERE pid = pg_backend_pid()"


def test_the_command_is_named_while_it_runs(cli):
    with as_command("compare"):
        assert application_name() == f"{NAME} compare"
    cli("evaluate", "nothing.run", "nothing.qrels")
    assert application_name() == f"{NAME} python"


@pytest.mark.parametrize(
    ("url", "introduction"),
    [
        ("postgresql+psycopg2://h/d", {"fallback_application_name": f"{NAME} python"}),
        ("postgresql+pg8000://h/d", {"application_name": f"{NAME} python"}),
        ("postgresql+pg8000://h/d?application_name=nightly", {}),
        ("mysql+pymysql://h/d", {"program_name": f"{NAME} python"}),
        ("mysql+mysqldb://h/d", {}),
        ("mysql+mysqlconnector://h/d", {"conn_attrs": {"program_name": f"{NAME} python"}}),
        ("mssql+pyodbc://h/d", {"APP": f"{NAME} python"}),
        ("mssql+pyodbc://h/d?app=nightly", {}),
        ("trino://h/c?source=nightly", {}),
        ("awsathena+rest://h/d", {}),
    ],
)
def test_a_name_in_the_url_comes_first(url, introduction):
    address = parse_url(url, SCHEMES)
    packages = {one.name: one for one in SCHEMES[address.scheme].packages}
    assert packages.get(address.package, packages.get("")).introduction(address) == introduction


def test_oracle_is_told_by_a_statement():
    told = []
    _prepare(SimpleNamespace(execute=told.append), check_dialect("oracle"), application_name(), writable=False)
    assert told == [f"BEGIN DBMS_APPLICATION_INFO.SET_MODULE('{NAME} python', NULL); END;"]


@pytest.mark.long
def test_postgresql_sees_the_command(start_engine, cli):
    url = start_engine("postgres-15").url
    run = OF_SESSION.replace("application_name", "application_name AS query_id, 'a' AS item_id, 1.0 AS score")
    labels = run.replace("1.0 AS score", "1 AS relevance")
    shown = cli("evaluate", run, "--qrels", labels, "-m", "rr", "--per-query", "--format", "csv", "--database", url)
    assert f"{NAME} evaluate,rr,1.0" in shown.stdout
    for end, name in (("", f"{NAME} python"), ("?application_name=nightly", "nightly")):
        with contextlib.closing(open_url(url + end)) as driver:
            assert driver.fetch(OF_SESSION)[1] == [(name,)]
    with package("psycopg").connect(url.replace("+psycopg", "")) as theirs:
        assert recognise(theirs).fetch(OF_SESSION)[1] == [("",)]


@pytest.mark.long
def test_mariadb_is_told(start_engine):
    with contextlib.closing(open_url(start_engine("mariadb").url)) as driver:
        assert driver.connection._connect_attrs["program_name"] == f"{NAME} python"


@pytest.mark.long
def test_trino_sees_the_source(start_engine):
    sql = "SELECT source FROM system.runtime.queries WHERE query LIKE '%of this statement%' AND state = 'RUNNING'"
    with contextlib.closing(open_url(start_engine("trino").url)) as driver:
        assert driver.fetch(sql + " -- of this statement")[1] == [(f"{NAME} python",)]

"""BigQuery's client (google.cloud.bigquery), whose jobs can be cancelled, and estimated by a dry run."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ..dialects import subquery
from ..rows import Answer, Estimate
from .addresses import Address
from .base import Driver, Family, is_a
from .values import duckdb_type, empty_batch, plain_rows, slices

_PARAMETERS = 9_000  # in a statement; BigQuery takes 10,000


def _labels(application: str) -> dict[str, str]:
    """Return the labels of jobs, whose values have small letters, digits and dashes."""
    name, version, command = re.sub(r"[^a-z0-9/ -]", "-", application.lower()).replace("/", " ").split()
    return {"application": name, "version": version, "command": command}


class BigQuery(Driver):
    """A client. Statements are jobs of their own, so there are no transactions."""

    _job: Any = None

    @classmethod
    def open(cls, family: Family, address: Address, *, writable: bool) -> Any:  # noqa: ARG003 - no such setting
        """Open ``bigquery://project/dataset?location=...&credentials_path=...`` with the client alone."""
        package = family.packages[0].load(address.scheme)
        config = {"project": address.host or None, "location": address.options.get("location")}
        job: dict[str, Any] = {"labels": _labels(address.application)}
        if address.path:
            job["default_dataset"] = address.path if "." in address.path else f"{address.host}.{address.path}"
        config["default_query_job_config"] = package.QueryJobConfig(**job)
        key = address.options.get("credentials_path")
        return package.Client.from_service_account_json(key, **config) if key else package.Client(**config)

    @classmethod
    def within(cls, connection: Any) -> Any:
        return connection if is_a(connection, "google.cloud.bigquery", "Client") else connection._client

    def fetch(self, sql: str) -> Answer:
        def call() -> Answer:
            rows = self._result(sql)
            return [field.name for field in rows.schema], plain_rows(row.values() for row in rows)

        return self._translate_errors(call, sql)

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        rows = self._translate_errors(lambda: self._result(sql), sql)
        batches = iter(rows.to_arrow_iterable())
        batch = self._translate_errors(lambda: next(batches, None), sql)
        if batch is None:
            batch = empty_batch(self._translate_errors(rows.to_arrow, sql).schema)
        while batch is not None:
            yield from slices(batch, size)
            batch = self._translate_errors(lambda: next(batches, None), sql)

    def execute(self, sql: str) -> None:
        self._translate_errors(lambda: self._result(sql), sql)

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        remaining, types = iter(rows), list(columns.values())
        into = f"INSERT INTO {table} ({', '.join(columns)}) VALUES "
        markers = f"({', '.join('?' for _ in columns)})"

        def call() -> None:
            while chunk := list(islice(remaining, _PARAMETERS // len(types))):
                values = [
                    self._module.ScalarQueryParameter(None, type_, value)
                    for row in chunk
                    for type_, value in zip(types, row, strict=True)
                ]
                self._result(into + ", ".join([markers] * len(chunk)), query_parameters=values)

        self._translate_errors(call, into)

    def describe(self, relation: str) -> dict[str, str]:
        """Return the columns by a dry run, which costs nothing."""
        sql = f"SELECT * FROM {relation} WHERE 1 = 0"
        job = self._translate_errors(lambda: self._dry_run(sql), sql)
        lists = {field.name: "[]" if getattr(field, "mode", None) == "REPEATED" else "" for field in job.schema}
        return {field.name: duckdb_type(field.field_type) + lists[field.name] for field in job.schema}

    def estimate(self, sql: str) -> Estimate | None:
        subquery(sql, self.dialect)  # refuses all but one query
        size = int(self._translate_errors(lambda: self._dry_run(sql), sql).total_bytes_processed)
        return Estimate(None, size, f"dry run: {size:,} bytes would be processed")

    def cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    @property
    def _module(self) -> Any:
        """The client's package, which is imported already."""
        return sys.modules[".".join(type(self.connection).__module__.split(".")[:3])]

    def _result(self, sql: str, **options: Any) -> Any:
        self._job = self.connection.query(sql, job_config=self._module.QueryJobConfig(**options))
        with contextlib.ExitStack() as stack:
            stack.callback(setattr, self, "_job", None)
            return self._job.result()

    def _dry_run(self, sql: str) -> Any:
        return self.connection.query(sql, job_config=self._module.QueryJobConfig(dry_run=True, use_query_cache=False))

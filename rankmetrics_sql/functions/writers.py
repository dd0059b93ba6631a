"""One metric as a function over tables: how each database defines it, and how it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..definitions.resolution import ResolvedMetric
from ..relation import Relation

RUNS, QRELS = "rankmetrics_table_runs", "rankmetrics_table_qrels"

# Stands for k while a statement is written.
CUTOFF = 61051

PARAMETERS = ("runs", "qrels", "k")


@dataclass(frozen=True)
class Function:
    """One metric as a function.

    Attributes:
        name: its name in the database, with the schema.
        metric: the metric and its choices.
        keys: the columns of its result beside ``value``, as the dialect writes them.
        column: the metric's column in the statement without a cutoff, or with a fixed one.
        whole: the statement without a cutoff, or with one that is fixed; None where there must be one.
        cut: the statement with CUTOFF for a cutoff; None where the metric has none, or a fixed one.
        run: the columns of the run.
        qrels: the columns of the judgments.
    """

    name: str
    metric: ResolvedMetric
    keys: Sequence[str]
    column: str
    whole: str | None
    cut: str | None
    run: Relation
    qrels: Relation

    @property
    def columns(self) -> str:
        """The columns of the result."""
        return ", ".join([*self.keys, "value"])

    def typed(self, text: str, number: str) -> str:
        """The columns of the result and their types."""
        return ", ".join([*(f"{key} {text}" for key in self.keys), f"value {number}"])


def in_place(text: str, runs: str, qrels: str, k: str) -> str:
    """A statement with the parameters in the places of tables and cutoff; a name that has the cutoff gets ``_k``."""
    for placeholder, value in {RUNS: runs, QRELS: qrels, f"_{CUTOFF}": "_k", str(CUTOFF): k}.items():
        text = text.replace(placeholder, value)
    return text


def columns_of(table: Relation) -> Mapping[str, str]:
    """Return the meaning of each column of a table, by its name."""
    names = {
        str(name): meaning for meaning, name in table.columns.items() if name is not None and meaning != "query_id"
    }
    return {**dict.fromkeys(table.columns["query_id"], "query_id"), **names}


_WRONG_K = "k must be a whole number of at least 1"
_BY_TEXT = "A table is named by text, such as 'runs', 'my_schema.runs' or '\"My runs\"'."
_OF_NULL = "A NULL score ranks last, and a NULL grade is no judgment."


class FunctionWriter(Protocol):
    """Writes a function over tables for one database.

    Attributes:
        call: how a function is called.
        notes: what people need to know besides.
        names_columns: whether a function says which columns its tables have.
        transaction: the statements that begin and end one around functions; none where they are made outside of any.
        grants: the statements that a role needs who only reads, some of them with {schema}.
    """

    call: str
    notes: Sequence[str]
    names_columns: bool
    transaction: tuple[Sequence[str], Sequence[str]]
    grants: Sequence[str]

    def make_schema(self, schema: str) -> str:
        """The statement that makes a schema, unless it is there."""
        ...

    def make_room(self, function: Function, /) -> Sequence[str]:
        """The statements that remove an earlier version of the function, where it cannot be replaced."""
        ...

    def create(self, function: Function) -> str:
        """The statement that makes the function, or replaces it."""
        ...

    def drop(self, function: Function) -> str:
        """The statement that removes it, if it is there."""
        ...


class DuckDBWriter:
    """Table macros, of which one name may have several with different numbers of arguments."""

    call: str = "SELECT * FROM {name}('runs', 'qrels'{k})"
    notes: Sequence[str] = (
        f"{_BY_TEXT} Leave k out for no cutoff.",
        f"{_OF_NULL} A NaN score ranks last, too. A NaN grade is relevant.",
    )
    names_columns: bool = False
    transaction: tuple[Sequence[str], Sequence[str]] = (("BEGIN TRANSACTION",), ("COMMIT",))
    grants: Sequence[str] = ()

    def make_schema(self, schema: str) -> str:
        """See FunctionWriter."""
        return f"CREATE SCHEMA IF NOT EXISTS {schema}"

    def make_room(self, _function: Function, /) -> Sequence[str]:
        """See FunctionWriter."""
        return ()

    def create(self, function: Function) -> str:
        """See FunctionWriter."""
        variants = []
        if function.whole is not None:
            variants.append(f"(runs, qrels) AS TABLE (\n{self._select(function, function.whole)}\n)")
        if function.cut is not None:
            valid = f"CASE WHEN k >= 1 AND k = FLOOR(k) THEN TRUE ELSE ERROR('{_WRONG_K}') END"
            variants.append(f"(runs, qrels, k) AS TABLE (\n{self._select(function, function.cut)}\nWHERE {valid}\n)")
        return f"CREATE OR REPLACE MACRO {function.name}\n" + ",\n".join(variants)

    def drop(self, function: Function) -> str:
        """See FunctionWriter."""
        return f"DROP MACRO TABLE IF EXISTS {function.name}"

    def _select(self, function: Function, text: str) -> str:
        text = in_place(text, "query_table(runs)", "query_table(qrels)", "k")
        return f"SELECT {function.columns}\nFROM (\n{text}\n) AS scored ({function.columns})"


class PostgresWriter:
    """Functions that put names and cutoff into a text and run it; a regclass prints as a quoted name."""

    call: str = "SELECT * FROM {name}('runs', 'qrels'{k})"
    notes: Sequence[str] = (
        f"{_BY_TEXT} Leave k out, or give NULL, for no cutoff.",
        f"{_OF_NULL} A NaN score ranks last, too. A NaN grade is relevant. Make it NULL: NULLIF(relevance, 'NaN').",
    )
    names_columns: bool = False
    transaction: tuple[Sequence[str], Sequence[str]] = (("BEGIN",), ("COMMIT",))
    grants: Sequence[str] = (
        "GRANT USAGE ON SCHEMA {schema} TO reader;",
        "GRANT USAGE ON SCHEMA my_schema TO reader;",
        "GRANT SELECT ON my_schema.runs, my_schema.qrels TO reader;",
    )

    def make_schema(self, schema: str) -> str:
        """See FunctionWriter. IF NOT EXISTS refuses users who may not create schemas, even if the schema exists."""
        exists = f"to_regnamespace({_quoted(schema)})"
        body = f"BEGIN\nIF {exists} IS NULL THEN\n    CREATE SCHEMA IF NOT EXISTS {schema};\nEND IF;\nEND"
        return f"DO {_dollars(body, 'schema')}"

    def make_room(self, function: Function, /) -> Sequence[str]:
        """See FunctionWriter. A function with other columns or arguments must be dropped, and loses its grants."""
        drops = [f"DROP FUNCTION IF EXISTS {function.name}({types})" for types in _SIGNATURES]
        signature = _SIGNATURES[function.cut is not None]
        exists = f"to_regprocedure({_quoted(f'{function.name}({signature})')})"
        columns = _quoted(f"TABLE({function.typed('text', 'double precision')})")
        default = " DEFAULT NULL::bigint" if function.whole is not None else ""
        arguments = _quoted("runs regclass, qrels regclass" + (f", k bigint{default}" if function.cut else ""))
        changes = (
            f"pg_get_function_result({exists}) IS DISTINCT FROM {columns}\n"
            f"    OR pg_get_function_arguments({exists}) IS DISTINCT FROM {arguments}"
        )
        body = (
            f"BEGIN\n{drops[function.cut is None]};\n"
            f"IF {changes} THEN\n    {drops[function.cut is not None]};\nEND IF;\nEND"
        )
        return [f"DO {_dollars(body, 'room')}"]

    def create(self, function: Function) -> str:
        """See FunctionWriter."""
        wrong = f"RAISE EXCEPTION '{_WRONG_K}' USING ERRCODE = 'invalid_parameter_value';"
        body = f"BEGIN\n{_by_cutoff(function, self._return, wrong)}\nEND"
        return (
            f"CREATE OR REPLACE FUNCTION {function.name}(runs regclass, qrels regclass{_k(function, 'bigint')})\n"
            f"RETURNS TABLE ({function.typed('text', 'double precision')})\n"
            f"LANGUAGE plpgsql STABLE\nAS {_dollars(body, 'function')}"
        )

    def drop(self, function: Function) -> str:
        """See FunctionWriter."""
        k = ", bigint" if function.cut is not None else ""
        return f"DROP FUNCTION IF EXISTS {function.name}(regclass, regclass{k})"

    def _return(self, function: Function, text: str) -> str:
        keys = [f"CAST({key} AS text)" for key in function.keys]
        select = ", ".join([*keys, "CAST(value AS double precision)"])
        query = f"SELECT {select}\nFROM (\n{text}\n) AS scored ({function.columns})".replace("%", "%%")
        for number, placeholder in enumerate((RUNS, QRELS, str(CUTOFF)), start=1):
            query = query.replace(placeholder, f"%{number}$s")
        k = ", k" if text == function.cut else ""
        return f"RETURN QUERY EXECUTE format({_dollars(query, 'query')}, runs, qrels{k});"


class BigQueryWriter:
    """Table functions, whose tables are arguments themselves; there is one function of a name, and no default."""

    call: str = "SELECT * FROM {name}(TABLE my_dataset.runs, TABLE my_dataset.qrels{k})"
    notes: Sequence[str] = (
        "A table stands behind the word TABLE, because no function of BigQuery can be told the name of one. "
        "Its ids are STRING.",
        "Give NULL in place of k for no cutoff.",
        _OF_NULL,
    )
    names_columns: bool = True
    transaction: tuple[Sequence[str], Sequence[str]] = ((), ())
    grants: Sequence[str] = (
        'GRANT `roles/bigquery.dataViewer` ON SCHEMA {schema} TO "user:reader@example.com";',
        'GRANT `roles/bigquery.dataViewer` ON TABLE my_dataset.runs TO "user:reader@example.com";',
    )

    def make_schema(self, schema: str) -> str:
        """See FunctionWriter."""
        return f"CREATE SCHEMA IF NOT EXISTS {schema}"

    def make_room(self, _function: Function, /) -> Sequence[str]:
        """See FunctionWriter."""
        return ()

    types: Mapping[str, str] = {"score": "FLOAT64", "position": "FLOAT64", "relevance": "FLOAT64"}

    def create(self, function: Function) -> str:
        """See FunctionWriter."""
        run, qrels = (
            ", ".join(f"{name} {self.types.get(meaning, 'STRING')}" for name, meaning in columns_of(table).items())
            for table in (function.run, function.qrels)
        )
        k = ", k INT64" if function.cut is not None else ""
        head = (
            f"CREATE OR REPLACE TABLE FUNCTION {function.name}(\n    runs TABLE<{run}>,\n    qrels TABLE<{qrels}>{k}\n)"
        )
        return f"{head}\nAS (\n{self._body(function)}\n)"

    def drop(self, function: Function) -> str:
        """See FunctionWriter."""
        return f"DROP TABLE FUNCTION IF EXISTS {function.name}"

    def _body(self, function: Function) -> str:
        if function.cut is None:
            return self._select(function, function.whole or "", function.column)
        cut = self._select(function, function.cut, f"{function.column}_at_k")
        if function.whole is None:
            return f"{cut}\nWHERE CASE WHEN k >= 1 THEN TRUE ELSE ERROR('{_WRONG_K}') END"
        whole = self._select(function, function.whole, function.column)
        valid = f"CASE WHEN k IS NULL THEN FALSE WHEN k >= 1 THEN TRUE ELSE ERROR('{_WRONG_K}') END"
        return f"{whole}\nWHERE k IS NULL\nUNION ALL\n{cut}\nWHERE {valid}"

    def _select(self, function: Function, text: str, value: str) -> str:
        text = in_place(text, "runs", "qrels", "NULLIF(k, 0)")  # else a division by 0 comes before our error
        return f"SELECT {', '.join([*function.keys, f'{value} AS value'])}\nFROM (\n{text}\n)"


# The types of the arguments of a function in PostgreSQL, without a cutoff and with one.
_SIGNATURES = ("regclass, regclass", "regclass, regclass, bigint")


WRITERS: Mapping[str, FunctionWriter] = {
    "duckdb": DuckDBWriter(),
    "postgres": PostgresWriter(),
    "bigquery": BigQueryWriter(),
}


def _k(function: Function, type_: str) -> str:
    """The parameter k, which may be left out where the metric has a value without it."""
    if function.cut is None:
        return ""
    return f", k {type_}" + (" DEFAULT NULL" if function.whole is not None else "")


def _by_cutoff(function: Function, run: Callable[[Function, str], str], wrong: str) -> str:
    """The body of a function: what it runs for a wrong k, for none, and for a cutoff."""
    if function.cut is None:
        return run(function, function.whole or "")
    cut = run(function, function.cut)
    if function.whole is None:
        return f"IF (k IS NULL OR k < 1) THEN\n{wrong}\nELSE\n{cut}\nEND IF;"
    return f"IF (k < 1) THEN\n{wrong}\nELSEIF (k IS NULL) THEN\n{run(function, function.whole)}\nELSE\n{cut}\nEND IF;"


def _quoted(text: str) -> str:
    """A text as a literal."""
    return "'" + text.replace("'", "''") + "'"


def _dollars(text: str, tag: str) -> str:
    """A text between dollar signs that do not occur in it."""
    while f"${tag}$" in text:
        tag += "_"
    return f"${tag}$\n{text}\n${tag}$"

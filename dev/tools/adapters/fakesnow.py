"""fakesnow: Snowflake's connector with sqlglot and DuckDB behind it; it runs statements rather than scoring.

The question is ``{"tables": {name: [{column: type}, [row, ...]]}, "statements": {name: SQL}}``, the answer the names of
the columns and the rows of every statement.
"""

import json
import sys
from pathlib import Path

import fakesnow
import snowflake.connector


def load(cursor, name, columns, rows):
    """A table with the types of Snowflake."""
    cursor.execute(f"CREATE TABLE {name} ({', '.join(f'{column} {type_}' for column, type_ in columns.items())})")
    places = ", ".join(["%s"] * len(columns))
    cursor.executemany(f"INSERT INTO {name} VALUES ({places})", rows)


def fetched(cursor, sql):
    """Names of columns and rows; decimals are numbers."""
    cursor.execute(sql)
    rows = [
        [value if value is None or isinstance(value, str) else float(value) for value in row]
        for row in cursor.fetchall()
    ]
    return [column.name for column in cursor.description], rows


with fakesnow.patch(), snowflake.connector.connect(database="tests", schema="public") as connection:
    question = json.loads(Path(sys.argv[1]).read_text())
    cursor = connection.cursor()
    for name, (columns, rows) in question["tables"].items():
        load(cursor, name, columns, rows)
    answers = {name: fetched(cursor, sql) for name, sql in question["statements"].items()}
Path(sys.argv[2]).write_text(json.dumps(answers))

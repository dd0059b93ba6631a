"""PostgreSQL's. It drops nothing that a view then lacks, but does not say so as clearly as we do."""

from ..dialect import Dialect, words
from ..plans import postgres
from ..rules.clauses import frames_left_out
from ..rules.numbers import guard_underflow
from ..rules.text import order_collated

VIEWS = "SELECT viewname, definition FROM pg_views"

DIALECT = Dialect(
    name="postgres",
    values=True,
    executed=True,
    also_called=("postgresql",),
    vendors=("postgres", "postgresql"),
    reserved=words(
        """
        analyse analyze array asymmetric authorization binary collation concurrently current_catalog current_date
        current_role current_schema current_time current_timestamp current_user deferrable do freeze grant ilike
        initially isnull lateral localtime localtimestamp notnull only overlaps placing returning session_user similar
        symmetric tablesample trailing variadic verbose
        """
    ),
    folds="lower",
    nan="equal",
    strict_booleans=True,
    byte_collation='"C"',
    # A collation that is not the database's (by which only equal bytes are equal; two others cannot be compared with
    # each other at all), or a type with a mind of its own, as citext.
    column_collation="COALESCE({0}, 'a') = 'A' OR pg_collation_for({0}) <> '\"default\"'",
    rules=(order_collated, guard_underflow, frames_left_out),
    windowed_recursion=True,
    cte_hints=True,
    logarithms_of_whole=True,
    unnesting=(
        "SELECT t.query_id, u.item_id, u.position FROM {table} AS t"
        " CROSS JOIN UNNEST(t.{column}) WITH ORDINALITY AS u (item_id, position)"
    ),
    temporary_tables=True,
    transactional_ddl=True,
    views=f"{VIEWS} UNION ALL SELECT matviewname, definition FROM pg_matviews",
    read_only="SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    # Many stages look expensive: where tables have no statistics, compiling them takes 30 times as long as the answer.
    session_setting="SET jit = off",
    savepoints=True,
    held_cursors=True,
    explain="EXPLAIN (FORMAT JSON)",
    read_plan=postgres,
)

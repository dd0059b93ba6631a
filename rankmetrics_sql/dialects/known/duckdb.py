"""DuckDB's, in which all text is written first."""

from ..dialect import Dialect, words

DIALECT = Dialect(
    name="duckdb",
    executed=True,
    canonical=True,
    vendors=("duckdb",),
    reserved=words(
        """
        analyse analyze anti array asof asymmetric at authorization binary collation concurrently deferrable describe do
        freeze glob ilike initially isnull lambda lateral notnull only overlaps pivot pivot_longer pivot_wider placing
        positional qualify returning semi show similar summarize symmetric tablesample trailing unpack unpivot variadic
        verbose
        """
    ),
    windowed_recursion=True,
    selects_kth=True,
    sums_greatest=True,
    counts_bits=True,
    stores_ctes=True,
    unnesting="SELECT query_id, UNNEST({column}) AS item_id, GENERATE_SUBSCRIPTS({column}, 1) AS position FROM {table}",
    temporary_tables=True,
    or_replace_table=True,
    views=(
        "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal"
        " UNION ALL SELECT function_name, macro_definition FROM duckdb_functions() WHERE function_type = 'table_macro'"
    ),
)

"""Rules for what sqlglot does not know about dialects: one for each way in which they would give another number.

Every rule changes a tree of DuckDB's text in place, before sqlglot writes it, and takes what it needs to know from the
record of the dialect. The templates of ``sql/macros/compat`` do the same for dbt.
"""

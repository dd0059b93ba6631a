"""What sqlglot does not know of the dialects: one small rule for each way in which they would give another number.

Every rule changes a tree of DuckDB's text in place, before sqlglot writes it, and takes what it needs to know from the
record of the dialect. The templates of ``sql/macros/compat`` do the same for dbt.
"""

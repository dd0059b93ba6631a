"""Functions inside a database, one for each metric, for people who have SQL and nothing else.

A function takes the names of two tables, and a cutoff if the metric has one. It returns a row per query, by the
statement that ``rankmetrics sql --level per_query`` prints. Some databases have no functions that take table names.
For these the script creates the nearest thing, and its header shows how to call it.
"""

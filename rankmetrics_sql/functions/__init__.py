"""Functions inside a database, one for each metric, for people who have SQL and nothing else.

A function takes the names of two tables, and a cutoff where the metric has one; it gives a row per query. Inside is the
statement that ``rankmetrics sql --level per_query`` prints. Where a function of the database cannot be told its tables
by name, the nearest thing stands instead, and the header of the script says how to call it.
"""

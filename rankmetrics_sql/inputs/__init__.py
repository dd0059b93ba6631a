"""From what users pass as runs, judgments, query lists and items to relations whose columns have known meanings.

Read ``reader`` first: it makes a ``Relation`` of a table, SQL, a file (``files``, with ``trec``, ``json_files`` and
``compression``) or a Python object (``objects``). Then ``binding`` finds the column of each meaning, from ``columns=``
(``columns``), SQL over the row (``expressions``, with ``types``) and the columns of groups (``groups``). ``ids`` says
which ids are comparable, ``strings`` what a string names; ``references`` makes judgments of another run.
"""

"""Redshift's, which was PostgreSQL's once. Of the manual; most of its text runs in PostgreSQL."""

from dataclasses import replace

from ..dialect import words
from ..rules.clauses import frames_of_rows
from ..rules.numbers import guard_underflow
from ..rules.text import typed_texts
from . import postgres

DIALECT = replace(
    postgres.DIALECT,
    name="redshift",
    values=False,
    executed=False,
    also_called=(),
    vendors=("redshift",),
    reached_as="postgres",
    parent="postgres",
    reserved=postgres.DIALECT.reserved
    | words(
        """
        aes128 aes256 allowdateliteral backup blanksasnull bytedict bzip2 credentials current_user_id deflate
        defrag delta delta32k disable emptyasnull enable encode encrypt encryption explicit globaldict256
        globaldict64k gzip identity ignore language lun luns lzo lzop minus mostly16 mostly32 mostly8 new off
        offline oid old open parallel partition percent permissions pivot qualify raw readratio recover
        rejectlog resort respect restore snapshot sysdate system tag tdes text255 text32k timestamp top
        truncatecolumns unpivot wallet without
        """
    ),
    text_type="VARCHAR(65535)",
    byte_collation=None,
    column_collation=None,
    rules=(guard_underflow, frames_of_rows, typed_texts),
    windowed_recursion=False,
    cte_hints=False,
    logarithms_of_whole=False,
    unnesting="SELECT t.query_id, u AS item_id, place + 1 AS position FROM {table} AS t, t.{column} AS u AT place",
    views=postgres.VIEWS,
    read_only=None,
    session_setting=None,
    savepoints=False,
    held_cursors=False,
    explain="EXPLAIN",
    read_plan=None,
)

"""Names of tables and columns as each dialect writes them. Knows no SQL beyond that."""

from __future__ import annotations

import re

from ..errors import UsageError

_QUERY_START = re.compile(
    r"""(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*+(?:select|with)(?=[\s(*"']|--|/\*)""", re.IGNORECASE | re.DOTALL
)
_QUOTED = r'"(?:[^"]|"")+"'
_BACKTICKED = r"`(?:[^`]|``)+`"
_ESCAPED = r"`(?:[^`\\]|``|\\.)+`"  # where a backslash in quotes is not itself
_BRACKETED = r"\[(?:[^\]]|\]\])+\]"
_BACKTICKS = ("bigquery", "clickhouse", "databricks", "doris", "hive", "mysql", "spark", "starrocks")
_BRACKETS = ("fabric", "tsql")
_BACKSLASHES = ("bigquery", "clickhouse")

# What a name looks like that needs no quotes.
_LEGAL = r"[A-Za-z_][A-Za-z0-9_$]*"
_LEGAL_WITHOUT_DOLLAR = r"[A-Za-z_][A-Za-z0-9_]*"
_WITHOUT_DOLLAR = ("athena", "bigquery", "clickhouse", "databricks", "hive", "presto", "spark", "trino")

# What a part of a table's name may be too: a temporary table, one behind a link, a schema left out between two dots.
_LEGAL_PARTS = {"fabric": r"|#{1,2}\w+", "oracle": r"[A-Za-z][\w$#]*(?:@\w+)?", "snowflake": r"", "tsql": r"|#{1,2}\w+"}
_PROJECT = r"[A-Za-z]\w*(?:-\w+)+"  # BigQuery's, with dashes; there a pair of quotes may stand around a whole path

# Words that no dialect takes for the name of a table unless they are quoted.
_RESERVED = frozenset(
    """
    all and any as asc between both by case cast check collate column constraint create cross default desc distinct drop
    else end except exists false fetch for foreign from full group having in inner insert intersect into is join leading
    left like limit natural not null offset on or order outer primary references right select set some table then to
    true union unique update user using values when where window with
    """.split()  # noqa: SIM905 - a list of words reads better as words
)

# Words that some take for something else, by the engines' own lists of words and by trying each as a table and column.
_WORDS_THERE = {
    "duckdb": """analyse analyze anti array asof asymmetric at authorization binary collation concurrently deferrable
        describe do freeze glob ilike initially isnull lambda lateral notnull only overlaps pivot
        pivot_longer pivot_wider placing positional qualify returning semi show similar summarize
        symmetric tablesample trailing unpack unpivot variadic verbose""",
    "mysql": """accessible add alter analyze asensitive before bigint binary blob call cascade change char character
        condition continue convert current_date current_role current_time current_timestamp current_user
        cursor databases day_hour day_microsecond day_minute day_second dec decimal declare delayed
        delete delete_domain_id describe deterministic distinctrow div do_domain_ids double dual each
        elseif enclosed escaped exit explain float float4 float8 force fulltext grant high_priority
        hour_microsecond hour_minute hour_second if ignore ignore_domain_ids index infile inout
        insensitive int int1 int2 int3 int4 int8 integer interval iterate key keys kill leave linear
        lines load localtime localtimestamp lock long longblob longtext loop low_priority
        master_demote_to_replica master_demote_to_slave master_ssl_verify_server_cert match maxvalue
        mediumblob mediumint mediumtext middleint minute_microsecond minute_second mod modifies
        no_write_to_binlog numeric offset optimize optionally out outfile over page_checksum
        parse_vcol_expr partition portion precision procedure purge range read read_write reads real
        recursive ref_system_id regexp release rename repeat replace require resignal restrict return
        returning revoke rlike row_number rows schemas second_microsecond sensitive separator show signal
        smallint spatial specific sql sql_big_result sql_calc_found_rows sql_small_result sqlexception
        sqlstate sqlwarning ssl starting stats_auto_recalc stats_persistent stats_sample_pages
        straight_join terminated tinyblob tinyint tinytext trailing trigger undo unlock unsigned usage
        use utc_date utc_time utc_timestamp varbinary varchar varcharacter varying while write xor
        year_month zerofill""",
    "postgres": """analyse analyze array asymmetric authorization binary collation concurrently current_catalog
        current_date current_role current_schema current_time current_timestamp current_user deferrable do freeze
        grant ilike initially isnull lateral localtime localtimestamp notnull only overlaps placing
        returning session_user similar symmetric tablesample trailing variadic verbose""",
    "spark": "qualify",
    "sqlite": """add alter autoincrement commit deferrable delete escape index isnull nothing notnull returning
        transaction""",
    "trino": """alter cube current_catalog current_date current_path current_role current_schema current_time
        current_timestamp current_user deallocate delete describe escape extract grouping json_table
        localtime localtimestamp normalize prepare recursive rollup skip trim uescape unnest""",
}
_WORDS_AS_IN = {"athena": "trino", "databricks": "spark", "presto": "trino", "redshift": "postgres"}
_RESERVED_THERE = {dialect: _RESERVED.union(words.split()) for dialect, words in _WORDS_THERE.items()}


def is_reserved(name: str, dialect: str) -> bool:
    """Whether the dialect takes the word for something else than a name, unless it is in quotes."""
    return name.lower() in _RESERVED_THERE.get(_WORDS_AS_IN.get(dialect, dialect), _RESERVED)


def looks_like_query(text: str) -> bool:
    """Whether the text begins as a SELECT or WITH statement does."""
    return _QUERY_START.match(text) is not None


def table_name(text: str, dialect: str = "duckdb") -> str:
    """A dotted name as it is where it is legal, else with quotes around every part that needs them.

    Raises:
        UsageError: there is nothing in the name, or it is a stage.
    """
    if dialect == "snowflake" and text.strip().startswith(("@", "'@")):
        raise UsageError(f"{text.strip()} is a stage, not a table; give a query: SELECT $1 AS query_id, ... FROM @...")
    parts = split_name(text, dialect)
    if dialect == "bigquery" and not any(is_quoted(part, dialect) for part in parts):
        project = _table_part(parts[0], dialect) == parts[0] or re.fullmatch(_PROJECT, parts[0])
        legal = all(re.fullmatch(_LEGAL_WITHOUT_DOLLAR, part) for part in parts[1:])
        return text.strip() if project and legal else in_quotes(text.strip(), dialect)
    return ".".join(_table_part(part, dialect) for part in parts)


def _table_part(part: str, dialect: str) -> str:
    if dialect in _LEGAL_PARTS and re.fullmatch(_LEGAL_PARTS[dialect], part) and not is_reserved(part, dialect):
        return part
    return identifier(part, dialect)


def split_name(text: str, dialect: str = "duckdb") -> list[str]:
    """The parts of a dotted name, dots inside quotes aside; one that is left out between two dots is empty.

    Raises:
        UsageError: there is nothing in the name.
    """
    text = text.strip()
    if not text:
        raise UsageError("A table name cannot be empty.")
    parts = re.findall(rf"{_quotes(dialect)}|[^.]+|(?<=\.)(?=\.)", text)
    may_be_empty = re.fullmatch(_LEGAL_PARTS.get(dialect, _LEGAL), "") is not None
    return parts if ".".join(parts) == text and (all(parts) or may_be_empty) else [text]


def identifier(name: str, dialect: str = "duckdb") -> str:
    """A name as the user writes it: quoted unless it is legal as it is or already quoted.

    Double quotes are taken for quotes where the dialect has others, and are written as those.
    """
    if not is_quoted(name, dialect):
        return quoted(name, dialect)
    return name if name[0] != '"' or _double_quotes(dialect) else in_quotes(unquoted(name, dialect), dialect)


def quoted(name: str, dialect: str = "duckdb") -> str:
    """A column or table of that very name, quoted unless it is legal as it is."""
    legal = _LEGAL_WITHOUT_DOLLAR if dialect in _WITHOUT_DOLLAR else _LEGAL
    return name if re.fullmatch(legal, name) and not is_reserved(name, dialect) else in_quotes(name, dialect)


def in_quotes(name: str, dialect: str = "duckdb") -> str:
    """A column or table of that very name, in the quotes of the dialect."""
    if dialect in _BRACKETS:
        return "[" + name.replace("]", "]]") + "]"
    if dialect in _BACKSLASHES:
        return "`" + re.sub(r"([\\`])", r"\\\1", name) + "`"
    mark = "`" if dialect in _BACKTICKS else '"'
    return mark + name.replace(mark, mark * 2) + mark


def unquoted(name: str, dialect: str = "duckdb") -> str:
    """The name that an identifier stands for."""
    end = name[-1:]
    if end == "`" and dialect in _BACKSLASHES and is_quoted(name, dialect):
        return re.sub(r"\\(.)|``", lambda found: found[1] or "`", name[1:-1])
    return name[1:-1].replace(end * 2, end) if is_quoted(name, dialect) else name


def in_canonical_text(name: str, dialect: str) -> str:
    """A column's name as the text for DuckDB has it before it is translated: in quotes where the user's is."""
    in_need = is_quoted(name, dialect) or is_reserved(name, dialect)
    return in_quotes(unquoted(name, dialect)) if in_need else quoted(name)


def is_quoted(name: str, dialect: str = "duckdb") -> bool:
    """Whether a name is in quotes; double quotes are one everywhere, since columns may be named alike for all."""
    return re.fullmatch(_quotes(dialect), name) is not None


def _quotes(dialect: str) -> str:
    """The pattern of a name in quotes."""
    kinds = ((_BACKSLASHES, _ESCAPED), (_BACKTICKS, _BACKTICKED), (_BRACKETS, _BRACKETED))
    more = [pattern for dialects, pattern in kinds if dialect in dialects][:1]
    return "|".join([_QUOTED, *more])


def _double_quotes(dialect: str) -> bool:
    """Whether double quotes stand around names, not around text."""
    return dialect not in _BACKTICKS or dialect == "clickhouse"


def literal(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"

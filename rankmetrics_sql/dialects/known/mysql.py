"""MySQL's and MariaDB's. A statement may read a temporary table once only."""

from ..dialect import Dialect, Swap, words
from ..plans import mysql
from ..rules.text import byte_keys, fingerprints_of_bytes, order_of_bytes

DIALECT = Dialect(
    name="mysql",
    executed=True,
    also_called=("mariadb",),
    vendors=("mysql", "mariadb"),
    quotes="``",
    names_in_double_quotes=False,
    backslashes_in_text=True,
    reserved=words(
        """
        accessible add alter analyze asensitive before bigint binary blob call cascade change char character condition
        continue convert current_date current_role current_time current_timestamp current_user cursor databases day_hour
        day_microsecond day_minute day_second dec decimal declare delayed delete delete_domain_id describe deterministic
        distinctrow div do_domain_ids double dual each elseif enclosed escaped exit explain float float4 float8 force
        fulltext grant high_priority hour_microsecond hour_minute hour_second if ignore ignore_domain_ids index infile
        inout insensitive int int1 int2 int3 int4 int8 integer interval iterate key keys kill leave linear lines load
        localtime localtimestamp lock long longblob longtext loop low_priority master_demote_to_replica
        master_demote_to_slave master_ssl_verify_server_cert match maxvalue mediumblob mediumint mediumtext middleint
        minute_microsecond minute_second mod modifies no_write_to_binlog numeric offset optimize optionally out outfile
        over page_checksum parse_vcol_expr partition portion precision procedure purge range read read_write reads real
        recursive ref_system_id regexp release rename repeat replace require resignal restrict return returning revoke
        rlike row_number rows schemas second_microsecond sensitive separator show signal smallint spatial specific sql
        sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate sqlwarning ssl starting
        stats_auto_recalc stats_persistent stats_sample_pages straight_join terminated tinyblob tinyint tinytext
        trailing trigger undo unlock unsigned usage use utc_date utc_time utc_timestamp varbinary varchar varcharacter
        varying while write xor year_month zerofill
        """
    ),
    nan="none",
    rules=(byte_keys, order_of_bytes, fingerprints_of_bytes),
    swap=Swap(
        ("RENAME TABLE {new} TO {name}",),
        ("RENAME TABLE {name} TO {old}, {new} TO {name}", "DROP TABLE IF EXISTS {old}"),
    ),
    replaces_other_kinds=True,
    views="SELECT table_name, view_definition FROM information_schema.views",
    read_only="SET SESSION TRANSACTION READ ONLY",
    explain="EXPLAIN",
    read_plan=mysql,
)

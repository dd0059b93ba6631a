"""Reserved words by dialect, beside the words that every dialect reserves."""

from __future__ import annotations

from collections.abc import Mapping

RESERVED: Mapping[str, frozenset[str]] = {
    name: frozenset(text.split())
    for name, text in {
        "duckdb": """
            analyse analyze anti array asof asymmetric at authorization binary collation concurrently deferrable
            describe do freeze glob ilike initially isnull lambda lateral notnull only overlaps pivot pivot_longer
            pivot_wider placing positional qualify returning semi show similar summarize symmetric tablesample
            trailing unpack unpivot variadic verbose
        """,
        "postgres": """
            analyse analyze array asymmetric authorization binary collation concurrently current_catalog current_date
            current_role current_schema current_time current_timestamp current_user deferrable do freeze grant ilike
            initially isnull lateral localtime localtimestamp notnull only overlaps placing returning session_user
            similar symmetric tablesample trailing variadic verbose
        """,
        "redshift": """
            aes128 aes256 allowdateliteral backup blanksasnull bytedict bzip2 credentials current_user_id deflate
            defrag delta delta32k disable emptyasnull enable encode encrypt encryption explicit globaldict256
            globaldict64k gzip identity ignore language lun luns lzo lzop minus mostly16 mostly32 mostly8 new off
            offline oid old open parallel partition percent permissions pivot qualify raw readratio recover rejectlog
            resort respect restore snapshot sysdate system tag tdes text255 text32k timestamp top truncatecolumns
            unpivot wallet without
        """,
        "vertica": """
            array authorization binary correlation current_database current_date current_schema current_time
            current_timestamp current_user deferrable grant ignore initially interval intervalym lateral localtime
            localtimestamp match new notnull nullsequal old only over overlaps partition respect session_user similar
            sysdate timeseries trailing unbounded within
        """,
        "sqlite": """
            add alter autoincrement commit deferrable delete escape index isnull nothing notnull returning
            transaction
        """,
        "mysql": """
            accessible add alter analyze asensitive before bigint binary blob call cascade change char character
            condition continue convert current_date current_role current_time current_timestamp current_user cursor
            databases day_hour day_microsecond day_minute day_second dec decimal declare delayed delete
            delete_domain_id describe deterministic distinctrow div do_domain_ids double dual each elseif enclosed
            escaped exit explain float float4 float8 force fulltext grant high_priority hour_microsecond hour_minute
            hour_second if ignore ignore_domain_ids index infile inout insensitive int int1 int2 int3 int4 int8
            integer interval iterate key keys kill leave linear lines load localtime localtimestamp lock long
            longblob longtext loop low_priority master_demote_to_replica master_demote_to_slave
            master_ssl_verify_server_cert match maxvalue mediumblob mediumint mediumtext middleint minute_microsecond
            minute_second mod modifies no_write_to_binlog numeric offset optimize optionally out outfile over
            page_checksum parse_vcol_expr partition portion precision procedure purge range read read_write reads
            real recursive ref_system_id regexp release rename repeat replace require resignal restrict return
            returning revoke rlike row_number rows schemas second_microsecond sensitive separator show signal
            smallint spatial specific sql sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate
            sqlwarning ssl starting stats_auto_recalc stats_persistent stats_sample_pages straight_join terminated
            tinyblob tinyint tinytext trailing trigger undo unlock unsigned usage use utc_date utc_time utc_timestamp
            varbinary varchar varcharacter varying while write xor year_month zerofill
        """,
        "trino": """
            alter cube current_catalog current_date current_path current_role current_schema current_time
            current_timestamp current_user deallocate delete describe escape extract grouping json_table localtime
            localtimestamp normalize prepare recursive rollup skip trim uescape unnest
        """,
        "snowflake": """
            account alter connect connection current current_date current_time current_timestamp current_user
            database delete following grant gscluster ilike increment issue lateral localtime localtimestamp minus of
            organization qualify regexp revoke rlike row rows sample schema start tablesample trigger try_cast view
            whenever
        """,
        "tsql": """
            add alter authorization backup begin break browse bulk cascade checkpoint close clustered coalesce commit
            compute contains containstable continue convert current current_date current_time current_timestamp
            current_user cursor database dbcc deallocate declare delete deny disk distributed double dump errlvl
            escape exec execute exit external file fillfactor freetext freetexttable function goto grant holdlock
            identity identity_insert identitycol if index key kill lineno load merge national nocheck nonclustered
            nullif of off offsets open opendatasource openquery openrowset openxml option over percent pivot plan
            precision print proc procedure public raiserror read readtext reconfigure replication restore restrict
            return revert revoke rollback rowcount rowguidcol rule save schema securityaudit semantickeyphrasetable
            semanticsimilaritydetailstable semanticsimilaritytable session_user setuser shutdown statistics
            system_user tablesample textsize top tran transaction trigger truncate try_convert tsequal unpivot
            updatetext use varying view waitfor while within writetext
        """,
        "oracle": """
            access add alter audit char cluster column_value comment compress connect current date decimal delete
            exclusive file float grant identified immediate increment index initial integer level lock long
            maxextents minus mlslabel mode modify nested_table_id noaudit nocompress nowait number of offline online
            option pctfree prior public raw rename resource revoke row rowid rownum rows session share size smallint
            start successful synonym sysdate trigger uid validate varchar varchar2 view whenever
        """,
        "exasol": """
            absolute action add after allocate alter append are array asensitive assertion at attribute authid
            authorization before begin bigint binary bit blob blocked bool boolean byte call called cardinality
            cascade cascaded casespecific catalog chain char character character_set_catalog character_set_name
            character_set_schema characteristics checked clob close coalesce collation collation_catalog
            collation_name collation_schema commit condition connect_by_iscycle connect_by_isleaf connect_by_root
            connection constant constraint_state_default constraints constructor contains continue control convert
            corresponding cs csv cube current current_cluster current_cluster_uid current_date current_path
            current_role current_schema current_session current_statement current_time current_timestamp current_user
            cursor cycle data datalink datetime_interval_code datetime_interval_precision day dbtimezone deallocate
            dec decimal declare default_like_escape_character deferrable deferred defined definer delete deref
            derived describe descriptor deterministic disable disabled disconnect dispatch dlurlcomplete dlurlpath
            dlurlpathonly dlurlscheme dlurlserver dlvalue do domain double dynamic dynamic_function
            dynamic_function_code each elseif elsif emits enable enabled endif enforce equals errors escape exception
            exec execute exit export external extract fbv file final first float following forall force format found
            free fs function general generated geometry get global go goto grant granted group_concat grouping groups
            hashtype hashtype_format high hold hour identity if ifnull immediate impersonate implementation import
            index indicator inout input insensitive instance instantiable int integer integrity interval inverse
            invoker iterate key_member key_type large last lateral ldap leave level listagg localtime localtimestamp
            locator log longvarchar loop low map match matched merge method minus minute mod modifies modify module
            month names national nchar nclob new next nls_date_format nls_date_language nls_first_day_of_week
            nls_numeric_characters nls_timestamp_format no nocycle nologging none nullif number numeric nvarchar
            nvarchar2 object of off old only open option options ordering ordinality others out output over overlaps
            overlay overriding pad parallel_enable parameter parameter_specific_catalog parameter_specific_name
            parameter_specific_schema parquet partial path permission placing plus preceding preferring prepare
            preserve prior privileges procedure profile qualify random range read reads real recovery recursive ref
            referencing refresh regexp_like relative release rename repeat replace restore restrict result return
            returned_length returned_octet_length returns revoke rollback rollup routine row rows rowtype savepoint
            schema scope scope_user script scroll search second section security selective self sensitive separator
            sequence session session_user sessiontimezone sets shortint similar smallint source space specific
            specifictype sql sql_bigint sql_bit sql_char sql_date sql_decimal sql_double sql_float sql_integer
            sql_longvarchar sql_numeric sql_preprocessor_script sql_real sql_smallint sql_timestamp sql_tinyint
            sql_type_date sql_type_timestamp sql_varchar sqlexception sqlstate sqlwarning start state statement
            static structure style substring subtype sysdate system system_user systimestamp temporary text time
            timestamp timezone_hour timezone_minute tinyint trailing transaction transform transforms translation
            treat trigger trim truncate under unknown unlink unnest until usage value varchar varchar2 varray verify
            view whenever while within without work year yes zone
        """,
    }.items()
}

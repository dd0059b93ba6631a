"""Exasol's, of its manual."""

from ..dialect import Dialect, words

DIALECT = Dialect(
    name="exasol",
    # The reserved ones of the system table EXA_SQL_KEYWORDS, by sqlglot. It quotes them too, but in small letters, and
    # a column that is named without quotes has capitals.
    reserved=words(
        """
        absolute action add after allocate alter append are array asensitive assertion at attribute authid
        authorization before begin bigint binary bit blob blocked bool boolean byte call called cardinality
        cascade cascaded casespecific catalog chain char character character_set_catalog character_set_name
        character_set_schema characteristics checked clob close coalesce collation collation_catalog
        collation_name collation_schema commit condition connect_by_iscycle connect_by_isleaf connect_by_root
        connection constant constraint_state_default constraints constructor contains continue control convert
        corresponding cs csv cube current current_cluster current_cluster_uid current_date current_path
        current_role current_schema current_session current_statement current_time current_timestamp
        current_user cursor cycle data datalink datetime_interval_code datetime_interval_precision day
        dbtimezone deallocate dec decimal declare default_like_escape_character deferrable deferred defined
        definer delete deref derived describe descriptor deterministic disable disabled disconnect dispatch
        dlurlcomplete dlurlpath dlurlpathonly dlurlscheme dlurlserver dlvalue do domain double dynamic
        dynamic_function dynamic_function_code each elseif elsif emits enable enabled endif enforce equals
        errors escape exception exec execute exit export external extract fbv file final first float following
        forall force format found free fs function general generated geometry get global go goto grant granted
        group_concat grouping groups hashtype hashtype_format high hold hour identity if ifnull immediate
        impersonate implementation import index indicator inout input insensitive instance instantiable int
        integer integrity interval inverse invoker iterate key_member key_type large last lateral ldap leave
        level listagg localtime localtimestamp locator log longvarchar loop low map match matched merge method
        minus minute mod modifies modify module month names national nchar nclob new next nls_date_format
        nls_date_language nls_first_day_of_week nls_numeric_characters nls_timestamp_format no nocycle nologging
        none nullif number numeric nvarchar nvarchar2 object of off old only open option options ordering
        ordinality others out output over overlaps overlay overriding pad parallel_enable parameter
        parameter_specific_catalog parameter_specific_name parameter_specific_schema parquet partial path
        permission placing plus preceding preferring prepare preserve prior privileges procedure profile qualify
        random range read reads real recovery recursive ref referencing refresh regexp_like relative release
        rename repeat replace restore restrict result return returned_length returned_octet_length returns
        revoke rollback rollup routine row rows rowtype savepoint schema scope scope_user script scroll search
        second section security selective self sensitive separator sequence session session_user sessiontimezone
        sets shortint similar smallint source space specific specifictype sql sql_bigint sql_bit sql_char
        sql_date sql_decimal sql_double sql_float sql_integer sql_longvarchar sql_numeric
        sql_preprocessor_script sql_real sql_smallint sql_timestamp sql_tinyint sql_type_date sql_type_timestamp
        sql_varchar sqlexception sqlstate sqlwarning start state statement static structure style substring
        subtype sysdate system system_user systimestamp temporary text time timestamp timezone_hour
        timezone_minute tinyint trailing transaction transform transforms translation treat trigger trim
        truncate under unknown unlink unnest until usage value varchar varchar2 varray verify view whenever
        while within without work year yes zone
        """
    ),
    folds="upper",
    float32=False,
    nan_as_null=False,  # Numeric data types: it is NULL
    text_type="VARCHAR(4000)",  # there is none without a length
)

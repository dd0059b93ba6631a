{#-
The k-th greatest value of a group, or the k-th least; NULL where there are fewer. None where no aggregate of the engine
finds it without a sort, or where a filter of ROW_NUMBER is as fast: in Trino, whose MAX(value, k) and a join took twice
the time of its TopNRanking.
-#}
{% macro rm_kth_score(value, k, descending=true) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'duckdb' -%}
    {#- Not by an index in brackets: SQLMesh writes that anew, and takes one from it. -#}
    {{ return('LIST_EXTRACT(' ~ ('MAX(' if descending else 'MIN(') ~ value ~ ', ' ~ k ~ '), ' ~ k ~ ')') }}
{%- elif engine == 'clickhouse' -%}
    {#-
    A NaN is no number that another could reach. Not by groupArraySorted, which is no faster, and which sqlglot and so
    SQLMesh cannot read.
    -#}
    {%- set numbers = 'groupArrayIf(' ~ value ~ ', NOT isNaN(' ~ value ~ '))' -%}
    {%- set sorted = ('arrayPartialReverseSort(' if descending else 'arrayPartialSort(') ~ k ~ ', ' ~ numbers ~ ')' -%}
    {{ return('arrayElementOrNull(' ~ sorted ~ ', ' ~ k ~ ')') }}
{%- endif -%}
{{ return(none) }}
{% endmacro %}

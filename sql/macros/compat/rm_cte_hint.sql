{#-
What stands between AS and the bracket of a CTE; hint is "inlined", "passing" where a filter of the result
could reach the user's table, or "materialized".
-#}
{% macro rm_cte_hint(hint) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'duckdb' -%}
    {#-
    DuckDB would store the whole run to read it twice, and hash it instead of the few judged items; and it would read
    the whole run for each use of a few of its rows.
    -#}
    {{ return('MATERIALIZED ' if hint == 'materialized' else 'NOT MATERIALIZED ' if hint else '') }}
{%- elif engine == 'postgres' -%}
    {#-
    PostgreSQL stores what is read twice: a filter of a view's rows would not reach the index of the user's table.
    Where it stops at another stage anyway, stored inputs are planned better.
    -#}
    {{ return('NOT MATERIALIZED ' if hint == 'passing' else '') }}
{%- endif -%}
{{ return('') }}
{% endmacro %}

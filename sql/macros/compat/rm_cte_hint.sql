{#-
What stands between AS and the bracket of a CTE; hint is "inlined", "passing" where a filter of the result
could reach the user's table, or "materialized".
-#}
{% macro rm_cte_hint(hint) %}
{{ return(adapter.dispatch('rm_cte_hint', 'rankmetrics_sql')(hint)) }}
{% endmacro %}

{% macro default__rm_cte_hint(hint) %}
{{ return('') }}
{% endmacro %}

{#-
DuckDB would store the whole run to read it twice, and hash it instead of the few judged items; and it would read the
whole run for each use of a few of its rows.
-#}
{% macro duckdb__rm_cte_hint(hint) %}
{{ return('MATERIALIZED ' if hint == 'materialized' else 'NOT MATERIALIZED ' if hint else '') }}
{% endmacro %}

{#-
PostgreSQL stores what is read twice: a filter of a view's rows would not reach the index of the user's table. Where it
stops at another stage anyway, stored inputs are planned better.
-#}
{% macro postgres__rm_cte_hint(hint) %}
{{ return('NOT MATERIALIZED ' if hint == 'passing' else '') }}
{% endmacro %}

{#- Redshift's WITH has no hints, and its adapter would take PostgreSQL's. -#}
{% macro redshift__rm_cte_hint(hint) %}
{{ return(rankmetrics_sql.default__rm_cte_hint(hint)) }}
{% endmacro %}

{#- What stands between AS and the bracket of a CTE; hint is "materialized" or "inlined". -#}
{% macro rm_cte_hint(hint) %}
{{ return(adapter.dispatch('rm_cte_hint', 'rankmetrics_sql')(hint)) }}
{% endmacro %}

{% macro default__rm_cte_hint(hint) %}
{{ return('') }}
{% endmacro %}

{#- DuckDB would store the whole run to read it twice, and hash it instead of the few judged items. -#}
{% macro duckdb__rm_cte_hint(hint) %}
{{ return({'materialized': 'MATERIALIZED ', 'inlined': 'NOT MATERIALIZED '}.get(hint, '')) }}
{% endmacro %}

{#- PostgreSQL stores what is read twice: a filter of a view's rows would not reach the index of the user's table. -#}
{% macro postgres__rm_cte_hint(hint) %}
{{ return(rankmetrics_sql.duckdb__rm_cte_hint(hint)) }}
{% endmacro %}

{#- Redshift's WITH has no hints, and its adapter would take PostgreSQL's. -#}
{% macro redshift__rm_cte_hint(hint) %}
{{ return(rankmetrics_sql.default__rm_cte_hint(hint)) }}
{% endmacro %}

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

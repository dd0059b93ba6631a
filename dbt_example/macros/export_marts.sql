{#- Writes what the page of evidence/ reads as Parquet: Evidence's DuckDB may be older than the one that wrote the warehouse. -#}
{% macro export_marts(folder='evidence/sources/quality') %}
    {%- for name in ['log_by_month', 'search_figures', 'recommender_by_segment'] -%}
        {%- do run_query('copy (select * from ' ~ target.schema ~ '.' ~ name ~ ") to '" ~ folder ~ '/' ~ name ~ ".parquet'") -%}
    {%- endfor -%}
{% endmacro %}

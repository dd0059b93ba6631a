{#- A table of the schema raw from a Parquet file of data/. -#}
{% macro load(table, file) %}
create or replace table raw.{{ table }} as select * from read_parquet('data/{{ file }}.parquet')
{% endmacro %}

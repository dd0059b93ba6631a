{#-
What a verdict rests on, where that is less than it seems: all reasons of a row p, joined by "; ", or NULL. Each is
{condition, text}, both SQL over p; a new one is one entry here.
-#}

{% macro rm_reasons(plan) %}
{{ return([]) }}
{% endmacro %}

{% macro rm_reason(plan) %}
{%- set reasons = rankmetrics_sql.rm_reasons(plan) -%}
{%- set type = rankmetrics_sql.rm_text_type() -%}
{%- if not reasons -%}{{ return('CAST(NULL AS ' ~ type ~ ')') }}{%- endif -%}
{%- if reasons | length == 1 -%}
    {{ return('CASE WHEN ' ~ reasons[0].condition ~ ' THEN ' ~ reasons[0].text ~ ' END') }}
{%- endif -%}
{%- set conditions = [] -%}
{%- set texts = [] -%}
{%- for reason in reasons -%}
    {%- do conditions.append('(' ~ reason.condition ~ ')') -%}
    {%- set text = rankmetrics_sql.rm_concatenated(["'; '", reason.text]) -%}
    {%- do texts.append('CASE WHEN ' ~ reason.condition ~ ' THEN ' ~ text ~ " ELSE '' END") -%}
{%- endfor -%}
{{ return('CASE WHEN ' ~ conditions | join(' OR ') ~ ' THEN SUBSTR('
    ~ rankmetrics_sql.rm_concatenated(texts) ~ ', 3) END') }}
{% endmacro %}

{#- What is refused, by the rules of refusals.toml (generated/rm_refusals.sql), which Python asks too. -#}

{% macro rm_raise(message) %}
{{ exceptions.raise_compiler_error('rankmetrics_sql: ' ~ message) }}
{% endmacro %}

{#- Refuses by the first rule that the facts meet; a fact that is absent has no value. -#}
{% macro rm_refuse(of, facts) %}
{%- do rankmetrics_sql.rm_raise_refusal(rankmetrics_sql.rm_refusal(of, facts)) -%}
{% endmacro %}

{#- Raises a sentence by which something is refused, if it is one. -#}
{% macro rm_raise_refusal(sentence) %}
{%- if sentence is not none -%}{%- do rankmetrics_sql.rm_raise(sentence) -%}{%- endif -%}
{% endmacro %}

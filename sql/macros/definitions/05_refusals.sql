{#- What is refused, by the rules of refusals.toml: Python's definitions/refusals.py. -#}

{% macro rm_raise(message) %}
{{ exceptions.raise_compiler_error('rankmetrics_sql: ' ~ message) }}
{% endmacro %}

{#- Refuses by the first rule that the facts meet; a fact that is absent has no value. -#}
{% macro rm_refuse(of, facts) %}
{%- for rule in rankmetrics_sql.rm_known_refusals()[of] -%}
    {%- for condition in rule.when if rankmetrics_sql.rm_is_met(condition, facts) -%}
        {%- do rankmetrics_sql.rm_raise(rankmetrics_sql.rm_sentence(rule.message, facts)) -%}
    {%- endfor -%}
{%- endfor -%}
{% endmacro %}

{% macro rm_sentence(message, facts) %}
{%- set pieces = message.split('{') -%}
{%- set said = [pieces[0]] -%}
{%- for piece in pieces[1:] -%}
    {%- do said.extend([facts[piece.split('}')[0]], piece.split('}')[1]]) -%}
{%- endfor -%}
{{ return(said | join) }}
{% endmacro %}

{% macro rm_is_met(condition, facts) %}
{%- for fact, test in condition.items() -%}
    {%- set value = facts[fact] if fact in facts else none -%}
    {%- if not rankmetrics_sql.rm_is_so(value, test, facts) -%}{{ return(false) }}{%- endif -%}
{%- endfor -%}
{{ return(true) }}
{% endmacro %}

{% macro rm_is_so(value, test, facts) %}
{%- for how, wanted in test.items() -%}
    {%- if how in ['is', 'not'] -%}
        {%- set found = [] -%}
        {%- for word in (value if value is sequence and value is not string and value is not mapping else [value]) -%}
            {%- if word | string | lower in wanted -%}{%- do found.append(word) -%}{%- endif -%}
        {%- endfor -%}
        {%- if (found | length > 0) != (how == 'is') -%}{{ return(false) }}{%- endif -%}
    {%- else -%}
        {%- set limit = facts[wanted] if wanted in facts else wanted -%}
        {%- if value is not number or limit is not number or not rankmetrics_sql.rm_is_within(value, how, limit) -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endif -%}
{%- endfor -%}
{{ return(true) }}
{% endmacro %}

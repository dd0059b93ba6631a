{#- What is refused, by the rules of refusals.toml: Python's definitions/refusals.py. -#}

{% macro rm_raise(message) %}
{{ exceptions.raise_compiler_error('rankmetrics_sql: ' ~ message) }}
{% endmacro %}

{#-
Refuses by the first rule that the facts meet; a fact that is absent has no value. It is asked about every metric again
and again, and dbt takes longer to call a macro than to look at a rule: so the rules are looked at here.
-#}
{% macro rm_refuse(of, facts) %}
{%- for rule in rankmetrics_sql.rm_known_refusals()[of] -%}
    {%- for condition in rule.when -%}
        {%- set unmet = [] -%}
        {%- for fact, test in condition.items() -%}
            {%- set value = facts[fact] if fact in facts else none -%}
            {%- for how, wanted in test.items() if how in ['is', 'not'] -%}
                {%- set is_list = value is sequence and value is not string and value is not mapping -%}
                {%- set found = [] -%}
                {%- for word in (value if is_list else [value]) if word | string | lower in wanted -%}
                    {%- do found.append(word) -%}
                {%- endfor -%}
                {%- if (found | length > 0) != (how == 'is') -%}{%- do unmet.append(fact) -%}{%- endif -%}
            {%- endfor -%}
            {%- for how, wanted in test.items() if how not in ['is', 'not'] -%}
                {%- set limit = facts[wanted] if wanted in facts else wanted -%}
                {%- set are_numbers = value is number and limit is number -%}
                {%- if not are_numbers or not rankmetrics_sql.rm_is_within(value, how, limit) -%}
                    {%- do unmet.append(fact) -%}
                {%- endif -%}
            {%- endfor -%}
        {%- endfor -%}
        {%- if not unmet -%}
            {%- do rankmetrics_sql.rm_raise(rankmetrics_sql.rm_sentence(rule.message, facts)) -%}
        {%- endif -%}
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

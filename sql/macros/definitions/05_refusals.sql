{#- What is refused, by the rules of refusals.toml (generated/rm_refusals.sql), which Python asks too. -#}

{#- The message of the first rule of a time that has a condition whose tests the facts all pass, or none. -#}
{% macro rm_refusal(of, known) %}
{%- for conditions, message in rankmetrics_sql.rm_known_refusals()[of] -%}
    {#- Most conditions end at their first test, so it is written out: a macro would take longer than all else. -#}
    {%- for fact, how, expected, others in conditions if (
        known.get(fact) | string | lower in expected if how == 'is'
        else known.get(fact) | string | lower not in expected if how == 'not'
        else rankmetrics_sql.rm_passes(known, fact, how, expected)
    ) -%}
        {%- for fact, how, expected in others if not rankmetrics_sql.rm_passes(known, fact, how, expected) -%}
        {%- else -%}
            {%- set pieces = [] -%}
            {%- for piece in message -%}
                {%- do pieces.append(piece if loop.index is odd else known.get(piece, piece)) -%}
            {%- endfor -%}
            {{ return(pieces | join) }}
        {%- endfor -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(none) }}
{% endmacro %}

{#- Whether a fact is one of some words ('is', 'not'), is a list with one ('has', 'lacks'), or keeps a limit. -#}
{% macro rm_passes(known, fact, how, expected) %}
{%- set value = known.get(fact) -%}
{%- if how in ['is', 'not'] -%}
    {{ return((value | string | lower in expected) == (how == 'is')) }}
{%- elif how in ['has', 'lacks'] -%}
    {{ return(((value or []) | select('in', expected) | list | length > 0) == (how == 'has')) }}
{%- endif -%}
{%- set limit = known.get(expected) if expected is string else expected -%}
{%- if value is not number or limit is not number -%}{{ return(false) }}{%- endif -%}
{{ return({'min': value >= limit, 'max': value <= limit, 'above': value > limit, 'below': value < limit}[how]) }}
{% endmacro %}

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

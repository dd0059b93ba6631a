{#- The values that an option or a parameter takes. -#}

{#- A value in its plain form. -#}
{% macro rm_checked(parameter, name, value, where) %}
{%- if value is none -%}{{ return(parameter.default) }}{%- endif -%}
{%- if parameter.type == 'text' and value is string -%}
    {%- set text = value | trim | trim('\'"') | trim -%}
    {{ return(none if text == 'none' and parameter.default is none else text) }}
{%- endif -%}
{%- set value = rankmetrics_sql.rm_parsed_value(value) -%}
{%- if value is mapping and parameter.type == 'gain' -%}
    {{ return(rankmetrics_sql.rm_checked_map(name, value, where)) }}
{%- endif -%}
{%- if value is string and value == 'none' and parameter.default is none -%}{{ return(none) }}{%- endif -%}
{%- set is_number = value is number and value is not boolean and value | abs < 1e301 -%}
{%- set value = rankmetrics_sql.rm_as_number(value) if is_number else value -%}
{%- for choice in parameter.choices if (is_number or value is string) and choice | string == value | string | lower -%}
    {{ return(choice) }}
{%- endfor -%}
{%- set limits = parameter.limits -%}
{%- set faults = [] -%}
{%- if not is_number or (parameter.choices and not limits) -%}
    {%- do faults.append('type') -%}
{%- elif parameter.type in ['int', 'integer'] and value != value | int -%}
    {%- do faults.append('whole') -%}
{%- else -%}
    {%- for bound, limit in limits.items() if not rankmetrics_sql.rm_is_within(value, bound, limit) -%}
        {%- do faults.append(bound) -%}
    {%- endfor -%}
{%- endif -%}
{%- if faults -%}
    {%- do rankmetrics_sql.rm_raise(where ~ ': ' ~ name ~ ' cannot be ' ~ rankmetrics_sql.rm_written_value(value) ~ '. '
        ~ rankmetrics_sql.rm_expected(parameter, value)) -%}
{%- endif -%}
{{ return(value) }}
{% endmacro %}

{#- A map of grades to gains, in the order of the grades. -#}
{% macro rm_checked_map(name, value, where) %}
{%- set numbers = value | list + value.values() | list -%}
{%- for number in numbers if number is not number or number is boolean or not number | abs < 1e301 -%}
    {%- do rankmetrics_sql.rm_raise(where ~ ': ' ~ name
        ~ ' maps grades to gains, such as {1: 3, 2: 9}, not ' ~ rankmetrics_sql.rm_written_value(value) ~ '.') -%}
{%- endfor -%}
{%- set sorted = {} -%}
{%- for grade in value | list | sort -%}
    {%- do sorted.update({rankmetrics_sql.rm_as_number(grade): rankmetrics_sql.rm_as_number(value[grade])}) -%}
{%- endfor -%}
{%- if not sorted -%}
    {%- do rankmetrics_sql.rm_raise(where ~ ': ' ~ name ~ ' maps grades to gains, and this map is empty.') -%}
{%- endif -%}
{{ return(sorted) }}
{% endmacro %}

{#- What the user gave, for a message: on one line, cut if it is long, text in quotes. -#}
{% macro rm_written_value(value) %}
{%- set words = (value ~ '').split() | join(' ') -%}
{%- set shown = words[:65] ~ '...' if words | length > 68 else words -%}
{%- set quote = '"' if "'" in shown and '"' not in shown else "'" -%}
{{ return(quote ~ shown ~ quote if value is string else shown) }}
{% endmacro %}

{#- A number of the user's that may be a text, which is what env_var gives; anything else as it is. -#}
{% macro rm_as_number_if_any(value) %}
{%- set is_number = value is string and rankmetrics_sql.rm_is_number(value | trim) -%}
{{ return(rankmetrics_sql.rm_as_number(value | trim) if is_number else value) }}
{% endmacro %}

{% macro rm_is_within(value, bound, limit) %}
{%- if bound == 'min' -%}{{ return(value >= limit) }}{%- endif -%}
{%- if bound == 'max' -%}{{ return(value <= limit) }}{%- endif -%}
{{ return(value > limit if bound == 'above' else value < limit) }}
{% endmacro %}

{#- What a parameter takes: the choice that is nearest to a text, or else all that it takes. -#}
{% macro rm_expected(parameter, value=none) %}
{%- set nearest = rankmetrics_sql.rm_nearest_name(value, parameter.choices | map('string') | list)
    if value is string else none -%}
{%- if nearest is not none -%}{{ return("Did you mean '" ~ nearest ~ "'?") }}{%- endif -%}
{%- set limits = [] -%}
{%- set words = {'min': 'of at least ', 'max': 'at most ', 'above': 'above ', 'below': 'below '} -%}
{%- for bound, limit in parameter.limits.items() if limit | abs < 1e300 -%}
    {%- do limits.append(words[bound] ~ limit) -%}
{%- endfor -%}
{%- if parameter.type == 'text' -%}{{ return('Expected a text.') }}{%- endif -%}
{%- set number = 'a whole number' if parameter.type in ['int', 'integer'] else 'a number' -%}
{%- set number = (number ~ ' ' ~ limits | join(' and ')) | trim -%}
{%- if parameter.choices -%}
    {{ return('Valid: ' ~ parameter.choices | join(', ') ~ (' or ' ~ number if parameter.limits else '') ~ '.') }}
{%- endif -%}
{{ return('Expected ' ~ number ~ '.') }}
{% endmacro %}

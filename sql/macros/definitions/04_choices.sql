{#-
A value for every option: the given one, else the profile's, else the default; and what names and parameters of tools
stand for, those of the profile first.
-#}
{% macro rm_choices(given, profile) %}
{%- set known = rankmetrics_sql.rm_known_options() -%}
{%- set profiles = rankmetrics_sql.rm_known_profiles() -%}
{%- if profile is not none and profile not in profiles -%}
    {%- do rankmetrics_sql.rm_refuse_unknown("Unknown profile '" ~ profile ~ "'.", profile ~ '', profiles | list) -%}
{%- endif -%}
{%- set nothing = {
    'options': {}, 'metrics': {}, 'spellings': {}, 'families': {}, 'parameters': {}, 'refused': {},
} -%}
{%- set preset = profiles[profile] if profile is not none else nothing -%}
{%- set checked = {} -%}
{%- for name, value in given.items() -%}
    {%- if name not in known -%}
        {%- do rankmetrics_sql.rm_refuse_unknown("Unknown option '" ~ name ~ "'.", name ~ '', known | list) -%}
    {%- endif -%}
    {%- do checked.update({name: rankmetrics_sql.rm_checked(known[name], name, value, 'Options')}) -%}
{%- endfor -%}
{%- set options = {} -%}
{%- for name, option in known.items() -%}{%- do options.update({name: option.default}) -%}{%- endfor -%}
{%- do options.update(preset.options) -%}
{%- do options.update(checked) -%}
{%- set names = {} -%}
{%- do names.update(rankmetrics_sql.rm_known_spellings()) -%}
{%- do names.update(preset.spellings) -%}
{%- set parameters = {} -%}
{%- set refused = {} -%}
{%- for tool in [rankmetrics_sql.rm_known_translations(), preset] -%}
    {%- do parameters.update(tool.parameters) -%}
    {%- do refused.update(tool.refused) -%}
{%- endfor -%}
{{ return({
    'options': options, 'given': checked, 'preset': preset, 'names': names, 'parameters': parameters,
    'refused': refused,
}) }}
{% endmacro %}

{#- The choices for one metric: the general ones, then the profile's, then the user's. -#}
{% macro rm_choices_of(choices, name, metric, has_cutoff) %}
{%- set own = choices.preset.metrics -%}
{%- set chosen = {} -%}
{%- for param, parameter in metric.params.items() -%}{%- do chosen.update({param: parameter.default}) -%}{%- endfor -%}
{%- do chosen.update(choices.options) -%}
{%- do chosen.update(own[name] if name in own else {}) -%}
{%- do chosen.update(own[name ~ '@k'] if has_cutoff and name ~ '@k' in own else {}) -%}
{%- do chosen.update(choices.given) -%}
{{ return(chosen) }}
{% endmacro %}

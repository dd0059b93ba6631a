{#-
Searches that are typed letter by letter: of one user, soon after each other, each of which begins with the one before.
They are one request, the last one's list. What says user, time and text of a search is a stage that its schema names:
the table of all requests, or of UBI's queries, else the impressions.
-#}

{#- What collapses requests, {within, user, time, text, source}, of which source is the stage that says it; or none. -#}
{% macro rm_collapse(own, collapse, within, source) %}
{%- if collapse is none -%}{{ return(none) }}{%- endif -%}
{%- if collapse != 'typing' -%}
    {%- do rankmetrics_sql.rm_raise('collapse is typing, not ' ~ rankmetrics_sql.rm_written_value(collapse) ~ '.') -%}
{%- endif -%}
{%- if within is not number or within is boolean or within < 0 -%}
    {%- do rankmetrics_sql.rm_raise('collapse_within is a number of seconds, not '
        ~ rankmetrics_sql.rm_written_value(within) ~ '.') -%}
{%- endif -%}
{%- set found = {'within': within, 'source': source} -%}
{%- for name in ['user', 'time', 'text'] -%}
    {%- set of_queries = own['queries.' ~ name] if source != 'rankmetrics_impressions' else none -%}
    {%- set column = of_queries or own[name] -%}
    {%- if column is none -%}
        {%- do rankmetrics_sql.rm_raise("collapse=typing needs the column of the " ~ name ~ ". Name it: columns={'"
            ~ name ~ "': ...}.") -%}
    {%- endif -%}
    {%- do found.update({name: rankmetrics_sql.rm_over_row(column)}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- Whether requests collapse, as far as the tables at hand say it. -#}
{% macro rm_collapses(log) %}
{{ return(log.collapse is not none
    and (log.collapse.source != 'rankmetrics_logged_source' or log.queries is not none)) }}
{% endmacro %}

{#- What a request of the impressions has for that. -#}
{% macro rm_columns_of_typing(log) %}
{%- if log.collapse is none or log.collapse.source != 'rankmetrics_impressions' -%}{{ return([]) }}{%- endif -%}
{{ return([
    {'name': 'typed_by', 'sql': log.collapse.user}, {'name': 'typed_at', 'sql': log.collapse.time},
    {'name': 'typed_text', 'sql': log.collapse.text},
]) }}
{% endmacro %}

{#- typed: the requests whose user typed further. -#}
{% macro rm_typed(log) %}
{%- if not rankmetrics_sql.rm_collapses(log) -%}{{ return([]) }}{%- endif -%}
{%- set source = log.collapse.source -%}
{%- set of_queries = source != 'rankmetrics_impressions' -%}
{%- set columns = {'typed_by': 's.typed_by', 'typed_at': 's.typed_at', 'typed_text': 's.typed_text'} -%}
{%- if of_queries -%}
    {%- set columns = {
        'typed_by': log.collapse.user, 'typed_at': log.collapse.time, 'typed_text': log.collapse.text,
    } -%}
{%- endif -%}
{%- set keys = log.queries_keys if of_queries else rankmetrics_sql.rm_each('s.', log.names, '') -%}
{%- set of_keys = keys | map(attribute='sql') | list -%}
{%- set said = [] -%}
{%- for name, sql in columns.items() -%}{%- do said.append({'name': name, 'sql': 'MIN(' ~ sql ~ ')'}) -%}{%- endfor -%}
{%- set searches %}
    {{ rankmetrics_sql.rm_select(keys + said) }}
    FROM {{ source }} AS s
    WHERE {{ rankmetrics_sql.rm_all_known(of_keys + [columns.typed_by, columns.typed_at]) }}
    GROUP BY {{ of_keys | join(', ') }}
{%- endset -%}
{%- set names = log.names | join(', ') -%}
{%- set window -%}
PARTITION BY typed_by ORDER BY typed_at ASC, {{ log.names | join(' ASC, ') }} ASC
{%- endset -%}
{%- set next %}
    SELECT
        {{ names }}, typed_at, typed_text,
        LEAD(typed_at) OVER ({{ window }}) AS next_at,
        LEAD(typed_text) OVER ({{ window }}) AS next_text
    FROM rankmetrics_searches
{%- endset -%}
{%- set typed %}
    SELECT {{ names }}, 1 AS is_typed
    FROM rankmetrics_next_searches
    WHERE {{ rankmetrics_sql.rm_begins_with('next_text', 'typed_text') }}
        AND {{ rankmetrics_sql.rm_seconds_between('typed_at', 'next_at') }} <= {{
            rankmetrics_sql.rm_number(log.collapse.within) }}
{%- endset -%}
{{ return(([rankmetrics_sql.rm_logged_source(log)] if source == 'rankmetrics_logged_source' else []) + [
    rankmetrics_sql.rm_cte('rankmetrics_searches', searches, 'each search with its user, time and text'),
    rankmetrics_sql.rm_cte('rankmetrics_next_searches', next, 'the same with what its user searched next'),
    rankmetrics_sql.rm_cte('rankmetrics_typed', typed, 'the searches that their users typed further'),
]) }}
{% endmacro %}

{#- What leaves out the rows of such requests. -#}
{% macro rm_not_typed(log, keys, begin=' AND ') %}
{%- if not rankmetrics_sql.rm_collapses(log) -%}{{ return('') }}{%- endif -%}
{%- set same = [] -%}
{%- for key in keys -%}{%- do same.append('y.' ~ log.names[loop.index0] ~ ' = ' ~ key) -%}{%- endfor -%}
{{ return(begin ~ 'NOT EXISTS (SELECT 1 FROM rankmetrics_typed AS y WHERE ' ~ same | join(' AND ') ~ ')') }}
{% endmacro %}

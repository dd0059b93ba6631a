{#-
decompose: where the difference between two means comes from, group by group (Kitagawa 1955). A mean over all queries is
that of the groups by their shares of the queries, so a difference is made of
    ranking          of a group that both runs have, the mean of both shares by the difference of the means
    mix              the mean of both means by the difference of the shares
    entered_or_left  of a group that one run alone has, its share by its mean: added where that is the candidate, else
                     taken away; there is no other mean to hold against it
which add up to it. One relation after the other:
    grouped     mean and number of the queries with a value, a row per run, group and metric
    candidates  the names of the other runs
    sides       those of a candidate and of the baseline side by side, a row per candidate, group and metric
    shares      with what part of the queries of each side the group is
    terms       with the three terms
-#}

{% macro rm_decomposition(plan) %}
{{ return({
    'ctes': [
        rankmetrics_sql.rm_cte(
            plan.stages.grouped, rankmetrics_sql.rm_grouped(plan),
            'the mean and the number of values of each run, group and metric'
        ),
        rankmetrics_sql.rm_cte(
            plan.stages.candidates, rankmetrics_sql.rm_candidates(plan),
            'the candidates'
        ),
        rankmetrics_sql.rm_cte(
            plan.stages.sides, rankmetrics_sql.rm_sides(plan),
            'the means of each candidate and of the baseline side by side, by group'
        ),
        rankmetrics_sql.rm_cte(
            plan.stages.shares, rankmetrics_sql.rm_shares(plan),
            'with the share of queries that each group has on either side'
        ),
        rankmetrics_sql.rm_cte(
            plan.stages.terms, rankmetrics_sql.rm_terms(plan),
            'what each group adds to the difference, by ranking, by mix, and because it entered or left'
        ),
    ],
    'select': rankmetrics_sql.rm_select_decomposition(plan),
}) }}
{% endmacro %}

{#- A group in which no query has a value has no mean, and no part in that of all. -#}
{% macro rm_grouped(plan) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set grouped %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('v', keys)) }},
        {{ rankmetrics_sql.rm_aggregated('mean', 'v.value') }} AS mean_value,
        COUNT(v.value) AS n_values
    FROM {{ plan.stages.query_values }} AS v
    GROUP BY {{ rankmetrics_sql.rm_qualified('v', keys) | join(', ') }}
    HAVING COUNT(v.value) > 0
{%- endset -%}
{{ return(grouped) }}
{% endmacro %}

{#- The candidates, as named in the call or else in a column, read from the cheapest stage that has it. -#}
{% macro rm_candidates(plan) %}
{%- set baseline = rankmetrics_sql.rm_string(plan.baseline) -%}
{%- if plan.runs[0].name is none -%}
    {%- set told = plan.stages.runs if plan.runs_named else rankmetrics_sql.rm_rows_of_runs(plan) -%}
    {%- set stage = told if plan.stored_values is none else plan.stages.query_values -%}
    {{ return('SELECT DISTINCT run_id FROM ' ~ stage ~ ' WHERE run_id <> ' ~ baseline) }}
{%- endif -%}
{%- set names = [] -%}
{%- for input in plan.runs if input.name != plan.baseline -%}
    {%- do names.append([{'name': 'run_id', 'sql': rankmetrics_sql.rm_string(input.name)}]) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_constants(names)) }}
{% endmacro %}

{#- Rows of the baseline once for each candidate. Groups may be NULL: they are grouped by, and nothing is joined on. -#}
{% macro rm_sides(plan) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan)[1:] -%}
{%- set baseline = rankmetrics_sql.rm_string(plan.baseline) -%}
{%- set columns = [] -%}
{%- for side, sign in {'baseline': '=', 'candidate': '<>'}.items() -%}
    {%- set own = 'MAX(CASE WHEN g.run_id ' ~ sign ~ ' ' ~ baseline ~ ' THEN g.' -%}
    {%- do columns.append({'name': side, 'sql': own ~ 'mean_value END)'}) -%}
    {%- do columns.append({'name': 'n_' ~ side, 'sql': 'COALESCE(' ~ own ~ 'n_values END), 0)'}) -%}
{%- endfor -%}
{%- set sides %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('c', ['run_id'])
            + rankmetrics_sql.rm_columns_from('g', keys)) }},
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ plan.stages.grouped }} AS g
    CROSS JOIN {{ plan.stages.candidates }} AS c
    WHERE g.run_id = c.run_id OR g.run_id = {{ baseline }}
    GROUP BY {{ (['c.run_id'] + rankmetrics_sql.rm_qualified('g', keys)) | join(', ') }}
{%- endset -%}
{{ return(sides) }}
{% endmacro %}

{% macro rm_shares(plan) %}
{%- set over = ' OVER (PARTITION BY run_id, metric_number)' -%}
{%- set columns = [] -%}
{%- for side in ['baseline', 'candidate'] -%}
    {%- set n = 'n_' ~ side -%}
    {%- set all = 'NULLIF(' ~ rankmetrics_sql.rm_as_double('SUM(' ~ n ~ ')' ~ over) ~ ', 0)' -%}
    {%- do columns.append({'name': side ~ '_share', 'sql': n ~ ' / ' ~ all}) -%}
{%- endfor -%}
{%- set shares %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_effect_keys(plan) + rankmetrics_sql.rm_side_names() + columns) }}
    FROM {{ plan.stages.sides }}
{%- endset -%}
{{ return(shares) }}
{% endmacro %}

{% macro rm_side_names() %}
{{ return(['baseline', 'candidate', 'n_baseline', 'n_candidate']) }}
{% endmacro %}

{#- A candidate, or a baseline, without any value has no mean that a difference could be of. -#}
{% macro rm_terms(plan) %}
{%- set of_both = 'WHEN n_baseline > 0 AND n_candidate > 0 THEN ' -%}
{%- set nothing = 'ELSE ' ~ rankmetrics_sql.rm_as_double('0') -%}
{%- set by_ranking = '(baseline_share + candidate_share) / 2 * (candidate - baseline)' -%}
{%- set by_mix = '(baseline + candidate) / 2 * (candidate_share - baseline_share)' -%}
{%- set entered = 'WHEN n_baseline = 0 THEN candidate_share * candidate' -%}
{%- set left = 'WHEN n_candidate = 0 THEN -baseline_share * baseline' -%}
{%- set terms = rankmetrics_sql.rm_named({
    'ranking': rankmetrics_sql.rm_case([of_both ~ by_ranking, nothing]),
    'mix': rankmetrics_sql.rm_case([of_both ~ by_mix, nothing]),
    'entered_or_left': rankmetrics_sql.rm_case([entered, left, nothing]),
}) -%}
{%- set select %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_effect_keys(plan) + rankmetrics_sql.rm_side_names() + terms) }}
    FROM {{ plan.stages.shares }}
    WHERE baseline_share IS NOT NULL AND candidate_share IS NOT NULL
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{% macro rm_select_decomposition(plan) %}
{%- set contribution = 't.ranking + t.mix + t.entered_or_left' -%}
{%- set columns = [{'name': 'baseline_run', 'sql': rankmetrics_sql.rm_string(plan.baseline)}]
    + rankmetrics_sql.rm_named_keys(plan, with_query=false, alias='t')[1:]
    + rankmetrics_sql.rm_columns_from('t', ['metric'] + rankmetrics_sql.rm_side_names()
        + ['ranking', 'mix', 'entered_or_left'])
    + [{'name': 'contribution', 'sql': contribution}] -%}
{%- set groups = rankmetrics_sql.rm_ascending([], rankmetrics_sql.rm_qualified('t', plan.group_names)) -%}
{%- set select -%}
SELECT
    t.run_id AS run,
    {{ rankmetrics_sql.rm_lines(columns, 4) }}
FROM {{ plan.stages.terms }} AS t
ORDER BY
    {{ rankmetrics_sql.rm_ascending(['t.run_id', 't.metric_number']) }},
    ABS({{ contribution }}) DESC NULLS LAST,
    {{ groups }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

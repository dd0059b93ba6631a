{#-
The ends of the range of an effect, where unjudged=bounds asks for it: each difference at its least and at its greatest,
as two more sets of metrics. So whatever tests an effect tests its ends alike, each set as a family of its own.
    ends   the values as they are, and as they are at each end
    ruled  the tested effects, each beside its ends and their verdicts
-#}

{#- A comparison with the ends as further metrics: number n + i is the low end of metric i, 2 n + i the high one. -#}
{% macro rm_plan_of_ends(plan) %}
{%- if not plan.has_range -%}{{ return(plan) }}{%- endif -%}
{%- set own = {} -%}
{%- do own.update(plan) -%}
{%- do own.update({'metrics': plan.metrics + plan.metrics + plan.metrics, 'n_ends': 3}) -%}
{{ return(own) }}
{% endmacro %}

{#- The columns of values with the ends of their difference from the baseline. -#}
{% macro rm_end_names(plan) %}
{{ return(['low_end', 'high_end'] if plan.has_range else []) }}
{% endmacro %}

{#- Whether a pass has them; what to judge next reads the stages that they are made of alone. -#}
{% macro rm_has_ends(pass) %}
{{ return(pass.ranged and pass.plan.level != 'judge_next') }}
{% endmacro %}

{#- The same of a metric, as columns of queries. -#}
{% macro rm_end_columns(pass, metric) %}
{%- set has_ends = rankmetrics_sql.rm_has_ends(pass) -%}
{{ return([metric.column ~ '_low_end', metric.column ~ '_high_end'] if has_ends else []) }}
{% endmacro %}

{% macro rm_picked_ends(plan, pass) %}
{%- set columns = [] -%}
{%- for name in rankmetrics_sql.rm_end_names(plan) -%}
    {%- set branches = [] -%}
    {%- for metric in plan.metrics if metric in pass.metrics and pass.ranged -%}
        {%- set number = plan.metrics.index(metric) + 1 -%}
        {%- do branches.append({'number': number, 'sql': 'q.' ~ metric.column ~ '_' ~ name}) -%}
    {%- endfor -%}
    {%- set picked = rankmetrics_sql.rm_picked(plan, branches, pass.metrics | length == 1) if branches else none -%}
    {%- do columns.extend(
        rankmetrics_sql.rm_unknown([name]) if picked is none else [{'name': name, 'sql': picked}]
    ) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- ends: the values of a stage {stage, ctes} of pairs, and again with values that have the differences of each end. -#}
{% macro rm_with_ends(plan, beside) %}
{%- if plan.n_ends == 1 -%}{{ return(beside) }}{%- endif -%}
{%- set names = ['of_baseline', 'baseline_own'] + rankmetrics_sql.rm_part_names(plan) + plan.basis_names -%}
{%- for name in rankmetrics_sql.rm_part_names(plan) + plan.basis_names -%}
    {%- do names.append('baseline_' ~ name) -%}
{%- endfor -%}
{%- set keys = rankmetrics_sql.rm_keys_of_pairs(plan) | reject('equalto', 'metric_number') | list -%}
{%- set n_metrics = plan.metrics | length // 3 -%}
{%- set low = 'v.low_end < v.value - v.baseline_own THEN v.baseline_own + v.low_end' -%}
{%- set high = 'v.high_end > v.value - v.baseline_own THEN v.baseline_own + v.high_end' -%}
{%- set number = 'v.metric_number + ' ~ n_metrics ~ ' * e.end_number' -%}
{%- set numbers = [] -%}
{%- for end in range(3) -%}{%- do numbers.append([{'name': 'end_number', 'sql': end}]) -%}{%- endfor -%}
{%- set ends %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('v', keys + names) + [
            {'name': 'metric_number', 'sql': number},
        ]) }},
        CASE
            WHEN e.end_number = 1 AND {{ low }}
            WHEN e.end_number = 2 AND {{ high }}
            ELSE v.value
        END AS value
    FROM {{ beside.stage }} AS v
    CROSS JOIN (
        {{ rankmetrics_sql.rm_constants(numbers) | indent(4) }}
    ) AS e
{%- endset -%}
{{ return({'stage': plan.stages.ends, 'ctes': beside.ctes + [rankmetrics_sql.rm_cte(
    plan.stages.ends, ends, 'each value as it is, and at the ends of the range of its difference'
)]}) }}
{% endmacro %}

{#- Which end a row of a metric number is of, 0 for none, and the number of the metric itself. -#}
{% macro rm_end_number(plan) %}
{%- set n = plan.metrics | length // 3 -%}
{{ return('CASE WHEN metric_number > ' ~ 2 * n ~ ' THEN 2 WHEN metric_number > ' ~ n ~ ' THEN 1 ELSE 0 END') }}
{% endmacro %}

{#- What tells the families of ends apart. -#}
{% macro rm_family_of_ends(plan) %}
{{ return([rankmetrics_sql.rm_end_number(plan)] if plan.n_ends > 1 and plan.options.family != 'metric' else []) }}
{% endmacro %}

{#- ruled: read once, by windows, because an engine that repeats stages would make all of them again for each end. -#}
{% macro rm_ruled(plan) %}
{%- if plan.n_ends == 1 -%}{{ return([]) }}{%- endif -%}
{%- set n = plan.metrics | length // 3 -%}
{%- set keys = rankmetrics_sql.rm_qualified('v', ['run_id'] + plan.group_names) -%}
{%- set over = 'OVER (PARTITION BY ' ~ (keys + ['v.metric_number - ' ~ n ~ ' * v.end_number']) | join(', ') ~ ')' -%}
{%- set columns = {} -%}
{%- for end, number in {'low': 1, 'high': 2}.items() -%}
    {%- set of_end = 'MAX(CASE WHEN v.end_number = ' ~ number ~ ' THEN v.' -%}
    {%- do columns.update({'effect_' ~ end: of_end ~ 'effect_size END) ' ~ over}) -%}
    {%- if plan.shown -%}{%- do columns.update({'verdict_' ~ end: of_end ~ 'own_verdict END) ' ~ over}) -%}{%- endif -%}
{%- endfor -%}
{%- set ruled %}
    SELECT
        v.*,
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_named(columns)) }}
    FROM (
        SELECT
            p.*,
            {{ rankmetrics_sql.rm_end_number(plan) | replace('metric_number', 'p.metric_number') }} AS end_number
            {%- if plan.shown %},
            {{ rankmetrics_sql.rm_own_verdict(plan) | indent(12) }} AS own_verdict
            {%- endif %}
        FROM {{ rankmetrics_sql.rm_last_stage(plan) }} AS p
    ) AS v
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    plan.stages.ruled, ruled, 'each effect beside the ends of its range and the verdicts on these'
)]) }}
{% endmacro %}

{#- Whether the verdict on a row p is another at an end. -#}
{% macro rm_ends_differ() %}
{{ return('p.verdict_low <> p.own_verdict OR p.verdict_high <> p.own_verdict') }}
{% endmacro %}

{#- The columns of a result with the ends of a row p; what is about the judgments themselves has none. -#}
{% macro rm_effect_ends(plan) %}
{%- if plan.n_ends == 1 -%}{{ return([]) }}{%- endif -%}
{%- set columns = {} -%}
{%- for name in ['effect_low', 'effect_high'] -%}
    {%- set expressions = [] -%}
    {%- for metric in plan.metrics -%}
        {%- do expressions.append('p.' ~ name if metric.ranking.unjudged == 'bounds'
            else rankmetrics_sql.rm_as_double('NULL')) -%}
    {%- endfor -%}
    {%- do columns.update({name: rankmetrics_sql.rm_by_metric('p', expressions)}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_named(columns)) }}
{% endmacro %}

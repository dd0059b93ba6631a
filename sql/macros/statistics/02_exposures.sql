{#-
of_lists: the values of metrics that all lists have together, one row per metric, run and group. They are aggregates
over exposures, one row per item that a list shows within the cutoff:
    n_lists      how many lists show it
    and those of rm_item_facts that a metric needs
    place        its place among the items of the catalogue that are shown, by n_lists, from the fewest up
and one row more with what is known of all together, read as MAX(...):
    n_queries    how many lists there are, those without an item among them
    n_all_lists  how many of them show an item, where a metric needs n_shown
    n_items      how many items the catalogue has, where a metric needs in_catalogue
-#}

{% macro rm_of_lists(plan, passes) %}
{%- set ctes = rankmetrics_sql.rm_breakdown_names(plan) -%}
{%- set selects = [] -%}
{%- for pass in passes if pass.metrics | selectattr('of_lists') | list -%}
    {%- do ctes.extend(rankmetrics_sql.rm_exposed_items(pass)) -%}
    {%- for k in pass.metrics | selectattr('of_lists') | map(attribute='params.k') | unique -%}
        {%- set metrics = [] -%}
        {%- for metric in pass.metrics if metric.of_lists and metric.params.k == k -%}
            {%- do metrics.append(metric) -%}
        {%- endfor -%}
        {%- set exposures = rankmetrics_sql.rm_exposures(pass, k, metrics) -%}
        {%- do ctes.extend(exposures) -%}
        {%- do selects.append(rankmetrics_sql.rm_values_of_lists(plan, metrics, exposures[-1].name)) -%}
    {%- endfor -%}
{%- endfor -%}
{%- if not selects -%}{{ return([]) }}{%- endif -%}
{{ return(ctes + [rankmetrics_sql.rm_cte(
    plan.stages.of_lists, selects | join('\n    UNION ALL\n    '),
    'the metrics that have one value over all lists'
)]) }}
{% endmacro %}

{#- The columns that say what a row is added up for, from a relation of lists that may be crossed with the sets. -#}
{% macro rm_keys_of_set(plan, alias) %}
{{ return(
    rankmetrics_sql.rm_columns_from(alias, ['run_id'] if plan.multi else [])
    + rankmetrics_sql.rm_columns_from('b', rankmetrics_sql.rm_breakdown_keys(plan))
    + rankmetrics_sql.rm_groups_of_set(plan, alias)
) }}
{% endmacro %}

{#-
exposed_items: the items of the lists that are scored; scored: those lists. Both by what they are added up for, once for
each set of a rollup.
-#}
{% macro rm_exposed_items(pass) %}
{%- set plan = pass.plan -%}
{%- set lists = rankmetrics_sql.rm_facts(pass).stage -%}
{%- set sets = '\n    CROSS JOIN ' ~ plan.stages.breakdowns ~ ' AS b' if plan.breakdowns else '' -%}
{%- set joined = pass.marks_queries or plan.group_names | length > 0 -%}
{%- set alias = 'q' if joined else 'm' -%}
{%- set needs = rankmetrics_sql.rm_item_needs(pass.metrics | selectattr('of_lists')) -%}
{%- set columns = rankmetrics_sql.rm_keys_of_set(plan, alias) + rankmetrics_sql.rm_columns_from('m', ['item_id', 'rnk'])
    + rankmetrics_sql.rm_columns_from('m', rankmetrics_sql.rm_item_columns(needs) | map(attribute='name')) -%}
{%- set shown %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ pass.stages.judged }} AS m
    {%- if joined %}
    INNER JOIN {{ lists }} AS q ON {{ rankmetrics_sql.rm_same('q', 'm', plan.row_keys) }}
    {%- endif %}
    {{- sets }}
    WHERE {{ rankmetrics_sql.rm_of_a_query(plan, alias) }}
{%- endset -%}
{%- set n_shown = rankmetrics_sql.rm_shown(pass) -%}
{%- set numbers = (rankmetrics_sql.rm_columns_from('q', n_shown[0].columns) if n_shown else [])
    + [{'name': 'is_list', 'sql': '1'}] -%}
{%- set scored %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_keys_of_set(plan, 'q') + numbers) }}
    FROM {{ lists }} AS q
    {{- sets }}
    WHERE {{ rankmetrics_sql.rm_of_a_query(plan, 'q') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        pass.stages.exposed_items, shown,
        'the items that the scored lists show, for each row of the summary'
    ),
    rankmetrics_sql.rm_cte(pass.stages.scored, scored, 'the scored lists, for each row of the summary'),
]) }}
{% endmacro %}

{#- The stages of the exposures within k that some metrics read, the last of them those. -#}
{% macro rm_exposures(pass, k, metrics) %}
{%- set keys = rankmetrics_sql.rm_summary_keys(pass.plan) -%}
{%- set name = pass.stages.exposures ~ ('' if k is none else '_at_' ~ k) -%}
{%- set needs = [] -%}
{%- for metric in metrics -%}{%- do needs.extend(metric.needs) -%}{%- endfor -%}
{%- set known = rankmetrics_sql.rm_item_columns(rankmetrics_sql.rm_item_needs(metrics)) -%}
{%- set own = known | map(attribute='name') | list -%}
{%- set counts = [{'name': 'n_lists', 'sql': rankmetrics_sql.rm_as_double('COUNT(*)')}] -%}
{%- set counted %}
    {{ rankmetrics_sql.rm_select(keys + ['item_id'] + counts + rankmetrics_sql.rm_each('MAX(', own)) }}
    FROM {{ pass.stages.exposed_items }}
    WHERE {{ rankmetrics_sql.rm_within(k) }}
    GROUP BY {{ (keys + ['item_id']) | join(', ') }}
{%- endset -%}
{%- set places = [] -%}
{%- if 'place' in needs -%}
    {%- set partition = 'PARTITION BY ' ~ (keys + ['in_catalogue']) | join(', ') -%}
    {%- set number = 'ROW_NUMBER() OVER (' ~ partition ~ ' ORDER BY n_lists ASC NULLS FIRST)' -%}
    {%- do places.append({'name': 'place', 'sql': rankmetrics_sql.rm_as_double(number)}) -%}
{%- endif -%}
{%- set of_item = ['n_lists'] + own -%}
{%- set totals = rankmetrics_sql.rm_totals_of_lists(pass, k, needs) -%}
{%- set exposures %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            keys + of_item + places + rankmetrics_sql.rm_unknown(totals | map(attribute='name') | list)
        ) }}
    FROM {{ name }}_counted
    UNION ALL
    SELECT
        {{ rankmetrics_sql.rm_lines(
            keys + rankmetrics_sql.rm_nulls(of_item + places | map(attribute='name') | list) + totals
        ) }}
    FROM {{ pass.stages.scored }}
    {%- if keys %}
    GROUP BY {{ keys | join(', ') }}
    {%- endif %}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    name ~ '_counted', counted,
    'the number of lists that show each item within the cutoff'
), rankmetrics_sql.rm_cte(
    name, exposures,
    'each shown item with its facts, and a row with the facts of all lists together'
)]) }}
{% endmacro %}

{#- The facts of all lists together, as aggregates. -#}
{% macro rm_totals_of_lists(pass, k, needs) %}
{%- set totals = [{'name': 'n_queries', 'sql': rankmetrics_sql.rm_as_double('COUNT(*)')}] -%}
{%- if 'n_shown' in needs -%}
    {%- set shown = 'SUM(CASE WHEN ' ~ rankmetrics_sql.rm_n_shown(k) ~ ' > 0 THEN 1 ELSE 0 END)' -%}
    {%- do totals.append({'name': 'n_all_lists', 'sql': rankmetrics_sql.rm_as_double(shown)}) -%}
{%- endif -%}
{%- if 'in_catalogue' in needs -%}
    {%- set size = '(SELECT COUNT(*) FROM ' ~ pass.plan.stages.each_item ~ ')' -%}
    {%- do totals.append({'name': 'n_items', 'sql': rankmetrics_sql.rm_as_double(size)}) -%}
{%- endif -%}
{{ return(totals) }}
{% endmacro %}

{#- The values of metrics with the same exposures, which are read once for all of them. -#}
{% macro rm_values_of_lists(plan, metrics, exposures) %}
{%- set keys = rankmetrics_sql.rm_summary_keys(plan) -%}
{%- set columns = [] -%}
{%- set numbers = [] -%}
{%- set branches = [] -%}
{%- for metric in metrics -%}
    {%- set expression = rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_metric_expression(metric) | trim) -%}
    {%- set value = 'CASE WHEN MAX(n_queries) > 0 THEN ' ~ expression ~ ' END' -%}
    {%- do columns.append({'name': metric.column, 'sql': value}) -%}
    {%- set number = plan.metrics.index(metric) + 1 -%}
    {%- do numbers.append(number) -%}
    {%- do branches.append('WHEN ' ~ number ~ ' THEN e.' ~ metric.column) -%}
{%- endfor -%}
{%- set picked = {'name': 'value', 'sql': rankmetrics_sql.rm_case(branches, 'm.metric_number', 8)} -%}
{%- set select %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            rankmetrics_sql.rm_columns_from('e', keys) + rankmetrics_sql.rm_columns_from('m', ['metric_number'])
            + [picked]
        ) }}
    FROM (
        {{ rankmetrics_sql.rm_select(keys + columns, 8) }}
        FROM {{ exposures }}
        {%- if keys %}
        GROUP BY {{ keys | join(', ') }}
        {%- endif %}
    ) AS e
    CROSS JOIN {{ plan.stages.metrics }} AS m
    WHERE {{ rankmetrics_sql.rm_is_one_of('m.metric_number', numbers) }}
{%- endset -%}
{{ return(select | trim) }}
{% endmacro %}

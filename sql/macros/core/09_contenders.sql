{#-
contenders: the items that can have a rank that counts. Where nothing looks beyond the k-th item of a list, one
aggregate finds the score of that item, and only what reaches it has to be sorted.
-#}

{% macro rm_contenders(pass) %}
{%- if not pass.by_kth_score -%}{{ return([]) }}{%- endif -%}
{%- set plan = pass.plan -%}
{%- set key = pass.order[0] -%}
{%- set kth = {'name': 'kth_score', 'sql': rankmetrics_sql.rm_kth_score(key.name, pass.deepest, key.descending)} -%}
{%- set kth_scores %}
    {{ rankmetrics_sql.rm_select(plan.row_keys + [kth]) }}
    FROM {{ plan.stages.run }}
    GROUP BY {{ plan.row_keys | join(', ') }}
{%- endset -%}
{%- set sorted_by = pass.order | selectattr('column') | map(attribute='name') | list -%}
{%- set read = (['score'] if plan.reads_scores else []) | reject('in', sorted_by) | list -%}
{%- set columns = plan.row_keys + ['item_id'] + sorted_by + read
    + (['relevance'] + plan.carried if plan.labelled else []) -%}
{#- NULL is first from the least up, and so is a NaN in some engines. -#}
{%- set score = 'r.' ~ key.name -%}
{%- set reaches = score ~ ' >= k.kth_score' if key.descending
    else 'NOT ' ~ score ~ ' > k.kth_score OR ' ~ score ~ ' IS NULL' -%}
{%- set contenders %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('r', columns)) }}
    FROM {{ plan.stages.run }} AS r
    INNER JOIN {{ pass.stages.kth_scores }} AS k ON {{ rankmetrics_sql.rm_same('k', 'r', plan.row_keys) }}
    WHERE {{ reaches }} OR k.kth_score IS NULL
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        pass.stages.kth_scores, kth_scores,
        'the score of item ' ~ pass.deepest ~ ' of each list, the lowest that matters'
    ),
    rankmetrics_sql.rm_cte(
        pass.stages.contenders, contenders,
        'the items with at least that score, so that only these are sorted'
    ),
]) }}
{% endmacro %}

{#- How many items of a list a statement sorts for its rankings; none where it sorts whole lists. -#}
{% macro rm_sorted_depth(request) %}
{%- set plan = rankmetrics_sql.rm_plan(request) -%}
{%- set depths = [] -%}
{%- set whole = [] -%}
{%- for ranking in plan.rankings -%}
    {%- set pass = rankmetrics_sql.rm_pass(plan, ranking) -%}
    {%- do (depths if pass.by_kth_score else whole).append(pass.deepest) -%}
{%- endfor -%}
{{ return(none if whole else depths | max) }}
{% endmacro %}

{#-
The last rank that anything asked of a ranking looks at, or none where it may be any. Rankings in the same order share
their ranks.
-#}
{% macro rm_deepest(plan, ranked_by) %}
{%- set any_rank = [] -%}
{%- set depths = [] -%}
{%- for ranking in plan.rankings if ranking.ranked_by == ranked_by -%}
    {%- set depth = rankmetrics_sql.rm_deepest_of(plan, ranking) -%}
    {%- do (any_rank if depth is none else depths).append(depth) -%}
{%- endfor -%}
{{ return(none if any_rank else depths | max) }}
{% endmacro %}

{% macro rm_deepest_of(plan, ranking) %}
{%- set options = ranking.options -%}
{%- set ranks_some = not plan.ranks_all and plan.level not in ['points', 'judged'] -%}
{%- if not ranks_some or plan.options.position == 'given' or plan.options.strategy == 'count' -%}
    {{ return(none) }}
{%- endif -%}
{%- set depths = [] if options.depth is none else [options.depth] -%}
{%- if not ranking.truth_of_lists and options.unjudged != 'drop' -%}
    {%- set cutoffs = [] -%}
    {%- for metric in ranking.metrics if rankmetrics_sql.rm_ends_at_cutoff(metric) -%}
        {%- do cutoffs.append(metric.params.k) -%}
    {%- endfor -%}
    {%- if cutoffs | length == ranking.metrics | length -%}{%- do depths.append(cutoffs | max) -%}{%- endif -%}
{%- endif -%}
{{ return(depths | min if depths else none) }}
{% endmacro %}

{#- Beyond so many scores of every list, which the aggregate holds in memory, a sort costs less. -#}
{% macro rm_most_kept_scores() %}
{{ return(100) }}
{% endmacro %}

{#- Whether a metric looks at no item beyond its cutoff. -#}
{% macro rm_ends_at_cutoff(metric) %}
{{ return(
    metric.params.k is defined and metric.params.k is not none and 'n_retrieved' not in metric.needs
    and metric.params.get('ideal_depth') != 'present'
) }}
{% endmacro %}

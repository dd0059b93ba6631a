{#-
The verdict of a comparison on a metric, decided only here.

    asked                                    significant                       otherwise
    mean, two-sided or of one side           better, worse (the effect's side) inconclusive
    mean, of one side, within a margin M     not worse by M, not better by M   not shown
    mean, equivalence within a margin M      equivalent within M               not shown
    sign test                                more queries rose, fell           inconclusive
    Wilcoxon's                               signed ranks lean upward,         inconclusive
                                               signed ranks lean downward
    Mann & Whitney's                         distributions differ              inconclusive
    Brunner & Munzel's                       likelier above, likelier below    inconclusive
    mean, against the limit of a condition   worse, not worse                  inconclusive
    mean, for a gain M of a condition        better by M                       not shown
    any, where too few queries differ        too few queries                   too few queries
    mean or ranks, where none of enough does no difference                     no difference
    any without a p-value                    no test
    runs of which none is the baseline       no baseline
    any without a query that both have       no common query
    any that is another at an end of the     inconclusive or not shown
      range that unjudged items leave
    within a margin, where rare changes may  inconclusive or not shown
      be missed (07_rare_changes.sql)

Units are queries, or clusters; those that differ from what is tested count, and of arms those of the smaller one. By
weights w, they are as many as SUM(w)^2 / SUM(w^2). Of
fewer than six the two signs alone are no evidence at the usual levels, whatever a distribution makes of how far the few
are apart. Against a margin a query that did not change speaks, too. Six that do not change are no difference.
-#}

{% macro rm_few_units() %}
{{ return(6) }}
{% endmacro %}

{#- How many queries, or clusters, of each effect of pairs s changed; or are there, where every one counts. -#}
{% macro rm_units_of_pairs(plan, every_one) %}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}
    {%- set counts = every_one and rankmetrics_sql.rm_margin_of(plan, metric) -%}
    {%- do expressions.append(
        's.n_higher + s.n_lower' if plan.weight_names and metric.aggregate == 'sum'
        else rankmetrics_sql.rm_as_integer('s.n_effective' if counts else 's.n_differing') if plan.weight_names
        else rankmetrics_sql.rm_as_integer(
            's.n_clusters_that_differ' if not counts else 's.human_units' if rankmetrics_sql.rm_is_predicted(plan)
            else 's.cluster_count'
        ) if plan.cluster_names
        else rankmetrics_sql.rm_as_integer('s.n_human') if counts and rankmetrics_sql.rm_is_predicted(plan)
        else 's.n_queries' if counts
        else rankmetrics_sql.rm_as_integer('s.n_changed') if rankmetrics_sql.rm_is_predicted(plan)
        else 's.n_changed' if rankmetrics_sql.rm_part_names(plan)
        else 's.n_higher + s.n_lower'
    ) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric('s', expressions)) }}
{% endmacro %}

{#- Those that count for the verdict: against a margin a query that did not change speaks, too. -#}
{% macro rm_units_that_differ(plan) %}
{{ return(rankmetrics_sql.rm_units_of_pairs(plan, true)) }}
{% endmacro %}

{#- The verdict if no pair differs and there are enough pairs; with a margin, such pairs count as evidence. -#}
{% macro rm_nothing_differs(plan) %}
{%- if plan.options.design != 'paired' -%}{{ return([]) }}{%- endif -%}
{%- set number = 'p.n_human' if rankmetrics_sql.rm_is_predicted(plan)
    else 'p.n_effective' if plan.weight_names else 'p.n_clusters' if plan.cluster_names else 'p.n_queries' -%}
{{ return(['WHEN p.n_units = 0 AND p.effect_size = 0 AND ' ~ number ~ ' >= ' ~ rankmetrics_sql.rm_few_units()
    ~ " THEN 'no difference'"]) }}
{% endmacro %}

{#- The verdict on a row p; with the range of the effect it holds if it is the same at both ends. -#}
{% macro rm_verdict(plan) %}
{%- if plan.n_ends == 1 -%}{{ return(rankmetrics_sql.rm_own_verdict(plan)) }}{%- endif -%}
{%- set nothing = rankmetrics_sql.rm_nothing_compared(plan) if rankmetrics_sql.rm_has_every_metric(plan) else [] -%}
{{ return(rankmetrics_sql.rm_case(nothing + [
    'WHEN ' ~ rankmetrics_sql.rm_ends_differ() ~ ' THEN ' ~ rankmetrics_sql.rm_inconclusive(plan),
    'ELSE p.own_verdict',
], '', 0)) }}
{% endmacro %}

{#- What is said of an effect of a row p that is not significant, as SQL. -#}
{% macro rm_inconclusive(plan) %}
{%- set words = [] -%}
{%- for metric in plan.metrics -%}
    {%- set is_claim = plan.options.margin if plan.limits is none else rankmetrics_sql.rm_gain_of(plan, metric) -%}
    {%- do words.append("'not shown'" if is_claim else "'inconclusive'") -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric('p', words)) }}
{% endmacro %}

{#- The verdict on the effect of a row p itself. -#}
{% macro rm_own_verdict(plan) %}
{%- set chance = rankmetrics_sql.rm_number((1 - plan.options.confidence_level) | round(15)) -%}
{%- set few = 'WHEN p.n_units < ' ~ rankmetrics_sql.rm_few_units() ~ " THEN 'too few queries'" -%}
{%- set nothing = rankmetrics_sql.rm_nothing_compared(plan) if rankmetrics_sql.rm_has_every_metric(plan) else [] -%}
{%- set inconclusive = rankmetrics_sql.rm_inconclusive(plan) -%}
{%- set claims = rankmetrics_sql.rm_claims(plan) -%}
{{ return(rankmetrics_sql.rm_case(
    nothing + rankmetrics_sql.rm_nothing_differs(plan) + [few, "WHEN p.corrected IS NULL THEN 'no test'",
    'WHEN p.corrected > ' ~ chance ~ ' THEN ' ~ inconclusive] + rankmetrics_sql.rm_verdict_of_rare_changes(plan)
    + claims + (["ELSE 'inconclusive'"] if plan.limits is not none or not plan.options.margin else []), '', 0
)) }}
{% endmacro %}

{#- The verdict if nothing was compared: a column that names runs may not contain the baseline. -#}
{% macro rm_nothing_compared(plan) %}
{%- set nothing = 'WHEN COALESCE(p.n_queries, 0) = 0' -%}
{%- if plan.options.design != 'paired' -%}{{ return([nothing ~ " THEN 'no baseline'"]) }}{%- endif -%}
{%- set none_common = nothing ~ " THEN 'no common query'" -%}
{%- if plan.runs is none or not plan.runs or not plan.runs[0].columns.run_id -%}{{ return([none_common]) }}{%- endif -%}
{%- set rows = '(SELECT COUNT(*) FROM ' ~ rankmetrics_sql.rm_values_of_pairs(plan) ~ ' WHERE run_id = '
    ~ rankmetrics_sql.rm_string(plan.baseline) ~ ')' -%}
{{ return([nothing ~ ' AND ' ~ rows ~ " = 0 THEN 'no baseline'", none_common]) }}
{% endmacro %}

{#- The verdicts for a significant p-value: branches of a CASE over a row p. -#}
{% macro rm_claims(plan) %}
{%- set options = plan.options -%}
{%- if plan.limits is not none -%}
    {%- set away = rankmetrics_sql.rm_distance_from_null(plan, 'p.effect_size') -%}
    {{ return(rankmetrics_sql.rm_claims_of_sides(
        plan, away, {'higher': 'not worse', 'lower': 'worse'}, {'higher': 'worse', 'lower': 'not worse'}
    )) }}
{%- endif -%}
{%- if options.margin -%}
    {%- if options.alternative == 'equivalence' -%}
        {{ return(["ELSE 'equivalent within " ~ rankmetrics_sql.rm_written_number(options.margin) ~ "'"]) }}
    {%- endif -%}
    {%- set by = ' by ' ~ rankmetrics_sql.rm_written_number(options.margin) -%}
    {%- set better = {'greater': 'higher', 'less': 'lower'}[options.alternative] -%}
    {%- set words = [] -%}
    {%- for metric in plan.metrics -%}
        {%- set word = ('not worse' if metric.better == better else 'not better') ~ by -%}
        {%- do words.append(rankmetrics_sql.rm_string(word)) -%}
    {%- endfor -%}
    {{ return(['ELSE ' ~ rankmetrics_sql.rm_by_metric('p', words) | indent(8)]) }}
{%- endif -%}
{%- if rankmetrics_sql.rm_is_rank_test(plan) -%}{{ return(rankmetrics_sql.rm_claims_of_ranks(plan)) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_claims_of_sides(
    plan, 'p.effect_size', {'higher': 'better', 'lower': 'worse'}, {'higher': 'worse', 'lower': 'better'}
)) }}
{% endmacro %}

{#-
What each test of ranks has tested: only signs are a number of queries, and only Brunner & Munzel's, where spreads may
differ, says which arm is likelier above.
-#}
{% macro rm_claims_of_ranks(plan) %}
{%- if plan.options.test in ['sign', 'wilcoxon'] -%}
    {%- set of_signs = plan.options.test == 'sign' -%}
    {%- set side = 'p.n_higher - p.n_lower' if of_signs else 'p.rank_side' -%}
    {{ return([
        'WHEN ' ~ side ~ " > 0 THEN '" ~ ('more queries rose' if of_signs else 'signed ranks lean upward') ~ "'",
        'WHEN ' ~ side ~ " < 0 THEN '" ~ ('more queries fell' if of_signs else 'signed ranks lean downward') ~ "'",
    ]) }}
{%- endif -%}
{%- if plan.options.test == 'mann_whitney' -%}
    {{ return(['WHEN p.superiority <> ' ~ rankmetrics_sql.rm_number(0.5) ~ " THEN 'distributions differ'"]) }}
{%- endif -%}
{%- set half = rankmetrics_sql.rm_number(0.5) -%}
{{ return([
    'WHEN p.superiority > ' ~ half ~ " THEN 'likelier above'",
    'WHEN p.superiority < ' ~ half ~ " THEN 'likelier below'",
]) }}
{% endmacro %}

{#- The verdicts for effects above and below 0, for metrics whose higher or lower value is better. -#}
{% macro rm_claims_of_sides(plan, sql, above, below) %}
{%- set branches = [] -%}
{%- for sign, words in {'>': above, '<': below}.items() -%}
    {%- set said = [] -%}
    {%- for metric in plan.metrics -%}
        {%- set gain = rankmetrics_sql.rm_gain_of(plan, metric) -%}
        {%- set is_gain = (sign == '>') == (metric.better != 'lower') -%}
        {%- set by = (100 * gain) | round(12) if metric.label in plan.relative_limits else gain -%}
        {%- set unit = '%' if metric.label in plan.relative_limits else '' -%}
        {%- set claim = 'better by ' ~ rankmetrics_sql.rm_written_number(by) ~ unit if is_gain else 'not shown' -%}
        {%- set word = claim if gain else words[metric.better] -%}
        {%- do said.append(rankmetrics_sql.rm_string(word)) -%}
    {%- endfor -%}
    {%- set side = {'>': 'greater', '<': 'less'}[sign] -%}
    {%- if plan.options.alternative in ['two_sided', side] -%}
        {%- set word = rankmetrics_sql.rm_by_metric('p', said) | indent(8) -%}
        {%- do branches.append('WHEN ' ~ sql ~ ' ' ~ sign ~ ' 0 THEN ' ~ word) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(branches) }}
{% endmacro %}

{#- A number as people write it: 0.010 is 0.01, 1.0 is 1. -#}
{% macro rm_written_number(number) %}
{{ return((number | int if number == number | int else number) | string) }}
{% endmacro %}

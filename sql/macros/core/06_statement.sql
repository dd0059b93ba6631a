{#- One statement for everything asked for: the stages in the order of the data, which is that of the files. -#}
{% macro rm_query(request, ordered=true) %}
{%- set plan = rankmetrics_sql.rm_plan(request) -%}
{%- set passes = [] -%}
{%- for ranking in plan.rankings -%}{%- do passes.append(rankmetrics_sql.rm_pass(plan, ranking)) -%}{%- endfor -%}
{%- if plan.stored_values is not none -%}
    {%- set answer = rankmetrics_sql.rm_answer_of_stored(plan) -%}
    {{ return(rankmetrics_sql.rm_statement_of(answer.ctes, answer.select, ordered)) }}
{%- endif -%}
{%- set ctes = rankmetrics_sql.rm_run(plan)
    + rankmetrics_sql.rm_qrels(plan)
    + rankmetrics_sql.rm_human_qrels(plan)
    + rankmetrics_sql.rm_query_list(plan)
    + rankmetrics_sql.rm_items(plan)
    + rankmetrics_sql.rm_runs(plan)
    + rankmetrics_sql.rm_groups(plan) -%}
{%- if plan.level == 'movements' -%}
    {%- set answer = rankmetrics_sql.rm_movements(passes[0]) -%}
    {%- set stages = ctes + rankmetrics_sql.rm_shown_rows(passes[0]) + answer.ctes -%}
    {{ return(rankmetrics_sql.rm_statement_of(stages, answer.select, ordered)) }}
{%- endif -%}
{%- for pass in passes -%}{%- do ctes.extend(rankmetrics_sql.rm_pass_ctes(pass)) -%}{%- endfor -%}
{%- set judged_twice = rankmetrics_sql.rm_judged_twice(plan, passes, ctes) -%}
{%- set answer = rankmetrics_sql.rm_answer(plan, judged_twice.passes) -%}
{#- Of the items to judge the first are listed, so the order is no matter of show. -#}
{%- set is_ordered = ordered or plan.level == 'judge_next' -%}
{{ return(rankmetrics_sql.rm_statement_of(ctes + judged_twice.ctes + answer.ctes, answer.select, is_ordered)) }}
{% endmacro %}

{#- Stages and the SELECT, of which the order is the last clause, at the beginning of a line; a view has none. -#}
{% macro rm_statement_of(ctes, select, ordered) %}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ (select if ordered else select.split('\nORDER BY')[0])) }}
{% endmacro %}

{#- The stages of one pass. -#}
{% macro rm_pass_ctes(pass) %}
{%- if pass.plan.at_once -%}
    {{ return(rankmetrics_sql.rm_rows_at_once(pass) + rankmetrics_sql.rm_per_query(pass)) }}
{%- endif -%}
{%- set judged = rankmetrics_sql.rm_judged_columns(pass) -%}
{%- set facts = rankmetrics_sql.rm_facts(pass) -%}
{{ return(
    rankmetrics_sql.rm_matched(pass)
    + rankmetrics_sql.rm_placed(pass)
    + rankmetrics_sql.rm_condensed(pass)
    + rankmetrics_sql.rm_positions(pass)
    + rankmetrics_sql.rm_judged(pass, judged)
    + rankmetrics_sql.rm_query_judgment_facts(pass, facts)
    + rankmetrics_sql.rm_retrieved(pass)
    + facts.ctes
    + rankmetrics_sql.rm_queries(pass, facts)
    + rankmetrics_sql.rm_rows(pass, judged, facts)
    + rankmetrics_sql.rm_per_query(pass, facts.marks)
) }}
{% endmacro %}

{#- From the rows of the passes, or their values, to what was asked for: the last stages and the SELECT. -#}
{% macro rm_answer(plan, passes) %}
{%- if plan.level == 'judged' -%}
    {{ return({'ctes': [], 'select': rankmetrics_sql.rm_select_judged(plan, passes)}) }}
{%- elif plan.level == 'judge_next' -%}
    {{ return(rankmetrics_sql.rm_judge_next(passes[0])) }}
{%- elif plan.level == 'points' -%}
    {{ return({'ctes': [], 'select': rankmetrics_sql.rm_select_points(passes[0])}) }}
{%- elif plan.level == 'per_query' -%}
    {%- set side_by_side = rankmetrics_sql.rm_side_by_side(plan, passes) -%}
    {{ return({'ctes': side_by_side, 'select': rankmetrics_sql.rm_select_per_query(plan, passes)}) }}
{%- endif -%}
{%- set of_lists = rankmetrics_sql.rm_of_lists(plan, passes) if plan.level == 'summary' else [] -%}
{{ return(rankmetrics_sql.rm_answer_of_values(plan, rankmetrics_sql.rm_values(plan, passes) + of_lists)) }}
{% endmacro %}

{#- From values that were stored: what they are made of need not be there any more. -#}
{% macro rm_answer_of_stored(plan) %}
{%- set values = rankmetrics_sql.rm_stored_values(plan) -%}
{%- if plan.level == 'per_query' -%}
    {%- set wide = rankmetrics_sql.rm_wide_values(plan) -%}
    {{ return({'ctes': values + wide, 'select': rankmetrics_sql.rm_select_per_query(plan)}) }}
{%- endif -%}
{{ return(rankmetrics_sql.rm_answer_of_values(plan, values)) }}
{% endmacro %}

{#- From the stages of the values. -#}
{% macro rm_answer_of_values(plan, values) %}
{%- if plan.level == 'values' -%}
    {{ return({'ctes': values, 'select': rankmetrics_sql.rm_select_values(plan)}) }}
{%- elif rankmetrics_sql.rm_is_comparison(plan.level) -%}
    {%- set comparison = rankmetrics_sql.rm_comparison(plan) -%}
    {{ return({'ctes': values + comparison.ctes, 'select': comparison.select}) }}
{%- elif plan.level == 'curve_per_query' -%}
    {{ return({'ctes': values, 'select': rankmetrics_sql.rm_select_curve_per_query(plan)}) }}
{%- endif -%}
{%- set summary = rankmetrics_sql.rm_summary(plan) -%}
{{ return({'ctes': values + summary.ctes, 'select': summary.select}) }}
{% endmacro %}

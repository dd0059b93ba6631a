{#-
query_judgment_facts: one row per judged query, with the facts that depend on judgments alone. Where rows alone reads
them, they are its second branch.
-#}

{% macro rm_query_judgment_facts(pass, facts) %}
{%- set before = rankmetrics_sql.rm_qrels_of_lists(pass) + rankmetrics_sql.rm_ideal(pass, facts)
    + rankmetrics_sql.rm_full_lists(pass) -%}
{%- if rankmetrics_sql.rm_judges_in_rows(pass, facts) -%}{{ return(before) }}{%- endif -%}
{%- set truth = rankmetrics_sql.rm_select(pass.truth_keys + facts.truth) ~ '\n    '
    ~ rankmetrics_sql.rm_from_truth(pass, facts) -%}
{{ return(before
    + [rankmetrics_sql.rm_cte(pass.stages.query_judgment_facts, truth, 'the facts of each judged query')]) }}
{% endmacro %}

{#- The judgments, or their ideal ranking where facts are read from that, by query. -#}
{% macro rm_from_truth(pass, facts) %}
{%- set is_ranked = pass.ideal_gains and facts.truth -%}
{%- set clauses = ['FROM ' ~ (pass.stages.ideal if is_ranked else pass.stages.truth_source)] -%}
{%- if pass.ideals | selectattr('ideal_depth', 'equalto', 'all_relevant') | list -%}
    {%- do clauses.append('CROSS JOIN ' ~ pass.stages.full_lists ~ ' AS f') -%}
{%- endif -%}
{{ return((clauses + ['GROUP BY ' ~ pass.truth_keys | join(', ')]) | join('\n    ')) }}
{% endmacro %}

{#- Whether nothing but rows of this one pass reads those facts. -#}
{% macro rm_judges_in_rows(pass, facts) %}
{%- set sharing = pass.plan.rankings | selectattr('truth_suffix', 'equalto', pass.truth_suffix) | list -%}
{%- set is_read_alone = sharing | length == 1 and not pass.ranged
    and not rankmetrics_sql.rm_with_stages(pass.metrics) -%}
{{ return(
    facts.stage == pass.stages.query_judgment_facts
    and not pass.metrics | selectattr('of_lists') | list
    and (not facts.truth or is_read_alone)
) }}
{% endmacro %}

{#- Its columns beside the keys: aggregates over the judgments of a query. A new one is one entry here. -#}
{% macro rm_truth_columns(pass) %}
{%- set metrics = pass.truth_metrics -%}
{%- set needs = [] -%}
{%- for metric in metrics -%}{%- do needs.extend(metric.needs) -%}{%- endfor -%}
{%- set columns = [] -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'n_relevant', ['rel']) -%}
    {%- set relevant = 'relevance >= ' ~ rankmetrics_sql.rm_number(values.rel) -%}
    {%- do columns.append(rankmetrics_sql.rm_truth_count(rankmetrics_sql.rm_n_relevant(values.rel), relevant)) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'n_nonrelevant', ['rel']) -%}
    {%- set nonrelevant = 'relevance >= 0 AND relevance < ' ~ rankmetrics_sql.rm_number(values.rel) -%}
    {%- do columns.append(rankmetrics_sql.rm_truth_count(rankmetrics_sql.rm_n_nonrelevant(values.rel), nonrelevant)) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'n_subtopics', ['rel']) -%}
    {%- set served = 'CASE WHEN relevance >= ' ~ rankmetrics_sql.rm_number(values.rel) ~ ' THEN subtopic END' -%}
    {%- set n_served = rankmetrics_sql.rm_as_double('COUNT(DISTINCT ' ~ served ~ ')') -%}
    {%- do columns.append({'name': rankmetrics_sql.rm_n_subtopics(values.rel), 'sql': n_served}) -%}
{%- endfor -%}
{%- if 'n_judged' in needs -%}
    {%- do columns.append({'name': 'n_judged', 'sql': rankmetrics_sql.rm_as_double('COUNT(relevance)')}) -%}
{%- endif -%}
{%- if 'highest_grade' in needs -%}
    {%- do columns.append({'name': 'highest_grade', 'sql': 'MAX(relevance)'}) -%}
{%- endif -%}
{%- for rel in pass.universe_rels -%}
    {%- set relevant = 'relevance >= ' ~ rankmetrics_sql.rm_number(rel) -%}
    {%- set given = 'is_assumed = 0 AND ' ~ relevant if pass.truth_of_lists else relevant -%}
    {%- do columns.append(rankmetrics_sql.rm_truth_count(rankmetrics_sql.rm_n_universe(rel), given)) -%}
{%- endfor -%}
{%- for ideal in pass.ideals if ideal.ideal_depth in ['min_k', 'uncut', 'all_relevant'] -%}
    {%- set name = rankmetrics_sql.rm_ideal_dcg(ideal) -%}
    {%- if ideal.ideal_depth == 'all_relevant' -%}
        {%- set sum = 'MAX(f.' ~ name ~ ')' -%}
    {%- elif pass.sums_greatest -%}
        {%- set sum = rankmetrics_sql.rm_ideal_sum_of_greatest(pass, ideal) -%}
    {%- else -%}
        {%- set sum = rankmetrics_sql.rm_ideal_sum(ideal, none if ideal.ideal_depth == 'uncut' else ideal.k) -%}
    {%- endif -%}
    {%- do columns.append({'name': name, 'sql': sum}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_distinct(columns)) }}
{% endmacro %}

{% macro rm_truth_count(name, condition) %}
{%- set count = 'SUM(CASE WHEN ' ~ condition ~ ' THEN 1 ELSE 0 END)' -%}
{{ return({'name': name, 'sql': rankmetrics_sql.rm_as_double(count)}) }}
{% endmacro %}

{#- The ideal ranking stops where gains are no longer positive (trec_eval): only a map may give some below 0. -#}
{% macro rm_ideal_sum(ideal, k, also=[]) %}
{%- set gain = rankmetrics_sql.rm_gain_name(ideal.gain, ideal.rel) -%}
{%- set rank = rankmetrics_sql.rm_ideal_rank(ideal.gain) -%}
{%- set conditions = ([gain ~ ' > 0'] if ideal.gain is mapping else [])
    + ([rank ~ ' <= ' ~ k] if k is not none else []) + also -%}
{%- set worth = rankmetrics_sql.rm_discounted(gain, rank, ideal.discount) -%}
{%- if not conditions -%}{{ return('SUM(' ~ worth ~ ')') }}{%- endif -%}
{{ return('SUM(CASE WHEN ' ~ conditions | join(' AND ') ~ ' THEN ' ~ worth ~ ' ELSE 0 END)') }}
{% endmacro %}

{#-
The same without a rank. A map may give a grade less than nothing. Most rows of a log have no gain, and need not be held
against the greatest.
-#}
{% macro rm_ideal_sum_of_greatest(pass, ideal) %}
{%- set discounted = rankmetrics_sql.rm_discounted('gain', 'place', ideal.discount) -%}
{%- if pass.plan.at_once -%}
    {%- set gain = 'NULLIF(' ~ rankmetrics_sql.rm_gain_name(ideal.gain, ideal.rel) ~ ', 0)' -%}
    {%- set only = rankmetrics_sql.rm_only_gain(pass, ideal) -%}
    {%- set sum = rankmetrics_sql.rm_sum_of_greatest(gain, ideal.k, discounted) if only is none
        else rankmetrics_sql.rm_sum_of_equal('COUNT(' ~ gain ~ ')', ideal.k,
            rankmetrics_sql.rm_discounted(only, 'place', ideal.discount)) -%}
    {{ return('COALESCE(' ~ sum ~ ', 0)') }}
{%- endif -%}
{%- set worth = rankmetrics_sql.rm_gain(ideal.gain, ideal.rel, 'relevance') -%}
{%- set gain = 'GREATEST(' ~ worth ~ ', 0)' if ideal.gain is mapping else worth -%}
{{ return(rankmetrics_sql.rm_sum_of_greatest(gain, ideal.k, discounted)) }}
{% endmacro %}

{#- The one gain that relevant items have, where all have the same grade; none where it may differ. -#}
{% macro rm_only_gain(pass, ideal) %}
{%- set grade = pass.plan.runs[0].only_grade -%}
{%- if grade is none or ideal.gain not in ['linear', 'binary'] -%}{{ return(none) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_number(1 if ideal.gain == 'binary' else grade)) }}
{% endmacro %}

{#-
Whether ideals can be summed over the greatest gains of a query as an aggregate finds them, rather than by a rank for
each of its judgments: where all of them end at a cutoff.
-#}
{% macro rm_end_at_cutoffs(ideals) %}
{%- set others = [] -%}
{%- for ideal in ideals if ideal.ideal_depth != 'min_k' or ideal.k is none
    or ideal.k > rankmetrics_sql.rm_most_kept_scores() -%}
    {%- do others.append(ideal) -%}
{%- endfor -%}
{{ return(not others) }}
{% endmacro %}

{#-
Where unjudged items are given a grade, the judgments of a list are those given and those assumed. With
judgments=retrieved they are those of its own items; a row without a grade keeps every judged query among them.
-#}
{% macro rm_qrels_of_lists(pass) %}
{%- if not pass.truth_of_lists -%}{{ return([]) }}{%- endif -%}
{%- set plan = pass.plan -%}
{%- set crossed = plan.multi and not plan.own_truth -%}
{%- set own = pass.options.judgments == 'retrieved' -%}
{%- set given = plan.row_keys if plan.own_truth else plan.query_keys -%}
{%- set columns = rankmetrics_sql.rm_columns_from('q', plan.query_keys if crossed else plan.row_keys)
    + rankmetrics_sql.rm_columns_from('u', ['run_id'] if crossed else []) -%}
{%- set grades = ['relevance'] + plan.carried -%}
{%- do columns.extend(rankmetrics_sql.rm_unknown(grades) if own else rankmetrics_sql.rm_columns_from('q', grades)) -%}
{%- do columns.append({'name': 'is_assumed', 'sql': '0'}) -%}
{%- set judged = rankmetrics_sql.rm_columns_from('j', plan.row_keys + grades)
    + [{'name': 'is_assumed', 'sql': '0' if own else '1'}] -%}
{%- set rows %}
    SELECT {{ 'DISTINCT' if own }}
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ pass.stages.judgments }} AS q
    {%- if crossed %}
    CROSS JOIN {{ plan.stages.runs }} AS u
    {%- endif %}
    UNION ALL
    {{ rankmetrics_sql.rm_select(judged) }}
    FROM {{ pass.stages.judged }} AS j
    {%- if pass.options.queries != 'retrieved' %}
    INNER JOIN (SELECT DISTINCT {{ given | join(', ') }} FROM {{ pass.stages.judgments }}) AS g ON
        {{- ' ' ~ rankmetrics_sql.rm_same('g', 'j', given) }}
    {%- endif %}
    WHERE {{ 'j.relevance IS NOT NULL' if own else 'j.is_unjudged = 1 AND j.relevance IS NOT NULL' }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.truth_source, rows,
    'the judgments of each list, because they depend on what it retrieved'
)]) }}
{% endmacro %}

{#-
ideal: every judgment with its place in the best possible ranking. Gains that grow with the grade share one order;
each map has its own.
-#}
{% macro rm_ideal(pass, facts) %}
{%- if not pass.ideal_gains -%}{{ return([]) }}{%- endif -%}
{%- set columns = [] -%}
{%- set ranks = [] -%}
{%- for gain in pass.ideal_gains -%}
    {%- set worth = rankmetrics_sql.rm_gain(gain.gain, gain.rel, 'relevance') -%}
    {%- do columns.append({'name': gain.name, 'sql': worth}) -%}
    {%- set sorted_by = worth if gain.gain is mapping else 'relevance' -%}
    {%- set place = rankmetrics_sql.rm_number_down(pass.truth_keys, sorted_by) -%}
    {%- do ranks.append({'name': rankmetrics_sql.rm_ideal_rank(gain.gain), 'sql': place}) -%}
{%- endfor -%}
{%- set reads_grades = pass.plan.has_range or 'relevance' in facts.truth | map(attribute='sql') | join(' ') -%}
{%- set kept = pass.truth_keys + (['relevance'] if reads_grades else [])
    + (['is_assumed'] if pass.truth_of_lists else []) -%}
{%- set ideal %}
    {{ rankmetrics_sql.rm_select(kept + rankmetrics_sql.rm_distinct(columns + ranks)) }}
    FROM {{ pass.stages.truth_source }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.ideal, ideal,
    'the judgments in the ideal ranking, highest grade first'
)]) }}
{% endmacro %}

{#- full lists: the discounted gain of k places that all hold a relevant item. -#}
{% macro rm_full_lists(pass) %}
{%- set columns = [] -%}
{%- for ideal in pass.ideals if ideal.ideal_depth == 'all_relevant' -%}
    {%- set term = rankmetrics_sql.rm_discounted(rankmetrics_sql.rm_as_double(1), 'list_position', ideal.discount) -%}
    {%- set sum = 'SUM(CASE WHEN list_position <= ' ~ ideal.k ~ ' THEN ' ~ term ~ ' ELSE 0 END)' -%}
    {%- do columns.append({'name': rankmetrics_sql.rm_ideal_dcg(ideal), 'sql': sum}) -%}
{%- endfor -%}
{%- if not columns -%}{{ return([]) }}{%- endif -%}
{%- set full %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_distinct(columns)) }}
    FROM {{ pass.plan.stages.numbers }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_numbers(pass.plan) + [rankmetrics_sql.rm_cte(
    pass.stages.full_lists, full,
    'the DCG of a list of relevant items only'
)]) }}
{% endmacro %}

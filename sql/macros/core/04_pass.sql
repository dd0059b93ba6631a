{#-
A pass is one ranking of the run and what its metrics read: one literal, which nothing changes afterwards. Its keys:
    plan            the plan, for all that the passes have in common
    suffix, metrics, options, subtopics, universe_rel, assumed_grade, ranged, all_rows, item_needs, truth_of_lists,
    truth_suffix, order, matched_by
                    those of its ranking, see rm_ranking
    judged_suffix   of stages made of the judgments alone, where there are those of people, too; else empty
    needs           what its metrics need of the shared columns
    item_names      the columns that say which item a row is and what is known of it, where something asks for them
    deepest         the last rank that anything reads, or none
    by_kth_score    whether the items that can have such a rank are found by the score of the last one
    counts_once     whether an item that stands twice in a list is counted once, because no check refuses it
    by_count        whether ranks are counted for the judged items only, instead of numbering the whole run
    truth_keys      the columns that judgments go by: those of a query, or of a list that has its own
    truth_metrics   the metrics of all passes that share the truth
    universe_rels   the grades by which those passes choose their queries
    tie_names       n_above and n_through where something asks for groups of equal scores
    gains           {name, gain, rel} of each gain that judged has as a column
    weights         {name, sql, k} of each weight of ranks, see rm_rank_weights
    ideals          {gain, rel, k, discount, ideal_depth} of each ideal DCG
    sums_greatest   whether those are sums over the greatest gains, without a rank
    ideal_gains     the gains whose best order is a stage, as in gains
    says_basis      whether its lists say how many of their first items are judged
    counts_lists    whether the lengths of lists are known
    marks_queries   whether the rows of a query say that it is scored, because there may be rows of others
    stages          names of its stages
-#}
{% macro rm_pass(plan, ranking) %}
{%- set options = ranking.options -%}
{%- set metrics = ranking.metrics -%}
{%- set truth_metrics = [] -%}
{%- set universe_rels = [] -%}
{%- for other in plan.rankings if other.truth_suffix == ranking.truth_suffix -%}
    {%- do truth_metrics.extend(other.metrics) -%}
    {%- if other.universe_rel is not none and other.universe_rel not in universe_rels -%}
        {%- do universe_rels.append(other.universe_rel) -%}
    {%- endif -%}
{%- endfor -%}
{%- set needs = [] -%}
{%- for metric in metrics -%}{%- do needs.extend(metric.needs) -%}{%- endfor -%}
{%- set ideal_params = ['gain', 'rel', 'k', 'discount', 'ideal_depth'] -%}
{%- set ideals = rankmetrics_sql.rm_needed(truth_metrics, 'ideal_dcg', ideal_params) -%}
{%- set sought = ideals | rejectattr('ideal_depth', 'in', ['present', 'all_relevant']) | list -%}
{%- set sums_greatest = plan.sums_greatest and rankmetrics_sql.rm_end_at_cutoffs(sought) and not plan.has_range -%}
{%- set with_ties = options.ties in ['expected', 'best', 'worst'] -%}
{%- set numbers_all = ranking.all_rows or ranking.subtopics or options.ties == 'expected' -%}
{%- set deepest = rankmetrics_sql.rm_deepest(plan, ranking.ranked_by) -%}
{%- set says_basis = plan.basis_names and options.unjudged != 'drop' -%}
{%- set with_others = ranking.all_rows or (plan.labelled and not plan.own_truth) -%}
{{ return({
    'plan': plan,
    'suffix': ranking.suffix,
    'judged_suffix': '',
    'metrics': metrics,
    'needs': needs,
    'item_names': (['item_id'] if 'item_id' in needs or ranking.ranged else [])
        + rankmetrics_sql.rm_item_columns(ranking.item_needs) | map(attribute='name') | list,
    'options': options,
    'subtopics': ranking.subtopics,
    'universe_rel': ranking.universe_rel,
    'assumed_grade': ranking.assumed_grade,
    'ranged': ranking.ranged,
    'all_rows': ranking.all_rows,
    'item_needs': ranking.item_needs,
    'truth_of_lists': ranking.truth_of_lists,
    'truth_suffix': ranking.truth_suffix,
    'order': ranking.order,
    'matched_by': ranking.matched_by,
    'deepest': deepest,
    'by_kth_score': plan.selects_kth and deepest is not none and deepest <= rankmetrics_sql.rm_most_kept_scores(),
    'counts_once': rankmetrics_sql.rm_counts_items_once(plan),
    'by_count': plan.options.strategy == 'count' and not numbers_all,
    'truth_keys': plan.row_keys if plan.own_truth or ranking.truth_of_lists else plan.query_keys,
    'truth_metrics': truth_metrics,
    'universe_rels': universe_rels,
    'tie_names': ['n_above', 'n_through'] if with_ties else [],
    'gains': rankmetrics_sql.rm_gains(rankmetrics_sql.rm_needed(metrics, 'gain', ['gain', 'rel'])),
    'weights': rankmetrics_sql.rm_rank_weights(metrics) if options.ties == 'expected' else [],
    'ideals': ideals,
    'sums_greatest': sums_greatest,
    'ideal_gains': [] if sums_greatest else rankmetrics_sql.rm_gains(sought),
    'says_basis': says_basis,
    'counts_lists': options.queries in ['judged_retrieved', 'retrieved'] or 'n_retrieved' in needs
        or (says_basis and plan.options.position != 'given'),
    'marks_queries': options.queries == 'judged_relevant' or plan.query_list is not none
        or (with_others and options.queries != 'retrieved'),
    'stages': rankmetrics_sql.rm_pass_stages(plan, ranking),
}) }}
{% endmacro %}

{#- Whether nothing has looked for items that stand twice in a list, so that statements count each once. -#}
{% macro rm_counts_items_once(plan) %}
{{ return(plan.check == 'none' and plan.runs | rejectattr('clean') | list | length > 0) }}
{% endmacro %}

{#- The names of the stages that all passes share; items and values would be methods of the mapping. -#}
{% macro rm_plan_stages() %}
{%- set stages = {'each_item': 'rankmetrics_items', 'query_values': 'rankmetrics_values'} -%}
{%- for name in [
    'run_source', 'run', 'qrels_source', 'subtopics', 'qrels', 'human_qrels_source', 'human_subtopics',
    'human_qrels', 'predicted_means', 'tuned', 'powered', 'digits', 'numbers', 'missed', 'query_list_source',
    'query_list', 'items_source', 'catalogue', 'categories', 'runs', 'run_rows', 'groups_of_lists', 'groups_of_run',
    'groups_of_qrels', 'groups_of_query_list', 'groups_of_queries', 'passes', 'per_query', 'metrics', 'uncapped',
    'breakdowns', 'broken_down', 'numbered', 'centred', 'summed', 'of_lists', 'together', 'beside_order_values',
    'group_places', 'counted_groups', 'sides', 'each_pair',
    'with_baseline_values', 'ends', 'ruled', 'pairs', 'linear', 'differences', 'clustered', 'shared_clusters',
    'regressed', 'with_shares', 'adjusted_arms', 'by_size', 'cumulative_counts', 'cumulative_counts_with_ties', 'units',
    'bucketed', 'buckets', 'draws', 'replicates', 'ordered', 'biased', 'corrected_shares', 'resampled', 'chances',
    'exact', 'sums', 'beside_baseline', 'effects', 'rare_changes', 'quadrature_nodes', 'measured', 'guessed',
    'first_look', 'critical_values', 'second_look', 'second_point', 'pvalue_ranks', 'adjusted', 'tail_probabilities',
    'tested', 'levelled', 'planned', 'tried', 'needed', 'grouped', 'candidates', 'shares', 'terms', 'moved',
    'compared', 'beside', 'next', 'influences', 'texts_of_queries', 'texts_of_items',
] -%}
    {%- do stages.update({name: 'rankmetrics_' ~ name}) -%}
{%- endfor -%}
{{ return(stages) }}
{% endmacro %}

{#- The names of the stages of a pass. One that passes share has the suffix of the first that wants the same of it. -#}
{% macro rm_pass_stages(plan, ranking) %}
{%- set suffix = ranking.suffix -%}
{%- set of_truth = ranking.truth_suffix -%}
{%- set first = {} -%}
{%- for other in plan.rankings | reverse -%}
    {%- if other.ranked_by == ranking.ranked_by -%}{%- do first.update({'ranked': other.suffix}) -%}{%- endif -%}
    {%- if other.matched_by == ranking.matched_by -%}{%- do first.update({'matched': other.suffix}) -%}{%- endif -%}
    {%- if other.counted_by == ranking.counted_by -%}{%- do first.update({'counted': other.suffix}) -%}{%- endif -%}
{%- endfor -%}
{%- set judgments = plan.stages.subtopics if ranking.subtopics else plan.stages.qrels -%}
{%- set as_matched = rankmetrics_sql.rm_reads_as_matched(ranking)
    and not rankmetrics_sql.rm_marks_shared_places(plan) -%}
{{ return({
    'judgments': judgments,
    'typical_grades': 'rankmetrics_' ~ ranking.options.unjudged ~ '_grades',
    'kth_scores': 'rankmetrics_kth_scores' ~ first.ranked,
    'contenders': 'rankmetrics_contenders' ~ first.ranked,
    'ranked': 'rankmetrics_ranked' ~ first.ranked,
    'found': 'rankmetrics_found' ~ first.matched,
    'matched': 'rankmetrics_matched' ~ first.matched,
    'placed': 'rankmetrics_placed' ~ suffix,
    'condensed': 'rankmetrics_condensed' ~ suffix,
    'positions': 'rankmetrics_positions' ~ suffix,
    'judged': 'rankmetrics_matched' ~ first.matched if as_matched else 'rankmetrics_judged' ~ suffix,
    'truth_source': 'rankmetrics_qrels' ~ of_truth if ranking.truth_of_lists else judgments,
    'ideal': 'rankmetrics_ideal' ~ of_truth,
    'full_lists': 'rankmetrics_full_lists' ~ of_truth,
    'query_judgment_facts': 'rankmetrics_query_judgment_facts' ~ of_truth,
    'retrieved': 'rankmetrics_retrieved' ~ first.counted,
    'shortened_ideal': 'rankmetrics_shortened_ideal' ~ suffix,
    'shown': 'rankmetrics_shown' ~ suffix,
    'shown_categories': 'rankmetrics_shown_categories' ~ suffix,
    'exposed_items': 'rankmetrics_exposed_items' ~ suffix,
    'scored': 'rankmetrics_scored' ~ suffix,
    'exposures': 'rankmetrics_exposures' ~ suffix,
    'facts': 'rankmetrics_facts' ~ suffix,
    'queries': 'rankmetrics_queries' ~ suffix,
    'stacked': 'rankmetrics_stacked' ~ suffix,
    'rows': 'rankmetrics_rows' ~ suffix,
    'per_query': 'rankmetrics_per_query' ~ suffix,
    'judged_twice': 'rankmetrics_judged_twice' ~ suffix,
    'with_baseline_values': 'rankmetrics_with_baseline_values' ~ suffix,
    'highest_grade': 'rankmetrics_highest_grade',
    'alone': 'rankmetrics_alone' ~ suffix,
    'net': 'rankmetrics_net' ~ suffix,
    'ranges': 'rankmetrics_ranges' ~ suffix,
    'taken': 'rankmetrics_taken' ~ suffix,
    'full_places': 'rankmetrics_full_places' ~ suffix,
    'longer': 'rankmetrics_longer' ~ suffix,
    'longer_ideals': 'rankmetrics_longer_ideals' ~ suffix,
    'shares_of_ideals': 'rankmetrics_shares_of_ideals' ~ suffix,
}) }}
{% endmacro %}

{#- The name of a stage that a metric brings along, by the column that it is for. -#}
{% macro rm_metric_stage(column, suffix='') %}
{{ return('rankmetrics_' ~ column ~ suffix) }}
{% endmacro %}

{#- The parameters of every metric that needs something, each distinct value once. -#}
{% macro rm_needed(metrics, need, keys) %}
{%- set found = [] -%}
{%- for metric in metrics if need in metric.needs -%}
    {%- set values = {} -%}
    {%- for key in keys -%}{%- do values.update({key: metric.params[key]}) -%}{%- endfor -%}
    {%- if values not in found -%}{%- do found.append(values) -%}{%- endif -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

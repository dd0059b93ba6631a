{#-
A plan is a request with what follows from it: one literal, which nothing changes afterwards. What differs from
ranking to ranking stands in the passes, see 04_pass.sql. Its keys:
    level         'per_query', 'summary', 'compare', 'compare_per_query'; 'decompose' for what each group adds to a
                  difference, 'movements' for the items of two lists; 'sums' for what adds up over groups; 'curve' or
                  'curve_per_query' for a metric along a parameter, 'points' for a curve whose points each list has of
                  its own, 'judged' for the rows behind the metrics, 'values' for the long relation that the others are
                  made of
    runs          inputs {name, relation, whole, columns, text_ids, is_query, optional_ids, clean, collated, floats,
                  exact}; one labelled table if qrels is none. In floats are the columns that may hold NaN, in exact
                  those that items are sorted by as they are, as a double would round them; exact is none where types
                  are not known. whole is the relation that this one has some queries of, or none; with optional_ids, a
                  row without an item is of a list that is empty; in one that is clean, no item stands twice in a list.
                  columns maps query_id (a list), item_id, score, position, relevance, subtopic, n_relevant, weight,
                  covariate, run_id, propensity and target to the user's columns or to none; and what
                  is carried
    qrels         an input, or none
    human_qrels   an input with the judgments of people for some of the queries, where those of qrels are a model's that
                  predict them (02_predicted.sql); else none
    query_list    an input with the queries to score, or none
    catalogue     an input with the items that there are, or none: item_id, popularity and category
    metrics       {name, label, column, params, x, ranking, needs, aggregate, of_lists, skips, has_columns,
                  has_relation, has_parts}; x is the place on a curve, ranking has a value for every option of a ranking
    options       a value for every option of the whole evaluation, and rel
    groups        {name, label, column, relation}, where relation is 'run', 'qrels' or 'query_list'
    min_queries   rows of groups with fewer queries are left out of a summary; or none
    group_order   how the groups of a summary are ordered, {metric_number, descending, limit}: by n_queries where the
                  metric's number is none, all of them where limit is none; or none
    query_labels  names of the query's columns in results
    check         'full', 'judged' or 'none': which faults are counted
    groups_checked  whether somebody has looked that no query is in two groups
    baseline      name of the run that the others are compared with, or none
    all_pairs     whether all pairs of runs are compared instead; baseline is then the first
    names_of_pairs  the names of these runs
    limits        by how much each metric may be worse, {label: number}, where a comparison is to say whether it is, or
                  none; below 0 by how much it has to be better
    relative_limits  the labels of those that are shares of the baseline's value
    caps          above what values count as that, {label: {amount, share}}, where a comparison caps some
    shown         what a comparison says beside its effects, of 'interval' and 'pvalue'; 'nothing' if a metric without
                  an effect has a row that says so; 'tails' if somebody is warned of heavy tails, of a summary, too
    stored_values relation with what level 'values' gave, or none: then nothing else is read
    judging       of level judge_next, {names, n, texts}, see rm_judge_next; else none
    recurses      whether the recursive CTEs of the engine may have window functions
    ranks_all     whether items are ranked that no metric looks at, because lists are hardly longer than the cutoffs
    selects_kth, sums_greatest, counts_bits   rm_kth_score, rm_sum_of_greatest and rm_distinct_by_bits say of what
These stand in the request; the others follow:
    multi         whether rows say of which run they are
    item_needs    what metrics need of the items, see rm_item_needs
    labelled      whether the run has grades of its own, or nothing has
    own_truth     whether those are the judgments
    has_subtopics whether items are judged by subtopic
    reads_scores  whether a metric reads the score itself, so that rows carry it
    carried       what judgments say beside the grade and metrics read: propensity, target, amount_purchase ...
    query_keys    the columns that name a query
    row_keys      those that name a list: the query first, so that sorting by them and joining the judgments go together
    result_keys   the same as results have them, the run first
    group_names   names of the group columns
    pair_names    name of the one that says which pair of runs an effect is of, see rm_plan_of_pairs; else empty
    cluster_names name of the column that says which queries belong together, where a result is made with it
    strata_names  name of the column that says in which stratum each is, where arms are compared within strata
    count_names   what is counted beside queries: n_clusters, where there are clusters, and the share of the largest; or
                  that of the largest weight
    weight_names  name of the column with the weights of queries, where a result is made with them; else empty
    covariate_names  name of the column with what effects are adjusted by, where they are; else empty
    attributes    what a column says of each query, {name, relation}: its groups, its cluster and its numbers
    attribute_names  their names
    mixed_names   is_mixed, where queries have groups: whether their rows name two values of one, so that nobody can
                  say which; such a query has no values
    breakdowns    the sets of groups that a summary has rows of, see rm_breakdowns; empty where it has those of all
    has_range     whether a comparison gives the range of effects that unjudged items leave, see rm_ranges
    n_ends        how often effects are tested: as they are, or with the ends of the range, see rm_plan_of_ends
    at_once       whether metrics are added up from the rows of the table itself, see rm_adds_up_at_once
    runs_named    whether the names of the runs are a stage, so that each run is scored on each judged query
    rankings      what the passes are made of, see rm_ranking
    order         the sort keys of all rankings that are columns: {name, column, descending, is_raw}
    counts_faults whether judged items that are there twice, or without a number, are counted: not where check=full has
                  looked at all rows before
    counts_judged whether the judged items among first_items are counted: within 1,000 few are, and nobody minds
    fault_names   the columns that count faults
    basis_names   n_first and n_first_judged, the items of a list within first_items, and the judged ones, where a
                  comparison says what it rests on; else empty
    first_items   how many items of a list those are, see rm_first_items
    stages        names of the stages that all passes share
-#}
{% macro rm_plan(request) %}
{%- set columns = request.runs[0].columns -%}
{%- set multi = request.runs | length > 1 or request.runs[0].name is not none or columns.run_id is not none -%}
{%- set run_keys = ['run_id'] if multi else [] -%}
{%- set query_keys = rankmetrics_sql.rm_query_keys(columns.query_id) -%}
{%- set weights = rankmetrics_sql.rm_numbers_of_queries(request, 'weight', rankmetrics_sql.rm_weighed_levels()) -%}
{%- set covariates = rankmetrics_sql.rm_numbers_of_queries(request, 'covariate', ['sums', 'values', 'compare']) -%}
{%- set clusters = request.groups[-1:] if request.has_cluster and request.level != 'sums' else [] -%}
{%- set strata = request.groups[-1:] if request.has_strata else [] -%}
{%- set groups = request.groups | reject('in', clusters + strata) | list -%}
{%- set attributes = request.groups + weights + covariates -%}
{%- set rankings = rankmetrics_sql.rm_rankings(request) -%}
{%- set order = [] -%}
{%- for ranking in rankings -%}
    {%- for key in ranking.order if key.column -%}
        {%- if key not in order -%}{%- do order.append(key) -%}{%- endif -%}
    {%- endfor -%}
{%- endfor -%}
{%- set needs = [] -%}
{%- for metric in request.metrics -%}{%- do needs.extend(metric.needs) -%}{%- endfor -%}
{%- set looks_at_ranks = request.level in ['summary', 'values'] and request.options.position != 'given' -%}
{%- set first_items = rankmetrics_sql.rm_first_items(request.metrics) -%}
{%- set counts_judged = looks_at_ranks and request.check in ['full', 'judged'] and first_items <= 100
    and request.qrels is not none and rankmetrics_sql.rm_read_first_items(request.metrics) -%}
{%- set counts_faults = request.check == 'judged' -%}
{{ return({
    'level': request.level,
    'runs': request.runs,
    'qrels': request.qrels,
    'human_qrels': request.human_qrels,
    'query_list': request.query_list,
    'catalogue': request.catalogue,
    'metrics': request.metrics,
    'options': request.options,
    'groups': groups,
    'min_queries': request.min_queries,
    'group_order': request.group_order if request.level == 'summary' else none,
    'query_labels': request.query_labels,
    'check': request.check,
    'groups_checked': request.groups_checked,
    'baseline': request.baseline,
    'all_pairs': request.all_pairs,
    'names_of_pairs': request.names_of_pairs,
    'limits': request.limits,
    'relative_limits': [] if request.limits is none else request.relative_limits,
    'caps': request.caps if request.level in ['compare', 'compare_per_query'] else {},
    'shown': request.shown,
    'stored_values': request.stored_values,
    'judging': request.judging,
    'recurses': request.recurses,
    'ranks_all': request.ranks_all,
    'selects_kth': request.selects_kth,
    'sums_greatest': request.sums_greatest,
    'counts_bits': request.counts_bits,
    'multi': multi,
    'item_needs': rankmetrics_sql.rm_item_needs(request.metrics),
    'labelled': columns.relevance is not none or request.qrels is none,
    'own_truth': request.qrels is none,
    'has_judgments': columns.relevance is not none or request.qrels is not none,
    'has_subtopics': request.qrels is not none and request.qrels.columns.subtopic is not none,
    'reads_scores': 'score' in needs,
    'carried': rankmetrics_sql.rm_carried(request.metrics),
    'query_keys': query_keys,
    'row_keys': query_keys + run_keys,
    'result_keys': run_keys + query_keys,
    'group_names': groups | map(attribute='name') | list,
    'pair_names': [],
    'cluster_names': clusters | map(attribute='name') | list,
    'strata_names': strata | map(attribute='name') | list,
    'count_names': ['n_clusters', 'largest_cluster_share'] if clusters
        else ['largest_weight_share'] if weights else [],
    'weight_names': weights | map(attribute='name') | list,
    'covariate_names': covariates | map(attribute='name') | list,
    'attributes': attributes,
    'attribute_names': attributes | map(attribute='name') | list,
    'mixed_names': ['is_mixed'] if request.groups and request.level not in ['points', 'judged', 'movements'] else [],
    'breakdowns': rankmetrics_sql.rm_breakdowns(request, groups),
    'has_range': rankings | selectattr('ranged') | list | length > 0,
    'n_ends': 1,
    'at_once': rankmetrics_sql.rm_adds_up_at_once(request, rankings),
    'runs_named': multi and (request.qrels is not none or request.query_list is not none),
    'rankings': rankings,
    'order': order,
    'counts_faults': counts_faults,
    'counts_judged': counts_judged,
    'fault_names': (['n_faults'] if counts_faults else [])
        + (['n_unweighted'] if weights and request.check != 'none' else [])
        + (['n_judged_first'] if counts_judged else []),
    'basis_names': ['n_first', 'n_first_judged'] if rankmetrics_sql.rm_says_basis(request, multi) else [],
    'first_items': first_items,
    'stages': rankmetrics_sql.rm_plan_stages(),
}) }}
{% endmacro %}

{#- Columns that the weights of queries add. -#}
{% macro rm_weighed_levels() %}
{{ return(['summary', 'curve', 'sums', 'values', 'compare', 'compare_per_query']) }}
{% endmacro %}

{#- A number of queries, {name, relation}, where a result has use for it: one relation has the column. -#}
{% macro rm_numbers_of_queries(request, meaning, levels) %}
{%- set relations = {'run': request.runs[0], 'qrels': request.qrels, 'query_list': request.query_list} -%}
{%- set numbers = [] -%}
{%- for side, input in relations.items() if input is not none and input.columns[meaning] is not none -%}
    {%- do numbers.append({'name': meaning, 'relation': side}) -%}
{%- endfor -%}
{{ return(numbers if request.level in levels else []) }}
{% endmacro %}

{#- The columns of judgments that metrics read beside the grade. -#}
{% macro rm_carried(metrics) %}
{%- set carried = rankmetrics_sql.rm_action_columns(metrics) | map(attribute='name') | list -%}
{%- for meaning in ['propensity', 'target'] -%}
    {%- for metric in metrics -%}
        {%- if meaning in metric.needs and meaning not in carried -%}{%- do carried.append(meaning) -%}{%- endif -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(carried) }}
{% endmacro %}

{#-
The distinct rankings that the metrics ask for, each with its metrics. A comparison with unjudged=bounds has the range
of its effect: values that are compared bring it along; of both values of a query there is none. What to judge next is
made of the same stages.
-#}
{% macro rm_rankings(request) %}
{%- set has_ranges = request.level in ['compare', 'values', 'judge_next'] -%}
{%- set of_metrics = [] -%}
{%- set distinct = [] -%}
{%- for metric in request.metrics -%}
    {%- set ranged = has_ranges and metric.ranking.unjudged == 'bounds' -%}
    {%- set wanted = rankmetrics_sql.rm_wanted_ranking(metric, request.options.rel, ranged) -%}
    {%- do of_metrics.append(wanted) -%}
    {%- if wanted not in distinct -%}{%- do distinct.append(wanted) -%}{%- endif -%}
{%- endfor -%}
{%- set rankings = [] -%}
{%- for wanted in distinct -%}
    {%- set suffix = '_' ~ loop.index if distinct | length > 1 else '' -%}
    {%- set metrics = [] -%}
    {%- for metric in request.metrics -%}
        {%- if of_metrics[loop.index0] == wanted -%}{%- do metrics.append(metric) -%}{%- endif -%}
    {%- endfor -%}
    {%- do rankings.append(rankmetrics_sql.rm_ranking(request, wanted, metrics, suffix)) -%}
{%- endfor -%}
{{ return(rankings) }}
{% endmacro %}

{#-
The choices that make two metrics read different rows.
An unjudged item that counts as relevant just reaches the threshold.
-#}
{% macro rm_wanted_ranking(metric, rel, ranged=false) %}
{%- set options = {} -%}
{%- do options.update(metric.ranking) -%}
{%- if options.unjudged == 'bounds' -%}{%- do options.update({'unjudged': 'nonrelevant'}) -%}{%- endif -%}
{%- set threshold = metric.params.rel if metric.params.rel is defined else rel -%}
{%- set unjudged = options.unjudged -%}
{{ return({
    'options': options,
    'ranged': ranged,
    'all_rows': ranged or 'all_rows' in metric.needs,
    'subtopics': 'subtopics' in metric.needs,
    'universe_rel': threshold if metric.ranking.queries == 'judged_relevant' else none,
    'assumed_grade': threshold if unjudged == 'relevant' else unjudged if unjudged is number else none,
}) }}
{% endmacro %}

{#-
A ranking and what follows from it alone:
    suffix          of its stages; empty where it is the only one
    metrics         those that read it
    options         a value for every option of a ranking
    subtopics       whether its rows are pairs of an item and a subtopic
    universe_rel    the grade that an item of a scored query must have, or none
    assumed_grade   that of an unjudged item, or none
    ranged          whether its metrics are compared with the range of the effect
    all_rows        whether unjudged items are kept
    item_needs      what its metrics need of the items
    truth_of_lists  whether the judgments depend on what was retrieved, so that each list has its own
    truth_suffix    of the stages that are made of the judgments alone
    order           the keys that it is sorted by, most important first
    ranked_by, counted_by, matched_by    what the ranks, the lengths of lists, and the rows that are kept depend on:
                    rankings that agree in it share the stage
-#}
{% macro rm_ranking(request, wanted, metrics, suffix) %}
{%- set options = wanted.options -%}
{%- set assumed = options.unjudged not in ['nonrelevant', 'drop'] -%}
{%- set of_lists = options.judgments == 'retrieved' or (assumed and options.judgments == 'all') -%}
{%- set item_needs = rankmetrics_sql.rm_item_needs(metrics) -%}
{%- set kept = 'nonrelevant' if options.unjudged == 'drop' else options.unjudged -%}
{{ return({
    'suffix': suffix,
    'metrics': metrics,
    'options': options,
    'subtopics': wanted.subtopics,
    'universe_rel': wanted.universe_rel,
    'assumed_grade': wanted.assumed_grade,
    'ranged': wanted.ranged,
    'all_rows': assumed or wanted.all_rows,
    'item_needs': item_needs,
    'truth_of_lists': of_lists,
    'truth_suffix': '_of_lists' ~ suffix if of_lists else '_subtopics' if wanted.subtopics else '',
    'order': rankmetrics_sql.rm_order_keys(request, options),
    'ranked_by': [options.ties, options.score_type],
    'counted_by': [options.depth, suffix if options.unjudged == 'drop' else ''],
    'matched_by': [
        options.ties, options.score_type, kept, wanted.assumed_grade, wanted.all_rows, wanted.subtopics, item_needs,
        wanted.ranged,
    ],
}) }}
{% endmacro %}

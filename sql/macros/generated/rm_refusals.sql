{#- Generated from refusals.toml by `python -m dev.generate`. -#}

{% macro rm_refusal(of, known) %}
{%- if of == 'metric' -%}
    {%- set ap_denominator = known.get('ap_denominator') | string | lower -%}
    {%- set k = known.get('k') | string | lower -%}
    {%- set ideal_depth = known.get('ideal_depth') | string | lower -%}
    {%- set ties = known.get('ties') | string | lower -%}
    {%- set reads_ranks = known.get('reads_ranks') | string | lower -%}
    {%- set takes = known.get('takes') or [] -%}
    {%- set gain_falls = known.get('gain_falls') | string | lower -%}
    {%- set depth = known.get('depth') | string | lower -%}
    {%- set is_beyond = known.get('is_beyond') | string | lower -%}
    {%- set divides_by_judgments = known.get('divides_by_judgments') | string | lower -%}
    {%- set precision_denominator = known.get('precision_denominator') | string | lower -%}
    {%- set rbp_gain = known.get('rbp_gain') | string | lower -%}
    {%- if ap_denominator == 'k' and k == 'none' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': ap_denominator=k needs a cutoff, such as " ~ known.get('name') ~ '@10.') }}
    {%- endif -%}
    {%- if ideal_depth == 'all_relevant' and k == 'none' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': ideal_depth=all_relevant needs a cutoff, such as " ~ known.get('name') ~ '@10.') }}
    {%- endif -%}
    {%- if ideal_depth == 'all_relevant' and known.get('k') is number and known.get('k') > 100000 -%}
        {{ return("Metric '" ~ known.get('label') ~ "': ideal_depth=all_relevant needs a cutoff of at most 100000.") }}
    {%- endif -%}
    {%- if known.get('min_rel') is number and known.get('max_rel') is number and known.get('min_rel') >= known.get('max_rel') -%}
        {{ return("Metric '" ~ known.get('label') ~ "': min_rel must be below max_rel, but " ~ known.get('min_rel') ~ ' is not below ' ~ known.get('max_rel') ~ '.') }}
    {%- endif -%}
    {%- if ties == 'expected' and reads_ranks == 'true' and 'ties' not in takes -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' has no expected value over ties here. Take another order of ties, such as ties=item_asc.') }}
    {%- endif -%}
    {%- if ties in ['best', 'worst'] and reads_ranks == 'true' and gain_falls == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': ties=best and ties=worst order by grade, but a higher grade does not have a higher gain. Take another order of ties, such as ties=item_asc.") }}
    {%- endif -%}
    {%- if ties in ['best', 'worst'] and ap_denominator == 'retrieved_relevant' and k != 'none' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': with a cutoff, ties=best and ties=worst need another ap_denominator than retrieved_relevant. Take ap_denominator=relevant.") }}
    {%- endif -%}
    {%- if ties == 'expected' and reads_ranks == 'true' and ap_denominator == 'retrieved_relevant' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': ties=expected has no closed form for ap_denominator=retrieved_relevant. Take ap_denominator=relevant.") }}
    {%- endif -%}
    {%- if ties == 'expected' and reads_ranks == 'true' and depth != 'none' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': ties=expected and depth exclude each other, because depth could cut a group of ties. Give the metric a cutoff.") }}
    {%- endif -%}
    {%- if (is_beyond == 'true' and divides_by_judgments == 'true')
        or (is_beyond == 'true' and precision_denominator == 'min_k_relevant')
        or (is_beyond == 'true' and rbp_gain == 'scaled') -%}
        {{ return("Metric '" ~ known.get('label') ~ "': judgments=given leaves out the items that unjudged=" ~ known.get('unjudged') ~ ' assumes relevant, so ' ~ known.get('name') ~ ' would divide by fewer items than it counts. Take judgments=all or unjudged=nonrelevant.') }}
    {%- endif -%}
{%- elif of == 'value' -%}
    {%- set shape = known.get('shape') | string | lower -%}
    {%- set of_lists = known.get('of_lists') | string | lower -%}
    {%- set aggregate = known.get('aggregate') | string | lower -%}
    {%- if shape == 'curve' -%}
        {{ return("Metric '" ~ known.get('label') ~ "' is a curve, not a number. Use rankmetrics curve.") }}
    {%- endif -%}
    {%- if of_lists == 'true' and aggregate != 'lists' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' is one value of all queries together, so it has no ' ~ known.get('aggregate') ~ '. Omit aggregate.') }}
    {%- endif -%}
{%- elif of == 'statement' -%}
    {%- set no_relevant = known.get('no_relevant') | string | lower -%}
    {%- set ties = known.get('ties') | string | lower -%}
    {%- if no_relevant == 'error' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': no_relevant=error needs an evaluation, because a statement cannot raise an error. Take null or skip.") }}
    {%- endif -%}
    {%- if ties == 'input' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': ties=input needs an order of rows, and a table has none. Take ties=rank and name the column with the order.") }}
    {%- endif -%}
{%- elif of == 'inputs' -%}
    {%- set unjudged = known.get('unjudged') | string | lower -%}
    {%- set is_labelled = known.get('is_labelled') | string | lower -%}
    {%- set has_judgments = known.get('has_judgments') | string | lower -%}
    {%- set reads_judgments = known.get('reads_judgments') | string | lower -%}
    {%- set has_items = known.get('has_items') | string | lower -%}
    {%- set needs = known.get('needs') or [] -%}
    {%- set has_popularity = known.get('has_popularity') | string | lower -%}
    {%- set has_categories = known.get('has_categories') | string | lower -%}
    {%- set has_scores = known.get('has_scores') | string | lower -%}
    {%- set has_position = known.get('has_position') | string | lower -%}
    {%- set ties = known.get('ties') | string | lower -%}
    {%- set position = known.get('position') | string | lower -%}
    {%- set strategy = known.get('strategy') | string | lower -%}
    {%- set has_n_relevant = known.get('has_n_relevant') | string | lower -%}
    {%- set has_own_rel = known.get('has_own_rel') | string | lower -%}
    {%- set all_ties = known.get('all_ties') or [] -%}
    {%- set is_named_twice = known.get('is_named_twice') | string | lower -%}
    {%- set name = known.get('name') | string | lower -%}
    {%- set queries = known.get('queries') | string | lower -%}
    {%- set has_subtopics = known.get('has_subtopics') | string | lower -%}
    {%- set judgments = known.get('judgments') | string | lower -%}
    {%- set recurses = known.get('recurses') | string | lower -%}
    {%- set k = known.get('k') | string | lower -%}
    {%- set score_type = known.get('score_type') | string | lower -%}
    {%- set without_float32 = known.get('without_float32') | string | lower -%}
    {%- if unjudged == 'bounds' and is_labelled == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': in a comparison unjudged=bounds needs judgments of their own, so that both runs share them. Pass the judgments as qrels, or take unjudged=nonrelevant.") }}
    {%- endif -%}
    {%- if has_judgments == 'false' and reads_judgments == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' needs judgments, and you passed none. Pass judgments, or omit the metric.') }}
    {%- endif -%}
    {%- if has_items == 'false' and ('in_catalogue' in needs or 'popularity' in needs or 'categories' in needs) -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' needs the catalogue of items. To pass it, give ' ~ known.get('items_relation', 'items_relation') ~ '.') }}
    {%- endif -%}
    {%- if has_popularity == 'false' and 'popularity' in needs -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' needs the popularity of items. Name the column of the catalogue: ' ~ known.get('popularity_column', 'popularity_column') ~ '.') }}
    {%- endif -%}
    {%- if has_categories == 'false' and 'categories' in needs -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' needs the categories of items. Name the column of the catalogue: ' ~ known.get('category_column', 'category_column') ~ '.') }}
    {%- endif -%}
    {%- if has_scores == 'some' -%}
        {{ return('Some runs have scores, and others only positions. Name the position of all runs: ' ~ known.get('position_column', 'position_column') ~ '.') }}
    {%- endif -%}
    {%- if has_scores == 'none' and has_position == 'false' -%}
        {{ return('The run has a column for scores and one for positions, and only one can order it. Name one of them: ' ~ known.get('score_column', 'score_column') ~ ' or ' ~ known.get('position_column', 'position_column') ~ '.') }}
    {%- endif -%}
    {%- if ties == 'rank' and has_position == 'false' -%}
        {{ return('ties=rank needs the column that orders ties. Name it: ' ~ known.get('position_column', 'position_column') ~ '.') }}
    {%- endif -%}
    {%- if position == 'given' and has_scores != 'none' -%}
        {{ return('position=given needs positions, and the run has scores. Name the column of positions: ' ~ known.get('position_column', 'position_column') ~ '.') }}
    {%- endif -%}
    {%- if position == 'given' and strategy == 'count' -%}
        {{ return('position=given keeps the positions that strategy=count would compute. To number the items instead, pass position=dense.') }}
    {%- endif -%}
    {%- if position == 'given' and unjudged == 'drop' -%}
        {{ return('position=given keeps the gaps that unjudged=drop would close. To number the items instead, pass position=dense.') }}
    {%- endif -%}
    {%- if position == 'given' and ties not in ['item_desc', 'item_asc'] -%}
        {{ return('position=given has no ties that ties=' ~ known.get('ties') ~ ' could order. To number the items instead, pass position=dense.') }}
    {%- endif -%}
    {%- if 'score' in needs and has_scores == 'none' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': the score is the predicted rating, but the run has only positions. Name the column of scores: " ~ known.get('score_column', 'score_column') ~ '.') }}
    {%- endif -%}
    {%- if has_n_relevant == 'true' and has_own_rel == 'true' -%}
        {{ return('n_relevant counts the relevant items for one threshold, but the metrics have several. Set rel for all metrics together.') }}
    {%- endif -%}
    {%- if ties == 'rank' and 'input' in all_ties -%}
        {{ return('ties=rank and ties=input exclude each other, because a run has one column of positions. Pass one of them.') }}
    {%- endif -%}
    {%- if is_named_twice == 'true' -%}
        {{ return('The runs already have names, so run_id has no effect. Omit run_id, or pass one table with several runs.') }}
    {%- endif -%}
    {%- if 'propensity' in needs and unjudged not in ['nonrelevant', 'drop'] -%}
        {{ return("Metric '" ~ known.get('label') ~ "': an unjudged item has no propensity. Take unjudged=nonrelevant or unjudged=drop.") }}
    {%- endif -%}
    {%- if 'propensity' in needs and has_n_relevant == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': the relevant items beyond the list have no propensity. Omit n_relevant.") }}
    {%- endif -%}
    {%- if name == 'zero_results' and queries in ['retrieved', 'judged_retrieved'] -%}
        {{ return("Metric '" ~ known.get('label') ~ "': queries=" ~ known.get('queries') ~ ' leaves out every query without a result. Pass queries=judged.') }}
    {%- endif -%}
    {%- if is_labelled == 'true' and has_subtopics == 'true' -%}
        {{ return('A labelled table has one grade for each item, but yours has a subtopic. Pass judgments by subtopic beside a run.') }}
    {%- endif -%}
    {%- if 'subtopics' in needs and is_labelled == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "' needs subtopics, and a labelled table has none. Pass a run, and judgments with subtopics.") }}
    {%- endif -%}
    {%- if 'subtopics' in needs and has_subtopics == 'false' -%}
        {{ return("Metric '" ~ known.get('label') ~ "' needs the subtopic of each judgment. Name the column: " ~ known.get('subtopic_column', 'subtopic_column') ~ '.') }}
    {%- endif -%}
    {%- if 'subtopics' in needs and unjudged not in ['nonrelevant', 'drop'] -%}
        {{ return("Metric '" ~ known.get('label') ~ "': an unjudged item has no subtopic. Take unjudged=nonrelevant or unjudged=drop.") }}
    {%- endif -%}
    {%- if 'subtopics' in needs and ties in ['best', 'worst'] -%}
        {{ return("Metric '" ~ known.get('label') ~ "': ties=" ~ known.get('ties') ~ ' needs one grade for each item, not a grade for each subtopic. Take ties=item_asc.') }}
    {%- endif -%}
    {%- if 'subtopics' in needs and judgments != 'all' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': judgments=" ~ known.get('judgments') ~ ' does not work with subtopics. Take judgments=all.') }}
    {%- endif -%}
    {%- if ('greedy_ideal' in needs and recurses == 'false' and k == 'none')
        or ('greedy_ideal' in needs and recurses == 'false' and known.get('k') is number and known.get('k') > 20) -%}
        {{ return("Metric '" ~ known.get('label') ~ "': an ideal ranking of all items needs a recursion that this engine lacks. DuckDB and PostgreSQL have it. Here give alpha_ndcg and nerr_ia a cutoff of at most 20.") }}
    {%- endif -%}
    {%- if score_type == 'float32' and without_float32 != 'none' and has_scores != 'none' -%}
        {{ return('score_type=float32: ' ~ known.get('without_float32') ~ ' has no 32-bit floats. Omit score_type.') }}
    {%- endif -%}
{%- elif of == 'comparison' -%}
    {%- set of_lists = known.get('of_lists') | string | lower -%}
    {%- set unjudged = known.get('unjudged') | string | lower -%}
    {%- set name = known.get('name') | string | lower -%}
    {%- set aggregate = known.get('aggregate') | string | lower -%}
    {%- set design = known.get('design') | string | lower -%}
    {%- set is_all_pairs = known.get('is_all_pairs') | string | lower -%}
    {%- set ties = known.get('ties') | string | lower -%}
    {%- set judgments = known.get('judgments') | string | lower -%}
    {%- set ideal_depth = known.get('ideal_depth') | string | lower -%}
    {%- set gain_has_sign = known.get('gain_has_sign') | string | lower -%}
    {%- set gain_falls = known.get('gain_falls') | string | lower -%}
    {%- set k = known.get('k') | string | lower -%}
    {%- set precision_denominator = known.get('precision_denominator') | string | lower -%}
    {%- set rbp_gain = known.get('rbp_gain') | string | lower -%}
    {%- set no_relevant = known.get('no_relevant') | string | lower -%}
    {%- set test = known.get('test') | string | lower -%}
    {%- set relative_interval = known.get('relative_interval') | string | lower -%}
    {%- if of_lists == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' is one value of all queries together, so there are no values to compare. Use ' ~ known.get('summary', 'summary') ~ ' for the value of each run.') }}
    {%- endif -%}
    {%- if unjudged == 'bounds' and name not in ['p', 'r', 'cg', 'dcg', 'ndcg', 'rbp', 'rr', 'success'] -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds has no range of the effect for " ~ known.get('name') ~ '. It has one for p, r, cg, dcg, ndcg, rbp, rr and success. Omit the metric, or take unjudged=nonrelevant.') }}
    {%- endif -%}
    {%- if unjudged == 'bounds' and aggregate not in ['mean', 'sum'] -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds gives the range of a mean or a sum over queries, not of aggregate=" ~ known.get('aggregate') ~ '. Take aggregate=mean.') }}
    {%- endif -%}
    {%- if unjudged == 'bounds' and design == 'unpaired' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds gives an item the same grade in both runs, and design=unpaired has no pairs of lists. Take unjudged=nonrelevant.") }}
    {%- endif -%}
    {%- if unjudged == 'bounds' and is_all_pairs == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds needs one baseline. Take unjudged=nonrelevant, or use compare().") }}
    {%- endif -%}
    {%- if (unjudged == 'bounds' and ties in ['best', 'worst'])
        or (unjudged == 'bounds' and ties == 'expected' and name in ['rr', 'success']) -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds has no range for ties=" ~ known.get('ties') ~ '. Take another order of ties, such as ties=item_asc.') }}
    {%- endif -%}
    {%- if unjudged == 'bounds' and judgments in ['given', 'retrieved'] -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds adds the items to the judgments, and judgments=" ~ known.get('judgments') ~ ' leaves them out. Take judgments=all.') }}
    {%- endif -%}
    {%- if unjudged == 'bounds' and name == 'ndcg' and ideal_depth in ['present', 'min_k_retrieved'] -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds needs the same ideal ranking for both runs, and with ideal_depth=" ~ known.get('ideal_depth') ~ ' each has its own. Take ideal_depth=min_k.') }}
    {%- endif -%}
    {%- if (unjudged == 'bounds' and gain_has_sign == 'true')
        or (unjudged == 'bounds' and gain_falls == 'true') -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds needs gains that begin at 0 for grade 0 and do not fall. Take gain=linear, or another map.") }}
    {%- endif -%}
    {%- if unjudged == 'bounds' and name == 'p' and k == 'none' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds needs a cutoff, such as p@10.") }}
    {%- endif -%}
    {%- if unjudged == 'bounds' and name == 'p' and precision_denominator in ['min_k_retrieved', 'min_k_relevant'] -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds has no range for precision_denominator=" ~ known.get('precision_denominator') ~ '. Take precision_denominator=k.') }}
    {%- endif -%}
    {%- if unjudged == 'bounds' and name == 'rbp' and rbp_gain == 'scaled' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds has no range for rbp_gain=scaled. Take rbp_gain=binary.") }}
    {%- endif -%}
    {%- if unjudged == 'bounds' and name in ['ndcg', 'rbp'] and no_relevant == '1' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds has no range for no_relevant=" ~ known.get('no_relevant') ~ '. Take no_relevant=skip.') }}
    {%- endif -%}
    {%- if aggregate == 'median' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': a comparison needs means or sums over queries, not a median. Take aggregate=mean.") }}
    {%- endif -%}
    {%- if aggregate == 'parts' and test != 't' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': test=" ~ known.get('test') ~ ' needs a value for each query, and this is one value of all queries together. Take test=t, or aggregate=mean.') }}
    {%- endif -%}
    {%- if (aggregate == 'geometric' and known.get('margin') is number and known.get('margin') > 0)
        or (aggregate == 'geometric' and known.get('limit') is number and known.get('limit') > 0) -%}
        {{ return("Metric '" ~ known.get('label') ~ "': geometric means are compared by their ratio, but a margin is a difference of means. Take aggregate=mean.") }}
    {%- endif -%}
    {%- if aggregate == 'geometric' and test == 't' and relative_interval == 'linear' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': geometric means are compared by the logarithm of their ratio, so relative_interval=linear has no meaning. Omit it, or take aggregate=mean.") }}
    {%- endif -%}
{%- elif of == 'decomposition' -%}
    {%- set of_lists = known.get('of_lists') | string | lower -%}
    {%- set aggregate = known.get('aggregate') | string | lower -%}
    {%- if of_lists == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' is one value of all queries together, so segments do not contribute to it. Use ' ~ known.get('summary', 'summary') ~ ' for the value of each run.') }}
    {%- endif -%}
    {%- if aggregate != 'mean' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': decompose splits the difference of two means, and this is no mean (aggregate=" ~ known.get('aggregate') ~ '). Take aggregate=mean.') }}
    {%- endif -%}
{%- elif of == 'sums' -%}
    {%- set of_lists = known.get('of_lists') | string | lower -%}
    {%- set aggregate = known.get('aggregate') | string | lower -%}
    {%- if of_lists == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' is one value of all queries together, which cannot be added up over groups. Omit the metric.') }}
    {%- endif -%}
    {%- if aggregate in ['median', 'min', 'max', 'parts'] -%}
        {{ return("Metric '" ~ known.get('label') ~ "': its " ~ known.get('aggregate') ~ ' is not a sum over queries. Take aggregate=mean.') }}
    {%- endif -%}
{%- elif of == 'weighted' -%}
    {%- set aggregate = known.get('aggregate') | string | lower -%}
    {%- set shape = known.get('shape') | string | lower -%}
    {%- if aggregate in ['median', 'min', 'max', 'parts'] -%}
        {{ return("Metric '" ~ known.get('label') ~ "': its " ~ known.get('aggregate') ~ ' cannot weight the queries. Take aggregate=mean, or leave ' ~ known.get('weight_column', 'weight_column') ~ ' out.') }}
    {%- endif -%}
    {%- if shape == 'curve' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': each query has its own points, which cannot be weighted. Omit " ~ known.get('weight_column', 'weight_column') ~ '.') }}
    {%- endif -%}
{%- elif of == 'values' -%}
    {%- set of_lists = known.get('of_lists') | string | lower -%}
    {%- if of_lists == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' is one value of all queries together, which cannot be computed from values per query. Omit the metric.') }}
    {%- endif -%}
{%- elif of == 'column' -%}
    {%- set is_taken = known.get('is_taken') | string | lower -%}
    {%- set column = known.get('column') | string | lower -%}
    {%- set result = known.get('result') | string | lower -%}
    {%- set has_rollup = known.get('has_rollup') | string | lower -%}
    {%- set has_weight = known.get('has_weight') | string | lower -%}
    {%- set interval = known.get('interval') | string | lower -%}
    {%- set has_covariate = known.get('has_covariate') | string | lower -%}
    {%- set test = known.get('test') | string | lower -%}
    {%- if (is_taken == 'true')
        or (column == 'run_id')
        or (result == 'evaluation' and column in ['metric', 'value', 'n_queries', 'n_faults'])
        or (has_rollup == 'true' and column in ['breakdown', 'total'])
        or (has_weight == 'true' and result == 'evaluation' and column in ['sum_of_weights', 'n_unweighted'])
        or (interval != 'none' and result == 'evaluation' and column in ['standard_error', 'ci_lower', 'ci_upper'])
        or (has_weight == 'true' and result == 'sums' and column in ['denominator_sum', 'denominator_sum_squares', 'main_denominator_sum_product'])
        or (has_covariate == 'true' and result == 'sums' and column in ['covariate_sum', 'covariate_sum_squares', 'main_covariate_sum_product'])
        or (has_covariate == 'true' and result == 'compare' and column == 'variance_reduction')
        or (has_weight == 'true' and result == 'compare' and column == 'n_unweighted')
        or (result == 'sums' and column in ['metric', 'users', 'main_sum', 'main_sum_squares'])
        or (result == 'compare' and column in ['run', 'baseline_run', 'metric', 'baseline', 'candidate', 'test', 'statistic'])
        or (result == 'compare' and column in ['effect_low', 'effect_high'])
        or (result == 'compare' and column in ['effect_size', 'effect_size_ci_lower', 'effect_size_ci_upper', 'std_effect_size'])
        or (result == 'compare' and column in ['rel_effect_size', 'rel_effect_size_ci_lower', 'rel_effect_size_ci_upper'])
        or (result == 'compare' and column in ['standard_error', 'pvalue', 'pvalue_adj', 'significant', 'prob_superiority'])
        or (result == 'compare' and column in ['verdict', 'reason', 'confidence_level', 'alternative', 'correction', 'margin'])
        or (result == 'compare' and column in ['n_queries', 'n_higher', 'n_ties', 'n_lower', 'n_left_out', 'n_units'])
        or (result == 'compare' and column in ['judged_baseline', 'judged_candidate'])
        or (result == 'compare' and test in ['sign', 'wilcoxon', 'randomisation'] and column == 'method')
        or (result == 'decompose' and column in ['run', 'baseline_run', 'metric', 'baseline', 'candidate', 'n_baseline', 'n_candidate'])
        or (result == 'decompose' and column in ['ranking', 'mix', 'entered_or_left', 'contribution'])
        or (result == 'movements' and column in ['run', 'baseline_run', 'item_id', 'baseline_rank', 'candidate_rank', 'movement', 'relevance'])
        or (result == 'curve' and column in ['x', 'y', 'n_queries', 'n_faults']) -%}
        {{ return("The result would have two columns called '" ~ known.get('column') ~ "'. Rename yours in a query.") }}
    {%- endif -%}
{%- elif of == 'period' -%}
    {%- set period = known.get('period') | string | lower -%}
    {%- set zone = known.get('zone') | string | lower -%}
    {%- set n_times = known.get('n_times') | string | lower -%}
    {%- set has_periods = known.get('has_periods') | string | lower -%}
    {%- set has_zones = known.get('has_zones') | string | lower -%}
    {%- if period == 'none' and zone != 'none' -%}
        {{ return('timezone has no effect without a period. Pass period, too: day, week or month.') }}
    {%- endif -%}
    {%- if period == 'none' and known.get('n_times') is number and known.get('n_times') > 0 -%}
        {{ return(known.get('time_column', 'time_column') ~ ' has no effect without a period. Pass period, too: day, week or month.') }}
    {%- endif -%}
    {%- if period not in ['none', 'day', 'week', 'month'] -%}
        {{ return("period must be day, week or month, not '" ~ known.get('period') ~ "'.") }}
    {%- endif -%}
    {%- if period in ['day', 'week', 'month'] and n_times == '0' -%}
        {{ return('period needs the column with the time. Name it: ' ~ known.get('time_column', 'time_column') ~ '.') }}
    {%- endif -%}
    {%- if period in ['day', 'week', 'month'] and known.get('n_times') is number and known.get('n_times') > 1 -%}
        {{ return('Several columns are named as the time, but only one can be. Name one: ' ~ known.get('time_column', 'time_column') ~ '.') }}
    {%- endif -%}
    {%- if period in ['day', 'week', 'month'] and has_periods == 'false' -%}
        {{ return('period does not work in this engine. Compute the day in a column, and break down by that column.') }}
    {%- endif -%}
    {%- if period in ['day', 'week', 'month'] and zone not in ['none', 'utc'] and has_zones == 'false' -%}
        {{ return('timezone=' ~ known.get('zone') ~ ' does not work in this engine. Compute the local time in a query, and omit timezone.') }}
    {%- endif -%}
{%- elif of == 'agreement' -%}
    {%- set impute = known.get('impute') | string | lower -%}
    {%- if impute != 'none' -%}
        {{ return('impute=' ~ known.get('impute') ~ ' has no effect on agreement, which compares the grades that exist. Omit it.') }}
    {%- endif -%}
{%- elif of == 'tested' -%}
    {%- set max_grade = known.get('max_grade') | string | lower -%}
    {%- set has_range = known.get('has_range') | string | lower -%}
    {%- set is_all_pairs = known.get('is_all_pairs') | string | lower -%}
    {%- set design = known.get('design') | string | lower -%}
    {%- set alternative = known.get('alternative') | string | lower -%}
    {%- set is_per_query = known.get('is_per_query') | string | lower -%}
    {%- set test = known.get('test') | string | lower -%}
    {%- set has_cluster = known.get('has_cluster') | string | lower -%}
    {%- set has_weight = known.get('has_weight') | string | lower -%}
    {%- set has_covariate = known.get('has_covariate') | string | lower -%}
    {%- set has_limits = known.get('has_limits') | string | lower -%}
    {%- set has_relative_limits = known.get('has_relative_limits') | string | lower -%}
    {%- set power = known.get('power') | string | lower -%}
    {%- set interval_level = known.get('interval_level') | string | lower -%}
    {%- set sequential = known.get('sequential') | string | lower -%}
    {%- set bootstrap_interval = known.get('bootstrap_interval') | string | lower -%}
    {%- set relative_interval = known.get('relative_interval') | string | lower -%}
    {%- set correction = known.get('correction') | string | lower -%}
    {%- if max_grade != 'none' and has_range == 'false' -%}
        {{ return('max_grade=' ~ known.get('max_grade') ~ ' is for the range of an effect. Pass unjudged=bounds, too, or omit it.') }}
    {%- endif -%}
    {%- if is_all_pairs == 'true' and design == 'unpaired' -%}
        {{ return('Runs are compared query by query in all pairs. Take design=paired, or use compare() for arms.') }}
    {%- endif -%}
    {%- if is_all_pairs == 'true' and alternative != 'two_sided' -%}
        {{ return('alternative=' ~ known.get('alternative') ~ ' needs one baseline. Take alternative=two_sided, or use compare().') }}
    {%- endif -%}
    {%- if is_per_query == 'true' and design == 'unpaired' -%}
        {{ return('design=unpaired has no pairs of values. For the value of each query pass level=values.') }}
    {%- endif -%}
    {%- if design == 'paired' and test in ['mann_whitney', 'brunner_munzel'] -%}
        {{ return('test=' ~ known.get('test') ~ ' needs arms, whose queries differ: design=unpaired. For pairs there are t, wilcoxon, sign, randomisation and bootstrap.') }}
    {%- endif -%}
    {%- if design == 'unpaired' and test in ['wilcoxon', 'sign'] -%}
        {{ return('test=' ~ known.get('test') ~ ' needs pairs, and design=unpaired has none. For arms there are t, mann_whitney, brunner_munzel, randomisation and bootstrap.') }}
    {%- endif -%}
    {%- if test in ['wilcoxon', 'sign', 'mann_whitney', 'brunner_munzel'] and has_cluster == 'true' -%}
        {{ return('test=' ~ known.get('test') ~ ' counts each query on its own. With ' ~ known.get('cluster_column', 'cluster_column') ~ ' there are t, randomisation and bootstrap.') }}
    {%- endif -%}
    {%- if has_weight == 'true' and test in ['wilcoxon', 'sign', 'mann_whitney', 'brunner_munzel', 'randomisation', 'bootstrap'] -%}
        {{ return(known.get('weight_column', 'weight_column') ~ ' makes a weighted mean, but test=' ~ known.get('test') ~ ' counts all queries alike. Take test=t.') }}
    {%- endif -%}
    {%- if has_weight == 'true' and has_covariate == 'true' -%}
        {{ return(known.get('weight_column', 'weight_column') ~ ' makes a ratio, which needs a second covariate. Leave ' ~ known.get('covariate_column', 'covariate_column') ~ ' or ' ~ known.get('weight_column', 'weight_column') ~ ' out.') }}
    {%- endif -%}
    {%- if has_covariate == 'true' and design == 'paired' -%}
        {{ return(known.get('covariate_column', 'covariate_column') ~ ' needs arms, whose queries differ: design=unpaired. Both values of a pair have the same covariate, so it cannot change their difference.') }}
    {%- endif -%}
    {%- if has_covariate == 'true' and test != 't' -%}
        {{ return(known.get('covariate_column', 'covariate_column') ~ ' adjusts the means that t compares, and has no effect on test=' ~ known.get('test') ~ '. Take test=t.') }}
    {%- endif -%}
    {%- if alternative in ['greater', 'less', 'equivalence'] and known.get('confidence_level') is number and known.get('confidence_level') < 0.5 -%}
        {{ return('confidence_level=' ~ known.get('confidence_level') ~ ' with alternative=' ~ known.get('alternative') ~ ' gives an interval without the effect. Pass a level of at least 0.5.') }}
    {%- endif -%}
    {%- if has_limits == 'true' and known.get('margin') is number and known.get('margin') > 0 -%}
        {{ return('limits= contains a margin for each metric and tests both sides. Leave margin=' ~ known.get('margin') ~ ' and alternative=' ~ known.get('alternative') ~ ' out.') }}
    {%- endif -%}
    {%- if has_limits == 'true' and alternative in ['greater', 'less', 'equivalence'] -%}
        {{ return('limits= tests both sides. Leave alternative=' ~ known.get('alternative') ~ ' out.') }}
    {%- endif -%}
    {%- if has_limits == 'true' and test in ['wilcoxon', 'sign', 'mann_whitney', 'brunner_munzel'] -%}
        {{ return('test=' ~ known.get('test') ~ ' compares queries, but limits= allows a loss of the mean. Take test=t.') }}
    {%- endif -%}
    {%- if known.get('greatest_limit') is number and known.get('greatest_limit') > 0 and test != 't' -%}
        {{ return('A limit of ' ~ known.get('greatest_limit') ~ ' is tested by t alone, and not by test=' ~ known.get('test') ~ '. Take test=t.') }}
    {%- endif -%}
    {%- if has_relative_limits == 'true' and has_covariate == 'true' and test == 't' -%}
        {{ return('A margin in % of the baseline needs its value as measured, and ' ~ known.get('covariate_column', 'covariate_column') ~ ' adjusts it. Pass a margin without %, or leave ' ~ known.get('covariate_column', 'covariate_column') ~ ' out.') }}
    {%- endif -%}
    {%- if has_relative_limits == 'true' and has_range == 'true' -%}
        {{ return('unjudged=bounds gives the range of a difference, and a margin in % also needs that of the baseline. Pass a margin without %.') }}
    {%- endif -%}
    {%- if known.get('margin') is number and known.get('margin') > 0 and alternative == 'two_sided' -%}
        {{ return('margin=' ~ known.get('margin') ~ ' needs a side: alternative=greater tests whether the effect is above -' ~ known.get('margin') ~ ', alternative=less whether it is below ' ~ known.get('margin') ~ ', alternative=equivalence whether it is between both.') }}
    {%- endif -%}
    {%- if known.get('margin') is number and known.get('margin') < 1e-12 and alternative == 'equivalence' -%}
        {{ return('alternative=equivalence tests whether two runs differ by less than a margin. Pass the largest difference that does not matter, such as margin=0.01.') }}
    {%- endif -%}
    {%- if power != 'none' and alternative == 'equivalence' -%}
        {{ return('power=' ~ known.get('power') ~ ' plans to find a difference, but alternative=equivalence looks for none. Leave power=' ~ known.get('power') ~ ' out.') }}
    {%- endif -%}
    {%- if known.get('margin') is number and known.get('margin') > 0 and test != 't' -%}
        {{ return('margin=' ~ known.get('margin') ~ ' is tested by t alone, and not by test=' ~ known.get('test') ~ '. Take test=t.') }}
    {%- endif -%}
    {%- if (interval_level == 'corrected' and test == 'bootstrap')
        or (interval_level == 'corrected' and sequential != 'none') -%}
        {{ return("interval_level=corrected needs Student's t. test=bootstrap and sequential use the confidence_level. Leave it out, or both of these.") }}
    {%- endif -%}
    {%- if bootstrap_interval == 'bca' and test != 'bootstrap' -%}
        {{ return('bootstrap_interval=' ~ known.get('bootstrap_interval') ~ ' needs bootstrap intervals: test=bootstrap. With test=' ~ known.get('test') ~ " the intervals are by Student's t.") }}
    {%- endif -%}
    {%- if bootstrap_interval == 'bca' and test == 'bootstrap' and design == 'unpaired' -%}
        {{ return('bootstrap_interval=bca works with pairs and with a summary, not with arms. Take bootstrap_interval=percentile.') }}
    {%- endif -%}
    {%- if relative_interval == 'linear' and test == 'bootstrap' -%}
        {{ return("relative_interval=linear needs Student's t. test=bootstrap resamples the ratio itself. Leave one of them out.") }}
    {%- endif -%}
    {%- if interval_level == 'corrected' and correction == 'none' -%}
        {{ return('interval_level=corrected takes its level from the correction of the p-values, and correction=none corrects nothing. Leave it out.') }}
    {%- endif -%}
    {%- if (sequential != 'none' and alternative != 'two_sided')
        or (sequential != 'none' and test != 't')
        or (sequential != 'none' and power != 'none') -%}
        {{ return('sequential=' ~ known.get('sequential') ~ ' has its own intervals and p-values, which are two-sided. Omit alternative, test and power.') }}
    {%- endif -%}
{%- elif of == 'shares' -%}
    {%- set design = known.get('design') | string | lower -%}
    {%- if design == 'paired' -%}
        {{ return('shares= needs arms, whose queries differ. Pass design=unpaired, too.') }}
    {%- endif -%}
{%- elif of == 'breakdown' -%}
    {%- set has_rollup = known.get('has_rollup') | string | lower -%}
    {%- set has_groups = known.get('has_groups') | string | lower -%}
    {%- set is_summary = known.get('is_summary') | string | lower -%}
    {%- set unknown = known.get('unknown') | string | lower -%}
    {%- set min_queries = known.get('min_queries') | string | lower -%}
    {%- set is_count = known.get('is_count') | string | lower -%}
    {%- set has_weight = known.get('has_weight') | string | lower -%}
    {%- set is_weighed = known.get('is_weighed') | string | lower -%}
    {%- set has_cluster = known.get('has_cluster') | string | lower -%}
    {%- set is_clustered = known.get('is_clustered') | string | lower -%}
    {%- set has_covariate = known.get('has_covariate') | string | lower -%}
    {%- set is_adjusted = known.get('is_adjusted') | string | lower -%}
    {%- set is_sums = known.get('is_sums') | string | lower -%}
    {%- set interval = known.get('interval') | string | lower -%}
    {%- set is_one_run = known.get('is_one_run') | string | lower -%}
    {%- set bootstrap_interval = known.get('bootstrap_interval') | string | lower -%}
    {%- set is_decomposition = known.get('is_decomposition') | string | lower -%}
    {%- set is_movements = known.get('is_movements') | string | lower -%}
    {%- set design = known.get('design') | string | lower -%}
    {%- set is_curve = known.get('is_curve') | string | lower -%}
    {%- set power = known.get('power') | string | lower -%}
    {%- set sequential = known.get('sequential') | string | lower -%}
    {%- set test = known.get('test') | string | lower -%}
    {%- if has_rollup == 'true' and has_groups == 'false' -%}
        {{ return('rollup adds subtotals of groups, and there are no groups. Name columns: ' ~ known.get('group_by', 'group_by') ~ '.') }}
    {%- endif -%}
    {%- if has_rollup == 'true' and is_summary == 'false' -%}
        {{ return('rollup works only with a summary. Omit it.') }}
    {%- endif -%}
    {%- if unknown != 'none' -%}
        {{ return('rollup: ' ~ known.get('unknown') ~ ' is not one of the columns to break down by, ' ~ known.get('groups') ~ '.') }}
    {%- endif -%}
    {%- if min_queries != 'none' and is_count == 'false' -%}
        {{ return('min_queries is a whole number of at least 1, not ' ~ known.get('min_queries') ~ '.') }}
    {%- endif -%}
    {%- if min_queries != 'none' and has_groups == 'false' -%}
        {{ return('min_queries leaves out small groups, and there are no groups. Name columns: ' ~ known.get('group_by', 'group_by') ~ '.') }}
    {%- endif -%}
    {%- if min_queries != 'none' and is_summary == 'false' -%}
        {{ return('min_queries works only with a summary. ' ~ known.get('summary', 'summary') ~ ' takes it, and comparisons do not. Omit it.') }}
    {%- endif -%}
    {%- if has_weight == 'true' and is_weighed == 'false' -%}
        {{ return(known.get('weight_column', 'weight_column') ~ ' works only with a summary, a curve, a comparison, sums or values. Omit it.') }}
    {%- endif -%}
    {%- if has_cluster == 'true' and is_clustered == 'false' -%}
        {{ return(known.get('cluster_column', 'cluster_column') ~ ' works only with a comparison, sums, values, or a summary with an interval. Elsewhere, break down by the column.') }}
    {%- endif -%}
    {%- if has_covariate == 'true' and is_adjusted == 'false' -%}
        {{ return(known.get('covariate_column', 'covariate_column') ~ ' works only with a comparison of arms, and with the sums and values for one. Omit it.') }}
    {%- endif -%}
    {%- if has_covariate == 'true' and has_weight == 'true' and is_sums == 'true' -%}
        {{ return(known.get('covariate_column', 'covariate_column') ~ ' adjusts a mean, but ' ~ known.get('weight_column', 'weight_column') ~ ' makes it a ratio, which needs a second covariate. Leave one of them out.') }}
    {%- endif -%}
    {%- if interval != 'none' and is_one_run == 'false' -%}
        {{ return('interval=' ~ known.get('interval') ~ ' works only with a summary. A comparison always has intervals, and nothing else has any. Omit it.') }}
    {%- endif -%}
    {%- if bootstrap_interval != 'percentile' and is_one_run == 'true' and interval != 'bootstrap' -%}
        {{ return('bootstrap_interval=' ~ known.get('bootstrap_interval') ~ ' needs bootstrap intervals. Pass interval=bootstrap, too.') }}
    {%- endif -%}
    {%- if is_decomposition == 'true' and has_groups == 'false' -%}
        {{ return('decompose shows which segments a difference comes from, and there are no segments. Name columns: ' ~ known.get('group_by', 'group_by') ~ '.') }}
    {%- endif -%}
    {%- if is_movements == 'true' and has_groups == 'true' -%}
        {{ return('movements cannot be broken down by ' ~ known.get('groups') ~ '. Omit the columns.') }}
    {%- endif -%}
    {%- if (is_summary == 'true' and design == 'unpaired')
        or (is_curve == 'true' and design == 'unpaired') -%}
        {{ return('design=' ~ known.get('design') ~ ' works only with compare. Omit it.') }}
    {%- endif -%}
    {%- if (is_summary == 'true' and known.get('margin') is number and known.get('margin') > 0)
        or (is_curve == 'true' and known.get('margin') is number and known.get('margin') > 0) -%}
        {{ return('margin=' ~ known.get('margin') ~ ' works only with compare. Omit it.') }}
    {%- endif -%}
    {%- if (is_summary == 'true' and power != 'none')
        or (is_curve == 'true' and power != 'none') -%}
        {{ return('power=' ~ known.get('power') ~ ' works only with compare. Omit it.') }}
    {%- endif -%}
    {%- if (is_summary == 'true' and sequential != 'none')
        or (is_curve == 'true' and sequential != 'none') -%}
        {{ return('sequential=' ~ known.get('sequential') ~ " works only with compare. For a summary's intervals pass interval=t.") }}
    {%- endif -%}
    {%- if (is_summary == 'true' and test != 't')
        or (is_decomposition == 'true' and test != 't')
        or (is_movements == 'true' and test != 't') -%}
        {{ return('test=' ~ known.get('test') ~ ' works only with compare. A summary, a decomposition and movements test nothing. Omit it.') }}
    {%- endif -%}
    {%- if is_curve == 'true' and test != 't' -%}
        {{ return('test=' ~ known.get('test') ~ ' works only with compare. A curve tests nothing. Omit it.') }}
    {%- endif -%}
{%- elif of == 'curve' -%}
    {%- set of_lists = known.get('of_lists') | string | lower -%}
    {%- set unjudged = known.get('unjudged') | string | lower -%}
    {%- set no_relevant = known.get('no_relevant') | string | lower -%}
    {%- if of_lists == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' is one value of all queries together, so it has no curve. Evaluate it at several cutoffs: ' ~ known.get('name') ~ '@5, ' ~ known.get('name') ~ '@10.') }}
    {%- endif -%}
    {%- if unjudged == 'bounds' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds gives two curves. Take nonrelevant, then relevant.") }}
    {%- endif -%}
    {%- if no_relevant == 'error' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': no_relevant=error is for single numbers, not for a curve. Take null or skip.") }}
    {%- endif -%}
{%- elif of == 'movements' -%}
    {%- set is_count = known.get('is_count') | string | lower -%}
    {%- set ties = known.get('ties') | string | lower -%}
    {%- set aggregate = known.get('aggregate') | string | lower -%}
    {%- if is_count == 'false' -%}
        {{ return('movements: k is a whole number of at least 1, not ' ~ known.get('k') ~ '.') }}
    {%- endif -%}
    {%- if ties == 'expected' -%}
        {{ return('movements: with ties=expected an item has no single rank. Take another order of ties, such as ties=item_asc.') }}
    {%- endif -%}
    {%- if aggregate != 'declared' -%}
        {{ return('movements: aggregate=' ~ known.get('aggregate') ~ ' has no effect on items. Omit it.') }}
    {%- endif -%}
{%- elif of == 'explanation' -%}
    {%- set of_lists = known.get('of_lists') | string | lower -%}
    {%- set shape = known.get('shape') | string | lower -%}
    {%- set no_relevant = known.get('no_relevant') | string | lower -%}
    {%- set unjudged = known.get('unjudged') | string | lower -%}
    {%- if of_lists == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' is one value of all queries together. Pass explain a metric with a value for each query.') }}
    {%- endif -%}
    {%- if shape == 'curve' -%}
        {{ return("Metric '" ~ known.get('label') ~ "' is a curve, not a number. Pass a metric with one value for each query.") }}
    {%- endif -%}
    {%- if no_relevant == 'error' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': explain cannot compare with no_relevant=error. Take no_relevant=null or no_relevant=skip.") }}
    {%- endif -%}
    {%- if unjudged == 'bounds' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': unjudged=bounds gives two values, and explain compares one. Take nonrelevant or relevant.") }}
    {%- endif -%}
{%- elif of == 'function' -%}
    {%- set of_lists = known.get('of_lists') | string | lower -%}
    {%- set needs = known.get('needs') or [] -%}
    {%- set shape = known.get('shape') | string | lower -%}
    {%- set unjudged = known.get('unjudged') | string | lower -%}
    {%- if of_lists == 'true' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' is one value of all queries together, and a function returns a value for each query. Omit the metric.') }}
    {%- endif -%}
    {%- if ('in_catalogue' in needs or 'popularity' in needs or 'categories' in needs) -%}
        {{ return("Metric '" ~ known.get('label') ~ "': " ~ known.get('name') ~ ' reads a catalogue of items, but a function has only a run and judgments. Omit the metric.') }}
    {%- endif -%}
    {%- if shape == 'curve' -%}
        {{ return("Metric '" ~ known.get('label') ~ "' is a curve: it has points, not a value for each query. Pass a metric with one value for each query.") }}
    {%- endif -%}
    {%- if unjudged == 'bounds' -%}
        {{ return('unjudged=bounds gives three values, and a function returns one. Take nonrelevant or relevant.') }}
    {%- endif -%}
{%- elif of == 'view' -%}
    {%- set no_relevant = known.get('no_relevant') | string | lower -%}
    {%- if no_relevant == 'error' -%}
        {{ return("Metric '" ~ known.get('label') ~ "': no_relevant=error needs an evaluation, because a view cannot raise an error. Take null or skip.") }}
    {%- endif -%}
{%- endif -%}
{{ return(none) }}
{% endmacro %}

{% macro rm_python_arguments() %}
{{ return({
    'time_column': "columns={'time': ...}",
    'group_by': 'by=[...]',
    'summary': 'evaluate',
    'weight_column': 'weight=',
    'cluster_column': 'cluster=',
    'covariate_column': 'covariate=',
    'score_column': "columns={'score': ...}",
    'position_column': "columns={'position': ...}",
    'subtopic_column': "columns={'qrels.subtopic': ...}",
    'items_relation': 'items=...',
    'popularity_column': "columns={'items.popularity': ...}",
    'category_column': "columns={'items.category': ...}",
}) }}
{% endmacro %}

{#- What dbt calls them, as its macros take columns by their meanings, too. -#}
{% macro rm_dbt_arguments() %}
{{ return({
    'time_column': "columns={'time': ...}",
    'score_column': "columns={'score': ...}",
    'position_column': "columns={'position': ...}",
    'subtopic_column': "columns={'qrels.subtopic': ...}",
    'popularity_column': "columns={'items.popularity': ...}",
    'category_column': "columns={'items.category': ...}",
}) }}
{% endmacro %}

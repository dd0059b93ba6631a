{#- Generated from refusals.toml by `python -m dev.generate`. -#}

{% macro rm_known_refusals() %}
{{ return(fromjson('{
    "metric": [
        {"when": [{"ap_denominator": {"is": ["k"]}, "k": {"is": ["none"]}}], "message": "Metric \'{label}\': ap_denominator=k needs a cutoff, such as {name}@10."},
        {"when": [{"ideal_depth": {"is": ["all_relevant"]}, "k": {"is": ["none"]}}], "message": "Metric \'{label}\': ideal_depth=all_relevant needs a cutoff, such as {name}@10."},
        {"when": [{"ideal_depth": {"is": ["all_relevant"]}, "k": {"above": 100000}}], "message": "Metric \'{label}\': ideal_depth=all_relevant needs a cutoff of at most 100000."},
        {"when": [{"min_rel": {"min": "max_rel"}}], "message": "Metric \'{label}\': min_rel must be below max_rel, but {min_rel} is not below {max_rel}."},
        {"when": [{"ties": {"is": ["expected"]}, "reads_ranks": {"is": ["true"]}, "takes": {"not": ["ties"]}}], "message": "Metric \'{label}\': {name} has no expected value over ties here; choose an order of equal scores."},
        {"when": [{"ties": {"is": ["best", "worst"]}, "reads_ranks": {"is": ["true"]}, "gain_falls": {"is": ["true"]}}], "message": "Metric \'{label}\': ties=best and ties=worst order by grade, and the gains do not rise with it."},
        {"when": [{"ties": {"is": ["best", "worst"]}, "ap_denominator": {"is": ["retrieved_relevant"]}, "k": {"not": ["none"]}}], "message": "Metric \'{label}\': ties=best and ties=worst need another ap_denominator than retrieved_relevant where there is a cutoff."},
        {"when": [{"ties": {"is": ["expected"]}, "reads_ranks": {"is": ["true"]}, "ap_denominator": {"is": ["retrieved_relevant"]}}], "message": "Metric \'{label}\': ties=expected has no closed form for ap_denominator=retrieved_relevant."},
        {"when": [{"ties": {"is": ["expected"]}, "reads_ranks": {"is": ["true"]}, "depth": {"not": ["none"]}}], "message": "Metric \'{label}\': ties=expected and depth exclude each other: a group of equal scores would be cut. Give the metric a cutoff."},
        {"when": [{"is_beyond": {"is": ["true"]}, "divides_by_judgments": {"is": ["true"]}}, {"is_beyond": {"is": ["true"]}, "precision_denominator": {"is": ["min_k_relevant"]}}, {"is_beyond": {"is": ["true"]}, "rbp_gain": {"is": ["scaled"]}}], "message": "Metric \'{label}\': judgments=given leaves out what unjudged={unjudged} assumes, and {name} would be a share of less than it counts; take judgments=all or unjudged=nonrelevant."}
    ],
    "value": [
        {"when": [{"shape": {"is": ["curve"]}}], "message": "Metric \'{label}\' is a curve, not a number: see rankmetrics curve."},
        {"when": [{"of_lists": {"is": ["true"]}, "aggregate": {"not": ["lists"]}}], "message": "Metric \'{label}\': {name} is one value of all lists together, of which there is no {aggregate}."}
    ],
    "statement": [
        {"when": [{"no_relevant": {"is": ["error"]}}], "message": "Metric \'{label}\': no_relevant=error needs an evaluation; a statement cannot refuse. Take null or skip."},
        {"when": [{"ties": {"is": ["input"]}}], "message": "Metric \'{label}\': ties=input: a table has no order. Take ties=rank and name the column that has it."}
    ],
    "inputs": [
        {"when": [{"has_judgments": {"is": ["false"]}, "reads_judgments": {"is": ["true"]}}], "message": "Metric \'{label}\': {name} reads judgments, and there are none."},
        {"when": [{"has_items": {"is": ["false"]}, "needs": {"is": ["in_catalogue", "popularity", "categories"]}}], "message": "Metric \'{label}\': {name} reads the catalogue of items; give items_relation."},
        {"when": [{"has_popularity": {"is": ["false"]}, "needs": {"is": ["popularity"]}}], "message": "Metric \'{label}\': {name} reads how popular items are; name the column of the catalogue: popularity_column."},
        {"when": [{"has_categories": {"is": ["false"]}, "needs": {"is": ["categories"]}}], "message": "Metric \'{label}\': {name} reads the categories of items; name the column of the catalogue: category_column."},
        {"when": [{"has_scores": {"is": ["some"]}}], "message": "Some runs have scores and some have positions only; name a position for all: position_column."},
        {"when": [{"has_scores": {"is": ["none"]}, "has_position": {"is": ["false"]}}], "message": "A run has scores or positions; name one of them: score_column or position_column."},
        {"when": [{"ties": {"is": ["rank"]}, "has_position": {"is": ["false"]}}], "message": "ties=rank needs the column that orders equal scores; name it: position_column."},
        {"when": [{"position": {"is": ["given"]}, "has_scores": {"not": ["none"]}}], "message": "position=given needs a run with positions instead of scores; name them: position_column."},
        {"when": [{"position": {"is": ["given"]}, "strategy": {"is": ["count"]}}], "message": "position=given keeps the places that strategy=count would find; position=dense numbers the items."},
        {"when": [{"position": {"is": ["given"]}, "unjudged": {"is": ["drop"]}}], "message": "position=given keeps the gaps that unjudged=drop would close; position=dense numbers the items."},
        {"when": [{"position": {"is": ["given"]}, "ties": {"not": ["item_desc", "item_asc"]}}], "message": "position=given has no equal scores that ties={ties} could order; position=dense numbers the items."},
        {"when": [{"needs": {"is": ["score"]}, "has_scores": {"is": ["none"]}}], "message": "Metric \'{label}\': the score is the predicted rating, and the run has positions only; name it: score_column."},
        {"when": [{"has_n_relevant": {"is": ["true"]}, "has_own_rel": {"is": ["true"]}}], "message": "n_relevant says how many items are relevant for one threshold; set rel for all metrics, not for one."},
        {"when": [{"ties": {"is": ["rank"]}, "all_ties": {"is": ["input"]}}], "message": "ties=rank and ties=input exclude each other: a run has one column of places."},
        {"when": [{"is_named_twice": {"is": ["true"]}}], "message": "Runs have names already; a run_id column tells the systems of one table apart."},
        {"when": [{"needs": {"is": ["propensity"]}, "unjudged": {"not": ["nonrelevant", "drop"]}}], "message": "Metric \'{label}\': an unjudged item has no propensity; take unjudged=nonrelevant or unjudged=drop."},
        {"when": [{"needs": {"is": ["propensity"]}, "has_n_relevant": {"is": ["true"]}}], "message": "Metric \'{label}\': the relevant items beyond the list have no propensity; leave n_relevant out."},
        {"when": [{"is_labelled": {"is": ["true"]}, "has_subtopics": {"is": ["true"]}}], "message": "A labelled table has one grade an item; judgments by subtopic go with a run."},
        {"when": [{"needs": {"is": ["subtopics"]}, "is_labelled": {"is": ["true"]}}], "message": "Metric \'{label}\': a labelled table has no subtopics; score a run against qrels that have."},
        {"when": [{"needs": {"is": ["subtopics"]}, "has_subtopics": {"is": ["false"]}}], "message": "Metric \'{label}\': the qrels must say for which subtopic an item is judged; name the column: subtopic_column."},
        {"when": [{"needs": {"is": ["subtopics"]}, "unjudged": {"not": ["nonrelevant", "drop"]}}], "message": "Metric \'{label}\': an unjudged item has no subtopic to be relevant to; take unjudged=nonrelevant or unjudged=drop."},
        {"when": [{"needs": {"is": ["subtopics"]}, "ties": {"is": ["best", "worst"]}}], "message": "Metric \'{label}\': ties={ties} needs one grade an item."},
        {"when": [{"needs": {"is": ["subtopics"]}, "judgments": {"not": ["all"]}}], "message": "Metric \'{label}\': judgments={judgments} is not for subtopics; take judgments=all."},
        {"when": [{"needs": {"is": ["greedy_ideal"]}, "recurses": {"is": ["false"]}, "k": {"is": ["none"]}}, {"needs": {"is": ["greedy_ideal"]}, "recurses": {"is": ["false"]}, "k": {"above": 20}}], "message": "Metric \'{label}\': an ideal ranking of all items needs a recursion that DuckDB and PostgreSQL have, but not this engine; it can do alpha_ndcg and nerr_ia with a cutoff of at most 20."}
    ],
    "comparison": [
        {"when": [{"of_lists": {"is": ["true"]}}], "message": "Metric \'{label}\': {name} is one value of all lists together and no query has its own, so there is nothing to compare; evaluate gives the value of each run."},
        {"when": [{"aggregate": {"is": ["median"]}}], "message": "Metric \'{label}\': a comparison is of means or sums over queries, and a median is none; take aggregate=mean."},
        {"when": [{"aggregate": {"is": ["parts"]}, "test": {"not": ["t"]}}], "message": "Metric \'{label}\': test={test} is of values of queries, and this is one of all queries together; take test=t, or aggregate=mean."},
        {"when": [{"aggregate": {"is": ["geometric"]}, "margin": {"above": 0}}, {"aggregate": {"is": ["geometric"]}, "limit": {"above": 0}}], "message": "Metric \'{label}\': geometric means are compared by their ratio, and what may be lost is a difference of means; take aggregate=mean."},
        {"when": [{"aggregate": {"is": ["geometric"]}, "test": {"is": ["t"]}, "relative_interval": {"is": ["linear"]}}], "message": "Metric \'{label}\': geometric means are compared by the logarithm of their ratio, and relative_interval=linear is not; leave it out, or take aggregate=mean."}
    ],
    "decomposition": [
        {"when": [{"of_lists": {"is": ["true"]}}], "message": "Metric \'{label}\': {name} is one value of all lists together and no query has its own, so groups of queries have no part in it; evaluate gives the value of each run."},
        {"when": [{"aggregate": {"not": ["mean"]}}], "message": "Metric \'{label}\': decompose splits the difference of two means, and this is none (aggregate={aggregate}); take aggregate=mean."}
    ],
    "sums": [
        {"when": [{"of_lists": {"is": ["true"]}}], "message": "Metric \'{label}\': {name} is one value of all lists together, which does not add up over groups."},
        {"when": [{"aggregate": {"is": ["median", "min", "max", "parts"]}}], "message": "Metric \'{label}\': its {aggregate} is not made of sums over queries; take aggregate=mean."}
    ],
    "weighted": [
        {"when": [{"aggregate": {"is": ["median", "min", "max", "parts"]}}], "message": "Metric \'{label}\': its {aggregate} has no weights of queries; take aggregate=mean, or leave weight_column out."},
        {"when": [{"shape": {"is": ["curve"]}}], "message": "Metric \'{label}\': its points are those of each list, which nothing weighs; leave weight_column out."}
    ],
    "values": [
        {"when": [{"of_lists": {"is": ["true"]}}], "message": "Metric \'{label}\': {name} is one value of all lists together, which cannot be made of values per query."}
    ],
    "column": [
        {"when": [{"is_taken": {"is": ["true"]}}, {"column": {"is": ["run_id"]}}, {"result": {"is": ["evaluation"]}, "column": {"is": ["metric", "value", "n_queries", "n_faults", "n_ties_cut"]}}, {"has_rollup": {"is": ["true"]}, "column": {"is": ["breakdown", "total"]}}, {"has_weight": {"is": ["true"]}, "result": {"is": ["evaluation"]}, "column": {"is": ["sum_of_weights", "n_unweighted"]}}, {"interval": {"not": ["none"]}, "result": {"is": ["evaluation"]}, "column": {"is": ["standard_error", "ci_lower", "ci_upper"]}}, {"has_weight": {"is": ["true"]}, "result": {"is": ["sums"]}, "column": {"is": ["denominator_sum", "denominator_sum_squares", "main_denominator_sum_product"]}}, {"has_covariate": {"is": ["true"]}, "result": {"is": ["sums"]}, "column": {"is": ["covariate_sum", "covariate_sum_squares", "main_covariate_sum_product"]}}, {"has_covariate": {"is": ["true"]}, "result": {"is": ["compare"]}, "column": {"is": ["variance_reduction"]}}, {"has_weight": {"is": ["true"]}, "result": {"is": ["compare"]}, "column": {"is": ["n_unweighted"]}}, {"result": {"is": ["sums"]}, "column": {"is": ["metric", "users", "main_sum", "main_sum_squares"]}}, {"result": {"is": ["compare"]}, "column": {"is": ["run", "baseline_run", "metric", "baseline", "candidate", "test", "statistic"]}}, {"result": {"is": ["compare"]}, "column": {"is": ["effect_size", "effect_size_ci_lower", "effect_size_ci_upper", "std_effect_size"]}}, {"result": {"is": ["compare"]}, "column": {"is": ["rel_effect_size", "rel_effect_size_ci_lower", "rel_effect_size_ci_upper"]}}, {"result": {"is": ["compare"]}, "column": {"is": ["standard_error", "pvalue", "pvalue_adj", "significant", "prob_superiority"]}}, {"result": {"is": ["compare"]}, "column": {"is": ["verdict", "confidence_level", "alternative", "correction", "margin"]}}, {"result": {"is": ["compare"]}, "column": {"is": ["n_queries", "n_higher", "n_ties", "n_lower", "n_left_out", "n_units"]}}, {"result": {"is": ["compare"]}, "test": {"is": ["sign", "wilcoxon", "randomisation"]}, "column": {"is": ["method"]}}, {"result": {"is": ["decompose"]}, "column": {"is": ["run", "baseline_run", "metric", "baseline", "candidate", "n_baseline", "n_candidate"]}}, {"result": {"is": ["decompose"]}, "column": {"is": ["ranking", "mix", "entered_or_left", "contribution"]}}, {"result": {"is": ["movements"]}, "column": {"is": ["run", "baseline_run", "item_id", "baseline_rank", "candidate_rank", "movement", "relevance"]}}, {"result": {"is": ["curve"]}, "column": {"is": ["x", "y", "n_queries", "n_faults", "n_ties_cut"]}}], "message": "A column called \'{column}\' would stand twice in the result; rename it in a query."}
    ],
    "period": [
        {"when": [{"period": {"is": ["none"]}, "zone": {"not": ["none"]}}], "message": "timezone is for a period: day, week or month."},
        {"when": [{"period": {"is": ["none"]}, "n_times": {"above": 0}}], "message": "time_column is for a period: day, week or month."},
        {"when": [{"period": {"not": ["none", "day", "week", "month"]}}], "message": "period is day, week or month, not {period}."},
        {"when": [{"period": {"is": ["day", "week", "month"]}, "n_times": {"is": ["0"]}}], "message": "period needs the column with the time; name it: time_column."},
        {"when": [{"period": {"is": ["day", "week", "month"]}, "n_times": {"above": 1}}], "message": "The time is one column of one relation; name it once: time_column."},
        {"when": [{"period": {"is": ["day", "week", "month"]}, "has_periods": {"is": ["false"]}}], "message": "period is not known of this engine; compute the day in a column and break down by it."},
        {"when": [{"period": {"is": ["day", "week", "month"]}, "zone": {"not": ["none", "utc"]}, "has_zones": {"is": ["false"]}}], "message": "timezone={zone}: this engine has no time zones to rely on; compute the local time in a query and leave timezone out."}
    ],
    "tested": [
        {"when": [{"design": {"is": ["paired"]}, "test": {"is": ["mann_whitney"]}}], "message": "test=mann_whitney is of arms that have queries of their own: design=unpaired. Of pairs there are t, wilcoxon, sign, randomisation and bootstrap."},
        {"when": [{"design": {"is": ["unpaired"]}, "test": {"is": ["wilcoxon", "sign"]}}], "message": "test={test} is of pairs, and design=unpaired has none. Of arms there are t, mann_whitney, randomisation and bootstrap."},
        {"when": [{"test": {"is": ["wilcoxon", "sign", "mann_whitney"]}, "has_cluster": {"is": ["true"]}}], "message": "test={test} takes each query for itself; with cluster_column there are t, randomisation and bootstrap."},
        {"when": [{"has_weight": {"is": ["true"]}, "test": {"is": ["wilcoxon", "sign", "mann_whitney", "randomisation", "bootstrap"]}}], "message": "weight_column makes a weighted mean, whose error t takes; test={test} is of queries that count alike. Take test=t."},
        {"when": [{"has_weight": {"is": ["true"]}, "has_covariate": {"is": ["true"]}}], "message": "weight_column makes a ratio, which takes a covariate of its denominator too. Leave covariate_column or weight_column out."},
        {"when": [{"has_covariate": {"is": ["true"]}, "design": {"is": ["paired"]}}], "message": "covariate_column is of arms that have queries of their own: design=unpaired. Both values of a pair have the same covariate, so that their difference stays what it is."},
        {"when": [{"has_covariate": {"is": ["true"]}, "test": {"not": ["t"]}}], "message": "covariate_column adjusts the means that t compares; test={test} is not adjusted by it. Take test=t."},
        {"when": [{"alternative": {"is": ["greater", "less", "equivalence"]}, "confidence_level": {"below": 0.5}}], "message": "confidence_level={confidence_level} with alternative={alternative} asks for an interval that ends beyond the effect; the level is at least 0.5 there."},
        {"when": [{"has_limits": {"is": ["true"]}, "margin": {"above": 0}}], "message": "Losses that are allowed have a margin of their own and are tested on both sides. Leave margin={margin} and alternative={alternative} out."},
        {"when": [{"has_limits": {"is": ["true"]}, "alternative": {"is": ["greater", "less", "equivalence"]}}], "message": "Losses that are allowed are tested on both sides. Leave alternative={alternative} out."},
        {"when": [{"has_limits": {"is": ["true"]}, "test": {"is": ["wilcoxon", "sign", "mann_whitney"]}}], "message": "test={test} speaks of queries, and a loss that is allowed is one of a mean. Take test=t."},
        {"when": [{"greatest_limit": {"above": 0}, "test": {"not": ["t"]}}], "message": "A loss of {greatest_limit} that is allowed moves the mean that t tests; test={test} has no such place. Take test=t."},
        {"when": [{"margin": {"above": 0}, "alternative": {"is": ["two_sided"]}}], "message": "margin={margin} needs a side: alternative=greater asks whether the effect is above -{margin}, alternative=less whether it is below {margin}, alternative=equivalence whether it is between both."},
        {"when": [{"margin": {"below": 1e-12}, "alternative": {"is": ["equivalence"]}}], "message": "alternative=equivalence asks whether two runs differ by less than a margin. Pass the largest difference that does not matter, such as margin=0.01."},
        {"when": [{"power": {"not": ["none"]}, "alternative": {"is": ["equivalence"]}}], "message": "power={power} plans for a difference that is to be found, and alternative=equivalence is to find none. Leave power={power} out."},
        {"when": [{"margin": {"above": 0}, "test": {"not": ["t"]}}], "message": "margin={margin} moves the mean that t tests; test={test} has no such place. Take test=t."},
        {"when": [{"interval_level": {"is": ["corrected"]}, "test": {"is": ["bootstrap"]}}, {"interval_level": {"is": ["corrected"]}, "sequential": {"not": ["none"]}}], "message": "interval_level=corrected is for intervals by Student\'s t; those of test=bootstrap and of sequential are at the confidence_level. Leave it out, or both of these."},
        {"when": [{"bootstrap_interval": {"is": ["bca"]}, "test": {"not": ["bootstrap"]}}], "message": "bootstrap_interval={bootstrap_interval} is of intervals by drawing the queries again: test=bootstrap; those of test={test} are by Student\'s t."},
        {"when": [{"bootstrap_interval": {"is": ["bca"]}, "test": {"is": ["bootstrap"]}, "design": {"is": ["unpaired"]}}], "message": "bootstrap_interval=bca is of pairs, and of the values of a summary; arms that have queries of their own have percentiles."},
        {"when": [{"relative_interval": {"is": ["linear"]}, "test": {"is": ["bootstrap"]}}], "message": "relative_interval=linear is for intervals by Student\'s t; test=bootstrap draws the ratio itself, and its relative interval is that of the draws. Leave one of them out."},
        {"when": [{"interval_level": {"is": ["corrected"]}, "correction": {"is": ["none"]}}], "message": "interval_level=corrected takes the level from the correction of the p-values, and correction=none is none."},
        {"when": [{"sequential": {"not": ["none"]}, "alternative": {"not": ["two_sided"]}}, {"sequential": {"not": ["none"]}, "test": {"not": ["t"]}}, {"sequential": {"not": ["none"]}, "power": {"not": ["none"]}}], "message": "sequential={sequential} has intervals and p-values of its own, which are two-sided; leave alternative, test and power out."}
    ],
    "breakdown": [
        {"when": [{"has_rollup": {"is": ["true"]}, "has_groups": {"is": ["false"]}}], "message": "rollup adds rows for fewer groups, and there are none; name columns: group_by."},
        {"when": [{"has_rollup": {"is": ["true"]}, "is_summary": {"is": ["false"]}}], "message": "rollup is for a summary: nothing else has totals."},
        {"when": [{"unknown": {"not": ["none"]}}], "message": "rollup: {unknown} is none of the columns to break down by, which are {groups}."},
        {"when": [{"min_queries": {"not": ["none"]}, "is_count": {"is": ["false"]}}], "message": "min_queries is a whole number of at least 1, not {min_queries}."},
        {"when": [{"min_queries": {"not": ["none"]}, "has_groups": {"is": ["false"]}}], "message": "min_queries leaves out groups, and there are none; name columns: group_by."},
        {"when": [{"min_queries": {"not": ["none"]}, "is_summary": {"is": ["false"]}}], "message": "min_queries is for a summary: nothing else counts queries of groups."},
        {"when": [{"has_weight": {"is": ["true"]}, "is_weighed": {"is": ["false"]}}], "message": "weight_column is for a summary, a curve, a comparison, sums or values: nothing else is made with weights."},
        {"when": [{"has_cluster": {"is": ["true"]}, "is_clustered": {"is": ["false"]}}], "message": "cluster_column is for what has errors, a comparison or a summary with an interval, and for sums and values; elsewhere it is a column to break down by."},
        {"when": [{"has_covariate": {"is": ["true"]}, "is_adjusted": {"is": ["false"]}}], "message": "covariate_column is for a comparison of arms, and for sums and values, of which one is made: nothing else is adjusted by it."},
        {"when": [{"has_covariate": {"is": ["true"]}, "has_weight": {"is": ["true"]}, "is_sums": {"is": ["true"]}}], "message": "covariate_column is of a mean, and weight_column makes it a ratio, which takes a covariate of its denominator too; sums are of one of them."},
        {"when": [{"interval": {"not": ["none"]}, "is_one_run": {"is": ["false"]}}], "message": "interval={interval} is for a summary; a comparison has intervals of its own, and nothing else has any."},
        {"when": [{"bootstrap_interval": {"not": ["percentile"]}, "is_one_run": {"is": ["true"]}, "interval": {"not": ["bootstrap"]}}], "message": "bootstrap_interval={bootstrap_interval} is of intervals by drawing the queries again: interval=bootstrap."},
        {"when": [{"is_decomposition": {"is": ["true"]}, "has_groups": {"is": ["false"]}}], "message": "decompose says which groups a difference comes from, and there are none; name columns: group_by."},
        {"when": [{"is_movements": {"is": ["true"]}, "has_groups": {"is": ["true"]}}], "message": "movements are of queries and items: nothing is broken down by {groups}."},
        {"when": [{"is_summary": {"is": ["true"]}, "design": {"is": ["unpaired"]}}, {"is_curve": {"is": ["true"]}, "design": {"is": ["unpaired"]}}], "message": "design={design} is of compare: runs that are not compared have no pairs and no arms."},
        {"when": [{"is_summary": {"is": ["true"]}, "margin": {"above": 0}}, {"is_curve": {"is": ["true"]}, "margin": {"above": 0}}], "message": "margin={margin} is of compare: without a difference there is none that it would be allowed."},
        {"when": [{"is_summary": {"is": ["true"]}, "power": {"not": ["none"]}}, {"is_curve": {"is": ["true"]}, "power": {"not": ["none"]}}], "message": "power={power} is of compare: without a difference there is none to be found."},
        {"when": [{"is_summary": {"is": ["true"]}, "sequential": {"not": ["none"]}}, {"is_curve": {"is": ["true"]}, "sequential": {"not": ["none"]}}], "message": "sequential={sequential} is of compare, whose intervals it makes hold at any time; those of a summary are by interval=."},
        {"when": [{"is_summary": {"is": ["true"]}, "test": {"not": ["t"]}}, {"is_decomposition": {"is": ["true"]}, "test": {"not": ["t"]}}, {"is_movements": {"is": ["true"]}, "test": {"not": ["t"]}}], "message": "test={test} is of compare: a summary, a decomposition and movements test nothing."},
        {"when": [{"is_curve": {"is": ["true"]}, "test": {"not": ["t"]}}], "message": "test={test} is of compare: a curve tests nothing."}
    ],
    "curve": [
        {"when": [{"of_lists": {"is": ["true"]}}], "message": "Metric \'{label}\': {name} is one value of all lists together; evaluate it at several cutoffs instead: {name}@5, {name}@10."},
        {"when": [{"unjudged": {"is": ["bounds"]}}], "message": "Metric \'{label}\': unjudged=bounds gives two curves; take nonrelevant, then relevant."},
        {"when": [{"no_relevant": {"is": ["error"]}}], "message": "Metric \'{label}\': no_relevant=error is for single numbers; a curve takes null or skip."}
    ],
    "movements": [
        {"when": [{"is_count": {"is": ["false"]}}], "message": "movements: k is a whole number of at least 1, not {k}."},
        {"when": [{"ties": {"is": ["expected"]}}], "message": "movements: with ties=expected an item has no one rank; choose an order of equal scores, such as ties=item_asc."},
        {"when": [{"aggregate": {"not": ["declared"]}}], "message": "movements: aggregate={aggregate} is for metrics, and items are no values that could be brought together."}
    ],
    "explanation": [
        {"when": [{"of_lists": {"is": ["true"]}}], "message": "Metric \'{label}\': {name} is one value of all lists together; explain takes a metric that queries have a value of."},
        {"when": [{"shape": {"is": ["curve"]}}], "message": "Metric \'{label}\' is a curve, not a number."},
        {"when": [{"no_relevant": {"is": ["error"]}}], "message": "Metric \'{label}\': explain takes another no_relevant than error."},
        {"when": [{"unjudged": {"is": ["bounds"]}}], "message": "Metric \'{label}\': unjudged=bounds gives two values; explain takes one of nonrelevant and relevant."}
    ],
    "function": [
        {"when": [{"of_lists": {"is": ["true"]}}], "message": "Metric \'{label}\': {name} is one value of all lists together; a function gives a value for each query."},
        {"when": [{"needs": {"is": ["in_catalogue", "popularity", "categories"]}}], "message": "Metric \'{label}\': {name} reads a catalogue of items, and a function has a run and judgments only."},
        {"when": [{"shape": {"is": ["curve"]}}], "message": "Metric \'{label}\': a curve has points, not a value for each query."},
        {"when": [{"unjudged": {"is": ["bounds"]}}], "message": "unjudged=bounds gives three values, and a function has one; take nonrelevant or relevant."}
    ],
    "view": [
        {"when": [{"no_relevant": {"is": ["error"]}}], "message": "Metric \'{label}\': no_relevant=error needs an evaluation; a view cannot refuse. Take null or skip."}
    ]
}')) }}
{% endmacro %}

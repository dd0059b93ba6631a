{#- What a request may not say. -#}

{#- The first of the rules that holds; each is [words, whether it holds], in the order and the words of Python's query.py. -#}
{% macro rm_refuse(where, rules) %}
{%- for rule in rules if rule[1] -%}{{ exceptions.raise_compiler_error('rankmetrics_sql: ' ~ where ~ rule[0]) }}{%- endfor -%}
{% endmacro %}

{#- Options and a run that contradict each other. -#}
{% macro rm_check_inputs(options, metrics, columns, labelled) %}
{%- set given = options.position == 'given' -%}
{%- set ties = [] -%}
{%- set dropped = [] -%}
{%- set own_rel = [] -%}
{%- for metric in metrics -%}
    {%- if metric.ranking.ties not in ties -%}{%- do ties.append(metric.ranking.ties) -%}{%- endif -%}
    {%- if metric.ranking.unjudged == 'drop' -%}{%- do dropped.append(metric.label) -%}{%- endif -%}
    {%- if metric.params.rel is defined and metric.params.rel != options.rel -%}{%- do own_rel.append(metric.label) -%}{%- endif -%}
{%- endfor -%}
{%- do rankmetrics_sql.rm_refuse('', [
    ['score_column: name a score_column or a position_column.', columns.score is none and columns.position is none],
    ['position_column: ties=rank needs the column that orders equal scores.', columns.position is none and 'rank' in ties],
    ['position=given needs a run with positions instead of scores; name them: position_column.', given and columns.score is not none],
    ['position=given keeps the places that strategy=count would find.', given and options.strategy == 'count'],
    ['position=given keeps the gaps that unjudged=drop would close.', given and dropped],
    ['position=given has no equal scores that ties=' ~ ties | sort | join('/') ~ ' could order.', given and ties | reject('in', ['item_desc', 'item_asc']) | list],
    ['n_relevant says how many items are relevant for one threshold; set rel for all metrics, not for one.', columns.n_relevant is not none and labelled and own_rel],
]) -%}
{% endmacro %}

{#- Metrics of subtopics where nothing says what they are, or where a choice has no meaning for them. -#}
{% macro rm_check_subtopics(metrics, columns, labelled) %}
{%- set known = columns.subtopic is not none -%}
{%- do rankmetrics_sql.rm_refuse('', [
    ['A labelled table has one grade an item; judgments by subtopic go with a run.', labelled and known],
]) -%}
{%- for metric in metrics if 'subtopics' in metric.needs -%}
    {%- do rankmetrics_sql.rm_refuse("metrics: '" ~ metric.label ~ "': ", [
        ['a labelled table has no subtopics; score a run against qrels that have.', labelled],
        ['the qrels must say for which subtopic an item is judged; name the column: subtopic_column.', not known],
        ['an unjudged item has no subtopic to be relevant to; take unjudged=nonrelevant or unjudged=drop.', metric.ranking.unjudged not in ['nonrelevant', 'drop']],
        ['ties=' ~ metric.ranking.ties ~ ' needs one grade an item.', metric.ranking.ties in ['best', 'worst']],
        ['judgments=retrieved is not for subtopics; take judgments=all.', metric.ranking.judgments != 'all'],
    ]) -%}
{%- endfor -%}
{% endmacro %}

{#- Metrics that a comparison cannot bring together out of pairs of queries. -#}
{% macro rm_check_comparable(metrics) %}
{%- for metric in metrics -%}
    {%- set how = 'its median' if metric.aggregate == 'median' else 'a value of all queries together' -%}
    {%- do rankmetrics_sql.rm_refuse("metrics: '" ~ metric.label ~ "': ", [
        ['compare pairs queries, and ' ~ how ~ ' is not made of pairs; take aggregate=mean.', metric.aggregate in ['median', 'parts']],
    ]) -%}
{%- endfor -%}
{% endmacro %}

{#- Groups and query columns that would stand twice in the result. -#}
{% macro rm_check_names(level, metrics, keys, groups) %}
{%- set taken = ['run', 'run_id'] -%}
{%- if level == 'compare' -%}
    {%- do taken.extend(['metric', 'baseline', 'candidate', 'difference', 'n_higher', 'n_ties', 'n_lower', 'standard_error', 'n_queries']) -%}
{%- else -%}
    {%- do taken.extend(['metric', 'value', 'metric_value', 'n_queries', 'n_faults', 'n_ties_cut']) -%}
    {%- for metric in metrics -%}{%- do taken.append(metric.column) -%}{%- endfor -%}
{%- endif -%}
{%- if keys | length == 1 -%}{%- do taken.append('query_id') -%}{%- endif -%}
{%- for label in (keys if keys | length > 1 else []) + groups | map(attribute='label') | list -%}
    {%- set name = label | replace('"', '') | replace('`', '') -%}
    {%- do rankmetrics_sql.rm_refuse('', [["A column called '" ~ name ~ "' would stand twice in the result; rename it in a query.", name | lower in taken]]) -%}
    {%- do taken.append(name | lower) -%}
{%- endfor -%}
{% endmacro %}

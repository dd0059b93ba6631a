{#-
Judgments of items by what people clicked: a row for each search text and item that was shown for it, with the estimate
of a click model as its relevance. Everything is a count over requests.

relation         a row for each item that a request showed, once, as from_events gives them; a request without a text,
                 or with two, is left out
by               the search text, or a list of columns; of one column query_id in the result
model            ctr: clicks over impressions. coec: clicks over expected clicks (Zhang & Jones 2007, WWW). cascade: the
                 share of those who looked that clicked first (Craswell et al. 2008, WSDM). sdbn: attractiveness times
                 satisfaction, the simplified dynamic Bayesian network (Chapelle & Zhang 2009, WWW)
columns          what the user calls request (a column or a list), item, position and relevance; ctr needs no position
rel              the lowest grade that is a click
group            a column such as the type of page: positions are compared with those of the same value
prior            how many impressions the mean of the log counts as, in each estimate; with 0 it is the plain share
no_click         who looked at a request without a click: 'all' of it was looked at, or 'none'
min_impressions  pairs with fewer are left out
grades           none: the relevance is the estimate. A number of grades: quantiles of the estimates, equal ones
                 together. A list of thresholds: an estimate at a threshold has the grade above it
normalise        'lower', 'trim' or both, as 'lower, trim': texts that differ in case, or in spaces around them, are one
-#}
{% macro judgments_from_clicks(
    relation, by='query', model='sdbn', columns=none, rel=1, group=none, prior=1, no_click='all', min_impressions=1,
    grades=none, normalise=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_checked_click_model(model, prior, no_click, min_impressions, grades, normalise) -%}
{%- set searched = rankmetrics_sql.rm_searched(relation, by, model, columns, rel, group, normalise) -%}
{%- set names = [] -%}
{%- for name in searched.names -%}
    {%- do names.append({'name': name, 'sql': searched.searches[loop.index0]}) -%}
{%- endfor -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(names + ['item_id'], 4) }},
    {{ rankmetrics_sql.rm_grade_of_estimate(grades) }} AS relevance,
    {{ rankmetrics_sql.rm_as_integer('impressions') }} AS impressions,
    {{ rankmetrics_sql.rm_as_integer('clicks') }} AS clicks,
    expected_clicks
FROM rankmetrics_estimates
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(searched.stages + [
    rankmetrics_sql.rm_texts_of_requests(searched, model),
    rankmetrics_sql.rm_searched_rows(searched, model, no_click),
] + rankmetrics_sql.rm_rates_by_position(searched) + [
    rankmetrics_sql.rm_judged_pairs(searched, model),
] + rankmetrics_sql.rm_with_means(searched, model, prior) + [
    rankmetrics_sql.rm_estimates(searched, model, prior, min_impressions),
]) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- The rules, each of which is known and has what it needs; Python asks it of the arguments alone, too. -#}
{% macro rm_checked_click_model(model, prior, no_click, min_impressions, grades, normalise) %}
{%- set begin = 'judgments: ' -%}
{%- if model in ['pbm', 'ubm', 'dbn'] -%}
    {%- do rankmetrics_sql.rm_raise(begin ~ 'model=' ~ model ~ ' is fitted in rounds, which no one statement does. Take'
        ~ ' sdbn, coec, cascade or ctr, or weight clicks by their propensities.') -%}
{%- endif -%}
{%- for name, value, known in [
    ['model', model, ['ctr', 'coec', 'cascade', 'sdbn']], ['no_click', no_click, ['all', 'none']],
] if value not in known -%}
    {%- do rankmetrics_sql.rm_raise(begin ~ name ~ ' is ' ~ known[:-1] | join(', ') ~ ' or ' ~ known[-1] ~ ', not '
        ~ rankmetrics_sql.rm_written_value(value) ~ '.') -%}
{%- endfor -%}
{%- if prior is not number or prior is boolean or not 0 <= prior < 1e9 -%}
    {%- do rankmetrics_sql.rm_raise(begin ~ 'prior is a number of impressions, 0 or more, not '
        ~ rankmetrics_sql.rm_written_value(prior) ~ '.') -%}
{%- endif -%}
{%- if min_impressions is not integer or min_impressions is boolean or min_impressions < 1 -%}
    {%- do rankmetrics_sql.rm_raise(begin ~ 'min_impressions is a whole number from 1 on, not '
        ~ rankmetrics_sql.rm_written_value(min_impressions) ~ '.') -%}
{%- endif -%}
{%- do rankmetrics_sql.rm_normalised('', normalise) -%}
{%- set wrong = begin ~ 'grades is a number of grades from 2 on, or a list of rising thresholds such as [0.02, 0.1],'
    ~ ' not ' ~ rankmetrics_sql.rm_written_value(grades) ~ '.' -%}
{%- if grades is none -%}{{ return('') }}{%- endif -%}
{%- if grades is number -%}
    {%- if grades is not integer or grades is boolean or grades < 2 -%}
        {%- do rankmetrics_sql.rm_raise(wrong) -%}
    {%- endif -%}
    {{ return('') }}
{%- endif -%}
{%- if grades is string or grades is mapping or grades is not sequence or not grades -%}
    {%- do rankmetrics_sql.rm_raise(wrong) -%}
{%- endif -%}
{%- for threshold in grades -%}
    {%- set is_number = threshold is number and threshold is not boolean -%}
    {%- if not is_number or (loop.index0 > 0 and threshold <= grades[loop.index0 - 1]) -%}
        {%- do rankmetrics_sql.rm_raise(wrong) -%}
    {%- endif -%}
{%- endfor -%}
{% endmacro %}

{#-
The rows that a click model reads, one literal: stages, the first ones; requests and texts, the names of these columns
in them; searches, what the texts are called later, and names, in the result; has_place, has_group.
-#}
{% macro rm_searched(relation, by, model, columns, rel, group, normalise) %}
{%- set own = rankmetrics_sql.rm_source_columns({
    'request': 'request_id', 'item_id': 'item_id', 'position': 'position', 'relevance': 'relevance',
}, columns) -%}
{%- if own.position is none and model != 'ctr' -%}
    {%- do rankmetrics_sql.rm_raise('judgments: model=' ~ model ~ ' needs the position of each impression. Name its'
        ~ ' column, or take model=ctr.') -%}
{%- endif -%}
{%- if own.request is none -%}
    {%- do rankmetrics_sql.rm_raise('judgments: request must be a column name, not none.') -%}
{%- endif -%}
{%- set requests, texts, searches, names = [], [], [], [] -%}
{%- for key in rankmetrics_sql.rm_as_list(own.request) -%}
    {%- do requests.append({'name': 'request_' ~ loop.index, 'sql': rankmetrics_sql.rm_over_row(key)}) -%}
{%- endfor -%}
{%- set keys = rankmetrics_sql.rm_source_keys(by) -%}
{%- for key in keys -%}
    {%- set text = rankmetrics_sql.rm_normalised(key.sql, normalise) -%}
    {%- do texts.append({'name': 'text_' ~ loop.index, 'sql': text}) -%}
    {%- do searches.append('search_' ~ loop.index) -%}
    {%- do names.append(key.name if keys | length > 1 else 'query_id') -%}
{%- endfor -%}
{%- set has_place = own.position is not none -%}
{%- set others = [{'name': 'item_id', 'sql': rankmetrics_sql.rm_over_row(own.item_id)}]
    + ([{'name': 'place', 'sql': rankmetrics_sql.rm_over_row(own.position)}] if has_place else [])
    + ([{'name': 'page_type', 'sql': rankmetrics_sql.rm_known_text(group)}] if group is not none else []) -%}
{%- set shown %}
    SELECT
        {{ rankmetrics_sql.rm_lines(requests + texts + others) }},
        {{ rankmetrics_sql.rm_was_clicked(own.relevance, rel) }} AS was_clicked
    FROM rankmetrics_impressions AS s
    WHERE {{ rankmetrics_sql.rm_all_known(requests | map(attribute='sql')) }}
{%- endset -%}
{%- set requests = requests | map(attribute='name') | list -%}
{%- set texts = texts | map(attribute='name') | list -%}
{{ return({
    'stages': rankmetrics_sql.rm_impressions(relation) + [rankmetrics_sql.rm_cte(
        'rankmetrics_shown', shown, 'each impression with its search, and whether it was clicked', 'inlined'
    )],
    'requests': requests,
    'texts': texts,
    'searches': searches,
    'names': names,
    'has_place': has_place,
    'has_group': group is not none,
}) }}
{% endmacro %}

{#-
texts: each request with the text that all its impressions with a text share; requests with none or two are left out.
cascade adds the position of the first click and sdbn that of the last, because a stage of their own would read the
impressions once more.
-#}
{% macro rm_texts_of_requests(searched, model) %}
{%- set columns, alike = searched.requests | list, [] -%}
{%- for text in searched.texts -%}
    {%- do columns.append({'name': searched.searches[loop.index0], 'sql': 'MAX(' ~ text ~ ')'}) -%}
    {%- do alike.append('MIN(' ~ text ~ ') = MAX(' ~ text ~ ')') -%}
{%- endfor -%}
{%- set has_stop = model in ['cascade', 'sdbn'] -%}
{%- if has_stop -%}
    {%- set clicked = 'CASE WHEN was_clicked = 1 AND item_id IS NOT NULL THEN place END' -%}
    {%- do columns.append({'name': 'stop', 'sql': ('MIN(' if model == 'cascade' else 'MAX(') ~ clicked ~ ')'}) -%}
{%- endif -%}
{%- set texts %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_shown
    GROUP BY {{ searched.requests | join(', ') }}
    HAVING {{ alike | join(' AND ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_texts', texts,
    'the requests with one text' ~ (
        ', and the position of the ' ~ ('first' if model == 'cascade' else 'last') ~ ' click' if has_stop else ''
    )
)) }}
{% endmacro %}

{#- searched: the impressions with the text of their request; whether somebody looked at them, and stopped there. -#}
{% macro rm_searched_rows(searched, model, no_click) %}
{%- set has_stop = model in ['cascade', 'sdbn'] -%}
{%- set looked = 'CASE WHEN t.stop IS NULL THEN ' ~ ('1' if no_click == 'all' else '0')
    ~ ' WHEN s.place <= t.stop THEN 1 ELSE 0 END' -%}
{%- set stopped = 'CASE WHEN s.was_clicked = 1 AND s.place = t.stop THEN 1 ELSE 0 END' -%}
{%- set columns = rankmetrics_sql.rm_columns_from('t', searched.searches)
    + rankmetrics_sql.rm_columns_from('s', ['item_id'] + rankmetrics_sql.rm_of_place(searched) + ['was_clicked'])
    + ([{'name': 'looked', 'sql': looked}, {'name': 'stopped', 'sql': stopped}] if has_stop else []) -%}
{%- set rows %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_shown AS s
    INNER JOIN rankmetrics_texts AS t ON {{ rankmetrics_sql.rm_same('t', 's', searched.requests) }}
    WHERE {{ rankmetrics_sql.rm_all_known(['s.item_id'] + (['s.place'] if searched.has_place else [])) }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_searched', rows, 'the impressions with the text of their request' ~ (
        ', whether the visitor looked at each, and stopped there' if has_stop else ''
    )
)) }}
{% endmacro %}

{#- What the click rate of an impression hangs on. -#}
{% macro rm_of_place(searched) %}
{{ return((['place'] if searched.has_place else []) + (['page_type'] if searched.has_group else [])) }}
{% endmacro %}

{#- rates: how often what was shown at each position was clicked. -#}
{% macro rm_rates_by_position(searched) %}
{%- if not searched.has_place -%}{{ return([]) }}{%- endif -%}
{%- set alike = rankmetrics_sql.rm_of_place(searched) -%}
{%- set rates %}
    SELECT
        {{ rankmetrics_sql.rm_lines(alike + [{'name': 'rate', 'sql': 'AVG(was_clicked)'}]) }}
    FROM rankmetrics_searched
    GROUP BY {{ alike | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    'rankmetrics_rates', rates,
    'the click rate at each position' ~ (' of each type of page' if searched.has_group else '')
)]) }}
{% endmacro %}

{#- The sums of a click model, and of what. -#}
{% macro rm_counts_of_model(model) %}
{%- set counts = {'n_clicks': 'was_clicked'} -%}
{%- do counts.update({'n_looks': 'looked', 'n_stops': 'stopped'} if model in ['cascade', 'sdbn'] else {}) -%}
{{ return(counts) }}
{% endmacro %}

{#- pairs: one row for each text and item. -#}
{% macro rm_judged_pairs(searched, model) %}
{%- set ids = rankmetrics_sql.rm_columns_from('d', searched.searches + ['item_id']) -%}
{%- set counts = [{'name': 'impressions', 'sql': rankmetrics_sql.rm_as_double('COUNT(*)')}] -%}
{%- for name, column in rankmetrics_sql.rm_counts_of_model(model).items() -%}
    {%- do counts.append({'name': name, 'sql': rankmetrics_sql.rm_as_double(
        'COUNT(CASE WHEN d.' ~ column ~ ' = 1 THEN 1 END)'
    )}) -%}
{%- endfor -%}
{%- set expected = 'SUM(r.rate)' if searched.has_place else rankmetrics_sql.rm_as_double('NULL') -%}
{%- set pairs %}
    SELECT
        {{ rankmetrics_sql.rm_lines(ids + counts + [{'name': 'expected_clicks', 'sql': expected}]) }}
    FROM rankmetrics_searched AS d
{%- if searched.has_place %}
    INNER JOIN rankmetrics_rates AS r ON {{ rankmetrics_sql.rm_same('r', 'd', rankmetrics_sql.rm_of_place(searched)) }}
{%- endif %}
    GROUP BY {{ ids | map(attribute='sql') | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte('rankmetrics_pairs', pairs, 'the counts of each text and item')) }}
{% endmacro %}

{#- The shares that a model is made of, each a part and a whole. -#}
{% macro rm_shares_of_model(model) %}
{{ return({
    'ctr': [['n_clicks', 'impressions']],
    'coec': [],
    'cascade': [['n_stops', 'n_looks']],
    'sdbn': [['n_clicks', 'n_looks'], ['n_stops', 'n_clicks']],
}[model]) }}
{% endmacro %}

{#- with_means: the pairs beside the mean of each share in the log, where a prior draws to it. -#}
{% macro rm_with_means(searched, model, prior) %}
{%- set shares = rankmetrics_sql.rm_shares_of_model(model) -%}
{%- if not prior or not shares -%}{{ return([]) }}{%- endif -%}
{%- set counts = rankmetrics_sql.rm_counts_of_model(model) | list -%}
{%- set means = [] -%}
{%- for part, whole in shares -%}
    {%- set mean = 'SUM(' ~ part ~ ') OVER () / NULLIF(SUM(' ~ whole ~ ') OVER (), 0)' -%}
    {%- do means.append({'name': 'mean_' ~ part, 'sql': 'COALESCE(' ~ mean ~ ', 0)'}) -%}
{%- endfor -%}
{%- set beside %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            searched.searches + ['item_id', 'impressions'] + counts + ['expected_clicks'] + means
        ) }}
    FROM rankmetrics_pairs
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_with_means', beside, 'the same beside the mean rates of the log')]) }}
{% endmacro %}

{#- estimates: the pairs that are kept, each with its estimate. -#}
{% macro rm_estimates(searched, model, prior, min_impressions) %}
{%- set factors = [rankmetrics_sql.rm_over_expected(prior)] if model == 'coec' else [] -%}
{%- for part, whole in rankmetrics_sql.rm_shares_of_model(model) -%}
    {%- set factor = rankmetrics_sql.rm_shrunk(part, whole, prior) -%}
    {%- do factors.append('(' ~ factor ~ ')' if model == 'sdbn' else factor) -%}
{%- endfor -%}
{%- set counted = ['impressions', {'name': 'clicks', 'sql': 'n_clicks'}, 'expected_clicks'] -%}
{%- set estimates %}
    SELECT
        {{ rankmetrics_sql.rm_lines(searched.searches + ['item_id'] + counted) }},
        {{ factors | join('\n        * ') }} AS estimate
    FROM rankmetrics_{{ 'with_means' if prior and model != 'coec' else 'pairs' }}
{%- if min_impressions > 1 %}
    WHERE impressions >= {{ min_impressions }}
{%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_estimates', estimates,
    'the estimate of each pair' ~ (' with enough impressions' if min_impressions > 1 else '')
)) }}
{% endmacro %}

{#- The share of a part in a whole, drawn to the mean of the log as if it had prior more of it; 0 of nothing. -#}
{% macro rm_shrunk(part, whole, prior) %}
{%- if not prior -%}
    {{ return('CASE WHEN ' ~ part ~ ' = 0 THEN 0 ELSE ' ~ part ~ ' / ' ~ whole ~ ' END') }}
{%- endif -%}
{%- set weight = rankmetrics_sql.rm_number(prior) -%}
{%- set mean = 'mean_' ~ part if prior == 1 else weight ~ ' * mean_' ~ part -%}
{{ return('(' ~ part ~ ' + ' ~ mean ~ ') / (' ~ whole ~ ' + ' ~ weight ~ ')') }}
{% endmacro %}

{% macro rm_over_expected(prior) %}
{%- if not prior -%}
    {{ return('CASE WHEN n_clicks = 0 THEN 0 ELSE n_clicks / expected_clicks END') }}
{%- endif -%}
{%- set weight = rankmetrics_sql.rm_number(prior) -%}
{{ return('(n_clicks + ' ~ weight ~ ') / (expected_clicks + ' ~ weight ~ ')') }}
{% endmacro %}

{#-
The relevance of a pair. Sums of doubles depend on the order of their rows, so estimates and thresholds are compared in
whole trillionths.
-#}
{% macro rm_grade_of_estimate(grades) %}
{%- if grades is none -%}{{ return('estimate') }}{%- endif -%}
{%- set places = 'FLOOR(estimate * 1000000000000 + 0.5)' -%}
{%- if grades is number -%}
    {%- set rank = 'RANK() OVER (ORDER BY ' ~ places ~ ' ASC)' -%}
    {{ return('FLOOR(' ~ grades ~ ' * (' ~ rankmetrics_sql.rm_as_double(rank) ~ ' - 1) / COUNT(*) OVER ())') }}
{%- endif -%}
{%- set branches = [] -%}
{%- for threshold in grades | reverse -%}
    {%- set rounded = (threshold * 1000000000000) | round | int -%}
    {%- do branches.append('        WHEN ' ~ places ~ ' >= ' ~ rounded ~ ' THEN ' ~ (grades | length - loop.index0)) -%}
{%- endfor -%}
{{ return('CASE\n' ~ branches | join('\n') ~ '\n        ELSE 0\n    END') }}
{% endmacro %}

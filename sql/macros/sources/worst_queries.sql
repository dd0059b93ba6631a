{#- Searches that lose the most clicks, beside what the positions of their items let expect. -#}

{#-
A row for each value of by, such as the text of the search, ordered by the lower bound of what is lost, so that rare
values do not lead. An impression is expected to be clicked as often as all impressions at its position (Zhang & Jones
2007, WWW): lost_clicks = expected_clicks - clicks, with the interval lost +- z sqrt(SUM(p (1 - p))), p being that rate.
ctr is clicks by impressions with Wilson's interval (1927). mrr is the mean of one by the first clicked position.

by                a column, or a list of columns; requests with NULL are a group. A request with two values is left out
order             lost_clicks, or a metric: by the lower bound of requests * (mean of the log - mean of the value)
n                 how many rows at most
min_requests      values with fewer requests are left out
columns           what the user calls query (what names a request, or a list of columns), item, position, relevance,
                  and where there are, user and time
within            the seconds in which the user's next search is a reformulation, where the request has no click; needs
                  user and time
period, timezone  day, week or month: adds the last period of the log, the one before that has requests, and the trend,
                  the change of lost clicks per impression; needs time
normalise         'lower', 'trim' or both: what texts are compared as
empty_lists       whether a row without an item is a request that showed nothing: adds share_without_results
totals            adds what is not listed, a row for each reason in the column part; all rows add up to the log
-#}
{% macro worst_queries(
    relation, by=none, columns=none, order='lost_clicks', n=50, min_requests=20, rel=1, within=300,
    confidence_level=0.95, period=none, timezone=none, normalise=none, empty_lists=false, totals=false
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set asked = rankmetrics_sql.rm_worst_asked({
    'by': by, 'order': order, 'n': n, 'min_requests': min_requests, 'rel': rel, 'within': within,
    'confidence_level': confidence_level, 'period': period, 'timezone': timezone, 'normalise': normalise,
    'empty_lists': empty_lists, 'totals': totals,
}, columns) -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_impressions(relation)
    + rankmetrics_sql.rm_worst_requests(asked)
    + rankmetrics_sql.rm_worst_scores(asked, relation)
    + rankmetrics_sql.rm_worst_next_searches(asked)
    + rankmetrics_sql.rm_worst_periods(asked)
    + rankmetrics_sql.rm_worst_groups(asked)
) ~ '\n\n' ~ rankmetrics_sql.rm_worst_rows(asked)) }}
{% endmacro %}

{#- The arguments, checked, with the columns and names that the stages share. -#}
{% macro rm_worst_asked(asked, columns) %}
{%- set own = rankmetrics_sql.rm_source_columns({
    'query_id': 'request_id', 'item_id': 'item_id', 'position': 'position', 'relevance': 'relevance', 'user': none,
    'time': none,
}, columns) -%}
{%- for name in ['n', 'min_requests'] if asked[name] is not integer or asked[name] is boolean or asked[name] < 1 -%}
    {%- do rankmetrics_sql.rm_raise(name ~ ' is a whole number from 1, not '
        ~ rankmetrics_sql.rm_written_value(asked[name]) ~ '.') -%}
{%- endfor -%}
{%- set z = rankmetrics_sql.rm_point_of_level(asked.confidence_level) -%}
{%- if asked.within is not number or asked.within is boolean or asked.within < 0 -%}
    {%- do rankmetrics_sql.rm_raise('within is a number of seconds, not '
        ~ rankmetrics_sql.rm_written_value(asked.within) ~ '.') -%}
{%- endif -%}
{%- set groups = rankmetrics_sql.rm_by_columns(asked.by or []) -%}
{%- if not groups -%}{%- do rankmetrics_sql.rm_raise('by names no column, such as query_text.') -%}{%- endif -%}
{%- do rankmetrics_sql.rm_raise_refusal(rankmetrics_sql.rm_period_refusal(
    asked.period, asked.timezone, 0 if own.time is none or asked.period is none else 1
)) -%}
{%- set keys, values = [], [] -%}
{%- for key in rankmetrics_sql.rm_as_list(own.query_id) -%}
    {%- do keys.append({'name': 'request_' ~ loop.index, 'sql': rankmetrics_sql.rm_over_row(key)}) -%}
{%- endfor -%}
{%- for column in groups -%}
    {%- do values.append({
        'name': 'value_' ~ loop.index, 'label': column.name,
        'sql': rankmetrics_sql.rm_normalised(column.sql, asked.normalise),
    }) -%}
{%- endfor -%}
{%- do asked.update({
    'own': own, 'request_keys': keys, 'key_names': keys | map(attribute='name') | list, 'groups': values,
    'value_names': values | map(attribute='name') | list,
    'users': own.user is not none, 'follows': own.user is not none and own.time is not none,
    'metric': none if asked.order == 'lost_clicks' else rankmetrics_sql.rm_worst_metric(asked.order),
    'z': rankmetrics_sql.rm_number(z), 'wilson': rankmetrics_sql.rm_wilson('n_shown', z),
}) -%}
{{ return(asked) }}
{% endmacro %}

{#- A text as it is compared. -#}
{% macro rm_normalised(sql, normalise) %}
{%- set state = {'sql': sql} -%}
{%- if normalise is none -%}{{ return(sql) }}{%- endif -%}
{%- for step in (normalise.split(',') if normalise is string else normalise) -%}
    {%- set name = step | trim -%}
    {%- if name not in ['lower', 'trim'] -%}
        {%- do rankmetrics_sql.rm_raise('normalise is lower, trim or both, not '
            ~ rankmetrics_sql.rm_written_value(normalise) ~ '.') -%}
    {%- endif -%}
    {%- do state.update({'sql': name | upper ~ '(' ~ state.sql ~ ')'}) -%}
{%- endfor -%}
{{ return(state.sql) }}
{% endmacro %}

{#- The metric that orders, if a request has a value of it. -#}
{% macro rm_worst_metric(order) %}
{%- set metric = rankmetrics_sql.rm_resolved_metrics(
    [order], rankmetrics_sql.rm_project_choices(rankmetrics_sql.rm_options_of_logs(), none), false
)[0] -%}
{%- if metric.aggregate != 'mean' -%}
    {%- do rankmetrics_sql.rm_raise('order: ' ~ order
        ~ ' is not the mean of values of requests. Pass lost_clicks, or a metric such as mrr.') -%}
{%- endif -%}
{{ return(metric) }}
{% endmacro %}

{#- Positions of a log are what a person saw. -#}
{% macro rm_options_of_logs() %}
{{ return({'position': 'given'}) }}
{% endmacro %}

{#- requests: a row for each request, with its values, its clicks, and the clicks that its positions let expect. -#}
{% macro rm_worst_requests(asked) %}
{%- set own = asked.own -%}
{%- set item, place = rankmetrics_sql.rm_over_row(own.item_id), rankmetrics_sql.rm_over_row(own.position) -%}
{%- set time = rankmetrics_sql.rm_optional_column(own.time) -%}
{%- set of_request = rankmetrics_sql.rm_there({
    'user_id': rankmetrics_sql.rm_optional_column(own.user),
    'asked_at': time if asked.follows else none,
    'period': none if asked.period is none else rankmetrics_sql.rm_period(
        time, asked.period, 'UTC' if asked.timezone is none else asked.timezone
    ),
}) -%}
{%- set is_shown = item ~ ' IS NOT NULL AND ' ~ place ~ ' IS NOT NULL' -%}
{%- set shown %}
    SELECT
        {{ rankmetrics_sql.rm_lines(asked.request_keys + asked.groups + of_request) }},
        CASE WHEN {{ item }} IS NULL THEN 0 ELSE 1 END AS has_item,
        CASE WHEN {{ item }} IS NOT NULL THEN {{ place }} END AS place,
        {{ rankmetrics_sql.rm_was_clicked(own.relevance, asked.rel, is_shown) }} AS was_clicked
    FROM rankmetrics_impressions AS s
    WHERE {{ rankmetrics_sql.rm_all_known(asked.request_keys | map(attribute='sql')) }}
{%- endset -%}
{%- set rates %}
    SELECT place, AVG(was_clicked) AS rate
    FROM rankmetrics_shown
    WHERE place IS NOT NULL
    GROUP BY place
{%- endset -%}
{%- set differ = [] -%}
{%- for name in asked.value_names -%}
    {%- do differ.append('MIN(s.' ~ name ~ ') <> MAX(s.' ~ name ~ ')') -%}
{%- endfor -%}
{%- set has_two = 'CASE WHEN ' ~ differ | join(' OR ') ~ ' THEN 1 ELSE 0 END' -%}
{%- set values = [] -%}
{%- for name in asked.value_names -%}
    {%- do values.append({
        'name': name, 'sql': 'CASE WHEN ' ~ differ | join(' OR ') ~ ' THEN NULL ELSE MIN(s.' ~ name ~ ') END',
    }) -%}
{%- endfor -%}
{%- set first = 'MIN(CASE WHEN s.was_clicked = 1 THEN s.place END)' -%}
{%- set columns = rankmetrics_sql.rm_each('s.', asked.key_names, '') + values + [
    {'name': 'has_two', 'sql': has_two},
] + rankmetrics_sql.rm_each('MIN(s.', of_request | map(attribute='name')) + [
    {'name': 'is_empty', 'sql': rankmetrics_sql.rm_as_double('1 - MAX(s.has_item)')},
    {'name': 'n_shown', 'sql': rankmetrics_sql.rm_as_double('COUNT(s.place)')},
    {'name': 'n_clicked', 'sql': 'SUM(s.was_clicked)'},
    {'name': 'reciprocal', 'sql': 'COALESCE(1 / ' ~ rankmetrics_sql.rm_as_double(first) ~ ', 0)'},
    {'name': 'n_expected', 'sql': 'COALESCE(SUM(r.rate), 0)'},
    {'name': 'variance', 'sql': 'COALESCE(SUM(r.rate * (1 - r.rate)), 0)'},
] -%}
{%- set requests %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_shown AS s
    LEFT JOIN rankmetrics_rates AS r ON r.place = s.place
    GROUP BY {{ rankmetrics_sql.rm_qualified('s', asked.key_names) | join(', ') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_shown', shown, 'the impressions, with whether each was clicked', 'inlined'),
    rankmetrics_sql.rm_cte('rankmetrics_rates', rates, 'the click rate of the log at each position'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_requests', requests,
        'the requests, each with its clicks and those that its positions let expect'
    ),
]) }}
{% endmacro %}

{#- The stage with the requests as far as it is known: with the value of the metric, and with the next search. -#}
{% macro rm_worst_known(asked, before=none) %}
{%- set stages = ['rankmetrics_requests'] + (['rankmetrics_scored'] if asked.metric is not none else [])
    + (['rankmetrics_followed'] if asked.follows else []) -%}
{{ return(stages[-1] if before is none else stages[stages.index(before) - 1]) }}
{% endmacro %}

{#- scored: the requests with the value of the metric that orders. -#}
{% macro rm_worst_scores(asked, relation) %}
{%- if asked.metric is none -%}{{ return([]) }}{%- endif -%}
{%- set names = {'query_id': asked.own.query_id, 'relevance': asked.own.relevance} -%}
{%- for name in ['item_id', 'position'] -%}{%- do names.update({name: asked.own[name]}) -%}{%- endfor -%}
{%- set scores = rankmetrics_sql.per_query(
    relation, [asked.order], columns=names, options=rankmetrics_sql.rm_options_of_logs(), empty_lists=true
) -%}
{%- set same = [] -%}
{%- for label in rankmetrics_sql.rm_query_labels(rankmetrics_sql.rm_as_list(asked.own.query_id)) -%}
    {%- do same.append('m.' ~ label ~ ' = q.' ~ asked.key_names[loop.index0]) -%}
{%- endfor -%}
{%- set scored %}
    SELECT
        q.*,
        m.{{ asked.metric.column }} AS score,
        AVG(m.{{ asked.metric.column }}) OVER () AS mean_score,
        {{ rankmetrics_sql.rm_as_double('COUNT(m.' ~ asked.metric.column ~ ') OVER ()') }} AS n_scores
    FROM rankmetrics_requests AS q
    LEFT JOIN rankmetrics_scores AS m ON {{ same | join(' AND ') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_scores', scores | indent(4), asked.order ~ ' of each request'),
    rankmetrics_sql.rm_cte('rankmetrics_scored', scored, 'the requests with ' ~ asked.order ~ ', and its mean'),
]) }}
{% endmacro %}

{#-
followed: the requests, with whether the same user searched again soon, and had clicked nothing. The next search is the
first at a later time; the requests of one moment have the same one.
-#}
{% macro rm_worst_next_searches(asked) %}
{%- if not asked.follows -%}{{ return([]) }}{%- endif -%}
{%- set next %}
    SELECT
        q.*,
        MAX(asked_at) OVER (
            PARTITION BY user_id ORDER BY asked_at ASC ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING
        ) AS row_after
    FROM {{ rankmetrics_sql.rm_worst_known(asked, 'rankmetrics_followed') }} AS q
{%- endset -%}
{%- set later %}
    SELECT
        q.*,
        MAX(row_after) OVER (PARTITION BY user_id, asked_at) AS next_at
    FROM rankmetrics_next AS q
{%- endset -%}
{%- set soon = rankmetrics_sql.rm_seconds_between('asked_at', 'next_at') ~ ' <= '
    ~ rankmetrics_sql.rm_number(asked.within) -%}
{%- set followed %}
    SELECT
        q.*,
        CASE
            WHEN user_id IS NOT NULL AND n_clicked = 0 AND next_at > asked_at AND {{ soon }} THEN 1
            ELSE 0
        END AS is_reformulated
    FROM rankmetrics_later AS q
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_next', next, 'each request with the time of the row of its user after it'),
    rankmetrics_sql.rm_cte('rankmetrics_later', later, 'each request with the time when its user searched next'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_followed', followed,
        'the requests, marked where the user searched again soon without a click'
    ),
]) }}
{% endmacro %}

{#- periods: the last period of the log, and the one before it. -#}
{% macro rm_worst_periods(asked) %}
{%- if asked.period is none -%}{{ return([]) }}{%- endif -%}
{%- set periods %}
    SELECT
        MAX(CASE WHEN nth = 1 THEN period END) AS last_period,
        MAX(CASE WHEN nth = 2 THEN period END) AS period_before
    FROM (
        SELECT period, ROW_NUMBER() OVER (ORDER BY period DESC) AS nth
        FROM rankmetrics_requests
        WHERE period IS NOT NULL
        GROUP BY period
    ) AS numbered
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    'rankmetrics_periods', periods, 'the last period of the log, and the one before it that has requests'
)]) }}
{% endmacro %}

{#- The sums of a group that belong to one of the two periods: the columns, by what they begin with. -#}
{% macro rm_worst_sums_of_periods(asked) %}
{%- set columns = [] -%}
{%- for begin, period in {'late': 'p.last_period', 'early': 'p.period_before'}.items() if asked.period is not none -%}
    {%- for name, value in {'lost': 'q.n_expected - q.n_clicked', 'shown': 'q.n_shown'}.items() -%}
        {%- do columns.append({
            'name': begin ~ '_' ~ name, 'sql': 'SUM(CASE WHEN q.period = ' ~ period ~ ' THEN ' ~ value ~ ' ELSE 0 END)',
        }) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- ranked: the values with their sums, those to list in their order. With totals, the others by reason, too. -#}
{% macro rm_worst_groups(asked) %}
{%- set keys = rankmetrics_sql.rm_qualified('q', ['has_two'] + asked.value_names) -%}
{%- set sums = ['is_empty', 'n_shown', 'n_clicked', 'n_expected', 'variance', 'reciprocal']
    + (['is_reformulated'] if asked.follows else []) -%}
{%- set of_score = [] -%}
{%- if asked.metric is not none -%}
    {%- set square = '(q.score - q.mean_score) * (q.score - q.mean_score)' -%}
    {%- set of_score = [
        {'name': 'n_scored', 'sql': rankmetrics_sql.rm_as_double('COUNT(q.score)')},
        {'name': 'sum_score', 'sql': 'SUM(q.score)'},
        {'name': 'mean_score', 'sql': 'MAX(q.mean_score)'},
        {'name': 'n_scores', 'sql': 'MAX(q.n_scores)'},
        {'name': 'squares', 'sql': 'COALESCE(SUM(' ~ square ~ '), 0)'},
    ] -%}
{%- endif -%}
{%- set of_periods = ['last_period', 'period_before'] if asked.period is not none else [] -%}
{%- set columns = [{'name': 'n_requests', 'sql': 'COUNT(*)'}]
    + ([{'name': 'n_users', 'sql': 'COUNT(DISTINCT q.user_id)'}] if asked.users else [])
    + rankmetrics_sql.rm_each('SUM(q.', sums) + of_score
    + rankmetrics_sql.rm_each('MAX(p.', of_periods) + rankmetrics_sql.rm_worst_sums_of_periods(asked) -%}
{%- set groups %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('q', ['has_two'] + asked.value_names) + columns) }}
    FROM {{ rankmetrics_sql.rm_worst_known(asked) }} AS q
{%- if asked.period is not none %}
    CROSS JOIN rankmetrics_periods AS p
{%- endif %}
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{%- set few = 'n_requests < ' ~ asked.min_requests -%}
{%- set parted %}
    SELECT
        g.*,
        CASE WHEN has_two = 1 THEN 'two values' WHEN {{ few }} THEN 'few requests' ELSE 'listed' END AS part
        {%- if asked.metric is not none %},
        SUM(squares) OVER () / n_scores AS variance_of_score
        {%- endif %}
    FROM rankmetrics_values AS g
{%- endset -%}
{%- set bounded %}
    SELECT
        g.*,
        CASE WHEN part = 'listed' THEN 0 ELSE 1 END AS is_left_out,
        {{ rankmetrics_sql.rm_worst_lost(asked).lower }} AS lowest
    FROM rankmetrics_parted AS g
{%- endset -%}
{%- set rated %}
    SELECT
        g.*,
        n_clicked / NULLIF(n_shown, 0) AS rate
    FROM {{ 'rankmetrics_folded' if asked.totals else 'rankmetrics_ranked' }} AS g
{%- endset -%}
{%- set order = ['is_left_out ASC', 'lowest DESC', 'n_requests DESC'] + asked.value_names -%}
{%- set ranked %}
    SELECT
        g.*,
        ROW_NUMBER() OVER (
            ORDER BY {{ order | join(', ') }}
        ) AS nth
    FROM rankmetrics_bounded AS g
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_values', groups, 'the sums of each value'),
    rankmetrics_sql.rm_cte('rankmetrics_parted', parted, 'the same, with whether each may be listed'),
    rankmetrics_sql.rm_cte('rankmetrics_bounded', bounded, 'the same with the lower bound of what each loses'),
    rankmetrics_sql.rm_cte('rankmetrics_ranked', ranked, 'the same, numbered from what loses most for sure'),
] + rankmetrics_sql.rm_worst_folded(asked, columns) + [
    rankmetrics_sql.rm_cte('rankmetrics_rated', rated, 'the same with clicks per impression'),
]) }}
{% endmacro %}

{#- folded: the rows to list, and one for each reason why the others are not. -#}
{% macro rm_worst_folded(asked, columns) %}
{%- if not asked.totals -%}{{ return([]) }}{%- endif -%}
{%- set reasoned %}
    SELECT
        g.*,
        CASE WHEN part = 'listed' AND nth > {{ asked.n }} THEN 'beyond n' ELSE part END AS reason,
        CASE WHEN part = 'listed' AND nth <= {{ asked.n }} THEN nth ELSE 0 END AS place_in_list
    FROM rankmetrics_ranked AS g
{%- endset -%}
{%- set values = [] -%}
{%- for name in asked.value_names -%}
    {%- do values.append({'name': name, 'sql': 'MAX(CASE WHEN place_in_list > 0 THEN ' ~ name ~ ' END)'}) -%}
{%- endfor -%}
{%- set of_log = ['last_period', 'period_before', 'mean_score', 'n_scores'] -%}
{%- set names = columns | map(attribute='name') | list -%}
{%- set of_columns = rankmetrics_sql.rm_each('SUM(', names | reject('in', of_log))
    + rankmetrics_sql.rm_each('MAX(', names | select('in', of_log))
    + rankmetrics_sql.rm_each('MAX(', [] if asked.metric is none else ['variance_of_score']) -%}
{%- set folded %}
    SELECT
        {{ rankmetrics_sql.rm_lines([
            {'name': 'part', 'sql': 'reason'}, {'name': 'nth', 'sql': 'place_in_list'},
            {'name': 'n_values', 'sql': 'COUNT(*)'},
        ] + values + of_columns) }}
    FROM rankmetrics_reasoned
    GROUP BY reason, place_in_list
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_reasoned', reasoned, 'the same, with why a value is not listed'),
    rankmetrics_sql.rm_cte('rankmetrics_folded', folded, 'the values to list, and the others by reason'),
]) }}
{% endmacro %}

{#- What is lost of a group, and the ends of its interval, in the terms of the order. -#}
{% macro rm_worst_lost(asked) %}
{%- set lost = '(n_expected - n_clicked)' -%}
{%- set reach = asked.z ~ ' * SQRT(variance)' -%}
{%- if asked.metric is not none -%}
    {%- set lost = '(n_scored * mean_score - COALESCE(sum_score, 0))' -%}
    {%- if asked.metric.better == 'lower' -%}
        {%- set lost = '(COALESCE(sum_score, 0) - n_scored * mean_score)' -%}
    {%- endif -%}
    {%- set reach = asked.z ~ ' * SQRT(n_scored * variance_of_score)' -%}
{%- endif -%}
{{ return({'lost': lost, 'lower': lost ~ ' - ' ~ reach, 'upper': lost ~ ' + ' ~ reach}) }}
{% endmacro %}

{#- The result. -#}
{% macro rm_worst_rows(asked) %}
{%- set columns = [] -%}
{%- if asked.totals -%}{%- do columns.extend(['part', 'n_values']) -%}{%- endif -%}
{%- for value in asked.groups -%}{%- do columns.append({'name': value.label, 'sql': value.name}) -%}{%- endfor -%}
{%- set reach = asked.z ~ ' * SQRT(variance)' -%}
{%- set requests = rankmetrics_sql.rm_as_double('n_requests') -%}
{%- do columns.append({'name': 'requests', 'sql': 'n_requests'}) -%}
{%- if asked.users -%}
    {%- do columns.append({
        'name': 'users', 'sql': 'CASE WHEN nth > 0 THEN n_users END' if asked.totals else 'n_users',
    }) -%}
{%- endif -%}
{%- if asked.empty_lists -%}
    {%- do columns.append({'name': 'share_without_results', 'sql': 'is_empty / ' ~ requests}) -%}
{%- endif -%}
{%- do columns.extend([
    {'name': 'impressions', 'sql': rankmetrics_sql.rm_as_integer('n_shown')},
    {'name': 'clicks', 'sql': rankmetrics_sql.rm_as_integer('n_clicked')},
    {'name': 'expected_clicks', 'sql': 'n_expected'},
    {'name': 'lost_clicks', 'sql': 'n_expected - n_clicked'},
    {'name': 'lost_lower', 'sql': 'n_expected - n_clicked - ' ~ reach},
    {'name': 'lost_upper', 'sql': 'n_expected - n_clicked + ' ~ reach},
    {'name': 'ctr', 'sql': 'rate'},
    {'name': 'ci_lower', 'sql': 'CASE WHEN rate = 0 THEN 0.0 ELSE ' ~ asked.wilson.lower ~ ' END'},
    {'name': 'ci_upper', 'sql': 'CASE WHEN rate = 1 THEN 1.0 ELSE ' ~ asked.wilson.upper ~ ' END'},
    {'name': 'mrr', 'sql': 'reciprocal / ' ~ requests},
]) -%}
{%- if asked.follows -%}
    {%- do columns.append({'name': 'n_reformulated', 'sql': rankmetrics_sql.rm_as_integer('is_reformulated')}) -%}
{%- endif -%}
{%- if asked.period is not none -%}
    {%- do columns.extend([
        {'name': 'period', 'sql': 'last_period'},
        'period_before',
        {'name': 'lost_in_period', 'sql': 'CASE WHEN late_shown > 0 THEN late_lost END'},
        {'name': 'lost_before', 'sql': 'CASE WHEN early_shown > 0 THEN early_lost END'},
        {'name': 'trend', 'sql': 'late_lost / NULLIF(late_shown, 0) - early_lost / NULLIF(early_shown, 0)'},
    ]) -%}
{%- endif -%}
{%- if asked.metric is not none -%}
    {%- set lost = rankmetrics_sql.rm_worst_lost(asked) -%}
    {%- do columns.extend([
        {'name': 'metric_value', 'sql': 'sum_score / NULLIF(n_scored, 0)'},
        {'name': 'metric_lost', 'sql': lost.lost},
        {'name': 'metric_lost_lower', 'sql': lost.lower},
        {'name': 'metric_lost_upper', 'sql': lost.upper},
    ]) -%}
{%- endif -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns, 4) }}
{%- if asked.totals %}
FROM rankmetrics_rated
ORDER BY CASE WHEN nth > 0 THEN 0 ELSE 1 END, nth, part
{%- else %}
FROM rankmetrics_rated
WHERE part = 'listed' AND nth <= {{ asked.n }}
ORDER BY nth
{%- endif %}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#-
What rows of impressions say beside metrics of requests: selects that any model can start from. relation has a row for
each item that a request was shown, with its position from 1 and a relevance of rel or more where it was clicked, as
from_events gives them; an item without a relevance was shown and not clicked.
-#}

{#-
The propensity of each position, that of the first being 1: how likely people look at it. Where the same item was shown
for the same query at several positions, what differs is the position (Agarwal et al. 2019, WSDM). NULL where no pair
says anything, and with adjacent_chain below such a position.

query_column  what was asked for, or a list of columns; it is no request, which shows an item once
method        'adjacent_chain': each position against the one above; 'pivot_one': each against the first
n_pairs       in the result: how many queries and items were shown at both
-#}
{% macro propensities(
    relation, query_column='query', item_column='item_id', position_column='position', relevance_column='relevance',
    method='adjacent_chain', rel=1
) %}
{%- if method not in ['adjacent_chain', 'pivot_one'] -%}
    {{ exceptions.raise_compiler_error(
        'rankmetrics_sql: method is one of adjacent_chain, pivot_one, not ' ~ method ~ '.'
    ) }}
{%- endif -%}
{%- set chained = method == 'adjacent_chain' -%}
{%- set keys = rankmetrics_sql.rm_source_keys(query_column) | map(attribute='name') | list + ['item_id'] -%}
{%- set pair = 'PARTITION BY ' ~ keys | join(', ') -%}
{%- set above = pair ~ ' ORDER BY place ASC ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING' -%}
{%- set rate = 'rate' if chained else 'CASE WHEN place = 1 THEN rate END' -%}
{%- set beside %}
    SELECT
        place,
        rate,
        MAX({{ rate }}) OVER ({{ above if chained else pair }}) AS rate_beside,
        {{ 'MAX(place) OVER (' ~ above ~ ')' if chained else '1' }} AS place_beside
    FROM rankmetrics_rates
{%- endset -%}
{%- set ratios %}
    SELECT
        place,
        SUM(rate) / NULLIF(SUM(rate_beside), 0) AS ratio,
        COUNT(*) AS n_pairs
    FROM rankmetrics_beside
    WHERE place > 1 AND place_beside = {{ 'place - 1' if chained else '1' }} AND rate_beside IS NOT NULL
    GROUP BY place
{%- endset -%}
{%- set down = 'ORDER BY place ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- set known = 'CASE WHEN ratio > 0 THEN ratio END' -%}
{%- set product = rankmetrics_sql.rm_exp('SUM(LN(' ~ known ~ ')) OVER (' ~ down ~ ')') -%}
{%- set whole = 'COUNT(' ~ known ~ ') OVER (' ~ down ~ ') = place - 1' -%}
{%- set select -%}
SELECT
    place AS position,
    {{ rankmetrics_sql.rm_as_double('1') }} AS propensity,
    COUNT(*) AS n_pairs
FROM rankmetrics_rates
WHERE place = 1
GROUP BY place
UNION ALL
SELECT
    place AS position,
    {{ 'CASE WHEN ' ~ whole ~ ' THEN ' ~ product ~ ' END' if chained else 'ratio' }} AS propensity,
    n_pairs
FROM rankmetrics_ratios
ORDER BY position ASC
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_click_rates(relation, query_column, item_column, position_column, relevance_column, rel) + [
        rankmetrics_sql.rm_cte(
            'rankmetrics_beside', beside,
            'each click rate beside that of the same query and item one position higher' if chained
                else 'each click rate beside that of the same query and item at position 1'
        ),
        rankmetrics_sql.rm_cte(
            'rankmetrics_ratios', ratios,
            'the ratio of the click rates at each position to those one position higher' if chained
                else 'the ratio of the click rates at each position to those at position 1'
        ),
    ]
) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- Of two positions at which items were shown for the same query: what was clicked at the one, and what was not. -#}
{% macro rm_pairs_of_positions(
    relation, query_column='query', item_column='item_id', position_column='position', relevance_column='relevance',
    rel=1
) %}
{%- set keys = rankmetrics_sql.rm_source_keys(query_column) | map(attribute='name') | list + ['item_id'] -%}
{%- set select -%}
SELECT
    a.place AS place,
    b.place AS place_beside,
    SUM(a.rate) AS clicked,
    SUM(1 - a.rate) AS not_clicked
FROM rankmetrics_rates AS a
INNER JOIN rankmetrics_rates AS b ON {{ rankmetrics_sql.rm_same('a', 'b', keys) }}
WHERE a.place <> b.place
GROUP BY a.place, b.place
ORDER BY place ASC, place_beside ASC
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_click_rates(relation, query_column, item_column, position_column, relevance_column, rel)
) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- rates: of each query and item at each position, the share of its impressions there that were clicked. -#}
{% macro rm_click_rates(relation, query_column, item_column, position_column, relevance_column, rel) %}
{%- set item = rankmetrics_sql.rm_over_row(item_column) -%}
{%- set place = rankmetrics_sql.rm_over_row(position_column) -%}
{%- set columns = rankmetrics_sql.rm_source_keys(query_column)
    + [{'name': 'item_id', 'sql': item}, {'name': 'place', 'sql': place}] -%}
{%- set rates %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        AVG({{ rankmetrics_sql.rm_was_clicked(relevance_column, rel) }}) AS rate
    FROM rankmetrics_impressions AS s
    WHERE {{ rankmetrics_sql.rm_all_known(columns | map(attribute='sql')) }}
    GROUP BY {{ columns | map(attribute='sql') | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_impressions(relation) + [rankmetrics_sql.rm_cte(
    'rankmetrics_rates', rates,
    'the share of the impressions that were clicked, by query, item and position'
)]) }}
{% endmacro %}

{#- The first stage, of all columns. -#}
{% macro rm_impressions(relation) %}
{{ return([rankmetrics_sql.rm_cte(
    'rankmetrics_impressions', 'SELECT * FROM ' ~ relation,
    'the impressions as they were given'
)]) }}
{% endmacro %}

{% macro rm_was_clicked(relevance_column, rel) %}
{%- set grade = rankmetrics_sql.rm_over_row(relevance_column) -%}
{%- set clicked = 'CASE WHEN ' ~ grade ~ ' >= ' ~ rankmetrics_sql.rm_number(rel) ~ ' THEN 1 ELSE 0 END' -%}
{{ return(rankmetrics_sql.rm_as_double(clicked)) }}
{% endmacro %}

{#-
Clicks over expected clicks of each item, or of what else by_column says: an impression at a position is expected to be
clicked as often as all impressions there are (Zhang & Jones 2007, WWW). 1 is as clicked as its positions.

by_column  the item, the query, or a list of columns
-#}
{% macro coec(
    relation, by_column='item_id', position_column='position', relevance_column='relevance', rel=1
) %}
{%- set by = rankmetrics_sql.rm_context(by_column) -%}
{%- for column in by if not rankmetrics_sql.rm_is_column(column.name ~ '') -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: by_column: ' ~ column.name ~ ' is no column.') }}
{%- endfor -%}
{%- set names = by | map(attribute='name') | list -%}
{%- set place = rankmetrics_sql.rm_over_row(position_column) -%}
{%- set clicked = rankmetrics_sql.rm_was_clicked(relevance_column, rel) -%}
{%- set expected %}
    SELECT
        {{ rankmetrics_sql.rm_lines(by) }},
        {{ clicked }} AS was_clicked,
        AVG({{ clicked }}) OVER (PARTITION BY {{ place }}) AS expected
    FROM rankmetrics_impressions AS s
    WHERE {{ place }} IS NOT NULL
{%- endset -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(names, 4) }},
    COUNT(*) AS impressions,
    SUM(was_clicked) AS clicks,
    SUM(expected) AS expected_clicks,
    SUM(was_clicked) / NULLIF(SUM(expected), 0) AS coec
FROM rankmetrics_expected
GROUP BY {{ names | join(', ') }}
ORDER BY {{ names | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_impressions(relation) + [rankmetrics_sql.rm_cte(
        'rankmetrics_expected', expected,
        'each impression with whether it was clicked and how often one at its position is'
    )]
) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- Impressions, clicks and the share of the one that the other are, by position. -#}
{% macro ctr_by_position(relation, position_column='position', relevance_column='relevance', rel=1) %}
{%- set place = rankmetrics_sql.rm_over_row(position_column) -%}
{%- set clicked = rankmetrics_sql.rm_was_clicked(relevance_column, rel) -%}
{%- set select -%}
SELECT
    {{ place }} AS position,
    COUNT(*) AS impressions,
    SUM({{ clicked }}) AS clicks,
    AVG({{ clicked }}) AS ctr
FROM rankmetrics_impressions AS s
WHERE {{ place }} IS NOT NULL
GROUP BY {{ place }}
ORDER BY position ASC
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(rankmetrics_sql.rm_impressions(relation)) ~ '\n\n' ~ select) }}
{% endmacro %}

{#-
Who won a request of an interleaving by team draft, or the requests of each user: the team with more clicked items
(Radlinski, Kurup & Joachims 2008, CIKM). preference is 1 for the first team, -1 for the second, 0 for neither; clicks
on items of no team belong to none.

relation        a row per request and item: the team that the item came from, and whether it was clicked
teams           the names of the two
request_column  what names a request, or a list of columns
user_column     the user, for a row per user: the requests that each team won, and who won more
clicked_column  1 or more where it was clicked
-#}
{% macro team_draft_credit(
    relation, teams, request_column='request_id', user_column=none, team_column='team', clicked_column='clicked'
) %}
{%- set drafts = rankmetrics_sql.rm_drafts(
    relation, teams, request_column, user_column, team_column, clicked_column
) -%}
{%- set wins %}
    SELECT
        user_id,
        COUNT(*) AS n_requests,
        SUM(CASE WHEN clicks_1 > clicks_2 THEN 1 ELSE 0 END) AS wins_1,
        SUM(CASE WHEN clicks_1 < clicks_2 THEN 1 ELSE 0 END) AS wins_2
    FROM rankmetrics_requests
    GROUP BY user_id
{%- endset -%}
{%- set users = user_column is not none -%}
{%- set shown = ['user_id', 'n_requests'] if users else drafts.names -%}
{%- set credit = 'wins' if users else 'clicks' -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(shown, 4) }},
    {{ credit }}_1 AS credit_1,
    {{ credit }}_2 AS credit_2,
    CASE
        WHEN {{ credit }}_1 > {{ credit }}_2 THEN 1
        WHEN {{ credit }}_1 < {{ credit }}_2 THEN -1
        ELSE 0
    END AS preference
FROM {{ 'rankmetrics_wins' if users else 'rankmetrics_requests' }}
ORDER BY {{ shown[0] if users else drafts.names | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    drafts.ctes + ([rankmetrics_sql.rm_cte(
        'rankmetrics_wins', wins,
        'how many requests each team won, for each user'
    )] if users else [])
) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- requests: the clicks that each team has in each; and the names of the columns that tell requests apart. -#}
{% macro rm_drafts(relation, teams, request_column, user_column, team_column, clicked_column) %}
{%- if teams is string or teams is mapping or teams | length != 2 or teams[0] == teams[1] -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: teams are the names of two teams, not ' ~ teams ~ '.') }}
{%- endif -%}
{%- set users = [] -%}
{%- if user_column is not none -%}
    {%- do users.append({'name': 'user_id', 'sql': rankmetrics_sql.rm_over_row(user_column)}) -%}
{%- endif -%}
{%- set keys = users + rankmetrics_sql.rm_source_keys(request_column) -%}
{%- set names = keys | map(attribute='name') | list -%}
{%- set clicked = rankmetrics_sql.rm_was_clicked(clicked_column, 1) -%}
{%- set credits = [] -%}
{%- for team in teams -%}
    {%- set of_team = rankmetrics_sql.rm_over_row(team_column) ~ ' = ' ~ rankmetrics_sql.rm_string(team) -%}
    {%- do credits.append('SUM(CASE WHEN ' ~ of_team ~ ' THEN ' ~ clicked ~ ' ELSE 0 END)') -%}
{%- endfor -%}
{%- set requests %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys) }},
        {{ credits[0] }} AS clicks_1,
        {{ credits[1] }} AS clicks_2
    FROM rankmetrics_impressions AS s
    WHERE {{ rankmetrics_sql.rm_all_known(keys | map(attribute='sql')) }}
    GROUP BY {{ keys | map(attribute='sql') | join(', ') }}
{%- endset -%}
{{ return({
    'names': names,
    'ctes': rankmetrics_sql.rm_impressions(relation) + [rankmetrics_sql.rm_cte(
        'rankmetrics_requests', requests,
        'how many clicks each team has in each request'
    )],
}) }}
{% endmacro %}

{#-
Which team of an interleaving is preferred, and whether that is more than chance: a request counts 1 where the first
team has more clicked items, -1 where the second has, 0 where neither; a user has the mean of the user's requests, and
preference is the mean of all users, from -1 to 1, with Student's t of them: the requests of one user are alike, and
users are what was drawn (Chapelle, Joachims, Radlinski & Yue 2012, TOIS). Without a user each request is one.

wins, ties, losses  in the result: users whose mean is above, at and below 0
pvalue              in the result; like the interval NULL where all users agree, which does not say how far they spread
confidence_level    how often the interval holds the true preference
-#}
{% macro team_draft_preference(
    relation, teams, request_column='request_id', user_column=none, team_column='team', clicked_column='clicked',
    confidence_level=0.95
) %}
{%- if confidence_level is not number or confidence_level <= 0 or confidence_level > 0.99999 -%}
    {{ exceptions.raise_compiler_error(
        'rankmetrics_sql: confidence_level is a number above 0 and at most 0.99999, not '
            ~ confidence_level ~ '.'
    ) }}
{%- endif -%}
{%- set drafts = rankmetrics_sql.rm_drafts(
    relation, teams, request_column, user_column, team_column, clicked_column
) -%}
{%- set won = 'CASE WHEN clicks_1 > clicks_2 THEN 1 WHEN clicks_1 < clicks_2 THEN -1 ELSE 0 END' -%}
{%- set won = rankmetrics_sql.rm_as_double(won) -%}
{%- set users %}
    SELECT
        {{ won if user_column is none else 'AVG(' ~ won ~ ')' }} AS preference,
        {{ '1' if user_column is none else 'COUNT(*)' }} AS n_requests
    FROM rankmetrics_requests
    {%- if user_column is not none %}
    GROUP BY user_id
    {%- endif %}
{%- endset -%}
{%- set centred %}
    SELECT
        preference,
        n_requests,
        AVG(preference) OVER () AS mean_preference
    FROM rankmetrics_users
{%- endset -%}
{%- set deviation = '(preference - mean_preference)' -%}
{%- set squares = rankmetrics_sql.rm_aggregated('sum', deviation ~ ' * ' ~ deviation, 'preference') -%}
{%- set n = rankmetrics_sql.rm_as_double('COUNT(*)') -%}
{%- set squares = '(' ~ rankmetrics_sql.rm_beyond_rounding(squares, '', n) ~ ')' -%}
{%- set error = 'CASE WHEN COUNT(*) > 1 THEN SQRT(' ~ squares ~ ' / (' ~ n ~ ' - 1) / ' ~ n ~ ') END' -%}
{%- set counts = ['n_users', 'n_requests', 'wins', 'ties', 'losses'] -%}
{%- set said = ['standard_error'] + counts -%}
{%- set measured %}
    SELECT
        1 AS always,
        0 AS in_logarithms,
        COUNT(*) AS n_users,
        SUM(n_requests) AS n_requests,
        SUM(CASE WHEN preference > 0 THEN 1 ELSE 0 END) AS wins,
        SUM(CASE WHEN preference = 0 THEN 1 ELSE 0 END) AS ties,
        SUM(CASE WHEN preference < 0 THEN 1 ELSE 0 END) AS losses,
        MAX(mean_preference) AS estimate,
        {{ error }} AS standard_error,
        CASE WHEN {{ squares }} > 0 OR MAX(mean_preference) = 0 THEN {{ error }} END AS error,
        CASE WHEN COUNT(*) > 1 THEN {{ n }} - 1 END AS degrees
    FROM rankmetrics_centred
{%- endset -%}
{%- set student = rankmetrics_sql.rm_student([], said, ((1 - confidence_level) / 2) | round(15)) -%}
{%- set select -%}
SELECT
    s.estimate AS preference,
    s.standard_error,
    s.estimate - s.error * s.point AS ci_lower,
    s.estimate + s.error * s.point AS ci_upper,
    CASE WHEN s.error > 0 THEN s.estimate / s.error END AS statistic,
    CASE WHEN s.error IS NOT NULL THEN {{ rankmetrics_sql.rm_pvalue('two_sided') }} END AS pvalue,
    {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_kept('s', counts), 4) }}
FROM {{ student.stages.second_point }} AS s
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    drafts.ctes + [
        rankmetrics_sql.rm_cte('rankmetrics_users', users, 'the preference of each user, from -1 to 1'),
        rankmetrics_sql.rm_cte('rankmetrics_centred', centred, 'each beside the mean of all users'),
    ] + rankmetrics_sql.rm_with_points(student, measured, ['beyond_distance'])
) ~ '\n\n' ~ select) }}
{% endmacro %}

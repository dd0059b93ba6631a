{#- Which of two teams an interleaving prefers: request by request, and over all users. -#}

{#-
Who won a request of an interleaving by team draft, or the requests of each user: the team with more clicked items
(Radlinski, Kurup & Joachims 2008, CIKM). preference is 1 for the first team, -1 for the second, 0 for neither; clicks
on items of no team belong to none.

relation  a row per request and item: the team that the item came from, and whether it was clicked
teams     the names of the two
columns   what the user calls team; request, or a list of columns; user, for a row per user: the requests that each team
          won, and who won more; clicked, 1 or more where the item was clicked
-#}
{% macro team_draft_credit(relation, teams, columns=none) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = rankmetrics_sql.rm_draft_columns(columns) -%}
{%- set drafts = rankmetrics_sql.rm_drafts(relation, teams, own) -%}
{%- set wins %}
    SELECT
        user_id,
        COUNT(*) AS n_requests,
        SUM(CASE WHEN clicks_1 > clicks_2 THEN 1 ELSE 0 END) AS wins_1,
        SUM(CASE WHEN clicks_1 < clicks_2 THEN 1 ELSE 0 END) AS wins_2
    FROM rankmetrics_requests
    GROUP BY user_id
{%- endset -%}
{%- set users = own.user is not none -%}
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

{#- The columns of a draft by what they mean. -#}
{% macro rm_draft_columns(columns) %}
{{ return(rankmetrics_sql.rm_source_columns({
    'request': 'request_id', 'user': none, 'team': 'team', 'clicked': 'clicked',
}, columns)) }}
{% endmacro %}

{#- requests: the clicks that each team has in each; and the names of the columns that tell requests apart. -#}
{% macro rm_drafts(relation, teams, own) %}
{%- if teams is string or teams is mapping or teams | length != 2 or teams[0] == teams[1] -%}
    {%- do rankmetrics_sql.rm_raise('teams are the names of two teams, not ' ~ teams ~ '.') -%}
{%- endif -%}
{%- set users = [] -%}
{%- if own.user is not none -%}
    {%- do users.append({'name': 'user_id', 'sql': rankmetrics_sql.rm_over_row(own.user)}) -%}
{%- endif -%}
{%- set keys = users + rankmetrics_sql.rm_source_keys(own.request) -%}
{%- set names = keys | map(attribute='name') | list -%}
{%- set clicked = rankmetrics_sql.rm_was_clicked(own.clicked, 1) -%}
{%- set credits = [] -%}
{%- for team in teams -%}
    {%- set of_team = rankmetrics_sql.rm_over_row(own.team) ~ ' = ' ~ rankmetrics_sql.rm_string(team) -%}
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
{% macro team_draft_preference(relation, teams, columns=none, confidence_level=0.95) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- if confidence_level is not number or confidence_level <= 0 or confidence_level > 0.99999 -%}
    {%- do rankmetrics_sql.rm_raise(
        'confidence_level is a number above 0 and at most 0.99999, not ' ~ confidence_level ~ '.'
    ) -%}
{%- endif -%}
{%- set own = rankmetrics_sql.rm_draft_columns(columns) -%}
{%- set drafts = rankmetrics_sql.rm_drafts(relation, teams, own) -%}
{%- set won = 'CASE WHEN clicks_1 > clicks_2 THEN 1 WHEN clicks_1 < clicks_2 THEN -1 ELSE 0 END' -%}
{%- set won = rankmetrics_sql.rm_as_double(won) -%}
{%- set users %}
    SELECT
        {{ won if own.user is none else 'AVG(' ~ won ~ ')' }} AS preference,
        {{ '1' if own.user is none else 'COUNT(*)' }} AS n_requests
    FROM rankmetrics_requests
    {%- if own.user is not none %}
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
{%- set said = ['standard_error', 'estimate', 'error'] + counts -%}
{%- set measured %}
    SELECT
        1 AS join_key,
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
{%- set distance = 'CASE WHEN error > 0 THEN ABS(estimate) / error END' -%}
{%- set student = rankmetrics_sql.rm_student(
    [], said, [rankmetrics_sql.rm_point('point', ((1 - confidence_level) / 2) | round(15))], distance
) -%}
{%- set select -%}
SELECT
    s.estimate AS preference,
    s.standard_error,
    s.estimate - s.error * s.point AS ci_lower,
    s.estimate + s.error * s.point AS ci_upper,
    CASE WHEN s.error > 0 THEN s.estimate / s.error END AS statistic,
    CASE WHEN s.error IS NOT NULL THEN {{ rankmetrics_sql.rm_pvalue('two_sided', 's.estimate') }} END AS pvalue,
    {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('s', counts), 4) }}
FROM {{ student.stages.critical_values }} AS s
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    drafts.ctes + [
        rankmetrics_sql.rm_cte('rankmetrics_users', users, 'the preference of each user, from -1 to 1'),
        rankmetrics_sql.rm_cte('rankmetrics_centred', centred, 'each beside the mean of all users'),
    ] + rankmetrics_sql.rm_with_points(student, measured, ['beyond_distance'])
) ~ '\n\n' ~ select) }}
{% endmacro %}

{#-
Click-through by position: how many items were shown at each position and clicked, and the share of the one in the
other, with its interval.

by                columns that the rows are grouped by too, such as the arm
columns           what the user calls position, relevance, and query: what names the request, or a list of columns.
                  Without it each impression is one by itself; with a period, time
period            day, week or month of the time, in the time zone timezone: a group, too
confidence_level  how often the interval holds the true share

The interval is Wilson's (1927) with the effective number of impressions n* in place of n (Korn & Graubard 1998), as
items of one request at one position may be alike: n* = p (1 - p) n^2 / SUM((c - p m)^2), at most n, over requests with
m impressions there and c clicks. Where each request shows one item at a position n* is n. Where no impression or each
one is clicked, nothing says how alike they are: n* is then the number of requests.
-#}
{% macro ctr_by_position(relation, columns=none, by=[], rel=1, confidence_level=0.95, period=none, timezone=none) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set groups = rankmetrics_sql.rm_by_columns(by or []) -%}
{%- set z = rankmetrics_sql.rm_point_of_level(confidence_level) -%}
{%- set own = rankmetrics_sql.rm_source_columns({
    'query_id': none, 'position': 'position', 'relevance': 'relevance', 'time': none,
}, columns) -%}
{%- do rankmetrics_sql.rm_raise_refusal(rankmetrics_sql.rm_period_refusal(
    period, timezone, 0 if own.time is none else 1
)) -%}
{%- if period is not none -%}
    {%- do groups.append({'name': 'period', 'sql': rankmetrics_sql.rm_period(
        rankmetrics_sql.rm_over_row(own.time), period, 'UTC' if timezone is none else timezone
    )}) -%}
{%- endif -%}
{%- set names = groups | map(attribute='name') | list -%}
{%- set place = {'name': 'shown_at', 'sql': rankmetrics_sql.rm_over_row(own.position)} -%}
{%- set clicked = rankmetrics_sql.rm_was_clicked(own.relevance, rel) -%}
{%- set keys = [] -%}
{%- for key in ([] if own.query_id is none else rankmetrics_sql.rm_as_list(own.query_id)) -%}
    {%- do keys.append({'name': 'request_' ~ loop.index, 'sql': rankmetrics_sql.rm_over_row(key)}) -%}
{%- endfor -%}
{%- set requests %}
    SELECT
        {{ rankmetrics_sql.rm_lines(groups + [place] + keys) }},
        {{ rankmetrics_sql.rm_as_double('COUNT(*)' if keys else '1') }} AS n_here,
        {{ 'SUM(' ~ clicked ~ ')' if keys else clicked }} AS clicks_here
    FROM rankmetrics_impressions AS s
    WHERE {{ place.sql }} IS NOT NULL
{%- if keys %}
    GROUP BY {{ (groups + [place] + keys) | map(attribute='sql') | join(', ') }}
{%- endif %}
{%- endset -%}
{%- set grouped = names + ['shown_at'] -%}
{%- set window = 'OVER (PARTITION BY ' ~ grouped | join(', ') ~ ')' -%}
{%- set beside %}
    SELECT
        {{ rankmetrics_sql.rm_lines(grouped) }},
        n_here,
        clicks_here,
        SUM(n_here) {{ window }} AS n_shown,
        SUM(clicks_here) {{ window }} AS n_clicked
    FROM rankmetrics_requests
{%- endset -%}
{%- set off = '(clicks_here - n_clicked / n_shown * n_here)' -%}
{%- set squares = 'SUM(' ~ off ~ ' * ' ~ off ~ ')' -%}
{%- set positions %}
    SELECT
        {{ rankmetrics_sql.rm_lines(grouped) }},
        MAX(n_shown) AS impressions,
        MAX(n_clicked) AS clicks,
        MAX(n_clicked / n_shown) AS rate,
        {{ rankmetrics_sql.rm_as_double('COUNT(*)') }} AS n_requests,
        {{ squares }} AS squares
    FROM rankmetrics_with_all_requests
    GROUP BY {{ grouped | join(', ') }}
{%- endset -%}
{%- set alike = 'rate * (1 - rate) * impressions * impressions' -%}
{%- set sized %}
    SELECT
        {{ rankmetrics_sql.rm_lines(grouped + ['impressions', 'clicks', 'rate']) }},
        CASE
            WHEN clicks = 0 OR clicks = impressions THEN n_requests
            WHEN {{ alike }} < impressions * squares THEN {{ alike }} / squares
            ELSE impressions
        END AS n_effective
    FROM rankmetrics_positions
{%- endset -%}
{%- set wilson = rankmetrics_sql.rm_wilson('n_effective', z) -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(names + [{'name': 'position', 'sql': 'shown_at'}], 4) }},
    {{ rankmetrics_sql.rm_as_integer('impressions') }} AS impressions,
    {{ rankmetrics_sql.rm_as_integer('clicks') }} AS clicks,
    rate AS ctr,
    CASE WHEN clicks = 0 THEN 0.0 ELSE {{ wilson.lower }} END AS ci_lower,
    CASE WHEN clicks = impressions THEN 1.0 ELSE {{ wilson.upper }} END AS ci_upper
FROM rankmetrics_sized
ORDER BY {{ (names + ['shown_at']) | join(' ASC, ') }} ASC
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(rankmetrics_sql.rm_impressions(relation) + [
    rankmetrics_sql.rm_cte(
        'rankmetrics_requests', requests,
        'the number of items that each request showed at a position, and of those clicked' if keys
            else 'each impression with whether it was clicked'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_with_all_requests', beside, 'the same beside the numbers of all requests'),
    rankmetrics_sql.rm_cte('rankmetrics_positions', positions, 'the click rate at each position'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_sized', sized,
        'the effective number of impressions, as if they were independent'
    ),
]) ~ '\n\n' ~ select) }}
{% endmacro %}

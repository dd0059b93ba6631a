{#-
title   = "Time to the first click"
group   = "click"
summary = """\
    Seconds from the first impression of a request to its first click on an item within the first k, averaged over \
    the requests that have one; aggregate=median is their median. A click before that impression does not count."""
formula = "min over the clicks on the first k items of (time of the click - time of the request's first impression)"
aliases = ["seconds_to_first_click", "time_to_click"]
better  = "lower"
reads_grades = false
reads_order = "cutoff"
source  = """\
    Fox et al. 2005, ACM TOIS: evaluating implicit measures to improve web search; here the first click in time, not \
    in the list"""
parameters = ["k", "type", "no_click"]
needs   = ["action_seconds", "shared_places"]

[params.type]
default = "click"
help    = "the type of action that is a click; upper and lower case differ"

[[example]]
ranking = []
missed  = [1]
value   = "null"
[[example]]
ranking = [1, 0, 1]
action_seconds = [12, 30, 4.5]    # the first click was on the third item
value   = "4.5"
[[example]]
ranking = [1, 0, 1]
action_seconds = [12, 30, 4.5]
k       = 2
value   = "12"
[[example]]
ranking = [0, 1]
type    = "add_to_cart"
action_seconds = [90, 60]
value   = "60"
[[example]]
ranking = [0, 1]
no_click = "skip"
action_seconds = [30, 2]
value   = "2"
-#}
{% macro metric_time_to_first_click(k=none, type='click', no_click='null') %}
{%- set seconds = rankmetrics_sql.rm_action_column('seconds', type) -%}
{{ return('MIN(' ~ (seconds if k is none
    else 'CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' THEN ' ~ seconds ~ ' END') ~ ')') }}
{% endmacro %}

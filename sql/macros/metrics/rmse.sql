{#-
title     = "Root mean squared error"
group     = "ratings"
summary   = """\
    Root of the mean squared distance of prediction and rating over all rated items with a prediction, of all users \
    together; aggregate=mean is the mean of the users' roots. The score is the prediction, the grade the rating."""
formula   = "√(Σ (s_i - g_i)² / number of judged retrieved items i), both sums over all queries"
aliases   = ["root_mean_squared_error"]
better    = "lower"
aggregate = "parts"
source    = """\
    Herlocker et al. 2004, ACM TOIS 22(1): root mean squared error; Surprise, recommenders and scikit-learn: over \
    all pairs"""
parameters = ["no_prediction"]
needs     = ["score"]
about_judgments = true
reads_ranks = false
[differs]
"rrecsys" = "the mean over users (aggregate=mean); over all pairs it is globalRMSE"
"LensKit" = "as its guide computes it, the mean over users (aggregate=mean)"

[[example]]
ranking = []
missed  = [1]
value   = "null"
[[example]]
ranking = ["?"]
no_prediction = "skip"
value   = "null"
[[example]]
ranking = [4, 3]
scores  = [4, 3]
value   = "0"
[[example]]
ranking = [3, "?", 5, -1]
scores  = [4.5, 4, 2, 1]
missed  = [5]
value   = "((1.5 ** 2 + 3 ** 2 + 2 ** 2) / 3) ** (1/2)"
-#}
{% macro metric_rmse(no_prediction='null') %}
{{ return('SQRT(AVG((score - relevance) * (score - relevance)))') }}
{% endmacro %}

{% macro metric_rmse_parts(no_prediction='null') %}
{{ return(rankmetrics_sql.rm_error_parts('(score - relevance) * (score - relevance)')) }}
{% endmacro %}

{% macro metric_rmse_total(sums, n, no_prediction='null') %}
{%- set square = rankmetrics_sql.rm_error_total(sums) -%}
{%- set root = 'SQRT(' ~ square.sql ~ ')' -%}
{%- set slopes = [] -%}
{%- for slope in square.slopes -%}{%- do slopes.append(slope ~ ' / NULLIF(2 * ' ~ root ~ ', 0)') -%}{%- endfor -%}
{{ return({'sql': root, 'slopes': slopes}) }}
{% endmacro %}

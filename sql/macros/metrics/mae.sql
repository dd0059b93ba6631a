{#-
title     = "Mean absolute error"
group     = "ratings"
summary   = """\
    Mean distance of prediction and rating over all rated items with a prediction, of all users together; \
    aggregate=mean is the mean over users. The score is the prediction, the grade the rating."""
formula   = "Σ |s_i - g_i| / number of judged retrieved items i, both over all queries"
aliases   = ["mean_absolute_error"]
better    = "lower"
aggregate = "parts"
source    = """\
    Herlocker et al. 2004, ACM TOIS 22(1): mean absolute error; Surprise, recommenders and scikit-learn: over all \
    pairs"""
parameters = ["no_prediction"]
needs     = ["score"]
about_judgments = true
reads_ranks = false
[differs]
"rrecsys" = "the mean over users (aggregate=mean); over all pairs it is globalMAE"
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
ranking = [3, "?", 5, -1]  # an item without a rating has no error
scores  = [4.5, 4, 2, 1]
missed  = [5]
value   = "(1.5 + 3 + 2) / 3"
-#}
{% macro metric_mae(no_prediction='null') %}
{{ return('AVG(ABS(score - relevance))') }}
{% endmacro %}

{% macro metric_mae_parts(no_prediction='null') %}
{{ return(rankmetrics_sql.rm_error_parts('ABS(score - relevance)')) }}
{% endmacro %}

{% macro metric_mae_total(sums, n, no_prediction='null') %}
{{ return(rankmetrics_sql.rm_error_total(sums)) }}
{% endmacro %}

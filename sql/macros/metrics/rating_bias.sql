{#-
title     = "Rating bias"
group     = "ratings"
summary   = """\
    Mean of prediction minus rating over all rated items with a prediction, of all users together: above 0 where \
    predictions are too high; aggregate=mean is the mean over users."""
formula   = "Σ (s_i - g_i) / number of judged retrieved items i, both over all queries"
aliases   = ["mean_error", "mean_signed_error"]
aggregate = "parts"
source    = "Herlocker et al. 2004, ACM TOIS 22(1), whose mean absolute error it is without the absolute values"
parameters = ["no_prediction"]
needs     = ["score"]
about_judgments = true
reads_ranks = false

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
scores  = [5, 2]
value   = "(1 - 1) / 2"
[[example]]
ranking = [3, "?", 5, -1]
scores  = [4.5, 4, 2, 1]
missed  = [5]
value   = "(1.5 - 3 + 2) / 3"
-#}
{% macro metric_rating_bias(no_prediction='null') %}
{{ return('AVG(score - relevance)') }}
{% endmacro %}

{% macro metric_rating_bias_parts(no_prediction='null') %}
{{ return(rankmetrics_sql.rm_error_parts('score - relevance')) }}
{% endmacro %}

{% macro metric_rating_bias_total(sums, n, no_prediction='null') %}
{{ return(rankmetrics_sql.rm_error_total(sums)) }}
{% endmacro %}

{#-
title     = "Prediction coverage"
group     = "ratings"
summary   = """\
    Share of the rated items that have a prediction, of all users together; aggregate=mean is the mean over users. 0 \
    where nothing is rated."""
formula   = "judged retrieved items / judged items, both over all queries"
range     = [0, 1]
aggregate = "parts"
source    = "Herlocker et al. 2004, ACM TOIS 22(1): prediction coverage"
needs     = ["n_judged"]
about_judgments = true
reads_ranks = false
reads_grades = false
divides_by_judgments = true

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [4, 3]
value   = "1"
[[example]]
ranking = [3, "?", 0]      # a prediction without a rating does not count
missed  = [5]
value   = "2/3"
-#}
{% macro metric_prediction_coverage() %}
{%- set parts = rankmetrics_sql.metric_prediction_coverage_parts() -%}
{{ return('COALESCE(' ~ parts[0].sql ~ ' / NULLIF(' ~ parts[1].sql ~ ', 0), 0)') }}
{% endmacro %}

{% macro metric_prediction_coverage_parts() %}
{{ return([
    {'name': 'predicted', 'sql': rankmetrics_sql.rm_as_double('COUNT(relevance)')},
    {'name': 'rated', 'sql': 'MAX(n_judged)'},
]) }}
{% endmacro %}

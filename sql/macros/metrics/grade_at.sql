{#-
title   = "Grade at a rank"
group   = "graded"
summary = """\
    Grade of the item at rank `rank`, whatever its sign, averaged over the queries that have one there. Numbers per \
    query that no ranking explains, such as ratings, are grades of a list of one: rm.values() reads them."""
formula = "g_rank"
needs   = ["n_retrieved"]
source  = "Elementary; CG at rank less CG at rank - 1"

[params.rank]
type    = "int"
default = 1
min     = 1
help    = "the rank"

[[example]]
ranking = []
missed  = [1]
value   = "null"
[[example]]
ranking = [3, 1]
value   = "3"
[[example]]
ranking = [3, 0.5]
rank    = 2
value   = "0.5"
[[example]]
ranking = ["?", 2]         # nobody judged it
value   = "null"
[[example]]
ranking = [2]
rank    = 2
value   = "null"
-#}
{% macro metric_grade_at(rank=1) %}
{{ return('MAX(CASE WHEN rnk = ' ~ rank ~ ' THEN relevance END)') }}
{% endmacro %}

{#-
title   = "Matthews correlation coefficient"
group   = "binary"
summary = """\
    Correlation between standing within the first k and being relevant, over the whole collection; 0 where it is not \
    defined."""
formula = """\
    (TP·TN - FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN)) with TP + FP = k places and TP + FN = R relevant \
    items; FP + TN at least FP, however few items are known"""
aliases = ["matthews", "matthews_corrcoef"]
range   = [-1, 1]
divides_by_judgments = true
reads_order = "cutoff"
source  = "RecTools: MCC, whose catalogue has collection_size items; Matthews 1975"
parameters = ["k"]
options = ["rel", "precision_denominator", "collection_size", "no_relevant", "ties"]
needs   = ["n_relevant", "n_judged", "n_retrieved"]
[needs_when]
"precision_denominator=min_k_retrieved" = ["n_shown"]

[differs]
"rectools" = "always knows the catalogue; without collection_size ours has the items retrieved or judged for the query"
[[example]]
ranking = []
missed  = [1]
k       = 2
collection_size = 10
value   = "(0 * 7 - 2 * 1) / (2 * 1 * 9 * 8) ** (1/2)"
[[example]]
ranking = [1, 1]
k       = 2
collection_size = 10
value   = "1"
[[example]]
ranking = [1, 0, 1]        # TP 1, FP 1, FN 1, TN 7
k       = 2
collection_size = 10
value   = "(1 * 7 - 1 * 1) / (2 * 2 * 8 * 8) ** (1/2)"
[[example]]
ranking = [1, "?"]         # retrieved or judged: 5 items; TP 1, FP 1, FN 1, TN 2
missed  = [1, 0, 0]
value   = "(1 * 2 - 1 * 1) / (2 * 2 * 3 * 3) ** (1/2)"
[[example]]
ranking = [1]              # a missing place counts: TP 1, FP 1, FN 0, TN 2
missed  = [0, 0, 0]
k       = 2
value   = "(1 * 2 - 1 * 0) / (2 * 1 * 3 * 2) ** (1/2)"
[[example]]
ranking = [0]              # nobody knows 4 items for the other places: TP 0, FP 5, FN 2, TN 0
missed  = [1, 1]
k       = 5
value   = "-1"
[[example]]
ranking = [1]              # everything is within k
k       = 2
value   = "0"
[[example]]
ranking = [2, 1, 0]
k       = 1
rel     = 2
value   = "1"
-#}
{% macro metric_mcc(k=none, rel=1, precision_denominator='k', collection_size=none, no_relevant=0, ties=none) %}
{%- set relevant = 'MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')' -%}
{%- set others = rankmetrics_sql.rm_nonrelevant_items(rel, collection_size) -%}
{%- set all_items = '(' ~ relevant ~ ' + ' ~ others ~ ')' -%}
{%- set places = rankmetrics_sql.rm_list_length(k, precision_denominator, rel) -%}
{%- set hits = rankmetrics_sql.rm_hits(rel, k, ties) -%}
{%- set misses = '(' ~ places ~ ' - ' ~ hits ~ ')' -%}
{%- set missed = '(' ~ relevant ~ ' - ' ~ hits ~ ')' -%}
{#- Expected hits are a sum of shares: what rounding leaves of nothing, some 1e-16, has a root that is no rounding. -#}
{%- set expected = ties == 'expected' -%}
{%- set nothing = rankmetrics_sql.rm_number(1e-9) if expected else 0 -%}
{%- set too_few = others ~ (' + ' ~ nothing if expected else '') ~ ' < ' ~ misses -%}
{%- set expression -%}
CASE
    {%- if k is not none %}
    WHEN {{ too_few }} AND {{ missed }} > {{ nothing }} THEN
        -SQRT({{ misses }} * {{ missed }} / ({{ places }} * {{ relevant }}))
    {%- endif %}
    WHEN {{ relevant }} > 0 AND {{ others }} > 0 AND {{ places }} > 0 AND {{ all_items }} > {{ places }} THEN
        ({{ all_items }} * {{ hits }} - {{ places }} * {{ relevant }})
        / SQRT({{ relevant }} * {{ others }} * {{ places }} * ({{ all_items }} - {{ places }}))
    ELSE 0
END
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

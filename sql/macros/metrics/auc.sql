{#-
title   = "Area under the ROC curve"
group   = "whole"
summary = "Chance that a relevant item of the list stands before a non-relevant one; unretrieved items do not count."
formula = """\
    share of the pairs of a relevant and a non-relevant retrieved item with the relevant one first; a pair of equal \
    scores counts 1/2 with ties=expected"""
aliases = ["roc_auc", "rocauc", "auroc", "roc_auc_score"]
range   = [0, 1]
source  = "torchmetrics: RetrievalAUROC; scikit-learn: roc_auc_score; max_fpr as there, standardised (McClish 1989)"
options = ["rel", "no_relevant", "ties"]
needs   = ["n_retrieved"]
[differs]
"scikit-learn" = "no value for a list of one kind (no_pair=null)"
"hivemall" = "1/2 for a list of one kind (no_pair=0.5)"
"torchmetrics" = "takes scores outside 0 to 1 as logits, so that high ones become equal"
[needs_when]
"ties=expected" = ["tied_relevant"]
"max_fpr!=none" = ["facts_on_rows"]

[params.max_fpr]
type    = "number"
above   = 0
below   = 1
default = "none"
help    = "only the curve up to this share of the non-relevant items, scaled so that 1/2 is chance and 1 is perfect"
[params.tied_curve]
type    = "choice"
values  = ["diagonal", "stairs"]
default = "diagonal"
help    = """\
    with ties=expected and max_fpr: through equal scores the curve is a straight line, as tools draw it, or the mean \
    of the stairs of every order"""
[params.no_pair]
type    = "choice"
values  = [0, 0.5, 1, "null"]
default = 0
help    = "value of a list that has relevant or non-relevant items only, or none; null counts the query in n_left_out"

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0, 0]
value   = "1"
[[example]]
ranking = [1, "?", 1, 0]   # of the four pairs one is in the wrong order
missed  = [1, 0]
value   = "3/4"
[[example]]
ranking = [1, 1]           # no pair
value   = "0"
[[example]]
ranking = [1, 1]
no_pair = 0.5
value   = "1/2"
[[example]]
ranking = [0, 1, 2]
rel     = 2
value   = "0"
[[example]]
ranking = [1, 0, 1, 0]     # up to 1/2 the curve is at 1/2
max_fpr = 0.5
value   = "(1 + ((1/2) * (1/2) - (1/2) ** 2 / 2) / (1/2 - (1/2) ** 2 / 2)) / 2"
[[example]]
ranking = [1, 0, 1, 0]     # at 1/2 up to 1/2, then at 1
max_fpr = 0.75
tied_curve = "stairs"
value   = "(1 + (1/4 + 1/4 - (3/4) ** 2 / 2) / (3/4 - (3/4) ** 2 / 2)) / 2"
-#}
{% macro metric_auc(max_fpr=none, tied_curve='diagonal', no_pair=0, rel=1, no_relevant=0, ties=none) %}
{%- set pairs = rankmetrics_sql.rm_hits(rel) ~ ' * ' ~ rankmetrics_sql.rm_listed_nonrelevant(rel) -%}
{%- set area = '1 - (' ~ rankmetrics_sql.rm_wrong_pairs(rel, ties) ~ ') / NULLIF(' ~ pairs ~ ', 0)' -%}
{%- if max_fpr is not none -%}
    {%- set limit = rankmetrics_sql.rm_number(max_fpr) -%}
    {%- set chance = limit ~ ' * ' ~ limit ~ ' / 2' -%}
    {%- set part = rankmetrics_sql.rm_partial_area(limit, tied_curve, rel, ties) -%}
    {%- set sum = 'SUM(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel) ~ ' THEN ' ~ part ~ ' END)' -%}
    {%- set area = sum ~ ' / ' ~ rankmetrics_sql.rm_hits(rel) -%}
    {%- set area = '(1 + (' ~ area ~ ' - ' ~ chance ~ ') / (' ~ limit ~ ' - ' ~ chance ~ ')) / 2' -%}
{%- endif -%}
{%- set expression -%}
CASE
    WHEN {{ pairs }} > 0 THEN {{ area }}
    ELSE {{ no_pair | upper if no_pair is string else rankmetrics_sql.rm_number(no_pair) }}
END
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- The rank of an item, or the mean of those it may have. -#}
{% macro rm_rank(ties=none) %}
{{ return('(n_above + (n_tied + 1) / 2)' if ties == 'expected' else 'rnk') }}
{% endmacro %}

{#- How many retrieved items are not relevant. -#}
{% macro rm_listed_nonrelevant(rel) %}
{{ return('(' ~ rankmetrics_sql.rm_list_places() ~ ' - ' ~ rankmetrics_sql.rm_hits(rel) ~ ')') }}
{% endmacro %}

{#-
The pairs with the non-relevant item first: a relevant item at rank r has r - 1 items before it, and the h relevant
ones among themselves make h (h - 1) / 2 of these.
-#}
{% macro rm_wrong_pairs(rel, ties=none) %}
{%- set hits = rankmetrics_sql.rm_hits(rel) -%}
{%- set rank = rankmetrics_sql.rm_rank(ties) -%}
{%- set ranks = 'SUM(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel) ~ ' THEN ' ~ rank ~ ' ELSE 0 END)' -%}
{{ return(ranks ~ ' - ' ~ hits ~ ' * (' ~ hits ~ ' + 1) / 2') }}
{% endmacro %}

{#-
What a relevant item adds to the area under the curve left of the limit: the curve steps up where the share x of the
non-relevant items stands before it, so limit - x if that is positive. In a group of equal scores with b non-relevant
items x is anywhere on the b of them (diagonal), or just as likely before each and after the last (stairs).
-#}
{% macro rm_partial_area(limit, tied_curve, rel, ties) %}
{%- set slug = rankmetrics_sql.rm_slug(rel) -%}
{%- set places = '(CASE WHEN n_retrieved < last_rnk THEN last_rnk ELSE n_retrieved END)' -%}
{%- set nonrelevant = 'NULLIF(' ~ places ~ ' - listed_relevant_' ~ slug ~ ', 0)' -%}
{%- if ties != 'expected' -%}
    {%- set above = '(rnk - ' ~ rankmetrics_sql.rm_relevant_so_far(rel) ~ ')' -%}
    {%- set reached = '(' ~ limit ~ ' - ' ~ above ~ ' / ' ~ nonrelevant ~ ')' -%}
    {{ return('CASE WHEN ' ~ reached ~ ' > 0 THEN ' ~ reached ~ ' ELSE 0 END') }}
{%- endif -%}
{%- set tied = '(n_tied - tied_relevant_' ~ slug ~ ')' -%}
{%- set reached = '(' ~ limit ~ ' * ' ~ nonrelevant ~ ' - (n_above - relevant_above_' ~ slug ~ '))' -%}
{%- set diagonal = reached ~ ' * ' ~ reached ~ ' / (2 * ' ~ tied ~ ')' -%}
{%- set steps = '(FLOOR(' ~ reached ~ ') + 1)' -%}
{%- set stairs = steps ~ ' * (' ~ reached ~ ' - (' ~ steps ~ ' - 1) / 2) / (' ~ tied ~ ' + 1)' -%}
{%- set expression -%}
CASE
            WHEN {{ reached }} <= 0 THEN 0
            WHEN {{ reached }} >= {{ tied }} THEN {{ reached }} - {{ tied }} / 2
            ELSE {{ diagonal if tied_curve == 'diagonal' else stairs }}
        END / {{ nonrelevant }}
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- The facts of the whole list that a row needs for the partial area. -#}
{% macro metric_auc_columns(window, max_fpr=none, tied_curve='diagonal', no_pair=0, rel=1, no_relevant=0, ties=none) %}
{%- if max_fpr is none -%}{{ return([]) }}{%- endif -%}
{%- set relevant = 'm.relevance >= ' ~ rankmetrics_sql.rm_number(rel) -%}
{%- set frame = 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING' -%}
{%- set whole = ' OVER (\n            ' ~ window ~ ' ' ~ frame ~ '\n        )' -%}
{%- set listed = 'SUM(CASE WHEN ' ~ relevant ~ ' THEN 1 ELSE 0 END)' ~ whole -%}
{{ return([
    {'name': rankmetrics_sql.rm_relevant_so_far(rel), 'sql': rankmetrics_sql.rm_running_count(relevant, window)},
    {'name': 'listed_relevant_' ~ rankmetrics_sql.rm_slug(rel), 'sql': rankmetrics_sql.rm_as_double(listed)},
    {'name': 'last_rnk', 'sql': 'MAX(m.rnk)' ~ whole},
]) }}
{% endmacro %}

{#-
title   = "Residual of rank-biased precision, trec_eval's"
group   = "counts"
summary = """\
    The residual of rank-biased precision, but 0 for a list that is judged as far as it goes; a grade below 0 is no \
    judgment."""
formula = "1 − (1 − p) Σ_{r: g_r ≥ 0} p^{r − 1} if any retrieved item has no grade ≥ 0, else 0"
range   = [0, 1]
better  = "lower"
about_judgments = true
source  = "trec_eval 10: rbp_resid; rbp_residual is the definition of Moffat & Zobel"
needs   = ["n_retrieved", "nonrelevant"]
parameters = ["p"]
[params.p]
default = 0.9

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0, 1]        # all judged: what may follow does not count
value   = "0"
[[example]]
ranking = [1, "?", 0]      # the unjudged place and all beyond the list
value   = "0.1 * 0.9 + 0.9**3"
[[example]]
ranking = [1, -1]
p       = 0.5
value   = "0.5 * 0.5 + 0.5**2"
-#}
{% macro metric_rbp_resid(p=0.9) %}
{%- set p_number = rankmetrics_sql.rm_number(p) -%}
{%- set weight = rankmetrics_sql.rm_power(p_number, 'rnk - 1') -%}
{%- set expression -%}
CASE
    WHEN MAX(n_retrieved) > SUM(CASE WHEN relevance >= 0 THEN 1 ELSE 0 END)
        THEN 1 - (1 - {{ p_number }}) * SUM(CASE WHEN relevance >= 0 THEN {{ weight }} ELSE 0 END)
    ELSE 0
END
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

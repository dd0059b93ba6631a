{#- Generated from the metric headers by `python -m rankmetrics_sql.generate`. -#}

{% macro rm_metric_expression(metric) %}
{%- set p = metric.params -%}
{%- if metric.name == 'ap' -%}
    {{ return(rankmetrics_sql.metric_ap(k=p.k, rel=p.rel, ap_denominator=p.ap_denominator, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'bpref' -%}
    {{ return(rankmetrics_sql.metric_bpref(rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'cg' -%}
    {{ return(rankmetrics_sql.metric_cg(k=p.k, gain=p.gain, rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'dcg' -%}
    {{ return(rankmetrics_sql.metric_dcg(k=p.k, gain=p.gain, rel=p.rel, discount=p.discount, ties=p.ties)) }}
{%- elif metric.name == 'err' -%}
    {{ return(rankmetrics_sql.metric_err(k=p.k, err_max=p.err_max)) }}
{%- elif metric.name == 'f' -%}
    {{ return(rankmetrics_sql.metric_f(k=p.k, beta=p.beta, rel=p.rel, f_beta=p.f_beta, precision_denominator=p.precision_denominator, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'idcg' -%}
    {{ return(rankmetrics_sql.metric_idcg(k=p.k, gain=p.gain, rel=p.rel, discount=p.discount, ideal_depth=p.ideal_depth)) }}
{%- elif metric.name == 'judged' -%}
    {{ return(rankmetrics_sql.metric_judged(k=p.k, precision_denominator=p.precision_denominator, rel=p.rel)) }}
{%- elif metric.name == 'ndcg' -%}
    {{ return(rankmetrics_sql.metric_ndcg(k=p.k, gain=p.gain, rel=p.rel, discount=p.discount, ideal_depth=p.ideal_depth, zero_ideal=p.zero_ideal, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'num_q' -%}
    {{ return(rankmetrics_sql.metric_num_q()) }}
{%- elif metric.name == 'num_rel' -%}
    {{ return(rankmetrics_sql.metric_num_rel(rel=p.rel)) }}
{%- elif metric.name == 'num_rel_ret' -%}
    {{ return(rankmetrics_sql.metric_num_rel_ret(k=p.k, rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'num_ret' -%}
    {{ return(rankmetrics_sql.metric_num_ret()) }}
{%- elif metric.name == 'p' -%}
    {{ return(rankmetrics_sql.metric_p(k=p.k, rel=p.rel, precision_denominator=p.precision_denominator, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'r' -%}
    {{ return(rankmetrics_sql.metric_r(k=p.k, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'rbp' -%}
    {{ return(rankmetrics_sql.metric_rbp(k=p.k, p=p.p, rel=p.rel, rbp_gain=p.rbp_gain, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'rbp_residual' -%}
    {{ return(rankmetrics_sql.metric_rbp_residual(k=p.k, p=p.p)) }}
{%- elif metric.name == 'rprec' -%}
    {{ return(rankmetrics_sql.metric_rprec(rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'rr' -%}
    {{ return(rankmetrics_sql.metric_rr(k=p.k, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'success' -%}
    {{ return(rankmetrics_sql.metric_success(k=p.k, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_columns(metric, window) %}
{%- set p = metric.params -%}
{%- if metric.name == 'err' -%}
    {{ return(rankmetrics_sql.metric_err_columns(window, k=p.k, err_max=p.err_max)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_relation(metric, plan) %}
{%- set p = metric.params -%}
{%- if metric.name == 'rr' -%}
    {{ return(rankmetrics_sql.metric_rr_relation(plan, k=p.k, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_parts(metric) %}
{%- set p = metric.params -%}
{%- if metric.name == 'f' -%}
    {{ return(rankmetrics_sql.metric_f_parts(k=p.k, beta=p.beta, rel=p.rel, f_beta=p.f_beta, precision_denominator=p.precision_denominator, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_total(metric) %}
{%- set p = metric.params -%}
{%- if metric.name == 'f' -%}
    {{ return(rankmetrics_sql.metric_f_total(metric.column, k=p.k, beta=p.beta, rel=p.rel, f_beta=p.f_beta, precision_denominator=p.precision_denominator, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- endif -%}
{% endmacro %}

{#- Generated from the metric headers by `python -m dev.generate`. -#}

{% macro rm_metric_expression(metric) %}
{%- set p = metric.params -%}
{%- if metric.name == 'abandonment' -%}
    {{ return(rankmetrics_sql.metric_abandonment(k=p.k, rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'alpha_dcg' -%}
    {{ return(rankmetrics_sql.metric_alpha_dcg(k=p.k, alpha=p.alpha, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'alpha_ndcg' -%}
    {{ return(rankmetrics_sql.metric_alpha_ndcg(k=p.k, alpha=p.alpha, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'amr' -%}
    {{ return(rankmetrics_sql.metric_amr(rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'ap' -%}
    {{ return(rankmetrics_sql.metric_ap(k=p.k, rel=p.rel, ap_denominator=p.ap_denominator, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'ap_ia' -%}
    {{ return(rankmetrics_sql.metric_ap_ia(rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'arp' -%}
    {{ return(rankmetrics_sql.metric_arp(ties=p.ties)) }}
{%- elif metric.name == 'auc' -%}
    {{ return(rankmetrics_sql.metric_auc(max_fpr=p.max_fpr, tied_curve=p.tied_curve, no_pair=p.no_pair, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'average_popularity' -%}
    {{ return(rankmetrics_sql.metric_average_popularity(k=p.k)) }}
{%- elif metric.name == 'bin_g' -%}
    {{ return(rankmetrics_sql.metric_bin_g(rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'bpm' -%}
    {{ return(rankmetrics_sql.metric_bpm(k=p.k, T=p.T, min_rel=p.min_rel, max_rel=p.max_rel)) }}
{%- elif metric.name == 'bpref' -%}
    {{ return(rankmetrics_sql.metric_bpref(rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'catalogue_coverage' -%}
    {{ return(rankmetrics_sql.metric_catalogue_coverage(k=p.k)) }}
{%- elif metric.name == 'cg' -%}
    {{ return(rankmetrics_sql.metric_cg(k=p.k, gain=p.gain, rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'clicks' -%}
    {{ return(rankmetrics_sql.metric_clicks(k=p.k, rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'clipped_share' -%}
    {{ return(rankmetrics_sql.metric_clipped_share(k=p.k, floor=p.floor, rel=p.rel)) }}
{%- elif metric.name == 'clipped_weights' -%}
    {{ return(rankmetrics_sql.metric_clipped_weights(k=p.k, clip=p.clip)) }}
{%- elif metric.name == 'compat' -%}
    {{ return(rankmetrics_sql.metric_compat(p=p.p, normalize=p.normalize)) }}
{%- elif metric.name == 'coverage_error' -%}
    {{ return(rankmetrics_sql.metric_coverage_error(rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'ctr' -%}
    {{ return(rankmetrics_sql.metric_ctr(k=p.k, rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'ctr_pooled' -%}
    {{ return(rankmetrics_sql.metric_ctr_pooled(k=p.k, rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'dcg' -%}
    {{ return(rankmetrics_sql.metric_dcg(k=p.k, gain=p.gain, rel=p.rel, discount=p.discount, ties=p.ties)) }}
{%- elif metric.name == 'distinct_categories' -%}
    {{ return(rankmetrics_sql.metric_distinct_categories(k=p.k)) }}
{%- elif metric.name == 'err' -%}
    {{ return(rankmetrics_sql.metric_err(k=p.k, err_max=p.err_max)) }}
{%- elif metric.name == 'err_ia' -%}
    {{ return(rankmetrics_sql.metric_err_ia(k=p.k, alpha=p.alpha, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ess' -%}
    {{ return(rankmetrics_sql.metric_ess(k=p.k, clip=p.clip)) }}
{%- elif metric.name == 'exposure_entropy' -%}
    {{ return(rankmetrics_sql.metric_exposure_entropy(k=p.k)) }}
{%- elif metric.name == 'exposure_gini' -%}
    {{ return(rankmetrics_sql.metric_exposure_gini(k=p.k)) }}
{%- elif metric.name == 'f' -%}
    {{ return(rankmetrics_sql.metric_f(k=p.k, beta=p.beta, rel=p.rel, f_beta=p.f_beta, precision_denominator=p.precision_denominator, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'fallout' -%}
    {{ return(rankmetrics_sql.metric_fallout(k=p.k, no_nonrelevant=p.no_nonrelevant, rel=p.rel, collection_size=p.collection_size, ties=p.ties)) }}
{%- elif metric.name == 'first_click_position' -%}
    {{ return(rankmetrics_sql.metric_first_click_position(k=p.k, no_click=p.no_click, rel=p.rel)) }}
{%- elif metric.name == 'g' -%}
    {{ return(rankmetrics_sql.metric_g(gain=p.gain, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'gm_bpref' -%}
    {{ return(rankmetrics_sql.metric_gm_bpref(rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'gm_map' -%}
    {{ return(rankmetrics_sql.metric_gm_map(k=p.k, rel=p.rel, ap_denominator=p.ap_denominator, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'idcg' -%}
    {{ return(rankmetrics_sql.metric_idcg(k=p.k, gain=p.gain, rel=p.rel, discount=p.discount, ideal_depth=p.ideal_depth)) }}
{%- elif metric.name == 'iips' -%}
    {{ return(rankmetrics_sql.metric_iips(k=p.k, clip=p.clip)) }}
{%- elif metric.name == 'infap' -%}
    {{ return(rankmetrics_sql.metric_infap(rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'insq' -%}
    {{ return(rankmetrics_sql.metric_insq(T=p.T, min_rel=p.min_rel, max_rel=p.max_rel, places=p.places)) }}
{%- elif metric.name == 'inst' -%}
    {{ return(rankmetrics_sql.metric_inst(T=p.T, min_rel=p.min_rel, max_rel=p.max_rel, places=p.places)) }}
{%- elif metric.name == 'intra_list_diversity' -%}
    {{ return(rankmetrics_sql.metric_intra_list_diversity(k=p.k, distance=p.distance)) }}
{%- elif metric.name == 'iprec' -%}
    {{ return(rankmetrics_sql.metric_iprec(recall=p.recall, rel=p.rel, iprec_rounding=p.iprec_rounding, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'iprec_avg' -%}
    {{ return(rankmetrics_sql.metric_iprec_avg(rel=p.rel, iprec_rounding=p.iprec_rounding, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ips' -%}
    {{ return(rankmetrics_sql.metric_ips(k=p.k, clip=p.clip)) }}
{%- elif metric.name == 'ips_ap' -%}
    {{ return(rankmetrics_sql.metric_ips_ap(k=p.k, floor=p.floor, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ips_dcg' -%}
    {{ return(rankmetrics_sql.metric_ips_dcg(k=p.k, floor=p.floor, self_normalised=p.self_normalised, gain=p.gain, rel=p.rel, discount=p.discount)) }}
{%- elif metric.name == 'ips_ndcg' -%}
    {{ return(rankmetrics_sql.metric_ips_ndcg(k=p.k, floor=p.floor, gain=p.gain, rel=p.rel, discount=p.discount, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ips_p' -%}
    {{ return(rankmetrics_sql.metric_ips_p(k=p.k, floor=p.floor, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ips_r' -%}
    {{ return(rankmetrics_sql.metric_ips_r(k=p.k, floor=p.floor, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ips_rr' -%}
    {{ return(rankmetrics_sql.metric_ips_rr(k=p.k, floor=p.floor, self_normalised=p.self_normalised, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'jaccard' -%}
    {{ return(rankmetrics_sql.metric_jaccard(k=p.k)) }}
{%- elif metric.name == 'judged' -%}
    {{ return(rankmetrics_sql.metric_judged(k=p.k, precision_denominator=p.precision_denominator, rel=p.rel)) }}
{%- elif metric.name == 'label_ranking_loss' -%}
    {{ return(rankmetrics_sql.metric_label_ranking_loss(rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'last_click_position' -%}
    {{ return(rankmetrics_sql.metric_last_click_position(k=p.k, no_click=p.no_click, rel=p.rel)) }}
{%- elif metric.name == 'mae' -%}
    {{ return(rankmetrics_sql.metric_mae(no_prediction=p.no_prediction)) }}
{%- elif metric.name == 'mar' -%}
    {{ return(rankmetrics_sql.metric_mar(k=p.k, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'mcc' -%}
    {{ return(rankmetrics_sql.metric_mcc(k=p.k, rel=p.rel, precision_denominator=p.precision_denominator, collection_size=p.collection_size, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'mean_click_position' -%}
    {{ return(rankmetrics_sql.metric_mean_click_position(k=p.k, no_click=p.no_click, rel=p.rel)) }}
{%- elif metric.name == 'mrr_clicks' -%}
    {{ return(rankmetrics_sql.metric_mrr_clicks(k=p.k, no_click=p.no_click, rel=p.rel)) }}
{%- elif metric.name == 'ndcg' -%}
    {{ return(rankmetrics_sql.metric_ndcg(k=p.k, gain=p.gain, rel=p.rel, discount=p.discount, ideal_depth=p.ideal_depth, zero_ideal=p.zero_ideal, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'ndcg_rel' -%}
    {{ return(rankmetrics_sql.metric_ndcg_rel(gain=p.gain, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'nerr10' -%}
    {{ return(rankmetrics_sql.metric_nerr10(p=p.p, min_rel=p.min_rel, max_rel=p.max_rel, places=p.places)) }}
{%- elif metric.name == 'nerr11' -%}
    {{ return(rankmetrics_sql.metric_nerr11(T=p.T, min_rel=p.min_rel, max_rel=p.max_rel, places=p.places)) }}
{%- elif metric.name == 'nerr8' -%}
    {{ return(rankmetrics_sql.metric_nerr8(k=p.k, min_rel=p.min_rel, max_rel=p.max_rel)) }}
{%- elif metric.name == 'nerr9' -%}
    {{ return(rankmetrics_sql.metric_nerr9(k=p.k, min_rel=p.min_rel, max_rel=p.max_rel)) }}
{%- elif metric.name == 'nerr_ia' -%}
    {{ return(rankmetrics_sql.metric_nerr_ia(k=p.k, alpha=p.alpha, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'nnrbp' -%}
    {{ return(rankmetrics_sql.metric_nnrbp(alpha=p.alpha, beta=p.beta, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'nrbp' -%}
    {{ return(rankmetrics_sql.metric_nrbp(alpha=p.alpha, beta=p.beta, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'num_nonrel_judged_ret' -%}
    {{ return(rankmetrics_sql.metric_num_nonrel_judged_ret(rel=p.rel)) }}
{%- elif metric.name == 'num_q' -%}
    {{ return(rankmetrics_sql.metric_num_q()) }}
{%- elif metric.name == 'num_rel' -%}
    {{ return(rankmetrics_sql.metric_num_rel(rel=p.rel)) }}
{%- elif metric.name == 'num_rel_ret' -%}
    {{ return(rankmetrics_sql.metric_num_rel_ret(k=p.k, rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'num_ret' -%}
    {{ return(rankmetrics_sql.metric_num_ret()) }}
{%- elif metric.name == 'opa' -%}
    {{ return(rankmetrics_sql.metric_opa(ties=p.ties)) }}
{%- elif metric.name == 'p' -%}
    {{ return(rankmetrics_sql.metric_p(k=p.k, rel=p.rel, precision_denominator=p.precision_denominator, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'p_ia' -%}
    {{ return(rankmetrics_sql.metric_p_ia(k=p.k, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'pair_accuracy' -%}
    {{ return(rankmetrics_sql.metric_pair_accuracy(k=p.k, rel=p.rel, zero_ideal=p.zero_ideal)) }}
{%- elif metric.name == 'personalisation' -%}
    {{ return(rankmetrics_sql.metric_personalisation(k=p.k)) }}
{%- elif metric.name == 'prediction_coverage' -%}
    {{ return(rankmetrics_sql.metric_prediction_coverage()) }}
{%- elif metric.name == 'r' -%}
    {{ return(rankmetrics_sql.metric_r(k=p.k, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'r_cap' -%}
    {{ return(rankmetrics_sql.metric_r_cap(k=p.k, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'rating_bias' -%}
    {{ return(rankmetrics_sql.metric_rating_bias(no_prediction=p.no_prediction)) }}
{%- elif metric.name == 'rbo' -%}
    {{ return(rankmetrics_sql.metric_rbo(p=p.p)) }}
{%- elif metric.name == 'rbp' -%}
    {{ return(rankmetrics_sql.metric_rbp(k=p.k, p=p.p, rel=p.rel, rbp_gain=p.rbp_gain, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'rbp_resid' -%}
    {{ return(rankmetrics_sql.metric_rbp_resid(p=p.p)) }}
{%- elif metric.name == 'rbp_residual' -%}
    {{ return(rankmetrics_sql.metric_rbp_residual(k=p.k, p=p.p)) }}
{%- elif metric.name == 'relative_p' -%}
    {{ return(rankmetrics_sql.metric_relative_p(k=p.k, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'rmse' -%}
    {{ return(rankmetrics_sql.metric_rmse(no_prediction=p.no_prediction)) }}
{%- elif metric.name == 'rndcg' -%}
    {{ return(rankmetrics_sql.metric_rndcg(gain=p.gain, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'rprec' -%}
    {{ return(rankmetrics_sql.metric_rprec(rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'rprec_mult' -%}
    {{ return(rankmetrics_sql.metric_rprec_mult(factor=p.factor, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'rr' -%}
    {{ return(rankmetrics_sql.metric_rr(k=p.k, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'sdcg' -%}
    {{ return(rankmetrics_sql.metric_sdcg(k=p.k, min_rel=p.min_rel, max_rel=p.max_rel, discount=p.discount)) }}
{%- elif metric.name == 'self_information' -%}
    {{ return(rankmetrics_sql.metric_self_information(k=p.k, cold=p.cold)) }}
{%- elif metric.name == 'serendipity' -%}
    {{ return(rankmetrics_sql.metric_serendipity(k=p.k, rel=p.rel)) }}
{%- elif metric.name == 'set_ap' -%}
    {{ return(rankmetrics_sql.metric_set_ap(rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'snips' -%}
    {{ return(rankmetrics_sql.metric_snips(k=p.k, clip=p.clip)) }}
{%- elif metric.name == 'st_recall' -%}
    {{ return(rankmetrics_sql.metric_st_recall(k=p.k, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'success' -%}
    {{ return(rankmetrics_sql.metric_success(k=p.k, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'unj' -%}
    {{ return(rankmetrics_sql.metric_unj(k=p.k)) }}
{%- elif metric.name == 'unseen_share' -%}
    {{ return(rankmetrics_sql.metric_unseen_share(k=p.k)) }}
{%- elif metric.name == 'user_coverage' -%}
    {{ return(rankmetrics_sql.metric_user_coverage(k=p.k)) }}
{%- elif metric.name == 'utility' -%}
    {{ return(rankmetrics_sql.metric_utility(a=p.a, b=p.b, c=p.c, d=p.d, rel=p.rel, collection_size=p.collection_size)) }}
{%- elif metric.name == 'yaap' -%}
    {{ return(rankmetrics_sql.metric_yaap(rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'zero_results' -%}
    {{ return(rankmetrics_sql.metric_zero_results()) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_columns(metric, window) %}
{%- set p = metric.params -%}
{%- if metric.name == 'auc' -%}
    {{ return(rankmetrics_sql.metric_auc_columns(window, max_fpr=p.max_fpr, tied_curve=p.tied_curve, no_pair=p.no_pair, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'bpm' -%}
    {{ return(rankmetrics_sql.metric_bpm_columns(window, k=p.k, T=p.T, min_rel=p.min_rel, max_rel=p.max_rel)) }}
{%- elif metric.name == 'err' -%}
    {{ return(rankmetrics_sql.metric_err_columns(window, k=p.k, err_max=p.err_max)) }}
{%- elif metric.name == 'g' -%}
    {{ return(rankmetrics_sql.metric_g_columns(window, gain=p.gain, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'infap' -%}
    {{ return(rankmetrics_sql.metric_infap_columns(window, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ips_ap' -%}
    {{ return(rankmetrics_sql.metric_ips_ap_columns(window, k=p.k, floor=p.floor, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ndcg_rel' -%}
    {{ return(rankmetrics_sql.metric_ndcg_rel_columns(window, gain=p.gain, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'nerr10' -%}
    {{ return(rankmetrics_sql.metric_nerr10_columns(window, p=p.p, min_rel=p.min_rel, max_rel=p.max_rel, places=p.places)) }}
{%- elif metric.name == 'nerr11' -%}
    {{ return(rankmetrics_sql.metric_nerr11_columns(window, T=p.T, min_rel=p.min_rel, max_rel=p.max_rel, places=p.places)) }}
{%- elif metric.name == 'nerr8' -%}
    {{ return(rankmetrics_sql.metric_nerr8_columns(window, k=p.k, min_rel=p.min_rel, max_rel=p.max_rel)) }}
{%- elif metric.name == 'nerr9' -%}
    {{ return(rankmetrics_sql.metric_nerr9_columns(window, k=p.k, min_rel=p.min_rel, max_rel=p.max_rel)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_relation(metric, pass) %}
{%- set p = metric.params -%}
{%- if metric.name == 'alpha_dcg' -%}
    {{ return(rankmetrics_sql.metric_alpha_dcg_relation(pass, k=p.k, alpha=p.alpha, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'alpha_ndcg' -%}
    {{ return(rankmetrics_sql.metric_alpha_ndcg_relation(pass, k=p.k, alpha=p.alpha, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ap_ia' -%}
    {{ return(rankmetrics_sql.metric_ap_ia_relation(pass, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'compat' -%}
    {{ return(rankmetrics_sql.metric_compat_relation(pass, p=p.p, normalize=p.normalize)) }}
{%- elif metric.name == 'distinct_categories' -%}
    {{ return(rankmetrics_sql.metric_distinct_categories_relation(pass, k=p.k)) }}
{%- elif metric.name == 'err_ia' -%}
    {{ return(rankmetrics_sql.metric_err_ia_relation(pass, k=p.k, alpha=p.alpha, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'g' -%}
    {{ return(rankmetrics_sql.metric_g_relation(pass, gain=p.gain, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'insq' -%}
    {{ return(rankmetrics_sql.metric_insq_relation(pass, T=p.T, min_rel=p.min_rel, max_rel=p.max_rel, places=p.places)) }}
{%- elif metric.name == 'inst' -%}
    {{ return(rankmetrics_sql.metric_inst_relation(pass, T=p.T, min_rel=p.min_rel, max_rel=p.max_rel, places=p.places)) }}
{%- elif metric.name == 'intra_list_diversity' -%}
    {{ return(rankmetrics_sql.metric_intra_list_diversity_relation(pass, k=p.k, distance=p.distance)) }}
{%- elif metric.name == 'ips_ap' -%}
    {{ return(rankmetrics_sql.metric_ips_ap_relation(pass, k=p.k, floor=p.floor, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ips_dcg' -%}
    {{ return(rankmetrics_sql.metric_ips_dcg_relation(pass, k=p.k, floor=p.floor, self_normalised=p.self_normalised, gain=p.gain, rel=p.rel, discount=p.discount)) }}
{%- elif metric.name == 'ips_ndcg' -%}
    {{ return(rankmetrics_sql.metric_ips_ndcg_relation(pass, k=p.k, floor=p.floor, gain=p.gain, rel=p.rel, discount=p.discount, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ips_r' -%}
    {{ return(rankmetrics_sql.metric_ips_r_relation(pass, k=p.k, floor=p.floor, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'ndcg_rel' -%}
    {{ return(rankmetrics_sql.metric_ndcg_rel_relation(pass, gain=p.gain, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'nerr11' -%}
    {{ return(rankmetrics_sql.metric_nerr11_relation(pass, T=p.T, min_rel=p.min_rel, max_rel=p.max_rel, places=p.places)) }}
{%- elif metric.name == 'nerr9' -%}
    {{ return(rankmetrics_sql.metric_nerr9_relation(pass, k=p.k, min_rel=p.min_rel, max_rel=p.max_rel)) }}
{%- elif metric.name == 'nerr_ia' -%}
    {{ return(rankmetrics_sql.metric_nerr_ia_relation(pass, k=p.k, alpha=p.alpha, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'nnrbp' -%}
    {{ return(rankmetrics_sql.metric_nnrbp_relation(pass, alpha=p.alpha, beta=p.beta, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'opa' -%}
    {{ return(rankmetrics_sql.metric_opa_relation(pass, ties=p.ties)) }}
{%- elif metric.name == 'rbo' -%}
    {{ return(rankmetrics_sql.metric_rbo_relation(pass, p=p.p)) }}
{%- elif metric.name == 'rndcg' -%}
    {{ return(rankmetrics_sql.metric_rndcg_relation(pass, gain=p.gain, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'rr' -%}
    {{ return(rankmetrics_sql.metric_rr_relation(pass, k=p.k, rel=p.rel, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'sdcg' -%}
    {{ return(rankmetrics_sql.metric_sdcg_relation(pass, k=p.k, min_rel=p.min_rel, max_rel=p.max_rel, discount=p.discount)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_parts(metric) %}
{%- set p = metric.params -%}
{%- if metric.name == 'amr' -%}
    {{ return(rankmetrics_sql.metric_amr_parts(rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'arp' -%}
    {{ return(rankmetrics_sql.metric_arp_parts(ties=p.ties)) }}
{%- elif metric.name == 'clipped_share' -%}
    {{ return(rankmetrics_sql.metric_clipped_share_parts(k=p.k, floor=p.floor, rel=p.rel)) }}
{%- elif metric.name == 'clipped_weights' -%}
    {{ return(rankmetrics_sql.metric_clipped_weights_parts(k=p.k, clip=p.clip)) }}
{%- elif metric.name == 'ctr_pooled' -%}
    {{ return(rankmetrics_sql.metric_ctr_pooled_parts(k=p.k, rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'ess' -%}
    {{ return(rankmetrics_sql.metric_ess_parts(k=p.k, clip=p.clip)) }}
{%- elif metric.name == 'f' -%}
    {{ return(rankmetrics_sql.metric_f_parts(k=p.k, beta=p.beta, rel=p.rel, f_beta=p.f_beta, precision_denominator=p.precision_denominator, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'ips' -%}
    {{ return(rankmetrics_sql.metric_ips_parts(k=p.k, clip=p.clip)) }}
{%- elif metric.name == 'ips_dcg' -%}
    {{ return(rankmetrics_sql.metric_ips_dcg_parts(k=p.k, floor=p.floor, self_normalised=p.self_normalised, gain=p.gain, rel=p.rel, discount=p.discount)) }}
{%- elif metric.name == 'ips_rr' -%}
    {{ return(rankmetrics_sql.metric_ips_rr_parts(k=p.k, floor=p.floor, self_normalised=p.self_normalised, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'mae' -%}
    {{ return(rankmetrics_sql.metric_mae_parts(no_prediction=p.no_prediction)) }}
{%- elif metric.name == 'opa' -%}
    {{ return(rankmetrics_sql.metric_opa_parts(ties=p.ties)) }}
{%- elif metric.name == 'prediction_coverage' -%}
    {{ return(rankmetrics_sql.metric_prediction_coverage_parts()) }}
{%- elif metric.name == 'rating_bias' -%}
    {{ return(rankmetrics_sql.metric_rating_bias_parts(no_prediction=p.no_prediction)) }}
{%- elif metric.name == 'rmse' -%}
    {{ return(rankmetrics_sql.metric_rmse_parts(no_prediction=p.no_prediction)) }}
{%- elif metric.name == 'snips' -%}
    {{ return(rankmetrics_sql.metric_snips_parts(k=p.k, clip=p.clip)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_total(metric, sums, n) %}
{%- set p = metric.params -%}
{%- if metric.name == 'amr' -%}
    {{ return(rankmetrics_sql.metric_amr_total(sums, n, rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'arp' -%}
    {{ return(rankmetrics_sql.metric_arp_total(sums, n, ties=p.ties)) }}
{%- elif metric.name == 'clipped_share' -%}
    {{ return(rankmetrics_sql.metric_clipped_share_total(sums, n, k=p.k, floor=p.floor, rel=p.rel)) }}
{%- elif metric.name == 'clipped_weights' -%}
    {{ return(rankmetrics_sql.metric_clipped_weights_total(sums, n, k=p.k, clip=p.clip)) }}
{%- elif metric.name == 'ctr_pooled' -%}
    {{ return(rankmetrics_sql.metric_ctr_pooled_total(sums, n, k=p.k, rel=p.rel, ties=p.ties)) }}
{%- elif metric.name == 'ess' -%}
    {{ return(rankmetrics_sql.metric_ess_total(sums, n, k=p.k, clip=p.clip)) }}
{%- elif metric.name == 'f' -%}
    {{ return(rankmetrics_sql.metric_f_total(sums, n, k=p.k, beta=p.beta, rel=p.rel, f_beta=p.f_beta, precision_denominator=p.precision_denominator, no_relevant=p.no_relevant, ties=p.ties)) }}
{%- elif metric.name == 'ips' -%}
    {{ return(rankmetrics_sql.metric_ips_total(sums, n, k=p.k, clip=p.clip)) }}
{%- elif metric.name == 'ips_dcg' -%}
    {{ return(rankmetrics_sql.metric_ips_dcg_total(sums, n, k=p.k, floor=p.floor, self_normalised=p.self_normalised, gain=p.gain, rel=p.rel, discount=p.discount)) }}
{%- elif metric.name == 'ips_rr' -%}
    {{ return(rankmetrics_sql.metric_ips_rr_total(sums, n, k=p.k, floor=p.floor, self_normalised=p.self_normalised, rel=p.rel, no_relevant=p.no_relevant)) }}
{%- elif metric.name == 'mae' -%}
    {{ return(rankmetrics_sql.metric_mae_total(sums, n, no_prediction=p.no_prediction)) }}
{%- elif metric.name == 'opa' -%}
    {{ return(rankmetrics_sql.metric_opa_total(sums, n, ties=p.ties)) }}
{%- elif metric.name == 'prediction_coverage' -%}
    {{ return(rankmetrics_sql.metric_prediction_coverage_total(sums, n)) }}
{%- elif metric.name == 'rating_bias' -%}
    {{ return(rankmetrics_sql.metric_rating_bias_total(sums, n, no_prediction=p.no_prediction)) }}
{%- elif metric.name == 'rmse' -%}
    {{ return(rankmetrics_sql.metric_rmse_total(sums, n, no_prediction=p.no_prediction)) }}
{%- elif metric.name == 'snips' -%}
    {{ return(rankmetrics_sql.metric_snips_total(sums, n, k=p.k, clip=p.clip)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_points(metric, keys) %}
{%- set p = metric.params -%}
{%- if metric.name == 'pr_curve' -%}
    {{ return(rankmetrics_sql.metric_pr_curve_points(keys, k=p.k, interpolated=p.interpolated, rel=p.rel)) }}
{%- endif -%}
{% endmacro %}

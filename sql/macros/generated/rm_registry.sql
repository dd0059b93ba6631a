{#- Generated from the metric headers by `python -m dev.generate`. -#}

{% macro rm_metric_expression(metric) %}
{%- if metric.name == 'abandonment' -%}
    {{ return(rankmetrics_sql.metric_abandonment(**metric.params)) }}
{%- elif metric.name == 'actions' -%}
    {{ return(rankmetrics_sql.metric_actions(**metric.params)) }}
{%- elif metric.name == 'alpha_dcg' -%}
    {{ return(rankmetrics_sql.metric_alpha_dcg(**metric.params)) }}
{%- elif metric.name == 'alpha_ndcg' -%}
    {{ return(rankmetrics_sql.metric_alpha_ndcg(**metric.params)) }}
{%- elif metric.name == 'amount' -%}
    {{ return(rankmetrics_sql.metric_amount(**metric.params)) }}
{%- elif metric.name == 'amount_per_click' -%}
    {{ return(rankmetrics_sql.metric_amount_per_click(**metric.params)) }}
{%- elif metric.name == 'amr' -%}
    {{ return(rankmetrics_sql.metric_amr(**metric.params)) }}
{%- elif metric.name == 'ap' -%}
    {{ return(rankmetrics_sql.metric_ap(**metric.params)) }}
{%- elif metric.name == 'ap_ia' -%}
    {{ return(rankmetrics_sql.metric_ap_ia(**metric.params)) }}
{%- elif metric.name == 'arp' -%}
    {{ return(rankmetrics_sql.metric_arp(**metric.params)) }}
{%- elif metric.name == 'auc' -%}
    {{ return(rankmetrics_sql.metric_auc(**metric.params)) }}
{%- elif metric.name == 'average_popularity' -%}
    {{ return(rankmetrics_sql.metric_average_popularity(**metric.params)) }}
{%- elif metric.name == 'bin_g' -%}
    {{ return(rankmetrics_sql.metric_bin_g(**metric.params)) }}
{%- elif metric.name == 'bpm' -%}
    {{ return(rankmetrics_sql.metric_bpm(**metric.params)) }}
{%- elif metric.name == 'bpref' -%}
    {{ return(rankmetrics_sql.metric_bpref(**metric.params)) }}
{%- elif metric.name == 'catalogue_coverage' -%}
    {{ return(rankmetrics_sql.metric_catalogue_coverage(**metric.params)) }}
{%- elif metric.name == 'cg' -%}
    {{ return(rankmetrics_sql.metric_cg(**metric.params)) }}
{%- elif metric.name == 'clicks' -%}
    {{ return(rankmetrics_sql.metric_clicks(**metric.params)) }}
{%- elif metric.name == 'clipped_share' -%}
    {{ return(rankmetrics_sql.metric_clipped_share(**metric.params)) }}
{%- elif metric.name == 'clipped_weights' -%}
    {{ return(rankmetrics_sql.metric_clipped_weights(**metric.params)) }}
{%- elif metric.name == 'compat' -%}
    {{ return(rankmetrics_sql.metric_compat(**metric.params)) }}
{%- elif metric.name == 'conversion' -%}
    {{ return(rankmetrics_sql.metric_conversion(**metric.params)) }}
{%- elif metric.name == 'conversion_per_click' -%}
    {{ return(rankmetrics_sql.metric_conversion_per_click(**metric.params)) }}
{%- elif metric.name == 'coverage_error' -%}
    {{ return(rankmetrics_sql.metric_coverage_error(**metric.params)) }}
{%- elif metric.name == 'ctr' -%}
    {{ return(rankmetrics_sql.metric_ctr(**metric.params)) }}
{%- elif metric.name == 'ctr_pooled' -%}
    {{ return(rankmetrics_sql.metric_ctr_pooled(**metric.params)) }}
{%- elif metric.name == 'dcg' -%}
    {{ return(rankmetrics_sql.metric_dcg(**metric.params)) }}
{%- elif metric.name == 'distinct_categories' -%}
    {{ return(rankmetrics_sql.metric_distinct_categories(**metric.params)) }}
{%- elif metric.name == 'err' -%}
    {{ return(rankmetrics_sql.metric_err(**metric.params)) }}
{%- elif metric.name == 'err_ia' -%}
    {{ return(rankmetrics_sql.metric_err_ia(**metric.params)) }}
{%- elif metric.name == 'ess' -%}
    {{ return(rankmetrics_sql.metric_ess(**metric.params)) }}
{%- elif metric.name == 'exposure_entropy' -%}
    {{ return(rankmetrics_sql.metric_exposure_entropy(**metric.params)) }}
{%- elif metric.name == 'exposure_gini' -%}
    {{ return(rankmetrics_sql.metric_exposure_gini(**metric.params)) }}
{%- elif metric.name == 'f' -%}
    {{ return(rankmetrics_sql.metric_f(**metric.params)) }}
{%- elif metric.name == 'fallout' -%}
    {{ return(rankmetrics_sql.metric_fallout(**metric.params)) }}
{%- elif metric.name == 'first_click_position' -%}
    {{ return(rankmetrics_sql.metric_first_click_position(**metric.params)) }}
{%- elif metric.name == 'g' -%}
    {{ return(rankmetrics_sql.metric_g(**metric.params)) }}
{%- elif metric.name == 'gm_bpref' -%}
    {{ return(rankmetrics_sql.metric_gm_bpref(**metric.params)) }}
{%- elif metric.name == 'gm_map' -%}
    {{ return(rankmetrics_sql.metric_gm_map(**metric.params)) }}
{%- elif metric.name == 'grade_at' -%}
    {{ return(rankmetrics_sql.metric_grade_at(**metric.params)) }}
{%- elif metric.name == 'idcg' -%}
    {{ return(rankmetrics_sql.metric_idcg(**metric.params)) }}
{%- elif metric.name == 'iips' -%}
    {{ return(rankmetrics_sql.metric_iips(**metric.params)) }}
{%- elif metric.name == 'infap' -%}
    {{ return(rankmetrics_sql.metric_infap(**metric.params)) }}
{%- elif metric.name == 'insq' -%}
    {{ return(rankmetrics_sql.metric_insq(**metric.params)) }}
{%- elif metric.name == 'inst' -%}
    {{ return(rankmetrics_sql.metric_inst(**metric.params)) }}
{%- elif metric.name == 'intra_list_diversity' -%}
    {{ return(rankmetrics_sql.metric_intra_list_diversity(**metric.params)) }}
{%- elif metric.name == 'iprec' -%}
    {{ return(rankmetrics_sql.metric_iprec(**metric.params)) }}
{%- elif metric.name == 'iprec_avg' -%}
    {{ return(rankmetrics_sql.metric_iprec_avg(**metric.params)) }}
{%- elif metric.name == 'ips' -%}
    {{ return(rankmetrics_sql.metric_ips(**metric.params)) }}
{%- elif metric.name == 'ips_ap' -%}
    {{ return(rankmetrics_sql.metric_ips_ap(**metric.params)) }}
{%- elif metric.name == 'ips_dcg' -%}
    {{ return(rankmetrics_sql.metric_ips_dcg(**metric.params)) }}
{%- elif metric.name == 'ips_ndcg' -%}
    {{ return(rankmetrics_sql.metric_ips_ndcg(**metric.params)) }}
{%- elif metric.name == 'ips_p' -%}
    {{ return(rankmetrics_sql.metric_ips_p(**metric.params)) }}
{%- elif metric.name == 'ips_r' -%}
    {{ return(rankmetrics_sql.metric_ips_r(**metric.params)) }}
{%- elif metric.name == 'ips_rr' -%}
    {{ return(rankmetrics_sql.metric_ips_rr(**metric.params)) }}
{%- elif metric.name == 'jaccard' -%}
    {{ return(rankmetrics_sql.metric_jaccard(**metric.params)) }}
{%- elif metric.name == 'judged' -%}
    {{ return(rankmetrics_sql.metric_judged(**metric.params)) }}
{%- elif metric.name == 'label_ranking_loss' -%}
    {{ return(rankmetrics_sql.metric_label_ranking_loss(**metric.params)) }}
{%- elif metric.name == 'last_click_position' -%}
    {{ return(rankmetrics_sql.metric_last_click_position(**metric.params)) }}
{%- elif metric.name == 'mae' -%}
    {{ return(rankmetrics_sql.metric_mae(**metric.params)) }}
{%- elif metric.name == 'mar' -%}
    {{ return(rankmetrics_sql.metric_mar(**metric.params)) }}
{%- elif metric.name == 'mcc' -%}
    {{ return(rankmetrics_sql.metric_mcc(**metric.params)) }}
{%- elif metric.name == 'mean_click_position' -%}
    {{ return(rankmetrics_sql.metric_mean_click_position(**metric.params)) }}
{%- elif metric.name == 'mrr_clicks' -%}
    {{ return(rankmetrics_sql.metric_mrr_clicks(**metric.params)) }}
{%- elif metric.name == 'ndcg' -%}
    {{ return(rankmetrics_sql.metric_ndcg(**metric.params)) }}
{%- elif metric.name == 'ndcg_rel' -%}
    {{ return(rankmetrics_sql.metric_ndcg_rel(**metric.params)) }}
{%- elif metric.name == 'nerr10' -%}
    {{ return(rankmetrics_sql.metric_nerr10(**metric.params)) }}
{%- elif metric.name == 'nerr11' -%}
    {{ return(rankmetrics_sql.metric_nerr11(**metric.params)) }}
{%- elif metric.name == 'nerr8' -%}
    {{ return(rankmetrics_sql.metric_nerr8(**metric.params)) }}
{%- elif metric.name == 'nerr9' -%}
    {{ return(rankmetrics_sql.metric_nerr9(**metric.params)) }}
{%- elif metric.name == 'nerr_ia' -%}
    {{ return(rankmetrics_sql.metric_nerr_ia(**metric.params)) }}
{%- elif metric.name == 'nnrbp' -%}
    {{ return(rankmetrics_sql.metric_nnrbp(**metric.params)) }}
{%- elif metric.name == 'nrbp' -%}
    {{ return(rankmetrics_sql.metric_nrbp(**metric.params)) }}
{%- elif metric.name == 'num_nonrel_judged_ret' -%}
    {{ return(rankmetrics_sql.metric_num_nonrel_judged_ret(**metric.params)) }}
{%- elif metric.name == 'num_q' -%}
    {{ return(rankmetrics_sql.metric_num_q(**metric.params)) }}
{%- elif metric.name == 'num_rel' -%}
    {{ return(rankmetrics_sql.metric_num_rel(**metric.params)) }}
{%- elif metric.name == 'num_rel_ret' -%}
    {{ return(rankmetrics_sql.metric_num_rel_ret(**metric.params)) }}
{%- elif metric.name == 'num_ret' -%}
    {{ return(rankmetrics_sql.metric_num_ret(**metric.params)) }}
{%- elif metric.name == 'opa' -%}
    {{ return(rankmetrics_sql.metric_opa(**metric.params)) }}
{%- elif metric.name == 'p' -%}
    {{ return(rankmetrics_sql.metric_p(**metric.params)) }}
{%- elif metric.name == 'p_ia' -%}
    {{ return(rankmetrics_sql.metric_p_ia(**metric.params)) }}
{%- elif metric.name == 'pair_accuracy' -%}
    {{ return(rankmetrics_sql.metric_pair_accuracy(**metric.params)) }}
{%- elif metric.name == 'personalisation' -%}
    {{ return(rankmetrics_sql.metric_personalisation(**metric.params)) }}
{%- elif metric.name == 'prediction_coverage' -%}
    {{ return(rankmetrics_sql.metric_prediction_coverage(**metric.params)) }}
{%- elif metric.name == 'r' -%}
    {{ return(rankmetrics_sql.metric_r(**metric.params)) }}
{%- elif metric.name == 'r_cap' -%}
    {{ return(rankmetrics_sql.metric_r_cap(**metric.params)) }}
{%- elif metric.name == 'rating_bias' -%}
    {{ return(rankmetrics_sql.metric_rating_bias(**metric.params)) }}
{%- elif metric.name == 'rbo' -%}
    {{ return(rankmetrics_sql.metric_rbo(**metric.params)) }}
{%- elif metric.name == 'rbp' -%}
    {{ return(rankmetrics_sql.metric_rbp(**metric.params)) }}
{%- elif metric.name == 'rbp_resid' -%}
    {{ return(rankmetrics_sql.metric_rbp_resid(**metric.params)) }}
{%- elif metric.name == 'rbp_residual' -%}
    {{ return(rankmetrics_sql.metric_rbp_residual(**metric.params)) }}
{%- elif metric.name == 'relative_p' -%}
    {{ return(rankmetrics_sql.metric_relative_p(**metric.params)) }}
{%- elif metric.name == 'rmse' -%}
    {{ return(rankmetrics_sql.metric_rmse(**metric.params)) }}
{%- elif metric.name == 'rndcg' -%}
    {{ return(rankmetrics_sql.metric_rndcg(**metric.params)) }}
{%- elif metric.name == 'rprec' -%}
    {{ return(rankmetrics_sql.metric_rprec(**metric.params)) }}
{%- elif metric.name == 'rprec_mult' -%}
    {{ return(rankmetrics_sql.metric_rprec_mult(**metric.params)) }}
{%- elif metric.name == 'rr' -%}
    {{ return(rankmetrics_sql.metric_rr(**metric.params)) }}
{%- elif metric.name == 'sdcg' -%}
    {{ return(rankmetrics_sql.metric_sdcg(**metric.params)) }}
{%- elif metric.name == 'self_information' -%}
    {{ return(rankmetrics_sql.metric_self_information(**metric.params)) }}
{%- elif metric.name == 'serendipity' -%}
    {{ return(rankmetrics_sql.metric_serendipity(**metric.params)) }}
{%- elif metric.name == 'set_ap' -%}
    {{ return(rankmetrics_sql.metric_set_ap(**metric.params)) }}
{%- elif metric.name == 'snips' -%}
    {{ return(rankmetrics_sql.metric_snips(**metric.params)) }}
{%- elif metric.name == 'st_recall' -%}
    {{ return(rankmetrics_sql.metric_st_recall(**metric.params)) }}
{%- elif metric.name == 'success' -%}
    {{ return(rankmetrics_sql.metric_success(**metric.params)) }}
{%- elif metric.name == 'time_to_first_click' -%}
    {{ return(rankmetrics_sql.metric_time_to_first_click(**metric.params)) }}
{%- elif metric.name == 'unj' -%}
    {{ return(rankmetrics_sql.metric_unj(**metric.params)) }}
{%- elif metric.name == 'unseen_share' -%}
    {{ return(rankmetrics_sql.metric_unseen_share(**metric.params)) }}
{%- elif metric.name == 'user_coverage' -%}
    {{ return(rankmetrics_sql.metric_user_coverage(**metric.params)) }}
{%- elif metric.name == 'utility' -%}
    {{ return(rankmetrics_sql.metric_utility(**metric.params)) }}
{%- elif metric.name == 'yaap' -%}
    {{ return(rankmetrics_sql.metric_yaap(**metric.params)) }}
{%- elif metric.name == 'zero_results' -%}
    {{ return(rankmetrics_sql.metric_zero_results(**metric.params)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_columns(metric, window) %}
{%- if metric.name == 'auc' -%}
    {{ return(rankmetrics_sql.metric_auc_columns(window, **metric.params)) }}
{%- elif metric.name == 'bpm' -%}
    {{ return(rankmetrics_sql.metric_bpm_columns(window, **metric.params)) }}
{%- elif metric.name == 'err' -%}
    {{ return(rankmetrics_sql.metric_err_columns(window, **metric.params)) }}
{%- elif metric.name == 'g' -%}
    {{ return(rankmetrics_sql.metric_g_columns(window, **metric.params)) }}
{%- elif metric.name == 'infap' -%}
    {{ return(rankmetrics_sql.metric_infap_columns(window, **metric.params)) }}
{%- elif metric.name == 'ips_ap' -%}
    {{ return(rankmetrics_sql.metric_ips_ap_columns(window, **metric.params)) }}
{%- elif metric.name == 'ndcg_rel' -%}
    {{ return(rankmetrics_sql.metric_ndcg_rel_columns(window, **metric.params)) }}
{%- elif metric.name == 'nerr10' -%}
    {{ return(rankmetrics_sql.metric_nerr10_columns(window, **metric.params)) }}
{%- elif metric.name == 'nerr11' -%}
    {{ return(rankmetrics_sql.metric_nerr11_columns(window, **metric.params)) }}
{%- elif metric.name == 'nerr8' -%}
    {{ return(rankmetrics_sql.metric_nerr8_columns(window, **metric.params)) }}
{%- elif metric.name == 'nerr9' -%}
    {{ return(rankmetrics_sql.metric_nerr9_columns(window, **metric.params)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_relation(metric, pass) %}
{%- if metric.name == 'alpha_dcg' -%}
    {{ return(rankmetrics_sql.metric_alpha_dcg_relation(pass, **metric.params)) }}
{%- elif metric.name == 'alpha_ndcg' -%}
    {{ return(rankmetrics_sql.metric_alpha_ndcg_relation(pass, **metric.params)) }}
{%- elif metric.name == 'ap_ia' -%}
    {{ return(rankmetrics_sql.metric_ap_ia_relation(pass, **metric.params)) }}
{%- elif metric.name == 'compat' -%}
    {{ return(rankmetrics_sql.metric_compat_relation(pass, **metric.params)) }}
{%- elif metric.name == 'distinct_categories' -%}
    {{ return(rankmetrics_sql.metric_distinct_categories_relation(pass, **metric.params)) }}
{%- elif metric.name == 'err_ia' -%}
    {{ return(rankmetrics_sql.metric_err_ia_relation(pass, **metric.params)) }}
{%- elif metric.name == 'g' -%}
    {{ return(rankmetrics_sql.metric_g_relation(pass, **metric.params)) }}
{%- elif metric.name == 'insq' -%}
    {{ return(rankmetrics_sql.metric_insq_relation(pass, **metric.params)) }}
{%- elif metric.name == 'inst' -%}
    {{ return(rankmetrics_sql.metric_inst_relation(pass, **metric.params)) }}
{%- elif metric.name == 'intra_list_diversity' -%}
    {{ return(rankmetrics_sql.metric_intra_list_diversity_relation(pass, **metric.params)) }}
{%- elif metric.name == 'ips_ap' -%}
    {{ return(rankmetrics_sql.metric_ips_ap_relation(pass, **metric.params)) }}
{%- elif metric.name == 'ips_dcg' -%}
    {{ return(rankmetrics_sql.metric_ips_dcg_relation(pass, **metric.params)) }}
{%- elif metric.name == 'ips_ndcg' -%}
    {{ return(rankmetrics_sql.metric_ips_ndcg_relation(pass, **metric.params)) }}
{%- elif metric.name == 'ips_r' -%}
    {{ return(rankmetrics_sql.metric_ips_r_relation(pass, **metric.params)) }}
{%- elif metric.name == 'ndcg_rel' -%}
    {{ return(rankmetrics_sql.metric_ndcg_rel_relation(pass, **metric.params)) }}
{%- elif metric.name == 'nerr11' -%}
    {{ return(rankmetrics_sql.metric_nerr11_relation(pass, **metric.params)) }}
{%- elif metric.name == 'nerr9' -%}
    {{ return(rankmetrics_sql.metric_nerr9_relation(pass, **metric.params)) }}
{%- elif metric.name == 'nerr_ia' -%}
    {{ return(rankmetrics_sql.metric_nerr_ia_relation(pass, **metric.params)) }}
{%- elif metric.name == 'nnrbp' -%}
    {{ return(rankmetrics_sql.metric_nnrbp_relation(pass, **metric.params)) }}
{%- elif metric.name == 'opa' -%}
    {{ return(rankmetrics_sql.metric_opa_relation(pass, **metric.params)) }}
{%- elif metric.name == 'rbo' -%}
    {{ return(rankmetrics_sql.metric_rbo_relation(pass, **metric.params)) }}
{%- elif metric.name == 'rndcg' -%}
    {{ return(rankmetrics_sql.metric_rndcg_relation(pass, **metric.params)) }}
{%- elif metric.name == 'rr' -%}
    {{ return(rankmetrics_sql.metric_rr_relation(pass, **metric.params)) }}
{%- elif metric.name == 'sdcg' -%}
    {{ return(rankmetrics_sql.metric_sdcg_relation(pass, **metric.params)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_parts(metric) %}
{%- if metric.name == 'amount_per_click' -%}
    {{ return(rankmetrics_sql.metric_amount_per_click_parts(**metric.params)) }}
{%- elif metric.name == 'amr' -%}
    {{ return(rankmetrics_sql.metric_amr_parts(**metric.params)) }}
{%- elif metric.name == 'arp' -%}
    {{ return(rankmetrics_sql.metric_arp_parts(**metric.params)) }}
{%- elif metric.name == 'clipped_share' -%}
    {{ return(rankmetrics_sql.metric_clipped_share_parts(**metric.params)) }}
{%- elif metric.name == 'clipped_weights' -%}
    {{ return(rankmetrics_sql.metric_clipped_weights_parts(**metric.params)) }}
{%- elif metric.name == 'conversion_per_click' -%}
    {{ return(rankmetrics_sql.metric_conversion_per_click_parts(**metric.params)) }}
{%- elif metric.name == 'ctr_pooled' -%}
    {{ return(rankmetrics_sql.metric_ctr_pooled_parts(**metric.params)) }}
{%- elif metric.name == 'ess' -%}
    {{ return(rankmetrics_sql.metric_ess_parts(**metric.params)) }}
{%- elif metric.name == 'f' -%}
    {{ return(rankmetrics_sql.metric_f_parts(**metric.params)) }}
{%- elif metric.name == 'ips' -%}
    {{ return(rankmetrics_sql.metric_ips_parts(**metric.params)) }}
{%- elif metric.name == 'ips_dcg' -%}
    {{ return(rankmetrics_sql.metric_ips_dcg_parts(**metric.params)) }}
{%- elif metric.name == 'ips_rr' -%}
    {{ return(rankmetrics_sql.metric_ips_rr_parts(**metric.params)) }}
{%- elif metric.name == 'mae' -%}
    {{ return(rankmetrics_sql.metric_mae_parts(**metric.params)) }}
{%- elif metric.name == 'opa' -%}
    {{ return(rankmetrics_sql.metric_opa_parts(**metric.params)) }}
{%- elif metric.name == 'prediction_coverage' -%}
    {{ return(rankmetrics_sql.metric_prediction_coverage_parts(**metric.params)) }}
{%- elif metric.name == 'rating_bias' -%}
    {{ return(rankmetrics_sql.metric_rating_bias_parts(**metric.params)) }}
{%- elif metric.name == 'rmse' -%}
    {{ return(rankmetrics_sql.metric_rmse_parts(**metric.params)) }}
{%- elif metric.name == 'snips' -%}
    {{ return(rankmetrics_sql.metric_snips_parts(**metric.params)) }}
{%- endif -%}
{% endmacro %}

{% macro rm_metric_total(metric, sums, n) %}
{%- if metric.name == 'clipped_share' -%}
    {{ return(rankmetrics_sql.metric_clipped_share_total(sums, n, **metric.params)) }}
{%- elif metric.name == 'clipped_weights' -%}
    {{ return(rankmetrics_sql.metric_clipped_weights_total(sums, n, **metric.params)) }}
{%- elif metric.name == 'ess' -%}
    {{ return(rankmetrics_sql.metric_ess_total(sums, n, **metric.params)) }}
{%- elif metric.name == 'f' -%}
    {{ return(rankmetrics_sql.metric_f_total(sums, n, **metric.params)) }}
{%- elif metric.name == 'ips' -%}
    {{ return(rankmetrics_sql.metric_ips_total(sums, n, **metric.params)) }}
{%- elif metric.name == 'ips_dcg' -%}
    {{ return(rankmetrics_sql.metric_ips_dcg_total(sums, n, **metric.params)) }}
{%- elif metric.name == 'ips_rr' -%}
    {{ return(rankmetrics_sql.metric_ips_rr_total(sums, n, **metric.params)) }}
{%- elif metric.name == 'mae' -%}
    {{ return(rankmetrics_sql.metric_mae_total(sums, n, **metric.params)) }}
{%- elif metric.name == 'rating_bias' -%}
    {{ return(rankmetrics_sql.metric_rating_bias_total(sums, n, **metric.params)) }}
{%- elif metric.name == 'rmse' -%}
    {{ return(rankmetrics_sql.metric_rmse_total(sums, n, **metric.params)) }}
{%- elif metric.name == 'snips' -%}
    {{ return(rankmetrics_sql.metric_snips_total(sums, n, **metric.params)) }}
{%- endif -%}
{{ return(rankmetrics_sql.rm_ratio_total(sums)) }}
{% endmacro %}

{% macro rm_metric_points(metric, keys) %}
{%- if metric.name == 'pr_curve' -%}
    {{ return(rankmetrics_sql.metric_pr_curve_points(keys, **metric.params)) }}
{%- endif -%}
{% endmacro %}

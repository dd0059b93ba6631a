{#- One row per system, month and user. A run of dbt computes the newest month that is here already (more of its ratings may
    have come) and what lies after it; earlier months keep their rows. -#}
{{
    config(
        materialized='incremental',
        incremental_strategy='delete+insert',
        unique_key='rated_month',
        on_schema_change='append_new_columns'
    )
}}

with
judgments as (
    select user_id, item_id, relevance, rated_month, segment
    from {{ ref('stg_rating_judgments') }}
    {%- if is_incremental() %}
    where rated_month >= (select coalesce(max(rated_month), cast('0001-01-01' as date)) from {{ this }})
    {%- endif %}
),

{#- A user's list counts in each month in which he or she rated something. #}
lists as (
    select recommendations.system, months.rated_month, recommendations.user_id, recommendations.item_id, recommendations.position
    from {{ ref('stg_recommendations') }} as recommendations
    inner join (select distinct user_id, rated_month from judgments) as months
        on recommendations.user_id = months.user_id
)

select
    run_id as system,
    rated_month,
    user_id,
    segment,
    ndcg_at_10,
    rr_at_10,
    r_at_50,
    cast('{{ invocation_id }}' as {{ dbt.type_string() }}) as computed_by
from (
    {{
        rankmetrics_sql.per_query(
            'lists',
            ['ndcg@10', 'rr@10', 'r@50'],
            qrels='judgments',
            columns={'query': ['rated_month', 'user_id'], 'position': 'position', 'run': 'system'},
            by='segment'
        )
    }}
) as per_query

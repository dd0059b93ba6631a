{#- What adds up, a row per application, day and metric. A run of dbt computes the newest day that is here already (more of its
    events may have come) and the days after it; earlier days keep their rows. -#}
{{
    config(
        materialized='incremental',
        incremental_strategy='delete+insert',
        unique_key='logged_on',
        on_schema_change='append_new_columns'
    )
}}

with
shown as (
    select query_id, item_id, position, relevance, application, requested_at
    from {{ ref('log_impressions') }}
    {%- if is_incremental() %}
    where requested_at >= (select coalesce(max(logged_on), cast('0001-01-01' as date)) from {{ this }})
    {%- endif %}
)

select
    application,
    period as logged_on,
    metric,
    users,
    main_sum,
    main_sum_squares,
    cast('{{ invocation_id }}' as {{ dbt.type_string() }}) as computed_by
from (
    {{
        rankmetrics_sql.sums(
            'shown',
            ['ndcg@10', 'rr@10', 'ctr@10', 'abandonment'],
            columns={'position': 'position', 'time': 'requested_at'},
            by='application',
            period='day'
        )
    }}
) as sums

-- Every published figure comes out, to the four decimals that were published.
select published.run_id, published.metric, published.published, figures.value, figures.n_queries
from {{ ref('published_figures') }} as published
left join {{ ref('search_figures') }} as figures
    on published.run_id = figures.run_id and published.metric = figures.metric
where figures.value is null
    or abs(figures.value - published.published) > 0.00005
    or figures.n_queries <> 35

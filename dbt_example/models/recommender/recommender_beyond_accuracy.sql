-- What the lists are made of: how much of the catalogue they show, how evenly, how popular and how alike their films are.
select run_id as system, metric, value, n_queries
from (
    {{
        rankmetrics_sql.summary(
            ref('stg_recommendations'),
            [
                'catalogue_coverage@10',
                'exposure_gini@10',
                'personalisation@10',
                'average_popularity@10',
                'intra_list_diversity@10'
            ],
            columns={'query': 'user_id', 'position': 'position', 'run': 'system'},
            items=ref('stg_film_genres')
        )
    }}
) as summary

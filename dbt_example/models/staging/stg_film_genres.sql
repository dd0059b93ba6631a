-- A row per film and genre, with how many people rated the film: the catalogue.
select
    films.item_id,
    cast(count(ratings.user_id) as double) as popularity,
    films.category
from (
    select item_id, unnest(string_split(genres, '|')) as category
    from {{ ref('stg_films') }}
) as films
left join {{ ref('stg_ratings') }} as ratings on films.item_id = ratings.item_id
group by films.item_id, films.category

{#- Two queries and four numbers that a reader can check:
    one: the list is x, good, x, best; the judgments are good 1, best 2.
         rr = 1/2, ap = (1/2 + 2/4) / 2, ndcg = (1/log2(3) + 2/log2(5)) / (2/log2(2) + 1/log2(3)), p@4 = 2/4
    two: nothing relevant was returned: 0 everywhere. -#}
with
run as (
    select 'one' as query_id, 'x' as item_id, 4 as score
    union all select 'one', 'good', 3
    union all select 'one', 'y', 2
    union all select 'one', 'best', 1
    union all select 'two', 'x', 1
),

judgments as (
    select 'one' as query_id, 'good' as item_id, 1 as relevance
    union all select 'one', 'best', 2
    union all select 'two', 'good', 1
),

expected as (
    select 'one' as query_id, 0.5 as rr, 0.5 as ap, 0.5 as p_at_4,
        (1 / (ln(3) / ln(2)) + 2 / (ln(5) / ln(2))) / (2 + 1 / (ln(3) / ln(2))) as ndcg
    union all select 'two', 0, 0, 0, 0
)

select expected.*, actual.rr as actual_rr, actual.ap as actual_ap, actual.p_at_4 as actual_p_at_4, actual.ndcg as actual_ndcg
from expected
left join (
    {{ rankmetrics_sql.per_query('run', ['rr', 'ap', 'p@4', 'ndcg'], qrels='judgments') }}
) as actual on expected.query_id = actual.query_id
where actual.query_id is null
    or abs(actual.rr - expected.rr) > 1e-12
    or abs(actual.ap - expected.ap) > 1e-12
    or abs(actual.p_at_4 - expected.p_at_4) > 1e-12
    or abs(actual.ndcg - expected.ndcg) > 1e-12

{#-
The probability of ranks or signs where chance gives each difference its sign, all patterns of signs alike: exactly, as
long as no more pairs differ than rm_most_exact says. Of signs alone it is binomial: 1 + m + m (m - 1) / 2 + ... over
2^m. Of Wilcoxon's ranks, which may tie, it comes from the characteristic function. Let r be the ranks doubled, so that
they are whole numbers, W the sum of those with the sign that is looked for, N - 1 = m (m + 1) the sum of all:
    P(W <= w) = (w + 1) / N + 1 / N * SUM of sin(pi j (2 w + 2 - N) / N) / sin(pi j / N) * PRODUCT of cos(pi j r / N),
the sum over j from 1 to m (m + 1) / 2, the product over the ranks. It is a whole number of 2^m, to which it is rounded.
    chances   the terms of the sum: of each effect, one for each number of signs, or for each j
    exact     of each effect its p-value
-#}

{% macro rm_is_exact_rank_test(plan) %}
{%- set is_of_pairs = rankmetrics_sql.rm_is_rank_test(plan) and not rankmetrics_sql.rm_ranks_arms(plan) -%}
{{ return(is_of_pairs and plan.options.exact == 'auto') }}
{% endmacro %}

{#- How many pairs may differ: 2^-1000 is a double, and 2^50 counted as a sum of cosines still right to one. -#}
{% macro rm_most_exact(plan) %}
{{ return({'sign': 1000, 'wilcoxon': 50}[plan.options.test]) }}
{% endmacro %}

{% macro rm_is_exact_number(plan, n) %}
{{ return(n ~ ' > 0 AND ' ~ n ~ ' <= ' ~ rankmetrics_sql.rm_most_exact(plan)) }}
{% endmacro %}

{#- Of the two sums that signs split a whole in, the one whose smallness speaks against chance. -#}
{% macro rm_lesser_side(plan, higher, lower) %}
{{ return({'greater': lower, 'less': higher,
    'two_sided': 'CASE WHEN ' ~ higher ~ ' < ' ~ lower ~ ' THEN ' ~ higher ~ ' ELSE ' ~ lower ~ ' END',
}[plan.options.alternative]) }}
{% endmacro %}

{#- All stages; ranked is the relation with the places of differences. -#}
{% macro rm_exact_ranks(plan, ranked) %}
{%- if not rankmetrics_sql.rm_is_exact_rank_test(plan) -%}{{ return([]) }}{%- endif -%}
{%- set of_signs = plan.options.test == 'sign' -%}
{%- set share = rankmetrics_sql.rm_share_of_patterns(of_signs) -%}
{%- set half = rankmetrics_sql.rm_number(0.5) -%}
{%- set tails = 'CASE WHEN one_tail < ' ~ half ~ ' THEN 2 * one_tail ELSE 1 END'
    if plan.options.alternative == 'two_sided'
    else 'CASE WHEN one_tail < 1 THEN one_tail ELSE 1 END' -%}
{%- set exact %}
    SELECT
        effect_number,
        {{ tails }} AS exact_pvalue
    FROM (
        SELECT
            effect_number,
            {{ share }} AS one_tail
        FROM {{ plan.stages.chances }}
        GROUP BY effect_number
    ) AS shares
{%- endset -%}
{{ return(rankmetrics_sql.rm_numbers(plan) + [
    rankmetrics_sql.rm_cte(
        plan.stages.chances,
        rankmetrics_sql.rm_chances_of_signs(plan) if of_signs else rankmetrics_sql.rm_chances_of_ranks(plan, ranked),
        'the probability of each number of signs up to what was found, where few pairs differ'
            if of_signs
            else 'the waves that the probability of a sum of ranks is made of, where few pairs differ'
    ),
    rankmetrics_sql.rm_cte(plan.stages.exact, exact, 'the exact p-value of such an effect'),
]) }}
{% endmacro %}

{#- Each binomial is the one before it times (m - i + 1) / i, i = list_position - 1: in logarithms a running sum. -#}
{% macro rm_chances_of_signs(plan) %}
{%- set m = rankmetrics_sql.rm_as_double('n_different') -%}
{%- set place = rankmetrics_sql.rm_as_double('list_position') -%}
{%- set factor = 'CASE WHEN list_position > 1 THEN LN((' ~ m ~ ' - ' ~ place ~ ' + 2) / (' ~ place ~ ' - 1)) ELSE '
    ~ rankmetrics_sql.rm_as_double('0') ~ ' END' -%}
{%- set so_far = 'SUM(' ~ factor ~ ') OVER (PARTITION BY effect_number ORDER BY list_position ASC'
    ~ ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)' -%}
{%- set chances %}
    SELECT
        effect_number,
        n_different,
        EXP({{ so_far }} - {{ m }} * LN({{ rankmetrics_sql.rm_as_double('2') }})) AS chance
    FROM (
        SELECT
            s.effect_number,
            s.n_higher + s.n_lower AS n_different,
            n.list_position
        FROM {{ plan.stages.sums }} AS s
        INNER JOIN {{ plan.stages.numbers }} AS n
            ON n.list_position <= 1 + {{ rankmetrics_sql.rm_lesser_side(plan, 's.n_higher', 's.n_lower') }}
        WHERE
            n.list_position <= {{ rankmetrics_sql.rm_most_exact(plan) + 1 }}
            AND {{ rankmetrics_sql.rm_is_exact_number(plan, 's.n_higher + s.n_lower') }}
    ) AS each_number
{%- endset -%}
{{ return(chances) }}
{% endmacro %}

{#- An angle of a whole number of N-ths of a half circle, without the circles that it goes around. -#}
{% macro rm_angle(parts, n) %}
{%- set left = rankmetrics_sql.rm_modulo(parts, '(2 * ' ~ n ~ ')') -%}
{{ return(rankmetrics_sql.rm_number(3.141592653589793) ~ ' * ' ~ rankmetrics_sql.rm_as_double(left) ~ ' / '
    ~ rankmetrics_sql.rm_as_double(n)) }}
{% endmacro %}

{#-
N is odd, so that no cosine is 0. Its logarithms are added up, and its signs counted, because engines have no product.
-#}
{% macro rm_chances_of_ranks(plan, ranked) %}
{%- set most = rankmetrics_sql.rm_most_exact(plan) -%}
{%- set integer = rankmetrics_sql.rm_bigint_type() -%}
{%- set wave = rankmetrics_sql.rm_angle('list_position * (first_place + last_place)', 'n_sums') -%}
{%- set found = rankmetrics_sql.rm_lesser_side(plan, 'higher', 'n_sums - 1 - higher') -%}
{%- set product = rankmetrics_sql.rm_exp('logarithm') -%}
{%- set parity = rankmetrics_sql.rm_modulo('n_negative', 2) -%}
{%- set chances %}
    SELECT
        effect_number,
        n_different,
        {{ rankmetrics_sql.rm_as_double('n_sums') }} AS n_sums,
        {{ rankmetrics_sql.rm_as_double('found') }} AS found,
        CASE WHEN {{ parity }} = 1 THEN -1 ELSE 1 END * {{ product }}
            * SIN({{ rankmetrics_sql.rm_angle('list_position * (2 * found + 2 - n_sums)', 'n_sums') }})
            / SIN({{ rankmetrics_sql.rm_angle('list_position', 'n_sums') }}) AS chance
    FROM (
        SELECT
            effect_number,
            n_different,
            n_sums,
            list_position,
            logarithm,
            n_negative,
            {{ found }} AS found
        FROM (
            SELECT
                effect_number,
                list_position,
                MAX(n_alike) AS n_different,
                MAX(n_sums) AS n_sums,
                CAST(SUM(CASE WHEN difference > 0 THEN first_place + last_place ELSE 0 END) AS {{ integer }}) AS higher,
                SUM(LN(ABS(height))) AS logarithm,
                CAST(SUM(CASE WHEN height < 0 THEN 1 ELSE 0 END) AS {{ integer }}) AS n_negative
            FROM (
                SELECT
                    effect_number,
                    difference,
                    first_place,
                    last_place,
                    n_alike,
                    n_sums,
                    list_position,
                    COS({{ wave }}) AS height
                FROM (
                    SELECT
                        p.effect_number,
                        p.difference,
                        CAST(p.first_place AS {{ integer }}) AS first_place,
                        CAST(p.last_place AS {{ integer }}) AS last_place,
                        p.n_alike,
                        CAST(p.n_alike * (p.n_alike + 1) + 1 AS {{ integer }}) AS n_sums,
                        CAST(n.list_position AS {{ integer }}) AS list_position
                    FROM {{ ranked }} AS p
                    INNER JOIN {{ plan.stages.numbers }} AS n ON 2 * n.list_position <= p.n_alike * (p.n_alike + 1)
                    WHERE
                        2 * n.list_position <= {{ most * (most + 1) }}
                        AND p.difference <> 0
                        AND p.n_alike <= {{ most }}
                ) AS each_rank
            ) AS each_height
            GROUP BY effect_number, list_position
        ) AS each_wave
    ) AS each_found
{%- endset -%}
{{ return(chances) }}
{% endmacro %}

{#- What the chances of an effect come to: of 2^m patterns a whole number, as far as a double counts them. -#}
{% macro rm_share_of_patterns(of_signs) %}
{%- set m = rankmetrics_sql.rm_as_double('MAX(n_different)') -%}
{%- set patterns = 'POWER(' ~ rankmetrics_sql.rm_as_double('2') ~ ', ' ~ m ~ ')' -%}
{%- set sum = rankmetrics_sql.rm_aggregated('sum', 'chance') -%}
{%- set sum = sum if of_signs else '(MAX(found) + 1 + ' ~ sum ~ ') / MAX(n_sums)' -%}
{%- set whole = 'FLOOR(' ~ patterns ~ ' * ' ~ sum ~ ' + ' ~ rankmetrics_sql.rm_number(0.5) ~ ') / ' ~ patterns -%}
{{ return('CASE WHEN MAX(n_different) <= 50 THEN ' ~ whole ~ ' ELSE ' ~ sum ~ ' END' if of_signs else whole) }}
{% endmacro %}

{#- The same as a fact of the effects s, with the p-values z beside them. -#}
{% macro rm_exact_facts(plan) %}
{%- if not rankmetrics_sql.rm_is_exact_rank_test(plan) -%}{{ return([]) }}{%- endif -%}
{%- set is_exact = rankmetrics_sql.rm_is_exact_number(plan, '(s.n_higher + s.n_lower)') -%}
{{ return([{'name': 'exact_pvalue', 'sql': 'CASE WHEN ' ~ is_exact ~ ' THEN z.exact_pvalue END'}]) }}
{% endmacro %}

{#-
How a p-value was found, where there is more than one way: exactly, where no pairs differ too, by the normal
distribution, or by chance.
-#}
{% macro rm_method(plan) %}
{%- if rankmetrics_sql.rm_is_exact_rank_test(plan) -%}
    {%- set is_exact = 'p.n_higher + p.n_lower <= ' ~ rankmetrics_sql.rm_most_exact(plan) -%}
    {%- set other = 'normal' -%}
{%- elif rankmetrics_sql.rm_enumerates(plan) -%}
    {%- set is_exact = 'p.enumerated = 1' -%}
    {%- set other = 'draws' -%}
{%- else -%}
    {{ return([]) }}
{%- endif -%}
{%- set exactly = ' WHEN ' ~ is_exact ~ ' THEN ' ~ rankmetrics_sql.rm_string('exact') -%}
{%- set otherwise = ' WHEN p.pvalue IS NOT NULL THEN ' ~ rankmetrics_sql.rm_string(other) -%}
{{ return([{'name': 'method', 'sql': 'CASE' ~ exactly ~ otherwise ~ ' END'}]) }}
{% endmacro %}

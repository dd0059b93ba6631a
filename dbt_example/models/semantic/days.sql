{{ dbt.date_spine('day', "cast('1996-01-01' as date)", "cast('2019-01-01' as date)") }}

{#-
How many items that a relation retrieved are judged, by the name of the stage, a row for each of its runs: of a run that
has none no value says anything, however it compares with a limit. None where no metric reads judgments.
-#}
{% macro rm_test_judged_items(name, model, metrics, arguments) %}
{%- set request = rankmetrics_sql.rm_request('summary', [{'name': none, 'relation': model}], metrics, arguments) -%}
{%- set run = request.runs[0] -%}
{%- set qrels = request.qrels -%}
{%- if not rankmetrics_sql.rm_test_reading(metrics, arguments) or (qrels is none and run.columns.relevance is none) -%}
    {{ return([]) }}
{%- endif -%}
{%- set judged = run if qrels is none else qrels -%}
{%- set side = 's' if qrels is none else 'q' -%}
{%- set runs = [run.columns.run_id] if run.columns.run_id else [] -%}
{%- set columns = [{'name': 'run_id', 'sql': 's.' ~ run.columns.run_id}] if runs else [] -%}
{%- set same = [] -%}
{%- for column in (run.columns.query_id + [run.columns.item_id] if qrels is not none else []) -%}
    {%- set other = (qrels.columns.query_id + [qrels.columns.item_id])[loop.index0] -%}
    {%- do same.append('q.' ~ other ~ ' = s.' ~ column) -%}
{%- endfor -%}
{%- set counted %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns + [{'name': 'n_judged', 'sql': 'COUNT(*)'}]) }}
    FROM {{ name }}_run AS s
    {%- if same %}
    INNER JOIN {{ name }}_qrels AS q ON {{ same | join(' AND ') }}
    {%- endif %}
    WHERE {{ side }}.{{ judged.columns.relevance }} IS NOT NULL AND s.{{ run.columns.item_id }} IS NOT NULL
    {%- if runs %}
    GROUP BY s.{{ runs[0] }}
    {%- endif %}
{%- endset -%}
{%- set stages = [rankmetrics_sql.rm_cte(name ~ '_run', rankmetrics_sql.rm_source(run), 'the retrieved items')] -%}
{%- if qrels is not none -%}
    {%- do stages.append(rankmetrics_sql.rm_cte(name ~ '_qrels', rankmetrics_sql.rm_source(qrels), 'the judgments')) -%}
{%- endif -%}
{{ return(stages + [rankmetrics_sql.rm_cte(name, counted, 'how many of the retrieved items are judged')]) }}
{% endmacro %}

{#- The labels of the metrics that read judgments. -#}
{% macro rm_test_reading(metrics, arguments) %}
{%- set known = rankmetrics_sql.rm_known_metrics() -%}
{%- set choices = rankmetrics_sql.rm_project_choices(arguments.options, arguments.profile) -%}
{%- set found = [] -%}
{%- for metric in rankmetrics_sql.rm_resolved_metrics(metrics, choices) -%}
    {%- if metric.name not in known or known[metric.name].reads_judgments -%}
        {%- do found.append(metric.label) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- That number for a metric e that reads judgments, in a relation j with a row of it or none; NULL for any other. -#}
{% macro rm_test_n_judged(metrics, arguments, known, alias='j') %}
{%- if not known -%}{{ return(rankmetrics_sql.rm_as_double('NULL')) }}{%- endif -%}
{%- set labels = [] -%}
{%- for label in rankmetrics_sql.rm_test_reading(metrics, arguments) -%}
    {%- do labels.append(rankmetrics_sql.rm_string(label)) -%}
{%- endfor -%}
{{ return('CASE WHEN e.metric IN (' ~ labels | join(', ') ~ ') THEN COALESCE(' ~ alias ~ '.n_judged, 0) END') }}
{% endmacro %}

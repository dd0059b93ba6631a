{#-
Spans of traces as lists of documents: a row per document of each span that retrieves, with its position from 1. Of a
document that a span names twice the first place counts. Other spans are left out, and quality_of_spans counts them.

relation     one row per span
convention   how attributes are called: 'openinference' has retrieval.documents.0.document.id, 'opentelemetry' a list in
             gen_ai.retrieval.documents
columns      what you call span (span_id), attributes, and query, which is the span by default
mapping      how attributes are kept: 'json' is one JSON object, whose names have dots, 'flat' a column for each
item         the field of a document that names it: id, content, or part of the metadata, such as metadata.source
fields       more columns to make of attributes, as {name: attribute}, beside the question and the session
order        what ranks documents: 'position' is their place in the list, 'score' their score
context      more columns to hand on: of the relation, or fields
empty_lists  whether there is a row without an item for each span that retrieves, so that empty ones are known
-#}
{% macro from_spans(
    relation, convention='openinference', columns=none, mapping='json', item='id', fields=none, order='position',
    context=[], empty_lists=false
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set spans = rankmetrics_sql.rm_spans(relation, convention, columns, mapping, item, fields, order, context) -%}
{%- set names = (spans.query + spans.others) | map(attribute='name') | list + ['item_id'] -%}
{%- set known = names[:spans.query | length] + ['item_id'] + (['document_score'] if order == 'score' else []) -%}
{%- set ranked = 'MAX(document_score) AS score' if order == 'score' else 'MIN(place) AS position' -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(names, 4) }},
    {{ ranked }}
FROM rankmetrics_documents
WHERE {{ rankmetrics_sql.rm_all_known(known) }}
GROUP BY {{ names | join(', ') }}
{%- if empty_lists %}
UNION ALL
{{ rankmetrics_sql.rm_lists_without_items(
    spans.query, spans.others, rankmetrics_sql.rm_nulls([order]), spans.retrieves, 'rankmetrics_spans'
) }}
{%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(spans.stages) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- How many spans retrieve documents, how many of these are used, and how many are not and why. -#}
{% macro quality_of_spans(
    relation, convention='openinference', columns=none, mapping='json', item='id', fields=none, order='position'
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set spans = rankmetrics_sql.rm_spans(relation, convention, columns, mapping, item, fields, order, []) -%}
{%- set names = spans.query | map(attribute='name') | list -%}
{%- set by_score = order == 'score' -%}
{%- set best_first = 'CASE WHEN document_score IS NULL THEN 1 ELSE 0 END ASC, ' if by_score else '' -%}
{%- set of_spans %}
    SELECT
        CASE
            WHEN {{ spans.retrieves }} THEN
                CASE WHEN {{ rankmetrics_sql.rm_any_unknown(spans.query | map(attribute='sql')) }} THEN 'no query'
                    ELSE 'used' END
            ELSE 'no retrieval'
        END AS reason
    FROM rankmetrics_spans AS s
{%- endset -%}
{%- set of_documents %}
    SELECT
        CASE
            WHEN {{ rankmetrics_sql.rm_any_unknown(names) }} THEN 'no query'
            WHEN item_id IS NULL THEN 'no item'
            {%- if by_score %}
            WHEN document_score IS NULL THEN 'no score'
            {%- endif %}
            WHEN nth > 1 THEN 'repeated item'
            ELSE 'used'
        END AS reason
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(names + ['item_id'] + (['document_score'] if by_score else []), 12) }},
            ROW_NUMBER() OVER (
                PARTITION BY {{ (names + ['item_id']) | join(', ') }}
                ORDER BY {{ best_first }}place ASC
            ) AS nth
        FROM rankmetrics_documents
    ) AS numbered
{%- endset -%}
{%- set stages = spans.stages + [
    rankmetrics_sql.rm_cte('rankmetrics_span_reasons', of_spans, 'whether each span is used, or why it is set aside'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_document_reasons', of_documents, 'whether each document is used, or why it is set aside'
    ),
] -%}
{{ return(rankmetrics_sql.rm_with(stages) ~ '\n\n' ~ rankmetrics_sql.rm_select_quality([
    {'name': 'spans', 'stage': 'rankmetrics_span_reasons'},
    {'name': 'documents', 'stage': 'rankmetrics_document_reasons'},
])) }}
{% endmacro %}

{#- The names of attributes: which span retrieves, and the fields. -#}
{% macro rm_span_convention(convention) %}
{%- if convention == 'openinference' -%}
    {{ return({
        'kind': 'openinference.span.kind', 'retrieval': 'RETRIEVER',
        'fields': {'question': 'input.value', 'session': 'session.id'},
    }) }}
{%- elif convention == 'opentelemetry' -%}
    {{ return({
        'kind': 'gen_ai.operation.name', 'retrieval': 'retrieval',
        'fields': {'question': 'gen_ai.retrieval.query.text', 'session': 'gen_ai.conversation.id'},
    }) }}
{%- endif -%}
{%- do rankmetrics_sql.rm_raise(
    'convention is openinference or opentelemetry, not ' ~ rankmetrics_sql.rm_written_value(convention) ~ '.'
) -%}
{% endmacro %}

{#-
The stages up to rankmetrics_documents, a row for each document of each retrieval, with what names the query, what is
handed on, item_id, place, and document_score where it ranks; the condition that a span retrieves, over a row of
rankmetrics_spans AS s.
-#}
{% macro rm_spans(relation, convention, columns, mapping, item, fields, order, context) %}
{%- set names = rankmetrics_sql.rm_span_convention(convention) -%}
{%- do rankmetrics_sql.rm_check_spans(convention, mapping, item, order) -%}
{%- set is_flat = mapping == 'flat' -%}
{%- set usual = {'query_id': none, 'span': 'span_id'} -%}
{%- if not is_flat -%}{%- do usual.update({'attributes': 'attributes'}) -%}{%- endif -%}
{%- set own = rankmetrics_sql.rm_source_columns(usual, columns) -%}
{%- set attributes = rankmetrics_sql.rm_over_row('row_attributes' if is_flat else own.attributes) -%}
{%- set query = rankmetrics_sql.rm_source_keys(own.query_id or own.span) -%}
{%- set others = rankmetrics_sql.rm_context(context) -%}
{%- set span = {'name': 'this_span', 'sql': rankmetrics_sql.rm_over_row(own.span)} -%}
{%- set stages = [
    rankmetrics_sql.rm_cte('rankmetrics_traces', 'SELECT * FROM ' ~ relation, 'the spans as given'),
] -%}
{%- if is_flat -%}
    {%- set row_attributes = {'name': 'row_attributes', 'sql': rankmetrics_sql.rm_row_as_json()} -%}
    {%- do stages.append(rankmetrics_sql.rm_more_columns(
        'rankmetrics_rows', 'rankmetrics_traces', [row_attributes], 'the same with the row as JSON'
    )) -%}
{%- endif -%}
{%- do names.fields.update(fields or {}) -%}
{%- set made = [] -%}
{%- for name, attribute in names.fields.items() -%}
    {%- do made.append({'name': name, 'sql': rankmetrics_sql.rm_json_text(attributes, [attribute])}) -%}
{%- endfor -%}
{%- do stages.append(rankmetrics_sql.rm_more_columns(
    'rankmetrics_spans', 'rankmetrics_rows' if is_flat else 'rankmetrics_traces', made,
    'the same with columns for some attributes'
)) -%}
{%- set kind = rankmetrics_sql.rm_json_text(attributes, [names.kind]) -%}
{%- set retrieves = kind ~ ' = ' ~ rankmetrics_sql.rm_string(names.retrieval) -%}
{%- set documents = rankmetrics_sql.rm_openinference_documents if convention == 'openinference'
    else rankmetrics_sql.rm_opentelemetry_documents -%}
{{ return({
    'query': query, 'others': others, 'retrieves': retrieves,
    'stages': stages + documents(
        attributes, retrieves, [span] + query + others, item.split('.'), order == 'score'
    ),
}) }}
{% endmacro %}

{% macro rm_check_spans(convention, mapping, item, order) %}
{%- for name, value, values in [
    ['mapping', mapping, ['json', 'flat']], ['order', order, ['position', 'score']],
] if value not in values -%}
    {%- do rankmetrics_sql.rm_raise(
        name ~ ' is ' ~ values | join(' or ') ~ ', not ' ~ rankmetrics_sql.rm_written_value(value) ~ '.'
    ) -%}
{%- endfor -%}
{%- if convention == 'openinference' and not (item in ['id', 'content'] or item.startswith('metadata.')) -%}
    {%- do rankmetrics_sql.rm_raise(
        'item is id, content, or part of the metadata, such as metadata.source; not '
        ~ rankmetrics_sql.rm_written_value(item) ~ '.'
    ) -%}
{%- endif -%}
{% endmacro %}

{#- A stage with the rows of another and more columns. -#}
{% macro rm_more_columns(stage, of, columns, about) %}
{%- set sql %}
    SELECT
        {{ rankmetrics_sql.rm_lines(['s.*'] + columns) }}
    FROM {{ of }} AS s
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(stage, sql, about)) }}
{% endmacro %}

{#- An attribute for each field of each document, with its number from 0 between two dots. -#}
{% macro rm_openinference_documents(attributes, retrieves, columns, item, by_score) %}
{%- set begin = 'retrieval.documents.' -%}
{%- set values = {} -%}
{%- set numbers = [] -%}
{#- A document that has any of these is counted, also if it lacks the item. -#}
{%- for field in ['id', 'content', 'metadata'] + (['score'] if by_score else []) -%}
    {%- set end = '.document.' ~ field -%}
    {%- set is_field = 'attribute_name LIKE ' ~ rankmetrics_sql.rm_string(begin ~ '%' ~ end) -%}
    {%- set number = 'SUBSTR(attribute_name, ' ~ (begin | length + 1) ~ ', LENGTH(attribute_name) - '
        ~ (begin | length + end | length) ~ ')' -%}
    {%- do values.update({field: 'CASE WHEN ' ~ is_field ~ ' THEN attribute_value END'}) -%}
    {%- do numbers.append('WHEN ' ~ is_field ~ ' THEN ' ~ rankmetrics_sql.rm_as_integer(number) ~ ' + 1') -%}
{%- endfor -%}
{%- set names = columns | map(attribute='name') | list -%}
{%- set placed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(names + ['attribute_name', 'attribute_value']) }},
        CASE
            {{ numbers | join('\n            ') }}
        END AS place
    FROM rankmetrics_attributes
    WHERE attribute_value IS NOT NULL
{%- endset -%}
{%- set item_text = 'MAX(' ~ values[item[0]] ~ ')' -%}
{%- if item | length > 1 -%}
    {%- set item_text = rankmetrics_sql.rm_json_text(rankmetrics_sql.rm_parsed_json(item_text), item[1:]) -%}
{%- endif -%}
{%- set documents %}
    SELECT
        {{ rankmetrics_sql.rm_lines(names + ['place']) }},
        {{ item_text }} AS item_id
        {%- if by_score %},
        MAX({{ rankmetrics_sql.rm_as_double(values.score) }}) AS document_score
        {%- endif %}
    FROM rankmetrics_fields
    WHERE place IS NOT NULL
    GROUP BY {{ (names + ['place']) | join(', ') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_span_attributes(attributes, retrieves, columns, 'value'),
    rankmetrics_sql.rm_cte('rankmetrics_fields', placed, 'the same with the place of the document'),
    rankmetrics_sql.rm_cte('rankmetrics_documents', documents, 'a row for each document that was retrieved'),
]) }}
{% endmacro %}

{#- One attribute with a list of documents, as JSON or as its text. -#}
{% macro rm_opentelemetry_documents(attributes, retrieves, columns, item, by_score) %}
{%- set names = columns | map(attribute='name') | list -%}
{%- set lists %}
    SELECT
        {{ rankmetrics_sql.rm_lines(names + ['attribute_value']) }}
    FROM rankmetrics_attributes
    WHERE attribute_name = 'gen_ai.retrieval.documents'
{%- endset -%}
{%- set records = rankmetrics_sql.rm_records('s.attribute_value', 'json', placed=true) -%}
{%- set own = rankmetrics_sql.rm_columns_from('s', names) + [
    {'name': 'place', 'sql': records.place},
    {'name': 'item_id', 'sql': rankmetrics_sql.rm_json_text(records.element, item)},
] -%}
{%- if by_score -%}
    {%- set score = rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_field(records, 'score')) -%}
    {%- do own.append({'name': 'document_score', 'sql': score}) -%}
{%- endif -%}
{%- set documents %}
    SELECT
        {{ rankmetrics_sql.rm_lines(own) }}
    FROM rankmetrics_document_lists AS s
    {{ records.join }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_span_attributes(attributes, retrieves, columns, 'list'),
    rankmetrics_sql.rm_cte('rankmetrics_document_lists', lists, 'the attribute with the documents'),
    rankmetrics_sql.rm_cte('rankmetrics_documents', documents, 'a row for each document that was retrieved'),
]) }}
{% endmacro %}

{#-
All attributes of retrievals, each with its value as text, or as a list. Their names are compared in the next stage:
Sail resolves no name of a lateral view in a condition beside it.
-#}
{% macro rm_span_attributes(attributes, retrieves, columns, value) %}
{%- set members = rankmetrics_sql.rm_members(attributes) -%}
{%- set own = [
    {'name': 'attribute_name', 'sql': members.name}, {'name': 'attribute_value', 'sql': members[value]},
] -%}
{%- set sql %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns + own) }}
    FROM rankmetrics_spans AS s
    {{ members.join }}
    WHERE {{ retrieves }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte('rankmetrics_attributes', sql, 'a row for each attribute of retrievals')) }}
{% endmacro %}

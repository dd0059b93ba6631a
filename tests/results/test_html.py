"""What notebooks show of results: HTML with everything escaped, without pandas."""

from __future__ import annotations

import html.parser
import subprocess
import sys

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.results.base import SummaryHtml
from rankmetrics_sql.results.comparison_text import reasons_of
from rankmetrics_sql.results.html import page
from rankmetrics_sql.results.tables import Table
from rankmetrics_sql.results.text_tables import Block, Cell, Grid

RUN = {"q1": {"a": 3, "b": 2}, "q2": {"c": 1}}
QRELS = {"q1": {"b": 2}, "q2": {"c": 1}}
HOSTILE = "<img src=x onerror=\"alert('1')\">&amp;\n"


class Reader(html.parser.HTMLParser):
    """The cells of tables, the tags that are used, and whether each is closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.cells, self.right = set(), [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")
            self.right.append("right" in dict(attrs).get("style", ""))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self.open):
            self.cells[-1] += data


def read(shown):
    return Reader(shown._repr_html_())


def evaluated(run=RUN, **options):
    return rm.evaluate(run, QRELS, ["rr"], **options)


def test_a_table_has_the_values_and_numbers_to_the_right():
    found = read(evaluated())
    assert found.cells == ["metric", "value", "n_queries", "rr", "0.7500", "2"]
    assert found.right == [False, True, True] * 2


SHOWN = {
    "result": evaluated,
    "table": lambda: evaluated().per_query,
    "comparison": lambda: rm.compare(RUN, {"new": RUN}, QRELS, ["rr"]),
    "movements": lambda: rm.movements(RUN, {"new": RUN}, QRELS),
    "curve": lambda: rm.curve(RUN, QRELS, "p", at=[1, 2]),
    "points": lambda: rm.curve(RUN, QRELS, "pr_curve"),
    "sensitivity": lambda: rm.sensitivity({"x": RUN, "y": RUN}, QRELS, ["rr"]),
    "explanation": lambda: rm.explain(RUN, QRELS, "ndcg@10", profile="ranx"),
    "metrics": rm.metrics,
    "metric": lambda: rm.metrics()["ndcg"],
    "options": rm.options,
    "option": lambda: rm.options()["ties"],
    "profiles": rm.profiles,
}


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
def test_everything_is_shown(name):
    """Jupyter's and marimo's are the same."""
    shown = SHOWN[name]()
    assert read(shown).tags <= {
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "caption",
        "details",
        "summary",
        "ul",
    } | {
        "li",
        "p",
        "strong",
    }
    assert read(shown).cells
    assert shown._mime_() == ("text/html", shown._repr_html_())


def test_ids_and_warnings_are_text():
    run = {HOSTILE: {"a": 1}, "unjudged": {"a": 1}}
    with pytest.warns(rm.RankmetricsWarning):
        result = rm.evaluate({HOSTILE: run}, {HOSTILE: {"a": 1}, "missing": {"a": 1}}, ["rr"])
    for shown in (result, result.per_query):
        assert "<img" not in shown._repr_html_()
        assert "img" not in read(shown).tags
        assert HOSTILE.replace("\n", "\\n") in read(shown).cells


def test_all_warnings_are_one_note_that_opens():
    text = page([], ["one <b>", "two"])
    assert text.count("<details>") == 1
    assert "<summary>2 warnings</summary><ul><li>one &lt;b&gt;</li><li>two</li></ul>" in text
    assert "<summary>1 warning</summary>" in page([], ["one"])
    assert "details" not in page([], [])


def test_titles_marks_and_captions():
    rows = [[Cell("x"), Cell("0.5", is_number=True, is_best=True, is_marked=True)]]
    text = page([Grid(["run", "ap"], [Block("a < b", rows)], "below & beside")])
    assert '<th colspan="2" style="text-align: left">a &lt; b</th>' in text
    assert "<strong>0.5*</strong>" in text
    assert ">below &amp; beside. The better value is bold.</caption>" in text
    told = page([Grid(["run", "ap"], [Block("", rows)], "best values in bold")])
    assert ">best values in bold.</caption>" in told


def test_points_have_the_names_of_the_parameter_and_the_metric():
    """Whole cutoffs; recall levels as they are; the points of a list are recall and precision."""
    curve = rm.curve({"x": RUN, "y": RUN}, QRELS, "p", at=[1, 2])
    assert read(curve).cells[:8] == ["run_id", "k", "p", "n_queries", "x", "1", "0.5000", "2"]
    assert str(curve).split()[:4] == ["run_id", "k", "p", "n_queries"]
    assert curve.summary.columns == ["run_id", "x", "y", "n_queries"]
    levels = rm.curve(RUN, QRELS, "iprec", along="recall", at=[0, 0.5])
    assert read(levels).cells[:5] == ["recall", "iprec", "n_queries", "0.0000", "0.7500"]
    assert read(rm.curve(RUN, QRELS, "pr_curve")).cells[:3] == ["query_id", "recall", "precision"]


def test_arms_are_called_arms():
    shown = "SELECT * FROM (VALUES (1, 'a', 1, 'old'), (2, 'a', 1, 'new')) AS t(request_id, item_id, position, arm)"
    log = rm.events(shown, "SELECT 1 AS request_id, 'a' AS item_id, 'click' AS event_type", arm="arm")
    evaluated, curve = rm.evaluate(log, "mrr"), rm.curve(log, "success", at=[1])
    for result, columns in ((evaluated, ["arm", "metric"]), (curve, ["arm", "k"])):
        assert read(result).cells[:2] == columns
        assert result.summary.columns[0] == "run_id"


def test_of_many_rows_the_first_are_shown():
    lists = {f"q{number}": {"a": 1} for number in range(25)}
    many = rm.evaluate(lists, lists, ["rr"])
    assert len(read(many.per_query).cells) == 2 * (1 + 20)
    assert "5 more rows." in many.per_query._repr_html_()


def test_a_summary_without_rows_has_its_columns():
    class Empty(SummaryHtml):
        summary, warnings = Table(str, lambda _: (["metric", "value"], [])), ["nothing is left"]

    assert read(Empty()).cells == ["metric", "value"]
    assert "nothing is left" in Empty()._repr_html_()


def test_a_catalogue_is_a_dictionary_too():
    assert rm.options()["ties"]["default"] == "item_desc"
    assert isinstance(rm.metrics(), dict)
    assert read(rm.options()).cells[:4] == ["name", "group", "default", "help"]
    assert "ndcg" in read(rm.metrics()).cells


def test_no_frame_is_needed():
    code = (
        "import sys; sys.modules['pandas'] = sys.modules['altair'] = None; import rankmetrics_sql as rm;"
        "print(rm.evaluate({'q': {'a': 1}}, {'q': {'a': 1}}, ['rr'])._repr_html_())"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "1.0000" in shown


def test_what_is_printed_is_aligned():
    assert repr(evaluated()).splitlines() == [
        "metric    value   n_queries",
        "───────────────────────────",
        "rr       0.7500           2",
    ]


def test_a_reason_within_a_longer_one_is_not_repeated():
    reasons = ("few are judged", "few are judged; 3 of 9 queries changed", None, "too few")
    rows = [{"run": "b", "baseline_run": "a", "metric": str(n), "reason": reason} for n, reason in enumerate(reasons)]
    assert reasons_of(rows) == ["Few are judged; 3 of 9 queries changed.", "Too few."]

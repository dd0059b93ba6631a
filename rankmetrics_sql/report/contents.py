"""What a page contains, and its charts as SVG with descriptions for screen readers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..optional import of_plots
from .sentences import Sentence
from .tables import PageTable

_IDS = re.compile(r'(\bid="|url\(#|href="#)')
# What Vega says of each mark: the chart as a whole is one picture, and its text alternative stands on it.
_OF_MARKS = re.compile(r' (?:role="graphics-[a-z]+"|aria-[a-z]+="[^"]*")')
# A mark with what it stands for, which a browser shows where the pointer is.
_MARK = re.compile(r'<path aria-label="([^"]*)"([^>]*?)/?>(?:</path>)?')


@dataclass(frozen=True)
class Figure:
    """A chart on the page.

    Attributes:
        title: of the figure.
        svg: the picture, which is markup.
        text: what it shows, in sentences.
        table: the same in cells, where it has names that a picture has no room for.
    """

    title: str
    svg: str
    text: str
    table: PageTable | None = None


def need_drawing() -> None:
    """Raise unless Altair and vl-convert-python are installed."""
    of_plots("altair", "Altair")
    of_plots("vl_convert", "vl-convert-python")


def render_figure(title: str, chart: Any, number: int) -> Figure:
    """Render a chart as a figure."""
    text = vl_convert().vegalite_to_svg(chart.to_json())
    text = _MARK.sub(r"<path\2><title>\1</title></path>", text[text.index("<svg") :])
    text = _OF_MARKS.sub("", text)
    return Figure(title, _IDS.sub(rf"\g<1>figure{number}-", text), str(chart.description or title))


def vl_convert() -> Any:
    """Import the package that renders charts as SVG."""
    return of_plots("vl_convert", "vl-convert-python")


@dataclass
class Page:
    """The contents of a page, in order; empty parts are left out.

    Attributes:
        title: of the page.
        written: the date.
        database: the name of the database, or None.
        verdict: sentences.
        tested: how it was tested, or None.
        facts: what size of effect is found, and how the arms share the queries.
        explained: what each metric measures, by its name as typed.
        grids: tables of values and of differences.
        figures: charts.
        segment_verdict: a sentence for each group of queries.
        segments: tables of groups of queries.
        segment_figures: charts of them.
        agreement: tables of how far the judges agree.
        agreement_figures: a chart of two of them.
        losing: the table of searches that lose clicks, of a log with search texts.
        losing_verdict: a sentence on the one that loses most.
        losing_facts: what lost clicks are, what they rest on, and how to list more.
        losing_figures: a chart of them.
        changes: the table of queries that changed most, or have the worst values.
        is_changed: whether they changed.
        query_figures: charts of queries.
        lists: the rankings of some of them, side by side.
        without_lists: why there are no lists.
        notes: what is not on the page, and why.
        warnings: what may make a number mean less than it seems.
        judged: how many of the first items are judged.
        quality: what was used of a source.
        rules: the tables, columns and rules of sources.
        check: what was checked of the inputs.
        has_scores: whether the rows may have scores; those of a log have positions.
        choices: options with their values, whether they are the default, and what they mean.
        statements: the SQL that ran, by what it is for.
    """

    title: str
    written: str = ""
    database: str | None = None
    verdict: list[Sentence] = field(default_factory=list)
    tested: str | None = None
    facts: list[str] = field(default_factory=list)
    explained: dict[str, str] = field(default_factory=dict)
    grids: list[PageTable] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    segment_verdict: list[Sentence] = field(default_factory=list)
    segments: list[PageTable] = field(default_factory=list)
    segment_figures: list[Figure] = field(default_factory=list)
    agreement: list[PageTable] = field(default_factory=list)
    agreement_figures: list[Figure] = field(default_factory=list)
    losing: PageTable | None = None
    losing_verdict: list[Sentence] = field(default_factory=list)
    losing_facts: list[str] = field(default_factory=list)
    losing_figures: list[Figure] = field(default_factory=list)
    changes: PageTable | None = None
    is_changed: bool = False
    query_figures: list[Figure] = field(default_factory=list)
    lists: list[Figure] = field(default_factory=list)
    without_lists: str = ""
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    judged: list[str] = field(default_factory=list)
    quality: PageTable | None = None
    rules: Mapping[str, str] = field(default_factory=dict)
    check: str = "full"
    has_scores: bool = True
    choices: list[tuple[str, str, bool, str]] = field(default_factory=list)
    statements: list[tuple[str, str]] = field(default_factory=list)

    @property
    def all_grids(self) -> list[PageTable]:
        """Return the tables of the page."""
        single = filter(None, [self.losing, self.changes, self.quality])
        return [*self.grids, *self.segments, *self.agreement, *single]

    @property
    def has_queries(self) -> bool:
        """Return whether something is known of single queries."""
        return bool(self.changes or self.query_figures or self.without_lists)

    @property
    def n_figures(self) -> int:
        """Return the number of charts so far."""
        of_sections = (self.figures, self.segment_figures, self.agreement_figures, self.losing_figures)
        return sum(map(len, (*of_sections, self.query_figures, self.lists)))

    def figure(self, title: str, chart: Any) -> Figure:
        """Render a chart as the next figure."""
        return render_figure(title, chart, self.n_figures + 1)

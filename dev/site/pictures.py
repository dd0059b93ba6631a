"""The pictures of docs/which.md, of values of small rankings, and of the README, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import rankmetrics_sql as rm

from . import figures

METRICS = ("ndcg", "ap", "rr", "rbp(p=0.8)", "err", "p@5")
PLACES = 10
# Grades in the order of the list; every swap is of two neighbours.
RANKING = (3, 0, 0, 1, 2, 0, 0, 1, 0, 2)
_WIDTH, _ROW, _LEFT, _STEP, _HIGH = 640, 78, 110, 52, 50
_STYLE = (
    "text{font:13px sans-serif;fill:#333}.n{font-size:10px}line{stroke:#999}"
    ".up{fill:#2a7f62}.down{fill:#b5483a}.bar{fill:#3b6ea5}"
)


def pictures() -> dict[str, str]:
    """Return the SVG of every picture, by its path below docs."""
    return {"pictures/one_item.svg": one_item(), "pictures/swaps.svg": swaps(), "pictures/speed.svg": speed()}


def one_item() -> str:
    """Draw the value of each metric for a list with one relevant item, by its place."""
    runs = {place: [int(place == rank) for rank in range(1, PLACES + 1)] for place in range(1, PLACES + 1)}
    return _svg("One relevant item, of grade 1, at rank", _values(runs), [str(place) for place in runs], signed=False)


def swaps() -> str:
    """Draw how each metric changes when two neighbours of the ranking are swapped."""
    runs = {0: list(RANKING)}
    for place in range(1, PLACES):
        runs[place] = list(RANKING)
        runs[place][place - 1 : place + 1] = runs[place][place - 1 : place + 1][::-1]
    values_by_metric = _values(runs)
    changes = {metric: [value - values[0] for value in values[1:]] for metric, values in values_by_metric.items()}
    labels = [f"{RANKING[place - 1]} ⇄ {RANKING[place]}" for place in range(1, PLACES)]
    return _svg(f"Grades {' '.join(map(str, RANKING))}: two neighbours swapped", changes, labels, signed=True)


def _values(runs: Mapping[int, list[int]]) -> dict[str, list[float]]:
    """Return every metric of every list of grades; each list is a query."""
    run = {str(name): {f"i{rank}": -float(rank) for rank in range(len(grades))} for name, grades in runs.items()}
    qrels = {str(name): {f"i{rank}": grade for rank, grade in enumerate(grades)} for name, grades in runs.items()}
    values_by_query = {row[0]: row[1:] for row in rm.evaluate(run, qrels, list(METRICS)).per_query.fetchall()}
    return {metric: [values_by_query[str(name)][column] for name in runs] for column, metric in enumerate(METRICS)}


def _svg(title: str, values: Mapping[str, list[float]], labels: list[str], signed: bool) -> str:
    height = 60 + _ROW * len(values)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>{title}</title><style>{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/><text x="10" y="20">{title}</text>',
        *(
            f'<text x="{_middle(place)}" y="42" text-anchor="middle">{label}</text>'
            for place, label in enumerate(labels)
        ),
        *(
            line
            for row, (metric, numbers) in enumerate(values.items())
            for line in _row(metric, numbers, 56 + row * _ROW, signed)
        ),
        "</svg>",
        "",
    ]
    return "\n".join(lines)


def _row(metric: str, values: list[float], top: int, signed: bool) -> Iterator[str]:
    """Yield the bars of a metric; each row has a scale of its own, and every bar its number."""
    largest = max(map(abs, values))
    base = top + (_HIGH // 2 + 10 if signed else _HIGH + 12)
    unit = (_HIGH / 2 - 2 if signed else _HIGH) / largest
    yield f'<text x="10" y="{base}">{metric}</text><line x1="{_LEFT}" x2="{_WIDTH - 6}" y1="{base}" y2="{base}"/>'
    for place, value in enumerate(values):
        size = abs(value) * unit
        edge, kind = (base, "down") if value < 0 else (base - size, "up" if signed else "bar")
        if value:
            yield f'<rect class="{kind}" x="{_middle(place) - 14}" y="{edge:.1f}" width="28" height="{size:.1f}"/>'
        y = base + size + 11 if value < 0 else base - size - 3
        yield _text(place, y, _number(value, signed), ' class="n"')


def _text(place: int, y: float, text: str, more: str = "") -> str:
    return f'<text{more} x="{_middle(place)}" y="{y:.1f}" text-anchor="middle">{text}</text>'


def _middle(place: int) -> int:
    return _LEFT + 24 + place * _STEP


def _number(value: float, signed: bool) -> str:
    """Return a value, or a change, which is not shown as 0 unless it is."""
    if not signed:
        return f"{value:.2f}"
    digits = 3 if abs(value) >= 0.0005 else 4
    return f"{value:+.{digits}f}".replace("-", "−") if value else "0"


def speed() -> str:
    """Draw the seconds of a whole process with each tool, of the first shape that was measured."""
    seconds = figures.seconds(figures.shapes()[0], figures.COLD)
    largest, height = max(seconds.values()), 24 + 26 * len(seconds)
    description = ", ".join(f"{figures.COLD[name]} {seconds[name]:.2f}" for name in seconds)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>Seconds of a whole process: {description}</title>",
        f'<style>{_STYLE}</style><rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for place, (name, duration) in enumerate(seconds.items()):
        y, width = 12 + 26 * place, max(2.0, (_WIDTH - 2 * _LEFT) * duration / largest)
        kind = "up" if name == "rankmetrics" else "bar"
        lines += [
            f'<text x="{_LEFT - 8}" y="{y + 14}" text-anchor="end">{figures.COLD[name]}</text>',
            f'<rect class="{kind}" x="{_LEFT}" y="{y}" width="{width:.1f}" height="18"/>',
            f'<text x="{_LEFT + width + 6:.1f}" y="{y + 14}">{duration:.2f} s</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])

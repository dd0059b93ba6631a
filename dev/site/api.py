"""The Python API: a page for each public function and class, out of its signature and docstring, and their list."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import rankmetrics_sql as rm

from .markup import code, prose, table

# What people come for, with the functions that answer it; the classes are what functions return or raise.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Score": ("evaluate", "labelled", "curve"),
    "Compare": ("compare", "compare_all", "tukey", "decompose", "movements", "explain"),
    "Read logs, lists, traces, ratings": (
        "events",
        "ubi",
        "ga4",
        "segment",
        "snowplow",
        "lists",
        "spans",
        "ratings",
        "values",
    ),
    "Look into a log": ("ctr_by_position", "worst", "coec", "propensities", "team_draft", "team_draft_preference"),
    "Judgments": ("judgments", "agreement", "consensus", "judge_next", "ranks", "sensitivity"),
    "Plan": ("sample_size",),
    "SQL and databases": ("sql", "connect", "estimate", "install", "clean"),
    "Names": ("metrics", "options", "profiles"),
}
_SECTIONS = ("Args", "Attributes", "Returns", "Raises", "Examples")


class Documentation(NamedTuple):
    """A docstring in parts.

    Attributes:
        first: its first paragraph, one sentence.
        more: the paragraphs behind it.
        sections: the text of each section, without its indentation.
    """

    first: str
    more: str
    sections: Mapping[str, str]

    def entries(self, section: str) -> dict[str, str]:
        """Return the entries of a section, each with its lines, by name."""
        parts = re.split(r"(?m)^(\w[\w, ]*): ", self.sections.get(section, ""))[1:]
        texts = [textwrap.dedent(f"    {text}").strip() for text in parts[1::2]]
        return dict(zip(parts[::2], texts, strict=True))


def documentation(of: Any) -> Documentation:
    """Return the docstring of a function or class in parts."""
    text = inspect.getdoc(of) or ""
    parts = re.split(rf"(?m)^({'|'.join(_SECTIONS)}):\n", text)
    first, _, more = parts[0].strip().partition("\n\n")
    sections = {name: textwrap.dedent(body).strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}
    return Documentation(_joined(first), more.strip(), sections)


def classes() -> list[str]:
    """Return the names of the public classes."""
    return [name for name in sorted(rm.__all__) if inspect.isclass(getattr(rm, name))]


def pages() -> dict[str, str]:
    """Return the text of every page, by its path below docs."""
    names = [*(name for group in GROUPS.values() for name in group), *classes()]
    return {f"api/{file_of(name)}": _page(name) for name in names}


def file_of(name: str) -> str:
    """Return the file of a page: ``agreement`` and ``Agreement`` are one name to some file systems."""
    return f"class_{name.lower()}.md" if inspect.isclass(getattr(rm, name)) else f"{name}.md"


def index() -> str:
    """Return the end of the page docs/python.md: the list of all functions and classes, with links to their pages."""
    lines = ["## Functions and classes", "", "Each name leads to its page, which has the docstring."]
    for title, names in (GROUPS | {"What they return, and errors": tuple(classes())}).items():
        rows = ((_link(name), _text(documentation(getattr(rm, name)).first)) for name in names)
        lines += ["", f"### {title}", "", *table(("name", ""), rows)]
    text = "\n".join([*lines, ""])
    return re.sub(r"\]\((\.\./)?", lambda link: "](" if link[1] else "](api/", text)  # links of a page of api/


def _page(name: str) -> str:
    of = getattr(rm, name)
    about = documentation(of)
    lines = [f"# rm.{name}", "", _text(about.first), ""]
    if inspect.isfunction(of):
        lines += ["```python", *_signature(f"rm.{name}", of), "```", ""]
    lines += [*_paragraphs(about.more)]
    lines += [*_arguments(about), *_attributes(about), *_returned(of, about), *_raised(about), *_example(about)]
    lines += [*_methods(of)] if inspect.isclass(of) else []
    return "\n".join([*lines, ""])


def _signature(name: str, function: Callable[..., Any]) -> Iterator[str]:
    parameters = [
        replaced.replace(annotation=inspect.Parameter.empty)
        for replaced in inspect.signature(function).parameters.values()
        if replaced.name != "self"
    ]
    shown = str(inspect.Signature(parameters))[1:-1]
    if len(name) + len(shown) <= 86:
        yield f"{name}({shown})"
        return
    yield f"{name}("
    yield from textwrap.wrap(shown + ",", 84, initial_indent="    ", subsequent_indent="    ")
    yield ")"


def _arguments(about: Documentation) -> Iterator[str]:
    entries = about.entries("Args")
    if entries:
        yield "## Arguments\n"
        yield from table(("argument", "meaning"), ((code(name), _text(text)) for name, text in entries.items()))
        yield ""


def _attributes(about: Documentation) -> Iterator[str]:
    """Yield the attributes, those with columns under a heading of their own."""
    entries = about.entries("Attributes")
    tables = {name: text for name, text in entries.items() if "\n- " in text}
    for name, text in tables.items():
        intro, columns, *more = text.split("\n\n")
        yield f"## .{name}\n\n{_sentence(intro)}\n"
        yield from table(("column", "meaning"), map(_column, re.split(r"(?m)^- ", columns)[1:]))
        yield from ["", *_paragraphs("\n\n".join(more))]
    plain = [(code(name), _text(text)) for name, text in entries.items() if name not in tables]
    if plain:
        yield "## More attributes\n" if tables else "## Attributes\n"
        yield from table(("attribute", "meaning"), plain)
        yield ""


def _column(text: str) -> tuple[str, str]:
    names, _, meaning = _joined(text).partition(": ")
    return _text(names), _text(meaning)


def _returned(of: Any, about: Documentation) -> Iterator[str]:
    if "Returns" in about.sections:
        yield "## Returns\n"
        yield from _paragraphs(about.sections["Returns"])
        names = [name for name in re.findall(r"\w+", str(inspect.signature(of).return_annotation)) if name in classes()]
        if names:
            yield f"Its columns and methods: {', '.join(map(_link, names))}.\n"


def _raised(about: Documentation) -> Iterator[str]:
    entries = about.entries("Raises")
    if entries:
        yield "## Errors\n"
        yield from table(("error", "when"), ((_link(name), _text(text)) for name, text in entries.items()))
        yield ""


def _example(about: Documentation) -> Iterator[str]:
    if "Examples" in about.sections:
        yield "## Example\n\n```python"
        yield from map(_typed, about.sections["Examples"].splitlines())
        yield "```\n"


def _typed(line: str) -> str:
    """Return a line of an example as it is typed: what Python prints becomes a comment."""
    return line[4:] if line.startswith((">>>", "...")) else f"# {line}" if line.strip() else ""


def _methods(of: type) -> Iterator[str]:
    methods = {name: method for name, method in inspect.getmembers(of, inspect.isfunction) if not name.startswith("_")}
    if of is rm.Database:  # whose methods are the functions
        methods = {"close": methods["close"]}
    for name, method in methods.items():
        about = documentation(method)
        yield f"## .{name}()\n\n{_text(about.first)}\n\n```python"
        yield from _signature(f"{of.__name__.lower()}.{name}", method)
        yield "```\n"
        yield from _paragraphs(about.more)
        entries = about.entries("Args")
        if entries:
            yield from table(("argument", "meaning"), ((code(one), _text(text)) for one, text in entries.items()))
            yield ""


def _link(name: str, shown: str = "") -> str:
    """Return a public name with a link to its page; of another name the name."""
    return f"[{code(shown or f'rm.{name}')}]({file_of(name)})" if name in rm.__all__ else code(shown or name)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in filter(None, text.split("\n\n")):
        yield f"{_sentence(paragraph)}\n"


def _sentence(text: str) -> str:
    marked = _text(text)
    return marked[:1].upper() + marked[1:]


def _text(text: str) -> str:
    """Return a text of a docstring as Markdown, with links to the pages and functions that it names."""
    marked = prose(_joined(text).replace("``", "`"))
    marked = re.sub(r"docs/(\w+)\.md", r"[\1](../\1.md)", marked)
    return re.sub(r"<code>([a-z_]+)\(\)</code>", lambda name: _link(name[1], f"{name[1]}()"), marked)


def _joined(text: str) -> str:
    return " ".join(text.split())

"""Rules about lengths: of modules in lines, of pages and sentences in words without code, tables and figures."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .repository import Finding, Repository, folder_of, name_of

LONGEST = {"README.md": 700}
LONGEST_PAGE, LONGEST_SENTENCE = 1200, 25  # words
LONGEST_MODULE = 600  # lines
SHORTEST_MODULE = 40
# Shorter modules, and why they are files of their own. Python asks for __init__.py and __main__.py.
SHORT = {
    "dev/build_hook.py": "hatch imports it by path",
    "dev/engines/datafusion.py": "an engine has a file",
    "dev/engines/worker.py": "it is the program of another process",
    "dev/tools/adapters/arch.py": "it runs alone in the environment of the tool",
    "dev/tools/adapters/fakesnow.py": "it runs alone in the environment of the tool",
    "dev/tools/adapters/mlflow.py": "it runs alone in the environment of the tool",
    "dev/tools/adapters/ppi_python.py": "it runs alone in the environment of the tool",
    "rankmetrics_sql/application.py": "the command line and the drivers both import it, which do not import each other",
    "rankmetrics_sql/drivers/sockets.py": "drivers and connections both use it",
    "rankmetrics_sql/pipeline/movements.py": "the explanation and the report both use it",
    "rankmetrics_sql/root.py": "templates and definitions import it, which may not import each other",
    "rankmetrics_sql/rows.py": "every folder imports these types",
    "rankmetrics_sql/version.py": "a release writes it, and the package and cli both import it",
}

_LEFT_OUT = re.compile(r"^```.*?^```|<!--.*?-->", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\([^)]*\)")
_WORD = re.compile(r"\w[\w'’.,-]*")
_ENTRY = re.compile(r"^\s*(?:[-*]|\d+\.) ")
_END = re.compile(r"(?<=[.!?])[*_)\"]*\s+(?=[^a-z\s])")


def modules_are_short(repository: Repository) -> Iterator[Finding]:
    """A module has one subject, and its reader keeps all of it in mind. Generated templates are not read."""
    for path in [*repository.modules(), *repository.templates()]:
        count = repository.text(path).count("\n")
        if count > LONGEST_MODULE and folder_of(path) != "generated":
            yield Finding(path, LONGEST_MODULE + 1, f"{count} lines; expected at most {LONGEST_MODULE}")


def short_modules_have_a_reason(repository: Repository) -> Iterator[Finding]:
    """A module of few lines is one more name to know, so that it needs a reason in ``SHORT``."""
    paths = [*repository.modules(), *repository.files("dev", ".py")]
    counts = {path: repository.text(path).count("\n") for path in paths if not name_of(path).startswith("__")}
    short = {path: count for path, count in counts.items() if count < SHORTEST_MODULE}
    for path, count in short.items():
        if path not in SHORT:
            expected = f"at least {SHORTEST_MODULE}, or a reason in SHORT of dev/check/lengths.py"
            yield Finding(path, 1, f"{count} lines; expected {expected}")
    for path in sorted(SHORT.keys() - short.keys()):
        yield Finding(path, 1, "it is not short, or gone; expected that SHORT in dev/check/lengths.py lacks it")


def pages_are_short(repository: Repository) -> Iterator[Finding]:
    """A page has one job, and is read at one sitting."""
    for path in _pages(repository):
        limit = LONGEST.get(path, LONGEST_PAGE)
        count = sum(_words(text) for _, text in _paragraphs(repository.text(path)))
        if count > limit:
            yield Finding(path, 1, f"{count} words outside code and tables; expected at most {limit}")


def sentences_are_short(repository: Repository) -> Iterator[Finding]:
    """Nobody reads a sentence twice."""
    for path in _pages(repository):
        for line, text in _paragraphs(repository.text(path)):
            for sentence in _END.split(text):
                if (count := _words(sentence)) > LONGEST_SENTENCE:
                    begin = " ".join(sentence.split()[:6])
                    yield Finding(path, line, f"a sentence of {count} words, {begin!r}; expected at most 25")


def _pages(repository: Repository) -> list[str]:
    return ["README.md", *repository.files("docs", ".md")]


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield each paragraph and list entry with its first line; tables are left out, and code is one word."""
    prose = _LEFT_OUT.sub(lambda match: "\n" * match[0].count("\n"), text)
    prose = _LINK.sub(lambda match: "" if match[1] else match[2], prose)
    prose = _CODE.sub(lambda match: "Code" + "\n" * match[0].count("\n"), prose)
    begin, lines = 0, list[str]()
    for number, line in enumerate([*prose.split("\n"), ""], 1):
        is_apart = not line.strip() or line.lstrip().startswith(("|", "#"))
        if lines and (is_apart or _ENTRY.match(line)):
            yield begin, " ".join(lines)
            lines = []
        if line.startswith("#"):
            yield number, line.lstrip("# ")
        elif not is_apart:
            begin = begin if lines else number
            lines.append(_ENTRY.sub("", line, count=1).strip())


def _words(text: str) -> int:
    return len(_WORD.findall(text))


RULES = (modules_are_short, short_modules_have_a_reason, pages_are_short, sentences_are_short)

"""``python -m tests.golden`` writes every file anew, and removes those of cases and dialects that are no more."""

from __future__ import annotations

from collections import defaultdict

from . import DIALECTS, HERE, SHARED, cases_of, path_of, text, told_as

HEADER = "# Whose file holds a text that several dialects have. python -m tests.golden writes it.\n"


def write() -> None:
    """A file for each text that no dialect before has, and where the others are."""
    holders: dict[tuple[str, str], str] = {}
    shared: dict[str, list[str]] = defaultdict(list)
    for dialect in DIALECTS:
        for case in cases_of(dialect):
            anonymous = told_as(text(case, dialect), dialect, "any")
            holder = holders.setdefault((case, anonymous), dialect)
            if holder != dialect:
                shared[dialect].append(f'{case} = "{holder}"\n')
            else:
                path_of(case, dialect).parent.mkdir(exist_ok=True)
                path_of(case, dialect).write_text(text(case, dialect), encoding="utf-8", newline="\n")
    tables = [f"\n[{dialect}]\n{''.join(lines)}" for dialect, lines in sorted(shared.items())]
    SHARED.write_text(HEADER + "".join(tables), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    for old in HERE.rglob("*.sql"):
        old.unlink()
    write()
    for folder in HERE.iterdir():
        if folder.is_dir() and folder.name != "__pycache__" and not any(folder.iterdir()):
            folder.rmdir()

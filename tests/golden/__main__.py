"""``python -m tests.golden`` writes every file anew, and removes those of cases and dialects that are no more."""

from __future__ import annotations

from . import HERE, files, text

if __name__ == "__main__":
    for old in HERE.rglob("*.sql"):
        old.unlink()
    for path, case, dialect in files():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text(case, dialect), encoding="utf-8", newline="\n")
    for folder in HERE.iterdir():
        if folder.is_dir() and folder.name != "__pycache__" and not any(folder.iterdir()):
            folder.rmdir()

"""``python -m dev.engines.worker NAME [ARGUMENTS]`` runs an engine for another process.

It reads a question of JSON per line and writes an answer of JSON per line; ``piped.py`` is the other side.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from . import ENGINES, Engine


def answer(engine: Engine, question: dict[str, Any]) -> Any:
    """What the engine says to one question."""
    if "fetch" in question:
        return engine.fetch(question["fetch"])
    return engine.load(question["load"], question["columns"], question["rows"])


def main(name: str, arguments: str = "{}") -> None:
    """Answer until there are no questions any more."""
    # whatever else this process and its children print must not be between the answers
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with ENGINES[name](**json.loads(arguments)) as engine, answers:
        print(json.dumps({"answer": engine.version}), file=answers, flush=True)
        for line in sys.stdin:
            try:
                message = {"answer": answer(engine, json.loads(line))}
            except Exception as problem:  # noqa: BLE001 (the other process raises it)
                message = {"error": f"{type(problem).__name__}: {problem}"}
            print(json.dumps(message), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Times this package beside others on the same files: ``python -m dev.bench`` (needs the extra ``bench``).

Every contestant is a whole process, so that start-up counts. Figures are the best of a few runs, one after the
other on the same machine; ratios are what is worth quoting. Spark comes from ``python -m dev.tools install spark``,
trec_eval's own program from ``python -m dev.bench --install``; what is not installed is left out, and said to be.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .. import tools
from ..check import pages
from ..engines.install import environment, place_of
from . import pairs
from .generate import SHAPES, Shape, write, write_texts
from .page import NAME, title, tools_part
from .tables import on_screen, write_section
from .timings import ALWAYS, CUTOFFS, METRICS, OF_TEXT, OTHERS, Timing, Timings, disagreements, rows

HERE = Path(__file__).parent
TREC_EVAL = {"ndcg_cut_10": "nDCG@10", "map": "AP", "recip_rank": "RR", "P_10": "P@10", "recall_100": "R@100"}
TINY = Shape("tiny", 20, 50, 5, 100)
LARGE = 5_000_000  # rows from which a tool for many machines has something to do
LIMIT = 300  # seconds that a process may take


class TooLong(Exception):
    """A process that was ended at the limit."""


def command(tool: str, shape: Shape, folder: Path) -> list[str]:
    """Return the command of the process to time."""
    run, qrels = map(str, (shape.texts if tool in OF_TEXT else shape.files)(folder))
    if tool == "trec_eval":
        measures = [
            part for name in ("ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100") for part in ("-m", name)
        ]
        return [str(trec_eval() or "trec_eval"), "-c", *measures, qrels, run]
    if tool.split(maxsplit=1)[0] != "rankmetrics":
        python = tools.python_of(tool) if tool == "spark" else sys.executable
        return [str(python), str(HERE / "contestants.py"), tool, run, qrels]
    names = CUTOFFS if tool.endswith("cutoffs") else METRICS
    metrics = [part for metric in names for part in ("-m", metric)]
    choices = [part for word in tool.split() if "=" in word for part in ("--set", word)]
    program = str(Path(sys.executable).parent / "rankmetrics")
    return [program, "evaluate", run, "--qrels", qrels, *metrics, *choices, "--format", "json"]


def trec_eval() -> Path | None:
    """Return the path of NIST's program, from Terrier's archive; None if it is not installed."""
    place = place_of("trec_eval", HERE)
    return place and place / "trec_eval-linux-amd64"


def install() -> None:
    """Install trec_eval's program, and make it executable, which it is not in Maven's archive."""
    environment("trec_eval", HERE)
    program = trec_eval()
    assert program is not None
    program.chmod(0o755)


def left_out(tool: str, shape: Shape) -> str | None:
    """Return why a tool does not run on a shape; None if it does."""
    if tool == "trec_eval" and trec_eval() is None:
        return "not installed"
    if tool == "spark":
        if shape.n_queries * shape.n_items < LARGE:
            return "which is for larger data"
        return None if tools.python_of(tool) else "not installed"
    return None


def measure(tool: str, arguments: Sequence[str], limit: float = LIMIT) -> Timing:
    """Run a process to its end; raise TooLong if it takes longer than the limit, in seconds."""
    start = time.perf_counter()
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        assert process.stdout is not None
        watch = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))  # Spark starts another
        watch.start()
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    watch.cancel()
    if process.returncode == -signal.SIGKILL and seconds >= limit:
        raise TooLong
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)} failed with exit code {process.returncode}")
    values, second = parse_output(tool, output.decode())
    return Timing(seconds - (second or 0), usage.ru_maxrss * 1024, values, second)


def parse_output(tool: str, output: str) -> tuple[Mapping[str, float], float | None]:
    """Return what a process printed: the values by metric, and the seconds of its second evaluation."""
    if tool == "trec_eval":
        lines = [line.split() for line in output.splitlines()]
        return {TREC_EVAL[name]: float(value) for name, _, value in lines}, None
    answer = json.loads(output)
    if isinstance(answer, list):
        return {row["metric"]: row["value"] for row in answer}, None
    return answer.get("values", {}), answer.get("second")


def best(tool: str, arguments: Sequence[str], repeat: int) -> Timing:
    """Return the fastest of a few runs; one that takes long is not repeated."""
    timings = [measure(tool, arguments)]
    while len(timings) < repeat and timings[0].seconds < 20:
        timings.append(measure(tool, arguments))
    return min(timings, key=lambda timing: timing.seconds)


def check_agreement(shape: Shape, timings: Timings) -> None:
    """Exit if tools compute different values, whose times must not be published."""
    if problems := disagreements(timings):
        raise SystemExit("\n".join(f"{shape.name}: {line}" for line in problems))


def report(shape: Shape, timings: Timings) -> Table:
    """Return the table of a shape."""
    return on_screen(title(shape), ("process", "seconds", "peak MB", "x floor", "x ours"), rows(timings))


def generate(shape: Shape, folder: Path) -> None:
    """Write the files of a shape in another process: memory of this one would count as its children's peak."""
    for work in (write, write_texts):
        process = get_context("spawn").Process(target=work, args=(shape, folder))
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(f"{shape.name} could not be written")


def prepare(names: Iterable[str], folder: Path) -> None:
    """Run every tool once on little data: some keep compiled code on disk, and the first finds no file in memory."""
    generate(TINY, folder)
    for tool in names:
        if not left_out(tool, TINY):
            measure(tool, command(tool, TINY, folder))


def compete(shape: Shape, folder: Path, names: Iterable[str], repeat: int) -> dict[str, Timing]:
    """Time every tool on one shape, without the tools that take too long."""
    generate(shape, folder)
    timings = {}
    for tool in names:
        if not left_out(tool, shape):
            with contextlib.suppress(TooLong):
                timings[tool] = best(tool, command(tool, shape, folder), repeat)
    check_agreement(shape, timings)
    Console().print(report(shape, timings))
    return timings


def shown_command(tool: str) -> str:
    """Return the command of a tool without the folders of this machine."""
    words = command(tool, Shape("SHAPE", 0, 0, 0, 0), HERE)
    return shlex.join(Path(word).name if word.startswith(os.sep) else word for word in words)


def main() -> None:
    """Write missing files, time all tools, print a table per shape."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where the files are kept")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--shape", action="append", choices=[shape.name for shape in SHAPES])
    parser.add_argument("--tool", action="append", choices=OTHERS, help="besides the floor, GROUP BY and ours")
    parser.add_argument("--write", type=Path, help="the page whose part is written, docs/performance_details.md")
    parser.add_argument(
        "--section",
        action="append",
        type=Path,
        default=[],
        help="a file with more of the page, such as python -m dev.bench.scale --markdown FILE writes",
    )
    parser.add_argument("--install", action="store_true", help="get trec_eval's program first")
    options = parser.parse_args()
    if options.install:
        install()
    names = [*ALWAYS, *(options.tool if options.tool is not None else OTHERS)]
    shapes = [shape for shape in SHAPES if options.shape is None or shape.name in options.shape]
    prepare(names, options.data)
    results = {shape: compete(shape, options.data, names, options.repeat) for shape in shapes}
    if options.write is not None:
        commands = {tool: shown_command(tool) for tool in names}
        reasons = [
            (tool, shape.name, left_out(tool, shape) or f"not finished after {LIMIT} s")
            for tool in names
            for shape in shapes
            if tool not in results[shape]
        ]
        further = [pairs.section(pairs.measured(options.data, options.repeat), options.repeat)]
        further += [file.read_text(encoding="utf-8") for file in options.section]
        text = tools_part(results, options.repeat, commands, reasons, further)
        if problems := [f"{options.write}:{line}: {problem}" for rule in pages.OF_TEXT for line, problem in rule(text)]:
            raise SystemExit("\n".join(problems))
        write_section(options.write, NAME, text)


if __name__ == "__main__":
    main()

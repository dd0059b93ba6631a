"""The jobs of docs/ci.md: their files have the keys of the services, and their scripts run, but for the services.

The keys are those of the schemas of SchemaStore that the page uses. The schemas themselves are large, and so is the
package that has them (check-jsonschema).
"""

from __future__ import annotations

import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
import yaml

from .test_documentation import blocks
from .test_repository import PACKAGE

DEMO = PACKAGE / "demo"
GITHUB, GITLAB, HOOKS = map(yaml.safe_load, blocks("ci", "yaml"))
GATE = GITHUB["jobs"]["gate"]


def closed(required, **properties):
    """A schema of an object that has no other keys."""
    return {
        "type": "object", "required": required.split(), "properties": properties, "additionalProperties": False,
    }  # fmt: skip


TEXT = {"type": "string", "minLength": 1}
TEXTS_BY_NAME = {"type": "object", "additionalProperties": TEXT}
SEVERAL = {"type": "array", "items": TEXT, "minItems": 1}

USES = closed("uses", name=TEXT, uses={"pattern": r"^[\w-]+/[\w-]+@v\d+$"}, **{"if": TEXT, "with": TEXTS_BY_NAME})
RUNS = closed("run name", name=TEXT, run=TEXT, env=TEXTS_BY_NAME)
JOB_OF_GITHUB = closed(
    "runs-on steps permissions",
    **{"runs-on": {"const": "ubuntu-latest"}, "if": TEXT},
    permissions=closed("", contents={"enum": ["read", "write"]}),
    steps={"type": "array", "items": {"oneOf": [USES, RUNS]}},
)
ON = closed("", pull_request={"type": "null"}, release=closed("types", types={"const": ["published"]}))
OF_GITHUB = closed("on jobs", name=TEXT, on=ON, jobs={"type": "object", "additionalProperties": JOB_OF_GITHUB})

JOB_OF_GITLAB = closed(
    "",
    image=TEXT,
    extends=TEXT,
    before_script=SEVERAL,
    script=SEVERAL,
    rules={"type": "array", "items": closed("if", **{"if": TEXT})},
    artifacts=closed("", when={"enum": ["always"]}, expose_as=TEXT, paths=SEVERAL, reports=closed("junit", junit=TEXT)),
)
OF_GITLAB = {"type": "object", "properties": {"variables": TEXTS_BY_NAME}, "additionalProperties": JOB_OF_GITLAB}

HOOK = closed(
    "id name language entry",
    **dict.fromkeys(("id", "name", "entry"), TEXT),
    language={"const": "system"},
    args=SEVERAL,
    files={"type": "string", "format": "regex"},
    pass_filenames={"type": "boolean"},
)
REPOSITORY = closed("repo hooks", repo={"const": "local"}, hooks={"type": "array", "items": HOOK})
OF_HOOKS = closed("repos", repos={"type": "array", "items": REPOSITORY})


def with_on(workflow):
    """YAML 1.1 reads the key on as true; GitHub does not."""
    return {"on" if key is True else key: value for key, value in workflow.items()}


@pytest.mark.parametrize(
    ("file", "schema"), [(with_on(GITHUB), OF_GITHUB), (GITLAB, OF_GITLAB), (HOOKS, OF_HOOKS)],
    ids=["github", "gitlab", "hooks"],
)  # fmt: skip
def test_files_have_the_keys_of_the_services(file, schema):
    jsonschema.validate(file, schema)
    with pytest.raises(jsonschema.ValidationError, match="unexpected"):
        jsonschema.validate({**file, "jbos": {"scripts": []}}, schema)


# What stands in for pip, GitHub and GitLab: a release's run is a file beside the project.
STAND_INS = {
    "pip": '[ "$*" = "install wheels/rankmetrics_sql-0.1.0-py3-none-any.whl" ]',
    "gh": """case "$2" in
        download) [ "$*" = "release download --pattern candidate.run --output baseline.run" ] && cp ../kept "$6";;
        upload) [ "$3" = v1.1 ] && cp "$4" ../kept;;
    esac""",
    "curl": """for last in "$@"; do :; done
    [ "$last" = https://gitlab.test/api/v4/projects/7/packages/generic/retrieval/latest/candidate.run ] || exit 22
    case "$*" in
        *"JOB-TOKEN: secret --output baseline.run"*) cp ../kept baseline.run;;
        *"JOB-TOKEN: secret --upload-file candidate.run"*) cp candidate.run ../kept;;
        *) exit 22;;
    esac""",
}
SERVICE = {
    "GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_REF_NAME": "v1.1", "CI_JOB_TOKEN": "secret", "CI_PROJECT_ID": "7",
    "CI_API_V4_URL": "https://gitlab.test/api/v4",
}  # fmt: skip


@pytest.fixture
def project(tmp_path):
    """A project as the page asks for it, whose search is better than that of the last release."""
    path = tmp_path / "project"
    (path / "wheels").mkdir(parents=True)
    (path / "wheels" / "rankmetrics_sql-0.1.0-py3-none-any.whl").touch()
    shutil.copy(DEMO / "qrels.txt", path)
    release(tmp_path, "sim")
    searches(path, "t5")
    (tmp_path / "bin").mkdir()
    for name, script in STAND_INS.items():
        file = tmp_path / "bin" / name
        file.write_text(f"#!/bin/bash\n{script}\n")
        file.chmod(0o755)
    return path


def unpacked(run):
    return gzip.decompress((DEMO / f"covidex.{run}.run.gz").read_bytes()).decode()


def release(folder, run):
    (folder / "kept").write_text(unpacked(run))


def searches(path, run):
    """Have the project's search print a run."""
    (path / "search.py").write_text(f"print({unpacked(run)!r}, end='')\n")


def execute(project, *scripts):
    """Run scripts one after the other as the services do, and return the exit code of the last one."""
    path = os.pathsep.join([str(project.parent / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | SERVICE | {"PATH": path}
    for name, value in GITLAB["variables"].items():
        environment[name] = re.sub(r"\$(\w+)", lambda match: SERVICE[match[1]], value)
    for script in scripts:
        done = subprocess.run(["bash", "-e", "-c", script], cwd=project, env=environment, check=False)
        if done.returncode:
            break
    return done.returncode


def of_github(job):
    return [step["run"] for step in GITHUB["jobs"][job]["steps"] if "run" in step]


def of_gitlab(job):
    return [*GITLAB[GITLAB[job]["extends"]]["before_script"], *GITLAB[job]["script"]]


@pytest.mark.long
@pytest.mark.parametrize("scripts", [of_github, of_gitlab], ids=["github", "gitlab"])
@pytest.mark.parametrize(("kept", "found", "code"), [("sim", "t5", 0), ("t5", "sim", 3), ("sim", None, 1)])
def test_jobs_run_and_fail_where_the_page_says(project, scripts, kept, found, code):
    """The table at its end, which a run without a row ends in an error."""
    release(project.parent, kept)
    if found is None:
        (project / "search.py").write_text("")
    else:
        searches(project, found)
    assert execute(project, *scripts("gate")) == code
    cases = {case.get("name"): [child.tag for child in case] for case in ET.parse(project / "gates.xml").getroot()}
    became = {0: "system-out", 3: "failure", 1: "error"}[code]
    assert cases == {"top": [became], "first": [became]}
    assert (project / "gates.json").exists()
    if code != 1:
        text = (project / ("summary.md" if scripts is of_github else "gates.md")).read_text()
        assert text.startswith("| outcome | condition | compared |")
        assert text.count("**failed**") == (2 if code else 0)


@pytest.mark.parametrize("scripts", [of_github, of_gitlab], ids=["github", "gitlab"])
def test_a_release_keeps_its_run_for_the_next_comparison(project, scripts):
    assert execute(project, *scripts("keep")) == 0
    assert (project.parent / "kept").read_text() == unpacked("t5")


@pytest.mark.long
def test_the_files_that_jobs_keep_are_those_that_they_write(project):
    written = re.findall(r"--(?:junit|gates|output) (gates\.\w+)", " ".join(of_gitlab("gate")))
    artifacts = GITLAB["gate"]["artifacts"]
    assert sorted(written) == sorted([*artifacts["paths"], artifacts["reports"]["junit"]])
    [kept] = [step["with"]["path"] for step in GATE["steps"] if "upload-artifact" in step.get("uses", "")]
    assert execute(project, *of_github("gate")) == 0
    assert sorted(path.name for path in project.glob(kept)) == ["gates.json", "gates.xml"]


@pytest.mark.long
@pytest.mark.parametrize(("kept", "found", "code"), [("sim", "t5", 0), ("t5", "sim", 3)])
def test_the_hook_runs(project, kept, found, code):
    """As pre-commit does: the words of its entry, then its arguments; no file names."""
    [hook] = HOOKS["repos"][0]["hooks"]
    assert [re.search(hook["files"], name) is not None for name in ("candidate.run", "baseline.run")] == [True, False]
    for name, run in (("baseline", kept), ("candidate", found)):
        (project / f"{name}.run").write_text(unpacked(run))
    assert execute(project, shlex.join([*shlex.split(hook["entry"]), *hook["args"]])) == code

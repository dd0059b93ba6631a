"""What is checked before a version is published, and the files that a repository has for strangers."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dev import release

ROOT = Path(__file__).parents[2]
NAMED = ("pyproject.toml", "rankmetrics_sql/version.py", "sql/dbt_project.yml", "CHANGELOG.md", "CITATION.cff")


@pytest.fixture
def copy(tmp_path):
    for name in NAMED:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def test_one_version_everywhere():
    assert list(release.versions()) == []


@pytest.mark.parametrize("name", NAMED)
def test_another_version_is_found(name, copy):
    text = (copy / name).read_text(encoding="utf-8")
    (copy / name).write_text(text.replace(release.version(copy), "9.8.7"), encoding="utf-8")
    assert list(release.versions(copy))


def test_a_version_without_a_date_is_not_ready(copy):
    path, version = copy / "CHANGELOG.md", release.version(copy)
    text = path.read_text(encoding="utf-8").partition(f"## [{version}]")[0]
    path.write_text(f"{text}## [{version}] - unreleased\n", encoding="utf-8")
    [problem] = release.changelog(copy)
    assert f"## [{version}] - YYYY-MM-DD" in problem
    path.write_text(f"{text}## [{version}] - 2026-11-26\n", encoding="utf-8")
    assert list(release.changelog(copy)) == []


def test_a_failed_step_fails_the_command(monkeypatch, capsys):
    def fine():
        """All is well."""
        return iter(())

    def failing():
        """Nothing is."""
        yield "a reason"

    monkeypatch.setattr(release, "STEPS", (fine, failing))
    assert release.main() == 1
    assert capsys.readouterr().out.splitlines()[:3] == [
        "ok      All is well.",
        "FAILED  Nothing is.",
        "        a reason",
    ]
    monkeypatch.setattr(release, "STEPS", (fine,))
    assert release.main() == 0


def test_forms_for_issues_are_forms():
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    for form in (path for path in forms if path.name != "config.yml"):
        read = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= read.keys()
        assert len({part["id"] for part in read["body"]}) == len(read["body"])
    assert len(forms) == 4

"""What is kept for the next process: never older than what it was made of, and never needed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from rankmetrics_sql import kept as keeping
from rankmetrics_sql.kept import kept, toml

SOURCE = Path("sql/options.toml")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The temporary folder of a user who has kept nothing yet."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    keeping._folder.cache_clear()
    yield tmp_path
    keeping._folder.cache_clear()


def entries(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def made(text=b"a", maker="compiler 1", value="first"):
    """What is got for a text, and whether it was made anew."""
    calls = []
    return kept(SOURCE, text, maker, lambda: calls.append(1) or value), bool(calls)


def test_the_same_is_made_once():
    assert made() == ("first", True)
    assert made(value="second") == ("first", False)
    assert made(maker="other 1", value="second") == ("second", True)
    assert made() == ("first", False)


@pytest.mark.parametrize("change", [{"text": b"b"}, {"maker": "compiler 2"}])
def test_what_changed_is_made_anew(change, folder):
    made()
    assert made(**change, value="second") == ("second", True)
    assert made(value="third") == ("third", True)
    assert len(entries(folder)) == 1  # in place of the entry before, and nothing half written beside it


DAMAGES = [lambda data: data[:-1], lambda data: data[:40], lambda _: b"", lambda data: data[::-1]]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_made_anew(folder, damage):
    made(value="a long value of which something can be lost")
    [entry] = entries(folder)
    entry.write_bytes(damage(entry.read_bytes()))
    assert made(value="second") == ("second", True)
    assert made(value="third") == ("second", False)


def lose(folder):
    keeping._folder().rmdir()


def open_to_others(folder):
    keeping._folder().chmod(0o777)


def link(folder):
    own = keeping._folder()
    own.rename(folder / "elsewhere")
    own.symlink_to(folder / "elsewhere")


def block(folder):
    own = keeping._folder()
    own.rmdir()
    own.touch()


@pytest.mark.parametrize("spoil", [open_to_others, link, block])
def test_what_others_may_write_is_not_read(folder, spoil):
    made()
    if spoil is block:
        next(keeping._folder().iterdir()).unlink()
    spoil(folder)
    keeping._folder.cache_clear()
    assert made(value="second") == ("second", True)
    assert made(value="third") == ("third", True)


def test_a_folder_that_goes_is_missed_by_nobody(folder):
    lose(folder)
    assert made() == ("first", True)
    assert made(value="second") == ("second", True)


def test_without_a_temporary_folder_all_is_made(monkeypatch, folder):
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "missing"))
    assert made() == ("first", True)
    assert made(value="second") == ("second", True)


def test_toml_that_is_none_is_not_kept(folder):
    for _ in range(2):
        with pytest.raises(ValueError, match="Invalid value"):
            toml(SOURCE, "a =")
    assert not entries(folder)
    said = [toml(SOURCE, "a = [1, 2.5]\nb.c = 'd'") for _ in range(2)]
    assert said == [{"a": [1, 2.5], "b": {"c": "d"}}] * 2

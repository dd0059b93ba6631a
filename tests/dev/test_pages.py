"""Pages show nothing of a terminal and say nothing twice: dev/check/pages.py has the rules."""

from __future__ import annotations

import pytest

from dev.check import pages

BAD = {
    "control_characters": ["one\r\ntwo\n", "\x1b[1mbold\x1b[0m\n", "a\x00b\n"],
    "progress_bars": [
        " 28% ▕██████████                  ▏ (~56 seconds remaining)   \n",
        "100% ▕██████████████████████████████████████▏ (00:00:08.21 elapsed)\n",
        "   ━━━━━━━━━━━━━━━ 3.1/4.0 MB 78%\n",
        " 46%|████▌     | 46/100 [00:12<00:14,  3.75it/s]\n",
    ],
    "repeated_words": ["The profile is The profile is written from its source.\n", "It is of the the same kind.\n"],
    "double_stops": ["It is written from its source..\n", "One, two,.\n"],
    "repeated_sentences": [
        "Each user counts once. Each user counts once.\n",
        "Runs are read in order.\nRuns are read in order.\n",
    ],
}
GOOD = [
    "Three dots are none of it ... nor is `a..b`, nor 0.5; `ann`, ..., `bob`\n",
    "| 0.3 % | 46% |\n|---|---|\n| 0.3 % | 46% |\n",
    "old 0.2540 ━━━━━━━━━━\nnew 0.3810 ━━━━━━━━━━━━━━\n",
    "```\nthe the\n..\n```\nA sentence. Another sentence.\n",
]


@pytest.mark.parametrize("rule", pages.OF_TEXT, ids=lambda rule: rule.__name__)
def test_each_rule_finds_what_is_bad(rule):
    for text in BAD[rule.__name__]:
        assert list(rule(f"# A page\n\n{text}")), text


@pytest.mark.parametrize("text", GOOD)
def test_no_rule_finds_what_is_good(text):
    assert [found for rule in pages.OF_TEXT for found in rule(text)] == []

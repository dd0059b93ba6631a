"""What a picture shows: its marks, labels and values, which no font and no last digit of a machine changes."""

from __future__ import annotations

import re
from xml.etree import ElementTree

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")


def labels(svg: str) -> list[tuple[str, str]]:
    """Each mark with what it says: its text, or the label by which a screen reader knows its values.

    Where they stand is left out: it depends on the width of the machine's letters.
    """
    found = []
    for element in ElementTree.fromstring(svg).iter():
        kind = element.tag.rpartition("}")[2]
        said = element.get("aria-label", "") + (element.text or "").strip()
        if said and kind != "style":
            found.append((kind, rounded(said)))
    return found


def marks(svg: str) -> list[tuple[str, str, dict[str, str]]]:
    """Each element with its text and attributes: of a picture whose places follow from its values alone."""
    return [
        (
            element.tag.rpartition("}")[2],
            rounded((element.text or "").strip()),
            {name: rounded(value) for name, value in element.attrib.items()},
        )
        for element in ElementTree.fromstring(svg).iter()
    ]


def rounded(text: str) -> str:
    """The text with its numbers to nine digits."""
    return NUMBER.sub(lambda number: f"{float(number[0].replace(',', '')):.9g}", text)

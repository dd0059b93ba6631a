"""How tables keep structures: as structures of the database, as JSON, or as a column for each field."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import UsageError, shortened
from ...remedies import advise
from ...statements.relation import Relation

_STRUCTURES = ("STRUCT", "ROW", "TUPLE")
_LISTS = (*_STRUCTURES, "ARRAY", "VARIANT", "SUPER")  # in the names of types; other types are JSON


def mapping_of_list(name: str, column: str, given: str | None, read: Mapping[str, Relation]) -> Mapping[str, str]:
    """Return how a table keeps a list of structures.

    Args:
        name: the relation with the column.
        column: the one of lists.
        given: what the user says.
        read: the relations.

    Raises:
        UsageError: it is said, but nothing that a list can be.
    """
    if given not in (None, "struct", "json"):
        raise UsageError(f"mapping is struct or json, not {shortened(given)}.")
    types = {known.lower(): type_.upper() for known, type_ in (read[name].types or {}).items()}
    type_ = types.get(column, "STRUCT")
    return {"mapping": given or ("struct" if any(name in type_ for name in _LISTS) else "json")}


def mapping_of_ubi(events: Relation, is_one: bool, impressions: str = "events") -> str:
    """How a table keeps what an event is about; a structure whose fields are not known is read as JSON.

    Raises:
        DataError: it says nowhere where an item was shown.
        UsageError: it is all there is, and no file, which can hold both kinds of documents.
    """
    if is_one and not events.text_ids:
        raise UsageError(
            f"ubi: {events.label} is one table, and UBI has two. Pass a table of queries and one of events, or"
            " a file that contains both."
        )
    types = {name.lower(): type_ for name, type_ in (events.types or {}).items()}
    if "event_attributes" not in types:
        return "flat" if any(name.startswith("event_attributes.") for name in types) else "struct"
    type_ = types["event_attributes"].upper()
    if type_.startswith(_STRUCTURES) and impressions == "events" and not ("POSITION" in type_ and "ORDINAL" in type_):
        raise events.refuse(
            "event_attributes has no position.ordinal, so nothing says where an item was shown."
            f" {advise('rule', 'impressions', 'hits')} takes the lists of hits of the queries."
        )
    is_plain = type_.startswith(_STRUCTURES) and "MAP(" not in type_ and "JSON" not in type_
    return "struct" if is_plain else "json"

"""What an entry is called: identity, label, and every other name by which a tool may mean it.

An entry is a map, a text or a number, as a validator resolved it, a caller gave it or a tool answered it.
"""

import hashlib
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from confirmo.policies import json_text

NAME_FIELDS: Final = ("name", "subject")
"""Fields that identify an entry where no id does, in this order."""
LABEL_FIELDS: Final = (
    "name",
    "label",
    "subject",
    "title",
    "nome",
    "titulo",
    "título",
    "descricao",
    "descrição",
    "description",
)
"""Fields with a text for people, in order of preference."""
_LABEL_LIMIT = 200


def normalise(value: Any) -> str | None:
    """Return a text or number as it is compared: NFC, trimmed, inner white space collapsed, case kept.

    Numbers are their JSON text. Null, blank text, booleans, maps and lists name nothing: null.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = value if isinstance(value, str) else json_text.dump(value).strip('"')
    return " ".join(unicodedata.normalize("NFC", json_text.clean_text(text)).split()) or None


def id_fields(entry: Mapping[str, Any], item_key: str | None) -> dict[str, str]:
    """Return the normalised ``item_key``, ``item_id``, ``id`` and ``*_id`` values of an entry."""
    first = [name for name in (item_key, "item_id", "id") if name]
    others = sorted(
        name for name in entry if isinstance(name, str) and name.endswith("_id") and name not in first
    )
    named = ((name, normalise(entry.get(name))) for name in (*first, *others))
    return {name: value for name, value in named if value is not None}


def identity(entry: Any, item_key: str | None = None) -> str:
    """Return the identity of an entry, always text.

    ``item_key``, else ``item_id``, else ``id``, else the fields that end in ``_id`` (several: joined by ``|``
    in name order, a ``|`` or backslash inside a value behind a backslash), else ``name``, else ``subject``,
    else the scalar itself, else 64 hex digits of SHA-256 over the canonical JSON.
    """
    named = _named(entry, item_key)
    if named is not None:
        return named
    return hashlib.sha256(json_text.canonical(json_text.clean(entry)).encode()).hexdigest()


def has_identity(entry: Any, item_key: str | None = None) -> bool:
    """Whether an entry says what it is about, rather than being known by a hash of all of it."""
    return _named(entry, item_key) is not None


def _named(entry: Any, item_key: str | None) -> str | None:
    if not isinstance(entry, Mapping):
        return ("true" if entry else "false") if isinstance(entry, bool) else normalise(entry)
    values = id_fields(entry, item_key)
    for field in (item_key, "item_id", "id"):
        if field in values:
            return values[field]
    if values:
        return _joined(list(values.values()))
    return next((text for text in map(normalise, map(entry.get, NAME_FIELDS)) if text is not None), None)


def _joined(values: list[str]) -> str:
    if len(values) == 1:
        return values[0]
    # Unescaped, the pairs ("a|b", "c") and ("a", "b|c") would be one item, and one of the two never executed.
    return "|".join(value.replace("\\", "\\\\").replace("|", "\\|") for value in values)


def identity_value(entry: Any, item_key: str | None = None) -> Any:
    """Return the identity as it was given: a number stays a number, and a scalar entry is itself."""
    if not isinstance(entry, Mapping):
        return entry if normalise(entry) is not None else identity(entry, item_key)
    wanted = identity(entry, item_key)
    fields = (*id_fields(entry, item_key), *NAME_FIELDS)
    return next((entry[field] for field in fields if normalise(entry.get(field)) == wanted), wanted)


def label(entry: Any, item_key: str | None = None) -> str:
    """Return what a person is shown: the first of ``LABEL_FIELDS`` with a value, else the identity.

    An entry that has neither is shown as its JSON, cut at 200 characters. Characters that could mislead a
    reader are not removed here.
    """
    texts = _label_texts(entry)
    if texts:
        return texts[0]
    if has_identity(entry, item_key):
        return identity(entry, item_key)
    return json_text.dump(entry)[:_LABEL_LIMIT]


def _label_texts(entry: Any) -> list[str]:
    if not isinstance(entry, Mapping):
        return []
    return [text for text in map(normalise, map(entry.get, LABEL_FIELDS)) if text is not None]


def identities(entry: Any, item_key: str | None = None) -> tuple[str, ...]:
    """Return the identity and every single value of the fields that identify; empty where nothing does."""
    named = _named(entry, item_key)
    if named is None:
        return ()
    fields = id_fields(entry, item_key).values() if isinstance(entry, Mapping) else ()
    return tuple(dict.fromkeys((named, *fields)))


def aliases(entry: Any, item_key: str | None = None) -> tuple[str, ...]:
    """Return every normalised identity value and label text by which a tool may name the entry."""
    return tuple(dict.fromkeys((*identities(entry, item_key), *_label_texts(entry))))

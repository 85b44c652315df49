"""Which entry of a tool's answer is about which confirmed item.

Four steps, the first that names exactly one item decides:

1. the entry's identity is the item's;
2. some field of the entry that identifies holds the item's identity;
3. the two share any identity value;
4. the two share any identity value or label text.

From the second step on an entry is not the item's where both have the same identifying field with different
values. What names several items names none.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from confirmo.policies.identity import aliases, id_fields, identities, normalise
from confirmo.policies.item_arguments import item_argument, whole_argument
from confirmo.policies.models import FrozenItem
from confirmo.policies.tool_spec import ToolSpec

_NAMING_FIELDS: Final = ("item_id", "id", "name", "subject")
_OPERATION_FIELDS: Final = frozenset(
    {
        "correlation_id",
        "event_id",
        "job_id",
        "message_id",
        "operation_id",
        "protocol_id",
        "request_id",
        "trace_id",
        "transaction_id",
    }
)
"""Identifiers of the call rather than of what it acted on: alone they make an entry nobody else's."""

_SHARED_LIMIT: Final = 256
"""A name that more items share is no name; it would make matching quadratic."""

_Index = dict[str, list[int]]


class Matcher:
    """Finds the item of an entry among the items of one call."""

    def __init__(self, items: Sequence[FrozenItem], tool: ToolSpec) -> None:
        """Index the items by every name they have."""
        self._tool = tool
        self._key = tool.execution.item_key
        self._fields = [
            id_fields(item.data, self._key) if isinstance(item.data, Mapping) else {} for item in items
        ]
        self._by_id = _index((item.item_id,) for item in items)
        self._by_identity = _index((item.item_id, *identities(item.data, self._key)) for item in items)
        self._by_alias = _index(
            (item.item_id, item.label, *item.aliases, *aliases(item.data, self._key)) for item in items
        )

    def find(self, entry: Any) -> int | None:
        """Return the position of the one item that the entry is about, or null."""
        named = identities(entry, self._key)
        exact = self._by_id.get(named[0], []) if named else []
        if len(exact) == 1:
            return exact[0]
        fields = id_fields(entry, self._key) if isinstance(entry, Mapping) else {}
        steps = (
            (self._by_id, named),
            (self._by_identity, named),
            (self._by_alias, (*aliases(entry, self._key), *self._echoed(entry))),
        )
        for index, names in steps:
            found = [index.get(name, ()) for name in names]
            positions = {position for own in found if len(own) <= _SHARED_LIMIT for position in own}
            able = [position for position in positions if not _contradict(fields, self._fields[position])]
            if len(able) == 1:
                return able[0]
        return None

    def _echoed(self, entry: Any) -> Iterable[str]:
        """Return what the entry says under the name of the argument that carried the item."""
        if not isinstance(entry, Mapping):
            return ()
        texts = (normalise(entry.get(name)) for name in self._argument_fields())
        return [text for text in texts if text is not None]

    def names_something_else(self, entry: Any, *, flat: bool) -> bool:
        """Whether an entry that is about none of the items says what else it is about.

        Args:
            entry: An entry for which ``find`` returned null.
            flat: The entry is the whole answer. There only fields count that name an item, such as ``id``,
                ``name`` or the argument's own; a ``cancellation_id`` is what the call made. In ``results`` every
                ``*_id`` counts that is not known to name the call.
        """
        if not isinstance(entry, Mapping):
            return normalise(entry) is not None
        fields = {
            name for name in (self._key, *_NAMING_FIELDS, *self._argument_fields(), *self._id_names()) if name
        }
        if not flat:
            fields |= set(id_fields(entry, self._key)) - _OPERATION_FIELDS
        return any(normalise(entry.get(name)) is not None for name in fields)

    def _argument_fields(self) -> Iterable[str]:
        for name in (item_argument(self._tool), whole_argument(self._tool)):
            if name is not None:
                yield name
                yield name.removesuffix("s")

    def _id_names(self) -> Iterable[str]:
        return (name for fields in self._fields for name in fields)


def _index(names: Iterable[Iterable[str]]) -> _Index:
    index: _Index = {}
    for position, own in enumerate(names):
        for name in dict.fromkeys(filter(None, map(normalise, own))):
            index.setdefault(name, []).append(position)
    return index


def _contradict(left: Mapping[str, str], right: Mapping[str, str]) -> bool:
    return any(name in right and right[name] != value for name, value in left.items())

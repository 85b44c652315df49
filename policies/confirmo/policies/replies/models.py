"""What a reply is read as, and what has to be known of the question to read it."""

from dataclasses import dataclass, field
from enum import StrEnum


class ReplyKind(StrEnum):
    """What a reply asks for. Only ``CONFIRM`` may ever execute something."""

    CONFIRM = "confirm"
    REJECT = "reject"
    AMEND = "amend"
    PROVIDE = "provide"
    OTHER = "other"
    UNCLEAR = "unclear"


class ReplyReason(StrEnum):
    """Why a reply was read so; stable words."""

    YES = "yes"
    NO = "no"
    EDIT = "edit"
    VALUE = "value"
    EMPTY = "empty"
    QUESTION = "question"
    HESITATION = "hesitation"
    ACKNOWLEDGEMENT = "acknowledgement"
    CONDITIONAL = "conditional"
    YES_AND_MORE = "yes_and_more"
    UNSURE = "unsure"
    IRONY = "irony"
    CONTRADICTION = "contradiction"
    NEGATION = "negation"
    CANCEL_AMBIGUOUS = "cancel_ambiguous"
    NAMES_ITEM = "names_item"
    AMBIGUOUS_ITEM = "ambiguous_item"
    NO_SUCH_ITEM = "no_such_item"
    NOT_PART = "not_part"
    ALREADY_THERE = "already_there"
    NOTHING_LEFT = "nothing_left"
    NOTHING_CHANGES = "nothing_changes"
    VALUE_EXPECTED = "value_expected"
    NEW_REQUEST = "new_request"
    CORRECTION = "correction"
    """Another value is meant for what was asked about; who knows the arguments has to say which."""
    NOT_UNDERSTOOD = "not_understood"
    AGENT_DISAGREES = "agent_disagrees"
    """The agent's own reading is stricter than this one; ``read_reply`` itself never says so."""


@dataclass(frozen=True)
class Reply:
    """A reading.

    Attributes:
        kind: What is asked for.
        reason: Why it was read so.
        remove_ids: Of an amendment: what goes. "Only these" is written as the others going.
        add_texts: Of an amendment: what comes, as the person wrote it.
        value: Of ``PROVIDE``: the text, without space around it; of a parameter that is a yes or a no, ``true`` or
            ``false``.
        rest: Of a ``REJECT`` with a request behind it: that request.
        has_yes: A yes, or what sounds like one, is part of it.
    """

    kind: ReplyKind
    reason: ReplyReason
    remove_ids: tuple[str, ...] = ()
    add_texts: tuple[str, ...] = ()
    value: str = ""
    rest: str = ""
    has_yes: bool = False


@dataclass(frozen=True)
class NamedItem:
    """An item as the question shows it."""

    item_id: str
    label: str
    eligible: bool = True


@dataclass(frozen=True)
class OpenQuestion:
    """The facts of the question that a reply answers.

    Attributes:
        tool_name: Its first word is the verb of the question: ``cancelar_pedido`` makes "cancela" ambiguous.
        items: In the order in which they were shown; numbers and ordinals count the eligible ones.
        names: Further texts that name the one thing asked about, such as an order's number.
        asks_value: A parameter is asked for, not a yes.
        boolean_value: That parameter is a yes or a no.
    """

    tool_name: str
    items: tuple[NamedItem, ...] = field(default=())
    names: tuple[str, ...] = ()
    asks_value: bool = False
    boolean_value: bool = False

    @property
    def eligible(self) -> tuple[NamedItem, ...]:
        """The items that a yes would execute."""
        return tuple(item for item in self.items if item.eligible)

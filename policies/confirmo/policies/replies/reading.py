"""Reading a reply: the whole message has to be a yes; whatever is left over makes it something else."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from confirmo.policies.replies.edits import has_edit, read_edit, read_sparing
from confirmo.policies.replies.models import NamedItem, OpenQuestion, Reply, ReplyKind, ReplyReason
from confirmo.policies.replies.operation import operation_of
from confirmo.policies.replies.refusing import NOS, negates_a_stop, no_and_more
from confirmo.policies.replies.roles import Role
from confirmo.policies.replies.segments import Segment, count_of, name_items, segment
from confirmo.policies.replies.tokens import MAX_CHARACTERS, Message, tokenize
from confirmo.policies.replies.values import read_value

_IN_A_YES: Final = frozenset(
    {Role.YES, Role.WEAK, Role.WISH, Role.POLITE, Role.ARTICLE, Role.PRONOUN, Role.NOUN, Role.VERB, Role.ITEM, Role.ALL,
     Role.COUNT}
)  # fmt: skip
_OBJECTS: Final = frozenset({Role.ARTICLE, Role.NOUN, Role.ITEM, Role.ALL, Role.COUNT})
_IN_A_NO: Final = NOS | {Role.WEAK, Role.POLITE, Role.ARTICLE, Role.PRONOUN, Role.NOUN, Role.ITEM}
_SOUNDS_YES: Final = frozenset({Role.YES, Role.WEAK})
_BESIDE_A_VALUE: Final = frozenset({Role.UNKNOWN, Role.ARTICLE, Role.NOUN, Role.NO, Role.AND, Role.POLITE})
"""What may stand beside another value: "não, é o pedido PED-1002"."""
_ONE: Final = frozenset({"um", "uma", "one"})
_LETS: Final = frozenset({"pode", "quero"})
_MAY_I: Final = frozenset({"pode", "poderia", "da", "consegue", "can", "could", "would"})


def read_reply(text: str, question: OpenQuestion) -> Reply:
    """Read a person's reply to an open question, without a language model.

    Portuguese and English are always both understood. Only an unconditional yes is ``CONFIRM``: every word of the
    message is known, one of the first is a yes, and what else stands there only repeats what was asked. A message
    that could be read in two ways is ``UNCLEAR`` with the reason.

    Args:
        text: The whole message.
        question: What was asked, as it was shown.
    """
    if len(text) > MAX_CHARACTERS:
        return Reply(ReplyKind.OTHER, ReplyReason.NOT_UNDERSTOOD)
    message = tokenize(text)
    named = _named(question)
    tokens = name_items(message.tokens, named.items)
    if not tokens:
        return _unclear(ReplyReason.QUESTION if message.asks else ReplyReason.EMPTY)
    segments = segment(tokens, "" if question.asks_value else question.tool_name)
    reply = (
        read_value(message, segments, question) if question.asks_value else _read(message, segments, named)
    )
    return replace(reply, has_yes=any(part.role in _SOUNDS_YES for part in segments))


def _named(question: OpenQuestion) -> OpenQuestion:
    """Lay what names the one thing asked about in the place of items, where there are none."""
    if question.items:
        return question
    return replace(question, items=tuple(NamedItem(name, name) for name in question.names))


def _unclear(reason: ReplyReason) -> Reply:
    return Reply(ReplyKind.UNCLEAR, reason)


def _read(message: Message, segments: Sequence[Segment], question: OpenQuestion) -> Reply:
    roles = {part.role for part in segments}
    if roles <= {Role.ITEM, Role.ARTICLE, Role.AND}:
        return _unclear(ReplyReason.NAMES_ITEM if Role.ITEM in roles else ReplyReason.NOT_UNDERSTOOD)
    edit = _edit(message, segments, question)
    if edit is not None:
        return edit
    if _corrects(segments, roles, question):
        return Reply(ReplyKind.OTHER, ReplyReason.CORRECTION)
    if message.asks:
        answers = roles <= _SOUNDS_YES | NOS | {Role.POLITE, Role.VERB}
        return _unclear(ReplyReason.QUESTION) if answers else Reply(ReplyKind.OTHER, ReplyReason.QUESTION)
    if Role.YES in roles and roles <= _IN_A_YES:
        return _read_yes(message, segments, question)
    if len(segments) > 1 and segments[-1].role is Role.REMOVE_OUT and segments[-1].broken:
        segments, roles = segments[:-1], {part.role for part in segments[:-1]}  # "não, deixa"
    if roles & NOS and roles <= _IN_A_NO:
        return _read_no(segments, question)
    return _read_rest(message, segments, roles)


def _edit(message: Message, segments: Sequence[Segment], question: OpenQuestion) -> Reply | None:
    if not question.items:
        return None
    if any(part.role in (Role.IF, Role.UNSURE, Role.IRONY) for part in segments):
        return None
    if message.asks and segments[0].tokens[0].word not in _MAY_I:
        return None
    if not has_edit(segments):
        return read_sparing(segments, message.text, question)
    return read_edit(segments, message.text, question)


def _corrects(segments: Sequence[Segment], roles: set[Role], question: OpenQuestion) -> bool:
    """Tell whether another value is meant: "na verdade é o PED-1002", "troca o motivo para …", "é o PED-1002"."""
    unknown = {token.word for part in segments if part.role is Role.UNKNOWN for token in part.tokens}
    if roles & (_SOUNDS_YES | {Role.IF, Role.HEDGE, Role.UNSURE, Role.IRONY}) or not unknown:
        return False
    if Role.CORRECT in roles:
        return True
    if segments[0].role is Role.SWAP:
        swapped = {Role.INTO, Role.ARTICLE} & {part.role for part in segments[2:]}
        return bool(swapped)
    names_other = any(any(character.isdecimal() for character in word) and len(word) > 1 for word in unknown)
    known = all(part.role in _BESIDE_A_VALUE for part in segments)
    return known and names_other and not any(item.label != item.item_id for item in question.items)


def _read_yes(message: Message, segments: Sequence[Segment], question: OpenQuestion) -> Reply:
    first = next(part for part in segments if part.role not in (Role.POLITE, Role.WEAK))
    if message.hesitates:
        return _unclear(ReplyReason.HESITATION)
    if not (first.role is Role.YES or _affirms(segments, first)) or not _complete(segments):
        return _unclear(ReplyReason.ACKNOWLEDGEMENT)
    if _doubled(segments):
        return _unclear(ReplyReason.IRONY)
    if _stops_itself(segments, question):
        return _unclear(ReplyReason.CANCEL_AMBIGUOUS)
    items = {token.item for part in segments for token in part.tokens if token.item is not None}
    whole = {position for position, item in enumerate(question.items) if item.eligible}
    counts = {count_of(part) for part in segments if part.role is Role.COUNT}
    one = len(whole) > 1 and any(_speaks_of_one(part, question) for part in segments)
    if (items and items != whole) or counts - {len(whole)} or one:
        return _unclear(ReplyReason.NAMES_ITEM)
    return Reply(ReplyKind.CONFIRM, ReplyReason.YES)


def _stops_itself(segments: Sequence[Segment], question: OpenQuestion) -> bool:
    """Tell whether what shall be cancelled may be the operation: "cancela o cancelamento"."""
    operation = operation_of(question.tool_name)
    parts = [part for part in segments if part.role not in (Role.ARTICLE, Role.POLITE)]
    named = [token for part in parts for token in part.tokens if token.word in operation.names]
    if operation.stops and len(named) > 1:
        return True
    return operation.stops and any(
        verb.role is Role.VERB and {token.word for token in noun.tokens} & operation.names
        for verb, noun in pairwise(parts)
    )


def _speaks_of_one(part: Segment, question: OpenQuestion) -> bool:
    """Tell whether a phrase means one thing: "um", "esse mesmo", "o pedido"."""
    words = {token.word for token in part.tokens}
    objects = {word for word in operation_of(question.tool_name).objects if not word.endswith("s")}
    return bool(words & (_ONE | objects)) or (part.role is Role.WEAK and bool(words & {"esse", "essa"}))


def _affirms(segments: Sequence[Segment], first: Segment) -> bool:
    """Tell whether the verb that leads is let happen and affirmed behind: "pode cancelar sim"."""
    allowed = len(first.tokens) > 1 and first.role is Role.VERB and first.tokens[0].word in _LETS
    behind = [part for part in segments if part.role is not Role.POLITE]
    return allowed and behind[-1].role is Role.YES


def _doubled(segments: Sequence[Segment]) -> bool:
    """Tell whether a yes is said twice: "claro, claro" is seldom meant, "sim, sim" is."""
    words = [part.tokens[0].word for part in segments if part.role in _SOUNDS_YES]
    return any(words.count(word) > 1 for word in set(words) - {"sim", "yes", "pode"})


def _complete(segments: Sequence[Segment]) -> bool:
    """Tell whether articles have nouns and pronouns verbs: not so in "sim, a" and "yes, that"."""
    behind = [part.role for part in segments[1:]] + [Role.UNKNOWN]
    return all(
        after in _OBJECTS for part, after in zip(segments, behind, strict=True) if part.role is Role.ARTICLE
    ) and all(
        before.role is Role.VERB
        for before, part in zip([segments[0], *segments], segments, strict=False)
        if part.role is Role.PRONOUN
    )


def _read_no(segments: Sequence[Segment], question: OpenQuestion) -> Reply:
    items = {token.item for part in segments for token in part.tokens if token.item is not None}
    whole = {position for position, item in enumerate(question.items) if item.eligible}
    if items and items != whole:
        return _unclear(ReplyReason.NAMES_ITEM)
    roles = [part.role for part in segments]
    if Role.WEAK in roles[next(at for at, role in enumerate(roles) if role in NOS) :]:
        return _unclear(ReplyReason.CONTRADICTION)
    if not operation_of(question.tool_name).stops and negates_a_stop(segments):
        return _unclear(ReplyReason.NEGATION)
    return Reply(ReplyKind.REJECT, ReplyReason.NO)


def _read_rest(message: Message, segments: Sequence[Segment], roles: set[Role]) -> Reply:
    """Say what a message is that is neither a yes nor a no nor a change, the plainest reason first."""
    if Role.IRONY in roles:
        return _unclear(ReplyReason.IRONY)
    abandoned = no_and_more(message, segments)
    if abandoned is not None:
        return abandoned
    if Role.UNSURE in roles:
        return _unclear(ReplyReason.UNSURE)
    if roles & NOS and Role.VERB in roles and roles <= _IN_A_NO | {Role.VERB}:
        return _unclear(ReplyReason.CANCEL_AMBIGUOUS)
    if roles & NOS and Role.YES in roles:
        return _unclear(ReplyReason.CONTRADICTION)
    if roles & {Role.HEDGE, Role.IF}:
        return _unclear(ReplyReason.CONDITIONAL)
    if roles & NOS:
        return _unclear(ReplyReason.NEGATION)
    return _read_positive(segments, roles)


def _read_positive(segments: Sequence[Segment], roles: set[Role]) -> Reply:
    if Role.VERB in roles and roles <= _IN_A_YES:
        return _unclear(ReplyReason.CANCEL_AMBIGUOUS)
    if roles <= _SOUNDS_YES | {Role.POLITE, Role.PRONOUN}:
        return _unclear(ReplyReason.ACKNOWLEDGEMENT if Role.WEAK in roles else ReplyReason.NOT_UNDERSTOOD)
    if roles <= _SOUNDS_YES | {Role.POLITE, Role.PRONOUN, Role.WISH}:
        return _unclear(ReplyReason.ACKNOWLEDGEMENT)
    first = next((part for part in segments if part.role is not Role.POLITE), segments[0])
    if first.role in _SOUNDS_YES:
        return _unclear(ReplyReason.YES_AND_MORE)
    if roles & {Role.REQUEST, Role.WISH, Role.VERB, Role.SWAP, Role.CORRECT}:
        return Reply(ReplyKind.OTHER, ReplyReason.NEW_REQUEST)
    return _unclear(ReplyReason.NOT_UNDERSTOOD)

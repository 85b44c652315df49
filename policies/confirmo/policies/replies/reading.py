"""Reading a reply: the whole message has to be a yes; whatever is left over makes it something else."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from confirmo.policies.replies.edits import has_edit, read_edit
from confirmo.policies.replies.models import NamedItem, OpenQuestion, Reply, ReplyKind, ReplyReason
from confirmo.policies.replies.operation import CANCEL, operation_of
from confirmo.policies.replies.roles import Role
from confirmo.policies.replies.segments import Segment, count_of, name_items, segment
from confirmo.policies.replies.tokens import MAX_CHARACTERS, Message, tokenize

_IN_A_YES: Final = frozenset(
    {Role.YES, Role.WEAK, Role.WISH, Role.POLITE, Role.ARTICLE, Role.PRONOUN, Role.NOUN, Role.VERB, Role.ITEM, Role.ALL,
     Role.COUNT}
)  # fmt: skip
_OBJECTS: Final = frozenset({Role.ARTICLE, Role.NOUN, Role.ITEM, Role.ALL, Role.COUNT})
_NOS: Final = frozenset({Role.NO, Role.QUIT})
_IN_A_NO: Final = _NOS | {Role.WEAK, Role.POLITE, Role.ARTICLE, Role.PRONOUN, Role.NOUN, Role.ITEM}
_SOUNDS_YES: Final = frozenset({Role.YES, Role.WEAK})
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
    segments = segment(tokens, question.tool_name)
    reply = (
        _read_value(message, segments, question) if question.asks_value else _read(message, segments, named)
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
    if message.asks:
        answers = roles <= _SOUNDS_YES | _NOS | {Role.POLITE, Role.VERB}
        return _unclear(ReplyReason.QUESTION) if answers else Reply(ReplyKind.OTHER, ReplyReason.QUESTION)
    if Role.YES in roles and roles <= _IN_A_YES:
        return _read_yes(message, segments, question)
    if roles & _NOS and roles <= _IN_A_NO:
        return _read_no(segments, question)
    return _read_rest(message, segments, roles)


def _edit(message: Message, segments: Sequence[Segment], question: OpenQuestion) -> Reply | None:
    if not has_edit(segments) or not question.items:
        return None
    if any(part.role in (Role.IF, Role.UNSURE, Role.IRONY) for part in segments):
        return None
    if message.asks and segments[0].tokens[0].word not in _MAY_I:
        return None
    return read_edit(segments, message.text, question)


def _read_yes(message: Message, segments: Sequence[Segment], question: OpenQuestion) -> Reply:
    first = next(part for part in segments if part.role not in (Role.POLITE, Role.WEAK))
    if message.hesitates:
        return _unclear(ReplyReason.HESITATION)
    if first.role is not Role.YES or not _complete(segments):
        return _unclear(ReplyReason.ACKNOWLEDGEMENT)
    if _doubled(segments):
        return _unclear(ReplyReason.IRONY)
    items = {token.item for part in segments for token in part.tokens if token.item is not None}
    whole = {position for position, item in enumerate(question.items) if item.eligible}
    counts = {count_of(part) for part in segments if part.role is Role.COUNT}
    if (items and items != whole) or counts - {len(whole)}:
        return _unclear(ReplyReason.NAMES_ITEM)
    return Reply(ReplyKind.CONFIRM, ReplyReason.YES)


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
    if Role.WEAK in roles[next(at for at, role in enumerate(roles) if role in _NOS) :]:
        return _unclear(ReplyReason.CONTRADICTION)
    stops = any(token.word in CANCEL for part in segments for token in part.tokens)
    negated = any(token.word in ("nao", "don", "not") for part in segments for token in part.tokens)
    if stops and negated and not operation_of(question.tool_name).stops and not _breaks(segments):
        return _unclear(ReplyReason.NEGATION)
    return Reply(ReplyKind.REJECT, ReplyReason.NO)


def _breaks(segments: Sequence[Segment]) -> bool:
    return any(part.broken for part in segments[1:])


def _read_rest(message: Message, segments: Sequence[Segment], roles: set[Role]) -> Reply:
    """Say what a message is that is neither a yes nor a no nor a change, the plainest reason first."""
    if Role.IRONY in roles:
        return _unclear(ReplyReason.IRONY)
    abandoned = _no_and_more(message, segments)
    if abandoned is not None:
        return abandoned
    if Role.UNSURE in roles:
        return _unclear(ReplyReason.UNSURE)
    if roles & _NOS and Role.VERB in roles and roles <= _IN_A_NO | {Role.VERB}:
        return _unclear(ReplyReason.CANCEL_AMBIGUOUS)
    if roles & _NOS and Role.YES in roles:
        return _unclear(ReplyReason.CONTRADICTION)
    if roles & {Role.HEDGE, Role.IF}:
        return _unclear(ReplyReason.CONDITIONAL)
    if roles & _NOS:
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
    if roles & {Role.REQUEST, Role.WISH, Role.VERB}:
        return Reply(ReplyKind.OTHER, ReplyReason.NEW_REQUEST)
    return _unclear(ReplyReason.NOT_UNDERSTOOD)


def _no_and_more(message: Message, segments: Sequence[Segment]) -> Reply | None:
    """Return the no of "não, quero ver minha fatura": a whole no, a pause, and another request."""
    at = 0
    while (
        at < len(segments) and segments[at].role in _NOS | {Role.POLITE} and not (at and segments[at].broken)
    ):
        at += 1
    while at < len(segments) and segments[at].role in _NOS | {Role.POLITE}:
        at += 1
    head, rest = segments[:at], segments[at:]
    if not rest or not rest[0].broken or not any(part.role in _NOS for part in head):
        return None
    roles = {part.role for part in rest}
    wants = rest[0].role in (Role.REQUEST, Role.WISH)
    denies = {Role.YES, Role.VERB, Role.NOUN, Role.HEDGE, Role.IF, Role.UNSURE, Role.NO, Role.QUIT}
    if not wants or roles & denies or Role.UNKNOWN not in roles:
        return None
    return Reply(ReplyKind.REJECT, ReplyReason.NO, rest=message.text[rest[0].tokens[0].start :].strip())


def _read_value(message: Message, segments: Sequence[Segment], question: OpenQuestion) -> Reply:
    """Read a message while a parameter is asked for: it is the value, unless it is clearly something else."""
    roles = {part.role for part in segments}
    abandoned = _no_and_more(message, segments)
    if abandoned is not None and segments[0].role is Role.QUIT:
        return abandoned
    stops = all(token.word in CANCEL for part in segments for token in part.tokens)
    if stops or (Role.QUIT in roles and roles <= {Role.NO, Role.QUIT, Role.POLITE, Role.WEAK}):
        return Reply(ReplyKind.REJECT, ReplyReason.NO)
    if message.asks:
        return Reply(ReplyKind.OTHER, ReplyReason.QUESTION)
    if roles <= {Role.UNSURE, Role.POLITE}:
        return _unclear(ReplyReason.UNSURE)
    if roles <= {Role.YES, Role.WEAK, Role.NO, Role.POLITE} and not question.boolean_value:
        return _unclear(ReplyReason.VALUE_EXPECTED)
    if segments[0].role in (Role.REQUEST, Role.WISH):
        return Reply(ReplyKind.OTHER, ReplyReason.NEW_REQUEST)
    return Reply(ReplyKind.PROVIDE, ReplyReason.VALUE, value=message.text.strip())

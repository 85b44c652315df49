"""A no and what stands beside it: a "cancela" that is denied, another request behind it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from confirmo.policies.replies.models import Reply, ReplyKind, ReplyReason
from confirmo.policies.replies.operation import CANCEL
from confirmo.policies.replies.roles import Role
from confirmo.policies.replies.segments import Segment
from confirmo.policies.replies.tokens import Message

NOS: Final = frozenset({Role.NO, Role.QUIT})


def negates_a_stop(segments: Sequence[Segment]) -> bool:
    """Tell whether a "cancela" is denied, as in "não cancela", "cancela não"; "não, cancela" stops twice."""
    if any(part.role is Role.NO and _stops(part) for part in segments):
        return True
    together = [(a, b) for a, b in pairwise(segments) if not b.broken]
    return any((a.role is Role.NO and _stops(b)) or (_stops(a) and b.role is Role.NO) for a, b in together)


def _stops(part: Segment) -> bool:
    return any(token.word in CANCEL for token in part.tokens)


def no_and_more(message: Message, segments: Sequence[Segment]) -> Reply | None:
    """Return the no of "não, quero ver minha fatura": a whole no, a pause, and another request."""
    at = 0
    while (
        at < len(segments) and segments[at].role in NOS | {Role.POLITE} and not (at and segments[at].broken)
    ):
        at += 1
    while at < len(segments) and segments[at].role in NOS | {Role.POLITE}:
        at += 1
    head, rest = segments[:at], segments[at:]
    if not rest or not rest[0].broken or not any(part.role in NOS for part in head):
        return None
    roles = {part.role for part in rest}
    wants = rest[0].role in (Role.REQUEST, Role.WISH, Role.SWAP)
    denies = {Role.YES, Role.VERB, Role.NOUN, Role.HEDGE, Role.IF, Role.UNSURE, Role.NO, Role.QUIT}
    if not wants or roles & denies or Role.UNKNOWN not in roles:
        return None
    return Reply(ReplyKind.REJECT, ReplyReason.NO, rest=message.text[rest[0].tokens[0].start :].strip())

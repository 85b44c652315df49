"""Reading a message while a parameter is asked for."""

from collections.abc import Sequence
from typing import Final

from confirmo.policies.replies.models import OpenQuestion, Reply, ReplyKind, ReplyReason
from confirmo.policies.replies.refusing import negates_a_stop, no_and_more
from confirmo.policies.replies.roles import Role
from confirmo.policies.replies.segments import Segment
from confirmo.policies.replies.tokens import Message

_YES: Final = frozenset({Role.YES, Role.WEAK})


def read_value(message: Message, segments: Sequence[Segment], question: OpenQuestion) -> Reply:
    """Read a message while a parameter is asked for: it is the value, unless it is clearly something else."""
    roles = {part.role for part in segments}
    abandoned = no_and_more(message, segments)
    if abandoned is not None and segments[0].role is Role.QUIT:
        return abandoned
    if Role.QUIT in roles and roles <= {Role.NO, Role.QUIT, Role.POLITE, Role.WEAK}:
        return (
            _unclear(ReplyReason.NEGATION)
            if negates_a_stop(segments)
            else Reply(ReplyKind.REJECT, ReplyReason.NO)
        )
    if message.asks:
        return Reply(ReplyKind.OTHER, ReplyReason.QUESTION)
    if roles <= {Role.UNSURE, Role.POLITE}:
        return _unclear(ReplyReason.UNSURE)
    if roles <= {Role.YES, Role.WEAK, Role.NO, Role.POLITE}:
        return _read_flag(roles) if question.boolean_value else _unclear(ReplyReason.VALUE_EXPECTED)
    if segments[0].role in (Role.REQUEST, Role.WISH, Role.SWAP):
        return Reply(ReplyKind.OTHER, ReplyReason.NEW_REQUEST)
    return Reply(ReplyKind.PROVIDE, ReplyReason.VALUE, value=message.text.strip())


def _read_flag(roles: set[Role]) -> Reply:
    """Read a yes or a no as the value of a parameter that is one."""
    yes, no = bool(roles & _YES), Role.NO in roles
    if yes == no:
        return _unclear(ReplyReason.CONTRADICTION if yes else ReplyReason.VALUE_EXPECTED)
    return Reply(ReplyKind.PROVIDE, ReplyReason.VALUE, value="true" if yes else "false")


def _unclear(reason: ReplyReason) -> Reply:
    return Reply(ReplyKind.UNCLEAR, reason)

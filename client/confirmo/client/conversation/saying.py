"""The texts of a turn, from the catalogue of the session's locale."""

from confirmo.client.answers import status_word
from confirmo.policies.models import ReasonCode, TransactionState
from confirmo.policies.replies import Reply
from confirmo.policies.texts import catalogue, one_line


def joined(*texts: str) -> str:
    """Return the texts that say something, one below the other."""
    return "\n".join(text for text in texts if text)


def said(locale: str, key: str, **values: object) -> str:
    """Return one sentence of the catalogue."""
    return catalogue(locale)[key].format(**values)


def why(locale: str, reply: Reply) -> str:
    """Return why a reply was not taken for an answer."""
    return catalogue(locale)[f"reply_{reply.reason.value}"]


def ending(locale: str, state: TransactionState) -> str:
    """Return how a closed transaction ended: its result's message, else its status with the reason."""
    if state.result is not None and state.result.message:
        return state.result.message
    texts = catalogue(locale)
    reason = one_line(state.reason or "") or texts.get(
        f"reason_{state.reason_code or ReasonCode.NOT_EXECUTED}", ""
    )
    what = texts.get(status_word(state), texts["CANCELLED"])
    sentence = texts["because"].format(what=what, reason=reason) if reason else what
    return texts["nothing_executed"].format(what=sentence.rstrip("."))

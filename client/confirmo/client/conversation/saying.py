"""The texts of a turn, from the catalogue of the session's locale, as the conversation was told to speak."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from confirmo.client.answers import status_word
from confirmo.policies.models import ReasonCode, TransactionState
from confirmo.policies.presenting import TextFormat, answer_text, question_text
from confirmo.policies.replies import Reply
from confirmo.policies.texts import Language, catalogue, language_code, one_line
from confirmo.policies.texts.markdown import as_markdown
from confirmo.policies.tool_spec import TextOverrides


@dataclass(frozen=True)
class Voice:
    """How a conversation speaks.

    Attributes:
        texts: A deployment's own texts by locale.
        format: ``plain`` or ``markdown``.
    """

    texts: Mapping[str, TextOverrides] = field(default_factory=dict)
    format: TextFormat = "plain"


_VOICE: ContextVar[Voice] = ContextVar("confirmo_voice", default=Voice())  # noqa: B039 - it is frozen


@contextmanager
def speaking(voice: Voice) -> Iterator[None]:
    """Let everything that is said inside the block be said so; other tasks are not concerned."""
    token = _VOICE.set(voice)
    try:
        yield
    finally:
        _VOICE.reset(token)


def joined(*texts: str) -> str:
    """Return the texts that say something, one below the other."""
    below = "\n" if _VOICE.get().format == "plain" else "\n\n"
    return below.join(text for text in texts if text)


def said(locale: str, key: str, **values: object) -> str:
    """Return one sentence of the catalogue."""
    return _shown(_texts(locale)[key].format(**values))


def why(locale: str, reply: Reply) -> str:
    """Return why a reply was not taken for an answer."""
    return _shown(_texts(locale)[f"reply_{reply.reason.value}"])


def asking(state: TransactionState) -> str:
    """Return the open question."""
    return question_text(state, _VOICE.get().format)


def before(locale: str, state: TransactionState) -> str:
    """Return how the one that was put on hold ended."""
    voice, told = _VOICE.get(), ending(locale, state)
    mark = "\0"
    return said(locale, "turn_before", message=mark if voice.format == "markdown" else told).replace(
        mark, told
    )


def ending(locale: str, state: TransactionState) -> str:
    """Return how a closed transaction ended: its result's message, else its status with the reason."""
    if state.result is not None and state.result.message:
        return answer_text(state.result, _VOICE.get().format)
    texts = _texts(locale)
    reason = one_line(state.reason or "") or texts.get(
        f"reason_{state.reason_code or ReasonCode.NOT_EXECUTED}", ""
    )
    what = texts.get(status_word(state), texts["CANCELLED"])
    sentence = texts["because"].format(what=what, reason=reason) if reason else what
    return _shown(texts["nothing_executed"].format(what=sentence.rstrip(".")))


def _texts(locale: str) -> Mapping[str, str]:
    own = _VOICE.get().texts.get(language_code(locale))
    return catalogue(Language(locale, own) if own else locale)


def _shown(text: str) -> str:
    return text if _VOICE.get().format == "plain" else as_markdown(text)

"""Changing the set in words: "tira o segundo", "só o Aya", "inclui também o Neymar Jr"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from confirmo.policies.replies.models import OpenQuestion, Reply, ReplyKind, ReplyReason
from confirmo.policies.replies.operation import operation_of
from confirmo.policies.replies.references import Unresolved, resolve
from confirmo.policies.replies.roles import Role
from confirmo.policies.replies.segments import Segment

MAX_NAME: Final = 200
"""Characters of an added item's name."""

_EDITS: Final = frozenset({Role.REMOVE, Role.REMOVE_OUT, Role.SPARE, Role.KEEP, Role.ADD})
_LEAD: Final = frozenset(
    {
        Role.YES,
        Role.WISH,
        Role.WEAK,
        Role.NO,
        Role.POLITE,
        Role.HEDGE,
        Role.REQUEST,
        Role.VERB,
        Role.AND,
        Role.PRONOUN,
        Role.ALL,
    }
)
"""What may stand before the change."""
_TAIL: Final = frozenset({Role.POLITE, Role.LIST, Role.OUT})
_NEVER_A_NAME: Final = frozenset(
    {Role.YES, Role.NO, Role.QUIT, Role.IF, Role.HEDGE, Role.REQUEST, Role.UNSURE, Role.VERB, Role.ALL, Role.COUNT,
     Role.PRONOUN, Role.IRONY, Role.SWAP, Role.CORRECT}
)  # fmt: skip
_SUFFIX: Final = frozenset({"tambem", "too", "as well"})

Edit = tuple[Segment, list[Segment]]


def has_edit(segments: Sequence[Segment]) -> bool:
    """Tell whether any phrase changes the set."""
    return any(part.role in _EDITS for part in segments)


def read_edit(segments: Sequence[Segment], text: str, question: OpenQuestion) -> Reply | None:
    """Return the amendment that a message is, or why it cannot be done; null where it is none as a whole.

    Args:
        segments: The message; at least one of them is an edit.
        text: What their positions refer to.
        question: What is asked.
    """
    edits = _split(segments)
    if edits is None:
        return None
    try:
        return _apply(edits, text, question)
    except Unresolved as problem:
        if problem.reason is ReplyReason.NOT_UNDERSTOOD:
            return None
        return Reply(ReplyKind.UNCLEAR, problem.reason)


def read_sparing(segments: Sequence[Segment], text: str, question: OpenQuestion) -> Reply | None:
    """Return the amendment of "não cancela o Aya": a no to the operation for some of the items; else null."""
    first, *objects = segments
    verbs = operation_of(question.tool_name).verbs
    if first.role is not Role.NO or first.tokens[-1].word not in verbs or not objects or objects[0].broken:
        return None
    reply = read_edit([replace(first, role=Role.REMOVE), *objects], text, question)
    return reply if reply is not None and reply.kind is ReplyKind.AMEND else None


def _split(segments: Sequence[Segment]) -> list[Edit] | None:
    """Cut a message into edits with their objects; null where something else stands before the first."""
    if {Role.SPARE, Role.LIST} <= {part.role for part in segments}:
        return None
    parts = [part for part in segments if part.role is not Role.LIST]
    start = next(at for at, part in enumerate(parts) if part.role in _EDITS)
    lead, rest = parts[:start], parts[start:]
    if any(part.role not in _LEAD for part in lead):
        return _suffixed(parts, start)
    edits: list[Edit] = []
    for part in rest:
        if part.role in _EDITS and not (part.role is Role.ADD and _words(part) in _SUFFIX and edits):
            edits.append((part, []))
        else:
            edits[-1][1].append(part)
    return edits


def _suffixed(parts: Sequence[Segment], start: int) -> list[Edit] | None:
    """Return "(e) o Neymar Jr também" as an edit."""
    head = list(parts[:start])
    if _words(parts[start]) not in _SUFFIX or any(part.role not in _TAIL for part in parts[start + 1 :]):
        return None
    while head and head[0].role in _LEAD:
        head.pop(0)
    return [(parts[start], head)]


def _apply(edits: Sequence[Edit], text: str, question: OpenQuestion) -> Reply:
    eligible = {position for position, item in enumerate(question.items) if item.eligible}
    left = set(eligible)
    added: list[str] = []
    for verb, objects in edits:
        if verb.role is Role.ADD:
            added.extend(_names(objects, text, question))
            continue
        meant = _meant(verb, objects, question)
        left = left & meant if verb.role is Role.KEEP else left - meant
    if not left and not added:
        raise Unresolved(ReplyReason.NOTHING_LEFT)
    removed = tuple(question.items[position].item_id for position in sorted(eligible - left))
    if not removed and not added:
        raise Unresolved(ReplyReason.NOTHING_CHANGES)
    return Reply(ReplyKind.AMEND, ReplyReason.EDIT, remove_ids=removed, add_texts=tuple(added))


def _meant(verb: Segment, objects: Sequence[Segment], question: OpenQuestion) -> set[int]:
    if verb.role is Role.REMOVE_OUT and not any(part.role is Role.OUT for part in objects):
        raise Unresolved(ReplyReason.NOT_UNDERSTOOD)
    if verb.role is Role.SPARE and not operation_of(question.tool_name).stops:
        raise Unresolved(ReplyReason.NOT_UNDERSTOOD)
    chunks = list(_chunks(objects))
    if not chunks:
        raise Unresolved(ReplyReason.NO_SUCH_ITEM)
    roles = {part.role for chunk in chunks for part in chunk}
    if Role.ALL in roles:
        raise Unresolved(ReplyReason.NOTHING_CHANGES if verb.role is Role.KEEP else ReplyReason.NOTHING_LEFT)
    if roles & _NEVER_A_NAME - {Role.COUNT}:
        raise Unresolved(
            ReplyReason.CONDITIONAL if roles & {Role.IF, Role.HEDGE} else ReplyReason.NOT_UNDERSTOOD
        )
    if len(chunks) == 1 and _may_be_a_count(chunks[0], len(question.eligible)):
        raise Unresolved(ReplyReason.AMBIGUOUS_ITEM)
    return {
        position
        for chunk in chunks
        for position in resolve([token for part in chunk for token in part.tokens], question)
    }


def _may_be_a_count(chunk: Sequence[Segment], items: int) -> bool:
    """Tell whether a bare number may mean so many of them as well as the one of that number."""
    if len(chunk) != 1:
        return False
    word = chunk[0].tokens[-1]
    counts = word.item is None and word.word.isdecimal() and len(word.word) < 6 and int(word.word) <= items
    return chunk[0].role is Role.COUNT or counts or word.word in ("um", "uma", "one")


def _names(objects: Sequence[Segment], text: str, question: OpenQuestion) -> Iterator[str]:
    """Yield the texts to add."""
    chunks = list(_chunks(objects))
    if not chunks:
        raise Unresolved(ReplyReason.NO_SUCH_ITEM)
    for chunk in chunks:
        while chunk and chunk[0].role is Role.ARTICLE:
            chunk.pop(0)
        if not chunk or any(part.role in _NEVER_A_NAME for part in chunk):
            raise Unresolved(ReplyReason.NOT_UNDERSTOOD)
        known = [token.item for part in chunk for token in part.tokens if token.item is not None]
        if known:
            eligible = question.items[known[0]].eligible
            raise Unresolved(ReplyReason.ALREADY_THERE if eligible else ReplyReason.NOT_PART)
        name = text[chunk[0].tokens[0].start : chunk[-1].tokens[-1].end].strip()
        if len(name) > MAX_NAME:
            raise Unresolved(ReplyReason.NOT_UNDERSTOOD)
        yield name


def _chunks(objects: Sequence[Segment]) -> Iterator[list[Segment]]:
    """Yield the parts of an enumeration, without politeness behind it."""
    chunk: list[Segment] = []
    for part in objects:
        if part.role in _TAIL or (part.role is Role.ADD and _words(part) in _SUFFIX):
            continue
        if (part.role is Role.AND or part.broken) and chunk:
            yield chunk
            chunk = []
        if part.role is not Role.AND:
            chunk.append(part)
    if chunk:
        yield chunk


def _words(part: Segment) -> str:
    return " ".join(token.word for token in part.tokens)

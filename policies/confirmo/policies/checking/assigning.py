"""Who is meant by what: the outcome that a clause gives to each item it mentions."""

from dataclasses import dataclass, field, replace

from confirmo.policies.checking.clauses import Clause, Cue, Line
from confirmo.policies.checking.words import EXCEPT, LIKEWISE, OUTCOMES, Said

_INVERTED = {Said.SUCCEEDED: Said.FAILED, Said.FAILED: Said.SUCCEEDED}
_ABOUT_ITEMS = frozenset({*OUTCOMES, Said.NONE, Said.UNDONE, Said.NOT_UNDONE, Said.UNDO_UNKNOWN})


@dataclass
class Group:
    """Items that a clause names together, without a cue between them."""

    start: int
    end: int
    items: list[int] = field(default_factory=list)


def groups_of(clause: Clause) -> list[Group]:
    """Return the groups of a clause in order."""
    groups: list[Group] = []
    for place, item in clause.mentions:
        last = groups[-1] if groups else None
        between = clause.text[last.end - clause.start : place + 1 - clause.start] if last else ""
        apart = EXCEPT.search(between) or any(last and last.end <= cue.start < place for cue in clause.cues)
        if last and not apart:
            last.items.append(item)
            last.end = place
        else:
            groups.append(Group(place, place, [item]))
    return groups


def assign(clause: Clause) -> list[tuple[list[int], set[Said]]]:
    """Return for each group what the clause says of it: nothing at all, ``UNCLEAR`` where it is open."""
    groups = groups_of(clause)
    cues = [
        replace(cue, said=Said.FAILED) if cue.said is Said.NONE else cue
        for cue in clause.cues
        if cue.said in _ABOUT_ITEMS
    ]
    words = {cue.said for cue in cues}
    if not groups or not cues:
        return [(group.items, set()) for group in groups]
    if len(words) == 1 and not any(
        EXCEPT.search(clause.text[: each.start + 1 - clause.start]) for each in groups
    ):
        return [(group.items, words) for group in groups]
    first_is_cue = cues[0].start < groups[0].start
    if first_is_cue and cues[-1].start > groups[-1].start and len(words) > 1:
        return [(group.items, {Said.UNCLEAR}) for group in groups]
    return [
        (group.items, _said(clause, groups, number, cues, first_is_cue))
        for number, group in enumerate(groups)
    ]


def _said(clause: Clause, groups: list[Group], number: int, cues: list[Cue], first_is_cue: bool) -> set[Said]:
    group = groups[number]
    before = groups[number - 1].end if number else clause.start
    after = groups[number + 1].start if number + 1 < len(groups) else clause.start + len(clause.text)
    gap = clause.text[before - clause.start : group.start + 1 - clause.start]
    preceding = {cue.said for cue in cues if before <= cue.start < group.start}
    following = {cue.said for cue in cues if group.end <= cue.start < after}
    if EXCEPT.search(gap):
        known = preceding or (_said(clause, groups, number - 1, cues, first_is_cue) if number else set())
        inverted = {_INVERTED.get(said, Said.UNCLEAR) for said in known} or {Said.UNCLEAR}
        return inverted if not following or following <= inverted else {Said.UNCLEAR}
    if first_is_cue:
        return preceding or {Said.UNCLEAR}
    if following:
        return following
    tail = clause.text[before - clause.start : after - clause.start]
    return preceding if LIKEWISE.search(tail) and preceding else {Said.UNCLEAR}


def header_of(line: Line) -> Said | None:
    """Return what a heading says of the entries below it, or null where the line is none."""
    said = {cue.said for cue in line.cues if cue.said in _ABOUT_ITEMS}
    words = sum(len(clause.text.split()) for clause in line.clauses)
    if line.mentions or line.ended or len(said) != 1 or words > 12:
        return None
    (only,) = said
    return only

"""``check_composition``: whether a text says of every item what happened, and nothing else."""

from collections.abc import Iterator

from confirmo.policies.checking.clauses import Clause, Line, lines_of
from confirmo.policies.checking.facts import Told, told_by
from confirmo.policies.checking.folding import HIDDEN, fold, hide, mask_items, phrase, readable
from confirmo.policies.checking.naming import EVERYDAY
from confirmo.policies.checking.numbers import (
    Facts,
    count_claims,
    invented,
    owners,
    protocol_places,
    states_count,
    states_number,
)
from confirmo.policies.checking.phrases import PHRASES, When
from confirmo.policies.checking.report import CompositionReport, WrongOutcome
from confirmo.policies.checking.statements import Statements, says_nothing_was_done
from confirmo.policies.checking.strangers import strangers
from confirmo.policies.checking.taking_back import taken_back
from confirmo.policies.models import Outcome, TransactionResult

_MAX_CHARACTERS = 20_000
"""Of a text, beside twice what the result itself says: an answer is no essay."""


def check_composition(text: str, result: TransactionResult) -> CompositionReport:
    """Tell whether a text that a language model wrote mentions every item with the right outcome.

    It knows Portuguese and English words, and understands no language: what it cannot tell is not ok. Above ten items
    those that succeeded may be counted instead of named; what failed and what is unknown is always named.

    Args:
        text: In plain text or markdown.
        result: What happened; its ``composition`` is what the text was to be made of.
    """
    told = told_by(result)
    if told is None:
        return _report(unclear=["The result has no composition to compare with."])
    if len(text) > _MAX_CHARACTERS + 2 * len(told.known):
        return _report(unclear=["The text is too long to be checked."])
    original = readable(text)
    folded = fold(original)
    masked = mask_items(folded, told.labels())
    places = protocol_places(masked, [item.protocol for item in told.items if item.protocol])
    strange = invented(hide(masked, list({protocol for _, protocol in places})), told.known)
    masked = _without_courtesy(hide(masked, _silent(told)), told)
    lines = list(lines_of(masked))
    foreign = list(strangers(lines, masked, original, folded, told))
    if not told.executed:
        return _check_nothing_done(lines, told, strange, [*foreign, *taken_back(lines, original, told)])
    statements = Statements(told, original, folded)
    statements.read(lines)
    return _judged(told, statements, lines, places, strange, foreign)


def _silent(told: Told) -> list[str]:
    """Return what says nothing by itself wherever it stands: protocols, reasons, the operation's name."""
    texts = [told.secondary, told.reason, *(item.reason for item in told.items)]
    named = [] if told.nameless else [told.operation]
    worth = [text for text in [*texts, *named] if len(text) > 3]
    return [*worth, *(item.protocol for item in told.items)]


def _without_courtesy(masked: str, told: Told) -> str:
    """Mask greetings, thanks and offers of help: an "if you need anything" makes no outcome a conditional one."""
    for when in (When.COURTESY, When.NEWS) if told.all_done else (When.COURTESY,):
        masked = PHRASES[when].sub(lambda found: HIDDEN * len(found[0]), masked)
    return masked


def _judged(
    told: Told,
    statements: Statements,
    lines: list[Line],
    places: list[tuple[int, str]],
    strange: list[str],
    foreign: list[str],
) -> CompositionReport:
    clauses = [clause for line in lines for clause in line.clauses]
    facts = Facts(told.counts, told.total)
    counted = told.is_long and any(
        states_count(clause, Outcome.SUCCEEDED, told.counts[Outcome.SUCCEEDED]) for clause in clauses
    )
    missing = [
        number
        for number, item in enumerate(told.items)
        if number not in statements.mentioned
        and not (told.nameless or (counted and item.expected is Outcome.SUCCEEDED))
    ]
    due = [number for number in range(len(told.items)) if number in statements.mentioned or told.nameless]
    wrong, presented, open_items = _outcomes(told, statements, due)
    of = {item.protocol: set[int]() for item in told.items if item.protocol}
    for number, item in enumerate(told.items):
        if item.protocol:
            of[item.protocol].add(number)
    found = {protocol for _, protocol in places}
    return _report(
        missing_items=[told.items[number].label for number in missing],
        wrong_outcomes=wrong,
        unknown_presented=presented,
        unclear_items=open_items,
        missing_protocols=[told.items[n].protocol for n in due if told.items[n].protocol not in {"", *found}],
        wrong_protocols=[] if told.nameless else list(owners(places, lines, of)),
        invented_items=statements.invented,
        invented_protocols=strange,
        wrong_counts=[
            *(each for clause in clauses for each in count_claims(clause, facts)),
            *statements.contradictions,
        ],
        unclear=[
            *_common(told),
            *_left_out(told, clauses, facts),
            *_undoing(told, statements),
            *taken_back(lines, statements.original, told),
            *foreign,
        ],
    )


def _outcomes(
    told: Told, statements: Statements, due: list[int]
) -> tuple[list[WrongOutcome], list[str], list[str]]:
    wrong: list[WrongOutcome] = []
    presented: list[str] = []
    unclear: list[str] = []
    for number in due:
        item, said = told.items[number], statements.outcomes(number)
        others = said - {item.expected.value, "UNCLEAR"}
        if item.expected is Outcome.UNKNOWN and others:
            presented.append(item.label)
        elif others:
            wrong.append(WrongOutcome(label=item.label, expected=item.expected, said=tuple(sorted(said))))
        elif said != {item.expected.value}:
            unclear.append(item.label)
    return wrong, presented, unclear


def _left_out(told: Told, clauses: list[Clause], facts: Facts) -> Iterator[str]:
    """Where a composition does not list all items, the text has to say how many it leaves out, or every count."""
    if not told.omitted or any(states_number(clause, told.omitted) for clause in clauses):
        return
    for outcome, number in facts.counts.items():
        listed = sum(item.expected is outcome for item in told.items)
        if number > listed and not any(states_count(clause, outcome, number) for clause in clauses):
            yield f"The text does not say that {told.omitted} items are not in the list."
            return


def _common(told: Told) -> Iterator[str]:
    """A label that is an everyday word, or a small number, is found where nobody means it."""
    for item in told.items:
        words = phrase(item.label)
        if not told.nameless and (
            len(words) < 2 or words in EVERYDAY or (words.isdigit() and len(words) < 4)
        ):
            yield f"The label {item.label} is too common to be looked for."


def _undoing(told: Told, statements: Statements) -> Iterator[str]:
    for number, label in enumerate(told.labels()):
        said, expected = statements.undo_outcomes(number), told.undone.get(label)
        if said != ({expected} if expected else set()):
            yield f"It is not clear whether {label} was undone."


def _check_nothing_done(
    lines: list[Line], told: Told, strange: list[str], foreign: list[str]
) -> CompositionReport:
    said, against = says_nothing_was_done(lines, told.status.value)
    silent = [] if said else ["The text does not say that nothing was executed."]
    return _report(
        wrong_counts=[f"“{clause}”: nothing was executed." for clause in against],
        invented_protocols=strange,
        unclear=[*silent, *foreign],
    )


def _report(**found: list[str] | list[WrongOutcome]) -> CompositionReport:
    once = {name: tuple(dict.fromkeys(entries)) for name, entries in found.items()}
    return CompositionReport.model_validate({"ok": not any(once.values()), **once})

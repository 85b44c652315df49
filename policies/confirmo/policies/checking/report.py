"""What is found in a text."""

from confirmo.policies.models import Outcome, Wire


class WrongOutcome(Wire):
    """An item of which the text says something else than what happened.

    Attributes:
        label: The item.
        expected: What happened.
        said: What the text says, as words: ``SUCCEEDED``, ``FAILED``, ``UNKNOWN``, or ``UNCLEAR``.
    """

    label: str
    expected: Outcome
    said: tuple[str, ...]


class CompositionReport(Wire):
    """Whether a text may be shown in place of ``message``.

    Attributes:
        ok: Nothing was found. What cannot be told is a finding.
        missing_items: Labels that the text does not mention.
        wrong_outcomes: Items whose outcome is contradicted.
        unknown_presented: Labels of items with an unknown outcome that the text presents as done or not done.
        unclear_items: Labels that are mentioned, and of which the text does not clearly say one outcome.
        missing_protocols: Protocols that the text leaves out.
        wrong_protocols: Protocols that the text gives to another item.
        invented_items: What the text seems to name beside the items.
        invented_protocols: Protocols and long numbers that are not in the result.
        wrong_counts: Numbers and words such as "all" that contradict the counts.
        unclear: Everything else that cannot be told, as sentences.
    """

    ok: bool
    missing_items: tuple[str, ...] = ()
    wrong_outcomes: tuple[WrongOutcome, ...] = ()
    unknown_presented: tuple[str, ...] = ()
    unclear_items: tuple[str, ...] = ()
    missing_protocols: tuple[str, ...] = ()
    wrong_protocols: tuple[str, ...] = ()
    invented_items: tuple[str, ...] = ()
    invented_protocols: tuple[str, ...] = ()
    wrong_counts: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()

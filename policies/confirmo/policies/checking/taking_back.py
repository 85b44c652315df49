"""What takes back, hides or extends a text that says what happened, without a word about an outcome in it."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from confirmo.policies.checking.clauses import Line
from confirmo.policies.checking.facts import Told

_TAKES_BACK: Final = re.compile(
    r"\b(?:mentira|brincadeira|brincando|contrario|inverso|(?:ignore|ignora|desconsidere|esqueca) (?:o|a|isso|tudo)|"
    r"nao e verdade|falso|opposite|reverse|kidding|joking|a joke|a lie|disregard|ignore|not true|untrue|false)\b"
)
_ONE_MORE: Final = re.compile(
    r"\b(?:tambem|also|too|as well)\W*$|"
    r"\b(?:tambem|also)\W+(?:foi|foram|esta|estao|was|were|is|are)\b|\b(?:foi|foram|was|were)\W+(?:tambem|also)\b"
)
_HIDES: Final = re.compile(r"(?<!\\)~~|(?<!\\)<(?:!--|/?[a-zA-Z])")


def taken_back(lines: Sequence[Line], shown: str, told: Told) -> Iterator[str]:
    """Return a sentence for each place that may turn a true text into another one.

    Args:
        lines: Of the folded text.
        shown: The text as it is shown.
        told: What the result says; what stands in it is no finding.
    """
    if _HIDES.search(shown) and not _HIDES.search(told.known):
        yield "The text strikes something out, or holds HTML."
    for clause in (clause for line in lines for clause in line.clauses):
        words = clause.text.strip()
        if (found := _TAKES_BACK.search(words)) and found[0] not in told.known:
            yield f"“{found[0]}” may take back what the text says."
        if not clause.mentions and not clause.cues and _ONE_MORE.search(words) and words not in told.known:
            yield f"“{words[:100]}” may be about one more item."

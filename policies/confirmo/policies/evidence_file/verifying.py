"""Checking a file from its first line to its seal, and what it says, for people."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from confirmo.policies.evidence_file.chain import GENESIS, Broken, read_line
from confirmo.policies.evidence_file.contents import Contents, Problem, Told
from confirmo.policies.evidence_file.seal import SEAL, Seal, check_seal


@dataclass
class Verdict:
    """What checking a file came to.

    Attributes:
        problems: Empty where the file is whole and agrees with itself.
        lines: Lines read, the seal included.
        seal: The last line; null where there is none that could be read.
        trusted: Whether one of the keys that the caller named has signed it.
        told: What the lines say; worth as much as the rest of this.
    """

    problems: list[Problem] = field(default_factory=list)
    lines: int = 0
    seal: Seal | None = None
    trusted: bool = False
    told: Told = field(default_factory=Told)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def document(self) -> dict[str, Any]:
        """Return it as plain JSON, without any value of an argument."""
        header, end, seal = self.told.header, self.told.end, self.seal
        return {
            "ok": self.ok,
            "problems": [vars(problem) for problem in self.problems],
            "transaction_id": header.transaction_id if header else None,
            "status": end.status if end else None,
            "lines": self.lines,
            "head": seal.head if seal else None,
            "signed": bool(seal and seal.signed),
            "trusted": self.trusted,
            "key_id": seal.key_id if seal else None,
            "signed_at": seal.signed_at if seal else None,
            "exporter": seal.exporter if seal else None,
            "questions": len(self.told.questions),
            "decisions": len(self.told.decisions),
            "calls": self.told.calls,
        }


def verify(lines: Iterable[bytes], trusted: Collection[Ed25519PublicKey] = ()) -> Verdict:
    """Check a file.

    Args:
        lines: Its lines, each with its line end.
        trusted: Keys one of which must have signed; empty where the caller trusts none.
    """
    verdict, contents = Verdict(), Contents()
    verdict.told, verdict.problems = contents.told, contents.problems
    try:
        _read(lines, trusted, verdict, contents)
    except Broken as broken:
        verdict.problems.insert(0, Problem(broken.line, "", str(broken)))
    return verdict


def _read(
    lines: Iterable[bytes], trusted: Collection[Ed25519PublicKey], verdict: Verdict, contents: Contents
) -> None:
    head = GENESIS
    for data in lines:
        if verdict.seal is not None:
            raise Broken(verdict.lines + 1, "something follows the seal")
        line = read_line(data, verdict.lines, head)
        verdict.lines, head = verdict.lines + 1, line.digest
        if line.kind == SEAL:
            contents.finish(verdict.lines)
            verdict.seal = check_seal(line, trusted)
            verdict.trusted = bool(trusted) and verdict.seal.signed
        else:
            contents.take(line)
    if verdict.seal is None:
        raise Broken(verdict.lines + 1, "the file ends without a seal: it was cut off")

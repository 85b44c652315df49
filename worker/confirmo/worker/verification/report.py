"""What held for which tool."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

Verdict = Literal["held", "broken", "not_applicable", "not_run"]


@dataclass(frozen=True)
class Finding:
    """One guarantee tried on one tool.

    Attributes:
        tool: Name of the tool.
        guarantee: Its word, of ``GUARANTEES``.
        verdict: ``not_applicable`` where the policy has nothing that it is about; ``not_run`` where it could not be
            tried.
        what: What happened, in one sentence.
    """

    tool: str
    guarantee: str
    verdict: Verdict
    what: str


@dataclass(frozen=True)
class Report:
    """Of one run.

    Attributes:
        findings: By tool, in the order of the files, then by guarantee.
        skipped: Tools that ask for nothing and act on nothing, and why.
    """

    findings: tuple[Finding, ...]
    skipped: tuple[tuple[str, str], ...]

    @property
    def ok(self) -> bool:
        """Whether nothing broke and everything that applies was tried."""
        return not any(finding.verdict in ("broken", "not_run") for finding in self.findings)

    def document(self) -> dict[str, Any]:
        """Return the report as plain JSON."""
        return {
            "ok": self.ok,
            "findings": [asdict(finding) for finding in self.findings],
            "skipped": [{"tool": tool, "reason": reason} for tool, reason in self.skipped],
        }

"""Trying the guarantees on a catalogue of one's own, with a simulated tool server in place of the real ones."""

from confirmo.worker.verification.guarantees import GUARANTEES
from confirmo.worker.verification.report import Finding, Report
from confirmo.worker.verification.running import verify

__all__ = ["GUARANTEES", "Finding", "Report", "verify"]

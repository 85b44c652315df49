"""Checking what a language model wrote about a result against the result itself."""

from confirmo.policies.checking.judging import check_composition
from confirmo.policies.checking.report import CompositionReport, WrongOutcome

__all__ = ["CompositionReport", "WrongOutcome", "check_composition"]

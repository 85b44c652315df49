"""Masking personal data in texts that are no data themselves: log lines, error texts, events."""

from confirmo.policies.masking.fields import HIDDEN, field_names, has_fields
from confirmo.policies.masking.hiding import is_personal, masked, masked_value, plainly_personal

__all__ = [
    "HIDDEN",
    "field_names",
    "has_fields",
    "is_personal",
    "masked",
    "masked_value",
    "plainly_personal",
]

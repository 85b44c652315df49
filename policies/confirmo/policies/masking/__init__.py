"""Masking personal data in texts that are no data themselves: log lines, error texts, events."""

from confirmo.policies.masking.fields import field_names, has_fields
from confirmo.policies.masking.hiding import HIDDEN, is_personal, masked, masked_value, plainly_personal

__all__ = [
    "HIDDEN",
    "field_names",
    "has_fields",
    "is_personal",
    "masked",
    "masked_value",
    "plainly_personal",
]

"""Which build of the worker a transaction stays with."""

from typing import Literal

from confirmo.policies.tool_spec import Catalog

Behaviour = Literal["pinned", "auto_upgrade"]
SHORT_SECONDS = 3600.0
"""A question that is open for longer would keep the workers of an old build running for it alone."""


def behaviour_of(catalog: Catalog, wanted: Behaviour | None) -> Behaviour:
    """Return what is wanted, else ``pinned`` where every question of the catalogue ends within an hour."""
    if wanted is not None:
        return wanted
    longest = max((tool.confirmation.expires_seconds for tool in catalog.tools.values()), default=0.0)
    return "pinned" if longest <= SHORT_SECONDS else "auto_upgrade"

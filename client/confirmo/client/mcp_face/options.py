"""What one face is for: whose transactions it starts, and what it knows beyond the catalogue."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from confirmo.policies.access import Anyone
from confirmo.policies.models import Actor


@dataclass(frozen=True)
class Wrapped:
    """What a wrapped server says of one of its tools; it goes out as it came in."""

    input_schema: Mapping[str, Any] | None = None
    title: str | None = None


@dataclass(frozen=True)
class FaceOptions:
    """Settings of one face.

    Attributes:
        tenant: Of every transaction that it starts; those of another tenant do not exist for it.
        actor: The requester of every transaction and the actor of every decision; null means nobody is named.
        locale: Of questions and results.
        state_key: At least 32 secret bytes that seal what travels between two rounds; faces behind one address share
            it. Null means a key of this process.
        wrapped: Tool name to what its server said, where the catalogue was built from a server's list.
        tokens: Whether every call comes with a verified token; tenant and actor are then the token's.
        anyone: Whom ``confirmation.by: any`` means where calls come with tokens.
    """

    tenant: str = "default"
    actor: Actor | None = None
    locale: str = "pt-BR"
    state_key: bytes | None = field(default=None, repr=False)
    wrapped: Mapping[str, Wrapped] = field(default_factory=dict)
    tokens: bool = False
    anyone: Anyone = Anyone.REQUESTER

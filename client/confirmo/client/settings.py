"""Settings of a client: the only reader of ``CONFIRMO_*`` on this side."""

from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict


class ClientSettings(BaseSettings):
    """One client's settings.

    Attributes:
        payload_store: Where payloads go that Temporal does not hold: ``dir:<path>`` or ``s3://<bucket>``, the same as
            the workers'. Null means that nothing is stored from here.
        evidence_key_file: The private key that signs evidence files, PEM; null means that ``--key`` has to name it.
    """

    model_config = SettingsConfigDict(env_prefix="CONFIRMO_", extra="ignore", frozen=True)

    payload_store: str | None = None
    evidence_key_file: Path | None = None

"""Settings of a client: the only reader of ``CONFIRMO_*`` on this side."""

from pydantic_settings import BaseSettings, SettingsConfigDict


class ClientSettings(BaseSettings):
    """One client's settings.

    Attributes:
        payload_store: Where payloads go that Temporal does not hold: ``dir:<path>`` or ``s3://<bucket>``, the same as
            the workers'. Null means that nothing is stored from here.
        deployment_name: Of the workers' builds together, where they are versioned.
    """

    model_config = SettingsConfigDict(env_prefix="CONFIRMO_", extra="ignore", frozen=True)

    payload_store: str | None = None
    deployment_name: str = "confirmo"

"""Settings of a client: the only reader of ``CONFIRMO_*`` on this side."""

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from confirmo.policies.masking import field_names


class ClientSettings(BaseSettings):
    """One client's settings.

    Attributes:
        payload_store: Where payloads go that Temporal does not hold: ``dir:<path>`` or ``s3://<bucket>``, the same as
            the workers'. Null means that nothing is stored from here.
        deployment_name: Of the workers' builds together, where they are versioned.
        encryption_keys_file: A file of ``key_id: base64`` lines, the same as the workers'. Null means that nothing is
            encrypted, and nothing encrypted can be read.
        masked_fields: Names, separated by commas, whose values no log line and no error text shows.
    """

    model_config = SettingsConfigDict(env_prefix="CONFIRMO_", extra="ignore", frozen=True)

    payload_store: str | None = None
    deployment_name: str = "confirmo"
    encryption_keys_file: Path | None = None
    masked_fields: Annotated[tuple[str, ...], NoDecode, BeforeValidator(field_names)] = ()

"""Settings of a worker: the only reader of ``CONFIRMO_*``. Temporal's own come through ``temporalio.envconfig``."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from confirmo.policies.masking import field_names

FieldNames = Annotated[tuple[str, ...], NoDecode, BeforeValidator(field_names)]
"""Names separated by commas or blanks."""


class Settings(BaseSettings):
    """One worker's settings.

    Attributes:
        task_queue: Where the worker listens.
        item_activities: Up to this many items one activity each, readable in the UI; above, slices.
        slice_items: Items in the first slice; the next ones are measured by it.
        max_items: Larger sets are refused as ``too_large``; null means 100,000 with a payload store, 10,000 without.
        payload_store: Where payloads go that Temporal does not hold: ``dir:<path>`` or ``s3://<bucket>``. Clients need
            the same; null means that results above 1 MB are cut, and that the pages of ``items`` hold them whole.
        encryption_keys_file: A file of ``key_id: base64`` lines: payloads are encrypted with the first key, and
            decrypted with any. Clients need the same; null means that nothing is encrypted.
        masked_fields: Names, separated by commas, whose values no log line and no error text shows.
        codec_token_file: A file with the bearer token that ``confirmo codec-server`` asks for.
        heartbeat_seconds: A worker that says nothing for this long is taken for dead, and what it had under way for
            lost. Well above a garbage collection or a busy event loop.
        max_concurrent_activities: Activities at once in this worker, on the queue that all servers share; on its own
            queue a server gets a quarter as many, or its limits.
        max_cached_workflows: Transactions that the worker keeps in memory; one that had to go is rebuilt from its
            history when something comes for it.
        workers: How many workers share the task queue: each takes its part of a tool server's limits.
        graceful_shutdown_seconds: How long a stopping worker waits for calls under way; null means longer than the
            longest attempt that the catalogue allows.
        build_id: Which build this worker is; null means that it is not versioned.
        deployment_name: Of all builds of this deployment together; no dot in it.
        versioning: Whether a transaction stays with the build that began it; null means pinned where every question
            of the catalogue ends within an hour, else upgraded with the deployment.
        webhook_url: Where confirmation requests are delivered; null means the log.
        webhook_headers: Headers of that delivery, as a JSON object.
        webhook_secrets: ``whsec_`` secrets, separated by blanks or commas; each signs every delivery.
        webhook_secrets_file: A file with more of them; read at start.
        webhook_completions: Whether the webhook is also told how each transaction ended.
        log_format: Lines for people, or one JSON object each with the events in full.
        metrics_port: Where Prometheus finds ``/metrics``; null means that nothing is counted.
        metrics_host: The address that it is served on.
    """

    model_config = SettingsConfigDict(
        env_prefix="CONFIRMO_", extra="ignore", frozen=True, hide_input_in_errors=True
    )

    task_queue: str = "confirmo"
    item_activities: int = Field(default=20, ge=0, le=1000)
    slice_items: int = Field(default=200, ge=1, le=2000)
    max_items: int | None = Field(default=None, ge=1, le=200_000)
    payload_store: str | None = None
    encryption_keys_file: Path | None = None
    masked_fields: FieldNames = ()
    codec_token_file: Path | None = None
    heartbeat_seconds: float = Field(default=10.0, ge=1, le=600)
    max_concurrent_activities: int = Field(default=200, ge=1)
    max_cached_workflows: int = Field(default=200, ge=0, le=100_000)
    workers: int = Field(default=1, ge=1, le=10_000)
    graceful_shutdown_seconds: float | None = Field(default=None, ge=0)
    build_id: str | None = Field(default=None, min_length=1, max_length=200)
    deployment_name: str = Field(default="confirmo", min_length=1, max_length=200, pattern=r"^[^.]+$")
    versioning: Literal["pinned", "auto_upgrade"] | None = None
    webhook_url: str | None = Field(default=None, repr=False)
    webhook_headers: dict[str, str] = Field(default={}, repr=False)
    webhook_secrets: SecretStr | None = None
    webhook_secrets_file: Path | None = None
    webhook_completions: bool = True
    log_format: Literal["text", "json"] = "text"
    metrics_port: int | None = Field(default=None, ge=1, le=65535)
    metrics_host: str = "0.0.0.0"

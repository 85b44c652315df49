"""Settings of clients and of the MCP face: the only reader of ``CONFIRMO_*`` on this side."""

from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import AnyHttpUrl, BeforeValidator, Field, TypeAdapter, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from confirmo.policies import names
from confirmo.policies.access import Anyone
from confirmo.policies.masking import field_names


class ClientSettings(BaseSettings):
    """One client's settings.

    Attributes:
        task_queue: Where the workers listen that transactions are started for.
        payload_store: Where payloads go that Temporal does not hold: ``dir:<path>`` or ``s3://<bucket>``, the same as
            the workers'. Null means that nothing is stored from here.
        deployment_name: Of the workers' builds together, where they are versioned.
        encryption_keys_file: A file of ``key_id: base64`` lines, the same as the workers'. Null means that nothing is
            encrypted, and nothing encrypted can be read.
        masked_fields: Names, separated by commas, whose values no log line and no error text shows.
        evidence_key_file: The private key that signs evidence files, PEM; null means that ``--key`` has to name it.
    """

    model_config = SettingsConfigDict(env_prefix="CONFIRMO_", extra="ignore", frozen=True)

    task_queue: str = names.TASK_QUEUE
    payload_store: str | None = None
    deployment_name: str = "confirmo"
    encryption_keys_file: Path | None = None
    masked_fields: Annotated[tuple[str, ...], NoDecode, BeforeValidator(field_names)] = ()
    evidence_key_file: Path | None = None


class TokenSettings(BaseSettings):
    """How callers of the MCP face over HTTP prove who they are; the variables begin with ``CONFIRMO_OIDC_``.

    Attributes:
        issuer: Of the tokens, exactly as they name it; null means that no tokens are asked for.
        audience: What a token has to be for; several are separated by blanks, any of them will do.
        jwks_url: Where the issuer's keys are; null means as its ``/.well-known/openid-configuration`` says.
        algorithms: What may have signed a token, separated by blanks; never one with a shared secret, never ``none``.
        leeway_seconds: How far this clock and the issuer's may be apart.
        subject_claim: Whose text is the actor's id.
        tenant_claim: Whose text is the tenant; empty means that all callers are of the command's ``--tenant``.
        roles_claim: Texts, or one with blanks between, that are the actor's roles; a dot goes into a map.
        scopes: What a token has to allow, separated by blanks.
        resource_url: Address of the face as clients know it, with ``/mcp``; null means as it listens.
        any_means: Whom ``confirmation.by: any`` means: ``requester``, or ``tenant`` for all callers of the tenant.
    """

    model_config = SettingsConfigDict(
        env_prefix="CONFIRMO_OIDC_", extra="ignore", frozen=True, hide_input_in_errors=True
    )

    issuer: str | None = None
    audience: str | None = None
    jwks_url: str | None = None
    algorithms: str = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA"
    leeway_seconds: float = Field(default=30.0, ge=0, le=300)
    subject_claim: str = "sub"
    tenant_claim: str = "tenant"
    roles_claim: str = "roles"
    scopes: str = ""
    resource_url: str | None = None
    any_means: Anyone = Anyone.REQUESTER

    @field_validator("issuer", "audience", "jwks_url", "resource_url", mode="before")
    @classmethod
    def _blank_is_unset(cls, value: Any) -> Any:
        """Take a variable that is set to nothing, as compose files do, for one that is not set."""
        return None if isinstance(value, str) and not value.strip() else value

    @model_validator(mode="after")
    def _complete(self) -> "TokenSettings":
        """Refuse half a configuration: a face that was meant to ask for tokens must not listen without."""
        if self.issuer is None:
            if self.model_dump(exclude_defaults=True):
                raise ValueError("CONFIRMO_OIDC_ISSUER is missing, and other CONFIRMO_OIDC_… are set")
            return self
        if self.audience is None:
            raise ValueError("CONFIRMO_OIDC_AUDIENCE is missing: tokens of the issuer may be for others")
        if not self.subject_claim:
            raise ValueError("CONFIRMO_OIDC_SUBJECT_CLAIM is empty")
        for name in ("issuer", "jwks_url", "resource_url"):
            if (url := getattr(self, name)) is not None:
                check_url(f"CONFIRMO_OIDC_{name.upper()}", url)
        wrong = sorted(set(self.algorithms.split()) - _ASYMMETRIC)
        if wrong or not self.algorithms.split():
            raise ValueError(f"CONFIRMO_OIDC_ALGORITHMS takes some of {', '.join(sorted(_ASYMMETRIC))}")
        return self


_ADDRESS: Final = TypeAdapter(AnyHttpUrl)
LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_ASYMMETRIC: Final = frozenset(f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)) | {
    "EdDSA"
}


def check_url(what: str, url: str) -> None:
    """Raise ``ValueError`` for what is no address; without TLS only this machine is believed."""
    try:
        _ADDRESS.validate_python(url)
        parts = urlsplit(url)
    except ValueError:
        raise ValueError(f"{what} has to be an https address") from None
    local = parts.hostname in LOOPBACK
    if not parts.hostname or parts.scheme not in (("https", "http") if local else ("https",)):
        raise ValueError(f"{what} has to be an https address")

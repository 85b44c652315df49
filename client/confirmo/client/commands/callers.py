"""Whom ``confirmo mcp`` believes over a network: what has to be set before it listens there."""

from pydantic import ValidationError

from confirmo.client.inputs import WrongUse
from confirmo.client.settings import LOOPBACK, TokenSettings


def token_settings() -> TokenSettings | None:
    """Return how callers prove who they are, null where no tokens are asked for. Raises ``WrongUse``."""
    try:
        settings = TokenSettings()
    except ValidationError as error:
        told = error.errors()[0]
        name = f"CONFIRMO_OIDC_{str(told['loc'][0]).upper()}: " if told["loc"] else ""
        raise WrongUse(f"{name}{told['msg'].removeprefix('Value error, ')}.") from None
    return settings if settings.issuer is not None else None


def check_reach(host: str, tokens: TokenSettings | None, *, in_front: bool) -> None:
    """Raise ``WrongUse`` where strangers would reach a face that asks nobody who they are."""
    if host in LOOPBACK:
        return
    if tokens is None and not in_front:
        raise WrongUse(
            f"On {host} anybody could call it: set CONFIRMO_OIDC_ISSUER and CONFIRMO_OIDC_AUDIENCE to ask for tokens, "
            "or give --authenticated-in-front where something before it asks who calls."
        )
    if tokens is not None and tokens.resource_url is None:
        raise WrongUse(
            f"Set CONFIRMO_OIDC_RESOURCE_URL to the address that clients use, with /mcp: {host} is none."
        )


def check_options(tokens: TokenSettings | None, *, tenant: str, named: bool) -> None:
    """Raise ``WrongUse`` where options name somebody, and tokens do."""
    if tokens is None:
        return
    if named:
        raise WrongUse(
            "The tokens say who calls (CONFIRMO_OIDC_ISSUER is set): leave --actor and --role out."
        )
    if tokens.tenant_claim and tenant != "default":
        raise WrongUse(
            "The tokens say of which tenant a caller is: leave --tenant out, or set CONFIRMO_OIDC_TENANT_CLAIM empty."
        )

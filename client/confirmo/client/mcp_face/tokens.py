"""Verifying bearer tokens: signed by the issuer, for this face, in time, and naming a person and a tenant."""

import asyncio
import logging
import math
from collections.abc import Mapping
from typing import Any, Final

import jwt
from jwt.exceptions import PyJWTError

from confirmo.client.mcp_face.caller import VerifiedToken
from confirmo.client.mcp_face.keys import IssuerKeys
from confirmo.client.settings import TokenSettings
from confirmo.policies.models import MAX_ACTOR_ID

MAX_TOKEN: Final = 16 * 1024
"""Characters; what is longer is not read."""
_LAST_SECOND: Final = 253_402_300_799
"""The end of the year 9999."""
_logger = logging.getLogger("confirmo.mcp.tokens")


class UnusableToken(Exception):
    """The token does not prove who calls; the text says why, for the log, and quotes nothing of it."""


class JwtVerifier:
    """Verifies JWTs with the issuer's keys; the ``TokenVerifier`` of the MCP SDK.

    Args:
        settings: With an issuer and an audience.
        keys: Its keys.
        tenant: Of all callers, where ``settings`` names no claim for it.
    """

    def __init__(self, settings: TokenSettings, keys: IssuerKeys, tenant: str = "default") -> None:
        self._settings = settings
        self._keys = keys
        self._tenant = tenant
        self._algorithms = settings.algorithms.split()

    async def verify_token(self, token: str) -> VerifiedToken | None:
        """Return what a token says, null where it proves nothing. Raises ``KeysUnavailable``."""
        try:
            return await asyncio.to_thread(self.read, token)
        except UnusableToken as unusable:
            _logger.info("A token was refused: %s", unusable)
            return None

    def read(self, token: str) -> VerifiedToken:
        """Verify a token; blocks while keys are fetched.

        Raises:
            UnusableToken: It proves nothing.
            KeysUnavailable: Nobody can say.
        """
        claims = self._claims(token, self._key(token))
        subject = _name(claims.get(self._settings.subject_claim), self._settings.subject_claim)
        claim = self._settings.tenant_claim
        return VerifiedToken(
            token="",
            client_id=str(claims.get("client_id") or claims.get("azp") or subject),
            scopes=_words(claims.get("scope", claims.get("scp"))),
            expires_at=_until(claims["exp"], self._settings.leeway_seconds),
            subject=subject,
            claims={"iss": claims["iss"]},
            tenant=_name(_found(claims, claim), claim) if claim else self._tenant,
            roles=tuple(_words(_found(claims, self._settings.roles_claim))),
        )

    def _key(self, token: str) -> jwt.PyJWK:
        """Return the key that a token names; for an algorithm that cannot count, none is looked for."""
        if len(token) > MAX_TOKEN:
            raise UnusableToken("it is too long")
        try:
            header = jwt.get_unverified_header(token)
        except PyJWTError:
            raise UnusableToken("it is no JWT") from None
        if header.get("alg") not in self._algorithms:
            raise UnusableToken("its algorithm is not allowed")
        kid = header.get("kid")
        if not isinstance(kid, str) or not kid:
            raise UnusableToken("it names no key")
        key = self._keys.key(kid)
        if key is None:
            raise UnusableToken("the issuer has no such key")
        return key

    def _claims(self, token: str, key: jwt.PyJWK) -> dict[str, Any]:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=self._algorithms,
                audience=(self._settings.audience or "").split(),
                issuer=self._settings.issuer,
                leeway=self._settings.leeway_seconds,
                options={"require": ["exp", "iss", "aud"]},
            )
        except PyJWTError as error:
            raise UnusableToken(type(error).__name__) from None
        return claims


def _found(claims: Mapping[str, Any], name: str) -> Any:
    """Return a claim by its whole name, else by the way that its dots show: ``realm_access.roles``."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _name(value: Any, claim: str) -> str:
    """Return a claim that names somebody, byte for byte. Raises ``UnusableToken`` for anything but a plain text."""
    plain = isinstance(value, str) and value.strip() == value and value.isprintable()
    if not plain or not value or len(value) > MAX_ACTOR_ID:
        raise UnusableToken(f"its claim {claim} is missing, or no plain text")
    return str(value)


def _until(expires: Any, leeway: float) -> int:
    """Return when a token ends, at the latest. Raises ``UnusableToken`` for a time that no clock shows."""
    seconds = int(expires)
    if seconds > _LAST_SECOND:
        raise UnusableToken("its claim exp is no time")
    return math.ceil(seconds + leeway)


def _words(value: Any) -> list[str]:
    """Return texts of a list, or of one text with blanks between; anything else is none."""
    if isinstance(value, str):
        return value.split()
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []

"""The issuer's keys: fetched when they are needed, kept for a while, and never fetched as often as strangers ask."""

import time
from typing import Any, Final

import jwt
from jwt import PyJWKClient
from jwt.exceptions import PyJWTError

from confirmo.client.settings import TokenSettings, check_url

LIFESPAN: Final = 300.0
"""Seconds until keys are fetched again."""
COOLDOWN: Final = 10.0
"""Seconds until an unknown key id, or an issuer that did not answer, is asked about again."""
STALE: Final = 3600.0
"""Seconds for which known keys count while the issuer does not answer."""
_TIMEOUT: Final = 5.0
_CONFIGURATION: Final = "/.well-known/openid-configuration"


class KeysUnavailable(Exception):
    """The issuer's keys cannot be fetched, so nobody can say whether a token is good."""


class IssuerKeys(PyJWKClient):
    """Keys of one issuer. Its methods block: call them in a thread.

    Args:
        settings: With an issuer.
        cooldown: Seconds, see ``COOLDOWN``.
    """

    def __init__(self, settings: TokenSettings, cooldown: float = COOLDOWN) -> None:
        assert settings.issuer is not None
        super().__init__(
            settings.jwks_url or settings.issuer,
            lifespan=LIFESPAN,
            timeout=_TIMEOUT,
            cooldown_duration=cooldown,
        )
        self._issuer = settings.issuer
        self._known_address = settings.jwks_url is not None
        self._last: tuple[float, Any] | None = None
        self._failed: float | None = None

    def key(self, kid: str) -> jwt.PyJWK | None:
        """Return the key of an id, null where the issuer has none. Raises ``KeysUnavailable``."""
        try:
            return self.get_signing_key(kid)
        except PyJWTError:
            return None

    def fetch_data(self) -> Any:
        """Fetch the keys; those of before where the issuer does not answer, for a while.

        Raises:
            KeysUnavailable: It does not answer, or did not a moment ago, and none are known.
        """
        if self._failed is None or time.monotonic() - self._failed >= self.cooldown_duration:
            try:
                return self._fetched()
            except (PyJWTError, ValueError):
                self._failed = time.monotonic()
        if self._last is not None and time.monotonic() - self._last[0] < STALE:
            return self._last[1]
        raise KeysUnavailable

    def _fetched(self) -> Any:
        if not self._known_address:
            self.uri = self._discovered()
        found = super().fetch_data()
        self._last, self._failed = (time.monotonic(), found), None
        return found

    def _discovered(self) -> str:
        """Return where the issuer says that its keys are; fetched by the library's rules, redirects excluded."""
        configuration = self._issuer.rstrip("/") + _CONFIGURATION
        told = PyJWKClient(configuration, cache_jwk_set=False, timeout=_TIMEOUT).fetch_data()
        address = told.get("jwks_uri")
        if told.get("issuer") != self._issuer or not isinstance(address, str):
            raise ValueError("It is the configuration of another issuer, or names no keys.")
        check_url("the issuer's jwks_uri", address)
        return address

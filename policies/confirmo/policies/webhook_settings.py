"""What a webhook's address and secrets must look like. A message never quotes either: both may hold a secret."""

import base64
import binascii
import re
from ipaddress import ip_address
from urllib.parse import urlsplit

SECRET_PREFIX = "whsec_"
SECRET_BYTES = range(24, 65)
"""Decoded length, as Standard Webhooks asks for."""
_SEPARATORS = re.compile(r"[\s,]+")


class WebhookSettingError(ValueError):
    """An address or a secret that cannot be used; the message is one sentence for people."""


def check_url(url: str) -> None:
    """Raise ``WebhookSettingError`` where an address is not an absolute ``http`` or ``https`` one with a host."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise WebhookSettingError("It is not a web address; the port or the host cannot be read.") from None
    if parts.scheme not in ("http", "https"):
        raise WebhookSettingError("A webhook's address begins with https:// (or http:// on this machine).")
    if not host or not url.isprintable() or " " in url:
        raise WebhookSettingError("A webhook's address needs a host and no blank or control character.")


def leaves_in_clear(url: str) -> bool:
    """Whether questions would leave this machine unencrypted: ``http`` to a host that is not loopback."""
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname == "localhost":
        return False
    try:
        return not ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return True


def read_secrets(text: str) -> tuple[str, ...]:
    """Return the ``whsec_`` secrets of a text, separated by blanks, line ends or commas, in their order.

    Raises:
        WebhookSettingError: One of them is none; the message names its place and never its text.
    """
    secrets = tuple(part for part in _SEPARATORS.split(text) if part)
    for number, secret in enumerate(secrets, start=1):
        if not secret.startswith(SECRET_PREFIX):
            raise WebhookSettingError(f"Secret {number} does not begin with {SECRET_PREFIX}.")
        if _decoded_bytes(secret.removeprefix(SECRET_PREFIX)) not in SECRET_BYTES:
            raise WebhookSettingError(
                f"Secret {number} is not {SECRET_PREFIX} and base64 of {SECRET_BYTES[0]} to {SECRET_BYTES[-1]} bytes."
            )
    return secrets


def _decoded_bytes(text: str) -> int:
    try:
        return len(base64.b64decode(text + "=" * (-len(text) % 4), validate=True))
    except (binascii.Error, ValueError):
        return 0

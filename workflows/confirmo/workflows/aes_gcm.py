"""AES-256-GCM. Imported once there is a key: the library takes a tenth of a second to load."""

import os
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES: Final = 12


class Cipher:
    """One key.

    Args:
        key: 32 bytes.
    """

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, content: bytes, bound: bytes) -> bytes:
        """Return a fresh nonce and the ciphertext; the tag vouches for ``bound``, too."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, content, bound)

    def open(self, sealed: bytes, bound: bytes) -> bytes:
        """Return what was sealed. Raises ``ValueError`` where content, key or ``bound`` is not the same."""
        try:
            return self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound)
        except InvalidTag:
            raise ValueError("the tag does not fit") from None

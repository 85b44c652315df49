"""A payload codec: what Temporal and the payload store hold is AES-256-GCM, and only who has the key reads it.

The SDK encrypts before it stores, so a payload store sees ciphertext, too.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from google.protobuf.message import DecodeError
from temporalio.api.common.v1 import Payload
from temporalio.converter import DataConverter, PayloadCodec

from confirmo.policies.encryption_keys import EncryptionKeyError, read_keys
from confirmo.policies.errors import CallFailureKind
from confirmo.workflows.payload_drivers import INNER, PayloadProblem

if TYPE_CHECKING:
    from confirmo.workflows.aes_gcm import Cipher

ENCODING: Final = b"binary/confirmo-aes256-gcm"
KEY_ID: Final = "confirmo-key-id"
_KEYS_FILE_BYTES: Final = 64 * 1024


class PayloadSealed(PayloadProblem):
    """A payload is encrypted with a key that is not here, or was changed since it was encrypted."""

    def __init__(self, message: str) -> None:
        super().__init__(message, type=CallFailureKind.UNREACHABLE.value)


class EncryptionCodec(PayloadCodec):
    """Encrypts with the first key and decrypts with any; without keys it encrypts nothing.

    What is not encrypted passes: histories of before stay readable.

    Args:
        keys: 32 bytes each, by id.
    """

    def __init__(self, keys: Mapping[str, bytes] | None = None) -> None:
        self._ciphers = _ciphers(keys or {})
        self._first = next(iter(self._ciphers), None)

    @property
    def encrypts(self) -> bool:
        """Whether there is any key."""
        return self._first is not None

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Encrypt each payload; one that is encrypted already stays as it is."""
        return [self._seal(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Decrypt each payload that is encrypted.

        Raises:
            PayloadSealed: The key is not here, or the payload was changed.
        """
        return [self._open(payload) for payload in payloads]

    def _seal(self, payload: Payload) -> Payload:
        if self._first is None or is_sealed(payload):
            return payload
        sealed = Payload(metadata={"encoding": ENCODING, KEY_ID: self._first.encode()})
        if INNER in payload.metadata:
            sealed.metadata[INNER] = payload.metadata[INNER]
        sealed.data = self._ciphers[self._first].seal(payload.SerializeToString(), _bound(sealed))
        return sealed

    def _open(self, payload: Payload) -> Payload:
        if not is_sealed(payload):
            return payload
        id = payload.metadata[KEY_ID].decode("utf-8", "replace")
        cipher = self._ciphers.get(id)
        if cipher is None:
            raise PayloadSealed(
                f"A payload is encrypted with the key {id[:64]!r}, which is not here: set "
                "CONFIRMO_ENCRYPTION_KEYS_FILE to a file that holds it, as the workers have."
            )
        try:
            return Payload.FromString(cipher.open(payload.data, _bound(payload)))
        except (ValueError, DecodeError):
            raise PayloadSealed(
                f"A payload cannot be decrypted with the key {id!r}: it was changed since, or another key has that id."
            ) from None


def _ciphers(keys: Mapping[str, bytes]) -> dict[str, "Cipher"]:
    if not keys:
        return {}
    from confirmo.workflows.aes_gcm import Cipher

    return {id: Cipher(key) for id, key in keys.items()}


def is_sealed(payload: Payload) -> bool:
    """Whether a payload was encrypted here."""
    return payload.metadata.get("encoding") == ENCODING


def encrypts(converter: DataConverter) -> bool:
    """Whether payloads leave encrypted; somebody else's codec is taken for one that does."""
    codec = converter.payload_codec
    return codec is not None and (not isinstance(codec, EncryptionCodec) or codec.encrypts)


def codec_of(keys_file: Path | None) -> EncryptionCodec:
    """Return the codec with the keys of a file; null means that nothing is encrypted and nothing can be decrypted.

    Raises:
        EncryptionKeyError: The file cannot be used.
    """
    if keys_file is None:
        return EncryptionCodec()
    if keys_file == Path():
        raise EncryptionKeyError("It is empty: name a file, or unset it where nothing is to be encrypted.")
    try:
        with keys_file.open("rb") as file:
            text = file.read(_KEYS_FILE_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise EncryptionKeyError(f"It cannot be read ({reason}).") from None
    return EncryptionCodec(read_keys(text))


def _bound(payload: Payload) -> bytes:
    """Return what the tag vouches for beside the content: nobody relabels a payload."""
    parts = [payload.metadata.get(name, b"") for name in ("encoding", KEY_ID, INNER)]
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)

"""The last line: how many lines there are, the hash of the last one, and an Ed25519 signature over that."""

import re
from collections.abc import Collection
from typing import Any, Final, Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from confirmo.policies.evidence_file.chain import FORMAT, Broken, Line, sha256

SEAL: Final = "seal"
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$"
_DIGEST = r"^[0-9a-f]{64}$"
_EXPORTER = re.compile(r"[\x21-\x7e]+( [\x21-\x7e]+)*")


class Seal(BaseModel):
    """Body of the last line.

    Attributes:
        count: Lines before this one.
        head: Hash of the last of them.
        signed_at: When; also where nothing was signed.
        exporter: Program and version that wrote the file.
        key_id: Of the signing key, null where the file is not signed; so are the next two.
        public_key: Its 32 bytes in hex. It proves nothing by itself: whoever forges a file brings a key of their own.
        signature: 64 bytes in hex.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    algorithm: Literal["Ed25519", "none"]
    count: int = Field(ge=0)
    head: str = Field(pattern=_DIGEST)
    signed_at: str = Field(pattern=_TIME)
    exporter: str = Field(max_length=200)
    key_id: str | None = Field(default=None, pattern=_DIGEST)
    public_key: str | None = Field(default=None, pattern=_DIGEST)
    signature: str | None = Field(default=None, pattern=r"^[0-9a-f]{128}$")

    @property
    def signed(self) -> bool:
        """Whether there is a signature, good or not."""
        return self.algorithm == "Ed25519"


def key_id(key: Ed25519PublicKey) -> str:
    """Return a key's fingerprint: SHA-256 of its DER form (SubjectPublicKeyInfo), 64 hex digits."""
    return sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def message(seal: Seal) -> bytes:
    """Return what is signed: six lines of ASCII text."""
    parts = (FORMAT, str(seal.count), seal.head, seal.signed_at, seal.exporter, seal.key_id or "")
    return "".join(f"{part}\n" for part in parts).encode()


def make_seal(
    *, count: int, head: str, signed_at: str, exporter: str, key: Ed25519PrivateKey | None
) -> dict[str, Any]:
    """Return the body of the last line; without a key it says that nothing is signed."""
    about: dict[str, Any] = {"count": count, "head": head, "signed_at": signed_at, "exporter": exporter}
    if key is None:
        return Seal(algorithm="none", **about).model_dump()
    public = key.public_key()
    seal = Seal(
        algorithm="Ed25519",
        key_id=key_id(public),
        public_key=public.public_bytes(Encoding.Raw, PublicFormat.Raw).hex(),
        **about,
    )
    return seal.model_copy(update={"signature": key.sign(message(seal)).hex()}).model_dump()


def check_seal(line: Line, trusted: Collection[Ed25519PublicKey]) -> Seal:
    """Read the last line and check its signature.

    Args:
        line: The line.
        trusted: Keys one of which must have signed; empty where the caller trusts none, and then a signature is
            checked with the key that the file itself brings.

    Raises:
        Broken: It does not seal these lines, or was not signed by that key.
    """
    number = line.seq + 1
    try:
        seal = Seal.model_validate(line.body)
    except ValidationError:
        raise Broken(number, "the seal has another form than this format gives it") from None
    if line.body != seal.model_dump() or not _EXPORTER.fullmatch(seal.exporter):
        raise Broken(number, "the seal has another form than this format gives it")
    if (seal.count, seal.head, seal.signed_at) != (line.seq, line.prev, line.time):
        raise Broken(number, "the seal is of other lines than these")
    parts = (seal.key_id, seal.public_key, seal.signature)
    if not seal.signed:
        _check_unsigned(number, parts, trusted)
    elif None in parts:
        raise Broken(number, "the seal says that it is signed and has no signature")
    else:
        _check_signature(number, seal, trusted)
    return seal


def _check_unsigned(
    number: int, parts: tuple[str | None, ...], trusted: Collection[Ed25519PublicKey]
) -> None:
    if any(part is not None for part in parts):
        raise Broken(number, "the seal says that it is not signed and has a key or a signature")
    if trusted:
        raise Broken(number, "the file is not signed, and a key was named that should have signed it")


def _check_signature(number: int, seal: Seal, trusted: Collection[Ed25519PublicKey]) -> None:
    own = bytes.fromhex(seal.public_key or "")
    known = {key_id(key): key for key in trusted}
    if trusted and seal.key_id not in known:
        raise Broken(number, f"it was signed by another key ({(seal.key_id or '')[:16]}…) than the one named")
    try:
        embedded = Ed25519PublicKey.from_public_bytes(own)
        if key_id(embedded) != seal.key_id:
            raise Broken(number, "the seal's key_id is not that of its public_key")
        embedded.verify(bytes.fromhex(seal.signature or ""), message(seal))
    except (InvalidSignature, ValueError):
        raise Broken(number, "the signature is not that of these lines") from None

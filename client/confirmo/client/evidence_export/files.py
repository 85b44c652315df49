"""Evidence files and keys on disk: read line by line, written at once or not at all. Each mistake is one sentence."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from confirmo.client.inputs import WrongUse
from confirmo.policies.evidence_file.chain import MAX_LINE_BYTES

_END: Final = b"-----END PUBLIC KEY-----"
_MAX_KEY_BYTES: Final = 1_000_000


def read_private(path: Path) -> Ed25519PrivateKey:
    """Return the key of a PEM file. Raises ``WrongUse``."""
    try:
        key = load_pem_private_key(_small(path), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise WrongUse(
            f"{str(path)!r} holds no unencrypted Ed25519 private key in PEM: make one with confirmo evidence keys."
        )
    return key


def read_public(path: Path) -> tuple[Ed25519PublicKey, ...]:
    """Return every public key of a file of PEM blocks, at least one. Raises ``WrongUse``."""
    blocks = _small(path).split(_END)
    try:
        keys = [load_pem_public_key(block.lstrip() + _END + b"\n") for block in blocks[:-1]]
    except (ValueError, TypeError, UnsupportedAlgorithm):
        keys = []
    known = tuple(key for key in keys if isinstance(key, Ed25519PublicKey))
    if not known or len(known) != len(keys) or blocks[-1].strip():
        raise WrongUse(
            f"{str(path)!r} is no list of Ed25519 public keys in PEM: confirmo evidence keys prints one."
        )
    return known


def public_text(key: Ed25519PublicKey) -> str:
    """Return a public key as PEM."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def create_pair(path: Path) -> Ed25519PublicKey:
    """Make a key pair: the private key in ``path``, for its owner only, the public one in ``path`` + ``.pub``.

    Raises:
        WrongUse: One of the two is there already, or cannot be written.
    """
    public_path = path.with_name(path.name + ".pub")
    if public_path.exists():
        raise WrongUse(f"{str(public_path)!r} is there already: name another file, or move that one away.")
    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secret)
        public_path.write_text(public_text(key.public_key()), encoding="ascii")
    except FileExistsError:
        raise WrongUse(f"{str(path)!r} is there already: name another file, or move that one away.") from None
    except OSError as error:
        raise _unwritable(path, error) from None
    return key.public_key()


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield a file's lines, each with its end; of one that is too long only so much that this can be told.

    Raises:
        WrongUse: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            while line := file.readline(MAX_LINE_BYTES + 1):
                yield line
    except OSError as error:
        raise _unreadable(path, error) from None


def write_lines(path: Path, lines: Iterable[bytes]) -> int:
    """Write a file for its owner only, whole or not at all, and return how many lines it has.

    Raises:
        WrongUse: It cannot be written.
    """
    count = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
        try:
            with os.fdopen(handle, "wb") as file:
                for line in lines:
                    file.write(line)
                    count += 1
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from None
    return count


def _small(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_KEY_BYTES)
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> WrongUse:
    return WrongUse(f"{str(path)!r} cannot be read: {error.strerror or type(error).__name__}.")


def _unwritable(path: Path, error: OSError) -> WrongUse:
    return WrongUse(f"{str(path)!r} cannot be written: {error.strerror or type(error).__name__}.")

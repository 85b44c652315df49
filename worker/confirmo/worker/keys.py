"""Files of encryption keys: made with 0600 and never overwritten."""

import os
import secrets
from datetime import UTC, datetime
from pathlib import Path

from confirmo.policies.encryption_keys import KEY_BYTES, EncryptionKeyError, key_line, read_keys


def new_keys_file(path: Path) -> str:
    """Write a file with one new key, readable by its owner alone, and return the key's id.

    Raises:
        EncryptionKeyError: There is such a file, or it cannot be written.
    """
    id = _new_id()
    _write_new(path, key_line(id, secrets.token_bytes(KEY_BYTES)))
    return id


def add_key(path: Path) -> str:
    """Add a new key as the last one of a file, which decrypts and does not encrypt yet; return its id.

    The file is replaced as a whole, with the permissions that it had.

    Raises:
        EncryptionKeyError: The file cannot be used or written.
    """
    try:
        text, mode = path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777
        read_keys(text)
        id = _new_id()
        beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        _write_new(beside, f"{text.rstrip()}\n{key_line(id, secrets.token_bytes(KEY_BYTES))}")
        beside.chmod(mode)
        os.replace(beside, path)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise EncryptionKeyError(f"It cannot be read or written ({reason}).") from None
    return id


def _new_id() -> str:
    return f"k-{datetime.now(UTC):%Y-%m-%d}-{secrets.token_hex(2)}"


def _write_new(path: Path, text: str) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise EncryptionKeyError(
            "It is there already, and what it encrypted could not be read without it: choose another name, or add a "
            "key with confirmo keys add."
        ) from None
    except OSError as error:
        raise EncryptionKeyError(f"It cannot be written ({error.strerror}).") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())

"""Reading what was typed: ``--arg K=V``, JSON, ``@FILE``, lists. Every mistake is a sentence that names its place."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from confirmo.policies.json_text import JsonError, parse_strict


class WrongUse(Exception):
    """The command line cannot be understood; its text says what to type instead."""


def read_json(option: str, text: str) -> Any:
    """Return the value of JSON text, or of a file named as ``@FILE``.

    Raises:
        WrongUse: It is not strict JSON, or the file cannot be read; names the option, and line and column.
    """
    source = option
    if text.startswith("@"):
        source, text = f"{option} {text}", _file(option, text[1:])
    try:
        return parse_strict(text)
    except JsonError as error:
        raise WrongUse(f"{source} is not JSON: {_where(text) or error}.") from None


def read_object(option: str, text: str | None) -> dict[str, Any]:
    """Return a JSON object, empty for null. Raises ``WrongUse``."""
    if text is None:
        return {}
    value = read_json(option, text)
    if not isinstance(value, dict):
        raise WrongUse(f'{option} takes a JSON object, such as {{"name": "value"}}.')
    return value


def read_arguments(pairs: Sequence[str], text: str | None) -> dict[str, Any]:
    """Return the arguments of ``--arg`` and ``--arguments`` together. Raises ``WrongUse`` where one comes twice."""
    arguments = read_object("--arguments", text)
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise WrongUse("--arg takes NAME=VALUE, such as --arg order_id=PED-1001.")
        if name in arguments:
            raise WrongUse(f"The argument {name!r} comes twice: give a list as --arguments JSON.")
        arguments[name] = value
    return arguments


def read_list(option: str, text: str | None) -> tuple[str, ...] | None:
    """Return the entries of ``A,B`` or of a JSON list of texts, null for null. Raises ``WrongUse``."""
    if text is None:
        return None
    if text.lstrip().startswith("["):
        entries = read_json(option, text)
        if not all(isinstance(entry, str) for entry in entries):
            raise WrongUse(f'{option} takes a list of texts, such as ["A", "B"].')
    else:
        entries = [entry.strip() for entry in text.split(",")]
    entries = [entry for entry in entries if entry]
    if not entries:
        raise WrongUse(f"{option} names nothing: give at least one id.")
    return tuple(entries)


def read_entries(option: str, text: str | None) -> tuple[Any, ...]:
    """Return the entries of a JSON list; any other JSON value is one entry. Raises ``WrongUse``."""
    if text is None:
        return ()
    value = read_json(option, text)
    return tuple(value) if isinstance(value, list) else (value,)


def _file(option: str, name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise WrongUse(f"{option} cannot read {name!r}: {error.strerror or type(error).__name__}.") from None
    except ValueError:
        raise WrongUse(f"{option} cannot read {name!r}: it is not UTF-8 text.") from None


def _where(text: str) -> str | None:
    """Return where plain JSON breaks, null where only the strict rules do."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    except (ValueError, RecursionError):
        return None
    return None

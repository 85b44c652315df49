"""Where questions and ends are delivered: read from the settings, and what is wrong with those."""

import logging
import re
from collections.abc import Mapping
from pathlib import Path

import httpx2
from pydantic import ValidationError
from pydantic_settings import SettingsError

from confirmo.activities.webhook import Webhook
from confirmo.policies.catalog import Problem
from confirmo.policies.encryption_keys import EncryptionKeyError
from confirmo.policies.webhook_settings import WebhookSettingError, check_url, leaves_in_clear, read_secrets
from confirmo.worker.errors import ConfigurationError
from confirmo.worker.settings import Settings
from confirmo.workflows.encryption import codec_of

_logger = logging.getLogger("confirmo.worker")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SECRETS_FILE_BYTES = 64 * 1024
_URL, _HEADERS = "CONFIRMO_WEBHOOK_URL", "CONFIRMO_WEBHOOK_HEADERS"
_KEYS_FILE = "CONFIRMO_ENCRYPTION_KEYS_FILE"
_SECRETS, _SECRETS_FILE = "CONFIRMO_WEBHOOK_SECRETS", "CONFIRMO_WEBHOOK_SECRETS_FILE"

Findings = tuple[list[Problem], list[Problem]]
"""Errors, then warnings."""


def load_settings() -> Settings:
    """Return the settings of this process; warnings go to the log.

    Raises:
        ConfigurationError: With every problem; no message quotes a value.
    """
    settings, errors, warnings = _read()
    for warning in warnings:
        _logger.warning("%s: %s", warning.key, warning.message)
    if settings is None or errors:
        raise ConfigurationError(errors)
    return settings


def readable_settings() -> Settings:
    """Return the settings of this process without a look at what they name. Raises ``ConfigurationError``."""
    settings, errors, _ = _read()
    if settings is None:
        raise ConfigurationError(errors)
    return settings


def settings_problems() -> Findings:
    """Return what is wrong with the settings of this process, as ``confirmo check`` lists it."""
    _, errors, warnings = _read()
    return errors, warnings


def webhook_of(settings: Settings) -> Webhook | None:
    """Return the webhook of these settings, null where there is none. Raises ``ConfigurationError``."""
    errors, _ = _webhook_findings(settings)
    if errors:
        raise ConfigurationError(errors)
    if settings.webhook_url is None:
        return None
    secrets = tuple(
        dict.fromkeys(secret for text in _secret_texts(settings).values() for secret in read_secrets(text))
    )
    return Webhook(settings.webhook_url, settings.webhook_headers, secrets)


def _read() -> tuple[Settings | None, list[Problem], list[Problem]]:
    try:
        settings = Settings()
    except ValidationError as error:
        return None, [_problem(_variable(found["loc"]), found["msg"]) for found in error.errors()], []
    except SettingsError:
        return None, [_problem(_HEADERS, "It is not a JSON object.")], []
    return settings, *_findings(settings)


def _findings(settings: Settings) -> Findings:
    unusable = _keys_errors(settings.encryption_keys_file)
    errors, warnings = _webhook_findings(settings)
    return [*unusable, *errors], warnings


def _keys_errors(file: Path | None) -> list[Problem]:
    try:
        codec_of(file)
    except EncryptionKeyError as error:
        return [_problem(_KEYS_FILE, str(error))]
    return []


def _webhook_findings(settings: Settings) -> Findings:
    if settings.webhook_url is None:
        return [], []
    errors = [*_url_errors(settings.webhook_url), *_header_errors(settings.webhook_headers)]
    secrets = 0
    try:
        texts = _secret_texts(settings)
    except (OSError, UnicodeDecodeError):
        errors.append(_problem(_SECRETS_FILE, "The file cannot be read as text."))
        texts = {}
    for variable, text in texts.items():
        try:
            secrets += len(read_secrets(text))
        except WebhookSettingError as error:
            errors.append(_problem(variable, str(error)))
    return (errors, []) if errors else ([], _warnings(settings.webhook_url, secrets))


def _warnings(url: str, secrets: int) -> list[Problem]:
    warnings = []
    if not secrets:
        warnings.append(
            _problem(_SECRETS, "Deliveries are not signed: the receiver cannot tell them from forged ones.")
        )
    if leaves_in_clear(url):
        warnings.append(_problem(_URL, "Questions leave this machine unencrypted: use https://."))
    return warnings


def _url_errors(url: str) -> list[Problem]:
    try:
        check_url(url)
        httpx2.URL(url)
    except WebhookSettingError as error:
        return [_problem(_URL, str(error))]
    except httpx2.InvalidURL:
        return [_problem(_URL, "It is not a web address.")]
    return []


def _header_errors(headers: Mapping[str, str]) -> list[Problem]:
    usable = all(
        _HEADER_NAME.fullmatch(name) and value.isascii() and value.isprintable()
        for name, value in headers.items()
    )
    return [] if usable else [_problem(_HEADERS, "A name or a value cannot stand in an HTTP header.")]


def _secret_texts(settings: Settings) -> dict[str, str]:
    """Return the texts that hold secrets, by the variable that names them."""
    texts = {}
    if settings.webhook_secrets is not None:
        texts[_SECRETS] = settings.webhook_secrets.get_secret_value()
    if settings.webhook_secrets_file is not None:
        texts[_SECRETS_FILE] = _text_of(settings.webhook_secrets_file)
    return texts


def _text_of(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_SECRETS_FILE_BYTES).decode("utf-8-sig")


def _variable(location: tuple[int | str, ...]) -> str:
    return f"CONFIRMO_{location[0]}".upper() if location else "CONFIRMO_*"


def _problem(variable: str, message: str) -> Problem:
    return Problem(file="environment", line=None, key=variable, message=message)

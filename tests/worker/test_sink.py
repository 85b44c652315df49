"""The settings of the webhook: what is refused, what is warned of, and that no value is ever quoted."""

import base64
import json

import pytest

from confirmo.worker.errors import ConfigurationError
from confirmo.worker.settings import Settings
from confirmo.worker.sink import load_settings, settings_problems, webhook_of

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
OTHER = "whsec_" + base64.b64encode(b"fedcba9876543210fedcba9876543210").decode()
URL = "https://agent.example/hooks?token=geheim"


@pytest.fixture
def given(monkeypatch):
    def set_all(**values):
        for name, value in values.items():
            monkeypatch.setenv(f"CONFIRMO_{name.upper()}", value)
        errors, warnings = settings_problems()
        return [one.key for one in errors], [one.key for one in warnings], errors + warnings

    return set_all


def secret(size):
    return "whsec_" + base64.b64encode(b"x" * size).decode()


@pytest.mark.parametrize(
    "values",
    [
        {"webhook_url": "agent.example/hooks"},
        {"webhook_url": "ftp://agent.example/geheim"},
        {"webhook_url": "https://"},
        {"webhook_url": "https://agent.example:port/geheim"},
        {"webhook_url": "https://agent.example/ge heim"},
        {"webhook_url": "https://agent.example/geheim\n"},
        {"webhook_url": "https://[::1/geheim"},
        {"webhook_url": URL, "webhook_secrets": "geheim"},
        {"webhook_url": URL, "webhook_secrets": "whsec_geheim!"},
        {"webhook_url": URL, "webhook_secrets": secret(23)},
        {"webhook_url": URL, "webhook_secrets": secret(65)},
        {"webhook_url": URL, "webhook_secrets": f"{SECRET} whsk_geheim"},
        {"webhook_url": URL, "webhook_secrets_file": "/no/such/geheim"},
        {"webhook_url": URL, "webhook_headers": "geheim"},
        {"webhook_url": URL, "webhook_headers": '["geheim"]'},
        {"webhook_url": URL, "webhook_headers": '{"a b": "geheim"}'},
        {"webhook_url": URL, "webhook_headers": '{"a": "geheim\\nb: c"}'},
        {"webhook_url": URL, "webhook_completions": "geheim"},
    ],
)
def test_what_cannot_be_used_is_an_error_that_quotes_nothing(given, values):
    errors, _, problems = given(**values)
    assert errors == [f"CONFIRMO_{list(values)[-1].upper()}"]
    assert "geheim" not in repr(problems)
    with pytest.raises(ConfigurationError) as raised:
        load_settings()
    assert "geheim" not in repr(raised.value.problems) + str(raised.value)


@pytest.mark.parametrize(
    ("url", "clear"),
    [
        ("https://agent.example/", False),
        ("http://localhost:8300/", False),
        ("http://127.0.0.1:8300/", False),
        ("http://[::1]:8300/", False),
        ("http://agent.example/", True),
        ("http://10.0.0.7/", True),
        ("http://localhost.agent.example/", True),
    ],
)
def test_what_leaves_this_machine_in_clear_is_warned_of(given, url, clear):
    assert given(webhook_url=url, webhook_secrets=SECRET)[:2] == (
        [],
        ["CONFIRMO_WEBHOOK_URL"] if clear else [],
    )


def test_a_webhook_without_a_secret_is_warned_of_and_works(given, monkeypatch):
    assert given(webhook_url=URL)[:2] == ([], ["CONFIRMO_WEBHOOK_SECRETS"])
    assert webhook_of(load_settings()).secrets == ()
    monkeypatch.delenv("CONFIRMO_WEBHOOK_URL")
    assert settings_problems() == ([], [])
    assert webhook_of(load_settings()) is None


def test_secrets_come_from_the_environment_and_a_file_in_their_order(given, tmp_path):
    path = tmp_path / "secrets"
    path.write_text(f"\ufeff{OTHER}\n{SECRET}\n", encoding="utf-8")
    errors, warnings, _ = given(webhook_url=URL, webhook_secrets=SECRET, webhook_secrets_file=str(path))
    assert (errors, warnings) == ([], [])
    settings = load_settings()
    webhook = webhook_of(settings)
    assert webhook.secrets == (SECRET, OTHER)
    shown = repr(settings) + repr(webhook) + str(settings)
    for hidden in (SECRET, OTHER, "geheim"):
        assert hidden not in shown


def test_settings_of_code_are_judged_as_well():
    with pytest.raises(ConfigurationError):
        webhook_of(Settings(webhook_url="nowhere"))


async def test_check_and_the_worker_say_the_same(commands, tmp_path):
    from confirmo.examples import config_directory

    urls = {"CONTAS_URL": "http://127.0.0.1:1/mcp", "RETAIL_URL": "http://127.0.0.1:1/mcp"}
    bad = urls | {"CONFIRMO_WEBHOOK_URL": "agent.example/geheim", "CONFIRMO_WEBHOOK_SECRETS": "geheim"}
    check = ("check", "--offline", "--config", str(config_directory()))
    code, out, err = await commands.run(*check, "--json", **bad)
    report = json.loads(out)
    assert (code, report["ok"]) == (2, False)
    named = [(one["file"], one["line"], one["key"]) for one in report["errors"]]
    assert named == [
        ("environment", None, "CONFIRMO_WEBHOOK_URL"),
        ("environment", None, "CONFIRMO_WEBHOOK_SECRETS"),
    ]
    assert "geheim" not in out + err
    code, out, err = await commands.run("worker", "--config", str(config_directory()), **bad)
    assert code == 2
    assert "environment: CONFIRMO_WEBHOOK_URL: " in err
    assert "Traceback" not in err
    assert "geheim" not in out + err
    good = urls | {"CONFIRMO_WEBHOOK_URL": "http://agent.example/geheim"}
    code, out, _ = await commands.run(*check, "--json", **good)
    report = json.loads(out)
    assert code == 0
    found = [one["key"] for one in report["warnings"] if one["file"] == "environment"]
    assert found == ["CONFIRMO_WEBHOOK_SECRETS", "CONFIRMO_WEBHOOK_URL"]


async def test_a_file_of_keys_that_cannot_be_used_is_an_error_of_the_environment(monkeypatch, tmp_path):
    (tmp_path / "keys").write_text("k1: AAAA\n")
    monkeypatch.setenv("CONFIRMO_ENCRYPTION_KEYS_FILE", str(tmp_path / "keys"))
    errors, _ = settings_problems()
    assert [(one.file, one.key) for one in errors] == [("environment", "CONFIRMO_ENCRYPTION_KEYS_FILE")]
    assert "AAAA" not in errors[0].message

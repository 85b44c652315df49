"""The compose file and what it names, as far as they can be checked without a container engine."""

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from confirmo.client.settings import ClientSettings, TokenSettings
from confirmo.policies.catalog import load_catalog
from confirmo.worker.building import longest_attempt
from confirmo.worker.embedded import DYNAMIC_CONFIG, SQLITE_PRAGMAS
from confirmo.worker.settings import Settings
from harness.compose import BIN, SECRETS, VARIABLE

PAGE = "docs/compose.md"
NEVER_END = ("unless-stopped", "always")
WITHOUT_HEALTHCHECK = {"otel-collector"}
"""Its image holds one program, and nothing to ask it with."""


def test_the_file_follows_the_compose_specification(root: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run(
        [*command, "docker-compose.yml"], cwd=root, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_image_is_pinned_to_the_versions_that_the_tests_run(
    services: dict[str, Any], pyproject: dict[str, Any]
) -> None:
    tags = {name: service["image"].rpartition(":")[2].removeprefix("v") for name, service in services.items()}
    assert all(re.match(r"\d+\.\d+\.\d+|16\.\d+", tag) for tag in tags.values()), tags
    said = subprocess.run(
        [BIN / "temporal", "--version"], capture_output=True, text=True, timeout=30, check=True
    )
    embedded = dict(re.findall(r"(Server|UI) ([\d.]+)", said.stdout))
    assert tags["temporal"] == tags["temporal-schema"] == tags["temporal-namespace"] == embedded["Server"]
    assert tags["temporal-ui"] == embedded["UI"]
    assert tags["worker"] == tags["mcp"] == pyproject["project"]["version"]


def test_every_variable_is_documented_with_its_default(
    source: str, services: dict[str, Any], tables: Any
) -> None:
    defaults = {name: default for name, _, default in VARIABLE.findall(source)}
    assert all(defaults.values())
    passed_on = {
        name
        for service in services.values()
        for name, value in service.get("environment", {}).items()
        if value is None
    }
    documented = {row[0].strip("`"): row[1].strip("`") for row in tables(PAGE, "Variables")}
    assert documented == defaults | dict.fromkeys(passed_on, "not set")


def test_every_setting_that_is_passed_on_exists(services: dict[str, Any]) -> None:
    given = {name for service in services.values() for name in service.get("environment", {})}
    ours = {name.removeprefix("CONFIRMO_").lower() for name in given if name.startswith("CONFIRMO_")}
    tokens = {f"oidc_{name}" for name in TokenSettings.model_fields}
    assert ours <= Settings.model_fields.keys() | ClientSettings.model_fields.keys() | tokens


def test_every_container_can_do_as_little_as_possible(services: dict[str, Any]) -> None:
    for name, service in services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "cap_add" not in service, name
        assert not service.get("privileged"), name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert re.fullmatch(r"[1-9]\d*:\d+", service["user"]), name
        assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory", "pids"}, name
        assert service["logging"]["options"]["max-size"], name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name


def test_only_temporal_reaches_the_database(compose: dict[str, Any], services: dict[str, Any]) -> None:
    inside = {name for name, service in services.items() if "database" in service.get("networks", [])}
    assert inside == {"postgres", "temporal-schema", "temporal"}
    assert compose["networks"]["database"]["internal"] is True
    assert services["postgres"]["networks"] == services["temporal-schema"]["networks"] == ["database"]


def test_no_secret_is_a_variable_and_every_file_of_one_is_mounted(
    compose: dict[str, Any], services: dict[str, Any], pages: dict[str, str]
) -> None:
    chosen = set(re.findall(rf"{SECRETS}/\w+", pages[PAGE]))
    for name, service in services.items():
        mounted = {f"{SECRETS}/{secret}" for secret in service.get("secrets", [])}
        named = [str(value) for value in service.get("environment", {}).values()] + service.get("command", [])
        always = {value for value in named if value.startswith(SECRETS)}
        assert always <= mounted <= always | chosen, name
        for variable in service.get("environment", {}):
            secret = re.search("PASSWORD|PWD|SECRET|TOKEN|KEY", variable)
            assert not secret or variable.endswith("_FILE"), f"{name}: {variable}"
    used = {secret for service in services.values() for secret in service.get("secrets", [])}
    assert used == compose["secrets"].keys()


def test_the_script_makes_every_secret_once_for_its_owner_alone(
    compose: dict[str, Any], root: Path, tmp_path: Path
) -> None:
    def make() -> dict[str, bytes]:
        script = root / "deploy/secrets.sh"
        subprocess.run(["sh", script, tmp_path / "new"], check=True, capture_output=True, timeout=30)
        return {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}

    made = make()
    assert made.keys() == {Path(secret["file"]).name for secret in compose["secrets"].values()}
    assert all(len(secret) >= 32 for secret in made.values())
    assert len(set(made.values())) == len(made)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert make() == made


def test_secrets_stay_out_of_the_repository_and_the_image(root: Path) -> None:
    assert "deploy/secrets/" in (root / ".gitignore").read_text().splitlines()
    assert "deploy/secrets" in (root / ".dockerignore").read_text().splitlines()


def test_whatever_stays_up_says_whether_it_is_well(services: dict[str, Any]) -> None:
    stays = {name for name, service in services.items() if service["restart"] in NEVER_END}
    assert {name for name in stays if "healthcheck" not in services[name]} == WITHOUT_HEALTHCHECK


def test_a_stop_waits_for_the_longest_call_of_the_catalogue(services: dict[str, Any], root: Path) -> None:
    urls = {"CONTAS_URL": "http://contas:8100/mcp", "RETAIL_URL": "http://retail:8200/mcp"}
    catalog = load_catalog(root / "examples/confirmo/examples/config", urls).catalog
    assert catalog is not None
    grace = int(services["worker"]["stop_grace_period"].removesuffix("s"))
    assert grace > longest_attempt(catalog).total_seconds()


def test_every_dependency_exists_and_can_come_true(services: dict[str, Any]) -> None:
    for name, service in services.items():
        for other, wait in service.get("depends_on", {}).items():
            if wait["condition"] == "service_healthy":
                assert "healthcheck" in services[other], f"{name} waits for {other}"
            else:
                assert wait["condition"] == "service_completed_successfully"
                assert services[other]["restart"].startswith("on-failure"), f"{other} has to end"


def test_every_mounted_file_exists_and_every_volume_is_declared(
    compose: dict[str, Any], services: dict[str, Any], root: Path
) -> None:
    for service in services.values():
        for volume in service.get("volumes", []):
            origin = volume.split(":")[0]
            if origin.startswith("."):
                assert (root / origin).exists(), origin
                assert volume.endswith(":ro"), volume
            else:
                assert origin in compose["volumes"]


def test_every_command_names_something_that_exists(services: dict[str, Any], root: Path, parse: Any) -> None:
    for name, service in services.items():
        entry = service.get("entrypoint", [])
        if entry[:1] == ["/bin/sh"]:
            script = root / "deploy" / "temporal" / Path(entry[1]).name
            subprocess.run(["sh", "-n", script], check=True, timeout=10)
        elif entry[:2] == ["python", "-m"]:
            assert find_spec(entry[2]), entry
        elif service["image"].startswith("confirmo:"):
            parse(service["command"])
        else:
            assert not entry, name


def test_every_command_of_the_page_is_one(
    services: dict[str, Any], pages: dict[str, str], parse: Any
) -> None:
    found = re.findall(r"docker compose run --rm (\w+) ([^`\n]+)", pages[PAGE])
    assert found
    for service, words in found:
        assert services[service]["image"].startswith("confirmo:")
        parse(words.split())


def test_the_server_is_tuned_like_the_embedded_one(root: Path) -> None:
    config = yaml.safe_load((root / "deploy/temporal/dynamicconfig.yaml").read_text())
    assert {key: [each["value"] for each in values] for key, values in config.items()} == {
        key: [json.loads(value)] for key, value in DYNAMIC_CONFIG.items()
    }


def test_every_setting_of_the_server_has_its_reason_in_the_docs(root: Path) -> None:
    text = (root / "docs/operations.md").read_text()
    section = text.partition("## The server's tuning")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line.startswith("| `")
    ]
    tuned = {key: str(json.loads(value)) for key, value in DYNAMIC_CONFIG.items()} | SQLITE_PRAGMAS
    written = {key.strip("`"): value.strip("`") for key, value, _ in rows}
    assert written == {key: value.lower() if value == "True" else value for key, value in tuned.items()}
    assert all(reason for _, _, reason in rows)

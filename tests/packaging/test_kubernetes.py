"""The Kustomize base and its example overlay: schemas, names that resolve, hardening, times that fit the catalogue."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from confirmo.policies.catalog import load_catalog
from confirmo.worker.building import longest_attempt
from harness.peer import ENVIRONMENTS

VERSIONS = ("1.30", "1.37")
"""The oldest that knows every field in use, and the newest whose schemas are published with the tool."""

EXAMPLES = {"CONTAS_URL": "http://contas/mcp", "RETAIL_URL": "http://retail/mcp"}
KNOWN = {
    "apiVersion",
    "kind",
    "namespace",
    "resources",
    "labels",
    "images",
    "replicas",
    "configMapGenerator",
    "patches",
}
"""What our two kustomization files may say; all of it is in the published reference of Kustomize."""


@pytest.fixture(scope="module")
def base(root: Path) -> Path:
    return root / "deploy/kubernetes/base"


@pytest.fixture(scope="module")
def overlay(root: Path) -> Path:
    return root / "deploy/kubernetes/overlays/example"


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


@pytest.fixture(scope="module")
def resources(base: Path) -> list[dict[str, Any]]:
    files = read(base / "kustomization.yaml")["resources"]
    return [document for name in files for document in yaml.safe_load_all((base / name).read_text())]


@pytest.fixture(scope="module")
def pods(resources: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Name of a deployment to its pod template."""
    return {
        each["metadata"]["name"]: each["spec"]["template"]
        for each in resources
        if each["kind"] == "Deployment"
    }


def generated(*folders: Path) -> dict[str, dict[str, str]]:
    """What the generators make: name to the literals that it ends up with, later folders over earlier ones."""
    made: dict[str, dict[str, str]] = {}
    for folder in folders:
        for generator in read(folder / "kustomization.yaml").get("configMapGenerator", []):
            literals = dict(text.split("=", 1) for text in generator.get("literals", []))
            files = {Path(name).name: (folder / name).read_text() for name in generator.get("files", [])}
            made[generator["name"]] = made.get(generator["name"], {}) | literals | files
    return made


def validate(*files: Path) -> None:
    program = ENVIRONMENTS / "kubernetes/bin/kubernetes-validate"
    if not program.exists():
        pytest.fail(f"The schemas of Kubernetes are not installed in {program.parents[1]}: run make peers.")
    for version in VERSIONS:
        done = subprocess.run(
            [program, "--strict", "-k", version, *files], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_resource_follows_the_published_schemas(base: Path, overlay: Path) -> None:
    named = [
        folder / name
        for folder in (base, overlay)
        for name in read(folder / "kustomization.yaml")["resources"]
    ]
    validate(*(file for file in named if file.is_file()))


def test_what_kustomize_makes_of_the_overlay_follows_them_too(overlay: Path, tmp_path: Path) -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("there is no kubectl on this machine")
    done = subprocess.run(
        ["kubectl", "kustomize", overlay], capture_output=True, text=True, timeout=60, check=True
    )
    rendered = tmp_path / "rendered.yaml"
    rendered.write_text(done.stdout)
    validate(rendered)
    kinds = {(each["kind"], each["metadata"]["name"]): each for each in yaml.safe_load_all(done.stdout)}
    (config,) = (each for (kind, name), each in kinds.items() if kind == "ConfigMap" and "-config-" in name)
    assert config["data"].keys() == {"tools.yaml", "tool_policies.yaml", "mcp_servers.yaml"}
    worker = kinds["Deployment", "confirmo-worker"]["spec"]
    (volume,) = (each for each in worker["template"]["spec"]["volumes"] if each["name"] == "config")
    assert volume["configMap"]["name"] == config["metadata"]["name"]
    assert worker["replicas"] == 3


def test_kustomize_files_name_only_what_exists(base: Path, overlay: Path) -> None:
    for folder in (base, overlay):
        file = read(folder / "kustomization.yaml")
        assert file.keys() <= KNOWN
        assert (file["apiVersion"], file["kind"]) == ("kustomize.config.k8s.io/v1beta1", "Kustomization")
        named = [*file["resources"], *(patch["path"] for patch in file.get("patches", []))]
        named += [name for made in file.get("configMapGenerator", []) for name in made.get("files", [])]
        assert [name for name in named if not (folder / name).exists()] == []


def test_what_the_overlay_changes_is_in_the_base(
    overlay: Path, base: Path, pods: dict[str, Any], resources: list[dict[str, Any]]
) -> None:
    file = read(overlay / "kustomization.yaml")
    images = {container["image"] for pod in pods.values() for container in pod["spec"]["containers"]}
    assert {image["name"] for image in file["images"]} == images
    assert {each["name"] for each in file["replicas"]} <= pods.keys()
    assert {made["name"] for made in file["configMapGenerator"]} <= generated(base).keys()
    there = {(each["kind"], each["metadata"]["name"]) for each in resources}
    for patch in file["patches"]:
        changed = read(overlay / patch["path"])
        assert (changed["kind"], changed["metadata"]["name"]) in there


def references(pod: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Kind and name of what a pod needs."""
    yield "ServiceAccount", pod["serviceAccountName"]
    for volume in pod["volumes"]:
        if "configMap" in volume:
            yield "ConfigMap", volume["configMap"]["name"]
        if "secret" in volume:
            yield "Secret", volume["secret"]["secretName"]
    for container in pod["containers"]:
        for origin in container["envFrom"]:
            yield next(
                (kind, origin[key]["name"])
                for key, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret"))
                if key in origin
            )


def test_every_name_that_a_pod_refers_to_is_made_or_told_in_the_page(
    pods: dict[str, Any], base: Path, resources: list[dict[str, Any]], pages: dict[str, str]
) -> None:
    made = {("ConfigMap", name) for name in generated(base)}
    made |= {(each["kind"], each["metadata"]["name"]) for each in resources}
    made |= {
        ("Secret", name)
        for name in re.findall(r"create secret generic ([\w-]+)", pages["docs/kubernetes.md"])
    }
    needed = {reference for pod in pods.values() for reference in references(pod["spec"])}
    assert needed <= made


def test_every_selector_and_port_finds_its_pods(
    pods: dict[str, Any], resources: list[dict[str, Any]]
) -> None:
    labels = {name: pod["metadata"]["labels"] for name, pod in pods.items()}
    ports = {
        name: {port["name"] for container in pod["spec"]["containers"] for port in container["ports"]}
        for name, pod in pods.items()
    }
    selecting = {"PodDisruptionBudget": "selector", "NetworkPolicy": "podSelector"}
    for kind, key in selecting.items():
        found = {each["metadata"]["name"]: each["spec"] for each in resources if each["kind"] == kind}
        assert {name: spec[key]["matchLabels"] for name, spec in found.items()} == labels
        for name, spec in found.items():
            inward = [port["port"] for rule in spec.get("ingress", []) for port in rule["ports"]]
            assert set(inward) <= ports[name]
    (service,) = (each["spec"] for each in resources if each["kind"] == "Service")
    assert service["selector"] == labels["confirmo-mcp"]
    assert {port["targetPort"] for port in service["ports"]} <= ports["confirmo-mcp"]
    for name, pod in pods.items():
        (container,) = pod["spec"]["containers"]
        probes = [container[f"{probe}Probe"]["httpGet"] for probe in ("startup", "liveness", "readiness")]
        assert [probe["path"] for probe in probes] == ["/healthz", "/healthz", "/readyz"]
        assert {probe["port"] for probe in probes} <= ports[name]


def test_every_command_parses_and_reads_what_is_mounted(pods: dict[str, Any], parse: Any) -> None:
    for pod in pods.values():
        (container,) = pod["spec"]["containers"]
        parse(container["args"])
        mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
        paths = re.findall(r"(?<![\w/])/[\w/]+", " ".join(container["args"]))
        assert all(any(path == each or path.startswith(f"{each}/") for each in mounted) for path in paths)
        assert {mount["name"] for mount in container["volumeMounts"]} == {
            volume["name"] for volume in pod["spec"]["volumes"]
        }


def test_every_pod_keeps_the_restricted_profile_and_has_no_token(pods: dict[str, Any], overlay: Path) -> None:
    for name, pod in pods.items():
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False, name
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["securityContext"]["runAsUser"] > 0, name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        (container,) = spec["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "privileged": False,
            "capabilities": {"drop": ["ALL"]},
        }, name
        assert container["resources"].keys() == {"requests", "limits"}, name
    labels = read(overlay / "namespace.yaml")["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


def test_the_user_is_the_one_of_the_image(pods: dict[str, Any], services: dict[str, Any]) -> None:
    for pod in pods.values():
        context = pod["spec"]["securityContext"]
        assert f"{context['runAsUser']}:{context['runAsGroup']}" == services["worker"]["user"]


def test_a_worker_is_given_longer_than_its_longest_attempt(
    pods: dict[str, Any], overlay: Path, root: Path
) -> None:
    patched = read(overlay / "worker-patch.yaml")["spec"]["template"]
    for template, folder in (
        (pods["confirmo-worker"], root / "examples/confirmo/examples/config"),
        (patched, overlay / "config"),
    ):
        loaded = load_catalog(folder, EXAMPLES | {"ORDERS_TOKEN": "x"})
        assert loaded.catalog is not None
        assert loaded.errors == loaded.warnings == ()
        grace = template["spec"]["terminationGracePeriodSeconds"]
        assert longest_attempt(loaded.catalog).total_seconds() + 5 <= grace


def test_workers_share_the_limits_by_as_many_as_there_are(
    base: Path, overlay: Path, resources: list[dict[str, Any]]
) -> None:
    (worker,) = (
        each["spec"]
        for each in resources
        if each["kind"] == "Deployment" and each["metadata"]["name"] == "confirmo-worker"
    )
    assert generated(base)["confirmo-settings"]["CONFIRMO_WORKERS"] == str(worker["replicas"])
    (count,) = (each["count"] for each in read(overlay / "kustomization.yaml")["replicas"])
    assert generated(base, overlay)["confirmo-settings"]["CONFIRMO_WORKERS"] == str(count)


def test_the_metrics_are_scraped_where_they_are_served(base: Path, pods: dict[str, Any]) -> None:
    port = generated(base)["confirmo-settings"]["CONFIRMO_METRICS_PORT"]
    worker = pods["confirmo-worker"]
    assert worker["metadata"]["annotations"]["prometheus.io/port"] == port
    (container,) = worker["spec"]["containers"]
    assert {"name": "metrics", "containerPort": int(port)} in container["ports"]


def test_no_secret_is_in_a_file_and_every_variable_of_the_example_comes_from_one(
    overlay: Path, base: Path, pages: dict[str, str]
) -> None:
    for settings in generated(base, overlay).values():
        for name, value in settings.items():
            assert not re.search("PASSWORD|SECRET|TOKEN|KEY", name) or value.startswith(
                "/run/secrets/confirmo/"
            )
    needed = set(re.findall(r"\$\{(\w+)\}", (overlay / "config/mcp_servers.yaml").read_text()))
    assert needed == set(re.findall(r"--from-literal=(\w+)=", pages["docs/kubernetes.md"]))

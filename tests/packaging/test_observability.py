"""The profile ``observability``: what its three services read fits together, as far as it can be seen without them."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

KINDS = ("receivers", "processors", "exporters")


@pytest.fixture(scope="module")
def deploy(root: Path) -> Path:
    return root / "deploy"


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def test_every_pipeline_of_the_collector_names_declared_components_and_uses_them_all(deploy: Path) -> None:
    collector = read(deploy / "otel/collector.yaml")
    pipelines = collector["service"]["pipelines"].values()
    assert collector["service"]["pipelines"].keys() == {"traces", "logs", "metrics"}
    for kind in KINDS:
        assert {name for pipeline in pipelines for name in pipeline[kind]} == collector[kind].keys()
    assert set(collector["service"].get("extensions", [])) == collector.get("extensions", {}).keys()
    assert all(pipeline["processors"][0] == "memory_limiter" for pipeline in pipelines)


def test_the_page_names_the_ports_that_the_collector_listens_on(deploy: Path, pages: dict[str, str]) -> None:
    protocols = read(deploy / "otel/collector.yaml")["receivers"]["otlp"]["protocols"]
    ports = {name: protocol["endpoint"].rpartition(":")[2] for name, protocol in protocols.items()}
    assert f"{ports['grpc']} (gRPC) and {ports['http']} (HTTP)" in pages["docs/compose.md"]
    assert f"http://otel-collector:{ports['http']}" in pages["docs/compose.md"]


def test_prometheus_reads_every_worker_where_it_serves_its_metrics(
    deploy: Path, services: dict[str, Any]
) -> None:
    (job,) = (
        job
        for job in read(deploy / "prometheus/prometheus.yml")["scrape_configs"]
        if job["job_name"] == "confirmo-worker"
    )
    (found,) = job["dns_sd_configs"]
    for name in found["names"]:
        assert str(found["port"]) == services[name]["environment"]["CONFIRMO_METRICS_PORT"]


def test_prometheus_and_grafana_mount_what_they_read(deploy: Path, services: dict[str, Any]) -> None:
    prometheus, grafana = services["prometheus"], services["grafana"]
    assert "./deploy/prometheus:/etc/confirmo:ro" in prometheus["volumes"]
    assert "--config.file=/etc/confirmo/prometheus.yml" in prometheus["command"]
    (provider,) = read(deploy / "grafana/provisioning/dashboards/confirmo.yaml")["providers"]
    folders = {str(Path(volume.split(":")[1]).parent) for volume in grafana["volumes"]}
    assert provider["options"]["path"] in folders
    (source,) = read(deploy / "grafana/provisioning/datasources/prometheus.yaml")["datasources"]
    assert source["url"] == "http://prometheus:9090"


def test_the_dashboard_asks_the_source_that_is_provisioned(deploy: Path) -> None:
    (source,) = read(deploy / "grafana/provisioning/datasources/prometheus.yaml")["datasources"]
    dashboard = json.loads((deploy / "grafana/dashboard.json").read_text())
    named = {
        panel["datasource"]["uid"]
        for panel in dashboard["panels"]
        if isinstance(panel.get("datasource"), dict) and not panel["datasource"]["uid"].startswith("$")
    }
    assert named <= {source["uid"]}


def test_every_rule_file_exists(deploy: Path) -> None:
    files = read(deploy / "prometheus/prometheus.yml")["rule_files"]
    assert files
    assert all((deploy / "prometheus" / name).is_file() for name in files)

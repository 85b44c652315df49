"""``confirmo check``: what the worker runs on the files at start, and a comparison with what the tool servers say."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from confirmo.activities.tools import ToolServers
from confirmo.activities.tools.compare import compare
from confirmo.policies.catalog import check_report, load_catalog
from confirmo.worker.sink import settings_problems


async def check(config: Path, environ: Mapping[str, str], *, offline: bool = False) -> dict[str, Any]:
    """Return the report of CONTRACT.md section 2, with the settings; what is found at the servers is a warning."""
    loaded = load_catalog(config, environ)
    report: dict[str, Any] = check_report(loaded) | {"servers": []}
    errors, warnings = settings_problems()
    report["errors"] = [*report["errors"], *(asdict(problem) for problem in errors)]
    report["warnings"] = [*report["warnings"], *(asdict(problem) for problem in warnings)]
    report["ok"] = report["ok"] and not errors
    if offline or loaded.catalog is None or loaded.errors:
        return report
    servers = ToolServers(loaded.catalog.servers)
    try:
        reports, found = await compare(loaded.catalog, servers)
    finally:
        await servers.aclose()
    report["servers"] = [asdict(server) for server in reports]
    report["warnings"] = [*report["warnings"], *(asdict(problem) for problem in found)]
    return report

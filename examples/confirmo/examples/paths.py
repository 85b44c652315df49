"""Where the example's configuration lies once it is installed."""

from pathlib import Path


def config_directory() -> Path:
    """Return the folder with the example's ``tools.yaml``, ``tool_policies.yaml`` and ``mcp_servers.yaml``.

    The files read ``CONTAS_URL`` and ``RETAIL_URL`` from the environment: the full addresses of the two
    servers, path ``/mcp`` included.
    """
    return Path(__file__).resolve().parent / "config"

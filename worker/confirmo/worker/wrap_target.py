"""What ``confirmo mcp --wrap`` names: a server, how it is reached, and the task queue of its calls."""

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from confirmo.policies.catalog import Problem, load_texts
from confirmo.policies.tool_spec import ServerSpec
from confirmo.worker.errors import ConfigurationError, ServerUnavailable

SERVER: Final = "wrapped"
_OURS: Final = ("TEMPORAL_", "CONFIRMO_")
_FILES: Final = {
    "tools.yaml": f"tools: {{any: {{mcp_server: {SERVER}, tool_type: read_only}}}}".encode(),
    "tool_policies.yaml": b"version: 1",
}


@dataclass(frozen=True)
class WrapTarget:
    """A server to wrap.

    Attributes:
        text: A URL (streamable HTTP) or a command line (stdio).
        headers: Sent with every request to a URL. ``${NAME}`` is read from the environment, here and in the URL.
        tenant: Whose calls these are: another tenant or requester has another queue, and so never this one's server.
        requester: The id of the actor, where there is one.
    """

    text: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    tenant: str = "default"
    requester: str | None = None

    @property
    def is_url(self) -> bool:
        """Whether it is reached over HTTP."""
        return self.text.startswith(("http://", "https://"))

    def server(self, environ: Mapping[str, str]) -> ServerSpec:
        """Return the server. A command gets ``environ`` without what is meant for Confirmo and Temporal.

        Raises:
            ServerUnavailable: The command cannot be read.
            ConfigurationError: The URL or a header cannot be used, or names a variable that is not set.
        """
        if self.is_url:
            return _over_http(self.text, self.headers, environ)
        try:
            command, *arguments = shlex.split(self.text)
        except ValueError:
            raise ServerUnavailable("The command to wrap is empty or not quoted correctly.") from None
        env = {name: value for name, value in environ.items() if not name.startswith(_OURS)}
        return ServerSpec(name=SERVER, transport="stdio", command=command, args=tuple(arguments), env=env)

    def queue(self) -> str:
        """Return the task queue: the same after a restart, so that open transactions go on.

        Of a header its text as it was given counts, not the secret that ``${NAME}`` stands for.
        """
        named = [self.tenant, self.requester, sorted(self.headers.items())]
        told = self.text if named == ["default", None, []] else json.dumps([self.text, *named])
        return f"confirmo-wrap-{hashlib.sha256(told.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"


def _over_http(url: str, headers: Mapping[str, str], environ: Mapping[str, str]) -> ServerSpec:
    """Read URL and headers by the rules of ``mcp_servers.yaml``."""
    written = json.dumps({"servers": {SERVER: {"endpoint": url, "headers": dict(headers)}}})
    loaded = load_texts(_FILES | {"mcp_servers.yaml": written.encode()}, environ)
    if loaded.catalog is None or loaded.errors:
        raise ConfigurationError([_of_option(problem) for problem in loaded.errors])
    return loaded.catalog.servers[SERVER]


def _of_option(problem: Problem) -> Problem:
    key = (problem.key or "").removeprefix(f"servers.{SERVER}").lstrip(".")
    return replace(problem, file="--wrap", line=None, key=key)

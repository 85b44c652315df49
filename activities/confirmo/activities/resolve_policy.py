"""Activity ``resolve_policy``: the worker's catalogue, frozen into history."""

from collections.abc import Mapping
from dataclasses import dataclass

from temporalio import activity

from confirmo.policies import names
from confirmo.policies.shares import paced_items, share_of
from confirmo.policies.texts import CONVERSATION_KEYS, language_code
from confirmo.policies.tool_spec import (
    Catalog,
    ResolvedPolicy,
    ResolvePolicyRequest,
    ServerSpec,
    TextOverrides,
    ToolSpec,
)


@dataclass(frozen=True)
class ResolvePolicy:
    """Answers what the files say about a tool, so that editing them never changes a waiting transaction.

    Attributes:
        catalog: The worker's catalogue.
        task_queue: The transactions'.
        workers: How many workers share a server's limits.
        search_attributes: Whether the namespace has Confirmo's search attributes.
        item_activities: Up to this many items one activity each; above, slices.
        slice_items: Items in one slice.
        max_items: More than this are refused as ``too_large``.
        payload_bytes: What one payload may hold where there is a payload store; null where there is none.
        heartbeat_seconds: A worker that says nothing for this long is taken for dead.
        webhook: Whether the worker has a webhook.
        completions: Whether the webhook is told how a transaction ended.
    """

    catalog: Catalog
    task_queue: str = names.TASK_QUEUE
    workers: int = 1
    search_attributes: bool = False
    item_activities: int = 20
    slice_items: int = 200
    max_items: int = 10_000
    payload_bytes: int | None = None
    heartbeat_seconds: float = 10.0
    webhook: bool = False
    completions: bool = False

    @activity.defn(name=names.RESOLVE_POLICY)
    async def resolve_policy(self, request: ResolvePolicyRequest) -> ResolvedPolicy:
        """Return the tool with its validator, status tool and auxiliary tools; ``tool`` is null where unknown."""
        tool = self.catalog.tools.get(request.tool_name)
        related = self._related(tool) if tool else {}
        server = self.catalog.servers.get(tool.mcp_server if tool else "", ServerSpec(name=""))
        item_activities, slice_items = paced_items(
            share_of(server, self.workers), self.item_activities, self.slice_items
        )
        return ResolvedPolicy(
            tool=tool,
            related=related,
            search_attributes=self.search_attributes,
            item_activities=item_activities,
            slice_items=slice_items,
            max_items=self.max_items,
            heartbeat_seconds=self.heartbeat_seconds,
            sets=2,
            sizes=2,
            people=2,
            payload_bytes=self.payload_bytes,
            webhook=self.webhook,
            completions=self.completions,
            waits_for_deliveries=True,
            texts=self._texts(request.locale),
            task_queues=self._task_queues(tool, related),
        )

    def _task_queues(self, tool: ToolSpec | None, related: Mapping[str, ToolSpec]) -> dict[str, str]:
        servers = {spec.mcp_server for spec in (tool, *related.values()) if spec is not None}
        return {
            name: names.server_queue(self.task_queue, name)
            for name in sorted(servers)
            if (server := self.catalog.servers.get(name)) is not None and server.limited
        }

    def _texts(self, locale: str | None) -> TextOverrides:
        """Return what the workflow says in a locale; what only a conversation says stays out of history."""
        own = self.catalog.texts.get(language_code(locale)) if locale is not None else None
        if own is None:
            return TextOverrides()
        said = {key: text for key, text in own.texts.items() if not key.startswith(CONVERSATION_KEYS)}
        return own.model_copy(update={"texts": said})

    def _related(self, tool: ToolSpec) -> dict[str, ToolSpec]:
        tools = self.catalog.tools
        wanted = [tool.pre_validation.tool, tool.execution.status_tool, *(step.tool for step in tool.after)]
        if tool.compensate is not None:
            wanted.append(tool.compensate.tool)
            if (undo := tools.get(tool.compensate.tool)) is not None:
                wanted.append(undo.execution.status_tool)
        return {name: tools[name] for name in wanted if name is not None and name in tools}

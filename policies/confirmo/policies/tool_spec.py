"""What the three configuration files say about one tool, resolved: the frozen form that enters history."""

from typing import Any, Final, Literal

from pydantic import Field

from confirmo.policies.models import Effect, OperationType, Wire

ArgumentType = Literal["string", "integer", "number", "boolean", "array", "object", "any"]
"""``any`` is for tools whose server alone judges its arguments, and no word of the files."""


class ArgumentSpec(Wire):
    """One declared argument.

    Attributes:
        type: The canonical type word (aliases such as ``str`` or ``list`` are resolved by the loader).
        has_default: Whether ``default`` counts; a null default means none.
        items: JSON Schema of an array's entries, ``type`` in canonical words, or null.
        enum: Allowed values after coercion, or null.
        min_length: And the other bounds: JSON Schema's ``minLength``, …, or null for unbounded.
    """

    name: str
    type: ArgumentType = "string"
    label: str | None = None
    description: str | None = None
    user_prompt: str | None = None
    items: dict[str, Any] | None = None
    enum: tuple[Any, ...] | None = None
    pattern: str | None = None
    default: Any = None
    has_default: bool = False
    minimum: float | int | None = None
    maximum: float | int | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None


class PreValidationPolicy(Wire):
    """``pre_validation`` of a policy; ``tool`` is set whenever ``enabled`` is."""

    enabled: bool = False
    tool: str | None = None
    fail_open: bool = False
    timeout_seconds: float = 10.0


Channel = Literal["any", "elicitation", "out_of_band"]
CHANNELS: Final[tuple[Channel, ...]] = ("any", "elicitation", "out_of_band")
"""From the laxest to the strictest."""


class ConfirmationPolicy(Wire):
    """``confirmation`` of a policy. ``by`` is ``any``, ``requester``, ``other`` or ``role:<name>``."""

    expires_seconds: float = 900.0
    revalidate_after_seconds: float | None = None
    by: str = "any"
    approvals: int = 1
    items: Literal["all", "any"] = "all"
    channel: Channel = "any"


def strictest_channel(*policies: ConfirmationPolicy) -> Channel:
    """Return the channel of a tool that was re-targeted: the stricter of what was asked for and what will run."""
    return max((policy.channel for policy in policies), key=CHANNELS.index)


class ExecutionPolicy(Wire):
    """``execution`` of a policy. ``call`` null means inferred (CONTRACT.md section 5)."""

    call: Literal["per_item", "whole"] | None = None
    item_argument: str | None = None
    item_field: str | None = None
    item_key: str | None = None
    max_concurrency: int = 8
    timeout_seconds: float = 30.0
    max_attempts: int = 3
    effect: Effect = Effect.UNSAFE
    status_tool: str | None = None
    evidence: Literal["results", "envelope"] = "results"
    mode: str = "direct_tool"


class AuxiliaryStep(Wire):
    """One step of ``after``."""

    tool: str
    arguments: dict[str, Any] = {}
    when: Literal["any_success", "all_success", "always"] = "any_success"


class Compensation(Wire):
    """``compensate`` of a policy: how a succeeded item is undone, and when."""

    tool: str
    arguments: dict[str, Any] = {}
    when: Literal["partial", "cancelled", "on_request"] = "on_request"


class ToolSpec(Wire):
    """One tool with its resolved policy.

    Attributes:
        arguments: Declared arguments in file order.
        requires: Names of required arguments, catalogue's first, then the policy's; all are declared.
        version: First 16 hex digits of SHA-256 over the canonical JSON of all other fields.
    """

    name: str
    description: str = ""
    mcp_server: str = ""
    enabled: bool = True
    operation_type: OperationType = OperationType.TRANSACTIONAL
    require_confirmation: bool = True
    arguments: tuple[ArgumentSpec, ...] = ()
    requires: tuple[str, ...] = ()
    pre_validation: PreValidationPolicy = PreValidationPolicy()
    confirmation: ConfirmationPolicy = ConfirmationPolicy()
    execution: ExecutionPolicy = ExecutionPolicy()
    after: tuple[AuxiliaryStep, ...] = ()
    compensate: Compensation | None = None
    version: str = ""

    def for_calls(self) -> "ToolSpec":
        """Return what a worker needs to call it, which travels with each of its calls: without what people read."""
        return ToolSpec(
            name=self.name,
            mcp_server=self.mcp_server,
            operation_type=self.operation_type,
            arguments=tuple(
                ArgumentSpec(name=own.name, type=own.type, items=own.items) for own in self.arguments
            ),
            requires=self.requires,
            execution=self.execution,
            version=self.version,
        )

    def argument(self, name: str) -> ArgumentSpec | None:
        """Return the declared argument of that name, or null."""
        return next((spec for spec in self.arguments if spec.name == name), None)


class ServerSpec(Wire):
    """One tool server. Never part of a wire message: it may hold secrets."""

    name: str
    transport: Literal["streamable_http", "stdio", "sse", "http"] = "streamable_http"
    enabled: bool = True
    description: str = ""
    endpoint: str | None = Field(default=None, repr=False)
    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default={}, repr=False)
    headers: dict[str, str] = Field(default={}, repr=False)
    timeout_seconds: float = 30.0
    max_concurrency: int | None = None
    max_calls_per_second: float | None = None

    @property
    def limited(self) -> bool:
        """Whether it declares a limit, which holds across workers by a task queue of its own."""
        return self.max_concurrency is not None or self.max_calls_per_second is not None


class TextOverrides(Wire):
    """A deployment's own texts in one locale; what is not here is the built-in text.

    Attributes:
        texts: Key of the catalogue to the sentence, with the same placeholders.
        operation_nouns: ``(beginning of a tool name, its noun with article)``; they come before the built-in ones.
    """

    texts: dict[str, str] = {}
    operation_nouns: tuple[tuple[str, str], ...] = ()


class Catalog(Wire):
    """The configuration files, resolved. Frozen; one per worker. ``texts`` is by locale."""

    tools: dict[str, ToolSpec] = {}
    texts: dict[str, TextOverrides] = {}
    servers: dict[str, ServerSpec] = Field(default={}, repr=False)


class ResolvePolicyRequest(Wire):
    """Argument of ``resolve_policy``. With a ``locale`` the deployment's texts in it come with the answer."""

    tool_name: str
    locale: str | None = None


class ResolvedPolicy(Wire):
    """Answer of ``resolve_policy``: all that a transaction needs to know of the files, frozen into history.

    Attributes:
        tool: The tool, or null where it is unknown.
        related: Validator, status tool and auxiliary tools by name.
        search_attributes: Whether the namespace has Confirmo's search attributes.
        item_activities: Up to this many items one activity each; above, slices.
        slice_items: Items in the first slice.
        heartbeat_seconds: A worker that says nothing for this long is taken for dead.
        sets: How large sets are sliced and travel. 1: slices of one size, as transactions begun before 0.2 do; 2:
            slices measured in seconds and bytes, which may end early, with keys left to the reader.
        payload_bytes: What one payload may hold where there is a payload store; null where there is none.
        sizes: How what travels is measured. 1: characters of each item with all its fields, where an older worker
            froze it; 2: bytes as they travel.
        slice_seconds: A slice begins no new call after this long.
        webhook: Whether questions go to a webhook, which is tried for as long as a question is open.
        completions: Whether it is also told how a transaction ended.
        waits_for_deliveries: Whether a run ends after its deliveries, without a marker that says so.
        texts: The deployment's own texts in the locale that was asked for.
        people: How people are told apart. 1: by their ids alone, as in transactions begun before 0.2; 2: a blank id
            names nobody, and ids that are spelled alike are not two people.
        task_queues: Task queue of each server that has one of its own; the others' calls go to the transaction's.
    """

    tool: ToolSpec | None = None
    related: dict[str, ToolSpec] = {}
    search_attributes: bool = False
    item_activities: int = 20
    slice_items: int = 50
    max_items: int = 5_000
    heartbeat_seconds: float = 10.0
    sets: int = 1
    payload_bytes: int | None = None
    sizes: int = 1
    slice_seconds: float = 3.0
    webhook: bool = False
    completions: bool = False
    waits_for_deliveries: bool = False
    texts: TextOverrides = TextOverrides()
    people: int = 1
    task_queues: dict[str, str] = {}

    def queue_of(self, tool: ToolSpec) -> str | None:
        """Return the task queue of the tool's server; null means the transaction's own."""
        return self.task_queues.get(tool.mcp_server)

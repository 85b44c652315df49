"""``confirmo check`` beside real servers: everything found is a warning."""

import pytest

from confirmo.activities.tools import compare
from confirmo.policies.models import Effect, OperationType
from confirmo.policies.tool_spec import (
    ArgumentSpec,
    Catalog,
    ExecutionPolicy,
    PreValidationPolicy,
    ServerSpec,
    ToolSpec,
)


def catalogued(name="t", arguments=(), requires=(), **fields):
    declared = tuple(ArgumentSpec(name=argument) for argument in arguments)
    return ToolSpec(name=name, mcp_server="s", arguments=declared, requires=requires, **fields)


@pytest.fixture
def check(raw, connect):
    async def run(*tools, spec=None, listed=(), **page):
        raw.on["tools/list"] = lambda wire: wire.result({"tools": list(listed), **page})
        spec = spec or ServerSpec(name="s", endpoint=raw.endpoint, timeout_seconds=2)
        catalog = Catalog(tools={tool.name: tool for tool in tools}, servers={spec.name: spec})
        return await compare(catalog, connect(spec).servers)

    return run


def schema(properties=(), required=(), **extra):
    return {
        "type": "object",
        "properties": {name: {} for name in properties},
        "required": list(required),
        **extra,
    }


async def test_servers_that_agree_give_no_warning(check, helpers):
    listed = helpers.tool("t")
    listed["inputSchema"] = schema(["a", "idempotency_key"], ["a", "idempotency_key"])
    reports, findings = await check(catalogued(arguments=["a"], requires=("a",)), listed=[listed])
    assert findings == []
    assert [(report.name, report.reachable, report.error) for report in reports] == [("s", True, None)]


async def test_a_server_that_does_not_answer_is_a_warning(check, unused_tcp_port):
    spec = ServerSpec(name="s", endpoint=f"http://127.0.0.1:{unused_tcp_port}/mcp")
    (report,), (finding,) = await check(catalogued(), spec=spec)
    assert report.reachable is False
    assert "refused" in report.error
    assert (finding.file, finding.line, finding.key) == ("mcp_servers.yaml", None, "servers.s")
    assert finding.message == report.error


async def test_a_disabled_server_is_not_asked(check, raw):
    spec = ServerSpec(name="s", endpoint=raw.endpoint, enabled=False)
    assert await check(catalogued(), spec=spec) == ([], [])
    assert raw.seen == []


async def test_a_tool_that_the_server_lacks_is_a_warning(check, helpers):
    _, (finding,) = await check(catalogued(), listed=[helpers.tool("other")])
    assert (finding.file, finding.key) == ("tools.yaml", "tools.t")


async def test_a_disabled_tool_is_not_compared(check, helpers):
    assert (await check(catalogued(enabled=False), listed=[helpers.tool("other")]))[1] == []


@pytest.mark.parametrize(
    ("input_schema", "known"),
    [
        (schema(["b"]), False),
        (schema(["b"], additionalProperties=False), False),
        (schema(["b"], additionalProperties=True), True),
        (schema(["b"], additionalProperties={"type": "string"}), True),
        (schema(["b"], patternProperties={"^a": {}}), True),
        (schema(["a"]), True),
        ({"type": "object"}, True),
        ({"$ref": "#/x"}, True),
    ],
)
async def test_an_argument_that_the_servers_schema_does_not_know(check, input_schema, known):
    listed = {"name": "t", "inputSchema": input_schema}
    _, findings = await check(catalogued(arguments=["a"]), listed=[listed])
    assert [finding.key for finding in findings] == ([] if known else ["tools.t.args_schema.a"])


async def test_a_required_argument_that_the_catalogue_lacks_or_leaves_optional(check):
    listed = {"name": "t", "inputSchema": schema(["a", "b", "c"], ["a", "b", "c"])}
    _, (first, second) = await check(catalogued(arguments=["a", "b"], requires=("a",)), listed=[listed])
    assert "'b' of 't', which is optional here" in first.message
    assert "'c' of 't', which is not declared here" in second.message


async def test_what_validators_and_status_tools_are_sent_by_us_counts_as_sent(check):
    tool = catalogued(
        pre_validation=PreValidationPolicy(enabled=True, tool="v"), execution=ExecutionPolicy(status_tool="q")
    )
    listed = [
        {"name": "t", "inputSchema": schema()},
        {"name": "v", "inputSchema": schema(["target_tool"], ["target_tool"])},
        {"name": "q", "inputSchema": schema(["item_id"], ["item_id", "idempotency_key"])},
    ]
    assert (await check(tool, catalogued("v"), catalogued("q"), listed=listed))[1] == []


@pytest.mark.parametrize(
    ("annotations", "operation_type", "effect", "key"),
    [
        ({"readOnlyHint": True}, OperationType.TRANSACTIONAL, Effect.UNSAFE, "operation_type"),
        ({"readOnlyHint": False}, OperationType.READ_ONLY, Effect.UNSAFE, "operation_type"),
        ({"destructiveHint": True}, OperationType.READ_ONLY, Effect.UNSAFE, "operation_type"),
        ({"readOnlyHint": True, "destructiveHint": True}, OperationType.READ_ONLY, Effect.UNSAFE, None),
        ({"idempotentHint": True}, OperationType.TRANSACTIONAL, Effect.UNSAFE, "execution.effect"),
        ({"idempotentHint": False}, OperationType.TRANSACTIONAL, Effect.IDEMPOTENT, "execution.effect"),
        ({"idempotentHint": False}, OperationType.TRANSACTIONAL, Effect.UNSAFE, None),
        ({"idempotentHint": True}, OperationType.TRANSACTIONAL, Effect.KEYED, None),
        ({}, OperationType.READ_ONLY, Effect.UNSAFE, None),
    ],
)
async def test_hints_that_contradict_the_policy_are_shown(
    check, helpers, annotations, operation_type, effect, key
):
    tool = catalogued(operation_type=operation_type, execution=ExecutionPolicy(effect=effect))
    _, findings = await check(tool, listed=[helpers.tool("t", annotations=annotations)])
    assert [finding.key for finding in findings] == ([f"tool_policies.t.{key}"] if key else [])


async def test_op_09_a_list_that_never_ends_is_a_warning_and_its_beginning_is_compared(check, helpers):
    reports, findings = await check(
        catalogued(), catalogued("u"), listed=[helpers.tool("t")], nextCursor="the same"
    )
    assert reports[0].reachable
    assert ["never ends" in finding.message for finding in findings] == [True, False]
    assert findings[1].key == "tools.u"


async def test_a_server_over_the_rest_contract_is_only_checked_for_an_answer(check, raw):
    raw.on["OPTIONS"] = lambda wire: wire.reply(405)
    spec = ServerSpec(name="s", transport="http", endpoint=raw.endpoint)
    (report,), findings = await check(catalogued(), spec=spec)
    assert (report.reachable, findings) == (True, [])


@pytest.mark.parametrize(
    ("said", "declared", "expected"),
    [
        ({"type": "string"}, "array", "string"),
        ({"type": "array", "items": {"type": "string"}}, "string", "array"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "string", "integer"),
        ({"type": ["boolean", "null"]}, "number", "boolean"),
    ],
)
async def test_a_type_that_the_server_does_not_take_is_a_warning(check, helpers, said, declared, expected):
    listed = helpers.tool("t")
    listed["inputSchema"] = {"type": "object", "properties": {"a": said}}
    tool = catalogued().model_copy(update={"arguments": (ArgumentSpec(name="a", type=declared),)})
    _, (finding,) = await check(tool, listed=[listed])
    assert finding.key == "tools.t.args_schema.a.type"
    assert finding.message == f"The server takes this argument of 't' as {expected}; here it is {declared}."


@pytest.mark.parametrize(
    ("said", "declared"),
    [
        ({}, "array"),
        ({"type": "number"}, "integer"),
        ({"type": "integer"}, "number"),
        ({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/x"}]}, "object"),
        ({"type": ["string", "array"]}, "array"),
        ({"type": 7}, "array"),
        ({"anyOf": 7, "type": "array"}, "array"),
        (True, "array"),
    ],
)
async def test_a_type_that_may_fit_is_none(check, helpers, said, declared):
    listed = helpers.tool("t")
    listed["inputSchema"] = {"type": "object", "properties": {"a": said}}
    tool = catalogued().model_copy(update={"arguments": (ArgumentSpec(name="a", type=declared),)})
    _, findings = await check(tool, listed=[listed])
    assert findings == []

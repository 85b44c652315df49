"""What the frameworks' own gates let happen, as the recipes' first sentences say, and what becomes of it here."""

import uuid
from typing import Any

import pytest

from confirmo.client import Conversation
from confirmo.examples.ledger import Ledger
from recipes import keyword_models

ONE = "quero cancelar o pedido PED-1001"


@pytest.fixture
def thread() -> str:
    """Transactions take their ids from the thread's: one for each test."""
    return uuid.uuid4().hex


@pytest.fixture
def config(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


async def checkpoint_with_question(graph: Any, config: Any) -> Any:
    async for snapshot in graph.aget_state_history(config):
        if snapshot.interrupts:
            return snapshot.config
    raise AssertionError("no question was asked")


async def test_langgraph_alone_runs_a_node_again_and_acts_once_per_resumed_checkpoint(config: Any) -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import START, StateGraph
    from langgraph.types import Command, interrupt

    begun, acted = [], []

    def cancel(state: dict[str, Any]) -> None:
        begun.append(1)
        if interrupt("cancel?"):
            acted.append(1)

    graph = StateGraph(dict).add_node(cancel).add_edge(START, "cancel").compile(checkpointer=InMemorySaver())
    await graph.ainvoke({"order": 1}, config)
    asked = await checkpoint_with_question(graph, config)
    await graph.ainvoke(Command(resume="perhaps"), config)
    await graph.ainvoke(Command(resume="perhaps"), asked)
    assert (len(begun), len(acted)) == (3, 2)


async def test_a_checkpoint_of_the_langgraph_recipe_resumed_twice_acts_once(
    talk: Conversation, ledger: Ledger, thread: str, config: Any
) -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    from recipes import langgraph_node

    graph = langgraph_node.build(keyword_models.for_langgraph(), talk, InMemorySaver())
    await langgraph_node.say(graph, thread, ONE)
    asked = await checkpoint_with_question(graph, config)
    first = await graph.ainvoke(Command(resume="sim"), config)
    again = await graph.ainvoke(Command(resume="sim"), asked)
    late = await graph.ainvoke(Command(resume="não"), asked)
    assert "CANCEL-2026-001" in first["text"]
    assert again["text"] == first["text"]
    assert "CANCEL-2026-001" in late["text"]
    assert len(ledger.effects()) == 1


async def test_the_langgraph_recipe_leaves_a_history_that_a_model_can_read(
    talk: Conversation, thread: str
) -> None:
    from langchain_core.runnables import RunnableLambda
    from langgraph.checkpoint.memory import InMemorySaver

    from recipes import langgraph_node

    seen: list[Any] = []
    pick = keyword_models.for_langgraph()
    model = RunnableLambda(lambda messages: seen.append(list(messages)) or pick.invoke(messages))
    graph = langgraph_node.build(model, talk, InMemorySaver())
    for message in (ONE, "sim", "obrigado"):
        await langgraph_node.say(graph, thread, message)
    kinds = [(type(each).__name__, getattr(each, "tool_call_id", None)) for each in seen[-1]]
    call = seen[-1][1].tool_calls[0]["id"]
    assert kinds == [
        ("HumanMessage", None),
        ("AIMessage", None),
        ("ToolMessage", call),
        ("HumanMessage", None),
        ("AIMessage", None),
        ("HumanMessage", None),
    ]


async def test_another_subject_goes_to_the_agent_and_the_question_stays(
    talk: Conversation, ledger: Ledger, thread: str
) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    from recipes import langgraph_node

    graph = langgraph_node.build(keyword_models.for_langgraph(), talk, InMemorySaver())
    question = await langgraph_node.say(graph, thread, ONE)
    both = await langgraph_node.say(graph, thread, "qual é o horário da loja?")
    assert keyword_models.HELLO in both
    assert question.splitlines()[-1] in both
    assert ledger.effects() == []
    assert "CANCEL-2026-001" in await langgraph_node.say(graph, thread, "sim")


async def test_two_calls_of_one_message_are_asked_about_one_at_a_time(
    talk: Conversation, config: Any
) -> None:
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.runnables import RunnableLambda
    from langgraph.checkpoint.memory import InMemorySaver

    from recipes import langgraph_node

    def model(messages: Any) -> AIMessage:
        calls: Any = [
            {"name": "cancelar_pedido", "args": {"order_id": order}, "id": order, "type": "tool_call"}
            for order in ("PED-1001", "P-10001")
        ]
        return AIMessage("", tool_calls=calls)

    graph = langgraph_node.build(RunnableLambda(model), talk, InMemorySaver())
    out = await graph.ainvoke({"messages": [HumanMessage(ONE)]}, config)
    answered = {each.tool_call_id: each.text for each in out["messages"] if each.type == "tool"}
    assert answered.keys() == {"PED-1001", "P-10001"}
    assert answered["P-10001"] == "Not started: one at a time."


async def test_the_agents_sdk_alone_acts_once_per_resumed_state() -> None:
    from agents import Agent as OpenAIAgent
    from agents import Runner, RunState, function_tool, set_tracing_disabled
    from agents.testing import ScriptedModel, assistant_message, function_call

    set_tracing_disabled(True)
    acted = []

    @function_tool(needs_approval=True)
    def cancel(order_id: str) -> str:
        acted.append(order_id)
        return "done"

    script = [[function_call("cancel", {"order_id": "1"}, call_id="c")], *[[assistant_message("ok")]] * 2]
    agent = OpenAIAgent(name="shop", model=ScriptedModel(script), tools=[cancel])
    result = await Runner.run(agent, "cancel 1")
    state = result.to_state()
    state.approve(result.interruptions[0])
    stored = state.to_json()
    for _ in range(2):
        await Runner.run(agent, await RunState.from_json(agent, stored))
    assert acted == ["1", "1"]


async def test_an_approval_given_around_confirmo_executes_nothing(
    talk: Conversation, ledger: Ledger, thread: str
) -> None:
    from agents import Agent as OpenAIAgent
    from agents import Runner, set_tracing_disabled

    from recipes.openai_agents_tool import transactional

    set_tracing_disabled(True)
    tools: list[Any] = [transactional(talk, *tool) for tool in keyword_models.TOOLS]
    agent: Any = OpenAIAgent(name="loja", model=keyword_models.for_openai_agents(), tools=tools)
    result = await Runner.run(agent, [{"role": "user", "content": ONE}], context={"thread": thread})
    state = result.to_state()
    state.approve(result.interruptions[0])
    told = await Runner.run(agent, state)
    assert "PED-1001" in str(told.final_output)
    assert ledger.calls(tool="cancelar_pedido") == []


async def test_pydantic_ai_alone_acts_on_other_arguments_after_the_yes_and_twice() -> None:
    from pydantic_ai import Agent, ApprovalRequired, DeferredToolRequests, DeferredToolResults, RunContext
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.tools import ToolApproved

    acted = []
    agent = Agent(TestModel(), output_type=[str, DeferredToolRequests])

    @agent.tool
    def cancel(ctx: RunContext[None], order_id: str) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        acted.append(order_id)
        return "done"

    asked = await agent.run("cancel 1")
    assert isinstance(asked.output, DeferredToolRequests)
    call = asked.output.approvals[0].tool_call_id
    given = DeferredToolResults(approvals={call: ToolApproved(override_args={"order_id": "another"})})
    for _ in range(2):
        await agent.run(message_history=asked.all_messages(), deferred_tool_results=given)
    assert acted == ["another", "another"]

"""Models that call more than one tool, in one message or one after the other."""

import uuid
from typing import Any

import pytest

from confirmo.client import Conversation
from confirmo.examples.ledger import Ledger
from recipes import keyword_models


def call(order_id: str) -> Any:
    from agents.testing import function_call

    return function_call("cancelar_pedido", {"order_id": order_id}, call_id=f"call-{uuid.uuid4().hex}")


def openai_agent(talk: Conversation, *steps: Any) -> Any:
    from agents import Agent as OpenAIAgent
    from agents import set_tracing_disabled
    from agents.testing import ScriptedModel

    from recipes import openai_agents_tool

    set_tracing_disabled(True)
    tools: list[Any] = [openai_agents_tool.transactional(talk, *tool) for tool in keyword_models.TOOLS]
    return OpenAIAgent(name="loja", model=ScriptedModel(steps), tools=tools)


@pytest.mark.parametrize("together", [True, False], ids=["in one message", "one after the other"])
async def test_the_agents_sdk_asks_about_each_call(
    talk: Conversation, ledger: Ledger, together: bool
) -> None:
    from agents.testing import assistant_message

    from recipes import openai_agents_tool

    calls = [call("PED-1001"), call("P-10001")]
    steps = [calls] if together else [[each] for each in calls]
    agent = openai_agent(talk, *steps, [assistant_message("pronto")])
    stored: str | None = None
    thread, told = uuid.uuid4().hex, []
    for message in ("cancela os dois", "sim", "não"):
        text, stored = await openai_agents_tool.say(talk, agent, thread, stored, message)
        told.append(text)
    assert "PED-1001" in told[0]
    assert "CANCEL-2026-001" in told[1]
    assert "P-10001" in told[1]
    assert told[2] == "pronto"
    assert [row.item for row in ledger.effects()] == ["PED-1001"]


async def test_pydantic_ai_asks_about_each_call(talk: Conversation, ledger: Ledger) -> None:
    from pydantic_ai import Agent, DeferredToolRequests, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    from recipes import pydantic_ai_tool

    def model(messages: Any, info: Any) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart("pronto")])
        return ModelResponse(
            [ToolCallPart("cancelar_pedido", {"order_id": order}) for order in ("PED-1001", "P-10001")]
        )

    agent: Any = Agent(
        FunctionModel(model),
        deps_type=pydantic_ai_tool.Chat,
        output_type=[str, DeferredToolRequests],
        tools=[pydantic_ai_tool.transactional(talk, *tool) for tool in keyword_models.TOOLS],
    )
    chat, told = pydantic_ai_tool.Chat(thread=uuid.uuid4().hex), []
    for message in ("cancela os dois", "não", "sim"):
        told.append(await pydantic_ai_tool.say(talk, agent, chat, message))
        chat = pydantic_ai_tool.Chat.model_validate_json(chat.model_dump_json())
    assert "PED-1001" in told[0]
    assert "P-10001" in told[1]
    assert told[2] == "pronto"
    assert [row.item for row in ledger.effects()] == ["P-10001"]

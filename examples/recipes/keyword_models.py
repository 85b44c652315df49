"""The keyword picker of the chat backend as a model of each framework: what runs the recipes without a key."""

import json
import uuid
from typing import TYPE_CHECKING, Any

from recipes.fastapi_chat import HELLO, pick

if TYPE_CHECKING:
    from agents.testing import ModelCall, ScriptedModel
    from pydantic_ai import ModelMessage, ModelResponse
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from recipes.langgraph_node import Model

_ORDER = {"type": "object", "properties": {"order_id": {"type": "string"}}}
_ORDERS = {"type": "object", "properties": {"order_ids": {"type": "array", "items": {"type": "string"}}}}
TOOLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("cancelar_pedido", "Cancela um pedido.", _ORDER),
    ("cancelar_pedidos", "Cancela um ou mais pedidos.", _ORDERS),
)


def for_langgraph() -> "Model":
    """Return a chat model with the tools bound."""
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import RunnableLambda

    def respond(messages: Any) -> AIMessage:
        call = pick(messages[-1].text)
        if call is None:
            return AIMessage(HELLO)
        picked: Any = {"name": call.tool_name, "args": call.arguments, "id": _id(), "type": "tool_call"}
        return AIMessage("", tool_calls=[picked])

    return RunnableLambda(respond)


def for_openai_agents(steps: int = 1000) -> "ScriptedModel":
    """Return a model of the Agents SDK that repeats what a tool returned."""
    from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

    def respond(call: "ModelCall") -> list[Any]:
        last = call.input[-1]
        picked = pick(last["content"]) if last.get("role") == "user" else None
        if picked is None:
            return [assistant_message(str(last.get("output") or HELLO))]
        return [function_call(picked.tool_name, json.dumps(picked.arguments), call_id=_id())]

    return ScriptedModel([ModelStep.respond(respond)] * steps)


def for_pydantic_ai() -> "FunctionModel":
    """Return a model of pydantic-ai that repeats what a tool returned."""
    from pydantic_ai import ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
    from pydantic_ai.models.function import FunctionModel

    def respond(messages: "list[ModelMessage]", info: "AgentInfo") -> "ModelResponse":
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart):
            return ModelResponse([TextPart(str(last.content))])
        picked = pick(str(last.content)) if isinstance(last, UserPromptPart) else None
        if picked is None:
            return ModelResponse([TextPart(HELLO)])
        return ModelResponse([ToolCallPart(picked.tool_name, picked.arguments, _id())])

    return FunctionModel(respond)


def _id() -> str:
    return f"call-{uuid.uuid4().hex}"

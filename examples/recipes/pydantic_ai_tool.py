"""pydantic-ai: a deferred tool whose result comes from Confirmo.

``ApprovalRequired`` takes any ``True``, lets ``override_args`` change the call after the yes, and runs the function
again for results that are handed over twice; a call that Confirmo defers has no function to run: the yes goes to the
question that was shown, and the deferred result is the evidence.
"""

from typing import Any

from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessage,
    RunContext,
    Tool,
)

from confirmo.client import Conversation, Session, ToolCall


class Chat(BaseModel):
    """What to store of a conversation, as JSON; the deps of every run."""

    thread: str
    history: list[ModelMessage] = []
    requests: DeferredToolRequests | None = None
    answers: dict[str, str] = {}


def transactional(talk: Conversation, name: str, description: str, schema: dict[str, Any]) -> Tool[Chat]:
    """Return a tool of the catalogue as a tool of an agent with ``output_type=[str, DeferredToolRequests]``."""

    async def call(ctx: RunContext[Chat], **arguments: Any) -> str:
        session = Session(session_id=f"{ctx.deps.thread}:{ctx.tool_call_id}")
        turn = await talk.turn(session, "", ToolCall(tool_name=name, arguments=arguments))
        if session.transaction_id is None:
            return turn.text  # refused before anybody was asked, or over already
        kept = {"session": session.model_dump(mode="json"), "text": turn.text}
        raise CallDeferred(metadata=kept, kind="question")

    return Tool.from_schema(call, name, description, schema, takes_ctx=True)


async def say(talk: Conversation, agent: Agent[Chat, Any], chat: Chat, message: str) -> str:
    """Take one message of the person and return what to tell them; ``chat`` changes in place: store it."""
    if chat.requests is None:
        return await _run(agent, chat, message)
    open_call, *others = [each for each in chat.requests.calls if each.tool_call_id not in chat.answers]
    kept = chat.requests.metadata[open_call.tool_call_id]
    session = Session.model_validate(kept["session"])
    turn = await talk.turn(session, message)
    kept |= {"session": session.model_dump(mode="json"), "text": turn.text}
    if session.transaction_id is not None:  # asked again, amended, or still running
        return turn.text
    chat.answers[open_call.tool_call_id] = turn.text
    if others:
        return f"{turn.text}\n{chat.requests.metadata[others[0].tool_call_id]['text']}"
    return await _run(agent, chat, None)


async def _run(agent: Agent[Chat, Any], chat: Chat, message: str | None) -> str:
    results = DeferredToolResults(calls=dict(chat.answers)) if message is None else None
    run = await agent.run(message, message_history=chat.history, deferred_tool_results=results, deps=chat)
    chat.history, chat.requests, chat.answers = run.all_messages(), None, {}
    if not isinstance(run.output, DeferredToolRequests):
        return str(run.output)
    chat.requests = run.output
    return str(run.output.metadata[run.output.calls[0].tool_call_id]["text"])

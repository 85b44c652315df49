"""OpenAI Agents SDK: ``needs_approval`` asks Confirmo, and the person's answer goes through it.

The SDK's approval is a flag in a run state that you keep: it does not say what was shown, and the same approved state
resumed twice, or again after a crash, calls the tool twice; Confirmo binds the yes to the question's digest and carries
it out once, however often the run is resumed.
"""

import json
from typing import Any

from agents import Agent, FunctionTool, Runner, RunState
from agents.run_context import RunContextWrapper
from agents.tool_context import ToolContext

from confirmo.client import Conversation, Session, ToolCall
from confirmo.policies.models import Status

Context = dict[str, Any]
"""``thread`` and, by call id, ``session`` and ``text`` of a question: what survives beside the run state."""


def transactional(talk: Conversation, name: str, description: str, schema: dict[str, Any]) -> FunctionTool:
    """Return a tool of the catalogue as a tool of the SDK. The call's id makes the transaction's."""

    async def present(context: Context, call_id: str, arguments: dict[str, Any]) -> tuple[Session, str]:
        session = Session(session_id=f"{context['thread']}:{call_id}")
        turn = await talk.turn(session, "", ToolCall(tool_name=name, arguments=arguments))
        return session, turn.text

    async def asks(run: RunContextWrapper[Context], arguments: dict[str, Any], call_id: str) -> bool:
        session, text = await present(run.context, call_id, arguments)
        run.context[call_id] = {"session": session.model_dump(mode="json"), "text": text}
        return session.transaction_id is not None

    async def outcome(run: ToolContext[Context], arguments: str) -> str:
        """Never acts: it finds the transaction of this call, and says how it ended."""
        return (await present(run.context, run.tool_call_id, json.loads(arguments)))[1]

    return FunctionTool(name, description, schema, outcome, strict_json_schema=False, needs_approval=asks)


async def say(
    talk: Conversation, agent: Agent[Context], thread: str, stored: str | None, message: str
) -> tuple[str, str]:
    """Take one message of the person, and what the last call stored.

    Returns:
        What to tell the person, and what to store.
    """
    kept = json.loads(stored) if stored else {"context": {"thread": thread}, "history": [], "run": None}
    context: Context = kept["context"]
    given: Any = [*kept["history"], {"role": "user", "content": message}]
    told = ""
    if kept["run"] is not None:
        given = await RunState.from_json(agent, kept["run"], context_override=context)
        item = given.get_interruptions()[0]
        question = context[str(item.call_id)]
        session = Session.model_validate(question["session"])
        turn = await talk.turn(session, message)
        question["session"], told = session.model_dump(mode="json"), turn.text
        if session.transaction_id is not None:  # asked again, amended, or still running
            return told, json.dumps(kept)
        if turn.state is not None and turn.state.status in (Status.COMPLETED, Status.FAILED):
            given.approve(item)
        else:
            given.reject(item, rejection_message=told)
    result = await Runner.run(agent, given, context=context if kept["run"] is None else None)
    if not result.interruptions:
        kept |= {"history": result.to_input_list(), "run": None}
        return str(result.final_output), json.dumps(kept)
    kept |= {"history": [], "run": result.to_state().to_json()}
    question = context[str(result.interruptions[0].call_id)]
    return f"{told}\n{question['text']}".strip(), json.dumps(kept)

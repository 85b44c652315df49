"""LangGraph: one node that acts, one that only interrupts.

``interrupt`` runs its node from the first line on every resume, takes any value for a yes, and runs the tool again when
a checkpoint is resumed twice; with Confirmo a node that runs again finds the same transaction, only a plain yes to the
question that was shown confirms, and nothing is executed twice.
"""

from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, interrupt

from confirmo.client import Conversation, Session, ToolCall, Wants


class State(MessagesState, total=False):
    """``session`` is all that Confirmo needs between two messages."""

    session: dict[str, Any]
    text: str


Model = Runnable[LanguageModelInput, AIMessage]
Graph = CompiledStateGraph[State, None, State, State]


def build(model: Model, talk: Conversation, saver: BaseCheckpointSaver[str]) -> Graph:
    """Return the graph; ``model`` has the tools bound, ``saver`` keeps the checkpoints."""

    def is_open(state: State) -> bool:
        return bool(state.get("session", {}).get("transaction_id"))

    async def agent(state: State) -> Command[str]:
        reply = await model.ainvoke(state["messages"])
        text = f"{reply.text}\n{state['text'] if is_open(state) else ''}".strip()
        goto = "transact" if reply.tool_calls else "ask" if is_open(state) else END
        return Command(update={"messages": [reply], "text": text}, goto=goto)

    async def transact(state: State, config: RunnableConfig) -> Command[str]:
        """The only node with effects. It may run again: the session of the checkpoint makes the same ids."""
        kept = state.get("session") or {"session_id": config["configurable"]["thread_id"]}
        session, last = Session.model_validate(kept), state["messages"][-1]
        calls = last.tool_calls if isinstance(last, AIMessage) else []
        call = ToolCall(tool_name=calls[0]["name"], arguments=calls[0]["args"]) if calls else None
        message = next(each.text for each in reversed(state["messages"]) if isinstance(each, HumanMessage))
        turn = await talk.turn(session, message, call)
        told: list[AnyMessage] = [ToolMessage(turn.text, tool_call_id=each["id"]) for each in calls[:1]]
        told += [ToolMessage("Not started: one at a time.", tool_call_id=each["id"]) for each in calls[1:]]
        if not calls and turn.wants is not Wants.AGENT:
            told = [AIMessage(turn.text)]
        goto = {Wants.ANSWER: "ask", Wants.VALUE: "ask", Wants.AGENT: "ask" if calls else "agent"}
        update = {"session": session.model_dump(mode="json"), "messages": told, "text": turn.text}
        return Command(update=update, goto=goto.get(turn.wants, END))

    def ask(state: State) -> dict[str, Any]:
        """Nothing but the interrupt: LangGraph runs this node twice."""
        return {"messages": [HumanMessage(interrupt(state["text"]))]}

    graph = StateGraph(State).add_node(agent, destinations=("transact", "ask", END))
    graph.add_node(transact, destinations=("ask", "agent", END)).add_node(ask).add_edge("ask", "transact")
    graph.add_conditional_edges(START, lambda state: "transact" if is_open(state) else "agent")
    return graph.compile(checkpointer=saver)


async def say(graph: Graph, thread: str, message: str) -> str:
    """Take one message of the person and return what to tell them: a question, a result, or the agent's words."""
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    now = await graph.aget_state(config)
    given: Any = Command(resume=message) if now.interrupts else {"messages": [HumanMessage(message)]}
    if now.next and not now.interrupts:
        given = None  # it crashed within a node: that one runs again, and what it finds is told first
    return str((await graph.ainvoke(given, config, durability="sync"))["text"])

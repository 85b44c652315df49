"""Talk to a recipe in the terminal: ``python -m recipes langgraph --store chat.db`` beside ``confirmo dev``.

A keyword picker stands for the model, so that no key is needed. Everything is stored after each message: end it
between a question and the answer, start it again with the same store, and go on.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from confirmo.client import Conversation, TransactionClient
from confirmo.worker.settings import Settings
from recipes import keyword_models

Say = Callable[[str], Awaitable[str]]


@asynccontextmanager
async def langgraph(talk: Conversation, store: Path) -> AsyncIterator[Say]:
    """Open the LangGraph recipe; its checkpoints are the store."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    from recipes import langgraph_node

    async with AsyncSqliteSaver.from_conn_string(str(store)) as saver:
        graph = langgraph_node.build(keyword_models.for_langgraph(), talk, saver)
        yield lambda message: langgraph_node.say(graph, store.name, message)


@asynccontextmanager
async def openai_agents(talk: Conversation, store: Path) -> AsyncIterator[Say]:
    """Open the recipe for the OpenAI Agents SDK; the store is what it hands back."""
    from agents import Agent, set_tracing_disabled

    from recipes import openai_agents_tool

    set_tracing_disabled(True)
    tools: list[Any] = [openai_agents_tool.transactional(talk, *tool) for tool in keyword_models.TOOLS]
    model = keyword_models.for_openai_agents()
    agent: Agent[openai_agents_tool.Context] = Agent(name="loja", model=model, tools=tools)

    async def say(message: str) -> str:
        text, stored = await openai_agents_tool.say(talk, agent, store.name, load(store), message)
        save(store, stored)
        return text

    yield say


@asynccontextmanager
async def pydantic_ai(talk: Conversation, store: Path) -> AsyncIterator[Say]:
    """Open the recipe for pydantic-ai; the store is its chat as JSON."""
    from pydantic_ai import Agent, DeferredToolRequests

    from recipes import pydantic_ai_tool

    chat_type = pydantic_ai_tool.Chat
    agent: Agent[pydantic_ai_tool.Chat, Any] = Agent(
        keyword_models.for_pydantic_ai(),
        deps_type=chat_type,
        output_type=[str, DeferredToolRequests],
        tools=[pydantic_ai_tool.transactional(talk, *tool) for tool in keyword_models.TOOLS],
    )

    async def say(message: str) -> str:
        stored = load(store)
        chat = chat_type.model_validate_json(stored) if stored else chat_type(thread=store.name)
        text = await pydantic_ai_tool.say(talk, agent, chat, message)
        save(store, chat.model_dump_json())
        return text

    yield say


RECIPES: dict[str, Callable[[Conversation, Path], AbstractAsyncContextManager[Say]]] = {
    "langgraph": langgraph,
    "openai-agents": openai_agents,
    "pydantic-ai": pydantic_ai,
}


def load(store: Path) -> str | None:
    """Return what was stored, null for nothing."""
    return store.read_text() if store.exists() else None


def save(store: Path, text: str) -> None:
    """Store, whole or not at all."""
    new = store.with_name(f"{store.name}.new")
    new.write_text(text)
    new.replace(store)


async def main() -> None:
    """Read a message a line, and answer each."""
    parser = argparse.ArgumentParser(prog="python -m recipes", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("recipe", choices=RECIPES)
    parser.add_argument("--store", type=Path, required=True, metavar="FILE")
    options = parser.parse_args()
    client = await TransactionClient.connect(task_queue=Settings().task_queue)
    async with RECIPES[options.recipe](Conversation(client), options.store) as say:
        while message := await asyncio.to_thread(sys.stdin.readline):
            sys.stdout.write(f"{await say(message.strip())}\n\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())

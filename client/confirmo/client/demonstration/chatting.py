"""A chat with the examples: one message at a time, a keyword picker for the model, and a record of the turns."""

import uuid
from typing import Any

from confirmo.client.conversation import Conversation, Session, ToolCall, Turn, Wants
from confirmo.client.demonstration.picking import pick
from confirmo.client.transactions import TransactionClient

_WORDS = {
    "pt": {
        "hello": "Converse com as ferramentas de exemplo. Por exemplo:",
        "leave": "Ctrl-D ou Ctrl-C encerra.",
        "unknown": "Não entendi. Por exemplo:",
        "open": "Uma pergunta ficou sem resposta: nada foi executado.",
        "examples": (
            "quero cancelar o pedido PED-1001",
            "quero cancelar o pedido PED-ENTREGUE",
            "cancela os pedidos P-100, P-101 e P-102",
            "cancela TIM Fashion, Aya Audiobooks e Neymar Jr",
            "quero contestar uma cobrança",
            "quero devolver o pedido P-102",
        ),
    },
    "en": {
        "hello": "Talk to the example tools. For example:",
        "leave": "Ctrl-D or Ctrl-C ends it.",
        "unknown": "I did not understand. For example:",
        "open": "A question was left without an answer: nothing was executed.",
        "examples": (
            "I want to cancel order PED-1001",
            "I want to cancel order PED-ENTREGUE",
            "cancel orders P-100, P-101 and P-102",
            "cancel TIM Fashion, Aya Audiobooks and Neymar Jr",
            "I want to dispute a charge",
            "I want to return order P-102",
        ),
    },
}


class Chat:
    """One person's chat.

    Attributes:
        turns: What was said so far: ``message``, ``tool_call``, ``text``, ``wants`` and ``state`` of each turn.
    """

    def __init__(self, client: TransactionClient, locale: str) -> None:
        self._talk = Conversation(client)
        self._session = Session(session_id=f"chat-{uuid.uuid4().hex}", locale=locale)
        self._words: dict[str, Any] = _WORDS["en" if locale.lower().startswith("en") else "pt"]
        self.turns: list[dict[str, Any]] = []

    def welcome(self) -> list[str]:
        """Return what to say first."""
        return [self._words["hello"], *self._examples(), self._words["leave"]]

    def farewell(self) -> list[str]:
        """Return what to say last; nothing where no question is open."""
        transaction = self._session.transaction_id
        return [f"{self._words['open']} ({transaction})"] if transaction else []

    async def say(self, message: str) -> str:
        """Take one message and return the answer; raises as ``Conversation.turn``."""
        told = await self._turn(message, pick(message))
        if told.wants is Wants.AGENT and told.rest and (call := pick(told.rest)):
            return f"{told.text}\n{(await self._turn(told.rest, call)).text}"
        return told.text or "\n".join([self._words["unknown"], *self._examples()])

    async def _turn(self, message: str, call: ToolCall | None) -> Turn:
        turn = await self._talk.turn(self._session, message, call)
        self.turns.append(
            {
                "message": message,
                "tool_call": call,
                "text": turn.text,
                "wants": turn.wants,
                "state": turn.state,
            }
        )
        return turn

    def _examples(self) -> list[str]:
        return [f"  {example}" for example in self._words["examples"]]

"""One call per user message: ``Conversation.turn``, and the state in the words of other agent runtimes."""

from confirmo.client.conversation.models import Intent, Session, ToolCall, Turn, Wants
from confirmo.client.conversation.seed_words import agent_state
from confirmo.client.conversation.talking import Conversation

__all__ = ["Conversation", "Intent", "Session", "ToolCall", "Turn", "Wants", "agent_state"]

"""What ``confirmo demo`` shows, scenarios played on the real thing and checked, and the chat of ``confirmo chat``."""

from confirmo.client.demonstration.chatting import Chat
from confirmo.client.demonstration.picking import pick
from confirmo.client.demonstration.playing import Episode, play
from confirmo.client.demonstration.scenarios import SCENARIOS, Scenario
from confirmo.client.demonstration.showing import episode_view

__all__ = ["SCENARIOS", "Chat", "Episode", "Scenario", "episode_view", "pick", "play"]

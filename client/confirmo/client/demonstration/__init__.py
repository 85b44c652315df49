"""What ``confirmo demo`` shows: scenarios as data, played on the real thing and checked."""

from confirmo.client.demonstration.playing import Episode, play
from confirmo.client.demonstration.scenarios import SCENARIOS, Scenario
from confirmo.client.demonstration.showing import episode_view

__all__ = ["SCENARIOS", "Episode", "Scenario", "episode_view", "play"]

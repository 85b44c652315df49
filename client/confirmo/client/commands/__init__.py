"""The commands, one module per group. What starts a worker or reads a catalogue is imported only when it runs."""

from confirmo.client.commands.app import build_app

__all__ = ["build_app"]

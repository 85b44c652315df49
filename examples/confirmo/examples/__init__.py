"""Confirmo: two example tool servers, Contas and Retail, with the configuration that joins them.

``python -m confirmo.examples.contas`` and ``python -m confirmo.examples.retail`` start them. They are
ordinary MCP servers; what they do twice can be counted in their ledger (``confirmo.examples.ledger``).
"""

from confirmo.examples.paths import config_directory

__all__ = ["config_directory"]

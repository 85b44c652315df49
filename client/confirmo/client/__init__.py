"""Confirmo: client."""

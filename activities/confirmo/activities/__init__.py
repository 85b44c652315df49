"""Confirmo: activities."""

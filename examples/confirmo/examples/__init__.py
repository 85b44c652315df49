"""Confirmo: examples."""

"""Confirmo: policies."""

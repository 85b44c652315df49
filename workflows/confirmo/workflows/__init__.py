"""Confirmo: workflows."""

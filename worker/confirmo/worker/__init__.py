"""Confirmo: worker."""

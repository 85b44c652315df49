"""Exporting a transaction as an evidence file, and the keys that sign it.

``drafts`` holds lines before they have a place in the chain, ``history`` makes them from Temporal's history,
``witnessed`` from a replay of it, ``exporting`` puts all in order and seals it, ``files`` reads and writes what is on
disk, ``summary`` tells what a file says.
"""

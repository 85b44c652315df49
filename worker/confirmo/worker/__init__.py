"""The worker: where the parts meet.

``app`` runs it, ``dev`` runs everything on one machine, ``check`` reads the files.
"""

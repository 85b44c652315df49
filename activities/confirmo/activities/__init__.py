"""The activities: one effect per file. They import ``confirmo.policies`` and never the workflows."""

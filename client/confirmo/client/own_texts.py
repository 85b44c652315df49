"""A deployment's own texts, for who talks with people."""

from pathlib import Path

from confirmo.policies.tool_spec import TextOverrides


def load_overrides(directory: Path) -> dict[str, TextOverrides]:
    """Return the files of texts of a configuration directory by locale; none where there is no file.

    Raises:
        ValueError: A ``TextsError``, with every problem.
    """
    # YAML is loaded only where a file is read.
    from confirmo.policies.catalog import load_overrides as load

    return load(directory)

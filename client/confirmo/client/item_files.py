"""Items as a file of JSON lines, written as they come, so that a hundred thousand of them need no memory."""

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from confirmo.client.inputs import WrongUse


async def write_items(items: AsyncIterator[Mapping[str, Any]], path: Path) -> int:
    """Write one JSON object a line and return how many.

    Raises:
        WrongUse: The file cannot be written.
    """
    count = 0
    try:
        with path.open("w", encoding="utf-8") as file:
            async for entry in items:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
                count += 1
    except OSError as error:
        raise WrongUse(f"{path} cannot be written: {error.strerror or error}.") from None
    return count

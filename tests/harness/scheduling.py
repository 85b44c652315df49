"""Which tests run in one worker of pytest-xdist, one after the other: those that share something costly.

Not by ``xdist_group`` marks: xdist 3.8 writes the group into the node's id, where pytest 9.2 no longer reads it, and
then silently takes every test for a group of its own.
"""

import re

from xdist.scheduler import LoadScopeScheduling

SHARED = (
    (re.compile(r"recipes/test_(crashes|frameworks|gates|several_calls)\.py"), "frameworks"),
    (re.compile(r"packaging/test_(readme|wheel|your_tool_server)\.py"), "{0}"),
    (re.compile(r"packaging/test_image\.py::test_the_(steps|same)_"), "image"),
    (re.compile(r"packaging/test_compose_services\.py::test_the_(services|namespace)_"), "compose"),
    (re.compile(r"client/test_listing\.py"), "{0}"),
    (re.compile(r"mcp_face/test_peers\.py::\w+\[(\w+-\w+)"), "peer {1}"),
)
"""What a node's id holds, and the name of its group."""


def group_of(nodeid: str) -> str | None:
    """Return the group of a test, null for one that may run anywhere."""
    for pattern, name in SHARED:
        if match := pattern.search(nodeid):
            return name.format(match[0], *match.groups())
    return None


class Together(LoadScopeScheduling):
    """Hands out groups, the largest first, then single tests in their order."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid) or nodeid

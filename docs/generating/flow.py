"""The picture of a transaction's way."""

from typing import Final

from docs.generating.drawing import Picture

STEPS: Final = (
    ("resolve policy", "frozen at", "the start"),
    ("arguments", "typed, and", "asked for"),
    ("pre-validate", "may this", "be asked?"),
    ("freeze", "question and", "its digest"),
    ("wait", "for a yes to", "that digest"),
    ("execute", "item by item,", "under keys"),
    ("evidence", "one entry", "per item"),
    ("after", "its failure", "undoes nothing"),
    ("result", "what became", "of each item"),
)
WIDTH: Final = 104.0
PITCH: Final = 120.0
LEFT: Final = 70.0
MIDDLE: Final = 215.0
TOP: Final = 72.0
BOTTOM: Final = 358.0


def flow_picture() -> str:
    """Return the picture as SVG."""
    title = "The way of a transaction: person and agent above, the workflow in the middle, tool servers below"
    picture = Picture(1100, 420, title)
    picture.lane(6, 112, "Person and agent")
    picture.lane(134, 150, "Transaction: one Temporal workflow", name_below=True)
    picture.lane(300, 112, "Tool servers (MCP)")
    for number, lines in enumerate(STEPS):
        picture.box((_x(number), MIDDLE), (WIDTH, 70), lines, "waiting" if number == 4 else "step")
        if number:
            picture.arrow([(_x(number) - PITCH + WIDTH / 2, MIDDLE), (_x(number) - WIDTH / 2, MIDDLE)])
    _above(picture)
    _below(picture)
    return picture.svg()


def _x(number: float) -> float:
    return LEFT + PITCH * number


def _above(picture: Picture) -> None:
    for number, lines, way in (
        (0, ("request", "tool, arguments"), "down"),
        (1, ("what is missing", "asked and given"), "both"),
        (3, ("question", "shown as it is"), "up"),
        (4, ("yes, no, change", "by a person"), "down"),
        (8, ("answer", "item by item"), "up"),
    ):
        picture.box((_x(number), TOP), (WIDTH + 8, 52), lines, "outside")
        points = [(_x(number), TOP + 27), (_x(number), MIDDLE - 36)]
        picture.arrow(points[::-1] if way == "up" else points, both=way == "both")


def _below(picture: Picture) -> None:
    for number, lines in (
        (2, ("validator", "reads only")),
        (5, ("primary tool", "acts, with a key")),
        (6, ("status tool", "asked in doubt")),
        (7, ("notice", "and the like")),
    ):
        picture.box((_x(number), BOTTOM), (WIDTH + 8, 52), lines, "outside")
    for number in (2, 5, 7):
        picture.arrow([(_x(number), MIDDLE + 36), (_x(number), BOTTOM - 27)], both=True)
    picture.arrow([(_x(5) + 30, MIDDLE + 36), (_x(6) - 30, BOTTOM - 27)], both=True, dashed=True)

"""The picture of a transaction's states."""

from typing import Final

from confirmo.policies.models import CLOSED_STATUSES, WAITING_STATUSES, Status
from docs.generating.drawing import Picture, Point

PLACES: Final[dict[Status, Point]] = {
    Status.COLLECTING_PARAMETERS: (190, 60),
    Status.VALIDATING: (190, 210),
    Status.AWAITING_CONFIRMATION: (540, 210),
    Status.EXECUTING: (890, 210),
    Status.OUT_OF_SCOPE: (90, 400),
    Status.BLOCKED: (270, 400),
    Status.CANCELLED: (460, 400),
    Status.EXPIRED: (620, 400),
    Status.COMPLETED: (800, 400),
    Status.FAILED: (980, 400),
}
WIDE: Final = (200.0, 44.0)
NARROW: Final = (126.0, 40.0)


def states_picture() -> str:
    """Return the picture as SVG; every status has its place, or it cannot be drawn."""
    picture = Picture(1070, 480, "The states of a transaction and what leads from one to another")
    _ways_forward(picture)
    _ways_out(picture)
    for status in Status:
        size = NARROW if status in CLOSED_STATUSES else WIDE
        picture.box(PLACES[status], size, [status.value], _kind(status))
    early = "A cancel ends COLLECTING_PARAMETERS and VALIDATING as CANCELLED, too."
    picture.text((535, 462), f"{early} While EXECUTING it stops what was not sent.")
    return picture.svg()


def _kind(status: Status) -> str:
    if status in WAITING_STATUSES:
        return "waiting"
    if status is Status.COMPLETED:
        return "good"
    if status is Status.FAILED:
        return "bad"
    return "quiet" if status in CLOSED_STATUSES else "step"


def _ways_forward(picture: Picture) -> None:
    picture.dot((28, 210))
    picture.arrow([(36, 210), (88, 210)])
    picture.arrow([(160, 187), (160, 84)])
    picture.text((150, 140), "missing or invalid", anchor="end")
    picture.text((150, 154), "arguments", anchor="end")
    picture.arrow([(220, 83), (220, 186)])
    picture.text((230, 112), "provide_parameters", anchor="start")
    picture.arrow([(291, 201), (438, 201)])
    picture.text((364, 193), "a question is frozen")
    picture.arrow([(439, 221), (292, 221)])
    picture.text((364, 237), "amend, or the")
    picture.text((364, 251), "validation has grown old")
    picture.arrow([(641, 210), (788, 210)])
    picture.text((714, 202), "confirm")
    picture.arrow([(275, 187), (275, 145), (890, 145), (890, 186)])
    picture.text((480, 138), "no confirmation needed")


def _ways_out(picture: Picture) -> None:
    picture.arrow([(150, 233), (95, 378)])
    picture.text((112, 300), "validator says no,", anchor="end")
    picture.text((106, 314), "or cannot be asked", anchor="end")
    picture.arrow([(215, 233), (265, 378)])
    picture.text((246, 300), "policy or configuration", anchor="start")
    picture.text((251, 314), "forbids it", anchor="start")
    picture.arrow([(515, 233), (465, 378)])
    picture.text((482, 300), "reject", anchor="end")
    picture.text((478, 314), "or cancel", anchor="end")
    picture.arrow([(565, 233), (612, 378)])
    picture.text((583, 340), "nobody", anchor="end")
    picture.text((588, 354), "answered", anchor="end")
    picture.arrow([(291, 60), (668, 60), (668, 378)], dashed=True)
    picture.text((480, 52), "nobody answered")
    picture.arrow([(865, 233), (805, 378)])
    picture.text((827, 300), "at least one", anchor="end")
    picture.text((821, 314), "item succeeded", anchor="end")
    picture.arrow([(915, 233), (972, 378)])
    picture.text((950, 300), "nothing is known", anchor="start")
    picture.text((956, 314), "to have succeeded", anchor="start")

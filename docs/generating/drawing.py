"""A few shapes of SVG: boxes with text, arrows with labels, lanes. Plain markup, no script, no font from elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

Point = tuple[float, float]

COLOURS = {
    "step": ("#ffffff", "#3f51b5"),
    "waiting": ("#fff8e1", "#b26a00"),
    "good": ("#e8f5e9", "#2e7d32"),
    "bad": ("#ffebee", "#c62828"),
    "quiet": ("#f5f5f5", "#616161"),
    "outside": ("#e3f2fd", "#1565c0"),
}
"""Kind to fill and line."""

STYLE = "font-family: Helvetica, Arial, sans-serif"
INK = "#212121"


@dataclass
class Picture:
    """A picture that is drawn piece by piece.

    Attributes:
        width: In pixels, as ``height``.
        title: What a reader without eyes is told.
    """

    width: int
    height: int
    title: str
    pieces: list[str] = field(default_factory=list)

    def box(self, centre: Point, size: Point, lines: Sequence[str], kind: str = "step") -> None:
        """Draw a box with centred lines of text, the first one bold."""
        fill, line = COLOURS[kind]
        x, y = centre[0] - size[0] / 2, centre[1] - size[1] / 2
        self.pieces.append(
            f'<rect x="{x:g}" y="{y:g}" width="{size[0]:g}" height="{size[1]:g}" rx="8" '
            f'fill="{fill}" stroke="{line}" stroke-width="1.5"/>'
        )
        top = centre[1] + 4 - 8 * (len(lines) - 1)
        for number, text in enumerate(lines):
            weight = "bold" if number == 0 else "normal"
            self.text((centre[0], top + 16 * number), text, size=12 if number == 0 else 11, weight=weight)

    def text(
        self, at: Point, text: str, *, size: int = 11, weight: str = "normal", anchor: str = "middle"
    ) -> None:
        """Write one line."""
        self.pieces.append(
            f'<text x="{at[0]:g}" y="{at[1]:g}" font-size="{size}" font-weight="{weight}" '
            f'text-anchor="{anchor}" fill="{INK}" style="{STYLE}">{escape(text)}</text>'
        )

    def arrow(self, points: Sequence[Point], *, both: bool = False, dashed: bool = False) -> None:
        """Draw a line with a head at its end, and at its start as well where it goes both ways."""
        path = " L ".join(f"{x:g},{y:g}" for x, y in points)
        start = ' marker-start="url(#head)"' if both else ""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.pieces.append(
            f'<path d="M {path}" fill="none" stroke="{INK}" stroke-width="1.3"{dash}{start} marker-end="url(#head)"/>'
        )

    def lane(self, top: float, height: float, name: str, *, name_below: bool = False) -> None:
        """Draw a band over the whole width with its name at its upper left, or its lower left."""
        self.pieces.append(
            f'<rect x="4" y="{top:g}" width="{self.width - 8}" height="{height:g}" rx="6" '
            'fill="#fafafa" stroke="#e0e0e0"/>'
        )
        self.text(
            (14, top + (height - 10 if name_below else 18)), name, size=12, weight="bold", anchor="start"
        )

    def dot(self, at: Point) -> None:
        """Draw where something begins."""
        self.pieces.append(f'<circle cx="{at[0]:g}" cy="{at[1]:g}" r="7" fill="{INK}"/>')

    def svg(self) -> str:
        """Return the whole picture."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" aria-label="{escape(self.title)}">'
        )
        marker = (
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            f'orient="auto-start-reverse"><path d="M 0,0 L 10,5 L 0,10 z" fill="{INK}"/></marker></defs>'
        )
        ground = f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>'
        title = f"<title>{escape(self.title)}</title>"
        return "\n".join([head, title, marker, ground, *self.pieces, "</svg>"]) + "\n"

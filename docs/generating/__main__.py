"""``python -m docs.generating``: write everything that is generated, from the root of the checkout."""

from pathlib import Path

from docs.generating.everything import generated


def main() -> None:
    """Write what differs."""
    root = Path(__file__).parents[2]
    for name, text in generated(root).items():
        path = root / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(name)  # noqa: T201


if __name__ == "__main__":
    main()

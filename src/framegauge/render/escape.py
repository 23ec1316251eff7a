"""Text for a terminal."""


def printable(text: str) -> str:
    """Escape what could move the cursor, hide or reorder text on a terminal; other letters stay as they are."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def cut(text: str, most: int) -> str:
    """Printable, and no longer than that."""
    text = printable(text[: most + 1])
    return text if len(text) <= most else text[: most - 3] + "..."


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Lines with the cells of a column below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]

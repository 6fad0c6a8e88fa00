"""How a page looks: two themes; phones and print are in templates/style.css."""

from __future__ import annotations

from ..pictures.base import DARK
from .html import COLOURS, TEMPLATES


def _colours(dark: bool) -> str:
    return ";".join(f"--{name}:{DARK[light] if dark else light}"
                    for light, name in COLOURS.items())


LIGHT = _colours(False) + ";--bg:#f6f8f9;--chip:#edf1f3"
NIGHT = _colours(True) + ";--bg:#12161a;--chip:#252c32"


def sheet() -> str:
    """The whole of it. Print is light whatever the screen is."""
    rules = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    return (f":root{{{LIGHT}}}@media(prefers-color-scheme:dark){{"
            f":root{{{NIGHT}}}}}@media print{{:root{{{LIGHT}}}}}"
            + rules.replace("\n", ""))

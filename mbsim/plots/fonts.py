"""Fonts for texts in any script: characters that the usual font lacks are drawn with another font of this machine that has them."""

from functools import cache
from typing import TYPE_CHECKING

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

if TYPE_CHECKING:
    from matplotlib.figure import Figure

USUAL = "DejaVu Sans"  # comes with matplotlib


def give_fonts(figure: "Figure") -> None:
    """Let each text of a figure fall back to fonts that have its characters, where there are such."""
    from matplotlib.text import Text  # the pictures of solids, which write in these fonts too, start sooner without it

    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and not text.get_text().isascii()]
    wanted = frozenset(ord(c) for text in texts for c in text.get_text() if not c.isspace())
    further = _having(wanted - _characters(font_manager.findfont(USUAL)))
    for text in texts if further else ():
        text.set_fontfamily([USUAL, *further])


def file_for(text: str) -> str:
    """The font file that has most of the characters of a text; the usual one where it has them all."""
    wanted = {ord(c) for c in text if not c.isspace()}
    usual = font_manager.findfont(USUAL)
    if wanted <= _characters(usual):
        return usual
    return max([usual, *_fonts()], key=lambda path: len(wanted & _characters(path)))


@cache
def _having(wanted: frozenset[int]) -> tuple[str, ...]:
    """The names of fonts that together have these characters, as far as any has; those with many of them first."""
    found: list[str] = []
    fonts = _fonts()
    while wanted:
        best = max(fonts, key=lambda path: len(wanted & _characters(path)), default=None)
        if best is None or not wanted & _characters(best):
            break
        found.append(fonts[best])
        wanted -= _characters(best)
    return tuple(found)


def _fonts() -> dict[str, str]:
    """The upright fonts of this machine: file -> name. matplotlib's last resort has a box for every character and is none."""
    every = font_manager.fontManager.ttflist
    return {entry.fname: entry.name for entry in every if entry.style == "normal" and not entry.name.startswith("Last Resort")}


@cache
def _characters(path: str) -> frozenset[int]:
    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError):  # a file that is no font, or was removed
        return frozenset()

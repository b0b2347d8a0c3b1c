"""A figure that a notebook shows, whether pyplot was used or not."""

from io import BytesIO, StringIO

from matplotlib.figure import Figure

DOTS = 110  # per inch, of the picture in a notebook


class ShownFigure(Figure):
    """A figure of matplotlib. IPython knows figures only once pyplot was imported; this one says itself what it looks like."""

    def _repr_png_(self) -> bytes:
        made = BytesIO()
        self.savefig(made, format="png", dpi=DOTS)
        return made.getvalue()

    def _repr_svg_(self) -> str:
        made = StringIO()
        self.savefig(made, format="svg")
        return made.getvalue()

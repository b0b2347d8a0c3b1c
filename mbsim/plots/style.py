"""Colours and sizes that all pictures of mbsim share."""

RESIDUAL_FLOOR = 1e-18  # an exact zero has no logarithm
# Okabe and Ito's colours, which colour-blind readers tell apart, without the yellow that white paper swallows.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
GREY = "#555555"
STYLE = {
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": "#888888",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.xmargin": 0.0,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-3, 4),
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "xtick.color": "#888888",
    "ytick.color": "#888888",
    "xtick.labelcolor": "#333333",
    "ytick.labelcolor": "#333333",
    "lines.linewidth": 1.2,
    "lines.solid_joinstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "legend.handlelength": 1.4,
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,
}
# What differs in print: lines are told apart by dashes, too, where colours become greys.
PRINT = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.titleweight": "normal",
    "axes.grid": False,
    "axes.edgecolor": "#000000",
    "xtick.color": "#000000",
    "ytick.color": "#000000",
    "xtick.labelcolor": "#000000",
    "ytick.labelcolor": "#000000",
    "lines.linewidth": 1.0,
}
DASHES: tuple[str | tuple[float, tuple[float, ...]], ...] = ("-", (0.0, (5.0, 2.0)), (0.0, (1.2, 1.6)), (0.0, (6.0, 1.8, 1.2, 1.8)))
COLUMN = 8.6  # cm: the width of a column of a journal


def literal(text: str) -> str:
    """Text in which a dollar sign is a dollar sign and does not begin a formula."""
    return text.replace("$", r"\$")

"""What the pictures of the gallery share: colours, and files that are the same whenever they are drawn."""

import sys

REAL, OTHER, INK, SOFT, LIGHT = "#d9541e", "#2563c9", "#1c2128", "#8b949e", "#dfe5ec"


def wanted():
    """The name of the picture, the first argument of a script, or None."""
    return sys.argv[1] if len(sys.argv) > 1 else None


def pyplot():
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "plumb", "svg.fonttype": "none", "font.size": 10, "axes.edgecolor": SOFT, "axes.spines.top": False, "axes.spines.right": False,
                                "axes.titlesize": "medium", "legend.frameon": False})
    import matplotlib.pyplot
    return matplotlib.pyplot


def save(figure):
    figure.savefig(wanted(), metadata={"Date": None} if wanted().endswith(".svg") else None, dpi=150)
    print(f"picture in {wanted()}")

"""Pictures of solutions with matplotlib, in the manner of ``plumb solve --plot``: real ones filled, a symbol for each kind, density where there
are many, and equal scales in complex planes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, Union

import numpy

from . import _abi
from ._library import ArgumentError

if TYPE_CHECKING:
    from ._solutions import Solutions

MANY = 400  # of a class: shades instead of symbols
MOST_PANELS, MOST_LABELS = 12, 16
REAL, OTHER = "#d9541e", "#2563c9"
KINDS = [("regular", _abi.SOLUTION_REGULAR, "o", 24), ("singular", _abi.SOLUTION_SINGULAR, "D", 28), ("cluster", _abi.SOLUTION_CLUSTER, "s", 28)]

Panel = Tuple[int, int]  # numbers of unknowns; -1: the complex plane of the first one


def panels_of(solutions: Solutions, unknown: Any) -> List[Panel]:
    """The panels that an argument asks for: a name, a pair of names, or a list of both."""
    names = solutions.unknowns
    asked: Sequence[Any] = names[:MOST_PANELS] if unknown is None else [unknown] if isinstance(unknown, (str, tuple)) else list(unknown)
    found = []
    for one in asked:
        pair = one if isinstance(one, tuple) else (str(one),)
        for name in pair:
            if str(name) not in names:
                raise ArgumentError(f"'{name}' is not an unknown: expected one of {', '.join(names)}, or a pair of them")
        if len(pair) not in (1, 2):
            raise ArgumentError(f"found {one!r}, expected the name of an unknown or a pair of names")
        found.append((names.index(str(pair[0])), names.index(str(pair[1])) if len(pair) == 2 else -1))
    return found


def classes(solutions: Solutions) -> List[Tuple[str, numpy.ndarray, bool, str, int]]:
    """Label, members, real or not, symbol and its size, of the kinds that occur; real ones last, which is on top."""
    records, found = solutions._records, []
    isreal = records["real"] != 0
    known = numpy.isin(records["kind"], [number for _, number, _, _ in KINDS])
    for real in (False, True):
        for name, number, symbol, size in KINDS:
            members = (isreal == real) & ((records["kind"] == number) | (~known & (name == "regular")))
            if members.any():
                label = f"{'real' if real else 'not real'}, {name}: {int(members.sum())}{' (darker: more)' if members.sum() > MANY else ''}"
                found.append((label, members, real, symbol, size))
    return found


def limits(values: numpy.ndarray) -> Tuple[float, float]:
    """Where values lie. If a few are much farther out than all others, they do not determine the scale."""
    values = numpy.sort(values[numpy.isfinite(values)])
    if not len(values):
        return -1.0, 1.0
    low, high = values[0], values[-1]
    inner = values[len(values) // 20], values[len(values) - 1 - len(values) // 20]
    usual = inner[1] - inner[0]
    if len(values) >= 20 and usual > 0 and high - low > 4 * usual:
        low, high = max(low, inner[0] - usual), min(high, inner[1] + usual)
    margin = 0.1 * (high - low) or 0.1 * max(abs(high), 1.0)
    return float(low - margin), float(high + margin)


def draw(solutions: Solutions, panel: Panel, axes: Any) -> None:
    """Draws one panel."""
    points = solutions.points
    plane = panel[1] < 0
    x = points[:, panel[0]].real
    y = points[:, panel[0]].imag if plane else points[:, panel[1]].real
    shown = numpy.ones(len(solutions), dtype=bool) if plane else solutions._records["real"] != 0
    across, up = limits(x[shown]), limits(y[shown])
    spans = sorted([across[1] - across[0], up[1] - up[0]])
    if plane or spans[1] < 4 * spans[0]:  # equal scales, in a square
        across, up = ((middle - spans[1] / 2, middle + spans[1] / 2) for middle in (sum(across) / 2, sum(up) / 2))
        axes.set_aspect("equal")
    axes.set_xlim(across)
    axes.set_ylim(up)
    for _, members, real, symbol, size in classes(solutions):
        members = members & shown
        colour = REAL if real else OTHER
        if members.sum() > MANY:
            from matplotlib.colors import LinearSegmentedColormap, LogNorm
            shades = LinearSegmentedColormap.from_list("shades", [colour + "38", colour])
            axes.hist2d(x[members], y[members], bins=64, range=[across, up], cmap=shades, norm=LogNorm(), cmin=1, zorder=2)
        else:
            axes.scatter(x[members], y[members], s=1.4 * size if real else size, marker=symbol, linewidths=0.6 if real else 1.0, zorder=4 if real else 3,
                         facecolors=colour if real else colour + "2e", edgecolors="white" if real else colour)
    _write_multiplicities(solutions, shown, x, y, axes)
    outside = int((((x < across[0]) | (x > across[1]) | (y < up[0]) | (y > up[1])) & shown).sum())
    if outside:
        axes.set_title(f"{outside} beyond the frame", fontsize="small", loc="right")
    names = solutions.unknowns
    axes.set_xlabel(f"Re {names[panel[0]]}" if plane else names[panel[0]])
    axes.set_ylabel(f"Im {names[panel[0]]}" if plane else names[panel[1]])
    axes.set_axisbelow(True)
    axes.grid(True, color="0.9", linewidth=0.7)
    for line in (axes.axhline, axes.axvline):
        line(0.0, color="0.6", linewidth=0.8, zorder=1)


def _write_multiplicities(solutions: Solutions, shown: numpy.ndarray, x: numpy.ndarray, y: numpy.ndarray, axes: Any) -> None:
    special = numpy.flatnonzero(shown & (solutions._records["kind"] != _abi.SOLUTION_REGULAR) & (solutions._records["multiplicity"] > 1))
    if len(special) > MOST_LABELS:
        return
    places: List[Tuple[float, float]] = []
    width, height = numpy.diff(axes.get_xlim())[0], numpy.diff(axes.get_ylim())[0]
    for k in special:  # those of solutions that share a place stand above one another
        above = sum(abs(x[k] - a) < 0.08 * width and abs(y[k] - b) < 0.04 * height for a, b in places)
        places.append((x[k], y[k]))
        at_edge = x[k] > axes.get_xlim()[1] - 0.12 * width
        axes.annotate(f"\u00d7{solutions._records['multiplicity'][k]}", (x[k], y[k]), xytext=(-5 if at_edge else 5, 4 + 10 * above),
                      textcoords="offset points", fontsize="small", horizontalalignment="right" if at_edge else "left")


def write_legend(solutions: Solutions, panels: List[Panel], figure: Any, columns: int) -> None:
    """The numbers of solutions by kind, below the panels; planes of two unknowns have the real ones only."""
    from matplotlib.lines import Line2D
    planes = any(panel[1] < 0 for panel in panels)
    symbols = []
    for label, members, real, symbol, _ in reversed(classes(solutions)):
        colour, many = REAL if real else OTHER, members.sum() > MANY
        if real or planes:
            symbols.append(Line2D([], [], linestyle="none", marker="s" if many else symbol, markersize=6, markeredgewidth=0.6 if real else 1.0, label=label,
                                  markerfacecolor=colour if real or many else colour + "2e", markeredgecolor="white" if real else colour))
    if symbols:
        figure.legend(handles=symbols, loc="lower center", ncol=columns, frameon=False)


def plot(solutions: Solutions, unknown: Union[str, Tuple[str, str], Sequence[Any], None], axes: Optional[Any]) -> Any:
    panels = panels_of(solutions, unknown)
    figure = None
    if axes is None:
        import matplotlib.pyplot as pyplot
        wide = min(len(panels), 4 if len(panels) == 4 or len(panels) > 9 else 3)
        tall = -(-len(panels) // wide)
        columns = min(wide, 3, max(1, len(classes(solutions))))
        legend = 0.15 + 0.25 * -(-len(classes(solutions)) // columns)  # inches
        figure, axes = pyplot.subplots(tall, wide, figsize=(3.4 * wide + 0.4, 3.3 * tall + 0.5 + legend), squeeze=False)
    places = list(numpy.ravel(numpy.asarray(axes, dtype=object)))
    if len(places) < len(panels):
        raise ArgumentError(f"there are {len(places)} axes, expected {len(panels)}")
    for panel, place in zip(panels, places):
        draw(solutions, panel, place)
    for place in places[len(panels):]:
        place.set_visible(False)
    if figure is not None:
        figure.suptitle(title_of(solutions) + (f", {len(panels)} of them drawn" if unknown is None and len(panels) < len(solutions.unknowns) else ""))
        write_legend(solutions, panels, figure, columns)
        figure.tight_layout(rect=(0, legend / figure.get_figheight(), 1, 1))
    return places[0] if len(panels) == 1 else places[:len(panels)]


def title_of(solutions: Solutions) -> str:
    count, unknowns = len(solutions), len(solutions.unknowns)
    return f"{count} solution{'' if count == 1 else 's'}, {len(solutions.real())} real, in {unknowns} unknown{'' if unknowns == 1 else 's'}"

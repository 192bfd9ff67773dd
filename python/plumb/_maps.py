"""Families over their parameters: numbers of solutions on a grid, and branches of real solutions along a line."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

import numpy

from . import _abi
from ._array import Array
from ._library import ArgumentError, check, lib, working_context
from ._picture import limits
from ._run import Interrupted, run
from ._solutions import _several
from ._system import _points_view, stored_points

if TYPE_CHECKING:
    from ._family import Family

__all__ = ["Branch", "Branches", "FamilyMap"]

_byref = ctypes.byref
TOGETHER = 1024  # targets of a call
COLOURS = ["#2563c9", "#d9541e", "#1a9850", "#a4469b", "#c08a00", "#1b9aaa", "#c2255c", "#6b7a1f", "#7a5c3e", "#5f6b7a"]
ENDS = {_abi.BRANCH_EDGE: "edge", _abi.BRANCH_TURN: "turn", _abi.BRANCH_OPEN: "open"}


class Branch:
    """A real solution as a function of the place on a line of parameters."""

    def __init__(self, s: numpy.ndarray, x: numpy.ndarray, parameters: numpy.ndarray, begin: str, end: str):
        self.s = s  #: places, ascending, from 0 to 1
        self.x = x  #: the unknowns, an array (points, unknowns)
        self.parameters = parameters  #: values of the parameters, an array (points, parameters)
        self.begin = begin  #: ``"edge"``: at an end of the line; ``"turn"``: together with another branch; ``"open"``: otherwise
        self.end = end  #: the same

    def __len__(self) -> int:
        return len(self.s)

    def __repr__(self) -> str:
        return f"<plumb.Branch: {_several(len(self), 'point')}, s from {self.s[0]:.4g} ({self.begin}) to {self.s[-1]:.4g} ({self.end})>"


class Branches(Sequence):
    """The real solutions of a family along a line of parameters: a sequence of :class:`plumb.Branch`.

    >>> import plumb
    >>> found = plumb.Family("x^3 - a*x - b", "a, b").branches([1, -1], [1, 1])
    >>> found
    <plumb.Branches: 3 branches, 1 to 3 real solutions, 2 turning points>
    >>> found[0].begin, found[0].end, found[0].x.shape == (len(found[0]), 1)
    ('edge', 'turn', True)
    """

    def __init__(self, family: "Family", start: numpy.ndarray, end: numpy.ndarray, branches: List[Branch], report: Any):
        self.unknowns, self.parameters = family.unknowns, family.parameters  #: their names
        self.start, self.end = start, end  #: the parameters at both ends of the line
        self._branches = branches
        #: numbers of ``targets``, ``generic``, ``special`` and ``incomplete`` ones, ``turns``, ``crossings`` and ``open`` ends, and the
        #: ``least`` and ``most`` real solutions
        self.report: Dict[str, int] = {name: getattr(report, name) for name in
                                       ("targets", "generic", "special", "incomplete", "least", "most", "turns", "crossings", "open")}

    def __len__(self) -> int:
        return len(self._branches)

    def __getitem__(self, index: Any) -> Any:
        return self._branches[index]

    def __repr__(self) -> str:
        r = self.report
        return (f"<plumb.Branches: {len(self)} branch{'' if len(self) == 1 else 'es'}, {r['least']} to {r['most']} real solutions, "
                f"{_several(r['turns'], 'turning point')}>")

    def plot(self, unknown: Any = None, axes: Any = None) -> Any:
        """Draws an unknown over the parameter that varies, with matplotlib, one colour per branch: the first one, or the one that is named; a
        pair ``("x", "y")`` draws y against x. If several parameters vary, it is drawn over s. Returns the axes."""
        names = self.unknowns
        pair = unknown if isinstance(unknown, tuple) else (names[0] if unknown is None else unknown,)
        for name in pair:
            if name not in names:
                raise ArgumentError(f"'{name}' is not an unknown: expected one of {', '.join(names)}, or a pair of them")
        if axes is None:
            import matplotlib.pyplot as pyplot
            axes = pyplot.subplots()[1]
        places = numpy.flatnonzero(self.start != self.end)
        seen = []
        for k, branch in enumerate(self):
            over = branch.x[:, names.index(pair[0])] if len(pair) == 2 else branch.parameters[:, places[0]] if len(places) == 1 else branch.s
            up = branch.x[:, names.index(pair[-1])]
            seen.append(up)
            axes.plot(over, up, color=COLOURS[k % len(COLOURS)], linewidth=1.6)
        axes.set_ylim(limits(numpy.concatenate(seen) if seen else numpy.zeros(0)))
        axes.set_xlabel(pair[0] if len(pair) == 2 else self.parameters[places[0]] if len(places) == 1 else "s")
        axes.set_ylabel(pair[-1])
        return axes


class FamilyMap:
    """Numbers of solutions of a family on a grid of parameters.

    >>> import plumb
    >>> found = plumb.Family("x^2 - a*x + b", "a, b").map({"a": (-2, 2, 8), "b": (-1, 1, 4)})
    >>> found
    <plumb.FamilyMap: a x b, 8 x 4 targets, 0 to 2 real solutions>
    >>> found.real.shape, found.positive.max(), found.outcome[0, 0]
    ((4, 8), 2, 'generic')
    """

    def __init__(self, names: List[str], values: List[numpy.ndarray], ranges: List[Tuple[float, float]], instances: numpy.ndarray):
        self.names = names  #: the parameters that vary
        self.values = values  #: their values: centers of cells
        self._ranges, self.instances = ranges, instances  #: all fields of plumb_instance; the first parameter varies along the last axis

    real = property(lambda self: self.instances["real"], doc="numbers of real solutions")
    positive = property(lambda self: self.instances["positive"], doc="numbers of real solutions whose unknowns are all above 0")
    solutions = property(lambda self: self.instances["solutions"], doc="numbers of solutions")
    outcome = property(lambda self: numpy.vectorize(lambda code: lib.plumb_instance_name(code).decode(), otypes=[object])(self.instances["code"]),
                       doc="as in :class:`plumb.FamilySolutions`")

    def __repr__(self) -> str:
        counts = " x ".join(str(len(v)) for v in self.values)
        return f"<plumb.FamilyMap: {' x '.join(self.names)}, {counts} targets, {self.real.min()} to {self.real.max()} real solutions>"

    def plot(self, what: str = "real", axes: Any = None) -> Any:
        """Draws the numbers of ``"real"``, ``"positive"`` or all ``"solutions"`` over the parameters, with matplotlib. Returns the axes."""
        if what not in ("real", "positive", "solutions"):
            raise ArgumentError(f"what is {what!r}, expected 'real', 'positive' or 'solutions'")
        if axes is None:
            import matplotlib.pyplot as pyplot
            axes = pyplot.subplots()[1]
        number = numpy.ma.masked_where(self.instances["code"] == _abi.INSTANCE_INCOMPLETE, self.instances[what])
        if len(self.names) == 1:
            axes.step(self.values[0], number, where="mid")
            axes.set_ylabel(f"{what} solutions" if what != "solutions" else what)
        else:
            import matplotlib.pyplot as pyplot
            found = numpy.unique(number.compressed())
            colours = pyplot.get_cmap("viridis_r", max(1, len(found)))
            image = axes.imshow(numpy.searchsorted(found, number.filled(found[0] if len(found) else 0)), origin="lower", aspect="auto",
                                extent=(*self._ranges[0], *self._ranges[1]), cmap=colours, vmin=-0.5, vmax=max(1, len(found)) - 0.5,
                                interpolation="nearest")
            bar = axes.figure.colorbar(image, ax=axes, ticks=range(len(found)))
            bar.ax.set_yticklabels([str(one) for one in found])
            bar.set_label(f"{what} solutions" if what != "solutions" else what)
            axes.set_ylabel(self.names[1])
        axes.set_xlabel(self.names[0])
        return axes


def find_branches(family: "Family", start: Any, end: Any, options: Any, progress: Any, backend: str) -> Branches:
    ends, views = [], []
    for what, given in (("start", start), ("end", end)):
        found = family._values(given, what, (len(family.parameters),))
        planes, _, prec, parts = stored_points(found, len(family.parameters), None)
        ends.append(numpy.real(numpy.asarray(found.to_numpy(), dtype=complex)))
        views.append((planes, _points_view(planes, planes.shape[-1], 1, prec, parts)))
    handle, report = ctypes.c_void_p(), _abi.BranchesReport()

    def finish(status: int, stopped: bool) -> Branches:
        own.check(status)
        try:
            if stopped:
                raise Interrupted("stopped; there are no branches")
            return Branches(family, ends[0], ends[1], _fetch(handle, len(family.unknowns), ends), report)
        finally:
            lib.plumb_branches_destroy(handle)

    with working_context(backend) as own:
        def call(callback: Any) -> int:
            options.progress = callback
            return lib.plumb_family_branches(own.handle, family._handle.value, _byref(views[0][1]), _byref(views[1][1]), _byref(options),
                                             _byref(handle), _byref(report))

        return run(call, progress, "targets", finish)


def _fetch(handle: Any, unknowns: int, ends: List[numpy.ndarray]) -> List[Branch]:
    branches = []
    for k in range(lib.plumb_branches_count(handle)):
        b = _abi.Branch()
        check(lib.plumb_branches_get(handle, k, _byref(b)))
        s = numpy.ctypeslib.as_array((ctypes.c_double * b.points).from_address(b.s)).copy()
        x = numpy.ctypeslib.as_array((ctypes.c_double * (b.points * unknowns)).from_address(b.x)).copy().reshape(b.points, unknowns)
        branches.append(Branch(s, x, ends[0] + s[:, None] * (ends[1] - ends[0]), ENDS[b.begin], ENDS[b.end]))
    return branches


def make_map(family: "Family", ranges: Mapping[str, Any], solve: Any) -> FamilyMap:
    names = family.parameters
    others = [str(name) for name in ranges if str(name) not in names] + [name for name in names if name not in map(str, ranges)]
    if others:
        raise ArgumentError(f"ranges: expected {', '.join(names)}, each with a range or a value, and {others[0]} is missing or no parameter")
    given = {str(name): value for name, value in ranges.items()}
    vary = [name for name, value in given.items() if isinstance(value, (tuple, range))]
    if len(vary) not in (1, 2):
        raise ArgumentError(f"ranges: {len(vary)} parameters have ranges (low, high, count), expected one or two")
    values, bounds = [], []
    for name in vary:
        if len(given[name]) != 3 or not given[name][0] < given[name][1] or int(given[name][2]) < 1:
            raise ArgumentError(f"ranges: {name} is {given[name]!r}, expected (low, high, count)")
        low, high, count = float(given[name][0]), float(given[name][1]), int(given[name][2])
        values.append(low + (numpy.arange(count) + 0.5) / count * (high - low))
        bounds.append((low, high))
    grid = numpy.meshgrid(*values)
    fixed = {name: family_value(value) for name, value in given.items() if name not in vary}
    shape = grid[0].shape
    found = []
    flat = [g.ravel() for g in grid]
    for begin in range(0, flat[0].size, TOGETHER):
        rows = []
        for k in range(begin, min(begin + TOGETHER, flat[0].size)):
            rows.append([float(flat[vary.index(name)][k]) if name in vary else fixed[name] for name in names])
        found.append(solve(rows).instances)
    return FamilyMap(vary, values, bounds, numpy.concatenate(found).reshape(shape))


def family_value(value: Any) -> Any:
    """A value of a parameter, as an entry of a row that plumb.array takes."""
    return value.to_numpy().item() if isinstance(value, Array) else value

"""plumb.track: solutions of a start system are followed to solutions of a target."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Dict, List, Optional

import numpy

from . import _abi
from ._array import DIGITS, Array, address
from ._library import NAMES, ArgumentError, check, lib, precision_of, working_context
from ._run import Interrupted, run
from ._system import System, _integer, _points_view, as_system, stored_points

__all__ = ["track", "Paths"]

_byref = ctypes.byref


class Paths:
    """The outcome of the paths that :func:`track` followed. Every attribute has one entry per path.

    ``ends`` is a complex Array (paths, unknowns): the endpoint where ``success``, a direction for paths to infinity, the
    last point of others.
    """

    def __init__(self, ends: Array, records: numpy.ndarray, unknowns: List[str]):
        self.ends = Array(ends._planes, ends._prec, DIGITS.get(int(records["max_prec"].max(initial=0)), 0))
        self.unknowns = unknowns
        self.records = records  #: all fields of plumb_path_record, as a structured NumPy array

    def __len__(self) -> int:
        return len(self.records)

    @property
    def status(self) -> numpy.ndarray:
        """The outcome of each path: "success", "at infinity", "singular endpoint", ..."""
        texts = [lib.plumb_path_text(code).decode() for code in range(_abi.PATH_BEYOND + 1)]
        return numpy.array([texts[code] for code in self.records["code"]], dtype=object)

    @property
    def success(self) -> numpy.ndarray:
        """Which paths arrived at an isolated solution, regular or singular."""
        return numpy.isin(self.records["code"], (_abi.PATH_SUCCESS, _abi.PATH_SINGULAR))

    @property
    def points(self) -> numpy.ndarray:
        """The ends rounded to double."""
        return self.ends.to_numpy()

    @property
    def precision(self) -> numpy.ndarray:
        """The highest precision on each path."""
        return numpy.array([NAMES.get(prec, "") for prec in self.records["max_prec"]], dtype=object)

    steps = property(lambda self: self.records["steps"], doc="accepted steps")
    error = property(lambda self: self.records["error"], doc="estimated relative errors of the ends")
    residual = property(lambda self: self.records["residual"], doc="residuals of the ends")
    condition = property(lambda self: self.records["condition"], doc="estimated condition numbers of the ends")
    winding = property(lambda self: self.records["winding"], doc="winding numbers; 0 if no endgame was needed")
    multiplicity = property(lambda self: self.records["multiplicity"], doc="number of paths with the same end")

    def _counts(self) -> Dict[str, int]:
        names, counts = numpy.unique(self.status.astype(str), return_counts=True)
        return dict(zip(names.tolist(), counts.tolist()))

    def __repr__(self) -> str:
        words = ", ".join(f"{count} {name}" for name, count in self._counts().items())
        return f"<plumb.Paths: {len(self)} paths in {', '.join(self.unknowns)}: {words}>"

    def _repr_html_(self) -> str:
        import html
        rows = "".join(f"<tr><td style='text-align:left'>{html.escape(name)}</td><td>{count}</td></tr>"
                       for name, count in self._counts().items())
        return f"<p>{len(self)} paths</p><table>{rows}</table>"


def track(target: Any, start: Any = None, starts: Any = None, *, precision: Any = "auto",
          gamma: Optional[complex] = None, projective: bool = False, seed: int = 1, endgame: bool = True,
          max_steps: int = 10000, tolerance: float = 0.0, largest: float = math.inf, progress: Any = None,
          backend: str = "auto") -> Paths:
    """Tracks solutions of a start system to a target system, along gamma (1 - t) start + t target.

    Without ``start``, the start system is one of total degree, and ``starts`` are all its solutions. ``starts`` is
    (paths, unknowns) or one point. ``precision`` is ``"auto"`` (on each part of a path the precision that it needs),
    ``"d"``, ``"dd"`` or ``"qd"``. ``gamma`` is on the unit circle and derived from the seed unless given. In
    ``projective`` coordinates paths to infinity stay finite. Paths to roots with an unknown above ``largest`` (from 100 on),
    in the units of the target, are given up, and their status is "beyond the largest size".

    Ctrl-C stops the call and raises :class:`plumb.Interrupted`; its ``partial`` has the paths that had ended.

    >>> import plumb
    >>> p = plumb.track("x^2 - 3", "x^2 - 1", [[1], [-1]])
    >>> p.status.tolist(), sorted(p.points.real[:, 0].round(9).tolist())
    (['success', 'success'], [-1.732050808, 1.732050808])
    """
    target = as_system(target)
    unknowns = lib.plumb_system_unknowns(target._handle)
    seed = _integer(seed, "seed", 0, 2**64 - 1)
    prec = precision_of(precision, auto=True)
    if start is None:
        start = _start_system(target, seed)
        if starts is None:
            starts = _start_solutions(start, unknowns)
    elif starts is None:
        raise ArgumentError("starts are missing: solutions of the start system")
    start = as_system(start)
    planes, batch, given, _ = stored_points(starts, unknowns, None, 2, "starts")
    if len(batch) > 1:
        raise ArgumentError(f"starts have the shape {batch + (unknowns,)}, expected (paths, {unknowns})")
    count = math.prod(batch)
    homotopy = _homotopy(start, target, seed, gamma, projective)
    try:
        options = _abi.TrackOptions()
        lib.plumb_track_options_init(_byref(options))
        options.prec, options.endgame, options.seed = prec, bool(endgame), seed
        options.max_steps = _integer(max_steps, "max_steps", 1)
        options.tolerance = float(tolerance)
        options.largest = float(largest)
        found = prec or _abi.QD
        ends = numpy.zeros((2 * found, count, unknowns))
        records = numpy.zeros(count, dtype=numpy.dtype(_abi.PathRecord))
        first, last = _points_view(planes, unknowns, count, given, 2), _points_view(ends, unknowns, count, found, 2)

        def finish(status: int, stopped: bool) -> Paths:
            own.check(status)
            paths = Paths(Array(ends, found), records, target.unknowns)
            if stopped:
                ended = records["code"] != _abi.PATH_STOPPED
                error = Interrupted(f"stopped after {int(ended.sum())} of {count} paths")
                error.partial = Paths(paths.ends[ended], records[ended], paths.unknowns)
                raise error
            return paths

        with working_context(backend) as own:
            def call(callback: Any) -> int:
                options.progress = callback
                return lib.plumb_track(own.handle, homotopy, _byref(first), _byref(last), _byref(options),
                                       address(records))

            return run(call, progress, "paths", finish)
    finally:
        lib.plumb_homotopy_destroy(homotopy)


def _homotopy(start: System, target: System, seed: int, gamma: Optional[complex], projective: bool) -> Any:
    options = _abi.HomotopyOptions()
    lib.plumb_homotopy_options_init(_byref(options))
    options.seed, options.projective = seed, bool(projective)
    if gamma is not None:
        value = complex(gamma)
        if value == 0:
            raise ArgumentError("gamma is 0")
        options.gamma[0], options.gamma[1] = value.real, value.imag
    handle = ctypes.c_void_p()
    check(lib.plumb_homotopy_create(start._handle, target._handle, _byref(options), _byref(handle)))
    return handle


def _start_system(target: System, seed: int) -> System:
    handle = ctypes.c_void_p()
    check(lib.plumb_system_start(target._handle, seed, _byref(handle)))
    return System._of(handle)


def _start_solutions(start: System, unknowns: int) -> Array:
    count = ctypes.c_int64()
    check(lib.plumb_system_start_count(start._handle, _byref(count)))
    planes = numpy.empty((2 * _abi.QD, count.value, unknowns))
    check(lib.plumb_system_start_solutions(start._handle, 0, _byref(_points_view(planes, unknowns, count.value, _abi.QD,
                                                                                2))))
    return Array(planes, _abi.QD)

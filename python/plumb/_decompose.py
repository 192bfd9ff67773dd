"""plumb.decompose: the irreducible components of the solutions of a system."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import time
import warnings
from fractions import Fraction
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from . import _abi, _page
from ._certify import certificates_available
from ._library import ArgumentError, check, lib, working_context
from ._run import Interrupted, run
from ._solutions import Solution, Solutions, _page_to, copy_of, solutions_of
from ._solve import MOST_SOLUTIONS, MOST_UNKNOWNS, IncompleteWarning
from ._system import System, _integer

__all__ = ["Component", "Components", "Curves", "Members", "decompose", "read_components"]

_byref = ctypes.byref


class Component(NamedTuple):
    """One component, or points of components that could not be decomposed (``irreducible`` is False)."""

    dimension: int  #: over the complex numbers
    degree: int  #: the number of its witness points
    multiplicity: int  #: of the component in the solution set
    multiplicity_is_bound: bool  #: the multiplicity is only an upper bound
    irreducible: bool  #: the trace test closes, which is numerical evidence
    trace_digits: float  #: decimal digits to which it does
    points: Solutions  #: the witness points: those that it has in common with the slice of its dimension
    certified: int = 0  #: how many of them are certified


class Members(NamedTuple):
    """Where a point lies: what :meth:`Components.member` says about it."""

    on: List[int]  #: numbers of the components that it lies on, from 0
    undecided: List[int]  #: numbers of those for which this is not decided
    isolated: Optional[bool]  #: whether it is an isolated solution; None if that is not decided
    proven: bool  #: an equation does not vanish at the point: it lies on none for certain


class Curves(NamedTuple):
    """The real points of curves in a box: what :meth:`Components.curves` returns."""

    lines: List[numpy.ndarray]  #: points of each line, one row each
    pieces: List[int]  #: of each line: the number of the connected piece that it belongs to
    isolated: numpy.ndarray  #: isolated real points, one row each
    box: Tuple[numpy.ndarray, numpy.ndarray]  #: its lower and upper corner
    doubtful: int  #: places where lines do not fit together; if it is not 0, something may be missing


def _exact(value: Any) -> List[str]:
    """A coordinate as two exact numbers in decimal or as quotients; strings stay as they are."""
    if isinstance(value, str):
        return [value, "0"]
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return [_exact(value[0])[0], _exact(value[1])[0]]
    try:
        if hasattr(value, "imag") and not isinstance(value, (int, float, Fraction)):
            return [str(Fraction(value.real)), str(Fraction(value.imag))]
        return [str(Fraction(value)), "0"]
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"found the coordinate {value!r}, expected a finite number, a fraction or a string") from None


def _exact_solution(point: Solution) -> List[List[str]]:
    planes = point.x._planes
    half = len(planes) // 2
    return [[str(sum(Fraction(float(v)) for v in part)) for part in (planes[:half, i], planes[half:, i])]
            for i in range(planes.shape[1])]


class Components:
    """The components of positive dimension, and the isolated solutions: what :func:`plumb.decompose` returns."""

    def __init__(self, components: List[Component], isolated: Optional[Solutions], slices: Dict[int, str],
                 incomplete: Optional[str], text: str, unknowns: List[str], seconds: float = 0.0, proofs: Optional[Dict[int, Tuple[int, bool]]] = None):
        self.unknowns = unknowns  #: their names
        self.components = components  #: :class:`Component`, those of higher dimension first
        self.isolated = isolated  #: :class:`plumb.Solutions`, or None if dimension 0 was not looked at
        self.slices = slices  #: the linear equations of each dimension, as text
        self.incomplete = incomplete  #: what may be missing, or None
        #: for each dimension with certified points their number, which the sum of the degrees (in dimension 0 the number of solutions) is
        #: proven not to be below, and whether it is proven to be equal
        self.proofs = proofs or {}
        self.certificates = False  #: whether the witness points were certified, as far as that is possible
        self._text, self._seconds = text, seconds

    @property
    def complete(self) -> bool:
        """Whether every path is accounted for, and every witness point belongs to a component."""
        return self.incomplete is None

    def __len__(self) -> int:
        return len(self.components)

    def __getitem__(self, index: Any) -> Any:
        return self.components[index]

    def of_dimension(self, dimension: int) -> List[Component]:
        """The components of a dimension."""
        return [c for c in self.components if c.dimension == dimension]

    @contextlib.contextmanager
    def _handle(self) -> Iterator[ctypes.c_void_p]:
        handle = ctypes.c_void_p()
        text = self._text.encode()
        check(lib.plumb_components_read(text, len(text), _byref(handle), None))
        try:
            yield handle
        finally:
            lib.plumb_components_destroy(handle)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a file of components (JSON), as ``plumb decompose -o`` does."""
        with self._handle() as handle:
            check(lib.plumb_components_write_file(handle, os.fsencode(path)))

    def member(self, points: Any, *, tolerance: float = 0.0, seed: int = 1, backend: str = "auto") -> List[Members]:
        """Finds out on which components points lie, as ``plumb member`` does.

        Parameters
        ----------
        points : a list of points, each a sequence of numbers in the order of ``unknowns`` or a dictionary by name; or
            :class:`plumb.Solutions`. Numbers are exact: 0.1 is the double, and ``"0.1"`` or a Fraction one tenth
        tolerance : each coordinate is known to within this much
        seed : random seed of the paths

        >>> import plumb
        >>> c = plumb.decompose(["x*(x^2 + y^2 + z^2 - 1)", "x*(y - 2*z)"])
        >>> [m.on for m in c.member([(0, 3, 4), ("0.6", "0", "0"), (1, 0, 0), (0, 0, 0)])]
        [[0], [], [1], [0]]
        """
        given = []
        for point in points:
            if isinstance(point, dict):
                missing = [name for name in self.unknowns if name not in point]
                if missing:
                    raise ArgumentError(f"a point has no coordinate {missing[0]}")
                given.append([_exact(point[name]) for name in self.unknowns])
            elif isinstance(point, Solution):
                order = [point.unknowns.index(name) for name in self.unknowns]
                exact = _exact_solution(point)
                given.append([exact[i] for i in order])
            else:
                given.append([_exact(value) for value in point])
            if len(given[-1]) != len(self.unknowns):
                raise ArgumentError(f"found a point with {len(given[-1])} coordinates, expected {len(self.unknowns)}")
        text = json.dumps({"unknowns": self.unknowns, "solutions": [{"x": x} for x in given]}).encode()
        handle = ctypes.c_void_p()
        check(lib.plumb_points_read(text, len(text), _byref(handle), None))
        options = _abi.MemberOptions()
        lib.plumb_member_options_init(_byref(options))
        options.tolerance = float(tolerance)
        options.seed = _integer(seed, "seed", 0, 2**64 - 1)
        row = len(self.components) + 1
        members = (_abi.Member * (row * len(given)))()
        try:
            with self._handle() as components, working_context(backend) as own:
                own.check(lib.plumb_components_member(own.handle, components, handle, _byref(options), members))
        finally:
            lib.plumb_points_destroy(handle)
        found = []
        for k in range(len(given)):
            entries = members[k * row:(k + 1) * row]
            verdicts = [entry.verdict for entry in entries]
            found.append(Members([i for i, v in enumerate(verdicts[:-1]) if v == _abi.MEMBER_ON],
                                 [i for i, v in enumerate(verdicts[:-1]) if v == _abi.MEMBER_UNDECIDED],
                                 None if verdicts[-1] == _abi.MEMBER_UNDECIDED else verdicts[-1] == _abi.MEMBER_ON,
                                 bool(entries[0].proven)))
        return found

    def sample(self, count: int = 1, component: int = 0, *, real: bool = False, radius: float = 1.0, seed: int = 1,
               backend: str = "auto") -> Solutions:
        """Random points of a component, as ``plumb sample`` finds them. With ``real`` only real ones, of which there may be fewer: they lie on
        random real linear spaces through points whose coordinates are at most ``radius``.

        >>> import plumb
        >>> circle = plumb.decompose(["x^2 + y^2 - 1"])
        >>> points = circle.sample(3, real=True)
        >>> len(points), all(abs(float(p["x"].real)) <= 1 for p in points)
        (3, True)
        """
        options, handle = _abi.SampleOptions(), ctypes.c_void_p()
        lib.plumb_sample_options_init(_byref(options))
        options.count = _integer(count, "count", 0)
        options.real = int(bool(real))
        options.radius = float(radius)
        options.seed = _integer(seed, "seed", 0, 2**64 - 1)
        number = _integer(component, "component", 0)
        with self._handle() as components, working_context(backend) as own:
            own.check(lib.plumb_components_sample(own.handle, components, number, _byref(options), _byref(handle)))
        return solutions_of(handle, {})

    def slice(self, equations: Any, component: int = 0, *, seed: int = 1, backend: str = "auto") -> Solutions:
        """The isolated points of the intersection of a component with as many linear equations as its dimension. If paths failed, there
        is an :class:`plumb.IncompleteWarning`.

        >>> import plumb
        >>> circle = plumb.decompose(["x^2 + y^2 - 1"])
        >>> sorted(round(float(p["x"].real), 6) for p in circle.slice("x = y"))
        [-0.707107, 0.707107]
        """
        linear = equations if isinstance(equations, System) else System(equations)
        account, handle = _abi.Intersection(), ctypes.c_void_p()
        number = _integer(component, "component", 0)
        with self._handle() as components, working_context(backend) as own:
            own.check(lib.plumb_components_intersect(own.handle, components, number, linear._handle,
                                                     _integer(seed, "seed", 0, 2**64 - 1), _byref(handle), _byref(account)))
        if account.failed:
            warnings.warn(f"{account.failed} paths failed: points may be missing", IncompleteWarning, stacklevel=2)
        return solutions_of(handle, {})

    def curves(self, component: Optional[int] = None, *, box: Optional[Tuple[Sequence[float], Sequence[float]]] = None,
               seed: int = 1, backend: str = "auto") -> Curves:
        """The real points of curves, ready to be drawn: of a component of dimension 1, or of all of them with the isolated solutions.
        ``box`` has a lower and an upper corner; without it, all special points and all bounded pieces are inside.

        >>> import plumb
        >>> c = plumb.decompose(["y^2 = x^3 - x"]).curves()
        >>> len(c.lines), len(c.isolated), c.doubtful
        (2, 0, 0)
        """
        options, handle, n = _abi.CurvesOptions(), ctypes.c_void_p(), len(self.unknowns)
        lib.plumb_curves_options_init(_byref(options))
        options.seed = _integer(seed, "seed", 0, 2**64 - 1)
        number = -1 if component is None else _integer(component, "component", 0)
        corners = []
        if box is not None:
            corners = [numpy.ascontiguousarray(corner, dtype=numpy.float64) for corner in box]
            if len(corners) != 2 or any(corner.shape != (n,) for corner in corners):
                raise ArgumentError(f"box: expected two corners of {n} numbers")
            options.low, options.high = (corner.ctypes.data for corner in corners)
        with self._handle() as components, working_context(backend) as own:
            own.check(lib.plumb_components_curves(own.handle, components, number, _byref(options), _byref(handle)))
        try:
            report, line = _abi.CurvesReport(), _abi.CurveLine()
            check(lib.plumb_curves_get_report(handle, _byref(report)))
            lines, pieces = [], []
            for k in range(report.lines):
                check(lib.plumb_curves_get_line(handle, k, _byref(line)))
                raw = ctypes.string_at(line.x, 8 * line.points * n)
                lines.append(numpy.frombuffer(raw, dtype=numpy.float64).reshape(line.points, n).copy())
                pieces.append(int(line.piece))
            isolated, low, high = numpy.zeros((report.isolated, n)), numpy.zeros(n), numpy.zeros(n)
            for k in range(report.isolated):
                check(lib.plumb_curves_get_isolated(handle, k, isolated[k].ctypes.data))
            check(lib.plumb_curves_get_box(handle, low.ctypes.data, high.ctypes.data))
            return Curves(lines, pieces, isolated, (low, high), int(report.doubtful))
        finally:
            lib.plumb_curves_destroy(handle)

    def __repr__(self) -> str:
        lines = ["Components"]
        for k in sorted({c.dimension for c in self.components}, reverse=True):
            found = [c for c in self.of_dimension(k) if c.irreducible]
            degrees = ", ".join(str(c.degree) for c in found)
            lines.append(f"- dimension {k}: {len(found)} component{'' if len(found) == 1 else 's'} of degree {degrees or 'unknown'}")
        if self.isolated is not None and len(self.isolated):
            lines.append(f"- dimension 0: {len(self.isolated)} point{'' if len(self.isolated) == 1 else 's'}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _page.short_components(self)

    def html(self, path: Union[str, "os.PathLike[str]", None] = None, title: str = "plumb.decompose") -> Optional[str]:
        """Writes one page with all of it: the system and the slices, tables of the components and of their witness points, a picture, and the
        account of the paths, as ``plumb decompose --html`` does. Without a path the page is returned as a text.

        >>> import plumb
        >>> "1 component of positive dimension: 1 of dimension 1" in plumb.decompose(["x*y - x", "x^2"]).html()
        True
        """
        return _page_to(path, _page.data_of_components(self, title))


def _buffer(write: Any) -> str:
    """What a function writes that takes a buffer, its size and the size that is needed."""
    needed = ctypes.c_size_t()
    write(None, 0, _byref(needed))
    text = ctypes.create_string_buffer(needed.value)
    check(write(text, needed.value, None))
    return text.value.decode()


def _components_of(handle: ctypes.c_void_p, unknowns: List[str], seconds: float) -> Components:
    found, slices, proofs = [], {}, {}
    for k in range(lib.plumb_components_count(handle)):
        info = _abi.Component()
        check(lib.plumb_components_get(handle, k, _byref(info)))
        found.append(Component(info.dimension, info.degree, info.multiplicity, bool(info.bound), info.state == _abi.COMPONENT_IRREDUCIBLE,
                               info.trace_digits, copy_of(lib.plumb_components_points(handle, k), {}), info.certified))
    for k in range(lib.plumb_components_dimensions(handle)):
        account = _abi.ComponentDimension()
        check(lib.plumb_components_get_dimension(handle, k, _byref(account)))
        if account.certified:
            proofs[account.dimension] = (account.certified, account.proof == _abi.DEGREE_PROVEN)
        part = lib.plumb_components_slice(handle, account.dimension)
        if part:
            slices[account.dimension] = _buffer(lambda *room, part=part: lib.plumb_system_write(part, _abi.FORMAT_TXT, *room))
    isolated = lib.plumb_components_isolated(handle)
    line = ctypes.create_string_buffer(256)
    lib.plumb_components_verdict(handle, line, len(line))
    return Components(found, copy_of(isolated, {}) if isolated else None, slices, line.value.decode(errors="replace") or None,
                      _buffer(lambda *room: lib.plumb_components_write(handle, *room)), unknowns, seconds, proofs)


def _certify(own: Any, handle: ctypes.c_void_p, unknowns: int, certify: Union[bool, str]) -> bool:
    """By the rule of the program."""
    count = sum(lib.plumb_solutions_count(lib.plumb_components_points(handle, k)) for k in range(lib.plumb_components_count(handle)))
    count += lib.plumb_solutions_count(lib.plumb_components_isolated(handle))
    if certify is True or (certify and certificates_available() and count <= MOST_SOLUTIONS and unknowns <= MOST_UNKNOWNS):
        own.check(lib.plumb_components_certify(own.handle, handle, None))
        return True
    return False


def decompose(equations: Any, unknowns: Optional[Iterable[Any]] = None, *, dimension: int = 0, seed: int = 1,
              progress: Any = None, backend: str = "auto", checkpoint: Any = None,
              certify: Union[bool, str] = "auto") -> Components:
    """Finds the irreducible components of the solutions of a polynomial system, over the complex numbers, in every dimension.

    Parameters
    ----------
    equations : a text, a list of texts or of SymPy expressions, or a :class:`plumb.System`; any number of equations
    unknowns : their order
    dimension : the lowest dimension to look at
    seed : random seed; the same seed gives the same bits
    progress : as for :func:`plumb.solve`; the paths are those of one dimension after the other
    checkpoint : a folder for the ends of paths. If it exists, the call continues from there; it is removed when the call returns
    certify : certify the witness points of components of multiplicity 1, as ``plumb decompose`` does; "auto": where that is quick

    Components are irreducible by trace tests, which is numerical evidence; docs/components.md says what is certain. If
    something may be missing, there is an :class:`plumb.IncompleteWarning`. Embedded components are not reported. Ctrl-C raises
    :class:`plumb.Interrupted`, whose ``partial`` has the components of the dimensions that were finished.

    >>> import plumb
    >>> c = plumb.decompose(["x*(x^2 + y^2 + z^2 - 1)", "x*(y - 2*z)"])
    >>> c
    Components
    - dimension 2: 1 component of degree 1
    - dimension 1: 1 component of degree 2
    >>> c[1].irreducible, c[1].multiplicity, len(c[1].points), c.complete
    (True, 1, 2, True)
    """
    system = equations if isinstance(equations, System) and unknowns is None else System(equations, unknowns)
    options = _abi.DecomposeOptions()
    lib.plumb_decompose_options_init(_byref(options))
    options.dimension = _integer(dimension, "dimension", 0)
    options.seed = _integer(seed, "seed", 0, 2**64 - 1)
    if checkpoint is not None:
        options.journal = os.fsencode(checkpoint)
        options.resume = os.path.exists(checkpoint)
    handle = ctypes.c_void_p()

    def finish(status: int, stopped: bool) -> Components:
        if stopped and not handle.value:
            raise Interrupted("the call was stopped")
        own.check(status)
        try:
            proven = not stopped and _certify(own, handle, len(system.unknowns), certify)
            found = _components_of(handle, system.unknowns, time.monotonic() - began)
            found.certificates = proven
        finally:
            lib.plumb_components_destroy(handle)
        if stopped:
            error = Interrupted("stopped; " + (found.incomplete or "all dimensions were finished"))
            error.partial = found
            raise error
        if checkpoint is not None:
            check(lib.plumb_decompose_remove_journal(os.fsencode(checkpoint)))
        return found

    began = time.monotonic()
    with working_context(backend) as own:
        def call(callback: Any) -> int:
            options.progress = callback
            return lib.plumb_decompose(own.handle, system._handle, _byref(options), _byref(handle))

        components = run(call, progress, "paths", finish)
    if components.incomplete:
        warnings.warn(components.incomplete, IncompleteWarning, stacklevel=2)
    return components


def read_components(path: Union[str, "os.PathLike[str]"]) -> Components:
    """Reads a file of components, which ``plumb decompose -o`` or :meth:`Components.save` wrote, or a witness set of PHCpack."""
    handle = ctypes.c_void_p()
    check(lib.plumb_components_read_file(os.fsencode(path), _byref(handle), None))
    try:
        system = lib.plumb_components_system(handle)
        unknowns = [lib.plumb_system_name(system, i).decode() for i in range(lib.plumb_system_unknowns(system))]
        return _components_of(handle, unknowns, 0.0)
    finally:
        lib.plumb_components_destroy(handle)

"""plumb.Family: one system with parameters, solved for many values of them."""

from __future__ import annotations

import ctypes
import os
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import numpy

from . import _abi, _page
from ._array import Array, address, array
from ._maps import Branches, FamilyMap, find_branches, make_map
from ._library import ArgumentError, NonfiniteError, check, lib, precision_of, working_context
from ._run import Interrupted, run
from ._solutions import Solutions, _page_to, _several, _write_whole
from ._solve import _STARTS, IncompleteWarning, _report_of
from ._system import System, _integer, _names, _points_view, stored_points

__all__ = ["Family", "FamilySolutions", "Monodromy"]

_byref = ctypes.byref


class _Handle:
    """A plumb_family. One with generic solutions is never changed again: calls may use it while its Family takes another one."""

    __slots__ = ("value",)

    def __init__(self, system: System):
        self.value: Any = None
        handle = ctypes.c_void_p()
        check(lib.plumb_family_create(system._handle, _byref(handle)))
        self.value = handle.value

    @property
    def paths(self) -> int:
        return lib.plumb_family_paths(self.value)

    @property
    def omitted(self) -> Optional[str]:
        """A line about generic solutions that are not regular, or None."""
        count = lib.plumb_family_omitted(self.value)
        return (f"{count} of the {_several(count + self.paths, 'generic solution')} are not regular, and are left out of all targets"
                if count else None)

    def __del__(self) -> None:
        if self.value:
            lib.plumb_family_destroy(self.value)
            self.value = None


class FamilySolutions(Sequence):
    """The solutions of targets: a sequence with one :class:`plumb.Solutions` per target, in the order of the targets.

    The counts are NumPy arrays with one entry per target. The positive solutions of a target come first, then its other real ones, then
    the others.

    >>> import plumb
    >>> found = plumb.Family(["x^2 + y^2 - r", "y - a*x - 1"], "r, a").solve([[5, 1], [1, 0], ["1/4", 1]])
    >>> found.outcome.tolist(), found.solutions.tolist(), found.real.tolist()
    (['generic', 'special', 'generic'], [2, 1, 2], [2, 1, 0])
    >>> print(found[0][0])
    x = 1, y = 2 (real)
    """

    def __init__(self, family: "Family", targets: Array, x: Array, records: numpy.ndarray, instances: numpy.ndarray, seed: int,
                 incomplete: Optional[str], seconds: float):
        self.unknowns = family.unknowns  #: their names
        self.parameters = family.parameters  #: their names
        self.targets = targets  #: the values of the parameters, an Array (targets, parameters)
        #: all solutions, a complex Array (targets, paths, unknowns): the first ``solutions`` of each target; the other entries are zero
        self.x = x
        self.records = records  #: all fields of plumb_solution_record, as a structured NumPy array (targets, paths)
        self.instances = instances  #: all fields of plumb_instance, as a structured NumPy array
        self.seed = seed  #: random seed of the paths
        self._generic, self._seconds, self._equations = incomplete, seconds, _page.equations_of(family.system)

    outcome = property(lambda self: numpy.array([lib.plumb_instance_name(code).decode() for code in self.instances["code"]], dtype=object),
                       doc='``"generic"``, ``"special"``, ``"incomplete"``, ``"solved anew"`` or ``"stopped"``')
    solutions = property(lambda self: self.instances["solutions"], doc="numbers of different solutions")
    real = property(lambda self: self.instances["real"], doc="numbers of real solutions")
    positive = property(lambda self: self.instances["positive"], doc="numbers of real solutions whose unknowns are all above 0")
    regular = property(lambda self: self.instances["regular"], doc="numbers of paths to regular solutions")
    singular = property(lambda self: self.instances["singular"], doc="numbers of paths to singular solutions")
    infinite = property(lambda self: self.instances["infinite"], doc="numbers of paths to infinity")
    failed = property(lambda self: self.instances["failed"],
                      doc="numbers of paths whose end is not known, or that share a regular end with another path")
    arcs = property(lambda self: self.instances["arcs"], doc="numbers of arcs on which the paths were tracked")
    error = property(lambda self: self.instances["error"], doc="largest errors of a solution, of an unknown relative to its size or 1")

    @property
    def paths(self) -> int:
        """The number of paths per target."""
        return self.records.shape[1]

    @property
    def incomplete(self) -> Optional[str]:
        """One line about what may be missing, or None."""
        lines = [self._generic] if self._generic else []
        for code, what in ((_abi.INSTANCE_INCOMPLETE, "paths failed, and solutions may be missing"),
                           (_abi.INSTANCE_STOPPED, "the call was stopped before their paths had ended")):
            places = numpy.flatnonzero(self.instances["code"] == code)
            if len(places):
                more = ", ..." if len(places) > 10 else ""
                lines.append(f"{len(places)} of {_several(len(self), 'target')} ({', '.join(map(str, places[:10]))}{more}): {what}")
        return "; ".join(lines) or None

    @property
    def complete(self) -> bool:
        """Whether every path to every target is accounted for, and every path for generic parameters was."""
        return self.incomplete is None

    def __len__(self) -> int:
        return len(self.instances)

    def __getitem__(self, index: Any) -> Any:
        """The solutions of a target, or those of several ones: a slice, numbers or truth values choose them."""
        if isinstance(index, (int, numpy.integer)) and not isinstance(index, (bool, numpy.bool_)):
            if not -len(self) <= index < len(self):
                raise IndexError(f"there are {_several(len(self), 'target')}")
            return self._of(int(index) % len(self))
        places = numpy.arange(len(self))[index]
        if places.ndim != 1:
            raise IndexError(f"index is {index!r}, expected a number, a slice, or a list of numbers or truth values")
        made = object.__new__(FamilySolutions)
        made.__dict__.update(self.__dict__)
        made.targets, made.x = self.targets[places], self.x[places]
        made.records, made.instances = self.records[places], self.instances[places]
        return made

    def __iter__(self) -> Iterator[Solutions]:
        return (self._of(k) for k in range(len(self)))

    def _of(self, k: int) -> Solutions:
        instance, count = self.instances[k], int(self.instances[k]["solutions"])
        return Solutions(self.x[k, :count], self.unknowns, self.records[k, :count], self._report(instance))

    def _report(self, instance: Any) -> Dict[str, Any]:
        """A report as that of plumb.solve, with what is known of a target."""
        report = _report_of(_abi.SolveReport())
        report.update((name, instance[name].item()) for name in instance.dtype.names if name not in ("code", "reserved", "solutions"))
        code = int(instance["code"])
        report.update(outcome=lib.plumb_instance_name(code).decode(), distinct=int(instance["solutions"]), paths=self.paths,
                      start="generic solutions", seed=self.seed)
        lines = [self._generic] if self._generic else []
        if code == _abi.INSTANCE_INCOMPLETE:
            lines.append("paths failed, and solutions may be missing")
        elif code == _abi.INSTANCE_STOPPED:
            lines.append("the call was stopped before the paths had ended")
        report["incomplete"] = "; ".join(lines) or None
        return report

    def __repr__(self) -> str:
        names, counts = numpy.unique(self.outcome.astype(str), return_counts=True)
        words = ", ".join(f"{count} {name}" for name, count in zip(names.tolist(), counts.tolist())) or "none"
        return (f"<plumb.FamilySolutions: {_several(len(self), 'target')}, {_several(self.paths, 'path')} each: {words}; "
                f"{_several(self.real.sum(), 'real solution')}, {int(self.positive.sum())} positive>")

    def _repr_html_(self) -> str:
        return _page.short_family(self)

    def html(self, path: Union[str, "os.PathLike[str]", None] = None, title: str = "plumb.Family") -> Optional[str]:
        """Writes one page with all of it: the system, tables of the targets and of their solutions, pictures of the solutions over the
        parameters, and the account of the paths, as ``plumb solve --at --html`` does. Without a path the page is returned as a text.

        >>> import plumb
        >>> page = plumb.Family("x^2 - a", "a").solve([[1], [-1]]).html()
        >>> "2 targets with 2 paths each: 2 generic; 2 real solutions, 1 positive" in page
        True
        """
        return _page_to(path, _page.data_of_family(self, title))


class Monodromy:
    """What :meth:`plumb.Family.monodromy` found."""

    def __init__(self, report: Any, handle: Any):
        self.outcome = lib.plumb_monodromy_name(report.code).decode()  #: ``"quiet"``, ``"reached"``, ``"loops"`` or ``"stopped"``
        self.solutions = report.solutions  #: number of generic solutions
        self.classes = report.classes  #: of them under the symmetry
        self.orbits = report.orbits  #: of the solutions under the permutations
        self.loops = report.loops  #: number of loops
        self.quiet_loops = report.quiet_loops  #: the last ones, which found nothing new
        self.paths = report.paths  #: number of paths
        self.failed = report.failed  #: those that have no known end, or share it with another path
        #: the chance that solutions are missing is at most this, if loops act like random elements of the group
        self.doubt = report.doubt
        #: result of the trace test: ``"complete"``, ``"missing"``, ``"undecided"``, ``"unsuited"`` if its equations would have too many terms, or None
        self.trace: Optional[str] = [None, "unsuited", "complete", "missing", "undecided"][report.trace]
        self.trace_error = report.trace_error  #: how far the sum of the solutions is from a line, relative to how far it moves
        count, points = lib.plumb_permutations_count(handle), lib.plumb_permutations_points(handle)
        #: of the solutions, in their order, an array (permutations, solutions): row k has the image of each solution under loop k
        self.permutations = numpy.zeros((count, points), dtype=numpy.int64)
        for k in range(count):
            check(lib.plumb_permutations_get(handle, k, address(self.permutations[k])))
        self.order: Optional[int] = None  #: of the group that the permutations generate; None: not known
        self.proven = False  #: whether it is exact, and not a lower bound
        needed, proven = ctypes.c_size_t(), ctypes.c_int32()
        status = lib.plumb_permutations_order(handle, None, 0, _byref(needed), _byref(proven))
        if status == _abi.ERR_BUFFER:
            text = ctypes.create_string_buffer(needed.value)
            check(lib.plumb_permutations_order(handle, text, needed.value, None, _byref(proven)))
            self.order, self.proven = _long(text.value.decode()), bool(proven.value)
        elif status != _abi.ERR_SIZE:
            check(status)

    def __repr__(self) -> str:
        group = "" if self.order is None else f", a group of order {'' if self.proven else 'at least '}{_short(self.order)}"
        return (f"<plumb.Monodromy: {_several(self.solutions, 'solution')}, the last {_several(self.quiet_loops, 'loop')} found nothing new"
                f"{group}>")


def _columns(given: Mapping[str, Any], what: str, names: Sequence[str], axes: int) -> Any:
    """The rows of values that are given by name: numbers, which are repeated, or columns of one length."""
    for name in given:
        if name not in names:
            raise ArgumentError(f"{what} has a value of {name}, expected those of {_list(names, 'parameters')}")
    for name in names:
        if name not in given:
            raise ArgumentError(f"{what} has no value of the parameter {name}")
    if axes == 1:
        return [given[name] for name in names]
    columns = [column if hasattr(column, "__len__") and not isinstance(column, str) else [column]
               for column in (given[name] for name in names)]
    count = max((len(column) for column in columns if len(column) != 1), default=1)
    for name, column in zip(names, columns):
        if len(column) not in (1, count):
            raise ArgumentError(f"{what} has {len(column)} values of the parameter {name}, expected {count}, as of others, or one number")
    if all(isinstance(column, numpy.ndarray) or not isinstance(column[0], str) for column in columns if len(column)) and \
            not any(isinstance(column, Array) for column in columns):
        plain = [numpy.asarray(column) for column in columns]
        if all(column.dtype.kind in "iufc" and column.ndim == 1 for column in plain):
            return numpy.stack(numpy.broadcast_arrays(*plain), axis=-1)
    return [[column[k if len(column) > 1 else 0] for column in columns] for k in range(count)]


class Family:
    """A polynomial system with parameters, which is solved for many values of them.

    It is solved once for generic complex parameters, by all paths of a start system. From there, each target needs only as many paths as
    there are generic solutions.

    Parameters
    ----------
    equations : as for :class:`plumb.System`, or a System
    parameters : names or SymPy symbols of the parameters, in their order; None if the equations declare them (``"parameters a, b; ..."``, or
        a file that :meth:`plumb.System.read` has read)
    unknowns : the order of the other unknowns

    >>> import plumb
    >>> family = plumb.Family("x^2 + p*x + q", "p, q")
    >>> family
    <plumb.Family: 1 equation in x with parameters p, q>
    >>> found = family.solve([[-3, 2], [0, 1], [2, 1]])
    >>> found
    <plumb.FamilySolutions: 3 targets, 2 paths each: 2 generic, 1 special; 3 real solutions, 2 positive>
    >>> found[0].points.real.round(9).ravel().tolist(), found[2][0].kind, found[2][0].multiplicity
    ([1.0, 2.0], 'singular', 2)
    """

    __slots__ = ("_system", "_handle", "_incomplete", "_report", "__weakref__")

    def __init__(self, equations: Any, parameters: Optional[Iterable[Any]] = None, unknowns: Optional[Iterable[Any]] = None):
        chosen, others = _names(parameters, "a parameter"), _names(unknowns)
        if chosen is not None and others is not None:
            both = [name for name in others if name in chosen]
            if both:
                raise ArgumentError(f"both a parameter and an unknown: {', '.join(both)}")
            others = others + chosen
        system = equations if isinstance(equations, System) and others is None else System(equations, others)
        declared = system.parameters
        if declared and chosen is not None and chosen != declared:
            raise ArgumentError(f"parameters are {', '.join(chosen)}, but the equations declare {', '.join(declared)}")
        if not declared:
            system = _declared(system, chosen)
        self._take(system, _Handle(system), None, {})

    def _take(self, system: System, handle: _Handle, incomplete: Optional[str], report: Dict[str, Any]) -> None:
        self._system, self._handle, self._incomplete, self._report = system, handle, incomplete, report

    @classmethod
    def read(cls, path: Union[str, "os.PathLike[str]"]) -> "Family":
        """Reads a family with its generic solutions from a file that :meth:`write` or ``plumb solve --family`` has written."""
        system = System.read(path)
        with open(path, "rb") as file:
            text = file.read()
        return cls._with(system, text)

    @classmethod
    def _with(cls, system: System, text: bytes) -> "Family":
        family = cls(system)
        error = _abi.TextError()
        check(lib.plumb_family_read(family._handle.value, text, len(text), _byref(error)), error)
        family._incomplete = family._handle.omitted
        return family

    def write(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the family with its generic solutions, which are found if they are not there yet; ``plumb solve --family`` reads the
        file, too."""
        if not self.paths:
            self.generic()
        _write_whole(path, self._text())

    def _text(self) -> str:
        needed = ctypes.c_size_t()
        status = lib.plumb_family_write(self._handle.value, None, 0, _byref(needed))
        if status != _abi.ERR_BUFFER:
            check(status)
        text = ctypes.create_string_buffer(needed.value)
        check(lib.plumb_family_write(self._handle.value, text, needed.value, None))
        return text.value.decode()

    @property
    def system(self) -> System:
        """The system, whose last unknowns are the parameters."""
        return self._system

    @property
    def unknowns(self) -> List[str]:
        """The names of the unknowns, without the parameters."""
        return self._system.unknowns[:lib.plumb_family_unknowns(self._handle.value)]

    @property
    def parameters(self) -> List[str]:
        """The names of the parameters, in the order of the columns of targets."""
        return self._system.parameters

    @property
    def paths(self) -> int:
        """The number of generic solutions, one path per target and solution; 0 before they are found."""
        return self._handle.paths

    @property
    def incomplete(self) -> Optional[str]:
        """One line about what may be missing among the generic solutions, and so for every target, or None. For a family that was read from
        a file, only solutions that are not regular are known to be missing."""
        return self._incomplete

    @property
    def report(self) -> Dict[str, Any]:
        """What :func:`plumb.solve` did for generic parameters, as the report of :class:`plumb.Solutions`; empty before that, and for a family
        that was read from a file."""
        return dict(self._report)

    def at(self, target: Any) -> System:
        """The system of one target, exactly.

        >>> import plumb
        >>> print(plumb.Family("x^2 + p*x + q", "p, q").at(["1/3", 2]).terms(0)[0])
        (Fraction(1, 1), (2,))
        """
        given = self._values(target, "target", (len(self.parameters),))
        planes, _, prec, parts = stored_points(given, len(self.parameters), None)
        handle = ctypes.c_void_p()
        check(lib.plumb_family_at(self._handle.value, _byref(_points_view(planes, planes.shape[-1], 1, prec, parts)), _byref(handle)))
        return System._of(handle)

    def _values(self, given: Any, what: str, expected: Tuple[Any, ...]) -> Array:
        """Finite values of the parameters, along the last axis of an Array."""
        names = self.parameters
        found = array(_columns(given, what, names, len(expected)) if isinstance(given, Mapping) else given)
        if found.ndim != len(expected) or found.shape[-1] != len(names):
            shape = str(expected).replace("'", "")
            raise ArgumentError(f"{what} has the shape {found.shape}, expected {shape}: values of {_list(names, 'parameters')}")
        bad = numpy.argwhere(~numpy.isfinite(found._planes).all(axis=0))
        if len(bad):
            place = bad[0].tolist()
            raise NonfiniteError(f"{what}{place}, a value of the parameter {names[place[-1]]}, is not finite")
        return found

    def generic(self, *, start: str = "auto", seed: int = 1, max_steps: int = 10000, reruns: int = 2, progress: Any = None,
                backend: str = "auto") -> "Family":
        """Finds the generic solutions, by :func:`plumb.solve` for random complex parameters, and returns the family. :meth:`solve` does it
        with its own seed if it was not done before. Only regular solutions are kept.

        Parameters are as for :func:`plumb.solve` and :meth:`solve`. If solutions may be missing, there is an
        :class:`plumb.IncompleteWarning`.

        >>> import plumb
        >>> plumb.Family("x^3 - a", "a").generic().paths
        3
        """
        self._find(start, seed, max_steps, reruns, progress, backend)
        if self._incomplete:
            warnings.warn(self._incomplete, IncompleteWarning, stacklevel=2)
        return self

    def _find(self, start: str, seed: int, max_steps: int, reruns: int, progress: Any, backend: str) -> None:
        options, report = _abi.SolveOptions(), _abi.SolveReport()
        lib.plumb_solve_options_init(_byref(options))
        if not isinstance(start, str) or start not in _STARTS:
            raise ArgumentError(f"start is {start!r}, expected 'auto', 'total', 'multihomogeneous' or 'polyhedral'")
        options.start = _STARTS[start]
        options.seed = _integer(seed, "seed", 0, 2**64 - 1)
        options.max_steps = _integer(max_steps, "max_steps", 1)
        options.reruns = _integer(reruns, "reruns", 0, 8)
        fresh = _Handle(self._system)  # a call that is stopped leaves some of the solutions in it

        def finish(status: int, stopped: bool) -> None:
            if stopped:
                raise Interrupted("stopped before the generic solutions were found")
            own.check(status)
            told = _report_of(report)
            lines = [f"generic parameters: {told['incomplete']}"] if told["incomplete"] else []
            lines += [fresh.omitted] if fresh.omitted else []
            self._take(self._system, fresh, "; ".join(lines) or None, told)

        with working_context(backend) as own:
            def call(callback: Any) -> int:
                options.progress = options.mpfr_progress = callback
                return lib.plumb_family_generic(own.handle, fresh.value, _byref(options), _byref(report))

            run(call, progress, "paths for generic parameters", finish)

    def monodromy(self, solutions: Any = None, parameters: Any = None, *, symmetry: Iterable[Mapping[str, Any]] = (), loops: int = 10,
                  trace: bool = False, max_loops: int = 100, max_solutions: int = 0, seed: int = 1, max_steps: int = 10000,
                  progress: Any = None, backend: str = "auto") -> "Monodromy":
        """Finds the generic solutions along loops of the parameters, from some of them.

        Parameters
        ----------
        solutions : an array (solutions, unknowns); None: the generic solutions that the family has, or if it has none, a solution that is
            computed together with its parameters
        parameters : an array with the values of the parameters for these solutions; None: they are computed for the first solution
        symmetry : maps that take solutions to solutions for the same parameters, such as ``{"x": "-x", "y": "1/y"}``; unknowns that are not
            named stay as they are. Only one solution of each class is followed.
        loops : end after so many loops in a row that found nothing new
        trace : test whether these are all solutions that loops connect with the first one (``found.trace``)
        max_loops : maximum number of loops
        max_solutions : end when so many solutions are known; 0: no limit
        seed, max_steps, progress : as for :meth:`solve`

        The family then has the solutions as after :meth:`generic`. docs/solving.md says how far they can be relied on; if loops still found
        solutions at the end, there is an :class:`plumb.IncompleteWarning`.

        >>> import plumb
        >>> family = plumb.Family("x^3 - a*x + b", "a, b")
        >>> family.monodromy()
        <plumb.Monodromy: 3 solutions, the last 10 loops found nothing new, a group of order 6>
        >>> family.solve([[7, 6]]).real.tolist()
        [3]
        """
        options, report = _abi.MonodromyOptions(), _abi.MonodromyReport()
        lib.plumb_monodromy_options_init(_byref(options))
        options.quiet_loops = _integer(loops, "loops", 1, 1000)
        options.trace = bool(trace)
        options.max_loops = _integer(max_loops, "max_loops", 1, 10000)
        options.max_solutions = _integer(max_solutions, "max_solutions", 0)
        options.max_steps = _integer(max_steps, "max_steps", 1)
        options.seed = _integer(seed, "seed", 0, 2**64 - 1)
        names = self.unknowns
        maps = [_map_of(given, names) for given in symmetry]
        handles = (ctypes.c_void_p * (len(maps) + 1))(*[map._handle for map in maps])
        options.symmetries, options.symmetry = len(maps), ctypes.addressof(handles)
        fresh = Family._with(self._system, self._text().encode())._handle if self.paths and solutions is None else _Handle(self._system)
        held = []

        def view(given: Any, what: str, width: int, shape: Tuple[Any, ...]) -> Any:
            if given is None:
                return None
            found = array(given)
            if found.ndim != len(shape) or found.shape[-1] != width:
                raise ArgumentError(f"{what} has the shape {found.shape}, expected {str(shape)}")
            planes, count, prec, _ = stored_points(found, width, None, 2, what)
            held.append(planes)
            return _byref(_points_view(planes, width, count[0] if count else 1, prec, 2))

        x = view(solutions, "solutions", len(names), ("solutions", len(names)))
        at = view(parameters, "parameters", len(self.parameters), (len(self.parameters),))
        handle = ctypes.c_void_p()

        def finish(status: int, stopped: bool) -> Monodromy:
            own.check(status)
            try:
                found = Monodromy(report, handle)
            finally:
                lib.plumb_permutations_destroy(handle)
            lines = {_abi.MONODROMY_LOOPS: "the last loops still found solutions", _abi.MONODROMY_STOPPED: "the search was stopped"}
            line = lines.get(report.code)
            if report.trace in (_abi.TRACE_MISSING, _abi.TRACE_UNDECIDED):
                line = "the trace test failed" if report.trace == _abi.TRACE_MISSING else "the trace test did not decide"
            self._take(self._system, fresh, f"{line}, and generic solutions may be missing" if line else None, {})
            if stopped:
                error = Interrupted("stopped; solutions may be missing")
                error.partial = found
                raise error
            return found

        with working_context(backend) as own:
            def call(callback: Any) -> int:
                options.progress = callback
                return lib.plumb_monodromy(own.handle, fresh.value, at, x, _byref(options), _byref(handle), _byref(report))

            found = run(call, progress, "paths", finish)
        if self._incomplete:
            warnings.warn(self._incomplete, IncompleteWarning, stacklevel=2)
        return found

    def solve(self, at: Any, precision: Any = "auto", *, special: bool = False, neighbours: int = 0, reruns: int = 2, seed: int = 1,
              max_steps: int = 10000, progress: Any = None, backend: str = "auto") -> FamilySolutions:
        """Solves for many targets.

        Parameters
        ----------
        at : the targets, an array (targets, parameters) of real or complex numbers as :func:`plumb.array` takes them, or a dictionary with a
            number or a column for each parameter, such as ``{"a": [1, 2, 3], "b": 0.5}``; all digits of dd and qd numbers and of texts
            such as ``"1/3"`` are used
        precision : ``"d"``, ``"dd"``, ``"qd"``, or ``"auto"``: on each part of a path the precision that it needs
        special : solve targets that are not like generic ones by all paths of a start system as well
        neighbours : take targets in groups of so many, as of a motion, and start each one from the solutions of the one before it; where this
            loses solutions, it is solved as without. ``found.instances["neighbour"]`` is 0 for targets from generic solutions, 1 for those from
            the one before, and 2 for those where this lost solutions
        reruns : times that the paths to a target are tracked again on other arcs, if some failed or coincide, at most 8
        seed : random seed; the same seed gives the same bits
        max_steps : maximum number of steps per path
        progress : as for :func:`plumb.solve`
        backend : ``"cpu"``, ``"gpu"``, or ``"auto"``: a GPU where there is one and there are enough paths

        The results for a target depend neither on the other targets nor on the number of threads. If solutions may be missing, there is an
        :class:`plumb.IncompleteWarning`. Ctrl-C stops the call and raises :class:`plumb.Interrupted`; in its ``partial`` the outcome of
        targets that were not finished is ``"stopped"``.

        >>> import plumb
        >>> found = plumb.Family("x^2 - a", "a").solve([[2], ["1/9"]], "qd")
        >>> found[0][1]["x"].real.to_strings(20), found[1][0].isreal
        ('-1.4142135623730950488', True)
        """
        given = self._values(at, "at", ("targets", len(self.parameters)))
        options = _abi.FamilyOptions()
        lib.plumb_family_options_init(_byref(options))
        options.prec = precision_of(precision, auto=True)
        options.anew = bool(special)
        options.neighbours = _integer(neighbours, "neighbours", 0, 10**6)
        options.reruns = _integer(reruns, "reruns", 0, 8)
        options.seed = _integer(seed, "seed", 0, 2**64 - 1)
        options.max_steps = _integer(max_steps, "max_steps", 1)
        if not self.paths:
            self._find("auto", options.seed, 10000, 2, progress, backend)
        family, incomplete = self._handle, self._incomplete
        planes, (count,), prec, parts = stored_points(given, len(self.parameters), None)
        unknowns, paths, found = lib.plumb_family_unknowns(family.value), family.paths, options.prec or _abi.QD
        ends = numpy.zeros((2 * found, count, paths, unknowns))
        records = numpy.zeros((count, paths), dtype=numpy.dtype(_abi.SolutionRecord))
        instances = numpy.zeros(count, dtype=numpy.dtype(_abi.Instance))
        targets, x = _points_view(planes, planes.shape[-1], count, prec, parts), _points_view(ends, unknowns, count * paths, found, 2)

        def finish(status: int, stopped: bool) -> FamilySolutions:
            own.check(status)
            solutions = FamilySolutions(self, given, Array(ends, found), records, instances, options.seed, incomplete, time.monotonic() - began)
            if stopped:
                ended = int((instances["code"] != _abi.INSTANCE_STOPPED).sum())
                error = Interrupted(f"stopped after {ended} of {_several(count, 'target')}")
                error.partial = solutions
                raise error
            return solutions

        began = time.monotonic()
        with working_context(backend) as own:
            def call(callback: Any) -> int:
                options.progress = callback
                return lib.plumb_family_solve(own.handle, family.value, _byref(targets), _byref(options), _byref(x), address(records),
                                              address(instances)) if count else _abi.OK

            solutions = run(call, progress, "paths", finish)
        if solutions.incomplete:
            warnings.warn(solutions.incomplete, IncompleteWarning, stacklevel=2)
        return solutions

    def branches(self, start: Any, end: Any, samples: int = 201, *, precision: Any = "auto", halvings: int = 14, reruns: int = 2, seed: int = 1,
                 max_steps: int = 10000, progress: Any = None, backend: str = "auto") -> Branches:
        """The real solutions along a straight line of real parameters, connected: a bifurcation diagram.

        Parameters
        ----------
        start, end : the parameters at both ends of the line, as numbers or texts
        samples : number of targets at equal distances
        halvings : how often an interval is cut in which branches end or cross
        precision, reruns, seed, max_steps, progress : as for :meth:`solve`

        Parameters between the ends are doubles. docs/solving.md says how solutions are connected.

        >>> import plumb
        >>> [(b.begin, b.end) for b in plumb.Family("x^2 - a", "a").branches([-1], [1], 21)]
        [('turn', 'edge'), ('turn', 'edge')]
        """
        options = _abi.BranchesOptions()
        lib.plumb_branches_options_init(_byref(options))
        options.prec = precision_of(precision, auto=True)
        options.samples = _integer(samples, "samples", 2, 100000)
        options.halvings = _integer(halvings, "halvings", 0, 40)
        options.reruns = _integer(reruns, "reruns", 0, 8)
        options.seed = _integer(seed, "seed", 0, 2**64 - 1)
        options.max_steps = _integer(max_steps, "max_steps", 1)
        if not self.paths:
            self._find("auto", options.seed, 10000, 2, progress, backend)
        found = find_branches(self, start, end, options, progress, backend)
        line = f"solutions of {found.report['incomplete']} targets may be missing" if found.report["incomplete"] else self._incomplete
        if line:
            warnings.warn(line, IncompleteWarning, stacklevel=2)
        return found

    def map(self, ranges: Mapping[str, Any], **options: Any) -> FamilyMap:
        """Numbers of solutions on a grid of one or two parameters.

        ``ranges`` has ``(low, high, count)`` for one or two parameters, whose range is divided into so many cells, and a value for each of
        the others. The targets are the centers of the cells. ``options`` are those of :meth:`solve`.

        >>> import plumb
        >>> plumb.Family("x^2 - a*x + b", "a, b").map({"a": (-2, 2, 4), "b": "1/2"}).real.tolist()
        [2, 0, 0, 2]
        """
        if not self.paths:
            self.generic(seed=options.get("seed", 1), progress=options.get("progress"), backend=options.get("backend", "auto"))
        return make_map(self, ranges, lambda rows: self.solve(rows, **options))

    def __repr__(self) -> str:
        generic = f", {_several(self.paths, 'generic solution')}" if self.paths else ""
        return (f"<plumb.Family: {_several(len(self._system), 'equation')} in {_list(self.unknowns, 'unknowns')} with "
                f"parameters {_list(self.parameters, 'in all')}{generic}>")

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        return _restored, (self._system, self._text().encode() if self.paths else b"", self._incomplete, self._report)


def _long(digits: str) -> int:
    """A decimal number of any length: int refuses more than 4,300 digits."""
    number = 0
    for k in range(0, len(digits), 1000):
        part = digits[k:k + 1000]
        number = number * 10**len(part) + int(part)
    return number


def _short(number: int) -> str:
    return str(number) if number < 10**20 else f"about 10^{int(numpy.floor((number.bit_length() - 1) * numpy.log10(2.0)))}"


def _map_of(given: Mapping[str, Any], names: List[str]) -> System:
    """The images of all unknowns."""
    others = [str(name) for name in given if str(name) not in names]
    if others:
        raise ArgumentError(f"symmetry: {', '.join(others)} is no unknown of the family")
    images = {str(name): image for name, image in given.items()}
    return System([images.get(name, name) for name in names])


def _list(names: List[str], what: str) -> str:
    text = ", ".join(names)
    return text if len(text) < 60 else f"{len(names)} {what}"


def _restored(system: System, text: bytes, incomplete: Optional[str], report: Dict[str, Any]) -> Family:
    family = Family._with(system, text) if text else Family(system)
    family._incomplete, family._report = incomplete, report
    return family


def _declared(system: System, names: Optional[List[str]]) -> System:
    """The same system with these unknowns as parameters."""
    if not names:
        raise ArgumentError("parameters are missing: names of unknowns, unless the equations declare them")
    labels = (ctypes.c_char_p * len(names))(*[name.encode() for name in names])
    handle = ctypes.c_void_p()
    check(lib.plumb_system_declare(system._handle, labels, len(names), _byref(handle)))
    return System._of(handle)

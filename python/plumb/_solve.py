"""plumb.solve: all isolated solutions of a system."""

from __future__ import annotations

import atexit
import ctypes
import math
import os
import tempfile
import time
import warnings
from typing import Any, Dict, Iterable, Iterator, NamedTuple, Optional, Union

import numpy

from . import _abi, _page
from ._certify import certificates_available, certified, proofs_of, refuse_certificates
from ._library import ArgumentError, check, lib, make_error, new_context, precision_of, working_context
from ._run import Interrupted, run, undisturbed
from ._solutions import Origin, Solution, Solutions, solutions_of
from ._system import System, _integer

__all__ = ["IncompleteWarning", "Plan", "SolutionStream", "plan", "rank", "solve", "solve_stream"]

_byref = ctypes.byref
_STARTS = {"auto": _abi.START_AUTO, "total": _abi.START_TOTAL, "multihomogeneous": _abi.START_MULTIHOMOGENEOUS,
           "polyhedral": _abi.START_POLYHEDRAL}


_joined = False


class IncompleteWarning(UserWarning):
    """The solutions may not be all, or not all are proven although ``certify=True``: ``plumb solve`` would end with
    status 1."""


def _join_ranks() -> None:
    global _joined
    if _joined:
        return
    message = ctypes.create_string_buffer(512)
    status = lib.plumb_ranks_begin(message, len(message))
    if status:
        raise make_error(status, message.value.decode(errors="replace"))
    _joined = True
    atexit.register(lib.plumb_ranks_end, 0)


def _options(precision: Any, digits: Optional[int], real: bool, positive: bool, nonzero: bool, start: str, seed: int,
             max_steps: int, largest: float, residual: float, checkpoint: Any, paths: Optional[range],
             ranks: bool, max_digits: int = 10000) -> Any:
    options = _abi.SolveOptions()
    lib.plumb_solve_options_init(_byref(options))
    options.prec = precision_of(precision, auto=True)
    options.digits = 0 if digits is None else _integer(digits, "digits", 1, 10000)
    options.max_digits = _integer(max_digits, "max_digits", 0, 10000)
    options.real, options.positive, options.nonzero = bool(real), bool(positive), bool(nonzero)
    if not isinstance(start, str) or start not in _STARTS:
        raise ArgumentError(f"start is {start!r}, expected 'auto', 'total', 'multihomogeneous' or 'polyhedral'")
    options.start = _STARTS[start]
    options.seed = _integer(seed, "seed", 0, 2**64 - 1)
    options.max_steps = _integer(max_steps, "max_steps", 1)
    options.largest = float(largest)
    options.residual = float(residual)
    journal = None if checkpoint is None else os.fsencode(checkpoint)
    options.journal, options.resume = journal, checkpoint is not None
    if paths is not None:
        if not isinstance(paths, range) or paths.step != 1 or len(paths) == 0 or paths.start < 0:
            raise ArgumentError(f"paths is {paths!r}, expected a range of numbers from 0 on, such as range(0, 1000)")
        options.path_first, options.path_count = paths.start, len(paths)
    if ranks:
        _join_ranks()
        options.ranks = 1
    return options


def solve(equations: Any, unknowns: Optional[Iterable[Any]] = None, precision: Any = "auto",
          digits: Optional[int] = None, *, real: bool = False, positive: bool = False, nonzero: bool = False,
          start: str = "auto", seed: int = 1, certify: Union[bool, str] = "auto", progress: Any = None, max_steps: int = 10000,
          largest: float = math.inf, residual: float = 0.0, backend: str = "auto",
          checkpoint: Union[str, "os.PathLike[str]", None] = None, paths: Optional[range] = None,
          ranks: bool = False, max_digits: int = 10000) -> Solutions:
    """Finds all isolated solutions of a polynomial system by path tracking.

    Parameters
    ----------
    equations : a text, a list of texts or of SymPy expressions, or a :class:`plumb.System`
    unknowns : their order
    precision : ``"d"``, ``"dd"``, ``"qd"``, or ``"auto"``: on each part of a path the precision that it needs
    digits : decimal digits that solutions are refined to, at most 10,000; above 60 those of regular solutions are in
        ``texts`` and ``to_mpmath()`` of a solution
    real, positive, nonzero : return only real solutions; only those whose unknowns are all positive; only those
        without zero coordinates
    start : ``"total"``, ``"multihomogeneous"``, ``"polyhedral"``, or ``"auto"``: the one with the fewest paths
    seed : random seed (gamma, start system, patch); the same seed gives the same bits
    certify : prove each solution (see docs/certification.md), which needs FLINT: True, False, or ``"auto"``: up to 10,000 solutions in
        up to 20 unknowns, if FLINT is installed. Proofs also decide what is real and positive. ``solutions.uncertified`` says why
        there are none
    progress : True, False, None (shown on a terminal and in notebooks if the call takes long), or a function of the
        numbers of finished, failed and all paths (0 as long as their number is not known), and after that of paths in MPFR
    max_steps : maximum number of steps per path
    largest : solutions with a larger unknown, in the units of the system, are left out, from 100 on; their number and sizes are
        ``beyond``, ``beyond_min`` and ``beyond_max`` of the report
    residual : with more equations than unknowns, accept points that miss the equations by at most this, relative to the
        sizes of their terms, for coefficients that were measured; 0 (only exact solutions) to 1
    checkpoint : a file to which the end of each path is written as soon as it is known. If it exists, the call continues
        from there, after Ctrl-C or after its process was killed, to the same bits; otherwise it is made. It stays when the call is over:
        remove it when you have saved the solutions
    paths : a range of the numbers of paths, such as ``range(0, 1000)``, for parts of a run on several computers; the
        checkpoints of the parts are journals for ``plumb merge``
    ranks : share the paths with the other processes that ``mpirun -n N python SCRIPT`` has started. All of them make this call with the
        same arguments. The first one (``plumb.rank() == 0``) gets the solutions, the others None
    max_digits : digits of the arithmetic in which paths are followed whose ends quad doubles leave open, at most; 64 or less: they are
        left open

    If paths failed or are undecided, so that solutions may be missing, if a cluster of solutions could not be resolved, or
    if ``certify=True`` could not prove a regular solution, there is an :class:`plumb.IncompleteWarning`; ``solutions.complete`` refers to the paths.

    Ctrl-C stops the call and raises :class:`plumb.Interrupted`, a KeyboardInterrupt whose ``partial`` is a
    :class:`plumb.Solutions` with what was found by then.

    >>> import plumb
    >>> plumb.solve(["x^2 + y^2 = 5", "x*y = 2"], certify=False)
    Solutions with 4 entries in x, y
    ================================
    - 4 regular solutions (4 real)
    - 4 paths tracked, start system: total
    - random seed: 1
    >>> plumb.solve("x^3 - 2", real=True, digits=40)[0]["x"].real.to_strings(40)
    '1.259921049894873164767210607278228350570'
    >>> plumb.solve("x^3 - 2", real=True, digits=100)[0].texts[0][0][-12:]
    '624362550942'
    """
    system = equations if isinstance(equations, System) and unknowns is None else System(equations, unknowns)
    options = _options(precision, digits, real, positive, nonzero, start, seed, max_steps, largest, residual, checkpoint,
                       paths, ranks, max_digits)
    if not isinstance(certify, (bool, numpy.bool_)) and certify != "auto":
        raise ArgumentError(f"certify is {certify!r}, expected True, False or 'auto'")
    if certify is True and not certificates_available():
        refuse_certificates()  # before the work is done
    options.unfiltered = 1  # certificates come first
    begin = time.monotonic()
    handle = ctypes.c_void_p()
    uncertified = solved = None

    def take(certificates: Optional[ctypes.c_void_p], uncertified: Optional[str], stopped: str) -> Solutions:
        now = time.monotonic()
        solutions = _chosen(handle, certificates, options, uncertified)
        solutions._origin = Origin(_page.equations_of(system), float(largest), bool(nonzero), (solved or now) - begin, now - (solved or now))
        if stopped:
            error = Interrupted(stopped.format(len(solutions)))
            error.partial = solutions
            raise error
        return solutions

    def finish(status: int, stopped: bool) -> Optional[Solutions]:
        nonlocal uncertified, solved
        if stopped and (status or not handle.value):
            raise Interrupted("the call was stopped")
        own.check(status)
        if not handle.value:
            return None  # a rank other than 0
        solved = time.monotonic()
        uncertified = "stopped on request" if stopped and certify else _why_uncertified(system, handle, certify)
        if uncertified is None:
            return None  # the certificates come next
        return take(None, uncertified, "stopped after {} solutions, which its partial has" if stopped else "")

    with working_context(backend) as own:
        def call(callback: Any) -> int:
            options.progress = options.mpfr_progress = callback
            return lib.plumb_solve(own.handle, system._handle, _byref(options), _byref(handle))

        try:
            solutions = run(call, progress if rank() == 0 else False, "paths", finish)
        except Interrupted as error:
            if handle.value:  # between the paths and the certificates
                error.partial = undisturbed(lambda: take(None, "stopped on request" if certify else "", ""))
            raise
    if solutions is None and not handle.value:
        return None  # type: ignore[return-value]  # only with ranks
    if solutions is None:
        try:
            solutions = certified(system, handle, options.seed, progress, lambda certificates, stopped: take(
                certificates, "stopped on request" if stopped else None, "stopped after {} solutions, which its partial has" if stopped else ""))
        finally:
            if handle.value:  # an exception
                lib.plumb_solutions_destroy(handle)
    if certify is True and uncertified:
        warnings.warn(f"the solutions are not certified: {uncertified}", IncompleteWarning, stacklevel=2)
    for line in (solutions.report["incomplete"], _unproven(solutions) if certify is True else ""):
        if line:
            warnings.warn(line, IncompleteWarning, stacklevel=2)
    return solutions


class Plan(NamedTuple):
    """How a system would be solved: what :func:`plumb.plan` returns."""

    paths: int  #: that would be tracked
    start: str  #: kind of the start system, "none" if no paths are needed
    counts: Dict[str, int]  #: numbers of paths of the start systems, by kind; those that are not known are left out
    given_up: Dict[str, str]  #: why a start system was given up, by kind
    simplified: Dict[str, int]  #: equations left out, lowered and combined at random; unknowns eliminated, and solved for directly
    no_solution: Optional[str]  #: why it is certain that there is none
    sample: int  #: paths that were tracked for the estimate
    estimated_seconds: float  #: that all paths take, with these threads or on the GPU


MOST_SOLUTIONS, MOST_UNKNOWNS = 10000, 20  # that "auto" certifies, as plumb solve does


def _why_uncertified(system: System, handle: ctypes.c_void_p, certify: Union[bool, str]) -> Optional[str]:
    """Why solutions are not certified, "" if that was not requested, or None if they are: the rule of the program."""
    report = _report(handle.value)  # type: ignore[arg-type]
    count, unknowns = lib.plumb_solutions_count(handle), lib.plumb_solutions_unknowns(handle)
    if certify is False or not count:
        return ""
    if report["unfinished"] and certify == "auto":
        return "paths are not finished"
    if lib.plumb_system_denominators(system._handle):
        return "the equations have denominators"
    if not certificates_available():
        return "this needs FLINT"
    if certify == "auto" and (count > MOST_SOLUTIONS or unknowns > MOST_UNKNOWNS):
        return f"that is only done for up to {MOST_SOLUTIONS} solutions in up to {MOST_UNKNOWNS} unknowns, unless certify=True asks for it"
    return None


def _chosen(handle: ctypes.c_void_p, certificates: Optional[ctypes.c_void_p], options: Any, uncertified: Optional[str]) -> Solutions:
    """The solutions that real, positive and nonzero ask for; certificates decide first."""
    check(lib.plumb_solutions_choose(handle, certificates, _byref(options)))
    taken, handle.value = handle.value, None
    solutions = solutions_of(taken, _report(taken))  # type: ignore[arg-type]
    solutions.uncertified = uncertified or None
    if certificates:
        solutions._certificates = proofs_of(certificates, len(solutions.unknowns))
    return solutions


def _plan_of(planned: Any) -> Plan:
    report = planned.report
    counts = {"total": report.total_degree, "multihomogeneous": report.multihomogeneous, "polyhedral": report.polyhedral}
    return Plan(paths=planned.paths, start=lib.plumb_start_name(report.start).decode() if report.start else "none",
                counts={kind: count for kind, count in counts.items() if count >= 0},
                given_up={kind: planned.given_up[number].decode() for kind, number in _STARTS.items()
                          if planned.given_up[number]},
                simplified={"dependent": report.dependent, "lowered": report.lowered, "eliminated": report.eliminated,
                            "combined": report.squared, "direct": report.direct},
                no_solution=planned.no_solution.decode() if planned.no_solution else None, sample=planned.sample,
                estimated_seconds=planned.estimated_seconds)


def plan(equations: Any, unknowns: Optional[Iterable[Any]] = None, precision: Any = "auto",
         digits: Optional[int] = None, *, nonzero: bool = False, start: str = "auto", seed: int = 1,
         progress: Any = None, max_steps: int = 10000, largest: float = math.inf, backend: str = "auto") -> Plan:
    """Shows how :func:`plumb.solve` would solve a system with these arguments, and estimates the time of the paths.

    The time is an estimate: a small sample of the paths is tracked, spread evenly over all of them, and its time is scaled. Nothing else is
    done with the sample. Ctrl-C raises :class:`plumb.Interrupted`.

    >>> import plumb
    >>> plan = plumb.plan(["x^2 + y^2 = 5", "x*y = 2"])
    >>> plan.paths, plan.start, plan.counts["total"], plan.estimated_seconds < 60
    (4, 'total', 4, True)
    """
    system = equations if isinstance(equations, System) and unknowns is None else System(equations, unknowns)
    options = _options(precision, digits, False, False, nonzero, start, seed, max_steps, largest, 0.0, None, None, False)
    options.plan_only = 1
    told = []

    def on_planned(data: Any, address: int) -> None:
        told.append(_plan_of(_abi.SolvePlanned.from_address(address)))  # its texts are gone afterwards

    options.planned = type(options.planned)(on_planned)
    handle = ctypes.c_void_p()

    def finish(status: int, stopped: bool) -> Plan:
        if handle.value:
            lib.plumb_solutions_destroy(handle)
        if stopped:
            raise Interrupted("the call was stopped")
        own.check(status)
        return told[0]

    with working_context(backend) as own:
        def call(callback: Any) -> int:
            options.progress = callback
            return lib.plumb_solve(own.handle, system._handle, _byref(options), _byref(handle))

        return run(call, progress, "sample of paths", finish)


class SolutionStream:
    """The solutions of a system one after the other, of which only some are in memory: what :func:`plumb.solve_stream` returns.

    ``len()`` is their number, ``report`` the account of the paths; ``close()``, or the end of a ``with`` block, frees
    what the stream holds, and so does its last solution."""

    def __init__(self, handle: int, system: System, own: Any, some: int):
        self._handle: Optional[int] = handle
        self._system, self._own, self._some = system, own, some
        self._count = lib.plumb_solution_stream_count(handle)
        report = _abi.SolveReport()
        check(lib.plumb_solution_stream_report(handle, _byref(report)))
        self.report = _report_of(report)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Solution]:
        while self._handle is not None:
            found = ctypes.c_void_p()
            self._own.check(lib.plumb_solution_stream_next(self._handle, self._some, _byref(found)))
            chunk = solutions_of(found.value, self.report)  # type: ignore[arg-type]
            if len(chunk) == 0:
                self.close()
            yield from chunk

    def close(self) -> None:
        """Frees what the stream holds."""
        if self._handle is not None:
            lib.plumb_solution_stream_destroy(self._handle)
        self._handle = None

    def __enter__(self) -> "SolutionStream":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


def solve_stream(equations: Any, unknowns: Optional[Iterable[Any]] = None, precision: Any = "auto",
                 digits: Optional[int] = None, *, real: bool = False, positive: bool = False, nonzero: bool = False,
                 start: str = "auto", seed: int = 1, progress: Any = None, max_steps: int = 10000,
                 largest: float = math.inf, residual: float = 0.0, backend: str = "auto",
                 checkpoint: Union[str, "os.PathLike[str]", None] = None, chunk: int = 1000,
                 max_digits: int = 10000) -> SolutionStream:
    """Finds all isolated solutions as :func:`plumb.solve` does, for more of them than memory holds: the ends of paths are kept in the
    checkpoint or in a temporary file, and the solutions are read from there, in the same order, while one iterates over
    them, at most ``chunk`` at a time. It needs about 200 bytes of memory per path.

    >>> import plumb
    >>> with plumb.solve_stream(["x^2 + y^2 = 5", "x*y = 2"]) as solutions:
    ...     len(solutions), [s["x"].real.to_strings(3) for s in solutions]
    (4, ['-2.00', '-1.00', '1.00', '2.00'])
    """
    system = equations if isinstance(equations, System) and unknowns is None else System(equations, unknowns)
    options = _options(precision, digits, real, positive, nonzero, start, seed, max_steps, largest, residual, checkpoint,
                       None, False, max_digits)
    folder = os.fsencode(tempfile.gettempdir())
    options.folder = folder
    some = _integer(chunk, "chunk", 1)
    own = new_context(backend)  # the stream keeps it
    handle = ctypes.c_void_p()

    def call(callback: Any) -> int:
        options.progress = options.mpfr_progress = callback
        return lib.plumb_solve_stream(own.handle, system._handle, _byref(options), _byref(handle))

    def finish(status: int, stopped: bool) -> SolutionStream:
        if stopped:
            lib.plumb_solution_stream_destroy(handle)
            raise Interrupted("the call was stopped")
        own.check(status)
        return SolutionStream(handle.value, system, own, some)  # type: ignore[arg-type]

    stream = run(call, progress, "paths", finish)
    if stream.report["incomplete"]:
        warnings.warn(stream.report["incomplete"], IncompleteWarning, stacklevel=2)
    return stream


def _unproven(solutions: Solutions) -> str:
    """One line about regular solutions that were to be proven and could not be; "" if there are none."""
    if not solutions._certificates:
        return ""
    regular = [proof["status"] for proof, record in zip(solutions._certificates, solutions._records)
               if record["kind"] not in (_abi.SOLUTION_SINGULAR, _abi.SOLUTION_CLUSTER)]
    proven = [lib.plumb_certify_text(code).decode() for code in (_abi.CERTIFIED, _abi.CERTIFY_SQUARED)]
    missed = sum(status not in proven for status in regular)
    return f"{missed} of {len(regular)} regular solutions could not be certified" if missed else ""


def _report(handle: int) -> Dict[str, Any]:
    report = _abi.SolveReport()
    check(lib.plumb_solutions_report(handle, _byref(report)))
    return _report_of(report)


def _report_of(report: Any) -> Dict[str, Any]:
    found = {name: getattr(report, name) for name, *_ in report._fields_ if name != "reserved"}
    found["start"] = lib.plumb_start_name(report.start).decode() if report.start else "none"
    line = ctypes.create_string_buffer(256)
    lib.plumb_solve_verdict(_byref(report), line, len(line))
    found["incomplete"] = line.value.decode() or None
    return found


def rank() -> int:
    """The number of this process among those that share the work (``ranks=True`` in :func:`plumb.solve`); 0 if there are no others."""
    return lib.plumb_ranks_own()

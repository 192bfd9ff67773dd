"""Polynomial systems: from texts and from SymPy, their evaluation, and Newton's method."""

from __future__ import annotations

import ctypes
import math
import operator
import os
import warnings
from fractions import Fraction
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from . import _abi
from ._abi import View
from ._array import Array, address, array
from ._device import empty, foreign, on_device
from ._library import NAMES, ArgumentError, check, context, lib, precision_of, working_context
from ._numbers import ratio_of_sympy
from ._run import Interrupted, run

__all__ = ["System", "evaluate", "newton", "mixed_volume", "Evaluation", "NewtonResult"]

_byref = ctypes.byref


def _is_sympy(x: Any) -> bool:
    return hasattr(x, "free_symbols") and hasattr(x, "subs")


class System:
    """A polynomial system with exact coefficients.

    ``equations`` is a text with several equations, or a list of equations: texts (``"x^2 + y^2 = 5"``, ``"x*y - 2"``,
    phcpy's ``"x*y - 2;"``), SymPy expressions and SymPy's Eq. ``unknowns`` gives their order (names or SymPy symbols);
    without it, it is the order of first appearance in texts, and SymPy's order of symbols in expressions. An equation
    without ``=`` means that the expression is zero.

    >>> import plumb
    >>> s = plumb.System(["x^2 + y^2 = 5", "x*y = 2"])
    >>> s.unknowns, len(s), s.degrees
    (['x', 'y'], 2, [2, 2])
    >>> print(s)
    x^2 + y^2 - 5;
    x*y - 2;
    """

    __slots__ = ("_handle", "_real", "__weakref__")

    def __init__(self, equations: Any, unknowns: Optional[Iterable[Any]] = None):
        self._handle: Any = None
        self._real: Optional[bool] = None
        names = _names(unknowns)
        if isinstance(equations, System):
            equations = str(equations)
        if isinstance(equations, str):
            if names is None:
                self._handle = _parse(equations)
                self._warn()
                return
            equations = [equations]
        if isinstance(equations, numpy.ndarray) and equations.dtype != object:
            raise TypeError(f"equations are an array of {equations.dtype}, expected texts or SymPy expressions")
        if _is_sympy(equations) and not hasattr(equations, "tolist"):
            equations = [equations]
        elif hasattr(equations, "tolist"):  # a matrix of SymPy, an array of expressions
            equations = [x for row in equations.tolist() for x in (row if isinstance(row, (list, tuple)) else [row])]
        try:
            given = list(equations)
        except TypeError:
            raise TypeError(f"equations are {type(equations).__name__}, expected a text or a list of equations") from None
        if not given:
            raise ArgumentError("there are no equations")
        if all(isinstance(x, str) for x in given):
            self._handle = _parse_list(given, names)
        elif all(_is_sympy(x) for x in given):
            self._handle = _from_sympy(given, names)
        else:
            bad = next((x for x in given if not isinstance(x, str) and not _is_sympy(x)), None)
            if bad is not None:
                raise TypeError(f"an equation is {type(bad).__name__}, expected a text or a SymPy expression")
            raise TypeError("equations are either all texts or all SymPy expressions")
        if names is not None:
            extra = [name for name in self.unknowns if name not in names]
            if extra:
                raise ArgumentError(f"the equations have further unknowns: {', '.join(extra)}")
        self._warn()

    @classmethod
    def _of(cls, handle: ctypes.c_void_p) -> "System":
        """Takes a plumb_system over."""
        made = cls.__new__(cls)
        made._handle, made._real = handle.value, None
        return made

    def _warn(self) -> None:
        """What can be read, but may not be what its author meant."""
        for index in range(100):
            note = lib.plumb_system_note(self._handle, index)
            if note is None:
                break
            warnings.warn(note.decode(errors="replace"), stacklevel=3)

    @classmethod
    def read(cls, path: Union[str, os.PathLike]) -> "System":
        """Reads a system from a file of PHCpack, Bertini or msolve, or with one equation per line."""
        handle, error = ctypes.c_void_p(), _abi.TextError()
        check(lib.plumb_system_read_file(os.fsencode(path), _byref(handle), _byref(error)), error)
        made = cls._of(handle)
        made._warn()
        return made

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the system to a file that ends in .phc or .txt."""
        check(lib.plumb_system_write_file(self._handle, os.fsencode(path), _abi.FORMAT_AUTO))

    @property
    def unknowns(self) -> List[str]:
        """The names of the unknowns."""
        return [lib.plumb_system_name(self._handle, k).decode()
                for k in range(lib.plumb_system_unknowns(self._handle))]

    @property
    def parameters(self) -> List[str]:
        """The names of those unknowns, the last ones, that are parameters of a :class:`plumb.Family`: a text declares them before its
        equations, ``"parameters a, b; x^2 + a*x + b"``."""
        count = lib.plumb_system_parameters(self._handle)
        return self.unknowns[-count:] if count else []

    @property
    def degrees(self) -> List[int]:
        """The total degrees of the equations."""
        return [lib.plumb_system_degree(self._handle, k) for k in range(len(self))]

    @property
    def denominators(self) -> int:
        """The number of different denominators of equations with quotients. Degrees and terms are then those of the numerators."""
        return lib.plumb_system_denominators(self._handle)

    def terms(self, equation: int) -> List[Tuple[Any, Tuple[int, ...]]]:
        """The terms of an equation, from 0, as pairs of coefficient and exponents (one per unknown), higher degrees first.
        A coefficient is a Fraction, or a pair of Fractions (real and imaginary part) if it is not real. Of a quotient they are the terms of the
        numerator.

        >>> import plumb
        >>> plumb.System("x^2*y - 1/3*y + (2 - i)*x").terms(0)
        [(Fraction(1, 1), (2, 1)), ((Fraction(2, 1), Fraction(-1, 1)), (1, 0)), (Fraction(-1, 3), (0, 1))]
        """
        rows = len(self)
        equation = operator.index(equation)
        if not -rows <= equation < rows:
            raise IndexError(f"equation {equation} of a system with {rows} equations")
        equation %= rows
        count, unknowns = lib.plumb_system_terms(self._handle, equation), lib.plumb_system_unknowns(self._handle)
        exponents = numpy.zeros((count, unknowns), dtype=numpy.int32)
        check(lib.plumb_system_get_terms(self._handle, equation, exponents.ctypes.data, None))
        found: List[Tuple[Any, Tuple[int, ...]]] = []
        for term, powers in enumerate(exponents.tolist()):
            re, im = self._coefficient(equation, term, 0), self._coefficient(equation, term, 1)
            found.append(((re, im) if im else re, tuple(powers)))
        return found

    def _coefficient(self, equation: int, term: int, part: int) -> Fraction:
        buffer, needed = ctypes.create_string_buffer(64), ctypes.c_size_t()
        status = lib.plumb_system_write_coefficient(self._handle, equation, term, part, buffer, 64, _byref(needed))
        if status == _abi.ERR_BUFFER:
            buffer = ctypes.create_string_buffer(needed.value)
            status = lib.plumb_system_write_coefficient(self._handle, equation, term, part, buffer, needed.value, None)
        check(status)
        numerator, _, denominator = buffer.value.decode().partition("/")
        return Fraction(_whole(numerator), _whole(denominator or "1"))

    @property
    def isreal(self) -> bool:
        """Whether all coefficients are real."""
        if self._real is None:
            count, rows = lib.plumb_system_unknowns(self._handle), len(self)
            points, values = numpy.zeros(count), numpy.zeros(rows)
            own = context("cpu")
            status = lib.plumb_system_eval(own.handle, self._handle, _byref(_points_view(points, count, 1, 1, 1)),
                                           _byref(_points_view(values, rows, 1, 1, 1)), None, None)
            if status not in (_abi.OK, _abi.ERR_ARGUMENT, _abi.ERR_RANGE):
                own.check(status)
            self._real = status == _abi.OK
        return self._real

    def __len__(self) -> int:
        return lib.plumb_system_equations(self._handle)

    def __str__(self) -> str:
        needed = ctypes.c_size_t()
        status = lib.plumb_system_write(self._handle, _abi.FORMAT_TXT, None, 0, _byref(needed))
        if status != _abi.ERR_BUFFER:
            check(status)
        buffer = ctypes.create_string_buffer(needed.value)
        check(lib.plumb_system_write(self._handle, _abi.FORMAT_TXT, buffer, needed.value, _byref(needed)))
        return buffer.value.decode().rstrip("\n")

    def __repr__(self) -> str:
        names = ", ".join(self.unknowns)
        return f"<plumb.System: {len(self)} equations in {names if len(names) < 60 else str(len(self.unknowns)) + ' unknowns'}>"

    def _repr_html_(self) -> str:
        import html
        rows = "".join(f"<tr><td style='text-align:left'>{html.escape(line.rstrip(';'))} = 0</td></tr>"
                       for line in str(self).splitlines()[:20])
        more = f"<p>and {len(self) - 20} more equations</p>" if len(self) > 20 else ""
        return f"<table>{rows}</table>{more}"

    def __eq__(self, other: Any) -> Any:
        return str(self) == str(other) if isinstance(other, System) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        return System, (str(self),)

    def __call__(self, *point: Any) -> Array:
        """The values at a point: ``s(1, 2)`` or ``s([1, 2])``."""
        given = point[0] if len(point) == 1 and not isinstance(point[0], (int, float, complex, str)) else list(point)
        return evaluate(self, given).values

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            lib.plumb_system_destroy(handle)
            self._handle = None


def _whole(digits: str) -> int:
    """An integer of any length: Python refuses to read more than some thousands of digits at once."""
    if digits.startswith("-"):
        return -_whole(digits[1:])
    value, piece = 0, 600
    for start in range(0, len(digits), piece):
        part = digits[start:start + piece]
        value = value * 10**len(part) + int(part)
    return value


def as_system(x: Any) -> System:
    """The argument as a System."""
    return x if isinstance(x, System) else System(x)


def _names(unknowns: Optional[Iterable[Any]], what: str = "an unknown") -> Optional[List[str]]:
    if unknowns is None:
        return None
    if isinstance(unknowns, str):
        unknowns = unknowns.replace(",", " ").split()
    if isinstance(unknowns, numpy.ndarray) and unknowns.dtype.kind not in "OU":
        raise TypeError(f"unknowns are an array of {unknowns.dtype}, expected names or symbols")
    names = [str(name) for name in unknowns]
    if len(set(names)) != len(names):
        raise ArgumentError(f"{what} is given twice")
    if not all(name.isidentifier() and name.isascii() and name not in ("i", "I") for name in names):
        raise ArgumentError(f"a name of {what} has letters, digits and '_', does not begin with a digit, and is "
                            "neither 'i' nor 'I'")
    return names


def _parse(text: str) -> int:
    handle, error = ctypes.c_void_p(), _abi.TextError()
    data = text.encode()
    check(lib.plumb_system_parse(data, len(data), _byref(handle), _byref(error)), error)
    return handle.value


def _parse_list(texts: Sequence[str], names: Optional[List[str]]) -> int:
    """One equation per text; names that are given come first, each times zero, which fixes their order."""
    given = list(texts)
    if names:
        given[0] = "".join(f"0*{name} + " for name in names) + given[0]
    data = (ctypes.c_char_p * len(given))(*[text.encode() for text in given])
    handle, error = ctypes.c_void_p(), _abi.TextError()
    check(lib.plumb_system_parse_equations(data, len(given), _byref(handle), _byref(error)), error)
    return handle.value


def _sympy_terms(x: Any, ordered: Sequence[Any]) -> Any:
    import sympy

    try:
        return sympy.Poly(x, *ordered).terms()
    except sympy.PolynomialError:
        raise ArgumentError(f"'{x}' is neither a polynomial nor a quotient of polynomials in "
                            f"{', '.join(map(str, ordered))}") from None


def _quotient_text(x: Any, ordered: Sequence[Any]) -> str:
    """A quotient of SymPy polynomials as the library reads it."""
    import sympy

    parts = []
    for part in sympy.fraction(sympy.together(x)):
        terms = []
        for powers, coefficient in _sympy_terms(part, ordered):
            re, im = ratio_of_sympy(sympy.sympify(coefficient))
            terms.append("*".join([f"(({re}) + ({im})*i)"] + [f"{name}^{power}" for name, power in zip(ordered, powers)]))
        parts.append(" + ".join(terms))
    return f"({parts[0]})/({parts[1]})"


def _from_sympy(given: Sequence[Any], names: Optional[List[str]]) -> int:
    """Terms of SymPy polynomials. Coefficients are exact; constants such as sqrt(2) and pi become rationals with 100
    digits."""
    import sympy

    expressions = []
    for x in given:
        if not isinstance(x, (sympy.Expr, sympy.Equality)):  # such as the truth value of an Eq without unknowns
            raise ArgumentError(f"'{x}' is not an equation")
        x = x.lhs - x.rhs if isinstance(x, sympy.Equality) else x
        # As exact rationals: SymPy would round all coefficients of a polynomial in which one is a floating-point number.
        expressions.append(x.xreplace({number: sympy.Rational(*ratio_of_sympy(number)[0].as_integer_ratio())
                                       for number in x.atoms(sympy.Float)}))
    symbols = set().union(*(x.free_symbols for x in expressions))
    by_name = {str(symbol): symbol for symbol in symbols}
    if names is None:
        ordered = sorted(symbols, key=lambda symbol: symbol.sort_key())
    else:
        ordered = [by_name.pop(name, None) or sympy.Symbol(name) for name in names]
        if by_name:
            raise ArgumentError(f"the equations have further unknowns: {', '.join(sorted(by_name))}")
    if not ordered:
        raise ArgumentError("the equations have no unknowns")
    first, exponents, coefficients = [0], [], []
    if any(not x.is_polynomial(*ordered) for x in expressions):
        texts = [_quotient_text(x, ordered) for x in expressions]
        return _parse_list(texts, _names([str(symbol) for symbol in ordered]))
    for x in expressions:
        terms = _sympy_terms(x, ordered)
        for powers, coefficient in terms:
            re, im = ratio_of_sympy(sympy.sympify(coefficient))
            if re or im:
                exponents += powers
                coefficients.append(f"({re} + {im}*i)".replace("+ -", "- ") if im else str(re))
        first.append(len(coefficients))
    if any(power > 2**31 - 1 for power in exponents):
        raise ArgumentError("an exponent is too large")
    texts = (ctypes.c_char_p * max(len(coefficients), 1))(*[text.encode() for text in coefficients])
    labels = (ctypes.c_char_p * len(ordered))(*[str(symbol).encode() for symbol in ordered])
    handle = ctypes.c_void_p()
    check(lib.plumb_system_create_exact(len(expressions), len(ordered), (ctypes.c_int64 * len(first))(*first),
                                        (ctypes.c_int32 * max(len(exponents), 1))(*exponents), texts, labels,
                                        _byref(handle)))
    return handle.value


# ---- Points --------------------------------------------------------------------------------------------------------


def _points_view(planes: numpy.ndarray, rows: int, count: int, prec: int, parts: int) -> View:
    """Points of stored planes (planes, points, unknowns), in C order."""
    return View(address(planes), rows, 1, count, rows * count, rows, rows, prec, parts, 0, 0)


def for_points(function: Any, destroy: Any, one: Callable[[ctypes.c_void_p, int, int], Any], system: Any,
               planes: numpy.ndarray, prec: int, options: Any, progress: Any, what: str) -> List[Any]:
    """Makes a call of the library on points, and returns what ``one(handle, number, unknowns)`` makes of each of its results."""
    _, count, unknowns = planes.shape
    view = _points_view(planes, unknowns, count, prec, 2)
    handle = ctypes.c_void_p()

    def finish(status: int, stopped: bool) -> List[Any]:
        try:
            if stopped:
                raise Interrupted("the call was stopped")
            own.check(status)
            return [one(handle, k, unknowns) for k in range(count)]
        finally:
            destroy(handle)

    with working_context("cpu") as own:
        def call(callback: Any) -> int:
            options.progress = callback
            return function(own.handle, system._handle, _byref(view), _byref(options), _byref(handle))

        return run(call, progress, what, finish)


def _doubles(points: numpy.ndarray, prec: int, parts: int) -> Array:
    """Doubles as planes in C order."""
    given = 2 if points.dtype.char == "D" else 1
    parts = max(parts, given)
    make = numpy.empty if prec * parts == given else numpy.zeros  # every plane is written below, or some remain zero
    planes = make((prec * parts, *points.shape))
    planes[0] = points.real
    if given == 2:
        planes[prec] = points.imag
    return Array(planes, prec)


def stored_points(points: Any, unknowns: int, prec: Optional[int], parts: int = 0, what: str = "points",
                  fresh: bool = False) -> Tuple[numpy.ndarray, Tuple[int, ...], int, int]:
    """Points (..., unknowns) as planes in C order, with their leading axes, their precision and parts (0: their own)."""
    if type(points) is numpy.ndarray and points.dtype.char in "dD" and points.ndim > 0:
        given = _doubles(points, prec or _abi.D, parts)  # one pass over each plane
        fresh = False
    else:
        given = array(points, prec)
    if given.ndim < 1 or given.shape[-1] != unknowns:
        raise ArgumentError(f"{what} have the shape {given.shape}, expected {unknowns} unknowns along the last axis")
    prec = given._prec
    if not parts:
        parts = len(given._planes) // prec
    if given.iscomplex and parts == 1:
        if numpy.any(given._planes[prec:]):
            raise ArgumentError(f"{what} are complex, expected real numbers")
        given = given.real
    planes = given._as(prec, parts)._planes
    if fresh and numpy.shares_memory(planes, given._planes) or not planes.flags.c_contiguous:
        planes = numpy.array(planes, order="C")
    return planes, given.shape[:-1], prec, parts


class Evaluation(NamedTuple):
    """Values (..., equations) and, if they were requested, Jacobians (..., equations, unknowns)."""

    values: Any  #: an Array, or a DeviceArray if the points are on a GPU
    jacobian: Any  #: the same, or None if it was not requested


def evaluate(system: Any, points: Any, jacobian: bool = False, *, precision: Any = None,
             backend: str = "auto") -> Evaluation:
    """Evaluates a system at a point or at many points.

    ``points`` is (..., unknowns); the leading axes are those of the results. Without ``precision`` it is that of the
    points, as :func:`plumb.array` takes them. Points whose last axis is contiguous, as plumb returns them, are not
    copied. Points on a GPU stay there, and the results are :class:`plumb.DeviceArray`.

    >>> import plumb
    >>> s = plumb.System("x^2 - y; x*y - 1")
    >>> v = plumb.evaluate(s, ["1/3", 2], jacobian=True, precision="dd")
    >>> v.values.shape, v.jacobian.shape, float(v.jacobian[1, 0])
    ((2,), (2, 2), 2.0)
    """
    system = as_system(system)
    prec = None if precision is None else precision_of(precision)
    unknowns, equations = lib.plumb_system_unknowns(system._handle), len(system)
    there = foreign(points)
    if there is not None:
        return _evaluate_on_device(system, there, unknowns, equations, jacobian, prec, backend)
    planes, batch, prec, parts = stored_points(points, unknowns, prec)
    if parts == 1 and not system.isreal:
        planes, batch, prec, parts = stored_points(Array(planes, prec), unknowns, prec, 2)
        planes = planes.reshape(2 * prec, *batch, unknowns)
    count, k = math.prod(batch), prec * parts
    values = numpy.empty((k, *batch, equations))
    slopes = numpy.empty((k, *batch, unknowns, equations)) if jacobian else None
    if count:
        own = context(backend)
        x, f = _points_view(planes, unknowns, count, prec, parts), _points_view(values, equations, count, prec, parts)
        size = unknowns * equations
        j = View(address(slopes), equations, unknowns, count, size * count, equations, size, prec, parts, 0, 0) \
            if slopes is not None else None
        own.check(lib.plumb_system_eval(own.handle, system._handle, _byref(x), _byref(f), j and _byref(j), None))
    return Evaluation(Array(values, prec), Array(slopes.swapaxes(-1, -2), prec) if slopes is not None else None)


def _evaluate_on_device(system: System, points: Any, unknowns: int, equations: int, jacobian: bool, prec: Optional[int],
                        backend: str) -> Evaluation:
    if points.ndim != 2 or points.shape[1] != unknowns:
        raise ArgumentError(f"points on the device have the shape {points.shape}, expected (points, {unknowns})")
    own = context(backend)
    prec = prec or getattr(points, "_prec", _abi.D)
    parts = 2 if points.iscomplex or not system.isreal else 1
    x = on_device(own, points, prec, parts, points=True)
    count = x.shape[0]
    values = empty(own, (count, equations), prec, parts, points=True)
    slopes = empty(own, (count, equations, unknowns), prec, parts) if jacobian else None

    def view(given: Any, rows: int, cols: int) -> View:
        return View(given._pointer, rows, cols, count, given._plane, rows, rows * cols, prec, parts, _abi.DEVICE, 0)
    if count:
        j = view(slopes, equations, unknowns) if slopes is not None else None
        own.check(lib.plumb_system_eval(own.handle, system._handle, _byref(view(x, unknowns, 1)),
                                        _byref(view(values, equations, 1)), j and _byref(j), None))
        own.check(lib.plumb_stream_wait(own.handle, None))
    return Evaluation(values, slopes)


class NewtonResult(NamedTuple):
    """What :func:`newton` found. All but ``x`` are NumPy arrays over the leading axes of the points, or single values."""

    x: Array  #: the last point: a root where ``converged``
    converged: Any  #: whether Newton's method converged
    status: Any  #: "converged", or what happened instead
    error: Any  #: estimated forward error, relative to the largest entry of x
    condition: Any  #: estimated condition number of the root
    residual: Any  #: largest modulus of an equation
    steps: Any  #: number of steps
    precision: Any  #: precision of the last residual


def newton(system: Any, x: Any, *, precision: Any = None, digits: Optional[float] = None, max_steps: int = 20,
           tolerance: float = 0.0, backend: str = "auto") -> NewtonResult:
    """Newton's method from a point or from many points (..., unknowns); the Gauss-Newton method if there are more
    equations than unknowns.

    With ``digits`` each point is refined until its estimated error promises this number of decimal digits, in the precision
    that this needs, at most ``precision`` (``"qd"`` unless given). Without it, ``precision`` is that of the points.
    :func:`refine` goes on to any number of digits.

    >>> import plumb
    >>> r = plumb.newton("x^2 - 2", [1.4], digits=50)
    >>> bool(r.converged), r.x[0].to_strings(50)
    (True, '1.4142135623730950488016887242096980785696718753769')
    """
    system = as_system(system)
    prec = None if precision is None else precision_of(precision)
    if digits is not None:
        prec = prec or _abi.QD
        digits = float(digits)
        if not 0 < digits <= 100:
            raise ArgumentError(f"digits is {digits!r}, expected a number above 0 and at most 100; plumb.refine goes further")
    unknowns = lib.plumb_system_unknowns(system._handle)
    given = x if type(x) is numpy.ndarray else array(x, prec)
    isreal = not given.iscomplex if isinstance(given, Array) else given.dtype.kind != "c"
    planes, batch, prec, parts = stored_points(given, unknowns, prec, 2, "x", fresh=True)
    count = math.prod(batch)
    options = _abi.NewtonOptions()
    lib.plumb_newton_options_init(_byref(options))
    options.max_steps = _integer(max_steps, "max_steps")
    options.tolerance = float(tolerance)
    reports = numpy.zeros(count, dtype=numpy.dtype(_abi.NewtonReport))
    own = context(backend)
    view = _points_view(planes, unknowns, count, prec, 2)
    if digits is None:
        if count:
            own.check(lib.plumb_newton(own.handle, system._handle, _byref(view), _byref(options), address(reports)))
    else:
        view.batch = 1
        for k in range(count):
            own.check(lib.plumb_newton_refine(own.handle, system._handle, _byref(view), digits, _byref(options),
                                              address(reports) + k * reports.itemsize))
            view.data += 8 * view.next
    root = Array(planes, prec)
    if isreal and not numpy.any(planes[prec:]):
        root = root.real

    def shaped(values: Any) -> Any:
        found = numpy.asarray(values).reshape(batch)
        return found if batch else found[()]
    texts = [lib.plumb_newton_text(code).decode() for code in range(_abi.NEWTON_NONFINITE + 1)]
    codes = reports["code"]
    return NewtonResult(root, shaped(codes == _abi.NEWTON_CONVERGED),
                        shaped(numpy.array([texts[code] for code in codes], dtype=object)), shaped(reports["error"]),
                        shaped(reports["condition"]), shaped(reports["residual"]), shaped(reports["steps"]),
                        shaped(numpy.array([NAMES.get(p, "") for p in reports["prec"]], dtype=object)))


def _integer(value: Any, what: str, low: int = 0, high: int = 2**63 - 1) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, numpy.integer)) or not low <= value <= high:
        raise ArgumentError(f"{what} is {value!r}, expected an integer from {low} to {high}")
    return int(value)


def mixed_volume(system: Any, kind: str = "stable", *, seed: int = 0) -> int:
    """The mixed volume of a system with as many equations as unknowns: an upper bound of its isolated solutions.

    ``kind`` is ``"stable"`` (all isolated solutions), ``"nonzero"`` (only those without zero coordinates) or
    ``"origin"`` (the origin added to every support).

    >>> import plumb
    >>> plumb.mixed_volume(["x^2 + y^2 - 5", "x*y - 2"])
    4
    """
    kinds = {"stable": _abi.MIXED_STABLE, "origin": _abi.MIXED_ORIGIN, "nonzero": _abi.MIXED_NONZERO}
    if not isinstance(kind, str) or kind not in kinds:
        raise ArgumentError(f"kind is {kind!r}, expected 'stable', 'origin' or 'nonzero'")
    system = as_system(system)
    options, report = _abi.MixedOptions(), _abi.MixedReport()
    lib.plumb_mixed_options_init(_byref(options))
    options.kind, options.seed = kinds[kind], _integer(seed, "seed", 0, 2**64 - 1)
    own = context("cpu")
    own.check(lib.plumb_mixed_volume(own.handle, system._handle, _byref(options), _byref(report)))
    return report.volume

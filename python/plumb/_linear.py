"""Least squares and QR factorisation.

The bridge to the C calls is kept short: data of a call lie in one block of memory, one view per argument describes
it, and the report of a context is used again by every call.
"""

from __future__ import annotations

import ctypes
import math
import warnings
from typing import Any, Callable, List, NamedTuple, Optional, Tuple, Union

import numpy

from . import _abi
from ._abi import View
from ._array import Array, _as_ndarray, _broadcast, address, array, empty_planes
from ._device import DeviceArray, empty, foreign, matrix_view, on_device
from ._library import NAMES, ArgumentError, Context, context, lib, make_error, precision_of

__all__ = ["lstsq", "qr", "LstsqResult", "QRResult", "RoundingWarning"]

_byref, _addressof, _c_double = ctypes.byref, ctypes.addressof, ctypes.c_double
_METHODS = {"mgs": _abi.METHOD_MGS, "refined": _abi.METHOD_REFINED, "lu": _abi.METHOD_LU}
_METHOD_NAMES = {code: name for name, code in _METHODS.items()}


class LstsqResult(NamedTuple):
    """What :func:`lstsq` found. For a batch, all but ``x`` and ``residual`` are NumPy arrays over the batch."""

    x: Any  #: the solution: an Array, or a DeviceArray if the data are on a GPU
    residual: Any  #: the norms of b - A x, one per right-hand side
    digits: Any  #: estimated number of correct decimal digits in the largest entry of x; NaN without a report
    condition: Any  #: estimated condition number of A with columns (m < n: rows) scaled to similar norms; NaN without a report
    rank: Any  #: number of columns, or of rows if there are fewer, or a lower rank that pivoting found
    precision: Any  #: precision in which the matrix was factored: "d", "dd" or "qd"
    method: Any  #: "mgs", "refined" or "lu", as used in the end
    info: Any  #: 0 if solved; k > 0 if column k (m < n: row k) depends on those before it; negative for data that are not usable
    note: Any  #: what was done differently from the request, or what limits the digits; "" if nothing
    errors: Any = None  #: standard errors of x, with ``errors=True``: an Array with the shape of x
    covariance: Any = None  #: covariance of x, with ``errors=True``: (..., n, n), or (..., p, n, n) for p right-hand sides


class RoundingWarning(UserWarning):
    """The data are doubles, and if they were rounded, that changes more digits of x than are left. ``rounded=False`` says that they are
    exact, ``rounded=True`` that they were rounded: then ``digits`` allows for that, and there is no warning."""


class QRResult(NamedTuple):
    """What :func:`qr` found: ``A[..., permutation] = Q @ R``."""

    Q: Any  #: an Array, or a DeviceArray if A is on a GPU
    R: Any  #: the same, upper triangular
    permutation: Optional[numpy.ndarray]  #: numbers of the columns of A, with pivoting; otherwise None
    condition: Any  #: estimated condition number of A with columns scaled to similar norms
    rank: Any  #: number of columns, or a lower rank that pivoting found


def _options(method: str, pivot: bool, reorthogonalize: bool = False) -> _abi.LsqOptions:
    options = _abi.LsqOptions()
    lib.plumb_lsq_options_init(_byref(options))
    try:
        options.method = _METHODS[method]
    except (KeyError, TypeError):
        raise ArgumentError(f"method is {method!r}, expected 'mgs', 'refined' or 'lu'") from None
    options.pivot = bool(pivot)
    options.reorthogonalize = bool(reorthogonalize)
    return options


_ROUNDED = {None: None, False: _abi.ROUNDED_NONE, True: _abi.ROUNDED_DATA, "b": _abi.ROUNDED_SIDES}


def _auto_options(rounded: Optional[int]) -> Optional[_abi.LsqAutoOptions]:
    """The options of the automatic precision; None for its defaults."""
    if rounded is None:
        return None
    options = _abi.LsqAutoOptions()
    lib.plumb_lsq_auto_options_init(_byref(options))
    options.rounded = rounded
    return options


def _rounded_of(given: Any) -> Optional[int]:
    """What a caller says about the rounding of the data; None if nothing."""
    if given is None or isinstance(given, (bool, numpy.bool_)) or isinstance(given, str) and given == "b":
        return _ROUNDED[given if given is None or isinstance(given, str) else bool(given)]
    raise ArgumentError(f"rounded is {given!r}, expected True, False, 'b' or None")


def _numbers_of(x: Any, what: str, limbs: bool, prec: int) -> Union[Array, numpy.ndarray]:
    """The argument as an Array, or as a NumPy array of doubles that is copied into place later."""
    if type(x) is numpy.ndarray and not limbs and x.dtype.char in "dD":
        return x
    if limbs and not isinstance(x, Array):
        return array(x, limbs=True)
    found = array(x, None if isinstance(x, Array) or _is_doubles(x) else prec or _abi.QD)
    if found.ndim < 1:
        raise ArgumentError(f"{what} is a number, expected an array")
    return found


def _is_doubles(x: Any) -> bool:
    return isinstance(x, numpy.ndarray) and x.dtype.kind in "fc" and x.dtype.itemsize <= 16


def _was_rounded(given: Any, found: Union[Array, numpy.ndarray], limbs: bool, prec: int) -> bool:
    """Whether the numbers of an argument may have been rounded to the precision of the call: only doubles and our own arrays of
    at most this precision, and integers and floats of Python, have certainly not been."""
    if isinstance(found, Array) and found._prec > prec:
        return True
    return not (limbs or isinstance(given, Array) or _is_doubles(given) or _are_machine_numbers(given))


def _are_machine_numbers(given: Any) -> bool:
    """Whether numbers are integers or floating-point numbers that doubles hold."""
    kind = _as_ndarray(given).dtype.kind if isinstance(given, (numpy.ndarray, list, tuple)) else "O"
    if kind in "biu":
        return bool(numpy.all(numpy.abs(numpy.asarray(given).astype(float)) < 2.0**53))
    return kind in "fc" and _as_ndarray(given).dtype.itemsize <= (8 if kind == "f" else 16)


def _fill(out: numpy.ndarray, given: Union[Array, numpy.ndarray], prec: int, parts: int) -> None:
    """Copies numbers into planes that are zero: one pass over each plane that is not."""
    if isinstance(given, Array):
        out[...] = given._as(prec, parts)._planes
    elif given.dtype.char == "D":
        out[0] = given.real
        out[prec] = given.imag
    else:
        out[0] = given


def _is_ours(given: Any, prec: int, parts: int) -> bool:
    """Whether a matrix or vector is stored as plumb.h wants it: contiguous columns, and strides that do not overlap."""
    if type(given) is numpy.ndarray or given._prec != prec or len(given._planes) != prec * parts:
        return False
    planes = given._planes
    strides, shape = planes.strides, planes.shape
    if not planes.flags.aligned or strides[1] != 8 or strides[0] % 8:
        return False
    if planes.ndim == 2:
        return strides[0] >= 8 * shape[1]
    return (planes.ndim == 3 and strides[2] % 8 == 0 and strides[2] >= 8 * shape[1] and
            strides[0] >= strides[2] * shape[2])


class _Call:
    """The views and the report of a problem of one shape, which calls of a context use again: only addresses and strides
    change. A call takes it out of the context, so that a signal handler that calls plumb gets another one."""

    __slots__ = ("a", "b", "x", "residual", "info", "pointers", "report", "report_pointer")

    def __init__(self, m: int, n: int, p: int, prec: int, parts: int):
        self.a = View(None, m, n, 1, m * n, m, 0, prec, parts, 0, 0)
        self.b = View(None, m, p, 1, m * p, m, 0, prec, parts, 0, 0)
        self.x = View(None, n, p, 1, n * p, n, 0, prec, parts, 0, 0)
        self.residual = View(None, 1, p, 1, p, 1, 0, prec, 1, 0, 0)
        self.info = ctypes.c_int64()
        self.pointers = tuple(map(_byref, (self.a, self.b, self.x, self.residual, self.info)))
        self.report = _abi.LsqReport()
        self.report_pointer = _byref(self.report)


def lstsq(A: Any, b: Any, precision: Any = "auto", digits: Optional[float] = None, *, method: str = "mgs",
          pivot: bool = False, backend: str = "auto", limbs: bool = False, report: bool = True,
          check: bool = True, rounded: Union[None, bool, str] = None, errors: bool = False) -> LstsqResult:
    """Solves A x = b in the least-squares sense. With fewer rows than columns x is the solution of least norm.

    Parameters
    ----------
    A : (..., m, n) numbers
    b : (m,), (..., m) or (..., m, p) numbers
    precision : ``"d"``, ``"dd"``, ``"qd"``, or ``"auto"``: the lowest precision that gives ``digits`` correct digits
    digits : decimal digits of x that ``"auto"`` asks for, 15 unless given
    method : ``"mgs"`` (modified Gram-Schmidt), ``"refined"`` (a factor in a lower precision and iterative refinement)
        or ``"lu"`` (Gaussian elimination, square A only); on a GPU ``"refined"`` is ``"mgs"`` with m < n
    pivot : exchange columns, decide the rank and return a basic solution (``"mgs"`` and m >= n only)
    limbs : A and b hold limbs along their last axis, as for :func:`plumb.from_limbs`
    report : without it a batch is solved by one call, which is faster, and has no ``digits`` and ``condition``
    check : raise an exception if a problem cannot be solved; otherwise its x is zero and ``info`` has the reason
    rounded : whether A and b were rounded to their precision before the call, which ``digits`` of the result allows for:
        True, False, or ``"b"`` if only b was; None: as their types show, and with ``"auto"`` whether their last limb is
        used. Doubles count as exact then, with a :class:`plumb.RoundingWarning` where they do not look so and it matters
    errors : also find the standard errors and the covariance of x, ``|b - A x|^2 / (m - n)`` times the inverse of A^H A, as
        ``plumb lsq --errors --covariance`` does; needs m > n

    A and b may be anything that :func:`plumb.array` takes. Leading axes are batches, and are broadcast as in
    numpy.linalg: b is a vector if it has one axis, or one axis less than A.

    Arrays of one matrix that plumb made, in the precision of the call, are used without a copy; anything else is copied
    once into planes. If A or b is on a GPU (an array of CuPy, PyTorch, Numba or JAX, or a DeviceArray), everything
    is done there, and the solution is a :class:`plumb.DeviceArray`; batches have one leading axis then, and no
    estimates.

    >>> import numpy, plumb
    >>> A = numpy.vander(numpy.arange(1, 9) / 8.0)      # condition number 1e6
    >>> r = plumb.lstsq(A, A.sum(axis=1), "dd")
    >>> bool(r.digits > 20), float(abs(r.x - 1).to_numpy().max()) < 1e-20
    (True, True)
    """
    prec = precision_of(precision, auto=True)
    said = _rounded_of(rounded)
    automatic = _auto_options(said) if not prec else None
    if type(A) not in _ON_HOST or type(b) not in _ON_HOST:
        there = foreign(A), foreign(b)
        if there[0] is not None or there[1] is not None:
            if errors:
                raise ArgumentError("errors are computed on the host: copy A and b there")
            chosen = _options(method, pivot)
            chosen.rounded = said or 0
            return _on_device(there[0] if there[0] is not None else array(A),
                              there[1] if there[1] is not None else array(b), prec,
                              15.0 if digits is None else _digits(digits), chosen, automatic, backend)
    left, right = _numbers_of(A, "A", limbs, prec), _numbers_of(b, "b", limbs, prec)
    shape = left.shape
    if len(shape) < 2:
        raise ArgumentError(f"A has the shape {shape}, expected at least two axes")
    vector = right.ndim == 1 or right.ndim == len(shape) - 1
    m, n = shape[-2:]
    if right.ndim == 0 or right.shape[-1 if vector else -2] != m:
        raise ArgumentError(f"b has the shape {right.shape}, expected {m} rows as A has")
    if errors and m <= n:
        raise ArgumentError(f"A has the shape {shape}, expected more rows than columns: errors need m > n")
    parts = 2 if _is_complex(left) or _is_complex(right) else 1
    wanted = 15.0 if digits is None else _digits(digits)
    if digits is not None and prec:
        raise ArgumentError("digits is for precision='auto'")
    own = context(backend)

    def solve(prec: int, report: bool, check: bool) -> LstsqResult:
        options: Any = automatic
        what = said if said is not None or not prec else _abi.ROUNDED_DATA if _was_rounded(A, left, limbs, prec) else \
            _abi.ROUNDED_SIDES if _was_rounded(b, right, limbs, prec) else _abi.ROUNDED_NONE
        if prec and (method != "mgs" or pivot or what):
            options = _options(method, pivot)
            options.rounded = what
        if len(shape) == 2 and right.ndim <= 2:
            return _one(own, left, right, prec, wanted, parts, vector, options, check)
        return _many(own, left, right, prec, wanted, parts, vector, options, report, check)

    result = solve(prec, report, check) if prec or method == "mgs" and not pivot else _climb(solve, wanted, check)
    if rounded or rounded is None and _is_large(result.condition):
        result = _allowing(result, A, b, left, right, limbs, method, pivot, backend, rounded)
    if type(result.digits) is float:
        result.x._shown = int(result.digits) or 1
    return result if not errors else _with_errors(result, left, m, n, parts, vector)


def _climb(solve: Callable[[int, bool, bool], LstsqResult], wanted: float, check: bool) -> LstsqResult:
    """The lowest precision that gives the digits, for methods that plumb_lsq_auto does not have."""
    for prec in (_abi.D, _abi.DD, _abi.QD):
        last = prec == _abi.QD
        result = solve(prec, True, check and last)
        if numpy.all(result.info == 0) and numpy.all(result.digits >= wanted):
            break
        if last and type(result.digits) is float and not result.note:
            result = result._replace(note=f"qd gives {math.floor(result.digits)} of the {wanted:.0f} digits wanted")
    return result._replace(x=result.x.astype("qd"), residual=result.residual.astype("qd"))


# Rounding to double matters if x has fewer than half of the digits of a double then, for which its condition number must be this large.
_HALF = 53 * math.log10(2.0) / 2
_LARGE = 2.0**26.5


def _is_large(condition: Any) -> bool:
    return condition > _LARGE if type(condition) is float else bool(numpy.any(condition > _LARGE))


def _data_precision(given: Any, found: Union[Array, numpy.ndarray], limbs: bool) -> int:
    """The precision that an argument has, to which it may have been rounded."""
    if not limbs and not isinstance(given, Array) and (_is_doubles(given) or _are_machine_numbers(given)):
        return _abi.D
    return found._prec if isinstance(found, Array) else _abi.D


def _look_rounded(found: Union[Array, numpy.ndarray]) -> bool:
    """Whether doubles use one of their last four bits, as rounded numbers do, and short fractions and integers do not."""
    planes = found._planes if isinstance(found, Array) else numpy.stack([found.real, found.imag])
    bits = numpy.ldexp(numpy.frexp(planes)[0], 53)
    return bool(numpy.any(bits % 16.0 != 0.0))


def _allowing(result: LstsqResult, A: Any, b: Any, left: Any, right: Any, limbs: bool, method: str, pivot: bool, backend: str,
              rounded: Any) -> LstsqResult:
    """A result whose digits allow for data that were rounded to a precision below that of the call, or a note and a warning that this would
    matter: the digits are those that a computation in that precision has."""
    prec = max(_data_precision(A, left, limbs), _data_precision(b, right, limbs))
    if prec >= result.x._prec or rounded is None and (prec != _abi.D or not (_look_rounded(left) or _look_rounded(right))):
        return result
    low = lstsq(A, b, prec, method=method, pivot=pivot, backend=backend, limbs=limbs, check=False, rounded=rounded or True)
    most = numpy.where(low.info == 0, low.digits, 0.0)
    single = type(result.digits) is float
    digits = numpy.minimum(result.digits, most)
    words = f"about {math.floor(float(numpy.min(digits)))} correct digits (estimated)"
    if rounded is None:
        if float(numpy.min(digits)) >= _HALF:
            return result
        note = f"if A and b were rounded to double, x has {words}: the condition number is {float(numpy.max(result.condition)):.1e}"
        warnings.warn(note + "; rounded=True allows for that, rounded=False says that they are exact", RoundingWarning, stacklevel=3)
        digits = result.digits
    else:
        note = f"A or b were rounded to {NAMES[prec]}: x has {words}"
    return result._replace(digits=float(digits) if single else digits, note=result.note or note if single else result.note)


def _with_errors(result: LstsqResult, left: Any, m: int, n: int, parts: int, vector: bool) -> LstsqResult:
    """The standard errors and the covariance of x. A = Q R, so (A^H A)^-1 = Z Z^H with Z = R^-1, in the precision above that of R."""
    prec = result.x._prec
    high = min(2 * prec, _abi.QD)
    R = qr(left if isinstance(left, Array) else array(left), prec).R.astype(high)
    Z = lstsq(R, numpy.broadcast_to(numpy.eye(n), R.shape), high, method="lu", report=False).x
    inverse = numpy.einsum("...ik,...jk->...ij", Z, Z.conj())
    variance = result.residual.astype(high) * result.residual.astype(high) / (m - n)
    diagonal = numpy.einsum("...ii->...i", inverse).real
    if vector:
        errors, covariance = diagonal * variance[..., None], inverse * variance[..., None, None]
    else:
        errors = diagonal[..., :, None] * variance[..., None, :]
        covariance = inverse[..., None, :, :] * variance[..., :, None, None]
    return result._replace(errors=errors.sqrt().astype(prec), covariance=covariance.astype(prec))


def _digits(digits: Any) -> float:
    try:
        wanted = float(digits)
    except (TypeError, ValueError):
        wanted = math.nan
    if not 0.0 < wanted <= 1000.0:
        raise ArgumentError(f"digits is {digits!r}, expected a positive number")
    return wanted


def _is_complex(x: Union[Array, numpy.ndarray]) -> bool:
    return x.iscomplex if isinstance(x, Array) else x.dtype.char == "D"


def _one(own: Context, left: Any, right: Any, prec: int, wanted: float, parts: int, vector: bool,
         options: Any, raising: bool) -> LstsqResult:
    """One problem: one block of memory for everything that is copied or computed."""
    auto = not prec
    prec = prec or _abi.QD
    (m, n), p = left.shape, 1 if vector else right.shape[1]
    key = (m, n, p, prec, parts)
    call = own.calls.pop(key, None) or _Call(*key)
    k = prec * parts
    a_here, b_here = _is_ours(left, prec, parts), _is_ours(right, prec, parts)
    a_size, b_size, x_size = 0 if a_here else k * m * n, 0 if b_here else k * m * p, k * n * p
    block = (numpy.empty if a_here and b_here else numpy.zeros)(a_size + b_size + x_size + prec * p)
    start = _addressof(_c_double.from_buffer(block)) if block.size else 0
    a, b = call.a, call.b
    if a_here:
        planes = left._planes
        a.data, a.plane, a.col = address(planes), planes.strides[0] >> 3, planes.strides[2] >> 3
    else:
        a.data, a.plane, a.col = start, m * n, m
        _fill(block[:a_size].reshape(k, n, m).transpose(0, 2, 1), left, prec, parts)
    at = a_size + b_size
    if b_here:
        planes = right._planes
        b.data, b.plane, b.col = address(planes), planes.strides[0] >> 3, planes.strides[2] >> 3 if not vector else m
    else:
        b.data, b.plane, b.col = start + 8 * a_size, m * p, m
        place = block[a_size:at]
        _fill(place.reshape(k, m) if vector else place.reshape(k, p, m).transpose(0, 2, 1), right, prec, parts)
    call.x.data = start + 8 * at
    call.residual.data = start + 8 * (at + x_size)
    report = call.report
    if auto:
        status = lib.plumb_lsq_auto(own.handle, *call.pointers, wanted, options and _byref(options), call.report_pointer)
    else:
        status = lib.plumb_lsq(own.handle, *call.pointers, options and _byref(options), call.report_pointer)
    if status:
        own.check(status)
    code = call.info.value
    if code and raising:
        raise _failure(own, code)
    solution, norms = block[at:at + x_size], block[at + x_size:]
    solution = solution.reshape(k, n) if vector else solution.reshape(k, p, n).transpose(0, 2, 1)
    if len(own.calls) < 100:
        own.calls[key] = call
    return LstsqResult(Array(solution, prec), Array(norms if vector else norms.reshape(prec, p), prec), report.digits,
                       report.condition, report.rank, NAMES.get(report.factor_prec),
                       _METHOD_NAMES.get(report.method), code, report.note.decode(errors="replace"))


_ON_HOST = (numpy.ndarray, Array, list, tuple)


def _on_device(left: Any, right: Any, prec: int, wanted: float, options: _abi.LsqOptions,
               automatic: Optional[_abi.LsqAutoOptions], backend: str) -> LstsqResult:
    """One problem, or a batch, on the device."""
    own = context(backend)
    if left.ndim not in (2, 3) or right.ndim not in (left.ndim, left.ndim - 1):
        raise ArgumentError(f"A and b on the device have the shapes {left.shape} and {right.shape}, expected one problem "
                            "or a batch along the first axis")
    vector, batch = right.ndim == left.ndim - 1, left.ndim == 3
    auto, prec = not prec, prec or _abi.QD
    parts = 2 if left.iscomplex or right.iscomplex else 1
    a = on_device(own, left, prec, parts)
    b = on_device(own, right, prec, parts, points=vector)
    (m, n), p = a.shape[-2:], 1 if vector else b.shape[-1]
    if b.shape[-1 if vector else -2] != m or batch and a.shape[0] != b.shape[0]:
        raise ArgumentError(f"A and b have the shapes {a.shape} and {b.shape}, which do not match")
    first = a.shape[:1] if batch else ()
    x = empty(own, first + ((n,) if vector else (n, p)), prec, parts, points=vector)
    norms = empty(own, first + ((1,) if vector else (1, p)), prec, 1, points=vector)
    views = [matrix_view(array, vector and array is not a, batch) for array in (a, b, x, norms)]
    pointers = [_byref(view) for view in views]
    if batch:
        if auto:
            raise ArgumentError("batches on the device need a precision: 'd', 'dd' or 'qd'")
        own.check(lib.plumb_lsq_batch(own.handle, *pointers, None, _byref(options)))
        own.check(lib.plumb_stream_wait(own.handle, None))
        count = numpy.full(first, math.nan)
        return LstsqResult(x, norms, count, count, numpy.full(first, min(m, n)), NAMES[prec], _METHOD_NAMES[options.method],
                           numpy.zeros(first, dtype=numpy.int64), "")
    report = _abi.LsqReport()
    if auto:
        own.check(lib.plumb_lsq_auto(own.handle, *pointers, None, wanted, automatic and _byref(automatic),
                                     _byref(report)))
    else:
        own.check(lib.plumb_lsq(own.handle, *pointers, None, _byref(options), _byref(report)))
    own.check(lib.plumb_stream_wait(own.handle, None))
    return LstsqResult(x, norms, report.digits, report.condition, report.rank, NAMES.get(report.factor_prec),
                       _METHOD_NAMES.get(report.method), 0, report.note.decode(errors="replace"))


def _failure(own: Context, code: int) -> Exception:
    status = -code if code < 0 else _abi.ERR_SINGULAR
    return make_error(status, lib.plumb_context_message(own.handle).decode(errors="replace"))


def _batch_planes(given: Any, batch: Tuple[int, ...], tail: Tuple[int, ...], prec: int, parts: int) -> numpy.ndarray:
    """Planes of a batch of matrices, matrix after matrix: shape (problems, planes, columns, rows)."""
    k = prec * parts
    count = math.prod(batch)
    rows, cols = tail if len(tail) == 2 else (tail[0], 1)
    out = numpy.zeros((*batch, k, cols, rows))
    logical = numpy.moveaxis(out, -3, 0).swapaxes(-1, -2)  # (planes, batch, rows, columns)
    if isinstance(given, Array):
        given = _broadcast(given._as(prec, parts), batch + tail)
        planes = given._planes
        logical[...] = planes if len(tail) == 2 else planes[..., None]
    else:
        given = numpy.broadcast_to(given, batch + tail)
        _fill(logical, given if len(tail) == 2 else given[..., None], prec, parts)
    return out.reshape(count, k, cols, rows)


def _many(own: Context, left: Any, right: Any, prec: int, wanted: float, parts: int, vector: bool,
          options: Any, report: bool, raising: bool) -> LstsqResult:
    """A batch: one call, or one call per problem where reports are asked for."""
    auto = not prec
    prec = prec or _abi.QD
    k = prec * parts
    m, n = left.shape[-2:]
    tail = right.shape[-1:] if vector else right.shape[-2:]
    p = 1 if vector else tail[1]
    try:
        batch = numpy.broadcast_shapes(left.shape[:-2], right.shape[:right.ndim - len(tail)])
    except ValueError:
        raise ArgumentError(f"A and b have the shapes {left.shape} and {right.shape}, which are not batches of the "
                            "same shape") from None
    count = math.prod(batch)
    a = _batch_planes(left, batch, (m, n), prec, parts)
    b = _batch_planes(right, batch, tail, prec, parts)
    x, norms = numpy.empty((count, k, p, n)), numpy.empty((count, prec, p, 1))
    info = numpy.zeros(count, dtype=numpy.int64)
    views = [View(address(a), m, n, count, m * n, m, k * m * n, prec, parts, 0, 0),
             View(address(b), m, p, count, m * p, m, k * m * p, prec, parts, 0, 0),
             View(address(x), n, p, count, n * p, n, k * n * p, prec, parts, 0, 0),
             View(address(norms), 1, p, count, p, 1, prec * p, prec, 1, 0, 0)]
    pointers = [_byref(view) for view in views]
    reports: List[Tuple[Any, ...]] = []
    if not count:
        pass
    elif not report and not auto:
        own.check(lib.plumb_lsq_batch(own.handle, *pointers, address(info), options and _byref(options)))
        for code in info[info != 0][:1] if raising else ():
            raise _failure(own, int(code))
        reports = [(math.nan, math.nan, min(m, n), prec, options.method if options else 0, b"")] * count
    else:
        said = _abi.LsqReport()
        strides = [8 * view.next for view in views]
        one = ctypes.c_int64()
        for view in views:
            view.batch = 1
        for problem in range(count):
            if auto:
                status = lib.plumb_lsq_auto(own.handle, *pointers, _byref(one), wanted, options and _byref(options),
                                            _byref(said))
            else:
                status = lib.plumb_lsq(own.handle, *pointers, _byref(one), options and _byref(options), _byref(said))
            own.check(status)
            if one.value:
                if raising:
                    raise _failure(own, one.value)
                info[problem] = one.value
            reports.append((said.digits, said.condition, said.rank, said.factor_prec, said.method, said.note))
            for view, stride in zip(views, strides):
                view.data += stride
    found = [numpy.array(column).reshape(batch) for column in zip(*reports)] if reports else \
        [numpy.zeros(batch) for _ in range(6)]
    solution = numpy.moveaxis(x.reshape(*batch, k, p, n), -3, 0).swapaxes(-1, -2)
    lengths = numpy.moveaxis(norms.reshape(*batch, prec, p), -2, 0)
    if vector:
        solution, lengths = solution[..., 0], lengths[..., 0]
    names = numpy.vectorize(lambda value: NAMES.get(int(value), ""), otypes=[object])
    methods = numpy.vectorize(lambda value: _METHOD_NAMES.get(int(value), ""), otypes=[object])
    notes = numpy.vectorize(lambda value: value.decode(errors="replace") if isinstance(value, bytes) else "",
                            otypes=[object])
    return LstsqResult(Array(solution, prec), Array(lengths, prec), found[0], found[1], found[2].astype(numpy.int64),
                       names(found[3]), methods(found[4]), info.reshape(batch), notes(found[5].astype(object)))


def qr(A: Any, precision: Any = None, *, pivot: bool = False, reorthogonalize: bool = False, backend: str = "auto",
       limbs: bool = False) -> QRResult:
    """Factors A = Q R, with orthonormal columns of Q and a positive diagonal of the upper triangular R.

    ``A`` is (..., m, n) with m >= n; leading axes are batches. Without ``precision`` it is that of A, as
    :func:`plumb.array` takes it. With ``pivot`` columns are exchanged: ``A[..., permutation] = Q R``.

    >>> import plumb
    >>> f = plumb.qr([["1/3", 2], [3, 4], [5, 6]], "dd")
    >>> A = plumb.array([["1/3", 2], [3, 4], [5, 6]], "dd")
    >>> float(abs(f.Q @ f.R - A).to_numpy().max()) < 1e-30
    True
    """
    prec = 0 if precision is None else precision_of(precision)
    there = foreign(A) if type(A) not in _ON_HOST else None
    if there is not None:
        return _qr_on_device(there, prec, _options("mgs", pivot, reorthogonalize), backend)
    given = array(A, precision if not limbs else None, limbs=limbs)
    if prec:
        given = given.astype(prec)
    prec = given._prec
    if given.ndim < 2:
        raise ArgumentError(f"A has the shape {given.shape}, expected at least two axes")
    k, parts = len(given._planes), len(given._planes) // prec
    batch, (m, n) = given.shape[:-2], given.shape[-2:]
    options = _options("mgs", pivot, reorthogonalize)
    own, report = context(backend), _abi.LsqReport()
    q, r = empty_planes(k, batch + (m, n)), empty_planes(k, batch + (n, n))
    permutation = numpy.zeros(batch + (n,), dtype=numpy.int64)
    condition, rank = numpy.zeros(batch), numpy.zeros(batch, dtype=numpy.int64)
    for index in numpy.ndindex(*batch):
        at = (slice(None), *index)
        one = given if not batch else Array(given._planes[at], prec)
        if not _is_ours(one, prec, parts):
            one = one.copy()
        planes = one._planes
        a = View(address(planes), m, n, 1, planes.strides[0] >> 3, planes.strides[2] >> 3, 0, prec, parts, 0, 0)
        qq, rr = q[at], r[at]
        qv = View(address(qq), m, n, 1, qq.strides[0] >> 3, m, 0, prec, parts, 0, 0)
        rv = View(address(rr), n, n, 1, rr.strides[0] >> 3, n, 0, prec, parts, 0, 0)
        places = permutation[index]
        own.check(lib.plumb_qr(own.handle, _byref(a), _byref(qv), _byref(rv), address(places) if pivot else None,
                               None, _byref(options), _byref(report)))
        condition[index], rank[index] = report.condition, report.rank
    if not batch:
        condition, rank = float(condition), int(rank)
    return QRResult(Array(q, prec), Array(r, prec), permutation if pivot else None, condition, rank)


def _qr_on_device(given: Any, prec: int, options: _abi.LsqOptions, backend: str) -> QRResult:
    own, report = context(backend), _abi.LsqReport()
    if given.ndim != 2:
        raise ArgumentError(f"A on the device has the shape {given.shape}, expected one matrix")
    prec = prec or (given._prec if isinstance(given, DeviceArray) else _abi.D)
    a = on_device(own, given, prec, 2 if given.iscomplex else 1)
    m, n = a.shape
    q, r = empty(own, (m, n), prec, a._parts), empty(own, (n, n), prec, a._parts)
    permutation = numpy.zeros(n, dtype=numpy.int64)
    views = [matrix_view(array, False, False) for array in (a, q, r)]
    own.check(lib.plumb_qr(own.handle, *map(_byref, views), address(permutation) if options.pivot else None, None,
                           _byref(options), _byref(report)))
    own.check(lib.plumb_stream_wait(own.handle, None))
    return QRResult(q, r, permutation if options.pivot else None, report.condition, report.rank)

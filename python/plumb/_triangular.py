"""Cholesky factors and triangular systems, on the host and on a GPU."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Optional, Tuple, Union

import numpy

from . import _abi
from ._abi import View
from ._array import Array, _broadcast, _logical, _stored, address, array
from ._device import DeviceArray, empty, foreign, matrix_view, on_device
from ._library import ArgumentError, SingularError, context, lib, make_error, precision_of

__all__ = ["cholesky", "cholesky_solve", "solve_triangular"]

_byref = ctypes.byref
_TRANS = {"N": _abi.OPERAND_PLAIN, "T": _abi.OPERAND_TRANSPOSE, "C": _abi.OPERAND_ADJOINT,
          0: _abi.OPERAND_PLAIN, 1: _abi.OPERAND_TRANSPOSE, 2: _abi.OPERAND_ADJOINT}


def _options(upper: bool, of: int = 0, unit: bool = False) -> _abi.TriangleOptions:
    options = _abi.TriangleOptions()
    lib.plumb_triangle_options_init(_byref(options))
    options.triangle = _abi.UPPER if upper else _abi.LOWER
    options.of_t, options.unit = of, bool(unit)
    return options


def _square(shape: Tuple[int, ...]) -> None:
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ArgumentError(f"the matrix has the shape {tuple(shape)}, expected a square one")


def _host_view(stored: numpy.ndarray, prec: int, rows: int, cols: int) -> View:
    """The matrices in planes that are stored column by column: axes (plane, matrix, column, row)."""
    planes, count = stored.shape[:2]
    return View(address(stored), rows, cols, count, count * rows * cols, rows, rows * cols, prec, planes // prec, 0, 0)


def _copy_of(x: Array, prec: int, parts: int, batch: Tuple[int, ...]) -> numpy.ndarray:
    """The matrices of an array, broadcast to a batch, in planes of their own."""
    rows, cols = x.shape[-2:]
    planes = _broadcast(x._as(prec, parts), (*batch, rows, cols))._planes.reshape(prec * parts, math.prod(batch), rows, cols)
    return numpy.array(planes.swapaxes(-1, -2), order="C", copy=True)


def _device_copy(x: Any, prec: int, parts: int) -> DeviceArray:
    own = context("auto")
    there = on_device(own, x, prec, parts)
    if there is not x:
        return there
    made = empty(own, there.shape, prec, parts)
    vector = there.ndim == 1
    source, target = matrix_view(there, vector, False), matrix_view(made, vector, False)
    own.check(lib.plumb_copy(own.handle, _byref(source), _byref(target), None))
    return made


def _parts_of(*arrays: Any) -> int:
    return 2 if any(one.iscomplex for one in arrays) else 1


def cholesky(A: Any, precision: Any = None, *, upper: bool = False) -> Union[Array, DeviceArray]:
    """The Cholesky factor of Hermitian (or symmetric real) positive definite matrices: L with ``A = L @ L^H``, or with ``upper`` U with
    ``A = U^H @ U``. Only this half of A is read. Leading axes are batches.

    :class:`plumb.SingularError` (a ``numpy.linalg.LinAlgError``) names the first column at which a matrix is not positive
    definite. ``numpy.linalg.cholesky`` of a plumb array is this function. A matrix on a GPU is factored there.

    >>> import plumb
    >>> plumb.cholesky(plumb.array([[4, 2], [2, 10]], "dd"))
    plumb.array([['2', '0'],
                 ['1', '3']], precision='dd')
    """
    there = foreign(A)
    if there is not None:
        return _cholesky_there(there, precision, upper)
    found = array(A, precision)
    _square(found.shape)
    prec, parts, batch, n = found._prec, _parts_of(found), found.shape[:-2], found.shape[-1]
    stored = _copy_of(found, prec, parts, batch)
    info = numpy.zeros(stored.shape[1], dtype=numpy.int64)
    if stored.size:
        own, options = context("cpu"), _options(upper)
        view = _host_view(stored, prec, n, n)
        own.check(lib.plumb_cholesky(own.handle, _byref(view), info.ctypes.data_as(ctypes.c_void_p), _byref(options)))
    for k in numpy.flatnonzero(info)[:1]:
        raise _failure(int(info[k]), int(k) if len(info) > 1 else None)
    return Array(_logical(stored.reshape(prec * parts, *batch, n, n)), prec)


def _failure(info: int, number: Optional[int]) -> Exception:
    of = "the matrix" if number is None else f"matrix {number}"
    if info > 0:
        error = SingularError(f"{of} is not positive definite: its leading {info} x {info} part is not")
        error.status = _abi.ERR_SINGULAR
        return error
    return make_error(-info, f"{of} has infinities or NaN, or its factor overflows")


def _cholesky_there(A: Any, precision: Any, upper: bool) -> DeviceArray:
    if A.ndim != 2:
        raise ArgumentError(f"the matrix on the device has {A.ndim} axes, expected 2")
    _square(tuple(A.shape))
    prec = getattr(A, "_prec", _abi.D) if precision is None else precision_of(precision)
    made = _device_copy(A, prec, _parts_of(A))
    own, options = context("auto"), _options(upper)
    view = matrix_view(made, False, False)
    own.check(lib.plumb_cholesky(own.handle, _byref(view), None, _byref(options)))
    return made


def _solve(name: str, A: Any, b: Any, options: _abi.TriangleOptions) -> Union[Array, DeviceArray]:
    """x of a call on a triangular matrix or a factor."""
    there = foreign(A), foreign(b)
    if there[0] is not None or there[1] is not None:
        return _solve_there(name, *(array(given) if on is None else on for on, given in zip(there, (A, b))), options)
    left, right = array(A), array(b)
    _square(left.shape)
    n = left.shape[-1]
    vector = right.ndim == 1 or right.ndim == left.ndim - 1
    if right.ndim < 1 or right.shape[-1 if vector else -2] != n:
        raise ArgumentError(f"b has the shape {right.shape}, expected {n} rows as the matrix has")
    columns = right.reshape(*right.shape, 1) if vector else right
    batch = numpy.broadcast_shapes(left.shape[:-2], columns.shape[:-2])
    prec, parts, p = max(left._prec, right._prec), _parts_of(left, right), columns.shape[-1]
    single = math.prod(left.shape[:-2]) == 1
    t = _stored(left._as(prec, parts)._planes.reshape(prec * parts, 1, n, n)) if single else _copy_of(left, prec, parts, batch)
    x = _copy_of(columns, prec, parts, batch)
    if x.size:
        own, matrix, sides = context("cpu"), _host_view(t, prec, n, n), _host_view(x, prec, n, p)
        own.check(getattr(lib, name)(own.handle, _byref(matrix), _byref(sides), _byref(options)))
    found = Array(_logical(x.reshape(prec * parts, *batch, p, n)), prec)
    return found.reshape(*batch, n) if vector else found


def _solve_there(name: str, A: Any, b: Any, options: _abi.TriangleOptions) -> DeviceArray:
    if A.ndim != 2 or b.ndim not in (1, 2):
        raise ArgumentError(f"arrays on the device have {A.ndim} and {b.ndim} axes, expected a matrix, and a vector or a matrix")
    _square(tuple(A.shape))
    if b.shape[0] != A.shape[0]:
        raise ArgumentError(f"b has the shape {tuple(b.shape)}, expected {A.shape[0]} rows as the matrix has")
    prec, parts = max(getattr(one, "_prec", _abi.D) for one in (A, b)), _parts_of(A, b)
    own = context("auto")
    t, x = on_device(own, A, prec, parts), _device_copy(b, prec, parts)
    matrix, sides = matrix_view(t, False, False), matrix_view(x, x.ndim == 1, False)
    own.check(getattr(lib, name)(own.handle, _byref(matrix), _byref(sides), _byref(options)))
    own.check(lib.plumb_stream_wait(own.handle, None))
    return x


def _check_diagonal(A: Any) -> None:
    if foreign(A) is None:
        found = array(A)
        _square(found.shape)
        zero = numpy.asarray(numpy.diagonal(found._planes[0], axis1=-2, axis2=-1) == 0)
        if found.iscomplex:
            zero &= numpy.diagonal(found._planes[found._prec], axis1=-2, axis2=-1) == 0
        if zero.any():
            error = SingularError(f"entry {int(numpy.argwhere(zero)[0][-1])} of the diagonal is zero")
            error.status = _abi.ERR_SINGULAR
            raise error


def solve_triangular(A: Any, b: Any, *, lower: bool = False, trans: Any = "N",
                     unit_diagonal: bool = False) -> Union[Array, DeviceArray]:
    """Solves ``A x = b`` with the upper half of A, or the lower one; with ``trans="T"`` ``A^T x = b``, with ``"C"``
    ``A^H x = b``. Arguments are named as in scipy.linalg; leading axes are batches. The other half of A is not read, nor the diagonal
    if that is said to be one.

    >>> import plumb
    >>> plumb.solve_triangular(plumb.array([[2, 1], [0, 4]], "qd"), [4, 8])
    plumb.array(['1', '2'], precision='qd')
    """
    try:
        of = _TRANS[trans]
    except (KeyError, TypeError):
        raise ArgumentError(f"trans is {trans!r}, expected 'N', 'T' or 'C'") from None
    if not unit_diagonal:
        _check_diagonal(A)
    return _solve("plumb_trsm", A, b, _options(not lower, of, unit_diagonal))


def cholesky_solve(factor: Any, b: Any, *, upper: bool = False) -> Union[Array, DeviceArray]:
    """Solves ``A x = b`` with the factor of A that :func:`cholesky` returned.

    >>> import plumb
    >>> L = plumb.cholesky(plumb.array([[4, 2], [2, 10]], "dd"))
    >>> plumb.cholesky_solve(L, [8, 22])
    plumb.array(['1', '2'], precision='dd')
    """
    return _solve("plumb_cholesky_solve", factor, b, _options(upper))

"""Arrays of d, dd and qd numbers, real and complex, with the arithmetic of plumb_map.

An Array keeps its numbers as planes: one NumPy array of doubles whose first axis runs over the limbs of the real parts,
then those of the imaginary parts, and whose other axes are those of the Array. Arrays that plumb makes are stored column
by column (the last axis but one varies fastest), which is the layout of plumb.h: such an array is passed to the library
as it is. Other layouts are copied once, by NumPy. Slices are views of the same memory, as in NumPy.
"""

from __future__ import annotations

import ctypes
import fractions
import math
import operator
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy

from . import _abi, _numbers
from ._abi import View
from ._library import NAMES, ArgumentError, Error, context, lib, precision_of

__all__ = ["Array", "arange", "array", "dot", "eye", "from_limbs", "from_planes", "full", "linspace", "matmul", "ones", "sqrt", "vdot",
           "zeros"]

_byref = ctypes.byref


def empty_planes(planes: int, shape: Sequence[int]) -> numpy.ndarray:
    """Uninitialised planes with the layout of plumb.h."""
    if len(shape) < 2:
        return numpy.empty((planes, *shape))
    return numpy.empty((planes, *shape[:-2], shape[-1], shape[-2])).swapaxes(-1, -2)


def _stored(planes: numpy.ndarray) -> numpy.ndarray:
    """The same numbers in the order of memory that the library wants, copied only where they are not in it."""
    if planes.ndim > 2:
        planes = planes.swapaxes(-1, -2)
    return numpy.ascontiguousarray(planes)


def address(stored: numpy.ndarray) -> int:
    return stored.__array_interface__["data"][0]


def column_view(stored: numpy.ndarray, prec: int) -> View:
    """All numbers of stored planes as one column."""
    planes = stored.shape[0]
    size = stored.size // planes
    return View(address(stored), size, 1, 1, size, size, planes * size, prec, planes // prec, 0, 0)


def _normalised(limbs: numpy.ndarray) -> bool:
    """Whether each limb, along the first axis, is at most half a unit in the last place of the one before."""
    with numpy.errstate(all="ignore"):
        return all(bool(numpy.all(limbs[k - 1] + limbs[k] == limbs[k - 1])) for k in range(1, len(limbs)))


class Array:
    """An array of d, dd or qd numbers. Make one with :func:`plumb.array`.

    >>> import plumb
    >>> x = plumb.array(["0.1", "2"], precision="dd")
    >>> x
    plumb.array(['0.1', '2'], precision='dd')
    >>> x * 3 > 5
    array([False,  True])
    >>> plumb.sqrt(x)[1]
    plumb.array('1.41421356237309504880168872420971', precision='dd')
    """

    __slots__ = ("_planes", "_prec", "_shown")

    def __init__(self, planes: numpy.ndarray, prec: int, shown: int = 0):
        self._planes = planes
        self._prec = prec
        self._shown = shown  # digits that str() shows, where fewer are known than the precision has; otherwise 0

    def _view(self, planes: numpy.ndarray) -> "Array":
        """Some of the numbers, in another order: as many of their digits are known."""
        return Array(planes, self._prec, self._shown)

    # ---- what it is ----

    @property
    def precision(self) -> str:
        """``"d"``, ``"dd"`` or ``"qd"``."""
        return NAMES[self._prec]

    @property
    def shape(self) -> Tuple[int, ...]:
        return self._planes.shape[1:]

    @property
    def ndim(self) -> int:
        return self._planes.ndim - 1

    @property
    def size(self) -> int:
        return self._planes.size // len(self._planes)

    @property
    def iscomplex(self) -> bool:
        """Whether the numbers have an imaginary part."""
        return len(self._planes) != self._prec

    @property
    def planes(self) -> numpy.ndarray:
        """The limbs along the first axis, those of the real parts first: the memory itself, without a copy."""
        return self._planes

    @property
    def limbs(self) -> numpy.ndarray:
        """The limbs along the last axis, as plumb's npy files have them: shape ``(..., limbs)`` for real numbers and
        ``(..., 2, limbs)`` for complex ones. A view of the memory, without a copy."""
        if not self.iscomplex:
            return numpy.moveaxis(self._planes, 0, -1)
        split = self._planes.reshape(2, self._prec, *self.shape)
        return numpy.moveaxis(split, (0, 1), (-2, -1))

    @property
    def real(self) -> "Array":
        """The real parts, without a copy."""
        return self._view(self._planes[:self._prec])

    @property
    def imag(self) -> "Array":
        """The imaginary parts, without a copy if there are any."""
        if self.iscomplex:
            return self._view(self._planes[self._prec:])
        return zeros(self.shape, self._prec)

    @property
    def T(self) -> "Array":
        """The transpose, without a copy."""
        return self._view(self._planes.transpose(0, *range(self._planes.ndim - 1, 0, -1)))

    @property
    def H(self) -> "Array":
        """The conjugate transpose of a matrix, or of each matrix of a batch."""
        if self.ndim < 2:
            raise ArgumentError("H needs at least two axes")
        return Array(self._planes.swapaxes(-1, -2), self._prec).conj()

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator["Array"]:
        return (self[k] for k in range(len(self)))

    # ---- parts ----

    def __getitem__(self, index: Any) -> "Array":
        if not isinstance(index, tuple):
            index = (index,)
        found = self._planes[(slice(None), *index)]
        return self._view(found if found.ndim > 1 else found.copy())  # a number does not change with its array

    def __setitem__(self, index: Any, value: Any) -> None:
        given = array(value, precision=self._prec)
        if given.iscomplex and not self.iscomplex:
            raise TypeError("a complex number does not fit into a real array")
        if not isinstance(index, tuple):
            index = (index,)
        target = self._planes[(slice(None), *index)]
        source = given._as(self._prec, len(self._planes) // self._prec)._planes
        lengths = (1,) * (target.ndim - source.ndim)
        source = source.reshape(source.shape[:1] + lengths + source.shape[1:])
        if numpy.may_share_memory(self._planes, source):
            source = source.copy()
        self._planes[(slice(None), *index)] = numpy.broadcast_to(source, target.shape)

    def reshape(self, *shape: Any) -> "Array":
        """The same numbers, in C order, with another shape."""
        if len(shape) == 1 and not isinstance(shape[0], int):
            shape = tuple(shape[0])
        lengths = numpy.empty(self.shape, dtype=bool).reshape(shape).shape  # with -1 filled in
        flat = numpy.ascontiguousarray(self._planes).reshape(len(self._planes), *lengths)
        return self._view(flat)

    def copy(self) -> "Array":
        fresh = empty_planes(len(self._planes), self.shape)
        fresh[...] = self._planes
        return self._view(fresh)

    def __copy__(self) -> "Array":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Array":
        return self.copy()

    def astype(self, precision: Any) -> "Array":
        """The numbers in another precision: exact towards a higher one, rounded to nearest towards a lower one."""
        return self._as(precision_of(precision), len(self._planes) // self._prec)

    def _as(self, prec: int, parts: int) -> "Array":
        """In a precision and with this number of parts; the array itself if it is so."""
        if prec == self._prec and prec * parts == len(self._planes):
            return self
        if prec < self._prec:
            out = empty_planes(prec * parts, self.shape)
            stored, result = _stored(self._planes), _stored(out)
            own = context()
            x, y = column_view(stored, self._prec), column_view(result, prec)
            own.check(lib.plumb_copy(own.handle, _byref(x), _byref(y), None))
            return Array(_logical(result), prec)
        out = empty_planes(prec * parts, self.shape)
        out[:self._prec] = self._planes[:self._prec]
        out[self._prec:prec] = 0.0
        if parts == 2:
            if self.iscomplex:
                out[prec:prec + self._prec] = self._planes[self._prec:]
                out[prec + self._prec:] = 0.0
            else:
                out[prec:] = 0.0
        return Array(out, prec)

    # ---- as numbers of others ----

    def to_numpy(self) -> numpy.ndarray:
        """The numbers rounded to double: float64 or complex128, in C order."""
        if not self.iscomplex:
            return numpy.array(self._planes[0], order="C")
        out = numpy.empty(self.shape, dtype=complex)
        out.real = self._planes[0]
        out.imag = self._planes[self._prec]
        return out

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> numpy.ndarray:
        """Refused if doubles would not hold the numbers, also with dtype=float: functions of NumPy and SciPy ask for it, not only users."""
        if dtype is not None and numpy.dtype(dtype).kind == "O":
            out = numpy.empty(self.shape, dtype=object)
            for index in numpy.ndindex(*self.shape):
                out[index] = self[index]
            return out
        if self._prec != _abi.D:
            raise TypeError(f"a NumPy array would round {self.precision} numbers to double: x.to_numpy() does that, "
                            "plumb.array([...]) makes an array of them")
        return self.to_numpy() if dtype is None else self.to_numpy().astype(dtype)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return self._planes.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        """The planes for other packages, without a copy: ``torch.from_dlpack(x)`` has all limbs, along its first axis."""
        return self._planes.__dlpack__(**options)

    def _parts_of(self, index: Tuple[int, ...]) -> Tuple[List[float], Optional[List[float]]]:
        number = self._planes[(slice(None), *index)].tolist()
        return number[:self._prec], number[self._prec:] or None

    def _limbs_of_scalar(self, prec: int) -> Tuple[List[float], List[float]]:
        if self.ndim:
            raise TypeError("an array with axes is not a number")
        re, im = self._as(prec, len(self._planes) // self._prec)._parts_of(())
        return re, im or []

    def _map(self, function: Callable[..., Any]) -> Any:
        """function(limbs of the real part, of the imaginary part or None) of each number: nested lists, or one value."""
        out = numpy.empty(self.shape, dtype=object)
        for index in numpy.ndindex(*self.shape):
            out[index] = function(*self._parts_of(index))
        return out.tolist() if self.ndim else out[()]

    def to_mpmath(self) -> Any:
        """The numbers as mpf or mpc, exactly: one, or nested lists of them.

        The values do not depend on the working precision of mpmath; computations with them do (``mpmath.mp.dps``).
        """
        def convert(re: List[float], im: Optional[List[float]]) -> Any:
            if im is None:
                return _numbers.mpf_of(re)
            import mpmath
            return mpmath.mp.make_mpc((_numbers.mpf_of(re)._mpf_, _numbers.mpf_of(im)._mpf_))
        return self._map(convert)

    def _sympy_(self) -> Any:
        """For SymPy: a number as a Float with all its bits; without this SymPy would take the double nearest to it."""
        import sympy
        if self.ndim:
            raise sympy.SympifyError(self)
        parts = [sympy.Float(_numbers.mpf_of(limbs), precision=max(_numbers.mpf_of(limbs)._mpf_[3], 53 * self._prec))
                 for limbs in self._parts_of(()) if limbs is not None]
        return parts[0] if len(parts) == 1 else parts[0] + sympy.I * parts[1]

    def to_fractions(self) -> Any:
        """The numbers as Fractions, exactly: one, or nested lists; a complex number is a pair (real, imaginary)."""
        def convert(re: List[float], im: Optional[List[float]]) -> Any:
            if im is None:
                return _numbers.fraction_of(re)
            return _numbers.fraction_of(re), _numbers.fraction_of(im)
        return self._map(convert)

    def to_strings(self, digits: int = 0) -> Any:
        """The numbers as decimals: with ``digits = 0`` the shortest ones that read back to the same limbs."""
        if not isinstance(digits, int) or not 0 <= digits <= 10000:
            raise ArgumentError(f"digits is {digits!r}, expected an integer from 0 to 10000")
        return self._map(lambda re, im: _numbers.write(re, self._prec, im, digits))

    def tolist(self) -> Any:
        """Nested lists of Arrays without axes."""
        if not self.ndim:
            return self
        return [entry.tolist() for entry in self]

    def __float__(self) -> float:
        if self.size != 1:
            raise TypeError("only an array of one number can be converted to float")
        if self.iscomplex:
            raise TypeError("a complex number cannot be converted to float; use abs() or .real")
        return float(self._planes[0].item())

    def __complex__(self) -> complex:
        if self.size != 1:
            raise TypeError("only an array of one number can be converted to complex")
        return complex(self._planes[0].item(), self._planes[self._prec].item() if self.iscomplex else 0.0)

    def _exact(self) -> fractions.Fraction:
        if self.size != 1 or self.iscomplex:
            raise TypeError("only an array of one real number can be converted to an integer or a fraction")
        return _numbers.fraction_of(self._planes.reshape(-1).tolist())

    def __int__(self) -> int:
        return int(self._exact())

    __trunc__ = __int__

    def __floor__(self) -> int:
        return math.floor(self._exact())

    def __ceil__(self) -> int:
        return math.ceil(self._exact())

    def __round__(self, digits: Optional[int] = None) -> Any:
        if digits is None:
            return round(self._exact())
        return self.round(digits)

    def is_integer(self) -> bool:
        """Whether the number is an integer, exactly."""
        return bool(numpy.all(numpy.isfinite(self._planes))) and self._exact().denominator == 1

    def as_integer_ratio(self) -> Tuple[int, int]:
        """The number as a quotient of integers, exactly."""
        return self._exact().as_integer_ratio()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("the truth value of an array with several numbers is ambiguous")
        return bool(numpy.any(self._planes != 0.0))

    def __str__(self) -> str:
        """Rounded to the digits that are known, at most those of the precision; repr() has all limbs."""
        if not self.ndim:
            return self._text(self._shorter).item()
        return numpy.array2string(self._text(self._shorter), formatter={"all": str}, separator=" ", threshold=10**9)

    def __format__(self, spec: str) -> str:
        """As float and complex numbers are formatted: ``f"{x:.30f}"``, ``f"{x:>40.25e}"``."""
        if not spec:
            return str(self)
        if self.ndim:
            raise TypeError("an array has no format; format its numbers, as f'{x[0]:.30f}', or use x.to_strings(30)")
        return _numbers.formatted(*self._parts_of(()), spec, str(self))

    def _shorter(self, re: List[float], im: Optional[List[float]]) -> str:
        return _numbers.shorter(re, self._prec, im, min(self._shown or DIGITS[self._prec], DIGITS[self._prec]))

    def _whole(self, re: List[float], im: Optional[List[float]]) -> str:
        return _numbers.whole(re, self._prec, im)

    def _text(self, write: Callable[..., str]) -> numpy.ndarray:
        """The numbers as strings, with '...' in place of the middle of long axes."""
        shown = self
        if self.size > 1000:
            for axis in range(self.ndim):
                if self.shape[axis] > 6:
                    keep = (slice(None),) * axis + ([0, 1, 2, -3, -2, -1],)
                    shown = shown[keep]
        text = numpy.array(shown._map(write), dtype=object)
        if self.size > 1000:
            for axis in range(self.ndim):
                if self.shape[axis] > 6:
                    text = numpy.insert(text, 3, "...", axis=axis)
        return text

    def _lowest(self) -> "Array":
        """The same numbers in the lowest precision that holds them exactly."""
        used = self._planes.reshape(-1, self._prec, self.size).any(axis=(0, 2)).nonzero()[0]
        return self._as(next(prec for prec in NAMES if prec > max(used, default=0)), len(self._planes) // self._prec)

    def __repr__(self) -> str:
        """Reads back to the same limbs, up to 1000 numbers; beyond them the middle is left out. Numbers that a lower precision holds, such as
        solutions that were computed in it, are written in that one where this takes fewer digits."""
        if not self.size:
            return f"plumb.zeros({self.shape}, precision='{self.precision}')"
        text = self._text(self._whole)
        lowest = self._lowest()
        if lowest._prec < self._prec and any(len(one) > len(other) + 10 for one, other in zip(text.flat, lowest._text(lowest._whole).flat)):
            return f"{lowest!r}.astype('{self.precision}')"
        if not self.ndim:
            return f"plumb.array('{text.item()}', precision='{self.precision}')"
        body = numpy.array2string(text, formatter={"all": repr}, separator=", ", prefix="plumb.array(", threshold=10**9, max_line_width=120)
        return f"plumb.array({body.replace(repr('...'), '...')}, precision='{self.precision}')"

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        return _restore, (numpy.ascontiguousarray(self._planes), self._prec, self._shown)

    def __hash__(self) -> int:
        """Equal numbers have equal hashes, whatever their type is."""
        if self.ndim:
            raise TypeError("an array with axes has no hash, because it can be changed")
        return _numbers.hash_of(*self._parts_of(()))

    # ---- arithmetic ----

    def __add__(self, other: Any) -> "Array":
        return _binary(_abi.OP_ADD, self, other)

    def __radd__(self, other: Any) -> "Array":
        return _binary(_abi.OP_ADD, other, self)

    def __sub__(self, other: Any) -> "Array":
        return _binary(_abi.OP_SUB, self, other)

    def __rsub__(self, other: Any) -> "Array":
        return _binary(_abi.OP_SUB, other, self)

    def __mul__(self, other: Any) -> "Array":
        return _binary(_abi.OP_MUL, self, other)

    def __rmul__(self, other: Any) -> "Array":
        return _binary(_abi.OP_MUL, other, self)

    def __truediv__(self, other: Any) -> "Array":
        return _binary(_abi.OP_DIV, self, other)

    def __rtruediv__(self, other: Any) -> "Array":
        return _binary(_abi.OP_DIV, other, self)

    def __floordiv__(self, other: Any) -> "Array":
        return numpy.floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> "Array":
        return numpy.floor_divide(other, self)

    def __mod__(self, other: Any) -> "Array":
        return numpy.remainder(self, other)

    def __rmod__(self, other: Any) -> "Array":
        return numpy.remainder(other, self)

    def __divmod__(self, other: Any) -> Tuple["Array", "Array"]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Tuple["Array", "Array"]:
        return other // self, other % self

    def __matmul__(self, other: Any) -> "Array":
        if hasattr(type(other), "__cuda_array_interface__"):
            return NotImplemented  # an array on the device multiplies there
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> "Array":
        return matmul(other, self)

    def _changed(self, result: Any) -> "Array":
        """An array after an operation in place; a number is replaced, as numbers are."""
        if not self.ndim or result is NotImplemented:
            return result
        if result._prec != self._prec or len(result._planes) != len(self._planes):
            kind = f"{'complex ' if result.iscomplex else ''}{result.precision}"
            raise TypeError(f"the result is {kind}, which the array does not hold: write x = x + y in place of x += y")
        if result.shape != self.shape:
            raise ValueError(f"the result has the shape {result.shape}, the array {self.shape}")
        self._planes[...] = result._planes
        self._shown = 0
        return self

    def __iadd__(self, other: Any) -> "Array":
        return self._changed(self + other)

    def __isub__(self, other: Any) -> "Array":
        return self._changed(self - other)

    def __imul__(self, other: Any) -> "Array":
        return self._changed(self * other)

    def __itruediv__(self, other: Any) -> "Array":
        return self._changed(self / other)

    def __neg__(self) -> "Array":
        return _unary(_abi.OP_NEG, self)

    def __pos__(self) -> "Array":
        return self.copy()

    def __abs__(self) -> "Array":
        return _unary(_abi.OP_ABS, self)

    def __pow__(self, exponent: Any) -> "Array":
        if isinstance(exponent, (float, fractions.Fraction)) and exponent == 0.5:
            return self.sqrt()
        if isinstance(exponent, (float, fractions.Fraction)) and exponent == exponent // 1:
            exponent = int(exponent)
        if not isinstance(exponent, (int, numpy.integer)) or isinstance(exponent, bool):
            raise TypeError("the exponent must be an integer or 0.5")
        power, result = int(abs(exponent)), None
        square = self if exponent >= 0 else _unary(_abi.OP_INV, self)
        while power:
            if power & 1:
                result = square if result is None else result * square
            power >>= 1
            if power:
                square = _unary(_abi.OP_SQR, square)
        return result.copy() if result is not None else zeros(self.shape, self._prec) + 1

    def conj(self) -> "Array":
        """The complex conjugates."""
        return _unary(_abi.OP_CONJ, self) if self.iscomplex else self.copy()

    def sqrt(self) -> "Array":
        """The square roots; of complex numbers those with real part >= 0."""
        return _unary(_abi.OP_SQRT, self)

    def __eq__(self, other: Any) -> Any:
        try:
            return _equal(self, other)
        except (TypeError, Error):
            return NotImplemented

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else ~equal if isinstance(equal, (numpy.ndarray, numpy.bool_)) else not equal

    def __lt__(self, other: Any) -> Any:
        return _compared(self, other) < 0

    def __le__(self, other: Any) -> Any:
        return _compared(self, other) <= 0

    def __gt__(self, other: Any) -> Any:
        return _compared(self, other) > 0

    def __ge__(self, other: Any) -> Any:
        return _compared(self, other) >= 0

    # Methods of NumPy's arrays, which _numpy.py defines, with the same arguments.
    all: Callable[..., Any]
    any: Callable[..., Any]
    argmax: Callable[..., Any]
    argmin: Callable[..., Any]
    argsort: Callable[..., Any]
    clip: Callable[..., Any]
    compress: Callable[..., Any]
    conjugate: Callable[..., Any]
    cumprod: Callable[..., Any]
    cumsum: Callable[..., Any]
    diagonal: Callable[..., Any]
    dot: Callable[..., Any]
    flatten: Callable[..., Any]
    max: Callable[..., Any]
    mean: Callable[..., Any]
    min: Callable[..., Any]
    nonzero: Callable[..., Any]
    prod: Callable[..., Any]
    ptp: Callable[..., Any]
    ravel: Callable[..., Any]
    repeat: Callable[..., Any]
    round: Callable[..., Any]
    searchsorted: Callable[..., Any]
    squeeze: Callable[..., Any]
    std: Callable[..., Any]
    sum: Callable[..., Any]
    swapaxes: Callable[..., Any]
    take: Callable[..., Any]
    trace: Callable[..., Any]
    transpose: Callable[..., Any]
    var: Callable[..., Any]

    def item(self, *index: Any) -> "Array":
        """One number, as an Array without axes."""
        place = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
        if len(place) == self.ndim and place:
            return self[place]
        flat = self.reshape(-1)
        if not place and self.size != 1:
            raise ValueError("only an array of one number has an item without an index")
        return flat[place[0] if place else 0]

    def fill(self, value: Any) -> None:
        """Sets all numbers."""
        self[...] = value

    def sort(self, axis: int = -1) -> None:
        """Sorts the numbers in place."""
        self._planes[...] = numpy.sort(self, axis=axis)._planes


DIGITS = {_abi.D: 17, _abi.DD: 32, _abi.QD: 64}  # significant decimal digits that a precision has


def _restore(planes: numpy.ndarray, prec: int, shown: int = 0) -> Array:
    return Array(planes, prec, shown).copy()


def _logical(stored: numpy.ndarray) -> numpy.ndarray:
    return stored.swapaxes(-1, -2) if stored.ndim > 2 else stored


def _unary(op: int, x: Array) -> Array:
    stored = _stored(x._planes)
    planes = x._prec if op == _abi.OP_ABS else len(stored)
    out = numpy.empty((planes, *stored.shape[1:]))
    own = context("cpu")
    given, result = column_view(stored, x._prec), column_view(out, x._prec)
    own.check(lib.plumb_map(own.handle, op, _byref(given), None, None, _byref(result), None))
    return Array(_logical(out), x._prec)


def _operand(x: Any, other: Any) -> Array:
    """An operand of an operator as an Array, in the precision of the other one unless it has its own."""
    if isinstance(x, Array):
        return x
    if isinstance(x, (str, bytes)) and not isinstance(other, Array):
        raise TypeError("a text is not a number")
    return array(x, precision=_natural_precision(x, other))


def _natural_precision(x: Any, other: Any) -> int:
    return other._prec if isinstance(other, Array) else _abi.QD


def _together(x: Any, y: Any) -> Tuple[Array, Array, numpy.ndarray, numpy.ndarray, int]:
    """Two operands with one precision, number of parts and shape, stored as the library wants them."""
    x, y = _operand(x, y), _operand(y, x)
    prec = max(x._prec, y._prec)
    parts = 2 if x.iscomplex or y.iscomplex else 1
    x, y = x._as(prec, parts), y._as(prec, parts)
    if x.shape != y.shape:
        shape = numpy.broadcast_shapes(x.shape, y.shape)
        x, y = _broadcast(x, shape), _broadcast(y, shape)
    return x, y, _stored(x._planes), _stored(y._planes), prec


def _broadcast(x: Array, shape: Tuple[int, ...]) -> Array:
    planes = x._planes.reshape(len(x._planes), *(1,) * (len(shape) - x.ndim), *x.shape)
    return Array(numpy.broadcast_to(planes, (len(planes), *shape)), x._prec)


def _binary(op: int, x: Any, y: Any) -> Array:
    try:
        x, y, left, right, prec = _together(x, y)
    except TypeError:
        return NotImplemented
    out = numpy.empty(left.shape)
    own = context("cpu")
    a, b, result = column_view(left, prec), column_view(right, prec), column_view(out, prec)
    own.check(lib.plumb_map(own.handle, op, _byref(a), _byref(b), None, _byref(result), None))
    return Array(_logical(out), prec)


def _compared(x: Any, y: Any) -> Any:
    """-1, 0 or 1 for each pair of numbers, NaN where they are unordered. Numbers of other types are compared as they are, not as they
    would be rounded; texts are rounded to the precision of the array."""
    a, b, left, right, prec = _together(x, y)
    if a.iscomplex:
        raise TypeError("complex numbers have no order")
    signs = _signs(left, right, prec)
    if not (isinstance(x, Array) and isinstance(y, Array)) and numpy.any(signs == 0.0):
        signs = numpy.where(signs == 0.0, _rests(x, a, 0) - _rests(y, b, 0), signs)
    return signs if signs.ndim else signs[()]


def _signs(left: numpy.ndarray, right: numpy.ndarray, prec: int) -> numpy.ndarray:
    out = numpy.empty((1, *left.shape[1:]))
    own = context("cpu")
    a, b, result = column_view(left, prec), column_view(right, prec), column_view(out, 1)
    own.check(lib.plumb_map(own.handle, _abi.OP_CMP, _byref(a), _byref(b), None, _byref(result), None))
    return _logical(out)[0]


def _rests(given: Any, rounded: Array, part: int) -> Any:
    """The signs of what numbers lost when they were rounded; 0 if all of them are limbs already."""
    if isinstance(given, Array) or isinstance(given, float):
        return 0.0
    found = given if isinstance(given, (numpy.ndarray, numpy.generic)) else \
        _as_ndarray(given.tolist() if hasattr(given, "tolist") else given)
    if found.dtype.kind in "fcb" and found.dtype.itemsize <= (8 if found.dtype.kind != "c" else 16):
        return 0.0
    limbs = (rounded.real if part == 0 else rounded.imag)._planes
    found = numpy.broadcast_to(numpy.asarray(found, dtype=object), limbs.shape[1:])
    out = numpy.zeros(found.shape)
    for index in numpy.ndindex(*found.shape):
        out[index] = _numbers.rest_sign(found[index], part, limbs[(slice(None), *index)].tolist())
    return out


def _equal(x: Any, y: Any) -> Any:
    a, b, left, right, prec = _together(x, y)
    equal: Any = True
    for part in range(2 if a.iscomplex else 1):
        limbs = slice(part * prec, (part + 1) * prec)
        same = _signs(left[limbs], right[limbs], prec) == 0.0
        if not (isinstance(x, Array) and isinstance(y, Array)) and numpy.any(same):
            same = same & (_rests(x, a, part) == _rests(y, b, part))
        equal = same if part == 0 else equal & same
    return equal if equal.ndim else equal[()]


def array(numbers: Any, precision: Any = None, *, limbs: bool = False) -> Array:
    """Makes an :class:`Array` of numbers, correctly rounded to a precision.

    ``numbers`` is a number or nested lists of numbers: int, float, complex, text (``"1/3"``, ``"0.1"``, ``"2-3i"``),
    Fraction, Decimal, numbers of mpmath and SymPy; a NumPy array; a matrix of mpmath or SymPy; or an Array. Without
    ``precision``, Arrays keep theirs, floating-point numbers and machine integers give ``"d"``, and everything else
    ``"qd"``. A double is taken as the number that it is: ``plumb.array(0.1, "qd")`` is not one tenth, but
    ``plumb.array("0.1", "qd")`` is, to 64 digits.

    With ``limbs=True`` the numbers are limbs, as for :func:`from_limbs`.

    >>> import plumb
    >>> float(plumb.array("0.1", "dd") - plumb.array(0.1, "dd"))
    -5.551115123125783e-18
    """
    prec = None if precision is None else precision_of(precision)
    if limbs:
        made = from_limbs(numbers)
        return made if prec is None else made.astype(prec)
    if isinstance(numbers, Array):
        return numbers if prec is None else numbers._as(prec, len(numbers._planes) // numbers._prec)
    given = numbers
    if not isinstance(given, (numpy.ndarray, numpy.generic)):
        if hasattr(given, "tolist") and (hasattr(given, "evalf") or hasattr(given, "ctx")):  # of SymPy or mpmath
            given, prec = given.tolist(), prec or _abi.QD
        elif isinstance(given, (str, bytes)) or hasattr(given, "evalf") or hasattr(given, "_mpf_"):
            return _from_objects(_object_scalar(given), prec or _abi.QD)
    found = _as_ndarray(given)
    kind = found.dtype.kind
    if kind in "fc" and found.dtype.itemsize <= (8 if kind == "f" else 16):
        return _from_doubles(found, prec or _abi.D)
    if kind in "biu":
        if found.dtype.itemsize < 8 or not found.size or int(abs(found).max()) <= 2**53 and int(found.min()) > -2**53:
            return _from_doubles(found, prec or _abi.D)
        return _from_objects(found.astype(object), prec or _abi.DD)
    if kind in "fcUSO":
        return _from_objects(found.astype(object), prec or _abi.QD)
    raise TypeError(f"an array of type {found.dtype} does not hold numbers")


def _object_scalar(number: Any) -> numpy.ndarray:
    one = numpy.empty((), dtype=object)
    one[()] = number
    return one


def _as_ndarray(given: Any) -> numpy.ndarray:
    """A NumPy array of the numbers as they are: nothing is rounded, and no number becomes a text."""
    refuse_masked(given)
    if isinstance(given, (numpy.ndarray, numpy.generic)):
        return numpy.asarray(given)
    if isinstance(given, (list, tuple)) and _holds_arrays(given):
        given = _with_scalars(given)
    try:
        found = numpy.asarray(given)
    except ValueError:
        raise ArgumentError("the rows of an array must have the same length") from None
    kind = found.dtype.kind
    if kind in "US" or kind in "fc" and found.size and not bool(numpy.all(numpy.abs(found) <= 2.0**53)):
        found = numpy.array(given, dtype=object)  # numbers beside texts, integers that are no doubles
    if kind == "O" and isinstance(given, (list, tuple)) and any(isinstance(x, (list, tuple)) for x in found.flat):
        raise ArgumentError("the rows of an array must have the same length")
    return found


def refuse_masked(given: Any) -> None:
    """Raises an exception if an array, or one in nested lists, has masked values: there is no number in their place."""
    if isinstance(given, numpy.ma.MaskedArray):
        count = int(numpy.ma.count_masked(given))
        if count:
            raise ArgumentError(f"an array has {count} masked value{'' if count == 1 else 's'}, expected numbers: fill them "
                                "(filled) or leave them out (compressed)")
    elif isinstance(given, (list, tuple)):
        for entry in given:
            if isinstance(entry, (list, tuple, numpy.ma.MaskedArray)):
                refuse_masked(entry)


def _holds_arrays(given: Any) -> bool:
    return any(isinstance(x, Array) or isinstance(x, (list, tuple)) and _holds_arrays(x) for x in given)


def _with_scalars(given: Any) -> Any:
    """Nested lists in which Arrays are replaced by lists of their exact values."""
    if isinstance(given, Array):
        return given._map(lambda re, im: _Limbs(re, im))
    if isinstance(given, (list, tuple)):
        return [_with_scalars(x) for x in given]
    return given


class _Limbs:
    """One number of an Array inside nested lists."""

    __slots__ = ("re", "im")

    def __init__(self, re: List[float], im: Optional[List[float]]):
        self.re, self.im = re, im

    def _limbs_of_scalar(self, prec: int) -> Tuple[List[float], List[float]]:
        one = numpy.array(self.re + (self.im or []))
        return Array(one, len(self.re))._limbs_of_scalar(prec)


def _from_doubles(found: numpy.ndarray, prec: int) -> Array:
    parts = 2 if found.dtype.kind == "c" else 1
    out = empty_planes(prec * parts, found.shape)
    if parts == 1:
        out[0] = found
        out[1:] = 0.0
    else:
        out[0] = found.real
        out[1:prec] = 0.0
        out[prec] = found.imag
        out[prec + 1:] = 0.0
    return Array(out, prec)


def _from_objects(found: numpy.ndarray, prec: int) -> Array:
    re = empty_planes(prec, found.shape)
    imaginary: dict = {}
    for index in numpy.ndindex(*found.shape):
        limbs, im = _numbers.limbs_of(found[index], prec)
        re[(slice(None), *index)] = limbs
        if im:
            imaginary[index] = im
    if not imaginary:
        return Array(re, prec)
    out = empty_planes(2 * prec, found.shape)
    out[:prec] = re
    out[prec:] = 0.0
    for index, limbs in imaginary.items():
        out[(slice(prec, None), *index)] = limbs
    return Array(out, prec)


def from_limbs(limbs: Any, *, iscomplex: bool = False) -> Array:
    """Makes an Array from limbs along the last axis: 1, 2 or 4 doubles per number, as in plumb's npy files.

    With ``iscomplex=True`` the last two axes are (2, limbs): real and imaginary parts. Limbs that overlap are summed and
    rounded. A float64 array whose limbs do not overlap is used without a copy.

    >>> import numpy, plumb
    >>> plumb.from_limbs(numpy.array([[1.0, 2.0**-60], [2.0, 0.0]])).shape
    (2,)
    """
    refuse_masked(limbs)
    given = numpy.asarray(limbs)
    if given.dtype.kind not in "fiu" or given.dtype.itemsize > 8:
        raise TypeError(f"limbs are doubles, not {given.dtype}")
    given = numpy.require(given, dtype=float, requirements="A")
    axes = 2 if iscomplex else 1
    if given.ndim < axes or given.shape[-1] not in (1, 2, 4) or iscomplex and given.shape[-2] != 2:
        expected = "(..., 2, L)" if iscomplex else "(..., L)"
        raise ArgumentError(f"limbs have the shape {given.shape}, expected {expected} with L = 1, 2 or 4")
    prec = given.shape[-1]
    split = numpy.moveaxis(given, -1, 0)  # (prec, ..., [2])
    if not _normalised(split):
        split = _renormalised(split)
    if iscomplex:
        planes = numpy.concatenate([split[..., 0], split[..., 1]])
    else:
        planes = split
    return Array(planes, prec)


def _renormalised(limbs: numpy.ndarray) -> numpy.ndarray:
    """Limbs along the first axis that may overlap, as the canonical expansion of their exact sum."""
    out = numpy.zeros(limbs.shape)
    for index in numpy.ndindex(*limbs.shape[1:]):
        number = limbs[(slice(None), *index)]
        if not numpy.all(numpy.isfinite(number)):
            out[(0, *index)] = number[~numpy.isfinite(number)][0]
            continue
        exact = _numbers.fraction_of(number)
        out[(slice(None), *index)] = _numbers.limbs_of(exact, len(limbs))[0]
    return out


def from_planes(planes: Any, precision: Any, *, iscomplex: bool = False) -> Array:
    """Makes an Array of planes: limbs along the first axis, those of the real parts before those of the imaginary
    parts. The memory is used as it is and is not copied; the limbs of a number must not overlap.

    >>> import numpy, plumb
    >>> plumb.from_planes(numpy.zeros((4, 3)), "dd", iscomplex=True).shape
    (3,)
    """
    prec = precision_of(precision)
    refuse_masked(planes)
    given = numpy.asarray(planes)
    if given.dtype != numpy.dtype(float):
        raise TypeError(f"planes are doubles, not {given.dtype}")
    if not given.flags.aligned:
        given = given.copy()
    expected = prec * (2 if iscomplex else 1)
    if given.ndim < 1 or given.shape[0] != expected:
        raise ArgumentError(f"planes have the shape {given.shape}, expected {expected} along the first axis")
    return Array(given, prec)


def zeros(shape: Union[int, Sequence[int]], precision: Any = "qd", *, iscomplex: bool = False) -> Array:
    """Makes an Array of zeros.

    >>> import plumb
    >>> plumb.zeros(2, "dd")
    plumb.array(['0', '0'], precision='dd')
    """
    prec = precision_of(precision)
    lengths = (shape,) if isinstance(shape, (int, numpy.integer)) else tuple(shape)
    out = empty_planes(prec * (2 if iscomplex else 1), lengths)
    out[...] = 0.0
    return Array(out, prec)


def full(shape: Union[int, Sequence[int]], value: Any, precision: Any = "qd") -> Array:
    """Makes an Array of equal numbers.

    >>> import plumb
    >>> plumb.full(2, "1/4", "dd")
    plumb.array(['0.25', '0.25'], precision='dd')
    """
    lengths = (shape,) if isinstance(shape, (int, numpy.integer)) else tuple(shape)
    return _broadcast(array(value, precision), lengths).copy()


def ones(shape: Union[int, Sequence[int]], precision: Any = "qd") -> Array:
    """Makes an Array of ones."""
    return full(shape, 1, precision)


def eye(rows: int, columns: Optional[int] = None, k: int = 0, precision: Any = "qd") -> Array:
    """Makes a matrix with ones on diagonal k, and zeros elsewhere."""
    return array(numpy.eye(rows, columns, k), precision)


def _exact_number(number: Any) -> fractions.Fraction:
    re, im = _numbers.exact_of(number)
    if im:
        raise ArgumentError(f"{number} is complex, expected a real number")
    return re


def linspace(start: Any, stop: Any, num: int = 50, precision: Any = "qd", *, endpoint: bool = True) -> Array:
    """Makes numbers with equal distances, each correctly rounded. Texts are exact: ``"0.1"`` is one tenth.

    >>> import plumb
    >>> print(plumb.linspace(0, 1, 4))
    [0 0.3333333333333333333333333333333333333333333333333333333333333333
     0.6666666666666666666666666666666666666666666666666666666666666667 1]
    """
    first, last, count = _exact_number(start), _exact_number(stop), operator.index(num)
    steps = max(count - 1 if endpoint else count, 1)
    return array([first + (last - first) * k / steps for k in range(count)] or numpy.zeros(0), precision)


def arange(start: Any, stop: Any = None, step: Any = 1, precision: Any = "qd") -> Array:
    """Makes the numbers start, start + step, ... before stop, each correctly rounded. Texts are exact.

    >>> import plumb
    >>> print(plumb.arange(0, "0.5", "0.1"))
    [0 0.1 0.2 0.3 0.4]
    """
    first, last, by = map(_exact_number, (0, start, step) if stop is None else (start, stop, step))
    if not by:
        raise ArgumentError("the step is 0")
    return array([first + k * by for k in range(math.ceil((last - first) / by))] or numpy.zeros(0), precision)


def sqrt(x: Any) -> Array:
    """The square roots of numbers; of complex numbers those with real part >= 0.

    >>> import plumb
    >>> plumb.sqrt(plumb.array(2, "qd"))
    plumb.array('1.41421356237309504880168872420969807856967187537694807317667973799', precision='qd')
    """
    return array(x).sqrt()


def _dot_rows(x: Array, y: Array) -> Array:
    """The sums over the last axis of conj(x) * y, for x and y of shape (m, n), by PLUMB_OP_DOT."""
    x, y, left, right, prec = _together(x, y)
    m, n = x.shape
    planes = len(left)
    out = numpy.empty((planes, m))
    own = context("cpu")
    a = View(address(left), m, n, 1, m * n, m, planes * m * n, prec, planes // prec, 0, 0)
    b = View(address(right), m, n, 1, m * n, m, planes * m * n, prec, planes // prec, 0, 0)
    result = View(address(out), m, 1, 1, m, m, planes * m, prec, planes // prec, 0, 0)
    own.check(lib.plumb_map(own.handle, _abi.OP_DOT, _byref(a), _byref(b), None, _byref(result), None))
    return Array(out, prec)


def vdot(x: Any, y: Any) -> Array:
    """The inner product of two vectors, with the conjugate of the first, rounded once at the end.

    >>> import plumb
    >>> float(plumb.vdot([3, 4], [3, 4]))
    25.0
    """
    x, y = array(x), array(y)
    if x.ndim != 1 or x.shape != y.shape:
        raise ArgumentError(f"vectors have the shapes {x.shape} and {y.shape}, expected one axis of the same length")
    if not x.size:
        return zeros((), max(x._prec, y._prec))
    return _dot_rows(x.reshape(1, -1), y.reshape(1, -1))[0]


def dot(x: Any, y: Any) -> Array:
    """The product of vectors and matrices, as numpy.dot: without a conjugate."""
    return numpy.dot(_operand(x, y), _operand(y, x))


def matmul(x: Any, y: Any) -> Array:
    """The product of vectors and matrices, ``x @ y``. Leading axes are batches, as in NumPy.

    >>> import plumb
    >>> plumb.array([["1/4", 0], [0, 2]], "dd") @ plumb.array([3, 4], "dd")
    plumb.array(['0.75', '8'], precision='dd')
    """
    x, y = array(x), array(y)
    if not x.ndim or not y.ndim or x.shape[-1] != y.shape[0 if y.ndim == 1 else -2]:
        raise ArgumentError(f"operands of @ have the shapes {x.shape} and {y.shape}, expected vectors or matrices "
                            "with matching inner lengths")
    left = x.reshape(1, len(x)) if x.ndim == 1 else x
    right = y.reshape(len(y), 1) if y.ndim == 1 else y
    batch = numpy.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    shape = batch + left.shape[-2:-1] * (x.ndim > 1) + right.shape[-1:] * (y.ndim > 1)
    return _product(left, right, batch).reshape(shape)


def _product(x: Array, y: Array, batch: Tuple[int, ...]) -> Array:
    """The products of matrices, one after the other along the first axis, by plumb_gemm."""
    prec = max(x._prec, y._prec)
    parts = 2 if x.iscomplex or y.iscomplex else 1
    count, (m, k), n = math.prod(batch), x.shape[-2:], y.shape[-1]

    def view_of(one: Array) -> Tuple[View, numpy.ndarray]:
        """The library uses one matrix for all of a batch."""
        rows, cols = one.shape[-2:]
        one = one._as(prec, parts)
        single = math.prod(one.shape[:-2]) == 1
        number = 1 if single else count
        planes = one._planes if single else _broadcast(one, (*batch, rows, cols))._planes
        kept = _stored(planes.reshape(prec * parts, number, rows, cols))
        return View(address(kept), rows, cols, number, number * rows * cols, rows, rows * cols, prec, parts, 0, 0), kept

    out = numpy.empty((prec * parts, count, n, m))
    if out.size:
        own = context("cpu")
        (a, left), (b, right) = view_of(x), view_of(y)
        result = View(address(out), m, n, count, count * m * n, m, m * n, prec, parts, 0, 0)
        own.check(lib.plumb_gemm(own.handle, _byref(a), _byref(b), _byref(result), None, None))
        del left, right  # their memory was in use until here
    return Array(_logical(out), prec)

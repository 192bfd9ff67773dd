"""NumPy's functions of Arrays: each keeps the precision, or is refused with a TypeError that says what to do instead.

NumPy hands its functions over to ``__array_ufunc__`` (numpy.add, x + y) and ``__array_function__`` (numpy.concatenate). Three tables say
what plumb does with them. MOVES: functions that only move numbers are applied to the numbers' places, and the result is gathered
from there. FUNCTIONS: functions that compute, in terms of operations of Arrays. UFUNCS: functions of single numbers.
docs/python-numpy.md lists calls and what comes of them.
"""

from __future__ import annotations

import fractions
import functools
import inspect
import math
import operator
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy

from . import _abi, _numbers
from ._array import (Array, _binary, _broadcast, _compared, _dot_rows, _equal, _operand, _together, _unary, arange, array, eye, full, linspace,
                     matmul, ones, zeros)
from ._library import NAMES, ArgumentError
from ._linear import lstsq, qr
from ._triangular import cholesky

ADVICE = "x.to_numpy() rounds to double, x.to_mpmath() keeps all digits for mpmath"

# ---- functions that move numbers ----

# Parameters by name and order; those with a star hold numbers, and those with an equality sign are only given by name.
MOVES = {
    "append": "*arr *values axis", "array_split": "*ary indices_or_sections axis", "atleast_1d": "*arys...",
    "atleast_2d": "*arys...", "atleast_3d": "*arys...", "block": "*arrays", "broadcast_arrays": "*args...",
    "broadcast_to": "*array shape", "choose": "a *choices mode=", "column_stack": "*tup", "compress": "condition *a axis",
    "concatenate": "*arrays axis", "copy": "*a", "delete": "*arr obj axis", "diag": "*v k", "diagflat": "*v k",
    "diagonal": "*a offset axis1 axis2", "dsplit": "*ary indices_or_sections", "dstack": "*tup", "expand_dims": "*a axis",
    "extract": "condition *arr", "flip": "*m axis", "fliplr": "*m", "flipud": "*m", "full_like": "*a *fill_value",
    "hsplit": "*ary indices_or_sections", "hstack": "*tup", "insert": "*arr obj *values axis", "meshgrid": "*xi... indexing= sparse=",
    "moveaxis": "*a source destination", "pad": "*array pad_width mode *constant_values=", "ravel": "*a", "repeat": "*a repeats axis",
    "reshape": "*a newshape", "resize": "*a new_shape", "roll": "*a shift axis", "rollaxis": "*a axis start", "rot90": "*m k axes",
    "select": "condlist *choicelist *default", "split": "*ary indices_or_sections axis", "squeeze": "*a axis", "stack": "*arrays axis",
    "swapaxes": "*a axis1 axis2", "take": "*a indices axis mode=", "take_along_axis": "*arr indices axis", "tile": "*A reps",
    "transpose": "*a axes", "tril": "*m k", "triu": "*m k", "vsplit": "*ary indices_or_sections", "vstack": "*tup",
    "where": "condition *x *y", "zeros_like": "*a"}
_PADDINGS = ("constant", "edge", "reflect", "symmetric", "wrap")  # the others compute


def _leaves(given: Any) -> List[Any]:
    if isinstance(given, (list, tuple)):
        return [leaf for entry in given for leaf in _leaves(entry)]
    return [given]


def _moved(name: str, function: Callable[..., Any], args: Sequence[Any], options: Dict[str, Any]) -> Any:
    """Applies a function of NumPy to the places of numbers in one pool, where place 0 is a zero, and gathers the result."""
    words = MOVES[name].split()
    if words[0].endswith("..."):
        words[:1] = [f"*{k}" for k in range(len(args))]
    stars = {word.strip("*=") for word in words if word.startswith("*")}
    ordered = [word.strip("*") for word in words if not word.endswith("=")]
    words = [word.strip("*=") for word in words]
    if len(args) > len(ordered):
        raise TypeError(f"numpy.{name} of plumb arrays takes {', '.join(words)}, and nothing else")
    given = dict(zip(ordered, args))
    for key, value in options.items():
        key = "newshape" if name == "reshape" and key == "shape" else key  # as NumPy 2 calls it
        if key not in words or key in given:
            raise TypeError(f"numpy.{name} of plumb arrays does not take '{key}': it takes {', '.join(words)}")
        given[key] = value
    if name == "pad" and given.get("mode", "constant") not in _PADDINGS:
        raise TypeError(f"numpy.pad of plumb arrays has the modes {', '.join(_PADDINGS)}")
    arrays = [leaf for key in stars if key in given for leaf in _leaves(given[key]) if isinstance(leaf, Array)]
    prec = max((one._prec for one in arrays), default=_abi.D)
    pool: List[Array] = []
    count = 1

    def place(value: Any) -> Any:
        nonlocal count
        if isinstance(value, (list, tuple)):
            return [place(entry) for entry in value]
        if value is None:
            return None
        pool.append(array(value, prec))
        count += pool[-1].size
        return numpy.arange(count - pool[-1].size, count).reshape(pool[-1].shape)

    for key in list(given):
        if key in stars:
            given[key] = place(given[key])
        elif isinstance(given[key], Array):
            if key != "condition":
                raise TypeError(f"'{key}' of numpy.{name} is an Array, expected integers of NumPy")
            given[key] = given[key] != 0
    parts = 2 if any(one.iscomplex for one in pool) else 1
    first = next((k for k, word in enumerate(ordered) if word not in given), len(ordered))
    found = function(*[given.pop(word) for word in ordered[:first]], **given)
    flat = numpy.zeros((prec * parts, count))
    at = 1
    for one in pool:
        flat[:, at:at + one.size] = one._as(prec, parts)._planes.reshape(prec * parts, -1)
        at += one.size

    def gather(result: Any) -> Any:
        if isinstance(result, (list, tuple)):
            return type(result)(gather(entry) for entry in result)
        return Array(flat[:, result], prec)

    return gather(found)


# ---- functions that compute ----

def _axes(axis: Any, ndim: int) -> Tuple[int, ...]:
    """The numbers of axes, from 0."""
    given = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    found = tuple(operator.index(one) for one in given)
    if not ndim and found in ((0,), (-1,)):
        return ()  # as NumPy has it
    for one in found:
        if not -ndim <= one < ndim:
            raise getattr(numpy, "exceptions", numpy).AxisError(one, ndim)
    found = tuple(one % ndim for one in found)
    if len(set(found)) < len(found):
        raise ValueError("an axis is given twice")
    return found


def _rows(x: Any, axis: Any) -> Tuple[Array, Tuple[int, ...], Tuple[int, ...]]:
    """The numbers that are reduced along the last of two axes, and the shape of the result without and with these axes."""
    axes = _axes(axis, x.ndim)
    rest = tuple(k for k in range(x.ndim) if k not in axes)
    shape = tuple(x.shape[k] for k in rest)
    count = math.prod(x.shape[k] for k in axes)
    moved = Array(x._planes.transpose(0, *(k + 1 for k in rest + axes)), x._prec)
    kept = tuple(1 if k in axes else x.shape[k] for k in range(x.ndim))
    return moved.reshape(math.prod(shape), count), shape, kept


def _select(mask: Any, x: Any, y: Any) -> Array:
    x, y, _, _, prec = _together(x, y)
    shape = numpy.broadcast_shapes(numpy.shape(mask), x.shape)
    return Array(numpy.where(mask, _broadcast(x, shape)._planes, _broadcast(y, shape)._planes), prec)


def _larger(x: Any, y: Any) -> Array:
    """The larger of two numbers; NaN if one is."""
    x, y = _operand(x, y), _operand(y, x)
    return _select((_compared(x, y) >= 0) | numpy.isnan(x._planes[0]), x, y)


def _smaller(x: Any, y: Any) -> Array:
    x, y = _operand(x, y), _operand(y, x)
    return _select((_compared(x, y) <= 0) | numpy.isnan(x._planes[0]), x, y)


def _times(x: Any, y: Any) -> Array:
    return _binary(_abi.OP_MUL, x, y)


def _plus(x: Any, y: Any) -> Array:
    return _binary(_abi.OP_ADD, x, y)


def _tree(operation: Callable[[Any, Any], Array], rows: Array) -> Array:
    """Reduces the second axis by halves."""
    while rows.shape[1] > 1:
        half = rows.shape[1] // 2
        rest = rows[:, 2 * half:]
        rows = operation(rows[:, :half], rows[:, half:2 * half])
        if rest.size:
            rows = Array(numpy.concatenate([rows._planes, rest._planes], axis=2), rows._prec)
    return rows[:, 0]


def _sum_rows(rows: Array) -> Array:
    """Sums along the second axis, each rounded once."""
    if not numpy.all(numpy.isfinite(rows._planes)):
        return _tree(_plus, rows)
    return _dot_rows(_broadcast(ones((1, 1), rows._prec), rows.shape), rows)


def _reduced(x: Any, axis: Any, keepdims: Any, initial: Any, where: Any, operation: Callable[[Any, Any], Array], neutral: Any,
             reduce_rows: Callable[[Array], Array]) -> Array:
    """A reduction with the arguments of NumPy's; neutral is the number that changes nothing, or None."""
    if where is not True:
        if isinstance(where, Array):
            where = where != 0
        start = initial if neutral is None else neutral
        if start is None:
            raise ValueError("the reduction has no number for places that are not chosen: give 'initial'")
        x = _select(where, x, _operand(start, x))
    rows, shape, kept = _rows(x, axis)
    if rows.shape[1]:
        found = reduce_rows(rows) if rows.size else rows[:, 0]
        found = found if initial is None else operation(found, initial)
    else:
        start = neutral if initial is None else initial
        if start is None:
            raise ValueError("an array without numbers has no smallest and no largest one")
        found = _plus(zeros((rows.shape[0],), x._prec, iscomplex=x.iscomplex), start)
    return found.reshape(kept if keepdims else shape)


def _sum(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Array:
    return _reduced(a, axis, keepdims, initial, where, _plus, 0, _sum_rows)


def _prod(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Array:
    return _reduced(a, axis, keepdims, initial, where, _times, 1, lambda rows: _tree(_times, rows))


def _max(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Array:
    return _reduced(a, axis, keepdims, initial, where, _larger, None, lambda rows: _tree(_larger, rows))


def _min(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Array:
    return _reduced(a, axis, keepdims, initial, where, _smaller, None, lambda rows: _tree(_smaller, rows))


def _count(x: Any, axis: Any, where: Any, keepdims: bool = False) -> Any:
    chosen = numpy.broadcast_to(where != 0 if isinstance(where, Array) else where, x.shape)
    return chosen.sum(axis=axis, keepdims=keepdims)


def _mean(a: Any, axis: Any = None, keepdims: bool = False, where: Any = True) -> Array:
    return _sum(a, axis, keepdims, None, where) / _count(a, axis, where, keepdims)


def _var(a: Any, axis: Any = None, ddof: Any = 0, keepdims: bool = False, where: Any = True) -> Array:
    off = abs(a - _mean(a, axis, True, where))
    return _sum(off * off, axis, keepdims, None, where) / (_count(a, axis, where, keepdims) - ddof)


def _std(a: Any, axis: Any = None, ddof: Any = 0, keepdims: bool = False, where: Any = True) -> Array:
    return _var(a, axis, ddof, keepdims, where).sqrt()


def _average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False) -> Any:
    a = array(a) if weights is None else _operand(a, weights)
    if weights is None:
        weights = ones(a.shape, a._prec)
    weights = _operand(weights, a)
    if weights.shape != a.shape and weights.ndim == 1 and axis is not None:
        weights = weights.reshape([-1 if k == axis % a.ndim else 1 for k in range(a.ndim)])
    weights = _broadcast(weights, a.shape)
    total = _sum(weights, axis, keepdims)
    found = _sum(a * weights, axis, keepdims) / total
    return (found, total) if returned else found


def _ptp(a: Any, axis: Any = None, keepdims: bool = False) -> Array:
    return _max(a, axis, keepdims) - _min(a, axis, keepdims)


def _quantile(a: Any, q: Any, axis: Any = None, keepdims: bool = False, method: str = "linear") -> Array:
    if method != "linear":
        raise TypeError("numpy.quantile of plumb arrays has the method 'linear'")
    rows, shape, kept = _rows(a, axis)
    rows = _sorted(rows, -1)
    share = array(q, a._prec)
    found = []
    for one in share.reshape(-1):
        place = one * (rows.shape[1] - 1)
        low = min(max(math.floor(place), 0), rows.shape[1] - 1)
        if not 0 <= one <= 1:
            raise ValueError("quantiles are for shares from 0 to 1")
        high = min(low + 1, rows.shape[1] - 1)
        value = _or_nan(rows, rows[:, low] + (rows[:, high] - rows[:, low]) * (place - low))
        found.append(value.reshape(kept if keepdims else shape))
    return found[0] if not share.ndim else numpy.stack(found).reshape(*share.shape, *found[0].shape)


def _median(a: Any, axis: Any = None, keepdims: bool = False) -> Array:
    rows, shape, kept = _rows(a, axis)
    n = rows.shape[1]
    if not n:
        return full(kept if keepdims else shape, math.nan, a._prec)
    rows = _sorted(rows, -1)
    middle = rows[:, n // 2] if n % 2 else (rows[:, n // 2 - 1] + rows[:, n // 2]) / 2
    return _or_nan(rows, middle).reshape(kept if keepdims else shape)


def _or_nan(rows: Array, value: Array) -> Array:
    """A value of each sorted row, or NaN if there is one, which is last."""
    return _select(numpy.isnan(rows._planes[0][:, -1]), rows[:, -1], value)


def _scan(operation: Callable[[Any, Any], Array]) -> Callable[..., Array]:
    def scan(a: Any, axis: Optional[int] = None) -> Array:
        """Partial results along an axis, in log2(n) steps: after step k each number is the result of up to 2^k numbers."""
        if axis is None or not a.ndim:
            a, axis = a.reshape(-1), 0
        moved = numpy.moveaxis(a, _axes(axis, a.ndim)[0], -1)
        distance = 1
        while distance < moved.shape[-1]:
            ahead = operation(moved[..., :-distance], moved[..., distance:])
            moved = Array(numpy.concatenate([moved._planes[..., :distance], ahead._planes], axis=-1), a._prec)
            distance *= 2
        return numpy.moveaxis(moved, -1, axis)
    return scan


_cumsum, _cumprod = _scan(_plus), _scan(_times)


def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    axis = _axes(axis, a.ndim)[0]
    ends = []
    for end in (prepend, append):
        lengths = a.shape[:axis] + (1,) + a.shape[axis + 1:]
        ends.append([] if end is None else [_broadcast(_operand(end, a), lengths) if numpy.ndim(end) == 0 else end])
    a = numpy.concatenate([*ends[0], a, *ends[1]], axis=axis) if ends[0] or ends[1] else a
    for _ in range(n):
        moved = numpy.moveaxis(a, axis, 0)
        a = numpy.moveaxis(moved[1:] - moved[:-1], 0, axis)
    return a


def _argsort(a: Any, axis: Optional[int] = -1, kind: Any = None, stable: Any = None) -> numpy.ndarray:
    """The order of numbers: that of their limbs, which is checked, because limbs need not be the nearest doubles."""
    if axis is None or not a.ndim:
        a, axis = a.reshape(-1), -1
    planes = a._planes
    order = numpy.lexsort(planes[::-1], axis=axis)
    if a.iscomplex or a.shape[axis] < 2:
        return order
    moved = numpy.moveaxis(numpy.take_along_axis(a, order, axis), axis, -1)
    if not numpy.any(_compared(moved[..., :-1], moved[..., 1:]) > 0):
        return order
    keys = numpy.empty(a.shape, dtype=object)
    for index in numpy.ndindex(*a.shape):
        keys[index] = _Key(a[index])
    return numpy.argsort(keys, axis=axis, kind="stable")


class _Key:
    """A number that is compared exactly; NaN is the largest one."""

    __slots__ = ("value",)

    def __init__(self, number: Array):
        limbs = number._planes.tolist()
        self.value = _numbers.fraction_of(limbs) if all(map(math.isfinite, limbs)) else \
            math.inf if math.isnan(limbs[0]) else limbs[0]

    def __lt__(self, other: "_Key") -> bool:
        return self.value < other.value


def _sorted(a: Any, axis: Optional[int] = -1, kind: Any = None, stable: Any = None) -> Array:
    if axis is None:
        a, axis = a.reshape(-1), -1
    return numpy.take_along_axis(a, _argsort(a, axis), axis)


def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    a, v = _pair(a, v)
    if a.ndim != 1:
        raise ValueError(f"the sorted array has the shape {a.shape}, expected one axis")
    if sorter is not None:
        a = a[sorter]
    low, high = numpy.zeros(v.shape, dtype=numpy.intp), numpy.full(v.shape, len(a), dtype=numpy.intp)
    while numpy.any(low < high):
        middle = (low + high) // 2
        sign = _compared(a[numpy.minimum(middle, len(a) - 1)], v)
        before = (sign < 0 if side == "left" else sign <= 0) & (low < high)
        low, high = numpy.where(before, middle + 1, low), numpy.where(before, high, middle)
    return low if low.ndim else low[()]


def _unique(ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False) -> Any:
    flat = ar.reshape(-1)
    order = _argsort(flat)
    ranked = flat[order]
    first = numpy.ones(len(flat), dtype=bool)
    if len(flat) > 1:
        first[1:] = ~numpy.asarray(_equal(ranked[1:], ranked[:-1]))
    results: List[Any] = [ranked[first]]
    if return_index:
        results.append(order[first])
    if return_inverse:
        inverse = numpy.empty(len(flat), dtype=numpy.intp)
        inverse[order] = numpy.cumsum(first) - 1
        results.append(inverse if numpy.__version__.startswith("1.") else inverse.reshape(ar.shape))
    if return_counts:
        results.append(numpy.diff(numpy.append(numpy.flatnonzero(first), len(flat))))
    return tuple(results) if len(results) > 1 else results[0]


def _place_of(choose: Callable[..., Array]) -> Callable[..., Any]:
    def place(a: Any, axis: Optional[int] = None, keepdims: bool = False) -> Any:
        """The first place of the smallest or largest number; of a NaN, if there is one."""
        here = numpy.asarray(_equal(a, choose(a, axis, True))) | numpy.isnan(a._planes[0])
        found = numpy.argmax(here, axis=axis)
        return found if not keepdims else numpy.expand_dims(found, axis) if axis is not None else numpy.reshape(found, (1,) * a.ndim)
    return place


def _clip(a: Any, a_min: Any = None, a_max: Any = None, min: Any = None, max: Any = None) -> Array:
    low, high = a_min if min is None else min, a_max if max is None else max
    a = a if low is None else _larger(a, low)
    return a if high is None else _smaller(a, high)


def _isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    a, b = _operand(a, b), _operand(b, a)
    with numpy.errstate(all="ignore"):
        close = (_compared(abs(a - b), _times(rtol, abs(b)) + atol) <= 0) & _isfinite(b)
    both = _isnan(a) & _isnan(b) if equal_nan else False
    return close | _equal(a, b) | both


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    if numpy.shape(a1) != numpy.shape(a2):
        return False
    equal = _equal(a1, a2)
    return bool(numpy.all(equal | (_isnan(array(a1)) & _isnan(array(a2))) if equal_nan else equal))


def _rounded(a: Any, decimals: int = 0) -> Array:
    places = operator.index(decimals)

    def nearest(exact: fractions.Fraction) -> fractions.Fraction:
        return fractions.Fraction(round(exact * fractions.Fraction(10)**places)) / fractions.Fraction(10)**places
    return _by_fractions(nearest, a)


def _by_fractions(function: Callable[..., Any], *given: Any, doubles: Any = None) -> Array:
    """A function of exact numbers, rounded once. Where one of them is not finite, or a divisor is zero, the result is that of doubles."""
    arrays = [_operand(one, next(x for x in given if isinstance(x, Array))) for one in given]
    prec = max(one._prec for one in arrays)
    shape = numpy.broadcast_shapes(*(one.shape for one in arrays))
    arrays = [_broadcast(one, shape) for one in arrays]
    if any(one.iscomplex for one in arrays):
        if len(arrays) > 1:
            raise TypeError("complex numbers have no remainder")
        both = [_by_fractions(function, part) for part in (arrays[0].real, arrays[0].imag)]
        return Array(numpy.concatenate([both[0]._planes, both[1]._planes]), prec)
    out = zeros(shape, prec)
    for index in numpy.ndindex(*shape):
        limbs = [one._parts_of(index)[0] for one in arrays]
        try:
            exact = function(*map(_numbers.fraction_of, limbs))
        except (ArgumentError, ZeroDivisionError):
            with numpy.errstate(all="ignore"):
                out._planes[(0, *index)] = limbs[0][0] if doubles is None else doubles(*(numpy.float64(one[0]) for one in limbs))
            continue
        out._planes[(slice(None), *index)] = _numbers.limbs_of(fractions.Fraction(exact), prec)[0]
    return out


def _floor(x: Any) -> Array:
    """The largest integers that are not larger: limb by limb, up to the first one that is no integer."""
    limbs, whole = _real(x)._planes, zeros(x.shape, x._prec)
    going = numpy.ones(x.shape, dtype=bool)
    for limb in limbs:
        part = numpy.where(going, numpy.floor(limb), 0.0)
        whole = whole + part
        going = going & (part == limb)
    return whole


def _nearest(x: Any) -> Array:
    """The nearest integers; of two the even one."""
    if x.iscomplex:
        both = [_nearest(part)._planes for part in (x.real, x.imag)]
        return Array(numpy.concatenate(both), x._prec)
    low = _floor(x)
    sign = _compared(x - low, 0.5)  # the difference is exact
    odd = numpy.asarray(_floor(low / 2) * 2 != low)
    return _select((sign > 0) | (sign == 0) & odd, low + 1, low)


def _trunc(x: Any) -> Array:
    return _select(_compared(x, 0) < 0, -_floor(-x), _floor(x))


def _real(x: Any) -> Array:
    if x.iscomplex:
        raise TypeError("this is for real numbers")
    return x


# ---- products ----

def _parsed(subscripts: str, operands: Sequence[Array]) -> Tuple[List[str], str]:
    """The letters of operands and of the result; an ellipsis becomes capital letters."""
    text = subscripts.replace(" ", "")
    left, arrow, out = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(operands):
        raise ValueError(f"'{subscripts}' is for {len(inputs)} operands, found {len(operands)}")
    most = ""
    for k, (letters, one) in enumerate(zip(inputs, operands)):
        extra = one.ndim - len(letters.replace("...", ""))
        if extra < 0 or extra > 0 and "..." not in letters:
            raise ValueError(f"'{letters}' is not for an operand with the shape {one.shape}")
        more = "".join(chr(0x391 + j) for j in range(extra))[::-1]  # letters that nobody writes, the last axis first
        most = more if len(more) > len(most) else most
        inputs[k] = letters.replace("...", more)
    if not arrow:
        joined = "".join(inputs)
        out = most + "".join(sorted(c for c in set(joined) if joined.count(c) == 1 and c not in most))
    return inputs, out.replace("...", most) if arrow else out


def _einsum(subscripts: Any, *operands: Any, optimize: Any = False) -> Array:
    """Sums of products, two operands at a time; each sum is rounded once."""
    if not isinstance(subscripts, str):
        raise TypeError("numpy.einsum of plumb arrays takes a text such as 'ij,jk->ik'")
    given: List[Array] = [one if isinstance(one, Array) else array(one, max(x._prec for x in operands if isinstance(x, Array)))
                          for one in operands]
    inputs, out = _parsed(subscripts, given)
    for k, one in enumerate(given):
        given[k], inputs[k] = _without_repeats(one, inputs[k])
    while len(given) > 1:
        later = set(out).union(*inputs[2:])
        keep = "".join(dict.fromkeys(c for c in inputs[0] + inputs[1] if c in later)) if len(given) > 2 else out
        given[:2], inputs[:2] = [_contracted(given[0], inputs[0], given[1], inputs[1], keep)], [keep]
    one, letters = given[0], inputs[0]
    summed = tuple(k for k, c in enumerate(letters) if c not in out)
    if summed:
        one, letters = _sum(one, summed), "".join(c for c in letters if c in out)
    if sorted(letters) != sorted(out):
        raise ValueError(f"'{subscripts}' has a letter of the result that is not in the operands, or twice")
    return numpy.transpose(one, [letters.index(c) for c in out]) if out else one


def _without_repeats(x: Array, letters: str) -> Tuple[Array, str]:
    """The diagonals that a letter means which appears twice."""
    for c in set(letters):
        while letters.count(c) > 1:
            first = letters.index(c)
            second = letters.index(c, first + 1)
            x = numpy.diagonal(x, 0, first, second)
            letters = "".join(d for k, d in enumerate(letters) if k not in (first, second)) + c
    return x, letters


def _contracted(x: Array, left: str, y: Array, right: str, out: str) -> Array:
    """The sums of products of two operands over the letters that are not in out."""
    lengths: Dict[str, int] = {}
    for letters, one in ((left, x), (right, y)):
        for c, n in zip(letters, one.shape):
            if lengths.get(c, 1) not in (1, n) and n != 1:
                raise ValueError(f"'{c}' has the lengths {lengths[c]} and {n}")
            lengths[c] = n if lengths.get(c, 1) == 1 else lengths[c]
    for c in out:
        if c not in lengths:
            raise ValueError(f"the letter '{c}' of the result is not in the operands")
    order = out + "".join(c for c in lengths if c not in out)
    shape = tuple(lengths[c] for c in order)

    def spread(one: Array, letters: str) -> Array:
        moved = numpy.transpose(one, sorted(range(len(letters)), key=lambda k: order.index(letters[k])))
        sizes = dict(zip(letters, one.shape))
        return _broadcast(moved.reshape([sizes.get(c, 1) for c in order]), shape)

    rows = math.prod(shape[:len(out)])
    count = math.prod(shape[len(out):])
    if not rows or not count:
        return zeros(shape[:len(out)], max(x._prec, y._prec), iscomplex=x.iscomplex or y.iscomplex)
    a, b = spread(x.conj(), left), spread(y, right)
    return _dot_rows(a.reshape(rows, count), b.reshape(rows, count)).reshape(shape[:len(out)])


_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _pair(a: Any, b: Any) -> Tuple[Array, Array]:
    return _operand(a, b), _operand(b, a)


def _dot(a: Any, b: Any) -> Array:
    a, b = _pair(a, b)
    if not a.ndim or not b.ndim:
        return a * b
    if a.ndim <= 2 and b.ndim <= 2:
        return matmul(a, b)
    return _tensordot(a, b, ([a.ndim - 1], [max(b.ndim - 2, 0)]))


def _vdot(a: Any, b: Any) -> Array:
    a, b = _pair(a, b)
    if a.size != b.size:
        raise ValueError(f"the arrays have {a.size} and {b.size} numbers, expected as many")
    return _einsum("i,i", a.reshape(a.size).conj(), b.reshape(b.size))


def _inner(a: Any, b: Any) -> Array:
    a, b = _pair(a, b)
    return a * b if not a.ndim or not b.ndim else _tensordot(a, b, ([a.ndim - 1], [b.ndim - 1]))


def _outer(a: Any, b: Any) -> Array:
    a, b = _pair(a, b)
    return a.reshape(-1, 1) * b.reshape(1, -1)


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Array:
    a, b = _pair(a, b)
    if isinstance(axes, (int, numpy.integer)):
        axes = list(range(a.ndim - int(axes), a.ndim)), list(range(int(axes)))
    pairs = [[one] if isinstance(one, (int, numpy.integer)) else list(one) for one in axes]
    left = list(_LETTERS[:a.ndim])
    right = list(_LETTERS[a.ndim:a.ndim + b.ndim])
    for i, j in zip(*pairs):
        if a.shape[i] != b.shape[j]:
            raise ValueError(f"axes of the lengths {a.shape[i]} and {b.shape[j]} do not match")
        right[j] = left[i]
    out = [c for c in left + right if (c in left) != (c in right)]
    return _contracted(a, "".join(left), b, "".join(right), "".join(out))


def _kron(a: Any, b: Any) -> Array:
    a, b = _pair(a, b)
    ndim = max(a.ndim, b.ndim)
    a = a.reshape((1,) * (ndim - a.ndim) + a.shape)
    b = b.reshape((1,) * (ndim - b.ndim) + b.shape)
    wide = a.reshape([n for k in a.shape for n in (k, 1)]) * b.reshape([n for k in b.shape for n in (1, k)])
    return wide.reshape([m * n for m, n in zip(a.shape, b.shape)])


def _cross(a: Any, b: Any, axis: int = -1) -> Array:
    a, b = _pair(a, b)
    a, b = numpy.moveaxis(a, axis, -1), numpy.moveaxis(b, axis, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise TypeError("numpy.cross of plumb arrays is for vectors of length 3")
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return numpy.stack(parts, axis=axis)


def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    return _sum(numpy.diagonal(a, offset, axis1, axis2), -1)


def _convolve(a: Any, v: Any, mode: str = "full") -> Array:
    a, v = (one.reshape(1) if not one.ndim else one for one in _pair(a, v))
    if a.ndim > 1 or v.ndim > 1 or not a.size or not v.size:
        raise ValueError("numpy.convolve is for vectors with at least one number")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"numpy.convolve has the modes 'full', 'same' and 'valid', not {mode!r}")
    if len(a) < len(v):
        a, v = v, a
    wide = numpy.pad(a, len(v) - 1)
    windows = numpy.arange(len(a) + len(v) - 1)[:, None] + numpy.arange(len(v))
    whole = _einsum("ij,j", wide[windows], v[::-1])
    skip = {"full": 0, "same": (len(v) - 1) // 2, "valid": len(v) - 1}[mode]
    return whole[skip:skip + {"full": len(whole), "same": len(a), "valid": len(a) - len(v) + 1}[mode]]


def _polyval(p: Any, x: Any) -> Array:
    p, x = _pair(p, x)
    value = zeros(x.shape, max(p._prec, x._prec))
    for coefficient in p:
        value = value * x + coefficient
    return value


def _cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Optional[int] = None) -> Array:
    given = [one if isinstance(one, Array) else array(one, m._prec) for one in (m, y) if one is not None]
    for one in given:
        if one.ndim > 2 or not one.size:
            raise ValueError(f"the array has the shape {one.shape}, expected a vector or a matrix")
    rows = numpy.concatenate([one.reshape(1, -1) if one.ndim < 2 else one if rowvar else one.T for one in given])
    off = rows - _mean(rows, 1, True)
    found = _einsum("ik,jk", off, off.conj()) / (rows.shape[1] - (ddof if ddof is not None else 0 if bias else 1))
    return numpy.squeeze(found)


# ---- linear algebra ----

def _scaled(x: Array) -> Tuple[Array, int]:
    """Numbers times a power of two, so that their squares neither overflow nor vanish, and its exponent."""
    largest = float(numpy.max(numpy.abs(x._planes), initial=0.0))
    exponent = math.frexp(largest)[1] if 0.0 < largest < math.inf else 0
    return Array(numpy.ldexp(x._planes, -exponent), x._prec), exponent


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    if axis is None and ord is None:
        axis = tuple(range(x.ndim))
    axes = _axes(axis, x.ndim)
    size = abs(x)
    if ord is None or ord == "fro" or ord == 2 and len(axes) == 1:
        near, exponent = _scaled(size)
        root = _sum(near * near, axes, keepdims).sqrt()
        return Array(numpy.ldexp(root._planes, exponent), x._prec)
    if len(axes) == 1 and ord in (1, math.inf, -math.inf):
        return (_sum if ord == 1 else _max if ord > 0 else _min)(size, axes, keepdims)
    if len(axes) == 2 and ord in (1, -1, math.inf, -math.inf):
        summed, chosen = (axes[0], axes[1]) if abs(ord) == 1 else (axes[1], axes[0])
        found = (_max if ord > 0 else _min)(_sum(size, summed, True), chosen, True)
        return found if keepdims else numpy.squeeze(found, axes)
    raise TypeError(f"numpy.linalg.norm of plumb arrays has no norm {ord!r}: it has 1, 2, inf and -inf of vectors, and 1, -1, inf, "
                    "-inf and 'fro' of matrices")


def _solve(a: Any, b: Any) -> Array:
    a, b = _pair(a, b)
    return lstsq(a, b, max(a._prec, b._prec), method="lu", report=False).x


def _inv(a: Any) -> Array:
    return _solve(a, _broadcast(eye(a.shape[-1], precision=a._prec), a.shape))


def _lstsq(a: Any, b: Any, rcond: Any = None) -> Tuple[Array, Array, int, None]:
    a, b = _pair(a, b)
    found = lstsq(a, b, max(a._prec, b._prec))
    return found.x, (found.residual * found.residual).reshape(-1), found.rank, None


def _qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "r"):
        raise TypeError(f"numpy.linalg.qr of plumb arrays has the modes 'reduced' and 'r', not {mode!r}")
    found = qr(a)
    return found.R if mode == "r" else (found.Q, found.R)


def _cholesky(a: Any, *, upper: bool = False) -> Any:
    return cholesky(a, upper=upper)


def _det(a: Any) -> Array:
    """By Gaussian elimination with partial pivoting."""
    if a.ndim > 2:
        return numpy.stack([_det(one) for one in a])
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise numpy.linalg.LinAlgError(f"the matrix has the shape {a.shape}, expected a square one")
    rest, result = a.copy(), _plus(zeros((), a._prec), 1)
    while rest.shape[0]:
        pivot = int(numpy.argmax(abs(rest[:, 0])))
        if not rest[pivot, 0]:
            return zeros((), a._prec, iscomplex=a.iscomplex)
        if pivot:
            rest[[0, pivot]] = rest[[pivot, 0]]
            result = -result
        result = result * rest[0, 0]
        rest = rest[1:, 1:] - (rest[1:, :1] / rest[0, 0]) * rest[:1, 1:]
    return result


def _matrix_power(a: Any, n: int) -> Array:
    power, square = operator.index(n), a if n >= 0 else _inv(a)
    result = _broadcast(eye(a.shape[-1], precision=a._prec), a.shape)
    power = abs(power)
    while power:
        result = matmul(result, square) if power & 1 else result
        power >>= 1
        square = matmul(square, square) if power else square
    return result.copy()


def _matrix_rank(A: Any) -> Any:
    if A.ndim != 2:
        return int(bool(numpy.any(A != 0)))
    A = A if A.shape[0] >= A.shape[1] else A.T
    return int(lstsq(A, zeros((A.shape[0],), A._prec), A._prec, pivot=True).rank)


def _multi_dot(arrays: Sequence[Any]) -> Array:
    result = arrays[0]
    for one in arrays[1:]:
        result = _dot(result, one)
    return result


# ---- others ----

def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False) -> Any:
    a, b = _pair(start, stop)
    if not a.ndim and not b.ndim:
        found = linspace(a._exact(), b._exact(), num, max(a._prec, b._prec), endpoint=endpoint)
    else:
        steps = array(numpy.arange(num), max(a._prec, b._prec)).reshape(-1, *(1,) * max(a.ndim, b.ndim))
        found = a + (b - a) * steps / max(num - 1 if endpoint else num, 1)
    return (found, (b - a) / max(num - 1 if endpoint else num, 1)) if retstep else found


def _copyto(dst: Any, src: Any, casting: Any = None, where: Any = True) -> None:
    if not isinstance(dst, Array):
        raise TypeError("a NumPy array does not hold the numbers of a plumb array: " + ADVICE)
    dst[...] = src if where is True else _select(where, _operand(src, dst), dst)


def _truth(x: Any) -> Any:
    return x != 0 if isinstance(x, Array) else x


def _with_truth(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, *args, **options: function(_truth(a), *args, **options)


def _planes_of(x: Any) -> Any:
    return x._planes if isinstance(x, Array) else x


FUNCTIONS: Dict[str, Callable[..., Any]] = {
    "all": _with_truth(numpy.all), "allclose": lambda *args, **options: bool(numpy.all(_isclose(*args, **options))),
    "amax": _max, "amin": _min, "any": _with_truth(numpy.any), "argmax": _place_of(_max), "argmin": _place_of(_min), "argsort": _argsort,
    "argwhere": _with_truth(numpy.argwhere), "around": _rounded, "array2string": lambda a: str(a), "array_equal": _array_equal,
    "array_repr": lambda arr: repr(arr), "array_str": lambda a: str(a), "average": _average, "clip": _clip, "convolve": _convolve,
    "copyto": _copyto, "count_nonzero": _with_truth(numpy.count_nonzero), "cov": _cov, "cross": _cross, "cumprod": _cumprod,
    "cumsum": _cumsum, "diff": _diff, "dot": _dot, "einsum": _einsum, "empty_like": lambda prototype: numpy.zeros_like(prototype),
    "fix": _trunc, "flatnonzero": _with_truth(numpy.flatnonzero), "imag": lambda val: val.imag,
    "inner": _inner, "isclose": _isclose, "iscomplex": lambda x: numpy.asarray(x.imag != 0),
    "iscomplexobj": lambda x: x.iscomplex, "isreal": lambda x: numpy.asarray(x.imag == 0), "isrealobj": lambda x: not x.iscomplex,
    "kron": _kron, "linspace": _linspace, "max": _max, "may_share_memory": lambda a, b: numpy.may_share_memory(*map(_planes_of, (a, b))),
    "mean": _mean, "median": _median, "min": _min, "ndim": lambda a: a.ndim, "nonzero": _with_truth(numpy.nonzero),
    "ones_like": lambda a: full(a.shape, 1, a._prec), "outer": _outer, "percentile": lambda a, q, *args, **options: _quantile(
        a, array(q, a._prec) / 100, *args, **options), "polyval": _polyval, "prod": _prod, "ptp": _ptp, "quantile": _quantile,
    "real": lambda val: val.real, "round": _rounded, "round_": _rounded, "searchsorted": _searchsorted, "shape": lambda a: a.shape,
    "shares_memory": lambda a, b: numpy.shares_memory(*map(_planes_of, (a, b))),
    "size": lambda a, axis=None: a.size if axis is None else a.shape[axis], "sort": _sorted, "std": _std, "sum": _sum,
    "tensordot": _tensordot, "trace": _trace, "unique": _unique, "var": _var, "vdot": _vdot,
    "linalg.cholesky": _cholesky, "linalg.det": _det, "linalg.inv": _inv, "linalg.lstsq": _lstsq, "linalg.matrix_power": _matrix_power,
    "linalg.matrix_rank": _matrix_rank, "linalg.multi_dot": _multi_dot, "linalg.norm": _norm, "linalg.qr": _qr, "linalg.solve": _solve}

# Functions that make arrays, called as numpy.zeros(3, like=x): of the precision of x.
CREATORS: Dict[str, Callable[..., Any]] = {
    "arange": lambda prec, *args: arange(*args, precision=prec), "array": lambda prec, numbers: array(numbers, prec),
    "asarray": lambda prec, numbers: array(numbers, prec), "empty": lambda prec, shape: zeros(shape, prec),
    "eye": lambda prec, N, M=None, k=0: eye(N, M, k, prec), "full": lambda prec, shape, fill_value: full(shape, fill_value, prec),
    "identity": lambda prec, n: eye(n, precision=prec), "ones": lambda prec, shape: ones(shape, prec),
    "zeros": lambda prec, shape: zeros(shape, prec)}

_HINTS = {"linalg.lstsq": "use plumb.lstsq", "save": "save x.limbs, and read it with plumb.from_limbs", "savetxt": "save x.to_strings()",
          "linalg.svd": "plumb.qr(x, pivot=True) finds the rank", "linalg.cond": "plumb.qr(x).condition is an estimate"}


NOT_NUMBERS = {"array_equal", "copyto", "einsum", "linalg.multi_dot", "may_share_memory", "shares_memory"}  # what they are given first


@functools.lru_cache(maxsize=None)
def _signature(function: Any) -> Any:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None  # one written in C


def _is_default(value: Any, default: Any) -> bool:
    return value is default or type(value) is type(default) and isinstance(default, (bool, int, float, str)) and value == default


def _by_name(function: Any, args: Sequence[Any], options: Dict[str, Any]) -> Tuple[Sequence[Any], Dict[str, Any]]:
    """The arguments of a call by the names that NumPy gives them, without those that say what NumPy does by itself: ours may have another
    order."""
    signature = _signature(function)
    if signature is None or any(one.kind == one.VAR_POSITIONAL for one in signature.parameters.values()):
        return args, options
    named: Dict[str, Any] = {}
    for key, value in signature.bind(*args, **options).arguments.items():
        parameter = signature.parameters[key]
        if parameter.kind == parameter.VAR_KEYWORD:
            named.update(value)
        elif not _is_default(value, parameter.default):
            named[key] = value
    return (), named


def _without_nothing(name: str, options: Dict[str, Any]) -> Tuple[Dict[str, Any], Any]:
    """Options without those that say nothing, and the array for the result."""
    kept = {key: value for key, value in options.items() if not (value is None and key in ("out", "dtype", "order", "subok", "casting"))}
    kept.pop("casting", None)
    if kept.get("order") in ("C", "K", "A"):
        kept.pop("order")
    if kept.get("subok") in (True, False):
        kept.pop("subok")
    if "dtype" in kept:
        raise TypeError(f"numpy.{name} of plumb arrays takes no dtype: the precision is that of the arrays; x.astype('qd') changes it")
    out = kept.pop("out", None)
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if out is not None and not isinstance(out, Array):
        raise TypeError(f"numpy.{name}: out is no plumb array, and would round the result to double")
    return kept, out


def _given(out: Any, result: Any) -> Any:
    if out is None:
        return result
    if not isinstance(result, Array) or out.shape != result.shape:
        raise ValueError("out has not the shape of the result")
    if result._prec > out._prec:
        raise TypeError(f"the result is {NAMES[result._prec]}, which out does not hold")
    out[...] = result
    return out


def _first_as_array(prec: int, args: Sequence[Any], options: Dict[str, Any]) -> Tuple[Sequence[Any], Dict[str, Any]]:
    """The first argument is numbers, which may be others than an Array, if a later one is an Array."""
    if args:
        return (args[0] if isinstance(args[0], Array) else array(args[0], prec), *args[1:]), options
    key = next(iter(options))
    return args, options if isinstance(options[key], Array) else {**options, key: array(options[key], prec)}


def _array_function(self: Array, func: Any, types: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
    """NEP 18: a function of NumPy with an Array among its arguments."""
    module = getattr(func, "__module__", "") or ""
    name = (module[len("numpy."):] + "." if module in ("numpy.linalg", "numpy.fft", "numpy.lib.scimath") else "") + func.__name__
    if name in FUNCTIONS:
        args, kwargs = _by_name(func, args, kwargs)
    options, out = _without_nothing(name, kwargs)
    if name in MOVES:
        if name == "where" and len(args) == 1:
            return numpy.nonzero(args[0] != 0)
        return _given(out, _moved(name, func, args, options))
    try:
        if name in CREATORS:
            return CREATORS[name](self._prec, *args, **options)
        if name in FUNCTIONS:
            if name not in NOT_NUMBERS:
                args, options = _first_as_array(self._prec, args, options)
            return _given(out, FUNCTIONS[name](*args, **options))
    except TypeError as error:
        unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        if unknown:
            raise TypeError(f"numpy.{name} of plumb arrays does not take '{unknown.group(1)}'") from None
        if "positional argument" in str(error):
            raise TypeError(f"numpy.{name} of plumb arrays takes fewer or other arguments than NumPy's") from None
        raise
    raise TypeError(f"plumb has no numpy.{name}: {_HINTS.get(name, ADVICE)}")


# ---- functions of single numbers ----

def _isfinite(x: Any) -> Any:
    planes = numpy.isfinite(x._planes[0])
    return planes & numpy.isfinite(x._planes[x._prec]) if x.iscomplex else planes


def _isnan(x: Any) -> Any:
    planes = numpy.isnan(x._planes[0])
    return planes | numpy.isnan(x._planes[x._prec]) if x.iscomplex else planes


def _isinf(x: Any) -> Any:
    planes = numpy.isinf(x._planes[0])
    return planes | numpy.isinf(x._planes[x._prec]) if x.iscomplex else planes


def _sign(x: Any) -> Array:
    if x.iscomplex:
        return _select(x == 0, zeros((), x._prec), x / _select(x == 0, ones((), x._prec), abs(x)))
    return array(_compared(x, 0), x._prec)


def _copysign(x: Any, y: Any) -> Array:
    x, y, _, _, prec = _together(x, y)
    _real(x)
    return _select(numpy.signbit(x._planes[0]) == numpy.signbit(y._planes[0]), x, -x)


def _of_numbers(x: Any, y: Any) -> Array:
    """The larger of two numbers; a NaN only if both are."""
    x, y, _, _, _ = _together(x, y)
    return _select(numpy.isnan(y._planes[0]), x, _select(numpy.isnan(x._planes[0]), y, _larger(x, y)))


def _power(x: Any, exponent: Any) -> Array:
    if isinstance(exponent, Array):
        exact = exponent.to_numpy()
        if not numpy.all(numpy.asarray(exponent == exact)) or exponent.iscomplex:
            raise TypeError("the exponent must be an integer or 0.5")
        exponent = exact
    x, powers = _operand(x, x), numpy.asarray(exponent)
    if powers.dtype.kind not in "iuf" or not numpy.all((powers == numpy.rint(powers)) | (powers == 0.5)):
        raise TypeError("the exponent must be an integer or 0.5")
    x = x if isinstance(x, Array) else array(x)
    out = _plus(zeros(numpy.broadcast_shapes(x.shape, powers.shape), x._prec, iscomplex=x.iscomplex), 1)
    for one in numpy.unique(powers):
        out = _select(powers == one, x.sqrt() if one == 0.5 else x ** int(one), out)
    return out


def _hypot(x: Any, y: Any) -> Array:
    x, y, _, _, prec = _together(x, y)
    if x.iscomplex:
        raise TypeError("numpy.hypot is for real numbers")
    return abs(Array(numpy.concatenate([x._planes, y._planes]), prec))


def _ldexp(x: Any, exponent: Any) -> Array:
    if isinstance(exponent, Array):
        raise TypeError("the exponent must be an integer of NumPy")
    return Array(numpy.ldexp(x._planes, exponent), x._prec)


def _remainder(x: Any, y: Any) -> Array:
    return _by_fractions(lambda a, b: a - b * math.floor(a / b), x, y, doubles=numpy.remainder)


UFUNCS: Dict[str, Callable[..., Any]] = {
    "absolute": abs, "add": _plus, "ceil": lambda x: -_floor(-x), "conjugate": lambda x: x.conj(),
    "copysign": _copysign,
    "divide": lambda x, y: _binary(_abi.OP_DIV, x, y), "divmod": lambda x, y: (UFUNCS["floor_divide"](x, y), _remainder(x, y)),
    "equal": _equal, "fabs": lambda x: abs(_real(x)), "floor": _floor,
    "float_power": _power, "floor_divide": lambda x, y: _by_fractions(lambda a, b: math.floor(a / b), x, y, doubles=numpy.floor_divide), "fmax": _of_numbers,
    "fmin": lambda x, y: -_of_numbers(-_operand(x, y), -_operand(y, x)),
    "fmod": lambda x, y: _by_fractions(lambda a, b: a - b * math.trunc(a / b), x, y, doubles=numpy.fmod),
    "greater": lambda x, y: _compared(x, y) > 0, "greater_equal": lambda x, y: _compared(x, y) >= 0, "hypot": _hypot,
    "isfinite": _isfinite, "isinf": _isinf, "isnan": _isnan, "ldexp": _ldexp, "less": lambda x, y: _compared(x, y) < 0,
    "less_equal": lambda x, y: _compared(x, y) <= 0, "logical_and": lambda x, y: numpy.logical_and(_truth(x), _truth(y)),
    "logical_not": lambda x: numpy.logical_not(_truth(x)), "logical_or": lambda x, y: numpy.logical_or(_truth(x), _truth(y)),
    "logical_xor": lambda x, y: numpy.logical_xor(_truth(x), _truth(y)), "matmul": matmul, "maximum": _larger, "minimum": _smaller,
    "multiply": _times, "negative": lambda x: -x, "not_equal": lambda x, y: numpy.logical_not(_equal(x, y)),
    "positive": lambda x: +x, "power": _power, "reciprocal": lambda x: _unary(_abi.OP_INV, x), "remainder": _remainder,
    "rint": _nearest, "sign": _sign, "signbit": lambda x: numpy.signbit(_real(x)._planes[0]),
    "sqrt": lambda x: x.sqrt(), "square": lambda x: _unary(_abi.OP_SQR, x), "subtract": lambda x, y: _binary(_abi.OP_SUB, x, y),
    "trunc": _trunc}
UFUNCS["true_divide"] = UFUNCS["divide"]

REDUCTIONS = {"add": _sum, "multiply": _prod, "maximum": _max, "minimum": _min, "logical_and": FUNCTIONS["all"],
              "logical_or": FUNCTIONS["any"]}
ACCUMULATIONS = {"add": _cumsum, "multiply": _cumprod, "maximum": _scan(_larger), "minimum": _scan(_smaller)}


def _outer_call(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(a: Any, b: Any) -> Any:
        a, b = _pair(a, b)
        return function(a.reshape(*a.shape, *(1,) * b.ndim), b)
    return call


def _array_ufunc(self: Array, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """NEP 13: a universal function of NumPy with an Array among its arguments."""
    name = ufunc.__name__
    if any(type(one).__module__ != "numpy" and hasattr(type(one), "__array_ufunc__") and not isinstance(one, (Array, numpy.ndarray))
           for one in inputs):
        return NotImplemented
    options, out = _without_nothing(name, options)
    if not any(isinstance(one, Array) for one in inputs):
        raise TypeError(f"numpy.{name}: the numbers are no plumb arrays, only out is one")
    function = UFUNCS.get(name)
    if method == "__call__":
        if function is None:
            raise TypeError(f"plumb has no numpy.{name}: {ADVICE}")
        if options:
            raise TypeError(f"numpy.{name} of plumb arrays does not take '{next(iter(options))}'")
        return _given(out, function(*inputs))
    if method == "outer" and function is not None and ufunc.nin == 2:
        return _given(out, _outer_call(function)(*inputs))
    table = {"reduce": REDUCTIONS, "accumulate": ACCUMULATIONS}.get(method, {})
    if name not in table:
        raise TypeError(f"plumb has no numpy.{name}.{method}: {ADVICE}")
    axis = inputs[1] if len(inputs) > 1 else options.pop("axis", 0)
    return _given(out, table[name](inputs[0], axis=axis, **options))


Array.__array_function__ = _array_function  # type: ignore[attr-defined]
Array.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]


def _method(name: str, function: Callable[..., Any]) -> None:
    def method(self: Array, *args: Any, **options: Any) -> Any:
        return function(self, *args, **options)
    method.__name__ = name
    method.__qualname__ = f"Array.{name}"
    method.__doc__ = f"As ``numpy.ndarray.{name}``, in the precision of the array."
    setattr(Array, name, method)


for _name in ("all", "any", "argmax", "argmin", "argsort", "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min", "nonzero",
              "prod", "ptp", "ravel", "repeat", "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace", "var"):
    _method(_name, getattr(numpy, _name))
_method("clip", lambda self, min=None, max=None, out=None: numpy.clip(self, min, max, out=out))
_method("compress", lambda self, condition, axis=None: numpy.compress(condition, self, axis))
_method("conjugate", Array.conj)
_method("flatten", lambda self: self.reshape(-1).copy())
_method("transpose", lambda self, *axes: numpy.transpose(self, axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None))

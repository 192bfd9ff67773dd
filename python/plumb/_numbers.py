"""Numbers of Python, NumPy, mpmath and SymPy as limbs, and limbs as numbers.

Every conversion to limbs is correctly rounded: limb 0 is the double nearest to the number, limb 1 the double nearest to
what remains, and so on. Every conversion from limbs to mpmath numbers and fractions is exact. mpmath and SymPy are
recognised by their attributes and never imported here, except where their numbers are asked for.
"""

from __future__ import annotations

import ctypes
import decimal
import fractions
import math
import numbers
from typing import Any, List, Tuple

import numpy

from . import _abi
from ._library import ArgumentError, RangeError, check, lib


def read(text: str, prec: int) -> Tuple[List[float], List[float]]:
    """The limbs of the real and the imaginary part of a number in a text (docs/numbers.md has the grammar); the latter
    is [] if the text has none."""
    re = (ctypes.c_double * prec)()
    data = text.encode()
    if lib.plumb_number_read(data, len(data), prec, re, None, None) == _abi.OK:
        return list(re), []
    im = (ctypes.c_double * prec)()
    error = _abi.TextError()
    check(lib.plumb_number_read(data, len(data), prec, re, im, ctypes.byref(error)), error)
    return list(re), list(im)


def _limbs_of_ratio(number: Any, prec: int) -> List[float]:
    """The limbs of an exact rational; the division of integers by Python is correctly rounded."""
    limbs = []
    rest = fractions.Fraction(number)
    for _ in range(prec):
        try:
            limb = rest.numerator / rest.denominator
        except OverflowError:
            raise RangeError("a number must be below about 1.8e308 in modulus") from None
        limbs.append(limb)
        rest -= fractions.Fraction(limb)
    return limbs


def _limbs_of_mpf(value: tuple, prec: int) -> List[float]:
    """The limbs of the tuple (sign, mantissa, exponent, bits) that an mpf holds."""
    sign, mantissa, exponent, bits = value
    if not mantissa:
        if exponent:  # infinities and NaN have mantissa 0 and an exponent that encodes them
            special = {-456: math.inf, -789: -math.inf}.get(exponent, math.nan)
            return [special] + [0.0] * (prec - 1)
        return [0.0] * prec
    return read(f"{'-' if sign else ''}0x{int(mantissa):x}p{int(exponent)}", prec)[0]


def _limbs_of_float(value: float, prec: int) -> List[float]:
    return [value] + [0.0] * (prec - 1)


def _limbs_of_longdouble(value: Any, prec: int) -> List[float]:
    limbs = []
    for _ in range(prec):
        limb = float(value)
        limbs.append(limb)
        value = value - limb if math.isfinite(limb) else numpy.longdouble(0)
    return limbs


def limbs_of(number: Any, prec: int) -> Tuple[List[float], List[float]]:
    """The limbs of the real and the imaginary part of any number; the latter is [] if the number is real."""
    if isinstance(number, float):  # numpy.float64 too
        return _limbs_of_float(float(number), prec), []
    if isinstance(number, (bool, numpy.bool_)):
        return _limbs_of_float(float(number), prec), []
    if isinstance(number, (int, numpy.integer, fractions.Fraction)):
        return _limbs_of_ratio(number if isinstance(number, fractions.Fraction) else int(number), prec), []
    if isinstance(number, complex):
        return _limbs_of_float(number.real, prec), _limbs_of_float(number.imag, prec)
    if isinstance(number, (str, bytes)):
        return read(number.decode() if isinstance(number, bytes) else number, prec)
    if hasattr(number, "_mpf_"):  # mpmath.mpf and sympy.Float
        return _limbs_of_mpf(number._mpf_, prec), []
    if hasattr(number, "_mpc_"):
        return _limbs_of_mpf(number._mpc_[0], prec), _limbs_of_mpf(number._mpc_[1], prec)
    if hasattr(number, "mpf") and not callable(number.mpf):  # constants such as mpmath.pi round to the current precision
        return _limbs_of_mpf(number.mpf._mpf_, prec), []
    if isinstance(number, decimal.Decimal):
        return read(str(number), prec)
    if hasattr(number, "evalf") and hasattr(number, "is_Rational"):
        return _limbs_of_sympy(number, prec)
    if isinstance(number, numpy.floating):
        return _limbs_of_longdouble(number, prec), []
    if isinstance(number, numpy.complexfloating):
        return _limbs_of_longdouble(number.real, prec), _limbs_of_longdouble(number.imag, prec)
    if isinstance(number, numbers.Rational):
        return _limbs_of_ratio(fractions.Fraction(number.numerator, number.denominator), prec), []
    if hasattr(number, "_limbs_of_scalar"):  # an Array without axes
        return number._limbs_of_scalar(prec)
    raise TypeError(f"{type(number).__name__} is not a number that plumb knows: expected int, float, complex, str, "
                    "Fraction, Decimal, or a number of mpmath or SymPy")


def ratio_of_sympy(number: Any, digits: int = 100) -> Tuple[fractions.Fraction, fractions.Fraction]:
    """The real and the imaginary part of a SymPy constant as rationals: exact for rationals and floating-point numbers,
    to so many digits for others (sqrt(2), pi)."""
    def part(value: Any) -> fractions.Fraction:
        if not value.is_Rational:
            if not value.is_Float:
                value = value.evalf(digits)
            if not value.is_Float and not value.is_Rational:
                raise ArgumentError(f"'{value}' is not a number")
        if value.is_Rational:
            return fractions.Fraction(int(value.p), int(value.q))
        sign, mantissa, exponent, _ = value._mpf_
        if not mantissa and exponent:
            raise ArgumentError(f"'{value}' is not finite")
        exact = fractions.Fraction(int(mantissa)) * fractions.Fraction(2) ** int(exponent)
        return -exact if sign else exact

    if number.is_Rational or number.is_Float:
        return part(number), fractions.Fraction(0)
    re, im = number.as_real_imag()
    return part(re), part(im)


def _limbs_of_sympy(number: Any, prec: int) -> Tuple[List[float], List[float]]:
    if number.is_number and number.is_finite is not False:
        re, im = ratio_of_sympy(number)
        return _limbs_of_ratio(re, prec), _limbs_of_ratio(im, prec) if im else []
    if number.is_extended_real and number.is_infinite:
        return _limbs_of_float(float(number), prec), []
    raise ArgumentError(f"'{number}' is not a number: it has free symbols or no value")


def write(limbs: Any, prec: int, imaginary: Any = None, digits: int = 0) -> str:
    """A number as a decimal: with digits = 0 the shortest one that reads back to the same limbs."""
    re = (ctypes.c_double * prec)(*limbs)
    needed = ctypes.c_size_t()
    size = 256
    while True:
        buffer = ctypes.create_string_buffer(size)
        if imaginary is None:
            status = lib.plumb_number_write(prec, re, digits, buffer, size, ctypes.byref(needed))
        else:
            im = (ctypes.c_double * prec)(*imaginary)
            status = lib.plumb_complex_write(prec, re, im, digits, buffer, size, ctypes.byref(needed))
        if status != _abi.ERR_BUFFER or needed.value <= size:
            check(status)
            return buffer.value.decode()
        size = needed.value


def fraction_of(limbs: Any) -> fractions.Fraction:
    """The exact sum of limbs."""
    total = fractions.Fraction(0)
    for limb in limbs:
        if not math.isfinite(limb):
            raise ArgumentError(f"{limb} is not a fraction")
        total += fractions.Fraction(float(limb))
    return total


def mpf_of(limbs: Any) -> Any:
    """The exact sum of limbs as an mpf, whatever the working precision of mpmath is."""
    import mpmath
    from mpmath.libmp import fninf, finf, fnan, from_man_exp

    if not all(math.isfinite(limb) for limb in limbs):
        first = next(limb for limb in limbs if not math.isfinite(limb))
        return mpmath.mp.make_mpf(fnan if math.isnan(first) else finf if first > 0 else fninf)
    mantissa, exponent = 0, 0
    for limb in limbs:
        m, e = math.frexp(limb)
        m, e = int(math.ldexp(m, 53)), e - 53
        if not m:
            continue
        if not mantissa:
            mantissa, exponent = m, e
        elif e < exponent:
            mantissa, exponent = (mantissa << (exponent - e)) + m, e
        else:
            mantissa += m << (e - exponent)
    return mpmath.mp.make_mpf(from_man_exp(mantissa, exponent))


def _integer_of(digits: str) -> int:
    """int() in pieces: Python refuses more than 4300 digits at once."""
    total = 0
    for first in range(0, len(digits), 4000):
        piece = digits[first:first + 4000]
        total = total * 10**len(piece) + int(piece)
    return total


def mpf_of_text(text: str) -> Any:
    """A decimal number as an mpf with all its digits, whatever the working precision of mpmath is."""
    import mpmath
    from mpmath.libmp import from_rational

    mantissa, _, exponent = text.lstrip("-").lower().partition("e")
    if mantissa[:1] not in "0123456789":
        return mpmath.mpf(text)  # inf and nan
    whole, _, fraction = mantissa.partition(".")
    places = int(exponent or 0) - len(fraction)
    number = _integer_of(whole + fraction) * (-1 if text.startswith("-") else 1)
    bits = max(64, int(3.33 * len(whole + fraction)) + 32)
    return mpmath.mp.make_mpf(from_rational(number * 10**max(places, 0), 10**max(-places, 0), bits, "n"))


def mpc_of_texts(re: str, im: str) -> Any:
    """The complex number with these parts."""
    import mpmath
    return mpmath.mp.make_mpc((mpf_of_text(re)._mpf_, mpf_of_text(im)._mpf_))

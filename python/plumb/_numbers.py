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
import re as patterns
import sys
from typing import Any, List, Optional, Tuple

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
    to this number of digits for others (sqrt(2), pi)."""
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


def shorter(re: Any, prec: int, im: Any, digits: int) -> str:
    """The shortest decimal that reads back, or, if it has more digits than that, the number rounded to that many digits, without zeros at the
    end."""
    if im is None:
        return _stripped(write(re, prec, None, 0), lambda: write(re, prec, None, digits), digits)
    parts = [shorter(part, prec, None, digits) for part in (re, im)]
    return f"({parts[0]} - {parts[1][1:]}*i)" if parts[1].startswith("-") else f"({parts[0]} + {parts[1]}*i)"


def _stripped(shortest: str, rounded: Any, digits: int) -> str:
    mantissa, _, _ = shortest.partition("e")
    if len(mantissa.lstrip("-0.").replace(".", "").rstrip("0")) <= digits:
        return shortest
    mantissa, mark, exponent = rounded().partition("e")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + mark + exponent


def whole(re: Any, prec: int, im: Any) -> str:
    """A text that reads back to the same limbs: the shortest decimal, or the limbs themselves where no decimal does that, or only one
    with far more digits than the precision has."""
    if im is not None:
        parts = whole(re, prec, None), whole(im, prec, None)
        return f"({parts[0]} - {parts[1][1:]}*i)" if parts[1].startswith("-") else f"({parts[0]} + {parts[1]}*i)"
    text = write(re, prec)
    if len(text) <= 100 and (not math.isfinite(re[0]) or read(text, prec)[0] == list(re)):
        return text
    return "[" + ",".join(float(limb).hex() for limb in re) + "]"


def exact_of(number: Any) -> Tuple[fractions.Fraction, fractions.Fraction]:
    """The real and the imaginary part of any finite number, exactly; texts, too."""
    if isinstance(number, (str, bytes)):
        text = number.decode() if isinstance(number, bytes) else number
        try:
            return fractions.Fraction(text), fractions.Fraction(0)
        except ValueError:
            pass  # forms that only plumb reads: complex, hexadecimal
    elif isinstance(number, (int, float, fractions.Fraction, decimal.Decimal, numpy.integer)):
        return fractions.Fraction(int(number) if isinstance(number, numpy.integer) else number), fractions.Fraction(0)
    elif hasattr(number, "_mpf_") or hasattr(number, "_mpc_"):
        parts = number._mpc_ if hasattr(number, "_mpc_") else (number._mpf_, (0, 0, 0, 0))
        return _exact_of_mpf(parts[0]), _exact_of_mpf(parts[1])
    elif hasattr(number, "evalf") and hasattr(number, "is_Rational"):
        return ratio_of_sympy(number)
    re, im = limbs_of(number, _abi.QD)
    return fraction_of(re), fraction_of(im)


def _exact_of_mpf(value: tuple) -> fractions.Fraction:
    sign, mantissa, exponent, _ = value
    if not mantissa and exponent:
        raise ArgumentError("a number is not finite")
    exact = fractions.Fraction(int(mantissa)) * fractions.Fraction(2) ** int(exponent)
    return -exact if sign else exact


def rest_sign(number: Any, part: int, limbs: List[float]) -> float:
    """The sign of a number minus the limbs that it was rounded to; 0 for a text, and where there is nothing to compare."""
    if isinstance(number, (str, bytes)) or not math.isfinite(limbs[0]):
        return 0.0
    rest = exact_of(number)[part] - fraction_of(limbs)
    return float((rest > 0) - (rest < 0))


def hash_of(re: List[float], im: Optional[List[float]]) -> int:
    """The hash of the int, float, Fraction or complex number that the limbs are equal to."""
    def part(limbs: List[float]) -> int:
        return hash(fraction_of(limbs)) if all(map(math.isfinite, limbs)) else hash(limbs[0])

    if im is None or not any(im):
        return part(re)
    width = 2**sys.hash_info.width
    both = (part(re) + sys.hash_info.imag * part(im)) % width
    both -= width if both >= width // 2 else 0
    return both if both != -1 else -2


_SPEC = patterns.compile(r"(?:(.)?([<>=^]))?([-+ ]?)(#?)(0?)(\d*)([,_]?)(?:\.(\d+))?([eEfFgG%]?)", patterns.DOTALL)


def formatted(real: List[float], imaginary: Optional[List[float]], spec: str, plain: str) -> str:
    """A number as float or complex would write it, with as many digits as are asked for, correctly rounded; where the format asks for
    none, as plain, which is what str() writes."""
    found = _SPEC.fullmatch(spec)
    if not found:
        raise ValueError(f"the format '{spec}' is not one of numbers: expected [[fill]align][sign][#][0][width][,].[digits][efg%]")
    fill, align, sign, full, zero, width, group, digits, kind = found.groups()
    if imaginary is not None:
        if zero or align == "=" or kind == "%":
            raise ValueError("zeros before the number, the alignment '=' and '%' are not for complex numbers")
        if kind or digits:
            part = f"{full}{group}{'.' + digits if digits else ''}{kind}"
            plain = formatted(real, None, sign + part, "") + formatted(imaginary, None, "+" + part, "") + "j"
        return format(plain, f"{fill or ''}{align or '>'}{width}")
    if not math.isfinite(real[0]):
        return format(real[0], spec)
    minus = math.copysign(1.0, real[0]) < 0.0
    if kind or digits:
        body = _digits_as(_decimal_of(real).copy_abs(), int(digits or 6), kind or "g", bool(full))
    else:
        body = plain.lstrip("-")
    mark = "-" if minus else sign if sign in ("+", " ") else ""
    if zero:
        fill, align = fill or "0", align or "="
    if group:
        whole, rest = patterns.fullmatch(r"(\d*)(.*)", body).groups()  # type: ignore[union-attr]
        if (fill, align) == ("0", "="):  # the zeros are grouped, too
            body = format(int(whole), f"0{max(int(width or 0) - len(mark) - len(rest), 1)}{group}") + rest
        else:
            body = format(int(whole), group) + rest
    if align == "=":
        return mark + (fill or " ") * (int(width or 0) - len(mark) - len(body)) + body
    return format(mark + body, f"{fill or ' '}{align or '>'}{width}")


def _decimal_of(limbs: List[float]) -> decimal.Decimal:
    with decimal.localcontext(decimal.Context(prec=3000, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)):
        return sum((decimal.Decimal(limb) for limb in limbs), decimal.Decimal(0))


def _digits_as(value: decimal.Decimal, places: int, kind: str, full: bool) -> str:
    """A number >= 0 in one of the forms e, f, g and %."""
    with decimal.localcontext(decimal.Context(prec=3000 + places, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)) as wide:
        if kind == "%":
            return _digits_as(value * 100, places, "f", full) + "%"
        if kind in "fF":
            return format(value.quantize(decimal.Decimal(1).scaleb(-places)), "f") + ("." if full and not places else "")
        wide.prec = max(places, 1) if kind in "gG" else places + 1
        rounded = +value
        exponent = rounded.adjusted() if rounded else 0
        wide.prec = 3000 + places
        if kind in "gG":
            shown = max(places, 1)
            if -4 <= exponent < shown:
                body = _digits_as(rounded, shown - 1 - exponent, "f", full)
                return body if full or "." not in body else body.rstrip("0").rstrip(".")
            places = shown - 1
        mantissa = format(rounded.scaleb(-exponent).quantize(decimal.Decimal(1).scaleb(-places)), "f")
        if kind in "gG" and not full and "." in mantissa:
            mantissa = mantissa.rstrip("0").rstrip(".")
        return f"{mantissa}{'.' if full and '.' not in mantissa else ''}{'E' if kind in 'EG' else 'e'}{exponent:+03d}"

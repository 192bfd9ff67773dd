"""Solutions with any number of digits, as numbers of mpmath."""

from __future__ import annotations

import ctypes
from typing import Any, List, NamedTuple, Tuple

from . import _abi, _numbers
from ._library import ArgumentError, check, lib
from ._system import _integer, as_system, for_points, stored_points

__all__ = ["RefinedResult", "refine"]

_byref = ctypes.byref


class RefinedResult(NamedTuple):
    """What :func:`refine` found: one entry per point, or, of a single point, that entry."""

    x: Any  #: the unknowns, as a list of mpmath.mpc; a point that was not refined keeps its value
    digits: Any  #: the number of digits that are known of every unknown (estimated); 0 if it was not refined
    reached: Any  #: whether these are all digits that were requested
    status: Any  #: the same in words, with the reason if it was not refined
    texts: Any  #: pairs of decimal numbers, real and imaginary part of each unknown


def refine(system: Any, x: Any, digits: int = 100, *, progress: Any = None) -> RefinedResult:
    """Refines regular solutions to any number of digits, up to 10,000, by Newton's method with exact coefficients.

    ``x`` is (points, unknowns) or one point, near a solution where the Jacobian is regular, as :func:`solve` and
    :func:`newton` return it. ``digits`` known digits mean that the error of every unknown is at most 10**-digits times its
    modulus; an unknown that cannot be distinguished from zero becomes zero, and its error is relative to the largest one. The values
    do not depend on the working precision of mpmath; computations with them do (``mpmath.mp.dps``).

    >>> import plumb
    >>> r = plumb.refine("x^2 - 2", [1.4], 100)
    >>> r.digits, r.reached, r.texts[0][0][-12:]
    (100, True, '343276415727')
    """
    system = as_system(system)
    options = _abi.DigitsOptions()
    lib.plumb_digits_options_init(_byref(options))
    options.digits = _integer(digits, "digits", 1, 10000)
    unknowns = lib.plumb_system_unknowns(system._handle)
    planes, batch, prec, _ = stored_points(x, unknowns, None, 2, "x")
    if len(batch) > 1:
        raise ArgumentError(f"x has the shape {batch + (unknowns,)}, expected (points, {unknowns})")
    planes = planes.reshape(2 * prec, -1, unknowns)
    results = for_points(lib.plumb_refine_digits, lib.plumb_digits_destroy, _one, system, planes, prec, options, progress,
                         "digits")
    return results[0] if not batch else RefinedResult(*([list(one) for one in zip(*results)] or [[]] * 5))


def _one(handle: ctypes.c_void_p, index: int, unknowns: int) -> RefinedResult:
    said = _abi.DigitsReport()
    check(lib.plumb_digits_get(handle, index, _byref(said)))
    texts: List[Tuple[str, str]] = [(lib.plumb_digits_re(handle, index, i).decode(),
                                     lib.plumb_digits_im(handle, index, i).decode()) for i in range(unknowns)]
    return RefinedResult([_numbers.mpc_of_texts(*pair) for pair in texts], said.known,
                         said.code == _abi.DIGITS_REACHED, lib.plumb_digits_text(said.code).decode(), texts)

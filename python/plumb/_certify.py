"""Certificates: proofs that there is exactly one solution near a point (docs/certification.md)."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, List

import numpy

from . import _abi
from ._array import Array
from ._library import ArgumentError, UnsupportedError, check, lib, working_context
from ._run import run
from ._system import System, _integer, _points_view, as_system, for_points, stored_points

__all__ = ["certify", "certificates_available"]

_byref = ctypes.byref
_VERDICTS = {1: True, -1: False, 0: None}


def certificates_available() -> bool:
    """Whether solutions can be certified, which needs FLINT; the wheel contains it if plumb was built with it."""
    return bool(lib.plumb_certify_available(None, 0))


def certify(system: Any, points: Any, *, max_bits: int = 1024, seed: int = 1, progress: Any = None) -> List[Dict[str, Any]]:
    """Proves for each point that there is exactly one solution near it, by Krawczyk's test with exact coefficients.

    ``points`` is (points, unknowns) or one point. Returns one dictionary per point:

    - ``certified``: whether the box around the point contains exactly one solution, which is simple
    - ``status``: the same in words, with the reason if it is not certified
    - ``real``, ``positive``, ``distinct``: True, False, or None where neither is proven; ``same_as`` is the number of
      another point with the same solution, or None
    - ``radius``: the largest radius of the box; ``center`` and ``radii``: the box itself, rounded outwards, or None
    - ``bits``: precision of the proof
    - ``json``: the certificate with its exact box, as text, in the form of solution files (docs/certification.md)

    >>> import plumb
    >>> if plumb.certificates_available():
    ...     c = plumb.certify("x^2 - 2", [[1.4142135623730951]])[0]
    ...     assert c["certified"] and c["real"] and c["radius"] < 1e-10
    """
    system = as_system(system)
    unknowns = lib.plumb_system_unknowns(system._handle)
    planes, batch, prec, _ = stored_points(points, unknowns, None, 2)
    if len(batch) > 1:
        raise ArgumentError(f"points have the shape {batch + (unknowns,)}, expected (points, {unknowns})")
    return _certify(system, planes.reshape(2 * prec, -1, unknowns), prec, max_bits, seed, progress)


def _certify(system: System, planes: numpy.ndarray, prec: int, max_bits: int, seed: int,
             progress: Any) -> List[Dict[str, Any]]:
    if not certificates_available():
        refuse_certificates()
    options = _abi.CertifyOptions()
    lib.plumb_certify_options_init(_byref(options))
    options.max_bits = _integer(max_bits, "max_bits", 64, 1024)
    options.seed = _integer(seed, "seed", 0, 2**64 - 1)
    return for_points(lib.plumb_certify, lib.plumb_certificates_destroy, _one, system, planes, prec, options, progress,
                      "certificates")


def refuse_certificates() -> None:
    """Raises the exception that says why there are no certificates."""
    why = ctypes.create_string_buffer(256)
    lib.plumb_certify_available(why, len(why))
    raise UnsupportedError(f"certificates need FLINT: {why.value.decode(errors='replace')}")


def certified(system: System, solutions: ctypes.c_void_p, seed: int, progress: Any, finish: Callable[[Any, bool], Any]) -> Any:
    """Certifies a plumb_solutions, and returns what ``finish(certificates or None, stopped)`` makes of it."""
    count, unknowns = lib.plumb_solutions_count(solutions), lib.plumb_solutions_unknowns(solutions)
    prec = lib.plumb_solutions_prec(solutions)
    planes = numpy.zeros((2 * prec, count, unknowns))
    view = _points_view(planes, unknowns, count, prec, 2)
    check(lib.plumb_solutions_get(solutions, 0, _byref(view)))
    options = _abi.CertifyOptions()
    lib.plumb_certify_options_init(_byref(options))
    options.seed = seed
    handle = ctypes.c_void_p()

    def end(status: int, stopped: bool) -> Any:
        try:
            if not stopped:
                own.check(status)
            return finish(None if stopped else handle, stopped)
        finally:
            lib.plumb_certificates_destroy(handle)

    with working_context("cpu") as own:
        def call(callback: Any) -> int:
            options.progress = callback
            return lib.plumb_certify(own.handle, system._handle, _byref(view), _byref(options), _byref(handle))

        return run(call, progress, "certificates", end)


def proofs_of(handle: ctypes.c_void_p, unknowns: int) -> List[Dict[str, Any]]:
    """What certificates say."""
    return [_one(handle, k, unknowns) for k in range(lib.plumb_certificates_count(handle))]


def _text(handle: ctypes.c_void_p, index: int) -> str:
    size = ctypes.c_size_t()
    lib.plumb_certificates_write(handle, index, None, 0, _byref(size))
    text = ctypes.create_string_buffer(size.value)
    check(lib.plumb_certificates_write(handle, index, text, size.value, None))
    return text.value.decode().strip()


def _one(handle: ctypes.c_void_p, index: int, unknowns: int) -> Dict[str, Any]:
    said = _abi.Certificate()
    check(lib.plumb_certificates_get(handle, index, _byref(said)))
    found: Dict[str, Any] = {
        "certified": said.code == _abi.CERTIFIED, "status": lib.plumb_certify_text(said.code).decode(),
        "real": _VERDICTS[said.real], "positive": _VERDICTS[said.positive], "distinct": _VERDICTS[said.distinct],
        "same_as": said.same_as if said.same_as >= 0 else None, "bits": said.bits, "radius": None, "center": None,
        "radii": None, "json": _text(handle, index)}
    if said.bits:
        center, radii = numpy.zeros((2 * _abi.QD, unknowns)), numpy.zeros(unknowns)
        view = _points_view(center, unknowns, 1, _abi.QD, 2)
        check(lib.plumb_certificates_get_box(handle, index, _byref(view), radii.ctypes.data))
        found.update(radius=said.radius, center=Array(center, _abi.QD), radii=radii)
    return found

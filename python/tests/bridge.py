"""bridge.py - what calls cost from Python beside the same calls of the library: least squares of one system, evaluation at
many points. Every figure is the shortest of many runs in processor time of one thread; the calls alternate.

    env/bin/python python/tests/bridge.py    # in an environment with the wheel, as docs/python.md makes it
"""

import ctypes
import time

import numpy

import plumb
from plumb import _abi
from plumb._array import address
from plumb._library import context, lib


def shortest(functions, repeats, rounds):
    best = [float("inf")] * len(functions)
    for _ in range(rounds):
        for k, function in enumerate(functions):
            begin = time.thread_time()
            for _ in range(repeats):
                function()
            best[k] = min(best[k], (time.thread_time() - begin) / repeats)
    return best


def least_squares(n, precision, iscomplex):
    generator = numpy.random.default_rng(1)
    A, b = generator.standard_normal((n, n)), generator.standard_normal(n)
    if iscomplex:
        A, b = A + 1j * generator.standard_normal((n, n)), b + 1j
    left, right = plumb.array(A, precision), plumb.array(b, precision)
    prec, parts = left._prec, 2 if iscomplex else 1
    x, norm = numpy.empty((prec * parts, n)), numpy.empty((prec, 1))
    report, info = _abi.LsqReport(), ctypes.c_int64()
    views = [_abi.View(address(left.planes), n, n, 1, n * n, n, 0, prec, parts, 0, 0),
             _abi.View(address(right.planes), n, 1, 1, n, n, 0, prec, parts, 0, 0),
             _abi.View(address(x), n, 1, 1, n, n, 0, prec, parts, 0, 0),
             _abi.View(address(norm), 1, 1, 1, 1, 1, 0, prec, 1, 0, 0)]
    arguments = [context().handle, *map(ctypes.byref, views), ctypes.byref(info), None, ctypes.byref(report)]
    c, arrays, doubles = shortest([lambda: lib.plumb_lsq(*arguments), lambda: plumb.lstsq(left, right, precision),
                                   lambda: plumb.lstsq(A, b, precision)], 20, 200)
    print(f"lstsq, n = {n}, {precision}, {'complex' if iscomplex else 'real'}: the C call {c * 1e6:.1f} us, "
          f"+{(arrays - c) * 1e6:.1f} us with Arrays, +{(doubles - c) * 1e6:.1f} us with NumPy arrays")


def evaluation(precision, count=10000, unknowns=7):
    names = [f"x{k}" for k in range(unknowns)]
    system = plumb.System([" + ".join("*".join(names[(i + j) % unknowns] for j in range(d)) for i in range(unknowns))
                           + (" - 1" if d == unknowns else "") for d in range(1, unknowns + 1)], names)
    generator = numpy.random.default_rng(2)
    points = generator.standard_normal((count, unknowns)) + 1j * generator.standard_normal((count, unknowns))
    prec = {"d": 1, "dd": 2, "qd": 4}[precision]
    planes = numpy.zeros((2 * prec, count, unknowns))
    planes[0], planes[prec] = points.real, points.imag
    given = plumb.from_planes(planes, precision, iscomplex=True)

    def c():  # a C program has to allocate its results, too
        values, slopes = numpy.empty((2 * prec, count, unknowns)), numpy.empty((2 * prec, count, unknowns, unknowns))
        size = unknowns * unknowns
        views = [_abi.View(address(planes), unknowns, 1, count, unknowns * count, unknowns, unknowns, prec, 2, 0, 0),
                 _abi.View(address(values), unknowns, 1, count, unknowns * count, unknowns, unknowns, prec, 2, 0, 0),
                 _abi.View(address(slopes), unknowns, unknowns, count, size * count, unknowns, size, prec, 2, 0, 0)]
        assert lib.plumb_system_eval(context().handle, system._handle, *map(ctypes.byref, views), None) == 0
    call, arrays, doubles = shortest([c, lambda: plumb.evaluate(system, given, jacobian=True),
                                      lambda: plumb.evaluate(system, points, jacobian=True, precision=precision)], 1, 100 // prec)
    print(f"evaluate, {count} points of cyclic {unknowns} with Jacobians, {precision}: the C call {call * 1e3:.2f} ms, "
          f"{100 * (arrays / call - 1):+.1f}% with Arrays, {100 * (doubles / call - 1):+.1f}% with NumPy arrays")


if __name__ == "__main__":
    plumb.set_threads(1)
    for kind in (False, True):
        least_squares(32, "dd", kind)
    for name in ("d", "dd", "qd"):
        evaluation(name)

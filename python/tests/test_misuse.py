"""Arguments of every kind in every place, drawn at random: a result or a Python exception of a usual kind, never a crash."""

import decimal
import fractions
import random

import mpmath
import numpy
import pytest
import sympy

import plumb

x = sympy.Symbol("x")
VALUES = [None, True, 0, -1, 3, 2**70, 1.5, float("nan"), float("inf"), 1j, "", "x", "1/3", "x^2 - 1", "x^2 + y; x - y", b"7",
          b"\xff", "\x00", "x\x00y", "d", "dd", "qd", "auto", "cpu", [], [[]], [[], []], {}, {"a": 1}, set(), object(), print, [None],
          ["1", 2, 3.5], [[1, 2], [3, 4]], [["1", "2"], ["3", "5"]], [[1, 2], [3]], numpy.zeros(0), numpy.zeros((0, 3)),
          numpy.zeros((3, 0)), numpy.eye(2), numpy.eye(3)[:, ::-1], numpy.ones((2, 3, 4)), numpy.ones(2), numpy.ones((2, 2)) * 1j,
          numpy.array(["a", "b"]), numpy.array([None, 1]), numpy.eye(2).astype(">f8"), numpy.eye(2, dtype=numpy.int8),
          numpy.broadcast_to(1.0, (2**40, 2)), numpy.array([1.0, numpy.nan]), numpy.float32(2), numpy.array(5),
          numpy.array([[1, 2]], dtype=object), numpy.array(["2020"], dtype="datetime64[Y]"), numpy.zeros((1,) * 20),
          fractions.Fraction(1, 3), decimal.Decimal("0.1"), decimal.Decimal("NaN"), mpmath.mpf(2), mpmath.mpc(1, 2), mpmath.pi,
          mpmath.matrix([[1, 2], [3, 4]]), x, x**2 - 1, [x**2 - 1], sympy.Matrix([[1, 2]]), sympy.oo, sympy.zoo, sympy.nan,
          plumb.array([1, 2], "dd"), plumb.array([[1, 2], [3, 5]], "qd"), plumb.zeros((0, 2), "d"), plumb.array(1j, "dd"),
          plumb.System("x^2 - 1"), plumb.System("x^2 - y; x*y - 1"), range(3), (i for i in range(2)), slice(1), Ellipsis, int,
          ["x^2 - 1"], ["x^2 + y^2 = 5", "x*y = 2"], [["x"]], "x = y = z", ["x"] * 3, memoryview(b"12345678"), bytearray(8)]

CALLS = {
    plumb.array: ("numbers", "precision", "limbs"), plumb.from_limbs: ("limbs", "iscomplex"),
    plumb.from_planes: ("planes", "precision", "iscomplex"), plumb.zeros: ("shape", "precision", "iscomplex"),
    plumb.sqrt: ("x",), plumb.dot: ("x", "y"), plumb.vdot: ("x", "y"), plumb.matmul: ("x", "y"),
    plumb.lstsq: ("A", "b", "precision", "digits", "method", "pivot", "backend", "limbs", "report", "check"),
    plumb.qr: ("A", "precision", "pivot", "reorthogonalize", "backend", "limbs"), plumb.System: ("equations", "unknowns"),
    plumb.evaluate: ("system", "points", "jacobian", "precision", "backend"),
    plumb.newton: ("system", "x", "precision", "digits", "max_steps", "tolerance", "backend"),
    plumb.track: ("target", "start", "starts", "precision", "gamma", "projective", "seed", "endgame", "max_steps", "tolerance",
                  "largest", "progress", "backend"),
    plumb.solve: ("equations", "unknowns", "precision", "digits", "real", "positive", "nonzero", "start", "seed", "progress",
                  "max_steps", "largest", "residual", "backend"),
    plumb.mixed_volume: ("system", "kind", "seed"), plumb.certify: ("system", "points", "max_bits", "seed", "progress"),
    plumb.set_threads: ("count",), plumb.Solutions.read: ("path", "precision"), plumb.System.read: ("path",),
    plumb.to_device: ("numbers", "precision"),
}
REQUIRED = {"numbers", "limbs", "planes", "precision", "shape", "x", "y", "A", "b", "equations", "system", "points", "target",
            "count", "path"}
METHODS = ["__add__", "__sub__", "__mul__", "__truediv__", "__matmul__", "__pow__", "__lt__", "__eq__", "__getitem__", "astype",
           "reshape", "to_strings"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__qualname__)
def test_random_arguments(function):
    generator = random.Random(function.__qualname__)
    names = CALLS[function]
    try:
        for _ in range(400):
            required = [name for name in names if name in REQUIRED and (name != "limbs" or function is plumb.from_limbs)
                        and (name != "precision" or function is plumb.from_planes)]
            optional = [name for name in names if name not in required]
            chosen = required + generator.sample(optional, min(len(optional), generator.choice((0, 0, 1, 2))))
            given = {name: generator.choice(VALUES) for name in chosen}
            try:
                function(**given)
            except (TypeError, ValueError, ArithmeticError, LookupError, MemoryError, OSError, plumb.Error):
                pass
    finally:
        plumb.set_threads(0)


@pytest.mark.filterwarnings("ignore")
def test_random_operands():
    generator = random.Random(5)
    for _ in range(3000):
        left = generator.choice([plumb.array([1, 2], "dd"), plumb.array([[1, 2], [3, 5]], "qd"), plumb.zeros((0, 2), "d"),
                                 plumb.array(1j, "dd")])
        try:
            getattr(left, generator.choice(METHODS))(generator.choice(VALUES))
        except (TypeError, ValueError, ArithmeticError, LookupError, MemoryError, plumb.Error):
            pass

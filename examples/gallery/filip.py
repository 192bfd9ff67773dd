"""A fit of degree 10 whose matrix has condition number 10^15: NIST's data set Filip, and its certified values.

    python3 examples/gallery/filip.py [picture.svg]
"""

import pathlib
from fractions import Fraction

import numpy

import plumb

import drawing

lines = pathlib.Path(__file__).with_name("filip.csv").read_text().split("\n")
y, x = ([Fraction(field) for field in column] for column in zip(*(line.split(",") for line in lines if line and line[0] not in "#y")))
matrix = [[value**k for k in range(11)] for value in x]
certified = numpy.array([-1467.48961422980, -2772.17959193342, -2316.37108160893, -1127.97394098372, -354.478233703349, -75.1242017393757,
                         -10.8753180355343, -1.06221498588947, -0.670191154593408e-1, -0.246781078275479e-2, -0.402962525080404e-4])


def digits(found):
    """The number of digits that agree with the certified values, of the worst coefficient."""
    return -numpy.log10(numpy.abs(found / certified - 1).max())


doubles = numpy.linalg.lstsq(numpy.array(matrix, dtype=float), numpy.array(y, dtype=float), rcond=None)[0]
print(f"numpy.linalg.lstsq:    {max(digits(doubles), 0):4.0f} digits agree with NIST")
fits = {}
for precision in ("d", "dd", "qd"):
    fit = plumb.lstsq(matrix, y, precision)
    fits[precision] = fit.x.to_numpy()
    print(f"plumb.lstsq in {precision:3}:    {min(digits(fits[precision]), 14):4.0f} digits agree with NIST, {fit.digits:.0f} are estimated to be right")
print(f"condition number {fit.condition:.1e} with columns scaled")
print("B0 =", plumb.lstsq(matrix, y, "qd").x[0].to_strings(40))

if drawing.wanted():
    pyplot = drawing.pyplot()
    figure, axes = pyplot.subplots(figsize=(6.6, 4.4))
    axes.plot([float(value) for value in x], [float(value) for value in y], "o", color=drawing.SOFT, markersize=4, markerfacecolor="none", label="data")
    at = numpy.linspace(-8.9, -3.05, 500)
    axes.plot(at, numpy.polyval(fits["qd"][::-1], at), color=drawing.REAL, label="least squares in quad double")
    axes.plot(at, numpy.polyval(doubles[::-1], at), color=drawing.OTHER, linestyle="--", label="numpy.linalg.lstsq")
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.legend(loc="upper left")
    figure.tight_layout()
    drawing.save(figure)

"""Four solutions that are 10^-15 apart, of a condition number near 10^31: doubles see one point.

    python3 examples/gallery/osculating.py [picture.svg]
"""

import pathlib

import numpy

import plumb

import drawing

solutions = plumb.solve(plumb.System.read(pathlib.Path(__file__).with_name("osculating.txt")), digits=64)
for one in solutions:
    x = complex(one.x[0])
    print(f"  x = {x.real:+.12e} {x.imag:+.12e} i, condition number {one.condition:.0e}, {one.digits} digits are known")
eliminated = [0.25, 0.0, 1e-60, 0.0, -2e-60 + 1e-120]  # x^4/4 + 1e-60 x^2 - 2e-60 + 1e-120 = 0, which doubles can still write
print("numpy.roots, after an elimination by hand:", numpy.sort(numpy.abs(numpy.roots(eliminated))).round(25))
rounded = numpy.polyadd(numpy.polymul([-0.5, 0, 1 - 1e-60], [-0.5, 0, 1 - 1e-60]), [1, 0, -1])
print("numpy.roots, from the equations as they are: ", numpy.abs(numpy.roots(rounded)))

if drawing.wanted():
    pyplot = drawing.pyplot()
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 4.2))
    x = numpy.linspace(-1, 1, 400)
    left.plot(x, numpy.sqrt(1 - x**2), color=drawing.OTHER, label="circle")
    left.plot(x, 1 - x**2 / 2, color=drawing.REAL, label="parabola")
    left.set_xlabel("x")
    left.set_ylabel("y")
    left.legend(loc="lower center")
    left.set_title("the curves")
    for one in solutions:
        z = 1e15 * complex(one.x[0])
        right.plot(z.real, z.imag, "o", color=drawing.REAL if one.isreal else "white", markeredgecolor=drawing.REAL if one.isreal else drawing.OTHER, markersize=8)
    right.axhline(0, color=drawing.LIGHT, zorder=0)
    right.axvline(0, color=drawing.LIGHT, zorder=0)
    right.plot([], [], "o", color=drawing.REAL, label="real")
    right.plot([], [], "o", color="white", markeredgecolor=drawing.OTHER, label="not real")
    right.set_xlabel("Re x, in units of $10^{-15}$")
    right.set_ylabel("Im x, in units of $10^{-15}$")
    right.set_aspect("equal")
    right.set_xlim(-2.4, 2.4)
    right.set_ylim(-2.4, 2.4)
    right.legend(loc="upper right")
    right.set_title("the four solutions, magnified")
    figure.tight_layout()
    drawing.save(figure)

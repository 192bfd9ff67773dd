"""Critical points of the distance from a point to a curve: where the normal of the curve goes through the point.

    python3 examples/gallery/distance.py [picture.svg]
"""

import math
import pathlib

import plumb

import drawing

point = (0.4, 0.3)
solutions = plumb.solve(plumb.System.read(pathlib.Path(__file__).with_name("distance.txt")))
found = sorted((math.dist(point, (float(one["x"].real), float(one["y"].real))), float(one["x"].real), float(one["y"].real)) for one in solutions.real())
print(f"{len(solutions)} critical points, {len(found)} of them real; their distances:")
for distance, x, y in found:
    print(f"  {distance:.10f} at ({x:.6f}, {y:.6f})")

if drawing.wanted():
    import numpy
    pyplot = drawing.pyplot()
    figure, axes = pyplot.subplots(figsize=(6, 6))
    x, y = numpy.meshgrid(numpy.linspace(-1.25, 1.25, 500), numpy.linspace(-1.25, 1.25, 500))
    axes.contour(x, y, 144 * (x**4 + y**4) - 225 * (x**2 + y**2) + 350 * x**2 * y**2 + 81, levels=[0], colors=drawing.INK, linewidths=1.4)
    for number, (_, u, v) in enumerate(found):
        nearest = number == 0
        axes.plot([point[0], u], [point[1], v], color=drawing.REAL if nearest else drawing.SOFT, linewidth=2 if nearest else 0.8)
        axes.plot(u, v, "o", color=drawing.REAL, markeredgecolor="white")
    axes.plot(*point, "s", color=drawing.OTHER, label="the point")
    axes.plot([], [], "o", color=drawing.REAL, label="critical points")
    axes.plot([], [], color=drawing.REAL, linewidth=2, label="the shortest way")
    axes.set_aspect("equal")
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.legend(loc="upper center", ncol=3, bbox_to_anchor=(0.5, 1.1))
    figure.tight_layout()
    drawing.save(figure)

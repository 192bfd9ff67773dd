"""Two cameras and five points: what motion of the camera agrees with the two pictures?

    python3 examples/gallery/cameras.py [picture.svg]
"""

import numpy
import sympy

import plumb

import drawing

first = ["-0.2353 0.0784", "0.2143 -0.1905", "0.2333 0.1833", "-0.1316 -0.3421", "0.0408 0.1224"]
second = ["-0.1817 -0.0393", "0.1981 -0.3397", "0.3294 0.1026", "-0.1888 -0.4778", "0.0593 0.0139"]
points = [[[sympy.Rational(number) for number in line.split()] + [sympy.Integer(1)] for line in lines] for lines in (first, second)]

# An essential matrix E satisfies q^T E p = 0 for each pair of images: five linear equations leave E = x X + y Y + z Z + W.
conditions = sympy.Matrix([[q[i] * p[j] for i in range(3) for j in range(3)] for p, q in zip(*points)])
X, Y, Z, W = (vector.reshape(3, 3) for vector in conditions.nullspace())
x, y, z = sympy.symbols("x y z")
E = x * X + y * Y + z * Z + W
cubic = 2 * E * E.T * E - (E * E.T).trace() * E  # zero if the singular values of E are s, s and 0
equations = [sympy.expand(entry) for entry in [E.det(), *cubic]]

solutions = plumb.solve(equations, [x, y, z])
print(f"{len(equations)} cubic equations in 3 unknowns: {len(solutions)} essential matrices, {len(solutions.real())} of them real")


def motions(E):
    """The four motions (rotation, position of the second camera) of an essential matrix."""
    U, _, V = numpy.linalg.svd(E)
    U, V = U * numpy.linalg.det(U), V * numpy.linalg.det(V)
    quarter = numpy.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    for R in (U @ quarter @ V, U @ quarter.T @ V):
        for t in (U[:, 2], -U[:, 2]):
            yield R, -R.T @ t


def depths(R, position):
    """How far the points are in front of both cameras, and the points in space."""
    found, places = [], []
    for p, q in zip(numpy.array(points[0], dtype=float), numpy.array(points[1], dtype=float)):
        a, b = numpy.linalg.lstsq(numpy.array([p, -R.T @ q]).T, position, rcond=None)[0]
        found += [a, b]
        places.append(a * p)
    return min(found), numpy.array(places)


poses = []
for one in solutions.real():
    matrix = numpy.array(E.subs({x: float(one["x"].real), y: float(one["y"].real), z: float(one["z"].real)}), dtype=float)
    for R, position in motions(matrix):
        nearest, places = depths(R, position)
        if nearest > 0:
            poses.append((numpy.degrees(numpy.arccos((numpy.trace(R) - 1) / 2)), R, position, places))
poses.sort(key=lambda pose: pose[0])
print(f"{len(poses)} motions have all points in front of both cameras; the camera turned by")
print("  " + ", ".join(f"{angle:.3f} degrees" for angle, _, _, _ in poses))

if drawing.wanted():
    pyplot = drawing.pyplot()
    figure, panels = pyplot.subplots(1, len(poses), figsize=(3.2 * len(poses), 3.8))
    for (angle, R, position, places), axes in zip(poses, panels):
        size = 0.35 * numpy.abs(places).max()
        for centre, turn, colour, name in ((numpy.zeros(3), numpy.eye(3), drawing.INK, "first camera"), (position, R, drawing.REAL, "second camera")):
            corners = centre + size * numpy.array([(-0.45, 0, 1), (0.45, 0, 1), (0, 0, 0)]) @ turn
            axes.fill(corners[:, 0], corners[:, 2], color=colour, alpha=0.35, label=name)
            for place in places:
                axes.plot([centre[0], place[0]], [centre[2], place[2]], color=colour, linewidth=0.5, alpha=0.7)
        axes.plot(places[:, 0], places[:, 2], "o", color=drawing.OTHER, markeredgecolor="white", label="points")
        axes.set_title(f"turned by {angle:.1f} degrees")
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xlabel("to the right")
    panels[0].set_ylabel("ahead")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="lower center", ncol=3)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    drawing.save(figure)

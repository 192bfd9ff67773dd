"""All postures of a Stewart platform with given lengths of its legs. Dietmaier (1998) found dimensions for which all forty are real.

    python3 examples/gallery/stewart.py [picture.svg]
"""

import pathlib

import numpy

import plumb

import drawing

base = numpy.array([(0, 0, 0), (1.107915, 0, 0), (0.549094, 0.756063, 0), (0.735077, -0.223935, 0.525991), (0.514188, -0.526063, -0.368418),
                    (0.590473, 0.094733, -0.205018)])
platform = numpy.array([(0, 0, 0), (0.542805, 0, 0), (0.956919, -0.528915, 0), (0.665885, -0.353482, 1.402538), (0.478359, 1.158742, 0.107672),
                        (-0.137087, -0.235121, 0.353913)])
legs = numpy.array([1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])

solutions = plumb.solve(plumb.System.read(pathlib.Path(__file__).with_name("stewart.txt")))
print(f"{len(solutions)} postures, {len(solutions.real())} of them real, {sum(one.certificate['certified'] for one in solutions)} certified")


def product(p, q):
    """Of quaternions."""
    return numpy.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + numpy.cross(p[1:], q[1:])])


postures, worst = [], 0.0
for one in solutions.real():
    value = {name: float(number.real) for name, number in one.to_dict().items()}
    e = numpy.array([1, value["e1"], value["e2"], value["e3"]])
    g = numpy.array([value[f"g{k}"] for k in range(4)])
    back = e * (1, -1, -1, -1) / (e @ e)
    move = lambda point: product(product(e, numpy.concatenate([[0], point])) + g, back)[1:]  # noqa: E731
    postures.append(numpy.array([move(point) for point in platform]))
    worst = max(worst, numpy.abs(numpy.linalg.norm(postures[-1] - base, axis=1) - legs).max())
print("the lengths of the legs are right to 14 digits" if worst < 1e-14 else f"the lengths of the legs are wrong by {worst:.0e}")


def around(points):
    """The corners of the convex hull of points in the plane, in order."""
    points = sorted(map(tuple, points))

    def half(points):
        kept = []
        for x, y in points:
            while len(kept) > 1 and (kept[-1][0] - kept[-2][0]) * (y - kept[-2][1]) <= (kept[-1][1] - kept[-2][1]) * (x - kept[-2][0]):
                kept.pop()
            kept.append((x, y))
        return kept[:-1]
    return half(points) + half(points[::-1])


if drawing.wanted():
    pyplot = drawing.pyplot()
    figure, panels = pyplot.subplots(5, 8, figsize=(9.6, 7.2))
    view = numpy.array([(0.94, -0.34, 0.0), (0.17, 0.47, 0.87)]).T  # from the front, and a little from above
    for corners, axes in zip(sorted(postures, key=lambda corners: tuple(corners[3])), panels.flat):
        ground, moved = base @ view, corners @ view
        axes.fill(*zip(*around(ground)), color=drawing.LIGHT)
        axes.fill(*zip(*around(moved)), color=drawing.OTHER, alpha=0.2)
        for foot, corner in zip(ground, moved):
            axes.plot(*zip(foot, corner), color=drawing.REAL, linewidth=1.2)
        axes.plot(*ground.T, "s", color=drawing.INK, markersize=2.5)
        axes.plot(*moved.T, "o", color=drawing.OTHER, markersize=2.5)
        middle = numpy.vstack([ground, moved]).min(axis=0) / 2 + numpy.vstack([ground, moved]).max(axis=0) / 2  # all panels have the same scale
        axes.set_xlim(middle[0] - 1.25, middle[0] + 1.25)
        axes.set_ylim(middle[1] - 1.4, middle[1] + 1.4)
        axes.set_aspect("equal")
        axes.set_axis_off()
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.94, wspace=0.02, hspace=0.02)
    figure.suptitle("forty postures with the same lengths of the legs: base grey, platform blue, legs red", fontsize="medium")
    drawing.save(figure)

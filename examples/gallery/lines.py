"""The 27 lines on Clebsch's cubic surface, all of them real.

    python3 examples/gallery/lines.py [picture.svg]
"""

import itertools

import numpy
import sympy

import plumb

import drawing


def surface(x, y, z):
    """Zero on Clebsch's diagonal surface, in coordinates in which it is symmetric."""
    return (81 * (x**3 + y**3 + z**3) - 189 * (x**2 * y + x**2 * z + y**2 * x + y**2 * z + z**2 * x + z**2 * y) + 54 * x * y * z
            + 126 * (x * y + y * z + z * x) - 9 * (x**2 + y**2 + z**2) - 9 * (x + y + z) + 1)


# A line is (a + c t, b + d t, t) in coordinates that are turned, so that none of the lines is horizontal. It lies on the surface if
# every power of t vanishes: four cubic equations.
turn = numpy.array([[1, -1, 1], [1, -1, 0], [2, 0, -2]])
a, b, c, d, t = sympy.symbols("a b c d t")
powers = sympy.Poly(sympy.expand(surface(*(turn @ [a + c * t, b + d * t, t]))), t)
solutions = plumb.solve([powers.coeff_monomial(t**k) for k in range(4)], [a, b, c, d])
real = solutions.real().points.real
print(f"{len(solutions)} lines, {len(real)} of them real, {sum(one.certificate['certified'] for one in solutions)} certified")

lines = [(turn @ [p[0], p[1], 0], turn @ [p[2], p[3], 1]) for p in real]  # a point and a direction


def meeting(one, other):
    """The point where two lines meet, or None."""
    across = numpy.cross(one[1], other[1])
    if numpy.linalg.norm(across) < 1e-9 or abs((other[0] - one[0]) @ across) > 1e-9 * numpy.linalg.norm(across):
        return None
    s, _, _, _ = numpy.linalg.lstsq(numpy.array([one[1], -other[1]]).T, other[0] - one[0], rcond=None)
    return one[0] + s[0] * one[1]


points = [meeting(one, other) for one, other in itertools.combinations(lines, 2)]
points = numpy.array([point for point in points if point is not None])
distinct = []
for point in points:
    if all(numpy.linalg.norm(point - known) > 1e-6 for known in distinct):
        distinct.append(point)
thrice = [known for known in distinct if (numpy.linalg.norm(points - known, axis=1) < 1e-6).sum() == 3]
print(f"pairs of them meet in {len(distinct)} points that are not at infinity; in {len(thrice)} of these, three lines meet")

if drawing.wanted():
    pyplot = drawing.pyplot()
    figure = pyplot.figure(figsize=(6.6, 6.4))
    axes = figure.add_subplot(projection="3d")
    radius = 1.6
    grid = numpy.linspace(-radius, radius, 120)
    x, y = numpy.meshgrid(grid, grid)
    for height in numpy.linspace(-radius, radius, 41):
        values = surface(x, y, height)
        inside = x**2 + y**2 + height**2 < radius**2
        if inside.any() and values[inside].min() < 0 < values[inside].max():
            values[~inside] = numpy.nan
            axes.contour(x, y, values, levels=[0], offset=height, colors=drawing.SOFT, linewidths=0.4, alpha=0.8)
    colours = pyplot.get_cmap("viridis")
    for number, (point, direction) in enumerate(sorted(lines, key=lambda line: tuple(line[1]))):
        direction = direction / numpy.linalg.norm(direction)
        nearest = point - (point @ direction) * direction
        if numpy.linalg.norm(nearest) < radius:
            half = numpy.sqrt(radius**2 - nearest @ nearest)
            axes.plot(*numpy.array([nearest - half * direction, nearest + half * direction]).T, color=colours(number / 27), linewidth=1.6)
    axes.scatter(*numpy.array([point for point in thrice if numpy.linalg.norm(point) < radius]).T, color=drawing.REAL, s=22, depthshade=False)
    axes.set_xlim(-1.1, 1.1)
    axes.set_ylim(-1.1, 1.1)
    axes.set_zlim(-1.1, 1.1)
    axes.set_box_aspect((1, 1, 1))
    axes.view_init(20, 18)
    axes.set_axis_off()
    figure.suptitle("the 27 lines; red points: where three of them meet", fontsize="medium", y=0.97)
    figure.subplots_adjust(left=0, right=1, bottom=0, top=0.97)
    drawing.save(figure)

"""From where does a camera see three marks? The number of positions that explain what it sees, for many cameras.

    python3 examples/gallery/marks.py [picture.svg]
"""

import pathlib

import numpy

import plumb

import drawing

HEIGHT, SIZE = 2.0, 91
marks = numpy.array([[0.0, 0, 0], [3, 0, 0], [0, 4, 0]])  # 3 from a to b, 5 from b to c, 4 from a to c

# Cameras 2 metres above the ground, on a grid, and the cosines that they measure.
x, y = numpy.meshgrid(numpy.linspace(-3.03, 6.07, SIZE), numpy.linspace(-2.51, 6.59, SIZE))
cameras = numpy.stack([x, y, numpy.full_like(x, HEIGHT)], axis=-1).reshape(-1, 3)
rays = cameras[:, None] - marks
distances = numpy.linalg.norm(rays, axis=-1)
pairs = [(0, 1), (1, 2), (0, 2)]
cosines = numpy.stack([(rays[:, i] * rays[:, j]).sum(axis=-1) / (distances[:, i] * distances[:, j]) for i, j in pairs], axis=-1)

family = plumb.Family(plumb.System.read(pathlib.Path(__file__).with_name("marks.txt")))
found = family.solve(cosines)
print(f"{len(found)} cameras, {found.paths} paths each, {(found.outcome == 'generic').sum()} of them with {found.paths} regular solutions")
for count in range(1, 5):
    print(f"  {count} possible position{'s' if count > 1 else ''}: {(found.positive == count).sum()} cameras")
missed = [abs(one.points[:count].real - true).max(axis=1).min() for one, count, true in zip(found, found.positive, distances)]
print("the true distances are among the solutions of every camera" if max(missed) < 1e-9 else f"a camera is missed by {max(missed):.0e}")

if drawing.wanted():
    pyplot = drawing.pyplot()
    from matplotlib.colors import BoundaryNorm, ListedColormap
    figure, axes = pyplot.subplots(figsize=(6.2, 5.2))
    colours = ListedColormap([drawing.LIGHT, "#a9c6f5", drawing.OTHER, drawing.REAL])
    edge = (x[0, 1] - x[0, 0]) / 2
    shown = axes.imshow(found.positive.reshape(SIZE, SIZE), cmap=colours, norm=BoundaryNorm([0.5, 1.5, 2.5, 3.5, 4.5], 4), origin="lower",
                        extent=(x[0, 0] - edge, x[0, -1] + edge, y[0, 0] - edge, y[-1, 0] + edge), interpolation="nearest")
    angle = numpy.linspace(0, 2 * numpy.pi, 200)
    axes.plot(1.5 + 2.5 * numpy.cos(angle), 2 + 2.5 * numpy.sin(angle), color=drawing.INK, linewidth=1, linestyle="--", label="circle through the marks")
    axes.fill(*marks[:, :2].T, fill=False, edgecolor=drawing.INK, linewidth=1)
    axes.plot(*marks[:, :2].T, "s", color=drawing.INK, markersize=6, label="marks")
    for name, place, align in zip("abc", marks, ((-8, -12), (6, -10), (-12, 6))):
        axes.annotate(name, place[:2], xytext=align, textcoords="offset points")
    axes.set_xlabel("x in m")
    axes.set_ylabel("y in m")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=2)
    figure.colorbar(shown, ax=axes, ticks=[1, 2, 3, 4], label="positions that explain the angles")
    figure.subplots_adjust(left=0.1, right=0.97, bottom=0.11, top=0.92)
    drawing.save(figure)

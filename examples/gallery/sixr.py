"""The inverse kinematics of a robot with six joints: in how many ways can it hold something in a given position?

    python3 examples/gallery/sixr.py [picture.svg]
"""

import math
import pathlib

import numpy

import plumb

import drawing

solutions = plumb.solve(plumb.System.read(pathlib.Path(__file__).with_name("sixr.txt")))
print(f"{len(solutions)} ways, {len(solutions.real())} of them real, {sum(one.certificate['certified'] for one in solutions)} certified")

sine = 115 / 6613
ways = []
for one in solutions.real():
    value = {name: float(number.real) for name, number in one.to_dict().items()}
    z = [numpy.array([0.0, 0.0, 1.0])] + [numpy.array([value[f"{axis}{joint}"] for axis in "xyz"]) for joint in range(2, 6)]
    hand = numpy.array([0.102262, 0.991071, 0.085558])
    # from joint to joint along the common normals, and along the third joint
    steps = [0.3 * numpy.cross(z[0], z[1]), 1.0 * numpy.cross(z[1], z[2]) / sine, 0.2 * z[2], 1.5 * numpy.cross(z[3], z[4]) / sine]
    ways.append((math.degrees(math.atan2(z[1][0], -z[1][1])), numpy.cumsum([numpy.zeros(3)] + steps, axis=0), hand))
ways.sort(key=lambda way: way[0])
arms = ways[::2]  # two ways differ in the wrist alone: there the fourth and the fifth joint point the other way
assert all(numpy.allclose(one[1], other[1]) for one, other in zip(arms, ways[1::2]))
print("angles of the first joint, in degrees, with two wrists each:")
print("  " + ", ".join(f"{angle:.2f}" for angle, _, _ in arms))
missed = max(numpy.abs(places[-1] - (-1.140175, 0, 0)).max() for _, places, _ in ways)
print("every arm reaches the hand to 12 digits" if missed < 1e-12 else f"the hand is missed by {missed:.0e}")

if drawing.wanted():
    pyplot = drawing.pyplot()
    figure = pyplot.figure(figsize=(9, 5.2))
    for number, (angle, places, hand) in enumerate(arms):
        axes = figure.add_subplot(2, 4, number + 1, projection="3d")
        axes.plot(*places.T, color=drawing.OTHER, linewidth=2.5, marker="o", markersize=4, markerfacecolor="white")
        axes.plot(*numpy.array([places[-1], places[-1] + 0.7 * hand]).T, color=drawing.REAL, linewidth=2.5)
        axes.plot([0, 0], [0, 0], [-0.5, 0], color=drawing.INK, linewidth=5)
        axes.set_title(f"{angle:.1f} degrees", fontsize="small", pad=0)
        axes.set_xlim(-1.3, 0.7)
        axes.set_ylim(-1, 1)
        axes.set_zlim(-1, 1)
        axes.view_init(25, -60)
        axes.set_box_aspect((1, 1, 1), zoom=1.05)
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.set_ticklabels([])
    figure.suptitle("the arm, by the angle of the first joint: base black, links blue, hand red", fontsize="small", y=0.985)
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.9, wspace=0.02, hspace=0.08)
    drawing.save(figure)

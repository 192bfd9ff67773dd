"""The circles of Apollonius: all circles that touch three given ones.

    python3 examples/gallery/apollonius.py [picture.svg]
"""

import math
import pathlib

import plumb

import drawing

given = [((0, 0), 1.0), ((4, 0), 1.5), ((1.5, 3.5), 0.8)]
solutions = plumb.solve(plumb.System.read(pathlib.Path(__file__).with_name("apollonius.txt")))
found = sorted((math.sqrt(float(one["R"].real)), float(one["x"].real), float(one["y"].real)) for one in solutions.real())
print(f"{len(solutions)} solutions, {len(found)} real, {sum(one.certificate['certified'] for one in solutions)} certified")


def contains(r, x, y, centre, radius):
    """Whether a circle that touches another one has it inside: then the distance of the centres is the difference of the radii."""
    distance = math.hypot(x - centre[0], y - centre[1])
    return abs(distance - abs(r - radius)) < abs(distance - (r + radius))


for r, x, y in found:
    inside = [number + 1 for number, (centre, radius) in enumerate(given) if contains(r, x, y, centre, radius)]
    print(f"  radius {r:.6f}, centre ({x:9.6f}, {y:9.6f}), around {', '.join(map(str, inside)) or 'none'}")

if drawing.wanted():
    pyplot = drawing.pyplot()
    figure, axes = pyplot.subplots(figsize=(6, 6))
    colours = pyplot.get_cmap("viridis")
    for number, (r, x, y) in enumerate(found):
        axes.add_patch(pyplot.Circle((x, y), r, fill=False, linewidth=1.6, color=colours(number / len(found))))
    for centre, radius in given:
        axes.add_patch(pyplot.Circle(centre, radius, color=drawing.LIGHT, ec=drawing.INK, linewidth=1.2))
    axes.set_xlim(-4, 8.5)
    axes.set_ylim(-5, 7.5)
    axes.set_aspect("equal")
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    figure.tight_layout()
    drawing.save(figure)

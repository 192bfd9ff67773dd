"""The assembly modes of a planar parallel robot: all real configurations of a linkage.

A triangular platform is held by three legs. Their feet are fixed on the ground, and their lengths are given: where can
the platform be? Its position (x, y) and its angle (c = cos, s = sin) satisfy four quadratic equations with at most six
solutions. plumb finds all of them; the real ones are the configurations in which the linkage can be assembled.

    python3 examples/linkage.py [picture.png]
"""

# %% The linkage: feet, corners of the platform in its own coordinates, and lengths of the legs
import math
import sys

import sympy

import plumb

R = sympy.Rational
feet = [(0, 0), (R("15.91"), 0), (0, 10)]
corners = [(0, 0), (R("17.04"), 0), (R("13.24"), R("16.09"))]
lengths = [R("14.98"), R("15.38"), R("12")]

# %% The equations, with SymPy
x, y, c, s = sympy.symbols("x y c s")
equations = [sympy.Eq(c**2 + s**2, 1)]
for (fx, fy), (px, py), length in zip(feet, corners, lengths):
    corner = (x + c * px - s * py, y + s * px + c * py)
    equations.append(sympy.Eq((corner[0] - fx) ** 2 + (corner[1] - fy) ** 2, length**2))

# %% All solutions, with 30 digits
solutions = plumb.solve(equations, [x, y, c, s], digits=30)
print(solutions)

# %% The real configurations
configurations = solutions.real()
print(f"\nThe linkage can be assembled in {len(configurations)} ways:")
for one in configurations:
    angle = math.degrees(math.atan2(float(one["s"].real), float(one["c"].real)))
    print(f"  x = {one['x'].real.to_strings(30)}, y = {one['y'].real.to_strings(30)}, angle {angle:8.3f} degrees")

# %% A picture, if matplotlib is installed: the platform, its legs, and the circles that their ends can reach
if len(sys.argv) > 1:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    columns = 3
    rows = -(-len(configurations) // columns)
    figure, panels = pyplot.subplots(rows, columns, figsize=(3.2 * columns, 3.3 * rows + 0.6), squeeze=False, sharex=True, sharey=True)
    for number, (one, panel) in enumerate(zip(configurations, panels.flat)):
        at = {name: float(value.real) for name, value in one.to_dict().items()}
        places = [(at["x"] + at["c"] * float(px) - at["s"] * float(py), at["y"] + at["s"] * float(px) + at["c"] * float(py))
                  for px, py in corners]
        panel.fill(*zip(*places), facecolor="#2563c9", alpha=0.25, label="platform")
        for foot, place, length in zip(feet, places, lengths):
            circle = pyplot.Circle((float(foot[0]), float(foot[1])), float(length), fill=False, color="0.85", linewidth=0.8, label="reach of a leg")
            panel.add_patch(circle)
            panel.plot([float(foot[0]), place[0]], [float(foot[1]), place[1]], color="#d9541e", linewidth=2, label="leg")
            panel.plot(float(foot[0]), float(foot[1]), "s", color="0.3", markersize=6, label="foot")
            panel.plot(*place, "o", color="white", markeredgecolor="#2563c9", markersize=5)
        panel.set_title(f"{number + 1}: {math.degrees(math.atan2(at['s'], at['c'])):.1f} degrees", fontsize="medium")
        panel.set_aspect("equal")
        panel.set_xlim(-16, 32)
        panel.set_ylim(-22, 26)
    for panel in panels[-1]:
        panel.set_xlabel("x")
    for panel in panels[:, 0]:
        panel.set_ylabel("y")
    for panel in panels.flat[len(configurations):]:
        panel.set_visible(False)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    known = dict(zip(labels, handles))
    figure.legend(known.values(), known.keys(), loc="lower center", ncol=4, frameon=False)
    figure.suptitle("The assembly modes of a planar parallel robot")
    figure.tight_layout(rect=(0, 0.05, 1, 1), h_pad=2)
    figure.savefig(sys.argv[1])
    print(f"picture in {sys.argv[1]}")

"""The totally mixed Nash equilibria of a game with four players, each with two strategies.

    python3 examples/gallery/nash.py [picture.svg]
"""

import pathlib

import numpy

import plumb

import drawing

solutions = plumb.solve(plumb.System.read(pathlib.Path(__file__).with_name("nash.txt")))
real = solutions.real().points.real
inside = [point for point in real if (point > 0).all() and (point < 1).all()]
print(f"{len(solutions)} solutions, {len(real)} real, {len(inside)} of them with probabilities between 0 and 1:")
for point in inside:
    print("  " + ", ".join(f"p{k + 1} = {value:.6f}" for k, value in enumerate(point)))

if drawing.wanted():
    pyplot = drawing.pyplot()
    figure, axes = pyplot.subplots(figsize=(6.4, 4.2))
    axes.axhspan(0, 1, color=drawing.LIGHT, alpha=0.6, label="probabilities")
    for point in real:
        good = (point > 0).all() and (point < 1).all()
        axes.plot(numpy.arange(1, 5), point, "-o", color=drawing.REAL if good else drawing.SOFT, linewidth=2.2 if good else 0.8, markersize=6 if good else 4,
                  zorder=3 if good else 2)
    axes.plot([], [], "-o", color=drawing.REAL, linewidth=2.2, label="equilibria")
    axes.plot([], [], "-o", color=drawing.SOFT, linewidth=0.8, markersize=4, label="other real solutions")
    axes.set_xticks(range(1, 5))
    axes.set_xticklabels([f"p{k}" for k in range(1, 5)])
    axes.set_ylim(-3, 4)
    axes.set_ylabel("probability of the second strategy")
    axes.legend(loc="upper center", ncol=3, bbox_to_anchor=(0.5, 1.15))
    figure.tight_layout()
    drawing.save(figure)

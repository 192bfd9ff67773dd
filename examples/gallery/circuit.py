"""The operating points of a circuit with two tunnel diodes, in volts and amperes.

    python3 examples/gallery/circuit.py [picture.svg]
"""

import pathlib

import plumb

import drawing

solutions = plumb.solve(plumb.System.read(pathlib.Path(__file__).with_name("circuit.txt")), digits=20)
found = sorted((float(one["u"].real), float(one["v"].real), float(one["J"].real)) for one in solutions.real())
print(f"{len(solutions)} operating points, {len(found)} of them real")
for u, v, current in found:
    print(f"  u = {u:.6f} V, v = {v:.6f} V, current {1e9 * current:.6f} nA")

if drawing.wanted():
    import numpy
    pyplot = drawing.pyplot()
    figure, axes = pyplot.subplots(figsize=(6.4, 4.8))
    volts = numpy.linspace(0, 4.3, 400)
    axes.plot(volts, 2.5 * volts**3 - 10.5 * volts**2 + 11.8 * volts, color=drawing.OTHER, label="first diode")
    axes.plot(volts, 0.43 * volts**3 - 2.69 * volts**2 + 4.56 * volts, color=drawing.INK, label="second diode")
    for number, (u, v, current) in enumerate(found):
        axes.plot([u, v], [1e9 * current] * 2, color=drawing.REAL, linewidth=0.8)
        axes.plot([u], [1e9 * current], "o", color=drawing.OTHER, markersize=5, markeredgecolor="white")
        axes.plot([v], [1e9 * current], "o", color=drawing.INK, markersize=5, markeredgecolor="white")
    axes.plot([], [], color=drawing.REAL, linewidth=0.8, label="an operating point: one current, two voltages")
    axes.set_xlim(0, 4.3)
    axes.set_ylim(1.6, 2.4)
    axes.set_xlabel("voltage in V")
    axes.set_ylabel("current in nA")
    axes.legend(loc="upper center", fontsize="small", ncol=3, bbox_to_anchor=(0.5, 1.12))
    figure.tight_layout()
    drawing.save(figure)

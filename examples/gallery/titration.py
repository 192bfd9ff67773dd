"""A titration: the acidity of carbonated water while sodium hydroxide is added, from chemical equilibria.

    python3 examples/gallery/titration.py [picture.svg]
"""

from fractions import Fraction

import numpy

import plumb

import drawing

AMOUNTS = [Fraction(k, 20000) for k in range(61)]  # of sodium, in mol per litre; there is 0.001 of carbon


def equilibrium(sodium):
    """The only solution with positive concentrations."""
    solutions = plumb.solve(["hydron*hydroxide = 1e-14", "hydron*bicarbonate = 4.45e-7*dioxide", "hydron*carbonate = 4.69e-11*bicarbonate",
                             "dioxide + bicarbonate + carbonate = 0.001", f"hydron + {sodium} = hydroxide + bicarbonate + 2*carbonate"],
                            ["hydron", "hydroxide", "bicarbonate", "dioxide", "carbonate"], positive=True, digits=20)
    assert len(solutions) == 1 and solutions[0].certificate["positive"]
    return [float(value.real) for value in solutions[0].x]


rows = numpy.array([equilibrium(amount) for amount in AMOUNTS])
acidity = -numpy.log10(rows[:, 0])
print(f"{len(rows)} systems, each with one positive solution, which is certified")
for k in (0, 20, 40, 60):
    print(f"  sodium {1000 * float(AMOUNTS[k]):.1f} mmol/l: pH {acidity[k]:.6f}")

if drawing.wanted():
    pyplot = drawing.pyplot()
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8.4, 3.8))
    amounts = [1000 * float(amount) for amount in AMOUNTS]
    left.plot(amounts, acidity, color=drawing.REAL)
    left.set_ylabel("pH")
    for name, column, colour in (("carbon dioxide", 3, drawing.SOFT), ("bicarbonate", 2, drawing.OTHER), ("carbonate", 4, drawing.INK)):
        right.plot(amounts, 1000 * rows[:, column], color=colour, label=name)
    right.set_ylabel("concentration in mmol/l")
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncol=3, fontsize="small")
    for axes in (left, right):
        axes.set_xlabel("sodium hydroxide in mmol/l")
    figure.tight_layout()
    drawing.save(figure)

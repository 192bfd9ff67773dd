"""A path that needs quad doubles: in d and dd it meets its twin, in qd the two pass each other at a distance of 2e-20.

examples/README.md has the homotopy and the reason. plumb.track does not guess: in a precision that cannot distinguish the two
paths it ends the path with this reason, and with precision="auto" it takes each precision where it is needed.

    python3 examples/qd_path.py
"""

# %% The systems of examples/crossing
import pathlib

import plumb

folder = pathlib.Path(__file__).parent / "crossing"
start, target = plumb.System.read(folder / "start.phc"), plumb.System.read(folder / "target.phc")
starts = plumb.Solutions.read(folder / "start.sol").x

# %% The path in each precision
for precision in ("d", "dd", "qd", "auto"):
    paths = plumb.track(target, start, starts, gamma=1, precision=precision)
    print(f"{precision:4}: {paths.status[0]} after {paths.steps[0]} steps, highest precision {paths.precision[0]}")

# %% Its end, refined to 50 digits: y - w = sqrt((1 - c)^2 + 1e-40), where c is the double nearest to 0.55
paths = plumb.track(target, start, starts, gamma=1)
end = dict(zip(paths.unknowns, plumb.newton(target, paths.ends[0], digits=50).x))
difference = (end["y"] - end["w"]).real
exact = plumb.sqrt((1 - plumb.array(0.55, "qd")) ** 2 + plumb.array("1e-40", "qd"))
print(f"y - w = {difference.to_strings(36)}, exactly {exact.to_strings(36)}")

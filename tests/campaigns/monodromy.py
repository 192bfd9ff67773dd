"""monodromy.py PLUMB FAMILIES SEEDS [NAME...] - does monodromy find all solutions of families with known numbers of them?

Each family is searched with the seeds 1 to SEEDS, with the default options. One JSON object per family: how many runs found how many
solutions, how many said something else than "quiet", the paths, the failed paths and the seconds of all runs, and the orders of the
groups. FAMILIES is the folder of the families.
"""

import collections
import json
import os
import subprocess
import sys

SWAP = "a=b, b=a, ac=bc, bc=ac, x=y, y=x, xc=yc, yc=xc"
COGNATE = ("x=a-x, xc=ac-xc, b=(a*y-x*b)/(y-x), bc=(ac*yc-xc*bc)/(yc-xc), y=y*(x-a)/(x-y), yc=yc*(xc-ac)/(xc-yc), "
           + ", ".join(f"g{i}=(x*g{i}+d{i})/(x-a), gc{i}=(xc*gc{i}+dc{i})/(xc-ac)" for i in range(1, 9)))

# name: number of solutions, then arguments
KNOWN = {
    "quadric": (2, ["-e", "x^2 - 2*a*x + b", "--parameters", "a,b"]),
    "cubic": (3, ["-e", "x^3 - a*x + b", "--parameters", "a,b"]),
    "p3p": (8, []), "tangents": (12, []), "lines27": (27, []), "fivepoint": (20, []), "fivepoint40": (40, []),
    "fivepoint10": (10, ["--from", "fivepoint10.sol"]),
    "kuramoto4": (20, []), "kuramoto4common": (14, []), "kuramoto6common": (62, []), "sixr": (16, []), "stewart": (40, []),
    "so3": (8, ["--from", "so3.sol"]), "so4": (40, ["--from", "so4.sol"]), "kuramoto6": (252, []), "so5": (384, ["--from", "so5.sol"]),
    "so6": (4768, ["--from", "so6.sol"]), "conics": (3264, []), "fourbar": (8652, ["--symmetry", SWAP, "--symmetry", COGNATE]),
}


def main(plumb, folder, seeds, names):
    plumb = os.path.abspath(plumb)
    bad = 0
    for name in names:
        expected, arguments = KNOWN[name]
        counts, outcomes, orders = collections.Counter(), collections.Counter(), collections.Counter()
        paths = failed = 0
        seconds = 0.0
        for seed in range(1, seeds + 1):
            system = [] if arguments[:1] == ["-e"] else [name + ".phc"]
            run = subprocess.run([plumb, "monodromy", *system, *arguments, "--seed", str(seed), "--json", "--threads", "1"], cwd=folder,
                                 capture_output=True, text=True)
            if not run.stdout:
                outcomes[run.stderr.strip()] += 1
                continue
            found = json.loads(run.stdout)
            counts[found["count"]] += 1
            outcomes[found["outcome"]] += 1
            orders[found["group_order"] or "unknown"] += 1
            paths += found["paths"]["total"]
            failed += found["paths"]["failed"]
            seconds += found["seconds"]
        bad += counts[expected] != seeds
        print(json.dumps({"family": name, "expected": expected, "runs": seeds, "found": dict(counts), "outcomes": dict(outcomes),
                          "paths": paths, "failed": failed, "seconds": round(seconds, 1),
                          "orders": {k if len(k) < 30 else f"{k[:6]}... ({len(k)} digits)": v for k, v in orders.items()}}), flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:] or [name for name in KNOWN if KNOWN[name][0] < 100]))

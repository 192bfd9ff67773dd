"""branches.py COUNT [SEED] - are the branches of random families what the numbers of real solutions say? Needs the Python package.

Two random equations of degrees 2 and 3 in x and y, whose coefficients depend on a parameter, on a line of it. At five random
places of the line the number of branches has to be that of the real solutions there, which are found without the branches. Ends within
the line that are no turning points have to lead to infinity. Prints what differs, and the sums.
"""

import random
import sys

import plumb


def polynomial(degree):
    terms = []
    for i in range(degree + 1):
        for j in range(degree + 1 - i):
            number = f"({random.randint(-9, 9)}+{random.randint(-9, 9)}*a)" if random.random() < 0.4 else str(random.randint(-9, 9))
            terms.append(f"({number})" + (f"*x^{i}" if i else "") + (f"*y^{j}" if j else ""))
    return "+".join(terms)


def main(count, first):
    turns = ends = doubtful = places = wrong = 0
    for seed in range(first, first + count):
        random.seed(seed)
        family = plumb.Family([polynomial(random.choice([2, 3])), polynomial(random.choice([2, 3]))], "a")
        branches = family.branches([-2], [2], 60)
        for branch in branches:
            for place, kind in ((0, branch.begin), (-1, branch.end)):
                turns += kind == "turn"
                ends += kind == "open"
                if kind == "open" and abs(branch.x[place]).max() < 100:
                    doubtful += 1
                    print(f"seed {seed}: an open end at {branch.x[place]}, a = {branch.parameters[place]}")
        for a in [random.uniform(-1.9, 1.9) for _ in range(5)]:
            places += 1
            found = sum(branch.s[0] <= (a + 2) / 4 <= branch.s[-1] for branch in branches)
            real = int(family.solve([[a]]).real[0])
            if found != real:
                wrong += 1
                print(f"seed {seed}: {found} branches at a = {a}, where there are {real} real solutions")
    print(f"{count} families: {places} places, {wrong} wrong; {turns} ends at turning points, {ends} open ends, {doubtful} of them not large")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))

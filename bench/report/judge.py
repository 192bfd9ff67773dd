"""The paper's statements as rules that numbers follow or do not. Each rule is applied to the paper's own numbers and to
those of every machine by the same lines; no verdict is typed. A number decides as it is printed, with the digits
that the tables show: 9.98 times is less than 10 times, and 9.996 is 10.0."""

import math

from paper import DD_SIZES, D_SIZES, GPU, N, NUMBERS, ONE_CORE, PRECISIONS
from results import number, text, whole

NOT_MEASURED, HOLDS, DOES_NOT_HOLD = "not measured", "holds", "does not hold"

# What a rule tolerates.
EXPONENTS = 2.7, 3.3  # of n, for "the cube"
ALIKE = 1.5  # "as much" means within this factor
SIMILAR = 2  # "similar"
SLOPE_ERROR = 0.1  # of log10(e) over g, which is 1 for a line with one digit per unit
DOUBLE_DIGIT = 10
ALMOST_TEN = 9.5


class Finding:
    """A verdict and the numbers it was decided by."""

    def __init__(self):
        self.verdict = NOT_MEASURED
        self.numbers = []

    def decide(self, holds, *numbers):
        """One of several conditions, all of which must hold; without a measured number it says nothing."""
        if any(math.isnan(x) for x in numbers):
            return False
        if self.verdict != DOES_NOT_HOLD:
            self.verdict = HOLDS if holds else DOES_NOT_HOLD
        return True

    @property
    def text(self):
        return "; ".join(self.numbers)


def within(factor, x, y):
    return x <= factor * y and y <= factor * x


def slope(points):
    """Of the straight line through (x, y) points by least squares; NaN for fewer than three."""
    if len(points) < 3:
        return math.nan
    mean_x, mean_y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


# ---- Growth

def exponent(machine, prec, how):
    """Of n, fitted to the times of solving from n = 32 on: below, costs that do not depend on n show."""
    times = [(n, machine.time("solve", prec, n, how)) for n in D_SIZES if n >= 32]
    return round(slope([(math.log(n), math.log(us)) for n, us in times if us > 0]), 2)


def growth(machine, finding):
    for prec in PRECISIONS:
        one, gpu = exponent(machine, prec, ONE_CORE), exponent(machine, prec, GPU)
        if finding.decide(EXPONENTS[0] <= one <= EXPONENTS[1], one):
            finding.numbers.append("%s%s n^%.2f%s" % ("" if finding.numbers else "one core: ", prec, one,
                                                      "" if math.isnan(gpu) else " (GPU n^%.2f)" % gpu))


def cube_root(machine, finding):
    for row in NUMBERS["table1"][1:]:
        n, us = machine.recalibrated(row)
        times = round(us / machine.overhead(row, ONE_CORE), 2)
        if finding.decide(within(ALIKE, times, 1), times):
            finding.numbers.append("real double at n = %s takes %.2f times as long as complex %s at 32" % (
                whole(n), times, row["precision"]))


def overhead(machine, finding):
    real, d, dd = (machine.overhead(row, ONE_CORE) for row in NUMBERS["table1"][:3])
    if finding.decide(within(SIMILAR, round(dd / d, 1), round(d / real, 1)), dd / d, d / real):
        finding.numbers.append("complex over real %.1f times, dd over d %.1f times" % (d / real, dd / d))


# ---- Speedups

def speedup(machine, work, prec, n):
    """Of the GPU over one core, rounded as it is printed."""
    times = machine.time(work, prec, n, ONE_CORE) / machine.time(work, prec, n, GPU)
    return round(times, 2) if times < 10 else round(times, 1)


def shown(times):
    return "%.*f" % (2 if times < 10 else 1, times)


def listed(short, count):
    """Speedups at some of count sizes; many of them are told by their range."""
    if len(short) <= 3:
        return ", ".join("%s times at n = %d" % (shown(times), n) for n, times in short)
    smallest, largest = min(t for _, t in short), max(t for _, t in short)
    return "%s to %s times at %d of %d sizes" % (shown(smallest), shown(largest), len(short), count)


def double_digits(prec, start):
    """Ten times or more at n = start and at every larger n."""
    def judge(machine, finding):
        found = [(n, speedup(machine, "solve", prec, n)) for n in D_SIZES if n >= start]
        found = [(n, times) for n, times in found if not math.isnan(times)]
        if not found:
            return
        short = [(n, times) for n, times in found if times < DOUBLE_DIGIT]
        finding.decide(not short, *(times for _, times in found))
        n, times = found[-1]
        if not short:
            finding.numbers.append("%s to %s times from n = %d to %d" % (
                shown(min(t for _, t in found)), shown(max(t for _, t in found)), found[0][0], n))
        else:
            finding.numbers.append("only %s" % listed(short, len(found)))
            if times >= DOUBLE_DIGIT:
                finding.numbers.append("%s times at n = %d" % (shown(times), n))
    return judge


def digits_qd(machine, finding):
    times = speedup(machine, "solve", "qd", 48)
    if finding.decide(times >= ALMOST_TEN, times):
        finding.numbers.append("%s times at n = 48" % shown(times))


def granularity(machine, finding):
    d, dd, qd = (speedup(machine, "qr", prec, N) for prec in PRECISIONS)
    if finding.decide(dd > d and qd > d, d, dd, qd):
        finding.numbers.append("d %s, dd %s, qd %s times" % (shown(d), shown(dd), shown(qd)))


# ---- Quality up

def quality(work, n, least):
    """qd on the GPU at least this many times as fast as dd on one core."""
    def judge(machine, finding):
        times = round(machine.time(work, "dd", n, ONE_CORE) / machine.time(work, "qd", n, GPU), 2)
        if finding.decide(times >= least, times):
            finding.numbers.append("qd on the GPU %.2f times as fast as dd on one core" % times)
    return judge


# ---- Accuracy

def middle(machine, row):
    return (machine.accuracy(row["precision"], row["g"], "m_e") + machine.accuracy(row["precision"], row["g"], "M_e")) / 2


def linear(machine, finding):
    for prec in PRECISIONS:
        points = [(row["g"], middle(machine, row)) for row in NUMBERS["table2"] if row["precision"] == prec]
        found = round(slope([p for p in points if math.isfinite(p[1])]), 2)
        if finding.decide(abs(found - 1) <= SLOPE_ERROR, found):
            finding.numbers.append("%s %.2f digits per unit of g" % (prec, found))


def half(machine, finding):
    limbs = {"d": 1, "dd": 2, "qd": 4}
    for row in NUMBERS["table2"]:
        digits, correct = 53 * math.log10(2) * limbs[row["precision"]], -middle(machine, row)
        if 2 * row["g"] == 16 * limbs[row["precision"]] and finding.decide(correct >= digits / 2 - 1, correct):
            finding.numbers.append("%s, g = %d: %.1f decimals of %.1f" % (row["precision"], row["g"], correct, digits))


def elimination(key, expected):
    def judge(machine, finding):
        if machine.is_paper:
            finding.numbers.append("%d times" % expected)
        for row in machine.elimination:
            times = round(number(row, key), 1)
            if finding.decide(within(ALIKE, times, expected), times):
                finding.numbers.append("%s %.1f times" % (text(row, "precision", "?"), times))
    return judge


class Statement:
    def __init__(self, name, claim, rule, judge):
        self.name, self.claim, self.rule, self._judge = name, claim, rule, judge

    def judge(self, machine):
        finding = Finding()
        self._judge(machine, finding)
        return finding


STATEMENTS = [Statement(*each) for each in (
    ("growth", "The time grows with the cube of the dimension.",
     "the exponent fitted to the times on one core from n = 32 on lies between %g and %g in every precision" % EXPONENTS,
     growth),
    ("cube-root", "A flop that costs f times more costs as much as a dimension larger by the cube root of f.",
     "real double at the recalibrated dimension takes as long, within a factor of %g" % ALIKE, cube_root),
    ("overhead", "Double double costs over double about what complex costs over real.",
     "the two factors agree within a factor of %g" % SIMILAR, overhead),
    ("digits-d", "Double-digit speedups in complex double for n \u2265 96.",
     "the GPU is at least 10 times as fast as one core at n = 96 and at every larger n", double_digits("d", 96)),
    ("digits-dd", "Double-digit speedups in complex double double for n \u2265 48.",
     "the same at n = 48 and at every larger n", double_digits("dd", 48)),
    ("digits-qd", "A speedup of almost 10 in complex quad double at n = 48.", "at least %g" % ALMOST_TEN, digits_qd),
    ("granularity", "The fine granularity pays off with multiprecision arithmetic.",
     "at n = 32 the speedups in dd and in qd are larger than in d", granularity),
    ("quality-32", "Orthogonalizing 32 vectors, quad double on the GPU takes no longer than double double on one core.",
     "at least as fast", quality("qr", N, 1)),
    ("quality-80", "At n = 80 the GPU computes in quad double three times faster than one core in double double.",
     "at least 3 times as fast", quality("solve", 80, 3)),
    ("quality-both", "Evaluation and orthogonalization together still compensate for one level of precision.",
     "their sum in qd on the GPU takes no longer than in dd on one core", quality("both", N, 1)),
    ("linear", "log10(e) changes linearly with g.",
     "the line fitted to the middle of m_e and M_e has a slope of 1, within %g, in every precision" % SLOPE_ERROR, linear),
    ("half", "Half the digits are correct when the working precision has 2g.",
     "at 2g = 16, 32 and 64, the middle of m_e and M_e has half the decimals, give or take one", half),
    ("elimination-time", "Gaussian elimination is 3 times faster at n = 32.",
     "within a factor of %g, in every precision" % ALIKE, elimination("time_ratio", NUMBERS["elimination"]["faster"])),
    ("elimination-error", "Its average maximum error is almost 6 times larger.",
     "within a factor of %g, in every precision; our error is the largest |x_j - 1| of a solution" % ALIKE,
     elimination("error_ratio", NUMBERS["elimination"]["worse"])),
)]


# ---- Levels of precision

def levels_paid(machine, prec, n, how):
    """How many levels above prec the GPU computes in the time that processors take for prec; None if not measured."""
    time = machine.time("solve", prec, n, how)
    if math.isnan(time) or math.isnan(machine.time("solve", prec, n, GPU)):
        return None
    higher = PRECISIONS[PRECISIONS.index(prec) + 1:]
    return max([k + 1 for k, p in enumerate(higher) if machine.time("solve", p, n, GPU) <= time], default=0)


def quality_range(machine):
    """The sizes at which qd on the GPU and dd on one core were measured, and those of them at which qd is no slower."""
    times = [(n, machine.time("solve", "qd", n, GPU), machine.time("solve", "dd", n, ONE_CORE)) for n in DD_SIZES]
    times = [(n, qd, dd) for n, qd, dd in times if not math.isnan(qd) and not math.isnan(dd)]
    return [n for n, _, _ in times], [n for n, qd, dd in times if qd <= dd]


def most_levels(machine):
    paid = [levels_paid(machine, prec, n, ONE_CORE) for prec in ("d", "dd") for n in DD_SIZES]
    return max([levels for levels in paid if levels is not None], default=0)

"""The paper compared with our machines: its numbers (paper.json) and the files of `plumb-bench paper`, looked up the same way.

A Machine is one file of `plumb-bench paper`; ThePaper answers the same questions from the paper's own tables, so that
whatever is computed from our numbers is computed from the paper's by the same lines."""

import json
import math
import os

from results import NAN, number, text

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "paper.json"), encoding="utf-8") as _file:
    NUMBERS = json.load(_file)

RUNS, N = NUMBERS["runs"], NUMBERS["n"]
PRECISIONS = ("d", "dd", "qd")
ONE_CORE, ALL_CORES, GPU = "cpu1_us", "cpuall_us", "gpu_us"  # the members of a row that hold the times
D_SIZES = [row["n"] for row in NUMBERS["table4"]]
DD_SIZES = [row["n"] for row in NUMBERS["table5"] if row["precision"] == "dd"]


def seconds(us):
    """Microseconds of one run as seconds of the paper's 10,000 runs."""
    return us * 1e-6 * RUNS


class ThePaper:
    name = "the paper"
    is_paper = True

    def time(self, work, prec, n, how):
        """Microseconds of one run, complex; NaN where the paper has none. work: qr, solve, eval or both."""
        if work == "both":
            return self.time("eval", prec, n, how) + self.time("qr", prec, n, how)
        rows = {"solve": NUMBERS["table4"] + NUMBERS["table5"], "qr": NUMBERS["table3"],
                "eval": NUMBERS["table6"]["eval"]}[work]
        for row in rows:
            if row["precision"] == prec and row["n"] == n and how != ALL_CORES:
                return row["cpu" if how == ONE_CORE else "gpu"] * 1e6 / RUNS
        return NAN

    def overhead(self, row, how):
        """The time of a row of Table 1."""
        return row["seconds"] * 1e6 / RUNS if how == ONE_CORE else NAN

    def recalibrated(self, row):
        return 0, NAN

    def accuracy(self, prec, g, key):
        for row in NUMBERS["table2"]:
            if row["precision"] == prec and row["g"] == g:
                return row[key]
        return NAN

    elimination = ()


class Machine:
    is_paper = False

    def __init__(self, results, files):
        self.results = results
        self.name = results.machine
        self.date = results.date
        self.measured, self.accuracy_from = best_accuracy([f for f in files if same_computer(f, results)])
        self.has_gpu = any(number(row, GPU) > 0 for row in results.rows)
        self.elimination = self.measured.get("elimination", ())

    def _case(self, work, prec, kind, n, recalibrates=""):
        for row in self.results.rows:
            if (text(row, "work"), text(row, "precision"), text(row, "kind"), text(row, "recalibrates")) == (
                    work, prec, kind, recalibrates) and n in (None, number(row, "n")):
                return row
        return {}

    def time(self, work, prec, n, how):
        if work == "both":
            return self.time("eval", prec, n, how) + self.time("qr", prec, n, how)
        return number(self._case(work, prec, "complex", n), how)

    def overhead(self, row, how):
        return number(self._case("qr", row["precision"], row["kind"], N), how)

    def recalibrated(self, row):
        """Real d at the dimension that the cube root rule gives for a row of Table 1: that dimension, and microseconds."""
        if row["kind"] == "real":
            return 0, NAN
        case = self._case("qr", "d", "real", None, row["precision"])
        return number(case, "n"), number(case, ONE_CORE)

    def accuracy(self, prec, g, key):
        return accuracy_number(self.measured, prec, g, key)


def accuracy_number(measured, prec, g, key):
    for row in measured.get("results", ()):
        if text(row, "precision") == prec and number(row, "g") == g:
            return number(row, key)
    return NAN


def same_computer(one, other):
    return (one.cpu, one.cores) == (other.cpu, other.cores)


def best_accuracy(files):
    """The rows of Table 2 and of elimination with the most matrices, and the file they come from. They have the same bits on
    every machine: those of one machine stand for all. ({}, None) where there are none."""
    best, source = {}, None
    for results in files:
        found = results.root if results.benchmark == "accuracy" else results.root.get("accuracy")
        if isinstance(found, dict) and number(found, "matrices") > (number(best, "matrices") if best else 0):
            best, source = found, results
    return best, source


def machines(files):
    """Those of `plumb-bench paper`, machines with a GPU first."""
    found = [results for results in files if results.benchmark == "paper"]
    return [Machine(results, files) for results in sorted(found, key=lambda results: not results.gpu)]


def dimension(machine, row):
    """The recalibrated dimension: 32 times the cube root of the overhead over real double."""
    factor = machine.overhead(row, ONE_CORE) / machine.overhead(NUMBERS["table1"][0], ONE_CORE)
    return N * math.copysign(abs(factor) ** (1 / 3), factor)

"""Checks result files: every row that a benchmark promises is there, has its times, and is as accurate as it must be. A fast
program with wrong results must not pass. With results of --quick, fewer sizes are promised."""

import itertools
import math

from paper import NUMBERS
from results import number, text

LIMBS = {"d": 1, "dd": 2, "qd": 4}
PRECISIONS = tuple(LIMBS)
OPERATIONS = ("add", "sub", "mul", "div", "fma", "sqr", "inv", "sqrt", "abs", "neg", "conj", "cmp", "add_d", "mul_d", "div_d",
              "scale", "dot")


def rounding(prec, factor):
    """factor times the unit of the last place of a precision: 52 bits per limb."""
    return factor * 2.0 ** (-52 * LIMBS.get(prec, 0))


class Checker:
    def __init__(self, results):
        self.results = results
        self.faults = []

    def say(self, *words):
        self.faults.append(" ".join(str(word) for word in words))

    def times(self, row, keys, name, optional=()):
        """Each key must be a sensible time; the optional ones only if they are there."""
        for key in keys:
            if not 0 < number(row, key) < 1e9:
                self.say(name, "has no proper", key)
        for key in optional:
            if key in row and not number(row, key) > 0:
                self.say(name, "has no proper", key)

    def promised(self, keys, *values):
        """There is a row for every combination of the values of the keys."""
        found = {tuple(text(row, key) for key in keys) for row in self.results.rows}
        for wanted in itertools.product(*values):
            if wanted not in found:
                self.say("there is no result for", *wanted)

    def error(self, row, most, name, key="error"):
        if not 0 <= number(row, key) <= most:
            self.say(name, key, row.get(key), "exceeds", "%.1e" % most)

    def run(self):
        root, machine = self.results.root, self.results.root.get("machine")
        for key in ("commit", "date"):
            if not text(root, key):
                self.say("there is no", key)
        if not isinstance(machine, dict) or not text(machine, "cpu") or not number(machine, "cores") >= 1:
            self.say("there is no machine with its cpu and cores")
        if root.get("complete") is False:
            self.say("the run was stopped before it was complete")
        if self.results.gpu and not (text(root, "device") and text(root, "driver") and number(root, "double_rate") > 0):
            self.say("there is no device, driver or double_rate")
        KINDS[self.results.benchmark](self)
        return self.faults


def name_of(row):
    words = [text(row, key) for key in ("work", "op", "mode", "system", "precision", "kind", "isa")]
    n = number(row, "n")
    return " ".join([word for word in words if word] + ([] if math.isnan(n) else ["n = %d" % n]))


def arith(checker):
    if not number(checker.results.root, "ghz") > 0.1:
        checker.say("there is no ghz")
    for row in checker.results.rows:
        name = name_of(row)
        checker.times(row, ["ns"], name)
        if not isinstance(row.get("peers"), dict):
            checker.say(name, "has no peers")
        else:
            checker.times(row["peers"], [], name, optional=row["peers"])
        counted = number(row, "flops") + number(row, "others")
        if not counted > 0 and text(row, "op") != "conj":  # of real numbers that is a copy
            checker.say(name, "has no instructions counted")
    checker.promised(("op", "precision"), OPERATIONS, PRECISIONS)


def lsq(checker):
    gpu = checker.results.gpu
    for row in checker.results.rows:
        name, prec = name_of(row), text(row, "precision")
        checker.error(row, rounding(prec, 8e5 * number(row, "n")), name)  # condition numbers stay below 10^5
        if gpu:
            checker.times(row, ["us", "launch_us"], name,
                          optional=("cpu1_us", "cpuall_us", "cusolver_us", "cublas_batched_us", "floor_us"))
            if text(row, "how") not in ("graph", "launch") or not number(row, "calls") >= 1:
                checker.say(name, "does not say how it was timed")
        else:
            checker.times(row, ["us"], name)
            if not isinstance(row.get("peers"), dict):
                checker.say(name, "has no peers")
    if gpu:
        checker.promised(("precision", "mode"), PRECISIONS, ("sequence", "columns", "batch"))
    else:
        checker.promised(("precision", "kind", "mode"), PRECISIONS, ("real", "complex"), ("one", "batch"))
        checker.promised(("precision", "kind", "mode"), ("dd", "qd"), ("real", "complex"), ("refined",))


def evaluation(checker):
    gpu = checker.results.gpu
    for row in checker.results.rows:
        name = name_of(row)
        checker.times(row, ["us", "launch_us", "cpu1_us", "cpuall_us", "floor_us"] if gpu else ["us"], name)
        if gpu:
            checker.error(row, rounding(text(row, "precision"), 1e4), name)
        elif not number(row, "instructions") > 0 or not isinstance(row.get("peers"), dict):
            checker.say(name, "has no instructions or no peers")
    checker.promised(("precision", "mode"), PRECISIONS, ("sequence", "batch") if gpu else ("one", "batch"))


def gemm(checker):
    gpu = checker.results.gpu
    for row in checker.results.rows:
        name = name_of(row)
        checker.times(row, ["us"] if gpu or "cpu1_us" in row else ["cpuall_us"], name,
                      optional=["cpu1_us", "cpuall_us", "tiles_us", "peer_us", "peak"])
        if not number(row, "instructions") > 0 or text(row, "method") not in ("tiles", "residues"):
            checker.say(name, "has no instructions or no method")
        if gpu and "error" in row:
            checker.error(row, 64.0, name)  # over n units
    checker.promised(("mode", "precision", "kind"), ("product", "system", "cholesky"), PRECISIONS, ("real", "complex"))


def newton(checker):
    for row in checker.results.rows:
        if text(row, "mode") == "newton":
            checker.times(row, ["us", "eval_us", "lsq_us", "cpu1_us", "cpuall_us"], name_of(row), optional=["launch_us"])
            checker.error(row, rounding(text(row, "precision"), 1e6), name_of(row))
    checker.promised(("mode", "precision"), ("newton",), PRECISIONS)


def track(checker):
    newton(checker)
    for row in checker.results.rows:
        if text(row, "mode") in ("track", "many"):
            checker.times(row, ["us", "cpu1_us"], name_of(row))
            if row.get("agrees") is not True:
                checker.say(name_of(row), "ends with other codes on the GPU than on the processor")
            if number(row, "success") != number(row, "paths"):
                checker.say(name_of(row), "has paths that failed")
    checker.promised(("mode", "precision"), ("track", "many"), PRECISIONS)


def parameters(checker):
    for row in checker.results.rows:
        name = text(row, "family") + " " + text(row, "mode")
        checker.times(row, ["us", "cpuall_us", "cpu1_us"], name)
        if row.get("agrees") is not True:
            checker.say(name, "has other outcomes on the GPU than on the processor")
        if number(row, "incomplete_targets") != 0:
            checker.say(name, "has targets whose solutions may be missing")


def solve(checker):
    for row in checker.results.rows:
        checker.times(row, ["us", "cpuall_us"], name_of(row), optional=["cpu1_us", "phc_us"])
        if number(row, "lost_paths") != 0:
            checker.say(name_of(row), "has paths that failed or are undecided")


def accuracy_rows(checker, root):
    """All rows of Table 2, none worse than the paper by more than 0.3 digits."""
    found = {(text(row, "precision"), number(row, "g")): row for row in root.get("results", ()) if isinstance(row, dict)}
    for row in NUMBERS["table2"]:
        ours = found.get((row["precision"], row["g"]), {})
        least, most = number(ours, "m_e"), number(ours, "M_e")
        if not least <= most <= row["M_e"] + 0.3:
            checker.say("%s g = %d: m_e %g, M_e %g, the paper has %g" % (row["precision"], row["g"], least, most, row["M_e"]))


def accuracy(checker):
    accuracy_rows(checker, checker.results.root)


def paper(checker):
    measured = checker.results.root.get("accuracy")
    accuracy_rows(checker, measured if isinstance(measured, dict) else {})
    for row in checker.results.rows:
        gpu = checker.results.gpu and "recalibrates" not in row
        checker.times(row, ["cpu1_us", "cpuall_us"] + (["gpu_us"] if gpu else []), name_of(row))
    checker.promised(("work", "precision", "kind"), ("qr", "solve", "eval"), PRECISIONS, ("complex",))


def families(checker):
    """Every kernel of least squares on a GPU, on every problem of the tables (bench_plans)."""
    checker.promised(("table", "precision"), ("sequence", "batch", "track", "many", "large"), PRECISIONS)
    for row in checker.results.rows:
        name = text(row, "table") + " " + name_of(row)
        checker.times(row, ["us"], name)
        kernels = row.get("kernels")
        if not isinstance(kernels, list) or text(row, "chosen") not in [text(k, "kernel") for k in kernels]:
            checker.say(name, "has no kernels, or not the one that was chosen")
            continue
        for kernel in kernels:
            checker.times(kernel, ["us"], name + " " + text(kernel, "kernel"))
        if "error" in row:
            checker.error(row, rounding(text(row, "precision"), 1e5 * number(row, "n")), name)


KINDS = {"arith": arith, "lsq": lsq, "gemm": gemm, "eval": evaluation, "newton": newton, "track": track, "parameters": parameters,
         "solve": solve, "accuracy": accuracy,
         "paper": paper, "families": families}


def faults(results):
    """What is wrong with a file, one line each."""
    return Checker(results).run()
